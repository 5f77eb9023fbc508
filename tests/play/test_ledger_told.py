"""What a ledger says, entry by entry: of each, every answer that it changes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, replace
from datetime import timedelta
from pathlib import Path

from pbem.play.adjudicate import following
from pbem.play.history import Exchange, History, bases_of
from pbem.trust.act_entries import Act
from pbem.trust.chance import Reveal
from pbem.trust.entries import (
    AFTER_CLOSE,
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
from pbem.trust.fields import ConsentRef
from pbem.trust.keys import generate
from pbem.trust.rotations import GM, Rotation
from tests.kept import as_kept, plain
from tests.play.test_history import AT, GENESIS, NEW, NEWER, OLD

NAMES = ("alice", "bob", "carol")
DAY = timedelta(days=1)
KEYS = {generate(name).public: name for name in ("second", "third", "fourth")}
KNOWN = {one.fingerprint: name for one, name in KEYS.items()}
LINES = [one.line for one in KEYS]
THREE = replace(
    GENESIS,
    mode=AFTER_CLOSE,
    gm_recovery="r",
    players=tuple(
        Enrolled(name=name, fingerprint=name[0], side=name, anchor=None if name == "carol" else name[0] * 64)
        for name in NAMES
    ),
    exchanges=11,
)
DRAWN = replace(THREE, drawn=("league.cup", 1))


def open_(number: int, *names: str, days: int = 7, again: int = 0, extra: tuple[str, ...] = ()) -> Open:
    seals = tuple((name, f"age1{name}") for name in names)
    return Open(
        exchange=number, seals=seals, deadline=AT + days * DAY if names else None, again=again, extra=extra
    )


def came(number: int, player: str, rev: int = 1) -> Received:
    return Received(exchange=number, player=player, rev=rev, sealed=f"{rev}" * 64, at=AT)


def ends(number: int, *reveals: Reveal) -> tuple[Entry, ...]:
    return Close(exchange=number, at=AT), Resolve(exchange=number, reveals=reveals, absent=(), mix="a" * 64)


def done(number: int, what: str, of: str = "", change: str = "", days: int = 9, by: str = "abc") -> Act:
    consents = tuple((name, ConsentRef("d" * 64, 1)) for name in NAMES if name[0] in by)
    return Act(
        exchange=number, what=what, of=of, change=change, at=AT + days * DAY, reason="x", consents=consents
    )


def key(number: int, player: str, which: int, by: str = "", chain: str = "", person: str = "") -> Rotation:
    consents = tuple((name, ConsentRef("d" * 64, 1)) for name in NAMES if name[0] in by)
    anchor = Reveal(chain, 0, "e" * 64) if chain else None
    return Rotation(
        exchange=number, player=player, at=AT, old="x", key=LINES[which], text_sha256="f" * 64,
        consents=consents, reason="x" if by else "", anchor=anchor, person=person, recovery=person[:1],
    )  # fmt: skip


def a_long_game() -> Iterator[Entry | None]:
    """All that a ledger can hold: keys, acts, a correction, a roll-back, players who leave one by one."""
    yield from (open_(1, *NAMES), came(1, "alice"), came(1, "bob"), came(1, "bob", 2), came(1, "carol"))
    yield Refused(exchange=1, player="bob", of=1, sealed="f" * 64, reason="late", at=AT)
    yield Extend(exchange=1, deadline=AT + 8 * DAY, at=AT, extra=("absence alice 86400",))
    yield Extend(exchange=1, deadline=AT + 9 * DAY, at=AT, extra=("absence bob 43200", "absence carol 43200"))
    closed, resolved = ends(1, Reveal("alice.1", 1, "a" * 64), Reveal("bob.1", 1, "b" * 64))
    yield from (closed, Revealed(exchange=1, player="alice", sealed="1" * 64), resolved)
    yield from (Drawn(exchange=1, owner="gm", label="x", result="1"), None, None)
    yield from (Reported(exchange=1, audience=name, sha256="a" * 64) for name in NAMES)
    yield from (open_(2, *NAMES, extra=("absence alice 60",)), done(2, "look", "gm"))
    yield from (done(2, "hold", days=1), done(2, "resume", days=2), done(2, "hold", days=4))
    yield from (key(2, "alice", 0, chain="alice.2"), key(2, "carol", 1, "ab", person="dave"))
    yield from (done(2, "resume", days=9), came(2, "bob"), came(2, "carol"), *ends(2))
    yield from (open_(3, *NAMES), came(3, "alice"), done(3, "outage"), NewRules(rules=NEW))
    yield from (key(3, "carol", 2, "abc"), *ends(3))
    yield from (open_(4, *NAMES), came(4, "bob"), key(4, GM, 2), *ends(4))
    yield from (open_(5, *NAMES), done(5, "correct", "2", "bid=E1"), open_(6, again=2), *ends(6))
    yield from (open_(7, *NAMES), done(7, "go-on", "", f"rules={NEWER}"), done(7, "hold"))
    yield from (done(7, "roll-back", "7"), open_(8, *NAMES), came(8, "alice"), *ends(8))
    yield from (open_(9, *NAMES), came(9, "alice"), *ends(9), open_(10, *NAMES), came(10, "alice"))
    yield from (key(10, "bob", 1, "ac"), done(10, "claim", "carol", by="ab"), *ends(10))
    yield from (open_(11, "alice", "bob"), done(11, "concede", "bob", by="b"))
    yield Other(first="over 11", extra=("winner alice", "places alice"))


def a_drawn_game() -> Iterator[Entry | None]:
    """A league has drawn it: exchange 1 asks nobody. The rules say that it ends with a concession."""
    yield from (open_(1), *ends(1, Reveal("alice.1", 1, "a" * 64), Reveal("carol.1", 2, "b" * 64)))
    yield from (open_(2, *NAMES), done(2, "concede", "carol", by="c"), came(2, "bob"))
    yield from (key(2, "bob", at, "ab", f"bob.{at + 2}", ("dave", "erin")[at]) for at in (0, 1))
    yield from (done(2, "concede", "alice", by="ab"), Other(first="over 2", extra=("winner bob",)))


def a_draw() -> Iterator[Entry | None]:
    """After a correction for which there is just room."""
    yield from (open_(1, *NAMES), *ends(1), open_(2, *NAMES), done(2, "correct", "1", "bid=E1"))
    yield from (open_(3, again=1), *ends(3), open_(4, *NAMES), done(4, "agree-draw"))
    yield Other(first="over 4", extra=("draw",))


def as_its_rules_say() -> Iterator[Entry | None]:
    """With one who concedes it ends, though two are left; after a roll-back for which there is just room."""
    yield from (open_(1, *NAMES), *ends(1), open_(2, *NAMES), done(2, "roll-back", "2"), open_(3, *NAMES))
    yield from (done(3, "concede", "bob", by="b"), Other(first="over 3", extra=("x", "y")))


def after_one_has_left() -> Iterator[Entry | None]:
    """It does not end with a concession, but with what came later."""
    yield from (
        open_(1, *NAMES),
        done(1, "concede", "bob", by="b"),
        *ends(1),
        Other(first="over 1", extra=("x",)),
    )


def short(value: object) -> object:
    """What stands in an entry or exchange, in few letters."""
    match value:
        case Exchange():
            return value.number
        case Act():
            return value.said
        case Entry() if not isinstance(value, Genesis):
            return type(value).__name__.lower()
        case Genesis():
            return dict(value.options)["bid"]
        case Reveal():
            return f"{value.who} {value.step}"
        case list() | tuple():
            return [short(one) for one in value]
        case dict():
            return {short(name) if isinstance(name, str) else name: short(one) for name, one in value.items()}
        case set() | frozenset():
            return sorted(str(short(one)) for one in value)
        case str():
            return KNOWN.get(value, value[:3] if len(value) == 64 else value)
    return value


def told(found: History) -> dict[str, object]:
    """All that is asked of a ledger somewhere."""
    names = "size over rules era correction ending held ended_by current last standing resolved left playing"
    answers: dict[str, object] = {name: getattr(found, name) for name in (*names.split(), "anchors")}
    answers |= {f"known {who}.{at}": found.known(f"{who}.{at}") for who in NAMES for at in (1, 2)}
    count, seats = len(found.exchanges), found.seats
    bases, numbers = bases_of(found), range(1, count + 2)
    for name in NAMES:
        answers[f"{name} silent"] = found.silence(name)
        answers[f"{name} absent"] = found.absences.left(name)
        answers[f"{name} next"] = (seats.person(name), seats.newest(name), seats.next_chain(name))
        answers[f"{name} recovery"] = seats.recovery(name)
        answers[f"{name} received"] = found.received_of(name)
    answers["gm recovery"] = seats.recovery(GM)
    answers["vanished"] = {
        (at, known): who for at in numbers for known in numbers if (who := found.vanished(at, known))
    }
    answers["judge at"] = {seats.judge_at(size): size for size in range(found.size, 0, -1)}
    for number in numbers:
        answers[f"{number} gm"] = (seats.fingerprint(GM, number), seats.judges_in(number))
        for name in NAMES:
            answers[f"{number} {name}"] = [
                *(seats.key_line(name, number) in LINES, seats.fingerprint(name, number)),
                *(
                    *seats.signer(name, number),
                    seats.has_left(name, number),
                    seats.awaited_from(name, number),
                ),
                *(seats.chain_of(name, number), seats.line_of(name, number)),
            ]
    for one in found.exchanges:
        for field in fields(one):
            answers[f"{one.number} {field.name}"] = getattr(one, field.name)
        for name in ("deadline", "had_outage", "awaited"):
            answers[f"{one.number} {name}"] = getattr(one, name)
        answers[f"{one.number} counted"] = {name: entry.rev for name, entry in one.counted().items()}
        answers[f"{one.number} held for"] = [one.paused_until(AT + days * DAY).days for days in range(11)]
        answers[f"{one.number} again"] = (found.source(one), bases[one.number], following(found, one))
        answers[f"{one.number} brought"] = found.brought(one)
        answers[f"{one.number} answers"] = [found.answers(release, one) for release in (OLD, NEW, NEWER)]
        standing = [found.standing_of(one, name, lambda _: None) for name in NAMES]
        answers[f"{one.number} takes"] = [
            (each.takes, each.opened, each.known, each.after_close, each.revisions) for each in standing
        ]
    return {name: short(value) for name, value in answers.items()}


def test_what_a_ledger_says_is_as_it_was() -> None:
    lines = []
    for story, genesis in (
        (a_long_game, THREE),
        (a_drawn_game, DRAWN),
        (a_draw, replace(THREE, exchanges=4)),
        (as_its_rules_say, replace(THREE, exchanges=3)),
        (after_one_has_left, THREE),
    ):
        found, before = History(genesis), dict[str, object]()
        lines.append(f"== {story.__name__}")
        for entry in story():
            found.add(entry)
            now = told(found)
            lines.append(
                plain(f"-- {entry.text.decode().splitlines()[0] if entry is not None else 'hidden'}")
            )
            lines += [
                f"{name}: {value}" for name, value in now.items() if before.get(name, value and ...) != value
            ]
            before = now
    as_kept(Path(__file__).parent / "golden/ledgers.txt", "\n".join([*lines, ""]))
