"""Attacks on games in which the reveals come after the close."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

from pbem.trust.entries import AFTER_CLOSE, Close
from pbem.trust.orderfile import LateReveal, Seen
from tests.audit.attack import Fresh, Late, Scene, attack
from tests.audit.stage import GAME, Stage, key_of, otherwise
from tests.trust.sealed import seal_late_reveal, seal_orders


def _closed(scene: Scene) -> Stage:
    """Exchange 3 of a game is closed, and reveals are due."""
    stage = scene.fresh(mode=AFTER_CLOSE)
    stage.go()
    stage.go(alice="card 3\nmove all from Fife to Mentieth\nplan any: fire\n", bob="card 2\nmove none\n")
    stage.send("alice")
    stage.send("bob")
    return stage


Closed = Annotated[Stage, _closed]


@attack("judge and player", audit="in this game orders carry no reveal", script="not count (early-reveal)")
def a_reveal_before_the_close(stage: Late) -> None:
    """Alice reveals in her orders, so that the judge can foresee half of the dice."""
    stage.go()
    early = stage.order_file("alice", reveal=stage.people["alice"].reveal(2))
    stage.take_in(replace(early, reveal=None), seal_orders(early, key_of("alice")))
    stage.send("bob")
    stage.close()
    stage.reveal("alice")
    stage.reveal("bob")
    stage.resolve()


@attack(
    "judge and player", audit="out of place: a revealed cannot stand here", script="no reveal of alice is due"
)
def a_reveal_where_orders_carry_them(stage: Fresh) -> None:
    """Alice has sent no orders and reveals after the close, in a game in which reveals come with orders."""
    stage.go()
    stage.send("bob")
    stage.wait(8)
    stage.close()
    stage.reveal("alice")
    stage.late.clear()
    stage.resolve()


@attack("judge", audit="was made with the key", script="the reveal of bob: not signed by bob")
def a_reveal_forged_by_the_judge(stage: Closed) -> None:
    """The judge, who knows bob's step from elsewhere, enters it as revealed by bob."""
    stage.close()
    stage.reveal("alice")
    seen = Seen(stage.book.size, stage.book.head)
    late = LateReveal(game=GAME, exchange=3, player="bob", seen=seen, reveal=stage.people["bob"].reveal(3))
    sealed = seal_late_reveal(late, key_of("gm"), stage.club.seal(GAME, 3, "bob").recipient)
    stage.take_in_reveal(late, sealed)
    stage.resolve()


@attack("judge and player", audit="the file has seen", script="it does not count (old-seen)")
def a_reveal_that_has_not_seen_the_close(stage: Closed) -> None:
    """Alice gives the judge her reveal while bob may still change orders."""
    early = Seen(stage.book.size, stage.book.head)
    stage.close()
    stage.reveal("alice", seen=early)
    stage.reveal("bob")
    stage.resolve()


@attack("player", audit="does not lead back to step 2 of alice.1", script="does not lead back to step 2")
def a_reveal_of_an_invented_step(stage: Closed) -> None:
    """Alice, who has seen bob's reveal, invents a step that makes better dice."""
    stage.close()
    stage.reveal("bob")
    stage.reveal("alice", reveal=replace(stage.people["alice"].reveal(3), value="4" * 64))
    stage.resolve()


@attack(
    "judge",
    audit="was resolved before its deadline, without the reveal of bob",
    script="was resolved before its deadline, without all reveals",
)
def a_reveal_that_was_not_waited_for(stage: Closed) -> None:
    """The judge resolves at once, because the dice without bob's reveal suit their friend."""
    stage.close()
    stage.reveal("alice")
    stage.resolve()
    stage.send("alice")


@attack("judge", audit="without a deadline for the reveals", script="it names no deadline for the reveals")
def reveals_without_a_deadline(stage: Closed) -> None:
    """The judge does not say until when they wait for reveals."""
    stage.crook = otherwise(Close, deadline=None)
    stage.close()
    stage.reveal("alice")
    stage.resolve()


@attack("judge", audit="was received twice in exchange 3", script="the reveal of alice was received before")
def a_reveal_is_received_twice(stage: Closed) -> None:
    """The judge enters one reveal twice."""
    stage.close()
    stage.reveal("alice")
    stage.reveal("alice")
    stage.reveal("bob")
    stage.resolve()
