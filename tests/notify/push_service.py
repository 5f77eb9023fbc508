"""A push service on loopback that speaks RFC 8030 and RFC 8292, and takes no request written otherwise.

It checks what real ones do: the signed token, whom it is meant for, until when, and that the key is the one
for which the device subscribed. The checks share no code with the notifier.
"""

from __future__ import annotations

import base64
import json
import re
import socket
import ssl
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature

from pbem.notify.courier import PORT, Delivery
from tests.mail.servers import make_certificate

HOST = "push.example"
DAY = 24 * 60 * 60
VAPID = re.compile(r"vapid t=([\w-]+\.[\w-]+)\.([\w-]+), k=([\w-]+)").fullmatch


def unpacked(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def fault_of(headers: Mapping[str, str], key: str, now: float) -> tuple[int, str]:
    """The status and reason with which a service refuses a request for a device; 0 if it takes it."""
    if not re.fullmatch(r"[0-9]+", headers.get("TTL") or ""):
        return 400, "TTL is missing"
    if headers.get("Urgency", "normal") not in ("very-low", "low", "normal", "high"):
        return 400, "no such urgency"
    if not re.fullmatch(r"[A-Za-z0-9_-]{1,32}", headers.get("Topic", "x")):
        return 400, "no such topic"
    if headers.get("Content-Length") != "0" or "Content-Encoding" in headers:
        return 400, "there is a payload, which is not encrypted"
    found = VAPID(headers.get("Authorization") or "")
    if found is None:
        return 401, "no token"
    signed, signature, public = found.groups()
    raw = unpacked(signature)
    numbers = int.from_bytes(raw[:32], "big"), int.from_bytes(raw[32:], "big")
    try:
        point = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), unpacked(public))
        point.verify(encode_dss_signature(*numbers), signed.encode(), ec.ECDSA(hashes.SHA256()))
    except (InvalidSignature, ValueError):
        return 403, "the token is not signed by this key"
    head, claims = (json.loads(unpacked(part)) for part in signed.split("."))
    if head != {"typ": "JWT", "alg": "ES256"} or claims["aud"] != f"https://{HOST}":
        return 403, "the token is for somebody else"
    if not now < claims["exp"] <= now + DAY or not claims["sub"].startswith(("mailto:", "https://")):
        return 403, "the token holds too long, no more, or names nobody"
    return (0, "") if public == key else (403, "the device subscribed for another key")


@dataclass
class PushService:
    """The devices that have subscribed at a service, and those that were woken."""

    folder: Path
    devices: dict[str, str] = field(default_factory=dict)
    """The key for which each device subscribed, by the path of its address."""
    woken: list[str] = field(default_factory=list)
    requests: list[dict[str, str]] = field(default_factory=list)
    refusals: list[str] = field(default_factory=list)
    status: int = 201
    """The answer to a request that is right."""

    def __post_init__(self) -> None:
        self.certificate = make_certificate(self.folder, HOST)
        service = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                self.send_response(service.answer(self.path, dict(self.headers)))
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_: Any) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.socket = self.certificate.context.wrap_socket(self.server.socket, server_side=True)
        threading.Thread(target=self.server.serve_forever, args=(0.01,), daemon=True).start()

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()

    def subscribe(self, name: str, key: str) -> str:
        """The address of a device that lets whoever has this key wake it."""
        self.devices[f"/wpush/v2/{name}"] = key
        return f"https://{HOST}/wpush/v2/{name}"

    def answer(self, path: str, headers: dict[str, str]) -> int:
        self.requests.append(headers)
        if path not in self.devices:
            return 410
        status, why = fault_of(headers, self.devices[path], time.time())
        if status:
            self.refusals.append(why)
            return status
        if self.status == 201:
            self.woken.append(path)
        return self.status

    def delivery(self) -> Delivery:
        """A delivery that takes this server for the host."""
        return Delivery(
            resolve=lambda host, port: ["127.0.0.1"] if (host, port) == (HOST, PORT) else [],
            connect=lambda to, limit: socket.create_connection((to[0], self.server.server_port), limit),
            is_allowed=lambda address: address == "127.0.0.1",
            context=ssl.create_default_context(cafile=self.certificate.chain),
            seconds=5,
        )
