"""The player's page in Chromium: from nothing to orders that count, and back to the command line."""

import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.web.table import PASSPHRASE, Judge, PagePlayer, bot_orders, pbem

pytestmark = pytest.mark.ci

Arrive = Callable[..., PagePlayer]
SIDES = {"alice": "scotland", "bob": "england"}


def begin(
    judge: Judge, players: list[PagePlayer], game: str, rules: str, sides: list[str], **options: str
) -> None:
    """From a new key to the invitation."""
    joins = {}
    for player, side in zip(players, sides, strict=True):
        player.make_key()
        joins[side] = player.join(game, judge.fingerprint)
    judge.open(game, rules, joins, **options)
    for player in players:
        player.read_letters(judge)
        player.page.locator(".banner").wait_for()


def exchange(judge: Judge, players: list[PagePlayer], game: str, rules: str, sides: list[str]) -> None:
    """Everybody's orders, a pass of the judge, everybody's letters."""
    for player, side in zip(players, sides, strict=True):
        orders = bot_orders(rules, side, player.view(game))
        if player.page.locator("#draft").count():
            player.write(orders)
        judge.run("submit", player.seal())
        player.page.get_by_role("button", name="I gave it to my mail program").click()
        player.page.locator(".banner.handed-over").wait_for()
    for player in players:
        player.read_letters(judge)
        player.page.locator(".banner.receipted").wait_for()
    judge.run("run")
    for player in players:
        player.read_letters(judge)
        player.page.locator(".banner.draft").wait_for()


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
    pbem("audit", _bundle(judge, "hearth", tmp_path))
    alice.page.get_by_role("link", name="Games").click()
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


def _bundle(judge: Judge, game: str, folder: Path) -> Path:
    judge.run("export", game, "--as", "all", "--into", folder / "bundle", "--reason", "a test looks at it")
    return folder / "bundle"
