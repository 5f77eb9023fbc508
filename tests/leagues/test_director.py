"""A director who enters what is not due: their own program does all else as it should, and all is signed.

Each one's bundle is whole, its draws are right and its tables follow from its results. The audit asks the
function that the judge asks (pbem.leagues.scheduler), at each entry, by the time and games of that moment.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path
from shutil import rmtree

import pytest

from pbem.audit import audit
from pbem.audit.bundle import read_bundle
from pbem.audit.findings import Findings, State
from pbem.audit.leagues import audit_league
from pbem.judge.agenda import read_agendas
from pbem.judge.export import export as export_game
from pbem.judge.leagues import games, steps
from pbem.judge.leagues.export import export
from pbem.judge.leagues.status import waiting_decisions
from pbem.leagues import scheduler
from pbem.leagues.calls import Call
from pbem.leagues.entries import BY_GAME, BY_RULE, Ended, Opened, Paired, Pairings
from pbem.leagues.model import Ending
from pbem.leagues.pages import pages
from pbem.leagues.results_table import view
from pbem.leagues.scheduler import Act, EnterResult, Games, OpenGame
from pbem.leagues.season import Season
from pbem.leagues.statements import ABSENT, WITHDRAW
from pbem.trust.entries import Open, Resolve
from tests.leagues.forging import Edit, rewritten
from tests.leagues.world import Entered, World, file_of

Patch = pytest.MonkeyPatch
ROUNDS = "count = 1\ndays = 100"
EVEN = '[unfinished]\nby = "draw"'


@dataclass
class Club:
    """A league of ann and ben, and where what it gives is put."""

    world: World
    folder: Path
    patch: Patch

    @contextmanager
    def cheating(self) -> Iterator[Patch]:
        """The director's program is changed for a while; the audit's is not."""
        with self.patch.context() as patch:
            yield patch

    def begin(self) -> Paired:
        """All have entered, the seats are drawn, and the game is open."""
        self.world.after(31)
        self.world.seat()
        (pair,) = self.world.open_pairs()
        return pair

    def end(self) -> Findings:
        """What the audit says of the league and the game that it has opened."""
        self.world.run()
        assert self.world.book.season.is_over
        return self.audit()

    def audit(self, *, beside: bool = True) -> Findings:
        """The bundle's; with the games' beside it, or alone."""
        for name in ("bundle", "games"):
            rmtree(self.folder / name, ignore_errors=True)
        export(self.world.club, "cup", self.folder / "bundle")
        (self.folder / "games").mkdir()
        for entry in self.world.book.entries:
            if isinstance(entry, Opened):
                export_game(self.world.club, entry.game, "public", self.folder / "games" / entry.game)
        return audit(self.folder / "bundle", None, None, games=self.folder / "games" if beside else None)


@pytest.fixture
def two(tmp_path: Path, entered: Entered, monkeypatch: Patch) -> Club:
    """Both have entered; what is not over at the last date is a draw."""
    world = entered(file_of("swiss", rounds=ROUNDS, more=EVEN), "ann", "ben")
    return Club(world, tmp_path, monkeypatch)


def told(findings: Findings, state: State = State.REFUTED) -> str:
    return " | ".join(str(row) for row in findings.rows if row.state == state)


def is_over_for_nobody(patch: Patch) -> None:
    """The director does not want to know that a game is over."""
    patch.setattr(games.ClubGames, "ended_game", lambda *_: None)


def test_an_honest_season_is_proven(two: Club) -> None:
    pair = two.begin()
    two.world.concede(pair.game, "ben")
    findings = two.end()
    assert told(findings) == told(findings, State.MISSING) == ""
    assert findings.status == 0


def test_pages_of_a_league_that_is_over_say_so(two: Club) -> None:
    """What was conceded is called so, and nobody is told how to enter any more."""
    before = pages(view(two.world.book.season))
    assert b"pbem league enter cup" in before["rules.html"]
    pair = two.begin()
    assert b"Nobody can enter now: entries are closed." in pages(view(two.world.book.season))["rules.html"]
    two.world.concede(pair.game, "ben")
    two.end()
    made = {name: data.decode() for name, data in pages(view(two.world.book.season)).items()}
    assert "Nobody can enter now: cup is over." in made["rules.html"]
    assert "pbem league enter" not in made["rules.html"]
    assert "<p>It is over.</p>" in made["index.html"]
    assert "conceded" in made["round-1.html"]
    assert ">played<" not in made["round-1.html"]
    assert "conceded: ann beats ben" in made["feed.atom"]


def test_a_game_that_was_won_is_no_draw(two: Club) -> None:
    pair = two.begin()
    two.world.concede(pair.game, "ben")
    with two.cheating() as patch:
        is_over_for_nobody(patch)
        two.world.run()
        two.world.after(101)
    findings = two.end()
    assert f"has a result by rule; {pair.game} was over at 2027-02-01" in told(findings)
    assert told(two.audit(beside=False)) == "", "what its game says nobody has looked at"


def test_a_winner_who_leaves_has_won(two: Club) -> None:
    pair = two.begin()
    two.world.concede(pair.game, "ben")
    two.world.later(1)
    two.world.say("ann", WITHDRAW)
    with two.cheating() as patch:
        is_over_for_nobody(patch)
        two.world.run()
    findings = two.end()
    assert f"has a result by leaving; {pair.game} was over" in told(findings)


def test_who_leaves_before_the_end_has_forfeited(two: Club) -> None:
    two.begin()
    two.world.say("ann", WITHDRAW)
    findings = two.end()
    assert (told(findings), findings.status) == ("", 0)


def test_a_game_that_was_never_opened_is_no_draw(two: Club) -> None:
    honest = scheduler.next_act

    def never(season: Season, now: datetime, games: Games) -> Act | None:
        act = honest(season, now, games)
        if not isinstance(act, OpenGame):
            return act
        state = season.rounds[-1]
        if now < state.last_date:
            return None
        places = tuple((player, 1) for player in act.pair.players)
        ended = Ended(round=1, pairing=1, ending=Ending.ADJUDICATED, by=BY_RULE, places=places, at=now)
        return EnterResult(ended)

    two.world.later(31)
    with two.cheating() as patch:
        patch.setattr(steps, "next_act", never)
        two.world.run()
        two.world.seat()
        two.world.after(101)
    assert "what is due for pairing 1 of round 1" in told(findings := two.end())
    assert "is that cup-r1-1 is opened" in told(findings)


def test_a_call_is_open_as_long_as_the_file_says(two: Club) -> None:
    two.world.later(29)
    two.world.say("ann", ABSENT, rounds=(9, 9))
    two.world.later(2)
    with two.cheating() as patch:
        patch.setattr(steps, "timedelta", lambda days: timedelta(seconds=days and 1))
        two.world.run()
        two.world.after(1 / 24)
    two.world.later(101)
    assert "the call is open for less than 5 days" in told(two.end())


def test_a_call_is_closed_when_all_have_answered_or_its_deadline_has_passed(two: Club) -> None:
    """A director closes before ben has answered: the draw without his step suits a friend."""
    two.world.after(31)
    two.world.answer(["ann"])
    two.world.run()
    assert two.world.book.season.call is not None, "it waits for ben"
    with two.cheating() as patch:
        patch.setattr(Call, "waiting", property(lambda _: ()))
        assert list(steps.run_league(two.world.club, "cup"))
    assert "is nothing, not the close of call 1" in told(two.audit())


def test_a_league_with_all_its_entrants_may_start_before_entries_close(entered: Entered) -> None:
    file = file_of("swiss", rounds=ROUNDS, more=EVEN).replace(b"least = 2\n", b"least = 2\nmost = 2\n")
    world = entered(file, "ann", "ben")

    def waiting() -> list[str]:
        return [one.text for one in waiting_decisions(world.club)]

    (line,) = waiting()
    assert line.startswith("all 2 places are taken, and entries close at ")
    world.rule("start")
    assert waiting() == []


@pytest.mark.parametrize("days", [3, 30])
def test_it_begins_when_entries_are_closed(two: Club, days: int) -> None:
    two.world.later(days)
    with two.cheating() as patch:
        patch.setattr(scheduler, "_draw_due", lambda *_: two.world.clock.now)
        two.world.run()
        two.world.seat()
    (pair,) = two.world.open_pairs()
    two.world.concede(pair.game, "ben")
    assert "is nothing, not a call for draw of round 1 to ann, ben" in told(two.end())


def test_it_ends_when_all_its_rounds_are_played(two: Club, entered: Entered) -> None:
    """A league of two rounds that ends after one: its leader's friend keeps the cup."""
    world = entered(file_of("swiss", more=EVEN), "ann", "ben", folder="long")
    long = Club(world, two.folder / "long", two.patch)
    pair = long.begin()
    world.concede(pair.game, "ben")
    with long.cheating() as patch:
        patch.setattr(scheduler, "is_last", lambda _: True)
        world.run()
    assert "not the end of the league" in told(long.end())


def test_a_round_is_drawn_at_the_time_at_which_its_call_is_closed(two: Club) -> None:
    def later(**parts: object) -> Pairings:
        at, until = parts["at"], parts["until"]
        assert isinstance(at, datetime)
        assert isinstance(until, datetime)
        moved = {"at": at + timedelta(days=9), "until": until + timedelta(days=9)}
        return Pairings(**{**parts, **moved})  # type: ignore[arg-type]

    two.world.after(31)
    two.world.answer()
    with two.cheating() as patch:
        patch.setattr(steps, "Pairings", later)
        two.world.run()
    two.world.after(200)
    two.world.after(200)
    two.world.later(200)
    assert "has another time than the close of its call" in told(two.end())


# -- an honest judge who looks at the wrong moment


def test_a_game_that_has_ended_since_it_was_looked_at_has_its_own_result(two: Club) -> None:
    """Another command ends it while a pass goes on, on the last date."""
    pair = two.begin()
    two.world.later(101)
    before = read_agendas(two.world.club)
    two.world.concede(pair.game, "ben")
    list(steps.run_leagues(two.world.club, before))
    (ended,) = two.world.book.season.rounds[0].results.values()
    assert ended.by == BY_GAME
    findings = two.end()
    assert (told(findings), findings.status) == ("", 0)


@pytest.mark.parametrize("over", [False, True])
def test_a_game_that_cannot_be_read_is_not_decided(two: Club, *, over: bool) -> None:
    """Nobody knows whether it is over; the league says so, and waits."""
    pair = two.begin()
    if over:
        two.world.concede(pair.game, "ben")
    two.world.later(101)
    with two.world.club.store.step():
        two.world.club.store._change("UPDATE entry SET salt = 'x' WHERE game = ? AND number = 2", pair.game)
    two.world.reopen()
    done = two.world.run(damaged=True)
    assert any(one.is_stopped for one in done), done
    assert two.world.book.season.rounds[0].results == {}


# -- games that are not all there


def without(prefix: str) -> Callable[[Path], None]:
    """Take the files of a folder out of each game's bundle."""

    def take(games: Path) -> None:
        for game in games.iterdir():
            rmtree(game / prefix)

    return take


@pytest.mark.ci
@pytest.mark.parametrize("folder", ["checkpoints", "sealed"])
def test_what_is_missing_in_a_game_is_missing_in_its_league(two: Club, folder: str) -> None:
    pair = two.begin()
    two.world.bots_play(pair.game, "random", exchanges=2)
    two.world.concede(pair.game, "ben")
    findings = two.end()
    assert (told(findings), findings.status) == ("", 0)
    without(folder)(two.folder / "games")
    alone = audit(two.folder / "games" / pair.game)
    beside = audit(two.folder / "bundle", games=two.folder / "games")
    assert alone.status == beside.status == 4
    assert f"of {pair.game}" in told(beside, State.MISSING)


def no_last_resolve(two: Club) -> Edit:
    """Drops the resolution of the last call; what follows from it stays."""
    last = len(two.world.book.season.calls)
    return lambda one: None if isinstance(one, Resolve) and one.exchange == last else one


def no_deadline(two: Club) -> Edit:
    """Leaves out until when the first call is open."""
    return lambda one: replace(one, deadline=None) if isinstance(one, Open) and one.exchange == 1 else one


@pytest.mark.parametrize("edit", [no_last_resolve, no_deadline])
def test_what_no_season_can_have_is_refuted_where_it_stands(two: Club, edit: Callable[[Club], Edit]) -> None:
    """All is signed again: what is at fault is the ledger, and the audit says so to the end."""
    pair = two.begin()
    two.world.concede(pair.game, "ben")
    two.end()
    known = read_bundle(two.folder / "bundle").known_files
    findings = audit_league(rewritten(known, two.world.club.key, edit(two)))
    assert findings.is_refuted
    assert "cannot stand there" in told(findings)
