"""A game against a bot in the page: its Python natively, and in the page's own interpreter."""

import json
from pathlib import Path

import pytest

from pbem.player.faults import Refused
from pbem.practice.table import Session, Start
from pbem.reports.packing import unpack_view
from pbem.titles import default_name, load
from pbem.web import homefile
from pbem.web.api import Api
from pbem.web.build import PRACTICE, bundle, later_bundle
from pbem.web.door import Door
from pbem.web.practice import Practice
from tests.web.node import python_of

WHOLE = """
import json
from pathlib import Path
from pbem.web.practice import Practice
game = Practice(Path("/tmp/home"), seed="3")
game.begin()
told = []
for text in json.loads(given):
    game.play(text)
    shown = game.show()
    told.append([shown.exchange, shown.title, shown.svg, len(game.story(shown.exchange))])
found = json.dumps(told)
"""
ORDERS = ["card 1\nmove Wallace to Fife\n", "", "if first:\nmove Douglas to Lanark\n"]


@pytest.fixture
def game(tmp_path: Path) -> Practice:
    """A game that has begun."""
    begun = Practice(tmp_path / "home", seed="3")
    begun.begin()
    return begun


def test_it_begins_with_the_usual_game_and_asks_for_orders(game: Practice) -> None:
    shown = game.show()
    assert (shown.line.side, shown.line.state, shown.line.deadline) == ("scotland", "draft", "")
    assert (shown.exchange, shown.reports, shown.line.exchange) == (1, (1,), 2)
    assert shown.svg.startswith("<svg")
    assert any(one.now for one in shown.questions)
    assert game.offers("", "")
    assert "did you mean Wallace" in game.check("move Walace to Fife").faults[0]["said"]
    assert game.check("card 1\nmove Wallace to Fife", forecast=True).forecast


@pytest.mark.ci
def test_real_rules_play_it_and_a_bot_answers(game: Practice, tmp_path: Path) -> None:
    title = load(default_name())
    start = Start(
        game=title.name, options=title.excerpt or {}, seed="3", side="scotland", bot=next(iter(title.bots))
    )
    session = Session(start)
    for number, text in enumerate(ORDERS, 2):
        line = game.play(text)
        session.send(text)
        assert (line.exchange, line.last_report, line.new) == (number + 1, number, True)
        assert unpack_view((tmp_path / f"home/practice/report-{number:04}.txt").read_text()) == unpack_view(
            session.report()
        )
        assert game.story(number)
        assert game.story_picture(number, 0).svg
        game.looked(number)
        assert not game.show().line.new
    assert game.show(2).exchange == 2


@pytest.mark.ci
def test_it_goes_on_where_it_was_and_the_draft_is_kept(game: Practice, tmp_path: Path) -> None:
    game.play(ORDERS[0])
    game.keep_draft("card 2\n")
    again = Practice(tmp_path / "home", seed="9")
    assert again.show() == game.show()
    assert again.show().draft == "card 2\n"
    assert again.play(ORDERS[1]) == game.play(ORDERS[1])
    assert again.show().draft == ""


def test_other_games_are_practised_too_and_a_new_one_takes_the_place_of_the_old(game: Practice) -> None:
    named = {one.name: one for one in game.choices()}
    assert set(named) >= {"hammer", "lords", "first-war"}, "and what other tests install"
    assert named["lords"].title
    game.play(ORDERS[0])
    game.begin("lords", "red")
    assert (game.show().line.side, game.show().reports) == ("red", (1,))


def test_a_game_that_is_over_says_so(game: Practice) -> None:
    game.begin("lords", "red")
    while game.show().line.state == "draft":
        game.play("")
    assert game.show().line.state == "over"
    assert game.play("").state == "over", "nothing more is played"


def test_it_is_no_part_of_the_home(game: Practice, tmp_path: Path) -> None:
    home = tmp_path / "home"
    assert not list(homefile.held(home))
    assert Api(home).standing().keys == ()
    game.leave()
    assert not list(home.iterdir())


def test_what_is_not_there_is_refused_in_words(game: Practice, tmp_path: Path) -> None:
    with pytest.raises(Refused, match="no practice game has begun"):
        Practice(tmp_path / "nobody").show()
    with pytest.raises(Refused, match="there is no report of exchange 9 here"):
        game.story(9)
    for path in (tmp_path / "home").rglob("report-*.txt"):
        path.write_text("torn", encoding="utf-8")
    with pytest.raises(Refused, match="the practice game is damaged; begin another"):
        game.show()


def test_the_door_leads_to_it_too(tmp_path: Path) -> None:
    door = Door(tmp_path / "home")

    def ask(call: str, **given: object) -> dict[str, object]:
        told: dict[str, object] = json.loads(
            door.ask(json.dumps({"at": "practice", "call": call, "given": given}))
        )
        return told

    assert "fault" in ask("show"), "none has begun"
    assert "answer" in ask("begin")
    written, _ = door.changes()
    assert all(name.startswith("practice/") for name, _ in written)
    assert "answer" in ask("play", text=ORDERS[0])
    door.fill(dict(written))  # what could not be kept is taken back
    told = ask("show")["answer"]
    assert isinstance(told, dict)
    assert told["exchange"] == 1
    assert "bug" in ask("seal", text="")
    assert "bug" in ask("_text", name="player")


@pytest.mark.ci
def test_what_it_needs_comes_as_a_second_file() -> None:
    first, second = json.loads(bundle()), json.loads(later_bundle(PRACTICE))
    assert not first.keys() & second.keys()
    assert not [name for name in first if "/practice" in name or "/bots/" in name]
    assert {"pbem/practice/table.py", "pbem/bots/__init__.py", "pbem/web/practice.py"} <= second.keys()
    assert later_bundle(PRACTICE) == later_bundle(PRACTICE)


@pytest.mark.ci
def test_it_is_played_in_the_page_as_natively(site: Path, tmp_path: Path) -> None:
    game = Practice(tmp_path / "home", seed="3")
    game.begin()
    told = []
    for text in ORDERS:
        game.play(text)
        shown = game.show()
        told.append([shown.exchange, shown.title, shown.svg, len(game.story(shown.exchange))])
    assert json.loads(python_of(site, WHOLE, json.dumps(ORDERS))) == told
