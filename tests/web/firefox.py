"""Somebody who plays in Debian's own Firefox, by the WebDriver commands that it takes itself (Marionette).

Playwright drives only a Firefox that was changed for it, and Debian has no geckodriver. Marionette is told
`<length>:<JSON>`, [0, number, command, what is given], and answers [1, number, error, answer].
"""

from __future__ import annotations

import json
import re
import shutil
import socket
import subprocess
import threading
from collections import deque
from pathlib import Path
from typing import Any

FIREFOX = shutil.which("firefox-esr")
PATIENCE = 60
ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
"""Under this key WebDriver gives elements (W3C, 6.3)."""
PREFERENCES: dict[str, object] = {
    "marionette.port": 0,
    "browser.download.folderList": 2,
    "browser.helperApps.neverAsk.saveToDisk": "text/plain,application/zip,message/rfc822",
    "browser.download.always_ask_before_handling_new_types": False,
    "browser.shell.checkDefaultBrowser": False,
    "datareporting.policy.dataSubmissionEnabled": False,
    "toolkit.telemetry.reportingpolicy.firstRun": False,
    "browser.aboutwelcome.enabled": False,
    "app.update.enabled": False,
    "network.captive-portal-service.enabled": False,
    "network.connectivity-service.enabled": False,
}
DOWNLOADED = """
    const [known, done] = arguments;
    const { Downloads } = ChromeUtils.importESModule("resource://gre/modules/Downloads.sys.mjs");
    Downloads.getList(Downloads.ALL).then((list) => {
        const looked = () => list.getAll().then((all) => {
            if (all.length > known && all.every((one) => one.succeeded)) done(all.at(-1).target.path);
        });
        list.addView({ onDownloadAdded: looked, onDownloadChanged: looked });
        looked();
    });
"""
"""Waits until one more file than `known` has come."""


class Firefox:
    """One browser with a profile of its own."""

    def __init__(self, folder: Path) -> None:
        assert FIREFOX
        self.downloads = folder / "downloads"
        profile = folder / "profile"
        self.downloads.mkdir(parents=True)
        profile.mkdir()
        given = {**PREFERENCES, "browser.download.dir": str(self.downloads)}
        lines = (f"user_pref({json.dumps(name)}, {json.dumps(value)});\n" for name, value in given.items())
        (profile / "user.js").write_text("".join(lines), encoding="utf-8")
        self.process = subprocess.Popen(
            [
                FIREFOX,
                "--headless",
                "--marionette",
                "--remote-allow-system-access",
                "--profile",
                str(profile),
            ],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env={
                "HOME": str(folder),
                "PATH": "/usr/bin:/bin",
                "MOZ_HEADLESS_WIDTH": "360",
                "MOZ_HEADLESS_HEIGHT": "740",
            },
        )
        self.number = 0
        self.socket = socket.create_connection(("127.0.0.1", self._port()), timeout=PATIENCE)
        self.reading = threading.Thread(target=deque, args=(self.process.stdout, 0))
        self.reading.start()  # what it says besides goes nowhere, and never fills the pipe
        self._read()  # who it is
        self.version = self.do("WebDriver:NewSession")["capabilities"]["browserVersion"]
        self.do("WebDriver:SetTimeouts", implicit=PATIENCE * 1000, script=PATIENCE * 1000)

    def _port(self) -> int:
        """Where it takes commands, which it says when it does."""
        assert self.process.stdout
        told = (re.search(r"Marionette.*[Ll]istening on port (\d+)", line) for line in self.process.stdout)
        return int(next(found[1] for found in told if found))

    def close(self) -> None:
        """End it."""
        self.socket.close()
        self.process.terminate()
        self.process.wait(PATIENCE)
        self.reading.join(PATIENCE)
        assert self.process.stdout
        self.process.stdout.close()

    def do(self, command: str, **given: Any) -> Any:
        """One command."""
        self.number += 1
        data = json.dumps([0, self.number, command, given]).encode()
        self.socket.sendall(b"%d:%b" % (len(data), data))
        _, _, fault, answer = self._read()
        if fault:
            raise AssertionError(f"{command}: {fault['error']}: {fault['message']}")
        return answer

    def _read(self) -> Any:
        size = b""
        while not size.endswith(b":"):
            size += self._take(1)
        return json.loads(self._take(int(size[:-1])))

    def _take(self, count: int) -> bytes:
        found = b""
        while len(found) < count:
            part = self.socket.recv(count - len(found))
            assert part, "Firefox has ended"
            found += part
        return found

    # What a person does

    def visit(self, address: str) -> None:
        """Open the page, and wait until one can act."""
        self.do("WebDriver:Navigate", url=address)
        self.wait("//body[@data-ready]")

    def wait(self, path: str) -> str:
        """Wait for an element."""
        found = self.do("WebDriver:FindElement", using="xpath", value=path)
        return str(found["value"][ELEMENT])

    def press(self, said: str) -> None:
        """Press a button."""
        self.do("WebDriver:ElementClick", id=self.wait(f"//button[normalize-space()={said!r}]"))

    def give(self, label: str, text: str) -> None:
        """Fill in a field, or choose files by it."""
        field = self.wait(f"//*[@id=//label[normalize-space()={label!r}]/@for]")
        self.do("WebDriver:ElementSendKeys", id=field, text=text)

    def choose(self, said: str, files: str) -> None:
        """Choose files by a field that stands in its label."""
        field = self.wait(f"//label[normalize-space()={said!r}]//input")
        self.do("WebDriver:ElementSendKeys", id=field, text=files)

    def text(self, path: str) -> str:
        """What an element says."""
        return str(self.do("WebDriver:GetElementText", id=self.wait(path))["value"])

    def run(self, script: str) -> Any:
        """A script in the page; for looking, never for acting."""
        return self.do("WebDriver:ExecuteScript", script=script, args=[], sandbox=None)["value"]

    def taken(self, said: str) -> Path:
        """Press a button that downloads; the file."""
        known = len(list(self.downloads.iterdir()))
        self.press(said)
        self.do("Marionette:SetContext", value="chrome")
        path = self.do("WebDriver:ExecuteAsyncScript", script=DOWNLOADED, args=[known])["value"]
        self.do("Marionette:SetContext", value="content")
        return Path(path)
