"""Who must have contributed, what may not come twice, what may be shown: the rule, with its claims."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pbem.trust.chance import DRAW_CHAIN, Die, Reveal, make_chain
from pbem.trust.entries import Entry, Received, Refused, Reported, Resolve, Revealed
from pbem.trust.faults import LedgerFault, OrderFileFault
from pbem.trust.orderfile import LateReveal, Seen, check_late
from pbem.trust.proof import (
    DICE,
    ONCE,
    SHARES,
    STEPS,
    TOLD,
    Fault,
    Shares,
    UniqueItems,
    again_faults,
    label_faults,
    prove_again,
    share_faults,
)

NAMES = ("gm", "alice", "bob", "carol")
CHAINS = {name: make_chain("hearth", f"{name}.1", name.encode().ljust(32)) for name in NAMES}


def reveal(name: str, step: int = 2) -> Reveal:
    return Reveal(f"{name}.1", step, CHAINS[name].reveal(step))


def known(who: str) -> Reveal | None:
    name = who.partition(".")[0]
    return reveal(name, 1) if who.endswith(".1") and name in CHAINS else None


ANY = reveal("gm")
ASKED = Shares(
    ledger="hearth",
    number=2,
    lines={"alice": "alice.1", "bob": "bob.1", "carol": "carol.1"},
    able={"alice", "bob"},
    sent={"alice", "carol"},
    known=known,
)
"""Alice has sent; of bob nothing came; carol has sent, but no chain of hers is in force."""
RIGHT = Resolve(
    exchange=2, reveals=(reveal("gm"), reveal("alice")), absent=("bob.1", "carol.1"), mix="0" * 64
)


def test_what_is_right_has_no_fault() -> None:
    assert list(share_faults(ASKED, RIGHT)) == []
    assert list(share_faults(replace(ASKED, signed={"alice": reveal("alice")}), RIGHT)) == []


def shown(*reveals: Reveal, absent: tuple[str, ...] = ("bob.1", "carol.1")) -> Resolve:
    return replace(RIGHT, reveals=reveals, absent=absent)


@pytest.mark.parametrize(
    ("resolve", "claim", "text"),
    [
        (shown(reveal("gm"), absent=("alice.1", "bob.1", "carol.1")), SHARES, "alice is left out"),
        (shown(reveal("alice")), SHARES, "gm.1 is left out"),
        (shown(*RIGHT.reveals, reveal("bob"), absent=("carol.1",)), SHARES, "bob stands there"),
        (shown(*RIGHT.reveals, reveal("carol"), absent=("bob.1",)), SHARES, "carol stands there"),
        (shown(*RIGHT.reveals, absent=()), SHARES, "expected bob.1, carol.1, found nobody"),
        (shown(*RIGHT.reveals, absent=("bob.1", "carol.1", "dan.1")), SHARES, "found bob.1, carol.1, dan.1"),
        (shown(reveal("gm"), reveal("alice", 3)), STEPS, "alice.1 reveals: expected 2, found 3"),
        (
            shown(reveal("gm"), replace(reveal("alice"), value="7" * 64)),
            STEPS,
            "does not lead back to step 1",
        ),
        (shown(*RIGHT.reveals, Reveal("alice.2", 2, "7" * 64)), STEPS, "alice.2, which is not a chain"),
        (shown(*RIGHT.reveals, Reveal(DRAW_CHAIN, 2, "7" * 64)), STEPS, "gm-secret.1, which is not a chain"),
    ],
)
def test_a_fault_is_named_with_its_claim(resolve: Resolve, claim: str, text: str) -> None:
    found = [fault for fault in share_faults(ASKED, resolve) if text in fault.text]
    assert [fault.claim for fault in found] == [claim]


def test_the_judges_secret_chain_is_never_shown_though_its_anchor_is_known() -> None:
    secret = make_chain("hearth", DRAW_CHAIN, b"s" * 32)
    asked = replace(
        ASKED, known=lambda who: Reveal(who, 0, secret.anchor) if who == DRAW_CHAIN else known(who)
    )
    resolve = shown(*RIGHT.reveals, Reveal(DRAW_CHAIN, 2, secret.reveal(2)))
    assert STEPS in [fault.claim for fault in share_faults(asked, resolve)]


def test_all_that_is_wrong_is_named_in_order() -> None:
    """Two are left out, and two stand there of whom nothing was due; a league's step is its own."""
    fixed = {"alice.1": reveal("alice", 7).value, "bob.1": reveal("bob").value}
    asked = replace(ASKED, sent={"alice"}, able={"alice", "bob"}, fixed=fixed)
    found = share_faults(asked, shown(reveal("bob"), reveal("carol"), absent=("gm.1",)))
    who, nothing = "who contributed to exchange 2", "stands there, of whom no step was due"
    assert list(found) == [
        Fault(SHARES, f"{who}: alice is left out, whose file was received"),
        Fault(SHARES, f"{who}: gm.1 is left out"),
        Fault(SHARES, f"{who}: bob {nothing}"),
        Fault(SHARES, f"{who}: carol {nothing}"),
        Fault(SHARES, "who is absent in exchange 2: expected bob.1, carol.1, found gm.1"),
    ]
    value = reveal("alice").value
    (fault,) = share_faults(asked, RIGHT)
    assert fault == Fault(
        STEPS, f"what alice.1 contributes to exchange 2: expected {fixed['alice.1']}, found {value}"
    )
    sent = replace(asked, fixed={"alice.1": value}, known=lambda who: replace(known(who) or ANY, value=value))
    assert [fault.text for fault in share_faults(sent, shown(reveal("alice")))] == [
        f"{who}: gm.1 is left out"
    ]


@pytest.mark.parametrize("signed", [None, replace(reveal("alice"), value="7" * 64)])
def test_the_step_is_the_one_that_was_signed(signed: Reveal | None) -> None:
    text = "the reveal of alice.1 in exchange 2 is not the one they signed"
    assert list(share_faults(replace(ASKED, signed={"alice": signed}), RIGHT)) == [Fault(SHARES, text)]


def test_what_is_played_again_reveals_nothing_and_has_the_mix_of_its_source() -> None:
    source, again = RIGHT, replace(RIGHT, exchange=3, reveals=(), absent=())
    assert list(again_faults(again)) == []
    prove_again(again, source)
    assert [fault.claim for fault in again_faults(replace(again, absent=("bob.1",)))] == [SHARES]
    with pytest.raises(LedgerFault, match="its mix is 1111"):
        prove_again(replace(again, mix="1" * 64), source)
    with pytest.raises(LedgerFault, match="and yet reveals something"):
        prove_again(replace(again, reveals=(reveal("gm"),)), source)
    with pytest.raises(LedgerFault, match="used twice"):
        prove_again(replace(again, dice=(Die(2, 6, "a/b", 1),)), source, {"a/b"})


def test_no_label_falls_twice_or_for_another_exchange() -> None:
    one, two = Die(2, 6, "a/b", 1), Die(2, 6, "a/c", 2)
    assert list(label_faults(replace(RIGHT, dice=(one, two)), 2, {"a/d"})) == []
    for dice, used in (((one, one), set()), ((one,), {"a/b"}), ((replace(one, exchange=1),), set())):
        assert [fault.claim for fault in label_faults(replace(RIGHT, dice=dice), 2, used)] == [DICE]


FILE = Received(exchange=1, player="alice", rev=1, sealed="a" * 64)
LATE = Refused(exchange=2, player="alice", of=1, sealed="b" * 64, reason="late")
STEP = Revealed(exchange=1, player="alice", sealed="c" * 64)
REPORT = Reported(exchange=1, audience="north", sha256="d" * 64)


@pytest.mark.parametrize(
    ("entry", "claim"),
    [
        (FILE, ONCE),
        (replace(FILE, rev=2), ONCE),
        (replace(FILE, sealed="e" * 64), ONCE),
        (replace(FILE, exchange=2), ONCE),
        (replace(FILE, exchange=2, sealed="b" * 64), ONCE),
        (LATE, ONCE),
        (replace(LATE, sealed="a" * 64), ONCE),
        (replace(STEP, sealed="e" * 64), ONCE),
        (replace(REPORT, sha256="e" * 64), TOLD),
    ],
)
def test_nothing_comes_twice(entry: Entry, claim: str) -> None:
    faults = list(UniqueItems([FILE, LATE, STEP, REPORT]).faults(entry))
    assert {fault.claim for fault in faults} == {claim}


@pytest.mark.parametrize(
    "entry",
    [
        replace(FILE, rev=2, sealed="e" * 64),
        replace(FILE, player="bob", sealed="e" * 64),
        replace(FILE, exchange=2, sealed="e" * 64),
        replace(LATE, sealed="e" * 64),
        replace(STEP, player="bob"),
        replace(STEP, exchange=2),
        replace(REPORT, audience="south"),
        replace(REPORT, exchange=2),
        RIGHT,
        None,
    ],
)
def test_what_differs_may_come(entry: Entry | None) -> None:
    assert list(UniqueItems([FILE, LATE, STEP, REPORT]).faults(entry)) == []


def test_a_reveal_after_the_close_has_seen_it_and_shows_the_next_step() -> None:
    late = LateReveal(
        game="hearth", exchange=2, player="alice", seen=Seen(5, "5" * 64), reveal=reveal("alice")
    )
    heads = {4: "4" * 64, 5: "5" * 64}
    check_late(late, 5, heads.get, known("alice.1"))
    for closed, anchored, why in (
        (0, known("alice.1"), "exchange 2 is not closed"),
        (6, known("alice.1"), "the exchange was opened by entry 6"),
        (5, None, "no chain of alice is in force in exchange 2"),
        (5, reveal("alice"), "step 2 of alice.1 is known already"),
    ):
        with pytest.raises(Exception, match=why):
            check_late(late, closed, heads.get, anchored)
    with pytest.raises(OrderFileFault, match="reveals step 3"):
        check_late(replace(late, reveal=reveal("alice", 3)), 5, heads.get, known("alice.1"))
