"""Whoever stops, and the end: how long a league waits, by its file, and that its audit asks the same."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest

from pbem.errors import PbemError
from pbem.judge.leagues.book import load_league
from pbem.judge.leagues.games import ClubGames
from pbem.judge.leagues.status import waiting_decisions
from pbem.leagues import results_table, scheduler
from pbem.leagues.entries import BY_LEAVING, Ended, RoundOver
from pbem.leagues.news import recent_events_of
from pbem.leagues.results_table import view
from pbem.leagues.round_drawing import ladder
from pbem.leagues.statements import ABSENT, APPEAL, CHALLENGE, WITHDRAW
from pbem.leagues.timeouts import SILENT, longest_run
from tests.leagues.world import NAME, Called, World, file_of, play_round, refuted

FOUR = ("ann", "ben", "cat", "dan")
Make = Callable[..., World]


@pytest.fixture
def begun(called: Called) -> Make:
    """Makes a league with the waits that are asked for, whose first draw is called for."""

    def make(
        silent: int = 0,
        replace: int = 0,
        appeals: int = 0,
        *,
        players: tuple[str, ...] = FOUR,
        form: str = "swiss",
        count: int = 2,
    ) -> World:
        return called(file_of(form, count=count, waits=(silent, replace, appeals)), *players)

    return make


def but(world: World, silent: str) -> list[str]:
    """Who is asked by the open call, without one."""
    call = world.book.season.call
    assert call is not None
    return [player for player in call.asked if player != silent]


def is_over(world: World) -> bool:
    return world.book.season.is_over


def last_result(world: World) -> int:
    """The number of the entry."""
    return max(at for at, one in enumerate(world.book.entries, 1) if isinstance(one, Ended))


def test_the_last_result_can_be_appealed_and_corrected(begun: Make) -> None:
    """Result, end of round and end of league were once entered in one pass."""
    world = begun(appeals=7, count=1)
    play_round(world)
    assert not is_over(world)
    letters = [one.text for one in world.club.store.letters_to(world.book.name, "ben")]
    assert any(f"\nentry {last_result(world)}: pairing " in one for one in letters), "what an appeal names"
    world.after(6)
    assert not is_over(world)
    assert world.say("ben", APPEAL, entry=last_result(world), reason="it was a draw").is_accepted
    pair = world.book.season.rounds[0].pairings.pairs[0]
    (waits,) = scheduler.decisions(world.book.season, world.clock(), world_games(world))
    assert f"entry {last_result(world)}, the result of cup-r1-" in waits.text
    world.after(4)
    assert not is_over(world), "the appeal is waited for"
    world.rule("correct", "1", str(pair.number), "adjudicated", *(f"{one}=1" for one in pair.players))
    (appeal,) = world.book.season.appeals
    assert [one.answer for one in view(world.book.season).appeals] == [""]
    keys = {key for key, _, _ in view(world.book.season).dates}
    assert keys == {"entries", "call-1", "appeals-1", f"appeal-{appeal}"}, "for the calendar"
    world.rule("answer", str(appeal), "upheld", reason="so it was")
    letters = [one.text for one in world.club.store.letters_to(world.book.name, "ann")]
    assert any("ben had appealed against entry" in one for one in letters)
    (told,) = view(world.book.season).appeals
    assert (told.number, told.reason, told.answer) == (appeal, "it was a draw", "upheld by dora: so it was")
    assert f"appeal {appeal}" in {one.key for one in recent_events_of(world.book.season)}, "answered or not"
    world.after(6)
    assert not is_over(world), "a correction opens the days once more"
    world.after(2)
    assert is_over(world)
    assert not refuted(world)


def test_an_appeal_that_nobody_answered_is_refused_and_leaves_the_status(begun: Make) -> None:
    """Two rounds, so that the league goes on after the first."""
    world = begun(appeals=7, count=2)
    play_round(world)
    assert world.say("ben", APPEAL, entry=last_result(world), reason="it was a draw").is_accepted
    (asked,) = waiting_decisions(world.club)
    assert "ben appeals" in asked.text
    assert "appeal-" in str(view(world.book.season).dates)
    world.after(8)
    assert not [one for one in waiting_decisions(world.club) if "appeals" in one.text]
    (told,) = view(world.book.season).appeals
    assert "nobody has answered it within 5 days" in told.answer
    keys = [one.key for one in view(world.book.season).news]
    assert len(set(keys)) == len(keys)
    assert {"begin", "round 1 drawn", "result 1 1", f"appeal {told.number}", "round 1 over"} <= set(keys)


@pytest.mark.ci
def test_nobody_stalls_the_end_with_appeals_or_corrections(begun: Make) -> None:
    world = begun(appeals=7, count=1)
    play_round(world)
    at, pair = last_result(world), world.book.season.rounds[0].pairings.pairs[0]
    begin = world.clock()
    assert world.say("ben", APPEAL, entry=at, reason="it was a draw").is_accepted
    with pytest.raises(PbemError, match="has appealed against entry"):
        world.say("ben", APPEAL, entry=at, reason="really")
    for day in range(40):
        if not is_over(world):
            world.say(FOUR[day % 4], APPEAL, entry=day + 1, reason="and this one")
            draw = [f"{one}={1 if day % 2 else place}" for place, one in enumerate(pair.players, 1)]
            world.rule("correct", "1", str(pair.number), "adjudicated", *draw)
            world.after(1)
    assert is_over(world)
    assert world.clock() - begin <= timedelta(days=7 + 5 + 7 + 5)


def test_an_end_before_the_days_of_appeals_is_refuted(begun: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    world = begun(appeals=7, count=1)
    with monkeypatch.context() as patch:
        patch.setattr(scheduler, "settled_at", lambda season, _: season.genesis.at)
        play_round(world)
    assert any(isinstance(one, RoundOver) for one in world.book.entries)
    assert any("the end of round 1" in one for one in refuted(world))


def test_a_place_waits_for_a_substitute_before_anything_is_lost(begun: Make) -> None:
    """The pass after a withdrawal once forfeited all open games."""
    world = begun(replace=10)
    world.seat()
    world.leaves("ann")
    state = world.book.season.rounds[0]
    assert len(state.unfinished_pairs) == 2
    assert any(
        "waits for a substitute" in text
        for text in map(str, scheduler.decisions(world.book.season, world.clock(), world_games(world)))
    )
    world.admit("eve", "ann")
    letters = [one.text for one in world.club.store.letters_to(world.book.name, "eve")]
    assert any("you take the place of ann" in one and "--person eve --chain 2" in one for one in letters)
    world.after(9)
    assert not [one for one in world.book.entries if isinstance(one, Ended)], "eve has the place"
    world.leaves("eve")
    world.after(1)
    (lost,) = (one for one in world.book.entries if isinstance(one, Ended))
    assert lost.by == BY_LEAVING, "a place waits once in a round"
    assert not refuted(world)


def world_games(world: World) -> scheduler.Games:
    return ClubGames(world.club, frozenset())


def test_a_loss_before_the_place_has_waited_is_refuted(begun: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    world = begun(replace=10)
    world.seat()
    world.say("ann", WITHDRAW, reason="no time")
    with monkeypatch.context() as patch:
        patch.setattr(scheduler, "vacant_until", lambda season, _: season.genesis.at)
        world.run()
    assert any("a result by leaving" in one for one in refuted(world))


@pytest.mark.ci
def test_who_is_silent_counts_as_withdrawn_and_is_drawn_no_more(begun: Make) -> None:
    """A silent entrant was once drawn in six rounds of six, and waited for in each call."""
    world = begun(silent=2, players=(*FOUR, "eve", "fay"), count=3)
    world.answer(but(world, "fay"))
    world.after(6)
    assert not world.book.season.members["fay"].leaving_reason
    world.end_games()
    world.answer(but(world, "fay"))
    world.later(6)
    told = [one.text for one in world.run()]
    season = world.book.season
    assert season.members["fay"].leaving_reason == SILENT
    assert any("withdrawn: fay" in one for one in told)
    assert all("fay" not in pair.players for pair in season.rounds[1].pairings.pairs)
    while not world.book.season.is_over:
        world.end_games()
        assert "fay" not in getattr(world.book.season.call, "asked", ())
        world.seat()
    assert {
        row.note for _, rows in results_table.tables(world.book.season) for row in rows if row.player == "fay"
    } == {"left"}
    assert not refuted(world)


@pytest.mark.ci
def test_who_was_silent_comes_back_by_a_ruling(begun: Make) -> None:
    """They are asked and drawn again, and can be silent again; who withdrew by their own word stays away."""
    world = begun(silent=1, players=(*FOUR, "eve", "fay"), count=4)
    world.answer(but(world, "fay"))
    world.after(6)
    assert world.book.season.members["fay"].leaving_reason == SILENT
    world.substitute("gus", "fay")
    assert [one.about for one in waiting_decisions(world.club) if "admit" in one.command] == ["gus"]
    world.rule("readmit", "fay", reason="the mail was down")
    assert world.book.season.members["fay"].unanswered_calls == 0, "the count begins anew"
    assert not [one for one in waiting_decisions(world.club) if "admit" in one.command]
    for ruling, name, why in (("readmit", "fay", "they were not silent"), ("admit", "gus", "plays again")):
        with pytest.raises(PbemError, match=why):
            world.rule(ruling, name)
    world.end_games()
    season = world.book.season
    assert season.call is not None
    assert "fay" in season.call.asked
    world.seat()
    assert any("fay" in pair.players for pair in world.book.season.rounds[1].pairings.pairs)
    world.say("ann", WITHDRAW)
    with pytest.raises(PbemError, match="they were not silent"):
        world.rule("readmit", "ann")
    while not world.book.season.is_over:
        world.end_games()
        if world.book.season.call is not None:
            world.answer(but(world, "fay"))
        world.after(6)
    assert world.book.season.members["fay"].leaving_reason == SILENT
    assert not refuted(world)


def test_nobody_returns_to_a_bracket(begun: Make) -> None:
    world = begun(silent=1, form="knockout")
    world.answer(but(world, "dan"))
    world.after(6)
    assert world.book.season.members["dan"].leaving_reason == SILENT
    with pytest.raises(PbemError, match="cannot return"):
        world.rule("readmit", "dan")


def test_silence_is_no_silence_where_something_came(begun: Make) -> None:
    """An answer or a word starts the count anew; a call that nobody answers counts for nobody."""
    world = begun(silent=2, count=2)
    world.after(6)
    assert {one.unanswered_calls for one in world.book.season.members.values()} == {0}
    world.end_games()
    world.answer(["ann", "ben", "cat"])
    world.after(6)
    assert world.book.season.members["dan"].unanswered_calls == 1
    world.say("dan", ABSENT, rounds=(9, 9))
    assert world.book.season.members["dan"].unanswered_calls == 0


def test_a_quiet_spell_does_not_end_a_ladder(begun: Make) -> None:
    """It once ended when nobody had challenged for one round's time."""
    world = begun(form="ladder", count=3)
    world.seat()
    for _ in range(3):
        world.after(90)
    assert not is_over(world)
    top, *_, last = ladder(world.book.season)
    assert world.say(last, CHALLENGE, of=top).is_accepted
    assert world.run(), "the challenge is drawn"


def test_letters_of_a_call_end_no_command_with_a_full_stop(begun: Make) -> None:
    """It was copied along with the command."""
    world = begun(silent=3)
    sent = [one.text for one in world.club.store.letters() if one.player == "ann"]
    text = next(one for one in sent if "pbem league reply cup" in one)
    assert "pbem league reply cup\n" in text
    assert "reply cup." not in text
    assert "A player who does not answer 3 calls in a row" in text


def test_the_top_of_a_ladder_is_not_absent_for_ever(begun: Make) -> None:
    world = begun(form="ladder", count=3)
    with pytest.raises(PbemError, match="on a ladder"):
        world.say("ann", ABSENT, rounds=(1, 999))
    assert world.say("ann", ABSENT, rounds=(2, 3)).is_accepted
    with pytest.raises(PbemError, match="on a ladder"):
        world.say("ann", ABSENT, rounds=(4, 4))
    assert longest_run([(1, 2), (4, 6), (5, 9), (12, 12)]) == 6
    assert load_league(world.club, NAME).season.members["ann"].absences == [(2, 3)]
