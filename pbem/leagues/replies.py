"""The body of a file by which a player answers a call of a league.

In the call that seats a round, for each game that its player may get, counted from 1 (seating):

    chain <i> <64 hex>    the anchor of a chain for a game's dice; its links are hashed under the name
                          <ledger>.<call>.<i> (trust.chance), as <player>.1
    bid <game> <words>    what they bid for a side, where sides are bid for: e1 to s3

In any other call, nothing. Lines that are not understood count for nothing and are told in the receipt; whose
chain is missing plays without a share in that game's dice. Exchange 1 of each game takes the step that the
file itself reveals: its chain was fixed before the call, and nobody can choose it by what others have sent.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from pbem.characters import lower, split_lines, split_words
from pbem.trust.formats import MAX_GAMES
from pbem.trust.identifiers import is_hash, is_number, is_token, quote
from pbem.trust.orderfile import OrderFile

MAX_LINES = 400


class Sent(NamedTuple):
    """The chain that a player sends for a game that the player may get."""

    number: int
    anchor: str
    share: str
    """The step that the player's file reveals, which stands for the chain in exchange 1."""

    @property
    def line(self) -> str:
        """Return the line of the chain in a reply."""
        return f"chain {self.number} {self.anchor}"


@dataclass(frozen=True, slots=True)
class Reply:
    """The content of a player's file for a call; `bids` are pairs of a game and the bid in it."""

    chains: tuple[Sent, ...] = ()
    bids: tuple[tuple[str, str], ...] = ()
    faults: tuple[str, ...] = ()

    @property
    def body(self) -> str:
        """Return the lines of the reply as the body of a file."""
        lines = [*(sent.line for sent in self.chains), *(f"bid {game} {words}" for game, words in self.bids)]
        return "".join(f"{line}\n" for line in lines)


def parse_reply(body: str, share: str) -> Reply:
    """Parse a file's body; `share` is the step that the file reveals, or none.

    The first line about a chain or a game counts.
    """
    chains: dict[int, Sent] = {}
    bids: dict[str, str] = {}
    faults: list[str] = []
    for number, line in enumerate(split_lines(body)[:MAX_LINES], 1):
        match split_words(line):
            case []:
                continue
            case ["chain", which, anchor] if share and _is_chain(which, anchor):
                chains.setdefault(int(which), Sent(int(which), anchor, share))
            case ["bid", game, words] if is_token(game) and is_token(lower(words)):
                bids.setdefault(game, lower(words))
            case _:
                faults.append(f"line {number}: {quote(line)} is neither chain 1 HEX nor bid GAME E1")
    return Reply(tuple(sent for _, sent in sorted(chains.items())), tuple(bids.items()), tuple(faults))


def reply_in(file: OrderFile) -> Reply:
    """Return the content of a file that counts as the answer to a call."""
    return parse_reply(file.body, file.reveal.value if file.reveal is not None else "")


def _is_chain(which: str, anchor: str) -> bool:
    return is_number(which) and 1 <= int(which) <= MAX_GAMES and is_hash(anchor)
