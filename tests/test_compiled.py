"""Compiled rules run only while they are what the .py files say; tests/tools/try_compiled.py builds them."""

from __future__ import annotations

import json
import sys
from importlib.machinery import EXTENSION_SUFFIXES, SourceFileLoader
from pathlib import Path

import pytest

from pbem.compiled import FOLDER, LIBRARY, MANIFEST, Finder, compiled_in_words, hash_of
from pbem.rules import Ask, IllegalAnswer, Outcome
from pbem.rules.flow import Telling, ask, stop
from tests.running import python

SOURCES = ("rules/__init__.py", "rules/base.py", "errors.py")
MODULES = ("pbem.rules", "pbem.rules.base", LIBRARY)
SUFFIX = EXTENSION_SUFFIXES[0]


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A package that was built with two compiled modules, of which `errors` was only read."""
    package = tmp_path / "pbem"
    (package / "rules").mkdir(parents=True)
    (package / FOLDER).mkdir()
    for place in SOURCES:
        (package / place).write_text(f"# {place}\n", encoding="utf-8")
    for name in MODULES:
        (package / FOLDER / (name + SUFFIX)).write_bytes(name.encode())
    manifest = {
        "sources": {place: hash_of(package / place) for place in SOURCES},
        "modules": {name: hash_of(package / FOLDER / (name + SUFFIX)) for name in MODULES},
    }
    (package / FOLDER / MANIFEST).write_text(json.dumps(manifest), encoding="utf-8")
    return package


def runs_compiled(package: Path) -> bool:
    """Does this package's module run compiled? Its file is the .py in any case."""
    spec = Finder(package).find_spec("pbem.rules.base")
    if spec is None:
        return False
    assert spec.origin == str(package / "rules/base.py")
    assert isinstance(spec.loader, SourceFileLoader)
    return type(spec.loader) is not SourceFileLoader


def test_what_is_as_it_was_built_runs_compiled(package: Path) -> None:
    """Packages keep their folders, and other modules are left to Python."""
    assert runs_compiled(package)
    finder = Finder(package)
    assert finder.trouble == ""
    spec = finder.find_spec("pbem.rules")
    assert spec is not None
    assert spec.submodule_search_locations == [str(package / "rules")]
    assert finder.find_spec("pbem.errors") is finder.find_spec("json") is None


NO_LIST = ("", "[]", "{}", '{"sources": 1, "modules": 1}', '{"sources": {}, "modules": {}}')
OTHERWISE = (
    *((place, "changed = True\n", f"pbem/{place} is not what was compiled") for place in SOURCES),
    *(
        (f"{FOLDER}/{name}{SUFFIX}", text, f"compiled {name} is damaged, or made for another Python")
        for name, text in zip((*MODULES, MODULES[1]), ("foreign", "foreign", "foreign", None), strict=True)
    ),
    *((f"{FOLDER}/{MANIFEST}", text, f"{MANIFEST} is missing or damaged") for text in NO_LIST),
)


@pytest.mark.parametrize(("place", "text", "trouble"), OTHERWISE)
def test_what_is_otherwise_than_it_was_built_does_not_run(
    package: Path, place: str, text: str | None, trouble: str
) -> None:
    """That holds for a file that was read, too: compiled modules call each other without looking at files.

    Nor does a foreign module beside the .py run then, which Python itself would prefer.
    """
    (package / "rules" / ("base" + SUFFIX)).write_bytes(b"foreign")
    if text is None:
        (package / place).rename(package / FOLDER / "pbem.rules.base.other.so")
    else:
        (package / place).write_text(text, encoding="utf-8")
    spec = Finder(package).find_spec("pbem.rules.base")
    assert (spec is None) is (text in NO_LIST)
    assert spec is None or type(spec.loader) is SourceFileLoader
    assert Finder(package).trouble == trouble


def test_whether_compiled_rules_are_in_use_is_said(package: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = []
    for name in ("", "pbem.rules", "errors.py"):
        if name == "errors.py":
            (package / name).write_text("changed = True\n", encoding="utf-8")
        with monkeypatch.context() as patched:
            patched.setattr(sys, "meta_path", [Finder(package)] if name else [])
            found.append(compiled_in_words())
    nothing, damaged = "the .py files run; nothing was compiled", "pbem/errors.py is not what was compiled"
    assert found == [nothing, "the rules run compiled", f"the .py files run: {damaged}"]


def test_without_a_build_nothing_is_looked_for() -> None:
    code = "import sys, pbem.rules.base; print('pbem.compiled' in sys.modules)"
    done = python("-c", code)
    assert done.stdout == f"{(Path(__file__).parents[1] / 'pbem' / FOLDER).is_dir()}\n"


class Own(Telling):
    """Of a game in another package, which stays Python."""

    rule_of_turns = "7"

    def __init__(self) -> None:
        super().__init__(stops=True)
        self.asked = 0

    @property
    def asks(self) -> tuple[Ask, ...]:
        self.asked += 1
        return super().asks

    async def flow(self) -> Outcome:
        """One stop, one question."""
        await stop("begin")
        self.tell("answered", answer=await ask("one", "kind", "1", ("a", "b"), "a"))
        return Outcome("one", "done")


def test_a_game_of_another_package_runs_on_the_shared_rules() -> None:
    """Compiled ones, too."""
    game = Own()
    game.run(game.flow())
    assert game.at_stop == "begin"
    game.go_on()
    with pytest.raises(IllegalAnswer) as refused:
        game.answer("two", "a")
    assert refused.value.rule == "7"
    game.answer("one", "b")
    assert game.told("public") == [{"event": "answered", "answer": "b"}]
    assert game.outcome == Outcome("one", "done")
    assert game.asks == ()
    assert game.asked == 1
