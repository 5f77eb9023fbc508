"""A game that is started from the judge's view goes on as the game it was taken from.

So `view("gm")` holds everything: no rule remembers what it does not show. Every phase's beginning is tried.
"""

from __future__ import annotations

import pytest

from tests.hammer.phases import PhaseStart, random_game
from tests.hammer.play import GAMES, Play, option_mix
from tests.properties.random_play import Options, canonical, kept_on_failure

pytestmark = pytest.mark.ci


VIEWERS = ("england", "scotland", "public", "gm")
ANSWERS = 25  # compared after each new beginning


def everything(play: Play, first_event: int) -> str:
    """What anybody can see or is asked."""
    game = play.game
    return canonical(
        {
            "asks": [(ask.side, ask.kind, ask.rule, ask.public, ask.default, ask.legal) for ask in game.asks],
            "views": [game.view(viewer) for viewer in VIEWERS],
            "told": [game.told(viewer)[first_event:] for viewer in VIEWERS],
            "outcome": None if game.outcome is None else [game.outcome.winner, game.outcome.reason],
        }
    )


def check_restarts(options: Options, seed: int, one_in: int) -> None:
    """One random game; every `one_in`-th phase of it is begun anew."""
    played, starts = random_game(options, seed)
    original = Play(options, seed)
    chosen = {start.answered: start for start in starts[seed % one_in :: one_in]}
    going_on: list[tuple[PhaseStart, Play]] = []
    record = played.record()
    with kept_on_failure(f"restart-{options['scenario']}-{options['edition']}-{seed}", record):
        for number in range(len(played.answers) + 1):
            if number in chosen:
                start = chosen[number]
                going_on.append((start, Play(options, seed, position=start.position)))
            for start, play in going_on:
                assert everything(play, 0) == everything(original, start.told), (
                    f"started anew at {start.position['phase']} of {start.position['year']}."
                    f"{start.position['turn']}, it differs after answer {number}"
                )
            if number < len(played.answers):
                answer = played.answers[number]
                original.answer(*answer)
                going_on = [pair for pair in going_on if number - pair[0].answered < ANSWERS]
                for _, play in going_on:
                    play.answer(*answer)


@pytest.mark.parametrize(("scenario", "edition"), GAMES)
def test_a_game_goes_on_from_any_phase(scenario: str, edition: str) -> None:
    check_restarts(option_mix(scenario, edition, 100), 100, one_in=15)


@pytest.mark.slow
@pytest.mark.parametrize(("scenario", "edition"), GAMES)
def test_many_games_go_on_from_every_phase(scenario: str, edition: str, seeds: range) -> None:
    for seed in seeds:
        check_restarts(option_mix(scenario, edition, seed), seed, one_in=1)
