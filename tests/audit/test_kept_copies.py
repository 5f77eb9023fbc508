"""A copy that went to everybody is held against all files that the ledger names."""

from __future__ import annotations

from tests.audit.stage import SEATS
from tests.refusals.audit_game import fresh, told
from tests.trust.sealed import seal_orders

CLAIM = "proven   the ledger has every order file that players sent to everybody"


def test_a_file_that_was_refused_is_in_the_ledger_too() -> None:
    stage = fresh()
    orders = stage.order_file("bob", side=SEATS["alice"])
    sealed = seal_orders(orders, stage.people["bob"].key)
    assert CLAIM not in told(stage.bundle("public"), held={"sealed/bob.age": sealed})
    stage.refuse(sealed, "wrong-side")
    assert CLAIM in told(stage.bundle("public"), held={"sealed/bob.age": sealed})
