"""Proofs that anyone can make about an exchange or call from public entries, without knowing the game.

The rule on who has a share in its dice, and what may not come twice:

    every step lies on a chain that the ledger anchors, and is the step of this exchange; in exchange 1 of a
    game that a league has drawn it is the one that was revealed in its call, as genesis says
    who contributed are those, and only those, whose file with the step has come and whose chain is in force;
    everybody else is absent, and the step is the one that they have signed
    no die of it is of another exchange, and no label falls twice but where an exchange is void
    no file, no revision, no reveal of a player and no report to an audience comes twice

What is wrong is yielded with the claim that it breaks. The judge asks before an entry is made, a player's or
entrant's program before it takes one in, and the audit of each (protocol 1, 3, 4, 14, 20; leagues L3). The
script of stock tools has its own. Which step may leave a player's hands is told by trust.orderfile.

The proof of a resolved exchange:

    who contributed, with which steps, and which labels fell, is as the rule has it
    the mix file built from these reveals has the hash that the entry names
    every die is the one that the mix gives its label

An exchange that is played again reveals nothing: its mix is that of the exchange whose orders it takes.

That the labels were the right ones, only playing the game again can show.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

from pbem.trust.chance import DRAW_CHAIN, OPEN_CHAIN, Mix, Reveal, build_mix, check_die, check_reveal
from pbem.trust.entries import AFTER_CLOSE, Entry, Received, Refused, Reported, Resolve, Revealed
from pbem.trust.faults import ChainFault, LedgerFault, TrustFault

STEPS = "every reveal is the next step of a chain that was fixed before"
SHARES = "everyone who sent orders in time contributed to the dice, and nobody else"
MIXES = "every mix is made of its exchange's reveals and nothing else"
DICE = "every die is the one that its key and label give, and no label was used twice"
ONCE = "no order file and no revision was received twice"
TOLD = "every exchange commits to a report for every side and for the public"
"""The claims that judge, player and audit check of every ledger, a game's or a league's."""


class Fault(NamedTuple):
    """A description of what is wrong in a ledger, and the claim that it breaks."""

    claim: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Shares:
    """The facts that decide who contributes to an exchange or call when it is resolved."""

    ledger: str
    number: int
    lines: Mapping[str, str]
    """A mapping from players to the chains by which the mix names them, in force or not."""
    able: Collection[str]
    """The players whose chain is in force."""
    sent: Collection[str]
    """The players whose step has come, in a file that counts or in the reveal after the close."""
    known: Callable[[str], Reveal | None]
    """Function of a chain's name that returns the chain's last proven step before the exchange or call."""
    signed: Mapping[str, Reveal | None] = field(default_factory=dict)
    """A mapping from players to the steps that they have signed, for those whose file the caller can open."""
    used: Collection[str] = ()
    """The labels of the dice that fell before the exchange or call, without those in void exchanges."""
    fixed: Mapping[str, str] = field(default_factory=dict)
    """A mapping from chains to the values that they contribute instead of their steps."""

    @property
    def due(self) -> set[str]:
        """The chains that must contribute to the exchange or call."""
        return {OPEN_CHAIN} | {self.lines[name] for name in {*self.sent} & {*self.able} & {*self.lines}}


class ExchangeView(Protocol):
    """The interface of an exchange of a game, as the ledger has it."""

    @property
    def number(self) -> int:
        """The number of the exchange, counted from 1."""

    @property
    def revealed(self) -> Sequence[Revealed]:
        """The reveals that came after the exchange's close."""

    @property
    def resolved(self) -> Resolve | None:
        """The entry that resolved the exchange; None if it is not resolved."""

    def counted(self) -> Mapping[str, Received]:
        """Return, by player, the order file that counts in the exchange."""


class Seated(Protocol):
    """The interface of a game's seats, with the chains of their players."""

    def lines_in(self, exchange: int) -> Mapping[str, str]:
        """Return, by player, the chain by which the mix of an exchange names them."""

    def contributors(self, exchange: int) -> Collection[str]:
        """Return the players whose chain is in force in an exchange."""


class Ruled(Protocol):
    """The interface of a game's genesis."""

    @property
    def game(self) -> str:
        """The name of the game."""

    @property
    def mode(self) -> str:
        """The mode of the game, which says whether reveals come with orders or after the close."""

    @property
    def drawn(self) -> tuple[str, int] | None:
        """The league's ledger and call that the players' chains came with; None in a game that none drew."""

    @property
    def shares(self) -> Mapping[str, str]:
        """A mapping from chains to their values in exchange 1 of a game that a league has drawn."""


class Game(Protocol):
    """The interface of a game's ledger, as far as it has been read."""

    @property
    def genesis(self) -> Ruled:
        """The first entry of the game's ledger."""

    @property
    def seats(self) -> Seated:
        """The seats of the game, with the chains of their players."""

    @property
    def resolved(self) -> Sequence[ExchangeView]:
        """The exchanges of the game that have been resolved and are not void."""

    @property
    def last(self) -> ExchangeView | None:
        """The latest exchange of the game; None before the first one."""

    def known(self, who: str) -> Reveal | None:
        """Return the last proven step of a chain; None if the game has no such chain."""

    def source(self, exchange: Any) -> ExchangeView:
        """Return the exchange whose orders and keys an exchange uses: itself, or the one that it repeats."""


def shares_of(
    game: Game,
    exchange: ExchangeView,
    *,
    known: Callable[[str], Reveal | None] | None = None,
    signed: Mapping[str, Reveal | None] | None = None,
    used: Collection[str] | None = None,
) -> Shares:
    """Return the facts that decide who contributes to an exchange, as the ledger is before its resolution.

    `known`, `used`: as `Shares` has them, for a caller that has read more of the ledger already.
    """
    lines, sent = game.seats.lines_in(exchange.number), {*exchange.counted()}
    if game.genesis.mode == AFTER_CLOSE:
        sent = {entry.player for entry in exchange.revealed}
    fixed = game.genesis.shares if exchange.number == 1 else {}
    if fixed:  # their steps came with the answers to the league's call
        sent = {*lines}
    return Shares(
        ledger=game.genesis.game,
        number=exchange.number,
        lines=lines,
        able=game.seats.contributors(exchange.number),
        sent=sent,
        known=known or game.known,
        signed=signed or {},
        used=used_labels(one.resolved for one in game.resolved) if used is None else used,
        fixed=fixed,
    )


def used_labels(resolves: Iterable[Resolve | None]) -> set[str]:
    """Return the labels of the dice that fell in some resolutions."""
    return {die.label for resolve in resolves if resolve is not None for die in resolve.dice}


def share_faults(shares: Shares, resolve: Resolve) -> Iterator[Fault]:
    """Yield the faults in a resolution: who contributes, with which step, and who is listed as absent."""
    where, due = f"exchange {shares.number}", shares.due
    for reveal in resolve.reveals:
        if text := _step_fault(shares, reveal):
            yield Fault(STEPS, text)
    shown = {reveal.who for reveal in resolve.reveals}
    who = f"who contributed to {where}"
    for chain in sorted(due - shown):
        sent = "" if chain == OPEN_CHAIN else ", whose file was received"
        yield Fault(SHARES, f"{who}: {_owner(shares, chain)} is left out{sent}")
    for chain in sorted(shown - due):
        yield Fault(SHARES, f"{who}: {_owner(shares, chain)} stands there, of whom no step was due")
    absent = sorted({*shares.lines.values()} - due)
    if sorted(resolve.absent) != absent:
        found = ", ".join(resolve.absent) or "nobody"
        yield Fault(
            SHARES, f"who is absent in {where}: expected {', '.join(absent) or 'nobody'}, found {found}"
        )
    players = {chain: player for player, chain in shares.lines.items()}
    for reveal in resolve.reveals:
        if shares.signed.get(players.get(reveal.who, ""), reveal) != reveal:
            yield Fault(SHARES, f"the reveal of {reveal.who} in {where} is not the one they signed")


def _step_fault(shares: Shares, reveal: Reveal) -> str:
    """Return the reason why a step of a chain cannot be one of a resolution; "" if it can."""
    known = shares.known(reveal.who)
    if known is None or reveal.who == DRAW_CHAIN:
        return f"exchange {shares.number} reveals {reveal.who}, which is not a chain of this game"
    if reveal.step != shares.number:
        return f"the step that {reveal.who} reveals: expected {shares.number}, found {reveal.step}"
    if (share := shares.fixed.get(reveal.who)) is not None:
        told = f"what {reveal.who} contributes to exchange {shares.number}"
        return f"{told}: expected {share}, found {reveal.value}" if reveal.value != share else ""
    try:
        check_reveal(shares.ledger, reveal, known)
    except ChainFault as fault:
        return str(fault)
    return ""


def _owner(shares: Shares, chain: str) -> str:
    return next((player for player, line in shares.lines.items() if line == chain), chain)


def again_faults(resolve: Resolve) -> Iterator[Fault]:
    """Yield a fault if an exchange that is played again reveals steps or lists absent players."""
    if resolve.reveals or resolve.absent:
        yield Fault(SHARES, f"exchange {resolve.exchange} is played again, and yet reveals something")


def label_faults(resolve: Resolve, of: int, used: Collection[str]) -> Iterator[Fault]:
    """Yield the faults in the labels of a resolution's dice. `of`: the exchange whose key gives the dice."""
    here: set[str] = set()
    for die in resolve.dice:
        if die.exchange != of or die.label in used or die.label in here:
            yield Fault(
                DICE, f"the label {die.label} in exchange {resolve.exchange} is used twice or misplaced"
            )
        here.add(die.label)


class UniqueItems:
    """The items in a ledger so far that may not come twice: files, revisions, reveals and reports."""

    def __init__(self, entries: Iterable[Entry | None] = ()) -> None:
        self._files: set[str] = set()
        self._rest: set[tuple[object, ...]] = set()
        self.entries_read = 0
        """The number of entries that have been read."""
        for entry in entries:
            self.take(entry)

    def faults(self, entry: Entry | None) -> Iterator[Fault]:
        """Yield a fault for each item of `entry` that was in the ledger before."""
        match entry:
            case Received():
                where = f"received in exchange {entry.exchange}, was received before"
                if entry.sealed in self._files:
                    yield Fault(ONCE, f"sealed/{entry.sealed}.age, {where}")
                if _place(entry) in self._rest:
                    yield Fault(ONCE, f"revision {entry.rev} of {entry.player}, {where}")
            case Refused() if entry.sealed in self._files:
                where = f"refused in exchange {entry.exchange}, was before"
                yield Fault(ONCE, f"sealed/{entry.sealed}.age, {where}")
            case Revealed() if _place(entry) in self._rest:
                where = f"in exchange {entry.exchange}"
                yield Fault(ONCE, f"the reveal of {entry.player} was received twice {where}")
            case Reported() if _place(entry) in self._rest:
                yield Fault(TOLD, f"{entry.audience} was told of exchange {entry.exchange} already")

    def take(self, entry: Entry | None) -> None:
        """Read the next entry, and add its items to those that may not come again."""
        self.entries_read += 1
        if isinstance(entry, Received | Refused):
            self._files.add(entry.sealed)
        if isinstance(entry, Received | Revealed | Reported):
            self._rest.add(_place(entry))


def _place(entry: Received | Revealed | Reported) -> tuple[object, ...]:
    """Return the fields of an entry that no two entries of a kind may have in common."""
    match entry:
        case Received():
            return entry.kind, entry.exchange, entry.player, entry.rev
        case Revealed():
            return entry.kind, entry.exchange, entry.player
        case Reported():
            return entry.kind, entry.exchange, entry.audience


def prove_next(game: Game, once: UniqueItems, entry: Entry | None) -> None:
    """Prove, for judge and player, that an entry may come next: it repeats nothing, its resolution is right.

    `once`: the items in the ledger before the entry that may not come twice.

    Raises:
        LedgerFault: the entry may not come next.
    """
    refuse(once.faults(entry))
    last = game.last
    if not isinstance(entry, Resolve) or last is None or entry.exchange != last.number or last.resolved:
        return
    source = game.source(last)
    if source is not last and source.resolved is not None:
        prove_again(entry, source.resolved, used_labels(one.resolved for one in game.resolved))
    else:
        prove_resolve(shares_of(game, last), entry)


def prove_resolve(shares: Shares, resolve: Resolve) -> Mix:
    """Return the mix of a resolved exchange; `shares` tell who contributes, as the ledger stood before it.

    Raises:
        LedgerFault: the entry does not follow from its reveals, or names others than it must.
    """
    with _resolving(resolve):
        refuse(share_faults(shares, resolve))
        mix = mix_of(shares, resolve)
        refuse(mix_faults(resolve, mix.name))
        _check_dice(resolve, mix.key, resolve.exchange, shares.used)
    return mix


def prove_again(resolve: Resolve, source: Resolve, used: Collection[str] = ()) -> None:
    """Prove that an exchange was played again with the key of the exchange that it repeats.

    `used`: labels of dice that have fallen before.

    Raises:
        LedgerFault: the exchange reveals something, or has another mix or other dice.
    """
    with _resolving(resolve):
        refuse(again_faults(resolve))
        refuse(mix_faults(resolve, source.mix))
        _check_dice(resolve, bytes.fromhex(source.mix), source.exchange, used)


@contextmanager
def _resolving(resolve: Resolve) -> Iterator[None]:
    try:
        yield
    except (TrustFault, LedgerFault) as fault:
        raise LedgerFault(f"the resolution of exchange {resolve.exchange} is wrong: {fault}") from None


def mix_faults(resolve: Resolve, due: str) -> Iterator[Fault]:
    """Yield a fault if a resolution names another mix than the one that is due, whose name is `due`."""
    if resolve.mix != due:
        yield Fault(MIXES, f"its mix is {resolve.mix}, not {due}")


def refuse(faults: Iterable[Fault]) -> None:
    """Raise the first of some faults, for a caller that accepts nothing with a fault.

    Raises:
        LedgerFault: there is a fault.
    """
    for fault in faults:
        raise LedgerFault(fault.text)


def mix_of(shares: Shares, resolve: Resolve) -> Mix:
    """Return the mix of an exchange, made of the reveals in its resolution.

    Raises:
        LedgerFault: the judge's reveal is missing.
    """
    shown = {reveal.who: reveal for reveal in resolve.reveals}
    if OPEN_CHAIN not in shown:
        raise LedgerFault(f"it reveals nothing of {OPEN_CHAIN}")
    players = [(who, shown.get(who)) for who in shares.lines.values()]
    return build_mix(shares.ledger, shares.number, gm=shown[OPEN_CHAIN], players=players)


def _check_dice(resolve: Resolve, key: bytes, exchange: int, used: Collection[str]) -> None:
    refuse(label_faults(resolve, exchange, used))
    for die in resolve.dice:
        check_die(key, die)
