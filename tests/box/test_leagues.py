"""A league by the post box: letters, answers to calls, and what entrants write to each other."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from pbem.box.folder import folder_name
from pbem.box.stores import letter_numbers
from pbem.judge.acts import act
from pbem.judge.club import Club, create_club, open_club
from pbem.judge.leagues.book import begin_league, load_league
from pbem.judge.leagues.steps import run_leagues
from pbem.judge.letters.addresses import WebPage
from pbem.judge.tables.note_tables import RESTORED
from pbem.mail.settings import MailSettings
from pbem.player import Home
from pbem.player.box_client import boxes_to_ask, boxes_to_fetch
from pbem.player.incoming.letters_in import box_of
from pbem.service.box_letters import put_letters, tell_box
from pbem.service.box_table import BoxSettings, read_box
from pbem.service.one_pass import Pass
from pbem.trust.act_entries import CONCEDE
from pbem.trust.faults import SignatureFault
from pbem.trust.keys import generate
from pbem.trust.post_box import BoxLetter, sign_box_letter
from pbem.trust.sealing import RECEIPT_SIZE, pad, seal
from pbem.trust.times import utc_text
from tests.box.served import ServedBox, free_port
from tests.box.test_round_trip import command
from tests.leagues.world import file_of

NAMES = ("ann", "ben")
CUP = "league.cup"


@dataclass
class Cup:
    """A league whose entrants have a key and a post box, and neither a game nor a mail address."""

    club: Club
    box: ServedBox
    homes: dict[str, Home]
    ahead: timedelta = field(default=timedelta(0))

    def run(self) -> None:
        """Make one pass."""
        assert [line.text for line in Pass(self.club, after_gap=True).run() if line.trouble] == []

    def enter(self, name: str) -> None:
        """Sign an entry, and post it in the box that the announcement names."""
        home, which = self.homes[name], load_league(self.club, "cup").season
        out = home.path / "enter.txt"
        words = ("--judge", which.genesis.gm, "--genesis", which.genesis_head, "--out", str(out))
        command(home, "league", "enter", "cup", "--as", name, *words)
        command(home, "send", str(out), "--box", self.box.url, "--as", name)

    def answer(self, name: str) -> str:
        """Fetch a call, and answer it; what the letters say."""
        home = self.homes[name]
        told = command(home, "fetch")
        command(home, "league", "reply", "cup", "--out", str(home.path / "reply.txt"))
        command(home, "send", str(home.path / "reply.txt"))
        return told

    def in_box(self, name: str) -> list[int]:
        """The numbers of the letters that lie in the box for an entrant."""
        return letter_numbers(self.box.path, folder_name(self.homes[name].keys.public(name)))

    def letters(self, name: str, kind: str) -> list[str]:
        """The judge's letters of a kind to an entrant, oldest first."""
        return [one.name for one in self.club.store.letter_heads(CUP, name) if f"-{kind}-" in one.name]


@pytest.fixture
def cup(tmp_path: Path) -> Iterator[Cup]:
    """A league that takes entries."""
    folder = tmp_path / "club"
    box = ServedBox(folder / "box", free_port())
    create_club(folder, "test").store.close()
    (folder / "club.toml").write_text(f'name = "test"\n[box]\nurl = "{box.url}"\n[press]\nkind = "white"\n')
    made = Cup(open_club(folder), box, {name: Home(tmp_path / name) for name in NAMES})
    made.club.clock = lambda: datetime.now(UTC) + made.ahead
    until = utc_text(datetime.now(UTC) + timedelta(days=1))
    begin_league(made.club, file_of("swiss").replace(b"2027-01-31T20:00:00Z", until.encode()))
    for name in NAMES:
        made.homes[name].keygen(name)
    made.run()
    box.start()
    try:
        yield made
    finally:
        box.stop(signal.SIGKILL)
        made.club.store.close()


@pytest.mark.ci
def test_a_league_is_entered_answered_and_read_by_the_box(cup: Cup) -> None:
    for name in NAMES:
        cup.enter(name)
    cup.run()
    for name, home in cup.homes.items():
        told = command(home, "fetch")
        assert f"{CUP} uses the post box {cup.box.url}" in told
        assert box_of(home.league("cup").folder) == cup.box.url
        (name_of_box,) = boxes_to_ask(home, CUP)
        assert (name_of_box.url, name_of_box.key_file) == (cup.box.url, name)
        assert boxes_to_ask(home) == [name_of_box]
    cup.ahead = timedelta(days=2)
    cup.run()
    for name in NAMES:
        assert "cup: call 1, for the draw of round 1" in cup.answer(name)
    cup.run()
    (pair,) = load_league(cup.club, "cup").season.rounds[-1].unfinished_pairs
    for home in cup.homes.values():
        told = command(home, "fetch")
        assert "receipt 1: the judge of league.cup has your answer to call 1" in told
        assert f"next: pbem turn --game {pair.game}" in told
        assert f"{pair.game} uses the post box {cup.box.url}" in told, "told in the pass that opens the game"

    ann = cup.homes["ann"]
    concession = ann.path / "concession.txt"
    words = ("sign", "consent", pair.game, "2", "concede", "ann", "--as", "ann", "--out", str(concession))
    command(ann, *words)
    signed = concession.read_bytes()
    act(cup.club, pair.game, CONCEDE, "ann", reason="the game is lost", consents=[signed])
    cup.run()
    cup.run()
    for name, home in cup.homes.items():
        assert "cup: call 2, for the draw of round 2" in command(home, "fetch")
        assert command(home, "fetch") == "", "it is fetched once"
        written = [one for one in cup.club.store.letters() if one.player == name]
        assert len(cup.in_box(name)) == len(written), "each letter is in the box, once"


@pytest.mark.ci
def test_entrants_write_to_each_other_by_the_box(cup: Cup) -> None:
    for name in NAMES:
        cup.enter(name)
    cup.run()
    cup.ahead = timedelta(days=2)
    cup.run()
    for home in cup.homes.values():
        command(home, "fetch")
    ann, ben = cup.homes.values()
    (ann.path / "says.txt").write_text("A game?\n")
    words = ("press", CUP, str(ann.path / "says.txt"), "--to", "ben")
    assert f"it is in the post box of {CUP}" in command(ann, *words)
    assert "no receipt of the judge has come" in command(ann, "press", CUP)
    before = cup.club.store.league_head(CUP)
    cup.run()
    assert cup.club.store.league_head(CUP) == before
    assert "A game?" in command(ben, "fetch")
    command(ann, "fetch")
    assert "no receipt" not in command(ann, "press", CUP)
    cup.box.stop(signal.SIGKILL)
    assert "BEGIN AGE" in command(ann, *words), "as without a box"


@pytest.mark.ci
def test_entrants_are_told_the_box_once_and_again_when_it_or_their_key_changes(cup: Cup) -> None:
    for name in NAMES:
        cup.enter(name)
    for _ in range(3):
        cup.run()
    assert len(cup.letters("ann", "box")) == len(cup.letters("ben", "box")) == 1
    ann = cup.homes["ann"]
    ann.keygen("ann2")
    cup.ahead = timedelta(days=2)
    cup.run()
    command(ann, "fetch")
    new = str(ann.path / "new.txt")
    command(ann, "league", "new-key", "cup", "--as", "ann", "--new", "ann2", "--out", new)
    command(ann, "send", new)
    cup.run()
    cup.ahead += timedelta(minutes=1)
    cup.run()
    assert len(cup.letters("ann", "box")) == 2
    assert [one.key_file for one in boxes_to_ask(ann, CUP)] == ["ann"], "as far as the ledger here says"
    told = command(ann, "fetch")
    assert "ann signs with the key" in told
    assert [(one.url, one.key_file) for one in boxes_to_ask(ann, CUP)] == [(cup.box.url, "ann2")]
    assert [one.key_file for one in boxes_to_fetch(ann, CUP)] == ["ann", "ann2"]
    assert boxes_to_ask(ann) == boxes_to_ask(ann, CUP), "so that it is clear where to send"
    cup.ahead += timedelta(minutes=1)
    for _ in range(2):
        tell_box(cup.club, None)
    assert len(cup.letters("ann", "box")) == 3, "and that there is none any more"
    assert len(cup.letters("ben", "box")) == 2
    with cup.club.store.step():
        cup.club.store.put_note(RESTORED, "2026-11-28T00:00:00Z")
    tell_box(cup.club, read_box(cup.club.settings, cup.club.path))
    assert len(cup.letters("ben", "box")) == 2, "a restored club signs nothing before it is confirmed"


@pytest.mark.ci
def test_nobody_else_names_the_box_of_a_league(cup: Cup) -> None:
    cup.enter("ann")
    ann = cup.homes["ann"]
    letter = BoxLetter(game=CUP, url="https://other.example/", made=datetime.now(UTC).replace(microsecond=0))
    forged = pad(sign_box_letter(letter, generate()), RECEIPT_SIZE)
    with pytest.raises(SignatureFault, match="this is signed with the key"):
        ann.receive(seal(forged, [ann.keys.public("ann")]))
    assert box_of(ann.league("cup").folder) == ""


@pytest.mark.ci
def test_the_short_mail_about_a_league_leads_to_it(cup: Cup) -> None:
    for name in NAMES:
        cup.enter(name)
    cup.run()
    ann, club = cup.homes["ann"], cup.club
    command(ann, "fetch")
    club.add_player("ann", ann.keys.public("ann"), "ann@club.example")
    cup.ahead = timedelta(days=2)
    list(run_leagues(club, {}))
    box = BoxSettings(folder=cup.box.path, url=cup.box.url, mails="short")
    page = WebPage("https://play.club.example/", "9" * 64)
    mails = MailSettings(address="judge@club.example", page=page)
    list(put_letters(club, box, mails))
    (short,) = (one for one in club.store.letters() if one.name.startswith("box-"))
    assert short.address == "ann@club.example"
    assert "https://play.club.example/#league/league.cup\n" in short.text
