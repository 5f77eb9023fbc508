import assert from "node:assert/strict";
import { test } from "node:test";
import { captionOf, changed, commandsOf, exchangeSteps, momentAt, placeOf, placesOf, sameMoment, series, stepsOfLines, unpacked } from "../../../pbem/moments/viewer/moments.js";
import { Search } from "../../../pbem/moments/viewer/search.js";

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

test("a moment is tried out by the eyes of a side, from the bundle or from the reader's home, while the game is not over", () => {
  const sides = [{ side: "red" }, { side: "blue" }], [red, blue, gm] = [["red", 5], ["blue", 3], ["gm", 5]].map(([reader, of]) => ({ reader, steps: steps(of, 2) }));
  const whole = { game: "demo", sides, tracks: [red, blue, gm], outcome: "Red wins." };
  assert.deepEqual(commandsOf(whole, gm, 2), ["pbem try BUNDLE --as red --exchange 1 --step 3", "pbem try BUNDLE --as blue --exchange 1 --step 2"]);
  assert.deepEqual(commandsOf(whole, blue, 1), ["pbem try BUNDLE --as blue --exchange 1 --step 2"]);
  assert.deepEqual(commandsOf(whole, gm, 6), [], "it is over there");
  assert.deepEqual(commandsOf({ ...whole, tracks: [red], outcome: "" }, red, 6), ["pbem try demo --exchange 3 --step 2"]);
  assert.deepEqual(commandsOf({ ...whole, tracks: [gm], outcome: "" }, gm, 0), [], "the public has no side to play");
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

const told = (when, chapter, ...lines) => ({ when, chapter, lines, about: [], own: [], replies: [] });

test("in the search the first comes after the last, and the last before the first", () => {
  const gone = [], search = { places: [1, 4], go: (place) => gone.push(place) };
  for (const [place, by] of [[0, 1], [1, 1], [4, 1], [4, -1], [1, -1], [0, -1]]) Search.prototype.next.call({ ...search, place }, by);
  Search.prototype.next.call({ ...search, places: [], place: 2 }, 1);
  assert.deepEqual(gone, [1, 4, 1, 1, 4, 4]);
});

test("beside a step stand all steps of its exchange", () => {
  const track = { steps: steps(3, 2) };
  assert.deepEqual([0, 2, 3, 4].map((place) => exchangeSteps(track, track.steps[place]).map(({ at }) => at)), [[0, 1, 2], [0, 1, 2], [3, 4], [3, 4]]);
});

test("an exchange is called by what happens in it, not by where it ends", () => {
  const [turn, next] = [["1297", "turn 1"], ["1297", "turn 2"]];
  assert.equal(captionOf([told(turn, "England moves", "England moves X."), told(turn, "Battle of Mar", "Battle 1."), told(turn, "Battle of Mar", "Round 1."), told(next, "", "1297, turn 2.")]), "1297, turn 1 · England moves · Battle of Mar");
  assert.equal(captionOf([told(["round 1", "turn 2"], "Round 1, turn 2", "Green recruits.", "A slot is filled."), told(["round 1", "turn 3"], "Round 1, turn 3", "On.")]), "round 1, turn 2 · Green recruits.");
  assert.equal(captionOf([told(["1296", "spring"], "Spring 1296", "Cards."), told(["1296", "spring"], "Events of spring 1296", "Raid.")]), "1296, spring · Events of spring 1296");
  assert.equal(captionOf([told(turn, "Battle of Mar", "Battle 1."), told(["1297", "winter"], "Winter", "The winter.")]), "1297, turn 1 · Battle of Mar · Winter");
  assert.equal(captionOf([told(["1297", "winter"], "Winter", "The winter of 1297.")]), "1297, winter · The winter of 1297.");
  assert.equal(captionOf([told([], "", "Nothing is told.")]), "Nothing is told.");
});

test("a step is found by all words of a text, in whole words before beginnings", () => {
  const track = { steps: [told(["1297"], "Battle of Mar", "Wallace fires."), told(["1297"], "", "Nobles of March go home."), { ...told(["1298"], "", "A block moves."), about: ["Northumber Infantry"] },
    { ...told(["1298"], "", "Scott-7 is mustered."), own: [{ said: "muster scott-7" }], replies: [["red", "use the power"]] }] };
  const found = (text) => placesOf(track, text);
  assert.deepEqual(found("mar"), [0], "the place Mar is not the place March");
  assert.deepEqual(found("marc"), [1]);
  assert.deepEqual(found("WALLACE  battle"), [0]);
  assert.deepEqual(found("noble"), [1]);
  assert.deepEqual(found("infantry"), [2]);
  assert.deepEqual(found("1298"), [2, 3]);
  assert.deepEqual(found("scott"), [3]);
  assert.deepEqual(found("power"), [3]);
  assert.deepEqual(found("Wallace March"), []);
  for (const nothing of ["", "  ", "?!"]) assert.deepEqual(found(nothing), []);
  assert.deepEqual(placesOf({ steps: [told([], "", "König Éduard")] }, "konig eduard"), [0]);
});

test("a line of orders leads to the steps that followed from it", () => {
  const own = (exchange, line, applied) => ({ exchange, line, applied });
  const steps = [{ own: [own(3, 2, true), own(3, 4, false)], replies: [] }, { own: [own(3, 2, true), own(0, 0, false)], replies: [] },
    { own: [], replies: [["blue", "fire", "5.3", 3, 6], ["blue", "hit", "5.4", 3, 6], ["red", "done", "4.0", 3, 0]] }];
  assert.deepEqual([...stepsOfLines({ reader: "red", steps })], [["red/3/2", [0, 1]], ["blue/3/6", [2]]]);
});
