"""A post box under attack: floods, slow clients, a full disk, a process that dies, files that are none."""

from __future__ import annotations

import os
import resource
import signal
import socket
import ssl
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from pbem.box import app, server, stores
from pbem.box.app import ADDRESS_PER_HOUR, KEY_WAITING, OPEN_WAITING, Quotas, Rate, address_group
from pbem.box.folder import (
    ALIVE,
    MAX_TABLE_SIZE,
    TABLE,
    Alive,
    Reader,
    UnreadableBox,
    folder_name,
    next_alive,
    read_alive,
    read_file,
    read_table,
    write_file,
)
from pbem.box.stores import (
    KEY_LANE,
    MAX_ANSWER_SIZE,
    POSTS,
    Post,
    acknowledged_number,
    letter_numbers,
    letters_since,
    post_name,
    put_letter,
    read_post,
    store_post,
    waiting_posts,
)
from pbem.trust.post_box import Deed
from tests.box.served import ALICE, BOB, PATIENCE, STRANGER, ServedBox, free_port, read_all, served
from tests.trust.stock import run

NOW = datetime(2026, 11, 28, 3, tzinfo=UTC)
FILE = b"age-encryption.org/v1\n" + b"x" * 5_000


@pytest.fixture
def box(tmp_path: Path) -> Iterator[ServedBox]:
    with served(tmp_path / "box") as running:
        yield running


def bodies(box: ServedBox) -> list[bytes]:
    return [read_post(box.path, name).body for name in waiting_posts(box.path)[0]]


@pytest.mark.ci
def test_a_flood_of_strangers_keeps_no_reader_out(box: ServedBox) -> None:
    answers = [box.post(b"flood %d" % number, STRANGER if number % 2 else None) for number in range(60)]
    assert [answer.status for answer in answers] == [200] * ADDRESS_PER_HOUR + [429] * (60 - ADDRESS_PER_HOUR)
    assert box.post(FILE, ALICE).status == 200, "from the very same address"
    assert bodies(box)[-1] == FILE


@pytest.mark.ci
def test_a_reader_s_own_quota_keeps_no_other_out(box: ServedBox) -> None:
    answers = [box.post(b"flood %d" % number, ALICE).status for number in range(KEY_WAITING + 3)]
    assert answers == [200] * KEY_WAITING + [429] * 3
    assert box.post(FILE, BOB).status == 200
    for path in (box.path / POSTS).iterdir():
        path.unlink()  # as the judge does, who has taken them in
    assert box.post(FILE, ALICE).status == 200


def test_strangers_share_a_small_lane_wherever_they_are() -> None:
    quotas = Quotas()
    addresses = [f"2001:db8:{high:x}::{low:x}" for high in range(400) for low in (1, 2)]
    count = 0
    for address in addresses:
        if quotas.may_post("", address):
            count += 1
            quotas.waiting[str(count)] = ""
    assert count == OPEN_WAITING
    assert quotas.may_post(ALICE.public.fingerprint, addresses[0])


def test_addresses_are_counted_by_what_one_customer_has() -> None:
    assert (
        address_group("2001:db8::1") == address_group("2001:db8::ffff:1") != address_group("2001:db8:0:1::1")
    )
    assert address_group("::ffff:192.0.2.1") == "192.0.2.1" != address_group("192.0.2.2")
    assert address_group("x") == address_group("") == "?"


def test_what_is_counted_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pbem.box.app.MAX_COUNTED", 10)
    now = [0.0]
    rate = Rate(2, 60, lambda: now[0])
    assert [rate.take("a") for _ in range(3)] == [True, True, False]
    assert all(rate.take(str(number)) for number in range(50))
    assert len(rate._counted) == 10
    now[0] = 61
    assert rate.take("a")


@pytest.mark.ci
def test_a_named_proxy_says_who_asks(tmp_path: Path) -> None:
    with served(tmp_path / "box", "--proxy", "127.0.0.1") as box:
        there = [
            box.post(b"%d" % number, X_Forwarded_For=f"192.0.2.1, 2001:db8::{number:x}").status
            for number in range(ADDRESS_PER_HOUR + 1)
        ]
        assert there == [200] * ADDRESS_PER_HOUR + [429]
        assert box.post(b"other", X_Forwarded_For="192.0.2.2").status == 200


@pytest.mark.ci
def test_who_is_no_proxy_is_not_believed(box: ServedBox) -> None:
    there = [
        box.post(b"%d" % number, X_Forwarded_For=f"192.0.2.{number}").status
        for number in range(ADDRESS_PER_HOUR + 1)
    ]
    assert there[-1] == 429


# Slow clients

QUICK = (
    "import asyncio, socket, sys; from pathlib import Path; from pbem.box import server; "
    "server.BoxProtocol.arrival = 1.0; "
    "bound = socket.create_server(('127.0.0.1', int(sys.argv[2]))); "
    "asyncio.run(server.serve_box(Path(sys.argv[1]), bound))"
)


@pytest.mark.ci
@pytest.mark.parametrize(
    "sent",
    [
        b"",
        b"POST /post HTTP/1.1\r\nHost: x\r\n",
        b"POST /post HTTP/1.1\r\nHost: %b\r\nContent-Length: 9\r\n\r\nx",
    ],
)
def test_who_trickles_is_cut_off(tmp_path: Path, sent: bytes) -> None:
    box = ServedBox(tmp_path / "box", free_port())
    box.write_table()
    with subprocess.Popen([sys.executable, "-c", QUICK, box.path, str(box.port)]) as process:
        try:
            until = time.monotonic() + PATIENCE
            while not (box.path / ALIVE).exists():
                assert time.monotonic() < until
                time.sleep(0.05)
            time.sleep(0.3)
            with box.connect() as line:
                line.sendall(sent.replace(b"%b", b"127.0.0.1:%d" % box.port))
                begun = time.monotonic()
                assert read_all(line) == b""
                assert 0.5 < time.monotonic() - begun < 8
        finally:
            process.kill()


@pytest.mark.ci
def test_slow_clients_drive_out_one_another_and_nobody_else(box: ServedBox) -> None:
    lines = []
    try:
        for _ in range(3 * server.MAX_PER_ADDRESS):
            lines.append(box.connect())
            lines[-1].sendall(b"POST /post HTTP/1.1\r\nX: ")
        assert box.post(FILE, ALICE).status == 200
        assert read_all(lines[0]) == b"", "the oldest has made room"
        lines[-1].settimeout(0.2)
        with pytest.raises(TimeoutError):
            lines[-1].recv(1)
    finally:
        for line in lines:
            line.close()


@pytest.mark.ci
def test_who_hangs_up_stores_nothing(box: ServedBox) -> None:
    with box.connect() as line:
        line.sendall(
            b"POST /post HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nContent-Length: 99\r\n\r\nhalf" % box.port
        )
        line.shutdown(socket.SHUT_WR)
        read_all(line)
    assert box.post(FILE).status == 200
    assert bodies(box) == [FILE]


# Full disks, dead processes


@pytest.mark.ci
def test_a_full_disk_is_told_and_stands_in_the_heartbeat(box: ServedBox) -> None:
    assert box.process is not None
    whole = resource.prlimit(box.process.pid, resource.RLIMIT_FSIZE)
    resource.prlimit(box.process.pid, resource.RLIMIT_FSIZE, (1_000, whole[1]))
    answer = box.post(FILE, ALICE)
    assert (answer.status, answer.said["fault"]) == (507, "full")
    assert bodies(box) == []
    assert [path.name for path in (box.path / POSTS).iterdir()] == [], "nothing half-written is left"
    resource.prlimit(box.process.pid, resource.RLIMIT_FSIZE, whole)
    assert box.post(FILE, ALICE).status == 200
    until = time.monotonic() + 2 * server.HEARTBEAT_SECONDS
    while (alive := read_alive(box.path)) is None or alive.refused is None:
        assert time.monotonic() < until
        time.sleep(0.2)
    assert datetime.now(UTC) - alive.refused < timedelta(minutes=1)


def test_a_disk_that_is_nearly_full_is_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pbem.box.stores.LEAST_SPACE", 2**62)
    with pytest.raises(OSError, match="nearly full"):
        store_post(tmp_path, post_name(NOW, 1), Post(received=NOW, lane=KEY_LANE, key="", body=FILE))
    assert waiting_posts(tmp_path) == ([], 0)


@pytest.mark.ci
def test_what_was_answered_is_there_after_the_process_dies(box: ServedBox) -> None:
    """Whoever got no answer sends again: the judge gets a file twice, and takes it once."""
    for round_number in range(3):
        body = FILE + b"%d" % round_number
        assert box.post(body, ALICE).status == 200
        with box.connect() as line:
            line.sendall(
                b"POST /post HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nContent-Length: 4\r\n\r\nlast" % box.port
            )
            box.stop(signal.SIGKILL)
        box.start()
        assert body in bodies(box)
    assert set(bodies(box)) <= {FILE + b"0", FILE + b"1", FILE + b"2", b"last"}


def test_a_heartbeat_tells_since_when_the_box_is_back() -> None:
    """An upgrade takes no longer than MAX_GAP, and its heartbeat than MAX_HEARTBEAT_SIZE."""
    first = next_alive(None, NOW)
    assert first == Alive(time=NOW)
    assert next_alive(first, NOW + timedelta(minutes=10)).since is None
    away = next_alive(first, NOW + timedelta(hours=3))
    assert away.since == NOW + timedelta(hours=3)
    assert next_alive(away, NOW + timedelta(hours=3, minutes=1)).since == away.since
    assert next_alive(first, NOW - timedelta(minutes=1)).since is not None, "a clock that was set back"


@pytest.mark.parametrize(
    "data", [b"", b"x", b"time -\nsince -\nrefused -\n", b"time x\n", b"\xff", b"x" * 2_000]
)
def test_what_is_no_heartbeat_tells_nothing(tmp_path: Path, data: bytes) -> None:
    (tmp_path / ALIVE).write_bytes(data)
    if len(data) > 1_000:
        assert read_alive(tmp_path) is None
    assert read_alive(tmp_path) is None


def test_a_heartbeat_comes_back_as_it_was_written(tmp_path: Path) -> None:
    alive = Alive(time=NOW, since=NOW - timedelta(days=1), refused=NOW - timedelta(hours=1))
    write_file(tmp_path / ALIVE, alive.text)
    assert read_alive(tmp_path) == alive


# Files that are none


def test_the_box_reads_no_link_no_device_and_nothing_too_long(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("x")
    (tmp_path / "link").symlink_to(secret)
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "long").write_bytes(b"x" * 11)
    for name in ("link", "folder", "pipe", "long"):
        with pytest.raises(UnreadableBox):
            read_file(tmp_path / name, 10)
    assert read_file(tmp_path / "missing", 10) is None


@pytest.mark.parametrize(
    "text",
    [
        *("", "{}", "[]", "x", '{"format":1}', "[" * 100_000),
        '{"format":2,"url":"https://a.example/","pages":[],"readers":[]}',
        '{"format":1,"url":"x","pages":[],"readers":[]}',
        '{"format":1,"url":"https://a.example/","pages":[],"readers":[{"key":"x","fetch_keys":[]}]}',
    ],
)
def test_what_is_no_table_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / TABLE).write_text(text)
    with pytest.raises(UnreadableBox, match=r"table\.json"):
        read_table(tmp_path)
    (tmp_path / TABLE).unlink()
    with pytest.raises(UnreadableBox, match="is missing"):
        read_table(tmp_path)
    (tmp_path / TABLE).write_bytes(b" " * (MAX_TABLE_SIZE + 1))
    with pytest.raises(UnreadableBox, match="too long"):
        read_table(tmp_path)


@pytest.mark.parametrize("head", ["", "x", "{}", "[]", '{"received":"x","lane":"key","key":""}'])
def test_what_is_no_post_is_told(tmp_path: Path, head: str) -> None:
    (tmp_path / POSTS).mkdir()
    name = post_name(NOW, 1)
    (tmp_path / POSTS / name).write_text(f"{head}\nbody")
    (tmp_path / POSTS / "junk").write_text("x")
    assert waiting_posts(tmp_path) == ([name], 1)
    with pytest.raises(UnreadableBox, match="is not a post"):
        read_post(tmp_path, name)


@pytest.mark.parametrize("reader", ["", "..", "../posts", "x" * 64, "A" * 64])
def test_no_reader_names_a_path(tmp_path: Path, reader: str) -> None:
    for look in (lambda: letter_numbers(tmp_path, reader), lambda: letters_since(tmp_path, reader, 0)):
        with pytest.raises(UnreadableBox, match="does not name a reader"):
            look()


def test_an_acknowledgement_that_is_none_counts_as_none(tmp_path: Path) -> None:
    reader = folder_name(ALICE.public)
    put_letter(tmp_path, reader, 1, b"x")
    (tmp_path / "acknowledged").mkdir()
    for data in (b"x", b"-1\n", b"01\n", b"9" * 20, b"1"):
        (tmp_path / "acknowledged" / reader).write_bytes(data)
        assert acknowledged_number(tmp_path, reader) == 0


def test_letters_that_are_more_than_one_answer_come_in_several(tmp_path: Path) -> None:
    reader = folder_name(ALICE.public)
    for number in range(1, 6):
        put_letter(tmp_path, reader, number, b"x" * (MAX_ANSWER_SIZE // 2 - 1))
    put_letter(tmp_path, reader, 6, b"x" * (MAX_ANSWER_SIZE + 1))
    seen, since, more, answers = [], 0, True, 0
    while more:
        found, more = letters_since(tmp_path, reader, since)
        seen += [one.number for one in found]
        since, answers = seen[-1], answers + 1
    assert seen == [1, 2, 3, 4, 5, 6]
    assert answers == 4


# A box that its judge has changed or copied back


@pytest.mark.ci
def test_a_new_table_counts_at_once(box: ServedBox) -> None:
    put_letter(box.path, folder_name(STRANGER.public), 1, b"x")
    assert box.fetch(STRANGER).mails == []
    box.write_table(Reader(STRANGER.public))
    assert box.fetch(STRANGER).mails == [(1, b"x")]
    (box.path / TABLE).write_bytes(b"x")
    assert box.fetch(STRANGER).mails == [(1, b"x")], "a table that is none takes nothing away"


def test_a_box_without_a_table_says_so(tmp_path: Path) -> None:
    box = ServedBox(tmp_path / "box", free_port())
    box.start()
    try:
        assert box.ask("GET", "/health", None).status == 503
        assert box.post(FILE).said["fault"] == "not-ready"
        box.write_table()
        assert box.ask("GET", "/health", None).status == 200
    finally:
        box.stop(signal.SIGKILL)


@pytest.mark.ci
def test_a_copy_of_a_home_is_stored_only_after_the_one_before(box: ServedBox) -> None:
    put = [(1, b"first"), (1, b"again"), (3, b"third"), (2, b"second")]
    answers = [box.signed(Deed.PUT_COPY, b"generation %d\n" % number + data).status for number, data in put]
    assert answers == [200, 409, 409, 200]
    found = box.signed(Deed.GET_COPY, b"since 0\n").said
    assert (found["generation"], found["copy"]) == (2, "c2Vjb25k")
    known = box.signed(Deed.GET_COPY, b"since 2\n").said
    assert (known["generation"], known["copy"]) == (2, ""), "whoever has it is not sent it again"
    assert box.signed(Deed.GET_COPY, b"").said["fault"] == "body"
    assert box.signed(Deed.GET_COPY, b"since 0\n", BOB).said["generation"] == 0


def test_of_two_copies_that_come_at_once_one_is_stored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = stores.read_copy

    def slow_read(box: Path, reader: str) -> stores.HomeCopy:
        found = read(box, reader)
        time.sleep(0.05)
        return found

    monkeypatch.setattr(stores, "read_copy", slow_read)
    with ThreadPoolExecutor() as threads:
        asked = [threads.submit(stores.put_copy, tmp_path, "0" * 64, 1, data) for data in (b"one", b"two")]
        assert sorted(one.result() for one in asked) == [False, True]


# Limits


@pytest.mark.ci
def test_one_byte_more_is_refused(box: ServedBox) -> None:
    """Of the head by the sum of its names and values, beside which the box has its own of the whole head."""
    assert app.MAX_HEAD_SIZE == server.MAX_HEAD_SIZE
    besides = sum(map(len, ("Host", f"127.0.0.1:{box.port}", "Extra")))
    for size, status in ((app.MAX_HEAD_SIZE - besides, 200), (app.MAX_HEAD_SIZE - besides + 1, 431)):
        assert box.ask("GET", "/", None, Extra="x" * size).status == status
    question = b"since 0\n".ljust(app.MAX_QUESTION_SIZE)
    assert box.signed(Deed.FETCH, question).said["fault"] == "body"
    assert box.signed(Deed.FETCH, question + b" ").status == 413
    copy = b"generation 1\n".ljust(stores.MAX_COPY_SIZE)
    longer = str(stores.MAX_COPY_SIZE + 1)
    assert box.ask("POST", "/put-copy", None, Content_Length=longer).status == 413, "it is not even sent"
    assert box.signed(Deed.PUT_COPY, copy).status == 200
    assert box.signed(Deed.GET_COPY, b"since 0\n").said["generation"] == 1


def test_no_more_files_are_read_than_a_box_can_hold(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stores, "MAX_POSTS", 3)
    monkeypatch.setattr(stores, "MAX_LETTERS", 3)
    reader = folder_name(ALICE.public)
    (tmp_path / POSTS).mkdir()
    for number in range(1, 4):
        put_letter(tmp_path, reader, number, b"x")
        (tmp_path / POSTS / post_name(NOW, number)).write_bytes(b"x")
    assert len(waiting_posts(tmp_path)[0]) == 3
    (tmp_path / POSTS / "one more").write_bytes(b"x")
    with pytest.raises(UnreadableBox, match="holds more than 3 files"):
        waiting_posts(tmp_path)
    put_letter(tmp_path, reader, 4, b"x")
    assert len(letter_numbers(tmp_path, reader)) == 3
    monkeypatch.setattr(stores, "MAX_LETTER_SIZE", 0)
    with pytest.raises(UnreadableBox, match="too long"):
        letters_since(tmp_path, reader, 0)


def test_a_post_that_is_longer_than_one_can_be_is_not_read(tmp_path: Path) -> None:
    name = post_name(NOW, 1)
    store_post(tmp_path, name, Post(received=NOW, lane=KEY_LANE, key="", body=b"x" * stores.MAX_POST_SIZE))
    assert len(read_post(tmp_path, name).body) == stores.MAX_POST_SIZE
    (tmp_path / POSTS / name).write_bytes(b"x" * (stores.MAX_POST_SIZE + stores._MAX_HEAD_SIZE + 1))
    with pytest.raises(UnreadableBox, match="too long"):
        read_post(tmp_path, name)


def test_there_is_room_for_more_connections_than_one_address_has() -> None:
    assert server.MAX_CONNECTIONS >= 4 * server.MAX_PER_ADDRESS


@pytest.mark.ci
def test_a_box_has_tls_of_its_own_where_no_proxy_does(tmp_path: Path) -> None:
    subject = ("-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1")
    run(
        *("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", *subject),
        *("-keyout", tmp_path / "key.pem", "-out", tmp_path / "cert.pem"),
    )
    own = ("--certificate", str(tmp_path / "cert.pem"), "--certificate-key", str(tmp_path / "key.pem"))
    box = ServedBox(tmp_path / "box", free_port(), options=own)
    box.write_table()
    box.start()
    try:
        context = ssl.create_default_context(cafile=tmp_path / "cert.pem")
        with context.wrap_socket(box.connect(), server_hostname="127.0.0.1") as line:
            line.sendall(b"GET /health HTTP/1.1\r\nHost: x\r\n\r\n")
            assert read_all(line).endswith(b"\r\n\r\nok\n")
    finally:
        box.stop(signal.SIGKILL)
