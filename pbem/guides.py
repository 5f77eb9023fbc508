"""The pages of `pbem guide`: a first turn, each game's orders, what words mean, how to write a game."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from pbem.rules.base import UnknownOption, UnknownRules
from pbem.titles import load

FIRST, ORDERS, WORDS, GAMES = "first-turn", "orders", "glossary", "writing-a-game"
DOCS = files("pbem").joinpath("docs")


@cache
def guides() -> dict[str, str]:
    """Return the headings of all pages by the pages' names, the first turn first."""
    names = sorted(one.name.removesuffix(".md") for one in DOCS.iterdir() if one.name.endswith(".md"))
    pages = [FIRST, *(name for name in names if name.startswith(ORDERS)), WORDS, GAMES]
    return {name: guide(name).partition("\n")[0].removeprefix("# ") for name in pages}


def guide(page: str) -> str:
    """Return the text of a page as its file has it, in Markdown."""
    return DOCS.joinpath(f"{page}.md").read_text(encoding="utf-8")


def title_of(rules: str) -> str:
    """Return the title of a game by the name of its rules; "" if the game is not installed."""
    try:
        return load(rules).rules.title
    except UnknownRules:
        return ""


def chosen_options(rules: str, options: dict[str, str]) -> dict[str, str]:
    """Return a game's options without those that follow from the others and the rules."""
    kept = dict(options)
    try:
        checked = load(rules).rules.checked
        everything = checked(options)
        for name in reversed(options):
            if checked(rest := {key: value for key, value in kept.items() if key != name}) == everything:
                kept = rest
    except (UnknownRules, UnknownOption):
        return dict(options)
    return kept


def guide_to(rules: str) -> str:
    """Return the name of the page on a game's orders; "" for a game from outside, with pages elsewhere."""
    heading = f"Orders for {title_of(rules)}"
    return next((page for page, said in guides().items() if said == heading), "")
