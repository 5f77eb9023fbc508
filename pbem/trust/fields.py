"""The fields of ledger entries and of signed texts: one table for each, by which it is written and read.

The table is the class of the entry. A field is annotated with the line that it stands in, or with its value
alone if it stands in the first line; that one's form says where:

    form = "received {exchange} {player} rev {rev} sealed {sealed}"

    exchange: Annotated[int, NUMBER]
    at: Annotated[datetime | None, Maybe("at", TIME)] = None

Lines are written in the order of the fields.

A signed text is `pbem1 <kind>` and, below it, a line for each of its fields. The table is the class of the
text, as it is for ledger entries; `form` is the first line:

    form = FIRST_LINE

    player: Annotated[str, Line("player", PLAYER)]
    zone: Annotated[str, Maybe("zone", TEXT)] = ""

Lines stand in the order of the fields. A text is refused if its fields would be written in other bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import MISSING, dataclass, fields
from functools import cache
from typing import Any, ClassVar, NamedTuple, TypeVar, get_type_hints

from pbem.errors import PbemError
from pbem.trust.chance import Reveal, parse_die, parse_reveal
from pbem.trust.faults import LedgerFault, OrderFileFault
from pbem.trust.identifiers import (
    Namespace,
    check_fingerprint,
    check_game_id,
    check_label,
    check_player_name,
    check_token,
    is_fingerprint,
    is_hash,
    is_number,
    quote,
)
from pbem.trust.keys import PrivateKey, PublicKey, parse_public
from pbem.trust.sealing import check_recipient
from pbem.trust.signature import sign_text, split_unsealed, verify
from pbem.trust.times import parse_utc, utc_text

MAX_REASON_LENGTH = 500


class ConsentRef(NamedTuple):
    """A consent as an entry names it: the hash of its text, and the newest entry that its writer had seen."""

    sha256: str
    seen: int


class Body:
    """The lines below an entry's first line that have not been read yet."""

    def __init__(self, lines: list[str]) -> None:
        self.lines = lines

    def take(self, word: str) -> list[str]:
        """Take out all unread lines of an entry that begin with a word; return the rest of each, in order."""
        start = f"{word} "
        found = [line.removeprefix(start) for line in self.lines if line.startswith(start)]
        self.lines = [line for line in self.lines if not line.startswith(start)]
        return found


@dataclass(frozen=True, slots=True)
class Value:
    """A kind of value in a line: the function that reads it from its text, and the one that writes it."""

    read: Callable[[str], Any]
    write: Callable[[Any], str] = str
    words: int = 1
    """The number of words in the text; -1 means all that come."""
    length: int = 0
    """The length of the last word, if it always has the same; else 0."""


@dataclass(frozen=True, slots=True)
class Lines:
    """A field with one line for each of its values, in order, all of which begin with the same word.

    `{name}` in the word of a line stands for the name that a record is about.
    """

    word: str
    value: Value

    def write(self, word: str, held: Any, default: Any) -> list[str]:
        """Return the lines that write the value of the field."""
        return [f"{word} {self.value.write(one)}" for one in held]

    def read(self, word: str, body: Body) -> Any:
        """Return the values of the field's lines; in some kinds of field MISSING if there are none."""
        return tuple(map(self.value.read, body.take(word)))


class Maybe(Lines):
    """A field with one line, which is left out where the field is empty or has its default."""

    __slots__ = ()

    def write(self, word: str, held: Any, default: Any) -> list[str]:
        """Return the field's line, or no line if the field is empty or has its default."""
        return [f"{word} {self.value.write(held)}"] if held and held != default else []

    def read(self, word: str, body: Body) -> Any:
        """Return the value of the field's line; MISSING if the line is left out."""
        found = body.take(word)
        if len(found) > 1:
            raise LedgerFault(f"it has {len(found)} lines {word!r}, where one belongs")
        return self.value.read(found[0]) if found else MISSING


class Line(Maybe):
    """A field with exactly one line, which must not be missing."""

    __slots__ = ()

    def write(self, word: str, held: Any, default: Any) -> list[str]:
        """Return the one line that writes the field."""
        return [f"{word} {self.value.write(held)}"]

    def read(self, word: str, body: Body) -> Any:
        """Return the value of the field's line, which must not be missing."""
        if (found := Maybe.read(self, word, body)) is MISSING:
            raise LedgerFault(f"it has no line {word!r}")
        return found


@dataclass(frozen=True, slots=True)
class Pairs(Lines):
    """A field with a line for each of its pairs of a name and a value; each name stands once."""

    name: Value

    def write(self, word: str, held: Any, default: Any) -> list[str]:
        """Return a line for each pair of the field."""
        return [f"{word} {name} {self.value.write(one)}" for name, one in held]

    def read(self, word: str, body: Body) -> Any:
        """Return the field's pairs of a name and a value."""
        found: dict[str, Any] = {}
        for text in body.take(word):
            name, _, rest = text.partition(" ")
            if name in found or not rest:
                raise LedgerFault(f"it cannot have the line {quote(f'{word} {text}')}")
            found[self.name.read(name)] = self.value.read(rest)
        return tuple(found.items())


@dataclass(frozen=True, slots=True)
class Records(Lines):
    """A field with a record for each name, read from all lines with that name; `value` reads the name."""

    record: type

    def write(self, word: str, held: Any, default: Any) -> list[str]:
        """Return the lines of each record of the field."""
        return [line for one in held for line in write_lines(one, one.name)]

    def read(self, word: str, body: Body) -> Any:
        """Return the field's records, in the order in which their names stand."""
        found = (line.split(" ", 2) for line in body.lines if line.startswith(f"{word} "))
        names = map(self.value.read, dict.fromkeys(name for _, name, *_ in found))
        return tuple(self.record(name=name, **read_lines(self.record, body, name)) for name in names)


@cache
def _table(entry: Any) -> tuple[dict[str, Value], tuple[tuple[str, Lines, Any], ...]]:
    """Return the table of fields of a class of entries.

    First the values of the first line by field; then the name, line and default of each field below it.
    """
    hints = get_type_hints(entry, include_extras=True)
    rows = [
        (field.name, row, field.default)
        for field in fields(entry)
        for row in getattr(hints[field.name], "__metadata__", ())
    ]
    first = {name: row for name, row, _ in rows if isinstance(row, Value)}
    return first, tuple((name, row, default) for name, row, default in rows if isinstance(row, Lines))


def line_table(entry: Any) -> dict[str, Lines]:
    """Return the lines of a class of entries or texts that stand below the first line, by their words."""
    return {row.word: row for _, row, _ in _table(entry)[1]}


def write_first(entry: Any, form: str) -> str:
    """Return the first line of an entry, written by its form."""
    words = form.split(" ")
    return " ".join(str(getattr(entry, word[1:-1])) if word[0] == "{" else word for word in words)


def read_first(entry: Any, form: str, words: Sequence[str]) -> dict[str, Any]:
    """Return the fields of an entry's first line, read from the words behind its kind.

    Fields that only repeat what stands below the first line are left out.
    """
    _, *due = form.split(" ")
    if len(words) != len(due) or not all(words):
        raise LedgerFault(f"its first line has {len(words)} fields after the kind, where {len(due)} belong")
    places = list(zip(due, words, strict=True))
    if any(place[0] != "{" and place != word for place, word in places):
        raise LedgerFault(f"its first line reads {form.replace('{', '<').replace('}', '>')}")
    values, _ = _table(entry)
    return {place[1:-1]: values[place[1:-1]].read(word) for place, word in places if place[1:-1] in values}


def write_lines(entry: Any, about: str = "") -> list[str]:
    """Return the lines of an entry, or of the record named `about`, below the first line."""
    _, rows = _table(entry.__class__)
    return [
        line
        for name, row, default in rows
        for line in row.write(row.word.replace("{name}", about), getattr(entry, name), default)
    ]


def read_lines(entry: Any, body: Body, about: str = "") -> dict[str, Any]:
    """Return the fields of an entry, or of the record named `about`, that stand below the first line."""
    _, rows = _table(entry)
    read = {name: row.read(row.word.replace("{name}", about), body) for name, row, _ in rows}
    return {name: value for name, value in read.items() if value is not MISSING}


def check_rest(entry: Any, body: Body) -> None:
    """Raise LedgerFault if an unread line begins with a word that the entry's fields use."""
    words = set(_words(entry))
    for line in body.lines:
        if line.partition(" ")[0] in words:
            raise LedgerFault(f"it cannot have the line {quote(line, 90)}")


def _words(entry: Any) -> Iterator[str]:
    for _, row, _ in _table(entry)[1]:
        yield row.word.partition(" ")[0]
        if isinstance(row, Records):
            yield from _words(row.record)


def _number(text: str) -> int:
    if not is_number(text) or text == "0":
        raise LedgerFault(f"{quote(text)} is not a number from 1")
    return int(text)


def _hash(text: str) -> str:
    if not is_hash(text):
        raise LedgerFault(f"{quote(text, 70)} is not 64 hex digits")
    return text


def _fingerprint(text: str) -> str:
    if not is_fingerprint(text):
        raise LedgerFault(f"{quote(text)} is not a fingerprint; one is SHA256: and 43 characters")
    return text


def _reason(text: str) -> str:
    if len(text) > MAX_REASON_LENGTH:
        raise LedgerFault(f"its reason has more than {MAX_REASON_LENGTH} characters")
    return text


def _key(text: str) -> str:
    if parse_public(text).line != text:
        raise LedgerFault(f"{quote(text, 90)} is not written as a key is")
    return text


def _read_consent(text: str) -> ConsentRef:
    sha256, _, seen = text.partition(" ")
    return ConsentRef(_hash(sha256), _number(seen))


def _anchor(text: str) -> Reveal:
    anchor = parse_reveal(text)
    if anchor.step != 0:
        raise LedgerFault(f"{quote(text, 90)} cannot be an anchor: its step is 0")
    return anchor


def token(what: str) -> Value:
    """Return the kind of value that is a token; `what` names the token in faults."""
    return Value(lambda text: check_token(text, what))


TEXT = Value(str)
NUMBER = Value(_number)
HASH = Value(_hash, length=64)
FINGERPRINT = Value(_fingerprint, length=50)
KEY = Value(_key, words=2, length=68)
GIVEN = Value(_read_consent, lambda given: f"{given.sha256} {given.seen}")
PLAYER = Value(check_player_name)
LABEL = Value(check_label)
RECIPIENT = Value(check_recipient)
REASON = Value(_reason)
TIME = Value(parse_utc, utc_text)
REVEAL = Value(parse_reveal, lambda reveal: str(reveal.text), words=3, length=64)
ANCHOR = Value(_anchor, lambda anchor: str(anchor.text), words=3, length=64)
DIE = Value(parse_die, lambda die: str(die.text))

MAX_SIZE = 2_048
"""Maximum size in bytes of a signed text with its signature, unless its kind has another."""


class FieldText:
    """A text that is signed, made of lines, each of which is a field."""

    __slots__ = ()

    form: ClassVar[str]
    """The first line of the text."""
    called: ClassVar[str]
    """The words by which a fault calls the text, such as `the absence`."""
    max_size: ClassVar[int] = MAX_SIZE
    """Maximum size in bytes of a text of this kind with its signature."""
    fault: ClassVar[type[PbemError]] = OrderFileFault
    """The kind of fault that is raised for a text that is not written as its format demands."""

    @property
    def text(self) -> bytes:
        """The bytes that are signed."""
        return "".join(f"{line}\n" for line in (self.form, *write_lines(self))).encode()

    @classmethod
    def misfit(cls) -> PbemError:
        """Return the fault of a text that is not written as its format demands."""
        return cls.fault(f"{cls.called} is not written as its format demands")

    def check(self) -> None:
        """Raise a fault if the fields do not fit each other; some texts have such a rule."""


_Text = TypeVar("_Text", bound=FieldText)


def read_text(kind: type[_Text], body: bytes) -> _Text:
    """Return the text of a kind that was read from the bytes that are signed.

    Raises:
        PbemError: the bytes are not written as the format demands, or a field cannot have its value.
    """
    lines = body.decode("utf-8", errors="replace").removesuffix("\n").split("\n")[1:]
    words = [line.partition(" ")[0] for line in lines if " " in line]
    due = [word for word, row in line_table(kind).items() if type(row) is not Maybe or word in words]
    if words != due:
        raise kind.misfit()
    try:
        found = kind(**read_lines(kind, Body(lines)))
    except ValueError:
        raise kind.misfit() from None
    if found.text != body:  # also if the first line is another, or a line has no field
        raise kind.misfit()
    found.check()
    return found


def sign_fields(text: FieldText, key: PrivateKey) -> bytes:
    """Return a text with its signature in the namespace pbem1-orders, after checking the text."""
    text.check()
    return sign_text(key, Namespace.ORDERS, text.text)


def read_signed(kind: type[_Text], data: bytes) -> tuple[_Text, bytes, bytes]:
    """Return a signed text of a kind, and the body and armor to verify; nothing is verified yet."""
    if len(data) > kind.max_size:
        called = kind.called.removeprefix("the ")
        article = "an" if called[0] in "aeiou" else "a"
        raise OrderFileFault(f"the file is too long for {article} {called}", reason="too-large")
    signed = split_unsealed(data)
    return read_text(kind, signed.body), signed.body, signed.armor


def verify_signed(body: bytes, armor: bytes, key: PublicKey) -> None:
    """Raise SignatureFault unless the given key has signed the text in the namespace pbem1-orders."""
    verify(armor, body, Namespace.ORDERS, key)


def _count(text: str) -> int:
    if not is_number(text):
        raise ValueError(text)
    return int(text)


def _digest(text: str) -> str:
    if not is_hash(text):
        raise ValueError(text)
    return text


COUNT = Value(_count)
"""The kind of value that is a decimal number without leading zeros."""
DIGEST = Value(_digest, length=64)
"""The kind of value that is a SHA-256 in hex."""
HEX = Value(str, length=64)
"""The kind of value that is a digest of any form, since it is only compared with the one that is due."""
GAME = Value(check_game_id)
PUBLIC_KEY = Value(parse_public, lambda key: str(key.line), words=2, length=68)
SIGNER = Value(check_fingerprint, length=50)
"""The kind of value that is the fingerprint of a key."""
