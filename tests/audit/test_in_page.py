"""A bundle that is given to the page: the findings of `pbem audit`, and what is refused."""

from __future__ import annotations

import io
import json
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Iterable
from pathlib import Path

import pytest

from pbem.audit import audit
from pbem.audit.bundle import read_bundle
from pbem.web import auditing
from pbem.web.auditing import Auditor, NotTaken, answer

GAME = Path(__file__).parents[2] / "games/first-war-1298"
BUNDLE = GAME / "bundle.tar.gz"
HEAD = (GAME / "genesis").read_text(encoding="ascii").strip()
NOTHING: dict[str, str] = {}


def files() -> dict[str, bytes]:
    """The bundle's files by their places."""
    found = read_bundle(BUNDLE).known_files
    return {name: found[name] for name in found}


def zipped(found: Iterable[tuple[str, bytes]]) -> bytes:
    """The same in a zip."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in found:
            archive.writestr(name, data)
    return out.getvalue()


@pytest.mark.ci
def test_it_finds_what_the_command_finds_and_tells_each_claim_and_exchange() -> None:
    told: list[dict[str, object]] = []
    auditor = Auditor()
    found = auditor.audit(
        "bundle.tar.gz",
        [("bundle.tar.gz", BUNDLE.read_bytes())],
        {"demo": HEAD},
        lambda one: told.append(json.loads(one)),
    )
    expected = audit(BUNDLE, HEAD)
    assert found.rows == tuple((row.state, row.claim, row.detail) for row in expected.rows)
    assert (found.shown, found.remark, found.status) == (expected.shown, "", 0)
    assert found.pinned
    assert found.sound
    assert [tuple(one["row"]) for one in told if "row" in one] == list(found.rows)  # type: ignore[arg-type]
    played = [(one["played"], one["of"]) for one in told if "played" in one]
    assert played == [(number, played[-1][1]) for number in range(1, len(played) + 1)]
    assert len(played) == played[-1][1]
    assert '"over"' in auditor.story()


@pytest.mark.parametrize("folder", ["", "bundle/", "a game/"])
def test_a_folder_and_a_zip_are_the_same_bundle(folder: str) -> None:
    given = [(f"{folder}{name}", data) for name, data in reversed(files().items())]
    beside = [("__MACOSX/bundle/._log", b"x"), (f"{folder}.DS_Store", b"x")]
    for form in ([*given, *beside], [("game.zip", zipped([*given, *beside]))]):
        found = auditing.read_given("game", form)
        assert {name: found.known_files[name] for name in found.known_files} == files()
        assert found.foreign == ()


def test_a_forged_bundle_is_refuted_in_the_words_of_the_command_and_not_looked_back_at() -> None:
    changed = files()
    changed["reports/public/0004.txt"] += b"England has won.\n"
    auditor = Auditor()
    found = auditor.audit("forged", list(changed.items()), NOTHING, lambda _: None)
    assert "refuted" in {state for state, _, _ in found.rows}
    assert found.remark.startswith("the bundle is refuted: this bundle is not what an honest judge writes")
    assert not found.pinned
    assert not found.sound
    with pytest.raises(NotTaken, match="no bundle is here that was audited and is sound"):
        auditor.story()


def test_another_game_of_the_same_name_is_not_the_one_that_was_joined() -> None:
    found = Auditor().audit("bundle", [("bundle", BUNDLE.read_bytes())], {"demo": "0" * 64}, lambda _: None)
    assert found.pinned
    states = {claim: state for state, claim, _ in found.rows}
    assert states["the genesis is the one that the players joined"] == "refuted"
    assert not found.sound


def tarred(names: Iterable[tuple[str, bytes]]) -> bytes:
    """A .tar.gz of these files."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as archive:
        for name, data in names:
            member = tarfile.TarInfo(name)
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
    return out.getvalue()


LEAGUE = [("log/0001.entry", b"league x\n"), ("log/leaves", b"")]
REFUSED: dict[str, tuple[list[tuple[str, bytes]], str]] = {
    "nothing of a bundle": ([("a.txt", b"x")], "holds no file that a bundle has"),
    "an empty zip": ([("a.zip", zipped([]))], "holds no file that a bundle has"),
    "a broken zip": ([("a.zip", b"PK\3\4" + b"x" * 90)], "not a zip that can be read"),
    "a broken archive": ([("a.tar.gz", b"\x1f\x8b" + b"x" * 90)], "not a readable .tar.gz"),
    "names outside": ([("a.zip", zipped([("../../lib/pbem/errors.py", b"x")]))], "holds no file that a"),
    "a league": (LEAGUE, "is the bundle of a league; audit it with: pbem audit FILE"),
    "an archive of a league": ([("a.tar.gz", tarred(LEAGUE))], "is the bundle of a league"),
}


@pytest.mark.parametrize("kind", REFUSED)
def test_what_is_no_bundle_is_told_in_a_sentence(kind: str) -> None:
    given, why = REFUSED[kind]
    with pytest.raises(NotTaken, match=why.replace(".", r"\.")):
        Auditor().audit("a", given, NOTHING, lambda _: None)


def test_a_bundle_that_grows_without_end_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    size = sum(map(len, files().values()))
    forms = ([("b.tar.gz", BUNDLE.read_bytes())], [("b.zip", zipped(files().items()))], list(files().items()))
    for form in forms:
        monkeypatch.setattr(auditing, "MAX_BUNDLE_SIZE", size)
        assert auditing.read_given("b", form).known_files
        monkeypatch.setattr(auditing, "MAX_BUNDLE_SIZE", size - 1)
        with pytest.raises(NotTaken, match="'b' is larger than a bundle can be; what a page cannot hold"):
            auditing.read_given("b", form)


def test_a_fault_and_a_bug_are_handed_on_as_such() -> None:
    def fails() -> None:
        raise NotTaken("it is none")

    def breaks() -> None:
        raise KeyError("x")

    def fills() -> None:
        raise MemoryError

    assert json.loads(answer(fails)) == {"fault": "it is none"}
    assert json.loads(answer(breaks)) == {"bug": "KeyError: 'x'"}
    assert "larger than a page can hold" in json.loads(answer(fills))["fault"]
    assert json.loads(answer(lambda: "x")) == {"answer": "x"}


@pytest.mark.ci
def test_an_audit_in_the_page_knows_neither_home_nor_keys_nor_network() -> None:
    code = "import sys, pbem.web.auditing; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    own = {name for name in loaded.split() if name.startswith("pbem.")}
    assert not {name for name in own if name.startswith(("pbem.player", "pbem.judge", "pbem.web.api"))}
    assert "pbem.audit.game" in own
