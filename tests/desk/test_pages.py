"""The pages of the director's desk: what waits, what is wrong, who plays, and which buttons there are."""

from __future__ import annotations

import mailbox
import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pbem.desk import app
from pbem.desk.app import run_command
from pbem.desk.deeds import (
    ACTS,
    DECIDED,
    DEEDS,
    facts_of,
    grouped_deeds,
    proposed_deeds,
    sides_by_rules,
    state_of,
    waiting_rows,
)
from pbem.judge import agenda
from pbem.judge.game_status import player_facts
from pbem.judge.intake.waiting_list import SILENT
from pbem.web.build import pack, unpacked
from tests.browser.chromium import CHROMIUM, SCREENSHOTS, needs_browser
from tests.desk.browser import Browser, Served, desk_of
from tests.judge.table import GAME, Table, make_table
from tests.mail.postal import mail
from tests.web.conftest import AXE
from tests.web.table import ARGUMENTS, CommandPlayer, Judge, opened, pbem

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.ci
RAW_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d")
PLACES = ("", "game/eighth", "doctor", "messages", "deed/open-game?game=ninth&players=carol,dave")
SIZES = {"desk": (1280, 800), "telephone": (390, 844)}


@pytest.fixture(scope="module")
def club(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A club that mails and has a box: a game, and two who wish to join another."""
    folder = tmp_path_factory.mktemp("pages")
    judge = Judge(folder)
    settings = judge.club / "club.toml"
    settings.write_text(f'{settings.read_text()}\n[press]\nkind = "white"\n')
    players = opened(judge, folder, "eighth", "hammer", ["scotland", "england"], scenario="braveheart")
    for one in players:
        one.read_letters(judge)
    for name in ("carol", "dave"):
        judge.run("submit", CommandPlayer(name, folder / "homes").join("ninth", judge))
    mail = f'\n[mail]\naddress = "judge@club.example"\noutbox = {{ maildir = "{folder}/sent" }}\n'
    settings.write_text(f"{settings.read_text()}{mail}")
    judge.run("player", "add", "alice", "--address", "alice@example.org")
    judge.run("resend", "eighth", "alice")
    return judge.club


@pytest.fixture
def served(club: Path) -> Iterator[Served]:
    with desk_of(club) as desk:
        yield desk


def under(heading: str, page: str) -> str:
    """What stands on a page below a heading, up to the next one of its kind."""
    return unescape(page.partition(f"<h2>{heading}</h2>")[2].partition("<h2>")[0])


def buttons(browser: Browser, page: str) -> list[str]:
    """The deeds whose buttons stand on a page, in their order."""
    return re.findall(rf'href="/{browser.room}/deed/([a-z-]+)', page)


def test_only_what_is_wrong_stands_as_wrong(served: Served) -> None:
    """Letters that go with the next pass are on their way; the box brings letters to who has no address."""
    browser, settings = served.open(), served.club / "club.toml"
    index = browser.at("").text
    assert "bob has no address" in under("What is wrong", index)
    assert "will be sent" not in under("What is wrong", index)
    assert "letters will be sent in the next pass" in index
    before = settings.read_text()
    settings.write_text(f'{before}\n[box]\nurl = "http://127.0.0.1:1/"\n')
    assert "<h2>What is wrong</h2>" not in browser.at("").text
    browser.run_deed("hold", game="eighth", reason="a feast")
    index = browser.at("").text
    assert "eighth" not in under("What is wrong", index), "the director has held it"
    assert "on hold" in under("Games", index)
    browser.run_deed("resume", game="eighth", reason="the feast is over")
    settings.write_text(before)


def test_who_wish_to_join_one_game_have_one_button(served: Served) -> None:
    browser = served.open()
    waits = under("What waits for you", browser.at("").text)
    assert "carol wishes to join" in waits
    assert "dave wishes to join" in waits
    assert waits.count("/deed/open-game?") == 1
    assert ".join" not in waits, "whoever reads it opens no file"
    assert "/deed/open-game?game=ninth&players=carol%2Cdave" in waits


def test_of_wishes_each_game_has_a_button_and_each_player_stands_once() -> None:
    line = (
        "{0}: {1} wishes to join, with the key SHA256:x; if it is theirs: pbem game new {0} --players {1},..."
    )
    told = [line.format(*one) for one in (("a", "ann"), ("b", "ben"), ("a", "carl"), ("a", "ann"))]
    first, second, last = waiting_rows([told[0], told[1], "a line", *told[2:]])
    assert first.lines == [told[0], told[2], told[3]]
    assert [one.given for one in first.proposals] == [{"game": "a", "players": "ann,carl"}]
    assert [one.given for one in second.proposals] == [{"game": "b", "players": "ben"}]
    assert (last.lines, last.proposals) == (["a line"], [])


def test_rules_are_a_choice_beside_the_order_of_the_sides(served: Served) -> None:
    browser = served.open()
    form = browser.at("deed/open-game?game=tenth").text
    assert '<option value="hammer">Hammer of the Scots (hammer)</option>' in form
    assert "Hammer of the Scots: england, scotland" in form
    assert "Lords of Scotland: red, blue, green, gold, black" in form
    chosen = browser.at("deed/offer?game=tenth&rules=lords").text
    assert '<option value="lords" selected>' in chosen
    given = {"game": "tenth", "players": "alice,bob", "rules": "lords"}
    assert "--rules=lords" in browser.try_deed("open-game", **given).text
    assert {"first-war", "hammer", "lords"} <= sides_by_rules().keys()


def test_the_players_stand_with_key_address_and_games(served: Served) -> None:
    players = under("Players", served.open().at("").text)
    row = re.search(r"<td>alice</td>.*", players)
    assert row
    assert "alice@example.org" in row[0]
    assert re.search(r'title="SHA256:[^"]{43}">SHA256:[^"<]{8}…<', row[0])
    assert ">eighth<" in row[0]
    assert "files in the club's folder" in players, "where bob's letters go"


def test_silence_is_that_of_who_has_the_seat(tmp_path: Path) -> None:
    table: Table = make_table(tmp_path)
    table.go()
    exchange = table.book.history.current
    assert exchange is not None
    with table.club.store.step():
        table.club.store.put_note(f"{SILENT}{GAME} alice", f"{exchange.number} 3")
        table.club.store.put_note(f"{SILENT}{GAME} bob", f"{exchange.number - 1} 2")
    facts = {one["player"]: one["silent"] for one in player_facts(table.club)}
    assert (facts["alice"], facts["bob"]) == ({GAME: 3}, {})
    with desk_of(table.club.path) as served:
        waits = under("What waits for you", served.open().at("").text)
    assert re.search(rf'has sent nothing for 3 exchanges.*/game/{GAME}">Look at {GAME}<', waits)


def test_backups_stand_with_their_age(served: Served, tmp_path: Path) -> None:
    browser = served.open()
    assert "Last backup never" in browser.at("").text
    assert "none was made yet: pbem club backup --into FOLDER" in browser.at("doctor").text
    done = browser.run_deed("backup", folder=str(tmp_path / "backups"))
    assert "found whole" in done.text
    assert re.search(r"Last backup 2[^;]* UTC\)?, 0 minutes ago", browser.at("").text)
    doctor = browser.at("doctor").text
    assert "right  backup: the last was made 2" in doctor
    assert "<title>What the doctor finds" in doctor


def test_a_game_has_the_buttons_that_its_state_allows(served: Served) -> None:
    browser = served.open()
    page = browser.at("game/eighth").text
    assert re.findall(r"<h2>(.*?)</h2>", page) == ["Decide", "Time", "People", "End"]
    assert buttons(browser, under("Time", page)) == ["extend", "hold"]
    browser.run_deed("hold", game="eighth", reason="a feast")
    assert buttons(browser, under("Time", browser.at("game/eighth").text)) == ["extend", "resume"]
    browser.run_deed("resume", game="eighth", reason="it is over")
    over = [(group, [one.name for one in found]) for group, found in grouped_deeds("game", "over")]
    assert over == [("People", ["resend"])]
    for is_over, trouble in ((True, ""), (False, DECIDED)):
        assert state_of("a", {"games": [{"game": "a", "over": is_over, "trouble": trouble}]}) == "over"
    assert agenda.DECIDED == DECIDED


def test_a_mistake_about_the_clubs_site_stands_as_wrong(served: Served) -> None:
    browser, settings = served.open(), served.club / "club.toml"
    before = settings.read_text()
    settings.write_text(f'{before}\n[site]\nstreet = "The Hearth"\n')
    try:
        assert "club.toml: [site] has no street" in under("What is wrong", browser.at("").text)
    finally:
        settings.write_text(before)


def test_whoever_opens_the_desk_sees_how_the_club_stands(served: Served) -> None:
    browser = Browser(served.port)
    entered = browser.enter(served.path).text
    assert "things wait for you" in entered
    assert "Games that go on: 1; leagues: 0." in entered


def test_each_deed_stands_in_a_group_or_beside_what_proposes_it() -> None:
    alone = {name for name, deed in DEEDS.items() if not deed.group}
    assert alone == {"answered", "apart-again", "apart-drop"}
    proposals = ["pbem club status --answered 3", "pbem club apart 3 --again", "pbem club apart 3 --drop"]
    assert {deed.name for line in proposals for deed, _ in proposed_deeds(line)} == alone
    for about in ("club", "game", "league"):
        found = [deed for _, deeds in grouped_deeds(about) for deed in deeds]
        assert {deed.name for deed in found} == {
            name for name, deed in DEEDS.items() if deed.about == about and deed.group
        }
    assert set(DEEDS) >= ACTS


def test_moments_are_written_as_everywhere(served: Served) -> None:
    browser = served.open()
    for place in ("", "game/eighth", "doctor", "messages"):
        assert not RAW_TIME.search(browser.at(place).text), place
    assert re.search(r"\d{4}-\d\d-\d\d \d\d:\d\d UTC", under("Games", browser.at("").text))


def test_a_message_to_the_director_waits_until_it_is_read(served: Served) -> None:
    browser, folder = served.open(), served.club.parent
    said, sealed = folder / "words.txt", folder / "words.age"
    said.write_text("May I have a day more?\n")
    pbem("press", "eighth", said, "--to", "gm", "--out", sealed, PBEM_HOME=folder / "homes/alice")
    browser.run_deed("submit", signed=sealed.read_text())
    assert "a player of eighth has written to you" in under("What waits for you", browser.at("").text)
    assert "May I have a day more?" in browser.at("messages").text
    assert "has written to you" not in browser.at("").text
    assert "May I have a day more?" in browser.at("messages").text, "what was read stays there"


def test_a_mail_to_the_director_can_be_read_until_it_is_answered(served: Served) -> None:
    browser, settings, inbox = served.open(), served.club / "club.toml", served.club.parent / "inbox"
    before = settings.read_text()
    watched = f'{before}\n[watch]\naddress = "gm@club.example"\n'
    settings.write_text(watched.replace("outbox =", f'inbox = {{ maildir = "{inbox}" }}\noutbox =', 1))
    mailbox.Maildir(inbox).add(mail("<b>May I</b> have a day more?\n", "alice@example.org"))
    browser.run_deed("pass")
    waits = under("What waits for you", browser.at("").text)
    found = re.search(r"/(mail/(\d+))\"", waits)
    assert found, waits
    assert "&lt;b&gt;May I&lt;/b&gt; have a day more?" in (shown := browser.at(found[1])).text
    assert f"/deed/answered?number={found[2]}" in shown.text
    browser.run_deed("answered", number=found[2])
    assert "have a day more" not in browser.at(found[1]).text
    settings.write_text(before)


def test_a_club_of_many_games_can_be_read(club: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is shown of an output has a limit; what the desk reads of it has none."""
    monkeypatch.setattr(app, "MAX_OUTPUT_SIZE", 100)
    ran = run_command(["club", "status", "--json", "--club", str(club)])
    assert (facts_of(ran.text) or {}).keys() >= {"games", "leagues"}
    assert len(ran.shown) == 100


def test_facts_are_those_of_a_command_or_none() -> None:
    assert facts_of('pbem: a remark\n{"games": []}') == {"games": []}
    assert facts_of("pbem: no club") is None
    assert facts_of("pbem: {no club}") is None
    assert facts_of("[]") is None


@needs_browser
def test_every_screen_fits_and_hinders_nobody(served: Served, tmp_path: Path) -> None:
    """In Chromium at two sizes; axe finds nothing, and nothing is wider than its screen."""
    from playwright.sync_api import sync_playwright

    pack((AXE,), tmp_path)
    axe = unpacked(AXE, tmp_path / AXE.archive)["axe.min.js"].decode()
    room = ""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        page = browser.new_page()
        page.set_default_timeout(60_000)
        page.goto(f"http://127.0.0.1:{served.port}{served.path}")
        page.get_by_role("link", name="To the desk").click()
        room = page.url
        for size, (width, height) in SIZES.items():
            page.set_viewport_size({"width": width, "height": height})
            for place in PLACES:
                page.goto(f"{room}{place}")
                looks(page, axe, f"{size}-{re.split('[?]', place)[0].replace('/', '-') or 'index'}", width)
            page.get_by_label("Rules").select_option("lords")
            page.get_by_label("Who plays").fill("alice,nobody")
            with page.expect_navigation():
                page.get_by_role("button", name="Show the command").click()
            looks(page, axe, f"{size}-confirm", width)
            with page.expect_navigation():
                page.get_by_role("button", name="Run it").click()
            assert "nobody called" in page.inner_text("body") or "no player called" in page.inner_text("body")
            assert page.get_by_label("Who plays").input_value() == "alice,nobody"
            looks(page, axe, f"{size}-refused", width)
        browser.close()


def looks(page: Page, axe: str, name: str, width: int) -> None:
    """Look at a screen: take its picture if a person asked for it, and ask axe."""
    if SCREENSHOTS:
        page.screenshot(path=f"{SCREENSHOTS}/{name}.png", full_page=True)
    assert page.evaluate("document.documentElement.scrollWidth") <= width, name
    page.evaluate(axe)
    found = page.evaluate("() => axe.run()")
    assert [one["id"] for one in found["violations"]] == [], (name, found["violations"])
