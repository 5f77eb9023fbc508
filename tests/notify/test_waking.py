"""Whom the judge has woken: by public facts alone, at each player's pace, and never at a game's cost."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from pbem.errors import ConfigError
from pbem.judge.leagues.book import begin_league, load_league
from pbem.judge.letters.wishes import keep_wishes
from pbem.leagues.statements import ENTER, Statement, sign_statement
from pbem.mail.envelope import about, envelope_of
from pbem.notify import spool
from pbem.notify.courier import Courier
from pbem.notify.spool import TABLE, WAKES, read_table, read_wakes
from pbem.service.forgetting import forget
from pbem.service.waking import read_notify
from pbem.trust.chance import Reveal, make_chain
from pbem.trust.faults import OrderFileFault
from pbem.trust.fields import sign_fields
from pbem.trust.player_statements import MAX_WEBHOOK_LENGTH, Profile, check_webhook
from pbem.trust.times import utc_text
from tests.box.judged import Judged, make_judged
from tests.leagues.world import file_of, secret
from tests.notify.test_delivery import URL as SERVED
from tests.notify.test_delivery import Server

URL = "https://hooks.example/alice/secret"
HOUR = timedelta(hours=1)


def make_club(folder: Path, more: str = "", **wishes: str) -> Judged:
    judged = make_judged(folder)
    judged.settle(f"[notify]\n{more}")
    judged.run()
    with judged.table.club.store.step():
        keep_wishes(judged.table.club.store, "alice", webhook=URL, **wishes)
    judged.run()
    return judged


@pytest.fixture
def judged(tmp_path: Path) -> Iterator[Judged]:
    made = make_club(tmp_path)
    yield made
    made.table.club.store.close()


def folder(judged: Judged) -> Path:
    return judged.table.club.path / "notify"


def told(judged: Judged) -> list[tuple[str, str, int]]:
    """Who was woken of what since the last look."""
    found = []
    for path, wake in read_wakes(folder(judged)):
        found.append((wake.reader, wake.about, wake.exchange))
        path.unlink()
    return found


def play(judged: Judged, *names: str) -> None:
    judged.table.clock.now += HOUR
    judged.post_orders(*(names or ("alice", "bob")))
    judged.run()


def test_an_open_exchange_wakes_its_reader_once(judged: Judged) -> None:
    assert told(judged) == [("1", "open", 1)]
    judged.run()
    play(judged, "bob")
    assert told(judged) == []
    play(judged, "alice")
    assert told(judged) == [("1", "open", 2)]
    assert read_table(folder(judged)).webhooks == {"1": URL}


def test_nobody_is_woken_of_what_they_have_answered(tmp_path: Path) -> None:
    judged = make_judged(tmp_path)
    judged.settle("[notify]")
    judged.run()
    play(judged, "alice")
    with judged.table.club.store.step():
        keep_wishes(judged.table.club.store, "alice", webhook=URL)
    judged.run()
    assert told(judged) == []


def test_once_is_until_they_have_been_there(tmp_path: Path) -> None:
    judged = make_club(tmp_path, hear="game=once")
    assert told(judged) == [("1", "open", 1)]
    judged.run()
    assert told(judged) == []
    play(judged)
    assert told(judged) == [("1", "open", 2)]


def test_none_is_none(tmp_path: Path) -> None:
    judged = make_club(tmp_path, hear="game=none,reminder=none")
    play(judged)
    assert told(judged) == []


def test_a_digest_waits_for_its_hour(tmp_path: Path) -> None:
    judged = make_club(tmp_path, hear="game=digest", digest="18:00")
    told(judged)
    play(judged)
    assert told(judged) == []
    judged.table.clock.now = judged.table.clock.now.replace(hour=18, minute=1)
    judged.run()
    assert told(judged) == [("1", "open", 2)]
    judged.run()
    assert told(judged) == []


def test_a_reminder_wakes_too(judged: Judged) -> None:
    play(judged)
    told(judged)
    judged.table.clock.now = judged.table.deadline - HOUR
    judged.run()
    assert told(judged) == [("1", "reminder", 2)]


CALLED = ("1", "device", 0)


@pytest.mark.parametrize(
    ("hear", "woken", "reminded"),
    [("", 1, 1), ("game=none", 1, 1), ("league=none", 0, 1), ("reminder=none", 1, 0)],
)
def test_a_call_of_a_league_wakes_a_device_and_no_webhook(
    tmp_path: Path, hear: str, woken: int, reminded: int
) -> None:
    """Once, and once at its reminder, until something of the reader's has come for it."""
    judged = make_club(tmp_path, 'contact = "mailto:gm@club.example"\n', push=f"{URL}3", hear=hear)
    club, clock = judged.table.club, judged.table.clock
    until = utc_text(clock.now + HOUR).encode()
    begin_league(club, file_of("swiss").replace(b"2027-01-31T20:00:00Z", until))
    which = {"judge": club.key.public.fingerprint, "genesis": load_league(club, "cup").season.genesis_head}
    for name in ("alice", "bob"):
        key = judged.table.people[name].key
        anchor = Reveal(f"{name}.1", 0, make_chain("league.cup", f"{name}.1", secret(name)).anchor)
        more = {"key": key.public, "anchor": anchor, "made": clock.now, **which}
        said = Statement(league="league.cup", player=name, say=ENTER, **more)  # type: ignore[arg-type]
        judged.post(sign_statement(said, key), key.public)
    judged.run()
    told(judged)
    clock.now += 2 * HOUR
    judged.run()
    call = load_league(club, "cup").season.call
    assert call is not None
    assert call.opened.deadline is not None
    assert told(judged) == [CALLED] * woken
    judged.run()
    assert told(judged) == []
    clock.now = call.opened.deadline - 37 * HOUR
    judged.run()
    assert told(judged) == []
    clock.now += 2 * HOUR
    for wakes in (reminded, 0):
        judged.run()
        assert told(judged) == [CALLED] * wakes
    letters = [one for one in club.store.letters_to("league.cup", "alice") if "-reminder" in one.name]
    assert [about(envelope_of(one)).said for one in letters] == ["your answer is missing"] * reminded
    assert all("Call 1 of league.cup is open until" in one.text for one in letters)
    assert all("pbem league reply cup" in one.text for one in letters)


def test_the_club_s_own_webhook_hears_of_all_games(tmp_path: Path) -> None:
    judged = make_club(tmp_path, f'webhook = "{URL}2"')
    assert ("club", "open", 1) in told(judged)
    play(judged)
    assert ("club", "open", 2) in told(judged)
    assert read_table(folder(judged)).webhooks["club"] == f"{URL}2"


@pytest.mark.ci
def test_the_same_bytes_whatever_is_sealed(tmp_path: Path) -> None:
    """Two worlds that differ in alice's orders alone, with messages off and on."""
    worlds = []
    for name, body in (("one", ""), ("other", "# a remark of alice's, which nobody else sees\n" * 3)):
        judged = make_club(tmp_path / name, f'webhook = "{URL}2"')
        for orders in ("", body):
            judged.table.clock.now += HOUR
            judged.post(judged.table.sealed("alice", orders), judged.table.people["alice"].key.public)
            judged.post_orders("bob")
            judged.run()
        files = {path.name: path.read_bytes() for path in (folder(judged) / WAKES).iterdir()}
        files[TABLE] = (folder(judged) / TABLE).read_bytes()
        worlds.append(files)
        judged.table.club.store.close()
    assert worlds[0] == worlds[1]
    assert len(worlds[0]) >= 5
    assert not any(b"alice" in data.replace(URL.encode(), b"") for data in worlds[0].values())


def test_a_folder_that_cannot_be_written_stops_no_game(
    judged: Judged, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    told(judged)
    monkeypatch.setattr(spool, "write_file", full)
    judged.table.clock.now += HOUR
    judged.post_orders("alice", "bob")
    lines = judged.run()
    assert judged.table.exchange == 2
    assert any(line.step == "wake" and line.trouble for line in lines)
    monkeypatch.undo()
    judged.run()
    assert told(judged) == [("1", "open", 2)], "what could not be told is told now"


def test_who_is_forgotten_is_in_no_table(judged: Judged) -> None:
    store = judged.table.club.store
    with store.step():
        for game in store.games():
            store.put_note(f"put away {game}", "now")
    forget(judged.table.club, "alice")
    assert read_table(folder(judged)).webhooks == {}
    assert not any("alice" in name for name in store.notes("wake ") | store.notes("press wishes "))
    with store.step():
        keep_wishes(store, "bob", webhook=f"{URL}3")
    judged.run()
    assert read_table(folder(judged)).webhooks == {"2": f"{URL}3"}, "a number is given once"


@pytest.mark.parametrize(
    "url",
    [
        "http://hooks.example/a",
        "https://hooks.example:8443/a",
        "https://me:secret@hooks.example/a",
        "https://hooks.example",
        "https://hooks.example/a b",
        "https://hooks.example/a#b",
        "https://hooks.example/ä",
        "https://hooks.example/a\r\nX: y",
        "https:///a",
        "https://hooks.example/" + "a" * MAX_WEBHOOK_LENGTH,
        "file:///etc/passwd",
    ],
)
def test_what_is_no_webhook(url: str) -> None:
    with pytest.raises(OrderFileFault, match="not the address of a webhook"):
        check_webhook(url)


@pytest.mark.parametrize(
    ("settings", "fault"),
    [
        ({"notify": 1}, "notify must be a table"),
        ({"notify": {"to": 1}}, "no setting called to"),
        ({"notify": {"folder": 1}}, "is not a folder"),
        ({"notify": {"webhook": "http://a.example/"}}, "webhook: .*not the address of a webhook"),
    ],
)
def test_settings_that_cannot_be(settings: dict[str, object], fault: str) -> None:
    with pytest.raises(ConfigError, match=fault):
        read_notify(settings, Path("club"))


def test_the_table_is_json(judged: Judged) -> None:
    assert json.loads((folder(judged) / TABLE).read_bytes()) == {
        "format": 1,
        "webhooks": {"1": URL},
        "devices": {},
        "contact": "",
    }


def test_from_a_signed_profile_to_the_server_of_the_webhook(tmp_path: Path) -> None:
    """All the way: signed, posted, taken in, written to the folder, and posted over HTTPS."""
    judged = make_judged(tmp_path)
    judged.settle("[notify]")
    judged.run()
    alice, table = judged.table.people["alice"].key, judged.table
    said = Profile(
        player="alice",
        judge=table.club.key.public.fingerprint,
        webhook=SERVED,
        made=table.clock.now.replace(microsecond=0),
    )
    judged.post(sign_fields(said, alice), alice.public)
    judged.run()
    server = Server(tmp_path / "server")
    assert Courier(folder(judged), server.delivery(), lambda _: None).make_round() == 1
    assert b"demo: exchange 1 is open" in server.got[0]
    assert b"alice" not in server.got[0]
