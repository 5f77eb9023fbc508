import { test } from "node:test";
import assert from "node:assert/strict";
import { byDue } from "../../../pbem/web/site/due.js";

const game = (name, state, deadline = "") => ({ game: name, state, deadline });
const league = (name, asked, due = "", over = false) => ({ league: name, asked, due, over, trouble: "" });
const names = (found) => found.map((one) => one.game?.game ?? one.league.league);

test("what is asked comes first, by its deadline, games and leagues in one list", () => {
  const found = byDue(
    [game("a", "over", "2027-01-01T00:00:00Z"), game("b", "receipted", "2027-01-02T00:00:00Z"), game("c", "draft", "2027-01-09T00:00:00Z"), game("d", "waiting")],
    [league("league.e", true, "2027-01-05T00:00:00Z"), league("league.f", false, "2027-01-01T00:00:00Z"), league("league.g", true, "", true)],
  );
  assert.deepEqual(names(found), ["league.e", "c", "league.f", "b", "d", "a", "league.g"]);
});

test("equal ones stand by their names, and what has no deadline after what has one", () => {
  assert.deepEqual(names(byDue([game("z", "draft"), game("y", "draft"), game("x", "draft", "2027-01-09T00:00:00Z")], [])), ["x", "y", "z"]);
});
