"""What the desk says of many files of several players and games, told whole; what it tries and sets apart."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest

from pbem.errors import ConfigError, LedgerError
from pbem.judge.agenda import Agenda
from pbem.judge.book import MissingReceipt, await_receipts, check_rows, read_claims
from pbem.judge.cache import Recent
from pbem.judge.game_status import status_lines
from pbem.judge.intake import desk, quarantine
from pbem.judge.newgame import new_game
from pbem.judge.tables.note_tables import RESTORED
from pbem.trust import ledger
from pbem.trust.chance import Chain, Reveal, make_chain
from pbem.trust.entries import Received, Refused, Revealed
from pbem.trust.faults import SealFault
from pbem.trust.orderfile import LateReveal, Seen
from pbem.trust.player_statements import Join
from pbem.trust.sealing import seal, seal_key
from tests.judge.every_game import run_pass
from tests.judge.table import GAME, SEATS, TITLE, Table, join_of
from tests.kept import as_kept, plain
from tests.trust.sealed import orders_for, seal_late_reveal, seal_orders

KEPT = Path(__file__).parent / "golden"
LATE = "late"
"""A game beside the table's own in which reveals come after the close; bob has no share in its dice."""


class Counter(list[str]):
    """Hands in files, and keeps what is said of them."""

    def __init__(self, table: Table) -> None:
        self.table, self.club = table, table.club
        self.chains = {GAME: table.people["alice"].chain, LATE: make_chain(LATE, "alice.1", b"l" * 32)}
        seats: dict[str, str | Join] = {side: name for name, side in SEATS.items()}
        joined = join_of(LATE, "alice", table.people["alice"].key, self.chains[LATE].anchor)
        late = seats | {SEATS["alice"]: joined}
        new_game(self.club, LATE, TITLE.name, TITLE.excerpt or {}, late, "after-close")

    def orders(self, game: str, name: str, number: int = 0, **changed: object) -> bytes:
        """Somebody's orders for an exchange, by default the last."""
        chain: Chain | None = self.table.people[name].chain if game == GAME else None
        made = orders_for(self.club.book(game), name, chain, number, **changed)
        return seal_orders(made, self.table.people[name].key)

    def reveal(self, game: str, name: str, number: int = 0) -> bytes:
        """Somebody's reveal, sent alone; all have alice's chain."""
        book = self.club.book(game)
        number = number or len(book.history.exchanges)
        exchange = book.history.exchanges[number - 1]
        size, chain = exchange.closed_at or book.size, self.chains[game]
        seen, step = Seen(size, book.head_at(size) or ""), Reveal(f"{name}.1", number, chain.reveal(number))
        late = LateReveal(game=game, exchange=number, player=name, seen=seen, reveal=step)
        return seal_late_reveal(late, self.table.people[name].key, exchange.seals[name])

    def hand_in(self, what: str, raw: bytes) -> None:
        """One thing that is handed in."""
        self.append(f"{what}:")
        for one in desk.submit(self.club, raw):
            names = ("is_accepted", "new", "is_signed", "is_elsewhere")
            marks = [name for name in names if getattr(one, name)]
            whose = f"{one.player} ({one.person}) in {one.game}" if one.player else "nobody"
            self.append(f"  {whose}, {' '.join(marks) or 'refused'}: {one.text} {one.apart}".rstrip())

    def run(self) -> None:
        """A pass; then where each game stands, and how far its ledger goes."""
        self.extend(f"pass: {done.game}: {done.text}" for done in run_pass(self.club))
        self.extend(f"stands: {line}" for line in status_lines(self.club).values())
        self.extend(f"ledger: {game} {size}" for game, (size, _) in self.club.store.heads().items())


@pytest.mark.ci
def test_what_the_desk_says_of_many_files_is_as_it_was(table: Table) -> None:
    at, store = Counter(table), table.club.store
    at.run()
    early = {(game, name): at.orders(game, name, rev=3) for game in (GAME, LATE) for name in SEATS}
    at.hand_in("a reveal in a game where it is in the orders", at.reveal(GAME, "alice"))
    at.hand_in("a reveal before the close", at.reveal(LATE, "alice"))
    for game in (GAME, LATE):
        for name in SEATS:
            first = Seen(2, at.club.book(game).head_at(2) or "")
            at.hand_in(f"orders of {name} for {game}", sealed := at.orders(game, name, seen=first))
            at.hand_in("the same", sealed)
            at.hand_in("the same text, sealed anew", at.orders(game, name, seen=first))
        at.hand_in("the number again, with other words", other := at.orders(game, "alice", body="card 1\n"))
        at.hand_in("what was refused", other)
        at.hand_in("a later one", at.orders(game, "alice", rev=2, body="card 1\n"))
        size = at.club.book(game).size
        at.hand_in("of a longer ledger", at.orders(game, "bob", rev=2, seen=Seen(size + 1, "a" * 64)))
        at.hand_in("of this very ledger", at.orders(game, "bob", rev=4))
    at.append(f"claims: {read_claims(store)}")
    at.run()
    for name, what in (("alice", "her reveal"), ("alice", "again"), ("bob", "of who has no share")):
        at.hand_in(what, at.reveal(LATE, name))
    at.hand_in("orders while reveals are awaited", at.orders(LATE, "alice", rev=5))
    at.run()
    at.hand_in("a reveal when all is resolved", at.reveal(LATE, "alice", 1))
    at.hand_in("for the next exchange", at.reveal(LATE, "alice", 2))
    for (game, name), sealed in early.items():
        at.hand_in(f"orders of {name} for {game} that come late", sealed)
        at.hand_in("the same", sealed)
    for size in (desk.MAX_SUBMISSION_SIZE, desk.MAX_SUBMISSION_SIZE + 1):
        at.hand_in(f"{size} bytes", b"x" * size)
    for number in (2, 3):
        key = at.club.seal(GAME, number + 1, "alice")
        at.hand_in(f"for exchange {number + 1}, by its key", seal(b"orders\n", [key.recipient]))
    at.hand_in("of another club", seal(b"orders\n", [seal_key(b"s" * 32, GAME, 1, "bob").recipient]))
    own = (Received, Refused, Revealed)
    for book in map(at.club.book, (GAME, LATE)):
        at.extend(f"entry: {one.text.decode()}" for one in book.entries if isinstance(one, own))
    with store.step():
        number = at.club.book(GAME).history.received_of("bob") + 1
        await_receipts(store, GAME, [MissingReceipt("bob", f"{GAME}-receipt-{number:04d}.txt", "ab")])
    at.hand_in("in place of what was receipted before a restore", at.orders(GAME, "bob"))
    with store.step():
        await_receipts(store, GAME, [])
        store.put_note(RESTORED, "2026-01-02")
    at.hand_in("after a restore", at.orders(GAME, "bob"))
    with store.step():
        store.put_note(RESTORED, "")
        store.connection.execute("UPDATE entry SET text = x'00' WHERE game = 'late' AND number = 3")
    table.reopen()
    at.club = table.club
    at.hand_in(
        "for a ledger that was changed, and one that was not",
        b"\n".join((table.sealed("bob"), b"words", table.sealed("alice"))),
    )
    at.run()
    rows = at.club.store.db.query("SELECT done, result FROM incoming ORDER BY id")
    at.extend(f"kept: {row['done']} {row['result']}" for row in rows)
    at.extend(f"letter: {letter.player} {letter.name}" for letter in at.club.store.letters())
    as_kept(KEPT / "desk.txt", re.sub(r"(?<=-copy-)\w+", "(a hash)", plain("\n".join(at))) + "\n")


def test_keys_are_tried_in_an_order_and_not_without_end(table: Table) -> None:
    """Hinted games first, each lot by its newest exchanges; last what is far in games hinted at."""
    two = ("alice", "bob")
    agendas = {
        "a": Agenda("a", exchange=9, players=two),
        "b": Agenda("b", exchange=2, players=("carol",)),
        "c": Agenda("c", first=5, players=two, over=True),
        "d": Agenda("d", exchange=4, first=3, players=("dora",)),
    }
    at = desk.Desk(table.club, agendas)
    assert at.most == 500

    def tried(*hints: list[str]) -> list[str]:
        return [f"{key.game}{key.exchange}{key.player[0]}" for key in at.keys(at.search(hints))]

    others = ["a9a", "a9b", "b2c", "c7a", "c7b", "d4d", "a8a", "a8b", "b1c", "c6a", "c6b", "d3d", "a7a",
              "a7b", "c5a", "c5b"]  # fmt: skip
    assert tried() == others
    hinted = ["d4d", "c7a", "c7b", "d3d", "c6a", "c6b", "c5a", "c5b", "b2c", "b1c"]
    rest = [key for key in others if key[0] == "a"]
    ahead = [f"{game}{number}{who}" for game, last, who in (("b", 2, "c"), ("d", 4, "d"))
             for number in range(last + 1, last + 21)]  # fmt: skip
    behind = [f"c{number}{who}" for number in (4, 3, 2, 1) for who in "ab"] + ["d2d", "d1d"]
    assert tried(["d", "x", "c", "d"], ["c", "b"]) == hinted + rest + ahead + behind
    search = at.search([["d", "c", "b"]])
    search.left = len(hinted + rest + ahead) + 5
    assert len(list(at.keys(search))) == len(hinted + rest + ahead) + 4, "no fault for want of old exchanges"
    search = at.search()
    for left, enough in ((len(others), True), (len(others) - 1, False)):
        search.left = left
        if enough:
            assert len(list(at.keys(search))) == left
        else:
            with pytest.raises(SealFault, match="did not find its game"):
                list(at.keys(search))
        assert search.left == 0
    many = {f"g{number}": Agenda(f"g{number}", exchange=9, players=two) for number in range(42)}
    for size, most in ((41, 500), (42, 504)):
        assert desk.Desk(table.club, dict(list(many.items())[:size])).most == most


def test_what_is_set_apart_waits_ever_longer_and_can_be_given_up(table: Table) -> None:
    club, clock = table.club, table.clock
    for name in ("7", "8"):
        club.store.add_incoming("2026-01-01T12:00:00Z", b"bytes", "")
        quarantine.put_back(club, quarantine.FILE, name)
    waits = []
    for _ in range(5):
        one = quarantine.set_apart(club, quarantine.GAME, "x", ValueError("two\n lines"))
        assert one == quarantine.find(club, "x")
        begun = clock.now
        for hours in (1 / 6, 1, 6, 24):
            clock.now = begun + timedelta(hours=hours) - timedelta(seconds=1)
            paused = quarantine.is_paused(club, quarantine.GAME, "x")
            clock.now = begun + timedelta(hours=hours)
            if paused and not quarantine.is_paused(club, quarantine.GAME, "x"):
                waits.append((one.tries, hours, one.since, one.why))
                break
    why = "a fault in the program (ValueError: two lines)"
    since = "2026-01-01T12:00:00Z"
    assert waits == [(n, h, since, why) for n, h in enumerate((1 / 6, 1, 6, 24, 24), 1)]
    for _ in range(3):
        quarantine.set_apart(club, quarantine.MAIL, "m", LedgerError("of\n words"))
    told = [one.text for one in quarantine.all_apart(club)]
    quarantine.set_apart(club, quarantine.FILE, "1", "in words")
    told += [quarantine.find(club, "1").text, quarantine.in_words(ValueError("w" * 400))]
    for _ in range(2):
        told.append(str(quarantine.is_paused(club, quarantine.FILE, 1)))
        quarantine.try_again(club, quarantine.find(club, "1"))
    with quarantine.by_itself(club, quarantine.LEAGUE, "l") as wrong:
        int("gone")
    told += [f"{one.kind} {one.name} {one.tries}" for one in (*wrong, quarantine.find(club, "l"))]
    with pytest.raises(ConfigError, match="disk"), quarantine.by_itself(club, quarantine.LEAGUE, "l"):
        raise ConfigError("disk")
    assert quarantine.is_apart(club, quarantine.LEAGUE, "l")
    with quarantine.by_itself(club, quarantine.LEAGUE, "l") as wrong:
        pass
    assert wrong == []
    for name in ("x", "m", "1", "nobody"):
        try:
            quarantine.drop(club, quarantine.find(club, name))
        except ConfigError as fault:
            told.append(str(fault))
    told += [one.name for one in quarantine.all_apart(club)]
    as_kept(KEPT / "apart.txt", "\n".join(told) + "\n")


def test_files_whose_pause_is_over_are_looked_at_again(table: Table) -> None:
    for _ in range(3):
        desk.submit(table.club, b"nothing")
    for name in (1, 2):
        quarantine.set_apart(table.club, quarantine.FILE, name, "once")
        table.clock.now += timedelta(minutes=6)
    quarantine.set_apart(table.club, quarantine.GAME, 3, "once")
    for seconds, waiting in ((-121, []), (1, [1]), (359, [1]), (1, [1, 2])):
        table.clock.now += timedelta(seconds=seconds)
        quarantine.wake_files(table.club)
        assert [row.id for row in table.club.store.waiting()] == waiting


def test_what_was_asked_for_longest_ago_is_forgotten_first() -> None:
    kept = Recent[int](most=2)
    for name, number in (("a", 1), ("b", 2), ("a", 3)):
        kept.put(name, number)
    kept.put("c", 4)
    assert [kept.get(name) for name in "abc"] == [3, None, 4]
    assert kept.get("a") == 3
    kept.put("d", 5)
    kept.forget("x")
    assert [kept.get(name) for name in "acd"] == [3, None, 5]
    kept.forget("d")
    assert [kept.get(name) for name in "ad"] == [3, None]


def test_what_weighs_more_leaves_less_room() -> None:
    """The ledgers of many short games are kept, of long ones a few; the last is kept whatever it weighs."""
    kept = Recent[str](most=10)
    for name, weight in (("a", 3), ("b", 4), ("c", 3), ("a", 2), ("d", 3)):
        kept.put(name, name, weight)
    assert [name for name in "abcd" if kept.get(name)] == ["a", "c", "d"], "b was put in longest ago"
    kept.put("e", "e", 99)
    assert [name for name in "abcde" if kept.get(name)] == ["e"]
    kept.forget("e")
    kept.put("f", "f", 10)
    kept.put("g", "g", 0)
    assert kept.get("f")


Change = Callable[[list[dict[str, object]]], object]
CHANGED: dict[str, Change] = {
    "the ledger of demo is empty": lambda rows: rows.clear(),
    "entry 2 of demo is missing": lambda rows: rows.pop(1),
    "entry 3 of demo was changed": lambda rows: rows[2].update(text=b"x"),
    "entry 2 of demo was changed": lambda rows: rows[1].update(salt="0" * 64),
    "entry 1 of demo was changed": lambda rows: rows[0].update(leaf="0" * 64),
    "the head at entry 3 of demo": lambda rows: rows[2].update(head="0" * 64),
    "ends at entry 4, yet a head of {last} entries was signed": lambda rows: rows.__delitem__(slice(4, None)),
}
"""What is wrong with a ledger in the database, by the words for it."""


def test_a_ledger_that_is_not_as_it_was_written_is_refused(table: Table) -> None:
    table.go()
    rows, signed = table.club.store.entries(GAME), table.club.store.checkpoints(GAME)
    roots, last = table.club.roots(GAME), max(row.size for row in signed)
    check_rows(GAME, rows, signed, roots)
    for words, change in CHANGED.items():
        changed = [row._asdict() for row in rows]
        change(changed)
        with pytest.raises(LedgerError, match=words.format(last=last)):
            check_rows(GAME, [type(rows[0])(**row) for row in changed], signed, roots)
    for number, words in (
        (last, "up to {last} was changed after its head was signed"),
        (last + 1, "yet a head of {more} entries was signed"),
    ):
        other = [signed[-1]._replace(size=number, head=ledger.EMPTY_HEAD)]
        with pytest.raises(LedgerError, match=words.format(last=last, more=last + 1)):
            check_rows(GAME, rows[:last], other, roots)
