"""The players whom a club's site lists: their results in the games that it shows, and their ratings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pbem.site.view import GameView

if TYPE_CHECKING:
    from pbem.ratings.club_ratings import ClubRating

WON, DRAWN, LOST = "won", "drawn", "lost"


@dataclass(slots=True)
class Score:
    """The results of one player on one side of a title."""

    results: dict[str, int] = field(default_factory=lambda: dict.fromkeys((WON, DRAWN, LOST), 0))

    @property
    def played(self) -> int:
        """The number of games that have ended."""
        return sum(self.results.values())


@dataclass(slots=True)
class PlayerView:
    """A player as the site lists them, by games whose players all wish to be shown."""

    name: str
    scores: dict[tuple[str, str, str], Score] = field(default_factory=dict)
    """The player's scores by title, name of its rules, and side."""
    running: list[str] = field(default_factory=list)
    """The names of the games that the player plays now."""
    opponents: list[str] = field(default_factory=list)
    ratings: Sequence[ClubRating] = ()
    """The player's ratings by title, over all leagues and rated games of the club."""


def list_players(
    games: Sequence[GameView], ratings: Mapping[str, Sequence[ClubRating]]
) -> tuple[PlayerView, ...]:
    """Return the players of shown games by name, each with the ratings under this name."""
    found: dict[str, PlayerView] = {}
    for game in games:
        names = {name for _, name in game.players}
        for (side, name), result in zip(game.players, _results(game), strict=False):
            player = found.setdefault(name, PlayerView(name, ratings=ratings.get(name, ())))
            player.opponents = sorted(names.union(player.opponents) - {name})
            if not game.is_over:
                player.running.append(game.facts.game)
            else:
                key = game.facts.title, game.facts.rules, side
                player.scores.setdefault(key, Score()).results[result] += 1
    for player in found.values():
        player.scores = dict(sorted(player.scores.items()))
    return tuple(found[name] for name in sorted(found))


def _results(game: GameView) -> Iterator[str]:
    """Yield the result of each side in a game, in order; in a running game they mean nothing.

    A game is drawn if all sides share the first place. Whoever shares it with some of them has won.
    """
    places = game.facts.places or (1,) * len(game.players)
    for place in places:
        yield DRAWN if max(places) == 1 else WON if place == 1 else LOST
