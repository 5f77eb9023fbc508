"""The commands `pbem sign`: an absence, a profile, a consent, a claim, a new key."""

from __future__ import annotations

from pathlib import Path

import click

from pbem.cli.home import judge_fingerprint, open_home, write_result
from pbem.cli.options import (
    EXISTING_FILE,
    PASSPHRASE_FILE,
    PUBLISH,
    SHARE,
    WHOSE,
    ZONE,
    consents,
    echo_remark,
    output,
    signs,
)

GENESIS = click.option(
    "--genesis", default="", metavar="HEAD", help="The head of the game's first entry, if it is not here."
)


@click.command()
@click.option("--as", "player", required=True, metavar="NAME", help="Your name in the games.")
@click.option("--from", "begins", required=True, metavar="DAY", help="The first day, such as 2026-08-01.")
@click.option("--until", "ends", required=True, metavar="DAY", help="The last day.")
@click.option("--key", help="The name or path of your key, if it is not called like you.")
@WHOSE
@PASSPHRASE_FILE
@output
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
    judge = judge_fingerprint(judge) if judge else ""
    write_result(open_home(passphrase_file).absent(player, begins, ends, key=key, judge=judge), out)


@click.command()
@click.argument("game")
@click.argument("exchange", type=click.IntRange(min=1))
@click.argument("to", nargs=-1, required=True)
@click.option("--as", "by", required=True, metavar="NAME", help="Your name in the game.")
@click.option("--key", help="The name of your key, if it is not called like you.")
@GENESIS
@click.option(
    "--lost",
    default=0,
    metavar="N",
    help="How many entries a restored game has lost, to show that you know it.",
)
@PASSPHRASE_FILE
@output
@consents
def consent(
    game: str,
    exchange: int,
    to: tuple[str, ...],
    by: str,
    key: str | None,
    genesis: str,
    lost: int,
    passphrase_file: Path | None,
    out: Path | None,
) -> None:
    """Sign that you consent to an act of the game master, while an exchange is open.

    \b
    ACTS

    It counts only for this game, because it names the head of the game's first entry. A consent to put-away
    also names the judge's last head. Before you sign it, you are told what is lost after that head.

    \b
    Examples:
      pbem sign consent demo 9 roll-back 7 --as alice --out alice.consent
      pbem sign consent demo 9 extend 2026-08-15T18:00:00Z --as alice --out alice.consent
      pbem sign consent demo 9 put-away 41 HEAD --as alice --lost 12 --out alice.consent
    """
    from pbem.cli.home import open_home, write_result

    home = open_home(passphrase_file)
    write_result(home.consent(game, exchange, by, " ".join(to), key=key, genesis=genesis, lost=lost), out)


@click.command()
@click.argument("game")
@click.argument("player")
@click.option("--as", "by", metavar="NAME", help="Your name in the game; the program checks it.")
@PASSPHRASE_FILE
@output
@signs("claim")
def claim(game: str, player: str, by: str | None, passphrase_file: Path | None, out: Path | None) -> None:
    """Sign a claim against a player who sends nothing.

    Your ledger of the game must show that this player sent nothing for the last two exchanges or more, and
    nothing for the open one. Mail the claim to the judge. The game master decides, or has already decided in
    the settings.

    \b
    Example:
      pbem sign claim demo bob --as alice --out claim.txt
    """
    from pbem.cli.home import open_home, write_result

    write_result(open_home(passphrase_file).claim(game, player, by=by), out)


@click.command()
@click.argument("game")
@click.argument("exchange", type=click.IntRange(min=1))
@click.option("--as", "player", required=True, metavar="NAME", help="Your name in the game.")
@click.option("--new", "new", required=True, metavar="KEY", help="The name of your new key.")
@click.option("--old", metavar="KEY", help="The name of your old key, if it is not called like you.")
@click.option(
    "--recovery",
    type=EXISTING_FILE,
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
@output
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
    """Sign a new key for a seat (a rotation).

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
    from pbem.cli.home import open_home, write_result
    from pbem.trust.keys import load_private_file
    from pbem.trust.rotations import sign_rotation

    home = open_home(passphrase_file)
    by = None
    if recovery:
        by = load_private_file(recovery)
    elif not lost and not person:
        by = home.keys.unlock(old or player)
    replaced = old_fingerprint or (home.keys.public(old).fingerprint if old else "")
    change = home.rotate(
        game, exchange, player, new, by=by, old=replaced, chain=chain, person=person, genesis=genesis
    )
    write_result(sign_rotation(change, by, home.keys.unlock(new)), out)
    if by is None:
        echo_remark(
            f"to consent to it, another player signs: pbem sign consent {game} {exchange} {change.consent} "
            f"--as NAME"
        )


QUIET = click.option(
    "--quiet", default="", metavar="HOURS", help="No mails with messages in these hours: 22:00-07:00, or -."
)
DIGEST = click.option(
    "--digest", default="", metavar="HOUR", help="Messages in one mail a day, at this hour: 18:00, or -."
)
HEAR = click.option(
    "--hear",
    default="",
    metavar="PACES",
    help="When mails come: game=once,reminder=none, or -. Of game, league, message and reminder each can be "
    "now, once (then nothing until you have been there), digest, or none.",
)
MAILS = click.option(
    "--mails/--no-mails",
    default=None,
    help="Whether mails come beside the post box, once you fetch from it; --no-mails: no receipts either.",
)
WEBHOOK = click.option(
    "--webhook",
    default="",
    metavar="URL",
    help="An https address that is told when a game waits for you, or -.",
)

PUSH = click.option(
    "--push",
    default="",
    metavar="URL",
    help="The address of a device that is woken when a game waits for you, as the page gives it, or -.",
)

AVOID = click.option(
    "--avoid",
    default="",
    metavar="NAMES",
    help="With whom you are seated in no new game outside leagues: bob,carol, or -.",
)


@click.command()
@click.option("--as", "player", required=True, metavar="NAME", help="Your name in the games.")
@ZONE
@SHARE
@click.option("--no-share-address", "unshare", is_flag=True, help="From now on, nobody learns your address.")
@click.option("--publish/--no-publish", default=None, help=PUBLISH)
@click.option("--key", help="The name or path of your key, if it is not called like you.")
@QUIET
@DIGEST
@HEAR
@MAILS
@WEBHOOK
@PUSH
@AVOID
@WHOSE
@PASSPHRASE_FILE
@output
@signs("profile")
def profile(
    player: str,
    share: str,
    unshare: bool,
    publish: bool | None,
    key: str | None,
    mails: bool | None,
    judge: str,
    passphrase_file: Path | None,
    out: Path | None,
    **wishes: str,
) -> None:
    """Sign your wishes (a profile): time zone, quiet hours, mails.

    - takes quiet hours, the digest, the paces of mails, the webhook, the
    device or the list of --avoid back. It holds for all your games of a
    club. Send it to the judge.

    Without a fetch from the club's post box every letter still comes by
    mail: then "once" counts as "now", and "none" for reminders alone.

    \b
    Example:
      pbem sign profile --as alice --zone Europe/London --share-address alice@example.org
    """
    if unshare and share:
        raise click.UsageError("Either --share-address or --no-share-address.")
    words = {True: "yes", False: "no", None: ""}
    wishes |= {"share": "-" if unshare else share, "publish": words[publish], "mails": words[mails]}
    judge = judge_fingerprint(judge) if judge else ""
    write_result(open_home(passphrase_file).profile(player, key=key, judge=judge, **wishes), out)
