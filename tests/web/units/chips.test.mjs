import { test } from "node:test";
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { isMore, laterOf, tailOf, unfinished } from "../../../pbem/web/site/chips.js";
import { createDraft } from "../../../pbem/web/site/draft.js";
import { words } from "../../../pbem/web/site/words.js";

const offer = (verb, line, clause = "") => ({ verb, line, clause, name: line.split(/[ ,]+/).at(-1) });
const said = (one, line) => words.going(...tailOf(one, line));

test("what is added says whether it goes on, comes with it, or is for the case that the first cannot be", () => {
  assert.equal(said(offer("move", "move Wallace to Mentieth, Atholl", "to"), "move Wallace to Mentieth"), "and on to Atholl");
  assert.equal(said(offer("move", "move Wallace, Douglas"), "move Wallace"), "and Douglas");
  assert.equal(said(offer("hits", "hits Bruce, Wallace"), "hits Bruce"), "then Wallace");
  assert.equal(said(offer("move", "move Wallace to Mentieth", "to"), "move Wallace"), "to Mentieth");
  assert.equal(said({ ...offer("plan", "plan any:\n    \nend"), said: "plan …" }, ""), "plan …");
  assert.ok(isMore(offer("move", "move Wallace, Douglas"), "move Wallace"));
  assert.ok(!isMore(offer("move", "move Wallace to Mentieth", "to"), "move Wallace"));
});

test("an order whose rest is offered is not wrong, but not complete; one that only may be longer can be wrong", () => {
  const begun = (text, found, light = []) => ({ draft: createDraft(text), study: { faults: [{ line: 1 }] }, offers: { found }, light });
  const rest = offer("move", "move Wallace to Mentieth", "to");
  assert.equal(unfinished(begun("move Wallace", [rest])).length, 1);
  assert.equal(unfinished(begun("move Wallace", [], [rest])).length, 1, "or on the picture");
  assert.equal(unfinished({ ...begun("move Wallace", [rest]), asText: true }).length, 0, "what is written by hand is not guessed at");
  assert.equal(unfinished(begun("move Wallace to Mentieth", [offer("move", "move Wallace to Mentieth, Atholl", "to")])).length, 0);
  assert.equal(unfinished({ ...begun("move Wallace", [rest]), study: { faults: [{ line: 1, remark: true }] } }).length, 0);
});

test("what answers a question that is not asked now stands under that question, what moves and what begins a plan does not", () => {
  const card = { said: "Which card?", now: true, verbs: ["card"] };
  const crown = { said: "Do you crown a king?", now: false, verbs: ["crown"] };
  const fight = { said: "How do you fight?", now: false, verbs: ["plan any:", "fire", "hits"] };
  const hit = { said: "Which is hit first?", now: false, verbs: ["hits"] };
  const moves = { said: "Which blocks move?", now: false, verbs: ["move", "main attack"] };
  const all = ["card 2", "crown Bruce", "hits Wallace", "fire", "move Wallace", "main attack Fife", "if ____: ", "plan ____:"];
  const found = all.map((line) => offer(/^(main attack|\w+)/.exec(line)[0], line));
  const lines = (some) => some.map((one) => one.line);
  const [later, first] = laterOf(found, [card, crown, hit, moves, fight]);
  assert.deepEqual(lines(first), ["card 2", "move Wallace", "main attack Fife", "if ____: ", "plan ____:"]);
  assert.deepEqual(later.map(([question, some]) => [question, lines(some)]),
    [["Do you crown a king?", ["crown Bruce"]], ["Which is hit first?", ["hits Wallace"]], ["How do you fight?", ["fire"]]]);
  assert.deepEqual(laterOf(found, [card, crown, { ...fight, now: true }, hit, moves])[0].map(([question]) => question), ["Do you crown a king?"]);
});

test("no word of the catalogue takes the place of another", async () => {
  const text = await readFile(new URL("../../../pbem/web/site/words.js", import.meta.url), "utf8");
  const names = [...text.matchAll(/^ {2}(\w+):/gm)].map(([, name]) => name);
  assert.deepEqual(names.filter((name, place) => names.indexOf(name) !== place), []);
});
