"""The playback of First War: events move cards between hands, play and piles; a battle is a board."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from copy import deepcopy
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from pbem.playback import Board, Fighter, Step
from pbem.reports.base import HARD
from pbem.reports.words import runs
from pbem.rules.base import Event, View
from pbem.rules.first_war.facts import ENGLISH, KINDS, SIDES, enemy_of, kind_of
from pbem.rules.first_war.game import in_order
from pbem.titles.first_war.reports import POINTS, SIDE, numbers, sentence

TOGETHER = frozenset(("draw", "deploy", "event pass", "strategy pass", "discard", "disband", "lost"))
"""The kinds of event that make one step if both sides have them."""
BATTLE = frozenset(("tally", "strategy", "strategy pass", "season won", "territory", "lost"))
EVENTS = frozenset(("play", "event pass", "stolen", "raided"))
ENDING = frozenset(("replace", "discard"))
PHASES = {"tally": "battle", "season won": "victory", "replace": "end", "disband": "quartering"}


class FirstWarPlayback:
    """The steps of a report of First War; a `Playback` and a `Retrospect`."""

    turning_points = MappingProxyType({"territory": "territories change hands"})

    def measures(self, view: View) -> dict[str, dict[str, int]]:
        """Return two measures of the game, each a number by side: territories, and cards in play."""
        in_play = {side: len(cards) for side, cards in view["play"].items()}
        return {"territories": dict(view["territories"]), "cards in play": in_play}

    def steps(self, before: View | None, told: Sequence[Event], after: View) -> tuple[Step, ...]:
        """Return a step for each event; what both sides do at once is one step."""
        scene = Scene(before or after)
        found: list[Step] = []
        for run in runs(told, belongs):
            for event in run:
                if before is not None:
                    scene.play(event)
            found.append(
                Step(
                    lines=tuple(sentences(run)),
                    chapter=scene.chapter(run[0]),
                    events=tuple(run),
                    view=scene.view(),
                    board=scene.board(run) if before is not None else None,
                )
            )
        if found:
            found.append(replace(found.pop(), view=after))
        return tuple(found)


def belongs(run: Sequence[Event], event: Event) -> bool:
    """Tell whether an event is told together with those before it, such as an effect with its card."""
    kind, last = str(event["event"]), str(run[-1]["event"])
    if kind == "reshuffle":
        return last == "draw"
    if last == "reshuffle":
        return kind == "draw"
    if run[0]["event"] == "play":
        return kind in ("lost", "stolen", "raided", "territory", "draw")
    if last == "season won":
        return kind == "territory"
    return kind == last and kind in TOGETHER


def sentences(run: Sequence[Event]) -> Iterator[str]:
    """Yield the sentences that tell the events of a step of the story."""
    for event in run:
        if event["event"] == "tally":
            yield f"Force: {numbers(event['force'])}."
            for why, owner in event["points"].items():
                yield f"{POINTS[why]}: {SIDE[owner] if owner else 'nobody'}."
        else:
            yield sentence(event).replace(HARD, " ")


class Scene:
    """The table as one reader knows it, which changes with each event that is played."""

    def __init__(self, view: View) -> None:
        self._view = view
        keys = ("year", "season", "phase", "territories", "play", "hands", "deck", "discard", "out", "truce")
        self._now: dict[str, Any] = deepcopy({key: view[key] for key in (*keys, "force", "passed")})
        self._points: dict[str, str | None] = {}
        self._fought: dict[str, list[str]] | None = None  # who stood there when the battle began
        self._lost: list[str] = []

    def view(self) -> View:
        """Return the view of the table as it is now."""
        moment = [str(self._now["year"]), self._now["season"]]
        return {**self._view, **deepcopy(self._now), "moment": moment}

    def chapter(self, event: Event) -> str:
        """Return the title of the story's chapter to which an event belongs."""
        kind, season = event["event"], f"{self._now['season']} {self._now['year']}"
        if kind in BATTLE and self._fought is not None:
            return f"The battle of {season}"
        if kind in EVENTS:
            return f"Events of {season}"
        if kind in ENDING or self._fought is not None:
            return f"The end of {season}"
        return f"{season[0].upper()}{season[1:]}"

    def board(self, run: Sequence[Event]) -> Board | None:
        """Return the board of a battle: both sides' Units, and the Force that they bring.

        Return None if no battle is fought.
        """
        if self._fought is None or not any(event["event"] in BATTLE for event in run):
            return None
        lost = Counter(kind_of(card).id for card in self._lost)
        return Board(
            area="",
            round=0,
            attacker="",
            lines=tuple((side, tuple(self._fighters(side, lost))) for side in SIDES),
            reserves=(),
            shot=None,
            hit=tuple(kind_of(event["card"]).name for event in run if event["event"] == "lost"),
            second=ENGLISH,
            totals=tuple((side, self._force(side)) for side in SIDES),
        )

    def _fighters(self, side: str, lost: Counter[str]) -> Iterator[Fighter]:
        assert self._fought is not None
        for kind, number in Counter(kind_of(card).id for card in self._fought[side]).items():
            left = max(0, number - lost[kind])
            name = KINDS[kind].name
            yield Fighter(
                name=name,
                side=side,
                rating=KINDS[kind].type,
                strength=left,
                full=number,
                fate="" if left else "lost",
            )

    def _force(self, side: str) -> str:
        points = [POINTS[why] for why, owner in self._points.items() if owner == side]
        why = f": {', '.join(points)}" if points else ""
        return f"Force {self._now['force'].get(side, 0)}{why}"

    def play(self, event: Event) -> None:
        """Play one event, so that the table changes as the event tells."""
        if phase := PHASES.get(event["event"]):
            self._now["phase"] = phase
        if act := ACTS.get(event["event"]):
            act(self, event)

    # -- where cards lie

    def _out_of_hand(self, side: str, card: str) -> bool:
        """Take a card out of a side's hand; return False if its owner had put it away before."""
        hand = self._now["hands"][side]
        if isinstance(hand, int):
            self._now["hands"][side] = max(0, hand - 1)
            return True
        if card in hand:
            hand.remove(card)
            return True
        return False

    def _discard(self, card: str) -> None:
        if card not in self._now["discard"]:
            self._now["discard"] = in_order((*self._now["discard"], card))

    def _put_card(self, side: str, card: str) -> None:
        if card not in self._now["play"][side]:
            self._now["play"][side] = in_order((*self._now["play"][side], card))

    def _out_of_play(self, side: str, card: str) -> None:
        if card in self._now["play"][side]:
            self._now["play"][side].remove(card)

    # -- what was told

    def season(self, event: Event) -> None:
        """Begin a season, with the territories that are told."""
        self._now |= {
            "year": event["year"],
            "season": event["season"],
            "territories": dict(event["territories"]),
            "phase": "quartering" if event["season"] == "winter" else "logistics",
            "out": [],
            "passed": [],
            "truce": False,
            "force": {},
        }
        self._points, self._fought, self._lost = {}, None, []

    def draw(self, event: Event) -> None:
        """F3, F5, F16: move cards that a side draws from the deck to its hand."""
        hand = self._now["hands"][event["side"]]
        if isinstance(hand, int):
            self._now["hands"][event["side"]] = hand + event["number"]
        else:
            new = [card for card in event.get("cards", ()) if card not in hand]
            self._now["hands"][event["side"]] = in_order((*hand, *new))
        if isinstance(self._now["deck"], int):
            self._now["deck"] = max(0, self._now["deck"] - event["number"])

    def reshuffle(self, event: Event) -> None:
        """F5: put the discard pile back into the deck."""
        if isinstance(self._now["deck"], int):
            self._now["deck"] += event["cards"]
        self._now["discard"] = []

    def deploy(self, event: Event) -> None:
        """F7, F8: move cards that a side deploys from its hand into play."""
        for card in event["cards"]:
            self._out_of_hand(event["side"], card)
            self._put_card(event["side"], card)

    def use(self, event: Event) -> None:
        """F11, F20, F23, F25: move a card that a side uses from its hand to the discard pile."""
        self._out_of_hand(event["side"], event["card"])
        self._discard(event["card"])
        if kind_of(event["card"]).id == "truce":
            self._now["truce"] = True
        if "force" in event:
            self._now["force"] = dict(event["force"])
            self._now["passed"] = []

    def lose(self, event: Event) -> None:
        """F12, F22, F29: move a Unit that is lost from play to the discard pile."""
        self._out_of_play(event["side"], event["card"])
        self._discard(event["card"])
        if self._fought is not None:
            self._lost.append(event["card"])

    def steal(self, event: Event) -> None:
        """F15: move a Unit that is stolen from the enemy's play to the side's."""
        self._out_of_play(enemy_of(event["side"]), event["card"])
        self._put_card(event["side"], event["card"])

    def put_away(self, event: Event) -> None:
        """F26: move cards that a side puts away from its hand to the discard pile."""
        for card in event["cards"]:
            self._out_of_hand(event["side"], card)
            self._discard(card)

    def disband(self, event: Event) -> None:
        """F29: move Units that a side disbands from play to the discard pile."""
        for card in event["cards"]:
            self._out_of_play(event["side"], card)
            self._discard(card)

    def out(self, event: Event) -> None:
        """F11: note that a side is out for the rest of the Event Phase."""
        self._now["out"].append(event["side"])

    def passes(self, event: Event) -> None:
        """F20: note that a side passes in the Battle Phase."""
        self._now["passed"].append(event["side"])

    def begin_battle(self, event: Event) -> None:
        """F18: note the Force of both sides, and the Units that fight."""
        self._now["force"] = dict(event["force"])
        self._points = dict(event["points"])
        self._fought = {side: list(self._now["play"][side]) for side in SIDES}

    def win(self, event: Event) -> None:
        """F21: note the Force with which a side wins the season; nobody passes any more."""
        self._now["force"], self._now["passed"] = dict(event["force"]), []
        if self._fought is None:
            self._fought = {side: list(self._now["play"][side]) for side in SIDES}

    def take_territory(self, event: Event) -> None:
        """F14, F21: change the numbers of territories."""
        self._now["territories"] = dict(event["territories"])

    def new_deck(self, event: Event) -> None:
        """F30: make a new deck of the hands and the discard pile."""
        hands = self._now["hands"]
        self._now["hands"] = {side: 0 if isinstance(hand, int) else [] for side, hand in hands.items()}
        self._now["discard"] = []
        if isinstance(self._now["deck"], int):
            self._now["deck"] = event["cards"]


ACTS: dict[str, Callable[[Scene, Event], None]] = {
    "season": Scene.season,
    "draw": Scene.draw,
    "reshuffle": Scene.reshuffle,
    "deploy": Scene.deploy,
    "play": Scene.use,
    "strategy": Scene.use,
    "replace": Scene.use,
    "lost": Scene.lose,
    "stolen": Scene.steal,
    "raided": Scene.use,
    "discard": Scene.put_away,
    "disband": Scene.disband,
    "event pass": Scene.out,
    "strategy pass": Scene.passes,
    "tally": Scene.begin_battle,
    "season won": Scene.win,
    "territory": Scene.take_territory,
    "new deck": Scene.new_deck,
}
"""The method that plays an event, by the kind of event."""

PLAYBACK = FirstWarPlayback()
