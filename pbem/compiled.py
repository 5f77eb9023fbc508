"""Compiled rules, if there are any; they run only while they are what the .py files say.

    binary/manifest.json    {"sources": {"rules/base.py": <SHA-256>, ...}, "modules": {"pbem.rules": ...}}
    binary/<module><suffix> a module for this Python; the suffix is what Python gives to its extensions

`sources` are all files below pbem/ that the compiler read: a compiled module calls others without Python, and
has their constants within it. So if one file differs or is missing, every module runs as its .py. What is
compiled lies where Python itself does not look for modules.
"""

from __future__ import annotations

import hashlib
import json
import sys
from functools import cached_property
from importlib.abc import MetaPathFinder
from importlib.machinery import EXTENSION_SUFFIXES, ExtensionFileLoader, ModuleSpec, SourceFileLoader
from importlib.util import spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

FOLDER = "binary"
MANIFEST = "manifest.json"
LIBRARY = "pbem__mypyc"
"""What the modules have in common; each of them is a door to it."""


def hash_of(path: Path) -> str:
    """Return the SHA-256 of a file; "" where there is none that can be read."""
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError:
        return ""


class _Compiled(SourceFileLoader):
    """Shows the source to whoever reads it, its file and its folder, and runs what was made from it."""

    def __init__(self, name: str, source: Path, binary: Path) -> None:
        super().__init__(name, str(source))
        self._binary = ExtensionFileLoader(name, str(binary))

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """Return the module. Its body has run by then, and has found its files from the library's."""
        module = self._binary.create_module(ModuleSpec(spec.name, self._binary, origin=self._binary.path))
        module.__file__ = self.path
        return module

    def exec_module(self, module: ModuleType) -> None:
        """Do nothing: see `create_module`."""
        self._binary.exec_module(module)


class Finder(MetaPathFinder):
    """Finds the modules of `package` that were compiled, as such or as their .py."""

    def __init__(self, package: Path) -> None:
        self._package, self._folder = package, package / FOLDER
        try:
            manifest = json.loads((self._folder / MANIFEST).read_bytes())
            self._sources: dict[str, str] = dict(manifest["sources"])
            self._modules: dict[str, str] = dict(manifest["modules"])
        except (OSError, ValueError, KeyError, TypeError):
            self._sources, self._modules = {}, {}

    def _binary(self, name: str) -> Path:
        return self._folder / (name + EXTENSION_SUFFIXES[0])

    @cached_property
    def trouble(self) -> str:
        """Why the .py files run instead; empty if what is compiled does. Looked at once, for all."""
        if LIBRARY not in self._modules:
            return f"{MANIFEST} is missing or damaged"
        for place, known in self._sources.items():
            if hash_of(self._package / place) != known:
                return f"pbem/{place} is not what was compiled"
        for name, known in self._modules.items():
            if hash_of(self._binary(name)) != known:
                return f"compiled {name} is damaged, or made for another Python"
        return ""

    def find_spec(self, fullname: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        """Return the compiled module; its .py, whatever else lies beside that, if anything is wrong."""
        if fullname not in self._modules:
            return None
        source = self._package.parent.joinpath(*fullname.split(".")).with_suffix(".py")
        if source.with_suffix("").is_dir():
            source = source.with_suffix("") / "__init__.py"
        if self.trouble:
            return spec_from_file_location(fullname, source) if source.exists() else None
        return spec_from_file_location(
            fullname, source, loader=_Compiled(fullname, source, self._binary(fullname))
        )


def compiled_in_words() -> str:
    """Tell whether compiled rules are in use, for whoever looks after a judge."""
    for finder in sys.meta_path:
        if isinstance(finder, Finder):
            return f"the .py files run: {finder.trouble}" if finder.trouble else "the rules run compiled"
    return "the .py files run; nothing was compiled"
