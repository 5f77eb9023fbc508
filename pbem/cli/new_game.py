"""The command `pbem new-game`."""

from __future__ import annotations

from pathlib import Path

import click


@click.command(name="new-game")
@click.argument("name")
@click.argument("folder", required=False, type=click.Path(path_type=Path))
def new_game(name: str, folder: Path | None) -> None:
    """Write the files with which a game of your own begins.

    They are a small game, ready to play, with its tests; `pbem guide writing-a-game` explains them. NAME is
    the name of the game and of its package. FOLDER must be new; without it the folder is called NAME.

    \b
    Example:
      pbem tool new-game tarn
    """
    from shlex import quote

    from pbem.skeleton import begin_game

    into = folder or Path(name)
    for path in begin_game(into, name):
        click.echo(into / path)
    click.echo(
        f"\nTo try it:\n  cd {quote(str(into))}\n  pip install -e . pytest\n  pytest --pbem-title {name}"
    )
    click.echo(f"  pbem practice --game {name}\nWhat each file is for:\n  pbem guide writing-a-game")
