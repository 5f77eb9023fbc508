"""The commands `pbem site` and `pbem seat`: the club as pages for everybody, and the seats free there."""

from __future__ import annotations

from pathlib import Path

import click

from pbem.cli.club import CLUB, open_folder


@click.command()
@click.argument("into", type=click.Path(path_type=Path, file_okay=False), required=False)
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
    from pbem.site.stories import MAX_EXCHANGES
    from pbem.site.view import site_settings
    from pbem.site.writing import write_site

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
