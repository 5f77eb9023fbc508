"""The same options, chance and answers give the same bytes, whatever Python's hashes are."""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from tests.hammer.phases import random_game
from tests.hammer.play import GAMES, Play, option_mix
from tests.properties.random_play import canonical
from tests.running import python

pytestmark = pytest.mark.ci


VIEWERS = ("england", "scotland", "public", "gm")


def everything_said(record: dict[str, Any]) -> str:
    """A digest of all views and Asks after every answer, and of all that was told."""
    play = Play(record["options"], record["seed"])
    digest = sha256()
    for side, text in record["answers"]:
        for ask in play.game.asks:
            digest.update(canonical([ask.side, ask.kind, ask.public, ask.default, ask.legal]).encode())
        play.answer(side, text)
        digest.update(canonical([play.game.view(viewer) for viewer in VIEWERS]).encode())
    digest.update(canonical([play.game.told(viewer) for viewer in VIEWERS]).encode())
    digest.update(canonical(list(play.chance.results.items())).encode())
    return digest.hexdigest()


@pytest.fixture(scope="module")
def games(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A random game of each scenario, as files hold it."""
    records = [
        random_game(option_mix(scenario, edition, 7), 7)[0].record() for scenario, edition in GAMES[::4]
    ]
    path = tmp_path_factory.mktemp("replay") / "games.json"
    path.write_text(json.dumps(records), encoding="utf-8")
    return path


def replayed_by(games: Path, hash_seed: str) -> list[str]:
    """What another Python, with other hashes, says of these games."""
    code = (
        "import json, sys; from tests.hammer.test_replay import everything_said; "
        "[print(everything_said(record)) for record in json.load(open(sys.argv[1], encoding='utf-8'))]"
    )
    finished = python("-c", code, str(games), cwd=Path(__file__).parents[2], PYTHONHASHSEED=hash_seed)
    return finished.stdout.split()


def test_a_replay_says_the_same_bytes(games: Path) -> None:
    here = [everything_said(record) for record in json.loads(games.read_text(encoding="utf-8"))]
    for hash_seed in ("0", "1", "random"):
        assert replayed_by(games, hash_seed) == here


def test_another_answer_says_other_bytes(games: Path) -> None:
    record = json.loads(games.read_text(encoding="utf-8"))[0]
    assert everything_said({**record, "seed": 8, "answers": []}) != everything_said({**record, "answers": []})
