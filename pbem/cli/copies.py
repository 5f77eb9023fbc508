"""The copy of a home that a post box keeps, fetched before a command seals and sent when it has ended."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from pbem.errors import PbemError

if TYPE_CHECKING:
    from pbem.player import Home

COPYING = "copying"
"""Name of the file in a home that shows that a post box keeps a copy: see pbem.web.home_copy."""


def take_newest(home: Home) -> None:
    """Take over what another device has given to the post box that keeps a copy of this home, if one does."""
    if (home.path / COPYING).exists():
        from pbem.web.home_copy import HomeCopies

        copies = HomeCopies(home)
        for said in copies.take_newest() if copies.state.is_on else ():
            _remark(said)


def give_copy(home: Home) -> None:
    """Send the home's changes to the post box that keeps a copy, if one does and the key is unlocked."""
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
