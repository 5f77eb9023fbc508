"""Requests to push services to wake a device (RFC 8030), and the club's own key for them, RFC 8292 (VAPID).

    notify/
      push.pem        written by the notifier, which alone may read it: its private key, P-256
      push.pub        written by the notifier: the public half in one line, as players' browsers want it

Nothing is posted but the request itself: its body is empty. A service that wakes a browser takes requests
for it only with the key for which the browser asked, so that whoever learns an address cannot wake by it.
No library does it: those that there are encrypt what is posted and bring an HTTP client of their own, and
what is left without a body is one signed token.
"""

from __future__ import annotations

import base64
import json
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from pbem.box.folder import UnreadableBox, read_file, write_file
from pbem.trust.post_box import is_push_key
from pbem.trust.primitives import es256
from pbem.trust.primitives.faults import Unreadable
from pbem.trust.private_files import write_private_file

KEY, PUBLIC = "push.pem", "push.pub"
MAX_KEY_SIZE = 1_000
LIFETIME_SECONDS = 12 * 60 * 60
"""Seconds for which a push service may accept a signed request; RFC 8292 allows a day."""
TTL_SECONDS = 7 * 24 * 60 * 60
"""Seconds for which a push service holds a wake for a device that is off; a later wake replaces it."""
TOPIC = "pbem"


@dataclass(frozen=True, slots=True)
class PushKey:
    """The key by which a club's notifier asks push services to wake devices."""

    pem: bytes

    @property
    def public(self) -> str:
        """The public half of the key, in the form that browsers and push services expect."""
        return _encode(es256.point_of(self.pem))

    def headers(self, url: str, contact: str, now: float) -> dict[str, str]:
        """Return the headers of a request to a push service, which may write to `contact`."""
        parts = urlsplit(url)
        claims = {"aud": f"https://{parts.netloc}", "exp": int(now) + LIFETIME_SECONDS, "sub": contact}
        text = ".".join(_encode(json.dumps(one).encode()) for one in ({"typ": "JWT", "alg": "ES256"}, claims))
        token = f"{text}.{_encode(es256.sign(self.pem, text.encode()))}"
        return {
            "Authorization": f"vapid t={token}, k={self.public}",
            "TTL": str(TTL_SECONDS),
            "Urgency": "normal",
            "Topic": TOPIC,
        }


def make_push_key(folder: Path) -> PushKey:
    """Return the notifier's key, after making one if there is none; the public half is written beside it.

    Raises:
        UnreadableBox: something else lies where a key belongs.
        OSError: the folder cannot be written.
    """
    if (pem := read_file(folder / KEY, MAX_KEY_SIZE)) is None:
        write_private_file(folder / KEY, pem := es256.make_key())
    key = PushKey(pem)
    try:
        line = f"{key.public}\n".encode()
    except Unreadable:
        raise UnreadableBox(
            f"{folder / KEY} is not a key for push services; remove it: a new one is made, and players "
            "switch their devices on again"
        ) from None
    if read_file(folder / PUBLIC, MAX_KEY_SIZE) != line:
        write_file(folder / PUBLIC, line)
    return key


def read_public_key(folder: Path) -> str:
    """Return the public half of the notifier's key; "" if it has made none yet.

    Raises:
        UnreadableBox: something else lies where the key belongs.
    """
    data = read_file(folder / PUBLIC, MAX_KEY_SIZE)
    if data is None:
        return ""
    text = data.decode("ascii", errors="replace").rstrip("\n")
    if not is_push_key(text):
        raise UnreadableBox(f"{folder / PUBLIC} is not what 'pbem notify' writes")
    return text


def _encode(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode().rstrip("=")
