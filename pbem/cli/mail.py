"""The command `pbem tool extract`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from pbem.mail.extract import Extract


@click.command()
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False, allow_dash=True))
@click.option("--own", default="", metavar="ADDRESS", help="The judge's address; mails from it are not read.")
@click.option("--json", "as_json", is_flag=True, help="For programs.")
def extract(file: Path, own: str, as_json: bool) -> int:
    """Print what the judge would use of one mail, or why nothing.

    Ends with 1 if nothing would be used. Nothing is opened, stored or answered.

    \b
    Example:
      pbem tool extract strange.eml
    """
    import json

    from pbem.mail.extract import MAX_MAIL_SIZE
    from pbem.mail.extract import extract as take

    if str(file) == "-":
        raw = sys.stdin.buffer.read(MAX_MAIL_SIZE + 1)
    else:
        with file.open("rb") as opened:
            raw = opened.read(MAX_MAIL_SIZE + 1)
    found = take(raw, own)
    click.echo(json.dumps(_facts(found), indent=2) if as_json else "\n".join(_lines(found)))
    return 0 if found.is_taken else 1


def _lines(found: Extract) -> list[str]:
    """Return the lines that describe what would be taken from a mail."""
    from pbem.trust.sealing import sealed_name

    answer = "may be answered" if found.head.answerable else "gets no answer"
    shown = [f"{found.head.origin_words}, which {answer}"]
    shown += [f"sealed file {sealed_name(one)}, {len(one):,} bytes" for one in found.sealed_files]
    shown += [f"signed statement: {_first_line(one)}" for one in found.statements]
    shown += [f"command: {one.text}" for one in found.commands]
    return shown if found.is_taken else [*shown, f"nothing is taken: {found.reason}"]


def _facts(found: Extract) -> dict[str, Any]:
    """Return what would be taken from a mail as data for a program."""
    from pbem.trust.sealing import sealed_name

    return {
        "origin": found.head.origin,
        "answerable": found.head.answerable,
        "sender": found.head.sender,
        "sealed": [sealed_name(one) for one in found.sealed_files],
        "statements": [_first_line(one) for one in found.statements],
        "commands": [one.text for one in found.commands],
        "why": found.reason,
    }


def _first_line(statement: bytes) -> str:
    return statement.partition(b"\n")[0].decode()
