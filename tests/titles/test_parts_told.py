"""What Hammer's bots, forecasts and reports make of views, told whole, and the twins of every game."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from hashlib import sha256
from itertools import islice
from pathlib import Path
from random import Random

import pytest

from pbem.errors import OrderError
from pbem.forecast import Budget
from pbem.orders.base import Dropped
from pbem.orders.hammer import LANGUAGE
from pbem.practice.table import SeededChance, Table
from pbem.rules.base import View
from pbem.rules.hammer import RULES
from pbem.rules.hammer.facts import AREAS, BLOCKS, ENGLAND_AREA, SIDES, WINTER_TURN, enemy_of
from pbem.rules.hammer.sightings import LAST_SEEN
from pbem.titles import load
from pbem.titles.hammer import forecast
from pbem.titles.hammer.bots.captain import Captain, plan_marches
from pbem.titles.hammer.bots.outlook import Outlook, likely_enemies, quick_chance
from pbem.titles.hammer.forecast import Prospects, battle_in_progress, expectations, trial
from pbem.titles.hammer.odds.states import Fighter, read_force, ways_out
from pbem.titles.hammer.reports import position as reported
from tests.bots.matches import GAMES
from tests.kept import Telling, as_kept

GOLDEN = Path(__file__).parent / "golden"
WORLDS = 4
FORCES = (
    "Wallace 4, Douglas; reserve Keith 2 | Wallace and Grant 1 reserves: Keith, Bruce | Walace | Qqqq | york"
    " | Edward | Wallace 0 | Wallace 5 | Wallace 1234 | Wallace, Wallace | reserve"
)


def worlds() -> Iterator[View]:
    """Views of both sides in positions by chance, with blocks that were seen."""
    for seed in range(WORLDS):
        dice = Random(seed)
        owners = {area: dice.choice(SIDES) for area in AREAS} | {ENGLAND_AREA: "england"}
        blocks: dict[str, View] = {}
        for name, fact in BLOCKS.items():
            if name not in ("King", "French Knights") and dice.random() < 0.6:
                area = dice.choice([*AREAS])
                if fact.noble or fact.side == owners[area]:
                    steps = dice.randint(1, fact.max)
                    blocks[name] = {"side": owners[area], "area": area, "strength": steps}
        hand = ["1", "2", "3", "herald", "pillage", "sea move", "truce", "victuals"]
        hands = {side: dice.sample(hand, 5 - seed % 5) for side in SIDES}
        start = {"phase": "cards", "turn": seed % 5 + 1, "hands": hands, "blocks": blocks}
        game = RULES.start({}, SeededChance(seed), start)
        for side in SIDES:
            view = game.view(side)
            seen = [
                {
                    "block": name,
                    "strength": row["strength"] * (dice.random() < 0.8),
                    "year": view["year"] - (dice.random() < 0.3),
                    "turn": 1,
                    "may_be": [row["area"], *dice.sample([*AREAS], dice.choice((0, 0, 1)))],
                }
                for name, row in blocks.items()
                if row["side"] != side and dice.random() < 0.5
            ]
            yield {**view, LAST_SEEN: seen}


def force(fighters: Sequence[Fighter]) -> str:
    """Blocks with their strengths, and who comes later."""
    return " ".join(f"{one.name}/{one.strength}{'R' * one.reserve}" for one in fighters)


@pytest.mark.ci
def test_what_is_made_of_a_view_is_as_it_was() -> None:
    told = Telling()
    for number, view in enumerate(worlds()):
        look, side = Outlook(view), view["viewer"]
        told.lines.append(f"== {number}, {side}, turn {view['turn']}")
        for area in AREAS:
            numbers = [look.worth(area), look.spoils(area), look.menace[area], look.distance_to_front(area)]
            men = [f"{man.name} {man.strength} {man.worth} {man.power}" for man in look.mine[area]]
            likely = likely_enemies(look, area), look.noble_chances(area), look.can_pillage(area)
            ways = expectations.origin_of(view, area), ways_out(area, side, view)
            rest = digest([men, *likely, expectations.at_stake(view, area), *ways])
            told.lines.append(f"{area}: {numbers} {rest}")
        told.add("targets", [expectations.likely_targets(view)])
        for card in ("herald", "pillage", "victuals", "truce", "sea move", "2", None):
            told.add(f"event {card}", Captain(side)._event(card, look))
        told.add(
            "before winter",
            [*expectations.before_winter(view), expectations.in_all(expectations.points(view))],
        )
        nobles = [name for name, fact in BLOCKS.items() if fact.noble and fact.homes]
        goes = [(noble, area, one) for noble in nobles for area in BLOCKS[noble].homes for one in SIDES]
        homes = [expectations.home({"noble": a, "area": b, "side": c}, view) for a, b, c in goes]
        told.add(
            "home", [*homes, *(expectations.unspent({"left": left}) for left in ({}, {"Mar": 1, "Fife": 2}))]
        )
        foe = enemy_of(side)
        kinds: list[View] = [{"cards": {foe: card}} for card in ("1", "2", "herald")]
        may = [
            expectations.may_attack(view | one) for one in ({}, *kinds, {"truce": [side]}, {"truce": [foe]})
        ]
        told.add("events", [*expectations.events(view), *may])
        attacked: dict[str, View] = {}
        for area, near, more in (
            ("Mar", "Angus", (0, 0)),
            ("Fife", "", (1, 2)),
            ("Buchan", "Buchan", (0, 1)),
        ):
            late = {"reserves": dict(zip(SIDES, more, strict=True)), "reserve_blocks": ["Edward"] * more[0]}
            attacked[area] = {"origin": near, "attacker": side, "main": 2, **late}
        for some in (["Mar"], ["Mar", "Fife", "Buchan"]):
            first = {**view, "attacks": {area: attacked[area] for area in some}}
            told.add("attacks", [*reported.battles(first), *reported.battles({**first, "outcome": "over"})])
        names = [*view["blocks"]][:2]
        fight = {"area": "Mar", "number": 1, "round": 2, "attacker": side, "defender": enemy_of(side)}
        fight |= {"fighting": names, "reserves": {side: 0, enemy_of(side): 2}, "numbers": {enemy_of(side): 1}}
        told.add("a battle", reported.battles({**first, "battle": fight}))
        seen = battle_in_progress({**view, "battle": fight})
        assert seen is not None
        told.add(
            "it stands", [forecast._as_it_stands(seen, view), force(seen.known), seen.round, seen.attacker]
        )
        assert battle_in_progress({**view, "battle": {**fight, "round": 0}}) is None
        for phase, card in (("first move", "1"), ("second move", "2"), ("second move", "3")):
            told.add(phase, [plan_marches(look, phase, card, held) for held in ("", "Mar", "Fife")])
    as_kept(GOLDEN / "hammer.parts.txt", str(told))


MAY_BE = "Mar Fife Angus", "Mar Fife", "Mar", "Mar pool", "Fife", "Mar", "", "Angus", "Fife Mar", ""
"""Where each of ten hidden blocks can be; of two nothing is known."""
UNSEEN = (
    *((1, 0, "Mar", ""), (2, 1, "Mar", ""), (3, 1, "Fife", ""), (1, 2, "Fife", "Mar")),
    *((4, 0, "Angus", ""), (5, 2, "Mar", ""), (6, 3, "Mar", ""), (9, 2, "Fife", "")),
)


def test_who_may_stand_unseen_is_as_it_was() -> None:
    """Of few blocks, some surely there, some in one of several places, some elsewhere, some never shown."""
    told, view = Telling(), next(worlds())
    side, other, year = view["viewer"], enemy_of(view["viewer"]), view["year"]
    hidden = [name for name, fact in BLOCKS.items() if fact.noble or fact.side == other][-12:]
    mine = next(name for name, fact in BLOCKS.items() if fact.side == side)
    here: View = {"blocks": {hidden[0]: {}}, "out": {*BLOCKS} - {*hidden[:-1], mine}, "cards": {}}
    here |= {"nobles": dict.fromkeys(BLOCKS, other), "played": {side: ["victuals"], other: []}}
    seen = [
        {"block": name, "strength": (n + 2) % 3, "year": year - (n % 5 == 4), "may_be": where.split()}
        for n, (name, where) in enumerate(zip(hidden[1:], MAY_BE, strict=False))
        if where
    ]
    changes: list[tuple[View, list[View]]] = [({}, few) for few in (seen, seen[:4], seen[1:3], seen[4:5])]
    changes += [({"cards": {other: "pillage"}}, seen), ({"year": year + 1}, seen)]
    for change, some in (*changes, ({"played": {side: [], other: ["victuals"]}}, seen)):
        for many, reserves, area, whence in UNSEEN:
            unseen = expectations.Unseen(area, many, reserves, whence, bool(reserves))
            found = expectations.enemies(unseen, {**view, **here, **change, LAST_SEEN: some})
            forces = map(force, (found.strongest, found.weakest, *found.likely))
            told.lines.append(f"{[*change]} {len(some)} {many}+{reserves}: {digest([*forces])}")
    as_kept(GOLDEN / "hammer.unseen.txt", str(told))


def digest(what: object) -> str:
    """What stands for a text that is long."""
    return sha256(str(what).encode()).hexdigest()[:8]


def test_the_words_of_forecasts_are_as_they_were() -> None:
    told = Telling()
    wallace, grant = ("Wallace", 3, False), ("Grant", 2, True)
    for ours, theirs, later, known in (
        ((), 1, 0, {}),
        ((wallace, grant), 2, 1, {}),
        ((wallace,), 0, 2, {"Edward": 4, "Wales Archers": 1}),
        ((wallace,), 1, 1, {"Edward": 4, "Wales Archers": 0}),
        *(((wallace,), n % 3, n // 3, {"Edward": n % 2} if n < 9 else {}) for n in range(12)),
    ):
        met = trial.Met("Mar", "scotland", ours, theirs, later, {})
        told.add("forces", [forecast._forces(met, side, known) for side in SIDES])
    ways = (("Mar", "Fife"), ("Mar", "Angus", "Fife"), ("Mar", "Atholl", "Angus", "Fife"))
    moves = [*zip("ABCD", (*ways, ways[0]), ("main", "reserve", None, "main"), strict=True)]
    for first, card, attacked in ((True, "2", ""), (False, "2", ""), (None, "", "Mar"), (None, "2", "Mar")):
        one = trial.Trial("1", attacked, first, card, moves)
        both = [one, replace(one, enemy_card="3"), replace(one, enemy_card="1")]
        told.add(
            "course", [forecast._heading(both, many=many) for many in (True, False)] + [*forecast._moves(one)]
        )
    for least, most in ((0, 0), (1, 1), (0, 1)):
        found = Prospects(Fraction(least, 2), Fraction(most, 2), Fraction(1, 3))
        told.add("odds", [*forecast._odds("It holds", found, "  "), *forecast._odds("It holds", None)])
    rows = ("combat", "Mar", "pass"), ("hit", "Fife", "Edward"), ("card", "", "card 1")
    hows = (trial.ASKED, trial.WANTED, trial.BY_DEFAULT, trial.BY_ORDERS)
    asked = [trial.Question(kind, area, how, default) for kind, area, default in rows for how in hows]
    told.add("open", [*forecast._open(asked + asked), *forecast._left_open([trial.Trial(questions=asked)])])
    for text in FORCES.split(" | "):
        try:
            told.add(text, [*read_force(text, "scotland", "Fife")])
        except OrderError as fault:
            told.add(text, [fault])
    told.add("quick", [quick_chance(a, b, on) for a in (0, 3, 8) for b in (0, 3, 9) for on in (True, False)])
    told.add("numbers", islice(expectations._numbers("seed"), 17))
    as_kept(GOLDEN / "hammer.words.txt", str(told))


@pytest.mark.ci
def test_trials_are_told_as_they_were() -> None:
    """Which are told together, what is told once for all of them, and what only where."""
    told, view = Telling(), next(worlds())
    side, area = view["viewer"], next(area for area, row in view["areas"].items() if row["scotland"])
    lost = [Dropped(line, f"line {line}", "why", "4.1") for line in range(4)]
    here = trial.Met(area, side, (("Edward", 3, False),), 1, 0, view)
    there = replace(here, area="Mar", view={**view, "blocks": {}})
    hows = (trial.ASKED, trial.BY_ORDERS, trial.WANTED)
    asks = [trial.Question("combat", place, how) for place in (area, "Mar") for how in hows]
    wide = [trial.Question("card", "", how, "card 1") for how in (trial.BY_DEFAULT, trial.ASKED)] + asks
    own, foe = [*view["blocks"]][:2]
    opposed = {**view["blocks"], foe: {**view["blocks"][foe], "side": "scotland", "area": area}}
    firsts = [replace(here, view={**view, "blocks": opposed, "first": one}) for one in (side, "scotland")]
    moved: list[tuple[str, tuple[str, ...], str | None]] = [("Edward", ("England", area), None)]
    made = [
        trial.Trial("1", "", True, "2", moved, [here, there], [], asks, lost[:2]),
        trial.Trial("2", "", True, "2", moved, [here], [], wide, lost[:2]),
        trial.Trial("2", "", True, "2", [], [], ["So it is."], [], lost[:3]),
        trial.Trial("3", "", False, "2", [], [], [], [], [lost[0], lost[3]], view),
        trial.Trial("herald", "", False, "2", [], [], [], [], [lost[0]]),
        trial.Trial("3", "", False, "2", [], [here], [], wide, [lost[0]]),
        trial.Trial("3", area, False, "2", [], [replace(here, attacker="scotland")], [], [], lost[1:]),
        trial.Trial("2", "", True, "2", [], [here]),
        *(trial.Trial(card, "", False, "2", [], [], [], [], lost[3:]) for card in ("herald", "1")),
        *(trial.Trial("2", "", None, "2", moved, [met], [], wide) for met in firsts),
    ]
    fight = {"area": area, "round": 2, "attacker": side, "fighting": [own, foe]}
    fight["reserves"] = {"scotland": 1, "england": 0}
    hand = {"hand_sizes": {"england": 1, "scotland": 1}}
    for change in (
        {},
        hand,
        {"turn": WINTER_TURN, "phase": "wintering"},
        {"battle": fight, "phase": "battles"},
        {"battle": fight, "phase": "battles", "blocks": opposed},
    ):
        for some in (made, made[1:2], made[3:4], made[4:5], made[5:], made[6:]):
            budget = Budget(9, 0 if "battle" in change else 50_000)
            follower = LANGUAGE.follower(side)
            follower.receive(LANGUAGE.parse("plan Mar: if first: pass", side).orders, view)
            said = forecast.describe_outcome(some, {**view, **change}, follower, [lost[0].line], budget)
            told.add(f"{[*change]} {made.index(some[0])}", [*said, *budget.left_out])
    as_kept(GOLDEN / "hammer.trials.txt", str(told))


@pytest.mark.parametrize("name", GAMES)
def test_twins_are_as_they_were(name: str) -> None:
    """Each of another world, by the digest of it: what a twin leaves alone, and what it deals anew."""
    table, told, title = Table(name, {}, 2), Telling(), load(name)
    assert title.twin is not None
    bots = {side: title.bots["random"](side) for side in table.sides}
    for exchange in range(5):
        for side in table.sides:
            place = table.play.game.view("gm")
            twins = [title.twin(place, side, Random(seed)) for seed in range(4)]
            told.add(f"{exchange} {side}", [digest(json.dumps(twin)) for twin in twins])
        table.exchange(
            {side: bot.write(table.view(side), table.open_asks(side)) for side, bot in bots.items()}
        )
    as_kept(GOLDEN / f"{name}.twins.txt", str(told))
