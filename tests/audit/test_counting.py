"""Whether a file counted when it came is asked of each, received or refused, by the ledger as it was then."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from pbem.audit.bundle import Files
from pbem.audit.evidence import Evidence, check_keys, read_log
from pbem.audit.fairness import _labels
from pbem.audit.findings import Findings, Refuted
from pbem.audit.orders import _check_file, whose_orders
from pbem.play.history import Exchange
from pbem.trust.chance import Reveal
from pbem.trust.entries import AFTER_CLOSE, Received, Refused, Revealed
from pbem.trust.orderfile import Seen
from pbem.trust.sealing import sealed_name
from tests.audit.stage import GAME, SEATS, Stage
from tests.refusals.audit_game import fresh, told
from tests.trust.sealed import seal_orders

CLAIM = "proven   the ledger has every order file that players sent to everybody"
RIGHTLY = "every opened order file is its player's, and was rightly received or refused"
Parts = Callable[[Stage], dict[str, Any]]


def _reveal(name: str, step: int, value: str = "") -> Parts:
    def parts(stage: Stage) -> dict[str, Any]:
        chain = stage.people[name].chain
        return {"reveal": Reveal(chain.who, step, value or chain.reveal(step))}

    return parts


def _seen(more: int = 0, *, opened: bool = False, head: str = "") -> Parts:
    def parts(stage: Stage) -> dict[str, Any]:
        size = (stage.book.history.exchanges[-1].opened_at if opened else stage.book.size) + more
        return {"seen": Seen(size, head or stage.book.head_at(size) or "a" * 64)}

    return parts


def _kinds(name: str) -> dict[str, tuple[str, str, Parts]]:
    """What is sent -> the reason why it does not count, words that say so, and what it has otherwise."""
    other = next(side for player, side in SEATS.items() if player != name)
    return {
        "good": ("", "", lambda _: {}),
        "the same revision": ("rev-taken", "was received before, with other", lambda _: {"rev": 1}),
        "side": ("wrong-side", f"but {name} plays", lambda _: {"side": other}),
        "seen nothing": ("no-seen", "does not say which", lambda _: {"seen": None}),
        "seen the last": ("", "", _seen()),
        "seen the next": ("bad-seen", "the ledger is shorter", _seen(1)),
        "seen another": ("bad-seen", "where this ledger has", _seen(head="a" * 64)),
        "seen before it": (
            "old-seen",
            "has seen 23 entries; the exchange was opened by entry 24",
            _seen(-1, opened=True),
        ),
        "no step": ("no-reveal", "reveals no step", lambda _: {"reveal": None}),
        "the step before": ("wrong-step", "reveals step 1, in exchange 2", _reveal(name, 1)),
        "the next step": ("wrong-step", "reveals step 3, in exchange 2", _reveal(name, 3)),
        "an invented step": ("bad-reveal", "does not lead back to step 1", _reveal(name, 2, "3" * 64)),
        "seen the opening": ("", "", _seen(opened=True)),
    }


def _verdict(found: Evidence, stage: Stage, exchange: Exchange, entry: Received | Refused, name: str) -> str:
    """What the audit says of a file that it can open."""
    identity = stage.club.seal(GAME, 2, entry.player).identity
    try:
        assert _check_file(found, exchange, entry, name, {(2, entry.player): identity})
    except Refuted as refuted:
        return str(refuted)
    return ""


@pytest.mark.ci(but=("a few",))
@pytest.mark.parametrize("every", [True, False], ids=["all", "a few"])
def test_each_file_is_asked_whether_it_counted_when_it_came(every: bool) -> None:
    """Those that count may not be refused, those that do not may not be received."""
    kinds = {name: _kinds(name) for name in SEATS}
    whats = [what for what in kinds["alice"] if every or what in ("good", "side", "seen the opening")]
    stage, names, expected = fresh(), dict[str, str](), dict[str, str]()
    stage.go()

    def refuse(what: str, reason: str, said: str, of: int = 2, **parts: Any) -> None:
        sealed = seal_orders(stage.order_file("bob", **parts), stage.people["bob"].key)
        names[sealed_name(sealed)] = f"{what}, refused"
        expected[f"{what}, refused"] = said
        stage.refuse(sealed, reason, of=of)

    for rev, what in enumerate(whats, 1):
        _, expected[what], parts = kinds["alice"][what]
        names[stage.send("alice", "", **({"rev": rev} | parts(stage)))] = what
    stage.send("bob")
    for what in whats:
        reason, _, parts = kinds["bob"][what]
        changed: dict[str, Any] = {"rev": 2 - (what == "the same revision"), **parts(stage)}
        refuse(what, reason or "late", "" if reason else "valid orders of bob for exchange 2 were", **changed)
    late: dict[str, Any] = {
        "exchange": 2,
        "seal": stage.order_file("bob").seal,
        "reveal": stage.people["bob"].reveal(2),
    }
    stage.resolve()
    refuse("late", "late", "", **late)
    refuse("late, of another side", "wrong-side", "expected late", **late, rev=3, side=SEATS["alice"])
    found = read_log(Files(stage.bundle(), ()), Findings())
    check_keys(found)
    said = {
        names[entry.sealed]: _verdict(found, stage, exchange, entry, entry.sealed)
        for exchange in found.history.exchanges
        for entries in (exchange.received, exchange.refused)
        for entry in entries
        if entry.sealed in names
    }
    assert {what: bool(words) for what, words in said.items()} == {k: bool(v) for k, v in expected.items()}
    assert [what for what, words in expected.items() if words not in said[what]] == []
    assert {place: orders.rev for place, orders in found.opened.items()} == {(2, "alice"): len(whats)}


@pytest.mark.parametrize("kind", [Received, Refused, Revealed])
def test_a_file_that_is_named_by_the_hash_of_nothing_is_missing_or_no_orders(kind: Any) -> None:
    stage, name = fresh(mode=AFTER_CLOSE), sealed_name(b"")
    more: dict[Any, dict[str, Any]] = {
        Received: {"rev": 1},
        Refused: {"of": 1, "reason": "late"},
        Revealed: {},
    }
    stage.send("alice")
    if kind is Revealed:
        stage.close()
    with stage.club.store.step():
        stage.club.store.add_sealed(name, b"")
        stage.enter(kind(exchange=1, player="bob", at=stage.clock(), sealed=name, **more[kind]))
    stage.resolve()
    files = stage.bundle()
    assert f"refuted  {RIGHTLY}: " in told(files)
    del files[f"sealed/{name}.age"]
    said = told(files)
    assert f"incomplete: sealed/{name}.age is missing: " in said
    assert f"refuted  {RIGHTLY}: " in said


def test_a_copy_that_went_to_everybody_is_held_against_files_that_were_refused_too() -> None:
    stage = fresh()
    orders = stage.order_file("bob", side=SEATS["alice"])
    sealed = seal_orders(orders, stage.people["bob"].key)
    assert CLAIM not in told(stage.bundle("public"), held={"sealed/bob.age": sealed})
    stage.refuse(sealed, "wrong-side")
    assert CLAIM in told(stage.bundle("public"), held={"sealed/bob.age": sealed})


def test_a_label_is_free_from_when_its_exchange_is_void() -> None:
    def played(opened: int, label: str, voided: int = 0) -> SimpleNamespace:
        resolved = SimpleNamespace(dice=[SimpleNamespace(label=label)])
        return SimpleNamespace(opened_at=opened, voided_by=voided, resolved=resolved)

    exchanges = [played(2, "a", voided=9), played(5, "b", voided=9), played(10, "c")]
    found: Any = SimpleNamespace(history=SimpleNamespace(exchanges=exchanges))
    assert [used for _, used in _labels(found)] == [set(), {"a"}, set()]


def test_who_has_seen_all_of_a_ledger_could_sign_for_its_open_exchange() -> None:
    """By the judge's secrets, which a second official may have before the end."""
    stage = fresh()
    sealed = seal_orders(stage.order_file("bob"), stage.people["bob"].key)
    files = stage.bundle() | {"keys/roots": stage.book.roots.text}
    found = read_log(Files(files, ()), Findings())
    check_keys(found)
    assert whose_orders(found, sealed).startswith("orders of bob for exchange 1, revision 1")
