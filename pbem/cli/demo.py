"""The demonstration."""

from __future__ import annotations

from pathlib import Path

import click


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
def demo(into: Path, hostile: bool) -> None:
    """Play a year of a demonstration game by signed, sealed files.

    \b
    Example:
      pbem demo --into demo-game
      pbem demo --hostile
    """
    from pbem.demo import GAME_RULES, Actor, demonstrate
    from pbem.titles import load

    title = load(GAME_RULES)
    bots, (home, away) = title.bots, title.rules.sides({})

    def actors(folder: Path) -> tuple[Actor, ...]:
        return (
            Actor("alice", away, folder / "alice", bots["captain"](away)),
            Actor("bob", home, folder / "bob", bots["captain"](home)),
        )

    demonstrate(into, actors, click.echo, hostile=hostile)
