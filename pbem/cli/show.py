"""pbem show: where a game stands, and its story as one page or as JSON, for one reader."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from pbem.cli.club import CLUB, LOOK
from pbem.cli.output import forcing, write_output

if TYPE_CHECKING:
    from pbem.moments.tracks import Story

PUBLIC, ALL = "public", "all"


@click.command()
@click.argument("source", metavar="GAME|BUNDLE")
@click.option(
    "--as", "viewer", help="A side, public, gm for where it stands, or all for the story of a finished game."
)
@click.option(
    "--html",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write its story as one page, which needs no network.",
)
@click.option("--json", "as_json", is_flag=True, help="Print its story for programs.")
@click.option("--luck", is_flag=True, help="In the story of a running game, count the hits as well.")
@forcing
@LOOK
@CLUB
def show(
    source: str,
    viewer: str | None,
    html: Path | None,
    as_json: bool,
    luck: bool,
    reason: str,
    folder: Path,
) -> None:
    """Show where a game stands, or its whole story, as one reader may see it.

    The story can be of a game of this club, of one that you play, or of a bundle. Without --as it is what the
    reader may have: of a finished game everything, of a running one your own side's or the public's.

    \b
    Examples:
      pbem show demo
      pbem show demo --as scotland --reason "alice cannot read her report"
      pbem show demo --html demo.html
      pbem show demo-game/bundle --json
    """
    if html is None and not as_json:
        _show_position(source, viewer or PUBLIC, reason, folder)
        return
    if html is not None and as_json:
        raise click.UsageError("Choose --html or --json.")
    story = _story(source, viewer, reason, folder)
    if html is None:
        from pbem.moments.interchange import write_json

        click.echo(write_json(story, luck=luck), nl=False)
        return
    from pbem.moments.page import write_page

    write_output(html, write_page(story, luck=luck))
    click.echo(html)


def _show_position(game: str, viewer: str, reason: str, folder: Path) -> None:
    """Print where a game of the club stands."""
    from pbem.judge.acts.entering import look
    from pbem.judge.adjudication import show as picture
    from pbem.judge.club import open_club

    if _is_bundle(game):
        raise click.UsageError("Of a bundle, the story can be shown: add --html FILE or --json.")
    club = open_club(folder)
    shown = picture(club, game, viewer)
    look(club, game, viewer, reason)
    click.echo(shown, nl=False)


def _is_bundle(source: str) -> bool:
    return Path(source).is_file() or (Path(source) / "log").is_dir()


def _story(source: str, viewer: str | None, reason: str, folder: Path) -> Story:
    """Return the story of a game of the club, of the reader's own home, or in a bundle."""
    from pbem.moments.tracks import tell

    if _is_bundle(source):
        from pbem.audit.bundle_record import read_record as read_bundle

        return tell(read_bundle(Path(source)), viewer)
    from pbem.player.place import default_home

    if not (folder / "club.toml").is_file() and (default_home() / "games" / source / "player").is_file():
        return _own_story(source, viewer)
    from pbem.judge.acts.entering import check_look, look
    from pbem.judge.club import GM, open_club
    from pbem.judge.club_record import read_record

    club = open_club(folder)
    over = club.book(source).history.over
    reader = viewer or (ALL if over else PUBLIC)
    looked_at = GM if reader == ALL and over else reader
    check_look(club, source, looked_at, reason)
    story = tell(read_record(club, source, reader), reader)
    look(club, source, looked_at, reason)
    return story


def _own_story(game: str, viewer: str | None) -> Story:
    """Return what a player was shown of a game, from the reports in their home."""
    from pbem.errors import ConfigError
    from pbem.moments.tracks import tell_reports
    from pbem.play.adjudicate import setting_of
    from pbem.player import Home
    from pbem.web.plans import counted_orders

    place = Home().folder(game)
    chronicle = place.chronicle()
    if chronicle is None:
        raise ConfigError(f"there is no report of {game} here; first open the judge's letters")
    setting = setting_of(chronicle.history.genesis)
    side = setting.side_of(place.player)
    if viewer not in (None, side):
        raise ConfigError(f"your home holds what {side} was shown, and not what {viewer} was")
    reports = {number: text for number in place.reports() if number and (text := place.report(number))}
    orders_of = counted_orders(place)
    orders = {number: text for number in reports if (text := orders_of(number))}
    return tell_reports(setting, chronicle.history, side, reports, orders)
