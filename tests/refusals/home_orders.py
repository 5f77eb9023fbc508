"""What the home of a player refuses to sign: orders, reveals, consents, new keys, claims."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from types import SimpleNamespace
from unittest.mock import patch

from pbem.player import Home
from pbem.practice.table import Table
from pbem.reports.base import Context
from pbem.reports.packing import pack_view
from pbem.trust.act_entries import PUT_AWAY
from pbem.trust.entries import AFTER_CLOSE, Open
from tests.judge.table import SEATS, TITLE
from tests.player.judge import GAME, Judge
from tests.player.tools import folder, told
from tests.refusals.clauses import Row
from tests.refusals.homes import JOINED, KEYS, Do, at, made

# -- orders


def seals(words: str, last: int = 0, **options: str) -> Callable[[], object]:
    """A draft whose head says this."""
    return at(lambda alice, _: alice.seal(f"pbem1 orders\n{words}\n---\n", **{"game": GAME, **options}), last)


def after(change: Callable[[Judge], object], do: Callable[[Home], object]) -> Callable[[], object]:
    """The ledger has gone on, and the home knows."""

    def door(alice: Home, judge: Judge) -> object:
        change(judge)
        alice.receive(judge.mail(judge.notice(1, since=2)).encode())
        return do(alice)

    return at(door)


def ended(judge: Judge) -> None:
    judge.close(1)
    judge.add(judge.resolution(1))


def bare(alice: Home) -> object:
    return alice.seal(None, game=GAME)


def with_another_key(alice: Home, _: Judge) -> object:
    for name in ("alice", "alice.pub"):
        (alice.path / "keys" / name).unlink()
    home = Home(alice.path)
    home.keygen("alice")
    return bare(home)


def before_the_new_key_counts(alice: Home, _: Judge) -> object:
    """Her key is lost, and another is entered that counts later."""
    for name in ("alice", "alice.pub"):
        (alice.path / "keys" / name).unlink()
    later = SimpleNamespace(starts=9, fingerprint="SHA256:new")
    with patch("pbem.play.seats.Seats.newest", return_value=later):
        return bare(Home(alice.path))


def without_key(alice: Home, _: Judge) -> object:
    """Her key is lost, and no other is entered."""
    (alice.path / "keys/alice").unlink()
    return bare(Home(alice.path))


def without_secret(alice: Home, _: Judge) -> object:
    (folder(alice) / "chain-secret").unlink()
    return bare(alice)


def without_chain(alice: Home, _: Judge) -> object:
    """A game in which she has no chain, and the exchange is closed."""
    judge = Judge(mode=AFTER_CLOSE)
    judge.joins = dict(made().stage(0).joins)
    judge.joins["alice"] = replace(judge.joins["alice"], anchor=None)
    judge.begin()
    judge.close(1)
    told(judge, 0, alice)
    return alice.reveal(GAME)


def open_still(alice: Home, _: Judge) -> object:
    judge = Judge(mode=AFTER_CLOSE)
    judge.begin(*made().joins.values())
    told(judge, 0, alice)
    return alice.reveal(GAME)


ORDERS = (
    Row("these orders are for the game dunbar, not for hearth", seals("game dunbar")),
    Row("you play hearth as alice, not as bob", seals("", player="bob")),
    Row("these orders are for south; you play north in hearth", seals("side south")),
    Row("the invitation to hearth has not been received here", seals("", JOINED)),
    Row("these orders are for exchange 1, which is over; hearth is at exchange 2", seals("exchange 1", 1)),
    Row("exchange 1 of hearth is closed: it is too late for", after(lambda judge: judge.close(1), bare)),
    Row("no exchange is open: the ledger of hearth", after(ended, bare)),
    Row(
        "the key SHA256:new counts from exchange 9 on; until then what you sent before goes on",
        at(before_the_new_key_counts),
    ),
    Row("only its public half: put a copy of it back", at(without_key)),
    Row("the key alice is no longer the one that you joined hearth with", at(with_another_key)),
    Row("the secret of your chain is missing", at(without_secret)),
    Row("in hearth your orders hold the reveal; pbem seal puts", at(lambda alice, _: alice.reveal(GAME))),
    Row("exchange 1 of hearth is not closed in your ledger", at(open_still, JOINED)),
    Row("you have no chain that counts in exchange 1", at(without_chain, KEYS)),
)

# -- drafts

PRACTICE = Table(TITLE.name, dict(TITLE.excerpt or {}), 3, {side: name for name, side in SEATS.items()}, GAME)
SIDE, OTHER = PRACTICE.sides[:2]


def checks(words: str, report: Callable[[], str]) -> Callable[[], object]:
    draft = f"pbem1 orders\n{words}\n---\n".encode()
    return at(lambda alice, _: alice.check(draft, report=report().encode()), KEYS)


def to_everybody() -> str:
    seen = PRACTICE.last.seen["public"]
    return PRACTICE.setting.style.report("public", seen.after, seen.after, seen.told, (), Context(game=GAME))


def headless() -> str:
    return "\n".join(["What happened", *pack_view({"game": TITLE.name}), ""])


UNKNOWN = "this report is not for a player of a game that this program knows"
DRAFTS = (
    Row("orders have 1,048,576 at most", at(lambda alice, _: alice.seal(b"x" * 1_048_577), KEYS)),
    Row("the file is utf-16; save it again", at(lambda alice, _: alice.seal("ask".encode("utf-16")), KEYS)),
    Row(UNKNOWN, checks("", headless)),
    Row(UNKNOWN, checks("", to_everybody)),
    Row(
        f"these orders are for {OTHER}, and the report is to {SIDE}",
        checks(f"side {OTHER}", lambda: PRACTICE.report(SIDE)),
    ),
    Row(
        "these orders are for exchange 2; your report asks for orders for exchange 4",
        checks("exchange 2", lambda: f"{PRACTICE.report(SIDE)}\npbem1 orders\nexchange 4\n---\n"),
    ),
    Row("you play no game called dunbar", at(lambda alice, _: alice.check(b"ask\n", game="dunbar"))),
)

# -- what else is signed


def consents(words: str, lost: int = 0) -> Callable[[], object]:
    """To a game's being put away; HEAD is the judge's first one."""

    def do(alice: Home, judge: Judge) -> object:
        words_here = f"{PUT_AWAY} {words}".strip().replace("HEAD", judge.heads[0])
        return alice.consent(GAME, 1, "alice", words_here, lost=lost)

    return at(do)


def names(head: str, game: str) -> Do:
    """A consent names a game by this head."""
    return lambda alice, _: alice.consent(game, 1, "alice", "x", genesis=head)


def joined_without(alice: Home, _: Judge) -> object:
    (folder(alice) / "join.txt").unlink()
    return alice.join(GAME, player="alice", judge=None)


def nothing_to_show(alice: Home, _: Judge) -> object:
    (folder(alice) / "chain-secret").unlink()
    return alice.sheet(GAME, 1, 2)


def claims(of: str) -> Do:
    return lambda alice, _: alice.claim(GAME, of)


def gives_time(to: str = "extend 2026-11-29T18:00:00Z") -> Callable[[Home], object]:
    return lambda alice: alice.consent(GAME, 1, "alice", to)


def more_time(alice: Home) -> object:
    return alice.more_time(GAME)


def endless(judge: Judge) -> None:
    """The open exchange has no deadline."""
    judge.close(1)
    judge.add(judge.resolution(1))
    seals = tuple((name, judge.seal_key(2, name).recipient) for name in ("alice", "bob"))
    judge.add(Open(exchange=2, rules="0" * 64, seals=seals))


NO_ORDERS = "no exchange of hearth waits for orders in your ledger"
OPEN = "no exchange of hearth is open in your ledger of the game"
HEADS = f"name the judge's head at which hearth is put away: {PUT_AWAY} SIZE HEAD"
SIGNED = (
    Row(
        "the orders do not say for which game; you play: none yet",
        at(lambda alice, _: alice.only_game(), KEYS),
    ),
    Row(
        "name the judge that gets it: --judge",
        at(lambda alice, _: alice.absent("alice", "2026-08-01", "2026-08-09"), KEYS),
    ),
    Row(OPEN, at(claims("bob"), JOINED)),
    Row(OPEN, after(ended, lambda alice: alice.claim(GAME, "bob"))),
    Row("nora is not your opponent in hearth; you play against bob", at(claims("nora"))),
    Row("a game can be claimed after", at(claims("bob"))),
    Row(NO_ORDERS, at(lambda alice, _: more_time(alice), JOINED)),
    Row(NO_ORDERS, after(ended, more_time)),
    Row(NO_ORDERS, after(endless, more_time)),
    Row("is closed; nobody can move that to", after(lambda judge: judge.close(1), gives_time())),
    Row("is open until 2026-11-28", at(lambda alice, _: gives_time("extend 2026-11-28T18:00:00Z")(alice))),
    Row("you have no chain in hearth, so there is nothing to reveal", at(nothing_to_show)),
    Row("the first head of hearth is", at(names("5" * 64, GAME))),
    Row("name the game by the head of its first entry", at(names("x", "dunbar"), KEYS)),
    Row(HEADS, consents("1")),
    Row(HEADS, consents("one HEAD")),
    Row(HEADS, consents("1 head")),
    Row("ends at entry 2, and the judge's at 3: receive their letters first", consents("3 HEAD")),
    Row("if the judge has signed that head, there are two histories", consents("2 HEAD")),
    Row("are lost, not 0; to consent to that, add --lost 1", consents("1 HEAD")),
    Row("you already play hearth, without a chain of your own", at(joined_without)),
    Row(
        "you play hearth as alice; this home makes no chain of bob",
        at(
            lambda alice, judge: alice.rotate(
                GAME, 1, "bob", "alice", chain=2, old=judge.joins["bob"].key.fingerprint
            )
        ),
    ),
    Row(
        "name the key that is replaced: --old-fingerprint",
        at(lambda alice, _: alice.rotate("dunbar", 1, "nora", "alice", genesis="a" * 64), KEYS),
    ),
)
_ORDERING = "player/outgoing/ordering.py"
ELSEWHERE = {
    "player/faults.py reading_position: the part for programs of this report cannot be read ( ... ): it is "
    "damaged, or no honest program wrote it; read the report itself, and write your orders as "
    "text": "player/test_positions.py",
    "player/incoming/letters_in.py _new_entries: in it cannot be read:": "player/test_unreadable.py",
    "player/keyring.py borrow: key.public.blob != public.blob": "player/test_web.py",
    f"{_ORDERING} seal_reveal: nothing is revealed:": "what leaves is asked once more, and was right before",
    f"{_ORDERING} leaving_step: known is None": "whatever chain is in force has an anchor",
    **dict.fromkeys(
        (
            "player/incoming/letters_in.py take_letter: lie and kept is None and (letter.exchange == 0)",
            (
                "player/incoming/letters_in.py contradiction_of_report: "
                "(count := len(letter.addresses.copies)) > opponents"
            ),
        ),
        "disputes/test_positions.py plays whole games for it",
    ),
}
"""Clauses that nobody can reach -> why they stand there."""

ROWS = (*ORDERS, *DRAFTS, *SIGNED)
