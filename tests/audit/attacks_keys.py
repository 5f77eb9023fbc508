"""Attacks with new keys: forged, stolen, too early, not shown."""

from __future__ import annotations

from pbem.trust.orderfile import seal_orders
from tests.audit.attack import Exhibit, Scene, attack
from tests.audit.stage import Stage, key_of, skirmish

NEW = key_of("alice 2")


def _in_exchange_3(scene: Scene) -> Stage:
    stage = scene.fresh()
    skirmish(stage, last=2)
    return stage


@attack("judge", audit="is signed by", script="neither by the old key of alice nor by the recovery key")
def a_new_key_forged_by_the_judge(scene: Scene) -> Exhibit:
    """The judge gives alice a new key that he holds, and signs for her old one."""
    stage = _in_exchange_3(scene)
    stage.rotate("alice", NEW, key_of("gm"), NEW)
    stage.go()
    return Exhibit(files=stage.bundle())


@attack("player", audit="is signed by", script="neither by the old key of alice nor by the recovery key")
def a_new_key_from_another_players_recovery_key(scene: Scene) -> Exhibit:
    """Bob replaces alice's key with one of his, signed with his own recovery key."""
    stage = _in_exchange_3(scene)
    stage.rotate("alice", NEW, stage.people["bob"].recovery, NEW)
    stage.go()
    return Exhibit(files=stage.bundle())


@attack("player", audit="was made with the key", script="is not signed by the new key of alice")
def a_new_key_that_is_somebody_elses(scene: Scene) -> Exhibit:
    """Alice names a key that she does not hold, to say later that its owner ordered for her."""
    stage = _in_exchange_3(scene)
    stage.rotate("alice", key_of("carol"), stage.people["alice"].key, stage.people["alice"].key)
    return Exhibit(files=stage.bundle())


@attack("stranger", audit="was made with the key", script="not signed by alice")
def orders_signed_with_a_key_that_was_replaced(scene: Scene) -> Exhibit:
    """A thief has alice's old key; she has replaced it, and he orders for her in the next exchange."""
    stage = _in_exchange_3(scene)
    old = stage.people["alice"].key
    stage.rotate("alice", NEW, stage.people["alice"].recovery, NEW)
    stage.go()
    orders = stage.order_file("alice")
    stage.take_in(orders, seal_orders(orders, old))
    stage.send("bob")
    stage.resolve()
    return Exhibit(files=stage.bundle())


@attack("judge and player", audit="was made with the key", script="not signed by alice")
def orders_signed_with_a_key_before_its_time(scene: Scene) -> Exhibit:
    """Alice's new key counts from the next exchange on; the judge lets it count at once."""
    stage = _in_exchange_3(scene)
    stage.rotate("alice", NEW, stage.people["alice"].key, NEW)
    orders = stage.order_file("alice")
    stage.take_in(orders, seal_orders(orders, NEW))
    stage.send("bob")
    stage.resolve()
    return Exhibit(files=stage.bundle())


@attack("judge", audit="is not what the rotations in the ledger give", script="is not who signs then")
def a_new_key_is_not_shown(scene: Scene) -> Exhibit:
    """The ledger names a new key, and the bundle lets the old one count on."""
    stage = _in_exchange_3(scene)
    stage.rotate("alice", NEW, stage.people["alice"].key, NEW)
    stage.go()
    files = stage.bundle()
    return Exhibit(files=files | {"keys/allowed_signers.from-4": files["keys/allowed_signers"]})


@attack("mail", audit="rotations/", script="is missing, or is not what alice signs")
def a_rotation_is_missing(scene: Scene) -> Exhibit:
    """What was signed for a new key is left out."""
    stage = _in_exchange_3(scene)
    stage.rotate("alice", NEW, stage.people["alice"].key, NEW)
    files = stage.bundle()
    return Exhibit(files={name: data for name, data in files.items() if not name.startswith("rotations/")})
