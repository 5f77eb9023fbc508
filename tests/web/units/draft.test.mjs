import { test } from "node:test";
import assert from "node:assert/strict";
import * as drafts from "../../../pbem/web/site/draft.js";

const written = (...said) => said.reduce((draft, one) => drafts.append(draft, one), drafts.createDraft(""));
const told = (draft) => drafts.rows(draft.text).map((row) => row.said);

test("what is appended stands below everything", () => {
  assert.equal(written("card 2", "move Wallace to Mar").text, "card 2\nmove Wallace to Mar");
});

test("undo and redo go through all that was changed, and back", () => {
  const draft = written("card 2", "move Wallace to Mar", "battles Mar");
  const back = drafts.undo(drafts.undo(draft));
  assert.deepEqual(told(back), ["card 2"]);
  assert.equal(drafts.redo(drafts.redo(back)).text, draft.text);
  assert.equal(drafts.redo(draft), draft);
  assert.equal(drafts.undo(drafts.createDraft("card 1")).text, "card 1");
});

test("whoever changes something after an undo cannot redo", () => {
  const back = drafts.undo(written("card 2", "move Wallace to Mar"));
  const other = drafts.put(drafts.append(back, ""), "move Bruce to Mar");
  assert.equal(other.future.length, 0);
  assert.equal(drafts.redo(other), other);
});

test("all that is typed at a time is undone at once", () => {
  const typed = ["c", "ca", "card 1"].reduce((draft, text) => drafts.typed(draft, text, 0), drafts.createDraft(""));
  assert.equal(drafts.undo(typed).text, "");
});

test("a row goes with all that stands in it", () => {
  const draft = drafts.createDraft("card 2\nif Fife is attacked:\n    move Wallace to Fife\nend\nmove Bruce to Mar");
  const [, heading] = drafts.rows(draft.text);
  assert.equal(drafts.remove(draft, heading.at).text, "card 2\nmove Bruce to Mar");
});

test("rows change places with all that stands in them, and only at their own depth", () => {
  const draft = drafts.createDraft("card 2\nplan any:\n    pass\nend\nmove Bruce to Mar");
  const found = drafts.rows(draft.text);
  assert.deepEqual(found.map((row) => [row.number, row.depth]), [[1, 0], [2, 0], [3, 1], [4, 0]]);
  assert.equal(drafts.move(draft, found[3].at, -1).text, "card 2\nmove Bruce to Mar\nplan any:\n    pass\nend");
  assert.equal(drafts.move(draft, found[2].at, -1), draft);
  assert.equal(drafts.move(draft, found[0].at, -1), draft);
  for (const [place, way, at] of [[0, 1, 3], [1, 1, 2], [1, -1, 0], [3, -1, 1]]) assert.equal(drafts.move(draft, found[place].at, way).at, at, "the line at hand is the one that was moved");
});

test("a line of one plan and a line of the next do not change places", () => {
  const draft = drafts.createDraft("plan any:\n    pass\nend\nplan Mar:\n    fire\nend");
  assert.equal(drafts.move(draft, 1, 1), draft);
  assert.equal(drafts.move(draft, 4, -1), draft);
});

test("notes and ends are no rows, and an end that is missing ends nothing", () => {
  assert.deepEqual(told(drafts.createDraft("note hello\ncard 1\n\nend\nif x:\nmove A to B")), ["card 1", "if x:", "move A to B"]);
});

test("a line that was only begun by a tap gives way to the next", () => {
  const begun = drafts.begin(drafts.createDraft("card 2"), "move Wallace", true);
  assert.equal(drafts.begin(begun, "move Bruce", true).text, "card 2\nmove Bruce");
  assert.equal(drafts.begin(drafts.put(begun, "move Wallace to Mar"), "move Bruce").text, "card 2\nmove Wallace to Mar\nmove Bruce");
});

test("a line within a plan stands within its heading, one below its end does not", () => {
  const draft = drafts.createDraft("card 2\nplan any:\n    fire\n    \nend\n");
  assert.deepEqual([0, 1, 2, 3, 5].map((at) => drafts.depthAt(drafts.goTo(draft, at))), [0, 0, 1, 1, 0]);
});
