"""The same options, chance and answers give the same bytes, whatever Python's hashes are."""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path

import pytest

from pbem import rules
from pbem.rules.base import Game
from tests.hammer.play import GAMES as PLAYED
from tests.hammer.play import option_mix
from tests.properties.card_play import play_a_game, random_record, said_by
from tests.properties.random_play import Options
from tests.running import python
from tests.tools import replay_failure

pytestmark = pytest.mark.ci


GAMES: list[tuple[str, Options]] = [
    ("lords", {"players": 3}),
    ("lords", {"players": 5, "use_bruce": True}),
    ("first-war", {}),
]
BOARD = [("hammer", option_mix(scenario, edition, 7)) for scenario, edition in PLAYED[::4]]
ALWAYS = frozenset({"event", "strategy", "victory"})
"""Kinds that First War asks even if one answer alone is legal."""


@pytest.mark.parametrize(("name", "options"), [*GAMES, *BOARD])
def test_a_replay_says_the_same_bytes(name: str, options: dict[str, object], tmp_path: Path) -> None:
    record = random_record(rules.load(name), options, 7)
    here = sha256(said_by(rules.load(name), record).encode()).hexdigest()
    path = tmp_path / "game.json"
    path.write_text(json.dumps(record), encoding="utf-8")
    code = (
        "import json, sys; from hashlib import sha256; from pbem import rules; "
        "from tests.properties.card_play import said_by; "
        "record = json.load(open(sys.argv[2], encoding='utf-8')); "
        "print(sha256(said_by(rules.load(sys.argv[1]), record).encode()).hexdigest())"
    )
    project = Path(__file__).parents[2]
    for hash_seed in ("0", "1"):
        finished = python("-c", code, name, path, cwd=project, PYTHONHASHSEED=hash_seed)
        assert finished.stdout.strip() == here
    other = {**record, "seed": 8, "answers": []}
    assert said_by(rules.load(name), other) != said_by(rules.load(name), {**record, "answers": []})


class Grumbler:
    """A referee who takes offence at the tenth answer."""

    def __init__(self, _game: Game) -> None:
        self.seen = 0

    def check(self) -> None:
        self.seen += 1
        assert self.seen < 10, "too many answers"


@pytest.mark.parametrize(("name", "options"), GAMES)
def test_what_failed_fails_again(name: str, options: Options, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(AssertionError, match="too many answers") as failed:
        play_a_game(rules.load(name), options, 3, Grumbler, ALWAYS)
    path = "\n".join(failed.value.__notes__).rpartition(" ")[2]
    with pytest.raises(AssertionError, match="too many answers"):
        replay_failure.main(path)
    assert "   10 " in capsys.readouterr().out
    Path(path).unlink()
