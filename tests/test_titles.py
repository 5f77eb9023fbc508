"""What the loader of games says where a game is not there, or is not put together as it must be."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pbem import rules, titles
from pbem.rules import UnknownRules
from pbem.titles import Title

PARTS = {
    "files": ("json",),
    "rules": "json:loads",
    "orders": "json.decoder:JSONDecoder",
    "words": "json:dumps",
}


def title(**changed: Any) -> Title:
    return Title("chess", **{**PARTS, **changed})


@pytest.mark.parametrize("name", ["nine-mens-morris", "", "Hammer", "hammer "])
def test_a_game_that_is_not_installed_is_told_with_those_that_are(name: str) -> None:
    for load in (titles.load, rules.load):
        with pytest.raises(UnknownRules) as refused:
            load(name)
        assert f"no game called {name!r}; installed: " in str(refused.value)
        assert "hammer" in str(refused.value).partition("installed: ")[2].split(", ")


def test_where_no_game_is_installed_that_is_said() -> None:
    assert str(UnknownRules("hammer", ())) == "no game called 'hammer'; installed: none"


@pytest.mark.parametrize("part", ["rules", "orders", "words"])
@pytest.mark.parametrize("place", ["email:message", "jsonish:loads", "js:loads"])
def test_a_part_that_is_not_pinned_is_refused(part: str, place: str) -> None:
    """What adjudicates or reports lies in the packages by which a game is pinned."""
    with pytest.raises(
        ValueError, match=f"{place.partition(':')[0]} of the title chess lies in none of its files"
    ):
        title(**{part: place})


def test_a_package_that_is_none_is_refused() -> None:
    """A module of one file has no folder, and a name that nobody has installed has nothing."""
    for name in ("keyword", "no_such_package_here"):
        with pytest.raises(ValueError, match=f"{name} is not a package that is installed here"):
            _ = title(files=("json", name)).folders
    assert title().folders[0].name == "json"


def test_a_part_is_imported_when_it_is_asked_for() -> None:
    """A part that is not there harms nobody who does not ask for it."""
    broken = title(
        rules="json.no_such_module:RULES", orders="json:NO_SUCH_NAME", bots="no_such_package_here:BOTS"
    )
    with pytest.raises(ModuleNotFoundError):
        _ = broken.rules
    with pytest.raises(AttributeError):
        _ = broken.language
    with pytest.raises(ModuleNotFoundError):
        _ = broken.bots
    assert broken.words is not None
    assert repr(broken) == "<the title chess>"


def test_what_a_game_need_not_bring_is_absent() -> None:
    bare = title()
    assert set(bare.bots) <= {"random"}
    assert (bare.odds, bare.forecast, bare.pictures) == (None, None, None)
    assert bare.template_folders == ()
    assert bare.rulings == ()


def test_templates_and_rulings_lie_in_its_packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "a_game_of_two"
    (package / "templates").mkdir(parents=True)
    (package / "__init__.py").write_text("RULES = LANGUAGE = WORDS = 1\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    place = "a_game_of_two:RULES"
    game = title(files=("a_game_of_two",), rules=place, orders=place, words=place)
    assert game.folders == (package,)
    assert game.template_folders == (package / "templates",)
    assert game.words is not None
