"""The player's commands on leagues: each writes a signed file for the judge."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from pbem.cli.home import judge_fingerprint, open_home, write_result
from pbem.cli.options import PASSPHRASE_FILE, output, signs

if TYPE_CHECKING:
    from pbem.leagues.statements import Statement
    from pbem.player.leagues.league import PlayersLeague

COMMANDS = click.Group()
"""The commands of this module; the group `league` includes them."""
NAME = click.argument("name")
AS = click.option("--as", "player", required=True, metavar="NAME", help="Your name in the league.")
KEY = click.option("--key", help="The name or path of your key, if it is not called like you.")
WHAT_IF = click.option(
    "--what-if", is_flag=True, help="Only say what it would do: nothing is signed or written."
)
JUDGE = click.option(
    "--judge",
    default="",
    metavar="KEY",
    help="The judge's key, as SHA256:... or its public key file, where your home does not know it.",
)
GENESIS = click.option(
    "--genesis",
    default="",
    metavar="HEAD",
    help="The head of the league's first entry, 64 hex digits, where your home does not know it.",
)


@dataclass(frozen=True, slots=True)
class Signing:
    """The circumstances of signing a statement: who signs, with which key, and where it is written."""

    player: str
    key: str | None
    passphrase_file: Path | None
    out: Path | None
    what_if: bool
    judge: str = ""
    """The fingerprint of the judge's key, for a home that does not know it; the first head follows."""
    genesis: str = ""

    def say(self, name: str, say: str, **more: object) -> None:
        """Sign a statement that needs no further arguments, or print what signing it would do."""
        from pbem.leagues.statements import Statement, parse_lines

        league = open_home(self.passphrase_file).league(name)
        judge, genesis = league.judge_and_genesis(self.judge, self.genesis)
        said = Statement(
            league=league.ledger,
            player=self.player,
            say=say,
            judge=judge,
            genesis=genesis,
            made=_now(),
            **more,  # type: ignore[arg-type]
        )
        if self.what_if:
            parse_lines(league.ledger, self.player, said.lines)
            self.tell(league, said)
        else:
            write_result(league.say(said, self.key), self.out)

    def tell(self, league: PlayersLeague, said: Statement) -> None:
        """Print what would follow from a statement if it were signed."""
        from pbem.leagues.statements import meaning

        games = league.games(league.kept_ledger()) if league.folder.find_member() else ()
        click.echo(f"nothing is signed; if it were: {meaning(said, games)}")


def signing(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options that every signed statement has; the command gets them as the argument `by`."""

    @wraps(command)
    def gathered(
        player: str,
        key: str | None,
        passphrase_file: Path | None,
        out: Path | None,
        what_if: bool,
        judge: str,
        genesis: str,
        **rest: Any,
    ) -> None:
        from pbem.trust.identifiers import is_hash

        whose = judge_fingerprint(judge) if judge else ""
        if genesis and not is_hash(genesis):
            raise click.UsageError(f"--genesis {genesis} is not a head, which has 64 hex digits")
        command(by=Signing(player, key, passphrase_file, out, what_if, whose, genesis), **rest)

    for option in (WHAT_IF, output, PASSPHRASE_FILE, KEY, AS, GENESIS, JUDGE):
        gathered = option(gathered)
    return gathered


def _now() -> datetime:
    return datetime.now(UTC).replace(microsecond=0)


@COMMANDS.command()
@NAME
@click.option(
    "--rating", type=int, help="Your rating: seeds a cup, pots, a ladder, and Swiss where its file says so."
)
@click.option("--games", type=int, default=0, help="How many games at once you wish, at most.")
@click.option("--eliminator", is_flag=True, help="Play only players without an opponent; you cannot advance.")
@signing
@signs("enter")
def enter(name: str, rating: int | None, games: int, eliminator: bool, by: Signing) -> None:
    """Sign an entry.

    \b
    Example:
      pbem league enter spring-2027 --as alice --judge gm.pub --genesis HEAD --rating 1650 --out alice.txt
    """
    _enter(name, by, rating=rating, games=games, eliminator=eliminator)


def _enter(name: str, by: Signing, *, say: str = "enter", instead_of: str = "", **more: Any) -> None:
    from pbem.leagues.statements import Statement

    league, now = open_home(by.passphrase_file).league(name), _now()
    if by.what_if:
        by.tell(league, Statement(league=league.ledger, player=by.player, say=say, of=instead_of, made=now))
        return
    if not by.judge or not by.genesis:
        raise click.UsageError(
            "say which league it is: --judge KEY --genesis HEAD, as the announcement has them"
        )
    signed = league.enter(
        by.player,
        judge=by.judge,
        genesis=by.genesis,
        now=now,
        key=by.key,
        say=say,
        instead_of=instead_of,
        **more,
    )
    write_result(signed, by.out)


@COMMANDS.command()
@NAME
@click.option(
    "--for", "instead_of", default="", metavar="NAME", help="Whose place you would take, who has left."
)
@signing
@signs("substitute")
def substitute(name: str, instead_of: str, by: Signing) -> None:
    """Sign an offer.

    'withdraw' takes you off the list. With --for it is the place of somebody who has left, and the director
    decides.

    \b
    Examples:
      pbem league substitute spring-2027 --as carol --judge gm.pub --genesis HEAD
      pbem league substitute spring-2027 --as carol --for bob --judge gm.pub --genesis HEAD
    """
    _enter(name, by, say="substitute", instead_of=instead_of)


@COMMANDS.command()
@NAME
@click.option("--reason", default="", help="Why, if you want to say.")
@signing
@signs("withdraw")
def withdraw(name: str, reason: str, by: Signing) -> None:
    """Sign a withdrawal.

    \b
    Example:
      pbem league withdraw spring-2027 --as alice
    """
    by.say(name, "withdraw", reason=reason)


@COMMANDS.command()
@NAME
@click.argument("rounds", nargs=2, type=int, metavar="FIRST LAST")
@signing
@signs("absent")
def absent(name: str, rounds: tuple[int, int], by: Signing) -> None:
    """Sign rounds that are left out.

    \b
    Example:
      pbem league absent spring-2027 2 3 --as alice
    """
    by.say(name, "absent", rounds=rounds)


@COMMANDS.command("half-bye")
@NAME
@click.argument("number", type=int, metavar="ROUND")
@signing
@signs("half-bye")
def half_bye(name: str, number: int, by: Signing) -> None:
    """Sign a request for a bye.

    \b
    Example:
      pbem league half-bye spring-2027 3 --as alice
    """
    by.say(name, "half-bye", rounds=(number, number))


@COMMANDS.command()
@NAME
@click.argument("whom")
@signing
@signs("challenge")
def challenge(name: str, whom: str, by: Signing) -> None:
    """Sign a challenge.

    \b
    Example:
      pbem league challenge ladder-2027 bob --as alice
    """
    by.say(name, "challenge", of=whom)


@COMMANDS.command()
@NAME
@click.argument("about", nargs=2, type=int, metavar="ROUND PAIRING")
@click.argument("places", nargs=-1, required=True, metavar="NAME=PLACE ...")
@click.option("--reason", default="", help="Why.")
@signing
@signs("vote")
def vote(name: str, about: tuple[int, int], places: tuple[str, ...], reason: str, by: Signing) -> None:
    """Sign a vote.

    \b
    Example:
      pbem league vote spring-2027 1 3 alice=1 bob=2 --as pam
    """
    from pbem.leagues.statements import parse_places

    placed = parse_places(",".join(places))
    by.say(name, "vote", about=about, places=placed, reason=reason)


@COMMANDS.command("new-key")
@NAME
@click.option("--new", required=True, metavar="KEY", help="The name of the new key (pbem keygen).")
@click.option("--lost", is_flag=True, help="The old key is lost: the director has to rule.")
@click.option("--old-fingerprint", default="", metavar="SHA256:...", help="Of the lost key, in a new home.")
@click.option("--official", is_flag=True, help="You have not entered: you are of the panel, or an official.")
@click.option("--chain", type=int, default=0, help="The number of your new chain, if you are told it.")
@signing
@signs("new-key")
def new_key(
    name: str, new: str, lost: bool, old_fingerprint: str, official: bool, chain: int, by: Signing
) -> None:
    """Sign a new key.

    An entrant's brings a new chain, so that they have a share in the dice of later calls.

    It counts for the league, and for games that are opened later; in a game that goes on your seat gets it
    by 'pbem sign rotation'. Where the old key is lost, hand the file to the director, who has to know that
    it is you who asks.

    \b
    Examples:
      pbem league new-key spring-2027 --as alice --new alice2 --out alice2.txt
      pbem league new-key spring-2027 --as alice --new alice2 --lost --out alice2.txt
    """
    from pbem.leagues.statements import NEW_KEY, Statement

    league, now = open_home(by.passphrase_file).league(name), _now()
    if by.what_if:
        said = Statement(
            league=league.ledger, player=by.player, say=NEW_KEY, by="" if lost else "the old key", made=now
        )
        by.tell(league, said)
        return
    signed = league.new_key(
        by.player,
        new,
        now=now,
        key=by.key,
        lost=lost,
        old=old_fingerprint,
        judge=by.judge,
        genesis=by.genesis,
        chain=chain,
        official=official,
    )
    write_result(signed, by.out)


@COMMANDS.command()
@NAME
@click.argument("entry", type=int)
@click.option("--reason", required=True, help="Why; everybody can read it.")
@signing
@signs("appeal")
def appeal(name: str, entry: int, reason: str, by: Signing) -> None:
    """Sign an appeal.

    \b
    Example:
      pbem league appeal spring-2027 57 --as alice --reason "the game was a draw"
    """
    by.say(name, "appeal", entry=entry, reason=reason)


@COMMANDS.command()
@NAME
@click.option("--bid", "bids", multiple=True, metavar="[GAME=]BID", help="What you bid for a side: e1 to s3.")
@PASSPHRASE_FILE
@output
@signs("reply")
def reply(name: str, bids: tuple[str, ...], passphrase_file: Path | None, out: Path | None) -> None:
    """Answer a call.

    \b
    Examples:
      pbem league reply spring-2027 --out reply.age.txt
      pbem league reply spring-2027 --bid e2
    """
    said = {game: words for game, _, words in (bid.rpartition("=") for bid in bids)}
    write_result(open_home(passphrase_file).league(name).reply(said), out)
