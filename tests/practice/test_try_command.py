"""`pbem try` in a home with a running game, and the same in the page's api: the game stays as it is."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path

import pytest

from pbem.cli import main
from pbem.player.faults import Refused
from pbem.practice.sandbox import MARK
from pbem.web import homefile
from pbem.web.practice import Tryout
from tests.web.table import CommandPlayer, Judge, bot_orders, opened

pytestmark = pytest.mark.ci

GAME = "hearth"
SIDES = ["scotland", "england"]


@pytest.fixture(scope="module")
def player(tmp_path_factory: pytest.TempPathFactory) -> CommandPlayer:
    """Scotland's player in a game with two exchanges behind them."""
    folder = tmp_path_factory.mktemp("try")
    judge = Judge(folder)
    players = opened(judge, folder, GAME, "hammer", SIDES)
    for one, side in zip(players, SIDES, strict=True):
        judge.run("submit", one.seal(GAME, bot_orders("hammer", side, one.view)))
    judge.run("run")
    for one in players:
        one.read_letters(judge)
    return players[0]


@pytest.fixture(autouse=True)
def at_home(player: CommandPlayer, monkeypatch: pytest.MonkeyPatch) -> None:
    """Everything is done in that player's home."""
    monkeypatch.setenv("PBEM_HOME", str(player.home))


def state(home: Path) -> dict[str, str]:
    """Every file of a home, by its hash."""
    return {
        str(path.relative_to(home)): sha256(path.read_bytes()).hexdigest()
        for path in sorted(home.rglob("*"))
        if path.is_file() and not str(path.relative_to(home)).startswith("try/")
    }


@contextmanager
def unchanged(home: Path) -> Iterator[None]:
    before = state(home)
    yield
    assert state(home) == before, "the home is not touched"


def test_a_try_is_kept_in_a_folder_and_the_game_stays_as_it_is(
    player: CommandPlayer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place, orders = tmp_path / "what-if", tmp_path / "orders.txt"
    orders.write_text("card 1\n", encoding="utf-8")
    with unchanged(player.home):
        assert main(["try", GAME, "--hidden"]) == 0
        hidden = capsys.readouterr().out
        edward = next(line for line in hidden.splitlines() if line.startswith("Edward: "))
        put = f"Edward={edward.removeprefix('Edward: ').split(', ')[0]}"
        assert main(["try", GAME, str(place), "--seed", "5", "--put", put]) == 0
        told = capsys.readouterr()
        report = Path(told.out.strip()).read_text(encoding="utf-8")
        assert report.startswith(f"{MARK}\nBegun from what scotland knows of hearth after exchange 2.\n")
        assert f"pbem try {GAME} {place} --send FILE" in told.err
        assert main(["try", GAME, str(place), "--send", str(orders), "--anyway"]) == 0
        sent = Path(capsys.readouterr().out.strip())
        assert sent.name == "report-0002.txt"
        assert main(["try", GAME, str(place), "--again"]) == 0
        assert Path(capsys.readouterr().out.strip()) == sent
        assert main(["try", GAME, str(place), "--back"]) == 0
        assert Path(capsys.readouterr().out.strip()).name == "report-0001.txt"
        assert not sent.exists()


def test_nothing_of_it_is_sealed_for_the_game(
    player: CommandPlayer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place = tmp_path / "what-if"
    main(["try", GAME, str(place)])
    capsys.readouterr()
    with unchanged(player.home):
        report, out = str(place / "report-0001.txt"), str(tmp_path / "o.age")
        status = main(["seal", report, "--game", GAME, "--out", out])
    assert status != 0
    assert not (tmp_path / "o.age").exists()
    assert "so it holds no orders to send" in capsys.readouterr().err


def test_it_begins_earlier_and_at_a_step(
    player: CommandPlayer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["try", GAME, str(tmp_path / "a"), "--exchange", "1"]) == 0
    assert "of hearth after exchange 1." in Path(capsys.readouterr().out.strip()).read_text(encoding="utf-8")
    assert main(["try", GAME, str(tmp_path / "b"), "--exchange", "2", "--step", "1"]) == 0
    assert "of hearth a" in Path(capsys.readouterr().out.strip()).read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["nowhere"], "nowhere"),
        ([GAME, "--exchange", "9"], "there is no report of exchange 9 of hearth here"),
        ([GAME, "--exchange", "2", "--step", "999"], "steps, counted from 1"),
        ([GAME, "--step", "1"], "--step belongs to --exchange"),
        ([GAME, "--put", "Edward"], "--put reads NAME=PLACE"),
        ([GAME, "--put", "Wallace=Fife"], "Wallace is not hidden"),
        ([GAME, "--against", "nobody"], "no bot is called nobody"),
        ([GAME, "--again"], "belong to a try that was begun in FOLDER"),
        ([GAME, "--again", "--back"], "choose one of --send, --again and --back"),
        ([GAME, "--anyway"], "--anyway belongs to --send"),
    ],
)
def test_what_cannot_be_tried_is_refused_in_words(
    arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["try", *arguments]) != 0
    assert said in capsys.readouterr().err


BUNDLE = str(Path(__file__).parents[2] / "games/campaign-to-1298/bundle.tar.gz")


def test_a_game_in_a_bundle_is_tried_out_at_a_step_by_the_eyes_of_a_side(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def begun(name: str, *arguments: str) -> str:
        assert main(["try", BUNDLE, str(tmp_path / name), "--seed", "5", *arguments]) == 0
        return Path(capsys.readouterr().out.strip()).read_text(encoding="utf-8")

    scots = begun("a", "--as", "scotland", "--exchange", "5")
    assert scots.startswith(f"{MARK}\nBegun from what scotland knows of demo after exchange 5.\n")
    assert "knows of demo at step" in begun("b", "--as", "england", "--exchange", "7", "--step", "2")
    first = begun("c", "--as", "scotland", "--exchange", "1", "--step", "1")
    assert "of demo at step 1 of exchange 1." in first, "nothing comes before it"
    assert main(["try", BUNDLE, "--as", "scotland"]) != 0
    assert "the game is over there; begin at an earlier exchange or step" in capsys.readouterr().err
    assert main(["try", BUNDLE, "--as", "scotland", "--exchange", "5", "--hidden"]) == 0
    assert capsys.readouterr().out.startswith("Hidden: ")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([BUNDLE, "--exchange", "5"], "say with --as whose eyes: england or scotland"),
        ([BUNDLE, "--as", "public", "--exchange", "5"], "say with --as whose eyes: england or scotland"),
        ([BUNDLE, "--as", "wales", "--exchange", "5"], "has no reader called wales"),
        ([BUNDLE, "--as", "scotland", "--exchange", "99"], "there is no report of exchange 99"),
        ([GAME, "--as", "scotland"], "in your home there is only what your own side sees; leave --as out"),
    ],
)
def test_a_bundle_is_tried_as_a_side_alone(
    arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["try", *arguments]) != 0
    assert said in capsys.readouterr().err


def test_a_practice_game_is_no_try(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["practice", str(tmp_path / "mine")])
    assert main(["try", GAME, str(tmp_path / "mine")]) != 0
    assert "holds a practice game and no try" in capsys.readouterr().err


def test_the_page_tries_it_in_a_slot_of_its_own(player: CommandPlayer) -> None:
    with unchanged(player.home):
        tryout = Tryout(player.home, seed="5")
        with pytest.raises(Refused, match="nothing is being tried out"):
            tryout.tried()
        tryout.begin(GAME)
        shown = tryout.show()
        assert shown.line.game == "try"
        assert shown.headline[0].startswith("Report to Scotland")
        assert tryout.tried().mark[0] == MARK
        assert shown.svg.startswith("<svg")
        assert tryout.check("card 1", forecast=True).forecast
        tryout.play("card 1\n")
        assert tryout.story(2)
        tryout.throw_again()
        tryout.take_back()
        assert tryout.show().draft == "card 1\n"
        tryout.begin_again(alone=True)
        assert tryout.tried().alone
        tryout.play("")
        assert tryout.tried().side == "england"
        assert tryout.show().line.side == "england"
        assert tryout.look_back().story
        again = Tryout(player.home)
        assert again.show() == tryout.show(), "it goes on where it was"
        tryout.play("")
        name, places = tryout.hidden().unseen[0]
        tryout.begin_again(placed=[(name, places[0])])
        assert tryout.hidden().placed == ((name, places[0]),)
        with pytest.raises(Exception, match="cannot be in"):
            tryout.begin_again(placed=[(name, "pool")])
        assert tryout.hidden().placed == ((name, places[0]),), "the try before stays"
        tryout.begin_again(anew=True)
        assert not [path for path in homefile.held(player.home) if "try" in path.parts]
        tryout.leave()


def test_what_is_damaged_in_the_pages_slot_is_refused_and_begun_again(player: CommandPlayer) -> None:
    tryout = Tryout(player.home)
    tryout.begin(GAME)
    (player.home / "try/game").write_text("torn", encoding="utf-8")
    with pytest.raises(Refused, match="what was tried out is damaged; begin again"):
        tryout.tried()
    start = (player.home / "try/game.json").read_text(encoding="utf-8").replace('"view"', '"seen"')
    (player.home / "try/game.json").write_text(start, encoding="utf-8")
    with pytest.raises(Exception, match="damaged"):
        Tryout(player.home).tried()
    tryout.begin(GAME)
    assert tryout.tried().game == GAME
    tryout.leave()
