"""The keys of league.toml, and the reading of its tables, which notes every mistake with its line.

tomllib gives line numbers for syntax errors only, so the lines of keys are looked up in the file's text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from fractions import Fraction
from typing import Any

from pbem.characters import is_decimal, is_plain, nearest, split_lines, strip_blanks
from pbem.errors import ConfigError
from pbem.leagues.model import PreviousSeason
from pbem.trust.identifiers import is_hash, is_token
from pbem.trust.times import WEEKDAYS

FORMATS = ("sections", "swiss", "knockout", "ladder")
SIDES = ("balanced", "bids", "both")
NEVER = "never"
UNFINISHED = ("panel", "count", "director", "draw")
REQUIRED = object()
"""The mark for a key without a default, which the file must give."""


@dataclass(frozen=True, slots=True)
class Key:
    """The definition of one key of a table in league.toml; `words` are the values of a "choice"."""

    kind: str
    default: Any = None
    words: tuple[str, ...] = ()


TABLES: dict[str, dict[str, Key]] = {
    "": {
        "name": Key("token", REQUIRED),
        "title": Key("text", ""),
        "format": Key("choice", REQUIRED, FORMATS),
    },
    "game": {
        "rules": Key("token", REQUIRED),
        "mode": Key("choice", "with-orders", ("with-orders", "after-close")),
        "exchanges": Key("number", 0),
        "options": Key("options", ()),
        "round": Key("rounds", ()),
    },
    "entries": {
        "until": Key("time", REQUIRED),
        "least": Key("number", 2),
        "most": Key("number", 500),
        "late": Key("choice", "no", ("no", "next-round")),
    },
    "last": {
        "leagues": Key("seasons", ()),
        "class": Key("number", 0),
    },
    "rounds": {
        "count": Key("number", 0),
        "days": Key("days", 112),
        "gap_days": Key("days", 0),
        "last_dates": Key("times", ()),
        "warn_days": Key("days", 14),
    },
    "draws": {"days": Key("days", 7)},
    "rhythm": {
        "days": Key("days", 7),
        "weekdays": Key("words", ()),
        "hour": Key("text", ""),
        "zone": Key("text", "UTC"),
        "grace_hours": Key("days", 0),
        "bank_days": Key("days", 0),
        "increment_days": Key("days", 0),
        "absence_days": Key("days", 21),
        "agreed_days": Key("days", 0),
        "reminder_hours": Key("days", 36),
        "silent_exchanges": Key("number", 2),
        "claims": Key("choice", "ask", ("ask", "grant")),
    },
    "sections": {
        "size": Key("number", 7),
        "double": Key("yes", False),
        "up": Key("number", 0),
        "down": Key("number", 0),
        "final": Key("yes", False),
    },
    "swiss": {
        "odd": Key("choice", "bye", ("bye", "eliminator")),
        "stuck": Key("choice", "", ("rematch", "end")),
        "order": Key("choice", "points", ("points", "sides")),
        "seeding": Key("choice", "draw", ("draw", "rating")),
        "apart": Key("couples", ()),
        "half_byes": Key("number", 0),
    },
    "knockout": {
        "odd": Key("choice", "bye", ("bye", "eliminator")),
        "seeding": Key("choice", "rating", ("rating", "draw")),
        "drawn": Key("token", "lot"),
        "third": Key("yes", False),
    },
    "ladder": {"reach": Key("number", 3)},
    "tables": {"least": Key("number", 0), "most": Key("number", 0)},
    "sides": {"by": Key("choice", "balanced", SIDES)},
    "unfinished": {
        "by": Key("choice", "director", UNFINISHED),
        "count": Key("token", ""),
        "panel_days": Key("days", 14),
    },
    "scoring": {
        "win": Key("fraction", Fraction(1)),
        "draw": Key("fraction", Fraction(1, 2)),
        "loss": Key("fraction", Fraction(0)),
        "bye": Key("fraction", Fraction(1)),
        "forfeit": Key("fraction", Fraction(1)),
        "annulled": Key("fraction", Fraction(0)),
        "tie_breaks": Key("phrases", ()),
        "leavers": Key("choice", "half-played", ("annulled", "half-played", "open-lost")),
        "forfeits_rated": Key("yes", False),
    },
    "leaving": {
        "replace_days": Key("days", 0),
        "silent_calls": Key("number", 3),
    },
    "appeals": {
        "days": Key("days", 7),
        "answer_days": Key("days", 7),
    },
    "digest": {"day": Key("choice", "mon", (*WEEKDAYS, NEVER))},
    "people": {
        "director": Key("token", REQUIRED),
        "assistants": Key("words", ()),
        "panel": Key("words", ()),
    },
}
OF_FORMAT = {"sections", "swiss", "knockout", "ladder"}
"""The tables of league.toml that belong to one format, whose name they bear."""

MAX_NUMBER = 100_000
"""The largest number that a league.toml may hold."""


@dataclass(frozen=True, slots=True)
class Mistake:
    """A mistake in a league.toml; line 0 means that the mistake belongs to no line in particular."""

    line: int
    text: str

    def __str__(self) -> str:
        return f"line {self.line}: {self.text}" if self.line else self.text


class FileMistakes(ConfigError):
    """Raised when a league.toml has mistakes; the error lists all of them."""

    def __init__(self, mistakes: tuple[Mistake, ...], name: str = "league.toml") -> None:
        self.mistakes = mistakes
        super().__init__(f"{name}: " + "\n    ".join(map(str, mistakes)))


def lines_of(text: str) -> dict[str, int]:
    """Return the line number of each key of a league.toml, by the key's path such as game.rules."""
    table = ""
    found: dict[str, int] = {}
    for number, line in enumerate(split_lines(text), 1):
        bare = strip_blanks(line.split("#")[0])
        if match := re.fullmatch(r"\[+[ \t]*([^\[\]]+?)[ \t]*\]+", bare):
            table = match[1].replace(" ", "").replace('"', "")
            found.setdefault(table, number)
        elif match := re.match(r"""["']?([A-Za-z0-9_.-]+)["']?[ \t]*=""", bare):
            found.setdefault(f"{table}.{match[1]}" if table else match[1], number)
    return found


class Reader:
    """Reads a league.toml table by table, and notes each mistake."""

    def __init__(self, found: Mapping[str, Any], lines: Mapping[str, int]) -> None:
        self.found = found
        self.lines = lines
        self.mistakes: list[Mistake] = []

    def note_mistake(self, path: str, text: str) -> None:
        """Note a mistake in a league.toml, with the line of its key or, without one, of the key's table."""
        line = self.lines.get(path) or self.lines.get(path.rpartition(".")[0], 1)
        self.mistakes.append(Mistake(line, text))

    def values(self) -> dict[str, Any]:
        """Return the value of every key by its path; a key with a mistake has its default."""
        tables = {name for name in TABLES if name}
        form = self.found.get("format")
        for name in self.found.keys() - tables - TABLES[""].keys():
            self.note_mistake(
                name, f"there is no {name!r} in a league.toml{suggestion(name, tables | TABLES[''].keys())}"
            )
        values: dict[str, Any] = {}
        for name, keys in TABLES.items():
            table = self.found.get(name, {}) if name else self.found
            if not isinstance(table, Mapping):
                self.note_mistake(name, f"{name} is a table: [{name}]")
                table = {}
            if form in OF_FORMAT and name in OF_FORMAT - {form} and name in self.found:
                self.note_mistake(name, f"[{name}] does not belong in a league whose format is {form!r}")
            for key in (table.keys() - keys.keys()) if name else ():
                path = f"{name}.{key}"
                self.note_mistake(path, f"[{name}] has no {key!r}{suggestion(key, keys)}")
            for key, spec in keys.items():
                path = f"{name}.{key}" if name else key
                values[path] = self._value(path, spec, table)
        return values

    def _value(self, path: str, spec: Key, table: Mapping[str, Any]) -> Any:
        key = path.rpartition(".")[2]
        if key not in table:
            if spec.default is REQUIRED:
                self.note_mistake(path, f"{path} is missing")
            return spec.default
        try:
            return _read(spec, table[key])
        except ValueError as problem:
            self.note_mistake(path, f"{path}: {problem}")
        except TypeError:
            self.note_mistake(path, f"{path} cannot be {table[key]!r}: {_KINDS[spec.kind]}")
        return spec.default


_KINDS = {
    "text": "it takes text in quotes",
    "token": "it takes a name in quotes: small letters, digits, dots, dashes",
    "choice": "it takes one word in quotes",
    "number": "it takes a whole number from 0",
    "days": "it takes a number from 0",
    "yes": "it takes true or false",
    "time": "it takes a day and time with a zone, as 2027-01-31T20:00:00Z",
    "times": "it takes a list of days and times, as [2027-01-31T20:00:00Z]",
    "words": 'it takes a list of words, as ["one", "two"]',
    "couples": 'it takes a list of pairs of names, as [["anna", "ben"]]',
    "phrases": 'it takes a list of texts, as ["buchholz", "total nobles"]',
    "seasons": 'it takes a list, each as "NAME FIRST-HEAD LAST-HEAD" (pbem league classes prints it)',
    "fraction": 'it takes a number, or a fraction in quotes, as "1/2"',
    "options": "it takes a table of options",
    "rounds": "it takes tables of options, as [game.round.2]",
}


def _read(spec: Key, value: Any) -> Any:
    """Return a value of the specified kind. Raises TypeError for another kind, ValueError with a reason."""
    if spec.kind == "choice":
        if value not in spec.words:
            known = ", ".join(spec.words)
            raise ValueError(f"{value!r} is not one of {known}{suggestion(str(value), spec.words)}")
        return value
    return _READERS[spec.kind](value)


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError
    if not is_plain(value):
        raise ValueError("it has a character that cannot stand in a line of text")
    return value


def _token(value: Any) -> str:
    if not is_token(_text(value)):
        raise ValueError(f"{value!r} is not a name: small letters, digits, dots, dashes")
    return str(value)


def _number(value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= MAX_NUMBER:
        raise TypeError
    return value


def _days(value: Any) -> float:
    if not isinstance(value, int | float) or isinstance(value, bool) or not 0 <= value <= MAX_NUMBER:
        raise TypeError
    return value


def _yes(value: Any) -> bool:
    if not isinstance(value, bool):
        raise TypeError
    return value


def _time(value: Any) -> datetime:
    if isinstance(value, date) and not isinstance(value, datetime):
        raise ValueError(f"{value} has no time; write {value}T20:00:00Z")  # noqa: TRY004 - it is told
    if not isinstance(value, datetime):
        raise TypeError
    if value.tzinfo is None:
        raise ValueError(f"{value.isoformat()} has no zone; write {value.isoformat()}Z for UTC")
    return value.astimezone(UTC).replace(microsecond=0)


def _times(value: Any) -> tuple[datetime, ...]:
    return tuple(map(_time, _list(value)))


def _words(value: Any) -> tuple[str, ...]:
    words = tuple(map(_token, _list(value)))
    if len(set(words)) != len(words):
        raise ValueError("it names something twice")
    return words


def _couples(value: Any) -> tuple[tuple[str, ...], ...]:
    couples = tuple(map(_words, _list(value)))
    if wrong := [couple for couple in couples if len(couple) != 2]:
        raise ValueError(f"a pair is two names, and this one has {len(wrong[0])}")
    return couples


def _phrases(value: Any) -> tuple[str, ...]:
    return tuple(map(_text, _list(value)))


def _seasons(value: Any) -> tuple[PreviousSeason, ...]:
    return tuple(map(_season, _phrases(value)))


def _season(text: str) -> PreviousSeason:
    words = text.split(" ")
    if len(words) != 3 or not is_token(words[0]) or not all(map(is_hash, words[1:])):
        raise ValueError(
            f"{text[:40]!r} is not a season: write the name of a league, then the first and the last head "
            "of its ledger, 64 digits each, as 'pbem league classes' prints them"
        )
    return PreviousSeason(*words)


def _list(value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise TypeError
    return value


def _fraction(value: Any) -> Fraction:
    if not isinstance(value, str | int | float) or isinstance(value, bool):
        raise TypeError
    try:
        return Fraction(str(value))
    except (ValueError, ZeroDivisionError):
        raise ValueError(f"{value!r} is not a number") from None


def _options(value: Any) -> tuple[tuple[str, Any], ...]:
    if not isinstance(value, Mapping):
        raise TypeError
    return tuple(value.items())


def _rounds(value: Any) -> tuple[tuple[int, tuple[tuple[str, Any], ...]], ...]:
    rounds = _options(value)
    if wrong := [key for key, _ in rounds if not is_decimal(key) or key.startswith("0")]:
        raise ValueError(f"{wrong[0]!r} is not a round; write it like [game.round.2]")
    return tuple((int(key), _options(own)) for key, own in rounds)


_READERS: Mapping[str, Callable[[Any], Any]] = {
    "text": _text,
    "token": _token,
    "number": _number,
    "days": _days,
    "yes": _yes,
    "time": _time,
    "times": _times,
    "words": _words,
    "couples": _couples,
    "phrases": _phrases,
    "seasons": _seasons,
    "fraction": _fraction,
    "options": _options,
    "rounds": _rounds,
}


LONGEST = 40
"""Maximum number of letters of an unknown word that are compared with known words."""


def suggestion(word: str, known: Any) -> str:
    """Return the question whether a known word was meant by an unknown one; "" if none is like it."""
    near = nearest(word[:LONGEST], sorted(known), 1, 0.6)
    return f"; did you mean {near[0]!r}?" if near else ""
