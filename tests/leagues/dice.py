"""Dice for tests of leagues: like joint dice they depend on their labels, and no label is asked twice."""

from hashlib import sha256

from pbem.leagues.model import Die


def dice(seed: int | str = 0) -> Die:
    """Dice that depend on the seed and their labels alone. A label asked again is a fault."""
    asked: set[str] = set()

    def die(sides: int, label: str) -> int:
        assert 2 <= sides <= 256
        assert label not in asked, f"the die {label} was asked twice"
        assert 1 <= len(label) <= 64
        assert set(label) <= set("abcdefghijklmnopqrstuvwxyz0123456789._-/")
        asked.add(label)
        return int.from_bytes(sha256(f"{seed} {label}".encode()).digest()) % sides + 1

    return die
