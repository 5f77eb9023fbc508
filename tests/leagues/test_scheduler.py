"""What a league's judge has to do next, and what waits for its director, in leagues staged by chance."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from random import Random

from pbem.leagues import scheduler, timeouts
from pbem.leagues.calls import Call
from pbem.leagues.entries import Opened, Paired, Purpose
from pbem.leagues.facts import Appeal, Offer, Outcome, RoundState
from pbem.leagues.model import Ending
from pbem.leagues.scheduler import due_places, place_in
from pbem.leagues.statements import Statement
from pbem.trust.entries import Open, Received, Refused
from tests.kept import Telling, as_kept
from tests.leagues.test_entries import AT
from tests.refusals.league_ledger import LATER, PAIRS, PEOPLE, season

MOMENT = re.compile(r"datetime\.datetime\(([^)]*), tzinfo=datetime\.timezone\.utc\)")


PLACED = {pair.game: tuple(zip(pair.players, (2, 1), strict=True)) for pair in PAIRS}


class Staged:
    """A league at any moment, and what its games tell it."""

    def __init__(self, number: int) -> None:
        self.chance = Random(f"due {number}")
        form = ("swiss", "swiss", "knockout", "sections", "ladder")[number % 5]
        rounds = self.chance.choice([0, 0, 1, 1, 1, 2 if form == "swiss" else 1])
        self.season = season(form, rounds=rounds, seated=self.often(0.8))
        self.ended_part = self.chance.choice([0.2, 0.4, 1.0])
        self.over: dict[str, scheduler.GameFacts] = {}
        self.sitting: dict[str, frozenset[str]] = {}
        self.season.file = replace(
            self.season.file,
            unfinished=self.chance.choice(["draw", "count", "panel", "panel", "director"]),
            replace_days=self.chance.choice([0, 2, 4]),
            appeal_days=self.chance.choice([0, 3]),
            gap_days=self.chance.choice([0, 2]),
            answer_days=2,
            panel_days=2,
            warn_days=2,
            days=10,
            until=self.moment() if not rounds else LATER,
            final=self.often(0.5),
            rounds=self.chance.choice([1, 2, 3]) if form in ("swiss", "ladder") else 0,
            least=self.chance.choice([2, 4, 5]),
        )
        for name in PEOPLE:
            self.member(name)
        for name in ("eve", "fay", "gus"):
            self.substitute(name)
        for state in self.season.rounds:
            for pair in state.pairings.pairs:
                self.pairing(state, pair)
            if state is not self.season.rounds[-1] or (not state.unfinished_pairs and self.often(0.5)):
                state.over_at = self.moment()
        for entry in (9, 10)[: self.chance.choice([0, 0, 1, 2])]:
            self.season.appeals[entry] = Appeal("ann", self.chance.choice([7, 8]), "no", self.moment())
        if self.often(0.1):
            wish = Statement(league="cup", player="ben", say="new-key", made=AT)
            self.season.keys.requested_keys["ben"] = wish
        if not rounds and self.often(0.4):
            self.season.started_at = self.moment()
        if self.often(0.2):
            self.call(rounds + 1)

    def often(self, part: float) -> bool:
        return self.chance.random() < part

    def moment(self) -> datetime:
        return AT + timedelta(days=self.chance.randrange(12))

    def member(self, name: str) -> None:
        """Some have left, and some wish to play one game at once."""
        member = self.season.members[name]
        if self.often(0.3):
            member.leaving_reason, member.left_at = "withdraw", self.moment()
        member.games, member.unanswered_calls = self.chance.choice([0, 0, 0, 1]), self.chance.choice([0, 1])

    def substitute(self, name: str) -> None:
        """Somebody new has a place, offers to play on for one, or stands on the list."""
        members, replaced = self.season.members, self.season.successors
        gone = [one for one, member in members.items() if member.leaving_reason and one not in replaced]
        if gone and self.often(0.4):
            members[name] = replace(
                members[gone[0]], name=name, leaving_reason="", left_at=None, took_at=self.moment()
            )
            replaced[gone[0]] = name
            self.member(name)
        elif self.often(0.7):
            of = "" if self.often(0.6) else self.chance.choice(PEOPLE)
            said = Statement(league="cup", player=name, say="substitute", of=of, made=AT)
            self.season.offers[name] = Offer(said, self.moment())

    def pairing(self, state: RoundState, pair: Paired) -> None:
        """Its game is open or not, over or not; it has a result, which was corrected or not; and votes."""
        about, placed = (state.number, pair.number), PLACED[pair.game]
        state.last_date = AT + timedelta(days=6)
        if self.often(0.6):
            state.opened_games[pair.number] = Opened(
                game=pair.game, head="", about=about, seats=pair.seats, at=AT
            )
            both = frozenset(pair.players), frozenset(map(self.season.name_now, pair.players))
            state.seated_players[pair.number], self.sitting[pair.game] = (
                both[self.often(0.2)],
                both[self.often(0.4)],
            )
        if self.often(0.04):
            self.over[pair.game] = scheduler.GameFacts(size=2, head="", places=placed)
        if self.often(self.ended_part) or state is not self.season.rounds[-1]:
            state.ruled_results[pair.number] = Outcome(Ending.PLAYED, placed, (), self.moment(), True)
            state.correction_times += [self.moment()] * self.often(0.4)
            self.season.results_at[7] = about
        for voter in self.season.file.panel:
            if self.often(0.6):
                votes = self.season.votes.setdefault(about, {})
                votes[voter] = placed[:: self.chance.choice([1, 1, -1])]

    def call(self, number: int) -> None:
        """A call is open; some have answered it, and the file of somebody was refused."""
        opened = Open(exchange=9, seals=tuple((name, "age1") for name in PEOPLE), deadline=self.moment())
        call = Call(9, opened, 9, purpose=Purpose("draw", number), chains={})
        for name in PEOPLE[self.chance.randrange(4) :] if self.often(0.8) else ():
            call.received.append(Received(exchange=9, player=name, rev=1, sealed="", at=AT))
            call.files[name] = [*call.received[-1:]]
        call.refused += [Refused(exchange=9, player=PEOPLE[0], of=9, sealed="", reason="late", at=AT)] * (
            self.often(0.3)
        )
        self.season.calls.append(call)

    # as the judge's games are asked

    def ended_game(self, game: str) -> scheduler.GameFacts | None:
        return self.over.get(game)

    def counted_game(self, game: str, count: str) -> scheduler.GameFacts | None:
        return scheduler.GameFacts(size=3, head=count, places=PLACED[game]) if game in self.sitting else None

    def seated_people(self, game: str) -> frozenset[str] | None:
        return self.sitting.get(game)


def is_due(staged: Staged, now: datetime) -> Iterator[str]:
    """All that is asked of a league at a moment."""
    found = staged.season
    yield f"act {scheduler.next_act(found, now, staged)}"
    yield from (f"{one}" for one in scheduler.decisions(found, now, staged))
    ending = [one.number for one in scheduler.pairs_near_end(found, now)]
    yield f"next {scheduler.next_time(found, now)}, ending {ending}"
    yield f"places {[*due_places(found)]}"
    for name, member in found.members.items():
        if member.leaving_reason:
            yield f"{name} {timeouts.waits_until(found, name)} {timeouts.listed_substitutes(found, name)}"
    for state in found.rounds[-1:]:
        yield f"settled {timeouts.settled_at(found, state)}, warned {scheduler.warned_at(found, state)}"
        for pair in state.unfinished_pairs:
            late = [one for one in found.members if timeouts.is_too_late(found, pair, one)]
            seats = timeouts.seats_until(found, state, pair)
            yield f"{pair.game} {scheduler.vacancy(found, pair)} {seats} {late} {place_in(found, pair)}"
            verdict = scheduler.panel_verdict(found, state, pair)
            yield f"{scheduler.places_by_withdrawal(found, pair)} {verdict}"


def test_what_is_due_is_as_it_was() -> None:
    """At each moment at which something may be due, and a second before it."""
    told = Telling()
    for number in range(20):
        staged = Staged(number)
        found = staged.season
        now: datetime | None = AT
        for step in range(3):
            if now is None:
                break
            for at in (now - timedelta(seconds=1), now):
                lines = [MOMENT.sub(r"\1", line) for line in is_due(staged, at)]
                told.add(f"{number}.{step} {found.file.format}", lines)
            after = scheduler.next_time(found, now)
            now = after if after is None or after > now else now + timedelta(days=3)
        if (call := found.call) is not None:
            timeouts.count_silence(found, call, AT)
            rows = [
                f"{one.name} {one.unanswered_calls} {one.leaving_reason}" for one in found.members.values()
            ]
            told.add(f"{number}: who has answered call 9 or not", rows)
        for name, member in found.members.items():
            if not member.leaving_reason:
                timeouts.leave(found, name, "expel" if number % 4 == 0 else "withdraw", AT)
        told.add(
            f"{number}: who leaves then", [f"{one.name} {one.played_all}" for one in found.members.values()]
        )
        found.is_cancelled = True
        told.add(f"{number} is over", is_due(staged, AT))
    as_kept(Path(__file__).parent / "golden/due.txt", str(told))


def test_a_director_is_asked_about_a_game_at_its_last_date_and_not_a_second_earlier() -> None:
    staged = Staged(32)
    last = staged.season.rounds[-1].last_date
    asked = [
        [one.about for one in scheduler.decisions(staged.season, at, staged) if "is not over at" in one.text]
        for at in (last - timedelta(seconds=1), last)
    ]
    assert asked == [[], ["cup-1", "cup-2"]]
