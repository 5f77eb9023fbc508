import { test } from "node:test";
import assert from "node:assert/strict";
import * as drafts from "../../../pbem/web/site/draft.js";
import { hintOf } from "../../../pbem/web/site/hints.js";

const card = { now: true, verbs: ["card"] };
const state = (text, given = {}) => ({
  game: { line: { exchange: 2, state: "draft" }, shown: { reports: [1], idle: false, questions: [card], names: ["Wallace", "Fife"] } },
  tab: "orders", draft: { ...drafts.createDraft(text), ...given }, light: [{ verb: "move", name: "Wallace", line: "move Wallace" }], offers: { found: [] }, hints: true, story: { steps: [{}, {}] }, step: 0,
});
const cards = () => 3;

test("a card, a block, where it goes, and then what else", () => {
  assert.equal(hintOf(state(""), cards), "card");
  assert.equal(hintOf(state("card 1"), cards), "block");
  assert.equal(hintOf(state("card 1\nmove Wallace", { open: true }), cards), "way");
  assert.equal(hintOf(state("card 1\nmove Wallace to Fife"), cards), "more");
  const begun = { ...state("card 1\nmove Wallace"), offers: { found: [{ line: "move Wallace to Fife" }] } };
  assert.equal(hintOf({ ...begun, study: { faults: [{ line: 2 }] } }, cards), "rest");
});

test("where no cards are asked for the map comes first, and where nothing is lit nothing is said of it", () => {
  assert.equal(hintOf(state(""), () => 0), "block");
  assert.equal(hintOf({ ...state(""), light: [] }, () => 0), "more");
});

test("moves that are asked for are taken on the map, and cards on a table that may come later are chosen", () => {
  const moves = { now: true, verbs: ["move"] };
  const marching = state("move Wallace to Fife");
  marching.game.shown.questions = [moves];
  assert.equal(hintOf(marching, () => 0), "more");
  const deploying = state("");
  deploying.game.shown.questions = [{ now: false, verbs: ["deploy"] }];
  assert.equal(hintOf(deploying, cards), "answer");
  assert.equal(hintOf({ ...deploying, draft: drafts.createDraft("deploy archers"), light: [] }, cards), "more");
});

test("in a battle nothing goes anywhere", () => {
  const battle = { ...state(""), light: [{ verb: "fire", name: "Wallace", line: "fire Wallace" }] };
  battle.game.shown.questions = [{ now: true, verbs: ["fire", "pass"] }];
  assert.equal(hintOf(battle, cards), "answer");
  assert.equal(hintOf({ ...battle, draft: drafts.createDraft("fire Wallace") }, cards), "more");
});

test("a turn in which nothing is asked is played on, and a story is stepped through", () => {
  const now = state("");
  now.game.shown.idle = true;
  assert.equal(hintOf(now, cards), "idle");
  assert.equal(hintOf({ ...state(""), tab: "story" }, cards), "");
  const later = state("");
  later.game.line.exchange = 3;
  assert.equal(hintOf({ ...later, tab: "story" }, cards), "story");
  assert.equal(hintOf({ ...later, tab: "story", step: 1 }, cards), "", "whoever has gone on knows how");
  assert.equal(hintOf({ ...later, tab: "table" }, cards), "");
});

test("whoever wants none, or knows how it goes, is told nothing", () => {
  assert.equal(hintOf({ ...state(""), hints: false }, cards), "");
  const late = state("");
  late.game.line.exchange = 6;
  assert.equal(hintOf(late, cards), "");
  const over = state("");
  over.game.line = { exchange: null, state: "over" };
  assert.equal(hintOf(over, cards), "");
});
