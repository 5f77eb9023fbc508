"""Reading position in the words of one statement, which notes what is wrong with them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NoReturn

from pbem.characters import is_decimal
from pbem.orders.faults import Fault, listed
from pbem.orders.lines import BLANK, Text, Token
from pbem.orders.names import ARTICLES, Match, Names

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
