"""The main way in Debian's Firefox: from nothing to orders that the judge has receipted."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.web.firefox import FIREFOX, Firefox
from tests.web.table import PASSPHRASE, CommandPlayer, Judge

pytestmark = pytest.mark.ci


@pytest.fixture
def firefox(tmp_path: Path) -> Iterator[Firefox]:
    """A browser."""
    if FIREFOX is None and os.environ.get("CI") != "true":
        pytest.skip("no Firefox is installed")
    browser = Firefox(tmp_path / "firefox")
    yield browser
    browser.close()


def test_the_main_way_is_gone_in_firefox(
    firefox: Firefox, judge: Judge, address: str, tmp_path: Path
) -> None:
    firefox.visit(address)
    firefox.run(
        "addEventListener('securitypolicyviolation', (one) => { document.body.dataset.bad = one.blockedURI })"
    )
    for label, said in (
        ("Your name in games", "alice"),
        ("Passphrase", PASSPHRASE),
        ("The passphrase again", PASSPHRASE),
    ):
        firefox.give(label, said)
    firefox.press("Make your key")
    firefox.wait("//h2[.='Open mail from the judge']")
    firefox.give("Game", "hearth")
    firefox.give("The judge's key", judge.fingerprint)
    firefox.press("Sign the join file")
    bob = CommandPlayer("bob", tmp_path / "homes")
    joins = {"scotland": firefox.taken("Download .txt"), "england": bob.join("hearth", judge)}
    judge.open("hearth", "hammer", joins, scenario="braveheart")
    read: set[Path] = set()

    def receive() -> None:
        new = [path for path in judge.letters("alice") if path not in read]
        firefox.give("Choose files", "\n".join(map(str, new)))
        read.update(new)

    receive()
    firefox.wait("//div[contains(@class, 'banner') and contains(@class, 'draft')]")
    assert firefox.taken("Save my home").read_bytes()[:2] == b"PK"
    firefox.press("I have the file")
    for orders in ("", "move Wallace to Mentieth"):
        if orders:
            draft = firefox.wait("//textarea[@id='draft']")
            firefox.do("WebDriver:ElementSendKeys", id=draft, text=orders)
            firefox.wait("//li[@class='fine']")
            assert firefox.run("return document.querySelectorAll('.drawn polyline').length") == 1
        firefox.do("WebDriver:ElementClick", id=firefox.wait("//button[@id='seal']"))
        firefox.press("Yes, seal")
        judge.run("submit", firefox.taken("Download .txt"))
        firefox.press("I gave it to my mail program")
        firefox.wait("//div[contains(@class, 'handed-over')]")
        receive()
        firefox.wait("//div[contains(@class, 'receipted')]")
        bob.read_letters(judge)
        judge.run("submit", bob.seal("hearth", ""))
        judge.run("run")
        receive()
        firefox.wait("//div[contains(@class, 'banner') and contains(@class, 'draft')]")
    assert "Exchange 2" in firefox.text("//div[@class='story']")
    assert firefox.run("return document.querySelectorAll('#notes .fault').length") == 0

    firefox.visit(f"{address}#game/hearth")  # again, from what the browser has kept
    firefox.do("WebDriver:Refresh")
    firefox.give("Passphrase", PASSPHRASE)
    firefox.press("Unlock")
    firefox.wait("//div[contains(@class, 'banner') and contains(@class, 'draft')]")
    assert firefox.run("return document.body.dataset.bad ?? ''") == ""
