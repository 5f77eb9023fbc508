"""What the page's own server says beside each file, to whoever asks."""

from __future__ import annotations

from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from pbem.web.serve import POLICY
from tests.web.table import served

KINDS = {
    "a.mjs": "text/javascript",
    "a.wasm": "application/wasm",
    "a.webmanifest": "application/manifest+json",
}


@pytest.mark.parametrize("name", [*KINDS, "missing"])
def test_every_answer_has_the_policy(tmp_path: Path, name: str) -> None:
    for kind in KINDS:
        (tmp_path / kind).write_bytes(b"x")
    with served(tmp_path) as where:
        connection = HTTPConnection(urlsplit(where).netloc)
        connection.request("GET", f"/{name}")
        answer = connection.getresponse()
        answer.read()
        connection.close()
    assert answer.status == (200 if name in KINDS else 404)
    assert answer.getheader("Content-Type", "").partition(";")[0] == KINDS.get(name, "text/html")
    assert answer.getheader("Content-Security-Policy") == f"{POLICY}; frame-ancestors 'none'"
    assert answer.getheader("X-Content-Type-Options") == "nosniff"
    assert answer.getheader("Referrer-Policy") == "no-referrer"
    assert answer.getheader("Cache-Control") == "no-cache"
