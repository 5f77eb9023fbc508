"""The director's desk with the real server and the real commands: who may ask, what is shown, what is run."""

from __future__ import annotations

import fcntl
import re
import subprocess
import sys
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from urllib.parse import urlencode

import pytest

from pbem.desk.app import MAX_FORM_SIZE, MAX_FORMS
from pbem.desk.deeds import DEEDS, LONGEST, LONGEST_TEXT, command_of, proposed_deeds
from pbem.errors import ConfigError
from tests.browser.chromium import CHROMIUM, needs_browser
from tests.desk.browser import Browser, Served, desk_of
from tests.test_cli import EVERY_COMMAND
from tests.web.table import ARGUMENTS, CommandPlayer, Judge, pbem

pytestmark = pytest.mark.ci
HOSTILE = "<script>alert(1)</script><b>bold"


@pytest.fixture(scope="module")
def club(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A club with a game, whose players have accepted nothing yet."""
    judge = Judge(tmp_path_factory.mktemp("desk"))
    players = [CommandPlayer(name, judge.folder) for name in ("alice", "bob")]
    sides = ("scotland", "england")
    joins = {side: player.join("first", judge) for side, player in zip(sides, players, strict=True)}
    judge.open("first", "hammer", joins, scenario="braveheart")
    return judge.club


@pytest.fixture
def served(club: Path) -> Iterator[Served]:
    with desk_of(club) as desk:
        yield desk


def test_the_link_opens_the_desk_once_and_for_nobody_else(served: Served) -> None:
    stranger = Browser(served.port)
    assert stranger.enter("/enter/wrong").status == 403, "and it takes the link from nobody"
    browser = Browser(served.port)
    assert "HttpOnly; SameSite=Strict" in str(browser.enter(served.path).head["Set-Cookie"])
    assert browser.at("").status == 200
    assert Browser(served.port).enter(served.path).status == 403, "it was used"
    assert Browser(served.port, "", browser.room).at("").status == 403
    assert Browser(served.port, "pbem-desk=wrong", browser.room).at("").status == 403
    assert browser.ask("/wrong/").status == 404


@pytest.mark.parametrize("host", ["evil.example", "evil.example:{port}", "127.0.0.1", "127.0.0.1:1", ""])
def test_another_name_of_this_machine_reaches_nothing(host: str, served: Served) -> None:
    """DNS rebinding: a page of evil.example whose name leads here."""
    browser = served.open()
    answer = browser.at("", Host=host.format(port=served.port))
    assert answer.status in (400, 403)
    assert "first" not in answer.text
    assert browser.at("", Host=f"localhost:{served.port}").status == 200


def test_a_form_of_another_page_runs_nothing(served: Served) -> None:
    browser = served.open()
    given = {"game": "first", "days": "3", "reason": "bob is ill"}
    assert browser.at("run/extend", given).status == 403, "no form of the desk"
    once = browser.at("deed/extend").once
    evil = browser.at("deed/extend", {"once": once, **given}, Origin="http://evil.example")
    assert evil.status == 403
    shown = browser.at("deed/extend", {"once": once, **given}, Origin=f"http://127.0.0.1:{served.port}")
    assert shown.status == 200, "the refused one has used nothing up"
    assert browser.at("run/hold", {"once": shown.once, **given}).status == 403, "of another deed"
    assert browser.at("run/extend", {"once": "x" * MAX_FORM_SIZE}).status == 403
    assert browser.ask(f"/{browser.room}/run/extend").status in (404, 405), "no link runs anything"
    assert "bob is ill" not in pbem("game", "info", "first", PBEM_CLUB=served.club)


def test_only_the_newest_forms_count(served: Served) -> None:
    browser = served.open()
    first = browser.at("deed/resend").once
    last = [browser.at("deed/resend").once for _ in range(MAX_FORMS)][-1]
    given = {"game": "first", "player": "alice"}
    assert browser.at("deed/resend", {"once": first, **given}).status == 403
    assert browser.at("deed/resend", {"once": last, **given}).status == 200


def test_a_deed_is_shown_then_run_once_and_is_the_command(served: Served) -> None:
    browser = served.open()
    index = browser.at("")
    assert "first" in index.text
    assert "Waits for" in index.text
    assert f"/{browser.room}/deed/extend?game=first" in unescape(browser.at("game/first").text)
    given = {"game": "first", "reason": "the judge is away"}
    shown = browser.try_deed("hold", **given)
    assert "cannot be tried first" in shown.text
    line = f"pbem game act --club={served.club} '--reason=the judge is away' -- first hold"
    form, after = {"once": shown.once, **given}, f"pbem club run --club={served.club}"
    done = browser.at("run/hold", form)
    for page in (shown, done):
        assert line in unescape(page.text)
        assert after in unescape(page.text), "letters about it leave at once"
    assert after not in unescape(browser.try_deed("answered", number="1").text)
    assert "ended with" not in done.text
    assert browser.at("run/hold", form).status == 403, "it was sent before"
    assert "held by the judge" in browser.at("game/first").text
    assert "on hold" in browser.at("").text
    again = browser.run_deed("hold", **given)
    assert (again.status, again.fault_of("reason")) == (400, ""), "it is held, whatever is typed"
    assert "the game is on hold" in again.text
    assert 'value="the judge is away"' in again.text
    assert "resume" in browser.run_deed("resume", **given).text


@pytest.mark.skipif(not Path("/proc/locks").exists(), reason="who waits for a lock is not told here")
def test_the_pass_after_a_decision_waits_for_the_end_of_another(club: Path) -> None:
    words = [sys.executable, "-m", "pbem", "club", "run", "--wait", "--club", str(club)]
    with (club / "pass.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
            waits = re.compile(rf"-> FLOCK .* {process.pid} ")
            while not waits.search(Path("/proc/locks").read_text()):
                assert process.poll() is None, "it has not waited"
            fcntl.flock(lock, fcntl.LOCK_UN)
            assert "does nothing" not in process.communicate()[0]


def test_what_is_typed_is_one_argument_and_no_option(served: Served) -> None:
    browser = served.open()
    done = browser.run_deed("resend", game="first", player=f"--help; {HOSTILE}")
    assert "<script>" not in done.text
    assert "&lt;script&gt;alert(1)" in done.text
    assert done.status == 400
    assert "Usage" not in done.text
    assert browser.try_deed("extend", game="first", days="3").status == 400, "no reason"
    assert "fill in: Reason" in browser.try_deed("extend", game="first", days="3").text
    assert "one line of" in browser.try_deed("resend", game="first", player="a\nb").text
    assert "one line of" in browser.try_deed("resend", game="first", player="a" * (LONGEST + 1)).text
    away = browser.try_deed("replace-key", rotation="../../keys/gm")
    assert "no rotation called ../../keys/gm waits" in unescape(away.text)
    hostile = browser.at(f"deed/extend?{urlencode({'game': HOSTILE, 'days': HOSTILE})}")
    assert "<script>" not in hostile.text
    assert "<script>" not in browser.at(f"game/{HOSTILE.replace('/', '')}".replace("<", "%3C")).text


def test_a_league_is_opened_by_its_file(served: Served) -> None:
    """The text begins with a preset; mistakes are the command's own; what was tried is what is run."""
    browser = served.open()
    assert 'deed/open-league?start=ladder"' in browser.at("deed/open-league").text
    assert browser.text_in("deed/open-league?start=../../keys/gm") == ""
    text = browser.text_in("deed/open-league?start=knockout").replace("knockout-2027", "cup")
    assert text.replace("\r\n", "\n") == pbem("league", "preset", "knockout").replace("knockout-2027", "cup")
    wrong = browser.try_deed("open-league", **{"league-file": text.replace("least = 8", "least = 200")})
    kept = list((served.club / "desk").glob("league-file-*.toml"))
    assert [path.stat().st_mode & 0o777 for path in kept] == [0o600]
    assert "least = 200" in kept[0].read_text(), "it is kept before it is read"
    said = pbem("league", "new", kept[0], "--what-if", PBEM_CLUB=served.club, may_fail=True)
    assert "`least`" in said
    assert said.strip() in wrong.fault_of("league-file")
    changed = browser.at("deed/open-league", {"once": wrong.once, "league-file": text, "change": ""})
    assert 'name = "cup"' in unescape(changed.text), "the form again, with what was typed"
    form = {"league-file": text.replace("Knock-out", HOSTILE)}
    shown = browser.at("deed/open-league", {"once": changed.once, **form})
    assert "cup would take entries until 2027-01-31" in shown.text
    assert "cup" not in pbem("club", "status", "--json", PBEM_CLUB=served.club)
    done = browser.at("run/open-league", {"once": shown.once, **form})
    assert "to enter: pbem league enter cup --as NAME" in done.text
    index = browser.at("").text
    assert f'href="/{browser.room}/league/cup">cup</a>: entries close at 2027-01-31 20:00 UTC' in index
    page = browser.at("league/cup").text
    assert "entries close at 2027-01-31" in page
    assert "<script>" not in page
    assert f"/{browser.room}/deed/rule?league=cup" in unescape(page)


def test_what_is_refused_comes_back_filled_in(served: Served) -> None:
    """The refusal stands beside the field that it is about, whether it was tried, run or not typed at all."""
    browser = served.open()
    given = {"game": "sixth", "players": "alice,zed", "choices": "scenario=braveheart"}
    back = browser.run_deed("open-game", **given)
    assert back.status == 400
    assert "no player called zed is enrolled" in back.fault_of("players")
    assert [f'value="{value}"' in back.text for value in given.values()] == [True] * 3
    assert "--players=alice,zed" in back.text, "the command that was refused"
    again = browser.at("deed/open-game", {"once": back.once, **given, "players": "alice,bob"})
    assert again.status == 200
    assert "fill in: Game" in browser.try_deed("resend", player="alice").fault_of("game")
    assert "nobody has no seat" in browser.run_deed("resend", game="first", player="nobody").fault_of(
        "player"
    )
    assert "no game called nowhere" in browser.run_deed("resend", game="nowhere", player="x").fault_of("game")
    wrong = browser.try_deed("open-league", **{"league-file": "name = 3"})
    assert wrong.status == 400
    assert wrong.fault_of("league-file")
    assert "name = 3" in wrong.text
    form = {"game": "first", "days": "soon", "reason": "why"}
    assert "DAYS" in browser.run_deed("extend", **form).fault_of("days")


def test_a_game_is_opened_for_who_is_enrolled(served: Served) -> None:
    """By the buttons alone: a player is enrolled with the text of a join file, and seated by name."""
    browser = served.open()
    home, file = CommandPlayer("carol", served.club.parent).home, served.club.parent / "carol.join"
    judge = served.club / "keys/gm.pub"
    pbem("join", "second", "--as", "carol", "--judge", judge, "--out", file, PBEM_HOME=home)
    given = {"player": "carol", "key": file.read_text().replace("\n", "\r\n")}
    assert "carol SHA256:" in browser.run_deed("enrol", **given).text
    told = " ".join(browser.at("help/open-game").text.split())
    assert "Sides of hammer, in the order of --players: england, scotland" in told
    assert "Options of lords, with what is usual:" in told
    given = {"game": "second", "players": "carol,bob", "choices": "scenario=the-bruce spend_rp=forced"}
    done = browser.run_deed("open-rated-game", **given)
    line = "--players=carol,bob --option=scenario=the-bruce --option=spend_rp=forced -- second"
    assert f"pbem game new --club={served.club} --rated {line}" in done.text
    assert "you have chosen the seats: england: carol, scotland: bob" in done.text
    assert "second is open" in done.text


def test_a_join_file_is_enrolled_and_its_game_begins(served: Served, tmp_path: Path) -> None:
    """Nothing but buttons: the wish in the file waits, so the game that is opened by name has its anchor."""
    browser, judge = served.open(), Judge.__new__(Judge)
    judge.club, judge.key = served.club, served.club / "keys/gm.pub"
    players = [CommandPlayer(name, tmp_path) for name in ("dora", "emil")]
    for player in players:
        done = browser.run_deed("enrol", player=player.name, key=player.join("fifth", judge).read_text())
        assert f"{player.name} wishes to join fifth" in done.text
        assert f"{player.name} wishes to join, with the key " in browser.at("").text
    given = {"game": "fifth", "players": "dora,emil", "choices": "scenario=braveheart"}
    assert "fifth is open" in browser.run_deed("open-game", **given).text
    for player in players:
        player.read_letters(judge)
        done = browser.run_deed("submit", signed=player.seal("fifth", "").read_text())
        assert "ended with" not in done.text
    assert "fifth-0001-report.txt" in browser.run_deed("pass").text
    late = CommandPlayer("fred", tmp_path).join("fifth", judge)
    done = browser.run_deed("enrol", player="fred", key=late.read_text())
    assert "fifth is open already" in done.text


def test_what_a_player_has_signed_is_handed_in(served: Served, tmp_path: Path) -> None:
    """Only what is signed about a league can be tried first, so nothing else is refused by the trial."""
    browser, player = served.open(), CommandPlayer("gina", tmp_path)
    join = tmp_path / "gina.join"
    judge = served.club / "keys/gm.pub"
    pbem("join", "seventh", "--as", "gina", "--judge", judge, "--out", join, PBEM_HOME=player.home)
    shown = browser.try_deed("submit", signed=join.read_text())
    assert "cannot be tried first" in shown.text
    assert "--what-if" not in shown.text
    done = browser.at("run/submit", {"once": shown.once, "signed": join.read_text()})
    assert "wish of gina" in done.text
    refused = browser.run_deed("submit", signed="hello")
    assert refused.status == 400
    assert "hello" in refused.text
    about = "pbem1 league\nleague nowhere\n"
    assert "--what-if" in unescape(browser.try_deed("submit", signed=about).text)
    assert "cannot be tried first" in browser.try_deed("submit", signed=f"{about}pbem1 join\n").text


def test_a_text_becomes_one_file(tmp_path: Path) -> None:
    """Tried, changed back and run, it is the same file; only its length can be wrong."""
    deed, text = DEEDS["submit"], "a" * LONGEST_TEXT
    first, again = (command_of(deed, {"signed": one}, tmp_path)[-1] for one in ("b\r\nc\r\n", "b\nc\n"))
    assert first == again
    assert Path(first).read_bytes() == b"b\nc\n"
    assert Path(command_of(deed, {"signed": text}, tmp_path)[-1]).read_text() == text
    assert len(list((tmp_path / "desk").iterdir())) == 2
    with pytest.raises(ConfigError, match=f"write {LONGEST_TEXT} characters at most"):
        command_of(deed, {"signed": text + "a"}, tmp_path)
    with pytest.raises(ConfigError, match="fill in: What the player has signed"):
        command_of(deed, {"signed": "\r\n"}, tmp_path)


def test_pages_load_nothing_and_run_no_script(served: Served) -> None:
    browser = served.open()
    for place in ("", "game/first", "doctor", *(f"deed/{name}" for name in DEEDS)):
        answer = browser.at(place)
        assert answer.status == 200, place
        assert "default-src 'none'" in answer.head["Content-Security-Policy"]
        assert answer.head["Cache-Control"] == "no-store"
        assert not re.search(r"<script|\son\w+=|src=|https?://", answer.text), place


def test_each_deed_is_a_command_with_these_options() -> None:
    for deed in DEEDS.values():
        found = EVERY_COMMAND[f"pbem {' '.join(deed.verb)}"]
        options = {name for one in found.params for name in one.opts}
        arguments = [one for one in found.params if one.param_type_name == "argument"]
        asked = {blank.option for blank in deed.blanks if blank.option} | set(deed.flags) | {"--club"}
        assert asked <= options, deed.name
        assert deed.tries == ("--what-if" in options), deed.name
        needed = {one.opts[0] for one in found.params if one.param_type_name == "option" and one.required}
        assert needed <= asked, deed.name
        assert sum(not blank.option for blank in deed.blanks) <= len(arguments), deed.name


def test_what_waits_names_the_button(tmp_path: Path) -> None:
    answer = "pbem league rule cup answer 9"
    line = f'entry 9: ben appeals: {answer} upheld --reason "...", or {answer} dismissed --reason "..."'
    assert [(deed.name, given) for deed, given in proposed_deeds(line)] == [
        ("rule", {"league": "cup", "decides": f"answer 9 {how}"}) for how in ("upheld", "dismissed")
    ]
    line = "first: bob has signed a new key: pbem game replace-key /club/consents/a.rotation"
    ((deed, given),) = proposed_deeds(line)
    assert (deed.name, given) == ("replace-key", {"rotation": "a.rotation"})
    with pytest.raises(ConfigError, match="no rotation called a"):
        command_of(deed, given, tmp_path)
    line = "cup-1: ben wishes to join, with the key SHA256:x: pbem game new cup-1 --players ben,..."
    ((deed, given),) = proposed_deeds(line)
    assert (deed.name, given) == ("open-game", {"game": "cup-1", "players": "ben"})
    given |= {"players": "ben,al", "choices": "a=1 b=2"}
    options = ["--players=ben,al", "--option=a=1", "--option=b=2"]
    assert command_of(deed, given, tmp_path)[3:] == [*options, "--", "cup-1"]
    line = 'a and b agree: pbem game act first correct 4 x=1 --reason "..." --consent /a --consent /b'
    ((deed, given),) = proposed_deeds(line)
    fields = {"game": "first", "what": "correct", "of": "4 x=1", "consent": "a", "second": "b"}
    assert (deed.name, given) == ("correct", fields)
    found = list(
        proposed_deeds("see pbem club status, pbem club status --answered 12; pbem club run --after-gap")
    )
    assert [(one.name, given) for one, given in found] == [
        ("answered", {"number": "12"}),
        ("pass-after-gap", {}),
    ]
    assert list(proposed_deeds("pbem club init /tmp/x and pbem club restore y")) == []


@needs_browser
def test_a_real_browser_on_a_telephone_runs_a_deed(served: Served, tmp_path: Path) -> None:
    """Its forms have the Origin that the page's headers let it send; a fingerprint makes no page too wide."""
    from playwright.sync_api import sync_playwright

    CommandPlayer("carl", tmp_path)
    join = tmp_path / "carl.join"
    judge = served.club / "keys/gm.pub"
    pbem("join", "third", "--as", "carl", "--judge", judge, "--out", join, PBEM_HOME=tmp_path / "carl")
    pbem("club", "submit", join, "--club", served.club)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        page = browser.new_page(viewport={"width": 390, "height": 844})
        page.set_default_timeout(60_000)
        page.goto(f"http://127.0.0.1:{served.port}{served.path}")
        page.get_by_role("link", name="To the desk").click()
        assert "carl wishes to join" in page.inner_text("body")
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        page.get_by_role("link", name="first").click()
        page.get_by_role("link", name="Move the deadline").click()
        page.get_by_label("By how many days").fill("2")
        page.get_by_label("Reason").fill("bob has no time")
        page.get_by_role("button", name="Show the command").click()
        page.get_by_role("button", name="Run it").click()
        assert "first: the deadline is" in page.inner_text("body")
        browser.close()


def test_the_desk_says_what_it_needs(club: Path) -> None:
    told = pbem("desk", "--club", club / "nothing", may_fail=True)
    assert "club" in told
