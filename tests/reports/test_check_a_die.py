"""The command that a report prints, run as it stands, gives the die that the report tells."""

import re
import subprocess

import pytest

from pbem.reports import Dice, Roll
from pbem.reports.plain import dice_lines
from pbem.trust.chance import die

KEYS = [bytes([number]) * 32 for number in range(5)]


@pytest.mark.parametrize("sides", [6, 10])
@pytest.mark.parametrize("key", KEYS, ids=[key.hex()[:2] for key in KEYS])
def test_the_printed_command_gives_the_die(key: bytes, sides: int) -> None:
    label = "1297.1/battle-10/strathspey/round-1/northumber-infantry/die-4"
    value = die(key, sides, label)
    text = "\n".join(dice_lines(Dice(exchange=12, key=key.hex(), rolls=(Roll(label, sides, value),))))
    command = text[text.index("  printf") : text.index("After the = stands")]
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=True)
    digits = done.stdout.strip().rpartition("= ")[2]
    limit = int(found[1], 16) if (found := re.search(r"if they\s+are (..)\s+or\s+more", text)) else 256
    pairs = [int(digits[place : place + 2], 16) for place in range(0, len(digits), 2)]
    first = next(pair for pair in pairs if pair < limit)
    assert first % sides + 1 == value
    assert f"the die: {value}" in " ".join(text.split())


def test_the_shortest_label_is_the_example() -> None:
    rolls = (Roll("1297.1/battle-1/fife/round-1/wallace/die-1", 6, 3), Roll("1297.1/herald/england", 6, 2))
    text = "\n".join(
        dice_lines(Dice(exchange=3, key="0" * 64, rolls=rolls, contributors=("bob",), silent=("alice",)))
    )
    assert "printf %s 'd6 1297.1/herald/england 0' |" in text
    assert "secrets of the judge and bob; alice sent no\nsecret." in text


def test_an_exchange_without_dice_says_so() -> None:
    assert dice_lines(Dice(exchange=3, key="0" * 64))[-1] == "No dice were rolled."
