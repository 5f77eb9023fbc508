"""What a league writes of its own accord: the week, and that a round ends soon. Each once."""

from __future__ import annotations

from datetime import timedelta

import pytest

from pbem.judge.leagues import steps
from pbem.judge.leagues.status import send_digests, waiting_decisions
from pbem.judge.tables.database import PlayerRow
from pbem.leagues.model import Ending, outcome_text
from pbem.leagues.statements import WITHDRAW, Places
from pbem.mail.envelope import about, envelope_of
from tests.leagues.world import Called, Entered, World, file_of, key_of

MAIL = {"mail": {"address": "judge@club.example", "outbox": {"host": "127.0.0.1"}}}
FILE = file_of("swiss", rounds="count = 2\ndays = 40\nwarn_days = 10")


@pytest.fixture
def two(entered: Entered) -> World:
    """Ann and ben, whose game of the first round is open; the director has an address as well."""
    world = entered(FILE)
    world.club.settings = MAIL
    for name in ("ann", "ben", "dora"):
        world.club.add_player(name, key_of(name).public, f"{name}@example.org")
    assert list(send_digests(world.club)) == []
    world.enter("ann", "ben")
    world.after(31)
    world.seat()
    return world


def written(world: World, part: str) -> dict[tuple[str, str], str]:
    """Player and name -> text, of the letters of one sort."""
    return {(one.player, one.name): one.text for one in world.club.store.letters() if f"-{part}-" in one.name}


def test_the_week_is_told_once_to_players_and_director(two: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """On the first pass of its day or after; a judge that dies meanwhile repeats and loses nothing."""
    add, left = two.club.store.add_letter, [2]

    def dying(*values: object, **more: object) -> None:
        left[0] -= 1
        if not left[0]:
            raise KeyboardInterrupt
        add(*values, **more)  # type: ignore[arg-type]

    with monkeypatch.context() as patch:
        patch.setattr(two.club.store, "add_letter", dying)
        with pytest.raises(KeyboardInterrupt):
            list(send_digests(two.club))
    assert written(two, "week-of") == {}
    assert "2 players and the director" in next(send_digests(two.club)).text
    assert list(send_digests(two.club)) == []
    told = {player: text for (player, _), text in written(two, "week-of").items()}
    assert set(told) == {"ann", "ben", "dora"}
    assert "cup-r1-1: you " in told["ann"]
    assert "waiting for ann and ben, until 2027-02-0" in told["ann"]
    assert "place  player  points  games" in told["ann"]
    assert "ann: enter" in told["dora"]
    assert "round 1 is drawn: 1 games, 0 byes" in told["dora"]
    assert "For you to decide\n\nNothing." in told["dora"]
    letter = next(one for one in two.club.store.letters() if "-week-of-" in one.name)
    assert about(envelope_of(letter)).said == "the week"

    two.later(7)
    next(send_digests(two.club))
    latest = {player: text for (player, name), text in written(two, "week-of").items() if "-02-" in name}
    assert "Nothing has happened." in latest["dora"]
    assert "The week" not in latest["ann"]

    with two.club.store.step():
        two.club.store.put_player(PlayerRow("dora", key_of("dora").public.line, ""))
    for watch in ({}, {"watch": {"address": "gm@club.example"}}):
        two.later(7)
        two.club.settings = MAIL | watch
        next(send_digests(two.club))
    (summary,) = [one for one in two.club.store.letters() if not one.player]
    assert (summary.address, summary.text[:9]) == ("gm@club.example", latest["dora"][:9])


def test_each_letter_says_what_comes_next_and_when(two: World) -> None:
    """Once, at its end; a letter that a league is over says nothing of the kind."""
    told = [one.text for one in two.club.store.letters() if "-notice-" in one.name]
    assert told
    assert all(text.count("\nNext: ") == 1 for text in told)
    assert "\nNext: the league waits for answers of ann, ben for the draw of round 1 until 2027-" in told[0]
    two.rule("extend", "1", "2028-01-01T20:00:00Z")
    latest = [one.text for one in two.club.store.letters() if "-notice-" in one.name][-1]
    assert latest.endswith("Next: 1 game goes on in round 1, until 2028-01-01T20:00:00Z at the latest.\n")
    two.rule("cancel")
    latest = [one.text for one in two.club.store.letters() if "-notice-" in one.name][-1]
    assert "Next" not in latest


def to(world: World, player: str) -> list[str]:
    """What the letters to somebody say, oldest first."""
    return [one.text for one in world.club.store.letters_to(world.book.name, player)]


def test_who_bids_is_told_whom_they_meet(called: Called) -> None:
    """A bid depends on it."""
    world = called(file_of("swiss", more='[sides]\nby = "bids"', rounds="count = 1"), "ann", "ben", "cat")
    world.answer()
    world.run()
    (pair,) = world.book.season.rounds[0].pairings.pairs
    for player in pair.players:
        (other,) = (one for one in pair.players if one != player)
        asked = to(world, player)[-1]
        assert "for the seats of round 1" in asked
        assert f"\nYou meet {other} in cup-r1-1.\n" in asked


@pytest.mark.parametrize("how", ["withdraw", "expel", "silent"])
def test_whoever_meets_somebody_who_has_left_is_told_how_long_their_place_waits(
    called: Called, how: str
) -> None:
    """Once only the director saw it; and where the game was not open yet, the other waited for it in vain."""
    more = '[sides]\nby = "bids"'
    world = called(
        file_of("swiss", more=more, rounds="count = 1", waits=(1, 7, 7)), "ann", "ben", "cat", "dan"
    )
    world.answer()
    world.run()
    pair = next(one for one in world.book.season.rounds[0].pairings.pairs if "ann" in one.players)
    (other,) = (one for one in pair.players if one != "ann")
    if how == "withdraw":
        world.say("ann", WITHDRAW)
    elif how == "expel":
        world.rule("expel", "ann")
    else:
        world.answer(one for one in ("ben", "cat", "dan"))
        world.after(6)
    left = world.book.season.members["ann"].left_at
    assert left is not None
    until = f"{left + timedelta(days=7):%Y-%m-%dT%H:%M:%SZ}"
    line = f"ann has left: their place in {pair.game} waits for a substitute until {until}.\n"
    assert sum(line in text for text in to(world, other)) == 1
    assert not any(line in text for one in ("ben", "cat", "dan") if one != other for text in to(world, one))
    world.seat()
    world.after(8)
    assert f"forfeited: {other} beats ann" in to(world, other)[-1], "a game that was never opened"


def test_a_place_that_does_not_wait_is_lost_at_once_and_so_it_is_told(two: World) -> None:
    two.say("ann", WITHDRAW)
    assert "ann has left, and loses cup-r1-1.\n" in to(two, "ben")[-1]


def test_the_letter_with_all_results_says_what_comes_after_the_appeals(called: Called) -> None:
    file = file_of("swiss", rounds="count = 2\ndays = 100\ngap_days = 3", waits=(0, 0, 7))
    world = called(file, "ann", "ben")
    for then in ("round 2 is drawn at {}", "the league is over"):
        world.seat()
        world.end_games()
        until = f"{world.clock() + timedelta(days=7):%Y-%m-%dT%H:%M:%SZ}"
        drawn = f"{world.clock() + timedelta(days=10):%Y-%m-%dT%H:%M:%SZ}"
        told = to(world, "ann")[-1]
        assert f"Next: all games of round {len(world.book.season.rounds)} have results, " in told
        assert f"and players can appeal until {until}; then {then.format(drawn)}.\n" in told
        assert "conceded: ann beats ben" in told or "forfeited: ann beats ben" in told
        for days in (7, 3):
            world.after(days)


def test_the_end_of_a_large_league_tells_everybody_the_first_and_themselves(
    called: Called, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The whole table to each would grow with the square."""
    monkeypatch.setattr(steps, "WHOLE_TABLE", 1)
    world = called(file_of("swiss", count=1), "ann", "ben")
    world.seat()
    world.end_games()
    for name, row, other in (("ann", ",1,ann,1,1", ",2,ben"), ("ben", ",2,ben,1,0", "")):
        told = to(world, name)[-1]
        assert "cup is over" in told
        assert "The first 1 of 2" in told
        assert ",1,ann,1,1" in told
        assert f"\nYou:\n{row}" in told
        assert not other or other not in told


@pytest.mark.parametrize(
    ("ending", "places", "told"),
    [
        (Ending.PLAYED, (("ann", 2), ("ben", 1)), "played: ben beats ann"),
        (Ending.ADJUDICATED, (("ann", 1), ("ben", 1)), "adjudicated: ann and ben draw"),
        (Ending.ANNULLED, (("ann", 1), ("ben", 1)), "annulled: ann and ben"),
        (Ending.PLAYED, (("ann", 2), ("ben", 1), ("cat", 2)), "played: ben 1st, ann 2nd, cat 2nd"),
        (Ending.PLAYED, (("a", 5), ("b", 4), ("c", 3), ("d", 1)), "played: d 1st, c 3rd, b 4th, a 5th"),
    ],
)
def test_an_outcome_in_words_says_who_has_won(ending: Ending, places: Places, told: str) -> None:
    """`ann 1, ben 2` could be points as well as places."""
    assert outcome_text(ending, places) == told


@pytest.mark.parametrize(
    ("data", "settings"), [(FILE + b'[digest]\nday = "never"\n', MAIL), (FILE, {})], ids=["never", "no mail"]
)
def test_without_mail_or_wish_no_week_is_told(
    entered: Entered, data: bytes, settings: dict[str, object]
) -> None:
    world = entered(data)
    world.club.settings = settings
    for _ in range(4):
        assert list(send_digests(world.club)) == []
        world.later(7)
    assert written(world, "week-of") == {}


@pytest.mark.ci
def test_before_its_last_date_a_round_warns_once(two: World) -> None:
    """Those whose games go on, and the director's status; again only if the last date is moved."""
    until = two.book.season.rounds[0].last_date
    assert list(waiting_decisions(two.club)) == []
    two.clock.now = until - timedelta(days=10, seconds=1)
    assert two.run() == []
    two.later(1)
    (done,) = two.run()
    assert "2 players are warned" in done.text
    told = written(two, "last-date")
    assert {player for player, _ in told} == {"ann", "ben"}
    assert all("decided by the director" in text for text in told.values())
    (soon,) = waiting_decisions(two.club)
    assert not soon.waits
    assert "not over: cup-r1-1 (" in soon.text
    two.later(1)
    assert two.run() == []
    two.rule("extend", "1", f"{until + timedelta(days=30):%Y-%m-%dT%H:%M:%SZ}")
    assert list(waiting_decisions(two.club)) == []
    assert two.run() == []
    two.later(30)
    assert "2 players are warned" in two.run()[-1].text
    two.end_games()
    assert list(waiting_decisions(two.club)) == []
    assert len(written(two, "last-date")) == 4


@pytest.mark.ci
def test_a_league_whose_ledger_is_damaged_stops_nothing_else(two: World) -> None:
    """The judge, the week's letter and the status say so, or leave it alone; none of them dies of it."""
    two.later(7)
    two.club.store._change("UPDATE league_entry SET text = x'00' WHERE number = 2")
    two.club.store._change("UPDATE league SET due = '2027-01-01T00:00:00Z'")
    two.club.leagues.forget("league.cup")
    (done,) = two.run()
    assert done.is_stopped
    assert done.league == "cup"
    assert list(send_digests(two.club)) == []
    (need,) = waiting_decisions(two.club)
    assert need.text.startswith("stopped: ")


def test_who_has_left_is_not_told_that_they_have_no_game(called: Called) -> None:
    """Of five who are asked ann goes before the draw, and four play."""
    world = called(FILE, "ann", "ben", "cat", "dan", "eve")
    world.answer()
    world.leaves("ann")
    assert len(world.book.season.rounds) == 1
    assert not [one for one in world.club.store.letters_to("league.cup", "ann") if "no game" in one.text]
