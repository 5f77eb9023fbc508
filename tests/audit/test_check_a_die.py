"""pbem/docs/check-a-die.md is typed in as it stands, and comes out as it says."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.audit.attack import Scene
from tests.audit.stage import write
from tests.trust.stock import finished, run

PAGE = Path(__file__).parents[2] / "pbem/docs/check-a-die.md"
BLOCKS = re.findall(r"^```sh\n(.*?)^```$", PAGE.read_text(), re.MULTILINE | re.DOTALL)
PUBLIC = slice(0, -1)
"""All steps but the last, which opens orders."""


def typed(blocks: list[str], bundle: Path) -> str:
    """The page's commands as one script."""
    return "\n".join(["set -eu", f"cd {bundle}", *blocks])


def test_the_page_has_its_steps() -> None:
    assert len(BLOCKS) == 8
    for tool in ("sha256sum", "openssl dgst", "ssh-keygen -Y verify", "age -d"):
        assert any(tool in block for block in BLOCKS)
    assert "pbem" not in re.sub(r"pbem1[- ]", "", "".join(BLOCKS))


@pytest.mark.parametrize(("audience", "blocks"), [("public", PUBLIC), ("scotland", slice(None))])
def test_an_honest_die(scene: Scene, folder: Callable[[], Path], audience: str, blocks: slice) -> None:
    bundle = write(scene.skirmish.bundle(audience), folder() / "bundle")
    printed = run("sh", "-c", typed(BLOCKS[blocks], bundle)).decode()
    die = scene.skirmish.bundle()["dice/all.txt"].decode().split()
    assert f"{die[2]} fell {die[3]}" in printed
    assert f"thrown {die[3]}, told {die[3]}" in printed
    reached, fixed = re.search(r"reached (\w+), fixed (\w+)", printed).groups()  # type: ignore[union-attr]
    assert reached == fixed
    computed, leaf = re.search(r"^(\w{64})  -\n(\w{64})$", printed, re.MULTILINE).groups()  # type: ignore[union-attr]
    assert computed == leaf
    assert printed.count("\nhead ") == len(scene.skirmish.club.store.checkpoints("hearth"))
    assert 'Good "pbem1-checkpoint" signature for gm@hearth' in printed
    if audience == "scotland":
        assert 'Good "pbem1-orders" signature for alice@hearth' in printed
        assert "move all from Fife to Mentieth" in printed


def test_every_die_can_be_thrown(scene: Scene, folder: Callable[[], Path]) -> None:
    bundle = write(scene.skirmish.bundle("public"), folder() / "bundle")
    choose = BLOCKS[0].splitlines()[0].replace(" < dice/all.txt", "")
    throw = "\n".join(BLOCKS[1:3])
    script = f"set -eu\ncd {bundle}\nwhile {choose}; do\n{throw}\ndone < dice/all.txt"
    printed = run("sh", "-c", script).decode()
    told = re.findall(r"thrown (\d), told (\d)", printed)
    assert len(told) == len(scene.skirmish.bundle()["dice/all.txt"].splitlines())
    assert all(thrown == value for thrown, value in told)


def test_a_changed_die_is_caught(scene: Scene, folder: Callable[[], Path]) -> None:
    files = scene.skirmish.bundle("public")
    bundle = write(
        files | {"dice/all.txt": files["dice/all.txt"].replace(b"die-1 4", b"die-1 1", 1)}, folder()
    )
    printed = finished("sh", "-c", typed(BLOCKS[:3], bundle)).stdout.decode()
    assert "thrown 4, told 1" in printed


def test_a_changed_mix_does_not_lead_to_the_anchor(scene: Scene, folder: Callable[[], Path]) -> None:
    files = scene.skirmish.bundle("public")
    mix = re.sub(rb"^gm \w", b"gm 0", files["mix/2.txt"], flags=re.MULTILINE)
    bundle = write(files | {"mix/2.txt": mix}, folder() / "bundle")
    printed = finished("sh", "-c", typed(BLOCKS[:5], bundle)).stdout.decode()
    reached, fixed = re.search(r"reached (\w+), fixed (\w+)", printed).groups()  # type: ignore[union-attr]
    assert reached != fixed
