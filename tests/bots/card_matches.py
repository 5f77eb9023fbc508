"""Games of the card games between a sensible bot and random players, and how often it wins.

Asked: every question is put by itself; the bot writes a file for it, and the random players take any legal
answer. By file: all write a file at each stop of the game, as with the pace of a turn or a season.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from typing import Any

from pbem.bots import Bot
from pbem.bots.first_war import BOTS as FIRST_WAR_BOTS
from pbem.bots.first_war.marshal import Marshal
from pbem.bots.lords import BOTS as LORDS_BOTS
from pbem.bots.lords.chief import Chief
from pbem.orders.base import Answer
from pbem.practice.table import SeededChance, Table
from pbem.rules import Ask, Game, load
from pbem.titles import Title
from pbem.titles import load as load_title
from tests.bots.playing import play_bots

SENSIBLE: Mapping[str, type[Chief | Marshal]] = {"lords": Chief, "first-war": Marshal}
RANDOM: Mapping[str, Callable[[str], Bot]] = {
    "lords": LORDS_BOTS["random"],
    "first-war": FIRST_WAR_BOTS["random"],
}


def wins_asked(name: str, options: Mapping[str, Any], side: str, seed: int) -> bool:
    """Does the sensible bot on `side` win against players who answer at random?"""
    bot, dice = SENSIBLE[name](side), random.Random(f"{name} {side} {seed}")
    game = load(name).start(options, SeededChance(f"{name} {side} {seed}"))
    while game.outcome is None:
        ask = game.asks[0]
        game.answer(
            ask.side,
            written(bot, load_title(name), game, ask) if ask.side == side else dice.choice(ask.legal),
        )
    return game.outcome.winner == side


def written(bot: Bot, title: Title, game: Game, ask: Ask) -> str:
    """What the bot's file answers to a question, else its default."""
    view, follower = game.view(ask.side), title.language.follower(ask.side)
    follower.receive(title.language.parse(bot.write(view, [ask]), ask.side).orders, view)
    reply = follower.reply(ask, view)
    return reply.text if isinstance(reply, Answer) else ask.default


def wins_by_file(name: str, options: Mapping[str, Any], side: str, seed: int) -> bool:
    """Does the sensible bot on `side` win against players who write files at random?"""
    table = Table(name, options, f"{name} {side} {seed}")
    bots = {one: (SENSIBLE if one == side else RANDOM)[name](one) for one in table.sides}
    return play_bots(table, bots).outcome.winner == side


def seats(name: str) -> list[tuple[dict[str, Any], str]]:
    """Every seat of every number of players."""
    rules = load(name)
    tables: list[dict[str, Any]] = [{"players": n} for n in (2, 3, 4, 5)] if name == "lords" else [{}]
    return [(options, side) for options in tables for side in rules.sides(options)]
