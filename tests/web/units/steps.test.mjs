import { test } from "node:test";
import assert from "node:assert/strict";
import { diceOf, linesBeside, nextBattle, titleOf } from "../../../pbem/web/site/steps.js";
import { createStore } from "../../../pbem/web/site/state.js";
import { deadline, pace } from "../../../pbem/web/site/deadline.js";

const fife = { chapter: "Battle Fife", board: { area: "Fife" } };
const mar = { chapter: "Battle Mar", board: { area: "Mar" } };
const move = { chapter: "Moves", board: null };
const steps = [move, fife, fife, move, mar, mar];

test("the next battle is where another one begins", () => {
  assert.equal(nextBattle(steps, 0), 1);
  assert.equal(nextBattle(steps, 1), 4);
  assert.equal(nextBattle(steps, 5), 5);
  assert.equal(nextBattle([fife, mar], 0), 1);
});

test("a step is called by its battle, else by its chapter", () => {
  assert.deepEqual([fife, move, undefined].map(titleOf), ["Fife", "Moves", ""]);
});

test("a die hits up to its number", () => {
  assert.deepEqual(diceOf({ dice: [1, 3, 4], hits_up_to: 3 }).map((one) => one.hit), [true, true, false]);
});

test("whoever subscribes hears of each change until they leave", () => {
  const heard = [], store = createStore({ step: 0 });
  const leave = store.subscribe((state) => heard.push(state.step));
  store.set({ step: 1 });
  store.set((now) => ({ step: now.step + 1 }));
  leave();
  store.set({ step: 9 });
  assert.deepEqual(heard, [1, 2]);
  assert.equal(store.get().step, 9);
});

test("a deadline that is past is told as past", () => {
  const now = Date.parse("2026-11-27T12:00:00Z");
  assert.equal(deadline("2026-11-27T11:59:59Z", now)[1], "the deadline has passed");
  assert.match(deadline("2026-11-28T12:00:00Z", now)[1], /24/);
  assert.match(deadline("2026-12-04T12:00:00Z", now)[1], /7/);
});

test("who stands in a battle is told by its board, not twice; what is not on it is told", () => {
  const board = { lines: [["england", [{ name: "Comyn", strength: 4, full: 4 }]], ["scotland", []]] };
  const lines = ["Round 1.", "England: Comyn\u00a04/4\u00a0B2.", "England: Angus 1/3 B2.", "Scotland: nobody."];
  assert.deepEqual(linesBeside({ lines, board }), [lines[0], lines[2], lines[3]]);
  assert.deepEqual(linesBeside({ lines, board: null }), lines);
  const told = ["Wallace rolls 5 1: 1 hit.", "Comyn is hit: strength 3."];
  assert.deepEqual(linesBeside({ lines: told, board: { ...board, shot: { fighter: "Wallace", dice: [5, 1] } } }), told.slice(1), "the dice lie there");
});

test("how long one has is told in whole days, in hours where it is little, and not at all when it is over", () => {
  const now = Date.parse("2026-11-27T12:00:00Z");
  assert.equal(pace("2026-11-30T11:00:00Z", now), new Intl.NumberFormat(undefined, { style: "unit", unit: "day", unitDisplay: "long" }).format(3));
  assert.match(pace("2026-11-27T22:10:00Z", now), /^11 /);
  assert.equal(pace("2026-11-27T11:00:00Z", now), "");
  assert.equal(pace("", now), "");
});
