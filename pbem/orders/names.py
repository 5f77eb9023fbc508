"""Names as people write them: in any case, shortened, in another spelling, or slightly wrong."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from pbem.characters import is_decimal, nearest
from pbem.orders.lines import words_of

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
        """Return the longest name at the beginning of `words`."""
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
    """Tell whether each word is the beginning of one of a spelling.

    Numbers are never shortened: 1 is not 11.
    """
    return len(words) <= len(spelling) and all(
        full == word if is_decimal(word) else full.startswith(word)
        for word, full in zip(words, spelling, strict=False)
    )
