"""The parser of ledger entries, whose formats stand in entries.

The first line must be exactly as its kind demands. A word that may stand once only is refused the second
time; words that are not known go to `extra`. An unknown kind is an `Other`. That the lines stand in the order
in which they are written, the audit sees by writing the entry again.
"""

from collections.abc import Mapping
from functools import lru_cache

from pbem.characters import is_plain_line
from pbem.trust.act_entries import Act
from pbem.trust.entries import (
    Close,
    Drawn,
    Entry,
    Extend,
    Genesis,
    NewRules,
    Open,
    Other,
    Received,
    Refused,
    Reported,
    Resolve,
    Revealed,
)
from pbem.trust.entry_fields import Body, check_rest, read_lines, write_first
from pbem.trust.faults import LedgerFault, TrustFault, UnknownFormat
from pbem.trust.formats import FORMAT
from pbem.trust.identifiers import is_token, quote
from pbem.trust.rotations import Rotation

MAX_ENTRY_SIZE = 4_194_304
FIRST = ("genesis", "league")
"""The kinds of entry that a ledger can begin with, which name the format of the ledger."""
KINDS: dict[str, type[Entry]] = {
    entry.kind: entry
    for entry in (
        *(Genesis, Open, Received, Refused, Close, Revealed, Resolve, Extend, Drawn, Reported, NewRules),
        *(Act, Rotation),
    )
}


def parse_entry(data: bytes, kinds: Mapping[str, type[Entry]] = KINDS) -> Entry:
    """Return the entry in `data`; raise LedgerFault if it is not written as its kind demands.

    `kinds`: the classes of entries by their words; by default those of a game's ledger.
    """
    first, *lines = _lines(data)
    kind, *_ = first.partition(" ")
    if not is_token(kind):
        raise LedgerFault(f"{quote(first)} does not begin with the kind of an entry")
    if (found := kinds.get(kind)) is None:
        return Other(first=first, extra=tuple(lines))
    try:
        return _read(found, first, Body(lines))
    except UnknownFormat:
        raise
    except (TrustFault, LedgerFault) as fault:
        raise LedgerFault(f"the {kind} entry is not as it should be: {fault}") from None


@lru_cache(maxsize=4_096)
def parse_game_entry(data: bytes) -> Entry:
    """Return an entry of a game's ledger. Results are cached, as entries never change and are read often.

    Raises:
        LedgerFault: the entry is not written as its kind demands.
    """
    return parse_entry(data)


def _read(found: type[Entry], first: str, body: Body) -> Entry:
    values = found.read_first(first.split(" ")[1:])
    if found.kind in FIRST:
        _check_format(values["game"], body)
    values |= read_lines(found, body)
    check_rest(found, body)
    entry = found(**values, extra=tuple(body.lines))
    entry.check()
    if write_first(entry, entry.form) != first:
        raise LedgerFault("its first line does not fit those below it")
    return entry


def _check_format(game: str, body: Body) -> None:
    """Raise UnknownFormat if the ledger has a format that this release does not read."""
    named = [line.removeprefix("format ") for line in body.lines if line.startswith("format ")]
    if named[:1] != [FORMAT]:
        said = f"has the format {quote(named[0])}" if named else "names no format"
        raise UnknownFormat(f"the ledger of {game} {said}; this release reads format {FORMAT}")


def _lines(data: bytes) -> list[str]:
    if len(data) > MAX_ENTRY_SIZE:
        raise LedgerFault("the entry is too large")
    try:
        text = data.decode()
    except UnicodeDecodeError:
        raise LedgerFault("the entry is not utf-8 text") from None
    *lines, last = text.split("\n")
    if last or not lines or not all(map(is_plain_line, lines)):
        raise LedgerFault("the entry is not plain lines of text, each ended")
    if not all(lines):
        raise LedgerFault("the entry has an empty line")
    return lines
