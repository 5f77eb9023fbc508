"""The interface between the page's worker and the api: calls and answers as JSON, and changes in the home.

    {"call": "show", "given": {"game": "hearth"}}  ->  {"answer": ...} | {"fault": "..."} | {"bug": "..."}
    {"at": "practice", "call": "show", "given": {}}    the same of a game against a bot, see `practice`
    {"at": "try", "call": "show", "given": {}}         the same of a game that is tried out, see `Tryout`

A fault is what a player can do something about, in the words of the command line; a bug is ours. The files of
the home live in memory here: the worker keeps what `changes` gives before it hands on the answer, and puts
the home back to what is kept if that cannot be done.

The modules that the page has started with are compiled on the device for its next starts: Python in the page
comes as text alone, and compiling that is most of a start. Only the device can do it: the bytecode has to fit
the very Python that runs it. It is made a module at a time, while the player looks.

    library   Python's own library as before (a zip), with the bytecode of what was imported beside its text
    package   the bytecode of modules that lie in folders, each with the place where Python looks for it

What is made is kept beside the site's files and belongs to these very files; another version has its own.
"""

from __future__ import annotations

import dataclasses
import io
import json
import shutil
import sys
import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from importlib.util import MAGIC_NUMBER, cache_from_source
from marshal import dumps
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pbem.errors import PbemError
from pbem.web.api import Api

if TYPE_CHECKING:
    from pbem.web.practice import Practice

CALLS = {name: getattr(Api, name) for name in dir(Api) if not name.startswith("_") and name != "seed_of"}

UNCHECKED = (0b01).to_bytes(4, "little") + bytes(8)
"""Flags and hash (PEP 552) of bytecode that Python does not check against its source text."""


class Door:
    """A home in memory, with the api to it, and with the practice game beside it."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._known: dict[str, bytes] = {}
        self._api = Api(path)
        self._practice: dict[str, Practice] = {}

    def fill(self, files: Mapping[str, bytes]) -> None:
        """Make the home hold exactly these stored files. Unlocked keys stay unlocked."""
        if self._path.exists():
            shutil.rmtree(self._path)
        self._path.mkdir(parents=True, mode=0o700)
        self._practice.clear()  # it is played again from what is kept
        self._known = {name: bytes(data) for name, data in files.items()}
        for name, data in self._known.items():
            place = self._path / name
            place.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            place.write_bytes(data)
            place.chmod(0o600)

    def ask(self, question: str) -> str:
        """Return the answer to one call, both as JSON."""
        try:
            asked = json.loads(question)
            answer = self._answer(asked.get("at", ""), asked["call"], asked["given"])
        except PbemError as fault:
            return json.dumps({"fault": str(fault)})
        except Exception as bug:  # noqa: BLE001 - the page shows it, and goes on
            return json.dumps({"bug": f"{type(bug).__name__}: {bug}"})
        return json.dumps({"answer": answer}, default=_plain)

    def _answer(self, at: str, call: str, given: Mapping[str, Any]) -> Any:
        if not at:
            return CALLS[call](self._api, **given)
        from pbem.web.practice import PLACES  # it comes with the site's second file

        if call.startswith("_"):
            raise KeyError(call)
        if at not in self._practice:
            self._practice[at] = PLACES[at](self._path)
        return getattr(self._practice[at], call)(**given)

    def seed(self, name: str) -> bytes:
        """Return the seed of an unlocked key, which the page turns into a key object of the browser."""
        return self._api.seed_of(name)

    def bytecode(self) -> Bytecode:
        """Return the modules imported until now, to be compiled for the page's next start."""
        from pbem.web.door import Bytecode  # no start needs it

        return Bytecode([*sys.modules.values()], sys.path)

    def changes(self) -> tuple[list[tuple[str, bytes]], list[str]]:
        """Return the files of the home that were written, and those removed, since `fill` or `kept`."""
        now = self._files()
        written = [(name, data) for name, data in now.items() if self._known.get(name) != data]
        return written, [name for name in self._known if name not in now]

    def kept(self) -> None:
        """Note that the worker has stored the changes that `changes` returned."""
        self._known = self._files()

    def _files(self) -> dict[str, bytes]:
        found = sorted(path for path in self._path.rglob("*") if path.is_file())
        named = {path.relative_to(self._path).as_posix(): path for path in found}
        return {name: path.read_bytes() for name, path in named.items() if not name.startswith("glances/")}


def _plain(value: Any) -> Any:
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    if isinstance(value, datetime):
        return value.isoformat()
    raise TypeError(f"the api gave a {type(value).__name__}")


class Bytecode:
    """The compiler of imported modules; `path` is where Python looks for modules, and may have a zip."""

    def __init__(self, modules: Iterable[object], path: Sequence[str]) -> None:
        self._zip = next((one for one in path if one.endswith(".zip")), "")
        files = {getattr(module, "__file__", None) or "" for module in modules}
        self._names = sorted(name for name in files if name.endswith(".py"))
        self._made: dict[str, bytes] = {}
        self._steps = self._each()

    def step(self) -> bool:
        """Compile one more of the imported modules; return whether there may be another."""
        return next(self._steps, None) is not None

    def _each(self) -> Iterator[str]:
        within = zipfile.ZipFile(self._zip) if self._zip else None
        for name in self._names:
            inside = name.removeprefix(f"{self._zip}/") if self._zip else name
            if within is not None and inside != name:
                text = within.read(inside)
            elif Path(name).is_file():
                text = Path(name).read_bytes()
            else:
                continue
            code = compile(text, name, "exec", dont_inherit=True)
            self._made[name] = MAGIC_NUMBER + UNCHECKED + dumps(code)
            yield name

    def library(self) -> bytes:
        """Return the zip of Python's library with bytecode added, uncompressed; empty if there is no zip."""
        if not self._zip:
            return b""
        out = io.BytesIO()
        with zipfile.ZipFile(self._zip) as before, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as after:
            for name in before.namelist():
                if (made := self._made.get(f"{self._zip}/{name}")) is not None:
                    after.writestr(zipfile.ZipInfo(f"{name}c"), made)  # ZIP_STORED: nothing to unpack
                after.writestr(name, before.read(name))
        return out.getvalue()

    def package(self) -> list[tuple[str, bytes]]:
        """Return the bytecode of each module outside the zip, with the path where Python looks for it."""
        outside = {name: made for name, made in self._made.items() if not self._zip or self._zip not in name}
        return [(cache_from_source(name), made) for name, made in outside.items()]
