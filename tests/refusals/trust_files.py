"""What files are refused for: absences, profiles, joins, orders, letters, new keys, consents, drafts."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from functools import partial
from hashlib import sha256

from pbem.trust import orderfile, sealing
from pbem.trust.act_entries import Consent, parse_consent
from pbem.trust.chance import Reveal, parse_reveal
from pbem.trust.fields import read_signed, sign_fields
from pbem.trust.identifiers import Namespace
from pbem.trust.keys import PrivateKey
from pbem.trust.letters import ForecastLetter, OrdersCopy, parse_report, read_copy, read_forecast
from pbem.trust.orderfile import Standing, parse_draft, parse_seen
from pbem.trust.player_statements import (
    Absence,
    FetchKey,
    Join,
    Profile,
    check_push,
    check_webhook,
    read_avoided,
    read_join,
    read_paces,
    sign_fetch_key,
)
from pbem.trust.post_box import (
    BoxLetter,
    BoxRequest,
    Deed,
    check_box_url,
    read_box_letter,
    read_request,
    sign_box_letter,
    sign_request,
    verify_request,
)
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
FETCH_KEY = FetchKey(player="alice", judge=ALICE.public.fingerprint, key=BOB.public, made=AT)
FORMAT = "is not written as its format demands"
SIGNED = (
    Row("too long for an absence", partial(read_signed, Absence, bytes(2_049))),
    *changed(signed(partial(read_signed, Absence)), ABSENCE.text, like="absence"),
    Row("before it begins", lambda: sign_fields(replace(ABSENCE, ends=DAY.replace(day=1)), ALICE)),
    Row("too long for a profile", partial(read_signed, Profile, bytes(2_049))),
    *changed(signed(partial(read_signed, Profile)), PROFILE.text, like="profile"),
    Row("no wish to publish", lambda: sign_fields(replace(PROFILE, zone=""), ALICE)),
    Row("mails must be yes or no, not 'never'", lambda: sign_fields(replace(PROFILE, mails="never"), ALICE)),
    Row("does not say when mails come", lambda: read_paces("game=now,game=none")),
    Row("does not say when mails come", lambda: read_paces("chess=now")),
    Row("does not say when mails come", lambda: read_paces("game=often")),
    Row("not the address of a webhook", lambda: check_webhook("http://a.example/")),
    Row("not the address of a webhook", lambda: check_webhook("https://a.example/" + "a" * 500)),
    Row("does not say whom you will not play", lambda: read_avoided("bob,bob")),
    Row("each player once, 15 at most", lambda: read_avoided(",".join(f"p{n}" for n in range(16)))),
    Row("alice cannot avoid alice", lambda: sign_fields(replace(PROFILE, avoid="bob,alice"), ALICE)),
    Row("not the address of a device", lambda: check_push("http://a.example/")),
    Row("too long for a fetch key", partial(read_signed, FetchKey, bytes(2_049))),
    *changed(signed(partial(read_signed, FetchKey)), FETCH_KEY.text, like="fetch-key"),
    Row("must not be the one that", lambda: sign_fetch_key(replace(FETCH_KEY, key=ALICE.public), ALICE)),
    Row("too long for a join file", partial(read_join, bytes(4_097))),
    *changed(
        signed(read_join),
        JOIN.text,
        (
            f"recovery {BOB.public.fingerprint}",
            "recovery SHA256:x",
            "'SHA256:x' is not a fingerprint of a key",
        ),
        (f"key {ALICE.public.line}", f"key {ALICE.public.line} ", f"the join file {FORMAT}"),
        ("game hearth", "game h\udcff", "the file is not utf-8 text"),
        like="join",
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
    Row("bytes with its padding", partial(sent, ORDERS.text + b"\n" * sealing.MAX_ORDERS_SIZE)),
    Row("the reveal is too long", partial(orderfile.parse_late_reveal, bytes(4_097))),
    Row("the file is empty", partial(orderfile.parse_orders, b"\n")),
    Row("has no line --- between its head", partial(orderfile.parse_orders, HEADLESS)),
    *changed(
        sent,
        ORDERS.text,
        ("move fife", "move \udcff", "not utf-8 text: line 1 holds other bytes"),
        like="orders",
    ),
    *changed(lambda text: parse_seen(text.decode()), b"15 " + b"a" * 64, like="seen"),
    *changed(lambda text: parse_reveal(text.decode()), b"alice.1 3 " + b"a" * 64, like="reveal"),
    *changed(
        lambda text: parse_draft(text.decode()),
        b"pbem1 orders\ngame hearth\nexchange 3\n---\nmove\n",
        like="draft",
    ),
)

# -- letters


REPORT = letter()
COPY = OrdersCopy(game="hearth", exchange=3, player="alice", to="bob", armor="x\n")
TOLD = ForecastLetter(game="hearth", exchange=3, player="alice", sealed="a" * 64, forecast="x\n")
ENTRIES = REPORT.entries
BESIDE = replace(REPORT, leaves=(), opened=(), beside=tuple(sha256(one).hexdigest() for one in ENTRIES))


def beside(text: bytes) -> object:
    """The letter names the text, whatever it is."""
    return replace(BESIDE, beside=(sha256(text).hexdigest(),)).with_entries((text,))


def of_report(text: bytes) -> object:
    return parse_report(text, JUDGE.public)


THERE = "cannot stand in the ledger part of a report"
LETTERS = (
    *changed(
        of_report,
        REPORT.text,
        ("happened", "h\udcff", "the report is not utf-8 text"),
        (f"{CHECKPOINT}\n", "", "the report comes without a checkpoint"),
        (f"{CHECKPOINT}\n", f"{CHECKPOINT}\nproof eA==\n", THERE),
        (f"{CHECKPOINT}\n", f"{CHECKPOINT}\n{CHECKPOINT}\n", THERE),
        like="report",
    ),
    Row("must end with a line's end and", lambda: replace(REPORT, report="What happened").text),
    Row("not hold the line 'pbem1 ledger'", lambda: replace(REPORT, report="\npbem1 ledger\n").text),
    Row("not the entries that the letter names", lambda: BESIDE.with_entries(())),
    *changed(beside, ENTRIES[0], like="beside"),
    *changed(partial(by_judge, read_copy), COPY.text, like="relayed"),
    *changed(partial(by_judge, read_forecast), TOLD.text, like="foretold"),
)

# -- post boxes

BOX = "https://box.club.example/"
BOX_LETTER = BoxLetter(game="hearth", url=BOX, made=AT)
ASKED = BoxRequest(key=ALICE.public.fingerprint, box=BOX, time=AT, deed=Deed.FETCH, body="a" * 64)


def asked(body: bytes) -> object:
    """Alice signs what she asks of a box."""
    return read_request(b64encode(sign_text(ALICE, Namespace.BOX, body)).decode())


def answered(request: BoxRequest = ASKED, key: PrivateKey = ALICE) -> Callable[[], object]:
    """Return a look of the box at what is asked for."""
    return lambda: verify_request(sign_request(request, key), Deed.FETCH, BOX, "a" * 64, AT)


BOXES = (
    Row("is not the address of a post box", partial(check_box_url, f"https://{'a' * 200}.example/")),
    Row("is not the address of a post box", partial(check_box_url, "https://a.example")),
    Row("Pbem-Request is too long", partial(read_request, "A" * 2_052)),
    Row("Pbem-Request is not base64", partial(read_request, "%")),
    *changed(asked, ASKED.text, like="box-request"),
    Row("another key than the one that signed it", answered(key=BOB)),
    Row("meant for another box", answered(replace(ASKED, box="https://a.example/"))),
    Row("signed to post, not to fetch", answered(replace(ASKED, deed=Deed.POST))),
    Row("signed for another body", answered(replace(ASKED, body="b" * 64))),
    Row("and the box's clock says", answered(replace(ASKED, time=AT + timedelta(minutes=6)))),
    *changed(partial(by_judge, read_box_letter), BOX_LETTER.text, like="box-letter"),
    Row("a box is not written as", lambda: by_judge(read_box_letter, replace(BOX_LETTER, push="x").text)),
    Row("is not the address of a post box", lambda: sign_box_letter(replace(BOX_LETTER, url="x"), JUDGE)),
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
    *changed(read_rotation, sign_rotation(CHANGE, ALICE, BOB), like="rotation"),
    Row(NO_ROTATION, partial(read_rotation, CHANGE.text)),
    Row("the key that counts is SHA256:x", proven(old="SHA256:x")),
    Row("either the signature of the old or recovery key, or consents", proven(None)),
    Row("either the signature of the old or recovery key, or consents", proven(consented=True)),
    Row("which is neither the old key nor the recovery key", proven(BOB)),
    *changed(parse_consent, CONSENT.text, like="consent"),
)
ROWS = (*SIGNED, *ORDER_FILES, *LETTERS, *BOXES, *CHANGES)
