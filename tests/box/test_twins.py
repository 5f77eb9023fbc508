"""Two worlds that one side cannot tell apart: the box gives everybody else the same bytes but for ciphertext.

In one of them alice has ordered something else. What bob and strangers are answered has the same bytes but
for what is sealed, and the same size; so have the names and sizes of all files in the box. A page that is
sealed beside a letter is left out: it was filled up to one size, and what seals it adds up to 99 bytes at
random.
"""

from __future__ import annotations

import re
import signal
from contextlib import closing
from pathlib import Path

import pytest

from tests.box.judged import Judged, make_judged
from tests.box.served import STRANGER, ServedBox, free_port
from tests.judge.press import message_of, sealed_message

ARMOR = re.compile(rb"-----BEGIN AGE ENCRYPTED FILE-----.*?-----END AGE ENCRYPTED FILE-----", re.DOTALL)
SEALED_PAGE = re.compile(rb"Content-Disposition: attachment; filename=\"[^\"]*age\".*?--=_", re.DOTALL)
LENGTHS = re.compile(rb"content-length: \d{4,}")
"""The length of an answer with sealed pages in it."""
MARKS = re.compile(rb"\.id[0-9a-f]{16}|copy-[0-9a-f]{12}")
"""Hashes of ciphertext."""


def without_ciphertext(data: bytes) -> bytes:
    """The bytes with as many x in the place of each ciphertext, and without sealed pages."""
    for pattern in (ARMOR, MARKS):
        data = pattern.sub(lambda found: b"x" * len(found[0]), data)
    return SEALED_PAGE.sub(b"", data)


def world(folder: Path, body: str) -> Judged:
    """A game in which alice has ordered this."""
    judged = make_judged(folder)
    judged.run()
    for orders in ("", body):
        judged.post(judged.table.sealed("alice", orders), judged.table.people["alice"].key.public)
        judged.run()
        judged.post(judged.table.sealed("bob"), judged.table.people["bob"].key.public)
        judged.run()
    return judged


def talking(folder: Path, *, talks: bool) -> Judged:
    """A table of three at which alice and carol write to each other, or nobody writes."""
    judged = make_judged(folder, title="lords", players=3)
    judged.settle('[press]\nkind = "grey"')
    judged.run()
    table = judged.table
    for writer, to in (("alice", "carol"), ("carol", "alice")) if talks else ():
        for kind in ("white", "grey"):
            message = message_of(table, writer, to, "Against bob?\n", kind=kind)
            judged.post(sealed_message(table, message), table.people[writer].key.public)
        judged.run()
    judged.post_orders("alice", "bob", "carol")
    judged.run()
    return judged


def answers(judged: Judged) -> list[tuple[int, bytes]]:
    """What the served box answers to bob, to a stranger and to a glance: status, and bytes."""
    box = ServedBox(judged.path, free_port())
    text = (judged.path / "table.json").read_text().replace("https://box.club.example/", box.url)
    (judged.path / "table.json").write_text(text)
    box.start()
    try:
        bob = judged.table.people["bob"].key
        found = [box.fetch(bob), box.fetch(STRANGER), box.ask("GET", "/health", None)]
        mails = [b"%d %s" % (number, mail) for answer in found[:2] for number, mail in answer.mails]
        heads = [LENGTHS.sub(b"", answer.head) for answer in found]
        return [(answer.status, head) for answer, head in zip(found, heads, strict=True)] + [
            (0, without_ciphertext(mail)) for mail in mails
        ]
    finally:
        box.stop(signal.SIGKILL)


@pytest.mark.ci
def test_nobody_else_is_answered_otherwise_when_one_side_orders_something_else(tmp_path: Path) -> None:
    told = []
    for name, body in (("one", ""), ("other", "# a remark of alice's, which nobody else sees\n" * 3)):
        judged = world(tmp_path / name, body)
        with closing(judged.table.club.store):
            names = sorted(path.name for path in judged.path.rglob("*.eml"))
            sizes = {
                who: [len(without_ciphertext(mail)) for mail in judged.letters(who).values()]
                for who in judged.table.people
            }
            told.append((names, sizes, answers(judged)))
    assert told[0] == told[1]
    assert any(b"xxxx" in data for _, data in told[0][2])


@pytest.mark.ci
def test_nobody_else_is_answered_otherwise_when_two_write_to_each_other(tmp_path: Path) -> None:
    told, came = [], []
    for talks in (False, True):
        judged = talking(tmp_path / str(talks), talks=talks)
        with closing(judged.table.club.store):
            came.append(len(judged.letters("carol")))
            sizes = [len(without_ciphertext(mail)) for mail in judged.letters("bob").values()]
            told.append((list(judged.letters("bob")), sizes, answers(judged)))
    assert told[0] == told[1]
    assert came[1] == came[0] + 4, "two messages, and two receipts"
