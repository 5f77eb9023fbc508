"""Worked cases to the names and answers of the rules; README.md says what each key of a case means.

A case runs some phases and no others, so the phases are run here one by one instead of by `RULES.start`.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from pbem.rules.base import Ask, Event, Outcome
from pbem.rules.first_war import BATTLE_SEASON, WINTER, final, next_season
from pbem.rules.first_war.facts import DECK, ENGLISH, NUMBERS, SCOTS, SIDES, kind_of
from pbem.rules.first_war.game import FirstWar
from pbem.rules.first_war.options import read_options
from pbem.rules.first_war.season_start import set_up
from pbem.rules.first_war.views import restore
from tests.cases.worked import Pile, Row

SIDE = {"S": SCOTS, "E": ENGLISH}
LETTER = {side: letter for letter, side in SIDE.items()}
PHASES = {"EVENTS": ("event",), "WINTER": tuple(WINTER)}
NOT_OVER = Outcome(None, "the phases of the case are over")


class Sheet:
    """One side's orders, obeyed as the case's README says."""

    def __init__(self, side: str, orders: Row) -> None:
        self.side = side
        self.orders = orders
        self.left = {key: list(orders.get(key, ())) for key in ("deploy", "events", "strategy", "victory")}
        self.refused_replacing = list(orders.get("replace", ()))

    def reply(self, ask: Ask, force: dict[str, int]) -> str:
        """The answer to what is asked."""
        found: str = getattr(self, ask.kind)(ask, force)
        return found

    def deploy(self, ask: Ask, _force: dict[str, int]) -> str:
        """The next Unit of the list that may go down; everything without a list."""
        if self.orders.get("deploy", "ALL") == "ALL":
            return ask.default
        return self.next_of("deploy", ask, lambda item: [f"deploy {kind_of(item).id}"]) or "done"

    def bonus(self, _ask: Ask, _force: dict[str, int]) -> str:
        """Deploy it unless the sheet says no."""
        return "deploy" if self.orders.get("bonus", True) else "keep"

    def event(self, ask: Ask, _force: dict[str, int]) -> str:
        """The first Event of the plan that may be played."""
        return self.next_of("events", ask, lambda item: self.with_targets("event", item)) or "pass"

    def victory(self, ask: Ask, _force: dict[str, int]) -> str:
        """The first Victory card of the plan that may be played."""
        return self.next_of("victory", ask, lambda item: self.with_targets("victory", item)) or "done"

    def strategy(self, ask: Ask, force: dict[str, int]) -> str:
        """The next Strategy card, if this side is behind and can still get ahead."""
        able = [item for item in self.left["strategy"] if f"strategy {kind_of(item).id}" in ask.legal]
        most = self.orders.get("strategy_max", len(able))
        enemy = force[ENGLISH if self.side == SCOTS else SCOTS]
        enough = enemy if self.side == SCOTS else enemy + 1
        needed = force[self.side] < enough <= force[self.side] + min(most, len(able))
        if not able or not most or not (needed or self.orders.get("strategy_mode") == "all"):
            return "pass"
        self.left["strategy"].remove(able[0])
        return f"strategy {kind_of(able[0]).id}"

    def casualty(self, ask: Ask, _force: dict[str, int]) -> str:
        """The first Unit of the list that is in play."""
        wanted = [f"lose {kind_of(item).id}" for item in self.orders.get("casualty", ())]
        return next((answer for answer in wanted if answer in ask.legal), ask.default)

    def replace(self, ask: Ask, _force: dict[str, int]) -> str:
        """The first card of the list that may be replaced."""
        if "replace" not in self.orders:
            return ask.default
        answers = {item: f"replace {kind_of(item).id}" for item in self.orders["replace"]}
        self.refused_replacing = [item for item, answer in answers.items() if answer not in ask.legal]
        return next((answer for answer in answers.values() if answer in ask.legal), "keep")

    def discard(self, ask: Ask, _force: dict[str, int]) -> str:
        """The card that stands last in the list of what to keep."""
        return self.worst(ask, "discard", "keep")

    def quarter(self, ask: Ask, _force: dict[str, int]) -> str:
        """The Unit that stands last in the list of what to keep."""
        return self.worst(ask, "disband", "winter_keep")

    def worst(self, ask: Ask, verb: str, key: str) -> str:
        """What stands last in a list, or not in it."""
        wanted = [f"{verb} {kind_of(item).id}" for item in self.orders.get(key, ())]
        if not wanted:
            return ask.default
        return max(ask.legal, key=lambda answer: wanted.index(answer) if answer in wanted else len(wanted))

    def with_targets(self, verb: str, item: str) -> list[str]:
        """`kill_traitor-1 ON E/x-1 | S/y-2` as answers."""
        card, _, listed = item.partition(" ON ")
        kind = kind_of(card)
        if not listed:
            return [f"{verb} {kind.id}"]
        found = []
        for target in listed.split(" | "):
            letter, _, unit = target.partition("/")
            owner = "" if kind.op == "steal" else f"{SIDE[letter]} "
            own = kind.op == "steal" and SIDE[letter] == self.side
            found.append("" if own else f"{verb} {kind.id} on {owner}{kind_of(unit).id}")
        return found

    def next_of(self, key: str, ask: Ask, answers: Any) -> str:
        """The first legal answer of a plan, whose line is used up; nothing if there is none."""
        for item in self.left[key]:
            for answer in answers(item):
                if answer in ask.legal:
                    self.left[key].remove(item)
                    return str(answer)
        return ""

    def illegal(self) -> list[str]:
        """Lines that were never legal."""
        letter = LETTER[self.side]
        plans = [(key, item) for key in ("deploy", "victory") for item in self.left[key]]
        return [
            f"{letter} {key} {item}"
            for key, item in [*plans, *(("replace", i) for i in self.refused_replacing)]
        ]


class Worked:
    """One case being played."""

    def __init__(self, case: Row) -> None:
        self.case = case
        self.sheets = {side: Sheet(side, case.get("orders", {}).get(LETTER[side], {})) for side in SIDES}
        winter = case["phases"][:1] == ["WINTER"]
        deck = case.get("deck", [])
        given = {
            "year": NUMBERS.first_year + case.get("year", 1) - 1,
            "season": "winter" if winter else "spring",
            "phase": "quartering" if winter else "recruit",
            **{key: self.by_side(case.get(key, {})) for key in ("territories", "play", "hands")},
            "discard": case.get("discard", []),
            **({} if deck == "REST" else {"deck": deck}),
        }
        pile = Pile([] if deck == "REST" else deck)
        names = (*WINTER, *BATTLE_SEASON)
        self.game = FirstWar(read_options({}), pile, restore(given, names), stops=False)
        self.state: Row = {}

    @staticmethod
    def by_side(table: Row) -> Row:
        """A table of letters as one of sides."""
        return {SIDE[letter]: value for letter, value in table.items()}

    def play(self) -> None:
        """Every phase of the case."""
        self.game.run(self.phases())
        while self.game.asks:
            for ask in self.game.asks:
                reply = self.sheets[ask.side].reply(ask, self.game.position.force)
                assert reply in ask.legal, (ask.kind, reply)
                self.game.answer(ask.side, reply)
                break
        self.state = self.state or self.game.view("gm")

    async def phases(self) -> Outcome:
        """The phases of the case; then, if it asks who would win the season, the Victory Phase."""
        position = self.game.position
        for name in self.case["phases"]:
            if name == "SETUP":
                await set_up(self.game)
                continue
            for phase in PHASES.get(name, (name.lower(),)):
                position.phase = phase
                await {**BATTLE_SEASON, **WINTER}[phase](self.game)
            if name == "WINTER" and position.year >= self.game.options.last_year:
                return final(self.game)
            if name == "WINTER":
                next_season(position)
            if name == "VICTORY" and self.case["phases"].count("BATTLE") > 1:
                position.force = {}  # the next battle of the case is another season's
        self.state = self.game.view("gm")
        if "season_winner" in self.case["expect"] and "VICTORY" not in self.case["phases"]:
            await BATTLE_SEASON["victory"](self.game)
        return NOT_OVER

    # -- what came of it

    def result(self, key: str) -> Any:
        """What became of `key`, in the words of the case."""
        return getattr(self, f"find_{key}")()

    def told(self, *names: str) -> list[Event]:
        """The events of these names."""
        return [event for event in self.game.told("gm") if event["event"] in names]

    def by_letter(self, table: Row) -> Row:
        """A table of sides as one of letters."""
        return {LETTER[side]: value for side, value in table.items()}

    def cards(self, cards: list[str]) -> list[str]:
        """Cards as they are compared: sorted, and by kind if the case cannot name them."""
        return sorted(kind_of(card).id if self.case.get("compare") == "kinds" else card for card in cards)

    def find_composition(self) -> Row:
        """What the deck is made of."""
        letters = {"leader": "L", "noble": "N", "troop": "T", "event": "X", "strategy": "Z", "victory": "V"}
        found = Counter(letters[kind_of(card).type] for card in DECK)
        users = Counter(f"user_{LETTER.get(kind_of(card).user, 'B')}" for card in DECK)
        return {"total": len(DECK), **found, **users}

    def find_deck_count(self) -> int:
        """Cards in the deck."""
        return len(self.state["deck"])

    def find_deck(self) -> list[str]:
        """The deck, sorted."""
        return self.cards(self.state["deck"])

    def find_discard(self) -> list[str]:
        """The discard pile, sorted."""
        return self.cards(self.state["discard"])

    def find_hand_counts(self) -> Row:
        """The number of cards in each hand."""
        return self.by_letter({side: len(hand) for side, hand in self.state["hands"].items()})

    def find_hands(self) -> Row:
        """The hands, sorted."""
        return self.by_letter({side: self.cards(hand) for side, hand in self.state["hands"].items()})

    def find_play(self) -> Row:
        """The Units in play, sorted."""
        return self.by_letter({side: self.cards(play) for side, play in self.state["play"].items()})

    def find_territories(self) -> Row:
        """The tokens of each side."""
        return self.by_letter(self.state["territories"])

    def find_shuffles(self) -> int:
        """How often the discard pile became the deck."""
        return len(self.told("reshuffle"))

    def find_illegal(self) -> list[str]:
        """Order lines that were never legal."""
        return sorted(line for sheet in self.sheets.values() for line in sheet.illegal())

    def find_events_played(self) -> list[str]:
        """Events and Victory cards, in order."""
        plays = [event for event in self.told("play") if kind_of(event["card"]).type == "event"]
        return [f"{LETTER[event['side']]} {event['card']}" for event in plays]

    def find_base_force(self) -> Row:
        """Force before Strategy cards."""
        return self.by_letter(self.told("tally")[-1]["force"])

    def find_force(self) -> Row:
        """Force after Strategy cards."""
        told = self.told("tally", "strategy")
        return self.by_letter(told[-1]["force"]) if told else {}

    def find_strategy_log(self) -> list[str]:
        """Strategy cards and passes, in order."""
        told = self.told("strategy", "strategy pass")
        return [f"{LETTER[event['side']]} {event.get('card', 'pass')}" for event in told]

    def find_season_winner(self) -> str:
        """Who won the season."""
        won = self.told("season won")
        return str(won[-1]["side"]).title() if won else "none"

    def find_game_over(self) -> bool:
        """Has the game ended?"""
        return self.game.outcome is not NOT_OVER

    def find_winner(self) -> str:
        """Who has won the game."""
        assert self.game.outcome is not None
        return self.game.outcome.winner.title() if self.game.outcome.winner else "draw"
