"""The folder through which the judge tells the notifier whom to call: a table of addresses, a file per wake.

    notify/
      table.json      written by the judge: format; the addresses of webhooks, and those of devices at push
                      services, each by its reader's number; and whom push services may write to
      wakes/          written by the judge, removed by the notifier: one fact in each file, named
                      <time>-<reader>-<hash>.json
      refused.json    written by the notifier: hashes of the addresses that are not called any more
      push.pem        written by the notifier, which alone may read it: its key for push services, P-256
      push.pub        written by the notifier: the public half in one line, as players' browsers want it

A fact is public: a game and an exchange, or a league and a round, and a deadline. It names no player, and no
message makes one. The wake of a device ("about": "device") has none of these, and says no more than whom to
wake. The reader's number is the judge's own; "club" is the webhook of the whole club. A folder that is full
takes no more: what is lost then is a wake, and never a letter.

A device is woken by a request to its push service (RFC 8030), signed with the club's own key, RFC 8292
(VAPID). Nothing is posted but the request itself: its body is empty. A service that wakes a browser takes
requests for it only with the key for which the browser asked, so that whoever learns an address cannot wake
by it. No library does it: those that there are encrypt what is posted and bring an HTTP client of their own,
and what is left without a body is one signed token.
"""

from __future__ import annotations

import base64
import contextlib
import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from pbem.box.folder import UnreadableBox, make_folder, names_in, read_file, write_file
from pbem.trust.faults import Unreadable
from pbem.trust.keys import write_private_file
from pbem.trust.post_box import is_push_key
from pbem.trust.primitives import es256

FORMAT = 1
TABLE, WAKES, REFUSED = "table.json", "wakes", "refused.json"
MAX_TABLE_SIZE, MAX_WAKE_SIZE = 4_000_000, 4_000
MAX_WAKES = 1_000
"""Maximum number of wakes that wait for the notifier at the same time."""
OPEN, REMINDER, OVER = "open", "reminder", "over"
"""Names of the facts of which a wake can tell: an exchange is open, its deadline is near, or the game is
over."""
ENTRIES, CALL, DRAWN, RESULTS, FINISHED = "entries", "call", "drawn", "results", "finished"
"""Names of the facts of a league, for the webhook of the whole club: entries are open, a call waits for
answers, a round is drawn, results of it are entered, or the league is over."""
OF_LEAGUES = (ENTRIES, CALL, DRAWN, RESULTS, FINISHED)
DEVICE = "device"
"""The word that stands for a fact in the wake of a device, which is told no fact."""
CLUB = "club"
"""The reader that stands for the webhook of the whole club."""
_IS_WAKE = re.compile(r"[0-9TZ]{16}-(?:[0-9]{1,9}|club)-[0-9a-f]{16}\.json").fullmatch
_PLAIN = str.maketrans({":": "", "-": ""})


@dataclass(frozen=True, slots=True, kw_only=True)
class Wake:
    """A wake: one public fact for one reader's webhook, or the order to wake a device of theirs."""

    reader: str
    club: str = ""
    about: str
    game: str = ""
    exchange: int = 0
    league: str = ""
    round: int = 0
    deadline: str = ""
    at: str
    """The time at which the judge wrote the wake."""

    @property
    def text(self) -> bytes:
        """The bytes of the file in which the wake waits."""
        return f"{json.dumps({'format': FORMAT} | asdict(self))}\n".encode()

    @property
    def name(self) -> str:
        """The name of the file in which the wake waits; the same fact and time give the same name."""
        return f"{self.at.translate(_PLAIN)}-{self.reader}-{hashlib.sha256(self.text).hexdigest()[:16]}.json"


def put_wake(folder: Path, wake: Wake) -> bool:
    """Put a wake into the notifier's folder; return False if the folder has no room for it.

    Raises:
        OSError: the folder cannot be written.
    """
    wakes = make_folder(folder / WAKES)
    if len(names_in(wakes, MAX_WAKES)) >= MAX_WAKES:
        return False
    write_file(wakes / wake.name, wake.text)
    return True


def read_wakes(folder: Path) -> list[tuple[Path, Wake]]:
    """Return the wakes that wait for the notifier, the oldest first; remove files that are not wakes."""
    found = []
    for name in names_in(folder / WAKES, MAX_WAKES):
        path = folder / WAKES / name
        try:
            fields = json.loads(read_file(path, MAX_WAKE_SIZE) or b"")
            is_known = fields.pop("format") == FORMAT and _IS_WAKE(name) is not None
            wake = Wake(**fields)
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError, UnreadableBox):
            is_known = False
        if is_known:
            found.append((path, wake))
        else:
            with contextlib.suppress(OSError):
                path.unlink(missing_ok=True)
    return found


@dataclass(frozen=True, slots=True)
class Table:
    """The addresses that the notifier calls, by the numbers of their readers."""

    webhooks: Mapping[str, str] = field(default_factory=dict)
    devices: Mapping[str, str] = field(default_factory=dict)
    contact: str = ""
    """A mail address or page by which push services reach the club; "" if the club wakes no devices."""

    @property
    def addresses(self) -> set[str]:
        """All addresses in the table."""
        return {*self.webhooks.values(), *self.devices.values()}

    def address_of(self, wake: Wake) -> str:
        """Return the address that a wake is sent to; "" if its reader has none."""
        if wake.about != DEVICE:
            return self.webhooks.get(wake.reader, "")
        return self.devices.get(wake.reader, "") if self.contact else ""


def write_table(folder: Path, table: Table) -> None:
    """Write the notifier's table of addresses, if it has changed.

    Raises:
        OSError: the folder cannot be written.
    """
    text = f"{json.dumps({'format': FORMAT} | asdict(table), sort_keys=True)}\n".encode()
    if read_file(folder / TABLE, MAX_TABLE_SIZE) != text:
        write_file(make_folder(folder) / TABLE, text)


def read_table(folder: Path) -> Table:
    """Return the notifier's table of addresses; an empty one if there is none.

    Raises:
        UnreadableBox: something else lies where the table belongs.
    """
    try:
        if (data := read_file(folder / TABLE, MAX_TABLE_SIZE)) is None:
            return Table()
        found = json.loads(data)
        if found.pop("format") != FORMAT:
            raise UnreadableBox(f"{folder / TABLE} has a format that this release does not read")
        webhooks, devices = (
            {str(reader): str(url) for reader, url in found[name].items()} for name in ("webhooks", "devices")
        )
        return Table(webhooks, devices, str(found["contact"]))
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        raise UnreadableBox(f"{folder / TABLE} is not what a judge writes") from None


def read_refused(folder: Path) -> set[str]:
    """Return the hashes of addresses that the notifier does not call any more."""
    with contextlib.suppress(ValueError, TypeError, UnreadableBox):
        return {str(one) for one in json.loads(read_file(folder / REFUSED, MAX_TABLE_SIZE) or b"[]")}
    return set()


def write_refused(folder: Path, refused: set[str]) -> None:
    """Write the hashes of addresses that the notifier does not call any more."""
    write_file(folder / REFUSED, f"{json.dumps(sorted(refused))}\n".encode())


def address_hash(url: str) -> str:
    """Return the hash of an address, by which the list of those that are not called any more names it."""
    return hashlib.sha256(url.encode()).hexdigest()


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
