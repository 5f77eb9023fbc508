"""Disputes: explain."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from pbem.cli.club import CLUB

if TYPE_CHECKING:
    from pbem.disputes.record import Record


def _record(source: str, folder: Path, reader: str | None) -> Record:
    """The game of this club, or the bundle, that is meant."""
    if Path(source).is_file() or (Path(source) / "log").is_dir():
        from pbem.audit.record import read_record as read_bundle

        return read_bundle(Path(source))
    from pbem.judge.club import open_club
    from pbem.judge.record import read_record

    return read_record(open_club(folder), source, reader or "all")


@click.command()
@click.argument("source", metavar="GAME|BUNDLE")
@click.argument("event", nargs=-1, required=True)
@click.option("--as", "reader", help="What this side, or the public, may know; by default everything.")
@click.option("--pictures", is_flag=True, help="Show the whole position as each side saw it before.")
@CLUB
def explain(source: str, event: tuple[str, ...], reader: str | None, pictures: bool, folder: Path) -> None:
    """Explain an event: whose order caused it, by which rules, with which dice.

    The event is named in the words of a report, with its turn, its winter or its exchange. SOURCE is a
    game of this club, or a bundle, of which only what it opens is told.

    \b
    Example:
      pbem explain demo 1297.2 battle fife
      pbem explain demo-bundle winter 1297 ross
    """
    from pbem.disputes.explain import explain as tell

    click.echo(tell(_record(source, folder, reader), " ".join(event), pictures=pictures), nl=False)
