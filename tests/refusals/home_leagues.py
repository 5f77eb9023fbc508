"""What the home of an entrant refuses: a league's letters and receipts, answers to calls, games drawn."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable
from copy import copy
from dataclasses import replace
from datetime import timedelta
from functools import cache
from pathlib import Path

from pbem.leagues.entries import LeagueGenesis, Opened, RoundOver
from pbem.leagues.model import Seat
from pbem.player import files
from pbem.player.home import Home
from pbem.player.store.game_papers import SignedReceipt
from pbem.trust.entries import Close, Enrolled, Entry, Open
from pbem.trust.identifiers import Namespace
from pbem.trust.ledger import Receipt, sign_statement
from pbem.trust.signature import sign_text
from tests.conftest import chance
from tests.leagues.test_player import LEDGER, Table, judges_letter
from tests.leagues.test_receipts import paper, sealed_to
from tests.leagues.world import START, key_of
from tests.player.judge import Judge
from tests.refusals.clauses import Row

Do = Callable[[Table], object]


@cache
def _place() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory()


@cache
def _made() -> Table:
    """A league whose first call is open; only ann's home may be changed, in a copy."""
    with chance.of("a league that is refused"):
        return Table(Path(_place().name))


def at(do: Do) -> Callable[[], object]:
    """Something in ann's home, when the first call is open."""

    def door() -> object:
        with tempfile.TemporaryDirectory() as place:
            table = copy(_made())
            table.home = Home(shutil.copytree(table.home.path, Path(place, "ann")), clock=table.world.clock)
            return do(table)

    return door


def comes(text: Callable[[Table], bytes]) -> Callable[[], object]:
    return at(lambda table: table.home.receive(text(table)))


def beginning(text: Callable[[Table], bytes]) -> Callable[[], object]:
    """A letter comes to a home that has had none."""

    def do(table: Table) -> object:
        forgotten(table)
        return table.home.receive(text(table))

    return at(do)


def forgotten(table: Table) -> None:
    (table.league.path / "ledger.txt").unlink()
    shutil.rmtree(table.league.path / "held")
    shutil.rmtree(table.league.path / "said")


def entries(table: Table) -> list[Entry]:
    return list(table.world.book.entries)


def odd(table: Table) -> bytes:
    text = f"pbem1 report\ngame {LEDGER}\nexchange 0\n---\nhello\n".encode()
    return sealed_to(table.home, "ann", sign_text(table.world.club.key, Namespace.REPORT, text))


def said(entry: int) -> Callable[[Table], bytes]:
    """A receipt of the judge's for what ann is to have said in an entry."""
    return lambda table: sealed_to(table.home, "ann", paper(table.world.club.key, entry=entry))


def two_said(table: Table) -> object:
    for number in "56":
        receipt = paper(table.world.club.key, entry=900, said=number * 64)
        table.home.receive(sealed_to(table.home, "ann", receipt))
    return None


def of_another(table: Table) -> bytes:
    genesis, *others = entries(table)
    assert isinstance(genesis, LeagueGenesis)
    return judges_letter(table, [replace(genesis, game="league.other"), *others])


def begun_anew(table: Table) -> bytes:
    genesis, *others = entries(table)
    assert isinstance(genesis, LeagueGenesis)
    return judges_letter(table, [replace(genesis, at=START - timedelta(days=1)), *others])


def early(table: Table) -> bytes:
    call = table.world.book.season.call
    assert call is not None
    return table.lie(replace(call.opened, exchange=30))


LETTERS = (
    Row("the report is not written as its format demands; the judge", comes(odd)),
    Row("this letter is for ben", comes(lambda table: judges_letter(table, entries(table), player="ben"))),
    Row(
        "a mail whose first line is 'resend cup' brings all",
        comes(lambda table: judges_letter(table, [RoundOver(round=1, at=START)], after=20)),
    ),
    Row("entry 5: call 2 must be opened next", comes(early)),
    Row("entry 1 does not come", beginning(lambda table: judges_letter(table, entries(table), opened=()))),
    Row("the ledger does not begin", beginning(lambda table: judges_letter(table, entries(table)[1:]))),
    Row("the ledger does not begin as that of league.cup", beginning(of_another)),
    Row("this is the ledger of another league called league.cup, whose first head is", beginning(begun_anew)),
    Row("by a receipt, entry 1 of league.cup is what ann said", comes(said(1))),
    Row("the judge has given two receipts for entry 900", at(two_said)),
    Row("by a receipt, entry 3 of league.cup is what ann said", comes(said(3))),
)

# -- answers


def answers(text: Callable[[Table], bytes] | None = None, *, anew: bool = False) -> Callable[[], object]:
    """Ann answers, when a letter has come; `anew`: to a home that has had none."""

    def do(table: Table) -> object:
        if anew:
            forgotten(table)
        if text is not None:
            table.home.receive(text(table))
        return table.league.reply()

    return at(do)


def unasked(table: Table) -> bytes:
    *before, opened = entries(table)
    assert isinstance(opened, Open)
    return judges_letter(table, [*before, replace(opened, seals=opened.seals[1:])])


def damaged(change: Callable[[bytes], bytes]) -> Callable[[], object]:
    def do(table: Table) -> object:
        path = table.league.path / "ledger.txt"
        path.write_bytes(change(path.read_bytes()))
        return table.league.reply()

    return at(do)


NO_CALL = "the judge has called for nothing in league.cup yet"
ANSWERS = (
    Row(NO_CALL, answers(anew=True)),
    Row(NO_CALL, answers(lambda table: judges_letter(table, entries(table)[:1]), anew=True)),
    Row("call 1 of league.cup does not ask ann", answers(unasked, anew=True)),
    Row("call 1 of league.cup is closed", answers(lambda table: table.lie(Close(exchange=1, at=START)))),
    Row("you have entered cup from here; pbem league", at(lambda table: table.home.league("other").reply())),
    Row("here, not SHA256:x", at(lambda table: table.league.judge_and_genesis("SHA256:x", ""))),
    Row("here, not 555", at(lambda table: table.league.judge_and_genesis("", "5" * 64))),
    Row("is damaged: entry 1 does not fit its leaf", damaged(lambda data: data[:7] + b"0" * 64 + data[71:])),
    Row("ledger.txt is damaged: its line 3 is", damaged(lambda data: data.replace(b"leaf 2", b"leaf 3"))),
)

# -- games that a league has drawn


def begins(table: Table, *, own: bool = True, call: int = 1, **enrolled: object) -> object:
    """The judge's letter with a game that a call has drawn; `own`: of the league's judge."""
    seating = table.world.book.season.calls[0].seating
    assert seating is not None
    ((anchor, secret),) = seating.games
    judge = Judge(game="cup-r1-1", key=table.world.club.key if own else key_of("another judge"))
    ann = Enrolled(name="ann", fingerprint=table.key.fingerprint, side="north", **enrolled)  # type: ignore[arg-type]
    ben = replace(ann, name="ben", side="south", anchor=None, chain=0, share=None)
    judge.add(
        replace(
            judge.genesis(), drawn=(LEDGER, call), anchor=anchor, secret_anchor=secret, players=(ann, ben)
        )
    )
    letter = replace(judge.letter(0), player="ann")
    return table.home.receive(sealed_to(table.home, "ann", judge.signed(letter)))


def left_out(table: Table) -> object:
    receipt = Receipt(game=LEDGER, exchange=1, player="ann", rev=1, sealed="5" * 64, number=1, echo="0" * 64)
    signed = SignedReceipt(receipt, sign_statement(receipt, table.world.club.key))
    table.league.folder.judge_statements.keep_receipt(signed)
    return begins(table)


def given_away(table: Table) -> object:
    sent = table.league._send_chain(1, 1, table.league._chain("ann.1").reveal(1))
    files.write(table.league.path / "chains/given-1-1", b"cup-r1-7\n")
    return begins(table, anchor=sent.anchor, chain=1, share=sent.share)


def named(table: Table) -> object:
    """The league's letter names another head of the game."""
    seats = (Seat(player="ann", side="north"), Seat(player="ben", side="south"))
    opened = Opened(game="cup-r1-1", head=A, about=(1, 1), seats=seats, at=table.world.clock())
    return table.home.receive(table.lie(opened))


def both(*letters: Callable[[Table], object]) -> Callable[[], object]:
    return at(lambda table: [letter(table) for letter in letters])


A = "a" * 64
TWO_GAMES = f"league.cup says that cup-r1-1 has the head {A} at entry 1, and in the game itself"
DRAWN = (
    Row("by call 2 of league.cup, which has not come here yet", at(lambda table: begins(table, call=2))),
    Row(TWO_GAMES, both(named, begins)),
    Row(TWO_GAMES, both(begins, named)),
    Row("cup-r1-1 is said to be of league.cup, whose judge is", at(lambda table: begins(table, own=False))),
    Row("leaves out the chain of ann, for which the judge has given a receipt in call 1", at(left_out)),
    Row("chain 1 of call 1 was given to cup-r1-7, and a chain is for one game", at(given_away)),
)
ROWS = (*LETTERS, *ANSWERS, *DRAWN)
