"""Resolves a call of a league: mixes everybody's steps, and draws lots from the mix.

As in a game (trust.chance): the key of call i is the SHA-256 of its mix, and each lot a die under that key,
by its own label. Labels begin with what the call is for, `draw-2/...` or `seats-2/...`, so none falls twice.
"""

from __future__ import annotations

from collections.abc import Mapping

from pbem.leagues.entries import LeagueGenesis, Purpose
from pbem.leagues.state import Call
from pbem.trust.chance import Dice, Die, Mix, Reveal, build_mix
from pbem.trust.entries import Resolve


class Lots:
    """The dice of one call of a league, which calculations use as their `Die`."""

    def __init__(self, call: int, purpose: Purpose, key: bytes) -> None:
        self._dice = Dice()
        self._dice.begin(call, key)
        self._start = f"{purpose.what}-{purpose.round}"

    def __call__(self, sides: int, label: str) -> int:
        """Return the lot called `label`, from 1 to `sides`."""
        return self._dice.roll(f"{self._start}/{label}", sides)

    @property
    def rolled(self) -> tuple[Die, ...]:
        """Return all lots that were drawn in the call so far."""
        return tuple(self._dice.rolled)

    def resolve(self, mix: Mix, reveals: tuple[Reveal, ...], absent: tuple[str, ...]) -> Resolve:
        """Return the `resolve` entry of the call, with all lots that were drawn so far."""
        return Resolve(
            exchange=mix.exchange,
            reveals=reveals,
            absent=absent,
            mix=mix.name,
            dice=self.rolled,
        )


def mix_of(
    genesis: LeagueGenesis,
    call: Call,
    judge: Reveal,
    reveals: Mapping[str, Reveal],
    chains: Mapping[str, str],
) -> tuple[Mix, tuple[Reveal, ...], tuple[str, ...]]:
    """Return the mix of a call, and the revealing and the absent players for the call's `resolve` entry.

    `reveals`: player -> the step in the file that counts; `chains`: player -> chain, of all who were asked.
    """
    players = [(who, reveals.get(player)) for player, who in sorted(chains.items())]
    mix = build_mix(genesis.game, call.number, gm=judge, players=players)
    shown = tuple(reveal for _, reveal in players if reveal is not None)
    return mix, (judge, *shown), tuple(who for who, reveal in players if reveal is None)
