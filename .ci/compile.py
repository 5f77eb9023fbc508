"""Build hook: `PBEM_COMPILED=1 pip install .` compiles the rules of the games by mypyc; off unless it is set.

The .py files stay in the wheel; pbem/compiled.py says when they run instead. `PBEM_COMPILED` is the level of
optimising that the C compiler is given: 1 builds quickest.
"""

import contextlib
import fnmatch
import json
import os
import re
import sys
import tempfile
from pathlib import Path
from sysconfig import get_config_var
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent))
from hatchling.builders.hooks.plugin.interface import BuildHookInterface

from pbem.compiled import LIBRARY, MANIFEST, hash_of

RULES = "pbem/rules/*.py"
"""What is compiled; an asterisk stands for folders, too."""
FOR_OTHERS = ("CardGame", "CardRules", "Flow", "Switches", "Telling")
"""Classes of rules/ that games of other packages inherit from, which the compiler must be told."""
TOOLS = ("mypy", "setuptools")
"""Build it; at the versions of the lock file."""


class CustomBuildHook(BuildHookInterface):  # type: ignore[type-arg]
    """What hatchling calls."""

    @property
    def level(self) -> str:
        """How far to optimise; empty if nothing is to be compiled."""
        given = os.environ.get("PBEM_COMPILED", "")
        if given not in ("", "0", "1", "2", "3"):
            raise SystemExit(f"PBEM_COMPILED cannot be {given!r}; its values are 0, 1, 2, 3")
        return given.strip("0")

    def dependencies(self) -> list[str]:
        """What a build needs besides hatchling."""
        lock = Path(self.root, ".ci/requirements.txt").read_text(encoding="utf-8")
        pins = dict(re.findall(r"^([a-z-]+)==(\S+)", lock, flags=re.MULTILINE))
        return [f"{name}=={pins[name]}" for name in TOOLS] if self.level else []

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile, and put it into the wheel. An editable install stays Python: its files will be changed."""
        if not self.level or version == "editable":
            return
        self._made = tempfile.TemporaryDirectory()
        built = compiled(Path(self.root), Path(self._made.name), self.level)
        build_data["force_include"] |= {str(path): f"pbem/binary/{path.name}" for path in built.iterdir()}
        build_data["pure_python"], build_data["infer_tag"] = False, True


def compiled(root: Path, scratch: Path, level: str) -> Path:
    """A folder with the compiled modules of the package in `root` and what they were made from."""
    from mypyc.build import mypycify
    from setuptools import Distribution

    copy, built = scratch / "source", scratch / "binary"
    built.mkdir()
    hashes = {path.relative_to(root).as_posix(): hash_of(path) for path in (root / "pbem").rglob("*.py")}
    for place in hashes:
        (copy / place).parent.mkdir(parents=True, exist_ok=True)
        (copy / place).write_text(
            open_to_others((root / place).read_text(encoding="utf-8")), encoding="utf-8"
        )
    with contextlib.chdir(copy):
        extensions = mypycify(
            [
                "--config-file=",
                "--no-sqlite-cache",
                "--cache-dir=cache",
                *sorted(fnmatch.filter(hashes, RULES)),
            ],
            opt_level=level,
            debug_level="0",
            group_name=LIBRARY.removesuffix("__mypyc"),
        )
        command = Distribution({"name": "pbem", "ext_modules": extensions}).get_command_obj("build_ext")
        command.build_lib, command.build_temp = "lib", "temp"
        command.ensure_finalized()
        command.run()
    suffix, modules = str(get_config_var("EXT_SUFFIX")), {}
    for path in (copy / "lib").rglob(f"*{suffix}"):
        place = path.relative_to(copy / "lib").as_posix().removesuffix(suffix)
        name = place.removesuffix("/__init__").replace("/", ".")
        modules[name] = hash_of(path.rename(built / f"{name}{suffix}"))
    learned = (copy / "cache" / "{}.{}".format(*sys.version_info)).glob
    read = [place for place in sorted(hashes) if any(learned(place.removesuffix("py") + "meta.*"))]
    sources = {place.removeprefix("pbem/"): hashes[place] for place in read}
    (built / MANIFEST).write_text(
        json.dumps({"sources": sources, "modules": modules}, indent=1), encoding="utf-8"
    )
    return built


def open_to_others(text: str) -> str:
    """The source with these classes marked; every line stays where it is."""
    mark = "\n\n@mypyc_attr(allow_interpreted_subclasses=True)\n"
    classes = rf"((?:@.*\n)*class (?:{'|'.join(FOR_OTHERS)})\b)"
    marked = re.sub(rf"\n\n\n{classes}", rf"{mark}\1", text)
    if marked == text:
        return text
    future = "from __future__ import annotations"
    name = "; from typing import TYPE_CHECKING\nif TYPE_CHECKING: from mypy_extensions import mypyc_attr\n"
    return marked.replace(f"{future}\n\n", future + name, 1)
