"""Completion of words in the shell: games, sides and areas, as far as they are known here.

A parameter is completed by its name, so a new command has this without asking for it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from pbem.titles import Title

GAME, SIDE, AREA = frozenset(("game", "source", "of")), frozenset(("side", "attacker")), frozenset(("area",))
READER = frozenset(("viewer", "audience", "reader"))
RULES = frozenset(("rules",))
EVENT = frozenset(("event",))
WITH_RULES = frozenset(("odds", "practice"))
"""Commands whose option --game names the rules of a game."""


def complete_words(command: click.Command) -> None:
    """Add completion to those parameters of a command whose names tell what they take."""
    for parameter in command.params:
        name = parameter.name or ""
        known: Callable[[], Iterable[str]] | None = None
        if name in RULES or (name == "game" and command.name in WITH_RULES):
            known = _rules
        elif name in GAME:
            known = _games
        elif name in SIDE:
            known = _sides
        elif name in READER:
            known = _readers
        elif name in AREA | EVENT:
            known = _areas
        if known is not None:
            parameter._custom_shell_complete = _completer(known)


def _completer(
    known: Callable[[], Iterable[str]],
) -> Callable[[click.Context, click.Parameter, str], list[click.shell_completion.CompletionItem]]:
    def complete(
        _: click.Context, __: click.Parameter, begun: str
    ) -> list[click.shell_completion.CompletionItem]:
        found = [word for word in dict.fromkeys(known()) if word.lower().startswith(begun.lower())]
        return [click.shell_completion.CompletionItem(word) for word in found]

    return complete


def _games() -> Iterable[str]:
    """Yield the names of the games played from this home, and of those in the club here."""
    from pbem.player.files import default_home

    yield from sorted(path.parent.name for path in (default_home() / "games").glob("*/player"))
    club = Path(os.environ.get("PBEM_CLUB") or ".")
    if (club / "club.toml").is_file():
        from pbem.judge.club import open_club

        yield from open_club(club).store.games()


def _rules() -> Iterable[str]:
    from pbem.titles import names

    return names()


def _titles() -> Iterable[Title]:
    from pbem.titles import load, names

    return map(load, names())


def _sides() -> Iterable[str]:
    for title in _titles():
        with suppress(ImportError):  # a game of which a part is missing
            yield from title.words.sides


def _readers() -> Iterable[str]:
    yield from ("public", "gm", "all")
    yield from _sides()


def _areas() -> Iterable[str]:
    from pbem.orders.kit.language import KitLanguage

    for title in _titles():
        with suppress(ImportError):
            language = title.language
            if isinstance(language, KitLanguage) and (noun := language.rows.by_noun.get("area")):
                for side in title.words.sides:
                    yield from noun.of(side).names
