"""The pages of a club's site about titles that can be played: their length here, decisions and orders."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from statistics import median_low
from typing import TYPE_CHECKING

from pbem.guides import guide, guide_to, title_of
from pbem.rules import names

if TYPE_CHECKING:
    from pbem.pictures.base import Picture

_EXAMPLE = re.compile(r"^```\n(?:.*\n)+?```$|(?:^    .*\n)+", re.MULTILINE)
"""The pattern of an example in Markdown: lines in a fence, or indented lines."""


@dataclass(frozen=True, slots=True)
class TitleView:
    """A title that can be played, with the lengths of its games in this club."""

    name: str
    """The name of the title's rules."""
    title: str
    exchanges: tuple[int, ...]
    """The numbers of exchanges of the club's finished games of the title, the shortest first."""
    days: tuple[int, ...]
    """The numbers of days that these finished games took, from the first to the last day, where they are
    known."""

    @property
    def length(self) -> str:
        """The length of the title's games in this club, in words; "" if none has ended yet."""
        if not self.exchanges:
            return ""
        return ", ".join(filter(None, (_range(self.exchanges, "exchange"), _range(self.days, "day"))))


def _range(numbers: Sequence[int], unit: str) -> str:
    """Return the middle of sorted numbers, and their range if they differ."""
    if not numbers:
        return ""
    middle = median_low(numbers)
    said = f"{middle} {unit}{'' if middle == 1 else 's'}"
    return said if numbers[0] == numbers[-1] else f"{said} ({numbers[0]} to {numbers[-1]})"


@dataclass(frozen=True, slots=True)
class TitleFacts:
    """The facts of a title that do not depend on the club."""

    players: str
    questions: int
    """Number of kinds of questions that the title's players answer."""
    rulings: int
    """Number of rulings on doubtful points of the title's rules."""
    orders: str
    """An order file as an example; "" if the program has no page on the title's orders."""
    guide: str
    """The name of the page on the title's orders; "" if there is none."""
    picture: str
    """The SVG text of the picture of the first position; "" if it cannot be drawn."""
    is_default: bool
    """Whether the guided first game for beginners is of this title."""


def title_views(finished: Sequence[tuple[str, int, int]]) -> Iterator[TitleView]:
    """Yield the titles that can be played, with the lengths of their finished games.

    `finished`: the rules of each game, its exchanges, and its days (0 if they are not known).
    """
    for name, title in _installed():
        games = [(exchanges, days) for rules, exchanges, days in finished if rules == name]
        yield TitleView(
            name=name,
            title=title,
            exchanges=tuple(sorted(exchanges for exchanges, _ in games)),
            days=tuple(sorted(days for _, days in games if days)),
        )


@cache
def _installed() -> tuple[tuple[str, str], ...]:
    """Return the names and titles of the games that can be played; leave out faulty ones."""
    found = []
    for name in names():
        try:
            found.append((name, title_of(name)))
        except Exception:  # noqa: BLE001, S112 - what is wrong is told to whoever names it
            continue
    return tuple(found)


def title_facts(name: str) -> TitleFacts:
    """Return the facts of a title, which must import the title's module."""
    from pbem.titles import default_name, load

    title, page = load(name), guide_to(name)
    counts = sorted({len(title.rules.sides(title.rules.checked(dict(one)))) for one in title.variants})
    example = _EXAMPLE.search(guide(page)) if page else None
    picture = title_picture(name)
    return TitleFacts(
        players=f"{counts[0]}" if len(counts) == 1 else f"{counts[0]} to {counts[-1]}",
        questions=len(title.words.questions),
        rulings=len(title.rulings),
        orders=_unindented(example[0]) if example else "",
        guide=page,
        picture=picture.words if picture else "",
        is_default=name == default_name(),
    )


def _unindented(text: str) -> str:
    """Return an example in Markdown without the fence or the indentation that marks it."""
    return re.sub(r"^(?:```|    )", "", text, flags=re.MULTILINE).strip("\n")


def title_picture(name: str) -> Picture | None:
    """Return the picture of a title's first position as everybody sees it; None if it cannot be drawn."""
    from pbem.practice.table import SeededChance
    from pbem.rules.base import EVERYBODY
    from pbem.titles import load

    title = load(name)
    if title.pictures is None:
        return None
    options = title.rules.checked(dict(title.variants[0]))
    return title.pictures.draw(title.rules.start(options, SeededChance(name)).view(EVERYBODY), ())
