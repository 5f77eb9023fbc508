"""Bytecode that the device makes for the page's next starts: what it holds, and that a start uses it."""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from time import monotonic
from types import ModuleType

import pytest

from pbem.web.door import Bytecode
from tests.web.table import PagePlayer

KEPT = """async () => {
    const cache = await caches.open(`pbem-${await (await caches.match("/chosen")).text()}`);
    return (await cache.keys()).filter((one) => one.url.includes("/made/")).length === 2;
}"""
MAX_SECONDS = 300
"""A busy machine compiles for a minute."""
FROM_KEPT = """() => performance.getEntriesByType("resource")
    .some((one) => one.name.includes("/made/") && one.name.endsWith("python_stdlib.zip"))"""


def imported(names: list[str], path: Path) -> list[ModuleType]:
    """Import modules from a place, and forget them."""
    sys.path.insert(0, str(path))
    try:
        found = [importlib.import_module(name) for name in names]
    finally:
        sys.path.remove(str(path))
        for name in names:
            sys.modules.pop(name, None)
    return found


def done(bytecode: Bytecode) -> int:
    """Compile all of it; how many modules it was."""
    steps = 0
    while bytecode.step():
        steps += 1
    return steps


def said_by(path: Path) -> str:
    """What a Python of its own says that reads the module `alder` there."""
    code = f"import sys; sys.path.insert(0, {str(path)!r}); import alder; print(alder.SAID)"
    told = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    return told.stdout.strip()


def test_a_folder_is_read_from_what_was_compiled(tmp_path: Path) -> None:
    place = tmp_path / "alder.py"
    place.write_text("SAID = 'first'\n")
    bytecode = Bytecode([*imported(["alder"], tmp_path), sys, object()], [str(tmp_path)])
    assert done(bytecode) == 1
    [(where, data)] = bytecode.package()
    assert Path(where).parent == tmp_path / "__pycache__"
    Path(where).parent.mkdir(exist_ok=True)
    Path(where).write_bytes(data)
    place.write_text("SAID = 'other'\n")
    os.utime(place, (0, 0))
    assert said_by(tmp_path) == "first", "neither its time nor its text is looked at"
    assert bytecode.library() == b""


def test_a_zip_is_read_from_what_was_compiled_and_holds_its_text_still(tmp_path: Path) -> None:
    library = tmp_path / "library.zip"
    with zipfile.ZipFile(library, "w") as made:
        made.writestr("alder.py", "SAID = 'first'\n")
        made.writestr("birch.py", "SAID = 'never imported'\n")
    bytecode = Bytecode(imported(["alder"], library), [str(library)])
    assert done(bytecode) == 1
    assert bytecode.package() == []
    after = tmp_path / "after" / "library.zip"
    after.parent.mkdir()
    after.write_bytes(bytecode.library())
    with zipfile.ZipFile(after) as found:
        assert sorted(found.namelist()) == ["alder.py", "alder.pyc", "birch.py"]
        assert found.getinfo("alder.pyc").compress_type == zipfile.ZIP_STORED
        assert found.read("alder.py") == b"SAID = 'first'\n"
    assert said_by(after) == "first"


@pytest.mark.ci
def test_the_page_compiles_once_and_its_next_start_uses_it(arrive: Callable[..., PagePlayer]) -> None:
    player = arrive("alice")
    assert not player.page.workers[0].evaluate(FROM_KEPT)
    player.make_key()
    until = monotonic() + MAX_SECONDS
    while not player.page.evaluate(KEPT):
        assert monotonic() < until
        player.page.wait_for_timeout(500)
    again = player.visit()
    assert again.workers[0].evaluate(FROM_KEPT)
    again.get_by_role("heading", name="Games").wait_for()
    player.page.close()
    player.context.set_offline(True)
    offline = player.visit()
    assert offline.workers[0].evaluate(FROM_KEPT)
