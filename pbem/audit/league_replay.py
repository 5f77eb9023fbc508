"""Replays a league's ledger: checks each entry against what came before, the files and the dice."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from pbem.audit.evidence import Record
from pbem.audit.findings import Findings, Missing, OtherRules, Refuted, Unprovable, refuse_of
from pbem.errors import PbemError
from pbem.leagues import release_hash, round_drawing
from pbem.leagues.calls import Call, Lots, Reply, reply_in, seating_of
from pbem.leagues.entries import (
    BY_COUNT,
    BY_GAME,
    BY_LEAVING,
    DRAW,
    ENTRANT,
    Ended,
    Finished,
    Opened,
    Paired,
    Pairings,
    RoundOver,
    Substituted,
    purpose_of,
)
from pbem.leagues.facts import RoundState
from pbem.leagues.model import Ending, outcome_text
from pbem.leagues.round_drawing import Drawn
from pbem.leagues.scheduler import (
    Act,
    CloseCall,
    EndRound,
    EnterResult,
    Finish,
    GameFacts,
    OpenCall,
    OpenGame,
    TakePlace,
    act_of_pair,
    next_act,
)
from pbem.leagues.season import Season
from pbem.play.adjudicate import genesis_options, option_value
from pbem.rules import load
from pbem.trust import keys, sealing
from pbem.trust.chance import check_die
from pbem.trust.entries import Close, Enrolled, Entry, Open, Received, Refused, Resolve
from pbem.trust.faults import TrustFault
from pbem.trust.formats import MAX_SEALED_REPLY_SIZE, default_exchanges
from pbem.trust.orderfile import ExpectedFile, OrderFile, check_counts, own_orders
from pbem.trust.proof import (
    DICE,
    MIXES,
    ONCE,
    SHARES,
    STEPS,
    Shares,
    UniqueItems,
    label_faults,
    mix_faults,
    mix_of,
    share_faults,
)
from pbem.trust.times import utc_text

DRAWN = "sections, pairings, byes and sides are those that the joint dice give"
ORDER = "the entries follow each other as the protocol demands"
SENT = "every file of a call is its player's own, and was rightly received or refused"
DUE = "the judge entered what was due, when it was due by the file"
RESULTS = "what a rule decided is what the rule gives"
CLAIMS = (ORDER, ONCE, SENT, STEPS, SHARES, MIXES, DICE, DRAWN, DUE, RESULTS)
"""The claims about the whole ledger of a league; some of them are also claims about games."""


@dataclass(frozen=True, slots=True)
class GameDue:
    """The genesis that a game must have, as far as its league fixes it."""

    drawn: tuple[str, int]
    """The league's ledger, and the number of the call that has seated the game."""
    anchors: tuple[str, str]
    """The judge's open and secret anchors, which the call that seated the game fixed before any answer."""
    players: tuple[Enrolled, ...]
    options: tuple[tuple[str, str], ...]
    named: frozenset[str]
    """The names of options that league file or bids fix; the game's release gives the others their values."""
    mode: str
    exchanges: int


class Replay:
    """A league's season, replayed entry by entry."""

    def __init__(
        self,
        record: Record,
        ends: Mapping[str, datetime] | None = None,
        seats: Mapping[str, Mapping[str, datetime]] | None = None,
    ) -> None:
        """Begin to replay a league. `ends`: when games with bundles ended; `seats`: who sat down and when."""
        self.record = record
        self.ends = ends or {}
        self.seats = seats or {}
        self.season = Season(record.genesis, record.file, record.heads[0], record.carried)
        self.whole = True
        """Whether the league's ledger could be read to its end."""
        self.opened: dict[tuple[int, str], OrderFile] = {}
        """The files that count in resolved calls, by call and player."""
        self.games: dict[str, GameDue] = {}
        """The genesis that each game must have whose seats were found to be right, by the game's name."""
        self._drawn: dict[int, Drawn] = {}
        """The draw that follows from each call for a draw, by the call's number."""
        self._said: dict[int, dict[str, Reply]] = {}
        """The answers in closed calls as far as the calls asked for them, by call and player."""
        self._lacking: set[int] = set()
        """The numbers of calls of which a file, or its key, is missing."""
        self._once = UniqueItems()
        self._faults: dict[str, Exception] = {}
        self._last: Resolve | None = None

    def run(self, findings: Findings) -> None:
        """Read the ledger to its end and state the claims about it."""
        for number, entry in enumerate(self.record.entries[1:], 2):
            for claim, check in self._checks(entry):
                self._try(claim, number, check)
            if not self._try(ORDER, number, lambda entry=entry: self.season.add(entry)):  # type: ignore[misc]
                self.whole = False
                break
        for claim in CLAIMS:
            with findings.claim(claim):
                if claim in self._faults:
                    raise self._faults[claim]
                if not self.whole:
                    raise Unprovable("the ledger was not read to its end")

    def _try(self, claim: str, number: int, check: Callable[[], None]) -> bool:
        try:
            check()
        except (Unprovable, Missing) as lack:
            self._faults.setdefault(claim, lack)
        except (Refuted, PbemError, KeyError, IndexError, ValueError) as fault:
            self._faults.setdefault(claim, Refuted(f"entry {number}: {fault}"))
            return False
        return True

    def by_release(self, check: Callable[[], None]) -> None:
        """Run a check that refutes its claim only if this release has run the league: others may differ."""
        try:
            check()
        except Refuted as fault:
            self.blame(str(fault))

    def blame(self, told: str) -> None:
        """Refute a claim with the reason `told`, unless another release than this one has run the league."""
        if self.season.rules != release_hash():
            raise OtherRules(f"by another release than this one: {told}")
        raise Refuted(told)

    def _checks(self, entry: Entry) -> list[tuple[str, Callable[[], None]]]:
        match entry:
            case Received() | Refused():
                return [(ONCE, lambda: self._check_once(entry)), (SENT, lambda: self._check_file(entry))]
            case Open():
                return [(DUE, lambda: self._check_asked(entry))]
            case Close():
                return [(DUE, lambda: self._check_close(entry))]
            case Resolve():
                return [
                    (STEPS, lambda: self._check_shares(entry, STEPS)),
                    (SHARES, lambda: self._check_shares(entry, SHARES)),
                    (MIXES, lambda: self._check_mix(entry)),
                    (DICE, lambda: self._check_dice(entry)),
                    (DRAWN, lambda: self._check_lots(entry)),
                ]
            case Pairings():
                return [(DRAWN, lambda: self._check_pairings(entry))]
            case Opened():
                return [(DUE, lambda: self._check_game_due(entry)), (DRAWN, lambda: self._check_seats(entry))]
            case Ended():
                return [(RESULTS, lambda: self._check_result(entry))]
            case RoundOver():
                return [(DUE, lambda: self._check_due(entry, entry.at, EndRound(entry.round)))]
            case Substituted():
                taken = TakePlace(entry.player, entry.of)
                return [(DUE, lambda: self._check_due(entry, entry.at, taken))]
            case Finished():
                return [(DUE, lambda: self._check_due(entry, entry.at, Finish()))]
        return []

    # Files

    def _key(self, call: int, player: str) -> str | None:
        data = self.record.files.get(f"keys/exchange-{call}.{player}.agekey")
        return None if data is None else data.decode("ascii", errors="replace").removesuffix("\n")

    def _check_file(self, entry: Received | Refused) -> None:
        """Check that a file opens, that its sender signed it, and that it counts or not as the entry says."""
        number = entry.exchange if isinstance(entry, Received) else entry.of
        try:
            self._check_opened(entry, number)
        except Missing:
            self._lacking.add(number)
            raise

    def _need_files(self, call: Call) -> None:
        """Check that every file of a call can be read. Raises Missing."""
        if call.number in self._lacking:
            raise Missing(f"what was sent for call {call.number} is not all in the bundle")

    def _check_opened(self, entry: Received | Refused, number: int) -> None:
        call = self.season.calls[number - 1]
        sealed = self.record.files.get(f"sealed/{entry.sealed}.age")
        if sealed is None:
            raise Missing(f"sealed/{entry.sealed}.age is missing")
        if sealing.sealed_name(sealed) != entry.sealed or len(sealed) > MAX_SEALED_REPLY_SIZE:
            raise Refuted(
                f"sealed/{entry.sealed}.age has another hash, or more than {MAX_SEALED_REPLY_SIZE:,} bytes"
            )
        identity = self._key(number, entry.player)
        if identity is None:
            if self._is_resolved(number):
                raise Missing(f"keys/exchange-{number}.{entry.player}.agekey is missing")
            raise Unprovable(f"call {number} is open, and its files are still sealed")
        recipient = dict(call.opened.seals)[entry.player]
        if sealing.recipient_of(identity) != recipient:
            raise Refuted(f"keys/exchange-{number}.{entry.player}.agekey is not the key that was asked for")
        due = ExpectedFile(
            game=self.record.genesis.game,
            exchange=number,
            player=entry.player,
            side=ENTRANT,
            key=keys.parse_public(self.season.key_of(entry.player)),
            seal=recipient,
        )
        orders = own_orders(sealing.open_orders_with(sealed, identity), due)
        standing = self.season.call_log.standing_of(call, entry.player, self._head_at)
        try:
            check_counts(orders, due, standing)
        except TrustFault as fault:
            if isinstance(entry, Received) or entry.reason != fault.reason:
                raise
        else:
            if isinstance(entry, Refused):
                raise Refuted(f"a file of {entry.player} that counts was refused as {entry.reason}")
            if orders.rev != entry.rev:
                raise Refuted("the revision", orders.rev, entry.rev)
            before = self.opened.get((number, entry.player))
            if before is None or before.rev < orders.rev:
                self.opened[number, entry.player] = orders

    def _head_at(self, size: int) -> str | None:
        return self.record.head_at(size) if size <= self.season.size else None

    def _is_resolved(self, call: int) -> bool:
        return any(isinstance(one, Resolve) and one.exchange == call for one in self.record.entries)

    # Calls

    def _check_asked(self, entry: Open) -> None:
        """Check that a call asks all whom it must ask, no earlier and no shorter than the file says."""
        if entry.deadline is None:
            raise Refuted("a call has a deadline")
        now = entry.deadline - timedelta(days=self.record.file.draw_days)
        if now < self.season.last_at:
            self.blame(f"the call is open for less than {self.record.file.draw_days} days")
        asked, seating = tuple(player for player, _ in entry.seals), seating_of(entry)
        fixed = (seating.chains, len(seating.games)) if seating else (0, 0)
        self._check_due(entry, now, OpenCall(purpose_of(entry), asked, *fixed))

    def _check_close(self, entry: Close) -> None:
        call = self.season.call
        if call is None or entry.at is None:
            raise Refuted("there is no call to close")
        self._check_due(entry, entry.at, CloseCall(call.number))

    def _check_once(self, entry: Entry) -> None:
        faults = list(self._once.faults(entry))
        self._once.take(entry)
        refuse_of(ONCE, faults)

    def _shares(self, entry: Resolve) -> Shares:
        """Return the shares that decide who contributes to a call, with the steps that the players signed."""
        call = self._resolving(entry)
        self._need_files(call)
        files = {player: self.opened.get((call.number, player)) for player in call.asked}
        signed = {player: file.reveal for player, file in files.items() if file is not None}
        return self.season.call_log.shares(call, signed)

    def _check_shares(self, entry: Resolve, claim: str) -> None:
        refuse_of(claim, share_faults(self._shares(entry), entry))

    def _check_mix(self, entry: Resolve) -> None:
        refuse_of(MIXES, mix_faults(entry, mix_of(self._shares(entry), entry).name))
        name = f"mix/{entry.exchange}.txt"
        mix = self.record.files.get(name)
        if mix is None:
            raise Missing(f"{name} is missing")
        if sealing.sealed_name(mix) != entry.mix:
            raise Refuted(f"{name} is not the mix that the entry names")

    def _check_dice(self, entry: Resolve) -> None:
        refuse_of(DICE, label_faults(entry, entry.exchange, self._shares(entry).used))
        for die in entry.dice:
            check_die(bytes.fromhex(entry.mix), die)

    def _resolving(self, entry: Resolve) -> Call:
        call = self.season.call
        if call is None or call.number != entry.exchange:
            raise Refuted(f"call {entry.exchange} is not open")
        return call

    def _replies(self, call: Call) -> dict[str, Reply]:
        self._need_files(call)
        if call.number not in self._said:
            found = ((player, self.opened.get((call.number, player))) for player in call.asked)
            said = {player: reply_in(orders) for player, orders in found if orders is not None}
            self._said[call.number] = said
        return self._said[call.number]

    def _check_lots(self, entry: Resolve) -> None:
        """Check that the lots of a call are those that the draw, or the bids, ask for, and no others."""
        call = self._resolving(entry)
        lots = Lots(call.number, call.purpose, bytes.fromhex(entry.mix))
        if call.purpose.what == DRAW:
            self._drawn[call.number] = round_drawing.draw_round(self.season, call, lots)
        else:
            replies = self._replies(call)
            for pair in self.season.rounds[-1].unfinished_pairs:
                round_drawing.seats_of(
                    self.season, pair, round_drawing.bids_for(self.season, pair, replies), lots
                )
        if lots.rolled != entry.dice:
            self.blame(f"the dice of call {call.number} are not those that the draw asks for")

    def _check_pairings(self, entry: Pairings) -> None:
        call = self.season.drawn_call
        if call is None:
            raise Refuted("nothing was drawn")
        drawn = self._drawn[call.number]
        for what, due, found in (
            ("the sections", drawn.divisions, entry.divisions),
            ("the pairings", drawn.pairs, entry.pairs),
            ("the byes", drawn.byes, entry.byes),
            ("the half-point byes", drawn.half_byes, entry.half_byes),
        ):
            if due != found:
                odd = next(
                    (pair for pair in zip(due, found, strict=False) if pair[0] != pair[1]), (due, found)
                )
                self.blame(f"{what} of round {entry.round}: expected {_text(odd[0])}, found {_text(odd[1])}")
        if entry.at != (call.closed and call.closed.at):
            raise Refuted(f"the draw of round {entry.round} has another time than the close of its call")
        if entry.until != self.record.file.last_date(entry.round, entry.at):
            raise Refuted(f"the last date of round {entry.round} is not that of the file")

    def _check_seats(self, entry: Opened) -> None:
        """Check the sides of a game, the bids for them, and what follows from the bids."""
        call = self.season.calls[-1]
        if call.resolved is None:
            raise Refuted(f"{entry.game} is opened before call {call.number} is resolved")
        pair = self.season.rounds[entry.about[0] - 1].pair(entry.about[1])
        bids = round_drawing.bids_for(self.season, pair, self._replies(call))
        lots = Lots(call.number, call.purpose, bytes.fromhex(call.resolved.mix))
        seats, options = round_drawing.seats_of(self.season, pair, bids, lots)
        if {seat.player: seat.side for seat in seats} != {seat.player: seat.side for seat in entry.seats}:
            self.blame(f"the sides of {entry.game} are not those that were drawn or bid for")
        if entry.bids != tuple(sorted(bids.items())) or entry.options != options:
            self.blame(f"the bids of {entry.game} are not those that were sent")
        self.games[entry.game] = self._game_due(entry)

    def _game_due(self, entry: Opened) -> GameDue:
        """Return the genesis that a game must have, by its pairing, the replies to its call, and the file."""
        file, season = self.record.file, self.season
        chosen = file.game_options(entry.about[0], len(entry.seats))
        chosen |= {name: option_value(value) for name, value in entry.options}
        rules = load(file.rules)
        checked = rules.checked(chosen)
        names = {seat.side: season.name_now(seat.player) for seat in entry.seats}
        call = season.calls[-1]
        if call.seating is None or entry.about[1] > len(call.seating.games):
            raise Refuted(f"call {call.number} fixes nothing of the judge's part in {entry.game}")
        state, pair = self._find_pairing(entry.about)
        chains = round_drawing.chains_for(season, state, pair, self._replies(call))
        players = []
        for side in rules.sides(checked):
            sent = chains.get(names[side])
            key = keys.parse_public(season.key_of(names[side]))
            players.append(
                Enrolled(
                    name=names[side],
                    fingerprint=key.fingerprint,
                    side=side,
                    anchor=sent.anchor if sent else None,
                    chain=sent.number if sent else 0,
                    share=sent.share if sent else None,
                )
            )
        return GameDue(
            drawn=(self.record.genesis.game, call.number),
            anchors=call.seating.games[entry.about[1] - 1],
            players=tuple(players),
            options=genesis_options(file.rules, checked),
            named=frozenset(chosen),
            mode=file.mode,
            exchanges=file.exchanges or default_exchanges(len(players)),
        )

    # What is due

    def _check_due(self, entry: Entry, now: datetime, act: Act) -> None:
        """Check that an entry is the act that was due at a time, by the function that the judge calls too."""
        due = next_act(self.season, now, Unknown())
        if due != act:
            self.blame(f"what is due at {utc_text(now)} is {_act_in_words(due)}, not {_act_in_words(act)}")

    def _check_game_due(self, entry: Opened) -> None:
        state, pair = self._find_pairing(entry.about)
        act = act_of_pair(self.season, state, pair, entry.at, Unknown(), self.season.running_games(state))
        if act != OpenGame(state.number, pair):
            self.blame(
                f"what is due for {pair.game} at {utc_text(entry.at)} is {_act_in_words(act)}, not its game"
            )

    def _check_result(self, entry: Ended) -> None:
        """Check that a result was decided as the file demands: by a game, by leaving, or at the last date."""
        state, pair = self._find_pairing((entry.round, entry.pairing))
        where = f"pairing {entry.pairing} of round {entry.round}"
        end = self.ends.get(pair.game)
        if (
            entry.by != BY_GAME
            and end is not None
            and end <= entry.at
            and entry.pairing in state.opened_games
        ):
            raise Refuted(f"{where} has a result by {entry.by}; {pair.game} was over at {utc_text(end)}")
        if entry.by == BY_LEAVING:
            self._check_seats_lost(entry, pair)
        playing = self.season.running_games(state)
        won = {player for player, place in entry.places if place == 1 and entry.ending is Ending.FORFEITED}
        claimed = Claimed(entry, frozenset(map(self.season.name_now, won)))
        act = act_of_pair(self.season, state, pair, entry.at, claimed, playing)
        if act != EnterResult(entry):
            due = f"what is due for {where} at {utc_text(entry.at)} is {_act_in_words(act)}"
            self.blame(f"{due}, not {_named_result(entry)}")

    def _check_seats_lost(self, entry: Ended, pair: Paired) -> None:
        """Check that no player lost for not having taken a seat that the game's bundle shows them in."""
        season = self.season
        for player, place in entry.places:
            name = season.name_now(player)
            sat = self.seats.get(pair.game, {}).get(name)
            won = place == 1 and entry.ending is Ending.FORFEITED
            if not won and not season.members[name].leaving_reason and sat is not None and sat < entry.at:
                raise Refuted(f"{name} had the seat in {pair.game} since {utc_text(sat)}")

    def _find_pairing(self, about: tuple[int, int]) -> tuple[RoundState, Paired]:
        """Return a pairing of the ledger with its round. Raises LedgerFault if there is none."""
        return self.season.rounds[about[0] - 1], self.season.pair(*about)


class Unknown:
    """A stand-in for the games of a league whose ledgers are not at hand."""

    def ended_game(self, game: str) -> GameFacts | None:
        """Return None, as for a game that goes on, since nothing is known of the game."""
        return None

    def counted_game(self, game: str, count: str) -> GameFacts | None:
        """Return None, since the title's count of a game is unknown."""
        return None

    def seated_people(self, game: str) -> None:
        """Return None, since it is unknown who sits in a game."""


@dataclass(frozen=True, slots=True)
class Claimed:
    """The game of a result as the result describes it; another check compares it with the game's bundle."""

    entry: Ended
    seats: frozenset[str]
    """The people who must have sat in the game, if it was lost by leaving."""

    def ended_game(self, game: str) -> GameFacts | None:
        """Return the facts in a result by the game; None if the result is decided in another way."""
        return self._facts if self.entry.by == BY_GAME else None

    def counted_game(self, game: str, count: str) -> GameFacts | None:
        """Return the facts in a result by a count; None if the result is decided in another way."""
        return self._facts if self.entry.by == BY_COUNT else None

    def seated_people(self, game: str) -> frozenset[str] | None:
        """Return the people in the game's seats for a result by leaving; None for other results."""
        return self.seats if self.entry.by == BY_LEAVING else None

    @property
    def _facts(self) -> GameFacts | None:
        at, entry = self.entry.game, self.entry
        if at is None:
            return None
        return GameFacts(
            size=at.size,
            head=at.head,
            places=entry.places,
            ending=entry.ending,
            counts=entry.counts,
            reason=entry.reason,
        )


def _act_in_words(act: Act | None) -> str:
    """Return in a few words what an act of a league's judge does; the word nothing if there is no act."""
    match act:
        case None:
            return "nothing"
        case OpenCall(purpose, players, chains, games):
            told = f"a call for {purpose.what} of round {purpose.round} to {', '.join(players)}"
            return (
                f"{told}, with the judge's part in {games} games, and {chains} chains of each"
                if games
                else told
            )
        case CloseCall(number):
            return f"the close of call {number}"
        case OpenGame(_, pair):
            return f"that {pair.game} is opened"
        case EnterResult(entry):
            return _named_result(entry)
        case TakePlace(player, of):
            return f"that {player} takes the place of {of}"
        case EndRound(number):
            return f"the end of round {number}"
        case Finish():
            return "the end of the league"


def _named_result(entry: Ended) -> str:
    return f"a result by {entry.by}, {outcome_text(entry.ending, entry.places)}"


def _text(one: object) -> str:
    return str(getattr(one, "text", one))[:160]
