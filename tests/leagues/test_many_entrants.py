"""As many entrants as a mix file holds, each with the longest name; and 500 of them drawn and audited."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from pbem.audit.bundle import read_bundle
from pbem.audit.findings import State
from pbem.audit.leagues import audit_league
from pbem.judge.leagues.export import export
from pbem.leagues.entries import Said
from pbem.leagues.statements import read_statement
from pbem.trust.chains import OPEN_CHAIN, Reveal
from pbem.trust.chance import Mix, build_mix, parse_mix
from pbem.trust.faults import ChainFault
from pbem.trust.formats import MOST_ENTRANTS
from tests.leagues.world import World, file_of, key_of, make_world

NAMES = [f"{number:03}".ljust(59, "-") + "x" for number in range(MOST_ENTRANTS)]


DRAWN = NAMES[:500]


def enter_all(world: World) -> None:
    """What the desk does with each entry, in one step."""
    club, book = world.club, world.book
    with club.store.step():
        for name in DRAWN:
            signed = read_statement(world.entry(name))
            club.add_player(name, key_of(name).public)
            club.store.add_sealed(signed.statement.sha256, signed.body + signed.armor)
            book.append(Said.of(signed.statement, world.clock()))
        book.sign()


def test_a_mix_holds_the_shares_of_all_of_them() -> None:
    mix = mix_of(NAMES)
    assert parse_mix(mix.text) == mix
    with pytest.raises(ChainFault):
        parse_mix(mix_of([f"{name[:-1]}y" for name in NAMES] + NAMES).text)


def mix_of(names: list[str]) -> Mix:
    judge = Reveal(OPEN_CHAIN, 1, "f" * 64)
    shares = [(f"{name}.1", Reveal(f"{name}.1", 1, f"{number:064x}")) for number, name in enumerate(names)]
    return build_mix(f"league.{'c' * 40}", 1, gm=judge, players=shares)


@pytest.mark.slow
def test_five_hundred_are_drawn_by_dice_of_all_of_them(tmp_path: Path) -> None:
    world = make_world(tmp_path, file_of("knockout"))
    with closing(world.club.store):
        enter_all(world)
        world.after(31)
        world.answer(NAMES[:3])
        world.after(5)
        state = world.book.season.rounds[0]
        assert len(state.made.pairs) == len(DRAWN) - 256, "the others have a bye"
        export(world.club, "cup", tmp_path / "bundle")
    bundle = read_bundle(tmp_path / "bundle")
    mix = parse_mix(bundle.known["mix/1.txt"])
    assert len(mix.players) == len(DRAWN)
    assert sum(value is not None for _, value in mix.players) == 3
    findings = audit_league(bundle)
    assert findings.status == 0
    assert not [row for row in findings.rows if row.state in (State.REFUTED, State.MISSING)]
    assert "3 of 500 shares" in findings.shown
