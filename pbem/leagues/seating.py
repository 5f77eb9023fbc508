"""The seats of a round's games, which the last call before the games fixes.

That is the call of the draw, or that of the seats where sides are bid for. Its `open` fixes the judge's part
in each game that the round may have, before anybody has answered; the answers bring the players' (replies):

    chains <m>                      so many chains each who is asked sends
    game <k> <hex> <hex>   each     the anchors of gm.1 and gm-secret.1 in the game <league>-r<round>-<k>

So neither side can choose the dice of a game by what the other has sent. The most games of one, and of the
round, are worked out by one function (round_drawing.most_games), which judge and audit ask. The i-th game of
a player, in the order of pairings, has their i-th chain.
"""

from __future__ import annotations

from dataclasses import dataclass

from pbem.trust.entries import Open
from pbem.trust.faults import LedgerFault
from pbem.trust.fields import HASH, NUMBER


@dataclass(frozen=True, slots=True)
class Seating:
    """The facts about a round's games that a call fixes before anybody has answered it."""

    chains: int
    """Number of chains that each player is asked for: the most games that a player may get in the round."""
    games: tuple[tuple[str, str], ...]
    """The judge's open and secret anchor in each game that the round may have, in the order of pairings."""

    @property
    def lines(self) -> tuple[str, ...]:
        """Return the lines of the seating in `open`, below the line with the call's purpose."""
        games = (f"game {number} {anchor} {secret}" for number, (anchor, secret) in enumerate(self.games, 1))
        return f"chains {self.chains}", *games


def game_name(ledger: str, number: int, pairing: int) -> str:
    """Return the name of the game of a round's pairing."""
    return f"{ledger.removeprefix('league.')}-r{number}-{pairing}"


def seating_of(entry: Open) -> Seating | None:
    """Return what a call fixes for the games that the call seats; None if the call seats none.

    Raises:
        LedgerFault: the call's lines are not those of a call that seats games.
    """
    if not (lines := entry.extra[1:]):
        return None
    found, games = 0, list[tuple[str, str]]()
    for line in lines:
        match line.split(" "):
            case ["chains", number] if not games:
                found = NUMBER.read(number)
            case ["game", number, anchor, secret] if number == str(len(games) + 1):
                games.append((HASH.read(anchor), HASH.read(secret)))
    seating = Seating(found, tuple(games))
    if seating.lines != lines:
        raise LedgerFault(f"call {entry.exchange} does not fix the games of its round as it must")
    return seating
