"""What stands below the head of a file that a call asks for.

In a call for a draw, nothing. In a call for seats, for each game of the player's:

    chain <game> <64 hex>       the anchor of their chain for this game's dice, as a join file has it
    bid <game> <words>          what they bid for a side, where sides are bid for: e1 to s3

Lines that are not understood count for nothing and are told in the receipt; a player whose chain is missing
plays without a share in that game's dice.
"""

from __future__ import annotations

from dataclasses import dataclass

from pbem.trust.identifiers import is_hash, is_token, shown

MOST_LINES = 400


@dataclass(frozen=True, slots=True)
class Reply:
    """What a file for a call says: pairs of a game and what is said of it."""

    anchors: tuple[tuple[str, str], ...] = ()
    bids: tuple[tuple[str, str], ...] = ()
    faults: tuple[str, ...] = ()

    @property
    def body(self) -> str:
        """The lines."""
        lines = [f"chain {game} {anchor}" for game, anchor in self.anchors]
        lines += [f"bid {game} {words}" for game, words in self.bids]
        return "".join(f"{line}\n" for line in lines)


def parse_reply(body: str) -> Reply:
    """What a file says; the first line about a game counts."""
    anchors: dict[str, str] = {}
    bids: dict[str, str] = {}
    faults: list[str] = []
    for number, line in enumerate(body.splitlines()[:MOST_LINES], 1):
        match line.split():
            case []:
                continue
            case ["chain", game, anchor] if is_token(game) and is_hash(anchor):
                anchors.setdefault(game, anchor)
            case ["bid", game, words] if is_token(game) and is_token(words.lower()):
                bids.setdefault(game, words.lower())
            case _:
                faults.append(f"line {number}: {shown(line)}; a line is chain GAME HEX, or bid GAME E1")
    return Reply(tuple(anchors.items()), tuple(bids.items()), tuple(faults))
