"""From the text of a mail or file to statements made of words, each with its place.

Mail programs quote, wrap, decorate and re-encode. What carries no meaning in any order language is
taken away here, so that no language has to think of it:

- letters without case, accents or ligatures; every kind of blank is a blank; invisible characters vanish
- quotes, stars, underscores, dashes, full stops and bullets are blanks; so are `>`, `|`, `1.` and `a)`
  at the start of a line
- what is left of a transfer encoding is decoded: `=20`, `=C3=A9`, `=` at the end of a line, `&nbsp;`
- an arrow, also the `à` that Word makes of it, is the word "to"
- remarks in parentheses are not read, nor is what follows the word "note" at the start of a statement, up to
  the end of its line
- a line goes on in the next one if it ends with a comma or a joining word, or if the next begins so
- `;` does the work of a new line
- a run of dots or underscores is the blank of a form (`Token.word == BLANK`)

Everything is linear in the length of the text.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from html import unescape
from itertools import groupby, pairwise

from pbem.orders.faults import Fault

BLANK = "____"
"""The word of a token that stands for an unfilled blank of a form."""

ENDS_OPEN = frozenset(
    "and or to from in by at than except but against the of my our their is not least most less more".split()
)
"""A line that ends with one of these words goes on in the next."""

STARTS_OPEN = frozenset("and or to from by than except but".split())
"""A line that begins with one of these words belongs to the one before."""

CONDITIONS = frozenset(("if", "when"))

WRAPPED = 6
"""Lines over which a statement is looked for, if it was wrapped."""

LONGEST = 40
"""Signs of a word that a fault repeats."""

_SIGNS = {
    **dict.fromkeys(map(ord, "\u2018\u2019\u201a\u201c\u201d\u201e\u00ab\u00bb\u2039\u203a"), " "),  # quotes
    **dict.fromkeys((*range(0x2010, 0x2016), 0x2212), "-"),
    **dict.fromkeys(
        (*range(0x2190, 0x2200), 0x2794, *range(0x2798, 0x27B0), 0xF0E0, 0xF0E8), " to "
    ),  # arrows
    0x2264: "<=",
    0x2265: ">=",
    0x2026: "...",
}

_PREFIX = re.compile(r"(?:[^\w(]|\d{1,3}[.)](?=\s|$)|\(\d{1,3}\)|[a-z]\)(?=\s))*")
_TOKEN = re.compile(r"_{2,}|\.{3,}|[-=]+>|[<>]=?|=|[^\W_]+|[,:;()]|&")
_RESIDUE = re.compile(r"(?<![<>])((?:=[0-9A-F]{2})+)|(&(?:nbsp|gt|lt|amp|quot|apos|#x?[0-9A-Fa-f]{1,6});)")
_PLAIN = re.compile(r"[\x20-\x7e\t]*\Z")
_NOT_PLAIN = re.compile(r"[=&]")


@dataclass(frozen=True, slots=True)
class Token:
    """One word or mark, as it is understood, and where it stands."""

    word: str
    line: int
    column: int
    end: int


@dataclass(frozen=True, slots=True)
class Statement:
    """The words of one order."""

    tokens: tuple[Token, ...]

    @property
    def words(self) -> tuple[str, ...]:
        """The words alone."""
        return tuple(token.word for token in self.tokens)

    @property
    def line(self) -> int:
        """Where it begins."""
        return self.tokens[0].line


@dataclass(slots=True)
class Text:
    """A text and the statements in it."""

    lines: list[str]
    statements: list[Statement] = field(default_factory=list)
    outside: list[Statement] = field(default_factory=list)  # written around an order form, not in it
    noted: list[Statement] = field(default_factory=list)  # what follows a `;` in a note

    def written(self, tokens: Sequence[Token]) -> str:
        """The words as they were written, as far as they stand on one line; cut short if endless."""
        first = tokens[0]
        end = max(token.end for token in tokens if token.line == first.line)
        found = self.lines[first.line - 1][first.column - 1 : end]
        return found if len(found) <= LONGEST else f"{found[:LONGEST]}..."

    def hyphened(self, tokens: Sequence[Token]) -> str:
        """The words as they are understood, with the hyphens that were written between them."""
        said = tokens[0].word
        for before, token in pairwise(tokens):
            between = self.lines[token.line - 1][before.end : token.column - 1]
            is_one = token.line == before.line and between.translate(_SIGNS) == "-"
            said += f"{'-' if is_one else ' '}{token.word}"
        return said

    def fault(
        self,
        tokens: Sequence[Token],
        message: str,
        rule: str = "",
        *,
        meant: Iterable[str] = (),
        legal: Iterable[str] = (),
        remark: bool = False,
        pause: bool = False,
    ) -> Fault:
        """A fault at these words."""
        first = tokens[0]
        end = max(token.end for token in tokens if token.line == first.line)
        return Fault(
            line=first.line,
            column=first.column,
            end=end,
            source=self.lines[first.line - 1],
            message=message,
            rule=rule,
            meant=tuple(meant),
            legal=tuple(legal),
            remark=remark or pause,
            pause=pause,
        )


def read_text(text: str, headings: frozenset[str] = frozenset()) -> Text:
    """The statements of a text; those between `begin orders` and `end orders` if it holds an order form.

    `headings`: words that begin something new, even after a line that seems to go on; but no condition.
    """
    read = Text(text.replace("\r\n", "\n").replace("\r", "\n").split("\n"))
    rows = list(_rows(read.lines))
    if any(_is_marker(row, "begin") for row in rows):
        inside, outside = _split_at_markers(rows)
        read.statements = list(_statements(inside, read.noted, headings))
        read.outside = list(_statements(outside, [], headings))
    else:
        read.statements = list(_statements(rows, read.noted, headings))
    return read


def find_words(lines: Sequence[str], line: int, width: Callable[[tuple[str, ...]], int]) -> list[Token]:
    """Where something stands in a statement that begins on `line` (counted from 1).

    `width` says how many of some words are it (0: none). Without a hit the whole line is the place.
    """
    everything: list[Token] = []
    for number in range(line, min(line + WRAPPED, len(lines) + 1)):
        row = [
            Token(token.word, number, token.column, token.end)
            for token in next(_rows([lines[number - 1]]), [])
            if token.word != "the"
        ]
        for place in range(len(row)):
            if count := width(tuple(token.word for token in row[place : place + 4])):
                return row[place : place + count]
        everything = everything or row
    return everything


# -- one physical line


def _rows(lines: list[str]) -> Iterator[list[Token]]:
    """The tokens of each line; a line cut by a transfer encoding is one with the next."""
    held: list[tuple[str, int, int]] = []
    for number, line in enumerate(lines, start=1):
        plain = bool(_PLAIN.match(line))
        if plain and not held and not _NOT_PLAIN.search(line):
            yield _tokens(line.lower(), None, number)
            continue
        if line.endswith("=") and not line.endswith(("<=", ">=", " =")):
            held += _signs(line[:-1], number)
            continue
        held += _signs(line, number)
        yield _tokens("".join(sign for sign, _, _ in held), held, number)
        held = []
    if held:
        yield _tokens("".join(sign for sign, _, _ in held), held, len(lines))


def _signs(line: str, number: int) -> list[tuple[str, int, int]]:
    """Each character of a line as it is understood, with its line and column."""
    signs: list[tuple[str, int, int]] = []
    place = 0
    for found in _RESIDUE.finditer(line):
        signs += _folded(line[place : found.start()], number, place)
        if found[1]:
            data = bytes.fromhex(found[1].replace("=", ""))
            decoded = data.decode("utf-8", "replace")
        else:
            decoded = unescape(found[2])
        signs += [(sign, number, found.start() + 1) for sign, _, _ in _folded(decoded, number, 0)]
        place = found.end()
    return signs + _folded(line[place:], number, place)


def _folded(text: str, number: int, offset: int) -> list[tuple[str, int, int]]:
    """Letters without case or accents, characters without variants; one entry for each that is left."""
    signs: list[tuple[str, int, int]] = []
    for index, sign in enumerate(text):
        column = offset + index + 1
        if sign < "\x7f":
            folded = sign.lower() if sign >= " " else " "
        elif sign in "àÀ" and not text[index - 1 : index].strip() and not text[index + 1 : index + 2].strip():
            folded = " to "  # what Word makes of an arrow, read without its font
        elif (known := _SIGNS.get(ord(sign))) is not None:
            folded = known
        elif unicodedata.category(sign) == "Cf" or sign == "\ufffd":
            continue
        elif sign.isspace() or unicodedata.category(sign) == "Cc":
            folded = " "
        else:
            folded = "".join(
                part
                for part in unicodedata.normalize("NFKD", sign).casefold()
                if not unicodedata.combining(part)
            )
        signs += [(part, number, column) for part in folded]
    return signs


def _tokens(text: str, places: list[tuple[str, int, int]] | None, number: int) -> list[Token]:
    """The tokens of a folded line, without what stands before its first word and in parentheses."""
    tokens: list[Token] = []
    depth = 0
    prefix = _PREFIX.match(text)
    for found in _TOKEN.finditer(text, prefix.end() if prefix else 0):
        word = found[0]
        if word == "(":
            depth += 1
        elif word == ")":
            depth = max(depth - 1, 0)
        elif depth == 0:
            if places is None:
                line, column, end = number, found.start() + 1, found.end()
            else:
                _, line, column = places[found.start()]
                _, last_line, last = places[found.end() - 1]
                end = last if last_line == line else column
            tokens.append(Token(_meaning(word), line, column, end))
    return tokens


def _meaning(word: str) -> str:
    if word[0] in "_." and len(word) > 1:
        return BLANK
    if len(word) > 1 and word[-1] == ">" and word[0] in "-=":
        return "to"
    return "and" if word == "&" else word


# -- statements


def _statements(
    rows: Iterable[list[Token]], noted: list[Statement], headings: frozenset[str]
) -> Iterator[Statement]:
    """Lines joined where they were wrapped, cut at semicolons, without notes and decoration.

    A note goes to the end of its line. What stands in one behind a `;` is put aside: it may have been meant.
    """
    held: list[Token] = []
    for row in rows:
        words = [";", *(token.word for token in row)]
        begins = next((at for at in range(len(row)) if words[at : at + 2] == [";", "note"]), len(row))
        tokens, note = row[:begins], row[begins:]
        noted += list(_cut(note))[1:]
        if not any(token.word.isalnum() for token in tokens):
            tokens = []
        begins_anew = (
            bool(tokens) and tokens[0].word in headings and not (held and held[0].word in CONDITIONS)
        )
        goes_on = held and tokens and (_is_open(held[-1].word) or tokens[0].word in STARTS_OPEN)
        if goes_on and not begins_anew:
            held += tokens
        else:
            yield from _cut(held)
            held = tokens
        if note:
            yield from _cut(held)
            held = []
    yield from _cut(held)


def _is_open(word: str) -> bool:
    return word == "," or word in ENDS_OPEN


def _cut(tokens: Sequence[Token]) -> Iterator[Statement]:
    for is_mark, part in groupby(tokens, lambda token: token.word == ";"):
        if not is_mark:
            yield Statement(tuple(part))


# -- order forms


def _is_marker(tokens: Sequence[Token], word: str) -> bool:
    return len(tokens) == 2 and tokens[0].word == word and tokens[1].word == "orders"


def _split_at_markers(rows: list[list[Token]]) -> tuple[list[list[Token]], list[list[Token]]]:
    """The lines between markers, and the others. A marker also ends a wrapped line."""
    inside: list[list[Token]] = []
    outside: list[list[Token]] = []
    current = outside
    for row in rows:
        if _is_marker(row, "begin"):
            current = inside
        elif _is_marker(row, "end"):
            current = outside
        else:
            current.append(row)
            continue
        inside.append([])
        outside.append([])
    return inside, outside
