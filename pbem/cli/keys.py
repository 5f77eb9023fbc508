"""The commands on keys: a new key, and a sheet of paper for the day on which everything is lost."""

from __future__ import annotations

from pathlib import Path

import click

from pbem.cli.club import CLUB
from pbem.cli.game_master import CONSENT, GENESIS
from pbem.cli.home import OUT, PASSPHRASE_FILE
from pbem.cli.signed_help import signs


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
@click.option(
    "--old-fingerprint", metavar="SHA256:...", help="The old key's fingerprint, if its file is lost too."
)
@click.option(
    "--lost", is_flag=True, help="You have neither the old nor the recovery key; others must consent."
)
@click.option("--person", default="", metavar="NAME", help="The new player of the seat; others must consent.")
@click.option(
    "--chain", default=0, metavar="N", help="Make your chain number N, because you lost the chain before."
)
@GENESIS
@PASSPHRASE_FILE
@OUT
@signs("rotation")
def rotate(
    game: str,
    exchange: int,
    player: str,
    new: str,
    old: str | None,
    recovery: Path | None,
    old_fingerprint: str | None,
    lost: bool,
    person: str,
    chain: int,
    genesis: str,
    passphrase_file: Path | None,
    out: Path | None,
) -> None:
    """Sign a rotation.

    NAME is
    always the player with whom the seat began the game.

    \b
    Examples:
      pbem sign rotation demo 9 --as alice --new alice2 --out alice.rotation
      pbem sign rotation demo 9 --as alice --new alice2 --recovery alice-recovery --out alice.rotation
      pbem sign rotation demo 9 --as alice --new alice --chain 2 --out alice.rotation
      pbem sign rotation demo 9 --as alice --new carol --person carol --chain 2 --out carol.rotation \\
          --old-fingerprint SHA256:... --genesis HEAD
    """
    from pbem.cli.home import _deliver, _home, _remark
    from pbem.trust.keys import load_private_file
    from pbem.trust.rotations import sign_rotation

    home = _home(passphrase_file)
    by = None
    if recovery:
        by = load_private_file(recovery)
    elif not lost and not person:
        by = home.keys.unlock(old or player)
    replaced = old_fingerprint or (home.keys.public(old).fingerprint if old else "")
    change = home.rotate(
        game, exchange, player, new, by=by, old=replaced, chain=chain, person=person, genesis=genesis
    )
    _deliver(sign_rotation(change, by, home.keys.unlock(new)), out)
    if by is None:
        _remark(
            f"to consent to it, another player signs: pbem sign consent {game} {exchange} {change.consent} "
            f"--as NAME"
        )


@click.command("replace-key")
@click.argument("file", required=False, type=click.Path(path_type=Path, dir_okay=False, exists=True))
@click.option("--judge", is_flag=True, help="Instead of FILE: make a new key for the judge.")
@click.option(
    "--recovery",
    type=click.Path(path_type=Path, dir_okay=False, exists=True),
    help="The judge's recovery key, if the judge's key is lost or stolen.",
)
@click.option("--reason", default="", help="Why others must consent; all players see it.")
@CONSENT
@CLUB
def replace_key(
    file: Path | None,
    judge: bool,
    recovery: Path | None,
    reason: str,
    consents: tuple[Path, ...],
    folder: Path,
) -> None:
    """Enter a seat's new key: signed by its old or recovery key, or with the others' consent.

    Consent is needed if both keys are lost, or if another person, who must be enrolled, takes the seat. The
    player who leaves, or all other players, or the second official can consent. Then the seat's letters go to
    the new person, and the last report is sent at once.

    The judge's own key is replaced in all running games at the same time. Every player's program checks the
    new one.

    \b
    Examples:
      pbem game replace-key alice.rotation
      pbem game replace-key carol.rotation --reason "alice has no time" --consent alice.consent
      pbem game replace-key --judge --recovery /media/stick/gm-recovery
    """
    from pbem.cli.home import _remark
    from pbem.judge.acts.judge_key import replace_judge_key
    from pbem.judge.acts.player_key import rotate as enter
    from pbem.judge.club import open_club
    from pbem.judge.letters.letter_files import deliver
    from pbem.trust.keys import load_private_file, parse_public
    from pbem.trust.rotations import read_rotation

    if judge == (file is not None):
        raise click.UsageError("Give either a rotation file or --judge.")
    if file is None:
        by = load_private_file(recovery) if recovery else None
        club, games = replace_judge_key(open_club(folder, key=by), by)
        deliver(club)
        click.echo(f"judge's key {club.key.public.fingerprint}, in {', '.join(games) or 'no running game'}")
        return
    club = open_club(folder)
    given = [path.read_bytes() for path in consents]
    click.echo(enter(club, file.read_bytes(), reason=reason, consents=given))
    deliver(club)
    change = read_rotation(file.read_bytes()).change
    known = club.store.player(change.player)
    if known is not None and known.fingerprint == change.old != parse_public(change.new).fingerprint:
        command = f"pbem club player add {change.player} {file} --in-place-of {change.old}"
        _remark(
            f"for new games and leagues {change.player} is enrolled with the old key still; {command} "
            "changes that"
        )


@click.command()
@click.argument("game")
@click.option("--first", type=click.IntRange(min=1), default=1, show_default=True, help="From this exchange.")
@click.option("--last", type=click.IntRange(min=1), default=60, show_default=True, help="To this exchange.")
@click.option(
    "--recovery",
    type=click.Path(path_type=Path, dir_okay=False, exists=True),
    help="Your recovery key, which is printed too.",
)
def sheet(game: str, first: int, last: int, recovery: Path | None) -> None:
    """Print your reveals of a game, and your recovery key, to keep in a safe place.

    Anybody who has the sheet knows your part of the dice in advance, and can replace your key.

    \b
    Example:
      pbem game sheet demo --recovery alice-recovery | lpr
    """
    from pbem.cli.home import _home

    for line in _home(None).sheet(game, first, last):
        click.echo(line)
    if recovery is not None:
        click.echo("\nYour recovery key, as a file of this name and these lines:\n")
        click.echo(recovery.read_text(encoding="ascii"), nl=False)
