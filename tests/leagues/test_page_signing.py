"""A league in the page alone: each form signs what the judge enters, and letters show how it stands."""

from __future__ import annotations

import base64
import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from pbem.errors import PbemError
from pbem.player.faults import Refused
from pbem.web.api import Api
from pbem.web.door import Door
from tests.leagues.test_commands import PAGE, Shop

pytestmark = pytest.mark.ci
CUP = "league.cup"


class Table:
    """A judge at the command line, and players whose homes are in pages."""

    def __init__(self, shop: Shop, which: list[str]) -> None:
        self.shop = shop
        self.which = {"league": "cup", "judge": which[1], "genesis": which[3]}
        self.api: dict[str, Api] = {}
        self.read: dict[str, set[str]] = {}

    def arrive(self, name: str) -> Api:
        api = Api(self.shop.folder / f"page-{name}", clock=lambda: self.shop.now)
        api.make_key(name, "a horse")
        api.saved()
        self.api[name] = api
        return api

    def sign(self, name: str, text: str, about: str = CUP, **given: str) -> str:
        """What a player signs in a form, handed to the judge as a file; what came of it."""
        made = self.api[name].sign(text, about, given)
        self.api[name].saved()
        file = self.shop.folder / made.file
        file.write_text(made.text)
        told = self.shop("submit", str(file))
        file.unlink()
        return told

    def letters(self, name: str) -> None:
        new = [path for path in self.shop.sent(name) if path not in self.read.setdefault(name, set())]
        given = [(Path(one).name, base64.b64encode(Path(one).read_bytes()).decode()) for one in new]
        assert self.api[name].receive(given).faults == ()
        self.read[name] |= set(new)

    def names(self, name: str, about: str = CUP) -> list[str]:
        return [form.name for form in self.api[name].forms(about)]

    def due(self, name: str) -> list[str]:
        return [form.name for form in self.api[name].forms(CUP) if form.due]

    def everybody_answers(self, *players: str) -> None:
        for name in players:
            self.letters(name)
            assert self.due(name) == ["reply"]
            assert self.api[name].leagues()[0].asked
            self.sign(name, "reply", bids="e2")
            assert not self.api[name].leagues()[0].asked
        self.shop("run", "--after-gap")


@pytest.fixture
def table(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Table:
    shop = Shop(tmp_path, capsys, monkeypatch)
    shop("init", str(tmp_path / "club"))
    (tmp_path / "league.toml").write_bytes(PAGE)
    shop("keygen", "pam", home="pam")
    shop("player", "add", "pam", str(tmp_path / "pam/keys/pam.pub"))
    table = Table(shop, shop.begin(tmp_path / "league.toml"))
    for name in ("ann", "ben", "cat", "dan"):
        table.arrive(name)
        assert "; entry " in table.sign(name, "enter", "", **table.which, rating="1650")
    return table


def test_a_season_is_signed_in_forms(table: Table) -> None:
    shop, players = table.shop, ("ann", "ben", "cat", "dan")
    assert table.api["ann"].league(CUP).is_entered is False, "no letter has come"
    shop.now = datetime(2027, 2, 1, 12, tzinfo=UTC)
    shop("run", "--after-gap")
    table.everybody_answers(*players)
    assert table.names("ann")[0] == "absence", "nothing is asked: the call is answered"
    table.everybody_answers(*players)
    for name in players:
        table.letters(name)
    outlook = table.api["ann"].league(CUP)
    door = Door(shop.folder / "page-ann")
    for call, given in (("league", {"name": CUP}), ("leagues", {}), ("forms", {"about": CUP})):
        assert "answer" in json.loads(door.ask(json.dumps({"call": call, "given": given})))
    assert outlook.is_entered
    assert outlook.players == players
    (meeting,) = outlook.meetings
    assert meeting.until == outlook.next_due
    (line,) = table.api["ann"].leagues()
    assert line.meets == (f"{meeting.opponents[0]} in {meeting.game}, which is not open yet",)
    assert any("You meet" in text for text in outlook.letters)
    other = meeting.opponents[0]
    ledger = next((shop.folder / "page-ann").rglob("league.cup/ledger.txt"))
    whole = ledger.read_bytes()
    ledger.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(PbemError):  # what has changed is read again
        table.api["ann"].league(CUP)
    ledger.write_bytes(whole)
    assert table.api["ann"].league(CUP) == outlook

    assert "dan says withdraw" in table.sign("dan", "withdraw", reason="no time")
    table.arrive("eve")
    assert table.names("eve", "") == ["enter", "substitute", "vote", "appeal", "new-key"]
    assert "; entry " in table.sign("eve", "substitute", "", **table.which, of="dan")
    assert "ann says absent" in table.sign("ann", "absent", first="2", last="2")
    with pytest.raises(Refused, match="'First day'"):
        table.api["ann"].sign("absence", CUP, {"ends": "2027-03-01"})
    assert "absence of ann" in table.sign("ann", "absence", begins="2027-03-01", ends="2027-03-05")
    told = table.sign("ann", "profile", zone="Europe/London", publish="yes")
    assert "zone Europe/London, publish yes" in told
    assert f"{other} says appeal" in table.sign(other, "appeal", entry="9", reason=" it  was a draw ")
    made = table.api["ann"].sign("challenge", CUP, {"of": other})
    assert "say challenge\n" in made.text
    assert f"of {other}\n" in made.text
    made = table.api["ann"].sign("half-bye", CUP, {"round": "2"})
    assert "say half-bye\n" in made.text
    assert "rounds 2 2\n" in made.text


def test_an_old_key_makes_way_for_a_new_one_and_a_lost_one_for_a_ruling(table: Table) -> None:
    told = table.sign("ann", "new-key", new="ann2", passphrase="another")
    assert "ann says new-key" in told
    with pytest.raises(Refused, match="to make it, give it a passphrase"):
        table.api["ben"].sign("new-key", CUP, {"new": "ben2"})
    made = table.api["ben"].sign("new-key", CUP, {"new": "ben2", "passphrase": "x", "lost": "yes"})
    assert made.remarks == ("Hand it to the director, who has to know that it is you who asks.",)


def test_who_has_lost_their_key_is_still_offered_a_new_one(table: Table) -> None:
    shop = table.shop
    shop.now = datetime(2027, 2, 1, 12, tzinfo=UTC)
    shop("run", "--after-gap")
    table.letters("cat")
    for path in (shop.folder / "page-cat/keys").iterdir():
        path.unlink()
    table.api["cat"] = api = Api(shop.folder / "page-cat", clock=lambda: shop.now)
    api.make_key("cat2", "another")
    assert "new-key" in table.names("cat")
    assert "cat says new-key" in table.sign("cat", "new-key", new="cat2", lost="yes")


def test_one_of_the_panel_votes_without_having_entered(table: Table) -> None:
    api = Api(table.shop.folder / "pam", clock=lambda: table.shop.now)
    api.unlock("pam", "")
    given = {**table.which, "round": "1", "pairing": "1", "places": "ann=1 ben=2"}
    made = api.sign("vote", "", given)
    assert "say vote\n" in made.text
    assert "places ann=1,ben=2\n" in made.text
    assert not (table.shop.folder / "pam/leagues/league.cup/player").exists()


def test_what_is_missing_or_no_number_is_said_in_the_forms_words(table: Table) -> None:
    api = table.api["ann"]
    for text, given, told in (
        ("absent", {"first": "2"}, "fill in 'To round'"),
        ("absent", {"first": "2", "last": "three"}, "'three' is not a number"),
        ("castle", {}, "nothing that a form of this page signs"),
        ("enter", {}, "fill in"),
    ):
        with pytest.raises(Refused, match=told):
            api.sign(text, CUP if text != "enter" else "", given)
    with pytest.raises(PbemError, match="is not a fingerprint"):
        api.sign("enter", "", {"league": "other", "judge": "SHA256:x", "genesis": "0" * 64})


def test_a_league_with_a_box_posts_what_is_signed_and_fetches_its_letters(table: Table) -> None:
    box = "https://box.club.example/"
    api = table.arrive("fay")
    made = api.sign("enter", "", table.which, box)
    (waiting,) = api.waiting()
    assert (waiting.text, waiting.box, waiting.game, waiting.signed) == (made.text, box, CUP, "enter")
    call = api.posting(waiting.number)
    assert call.url == f"{box}post"
    assert call.header, "it is signed with the key that enters"
    assert [(one.box, one.key) for one in api.readers()] == [(box, "fay")]
