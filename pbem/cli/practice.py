"""The commands `pbem practice` and `pbem bot`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pbem.cli.game_option import game_option

if TYPE_CHECKING:
    from pbem.practice.session import Session, Start


@click.command()
@click.argument("folder", required=False, type=click.Path(path_type=Path, file_okay=False))
@click.option("--side", help="The side that you play; without it, the last side of the game.")
@click.option("--against", "bot", help="The bot that you play against; without it the game's best.")
@click.option("--option", "options", multiple=True, metavar="NAME=VALUE", help="An option of the game.")
@click.option("--seed", help="A number for the dice; the same seed gives the same dice.")
@game_option("--game")
@click.option(
    "--send",
    "orders",
    type=click.Path(path_type=Path, dir_okay=False, exists=True),
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
    from pbem.practice.session import Session

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
        click.echo(f"pbem: fill in its form, then: pbem practice {folder} --send FILE", err=True)
        return
    click.echo(f"pbem: the seed of this game is {start.seed}", err=True)
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
    """Let a person play at a prompt."""
    from pbem.practice.prompt import play_at_prompt

    play_at_prompt(session, _read_line, lambda text: click.echo(text, nl=False))


@click.command()
@click.argument(
    "report", required=False, metavar="REPORT", type=click.Path(path_type=Path, dir_okay=False, exists=True)
)
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
        from pbem.practice.stand_in import stand_in

        click.echo(stand_in(text, name), nl=False)
        return
    from pbem.practice.other_program import MAX_LINE_LENGTH, answer_report, play_game
    from pbem.practice.session import Session

    def read() -> bytes:
        return sys.stdin.buffer.readline(MAX_LINE_LENGTH)

    if report is not None:
        answer_report(text, read, click.echo)
    else:
        play_game(Session(_start(game, options, seed, side, name)), read, click.echo)


def _start(game: str, options: tuple[str, ...], seed: str | None, side: str | None, bot: str | None) -> Start:
    """Return how a practice game begins; by default, the player has the last side against the best bot."""
    from pbem.errors import ConfigError
    from pbem.practice.session import Start
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
