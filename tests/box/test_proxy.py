"""A post box behind a real Caddy, by each configuration that is recommended, with an authority of its own."""

from __future__ import annotations

import os
import re
import shutil
import socket
import ssl
import subprocess
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from textwrap import dedent

import pytest

from pbem.box.app import ADDRESS_PER_HOUR
from pbem.box.stores import MAX_COPY_SIZE
from tests.box.served import ALICE, PAGE, PATIENCE, READERS, Answer, ServedBox, free_port
from tests.box.test_answers import SHAPES, SMUGGLED, stored

CADDY = shutil.which("caddy")
INNER = "127.0.0.1:8698"
OWN_AUTHORITY = "{\n\tadmin off\n\tlocal_certs\n\tskip_install_trust\n\tauto_https disable_redirects\n}\n"

pytestmark = [
    pytest.mark.ci,
    pytest.mark.skipif(CADDY is None and os.environ.get("CI") != "true", reason="no Caddy is installed"),
]


@dataclass
class ProxiedBox(ServedBox):
    """A box to which one talks by Caddy, from an address of loopback."""

    front: int = 0
    source: str = "127.0.0.1"

    @property
    def url(self) -> str:
        return f"https://localhost:{self.front}/"

    @property
    def certificate(self) -> Path:
        """The certificate of Caddy's own authority."""
        return self.path.parent / "caddy/pki/authorities/local/root.crt"

    def connect(self) -> socket.socket:
        there = ("127.0.0.1", self.front)
        plain = socket.create_connection(there, PATIENCE, source_address=(self.source, 0))
        return ssl.create_default_context(cafile=self.certificate).wrap_socket(
            plain, server_hostname="localhost"
        )

    def ask(self, method: str, path: str, body: bytes | None = b"", **headers: str) -> Answer:
        return super().ask(
            method, path, body, **{"Host": f"localhost:{self.front}", "Connection": "close", **headers}
        )

    def listens(self) -> bool:
        """Whether Caddy has a certificate and answers."""
        with suppress(OSError), self.connect():
            return True
        return False


def recommended(project: Path) -> dict[str, str]:
    """The configuration of the two containers, and that of the page about the box."""
    page = (project / "pbem/docs/box.md").read_text(encoding="utf-8")
    block = re.search(r"^    box\.club\.example \{\n(?:    .*\n)+", page, re.MULTILINE)
    assert block
    return {
        "Caddyfile": (project / "Caddyfile").read_text(encoding="utf-8").replace("172.30.98.3:8698", INNER),
        "box.md": dedent(block[0]).replace("box.club.example", "{$BOX_HOST}"),
    }


@pytest.fixture(params=["Caddyfile", "box.md"])
def box(tmp_path: Path, project: Path, request: pytest.FixtureRequest) -> Iterator[ProxiedBox]:
    """A box behind Caddy, whose configuration is the recommended one but for addresses and authority."""
    found = ProxiedBox(tmp_path / "box", free_port(), options=("--proxy", "127.0.0.1"), front=free_port())
    text = recommended(project)[request.param]
    assert INNER in text
    (tmp_path / "Caddyfile").write_text(OWN_AUTHORITY + text.replace(INNER, f"127.0.0.1:{found.port}"))
    found.write_table(*READERS)
    found.start()
    given = {"BOX_HOST": f"localhost:{found.front}", "XDG_DATA_HOME": str(tmp_path), "HOME": str(tmp_path)}
    with (tmp_path / "caddy.log").open("wb") as log:
        proxy = subprocess.Popen(
            [CADDY or "caddy", "run", "--config", tmp_path / "Caddyfile", "--adapter", "caddyfile"],
            env={**os.environ, **given},
            stdout=log,
            stderr=log,
        )
    until = time.monotonic() + PATIENCE
    while not found.listens():
        assert time.monotonic() < until, (tmp_path / "caddy.log").read_text()
        time.sleep(0.05)
    yield found
    proxy.kill()
    proxy.wait(PATIENCE)
    found.stop()


def test_what_a_page_asks_goes_through(box: ProxiedBox) -> None:
    assert box.ask("OPTIONS", "/post", None, Origin=PAGE, Access_Control_Request_Method="POST").status in (
        200,
        204,
    )
    assert box.post(b"a join", None, Origin=PAGE).status == 200
    assert box.post(b"sealed", ALICE, Origin=PAGE).status == 200
    assert stored(box, b"a join")
    assert stored(box, b"sealed")
    assert box.fetch().mails == []
    assert box.ask("GET", "/health", None).body == b"ok\n"
    assert box.ask("POST", "/put-copy", b"x" * MAX_COPY_SIZE).status != 413, "a copy of a home has room"
    assert box.post(b"x", Origin="https://other.example").status == 403
    assert box.ask("GET", "/", None, Host="other.example").body == b"", "that one is not the box's"


def test_the_box_sees_the_address_of_who_asks_and_of_nobody_else(box: ProxiedBox) -> None:
    """What somebody says of their own address is not passed on."""
    told = [
        box.post(b"%d" % number, X_Forwarded_For=f"192.0.2.{number}").status
        for number in range(ADDRESS_PER_HOUR + 1)
    ]
    assert told == [200] * ADDRESS_PER_HOUR + [429]
    box.source = "127.0.0.2"
    assert box.post(b"from elsewhere").status == 200


def test_what_could_be_read_in_two_ways_reaches_nobody(box: ProxiedBox) -> None:
    head = b"POST /post HTTP/1.1\r\nHost: localhost:%d\r\nConnection: close\r\n" % box.front
    for shape in SHAPES:
        answer = box.talk(head + shape)
        assert 400 <= answer.status <= 501, shape
        assert not stored(box, b"smuggled"), shape


def test_no_body_rides_on_a_glance(box: ProxiedBox) -> None:
    assert box.ask("GET", "/health", SMUGGLED).status == 400
    assert not stored(box, b"smuggled")
