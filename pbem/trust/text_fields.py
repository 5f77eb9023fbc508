"""The fields of signed texts: one table for each text, by which it is written and read.

A signed text is `pbem1 <kind>` and, below it, a line for each of its fields. The table is the class of the
text, as it is for ledger entries (entry_fields); `form` is the first line:

    form = FIRST_LINE

    player: Annotated[str, Line("player", PLAYER)]
    zone: Annotated[str, Maybe("zone", TEXT)] = ""

Lines stand in the order of the fields. A text is refused if its fields would be written in other bytes.
"""

from __future__ import annotations

from typing import ClassVar, TypeVar

from pbem.errors import PbemError
from pbem.trust.entry_fields import Body, Maybe, Value, line_table, read_lines, write_lines
from pbem.trust.faults import OrderFileFault
from pbem.trust.identifiers import check_fingerprint, check_game_id, is_hash, is_number
from pbem.trust.keys import PrivateKey, PublicKey, parse_public
from pbem.trust.namespaces import Namespace
from pbem.trust.signature import sign_text, split_unsealed, verify

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


def _hash(text: str) -> str:
    if not is_hash(text):
        raise ValueError(text)
    return text


COUNT = Value(_count)
"""A decimal number without leading zeros."""
DIGEST = Value(_hash, length=64)
"""A SHA-256 in hex."""
HEX = Value(str, length=64)
"""A digest that is only compared with the one that is due."""
GAME = Value(check_game_id)
PUBLIC_KEY = Value(parse_public, lambda key: str(key.line), words=2, length=68)
SIGNER = Value(check_fingerprint, length=50)
"""The fingerprint of a key."""
