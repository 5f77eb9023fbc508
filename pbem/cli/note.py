"""The command `pbem note`: a player's private notes about a game and its enemy blocks."""

from __future__ import annotations

import click

from pbem.characters import strip_blanks
from pbem.cli.home import _home, _printable, _remark


@click.command()
@click.argument("game")
@click.argument("text", required=False)
@click.option("--mark", "where", metavar="WHERE", help="Put TEXT on an enemy block: its name or its area.")
@click.option("--blocks", is_flag=True, help="List the enemy blocks that can be marked.")
@click.option("--remove", type=click.IntRange(min=1), metavar="N", help="Take marker N back.")
def note(game: str, text: str | None, where: str | None, blocks: bool, remove: int | None) -> None:
    """Write or show your private notes about a game.

    TEXT takes the place of your note about the game; "" removes it. With --mark it is put on an enemy block,
    and follows it as far as your reports prove that it is the same one. The player's page has the same notes.
    They lie in your home and its copies. They are never signed and never sent.

    `pbem receive`, `pbem fetch`, `pbem turn` and `pbem show` remind you of them beside the report.

    \b
    Examples:
      pbem note hearth "bob always keeps knights for turn 5"
      pbem note hearth --blocks
      pbem note hearth --mark Fife "I think this is Edward"
      pbem note hearth --remove 1
      pbem note hearth
    """
    from pbem.web.private_notes import NotesDesk

    if sum((where is not None, blocks, remove is not None)) > 1:
        raise click.UsageError("Choose one of --mark, --blocks and --remove.")
    if text is not None and (blocks or remove is not None):
        raise click.UsageError("a TEXT belongs to --mark, or to the game without an option.")
    desk = NotesDesk(_home(None).folder(game))
    if blocks:
        for block in desk.shown().blocks:
            click.echo(block.said)
        return
    if where is not None:
        block = desk.find_block(where)
        desk.mark(block.side, block.area, block.name, text or "")
    elif remove is not None:
        desk.remove(remove)
    elif text is not None:
        if before := strip_blanks(_printable(desk.shown().text)):
            _remark(f"this takes the place of: {before}")
        desk.write(text)
    notes = desk.shown()
    for line in notes.lines():
        click.echo(_printable(line))
    if not notes.text and not notes.marks:
        _remark(f"you have no notes about {game}")
