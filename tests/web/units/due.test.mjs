import { test } from "node:test";
import assert from "node:assert/strict";
import { byDue, nextOf, waitingOf } from "../../../pbem/web/site/due.js";

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

test("what waits is what is asked, in the order in which it is due", () => {
  const found = waitingOf(
    [game("a", "draft", "2027-01-09T00:00:00Z"), game("b", "receipted"), game("c", "over"), game("d", "refused", "2027-01-02T00:00:00Z")],
    [league("league.e", true, "2027-01-05T00:00:00Z"), league("league.f", true, "", true), league("league.g", false)],
  );
  assert.deepEqual(names(found), ["d", "league.e", "a"]);
});

test("what is asked is a file that is not there yet, or does not count", () => {
  const states = ["draft", "sealed", "to be sent", "refused", "late", "trouble", "sent", "receipted", "waiting", "joining", "over"];
  assert.deepEqual(names(waitingOf(states.map((one) => game(one, one)), [])).sort(), states.slice(0, 6).sort());
});

test("the next one is never where one is, and each one comes, also those that were passed over", () => {
  const waiting = [{ game: game("a", "draft") }, { league: league("league.b", true) }, { game: game("c", "draft") }];
  const next = (here) => [...names([nextOf(waiting, here)[0]]), nextOf(waiting, here)[1]];
  assert.deepEqual(next("#"), ["a", 3]);
  assert.deepEqual(next("#game/a"), ["league.b", 2]);
  assert.deepEqual(next("#league/league.b"), ["c", 2]);
  assert.deepEqual(next("#game/c"), ["a", 2]);
  assert.deepEqual(next("#game/sent"), ["a", 3]);
  assert.deepEqual(nextOf([{ game: game("a", "draft") }], "#game/a"), [undefined, 0]);
  assert.deepEqual(nextOf([], "#"), [undefined, 0]);
});
