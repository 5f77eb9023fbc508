"""The player's page that a club recommends: what club.toml may say of it, and that invitations do."""

from __future__ import annotations

import re
from html import unescape
from typing import Any
from urllib.parse import quote

import pytest

from pbem.errors import ConfigError
from pbem.judge.club import open_club
from pbem.judge.letters.addresses import WebPage, webpage_of
from pbem.judge.letters.letters_out import invitation
from pbem.judge.newgame import new_game
from pbem.trust.times import find_clock
from pbem.web.table import NAMES_A_PAGE
from tests.judge.table import GAME, SEATS, TITLE, Table
from tests.leagues.world import file_of
from tests.web.table import pbem

ADDRESS, BOX, HASH = "https://play.club.example/", "https://box.club.example/", "9" * 64
PAGE = WebPage(ADDRESS, HASH)


def said(**page: object) -> dict[str, Any]:
    return {"page": {"address": ADDRESS, "sha256": HASH, **page}}


def test_a_page_is_read_and_none_is_none() -> None:
    assert webpage_of(said()) == PAGE
    assert webpage_of({"days": 7}) is None
    assert webpage_of(said(address="http://localhost:8000/")) is not None


def test_a_link_to_join_names_game_and_judge_as_the_page_reads_them() -> None:
    key = f"SHA256:{'a/' * 10}+{'b' * 22}"
    assert PAGE.link_to_join("hearth", key) == f"{ADDRESS}#join/hearth/{key}"
    assert PAGE.link_to_join("hearth", key, "lords") == f"{ADDRESS}#join-lords/hearth/{key}"
    assert WebPage(f"{ADDRESS}#tour", HASH).link_to_join("hearth", key) == f"{ADDRESS}#join/hearth/{key}"


@pytest.mark.ci
def test_the_judge_writes_the_link_where_a_page_is_named(table: Table) -> None:
    club, judge = table.club.path, table.club.key.public.fingerprint
    seats = [word for name, side in SEATS.items() for word in ("--seat", f"{side}={name}")]
    opened = pbem("new", "first", "--rules", TITLE.name, *seats, PBEM_CLUB=club)
    assert "#join" not in opened + pbem("status", PBEM_CLUB=club)
    path = club / "club.toml"
    more = f'[box]\nurl = "{BOX}"\n[page]\naddress = "{ADDRESS}"\nsha256 = "{HASH}"\n'
    path.write_text(f"{path.read_text()}\n{more}")
    assert f"{ADDRESS}#join/GAME/{judge}\n" in pbem("status", PBEM_CLUB=club), "it may not talk to the box"
    path.write_text(f'{path.read_text()}\nboxes = ["{BOX}"]\n')
    judge += f"/{quote(BOX, safe='')}"
    opened = pbem("new", "second", "--rules", TITLE.name, *seats, PBEM_CLUB=club)
    assert f"{ADDRESS}#join-{TITLE.name}/second/{judge}\n" in opened
    (club / "cup.toml").write_bytes(file_of("swiss").replace(b"2027-", b"2947-"))
    told = pbem("league", "new", club / "cup.toml", PBEM_CLUB=club)
    assert (
        f"in a browser: {ADDRESS}#enter-hammer/cup/{told.split('--genesis ')[1].split()[0]}/{judge}\n" in told
    )
    path.write_text(f'{path.read_text()}\n[site]\nname = "The Hearth"\n')
    pbem("site", club / "www", PBEM_CLUB=club)
    index = unescape((club / "www/index.html").read_text(encoding="utf-8"))
    assert re.search(rf'href="{re.escape(ADDRESS)}#enter-hammer/cup/\w+/{re.escape(judge)}"', index)


WRONG: dict[str, tuple[dict[str, Any], str]] = {
    "two lines": (said(address=f"{ADDRESS}\nuse mine"), "needs an address that begins with https://"),
    "too long": (said(address=f"{ADDRESS}{'x' * 200}"), "needs an address that begins with https://"),
    "no host": (said(address="https:///"), "needs an address that begins with https://"),
    "no address at all": (said(address="https://[::1"), "needs an address that begins with https://"),
}


def test_a_page_names_its_boxes_in_one_order_and_its_links_one_of_them() -> None:
    boxes = ["https://b.example/", "https://a.example:8443/box/"]
    page, other = (
        webpage_of({**said(boxes=boxes), "box": {"url": box}}) for box in (boxes[0], "https://c.example/")
    )
    assert page
    assert other
    assert page.boxes == tuple(sorted(boxes))
    key = "SHA256:" + "a/" * 21 + "a"
    assert page.link_to_join("hearth", key) == f"{ADDRESS}#join/hearth/{key}/https%3A%2F%2Fb.example%2F"
    assert other.link_to_join("hearth", key) == PAGE.link_to_join("hearth", key)


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_told(name: str) -> None:
    settings, told = WRONG[name]
    with pytest.raises(ConfigError, match=re.escape(told)):
        webpage_of(settings)


def test_an_invitation_names_address_and_hash(table: Table) -> None:
    player = table.book.history.genesis.players[0]
    text = invitation(table.book, player, PAGE)
    assert f"install nothing:  {ADDRESS}\n" in text
    assert f"\n  {HASH}\n" in text
    assert "browser" not in invitation(table.book, player)
    found = NAMES_A_PAGE.search(text)  # as the page itself reads it
    assert found
    assert found.groups() == (ADDRESS, HASH)


def test_the_invitations_of_a_club_with_a_page_name_it(table: Table) -> None:
    path = table.club.path / "club.toml"
    path.write_text(f'{path.read_text()}\n[page]\naddress = "{ADDRESS}"\nsha256 = "{HASH}"\n')
    table.club.store.close()
    club = open_club(table.club.path, table.clock)
    seats = dict(zip(SEATS.values(), SEATS, strict=True))
    new_game(club, "second", TITLE.name, dict(TITLE.excerpt or {}), seats)
    letters = [row for name in SEATS for row in club.store.letters_to("second", name)]
    assert len(letters) == len(SEATS)
    assert all(HASH in row.text and ADDRESS in row.text for row in letters)
    assert not any(HASH in row.text for row in club.store.letters_to(GAME, "alice"))


def test_an_invitation_tells_the_clock_as_club_toml_sets_it_for_the_game(table: Table) -> None:
    path = table.club.path / "club.toml"
    path.write_text(f"{path.read_text()}\n[rhythm]\ngrace_hours = 6\n[rhythm.second]\ndays = 2\n")
    table.club.store.close()
    club = open_club(table.club.path, table.clock)
    seats = dict(zip(SEATS.values(), SEATS, strict=True))
    new_game(club, "second", TITLE.name, dict(TITLE.excerpt or {}), seats)
    told = {find_clock(row.text) for name in SEATS for row in club.store.letters_to("second", name)}
    assert told == {club.rhythm("second").in_words}
    assert min(told).startswith(
        "2 days for each exchange; files still count for 6 hours after the deadline; "
    )
