"""The loader of compiled rules, which run only while they match the .py files that they were made from.

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
"""The name of the library that holds the code of all compiled modules, each of which only loads it."""


def hash_of(path: Path) -> str:
    """Return the SHA-256 of a file; "" if there is no file, or it cannot be read."""
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError:
        return ""


class _Compiled(SourceFileLoader):
    """A loader that presents a module's .py file as its source, and runs the compiled module."""

    def __init__(self, name: str, source: Path, binary: Path) -> None:
        super().__init__(name, str(source))
        self._binary = ExtensionFileLoader(name, str(binary))

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """Return the compiled module, whose body has run by then."""
        module = self._binary.create_module(ModuleSpec(spec.name, self._binary, origin=self._binary.path))
        module.__file__ = self.path
        return module

    def exec_module(self, module: ModuleType) -> None:
        """Call the extension's loader, which has nothing left to do after `create_module`."""
        self._binary.exec_module(module)


class Finder(MetaPathFinder):
    """A finder of the modules of `package` that were compiled, as compiled modules or as .py files."""

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
        """The reason why the .py files run instead of compiled modules, checked once; empty if these run."""
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
        """Return the spec of a compiled module, or of its .py if something is wrong; None for any other."""
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
    """Return a sentence that says whether compiled rules are in use, for the person who runs a judge."""
    for finder in sys.meta_path:
        if isinstance(finder, Finder):
            return f"the .py files run: {finder.trouble}" if finder.trouble else "the rules run compiled"
    return "the .py files run; nothing was compiled"
