"""Webhooks against a real HTTPS server on loopback: what is posted, and what hostile addresses get.

A delivery that reaches this machine can only be built here, by its arguments; no setting does it.
"""

from __future__ import annotations

import json
import socket
import ssl
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from pbem.box.folder import UnreadableBox
from pbem.notify.courier import (
    MAX_ANSWER_SIZE,
    MAX_IN_ROUND,
    MAX_TRIES,
    PORT,
    Courier,
    Delivery,
    Undelivered,
    body_of,
    is_public,
)
from pbem.notify.spool import (
    MAX_TABLE_SIZE,
    MAX_WAKE_SIZE,
    MAX_WAKES,
    TABLE,
    WAKES,
    Table,
    Wake,
    put_wake,
    read_refused,
    read_table,
    read_wakes,
    write_table,
)
from tests.mail.servers import make_certificate

HOST = "hooks.example"
URL = f"https://{HOST}/a/secret?x=1"
OK = b"HTTP/1.1 204 No Content\r\n\r\n"


class Server:
    """An HTTPS server that answers every request with the same bytes, and goes on with `more` for ever.

    It pauses between these for `pause` seconds. A request is whole when it ends with `ends`.
    """

    def __init__(
        self, folder: Path, answer: bytes = OK, more: bytes = b"", pause: float = 0, ends: bytes = b"}"
    ) -> None:
        self.answer, self.more, self.pause, self.ends = answer, more, pause, ends
        self.got: list[bytes] = []
        self.sent = 0
        self.certificate = make_certificate(folder, HOST)
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.port = self.socket.getsockname()[1]
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        while True:
            try:
                plain, _ = self.socket.accept()
            except OSError:
                return
            threading.Thread(target=self._answer, args=(plain,), daemon=True).start()

    def _answer(self, plain: socket.socket) -> None:
        try:
            with self.certificate.context.wrap_socket(plain, server_side=True) as connection:
                self.got.append(connection.recv(65_536))
                while b"\r\n\r\n" not in self.got[-1] or not self.got[-1].endswith(self.ends):
                    self.got[-1] += connection.recv(65_536)
                connection.sendall(self.answer)
                while self.more:
                    connection.sendall(self.more)
                    self.sent += len(self.more)
                    threading.Event().wait(self.pause)
                if not self.answer:
                    connection.recv(1)  # silence, until the other end has had enough
        except OSError:
            pass

    def delivery(self, seconds: float = 5) -> Delivery:
        """A delivery that takes this server for the host."""
        return Delivery(
            resolve=lambda host, port: ["127.0.0.1"] if (host, port) == (HOST, PORT) else [],
            connect=lambda to, limit: socket.create_connection((to[0], self.port), limit),
            is_allowed=lambda address: address == "127.0.0.1",
            context=ssl.create_default_context(cafile=self.certificate.chain),
            seconds=seconds,
        )


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    made = Server(tmp_path / "certificate")
    yield made
    made.socket.close()


def wake(number: int = 1, reader: str = "7") -> Wake:
    return Wake(
        reader=reader,
        club="The Hearth",
        about="open",
        game="demo",
        exchange=number,
        deadline="2026-01-08T12:00:00Z",
        at="2026-01-01T12:00:00Z",
    )


def courier(folder: Path, delivery: Delivery, said: list[str], now: list[float] | None = None) -> Courier:
    write_table(folder, Table({"7": URL}))
    put_wake(folder, wake())
    return Courier(folder, delivery, said.append, clock=lambda: now[0] if now else 0.0)


def test_a_fact_is_posted_and_its_file_is_gone(server: Server, tmp_path: Path) -> None:
    said: list[str] = []
    assert courier(tmp_path, server.delivery(), said).make_round() == 1
    (got,) = server.got
    head, _, body = got.partition(b"\r\n\r\n")
    assert head.startswith(b"POST /a/secret?x=1 HTTP/1.1\r\nHost: hooks.example\r\n")
    told = json.loads(body)
    assert told["content"] == told["text"] == told["body"]
    assert told["content"] == "demo: exchange 1 is open until 2026-01-08 12:00 UTC."
    assert told["allowed_mentions"] == {"parse": []}, "Discord calls nobody by name"
    assert read_wakes(tmp_path) == []
    assert said == ["demo, exchange 1, to reader 7: told"]
    assert "secret" not in "".join(said)


def test_a_redirect_is_not_followed_and_the_address_not_called_again(tmp_path: Path) -> None:
    server = Server(tmp_path / "c", b"HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1/\r\n\r\n")
    said: list[str] = []
    made = courier(tmp_path, server.delivery(), said)
    assert made.make_round() == 0
    put_wake(tmp_path, wake(2))
    assert made.make_round() == 0
    assert len(server.got) == 1
    assert read_wakes(tmp_path) == []
    assert "302" in said[0]
    assert len(read_refused(tmp_path)) == 1
    write_table(tmp_path, Table({"7": URL, "8": f"{URL}&other"}))
    put_wake(tmp_path, wake(reader="8"))
    assert made.make_round() == 0
    assert len(read_refused(tmp_path)) == 2
    write_table(tmp_path, Table({"7": f"{URL}&new"}))
    server.answer = OK
    put_wake(tmp_path, wake(3))
    assert made.make_round() == 1, "another address is called"


def test_a_second_look_at_a_name_decides_nothing(server: Server) -> None:
    """The address that was checked is the one that is connected to, however the name resolves later."""
    looks, reached = [["198.51.100.7"], ["127.0.0.1"]], []

    def connect(to: tuple[str, int], limit: float) -> socket.socket:
        reached.append(to)
        raise ConnectionRefusedError("refused")

    delivery = Delivery(
        resolve=lambda *_: looks.pop(0),
        connect=connect,
        is_allowed=lambda one: not one.startswith("127"),
    )
    with pytest.raises(Undelivered, match="refused"):
        delivery.post(URL, b"{}", {})
    assert reached == [("198.51.100.7", 443)]
    assert len(looks) == 1, "there was one look"
    with pytest.raises(Undelivered, match="private network"):
        delivery.post(URL, b"{}", {})
    assert len(reached) == 1


def reaches_nothing(to: tuple[str, int], limit: float) -> socket.socket:
    pytest.fail(f"it connects to {to} within {limit}")


def test_a_name_with_one_private_address_is_refused() -> None:
    delivery = Delivery(resolve=lambda *_: ["8.8.8.8", "10.0.0.1"], connect=reaches_nothing)
    with pytest.raises(Undelivered, match="private network"):
        delivery.post(URL, b"{}", {})


@pytest.mark.parametrize(
    "address",
    [
        *("127.0.0.1", "127.1.2.3", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1"),
        *(
            ".".join("0000"),
            "224.0.0.1",
            "255.255.255.255",
            "::1",
            "::",
            "fe80::1",
            "fe80::1%eth0",
            "fc00::1",
        ),
        *(
            "ff02::1",
            "::ffff:127.0.0.1",
            "::ffff:10.0.0.1",
            "64:ff9b::7f00:1",
            "2002:7f00:1::",
            "localhost",
            "",
        ),
    ],
)
def test_what_is_no_public_address(address: str) -> None:
    assert not is_public(address)


@pytest.mark.parametrize("address", ["8.8.8.8", "2606:4700:4700::1111", "::ffff:8.8.8.8"])
def test_what_is_a_public_address(address: str) -> None:
    assert is_public(address)


def test_the_usual_delivery_reaches_no_loopback() -> None:
    with pytest.raises(Undelivered, match="private network"):
        Delivery().post("https://localhost/", b"{}", {})


def test_of_an_answer_without_end_one_line_is_read(tmp_path: Path) -> None:
    server = Server(tmp_path, b"HTTP/1.1 200 OK\r\nContent-Length: 1000000000\r\n\r\n", b"x" * 65_536)
    began = time.monotonic()
    assert server.delivery().post(URL, b"{}", {}) == 200
    assert time.monotonic() - began < 4
    assert server.sent < 50_000_000


@pytest.mark.ci
@pytest.mark.parametrize("more", [b"", b"x"])
def test_silence_ends_and_is_tried_a_few_times(tmp_path: Path, more: bytes) -> None:
    """Nothing at all, or a byte now and then without a line's end."""
    server = Server(tmp_path / "c", more, more, pause=0.05)
    said: list[str] = []
    now = [0.0]
    made = courier(tmp_path, server.delivery(seconds=0.3), said, now)
    began = time.monotonic()
    for _ in range(MAX_TRIES):
        assert made.make_round() == 0
        assert made.make_round() == 0, "it is not due again"
        now[0] += 1_000_000
    assert time.monotonic() - began < 10
    assert len(said) == MAX_TRIES
    assert said[-1].endswith("it is not tried again")
    assert read_wakes(tmp_path) == []


def test_another_certificate_is_refused(server: Server, tmp_path: Path) -> None:
    other = make_certificate(tmp_path / "other", HOST)
    delivery = replace(server.delivery(), context=ssl.create_default_context(cafile=other.chain))
    with pytest.raises(Undelivered, match="certificate"):
        delivery.post(URL, b"{}", {})
    assert server.got == []


@pytest.mark.parametrize("status", [500, 503, 429])
def test_a_server_in_trouble_is_tried_again(tmp_path: Path, status: int) -> None:
    server = Server(tmp_path / "c", b"HTTP/1.1 %d Oh\r\n\r\n" % status)
    said: list[str] = []
    now = [0.0]
    made = courier(tmp_path, server.delivery(), said, now)
    assert made.make_round() == 0
    server.answer, now[0] = OK, 61.0
    assert made.make_round() == 1
    assert read_refused(tmp_path) == set()


def test_what_is_no_http_is_told(tmp_path: Path) -> None:
    server = Server(tmp_path, b"220 mail.example ESMTP\r\n")
    with pytest.raises(Undelivered, match="not HTTP"):
        server.delivery().post(URL, b"{}", {})


def test_one_slow_reader_holds_up_no_other(server: Server, tmp_path: Path) -> None:
    """Nor does it get more than its share of a round."""
    said: list[str] = []
    made = courier(tmp_path, server.delivery(), said)
    write_table(tmp_path, Table({"7": URL, "8": "https://unknown.example/x"}))
    put_wake(tmp_path, wake(1, "8"))
    assert made.make_round() == 1
    assert any("reader 8: not taken: its host is in a private network" in line for line in said)


def test_the_folder_takes_no_more_than_it_holds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from pbem.notify import spool

    monkeypatch.setattr(spool, "MAX_WAKES", 3)
    assert MAX_WAKES == 1_000
    assert [put_wake(tmp_path, wake(number)) for number in range(5)] == [True, True, True, False, False]


@pytest.mark.parametrize(
    "data", [b"", b"{", b"[]", b'{"format": 1}', b'{"format": 2}', b"[" * 9_000, b"x" * (MAX_WAKE_SIZE + 1)]
)
def test_what_is_no_wake_is_removed(tmp_path: Path, data: bytes) -> None:
    put_wake(tmp_path, wake())
    bad = tmp_path / WAKES / "20260101T120000Z-7-0123456789abcdef.json"
    bad.write_bytes(data)
    assert [one for _, one in read_wakes(tmp_path)] == [wake()]
    assert not bad.exists()


def test_a_round_takes_so_many_wakes_of_one_reader(server: Server, tmp_path: Path) -> None:
    made = courier(tmp_path, server.delivery(), [])
    for number in range(2, MAX_IN_ROUND + 3):
        put_wake(tmp_path, wake(number))
    assert [made.make_round(), made.make_round()] == [MAX_IN_ROUND, 2]


@pytest.mark.parametrize("data", [b"{", b"[]", b'{"format": 2, "webhooks": {}}', b" " * (MAX_TABLE_SIZE + 1)])
def test_a_table_that_is_none_stops_the_notifier(tmp_path: Path, data: bytes) -> None:
    (tmp_path / TABLE).write_bytes(data)
    with pytest.raises(UnreadableBox):
        read_table(tmp_path)


def test_a_first_line_without_end_is_no_answer(tmp_path: Path) -> None:
    server = Server(tmp_path, b"HTTP/1.1 200 " + b"x" * MAX_ANSWER_SIZE)
    assert server.delivery().post(URL, b"{}", {}) == 200, "the status is all that counts of it"
    server.answer = b"x" * (MAX_ANSWER_SIZE + 1)
    with pytest.raises(Undelivered, match="not HTTP"):
        server.delivery().post(URL, b"{}", {})


def test_a_wake_of_an_unknown_reader_reaches_nobody(server: Server, tmp_path: Path) -> None:
    said: list[str] = []
    made = courier(tmp_path, server.delivery(), said)
    write_table(tmp_path, Table({}))
    assert made.make_round() == 0
    assert server.got == []
    assert read_wakes(tmp_path) == []


def test_the_body_holds_the_fact_and_no_more() -> None:
    assert set(json.loads(body_of(wake()))) == {
        *("club", "about", "game", "exchange", "deadline", "content", "text", "body", "allowed_mentions")
    }
