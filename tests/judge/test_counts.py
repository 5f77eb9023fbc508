"""How much work a pass does, in counts: what it has read and played, it does not read and play again."""

from __future__ import annotations

from collections import Counter
from contextlib import suppress

import pytest

from pbem.judge import adjudication, book, saved_places
from pbem.judge.adjudication import run_game
from pbem.judge.game_status import status_line
from pbem.judge.intake import desk
from pbem.judge.letters.order_explanations import send_forecasts
from pbem.play.adjudicate import Adjudicator
from pbem.play.resolve import Play, Seen
from pbem.reports.base import Context
from pbem.rules.base import Event
from pbem.trust.times import utc_text
from tests.judge.table import GAME, Table

STANDING = "card 1\nmove none\ndoctrine:\nfire\nhits rest\nforced retreat all\nregroup none\nend\n"


def counted(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """Counts every exchange that is resolved and every ledger that is read."""
    counts: Counter[str] = Counter()
    resolve, load = Adjudicator.resolve, book.load_book

    def resolving(*given: object, **more: object) -> object:
        counts["resolved"] += 1
        return resolve(*given, **more)  # type: ignore[arg-type]

    def loading(*given: object) -> object:
        counts["read"] += 1
        return load(*given)  # type: ignore[arg-type]

    monkeypatch.setattr(Adjudicator, "resolve", resolving)
    monkeypatch.setattr(book, "load_book", loading)
    return counts


@pytest.mark.ci
def test_a_pass_reads_and_plays_a_game_once(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two files come, of players who have orders on file: receipts, forecasts, then the exchange.

    No past exchange is played: the game is taken from its saved place.
    """
    table.go()
    table.go(3, STANDING)
    past = len(table.book.history.resolved)
    sealed = [table.sealed(name, "", rev=1) for name in table.people]
    table.reopen()
    monkeypatch.setattr(saved_places, "SAMPLE", 1 << 300)  # no load is one of those that are compared
    counts = counted(monkeypatch)
    for one in sealed:
        desk.submit(table.club, one)
    list(send_forecasts(table.club))
    while run_game(table.club, GAME):
        pass
    assert len(table.book.history.resolved) > past
    assert counts == {"read": 1, "resolved": len(table.book.history.resolved) - past}


def test_where_a_game_stands_is_read_and_not_played(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    """The last report to the public says it; what it says is what a replay of the whole game gives."""
    waiting = status_line(table.club, GAME)
    assert "waiting for the ready of alice, bob" in waiting
    table.go(3)
    table.send("alice")
    played = adjudication.replay(table.club, GAME)
    setting, exchange = played.adjudicator.setting, played.book.history.current
    assert exchange is not None
    assert exchange.deadline is not None
    context = Context(
        game=GAME,
        title=setting.rules.title,
        seats=setting.seats,
        open=exchange.number,
        deadline=utc_text(exchange.deadline),
        waiting=("bob",),
    )
    stands = setting.style.status(played.adjudicator.play.game.view("public"), context)
    table.reopen()
    counts = counted(monkeypatch)
    assert status_line(table.club, GAME) == stands
    assert counts == {"read": 1}


def test_a_game_that_is_kept_stands_where_a_replay_brings_it(table: Table) -> None:
    table.go(3)
    kept = adjudication.replay(table.club, GAME)
    table.reopen()
    fresh = adjudication.replay(table.club, GAME)
    assert kept.adjudicator is not fresh.adjudicator
    for audience in (*fresh.adjudicator.setting.sides, "public", "gm"):
        assert kept.adjudicator.play.game.view(audience) == fresh.adjudicator.play.game.view(audience)
    assert kept.last is not None
    assert fresh.last is not None
    assert kept.last.outcome == fresh.last.outcome


def test_what_a_transaction_undid_is_not_kept(table: Table) -> None:
    """A failure after everything was appended, before it was committed: ledger and game are read anew."""
    table.go(2)
    for name in table.people:
        table.send(name)
    size = table.book.size
    with suppress(RuntimeError), table.club.store.step():
        assert run_game(table.club, GAME)
        raise RuntimeError
    assert table.book.size == size
    assert run_game(table.club, GAME)
    assert table.book.size > size
    table.reopen()
    adjudication.replay(table.club, GAME)


def test_a_replay_looks_at_the_last_two_exchanges_alone(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is seen before them is in reports that were sent long ago."""
    table.go(5)
    table.reopen()
    looks, look = Counter[str](), Play._look

    def looking(play: Play, audience: str, told: tuple[Event, ...]) -> Seen:
        looks[audience] += 1
        return look(play, audience, told)

    monkeypatch.setattr(Play, "_look", looking)
    played = adjudication.replay(table.club, GAME)
    assert len(table.book.history.resolved) > 2
    assert looks == dict.fromkeys((*played.adjudicator.setting.sides, "public", "gm"), 2)
