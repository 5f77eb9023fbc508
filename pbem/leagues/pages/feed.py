"""Writes the news of a league as a feed (Atom, RFC 4287)."""

from uuid import NAMESPACE_OID, uuid5
from xml.etree import ElementTree as ET

from pbem.characters import plain
from pbem.leagues.model import LeagueView

NAMESPACE = "http://www.w3.org/2005/Atom"


def feed(league: LeagueView) -> bytes:
    """Return the feed of all news, the latest first; it depends on nothing but the league."""
    own = uuid5(NAMESPACE_OID, league.genesis)
    root = ET.Element("feed", xmlns=NAMESPACE)
    _text(root, id=own.urn, title=league.name, updated=league.news[0].at)
    _text(ET.SubElement(root, "author"), name=league.name)
    ET.SubElement(root, "link", href="index.html")
    for one in league.news:
        entry = ET.SubElement(root, "entry")
        _text(
            entry, id=uuid5(own, one.key).urn, title=one.title, updated=one.at, summary=one.text or one.title
        )
        ET.SubElement(entry, "link", href="index.html")
    ET.indent(root, " ")
    data: bytes = ET.tostring(root, encoding="utf-8", xml_declaration=True)
    return data + b"\n"


def _text(parent: ET.Element, **values: str) -> None:
    """Add child elements, each with a text; characters that XML cannot hold become blanks."""
    for tag, value in values.items():
        ET.SubElement(parent, tag).text = plain(value)
