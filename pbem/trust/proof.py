"""What anyone can prove of a resolved exchange from public entries, without knowing the game.

    every reveal lies on a chain that genesis, or a new key, anchors, and is this exchange's step
    the judge's open chain and every player's stand in the resolve entry once, as reveal or absent
    the mix file built from these reveals has the hash that the entry names
    every die is the one that the mix gives its label, and no label falls twice

An exchange that is played again reveals nothing: its mix is that of the exchange whose orders it takes.

That the labels were the right ones, only playing the game again can show.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Protocol

from pbem.trust.chains import OPEN_CHAIN, Reveal, check_reveal
from pbem.trust.chance import Mix, build_mix, check_die
from pbem.trust.entries import Resolve
from pbem.trust.faults import LedgerFault, TrustFault
from pbem.trust.identifiers import split_who


class Fixed(Protocol):
    """What of a game's or a league's first entry its mixes depend on."""

    @property
    def game(self) -> str:
        """The name of the ledger."""


def prove_resolve(
    genesis: Fixed,
    resolve: Resolve,
    known: Callable[[str], Reveal | None],
    chains: Mapping[str, str],
) -> Mix:
    """The mix of a resolved exchange; `known` gives the last proven step of a chain before it.

    `chains`: player -> the chain by which the mix names them.

    Raises:
        LedgerFault: the entry is not what its own reveals give.
    """
    try:
        mix = _prove_mix(genesis, resolve, known, chains)
        _check_dice(resolve, mix.key, resolve.exchange)
    except (TrustFault, LedgerFault) as fault:
        raise LedgerFault(f"the resolution of exchange {resolve.exchange} is wrong: {fault}") from None
    return mix


def prove_again(resolve: Resolve, source: Resolve) -> None:
    """That an exchange was played again with the key of another.

    Raises:
        LedgerFault: it was not.
    """
    if resolve.reveals or resolve.absent or resolve.mix != source.mix:
        raise LedgerFault(
            f"exchange {resolve.exchange} plays exchange {source.exchange} again, and must have its mix"
        )
    try:
        _check_dice(resolve, bytes.fromhex(source.mix), source.exchange)
    except (TrustFault, LedgerFault) as fault:
        raise LedgerFault(f"the resolution of exchange {resolve.exchange} is wrong: {fault}") from None


def _prove_mix(
    genesis: Fixed,
    resolve: Resolve,
    known: Callable[[str], Reveal | None],
    chains: Mapping[str, str],
) -> Mix:
    reveals = {split_who(reveal.who)[0]: reveal for reveal in resolve.reveals}
    for reveal in resolve.reveals:
        if (step := known(reveal.who)) is None:
            raise LedgerFault(f"it reveals the chain {reveal.who}, which nothing anchors")
        if reveal.step != resolve.exchange:
            raise LedgerFault(f"it reveals step {reveal.step} of {reveal.who}, not step {resolve.exchange}")
        check_reveal(genesis.game, reveal, step)
    judge, _ = split_who(OPEN_CHAIN)
    if judge not in reveals:
        raise LedgerFault(f"it reveals nothing of {OPEN_CHAIN}")
    revealed = {reveal.who for reveal in resolve.reveals}
    absent = set(resolve.absent)
    if revealed | absent != {OPEN_CHAIN, *chains.values()} or revealed & absent:
        raise LedgerFault("it must name every player's chain once, as having revealed or as absent")
    players = [(who, reveals.get(name)) for name, who in chains.items()]
    mix = build_mix(genesis.game, resolve.exchange, gm=reveals[judge], players=players)
    if mix.name != resolve.mix:
        raise LedgerFault(f"its mix is {resolve.mix}; the reveals give {mix.name}")
    return mix


def _check_dice(resolve: Resolve, key: bytes, exchange: int) -> None:
    labels: set[str] = set()
    for die in resolve.dice:
        if die.exchange != exchange:
            raise LedgerFault(f"the die {die.label} is said to be of exchange {die.exchange}")
        if die.label in labels:
            raise LedgerFault(f"the die {die.label} is rolled twice")
        labels.add(die.label)
        check_die(key, die)
