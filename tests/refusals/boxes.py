"""What a post box, its settings and a player's program that asks it are refused for."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from unittest.mock import patch

from pbem.cli.post import _boxes, _fetch_one, _one_box
from pbem.cli.serving import _host_and_port
from pbem.cli.serving import box as serve
from pbem.player import Home, box_client
from pbem.player.box_client import BoxClient, HomeBox
from pbem.service.box_table import read_box
from pbem.service.waking import read_notify
from pbem.trust.keys import PrivateKey
from tests.refusals.clauses import Row

URL = "https://box.club.example/"
KEY = PrivateKey(bytes(range(32)))
AT = datetime(2026, 11, 28, 3, tzinfo=UTC)


def settled(**found: object) -> Callable[[], object]:
    """Return a look at [box] with these settings beside an address."""
    return lambda: read_box({"box": {"url": URL, **found}}, Path())


def notified(**found: object) -> Callable[[], object]:
    """Return a look at [notify] with these settings."""
    return lambda: read_notify({"notify": found}, Path())


WATCHING = (
    Row("box must be a table", lambda: read_box({"box": "x"}, Path())),
    Row("no setting called odd", settled(odd=1)),
    Row("is not a folder", settled(folder=1)),
    Row("is not a folder", settled(folder="")),
    Row("is not a folder", settled(folder="a\0b")),
    Row("keep_days must be", settled(keep_days="1")),
    Row("keep_days must be", settled(keep_days=True)),
    Row("keep_days must be", settled(keep_days=-1)),
    Row("mails must be", settled(mails="no")),
    Row("url: ", settled(url="x")),
    Row("pages must be a list", settled(pages="https://a.example")),
    Row("pages must be a list", settled(pages=[1])),
    Row("is not the address of a page", settled(pages=["ftp://a.example"])),
    Row("is not the address of a page", settled(pages=["https:///x"])),
    Row("is not the address of a page", settled(pages=["https://me@a.example"])),
    Row("notify must be a table", lambda: read_notify({"notify": "x"}, Path())),
    Row("no setting called odd", notified(odd=1)),
    Row("is not a folder", notified(folder=1)),
    Row("is not a folder", notified(folder="")),
    Row("is not a folder", notified(folder="a\0b")),
    Row("webhook: ", notified(webhook="http://a.example/")),
    Row("contact: ", notified(contact="gm@club.example")),
)
"""Settings of the box, and of the notifier."""


def at_home(*found: object) -> Callable[[], object]:
    """Return a choice of a box in a home without games."""

    def choose() -> object:
        with tempfile.TemporaryDirectory() as folder:
            return _one_box(Home(Path(folder)), *found)  # type: ignore[arg-type]

    return choose


def with_boxes(count: int) -> object:
    """Choose among so many boxes."""
    home = Home(Path())
    with patch.object(box_client, "boxes_to_ask", lambda *_: [HomeBox(home, URL, "alice")] * count):
        return _one_box(home, None, None, None) if count > 1 else _boxes(home, None)


def without_fetch_key() -> object:
    """Fetch by a key that is not there."""
    with tempfile.TemporaryDirectory() as folder:
        home = Home(Path(folder))
        home.keygen("alice")
        return _fetch_one(home, HomeBox(home, URL, "alice"), keep=True)


def served_with(certificate: Path | None) -> object:
    """Serve a box with a certificate and no key."""
    assert serve.callback is not None
    with tempfile.TemporaryDirectory() as folder:
        return serve.callback(Path(folder), "127.0.0.1:8698", "", certificate, None)


COMMANDS = (
    Row("go together", partial(served_with, Path("x"))),
    Row("takes a host and a port", partial(_host_and_port, ":8698")),
    Row("takes a host and a port", partial(_host_and_port, "a:\u0661")),
    Row("takes a host and a port", partial(_host_and_port, "a:b")),
    Row("takes a host and a port", partial(_host_and_port, "a:65536")),
    Row("has no fetch key", without_fetch_key),
    Row("has named a post box", partial(with_boxes, 0)),
    Row("--box needs --as", at_home(None, URL, None)),
    Row("several post boxes", partial(with_boxes, 2)),
)
"""The commands."""


def told(status: int, answer: bytes, post: bool = False) -> Callable[[], object]:
    """Return a question to a box that answers this."""

    def ask() -> object:
        client = BoxClient(URL, KEY, lambda: AT)
        with patch.object(box_client, "_request", lambda *_: (status, answer)):
            return client.post(b"x") if post else client.fetch(1)

    return ask


def withdrawn() -> object:
    """Withdraw a fetch key that is not there."""
    with tempfile.TemporaryDirectory() as folder:
        home = Home(Path(folder))
        home.keygen("alice")
        return HomeBox(home, URL, "alice").withdraw_fetch_key("alice", KEY.public.fingerprint)


HOME = (
    Row("has stored something else", told(200, b"{}", post=True)),
    Row("does not answer as one must", told(200, b"{}")),
    Row("in a false order", told(200, b'{"letters":[{"number":1,"mail":""}],"more":false}')),
    Row("does not answer as a post box does", told(200, b"[]")),
    Row("the clock of this device", told(400, b'{"fault":"clock"}')),
    Row("the post box says", told(400, b"{}")),
    Row("has no fetch key", withdrawn),
)
"""A player's program that asks a box."""
ELSEWHERE = {
    **dict.fromkeys(
        (
            "player/answering.py check_hours: not 0 < len(hours) <= MAX_HOURS",
            "player/answering.py check_hours: not all(map(is_hour, hours))",
            "player/answering.py switch_on: (chronicle := folder.chronicle()) is None",
            (
                "player/answering.py _why_not: "
                "any((files_in_words(known_files(folder, chronicle, one.number)) "
                "for one in chronicle.exchanges[-2:]))"
            ),
        ),
        "player/test_answering.py",
    ),
    "player/box_client.py _letter: type(number) is not int": "box/test_round_trip.py",
    "player/box_client.py _letter: not 0 < number < 10 ** 12": "box/test_round_trip.py",
    "player/box_client.py _request: the post box ... cannot be reached:": "box/test_round_trip.py",
    "player/box_client.py _request: len(data) > MAX_ANSWER_SIZE": "box/test_round_trip.py",
    "player/incoming/letters_in.py _box_letter: not folder.is_judge(key)": "player/test_box.py",
    "player/incoming/letters_in.py _box_letter: is damaged; remove it: the judge can send it again": (
        "player/test_box.py"
    ),
}
COPY_OF_HOME = {
    **dict.fromkeys(
        (
            "trust/post_box.py copy_size: size > MAX_HOME_SIZE",
            "trust/post_box.py open_copy: end < 0",
            "trust/post_box.py open_copy: said.key != keys[0].public.fingerprint",
        ),
        "trust/test_home_copy.py",
    )
}
"""The format of a copy."""
PAGE = {
    **dict.fromkeys(
        (
            "web/home_copy.py _generation: type(found.number) is not int",
            "web/home_copy.py _generation: type(found.zip_sha256) is not str",
            (
                "web/home_copy.py _generation: not all((type(one) is str for pair in found.files.items() "
                "for one in pair))"
            ),
            "web/home_copy.py take: type(generation) is not int",
            "web/home_copy.py take: type(armor) is not str",
            "web/home_copy.py _opened: the copy of your home in the post box is not taken:",
            "web/home_copy.py _opened: said.generation != generation",
            "web/home_copy.py give: found[0] == 1 and self.client().get_copy(0)[0] == 0",
            "web/home_copy.py give: another device changes your home all the time; try again later",
        ),
        "box/test_home_copy.py",
    ),
    "web/outbox.py copy_in: ": "player/test_web_devices.py",
}
"""Copies of homes, taken and given."""
COMMANDS_ELSEWHERE = {
    "cli/post.py fetch: answer and (keep or url)": "box/test_round_trip.py",
    "cli/post.py fetch: hours and (not answer)": "box/test_round_trip.py",
    "cli/post.py sync: not key": "box/test_home_copy.py",
    "cli/practice.py bot: report is None and (not stdio)": "practice/test_other_program.py",
    (
        "cli/serving.py _check_libraries: "
        "any((find_spec(library) is None for library in ('starlette', 'uvicorn')))"
    ): ("the development environment has them"),
    "cli/serving.py box: cannot be written:": "it takes a bad disk",
    "cli/serving.py listen: ": "test_ports.py",
    "cli/serving.py web: ": "web/test_site.py",
}
WATCHING_ELSEWHERE = {
    "service/box_letters.py _put_once: cannot be written: ... ; letters wait": "box/test_judge.py",
    "service/box_posts.py _remove_taken: cannot be written: ... ; the judge needs to remove posts there": (
        "box/test_judge.py"
    ),
    "service/box_posts.py box_trouble: club.clock() - alive.time > SILENT": "box/test_judge.py",
    "service/box_posts.py box_trouble: alive.refused is not None and timedelta(0) <= club.clock() - "
    "alive.refused < RETURN": "box/test_judge.py",
    "service/doctor.py _box: (own := read_table(box.folder).url) != box.url": "box/test_judge.py",
}
