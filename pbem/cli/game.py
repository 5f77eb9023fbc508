"""The commands by which a game master opens a game and acts on it, below `pbem game`."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pbem.cli.options import CLUB, EXISTING_FILE, echo_remark, game_option, join_link, open_folder
from pbem.trust.identifiers import quote
from pbem.trust.times import utc_text

if TYPE_CHECKING:
    from pbem.judge.club import Club
    from pbem.trust.player_statements import Join


class Opening(click.Command):
    """A command whose help ends with the sides and options of the game that `--rules` names."""

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the sides and options of the game at the end of the help."""
        from pbem.judge.newgame import choices, sides_of
        from pbem.titles import default_name

        rules = ctx.params.get("rules") or default_name()
        with formatter.section(f"Sides of {rules}, in the order of --players"):
            formatter.write_text(", ".join(sides_of(rules, {})))
        rows = []
        for one in choices(rules):
            others = f" Values: {one.values}." if one.values else ""
            rows.append((f"{one.name}={one.usual}", f"{one.meaning}.{others}" if one.meaning else others))
        with formatter.section(f"Options of {rules}, with what is usual"):
            formatter.write_dl(rows)
        formatter.write_paragraph()
        formatter.write_text(
            "Of another game: pbem game new --rules NAME --help. A letter and a number in brackets name a "
            "ruling in the game's RULINGS.md."
        )


@click.command(cls=Opening)
@click.argument("game")
@game_option("--rules", is_eager=True)
@click.option("--option", "options", multiple=True, metavar="NAME=VALUE", help="An option of the game.")
@click.option(
    "--players",
    metavar="NAME,NAME,...",
    default="",
    help="Who plays, in the order of the sides: names or join files. How many they are sets the option "
    "players, if the game has it. You choose who has which side: the game's first entry names the sides "
    "before there are joint dice. Dice draw what the game itself draws, as who begins in some.",
)
@click.option(
    "--seat",
    "seats",
    multiple=True,
    metavar="SIDE=NAME",
    help="Who plays a side: a join file, or a name. By name, a wish to join that has come is taken; an "
    "enrolled player who sent none has no share in the dice.",
)
@click.option(
    "--mode",
    type=click.Choice(["with-orders", "after-close"]),
    default="with-orders",
    show_default=True,
    help="When players reveal their secrets for the dice.",
)
@click.option("--official", default="", help="An enrolled person who may consent instead of the players.")
@click.option(
    "--exchanges",
    default=0,
    help="The most exchanges that the game may have; without it, 600 for two players.",
)
@click.option(
    "--rated",
    is_flag=True,
    help="The game counts in the club's ratings. The invitation says so; who accepts it has signed it.",
)
@CLUB
def new(
    game: str,
    rules: str,
    options: tuple[str, ...],
    players: str,
    seats: tuple[str, ...],
    mode: str,
    official: str,
    exchanges: int,
    rated: bool,
    folder: Path,
) -> None:
    """Open a game and invite its players.

    Whoever is not enrolled yet is enrolled with the key of their join file. Compare its fingerprint with
    theirs. At a keyboard, the command asks who plays if you do not say it.

    \b
    Examples:
      pbem game new dunbar-7 --option scenario=the-bruce --seat england=bob.join --seat scotland=alice.join
      pbem game new clans-2 --rules lords --players ann,ben,carl
    """
    from pbem.judge.letters.letter_files import deliver
    from pbem.judge.newgame import find_seated, new_game, seats_in_order, sides_of, with_number
    from pbem.play.adjudicate import option_value

    if players and seats:
        raise click.UsageError("seat the players either with --players or with --seat, not with both")
    chosen = {name: option_value(value) for name, value in map(_pair, options)}
    named = [name.strip() for name in players.split(",")] if players else []
    given = dict(map(_pair, seats))
    if not named and not given:
        given = _ask_players(sides_of(rules, chosen))
    chosen = with_number(rules, chosen, len(named or given))
    if named:
        given = seats_in_order(rules, chosen, named)
    club = open_folder(folder)
    seated = {side: find_seated(club, game, value) for side, value in given.items()}
    with club.store.step():
        enrolled = list(_enrol(club, seated.values()))
        book = new_game(club, game, rules, chosen, seated, mode, official, exchanges, rated=rated)
    deliver(club)
    for line in enrolled:
        click.echo(line)
    if named:
        who = ", ".join(f"{one.side}: {one.name}" for one in book.history.genesis.players)
        click.echo(f"you have chosen the seats: {who}")
    click.echo(f"{game} is open; its first head is {book.head_at(1)}")
    if link := join_link(club, game, rules):
        click.echo(f"its players may play in a browser: {link}")
    if "box" in club.settings or (club.mails and any(_address(club, join) for join in seated.values())):
        click.echo(
            "the judge's next pass sends the invitations; where no serve and no cron does one: pbem club run"
        )
    for join in seated.values():
        _warn(club, join)


def _ask_players(sides: tuple[str, ...]) -> dict[str, str]:
    """Ask for each side who plays it, and return the answers by side."""
    if not sys.stdin.isatty():
        raise click.UsageError(
            f"say who plays: --players NAME,NAME in the order {', '.join(sides)}, or --seat {sides[0]}=NAME "
            "and so on"
        )
    return {side: click.prompt(f"Who plays {side}? A name or a join file", err=True) for side in sides}


def _enrol(club: Club, seated: Iterable[str | Join]) -> Iterator[str]:
    """Enrol everybody who takes a seat by a join file and is not enrolled yet; yield a line for each."""
    for join in seated:
        if not isinstance(join, str) and club.store.player(join.player) is None:
            club.add_player(join.player, join.key, join.share)
            yield f"{join.player} is enrolled with the key {join.key.fingerprint}"


def _address(club: Club, join: str | Join) -> str:
    """Return a player's mail address; "" if the club knows none."""
    row = club.store.player(_name(join))
    return row.address if row is not None else ""


def _name(join: str | Join) -> str:
    return join if isinstance(join, str) else join.player


def _warn(club: Club, join: str | Join) -> None:
    """Print a remark if the club sends mail, and has no address for a player's letters."""
    from pbem.mail.mail_problems import lacks_address

    name = _name(join)
    row = club.store.player(name)
    if row is not None and lacks_address(club, row):
        echo_remark(
            f"{name} has no address, so letters lie in {club.out / name}: "
            f"pbem club player add {name} --address ADDRESS"
        )


def _pair(text: str) -> tuple[str, str]:
    name, sign, value = text.partition("=")
    if not sign:
        raise click.BadParameter(f"{text!r} should read NAME=VALUE")
    return name, value


@click.command()
@click.argument("name", metavar="GAME")
@CLUB
def info(name: str, folder: Path) -> None:
    """Show who plays a game, until when, and how it can be checked.

    It is what everybody may know of it, with its first head.

    \b
    Example:
      pbem game info dunbar-7
    """
    from pbem.judge.game_status import described

    for line in described(open_folder(folder), name):
        click.echo(line)


REASON = click.option("--reason", required=True, help="Why; all players see it.")
CONSENT = click.option(
    "--consent",
    "consents",
    multiple=True,
    type=EXISTING_FILE,
    help="A file that `pbem sign consent` has written; give this option once for each.",
)


def read_consents(paths: Iterable[Path]) -> list[bytes]:
    """Return the content of files with a consent.

    Raises:
        ConfigError: a file holds none.
    """
    from pbem.errors import ConfigError
    from pbem.trust.act_entries import read_consent
    from pbem.trust.faults import TrustFault

    found = {path: path.read_bytes() for path in paths}
    for path, data in found.items():
        try:
            read_consent(data)
        except TrustFault as fault:
            raise ConfigError(f"{path} holds no consent: {fault}") from None
    return [*found.values()]


@click.command("act")
@click.argument("game")
@click.argument(
    "what",
    type=click.Choice(["hold", "resume", "concede", "claim", "agree-draw", "roll-back", "correct", "go-on"]),
)
@click.argument("of", nargs=-1)
@REASON
@CONSENT
@CLUB
def act(
    game: str, what: str, of: tuple[str, ...], reason: str, consents: tuple[Path, ...], folder: Path
) -> None:
    """Hold, resume, correct, roll back or end a game; everybody sees the entry.

    Most of these acts need consent. 'concede' needs that of the player who concedes. 'agree-draw', and
    'go-on' with a release that plays past exchanges differently, need that of all who play. 'roll-back' and
    'correct' need that of all who play, or of the second official; OF is the first exchange that becomes
    void. 'correct' plays that exchange again with the same orders and dice, by the installed release or with
    another house rule; `pbem game replay` says when you need it. 'claim' is against a player who sends
    nothing, and needs that of all the others. With three or more players, a concession or a claim ends the
    game only if its rules say so; if not, the others play on.

    \b
    Examples:
      pbem game act demo hold --reason "the judge is on holiday"
      pbem game act demo concede alice --reason "by letter of 3 May" --consent alice.consent
      pbem game act demo roll-back 7 --reason "wrong map sent" --consent alice.consent --consent bob.consent
      pbem game act demo correct 7 border_control=battle --reason "as announced" --consent official.consent
    """
    from pbem.judge.acts import act as enter
    from pbem.judge.club import open_club
    from pbem.judge.letters.letter_files import deliver

    words = [word for word in of if "=" not in word]
    change = "".join(word for word in of if "=" in word)
    if len(words) > 1 or len(of) - len(words) > 1:
        raise click.UsageError(f"too many words: {quote(' '.join(of))}.")
    club = open_club(folder)
    given = read_consents(consents)
    click.echo(enter(club, game, what, "".join(words), change, reason=reason, consents=given))
    deliver(club)


@click.command()
@click.argument("game")
@click.argument("days", type=click.FloatRange(min=0, min_open=True))
@REASON
@CLUB
def extend(game: str, days: float, reason: str, folder: Path) -> None:
    """Move the deadline of a game's open exchange, before it has passed.

    \b
    Example:
      pbem game extend demo 3 --reason "bob is ill"
    """
    from pbem.judge.acts import extend as move
    from pbem.judge.club import open_club
    from pbem.judge.letters.letter_files import deliver

    club = open_club(folder)
    click.echo(f"{game}: the deadline is {utc_text(move(club, game, days, reason))}")
    deliver(club)


@click.command("replace-key")
@click.argument("file", required=False, type=EXISTING_FILE)
@click.option("--judge", is_flag=True, help="Instead of FILE: make a new key for the judge.")
@click.option(
    "--recovery",
    type=EXISTING_FILE,
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
    from pbem.cli.options import echo_remark
    from pbem.judge.club import open_club
    from pbem.judge.letters.letter_files import deliver
    from pbem.judge.new_keys import replace_judge_key
    from pbem.judge.new_keys import rotate as enter
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
    given = read_consents(consents)
    click.echo(enter(club, file.read_bytes(), reason=reason, consents=given))
    deliver(club)
    change = read_rotation(file.read_bytes()).change
    known = club.store.player(change.player)
    if known is not None and known.fingerprint == change.old != parse_public(change.new).fingerprint:
        command = f"pbem club player add {change.player} {file} --in-place-of {change.old}"
        echo_remark(
            f"for new games and leagues {change.player} is enrolled with the old key still; {command} "
            "changes that"
        )
