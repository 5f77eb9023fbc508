"""The commands `pbem ratings`: the club's ratings, their file, and the ratings of several clubs together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pbem.cli.club import CLUB, open_folder

if TYPE_CHECKING:
    from pbem.ratings.club_ratings import ClubRating

SIDES = click.option("--sides", is_flag=True, help="Also the ratings with each side.")


@click.group(invoke_without_command=True)
@SIDES
@CLUB
@click.pass_context
def ratings(context: click.Context, sides: bool, folder: Path) -> None:
    """Show ratings over all leagues and rated games, and share them.

    They are Glicko-2, one for each title; a month is a rating period. The two numbers behind a rating hold
    the player's strength 19 times of 20; ? says that they are far apart. A game outside leagues counts if it
    was opened with --rated.

    \b
    Examples:
      pbem ratings
      pbem ratings --sides
    """
    if context.invoked_subcommand is None:
        from pbem.ratings.club_ratings import club_ratings

        for line in _table(club_ratings(open_folder(folder)), sides):
            click.echo(line)


@ratings.command()
@click.argument("into", type=click.Path(path_type=Path, file_okay=False))
@click.option("--bundles", is_flag=True, help="Also the bundles of all rated games and their leagues.")
@CLUB
def export(into: Path, bundles: bool, folder: Path) -> None:
    """Write ratings.txt into a new folder: every rated game by its hashes, and the ratings that follow.

    Whoever has the bundles of those games and leagues can compute the ratings again ('pbem ratings merge').
    Bundles name all players; those of rated games may be handed out, since the players have agreed to it. A
    new key that was signed in another game needs that game's bundle, if its players agree.

    \b
    Examples:
      pbem ratings export our-ratings
      pbem ratings export our-ratings --bundles
    """
    from pbem.ratings.club_ratings import export_ratings

    count = export_ratings(open_folder(folder), into, with_bundles=bundles)
    click.echo(f"wrote the ratings, and {count} bundles, into {into}")


@ratings.command()
@click.argument(
    "clubs", nargs=-1, required=True, type=click.Path(path_type=Path, exists=True, file_okay=False)
)
@click.option("--out", type=click.Path(path_type=Path, dir_okay=False), help="Write the merged file here.")
@SIDES
def merge(clubs: tuple[Path, ...], out: Path | None, sides: bool) -> int:
    """Compute the ratings of one club or several again from bundles; name what could not be checked.

    CLUBS are folders with a ratings.txt, as 'pbem ratings export' writes them, and with bundles. Every bundle
    is audited, and only games that hold count. The exit status is that of an audit: 3 if something is
    refuted, 4 if something could not be checked. With one club's folder this checks that club's file.

    \b
    Examples:
      pbem ratings merge our-ratings
      pbem ratings merge our-ratings their-ratings --out both.txt
    """
    from pbem.errors import ConfigError
    from pbem.ratings.calculation import ratings_file
    from pbem.ratings.club_ratings import told_ratings
    from pbem.ratings.merging import merge_clubs

    if out is not None and out.exists():
        raise ConfigError(f"{out} exists already; name a new file")
    merged = merge_clubs(clubs)
    for line in _table(told_ratings(merged.record), sides):
        click.echo(line)
    count = len(merged.record.games)
    click.echo(f"{count} {'game is' if count == 1 else 'games are'} checked and counted")
    for claim in merged.unchecked:
        click.echo(f"not checked, and not counted: {claim}")
    for what in merged.refuted:
        click.echo(f"refuted: {what}")
    if out is not None:
        out.write_bytes(ratings_file(merged.record))
    return merged.status


def _table(found: Iterable[ClubRating], sides: bool) -> Iterator[str]:
    """Yield a table of ratings for each title."""
    from itertools import groupby

    from pbem.guides import title_of
    from pbem.judge.leagues.display import align_columns

    rows = [one for one in found if sides or not one.side]
    if not rows:
        yield "no game that counts for ratings is over"
    for title, group in groupby(rows, key=lambda one: one.title):
        yield title_of(title) or title
        yield from align_columns([_row(one) for one in group])


def _row(one: ClubRating) -> tuple[str, ...]:
    """Return the words of a rating's line, column by column."""
    value, (low, high) = f"  {one.rating}{'?' if one.provisional else ''}", one.interval
    games = f"{one.games} {'game' if one.games == 1 else 'games'}"
    return value, f"{low} to {high}", one.name, one.side, games
