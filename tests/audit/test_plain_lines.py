"""What a line of free text may hold is said by ranges, and every reader goes by them."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from pbem.audit import audit
from pbem.characters import REFUSED, is_plain, is_plain_line, plain_line
from pbem.trust.act_entries import Act
from tests.audit.attack import Scene
from tests.audit.script import SCRIPT, verify_sh
from tests.audit.stage import otherwise, write
from tests.audit.test_fields import LEDGER, Script, refuted_by_audit, refuted_by_script
from tests.trust.stock import finished

__all__ = ["refuted_by_script"]
PROTOCOL = SCRIPT.with_name("protocol.md")
LAST = 0x10FFFF
AWKS = [("gawk",), ("mawk",), ("busybox", "awk")]
HELD = {
    "a heart of Unicode 15": "back on Sunday \U0001fa77",
    "a format sign of Unicode 15": "a \U00013439b",
    "a sign that nobody has assigned": "a \U000e1fff b",
    "Scotland's flag": "\U0001f3f4\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f",
    "a family": "\U0001f468\u200d\U0001f469\u200d\U0001f467",
    "Persian": "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",
    "a mark that is combined": "cafe\u0301",
    "private use": "a\ue000b",
    "two spaces": "a  b",
    "the longest": "\u00e9" * 500,
    "what stands beside the ranges": "~\u00a1\u00ac\u00ae\u061b\u061d\u2010\u2027\u2030\u205e\u2070"
    "\u3001\ud7ff\ue000\ufdcf\ufdf0\ufefe\uff00\ufffd\U00010000\U0001fffd\U0010fffd",
}
REFUSED_LINES = {
    "a tab": "a\tb",
    "an escape": "a\x1b[2Jb",
    "a carriage return": "a\rb",
    "the byte 0": "a\0b",
    "delete": "a\x7fb",
    "next line": "a\x85b",
    "a blank that does not break": "a\u00a0b",
    "a soft hyphen": "a\u00adb",
    "a blank without width": "a\u200bb",
    "an end of a line": "a\u2028b",
    "an end of a paragraph": "a\u2029b",
    "from right to left": "a\u202eb",
    "an isolate": "a\u2066b",
    "an Arabic mark": "a\u061cb",
    "an ideographic blank": "a\u3000b",
    "a byte order mark": "\ufeffa",
    "no character": "a\ufdd0b",
    "no character of the basic plane": "a\uffffb",
    "no character of a plane above": "a\U0001fffeb",
    "no character of the last plane": "a\U0010ffffb",
    "a byte alone": "a\udcffb",
    "a character cut off": "a\udce2\udc82",
    "a surrogate": "a\udced\udca0\udc80b",
    "two bytes for one": "a\udcc1\udc81b",
    "beyond Unicode": "a\udcf4\udc90\udc80\udc80b",
    "a space at the end": "a ",
    "a letter too many": "\u00e9" * 501,
}
PLACES = {5: "reason snow", 7: "reason a question", 27: "reason bob concedes"}
"""Entries of the ledger, and a line of each that holds free text."""


def told_in_the_protocol() -> Iterator[tuple[int, int]]:
    """The ranges that the protocol names."""
    section = PROTOCOL.read_text(encoding="utf-8").partition("\n## The entries\n")[2].partition("\n## ")[0]
    for line in re.findall(r"^    U\+(.*?)  ", section, re.MULTILINE):
        for one in line.split(", "):
            first, _, last = one.partition("-")
            planes = range(0, LAST, 0x10000) if first.startswith("n") else [0]
            for plane in planes:
                yield plane + int(first.lstrip("n"), 16), plane + int((last or first).lstrip("n"), 16)


def points(ranges: Iterator[tuple[int, int]] | tuple[tuple[int, int], ...]) -> set[int]:
    return {point for first, last in ranges for point in range(first, last + 1)}


def test_the_protocol_names_the_ranges_of_the_program() -> None:
    assert points(told_in_the_protocol()) == points(REFUSED)


@pytest.mark.ci
def test_what_this_python_prints_was_taken_before_and_still_is() -> None:
    printed = {point for point in range(LAST + 1) if chr(point).isprintable()}
    assert not printed & points(REFUSED)
    assert all(
        is_plain(chr(point)) == (point not in points(REFUSED)) for point in (*printed, *points(REFUSED))
    )


@pytest.mark.ci
@pytest.mark.parametrize("awk", AWKS, ids="-".join)
def test_the_script_reads_each_code_point_as_the_program_does(awk: tuple[str, ...], tmp_path: Path) -> None:
    if shutil.which(awk[0]) is None:
        pytest.skip(f"{awk[0]} is not installed")
    reading = SCRIPT.read_text(encoding="utf-8").partition("\nreading='")[2].partition("'\n")[0]
    whole = [point for point in range(LAST + 1) if not 0xD800 <= point <= 0xDFFF and point not in (0, 10)]
    lines = tmp_path / "lines"
    lines.write_bytes("".join(f"a{chr(point)}b\n" for point in whole).encode())
    program = f"{reading} {{ print is_plain($0) }}"
    done = finished(*awk, program, lines)
    assert not done.stderr, done.stderr
    wrong = [
        hex(point)
        for point, said in zip(whole, done.stdout.split(), strict=True)
        if (said == b"1") != is_plain(chr(point))
    ]
    assert wrong == []


def with_text(place: int, text: str) -> tuple[str, ...]:
    """The ledger with other words behind "reason" in one entry."""
    old = PLACES[place]
    assert f"{old}\n" in LEDGER[place]
    return (*LEDGER[:place], LEDGER[place].replace(old, f"reason {text}"), *LEDGER[place + 1 :])


def test_both_verifiers_take_it(refuted_by_script: Script) -> None:
    """All in one ledger, of which nothing is refuted only if each line is taken."""
    old = PLACES[7]
    looks = (LEDGER[7].replace(old, f"reason {text}") for text in HELD.values())
    texts = (*LEDGER[:7], *looks, *LEDGER[8:])
    assert refuted_by_audit(texts) == refuted_by_script(texts) == ""


@pytest.mark.parametrize("text", REFUSED_LINES.values(), ids=REFUSED_LINES)
def test_neither_verifier_takes_it(refuted_by_script: Script, text: str) -> None:
    texts = with_text(7, text)
    assert refuted_by_audit(texts)
    assert refuted_by_script(texts)


@pytest.mark.parametrize("place", sorted(PLACES.keys() - {7}))
@pytest.mark.parametrize("text", ["a\u00a0b", "a\u200bb", "a\x85b", "a\u2028b", "a\udcffb"])
def test_neither_takes_it_wherever_free_text_may_stand(
    refuted_by_script: Script, place: int, text: str
) -> None:
    texts = with_text(place, text)
    assert refuted_by_audit(texts)
    assert refuted_by_script(texts)


def test_what_a_person_types_is_made_a_plain_line() -> None:
    for text in (*HELD.values(), *REFUSED_LINES.values()):
        assert is_plain_line(plain_line(text))
    assert plain_line(" a\u00a0 \u200bb\r\n") == "a b"
    assert plain_line("\u2028 \u00a0") == ""
    assert plain_line(HELD["a family"]) == HELD["a family"]


@pytest.mark.ci
def test_a_bundle_with_a_new_sign_in_a_reason_is_refuted_by_nobody(
    scene: Scene, folder: Callable[[], Path]
) -> None:
    stage = scene.fresh()
    stage.crook = otherwise(Act, reason=HELD["a heart of Unicode 15"])
    stage.act("hold")
    bundle = write(stage.bundle(), folder())
    assert not audit(bundle).is_refuted
    status, printed = verify_sh(bundle)
    assert status == 0, printed
