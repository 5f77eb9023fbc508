"""Checks of the names that are hashed, tokens and labels; and the namespaces of signatures.

    token    [a-z0-9][a-z0-9._-]{0,63}, ASCII
    label    one or more tokens joined by "/"
    who      <name>.<generation>: whose hash chain, e.g. "gm.1", "gm-secret.1", "alice.1"

No token holds a blank or a slash, so every hashed line can be read in one way only. A game id is a
token. A player's name is a token short enough for `<name>.<generation>` to be one as well, and none of
the words that mean somebody else. A name from the rulebook becomes a token by lower case and "-" for
each blank: "York Infantry" is "york-infantry".

A namespace says what a signature is for:

    pbem1-orders      a player's order file, and their reveal after the close
    pbem1-checkpoint  the judge's word on the ledger's size and head
    pbem1-receipt     the judge's word that an order file arrived
    pbem1-report      the judge's word on what a side was told
    pbem1-rotate      a new key, signed by the old one and by the new one
    pbem1-recover     a new key, signed by the recovery key
    pbem1-box         what a reader asks of a post box, and the copy of their home that it keeps
    pbem1-press       what players say to each other, and the judge's countersignature; in no ledger or bundle

Texts of one namespace differ in their first line; the game's id stands in the text itself.
"""

import re
from enum import StrEnum

from pbem.characters import lower
from pbem.trust.faults import IdentifierFault

WORD = r"[a-z0-9][a-z0-9._-]{0,63}"
NUMBER = r"0|[1-9][0-9]{0,8}"
"""The pattern of a decimal number without leading zeros, never so long that reading the number takes time."""

RESERVED_NAMES = frozenset({"gm", "gm-secret", "public", "all"})
"""The names that no player can have: the judge's two chains and the two audiences that are not players."""

_MAX_NAME_LENGTH = 60
_MAX_LABEL_LENGTH = 512
_IS_TOKEN = re.compile(WORD).fullmatch
_IS_LABEL = re.compile(rf"{WORD}(?:/{WORD})*").fullmatch
_IS_NUMBER = re.compile(NUMBER).fullmatch
_IS_HEX = re.compile(r"[0-9a-f]{64}").fullmatch
_IS_FINGERPRINT = re.compile(r"SHA256:[A-Za-z0-9+/]{43}").fullmatch
_IS_ADDRESS = re.compile(
    r"[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[A-Za-z0-9](?:[A-Za-z0-9.-]{0,251}[A-Za-z0-9])?"
).fullmatch
_IS_WHO = re.compile(rf"(?={WORD}\Z)(?P<name>.+)\.(?P<generation>[1-9][0-9]{{0,2}})").fullmatch

_ALLOWED = "1 to 64 small letters, digits, dots, dashes and low lines, the first a letter or digit"


def is_token(text: str) -> bool:
    """Tell whether `text` is one token, such as a game id."""
    return _IS_TOKEN(text) is not None


def is_label(text: str) -> bool:
    """Tell whether `text` is a label: tokens joined by slashes."""
    return len(text) <= _MAX_LABEL_LENGTH and _IS_LABEL(text) is not None


def is_hash(text: str) -> bool:
    """Tell whether `text` is 64 lower-case hex digits, as every hash, reveal and salt is written."""
    return _IS_HEX(text) is not None


def is_fingerprint(text: str) -> bool:
    """Tell whether `text` is a key's fingerprint, as `ssh-keygen -l` prints it."""
    return _IS_FINGERPRINT(text) is not None


def check_fingerprint(text: str) -> str:
    """Return `text` itself if it is a key's fingerprint."""
    if not is_fingerprint(text):
        raise IdentifierFault(f"{quote(text)} is not a fingerprint of a key")
    return text


def is_number(text: str) -> bool:
    """Tell whether `text` is a decimal number without leading zeros."""
    return _IS_NUMBER(text) is not None


def as_token(name: str) -> str:
    """Return the token of a rulebook name: lower case, "-" for each blank."""
    token = lower(name).replace(" ", "-")
    if not is_token(token):
        raise IdentifierFault(f"{name!r} cannot be written as a token: {_ALLOWED}")
    return token


def check_token(text: str, what: str) -> str:
    """Return `text` itself if it is a token; if not, raise a fault that calls the text by the word `what`."""
    if not is_token(text):
        raise IdentifierFault(f"{quote(text)} is not a {what}: use {_ALLOWED}")
    return text


def check_game_id(text: str) -> str:
    """Return `text` itself if it may name a game."""
    return check_token(text, "game name")


def check_player_name(text: str) -> str:
    """Return `text` itself if it may name a player."""
    check_token(text, "player name")
    if text in RESERVED_NAMES:
        raise IdentifierFault(f"{text!r} cannot be a player's name: it already means somebody else")
    if len(text) > _MAX_NAME_LENGTH:
        raise IdentifierFault(
            f"{quote(text)} is too long for a player's name: {_MAX_NAME_LENGTH} characters at most"
        )
    return text


def is_address(text: str) -> bool:
    """Tell whether `text` is a bare mail address, which may stand in the head of a mail as it is."""
    return _IS_ADDRESS(text) is not None


def check_address(text: str) -> str:
    """Return `text` itself if it is a bare mail address."""
    if not is_address(text):
        raise IdentifierFault(f"{quote(text)} is not a mail address; one is written like alice@example.org")
    return text


def typed_address(text: str) -> str:
    """Return the bare mail address that a person typed, with the name of its domain in ASCII (punycode).

    Raises:
        IdentifierFault: the text is not an address, or one that not every mail server can deliver to.
    """
    local, at, domain = text.strip(" ").rpartition("@")
    if not local.isascii():
        raise IdentifierFault(
            f"{quote(text)} cannot be used: before the @ a mail address may have only letters from a to z, "
            "digits and marks, since not every mail server takes more; use another address"
        )
    try:
        # The tables of this codec are those of Unicode 3.2 in every Python.
        domain = domain if domain.isascii() else domain.encode("idna").decode()
    except UnicodeError:
        raise IdentifierFault(f"{quote(text)} is not a mail address: its domain cannot be written") from None
    return check_address(f"{local}{at}{domain}")


def check_label(text: str) -> str:
    """Return `text` itself if it can be the label of a die."""
    if not is_label(text):
        raise IdentifierFault(f"{quote(text)} is not a label: it takes tokens joined by single slashes")
    return text


def split_who(who: str) -> tuple[str, int]:
    """Return the name and generation of a chain: "alice.2" is the second chain of alice."""
    if (match := _IS_WHO(who)) is None:
        raise IdentifierFault(f"{quote(who)} names no chain: it takes a name, a dot and a generation from 1")
    return match["name"], int(match["generation"])


def who_of(name: str, generation: int = 1) -> str:
    """Return the name of the chain of `name` with this `generation`, counted from 1."""
    who = f"{name}.{generation}"
    split_who(who)
    return who


def quote(text: str, limit: int = 60) -> str:
    """Return `text` as a message may quote it: escaped, and cut if it is long."""
    return repr(text if len(text) <= limit else text[: limit - 3] + "...")


def shown_value(value: object) -> str:
    """Return a setting's value as a message may quote it: a text in quotes, all else as it is.

    Cut if it is long.
    """
    return quote(value) if isinstance(value, str) else quote(repr(value)).strip("'\"")


class Namespace(StrEnum):
    """The SSHSIG namespaces of pbem's signatures."""

    ORDERS = "pbem1-orders"
    CHECKPOINT = "pbem1-checkpoint"
    RECEIPT = "pbem1-receipt"
    REPORT = "pbem1-report"
    ROTATE = "pbem1-rotate"
    RECOVER = "pbem1-recover"
    BOX = "pbem1-box"
    PRESS = "pbem1-press"


PLAYER_NAMESPACES = (Namespace.ORDERS, Namespace.ROTATE)
JUDGE_NAMESPACES = (Namespace.CHECKPOINT, Namespace.RECEIPT, Namespace.REPORT, Namespace.ROTATE)
OFFICIAL_NAMESPACES = (Namespace.ORDERS,)
"""The namespaces in which the second official may sign, who signs nothing but consents."""
