"""The player's commands, which work in their home: keygen, join, receive, seal, reveal, sheet."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pbem.cli.options import (
    EXISTING_FILE,
    FILE,
    JSON,
    PASSPHRASE_FILE,
    PUBLISH,
    SHARE,
    ZONE,
    mailing,
    output,
    signs,
)
from pbem.errors import PbemError

if TYPE_CHECKING:
    from pbem.player.incoming.letters_in import Arrival
from pbem.cli.home import (
    deliver_orders,
    first_line,
    from_each,
    judge_fingerprint,
    open_home,
    read_input,
    receive_boxed,
    say_next,
    show_delivery,
    write_result,
)
from pbem.cli.options import echo_remark


@click.command()
@click.argument("name")
@click.option("--passphrase", "ask", is_flag=True, help="Ask for a passphrase that locks the key.")
@PASSPHRASE_FILE
@click.option(
    "--recovery",
    is_flag=True,
    help="Make the recovery key of the key NAME, to print or to keep in another place.",
)
@output
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
    passphrase = first_line(passphrase_file) if passphrase_file else ""
    if ask and not passphrase:
        passphrase = click.prompt("Passphrase", hide_input=True, confirmation_prompt=True, err=True)
    home = open_home(None)
    if not recovery:
        public = home.keygen(name, passphrase=passphrase)
        click.echo(f"{public.fingerprint}\n{public.file_line}", nl=False)
        return
    public, private = home.keygen_recovery(name, passphrase=passphrase, out=out)
    if out:
        click.echo(f"{public.fingerprint}\n{public.file_line}", nl=False)
        return
    click.echo(private.decode(), nl=False)
    echo_remark(
        f"the fingerprint is {public.fingerprint}; print the lines above, and keep them in another place"
    )


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
@output
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
    judge = judge_fingerprint(judge)
    home = open_home(passphrase_file)
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
    write_result(signed, out)


@click.command()
@click.argument("files", nargs=-1, type=FILE)
@click.option("--genesis", metavar="HEAD", help="The head that the game's first entry must have.")
@click.option("--copy-of", metavar="GAME", help="Keep another player's sealed orders of this game as proof.")
@click.option("--whole", is_flag=True, help="Also show the part of a report that is for programs.")
@JSON
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
    home = open_home(passphrase_file)
    if not files and sys.stdin.isatty():  # nobody types a letter
        from pbem.player.box_client import boxes_to_fetch

        if boxes := boxes_to_fetch(home):
            return from_each(boxes, partial(receive_boxed, home, whole=whole))
    sources = {str(path): read_input(path) for path in files or (Path("-"),)}
    if copy_of is not None:
        status = 0
        for source, data in sources.items():
            try:
                kept, others = home.keep_copy(copy_of, data)
            except PbemError as fault:
                echo_remark(f"{source}: {fault}" if len(sources) > 1 else fault)
                status = 1
                continue
            for path in kept:
                click.echo(path)
            for remark in others:
                echo_remark(remark)
            status = status if kept else 1
        return status
    delivery = home.deliver(sources, genesis=genesis)
    if as_json:
        import json

        faults = [{"file": source, "told": str(fault)} for source, fault in delivery.faults]
        facts = {"arrivals": [_facts(arrival) for arrival in delivery.arrivals], "faults": faults}
        click.echo(json.dumps(facts, indent=2))
        return 1 if faults else 0
    show_delivery(home, delivery, len(sources), whole=whole)
    say_next(home, {arrival.game for arrival in delivery.arrivals})
    return 1 if delivery.faults else 0


def _facts(arrival: Arrival) -> dict[str, object]:
    """Return a letter that has arrived as plain data for --json; its faults are listed apart."""
    from dataclasses import asdict

    return {name: value for name, value in asdict(arrival).items() if name != "faults"}


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
@output
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
        home = open_home(passphrase_file, newest=True)
        orders = home.reveal(game or home.only_game())
        deliver_orders(home, orders, out, mail, sender=sender, copies=not no_copies)
        return
    if bare == (draft is not None):
        raise click.UsageError("Give either a draft, which is your orders (pbem seal orders.txt), or --bare.")
    data = None if draft is None else read_input(draft)
    home = open_home(passphrase_file, newest=True)
    orders = home.seal(data, game=game, player=player)
    deliver_orders(home, orders, out, mail, sender=sender, copies=not no_copies)


@click.command()
@click.argument("game")
@mailing
@PASSPHRASE_FILE
@output
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
    home = open_home(passphrase_file, newest=True)
    deliver_orders(home, home.reveal(game), out, mail, sender=sender, copies=not no_copies)


@click.command()
@click.argument("game")
@click.option("--first", type=click.IntRange(min=1), default=1, show_default=True, help="From this exchange.")
@click.option("--last", type=click.IntRange(min=1), default=60, show_default=True, help="To this exchange.")
@click.option(
    "--recovery",
    type=EXISTING_FILE,
    help="Your recovery key, which is printed too.",
)
def sheet(game: str, first: int, last: int, recovery: Path | None) -> None:
    """Print your reveals of a game, and your recovery key, to keep in a safe place.

    Anybody who has the sheet knows your numbers for the dice in advance, and can replace your key.

    \b
    Example:
      pbem game sheet demo --recovery alice-recovery | lpr
    """
    from pbem.cli.home import open_home

    for line in open_home(None).sheet(game, first, last):
        click.echo(line)
    if recovery is not None:
        click.echo("\nYour recovery key, as a file of this name and these lines:\n")
        click.echo(recovery.read_text(encoding="ascii"), nl=False)
