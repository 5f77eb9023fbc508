"""A trial of orders: they are played in an imagined world that fits the view, to see what they answer.

The enemy of a trial does nothing but fight where attacked. Who the enemy's blocks are is made up, so nothing
that depends on it is told: only which moves are made, which battles come of them, and which questions arise.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from hashlib import sha256

from pbem.forecast import Budget
from pbem.orders.base import Answer, Dropped, Follower, QuestionsPut, Stop, Uncovered, listed, reply_of
from pbem.rules.base import Ask, Chance, Event, Game, View
from pbem.rules.hammer import RULES
from pbem.rules.hammer.facts import BLOCKS, DECK, EVENTS, MAX_ROUNDS, enemy_of
from pbem.rules.hammer.restart import imagined
from pbem.titles.hammer.forecast.expectations import (
    attacked,
    home,
    likely_targets,
    may_attack,
    unspent,
    world_of,
)
from pbem.titles.hammer.odds.states import ways_out

ENEMY_CARDS = tuple(dict.fromkeys(DECK))
MAX_ANSWERS = 2_000
TRIALS = 3
"""The number of times that each world is played: battles go differently, and ask different questions."""

HERALD = "herald/"
"""The part of a die's label by which the die of a herald is recognised."""

BY_ORDERS, BY_DEFAULT, ASKED, WANTED = "orders", "default", "asked", "wanted"
"""The ways in which a question is settled: by a line, by its default, by asking, or by asking because a line
wants it."""


class TrialChance:
    """The dice and draws of a trial; their results are arbitrary, and alike each time."""

    def __init__(self, seed: str) -> None:
        self.seed = seed
        self.used = False

    def roll(self, label: str, sides: int = 6) -> int:
        """Return the value of one die. No herald succeeds, since nobody knows where the noble stands."""
        return sides if HERALD in label else self._number(label) % sides + 1

    def draw(self, label: str, choices: tuple[str, ...]) -> str:
        """Return one of `choices`, always the same one for a label."""
        return choices[self._number(label) % len(choices)]

    def _number(self, label: str) -> int:
        self.used = True
        return int.from_bytes(sha256(f"{self.seed} {label}".encode()).digest()[:8], "big")


@dataclass(frozen=True, slots=True)
class Met:
    """A battle of a trial as it begins: each side's number of blocks, and the writer's own blocks."""

    area: str
    attacker: str
    ours: tuple[tuple[str, int, bool], ...]  # name, strength, in reserve
    theirs: int
    their_reserves: int
    view: View = field(compare=False, hash=False)


@dataclass(frozen=True, slots=True)
class Question:
    """A question that the writer's side is asked in a trial: where, and how it is settled."""

    kind: str
    area: str  # of the battle, or empty
    how: str
    default: str = ""

    @property
    def is_open(self) -> bool:
        """Whether no line answers the question."""
        return self.how != BY_ORDERS


@dataclass(slots=True)
class Trial:
    """The result of playing the orders in one imagined world."""

    enemy_card: str = ""
    attacked: str = ""
    """The area into which the enemy is supposed to have moved; empty if they do nothing."""
    first: bool | None = None
    own_card: str = ""
    moves: list[tuple[str, tuple[str, ...], str | None]] = field(default_factory=list)  # block, path, role
    battles: list[Met] = field(default_factory=list)
    results: list[str] = field(default_factory=list)  # of winter
    questions: list[Question] = field(default_factory=list)
    dropped: list[Dropped] = field(default_factory=list)
    after: View | None = None
    """The view when the enemy is to move after the writer's own moves, if that comes."""

    @property
    def course(self) -> tuple[object, ...]:
        """The values by which trials are compared: moves, battles that begin, results and dropped lines."""
        shown = self.moves, self.battles, self.results, self.dropped
        return self.attacked, self.first, *(tuple(part) for part in shown)


def trials(follower: Follower, view: View, budget: Budget) -> Iterator[Trial]:
    """Yield trials of the orders, in a world for each card that the enemy may still play, or else in one.

    Cards that change nothing share their trials. A writer who may be attacked before they move has more
    trials, in which that happens. The first world is played whatever the budget; the others only if there is
    something left of it.
    """
    enemy = enemy_of(view["viewer"])
    worlds: list[tuple[View, Trial]] = []
    if view["phase"] == "cards":
        for card in ENEMY_CARDS:
            position = imagined(view)
            position["hands"] = {**position["hands"], enemy: [card] * view["hand_sizes"][enemy]}
            worlds.append((position, Trial(card)))
    else:
        worlds.append((imagined(view), Trial()))
    second = event = ""
    known: dict[object, list[Trial]] = {}
    own_card = ""
    for position, trial in worlds:
        world = world_of(follower, view["viewer"], own_card, trial.enemy_card)
        if world in known:
            found = [replace(ran, enemy_card=trial.enemy_card) for ran in known[world]]
        elif own_card and budget.is_spent:
            budget.leave_out(f"the enemy's card {trial.enemy_card}")
            continue
        else:
            found = list(_several(follower, position, view, trial, budget))
            own_card = found[0].own_card
            known[world_of(follower, view["viewer"], own_card, trial.enemy_card)] = found
        for ran in found:
            if ran.first is False and ran.own_card.isdigit():
                second = ran.own_card
            if ran.first and not ran.own_card.isdigit() and ran.after is not None and may_attack(ran.after):
                event = ran.own_card
            yield ran
    if second or event:
        first = enemy if second else view["viewer"]
        cards = {view["viewer"]: second or event, enemy: "3"}
        yield from _worst_attack(follower, view, first, cards, event, budget)


def _worst_attack(
    follower: Follower, view: View, first: str, cards: Mapping[str, str], event: str, budget: Budget
) -> Iterator[Trial]:
    """Yield trials in which the enemy has attacked first, where it hurts most.

    It hurts most where most lines cannot be done, and of such places where most is at stake.
    """
    worst: tuple[Trial, Iterator[Trial]] | None = None
    for target in likely_targets(view):
        if budget.is_spent:
            budget.leave_out("more enemy attacks")
            continue
        position = imagined(attacked(view, target), phase="second move", first=first, cards=cards)
        others = _several(follower, position, view, Trial(attacked=target, own_card=event), budget)
        ran = next(others)
        if worst is None or len(ran.dropped) > len(worst[0].dropped):
            worst = ran, others
    if worst is not None:
        yield worst[0]
        yield from worst[1]


def _several(follower: Follower, position: View, view: View, trial: Trial, budget: Budget) -> Iterator[Trial]:
    """Yield trials of one world with different dice."""
    for number in range(TRIALS):
        chance = TrialChance(f" {trial.attacked} {number}")
        begun = Trial(trial.enemy_card, trial.attacked, own_card=trial.own_card)
        yield _Run(follower.copy(), position, view, begun, chance, budget).run()
        if not chance.used or budget.is_spent:
            return  # other dice would make no difference, or none may be thrown


def _disband_line(event: Event) -> Iterator[str]:
    for area, names in event["blocks"].items():
        yield f"{listed(names)} in {area}: disbanded."


def _build_line(event: Event) -> Iterator[str]:
    drawn = {name for names in event["drawn"].values() for name in names}
    grown = [f"{name} by {steps}" for name, steps in event["steps_to"].items() if name not in drawn]
    if grown:
        yield f"Built up: {listed(grown)}."
    if event["new"]:
        yield f"New blocks: {listed([f'{number} in {area}' for area, number in event['new'].items()])}."


def _sail_line(event: Event) -> Iterator[str]:
    if event["blocks"]:
        yield f"{listed(event['blocks'])}: by sea from {event['origin']} to {event['to']}."


def _pillage_line(event: Event) -> Iterator[str]:
    if event["area"]:
        yield (
            f"You pillage {event['area']}: up to {EVENTS.pillage_hits} steps, which your blocks "
            "next to it gain."
        )


def _strengthen_line(event: Event) -> Iterator[str]:
    if event["steps_to"]:
        yield f"Built up: {listed([f'{name} by {steps}' for name, steps in event['steps_to'].items()])}."


RESULTS: Mapping[str, Callable[[Event], Iterable[str]]] = {
    "herald calls": lambda event: [
        (f"Your herald calls {event['noble']}, who comes with a chance of {len(EVENTS.herald_success)} in 6.")
    ],
    "sea move": _sail_line,
    "pillage": _pillage_line,
    "truce": lambda event: ["A truce: the enemy may not attack."] if event["agreed"] else [],
    "victuals": _strengthen_line,
    "winter move": lambda event: [f"{event['block']}: from {event['origin']} to {event['to']}."],
    "disband": _disband_line,
    "builds": _build_line,
}
"""The functions that tell what an event of the writer's side or a winter brings, as far as no die or draw
decides it."""


def _all(verb: str, rest: Iterable[str]) -> list[str]:
    return [f"{verb} {text}" for text in rest]


def _ask(side: str, kind: str, legal: tuple[str, ...]) -> Ask:
    return Ask(side, kind, "5.0", lambda: legal, public=True, preferred=lambda: legal[0])


class _Run:
    """The run of one trial, which plays the orders up to the next public stop."""

    def __init__(
        self,
        follower: Follower,
        position: View,
        view: View,
        trial: Trial,
        chance: Chance,
        budget: Budget,
    ) -> None:
        self.budget = budget
        budget.begin()
        self.side: str = view["viewer"]
        self.follower = follower
        self.before = len(follower.dropped)
        self.game: Game = RULES.start(view["options"], chance, position, stops=True)
        self.trial = trial
        self.put = QuestionsPut(self.game, RULES.stops)
        if trial.attacked:
            self.put.asks.clear()  # this is another moment than that of the view
        self.begun = False
        self.heard = 0
        self.view: View = view
        self.start: View = view
        own = (name for name, row in view["blocks"].items() if row["side"] == self.side)
        self.where: dict[str, str] = {name: view["blocks"][name]["area"] for name in own}

    def run(self) -> Trial:
        """Play the trial on to the next public stop, and return it."""
        for _ in range(MAX_ANSWERS):
            self._listen()
            if self.game.outcome is not None or not self._go_on():
                break
        self.trial.dropped = self.follower.dropped[self.before :]
        return self.trial

    def _go_on(self) -> bool:
        """Play one step; return False at the end of the turn or winter that was begun."""
        game = self.game
        if (stop := game.at_stop) is not None:
            if self.begun and (stop != "builds" or not self._covers(stop)):
                return False
            if self.begun:
                self.put.leave_stop()
            else:
                self.put.leave_first_stop()
            self.begun = True
            return True
        self.begun = True
        ask = next((ask for ask in game.asks if ask.side == self.side), game.asks[0])
        game.answer(ask.side, self._answer(ask) if ask.side == self.side else ask.default)
        return True

    def _covers(self, stop: str) -> bool:
        """Tell whether the orders speak of what is asked at a stop; if not, the judge stops and asks."""
        return self.follower.covers(RULES.stops[stop], self.view)

    def _answer(self, ask: Ask) -> str:
        view = self.view
        self.budget.left -= self.budget.price
        reply = reply_of(self.follower, ask, view, just_put=ask in self.put.asks)
        area = view["battle"]["area"] if view["battle"] else ""
        if isinstance(reply, Answer) and reply.text in ask.legal:
            self.trial.questions.append(Question(ask.kind, area, BY_ORDERS))
            return reply.text
        if isinstance(reply, Stop):
            how = WANTED
        elif self.put.takes_default(ask) or (isinstance(reply, Uncovered) and reply.unasked):
            how = BY_DEFAULT
        else:
            how = ASKED
        default = ask.default if how == BY_DEFAULT else ""
        self.trial.questions.append(Question(ask.kind, area, how, default))
        return ask.default

    # -- what happens

    def _listen(self) -> None:
        """Take in what was told since the last step; strengths are those before it."""
        told = self.game.told(self.side)
        view = self.game.view(self.side)
        for event in told[self.heard :]:
            self._hear(event, view)
        self.heard = len(told)
        self.view = view
        if self.trial.first and self.trial.after is None and view["phase"] == "second move":
            self.trial.after = view
        self.where = {name: row["area"] for name, row in view["blocks"].items() if row["side"] == self.side}

    def _hear(self, event: Event, view: View) -> None:
        trial = self.trial
        if event["event"] == "cards":
            trial.first = event["first"] == self.side
            trial.own_card = event[self.side]
        elif event["event"] == "move" and event["side"] == self.side:
            trial.moves.append((event["block"], tuple(event["path"]), event["role"]))
            self.where[event["block"]] = event["path"][-1]
        elif event["event"] == "herald die" and event["side"] == self.side:
            self._call(self.view)  # two events end the year, and with it what was ordered for the turn
        elif event["event"] == "home":
            trial.results += filter(None, [home(event, self.start)])
        elif event["event"] == "winter move" and event["block"] not in self.where:
            pass  # where a hidden block of the enemy stands is only imagined
        elif event["event"] in RESULTS and event.get("side", self.side) == self.side:
            trial.results += RESULTS[event["event"]](event)
            if event["event"] == "builds":
                trial.results += filter(None, [unspent(event)])
        elif event["event"] == "battle":
            enemy = enemy_of(self.side)
            fight = view["battle"]
            begun = fight is not None and fight["number"] == event["number"] and fight["round"] < 2
            trial.battles.append(
                Met(
                    area=event["area"],
                    attacker=event["attacker"],
                    ours=tuple(self._ours(event["area"])),
                    theirs=event["blocks"][enemy],
                    their_reserves=event["reserves"][enemy],
                    view=view if begun else self.view,
                )
            )
            if begun:
                self._probe(trial.battles[-1])

    def _call(self, view: View) -> None:
        """3.12, R11: ask the orders whom the herald calls, where the die falls before anybody is named."""
        if view["options"]["herald_order"] == "name_then_roll":
            return
        nobles = [name for name, owner in view["nobles"].items() if owner != self.side]
        legal = ("pass", *_all("herald", [name for name in nobles if not BLOCKS[name].black_cross]))
        reply = self.follower.copy().reply(_ask(self.side, "herald", legal), view)
        if not isinstance(reply, Answer):
            self.trial.questions.append(Question("herald", "", WANTED if isinstance(reply, Stop) else ASKED))
        elif reply.text != "pass":
            self.trial.results += RESULTS["herald calls"]({"noble": reply.text.removeprefix("herald ")})

    def _probe(self, met: Met) -> None:
        """Put to the orders what a battle may ask at its end, in case the dice of no trial lead there."""
        names = [name for name, _, _ in met.ours]
        ways = [f"{name} to {area}" for name in names for area in ways_out(met.area, self.side, met.view)]
        possible = {"hit": [f"hit {name}" for name in names], "regroup": ["done", *_all("regroup", ways)]}
        if met.attacker == self.side:
            possible["retreat"] = _all("retreat", ways)
        view = {**met.view, "battle": {**met.view["battle"], "round": MAX_ROUNDS}}
        for kind, legal in possible.items():
            if len(legal) > 1:
                ask = _ask(self.side, kind, tuple(legal))
                reply = self.follower.copy().reply(ask, view)
                if not isinstance(reply, Answer):
                    how = WANTED if isinstance(reply, Stop) else ASKED
                    self.trial.questions.append(Question(kind, met.area, how))

    def _ours(self, area: str) -> Iterator[tuple[str, int, bool]]:
        """Yield the writer's blocks in a battle that begins: name, strength, and whether in reserve."""
        waiting = {name for name, path, role in self.trial.moves if path[-1] == area and role == "reserve"}
        waiting |= set(self.view["attacks"].get(area, {}).get("reserve_blocks", ()))
        for name, where in self.where.items():
            if where == area and name in self.view["blocks"]:
                yield name, self.view["blocks"][name]["strength"], name in waiting
