"""The command `pbem sign profile`: a player's wishes about what the judge sends and shows."""

from __future__ import annotations

from pathlib import Path

import click

from pbem.cli.home import (
    OUT,
    PASSPHRASE_FILE,
    PUBLISH,
    SHARE,
    WHOSE,
    ZONE,
    _deliver,
    _home,
    _judges_fingerprint,
)
from pbem.cli.signed_help import signs

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
@OUT
@signs("profile")
def profile(
    player: str,
    zone: str,
    share: str,
    unshare: bool,
    publish: bool | None,
    key: str | None,
    quiet: str,
    digest: str,
    hear: str,
    mails: bool | None,
    webhook: str,
    push: str,
    avoid: str,
    judge: str,
    passphrase_file: Path | None,
    out: Path | None,
) -> None:
    """Sign a profile.

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
    wished = "-" if unshare else share
    words = {True: "yes", False: "no", None: ""}
    judge = _judges_fingerprint(judge) if judge else ""
    home = _home(passphrase_file)
    signed = home.profile(
        player,
        zone=zone,
        share=wished,
        publish=words[publish],
        quiet=quiet,
        digest=digest,
        hear=hear,
        mails=words[mails],
        webhook=webhook,
        push=push,
        avoid=avoid,
        key=key,
        judge=judge,
    )
    _deliver(signed, out)
