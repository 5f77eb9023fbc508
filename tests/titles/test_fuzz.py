"""Random orders, good and garbled, at a table of every game: nothing breaks, nothing is left standing."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from pbem.orders.base import Answer
from pbem.practice.table import Table
from pbem.reports.base import WIDTH
from pbem.reports.packing import unpack_view
from pbem.titles import Title
from tests.titles.games import playable, random_game

EXCHANGES = 25
OF_EACH_KIND = 8
NOISE = ("", "> ", "  ", "* ")


def orders(table: Table, title: Title, side: str, dice: random.Random) -> str | None:
    """What a careless player sends: nothing, answers, some of them spoilt, or the form as it came."""
    if dice.random() < 0.1:
        return None
    asks = table.asks(side)
    if dice.random() < 0.1:
        return title.language.form(table.view(side), asks)
    lines = title.bots["random"](side).write(table.view(side), asks).splitlines()
    lines += [dice.choice(ask.legal) for ask in asks]
    return "\n".join(spoilt(line, dice) for line in lines)


def spoilt(line: str, dice: random.Random) -> str:
    """A line as it may come out of a mail program, or of a hurry."""
    line = dice.choice(NOISE) + line
    if line and dice.random() < 0.2:
        place = dice.randrange(len(line))
        line = line[:place] + dice.choice(("", "x", "\u2019", "\u00e9", ";")) + line[place + 1 :]
    return line


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("title", playable(), ids=lambda title: str(title.name))
def test_careless_players(title: Title, seed: int) -> None:
    table, dice = Table(title.name, {}, seed), random.Random(f"{title.name} {seed}")
    language = title.language
    for _ in range(EXCHANGES):
        if table.outcome is not None:
            break
        texts = {side: orders(table, title, side, dice) for side in table.sides}
        for side, text in texts.items():
            parsed = language.parse(text or "", side)
            language.check(parsed.orders, table.view(side))
            written = language.write(parsed.orders)
            again = language.parse(written, side)
            assert language.write(again.orders) == written
            language.say(parsed.orders)
        table.exchange(texts)
        for side in (*table.sides, "public"):
            report = table.report(side, form=side != "public")
            assert report.isascii()
            assert [line for line in report.split("\n") if len(line) > WIDTH] == []
            assert unpack_view(report) == table.view(side)


@pytest.mark.parametrize("title", playable(), ids=lambda title: str(title.name))
def test_a_form_that_is_sent_back_as_it_came_is_no_fault(title: Title) -> None:
    table = Table(title.name, {}, 1)
    for side in table.sides:
        form = title.language.form(table.view(side), table.asks(side))
        faults = title.language.parse(form, side).faults
        assert not [fault for fault in faults if not fault.remark]


@pytest.mark.parametrize("title", playable(), ids=lambda title: str(title.name))
def test_every_answer_may_be_written_as_a_form_shows_it(title: Title) -> None:
    language, dice, tried = title.language, random.Random(title.name), Counter[str]()
    for game in random_game(title.rules, 5):
        for ask in (ask for ask in game.asks if ask.public and tried[ask.kind] < OF_EACH_KIND):
            tried[ask.kind] += 1
            answer, view = dice.choice(ask.legal), game.view(ask.side)
            parsed = language.parse(language.spoken(ask, answer), ask.side)
            assert not [fault for fault in parsed.faults if not fault.remark]
            follower = language.follower(ask.side)
            follower.receive(parsed.orders, view)
            reply = follower.reply(ask, view)
            assert isinstance(reply, Answer)
            assert reply.text == answer
    assert tried


@pytest.mark.parametrize("title", playable(), ids=lambda title: str(title.name))
def test_every_part_of_a_title_is_there(title: Title) -> None:
    rules = title.rules
    assert set(rules.stops) <= set(title.words.stops)
    assert {kind for kinds in rules.stops.values() for kind in kinds} <= set(title.words.questions)
    assert set(rules.sides({})) <= set(title.words.sides)
    assert "random" in title.bots
    assert title.rulings == tuple(dict.fromkeys(title.rulings))
