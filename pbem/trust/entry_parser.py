"""Ledger entries from their bytes; the formats stand in entries.

The first line must be exactly as its kind demands. The lines below it may stand in any order, but dice,
players and options keep theirs; a word that may stand once only is refused the second time; words that
are not known go to `extra`. An unknown kind is an `Other`.
"""

import re
from collections.abc import Callable
from datetime import datetime

from pbem.trust.act_entries import ARGUMENTS, LONGEST_REASON, Act, is_change
from pbem.trust.chains import DRAW_CHAIN, OPEN_CHAIN, Reveal, parse_reveal
from pbem.trust.chance import parse_die
from pbem.trust.entries import (
    AFTER_CLOSE,
    WITH_ORDERS,
    Close,
    Drawn,
    Enrolled,
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
from pbem.trust.faults import LedgerFault, TrustFault, UnknownFormat
from pbem.trust.formats import FORMAT, MOST_SEATS_TIMES_EXCHANGES
from pbem.trust.identifiers import (
    check_game_id,
    check_label,
    check_player_name,
    check_token,
    is_hash,
    is_number,
    is_token,
    shown,
    split_who,
)
from pbem.trust.keys import parse_public
from pbem.trust.rotations import GM, Rotation
from pbem.trust.sealing import check_recipient
from pbem.trust.times import parse_utc

LARGEST_ENTRY = 4_194_304
_IS_FINGERPRINT = re.compile(r"SHA256:[A-Za-z0-9+/]{43}").fullmatch


def parse_entry(data: bytes) -> Entry:
    """The entry in `data`; raises LedgerFault if it is not written as its kind demands."""
    first, body = _cut(data)
    kind, _, fields = first.partition(" ")
    if not is_token(kind):
        raise LedgerFault(f"{shown(first)} does not begin with the kind of an entry")
    if (parse := _PARSERS.get(kind)) is None:
        return Other(first=first, extra=tuple(body.lines))
    try:
        return parse(fields.split(" "), body)
    except UnknownFormat:
        raise
    except (TrustFault, LedgerFault) as fault:
        raise LedgerFault(f"the {kind} entry is not as it should be: {fault}") from None


class _Body:
    """The lines after the first, taken word by word; what nobody takes is `extra`."""

    def __init__(self, lines: list[str]) -> None:
        self.lines = lines

    def all(self, word: str) -> list[str]:
        """The fields of every line with this word, in order."""
        start = f"{word} "
        found = [line.removeprefix(start) for line in self.lines if line.startswith(start)]
        self.lines = [line for line in self.lines if not line.startswith(start)]
        return found

    def maybe(self, word: str) -> str | None:
        """The fields of the only line with this word, or None if there is none."""
        found = self.all(word)
        if len(found) > 1:
            raise LedgerFault(f"it has {len(found)} lines {word!r}, where one belongs")
        return found[0] if found else None

    def one(self, word: str) -> str:
        """The fields of the only line with this word."""
        if (found := self.maybe(word)) is None:
            raise LedgerFault(f"it has no line {word!r}")
        return found

    def time(self, word: str) -> datetime | None:
        """The time in the only line with this word, or None if there is none."""
        found = self.maybe(word)
        return None if found is None else parse_utc(found)

    def pairs(self, word: str) -> dict[str, str]:
        """First field to the rest, for every line with this word; no first field may come twice."""
        found: dict[str, str] = {}
        for fields in self.all(word):
            name, _, rest = fields.partition(" ")
            if name in found or not rest:
                raise LedgerFault(f"it cannot have the line {shown(f'{word} {fields}')}")
            found[name] = rest
        return found

    @property
    def extra(self) -> tuple[str, ...]:
        return tuple(self.lines)


def _cut(data: bytes) -> tuple[str, _Body]:
    if len(data) > LARGEST_ENTRY:
        raise LedgerFault("the entry is too large")
    try:
        text = data.decode()
    except UnicodeDecodeError:
        raise LedgerFault("the entry is not utf-8 text") from None
    lines = text.split("\n")
    if lines.pop() or not lines or not all(line.isprintable() and line.strip() == line for line in lines):
        raise LedgerFault("the entry is not plain lines of text, each ended")
    if not all(lines):
        raise LedgerFault("the entry has an empty line")
    return lines[0], _Body(lines[1:])


def _genesis(fields: list[str], body: _Body) -> Genesis:
    (game,) = _fields(fields, 1)
    check_game_id(game)
    if (form := body.maybe("format")) != FORMAT:
        named = f"has the format {shown(form)}" if form else "names no format"
        raise UnknownFormat(f"the ledger of {game} {named}; this release reads format {FORMAT}")
    beacon = body.one("beacon")
    options = tuple(body.pairs("option").items())
    official = body.maybe("official")
    commits, recoveries = body.pairs("commit"), body.pairs("recovery")
    anchors = _anchors(body.all("anchor"))
    sides = body.pairs("side")
    players = tuple(
        Enrolled(
            name=check_player_name(name),
            fingerprint=_fingerprint(fingerprint),
            side=check_token(_of(sides, name, "side"), "side"),
            anchor=anchors.pop(f"{name}.1", None),
            recovery=_maybe_fingerprint(recoveries.pop(name, None)),
        )
        for name, fingerprint in body.pairs("player").items()
    )
    exchanges = _number(body.one("exchanges"))
    if not 1 < exchanges <= MOST_SEATS_TIMES_EXCHANGES // max(1, len(players)):
        raise LedgerFault(f"{len(players)} players cannot have {exchanges} exchanges at most")
    genesis = Genesis(
        game=game,
        exchanges=exchanges,
        gm=_fingerprint(body.one("gm")),
        rules=_hash(body.one("rules")),
        anchor=_of(anchors, OPEN_CHAIN, "anchor"),
        secret_anchor=_of(anchors, DRAW_CHAIN, "anchor"),
        salt_commitment=_hash(_of(commits, "salt-root", "commit")),
        seal_commitment=_hash(_of(commits, "seal-root", "commit")),
        players=players,
        options=options,
        beacon=None if beacon == "none" else check_token(beacon, "beacon"),
        mode=_mode(body.maybe("mode")),
        gm_recovery=_maybe_fingerprint(recoveries.pop("gm", None)),
        official=None if official is None else _official(official),
        extra=body.extra,
    )
    for what, rest in (("side", sides), ("anchor", anchors), ("commit", commits), ("recovery", recoveries)):
        if rest:
            raise LedgerFault(f"it has a line '{what}' of {shown(next(iter(rest)))}, who is not in it")
    return genesis


def _open(fields: list[str], body: _Body) -> Open:
    (exchange,) = _fields(fields, 1)
    rules, again = body.maybe("rules"), body.maybe("again")
    seals = tuple(
        (check_player_name(player), check_recipient(recipient))
        for player, recipient in body.pairs("seal").items()
    )
    return Open(
        exchange=_number(exchange),
        seals=seals,
        rules=None if rules is None else _hash(rules),
        deadline=body.time("deadline"),
        again=0 if again is None else _number(again),
        extra=body.extra,
    )


def _received(fields: list[str], body: _Body) -> Received:
    exchange, player, rev_word, rev, sealed_word, sealed = _fields(fields, 6)
    if (rev_word, sealed_word) != ("rev", "sealed"):
        raise LedgerFault("its first line is received, exchange, player, rev, a number, sealed, a hash")
    return Received(
        exchange=_number(exchange),
        player=check_player_name(player),
        rev=_number(rev),
        sealed=_hash(sealed),
        at=body.time("at"),
        extra=body.extra,
    )


def _refused(fields: list[str], body: _Body) -> Refused:
    exchange, player, of, sealed_word, sealed, reason = _fields(fields, 6)
    if sealed_word != "sealed":
        raise LedgerFault("its first line is refused, exchange, player, exchange, sealed, a hash, a reason")
    return Refused(
        exchange=_number(exchange),
        player=check_player_name(player),
        of=_number(of),
        sealed=_hash(sealed),
        reason=check_token(reason, "reason"),
        at=body.time("at"),
        extra=body.extra,
    )


def _close(fields: list[str], body: _Body) -> Close:
    (exchange,) = _fields(fields, 1)
    at, deadline = body.time("at"), body.time("deadline")
    return Close(exchange=_number(exchange), at=at, deadline=deadline, extra=body.extra)


def _revealed(fields: list[str], body: _Body) -> Revealed:
    exchange, player, sealed_word, sealed = _fields(fields, 4)
    if sealed_word != "sealed":
        raise LedgerFault("its first line is revealed, exchange, player, sealed, a hash")
    return Revealed(
        exchange=_number(exchange),
        player=check_player_name(player),
        sealed=_hash(sealed),
        at=body.time("at"),
        extra=body.extra,
    )


def _resolve(fields: list[str], body: _Body) -> Resolve:
    (exchange,) = _fields(fields, 1)
    reveals = tuple(parse_reveal(line) for line in body.all("reveal"))
    absent = tuple(body.all("absent"))
    whose = [reveal.who for reveal in reveals] + list(absent)
    if len({split_who(who)[0] for who in whose}) != len(whose):
        raise LedgerFault("somebody stands in it twice")
    return Resolve(
        exchange=_number(exchange),
        reveals=reveals,
        absent=absent,
        mix=_hash(body.one("mix")),
        dice=tuple(parse_die(line) for line in body.all("die")),
        extra=body.extra,
    )


def _extend(fields: list[str], body: _Body) -> Extend:
    (exchange,) = _fields(fields, 1)
    deadline, at = parse_utc(body.one("deadline")), parse_utc(body.one("at"))
    return Extend(exchange=_number(exchange), deadline=deadline, at=at, extra=body.extra)


def _drawn(fields: list[str], body: _Body) -> Drawn:
    exchange, owner, label, result = _fields(fields, 4)
    return Drawn(
        exchange=_number(exchange),
        owner=check_token(owner, "owner"),
        label=check_label(label),
        result=check_token(result, "result of a draw"),
        extra=body.extra,
    )


def _reported(fields: list[str], body: _Body) -> Reported:
    exchange, audience, sha256 = _fields(fields, 3)
    return Reported(
        exchange=_number(exchange),
        audience=check_token(audience, "audience"),
        sha256=_hash(sha256),
        extra=body.extra,
    )


def _rules(fields: list[str], body: _Body) -> NewRules:
    (rules,) = _fields(fields, 1)
    return NewRules(rules=_hash(rules), extra=body.extra)


def _act(fields: list[str], body: _Body) -> Act:
    exchange, what, *of = fields
    change = of.pop() if of and "=" in of[-1] else ""
    is_known = what in ARGUMENTS and len(of) == ARGUMENTS[what] and all(of)
    if not is_known or not is_change(what, change):
        raise LedgerFault(f"{shown(' '.join(fields[1:]))} is nothing that a game master can do")
    consents = body.pairs("consent")
    return Act(
        exchange=_number(exchange),
        what=what,
        of=check_token(of[0], "word") if of else "",
        change=change,
        at=parse_utc(body.one("at")),
        reason=_reason(body.one("reason")),
        consents=tuple((check_player_name(name), _hash(sha256)) for name, sha256 in consents.items()),
        extra=body.extra,
    )


def _rotate(fields: list[str], body: _Body) -> Rotation:
    exchange, player, fingerprint = _fields(fields, 3)
    key = body.one("key")
    public = parse_public(key)
    if public.line != key or public.fingerprint != fingerprint:
        raise LedgerFault("the fingerprint in its first line is not that of its key")
    anchors = _anchors(body.all("anchor"))
    if len(anchors) > 1 or any(split_who(who)[0] != player for who in anchors):
        raise LedgerFault("it can have one anchor, of a chain of its player")
    person = body.maybe("person")
    consents = body.pairs("consent")
    return Rotation(
        exchange=_number(exchange),
        player=player if player == GM else check_player_name(player),
        at=parse_utc(body.one("at")),
        old=_fingerprint(body.one("old")),
        key=key,
        anchor=next((Reveal(who, 0, value) for who, value in anchors.items()), None),
        recovery=_maybe_fingerprint(body.maybe("recovery")) or "",
        person="" if person is None else check_player_name(person),
        consents=tuple((check_player_name(name), _hash(sha256)) for name, sha256 in consents.items()),
        reason=_reason(body.maybe("reason") or ""),
        text_sha256=_hash(body.one("text")),
        extra=body.extra,
    )


_PARSERS: dict[str, Callable[[list[str], _Body], Entry]] = {
    "genesis": _genesis,
    "open": _open,
    "received": _received,
    "refused": _refused,
    "close": _close,
    "revealed": _revealed,
    "resolve": _resolve,
    "extend": _extend,
    "draw": _drawn,
    "report": _reported,
    "rules": _rules,
    "act": _act,
    "rotate": _rotate,
}


def _fields(fields: list[str], count: int) -> list[str]:
    if len(fields) != count or not all(fields):
        raise LedgerFault(f"its first line has {len(fields)} fields after the kind, where {count} belong")
    return fields


def _number(text: str) -> int:
    if not is_number(text) or text == "0":
        raise LedgerFault(f"{shown(text)} is not a number from 1")
    return int(text)


def _hash(text: str) -> str:
    if not is_hash(text):
        raise LedgerFault(f"{shown(text, 70)} is not 64 hex digits")
    return text


def _fingerprint(text: str) -> str:
    if not _IS_FINGERPRINT(text):
        raise LedgerFault(f"{shown(text)} is no fingerprint; one is SHA256: and 43 characters")
    return text


def _maybe_fingerprint(text: str | None) -> str | None:
    return None if text is None else _fingerprint(text)


def _reason(text: str) -> str:
    if len(text) > LONGEST_REASON:
        raise LedgerFault(f"its reason has more than {LONGEST_REASON} characters")
    return text


def _official(fields: str) -> tuple[str, str]:
    name, _, fingerprint = fields.partition(" ")
    return check_player_name(name), _fingerprint(fingerprint)


def _mode(text: str | None) -> str:
    if text not in (None, AFTER_CLOSE):
        raise LedgerFault(f"{shown(text)} is no way to reveal that is known here")
    return text or WITH_ORDERS


def _anchors(lines: list[str]) -> dict[str, str]:
    anchors: dict[str, str] = {}
    for line in lines:
        anchor: Reveal = parse_reveal(line)
        if anchor.step != 0 or anchor.who in anchors:
            raise LedgerFault(f"{shown(line, 90)} cannot be an anchor: its step is 0, and it stands once")
        anchors[anchor.who] = anchor.value
    return anchors


def _of(found: dict[str, str], name: str, what: str) -> str:
    if name not in found:
        raise LedgerFault(f"it has no line '{what}' of {name}")
    return found.pop(name)
