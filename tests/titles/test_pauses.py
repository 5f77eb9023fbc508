"""Card games as the judge resolves them: no pause, size of a letter or order of a list tells a hidden card.

Two worlds differ in cards that the observer does not see, some of which have changed places. The observer
sends the same files to both, the others the same but for the cards that stand for each other, with lines
about hidden cards besides. Until such a card is shown, all that reaches the observer must be the same, and
the sizes of all letters.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from pbem.judge.tables.packing import Part
from pbem.play.resolve import Resolution, _Run
from pbem.practice.table import SeededChance, Table
from pbem.rules.base import OPEN, Ask, View
from pbem.rules.first_war import game as first_war_game
from pbem.rules.lords import game as lords_game
from pbem.titles import load
from tests.bots.playing import play_bots
from tests.properties.card_play import cards_in
from tests.properties.random_play import Options
from tests.properties.world import Leak, World

pytestmark = pytest.mark.ci


EXCHANGES = 6
PAIRS = 3
CHANGED = 3

GAMES: list[tuple[str, Options]] = [
    *(("lords", {"players": players, "pace": pace}) for players in (3, 4, 5) for pace in ("turn", "strict")),
    ("lords", {"players": 3, "discard_pile_public": False}),
    *(("first-war", {"years": 2, "pace": pace}) for pace in ("season", "strict")),
]
# What is done in sight of all must not hang on cards about which the worlds differ: that is told by its doer.
SHEETS = {
    "lords": (
        *(
            "recruit hidden",
            "recruit best",
            "recruit 1",
            "muster weakest down",
            "muster best down",
            "claim best",
        ),
        *("claim weakest", "use rest", "ask", "ask power", "ask claim", "turn any: muster weakest down"),
        *("if i hold {card}: use best", "if i lead: then muster weakest up", "if {card} works: use best"),
        *("if i hold {card}: ask", "if army red at least 9: ask", "muster {card} down", "mvster {card} up"),
    ),
    "first-war": (
        *(
            "deploy none",
            "deploy rest",
            "bonus keep",
            "event none",
            "event rest",
            "strategy none",
            "strategy rest",
        ),
        *("if needed: strategy rest", "victory rest", "replace none", "keep strategy, rest", "quarter rest"),
        *("ask events", "ask strategy", "ask victory", "ask loss", "ask", "ask deploy", "ask keep"),
        *("if needed: ask strategy", "if behind: ask strategy", "dploy archers", "keep raid, {card}"),
    ),
}


class Split:
    """Chance of both worlds: an observer is dealt the same in both, others what stands for it."""

    def __init__(self, title: str, viewer: str, seed: object, images: dict[str, str]) -> None:
        self.owner = load(title).rules.draw_owner
        self.viewer, self.images, self.seed = viewer, images, seed
        self.first: dict[str, str] = {}
        self.entered: list[str] = []

    def entries(self) -> list[str]:
        """What the observer sees of the draws since the last look: a label, or that something was drawn."""
        found = [one if self.owner(one) in (self.viewer, "public") else "shut" for one in self.entered]
        self.entered = []
        return found

    def draw(self, label: str, choices: tuple[str, ...]) -> str:
        """In the first world; in the second, for a label that was drawn before, what stands for it."""
        self.entered.append(label)
        if label in self.first:
            image = self.images.get(self.first[label], self.first[label])
            return image if image in choices else SeededChance(self.seed).draw(label, choices)
        seen = self.owner(label) in (self.viewer, "public")
        fair = [one for one in choices if one not in self.images] if seen else []
        self.first[label] = SeededChance(self.seed).draw(label, tuple(fair) or choices)
        return self.first[label]

    def roll(self, label: str, sides: int = 6) -> int:
        """No die is rolled in these games."""
        raise AssertionError(label)


class Pair:
    """Two worlds from one moment of a game, and one who must not tell them apart."""

    def __init__(self, title: str, options: Options, seed: int) -> None:
        self.random = random.Random(f"{title} {options} {seed}")
        table = Table(title, options, seed)
        for _ in range(self.random.randrange(5)):
            table.exchange({side: self.lines(table, side) for side in table.sides})
        self.viewer = self.random.choice(table.sides)
        position = table.play.game.view("gm")
        hidden = cards_in(position) - cards_in(table.view(self.viewer))
        held = {card for hand in position["hands"].values() for card in hand} & hidden
        number = min(CHANGED, len(held))
        some, others = (self.random.sample(sorted(cards), number) for cards in (held, hidden - held))
        self.images = dict(zip([*some, *others], [*others, *some], strict=True))
        worlds = position, json.loads(self.image(json.dumps(position), r'"{}"'))
        self.chance = Split(title, self.viewer, seed, self.images)
        self.first, self.second = (World(title, options, self.chance, world) for world in worlds)
        self.chance.entries()
        self.drawn: list[list[str]] = [[], []]

    def image(self, text: str, pattern: str = r"\b{}\b") -> str:
        """A text with the cards that stand for those in it."""
        cards = "|".join(map(re.escape, self.images))
        quote = pattern[0] if pattern[0] == '"' else ""
        found = re.compile(pattern.format(f"({cards})"))
        return found.sub(lambda card: f"{quote}{self.images[card[1]]}{quote}", text)

    def lines(self, table: Table, side: str) -> str:
        """What somebody may send: lines that are often there, answers to what is asked, and a remark."""
        cards = table.play.game.view(side)["hands"][side] or ["scott-5"]
        card = self.random.choice(cards)
        sheet = SHEETS[table.setting.rules.name]
        found = [line.format(card=card) for line in self.random.sample(sheet, 6)]
        return "\n".join([*found, f"note {'x' * self.random.randrange(90)}"])

    def run(self) -> int:
        """How many exchanges the observer could not tell apart. Raises Leak."""
        for number in range(EXCHANGES):
            files = {side: self.lines(self.first, side) for side in self.first.sides}
            if not self.alike(files[self.viewer]) or self.first.outcome:
                return number
            images: tuple[Callable[[str], str], ...] = (str, self.image)
            for place, (world, image) in enumerate(zip((self.first, self.second), images, strict=True)):
                others = {side: image(text) for side, text in files.items() if side != self.viewer}
                world.exchange({**others, self.viewer: files[self.viewer]})
                self.drawn[place] = self.chance.entries()
        return EXCHANGES

    def alike(self, orders: str) -> bool:
        """Is all that reaches the observer the same, with what is told of some orders?

        False once the worlds show in what they differ.
        """
        one, other = (
            {"draws": drawn} | world.shown(self.viewer) | world.worked_out(self.viewer, orders)
            for world, drawn in zip((self.first, self.second), self.drawn, strict=True)
        )
        if one == other:
            return True
        told = [cards_in(world.last.seen[self.viewer].told) for world in (self.first, self.second)]
        if (told[0] | told[1]) & self.images.keys():
            return False
        unlike = [what for what in one if one[what] != other[what]]
        raise Leak(f"{', '.join(unlike)}: {[(one[what], other[what]) for what in unlike][:1]}")


@pytest.mark.parametrize(("title", "options"), GAMES, ids=str)
def test_an_observer_cannot_tell_worlds_apart(title: str, options: Options) -> None:
    exchanges = sum(Pair(title, options, seed).run() for seed in range(PAIRS))
    assert exchanges > PAIRS


def stops_by_a_hand(patch: pytest.MonkeyPatch) -> None:
    """A judge who passes a stop, or does not, by a card in a hand."""
    patch.setattr(_Run, "_is_covered", lambda run, _: len(str(run.game.view("gm")["hands"])) % 2 == 0)


def asks_where_a_card_is_held(patch: pytest.MonkeyPatch) -> None:
    """Rules that ask nothing of whoever can only pass."""
    patch.setattr(Ask, "settled", lambda ask: ask.read(ask.legal[0]) if len(ask.legal) == 1 else OPEN)


def letters_as_long_as_they_are(patch: pytest.MonkeyPatch) -> None:
    """Letters whose size is that of what they say."""
    patch.setattr(Part, "filled", property(lambda part: part.text))


def forecasts_of_what_is_there(patch: pytest.MonkeyPatch) -> None:
    """A forecast that is played on with the cards as they really lie."""
    honest = World.worked_out

    def leaking(world: World, viewer: str, orders: str) -> dict[str, object]:
        there = world.play.game.view("gm")
        patch.setattr(world.setting.title.forecast, "imagine", lambda _: there)
        return honest(world, viewer, orders)

    patch.setattr(World, "worked_out", leaking)


def lists_in_an_order_of_their_own(patch: pytest.MonkeyPatch) -> None:
    """A view that lists the sides by the cards that they hold."""
    for module in (lords_game, first_war_game):
        honest = module.view

        def leaking(position: Any, *rest: Any, honest: Callable[..., View] = honest) -> View:
            hands = position.hands
            return {**honest(position, *rest), "sides": sorted(hands, key=lambda side: str(hands[side]))}

        patch.setattr(module, "view", leaking)


def draws_by_a_hand(patch: pytest.MonkeyPatch) -> None:
    """Rules that draw once more, by a card in a hand: what is drawn stays shut, and its entry shows."""
    honest = World.exchange

    def leaking(world: World, texts: Mapping[str, str | None]) -> Resolution:
        found = honest(world, texts)
        if len(str(world.play.game.view("gm")["hands"])) % 2:
            world.play.chance.draw(f"{world.number}/recruit/beside/down", ("scott-5",))
        return found

    patch.setattr(World, "exchange", leaking)


LEAKS = (
    draws_by_a_hand,
    stops_by_a_hand,
    asks_where_a_card_is_held,
    letters_as_long_as_they_are,
    forecasts_of_what_is_there,
    lists_in_an_order_of_their_own,
)


@pytest.mark.parametrize("leak", LEAKS)
def test_a_leak_is_found(leak: Callable[[pytest.MonkeyPatch], None], monkeypatch: pytest.MonkeyPatch) -> None:
    leak(monkeypatch)
    games: list[tuple[str, Options]] = [("first-war", {"years": 2}), ("lords", {"players": 4})]
    pairs = (Pair(title, options, seed) for seed in range(20) for title, options in games)
    with pytest.raises(Leak):
        sum(pair.run() for pair in pairs)


@pytest.mark.parametrize("title", ["lords", "first-war"])
def test_in_a_strict_game_whatever_is_public_and_open_is_asked(title: str) -> None:
    """A whole game: the judge halts at questions alone, more often than at the usual pace."""
    table, bots = Table(title, {"pace": "strict"}, 4), load(title).bots
    best = next(iter(bots.values()))
    stops: set[str] = set()
    asked: set[str] = set()

    def resolved(resolution: Resolution) -> None:
        stops.add(resolution.stop)
        asked.update(ask.kind for side in table.sides for ask in table.open_asks(side))

    record = play_bots(table, {side: best(side) for side in table.sides}, resolved)
    assert record.outcome.reason
    assert stops == {"asked", "over"}
    assert asked >= {"lords": {"turn", "power", "claim"}, "first-war": {"event", "strategy"}}[title]
    waits = len(record.resolutions)
    usual = play_bots(Table(title, {}, 4), {side: best(side) for side in table.sides})
    assert waits > len(usual.resolutions)
