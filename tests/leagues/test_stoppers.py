"""Seasons in which people stop, are silent, come late, appeal and are replaced: each comes to a fair end.

By the judge's own functions; only how games end is a model. Everything that happens follows from the number
of the season. The slow suite plays 500 of them, up to 64 players.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import datetime, timedelta
from fractions import Fraction
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import pytest

from pbem.audit.bundle import read_bundle
from pbem.audit.findings import State
from pbem.audit.leagues import audit_league
from pbem.errors import PbemError
from pbem.judge.leagues.export import export
from pbem.leagues import results_table
from pbem.leagues.entries import BY_LEAVING, Ended, RoundOver, Said, Substituted
from pbem.leagues.formats import swiss
from pbem.leagues.formats.swiss import Field
from pbem.leagues.model import Ending, WithdrawalScoring
from pbem.leagues.season import Season, leavers_of, results_of, rounds_of
from pbem.leagues.standings import Scores
from pbem.leagues.statements import ABSENT, APPEAL, CHALLENGE, HALF_BYE, SUBSTITUTE, WITHDRAW
from pbem.leagues.timeouts import SILENT
from tests.leagues.simulated import Simulation, modelled, strengths
from tests.leagues.world import World, file_of, make_world, take_reply

FORMATS = ("swiss", "knockout", "sections", "ladder")
LEAVERS = ("annulled", "half-played", "open-lost")
ANNULLED = ("0", "1/2", "1")
SILENT_CALLS, REPLACE, APPEALS, ANSWER, DRAW, DAYS = 3, 7, 7, 5, 5, 100
STEP = 3
"""Days between two looks of the judge."""
HALF_BYES = 1
ROUND = 2 * (DRAW + STEP) + DAYS + REPLACE + 2 * (APPEALS + ANSWER) + 5 * STEP
"""So many days a round lasts at most, by the file."""
MORE = """
[unfinished]
by = "draw"
[scoring]
leavers = "{leavers}"
annulled = "{annulled}"
"""


class Stoppers:
    """A season, looked at every few days."""

    def __init__(self, world: World, number: int, form: str, size: int) -> None:
        self.world = world
        self.fate = Random(f"stoppers {number}")
        self.back = Random(f"who comes back {number}")
        self.list = Random(f"who stands on the list {number}")
        self.wishes = Random(f"who wants half a point {number}")
        self.model = Simulation(world, strengths(size), f"stoppers {number}")
        self.never = {name for name in self.model.strengths if self.fate.random() < 0.08}
        self.model.absent = self.never
        self.form = form
        self.answered = 0
        self.happened: Counter[str] = Counter()

    def play(self) -> None:
        """From the entries to the end. Fails if it does not end in the time that the file allows."""
        self.model.enter()
        for _ in range(self.list.randrange(4)):
            self._list_one()
        rounds = 7 if self.form == "knockout" else 3
        for _ in range((rounds + 1) * ROUND // STEP):
            season = self.world.book.season
            if season.is_over:
                return
            self._answer(season)
            self._happen(self.world.book.season)
            self.world.later(STEP)
            self.model.run()
        raise AssertionError(f"it has not ended: {self.world.book.entries[-1].text!r}")

    def _answer(self, season: Season) -> None:
        call = season.call
        if call is None or self.answered == call.number:
            return
        self.answered = call.number
        book = self.world.book
        for player in call.asked:
            if (
                player not in self.never
                and self.fate.random() < 0.85
                and not season.members[player].leaving_reason
            ):
                with self.world.club.store.step():
                    assert take_reply(self.world.club, self.world.reply(player, book=book)).is_accepted
        self.model.run()

    def _try(self, what: str, player: str, **more: object) -> None:
        """Something said; whether it may be said now is the league's to say."""
        try:
            self.world.say(player, what, **more)
        except PbemError:
            self.happened[f"no {what}"] += 1
        else:
            self.happened[what] += 1

    def _happen(self, season: Season) -> None:
        number = len(season.rounds)
        there = sorted(name for name, one in season.members.items() if not one.leaving_reason)
        for name in there:
            fate = self.fate.random()
            if fate < 0.004:
                self._try(WITHDRAW, name, reason="no time")
            elif fate < 0.01:
                self._try(ABSENT, name, rounds=(number + 1, number + 1 + self.fate.randrange(3)))
            elif fate < 0.2 and self.form == "ladder" and len(there) > 1:
                self._try(CHALLENGE, name, of=self.fate.choice(there))
            if self.form == "swiss" and self.wishes.random() < 0.01:
                asked = number + self.wishes.randrange(3)
                self._try(HALF_BYE, name, rounds=(asked, asked))
        gone = sorted(leavers_of(season))
        if gone and self.fate.random() < 0.2:
            place, new = self.fate.choice(gone), f"new-{len(season.members)}"
            self._admit(new, place)
        self._enter_list()
        for name, one in sorted(season.members.items()):
            if one.leaving_reason == SILENT and self.back.random() < 0.5:
                self._readmit(name)
        self._object(self.world.book.season)

    def _admit(self, new: str, place: str) -> None:
        """The director admits somebody, unless the list goes before them."""
        try:
            self.world.substitute(new, place)
            self.world.rule("admit", new)
        except PbemError:
            self.happened["no substitute"] += 1
        else:
            self.model.strengths[new] = 1500
            self.happened["substitute"] += 1

    def _list_one(self) -> None:
        """One in four of the list is never heard of again."""
        new = f"list-{self.happened['list']}"
        self.happened["list"] += 1
        self.world.substitute(new)
        self.model.strengths[new] = 1500
        if self.list.random() < 0.25:
            self.never.add(new)

    def _enter_list(self) -> None:
        """Now and then somebody enters the list of substitutes, or leaves it."""
        if self.list.random() < 0.08:
            self._list_one()
        waiting = [name for name, one in self.world.book.season.offers.items() if one.is_listed]
        if waiting and self.list.random() < 0.02:
            self._try(WITHDRAW, self.list.choice(waiting))

    def _readmit(self, player: str) -> None:
        """Somebody who was silent is back, and answers from now on; nobody returns to a bracket."""
        try:
            self.world.rule("readmit", player)
        except PbemError:
            self.happened["no readmit"] += 1
        else:
            self.never.discard(player)
            self.happened["readmit"] += 1

    def _object(self, season: Season) -> None:
        """Appeals against results of this round; of three one is upheld, one dismissed, one not answered."""
        for at, one in enumerate(self.world.book.entries, 1):
            if not isinstance(one, Ended) or one.round != len(season.rounds) or self.fate.random() > 0.03:
                continue
            for player, _ in one.places[:1]:
                self._try(APPEAL, player, entry=at, reason="it was a draw")
        for number, said in sorted(self.world.book.season.appeals.items()):
            fate, entry = self.fate.randrange(9), self.world.book.entries[said.entry - 1]
            if fate == 0 and isinstance(entry, Ended) and entry.round == len(season.rounds):
                places = (f"{player}=1" for player, _ in entry.places)
                self.world.rule("correct", str(entry.round), str(entry.pairing), "adjudicated", *places)
                self.happened["correct"] += 1
            if fate < 2:
                self.world.rule("answer", str(number), "dismissed" if fate else "upheld")


def played(folder: Path, number: int, most: int) -> Iterator[Stoppers]:
    fate, form = Random(f"season {number}"), FORMATS[number % len(FORMATS)]
    size = fate.randint(3, most)
    leavers = LEAVERS[number // len(FORMATS) % len(LEAVERS)]
    more = MORE.format(leavers=leavers, annulled=ANNULLED[number % len(ANNULLED)])
    if form == "sections":
        more += f"[sections]\nsize = {max(3, size // 3)}\nfinal = {'true' if number % 8 == 2 else 'false'}\n"
    if form == "swiss":
        more += f'[swiss]\nstuck = "rematch"\nhalf_byes = {HALF_BYES}\n'
    entries = f"most = {2 * size + 40}" if form == "sections" else ""
    waits = (SILENT_CALLS, REPLACE, APPEALS)
    file = file_of(form, count=3, rounds=f"days = {DAYS}", more=more, entries=entries, waits=waits)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("secrets.token_bytes", bytes)
        world = make_world(folder, file)
        season = Stoppers(world, number, form, size)
        modelled(season.model, patch)
        with closing(world.club.store):
            with pytest.MonkeyPatch.context() as drawing:
                drawing.setattr(swiss, "_field", partial(_drawn_by_the_table, season, swiss._field))
                season.play()
            yield season


def _drawn_by_the_table(found: Stoppers, honest: Callable[..., Field], *parts: Any) -> Field:
    """A draw counts the points that the table shows at that moment."""
    got: Scores = parts[1]
    rows = {
        row.player: row.points for _, rows in results_table.tables(found.world.book.season) for row in rows
    }
    for name, played in got.items():
        assert rows[name] == sum((one.points for one in played), Fraction(0)), name
    found.happened["drawn by the table"] += 1
    return honest(*parts)


def check(found: Stoppers, folder: Path) -> None:
    """What holds for every season."""
    _nobody_waits_longer(found)
    _the_list_goes_in_order(found)
    _nobody_is_hurt_by_leavers(found.world.book.season)
    if found.form == "knockout":
        _further_is_higher(found.world.book.season)
    export(found.world.club, "cup", folder)
    _half_points_were_asked_for(found)
    rows = audit_league(read_bundle(folder)).rows
    assert not [f"{row.claim}: {row}" for row in rows if row.state is State.REFUTED]


def _nobody_waits_longer(found: Stoppers) -> None:
    season, late = found.world.book.season, timedelta(days=STEP)
    for call in season.calls:
        assert call.closed is not None
        assert call.closed.at is not None
        assert call.opened.deadline is not None
        assert call.closed.at <= call.opened.deadline + late
    results: dict[int, list[Ended]] = {}
    for one in found.world.book.entries:
        if isinstance(one, Ended):
            results.setdefault(one.round, []).append(one)
            pair = season.pair(one.round, one.pairing)
            holders = [_holders(season, player) for player in pair.players]
            left = [at for names in holders if (at := _left(season, names[0], one.at)) is not None]
            if one.by == BY_LEAVING and left:  # else they have come back since
                drawn = season.rounds[one.round - 1].pairings.at
                assert max(*left, drawn) <= one.at
                ends = [at for names in holders for name in names if (at := _left(season, name, one.at))]
                again = any(len(names) > 1 for names in holders)  # who has the place has to take the seat
                waited = max(max(left) + timedelta(days=REPLACE * (1 + again)), *ends, drawn)
                assert one.at <= waited + 3 * late + timedelta(days=DRAW)
        if isinstance(one, RoundOver) and one.round in results:
            last = max(result.at for result in results[one.round])
            most = timedelta(days=2 * (APPEALS + ANSWER))
            assert last + timedelta(days=APPEALS) <= one.at <= last + most + late
    for member in season.members.values():
        assert member.unanswered_calls <= SILENT_CALLS
        assert (member.leaving_reason == SILENT) <= (member.unanswered_calls in (SILENT_CALLS, 0)), (
            "0: they appealed later"
        )


def _nobody_is_hurt_by_leavers(season: Season) -> None:
    """Who stays has what each of their results gives; with a leaver it may be `annulled`, by the file."""
    rules, gone = season.file.scoring, leavers_of(season)
    bounds: dict[tuple[str, str], tuple[Fraction, Fraction]] = {}

    def add(division: str, player: str, *worth: Fraction) -> None:
        low, high = bounds.get((division, player), (Fraction(0), Fraction(0)))
        bounds[division, player] = low + min(worth), high + max(worth)

    for one in results_of(season):
        won = rules.forfeit if one.ending is Ending.FORFEITED else rules.win
        for seat, place in zip(one.seats, one.places, strict=True):
            worth = rules.draw if len({*one.places}) == 1 else won if place == 1 else rules.loss
            if one.ending is Ending.ANNULLED:
                worth = rules.annulled
            with_leaver = rules.leavers is not WithdrawalScoring.OPEN_LOST and gone & {
                seat.player for seat in one.seats
            }
            add(one.division, seat.player, worth, *([rules.annulled] if with_leaver else []))
    for drawn in rounds_of(season):
        for bye in drawn.byes:
            add(drawn.division, bye.player, rules.draw if bye.half else rules.bye)
    for division, rows in results_table.tables(season):
        for row in rows:
            if row.player not in gone:
                low, high = bounds.get((division, row.player), (Fraction(0), Fraction(0)))
                assert low <= row.points <= high, row.player


def _holders(season: Season, player: str) -> list[str]:
    """Who has had a place, one after the other."""
    names = [player]
    while names[-1] in season.successors:
        names.append(season.successors[names[-1]])
    return names


def _left(season: Season, name: str, before: datetime) -> datetime | None:
    at = season.members[name].left_at
    return at if at is not None and at <= before else None


def _the_list_goes_in_order(found: Stoppers) -> None:
    """Read from the entries alone: the first of the list who is free takes a place, in the days of the place.

    Later only where a correction has given the place something to play again, as in a bracket. And no game is
    lost while somebody on the list could have had the place in time.
    """
    season = found.world.book.season
    free: dict[str, datetime] = {}
    for one in found.world.book.entries:
        if isinstance(one, Said):
            said = one.statement(season.genesis.game)
            if said.say == SUBSTITUTE and not said.of:
                free[said.player] = one.at
            elif said.say == WITHDRAW:
                free.pop(said.player, None)
        elif isinstance(one, Substituted):
            since = season.members[one.of].left_at
            assert since is not None
            assert next(iter(free)) == one.player
            joined, last = free.pop(one.player), since + timedelta(days=REPLACE)
            again = max(
                (at for state in season.rounds for at in state.correction_times if at <= one.at), default=last
            )
            assert joined <= last, "who came in time"
            assert max(since, joined) <= one.at <= max(last, again) + timedelta(days=STEP)
            found.happened["from the list"] += 1
        elif isinstance(one, Ended) and one.by == BY_LEAVING:
            pair = season.pair(one.round, one.pairing)
            first = [at for player in pair.players if (at := _left(season, player, one.at)) is not None]
            late = any(len(_holders(season, player)) > 1 for player in pair.players)
            assert (
                late
                or not first
                or not any(at <= max(first) + timedelta(days=REPLACE) for at in free.values())
            )


def _half_points_were_asked_for(found: Stoppers) -> None:
    """Nobody has one unasked, or more than the file says, or in a round in which they play."""
    season = found.world.book.season
    for state in season.rounds:
        for name in state.pairings.half_byes:
            assert state.number in season.members[name].half_byes
            assert name not in {player for pair in state.pairings.pairs for player in pair.players}
    assert all(len(member.half_byes) <= HALF_BYES for member in season.members.values())


def _further_is_higher(season: Season) -> None:
    """In a cup who was in a later round stands above who was not, but for those who have left.

    Who is admitted for somebody who left before the first draw was in none.
    """
    last = {
        season.name_now(player): state.number
        for state in season.rounds
        for player in (
            *(one for pair in state.pairings.pairs for one in pair.players),
            *(one for _, one in state.pairings.byes),
        )
    }
    rows = [row for _, table_rows in results_table.tables(season) for row in table_rows if not row.note]
    for one in rows:
        for other in rows:
            if last.get(one.player, 0) > last.get(other.player, 0) > 0:
                assert one.place < other.place, (one.player, other.player)


@pytest.mark.ci
@pytest.mark.parametrize("number", range(30))
def test_a_season_with_stoppers_ends_fairly(number: int, tmp_path: Path) -> None:
    for found in played(tmp_path, number, 10):
        check(found, tmp_path / "bundle")


@pytest.mark.slow
@pytest.mark.parametrize("number", range(30, 530))
def test_a_larger_season_with_stoppers_ends_fairly(number: int, tmp_path: Path) -> None:
    for found in played(tmp_path, number, 64):
        check(found, tmp_path / "bundle")
