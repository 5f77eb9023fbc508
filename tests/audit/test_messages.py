"""Somebody who does not know the code learns what was changed, where, and what belongs there."""

from __future__ import annotations

import fnmatch
import re
import tarfile
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

from pbem.audit.bundle import Files as Read
from pbem.audit.findings import State
from pbem.audit.game import audit_files
from pbem.cli import main
from tests.audit.attack import Scene
from tests.audit.script import SCRIPT, verify_sh
from tests.audit.stage import Files, write
from tests.kept import as_kept, plain
from tests.trust.stock import finished

pytestmark = pytest.mark.ci


GOLDEN = Path(__file__).parent / "golden"
FAIR = (
    "this bundle is not what an honest judge writes: this copy is old or was changed, or the judge cheated; "
    "get another copy from the judge or another player, and compare"
)


DAMAGES = tomllib.loads((Path(__file__).parent / "damages.toml").read_text(encoding="utf-8"))


def test_what_a_thief_changed_does_not_accuse_the_judge(
    scene: Scene, folder: Callable[[], Path], capsys: pytest.CaptureFixture[str]
) -> None:
    changed = str(write(scene.earlier | {"dice/all.txt": b""}, folder()))
    assert main(["audit", changed]) == 3
    assert f"pbem: the bundle is refuted: {FAIR}" in capsys.readouterr().err
    missing = str(folder())
    assert main(["audit", changed, missing]) == main(["audit", missing, changed]) == 3, "the worst of both"


def told(name: str, files: Files, bundle: Path) -> list[str]:
    """What both verifiers refute or leave open, and how they end."""
    found = audit_files(Read(files, ()))
    status, printed = verify_sh(bundle)
    script = [line for line in printed.splitlines() if not line.startswith("proven")]
    rows = [str(row) for row in found.rows if row.state != State.PROVEN]
    return [f"== {name}: {found.status}, {status}", *rows, found.shown, "-- the script", *script]


@pytest.mark.parametrize("name", DAMAGES)
def test_what_is_said_of_a_damaged_bundle_is_as_it_was(
    scene: Scene, folder: Callable[[], Path], name: str
) -> None:
    damage = DAMAGES[name]
    files = {**scene.earlier} if damage["of"] == "earlier" else getattr(scene, damage["of"]).bundle()
    for path in fnmatch.filter(sorted(files), damage["file"])[:9]:
        data = files.pop(path)
        if "old" in damage:
            files[path] = re.sub(damage["old"].encode(), damage["new"].encode(), data, count=1)
            assert files[path] != data
    bundle = write(files, folder())
    said = [plain(line.replace(str(bundle), "(bundle)")) for line in told(name, files, bundle)]
    as_kept(GOLDEN / f"{name.replace(' ', '-')}.txt", "\n".join([*said, ""]))


def test_whose_sealed_file_is_missing(scene: Scene, folder: Callable[[], Path]) -> None:
    exchange = scene.skirmish.book.history.exchanges[1]
    entry, refused = exchange.received[0], exchange.refused[0]
    for sealed, whose in (
        (entry.sealed, f"the orders of {entry.player} for exchange 2, revision {entry.rev}"),
        (refused.sealed, f"a file of {refused.player} for exchange 2 that was refused"),
    ):
        files = {**scene.skirmish.bundle()}
        del files[f"sealed/{sealed}.age"]
        said = "\n".join(told("", files, write(files, folder())))
        assert said.count(f"incomplete: sealed/{sealed}.age is missing: {whose}") == 2
        assert not [words for words in ("empty", "\nrefuted", "does not open") if words in said]


# The armor of signatures


ARMOR_SPOILS = {
    "text after it": lambda armor: armor + b"more text\n" * 50,
    "an empty line after it": lambda armor: armor + b"\n",
    "text before it": lambda armor: b"Dear all,\n" + armor,
    "lines that end in CR LF": lambda armor: armor.replace(b"\n", b"\r\n"),
    "no end of the last line": lambda armor: armor[:-1],
    "an empty line in it": lambda armor: armor.replace(b"\n", b"\n\n", 2),
    "shorter lines": lambda armor: armor[:60] + b"\n" + armor[60:],
    "a blank": lambda armor: armor.replace(b"\n", b" \n", 2),
    "a second block": lambda armor: armor * 2,
}


@pytest.mark.parametrize("spoil", ARMOR_SPOILS.values(), ids=ARMOR_SPOILS)
def test_a_signature_is_one_block_of_armor(
    scene: Scene, folder: Callable[[], Path], spoil: Callable[[bytes], bytes]
) -> None:
    name = "checkpoints/0024.sig"
    files = scene.earlier | {name: spoil(scene.earlier[name])}
    assert any(f"{name}: " in str(row) for row in audit_files(Read(files, ())).rows)
    status, printed = verify_sh(write(files, folder()))
    assert status == 3
    assert f"{name} is not exactly one signature as ssh-keygen writes it" in printed


# What is typed wrongly


def test_a_head_that_is_cut_short(
    scene: Scene, folder: Callable[[], Path], capsys: pytest.CaptureFixture[str]
) -> None:
    bundle = write(scene.earlier, folder())
    for given in (scene.skirmish.genesis[:4], f"{scene.skirmish.genesis[:4]}...", "SHA256:abc"):
        assert main(["audit", str(bundle), "--genesis", given]) == 2
        said = " ".join(capsys.readouterr().err.split())
        wrong = given.rstrip(".")
        assert f"a head has 64 digits (0-9, a-f), and all of them are needed: {wrong}" in said
        status, printed = verify_sh(bundle, given)
        assert status == 2
        assert f"a head has 64 digits (0-9, a-f), and all of them are needed: {given}" in printed
    assert main(["audit", str(bundle), "--genesis", scene.skirmish.genesis]) == 0


@pytest.mark.parametrize("top", [".", "whole"])
def test_an_archive_given_to_the_script(scene: Scene, folder: Callable[[], Path], top: str) -> None:
    place = folder()
    write(scene.earlier, place / "whole")
    with tarfile.open(place / "whole.tar.gz", "w:gz") as tar:
        tar.add(place / "whole", top)
    status, printed = verify_sh(place / "whole.tar.gz")
    assert status == 2
    command = f"mkdir unpacked && tar -xzf {place / 'whole.tar.gz'} -C unpacked && sh {SCRIPT} unpacked"
    assert command in printed
    done = finished("sh", "-c", f"cd {place} && {command}")
    assert done.returncode == 0, done.stdout


def test_a_file_too_many_given_to_the_script(scene: Scene, folder: Callable[[], Path]) -> None:
    printed = verify_sh(write(scene.earlier | {"notes": b""}, folder()))[1]
    assert "notes does not belong in a bundle" in printed
    assert (
        "was not checked, because it needs what is refuted: take away what does not belong, and begin again"
        in printed
    )
