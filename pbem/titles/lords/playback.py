"""The playback of Lords of Scotland: events move cards on the table; the end of a round is a board.

Face-down Followers of others that a reader has marked are tracked from the reader's reports (L18, L21, L32).
An army lies in the order in which cards came to it, and all that moves a card between armies or out of one
is told with its number. So a face-down card is followed until it is turned up at the end of the round, or
discarded. A card that the reader knows is followed in the same way.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from copy import deepcopy
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from pbem.playback import Board, EnemyBlock, Fighter, Later, Step, Trace, joined
from pbem.reports.base import HARD
from pbem.reports.words import runs
from pbem.rules.base import Event, View
from pbem.rules.lords.facts import CARDS, CLANS, NUMBERS, rank, strength
from pbem.titles.lords.reports import OWN_LINE, SENTENCES, SIDE, belongs

ENDING = frozenset(("reveal", "totals", "claim", "scores", "kept"))
"""The kinds of event that are told of the end of a round."""
KEYS = (
    *("supporters", "recruits", "recruits_up", "armies", "hands", "victory", "scores", "claims"),
    *("discard", "draw_pile", "round", "turn", "holder"),
)
"""The keys of a view that events change."""
BACK = "?"
"""The sign for a card that its reader does not know."""


class LordsPlayback:
    """The steps of a report of Lords; a `Playback` and a `Retrospect`."""

    turning_points = MappingProxyType({"totals": "the end of a round", "claim": "a card is claimed"})

    def measures(self, view: View) -> dict[str, dict[str, int]]:
        """Return two measures of the game, each a number by side: points, and Followers."""
        armies = {side: len(rows) for side, rows in view["armies"].items()}
        return {"points": dict(view["scores"]), "Followers": armies}

    def steps(self, before: View | None, told: Sequence[Event], after: View) -> tuple[Step, ...]:
        """Return a step for each run of events that the report tells together."""
        scene = Scene(before or after)
        found: list[Step] = []
        for run in joined(runs(told, belongs), is_told_with):
            for event in run:
                if before is not None:
                    scene.play(event)
            found.append(
                Step(
                    lines=tuple(sentences(run)),
                    chapter=scene.chapter(run[-1]),
                    events=tuple(run),
                    view=scene.view(),
                    board=scene.board(run) if before is not None else None,
                )
            )
        if found:
            found.append(replace(found.pop(), view=after))
        return tuple(found)


def is_told_with(held: Sequence[Event], run: Sequence[Event]) -> bool:
    """Tell whether a run of events is told with the one before, as Recruits turned up when a turn begins."""
    return bool(held[-1]["event"] == "turn" and run[0]["event"] == "flip")


def sentences(run: Sequence[Event]) -> Iterator[str]:
    """Yield the sentences of a step, one after another for all that is told of a card."""
    for part in runs(run, lambda _, event: event["event"] not in OWN_LINE):
        if part[0]["event"] == "totals":
            yield from compared(part[0])
        else:
            yield " ".join(SENTENCES[event["event"]](event) for event in part).replace(HARD, " ")


def compared(event: Event) -> Iterator[str]:
    """The End of the Round: yield the total of each army, the best first, with what decided a tie."""
    values = event["totals"]
    for place, side in enumerate(event["placing"], 1):
        names = " + ".join(CARDS[name].title for name in event["armies"][side])
        equal = list(values.values()).count(values[side]) > 1
        tie = f"; best rank {event['ranks'][side]}" if equal else ""
        yield f"{place}. {SIDE[side]}: {names} = {sum_of(side, event)}{tie}."
    for side in event["armies"]:
        if side not in event["placing"]:
            yield f"{SIDE[side]} has no Follower, and claims nothing."


def sum_of(side: str, event: Event) -> str:
    """Return the total of an army in words: "7", or "7, doubled 14"."""
    plain, value = sum(map(strength, event["armies"][side])), event["totals"][side]
    return f"{plain}" if plain == value else f"{plain}, doubled {value}"


class Scene:
    """The table as one reader knows it, which changes with each event that is played."""

    def __init__(self, view: View) -> None:
        self._view = view
        self._now: dict[str, Any] = deepcopy({key: view[key] for key in KEYS})
        self._ended: Event | None = None  # how the armies compared, until the next round
        self._staying: set[str] = set()  # cards that stay for another round

    @property
    def armies(self) -> dict[str, list[dict[str, Any]]]:
        """The rows of the Followers in each army, in the order in which they lie."""
        armies: dict[str, list[dict[str, Any]]] = self._now["armies"]
        return armies

    def view(self) -> View:
        """Return the view of the table as it is now."""
        moment = [f"round {self._now['round']}", f"turn {self._now['turn']}"]
        return {**self._view, **deepcopy(self._now), "moment": moment}

    def chapter(self, event: Event) -> str:
        """Return the title of the story's chapter to which an event belongs."""
        if event["event"] in ENDING:
            return f"The end of round {self._now['round']}"
        return f"Round {self._now['round']}, turn {self._now['turn']}"

    def board(self, run: Sequence[Event]) -> Board | None:
        """Return the armies side by side at the end of a round, the best first once they were compared."""
        if not any(event["event"] in ENDING for event in run):
            return None
        armies, ended = self._now["armies"], self._ended
        order = [*ended["placing"]] if ended else []
        order += [side for side in armies if side not in order]
        return Board(
            area="",
            round=0,
            attacker="",
            lines=tuple((side, tuple(fighter(side, row) for row in armies[side])) for side in order),
            reserves=(),
            shot=None,
            hit=tuple(event["card"] for event in run if event["event"] == "reveal"),
            totals=tuple((side, total_of(side, ended)) for side in order) if ended else (),
        )

    def play(self, event: Event) -> None:
        """Play one event, so that the table changes as the event tells."""
        if act := ACTS.get(event["event"]):
            act(self, event)

    # -- where cards lie

    def _into_hand(self, side: str, card: str | None, number: int = 1) -> None:
        hand = self._now["hands"][side]
        if isinstance(hand, int):
            self._now["hands"][side] = hand + number
        elif card is not None:
            self._now["hands"][side] = sorted([*hand, card], key=rank)

    def _out_of_hand(self, side: str, card: str | None) -> None:
        hand = self._now["hands"][side]
        if isinstance(hand, int):
            self._now["hands"][side] = max(0, hand - 1)
        elif card in hand:
            hand.remove(card)

    def _draw(self, number: int = 1) -> None:
        pile = self._now["draw_pile"]
        if isinstance(pile, int):
            self._now["draw_pile"] = max(0, pile - number)

    def _to_discard(self, cards: Sequence[str]) -> None:
        pile = self._now["discard"]
        if isinstance(pile, int):
            self._now["discard"] = pile + len(cards)
        else:
            self._now["discard"] = sorted([*pile, *cards], key=rank)

    def _take(self, side: str, card: str) -> dict[str, Any]:
        """Take a card from an army by name, or the last one if no card has the name; return its row."""
        army = self._now["armies"][side]
        place = next((place for place, row in enumerate(army) if row["card"] == card), len(army) - 1)
        row: dict[str, Any] = army.pop(place)
        return row

    # -- what was told

    def hand(self, event: Event) -> None:
        """L2: deal cards to a side."""
        cards = event.get("cards")
        self._now["hands"][event["side"]] = event["size"] if cards is None else sorted(cards, key=rank)
        self._draw(event["size"])

    def first(self, event: Event) -> None:
        """L3: give the token to the side that begins."""
        self._now["holder"] = event["side"]

    def begin_round(self, event: Event) -> None:
        """L4, L25, L28: discard what was not kept, and lay out new Recruits."""
        armies = self._now["armies"]
        left = [row["card"] for army in armies.values() for row in army if not self._is_kept(row)]
        left += [*self._now["supporters"], *(card for card in self._now["recruits"] if card)]
        if event["round"] > 1:
            self._to_discard(left)
            for side, army in armies.items():
                armies[side] = [row for row in army if self._is_kept(row)]
        self._now |= {
            "round": event["round"],
            "turn": 1,
            "holder": event["holder"],
            "supporters": [],
            "recruits": [BACK] * NUMBERS.recruits,
            "recruits_up": [False] * NUMBERS.recruits,
            "claims": {side: [] for side in armies},
        }
        self._ended, self._staying = None, set()
        self._draw(NUMBERS.recruits)

    def _is_kept(self, row: dict[str, Any]) -> bool:
        return row["card"] in self._staying

    def lay_supporters(self, event: Event) -> None:
        """L4, L5: lay out the new Supporters."""
        self._now["supporters"] = list(event["cards"])
        self._draw(len(event["cards"]))

    def refuse_supporters(self, event: Event) -> None:
        """L5: discard Supporters of equal strength, which are dealt again."""
        self._draw(len(event["cards"]))
        self._to_discard(event["cards"])

    def reshuffle(self, event: Event) -> None:
        """L6: make the discard pile the draw pile."""
        pile = self._now["draw_pile"]
        if isinstance(pile, int):
            self._now["draw_pile"] = pile + event["cards"]
        self._now["discard"] = 0 if isinstance(self._now["discard"], int) else []

    def begin_turn(self, event: Event) -> None:
        """L7: begin a turn."""
        self._now |= {"round": event["round"], "turn": event["turn"], "holder": event["holder"]}

    def flip(self, event: Event) -> None:
        """L7: turn up a face-down Recruit."""
        self._now["recruits"][event["slot"] - 1] = event["card"]
        self._now["recruits_up"][event["slot"] - 1] = True

    def recruit(self, event: Event) -> None:
        """L8: move a Recruit into a side's hand, and fill the slot if a card is left."""
        self._into_hand(event["side"], event.get("card"))
        self._now["recruits"][event["slot"] - 1] = BACK if event["filled"] else ""
        self._draw(int(event["filled"]))

    def refill(self, event: Event) -> None:
        """L8: lay a face-up card into a slot of the Recruits."""
        self._now["recruits"][event["slot"] - 1] = event["card"]

    def muster(self, event: Event) -> None:
        """L12: move a card from a hand into an army."""
        card = event.get("card")
        self._out_of_hand(event["side"], card)
        self._now["armies"][event["side"]].append(row_of(card or BACK, up=event["up"]))

    def use_power(self, event: Event) -> None:
        """L15, L20, L22: lay a token on a card whose power counts at the end of the round."""
        if CLANS[event["clan"]].immediate:
            return
        for row in self._now["armies"][event["side"]]:
            if row["card"] == event["card"]:
                row["active"] = True
                row["copied"] = event["clan"] if event["clan"] != CARDS[event["card"]].clan else None

    def cockburn(self, event: Event) -> None:
        """L17: exchange a card of the army for a Supporter."""
        supporters = self._now["supporters"]
        self._take(event["side"], event["given"])
        if event["taken"] in supporters:
            supporters[supporters.index(event["taken"])] = event["given"]
        self._now["armies"][event["side"]].append(row_of(event["taken"], up=True))

    def ferguson(self, event: Event) -> None:
        """L18: exchange two Followers between armies."""
        armies = self._now["armies"]
        given = self._take(event["side"], event["given"])
        taken = armies[event["other"]].pop(event["number"] - 1)
        armies[event["other"]].append(given)
        armies[event["side"]].append({**taken, "card": event.get("card", taken["card"])})

    def forsyth(self, event: Event) -> None:
        """L10: move a card from the draw pile into a hand."""
        self._into_hand(event["side"], event.get("card"))
        self._draw()

    def wemyss(self, event: Event) -> None:
        """L21: discard a Follower."""
        lost = self._now["armies"][event["other"]].pop(event["number"] - 1)
        self._to_discard([event.get("card", lost["card"])])

    def reveal(self, event: Event) -> None:
        """L15: turn up what lay face-down."""
        for row in self._now["armies"][event["side"]]:
            if not row["up"] and row["card"] in (event["card"], BACK):
                row |= {"card": event["card"], "up": True}
                return

    def compare(self, event: Event) -> None:
        """L29: note the totals of the armies."""
        self._ended = event

    def claim(self, event: Event) -> None:
        """L25, L26: give a Supporter to the side that claims it, and add its strength to the score."""
        side, card = event["side"], event["card"]
        if card in self._now["supporters"]:
            self._now["supporters"].remove(card)
        self._now["claims"][side].append(card)
        self._now["victory"][side].append(card)
        self._now["scores"][side] += strength(card)

    def score(self, event: Event) -> None:
        """L31: set the scores to those that are told."""
        self._now["scores"] = dict(event["scores"])

    def keep(self, event: Event) -> None:
        """L28: keep a MacDonnell for another round."""
        for row in self._now["armies"][event["side"]]:
            if row["card"] == event["card"]:
                row |= {"active": False, "copied": None, "kept": True}
                self._staying.add(row["card"])


def row_of(card: str, *, up: bool) -> dict[str, Any]:
    """Return the row of data for a Follower that has just joined an army."""
    return {"card": card, "up": up, "active": False, "copied": None, "kept": False}


def fighter(side: str, row: dict[str, Any]) -> Fighter:
    """Return a Follower as a fighter on the board: its strength is only told, since it loses none."""
    fact = CARDS.get(row["card"])
    rating = f"{fact.strength}" if fact and row["up"] else "face-down"
    name, said = (fact.name, fact.title) if fact else ("a card", "")
    return Fighter(name=name, said=said, side=side, rating=rating, strength=0, full=0)


def total_of(side: str, ended: Event) -> str:
    """Return the place and the total of an army in words; "no Follower" for an empty army."""
    if side not in ended["placing"]:
        return "no Follower"
    return f"{ended['placing'].index(side) + 1}. with {sum_of(side, ended)}"


ACTS: dict[str, Callable[[Scene, Event], None]] = {
    "hand": Scene.hand,
    "first": Scene.first,
    "round": Scene.begin_round,
    "supporters": Scene.lay_supporters,
    "supporters refused": Scene.refuse_supporters,
    "reshuffle": Scene.reshuffle,
    "turn": Scene.begin_turn,
    "flip": Scene.flip,
    "recruit": Scene.recruit,
    "refill": Scene.refill,
    "muster": Scene.muster,
    "power": Scene.use_power,
    "cockburn": Scene.cockburn,
    "ferguson": Scene.ferguson,
    "forsyth": Scene.forsyth,
    "wemyss": Scene.wemyss,
    "reveal": Scene.reveal,
    "totals": Scene.compare,
    "claim": Scene.claim,
    "scores": Scene.score,
    "kept": Scene.keep,
}
"""The method that plays an event, by the kind of event; kinds that move nothing are not in it."""

PLAYBACK = LordsPlayback()

MARKED = "marked"
"""The key that marks the row of the Follower that is followed."""


class LordsTracker:
    """The follower of face-down Followers in Lords of Scotland; a `Tracker`."""

    def enemies(self, view: View) -> tuple[EnemyBlock, ...]:
        """Return the face-down Followers in the armies of other sides."""
        return tuple(
            EnemyBlock(
                side=side,
                area=place_of(side, number),
                name="" if row["card"] == BACK else row["card"],
                said=describe(row, side, number, view),
            )
            for side, army in view["armies"].items()
            if side != view["viewer"]
            for number, row in enumerate(army, 1)
            if not row["up"]
        )

    def follow(self, block: EnemyBlock, later: Later) -> Trace:
        """Return the army and number at which a Follower lies, by the reports from its marking on."""
        (_, _, before), *reports = later
        side, _, number = block.area.partition("/#")
        place, said = (side, int(number)), block.said
        for exchange, told, view in reports:
            scene = Scene(before)
            lost = scene.armies[place[0]][place[1] - 1]
            lost[MARKED] = True
            for event in told:
                scene.play(event)
                found = [(one, row) for one, army in scene.armies.items() for row in army if row.get(MARKED)]
                if not found:
                    card = event.get("card", lost["card"])
                    was = "" if card == BACK else f"; it was {CARDS[card].title}"
                    return Trace((), f"discarded in exchange {exchange}{was}")
                lost = found[0][1]
                if lost["up"]:
                    return Trace((), f"turned up in exchange {exchange}: it was {CARDS[lost['card']].title}")
            place = next(
                (one, number)
                for one, army in scene.armies.items()
                for number, row in enumerate(army, 1)
                if row.get(MARKED)
            )
            row = view["armies"][place[0]][place[1] - 1]
            before, said = view, describe(row, *place, view)
        return Trace((place_of(*place),), said)


def place_of(side: str, number: int) -> str:
    """Return the place of a Follower as orders write it: its army, and its number there."""
    return f"{side}/#{number}"


def describe(row: dict[str, Any], side: str, number: int, view: View) -> str:
    """Return a face-down Follower in words, as its reader knows it."""
    card = "a face-down card" if row["card"] == BACK else f"{CARDS[row['card']].title}, face-down"
    whose = "your" if side == view["viewer"] else f"{SIDE[side]}'s"
    return f"{card}, number {number} of {whose} army"


TRACKER = LordsTracker()
