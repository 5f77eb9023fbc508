"""The page's Python reads and plays as every other: orders, and recorded games to the last byte."""

from pathlib import Path

import pytest

from tests.golden.test_recorded_games import GAMES, TOLD
from tests.orders.test_every_sign import KEPT
from tests.web.node import python_of

EVERY_SIGN = """
from tests.orders.every_sign import every_sign
found = "\\n".join(every_sign())
"""
AUDIT = """
from pathlib import Path
from pbem.audit import audit
folder = Path("/project/games") / given
audited = audit(folder / "bundle.tar.gz", (folder / "genesis").read_text().strip(), folder / "held")
found = "\\n".join((*map(str, audited.rows), audited.shown))
"""


@pytest.mark.ci
def test_every_character_is_read_alike_in_the_page(site: Path) -> None:
    assert f"{python_of(site, EVERY_SIGN)}\n" == KEPT.read_text(encoding="ascii")


@pytest.mark.ci
@pytest.mark.parametrize("game", [path.name for path in GAMES])
def test_a_recorded_game_is_played_again_in_the_page(site: Path, game: str) -> None:
    assert f"{python_of(site, AUDIT, game)}\n" == (TOLD / f"{game}.txt").read_text(encoding="utf-8")
