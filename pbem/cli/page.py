"""The command `pbem page`: a report with its picture, for a browser."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import click

from pbem.cli.output import forcing, write_output
from pbem.errors import PbemError

WRITE = click.Path(path_type=Path, dir_okay=False)


@click.command()
@click.argument("game", required=False)
@click.option("--exchange", type=click.IntRange(min=0), help="The report of this exchange, not the last one.")
@click.option(
    "--report", "kept", type=click.Path(path_type=Path, dir_okay=False, exists=True), help="A report."
)
@click.option("--out", type=WRITE, help="Write the page to this file; without it, to GAME.html.")
@forcing
@click.option("--picture", type=WRITE, help="Write the picture alone as well: FILE.svg or FILE.png.")
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
    from pbem.trust.zones import HERE, times_in

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
        from pbem.pictures.png import png

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
