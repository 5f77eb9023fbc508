import { test } from "node:test";
import assert from "node:assert/strict";
import { countsOf, createBadge } from "../../../pbem/web/site/badge.js";

const standing = (unlocked) => ({ keys: [{ name: "alice", unlocked }], games: [{ game: "a", state: "draft", deadline: "", unread: 2 }, { game: "b", state: "waiting", deadline: "" }] });
const league = { league: "league.c", asked: false, due: "", over: false, trouble: "", unread: 1 };

test("what waits is counted only once the home is unlocked, and messages make no game wait", () => {
  assert.equal(countsOf({ phase: "starting", standing: null, leagues: [] }), null);
  assert.equal(countsOf({ phase: "ready", standing: standing(false), leagues: [] }), null);
  assert.deepEqual(countsOf({ phase: "ready", standing: standing(true), leagues: [league] }), { waiting: 1, unread: 3 });
  assert.deepEqual(countsOf({ phase: "ready", standing: { keys: [], games: [] }, leagues: [] }), { waiting: 0, unread: 0 });
});

test("title and device show the counts; what is locked tells the title nothing, and leaves the device as it is", () => {
  const page = { title: "pbem: play by mail" }, told = [];
  const badge = createBadge(page, { setAppBadge: async (count) => told.push(count), clearAppBadge: async () => told.push("none") });
  for (const [waiting, unread, title] of [
    [2, 0, "(2) pbem: play by mail"], [2, 0, "(2) pbem: play by mail"], [null, null, "pbem: play by mail"], [1, 0, "(1) pbem: play by mail"],
    [1, 1, "(1; 1 new message) pbem: play by mail"], [0, 3, "(3 new messages) pbem: play by mail"], [0, 0, "pbem: play by mail"]]) {
    badge(waiting === null ? null : { waiting, unread });
    assert.equal(page.title, title);
  }
  assert.deepEqual(told, [2, 1, 2, 3, "none"]);
  badge({ waiting: 0, unread: 0 }, { anew: true });
  assert.deepEqual(told, [2, 1, 2, 3, "none", "none"], "the device was woken since, and shows something else");
});

test("a device that shows no badges, or refuses to, is no fault", () => {
  for (const device of [{}, { setAppBadge: () => Promise.reject(new Error("not installed")) }]) {
    const page = { title: "pbem" };
    createBadge(page, device)({ waiting: 3, unread: 0 });
    assert.equal(page.title, "(3) pbem");
  }
});
