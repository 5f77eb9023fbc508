"""Random legal play ends every game properly, and nothing else is accepted on the way.

A few games of each scenario and edition here; `pytest -m slow tests/hammer --seeds 0:350` plays
thousands.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable

import pytest

from pbem.rules import IllegalAnswer
from pbem.rules.base import Ask
from tests.hammer.near_misses import near_misses, plausible
from tests.hammer.play import GAMES, Play, RandomPlayer, option_mix
from tests.hammer.referee import Referee
from tests.properties.random_play import MAX_ANSWERS, Options, canonical, kept_on_failure

pytestmark = pytest.mark.ci


KINDS = set(
    "card king herald pillage pillage-hit pillage-build sail victuals truce move battle combat hit retreat "
    "regroup raid home edward disband build".split()
)
SECTION = re.compile(r"[1-9](\.\d+)?|R\d+")


def play_a_game(options: Options, seed: int, checked: float) -> None:
    """One whole game; the share `checked` of its Asks is tried with answers of every sort."""
    play = Play(options, seed)
    record = play.record()  # the list of answers grows while the game goes on
    with kept_on_failure(f"game-{options['scenario']}-{options['edition']}-{seed}", record):
        player = RandomPlayer(options, seed)
        chooser = random.Random(f"checks {seed}")
        referee = Referee(play.game)
        while play.game.outcome is None:
            assert len(play.answers) < MAX_ANSWERS
            assert play.game.asks, "the game goes on, and nobody is asked"
            for ask in play.game.asks:
                check_ask(ask)
            if chooser.random() < checked:
                check_reading(play, chooser)
                check_refusals(play, chooser)
            play.answer(*player.next(play))
            referee.check()
        assert not play.game.asks
        refusal(play.game.answer, "england", "done")


def check_ask(ask: Ask) -> None:
    """An Ask that somebody can answer, always in the same words."""
    assert ask.kind in KINDS
    assert SECTION.fullmatch(ask.rule)
    assert isinstance(ask.public, bool)
    assert ask.legal == tuple(sorted(set(ask.legal))), "legal is not sorted, or says something twice"
    assert len(ask.legal) >= 2, "there was no choice"
    assert ask.default in ask.legal


def check_reading(play: Play, chooser: random.Random) -> None:
    """`answer` accepts what `legal` lists and nothing else: they are written apart and must agree."""
    for ask in play.game.asks:
        for text in ask.legal:
            ask.read(text)
        copy = play.again()
        copy.answer(ask.side, chooser.choice(ask.legal))
        legal = set(ask.legal)
        for text in plausible(ask, chooser, 8):
            if text not in legal:
                refusal(ask.read, text)


def refusal(answer: Callable[..., object], *given: str) -> IllegalAnswer:
    """The refusal of an answer that must not be accepted."""
    try:
        answer(*given)
    except IllegalAnswer as refused:
        return refused
    raise AssertionError(f"{given!r} was accepted")


def check_refusals(play: Play, chooser: random.Random) -> None:
    """Whatever is refused says why and changes nothing."""
    game = play.game
    asks = game.asks
    legal = {ask.side: ask.legal for ask in asks}
    before = canonical(game.view("gm")), len(game.told("gm"))
    for side in ("england", "scotland"):
        texts = list(near_misses(chooser.choice(asks), chooser, 3))
        for text in (*texts, chooser.choice(chooser.choice(asks).legal)):
            if text in legal.get(side, ()):
                continue
            refused = refusal(game.answer, side, text)
            assert SECTION.fullmatch(refused.rule), refused.rule
            assert refused.reason
            assert set(refused.suggestions) <= set(legal.get(side, ()))
            assert game.asks == asks
            now = canonical(game.view("gm")), len(game.told("gm"))
            assert now == before, f"{text!r} changed something"
    assert all(ask.legal == legal[ask.side] for ask in asks)


@pytest.mark.parametrize(("scenario", "edition"), GAMES)
def test_random_play_ends_every_game(scenario: str, edition: str) -> None:
    for seed in range(3):
        play_a_game(option_mix(scenario, edition, seed), seed, checked=0.02)


@pytest.mark.slow
@pytest.mark.parametrize(("scenario", "edition"), GAMES)
def test_random_play_ends_thousands_of_games(scenario: str, edition: str, seeds: range) -> None:
    for seed in seeds:
        play_a_game(option_mix(scenario, edition, seed), seed, checked=0.02)
