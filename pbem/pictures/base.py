"""The interface between a game's pictures and everything else.

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
    """The background of a picture: its size in pixels, and its elements as SVG."""

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
    """A picture of a board with layers, with a description in words."""

    board: Board
    layers: tuple[Layer, ...]
    words: str
    """The description of the picture for those who do not see it, in one or a few sentences."""

    @property
    def svg(self) -> str:
        """The whole picture as SVG."""
        laid = (group([layer.svg], transform=f"translate({layer.x},{layer.y})") for layer in self.layers)
        return document(self.board.width, self.board.height, self.words, [self.board.svg, *laid])


@dataclass(frozen=True, slots=True, kw_only=True)
class CardFace:
    """The face of a card that stands for a line of orders, which a reader may tap."""

    about: str = ""
    """The large words on the card; empty if they are the words of the line."""
    added: str = ""
    """The words below the large ones, such as what the card does; empty if they are the line's own."""
    copies: int = 1
    """The number of equal cards that the reader holds and may play by the same line of orders."""


class Painter(Protocol):
    """The object that draws the pictures of a game's views."""

    def draw(self, view: View, told: Sequence[Event]) -> Picture:
        """Return a picture of where everything stands in `view`, and of what moved in `told` before it."""


@runtime_checkable
class CardPainter(Painter, Protocol):
    """A painter that also knows the faces of the cards in a hand; a title may do without it."""

    def card_faces(self, view: View) -> Mapping[str, CardFace]:
        """Return the faces of cards by the line that plays them, if a face says more than its line."""
