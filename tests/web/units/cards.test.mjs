import { test } from "node:test";
import assert from "node:assert/strict";
import { asked, cardsOf, face, inShort, isSeveral, letters, listed } from "../../../pbem/web/site/cards.js";
import { words } from "../../../pbem/web/site/words.js";

const fight = {
  said: "Does a block fight, pass or retreat in Annan? (5.31) Possible: fire Bruce / pass Bruce / retreat Bruce to Carrick. If you say nothing: fire Bruce.",
  now: true, verbs: ["fire", "pass", "retreat"],
};
const offer = (verb, name) => ({ verb, name, clause: "", line: `${verb} ${name}` });

test("all that is possible is a card, not only what begins with the first verb", () => {
  assert.deepEqual(cardsOf([offer("fire", "Bruce")], fight).map((one) => one.line), ["fire Bruce", "pass Bruce", "retreat Bruce to Carrick"]);
  assert.deepEqual(listed("Which? Possible: card 1 / card 2."), ["card 1", "card 2"]);
  assert.deepEqual(listed("Which blocks move? For example: move Wallace. If you say nothing: you are asked later."), []);
});

test("where nothing is listed the offers are the cards, of all verbs if they are few, and too many are none", () => {
  const turn = { said: "Your turn: what do you recruit or muster, best first?", now: true, verbs: ["recruit", "muster"] };
  const few = [offer("recruit", "1"), offer("muster", "forsyth-7"), offer("claim", "scott-1"), offer("muster", "")];
  assert.deepEqual(cardsOf(few, turn).map((one) => one.line), ["recruit 1", "muster forsyth-7"]);
  const many = Array.from({ length: 16 }, (_, place) => offer("muster", `scott-${place}`));
  assert.deepEqual(cardsOf([...few, ...many], turn).map((one) => one.line), ["recruit 1"]);
  assert.deepEqual(cardsOf([...many, ...many], { ...turn, verbs: ["muster"] }), []);
  assert.deepEqual(cardsOf(few, { ...turn, verbs: [] }), []);
  const lies = { "recruit 1": { about: "place 1", added: "scott-1" } }; // face up, and offered itself
  assert.deepEqual(cardsOf([...few, offer("recruit", "scott-1")], turn, lies).map((one) => one.line), ["muster forsyth-7", "recruit scott-1"]);
});

test("moves are taken on the map, and no cards", () => {
  const moves = { said: "Which blocks move? For example: move Wallace from Fife to Atholl.", now: true, verbs: ["move", "main"] };
  assert.deepEqual(cardsOf([offer("move", "Wallace"), offer("main", "Fife")], moves), []);
});

test("a card bears its number large, and where it goes below", () => {
  assert.deepEqual(face(offer("muster", "forsyth-7")), ["muster", "7", "forsyth"]);
  assert.deepEqual(face(offer("retreat", "Bruce to Carrick")), ["retreat", "Bruce", "to Carrick"]);
  assert.deepEqual(face(offer("card", "sea move")), ["card", "sea move", ""]);
  assert.deepEqual(["7", "none", "highland noble", "strategic victory"].map(letters), ["number", "", "smaller", "smallest"]);
});

test("what is asked now is answered by cards; where nothing is, all that may be ordered", () => {
  const later = { ...fight, now: false };
  assert.deepEqual(asked([later, fight]), [fight]);
  assert.deepEqual(asked([later]), [later]);
});

test("a question is one sentence, and what else is said of it comes after", () => {
  assert.deepEqual(inShort("Which card? (3.1) Possible: card 1."), ["Which card?", "(3.1) Possible: card 1."]);
  assert.deepEqual(inShort("Say what you like."), ["Say what you like.", ""]);
  assert.ok(isSeveral("what do you muster, best first?") && isSeveral("Which Units do you deploy?") && !isSeveral("Which card do you play?"));
});

test("a card bears what its game says of it, and else what its line says", () => {
  assert.deepEqual(face(offer("recruit", "2"), { about: "place 2", added: "face-down" }), ["recruit", "place 2", "face-down"]);
  assert.deepEqual(face(offer("card", "2"), { about: "", added: "2 groups move", copies: 3 }), ["card", "2", "2 groups move"]);
});

test("what silence means is said in words where it is no order", () => {
  assert.equal(words.plain("Which? (4.2) For example: done / move Wallace. If you say nothing: done."), "Which? (4.2) For example: done / move Wallace. If you say nothing, you do nothing more here.");
  assert.match(words.unsent("Friday", "done"), /If nothing comes by Friday, you do nothing more here\.$/);
  assert.match(words.unsent("Friday", "card 2"), /this is played for you: card 2\.$/);
  assert.equal(words.plain("Which? If you say nothing: you are asked later."), "Which? If you say nothing: you are asked later.");
});
