"""A Swiss whose people stop, come late, appeal, return and are replaced, in any order that can be drawn.

What people do and when the judge looks is drawn; `season_model` reads the ledger and says what may not stand
there. However it goes, the season ends in the time that its file allows, and its audit agrees.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta
from functools import partial
from pathlib import Path

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from pbem.audit.bundle import read_bundle
from pbem.audit.findings import State
from pbem.audit.leagues import audit_league
from pbem.errors import PbemError
from pbem.judge.leagues.export import export
from pbem.leagues.entries import Ended
from pbem.leagues.statements import ABSENT, APPEAL, WITHDRAW
from tests.leagues.season_model import Model, Waits
from tests.leagues.world import NAME, file_of, make_world, take_reply
from tests.properties.machines import play

NAMES = ("ann", "ben", "cat", "dan", "eve", "fay")
SUBSTITUTES = ("pia", "quin", "rob")
CALLS, PLACE, APPEALS, ANSWER, DRAW, DAYS, ROUNDS = 3, 7, 4, 5, 5, 20, 2
LOOK = 3
"""Days between two looks of the judge at most."""
ROUND = 2 * (DRAW + LOOK) + DAYS + 2 * PLACE + 2 * (APPEALS + ANSWER) + 6 * LOOK
"""So many days a round lasts at most, by the file."""
FILE = file_of(
    "swiss",
    rounds=f"days = {DAYS}\ncount = {ROUNDS}",
    more='[unfinished]\nby = "draw"\n[swiss]\nstuck = "rematch"',
    waits=(CALLS, PLACE, APPEALS),
)
somebody = st.sampled_from(NAMES + SUBSTITUTES)


class SeasonMachine(RuleBasedStateMachine):
    """A league and the people in it."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        shutil.rmtree(folder, ignore_errors=True)
        self.world = make_world(folder, FILE)
        waits = Waits(CALLS, *(timedelta(days=days) for days in (PLACE, APPEALS, ANSWER)))
        self.model = Model(waits, timedelta(days=LOOK))
        self.read = 1
        self.silent: set[str] = set()

    @initialize(size=st.integers(3, len(NAMES)))
    def enter(self, size: int) -> None:
        """The first call is open."""
        self.world.enter(*NAMES[:size])
        self.world.later(31)
        self._run()

    def _run(self) -> None:
        """The judge looks; then the model reads what is new."""
        self.world.run()
        self._read()
        wrong = list(self.model.waiting(self.world.clock()))
        assert not wrong, wrong

    def _read(self) -> None:
        entries = self.world.book.entries
        for number, entry in enumerate(entries[self.read :], self.read + 1):
            self.model.read(number, entry)
        self.read = len(entries)

    def _say(self, player: str, what: str, **more: object) -> bool:
        """Something said; whether it was entered, as what was said before is not."""
        before = self.read
        with suppress(PbemError):
            self.world.say(player, what, **more)
        self._read()
        return self.read > before

    # -- what people do

    @rule(player=somebody)
    def stop(self, player: str) -> None:
        """Somebody answers no calls any more, or answers again."""
        self.silent ^= {player}

    def _answer(self) -> None:
        """Whoever is asked, is there and has not stopped answers the open call."""
        book = self.world.book
        asked = book.season.call.waiting if book.season.call else ()
        for player in sorted(self.model.there().intersection(asked) - self.silent):
            assert take_reply(self.world.club, self.world.reply(player, book=book)).is_accepted
        self._read()

    @rule(player=somebody)
    def withdraw(self, player: str) -> None:
        """Whoever is there may go, or leave the list; nobody else can."""
        may = player in self.model.there() or player in self.model.listed
        assert self._say(player, WITHDRAW, reason="no time") is (may and not self.model.over)

    @rule(player=somebody, first=st.integers(1, ROUNDS), more=st.integers(0, 1))
    def be_away(self, player: str, first: int, more: int) -> None:
        """Not to be paired for a round or two."""
        took = self._say(player, ABSENT, rounds=(first, first + more))
        assert not took or player in self.model.there()

    @rule(player=st.sampled_from(SUBSTITUTES))
    def wait_on_the_list(self, player: str) -> None:
        """Somebody new would play on for whoever leaves."""
        known = player in self.model.people or player in self.model.listed
        try:
            self.world.substitute(player)
        except PbemError:
            assert known or self.model.over or self.world.book.season.offers or player in self.left
        self._read()

    @property
    def left(self) -> set[str]:
        """Who was on the list and went."""
        return set(SUBSTITUTES) - self.model.people.keys() - self.model.listed.keys()

    @rule(data=st.data())
    def concede(self, data: st.DataObject) -> None:
        """A game ends."""
        pairs = [
            (pair.game, player)
            for pair in self.world.open_pairs()
            for player in pair.players
            if player in self.model.there() and not self.world.club.book(pair.game).history.over
        ]
        if pairs:
            self.world.concede(*data.draw(st.sampled_from(pairs)))

    @rule(data=st.data())
    def appeal(self, data: st.DataObject) -> None:
        """Somebody objects to a result, in time or not."""
        results = [
            (at, entry.places[0][0])
            for at, entry in enumerate(self.world.book.entries, 1)
            if isinstance(entry, Ended) and entry.places
        ]
        if results:
            at, player = data.draw(st.sampled_from(results))
            self._say(player, APPEAL, entry=at, reason="it was a draw")

    # -- what the director does

    @rule(player=somebody)
    def readmit(self, player: str) -> None:
        """Who was silent is back, unless somebody plays on for them."""
        one = self.model.people.get(player)
        may = one is not None and one.is_silent and player not in self.model.heirs and not self.model.over
        try:
            self.world.rule("readmit", player)
        except PbemError:
            assert not may
        else:
            assert may
        self._read()

    @rule(data=st.data(), how=st.sampled_from(("upheld", "dismissed")))
    def decide(self, data: st.DataObject, how: str) -> None:
        """An appeal is answered."""
        appeals = sorted(self.world.book.season.appeals)
        if appeals and not self.model.over:
            self.world.rule("answer", str(data.draw(st.sampled_from(appeals))), how)
            self._read()

    @rule(days=st.integers(0, LOOK), looks=st.integers(1, 10), answered=st.booleans())
    def look(self, days: int, looks: int, answered: bool) -> None:
        """Time passes, and the judge looks, some times running."""
        for _ in range(looks):
            if answered:
                self._answer()
            self._later(days)

    def _later(self, days: int) -> None:
        self.world.later(days)
        self._run()

    # -- what holds

    @invariant()
    def the_judge_says_the_same_of_everybody(self) -> None:
        """Who has left, and who has whose place."""
        season = self.world.book.season
        assert {name for name, one in season.members.items() if not one.leaving_reason} == self.model.there()
        assert season.successors == self.model.heirs
        assert [name for name, one in season.offers.items() if one.is_listed] == list(self.model.listed)

    def teardown(self) -> None:
        """From now on nobody does anything: it ends all the same, and the audit agrees."""
        try:
            if self.model.people:
                self._to_the_end()
        finally:
            self.world.club.store.close()

    def _to_the_end(self) -> None:
        for _ in range(ROUNDS * ROUND // LOOK + 2):
            if self.world.book.season.is_over:
                break
            self._later(LOOK)
        assert self.world.book.season.is_over, f"it does not end: {self.world.book.entries[-1].text!r}"
        bundle = self.world.club.path.parent / "bundle"
        export(self.world.club, NAME, bundle)
        rows = audit_league(read_bundle(bundle)).rows
        assert not [row for row in rows if row.state is State.REFUTED]


Play = Callable[..., None]


@pytest.fixture
def season(tmp_path: Path) -> Play:
    """Plays so many examples of so many steps."""
    return partial(play, lambda: SeasonMachine(tmp_path / "example"))


@pytest.mark.ci
def test_a_season_whoever_stops(season: Play) -> None:
    season(1, examples=12, steps=30)


@pytest.mark.slow
def test_many_seasons(season: Play, seeds: range) -> None:
    for number in seeds:
        season(number, examples=5, steps=60)
