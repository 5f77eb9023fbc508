"""Installs the game that the guide builds, as `pbem new-game` writes it and as pip would install it."""

from __future__ import annotations

import atexit
import os
import sys
from functools import cache
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp

from tests.running import python


@cache
def install_games() -> Path:
    """A folder with the game twice, on the path of this process and of those that it starts.

    The second has all that lies beyond the skeleton, and a name of its own.
    """
    from pbem.guides import own_name, skeleton, write_game

    site = Path(mkdtemp(prefix="pbem-games-"))
    atexit.register(rmtree, site, ignore_errors=True)
    for name, whole in ((own_name(), False), (f"{own_name()}_whole", True)):
        project = site / "projects" / name
        write_game(project, skeleton(name, whole=whole))
        wheel_to(project, site)
    sys.path.append(str(site))
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, (os.environ.get("PYTHONPATH"), str(site))))
    return site


def wheel_to(project: Path, site: Path) -> None:
    """Build a game's wheel and unpack it, which is how a pure wheel is installed."""
    from zipfile import ZipFile

    python("-m", "hatchling", "build", "-t", "wheel", "-d", site / "wheels", cwd=project)
    for wheel in (site / "wheels").glob(f"{project.name}-*.whl"):
        ZipFile(wheel).extractall(site)
