"""What an honest judge has written, opened: as evidence against them it has to be worth nothing."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from pbem.audit.bundle import read_bundle
from pbem.audit.evidence import check_keys, read_log
from pbem.audit.findings import Findings
from pbem.audit.game import told_by
from pbem.audit.papers import compare_letters, read_held
from pbem.player.home import Home
from pbem.trust.armor import find_sealed
from pbem.trust.faults import SealFault
from pbem.trust.sealing import open_sealed


def opened_letters(club: Path, home: Path) -> Iterator[bytes]:
    """Yield the signed reports, notices and invitations among the letters to whoever has this home."""
    keyring = Home(home).keys
    names = [path.stem for path in sorted((home / "keys").glob("*.pub"))]
    keys = [keyring.unlock(name) for name in names if (home / "keys" / name).exists()]
    for letter in sorted((club / "out").glob("*/*.txt")):
        if b"BEGIN AGE" not in letter.read_bytes():
            continue  # in the open
        for sealed in find_sealed(letter.read_bytes()):
            with suppress(SealFault):  # it is for somebody else
                text = open_sealed(sealed, keys)
                if text.startswith((b"pbem1 report\n", b"pbem1 notice\n")):
                    yield text


def check_letters(bundle: Path, club: Path, homes: list[Path], scratch: Path) -> int:
    """Hold all honest letters against a bundle; return how many of them it could be held against.

    Raises:
        Refuted: one of them convicts the judge.
    """
    scratch.mkdir(exist_ok=True)
    for home in homes:
        for number, text in enumerate(opened_letters(club, home)):
            (scratch / f"{home.name}-{number}.txt").write_bytes(text)
    findings = Findings()
    found = read_log(read_bundle(bundle), findings)
    check_keys(found)
    told = told_by(found)
    kept = read_held(scratch, told)
    compare_letters(told, kept.reports)
    return len(kept.reports)
