"""Audits a bundle that is given to the page, in a separate Python that has neither home nor key.

It comes with a file of the site's that is fetched when somebody audits. A bundle is a .tar.gz, a .zip, or a
folder whose files the page hands over one by one. Nothing of it is kept, and nothing leaves the device. While
the audit works it tells each claim, and each exchange that was played again:

    {"row": ["proven", "<claim>", "<detail>"]}    {"played": 3, "of": 14}
"""

from __future__ import annotations

import json
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory

from pbem.audit.bundle import GENESIS, Files, Found, collect, is_bundle_file, read_bundle
from pbem.audit.findings import Finding, Findings, State
from pbem.audit.game import audit_files, record_in
from pbem.audit.leagues import is_league
from pbem.errors import PbemError
from pbem.moments.documents import pack
from pbem.moments.tracks import tell
from pbem.trust.entries import Genesis
from pbem.trust.formats import largest
from pbem.trust.identifiers import quote
from pbem.trust.ledger import parse_entry

MAX_BUNDLE_SIZE = 250_000_000
"""Maximum size in bytes of a bundle's files that a page can hold; `pbem audit` takes larger bundles."""
_GZIP, _ZIP = b"\x1f\x8b", b"PK"
_BESIDE = "__MACOSX"
"""Name of a folder that an archiver writes beside a bundle."""

Given = Sequence[tuple[str, bytes]]
"""The files that were given to the page: one archive, or each file of a folder by its place."""
Heard = Callable[[str], None]


class NotTaken(PbemError):
    """Raised if the given files are not a bundle that the page can audit."""


@dataclass(frozen=True, slots=True)
class Audited:
    """The result of the audit of a bundle, as the page shows it."""

    game: str
    rows: tuple[tuple[str, str, str], ...]
    """The state, claim and detail of each finding."""
    shown: str
    remark: str
    status: int
    pinned: bool
    """Whether the bundle was compared with the game of the same name that the player has joined."""
    sound: bool
    """Whether the page can show the bundle's story, because nothing in it is refuted or missing."""


class Auditor:
    """The auditor of one bundle, which also answers the page's requests about the bundle."""

    def __init__(self) -> None:
        self._files: Files | None = None

    def audit(self, name: str, given: Given, known: Mapping[str, str], heard: Heard) -> Audited:
        """Audit a bundle; `known`: the first heads of games that the player has joined, by name.

        Raises:
            NotTaken: the files are no bundle of a game, or too large for a page.
        """
        self._files = None
        files = read_given(name, given)
        if is_league(files):
            raise NotTaken(f"{quote(name, 80)} is the bundle of a league; audit it with: pbem audit FILE")
        game = game_of(files)

        def told(row: Finding) -> None:
            heard(json.dumps({"row": [row.state, row.claim, row.detail]}))

        def played(done: int, total: int) -> None:
            heard(json.dumps({"played": done, "of": total}))

        found = audit_files(files, known.get(game), progress=played, findings=Findings(heard=told))
        sound = not found.is_refuted and not found.holds(State.MISSING)
        self._files = files if sound else None
        rows = tuple((str(row.state), row.claim, row.detail) for row in found.rows)
        return Audited(game, rows, found.shown, found.remark, found.status, game in known, sound)

    def story(self) -> str:
        """Return the story that the audited bundle of a finished game tells, as a document of the viewer.

        Raises:
            NotTaken: no bundle was audited, or something in it is refuted or missing.
        """
        if self._files is None:
            raise NotTaken("no bundle is here that was audited and is sound; give it again")
        return pack(tell(record_in(self._files)))


def answer(act: Callable[[], object]) -> str:
    """Return the JSON text with the result of a request, as the page's worker passes it on; see `door`."""
    try:
        found = act()
    except PbemError as fault:
        return json.dumps({"fault": str(fault)})
    except MemoryError:
        return json.dumps({"fault": "this bundle is larger than a page can hold; pbem audit can check it"})
    except Exception as bug:  # noqa: BLE001 - the page shows it, and goes on
        return json.dumps({"bug": f"{type(bug).__name__}: {bug}"})
    return json.dumps({"answer": asdict(found) if isinstance(found, Audited) else found})


def read_given(name: str, given: Given) -> Files:
    """Return the files of a bundle, whether it was given as an archive or as a folder.

    Raises:
        NotTaken: the files are no bundle, or too large for a page.
    """
    first = given[0][1][:2] if len(given) == 1 else b""
    called = quote(name, 80)
    try:
        if first == _GZIP:
            files = _unpacked(given[0][1], called)
        else:
            found = _zip_files(given[0][1]) if first == _ZIP else _folder_files(given)
            files = collect(found, called, room=MAX_BUNDLE_SIZE)
    except PbemError as fault:
        raise NotTaken(f"{fault}; what a page cannot hold, pbem audit can check") from None
    except (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, EOFError, OSError):
        raise NotTaken(f"{called} is not a zip that can be read") from None
    if not files.known_files:
        raise NotTaken(f"{called} is not a bundle: it holds no file that a bundle has")
    return files


def game_of(files: Files) -> str:
    """Return the name of a bundle's game from its genesis; "" if that cannot be read."""
    try:
        entry = parse_entry(files.get(GENESIS) or b"")
    except PbemError:
        return ""
    return entry.game if isinstance(entry, Genesis) else ""


def _unpacked(data: bytes, called: str) -> Files:
    """Return the files of a .tar.gz bundle, which is read as `pbem audit` reads one."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "bundle.tar.gz"
        path.write_bytes(data)
        try:
            return read_bundle(path, MAX_BUNDLE_SIZE)
        except PbemError as fault:
            raise NotTaken(str(fault).replace(str(path), called)) from None


def _zip_files(data: bytes) -> Found:
    """Yield the files of a zip by place; None stands for one that belongs to no bundle and is not read."""
    with zipfile.ZipFile(BytesIO(data)) as archive:
        entries = {entry.filename: entry for entry in archive.infolist() if not entry.is_dir()}
        for name, place in _places(entries):
            fits = is_bundle_file(place) and entries[name].file_size <= largest(place)
            yield place, archive.read(entries[name]) if fits else None


def _folder_files(given: Given) -> Found:
    """Yield the files of a folder by place; None stands for one that belongs to no bundle."""
    files = dict(given)
    for name, place in _places(files):
        fits = is_bundle_file(place) and len(files[name]) <= largest(place)
        yield place, files[name] if fits else None


def _places(names: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield each file's name with its place in the bundle, which may lie in a folder; the genesis is first.

    Hidden files are none of the bundle: some archivers write them.
    """
    plain = [name for name in names if not any(part.startswith((".", _BESIDE)) for part in name.split("/"))]
    tops = {name.partition("/")[0] for name in plain}
    within = len(tops) == 1 and not any(map(is_bundle_file, plain))
    places = {name: name.partition("/")[2] if within else name for name in plain}
    yield from sorted(places.items(), key=lambda one: (one[1] != GENESIS, one[1]))
