"""Proofs that anyone can make about a resolved exchange from public entries, without knowing the game.

    who contributed, with which steps, and which labels fell, is as the rule has it (trust.shares)
    the mix file built from these reveals has the hash that the entry names
    every die is the one that the mix gives its label

An exchange that is played again reveals nothing: its mix is that of the exchange whose orders it takes.

That the labels were the right ones, only playing the game again can show.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager

from pbem.trust.chains import OPEN_CHAIN
from pbem.trust.chance import Mix, build_mix, check_die
from pbem.trust.entries import Entry, Resolve
from pbem.trust.faults import LedgerFault, TrustFault
from pbem.trust.shares import (
    MIXES,
    Fault,
    Game,
    Shares,
    UniqueItems,
    again_faults,
    label_faults,
    share_faults,
    shares_of,
    silent_players,
)


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
        prove_again(entry, source.resolved, silent_players(one.resolved for one in game.resolved))
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
