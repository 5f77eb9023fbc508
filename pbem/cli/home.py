"""The player's commands, which work in their home: keygen, join, receive, seal, reveal, absent."""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pbem.cli.copies import give_copy, take_newest
from pbem.cli.output import output, write_output
from pbem.cli.signed_help import signs
from pbem.signed_texts import PUBLISH as PUBLISHED

if TYPE_CHECKING:
    from pbem.player import Home, SealedOrders
    from pbem.player.box_client import HomeBox
    from pbem.player.incoming.letters_in import Arrival
    from pbem.player.incoming.receiving import Delivery
    from pbem.player.store.game_store import GameFolder

MAX_INPUT_SIZE = 16_777_217
"""Number of bytes read of any file, one more than is ever accepted."""

PASSPHRASE_FILE = click.option(
    "--passphrase-file",
    type=click.Path(path_type=Path, dir_okay=False, exists=True),
    help="A file whose first line is the key's passphrase; without it, the program asks you.",
)
OUT = output
FILE = click.Path(path_type=Path, dir_okay=False, allow_dash=True)
ZONE = click.option(
    "--zone", default="", help="Your time zone, such as Europe/London, for deadlines in letters."
)
SHARE = click.option(
    "--share-address",
    "share",
    default="",
    metavar="ADDRESS",
    help="Your mail address, if the judge may tell it to your opponents.",
)
PUBLISH = f"{PUBLISHED}."


def mailing(command: Callable[..., None]) -> Callable[..., None]:
    """Add to a command the options with which sealed orders become a mail."""
    for option in reversed(
        (
            click.option(
                "--mail",
                type=click.Path(path_type=Path, dir_okay=False, allow_dash=True),
                help="Write a mail, ready to send, to the judge and to opponents who share their address.",
            ),
            click.option(
                "--from", "sender", default="", metavar="ADDRESS", help="The address in the mail's From."
            ),
            click.option("--no-copies", is_flag=True, help="Write the mail only to the judge."),
        )
    ):
        command = option(command)
    return command


WHOSE = click.option(
    "--judge", default="", help="The judge's key, as in join, if your games have different judges."
)


@click.command()
@click.argument("name")
@click.option("--passphrase", "ask", is_flag=True, help="Ask for a passphrase that locks the key.")
@PASSPHRASE_FILE
@click.option(
    "--recovery",
    is_flag=True,
    help="Make the recovery key of the key NAME, to print or to keep in another place.",
)
@OUT
def keygen(name: str, ask: bool, passphrase_file: Path | None, recovery: bool, out: Path | None) -> None:
    """Make a key to sign orders and open reports with.

    The key is an Ed25519 key in OpenSSH's format, kept in your home. A recovery key may only replace a lost
    or stolen one; it is printed, or written where --out says, and never kept in your home.

    \b
    Examples:
      pbem keygen alice
      pbem keygen alice --recovery --out /media/stick/alice-recovery
    """
    if out and not recovery:
        raise click.UsageError("--out belongs to --recovery; other keys are kept in your home.")
    passphrase = _first_line(passphrase_file) if passphrase_file else ""
    if ask and not passphrase:
        passphrase = click.prompt("Passphrase", hide_input=True, confirmation_prompt=True, err=True)
    home = _home(None)
    if not recovery:
        public = home.keygen(name, passphrase=passphrase)
        click.echo(f"{public.fingerprint}\n{public.file_line}", nl=False)
        return
    public, private = home.keygen_recovery(name, passphrase=passphrase, out=out)
    if out:
        click.echo(f"{public.fingerprint}\n{public.file_line}", nl=False)
        return
    click.echo(private.decode(), nl=False)
    _remark(f"the fingerprint is {public.fingerprint}; print the lines above, and keep them in another place")


@click.command()
@click.argument("game")
@click.option("--as", "player", required=True, metavar="NAME", help="Your name in the game.")
@click.option("--key", help="The name or path of your key, if it is not called like you.")
@click.option("--recovery", metavar="SHA256:...", help="The fingerprint of your recovery key.")
@click.option(
    "--judge",
    metavar="KEY",
    help="The judge's key, as SHA256:... or as its public key file; an invitation from another judge is "
    "refused.",
)
@ZONE
@SHARE
@click.option("--publish", is_flag=True, help=PUBLISH)
@PASSPHRASE_FILE
@OUT
@signs("join")
def join(
    game: str,
    player: str,
    key: str | None,
    recovery: str | None,
    judge: str | None,
    zone: str,
    share: str,
    publish: bool,
    passphrase_file: Path | None,
    out: Path | None,
) -> None:
    """Write a signed join file.

    The file names your key, the anchor of your chain, and the judge's key as the club has announced it. The
    secret of the chain stays in your home. An invitation from anybody else is refused. Send the file to the
    judge. Your opponents learn your address only if you share it. You and those who share theirs send each
    other copies of sealed orders, and these mails show your addresses. The judge passes your orders on to all
    others.

    \b
    Example:
      pbem join hearth --as alice --judge keys/gm.pub --share-address alice@example.org --out alice-joins.txt
    """
    if judge is None:
        raise click.UsageError(
            "Name the judge with --judge SHA256:..., or with the judge's public key file, as the club has "
            "announced it. Without a judge's key, anybody who reads the file could invite you."
        )
    judge = _judges_fingerprint(judge)
    home = _home(passphrase_file)
    signed = home.join(
        game,
        player=player,
        key=key,
        recovery=recovery,
        judge=judge,
        zone=zone,
        share=share,
        publish="yes" if publish else "",
    )
    _deliver(signed, out)


def _judges_fingerprint(judge: str) -> str:
    """Return the fingerprint of a judge's key, given as such or as a public key file."""
    from pbem.trust.identifiers import is_fingerprint
    from pbem.trust.keys import parse_public

    if Path(judge).is_file():
        return parse_public(_read(Path(judge)).decode("utf-8", errors="replace")).fingerprint
    if is_fingerprint(judge):
        return judge
    raise click.UsageError(
        f"--judge {judge} is neither a fingerprint (SHA256: and 43 letters) nor the name of a file. The "
        f"club announces the fingerprint; the file is keys/gm.pub in the judge's folder."
    )


@click.command()
@click.argument("files", nargs=-1, type=FILE)
@click.option("--genesis", metavar="HEAD", help="The head that the game's first entry must have.")
@click.option("--copy-of", metavar="GAME", help="Keep another player's sealed orders of this game as proof.")
@click.option("--whole", is_flag=True, help="Also show the part of a report that is for programs.")
@click.option("--json", "as_json", is_flag=True, help="For programs.")
@PASSPHRASE_FILE
def receive(
    files: tuple[Path, ...],
    genesis: str | None,
    copy_of: str | None,
    whole: bool,
    as_json: bool,
    passphrase_file: Path | None,
) -> int:
    """Open, check and keep what the judge has sent, and show it.

    A file is a saved mail, or any part of it; without files, or for -, standard input is read. Ends with 1 if
    anything is refused. If the judge has signed something that cannot be true, it is kept as evidence. The
    last line names the next command.

    \b
    Example:
      pbem receive report.txt
    """
    home = _home(passphrase_file)
    if not files and sys.stdin.isatty() and (boxes := _boxes_of(home)):  # nobody types a letter
        return max([_receive_boxed(home, box, whole=whole) for box in boxes])
    sources = {str(path): _read(path) for path in files or (Path("-"),)}
    if copy_of is not None:
        status = 0
        for data in sources.values():
            kept, others = home.keep_copy(copy_of, data)
            for path in kept:
                click.echo(path)
            for remark in others:
                _remark(remark)
            status = status if kept else 1
        return status
    delivery = home.deliver(sources, genesis=genesis)
    if as_json:
        import json

        faults = [{"file": source, "told": str(fault)} for source, fault in delivery.faults]
        facts = {"arrivals": [_facts(arrival) for arrival in delivery.arrivals], "faults": faults}
        click.echo(json.dumps(facts, indent=2))
        return 1 if faults else 0
    _show_delivery(home, delivery, len(sources), whole=whole)
    _say_next(home, {arrival.game for arrival in delivery.arrivals})
    return 1 if delivery.faults else 0


def _facts(arrival: Arrival) -> dict[str, object]:
    """Return what programs are told of an arrival, without its faults, which are told beside it."""
    from dataclasses import asdict

    return {name: value for name, value in asdict(arrival).items() if name != "faults"}


def _show_delivery(home: Home, delivery: Delivery, sources: int, *, whole: bool = False) -> None:
    """Print what has come and what is wrong with it; `sources` is the number of files that were read."""
    from pbem.reports.packing import without_view

    for arrival in delivery.arrivals:
        text = arrival.text if whole or not arrival.text else f"{without_view(arrival.text)}\n"
        click.echo(_printable(text), nl=False)
        if not arrival.new:
            _remark("this was received before; nothing has changed")
        for remark in arrival.remarks:
            _remark(remark)
    for game in dict.fromkeys(arrival.game for arrival in delivery.arrivals if arrival.kind == "report"):
        remark_notes(home.folder(game))
    for source, fault in delivery.faults:
        _remark(str(fault) if sources == 1 else f"{source}: {fault}")


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
        _remark(f"your notes about {folder.game}, which nobody else sees:")
    for line in lines:
        click.echo(f"  {_printable(line)}", err=True)


def _say_next(home: Home, games: Collection[str]) -> None:
    """Print the command that comes next in each of some games, if there is one."""
    from pbem.player.status import glance

    for status in glance(home.path):
        if status.game in games and status.command:
            _remark(f"next: {status.command}")


@click.command()
@click.argument("draft", required=False, type=FILE)
@click.option("--bare", is_flag=True, help="Order nothing: accept the game, or send only your reveal.")
@click.option(
    "--reveal",
    "late",
    is_flag=True,
    help="Seal your reveal of an exchange that has been closed (mode after-close), of the game --game.",
)
@click.option("--game", help="The game, if the draft does not say it.")
@click.option("--as", "player", metavar="NAME", help="Your name in the game; the program checks it.")
@mailing
@PASSPHRASE_FILE
@OUT
@signs("orders")
def seal(
    draft: Path | None,
    bare: bool,
    late: bool,
    game: str | None,
    player: str | None,
    mail: Path | None,
    sender: str,
    no_copies: bool,
    passphrase_file: Path | None,
    out: Path | None,
) -> None:
    """Seal orders.

    The draft is an order file, or a whole report with its form filled in. What its head lacks is filled in
    from the last report that you received. Send the result to the judge; --mail writes
    the whole mail, which your mail program opens, or `sendmail -t < orders.eml` sends.

    \b
    Examples:
      pbem seal orders.txt --mail orders.eml
      pbem seal orders.txt --out orders.age
      pbem seal --game hearth --bare
      pbem seal --game hearth --reveal --mail reveal.eml
    """
    if late and (bare or draft is not None):
        raise click.UsageError("--reveal seals nothing but your reveal; leave the draft and --bare out.")
    if late:
        home = _home(passphrase_file, newest=True)
        orders = home.reveal(game or home.only_game())
        _deliver_orders(home, orders, out, mail, sender=sender, copies=not no_copies)
        return
    if bare == (draft is not None):
        raise click.UsageError("Give either a draft, which is your orders (pbem seal orders.txt), or --bare.")
    data = None if draft is None else _read(draft)
    home = _home(passphrase_file, newest=True)
    orders = home.seal(data, game=game, player=player)
    _deliver_orders(home, orders, out, mail, sender=sender, copies=not no_copies)


@click.command()
@click.argument("game")
@mailing
@PASSPHRASE_FILE
@OUT
@signs("reveal")
def reveal(
    game: str,
    mail: Path | None,
    sender: str,
    no_copies: bool,
    passphrase_file: Path | None,
    out: Path | None,
) -> None:
    """Seal a reveal.

    Only for games in which the orders do not contain it (mode after-close). `pbem seal --reveal` does the
    same.

    \b
    Example:
      pbem reveal hearth --out reveal.age
    """
    home = _home(passphrase_file, newest=True)
    _deliver_orders(home, home.reveal(game), out, mail, sender=sender, copies=not no_copies)


@click.command()
@click.option("--as", "player", required=True, metavar="NAME", help="Your name in the games.")
@click.option("--from", "begins", required=True, metavar="DAY", help="The first day, such as 2026-08-01.")
@click.option("--until", "ends", required=True, metavar="DAY", help="The last day.")
@click.option("--key", help="The name or path of your key, if it is not called like you.")
@WHOSE
@PASSPHRASE_FILE
@OUT
@signs("absence")
def absent(
    player: str,
    begins: str,
    ends: str,
    key: str | None,
    judge: str,
    passphrase_file: Path | None,
    out: Path | None,
) -> None:
    """Sign an absence.

    It holds for all your games of a club.

    \b
    Example:
      pbem sign absence --as alice --from 2026-08-01 --until 2026-08-14
    """
    judge = _judges_fingerprint(judge) if judge else ""
    _deliver(_home(passphrase_file).absent(player, begins, ends, key=key, judge=judge), out)


def _home(passphrase_file: Path | None, *, newest: bool = False) -> Home:
    """Open the player's home, which asks for a passphrase when one is needed.

    If a post box keeps a copy of the home, the box gets what has changed once the command has ended. `newest`
    says that what another device has given there is taken over first, because something is to be sealed.
    """
    from pbem.player import Home

    def ask(name: str) -> str:
        if passphrase_file:
            return _first_line(passphrase_file)
        answer: str = click.prompt(f"Passphrase of {name}", hide_input=True, default="", err=True)
        return answer

    home = Home(passphrase=ask)
    if newest:
        take_newest(home)
    click.get_current_context().call_on_close(partial(give_copy, home))
    return home


def _first_line(path: Path) -> str:
    return path.read_text(encoding="utf-8").partition("\n")[0].removesuffix("\r")


def _read(path: Path) -> bytes:
    if str(path) == "-":
        return sys.stdin.buffer.read(MAX_INPUT_SIZE)
    with path.open("rb") as file:
        return file.read(MAX_INPUT_SIZE)


def _deliver(data: bytes, out: Path | None) -> None:
    if out:
        write_output(out, data)
    else:
        click.echo(data, nl=False)


def _deliver_orders(
    home: Home, orders: SealedOrders, out: Path | None, mail: Path | None, *, sender: str, copies: bool
) -> None:
    if mail is None and out is None and _post_orders(home, orders.game, orders.armor):
        return
    if mail is not None:
        written = home.mail(orders, sender=sender, copies=copies)
        _deliver(written, None if str(mail) == "-" else mail)
    if out or mail is None:
        _deliver(orders.armor.encode(), out)
    what = f"revision {orders.rev}" if orders.rev else "reveal"
    _remark(f"{orders.game}, exchange {orders.exchange}, {what}: sealed file {orders.name}")
    for remark in orders.remarks:
        _remark(remark)
    if mail is not None and b"\nCc: " not in written:
        _remark("no opponent gets a copy from you: only the receipt will prove that you sent it")
    if mail is not None and str(mail) != "-":
        _remark(f"next: send {mail}, with your mail program or by: sendmail -t < {mail}")


def _remark(text: str) -> None:
    click.echo(f"pbem: {text}", err=True)


def _printable(text: str) -> str:
    """Return text from outside without the control characters that a terminal would obey."""
    return "".join(sign if sign.isprintable() or sign in "\n\t" else "\ufffd" for sign in text)


def _post_orders(home: Home, game: str, armor: str) -> bool:
    """Post a sealed file in the box of a game or league, if it has one; return whether the file is there."""
    from pbem.trust.letters import BOX

    place = home.place_of(game)
    if not (place.path / BOX).exists():  # it is the judge's letter, which names one
        return False
    from pbem.player.box import box_of

    if not box_of(place):
        return False
    from pbem.player.box_client import BoxFault, boxes_to_ask

    (box,) = boxes_to_ask(home, game)
    try:
        box.client().post(armor.encode())
    except BoxFault as fault:
        _remark(f"{fault}; the sealed file follows, to be sent by mail or later by: pbem send")
        return False
    _remark(f"it is in the post box of {game}, and waits for the judge; the receipt: pbem fetch")
    return True


def _boxes_of(home: Home) -> list[HomeBox]:
    from pbem.player.box_client import boxes_to_fetch

    return boxes_to_fetch(home)


def _receive_boxed(home: Home, box: HomeBox, *, whole: bool = False) -> int:
    """Fetch letters from a box, take them in and print them; return the exit status."""
    from pbem.player.box_client import fetch_letters, take_fetched

    fetch_letters(box)
    status = 0
    for delivery, count in take_fetched(box):
        _show_delivery(home, delivery, count, whole=whole)
        _say_next(home, {arrival.game for arrival in delivery.arrivals})
        status = 1 if delivery.faults else 0
    return status
