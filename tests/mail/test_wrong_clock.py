"""A clock that was years ahead and is right again: what was reckoned by it holds up nothing and nobody."""

from __future__ import annotations

from datetime import timedelta

import pytest

from pbem.judge.deadlines import looks
from pbem.judge.intake import apart
from pbem.trust.times import is_over
from tests.judge.table import GAME, START
from tests.mail.postal import Postal
from tests.mail.test_looks import away, opened

YEARS = 1_000


def ahead(postal: Postal) -> None:
    """One pass is made by a clock that is years ahead; then it is set right."""
    postal.after(YEARS)
    postal.table.clock.pass_days(-YEARS)


def test_a_letter_that_was_put_off_leaves_when_the_clock_is_right(postal: Postal) -> None:
    postal.run()
    postal.send(postal.table.sealed("alice"))
    postal.post.refusal = "451 try again later"
    ahead(postal)
    postal.post.refusal = ""
    postal.run()
    assert postal.table.club.store.unsent() == []


def test_a_look_by_a_wrong_clock_ends_no_exchange(postal: Postal) -> None:
    """The mailbox is away since, with orders in it that came in time."""
    postal.run()
    ahead(postal)
    postal.send(postal.table.sealed("alice"))
    aside = away(postal)
    for _ in range(9):
        postal.after(1)
    assert opened(postal) == 1
    aside.rename(aside.with_name("judge"))
    postal.run()
    exchange = postal.table.club.book(GAME).history.exchanges[0]
    assert {one.player for one in exchange.received} == {"alice"}
    assert opened(postal) == 2


def test_what_was_set_apart_is_tried_when_the_clock_is_right(postal: Postal) -> None:
    club = postal.table.club
    postal.table.clock.pass_days(YEARS)
    apart.set_apart(club, apart.GAME, GAME, "it is broken")
    assert apart.is_paused(club, apart.GAME, GAME)
    postal.table.clock.pass_days(-YEARS)
    assert not apart.is_paused(club, apart.GAME, GAME)


def test_a_player_who_was_put_off_by_a_wrong_clock_holds_the_game_up_for_three_days(postal: Postal) -> None:
    postal.run()
    club, clock = postal.table.club, postal.table.clock
    letter = club.store.first_copies(GAME, "bob")[0]
    with club.store.step():
        club.store.put_note(f"{looks.PUT_OFF}{GAME} bob", "2030-01-01T00:00:00Z")
        club.store.connection.execute(
            "UPDATE letter SET sent = '', trouble = '451' WHERE id = ?", (letter.id,)
        )
    assert looks.told_to(club, GAME, "bob")
    clock.now += looks.PATIENCE
    assert looks.told_to(club, GAME, "bob") == ""


@pytest.mark.parametrize(
    ("until", "over"), [(0, True), (1, False), (60, False), (61, True)], ids=("now", "soon", "last", "beyond")
)
def test_a_pause_is_over_when_it_ends_or_lies_too_far_ahead(until: int, over: bool) -> None:
    moment = START + timedelta(minutes=until)
    assert is_over(moment, START, timedelta(hours=1)) is over
