"""Lords of Scotland: random games of two to five players keep every invariant and leak nothing."""

from __future__ import annotations

import itertools
import random
from typing import Any

import pytest

from pbem.rules.base import EVERYBODY, NOBODY, Game, View
from pbem.rules.lords import RULES
from pbem.rules.lords.facts import CARDS, NUMBERS, SIDES
from tests.properties.card_play import cards_in, goes_on_from_its_views, play_a_game
from tests.properties.random_play import LabelledChance, Options

DECKS = {False: {name for name in CARDS if "bruce" not in name}, True: set(CARDS)}


def option_mix(players: int, seed: int) -> Options:
    """Some options of a game for so many players."""
    chooser = random.Random(f"options {players} {seed}")
    return {
        "players": players,
        "use_bruce": chooser.random() < 0.5,
        "first": chooser.choice(("drawn", *SIDES[:players])),
        "discard_pile_public": chooser.random() < 0.7,
    }


class LordsReferee:
    """What must be true after every answer, worked out from the judge's view alone."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.heard = 0
        self.controllers: dict[str, set[str]] = {}
        self.kept: dict[str, int] = {}
        self.row = 0
        self.sides = tuple(game.view("gm")["hands"])
        self.before = game.view("gm")
        self.check()

    def check(self) -> None:
        """After each answer."""
        view = self.game.view("gm")
        before, self.before = self.before, view
        events = self.game.told("gm", self.heard)
        self.heard += len(events)
        self.every_card_in_one_place(view)
        self.numbers(view)
        self.supporters(view, events)
        self.followers(view)
        self.armies_counted(events)
        self.nobody_sees_too_much(view, before)

    @staticmethod
    def every_card_in_one_place(view: View) -> None:
        """All 96 or 98 cards, each once; scores are the piles' strengths."""
        piles = [*view["hands"].values(), *view["victory"].values()]
        names = [name for pile in piles for name in pile]
        names += [row["card"] for army in view["armies"].values() for row in army]
        names += [*filter(None, view["recruits"]), *view["supporters"], *view["discard"], *view["draw_pile"]]
        assert len(names) == len(set(names))
        assert set(names) == DECKS[view["options"]["use_bruce"]]
        for side, pile in view["victory"].items():
            assert view["scores"][side] == sum(CARDS[name].strength for name in pile)

    @staticmethod
    def numbers(view: View) -> None:
        """Ten cards at most, turns one to five, with full slots as many Recruits up as turns were begun."""
        assert all(len(hand) <= 10 for hand in view["hands"].values())
        assert 1 <= view["turn"] <= 5
        if view["phase"] == "turns" and all(view["recruits"]):
            assert sum(view["recruits_up"]) == view["turn"]
        for pile in (*view["hands"].values(), view["discard"], view["draw_pile"]):
            assert pile == sorted(pile, key=lambda name: CARDS[name].rank)

    def supporters(self, view: View, events: list[dict[str, Any]]) -> None:
        """What is left and what was claimed make up what was dealt."""
        for event in events:
            if event["event"] == "supporters":
                self.row = len(event["cards"])
        claimed = sum(map(len, view["claims"].values()))
        assert len(view["supporters"]) + claimed == self.row

    def followers(self, view: View) -> None:
        """Active only face-up, and only powers of the end of the round; kept for one round."""
        for side, army in view["armies"].items():
            for row in army:
                self.controllers.setdefault(row["card"], set()).add(side)
                clan = CARDS[row["card"]].clan
                assert row["up"] or not (row["active"] or row["kept"])
                assert not row["active"] or (row["copied"] or clan) in ("bruce", "cochrane", "macdonnell")
                assert row["copied"] is None or (row["active"] and clan == "scott")
                if row["kept"]:
                    assert not row["active"]
                    assert self.kept.setdefault(row["card"], view["round"]) == view["round"]
        lying = {row["card"] for army in view["armies"].values() for row in army}
        self.controllers = {name: sides for name, sides in self.controllers.items() if name in lying}
        self.kept = {name: at for name, at in self.kept.items() if name in lying}

    @staticmethod
    def armies_counted(events: list[dict[str, Any]]) -> None:
        """Totals by trying every clan for every wild card, and the placing by totals and ranks."""
        wild: set[str] = set()
        for event in events:
            if event["event"] == "power" and event["clan"] == "bruce":
                wild.add(event["card"])
            if event["event"] != "totals":
                continue
            for side, army in event["armies"].items():
                cards = [CARDS[name] for name in army]
                plain = sum(card.strength for card in cards)
                total = event["totals"][side]
                assert total in (plain, 2 * plain)
                if len({card.clan for card in cards}) == 1 and len(cards) > 1:
                    assert total == 2 * plain
                if len(cards) < 2 or len({card.clan for card in cards} - {"bruce", "scott"}) > 1:
                    assert total == plain
            placed = [side for side, army in event["armies"].items() if army]
            assert sorted(placed) == sorted(event["placing"])
            for better, worse in itertools.pairwise(event["placing"]):
                pair = [(event["totals"][side], event["ranks"][side]) for side in (better, worse)]
                assert pair[0] > pair[1]

    def nobody_sees_too_much(self, view: View, before: View) -> None:
        """No view names a hidden card; what only one side is told lies before its eyes."""
        for viewer in (*self.sides, "public"):
            seen = cards_in(self.game.view(viewer))
            hidden = {name for side, hand in view["hands"].items() if side != viewer for name in hand}
            hidden |= set(view["draw_pile"])
            rows = zip(view["recruits"], view["recruits_up"], strict=True)
            hidden |= {name for name, up in rows if not up}
            for army in view["armies"].values():
                hidden |= {
                    row["card"]
                    for row in army
                    if not row["up"] and viewer not in self.controllers[row["card"]]
                }
            if not view["options"]["discard_pile_public"]:
                hidden |= set(view["discard"])
            assert not seen & hidden, viewer


@pytest.mark.ci
@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_random_games_keep_the_rules(players: int) -> None:
    for seed in range(4):
        game = play_a_game(RULES, option_mix(players, seed), seed, LordsReferee, frozenset())
        check_end(game)


@pytest.mark.slow
@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_many_random_games_keep_the_rules(players: int, seeds: range) -> None:
    for seed in seeds:
        check_end(play_a_game(RULES, option_mix(players, seed), seed, LordsReferee, frozenset()))


def check_end(game: Game) -> None:
    """The winner has 40 points and more than anybody else, or stood better in the last round."""
    view, outcome = game.view("gm"), game.outcome
    assert outcome is not None
    best = max(view["scores"].values())
    assert best >= NUMBERS.victory
    assert view["scores"][outcome.winner] == best
    assert view["to_move"] is None
    assert sorted(side for place in outcome.places for side in place) == sorted(view["scores"])
    scores = [view["scores"][place[0]] for place in outcome.places]
    assert scores == sorted(scores, reverse=True)
    placing = next(event for event in reversed(game.told("gm")) if event["event"] == "totals")["placing"]
    tied = [side for side in placing if view["scores"][side] == best]
    assert outcome.winner == tied[0]


def test_every_ask_is_public_and_one_at_a_time() -> None:
    game = RULES.start({"players": 5, "use_bruce": True}, LabelledChance(3))
    chooser = random.Random(3)
    while game.outcome is None:
        (ask,) = game.asks
        assert ask.public
        assert ask.side == game.view("public")["to_move"]
        game.answer(ask.side, chooser.choice(ask.legal))


@pytest.mark.ci
def test_who_learns_a_draw_is_who_may_see_the_card() -> None:
    """The owner that a label names is told what was drawn, or shown it; others are not."""
    chance = LabelledChance(11)
    game = RULES.start({"players": 3}, chance)
    chooser = random.Random(11)
    known: dict[str, set[str]] = {side: set() for side in ("red", "blue", "green", "public")}
    looked = 0
    while game.outcome is None:
        labels = list(chance.results)
        for viewer, cards in known.items():
            cards.update(cards_in([game.view(viewer), game.told(viewer)]))
        for label in labels[looked:]:
            card, owner = chance.results[label], RULES.draw_owner(label)
            if label.endswith("/first"):
                assert owner == EVERYBODY
                continue
            named = {viewer for viewer, cards in known.items() if card in cards}
            if owner == EVERYBODY:
                assert named == set(known), label
            elif owner != NOBODY:
                assert owner in named, label
        looked = len(labels)
        ask = game.asks[0]
        game.answer(ask.side, chooser.choice(ask.legal))
    owners = {label.split("/", 1)[1]: RULES.draw_owner(label) for label in chance.results}
    assert owners["deal/red/card-2"] == "red"
    assert owners["recruit/slot-1/down-1"] == NOBODY
    assert owners["recruit/slot-1/up-2"] == EVERYBODY
    assert owners["supporter/slot-3/try-1"] == EVERYBODY


@pytest.mark.ci
def test_a_game_goes_on_from_its_own_view() -> None:
    """At every question the judge's view is a position from which the same game goes on."""
    kinds = [goes_on_from_its_views(RULES, {"players": players}, players) for players in (2, 3, 4, 5)]
    assert set.union(*kinds) == {"turn", "power", "target", "muster", "claim"}
