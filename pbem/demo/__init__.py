"""A demonstration: a club, a judge, players, and a game by signed, sealed files.

Every step is a command of this program, run as its users run it: the judge works in the club's folder,
each player in their own home, and between them go nothing but files. Afterwards everything is left in
place for inspection:

    club/  alice/  bob/     the judge's folder and the players' homes
    orders/                 what the players wrote, as text, before it was signed and sealed
    reports/                each side's reports, as the players opened them
    bundle/                 everything of the game, to be checked with `pbem audit`
    genesis                 the first head, as the players were told it
    hostile/                what was handed in against the judge, if that was asked for
    held/                   receipts and checkpoints, as the players kept them
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from pbem.demo.stage import Demo, DemoFault, Echo, Hostile, seat
from pbem.titles import Title


def demonstrate(
    folder: Path,
    echo: Echo,
    *,
    title: Title,
    options: Mapping[str, str] | None = None,
    hostile: bool = False,
) -> None:
    """Play the demonstration into an empty or new folder.

    `hostile` says that the first player and a stranger try to make the judge look guilty; the player gives up
    at last.

    Raises:
        DemoFault: the folder is not empty, or a command failed.
    """
    chosen = {**(title.excerpt or {}), **(options or {})}
    actors = seat(title, folder.resolve(), chosen)
    if hostile and len(actors) != 2:
        raise DemoFault("the hostile demonstration is one of a game for two")
    if folder.exists() and any(folder.iterdir()):
        raise DemoFault(f"{folder} is not empty; name a new folder")
    folder.mkdir(parents=True, exist_ok=True)
    demo = Demo(folder.resolve(), actors, echo, whole=title.excerpt is None)
    demo.set_up(chosen, title.name)
    enemies = Hostile(demo.actors[0], demo.actors[1]) if hostile else None
    demo.disturb = enemies.disturb if enemies else None
    demo.play(to_the_end=demo.whole)
    if enemies is not None:
        enemies.give_up(demo)
        for actor in demo.actors:
            demo.open_letters(actor)
    demo.finish()
    if enemies is not None:
        enemies.tell(demo)
