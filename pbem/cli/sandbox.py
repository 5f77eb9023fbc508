"""The command `pbem try`: a game of this home or in a bundle, tried out from what one side knows."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from pbem.cli.show import ALL, OWN_EYES, PUBLIC, is_bundle

if TYPE_CHECKING:
    from pbem.practice.sandbox import Sandbox, SandboxStart
    from pbem.rules.base import View

ME = "me"
"""The word for the person as the player of the other sides."""


@click.command()
@click.argument("game", metavar="GAME|BUNDLE")
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
@click.option("--as", "viewer", metavar="SIDE", help="In a bundle, the side whose reports you begin from.")
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
    view, origin = _where(game, viewer, exchange, step)
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
    from pbem.audit.bundle_record import read_record
    from pbem.errors import ConfigError
    from pbem.orders.faults import listed

    record = read_record(bundle)
    if (reader := side or record.reader) in (PUBLIC, ALL):
        sides = [player.side for player in record.genesis.players]
        raise ConfigError(f"say with --as whose eyes: {listed(sides, 'or')}")
    standing = {one.number for one in record.resolved_exchanges}
    reports = record.narrow_to(reader).reports.items()
    return record.genesis.game, {
        number: text for (number, of), text in reports if of == reader and number in standing
    }


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
