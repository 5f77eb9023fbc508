"""The commands `pbem practice`, `pbem try` and `pbem tool bot`: games on this machine, without a judge."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pbem.cli.options import EXISTING_FILE, FOLDER, echo_remark, game_option
from pbem.cli.show import ALL, OWN_EYES, PUBLIC, is_bundle

if TYPE_CHECKING:
    from pbem.practice.sandbox import Sandbox, SandboxStart
    from pbem.practice.table import Session, Start
    from pbem.rules.base import View


@click.command()
@click.argument("folder", required=False, type=FOLDER)
@click.option("--side", help="The side that you play; without it, the last side of the game.")
@click.option("--against", "bot", help="The bot that you play against; without it the game's best.")
@click.option("--option", "options", multiple=True, metavar="NAME=VALUE", help="An option of the game.")
@click.option("--seed", help="A number for the dice; the same seed gives the same dice.")
@game_option("--game")
@click.option(
    "--send",
    "orders",
    type=EXISTING_FILE,
    help="Send these orders to the game in FOLDER.",
)
@click.option("--anyway", is_flag=True, help="Send them, also if some of their lines will not count.")
def practice(
    folder: Path | None,
    side: str | None,
    bot: str | None,
    options: tuple[str, ...],
    seed: str | None,
    game: str,
    orders: Path | None,
    anyway: bool,
) -> None:
    """Play against a bot on this machine, without a judge.

    Without FOLDER you play at a prompt. With FOLDER the game is kept there. The first call begins the game
    and writes the first report. Fill in its form, or write an order file, and send it with --send, which
    first says what it understood.

    \b
    Examples:
      pbem practice --side scotland --option scenario=the-bruce
      pbem practice my-game --side england
      pbem practice my-game --send orders.txt
    """
    from pbem.practice import folder as files
    from pbem.practice.table import Session

    if anyway and orders is None:
        raise click.UsageError("--anyway belongs to --send.")
    if folder is not None and files.is_begun(folder):
        go_on(folder, files.resume(folder), orders, anyway=anyway)
        return
    if orders is not None:
        raise click.UsageError("--send belongs to a game that was begun in FOLDER.")
    start = _start(game, options, seed, side, bot)
    if folder is not None:
        click.echo(files.report_path(folder, files.begin(folder, start)))
        echo_remark(f"fill in its form, then: pbem practice {folder} --send FILE")
        return
    echo_remark(f"the seed of this game is {start.seed}")
    at_prompt(Session(start))


def go_on(folder: Path, session: Session, orders: Path | None, *, anyway: bool) -> None:
    """Send orders to the game in a folder, if there are any, after a look at them; print the last report.

    Raises:
        ConfigError: some of their lines will not count, and they are not to be sent anyway.
    """
    from pbem.errors import ConfigError
    from pbem.practice import folder as files

    if orders is not None:
        text = orders.read_text(encoding="utf-8", errors="replace")
        if not session.is_over:
            click.echo(session.check(text), err=True, nl=False)
            if session.faulty(text) and not anyway:
                raise ConfigError("nothing is sent; to send it as it is, add --anyway")
        files.send(folder, session, text)
    click.echo(files.report_path(folder, session))


def at_prompt(session: Session) -> None:
    """Let a person play a practice game at a prompt."""
    from pbem.practice.folder import play_at_prompt

    play_at_prompt(session, _read_line, lambda text: click.echo(text, nl=False))


@click.command()
@click.argument("report", required=False, metavar="REPORT", type=EXISTING_FILE)
@click.option("--as", "name", default="", help="The bot; without it the game's best.")
@click.option("--stdio", is_flag=True, help="Let another program play, by lines of JSON.")
@game_option("--game")
@click.option("--side", help="The side that the other program plays; without it, the last side.")
@click.option("--option", "options", multiple=True, metavar="NAME=VALUE", help="An option of the game.")
@click.option("--seed", help="A number for the dice; the same seed gives the same dice.")
def bot(
    report: Path | None,
    name: str,
    stdio: bool,
    game: str,
    side: str | None,
    options: tuple[str, ...],
    seed: str | None,
) -> None:
    """Let a bot, or another program, write the orders that a report asks for.

    REPORT is what `pbem receive --whole MAIL` prints. The bot can play for a player
    who is missing. It knows only that player's report. Look at the orders, then seal
    them like your own.

    With --stdio a program of yours writes the orders: it reads positions from this
    command and answers it, by lines of JSON (see programs.md). Without REPORT it
    plays a practice game against a bot.

    \b
    Examples:
      pbem tool bot report-0012.txt > orders.txt
      pbem seal orders.txt --out orders.age
      pbem tool bot --stdio --game lords --side red
    """
    if report is None and not stdio:
        raise click.UsageError("Name a REPORT; or, with --stdio, another program plays a practice game.")
    text = "" if report is None else report.read_text(encoding="utf-8", errors="replace")
    if not stdio:
        from pbem.practice.other_program import stand_in

        click.echo(stand_in(text, name), nl=False)
        return
    from pbem.practice.other_program import MAX_LINE_LENGTH, answer_report, play_game
    from pbem.practice.table import Session

    def read() -> bytes:
        return sys.stdin.buffer.readline(MAX_LINE_LENGTH)

    if report is not None:
        answer_report(text, read, click.echo)
    else:
        play_game(Session(_start(game, options, seed, side, name)), read, click.echo)


def _start(game: str, options: tuple[str, ...], seed: str | None, side: str | None, bot: str | None) -> Start:
    """Return how a practice game begins; by default, the player has the last side against the best bot."""
    from pbem.errors import ConfigError
    from pbem.practice.table import Start
    from pbem.rules.base import UnknownOption
    from pbem.titles import UnknownRules, load

    given = dict(split_pair(text, "--option") for text in options)
    try:
        title = load(game)
        sides = title.rules.sides(given)
    except (UnknownOption, UnknownRules) as unknown:
        raise ConfigError(str(unknown)) from None
    return Start(
        game=game,
        options=given,
        seed=seed or any_seed(),
        side=side or sides[-1],
        bot=bot or next(iter(title.bots)),
    )


def any_seed() -> str:
    """Return a seed that nobody has used."""
    from secrets import token_hex

    return token_hex(4)


def split_pair(text: str, option: str) -> tuple[str, str]:
    """Return the name and the value that an option gives as NAME=VALUE."""
    name, equals, value = text.partition("=")
    if not equals:
        raise click.UsageError(f"{option} reads NAME={'PLACE' if option == '--put' else 'VALUE'}.")
    return name.strip(), value.strip()


def _read_line(prompt: str) -> str | None:
    click.echo(prompt, nl=False, err=True)
    line = sys.stdin.readline()
    return line.rstrip("\n") if line else None


ME = "me"
"""The word that, in place of a bot's name, has the person play the other sides as well."""


@click.command()
@click.argument("game", metavar="GAME|BUNDLE")
@click.argument("folder", required=False, type=FOLDER)
@click.option("--against", help="A bot for the other sides, or 'me'; without it the game's best bot.")
@click.option(
    "--put",
    "placed",
    multiple=True,
    metavar="NAME=PLACE",
    help="Put a hidden block or card in a place; all others are drawn.",
)
@click.option("--hidden", is_flag=True, help="List what you do not see, and where each may be.")
@click.option("--as", "viewer", metavar="SIDE", help="In a bundle, the side whose reports you begin from.")
@click.option("--exchange", type=click.IntRange(min=1), help="Begin after this exchange, not the last one.")
@click.option("--step", type=click.IntRange(min=1), help="Begin at this step of that report's story.")
@click.option("--seed", help="A number for what is drawn and thrown; the same seed gives the same.")
@click.option(
    "--send",
    "orders",
    type=EXISTING_FILE,
    help="Give these orders to the try in FOLDER.",
)
@click.option("--anyway", is_flag=True, help="Give them, also if some of their lines will not count.")
@click.option("--again", is_flag=True, help="Throw the dice of the last exchange in FOLDER again.")
@click.option("--back", is_flag=True, help="Take back the orders that were given last in FOLDER.")
def attempt(
    game: str,
    folder: Path | None,
    against: str | None,
    placed: tuple[str, ...],
    hidden: bool,
    viewer: str | None,
    exchange: int | None,
    step: int | None,
    seed: str | None,
    orders: Path | None,
    anyway: bool,
    again: bool,
    back: bool,
) -> None:
    """Try a game out from where you stand in it. It is no part of the game.

    What you cannot see is drawn, or put where you say with --put. You order your own side; a bot orders the
    others, or you do with --against me. Nothing is signed, sealed or sent, and your game stays as it is.

    A bundle of a finished game, as the club's site has it, needs no home: say with --as which side you play.
    It is checked first. You begin from what that side knew then, and not from what was opened later.

    Without FOLDER you play at a prompt. With FOLDER the try is kept there. The first call begins it and
    writes the first report; fill in its form and give it back with --send.

    \b
    Examples:
      pbem try hearth
      pbem try hearth --hidden
      pbem try hearth what-if --put Edward=Lothian --against me
      pbem try hearth what-if --send orders.txt
      pbem try hearth what-if --again
      pbem try hearth --exchange 12 --step 4
      pbem try demo-game/bundle --as scotland --exchange 5 --step 2
    """
    from pbem.practice import folder as files
    from pbem.practice.sandbox import Sandbox, list_hidden

    if sum((orders is not None, again, back)) > 1:
        raise click.UsageError("Choose one of --send, --again and --back.")
    if anyway and orders is None:
        raise click.UsageError("--anyway belongs to --send.")
    if step is not None and exchange is None:
        raise click.UsageError("--step belongs to --exchange.")
    if folder is not None and files.is_begun(folder):
        sandbox = _sandbox_in(folder)
        if again:
            files.throw_again(folder, sandbox)
        if back:
            files.take_back(folder, sandbox)
        go_on(folder, sandbox, orders, anyway=anyway)
        return
    if orders is not None or again or back:
        raise click.UsageError("--send, --again and --back belong to a try that was begun in FOLDER.")
    view, origin = _where(game, viewer, exchange, step)
    if hidden:
        click.echo("\n".join(list_hidden(view)))
        return
    start = _start_attempt(view, origin, seed, against, placed)
    if folder is not None:
        click.echo(files.report_path(folder, files.begin(folder, start)))
        echo_remark(f"fill in its form, then: pbem try {game} {folder} --send FILE")
        return
    echo_remark(f"the seed of this try is {start.seed}")
    at_prompt(Sandbox(start))


def _sandbox_in(folder: Path) -> Sandbox:
    """Return the sandbox that was begun in a folder."""
    from pbem.errors import ConfigError
    from pbem.practice import folder as files
    from pbem.practice.sandbox import Sandbox

    session = files.resume(folder)
    if not isinstance(session, Sandbox):
        raise ConfigError(f"{folder} holds a practice game and no try; see pbem practice --help")
    return session


def _where(source: str, viewer: str | None, exchange: int | None, step: int | None) -> tuple[View, str]:
    """Return what a side saw of a game at a moment, and the moment in words."""
    from pbem.errors import ConfigError
    from pbem.player import Home
    from pbem.practice.sandbox import begin_at

    if is_bundle(source):
        game, reports = _reports_in(Path(source), viewer)
        return begin_at(game, sorted(reports), reports.get, exchange, step)
    if viewer is not None:
        raise ConfigError(OWN_EYES)
    folder = Home().folder(source)
    return begin_at(source, folder.reports(), folder.report, exchange, step)


def _reports_in(bundle: Path, side: str | None) -> tuple[str, dict[int, str]]:
    """Return the name of a bundle's game and a side's reports, by exchange, once the bundle is checked."""
    from pbem.audit.game import read_record
    from pbem.errors import ConfigError
    from pbem.orders.base import listed

    record = read_record(bundle)
    if (reader := side or record.reader) in (PUBLIC, ALL):
        sides = [player.side for player in record.genesis.players]
        raise ConfigError(f"say with --as whose eyes: {listed(sides, 'or')}")
    standing = {one.number for one in record.resolved_exchanges}
    reports = record.narrow_to(reader).reports.items()
    return record.genesis.game, {
        number: text for (number, of), text in reports if of == reader and number in standing
    }


def _start_attempt(
    view: View, origin: str, seed: str | None, against: str | None, placed: tuple[str, ...]
) -> SandboxStart:
    from pbem.practice.sandbox import start_from
    from pbem.practice.table import PERSON

    return start_from(
        view,
        origin,
        seed=seed or any_seed(),
        against=PERSON if against == ME else against or "",
        placed=[split_pair(text, "--put") for text in placed],
    )
