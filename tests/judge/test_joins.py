"""For whom a join is meant: a club takes its own, and those that name no judge."""

from __future__ import annotations

from pathlib import Path

import pytest

from pbem.errors import ConfigError
from pbem.judge.club import create_club
from pbem.judge.newgame import new_game
from pbem.trust import keys
from pbem.trust.chains import make_chain
from pbem.trust.joins import Join
from tests.judge.table import SEATS, join_of


def test_a_club_refuses_a_join_that_is_meant_for_another_judge(tmp_path: Path) -> None:
    club = create_club(tmp_path / "club", "test")
    other = keys.generate("another judge").public.fingerprint
    own = club.key.public.fingerprint

    def seats(judge: str | None) -> dict[str, str | Join]:
        found: dict[str, str | Join] = {}
        for name, side in SEATS.items():
            anchor = make_chain("dunbar", f"{name}.1", name.encode().ljust(32)).anchor
            found[side] = join_of("dunbar", name, players[name], anchor, judge=judge)
        return found

    players = {name: keys.generate(name) for name in SEATS}
    for name, key in players.items():
        club.add_player(name, key.public)
    with pytest.raises(ConfigError, match="has joined dunbar of another judge, SHA256:"):
        new_game(club, "dunbar", "hammer", {"scenario": "braveheart"}, seats(other))
    assert club.store.games() == []
    new_game(club, "dunbar", "hammer", {"scenario": "braveheart"}, seats(own))
    assert club.store.games() == ["dunbar"]
