"""A resolved exchange is proven from what is public: chains, mix and dice."""

from dataclasses import replace

import pytest

from pbem.trust.chance import OPEN_CHAIN, Die, Reveal, build_mix, chain_link, die, make_chain
from pbem.trust.entries import Resolve
from pbem.trust.faults import LedgerFault
from pbem.trust.proof import Shares, prove_resolve

GM = make_chain("hearth", OPEN_CHAIN, b"g" * 32)
ALICE = make_chain("hearth", "alice.1", b"a" * 32)
BOB = make_chain("hearth", "bob.1", b"b" * 32)
REVEALS = {chain.who: Reveal(chain.who, 2, chain.reveal(2)) for chain in (GM, ALICE, BOB)}
KNOWN = {chain.who: Reveal(chain.who, 1, chain.reveal(1)) for chain in (GM, ALICE, BOB)}
SHARES = Shares(
    ledger="hearth",
    number=2,
    lines={"alice": "alice.1", "bob": "bob.1"},
    able={"alice", "bob"},
    sent={"alice", "bob"},
    known=KNOWN.get,
)
LABEL = "1297.2/battle-1/fife/round-1/wallace/die-1"


def resolved(*contributed: str) -> Resolve:
    """Exchange 2 as an honest judge resolves it, with one die."""
    players = [(who, REVEALS[who] if who in contributed else None) for who in ("alice.1", "bob.1")]
    mix = build_mix("hearth", 2, gm=REVEALS[OPEN_CHAIN], players=players)
    return Resolve(
        exchange=2,
        reveals=(REVEALS[OPEN_CHAIN], *(REVEALS[who] for who in contributed)),
        absent=tuple(who for who, reveal in players if reveal is None),
        mix=mix.name,
        dice=(Die(2, 6, LABEL, die(mix.key, 6, LABEL)),),
    )


@pytest.mark.parametrize("contributed", [(), ("alice.1",), ("bob.1",), ("alice.1", "bob.1")])
def test_an_honest_resolution_is_proven(contributed: tuple[str, ...]) -> None:
    resolve, sent = resolved(*contributed), {who.partition(".")[0] for who in contributed}
    assert prove_resolve(replace(SHARES, sent=sent), resolve).name == resolve.mix


HONEST = resolved("alice.1", "bob.1")
HALF = resolved("alice.1")
GM_ANCHOR = Reveal(OPEN_CHAIN, 0, GM.anchor)


DIE = HONEST.dice[0]


@pytest.mark.parametrize(
    ("resolve", "why"),
    [
        (replace(HONEST, mix="4" * 64), "its mix is 4444"),
        (HALF, "bob is left out, whose file was received"),
        (replace(HONEST, dice=(replace(DIE, exchange=1),)), "is used twice or misplaced"),
        (replace(HONEST, dice=HONEST.dice * 2), "is used twice"),
        (replace(HONEST, dice=(replace(DIE, value=DIE.value % 6 + 1),)), f"the die {LABEL} is a"),
    ],
)
def test_what_its_reveals_do_not_give_is_refused(resolve: Resolve, why: str) -> None:
    with pytest.raises(LedgerFault, match=why) as caught:
        prove_resolve(SHARES, resolve)
    assert str(caught.value).startswith("the resolution of exchange 2 is wrong: ")


def test_a_step_is_proven_from_the_anchor_too() -> None:
    """Nothing is lost if an exchange was skipped: the links in between are computed."""
    anchors = {chain.who: Reveal(chain.who, 0, chain.anchor) for chain in (GM, ALICE, BOB)}
    assert chain_link("hearth", "gm.1", 1, KNOWN["gm.1"].value) == GM_ANCHOR.value
    prove_resolve(replace(SHARES, known=anchors.get), HONEST)
