"""Numbers and lists that no honest bundle has, signed anew: the script ends, and refutes like the audit."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from pbem.audit import audit
from tests.audit.attack import Scene
from tests.audit.script import verify_sh
from tests.audit.stage import Files, write
from tests.audit.workshop import Workshop

pytestmark = pytest.mark.ci
LONGEST = 100
"""Seconds after which the script counts as one that does not end; an honest bundle takes two of them."""


def both_refute(files: Files, bundle: Path, told: str) -> None:
    write(files, bundle)
    assert audit(bundle).is_refuted
    status, printed = verify_sh(bundle, longest=LONGEST)
    assert status == 3, printed
    assert told in printed


@pytest.mark.parametrize("step", [4_097, 999_999_999])
def test_a_reveal_of_a_step_that_no_chain_has(scene: Scene, folder: Callable[[], Path], step: int) -> None:
    shop = Workshop(scene.skirmish)
    shop.change("resolve 3", "reveal gm.1 3 ", f"reveal gm.1 {step} ")
    both_refute(shop.bind(), folder(), "this cannot stand there in a resolve")


@pytest.mark.parametrize("who", ["gm.1", "alice.2", "carol.{}"])
def test_reveals_by_the_thousand(scene: Scene, folder: Callable[[], Path], who: str) -> None:
    """Each leads back 4,096 steps to nothing."""
    shop = Workshop(scene.skirmish)
    page = shop.find("resolve 3")
    line = next(line for line in page.text.splitlines(keepends=True) if line.startswith("absent "))
    many = (f"reveal {who.format(number)} 4096 {number:064x}\n" for number in range(1, 900))
    page.text = page.text.replace(line, "".join(many) + line)
    both_refute(shop.bind(), folder(), "entry")


def test_a_secret_mix_of_an_exchange_that_no_game_has(scene: Scene, folder: Callable[[], Path]) -> None:
    files = Workshop(scene.finished).files
    text = files["mix/3.secret.txt"].decode()
    for number in range(90_000, 90_200):
        words = text.replace("exchange 3\n", f"exchange {number}\n")
        files[f"mix/{number}.secret.txt"] = words.encode()
    both_refute(files, folder(), "belongs to no resolved exchange")


@pytest.mark.parametrize("number", ["08", "0008", "9999", "0", "00000000000000000000020", "0x14", "-2"])
def test_a_number_of_exchanges_that_none_can_be(
    scene: Scene, folder: Callable[[], Path], number: str
) -> None:
    shop = Workshop(scene.skirmish)
    shop.change("genesis", "exchanges 600\n", f"exchanges {number}\n")
    both_refute(shop.bind(), folder(), "entry 1")


@pytest.mark.parametrize("number", ["0{}", "{}e0", "0x{}", "+{}", "{}."])
def test_a_number_of_a_leaf_in_another_form(scene: Scene, folder: Callable[[], Path], number: str) -> None:
    """That of a secret draw, whose entry the bundle does not open."""
    files = scene.skirmish.bundle("public")
    leaves = files["log/leaves"].decode().splitlines(keepends=True)
    hidden = next(place for place, _ in enumerate(leaves, 1) if f"log/{place:04d}.entry" not in files)
    leaves[hidden - 1] = leaves[hidden - 1].replace(f"{hidden} ", f"{number.format(hidden)} ", 1)
    files["log/leaves"] = "".join(leaves).encode()
    both_refute(files, folder(), f"log/leaves, line {hidden} is not a leaf")
