"""The commands about mail: mail extract."""

from __future__ import annotations

import sys
from pathlib import Path

import click


@click.group()
def mail() -> None:
    """Look at mails as the judge does.

    \b
    Example:
      pbem mail extract strange.eml
    """


@mail.command()
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False, allow_dash=True))
@click.option(
    "--own", default="", metavar="ADDRESS", help="The judge's address, whose own mails are passed over."
)
@click.option("--json", "as_json", is_flag=True, help="For programs.")
def extract(file: Path, own: str, as_json: bool) -> int:
    """Print what the judge would take from one mail, or why nothing.

    Ends with 1 if nothing would be taken. Nothing is opened, stored or answered.

    \b
    Example:
      pbem mail extract strange.eml
    """
    import json

    from pbem.mail.extract import LARGEST_MAIL
    from pbem.mail.extract import extract as take
    from pbem.mail.show import facts, lines

    if str(file) == "-":
        raw = sys.stdin.buffer.read(LARGEST_MAIL + 1)
    else:
        with file.open("rb") as opened:
            raw = opened.read(LARGEST_MAIL + 1)
    found = take(raw, own)
    click.echo(json.dumps(facts(found), indent=2) if as_json else "\n".join(lines(found)))
    return 0 if found.taken else 1
