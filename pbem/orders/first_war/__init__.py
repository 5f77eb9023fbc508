"""The order language of First War; pbem/docs/orders-first-war.md is its page for players.

Its rows: vocabulary (nouns, and the `Sight` that is all they may know of the game), verbs, and here facts,
numbers, sections and the form.
"""

from __future__ import annotations

from pbem.orders.first_war.verbs import VERBS, spoken
from pbem.orders.first_war.vocabulary import NOUNS, Sight
from pbem.orders.kit.language import KitLanguage
from pbem.orders.kit.parsed_orders import Choice, Order, Orders, Part, Parts, every_order
from pbem.orders.kit.rows import Asking, Help, InForce, Question, Rows, Section, Steps, Topic, openly_asked
from pbem.orders.kit.vocabulary import Fact, Measure, Problem, phrases
from pbem.rules.first_war.facts import SEASONS

WINTER = SEASONS[-1]
SEALED = "this question depends on cards that the enemy does not see, and a pause would tell about them"

TOPICS = (
    Topic(name="events", kinds=("event",), other_words=("event",)),
    Topic(name="strategy", kinds=("strategy",), other_words=("battle",)),
    Topic(name="loss", kinds=("casualty",), said=" what you lose", other_words=("lose", "casualty")),
    Topic(name="victory", kinds=("victory",), said=" about Victory cards"),
    Topic(name="deploy", kinds=("deploy",), refused=SEALED),
    Topic(name="bonus", kinds=("bonus",), refused=SEALED),
    Topic(name="replace", kinds=("replace",), refused=SEALED),
    Topic(name="keep", kinds=("discard",), refused=SEALED),
    Topic(name="quarter", kinds=("quarter",), refused=SEALED, other_words=("winter",)),
)

FACTS = (
    Fact(
        name="behind",
        phrases=phrases("behind", "[i] am behind"),
        example="behind",
        holds=lambda _, sight: sight.missing > 0,
    ),
    Fact(
        name="needed",
        phrases=phrases("needed"),
        example="needed",
        holds=lambda _, sight: sight.missing > 0 and sight.can_win,
        secret=lambda _: True,
    ),
    Fact(
        name="out",
        phrases=phrases("enemy [is] out", "they are out"),
        example="enemy out",
        holds=lambda _, sight: sight.is_out(sight.enemy),
    ),
    Fact(
        name="season",
        phrases=phrases("in {season}", "[it] is {season}"),
        example="in fall",
        holds=lambda term, sight: sight.season == term.name(),
    ),
)

MEASURES = (
    Measure(
        name="mine",
        phrases=phrases("my {thing}", "our {thing}"),
        example="my lowland nobles at least 2",
        value=lambda term, sight: sight.count(sight.side, term.name()),
    ),
    Measure(
        name="theirs",
        phrases=phrases("enemy {thing}", "their {thing}"),
        example="enemy territories more than my territories",
        value=lambda term, sight: sight.count(sight.enemy, term.name()),
    ),
    Measure(
        name="year", phrases=phrases("year"), example="year at least 1300", value=lambda _, sight: sight.year
    ),
)

QUESTIONS = {
    "deploy": Question(
        "Which Units do you deploy",
        "the Units you deploy",
        ("deploy ____",),
        "all",
        "deploy all except infantry",
    ),
    "bonus": Question(
        "You draw a Unit for having more Lowland Nobles: deploy it or keep it",
        "whether the Unit drawn for your Lowland Nobles goes into play",
        ("bonus ____",),
        "it is deployed",
    ),
    "event": Question(
        "Which Events do you play, one line for each, best first",
        "the Event you play",
        ("event ____ on ____", "event ____ on ____", "if ____: event ____ on ____"),
        "none",
        "event betrayal on lowland noble",
    ),
    "strategy": Question(
        "Which Strategy cards do you play",
        "the Strategy card you play",
        ("if ____: strategy ____",),
        "none",
        "if needed: strategy siege, rest",
    ),
    "casualty": Question(
        "If you lose the battle: which Unit do you lose",
        "the Unit you lose",
        ("lose ____",),
        "infantry, cavalry, archers, nobles, the leader",
    ),
    "victory": Question(
        "If you win the battle: which Victory cards do you play",
        "the Victory card you play",
        ("victory ____ on ____",),
        "none",
        "victory carnage on nobles, troops",
    ),
    "replace": Question(
        "Which card that you cannot play do you replace",
        "the card you replace",
        ("replace ____",),
        "the first card that only the enemy may use",
    ),
    "discard": Question(
        "If you have more than five cards: which do you keep, best first",
        "the cards you discard, down to five",
        ("keep ____",),
        "victory, strategy, event, units",
    ),
    "quarter": Question(
        "Winter: which Units do you keep, best first",
        "the Units you disband for the winter",
        ("quarter ____",),
        "leader, nobles, archers, cavalry, infantry",
        "quarter leader, nobles, rest",
    ),
}


def in_force(orders: Orders, came: tuple[int, str], sight: Sight, kinds: frozenset[str]) -> Parts | None:
    """Return the lines of a file that are in force: those for its season.

    Lines about quarters are in force for the next winter as well.
    """
    parts = orders.section("season")
    if sight.moment == came:
        return parts
    if (sight.year, sight.season) == (came[0], WINTER) and came[1] == SEASONS[-2]:
        return tuple(part for part in parts if _is_of_winter(part)) if "quarter" in kinds else ()
    return None


def _is_of_winter(part: Part) -> bool:
    return isinstance(part, Order | Choice) and any(one.verb == "quarter" for one in every_order((part,)))


INSTEAD = {"pass": "write 'event none', 'strategy none' or 'victory none'"}
"""The advice what to write in place of a word with which people begin a line, though no order does."""
ROWS = Rows(
    name="first-war",
    sight=Sight,
    nouns=NOUNS,
    verbs=VERBS,
    facts=FACTS,
    measures=MEASURES,
    topics=TOPICS,
    sections=(
        Section(name="season"),
        Section(
            name="doctrine",
            heading="From now on, if no sheet answers:",
            standing=True,
            empty="nothing; you have no standing orders.",
        ),
    ),
    questions=QUESTIONS,
    steps=(Steps(kind="deploy", over=Problem("you could deploy no more Units", "Recruit Phase")),),
    in_force=InForce(now=in_force, apart=(frozenset(("quarter",)),)),
    asking=Asking(
        covering=frozenset(("deploy",)),
        alternatives=frozenset(("event", "victory")),
        may_come=lambda sight, kind: kind != "quarter" or sight.season in SEASONS[-2:],
        waited_for=lambda options: openly_asked(TOPICS) if options["pace"] == "strict" else frozenset(),
        spoken=spoken,
    ),
    help=Help(
        conditions=("behind", "needed", "enemy out", "in fall", "my nobles at least 2"), instead=INSTEAD
    ),
)

LANGUAGE = KitLanguage(ROWS)
