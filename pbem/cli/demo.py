"""The demonstration."""

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
    help="A new folder for everything that the demonstration leaves behind.",
)
@click.option(
    "--hostile", is_flag=True, help="With a player and a stranger who try to make the judge look guilty."
)
@game_option("--game", "name")
@click.option("--players", type=int, help="How many play, if the game leaves that open.")
def demo(into: Path, hostile: bool, name: str, players: int | None) -> None:
    """Play a demonstration game by signed, sealed files.

    Of a long game it is the first year, which takes some seconds; of others the whole, which takes a minute.
    What is written lies in the folder of --into, and nowhere else.

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
