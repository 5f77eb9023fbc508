"""Builds the page for players as a site: the same bytes from the same release, wherever it is written.

    index.html, *.css, *.js   the page (pbem/web/site)
    pbem.json                 this package and what it needs: {"<path>": "<text>"} or {"<path>": ["<base64>"]}
    practice.json             the same of what a game against a bot needs besides, fetched when one is wanted
    audit.json                the same of what the audit of a bundle needs besides
    pyodide/, lib/            Python and the primitives, as npm has them
    SHA256SUMS                every file but itself, as sha256sum -c reads it; its own SHA-256 names the page

Nothing is compressed, because compressors do not promise the same bytes everywhere; whoever serves the site
compresses it on the way. The boxes with which the page may talk stand in its security policy, sorted: the
hash is a function of release and list.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import distribution
from pathlib import Path

from pbem import __version__
from pbem.errors import ConfigError
from pbem.moments import documents
from pbem.rendering import find_templates
from pbem.web.packages import library_files
from pbem.web.serve import policy_with

SITE = Path(__file__).with_name("site")
VIEWER = Path(documents.__file__).with_name("viewer")
OF_FILES = "file.js"
"""Name of the viewer's module that stands first in the file of a game."""
SUMS = "SHA256SUMS"
BUNDLE = "pbem.json"
PRACTICE = "practice.json"
WORKER = "sw.js"
LEFT_OUT = frozenset(
    (
        "judge",
        "mail",
        "service",
        "cli",
        "demo",
        "docs",
        "testing",
        "binary",
        "__main__.py",
    )
)
"""Names of the parts of the package that the page for players does not need."""
AUDIT = "audit.json"
LATER = {PRACTICE: frozenset(("practice", "bots")), AUDIT: frozenset(("audit",))}
"""Parts of the package that the page loads only for a practice game or an audit; a title's folder counts
as its part."""
OF_PARTS = {"practice.py": "practice", "trying.py": "practice", "auditing.py": "audit"}
"""Files of `pbem.web` that belong to the parts in `LATER`, each with the name of its part."""
WEB = frozenset(
    (
        "__init__.py",
        "api.py",
        "bytecode.py",
        "device_calls.py",
        "door.py",
        "home_copy.py",
        "homefile.py",
        "looking_back.py",
        "mails.py",
        "note_calls.py",
        "outbox.py",
        "plans.py",
        "pocket.py",
        "private_notes.py",
        "reading.py",
        "signers.py",
        "signing.py",
        "signing_calls.py",
        "table.py",
        "talk.py",
        "talk_calls.py",
    )
)
"""Files of `pbem.web` that run in the page for players from its start."""
NO_FILES = frozenset((".pyc", ".ttf", ".png", ".pyi", ".so", ".c", ".pyd"))
LIBRARIES = ("jinja2", "markupsafe", "tzdata")


@dataclass(frozen=True, slots=True)
class Site:
    """A site that was written: the number of its files, their size, and the site's hash as its name."""

    files: int
    size: int
    digest: str
    """The SHA-256 of the file SHA256SUMS: the name by which a club recommends the site."""


def build(folder: Path, archives: Path | None = None, boxes: Sequence[str] = ()) -> Site:
    """Write the site into a folder that is new, empty, or holds a site.

    Raises:
        ConfigError: the folder holds something else, a box has no address, or the libraries cannot be had.
    """
    if folder.exists() and any(folder.iterdir()) and not (folder / SUMS).is_file():
        raise ConfigError(f"{folder} holds other files; give a new folder")
    files = site_files(archives, boxes)
    for name, data in files.items():
        place = folder / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(data)
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.relative_to(folder).as_posix() not in files:
            path.unlink()  # of an older site
    return Site(len(files), sum(map(len, files.values())), page_hash(files))


def page_hash(files: Mapping[str, bytes]) -> str:
    """Return the name of a written site: the SHA-256 of its file SHA256SUMS."""
    return hashlib.sha256(files[SUMS]).hexdigest()


def site_files(archives: Path | None = None, boxes: Sequence[str] = ()) -> dict[str, bytes]:
    """Return every file of the site of the page for players, by its place."""
    policy = policy_with(boxes)
    found = {path.name: path.read_bytes() for path in SITE.iterdir() if path.is_file()}
    found |= _viewer_files()
    found |= library_files(archives)
    found[BUNDLE] = bundle()
    found |= {name: later_bundle(name) for name in LATER}
    found["index.html"] = found["index.html"].replace(b"POLICY", policy.encode())
    besides = {name: data for name, data in found.items() if name != WORKER}
    filled = {
        b'"FILES"': json.dumps(sorted(besides)),
        b'"VERSION"': json.dumps(hashlib.sha256(_sums(besides)).hexdigest()),
        b'"POLICY"': json.dumps(policy),
    }
    for mark, said in filled.items():
        found[WORKER] = found[WORKER].replace(mark, said.encode())
    return {**found, SUMS: _sums(found)}


def _viewer_files() -> dict[str, bytes]:
    """Return the files of the viewer of whole games, which share modules with the page."""
    paths = (path for path in VIEWER.iterdir() if path.is_file() and path.name != OF_FILES)
    return {path.name: path.read_bytes().replace(b'"../../web/site/', b'"./') for path in paths}


def _sums(files: Mapping[str, bytes]) -> bytes:
    rows = (f"{hashlib.sha256(files[name]).hexdigest()}  {name}\n" for name in sorted(files))
    return "".join(rows).encode()


def bundle() -> bytes:
    """Return the JSON file with this package, as far as the page needs it, and with its Python libraries."""
    return _json_bytes([*_package(), *_templates(), *_libraries(), *_metadata()])


def later_bundle(name: str) -> bytes:
    """Return the JSON file with what a practice game, or an audit, needs besides."""
    return _json_bytes(_package(name))


def _json_bytes(found: Iterable[tuple[str, str | list[str]]]) -> bytes:
    return json.dumps(dict(sorted(found)), separators=(",", ":"), ensure_ascii=False).encode()


def _package(file: str = BUNDLE) -> Iterator[tuple[str, str | list[str]]]:
    root = Path(__file__).parent.parent
    files = {part: name for name, parts in LATER.items() for part in parts}
    for path in root.rglob("*"):
        place = path.relative_to(root)
        part = part_of(place)
        if part not in LEFT_OUT and files.get(part, BUNDLE) == file:
            yield from _shipped_part(path, f"pbem/{place.as_posix()}")


def part_of(place: Path) -> str:
    """Return the part of the package to which a file belongs; `judge` if the page does not need it."""
    first, *below = place.parts
    if (first, *below[:1]) == ("moments", VIEWER.name):
        return "judge"  # the page has it as files of its own
    if first == "titles" and below[1:2] and below[1] in LEFT_OUT.union(*LATER.values()):
        return below[1]
    if first == "web" and below[:1] and below[0] in OF_PARTS:
        return OF_PARTS[below[0]]
    return "judge" if first == "web" and below[:1] not in ([name] for name in WEB) else first


def _templates() -> Iterator[tuple[str, str | list[str]]]:
    templates = find_templates()
    for path in templates.rglob("*"):
        yield from _shipped_part(path, f"pbem/templates/{path.relative_to(templates).as_posix()}")


def _libraries() -> Iterator[tuple[str, str | list[str]]]:
    for name in LIBRARIES:
        known = distribution(name)
        for file in known.files or ():
            if file.parts[0] == name:
                yield from _shipped_part(Path(str(known.locate_file(file))), file.as_posix())


def _metadata() -> Iterator[tuple[str, str | list[str]]]:
    """Yield the metadata by which Python finds this package's titles as installed ones."""
    folder = f"pbem-{__version__}.dist-info"
    named = distribution("pbem").entry_points.select(group="pbem.titles")
    rows = sorted(f"{entry.name} = {entry.value}\n" for entry in named if entry.value.startswith("pbem."))
    yield f"{folder}/METADATA", f"Metadata-Version: 2.1\nName: pbem\nVersion: {__version__}\n"
    yield f"{folder}/entry_points.txt", f"[pbem.titles]\n{''.join(rows)}"


def _shipped_part(path: Path, name: str) -> Iterator[tuple[str, str | list[str]]]:
    if not path.is_file() or path.suffix in NO_FILES or "__pycache__" in path.parts:
        return
    data = path.read_bytes()
    try:
        yield name, data.decode()
    except UnicodeDecodeError:
        yield name, [base64.b64encode(data).decode()]
