"""The desk as `pbem desk` serves it, and what a browser does there that has no script."""

from __future__ import annotations

import http.client
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from html import unescape
from pathlib import Path
from urllib.parse import urlencode


@dataclass
class Answer:
    status: int
    text: str
    head: http.client.HTTPMessage

    @property
    def once(self) -> str:
        found = re.search(r'name="once" value="([^"]+)"', self.text)
        assert found, self.text
        return found[1]

    def fault_of(self, field: str) -> str:
        """Return the refusal that stands beside a field; "" if none does."""
        found = re.search(
            rf'id="{field}" [^>]*aria-describedby="fault".*?<pre id="fault"[^>]*>(.*?)</pre>',
            self.text,
            re.DOTALL,
        )
        return unescape(found[1]) if found else ""


@dataclass
class Browser:
    """What a browser does that has no script."""

    port: int
    cookie: str = ""
    room: str = ""

    def ask(self, path: str, form: dict[str, str] | None = None, **heads: str) -> Answer:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        given = {"Host": f"127.0.0.1:{self.port}"} | ({"Cookie": self.cookie} if self.cookie else {}) | heads
        if form is None:
            connection.request("GET", path, headers=given)
        else:
            given.setdefault("Content-Type", "application/x-www-form-urlencoded")
            connection.request("POST", path, urlencode(form), given)
        answer = connection.getresponse()
        found = Answer(answer.status, answer.read().decode(), answer.headers)
        connection.close()
        return found

    def at(self, place: str, form: dict[str, str] | None = None, **heads: str) -> Answer:
        return self.ask(f"/{self.room}/{place}", form, **heads)

    def enter(self, path: str) -> Answer:
        answer = self.ask(path)
        if answer.status == 200:
            self.cookie = str(answer.head["Set-Cookie"]).partition(";")[0]
            found = re.search(r'href="/([^/"]+)/"', answer.text)
            assert found
            self.room = found[1]
        return answer

    def text_in(self, place: str) -> str:
        """Return what a page's text area holds, as a browser would send it."""
        found = re.search(r"<textarea[^>]*>\n(.*?)</textarea>", self.at(place).text, re.DOTALL)
        assert found
        return unescape(found[1]).replace("\n", "\r\n")

    def try_deed(self, name: str, **given: str) -> Answer:
        form = self.at(f"deed/{name}")
        return self.at(f"deed/{name}", {"once": form.once, **given})

    def run_deed(self, name: str, **given: str) -> Answer:
        shown = self.try_deed(name, **given)
        assert shown.status == 200, shown.text
        return self.at(f"run/{name}", {"once": shown.once, **given})


@dataclass
class Served:
    port: int
    path: str
    club: Path

    def open(self) -> Browser:
        browser = Browser(self.port)
        assert browser.enter(self.path).status == 200
        return browser


@contextmanager
def desk_of(club: Path) -> Iterator[Served]:
    """The desk as `pbem desk` serves it."""
    words = [sys.executable, "-m", "pbem", "desk", "--port", "0", "--club", str(club)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        line = process.stdout.readline()
        found = re.search(r"http://127\.0\.0\.1:(\d+)(/enter/\S+)", line)
        assert found, line
        try:
            yield Served(int(found[1]), found[2], club)
        finally:
            process.terminate()
