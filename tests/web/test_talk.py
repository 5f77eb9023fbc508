"""Talk: a player in a browser and one at the command line write to each other; all of it is drawn as text."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from pbem.judge.club import open_club
from pbem.trust.times import utc_text
from pbem.web import homefile
from tests.web.table import Judge, PagePlayer, pbem

pytestmark = pytest.mark.ci
GAME = "stirling"
HOSTILE = (
    "<img src=x onerror=\"document.title='taken'\"> <b>bold</b> [x](javascript:alert(1))\n"
    "https://bank.example@evil.example/\n"
)


def sides(judge: Judge) -> dict[str, Path]:
    """Ann and Ben at the command line: their homes, in a game whose press is grey."""
    homes = {name: judge.folder / f"home-{name}" for name in ("ann", "ben")}
    joins = {}
    for (name, home), side in zip(homes.items(), ("scotland", "england"), strict=True):
        pbem("keygen", name, PBEM_HOME=home)
        joins[side] = judge.folder / f"{name}-joins-{GAME}.txt"
        pbem("join", GAME, "--as", name, "--judge", judge.key, "--out", joins[side], PBEM_HOME=home)
    settings = judge.club / "club.toml"
    settings.write_text(f'{settings.read_text()}\n[press]\nkind = "grey"\n[rhythm]\nagreed_days = 1\n')
    judge.open(GAME, "hammer", joins, scenario="braveheart")
    judge.run("run")
    return homes


@pytest.fixture
def ben(judge: Judge, arrive: Callable[[str], PagePlayer]) -> tuple[PagePlayer, Path]:
    """Ben goes on in a browser; with Ann's home."""
    homes = sides(judge)
    for name, home in homes.items():
        for letter in judge.letters(name):
            pbem("receive", letter, PBEM_HOME=home)
    player = arrive("ben")
    packed = judge.folder / "ben.zip"
    packed.write_bytes(homefile.pack(homes["ben"]))
    player.load_home(packed)
    player.go(GAME)
    player.read = set(judge.letters("ben"))
    return player, homes["ann"]


def write(judge: Judge, home: Path, text: str, *words: object) -> None:
    """Ann writes, and the judge passes it on."""
    file, sealed = judge.folder / "says.txt", judge.folder / "says.age"
    file.write_text(text, encoding="utf-8")
    pbem("press", GAME, file, *words, "--out", sealed, PBEM_HOME=home)
    judge.run("submit", sealed)


def asks(judge: Judge, home: Path) -> None:
    """Ann asks for a day more at the command line."""
    club = open_club(judge.club)
    (exchange,) = club.book(GAME).history.exchanges
    club.store.close()
    assert exchange.deadline is not None
    later, file = utc_text(exchange.deadline + timedelta(days=1)), judge.folder / "more.txt"
    words = ("sign", "consent", GAME, "1", "extend", later, "--as", "ann", "--out", file)
    pbem(*words, PBEM_HOME=home)
    judge.run("submit", file)


def test_talk_is_read_written_muted_and_reported(judge: Judge, ben: tuple[PagePlayer, Path]) -> None:
    player, ann = ben
    page = player.page
    page.get_by_role("tab", name="Talk").click()
    page.get_by_text("Nothing has been written yet.").wait_for()
    page.get_by_text("can show it to anybody, with proof").wait_for()
    write(judge, ann, HOSTILE, "--to", "ben", "--subject", "<script>x</script>")
    write(judge, ann, "Beware of ann.\n", "--to", "ben", "--grey")
    new = [one for one in judge.letters("ben") if one not in player.read]
    page.get_by_role("tab", name="Orders").click()
    player.receive(*new)
    tab = page.get_by_role("tab", name="Talk 2 new messages")
    tab.wait_for()
    assert page.title() == "(1; 2 new messages) pbem: play by mail"
    for name, size in {"desk": (1280, 800), "phone": (390, 844)}.items():
        page.set_viewport_size({"width": size[0], "height": size[1]})
        player.shot(f"unread-{name}")
    tab.click()
    page.get_by_role("tab", name="Talk", exact=True).wait_for()
    assert page.title() == "(1) pbem: play by mail"
    assert page.locator(".talk .new").all_text_contents() == ["new", "new"]
    said = page.locator(".talk .said")
    assert sorted(said.all_text_contents()) == sorted([HOSTILE, "Beware of ann.\n"])
    assert page.locator(".talk img, .talk script, .talk b, .talk a").count() == 0
    assert page.get_by_text("https://bank.example@evil.example leads to evil.example").is_visible()
    assert page.locator(".talk strong").all_text_contents().count("somebody") == 1
    assert "taken" not in page.title()

    page.get_by_label("ann").check()
    page.get_by_label("Your text").fill("No peace.\nBen")
    page.get_by_role("button", name="Sign and seal this message").click()
    page.get_by_role("button", name="Download .txt").wait_for()
    judge.run("submit", player.download())
    for letter in judge.letters("ann"):
        pbem("receive", letter, may_fail=True, PBEM_HOME=ann)
    assert "No peace.\n    Ben" in pbem("press", GAME, PBEM_HOME=ann)

    asks(judge, ann)
    player.receive(*[one for one in judge.letters("ben") if one not in player.read and one not in new])
    page.get_by_role("tab", name="Talk").click()
    page.get_by_role("button", name="One day more?").wait_for()
    page.get_by_role("button", name="Granted: until").click()
    page.get_by_text("You have signed that the exchange may end at").wait_for()
    assert page.get_by_role("button", name="One day more?").count() == 0
    assert "exchange 1 now ends" in judge.run("submit", player.download())

    first = page.locator(".talk li").filter(has_text="bold")
    first.get_by_role("button", name="Report to the director").click()
    page.get_by_label("Your text").fill("He shouts.")
    page.get_by_role("button", name="Sign and seal this message").click()
    page.get_by_role("heading", name="Write").wait_for()
    judge.run("submit", player.download())
    assert "He shouts." in judge.run("press", GAME, "--club", judge.club)

    first.get_by_role("button", name="Mute").click()
    page.get_by_text("You do not hear this player.").wait_for()
    assert said.filter(has_text="bold").count() == 0
    page.get_by_role("button", name="Hear again").click()
    said.filter(has_text="bold").wait_for()
    assert player.errors == []
    assert player.violations == []


def test_a_day_is_given_in_one_tap_and_an_absence_ends_with_orders(
    judge: Judge, ben: tuple[PagePlayer, Path]
) -> None:
    player, _ = ben
    page = player.page
    page.get_by_role("tab", name="Talk").click()
    page.get_by_text("I am away", exact=True).click()
    page.get_by_text("by 42 days").wait_for()
    today = datetime.now().astimezone().date()
    page.get_by_label("First day").fill((today - timedelta(days=1)).isoformat())
    page.get_by_label("Last day").fill((today + timedelta(days=9)).isoformat())
    page.get_by_label("It ends by itself as soon as I sign orders").check()
    page.get_by_role("button", name="Sign that I am away").click()
    page.get_by_text("9 days are left after today. It ends as soon as you sign orders.").wait_for()
    judge.run("submit", player.download())

    page.get_by_role("tab", name="Orders").click()
    assert page.get_by_role("button", name="Give my opponent a day").count() == 0, "nothing is signed yet"
    judge.run("submit", player.seal())
    page.get_by_text("it ends your absence").wait_for()
    outs = page.locator(".out")
    with page.expect_download() as back:
        outs.nth(1).get_by_role("button", name="Download .txt").click()
    assert f"until {(today - timedelta(days=1)).isoformat()}" in back.value.path().read_text()
    page.get_by_text("You are away until").wait_for(state="detached")

    page.get_by_role("button", name="Give my opponent a day").click()
    page.get_by_text("You have signed that the exchange may end at").wait_for()
    for name, size in {"desk": (1280, 800), "phone": (390, 844)}.items():
        page.set_viewport_size({"width": size[0], "height": size[1]})
        player.shot(f"day-given-{name}")
    with page.expect_download() as given:
        outs.last.get_by_role("button", name="Download .txt").click()
    assert "to extend " in given.value.path().read_text()


def test_without_press_there_is_no_talk(judge: Judge, arrive: Callable[[str], PagePlayer]) -> None:
    homes = sides(judge)
    player = arrive("ben")
    for letter in judge.letters("ben"):
        if "-press-" not in letter.name:
            pbem("receive", letter, PBEM_HOME=homes["ben"])
    packed = judge.folder / "ben.zip"
    packed.write_bytes(homefile.pack(homes["ben"]))
    player.load_home(packed)
    player.go(GAME)
    assert player.page.get_by_role("tab").all_text_contents() == ["Orders", "Story", "Table"]
