"""Write the index by section of a game's RULINGS.md, from the headings of its rulings.

    python -m tests.hammer.index_rulings

tests/test_rulings.py fails while the index says anything else than the headings.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from pathlib import Path
from textwrap import fill

from pbem.rules import Ruling, parse_rulings

PROJECT = Path(__file__).parent.parent.parent
RULINGS = PROJECT / "pbem/rules/hammer/RULINGS.md"
SECTIONS = PROJECT / "tests/cases/hammer/sections.toml"

HEADING = "## Index by section"
BEFORE = """
Look up the section that you read in the rulebook: these rulings are about it. A section that is not listed
is played as it reads.

The German rules number some sections otherwise: their 7.61 is 7.62 here and their 7.62 is 7.61; their second
2.25 is 2.26, their second 4.6 is 4.7, their 5.24 is 5.4. Their notes on the cards are here under 3.12.
"""
WIDTH = 110
CARDS_SECTION = "3.12"
CARDS = ("Herald", "Pillage", "Sea Move", "Truce", "Victuals")  # with these the titles of their rulings begin
SIDEBARS = {  # those of the rulebook that have no number but settle something: what is ruled about them
    "Closing Borders": ("R74", "R75", "R76"),
    "Coronation & English Event Card": ("R30",),
    "Defection Battles": ("R13", "R33"),
    "Raids and Truces": ("R25", "R26"),
    "Schiltroms": ("R85",),
}


def index(rulings: tuple[Ruling, ...]) -> str:
    """The index as it ought to stand in RULINGS.md, heading and all, up to the next heading."""
    return f"{HEADING}\n{BEFORE}\n" + "\n".join(_entries(rulings)) + "\n\n"


def _entries(rulings: tuple[Ruling, ...]) -> Iterator[str]:
    titles = tomllib.loads(SECTIONS.read_text(encoding="utf-8"))["section"]
    for number, section in titles.items():
        found = [ruling for ruling in rulings if number in ruling.sections]
        cards: tuple[str, ...] = CARDS if number == CARDS_SECTION else ()
        if other := [ruling for ruling in found if not ruling.title.startswith(cards)]:
            yield _entry(f"**{number}** {section['title']}", other)
        for card in cards:
            about = [ruling for ruling in found if ruling.title.startswith(card)]
            yield _entry(f"**{number}** {card}", about)
    for title, numbers in SIDEBARS.items():
        yield _entry(f"Sidebar *{title}*", [ruling for ruling in rulings if ruling.number in numbers])
    yield _entry("Tournament play", [ruling for ruling in rulings if "bid" in ruling.house_rules])
    yield _entry("Without a section", [ruling for ruling in rulings if not ruling.sections])


def _entry(title: str, rulings: list[Ruling]) -> str:
    named = "; ".join(f"{ruling.number} {ruling.title}" for ruling in rulings)
    return fill(f"- {title}: {named}", WIDTH, subsequent_indent="  ", break_on_hyphens=False)


def written(text: str) -> str:
    """RULINGS.md with this index in the place of the one it has."""
    before, _, rest = text.partition(f"{HEADING}\n")
    _, _, after = rest.partition("\n## ")
    return f"{before}{index(parse_rulings(text))}## {after}"


if __name__ == "__main__":
    RULINGS.write_text(written(RULINGS.read_text(encoding="utf-8")), encoding="utf-8")
