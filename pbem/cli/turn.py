"""The commands of a turn: `pbem games`, what is open; `pbem turn`, all of an exchange; `pbem check`."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from pbem.cli.home import deliver_orders, open_home, post_orders, read_input, show_delivery
from pbem.cli.options import FILE, JSON, PASSPHRASE_FILE, echo_remark, write_output
from pbem.errors import PbemError
from pbem.player.store.known_files import SEALED
from pbem.steps import Step

if TYPE_CHECKING:
    from pbem.player import GameStatus, Home


@click.command()
@click.argument("file", type=FILE)
@click.option(
    "--report", type=FILE, help="The report that the orders answer, if it is not the last one you received."
)
@click.option("--game", help="The game, if the orders do not say it.")
@JSON
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

    found = Home().check(read_input(file), game=game, report=None if report is None else read_input(report))
    if as_json:
        import json

        click.echo(json.dumps(found.facts, indent=2))
    else:
        click.echo(found.words, nl=False)
    return 1 if found.faulty else 0


EDIT, SEAL, LATER = "e", "s", "l"
_LATER = f"when a mail has come: {Step.MAIL.command()}"


@click.command()
@click.argument("files", nargs=-1, type=FILE)
@click.option("--game", help="The game, if you play several and give no mail.")
@click.option("--again", is_flag=True, help="Write new orders, which replace those that you have sealed.")
@click.option(
    "--yes",
    "unasked",
    is_flag=True,
    help="Ask no questions: seal if no line is wrong; if one is wrong, leave it for later.",
)
@click.option("--from", "sender", default="", metavar="ADDRESS", help="The address in the mail's From.")
@click.option("--no-copies", is_flag=True, help="Write the mail only to the judge.")
@PASSPHRASE_FILE
def turn(
    files: tuple[Path, ...],
    game: str | None,
    again: bool,
    unasked: bool,
    sender: str,
    no_copies: bool,
    passphrase_file: Path | None,
) -> int:
    """Take a turn: read the mail, write orders, check, seal, and write the answer.

    FILES are mails as you saved them. The program receives and shows them. Then the order form opens in your
    editor (EDITOR). You see what the check says of your orders, until you seal them or leave them for later.
    The answer is a mail, ready to send. If nothing is asked of you, the answer orders nothing. With no editor
    named and no terminal, --yes takes the orders that you have written into the form's file before.

    \b
    Examples:
      pbem turn report.eml
      pbem turn --game hearth
    """
    home = open_home(passphrase_file, newest=True)
    wanted = {game} if game else set[str]()
    if files:
        delivery = home.deliver({str(path): read_input(path) for path in files})
        show_delivery(home, delivery, len(files))
        if delivery.faults:
            waits = "".join(f"; what waits for you: {one.command}" for one in _waiting(home))
            echo_remark(f"no form is opened, because of that{waits}")
            return 1
        wanted = wanted or {arrival.game for arrival in delivery.arrivals if arrival.game}
    wanted = wanted or {_game_that_waits(home, "the mail names no game; " if files else "")}
    status = 0
    for name in sorted(wanted):
        if name.startswith("league."):
            _say_league(home, name)
            continue
        home.folder(name)
        found = next(one for one in home.games() if one.game == name)
        status |= _take(home, found, sender, copies=not no_copies, unasked=unasked, again=again)
    return status


def _waiting(home: Home) -> list[GameStatus]:
    """Return the games that wait for something that the player can do now."""
    from pbem.player.status import glance

    return [one for one in glance(home.path) if one.step in (Step.INVITED, Step.ASKED, Step.REVEAL)]


def _game_that_waits(home: Home, said: str) -> str:
    """Return the game whose turn is meant where none is named; `said` is why none is.

    Raises:
        Refused: several games may be meant.
    """
    from pbem.player.faults import Refused

    played, waiting = [one.game for one in home.folders()], [one.game for one in _waiting(home)]
    if len(played) < 2:
        return home.only_game()
    if len(waiting) != 1:
        commands = " or ".join(Step.ASKED.command(game=name) for name in waiting or played)
        raise Refused(f"{said}which one is meant? {commands}")
    echo_remark(f"{said}of yours only {waiting[0]} waits for you")
    return waiting[0]


def _say_league(home: Home, ledger: str) -> None:
    """Print what a league asks of its entrant; an answer may hold bids, so that it is not sealed unasked."""
    from pbem.player.leagues.outlook import outlook_of
    from pbem.trust.times import HERE, local_text

    now, name = outlook_of(home.league(ledger)), ledger.removeprefix("league.")
    if now.deadline is None:
        echo_remark(f"{name}: nothing is asked of you; {_LATER}")
    elif now.is_answered:
        echo_remark(f"{name}: you have sealed your answer to call {now.call}; {_LATER}")
    else:
        echo_remark(f"{name}: call {now.call} waits for your answer until {local_text(now.deadline, HERE)}")
        echo_remark(f"next: {Step.CALL.command(game=name)}")


def _take(home: Home, found: GameStatus, sender: str, *, copies: bool, unasked: bool, again: bool) -> int:
    """Take one game's turn, and return the exit status."""
    game, exchange, step = found.game, found.exchange, found.step
    if again and found.files and not found.closed:
        step = Step.ASKED
    if step is Step.REVEAL:
        answer = home.reveal(game)
    elif step is Step.INVITED or (step is Step.ASKED and not home.form(game)):
        answer = home.seal(None, game=game)
        echo_remark(f"{game}, exchange {exchange}: nothing is asked of you, so the answer orders nothing")
    elif step is Step.ASKED:
        home.check_key(game)  # else somebody would write orders that nothing here can sign
        path = Path(f"{game}-{exchange}-orders.txt")
        if not _write_orders(home, game, path, unasked=unasked):
            echo_remark(
                f"nothing is sealed; your orders are in {path}; next: {Step.ASKED.command(game=game)}"
            )
            return 1
        answer = home.seal(read_input(path), game=game)
    else:
        echo_remark(f"{game}: {_why_not(found)}")
        return 0
    if post_orders(home, answer.game, answer.armor):
        return 0
    stem = f"{game}-{answer.exchange}{'' if answer.rev else '-reveal'}"
    if home.folder(game).addresses().judge:
        deliver_orders(home, answer, None, Path(f"{stem}.eml"), sender=sender, copies=copies)
    else:
        deliver_orders(home, answer, Path(f"{stem}.age"), None, sender=sender, copies=copies)
        echo_remark(f"next: send {stem}.age to the judge, whose letters name no mail address")
    return 0


def _write_orders(home: Home, game: str, path: Path, *, unasked: bool) -> bool:
    """Let the player fill in and check the form until they seal it; return False if they leave it."""
    is_new, can_edit = not path.exists(), _can_edit()
    if is_new:
        write_output(path, home.form(game).encode())
    if not can_edit and (is_new or not unasked):
        echo_remark(
            f"no editor opens: none is named (EDITOR), and there is no terminal; fill in {path} yourself"
        )
        return False
    while True:
        if can_edit:
            click.edit(filename=str(path))
        try:
            study = home.check(read_input(path), game=game)
            click.echo(study.words, nl=False)
            faulty = study.faulty
        except PbemError as fault:
            echo_remark(str(fault))
            faulty = True
        if unasked:
            return not faulty
        said = click.prompt(
            "e: edit again; s: seal it as it is; l: leave it for later",
            type=click.Choice([EDIT, SEAL, LATER]),
            default=EDIT if faulty else SEAL,
            show_choices=False,
            err=True,
        )
        if said != EDIT:
            return bool(said == SEAL)


def _can_edit() -> bool:
    """Tell whether a form can be opened: an editor is named, or somebody sits at a terminal."""
    import os
    import sys

    return bool(os.environ.get("VISUAL") or os.environ.get("EDITOR")) or sys.stdin.isatty()


def _why_not(found: GameStatus) -> str:
    """Return the reason why a game has no turn to take."""
    if found.trouble:
        return found.trouble
    if found.forks:
        return "the judge has signed two histories; nothing more is signed for it (pbem games says where)"
    if found.over:
        return f"the game is over; its last page: {Step.OVER.command(game=found.game)}"
    if found.side is None:
        return f"no invitation has come yet; when it has: {Step.MAIL.command()}"
    if found.closed:
        return f"exchange {found.exchange} is closed; {_LATER}"
    if found.files:
        another = f"{Step.ASKED.command(game=found.game)} --again"
        last = found.files[-1]
        which = f"you have sealed revision {last.rev}"
        if not last.is_here:
            which = f"another file of yours, revision {last.rev}, is with the judge"
        return f"{which} for exchange {found.exchange}; to write another in its place: {another}; {_LATER}"
    return f"no exchange is open; {_LATER}"


@click.command()
@JSON
@click.option("--forget", metavar="GAME", help="Put a game away, as if nobody had invited you to it.")
@click.option("--yes", is_flag=True, help="Forget without being asked.")
def games(as_json: bool, forget: str | None, yes: bool) -> None:
    """List the games that you play: what is open, until when, and what you sent.

    With --forget you put a game away, for example because a false invitation came first. It tells you what
    you give up, and asks you. Nothing is deleted. If a step of your chain was shown, that chain is never used
    again.

    \b
    Examples:
      pbem games
      pbem games --forget hearth
    """
    if forget is not None:
        home = open_home(None)
        for sentence in home.given_up(forget):
            echo_remark(f"{forget}: {sentence}")
        if not yes:
            click.confirm(f"Forget {forget}?", abort=True, err=True)
        click.echo(f"{forget} is forgotten; what was kept of it is in {home.forget(forget)}")
        return
    from pbem.player.files import default_home
    from pbem.player.status import glance

    found = glance(default_home())
    if as_json:
        import json

        click.echo(json.dumps([_facts(status) for status in found], indent=2))
        return
    for status in found:
        click.echo(_line(status))
        for remark in _troubles(status):
            echo_remark(f"{status.game}: {remark}")
        if status.command:
            click.echo(f"  next: {status.command}")
    if not found:
        echo_remark(f"you have not joined a game yet; to join one: {Step.NO_GAME.command()}")


def overview(found: Iterable[GameStatus]) -> None:
    """Print which games need something of the player, and the command that comes next in each."""
    for status in found:
        click.echo(_wish(status))
        if status.unread:
            click.echo(f"{status.game} has {_new_messages(status.unread)}: pbem press {status.game}")
        for remark in _troubles(status):
            echo_remark(f"{status.game}: {remark}")
    click.echo("All commands: pbem --help")


def _until(status: GameStatus) -> str:
    """Return a game's deadline by this machine's clock and in UTC; "" if there is none."""
    from pbem.trust.times import HERE, local_text

    return f" until {local_text(status.deadline, HERE)}" if status.deadline else ""


def _wish(status: GameStatus) -> str:
    if status.trouble:
        return f"{status.game} cannot be read"
    until = _until(status)
    wishes = {
        Step.LETTER: "has not begun; when the invitation has come",
        Step.INVITED: f"waits for your answer to the invitation{until}",
        Step.ASKED: f"waits for your orders{until}",
        Step.REVEAL: f"waits for your secret for the dice{until}",
        Step.OVER: "is over; its last page",
    }
    if status.step is None:
        waits = f"{status.player}: {status.game} waits for the others"
        return f"{waits}; when a mail has come: {Step.MAIL.command()}"
    return f"{status.player}: {status.game} {wishes[status.step]}: {status.command}"


def _line(status: GameStatus) -> str:
    if status.trouble:
        return f"{status.game}: cannot be read"
    who = f"{status.player} plays {status.side}" if status.side else f"{status.player} has joined"
    if status.over:
        stands = "the game is over"
    elif status.exchange is None:
        stands = "no exchange is open" if status.side else "no invitation yet"
    else:
        until = _until(status)
        stands = f"exchange {status.exchange} is " + ("closed" if status.closed else f"open{until}")
    last = "no report" if status.last_report is None else f"last report {status.last_report}"
    sent = f"sent {_revisions(status)}" if status.files else "nothing sent"
    last_one = ("yours is the last file that is awaited",) if status.is_last and not status.files else ()
    unread = (_new_messages(status.unread),) if status.unread else ()
    return "; ".join((f"{status.game}: {who}", stands, last, sent, *last_one, *unread))


def _new_messages(count: int) -> str:
    """Return in words how many messages the player has not read."""
    return "1 new message" if count == 1 else f"{count} new messages"


def _revisions(status: GameStatus) -> str:
    return ", ".join(
        (f"revision {one.rev}" if one.rev else "a file")
        + ("" if one.is_here else " from elsewhere")
        + ("" if one.state == SEALED else f" ({one.state})")
        for one in status.files
    )


def _troubles(status: GameStatus) -> Iterable[str]:
    if status.trouble:
        yield status.trouble
    for fork in status.forks:
        yield f"the judge has signed two histories: {fork}"
    yield from status.remarks
    if status.missing_receipts:
        yield f"receipts missing: {', '.join(map(str, status.missing_receipts))}"


def _facts(status: GameStatus) -> dict[str, Any]:
    from dataclasses import asdict

    from pbem.trust.times import utc_text

    return {
        **asdict(status),
        "revs": status.revs,
        "receipted": status.receipted,
        "orders": status.orders,
        "next": status.command,
        "deadline": utc_text(status.deadline) if status.deadline else None,
        "forks": [str(fork) for fork in status.forks],
    }
