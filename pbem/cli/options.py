"""The parts that commands share: options, help of signed texts, links to the page, remarks, output files.

A file that the user names is written whole or not at all, and replaces only its like.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Callable
from contextlib import suppress
from inspect import cleandoc
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from pbem.errors import ConfigError
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
    """The default of the option that names a game, looked up when a command is run or its help is shown."""

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


KINDS = (
    ("a key", re.compile(rb"-----BEGIN OPENSSH PRIVATE KEY|ssh-ed25519 ")),
    ("a join file", re.compile(rb"pbem1 join\b")),
    ("a signed text", re.compile(rb"pbem1 ([a-z-]+)")),
    ("a sealed file", re.compile(rb"-----BEGIN AGE ENCRYPTED FILE-----|age-encryption\.org/")),
    ("a mail", re.compile(rb"(?:From|To|Cc|Subject|Date|Message-ID|MIME-Version): ")),
    ("a page", re.compile(rb"<!doctype html", re.IGNORECASE)),
    ("a picture", re.compile(rb"<svg\b|\x89PNG")),
    ("orders", re.compile(rb"begin orders\b")),
)
"""Kinds of files, each with the pattern of its first bytes."""
KEPT = frozenset({"a key", "a join file"})
"""Kinds of files that are never replaced, even by another file of the same kind."""
_MAX_BEGINNING_LENGTH = 64
_FORCE = "pbem.cli.options.force"


def _note_force(context: click.Context, _: click.Parameter, value: bool) -> None:
    context.meta[_FORCE] = value


forcing = click.option(
    "--force",
    is_flag=True,
    expose_value=False,
    callback=_note_force,
    help="Replace a file that holds something else.",
)
"""The option by which a command may replace a file of an unknown kind."""


def output(command: Any) -> Any:
    """Add the options --out and --force to a command."""
    out = click.option(
        "--out",
        type=NEW_FILE,
        help="Write to this file instead of standard output.",
    )
    return out(forcing(command))


def write_output(path: Path, data: bytes) -> None:
    """Write a command's result to the file that its user named; a device or a pipe is written to as it is.

    Raises:
        ConfigError: a link, or a file that holds something else, stands there, and --force was not given.
    """
    if _is_stream(path):
        with path.open("wb") as stream:
            stream.write(data)
        return
    context = click.get_current_context(silent=True)
    forced = context is not None and context.meta.get(_FORCE, False)
    if path.is_symlink():
        raise ConfigError(f"{path} is a link, and nothing is written through one; name the file itself")
    if path.exists() and not forced:
        _check_replaceable(path, data)
    _write_whole(path, data)


def _is_stream(path: Path) -> bool:
    """Tell whether a path is a device, a pipe, or one of the system's links to an open file."""
    if path.is_symlink() and path.parent not in (Path("/dev"), Path("/dev/fd"), Path("/proc/self/fd")):
        return False
    return path.parent in (Path("/dev/fd"), Path("/proc/self/fd")) or (
        path.exists() and (path.is_symlink() or not stat.S_ISREG(path.stat().st_mode))
    )


def _check_replaceable(path: Path, data: bytes) -> None:
    """Raise an error if writing would lose a file that was not written for the same purpose."""
    with path.open("rb") as file:
        old = file.read(len(data) + 1)
    if old in (b"", data):
        return
    (there, began), (kind, begins) = kind_of(old), kind_of(data)
    if (there, began) != (kind, begins) or there in ("", *KEPT):
        raise ConfigError(
            f"{path} is there already and holds {there or 'something else'}; "
            "name another file, or give --force to replace it"
        )


def kind_of(data: bytes) -> tuple[str, bytes]:
    """Return the kind of a file that begins with these bytes, and its first words; "" if it is of no kind."""
    found = ((kind, begins.match(data[:_MAX_BEGINNING_LENGTH])) for kind, begins in KINDS)
    return next(((kind, match[1] if match.re.groups else b"") for kind, match in found if match), ("", b""))


def _write_whole(path: Path, data: bytes) -> None:
    """Write a file whole in place of the one at a path, with the old file's mode or that of a new file."""
    import tempfile

    try:
        mode = stat.S_IMODE(path.stat().st_mode)
    except FileNotFoundError:
        mask = os.umask(0)
        os.umask(mask)
        mode = 0o666 & ~mask
    try:
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    except OSError as problem:
        raise ConfigError(f"{path} cannot be written: {str(problem.strerror).lower()}") from None
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        Path(name).chmod(mode)
        Path(name).replace(path)
    finally:
        with suppress(FileNotFoundError):
            Path(name).unlink()
