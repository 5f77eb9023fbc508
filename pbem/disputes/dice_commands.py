"""Commands that compute dice and draws again, with tools that every system has."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pbem.trust.chance import Die, Draw


def die_command(sides: int, label: str, key: str) -> str:
    """Return a shell command of one line that prints the digest from which a die is read."""
    return f"printf %s 'd{sides} {label} 0' | openssl dgst -sha256 -mac HMAC -macopt hexkey:{key}"


def reading(sides: int) -> str:
    """Return the words that tell how a die is read from its digest."""
    limit = 256 - 256 % sides
    unless = f"; if they are {limit:02x} or more, the next two" if limit < 256 else ""
    return f"first two hex digits after the = {unless and f'({unless[2:]}) '}mod {sides}, plus 1"


def dice_lines(dice: Sequence[Die], key: str) -> Iterator[str]:
    """Yield lines that show every die with its label, value and command."""
    for die in dice:
        yield f"    {die.label} = {die.value}"
        yield f"      {die_command(die.sides, die.label, key)}"
    for sides in sorted({die.sides for die in dice}):
        yield f"    a die of {sides}: {reading(sides)}"


def draw_lines(draws: Sequence[Draw], key: str | None) -> Iterator[str]:
    """Yield lines that show every draw, with its command where the secret key may be shown."""
    for draw in draws:
        yield f"    {draw.label} = {draw.result}, one of {draw.choices}"
        if key is not None and draw.choices > 1:
            yield f"      {die_command(draw.choices, draw.label, key)}"
    if draws and key is None:
        yield "    drawn in secret: the key is shown when the game is over"
