"""Gives commands the help of what they sign, out of the table of signed texts."""

from __future__ import annotations

from collections.abc import Callable
from inspect import cleandoc
from textwrap import indent

from pbem.signed_texts import consents_in_words, help_of


def consents(command: Callable[..., None]) -> Callable[..., None]:
    """Put the acts that a player can consent to, out of the table of signed texts, where ACTS stands."""
    command.__doc__ = (command.__doc__ or "").replace("    ACTS", indent(consents_in_words(), "    "))
    return command


def signs(name: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command the help of what it signs, out of the table of signed texts; its own words follow."""

    def helped(command: Callable[..., None]) -> Callable[..., None]:
        _, _, more = (command.__doc__ or "").partition("\n")
        command.__doc__ = f"{help_of(name)}\n\n{cleandoc(more)}"
        return command

    return helped
