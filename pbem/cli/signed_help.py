"""Help texts of the commands that sign, made from the table of signed texts."""

from __future__ import annotations

from collections.abc import Callable
from inspect import cleandoc

from pbem.signed_texts import consents_in_words, help_of


def consents(command: Callable[..., None]) -> Callable[..., None]:
    """Replace ACTS in a command's help by the acts that a player can consent to."""
    command.__doc__ = cleandoc(command.__doc__ or "").replace("ACTS", consents_in_words())
    return command


def signs(name: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Return a decorator that puts the help of a signed text before the command's own help."""

    def helped(command: Callable[..., None]) -> Callable[..., None]:
        _, _, more = (command.__doc__ or "").partition("\n")
        command.__doc__ = f"{help_of(name)}\n\n{cleandoc(more)}"
        return command

    return helped
