"""The playback of Hammer of the Scots: events move blocks on the map, and fill the board of a battle."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from pbem.playback import Board, Decision, Fighter, Shot, Step, joined
from pbem.reports.words import runs
from pbem.rules.base import Event, View
from pbem.rules.hammer.facts import (
    AREAS,
    BLOCKS,
    ENGLAND,
    ENGLAND_AREA,
    OFF_MAP,
    POOL,
    SIDES,
    WINTER_TURN,
    enemy_of,
)
from pbem.titles.hammer.reports import FATES, IN_BATTLE, belongs
from pbem.titles.hammer.reports.sentences import SENTENCES, SIDE, TOGETHER, rating

WINTERLY = frozenset({"home", "winter move", "edward", "disband", "french", "draw", "builds", "levy"})
"""The kinds of event that are told of a winter; a levy is told of the set-up too."""


NOBLE = "a noble changes sides"
LOSS = "a block is out of the game"


class HammerPlayback:
    """The steps of a report of Hammer; a `Playback` and a `Retrospect`."""

    turning_points = MappingProxyType({"captured": NOBLE, "defects": NOBLE, "dead": LOSS})

    def measures(self, view: View) -> dict[str, dict[str, int]]:
        """Return two measures of the game, each a number by side: blocks on the map, and 9.0: nobles."""
        areas, nobles = view["areas"].values(), list(view["nobles"].values())
        return {
            "blocks on the map": {side: sum(area[side] for area in areas) for side in SIDES},
            "nobles": {side: nobles.count(side) for side in SIDES},
        }

    def steps(self, before: View | None, told: Sequence[Event], after: View) -> tuple[Step, ...]:
        """Return a step for each run of events that the report tells together."""
        scene = Scene(before or after)
        found: list[Step] = []
        chapter = fight_of(before)
        for run in joined(runs(told, belongs), is_told_with):
            chapter = chapter_of(run[0], chapter)
            decisions: list[Decision] = []
            for event in run:
                if before is not None:
                    decisions += scene.decisions(event)
                    scene.play(event)
            found.append(
                Step(
                    lines=tuple(sentences(run)),
                    chapter=chapter,
                    events=tuple(run),
                    view=scene.view(),
                    board=scene.board(run),
                    decisions=tuple(decisions),
                )
            )
        if found:
            found.append(replace(found.pop(), view=after))
        return tuple(found)


def is_told_with(_: Sequence[Event], run: Sequence[Event]) -> bool:
    """Tell whether a run of events is told with the one before, as "moves over" is with the last move."""
    return run[0]["event"] == "moves over" and bool(run[0]["blocks"])


def sentences(run: Sequence[Event]) -> Iterator[str]:
    """Yield the sentences that tell a step of the story, in place of the report's rows of a table.

    Hits fall on one block after another; what is left of each is told once.
    """
    for part in runs(run, lambda held, event: event["event"] == held[-1]["event"] in TOGETHER):
        kind = part[0]["event"]
        if kind == "hit":
            last = {event["block"]: event for event in part}
            yield from (f"{SENTENCES[kind].say([event])}." for event in last.values())
            continue
        for events in [part] if kind in TOGETHER else [[event] for event in part]:
            said = SENTENCES[kind].say(events)
            said = f"{SIDE[part[0]['side']]} moves {said}" if kind == "move" else said
            yield from (line if line.endswith(".") else f"{line}." for line in said.split("\n"))


def fight_of(view: View | None) -> str:
    """Return the chapter that goes on when a report begins amid a battle; "" if it begins elsewhere."""
    fight = view["battle"] if view else None
    return f"Battle of {fight['area']}" if fight else ""


def chapter_of(event: Event, chapter: str) -> str:
    """Return the title of the chapter to which an event belongs, given that of the event before it."""
    kind = event["event"]
    if kind == "battle":
        return f"Battle of {event['area']}"
    if kind in IN_BATTLE or (kind in FATES and chapter.startswith("Battle")):
        return chapter
    if kind in ("move", "moves over"):
        return f"{SIDE[event['side']]} moves"
    if kind == "winter" or (kind in WINTERLY and chapter == "Winter"):
        return "Winter"
    return ""


class Scene:
    """The position as one reader knows it, which changes with each event; nameless blocks are numbers."""

    def __init__(self, view: View) -> None:
        self._view = view
        self._areas: dict[str, dict[str, int]] = {area: dict(sides) for area, sides in view["areas"].items()}
        self._blocks: dict[str, dict[str, Any]] = {
            name: dict(block) for name, block in view["blocks"].items()
        }
        self._attacks: dict[str, dict[str, Any]] = {area: dict(one) for area, one in view["attacks"].items()}
        self._head: dict[str, Any] = {}  # what events change of the rest of the view
        self._fight: Fight | None = None
        if fight := view["battle"]:
            self._fight = Fight(
                fight["area"], fight["attacker"], fight["round"], fight["reserves"], fight["number"]
            )
            self._fight.join({name: self._blocks[name] for name in fight["fighting"] if name in self._blocks})

    def view(self) -> View:
        """Return the view of the position as it is now."""
        battle = None if self._fight is None else self._fight.seen()
        areas = {area: dict(sides) for area, sides in self._areas.items()}
        blocks = {name: dict(block) for name, block in self._blocks.items()}
        attacks = {area: dict(one) for area, one in self._attacks.items()}
        known = {"areas": areas, "blocks": blocks, "battle": battle, "attacks": attacks}
        return {**self._view, **self._head, **known}

    def decisions(self, event: Event) -> Iterator[Decision]:
        """Yield what the reader's side decided in a battle, by an event that is about to be played."""
        fight, viewer = self._fight, self._view["viewer"]
        if fight is None or event.get("side") != viewer:
            return
        kind = event["event"]
        if kind in ("fire", "pass"):
            yield self._combat(fight, f"{kind} {event['block']}", event["block"])
        elif kind == "retreat":
            for name, area in event.get("who", {}).items():
                yield self._combat(fight, f"retreat {name} to {area}", name)
        elif kind == "hit":
            tied = fight.strongest(viewer)
            if len(tied) > 1:
                others = tuple(f"hit {name}" for name in tied if name != event["block"])
                yield self._decision("hit", "5.41", f"hit {event['block']}", others, others)
        elif kind in ("withdraw", "regroup"):
            word, rule = ("retreat", "5.5") if kind == "withdraw" else ("regroup", "5.6")
            upright = {**self.view(), "battle": {**fight.seen(), "fighting": self._own_in(fight.area)}}
            for name, area in event.get("who", {}).items():
                others = tuple(f"{word} {name} to {to}" for to in AREAS[fight.area].neighbours if to != area)
                yield self._decision(word, rule, f"{word} {name} to {area}", others, (), upright)

    def _combat(self, fight: Fight, answer: str, name: str) -> Decision:
        ways = (f"retreat {name} to {to}" for to in AREAS[fight.area].neighbours)
        others = (f"fire {name}", f"pass {name}", *ways)
        certain = others[:2] if fight.standing(enemy_of(self._view["viewer"])) else others[1:2]
        return self._decision("combat", "5.31", answer, others, certain)

    def _decision(
        self,
        kind: str,
        rule: str,
        answer: str,
        others: tuple[str, ...],
        certain: tuple[str, ...],
        view: View | None = None,
    ) -> Decision:
        return Decision(
            kind=kind, rule=rule, answer=answer, others=others, certain=certain, view=view or self.view()
        )

    def _own_in(self, area: str) -> list[str]:
        viewer = self._view["viewer"]
        return [
            name for name, block in self._blocks.items() if block["side"] == viewer and block["area"] == area
        ]

    def board(self, run: Sequence[Event]) -> Board | None:
        """Return the board of the battle that these events belong to; None if they belong to none."""
        fight = self._fight
        if fight is None:
            return None
        shots = [event for event in run if event["event"] == "fire"]
        board = fight.board(
            next(iter(map(shot_of, shots)), None),
            tuple(dict.fromkeys(event["block"] for event in run if event["event"] == "hit")),
        )
        if any(event["event"] == "battle over" for event in run):
            self._fight = None
        return board

    def play(self, event: Event) -> None:
        """Play one event, so that the position changes as the event tells."""
        if act := ACTS.get(event["event"]):
            act(self, event)

    # -- the map

    def _shift(self, side: str, origin: str | None, to: str | None, count: int = 1) -> None:
        if origin in self._areas:
            self._areas[origin][side] = max(0, self._areas[origin][side] - count)
        if to in self._areas:
            self._areas[to][side] += count

    def _put_block(self, name: str, area: str) -> None:
        if name in self._blocks:
            self._blocks[name]["area"] = area

    def begin_turn(self, event: Event) -> None:
        """3.0: begin a turn of cards."""
        year, turn = event["year"], event["turn"]
        self._head |= {"year": year, "turn": turn, "phase": "cards", "moment": [str(year), f"turn {turn}"]}
        self._head["entered"] = []

    def begin_winter(self, event: Event) -> None:
        """7.0: begin the winter of a year."""
        self._head |= {"year": event["year"], "turn": WINTER_TURN, "moment": [str(event["year"]), "winter"]}

    def cards(self, event: Event) -> None:
        """3.1: turn up both cards."""
        self._head |= {"cards": {side: event[side] for side in SIDES}, "first": event["first"]}

    def end_moves(self, event: Event) -> None:
        """4.0: note that the moves are over, so that a battle from now on is not due to an event."""
        self._head["phase"] = "battles"

    def move(self, event: Event) -> None:
        """4.0: move a block along its path; it may begin or join an attack."""
        self._attack(event["side"], event["path"], event.get("role"))
        self._shift(event["side"], event["path"][0], event["path"][-1])
        if "block" in event:
            self._put_block(event["block"], event["path"][-1])

    def _attack(self, side: str, path: Sequence[str], role: str | None) -> None:
        """5.32, 5.33: note a move into an area of the enemy's, or to blocks that are attacked."""
        to = path[-1]
        attack = self._attacks.get(to)
        if attack is None:
            if not self._areas.get(to, {}).get(enemy_of(side)):
                return
            attack = self._attacks[to] = {
                "attacker": side,
                "origin": path[-2],
                "border": f"{path[-2]}-{to}",
                "main": 0,
                "reserves": dict.fromkeys(SIDES, 0),
            }
        if border := AREAS[path[-2]].neighbours.get(to):
            known = self._head if "entered" in self._head else self._view
            self._head["entered"] = [*known["entered"], [border.name, to, side]]
        if attack["attacker"] != side or role != "main":
            attack["reserves"] = {**attack["reserves"], side: attack["reserves"].get(side, 0) + 1}

    def sail(self, event: Event) -> None:
        """3.12: move blocks that sail from one coast to another."""
        self._shift(event["side"], event["origin"], event["to"], event["count"])
        for name in event.get("blocks", ()):
            self._put_block(name, event["to"])

    def winter_move(self, event: Event) -> None:
        """7.1, 7.2, 7.5: move a block to where it winters."""
        name = event["block"]
        side = self._blocks[name]["side"] if name in self._blocks else BLOCKS[name].side
        if side:
            self._shift(side, event["origin"], event["to"])
        self._put_block(name, event["to"])

    def leave(self, event: Event) -> None:
        """5.5, 5.6: move blocks that retreat or regroup, by number and, for their owner, by name."""
        for area, count in event["to"].items():
            self._shift(event["side"], event["area"], area, count)
        for name, area in event.get("who", {}).items():
            self._put_block(name, area)
        for name in event.get("blocks", ()):
            if self._fight:
                self._fight.fates[name] = "retreats"
        lost = event.get("lost", 0)
        self._shift(event["side"], event["area"], None, lost)
        for name in event.get("who_lost", ()):
            self._put_block(name, POOL)

    def steps_to(self, event: Event) -> None:
        """3.12, 7.6: add steps to the blocks that an event names, as it does for their owner alone."""
        for name, steps in (event.get("steps_to") or {}).items():
            if name in self._blocks:
                self._blocks[name]["strength"] += steps

    def taken(self, event: Event) -> None:
        """3.12: take steps from blocks that a pillage hits; a noble who fell to it is captured already."""
        for name, steps in (event.get("taken") or {}).items():
            if name in self._blocks and self._blocks[name]["side"] == event["side"]:
                self._blocks[name]["strength"] = max(0, self._blocks[name]["strength"] - steps)

    def change_side(self, event: Event) -> None:
        """2.22, 5.7: move a noble over to the other side."""
        name, side, area = event["noble"], event["side"], event["area"]
        self._head["nobles"] = {**self.view()["nobles"], name: side}
        self._shift(enemy_of(side), area, None)
        self._shift(side, None, area)
        strength = 1 if event["event"] == "captured" else event["strength"]
        if strength and (name in self._blocks or side == self._view["viewer"]):
            self._blocks[name] = {"side": side, "area": area, "strength": strength}
        else:  # it stands face down until its strength is told
            self._blocks.pop(name, None)
        if self._fight:
            self._fight.fates[name] = "captured"

    def go_home(self, event: Event) -> None:
        """7.1: move a noble home if the reader knew where it was; of another noble that is not told."""
        name, side = event["noble"], event["side"]
        known = self._blocks.get(name)
        if known:
            self._shift(known["side"], known["area"], None)
            self._shift(side, None, event["area"])
            self._blocks[name] = {**known, "side": side, "area": event["area"]}
        if known and side != self._view["viewer"]:
            del self._blocks[name]

    def to_pool(self, event: Event) -> None:
        """5.8, 5.9: move a block from an area to the pool."""
        side = event.get("side", ENGLAND)
        self._shift(side, event["area"], None)
        if "block" in event:
            self._put_block(event["block"], POOL)

    def die(self, event: Event) -> None:
        """5.8: take a dead block out of the game."""
        name = event["block"]
        if name in self._blocks:
            self._shift(event["side"], self._blocks[name]["area"], None)
            self._put_block(name, OFF_MAP)
        if self._fight:
            self._fight.fates[name] = "out of the game"

    def crown(self, event: Event) -> None:
        """6.2: put the King on the map."""
        self._shift("scotland", None, event["area"])
        self._put_block("King", event["area"])

    def disband(self, event: Event) -> None:
        """7.3, 7.5: move blocks that disband to the pool."""
        for area, count in event["areas"].items():
            self._shift(event["side"], area, None, count)
        for names in event.get("blocks", {}).values():
            for name in names:
                self._put_block(name, POOL)

    def draw(self, event: Event) -> None:
        """7.62: put a block that is drawn into an area."""
        self._shift(event["side"], None, event.get("placed", event["area"]))
        if (name := event.get("block")) in self._blocks:
            self._blocks[name] |= {"area": event["placed"], "strength": 1}

    def build(self, event: Event) -> None:
        """7.6, 7.63: put England's new blocks on the map, and add steps."""
        if event["side"] == ENGLAND:
            for area, count in event["new"].items():
                self._shift(ENGLAND, None, area, count)
        self.steps_to(event)

    def levy(self, event: Event) -> None:
        """7.7: put the blocks of the levy into England."""
        self._shift(ENGLAND, None, ENGLAND_AREA, event["blocks"])
        for name in event.get("names", ()):
            self._put_block(name, ENGLAND_AREA)

    # -- battles

    def begin_battle(self, event: Event) -> None:
        """5.1: begin a battle, with its blocks in reserve."""
        area = event["area"]
        self._fight = Fight(area, event["attacker"], 0, event["reserves"], event["number"])
        if area in self._attacks:
            self._attacks[area]["reserves"] = dict(event["reserves"])

    def begin_round(self, event: Event) -> None:
        """5.3: begin a round of the battle."""
        if self._fight:
            self._fight.round = event["round"]

    def reveal(self, event: Event) -> None:
        """5.1: turn up blocks."""
        faces = {name: {**face, "area": event["area"]} for name, face in event["blocks"].items()}
        for name, face in faces.items():
            self._blocks.setdefault(name, dict(face))
        if self._fight:
            self._fight.join(faces)
            if event["round"] > 1:
                self._fight.reserves = dict.fromkeys(SIDES, 0)

    def change_attacker(self, event: Event) -> None:
        """5.32: change which side is the attacker."""
        if self._fight:
            self._fight.attacker = event["attacker"]

    def hit(self, event: Event) -> None:
        """5.41: take strength from a block that is hit."""
        name = event["block"]
        if name in self._blocks:
            self._blocks[name]["strength"] = event["strength"]
        if self._fight:
            self._fight.strengths[name] = event["strength"]
            if not event["strength"]:
                self._fight.fates[name] = "eliminated"

    def unity(self, event: Event) -> None:
        """5.2: move a Celtic block to the pool if it leaves."""
        name = event["block"]
        if self._fight and event["leaves"]:
            self._fight.fates[name] = "goes to the pool"
            self._shift(self._fight.sides.get(name, "scotland"), self._fight.area, None)
            self._put_block(name, POOL)

    def end_battle(self, event: Event) -> None:
        """5.3: end a battle, after which the enemy's blocks stand up again."""
        self._attacks.pop(event["area"], None)
        viewer = self._view["viewer"]
        if viewer in SIDES:
            self._blocks = {name: block for name, block in self._blocks.items() if block["side"] == viewer}
        elif viewer == "public":
            self._blocks = {}


def shot_of(event: Event) -> Shot:
    """Return the dice of a block that fires (5.4)."""
    return Shot(
        fighter=event["block"],
        label=event["label"],
        dice=tuple(event["dice"]),
        hits_up_to=event["rating"],
    )


class Fight:
    """The state of a battle, as far as it was told."""

    def __init__(
        self, area: str, attacker: str, of_round: int, reserves: Mapping[str, int], number: int
    ) -> None:
        self.area = area
        self.attacker = attacker
        self.round = of_round
        self.number = number
        self.reserves = dict(reserves)
        self.sides: dict[str, str] = {}
        self.strengths: dict[str, int] = {}
        self.fates: dict[str, str] = {}

    def join(self, faces: Mapping[str, Mapping[str, Any]]) -> None:
        """Add blocks that were turned up to those known in the battle."""
        for name, face in faces.items():
            self.sides[name] = face["side"]
            self.strengths[name] = face["strength"]

    def standing(self, side: str) -> list[str]:
        """Return the blocks of a side that still fight."""
        return [name for name, of in self.sides.items() if of == side and name not in self.fates]

    def strongest(self, side: str) -> list[str]:
        """5.41: return the strongest blocks of a side, one of which takes the next hit."""
        found = self.standing(side)
        most = max((self.strengths[name] for name in found), default=0)
        return [name for name in found if self.strengths[name] == most]

    def seen(self) -> dict[str, Any]:
        """5.0: return the battle as plain data, as a view holds it."""
        standing = {side: self.standing(side) for side in SIDES}
        return {
            "area": self.area,
            "number": self.number,
            "round": self.round,
            "attacker": self.attacker,
            "defender": enemy_of(self.attacker),
            "fighting": [name for side in SIDES for name in standing[side]],
            "numbers": {side: len(names) for side, names in standing.items()},
            "reserves": dict(self.reserves),
        }

    def board(self, shot: Shot | None, hit: tuple[str, ...]) -> Board:
        """Return the board of the battle: A before B before C, and the list's order among equals (5.31)."""
        order = sorted(self.sides, key=lambda name: (BLOCKS[name].letter, BLOCKS[name].order))
        lines = tuple(
            (side, tuple(self._fighter(name) for name in order if self.sides[name] == side))
            for side in (self.attacker, enemy_of(self.attacker))
        )
        return Board(
            area=self.area,
            round=self.round,
            attacker=self.attacker,
            lines=lines,
            reserves=tuple(self.reserves.items()),
            shot=shot,
            hit=hit,
            second=ENGLAND,
        )

    def _fighter(self, name: str) -> Fighter:
        return Fighter(
            name=name,
            side=self.sides[name],
            rating=rating(name),
            strength=self.strengths[name],
            full=BLOCKS[name].max,
            fate=self.fates.get(name, ""),
        )


ACTS: dict[str, Callable[[Scene, Event], None]] = {
    "turn": Scene.begin_turn,
    "winter": Scene.begin_winter,
    "cards": Scene.cards,
    "moves over": Scene.end_moves,
    "move": Scene.move,
    "sea move": Scene.sail,
    "winter move": Scene.winter_move,
    "retreat": Scene.leave,
    "withdraw": Scene.leave,
    "regroup": Scene.leave,
    "pillage hits": Scene.taken,
    "pillage gains": Scene.steps_to,
    "victuals": Scene.steps_to,
    "captured": Scene.change_side,
    "defects": Scene.change_side,
    "home": Scene.go_home,
    "to pool": Scene.to_pool,
    "raid": Scene.to_pool,
    "dead": Scene.die,
    "crowned": Scene.crown,
    "disband": Scene.disband,
    "draw": Scene.draw,
    "builds": Scene.build,
    "levy": Scene.levy,
    "battle": Scene.begin_battle,
    "round": Scene.begin_round,
    "revealed": Scene.reveal,
    "control": Scene.change_attacker,
    "hit": Scene.hit,
    "unity": Scene.unity,
    "battle over": Scene.end_battle,
}
"""The method that plays an event, by the kind of event; kinds that move nothing are not in it."""

PLAYBACK = HammerPlayback()
