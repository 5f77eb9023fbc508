"""Chains: sha256sum follows them, and a reveal that does not lead back is refused."""

import hashlib
import hmac

import pytest

from pbem.trust import chance
from pbem.trust.chance import CHAIN_STEPS, Reveal
from pbem.trust.faults import ChainFault, IdentifierFault
from tests.trust.stock import shell

LAST = bytes(range(32))
CHAIN = chance.make_chain("hearth", "alice.1", LAST)
ANCHOR = Reveal("alice.1", 0, CHAIN.anchor)


def reveal(step: int) -> Reveal:
    return Reveal("alice.1", step, CHAIN.reveal(step))


def test_sha256sum_takes_each_step_to_the_one_before() -> None:
    for step in (1, 2, 3, 64, 65, 4_096):
        found = shell(
            "printf 'pbem1 chain %s %s %d %s\\n' hearth alice.1 $1 $2 | sha256sum | cut -d' ' -f1",
            str(step),
            CHAIN.reveal(step),
        )
        assert found == (CHAIN.reveal(step - 1) if step > 1 else CHAIN.anchor)


@pytest.mark.ci
def test_a_chain_is_the_whole_fold_of_its_secret() -> None:
    value = LAST.hex()
    assert CHAIN.reveal(CHAIN_STEPS) == value
    for step in range(CHAIN_STEPS, 0, -1):
        assert CHAIN.reveal(step) == value
        value = hashlib.sha256(f"pbem1 chain hearth alice.1 {step} {value}\n".encode()).hexdigest()
    assert CHAIN.anchor == value


def test_a_reveal_is_checked_against_the_last_known_step() -> None:
    chance.check_reveal("hearth", reveal(1), ANCHOR)
    chance.check_reveal("hearth", reveal(9), ANCHOR)
    chance.check_reveal("hearth", reveal(9), reveal(8))


def test_a_reveal_is_read_as_it_is_written() -> None:
    assert chance.parse_reveal(reveal(7).text) == reveal(7)
    assert chance.parse_reveal(ANCHOR.text) == ANCHOR


def test_a_chain_needs_a_whole_secret_and_names_that_can_be_hashed() -> None:
    for secret in (b"", LAST[:31], LAST + b"\0"):
        with pytest.raises(ChainFault, match="exactly 32 bytes"):
            chance.make_chain("hearth", "gm.1", secret)
        with pytest.raises(ChainFault, match="exactly 32 bytes"):
            chance.derive_root(secret, "hearth", "salt")
    with pytest.raises(IdentifierFault):
        chance.make_chain("hearth", "gm", LAST)
    with pytest.raises(IdentifierFault):
        chance.make_chain("he arth", "gm.1", LAST)


def test_chains_of_other_games_and_owners_share_no_value() -> None:
    others = [("hearth", "gm.1"), ("hearth2", "alice.1"), ("hearth", "alice.2")]
    found = [CHAIN.anchor, *(chance.make_chain(game, who, LAST).anchor for game, who in others)]
    assert len(set(found)) == 4


def test_openssl_derives_the_roots() -> None:
    roots = chance.Roots.of(LAST, "hearth")
    for name, value in (("chain", roots.chain), ("secret-chain", roots.secret_chain), ("seal", roots.seal)):
        found = shell(
            'printf %s "pbem1 root hearth $1" |'
            'openssl dgst -sha256 -mac HMAC -macopt "hexkey:$2" -r | cut -c1-64',
            name,
            LAST.hex(),
        )
        assert found == value.hex()
    assert roots.salt == hmac.digest(LAST, b"pbem1 root hearth salt", "sha256")


def test_the_file_of_the_roots_is_read_as_it_is_written_and_shows_itself_to_nobody() -> None:
    roots = chance.Roots.of(LAST, "hearth")
    assert chance.parse_roots(roots.text) == roots
    assert roots.text.startswith(b"chain ")
    assert roots.chain.hex() not in repr(roots)
    for damaged in (b"", roots.text[:-1], roots.text + b"\n", roots.text.upper(), roots.text * 2):
        with pytest.raises(ChainFault):
            chance.parse_roots(damaged)


def test_sha256sum_makes_the_commitment() -> None:
    found = shell("printf 'pbem1 commit hearth salt-root %s\\n' $1 | sha256sum | cut -d' ' -f1", LAST.hex())
    assert chance.commitment("hearth", "salt-root", LAST) == found
