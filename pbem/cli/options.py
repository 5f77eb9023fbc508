"""Options and other things that several commands share: help of signed texts, links to the page, remarks."""

from __future__ import annotations

from collections.abc import Callable
from inspect import cleandoc
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from pbem.signed_texts import PUBLISH as PUBLISHED
from pbem.signed_texts import consents_in_words, help_of

if TYPE_CHECKING:
    from pbem.judge.club import Club
    from pbem.judge.letters.addresses import WebPage

EXISTING_FILE = click.Path(path_type=Path, dir_okay=False, exists=True)
NEW_FILE = click.Path(path_type=Path, dir_okay=False)
FILE = click.Path(path_type=Path, dir_okay=False, allow_dash=True)
"""A file, or `-` for standard input or output."""
FOLDER = click.Path(path_type=Path, file_okay=False)
EXISTING_FOLDER = click.Path(path_type=Path, file_okay=False, exists=True)

JSON = click.option("--json", "as_json", is_flag=True, help="For programs.")
CLUB = click.option(
    "--club",
    "folder",
    type=FOLDER,
    default=Path(),
    envvar="PBEM_CLUB",
    show_default="the current folder, or PBEM_CLUB",
    help="The club's folder.",
)


LOOK = click.option(
    "--reason",
    default="",
    help="Why you must see secrets of a running game; the ledger says so, and players see it.",
)


def open_folder(folder: Path) -> Club:
    """Return the club whose data a folder holds."""
    from pbem.judge.club import open_club

    return open_club(folder)


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


def signs(name: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Return a decorator that puts the help of a signed text before the command's own help."""

    def helped(command: Callable[..., None]) -> Callable[..., None]:
        _, _, more = (command.__doc__ or "").partition("\n")
        command.__doc__ = f"{help_of(name)}\n\n{cleandoc(more)}"
        return command

    return helped


def consents(command: Callable[..., None]) -> Callable[..., None]:
    """Replace ACTS in a command's help by the acts that a player can consent to."""
    command.__doc__ = cleandoc(command.__doc__ or "").replace("ACTS", consents_in_words())
    return command


PASSPHRASE_FILE = click.option(
    "--passphrase-file",
    type=EXISTING_FILE,
    help="A file whose first line is the key's passphrase; without it, the program asks you.",
)


ZONE = click.option(
    "--zone", default="", help="Your time zone, such as Europe/London, for deadlines in letters."
)


SHARE = click.option(
    "--share-address",
    "share",
    default="",
    metavar="ADDRESS",
    help="Your mail address, if the judge may tell it to your opponents.",
)


PUBLISH = f"{PUBLISHED}."


def mailing(command: Callable[..., None]) -> Callable[..., None]:
    """Add to a command the options with which sealed orders become a mail."""
    for option in reversed(
        (
            click.option(
                "--mail",
                type=FILE,
                help="Write a mail, ready to send, to the judge and to opponents who share their address.",
            ),
            click.option(
                "--from", "sender", default="", metavar="ADDRESS", help="The address in the mail's From."
            ),
            click.option("--no-copies", is_flag=True, help="Write the mail only to the judge."),
        )
    ):
        command = option(command)
    return command


WHOSE = click.option(
    "--judge", default="", help="The judge's key, as in join, if your games have different judges."
)


MAX_INPUT_SIZE = 16_777_217
"""Number of bytes read of any file, one more than is ever accepted."""


def echo_remark(text: object) -> None:
    """Print a remark on standard error, where no script takes it for a result."""
    click.echo(f"pbem: {text}", err=True)


def join_link(club: Club, game: str, title: str = "") -> str:
    """Return the link with which a player joins a game in a browser; "" if the club names no page."""
    page = _page_of(club)
    return page.link_to_join(game, club.key.public.fingerprint, title) if page else ""


def entry_link(club: Club, league: str, genesis: str, title: str) -> str:
    """Return the link with which a player enters a league in a browser; "" if the club names no page."""
    page = _page_of(club)
    return page.link_to_enter(league, genesis, club.key.public.fingerprint, title) if page else ""


def _page_of(club: Club) -> WebPage | None:
    """Return the web page that a club recommends; None if it names no valid one."""
    if "page" not in club.settings:
        return None
    from pbem.errors import ConfigError
    from pbem.judge.letters.addresses import webpage_of

    try:
        return webpage_of(club.settings)
    except ConfigError:  # which the doctor tells
        return None
