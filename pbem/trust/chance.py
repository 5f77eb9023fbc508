r"""Chance: hash chains, the mix file of an exchange, its key, and the dice that follow from it.

Everyone fixes hash chains when the game opens, and then reveals one step at a time.
Everything hashed is ASCII, fields separated by one space; lines end in LF; hashes are 64 lower-case hex
digits; numbers are decimal without leading zeros; keys of an HMAC are exactly 32 bytes.

    chain link     x[i-1] = SHA256("pbem1 chain <game> <who> <i> <x[i]>\n")
                   x[4096] is secret, x[0] is the anchor that genesis names, x[i] is revealed in exchange i
    commitment     SHA256("pbem1 commit <game> <name> <hex>\n")
    sub-root       HMAC-SHA256(master, "pbem1 root <game> chain|secret-chain|salt|seal")
                   the first two are x[4096] of gm.1 and gm-secret.1

The links of a chain that a player has sent with an answer to a league's call, before its game was drawn,
are hashed under the name `<ledger>.<call>.<i>`: i counts the chains of that answer. No game has such a name.
They are revealed from exchange 2 on. To exchange 1 their players contribute what they have revealed in the
call, of a chain that was fixed before it: who answers last could choose a new one to suit the dice.

The roots of a game that has ended stand in keys/roots, one "<name> <hex>\n" for each, in this order:
chain, secret-chain, salt, seal. The master they come from is never shown; it may serve other games.

Whoever knows a step knows all before it, so nobody may reveal a step before the signed ledger says that
its exchange is open; a reveal is checked against the last step that was verified.

A mix file holds what was revealed for an exchange, and gives the key of its dice:

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
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Literal

from pbem.characters import split_words
from pbem.trust.faults import ChainFault
from pbem.trust.formats import MAX_MIX_SIZE
from pbem.trust.identifiers import check_game_id, check_label, is_hash, is_number, is_token, quote, split_who

CHAIN_STEPS = 4_096
OPEN_CHAIN = "gm.1"
DRAW_CHAIN = "gm-secret.1"

SubRoot = Literal["chain", "secret-chain", "salt", "seal"]
Commitment = Literal["salt-root", "seal-root"]
_SUB_ROOTS: tuple[SubRoot, ...] = ("chain", "secret-chain", "salt", "seal")


def derive_root(master: bytes, game: str, name: SubRoot) -> bytes:
    """Return one of the four secrets that the judge's master gives for a game."""
    check_key(master)
    return hmac.digest(master, f"pbem1 root {check_game_id(game)} {name}".encode(), "sha256")


@dataclass(frozen=True, slots=True)
class Roots:
    """The judge's four secrets of one game."""

    chain: bytes = field(repr=False)
    secret_chain: bytes = field(repr=False)
    salt: bytes = field(repr=False)
    seal: bytes = field(repr=False)

    @classmethod
    @lru_cache(maxsize=1024)
    def of(cls, master: bytes, game: str) -> Roots:
        """Return the roots that the judge's master gives for `game`."""
        return cls(*(derive_root(master, game, name) for name in _SUB_ROOTS))

    @property
    def text(self) -> bytes:
        """The bytes of the file keys/roots, which holds the four secrets."""
        values = (self.chain, self.secret_chain, self.salt, self.seal)
        pairs = zip(_SUB_ROOTS, values, strict=True)
        return "".join(f"{name} {value.hex()}\n" for name, value in pairs).encode()


def parse_roots(data: bytes) -> Roots:
    """Return the roots in a file keys/roots, which must be exactly what `Roots.text` writes."""
    words = split_words(data[:1024].decode("ascii", errors="replace"))
    if len(words) != 8 or not all(is_hash(word) for word in words[1::2]):
        raise ChainFault("the file of the roots is not written as its format demands")
    roots = Roots(*(bytes.fromhex(word) for word in words[1::2]))
    if roots.text != data:
        raise ChainFault("the file of the roots is not written as its format demands")
    return roots


def commitment(game: str, name: Commitment, secret: bytes) -> str:
    """Return the hash by which genesis commits to a root, which is checked when the root is shown."""
    check_key(secret)
    return _sha256(f"pbem1 commit {check_game_id(game)} {name} {secret.hex()}\n")


def chain_link(game: str, who: str, step: int, value: str) -> str:
    """Return the link x[step - 1] of a chain, computed from the link x[step]."""
    return _sha256(f"pbem1 chain {game} {who} {step} {value}\n")


@dataclass(frozen=True, slots=True)
class Chain:
    """A whole chain in its owner's hands: every 64th link, so that a reveal costs 64 hashes at most."""

    game: str
    who: str
    stones: tuple[str, ...] = field(repr=False)
    """Every 64th link of the chain: x[0], x[64], x[128] ... x[4096]."""

    @property
    def anchor(self) -> str:
        """The link x[0] of the chain, which genesis or the enrolment names."""
        return self.stones[0]

    def reveal(self, step: int) -> str:
        """Return the link x[step] of the chain. Whoever knows a step knows every earlier one as well."""
        if not 1 <= step <= CHAIN_STEPS:
            raise ChainFault(f"a chain has the steps 1 to {CHAIN_STEPS:,}, and no step {step}")
        stone = -(-step // _STRIDE)
        value = self.stones[stone]
        for known in range(stone * _STRIDE, step, -1):
            value = chain_link(self.game, self.who, known, value)
        return value


_STRIDE = 64


@lru_cache(maxsize=1024)
def make_chain(game: str, who: str, last: bytes) -> Chain:
    """Return the chain whose x[4096] is `last`, 32 secret random bytes (about 3 ms; results are cached)."""
    check_key(last)
    check_game_id(game)
    split_who(who)
    value, sha256 = last.hex(), hashlib.sha256
    stones, before = [value], f"pbem1 chain {game} {who} "
    for step in range(CHAIN_STEPS, 0, -1):
        # what chain_link returns, without two calls for each of 4,096 links
        value = sha256(f"{before}{step} {value}\n".encode()).hexdigest()
        if not (step - 1) % _STRIDE:
            stones.append(value)
    return Chain(game, who, tuple(reversed(stones)))


@dataclass(frozen=True, slots=True)
class Reveal:
    """One published step of a chain; step 0 is its anchor."""

    who: str
    step: int
    value: str
    under: str = field(default="", compare=False)
    """The name under which the links of a known step's chain are hashed; "" means the ledger's own name."""

    @property
    def text(self) -> str:
        """The three fields of the step, as they stand after `reveal` or `anchor`."""
        return f"{self.who} {self.step} {self.value}"


def parse_reveal(fields: str) -> Reveal:
    """Return the step of a chain that the fields `<who> <step> <hex>` write; step 0 is an anchor."""
    words = fields.split(" ")
    if len(words) != 3 or not is_number(words[1]) or not is_hash(words[2]) or int(words[1]) > CHAIN_STEPS:
        raise ChainFault(
            f"{quote(fields, 100)} is not a reveal; one is a chain's name, a step and 64 hex digits"
        )
    split_who(words[0])
    return Reveal(words[0], int(words[1]), words[2])


def check_reveal(game: str, reveal: Reveal, known: Reveal) -> None:
    """Raise ChainFault unless `reveal` lies on the chain of which `known` is an earlier verified step."""
    if reveal.who != known.who:
        raise ChainFault(f"the reveal is of the chain {reveal.who}, where one of {known.who} is due")
    if not known.step < reveal.step <= CHAIN_STEPS:
        raise ChainFault(
            f"the reveal is of step {reveal.step}; step {known.step} of {known.who} is known already"
        )
    value = reveal.value
    for step in range(reveal.step, known.step, -1):
        value = chain_link(known.under or game, reveal.who, step, value)
    if value != known.value:
        raise ChainFault(
            f"the reveal of step {reveal.step} does not lead back to step {known.step} of {known.who}"
        )


def take_proven(known: dict[str, Reveal], reveals: Iterable[Reveal]) -> None:
    """Update `known`, the latest proven step of each chain, with steps that were proven."""
    for reveal in reveals:
        before = known.get(reveal.who)
        if before is not None and before.under:
            if reveal.step == 1:
                continue  # a share in exchange 1, which is of another chain
            known[reveal.who] = replace(reveal, under=before.under)
        else:
            known[reveal.who] = reveal


def sent_name(ledger: str, call: int, number: int) -> str:
    """Return the name under which the links of a chain sent with the answer to a call are hashed."""
    return check_game_id(f"{ledger}.{call}.{number}")


def check_key(key: bytes) -> None:
    """Raise ChainFault unless a secret has 32 bytes; to HMAC k and k plus a zero byte are the same key."""
    if len(key) != 32:
        raise ChainFault("a secret has exactly 32 bytes")


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode("ascii")).hexdigest()


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
