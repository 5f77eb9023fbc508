"""pbem show: a game of this club, one that is played from this home, or a bundle."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from pbem.cli.club import CLUB, LOOK, open_folder

if TYPE_CHECKING:
    from pbem.judge.club import Club


@click.command()
@click.argument("source", metavar="GAME|BUNDLE")
@click.option(
    "--as", "viewer", default=None, help="A side, public or gm; in a club and a bundle usually public."
)
@click.option("--report", "as_report", is_flag=True, help="The last report, not where the game stands.")
@LOOK
@CLUB
def show(source: str, viewer: str | None, as_report: bool, reason: str, folder: Path) -> None:
    """Show a game: one of this club, one that you play, or a bundle.

    In a club you see where the game stands, as a side, the public or the game master sees it. Of a game that
    you play, and of a bundle, you see the last report that is there. A bundle is checked first.

    \b
    Examples:
      pbem show demo
      pbem show demo --as scotland --reason "alice cannot read her report"
      pbem show demo --report
      pbem show demo-bundle
    """
    if Path(source).is_file() or (Path(source) / "log").is_dir():
        click.echo(_from_bundle(Path(source), viewer), nl=False)
    elif not (folder / "club.toml").exists() and _is_played(source):
        click.echo(_from_home(source, viewer), nl=False)
    elif as_report:
        _show_report(open_folder(folder), source, viewer or "public", reason)
    else:
        _show_position(open_folder(folder), source, viewer or "public", reason)


@click.command()
@click.argument("game")
@click.argument("side", default="public")
@LOOK
@CLUB
def report(game: str, side: str, reason: str, folder: Path) -> None:
    """Print the last report of a side, or the public one.

    This is `pbem show GAME --as SIDE --report` by its old name.

    \b
    Examples:
      pbem report demo
      pbem report demo scotland --reason "alice cannot read hers"
    """
    _show_report(open_folder(folder), game, side, reason)


def _show_position(club: Club, game: str, viewer: str, reason: str) -> None:
    from pbem.judge.acts.entering import look
    from pbem.judge.adjudication import show as picture

    shown = picture(club, game, viewer)
    look(club, game, viewer, reason)
    click.echo(shown, nl=False)


def _show_report(club: Club, game: str, side: str, reason: str) -> None:
    from pbem.judge.acts.entering import look
    from pbem.judge.adjudication import last_report

    shown = last_report(club, game, side)
    look(club, game, side, reason)
    click.echo(shown, nl=False)
    history = club.book(game).history
    if history.current is not None and history.current.number != history.resolved[-1].number + 1:
        click.echo(
            f"pbem: after this report, exchanges were made void; {history.current.number} is open", err=True
        )


def _from_bundle(path: Path, viewer: str | None) -> str:
    """Return the last report for a reader that a bundle holds, once the bundle is checked."""
    from pbem.audit.bundle_record import read_record
    from pbem.errors import ConfigError
    from pbem.reports.packing import without_view

    record = read_record(path)
    wanted = viewer or "public"
    found = {exchange: text for (exchange, reader), text in record.reports.items() if reader == wanted}
    if not found:
        readers = sorted({reader for _, reader in record.reports})
        raise ConfigError(
            f"{path} holds no report for {wanted}; it holds those for: {', '.join(readers) or 'nobody'}"
        )
    return f"{without_view(found[max(found)])}\n"


def _is_played(game: str) -> bool:
    """Whether this home has joined a game of this name; a name that is no folder's is none."""
    from pbem.player.place import default_home
    from pbem.trust.identifiers import is_token

    return is_token(game) and (default_home() / "games" / game / "player").is_file()


def _from_home(game: str, viewer: str | None) -> str:
    """Return the last report that the player has received, from their own side."""
    from pbem.errors import ConfigError
    from pbem.player import Home
    from pbem.reports.packing import without_view

    if viewer is not None:
        raise ConfigError("in your home there is only what your own side sees; leave --as out")
    folder = Home().folder(game)
    kept = folder.reports()
    text = folder.report(kept[-1]) if kept else None
    if text is None:
        raise ConfigError(f"no report of {game} has been received yet")
    return f"{without_view(text)}\n"
