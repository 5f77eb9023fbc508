"""What files are refused for: absences, profiles, joins, orders, letters, new keys, consents, drafts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from hashlib import sha256

from pbem.trust import orderfile, sealing
from pbem.trust.absence import Absence, read_absence, sign_absence
from pbem.trust.act_entries import Consent, parse_consent
from pbem.trust.chains import Reveal, parse_reveal
from pbem.trust.draft import parse_draft
from pbem.trust.joins import Join, read_join
from pbem.trust.keys import PrivateKey
from pbem.trust.letters import Foretold, Relayed, parse_report, read_foretold, read_relayed
from pbem.trust.namespaces import Namespace
from pbem.trust.orderfile import Standing, parse_seen
from pbem.trust.profile import Profile, read_profile, sign_profile
from pbem.trust.rotations import KeyChange, read_rotation, sign_rotation, verify_rotation
from pbem.trust.signature import sign_text
from tests.refusals.clauses import Row, changed
from tests.trust.test_acts import AT
from tests.trust.test_letters import CHECKPOINT, JUDGE, letter
from tests.trust.test_orderfile import ALICE, BOB, CHAIN, DUE, LATE, ORDERS

DAY = AT.date()
SHARE = Reveal("alice.1", 3, CHAIN.reveal(3))


def signed(read: Callable[[bytes], object]) -> Callable[[bytes], object]:
    """Alice signs what is read."""
    return lambda body: read(sign_text(ALICE, Namespace.ORDERS, body))


def by_judge(read: Callable[..., object], body: bytes) -> object:
    return read(sign_text(JUDGE, Namespace.REPORT, body), JUDGE.public)


ABSENCE = Absence(player="alice", judge=ALICE.public.fingerprint, begins=DAY, ends=DAY, made=AT)
PROFILE = Profile(player="alice", judge=ALICE.public.fingerprint, zone="Europe/London", made=AT)
JOIN = Join(
    game="hearth",
    player="alice",
    key=ALICE.public,
    anchor=Reveal("alice.1", 0, "a" * 64),
    recovery=BOB.public.fingerprint,
    share="alice@example.org",
)
FORMAT = "is not written as its format demands"
SIGNED = (
    Row("too long for an absence", partial(read_absence, bytes(2_049))),
    *changed(
        signed(read_absence),
        ABSENCE.text,
        ("pbem1 absence", "pbem1 absense", f"the absence {FORMAT}"),
        ("from ", "form ", f"the absence {FORMAT}"),
        ("SHA256:", "MD5:", "is not a fingerprint of a key"),
        ("player alice\n", "player alice\r\n", f"the absence {FORMAT}"),
        ("until 2026-05-03", "until 2026-05-02", "ends on 2026-05-02, before it begins"),
        ("until 2026-05-03", "until 2026-02-30", "'2026-02-30' is not a day; one is written like"),
        ("made 2026-05-03T", "made 2026-05-03 ", "is not a time; one is written"),
    ),
    Row("before it begins", lambda: sign_absence(replace(ABSENCE, ends=DAY.replace(day=1)), ALICE)),
    Row("too long for a profile", partial(read_profile, bytes(2_049))),
    *changed(
        signed(read_profile),
        PROFILE.text,
        ("pbem1 profile", "pbem1 profit", f"the profile {FORMAT}"),
        ("player alice\n", "", f"the profile {FORMAT}"),
        ("player alice\n", "player alice\nnote x\n", f"the profile {FORMAT}"),
        ("zone Europe/London\n", "", "names neither a zone nor an address"),
        ("Europe/London", "Europe//London", "names no time zone; one is written like"),
        ("zone Europe/London", "share alice", "'alice' is not a mail address"),
    ),
    Row("neither a zone nor", lambda: sign_profile(replace(PROFILE, zone=""), ALICE)),
    Row("too long for a join file", partial(read_join, bytes(4_097))),
    *changed(
        signed(read_join),
        JOIN.text,
        ("game hearth\n", "", "the join file has no line 'game'"),
        ("anchor alice.1 0", "anchor alice.1 1", "must be step 0 of the chain alice.1"),
        (
            f"recovery {BOB.public.fingerprint}",
            "recovery SHA256:x",
            "'SHA256:x' is not a fingerprint of a key",
        ),
        ("share alice@example.org", "share -", "shares an address or has no line 'share'"),
        (f"key {ALICE.public.line}", f"key {ALICE.public.line} ", f"the join file {FORMAT}"),
        ("pbem1 join", "pbem1 joint", "begins with 'pbem1 joint', not with 'pbem1 join'"),
        ("player alice\n", "player alice\nnote x\n", "has no place for 'note x'"),
        ("player alice\n", "player alice\nplayer alice\n", "has no place for 'player alice'"),
        ("game hearth", "game h\udcff", "the file is not utf-8 text"),
        ("player alice", "player gm", "cannot be a player's name"),
    ),
)

# -- orders

STANDING = Standing(
    takes=True,
    opened=15,
    head_at={15: "a" * 64, 14: "c" * 64}.get,
    known=Reveal("alice.1", 2, CHAIN.reveal(2)),
    after_close=False,
    revisions=frozenset(),
)


def counts(orders: orderfile.OrderFile = ORDERS, **standing: object) -> Callable[[], None]:
    return lambda: orderfile.check_counts(orders, DUE, replace(STANDING, **standing))  # type: ignore[arg-type]


def late(closed: int = 19, known: Reveal | None = STANDING.known) -> Callable[[], None]:
    return lambda: orderfile.check_late(LATE, closed, {19: "b" * 64}.get, known)


def sent(body: bytes) -> object:
    return orderfile.verify_orders(sign_text(ALICE, Namespace.ORDERS, body), DUE)


HEADLESS = ORDERS.text.partition(b"---\n")[0]
NUMBER = "is not a number from 1 to 999,999,999"
HEAD = "is not a ledger head; one is a number and 64 hex digits"
ORDER_FILES = (
    Row("takes no more orders", counts(takes=False)),
    Row("received before, with other content", counts(revisions=frozenset({1}))),
    Row("of alice is in force in exchange 3", counts(known=None)),
    Row("it is sent after the close", counts(after_close=True)),
    Row("the file does not say which ledger was seen", counts(replace(ORDERS, seen=None))),
    Row("15 entries; the ledger is shorter", counts(head_at={}.get)),
    Row("at entry 15, where this ledger has b", counts(head_at={15: "b" * 64}.get)),
    Row("the exchange was opened by entry 16", counts(opened=16)),
    Row("the file reveals no step", counts(replace(ORDERS, reveal=None))),
    Row("in exchange 3; both must be equal", counts(replace(ORDERS, reveal=replace(SHARE, step=4)))),
    Row("says side england, but alice plays scotland", counts(replace(ORDERS, side="england"))),
    Row("written to be sealed to", counts(replace(ORDERS, seal="age1"))),
    Row("exchange 3 is not closed", late(closed=0)),
    Row("no chain of alice is in force in exchange 3", late(known=None)),
    Row("bytes with its padding", partial(sent, ORDERS.text + b"\n" * sealing.LARGEST_ORDERS)),
    Row("the reveal is too long", partial(orderfile.parse_late_reveal, bytes(4_097))),
    Row("the file is empty", partial(orderfile.parse_orders, b"\n")),
    Row("has no line --- between its head", partial(orderfile.parse_orders, HEADLESS)),
    *changed(
        sent,
        ORDERS.text,
        ("game hearth", "game dunbar", "is for game dunbar; expected was game hearth"),
        ("exchange 3", "exchange 4", "is for exchange 4; expected was exchange 3"),
        ("pbem1 orders", "pbem1 order", "begins with 'pbem1 order', not with 'pbem1 orders'"),
        ("rev 1\n", "rev 1\nnote x\n", "line 7: the head of the file has no place for 'note x'"),
        ("rev 1\n", "rev 1\nrev 2\n", "line 7: rev stands in the head twice"),
        ("rev 1\n", "", "the head of the file has no line 'rev'"),
        ("rev 1\n", "rev 01\n", f"'01' {NUMBER}"),
        ("rev 1\n", "rev 0\n", f"'0' {NUMBER}"),
        ("rev 1\n", "rev 1000000000\n", f"'1000000000' {NUMBER}"),
        ("alice.1 3", "bob.1 3", "the file of alice reveals the chain bob.1"),
        ("move fife", "move\0fife", "it holds the byte 0"),
        ("move fife", "move \udcff", "not utf-8 text: line 1 holds other bytes"),
    ),
    *changed(
        lambda text: parse_seen(text.decode()), b"15 " + b"a" * 64, ("15 ", "015 ", HEAD), ("a", "A", HEAD)
    ),
    *changed(
        lambda text: parse_reveal(text.decode()),
        b"alice.1 3 " + b"a" * 64,
        ("a" * 64, "a" * 64 + " a", "is not a reveal; one is"),
        ("alice.1 3", "alice.1 03", "is not a reveal; one is"),
        ("alice.1 3", "alice.1 4097", "is not a reveal; one is"),
        ("aa", "a", "is not a reveal; one is"),
        ("alice.1 3", "alice 3", "'alice' names no chain"),
    ),
    *changed(
        lambda text: parse_draft(text.decode()),
        b"pbem1 orders\ngame hearth\nexchange 3\n---\nmove\n",
        ("pbem1 orders\n", "", "has no line 'pbem1 orders', with which orders begin"),
        ("game hearth", "note x", "line 2: 'note x' cannot stand above the line ---"),
        ("game hearth", "exchange 2", "line 3: exchange is given twice, and differs"),
        ("---\n", "", "cannot stand above the line ---"),
        ("---\nmove\n", "", "the file has no line --- between"),
        ("exchange 3", "exchange 03", "exchange '03' is not a number from 1"),
        ("exchange 3", "exchange 0", "exchange '0' is not a number from 1"),
        ("game hearth", "game hearth!", "'hearth!' is not a game name"),
    ),
)

# -- letters


REPORT = letter()
COPY = Relayed(game="hearth", exchange=3, player="alice", to="bob", armor="x\n")
TOLD = Foretold(game="hearth", exchange=3, player="alice", sealed="a" * 64, forecast="x\n")
ENTRIES = REPORT.entries
BESIDE = replace(REPORT, leaves=(), opened=(), beside=tuple(sha256(one).hexdigest() for one in ENTRIES))


def beside(text: bytes) -> object:
    """The letter names the text, whatever it is."""
    return replace(BESIDE, beside=(sha256(text).hexdigest(),)).with_entries((text,))


def of_report(text: bytes) -> object:
    return parse_report(text, JUDGE.public)


HEAD_OF = "the head of the report is not written as its format demands"
THERE = "cannot stand in the ledger part of a report"
LETTERS = (
    *changed(
        of_report,
        REPORT.text,
        ("pbem1 ledger", "pbem1 leger", f"the report {FORMAT}"),
        ("player alice\n", "", HEAD_OF),
        ("exchange 2", "exchange two", HEAD_OF),
        ("happened", "h\udcff", "the report is not utf-8 text"),
        ("proof ", "proof !", "is not base64"),
        ("leaf 1 ", "twig 1 ", THERE),
        ("\nleaf 2 ", " more\nleaf 2 ", THERE),
        (f"{CHECKPOINT}\n", "", "the report comes without a checkpoint"),
        (f"{CHECKPOINT}\n", f"{CHECKPOINT}\nproof eA==\n", THERE),
        (f"{CHECKPOINT}\n", f"{CHECKPOINT}\n{CHECKPOINT}\n", THERE),
        ("exchange 2\nplayer alice", "player alice\nexchange 2", f"the report {FORMAT}"),
    ),
    Row("must end with a line's end and", lambda: replace(REPORT, report="What happened").text),
    Row("not hold the line 'pbem1 ledger'", lambda: replace(REPORT, report="\npbem1 ledger\n").text),
    Row("not the entries that the letter names", lambda: BESIDE.with_entries(())),
    *changed(
        beside,
        ENTRIES[0],
        ("pbem1 entries", "pbem1 entry", "the entries beside the letter are not written as their"),
        (ENTRIES[0].decode()[-2:], "=", "the entries beside the letter are not written as their"),
        ("leaf 1 ", "leaf 01 ", THERE),
        ("\nentry 2 ", "\nentry 2 5", THERE),
        ("\nentry 2 ", "\n\nentry 2 ", THERE),
        ("leaf 1 ", "checkpoint 1 ", THERE),
        ("game hearth", "game other", "the entries beside the letter are not written as their"),
        ("\nleaf 2 ", " \nleaf 2 ", "the entries beside the letter are not written as their"),
    ),
    *changed(
        partial(by_judge, read_relayed),
        COPY.text,
        ("---\nx\n", "", "the head of the file has no place for ''"),
        ("to bob\n", "", f"the judge's copy {FORMAT}"),
        ("exchange 3", "exchange three", f"the judge's copy {FORMAT}"),
        ("pbem1 copy", "pbem1 kopy", "begins with 'pbem1 kopy'"),
    ),
    *changed(partial(by_judge, read_foretold), TOLD.text, ("sealed a", "sealed A", "names no sealed file")),
)

# -- new keys and consents

CHANGE = KeyChange(
    genesis="a" * 64,
    game="hearth",
    player="alice",
    exchange=4,
    old=ALICE.public.fingerprint,
    new=BOB.public.line,
    anchor=Reveal("alice.2", 0, "a" * 64),
)
NO_ROTATION = "this is not a rotation: its text and its signatures"
CONSENT = Consent(game="hearth", genesis="a" * 64, seen=(1, "a" * 64), exchange=4, by="alice", to="hold")


def proven(
    by: PrivateKey | None = ALICE, *, consented: bool = False, old: str = CHANGE.old
) -> Callable[[], None]:
    """A new key for which the old one has signed, or another, or none."""
    file = read_rotation(sign_rotation(CHANGE, by, BOB))
    return lambda: verify_rotation(file, old, None, consented=consented)


CHANGES = (
    *changed(
        read_rotation,
        sign_rotation(CHANGE, ALICE, BOB),
        ("anchor alice.2 0", "anchor alice.2 00", NO_ROTATION),
        ("exchange 4", "exchange 04", NO_ROTATION),
    ),
    Row(NO_ROTATION, partial(read_rotation, CHANGE.text)),
    Row("the key that counts is SHA256:x", proven(old="SHA256:x")),
    Row("either the signature of the old or recovery key, or consents", proven(None)),
    Row("either the signature of the old or recovery key, or consents", proven(consented=True)),
    Row("which is neither the old key nor the recovery key", proven(BOB)),
    *changed(
        parse_consent,
        CONSENT.text,
        ("exchange 4", "exchange 04", "this is not a consent; one has the lines"),
        ("to hold", "to hold\t", "this is not a consent; one has the lines"),
        (f"seen {CONSENT.seen[0]} ", "seen 0 ", "this is not a consent; one has the lines"),
    ),
)
ROWS = (*SIGNED, *ORDER_FILES, *LETTERS, *CHANGES)
