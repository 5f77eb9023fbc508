"""What every bot writes is understood; the chief and the marshal beat random players from every seat."""

from __future__ import annotations

import random
from typing import Any

import pytest

from pbem.bots import Bot
from pbem.orders.base import Answer
from pbem.practice.table import SeededChance, Table
from pbem.rules import Ask, Game
from pbem.titles import Title, load
from tests.bots.matches import best_of, best_wins, seats
from tests.properties.random_play import Options

pytestmark = pytest.mark.ci


NAMES = ("lords", "first-war")
SEATS = [(name, options, side) for name in NAMES for _, options, side in seats(name)]


def wins_asked(name: str, options: Options, side: str, seed: int) -> bool:
    """Does the best bot on `side` win, asked question by question, against players who answer at random?"""
    title = load(name)
    bot, dice = best_of(title)(side), random.Random(f"{name} {side} {seed}")
    game = title.rules.start(options, SeededChance(seed))
    while game.outcome is None:
        ask = game.asks[0]
        answer = written(bot, title, game, ask) if ask.side == side else dice.choice(ask.legal)
        game.answer(ask.side, answer)
    return game.outcome.winner == side


def written(bot: Bot, title: Title, game: Game, ask: Ask) -> str:
    """What the bot's file answers to a question, else its default."""
    view, follower = game.view(ask.side), title.language.follower(ask.side)
    follower.receive(title.language.parse(bot.write(view, [ask]), ask.side).orders, view)
    reply = follower.reply(ask, view)
    return reply.text if isinstance(reply, Answer) else ask.default


@pytest.mark.parametrize(("name", "options", "side"), SEATS)
def test_it_beats_random_players(name: str, options: Options, side: str) -> None:
    assert sum(wins_asked(name, options, side, seed) for seed in range(3)) >= 2


@pytest.mark.parametrize(("name", "options", "side"), SEATS[::3])
def test_it_beats_random_players_by_file(name: str, options: Options, side: str) -> None:
    assert sum(best_wins(name, options, side, seed) for seed in range(3)) >= 2


@pytest.mark.slow
@pytest.mark.parametrize("wins", [wins_asked, best_wins])
@pytest.mark.parametrize("name", NAMES)
def test_it_wins_eighty_of_a_hundred(name: str, wins: Any) -> None:
    for _, options, side in seats(name):
        assert sum(wins(name, options, side, seed) for seed in range(100)) >= 80, (options, side)


PACES = [("hammer", ""), *((name, pace) for name in NAMES for pace in ("", "strict"))]


@pytest.mark.parametrize(("name", "pace"), PACES)
def test_what_bots_write_is_understood(name: str, pace: str) -> None:
    """Games in which no line is at fault, at every pace; whole ones of cards."""
    title, options = load(name), {"pace": pace} if pace else {}
    for bot in title.bots.values():
        table = Table(name, options, 4)
        bots = {side: bot(side) for side in table.sides}
        while table.outcome is None and table.number < (400 if name in NAMES else 30):
            views = {side: table.view(side) for side in table.sides}
            texts = {side: one.write(views[side], table.open_asks(side)) for side, one in bots.items()}
            for side, text in texts.items():
                parsed = title.language.parse(text, side)
                checked = title.language.check(parsed.orders, views[side]) if name not in NAMES else ()
                faults = (*parsed.faults, *checked)
                assert not [str(fault) for fault in faults if not fault.remark], text
            table.exchange(texts)
        assert table.outcome is not None or name not in NAMES


@pytest.mark.parametrize("name", ["hammer", *NAMES])
def test_the_same_view_gives_the_same_orders(name: str) -> None:
    title = load(name)
    game = title.rules.start({}, SeededChance(1), stops=True)
    for side in title.rules.sides({}):
        for make in title.bots.values():
            assert make(side).write(game.view(side)) == make(side).write(game.view(side))
    assert best_of(title)(side).write(game.view(side))
