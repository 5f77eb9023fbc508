"""First War of Scottish Independence: random games keep every invariant and leak nothing."""

from __future__ import annotations

import random

import pytest

from pbem.rules.base import EVERYBODY, Game, View
from pbem.rules.first_war import RULES
from pbem.rules.first_war.facts import DECK, KINDS, SCOTS, SIDES, SWITCHES, kind_of
from tests.properties.card_play import cards_in, goes_on_from_its_views, play_a_game, refusal
from tests.properties.random_play import LabelledChance, Options, canonical

ALWAYS = frozenset({"event", "strategy", "victory"})
SEALED = frozenset({"deploy", "discard", "quarter"})


def option_mix(seed: int) -> Options:
    """Some options; a short game now and then, to see its last winter."""
    chooser = random.Random(f"options {seed}")
    options = {name: chooser.choice(values) for name, values in SWITCHES.items() if name != "years"}
    return {**options, "years": chooser.choice((1, 2, 3, 18))}


class FirstWarReferee:
    """What must be true after every answer, worked out from the judge's view alone."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.before = game.view("gm")
        self.check()

    def check(self) -> None:
        """After each answer."""
        view = self.game.view("gm")
        before, self.before = self.before, view
        self.every_card_in_one_place(view)
        self.limits(view)
        self.ends_of_phases(view, before)
        self.sealed(view, before)
        self.nobody_sees_too_much(view)

    @staticmethod
    def every_card_in_one_place(view: View) -> None:
        """62 cards, each once, all piles in the order of the card list; twenty tokens."""
        piles = [*view["play"].values(), *view["hands"].values(), view["deck"], view["discard"]]
        assert sorted(card for pile in piles for card in pile) == sorted(DECK)
        assert all(pile == sorted(pile, key=DECK.index) for pile in piles)
        assert sum(view["territories"].values()) == 20
        assert min(view["territories"].values()) >= 0

    @staticmethod
    def limits(view: View) -> None:
        """Units of the right side, one Leader each, two Cavalry and two Archers of the Scots."""
        for side, cards in view["play"].items():
            kinds = [kind_of(card) for card in cards]
            assert all(kind.unit and kind.user in ("", side) for kind in kinds)
            assert sum(kind.type == "leader" for kind in kinds) <= 1
        scots = [kind_of(card).id for card in view["play"][SCOTS]]
        assert max(scots.count("cavalry"), scots.count("archers")) <= 2

    def ends_of_phases(self, view: View, before: View) -> None:
        """Five cards in hand after the End Phase; quarters, hands and piles after the winter."""
        if before["phase"] != "recruit" and view["phase"] == "recruit":  # the Logistics Phase has drawn
            drawn = {"scots": 3, "english": 4}
            most = {side: number + 5 for side, number in drawn.items()}
            if view["season"] == "spring" and before["season"] != "spring":
                ahead = max(view["territories"], key=lambda side: view["territories"][side])
                extra = len(set(view["territories"].values())) == 2
                if not view["options"][
                    "mandatory"
                ]:  # else a Unit that had to go down may have done so at once
                    for side, quarters in (("scots", 3), ("english", 2)):
                        assert len(view["play"][side]) <= quarters + (extra and ahead == side)
                    assert not any(kind_of(card).type == "leader" for card in view["play"]["english"])
                assert not view["discard"]
                most = {side: 2 * number for side, number in drawn.items()}
            assert all(len(hand) <= most[side] for side, hand in view["hands"].items())
        assert not view["out"] or view["phase"] == "event"

    def sealed(self, view: View, before: View) -> None:
        """While both sides act sealed, nothing that one does shows in what the other sees."""
        kinds = {ask.kind for ask in self.game.asks}
        if not kinds & SEALED or view["phase"] != before["phase"] or not view["options"]["simultaneous"]:
            return
        for viewer in (*SIDES, "public"):
            seen = self.game.view(viewer)
            for side in SIDES:
                if side == viewer:
                    continue
                if kinds & {"deploy"}:
                    new = set(view["play"][side]) - set(seen["play"][side])
                    assert len(view["hands"][side]) + len(new) == seen["hands"][side]
                if kinds & {"discard", "quarter"}:
                    assert set(view["play"][side]) <= set(seen["play"][side])
                    assert len(view["hands"][side]) <= seen["hands"][side]

    def nobody_sees_too_much(self, view: View) -> None:
        """No view, and nothing told but what one drew, names a card of the other hand or the deck."""
        for viewer in (*SIDES, "public"):
            hidden = {card for side, hand in view["hands"].items() if side != viewer for card in hand}
            assert not cards_in(self.game.view(viewer)) & (hidden | set(view["deck"])), viewer


def play(seed: int) -> Game:
    return play_a_game(RULES, option_mix(seed), seed, FirstWarReferee, ALWAYS)


def check_end(game: Game) -> None:
    """All twenty tokens, or the last winter with 72 seasons' worth of labels behind it."""
    view, outcome = game.view("gm"), game.outcome
    assert outcome is not None
    tokens = view["territories"]
    if 20 in tokens.values():
        assert tokens[str(outcome.winner)] == 20
        return
    assert (view["year"], view["season"]) == (1295 + view["options"]["years"], "winter")
    assert sorted(map(len, view["hands"].values())) == [3, 4]
    if len(set(tokens.values())) == 2:
        assert outcome.winner == max(tokens, key=lambda side: tokens[side])
    else:
        assert outcome.winner == (None if view["options"]["tie"] == "draw" else view["options"]["tie"])


@pytest.mark.ci
def test_random_games_keep_the_rules() -> None:
    for seed in range(12):
        check_end(play(seed))


@pytest.mark.slow
def test_many_random_games_keep_the_rules(seeds: range) -> None:
    for seed in seeds:
        check_end(play(seed))


@pytest.mark.ci
def test_an_ask_is_public_where_the_other_side_sees_it_coming() -> None:
    kinds: dict[str, bool] = {}
    for seed in range(4):
        game = RULES.start({}, LabelledChance(seed))
        chooser = random.Random(seed)
        while game.outcome is None:
            kinds.update({ask.kind: ask.public for ask in game.asks})
            ask = chooser.choice(game.asks)
            game.answer(ask.side, chooser.choice(ask.legal))
    assert kinds == {
        **dict.fromkeys(("event", "strategy", "casualty", "victory"), True),
        **dict.fromkeys(("deploy", "bonus", "replace", "discard", "quarter"), False),
    }


def test_a_side_deploys_without_waiting_for_the_other_and_the_other_sees_nothing_of_it() -> None:
    hands = {"scots": ["infantry-1", "infantry-2"], "english": ["archers-1"]}
    game = RULES.start({}, LabelledChance(1), {"hands": hands})
    before = canonical([game.view("english"), game.told("english")])
    game.answer("scots", "deploy infantry")
    game.answer("scots", "deploy infantry")
    assert [ask.side for ask in game.asks] == ["english"]
    refusal(game.answer, "scots", "done")
    assert canonical([game.view("english"), game.told("english")]) == before
    assert game.view("scots")["play"]["scots"] == ["infantry-1", "infantry-2"]
    game.answer("english", "done")
    assert game.view("english")["play"]["scots"] == ["infantry-1", "infantry-2"]


def test_the_owner_of_a_draw_is_told_by_its_label() -> None:
    chance = LabelledChance(5)
    game = RULES.start({}, chance)
    chooser = random.Random(5)
    while game.outcome is None:
        ask = chooser.choice(game.asks)
        game.answer(ask.side, chooser.choice(ask.legal))
    told = {
        side: cards_in([event for event in game.told(side) if event["event"] == "draw"]) for side in SIDES
    }
    assert "1296-spring/setup/scots/card-1" in chance.results
    assert "1296-spring/logistics/english/card-4" in chance.results
    for label, card in chance.results.items():
        owner = RULES.draw_owner(label)
        assert (owner == EVERYBODY) == ("/raid-" in label)
        if owner != EVERYBODY:
            assert card in told[owner]


@pytest.mark.ci
@pytest.mark.parametrize(
    ("options", "not_asked"),
    [
        ({"years": 2}, set()),
        ({"years": 2, "simultaneous": False}, set()),
        ({"years": 2, "mandatory": True, "pass_is_final": True}, {"bonus"}),
    ],
)
def test_a_game_goes_on_from_its_own_view(options: Options, not_asked: set[str]) -> None:
    """At every question, answered by one side or by none, the judge's view is a position of the same game."""
    kinds = [goes_on_from_its_views(RULES, options, seed) for seed in range(3)]
    assert set.union(*kinds) == RULES.stops["season"] - not_asked


def test_cards_of_a_kind_are_alike() -> None:
    assert len(KINDS) == 34
    assert sum(kind.count for kind in KINDS.values()) == len(DECK) == 62
