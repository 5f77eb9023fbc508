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
    firefox.wait("//h2[.='Join a game']")
    firefox.give("Game", "hearth")
    firefox.give("The judge's key", judge.fingerprint)
    firefox.press("Sign the join file")
    bob = CommandPlayer("bob", tmp_path / "homes")
    joins = {"scotland": firefox.taken("Download .txt"), "england": bob.join("hearth", judge)}
    judge.open("hearth", "hammer", joins, scenario="braveheart")
    read: set[Path] = set()

    def receive() -> None:
        new = [path for path in judge.letters("alice") if path not in read]
        firefox.choose("Open mail", "\n".join(map(str, new)))
        read.update(new)

    receive()
    firefox.wait("//p[@data-state='invited']")
    assert firefox.taken("Save my home").read_bytes()[:2] == b"PK"
    firefox.press("I have the file")
    for orders in ("", "move Wallace to Mentieth"):
        if orders:
            firefox.press("To your orders")
            firefox.press("Write as text")
            draft = firefox.wait("//textarea[@id='draft']")
            firefox.do("WebDriver:ElementSendKeys", id=draft, text=orders)
            firefox.wait("//li[@class='fine']")
            assert firefox.run("return document.querySelectorAll('.drawn polyline').length") == 1
        judge.run("submit", firefox.taken("Sign and send" if orders else "Accept"))
        firefox.press("I gave it to my mail program")
        firefox.wait("//p[@data-state='handed over']")
        receive()
        firefox.wait("//p[@data-state='receipted']")
        bob.read_letters(judge)
        judge.run("submit", bob.seal("hearth", ""))
        judge.run("run")
        receive()
        firefox.wait("//p[@data-state='draft']")
    assert "What happened" in firefox.text("//div[@class='story']")
    assert firefox.run("return document.querySelectorAll('#notes .fault').length") == 0

    firefox.visit(f"{address}#game/hearth")  # again, from what the browser has kept
    firefox.do("WebDriver:Refresh")
    firefox.give("Passphrase", PASSPHRASE)
    firefox.press("Unlock")
    firefox.wait("//p[@data-state='draft']")
    assert firefox.run("return document.body.dataset.bad ?? ''") == ""
