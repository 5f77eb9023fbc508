"""Somebody who does not know the code learns what was changed, where, and what belongs there."""

from __future__ import annotations

import json
import tarfile
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
from tests.trust.stock import finished

pytestmark = pytest.mark.ci


ACCUSING = "an honest judge cannot"
FAIR = (
    "this bundle is not what an honest judge writes: this copy is old or was changed, or the judge cheated; "
    "get another copy from the judge or another player, and compare"
)


def told(files: Files) -> list[str]:
    """What pbem audit refutes or leaves open."""
    return [str(row) for row in audit_files(Read(files, ())).rows if row.state != "proven"]


def changed(files: Files, name: str, old: bytes, new: bytes) -> Files:
    """A bundle in which a thief has changed one thing."""
    assert old in files[name]
    return files | {name: files[name].replace(old, new, 1)}


def without(files: Files, name: str) -> Files:
    """A bundle that has lost a file."""
    return {path: data for path, data in files.items() if path != name}


def test_what_a_thief_changed_does_not_accuse_the_judge(
    scene: Scene, folder: Callable[[], Path], capsys: pytest.CaptureFixture[str]
) -> None:
    bundle = write(scene.earlier | {"dice/all.txt": b""}, folder())
    status, printed = verify_sh(bundle)
    assert status == 3
    assert FAIR in " ".join(printed.split())
    assert ACCUSING not in printed
    assert main(["audit", str(bundle)]) == 3
    assert f"pbem: the bundle is refuted: {FAIR}" in capsys.readouterr().err


@pytest.mark.parametrize("how", ["changed", "missing", "more"])
def test_the_first_line_of_the_dice_that_differs(scene: Scene, folder: Callable[[], Path], how: str) -> None:
    lines = scene.earlier["dice/all.txt"].decode().splitlines()
    good = lines[2] if how != "more" else "nothing more"
    bad = {"changed": f"{lines[2][:-1]}9", "missing": "nothing more", "more": "2 6 no/die 3"}[how]
    cut = len(lines) if how == "more" else 2
    list_of = [*lines[:cut], *([bad] if how != "missing" else []), *(lines[3:] if how == "changed" else [])]
    files = scene.earlier | {"dice/all.txt": "".join(f"{line}\n" for line in list_of).encode()}
    said = f"dice/all.txt, line {cut + 1}: expected {good}, found {bad}"
    assert any(said in line for line in told(files)), told(files)
    printed = verify_sh(write(files, folder()))[1]
    assert said in printed
    gone = without(files, "dice/all.txt")
    assert not [line for line in told(gone) if "dice/all.txt" in line]


def test_the_first_line_of_a_report_that_was_changed(scene: Scene) -> None:
    name = "reports/scotland/0002.txt"
    lines = scene.skirmish.bundle()[name].decode().splitlines()
    place = next(place for place, line in enumerate(lines) if "Wallace" in line)
    wrong = lines[place].replace("Wallace", "Wellace", 1)
    files = changed(scene.skirmish.bundle(), name, lines[place].encode(), wrong.encode())
    said = [line for line in told(files) if line.startswith("refuted")]
    assert any(f"the hash of {name}" in line for line in said)
    assert any(f"{name}, line {place + 1}: expected {lines[place]}, found {wrong}" in line for line in said)
    assert any("proven   played again" in str(row) for row in audit_files(Read(files, ())).rows)


def test_what_is_refuted_is_not_played_again_and_the_audit_says_so(scene: Scene) -> None:
    dice = scene.earlier["dice/all.txt"].replace(b" 6 1", b" 8 1", 1)
    rows = audit_files(Read(scene.earlier | {"dice/all.txt": dice}, ())).rows
    (row,) = (row for row in rows if row.claim.startswith("played again"))
    assert row.state == State.OPEN
    assert row.detail == "not played again, because what it needs is refuted"


def test_whose_sealed_file_is_missing(scene: Scene, folder: Callable[[], Path]) -> None:
    entry = scene.skirmish.book.history.exchanges[1].received[0]
    refused = scene.skirmish.book.history.exchanges[1].refused[0]
    for sealed, whose in (
        (entry.sealed, f"the orders of {entry.player} for exchange 2, revision {entry.rev}"),
        (refused.sealed, f"a file of {refused.player} for exchange 2 that was refused"),
    ):
        files = without(scene.skirmish.bundle(), f"sealed/{sealed}.age")
        said = f"incomplete: sealed/{sealed}.age is missing: {whose}"
        assert any(said in line for line in told(files)), told(files)
        assert not any("empty" in line for line in told(files))
        assert not [line for line in told(files) if line.startswith("refuted")]
        printed = verify_sh(write(files, folder()))[1]
        assert said in printed
        assert "does not open" not in printed


def test_which_signature_is_damaged(scene: Scene) -> None:
    name = "checkpoints/0024.sig"
    for bad in (scene.skirmish.bundle()["checkpoints/0035.sig"], b"nothing\n"):
        files = scene.skirmish.bundle() | {name: bad}
        assert any(f"signed by the judge and fits the log: {name}: " in line for line in told(files))


@pytest.mark.parametrize("kind", ["consents/", "rotations/"])
def test_which_signed_text_is_damaged(scene: Scene, kind: str) -> None:
    files = scene.interrupted.bundle()
    name = next(name for name in sorted(files) if name.startswith(kind) and name.endswith(".sig"))
    damaged = files[name].replace(b"\n", b"\n\n", 1)
    said = [line for line in told(files | {name: damaged}) if line.startswith("refuted")]
    assert any(f": {name[:74]}" in line and "the signature is malformed" in line for line in said), said


def test_the_first_line_of_a_mix_that_differs(scene: Scene, folder: Callable[[], Path]) -> None:
    files = changed(scene.earlier, "mix/2.txt", b"player bob.1", b"player rob.1")
    wanted = scene.earlier["mix/2.txt"].decode().splitlines()[5]
    said = f"mix/2.txt, line 6: expected {wanted}, found {wanted.replace('bob', 'rob')}"
    for lines in (told(files), verify_sh(write(files, folder()))[1].splitlines()):
        assert any(said in line for line in lines), lines
    gone = verify_sh(write(without(scene.earlier, "mix/2.txt"), folder()))[1]
    assert "follows from what it holds: mix/2.txt" in gone


@pytest.mark.parametrize("name", ["log/0031.entry", "log/leaves", "keys/allowed_signers"])
def test_what_was_not_looked_at(scene: Scene, folder: Callable[[], Path], name: str) -> None:
    old, new = (b"AAAAC3", b"AAAAC4") if name == "keys/allowed_signers" else (b"6", b"7")
    files = changed(scene.skirmish.bundle(), name, old, new)
    counts = {
        "heads": sum(name.startswith("checkpoints/") and name.endswith(".txt") for name in files),
        "order files": sum(name.startswith("sealed/") for name in files),
        "mixes": sum(name.startswith("mix/") for name in files),
        "reports": sum(name.startswith("reports/") for name in files),
    }
    rest = ", ".join(f"{count} {what}" for what, count in counts.items())
    why = "the rest of the bundle was not checked, because it needs what is refuted"
    said = f"open     {why}: {rest}, all dice"
    assert said in told(files)
    assert said in verify_sh(write(files, folder()))[1]


def test_an_entry_that_was_changed_does_not_hide_the_others(scene: Scene, folder: Callable[[], Path]) -> None:
    files = scene.skirmish.bundle()
    for name in ("log/0031.entry", "log/0033.entry", "log/0040.salt"):
        files[name] = files[name].replace(b"3", b"4", 1)
    leaf = files["log/leaves"].decode().splitlines()[30].split()[1]
    (line,) = [line for line in told(files) if "the leaf of entry 31: " in line]
    assert leaf in line
    assert "; entries 33, 40 as well" in line
    printed = verify_sh(write(files, folder()))[1]
    assert "the leaf of entry 31: " in printed


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
    assert any(f"{name}: " in line for line in told(files))
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


def test_findings_for_programs(
    scene: Scene, folder: Callable[[], Path], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["audit", str(write(scene.earlier, folder())), "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["status"] == 0
    assert {row["state"] for row in facts["findings"]} == {"proven", "open"}
    assert facts["shown"]
