"""Attacks with new keys, chains and persons: forged, stolen, too early, without consent, not shown."""

from __future__ import annotations

from dataclasses import replace

from pbem.audit.findings import State
from pbem.play.seats import Seats
from pbem.trust.act_entries import Consent, sign_consent
from pbem.trust.rotations import Rotation
from tests.audit.attack import Exhibit, Scene, attack
from tests.audit.stage import GAME, Stage, chain_of, key_of, skirmish
from tests.trust.sealed import seal_orders

NEW = key_of("alice 2")


def _in_exchange_3(scene: Scene) -> Stage:
    stage = scene.fresh()
    skirmish(stage, last=2)
    return stage


@attack("judge", audit="is signed by", script="neither by the old key of alice nor by the recovery key")
def a_new_key_forged_by_the_judge(scene: Scene) -> Exhibit:
    """The judge gives alice a new key that they hold, and signs for her old one."""
    stage = _in_exchange_3(scene)
    stage.rotate("alice", NEW, key_of("gm"), NEW)
    stage.go()
    return Exhibit(files=stage.bundle())


@attack("player", audit="is signed by", script="neither by the old key of alice nor by the recovery key")
def a_new_key_from_another_players_recovery_key(scene: Scene) -> Exhibit:
    """Bob replaces alice's key with another, signed with bob's recovery key."""
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


@attack("judge", audit="the text of the rotation", script="is not what alice signs")
def a_new_key_of_another_game(scene: Scene) -> Exhibit:
    """Alice has replaced her key in another club's game of the same name; the judge lets it count here."""
    stage = _in_exchange_3(scene)
    alice = stage.people["alice"]
    stage.rotate("alice", NEW, alice.key, NEW, genesis="e" * 64)
    return Exhibit(files=stage.bundle())


@attack("stranger", audit="was made with the key", script="not signed by alice")
def orders_signed_with_a_key_that_was_replaced(scene: Scene) -> Exhibit:
    """A thief has alice's old key; she has replaced it, and they order for her in the next exchange."""
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


@attack("mail", audit="incomplete: rotations/", script="incomplete: rotations/", state=State.MISSING)
def a_rotation_is_missing(scene: Scene) -> Exhibit:
    """What was signed for a new key is left out."""
    stage = _in_exchange_3(scene)
    stage.rotate("alice", NEW, stage.people["alice"].key, NEW)
    files = stage.bundle()
    return Exhibit(files={name: data for name, data in files.items() if not name.startswith("rotations/")})


class Hasty(Seats):
    """The seats of a judge who lets a new chain count at once."""

    def chain_of(self, player: str, exchange: int) -> str | None:
        """The newest chain."""
        return self.line_of(player, exchange)

    def line_of(self, player: str, exchange: int) -> str:
        """The newest chain."""
        new = [one.anchor.who for one in self.of(player) if one.anchor and one.exchange < exchange]
        return new[-1] if new else Seats.line_of(self, player, exchange)


@attack(
    "judge and player",
    audit="no chain of alice is in force in exchange 4",
    script="who contributed to exchange 4 is not who sent: alice",
)
def a_chain_before_its_time(scene: Scene) -> Exhibit:
    """Alice makes a chain that suits the dice, and the judge lets it count in the very next exchange."""
    stage = _in_exchange_3(scene)
    seats = stage.book.history.seats
    stage.book.history.seats = Hasty(seats.genesis)
    alice = stage.people["alice"]
    stage.rotate("alice", alice.key, alice.key, alice.key, chain=chain_of("alice.2"))
    stage.next_chains = {(4, "alice"): chain_of("alice.2")}
    stage.go()
    stage.go()
    return Exhibit(files=stage.bundle())


@attack(
    "judge and player",
    audit="the next chain of alice is alice.2",
    script="the next chain of alice is alice.2",
)
def a_chain_out_of_turn(scene: Scene) -> Exhibit:
    """Alice announces her third chain while she still has the first: a spare one, to choose from."""
    stage = _in_exchange_3(scene)
    alice = stage.people["alice"]
    stage.rotate("alice", alice.key, alice.key, alice.key, chain=chain_of("alice.3"))
    return Exhibit(files=stage.bundle())


@attack("judge", audit="lacks consent: alice has not consented", script="lacks consent")
def a_player_replaced_without_consent(scene: Scene) -> Exhibit:
    """The judge gives alice's seat to a friend of theirs."""
    stage = _in_exchange_3(scene)
    carol = key_of("carol")
    stage.rotate("alice", carol, key_of("gm"), carol, chain=chain_of("alice.2"), person="carol")
    return Exhibit(files=stage.bundle())


@attack("judge", audit="was made with the key", script="is not signed by bob")
def a_player_replaced_with_a_forged_consent(scene: Scene) -> Exhibit:
    """The judge gives alice's seat to a friend, and signs bob's consent in bob's place."""
    stage = _in_exchange_3(scene)
    carol = key_of("carol")
    stage.rotate("alice", carol, None, carol, chain=chain_of("alice.2"), person="carol", bob=key_of("gm"))
    return Exhibit(files=stage.bundle())


@attack("judge", audit="what bob consented to", script="is not what bob consents to")
def a_consent_to_another_new_key(scene: Scene) -> Exhibit:
    """Bob consented to a new key of alice's own; the judge uses it for that of a friend."""
    bob, carol = key_of("bob"), key_of("carol")
    stage = _in_exchange_3(scene)
    head = str(stage.book.head_at(1))
    other = Consent(
        game=GAME, genesis=head, seen=(1, head), exchange=3, by="bob", to=f"rotate alice {'0' * 64}"
    )
    stage.crook = lambda entry: (
        (replace(entry, consents=(("bob", other.given),)) if isinstance(entry, Rotation) else entry),
    )
    stage.club.store.add_sealed(other.sha256, sign_consent(other, bob))
    stage.rotate("alice", carol, None, carol, chain=chain_of("alice.2"), person="carol", bob=bob)
    return Exhibit(files=stage.bundle())


@attack("judge and player", audit="was made with the key", script="not signed by alice")
def a_key_by_consent_before_its_time(scene: Scene) -> Exhibit:
    """Bob consents to a new key of alice's seat, and the judge lets it count one exchange too early."""
    stage = _in_exchange_3(scene)
    stage.rotate("alice", NEW, None, NEW, bob=key_of("bob"))
    stage.go()
    orders = stage.order_file("alice")
    stage.take_in(orders, seal_orders(orders, NEW))
    stage.send("bob")
    stage.resolve()
    return Exhibit(files=stage.bundle())


@attack(
    "judge and player", audit="exchange 3 was closed before its deadline", script="closed before its deadline"
)
def a_seat_given_away_to_play_at_once(scene: Scene) -> Exhibit:
    """Bob and the judge give away the seat of alice, who has sent for exchange 2, and do not wait for her."""
    stage = _in_exchange_3(scene)
    carol = key_of("carol")
    bob = key_of("bob")
    stage.rotate("alice", carol, None, carol, chain=chain_of("alice.2"), person="carol", bob=bob)
    stage.send("bob")
    stage.resolve()
    return Exhibit(files=stage.bundle())


@attack("player", audit="neither the old key nor the recovery key", script="neither by the old key of alice")
def a_seat_taken_back_with_the_recovery_key(scene: Scene) -> Exhibit:
    """Alice has given up her seat; later she replaces the new key with her old recovery key."""
    stage = _in_exchange_3(scene)
    carol, alice = key_of("carol"), stage.people["alice"]
    stage.rotate("alice", carol, None, carol, chain=chain_of("alice.2"), person="carol", alice=alice.key)
    stage.go()
    stage.rotate("alice", NEW, alice.recovery, NEW)
    return Exhibit(files=stage.bundle())


@attack("stranger", audit="neither the old key nor the recovery key", script="neither by the old key of gm")
def a_judges_key_that_nobody_has_signed(scene: Scene) -> Exhibit:
    """Somebody has the club's folder without its key, and goes on with a key of their own."""
    stage = _in_exchange_3(scene)
    thief = key_of("thief")
    stage.rotate("gm", thief, thief, thief)
    stage.go()
    return Exhibit(files=stage.bundle())


@attack("stranger", audit="was made with the key", script="is not signed by the judge")
def a_head_signed_with_a_judges_key_that_was_replaced(scene: Scene) -> Exhibit:
    """A thief has the judge's old key; the judge has replaced it, and the thief signs a head after that."""
    stage = _in_exchange_3(scene)
    old, new = stage.club.key, key_of("gm 2")
    stage.rotate("gm", new, old, new)
    stage.club.unlocked = old
    stage.go()
    stage.club.unlocked = new
    return Exhibit(files=stage.bundle())


@attack("judge", audit="the judge's new key is a key and nothing else", script="is a key and nothing else")
def a_new_chain_of_the_judge(scene: Scene) -> Exhibit:
    """The judge announces a new chain for their dice together with a new key."""
    stage = _in_exchange_3(scene)
    new = key_of("gm 2")
    stage.rotate("gm", new, stage.club.key, new, chain=chain_of("gm.2"))
    return Exhibit(files=stage.bundle())


@attack("judge", audit="carol needs a chain of their own", script="carol needs a chain of their own")
def a_substitute_whose_reveals_another_knows(scene: Scene) -> Exhibit:
    """Carol takes alice's seat without a chain of her own, so that alice can foresee her part of the dice."""
    stage = _in_exchange_3(scene)
    alice, carol = stage.people["alice"], key_of("carol")
    stage.rotate("alice", carol, None, carol, person="carol", alice=alice.key)
    return Exhibit(files=stage.bundle())
