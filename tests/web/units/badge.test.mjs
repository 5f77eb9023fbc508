import { test } from "node:test";
import assert from "node:assert/strict";
import { countOf, createBadge } from "../../../pbem/web/site/badge.js";

const standing = (unlocked) => ({ keys: [{ name: "alice", unlocked }], games: [{ game: "a", state: "draft", deadline: "" }, { game: "b", state: "waiting", deadline: "" }] });

test("what waits is counted only once the home is unlocked", () => {
  assert.equal(countOf({ phase: "starting", standing: null, leagues: [] }), null);
  assert.equal(countOf({ phase: "ready", standing: standing(false), leagues: [] }), null);
  assert.equal(countOf({ phase: "ready", standing: standing(true), leagues: [] }), 1);
  assert.equal(countOf({ phase: "ready", standing: { keys: [], games: [] }, leagues: [] }), 0);
});

test("title and device show the count; what is locked tells the title nothing, and leaves the device as it is", () => {
  const page = { title: "pbem: play by mail" }, told = [];
  const badge = createBadge(page, { setAppBadge: async (count) => told.push(count), clearAppBadge: async () => told.push("none") });
  for (const [count, title] of [[2, "(2) pbem: play by mail"], [2, "(2) pbem: play by mail"], [null, "pbem: play by mail"], [1, "(1) pbem: play by mail"], [0, "pbem: play by mail"]]) {
    badge(count);
    assert.equal(page.title, title);
  }
  assert.deepEqual(told, [2, 1, "none"]);
  badge(0, { anew: true });
  assert.deepEqual(told, [2, 1, "none", "none"], "the device was woken since, and shows something else");
});

test("a device that shows no badges, or refuses to, is no fault", () => {
  for (const device of [{}, { setAppBadge: () => Promise.reject(new Error("not installed")) }]) {
    const page = { title: "pbem" };
    createBadge(page, device)(3);
    assert.equal(page.title, "(3) pbem");
  }
});
