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
def demo(into: Path) -> None:
    """Play a year of a demonstration game by signed, sealed files.

    \b
    Example:
      pbem demo --into demo-game
    """
    from pbem.bots.hammer import Recruit
    from pbem.demo import Actor, demonstrate

    def actors(folder: Path) -> tuple[Actor, ...]:
        return (
            Actor("alice", "scotland", folder / "alice", Recruit("scotland")),
            Actor("bob", "england", folder / "bob", Recruit("england")),
        )

    demonstrate(into, actors, click.echo)
