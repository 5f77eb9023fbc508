"""Serves the page for players on loopback, for those who trust their own machine more than a host."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from pbem.trust.post_box import check_box_url

POLICY = (
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; font-src 'self'; "
    "img-src 'self' data: blob:; "
    "connect-src 'self'; worker-src 'self'; manifest-src 'self'; form-action 'none'; base-uri 'none'"
)
"""The security policy in the page's HTML, its service worker and each answer here: no script but the site's
own files, and no network but the place they came from, and the boxes named when the site is written."""


def policy_with(boxes: Sequence[str]) -> str:
    """Return the security policy of a page that may also connect to these post boxes, which it lists."""
    return POLICY.replace(
        "connect-src 'self'", " ".join(("connect-src 'self'", *sorted({*map(check_box_url, boxes)})))
    )


class SiteHandler(SimpleHTTPRequestHandler):
    """The handler of requests for files of a site, which sends a strict security policy."""

    extensions_map = SimpleHTTPRequestHandler.extensions_map | {
        ".mjs": "text/javascript",
        ".js": "text/javascript",
        ".wasm": "application/wasm",
        ".webmanifest": "application/manifest+json",
    }

    def __init__(self, *given: Any, policy: str = POLICY, **named: Any) -> None:
        self.policy = policy
        super().__init__(*given, **named)

    def end_headers(self) -> None:
        """Send the security policy with the headers of every answer."""
        self.send_header("Content-Security-Policy", f"{self.policy}; frame-ancestors 'none'")
        self.send_header("X-Content-Type-Options", "nosniff")
        self.send_header("Referrer-Policy", "no-referrer")
        self.send_header("Cache-Control", "no-cache")
        super().end_headers()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - as the class above calls it
        """Do nothing, so that no log shows who requested which file."""


def server(folder: Path, port: int = 0, boxes: Sequence[str] = ()) -> ThreadingHTTPServer:
    """Return a server of a site on loopback; port 0 takes a free one; `boxes`: the site's post boxes."""
    handler = partial(SiteHandler, directory=str(folder), policy=policy_with(boxes))
    return ThreadingHTTPServer(("127.0.0.1", port), handler)
