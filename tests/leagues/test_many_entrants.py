"""As many entrants as a mix file holds, each with the longest name."""

from __future__ import annotations

import pytest

from pbem.trust.chains import OPEN_CHAIN, Reveal
from pbem.trust.chance import Mix, build_mix, parse_mix
from pbem.trust.faults import ChainFault
from pbem.trust.formats import MOST_ENTRANTS

NAMES = [f"{number:03}".ljust(59, "-") + "x" for number in range(MOST_ENTRANTS)]


def test_a_mix_holds_the_shares_of_all_of_them() -> None:
    mix = mix_of(NAMES)
    assert parse_mix(mix.text) == mix
    with pytest.raises(ChainFault):
        parse_mix(mix_of([f"{name[:-1]}y" for name in NAMES] + NAMES).text)


def mix_of(names: list[str]) -> Mix:
    judge = Reveal(OPEN_CHAIN, 1, "f" * 64)
    shares = [(f"{name}.1", Reveal(f"{name}.1", 1, f"{number:064x}")) for number, name in enumerate(names)]
    return build_mix(f"league.{'c' * 40}", 1, gm=judge, players=shares)
