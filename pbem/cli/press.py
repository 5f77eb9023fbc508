"""The commands `pbem press`, messages between players, and `pbem note`, a player's private notes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from pbem.characters import strip_blanks
from pbem.cli.home import open_home, post_orders, printable, read_input, write_result
from pbem.cli.options import EXISTING_FOLDER, FILE, PASSPHRASE_FILE, echo_remark, output

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pbem.player.home import Home
    from pbem.player.press import Press, SealedMessage


@click.command()
@click.argument("game", required=False)
@click.argument("file", required=False, type=FILE)
@click.option("--to", "to", multiple=True, metavar="NAME", help="A player, a side, all, or gm: the director.")
@click.option("--subject", default="", help="A line above the text.")
@click.option("--grey", is_flag=True, help="Do not name yourself to the readers; the judge knows.")
@click.option("--report", type=click.IntRange(min=1), metavar="N", help="Report message N to the director.")
@click.option("--again", is_flag=True, help="Write once more what no receipt has come for.")
@click.option("--paper", type=click.IntRange(min=1), metavar="N", help="Write message N with its proof.")
@click.option("--mute", metavar="NAME", help="Show nothing of a player here, or of all grey ones (grey).")
@click.option("--unmute", metavar="NAME", help="Show it again.")
@click.option(
    "--mail",
    type=FILE,
    help="Write a mail to the judge, ready to send.",
)
@click.option("--from", "sender", default="", metavar="ADDRESS", help="The address in the mail's From.")
@click.option(
    "--club",
    "club",
    type=EXISTING_FOLDER,
    help="For the director: the club's folder. GAME may be a league, or club for everybody; "
    "leave it out to read what has come in all.",
)
@click.option("--close", metavar="REASON", help="For the director: close the press of the game for good.")
@PASSPHRASE_FILE
@output
def press(
    game: str | None,
    file: Path | None,
    to: tuple[str, ...],
    subject: str,
    grey: bool,
    report: int | None,
    again: bool,
    paper: int | None,
    mute: str | None,
    unmute: str | None,
    mail: Path | None,
    sender: str,
    club: Path | None,
    close: str | None,
    passphrase_file: Path | None,
    out: Path | None,
) -> None:
    """Write to other players, and read what they write; all of it is signed.

    Without --to it shows the messages of the game that you have received. With --to the text is read from
    FILE, or from standard input, and goes to the judge by the game's post box, if it has one; else, or with
    --mail or --out, a file is written for them. They pass it on at once. Nothing of it is in reports, orders
    or the ledger. Whoever gets your message can show it to others, with proof that you wrote it. A muted
    player is not told.

    \b
    Examples:
      pbem press hearth
      pbem press hearth letter.txt --to bob --mail letter.eml
      pbem press hearth --report 3 why.txt --out report.age
      pbem press hearth --paper 3 --out paper.txt
      pbem press --club .
      pbem press hearth --club . --close "quarrels"
    """
    if game is None and (club is None or to or close is not None):
        raise click.UsageError("Name the game. Only the director, who reads with --club, needs none.")
    if club is not None:
        _direct(club, game, file, to, subject, close)
        return
    if close is not None:
        raise click.UsageError("Only the director closes press; name the club's folder with --club.")
    assert game is not None, "it was asked for above"
    home = open_home(passphrase_file)
    talk = home.press(game)
    if paper is not None:
        write_result(talk.paper(paper), out)
    elif mute or unmute:
        talk.mute(mute or unmute or "", is_muted=bool(mute))
        echo_remark(f"{mute} is muted here; nobody is told" if mute else f"{unmute} is shown again")
    elif again:
        _send(home, talk, talk.send_again(), mail, sender, out)
    elif to or report:
        if first := talk.first_word:
            echo_remark(first)
        text = read_input(file or Path("-")).decode("utf-8", errors="replace")
        said = talk.write(to, text, subject, grey=grey, report=report or 0)
        _send(home, talk, (said,), mail, sender, out)
    else:
        _show(talk)


def _send(
    home: Home,
    talk: Press,
    messages: Sequence[SealedMessage],
    mail: Path | None,
    sender: str,
    out: Path | None,
) -> None:
    """Write messages, all in one file, where the options say; without any, send them by the post box."""
    if mail is None and out is None:
        messages = [one for one in messages if not post_orders(home, one.game, one.armor)]
        if not messages:
            return
    if mail is not None:
        write_result(talk.mail(*messages, sender=sender), None if str(mail) == "-" else mail)
    if out or mail is None:
        write_result("".join(one.armor for one in messages).encode(), out)
    for one in messages:
        echo_remark(f"a message to {', '.join(one.to)}: send it to the judge of {one.game}, who passes it on")


def _show(talk: Press) -> None:
    """Print the messages that came and those that are under way."""
    from pbem.player.store.press_store import in_words

    game, lines = talk.folder.game, talk.lines()
    for line in lines:
        click.echo(printable(in_words(line, game)))
        for remark in line.remarks:
            echo_remark(f"{line.number or 'under way'}: {remark}")
    talk.keep_seen(lines)
    if why := talk.closed:
        echo_remark(f"the director has closed the press of {game}: {printable(why)}")
    elif not lines:
        echo_remark(f"nothing has come; the press of {game} is {talk.kind}")


def _direct(
    folder: Path, game: str | None, file: Path | None, to: tuple[str, ...], subject: str, close: str | None
) -> None:
    """Close press, write to players as the director, or print the press of a game, as the options say."""
    from pbem.judge.club import open_club
    from pbem.judge.letters.letter_files import deliver
    from pbem.judge.press.director import close_press, read_for_director, write_as_director

    club = open_club(folder)
    if game and close is not None:
        click.echo(close_press(club, game, close))
    elif game and to:
        text = read_input(file or Path("-")).decode("utf-8", errors="replace")
        click.echo(write_as_director(club, game, tuple(sorted(set(to))), subject, text))
    else:
        found = read_for_director(club, "" if game in (None, "club") else game)
        for one in found:
            click.echo(printable(one.in_words))
        if not found:
            echo_remark("nobody has written to you")
        return
    deliver(club)


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
    desk = NotesDesk(open_home(None).folder(game))
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
        if before := strip_blanks(printable(desk.shown().text)):
            echo_remark(f"this takes the place of: {before}")
        desk.write(text)
    notes = desk.shown()
    for line in notes.lines():
        click.echo(printable(line))
    if not notes.text and not notes.marks:
        echo_remark(f"you have no notes about {game}")
