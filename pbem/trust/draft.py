"""A draft: the orders that a person writes before the player's program signs and seals them.

    pbem1 orders
    game hearth
    exchange 3
    side north
    ---
    move ford hill

The program adds `player`, `rev`, `seal`, `seen` and `reveal`; if a draft has them, they count for nothing.
A draft may come back out of a mail: quoted, with odd blanks, unseen signs or a smart dash for the
line ---, below any amount of other text. Only the head is read here; the body is handed on as it is.
"""

import re
from dataclasses import dataclass

from pbem.characters import BLANKS, lower, split_lines, strip_blanks
from pbem.trust.faults import IdentifierFault, OrderFileFault
from pbem.trust.identifiers import check_game_id, check_token, is_number, quote
from pbem.trust.orderfile import ORDER_WORDS


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """The orders that a person wrote, before they are signed. A field that the head leaves out is None."""

    game: str | None
    exchange: int | None
    side: str | None
    body: str
    body_line: int
    """The number, from 1, of the draft's line on which the body begins, for messages about the body."""


BEGIN_FORM, END_FORM = "begin orders", "end orders"

_FORM = re.compile(rf"^pbem1 orders\n.*?(?:^{END_FORM}$|(?=^HOW TO CHECK$)|\Z)", re.MULTILINE | re.DOTALL)
_UNSEEN = re.compile(r"[\u00ad\u200b-\u200f\u2060\ufeff]")
_QUOTING = re.compile(r"[\s>|*]+")
_RULE = re.compile(r"[-\u2010-\u2015\u2212\ufe58\ufe63\uff0d]+")
_NO_ORDER = frozenset(("game", "exchange"))
"""The words of a draft's head with which no game's orders begin."""
MAX_DRAFT_SIZE = 1_048_576
"""Maximum length in bytes, and in characters, of a draft; the orders in it may be far shorter."""


def form_in(report: str) -> str:
    """Return the order form of a report, from its line `pbem1 orders` to its end; "" if there is none."""
    found = _FORM.search(report)
    return f"{found[0].rstrip(BLANKS)}\n" if found else ""


def parse_draft(text: str) -> Draft:
    """Return the game, exchange, side and orders of a draft, wherever in a text it begins.

    The head's lines may be quoted, in any case and with any blanks; other words in it are left to the
    program that signs. A whole report with the form filled in is a draft: what stands above its line
    `pbem1 orders` is passed over, and what stands below the form's last line.

    """
    if len(text) > MAX_DRAFT_SIZE:
        raise OrderFileFault("the file is too long for orders", reason="too-large")
    lines = text.splitlines(keepends=True)
    start = next((number for number, line in enumerate(lines) if _plain(line) == "pbem1 orders"), None)
    if start is None:
        raise OrderFileFault("the file has no line 'pbem1 orders', with which orders begin")
    head: dict[str, str] = {}
    for number, line in enumerate(lines[start + 1 :], start + 1):
        plain = _plain(line)
        if _RULE.fullmatch(plain):
            break
        word, _, rest = plain.partition(" ")
        if plain and word not in ORDER_WORDS:
            raise OrderFileFault(f"line {number + 1}: {quote(plain)} cannot stand above the line ---")
        if plain and head.setdefault(word, rest) != rest:
            raise OrderFileFault(f"line {number + 1}: {word} is given twice, and differs")
    else:
        raise OrderFileFault("the file has no line --- between its head and the orders")
    return _draft(head, "".join(_form(lines[number + 1 :])), number + 2)


def parse_bare(text: str) -> Draft:
    """Return the draft in a text; a text without a head is taken as orders from its first line on."""
    lines = [_plain(line) for line in split_lines(text)]
    if "pbem1 orders" in lines:
        return parse_draft(text)
    number, first = next(((number, line) for number, line in enumerate(lines, 1) if line), (0, ""))
    if first.partition(" ")[0] in _NO_ORDER:
        raise OrderFileFault(
            f"line {number}: {quote(first)} is a line of the file's head, which needs 'pbem1 orders' above "
            "it and --- below it"
        )
    return Draft(game=None, exchange=None, side=None, body=text, body_line=1)


def _form(lines: list[str]) -> list[str]:
    """Return the orders below a draft's head: the lines between the marks of a form, or else all lines."""
    first = next((number for number, line in enumerate(lines) if _plain(line)), 0)
    if not lines or _plain(lines[first]) != BEGIN_FORM:
        return lines
    last = next((number for number, line in enumerate(lines) if _plain(line) == END_FORM), len(lines) - 1)
    return lines[: last + 1]


def _draft(head: dict[str, str], body: str, body_line: int) -> Draft:
    exchange = head.get("exchange")
    if exchange is not None and (not is_number(exchange) or exchange == "0"):
        raise OrderFileFault(f"exchange {quote(exchange)} is not a number from 1")
    try:
        return Draft(
            game=check_game_id(head["game"]) if "game" in head else None,
            exchange=int(exchange) if exchange else None,
            side=check_token(head["side"], "side") if "side" in head else None,
            body=body,
            body_line=body_line,
        )
    except IdentifierFault as fault:
        raise OrderFileFault(str(fault)) from None


def _plain(line: str) -> str:
    """Return a line of a draft's head as it was meant: in lower case, with single blanks, and not quoted."""
    return lower(strip_blanks(_QUOTING.sub(" ", _UNSEEN.sub("", line))))
