"""Players of a league's game agree on more time if its file allows it, up to their round's last date."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest

from pbem.errors import ConfigError
from pbem.judge.deadlines.rhythm import rhythm_of
from pbem.judge.intake.consents import take_consent
from pbem.leagues.config import read_file, rhythm_in
from pbem.leagues.rules_in_words import in_words
from pbem.trust.act_entries import Consent, sign_consent
from pbem.trust.times import utc_text
from tests.leagues.world import Entered, World, file_of

DAY = timedelta(days=1)
ALLOWED = "[rhythm]\nagreed_days = 5\n"


def sign(world: World, game: str, player: str, time: datetime) -> str:
    """A player signs that the open exchange may end then; what was done."""
    book = world.club.book(game)
    said = Consent(
        game=game,
        genesis=str(book.head_at(1)),
        seen=(book.size, book.head),
        exchange=len(book.history.exchanges),
        by=player,
        to=f"extend {utc_text(time)}",
    )
    with world.club.store.step():
        return take_consent(world.club, sign_consent(said, world.key(player))).done


def begun(entered: Entered, more: str) -> tuple[World, str, datetime]:
    """A league whose rounds last ten days and the game of its first pairing, with the deadline there."""
    world = entered(file_of("swiss", rounds="days = 10", more=more))
    world.enter("ann", "ben")
    world.after(31)
    world.seat()
    (pair,) = world.open_pairs()
    exchange = world.club.book(pair.game).history.current
    assert exchange is not None
    assert exchange.deadline is not None
    return world, pair.game, exchange.deadline


def test_no_agreed_deadline_is_after_the_last_date_of_its_round(entered: Entered) -> None:
    world, game, deadline = begun(entered, ALLOWED)
    last = world.book.season.rounds[-1].last_date
    assert deadline + DAY < last < deadline + 5 * DAY
    with pytest.raises(ConfigError, match=f"a later time up to {utc_text(last)}, not on"):
        sign(world, game, "ann", last + timedelta(seconds=1))
    assert sign(world, game, "ann", last) == ""
    assert f"ends {utc_text(last)}" in sign(world, game, "ben", last)


def test_a_league_says_whether_its_players_may_agree(entered: Entered) -> None:
    world, game, deadline = begun(entered, "")
    with pytest.raises(ConfigError, match="do not agree on deadlines"):
        sign(world, game, "ann", deadline + DAY)
    data = file_of("swiss", more=ALLOWED)
    assert rhythm_of({"rhythm": {"x": rhythm_in(data)}}, "x").agreed_days == 5
    told = " ".join(text for _, text in in_words(read_file(data)))
    assert "all who play may agree on up to 5 days more" in told
