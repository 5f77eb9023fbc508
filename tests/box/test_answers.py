"""What a post box answers: to readers, to strangers, to pages, and to requests that are none."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest

from pbem.box.folder import folder_name
from pbem.box.stores import MAX_POST_SIZE, acknowledged_number, put_letter, read_post, waiting_posts
from pbem.trust.post_box import Deed, make_request
from tests.box.served import ALICE, BOB, PAGE, POCKET, STRANGER, ServedBox, served

FILE = b"age-encryption.org/v1\n" + b"x" * 1_000


@pytest.fixture(scope="module")
def box(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServedBox]:
    with served(tmp_path_factory.mktemp("box")) as running:
        for number in (1, 2, 3):
            put_letter(running.path, folder_name(ALICE.public), number, b"letter %d\n" % number)
        yield running


def stored(box: ServedBox, body: bytes) -> list[tuple[str, str]]:
    """Lane and key of each post with this body."""
    posts = [read_post(box.path, name) for name in waiting_posts(box.path)[0]]
    return [(post.lane, post.key) for post in posts if post.body == body]


@pytest.mark.parametrize("key", [None, ALICE, STRANGER, POCKET])
def test_a_post_is_answered_by_its_hash_and_nothing_else(box: ServedBox, key: object) -> None:
    name = getattr(key, "public", None)
    body = FILE + (name.raw if name else b"")
    answer = box.post(body, key)  # type: ignore[arg-type]
    assert answer.status == 200
    assert answer.body == b'{"sha256":"%s"}' % hashlib.sha256(body).hexdigest().encode()
    lane = ("key", ALICE.public.fingerprint) if key is ALICE else ("open", "")
    assert stored(box, body) == [lane]


def test_a_reader_fetches_what_came_after_a_number(box: ServedBox) -> None:
    answer = box.fetch(since=1)
    assert answer.status == 200
    assert answer.mails == [(2, b"letter 2\n"), (3, b"letter 3\n")]
    assert answer.said["more"] is False
    assert box.fetch(POCKET, since=1).body == answer.body, "a fetch key fetches for the key that names it"


def timeless(raw: bytes) -> bytes:
    at = raw.index(b'"time":"') + 8
    return raw[:at] + raw[at + 20 :]


@pytest.mark.parametrize("deed", [Deed.FETCH, Deed.ACKNOWLEDGE, Deed.GET_COPY, Deed.PUT_COPY])
def test_a_key_that_is_not_known_is_answered_as_one_for_which_nothing_waits(
    box: ServedBox, deed: Deed
) -> None:
    other = {Deed.ACKNOWLEDGE: b"through 5\n", Deed.PUT_COPY: b"x"}
    body = other.get(deed, b"since 0\n")
    known, unknown = (box.signed(deed, body, key).raw for key in (BOB, STRANGER))
    assert timeless(known) == timeless(unknown)


def test_only_the_key_itself_acknowledges_and_never_back(box: ServedBox) -> None:
    reader = folder_name(ALICE.public)
    for key, through, after in ((POCKET, 3, 0), (BOB, 3, 0), (ALICE, 2, 2), (ALICE, 1, 2), (ALICE, 999, 3)):
        assert box.signed(Deed.ACKNOWLEDGE, b"through %d\n" % through, key).status == 200
        assert acknowledged_number(box.path, reader) == after


def test_a_wrong_clock_is_told_the_box_s(box: ServedBox) -> None:
    answer = box.signed(Deed.FETCH, b"since 0\n", at=datetime.now(UTC) - timedelta(minutes=6))
    assert (answer.status, answer.said["fault"]) == (400, "clock")
    told = datetime.fromisoformat(answer.said["time"])
    assert abs(datetime.now(UTC) - told) < timedelta(seconds=30)


def test_a_request_for_another_deed_body_or_box_is_refused(box: ServedBox) -> None:
    now = datetime.now(UTC)
    others = [
        make_request(Deed.FETCH, box.url, b"since 0\n", now, ALICE),
        make_request(Deed.ACKNOWLEDGE, box.url, b"through 2\n", now, ALICE),
        make_request(Deed.ACKNOWLEDGE, "https://box.club.example/", b"through 1\n", now, ALICE),
        "x",
    ]
    for header in others:
        answer = box.ask("POST", "/acknowledge", b"through 1\n", Pbem_Request=header)
        assert (answer.status, answer.said["fault"]) == (400, "request")
    assert box.ask("POST", "/fetch", b"since 0\n").status == 401


def test_an_old_fetch_that_is_sent_again_shows_no_more_than_it_did(box: ServedBox) -> None:
    """It is the carrier who can do that, and what comes back is sealed."""
    header = make_request(Deed.FETCH, box.url, b"since 1\n", datetime.now(UTC), ALICE)
    first, second = (box.ask("POST", "/fetch", b"since 1\n", Pbem_Request=header) for _ in range(2))
    assert first.mails == second.mails
    assert box.ask("POST", "/fetch", b"since 0\n", Pbem_Request=header).status == 400


# Pages and hosts


def test_a_page_that_the_club_names_may_ask(box: ServedBox) -> None:
    before = box.ask("OPTIONS", "/fetch", None, Origin=PAGE)
    assert before.status == 204
    assert b"access-control-allow-headers: Pbem-Request, Content-Type" in before.head
    answer = box.post(FILE, ALICE, Origin=PAGE)
    assert f"access-control-allow-origin: {PAGE}\r\n".encode() in answer.head


@pytest.mark.parametrize("origin", ["https://evil.example", "null", f"{PAGE}.evil.example", f"{PAGE}:444"])
@pytest.mark.parametrize("method", ["POST", "OPTIONS"])
def test_another_page_is_refused(box: ServedBox, origin: str, method: str) -> None:
    answer = box.ask(method, "/post", FILE + origin.encode() if method == "POST" else None, Origin=origin)
    assert (answer.status, answer.said["fault"]) == (403, "origin")
    assert b"access-control" not in answer.head
    assert not stored(box, FILE + origin.encode())


@pytest.mark.parametrize("host", ["evil.example", "localhost", "127.0.0.1", "127.0.0.1:1", ""])
def test_another_host_is_refused(box: ServedBox, host: str) -> None:
    """A name that somebody lets point to this machine (DNS rebinding) is no name of the box."""
    for method, path in (("POST", "/post"), ("GET", "/")):
        assert box.ask(method, path, b"", Host=host).status == 421


# Requests that are none


def test_a_glance(box: ServedBox) -> None:
    answer = box.ask("GET", "/", None)
    assert (answer.status, answer.body[:8]) == (200, b"pbem box")
    assert box.ask("GET", "/health", None, Host="x").body == b"ok\n"
    assert b"server:" not in answer.head.lower()


@pytest.mark.parametrize(
    "path",
    [
        *("/letters", "/../table.json", "/post/../fetch", "/%2e%2e/table.json", "//post", "/post/", "/POST"),
        *(
            "/post%00",
            "/letters/%2e%2e/%2e%2e/etc/passwd",
            "/fetch.",
            "http://other.example/x",
            "/table.json",
        ),
    ],
)
def test_there_is_no_other_path(box: ServedBox, path: str) -> None:
    assert box.ask("POST", path, b"").status in (400, 404)
    assert box.ask("GET", path, None).status in (400, 404)


@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE", "HEAD", "TRACE", "PATCH"])
def test_there_is_no_other_method(box: ServedBox, method: str) -> None:
    assert box.ask(method, "/fetch", None).status == 405


@pytest.mark.parametrize(
    ("deed", "body"),
    [
        ("fetch", b"since -1\n"),
        ("fetch", b"since 1"),
        ("fetch", b"through 1\n"),
        ("acknowledge", b"through 01\n"),
    ],
)
def test_a_question_is_one_line(box: ServedBox, deed: str, body: bytes) -> None:
    assert box.signed(Deed(deed), body).said["fault"] == "body"


def test_what_is_too_large_is_refused_unread(box: ServedBox) -> None:
    head = b"POST /post HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nContent-Length: %d\r\n\r\n"
    for size in (MAX_POST_SIZE + 1, 10**9 - 1):
        assert box.talk(head % (box.port, size)).status == 413
    assert box.talk(head % (box.port, 10**30)).status in (400, 411)
    assert box.post(b"x" * MAX_POST_SIZE).status == 200
    assert box.post(b"").said["fault"] == "empty"


SMUGGLED = b"POST /post HTTP/1.1\r\nHost: x\r\nContent-Length: 8\r\n\r\nsmuggled"


SHAPES = (
    b"Transfer-Encoding: chunked\r\n\r\n8\r\nsmuggled\r\n0\r\n\r\n",
    b"Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + SMUGGLED,
    b"Content-Length: 8\r\nContent-Length: 9\r\n\r\nsmuggled",
    b"Content-Length: +8\r\n\r\nsmuggled",
    b"Content-Length: 0x8\r\n\r\nsmuggled",
    b"Content-Length : 8\r\n\r\nsmuggled",
    b" Content-Length: 8\r\n\r\nsmuggled",
    b"Transfer-Encoding: \x0bchunked\r\n\r\n8\r\nsmuggled\r\n0\r\n\r\n",
    b"Transfer-Encoding: identity\r\nContent-Length: 8\r\n\r\nsmuggled",
    b"\r\n8\r\nsmuggled\r\n0\r\n\r\n",
)
"""What a proxy and the box could read differently, behind the first lines of a request."""


@pytest.mark.parametrize("shape", SHAPES)
def test_what_a_proxy_could_read_in_another_way_is_refused(box: ServedBox, shape: bytes) -> None:
    """Nothing after the first request of a connection is read as a second one either."""
    answer = box.talk(b"POST /post HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n" % box.port + shape)
    assert answer.status in (400, 411, 421)
    assert answer.raw.count(b"HTTP/1.1 ") == 1
    assert not stored(box, b"smuggled")


def test_a_second_request_on_a_connection_is_not_read(box: ServedBox) -> None:
    ask = b"GET / HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n\r\n" % box.port
    assert (
        box.talk(ask + SMUGGLED.replace(b"Host: x", b"Host: 127.0.0.1:%d" % box.port)).raw.count(b"HTTP/1.1 ")
        == 1
    )
    assert not stored(box, b"smuggled")


@pytest.mark.parametrize("length", ["Content-Length: 8", "Transfer-Encoding: chunked"])
@pytest.mark.parametrize("path", ["/", "/health"])
def test_a_glance_has_no_body(box: ServedBox, path: str, length: str) -> None:
    ask = f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{box.port}\r\n{length}\r\n\r\n"
    assert box.talk(ask.encode() + b"smuggled").status == 400


def test_a_huge_head_is_refused(box: ServedBox) -> None:
    assert box.ask("GET", "/", None, Extra="x" * 100_000).status in (0, 400, 431)
    many = {f"Extra-{number}": "x" * 50 for number in range(2_000)}
    assert box.ask("GET", "/", None, **many).status in (0, 400, 431)
    assert box.ask("GET", "/", None).status == 200, "the next one is answered"
