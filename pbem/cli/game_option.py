"""The option that names a game; its default is the title that the installation takes if none is named."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

Command = TypeVar("Command", bound=Callable[..., Any])


class _Default:
    """The default value of the option, looked up when a command is run or its help is shown."""

    def __call__(self) -> str:
        from pbem.titles import default_name

        return default_name()

    __str__ = __call__


class _Games(click.types.StringParamType):
    """The type of a game's name; help lists the installed games, looked up when help is shown."""

    name = "game"

    def get_metavar(self, param: click.Parameter, ctx: click.Context | None = None) -> str:
        from pbem.rules import names

        return f"[{'|'.join(names())}]"


def game_option(
    *names: str, text: str = "Which game is played.", is_eager: bool = False
) -> Callable[[Command], Command]:
    """Return a decorator that adds an option which names a game; if eager, help can use its value."""
    return click.option(
        *names, type=_Games(), default=_Default(), show_default=True, help=text, is_eager=is_eager
    )
