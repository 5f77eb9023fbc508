"""The list of attacks: who cheats, how, and what has to catch it.

`python -m tests.tools.attack_table` writes this list into `pbem/docs/attacks.md`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal, get_type_hints

from pbem.audit.findings import State
from pbem.trust.entries import AFTER_CLOSE
from tests.audit.stage import Files, Stage, afterwards, corrected, finish, interrupted, skirmish
from tests.audit.workshop import Workshop

Who = Literal["judge", "player", "judge and player", "all three", "stranger", "mail"]
Evidence = Literal["bundle", "genesis", "held"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """Honest games to cheat with. Nobody changes them."""

    skirmish: Stage
    """In the middle of a game: a battle, a revision, a refusal, an extension, a silent player."""
    earlier: Files
    """The bundle of the same game before exchange 4."""
    finished: Stage
    """A game that is over."""
    late: Stage
    """A game that is over, in which the reveals came after the close."""
    interrupted: Stage
    """A game that is over, with acts of the game master: a hold, a roll-back, a concession."""
    corrected: Stage
    """A game that is over, with corrections of an exchange and of a correction."""
    fresh: Callable[..., Stage]
    """A new game, its first exchange open; takes what Stage takes."""


SHORT = {"scenario": "campaign", "last_year": 1297}


def make_scene(fresh: Callable[..., Stage]) -> Scene:
    """Plays them all, by what makes new games."""
    middle, finished, late = fresh(), fresh(), fresh(mode=AFTER_CLOSE)
    ended, replayed = fresh(), fresh()
    skirmish(middle, last=3)
    earlier = middle.bundle()
    skirmish(middle)
    skirmish(finished)
    finish(finished)
    afterwards(late)
    interrupted(ended)
    corrected(replayed)
    return Scene(
        late=late,
        interrupted=ended,
        corrected=replayed,
        skirmish=middle,
        earlier=earlier,
        finished=finished,
        fresh=fresh,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Exhibit:
    """A bundle that somebody has cheated with, and what an honest person has to hold against it."""

    files: Files
    genesis: str = ""
    held: Files = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Attack:
    """One way to cheat."""

    name: str
    who: Who
    how: str
    make: Callable[[Scene], Exhibit]
    audit: str
    """What pbem audit has to say."""
    script: str
    """What verify.sh has to say; "" where stock tools cannot show it."""
    evidence: Evidence
    """What catches it: the bundle itself, or only with the genesis head or kept papers beside it."""
    state: State = State.REFUTED
    """Missing where something was left out that does not follow from the rest.

    Open where an honest judge's bundle can look the same, so that the verifiers only name it.
    """


ATTACKS: dict[str, Attack] = {}


def up_to(last: int) -> Callable[[Scene], Stage]:
    """Makes a game whose next exchange is open."""

    def made(scene: Scene) -> Stage:
        stage = scene.fresh()
        skirmish(stage, last)
        return stage

    return made


Fresh = Annotated[Stage, lambda scene: scene.fresh()]
InExchange3 = Annotated[Stage, up_to(2)]
InExchange4 = Annotated[Stage, up_to(3)]
Late = Annotated[Stage, lambda scene: scene.fresh(mode=AFTER_CLOSE)]
Bundle = Annotated[Files, lambda scene: scene.skirmish.bundle()]
EndedBundle = Annotated[Files, lambda scene: scene.finished.bundle()]
Unbound = Annotated[Workshop, lambda scene: Workshop(scene.skirmish)]
Ended = Annotated[Workshop, lambda scene: Workshop(scene.finished)]
"""What an attack may ask for, by how it annotates its parameter; others stand where they are used."""


def attack(
    who: Who, *, audit: str, script: str, evidence: Evidence = "bundle", state: State = State.REFUTED
) -> Callable[[Callable[..., Exhibit | Files | Stage | Workshop | None]], Callable[..., object]]:
    """Add a function that cheats to the list; its first line of documentation says how.

    What it returns is shown, or if that is nothing, what it was given last, as it is then.
    """

    def add(cheat: Callable[..., Exhibit | Files | Stage | Workshop | None]) -> Callable[..., object]:
        name = cheat.__name__.replace("_", " ")
        assert name not in ATTACKS, name
        assert cheat.__doc__, name
        hints = get_type_hints(cheat, include_extras=True)
        asked = {
            one: getattr(hint, "__metadata__", [None])[0] for one, hint in hints.items() if one != "return"
        }

        def make(scene: Scene) -> Exhibit:
            given: dict[str, Any] = {one: world(scene) if world else scene for one, world in asked.items()}
            match cheat(**given) or list(given.values())[-1]:
                case Stage() as stage:
                    return Exhibit(files=stage.bundle())
                case Workshop() as shop:
                    return Exhibit(files=shop.bind())
                case dict() as files:
                    return Exhibit(files=files)
                case exhibit:
                    assert isinstance(exhibit, Exhibit)
                    return exhibit

        how = " ".join(cheat.__doc__.split("\n\n")[0].split())
        ATTACKS[name] = Attack(
            name=name, who=who, how=how, make=make, audit=audit, script=script, evidence=evidence, state=state
        )
        return cheat

    return add
