"""What entrants kept, beside a league's bundle: it can convict a judge, and nobody can frame them with it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from pbem.audit.bundle import Files
from pbem.audit.findings import Finding, Findings, State
from pbem.audit.leagues import audit_league
from pbem.trust import keys
from pbem.trust.armor import find_sealed
from pbem.trust.ledger import Checkpoint, Receipt, sign_statement
from pbem.trust.sealing import open_sealed
from tests.leagues.world import World, file_of, files_of, key_of, make_world, take_reply

AGREES, REACHES = "the bundle agrees with what players kept", "the bundle is as new as what players kept"
SENT = "the ledger has every order file that players sent to everybody"
LEAGUE = "league.cup"


@dataclass
class Days:
    """A league's bundles of some days, what ann has kept, and the judge's key."""

    monday: Files
    """Her call is open, and nothing of hers has come."""
    tuesday: Files
    """Her file has come, the call is resolved, the round is drawn."""
    wednesday: Files
    """One more file of hers has come, too late."""
    late: bytes
    kept: dict[str, bytes]
    judge: keys.PrivateKey


@pytest.fixture(scope="module")
def days(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Days]:
    """A league of two."""
    world = make_world(tmp_path_factory.mktemp("held"), file_of("swiss", count=1))
    world.enter("ann", "ben")
    world.after(31)
    world.answer(["ben"])
    monday = files_of(world)
    late = world.reply("ann", rev=2)
    world.answer(["ann"])
    world.run()
    tuesday, kept = files_of(world), kept_by_ann(world)
    take_reply(world.club, late)
    yield Days(monday, tuesday, files_of(world), late, kept, world.club.key)
    world.club.store.close()


def kept_by_ann(world: World) -> dict[str, bytes]:
    """Her receipts, as her program keeps them."""
    letters = [one for one in world.club.store.letters_to(LEAGUE, "ann") if "receipt" in one.name]
    opened = {one.name: open_sealed(find_sealed(one.data)[0], [key_of("ann")]) for one in letters}
    return {name: text.rstrip(b"\n") + b"\n" for name, text in opened.items()}


def head(files: Files, size: int, digit: str = "") -> Checkpoint:
    """The head of a bundle's ledger at some size, or another one."""
    text = files.known_files[f"checkpoints/{size:04d}.txt"].decode() if not digit else ""
    return Checkpoint(game=LEAGUE, size=size, head=digit * 64 or text.split()[-1])


def receipt(number: int = 1, **changed: object) -> Receipt:
    """For a file that nobody has ever sent."""
    parts = {"player": "ann", "exchange": 1, "rev": 9, "sealed": "5" * 64, "echo": "0" * 64} | changed
    return Receipt(game=LEAGUE, number=number, **parts)  # type: ignore[arg-type]


def signed(paper: Receipt | Checkpoint, key: keys.PrivateKey) -> bytes:
    """The paper as a program keeps it, the signature below its text."""
    return paper.text + sign_statement(paper, key)


def checked(files: Files, held: dict[str, bytes], folder: Path) -> Findings:
    """What the audit says to a bundle beside these papers."""
    for name, data in held.items():
        (folder / name).write_bytes(data)
    return audit_league(files, None, folder)


def row(findings: Findings, claim: str = AGREES) -> Finding:
    """How a claim about papers stands."""
    return next(one for one in findings.rows if one.claim == claim)


def test_an_entrants_receipts_agree(days: Days, tmp_path: Path) -> None:
    findings = checked(days.tuesday, days.kept, tmp_path)
    assert row(findings).state is State.PROVEN
    assert findings.status == 0


def test_a_file_that_was_refused_is_in_the_ledger_too(days: Days, tmp_path: Path) -> None:
    (tmp_path / "sealed").mkdir()
    for files, state in ((days.tuesday, State.OPEN), (days.wednesday, State.PROVEN)):
        assert row(checked(files, {"sealed/late.age": days.late}, tmp_path), SENT).state is state


FOREIGN: dict[str, tuple[Callable[[], bytes], str]] = {
    "a receipt that an entrant signed": (lambda: signed(receipt(), key_of("ann")), "the judge has not"),
    "another club's receipt": (
        lambda: signed(receipt(), key_of("gm 2")),
        "is not that of this bundle's judge",
    ),
    "a stranger's head": (
        lambda: signed(Checkpoint(game=LEAGUE, size=2, head="a" * 64), key_of("mallory")),
        "is not that of this bundle's judge",
    ),
    "an entrant's head": (
        lambda: signed(Checkpoint(game=LEAGUE, size=2, head="a" * 64), key_of("ben")),
        "the judge has not",
    ),
    "a receipt under no signature": (lambda: receipt().text, "not signed"),
    "a first line alone": (lambda: b"pbem1 receipt\n", "not signed"),
}


@pytest.mark.parametrize("what", FOREIGN)
def test_a_foreign_paper_is_named_and_passed_over(days: Days, tmp_path: Path, what: str) -> None:
    make, told = FOREIGN[what]
    findings = checked(days.tuesday, {**days.kept, "a-paper.txt": make()}, tmp_path)
    assert not findings.is_refuted, [str(one) for one in findings.rows]
    assert row(findings).state is State.OPEN
    assert "a-paper.txt proves nothing" in row(findings).detail
    assert told in row(findings).detail
    assert findings.status == 0


def test_a_text_that_only_begins_like_a_paper_is_none(days: Days, tmp_path: Path) -> None:
    note = b"pbem1 receipts are what I collect\n"
    assert row(checked(days.tuesday, {**days.kept, "note.txt": note}, tmp_path)).state is State.PROVEN


def test_a_judges_paper_of_another_league_is_about_that(days: Days, tmp_path: Path) -> None:
    other = Checkpoint(game="league.cup-2", size=2, head="a" * 64)
    findings = checked(days.tuesday, {**days.kept, "other.txt": signed(other, days.judge)}, tmp_path)
    assert row(findings).state is State.PROVEN


def test_a_receipt_that_is_newer_than_the_bundle(days: Days, tmp_path: Path) -> None:
    findings = checked(days.monday, days.kept, tmp_path)
    assert row(findings).state is State.OPEN
    assert "receipt 1 of ann is newer than this bundle: ask the judge for a later one" in row(findings).detail
    assert findings.status == 0


def test_a_receipt_of_a_later_call_is_newer_too(days: Days, tmp_path: Path) -> None:
    later = signed(receipt(2, exchange=2), days.judge)
    assert row(checked(days.tuesday, {**days.kept, "r.txt": later}, tmp_path)).state is State.OPEN


def test_a_head_that_is_newer_than_the_bundle(days: Days, tmp_path: Path) -> None:
    """Something is missing, and nobody has cheated."""
    last = max(int(name[12:16]) for name in days.tuesday.known_files if name.startswith("checkpoints/"))
    held = {"head.txt": signed(head(days.tuesday, last), days.judge)}
    findings = checked(days.monday, held, tmp_path)
    assert not findings.is_refuted
    assert row(findings).state is State.PROVEN
    assert row(findings, REACHES).state is State.MISSING
    assert "stale: this bundle is older than what was signed" in row(findings, REACHES).detail
    assert findings.status == 4
    assert row(checked(days.tuesday, held, tmp_path), REACHES).state is State.PROVEN


GUILTY: dict[str, tuple[Receipt | Checkpoint, str]] = {
    "another head": (Checkpoint(game=LEAGUE, size=2, head="a" * 64), "two histories"),
    "a receipt of what is not there": (receipt(2), "the ledger has not received them"),
    "a receipt twice": (receipt(), "two different receipts with the number 1"),
}


@pytest.mark.parametrize("what", GUILTY)
def test_the_judges_own_word_convicts_them(days: Days, tmp_path: Path, what: str) -> None:
    """Whatever else lies beside it."""
    paper, told = GUILTY[what]
    chaff = {f"a-{number}.txt": make() for number, (make, _) in enumerate(FOREIGN.values())}
    findings = checked(days.tuesday, {**chaff, **days.kept, "paper.txt": signed(paper, days.judge)}, tmp_path)
    assert row(findings).state is State.REFUTED
    assert told in row(findings).detail
    assert findings.status == 3


def test_a_receipt_whose_number_was_given_to_another_file(days: Days, tmp_path: Path) -> None:
    """The call is open, but the ledger has another file of ben's as his first."""
    other = receipt(player="ben")
    findings = checked(days.monday, {"r.txt": signed(other, days.judge)}, tmp_path)
    assert row(findings).state is State.REFUTED
    assert "receipt 1" in row(findings).detail


def test_a_pair_of_files_is_read_as_one(days: Days, tmp_path: Path) -> None:
    """As games keep them: the text, and its signature beside it."""
    paper = Checkpoint(game=LEAGUE, size=2, head="a" * 64)
    held = {"h.txt": paper.text, "h.txt.sig": sign_statement(paper, days.judge)}
    assert row(checked(days.tuesday, held, tmp_path)).state is State.REFUTED


def test_a_copy_that_was_sent_to_everybody(days: Days, tmp_path: Path) -> None:
    """It proves that it was sent, not that it arrived."""
    (tmp_path / "sealed").mkdir()
    name = next(one for one in sorted(days.tuesday.known_files) if one.startswith("sealed/"))
    findings = checked(days.tuesday, {"sealed/copy.age": days.tuesday.known_files[name]}, tmp_path)
    claim = "the ledger has every order file that players sent to everybody"
    assert row(findings, claim).state is State.PROVEN
