"""The words with which a person names an event: `1297.2 battle fife`, `winter 1297 ross`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise

from pbem.errors import ConfigError
from pbem.trust.identifiers import is_number

_WHOLE = re.compile(r"\d+\.\d+|\w+-\d+")
"""A pattern of words that are never the beginning of another word, such as a turn, or the third battle."""
_SMALL = frozenset(("a", "an", "and", "at", "by", "from", "in", "of", "the", "to", "with"))
"""Words of a query that say nothing about the event that is looked for."""
YEAR_DIGITS = 4
SHORTEST = 3
"""Least number of letters of a word that also finds longer words which begin with it."""


@dataclass(frozen=True, slots=True)
class Query:
    """A query for an event: words, all of which must fit, and the exchange in which to look."""

    words: tuple[str, ...]
    exchange: int = 0
    """The number of the exchange in which to look; 0 for all exchanges."""

    def fits(self, text: str, exchange: int) -> bool:
        """Tell whether a text with these words, of the given exchange, fits the query."""
        if self.exchange and exchange != self.exchange:
            return False
        words = text.split()
        found = {*words, *(f"{one}-{other}" for one, other in pairwise(words) if other.isdigit())}
        return all(
            word in found
            or (
                len(word) >= SHORTEST
                and not _WHOLE.fullmatch(word)
                and any(w.startswith(word) or f"{w}s" == word for w in found)
            )
            for word in self.words
        )

    def __str__(self) -> str:
        parts = [*([f"exchange {self.exchange}"] if self.exchange else []), *self.words]
        return " ".join(parts)


def read_query(text: str, example: str) -> Query:
    """Return the query that a person typed; `example` says what can be typed in this game.

    Raises:
        ConfigError: the query says nothing, or the exchange has no number.
    """
    words = [word for word in plain_words(text).split() if word not in _SMALL]
    exchange = 0
    if "exchange" in words:
        place = words.index("exchange")
        number = words[place + 1] if place + 1 < len(words) else ""
        if not is_number(number):
            raise ConfigError(f"after 'exchange' write its number, not '{number}'; name {example}")
        exchange = int(number)
        del words[place : place + 2]
    for place in range(len(words) - 1, 0, -1):
        if words[place].isdigit() and len(words[place]) < YEAR_DIGITS and words[place - 1].isalpha():
            words[place - 1 : place + 1] = [f"{words[place - 1]}-{words[place]}"]  # round 3, battle 2, turn 1
    if not words and not exchange:
        raise ConfigError(f"name the event: {example}")
    return Query(tuple(words), exchange)


def plain_words(text: str) -> str:
    """Return a text in lower case, with blanks in place of punctuation, so that words can be compared."""
    return re.sub(r"[^\w.\-\n]+", " ", text.lower().replace("/", " "))
