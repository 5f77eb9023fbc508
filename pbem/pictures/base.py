"""The surface between a game's pictures and everything else.

A game that can be drawn has a `Painter`. Whatever it draws comes from one reader's view and from what that
reader was told, so that a picture shows what its reader may know and nothing else.

A picture is a board, which is the same for many pictures, and layers upon it, which are small and recur: that
is why the hundredth map of a game is drawn in a tenth of the time of the first.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from pbem.pictures.svg import document, group
from pbem.rules.base import Event, View


@dataclass(frozen=True, slots=True)
class Board:
    """What lies below everything: its size in pixels, and its elements as SVG."""

    width: int
    height: int
    svg: str


@dataclass(frozen=True, slots=True)
class Layer:
    """A few elements in a frame of their own, laid on the board with its upper left corner at x and y."""

    svg: str
    x: int
    y: int
    width: int
    height: int


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture, and in words what is to be seen on it."""

    board: Board
    layers: tuple[Layer, ...]
    words: str
    """One or a few sentences for those who do not see it."""

    @property
    def svg(self) -> str:
        """The whole picture."""
        laid = (group([layer.svg], transform=f"translate({layer.x},{layer.y})") for layer in self.layers)
        return document(self.board.width, self.board.height, self.words, [self.board.svg, *laid])


@dataclass(frozen=True, slots=True, kw_only=True)
class CardFace:
    """What a card bears where it stands for a line of orders that a reader may tap."""

    about: str = ""
    """Its large words; empty for those of the line."""
    added: str = ""
    """What stands below them, such as what the card does; empty for the line's own."""
    copies: int = 1
    """Cards alike that the reader holds and may play by this line."""


class Painter(Protocol):
    """How a game is drawn."""

    def draw(self, view: View, told: Sequence[Event]) -> Picture:
        """Return where everything stands in `view`, and what moved in `told`, which led to it."""


@runtime_checkable
class CardPainter(Painter, Protocol):
    """A painter that also knows what the cards of a hand bear; a title may do without it."""

    def card_faces(self, view: View) -> Mapping[str, CardFace]:
        """Return the faces of cards by the line that plays them, as far as they say more than it."""
