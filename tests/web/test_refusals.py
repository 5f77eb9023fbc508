"""The page meets a judge who breaks the rules: it refuses what the command line refuses, in its words."""

from collections.abc import Callable
from pathlib import Path

import pytest

from pbem.errors import PbemError
from pbem.player import Home
from pbem.web import homefile
from tests.player.judge import GAME, Judge
from tests.web.table import PagePlayer

pytestmark = pytest.mark.ci

Arrive = Callable[..., PagePlayer]


@pytest.fixture
def alice(tmp_path: Path) -> Home:
    """Alice's home, with her key."""
    home = Home(tmp_path / "native/alice")
    home.keygen("alice")
    return home


@pytest.fixture
def false_judge(alice: Home, tmp_path: Path) -> Judge:
    """A judge who has begun a game with alice and bob, and invited her."""
    bob = Home(tmp_path / "native/bob")
    bob.keygen("bob")
    judge = Judge()
    judge.begin(*(home.join(GAME, player=home.path.name, judge=None) for home in (alice, bob)))
    alice.receive(judge.mail(judge.letter(0)).encode())
    return judge


def in_the_page(arrive: Arrive, home: Home, folder: Path) -> PagePlayer:
    """The same home in a browser; from here on the two do not know of each other."""
    saved = folder / "home.zip"
    saved.write_bytes(homefile.pack(home.path))
    player = arrive(f"page-{home.path.name}")
    player.load_home(saved)
    return player


def refused_alike(player: PagePlayer, home: Home, letter: str, folder: Path) -> str:
    """What page and command line say of a letter that both refuse."""
    with pytest.raises(PbemError) as caught:
        home.receive(letter.encode())
    told = str(caught.value).replace(str(home.path), "/home/pbem")  # where the page's own home lies
    saved = folder / "letter.txt"
    saved.write_text(letter, encoding="utf-8")
    player.receive(saved)
    assert player.page.locator("#notes .fault").count() == 1
    assert all(line in player.told() for line in told.splitlines()), player.told()
    return told


def test_a_later_step_is_asked_for_too_early_and_not_bared(
    arrive: Arrive, alice: Home, false_judge: Judge, tmp_path: Path
) -> None:
    player = in_the_page(arrive, alice, tmp_path)
    false_judge.close(1)
    false_judge.add(false_judge.resolution(1))
    false_judge.open(9)
    told = refused_alike(player, alice, false_judge.mail(false_judge.notice(9, since=2)), tmp_path)
    assert "exchange 2 must be opened next" in told
    orders = "pbem1 orders\nexchange 9\n---\n"
    with pytest.raises(PbemError, match="no later step may be revealed") as caught:
        alice.seal(orders, game=GAME)
    asked = player.page.evaluate(
        "(given) => import('./ask.js').then((page) => page.ask('seal', given)).catch((one) => one.message)",
        {"game": GAME, "text": orders},
    )
    assert asked == str(caught.value)


def test_a_receipt_comes_late_for_orders_that_the_judge_has_denied(
    arrive: Arrive, alice: Home, false_judge: Judge, tmp_path: Path
) -> None:
    orders = alice.seal(None, game=GAME)
    receipt = false_judge.signed_receipt(false_judge.receipt(1, "alice", orders.rev, orders.sealed)).decode()
    player = in_the_page(arrive, alice, tmp_path)
    false_judge.close(1)
    false_judge.resolve(1)
    letter = false_judge.mail(false_judge.letter(1, since=2))
    alice.receive(letter.encode())
    saved = tmp_path / "report.txt"
    saved.write_text(letter, encoding="utf-8")
    player.receive(saved)
    assert player.page.locator("#notes .fault").count() == 0
    told = refused_alike(player, alice, receipt, tmp_path)
    assert "the ledger does not name them" in told
    assert player.page.locator(".banner").inner_text().lower().find("receipted") < 0
