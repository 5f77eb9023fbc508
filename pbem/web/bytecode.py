"""Compiles the modules that the page has started with, on the device, for the page's next starts.

Python in the page comes as text alone, and compiling that is most of a start. Only the device can do it: the
bytecode has to fit the very Python that runs it. It is made a module at a time, while the player looks.

    library   Python's own library as before (a zip), with the bytecode of what was imported beside its text
    package   the bytecode of modules that lie in folders, each with the place where Python looks for it

What is made is kept beside the site's files and belongs to these very files; another version has its own.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from importlib.util import MAGIC_NUMBER, cache_from_source
from marshal import dumps
from pathlib import Path

UNCHECKED = (0b01).to_bytes(4, "little") + bytes(8)
"""Flags and hash (PEP 552) of bytecode that Python does not check against its source text."""


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
