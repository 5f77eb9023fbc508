"""What the page's own server says beside each file, to whoever asks."""

from __future__ import annotations

import re
import shutil
import signal
import subprocess
import sys
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import urlopen

import pytest

from pbem.web.build import POLICY
from tests.judge.killing import HEEDING_CTRL_C
from tests.web.conftest import IN_CI
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


@pytest.mark.ci
@pytest.mark.skipif(shutil.which("npm") is None and not IN_CI, reason="no npm is installed")
def test_the_command_says_what_takes_a_while_and_then_what_it_serves(tmp_path: Path) -> None:
    command = [*HEEDING_CTRL_C, sys.executable, "-m", "pbem", "club", "web", "site", "--serve", "--port", "0"]
    with subprocess.Popen(
        command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as serving:
        assert serving.stdout
        assert serving.stderr
        assert serving.stderr.readline() == "npm fetches the page's libraries; that can take a minute\n"
        assert not (tmp_path / "site").exists()
        *_, line = (serving.stdout.readline() for _ in range(3))
        found = re.fullmatch(r"the page in site is served at (http://\S+/) \(stop it with Ctrl-C\)\n", line)
        assert found
        with urlopen(found[1]) as answer:  # noqa: S310 - the address of loopback that it has just said
            assert answer.read() == (tmp_path / "site/index.html").read_bytes()
        serving.send_signal(signal.SIGINT)
        assert serving.communicate() == ("stopped\n", "")
