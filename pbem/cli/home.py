"""The steps that the player's commands share: open the home, read files, print what has come, deliver."""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Iterable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pbem.cli.options import MAX_INPUT_SIZE, echo_remark, write_output
from pbem.errors import PbemError

if TYPE_CHECKING:
    from pbem.player import Home, SealedOrders
    from pbem.player.box_client import HomeBox
    from pbem.player.incoming.receiving import Delivery
    from pbem.player.store.game_store import GameFolder


def judge_fingerprint(judge: str) -> str:
    """Return the fingerprint of a judge's key, given as such or as a public key file."""
    from pbem.trust.identifiers import is_fingerprint
    from pbem.trust.keys import parse_public

    if Path(judge).is_file():
        return parse_public(read_input(Path(judge)).decode("utf-8", errors="replace")).fingerprint
    if is_fingerprint(judge):
        return judge
    raise click.UsageError(
        f"--judge {judge} is neither a fingerprint (SHA256: and 43 letters) nor the name of a file. The "
        f"club announces the fingerprint; the file is keys/gm.pub in the judge's folder."
    )


def show_delivery(home: Home, delivery: Delivery, sources: int, *, whole: bool = False) -> None:
    """Print what has come and what is wrong with it; `sources` is the number of files that were read."""
    from pbem.reports.packing import without_view

    for arrival in delivery.arrivals:
        text = arrival.text if whole or not arrival.text else f"{without_view(arrival.text)}\n"
        click.echo(printable(text), nl=False)
        if not arrival.new:
            echo_remark("this was received before; nothing has changed")
        for remark in arrival.remarks:
            echo_remark(remark)
    for game in dict.fromkeys(arrival.game for arrival in delivery.arrivals if arrival.kind == "report"):
        remark_notes(home.folder(game))
    for source, fault in delivery.faults:
        echo_remark(str(fault) if sources == 1 else f"{source}: {fault}")


def remark_notes(folder: GameFolder) -> None:
    """Print a player's private notes beside a report, if there are any.

    They go to the standard error: a file that is made from a report, and sealed later, has none of them.
    """
    from pbem.player.store.game_store import NOTES

    if not (folder.path / NOTES).exists():
        return  # most players have none, and need not wait for what follows them over the board
    from pbem.web.private_notes import NotesDesk

    lines = list(NotesDesk(folder).shown().lines())
    if lines:
        echo_remark(f"your notes about {folder.game}, which nobody else sees:")
    for line in lines:
        click.echo(f"  {printable(line)}", err=True)


def say_next(home: Home, games: Collection[str]) -> None:
    """Print the command that comes next in each of some games, if there is one."""
    from pbem.player.status import glance

    for status in glance(home.path):
        if status.game in games and status.command:
            echo_remark(f"next: {status.command}")


def open_home(passphrase_file: Path | None, *, newest: bool = False) -> Home:
    """Open the player's home, which asks for a passphrase when one is needed.

    If a post box keeps a copy of the home, the box gets what has changed once the command has ended. `newest`
    says that what another device has given there is taken over first, because something is to be sealed.
    """
    from pbem.player import Home

    def ask(name: str) -> str:
        if passphrase_file:
            return first_line(passphrase_file)
        answer: str = click.prompt(f"Passphrase of {name}", hide_input=True, default="", err=True)
        return answer

    home = Home(passphrase=ask)
    if newest:
        take_newest(home)
    click.get_current_context().call_on_close(partial(give_copy, home))
    return home


def first_line(path: Path) -> str:
    """Return the first line of a file, such as a passphrase."""
    return path.read_text(encoding="utf-8").partition("\n")[0].removesuffix("\r")


def read_input(path: Path) -> bytes:
    """Read a file that the user names, or standard input for `-`, as far as any file is accepted."""
    if str(path) == "-":
        return sys.stdin.buffer.read(MAX_INPUT_SIZE)
    with path.open("rb") as file:
        return file.read(MAX_INPUT_SIZE)


def write_result(data: bytes, out: Path | None) -> None:
    """Write a command's result to the file that its user named, or to standard output."""
    if out:
        write_output(out, data)
    else:
        click.echo(data, nl=False)


def deliver_orders(
    home: Home, orders: SealedOrders, out: Path | None, mail: Path | None, *, sender: str, copies: bool
) -> None:
    """Deliver sealed orders as the options say; without any, to the game's post box or standard output."""
    if mail is None and out is None and post_orders(home, orders.game, orders.armor):
        return
    if mail is not None:
        written = home.mail(orders, sender=sender, copies=copies)
        write_result(written, None if str(mail) == "-" else mail)
    if out or mail is None:
        write_result(orders.armor.encode(), out)
    what = f"revision {orders.rev}" if orders.rev else "reveal"
    echo_remark(f"{orders.game}, exchange {orders.exchange}, {what}: sealed file {orders.name}")
    for remark in orders.remarks:
        echo_remark(remark)
    if mail is not None and b"\nCc: " not in written:
        echo_remark("no opponent gets a copy from you: only the receipt will prove that you sent it")
    if mail is not None and str(mail) != "-":
        echo_remark(f"next: send {mail}, with your mail program or by: sendmail -t < {mail}")


def printable(text: str) -> str:
    """Return text from outside without the control characters that a terminal would obey."""
    return "".join(sign if sign.isprintable() or sign in "\n\t" else "\ufffd" for sign in text)


def post_orders(home: Home, game: str, armor: str) -> bool:
    """Post a sealed file in the box of a game or league, if it has one; return whether the file is there."""
    from pbem.trust.letters import BOX

    place = home.place_of(game)
    if not (place.path / BOX).exists():  # it is the judge's letter, which names one
        return False
    from pbem.player.incoming.letters_in import box_of

    if not box_of(place):
        return False
    from pbem.player.box_client import BoxFault, boxes_to_ask

    (box,) = boxes_to_ask(home, game)
    try:
        box.client().post(armor.encode())
    except BoxFault as fault:
        echo_remark(f"{fault}; the sealed file follows, to be sent by mail or later by: pbem send")
        return False
    echo_remark(f"it is in the post box of {game}, and waits for the judge; the receipt: pbem fetch")
    return True


def receive_boxed(home: Home, box: HomeBox, *, whole: bool = False) -> int:
    """Fetch letters from a box, take them in and print them; return the exit status."""
    from pbem.player.box_client import fetch_letters, take_fetched

    fetch_letters(box)
    status = 0
    for delivery, count in take_fetched(box):
        show_delivery(home, delivery, count, whole=whole)
        say_next(home, {arrival.game for arrival in delivery.arrivals})
        status = 1 if delivery.faults else 0
    return status


def from_each(boxes: Iterable[HomeBox], fetch: Callable[[HomeBox], int], then: str = "") -> int:
    """Fetch from each box, and return the exit status; a box that fails keeps no other waiting."""
    status = 0
    for box in boxes:
        try:
            status |= fetch(box)
        except PbemError as fault:
            echo_remark(f"{fault}{then}")
            status = 1
    return status


COPYING = "copying"
"""Name of the file in a home that shows that a post box keeps a copy: see pbem.web.home_copy."""


def take_newest(home: Home) -> None:
    """Take over what another device has given to the post box that keeps a copy of this home, if one does."""
    if (home.path / COPYING).exists():
        from pbem.web.home_copy import HomeCopies

        copies = HomeCopies(home)
        for said in copies.take_newest() if copies.state.is_on else ():
            echo_remark(said)


def give_copy(home: Home) -> None:
    """Send the home's changes to the post box that keeps a copy, if one does and the key is unlocked."""
    if not (home.path / COPYING).exists():
        return
    from pbem.web.home_copy import HomeCopies

    copies = HomeCopies(home)
    if not copies.state.is_on or not home.keys.is_unlocked(copies.state.key):
        return
    try:
        for said in copies.give():
            echo_remark(said)
    except PbemError as fault:
        echo_remark(f"the post box has no new copy of your home: {fault}")
