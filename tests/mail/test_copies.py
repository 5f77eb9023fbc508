"""Sealed orders as mails to the judge and the opponents, and who is told whose address (protocol 7)."""

from __future__ import annotations

import email
from collections.abc import Callable, Iterator
from email.message import Message
from email.policy import SMTP, default
from pathlib import Path

import pytest

from pbem.audit import audit
from pbem.audit.findings import State
from pbem.cli import main
from pbem.judge.export import export
from pbem.judge.letters.addresses import post_of
from pbem.player import Home
from pbem.trust.letters import OrdersCopy, parse_report, sign_copy
from pbem.trust.sealing import MAX_SEALED_REPORT_SIZE, open_sealed, seal, to_armor
from pbem.trust.signature import split
from tests.mail.servers import Post, smtp_server
from tests.mail.year import COPIES, GAME, Year

pytestmark = pytest.mark.ci


JUDGE = "judge@club.example"
Open = Callable[..., Year]


@pytest.fixture
def begin(tmp_path: Path) -> Iterator[Open]:
    """Opens a game by mail; `sharing`: who shares his address."""
    post = Post(tmp_path / "post")
    with smtp_server(post) as port:

        def opened(*sharing: str, **mail: object) -> Year:
            year = Year(tmp_path, post, port, **mail)
            year.join(*sharing)
            year.run()
            receive(year)
            return year

        yield opened


def receive(year: Year) -> dict[str, list[Message]]:
    """Everybody reads his mails."""
    mails = {name: year.mails(name) for name in year.players}
    for name, player in year.players.items():
        player.read(mails[name])
    return mails


def ready(year: Year, name: str, **options: object) -> bytes:
    """The mail with which a player accepts the genesis."""
    home = year.players[name].home
    return home.mail(home.seal(None, game=GAME), **options)  # type: ignore[arg-type]


def heads(raw: bytes) -> tuple[str, str, str]:
    found = email.message_from_bytes(raw, policy=default)
    return str(found["From"]), str(found["To"]), str(found["Cc"])


def held(year: Year, name: str, folder: str = "held/sealed") -> list[Path]:
    return sorted((year.players[name].home.folder(GAME).path / folder).glob("*"))


def test_a_mail_goes_to_the_judge_alone_unless_both_share_their_addresses(begin: Open) -> None:
    """A mail to an opponent says where it is from: alice has told nobody that bob may know it."""
    year = begin("bob")
    for name in ("alice", "bob"):
        raw = ready(year, name)
        assert heads(raw) == (f"{name}@example.org", JUDGE, "None")
        others = f"{'bob' if name == 'alice' else 'alice'}@example.org"
        assert others.encode() not in raw


def test_a_mail_goes_to_opponents_with_whom_one_shares(begin: Open) -> None:
    year = begin("alice", "bob")
    raw = ready(year, "alice")
    assert heads(raw) == ("alice@example.org", JUDGE, "bob@example.org")
    assert heads(ready(year, "bob")) == ("bob@example.org", JUDGE, "alice@example.org")
    assert raw == ready(year, "alice"), "the same orders are the same mail"
    assert max(map(len, raw.splitlines())) < 110
    assert raw.isascii()
    year.send(raw)
    mails = receive(year)
    assert [mail["From"] for mail in mails["bob"]] == ["alice@example.org"]
    assert len(held(year, "bob")) == 1
    year.run()
    assert "orders of alice for dunbar, exchange 1: received" in "\n".join(year.events)


def test_no_address_is_given_away_without_its_owner_s_word(begin: Open) -> None:
    year = begin()
    for name in ("alice", "bob"):
        assert heads(ready(year, name))[2] == "None"
        assert letters(year, name)[0].addresses.copies == ()
    assert all(b"example.org" not in entry for entry in entries(year))


def test_no_address_enters_the_ledger_or_a_bundle(begin: Open, tmp_path: Path) -> None:
    year = begin("alice", "bob")
    for name in ("alice", "bob"):
        year.send(ready(year, name))
    year.run()
    assert letters(year, "alice")[-1].addresses.copies == ("bob@example.org",)
    export(year.table.club, GAME, "all", tmp_path / "bundle", "a test")
    for path in (tmp_path / "bundle").rglob("*"):
        assert path.is_dir() or b"@example.org" not in path.read_bytes(), path


def letters(year: Year, name: str) -> list:  # type: ignore[type-arg]
    """The letters to a player, opened with his key."""
    home = year.players[name].home
    rows = year.table.club.store.letters_to(GAME, name)
    texts = [_opened(home, name, row.data) for row in rows if "-report" in row.name]
    return [parse_report(split(text).body, year.table.club.key.public) for text in texts]


def _opened(home: Home, name: str, data: bytes) -> bytes:
    from pbem.trust.armor import find_sealed

    (sealed,) = find_sealed(data)
    return open_sealed(sealed, [home.keys.unlock(name)], MAX_SEALED_REPORT_SIZE)


def entries(year: Year) -> list[bytes]:
    return [row.text for row in year.table.club.store.entries(GAME)]


def test_a_player_shares_his_address_later_and_takes_it_back(begin: Open) -> None:
    year = begin()
    bob = year.players["bob"]
    year.mail(year.players["alice"], year.players["alice"].home.profile("alice", share="alice@example.org"))
    old = bob.home.profile("bob", share="-")
    for share, copies in ((bob.address, (bob.address,)), ("-", ()), ("victim@elsewhere.example", ())):
        year.clock.pass_days(0.1)
        year.mail(bob, bob.home.profile("bob", share=share))
        year.run()
        for name in ("alice", "bob"):
            year.send(ready(year, name) if year.players[name].exchange == 1 else _next(year, name))
        year.run()
        receive(year)
        assert letters(year, "alice")[-1].addresses.copies == copies
    year.mail(bob, old)
    year.run()
    assert any("profile of bob: a later one is known" in one for one in year.events[-2:])


def _next(year: Year, name: str) -> bytes:
    home = year.players[name].home
    return home.mail(home.seal(None, game=GAME))


def test_a_profile_that_another_signed_changes_nothing(begin: Open) -> None:
    year = begin()
    forged = year.players["alice"].home
    forged.keygen("bob")
    year.mail(year.players["alice"], forged.profile("bob", share="bob@example.org"))
    year.run()
    assert year.table.club.store.profiles() == {}


def test_copies_are_off_for_a_game(begin: Open) -> None:
    year = begin("alice", "bob", **{f"game.{GAME}": {"copies": "off"}})
    assert heads(ready(year, "alice"))[2] == "None"


def test_the_judge_relays_what_could_not_be_sent_directly(begin: Open) -> None:
    assert post_of({"mail": {"address": JUDGE}}, GAME).copies == "relay", "unless a club says otherwise"
    year = begin("alice", copies="relay")
    year.send(ready(year, "alice"))
    mails = receive(year)
    assert mails["bob"] == []
    year.run()
    receive(year)
    names = [row.name for row in year.table.club.store.letters() if "-copy-" in row.name]
    assert len(names) == 1
    assert held(year, "bob") == [], "not from alice"
    assert len(held(year, "bob", "held/relayed")) == 1


def test_what_the_judge_relayed_they_had(begin: Open, tmp_path: Path) -> None:
    """A judge who drops a file that they have passed on is refuted by the letter; an honest one is not."""
    year = begin(copies="relay")
    year.send(ready(year, "alice"))
    year.run()
    receive(year)
    kept = year.players["bob"].home.folder(GAME).path / "held"
    year.send(ready(year, "bob"))
    year.run()
    export(year.table.club, GAME, "all", tmp_path / "bundle", "a test")
    claim = "the bundle agrees with what players kept"
    assert {row.claim: row.state for row in audit(tmp_path / "bundle", held=kept).rows}[claim] == State.PROVEN
    (letter,) = (kept / "relayed").iterdir()
    other = seal(b"another file", [year.table.club.seal(GAME, 1, "alice").recipient])
    forged = OrdersCopy(game=GAME, exchange=1, player="alice", to="bob", armor=to_armor(other))
    letter.write_bytes(sign_copy(forged, year.table.club.key))
    found = {row.claim: row for row in audit(tmp_path / "bundle", held=kept).rows}[claim]
    assert found.state == State.REFUTED
    assert "so the judge had it, and the ledger has not received it" in found.detail
    letter.write_bytes(sign_copy(forged, year.players["bob"].home.keys.unlock("bob")))
    found = {row.claim: row for row in audit(tmp_path / "bundle", held=kept).rows}[claim]
    assert found.state == State.OPEN, "what the judge has not signed proves nothing"


def test_a_copy_shows_that_orders_were_sent_and_not_received(begin: Open, tmp_path: Path) -> None:
    year = begin("alice", "bob")
    year.send(ready(year, "bob"))
    lost = ready(year, "alice")
    year.players["bob"].home.receive(lost)
    year.run()
    for _ in range(8):
        year.clock.pass_days(1)
        year.run()
    receive(year)
    assert list(year.table.club.book(GAME).history.exchanges[0].counted()) == ["bob"]
    export(year.table.club, GAME, "all", tmp_path / "bundle", "a test")
    kept = year.players["bob"].home.folder(GAME).path / "held"
    findings = {row.claim: row for row in audit(tmp_path / "bundle", held=kept).rows}
    assert findings[COPIES].state == State.OPEN
    assert "1 of 1 are not in it" in findings[COPIES].detail
    assert "orders of alice for exchange 1, revision 1, as alice has signed them" in findings[COPIES].detail
    junk = seal(b"not from alice", [year.table.club.seal(GAME, 1, "alice").recipient])
    for path in (kept / "sealed").iterdir():
        path.write_bytes(junk)
    findings = {row.claim: row for row in audit(tmp_path / "bundle", held=kept).rows}
    assert "which the judge had to refuse" in findings[COPIES].detail


def test_the_command_writes_the_mail(
    begin: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    year = begin("alice", "bob")
    monkeypatch.setenv("PBEM_HOME", str(year.players["alice"].home.path))
    path = tmp_path / "orders.eml"
    assert main(["seal", "--game", GAME, "--bare", "--mail", str(path)]) == 0
    assert capsys.readouterr().out == ""
    found = email.message_from_bytes(path.read_bytes(), policy=SMTP)
    assert found["Cc"] == "bob@example.org"
    year.send(path.read_bytes())
    year.run()
    assert "orders of alice for dunbar, exchange 1: received" in "\n".join(year.events)
