"""Chance: the mix file of an exchange, its key, and the dice that follow from it.

    exchange key   SHA256(mix file)
    die            d = HMAC-SHA256(key, "d<sides> <label> <t>") for t = 0, 1, ...; the first byte b of d with
                   b < 256 - 256 mod sides gives b mod sides + 1; if all 32 fail, the next t. 2 to 256 sides
    draw           choices[die(len(choices), label) - 1]; a single choice takes no die

Mix file, whole, every line ended by LF; the player lines in byte order, one for each player, "-" for a player
who contributed nothing; the last line is kept for a value from outside the game, and is always "-":

    pbem1 mix                      or: pbem1 secret-mix, whose gm line has the step of gm-secret.1
    game hearth
    exchange 3
    gm <x[3] of gm.1>
    player alice.1 <x[3] of alice.1>
    player bob.1 -
    beacon -

The key hashes only values that nobody can vary, so whoever checks a mix file builds it anew from the
revealed values and compares. The open mix keys what all may see, the secret mix what is drawn in
secret. One exchange's keys serve the dice of its own resolution and no others. A label says what is
rolled for; see identifiers for its form. `dice_lines` and `draw_lines` show the commands that compute dice
and draws again, with tools that every system has.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from pbem.trust.chains import DRAW_CHAIN, OPEN_CHAIN, Reveal
from pbem.trust.faults import ChainFault
from pbem.trust.formats import MAX_MIX_SIZE
from pbem.trust.identifiers import check_game_id, check_label, is_hash, is_number, is_token, quote, split_who


@dataclass(frozen=True, slots=True, kw_only=True)
class Mix:
    """The contents of a mix file, from which the key of one exchange is made."""

    game: str
    exchange: int
    gm: str
    players: tuple[tuple[str, str | None], ...]
    """Each player's chain and the value of its step; None for a player who contributed nothing."""
    secret: bool = False

    @property
    def text(self) -> bytes:
        """The bytes of the mix file."""
        kind = "secret-mix" if self.secret else "mix"
        lines = [f"pbem1 {kind}", f"game {self.game}", f"exchange {self.exchange}", f"gm {self.gm}"]
        lines += [f"player {who} {value or '-'}" for who, value in sorted(self.players)]
        return "".join(f"{line}\n" for line in [*lines, "beacon -"]).encode()

    @property
    def key(self) -> bytes:
        """The exchange key that the mix file gives."""
        return hashlib.sha256(self.text).digest()

    @property
    def name(self) -> str:
        """The SHA-256 of the mix file in hex, as the resolve entry's `mix` line gives it."""
        return self.key.hex()


def build_mix(
    game: str,
    exchange: int,
    *,
    gm: Reveal,
    players: Iterable[tuple[str, Reveal | None]],
) -> Mix:
    """Return the mix of an exchange from verified reveals: the open or the secret mix, by the chain of `gm`.

    `players` names the chain of every enrolled player, and their reveal if they contributed.
    """
    if gm.who not in (OPEN_CHAIN, DRAW_CHAIN):
        raise ChainFault(f"the judge's chains are {OPEN_CHAIN} and {DRAW_CHAIN}, not {gm.who}")
    lines: list[tuple[str, str | None]] = []
    for who, reveal in players:
        if reveal is not None and (reveal.who, reveal.step) != (who, exchange):
            raise ChainFault(
                f"exchange {exchange} takes step {exchange} of {who}, not {reveal.step} of {reveal.who}"
            )
        lines.append((who, reveal.value if reveal else None))
    if gm.step != exchange:
        raise ChainFault(f"exchange {exchange} takes step {exchange} of {gm.who}, not step {gm.step}")
    if len({split_who(who)[0] for who, _ in lines}) != len(lines):
        raise ChainFault(f"a player stands twice in the mix of exchange {exchange}")
    return Mix(
        game=check_game_id(game),
        exchange=exchange,
        gm=gm.value,
        players=tuple(sorted(lines)),
        secret=gm.who == DRAW_CHAIN,
    )


def parse_mix(data: bytes) -> Mix:
    """Return the mix in the bytes of a mix file, which must be exactly what `Mix.text` writes."""
    if len(data) > MAX_MIX_SIZE or not data.isascii():
        raise ChainFault("this is not a mix file")
    head, *lines = data.decode().split("\n")
    if head not in ("pbem1 mix", "pbem1 secret-mix") or len(lines) < 5:
        raise ChainFault("this is not a mix file; its first line would be pbem1 mix")
    words = [line.split(" ") for line in lines]
    players = [(line[1], None if line[2] == "-" else line[2]) for line in words[3:-2] if len(line) == 3]
    mix = Mix(
        game=words[0][-1],
        exchange=int(words[1][-1]) if is_number(words[1][-1]) else 0,
        gm=words[2][-1],
        players=tuple(players),
        secret=head == "pbem1 secret-mix",
    )
    if mix.text != data or not _is_sound(mix):
        raise ChainFault("the mix file is not written as its format demands")
    return mix


def check_mix(data: bytes, expected: Mix) -> None:
    """Raise ChainFault unless a mix file is the same as the mix rebuilt from the reveals."""
    if data != expected.text:
        raise ChainFault(
            f"the mix file of exchange {expected.exchange} is not the one that the revealed values give",
            reason="bad-mix",
        )


def _is_sound(mix: Mix) -> bool:
    names = [split_who(who)[0] for who, _ in mix.players]
    return (
        is_token(mix.game)
        and mix.exchange > 0
        and is_hash(mix.gm)
        and all(value is None or is_hash(value) for _, value in mix.players)
        and len(set(names)) == len(names)
    )


# Dice


def die(key: bytes, sides: int, label: str) -> int:
    """Return the value, 1 to `sides`, of the die called `label` under an exchange key."""
    if len(key) != 32:
        raise ChainFault("the key of a die has 32 bytes")
    if not 2 <= sides <= 256:
        raise ChainFault(f"a die has 2 to 256 sides, not {sides}")
    check_label(label)
    trial = 0
    while not (value := value_in(hmac.digest(key, f"d{sides} {label} {trial}".encode(), "sha256"), sides)):
        trial += 1
    return value


def value_in(digest: bytes, sides: int) -> int:
    """Return the value that a digest gives a die; 0 if every byte is beyond the last multiple of `sides`."""
    limit = 256 - 256 % sides
    for byte in digest:
        if byte < limit:
            return byte % sides + 1
    return 0


def draw(key: bytes, label: str, choices: tuple[str, ...]) -> str:
    """Return the one of `choices` that the die called `label` picks; a single one is taken without a die."""
    if not choices:
        raise ChainFault(f"nothing is left to draw from at {label}")
    if len(choices) == 1:
        check_label(label)
        return choices[0]
    return choices[die(key, len(choices), label) - 1]


@dataclass(frozen=True, slots=True)
class Die:
    """One rolled die, as the resolve entry and dice/all.txt record it."""

    exchange: int
    sides: int
    label: str
    value: int

    @property
    def text(self) -> str:
        """The record of the die: the fields `<exchange> <sides> <label> <value>`."""
        return f"{self.exchange} {self.sides} {self.label} {self.value}"


def parse_die(fields: str) -> Die:
    """Return the die that the fields `<exchange> <sides> <label> <value>` record."""
    words = fields.split(" ")
    if len(words) != 4 or not (is_number(words[0]) and is_number(words[1]) and is_number(words[3])):
        raise ChainFault(f"{quote(fields, 100)} is not a record of a die")
    rolled = Die(int(words[0]), int(words[1]), check_label(words[2]), int(words[3]))
    if not (rolled.exchange >= 1 and 2 <= rolled.sides <= 256 and 1 <= rolled.value <= rolled.sides):
        raise ChainFault(f"{quote(fields, 100)} cannot be a die: its numbers do not fit together")
    return rolled


def check_die(key: bytes, rolled: Die) -> None:
    """Raise ChainFault unless a recorded die is the one that the exchange key gives."""
    if (value := die(key, rolled.sides, rolled.label)) != rolled.value:
        raise ChainFault(f"the die {rolled.label} is a {value}, not a {rolled.value}", reason="bad-die")


@dataclass(frozen=True, slots=True)
class Draw:
    """One secret draw; `choices` is the number of choices, `result` the one that was drawn."""

    exchange: int
    label: str
    choices: int
    result: str


class Dice:
    """The dice and draws of a game, keyed exchange by exchange, with a record of all results.

    `begin` must be called before anything is rolled and again for each exchange. A label that falls twice
    in a game is a fault, for whoever knows the first could have chosen the second.
    """

    __slots__ = ("_exchange", "_labels", "_open", "_secret", "drawn", "rolled")

    def __init__(self) -> None:
        self.rolled: list[Die] = []
        self.drawn: list[Draw] = []
        self._labels: dict[str, int] = {}
        self._exchange = 0
        self._open: bytes | None = None
        self._secret: bytes | None = None

    def begin(self, exchange: int, open_key: bytes, secret_key: bytes | None = None) -> None:
        """Begin an exchange, whose keys give all dice. Without `secret_key` every secret draw is refused."""
        self._exchange, self._open, self._secret = exchange, open_key, secret_key

    def end(self) -> None:
        """End an exchange: its keys are public now, and nothing more may be rolled with them."""
        self._open = self._secret = None

    def roll(self, label: str, sides: int = 6) -> int:
        """Return the value of a die that all may see, rolled with the open key."""
        if self._open is None:
            raise ChainFault(f"no exchange is being resolved, so {label} cannot be rolled")
        self._claim(label)
        value = die(self._open, sides, label)
        self.rolled.append(Die(self._exchange, sides, label, value))
        return value

    def draw(self, label: str, choices: tuple[str, ...]) -> str:
        """Return one of `choices`, drawn with the secret key."""
        if self._secret is None:
            raise ChainFault(
                f"the secret key of exchange {self._exchange} is not known, so {label} cannot be drawn"
            )
        self._claim(label)
        result = draw(self._secret, label, choices)
        self.drawn.append(Draw(self._exchange, label, len(choices), result))
        return result

    def _claim(self, label: str) -> None:
        if label in self._labels:
            raise ChainFault(
                f"the label {label} was used before, in exchange {self._labels[label]}", reason="reused-label"
            )
        self._labels[label] = self._exchange


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
