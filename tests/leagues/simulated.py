"""A season of many players through the real judge of leagues; only the games themselves are a model.

Entries, draws by joint dice, pairings, seats, results, late ones, absences, withdrawals, rulings, appeals,
corrections and tables go through the ledger in its database. How a game ends, and when, is Elo's model,
decided by the game's name: a season is the same whenever it is played.

All is done in deeds that may be done again. A judge that is killed in one of them at a database statement
does it anew, and its ledger must be the one that it would have been.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from hashlib import sha256
from random import Random

import pytest

from pbem.judge.club import Club, open_club
from pbem.judge.leagues import steps
from pbem.judge.leagues.book import LeagueBook, load_league
from pbem.judge.leagues.desk import take_statement
from pbem.judge.leagues.rulings import rule
from pbem.leagues.entries import BY_GAME, Ended, Opened
from pbem.leagues.scheduler import GameFacts
from pbem.leagues.statements import ABSENT, APPEAL, WITHDRAW
from tests.leagues.world import NAME, World, take_reply

Deed = Callable[[Club], object]

SIDES = ("england", "scotland")
EDGE = 120
"""Points of rating that the first side is worth."""
KILLS = 2
"""So often at most a judge is killed in one deed before it gets through."""
LATEST_KILL = 250
"""At this statement of a deed at the latest a judge is killed."""
LAST_LOOK = 95
"""Days after the draw of a round when the director looks at what is still open; it ends after a hundred."""


@dataclass
class Simulation:
    """The world, what everybody is worth, and what is to happen to whom."""

    world: World
    strengths: dict[str, int]
    seed: str
    killing: bool = False
    kills: int = 0
    attempts: int = 0
    sent: dict[tuple[int, str], bytes] = field(default_factory=dict)
    """The files for each call, as they were sealed in the first season: sealing is not repeatable."""
    opened: dict[str, Opened] = field(default_factory=dict)
    absent: set[str] = field(default_factory=set)
    """Who takes no seat that somebody else has left."""

    def chance(self, part: float, *label: object) -> bool:
        """Whether something happens that happens so often."""
        return Random("/".join(map(str, (self.seed, *label)))).random() < part

    def ended_game(self, game: str) -> GameFacts | None:
        """What the model says of a game: from five to ninety days it takes, or, one in ten, longer."""
        if (entry := self.opened.get(game)) is None:
            return None
        fate = Random(f"{self.seed}/{game}")
        days = 110 if fate.random() < 0.1 else fate.uniform(5, 90)
        if self.world.clock() < entry.at + timedelta(days=days):
            return None
        first, second = sorted(entry.seats, key=lambda seat: SIDES.index(seat.side))
        ahead = self.strengths[first.player] + EDGE - self.strengths[second.player]
        winner = first if fate.random() < 1 / (1 + 10 ** (-ahead / 400)) else second
        places = tuple((seat.player, 1 if seat is winner else 2) for seat in entry.seats)
        held = fate.randrange(15)
        counts = tuple(zip((f"nobles/{side}" for side in SIDES), (held, 14 - held), strict=True))
        return GameFacts(size=1, head=entry.head, places=places, counts=counts)

    # deeds

    def do(self, deed: Deed) -> None:
        """A deed, by this process; or by judges that are killed in it, until one gets through."""
        if not self.killing:
            deed(self.world.club)
        else:
            self.world.club.store.close()
            for attempt in range(KILLS + 1):
                if not self._child(deed, attempt):
                    break
                self.kills += 1
            self.world.club = open_club(self.world.club.path, self.world.clock)
        entries = load_league(self.world.club, NAME).entries
        self.opened.update((one.game, one) for one in entries if isinstance(one, Opened))

    def _child(self, deed: Deed, attempt: int) -> bool:
        """Do it in a process that may kill itself at a statement; whether it was killed."""
        last = attempt == KILLS
        self.attempts += 1
        at = 0 if last else Random(f"{self.seed}/kill/{self.attempts}").randrange(1, LATEST_KILL)
        child = os.fork()
        if child == 0:
            club, count = open_club(self.world.club.path, self.world.clock), 0

            def step(_: str) -> None:
                nonlocal count
                count += 1
                if count == at:
                    os.kill(os.getpid(), signal.SIGKILL)

            club.store.db.conn.set_trace_callback(step)
            deed(club)
            os._exit(0)
        _, status = os.waitpid(child, 0)
        assert os.WIFSIGNALED(status) or (os.WIFEXITED(status) and os.WEXITSTATUS(status) == 0)
        return os.WIFSIGNALED(status)

    def run(self) -> None:
        """A pass."""
        self.do(lambda club: list(steps.run_league(club, NAME)))

    def say(self, *statements: bytes) -> None:
        """Statements that come by mail."""
        self.do(lambda club: [take_statement(club, one) for one in statements])

    def rule(self, *decides: str) -> None:
        """A ruling of the director's, unless it is there already."""

        def deed(club: Club) -> None:
            ruled = load_league(club, NAME).season.rulings
            if not ruled or ruled[-1].decides != decides:
                rule(club, NAME, decides, reason="as the rules say")

        self.do(deed)

    def answer(self, part: float) -> None:
        """Of those whom a call asks, so many send their file in time; after its days it is closed."""
        book = self.world.book
        call = book.season.call
        assert call is not None
        files = []
        for player in call.asked:
            if self.chance(part, "answers", call.number, player):
                if (call.number, player) not in self.sent:
                    self.sent[call.number, player] = self.world.reply(player, book=book)
                files.append(self.sent[call.number, player])

        def deed(club: Club) -> None:
            for file in files:
                taken = take_reply(club, file)
                assert taken.is_accepted, taken.text

        self.do(deed)
        self.run()
        if self.world.book.season.calls[call.number - 1].resolved is None:
            self.world.later(5)
            self.run()

    # the season

    def enter(self) -> None:
        """Everybody's entry."""
        self.say(*(self.world.entry(player) for player in self.strengths))
        self.world.later(31)
        self.run()

    def play(self, part: float) -> None:
        """To the league's end; so many answer each call."""
        self.enter()
        while not self.world.book.season.is_over:
            while self.world.book.season.call is not None:
                self.answer(part)
            self._between()
            self._finish_round()

    def _between(self) -> None:
        """Absences, withdrawals and two looks, while games are played."""
        season = self.world.book.season
        number, statements = len(season.rounds), []
        for player, member in sorted(season.members.items()):
            if not member.leaving_reason and self.chance(0.06, "leaves", number, player):
                statements.append(self.world.statement(player, WITHDRAW, reason="no time"))
            elif not member.leaving_reason and self.chance(0.05, "absent", number, player):
                statements.append(self.world.statement(player, ABSENT, rounds=(number + 1, number + 1)))
        self.world.later(40)
        self.run()
        self.say(*statements)
        self.run()
        self.world.later(LAST_LOOK - 40)
        self.run()

    def _finish_round(self) -> None:
        """What is open gets more time in one round, and a ruling in the others; results are contested."""
        state = self.world.book.season.rounds[-1]
        if state.number == 2:
            self.rule("extend", "2", f"{state.last_date + timedelta(days=30):%Y-%m-%dT%H:%M:%SZ}")
            self.world.later(30)
            self.run()
        ended = [one for one in self.world.book.entries if isinstance(one, Ended)]
        for one in ended:
            contested = self.chance(0.08, "appeal", one.round, one.pairing)
            if (one.round, one.by) == (state.number, BY_GAME) and contested:
                self._appeal(one)
        if not (unfinished := self.world.book.season.rounds[-1].unfinished_pairs):
            return
        self.world.later(6)
        for pair in unfinished:
            where = str(state.number), str(pair.number)
            self.rule("result", *where, "adjudicated", *(f"{player}=1" for player in pair.players))
        self.run()

    def _appeal(self, one: Ended) -> None:
        """Who lost appeals; every second time the director corrects the result."""
        book = self.world.book
        number = next(at for at, entry in enumerate(book.entries, 1) if entry == one)
        loser = max(one.places, key=lambda row: row[1])[0]
        if book.season.members[loser].leaving_reason:
            return
        self.say(self.world.statement(loser, APPEAL, entry=number, reason="it was a draw"))
        upheld = self.chance(0.5, "upheld", number)
        if upheld:
            where = str(one.round), str(one.pairing)
            self.rule("correct", *where, "adjudicated", *(f"{player}=1" for player, _ in one.places))
        (appeal,) = self.world.book.season.appeals
        self.rule("answer", str(appeal), "upheld" if upheld else "dismissed")


def strengths(size: int) -> dict[str, int]:
    """Players from 1100 to 1900, in no order of name. Only their results tell."""
    step = 37 if size % 37 else 41
    names = [f"player-{who * step % size:03}" for who in range(size)]
    assert len({*names}) == size
    return {name: 1100 + 800 * who // (size - 1) for who, name in enumerate(names)}


def correlated(rows: Sequence[tuple[float, float]]) -> float:
    """Pearson's r."""
    means = [sum(column) / len(rows) for column in zip(*rows, strict=True)]
    apart = [[value - mean for value, mean in zip(row, means, strict=True)] for row in rows]
    both = sum(one * other for one, other in apart)
    return float(both / (sum(one**2 for one, _ in apart) * sum(other**2 for _, other in apart)) ** 0.5)


def modelled(simulation: Simulation, patch: pytest.MonkeyPatch) -> None:
    """Let the judge's games be those of the model."""

    class Games:
        def __init__(self, club: Club, over: frozenset[str]) -> None:
            del club, over

        def has_ended_since(self, entry: Ended, league: LeagueBook) -> bool:
            """No other command ends a game meanwhile."""
            del entry, league
            return False

        def ended_game(self, game: str) -> GameFacts | None:
            return simulation.ended_game(game)

        def counted_game(self, game: str, count: str) -> GameFacts | None:
            del game, count
            return None

        def seated_people(self, game: str) -> Collection[str]:
            del game
            return simulation.strengths.keys() - simulation.absent

    def open_game(league: LeagueBook, game: str, *_: object) -> str:
        del league
        return sha256(game.encode()).hexdigest()

    patch.setattr(steps, "ClubGames", Games)
    patch.setattr(steps, "open_game", open_game)
    patch.setattr(steps, "stop_game", lambda *_: None)
    patch.setattr("pbem.judge.leagues.rulings.stop_game", lambda *_: None)
