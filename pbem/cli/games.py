"""The command `pbem games`: the games that a player plays, how each stands, and how one is put away."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import click

from pbem.cli.home import open_home
from pbem.cli.options import JSON, echo_remark
from pbem.player.store.known_files import SEALED
from pbem.steps import Step

if TYPE_CHECKING:
    from pbem.player import GameStatus


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
