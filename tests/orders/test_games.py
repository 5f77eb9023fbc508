"""Whole random games: through order files they go exactly as when every Ask is answered at once."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

import pytest

from pbem.orders.base import Answer
from pbem.orders.hammer import LANGUAGE
from pbem.rules.base import Ask, Game
from pbem.rules.hammer.facts import SIDES
from tests.hammer.order_table import new_game, play_directly, random_answer

pytestmark = pytest.mark.ci


Answers = Sequence[tuple[str, str, str]]
"""Side, kind and text of each answer of a game."""

LISTS = frozenset(("move", "sail", "victuals", "pillage-build", "build", "disband", "home", "combat", "hit"))
"""Questions of which a run can be answered in one file."""


def step(answers: Answers, place: int) -> str:
    """One answer, and the wish to be asked about everything else."""
    return f"{answers[place][2]}\nask\nask truce\nask everything\n"


def run(answers: Answers, place: int) -> str:
    """All answers of this side up to the next question of another kind or to the other side."""
    side, kind, _ = answers[place]
    texts: list[str] = []
    for other_side, other_kind, text in answers[place:]:
        if (other_side, other_kind) != (side, kind) or (texts and kind not in LISTS):
            break
        texts.append(text)
        if text == "done":
            break
    return "\n".join((*texts, "ask", "ask truce", "ask everything", ""))


def replayed(seed: int, answers: Answers, write: Callable[[Answers, int], str]) -> tuple[Game, int]:
    """The game again, from files; each answer must be the one that was given. Returns it and the pauses."""
    game, pauses = new_game(seed), 0
    followers = {side: LANGUAGE.follower(side) for side in SIDES}
    for place, (side, kind, text) in enumerate(answers):
        ask = game.asks[0]
        assert (ask.side, ask.kind) == (side, kind)
        reply = followers[side].reply(ask, game.view(side))
        if not isinstance(reply, Answer):
            pauses += 1
            parsed = LANGUAGE.parse(write(answers, place), side)
            assert [str(fault) for fault in parsed.faults if not fault.remark] == []
            followers[side].receive(parsed.orders, game.view(side))
            reply = followers[side].reply(ask, game.view(side))
        assert reply == Answer(text), (seed, place, ask.legal)
        game.answer(side, text)
    return game, pauses


@pytest.mark.parametrize("seed", range(4))
def test_step_by_step_through_files_is_the_same_game(seed: int) -> None:
    """Nothing lost: with `ask` everywhere every choice is the player's own."""
    direct = play_directly(seed, random_answer(seed))
    game, pauses = replayed(seed, direct.answers, step)
    assert game.outcome == direct.game.outcome
    assert game.view("gm") == direct.game.view("gm")
    assert pauses == len(direct.answers)


@pytest.mark.parametrize("seed", range(6))
def test_orders_given_together_are_the_same_game_with_fewer_pauses(seed: int) -> None:
    """A file that spells out what a stepwise player did gives the same game."""
    direct = play_directly(seed, random_answer(seed))
    game, pauses = replayed(seed, direct.answers, run)
    assert game.outcome == direct.game.outcome
    assert game.view("gm") == direct.game.view("gm")
    assert pauses < 0.8 * len(direct.answers)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(6, 300))
def test_many_games_step_by_step_and_together(seed: int) -> None:
    direct = play_directly(seed, random_answer(seed))
    for write in (step, run):
        game, _ = replayed(seed, direct.answers, write)
        assert game.view("gm") == direct.game.view("gm")


DOCTRINE = """\
doctrine:
    fire
    hits infantry, rest
    if our strength less than half their strength: retreat all
    forced retreat all
    regroup none
    battles rest
    raid rest
    keep leaders, nobles, rest
    build leaders, nobles, rest
    draw Fife, Mentieth, Moray, Angus, Buchan
end
"""


def wild_file(dice: random.Random, ask: Ask, side: str, game: Game) -> str:
    """Orders that are partly for now, partly for later, partly impossible."""
    mine = [name for name, block in game.view(side)["blocks"].items() if block["side"] == side]
    lines = [dice.choice(ask.legal), "ask" if dice.random() < 0.5 else ""]
    for _ in range(6):
        name, area = dice.choice(mine), dice.choice(sorted(game.view(side)["areas"]))
        lines.append(
            dice.choice(
                (
                    f"move {name} to {area}",
                    f"move all from {area} to Fife",
                    f"if first: move {name} to {area}",
                    f"battles {area}, rest",
                    f"plan any:\nfire\nhits {name}, rest\nif round 2: retreat all\nend",
                    f"plan {area}:\nif their strength more than ours: retreat all to Fife, Lanark\nfire\nend",
                    f"winter:\nkeep {name}, rest\nhome Moray stay\nend",
                    "raid rest" if side == "england" else "crown Bruce",
                    "if none of my areas is attacked:\nmove none\nend",
                )
            )
        )
    return "\n".join(lines)


@pytest.mark.parametrize("seed", range(8))
def test_whatever_is_ordered_only_legal_answers_come_out(seed: int) -> None:
    """Random files, a doctrine, changing minds: answers are legal, and the same each time."""
    dice = random.Random(seed)
    transcripts = []
    for _ in range(2):
        dice.seed(seed)
        game = new_game(seed)
        followers = {side: LANGUAGE.follower(side) for side in SIDES}
        for side in SIDES:
            followers[side].receive(LANGUAGE.parse(DOCTRINE, side).orders, game.view(side))
        said: list[str] = []
        while game.asks and len(said) < 400:
            ask = game.asks[0]
            view = game.view(ask.side)
            if dice.random() < 0.3:
                parsed = LANGUAGE.parse(wild_file(dice, ask, ask.side, game), ask.side)
                for fault in LANGUAGE.check(parsed.orders, view):
                    assert str(fault)
                followers[ask.side].receive(parsed.orders, view)
            reply = followers[ask.side].reply(ask, view)
            text = reply.text if isinstance(reply, Answer) else dice.choice(ask.legal)
            assert text in ask.legal
            said.append(f"{ask.side} {reply}")
            game.answer(ask.side, text)
        said += [str(dropped) for side in SIDES for dropped in followers[side].dropped]
        transcripts.append(said)
    assert transcripts[0] == transcripts[1]
