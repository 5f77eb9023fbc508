"""Devices woken by web push: requests, as a service that speaks the protocol takes them, and its answers."""

from __future__ import annotations

import re
import stat
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from pbem.box.folder import UnreadableBox
from pbem.judge.letters.wishes import keep_wishes, wishes_of
from pbem.notify.courier import MAX_TRIES, Courier
from pbem.notify.spool import (
    DEVICE,
    KEY,
    MAX_KEY_SIZE,
    PUBLIC,
    PushKey,
    Table,
    Wake,
    make_push_key,
    put_wake,
    read_public_key,
    read_refused,
    read_table,
    read_wakes,
    write_table,
)
from pbem.trust.faults import OrderFileFault
from pbem.trust.fields import sign_fields
from pbem.trust.player_statements import MAX_PUSH_LENGTH, Profile, check_push
from pbem.trust.primitives import es256
from tests.box.judged import Judged
from tests.notify.push_service import HOST, PushService, fault_of
from tests.notify.test_delivery import Server
from tests.notify.test_waking import HOUR, folder, make_club, play

CONTACT = "mailto:gm@club.example"
PUSH = f'contact = "{CONTACT}"'
AT = "2026-01-01T12:00:00Z"


@pytest.fixture
def service(tmp_path: Path) -> Iterator[PushService]:
    made = PushService(tmp_path / "service")
    yield made
    made.close()


class Notifier:
    """A notifier with one reader, whose device has subscribed."""

    def __init__(self, place: Path, service: PushService) -> None:
        self.place, self.said, self.now = place, list[str](), 0.0
        place.mkdir()
        self.url = service.subscribe("alice", make_push_key(place).public)
        self.settle()
        self.courier = Courier(place, service.delivery(), self.said.append, clock=lambda: self.now)

    def settle(self, url: str = "") -> None:
        write_table(self.place, Table(devices={"7": url or self.url}, contact=CONTACT))

    def wake(self, count: int = 1) -> int:
        """The number of devices that were woken in a round."""
        for number in range(count):
            put_wake(self.place, Wake(reader="7", about=DEVICE, at=f"2026-01-01T12:00:{number:02}Z"))
        return self.courier.make_round()


@pytest.fixture
def notifier(service: PushService, tmp_path: Path) -> Notifier:
    return Notifier(tmp_path / "notify", service)


def test_a_device_is_woken_without_a_word(service: PushService, notifier: Notifier) -> None:
    assert notifier.wake() == 1
    assert service.woken == ["/wpush/v2/alice"]
    assert service.refusals == []
    (request,) = service.requests
    assert set(request) == {
        *("Host", "User-Agent", "Authorization", "TTL", "Urgency", "Topic", "Content-Length", "Connection")
    }
    assert (request["Content-Length"], request["Urgency"], request["TTL"]) == ("0", "normal", "604800")
    assert read_wakes(notifier.place) == []
    assert notifier.said == ["the device of reader 7: told"]


def test_a_service_refuses_what_is_signed_otherwise(service: PushService, notifier: Notifier) -> None:
    """The stub notices each fault for which a real one refuses a request."""
    key = make_push_key(notifier.place)
    good = key.headers(notifier.url, CONTACT, 1_000) | {"Content-Length": "0"}
    assert fault_of(good, key.public, 1_000) == (0, "")
    assert fault_of(good, key.public, 1_000 + 86_400)[0] == 403, "it is too old"
    assert fault_of(good, key.public, 1_000 - 86_400)[0] == 403, "it holds for more than a day"
    other = PushKey(es256.make_key())
    assert fault_of(good, other.public, 1_000)[0] == 403
    elsewhere = key.headers("https://other.example/x", CONTACT, 1_000) | {"Content-Length": "0"}
    assert fault_of(elsewhere, key.public, 1_000)[0] == 403
    forged = other.headers(notifier.url, CONTACT, 1_000)["Authorization"].partition("k=")[0]
    assert fault_of(good | {"Authorization": f"{forged}k={key.public}"}, key.public, 1_000)[0] == 403
    assert fault_of(good | {"TTL": ""}, key.public, 1_000)[0] == 400
    assert fault_of(good | {"Content-Length": "5"}, key.public, 1_000)[0] == 400


@pytest.mark.parametrize("status", [404, 410, 400, 403, 302])
def test_a_device_that_is_gone_is_not_called_again(
    service: PushService, notifier: Notifier, status: int
) -> None:
    service.status = status
    assert notifier.wake() == 0
    assert notifier.wake(3) == 0
    assert len(service.requests) == 1
    assert len(read_refused(notifier.place)) == 1
    assert notifier.said == [
        f"the device of reader 7: not taken: its answer was {status}; that address is not called again"
    ]
    service.status = 201
    notifier.settle(service.subscribe("anew", make_push_key(notifier.place).public))
    assert notifier.wake() == 1


@pytest.mark.parametrize("status", [429, 500, 503])
def test_a_service_in_trouble_is_tried_again(service: PushService, notifier: Notifier, status: int) -> None:
    service.status = status
    assert notifier.wake() == 0
    assert read_refused(notifier.place) == set()
    for _ in range(MAX_TRIES - 2):
        notifier.now += 1_000_000
        assert notifier.courier.make_round() == 0
    notifier.now += 1_000_000
    service.status = 201
    assert notifier.courier.make_round() == 1
    assert len(service.requests) == MAX_TRIES


def test_what_is_no_push_service_gets_an_empty_request(tmp_path: Path) -> None:
    """An address of a player's choice learns the club's contact, and that somebody is woken."""
    server = Server(tmp_path / "c", b"HTTP/1.1 200 OK\r\n\r\n", ends=b"\r\n\r\n")
    said: list[str] = []
    courier = Courier(tmp_path / "notify", server.delivery(), said.append)
    write_table(courier.folder, Table(devices={"7": "https://hooks.example/x"}, contact=CONTACT))
    put_wake(courier.folder, Wake(reader="7", about=DEVICE, at=AT))
    assert courier.make_round() == 1
    (got,) = server.got
    assert got.endswith(b"Content-Length: 0\r\nConnection: close\r\n\r\n")
    server.answer = b"220 mail.example ESMTP\r\n"
    put_wake(courier.folder, Wake(reader="7", about=DEVICE, at=AT))
    assert courier.make_round() == 0
    assert said[-1] == "the device of reader 7: not taken: its answer is not HTTP; it is tried again"


def test_a_club_without_a_contact_wakes_no_device(service: PushService, notifier: Notifier) -> None:
    write_table(notifier.place, Table(devices={"7": notifier.url}))
    assert notifier.wake() == 0
    assert service.requests == []
    assert read_wakes(notifier.place) == []


def test_wakes_of_one_pass_are_spread(service: PushService, notifier: Notifier) -> None:
    """Each waits for a while of its own; none longer than the notifier spreads them over."""
    notifier.courier = replace(notifier.courier, spread=100.0)
    assert notifier.wake(20) == 0
    moments = sorted(one.after for one in notifier.courier._tries.values())
    assert len(set(moments)) == 20
    assert 0 <= moments[0] < moments[-1] <= 100
    woken = 0
    for notifier.now in (50.0, 100.0, 100.0, 100.0, 100.0, 100.0):
        woken += notifier.courier.make_round()
    assert woken == 20


def test_the_key_is_made_once_and_is_the_notifier_s_alone(tmp_path: Path) -> None:
    assert read_public_key(tmp_path) == ""
    made = make_push_key(tmp_path)
    assert make_push_key(tmp_path) == made
    assert read_public_key(tmp_path) == made.public
    assert stat.S_IMODE((tmp_path / KEY).stat().st_mode) == 0o600
    (tmp_path / PUBLIC).unlink()
    make_push_key(tmp_path)
    assert read_public_key(tmp_path) == made.public


@pytest.mark.parametrize(
    "data", [b"", b"x", b"x" * (MAX_KEY_SIZE + 1), es256.make_key().replace(b"M", b"N", 1)]
)
def test_a_key_that_is_none_stops_the_notifier(tmp_path: Path, data: bytes) -> None:
    (tmp_path / KEY).write_bytes(data)
    with pytest.raises(UnreadableBox):
        make_push_key(tmp_path)
    (tmp_path / PUBLIC).write_bytes(data)
    with pytest.raises(UnreadableBox):
        read_public_key(tmp_path)


# From a signed address to the device, by the judge


def make_woken_club(place: Path, url: str, **wishes: str) -> Judged:
    """A club whose player alice has signed a device's address, and no webhook."""
    judged = make_club(place, PUSH, **wishes)
    with judged.table.club.store.step():
        keep_wishes(judged.table.club.store, "alice", webhook="-", push=url)
    clear(judged)
    judged.run()
    return judged


def clear(judged: Judged) -> None:
    for path, _ in read_wakes(folder(judged)):
        path.unlink()


def woken(judged: Judged) -> list[Wake]:
    found = [wake for _, wake in read_wakes(folder(judged))]
    clear(judged)
    return found


def test_the_judge_says_whom_to_wake_and_no_more(tmp_path: Path) -> None:
    judged = make_woken_club(tmp_path, f"https://{HOST}/x")
    assert woken(judged) == [], "of that exchange the webhook was told"
    play(judged)
    (wake,) = woken(judged)
    assert wake == Wake(reader="1", about=DEVICE, at=wake.at)
    assert read_table(folder(judged)) == Table({}, {"1": f"https://{HOST}/x"}, CONTACT)
    judged.run()
    assert woken(judged) == []
    judged.table.club.store.close()


def test_an_address_that_was_signed_and_posted_is_woken(tmp_path: Path) -> None:
    """Each sign that an address may have comes through the box, and through what reads mails."""
    judged, url = (
        make_woken_club(tmp_path, "-"),
        f"https://{HOST}/send/a_b-C.9~:x?token=%2bBQ%3d&v=1;$@*!,'()+",
    )
    alice = judged.table.people["alice"].key
    judge = judged.table.club.key.public.fingerprint
    for said, kept in ((url, url), ("-", "")):
        judged.table.clock.now += HOUR
        profile = Profile(player="alice", judge=judge, push=said, made=judged.table.clock.now)
        judged.post(sign_fields(profile, alice), alice.public)
        judged.run()
        assert wishes_of(judged.table.club.store, "alice").push == kept
    judged.table.club.store.close()


def test_a_device_and_a_webhook_are_woken_of_the_same(tmp_path: Path) -> None:
    judged = make_woken_club(tmp_path, f"https://{HOST}/x")
    with judged.table.club.store.step():
        keep_wishes(judged.table.club.store, "alice", webhook="https://hooks.example/x")
    play(judged)
    assert {(one.about, one.game) for one in woken(judged)} == {(DEVICE, ""), ("open", "demo")}
    judged.table.club.store.close()


def test_devices_are_woken_at_their_reader_s_pace(tmp_path: Path) -> None:
    judged = make_woken_club(tmp_path, f"https://{HOST}/x", hear="game=none,reminder=none")
    play(judged)
    assert woken(judged) == []
    judged.table.club.store.close()


@pytest.mark.ci
def test_the_same_push_whatever_is_sealed(tmp_path: Path, service: PushService) -> None:
    """Two worlds that differ in alice's orders alone: the same wakes and requests, but for the token."""
    worlds = []
    for name, body in (("one", ""), ("other", "# a remark of alice's, which nobody else sees\n" * 3)):
        judged = make_woken_club(tmp_path / name, f"https://{HOST}/wpush/v2/alice")
        judged.table.clock.now += HOUR
        judged.post(judged.table.sealed("alice", body), judged.table.people["alice"].key.public)
        judged.post_orders("bob")
        judged.run()
        files = {path.name: path.read_bytes() for path, _ in read_wakes(folder(judged))}
        service.requests.clear()
        service.subscribe("alice", make_push_key(folder(judged)).public)
        assert Courier(folder(judged), service.delivery(), list[str]().append).make_round() == len(files) == 1
        worlds.append((files, [without_token(one) for one in service.requests]))
        judged.table.club.store.close()
    assert worlds[0] == worlds[1]
    assert service.refusals == []


def without_token(headers: dict[str, str]) -> dict[str, str]:
    """The headers without the token, which a key of this club signs anew each time; its length stays."""
    return headers | {"Authorization": re.sub(r"[\w-]{20,}", "x", headers["Authorization"])}


@pytest.mark.parametrize("mails", ["", "no"])
def test_who_has_no_device_any_more_is_told(tmp_path: Path, service: PushService, mails: str) -> None:
    """A service says that a device is gone; its address is dropped, and the next letters say so, once."""
    judged = make_woken_club(tmp_path / "club", f"https://{HOST}/wpush/v2/gone", mails=mails)
    play(judged)
    Courier(folder(judged), service.delivery(), list[str]().append).make_round()
    before = judged.letters("alice")
    lines = [line.text for line in judged.run() if line.step == "wake"]
    assert lines == ["the device of reader 1 is gone; its address is dropped"]
    assert wishes_of(judged.table.club.store, "alice").push == ""
    assert read_table(folder(judged)).devices == {}
    judged.run()
    new = [mail for number, mail in judged.letters("alice").items() if number not in before]
    said = [mail.replace(b"=\r\n", b"") for mail in new if b".demo-device-2026" in mail]
    assert len(said) == 1
    assert b"Game demo, for alice" in said[0]
    assert b"Your device is woken no more: push.example takes no wakes for it." in said[0]
    assert b"/wpush/" not in said[0]
    assert (b"Until then mails come to you again" in said[0]) == bool(mails)
    assert wishes_of(judged.table.club.store, "alice").wants_mails
    judged.table.club.store.close()


def test_players_are_told_the_key_once_the_notifier_has_one(tmp_path: Path) -> None:
    judged = make_woken_club(tmp_path, f"https://{HOST}/x")
    count = sum("-box-" in name for name in judged.names("alice"))
    key = make_push_key(folder(judged)).public
    for _ in range(2):
        judged.table.clock.now += HOUR
        judged.run()
    assert sum("-box-" in name for name in judged.names("alice")) == count + 1
    told = {note for name, note in judged.table.club.store.notes("box told ").items() if "demo" in name}
    assert told == {f"https://box.club.example/ {key}"}
    (folder(judged) / PUBLIC).write_bytes(b"x")
    (line,) = [line for line in judged.run() if line.step == "wake"]
    assert line.trouble
    assert "push.pub is not what 'pbem notify' writes" in line.text
    judged.table.club.store.close()


@pytest.mark.parametrize(
    "url", ["http://push.example/a", "https://push.example:8443/a", "https://push.example/a b", "x", ""]
)
def test_what_is_no_address_of_a_device(url: str) -> None:
    with pytest.raises(OrderFileFault, match="at a push service"):
        check_push(url)


def test_how_long_an_address_of_a_device_may_be() -> None:
    longest = "https://push.example/".ljust(MAX_PUSH_LENGTH, "a")
    assert check_push(longest) == longest
    with pytest.raises(OrderFileFault):
        check_push(f"{longest}a")
