"""Keys in real life: a new one, and a sheet of paper for the worst day."""

from __future__ import annotations

from pathlib import Path

import click

from pbem.cli.club import CLUB
from pbem.cli.home import OUT, PASSPHRASE_FILE


@click.command()
@click.argument("game")
@click.argument("exchange", type=click.IntRange(min=1))
@click.option("--as", "player", required=True, metavar="NAME", help="Your name in the game.")
@click.option("--new", "new", required=True, metavar="KEY", help="The name of your new key.")
@click.option("--old", metavar="KEY", help="The name of your old key, if it is not called like you.")
@click.option(
    "--recovery",
    type=click.Path(path_type=Path, dir_okay=False, exists=True),
    help="Your recovery key, if the old one is lost or stolen.",
)
@click.option("--old-fingerprint", metavar="SHA256:...", help="The old key's, if its file is lost too.")
@PASSPHRASE_FILE
@OUT
def rotate(
    game: str,
    exchange: int,
    player: str,
    new: str,
    old: str | None,
    recovery: Path | None,
    old_fingerprint: str | None,
    passphrase_file: Path | None,
    out: Path | None,
) -> None:
    """Sign that a new key replaces yours in a game, while EXCHANGE is open.

    It counts from the next exchange on.

    \b
    Examples:
      pbem rotate demo 9 --as alice --new alice2 --out alice.rotation
      pbem rotate demo 9 --as alice --new alice2 --recovery alice-recovery --out alice.rotation
    """
    from pbem.cli.home import _deliver, _home
    from pbem.trust.identifiers import check_game_id, check_player_name
    from pbem.trust.keys import load_private_file
    from pbem.trust.rotations import KeyChange, sign_rotation

    keyring = _home(passphrase_file).keys
    by = load_private_file(recovery) if recovery else keyring.unlock(old or player)
    change = KeyChange(
        game=check_game_id(game),
        player=check_player_name(player),
        exchange=exchange,
        old=old_fingerprint or keyring.public(old or player).fingerprint,
        new=keyring.public(new).line,
    )
    _deliver(sign_rotation(change, by, keyring.unlock(new)), out)


@click.command("replace-key")
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False, exists=True))
@CLUB
def replace_key(file: Path, folder: Path) -> None:
    """Enter a player's new key, signed by his old or his recovery key.

    \b
    Example:
      pbem replace-key alice.rotation
    """
    from pbem.judge.club import open_club
    from pbem.judge.post import deliver
    from pbem.judge.rotation import rotate as enter

    club = open_club(folder)
    click.echo(enter(club, file.read_bytes()))
    deliver(club)


@click.command()
@click.argument("game")
@click.option("--first", type=click.IntRange(min=1), default=1, show_default=True, help="From this exchange.")
@click.option("--last", type=click.IntRange(min=1), default=60, show_default=True, help="To this exchange.")
@click.option(
    "--recovery",
    type=click.Path(path_type=Path, dir_okay=False, exists=True),
    help="Your recovery key, to be printed too.",
)
def sheet(game: str, first: int, last: int, recovery: Path | None) -> None:
    """Print your reveals of a game, and your recovery key, to be put away.

    Whoever has the sheet can foresee your part of the dice, and replace your key.

    \b
    Example:
      pbem sheet demo --recovery alice-recovery | lpr
    """
    from pbem.cli.home import _home

    for line in _home(None).sheet(game, first, last):
        click.echo(line)
    if recovery is not None:
        click.echo("\nYour recovery key, as a file of this name and these lines:\n")
        click.echo(recovery.read_text(encoding="ascii"), nl=False)
