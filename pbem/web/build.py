"""Builds the page for players as a site, the same bytes from the same release, and serves it on loopback.

    index.html, *.css, *.js   the page (pbem/web/site)
    pbem.json                 this package and what it needs: {"<path>": "<text>"} or {"<path>": ["<base64>"]}
    practice.json             the same of what a game against a bot needs besides, fetched when one is wanted
    audit.json                the same of what the audit of a bundle needs besides
    pyodide/, lib/            Python and the primitives, as npm has them: each in one version with one hash
    SHA256SUMS                every file but itself, as sha256sum -c reads it; its own SHA-256 names the page

Nothing is compressed, because compressors do not promise the same bytes everywhere; whoever serves the site
compresses it on the way. The boxes with which the page may talk stand in its security policy, sorted: the
hash is a function of release and list. Loopback is for those who trust their own machine more than a host.
"""

from __future__ import annotations

import base64
import hashlib
import io
import json
import posixpath
import re
import shutil
import subprocess
import tarfile
import tempfile
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from importlib.metadata import distribution
from pathlib import Path
from typing import Any

from pbem import __version__
from pbem.errors import ConfigError
from pbem.moments import documents
from pbem.rendering import find_templates
from pbem.trust.post_box import check_box_url

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
OF_PARTS = {"practice.py": "practice", "auditing.py": "audit"}
"""Files of `pbem.web` that belong to the parts in `LATER`, each with the name of its part."""
WEB = frozenset(
    (
        "__init__.py",
        "api.py",
        "calls.py",
        "door.py",
        "home_copy.py",
        "homefile.py",
        "looking_back.py",
        "outbox.py",
        "private_notes.py",
        "reading.py",
        "signing.py",
        "table.py",
        "talk.py",
    )
)
"""Files of `pbem.web` that run in the page for players from its start."""
NO_FILES = frozenset((".pyc", ".ttf", ".png", ".pyi", ".so", ".c", ".pyd"))
LIBRARIES = ("jinja2", "markupsafe", "tzdata")

PINNED = Path(__file__).with_name("packages.toml")
LARGEST = 64_000_000
_PATIENCE = 600
"""Time limit in seconds for fetching one package over a slow line."""
_IMPORT = re.compile(
    r"""(?P<before>^(?:import|export)\b[^;"'*(=`]*?)(?P<quote>["'])(?P<what>[^"'\n]+)(?P=quote)""",
    re.MULTILINE,
)
_WRAPPED = """\
// {name} {version}, which is written for Node, as a module. Of tweetnacl it takes SHA-512 alone.
import {{ sha512 }} from "../hashes/sha2.js";
const module = {{ exports: {{}} }};
const require = () => ({{
  lowlevel: {{ crypto_hash: (out, data, size) => out.set(sha512(data.subarray(0, size))) }},
}});
{source}
export default module.exports;
"""
POLICY = (
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; font-src 'self'; "
    "img-src 'self' data: blob:; "
    "connect-src 'self'; worker-src 'self'; manifest-src 'self'; form-action 'none'; base-uri 'none'"
)
"""The security policy in the page's HTML, its service worker and each answer here: no script but the site's
own files, and no network but the place they came from, and the boxes named when the site is written."""


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
    """Return the JSON file with the part of the package that a practice game, or an audit, needs besides."""
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


@dataclass(frozen=True, slots=True)
class Package:
    """One npm package, and those of its files that the page uses."""

    name: str
    version: str
    integrity: str
    into: str
    files: tuple[str, ...] = ()
    modules: tuple[str, ...] = ()

    @property
    def archive(self) -> str:
        """The name that `npm pack` gives to the package's archive."""
        return f"{self.name.removeprefix('@').replace('/', '-')}-{self.version}.tgz"


def pinned() -> tuple[Package, ...]:
    """Return the npm packages that the page is made of."""
    rows = tomllib.loads(PINNED.read_text(encoding="utf-8"))["package"]
    return tuple(
        Package(
            name=row["name"],
            version=row["version"],
            integrity=row["integrity"],
            into=row["into"],
            files=tuple(row.get("files", ())),
            modules=tuple(row.get("modules", ())),
        )
        for row in rows
    )


def library_files(archives: Path | None = None) -> dict[str, bytes]:
    """Return the files of the page's libraries by their place in the site.

    `archives`: a folder in which the packages lie already, as `npm pack` has written them.

    Raises:
        ConfigError: npm is not here, a package cannot be had, or its hash is another.
    """
    with tempfile.TemporaryDirectory(prefix="pbem-web-") as scratch:
        packages = pinned()
        if archives is None:
            archives = Path(scratch)
            pack(packages, archives)
        contents = {package.name: unpacked(package, archives / package.archive) for package in packages}
    found: dict[str, bytes] = {}
    for package in packages:
        for name in package.files:
            found[f"{package.into}/{name}"] = contents[package.name][name]
        for name in package.modules:
            found.update(_modules(package, name, packages, contents))
    wrapped = next(package for package in packages if package.name == "bcrypt-pbkdf")
    place = f"{wrapped.into}/index.js"
    source = found[place].decode()
    found[place] = _WRAPPED.format(name=wrapped.name, version=wrapped.version, source=source).encode()
    return found


def pack(packages: tuple[Package, ...], folder: Path) -> None:
    """Let npm write packages as archives into a folder."""
    npm = shutil.which("npm")
    if npm is None:
        raise ConfigError(
            "npm is not installed, but it must bring the page's libraries: apt-get install npm, or nodejs.org"
        )
    for package in packages:
        what = f"{package.name}@{package.version}"
        try:
            done = subprocess.run(  # noqa: S603 - npm itself, with names of our own
                [npm, "pack", "--prefer-offline", "--ignore-scripts", "--silent", what],
                cwd=folder,
                capture_output=True,
                text=True,
                timeout=_PATIENCE,
                check=False,
            )
        except subprocess.TimeoutExpired:
            raise ConfigError(f"npm did not bring {what} within {_PATIENCE} seconds; try again") from None
        if done.returncode or not (folder / package.archive).is_file():
            told = (done.stderr.strip() or done.stdout.strip() or "npm says nothing").splitlines()[-1]
            raise ConfigError(f"npm cannot bring {what} ({told}); can it reach its registry?")


def unpacked(package: Package, archive: Path) -> dict[str, bytes]:
    """Return the files in an npm package's archive, whose hash must be the recorded one."""
    try:
        data = archive.read_bytes()
    except OSError:
        raise ConfigError(
            f"{archive} is missing; npm pack {package.name}@{package.version} brings it"
        ) from None
    is_now = f"sha512-{base64.b64encode(hashlib.sha512(data).digest()).decode()}"
    if is_now != package.integrity:
        raise ConfigError(
            f"{package.name} {package.version} is not the one that the page was tried with: "
            f"its hash is {is_now}, and must be {package.integrity}"
        )
    with tarfile.open(fileobj=io.BytesIO(data), mode="r:gz") as tar:
        files = [member for member in tar if member.isfile() and member.size < LARGEST]
        return {
            member.name.partition("/")[2]: held.read()
            for member in files
            if (held := tar.extractfile(member)) is not None
        }


def _modules(
    package: Package, name: str, packages: tuple[Package, ...], contents: Mapping[str, Mapping[str, bytes]]
) -> Iterator[tuple[str, bytes]]:
    """Yield a JavaScript module and all that it imports, with imports by path, as pages know no packages."""
    todo, seen = [(package, name)], set[tuple[str, str]]()
    while todo:
        of, name = todo.pop()
        if (of.name, name) in seen:
            continue
        seen.add((of.name, name))
        here = f"{of.into}/{name}"
        text = contents[of.name][name].decode()
        replaced: dict[str, str] = {}
        for match in _IMPORT.finditer(text):
            what = match["what"]
            if what.startswith("."):
                target = of, posixpath.normpath(posixpath.join(posixpath.dirname(name), what))
            else:
                other = next((one for one in packages if what.startswith(f"{one.name}/")), None)
                if other is None:
                    raise ConfigError(f"{here} imports {what}, which is none of the packages")
                target = other, what.removeprefix(f"{other.name}/")
            todo.append(target)
            place = posixpath.relpath(f"{target[0].into}/{target[1]}", posixpath.dirname(here))
            replaced[what] = place if place.startswith(".") else f"./{place}"
        yield here, _IMPORT.sub(partial(_rename_match, replaced), text).encode()


def _rename_match(to: Mapping[str, str], match: re.Match[str]) -> str:
    what = to.get(match["what"], match["what"])
    return f"{match['before']}{match['quote']}{what}{match['quote']}"


def policy_with(boxes: Sequence[str]) -> str:
    """Return the security policy of a page that may also connect to these post boxes, which it lists."""
    return POLICY.replace(
        "connect-src 'self'", " ".join(("connect-src 'self'", *sorted({*map(check_box_url, boxes)})))
    )


class SiteHandler(SimpleHTTPRequestHandler):
    """The handler of requests for files of a site, which sends a strict security policy."""

    extensions_map = SimpleHTTPRequestHandler.extensions_map | {
        ".mjs": "text/javascript",
        ".js": "text/javascript",
        ".wasm": "application/wasm",
        ".webmanifest": "application/manifest+json",
    }

    def __init__(self, *given: Any, policy: str = POLICY, **named: Any) -> None:
        self.policy = policy
        super().__init__(*given, **named)

    def end_headers(self) -> None:
        """Send the security policy with the headers of every answer."""
        self.send_header("Content-Security-Policy", f"{self.policy}; frame-ancestors 'none'")
        self.send_header("X-Content-Type-Options", "nosniff")
        self.send_header("Referrer-Policy", "no-referrer")
        self.send_header("Cache-Control", "no-cache")
        super().end_headers()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - as the class above calls it
        """Do nothing, so that no log shows who requested which file."""


def server(folder: Path, port: int = 0, boxes: Sequence[str] = ()) -> ThreadingHTTPServer:
    """Return a server of a site on loopback; port 0 takes a free one; `boxes`: the site's post boxes."""
    handler = partial(SiteHandler, directory=str(folder), policy=policy_with(boxes))
    return ThreadingHTTPServer(("127.0.0.1", port), handler)
