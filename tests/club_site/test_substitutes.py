"""Open seats on a club's pages: calls for substitutes with what the public sees; fields to pick seats by."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import pytest

from pbem.cli import main
from pbem.errors import ConfigError
from pbem.judge.acts import act
from pbem.judge.new_keys import rotate
from pbem.site.seats import call_substitute, offer_seat, read_offers
from pbem.titles import names
from pbem.trust import keys, signature
from pbem.trust.chance import Reveal, make_chain
from pbem.trust.identifiers import Namespace
from tests.browser.chromium import CHROMIUM, look, needs_browser
from tests.club_site.test_site import concede, text_of, wish, written
from tests.judge.table import GAME, Table, make_table


@pytest.fixture
def table(tmp_path: Path) -> Table:
    """A club with one game, its first exchange open."""
    return make_table(tmp_path)


@pytest.fixture
def www(tmp_path: Path) -> Path:
    """The folder that a web server shows."""
    return tmp_path / "www"


def call(table: Table) -> None:
    """England, whom bob plays, looks for a substitute."""
    call_substitute(table.club, GAME, "england", rhythm="weekly", about="<b>no time</b>")


OFFERS = {
    "dunbar-8": ("hammer", "a turn a week", ("carol",)),
    "dunbar-9": ("hammer", "daily", ()),
    "lords-1": ("lords", "daily", ("alice", "dave", "carol")),
}


@needs_browser
@pytest.mark.ci
@pytest.mark.parametrize(
    ("picked", "left"),
    [
        ([], {"dunbar-8", "dunbar-9", "lords-1", GAME}),
        ([("Rules", "Lords of Scotland")], {"lords-1"}),
        ([("Rhythm", "daily")], {"dunbar-9", "lords-1"}),
        ([("Rhythm", "daily"), ("There already", "nobody who is named")], {"dunbar-9"}),
        ([("There already", "alice")], {"lords-1", GAME}),
        ([("There already", "alice"), ("There already", "all")], {"dunbar-8", "dunbar-9", "lords-1", GAME}),
    ],
)
def test_open_seats_are_picked_by_their_fields_without_a_script(
    table: Table, www: Path, picked: list[tuple[str, str]], left: set[str]
) -> None:
    from playwright.sync_api import sync_playwright

    for name in ("carol", "dave"):
        table.club.add_player(name, keys.generate(name).public, "")
    wish(table, names=("alice", "bob", "carol"))
    table.go()
    call(table)
    for game, (rules, rhythm, people) in OFFERS.items():
        offer_seat(table.club, game, rules=rules, seats=1, rhythm=rhythm, about="", people=people)
    written(table, www)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        page = browser.new_page(java_script_enabled=False, viewport={"width": 360, "height": 800})
        page.goto((www / "index.html").as_uri())
        page.get_by_text("Show only some of them").click()
        for field, value in picked:
            page.get_by_role("group", name=field).get_by_label(value, exact=True).check()
        seats = page.locator(".seat:visible").all_inner_texts()
        browser.close()
    assert {game for game in [*OFFERS, GAME] if any(game in one for one in seats)} == left
    assert len(seats) == len(left)


@needs_browser
@pytest.mark.ci
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_fields_to_pick_by_can_be_read_on_a_telephone(
    table: Table, www: Path, tmp_path: Path, scheme: str
) -> None:
    for game, (rules, rhythm, _) in OFFERS.items():
        offer_seat(table.club, game, rules=rules, seats=1, rhythm=f"{rhythm} {'and so on ' * 20}", about="")
    written(table, www)
    page = (www / "index.html").read_text()
    assert page.count("<fieldset>") == 2, "nobody is named in any of them"
    looked = look(
        page.replace('<details class="pick">', '<details class="pick" open>'), tmp_path, 360, scheme
    )
    assert (looked.width, looked.dim) == (360, [])
    assert looked.asked_for == ["file"] * len(names()), (
        "the pictures of the titles, which lie beside the page"
    )


CALLED = "England looks for a player"


def test_a_call_shows_what_would_be_taken_over_as_the_public_sees_it(table: Table, www: Path) -> None:
    wish(table)
    table.go()
    call(table)
    written(table, www)
    page = (www / f"games/{GAME}.html").read_text()
    assert f'<h2 id="take-over">{CALLED}</h2>' in page
    assert "&lt;b&gt;no time&lt;/b&gt;" in page
    assert "It stands at" in page
    assert "a turn is played: weekly. The clock: 7 days for each exchange; absences move" in page
    assert f'href="../reports/{GAME}.html"' in page
    assert f'href="../stories/{GAME}.html"' in page
    for name in ("index.html", "titles/hammer.html"):
        listed = (www / name).read_text()
        assert f'games/{GAME}.html#take-over">England in {GAME}</a>' in listed
        assert "No seat is free just now" not in listed
        assert "The clock: 7 days for each exchange; absences move" in listed
    assert CALLED in (www / "feed.atom").read_text()
    assert written(table, www)[1] == 0


def test_a_call_tells_nothing_of_a_game_that_is_not_shown(table: Table, www: Path) -> None:
    wish(table, names=("alice",))
    call(table)
    written(table, www)
    assert GAME not in text_of(www)
    assert CALLED not in text_of(www)


@pytest.mark.ci
def test_a_call_waits_as_the_public_does(table: Table, www: Path) -> None:
    """With the call, the position that the public sees stays the earlier one."""
    cast("dict[str, Any]", table.club.settings)["public"] = {"delay_exchanges": 2}
    wish(table)
    table.go(3)
    written(table, www)
    before = (www / f"games/{GAME}.html").read_text()
    call(table)
    written(table, www)
    page = (www / f"games/{GAME}.html").read_text()
    head, _, rest = page.partition('<h2 id="take-over">')
    assert before.startswith(head)
    assert before.endswith(rest[rest.index("<p><a class=") :])


def test_a_call_ends_when_somebody_has_taken_the_seat_over(table: Table, www: Path) -> None:
    wish(table)
    table.go()
    call(table)
    carol = keys.generate()
    table.club.add_player("carol", carol.public, "carol@example.org")
    change = table.key_change(
        "bob",
        carol.public,
        anchor=Reveal("bob.2", 0, make_chain(GAME, "bob.2", bytes(32)).anchor),
        person="carol",
    )
    signed = signature.sign(carol, Namespace.ROTATE, change.text)
    consent = table.consent(change.consent, "bob")
    assert read_offers(table.club)
    rotate(table.club, change.text + signed, reason="bob has no time", consents=[consent])
    assert not read_offers(table.club)
    wish(table, names=("carol",))
    written(table, www)
    assert CALLED not in text_of(www)
    call(table)
    written(table, www)
    assert CALLED in text_of(www), "carol has no time either"


def test_a_call_ends_when_the_player_has_left_a_game_that_goes_on(tmp_path: Path) -> None:
    table = make_table(tmp_path, title="lords", players=3)
    call_substitute(table.club, GAME, table.people["carol"].side, rhythm="weekly", about="")
    assert read_offers(table.club)
    consents = [table.consent("concede carol", by="carol")]
    act(table.club, GAME, "concede", "carol", reason="she has written so", consents=consents)
    assert not table.book.history.over
    assert not read_offers(table.club)


def test_a_call_ends_with_the_game(table: Table) -> None:
    table.go()
    call(table)
    concede(table)
    assert not read_offers(table.club)
    with pytest.raises(ConfigError, match="demo is over"):
        call(table)


def test_the_command(table: Table, capsys: pytest.CaptureFixture[str]) -> None:
    at = ("--club", str(table.club.path))
    table.club.store.close()
    assert main(["seat", "offer", GAME, "--side", "england", *at]) == 0
    assert "England looks for a substitute" in capsys.readouterr().out
    assert main(["seat", "list", *at]) == 0
    assert "demo: hammer, England looks for a substitute; offered since" in capsys.readouterr().out
    assert main(["seat", "offer", GAME, "--side", "france", *at]) != 0
    assert "nobody plays 'france' in demo; there are: england, scotland" in capsys.readouterr().err
    assert main(["seat", "offer", GAME, *at]) != 0
    assert main(["seat", "offer", GAME, "--side", "england", "--seats", "2", *at]) != 0
