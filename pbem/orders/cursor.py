"""Words of one statement, read from left to right, and names as people write them.

A name may stand in any case, shortened, in another spelling, or slightly wrong. The cursor notes faults.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NoReturn

from pbem.characters import is_decimal, nearest
from pbem.orders.base import Fault, listed
from pbem.orders.lines import BLANK, Text, Token, words_of

SHORTEST = 3
"""Minimum number of letters of an abbreviation."""

MAX_COMPARED = 40
"""Maximum number of letters of an unknown word that are compared with names."""


@dataclass(frozen=True, slots=True)
class Match:
    """The names that some words may mean, and how many words they are.

    One name is meant, several if the words are ambiguous, none if they are unknown.
    """

    names: tuple[str, ...]
    words: int

    @property
    def name(self) -> str:
        """The one name that is meant; empty if none or several are meant."""
        return self.names[0] if len(self.names) == 1 else ""


ARTICLES = frozenset(("a", "an", "the"))


class Names:
    """A set of names, with other spellings of them."""

    def __init__(self, names: Iterable[str], aliases: Mapping[str, str] | None = None) -> None:
        self.names = tuple(names)
        known = set(self.names)
        spellings = {name: name for name in self.names}
        spellings |= {alias: name for alias, name in (aliases or {}).items() if name in known}
        self.spellings = spellings
        """Every way in which a name may be written, with that name."""
        self._exact = {words_of(spelling): name for spelling, name in spellings.items()}
        self._longest = max((len(words) for words in self._exact), default=1)
        self._seen: dict[tuple[str, ...], Match] = {}

    def __contains__(self, name: str) -> bool:
        return name in self.names

    def read(self, words: tuple[str, ...]) -> Match:
        """Return the match of the longest name that stands at the beginning of `words`."""
        words = words[: self._longest + 1]
        if (seen := self._seen.get(words)) is None:
            seen = self._look_up(words)
            if len(self._seen) < 4096:  # a hostile text must not fill the memory
                self._seen[words] = seen
        return seen

    def _look_up(self, words: tuple[str, ...]) -> Match:
        for count in range(len(words), 0, -1):
            if name := self._exact.get(words[:count]):
                return Match((name,), count)
        if words[1:] and words[0] in ARTICLES:
            named = self._look_up(words[1:])
            if named.names:
                return Match(named.names, named.words + 1)
        for count in range(len(words), 0, -1):
            if len(words[0]) < SHORTEST and count == 1:
                break
            found = {name for spelling, name in self._exact.items() if _shortens(words[:count], spelling)}
            if found:
                return Match(tuple(name for name in self.names if name in found), count)
        return Match((), 1)

    def near(self, word: str) -> tuple[str, ...]:
        """Return the names that `word` may have been meant for, the nearest first."""
        spellings: dict[str, str] = {}
        for spelling, name in self._exact.items():
            spellings.setdefault(" ".join(spelling), name)
            spellings.setdefault(spelling[0], name)
        close = nearest(word[:MAX_COMPARED], spellings, 2, 0.7)
        return tuple(dict.fromkeys(spellings[spelling] for spelling in close))


def _shortens(words: tuple[str, ...], spelling: tuple[str, ...]) -> bool:
    """Tell whether each word shortens the word of a spelling in the same place.

    Numbers are never shortened: 1 is not 11.
    """
    return len(words) <= len(spelling) and all(
        full == word if is_decimal(word) else full.startswith(word)
        for word, full in zip(words, spelling, strict=False)
    )


MAX_FAULTS = 200
"""Maximum number of faults noted for one text; reading goes on after them, since good lines count."""

MAX_DIGITS = 9
"""Maximum number of digits of a number that is read, leading zeros among them."""

FEW = 10
"""Maximum number of names that a fault lists in full where an unknown or ambiguous name was written."""

SEPARATORS = frozenset((",", "and", "or", "then"))


def read_number(word: str) -> int | None:
    """Return the whole number that a player wrote as this word.

    Return None if the word is no number, or has more digits than any number that counts.
    """
    return int(word) if is_decimal(word) and len(word) <= MAX_DIGITS else None


class Wrong(Exception):
    """Raised when a statement cannot be read on; its fault is noted already."""


class Faults:
    """The faults found in one text."""

    def __init__(self, text: Text) -> None:
        self.text = text
        self.found: list[Fault] = []

    @property
    def full(self) -> bool:
        """Whether the maximum number of faults was noted, so that no more are taken."""
        return len(self.found) >= MAX_FAULTS

    def note(
        self,
        tokens: Sequence[Token],
        message: str,
        rule: str = "",
        *,
        meant: Iterable[str] = (),
        legal: Iterable[str] = (),
        remark: bool = False,
    ) -> None:
        """Note one fault at these words, unless the faults are full."""
        if not self.full:
            fault = self.text.fault(tokens, message, rule, meant=meant, legal=legal, remark=remark)
            self.found.append(fault)


class Cursor:
    """A reading position in the words of one statement."""

    def __init__(self, tokens: Sequence[Token], faults: Faults) -> None:
        self.faults = faults
        self.place = 0
        self._hold(token for token in tokens if token.word != "the")

    def _hold(self, tokens: Iterable[Token]) -> None:
        self.tokens = tuple(tokens)
        self._words = tuple(token.word for token in self.tokens)

    # -- looking

    @property
    def word(self) -> str:
        """The word at the cursor; empty at the end of the statement."""
        return self._words[self.place] if self.place < len(self._words) else ""

    @property
    def words(self) -> tuple[str, ...]:
        """The words from the cursor on, as many as a name can have."""
        return self._words[self.place : self.place + 4]

    def at(self, place: int) -> tuple[str, ...]:
        """Return the words from this place of the statement on, as many as a name can have."""
        return self._words[place : place + 4]

    @property
    def done(self) -> bool:
        """Whether no words are left to read."""
        return self.place >= len(self.tokens)

    def ahead(self, count: int) -> tuple[Token, ...]:
        """Return the next tokens, at most `count` of them."""
        return self.tokens[self.place : self.place + count]

    @property
    def rest(self) -> tuple[Token, ...]:
        """The tokens from the cursor to the end of the statement."""
        return self.tokens[self.place :]

    def sees(self, *phrase: str) -> bool:
        """Tell whether these words come next in the statement."""
        return self._words[self.place : self.place + len(phrase)] == phrase

    # -- walking

    def take(self) -> Token:
        """Return the token at the cursor, and go past it."""
        self.place += 1
        return self.tokens[self.place - 1]

    def skip(self, *words: str) -> bool:
        """Go past the word at the cursor if it is one of `words`, and tell whether it was."""
        if self.word in words and not self.done:
            self.place += 1
            return True
        return False

    def skip_phrase(self, *phrase: str) -> bool:
        """Go past these words if they come next, and tell whether they did."""
        if self.sees(*phrase):
            self.place += len(phrase)
            return True
        return False

    def number(self, high: int, what: str) -> int:
        """Read and return a whole number up to `high`; `what` names for a fault the things that it counts."""
        token = self.token(f"a number of {what} is missing here")
        found = read_number(token.word)
        if found is None or found > high:
            self.wrong([token], f"{self.quoted([token])} is not a number of {what}; write 0 to {high}")
        self.take()
        return found

    def token(self, missing: str) -> Token:
        """Return the token at the cursor; note a fault with the message `missing` if nothing is left."""
        if self.done or self.word == BLANK:
            self.wrong(self.tokens[-1:], missing)
        return self.tokens[self.place]

    def drop_blanks(self) -> None:
        """Remove the unfilled blanks of a form from the rest of the line."""
        if BLANK in self._words:
            kept = (token for token in self.rest if token.word != BLANK)
            self._hold((*self.tokens[: self.place], *kept))

    # -- names

    def name(self, names: Names, what: str, rule: str = "") -> str:
        """Read and return one name out of `names`; note a fault if there is none."""
        token = self.token(f"{what} is missing here")
        match = names.read(self.words)
        span = self.tokens[self.place : self.place + match.words]
        if not match.name:
            if not match.names and token.word in ARTICLES and self.words[1:]:
                token = self.tokens[self.place + 1]
            self._refuse_unknown(token, match, names, what, rule)
            raise Wrong
        self.place += len(span)
        return match.name

    def _refuse_unknown(self, token: Token, match: Match, names: Names, what: str, rule: str) -> None:
        if match.names:
            shown, more = match.names[:FEW], len(match.names) - FEW
            may_be = f"{', '.join(shown)} and {more} more" if more > 1 else listed(match.names, "or")
            message = f"{self.quoted([token])} can mean {may_be}; write more of the name"
            self.faults.note([token], message, rule)
        else:
            bare = what.removeprefix("an ").removeprefix("a ")
            near = () if self.faults.full else names.near(token.word)
            legal = names.names if not near and len(names.names) <= FEW else ()
            message = f"no {bare} called {self.quoted([token])}"
            self.faults.note([token], message, rule, meant=near, legal=legal)

    def skip_entry(self, ends: frozenset[str]) -> None:
        """Go past the rest of a faulty list entry, to its separator or a word that ends the list."""
        while not self.done and self.word not in SEPARATORS and self.word not in ends:
            self.place += 1

    # -- faults

    def quoted(self, tokens: Sequence[Token]) -> str:
        """Return words of the statement as they were written, in quotes."""
        return f"'{self.faults.text.written(tokens)}'"

    def wrong(
        self,
        tokens: Sequence[Token],
        message: str,
        rule: str = "",
        *,
        meant: Iterable[str] = (),
        legal: Iterable[str] = (),
    ) -> NoReturn:
        """Note a fault, and raise Wrong so that no more of this statement is read."""
        self.faults.note(tokens or self.tokens[-1:], message, rule, meant=meant, legal=legal)
        raise Wrong

    def remark(self, tokens: Sequence[Token], message: str, rule: str = "") -> None:
        """Note a remark about something doubtful at these words."""
        self.faults.note(tokens or self.tokens[-1:], message, rule, remark=True)
