"""Writes the page of all that a player signs from its table: python -m tests.tools.signed_text_page."""

from __future__ import annotations

from pathlib import Path

from pbem.signed_texts import CLUB, FORMS, GAME, LEAGUE, TEXTS

PAGE = Path(__file__).parents[2] / "pbem/docs/signed-texts.md"
HEAD = """\
# What a player signs

Everything that a player does is a signed text: the judge believes no mail header and no password. Each is
signed by a [command](commands.md), or in [the page](page.md), where a form asks for its fields and says what
follows. It goes out by the club's [post box](box.md), or as a file to mail to the judge. The page's forms for
a game stand below its orders, under "More that you can sign"; those for a league in the league's own view.

This page is written from `pbem/signed_texts.py` by `python -m tests.tools.signed_text_page`, as the forms
and the commands' help are.
"""
SECTIONS = {CLUB: "About all games with one judge", GAME: "About one game", LEAGUE: "About a league"}


def page() -> str:
    """The page, with a section for each text."""
    parts = [HEAD]
    for about, heading in SECTIONS.items():
        parts.append(f"## {heading}\n")
        for text in TEXTS.values():
            if text.about != about:
                continue
            where = "" if text.place == FORMS else f" In the page: {text.place}."
            fields = "; ".join(one.words for one in text.fields)
            asks = f"- asks for: {fields}\n" if fields else ""
            parts.append(
                f"### {text.title}\n\n{text.help}{where}\n\n- offered: {text.offered}\n"
                f"- leads to: {text.leads}\n{asks}- command: `pbem {text.command}`\n"
            )
    return "\n".join(parts)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
