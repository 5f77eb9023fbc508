"""The interface between a game's rules and everything else.

A game asks (`Ask`), is answered in canonical text, draws on a `Chance` that it does not own, shows
each viewer what that viewer may see, and ends with an `Outcome`. The rest of the program, bots,
fuzzers and other engines meet a game through these names alone. Options with a few values each (`Switches`)
are checked, and what is not given has its default.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass
from functools import lru_cache
from typing import Any, NoReturn, Protocol, TypeVar

from pbem.characters import is_decimal, lower, nearest

MAX_COMPARED = 80
"""Maximum number of letters of an illegal answer that are compared with legal ones."""

View = dict[str, Any]
"""The data that one viewer may see of a position: plain and JSON-able, a `Head` and what is the game's
own."""

Event = dict[str, Any]
"""A thing that happened, as one audience is told of it: plain JSON-able data."""

AnyType = TypeVar("AnyType", bound=type)


def _refuse(*_: object, **__: object) -> NoReturn:
    raise TypeError("views share this part; change a copy of it")


def _refuse_change(kind: AnyType) -> AnyType:
    for name in ("__setitem__", "__delitem__", "__ior__", "clear", "pop", "popitem", "setdefault", "update"):
        setattr(kind, name, _refuse)
    return kind


@_refuse_change
class Shared(dict[str, Any]):
    """A part of a view that others show as well: readable as a dictionary, changeable by nobody.

    What it holds is as fixed as itself: texts, numbers, and parts of this kind. A copy of it can be changed.
    """

    __slots__ = ()

    def __reduce__(self) -> tuple[type, tuple[dict[str, Any]]]:
        """Pickle and copy the part as a plain dictionary."""
        return dict, (dict(self),)


EVERYBODY = "public"
"""The owner of draws that everybody learns at once."""

NOBODY = "gm"
"""The owner of draws that nobody but the judge learns until the rules turn them up."""


class Chance(Protocol):
    """The only source of chance a game has. Labels say what is rolled for and never repeat in a game."""

    def roll(self, label: str, sides: int = 6) -> int:
        """Roll a die of 2 to 256 sides, and return 1 to `sides`; everybody sees the result."""

    def draw(self, label: str, choices: tuple[str, ...]) -> str:
        """Draw and return one of `choices`.

        There are 1 to 256 choices, in an order that the position gives; equal names may be among them. The
        result is known at once to its owner (`Rules.draw_owner`), to others when a view shows it.
        """


@dataclass(frozen=True, slots=True)
class Outcome:
    """The end of a game, with the reason in a few words.

    `winner` is None after a draw, and if more than one side has won.
    """

    winner: str | None
    reason: str
    places: tuple[tuple[str, ...], ...] = ()
    """The sides from first to last, those who share a place together; empty if the rules rank nobody."""

    @property
    def winners(self) -> tuple[str, ...]:
        """The side that has won, or those that share the first place; none after a draw."""
        if self.winner is not None:
            return (self.winner,)
        return self.places[0] if self.places else ()


@dataclass(frozen=True, slots=True)
class Head:
    """The data with which every view begins.

    Only the packages of its game look at anything else in a view.
    """

    game: str
    """The name by which the game's rules are loaded."""
    viewer: str
    """The viewer of the view: a side, "public" or "gm"."""
    moment: tuple[str, ...]
    """The game's words for the time, from the largest part to the smallest: `1297`, `turn 2`."""
    options: Mapping[str, Any]
    """All options of the game, as `Rules.checked` gives them."""
    outcome: Outcome | None

    def view(self, **rest: Any) -> View:
        """Return a view that begins with this head, and holds the given data of the game besides."""
        end = self.outcome
        places = {"places": [list(place) for place in end.places]} if end and end.places else {}
        return {
            "game": self.game,
            "viewer": self.viewer,
            "moment": list(self.moment),
            "options": self.options if isinstance(self.options, Shared) else dict(self.options),
            **rest,
            "outcome": {"winner": end.winner, "reason": end.reason, **places} if end else None,
        }


def read_head(view: View) -> Head:
    """Return the head of a view, which a report may have brought.

    Raises:
        ValueError: it has none.
    """
    try:
        end = view["outcome"]
        places = tuple(tuple(map(str, place)) for place in end.get("places", ())) if end else ()
        return Head(
            str(view["game"]),
            str(view["viewer"]),
            tuple(map(str, view["moment"])),
            dict(view["options"]),
            Outcome(end["winner"], str(end["reason"]), places) if end else None,
        )
    except (KeyError, TypeError, ValueError, AttributeError):
        raise ValueError("this is not a view of a game: it lacks its head") from None


class IllegalAnswer(Exception):
    """An answer that the rules refuse.

    Attributes: `rule` the section (or ruling) that forbids it; `reason` in the player's words;
    `suggestions` a few legal answers near to what was written. All three are computed from what the
    answering side may know.
    """

    def __init__(self, rule: str, reason: str, legal: tuple[str, ...] = (), written: str = "") -> None:
        self.rule = rule
        self.reason = reason
        self._legal = legal
        self._written = written
        super().__init__(f"{reason} ({rule})")

    @property
    def suggestions(self) -> tuple[str, ...]:
        """The legal answers nearest to the refused one.

        They are computed only now, since most refusals are not shown.
        """
        return tuple(nearest(self._written[:MAX_COMPARED], self._legal, 3, 0.5)) or self._legal[:3]


class UnknownRules(Exception):
    """Raised if no installed package offers a rule set of the name that is asked for."""

    def __init__(self, name: str, known: tuple[str, ...]) -> None:
        super().__init__(f"no game called {name!r}; installed: {', '.join(known) or 'none'}")


class UnknownOption(Exception):
    """Raised for an option, or an option's value, that a rule set does not have."""


OPEN: Any = object()
"""The value that stands for the answer to an Ask until it is given."""


class Ask:
    """One question to one side, answered by one line of canonical text.

    `options` lists every legal answer in any order and is only run when somebody wants the list;
    `read` checks a single answer without it and returns what the rules go on with. The two agree
    (a test proves it). `preferred` gives the answer that a silent player gets. `public` says that the
    other sides can tell from their own views that this is asked. With `always` it is asked even if one
    answer alone is legal: where a pause, or none, would tell what is in a hand.

    Rules write `value = await Ask(...)`; several at once: `await together(ask, ask)`.
    """

    __slots__ = ("_always", "_legal", "_options", "_preferred", "_public", "_read", "kind", "rule", "side")

    def __init__(
        self,
        side: str,
        kind: str,
        rule: str,
        options: Callable[[], Iterable[str]],
        *,
        public: bool | Callable[[], bool],
        preferred: Callable[[], str],
        read: Callable[[str], Any] | None = None,
        always: bool = False,
    ) -> None:
        self.side = side
        self.kind = kind
        self.rule = rule
        self._public = public
        self._options = options
        self._preferred = preferred
        self._read = read
        self._always = always
        self._legal: tuple[str, ...] | None = None

    @property
    def public(self) -> bool:
        """Whether the other sides can tell from their own views that this is asked."""
        return self._public if isinstance(self._public, bool) else self._public()

    @property
    def legal(self) -> tuple[str, ...]:
        """Every legal answer to the question, sorted."""
        if self._legal is None:
            self._legal = tuple(sorted(self._options()))
        return self._legal

    @property
    def default(self) -> str:
        """The answer that a silent player gives; always legal."""
        return self._preferred()

    def settled(self) -> Any:
        """Return what the rules go on with if one answer alone is legal; OPEN if somebody must be asked."""
        if self._always:
            return OPEN
        listing = iter(self._options())
        only = next(listing)
        if next(listing, None) is not None:
            return OPEN
        return only if self._read is None else self._read(only)

    def read(self, text: str) -> Any:
        """Return the checked meaning of an answer. Raises IllegalAnswer, having changed nothing."""
        if self._read is not None:
            return self._read(text)
        if text in self.legal:
            return text
        raise self.illegal(text)

    def illegal(self, text: str, reason: str | None = None, rule: str | None = None) -> IllegalAnswer:
        """Return the refusal of `text`, with the legal answers nearest to it."""
        return IllegalAnswer(rule or self.rule, reason or f"'{text}' is not possible here", self.legal, text)

    def __await__(self) -> Any:
        values = yield (self,)
        return values[0]


class Game(Protocol):
    """A game in progress, played by one rule set."""

    @property
    def asks(self) -> tuple[Ask, ...]:
        """The questions that are open now; there are several only if they were asked at once."""

    @property
    def at_stop(self) -> str | None:
        """The name of the public stop at which the game halts (only if started with `stops`), or None."""

    @property
    def outcome(self) -> Outcome | None:
        """The end of the game; None while the game goes on."""

    def answer(self, side: str, text: str) -> None:
        """Give one side's answer to the rules. Raises IllegalAnswer, having changed nothing."""

    def go_on(self) -> None:
        """Leave the public stop at which the game halts, and play on."""

    def view(self, viewer: str) -> View:
        """Return what a side, "public" or "gm" may see now."""

    def told(self, audience: str, after: int = 0) -> list[Event]:
        """Return what a side, "public" or "gm" has been told, in order, without the first `after` events."""


class Rules(Protocol):
    """The rules of one kind of game."""

    @property
    def name(self) -> str:
        """The name by which the rules are loaded."""

    @property
    def title(self) -> str:
        """The game's name for people."""

    @property
    def stops(self) -> Mapping[str, frozenset[str]]:
        """The game's public stops, and the kinds of Asks that are put to the players at each."""

    def sides(self, options: Mapping[str, Any]) -> tuple[str, ...]:
        """Return the sides of a game with these options, in their fixed order."""

    def checked(self, options: Mapping[str, Any]) -> dict[str, Any]:
        """Return every option of a game with its value; those not given have their defaults.

        Raises:
            UnknownOption: an option or value that the game does not have.
        """

    def leave(self, position: View | None, side: str, gone: tuple[str, ...] = ()) -> Outcome | None:
        """Return the game's end if a side plays no more, or None if the others play on.

        Asked after a concession or a claim while two or more are left: one who is left alone has won. If
        they play on, the side's questions get their defaults from then on. `position`: as "gm" sees it, None
        before the set-up. `gone`: the sides that had left before, in turn.
        """

    def draw_owner(self, label: str) -> str:
        """Return who learns at once what is drawn under this label: a side, EVERYBODY or NOBODY.

        The label alone decides it, so a label tells for whom something is drawn. What belongs to NOBODY is
        the judge's secret: the ledger's entry stays shut to the end of the game, and whoever may see the item
        meanwhile, because it was taken or turned up, learns of it from `view` and `told`. How many draws an
        exchange makes, and for whom, must follow from what all know: all can count them (protocol 10).
        """

    def start(
        self,
        options: Mapping[str, Any],
        chance: Chance,
        position: View | None = None,
        stops: bool = False,
    ) -> Game:
        """Return a game from its set-up, or from a position shaped like `view("gm")`.

        With `stops` it halts at the game's public stops, whether or not anybody is asked there.

        Raises:
            UnknownOption: an option or value that the game does not have.
        """


@dataclass(frozen=True, slots=True, kw_only=True)
class Switches:
    """The options of one game, with a field for each switch."""

    def as_dict(self) -> dict[str, Any]:
        """Return every option by name, such that it makes the same object again."""
        return asdict(self)


@lru_cache(maxsize=64)
def shown_options(options: Switches) -> Shared:
    """Return the options as every view of a game with them shows them."""
    return Shared(options.as_dict())


def read_switch(name: str, value: Any, values: tuple[Any, ...]) -> Any:
    """Return `value` as one of `values`; text stands for a number, and "yes" or "true" for a boolean.

    Raises:
        UnknownOption: it is none of them; the message lists them.
    """
    if isinstance(value, str):
        if isinstance(values[0], bool):
            value = {"yes": True, "true": True, "no": False, "false": False}.get(lower(value), value)
        elif isinstance(values[0], int) and is_decimal(value):
            value = int(value)
    for known in values:
        if value == known and isinstance(value, bool) == isinstance(known, bool):
            return known
    listed = ", ".join(lower(str(known)) if isinstance(known, bool) else str(known) for known in values)
    raise UnknownOption(f"option {name} cannot be {value!r}; its values are {listed}")


def read_switches(given: Mapping[str, Any], switches: Mapping[str, tuple[Any, ...]]) -> dict[str, Any]:
    """Return every switch of a rule set with its value: the given value, or else the first that it may have.

    Raises:
        UnknownOption: a name or value that does not exist; the message lists those that do.
    """
    if unknown := sorted(set(given) - set(switches)):
        raise UnknownOption(f"no option called {unknown[0]!r}; there are {', '.join(sorted(switches))}")
    return {name: read_switch(name, given.get(name, values[0]), values) for name, values in switches.items()}
