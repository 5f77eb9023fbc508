"""What the home of a player refuses that comes to it: letters, receipts, copies, files that were damaged."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path

import pbem.player
from pbem.player import Home
from pbem.player.store.game_papers import SignedCheckpoint
from pbem.trust import keys
from pbem.trust.chance import Reveal
from pbem.trust.entries import Other
from pbem.trust.identifiers import Namespace
from pbem.trust.ledger import Checkpoint, sign_statement
from pbem.trust.letters import ForecastLetter, OrdersCopy, ReportLetter, sign_copy, sign_forecast
from pbem.trust.player_statements import Join
from pbem.trust.rotations import GM, KeyChange, Rotation, sign_rotation
from pbem.trust.sealing import seal, to_armor
from pbem.trust.signature import sign_text
from tests.conftest import chance
from tests.player.conftest import Made, make_homes
from tests.player.judge import GAME, START, Judge
from tests.player.tools import folder
from tests.refusals.clauses import Row

Do = Callable[[Home, Judge], object]
KEYS, JOINED = -2, -1
"""Stages of a home before its game begins."""


@cache
def _place() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory()


@cache
def made() -> Made:
    """Homes to be copied."""
    with chance.of("homes that refuse"):
        return make_homes(Path(_place().name))


def at(do: Do, last: int = 0) -> Callable[[], object]:
    """Something in a home of alice's, as it is after an exchange."""

    def door() -> object:
        with tempfile.TemporaryDirectory() as place:
            alice = made().home(Path(place), "alice")
            if last == JOINED:
                made().join(alice)
            return do(alice, made().stage(last, alice) if last >= 0 else made().stage(0))

    return door


def comes(letter: Callable[[Judge], ReportLetter], last: int = 0) -> Callable[[], object]:
    """A letter of the judge's comes."""
    return at(lambda alice, judge: alice.receive(judge.mail(letter(judge)).encode()), last)


def text_comes(text: Callable[[Home, Judge], bytes]) -> Callable[[], object]:
    """A signed text comes, after the invitation."""
    return at(lambda alice, judge: alice.receive(text(alice, judge)))


# -- letters

SOMEBODY = keys.generate("mallory")
ODD = b"pbem1 report\ngame hearth\nexchange 0\n---\nhello\n"


def signed_by(key: keys.PrivateKey | None) -> Callable[[], object]:
    """A letter that is not written as letters are."""
    return text_comes(
        lambda _, judge: judge.sealed(sign_text(key or judge.key, Namespace.REPORT, ODD)).encode()
    )


def forged(alice: Home, judge: Judge) -> object:
    letter, mallory = judge.letter(0), replace(judge, key=SOMEBODY)
    mail = mallory.mail(replace(letter, signature=sign_statement(letter.checkpoint, SOMEBODY)))
    return alice.receive(mail.encode())


def new_key(judge: Judge, proofs: Callable[[KeyChange], tuple[bytes, ...]], **named: str) -> ReportLetter:
    """The ledger says that the judge has a new key; `named`: what the text was about that it names."""
    parts = {"game": GAME, "genesis": judge.heads[0], "player": GM, "old": judge.key.public.fingerprint}
    said = KeyChange(**(parts | named), exchange=1, new=SOMEBODY.public.line)  # type: ignore[arg-type]
    judge.add(Rotation(exchange=1, player=GM, at=START, key=said.new, old=said.old, text_sha256=said.sha256))
    return replace(judge.notice(1, since=2), proofs=proofs(said))


def of_size(judge: Judge, size: int, **parts: object) -> ReportLetter:
    head = Checkpoint(game=GAME, size=size, head=judge.heads[size - 1] if size else "0" * 64)
    signed = {"checkpoint": head, "signature": sign_statement(head, judge.key)}
    return replace(judge.letter(0), **{**signed, **parts})  # type: ignore[arg-type]


def another_second(judge: Judge) -> ReportLetter:
    judge.entries[1] = Other(first="note another history")
    return judge.letter(0)


def kept_before(alice: Home, judge: Judge) -> object:
    """The home was stopped before the ledger was written to the head that it keeps."""
    head = Checkpoint(game=GAME, size=3, head="0" * 64)
    alice.folder(GAME).judge_statements.keep_checkpoint(
        SignedCheckpoint(head, sign_statement(head, judge.key))
    )
    judge.close(1)
    return alice.receive(judge.mail(judge.notice(1, since=2)).encode())


def other_salt(judge: Judge) -> ReportLetter:
    letter = judge.letter(0)
    opened = tuple((number, replace(one, salt="0" * 64)) for number, one in letter.opened)
    return replace(letter, opened=opened)


def twice_open(judge: Judge) -> ReportLetter:
    judge.open(2)
    return judge.notice(1, since=2)


def unreported(judge: Judge) -> ReportLetter:
    judge.close(1)
    judge.add(judge.resolution(1))
    judge.open(2)
    return judge.letter(1, since=2)


def wrong_mix(judge: Judge) -> ReportLetter:
    judge.close(1)
    judge.add(replace(judge.resolution(1), mix="d" * 64))
    return judge.notice(1, since=2)


def of_dunbar(judge: Judge) -> ReportLetter:
    judge.entries[0] = replace(judge.genesis(), game="dunbar")
    return judge.letter(0)


def invited(change: Callable[[Join], Join], *, without: bool = False) -> Callable[[], object]:
    """The invitation to a game whose genesis has another alice, or is `without` her."""

    def letter(judge: Judge) -> ReportLetter:
        kept = dict(judge.joins)
        judge.joins["alice"] = change(kept["alice"])
        if without:
            del judge.joins["alice"]
        judge.entries.clear()
        judge.salts.clear()
        judge.add(judge.genesis())
        judge.open(1)
        judge.joins.update(kept)
        return judge.letter(0)

    return comes(letter, JOINED)


def replaced(chain: int) -> Do:
    """A home that begins with a new key of alice's, and a new chain of its own or none."""

    def do(alice: Home, judge: Judge) -> object:
        old, new = judge.joins["alice"].key.fingerprint, alice.keygen("new")
        alice.rotate(GAME, 1, "alice", "new", old=old, chain=chain, genesis=judge.heads[0])
        anchor = Reveal("alice.2", 0, "a" * 64)
        judge.add(
            Rotation(
                exchange=1,
                player="alice",
                at=START,
                key=new.line,
                old=old,
                anchor=anchor,
                text_sha256="a" * 64,
            )
        )
        judge.joins["alice"] = replace(judge.joins["alice"], key=new)
        return alice.receive(judge.mail(judge.letter(0)).encode())

    return do


LEAVES = "its leaves are not those up to its checkpoint at entry"
UNSHOWN = "the letter does not hold the text that its signer signed"
NOT_MADE = "the ledger anchors a chain alice.2 that was not made in this home"
LETTERS = (
    Row("'abc' is not a head of a genesis", at(lambda alice, _: alice.deliver({}, genesis="abc"))),
    Row("this is signed with the key", signed_by(SOMEBODY)),
    Row("the report is not written as its format demands; the judge has signed this", signed_by(None)),
    Row("this is signed with the key", at(forged)),
    Row(UNSHOWN, comes(lambda judge: new_key(judge, lambda _: ()))),
    Row(
        UNSHOWN,
        comes(
            lambda judge: new_key(judge, lambda said: (sign_rotation(said, judge.key, SOMEBODY),), game="x")
        ),
    ),
    Row(f"{LEAVES} 0", comes(lambda judge: of_size(judge, 0, leaves=(), opened=()))),
    Row(f"{LEAVES} 2", comes(lambda judge: of_size(judge, 2, leaves=judge.letter(0).leaves[:1], opened=()))),
    Row(
        f"{LEAVES} 2", comes(lambda judge: of_size(judge, 2, leaves=((0, "0" * 64), *judge.letter(0).leaves)))
    ),
    Row("entry 2 is not the one that the judge showed you before", comes(another_second)),
    Row("it does not fit the head at entry 3 kept before", at(kept_before)),
    Row("it shows another text for entry 1 than before", comes(other_salt)),
    Row("exchange 2 must be opened next, when the last one is resolved", comes(twice_open)),
    Row("entry 4: the resolution of exchange 1 is wrong: its mix is", comes(wrong_mix)),
    Row("this letter is for bob", text_comes(lambda _, judge: judge.signed(judge.letter(0, "bob")))),
    Row("the genesis of hearth does not enrol alice", invited(lambda join: join, without=True)),
    Row("this letter tells south", comes(lambda judge: replace(judge.letter(0), audience="south"))),
    Row("genesis enrols alice with the key", invited(lambda join: replace(join, key=SOMEBODY.public))),
    Row("genesis anchors no chain for alice", invited(lambda join: replace(join, anchor=None))),
    Row("as the recovery key", invited(lambda join: replace(join, recovery=SOMEBODY.public.fingerprint))),
    Row(NOT_MADE, at(replaced(0), KEYS)),
    Row(NOT_MADE, at(replaced(2), KEYS)),
    Row(
        "it is a report of exchange 2, which the ledger",
        comes(lambda judge: replace(judge.letter(0), exchange=2)),
    ),
    Row(
        "it is a report of exchange 1, which the ledger",
        comes(lambda judge: replace(judge.letter(0), exchange=1)),
    ),
    Row("has no entry for the report of exchange 1 to you", comes(unreported)),
    Row("the report of exchange 1", comes(lambda judge: replace(judge.letter(1), report="otherwise\n"), 1)),
)

# -- what else the judge signs


def receipt(judge: Judge, player: str, rev: int, sealed: bytes) -> bytes:
    return judge.signed_receipt(judge.receipt(1, player, rev, sealed))


def two_receipts(alice: Home, judge: Judge) -> bytes:
    alice.receive(receipt(judge, "alice", 1, alice.seal(None).sealed))
    judge.receipts.clear()
    return receipt(judge, "alice", 1, b"x")


def foretold(_: Home, judge: Judge) -> bytes:
    told = ForecastLetter(game=GAME, exchange=1, player="bob", sealed="a" * 64, forecast="x\n")
    return sign_forecast(told, judge.key)


def passed_on(
    armor: Callable[[Home], str] = lambda alice: alice.seal(None).armor, to: str = "alice"
) -> Callable[[], object]:
    def text(alice: Home, judge: Judge) -> bytes:
        relayed = OrdersCopy(game=GAME, exchange=1, player="bob", to=to, armor=armor(alice))
        return sign_copy(relayed, judge.key)

    return text_comes(text)


NOT_ONE = "the judge's letter should hold one file of sealed orders, and does not"
SIGNED = (
    Row("this receipt is for bob", text_comes(lambda _, judge: receipt(judge, "bob", 1, b"x"))),
    Row(
        "this is signed with the key",
        text_comes(lambda _, judge: receipt(replace(judge, key=SOMEBODY), "alice", 1, b"x")),
    ),
    Row("receipt 1 was given twice, for different things", text_comes(two_receipts)),
    Row(
        "receipt 1 says exchange 1, revision 2; the file that it names was sent for exchange 1 as revision 1",
        text_comes(lambda alice, judge: receipt(judge, "alice", 2, alice.seal(None).sealed)),
    ),
    Row("this forecast is for bob", text_comes(foretold)),
    Row("this copy is for bob; you play hearth as alice", passed_on(to="bob")),
    Row(NOT_ONE, passed_on(lambda alice: alice.seal(None).armor + alice.seal("ask\n").armor)),
    Row(NOT_ONE, passed_on(lambda _: to_armor(seal(b"x", [SOMEBODY.public])))),
)

# -- what is kept


def damaged(name: str, change: Callable[[bytes], bytes], last: int = 0) -> Callable[[], object]:
    """A file of alice's game is changed or gone, and she orders something."""

    def do(alice: Home, _: Judge) -> object:
        path = folder(alice) / name
        data = change(path.read_bytes() if path.exists() else b"")
        path.write_bytes(data) if data else path.unlink()
        alice.folder(GAME).addresses()
        sent = sorted(folder(alice).glob("sent/*"))
        try:
            return alice.seal(None, game=GAME)
        finally:
            assert sorted(folder(alice).glob("sent/*")) == sent, "nothing is signed"

    return at(do, last)


def other_report(alice: Home, judge: Judge) -> object:
    (folder(alice) / "reports/0001.txt").write_bytes(b"otherwise\n")
    return alice.receive(judge.mail(judge.letter(1)).encode())


def other_hidden(data: bytes) -> bytes:
    """Another leaf for an entry that she may not open."""
    return re.sub(
        rb"^(leaf \d+) [0-9a-f]{64}\n(?=leaf)", rb"\1 %s\n" % (b"0" * 64), data, count=1, flags=re.MULTILINE
    )


SECRET, NOT_WRITTEN = "chain-secret is damaged: it must hold 64 hex digits", "is not as it was written"
KEPT = (
    Row("module 'pbem.player' has no attribute 'Nothing'", lambda: pbem.player.Nothing),
    Row("is there already and differs; it is kept as it is", at(other_report, 1)),
    Row("the first entry is not a genesis", comes(lambda judge: replace(judge.letter(0), opened=()), JOINED)),
    Row("this is the ledger of dunbar, not of hearth", comes(of_dunbar, JOINED)),
    Row("has signed no such ledger of 1", damaged("ledger.txt", lambda data: data[: data.rindex(b"leaf ")])),
    Row("the judge has signed no such ledger of", damaged("ledger.txt", other_hidden, 1)),
    Row(f"line 3 {NOT_WRITTEN}", damaged("ledger.txt", lambda data: data.replace(b"leaf 2", b"leaf 3"))),
    Row(f"line 4 {NOT_WRITTEN}", damaged("ledger.txt", lambda data: data[:-4] + b"\n")),
    Row(
        "entry 1 does not fit its leaf", damaged("ledger.txt", lambda data: data[:7] + b"0" * 64 + data[71:])
    ),
    Row("the judge's key is missing beside", damaged("allowed_signers", lambda _: b"")),
    Row("allowed_signers is damaged", damaged("allowed_signers", lambda _: b"gm\n")),
    Row("is damaged: the signature is malformed", damaged("held/checkpoint-0002.txt.sig", lambda _: b"x")),
    Row(SECRET, damaged("chain-secret", lambda _: b"abc\n")),
    Row(SECRET, damaged("chain-secret", lambda _: b"1" * 64 + b" Under Here\n")),
    Row("does not belong to your chain in the ledger", damaged("chain-secret", lambda _: b"1" * 64)),
    Row("addresses is damaged; remove it: the next", damaged("addresses", lambda _: b"size x\n")),
    Row("player is damaged", damaged("player", lambda _: b"player alice\n")),
    Row("you have not joined dunbar from this home", at(lambda alice, _: alice.folder("dunbar"))),
    Row("there is a key alice already, in", at(lambda alice, _: alice.keygen("alice"), KEYS)),
    Row(
        "there is a recovery key for alice already",
        at(lambda alice, _: [alice.keygen_recovery("alice") for _ in range(2)], KEYS),
    ),
)
ROWS = (*LETTERS, *SIGNED, *KEPT)
