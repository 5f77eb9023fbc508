"""The forecasts for Hammer of the Scots, in words: moves, battles with their odds, and what is left open.

expectations: what a side must reckon with, and who may stand unseen; trial: the orders played in a world
that fits a view; worlds: positions that a view leaves possible.

Where every enemy block stands face up, or is known, odds are exact. Where some are hidden they are an
average over what may be there (`enemies`), and lie between two cases: the strongest blocks that the enemy
can have there, and the weakest.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from textwrap import wrap

from pbem.forecast import Budget, Forecaster, Spent
from pbem.odds import percent, roughly
from pbem.orders.base import Follower, listed
from pbem.orders.hammer import LANGUAGE
from pbem.orders.hammer.form import QUESTIONS
from pbem.orders.kit.parsed_orders import Orders, every_order
from pbem.rules.base import View
from pbem.rules.hammer.facts import BLOCKS, WINTER_TURN, enemy_of
from pbem.rules.hammer.sightings import LAST_SEEN, surely_in
from pbem.titles.hammer.forecast.expectations import (
    Unseen,
    before_winter,
    enemies,
    events,
    in_all,
    may_attack,
    may_retreat,
    origin_of,
    points,
)
from pbem.titles.hammer.forecast.trial import ASKED, BY_DEFAULT, WANTED, Met, Question, Trial, trials
from pbem.titles.hammer.odds.battle import fight
from pbem.titles.hammer.odds.plans import PlanTactics, may_decide
from pbem.titles.hammer.odds.states import Fighter, Outcome, Tactics, field_of, fighter

MAX_BLOCKS = 8
"""Maximum number of blocks on both sides of a battle with odds in a forecast; more take too long for a
receipt. `pbem odds` computes any number."""


@dataclass(frozen=True, slots=True)
class Prospects:
    """The chances that the side of the orders' writer holds the area of a battle.

    There are three: against the strongest and against the weakest enemy, and on average over what may be
    there.
    """

    least: Fraction
    most: Fraction
    likely: Fraction


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """A battle as one side sees it."""

    area: str
    attacker: str
    known: tuple[Fighter, ...]
    hidden: int = 0
    hidden_reserves: int = 0
    whence: str = ""
    """The area where the hidden blocks stand now, if they only may come; else empty."""
    round: int = 0


def to_come(met: Met, side: str, whence: str = "") -> Seen:
    """Return a battle that has not begun: all enemy blocks are hidden."""
    ours = tuple(fighter(name, side, strength, met.area, reserve=later) for name, strength, later in met.ours)
    return Seen(
        area=met.area,
        attacker=met.attacker,
        known=ours,
        hidden=met.theirs,
        hidden_reserves=met.their_reserves,
        whence=whence,
    )


def battle_in_progress(view: View) -> Seen | None:
    """Return the battle that is being fought, with all that is face up in it; None if there is none."""
    fight_ = view["battle"]
    if fight_ is None or not fight_["round"] or not fight_["fighting"]:
        return None
    side, area = view["viewer"], fight_["area"]
    known = [
        fighter(name, view["blocks"][name]["side"], view["blocks"][name]["strength"], area)
        for name in fight_["fighting"]
    ]
    ours = [
        fighter(name, side, row["strength"], area, reserve=True)
        for name, row in view["blocks"].items()
        if row["side"] == side and row["area"] == area and name not in fight_["fighting"]
    ]
    return Seen(
        area=area,
        attacker=fight_["attacker"],
        known=(*known, *ours),
        hidden_reserves=fight_["reserves"][enemy_of(side)],
        round=fight_["round"],
    )


def prospects(
    seen: Seen, view: View, follower: Follower, asking: Callable[[], None] = lambda: None
) -> Prospects | None:
    """Return the odds of a battle fought by one's own orders; None if there are too many blocks.

    `asking`: called before each question to the orders; what it raises ends the search.
    """
    side: str = view["viewer"]
    hidden = seen.hidden + seen.hidden_reserves
    if len(seen.known) + hidden > MAX_BLOCKS:
        return None
    tactics: dict[str, Tactics] = {}
    if may_decide(follower, seen.area):
        tactics[side] = PlanTactics(follower, view, asking)
    where = field_of(seen.area, seen.attacker, seen.known, view, of_round=seen.round)
    if not hidden:
        chance = _chance(side, fight(where, tactics))
        return Prospects(chance, chance, chance)
    unseen = Unseen(seen.area, seen.hidden, seen.hidden_reserves, seen.whence, defends=seen.attacker == side)
    guessed = enemies(unseen, view)
    chances = {
        force: _chance(side, fight(replace(where, fighters=(*seen.known, *force)), tactics))
        for force in dict.fromkeys((guessed.strongest, guessed.weakest, *guessed.likely))
    }
    average = sum((chances[force] for force in guessed.likely), Fraction(0)) / len(guessed.likely)
    found = chances.values()
    return Prospects(min(found), max(found), average)


def _chance(side: str, outcome: Outcome) -> Fraction:
    """Return the chance that a side holds the area, or wins the game there."""
    return outcome.chance(
        lambda ending: ending.holder == side or bool(ending.fallen and BLOCKS[ending.fallen].side != side)
    )


WIDTH = 78
HOW = {
    ASKED: "you are asked later",
    WANTED: "you are asked, as you ordered",
    BY_DEFAULT: "if you say nothing",
}


def lines(text: str, indent: str = "") -> list[str]:
    """Return a sentence as lines that no mail program breaks."""
    return wrap(text, WIDTH, initial_indent=indent, subsequent_indent=f"{indent}  ")


def describe_outcome(
    trials: Sequence[Trial], view: View, follower: Follower, faulty: Collection[int], budget: Budget
) -> Iterator[str]:
    """Yield the lines of a forecast: all that trials of the orders showed, equal courses told once.

    `faulty`: lines of the newest file of which the writer was told that they do not count.
    """
    return _Telling(view, follower, faulty, budget).lines(trials)


class _Telling:
    """One forecast in words, in which the odds of each battle are computed once."""

    def __init__(self, view: View, follower: Follower, faulty: Collection[int], budget: Budget) -> None:
        self.view = view
        self.budget = budget
        self.faulty = set(faulty)
        """The lines of which the writer was told already why they do not count."""
        self.side: str = view["viewer"]
        self.follower = follower
        self.known: dict[tuple[Seen, bool | None], Prospects | None] = {}

    def lines(self, trials: Sequence[Trial]) -> Iterator[str]:
        """Yield the lines of the forecast: on the battle that is going on, then on what the orders bring."""
        if fight := battle_in_progress(self.view):
            yield from self.going_on(fight, trials)
        courses: dict[object, list[Trial]] = {}
        for trial in trials:
            courses.setdefault((trial.enemy_card, trial.course), []).append(trial)
        groups: dict[object, list[Trial]] = {}
        for course in courses.values():
            groups.setdefault((course[0].course, frozenset(_left_open(course))), []).extend(course)
        if self.view["turn"] == WINTER_TURN:
            yield from lines(in_all(points(self.view)))
            yield from lines("One possible winter (you cannot see where the enemy's hidden blocks are):")
        calm = [trial for trial in trials if not trial.attacked]
        everywhere = set.intersection(*(set(trial.dropped) for trial in calm)) if calm else set()
        for one in calm[0].dropped if calm else ():
            if one in everywhere and one.line not in self.faulty:
                yield from lines(str(one))
        self.faulty |= {one.line for one in everywhere}
        named: set[str] = set()
        for group in groups.values():
            cards = {trial.enemy_card for trial in group}
            otherwise = "Or, with other dice: " if cards <= named else ""
            named |= cards
            yield from self.group(group, many=len(groups) > 1, otherwise=otherwise)
        if self.view["phase"] == "cards":
            for text in events(self.view):
                yield from lines(text)
            if self.view["hand_sizes"][self.side] == 1:
                yield "Winter comes after this turn:"
                for text in before_winter(self.view):
                    yield from lines(text, "  ")

    def going_on(self, fight: Seen, trials: Sequence[Trial]) -> Iterator[str]:
        """Yield lines on the battle that is being fought, as it stands."""
        yield from lines(f"Battle for {fight.area}, round {fight.round}: {_as_it_stands(fight, self.view)}.")
        questions = [one for trial in trials for one in trial.questions if one.area == fight.area]
        for text in _open(questions):
            yield from lines(text, "  ")
        yield from lines(may_retreat(fight.area, self.view), "  ")
        what = f"You hold the area, counted from the start of round {fight.round}"
        yield from self.odds(what, fight, self.view, "  ")

    def group(self, group: Sequence[Trial], *, many: bool, otherwise: str) -> Iterator[str]:
        """Yield the lines of the forecast that tell a group of trials with the same course."""
        trial = group[0]
        indent = ""
        if trial.attacked or self.view["phase"] == "cards":
            yield from lines(otherwise + _heading(group, many=many))
            indent = "  "
        elif self.view["turn"] == WINTER_TURN:
            indent = "  "
        dropped = [str(one) for one in trial.dropped if one.line not in self.faulty]
        done = [*_moves(trial), *trial.results, *dropped]
        left = list(_open(_left_open(group)))
        for text in done:
            yield from lines(text, indent)
        fought = self.view["battle"]["area"] if self.view["battle"] else ""
        for met in trial.battles:
            if met.area != fought:
                yield from self.battle(met, group, indent)
        for text in left or (
            [] if done or trial.battles or fought else ["No block moves, and no question is open."]
        ):
            yield from lines(text, indent)
        if answer := self._attacks(group):
            yield from lines(answer, indent)

    def _attacks(self, group: Sequence[Trial]) -> str:
        """Return in words where the enemy may attack, after the writer's moves or before them; else ""."""
        trial = group[0]
        if trial.after is not None:
            return may_attack({**trial.after, "cards": self.view["cards"]})
        moves = any(one.enemy_card.isdigit() for one in group)
        before = self.view["phase"] == "cards" and trial.first is False and not trial.attacked
        return may_attack(self.view) if before and moves else ""

    def battle(self, met: Met, group: Sequence[Trial], indent: str) -> Iterator[str]:
        """Yield lines on a battle that the orders bring: who meets, what is left open, and the odds."""
        whence = origin_of(self.view, met.area) if group[0].attacked == met.area else ""
        known = {} if whence else surely_in(self.view, met.area)
        yield from lines(f"Battle for {met.area}: {_forces(met, self.side, known)}.", indent)
        questions = [question for trial in group for question in trial.questions if question.area == met.area]
        for text in list(_open(questions)) or ["In trial battles your orders answered every question."]:
            yield from lines(text, f"{indent}  ")
        yield from lines(may_retreat(met.area, met.view), f"{indent}  ")
        fight = to_come(met, self.side, whence)
        yield from self.odds("You hold the area", fight, self.known_at(met), f"{indent}  ")

    def odds(self, what: str, fight: Seen, view: View, indent: str = "") -> Iterator[str]:
        """Yield lines with the odds of a battle, unless the forecast's budget is spent."""
        try:
            yield from _odds(what, self.prospects(fight, view), indent)
        except Spent:
            self.budget.leave_out(f"odds for {fight.area}")

    def known_at(self, met: Met) -> View:
        """Return a trial's position with only those enemy blocks that are really seen.

        Other enemy blocks of a trial are made up.
        """
        own = {name: row for name, row in met.view["blocks"].items() if row["side"] == self.side}
        theirs = {name: row for name, row in self.view["blocks"].items() if row["side"] != self.side}
        return {**met.view, "blocks": own | theirs, LAST_SEEN: self.view.get(LAST_SEEN, [])}

    def prospects(self, fight: Seen, view: View) -> Prospects | None:
        """Return the odds of a battle; plans may ask who moved first. Raises Spent if they ask too much."""
        key = fight, view["first"] and view["first"] == self.side
        if key not in self.known:
            self.known[key] = prospects(fight, view, self.follower, self.budget.ask)
        return self.known[key]


def _left_open(group: Sequence[Trial]) -> list[Question]:
    """Return the questions that trials with the same course leave open outside battles."""
    return [
        question for trial in group for question in trial.questions if question.is_open and not question.area
    ]


def _heading(group: Sequence[Trial], *, many: bool) -> str:
    trial = group[0]
    if trial.attacked:
        if not trial.own_card:
            return f"If you move second and {trial.attacked} is attacked:"
        return f"If the enemy moves after your {trial.own_card} and attacks {trial.attacked}:"
    role = {True: "you move first", False: "you move second", None: "nobody moves"}[trial.first]
    cards = listed(dict.fromkeys(one.enemy_card for one in group), "or")
    which = f"Against the card {cards}, {role}" if many else f"Whatever card the enemy plays, {role}"
    return f"{which}:" if trial.first else f"{which}. If they attack nothing:"


def _moves(trial: Trial) -> Iterator[str]:
    """Yield in words which blocks go where in a trial, those of one way together."""
    groups: dict[tuple[tuple[str, ...], str | None], list[str]] = {}
    for block, path, role in trial.moves:
        groups.setdefault((path, role), []).append(block)
    for (path, role), blocks in groups.items():
        way = f" through {listed(path[1:-1])}" if path[1:-1] else ""
        part = {"main": ", the main attack", "reserve": ", in reserve until round 2"}.get(role or "", "")
        yield f"{listed(blocks)}: from {path[0]}{way} to {path[-1]}{part}."


def _forces(met: Met, side: str, known: Mapping[str, int]) -> str:
    """Return in words which blocks of both sides meet in a battle of a trial.

    `known`: enemy blocks that are surely there, and how strong they were (0: unknown).
    """
    ours = [f"{name} {strength}{' in reserve' if later else ''}" for name, strength, later in met.ours]
    theirs = [_last_seen(name, strength) for name, strength in known.items()]
    there = met.theirs + met.their_reserves
    reserves = met.their_reserves
    if len(theirs) == there and reserves:
        theirs.append(f"of which {reserves} come{'s' * (reserves == 1)} in round 2")
    elif len(theirs) < there:
        first = max(0, met.theirs - len(theirs))
        theirs += [f"{first} hidden block{'s' * (first != 1)}"] if first else []
        theirs += [f"{reserves} in reserve"] if reserves else []
    role = "you attack" if met.attacker == side else "you defend"
    return f"{role} with {listed(ours or ['nobody'])} against {listed(theirs)}"


def _last_seen(name: str, strength: int) -> str:
    return f"{name} (last seen with {strength})" if strength else f"{name} (strength unknown)"


def _as_it_stands(fight: Seen, view: View) -> str:
    """Return in words who stands face up in a battle that is being fought, and who is still to come."""
    side = view["viewer"]
    ours = [
        f"{one.name} {one.strength}{' in reserve' * one.reserve}" for one in fight.known if one.side == side
    ]
    theirs = [f"{one.name} {one.strength}" for one in fight.known if one.side != side]
    theirs += [f"{fight.hidden_reserves} hidden in reserve"] if fight.hidden_reserves else []
    role = "you attack" if fight.attacker == side else "you defend"
    return f"{role} with {listed(ours or ['nobody'])} against {listed(theirs or ['nobody'])}"


def _odds(what: str, found: Prospects | None, indent: str = "") -> Iterator[str]:
    if found is None:
        yield from lines(f"{what}: too many blocks for odds here.", indent)
    elif found.least == found.most:
        yield from lines(f"{what}: {percent(found.least)}.", indent)
    else:
        yield from lines(
            f"{what}: about {roughly(found.likely)} on average over all blocks that may be there; "
            f"{percent(found.least)} against the strongest blocks that are possible, "
            f"{percent(found.most)} against the weakest.",
            indent,
        )


def _open(questions: Sequence[Question]) -> Iterator[str]:
    """Yield in words the questions that are left open, and how each will be settled."""
    for how, way in HOW.items():
        found = dict.fromkeys(question for question in questions if question.how == how)
        if how == BY_DEFAULT:
            for question in found:
                about = QUESTIONS[question.kind].about
                yield f"{about[0].upper()}{about[1:]}, {way}: {question.default}."
        elif found:
            kinds = {question.kind for question in found}
            topics = listed([asked.about for kind, asked in QUESTIONS.items() if kind in kinds])
            yield f"Open: {topics}; {way}."


ALONE = "This looks at this file alone. Your earlier orders and your standing ones may answer more."


class HammerForecast:
    """The forecaster of the game "hammer"."""

    def forecast(self, orders: Orders, view: View, follower: Follower | None = None) -> tuple[str, ...]:
        """Return the lines of the forecast of what orders will do, as far as the view shows it."""
        if view["outcome"] is not None:
            return ()
        trial_follower = LANGUAGE.follower(view["viewer"]) if follower is None else follower.copy()
        trial_follower.receive(orders, view)
        faulty = {fault.line for fault in LANGUAGE.check(orders, view) if not fault.remark}
        budget = Budget(sum(1 for _, parts in orders.sections for _ in every_order(parts, into_plans=True)))
        played = list(trials(trial_follower, view, budget))
        found = (*describe_outcome(played, view, trial_follower, faulty, budget), *lines(budget.said))
        return found if follower is not None or not found else (*lines(ALONE), *found)


FORECAST: Forecaster = HammerForecast()
