"""A league's ledger read as what happened: who takes part, what was called, drawn, played and decided.

The order of entries is part of the protocol and is checked here:

    league, then what is said (enter, ...); for each round: open (for draw), any of received and refused,
    close, resolve, pairings; open (for seats), received ..., close, resolve; then a game and a result for
    each pairing; round-over. At the end: over. What is said, and rulings, stand anywhere.

It holds facts alone. What follows from them is worked out in drawing (pairings), table (standings) and due
(what the judge has to do next).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

from pbem.leagues.entries import (
    DRAW,
    EXPEL,
    RESULT,
    RULINGS,
    SEATS,
    Ended,
    Finished,
    LeagueGenesis,
    Opened,
    Paired,
    Pairings,
    Purpose,
    RoundOver,
    Ruled,
    Said,
    purpose_of,
)
from pbem.leagues.file import LeagueFile
from pbem.leagues.model import Ending, Entrant
from pbem.leagues.statements import (
    ABSENT,
    APPEAL,
    CHALLENGE,
    ENTER,
    SUBSTITUTE,
    VOTE,
    WITHDRAW,
    Places,
    Statement,
    parse_places,
)
from pbem.trust.chains import OPEN_CHAIN, Reveal
from pbem.trust.entries import Close, Entry, NewRules, Open, Received, Refused, Resolve
from pbem.trust.faults import LedgerFault, TrustFault
from pbem.trust.formats import MOST_IN_EXCHANGE
from pbem.trust.orderfile import Standing
from pbem.trust.times import parse_utc


@dataclass(slots=True)
class Member:
    """Somebody who has entered."""

    name: str
    key: str
    """The line of the public key that everything of theirs is signed with."""
    anchor: Reveal
    rating: int | None
    games: int
    eliminator: bool
    at: int
    """The number of the entry."""
    first_round: int
    left: str = ""
    """Why they take part no more: withdraw, expel or substitute; "" while they do."""
    absences: list[tuple[int, int]] = field(default_factory=list)

    def entrant(self) -> Entrant:
        """As the calculation takes them."""
        return Entrant(
            name=self.name, rating=self.rating, games_at_once=self.games, eliminator=self.eliminator
        )

    def plays(self, number: int) -> bool:
        """Whether they are to be paired in a round."""
        away = any(first <= number <= last for first, last in self.absences)
        return not self.left and not away and self.first_round <= number


@dataclass(slots=True)
class Call:
    """One call for the next steps of the chains; `*_at` are entry numbers."""

    number: int
    purpose: Purpose
    opened: Open
    opened_at: int
    received: list[Received] = field(default_factory=list)
    refused: list[Refused] = field(default_factory=list)
    closed: Close | None = None
    resolved: Resolve | None = None

    @property
    def asked(self) -> tuple[str, ...]:
        """Whose files are waited for."""
        return tuple(player for player, _ in self.opened.seals)

    def counted(self) -> dict[str, Received]:
        """Player -> the file that counts: the highest revision."""
        best: dict[str, Received] = {}
        for entry in self.received:
            if entry.player not in best or entry.rev > best[entry.player].rev:
                best[entry.player] = entry
        return best

    @property
    def waiting(self) -> tuple[str, ...]:
        """Of whom nothing has come."""
        sent = {entry.player for entry in self.received}
        return tuple(player for player in self.asked if player not in sent)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a pairing came to, as it stands now."""

    ending: Ending
    places: Places
    counts: tuple[tuple[str, int], ...]
    at: datetime
    ruled: bool
    """Whether the director has decided it."""


@dataclass(slots=True)
class RoundState:
    """One round since it was drawn."""

    made: Pairings
    until: datetime
    opened: dict[int, Opened] = field(default_factory=dict)
    ended: dict[int, Ended] = field(default_factory=dict)
    ruled: dict[int, Outcome] = field(default_factory=dict)
    over: datetime | None = None

    @property
    def number(self) -> int:
        """Counted from 1."""
        return self.made.round

    def pair(self, number: int) -> Paired:
        """A pairing by its number."""
        return self.made.pairs[number - 1]

    def outcome(self, number: int) -> Outcome | None:
        """What a pairing came to: by the last ruling about it, else by its result."""
        if number in self.ruled:
            return self.ruled[number]
        ended = self.ended.get(number)
        return Outcome(ended.ending, ended.places, ended.counts, ended.at, False) if ended else None

    @property
    def unfinished(self) -> tuple[Paired, ...]:
        """The pairings without a result."""
        return tuple(pair for pair in self.made.pairs if self.outcome(pair.number) is None)


class Season:
    """A league's ledger, entry by entry."""

    def __init__(self, genesis: LeagueGenesis, file: LeagueFile) -> None:
        if genesis.file != file.sha256 or genesis.game != file.ledger:
            raise LedgerFault("the league's file is not the one that its ledger names")
        self.genesis = genesis
        self.file = file
        self.size = 1
        self.rules = genesis.rules
        self.members: dict[str, Member] = {}
        self.offers: dict[str, Statement] = {}
        """Who would take the place of somebody who has left, until they are admitted."""
        self.replaced: dict[str, str] = {}
        """Who has taken whose place."""
        self.calls: list[Call] = []
        self.rounds: list[RoundState] = []
        self.challenges: list[tuple[int, str, str]] = []
        """Round before which it was made, who, whom."""
        self.votes: dict[tuple[int, int], dict[str, Places]] = {}
        self.appeals: dict[int, Statement] = {}
        """Those that nobody has answered, by the number of their entry."""
        self.rulings: list[Ruled] = []
        self.started: datetime | None = None
        """When the director decided to begin with fewer than the file wants."""
        self.cancelled = False
        self.finished: Finished | None = None
        self.last_at = genesis.at
        self._known = {OPEN_CHAIN: Reveal(OPEN_CHAIN, 0, genesis.anchor)}

    # what stands

    @property
    def over(self) -> bool:
        """Whether nothing more can come."""
        return self.finished is not None or self.cancelled

    @property
    def call(self) -> Call | None:
        """The call that is open, or closed and not resolved."""
        last = self.calls[-1] if self.calls else None
        return last if last is not None and last.resolved is None else None

    @property
    def round(self) -> RoundState | None:
        """The last round that was drawn."""
        return self.rounds[-1] if self.rounds else None

    @property
    def drawn(self) -> Call | None:
        """The call whose dice are there, and whose pairings are not."""
        last = self.calls[-1] if self.calls else None
        if last is None or last.resolved is None or last.purpose.what != DRAW:
            return None
        return last if len(self.rounds) < last.purpose.round else None

    @property
    def seated(self) -> bool:
        """Whether the seats of the last round are fixed, so that its games can be opened."""
        last = self.calls[-1] if self.calls else None
        return last is not None and last.resolved is not None and last.purpose.what == SEATS

    def known(self, who: str) -> Reveal | None:
        """The latest step of a chain that the ledger has proved."""
        return self._known.get(who)

    def chains(self, call: Call) -> dict[str, str]:
        """Player -> chain, of those who are asked."""
        return {player: self.members[player].anchor.who for player in call.asked}

    def name_now(self, player: str) -> str:
        """Who has a player's place now."""
        while player in self.replaced:
            player = self.replaced[player]
        return player

    def key_of(self, player: str) -> str:
        """The line of somebody's key, if they have entered or offer to; else ""."""
        if player in self.members:
            return self.members[player].key
        offer = self.offers.get(player)
        return offer.key.line if offer and offer.key else ""

    def standing_of(self, call: Call, player: str, head_at: object) -> Standing:
        """By what it is decided whether a file of a call counts, if it comes now (protocol 3)."""
        return Standing(
            takes=call is self.call and call.closed is None,
            opened=call.opened_at,
            head_at=head_at,  # type: ignore[arg-type]  # a function of a size
            known=self._known[self.members[player].anchor.who],
            after_close=False,
            revisions=frozenset(one.rev for one in call.received if one.player == player),
        )

    def files_left(self, call: Call, player: str) -> int:
        """How many more files of a player are entered in a call."""
        entered = [one.player for one in call.received] + [one.player for one in call.refused]
        return max(0, MOST_IN_EXCHANGE - entered.count(player))

    def to_seat(self, state: RoundState) -> tuple[str, ...]:
        """Who has a game to be opened in a round."""
        players = {self.name_now(player) for pair in state.unfinished for player in pair.players}
        return tuple(sorted(player for player in players if not self.members[player].left))

    # reading

    def add(self, entry: Entry) -> None:
        """Read the next entry. Raises LedgerFault if it cannot stand here."""
        self.size += 1
        if self.over:
            raise self._misplaced("the league is over")
        at = getattr(entry, "at", None)
        if at is not None:
            if at < self.last_at:
                raise self._misplaced("its time is before that of the entry before it")
            self.last_at = at
        if isinstance(entry, Received | Refused | Close | Resolve):
            self._in_call(entry)
        else:
            self._add_own(entry)

    def _add_own(self, entry: Entry) -> None:
        match entry:
            case Said():
                self._said(entry)
            case Open():
                self._open(entry)
            case Pairings():
                self._pairings(entry)
            case Opened():
                self._opened(entry)
            case Ended():
                self._ended(entry)
            case RoundOver():
                self._round_over(entry)
            case Ruled():
                self._ruled(entry)
            case Finished():
                self._finish(entry)
            case NewRules():
                self.rules = entry.rules
            case _:
                raise self._misplaced("no league has such an entry")

    def check_said(self, said: Statement) -> None:
        """Raise LedgerFault, with the reason, if somebody cannot say this now."""
        if said.league != self.genesis.game:
            raise LedgerFault(f"it is about {said.league}, not about {self.genesis.game}")
        if self.over:
            raise LedgerFault(f"{self.file.name} is over")
        match said.say:
            case _ if said.say in (ENTER, SUBSTITUTE):
                self._check_entry(said)
            case _ if said.say == VOTE:
                self._check_vote(said)
            case _ if said.player not in self.members and said.player not in dict(self.genesis.people):
                raise LedgerFault(f"{said.player} takes no part in {self.file.name}")
            case _ if said.say == APPEAL:
                if said.entry > self.size:
                    raise LedgerFault(f"the ledger has no entry {said.entry} to appeal against")
            case _ if said.player not in self.members or self.members[said.player].left:
                raise LedgerFault(f"{said.player} takes part in {self.file.name} no more")
            case _ if said.say == CHALLENGE:
                self._check_challenge(said)

    def _check_entry(self, said: Statement) -> None:
        assert said.key is not None
        if said.judge != self.genesis.gm:
            raise LedgerFault(f"it is meant for the judge {said.judge}, not for {self.genesis.gm}")
        if self.key_of(said.player):
            raise LedgerFault(f"somebody called {said.player} has entered already")
        if any(member.key == said.key.line for member in self.members.values()):
            raise LedgerFault("this key is that of somebody who has entered already")
        if said.say == SUBSTITUTE:
            if said.of not in self.members or not self.members[said.of].left or said.of in self.replaced:
                raise LedgerFault(f"{said.of} has not left, or has a substitute")
            return
        if self.calls and not self.file.late:
            raise LedgerFault("entries are closed")
        if self.calls and self.file.format in ("sections", "knockout"):
            raise LedgerFault(f"nobody can enter {self.file.format} that are drawn")
        if sum(not one.left for one in self.members.values()) >= self.file.most:
            raise LedgerFault(f"{self.file.most} have entered, and more cannot")

    def _check_vote(self, said: Statement) -> None:
        assert said.about is not None
        number, pairing = said.about
        pair = self._pair(number, pairing)
        if said.player not in self.file.panel:
            raise LedgerFault(f"{said.player} is not of the panel")
        if said.player in map(self.name_now, pair.players):
            raise LedgerFault(f"{said.player} plays in this game, and cannot vote on it")
        if {player for player, _ in said.places} != set(pair.players):
            raise LedgerFault(f"the game is between {', '.join(pair.players)}")
        if self.rounds[number - 1].outcome(pairing) is not None:
            raise LedgerFault(f"pairing {pairing} of round {number} has a result")

    def _check_challenge(self, said: Statement) -> None:
        if self.file.format != "ladder":
            raise LedgerFault(f"{self.file.name} is no ladder, and knows no challenges")
        other = self.members.get(said.of)
        if other is None or other.left or said.of == said.player:
            raise LedgerFault(f"{said.of} cannot be challenged")

    def _said(self, entry: Said) -> None:
        said = entry.statement(self.genesis.game)
        try:
            self.check_said(said)
        except LedgerFault as fault:
            raise self._misplaced(str(fault)) from None
        if said.say == ENTER:
            self._enter(said)
        elif said.say == SUBSTITUTE:
            self.offers[said.player] = said
        elif said.say == WITHDRAW:
            self.members[said.player].left = WITHDRAW
        elif said.say == ABSENT and said.rounds is not None:
            self.members[said.player].absences.append(said.rounds)
        elif said.say == CHALLENGE:
            self.challenges.append((len(self.rounds) + 1, said.player, said.of))
        elif said.say == APPEAL:
            self.appeals[self.size] = said
        elif said.say == VOTE and said.about is not None:
            self.votes.setdefault(said.about, {})[said.player] = said.places

    def _enter(self, said: Statement) -> None:
        assert said.key is not None
        assert said.anchor is not None
        asked = max((call.purpose.round for call in self.calls), default=0)
        self.members[said.player] = Member(
            name=said.player,
            key=said.key.line,
            anchor=said.anchor,
            rating=said.rating,
            games=said.games,
            eliminator=said.eliminator,
            at=self.size,
            first_round=asked + 1,
        )
        self._known[said.anchor.who] = said.anchor

    def _open(self, entry: Open) -> None:
        number, purpose = len(self.calls) + 1, purpose_of(entry)
        if entry.exchange != number or self.call is not None or self.drawn is not None:
            raise self._misplaced(f"call {number} comes next, when the one before it is resolved")
        last = self.round
        if purpose.what == DRAW:
            if purpose.round != len(self.rounds) + 1 or (last is not None and last.over is None):
                raise self._misplaced("a round is drawn when the one before it is over")
            asked = {name for name, member in self.members.items() if member.plays(purpose.round)}
        else:
            if last is None or purpose.round != last.number or self.seated or last.opened:
                raise self._misplaced("seats are called for when a round has been drawn")
            asked = set(self.to_seat(last))
        if not {player for player, _ in entry.seals} <= asked or entry.again or not entry.deadline:
            raise self._misplaced("a call asks those who take part, and has a deadline")
        self.calls.append(Call(number, purpose, entry, self.size))

    def _in_call(self, entry: Received | Refused | Close | Resolve) -> None:
        call = self.call
        if isinstance(entry, Refused) and call is None and self.calls:
            call = self.calls[-1]
        if call is None or entry.exchange != call.number:
            raise self._misplaced("it is of no call that is open")
        match entry:
            case Received() if call.closed is None and entry.player in call.asked:
                call.received.append(entry)
            case Refused():
                call.refused.append(entry)
            case Close() if call.closed is None:
                call.closed = entry
            case Resolve() if call.closed is not None:
                call.resolved = entry
                self._known.update((reveal.who, reveal) for reveal in entry.reveals)
            case _:
                raise self._misplaced(f"a {entry.kind} cannot stand here")

    def _pairings(self, entry: Pairings) -> None:
        if self.drawn is None or entry.round != len(self.rounds) + 1:
            raise self._misplaced("pairings follow the resolution of their draw")
        if [pair.number for pair in entry.pairs] != list(range(1, len(entry.pairs) + 1)):
            raise self._misplaced("pairings are numbered from 1")
        named = {player for pair in entry.pairs for player in pair.players}
        if not named <= self.members.keys():
            raise self._misplaced("who has not entered is not paired")
        self.rounds.append(RoundState(entry, entry.until))

    def _opened(self, entry: Opened) -> None:
        number, pairing = entry.about
        pair = self._pair(number, pairing)
        state = self.rounds[number - 1]
        if not self.seated or number != len(self.rounds):
            raise self._misplaced("a game is opened when the seats of its round are called for")
        if pairing in state.opened or state.outcome(pairing) is not None:
            raise self._misplaced("the game of this pairing is opened already, or not needed")
        if entry.game != pair.game or {seat.player for seat in entry.seats} != set(pair.players):
            raise self._misplaced("the game is not that of its pairing")
        state.opened[pairing] = entry

    def _ended(self, entry: Ended) -> None:
        pair = self._pair(entry.round, entry.pairing)
        state = self.rounds[entry.round - 1]
        if state.outcome(entry.pairing) is not None:
            raise self._misplaced("this pairing has a result")
        if {player for player, _ in entry.places} != set(pair.players):
            raise self._misplaced("a result places everybody who plays, and nobody else")
        if entry.game and (entry.game.game != pair.game or entry.pairing not in state.opened):
            raise self._misplaced("the result is of another game")
        state.ended[entry.pairing] = entry

    def _round_over(self, entry: RoundOver) -> None:
        last = self.round
        if last is None or entry.round != last.number or last.over is not None or last.unfinished:
            raise self._misplaced("a round is over when each of its pairings has a result")
        last.over = entry.at

    def _ruled(self, entry: Ruled) -> None:
        if entry.number != len(self.rulings) + 1 or entry.by not in self.file.officials:
            raise self._misplaced(
                f"ruling {len(self.rulings) + 1} is the next, by the director or an assistant"
            )
        try:
            self._rule(entry)
        except (ValueError, IndexError, TrustFault) as fault:
            raise self._misplaced(f"the ruling is not written as its format demands: {fault}") from None
        self.rulings.append(entry)

    def _rule(self, entry: Ruled) -> None:
        match entry.decides:
            case [("result" | "correct") as what, number, pairing, ending, *places]:
                self._rule_result(entry, what, int(number), int(pairing), Ending(ending), ",".join(places))
            case ["extend", number, until]:
                state = self.rounds[int(number) - 1]
                if state.over is not None or parse_utc(until) <= state.until:
                    raise self._misplaced("a last date can be moved to a later one while its round goes on")
                state.until = parse_utc(until)
            case ["expel", player] if player in self.members and not self.members[player].left:
                self.members[player].left = EXPEL
            case ["admit", player] if player in self.offers:
                self._admit(self.offers.pop(player))
            case ["answer", number, ("upheld" | "dismissed")] if int(number) in self.appeals:
                del self.appeals[int(number)]
            case ["start"] if not self.calls:
                self.started = entry.at
            case ["cancel"]:
                self.cancelled = True
            case _:
                raise self._misplaced(
                    f"nothing can be ruled so now; a ruling begins with {', '.join(RULINGS)}"
                )

    def _rule_result(
        self, entry: Ruled, what: str, number: int, pairing: int, ending: Ending, places: str
    ) -> None:
        pair, state = self._pair(number, pairing), self.rounds[number - 1]
        known = state.outcome(pairing)
        if entry.by in map(self.name_now, pair.players):
            raise self._misplaced(f"{entry.by} plays in this game, and an assistant rules on it")
        if (known is None) != (what == RESULT):
            raise self._misplaced("what has a result is corrected, and what has none is given one")
        placed = parse_places(places)
        if {player for player, _ in placed} != set(pair.players):
            raise self._misplaced(f"the game is between {', '.join(pair.players)}")
        counts = known.counts if known else ()
        state.ruled[pairing] = Outcome(ending, placed, counts, known.at if known else entry.at, True)

    def _admit(self, said: Statement) -> None:
        before = self.members[said.of]
        self._enter(said)
        after = self.members[said.player]
        after.first_round, after.eliminator = before.first_round, before.eliminator
        self.replaced[said.of] = said.player

    def _finish(self, entry: Finished) -> None:
        last = self.round
        if last is None or last.over is None:
            raise self._misplaced("a league is over when its last round is")
        self.finished = entry

    def _pair(self, number: int, pairing: int) -> Paired:
        if not 1 <= number <= len(self.rounds):
            raise LedgerFault(f"round {number} has not been drawn")
        pairs = self.rounds[number - 1].made.pairs
        if not 1 <= pairing <= len(pairs):
            raise LedgerFault(f"round {number} has no pairing {pairing}")
        return pairs[pairing - 1]

    def _misplaced(self, why: str) -> LedgerFault:
        return LedgerFault(f"entry {self.size} cannot stand there: {why}")
