r"""Hash chains, which everyone fixes when the game opens and then reveals one step at a time.

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
"""

import hashlib
import hmac
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Literal

from pbem.characters import split_words
from pbem.trust.faults import ChainFault
from pbem.trust.identifiers import check_game_id, is_hash, is_number, quote, split_who

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
    def of(cls, master: bytes, game: str) -> "Roots":
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
