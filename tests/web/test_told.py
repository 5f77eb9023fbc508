"""What the page is told, whole: from an empty home to the second report, and by the saved home elsewhere."""

from __future__ import annotations

import base64
import re
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from pprint import pformat
from typing import Any

import pytest

from pbem.errors import PbemError
from pbem.judge.club import create_club, open_club
from pbem.judge.intake import desk
from pbem.judge.newgame import new_game
from pbem.trust.keys import generate, write_private_file
from pbem.trust.player_statements import read_join
from pbem.web.api import Api
from tests import conftest
from tests.judge.every_game import run_pass
from tests.judge.table import GAME, TITLE, Clock, Table, enrolled, join_of
from tests.kept import as_kept, plain

KEPT = Path(__file__).parent / "golden" / "told.txt"
CLUB = f"""
[mail]
address = "judge@club.example"
[page]
address = "https://play.club.example/"
sha256 = "{"9" * 64}"
"""


class Page:
    """A page, and all that it was told."""

    def __init__(self, home: Path, clock: Clock) -> None:
        self.api = Api(home, clock)
        self.said = ""

    def ask(self, what: str, *given: Any) -> Any:
        """Ask, and note what is answered."""
        call: Callable[..., Any] = getattr(self.api, what)
        try:
            answer = call(*given)
        except PbemError as fault:
            answer = fault
        shown = pformat(answer, width=110).replace(str(self.api._path), "HOME")
        asked = ", ".join(repr(one) if len(repr(one)) < 70 else "..." for one in given)
        self.said += f"== {what}({asked})\n{shown if what != 'save_home' else '(a zip)'}\n"
        return answer

    @property
    def text(self) -> str:
        """Without what is another in each run, and the picture by its digest."""
        whole = re.sub(r"svg='.*?'(?=,\n +words=)", in_short, self.said, flags=re.DOTALL)
        whole = re.sub(r"(-BEGIN .*\n|begin view.*\n)(?: *'[\w+/=]+\\n'\n)+", r"\1", whole)
        return plain(whole)


def in_short(found: re.Match[str]) -> str:
    return f"svg={sha256(found[0].encode()).hexdigest()[:8]}"


@pytest.mark.ci
def test_what_the_page_is_told_is_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(conftest, "CHANCE", "")  # else the dice would be others
    clock, home = Clock(), tmp_path / "home"
    club = create_club(tmp_path / "club", "test", clock=clock)
    toml = club.path / "club.toml"
    toml.write_text(toml.read_text() + CLUB)
    club.store.close()
    table = Table(open_club(club.path, clock), clock)
    judge = club.key.public.fingerprint
    page = Page(home, clock)
    page.ask("standing")
    page.ask("make_key", "alice", "")
    (home / "keys").mkdir(parents=True)
    key = {name: generate(name) for name in ("alice", "alice.recovery", "bob")}
    for name in ("alice", "alice.recovery"):
        write_private_file(home / "keys" / name, key[name].to_openssh("correct", rounds=4))
        (home / f"keys/{name}.pub").write_text(key[name].public.file_line)
    page.ask("join", GAME, "alice", judge)
    page.ask("unlock", "alice", "correct")
    joined = page.ask("join", GAME, "alice", judge, "Europe/Berlin", "alice@example.org")
    page.ask("join", "auld", "alice", "")
    page.ask("standing")
    people = enrolled(table.club, tuple(reversed(TITLE.rules.sides({}))), key.__getitem__)
    alice, bob = people
    shares = join_of(GAME, "bob", bob.key, bob.chain.anchor, share="bob@example.org")
    seats = {alice.side: read_join(joined.text.encode()), bob.side: shares}
    new_game(table.club, GAME, TITLE.name, dict(TITLE.excerpt or {}), seats)
    table.people = {one.name: one for one in people}
    got: set[int] = set()

    def post(*more: tuple[str, bytes]) -> None:
        """She receives what the judge has sent her since."""
        new = [one for one in table.club.store.letters_to(GAME, "alice") if one.id not in got]
        got.update(one.id for one in new)
        parts = [*((one.name, one.data) for one in new), *more]
        page.ask("receive", [(name, base64.b64encode(data).decode()) for name, data in parts])

    post(("odd.txt", b"no"))
    page.ask("receive", [("odd.txt", "no file")])
    page.ask("recommended")
    shown = page.ask("show", GAME)
    page.ask("looked", GAME, 0)
    page.ask("seal", GAME, "")
    page.ask("saved")
    page.ask("last_sealed", GAME)
    page.ask("offers", GAME, "")
    page.ask("check", GAME, "card 3\n", True)

    def send(text: str) -> None:
        """She sends these orders, and the judge has them."""
        page.ask("keep_draft", GAME, f"{text} or so")
        made = page.ask("seal", GAME, text)
        page.ask("last_sealed", GAME)
        page.ask("standing")
        page.ask("handed", GAME, made.exchange, made.rev)
        page.said += "".join(f"{one.text}\n" for one in desk.submit(table.club, made.text.encode()))

    send(" \n")
    post()
    page.ask("show", GAME)
    table.send("bob")
    run_pass(table.club)
    post()
    page.ask("standing")
    shown = page.ask("show", GAME)
    for step in (len(page.ask("story", GAME, 1)) - 1, 99):
        page.ask("story_picture", GAME, 1, step)
    page.ask("story", GAME, 7)
    for line in ("", "card", "mo"):
        page.ask("offers", GAME, line)
    draft = f"{shown.form}\ncard 9\n"
    for text in ("", draft):
        page.ask("check", GAME, text, True)
    send(draft)
    send("")
    page.ask("handed", GAME, 2, 1)
    page.ask("show", GAME, 0)
    page.ask("show", GAME, 7)
    page.ask("looked", GAME, 1)
    page.ask("looked", GAME, 0)
    page.ask("reveal", GAME)
    saved = page.ask("save_home")
    page.ask("load_home", saved)
    other = Page(tmp_path / "other", clock)
    other.ask("load_home", saved)
    other.ask("standing")
    other.ask("seal", GAME, "")
    as_kept(KEPT, page.text + other.text)
