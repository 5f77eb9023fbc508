"""The command `pbem try`: a game of this home, tried out from where its player stands."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from pbem.practice.sandbox import Sandbox, SandboxStart
    from pbem.rules.base import View

ME = "me"
"""The word for the person as the player of the other sides."""


@click.command()
@click.argument("game")
@click.argument("folder", required=False, type=click.Path(path_type=Path, file_okay=False))
@click.option("--against", help="A bot for the other sides, or 'me'; without it the game's best bot.")
@click.option(
    "--put",
    "placed",
    multiple=True,
    metavar="NAME=PLACE",
    help="Put a hidden block or card in a place; all others are drawn.",
)
@click.option("--hidden", is_flag=True, help="List what you do not see, and where each may be.")
@click.option("--exchange", type=click.IntRange(min=1), help="Begin after this exchange, not the last one.")
@click.option("--step", type=click.IntRange(min=1), help="Begin at this step of that report's story.")
@click.option("--seed", help="A number for what is drawn and thrown; the same seed gives the same.")
@click.option(
    "--send",
    "orders",
    type=click.Path(path_type=Path, dir_okay=False, exists=True),
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
    """
    from pbem.cli.practice import at_prompt, go_on
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
    view, origin = _where(game, exchange, step)
    if hidden:
        click.echo("\n".join(list_hidden(view)))
        return
    start = _start(view, origin, seed, against, placed)
    if folder is not None:
        click.echo(files.report_path(folder, files.begin(folder, start)))
        click.echo(f"pbem: fill in its form, then: pbem try {game} {folder} --send FILE", err=True)
        return
    click.echo(f"pbem: the seed of this try is {start.seed}", err=True)
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


def _where(game: str, exchange: int | None, step: int | None) -> tuple[View, str]:
    """Return what the player saw of a game at a moment, and the moment in words."""
    from pbem.player import Home
    from pbem.practice.sandbox import begin_at

    folder = Home().folder(game)
    return begin_at(game, folder.reports(), folder.report, exchange, step)


def _start(
    view: View, origin: str, seed: str | None, against: str | None, placed: tuple[str, ...]
) -> SandboxStart:
    from pbem.cli.practice import any_seed, split_pair
    from pbem.practice.sandbox import start_from
    from pbem.practice.session import PERSON

    return start_from(
        view,
        origin,
        seed=seed or any_seed(),
        against=PERSON if against == ME else against or "",
        placed=[split_pair(text, "--put") for text in placed],
    )
