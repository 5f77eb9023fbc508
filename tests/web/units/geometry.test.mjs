import { test } from "node:test";
import assert from "node:assert/strict";
import { around, dusk, held, isPale, NEAREST, nearest, nextIn, nightColour, namesIn, panned, revealed, shortened, whole, zoomed, zoomedAt } from "../../../pbem/web/site/geometry.js";

const all = whole({ x: 0, y: 0, w: 1000, h: 1400 }, { w: 800, h: 600 });

test("the whole picture is in sight, in the middle of a frame of any shape", () => {
  assert.equal(Math.round(all.h), 1400);
  assert.equal(Math.round(all.x + all.w / 2), 500);
  assert.deepEqual(whole({ x: 10, y: 20, w: 100, h: 100 }, { w: 200, h: 100 }, true), { x: 10, y: 20, w: 200, h: 100 }, "or on its right");
  const tall = whole({ x: 10, y: 20, w: 1000, h: 1400 }, { w: 300, h: 900 });
  assert.equal(Math.round(tall.w), 1000);
  assert.equal(Math.round(tall.y + tall.h / 2), 720);
});

test("what lies under the finger stays there while one zooms", () => {
  const at = { x: 0.25, y: 0.5 };
  const near = zoomed(all, 2, at, all);
  assert.equal(near.x + near.w * at.x, all.x + all.w * at.x);
  assert.equal(near.y + near.h * at.y, all.y + all.h * at.y);
});

test("nobody zooms beyond the nearest or the whole", () => {
  assert.equal(zoomed(all, 100, { x: 0.5, y: 0.5 }, all).w, all.w / NEAREST);
  assert.deepEqual(zoomed(all, 0.01, { x: 0.5, y: 0.5 }, all), all);
});

test("nobody pans beyond the edge", () => {
  const near = zoomed(all, 4, { x: 0.5, y: 0.5 }, all);
  const far = panned(near, 9, -9, all);
  assert.equal(far.x + far.w, all.x + all.w);
  assert.equal(far.y, all.y);
  assert.deepEqual(held(far, all), far);
});

test("what is at the edge comes into the middle, and what is in sight moves nothing", () => {
  const near = zoomed(all, 4, { x: 0, y: 0 }, all);
  assert.deepEqual(revealed(near, { x: near.x + near.w / 2, y: near.y + near.h / 2 }, all), near);
  const moved = revealed(near, { x: 500, y: 700 }, all);
  assert.ok(moved.x < 500 && 500 < moved.x + moved.w && moved.y < 700 && 700 < moved.y + moved.h);
});

test("an arrow key goes to the nearest that way, and nowhere where nothing is", () => {
  const points = [{ x: 10, y: 0 }, { x: 30, y: 0 }, { x: 5, y: 40 }];
  assert.equal(nextIn(points, { x: 0, y: 0 }, [1, 0]), 0);
  assert.equal(nextIn(points, { x: 0, y: 0 }, [0, 1]), 2);
  assert.equal(nextIn(points, { x: 0, y: 0 }, [-1, 0]), -1);
});

test("a name within another is not meant", () => {
  const names = ["Ross", "Kyle", "Kyle of Ross", "S-Infantry-1", "S-Infantry-10"];
  assert.deepEqual(namesIn("move Kyle of Ross to Ross", names), ["Kyle of Ross", "Ross"]);
  assert.deepEqual(namesIn("move S-Infantry-10 to Kyle", names), ["S-Infantry-10", "Kyle"]);
  assert.deepEqual(namesIn("move Rosslyn to Kylemore", names), []);
});

test("by night what is pale is dark, what is dark is pale, and no colour is no colour", () => {
  const light = (colour) => Number(/(\d+)%\)$/.exec(nightColour(colour))[1]);
  assert.ok(light("#ffffff") < 20);
  assert.ok(light("#000000") > 80);
  assert.equal(nightColour("none"), "none");
  assert.equal(nightColour(null), null);
});

test("by night a dark cloth is darker", () => {
  assert.equal(dusk("#3f5d4a"), "#233329");
});

test("a dark cloth is no pale paper", () => {
  assert.deepEqual(["#f6efe0", "#a9c4cc", "#3f5d4a", "none", undefined].map(isPale), [true, true, false, true, true]);
});

test("what is to be seen comes near, all of it, and never nearer than the nearest", () => {
  const boxes = [{ x: 100, y: 200, w: 50, h: 30 }, { x: 300, y: 400, w: 20, h: 20 }];
  const near = around(boxes, all);
  for (const box of boxes) {
    assert.ok(near.x < box.x && near.y < box.y && box.x + box.w < near.x + near.w && box.y + box.h < near.y + near.h);
  }
  assert.ok(near.w < all.w / 2);
  assert.equal(Math.round((near.h / near.w) * 1000), Math.round((all.h / all.w) * 1000), "in the shape of the frame");
  assert.equal(around([{ x: 500, y: 700, w: 1, h: 1 }], all).w, all.w / NEAREST);
  const middle = zoomedAt(all, 2, { x: 500, y: 700 });
  assert.deepEqual([middle.x + middle.w / 2, middle.y + middle.h / 2, middle.w], [500, 700, all.w / 2]);
});

test("a finger means the nearest within its reach, and nothing beyond", () => {
  const boxes = [{ left: 0, top: 0, right: 10, bottom: 10 }, { left: 30, top: 0, right: 40, bottom: 10 }];
  assert.equal(nearest(boxes, { x: 24, y: 5 }, 18), 1);
  assert.equal(nearest(boxes, { x: 14, y: 12 }, 18), 0);
  assert.equal(nearest(boxes, { x: 100, y: 5 }, 18), -1);
  assert.equal(nearest([], { x: 0, y: 0 }, 18), -1);
});

test("a sheet ends a little below what is drawn on it, never beyond its own end", () => {
  const paper = { x: 0, y: 0, w: 770, h: 979 };
  assert.deepEqual(shortened(paper, { x: 0, y: 0, width: 770, height: 600 }), { ...paper, h: 612 });
  assert.deepEqual(shortened(paper, { x: 0, y: -50, width: 770, height: 2000 }), paper);
  assert.deepEqual(shortened(paper, { x: 0, y: 0, width: 0, height: -20 }), paper);
});

test("words are lighter by night than other things of their colour", () => {
  const light = (colour) => Number(/ (\d+)%\)$/.exec(colour)[1]);
  assert.equal(light(nightColour("#9c2f28", 0.7)), 70);
  assert.equal(light(nightColour("#9c2f28")), 50);
});
