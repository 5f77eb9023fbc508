import assert from "node:assert/strict";
import { test } from "node:test";
import { changed, momentAt, placeOf, sameMoment, series, unpacked } from "../../../pbem/moments/viewer/moments.js";

const steps = (...counts) => counts.flatMap((of, place) => Array.from({ length: of }, (_, number) => ({ exchange: place * 2 + 1, step: number + 1, of })))
  .map((one, at) => ({ ...one, at }));

test("an address names a moment, and whose eyes; anything else names none", () => {
  assert.deepEqual(placeOf("#7/3"), { exchange: 7, step: 3, reader: undefined });
  assert.deepEqual(placeOf("#7/3/scotland"), { exchange: 7, step: 3, reader: "scotland" });
  for (const other of ["", "#", "#7", "#7/", "#7/3/", "#7/3/<b>", "#-1/2", "#7/3/4/5", "#99999/1"]) assert.equal(placeOf(other), undefined);
});

test("in the player's page an address names a moment behind its own beginning", () => {
  assert.deepEqual(placeOf("#game/hearth/look/7/3", "#game/hearth/look/"), { exchange: 7, step: 3, reader: undefined });
  for (const other of ["#7/3", "#game/hearth/look", "#game/other/look/7/3", "#game/hearth/look/#7/3"]) assert.equal(placeOf(other, "#game/hearth/look/"), undefined);
});

test("a moment that a track does not have is the nearest one", () => {
  const track = { steps: steps(3, 2) };
  assert.equal(momentAt(track, { exchange: 1, step: 2 }), 1);
  assert.equal(momentAt(track, { exchange: 1, step: 99 }), 2);
  assert.equal(momentAt(track, { exchange: 1, step: 0 }), 0);
  assert.equal(momentAt(track, { exchange: 2, step: 1 }), 3);
  assert.equal(momentAt(track, { exchange: 9, step: 1 }), 4);
  assert.equal(momentAt({ steps: [] }, { exchange: 9, step: 1 }), 0);
});

test("the same moment on another track is as far into its exchange", () => {
  const [one, other] = [{ steps: steps(5, 2) }, { steps: steps(3, 2) }];
  assert.deepEqual([0, 2, 4, 5, 6].map((place) => sameMoment(one, place, other)), [0, 1, 2, 3, 4]);
  assert.equal(sameMoment({ steps: [] }, 0, other), 0);
});

test("a picture is the one before it with other layers between those that stay", () => {
  const before = { board: "b", layers: [1, 2, 3, 4] };
  assert.deepEqual(changed(before, [null, 1, 2, 9]), { board: "b", layers: [1, 9, 3, 4] });
  assert.deepEqual(changed(before, [null, 4, 0]).layers, [1, 2, 3, 4]);
  assert.deepEqual(changed(before, [null, 0, 0]).layers, []);
  assert.deepEqual(changed(before, ["c", 0, 0, 7]), { board: "c", layers: [7] });
});

test("each measure has a number for every moment", () => {
  assert.deepEqual(series([{ sizes: [["blocks", { red: 1 }]] }, { sizes: [] }, { sizes: [["blocks", { red: 2, blue: 3 }]] }]), { blocks: { red: [1, 0, 2], blue: [0, 0, 3] } });
});

test("the document is unpacked, each value from those before it", () => {
  const nodes = ["demo", "Red", "red", [0, 1, 2], [-1, 3], [-1], [1, 0, 4, 5]];
  const game = unpacked({ keys: [["name", "side"], ["game", "sides", "tracks"]], nodes, root: 6 });
  assert.equal(game.game, "demo");
  assert.deepEqual(game.sides, [{ name: "Red", side: "red" }]);
  assert.equal(game.second, "");
});
