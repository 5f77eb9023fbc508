"""What the player's page refuses, and what its site is not made of."""

from __future__ import annotations

import base64
import hashlib
import io
import json
import os
import stat
import tarfile
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from pbem.player import Home
from pbem.web import build, homefile
from pbem.web.api import Api
from pbem.web.auditing import Auditor
from pbem.web.build import Package
from pbem.web.door import CALLS, Door
from pbem.web.outbox import MAX_ANSWER_SIZE, MAX_LETTERS, Outbox, _decode
from pbem.web.private_notes import MAX_MARKS, MAX_TEXT_SIZE, NotesDesk, PrivateNotes
from pbem.web.reading import Unpacked
from tests.player.judge import GAME, Judge
from tests.refusals.clauses import Row
from tests.refusals.club import in_folder
from tests.refusals.homes import JOINED, at


def asks(do: Callable[[Api], object], last: int = 0) -> Callable[[], object]:
    """The page of a player asks."""
    return at(lambda alice, _: do(Api(alice.path)), last)


def unpacked(*names: str, size: int = 0, times: int = 1) -> Callable[[], object]:
    """A zip is taken for a home: its last file is there so often, and so large, as the zip says."""

    def do(place: Path) -> object:
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w") as archive:
            for name in names:
                archive.writestr(name, b"")
            archive.filelist[-1].file_size = size
            archive.filelist += archive.filelist[-1:] * (times - 1)
        return homefile.unpack(out.getvalue(), place / "home")

    return in_folder(do)


def two_homes(alice: Home, _: Judge) -> object:
    return homefile.unpack(homefile.pack(alice.path), alice.path)


def garbled(alice: Home, _: Judge) -> object:
    (alice.path / "keys/alice.pub").write_text("garbage")
    return homefile.unpack(homefile.pack(alice.path), alice.path.parent / "other")


def packed_by(method: int) -> Callable[[], object]:
    """A zip that is packed in another way than deflate is taken for a home."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        archive.writestr("keys/x", b"")
    return in_folder(lambda place: homefile.unpack(out.getvalue(), place / "home"))


def odd_answer(place: Path) -> object:
    """The api gives what is no data."""
    CALLS["odd"] = lambda _: {1}
    try:
        return Door(place).ask('{"call": "odd", "given": {}}')
    finally:
        del CALLS["odd"]


# -- private notes


def in_notes(do: Callable[[PrivateNotes], object]) -> Callable[[], object]:
    """Somebody writes private notes where there are none yet."""
    return in_folder(lambda folder: do(PrivateNotes(folder)))


def marks(notes: PrivateNotes, *texts: str) -> None:
    for text in texts:
        notes.mark("blue", "Fife", 1, "", text)


NOTES = (
    Row("this note has 16,385 bytes", in_notes(lambda notes: notes.write("x" * MAX_TEXT_SIZE))),
    Row("a marker needs a text", in_notes(lambda notes: marks(notes, ""))),
    Row("a game can have 200 markers", in_notes(lambda notes: marks(notes, *"x" * (MAX_MARKS + 1)))),
    Row("there is no marker 1 in this game", in_notes(lambda notes: notes.remove(1))),
)

# -- the site

ODD = Package("odd", "1.0.0", "", "lib/odd", modules=("index.js",))


def pinned(text: bytes) -> tuple[Package, bytes]:
    """A package with one module, and its archive."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as tar:
        file = tarfile.TarInfo("package/index.js")
        file.size = len(text)
        tar.addfile(file, io.BytesIO(text))
    data = out.getvalue()
    return replace(ODD, integrity=f"sha512-{base64.b64encode(hashlib.sha512(data).digest()).decode()}"), data


def imports(place: Path) -> object:
    package, data = pinned(b'import x from "other/x.js";\n')
    (place / package.archive).write_bytes(data)
    contents = {package.name: build.unpacked(package, place / package.archive)}
    return dict(build._modules(package, "index.js", (package,), contents))


def npm(*lines: str) -> Callable[[], object]:
    """With a program called npm that does this, or none."""

    def do(place: Path) -> object:
        if lines:
            (place / "npm").write_text("\n".join(("#!/bin/sh", *lines)))
            (place / "npm").chmod(stat.S_IRWXU)
        before = os.environ["PATH"]
        os.environ["PATH"] = str(place)
        try:
            build.pack((ODD,), place)
            return "all packages are here"
        finally:
            os.environ["PATH"] = before

    return in_folder(do)


def other_files(place: Path) -> object:
    (place / "mine.txt").touch()
    return build.build(place)


def other_hash(place: Path) -> object:
    (place / "x").write_bytes(b"something else")
    return build.unpacked(ODD, place / "x")


def audits(*given: tuple[str, bytes]) -> Callable[[], object]:
    """These files are given to the page, to be audited."""
    return lambda: Auditor().audit("a", given, {}, lambda _: None)


OUTSIDE = "this zip names files outside of a home"
LARGE = "this zip is too large for a home"
# -- a post box

BOX, ODD_ANSWER = "https://box.club.example/", "the post box gave an answer that is not written as its format"


TOO_MANY = [{"number": number, "mail": ""} for number in range(1, MAX_LETTERS + 2)]


def answered(text: str) -> Callable[[], object]:
    """A box answers so when letters are fetched."""
    return asks(lambda api: api.fetched(BOX, "alice", text))


def stored(said: str, number: int = 1) -> Callable[[], object]:
    """A box answers so when something was posted."""

    def do(alice: Home, _: Judge) -> object:
        Outbox(alice, alice.now).add(GAME, BOX, "sealed")
        return Api(alice.path).posted(number, said)

    return at(do, 0)


UNNUMBERED = {"size": "1", "head": "0" * 64, "lost": "x"}
ROWS = (
    Row("the answer of the post box is too long", answered(" " * (MAX_ANSWER_SIZE + 1))),
    Row(ODD_ANSWER, answered("<html>")),
    Row(ODD_ANSWER, answered("[]")),
    Row(ODD_ANSWER, answered("{}")),
    Row(ODD_ANSWER, answered(json.dumps({"letters": TOO_MANY}))),
    Row("after letter 0 comes 'None'", answered('{"letters": [{"mail": ""}]}')),
    Row("after letter 0 comes '1'", answered('{"letters": [{"number": 1}]}')),
    Row("after letter 0 comes '0'", answered('{"letters": [{"number": 0, "mail": ""}]}')),
    Row("letter 1 is not base64", answered('{"letters": [{"number": 1, "mail": "*"}]}')),
    Row("says that it stored something else", stored('{"sha256": "x"}')),
    Row("this does not wait to be sent any more", stored("{}", number=2)),
    Row("7", lambda: Unpacked({7: "nothing that is a report"})[7]),
    Row("not a key or a signature", lambda: _decode("*", 32)),
    Row("not a key or a signature", lambda: _decode("", 32)),
    Row("the page gave something that is not a file", asks(lambda api: api.receive([("x", "!")]))),
    Row("a key in a browser needs a passphrase, because", asks(lambda api: api.make_key("x", ""))),
    Row(
        f"there is no report of {GAME} here; first open the judge's invitation",
        asks(lambda api: api.show(GAME), JOINED),
    ),
    Row(
        f"the judge of {GAME} is not known here",
        asks(lambda api: api.away(GAME, "2026-12-01", "2026-12-09"), JOINED),
    ),
    Row(
        "the last report shows no block to mark in Fife",
        asks(lambda api: api.mark_block(GAME, "blue", "Fife", "", "x"), JOINED),
    ),
    Row(
        "no block to mark that is called Fife",
        asks(lambda api: NotesDesk(api._home.folder(GAME)).find_block("Fife"), JOINED),
    ),
    *NOTES,
    Row("choose a block", asks(lambda api: api.mark_block(GAME, "", "", "", "x"), JOINED)),
    Row("this report has 0 steps, counted from 0", asks(lambda api: api.story_picture(GAME, 0, 0))),
    Row("first save your home as a file", asks(lambda api: api.seal(GAME, ""))),
    Row("there is a home here already; first save it and remove it", at(two_homes)),
    Row("'bob' is not the name of this home", asks(lambda api: api.remove_home("bob"))),
    Row("this zip is not taken as a home", at(garbled)),
    Row("this file is not a zip of a home, or it is damaged", unpacked("keys/x", "keys/x/y")),
    Row("this file is not a zip of a home, or it is damaged", packed_by(zipfile.ZIP_BZIP2)),
    Row("this file is not a zip of a home", in_folder(lambda path: homefile.unpack(b"PK", path))),
    Row("this zip holds no keys, so it is not a home", unpacked("games/x")),
    Row(LARGE, unpacked("keys/x", times=homefile.MAX_FILES + 1), heavy=True),
    Row(LARGE, unpacked("keys/x", size=homefile.LARGEST + 1)),
    Row(OUTSIDE, unpacked("keys/../x")),
    Row(OUTSIDE, unpacked("keys//x")),
    Row("the api gave a set", in_folder(odd_answer)),
    Row("fill in 'First exchange that becomes void'", asks(lambda api: api.sign("roll-back", GAME, {}))),
    Row("no exchange of hearth is open", asks(lambda api: api.sign("concede", GAME, {}), JOINED)),
    Row("no exchange of hearth is open", asks(lambda api: api.sign("rotation", GAME, {"new": "n"}), JOINED)),
    Row("'x' is not a number", asks(lambda api: api.sign("put-away", GAME, UNNUMBERED))),
    Row("your key is locked", asks(lambda api: api.sign("enter", "", {}))),
    Row(
        "no report of hearth here; first open the judge's letters",
        asks(lambda api: api.look_back(GAME), JOINED),
    ),
    Row(
        "is the bundle of a league; audit it with: pbem audit FILE", audits(("log/0001.entry", b"league x\n"))
    ),
    Row("no bundle is here that was audited and is sound", lambda: Auditor().story()),
    Row("'a' is not a bundle: it holds no file that a bundle has", audits(("a.txt", b"x"))),
    Row("'a' is not a readable .tar.gz: ", audits(("a", b"\x1f\x8bx"))),
    Row("'a' is not a zip that can be read", audits(("a", b"PKx"))),
    Row("holds other files; give a new folder", in_folder(other_files)),
    Row("npm is not installed, but it must bring the page's libraries", npm()),
    Row("npm cannot bring odd@1.0.0 (no way)", npm(": > odd-1.0.0.tgz; echo no way >&2; exit 1")),
    Row("npm cannot bring odd@1.0.0 (npm says nothing)", npm("exit 0")),
    Row("is missing; npm pack odd@1.0.0 brings", in_folder(lambda path: build.unpacked(ODD, path / "x"))),
    Row("odd 1.0.0 is not the one that the page was tried with", in_folder(other_hash)),
    Row("lib/odd/index.js imports other/x.js, which is none of the packages", in_folder(imports)),
)
FOLDERS = ("web",)
ELSEWHERE = {
    "web/build.py pack: npm did not bring ... seconds; try again": "it takes ten minutes",
    "web/api.py seed_of: not self._home.keys.is_unlocked(name)": "player/test_web.py",
    **dict.fromkeys(
        (
            "web/door.py _answer: call.startswith('_')",
            "web/practice.py _reports: not found",
            "web/practice.py look_back: not all(shown.values())",
            "web/practice.py _report: exchange not in self._reports()",
            "web/practice.py _line: view is None",
        ),
        "web/test_practice.py",
    ),
    **dict.fromkeys(
        (
            "web/practice.py _sandbox: not isinstance(self._played, Sandbox)",
            "web/practice.py _whence: what was tried out is damaged; begin again",
        ),
        "practice/test_try_command.py",
    ),
}
