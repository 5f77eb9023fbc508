"""The JavaScript and Python libraries of the page, from npm: each with its one version and one hash."""

from __future__ import annotations

import base64
import hashlib
import io
import posixpath
import re
import shutil
import subprocess
import tarfile
import tempfile
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from pbem.errors import ConfigError

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
