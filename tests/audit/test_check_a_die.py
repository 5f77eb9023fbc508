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
WALKED = re.compile(r"^(\S+): reached (\w+), fixed (\w+)$", re.MULTILINE)
PUBLIC = slice(0, -1)
"""All steps but the last, which opens orders."""


def typed(blocks: list[str], bundle: Path) -> str:
    """The page's commands as one script."""
    return "\n".join(["set -eu", f"cd {bundle}", *blocks])


def test_the_page_has_its_steps() -> None:
    assert len(BLOCKS) == 9
    for tool in ("sha256sum", "openssl dgst", "ssh-keygen -Y verify", "age -d"):
        assert any(tool in block for block in BLOCKS)
    assert "pbem" not in re.sub(r"pbem1[- ]", "", "".join(BLOCKS))


@pytest.mark.ci(but=("public-blocks0",))
@pytest.mark.parametrize(("audience", "blocks"), [("public", PUBLIC), ("scotland", slice(None))])
def test_an_honest_die(scene: Scene, folder: Callable[[], Path], audience: str, blocks: slice) -> None:
    bundle = write(scene.skirmish.bundle(audience), folder() / "bundle")
    (bundle.parent / "orders").mkdir()  # as beside a demonstration's bundle
    printed = run("sh", "-c", typed(BLOCKS[blocks], bundle)).decode()
    die = scene.skirmish.bundle()["dice/all.txt"].decode().split()
    assert f"{die[2]} fell {die[3]}" in printed
    assert f"thrown {die[3]}, told {die[3]}" in printed
    chains = WALKED.findall(printed)
    assert [who for who, _, _ in chains] == ["gm.1", "alice.1"]
    genesis = scene.skirmish.book.entries[0].text.decode()
    anchors = dict(re.findall(r"^anchor (\S+) 0 (\w+)$", genesis, re.MULTILINE))
    assert all(reached == fixed == anchors[who] for who, reached, fixed in chains)
    computed, leaf = re.search(r"^(\w{64})  -\n(\w{64})$", printed, re.MULTILINE).groups()  # type: ignore[union-attr]
    assert computed == leaf
    assert printed.count("\nhead ") == len(scene.skirmish.club.store.checkpoints("hearth"))
    assert 'Good "pbem1-checkpoint" signature for gm@hearth' in printed
    if audience == "scotland":
        assert 'Good "pbem1-orders" signature for alice@hearth' in printed
        assert "move all from Fife to Mentieth" in printed


@pytest.mark.ci
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


@pytest.mark.parametrize("who", ["gm", "player alice.1"])
def test_a_changed_mix_does_not_lead_to_the_anchor(
    scene: Scene, folder: Callable[[], Path], who: str
) -> None:
    files = scene.skirmish.bundle("public")
    old = re.search(rf"^{who} (\w)", files["mix/2.txt"].decode(), re.MULTILINE)[1]  # type: ignore[index]
    new = "0" if old != "0" else "1"
    mix = files["mix/2.txt"].replace(f"{who} {old}".encode(), f"{who} {new}".encode())
    bundle = write(files | {"mix/2.txt": mix}, folder() / "bundle")
    printed = finished("sh", "-c", typed(BLOCKS[:6], bundle)).stdout.decode()
    chains = {name: reached == fixed for name, reached, fixed in WALKED.findall(printed)}
    assert chains == {"gm.1": who != "gm", "alice.1": who == "gm"}


def test_every_line_of_a_mix_is_explained(scene: Scene) -> None:
    lines = scene.skirmish.bundle()["mix/2.txt"].decode().splitlines()
    assert lines[-1] == "beacon -"
    assert [line.split()[0] for line in lines[:-1]] == ["pbem1", "game", "exchange", "gm", "player", "player"]
    assert "Three lines say what this is" in PAGE.read_text()
    assert f"The last line, `{lines[-1]}`, is the same in every mix" in PAGE.read_text()
