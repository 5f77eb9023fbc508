"""The command `pbem check`."""

from __future__ import annotations

import sys
from pathlib import Path

import click

MAX_INPUT_SIZE = 1_048_577
"""Number of bytes read of a file, one more than orders may have."""

FILE = click.Path(path_type=Path, dir_okay=False, allow_dash=True)


@click.command()
@click.argument("file", type=FILE)
@click.option(
    "--report", type=FILE, help=("The report that the orders answer, if it is not the last one you received.")
)
@click.option("--game", help="The game, if the orders do not say it.")
@click.option("--json", "as_json", is_flag=True, help="For programs.")
def check(file: Path, report: Path | None, game: str | None, as_json: bool) -> int:
    """Look at orders before you send them: mistakes, what is understood, and a forecast.

    It sends and signs nothing. It knows only your last report and what you sent before. FILE is an order
    file, or a whole report with its form filled in; then it uses that report. Ends with 1 if a line will not
    count.

    \b
    Examples:
      pbem check orders.txt
      pbem check orders.txt --report report-0012.txt
    """
    from pbem.player import Home

    found = Home().check(_read(file), game=game, report=None if report is None else _read(report))
    if as_json:
        import json

        click.echo(json.dumps(found.facts, indent=2))
    else:
        click.echo(found.words, nl=False)
    return 1 if found.faulty else 0


def _read(path: Path) -> bytes:
    if str(path) == "-":
        return sys.stdin.buffer.read(MAX_INPUT_SIZE)
    with path.open("rb") as file:
        return file.read(MAX_INPUT_SIZE)
