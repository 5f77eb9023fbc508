"""The events of a game's ledger: the genesis, and each exchange from its opening to its reports.

The order of entries is part of the protocol and is checked here:

    genesis, then for each exchange 1, 2, ...
        open, any of received, refused, extend, rules, then close, revealed (mode after-close),
        resolve, the draws, the reports; after the last exchange: over

What a league's calls have too (open, received, refused, close, resolve) is taken by trust.life.

Acts of the game master (act_entries) stand while an exchange waits to be resolved. After one that ends the
game comes over; after a roll-back, the next exchange is opened. Void exchanges stay, marked as such. After a
correction comes an exchange that plays one again: open, close, resolve, and so on as ever. So does exchange 1
of a game that a league has drawn: the players' steps came with the answers to its call.

Entries that the reader cannot open (None) may stand where draws and reports do.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial

from pbem.play.seats import Absences, Seats
from pbem.trust.act_entries import (
    AGREE_DRAW,
    CLAIM,
    CORRECT,
    ENDING,
    GO_ON,
    HOLD,
    LEAST_SILENCE,
    LEAVING,
    LOOK,
    OUTAGE,
    RESUME,
    VOIDING,
    Act,
    lacking,
)
from pbem.trust.chance import Reveal
from pbem.trust.entries import (
    AFTER_CLOSE,
    Close,
    Drawn,
    Entry,
    Extend,
    Genesis,
    NewRules,
    Open,
    Other,
    Received,
    Refused,
    Reported,
    Resolve,
    Revealed,
)
from pbem.trust.faults import LedgerFault
from pbem.trust.formats import MAX_ACTS_IN_EXCHANGE, MAX_KEYS_IN_EXCHANGE
from pbem.trust.life import AskedExchange, ExchangeLife
from pbem.trust.orderfile import Standing
from pbem.trust.rotations import Rotation

READY = 1
"""The number of the exchange in which the players accept the genesis; its resolution makes the set-up."""


@dataclass
class Exchange(AskedExchange):
    """One exchange of a game, as far as the ledger has it; unlike a league's call it has acts and reports."""

    genesis: Genesis
    """The genesis as it was at this exchange, with the house rules that corrections had put right."""
    rules: str = ""
    """The hash of the rules by which the exchange is adjudicated, which are those in force at its close."""
    era: int = 0
    """Number of times that, by this exchange, the players had agreed to another release (act_entries)."""
    extended: list[Extend] = field(default_factory=list)
    revealed: list[Revealed] = field(default_factory=list)
    drawn: list[Drawn] = field(default_factory=list)
    reported: list[Reported] = field(default_factory=list)
    acts: list[Act] = field(default_factory=list)
    left: list[str] = field(default_factory=list)
    """The players who play no more: those who had left before the exchange, then those who left in it."""
    vanished: list[str] = field(default_factory=list)
    """The players who are not waited for although they have not left: see `History.vanished`."""
    paused: timedelta = timedelta()
    """The time for which the exchange was on hold."""
    voided_by: int = 0
    """The number of the entry that made the exchange void; 0 if none did."""
    counted_acts: int = 0
    """Number of the exchange's entries that count towards MAX_ACTS_IN_EXCHANGE, such as holds."""
    hidden: int = 0  # number of its entries that the reader could not open

    @property
    def deadline(self) -> datetime | None:
        """The time until which orders are waited for, extensions included; None if there is no limit."""
        last = self.extended[-1].deadline if self.extended else self.opened.deadline
        return last + self.paused if last is not None else None

    @property
    def had_outage(self) -> bool:
        """Whether mail failed when the exchange's deadline had passed."""
        return any(act.what == OUTAGE for act in self.acts)

    def paused_until(self, moment: datetime) -> timedelta:
        """Return the time on hold up to `moment`; a later hold moves no deadline that has passed."""
        held: datetime | None = None
        total = timedelta()
        for act in self.acts:
            if act.what == HOLD and act.at <= moment:
                held = act.at
            elif act.what == RESUME and held is not None and act.at <= moment:
                total += act.at - held
                held = None
        return total

    @property
    def awaited(self) -> set[str]:
        """The players whose orders are waited for."""
        return set(self.seals) - {*self.left, *self.vanished}


class History(ExchangeLife[Exchange]):
    """The ledger of a game, read entry by entry."""

    def __init__(self, genesis: Genesis) -> None:
        super().__init__({reveal.who: reveal for reveal in genesis.anchors}, genesis.exchanges, "exchange")
        self.genesis = genesis
        self.corrected = genesis
        """The genesis with the house rules that corrections have changed so far."""
        self.size = 1
        self.over = False
        self.rules = genesis.rules
        """The hash of the rules in force now."""
        self.era = 0
        """Number of times that the players have agreed to another release."""
        self.correction: Act | None = None
        """The correction after which an exchange is to be played again; None if none waits."""
        self.ending: str | None = None
        self.held: Act | None = None
        """The hold that has not been lifted; None if the game is not on hold."""
        self.seats = Seats(genesis)
        self.absences = Absences()
        self.ended_by: Act | None = None
        """The act that ended the game: a concession, a claim or an agreed draw; None if no act did."""
        self._may_end: Act | None = None
        """The act just entered with which the game may be over, if its rules say so; else None."""

    @property
    def current(self) -> Exchange | None:
        """The exchange that has been opened and not resolved; None if there is none."""
        last = super().current
        return None if last is None or last.voided_by or self.over else last

    @property
    def standing(self) -> list[Exchange]:
        """The exchanges that are not void."""
        return [exchange for exchange in self.exchanges if not exchange.voided_by]

    @property
    def resolved(self) -> list[Exchange]:
        """The exchanges that have been resolved and are not void."""
        return [exchange for exchange in self.standing if exchange.resolved is not None]

    @property
    def left(self) -> list[str]:
        """The players who play no more, in the order in which they left."""
        return [act.of for one in self.standing for act in one.acts if act.what in LEAVING]

    @property
    def playing(self) -> list[str]:
        """The players who still play, in the order of the genesis."""
        left = self.left
        return [player.name for player in self.genesis.players if player.name not in left]

    @property
    def anchors(self) -> tuple[Reveal, ...]:
        """The anchors of all chains: those of the genesis, then those that new keys have brought."""
        later = tuple(one.anchor for one in self.seats.rotations if one.anchor is not None)
        return self.genesis.anchors + later

    def source(self, exchange: Exchange) -> Exchange:
        """Return the exchange that gives an exchange its orders and keys: itself, or the one it repeats."""
        return self.exchanges[exchange.opened.again - 1] if exchange.opened.again else exchange

    def brought(self, exchange: Exchange) -> dict[str, Reveal]:
        """Return, by player, the steps in the resolution of an exchange that asked nobody; else none."""
        if exchange.seals or exchange.resolved is None:
            return {}
        shown = {reveal.who: reveal for reveal in exchange.resolved.reveals}
        lines = self.seats.lines_in(exchange.number)
        return {player: shown[who] for player, who in lines.items() if who in shown}

    def reason(self, exchange: Exchange) -> Act:
        """Return the correction for which an exchange was played again."""
        return self.exchanges[exchange.number - 2].acts[-1]

    def answers(self, release: str, exchange: Exchange) -> bool:
        """Tell whether a release must play an exchange as it was played (protocol 12).

        It answers for what it played, and for what was played before it took over, unless the players have
        agreed since then that it plays otherwise.
        """
        later = {one.rules for one in self.exchanges[exchange.number - 1 :] if one.era == exchange.era}
        return release in later or (release == self.rules and exchange.era == self.era)

    def silence(self, player: str) -> int:
        """Return for how many exchanges in a row a player has sent nothing; 0 if the open one has a file.

        Who has a new key is counted from when it counts: before, they could not sign. An exchange in which
        mail failed counts for nobody who has sent nothing.
        """
        current, newest = self.current, self.seats.newest(player)
        if current is not None and player in current.counted():
            return 0
        since = newest.starts if newest else 1
        asked = [one for one in reversed(self.resolved) if one.seals and one.number >= since]
        asked = [one for one in asked if player in one.counted() or not one.had_outage]
        sent = (place for place, exchange in enumerate(asked) if player in exchange.counted())
        return next(sent, len(asked))

    def silent_in_a_row(self, player: str, exchange: int) -> int:
        """Return for how many exchanges in a row, up to a closed one, nothing of a player has counted."""
        asked = [one for one in reversed(self.exchanges[:exchange]) if one.seals]
        sent = (place for place, one in enumerate(asked) if player in one.counted())
        return next(sent, len(asked))

    def vanished(self, exchange: int, known: int) -> list[str]:
        """Return the players not waited for in an exchange (protocol 8), by events up to exchange `known`.

        Others have consented to a new key of theirs, it does not count yet, and nothing came from them for
        the last exchange that was closed.
        """
        given_away = {
            one.player
            for one in self.seats.rotations
            if one.by_others and one.exchange <= known and exchange < one.starts
        }
        if not given_away:
            return []
        closed = (one for one in reversed(self.exchanges[:known]) if one.closed is not None and one.seals)
        last = next(closed, None)
        return sorted(given_away - {*last.counted()}) if last is not None else []

    def add(self, entry: Entry | None) -> None:
        """Read the next entry of the ledger. Raises LedgerFault if the entry cannot stand here."""
        self.size += 1
        self._check_ended(entry)
        if isinstance(entry, Open):
            self._open(entry)
            return
        exchange = self.last
        if exchange is None:
            raise self._misplaced_entry("no exchange has been opened")
        if exchange.voided_by:
            raise self._misplaced_entry("after a roll-back an exchange is opened")
        if self.held is not None and isinstance(entry, Close | Resolve):
            raise self._misplaced_entry("the game is on hold")
        if entry is None:
            if exchange.resolved is None:
                raise self._misplaced_entry("nothing may be hidden before an exchange is resolved")
            exchange.hidden += 1
        elif isinstance(entry, Act):
            self._act(entry, exchange)
        elif isinstance(entry, Rotation):
            self._rotate(entry, exchange)
        elif isinstance(entry, Other):
            self.over = self._over(entry, exchange)
        else:
            self._within(entry, exchange)

    def _check_ended(self, entry: Entry | None) -> None:
        """Raise LedgerFault at an entry after the end, or at any but `over` after what ends a game."""
        if self.over:
            raise self._misplaced_entry("the game is over")
        ends = isinstance(entry, Other) and entry.word == "over"
        if self.ended_by is not None and not ends:
            raise self._misplaced_entry(f"the game has been ended: {self.ended_by.said}")
        if ends:
            self.ended_by = self.ended_by or self._may_end
        self._may_end = None

    def _open(self, entry: Open) -> None:
        number = len(self.exchanges) + 1
        if number > self.genesis.exchanges:
            raise self._misplaced_entry(f"the game has {self.genesis.exchanges} exchanges at most")
        self._by_life(partial(self.check_opens, entry))
        again, self.correction = self.correction, None
        if entry.again != (self.source(self.exchanges[int(again.of) - 1]).number if again else 0):
            raise self._misplaced_entry("an exchange is played again after a correction, and only then")
        is_drawn = number == 1 and self.genesis.drawn is not None
        asked = set() if again or is_drawn else set(self.playing)
        if {player for player, _ in entry.seals} != asked or (not asked and entry.deadline):
            raise self._misplaced_entry(
                "an exchange is opened for everybody who plays; one that is played again for nobody, nor is "
                "the first of a game that a league has drawn"
            )
        opened = Exchange(number, entry, self.size, self.corrected, self.rules, self.era, left=self.left)
        self._count_absences(entry, None)
        opened.vanished = [] if again else self.vanished(number, number)
        self.exchanges.append(opened)

    def _over(self, entry: Other, exchange: Exchange) -> bool:
        if entry.word != "over":
            return False
        if entry.first != f"over {exchange.number}":
            raise self._misplaced_entry(f"the game ends with exchange {exchange.number}")
        if exchange.resolved is None and self.ended_by is None:
            raise self._misplaced_entry("a game ends with a resolved exchange")
        self.ending = ", ".join(entry.extra)
        return True

    def _within(self, entry: Entry, exchange: Exchange) -> None:
        if getattr(entry, "exchange", exchange.number) != exchange.number:
            raise self._misplaced_entry(f"exchange {exchange.number} is in progress")
        if not exchange.seals and isinstance(entry, Received | Refused | Extend | NewRules | Revealed):
            raise self._misplaced_entry(f"exchange {exchange.number} waits for nobody")
        if isinstance(entry, Extend | NewRules):
            self._count_act(exchange)
        if isinstance(entry, Received | Refused) and entry.player not in exchange.seals:
            raise self._misplaced_entry(f"{entry.player} does not play")
        match entry:
            case Refused() if exchange.resolved is not None:
                raise self._misplaced_entry("a refused cannot stand here")
            case Received() | Refused() | Close() | Resolve():
                self._by_life(partial(self.take, entry, self.size))
            case Extend() if exchange.closed is None:
                last = exchange.extended[-1].deadline if exchange.extended else exchange.opened.deadline
                self._count_absences(entry, last)
                self._check_agreed(entry, exchange)
                exchange.extended.append(entry)
            case NewRules() if exchange.closed is None:
                self.rules = exchange.rules = entry.rules
            case Revealed() if self._awaits_reveals(exchange) and entry.player in exchange.seals:
                exchange.revealed.append(entry)
            case Drawn() if exchange.resolved is not None and not exchange.reported:
                exchange.drawn.append(entry)
            case Reported() if exchange.resolved is not None:
                exchange.reported.append(entry)
            case _:
                raise self._misplaced_entry(f"a {entry.kind} cannot stand here")

    def _awaits_reveals(self, exchange: Exchange) -> bool:
        is_between = exchange.closed is not None and exchange.resolved is None
        return is_between and self.genesis.mode == AFTER_CLOSE

    def standing_of(self, exchange: Exchange, player: str, head_at: Callable[[int], str | None]) -> Standing:
        """Return the standing that decides whether a player's file for an exchange counts if it comes now."""
        who = self.seats.chain_of(player, exchange.number)
        return self.standing_in(exchange, player, who, head_at, after_close=self.genesis.mode == AFTER_CLOSE)

    def _count_absences(self, entry: Open | Extend, before: datetime | None) -> None:
        if why := self.absences.add(entry, {player.name for player in self.genesis.players}, before):
            raise self._misplaced_entry(why)

    def _check_agreed(self, entry: Extend, exchange: Exchange) -> None:
        """Check that all who play agree on more time, once an exchange, and not after a hold."""
        if not entry.consents:
            return
        if any(one.consents for one in exchange.extended):
            raise self._misplaced_entry(f"the players have agreed on more time in exchange {exchange.number}")
        if {name for name, _ in entry.consents} != set(self.playing):
            raise self._misplaced_entry("more time is agreed on by all who play, and by nobody else")
        if self.held is not None or exchange.paused:
            raise self._misplaced_entry(
                f"exchange {exchange.number} was on hold: nobody agrees on its deadline"
            )

    def _count_act(self, exchange: Exchange) -> None:
        exchange.counted_acts += 1
        if exchange.counted_acts > MAX_ACTS_IN_EXCHANGE:
            raise self._misplaced_entry(
                f"{MAX_ACTS_IN_EXCHANGE} such entries stand in exchange {exchange.number}"
            )

    def _act(self, act: Act, exchange: Exchange) -> None:
        if act.exchange != exchange.number or exchange.resolved is not None or not exchange.seals:
            raise self._misplaced_entry("the game master acts while an exchange waits to be resolved")
        if lack := lacking(act, self.genesis, self.left):
            raise self._misplaced_entry(f"{act.said} lacks consent: {lack}")
        if act.what in (CLAIM, OUTAGE):
            self._check_waiting(act, exchange)
        if act.what in (HOLD, LOOK):
            self._count_act(exchange)
        if act.what == HOLD and self.held is None:
            self.held = act
        elif act.what == RESUME and self.held is not None:
            exchange.paused += act.at - self.held.at
            self.held = None
        elif act.what in ENDING:
            self._end(act, exchange)
        elif act.what in VOIDING:
            self._void(act)
        elif act.what == GO_ON:
            self._change(act, exchange)
        elif act.what not in (LOOK, OUTAGE):
            raise self._misplaced_entry(f"the game is {'not ' if self.held is None else ''}on hold")
        exchange.acts.append(act)

    def _check_waiting(self, act: Act, exchange: Exchange) -> None:
        """Check that a claim is against a silent player, and that a deadline gets one outage at most."""
        if act.what == CLAIM and self.silence(act.of) < LEAST_SILENCE:
            raise self._misplaced_entry(
                f"{act.of} has not been silent for {LEAST_SILENCE} exchanges and this one"
            )
        if self.held is not None:
            raise self._misplaced_entry("the game is on hold")
        if act.what == CLAIM:
            if exchange.had_outage:
                raise self._misplaced_entry(
                    f"mail has failed in exchange {exchange.number}: nobody is silent in it"
                )
            return
        deadline = exchange.deadline
        if exchange.closed is not None or deadline is None or act.at < deadline:
            raise self._misplaced_entry(f"exchange {exchange.number} does not wait past its deadline")
        if exchange.had_outage:
            raise self._misplaced_entry(f"exchange {exchange.number} has an outage already")

    def _end(self, act: Act, exchange: Exchange) -> None:
        """Take an act by which a player leaves, or a draw is agreed: the game ends, or may end."""
        if act.what in LEAVING:
            exchange.left.append(act.of)
        if act.what == AGREE_DRAW or len(self.genesis.players) - len(exchange.left) == 1:
            self.ended_by = act
        else:
            self._may_end = act

    def _rotate(self, entry: Rotation, exchange: Exchange) -> None:
        if entry.exchange != exchange.number or exchange.resolved is not None or not exchange.seals:
            raise self._misplaced_entry("a key is replaced while an exchange waits to be resolved")
        if why := self.seats.fault(entry, self.left):
            raise self._misplaced_entry(why)
        if (
            sum(one.exchange == exchange.number for one in self.seats.of(entry.player))
            >= MAX_KEYS_IN_EXCHANGE
        ):
            raise self._misplaced_entry(
                f"{entry.player} has had {MAX_KEYS_IN_EXCHANGE} new keys in this exchange"
            )
        self.seats.add(entry, self.size)
        if exchange.closed is None:
            exchange.vanished = self.vanished(exchange.number, exchange.number)
        if entry.anchor is not None:
            self._known[entry.anchor.who] = entry.anchor

    def _void(self, act: Act) -> None:
        """Void the exchanges that a roll-back or a correction names; the set-up cannot be rolled back."""
        standing = [exchange.number for exchange in self.standing]
        able = [one.number for one in self.resolved] if act.what == CORRECT else standing[1:]
        if act.of not in map(str, able):
            raise self._misplaced_entry(f"there is no exchange {act.of} to {act.what.replace('-', ' ')}")
        if len(self.exchanges) + (2 if act.what == CORRECT else 1) > self.genesis.exchanges:
            raise self._misplaced_entry(f"the game has {self.genesis.exchanges} exchanges at most")
        if act.what == CORRECT:
            self._change(act, self.exchanges[-1])
            self.correction = act
        for exchange in self.exchanges[int(act.of) - 1 :]:
            exchange.voided_by = exchange.voided_by or self.size
        self.held = None

    def _change(self, act: Act, exchange: Exchange) -> None:
        """Change the release or a house rule by which the game is played from now on."""
        corrected = act.corrected(self.corrected)
        if act.rules in ("", self.rules) and corrected == self.corrected:
            raise self._misplaced_entry(f"{act.change} is what the game is played by")
        self.corrected = corrected
        if act.rules:
            self.rules = exchange.rules = act.rules
            self.era += 1
            exchange.era = self.era

    def _by_life(self, take: Callable[[], None]) -> None:
        try:
            take()
        except LedgerFault as fault:
            raise self._misplaced_entry(str(fault)) from None

    def _misplaced_entry(self, why: str) -> LedgerFault:
        return LedgerFault(f"entry {self.size} is out of place: {why}")


Bases = dict[int, Exchange | None]


def bases_of(history: History) -> Bases:
    """Return, by each exchange's number, the exchange on whose end that exchange was opened, or None."""
    standing: list[Exchange] = []
    bases: Bases = {}
    for exchange in history.exchanges:
        while standing and 0 < standing[-1].voided_by < exchange.opened_at:
            standing.pop()
        bases[exchange.number] = standing[-1] if standing else None
        if exchange.resolved is not None:
            standing.append(exchange)
    return bases
