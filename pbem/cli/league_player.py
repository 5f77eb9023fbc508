"""What a player does about a league: everything is a file, signed, for the judge."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import click

from pbem.cli.home import OUT, PASSPHRASE_FILE, _deliver, _home

COMMANDS = click.Group()
"""All of them; the group `league` takes them in."""
NAME = click.argument("name")
AS = click.option("--as", "player", required=True, metavar="NAME", help="Your name in the league.")
KEY = click.option("--key", help="The name or path of your key, if it is not called like you.")
JUDGE = click.option(
    "--judge", required=True, metavar="KEY", help="The judge's key, as SHA256:... or its public key file."
)


def _fingerprint(judge: str) -> str:
    from pbem.trust.keys import parse_public

    path = Path(judge)
    return parse_public(path.read_text(encoding="utf-8")).fingerprint if path.is_file() else judge


def _now() -> datetime:
    return datetime.now(UTC).replace(microsecond=0)


def _say(
    name: str,
    player: str,
    say: str,
    key: str | None,
    passphrase_file: Path | None,
    out: Path | None,
    **more: object,
) -> None:
    from pbem.leagues.statements import Statement

    league = _home(passphrase_file).league(name)
    statement = Statement(league=league.ledger, player=player, say=say, made=_now(), **more)  # type: ignore[arg-type]
    _deliver(league.say(statement, key), out)


@COMMANDS.command()
@NAME
@AS
@JUDGE
@click.option("--rating", type=int, help="Your rating, by which the first round is drawn.")
@click.option("--games", type=int, default=1, show_default=True, help="How many games at once you wish.")
@click.option("--eliminator", is_flag=True, help="Only play who has no opponent; you cannot advance.")
@KEY
@PASSPHRASE_FILE
@OUT
def enter(
    name: str,
    player: str,
    judge: str,
    rating: int | None,
    games: int,
    eliminator: bool,
    key: str | None,
    passphrase_file: Path | None,
    out: Path | None,
) -> None:
    """Sign that you take part in a league.

    \b
    Example:
      pbem league enter spring-2027 --as alice --judge gm.pub --rating 1650 --out alice-enters.txt
    """
    signed = (
        _home(passphrase_file)
        .league(name)
        .enter(
            player,
            judge=_fingerprint(judge),
            now=_now(),
            key=key,
            rating=rating,
            games=games,
            eliminator=eliminator,
        )
    )
    _deliver(signed, out)


@COMMANDS.command()
@NAME
@AS
@JUDGE
@click.option("--for", "instead_of", required=True, metavar="NAME", help="Whose place you would take.")
@KEY
@PASSPHRASE_FILE
@OUT
def substitute(
    name: str,
    player: str,
    judge: str,
    instead_of: str,
    key: str | None,
    passphrase_file: Path | None,
    out: Path | None,
) -> None:
    """Sign that you would take the place of somebody who has left; the director decides.

    \b
    Example:
      pbem league substitute spring-2027 --as carol --for bob --judge gm.pub
    """
    league = _home(passphrase_file).league(name)
    signed = league.enter(player, judge=_fingerprint(judge), now=_now(), key=key, instead_of=instead_of)
    _deliver(signed, out)


@COMMANDS.command()
@NAME
@AS
@click.option("--reason", default="", help="Why, if you want to say.")
@KEY
@PASSPHRASE_FILE
@OUT
def withdraw(
    name: str, player: str, reason: str, key: str | None, passphrase_file: Path | None, out: Path | None
) -> None:
    """Sign that you leave a league; your open games are lost.

    \b
    Example:
      pbem league withdraw spring-2027 --as alice
    """
    _say(name, player, "withdraw", key, passphrase_file, out, reason=reason)


@COMMANDS.command()
@NAME
@AS
@click.argument("rounds", nargs=2, type=int, metavar="FIRST LAST")
@KEY
@PASSPHRASE_FILE
@OUT
def absent(
    name: str,
    player: str,
    rounds: tuple[int, int],
    key: str | None,
    passphrase_file: Path | None,
    out: Path | None,
) -> None:
    """Sign that you are not to be paired from one round to another.

    \b
    Example:
      pbem league absent spring-2027 2 3 --as alice
    """
    _say(name, player, "absent", key, passphrase_file, out, rounds=rounds)


@COMMANDS.command()
@NAME
@click.argument("whom")
@AS
@KEY
@PASSPHRASE_FILE
@OUT
def challenge(
    name: str, whom: str, player: str, key: str | None, passphrase_file: Path | None, out: Path | None
) -> None:
    """Sign that you challenge somebody above you on a ladder.

    \b
    Example:
      pbem league challenge ladder-2027 bob --as alice
    """
    _say(name, player, "challenge", key, passphrase_file, out, of=whom)


@COMMANDS.command()
@NAME
@click.argument("about", nargs=2, type=int, metavar="ROUND PAIRING")
@click.argument("places", nargs=-1, required=True, metavar="NAME=PLACE ...")
@AS
@click.option("--reason", default="", help="Why.")
@KEY
@PASSPHRASE_FILE
@OUT
def vote(
    name: str,
    about: tuple[int, int],
    places: tuple[str, ...],
    player: str,
    reason: str,
    key: str | None,
    passphrase_file: Path | None,
    out: Path | None,
) -> None:
    """Sign what the result of an unfinished game should be, as one of the panel.

    \b
    Example:
      pbem league vote spring-2027 1 3 alice=1 bob=2 --as pam
    """
    from pbem.leagues.statements import parse_places

    placed = parse_places(",".join(places))
    _say(name, player, "vote", key, passphrase_file, out, about=about, places=placed, reason=reason)


@COMMANDS.command("new-key")
@NAME
@AS
@click.option("--new", required=True, metavar="KEY", help="The name of the new key (pbem keygen).")
@click.option("--lost", is_flag=True, help="The old key is lost: the director has to rule.")
@click.option("--old-fingerprint", default="", metavar="SHA256:...", help="Of the lost key, in a new home.")
@click.option("--judge", default="", metavar="KEY", help="The judge's key, in a new home.")
@PASSPHRASE_FILE
@OUT
def new_key(
    name: str,
    player: str,
    new: str,
    lost: bool,
    old_fingerprint: str,
    judge: str,
    passphrase_file: Path | None,
    out: Path | None,
) -> None:
    """Sign that you have a new key in a league, with the old one's signature.

    It counts for the league, and for games that are opened later; in a game that goes on your seat gets it
    by 'pbem rotate'. Where the old key is lost, hand the file to the director, who has to know that it is
    you who asks.

    \b
    Examples:
      pbem league new-key spring-2027 --as alice --new alice2 --out alice2.txt
      pbem league new-key spring-2027 --as alice --new alice2 --lost --out alice2.txt
    """
    league = _home(passphrase_file).league(name)
    judged = _fingerprint(judge) if judge else ""
    signed = league.new_key(player, new, now=_now(), lost=lost, old=old_fingerprint, judge=judged)
    _deliver(signed, out)


@COMMANDS.command()
@NAME
@click.argument("entry", type=int)
@AS
@click.option("--reason", required=True, help="Why; everybody can read it.")
@KEY
@PASSPHRASE_FILE
@OUT
def appeal(
    name: str,
    entry: int,
    player: str,
    reason: str,
    key: str | None,
    passphrase_file: Path | None,
    out: Path | None,
) -> None:
    """Sign an appeal against an entry of the league's ledger.

    \b
    Example:
      pbem league appeal spring-2027 57 --as alice --reason "the game was a draw"
    """
    _say(name, player, "appeal", key, passphrase_file, out, entry=entry, reason=reason)


@COMMANDS.command()
@NAME
@click.option("--bid", "bids", multiple=True, metavar="[GAME=]BID", help="What you bid for a side: e1 to s3.")
@PASSPHRASE_FILE
@OUT
def reply(name: str, bids: tuple[str, ...], passphrase_file: Path | None, out: Path | None) -> None:
    """Answer the judge's last call: your share in the dice, your chains for new games, and bids.

    \b
    Examples:
      pbem league reply spring-2027 --out reply.age.txt
      pbem league reply spring-2027 --bid e2
    """
    said = {game: words for game, _, words in (bid.rpartition("=") for bid in bids)}
    _deliver(_home(passphrase_file).league(name).reply(said), out)
