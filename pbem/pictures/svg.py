"""The writing of SVG: the same picture always gives the same bytes; no scripts, no links, text escaped.

Sizes and places are in the picture's own units, which are pixels when it is not scaled.
"""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

FONT = "DejaVu Sans Condensed"
"""The font that is shipped beside this module; other programs that show an SVG may take their own."""


def number(value: float) -> str:
    """Return a number as text, with at most one digit after the point, and none that is not needed."""
    return f"{round(value, 1) + 0.0:.1f}".removesuffix(".0")


def element(name: str, *inner: str, **attributes: str | float) -> str:
    """Return one SVG element: `stroke_width=2` becomes `stroke-width="2"`, a trailing `_` is dropped."""
    given = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(value) if isinstance(value, str) else number(value)}"'
        for key, value in attributes.items()
    )
    return f"<{name}{given}>{''.join(inner)}</{name}>" if inner else f"<{name}{given}/>"


def path(lines: str, **attributes: str | float) -> str:
    """Return an SVG path element; `lines` is its `d` attribute, such as "M 0 0 L 10 5"."""
    return element("path", d=lines, **attributes)


def rectangle(x: float, y: float, width: float, height: float, **attributes: str | float) -> str:
    """Return an SVG rectangle, placed by its upper left corner."""
    return element("rect", x=x, y=y, width=width, height=height, **attributes)


def text(x: float, y: float, said: str, size: float, **attributes: str | float) -> str:
    """Return words as SVG, centred at x unless `text_anchor` says otherwise; y is the line they stand on."""
    given: dict[str, str | float] = {"text_anchor": "middle", "font_size": size, **attributes}
    return element("text", escape(said, quote=False), x=x, y=y, **given)


def group(inner: Iterable[str], **attributes: str | float) -> str:
    """Return a group of elements that share attributes; nothing if there are no elements."""
    parts = list(inner)
    return element("g", *parts, **attributes) if parts else ""


def standing_for(name: str, inner: Iterable[str]) -> str:
    """Return a group of elements that stands for a name in orders, by which a page finds what was tapped."""
    return group(inner, data_name=name)


def document(width: int, height: int, title: str, inner: Iterable[str]) -> str:
    """Return a whole picture as SVG; screen readers say its title."""
    head = element("title", escape(title, quote=False))
    return (
        element(
            "svg",
            head,
            *inner,
            xmlns="http://www.w3.org/2000/svg",
            viewBox=f"0 0 {width} {height}",
            width=width,
            height=height,
            font_family=f"{FONT}, Verdana, sans-serif",
            font_weight="bold",
            role="img",
        )
        + "\n"
    )
