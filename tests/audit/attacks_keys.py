"""Attacks with new keys, chains and persons: forged, stolen, too early, without consent, not shown."""

from __future__ import annotations

from pbem.audit.findings import State
from pbem.play.seats import Seats
from pbem.trust.act_entries import Consent, sign_consent
from pbem.trust.rotations import Rotation
from tests.audit.attack import Exhibit, InExchange3, attack
from tests.audit.stage import GAME, Files, chain_of, key_of, otherwise
from tests.trust.sealed import seal_orders

NEW = key_of("alice 2")


@attack("judge", audit="is signed by", script="neither by the old key of alice nor by the recovery key")
def a_new_key_forged_by_the_judge(stage: InExchange3) -> None:
    """The judge gives alice a new key that they hold, and signs for her old one."""
    stage.rotate("alice", NEW, key_of("gm"), NEW)
    stage.go()


@attack("player", audit="is signed by", script="neither by the old key of alice nor by the recovery key")
def a_new_key_from_another_players_recovery_key(stage: InExchange3) -> None:
    """Bob replaces alice's key with another, signed with bob's recovery key."""
    stage.rotate("alice", NEW, stage.people["bob"].recovery, NEW)
    stage.go()


@attack("player", audit="was made with the key", script="is not signed by the new key of alice")
def a_new_key_that_is_somebody_elses(stage: InExchange3) -> None:
    """Alice names a key that she does not hold, to say later that its owner ordered for her."""
    stage.rotate("alice", key_of("carol"), stage.people["alice"].key, stage.people["alice"].key)


@attack("judge", audit="the text of the rotation", script="is not what alice signs")
def a_new_key_of_another_game(stage: InExchange3) -> None:
    """Alice has replaced her key in another club's game of the same name; the judge lets it count here."""
    alice = stage.people["alice"]
    stage.rotate("alice", NEW, alice.key, NEW, genesis="e" * 64)


@attack("stranger", audit="was made with the key", script="not signed by alice")
def orders_signed_with_a_key_that_was_replaced(stage: InExchange3) -> None:
    """A thief has alice's old key; she has replaced it, and they order for her in the next exchange."""
    old = stage.people["alice"].key
    stage.rotate("alice", NEW, stage.people["alice"].recovery, NEW)
    stage.go()
    orders = stage.order_file("alice")
    stage.take_in(orders, seal_orders(orders, old))
    stage.send("bob")
    stage.resolve()


@attack("judge and player", audit="was made with the key", script="not signed by alice")
def orders_signed_with_a_key_before_its_time(stage: InExchange3) -> None:
    """Alice's new key counts from the next exchange on; the judge lets it count at once."""
    stage.rotate("alice", NEW, stage.people["alice"].key, NEW)
    orders = stage.order_file("alice")
    stage.take_in(orders, seal_orders(orders, NEW))
    stage.send("bob")
    stage.resolve()


@attack("judge", audit="is not what the rotations in the ledger give", script="is not who signs then")
def a_new_key_is_not_shown(stage: InExchange3) -> Files:
    """The ledger names a new key, and the bundle lets the old one count on."""
    stage.rotate("alice", NEW, stage.people["alice"].key, NEW)
    stage.go()
    files = stage.bundle()
    files["keys/allowed_signers.from-4"] = files["keys/allowed_signers"]
    return files


@attack("mail", audit="incomplete: rotations/", script="incomplete: rotations/", state=State.MISSING)
def a_rotation_is_missing(stage: InExchange3) -> Exhibit:
    """What was signed for a new key is left out."""
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
def a_chain_before_its_time(stage: InExchange3) -> None:
    """Alice makes a chain that suits the dice, and the judge lets it count in the very next exchange."""
    seats = stage.book.history.seats
    stage.book.history.seats = Hasty(seats.genesis)
    alice = stage.people["alice"]
    stage.rotate("alice", alice.key, alice.key, alice.key, chain=chain_of("alice.2"))
    stage.next_chains = {(4, "alice"): chain_of("alice.2")}
    stage.go()
    stage.go()


@attack(
    "judge and player",
    audit="the next chain of alice is alice.2",
    script="the next chain of alice is alice.2",
)
def a_chain_out_of_turn(stage: InExchange3) -> None:
    """Alice announces her third chain while she still has the first: a spare one, to choose from."""
    alice = stage.people["alice"]
    stage.rotate("alice", alice.key, alice.key, alice.key, chain=chain_of("alice.3"))


@attack("judge", audit="lacks consent: alice has not consented", script="lacks consent")
def a_player_replaced_without_consent(stage: InExchange3) -> None:
    """The judge gives alice's seat to a friend of theirs."""
    carol = key_of("carol")
    stage.rotate("alice", carol, key_of("gm"), carol, chain=chain_of("alice.2"), person="carol")


@attack("judge", audit="was made with the key", script="is not signed by bob")
def a_player_replaced_with_a_forged_consent(stage: InExchange3) -> None:
    """The judge gives alice's seat to a friend, and signs bob's consent in bob's place."""
    carol = key_of("carol")
    stage.rotate("alice", carol, None, carol, chain=chain_of("alice.2"), person="carol", bob=key_of("gm"))


@attack("judge", audit="what bob consented to", script="is not what bob consents to")
def a_consent_to_another_new_key(stage: InExchange3) -> None:
    """Bob consented to a new key of alice's own; the judge uses it for that of a friend."""
    bob, carol, head, to = key_of("bob"), key_of("carol"), stage.genesis, f"rotate alice {'0' * 64}"
    other = Consent(game=GAME, genesis=head, seen=(1, head), exchange=3, by="bob", to=to)
    stage.crook = otherwise(Rotation, consents=(("bob", other.given),))
    stage.club.store.add_sealed(other.sha256, sign_consent(other, bob))
    stage.rotate("alice", carol, None, carol, chain=chain_of("alice.2"), person="carol", bob=bob)


@attack("judge and player", audit="was made with the key", script="not signed by alice")
def a_key_by_consent_before_its_time(stage: InExchange3) -> None:
    """Bob consents to a new key of alice's seat, and the judge lets it count one exchange too early."""
    stage.rotate("alice", NEW, None, NEW, bob=key_of("bob"))
    stage.go()
    orders = stage.order_file("alice")
    stage.take_in(orders, seal_orders(orders, NEW))
    stage.send("bob")
    stage.resolve()


@attack(
    "judge and player", audit="exchange 3 was closed before its deadline", script="closed before its deadline"
)
def a_seat_given_away_to_play_at_once(stage: InExchange3) -> None:
    """Bob and the judge give away the seat of alice, who has sent for exchange 2, and do not wait for her."""
    carol = key_of("carol")
    bob = key_of("bob")
    stage.rotate("alice", carol, None, carol, chain=chain_of("alice.2"), person="carol", bob=bob)
    stage.send("bob")
    stage.resolve()


@attack("player", audit="neither the old key nor the recovery key", script="neither by the old key of alice")
def a_seat_taken_back_with_the_recovery_key(stage: InExchange3) -> None:
    """Alice has given up her seat; later she replaces the new key with her old recovery key."""
    carol, alice = key_of("carol"), stage.people["alice"]
    stage.rotate("alice", carol, None, carol, chain=chain_of("alice.2"), person="carol", alice=alice.key)
    stage.go()
    stage.rotate("alice", NEW, alice.recovery, NEW)


@attack("stranger", audit="neither the old key nor the recovery key", script="neither by the old key of gm")
def a_judges_key_that_nobody_has_signed(stage: InExchange3) -> None:
    """Somebody has the club's folder without its key, and goes on with a key of their own."""
    thief = key_of("thief")
    stage.rotate("gm", thief, thief, thief)
    stage.go()


@attack("stranger", audit="was made with the key", script="is not signed by the judge")
def a_head_signed_with_a_judges_key_that_was_replaced(stage: InExchange3) -> None:
    """A thief has the judge's old key; the judge has replaced it, and the thief signs a head after that."""
    old, new = stage.club.key, key_of("gm 2")
    stage.rotate("gm", new, old, new)
    stage.club.unlocked_key = old
    stage.go()
    stage.club.unlocked_key = new


@attack("judge", audit="the judge's new key is a key and nothing else", script="is a key and nothing else")
def a_new_chain_of_the_judge(stage: InExchange3) -> None:
    """The judge announces a new chain for their dice together with a new key."""
    new = key_of("gm 2")
    stage.rotate("gm", new, stage.club.key, new, chain=chain_of("gm.2"))


@attack("judge", audit="carol needs a chain of their own", script="carol needs a chain of their own")
def a_substitute_whose_reveals_another_knows(stage: InExchange3) -> None:
    """Carol takes alice's seat without a chain of her own, so that alice can foresee her part of the dice."""
    alice, carol = stage.people["alice"], key_of("carol")
    stage.rotate("alice", carol, None, carol, person="carol", alice=alice.key)
