"""The commands `pbem show`, a game or its whole story, and `pbem page`, a report for a browser."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pbem.cli.options import (
    CLUB,
    EXISTING_FILE,
    LOOK,
    NEW_FILE,
    echo_remark,
    forcing,
    open_folder,
    write_output,
)
from pbem.errors import PbemError

if TYPE_CHECKING:
    from pbem.judge.club import Club
    from pbem.moments.tracks import Story


PUBLIC, ALL = "public", "all"
OWN_EYES = "in your home there is only what your own side sees; leave --as out"
"""The message that refuses to show a game in a player's home as another side sees the game."""


@click.command()
@click.argument("source", metavar="GAME|BUNDLE")
@click.option(
    "--as", "viewer", help="A side, public, gm for where it stands, or all for the story of a finished game."
)
@click.option("--report", "as_report", is_flag=True, help="The last report, not where the game stands.")
@click.option(
    "--html",
    type=NEW_FILE,
    help="Write its story as one page, which needs no network.",
)
@click.option("--json", "as_json", is_flag=True, help="Print its story for programs.")
@click.option("--luck", is_flag=True, help="In the story of a running game, show hits and chances as well.")
@click.option("--bot", is_flag=True, help="In the story, where a bot would have ordered otherwise.")
@forcing
@LOOK
@CLUB
def show(
    source: str,
    viewer: str | None,
    as_report: bool,
    html: Path | None,
    as_json: bool,
    luck: bool,
    bot: bool,
    reason: str,
    folder: Path,
) -> None:
    """Show a game: one of this club, one that you play, or a bundle.

    In a club you see where the game stands, as a side, the public or the game master sees it. Of a game that
    you play, and of a bundle, you see the last report that is there. A bundle is checked first.

    With --html or --json you get the whole story. Without --as it is what the reader may have: of a finished
    game everything, of a running one your own side's or the public's.

    \b
    Examples:
      pbem show demo
      pbem show demo --as scotland --reason "alice cannot read her report"
      pbem show demo --report
      pbem show demo --html demo.html
      pbem show demo-game/bundle --json
    """
    if sum((as_report, html is not None, as_json)) > 1:
        raise click.UsageError("Choose one of --report, --html and --json.")
    if html is not None or as_json:
        _show_story(_story(source, viewer, reason, folder), html, luck=luck, bot=bot)
    elif is_bundle(source):
        click.echo(_from_bundle(Path(source), viewer), nl=False)
    elif not (folder / "club.toml").exists() and _is_played(source):
        click.echo(_from_home(source, viewer), nl=False)
    elif as_report:
        _show_report(open_folder(folder), source, viewer or PUBLIC, reason)
    else:
        _show_position(open_folder(folder), source, viewer or PUBLIC, reason)


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


def _show_story(story: Story, html: Path | None, *, luck: bool, bot: bool) -> None:
    """Write a story as a page, or print it for programs."""
    if html is None:
        from pbem.moments.documents import write_json

        click.echo(write_json(story, luck=luck, bot=bot), nl=False)
        return
    from pbem.moments.documents import write_page

    write_output(html, write_page(story, luck=luck, bot=bot))
    click.echo(html)


def is_bundle(source: str) -> bool:
    """Tell whether a word names a bundle: an archive, or a folder with a ledger."""
    return Path(source).is_file() or (Path(source) / "log").is_dir()


def _show_position(club: Club, game: str, viewer: str, reason: str) -> None:
    from pbem.judge.acts import look
    from pbem.judge.shown_games import show as picture

    shown = picture(club, game, viewer)
    look(club, game, viewer, reason)
    click.echo(shown, nl=False)


def _show_report(club: Club, game: str, side: str, reason: str) -> None:
    from pbem.judge.acts import look
    from pbem.judge.shown_games import shown_report

    shown = shown_report(club, game, side)
    look(club, game, side, reason)
    click.echo(shown, nl=False)
    history = club.book(game).history
    if history.current is not None and history.current.number != history.resolved[-1].number + 1:
        echo_remark(f"after this report, exchanges were made void; {history.current.number} is open")


def _from_bundle(path: Path, viewer: str | None) -> str:
    """Return the last report for a reader that a bundle holds, once the bundle is checked."""
    from pbem.audit.game import read_record
    from pbem.errors import ConfigError
    from pbem.reports.packing import without_view

    record = read_record(path)
    wanted = viewer or PUBLIC
    found = {exchange: text for (exchange, reader), text in record.reports.items() if reader == wanted}
    if not found:
        readers = sorted({reader for _, reader in record.reports})
        raise ConfigError(
            f"{path} holds no report for {wanted}; it holds those for: {', '.join(readers) or 'nobody'}"
        )
    return f"{without_view(found[max(found)])}\n"


def _is_played(game: str) -> bool:
    """Tell whether this home has joined a game of this name, which may be no name of a folder at all."""
    from pbem.player.files import default_home
    from pbem.trust.identifiers import is_token

    return is_token(game) and (default_home() / "games" / game / "player").is_file()


def _from_home(game: str, viewer: str | None) -> str:
    """Return the last report that the player has received, from their own side."""
    from pbem.cli.home import remark_notes
    from pbem.errors import ConfigError
    from pbem.player import Home
    from pbem.reports.packing import without_view
    from pbem.trust.times import clock_line, find_clock

    if viewer is not None:
        raise ConfigError(OWN_EYES)
    folder = Home().folder(game)
    kept = folder.reports()
    text = folder.report(kept[-1]) if kept else None
    if text is None:
        raise ConfigError(f"no report of {game} has been received yet")
    remark_notes(folder)
    clock = clock_line(said) if (said := find_clock(folder.report(0) or "")) else ""
    return f"{without_view(text)}\n{clock if kept[-1] else ''}"


def _story(source: str, viewer: str | None, reason: str, folder: Path) -> Story:
    """Return the story of a game of the club, of the reader's own home, or in a bundle."""
    from pbem.moments.tracks import tell

    if is_bundle(source):
        from pbem.audit.game import read_record as read_bundle

        return tell(read_bundle(Path(source)), viewer)
    if not (folder / "club.toml").exists() and _is_played(source):
        return _own_story(source, viewer)
    from pbem.judge.acts import check_look, look
    from pbem.judge.club import GM
    from pbem.judge.export import read_record

    club = open_folder(folder)
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
    from pbem.player import Home
    from pbem.web.looking_back import own_story

    story = own_story(Home().folder(game))
    side = story.tracks[0].reader
    if viewer not in (None, side):
        raise ConfigError(f"your home holds what {side} was shown, and not what {viewer} was")
    return story


@click.command()
@click.argument("game", required=False)
@click.option("--exchange", type=click.IntRange(min=0), help="The report of this exchange, not the last one.")
@click.option("--report", "kept", type=EXISTING_FILE, help="A report.")
@click.option("--out", type=NEW_FILE, help="Write the page to this file; without it, to GAME.html.")
@forcing
@click.option("--picture", type=NEW_FILE, help="Write the picture alone as well: FILE.svg or FILE.png.")
def page(
    game: str | None, exchange: int | None, kept: Path | None, out: Path | None, picture: Path | None
) -> None:
    """Write a report as a page with a picture, for a browser.

    Everything is in the page; it needs no network.

    \b
    Example:
      pbem page dunbar-7 --picture map.png
    """
    from pbem.pages import picture_of, report_page
    from pbem.trust.times import HERE, times_in

    if kept is None and game and Path(game).is_file():
        kept = Path(game)
    if kept is not None:
        text, name = kept.read_text(encoding="utf-8", errors="replace"), kept.stem
    else:
        text, name = _report(game, exchange)
    out = out or Path(f"{name}.html")
    write_output(out, report_page(text, times=partial(times_in, zone=HERE)).html.encode())
    click.echo(out)
    if picture is None:
        return
    drawn = picture_of(text)
    if drawn is None:
        raise PbemError("this report has nothing to draw")
    if picture.suffix == ".png":
        from pbem.pictures.base import png

        write_output(picture, png(drawn))
    else:
        write_output(picture, drawn.svg.encode())
    click.echo(picture)


def _report(game: str | None, exchange: int | None) -> tuple[str, str]:
    """Return the text of a kept report, and the name of its game."""
    from pbem.player import Home

    folder = Home().folder(game or Home().only_game())
    kept = folder.reports()
    wanted = kept[-1] if exchange is None and kept else exchange
    text = None if wanted is None else folder.report(wanted)
    if text is None:
        known = ", ".join(map(str, kept)) or "none yet"
        raise PbemError(f"there is no such report of {folder.game}; kept are those of exchanges: {known}")
    return text, folder.game
