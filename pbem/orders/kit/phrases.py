"""Phrases, which define how a fact or a measure reads.

    Ford is attacked          "{area} is|are attacked"
    they have Edward          "they have {block+}"
    at most 2 reinforce       "at most {#blocks} [block|blocks] reinforce|reinforces"

`{noun}` is a name; `{noun+}` a list of names joined by `or`, `{noun,}` one with commas; `{#blocks}` a number
of blocks. `a|b` is either word, the first is written back; `[a|b]` may be left out, and is. `not` may follow
`is` and `are`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from pbem.orders.kit.parsed_orders import Values

_PIECE = re.compile(r"\{(#?)([^}+,]+)([+,]?)\}|\[([^\]]+)\]|([^ ]+)")
_IS = frozenset(("is", "are"))


@dataclass(frozen=True, slots=True)
class Word:
    """A place in a phrase for one of some words, or for none of them if it is `optional`."""

    words: tuple[str, ...]
    optional: bool = False

    @property
    def says_is(self) -> bool:
        """Whether `not` may follow the word, since it is `is` or `are`."""
        return bool(_IS & set(self.words))


@dataclass(frozen=True, slots=True)
class Blank:
    """The place in a phrase for a name, a list of names, or a number."""

    noun: str
    joint: str = ""  # what joins a list: " or " or ", "
    number: bool = False

    @property
    def separators(self) -> tuple[str, ...]:
        """The words that may stand between the names of a list in the blank."""
        return {" or ": ("or", ","), ", ": (",", "and")}.get(self.joint, ())


@dataclass(frozen=True)
class Phrase:
    """One way to say a fact or measure. `preset`: the values that are meant without being written."""

    text: str
    pieces: tuple[Word | Blank, ...]
    preset: Values | None = None

    @cached_property
    def first(self) -> str:
        """The word with which the phrase begins; empty if it begins with a blank."""
        piece = self.pieces[0]
        return piece.words[0] if isinstance(piece, Word) else ""

    @cached_property
    def begins(self) -> frozenset[str] | None:
        """The words with which the phrase may begin.

        They are None if the phrase begins with a blank, so that any word may begin it.
        """
        words: set[str] = set()
        for piece in self.pieces:
            if isinstance(piece, Blank):
                return None
            if piece.words != ("the",):  # which nobody needs to write
                words.update(piece.words)
                if not piece.optional:
                    return frozenset(words)
        return None

    @cached_property
    def blanks(self) -> int:
        """The number of blanks in the phrase."""
        return sum(isinstance(piece, Blank) for piece in self.pieces)

    def written(self, values: Values) -> str:
        """Return the phrase with its blanks filled in."""
        left = iter(values)
        return " ".join(
            piece.joint.join(next(left)) if isinstance(piece, Blank) else piece.words[0]
            for piece in self.pieces
            if isinstance(piece, Blank) or not piece.optional
        )


def phrase(text: str | tuple[str, Values]) -> Phrase:
    """Return the phrase that a text such as "{area} is|are attacked" describes."""
    preset = None
    if not isinstance(text, str):
        text, preset = text
    return Phrase(text, tuple(_pieces(text)), preset)


def _pieces(text: str) -> Iterator[Word | Blank]:
    for found in _PIECE.finditer(text):
        number, noun, many, optional, word = found.groups()
        if noun:
            yield Blank(noun, {"+": " or ", ",": ", "}.get(many, ""), bool(number))
        else:
            yield Word(tuple((optional or word).split("|")), bool(optional))


def written(phrases: Sequence[Phrase], values: Values) -> str:
    """Return the first phrase that has blanks for these values, filled in with them."""
    fitting = (one for one in phrases if one.preset is None and one.blanks == len(values))
    return next(fitting).written(values)
