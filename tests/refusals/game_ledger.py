"""What cannot stand in a game's ledger, and how a game cannot have ended."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

from pbem.play.adjudicate import game_places
from pbem.play.history import History
from pbem.trust.chance import Reveal
from pbem.trust.entries import Close, Drawn, Entry, Extend, Genesis, NewRules, Open, Other, Received, Refused
from pbem.trust.fields import ConsentRef
from pbem.trust.keys import generate
from pbem.trust.rotations import Rotation
from tests.play.test_history import (
    AT,
    BOTH,
    GENESIS,
    NEW,
    OLD,
    SEALS,
    act,
    again,
    history,
    opened,
    resolved,
    silent_in,
)
from tests.refusals.clauses import Row

LATER = AT + timedelta(days=1)


def adds(entry: Entry | None, *before: Entry | None, genesis: Genesis = GENESIS) -> Callable[[], None]:
    """An entry comes next, in exchange 4 or after what comes there before."""

    def door() -> None:
        found = history()
        found.genesis = found.corrected = found.seats.genesis = genesis
        for one in before:
            found.add(one)
        found.add(entry)

    return door


def begins(*entries: Entry, genesis: Genesis = GENESIS) -> Callable[[], None]:
    """A ledger begins so."""

    def door() -> None:
        found = History(genesis)
        for one in entries:
            found.add(one)

    return door


def away(*lines: str, number: int = 5) -> Open:
    return replace(opened(number), extra=lines)


def received(number: int = 4, player: str = "alice") -> Received:
    return Received(exchange=number, player=player, rev=1, sealed="f" * 64, at=AT)


CORRECT = act(4, "correct", "2", "bid=E1")
AGAIN = (CORRECT, again(5, 2)[0])
OVER = Other(first="over 4", extra=("draw",))
CLOSED = Close(exchange=4, at=AT)
HELD = act(4, "hold")
FEW = replace(GENESIS, exchanges=4)
LEAGUE = replace(GENESIS, drawn=("a" * 64, 1))
REFUSED = Refused(exchange=3, player="alice", of=3, sealed="f" * 64, reason="x", at=AT)
LEFT = replace(act(4, "concede", "bob"), consents=(("bob", ConsentRef("e" * 64, 1)),))
WAITS, EVERYBODY = "while an exchange waits to be resolved", "an exchange is opened for everybody who plays"
ABSENCE, MOVED = (
    "do not name each player once, and seconds",
    "is moved by more than the absences that it names",
)
LOOKS = (act(4, "look", "gm"),) * 16
MORE_TIME = Extend(exchange=4, deadline=LATER, at=AT, consents=BOTH)
LEDGER = (
    Row("no exchange has been opened", begins(received(1))),
    Row("after a roll-back an exchange is opened", adds(received(), act(4, "roll-back", "2"))),
    Row("the game is on hold", adds(CLOSED, HELD)),
    Row("nothing may be hidden before", adds(None)),
    Row("the game is over", adds(opened(5), *resolved(4), OVER)),
    Row("the game has been ended: concede bob", adds(received(), LEFT)),
    Row("the game has been ended: concede bob", adds(replace(OVER, first="note 4"), LEFT)),
    Row("the game has 4 exchanges at most", adds(opened(5), *resolved(4), genesis=FEW)),
    Row("played again after a correction, and only then", adds(replace(opened(5), again=2), *resolved(4))),
    Row("played again after a correction, and only then", adds(again(5, 3)[0], CORRECT)),
    Row(EVERYBODY, adds(replace(opened(5), seals=SEALS[:1]), *resolved(4))),
    Row(EVERYBODY, adds(Open(exchange=5, seals=(), deadline=AT, again=2), CORRECT)),
    Row(EVERYBODY, begins(opened(1), genesis=LEAGUE)),
    Row("exchange 5 must be opened next", adds(opened(6), *resolved(4))),
    Row("the game ends with exchange 4", adds(replace(OVER, first="over 5"), *resolved(4))),
    Row("a game ends with a resolved exchange", adds(OVER)),
    Row("exchange 4 is in progress", adds(Extend(exchange=3, deadline=LATER, at=AT))),
    Row("exchange 5 waits for nobody", adds(NewRules(rules=NEW), *AGAIN)),
    Row("carol does not play", adds(received(player="carol"))),
    Row("a refused cannot stand here", adds(replace(REFUSED, exchange=4), *resolved(4))),
    Row("a draw cannot stand here", adds(Drawn(exchange=4, owner="x", label="y", result="1"))),
    Row(ABSENCE, adds(away("absence alice 60", "absence alice 60"), *resolved(4))),
    Row(ABSENCE, adds(away("absence carol 60"), *resolved(4))),
    Row(ABSENCE, adds(away("absence alice 060"), *resolved(4))),
    Row(MOVED, adds(Extend(exchange=4, deadline=LATER, at=AT, extra=("absence alice 60",)))),
    Row("absences of alice move deadlines by more than", adds(away("absence alice 99999999"), *resolved(4))),
    Row("agreed on more time in exchange 4", adds(MORE_TIME, MORE_TIME)),
    Row("is agreed on by all who play", adds(replace(MORE_TIME, consents=BOTH[:1]))),
    Row("exchange 4 was on hold", adds(MORE_TIME, HELD)),
    Row("exchange 4 was on hold", adds(MORE_TIME, HELD, replace(act(4, "resume"), at=LATER))),
    Row("16 such entries stand in exchange 4", adds(LOOKS[0], *LOOKS)),
    Row(f"the game master acts {WAITS}", adds(act(3, "look", "gm"))),
    Row(f"the game master acts {WAITS}", adds(act(4, "look", "gm"), *resolved(4))),
    Row(f"the game master acts {WAITS}", adds(act(5, "look", "gm"), *AGAIN)),
    Row("roll-back 2 lacks consent: neither", adds(replace(act(4, "roll-back", "2"), consents=()))),
    Row("the game is not on hold", adds(act(4, "resume"))),
    Row("the game is on hold", adds(HELD, HELD)),
    Row(
        "bob has not been silent for 2",
        adds(replace(act(4, "claim", "bob"), consents=BOTH), received(player="bob")),
    ),
    Row("the game is on hold", adds(act(4, "outage"), HELD)),
    Row("mail has failed in exchange 7", adds(act(7, "claim", "bob"), *silent_in(), act(7, "outage"))),
    Row("does not wait past its deadline", adds(act(4, "outage"), CLOSED)),
    Row("does not wait past", adds(replace(act(4, "outage"), at=AT - timedelta(seconds=1)))),
    Row("does not wait past", adds(act(5, "outage"), *resolved(4), replace(opened(5), deadline=None))),
    Row("has an outage already", adds(act(4, "outage"), act(4, "outage"))),
    Row("there is no exchange 1 to roll back", adds(act(4, "roll-back", "1"))),
    Row("there is no exchange 4 to correct", adds(act(4, "correct", "4", "bid=E1"))),
    Row("the game has 4 exchanges at most", adds(CORRECT, genesis=FEW)),
    Row("is what the game is played by", adds(act(4, "go-on", "", f"rules={OLD}"))),
)

# -- new keys

KEYS = [generate(name).public for name in ("new", "newer", "newest")]


def key(number: int = 4, player: str = "alice", which: int = 0, **more: object) -> Rotation:
    """A seat gets a new key."""
    parts = {"at": AT, "old": "x", "key": KEYS[which].line, "text_sha256": "f" * 64} | more
    return Rotation(exchange=number, player=player, **parts)  # type: ignore[arg-type]


ANCHOR = Reveal("alice.1", 0, "a" * 64)
WRONG = Reveal("alice.3", 0, "a" * 64)
MINE = (("alice", "d" * 64),)
OTHERS = (("bob", "d" * 64),)
CHAINED = replace(
    GENESIS,
    players=tuple(replace(one, anchor="a" * 64, fingerprint=KEYS[2].fingerprint) for one in GENESIS.players),
)
SEAT = (
    Row(f"a key is replaced {WAITS}", adds(key(3))),
    Row(f"a key is replaced {WAITS}", adds(key(), *resolved(4))),
    Row(f"a key is replaced {WAITS}", adds(key(5), *AGAIN)),
    Row("carol does not play", adds(key(player="carol"))),
    Row("alice has had 2 new keys in this exchange", adds(key(which=2), key(), key(which=1))),
    Row("the judge's new key is a key and nothing else", adds(key(player="gm", person="dave"))),
    Row("the new key of alice lacks consent", adds(key(person="dave"))),
    Row("it gives no reason", adds(key(consents=MINE))),
    Row("a new key of alice is on its way already", adds(key(which=1), key(consents=OTHERS, reason="x"))),
    Row("the next chain of alice is alice.1, not alice.3", adds(key(anchor=WRONG))),
    Row("dave needs a chain", adds(key(person="dave", consents=MINE, reason="x"), genesis=CHAINED)),
    Row("nothing in it is new", adds(key(which=2), genesis=CHAINED)),
    Row("bob cannot take this seat", adds(key(person="bob", consents=MINE, reason="x", anchor=ANCHOR))),
)

# -- the end


def placed(last: Entry, **seats: str) -> Callable[[], object]:
    return lambda: game_places(last, seats or {"a": "alice", "b": "bob"})


END = (
    Row("the game is not over", placed(replace(CLOSED, extra=("x",)))),
    Row("the game is not over", placed(replace(OVER, first="under 4"))),
    Row("the game is not over", placed(replace(OVER, extra=()))),
    Row("does not place everybody", placed(replace(OVER, extra=("winner a", "places a")))),
)
ROWS = (*LEDGER, *SEAT)
FOLDERS = tuple(f"play/{name}.py" for name in ("history", "seats"))
