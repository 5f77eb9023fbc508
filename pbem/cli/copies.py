"""The copy of a home in a post box, taken before a command seals and given when it has ended."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from pbem.errors import PbemError

if TYPE_CHECKING:
    from pbem.player import Home

COPYING = "copying"
"""A file in a home of which a post box keeps a copy: pbem.web.home_copy, imported only then."""


def take_newest(home: Home) -> None:
    """Take over what another device has given to the post box that keeps a copy of this home, if one does."""
    if (home.path / COPYING).exists():
        from pbem.web.home_copy import HomeCopies

        copies = HomeCopies(home)
        for said in copies.take_newest() if copies.state.is_on else ():
            _remark(said)


def give_copy(home: Home) -> None:
    """Give the post box a copy of what has changed, if it keeps one and the key has been unlocked."""
    if not (home.path / COPYING).exists():
        return
    from pbem.web.home_copy import HomeCopies

    copies = HomeCopies(home)
    if not copies.state.is_on or not home.keys.is_unlocked(copies.state.key):
        return
    try:
        for said in copies.give():
            _remark(said)
    except PbemError as fault:
        _remark(f"the post box has no new copy of your home: {fault}")


def _remark(text: str) -> None:
    click.echo(f"pbem: {text}", err=True)
