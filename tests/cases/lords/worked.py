"""Worked cases to the names and answers of the rules; README.md says what each key of a case means.

The cases are written as at a table, one order after another, whoever's turn it would be. So each order is
played in a game of its own that begins where the one before it stopped, with its player to move; and cards
that a case does not name lie in the draw pile, or in the Recruit row if the case says nothing of it.
"""

from __future__ import annotations

import json
import re
from typing import Any

from pbem.rules import IllegalAnswer
from pbem.rules.base import Event, View
from pbem.rules.lords import RULES
from pbem.rules.lords.facts import CARDS, SIDES
from pbem.rules.lords.game import Lords
from pbem.rules.lords.position import Follower
from pbem.rules.lords.powers import blockers
from tests.cases.lords.given import follower, written
from tests.cases.worked import Pile, Row

CARD = re.compile(r"[a-z]+-\d+")


class Worked:
    """One case being played."""

    def __init__(self, case: Row) -> None:
        self.case = case
        self.side = dict(zip(case["players"], SIDES, strict=False))
        self.player = {side: player for player, side in self.side.items()}
        self.options = {"players": len(self.side)}
        self.pile = Pile(case.get("draw", []))
        self.prefer: dict[str, list[str]] = {}
        self.events: list[Event] = []
        self.said: dict[str, str] = dict.fromkeys(self.side.values(), "")
        self.rejected: list[int] = []
        self.dealt_open = "DEAL ROUND" not in case["orders"]  # or slot 1 was turned up by the first flip
        self.state = self.first_position()

    # -- the position

    def first_position(self) -> View:
        """The position a case is given, with the cards that it does not name."""
        case = self.case
        named = set(CARD.findall(json.dumps(case)))
        spare = [name for name in reversed(CARDS) if name not in named]
        recruits = case.get("recruits", [])
        scores = {self.side[player]: score for player, score in case.get("scores", {}).items()}
        self.spare = spare
        victory = {side: self.worth(score, spare) for side, score in scores.items()}
        return {
            "holder": self.side[case.get("holder", case["orders"][0][0] if recruits else case["players"][0])],
            "supporters": case.get("supporters", []),
            "recruits": [row.rstrip("+-") for row in recruits],
            "recruits_up": [row.endswith("+") for row in recruits] or [False] * 5,
            "armies": {
                self.side[player]: [follower(row) for row in army]
                for player, army in case.get("armies", {}).items()
            },
            "hands": {self.side[player]: hand for player, hand in case.get("hands", {}).items()},
            "victory": victory,
            "discard": case.get("discard", []),
            "draw_pile": case.get("draw", spare),
        }

    @staticmethod
    def worth(score: int, spare: list[str]) -> list[str]:
        """Spare cards of this strength in all."""
        found = []
        for name in list(spare):
            if CARDS[name].strength <= score:
                score -= CARDS[name].strength
                found.append(name)
                spare.remove(name)
        assert not score
        return found

    def begin(self, **changed: Any) -> Lords:
        """A game from where the case stands."""
        return RULES.start(self.options, self.pile, {**self.state, "phase": "turns", **changed})

    def end(self, game: Lords, **changed: Any) -> None:
        """The case goes on from where this game stands."""
        self.events += game.told("gm")
        for side in self.said:
            self.said[side] += json.dumps([game.view(side), game.told(side)])
        self.state = {**game.view("gm"), **changed}
        self.game = game

    # -- orders

    def play(self) -> None:
        """Every order of the case."""
        orders = self.case["orders"]
        for number, order in enumerate(orders, 1):
            after = orders[number] if number < len(orders) else ""
            player, _, text = order.partition(": ")
            if order == "SETUP":
                holder = self.state["holder"]
                self.end(RULES.start({**self.options, "first": holder}, self.pile))
            elif order == "END ROUND":
                self.end_round(after)
            elif order == "DEAL ROUND":
                if number == 1:
                    self.end(self.begin(phase="deal", to_move=None, recruits=[]))
            elif text == "FLIP":
                self.dealt_open = True  # the rules turned the Recruit up when they came to its turn
            elif text.startswith("CLAIM"):
                self.prefer[self.side[player]] = CARD.findall(text)
            elif not self.turn(self.side[player], text, flips=after.endswith("FLIP")):
                self.rejected.append(number)

    def turn(self, side: str, text: str, *, flips: bool) -> bool:
        """One turn of a side; False if the order was refused."""
        holder = self.state["holder"]
        if not self.state["recruits"]:  # a row, so that the players who come after have a choice
            row = self.spare[-5:]
            pile = [name for name in self.state["draw_pile"] if name not in row]
            self.state.update(recruits=row, recruits_up=[True] * 5, draw_pile=pile)
        game = self.begin(to_move=side, holder=holder if flips else side, turn=1)
        if text == "PASS":
            legal = game.told("gm")[0]["event"] == "turn lost"
        else:
            legal = any(self.obey(game, side, order) for order in text.split(" || "))
        if legal:
            self.end(game, holder=holder)
        return bool(legal)

    def obey(self, game: Lords, side: str, order: str) -> bool:
        """One alternative of an order; False if its condition does not hold or the rules refuse it."""
        if condition := re.fullmatch(r"WHEN power (\S+) :: (.*)", order):
            if blockers(game.position, Follower(condition[1], up=True), game.options.test):
                return False
            order = condition[2]
        steps = order.split(" > ")
        word, card, *rest = (*steps.pop(0).split(), "") if order == "DEFAULT" else steps.pop(0).split()
        if word == "RECRUIT":
            if {"event": "recruit", "side": side, "slot": 1}.items() <= (game.told("gm") or [{}])[0].items():
                return card == "1"  # the only legal answer, so that nobody was asked
            slots = game.view(side)["recruits"]
            answer = f"recruit {slots.index(card) + 1 if card in slots else card}"
        elif word == "MUSTER":
            answer = f"muster {card} {rest.pop(0).lower()}"
        else:
            answer = game.asks[0].default
        try:
            game.answer(side, answer)
        except IllegalAnswer:
            return False
        while game.asks and game.asks[0].side == side and (ask := game.asks[0]).kind != "turn":
            if ask.kind == "muster":
                _, card, facing, *rest = steps.pop(0).split()
                answer = f"muster {card} {facing.lower()}"
            elif ask.kind == "target":
                answer = f"use {self.target(rest[-1])}"
            else:
                answer = " ".join([*rest[:1], *(self.target(name) for name in rest[1:2])]).lower()
            game.answer(side, answer if answer in ask.legal else "no power")
        return True

    def target(self, written_so: str) -> str:
        """`A/wemyss-4` with the side for the player; a Supporter as it is."""
        player, slash, name = written_so.partition("/")
        return f"{self.side[player]}/{name}" if slash else written_so

    def end_round(self, after: str) -> None:
        """The end of the round; what the rules deal then is taken back unless the case deals."""
        row: Row = {} if "recruits" in self.case and self.state.get("round", 1) == 1 else {"recruits": []}
        if row:
            back = [name for name in self.state["recruits"] if name]
            self.state["draw_pile"] = [*self.state["draw_pile"], *back]
        game = self.begin(phase="claims", to_move=None, **row)
        while game.asks and (ask := game.asks[0]).kind == "claim":
            wanted = [f"claim {name}" for name in self.prefer.get(ask.side, ())]
            game.answer(ask.side, next((name for name in wanted if name in ask.legal), ask.default))
        self.end(game)
        if after != "DEAL ROUND" and game.outcome is None:
            drawn = [*filter(None, self.state["recruits"]), *self.state["supporters"]]
            self.state["draw_pile"] = [*self.state["draw_pile"], *drawn]
            self.state.update(recruits=[], supporters=[])

    # -- what came of it

    def result(self, key: str) -> Any:
        """What became of `key`, in the words of the case."""
        return getattr(self, f"find_{key}")()

    def by_player(self, table: dict[str, Any]) -> dict[str, Any]:
        """A table of sides as one of players."""
        return {self.player[side]: value for side, value in table.items()}

    def last_totals(self) -> Event:
        """What was told when the armies were counted."""
        return [event for event in self.events if event["event"] == "totals"][-1]

    def find_rejected(self) -> list[int]:
        """Numbers of the orders that were refused."""
        return self.rejected

    def find_powers_used(self) -> list[str]:
        """Cards whose power took effect."""
        return sorted(event["card"] for event in self.events if event["event"] == "power")

    def find_totals(self) -> dict[str, int]:
        """The armies' totals."""
        return self.by_player(self.last_totals()["totals"])

    def find_placing(self) -> list[str]:
        """The players with a Follower, best first."""
        return [self.player[side] for side in self.last_totals()["placing"]]

    def find_claims(self) -> dict[str, list[str]]:
        """Who claimed what."""
        found: dict[str, list[str]] = {}
        for event in self.events:
            if event["event"] == "claim":
                found.setdefault(self.player[event["side"]], []).append(event["card"])
        return found

    def find_next_holder(self) -> str:
        """Who holds the token."""
        return str(self.player[self.state["holder"]])

    def find_revealed(self) -> list[str]:
        """Face-down cards that the public has seen."""
        told = self.game.told("public")
        return [event["card"] for event in told if event["event"] == "wemyss" and not event["up"]]

    def find_recruits(self) -> list[str]:
        """The row of Recruits."""
        rows = zip(self.state["recruits"], self.state["recruits_up"], strict=True)
        shown = [name and f"{name}{'+' if up else '-'}" for name, up in rows]
        return shown if self.dealt_open else [shown[0].replace("+", "-"), *shown[1:]]

    def find_armies(self) -> dict[str, list[str]]:
        """The armies, in order of arrival."""
        return self.by_player({side: list(map(written, army)) for side, army in self.state["armies"].items()})

    def find_hands(self) -> dict[str, list[str]]:
        """The hands, sorted by name."""
        return self.by_player({side: sorted(hand) for side, hand in self.state["hands"].items()})

    def find_scores(self) -> dict[str, int]:
        """The strength of the victory piles."""
        return self.by_player(self.state["scores"])

    def find_supporters(self) -> list[str]:
        """The row of Supporters."""
        found: list[str] = self.state["supporters"]
        return found

    def find_draw(self) -> list[str]:
        """Those cards of the draw pile that the case names, sorted by name."""
        return self.named(self.state["draw_pile"])

    def find_discard(self) -> list[str]:
        """Those cards of the discard pile that the case names, sorted by name."""
        return self.named(self.state["discard"])

    def named(self, pile: list[str]) -> list[str]:
        """Those cards that the case names."""
        return sorted(set(pile) & set(CARD.findall(json.dumps(self.case))))

    def find_game_over(self) -> bool:
        """Has the game ended?"""
        return self.game.outcome is not None

    def find_winner(self) -> str:
        """Who has won."""
        assert self.game.outcome is not None
        return str(self.player[str(self.game.outcome.winner)])

    def find_seen_by(self) -> dict[str, list[str]]:
        """For each card that the case asks for: the players who were told or shown it."""
        return {
            card: [player for player, side in self.side.items() if f'"{card}"' in self.said[side]]
            for card in self.case["expect"]["seen_by"]
        }
