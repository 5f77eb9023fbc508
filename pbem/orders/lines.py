"""The cutting of a mail's or file's text into statements made of words, each with its place.

Mail programs quote, wrap, decorate and re-encode. What carries no meaning in any order language is
taken away here, so that no language has to think of it:

- letters without case, accents or ligatures; every kind of blank is a blank; invisible characters vanish
  (signs.toml says which characters are read, and as what; one that it does not name is told and is a blank)
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
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import chain, groupby, islice, pairwise

from pbem.characters import BLANKS, is_plain, lower, plain
from pbem.orders.base import Fault, listed
from pbem.rules import table

BLANK = "____"
"""The word of a token that stands for an unfilled blank of a form."""

ENDS_OPEN = frozenset(
    "and or to from in by at than except but against the of my our their is not least most less more".split()
)
"""The words that join the next line to a line that ends with one of them."""

STARTS_OPEN = frozenset("and or to from by than except but".split())
"""The words that join a line that begins with one of them to the line before."""

CONDITIONS = frozenset(("if", "when"))

MAX_QUOTED = 40
"""Maximum number of characters of a word that a fault repeats."""

MAX_STATEMENTS = 400
"""Maximum number of orders in a file, headings and `end` lines among them; the longest that bots wrote has
60."""

MAX_SIGNS = 5
"""Maximum number of a line's unknown characters that are named."""

_PREFIX = re.compile(r"(?:[^a-z0-9_(]|[0-9]{1,3}[.)](?= |$)|\([0-9]{1,3}\)|[a-z]\)(?= ))*")
_ARROW = r"(?:(?<![-=])|(?<=[<>]=))[-=]+>"
"""The pattern of an arrow, tried only at the first of its signs: else thousands of signs would each be read
to their end."""
_TOKEN = re.compile(rf"_{{2,}}|\.{{3,}}|{_ARROW}|[<>]=?|=|[a-z0-9]+|[,:;()]|&|[^\x00-\x7f]")
_UNKNOWN = re.compile(r"[^\x00-\x7f]")
_RESIDUE = re.compile(
    r"(?<![<>])((?:=[0-9A-F]{2})+)|&(?:(nbsp|gt|lt|amp|quot|apos)|#(?:x([0-9A-Fa-f]{1,6})|([0-9]{1,7})));"
)
_ENTITIES = {"nbsp": " ", "gt": ">", "lt": "<", "amp": "&", "quot": '"', "apos": "'"}
_PLAIN = re.compile(r"[\x20-\x7e\t]*\Z")
_NOT_PLAIN = re.compile(r"[=&\t]")


@cache
def signs() -> dict[str, str]:
    """Return for each known character beyond ASCII the text as which it is read (signs.toml)."""
    facts = table(__package__, "signs.toml")
    ranges: dict[str, list[list[int]]] = facts["ranges"]
    known = {
        chr(number): text
        for name, text in (("blank", " "), ("arrow", " to "), ("unseen", ""))
        for first, last in ranges[name]
        for number in range(first, last + 1)
    }
    return known | {one: text for text, written in facts["read_as"].items() for one in written}


@dataclass(frozen=True, slots=True)
class Token:
    """One word or mark of a line, as it is understood, with the place where it stands."""

    word: str
    line: int
    column: int
    end: int


@dataclass(frozen=True, slots=True)
class Statement:
    """The words of one order, as they were cut from a text."""

    tokens: tuple[Token, ...]

    @property
    def words(self) -> tuple[str, ...]:
        """The words of the statement, without their places."""
        return tuple(token.word for token in self.tokens)

    @property
    def line(self) -> int:
        """The number of the line on which the statement begins."""
        return self.tokens[0].line


@dataclass(slots=True)
class Text:
    """A text cut into statements, with the statements and signs in it that are not read as orders."""

    lines: list[str]
    statements: list[Statement] = field(default_factory=list)
    outside: list[Statement] = field(default_factory=list)  # written around an order form, not in it
    noted: list[Statement] = field(default_factory=list)  # what follows a `;` in a note
    surplus: list[Statement] = field(default_factory=list)  # what is not read, since there is too much
    unknown: list[Token] = field(default_factory=list)  # characters that signs.toml does not name

    def written(self, tokens: Sequence[Token]) -> str:
        """Return words as they were written, as far as they stand on one line; cut short if too long."""
        first = tokens[0]
        end = max(token.end for token in tokens if token.line == first.line)
        found = plain(self.lines[first.line - 1][first.column - 1 : end])
        return found if len(found) <= MAX_QUOTED else f"{found[:MAX_QUOTED]}..."

    def hyphened(self, tokens: Sequence[Token]) -> str:
        """Return words as they are understood, with the hyphens that were written between them."""
        said = tokens[0].word
        for before, token in pairwise(tokens):
            between = self.lines[token.line - 1][before.end : token.column - 1]
            is_one = token.line == before.line and (between == "-" or signs().get(between) == "-")
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
        """Return a fault at these words of the text."""
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
    """Return a text with its statements.

    If the text holds an order form, only what stands between `begin orders` and `end orders` is read.

    `headings`: words that begin something new, even after a line that seems to go on; but no condition.
    """
    read = Text(text.replace("\r\n", "\n").replace("\r", "\n").split("\n"))
    rows = list(_rows(read.lines))
    if any(_is_marker(row, "begin") for row in rows):
        rows, outside = _split_at_markers(rows)
        read.outside = list(_statements(outside, Text([]), headings))
    found = list(_statements(rows, read, headings))
    read.statements, read.surplus = found[:MAX_STATEMENTS], found[MAX_STATEMENTS:]
    return read


def tokens_on(lines: Sequence[str], number: int) -> list[Token]:
    """Return the words of line `number`, counted from 1, without articles and unknown characters."""
    row = next(_rows([lines[number - 1]]), [])
    return [
        Token(token.word, number, token.column, token.end)
        for token in row
        if token.word != "the" and not is_unknown(token)
    ]


def words_of(name: str) -> tuple[str, ...]:
    """Return the words of a name as lines are cut: `scott-5` has two."""
    return tuple(token.word for token in next(_rows([name]), []) if token.word[0].isalnum())


def surplus_in_words(text: Text) -> Iterator[tuple[tuple[Token, ...], str]]:
    """Yield the first order that is not read since a file has too many, and what to tell its writer."""
    for statement in text.surplus[:1]:
        said = f"a file has {MAX_STATEMENTS} orders at most; this one, and what follows it, does not count"
        yield statement.tokens, said


def unknown_signs(text: Text) -> Iterator[tuple[Token, str]]:
    """Yield the first unknown character of each line, and what to tell the writer of all in it."""
    for _, tokens in groupby(text.unknown, lambda token: token.line):
        first, *more = tokens
        names = dict.fromkeys(
            f"'{sign}' (U+{ord(sign):04X})" if is_plain(sign) else f"U+{ord(sign):04X}"
            for sign in (token.word for token in (first, *more))
        )
        one = len(names) == 1
        yield (
            first,
            (
                f"{listed(islice(names, MAX_SIGNS))}{'' if len(names) <= MAX_SIGNS else ' and more'} "
                f"{'is' if one else 'are'} not known in orders, so {'it is' if one else 'they are'} read as "
                f"{'a blank' if one else 'blanks'}"
            ),
        )


def is_unknown(token: Token) -> bool:
    """Tell whether a token is a character that signs.toml does not name."""
    return not token.word.isascii()


# -- one physical line


def _rows(lines: list[str]) -> Iterator[list[Token]]:
    """Yield the tokens of each line; a line cut by a transfer encoding is one with the next."""
    held: list[tuple[str, int, int]] = []
    for number, line in enumerate(lines, start=1):
        plain = bool(_PLAIN.match(line))
        if plain and not held and not _NOT_PLAIN.search(line):
            yield _tokens(lower(line), None, number)
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
    """Return each character of a line in the form in which it is read, with its line and column."""
    signs: list[tuple[str, int, int]] = []
    place = 0
    for found in _RESIDUE.finditer(line):
        signs += _fold_characters(line[place : found.start()], number, place)
        if found[1]:
            data = bytes.fromhex(found[1].replace("=", ""))
            decoded = data.decode("utf-8", "replace")
        elif found[2]:
            decoded = _ENTITIES[found[2]]
        else:
            decoded = _character(int(found[3], 16) if found[3] else int(found[4]))
        signs += [(sign, number, found.start() + 1) for sign, _, _ in _fold_characters(decoded, number, 0)]
        place = found.end()
    return signs + _fold_characters(line[place:], number, place)


def _character(number: int) -> str:
    """Return the character that an HTML entity means by its number.

    Numbers of C1 control characters mean those of Windows.
    """
    if 0x80 <= number < 0xA0:
        return bytes((number,)).decode("cp1252", "replace")
    return chr(number) if number < 0x110000 and not 0xD800 <= number < 0xE000 else "\ufffd"


def _fold_characters(text: str, number: int, offset: int) -> list[tuple[str, int, int]]:
    """Return characters as they are read, each with its line and column; an unknown one stays as it is."""
    known = signs()
    found: list[tuple[str, int, int]] = []
    for index, sign in enumerate(text):
        if sign < "\x80":
            read = lower(sign) if " " <= sign < "\x7f" else " "
        elif sign in "àÀ" and _is_blank(text[index - 1 : index]) and _is_blank(text[index + 1 : index + 2]):
            read = " to "  # what Word makes of an arrow, read without its font
        else:
            read = known.get(sign, sign)
        found += [(part, number, offset + index + 1) for part in read]
    return found


def _is_blank(sign: str) -> bool:
    """Tell whether a character, or the end of the text, parts words."""
    return sign in BLANKS or signs().get(sign) == " "


def _tokens(text: str, places: list[tuple[str, int, int]] | None, number: int) -> list[Token]:
    """Return the tokens of a folded line, without what stands before its first word and in parentheses."""
    tokens: list[Token] = []
    depth = 0
    prefix = _PREFIX.match(text)
    begin = prefix.end() if prefix else 0
    for found in chain(_UNKNOWN.finditer(text, 0, begin), _TOKEN.finditer(text, begin)):
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


def _statements(rows: Iterable[list[Token]], text: Text, headings: frozenset[str]) -> Iterator[Statement]:
    """Yield the statements of lines, joined where they were wrapped, cut at semicolons, without notes.

    A note goes to the end of its line. What stands in one behind a `;` is put aside in `text`: it may have
    been meant. So are unknown characters, but for those in notes.
    """
    held: list[Token] = []
    for whole in rows:
        unknown = [token for token in whole if is_unknown(token)]
        row = [token for token in whole if not is_unknown(token)] if unknown else whole
        words = [";", *(token.word for token in row)]
        begins = next((at for at in range(len(row)) if words[at : at + 2] == [";", "note"]), len(row))
        tokens, note = row[:begins], row[begins:]
        text.noted += list(_cut(note))[1:]
        text.unknown += [token for token in unknown if not note or token.column < note[0].column]
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
    return [token.word for token in tokens if not is_unknown(token)] == [word, "orders"]


def _split_at_markers(rows: list[list[Token]]) -> tuple[list[list[Token]], list[list[Token]]]:
    """Return the lines between markers, and the others. A marker also ends a wrapped line."""
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
