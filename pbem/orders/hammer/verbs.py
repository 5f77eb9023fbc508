"""The verbs: what each may be followed by, where it may stand, and which questions it answers.

The table is the grammar of a line. Help, faults and the page of documentation are made from it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Takes = Literal[
    "nothing", "card", "candidates", "nobles", "blocks", "steps", "areas", "draws", "area", "topic"
]
Where = Literal["turn", "plan", "winter", "doctrine"]

TURN: tuple[Where, ...] = ("turn",)
FIGHT: tuple[Where, ...] = ("turn", "plan", "doctrine")
WINTER: tuple[Where, ...] = ("turn", "winter", "doctrine")


@dataclass(frozen=True, slots=True, kw_only=True)
class Verb:
    """One verb. `form` is how a line with it reads, for people."""

    name: str
    form: str
    rule: str
    takes: Takes = "nothing"
    bare: bool = False  # may stand alone
    none: bool = False  # `move none`: no answer of this kind is wanted
    start: bool = False  # from AREA
    by: bool = False  # by BLOCK
    within: bool = False  # in AREA
    to: Literal["", "may", "must"] = ""
    stay: bool = False
    path: bool = False  # the areas are a way, not a choice
    kinds: tuple[str, ...] = ()
    where: tuple[Where, ...] = TURN

    @property
    def words(self) -> tuple[str, ...]:
        """The words it begins with."""
        return tuple(self.name.split())


_TABLE = (
    Verb(name="card", form="card 3", rule="3.1", takes="card", kinds=("card",)),
    Verb(name="crown", form="crown Bruce", rule="6.2", takes="candidates", kinds=("king",)),
    Verb(name="event", form="event", rule="6.2", kinds=("king",)),
    Verb(name="herald", form="herald NOBLES", rule="3.12", takes="nobles", none=True, kinds=("herald",)),
    Verb(name="pillage", form="pillage AREAS", rule="3.12", takes="areas", none=True, kinds=("pillage",)),
    Verb(
        name="sail",
        form="sail BLOCKS from AREA to AREAS",
        rule="3.12",
        takes="blocks",
        none=True,
        start=True,
        to="must",
        kinds=("sail",),
    ),
    Verb(name="truce", form="truce", rule="3.12", kinds=("truce",)),
    Verb(
        name="move",
        form="move BLOCKS from AREA to AREA, AREA",
        rule="4.2",
        takes="blocks",
        none=True,
        start=True,
        to="must",
        path=True,
        kinds=("move",),
    ),
    Verb(
        name="main attack",
        form="main attack AREA from AREA",
        rule="5.32",
        takes="area",
        start=True,
        by=True,
        kinds=("move",),
    ),
    Verb(
        name="battles",
        form="battles AREAS, rest",
        rule="5.1",
        takes="areas",
        kinds=("battle",),
        where=("turn", "doctrine"),
    ),
    Verb(name="battle", form="battle AREA", rule="5.1", takes="area", kinds=("battle",)),
    Verb(
        name="fire",
        form="fire BLOCKS",
        rule="5.31",
        takes="blocks",
        bare=True,
        kinds=("combat",),
        where=FIGHT,
    ),
    Verb(
        name="pass",
        form="pass BLOCKS",
        rule="5.31",
        takes="blocks",
        bare=True,
        kinds=("combat", "herald", "pillage", "sail", "truce", "victuals"),
        where=FIGHT,
    ),
    Verb(
        name="retreat",
        form="retreat BLOCKS to AREAS",
        rule="5.5",
        takes="blocks",
        to="may",
        kinds=("combat", "retreat"),
        where=FIGHT,
    ),
    Verb(
        name="forced retreat",
        form="forced retreat BLOCKS to AREAS",
        rule="5.5",
        takes="blocks",
        to="may",
        kinds=("retreat",),
        where=FIGHT,
    ),
    Verb(
        name="hits",
        form="hits BLOCKS",
        rule="5.41",
        takes="blocks",
        kinds=("hit", "pillage-hit"),
        where=FIGHT,
    ),
    Verb(name="hit", form="hit BLOCK", rule="5.41", takes="blocks", kinds=("hit", "pillage-hit")),
    Verb(
        name="regroup",
        form="regroup BLOCKS to AREAS",
        rule="5.6",
        takes="blocks",
        none=True,
        to="must",
        stay=True,
        kinds=("regroup",),
        where=FIGHT,
    ),
    Verb(
        name="raid",
        form="raid BLOCKS",
        rule="5.9",
        takes="blocks",
        kinds=("raid",),
        where=("turn", "doctrine"),
    ),
    Verb(
        name="home",
        form="home BLOCK to AREAS",
        rule="7.1",
        takes="blocks",
        to="must",
        stay=True,
        kinds=("home",),
        where=WINTER,
    ),
    Verb(name="winter", form="winter Edward", rule="7.4", takes="blocks", kinds=("edward",), where=WINTER),
    Verb(
        name="disband",
        form="disband BLOCKS",
        rule="7.3",
        takes="blocks",
        none=True,
        within=True,
        kinds=("disband", "edward", "raid"),
        where=WINTER,
    ),
    Verb(
        name="keep",
        form="keep BLOCKS",
        rule="7.3",
        takes="blocks",
        within=True,
        kinds=("disband",),
        where=WINTER,
    ),
    Verb(
        name="build",
        form="build BLOCK 2, BLOCK, rest",
        rule="7.6",
        takes="steps",
        none=True,
        within=True,
        kinds=("build", "victuals", "pillage-build"),
        where=WINTER,
    ),
    Verb(
        name="draw", form="draw AREA 2", rule="7.62", takes="draws", none=True, kinds=("build",), where=WINTER
    ),
    Verb(
        name="ask",
        form="ask, or ask TOPIC",
        rule="",
        takes="topic",
        bare=True,
        where=("turn", "plan", "winter", "doctrine"),
    ),
    Verb(name="done", form="done", rule="", takes="topic", bare=True, where=("turn", "plan", "winter")),
)

VERBS: dict[str, Verb] = {verb.name: verb for verb in _TABLE}

OTHER_WORDS: dict[str, str] = {
    "play": "card",
    "fight": "fire",
    "call": "herald",
    "withdraw": "retreat",
}
"""Verbs that people write for ours."""

HEADINGS = frozenset(("plan", "winter", "doctrine"))
OPENERS = frozenset(("if", "when", "otherwise", "else", "end", *HEADINGS))

VERB_WORDS: frozenset[str] = frozenset(verb.words[0] for verb in _TABLE) | frozenset(OTHER_WORDS)
"""Every word that an order can begin with."""

TOPICS: dict[str, tuple[str, ...]] = {
    "crown": ("king",),
    "herald": ("herald",),
    "pillage": ("pillage",),
    "sail": ("sail",),
    "truce": ("truce",),
    "moves": ("move",),
    "battles": ("battle",),
    "combat": ("combat",),
    "hits": ("hit", "pillage-hit"),
    "forced retreat": ("retreat",),
    "regroup": ("regroup",),
    "raid": ("raid",),
    "home": ("home",),
    "edward": ("edward",),
    "disband": ("disband",),
    "builds": ("build", "victuals", "pillage-build"),
    "everything": (),
}
"""What `ask` can be about, and the questions that it stands for; () is every question."""

OTHER_TOPICS: dict[str, str] = {
    "king": "crown",
    "event": "crown",
    "move": "moves",
    "battle": "battles",
    "fire": "combat",
    "pass": "combat",
    "hit": "hits",
    "retreat": "forced retreat",
    "retreats": "forced retreat",
    "homes": "home",
    "winter": "edward",
    "keep": "disband",
    "build": "builds",
    "draw": "builds",
    "draws": "builds",
    "victuals": "builds",
    "anything": "everything",
    "all": "everything",
}

LISTS: dict[str, str] = {
    "move": "moves",
    "main attack": "moves",
    "sail": "sail",
    "build": "builds",
    "draw": "builds",
    "disband": "disband",
    "keep": "disband",
    "regroup": "regroup",
}
"""Verbs whose lines are steps of one list, and the topic of a bare `ask` or `done` that follows them."""
