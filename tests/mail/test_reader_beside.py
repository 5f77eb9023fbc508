"""A real Dovecot beside the judge, and a reader who moves, flags and deletes there: nothing is passed over.

Whenever a look at the mailbox counts as complete, each mail that had come before it began is stored, unless
the reader has deleted it. `PBEM_READER_MAILS=10000` says how many mails the slow one delivers.
"""

from __future__ import annotations

import imaplib
import os
import random
import re
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from threading import Event, Thread
from typing import Any

import pytest

from pbem.judge.deadlines.waits_for_mail import LOOKED
from pbem.mail.club_mailbox import fetch_mail
from pbem.mail.maildir import Maildir
from pbem.mail.settings import read_settings
from pbem.trust.times import utc_text
from tests.mail.postal import Postal, mail
from tests.mail.servers import Dovecot, dovecot, needs_dovecot

FOLDERS = ("Archive", "Junk")
MARK = re.compile(rb"Message-ID: <(order-\d+)@example\.org>")
LOT = 20
"""Mails that come between two looks, while the reader goes on."""


@pytest.fixture(scope="module")
def server() -> Iterator[Dovecot]:
    with dovecot() as running:
        yield running


class Reader(Thread):
    """Somebody who does things to the judge's mail, one after another, until told to stop."""

    def __init__(self, server: Dovecot, user: str, seed: int) -> None:
        super().__init__(daemon=True)
        self.server, self.user, self.random = server, user, random.Random(seed)
        self.stops = Event()
        self.deleted: set[str] = set()
        self.deeds = {"move": 0, "flag": 0, "delete": 0}
        self.problem = ""

    def run(self) -> None:
        try:
            with imaplib.IMAP4("127.0.0.1", self.server.imap) as box:
                box.login(self.user, "secret")
                while not self.stops.is_set():
                    self.act(box)
                    time.sleep(self.random.random() / 50)
        except (OSError, imaplib.IMAP4.error, AssertionError) as problem:
            self.problem = repr(problem)

    def act(self, box: imaplib.IMAP4) -> None:
        """Look, which brings mails from new to cur, and do one thing to some of them."""
        assert box.select()[0] == "OK"
        uids = [one.decode() for one in box.uid("SEARCH", "ALL")[1][0].split()]
        if not uids:
            return
        some = self.random.sample(uids, min(len(uids), self.random.randint(1, 4)))
        deed = self.random.choices(tuple(self.deeds), weights=(10, 10, 1))[0]
        self.deeds[deed] += len(some)
        if deed == "move":
            box.uid("MOVE", ",".join(some), self.random.choice(FOLDERS))
        elif deed == "flag":
            flags = self.random.choice(("\\Seen", "\\Flagged", "\\Answered", "\\Seen \\Flagged"))
            box.uid("STORE", ",".join(some), self.random.choice("+-") + "FLAGS", f"({flags})")
        else:
            self.delete(box, some[0])

    def delete(self, box: imaplib.IMAP4, uid: str) -> None:
        parts = box.uid("FETCH", uid, "(BODY.PEEK[HEADER.FIELDS (MESSAGE-ID)])")[1]
        for part in parts:
            if isinstance(part, tuple) and (found := re.search(rb"<(order-\d+)@", part[1])):
                self.deleted.add(found[1].decode())  # before it is gone
                box.uid("STORE", uid, "+FLAGS", "(\\Deleted)")
                box.expunge()


@contextmanager
def reading(reader: Reader) -> Iterator[None]:
    reader.start()
    try:
        yield
    finally:
        reader.stops.set()
        reader.join(60)


def inbox_of(server: Dovecot, user: str, way: str) -> dict[str, Any]:
    if way == "imap":
        return server.inbox(user) | {"folders": [*FOLDERS]}
    return {"maildir": str(server.boxes / user), "folders": [*FOLDERS]}


def passed_over(postal: Postal, server: Dovecot, way: str, mails: int, seed: int) -> dict[str, Any]:
    """Let mails come in lots, look after each, and return what was passed over, with figures."""
    user = f"reader{way}{seed}"
    with imaplib.IMAP4("127.0.0.1", server.imap) as box:
        box.login(user, "secret")
        for folder in FOLDERS:
            box.create(folder)
    postal.settle(inbox=inbox_of(server, user, way))
    club = postal.table.club
    settings = read_settings(club.settings)
    assert settings is not None
    fetch_mail(club, settings)
    reader = Reader(server, user, seed)
    come: set[str] = set()
    stored: set[str] = set()
    lost: dict[str, int] = {}
    last = looks = complete = 0
    began = time.monotonic()
    with reading(reader):
        for number in range(mails):
            server.deliver(user, mail(f"orders {number}\n", Message_ID=f"<order-{number}@example.org>"))
            come.add(f"order-{number}")
            if (number + 1) % LOT and number + 1 < mails:
                continue
            before = set(come)
            postal.table.clock.now += timedelta(minutes=30)
            fetch_mail(club, settings)
            looks += 1
            rows = club.store.connection.execute("SELECT id, raw FROM incoming WHERE id > ?", (last,))
            for number_there, raw in rows.fetchall():
                last = number_there
                if found := MARK.search(raw or b""):
                    stored.add(found[1].decode())
            now = utc_text(club.clock())
            if all(club.store.note(f"{LOOKED} {one}".strip()) == now for one in ("", *FOLDERS)):
                complete += 1
                for one in before - stored - reader.deleted:
                    lost.setdefault(one, looks)
    assert reader.problem == ""
    return {
        "lost": lost,
        "looks": looks,
        "complete": complete,
        "stored": len(stored),
        "deleted unread": len(reader.deleted - stored),
        "seconds": round(time.monotonic() - began),
        **reader.deeds,
    }


def check(found: dict[str, Any]) -> None:
    assert found["lost"] == {}, found
    assert found["complete"] > found["looks"] / 2, found
    assert found["move"], found
    assert found["flag"], found


@pytest.mark.ci
@pytest.mark.imap
@needs_dovecot
@pytest.mark.parametrize("way", ["maildir", "imap"])
def test_a_reader_beside_the_judge_costs_no_orders(server: Dovecot, quiet: Postal, way: str) -> None:
    check(passed_over(quiet, server, way, 60, 1))


@pytest.mark.ci
@pytest.mark.imap
@needs_dovecot
def test_what_is_passed_over_would_be_seen(
    server: Dovecot, quiet: Postal, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The fault itself: what is not found at once counts as gone, wherever it lies by now."""
    monkeypatch.setattr(Maildir, "fetch", lambda *_: None)
    found = passed_over(quiet, server, "maildir", 20, 2)
    assert found["lost"]
    assert len(found["lost"]) + found["deleted unread"] >= 20, "one that is passed over may be deleted later"


@pytest.mark.slow
@pytest.mark.imap
@needs_dovecot
@pytest.mark.parametrize("way", ["maildir", "imap"])
def test_ten_thousand_orders_beside_a_reader(server: Dovecot, quiet: Postal, way: str) -> None:
    found = passed_over(quiet, server, way, int(os.environ.get("PBEM_READER_MAILS", "10000")), 3)
    sys.stdout.write(f"{way}: {found}\n")
    check(found)
