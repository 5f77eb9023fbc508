"""How long evidence takes: one signature, one seal, one die, one ledger.

The floors are those of the libraries: Ed25519 itself, age itself, one HMAC.
"""

import hmac

from pytest_benchmark.fixture import BenchmarkFixture

from pbem.trust import chains, chance, keys, ledger, orderfile, sealing, signature
from pbem.trust.entries import Resolve
from pbem.trust.entry_parser import parse_entry
from pbem.trust.namespaces import Namespace
from pbem.trust.orderfile import Due
from tests.trust.sealed import only_sealed, sample_orders, seal_orders

ROOT = bytes(range(32))
KEY = keys.generate()
TEXT = b"move fife stirling\n" * 108
ARMOR = signature.sign(KEY, Namespace.ORDERS, TEXT)
SEAL = sealing.seal_key(ROOT, "hearth", 3, "alice")
CHAIN = chains.make_chain("hearth", "alice.1", ROOT)
LABEL = "1297.2/battle-1/fife/round-1/wallace/die-3"
ORDERS = sample_orders(SEAL, CHAIN, TEXT.decode())
DUE = Due(game="hearth", exchange=3, player="alice", side="scotland", key=KEY.public, seal=SEAL.recipient)
SEALED_ORDERS = seal_orders(ORDERS, KEY)


def test_ed25519_sign_floor(benchmark: BenchmarkFixture) -> None:
    benchmark(KEY.sign_raw, TEXT)


def test_sign(benchmark: BenchmarkFixture) -> None:
    benchmark(signature.sign, KEY, Namespace.ORDERS, TEXT)


def test_ed25519_verify_floor(benchmark: BenchmarkFixture) -> None:
    benchmark(KEY.public.verifies, KEY.sign_raw(TEXT), TEXT)


def test_verify(benchmark: BenchmarkFixture) -> None:
    benchmark(signature.verify, ARMOR, TEXT, Namespace.ORDERS, KEY.public)


def test_seal_8_kb(benchmark: BenchmarkFixture) -> None:
    benchmark(sealing.seal, bytes(8_192), [SEAL.recipient])


def test_open_8_kb(benchmark: BenchmarkFixture) -> None:
    benchmark(sealing.open_sealed, sealing.seal(bytes(8_192), [SEAL.recipient]), [SEAL])


def test_seal_8_kb_to_a_players_key(benchmark: BenchmarkFixture) -> None:
    benchmark(sealing.seal, bytes(8_192), [KEY.public])


def test_open_8_kb_with_a_players_key(benchmark: BenchmarkFixture) -> None:
    benchmark(sealing.open_sealed, sealing.seal(bytes(8_192), [KEY.public]), [KEY])


def test_order_file_sign_and_seal(benchmark: BenchmarkFixture) -> None:
    benchmark(seal_orders, ORDERS, KEY)


def test_order_file_open_and_verify(benchmark: BenchmarkFixture) -> None:
    benchmark(orderfile.open_orders, SEALED_ORDERS, SEAL, DUE)


def test_armor_found_and_mended(benchmark: BenchmarkFixture) -> None:
    text = "".join(f"> {line}\n" for line in sealing.to_armor(SEALED_ORDERS).splitlines())
    benchmark(only_sealed, text.encode())


def test_hmac_floor(benchmark: BenchmarkFixture) -> None:
    benchmark(hmac.digest, ROOT, b"d6 1297.2/battle-1/fife/round-1/wallace/die-3 0", "sha256")


def test_die(benchmark: BenchmarkFixture) -> None:
    benchmark(chance.die, ROOT, 6, LABEL)


def test_1000_dice_rolled_and_recorded(benchmark: BenchmarkFixture) -> None:
    labels = [f"1297.2/battle-1/fife/round-1/wallace/die-{number}" for number in range(1_000)]

    def roll_all() -> None:
        dice = chance.Dice()
        dice.begin(1, ROOT, ROOT)
        for label in labels:
            dice.roll(label)

    benchmark(roll_all)


def test_chain_of_4096_made(benchmark: BenchmarkFixture) -> None:
    benchmark(chains.make_chain.__wrapped__, "hearth", "alice.1", ROOT)


def test_reveal_of_a_chain(benchmark: BenchmarkFixture) -> None:
    benchmark(CHAIN.reveal, 1)


def test_public_key_read_and_checked(benchmark: BenchmarkFixture) -> None:
    benchmark(keys._order_fault.__wrapped__, KEY.public.raw)


def test_5000_leaves_folded(benchmark: BenchmarkFixture) -> None:
    benchmark(ledger.fold, "hearth", ["a" * 64] * 5_000)


def test_resolve_entry_with_100_dice_read(benchmark: BenchmarkFixture) -> None:
    dice = tuple(
        chance.Die(1, 6, f"1297.2/battle-1/fife/round-1/wallace/die-{number}", 1) for number in range(100)
    )
    entry = Resolve(exchange=1, reveals=(), absent=(), mix="a" * 64, dice=dice)
    benchmark(parse_entry, entry.text)
