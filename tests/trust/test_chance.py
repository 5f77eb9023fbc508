"""Chance: openssl rolls the same dice, the dice are fair, and no mix file has room for a choice."""

import hashlib
import hmac
from collections import Counter
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbem.trust import chance
from pbem.trust.chance import DRAW_CHAIN, OPEN_CHAIN, Dice, Die, Reveal
from pbem.trust.faults import ChainFault, IdentifierFault, TrustFault
from tests.trust.stock import shell

WORKED = "battle/perth/round-1/wallace/die-1"
KEYS = [hashlib.sha256(f"key {number}".encode()).digest() for number in range(3)]


def value(name: str) -> str:
    return hashlib.sha256(name.encode()).hexdigest()


MIX = chance.build_mix(
    "hearth",
    3,
    gm=Reveal(OPEN_CHAIN, 3, value("gm")),
    players=[("bob.1", None), ("alice.2", Reveal("alice.2", 3, value("alice")))],
)


# Mix files


def test_a_mix_file_is_what_its_format_shows() -> None:
    assert MIX.text.decode() == (
        f"pbem1 mix\ngame hearth\nexchange 3\ngm {value('gm')}\n"
        f"player alice.2 {value('alice')}\nplayer bob.1 -\nbeacon -\n"
    )
    secret = chance.build_mix(
        "hearth", 3, gm=Reveal(DRAW_CHAIN, 3, value("secret")), players=[("alice.1", None)]
    )
    assert secret.text.decode() == (
        f"pbem1 secret-mix\ngame hearth\nexchange 3\ngm {value('secret')}\nplayer alice.1 -\nbeacon -\n"
    )
    assert [chance.parse_mix(mix.text) for mix in (MIX, secret)] == [MIX, secret]


def test_sha256sum_gives_the_key() -> None:
    assert shell("sha256sum | cut -d' ' -f1", stdin=MIX.text) == MIX.key.hex() == MIX.name


def test_players_stand_in_byte_order_however_they_are_given() -> None:
    names = ["a.1", "a-b.1", "a.b.1", "a0.1", "b.1"]
    expected = sorted(f"player {name} -" for name in names)
    for order in permutations(names):
        built = chance.build_mix(
            "hearth", 3, gm=Reveal(OPEN_CHAIN, 3, value("gm")), players=[(name, None) for name in order]
        )
        assert built.text.decode().splitlines()[4:-1] == expected


def test_the_mix_file_rebuilt_from_the_reveals_is_the_only_right_one() -> None:
    chance.check_mix(MIX.text, MIX)
    for place in range(len(MIX.text)):
        changed = MIX.text[:place] + bytes([MIX.text[place] ^ 1]) + MIX.text[place + 1 :]
        with pytest.raises(ChainFault):
            chance.check_mix(changed, MIX)


@pytest.mark.ci
@given(st.binary(max_size=200))
def test_no_bytes_break_the_reading_of_a_mix_file(data: bytes) -> None:
    for hostile in (data, b"pbem1 mix\n" + data, b"pbem1 mix\na\nb\nc\nd\n" + data):
        with pytest.raises(TrustFault):
            chance.parse_mix(hostile)


# Dice


def openssl_die(key: bytes, sides: int, label: str) -> int:
    """The die by hand: what openssl prints, and the first byte below the limit."""
    script = 'printf %s "$1" | openssl dgst -sha256 -mac HMAC -macopt "hexkey:$2" -r | cut -c1-64'
    digest = bytes.fromhex(shell(script, f"d{sides} {label} 0", key.hex()))
    return next(byte for byte in digest if byte < 256 - 256 % sides) % sides + 1


@pytest.mark.parametrize("key", KEYS, ids=("first", "second", "third"))
@pytest.mark.parametrize("sides", [2, 3, 6, 20, 100, 129, 256])
def test_openssl_rolls_the_same_die(key: bytes, sides: int) -> None:
    assert chance.die(key, sides, WORKED) == openssl_die(key, sides, WORKED)


def test_the_command_of_the_documentation_rolls_our_die() -> None:
    """As a sceptical player types it: the key from the mix file, the first hex byte below fc."""
    script = """
        K=$(sha256sum | cut -d' ' -f1)
        D=$(printf %s "d6 $1 0" | openssl dgst -sha256 -mac HMAC -macopt hexkey:$K | sed 's/.*= //')
        while B=$(printf '%d' 0x$(printf %s "$D" | cut -c1-2)); [ "$B" -ge 252 ]; do D=${D#??}; done
        echo $((B % 6 + 1))
    """
    for number in range(5):
        label = f"1297.1/battle-1/fife/round-1/wallace/die-{number}"
        assert int(shell(script, label, stdin=MIX.text)) == chance.die(MIX.key, 6, label)


def test_a_die_is_the_first_byte_below_the_limit() -> None:
    """Where the first bytes are rejected too, and where all 32 are."""
    for sides in (6, 129, 255):
        for number in range(400):
            label = f"a/{number}"
            stream = (
                byte
                for trial in range(9)
                for byte in hmac.digest(KEYS[0], f"d{sides} {label} {trial}".encode(), "sha256")
            )
            expected = next(byte for byte in stream if byte < 256 // sides * sides) % sides + 1
            assert chance.die(KEYS[0], sides, label) == expected


def test_a_digest_without_a_byte_below_the_limit_gives_nothing_and_the_next_is_taken() -> None:
    """A real one turns up once in 5,000 million rolls of 129 sides, so it is made here."""
    assert chance.value_in(bytes([129]) * 32, 129) == 0
    assert chance.value_in(bytes([129]) * 31 + bytes([128]), 129) == 129
    assert chance.value_in(bytes([255, 252, 251]), 6) == 6


# chi-square: the value that a fair die exceeds once in a thousand runs, by degrees of freedom
LIMITS = {1: 10.83, 5: 20.52, 9: 27.88, 19: 43.82, 99: 148.23, 119: 172.42}


@pytest.mark.ci(but=("first-6", "second-100"))
@pytest.mark.parametrize("sides", [2, 6, 10, 20, 100])
@pytest.mark.parametrize("key", KEYS, ids=("first", "second", "third"))
def test_dice_are_fair(key: bytes, sides: int) -> None:
    rolls = 12_000
    found = Counter(chance.die(key, sides, f"fair/{number}") for number in range(rolls))
    assert set(found) == set(range(1, sides + 1))
    assert sum((count - rolls / sides) ** 2 for count in found.values()) / (rolls / sides) < LIMITS[sides - 1]


@pytest.mark.ci
def test_pairs_of_dice_of_one_label_and_the_next_are_fair() -> None:
    rolls = 12_000
    pairs = Counter(
        (chance.die(KEYS[0], 6, f"fair/{number}"), chance.die(KEYS[0], 6, f"fair/{number + 1}"))
        for number in range(rolls)
    )
    assert sum((count - rolls / 36) ** 2 for count in pairs.values()) / (rolls / 36) < 66.62


def test_a_label_a_key_and_the_sides_each_matter() -> None:
    rolls = [chance.die(key, sides, f"{WORKED}/{more}") for key in KEYS for sides in (6, 20) for more in "ab"]
    assert len(set(rolls)) > 3


@pytest.mark.parametrize("label", ["", "Battle", "a b", "a//b", "..", "a/../b", "\ufb01fe", "a\n"])
def test_a_label_that_could_be_read_in_two_ways_is_refused(label: str) -> None:
    dice = Dice()
    dice.begin(1, KEYS[0], KEYS[1])
    for use in (lambda: chance.die(KEYS[0], 6, label), lambda: dice.draw(label, ("one",))):
        with pytest.raises(IdentifierFault):
            use()


def test_a_draw_is_a_die_with_as_many_sides_as_choices() -> None:
    choices = ("1", "2", "3", "herald", "sea move")
    assert chance.draw(KEYS[0], WORKED, choices) == choices[chance.die(KEYS[0], 5, WORKED) - 1]
    assert chance.draw(KEYS[0], WORKED, ("last",)) == "last"
    with pytest.raises(ChainFault, match="nothing is left"):
        chance.draw(KEYS[0], WORKED, ())


def test_a_recorded_die_is_read_checked_and_refused_if_altered() -> None:
    rolled = Die(3, 6, WORKED, chance.die(KEYS[0], 6, WORKED))
    assert chance.parse_die(rolled.text) == rolled
    chance.check_die(KEYS[0], rolled)
    with pytest.raises(ChainFault, match=f"is a {rolled.value}, not a {rolled.value % 6 + 1}") as caught:
        chance.check_die(KEYS[0], Die(3, 6, WORKED, rolled.value % 6 + 1))
    assert caught.value.reason == "bad-die"


# The recorder


def test_the_recorder_rolls_with_the_open_key_and_draws_with_the_secret_one() -> None:
    dice = Dice()
    dice.begin(4, KEYS[0], KEYS[1])
    assert dice.roll("a/b") == chance.die(KEYS[0], 6, "a/b")
    assert dice.draw("c", ("x", "y", "z")) == chance.draw(KEYS[1], "c", ("x", "y", "z"))
    assert dice.draw("d", ("only",)) == "only"
    dice.begin(5, KEYS[2], KEYS[1])
    assert dice.roll("e", 20) == chance.die(KEYS[2], 20, "e")
    assert [(die.exchange, die.sides, die.label) for die in dice.rolled] == [(4, 6, "a/b"), (5, 20, "e")]
    assert [(drawn.exchange, drawn.label, drawn.choices) for drawn in dice.drawn] == [
        (4, "c", 3),
        (4, "d", 1),
    ]


def test_no_label_falls_twice_in_a_game() -> None:
    dice = Dice()
    dice.begin(1, KEYS[0], KEYS[1])
    dice.roll("a")
    dice.draw("b", ("x", "y"))
    dice.begin(2, KEYS[1], KEYS[2])
    for use in (lambda: dice.roll("a"), lambda: dice.roll("b"), lambda: dice.draw("a", ("x",))):
        with pytest.raises(ChainFault, match="was used before, in exchange 1") as caught:
            use()
        assert caught.value.reason == "reused-label"


def test_nothing_is_rolled_outside_an_exchange_or_drawn_without_the_secret_key() -> None:
    dice = Dice()
    with pytest.raises(ChainFault, match="no exchange is being resolved"):
        dice.roll("a")
    dice.begin(1, KEYS[0])
    dice.roll("a")
    with pytest.raises(ChainFault, match="secret key of exchange 1 is not known"):
        dice.draw("b", ("x", "y"))
    dice.end()
    with pytest.raises(ChainFault, match="no exchange is being resolved"):
        dice.roll("b")
