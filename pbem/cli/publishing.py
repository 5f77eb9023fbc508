"""The commands `pbem site`, `pbem seat` and `pbem ratings`: what a club shows to everybody."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pbem.cli.options import CLUB, EXISTING_FOLDER, FOLDER, NEW_FILE, open_folder

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
@click.argument("into", type=FOLDER)
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
@click.argument("clubs", nargs=-1, required=True, type=EXISTING_FOLDER)
@click.option("--out", type=NEW_FILE, help="Write the merged file here.")
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
    from pbem.ratings.club_ratings import told_ratings
    from pbem.ratings.merging import merge_clubs
    from pbem.ratings.record import ratings_file

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


@click.command()
@click.argument("into", type=FOLDER, required=False)
@click.option(
    "--all", "every_story", is_flag=True, help="Write all stories of games now, however long it takes."
)
@CLUB
def site(into: Path | None, every_story: bool, folder: Path) -> None:
    """Write the club as pages for everybody: games, leagues, open seats.

    A web server that serves files is enough. With folder in [site] of club.toml each pass of the judge keeps
    the pages up to date, and INTO may be left out. Only what everybody may know stands there; a running
    game is shown if all who play in it wish so. What has not changed is not written again.

    \b
    Example:
      pbem site /srv/www/club
    """
    from pbem.errors import ConfigError
    from pbem.site.view import site_settings
    from pbem.site.writing import MAX_EXCHANGES, write_site

    club = open_folder(folder)
    settings = site_settings(club.settings, club.path)
    if settings is None:
        raise ConfigError('club.toml has no [site]; write, for example: [site] name = "The Hearth"')
    into = into or settings.folder
    if into is None:
        raise ConfigError("name the folder to write to, or give [site] in club.toml a folder")
    written = write_site(club, into, settings, None if every_story else MAX_EXCHANGES)
    click.echo(f"{written.text} to {into}")


@click.group()
def seat() -> None:
    """Offer seats on the club's pages: of a new game, or to a substitute.

    \b
    Example:
      pbem seat offer dunbar-8 --rules hammer --rhythm "a turn a week"
    """


@seat.command()
@click.argument("game")
@click.option("--rules", default="", help="The rules that are to be played, in a game that has not begun.")
@click.option("--side", default="", help="The side that looks for a substitute, in a game that goes on.")
@click.option("--seats", type=int, default=1, show_default=True, help="Seats that are free.")
@click.option("--rhythm", default="", metavar="TEXT", help='How often a turn is played, as "a turn a week".')
@click.option("--about", default="", metavar="TEXT", help="What else a reader should know.")
@click.option(
    "--with", "people", metavar="NAME", multiple=True, help="A player who is there already; repeat it."
)
@CLUB
def offer(
    game: str,
    rules: str,
    side: str,
    seats: int,
    rhythm: str,
    about: str,
    people: tuple[str, ...],
    folder: Path,
) -> None:
    """Offer seats in a game, in place of an earlier offer of that name.

    The pages name those of the players given by --with who wish that their games are shown. With --side
    they call for a substitute in a game that goes on, if they show this game.

    \b
    Examples:
      pbem seat offer dunbar-8 --rules hammer --rhythm "a turn a week" --about "beginners are welcome"
      pbem seat offer dunbar-7 --side england --about "the player has no time any more"
    """
    from pbem.site.seats import call_substitute, offer_seat

    if bool(rules) == bool(side):
        raise click.UsageError("Give either --rules, or in a game that goes on --side.")
    club = open_folder(folder)
    if side:
        if people or seats != 1:
            raise click.UsageError("--side stands for one seat; --seats and --with do not go with it.")
        name = call_substitute(club, game, side, rhythm=rhythm, about=about).side_name
        click.echo(f"{game}: {name} looks for a substitute; the pages show it if they show the game")
        return
    offer_seat(club, game, rules=rules, seats=seats, rhythm=rhythm, about=about, people=people)
    click.echo(f"{game} looks for players; 'pbem site', or the next pass, shows it")


@seat.command()
@click.argument("game")
@CLUB
def withdraw(game: str, folder: Path) -> None:
    """Take an offer back; it ends by itself when the game begins, or a substitute has the seat.

    \b
    Example:
      pbem seat withdraw dunbar-8
    """
    from pbem.site.seats import withdraw_offer

    withdraw_offer(open_folder(folder), game)
    click.echo(f"{game} no longer looks for players")


@seat.command("list")
@CLUB
def list_offers(folder: Path) -> None:
    """List the games that look for players.

    \b
    Example:
      pbem seat list
    """
    from pbem.site.seats import read_offers

    for one in read_offers(open_folder(folder)):
        rhythm = f", {one.rhythm}" if one.rhythm else ""
        seats = f"{one.side_name} looks for a substitute" if one.side else f"{one.seats} free"
        click.echo(f"{one.game}: {one.rules}, {seats}{rhythm}; offered since {one.since}")
