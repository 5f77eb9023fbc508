"""A club's pages: what all may know and no more, written whole, again only where something has changed."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta
from html.parser import HTMLParser
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast
from xml.etree import ElementTree as ET

import pytest

from pbem.audit.bundle import read_bundle
from pbem.audit.game import audit_files
from pbem.errors import ConfigError
from pbem.judge.acts import act
from pbem.judge.export import read_record
from pbem.judge.letters.addresses import keep_profile
from pbem.judge.newgame import new_game
from pbem.moments.documents import write_page
from pbem.moments.tracks import tell
from pbem.service.one_pass import Pass
from pbem.site.pages import Shown, list_players
from pbem.site.seats import offer_seat, read_offers, withdraw_offer
from pbem.site.view import ClubView, SiteSettings, TitleView, club_view, site_settings
from pbem.site.writing import LIST, StoryPlan, plan_stories, write_site
from pbem.titles import load, names
from pbem.trust.chance import make_chain
from pbem.trust.keys import PrivateKey
from pbem.trust.player_statements import Profile
from tests.judge.every_game import run_pass
from tests.judge.table import GAME, SEATS, TITLE, Table, join_of, make_table

SITE = {"name": "The Hearth", "address": "https://club.example/", "about": "Games by mail.\n\nCome in."}


def wish(table: Table, publish: str = "yes", names: tuple[str, ...] = ("alice", "bob")) -> None:
    """Sign whether these people's games are shown."""
    table.clock.now += timedelta(minutes=1)
    with table.club.store.step():
        for name in names:
            judge = table.club.key.public.fingerprint
            signed = Profile(player=name, judge=judge, publish=publish, made=table.clock())
            assert keep_profile(table.club.store, signed, table.clock())


def open_game(table: Table, game: str, players: Mapping[str, PrivateKey]) -> None:
    """Open one more game in the club."""
    chains = {name: make_chain(game, f"{name}.1", bytes(32)) for name in players}
    joins = [join_of(game, name, key, chains[name].anchor) for name, key in players.items()]
    new_game(
        table.club,
        game,
        TITLE.name,
        dict(TITLE.excerpt or {}),
        dict(zip(SEATS.values(), joins, strict=False)),
    )


def settings_of(table: Table, **settings: Any) -> SiteSettings:
    """Return the settings of a club's site."""
    found = site_settings({"site": {**SITE, **settings}}, table.club.path)
    assert found is not None
    return found


def written(table: Table, folder: Path, **settings: Any) -> tuple[int, int]:
    """Write the site into a folder; return how many files there are, and how many have changed."""
    done = write_site(table.club, folder, settings_of(table, **settings))
    return done.files, done.changed


def files_in(folder: Path) -> dict[str, bytes]:
    """Every file below a folder, by name."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def text_of(folder: Path) -> str:
    """All that the site says."""
    files = files_in(folder).items()
    return "\n".join(data.decode(errors="replace") for name, data in files if not name.endswith(".png"))


@pytest.fixture
def table(tmp_path: Path) -> Table:
    """A club with one game, its first exchange open."""
    return make_table(tmp_path / "of the judge")


@pytest.fixture
def www(tmp_path: Path) -> Path:
    """The folder that a web server shows."""
    return tmp_path / "www"


def test_a_running_game_is_shown_if_all_who_play_wish_it(table: Table, www: Path) -> None:
    table.go()
    written(table, www)
    assert GAME not in text_of(www)
    wish(table, names=("alice",))
    written(table, www)
    assert GAME not in text_of(www)
    wish(table, names=("bob",))
    written(table, www)
    assert {f"games/{GAME}.html", f"reports/{GAME}.html", "index.html"} <= set(files_in(www))
    assert "0 of 2 files are in" in (www / f"games/{GAME}.html").read_text()
    table.send("alice")
    written(table, www)
    assert "1 of 2 files are in" in (www / f"games/{GAME}.html").read_text()


@pytest.mark.ci
def test_whose_file_is_in_is_not_told(tmp_path: Path) -> None:
    """Twins: the same number of files, of one player or of the other, gives the same pages."""
    told = []
    for name in ("alice", "bob"):
        table = make_table(tmp_path / name)
        wish(table)
        table.go()
        table.send(name)
        written(table, tmp_path / name / "www")
        told.append(files_in(tmp_path / name / "www"))
        told[-1] = {file: without_keys(data) for file, data in told[-1].items() if file != LIST}
    assert told[0] == told[1]


@pytest.mark.ci
def test_hidden_orders_alter_no_page(tmp_path: Path) -> None:
    """Twins: orders that nobody else sees, resolved or not, running or over, leave every page as it is."""
    told = []
    for said in ("one", "another"):
        table, www = make_table(tmp_path / said), tmp_path / said / "www"
        wish(table)
        table.go(2, body=f"note {said} plan of mine\n")
        table.send("alice", f"note {said} plan more\n")
        written(table, www)
        told.append(files_in(www))
        concede(table)
        written(table, www)
        told.append({name: data for name, data in files_in(www).items() if not name.endswith(".gz")})
    for one, other in (told[::2], told[1::2]):
        assert f"stories/{GAME}.html" in one
        assert all(without_keys(one[name]) == without_keys(other[name]) for name in {*one, *other} - {LIST})


def without_keys(data: bytes) -> bytes:
    """Leave out hashes and keys, which differ between any two clubs."""
    return re.sub(rb"SHA256:\S{43}|[0-9a-f]{64}|urn:uuid:[0-9a-f-]{36}", b"-", data)


def test_a_wish_that_is_taken_back_removes_what_was_shown(table: Table, www: Path) -> None:
    wish(table)
    table.go()
    written(table, www)
    wish(table, "no", ("bob",))
    written(table, www)
    assert not (www / f"games/{GAME}.html").exists()
    assert not {"alice", "bob", GAME} & set(re.findall(r"[a-z]+", text_of(www)))


def finish(table: Table) -> None:
    """Play an exchange, and end the game."""
    table.go()
    concede(table)


def concede(table: Table) -> None:
    """End the game."""
    act(
        table.club,
        GAME,
        "concede",
        "bob",
        reason="bob has written so",
        consents=[table.consent("concede bob")],
    )
    run_pass(table.club)
    assert table.book.history.over


def test_a_finished_game_is_told_by_its_sides_alone_unless_its_players_wish_otherwise(
    table: Table, www: Path
) -> None:
    finish(table)
    written(table, www)
    page = (www / f"games/{GAME}.html").read_text()
    assert "England has conceded" in page
    assert "alice" not in text_of(www)
    assert not list(www.glob("games/*.tar.gz"))
    wish(table)
    written(table, www)
    assert "alice" in (www / f"games/{GAME}.html").read_text()
    assert (www / "games" / f"{GAME}.tar.gz").is_file()


@pytest.mark.ci
def test_the_bundle_that_is_offered_passes_the_audit(table: Table, www: Path) -> None:
    wish(table)
    finish(table)
    written(table, www)
    bundle = www / "games" / f"{GAME}.tar.gz"
    first = bundle.read_bytes()
    genesis = table.genesis
    assert f"--genesis {genesis}" in (www / f"games/{GAME}.html").read_text()
    assert audit_files(read_bundle(bundle), genesis).status == 0
    assert audit_files(read_bundle(bundle), "0" * 64).status == 3
    bundle.unlink()
    written(table, www)
    assert bundle.read_bytes() == first


@pytest.mark.ci
def test_the_story_is_what_the_public_was_shown(table: Table, www: Path) -> None:
    """The same bytes as `pbem show --as public --html` writes, linked from the game's page."""
    wish(table)
    table.go(2)
    for link in ("Watch the game so far", "Watch the game<"):
        written(table, www)
        page = (www / f"games/{GAME}.html").read_text()
        assert link in page
        assert f'href="../stories/{GAME}.html"' in page
        story = tell(read_record(table.club, GAME, "public"), "public")
        assert (www / f"stories/{GAME}.html").read_bytes() == write_page(story)
        if not story.over:
            finish(table)


@pytest.mark.ci
def test_a_story_waits_as_the_club_lets_the_public_wait(table: Table, www: Path) -> None:
    wish(table)
    table.go(4)
    written(table, www)
    story = www / f"stories/{GAME}.html"
    now = story.read_bytes()
    settings = cast("dict[str, Any]", table.club.settings)
    settings["public"] = {"delay_exchanges": 2}
    written(table, www)
    assert len(story.read_bytes()) < len(now)
    finish(table)
    written(table, www)
    assert story.read_bytes() != now
    assert "concede" in story.read_text()


def test_a_pass_writes_some_stories_and_the_next_ones_the_others(table: Table, www: Path) -> None:
    """A pass makes at least one story; a page links to a story that is there, and to no other."""
    wish(table)
    table.go(2)
    settings = settings_of(table)
    assert write_site(table.club, www, settings, most=0).waiting == 1
    assert "Watch" not in (www / f"games/{GAME}.html").read_text()
    assert write_site(table.club, www, settings, most=1).waiting == 0
    assert "Watch" in (www / f"games/{GAME}.html").read_text()
    view = club_view(table.club, settings)
    (one,) = view.running
    three = tuple(replace(one, facts=replace(one.facts, game=name)) for name in ("a", "b", "c"))
    view, known = replace(view, running=three), dict[str, str]()
    for waiting in (2, 1, 0):
        plan = plan_stories(view, 0, known, 1)
        assert (len(plan.due), plan.waiting, dict(plan.kept)) == (1, waiting, known)
        known |= {name: key for name, (key, _) in plan.due.items()}
    assert not plan_stories(view, 0, known, 1).due
    assert len(plan_stories(view, 0, {}, None).due) == 3
    assert len(plan_stories(view, 0, {}, 3).due) == 2, "three exchanges are told with the second story"


def test_a_story_that_waits_for_its_turn_stays_unless_the_public_waits_longer(
    table: Table, www: Path
) -> None:
    wish(table)
    table.go(3)
    known = {name: key for name, (key, _) in plan(table, {}).due.items()}
    assert plan(table, known).kept == known
    table.go()
    later = plan(table, known, most=0)
    assert (later.kept, later.waiting) == (known, 1)
    assert plan(table, known, most=0, delay=1).kept == {}
    finish(table)
    assert plan(table, known, most=0, delay=1).kept == known, "of a game that is over nothing waits"


def plan(table: Table, known: dict[str, str], most: int | None = None, delay: int = 0) -> StoryPlan:
    """Plan the stories of the club's site."""
    return plan_stories(club_view(table.club, settings_of(table)), delay, known, most)


@pytest.mark.ci
def test_no_name_of_a_game_makes_two_files_of_one_name(table: Table, www: Path) -> None:
    """Each kind of file has its own folder or ending, whatever games are called."""
    others = [f"{GAME}{end}" for end in ("-report", ".html", ".png", ".tar", ".tar.gz")]
    for other in others:
        open_game(table, other, {name: one.key for name, one in table.people.items()})
    wish(table)
    finish(table)
    written(table, www)
    assert "Watch the game" in (www / f"games/{GAME}.html").read_text()
    for other in others:
        assert f"<h1>{other}</h1>" in (www / f"games/{other}.html").read_text()
    assert written(table, www)[1] == 0


@pytest.mark.ci
def test_what_has_not_changed_is_not_written_again(table: Table, www: Path) -> None:
    wish(table)
    table.go()
    files, changed = written(table, www)
    assert changed >= files
    before = {path: path.stat().st_ino for path in www.rglob("*")}
    assert written(table, www) == (files, 0)
    assert {path: path.stat().st_ino for path in www.rglob("*")} == before
    table.go()
    assert 0 < written(table, www)[1] <= files


@pytest.mark.ci
def test_a_crash_leaves_no_file_that_nobody_knows(
    table: Table, www: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A disk that is full at any file: the next try goes on, and a wish taken back removes everything."""
    from pbem.site import writing

    wish(table)
    table.go()
    real, count, at = writing._write, 0, 0

    def full(path: Path, data: bytes) -> bool:
        nonlocal count
        count += 1
        if count == at:
            raise OSError(28, "No space left on device")
        return real(path, data)

    monkeypatch.setattr(writing, "_write", full)
    while True:
        count, at = 0, at + 1
        try:
            written(table, www)
        except ConfigError as fault:
            assert "no space left on device" in str(fault)  # noqa: PT017
        else:
            break
    assert at > 5
    wish(table, "no")
    count = -100
    written(table, www)
    assert GAME not in text_of(www)
    assert not list(www.rglob(".*.new"))


def test_a_folder_with_other_files_is_left_alone(table: Table, www: Path) -> None:
    www.mkdir()
    (www / "thesis.txt").write_text("mine")
    with pytest.raises(ConfigError, match="holds other files"):
        written(table, www)
    assert files_in(www) == {"thesis.txt": b"mine"}


def test_a_game_on_hold_and_an_unconfirmed_one(table: Table, www: Path) -> None:
    wish(table)
    table.go()
    act(table.club, GAME, "hold", reason="a holiday")
    written(table, www)
    assert "the judge has put it on hold" in (www / f"games/{GAME}.html").read_text()
    assert "a holiday" not in (www / f"games/{GAME}.html").read_text()
    with table.club.store.step():
        table.club.store.put_note("restored", "2026-01-01T00:00:00Z")
    written(table, www)
    assert GAME not in text_of(www)


@pytest.mark.ci
def test_a_club_that_lets_the_public_wait_shows_an_earlier_position(table: Table, www: Path) -> None:
    wish(table)
    table.go(3)
    written(table, www)
    now = (www / f"reports/{GAME}.html").read_bytes()
    cast("dict[str, Any]", table.club.settings)["public"] = {"delay_exchanges": 2}
    written(table, www)
    page = (www / f"games/{GAME}.html").read_text()
    assert (www / f"reports/{GAME}.html").read_bytes() != now
    assert "files are in" not in page
    assert "Until" not in page
    act(table.club, GAME, "concede", "bob", reason="so signed", consents=[table.consent("concede bob")])
    written(table, www)
    assert (www / f"reports/{GAME}.html").read_bytes() == now


def test_open_seats(table: Table, www: Path) -> None:
    offer = {"rules": "hammer", "seats": 1, "rhythm": "a turn a week", "about": "<b>beginners</b>"}
    offer_seat(table.club, "dunbar-8", **offer)  # type: ignore[arg-type]
    cast("dict[str, Any]", table.club.settings)["page"] = {
        "address": "https://play.example/",
        "sha256": "0" * 64,
    }
    written(table, www)
    page = (www / "index.html").read_text()
    judge = table.club.key.public.fingerprint.replace("+", "&#43;")
    assert f"https://play.example/#join-hammer/dunbar-8/{table.club.key.public.fingerprint}" in page.replace(
        judge, table.club.key.public.fingerprint
    )
    assert "&lt;b&gt;beginners&lt;/b&gt;" in page
    with pytest.raises(ConfigError, match="has begun"):
        offer_seat(table.club, GAME, **offer)  # type: ignore[arg-type]
    with pytest.raises(ConfigError, match="not a game that is installed"):
        offer_seat(table.club, "x", **{**offer, "rules": "chess"})  # type: ignore[arg-type]
    withdraw_offer(table.club, "dunbar-8")
    assert read_offers(table.club) == ()
    with pytest.raises(ConfigError, match="no seat is offered"):
        withdraw_offer(table.club, "dunbar-8")


def test_an_offer_names_those_who_are_there_and_wish_it(table: Table, www: Path) -> None:
    wish(table, names=("alice",))
    offer_seat(
        table.club, "dunbar-8", rules="lords", seats=2, rhythm="daily", about="", people=("alice", "bob")
    )
    for place in ("index.html", "titles/lords.html"):
        written(table, www)
        page = (www / place).read_text()
        assert '<td data-name="There already">alice, 1 more</td>' in page
        clock = "7 days for each exchange; absences move a deadline by 21 days at most"
        assert f'<td data-name="Rhythm">daily. <span class="quiet">The clock: {clock}.</span></td>' in page
        assert not re.search(r"\bbob\b", page)
    assert "dunbar-8" not in (www / "titles/hammer.html").read_text()
    with pytest.raises(ConfigError, match="'mallory' is not a player of this club"):
        offer_seat(table.club, "x", rules="lords", seats=1, rhythm="", about="", people=("mallory",))


def test_every_title_has_a_page(table: Table, www: Path) -> None:
    """It says what a game takes here, counted from the club's games that are over, and how orders look."""
    cast("dict[str, Any]", table.club.settings)["page"] = {
        "address": "https://play.example/",
        "sha256": "0" * 64,
    }
    wish(table)
    written(table, www)
    for name in names():
        page = (www / f"titles/{name}.html").read_text()
        assert load(name).rules.title in page
        assert "No game of it is over yet" in page
        assert "https://play.example/#practice" in page
        assert f'href="titles/{name}.html"' in (www / "index.html").read_text()
        picture = (www / f"titles/{name}.png").read_bytes()
        assert picture.startswith(b"\x89PNG") == ('<img class="map"' in page)
        assert picture or load(name).pictures is None
        assert "How a line is read" not in page
        assert "```" not in page
    assert "move Wallace, Douglas from Fife to Mentieth" in (www / "titles/hammer.html").read_text()
    assert "<pre>deploy infantry 2" in (www / "titles/first-war.html").read_text()
    finish(table)
    written(table, www)
    page = (www / "titles/hammer.html").read_text()
    assert "1 exchange, 1 day; 1 game is over" in page
    assert f'href="../games/{GAME}.html"' in page


@pytest.mark.parametrize(
    ("exchanges", "days", "said"),
    [
        ((), (), ""),
        ((1,), (), "1 exchange"),
        ((4, 9, 20), (30, 30), "9 exchanges (4 to 20), 30 days"),
    ],
)
def test_the_length_of_games_in_words(exchanges: tuple[int, ...], days: tuple[int, ...], said: str) -> None:
    assert TitleView("x", "X", exchanges, days).length == said


def test_players_are_listed_by_the_games_that_are_shown(table: Table, www: Path) -> None:
    finish(table)
    written(table, www)
    assert "Nobody is listed yet" in (www / "players.html").read_text()
    wish(table)
    written(table, www)
    page = (www / "players.html").read_text()
    assert re.findall(r"<h2 id=.*>(.*)</h2>", page) == ["alice", "bob"]
    rows = re.findall(r"<td>(Scotland|England)</td>" + r'<td class="n">(\d)</td>' * 4, page)
    assert rows == [("Scotland", "1", "1", "0", "0"), ("England", "1", "0", "0", "1")]
    wish(table, "no", ("bob",))
    written(table, www)
    assert "Nobody is listed yet" in (www / "players.html").read_text()


@pytest.mark.parametrize(
    ("places", "results"), [((1, 1), "dd"), ((2, 1), "lw"), ((1, 1, 3), "wwl"), ((3, 1, 2), "lwl")]
)
def test_results_by_places(places: tuple[int, ...], results: str, table: Table) -> None:
    """Drawn is a game in which all share the first place."""
    finish(table)
    (game,) = club_view(table.club, settings_of(table)).finished
    seats = tuple((f"side {number}", f"player {number}") for number in range(len(places)))
    game = replace(game, facts=replace(game.facts, places=places), players=seats)
    said = "".join(
        result[0]
        for player in list_players([game], {})
        for score in player.scores.values()
        for result, count in score.results.items()
        for _ in range(count)
    )
    assert said == results


class _Looks(HTMLParser):
    """Collects what a page would load from elsewhere, scripts, and handlers."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in ("script", "iframe", "object", "embed", "form"):
            self.found.append(tag)
        for name, value in attrs:
            if name.startswith("on") or (name in ("src", "srcset") and ":" in (value or "")):
                self.found.append(f"{tag} {name}={value}")


def test_pages_run_nothing_and_load_nothing_from_elsewhere(table: Table, www: Path) -> None:
    wish(table)
    finish(table)
    settings = {"about": "<script>alert(1)</script> \u202e", "name": '"><img src=x onerror=alert(1)>'}
    written(table, www, **settings)
    for path in www.rglob("*.html"):
        looks = _Looks()
        looks.feed(path.read_text())
        if path.parent.name not in ("reports", "stories"):
            assert looks.found == [], path
        assert "Content-Security-Policy" in path.read_text()
        assert "default-src 'none'" in path.read_text()
    for name in ("feed.atom", "sitemap.xml"):
        ET.fromstring(files_in(www)[name])  # noqa: S314 - our own


def test_the_feed_tells_the_latest_first(table: Table, www: Path) -> None:
    club = cast("ClubView", SimpleNamespace(finished=tuple(range(12))))
    assert Shown(club).latest == club.finished[:10], "and so does the front page"
    wish(table)
    finish(table)
    offer_seat(table.club, "dunbar-8", rules="hammer", seats=2, rhythm="", about="")
    written(table, www)
    root = ET.fromstring((www / "feed.atom").read_bytes())  # noqa: S314 - our own
    atom = "{http://www.w3.org/2005/Atom}"
    times = [entry.findtext(f"{atom}updated") or "" for entry in root.iter(f"{atom}entry")]
    assert len(times) == 3
    assert times == sorted(times, reverse=True)
    assert len({entry.findtext(f"{atom}id") for entry in root.iter(f"{atom}entry")}) == 3


@pytest.mark.parametrize(
    ("site", "why"),
    [
        ({"title": "x"}, "has no title"),
        ("x", "must be a table"),
        ({"name": ""}, "needs a name"),
        ({"name": 5}, "name must be a text"),
        ({"name": "x", "address": "https://club.example"}, "with the last /"),
        ({"name": "x", "address": "javascript:alert(1)/"}, "address must be"),
        ({"name": "x", "rules": "nowhere.txt"}, "cannot be read"),
    ],
)
def test_settings_that_cannot_be(site: object, why: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=re.escape(why)):
        site_settings({"site": site}, tmp_path)


def test_a_pass_keeps_the_site_up_to_date(table: Table, www: Path) -> None:
    settings = cast("dict[str, Any]", table.club.settings)
    settings["site"] = {**SITE, "folder": str(www)}
    wish(table)
    table.go()
    told = [line.text for line in Pass(table.club, after_gap=True).run() if line.step == "site"]
    assert len(told) == 1
    assert (www / f"reports/{GAME}.html").is_file()
    assert [line for line in Pass(table.club, after_gap=True).run() if line.step == "site"] == []
    settings["site"] = {**SITE, "folder": "club.toml"}
    lines = list(Pass(table.club, after_gap=True).run())
    assert [line.trouble for line in lines if line.step == "site"] == [True]
