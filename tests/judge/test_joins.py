"""For whom a join is meant: a club takes its own, and those that name no judge."""

from __future__ import annotations

import pytest

from pbem.errors import ConfigError
from pbem.judge.newgame import new_game
from pbem.trust import keys
from tests.judge.table import GAME, TITLE, Table, join_of


def test_a_club_refuses_a_join_that_is_meant_for_another_judge(table: Table) -> None:
    def opened(judge: str) -> list[str]:
        joins = {
            person.side: join_of("dunbar", person.name, person.key, person.chain.anchor, judge=judge)
            for person in table.people.values()
        }
        new_game(table.club, "dunbar", TITLE.name, TITLE.excerpt or {}, joins)
        return table.club.store.games()

    with pytest.raises(ConfigError, match="has joined dunbar of another judge, SHA256:"):
        opened(keys.generate("another judge").public.fingerprint)
    assert table.club.store.games() == [GAME]
    assert opened(table.club.key.public.fingerprint) == [GAME, "dunbar"]
