"""The command `pbem press`: players write to each other, and the director reads, answers and closes that."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pbem.cli.home import FILE, PASSPHRASE_FILE, _deliver, _home, _post_orders, _printable, _read, _remark
from pbem.cli.output import output

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
    type=click.Path(path_type=Path, dir_okay=False, allow_dash=True),
    help="Write a mail to the judge, ready to send.",
)
@click.option("--from", "sender", default="", metavar="ADDRESS", help="The address in the mail's From.")
@click.option(
    "--club",
    "club",
    type=click.Path(path_type=Path, file_okay=False, exists=True),
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
    home = _home(passphrase_file)
    talk = home.press(game)
    if paper is not None:
        _deliver(talk.paper(paper), out)
    elif mute or unmute:
        talk.mute(mute or unmute or "", is_muted=bool(mute))
        _remark(f"{mute} is muted here; nobody is told" if mute else f"{unmute} is shown again")
    elif again:
        _send(home, talk, talk.send_again(), mail, sender, out)
    elif to or report:
        if first := talk.first_word:
            _remark(first)
        text = _read(file or Path("-")).decode("utf-8", errors="replace")
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
        messages = [one for one in messages if not _post_orders(home, one.game, one.armor)]
        if not messages:
            return
    if mail is not None:
        _deliver(talk.mail(*messages, sender=sender), None if str(mail) == "-" else mail)
    if out or mail is None:
        _deliver("".join(one.armor for one in messages).encode(), out)
    for one in messages:
        _remark(f"a message to {', '.join(one.to)}: send it to the judge of {one.game}, who passes it on")


def _show(talk: Press) -> None:
    """Print the messages that came and those that are under way."""
    from pbem.player.press_lines import in_words

    game, lines = talk.folder.game, talk.lines()
    for line in lines:
        click.echo(_printable(in_words(line, game)))
        for remark in line.remarks:
            _remark(f"{line.number or 'under way'}: {remark}")
    talk.keep_seen(lines)
    if why := talk.closed:
        _remark(f"the director has closed the press of {game}: {_printable(why)}")
    elif not lines:
        _remark(f"nothing has come; the press of {game} is {talk.kind}")


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
        text = _read(file or Path("-")).decode("utf-8", errors="replace")
        click.echo(write_as_director(club, game, tuple(sorted(set(to))), subject, text))
    else:
        found = read_for_director(club, "" if game in (None, "club") else game)
        for one in found:
            click.echo(_printable(one.in_words))
        if not found:
            click.echo("pbem: nobody has written to you", file=sys.stderr)
        return
    deliver(club)
