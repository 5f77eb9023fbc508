"""Attacks on order files: forged, replayed, exchanged, refused, invented, taken twice."""

from __future__ import annotations

from dataclasses import replace

from pbem.audit.findings import State
from pbem.trust import sealing, signature
from pbem.trust.chance import Reveal
from pbem.trust.entries import Open
from pbem.trust.identifiers import Namespace
from pbem.trust.orderfile import OrderFile
from pbem.trust.sealing import seal_signed, sealed_name
from tests.audit.attack import Bundle, Fresh, InExchange4, Scene, attack
from tests.audit.stage import GAME, Files, Stage, finish, key_of, otherwise, skirmish
from tests.trust.sealed import seal_orders


def _take(stage: Stage, orders: OrderFile, sealed: bytes, other: str = "bob") -> None:
    """The judge takes in a file that they should have refused, and goes on."""
    stage.take_in(orders, sealed)
    if other:
        stage.send(other)
    stage.resolve()


@attack("judge", audit="was made with the key", script="not signed by alice")
def orders_forged_by_the_judge(stage: InExchange4) -> None:
    """The judge writes orders for alice and signs them with a key of their own."""
    orders = stage.order_file("alice", "forced retreat all to Fife")
    _take(stage, orders, seal_orders(orders, key_of("gm")))


@attack("judge and player", audit="was made with the key", script="not signed by alice")
def orders_forged_by_the_opponent(stage: InExchange4) -> None:
    """Bob writes orders for alice and signs them; the judge looks away."""
    orders = stage.order_file("alice", "forced retreat all to Fife")
    _take(stage, orders, seal_orders(orders, key_of("bob")))


@attack("judge", audit="something in it was changed", script="not signed by alice")
def an_order_is_changed_under_its_signature(stage: InExchange4) -> None:
    """The judge opens alice's orders, changes a line, leaves her signature, and seals them again."""
    orders = stage.order_file("alice", "hits Douglas, rest")
    signed = signature.sign_text(key_of("alice"), Namespace.ORDERS, orders.text)
    forged = signed.replace(b"hits Douglas", b"hits Wallace")
    sealed = sealing.seal(sealing.pad(forged, sealing.ORDERS_UNIT), [orders.seal])
    _take(stage, replace(orders, body="hits Wallace, rest"), sealed)


@attack("judge", audit="the file is for exchange 3", script="exchange: expected 4, found 3")
def orders_of_another_exchange(scene: Scene, stage: InExchange4) -> None:
    """The judge seals alice's old orders anew and lets them count once more."""
    old = scene.skirmish.club.seal(GAME, 3, "alice").recipient
    orders = replace(stage.order_file("alice"), exchange=3, seal=old)
    seal = stage.order_file("alice").seal
    sealed = seal_signed(orders.text, key_of("alice"), Namespace.ORDERS, [seal], 8192)
    _take(stage, stage.order_file("alice"), sealed)


@attack("judge and player", audit="is not a ledger head", script="what it has seen is not a head")
def orders_in_a_form_of_their_own(stage: InExchange4) -> None:
    """Alice writes a number with a zero before it; such a file claims nothing, and the judge enters it."""
    orders = stage.order_file("alice")
    text = orders.text.replace(b"seen ", b"seen 0")
    _take(stage, orders, seal_signed(text, key_of("alice"), Namespace.ORDERS, [orders.seal], 8192))


@attack("judge", audit="the file is for game other", script="game: expected hearth, found other")
def orders_of_another_game(stage: InExchange4) -> None:
    """Alice plays two games with this judge; they let orders of the other one count here."""
    orders = stage.order_file("alice")
    _take(stage, orders, seal_orders(replace(orders, game="other"), key_of("alice")))


@attack("judge", audit="was made for 'pbem1-rotate'", script="not signed by alice")
def orders_signed_for_something_else(stage: InExchange4) -> None:
    """A text that alice signed as something else is entered as her orders."""
    orders = stage.order_file("alice")
    sealed = seal_signed(orders.text, key_of("alice"), Namespace.ROTATE, [orders.seal], 8192)
    _take(stage, orders, sealed)


@attack("judge", audit="but alice plays scotland", script="it does not count (wrong-side)")
def orders_for_the_other_side(stage: InExchange4) -> None:
    """Alice's file is for the other side."""
    orders = stage.order_file("alice")
    _take(stage, orders, seal_orders(replace(orders, side="england"), key_of("alice")))


@attack("judge", audit="the ledger is shorter", script="it does not count (bad-seen)")
def orders_that_have_seen_the_future(scene: Scene, stage: InExchange4) -> None:
    """The judge lets alice write her orders after the report, and enters them before it."""
    seen = scene.skirmish.order_file("alice").seen
    assert seen is not None
    orders = stage.order_file("alice", seen=replace(seen, size=seen.size + 40))
    _take(stage, orders, seal_orders(orders, key_of("alice")))


@attack("judge and player", audit="the exchange was opened by entry", script="it does not count (old-seen)")
def orders_that_have_not_seen_the_question(stage: InExchange4) -> None:
    """Alice co-signs an old head, so that the judge may rewrite what came since."""
    size = 24
    head = stage.held[f"checkpoint-{size:04d}.txt"].decode().split()[-1]
    seen = replace(stage.order_file("alice").seen, size=size, head=head)  # type: ignore[type-var]
    orders = stage.order_file("alice", seen=seen)
    _take(stage, orders, seal_orders(orders, key_of("alice")))


@attack("player", audit="reveals step 5, in exchange 4", script="it does not count (wrong-step)")
def orders_with_another_step(stage: InExchange4) -> None:
    """Alice reveals the step whose dice she likes better."""
    chain = stage.people["alice"].chain
    orders = stage.order_file("alice", reveal=Reveal("alice.1", 5, chain.reveal(5)))
    as_step_4 = replace(orders, reveal=Reveal("alice.1", 4, chain.reveal(5)))
    _take(stage, as_step_4, seal_orders(orders, key_of("alice")))


@attack("player", audit="does not lead back to step 3 of alice.1", script="does not lead back to step 3")
def orders_with_an_invented_step(stage: InExchange4) -> None:
    """Alice tries values until the dice please her."""
    orders = stage.order_file("alice", reveal=Reveal("alice.1", 4, "3" * 64))
    _take(stage, orders, seal_orders(orders, key_of("alice")))


@attack("player", audit="reveals no step of the player's chain", script="who contributed to exchange 4")
def orders_without_a_reveal(stage: InExchange4) -> None:
    """Alice orders, but keeps her step for herself."""
    orders = stage.order_file("alice", reveal=None)
    _take(stage, orders, seal_orders(orders, key_of("alice")))


@attack("mail", audit="the hash of sealed/", script="the hash of sealed/")
def a_sealed_file_is_exchanged(files: Bundle) -> None:
    """Another sealed file lies under the name of the one that was received."""
    first, second = sorted(name for name in files if name.startswith("sealed/"))[:2]
    files[first] = files[second]


@attack("mail", audit="incomplete: sealed/", script="incomplete: sealed/", state=State.MISSING)
def a_sealed_file_is_missing(files: Bundle) -> None:
    """Orders that the ledger names are left out of the bundle."""
    del files[next(name for name in sorted(files) if name.startswith("sealed/"))]


@attack("stranger", audit="was never received", script="was never received")
def a_sealed_file_is_slipped_in(scene: Scene, files: Bundle) -> None:
    """Orders that were never received lie among the others."""
    orders = scene.skirmish.order_file("alice")
    sealed = seal_orders(orders, key_of("alice"))
    files[f"sealed/{sealed_name(sealed)}.age"] = sealed


@attack(
    "judge",
    audit="the recipient of keys/exchange-2.alice.agekey",
    script="the recipient of keys/exchange-2.alice.agekey",
)
def a_seal_key_is_exchanged(files: Bundle) -> None:
    """A seal key of another exchange is disclosed, so that the orders seem not to open."""
    other = files["keys/exchange-3.alice.agekey"]
    files["keys/exchange-2.alice.agekey"] = other


@attack("judge", audit="the seal of bob in exchange 5", script="does not follow from its root")
def a_seal_key_of_another_root(stage: Fresh) -> Files:
    """The judge names recipients whose keys do not follow from the secret that they fixed in the genesis."""
    other = sealing.seal_key(bytes(32), GAME, 5, "bob")
    seals = ("alice", stage.club.seal(GAME, 5, "alice").recipient), ("bob", other.recipient)
    stage.crook = otherwise(Open, 5, seals=seals)
    skirmish(stage)
    finish(stage)
    files = stage.bundle()
    files["keys/exchange-5.bob.agekey"] = f"{other.identity}\n".encode()
    return files


@attack("judge", audit="valid orders of bob for exchange 4 were refused", script="it is valid")
def valid_orders_are_refused(stage: InExchange4) -> None:
    """The judge refuses bob's good orders as those of the other side, and lets bob count as silent."""
    stage.send("alice")
    stage.refuse(seal_orders(stage.order_file("bob"), key_of("bob")), "wrong-side")
    stage.wait(8)
    stage.resolve()


@attack("judge", audit="why sealed/", script="it had to be refused as wrong-side, not as old-seen")
def orders_are_refused_for_a_false_reason(stage: InExchange4) -> None:
    """A file was rightly refused, but not for the reason that the ledger names."""
    stage.refuse(seal_orders(stage.order_file("bob", side="scotland"), key_of("bob")), "old-seen")
    stage.go()


@attack("judge", audit="valid orders of bob for exchange 4 were refused", script="it is valid")
def orders_in_time_are_called_late(stage: InExchange4) -> None:
    """Bob's orders came in time; the judge enters that they were late, and lets bob count as silent."""
    stage.send("alice")
    stage.refuse(seal_orders(stage.order_file("bob"), key_of("bob")), "late")
    stage.wait(8)
    stage.resolve()


@attack(
    "judge", audit=("is not a file of bob for exchange 3: the signature was made"), script="not signed by bob"
)
def a_lateness_is_invented(stage: InExchange4) -> None:
    """The judge writes orders in bob's place, to be able to say that they came too late."""
    seal = stage.club.seal(GAME, 3, "bob").recipient
    orders = stage.order_file("bob", exchange=3, seal=seal, reveal=stage.people["bob"].reveal(3))
    stage.refuse(seal_orders(orders, key_of("gm")), "late", of=3)
    stage.go()


@attack("judge", audit="is not a file of bob for exchange 4: this", script="the sealed file does not open")
def a_refusal_is_invented(stage: InExchange4) -> None:
    """The judge enters that bob sent something useless, and shows a file that opens to nobody."""
    stranger = sealing.seal_key(bytes(32), GAME, 4, "bob").recipient
    stage.refuse(sealing.seal(b"nothing", [stranger]), "wrong-side")
    stage.go()


@attack(
    "judge", audit=("is not a file of bob for exchange 4: the signature was made"), script="not signed by bob"
)
def a_strangers_file_is_held_against_a_player(stage: InExchange4) -> None:
    """The judge enters a file that somebody else signed as one of bob's that had to be refused."""
    stage.refuse(seal_orders(stage.order_file("bob", side="scotland"), key_of("a stranger")), "wrong-side")
    stage.go()


@attack("judge", audit="no more files of bob may be entered", script="no more files of bob may be entered")
def more_refusals_than_anybody_can_have(stage: InExchange4) -> None:
    """The judge enters so many of bob's bad files that no good one fits beside them."""
    for rev in range(1, 18):
        orders = stage.order_file("bob", side="scotland", rev=rev)
        stage.refuse(seal_orders(orders, key_of("bob")), "wrong-side")
    stage.send("alice")
    stage.wait(8)
    stage.resolve()


@attack("judge", audit="sealed to another key", script="the sealed file does not open")
def a_receipt_is_invented(stage: InExchange4) -> None:
    """The judge enters orders that bob never sent: a file that opens to nobody."""
    stage.send("alice")
    stranger = sealing.seal_key(bytes(32), GAME, 4, "bob").recipient
    _take(stage, stage.order_file("bob"), sealing.seal(b"nothing", [stranger]), other="")


@attack("judge and player", audit="was received before", script="was received before")
def one_revision_is_taken_twice(stage: InExchange4) -> None:
    """Alice sends one revision twice with different orders; the judge enters both and picks one."""
    stage.send("alice")
    stage.send("alice", "forced retreat all to Fife")
    stage.send("bob")
    stage.resolve()


@attack("judge", audit="was received before", script="was received before")
def one_file_is_received_twice(stage: Fresh) -> None:
    """The judge enters a file of exchange 3 in exchange 4 once more."""
    skirmish(stage, last=2)
    orders = stage.order_file("alice")
    sealed = seal_orders(orders, key_of("alice"))
    stage.take_in(orders, sealed)
    stage.wait(8)
    stage.resolve()
    _take(stage, stage.order_file("alice"), sealed)


@attack("judge", audit="the revision of sealed/", script="rev: expected 3, found 1")
def a_revision_is_misnamed(stage: InExchange4) -> None:
    """The judge enters alice's first orders as her third, so that they beat the second."""
    orders = stage.order_file("alice")
    stage.take_in(replace(orders, rev=3), seal_orders(orders, key_of("alice")))
    stage.send("alice", rev=2)
    stage.send("bob")
    stage.resolve()
