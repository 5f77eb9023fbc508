"""Order files: what the judge takes, and a message of its own for every file that he does not."""

import re
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbem.trust import chance, keys, orderfile, sealing, signature
from pbem.trust.chance import Reveal
from pbem.trust.faults import OrderFileFault, SignatureFault, TrustFault
from pbem.trust.identifiers import Namespace
from pbem.trust.keys import write_private_file
from pbem.trust.orderfile import ExpectedFile, LateReveal, OrderFile, Seen, Standing
from tests.trust.sealed import only_sealed, sample_orders, seal_late_reveal, seal_orders
from tests.trust.stock import run, shell

ROOT = bytes(range(32))
ALICE, BOB = keys.generate("alice"), keys.generate("bob")
CHAIN = chance.make_chain("hearth", "alice.1", b"a" * 32)
SEAL = sealing.seal_key(ROOT, "hearth", 3, "alice")
DUE = ExpectedFile(
    game="hearth", exchange=3, player="alice", side="scotland", key=ALICE.public, seal=SEAL.recipient
)
ORDERS = sample_orders(SEAL, CHAIN, "move fife stirling\n")
LATE = LateReveal(
    game="hearth",
    exchange=3,
    player="alice",
    seen=Seen(19, "b" * 64),
    reveal=Reveal("alice.1", 3, CHAIN.reveal(3)),
)


def test_an_order_file_is_what_its_format_shows() -> None:
    assert ORDERS.text.decode() == (
        "pbem1 orders\ngame hearth\nexchange 3\nplayer alice\nside scotland\nrev 1\n"
        f"seal {SEAL.recipient}\nseen 15 {'a' * 64}\nreveal alice.1 3 {CHAIN.reveal(3)}\n"
        "---\nmove fife stirling\n"
    )
    assert LATE.text.decode() == (
        "pbem1 reveal\ngame hearth\nexchange 3\nplayer alice\n"
        f"seen 19 {'b' * 64}\nreveal alice.1 3 {CHAIN.reveal(3)}\n"
    )


@pytest.mark.parametrize(
    "body", ["", "move a\n", "move a", "zeile \u00fc\n\n\n", "a\r\nb\r\n", "---\n---\n", "\u2028\n"]
)
def test_orders_come_back_as_they_were_sealed(body: str) -> None:
    for orders in (replace(ORDERS, body=body), replace(ORDERS, body=body, seen=None, reveal=None)):
        read = orderfile.open_orders(seal_orders(orders, ALICE), SEAL, DUE)
        assert read.text == orders.text
        assert read.body in (body, f"{body}\n")


def test_the_size_of_a_sealed_file_says_nothing_of_its_orders() -> None:
    """The binary sizes differ by age's own random grease alone, which the plaintext has no part in."""
    for lines in (0, 1, 100, 350):
        sealed = seal_orders(replace(ORDERS, body="move a to b, c\n" * lines), ALICE)
        assert len(sealing.open_sealed(sealed, [SEAL])) == sealing.ORDERS_UNIT


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_file_made_with_stock_tools_alone_is_taken(end: str, tmp_path: Path) -> None:
    """The mail of a player who has ssh-keygen and age and nothing else; on Windows, too."""
    write_private_file(tmp_path / "key", ALICE.to_openssh())
    text = tmp_path / "orders.txt"
    text.write_bytes(ORDERS.text.replace(b"\n", end.encode()))
    run("ssh-keygen", "-q", "-Y", "sign", "-f", tmp_path / "key", "-n", "pbem1-orders", text)
    command = 'cd "$1" && cat orders.txt orders.txt.sig | age -a -r "$2"'
    mail = shell(command, str(tmp_path), SEAL.recipient).encode()
    read = orderfile.open_orders(only_sealed(mail), SEAL, DUE)
    assert read == replace(ORDERS, body=f"move fife stirling{end}")


def test_stock_tools_open_and_verify_our_file(tmp_path: Path) -> None:
    (tmp_path / "agekey").write_text(f"{SEAL.identity}\n")
    (tmp_path / "sealed.age").write_bytes(seal_orders(ORDERS, ALICE))
    signer = keys.Signer(name="alice", game="hearth", namespaces=(Namespace.ORDERS,), key=ALICE.public)
    (tmp_path / "allowed_signers").write_text(keys.render_signers([signer]))
    script = r"""
        cd "$1"
        age -d -i agekey sealed.age > t
        sed '/^-----BEGIN SSH SIGNATURE-----\r*$/,$d' t > body
        sed -n '/^-----BEGIN SSH SIGNATURE-----\r*$/,$p' t | tr -d '\r' > sig
        ssh-keygen -Y verify -f allowed_signers -I alice@hearth -n pbem1-orders -s sig < body
    """
    assert "Good" in shell(script, str(tmp_path))
    assert (tmp_path / "body").read_bytes() == ORDERS.text


# What is refused


def signed_by(key: keys.PrivateKey, orders: OrderFile, namespace: Namespace = Namespace.ORDERS) -> bytes:
    return signature.sign_text(key, namespace, orders.text)


def weak_key_signature() -> bytes:
    """The forgery that fits every text, under the small-order key."""
    blob = signature.parse(signature.sign(ALICE, Namespace.ORDERS, b""))
    weak = keys.PublicKey((1).to_bytes(32, "little"))
    forged = (1).to_bytes(32, "little") + bytes(32)
    return signature._armor(weak, blob.namespace.encode(), blob.hash_name.encode(), forged)


EARLIER = sealing.seal_key(ROOT, "hearth", 2, "alice").recipient
OF_ALICE = signed_by(ALICE, ORDERS)
REFUSED = (
    (signed_by(BOB, ORDERS), "wrong-key", "was made with the key SHA256:"),
    (
        signed_by(ALICE, ORDERS, Namespace.ROTATE),
        "wrong-namespace",
        "for 'pbem1-rotate', not for 'pbem1-orders'",
    ),
    (OF_ALICE.replace(b"stirling", b"lanark"), "tampered", "this is not the text that was signed"),
    (OF_ALICE.replace(b"rev 1", b"rev 9"), "tampered", "this is not the text that was signed"),
    (ORDERS.text, "unsigned", "the text is not signed"),
    (OF_ALICE[:-40], "malformed-signature", "the signature is malformed"),
    (OF_ALICE + b"move all\n", "trailing-bytes", "something other than empty lines follows"),
    (ORDERS.text + weak_key_signature(), "weak-key", "small-order key"),
    (
        signed_by(ALICE, replace(ORDERS, game="dunbar")),
        "wrong-game",
        "for game dunbar; expected was game hearth",
    ),
    (signed_by(ALICE, replace(ORDERS, exchange=2)), "wrong-exchange", "exchange 2; expected was exchange 3"),
    (signed_by(BOB, replace(ORDERS, player="bob", reveal=None)), "wrong-player", "expected was player alice"),
    (
        signed_by(ALICE, replace(ORDERS, side="england")),
        "wrong-side",
        "says side england, but alice plays scot",
    ),
    (signed_by(ALICE, replace(ORDERS, seal=EARLIER)), "wrong-seal", "was written to be sealed to"),
    (b"", "unsigned", "the text is not signed"),
    (signature.sign(ALICE, Namespace.ORDERS, b""), "empty", "the file is empty"),
)


@pytest.mark.parametrize(("plaintext", "reason", "message"), REFUSED, ids=[row[1] for row in REFUSED])
def test_each_bad_file_is_refused_with_its_own_message(plaintext: bytes, reason: str, message: str) -> None:
    sealed = sealing.seal(sealing.pad(plaintext, sealing.ORDERS_UNIT), [SEAL.recipient])
    with pytest.raises(TrustFault) as caught:
        orderfile.open_orders(sealed, SEAL, DUE)
    assert message in str(caught.value)
    assert caught.value.reason == reason
    assert not str(caught.value).endswith(".")


def test_a_head_may_stand_in_any_order() -> None:
    first, *head, rule, body = ORDERS.text.decode().splitlines()
    text = "\n".join([first, *reversed(head), rule, body, ""])
    assert orderfile.parse_orders(text.encode()) == ORDERS


@pytest.mark.ci
@given(st.binary(max_size=300))
def test_no_bytes_break_the_reading_of_an_order_file(data: bytes) -> None:
    for hostile in (data, b"pbem1 orders\n" + data + b"\n---\n", ORDERS.text[:60] + data + b"\n---\n"):
        with pytest.raises(TrustFault):
            orderfile.parse_orders(hostile)
    for hostile in (data, b"pbem1 reveal\n" + data):
        with pytest.raises(TrustFault):
            orderfile.parse_late_reveal(hostile)


def test_what_could_not_be_read_back_is_not_sealed() -> None:
    for orders in (
        replace(ORDERS, game="he\narth"),
        replace(ORDERS, rev=0),
        replace(ORDERS, player="gm"),
        replace(ORDERS, body="x" * 70_000),
        replace(ORDERS, body=f"{signature.BEGIN.decode()}\n"),
        replace(ORDERS, reveal=Reveal("bob.1", 3, "0" * 64)),
    ):
        with pytest.raises(TrustFault):
            seal_orders(orders, ALICE)


# What the ledger decides


def test_of_several_reasons_the_first_of_the_protocol_is_named() -> None:
    """Each pair of faults: judge and audit must come to the same one (protocol 3)."""
    page = (Path(__file__).parents[2] / "pbem/docs/protocol.md").read_text(encoding="utf-8")
    rule = page.partition("`refused` with the first reason that holds: ")[2].partition("- `received`")[0]
    order = ["late", *re.findall(r"`([a-z]+-[a-z]+)`", rule)]
    heads = {size: f"{size:064x}" for size in range(1, 20)}
    known = Reveal("alice.1", 0, CHAIN.anchor)
    good = Standing(
        takes=True, opened=12, head_at=heads.get, known=known, after_close=False, revisions=frozenset()
    )
    sound = replace(ORDERS, seen=Seen(13, heads[13]))
    for size in (12, 13, 19):
        orderfile.check_counts(replace(sound, seen=Seen(size, heads[size])), DUE, good)
    for standing in (replace(good, known=None), replace(good, after_close=True)):
        orderfile.check_counts(replace(sound, reveal=None), DUE, standing)
    bare, no_chain = replace(sound, seen=None, reveal=None), replace(good, known=None)
    orderfile.check_counts(bare, DUE, no_chain)
    with pytest.raises(OrderFileFault, match="has seen the head"):  # what it says all the same
        orderfile.check_counts(replace(bare, seen=Seen(13, heads[12])), DUE, no_chain)
    faults: dict[str, tuple[dict[str, object], dict[str, object]]] = {
        "late": ({}, {"takes": False}),
        "wrong-side": ({"side": "england"}, {}),
        "wrong-seal": ({"seal": "age1other"}, {}),
        "no-seen": ({"seen": None}, {}),
        "bad-seen": ({"seen": Seen(13, heads[12])}, {}),
        "old-seen": ({"seen": Seen(11, heads[11])}, {}),
        "no-reveal": ({"reveal": None}, {}),
        "wrong-step": ({"reveal": Reveal("alice.1", 4, CHAIN.reveal(4))}, {}),
        "bad-reveal": ({"reveal": Reveal("alice.1", 3, CHAIN.reveal(4))}, {}),
        "early-reveal": ({}, {"after_close": True}),
        "rev-taken": ({}, {"revisions": frozenset({1})}),
    }
    assert list(faults) == order
    for number, first in enumerate(order):
        for second in order[number:]:
            (changed, stands), (more, besides) = faults[first], faults[second]
            alone = {*changed} == {*more} or (second == "early-reveal" and "reveal" in changed)
            if first != second and alone and changed:
                continue  # a file has one of these alone
            with pytest.raises(TrustFault) as caught:
                orderfile.check_counts(
                    replace(sound, **(changed | more)),  # type: ignore[arg-type]
                    DUE,
                    replace(good, **(stands | besides)),  # type: ignore[arg-type]
                )
            assert caught.value.reason == first, (first, second)


# The reveal after the close


def test_a_late_reveal_comes_back_as_it_was_sealed() -> None:
    sealed = seal_late_reveal(LATE, ALICE, SEAL.recipient)
    plaintext = sealing.open_sealed(sealed, [SEAL])
    assert len(plaintext) == sealing.ORDERS_UNIT
    assert orderfile.verify_late_reveal(plaintext, DUE) == LATE


def test_a_late_reveal_is_no_order_file_and_the_other_way_round() -> None:
    with pytest.raises(OrderFileFault, match="no line ---"):
        orderfile.verify_orders(signature.sign_text(ALICE, Namespace.ORDERS, LATE.text), DUE)
    with pytest.raises(OrderFileFault, match="not with 'pbem1 reveal'"):
        orderfile.verify_late_reveal(signed_by(ALICE, ORDERS), DUE)
    with pytest.raises(SignatureFault, match="was made with the key"):
        orderfile.verify_late_reveal(signature.sign_text(BOB, Namespace.ORDERS, LATE.text), DUE)
    with pytest.raises(OrderFileFault, match="no place for 'note x'"):
        orderfile.parse_late_reveal(LATE.text + b"note x\n")
    for late, what in ((replace(LATE, game="dunbar"), "game"), (replace(LATE, exchange=4), "exchange")):
        with pytest.raises(OrderFileFault) as caught:
            orderfile.verify_late_reveal(signature.sign_text(ALICE, Namespace.ORDERS, late.text), DUE)
        assert caught.value.reason == f"wrong-{what}"
