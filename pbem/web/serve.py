"""Serves a site on loopback, for whoever would rather trust their own machine than a host."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from pbem.trust.box_request import check_box_url

POLICY = (
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; font-src 'self'; "
    "img-src 'self' data: blob:; "
    "connect-src 'self'; worker-src 'self'; manifest-src 'self'; form-action 'none'; base-uri 'none'"
)
"""In the page's HTML, its service worker and each answer here: no script but the site's own files, and no
network but the place that they came from, and the boxes that are named when the site is written."""


def policy_with(boxes: Sequence[str]) -> str:
    """Return the policy of a page that may talk to boxes, too; the page reads in it which they are."""
    return POLICY.replace(
        "connect-src 'self'", " ".join(("connect-src 'self'", *sorted({*map(check_box_url, boxes)})))
    )


class SiteHandler(SimpleHTTPRequestHandler):
    """The files of a site, under a policy that lets nothing in or out."""

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
        """Every answer has the policy."""
        self.send_header("Content-Security-Policy", f"{self.policy}; frame-ancestors 'none'")
        self.send_header("X-Content-Type-Options", "nosniff")
        self.send_header("Referrer-Policy", "no-referrer")
        self.send_header("Cache-Control", "no-cache")
        super().end_headers()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - as the class above calls it
        """Nothing is written about who asked for what."""


def server(folder: Path, port: int = 0, boxes: Sequence[str] = ()) -> ThreadingHTTPServer:
    """A server of the site on loopback; port 0 is one that is free. `boxes`: for which it was written."""
    handler = partial(SiteHandler, directory=str(folder), policy=policy_with(boxes))
    return ThreadingHTTPServer(("127.0.0.1", port), handler)
