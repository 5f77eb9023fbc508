import { test } from "node:test";
import assert from "node:assert/strict";
import { arrivalOf, entryOf, lookOf, routeOf, titleIn } from "../../../pbem/web/site/arriving.js";

const KEY = `SHA256:${"a/+".repeat(14)}b`;

test("a link to join names the game and the judge's key, whose slashes are its own", () => {
  assert.deepEqual(routeOf(`#join/hearth/${KEY}`), ["join", "hearth", KEY]);
  assert.deepEqual(routeOf(`#join/hearth/${encodeURIComponent(KEY)}`), ["join", "hearth", KEY], "as a mail program may write it");
  assert.deepEqual(routeOf("#join/hearth"), ["join", "hearth", ""]);
});

test("a link may name the title that is played", () => {
  const link = `#join-first-war/hearth/${KEY}`;
  assert.deepEqual([routeOf(link), titleIn(link)], [["join", "hearth", KEY], "first-war"]);
  assert.deepEqual([routeOf("#enter-lords/cup/head/key"), titleIn("#enter-lords/cup/head/key")], [["enter", "cup", "head", "key"], "lords"]);
  assert.equal(titleIn(`#join/hearth/${KEY}`), "");
  assert.equal(titleIn(""), "");
});

test("a link may name a box, which counts if the page may talk to it", () => {
  const box = "https://box.club.example/";
  const route = routeOf(`#join/hearth/${KEY}/${encodeURIComponent(box)}`);
  assert.deepEqual(route, ["join", "hearth", KEY, box]);
  assert.deepEqual(arrivalOf(route, [], [box]), { game: "hearth", judge: KEY, other: "", box });
  assert.equal(arrivalOf(route, [], ["https://other.example/"]).box, "");
  assert.deepEqual(routeOf(`#join/hearth/${encodeURIComponent(box)}`), ["join", "hearth", box], "no key, and no box");
});

test("an address that nothing has written is the first view", () => {
  assert.deepEqual(routeOf(""), [""]);
  assert.deepEqual(routeOf("#game/%E0%A4%A"), [""]);
  assert.deepEqual(routeOf("#game/hearth/story/2/1"), ["game", "hearth", "story", "2", "1"]);
});

test("a link never takes the place of a judge's key that is known", () => {
  const route = routeOf(`#join/hearth/${KEY}`);
  assert.deepEqual(arrivalOf(route, []), { game: "hearth", judge: KEY, other: "", box: "" });
  assert.deepEqual(arrivalOf(route, ["SHA256:old", KEY]), { game: "hearth", judge: KEY, other: "", box: "" });
  assert.deepEqual(arrivalOf(route, ["SHA256:known"]), { game: "hearth", judge: "SHA256:known", other: KEY, box: "" });
  assert.deepEqual(arrivalOf(["tour"], []), { game: "", judge: "", other: "", box: "" });
});

test("an address that looks back says behind what its moments stand", () => {
  assert.equal(lookOf(routeOf("#game/hearth/look/7/3")), "#game/hearth/look/");
  assert.equal(lookOf(routeOf("#game/hearth/look")), "#game/hearth/look/");
  assert.equal(lookOf(routeOf("#practice/look/1/1")), "#practice/look/");
  for (const other of ["", "#", "#game/look", "#game/hearth/story/7/3", "#practice", "#look/7/3", "#join/game/look"]) assert.equal(lookOf(routeOf(other)), "");
});

test("a link to a league fills in which it is, and may name a box", () => {
  const head = "0f".repeat(32), box = "https://box.club.example/";
  const route = routeOf(`#enter/cup/${head}/${KEY}/${encodeURIComponent(box)}`);
  assert.deepEqual(route, ["enter", "cup", head, KEY, box]);
  assert.deepEqual(entryOf(route, [box]), { fill: { league: "cup", genesis: head, judge: KEY }, box });
  assert.equal(entryOf(route, []).box, "");
  assert.deepEqual(entryOf(routeOf(`#enter/cup/${head}/${KEY}`)).fill.judge, KEY);
  assert.deepEqual(entryOf(routeOf("#tour")), { fill: { league: "", genesis: "", judge: "" }, box: "" });
});
