"""The player's page in Chromium: from nothing to orders that count, and back to the command line."""

import copy
import hashlib
import re
import shutil
import zipfile
from collections.abc import Callable
from email.message import EmailMessage
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from pbem.web import build as web
from pbem.web import homefile
from tests.web.table import (
    PASSPHRASE,
    CommandPlayer,
    Judge,
    PagePlayer,
    begin,
    bot_orders,
    bundle_of,
    exchange,
    opened,
    pbem,
    served,
)

pytestmark = pytest.mark.ci

Arrive = Callable[..., PagePlayer]


def test_two_play_an_exchange_and_one_goes_on_at_the_command_line(
    judge: Judge, arrive: Arrive, tmp_path: Path
) -> None:
    alice, bob = arrive("alice"), arrive("bob", viewport={"width": 360, "height": 740})
    players, sides = [alice, bob], ["scotland", "england"]
    begin(judge, players, "hearth", "hammer", sides, scenario="braveheart")
    for player in players:
        assert player.page.locator("#seal").count() == 0  # not before the home is saved
        player.save_home()
        player.page.locator("#seal").wait_for()
    for number in (1, 2):
        exchange(judge, players, "hearth", "hammer", sides)
        alice.shot(f"desk-{number}")
        bob.shot(f"telephone-{number}")
    home = tmp_path / "command-line"
    pbem("audit", bundle_of(judge, "hearth", tmp_path))
    alice.page.get_by_role("link", name="Games").click()
    alice.page.locator(".games").wait_for()
    saved = alice.save_home()
    home.mkdir()
    with zipfile.ZipFile(saved) as archive:
        archive.extractall(home)
    for path in home.rglob("*"):
        path.chmod(0o700 if path.is_dir() else 0o600)
    passphrase = tmp_path / "passphrase"
    passphrase.write_text(PASSPHRASE, encoding="utf-8")
    out = tmp_path / "orders.age"
    pbem("seal", "--game", "hearth", "--bare", "--passphrase-file", passphrase, "--out", out, PBEM_HOME=home)
    judge.run("submit", out)

    new = [path for path in judge.letters("alice") if path not in alice.read]
    for letter in new:  # the command line takes the receipt, and its home comes back into a browser
        pbem("receive", letter, "--passphrase-file", passphrase, PBEM_HOME=home)
    back = tmp_path / "back.zip"
    back.write_bytes(homefile.pack(home))
    again = arrive("alice-again")
    again.page.get_by_label("Choose the file of your home").set_input_files(str(back))
    again.page.get_by_role("button", name="Unlock").wait_for()
    again.page.get_by_label("Passphrase").fill(PASSPHRASE)
    again.page.get_by_role("button", name="Unlock").click()
    again.go("hearth")
    assert again.state() == "receipted"
    judge.run("submit", bob.seal())
    judge.run("run")
    again.name, again.read = "alice", {*alice.read, *new}
    again.read_letters(judge)
    again.page.locator(".banner.draft").wait_for()
    assert again.page.locator("#notes .fault").count() == 0
    judge.run("submit", again.seal())


@pytest.mark.parametrize(
    ("rules", "sides", "options"),
    [
        ("lords", ["red", "blue", "green"], {"players": "3"}),
        pytest.param("first-war", ["scots", "english"], {}, marks=pytest.mark.slow),
    ],
)
def test_other_titles_are_played_in_the_page_too(
    judge: Judge, arrive: Arrive, tmp_path: Path, rules: str, sides: list[str], options: dict[str, str]
) -> None:
    first, *others = opened(judge, tmp_path, "castle", rules, sides, **options)
    player = arrive(first.name)
    player.load_home(first.packed())
    player.go("castle")
    player.write(bot_orders(rules, sides[0], first.view))
    judge.run("submit", player.seal())
    for other, side in zip(others, sides[1:], strict=True):
        judge.run("submit", other.seal("castle", bot_orders(rules, side, other.view)))
    judge.run("run")
    player.read = set(first.read)
    player.read_letters(judge)
    player.page.locator(".banner.draft").wait_for()
    player.shot(rules)
    player.page.get_by_role("tab", name="Orders").click()
    assert player.page.locator(".picture svg [data-name]").count() > 3


def test_each_step_of_a_story_has_an_address(judge: Judge, arrive: Arrive, tmp_path: Path) -> None:
    alice, bob = opened(judge, tmp_path, "hearth", "hammer", ["scotland", "england"], scenario="braveheart")
    for one, side in ((alice, "scotland"), (bob, "england")):
        judge.run("submit", one.seal("hearth", bot_orders("hammer", side, one.view)))
    judge.run("run")
    alice.read_letters(judge)
    player = arrive("alice")
    player.load_home(alice.packed())
    player.go("hearth")
    page = player.page
    story, orders = (page.get_by_role("tab", name=name) for name in ("Story", "Orders"))
    assert story.get_attribute("aria-selected") == "true", "a new report opens with its story"
    told = page.locator(".story .now").inner_text()
    page.get_by_role("button", name="One step on").click()
    page.wait_for_url("**#game/hearth/story/2/1")
    second = page.locator(".story .now").inner_text()
    assert second != told
    orders.click()
    page.wait_for_url("**#game/hearth")
    page.evaluate("() => { location.hash = 'game/hearth/story/2/1' }")
    page.locator(".story .now", has_text=second).wait_for()
    assert story.get_attribute("aria-selected") == "true"
    for nowhere in ("9/0", "x/y", "2/-7"):  # no such report or step: the story as it is
        page.evaluate("(where) => { location.hash = `game/hearth/story/${where}` }", nowhere)
        page.locator("main[aria-busy=false]").wait_for()
        assert page.locator(".story .now").count() == 1


def test_whoever_comes_back_goes_through_what_they_missed_in_order(
    judge: Judge, arrive: Arrive, tmp_path: Path
) -> None:
    sides = ["scotland", "england"]
    players = opened(judge, tmp_path, "hearth", "hammer", sides, scenario="braveheart")
    player = arrive("alice")
    player.load_home(players[0].packed())
    player.go("hearth")
    page = player.page
    page.locator(".draft").first.wait_for()
    read = set(players[0].read)
    for _ in range(3):
        for one, side in zip(players, sides, strict=True):
            judge.run("submit", one.seal("hearth", bot_orders("hammer", side, one.view)))
        judge.run("run")
        for one in players:
            one.read_letters(judge)
    player.go("")
    player.read = read
    player.read_letters(judge)
    player.go("hearth")
    missed, number = page.locator(".missed"), page.get_by_role("combobox", name="Report")
    missed.get_by_text("3 exchanges since you looked. The oldest comes first.").wait_for()
    assert number.input_value() == "2"
    while page.locator(".log li.next").count():
        page.get_by_role("button", name="One step on").click()
    page.get_by_role("button", name="One step on").click()
    missed.get_by_text("This is number 2 of them.").wait_for()
    page.reload()
    missed.get_by_text("This is number 2 of them.").wait_for()
    page.get_by_role("button", name="On to exchange 4").click()
    missed.get_by_text("This is the last of them.").wait_for()
    assert missed.get_by_role("button").count() == 0
    player.shot("missed")
    number.select_option("1")
    missed.wait_for(state="detached")
    number.select_option("4")
    missed.wait_for()
    page.reload()
    page.locator(".log li").first.wait_for()
    assert number.input_value() == "4"
    assert missed.count() == 0, "they have gone through all of them"


def test_what_is_refused_is_refused_in_the_words_of_the_command_line(
    judge: Judge, arrive: Arrive, tmp_path: Path
) -> None:
    alice, bob = opened(judge, tmp_path, "hearth", "hammer", ["scotland", "england"], scenario="braveheart")
    player = arrive("alice")
    player.load_home(alice.packed())
    for letter in sorted(bob.read):  # sealed to another
        said = pbem("receive", letter, may_fail=True, PBEM_HOME=alice.home)
        player.receive(letter)
        assert all(line in player.told() for line in words_of(said))
    letter = next(path for path in sorted(alice.read) if "receipt" in path.name)
    armor = letter.read_text(encoding="ascii").splitlines()
    armor[5] = armor[5].swapcase()  # forged, or damaged: nobody can tell
    forged = tmp_path / "forged.txt"
    forged.write_text("\n".join(armor), encoding="ascii")
    said = pbem("receive", forged, may_fail=True, PBEM_HOME=alice.home)
    player.receive(forged)
    assert "the sealed file is damaged" in said
    assert all(line in player.told() for line in words_of(said))
    player.go("hearth")
    player.clear()
    early = "pbem1 orders\ngame hearth\nexchange 9\n---\ncard 1"  # a step that is not due
    draft = tmp_path / "early.txt"
    draft.write_text(early, encoding="utf-8")
    said = pbem("seal", draft, "--game", "hearth", may_fail=True, PBEM_HOME=alice.home)
    player.write(early)
    player.page.locator("#seal").click()
    assert "exchange 9" in said
    assert words_of(said)
    (first, *_) = sorted(words_of(said))
    player.page.locator("#notes .fault", has_text=first).first.wait_for()  # beside what is said of the draft
    assert all(line in player.told() for line in words_of(said))
    assert player.state() == "draft"


def test_whole_mails_are_dropped_several_at_once_in_base64_and_forwarded(
    judge: Judge, arrive: Arrive, tmp_path: Path
) -> None:
    player = arrive("alice")
    player.make_key()
    joins = {"scotland": player.join("hearth", judge.fingerprint)}
    bob = CommandPlayer("bob", tmp_path / "homes")
    joins["england"] = bob.join("hearth", judge)
    page = {"address": player.address, "sha256": "0" * 64}
    settings = judge.club / "club.toml"
    lines = "".join(f'{name} = "{value}"\n' for name, value in page.items())
    settings.write_text(f"{settings.read_text()}\n[page]\n{lines}", encoding="utf-8")
    judge.open("hearth", "hammer", joins, scenario="braveheart")
    first = judge.letters("alice")
    player.drop(*(saved_mail(letter, tmp_path / f"{letter.stem}.eml") for letter in first))
    player.page.locator(".banner.draft").wait_for()
    player.save_home()
    player.page.locator("#seal").wait_for()
    judge.run("submit", player.seal())
    bob.read_letters(judge)
    judge.run("submit", bob.seal("hearth", ""))
    judge.run("run")
    later = [letter for letter in judge.letters("alice") if letter not in first]
    assert len(later) > 1
    mails = [saved_mail(letter, tmp_path / f"{letter.stem}.eml", forwarded=True) for letter in later]
    player.drop(*reversed(mails))  # a report and the receipt before it, in the wrong order
    player.page.locator(".banner.draft").wait_for()
    assert player.page.locator("#notes .fault").count() == 0

    player.page.goto(f"{player.address}#about")
    other = player.page.locator("main .fault")
    other.wait_for()
    assert "not the one that your invitation to hearth names" in other.inner_text()
    assert "0" * 64 in other.inner_text()


def saved_mail(letter: Path, into: Path, forwarded: bool = False) -> Path:
    """A letter as mail programs save it: the text in base64; or such a mail, forwarded as an attachment."""
    mail = EmailMessage()
    mail["Subject"] = letter.stem
    mail.set_content(letter.read_text(encoding="utf-8"), cte="base64")
    if forwarded:
        inner, mail = mail, EmailMessage()
        mail["Subject"] = f"Fwd: {letter.stem}"
        mail.set_content("what I got\n")
        mail.add_attachment(inner)
    into.write_bytes(mail.as_bytes())
    return into


def test_an_invitation_that_names_this_page_is_told_as_the_same(
    judge: Judge, arrive: Arrive, site: Path, tmp_path: Path
) -> None:
    digest = hashlib.sha256((site / web.SUMS).read_bytes()).hexdigest()
    settings = judge.club / "club.toml"
    told = f'\n[page]\naddress = "https://play.club.example/"\nsha256 = "{digest}"\n'
    settings.write_text(settings.read_text() + told, encoding="utf-8")
    alice, _ = opened(judge, tmp_path, "hearth", "hammer", ["scotland", "england"], scenario="braveheart")
    player = arrive("alice")
    player.load_home(alice.packed())
    player.page.goto(f"{player.address}#about")
    player.page.locator("main .fine").wait_for()
    assert "your invitation to hearth names" in player.page.locator("main .fine").inner_text()
    assert player.page.locator("main .fault").count() == 0


def test_two_histories_are_refused_in_the_words_of_the_command_line_and_nothing_more_is_signed(
    judge: Judge, arrive: Arrive, tmp_path: Path
) -> None:
    alice, bob = opened(judge, tmp_path, "hearth", "hammer", ["scotland", "england"], scenario="braveheart")
    shutil.copytree(judge.club, tmp_path / "other/club")
    other = copy.copy(judge)
    other.club = tmp_path / "other/club"
    other.run("take-over")  # a judge who would have it both ways says so
    home = alice.packed()  # what both histories have in common
    mine, theirs = alice.seal("hearth", ""), [tmp_path / f"{number}.age" for number in range(2)]
    for number, copied in enumerate(theirs):  # else the two would be one, when no second passes between them
        shutil.copy(bob.seal("hearth", f"note {number}\n"), copied)
    for club, orders in ((judge, theirs[0]), (other, theirs[1])):
        club.run("submit", mine)
        club.run("submit", orders)
        club.run("run")
    player = arrive("alice")
    player.load_home(home)
    known = {path.name for path in alice.read}
    alice.read_letters(judge)
    player.receive(*(path for path in judge.letters("alice") if path.name not in known))
    forked = next(path for path in other.letters("alice") if path.name not in known and "report" in path.name)
    said = pbem("receive", forked, may_fail=True, PBEM_HOME=alice.home)
    player.receive(forked)
    first = said.partition("pbem: ")[2].splitlines()[0]
    assert "has signed two histories" in first
    assert first in player.told()
    player.page.locator(".body p.fault").wait_for()
    player.clear()
    player.page.get_by_role("tab", name="Orders").click()
    player.page.locator("#seal").click()
    player.page.locator("#notes .fault").wait_for()
    refused = pbem("seal", "--game", "hearth", "--bare", may_fail=True, PBEM_HOME=alice.home)
    assert "two histories" in refused
    assert "two histories" in player.told()
    assert player.page.locator("#out").count() == 0


def test_two_tabs_a_killed_tab_no_network_and_no_room_lose_nothing(
    judge: Judge, arrive: Arrive, tmp_path: Path
) -> None:
    alice, _ = opened(judge, tmp_path, "hearth", "hammer", ["scotland", "england"], scenario="braveheart")
    player = arrive("alice")
    player.load_home(alice.packed())
    player.go("hearth")

    other = player.visit()  # a second tab, whose memory is its own
    player.unlock(other)
    other.get_by_role("link", name="hearth").click()
    other.get_by_role("tab", name="Orders").click()
    other.get_by_role("button", name="card 1", exact=True).click()
    first = player.seal()  # bare, in the first tab
    told = other.evaluate(
        "() => import('./ask.js').then((page) => page.ask('seal', {game: 'hearth', text: 'card 1'}))"
    )
    assert told["rev"] == 2, "the second tab knows what the first has sealed"
    assert first.read_text(encoding="utf-8") != told["text"]
    other.close()

    player.page.close(run_before_unload=False)  # killed
    player.context.set_offline(True)
    player.page = player.visit()
    player.unlock()
    player.go("hearth")
    player.page.locator(".banner.sealed").wait_for()
    again = player.download()
    assert again.read_text(encoding="utf-8") == told["text"], "what was shown was kept"

    player.context.set_offline(False)
    full = "put = function () { throw new DOMException('no room', 'QuotaExceededError') }"
    worker = player.page.workers[0]
    worker.evaluate(f"() => {{ IDBObjectStore.prototype.{full} }}")  # the storage is full from here on
    player.write("note other words than those that are sealed")
    player.page.locator("#seal").click()
    player.page.locator("#notes .fault").first.wait_for()
    assert "no room" in player.told()
    assert "revision-3" not in "".join(path.name for path in player.folder.iterdir())


@pytest.mark.slow
def test_a_tab_that_is_killed_at_any_step_goes_on_where_it_was(
    judge: Judge, arrive: Arrive, tmp_path: Path
) -> None:
    alice, bob = opened(judge, tmp_path, "hearth", "hammer", ["scotland", "england"], scenario="braveheart")
    player = arrive("alice")
    player.load_home(alice.packed())
    player.read = set(alice.read)
    player.go("hearth")

    def killed() -> str:
        """The tab dies at once, whatever it is doing, and another begins: what state it finds."""
        player.page.close(run_before_unload=False)
        player.page = player.visit()
        player.unlock()
        player.go("hearth")
        return player.state()

    player.write("card 1")
    player.page.locator("#faults .fine").wait_for()
    assert killed() == "draft"
    player.as_text()
    assert player.page.locator("#draft").input_value() == "card 1", "what was written is kept"

    player.page.locator("#seal").click()
    found = killed()  # while it seals
    assert found in ("draft", "sealed"), "all of it is kept, or nothing"
    sealed = player.download() if found == "sealed" else player.seal()
    assert killed() == "sealed"
    assert player.download().read_text(encoding="utf-8") == sealed.read_text(encoding="utf-8")
    judge.run("submit", sealed)

    player.page.get_by_role("button", name="I gave it to my mail program").click()
    assert killed() in ("sealed", "handed over")
    new = [path for path in judge.letters("alice") if path not in player.read]
    player.page.get_by_label("Open mail").set_input_files([str(path) for path in new])
    if killed() != "receipted":  # while it took the letters in
        player.receive(*new)
        player.page.locator(".banner.receipted").wait_for()
    bob.read_letters(judge)
    judge.run("submit", bob.seal("hearth", ""))
    judge.run("run")
    player.read |= set(new)
    player.read_letters(judge)
    player.page.locator(".banner.draft").wait_for()
    assert player.page.locator("#notes .fault").count() == 0


def test_a_tap_and_the_keyboard_alone_write_orders(judge: Judge, arrive: Arrive, tmp_path: Path) -> None:
    alice, _ = opened(judge, tmp_path, "hearth", "hammer", ["scotland", "england"], scenario="braveheart")
    player = arrive("alice", viewport={"width": 360, "height": 740}, has_touch=True)
    player.load_home(alice.packed())
    player.go("hearth")
    page = player.page
    page.get_by_role("tab", name="Orders").tap()
    page.locator('.picture [data-name="Wallace"].lit').first.wait_for()
    page.locator('.picture [data-name="Wallace"]').last.tap()
    row = page.locator(".order")
    row.and_(page.locator('[data-line="move Wallace"]')).wait_for()
    page.get_by_text("For later, if it comes to that").tap()
    page.get_by_role("button", name="fire Wallace", exact=True).wait_for()  # what else may be done with it
    page.locator('.picture [data-name="Mentieth"].lit').first.wait_for()
    atholl = page.locator('.picture [data-name="Atholl"].lit path').first  # it has no coast
    assert atholl.evaluate("(path) => getComputedStyle(path).fill") != rgb(atholl.get_attribute("fill"))
    page.locator('.picture [data-name="Mentieth"]').first.dispatch_event("click")
    page.locator('.order[data-line="move Wallace to Mentieth"]').wait_for()
    page.locator(".drawn polyline").wait_for(state="attached")
    assert page.locator(".drawn text").text_content() == row.locator(".n").inner_text() == "1"
    page.get_by_role("button", name="Undo").tap()
    page.locator('.order[data-line="move Wallace"]').wait_for()
    page.get_by_role("button", name="Redo").tap()
    page.locator("#faults .fine").wait_for()
    page.get_by_role("button", name="Undo").tap()
    player.write("move Wallace to Fife")
    assert page.get_by_role("button", name="Redo").is_disabled(), "nothing is redone over what was written"
    page.get_by_role("button", name="Undo").tap()
    assert page.locator("#draft").input_value() == "move Wallace"
    page.get_by_role("button", name="Redo").tap()
    page.get_by_role("button", name="Show as rows").tap()
    page.get_by_role("button", name="Undo").tap()
    page.locator('.picture [data-name="Mentieth"]').first.dispatch_event("click")  # no less than a typed word
    page.wait_for_function("() => document.querySelector('.switch button:nth-child(2)').disabled")

    first, other = page.locator(".hand .card").evaluate_all("(all) => all.map((card) => card.ariaLabel)")[:2]
    player.write(f"{first}\nmove Wallace to Fife")
    page.get_by_role("button", name="Show as rows").tap()
    page.get_by_role("button", name="Order 2 earlier").tap()
    assert player.draft() == f"move Wallace to Fife\n{first}"
    page.get_by_role("button", name="Remove order 1").tap()
    assert player.draft() == first
    hand = page.locator(".hand")
    assert hand.get_by_role("button", name=first, exact=True).get_attribute("aria-pressed") == "true"
    hand.get_by_role("button", name=other, exact=True).tap()
    assert player.draft() == other, "another card takes its place"
    hand.get_by_role("button", name=other, exact=True, pressed=True).tap()
    assert player.draft() == "", "a second tap takes it back"

    for said in ("if ____:", "if ____ is attacked:"):  # a sentence, completed by taps alone
        page.get_by_role("button", name=said, exact=True).tap()
    page.locator('.picture [data-name="Fife"].lit').first.wait_for()
    page.locator('.picture [data-name="Fife"]').first.dispatch_event("click")
    for said in ("move …", "if Fife is attacked: move Wallace"):
        page.get_by_role("button", name=said, exact=True).tap()
    page.locator('.picture [data-name="Mentieth"].lit').first.wait_for()
    page.locator('.picture [data-name="Mentieth"]').first.dispatch_event("click")
    page.locator("#faults .fine").wait_for()
    assert player.draft() == "if Fife is attacked: move Wallace to Mentieth"
    page.get_by_role("button", name="Another order").tap()
    for said in ("plan ____:", "plan any:", "fire …", "fire Wallace"):
        page.get_by_role("button", name=said, exact=True).tap()
    page.locator('.order[data-line="fire Wallace"]').wait_for()
    page.locator("#faults .fine, #faults .remark").first.wait_for()
    assert page.locator("#faults .fault").count() == 0
    player.as_text()
    assert page.locator("#draft").input_value().endswith("\nplan any:\n    fire Wallace\nend")

    page.locator("#draft").fill("")
    page.locator(".picture").focus()
    for _ in range(4):
        page.keyboard.press("ArrowDown")
    assert page.locator(".live").inner_text(), "what the arrow keys reach is said"
    page.locator("#draft").fill("move Walace to Mentieth")
    page.locator("#faults .fault").wait_for()
    assert "did you mean Wallace" in page.locator("#faults").inner_text()
    page.locator("#draft").fill("card 1\nmove Wallace to Mentieth")
    page.get_by_role("button", name="What your orders will do").click()
    page.locator(".foretold p", has_text="You hold the area").first.wait_for()


def rgb(colour: str | None) -> str:
    """A colour as a browser says it."""
    assert colour
    return f"rgb({', '.join(str(part) for part in bytes.fromhex(colour[1:]))})"


def words_of(said: str) -> set[str]:
    """What a command has refused, line by line."""
    told = {line.removeprefix("pbem: ") for line in said.splitlines() if line.startswith("pbem: ")}
    return {line for line in told if not line.startswith(("this was received before", "next: "))}


@pytest.mark.parametrize("scheme", ["light", pytest.param("dark", marks=pytest.mark.slow)])
def test_nothing_keeps_people_from_using_it(
    judge: Judge, arrive: Arrive, tmp_path: Path, axe: str, scheme: str
) -> None:
    alice, _ = opened(judge, tmp_path, "hearth", "hammer", ["scotland", "england"], scenario="braveheart")
    player = arrive("alice", color_scheme=scheme, viewport={"width": 360, "height": 740})
    assert player.hindrances(axe) == []
    player.load_home(alice.packed())
    assert player.hindrances(axe) == []
    player.go("hearth")
    player.write("move Walace to Mentieth")
    player.page.locator("#faults .fault").wait_for()
    for details in player.page.locator("main details").all():
        details.evaluate("(one) => { one.open = true }")
    player.shot(f"{scheme}-draft")
    assert player.hindrances(axe) == []
    wide = player.page.evaluate("() => document.documentElement.scrollWidth")
    assert wide <= 360, "nothing is wider than a telephone"
    player.write("card 1")
    player.seal()
    player.shot(f"{scheme}-sealed")
    assert player.hindrances(axe) == []
    player.page.goto(f"{player.address}#about")
    player.page.locator("code").filter(has_text=re.compile("^[0-9a-f]{64}$")).wait_for()
    assert player.hindrances(axe) == []


def test_another_version_is_used_only_when_the_player_says_so(
    chromium: "Browser", site: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mirror = shutil.copytree(site, tmp_path / "served")
    newer = shutil.copytree(web.SITE, tmp_path / "newer")
    words = newer / "words.js"
    words.write_text(
        words.read_text(encoding="utf-8").replace("Play by mail, in", "Play anew, in"), encoding="utf-8"
    )
    with served(mirror) as where:
        context = chromium.new_context()
        player = PagePlayer(context, where, "alice", tmp_path / "a")
        monkeypatch.setattr(web, "SITE", newer)
        web.build(mirror)
        for _ in range(6):  # the browser learns of it in time, and every tab is closed meanwhile
            player.page.evaluate("async () => (await navigator.serviceWorker.getRegistration()).update()")
            player.page.wait_for_function(
                """async () => {
                    const known = await navigator.serviceWorker.getRegistration();
                    return !known.installing;
                }"""
            )
            player.page.close()
            player.page = player.visit()
            assert player.page.get_by_role("heading", name="Play by mail, in").is_visible()
            player.page.goto(f"{player.address}#about")
            change = player.page.get_by_role("button", name="Use it from the next start on")
            player.page.get_by_role("heading", level=1).first.wait_for()
            if change.is_visible():
                break
        change.click()
        player.page.locator("button:disabled").wait_for()
        player.page.close()
        player.page = player.visit()
        assert player.page.get_by_role("heading", name="Play anew, in").is_visible()
        context.close()
        assert player.violations == []


def test_a_site_that_cannot_be_kept_is_played_with_a_network(
    chromium: Browser, site: Path, tmp_path: Path
) -> None:
    mirror = shutil.copytree(site, tmp_path / "served")
    (mirror / "icon.svg").unlink()  # so the service worker is not installed
    with served(mirror) as where:
        context = chromium.new_context()
        player = PagePlayer(context, where, "alice", tmp_path)
        assert player.page.get_by_role("heading", name="Play by mail").is_visible()
        context.close()
