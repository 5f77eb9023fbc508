"""Pictures between a game and everything else: what the game draws, and how it is rendered as PNG.

A game that can be drawn has a `Painter`. Whatever it draws comes from one reader's view and from what that
reader was told, so that a picture shows what its reader may know and nothing else.

A picture is a board, which is the same for many pictures, and layers upon it, which are small and recur: that
is why the hundredth map of a game is drawn in a tenth of the time of the first.

The PNG is for mail programs that show no SVG. Only the font that lies beside this module is used: without one
the renderer would leave out every word and say nothing. Boards and layers are rendered once each and kept; a
picture is put together from them and written with few colours, which makes it a third as large: those of its
board, if the layers have no others.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from pbem.pictures.svg import FONT, document, group
from pbem.rules.base import Event, View

if TYPE_CHECKING:
    from PIL.Image import Image

FONT_FILE = "DejaVuSansCondensed-Bold.ttf"
COLOURS = 128
NOT_FAR = 48
_COLOUR = re.compile(r'\b(?:fill|stroke|color|style)="([^"]+)"')


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


def png(picture: Picture) -> bytes:
    """Return the picture as PNG, as large as its board."""
    from PIL.Image import Dither, Quantize

    canvas = true_colours(picture)
    known = _colours(picture.board.svg)
    if all(_colours(layer.svg) <= known for layer in picture.layers):
        few = canvas.quantize(palette=_palette(picture.board), dither=Dither.NONE)
    else:
        few = canvas.quantize(COLOURS, method=Quantize.MEDIANCUT, dither=Dither.NONE)
    out = BytesIO()
    few.save(out, "PNG", compress_level=4)
    return out.getvalue()


def true_colours(picture: Picture) -> Image:
    """Return the picture with all the colours that it was drawn with."""
    canvas = _board(picture.board).copy()
    for layer in picture.layers:
        drawn = _render(layer.svg, layer.width, layer.height)
        canvas.paste(drawn, (layer.x, layer.y), drawn)
    return canvas


def off_colour(picture: Picture) -> float:
    """Return the share of pixels that differ in the PNG by more than `NOT_FAR` of 255 in any channel."""
    from PIL import Image, ImageChops

    few = Image.open(BytesIO(png(picture))).convert("RGB")
    apart = ImageChops.difference(few, true_colours(picture))
    red, green, blue = (channel.point(lambda value: 255 * (value > NOT_FAR)) for channel in apart.split())
    far = ImageChops.lighter(ImageChops.lighter(red, green), blue)
    return far.histogram()[255] / (few.width * few.height)


@lru_cache(maxsize=4096)
def _colours(svg: str) -> frozenset[str]:
    """Return the colours that are named in SVG elements, as they are written there."""
    return frozenset(_COLOUR.findall(svg))


@lru_cache(maxsize=8)
def _board(board: Board) -> Image:
    return _render(board.svg, board.width, board.height).convert("RGB")


@lru_cache(maxsize=8)
def _palette(board: Board) -> Image:
    from PIL.Image import Quantize

    return _board(board).quantize(COLOURS, method=Quantize.MEDIANCUT)


@lru_cache(maxsize=2048)
def _render(svg: str, width: int, height: int) -> Image:
    """Return an image of SVG elements on transparent ground."""
    import resvg_py
    from PIL import Image

    drawn = resvg_py.svg_to_bytes(
        svg_string=document(width, height, "", [svg]),
        font_files=[str(Path(__file__).parent / "fonts" / FONT_FILE)],
        skip_system_fonts=True,
        font_family=FONT,
        sans_serif_family=FONT,
    )
    return Image.open(BytesIO(bytes(drawn))).convert("RGBA")
