"""The command `pbem demo`."""

from __future__ import annotations

from pathlib import Path

import click

from pbem.cli.game_option import game_option


@click.command()
@click.option(
    "--into",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path("pbem-demo"),
    show_default=True,
    help="A new folder for all files of the demonstration.",
)
@click.option(
    "--hostile",
    is_flag=True,
    help="With a player and a stranger who try to make it look as if the judge cheats.",
)
@game_option("--game", "name")
@click.option("--players", type=int, help="How many play, if the game has several numbers of players.")
def demo(into: Path, hostile: bool, name: str, players: int | None) -> None:
    """Play a demonstration game by signed, sealed files.

    It plays the first year of a long game, which takes some seconds. It plays other games to their end, which
    takes a minute. All its files are in the folder of --into.

    \b
    Example:
      pbem demo --into demo-game
      pbem demo --game lords --players 4
      pbem demo --hostile
    """
    from pbem.demo import demonstrate
    from pbem.rules.base import UnknownOption
    from pbem.titles import UnknownRules, load

    options = {"players": str(players)} if players is not None else {}
    try:
        demonstrate(into, click.echo, title=load(name), options=options, hostile=hostile)
    except (UnknownRules, UnknownOption) as fault:
        raise click.UsageError(str(fault)) from None
