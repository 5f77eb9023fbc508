"""What an audit refutes, misses or leaves open in the bundle of a game; archives that it does not read."""

from __future__ import annotations

import gzip
import io
import re
import tarfile
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import replace
from fnmatch import fnmatch
from functools import cache, partial
from pathlib import Path
from typing import Any

import tests.audit.test_attacks  # noqa: F401 - its modules add their attacks to the list
from pbem.audit.bundle import BLOCK, members, read_bundle
from pbem.audit.bundle import Files as Read
from pbem.audit.game import audit_files, read_record
from pbem.audit.restoration import complete
from pbem.trust import formats
from pbem.trust.entries import AFTER_CLOSE
from pbem.trust.identifiers import Namespace
from pbem.trust.orderfile import LateReveal, Seen
from pbem.trust.sealing import ORDERS_UNIT, seal_key, seal_signed
from tests.audit.attack import ATTACKS, SHORT, Exhibit, Scene, make_scene
from tests.audit.stage import GAME, SEATS, TITLE, Files, Stage, key_of, write
from tests.audit.test_archives import header, noted, record, summed
from tests.audit.test_damage import prefix
from tests.audit.workshop import Page, Workshop
from tests.refusals.clauses import Row
from tests.trust.sealed import seal_orders

FOLDER = tempfile.TemporaryDirectory()
"""Where the games lie that all rows share."""


def folder() -> Path:
    return Path(tempfile.mkdtemp(dir=FOLDER.name))


def fresh(**settings: object) -> Stage:
    return Stage(folder(), **(SHORT | settings))  # type: ignore[arg-type]


@cache
def scene() -> Scene:
    return make_scene(fresh)


@cache
def tiny() -> Stage:
    """Two exchanges in which nothing happens."""
    stage = fresh()
    stage.go()
    stage.go()
    return stage


def game(name: str) -> Stage:
    found: Stage = tiny() if name == "tiny" else getattr(scene(), name)
    return found


def told(files: Files, genesis: str = "", held: Files | None = None) -> str:
    """What an auditor reads."""
    kept = None if held is None else write(held, folder())
    return "\n".join(map(str, audit_files(Read(files, ()), genesis or None, kept).rows))


Change = bytes | None | Callable[[bytes], bytes]


def changed(files: Mapping[str, bytes], changes: Mapping[str, Change]) -> Files:
    """A bundle with files otherwise, added, or left out (None); of a pattern the first that fits."""
    files = dict(files)
    for pattern, change in changes.items():
        name = next((one for one in sorted(files) if fnmatch(one, pattern)), pattern)
        made = change(files[name]) if callable(change) else change
        files.pop(name) if made is None else files.update({name: made})
    return files


def bundle(
    changes: Mapping[str, Change], stage: str = "tiny", audience: str = "all", held: Files | None = None
) -> Callable[[], str]:
    return lambda: told(changed(game(stage).bundle(audience), changes), held=held)


def bound(do: Callable[[Workshop], object], stage: str = "tiny") -> Callable[[], str]:
    """A ledger with something else in it, all signed anew by the judge."""

    def door() -> str:
        shop = Workshop(game(stage))
        do(shop)
        return told(shop.bind())

    return door


def staged(do: Callable[[], Stage | Exhibit]) -> Callable[[], str]:
    """A game of its own."""

    def door() -> str:
        made = do()
        return told(made.bundle()) if isinstance(made, Stage) else told(made.files, held=made.held)

    return door


def swap(old: str, new: str) -> Callable[[bytes], bytes]:
    def do(data: bytes) -> bytes:
        assert old.encode() in data
        return data.replace(old.encode(), new.encode(), 1)

    return do


def upper(data: bytes) -> bytes:
    return data.upper()


def cut(data: bytes) -> bytes:
    return data[:-1]


def longer(data: bytes) -> bytes:
    return data + b"\n"


# -- the list of attacks


def by_attack(name: str, words: str = "") -> Row:
    attack = ATTACKS[name]

    def door() -> str:
        made = attack.make(scene())
        return told(made.files, made.genesis, made.held or None)

    return Row(words or attack.audit, door, heavy=True)


NAMES = """
a forged consent, a consent that is not shown, a consent to something else, a consent to a ledger that is
not there, a consent given in another history, a new key forged by the judge, a new key of another game, a
new key is not shown, a head that was never signed, a forged game with invented players, a checkpoint
signed by a player, a checkpoint of another game, a checkpoint of another head, a key is exchanged, a
player may sign checkpoints, a hidden card is exchanged, leaves are reordered, a line too many in the mix,
reveals without a deadline, a reveal that was not waited for, a correction with other dice, an exchange
without a deadline, an extension for a friend, a deadline is moved forward, the time on hold is taken from
a player, a seal key of another root, other roots at the end, a report is missing, an extension dated
back, a close without a date, a game cut short, two receipts with one number, a receipt out of turn,
orders forged by the judge, a revision is misnamed, orders are refused for a false reason, valid orders
are refused, a refusal is invented, a seal key is exchanged, a sealed file is missing, a sealed file is
slipped in, a sealed file is exchanged, a report to somebody else, a report that was never sent, an end
before its time, another release without a word, a report is changed, a correction that begins too late
"""
"""Each reaches a clause that no other does."""

# -- archives

FILE = header(b"0", 0)
END = bytes(2 * BLOCK)


def unpacked(*blocks: bytes) -> Callable[[], object]:
    return lambda: list(members(io.BytesIO(b"".join(blocks)).read, lambda _: 1_000))


def read(data: Callable[[], bytes]) -> Callable[[], object]:
    def door() -> object:
        path = folder() / "bundle.tar.gz"
        path.write_bytes(data())
        return read_bundle(path)

    return door


def with_size(digits: bytes) -> bytes:
    return FILE[:124] + digits + FILE[124 + len(digits) :]


def too_many() -> bytes:
    return gzip.compress(FILE * (formats.BEFORE_GENESIS.files + 1))


def too_large() -> object:
    path = folder()
    (path / "reports/public").mkdir(parents=True)
    for number in range(31):
        with (path / f"reports/public/{number:04d}.txt").open("wb") as file:
            file.truncate(formats.MAX_FILE_SIZE)
    return read_bundle(path)


def no_room() -> object:
    path = folder()
    (path / "log").mkdir()
    (path / "log/0001.entry").write_bytes(b"of nine b")
    return read_bundle(path, 8)


def bomb() -> bytes:
    info = tarfile.TarInfo("ballast")
    info.size = 8_000_000_000
    return gzip.compress(info.tobuf()) + gzip.compress(bytes(50_000_000), 1) * 3


CUT, MORE, DAMAGED = "it is cut off", "it has more headers than members need", "pax records in it are damaged"
LARGE, OCTAL = "a file in it is too large, or sparse", "in it is not a number"
ARCHIVES = (
    Row(CUT, unpacked(FILE[:100])),
    Row(CUT, unpacked(header(b"0", 900), b"x" * 100)),
    Row(MORE, unpacked(noted(b"L", b"a") * 2, FILE, END)),
    Row(MORE, unpacked((noted(b"g", record("comment", "x")) + FILE) * 5, END)),
    Row(MORE, unpacked(header(b"L", 16_385), bytes(33 * BLOCK), FILE, END)),
    Row("it is sparse", unpacked(header(b"S", 0), END)),
    Row(OCTAL, unpacked(summed(with_size(b"x")), END)),
    Row(OCTAL, unpacked(summed(with_size(b"8")), END)),
    Row("a header in it is damaged", unpacked(with_size(b"1"), END)),
    Row(DAMAGED, unpacked(noted(b"x", b"8 path:\n"), FILE, END)),
    Row(DAMAGED, unpacked(noted(b"x", b"9 path=\n"), FILE, END)),
    Row(DAMAGED, unpacked(noted(b"x", b"8 path=x"), FILE, END)),
    Row(LARGE, unpacked(noted(b"x", record("size", "9")), FILE, END)),
    Row(LARGE, unpacked(noted(b"x", record("GNU.sparse.major", "1")), FILE, END)),
    Row("larger than a bundle can be", read(too_many), heavy=True),
    Row("larger than a bundle can be", too_large),
    Row("larger than a bundle can be", no_room),
    Row("larger than a bundle can be", read(bomb), heavy=True),
)

# -- one file otherwise

A = "a" * 64
NOT_WRITTEN = "is not written as its format demands"
KEY = "keys/exchange-1.alice.agekey"
IDENTITY = seal_key(bytes(32), GAME, 1, "alice").identity.encode() + b"\n"
CLOSED = "are closed to this reader; only the bundle of everything"


def kept_copy() -> Files:
    """A file that alice sent to everybody, and the judge has not entered."""
    stage = tiny()
    parts: dict[str, Any] = {"exchange": 2, "rev": 2, "seal": stage.club.seal(GAME, 2, "alice").recipient}
    seen, reveal = Seen(24, str(stage.book.head_at(24))), stage.people["alice"].reveal(2)
    orders = stage.order_file("alice", **parts, seen=seen, reveal=reveal)
    return {"sealed/alice.age": seal_orders(orders, stage.people["alice"].key)}


FILES = (
    Row(f"no entry names rotations/{A}.txt", bundle({f"rotations/{A}.txt": b""})),
    Row(f"no act names consents/{A}.txt", bundle({f"consents/{A}.txt": b""})),
    Row("log/0002.entry is missing: what stands", bundle({"log/0002.entry": None, "log/0002.salt": None})),
    Row("the entry that opens exchange 2", bundle({"log/0024.entry": None, "log/0024.salt": None})),
    Row("log/leaves, line 1: expected 1 and 64 hex", bundle({"log/leaves": upper})),
    Row(f"log/leaves {NOT_WRITTEN}", bundle({"log/leaves": b""})),
    Row(f"log/leaves {NOT_WRITTEN}", bundle({"log/leaves": cut})),
    Row("log/0001.entry is missing", bundle({"log/0001.entry": None})),
    Row(
        "log/0001.entry: expected a genesis, found close",
        bundle({"log/0001.entry": b"close 1\nat 2026-01-01T12:00:00Z\n"}),
    ),
    Row("log/0003.salt: expected 64 hex digits", bundle({"log/0003.salt": upper})),
    Row("log/0003.salt: expected 64 hex digits", bundle({"log/0003.salt": cut})),
    Row("log/0099.entry belongs to no entry", bundle({"log/0099.entry": b""})),
    Row("log/00003.entry is not a name that a bundle has", bundle({"log/00003.entry": b""})),
    Row("incomplete: log/0003.salt is missing", bundle({"log/0003.salt": None})),
    Row("keys/allowed_signers is missing", bundle({"keys/allowed_signers": None})),
    Row(
        "keys/allowed_signers: expected",
        bundle({"keys/allowed_signers": lambda data: data[data.index(b"bob") :]}),
    ),
    Row(
        "the line of bob in keys/allowed_signers",
        bundle({"keys/allowed_signers": swap("bob@hearth", "bob@other")}),
    ),
    Row("from-2 is not what the rotations", bundle({"keys/allowed_signers.from-2": b""})),
    Row("checkpoints/0024.sig is missing", bundle({"checkpoints/0024.sig": None})),
    Row(
        "checkpoints/0024.txt is not the head of the log",
        bundle({"checkpoints/0024.sig": None, "checkpoints/0024.txt": longer}),
    ),
    Row("there is no resolved exchange for mix/9.txt", bundle({"mix/9.txt": b""})),
    Row("there is no resolved exchange for mix/01.txt", bundle({"mix/01.txt": b""})),
    Row("differs in characters that you cannot see", bundle({"dice/all.txt": cut}, "skirmish"), heavy=True),
    Row(f"{KEY} {NOT_WRITTEN}", bundle({KEY: cut})),
    Row(f"{KEY} {NOT_WRITTEN}", bundle({KEY: bytes.lower})),
    Row("belongs to no exchange and player", bundle({"keys/exchange-1.carol.agekey": IDENTITY})),
    Row("belongs to no exchange and player", bundle({"keys/exchange-01.alice.agekey": IDENTITY})),
    Row("no opened entry has the hash of", bundle({"reports/public/0009.txt": b""})),
    Row("the report to the public on exchange 1", bundle({"log/0023.entry": None, "log/0023.salt": None})),
    Row(f"0 order files and 1 entries {CLOSED}", bundle({"log/0007.entry": None, "log/0007.salt": None})),
    Row(f"0 order files and 0 entries {CLOSED}", bundle({"mix/1.secret.txt": None})),
    Row(f"1 order files and 0 entries {CLOSED}", bundle({KEY: None})),
    Row("incomplete: mix/1.secret.txt is missing", bundle({"mix/1.secret.txt": None})),
    Row("it ends at entry 32; whether the judge has gone on", bundle({})),
    Row("no folder of kept papers was given", bundle({})),
    Row("are sealed for this reader", bundle({}, audience="public")),
    Row("only the judge revealed for exchange 5", bundle({}, "finished"), heavy=True),
    Row("are not disclosed to this reader", bundle({}, audience="public")),
    Row("holds no receipt or checkpoint of hearth", bundle({}, held={})),
    Row("orders of alice for exchange 2, revision 2", lambda: told(tiny().bundle(), held=kept_copy())),
    Row("new.sig is missing", bundle({"rotations/*.new.sig": None}, "interrupted"), heavy=True),
    Row("by.sig is missing", bundle({"rotations/*.by.sig": None}, "interrupted"), heavy=True),
    Row("the text of rotations/", bundle({"rotations/*.txt": longer}, "interrupted"), heavy=True),
    Row("the text of consents/", bundle({"consents/*.txt": longer}, "interrupted"), heavy=True),
)

# -- a ledger otherwise, signed anew


def other_mix(shop: Workshop) -> None:
    page = shop.find("resolve 1")
    page.text = re.sub("mix [0-9a-f]{64}", f"mix {A}", page.text)


def other_order(shop: Workshop) -> None:
    page = shop.find("resolve 1")
    page.text = re.sub(r"(?s)\n(reveal .*)(mix [0-9a-f]{64}\n)", r"\n\2\1", page.text)


def only_genesis(shop: Workshop) -> None:
    del shop.pages[1:]


def not_signed_yet(shop: Workshop) -> None:
    shop.pages.append(Page(f"received 3 alice rev 1 sealed {A}\nat 2026-01-02T12:00:00Z\n"))


def other_salts(shop: Workshop) -> None:
    shop.roots = replace(shop.roots, salt=bytes(32))


def odd_option() -> str:
    shop = Workshop(tiny())
    shop.change("genesis", f"option game {TITLE.name}\n", f"option game {TITLE.name}\noption dais 1\n")
    return told(shop.bind(list(SEATS)))


def large_reveal() -> Stage:
    stage = fresh(mode=AFTER_CLOSE)
    for name in SEATS:
        stage.send(name)
    stage.close()
    seen = Seen(stage.book.size, stage.book.head)
    late = LateReveal(
        game=GAME, exchange=1, player="alice", seen=seen, reveal=stage.people["alice"].reveal(1)
    )
    seal = stage.club.seal(GAME, 1, "alice").recipient
    stage.take_in_reveal(
        late, seal_signed(late.text, key_of("alice"), Namespace.ORDERS, [seal], 2 * ORDERS_UNIT)
    )
    stage.resolve()
    return stage


BOUND = (
    Row("the mix of exchange 1: expected", bound(other_mix)),
    Row(f".entry {NOT_WRITTEN}", bound(other_order)),
    Row("no signed head covers entry 1 yet", bound(only_genesis)),
    Row("no signed head covers entry 33 yet", bound(not_signed_yet)),
    Row("the salt of entry 1: expected", bound(other_salts, "finished"), heavy=True),
    Row("the options of the genesis: ", odd_option),
    Row("the reveal of alice for exchange 1 is too large", staged(large_reveal)),
    by_attack("a second chain of the judge", "reveals nothing of gm.1"),
    by_attack("a second chain of the judge"),
    by_attack("an order is not followed"),
    by_attack("a stale bundle"),
    by_attack("a stale bundle", "is newer than this bundle: ask the judge"),
)

# -- what a bundle is made of, or explained by


def completed(*changes: Mapping[str, Change]) -> Callable[[], object]:
    """From the public bundle of a small game, once for each of the changes."""

    def door() -> object:
        sources = [changed(tiny().bundle("public"), one) for one in changes]
        return complete(sources, tiny().club.roots(GAME))

    return door


def completed_to(size: int) -> object:
    return complete([prefix(tiny(), size)], tiny().club.roots(GAME))


def completed_cheat() -> object:
    made = ATTACKS["an order is not followed"].make(scene())
    return complete([made.files], scene().skirmish.club.roots(GAME))


DIFFER, GIVES = "and the files differ", "is not what the game gives when this release"
PAPERS = {
    "keys/*": None,
    "checkpoints/0002.sig": None,
    "checkpoints/0024.sig": None,
    "checkpoints/0032.sig": None,
}
MADE = (
    Row("log/leaves is missing", completed({"log/leaves": None})),
    Row(DIFFER, completed({}, {"reports/public/0001.txt": longer})),
    Row(DIFFER, completed({}, {"log/leaves": upper})),
    Row("nothing here is signed by gm: add a bundle", completed(PAPERS)),
    Row(f"entry 29 {GIVES}", partial(completed_to, 28)),
    Row(GIVES, completed_cheat, heavy=True),
    Row(
        "so nothing in it is explained",
        lambda: read_record(write(changed(tiny().bundle(), {"log/leaves": upper}), folder())),
    ),
)
ROWS = (*ARCHIVES, *FILES, *BOUND, *MADE, *map(by_attack, " ".join(NAMES.split()).split(", ")))

ELSEWHERE = {
    "audit/papers.py compare_letters: due is not None and sent != due": "audit/test_held.py",
    "audit/papers.py compare_letters: due is None and (not _is_newer(told, letter)) and "
    "(lie := told.lie(letter))": "disputes/test_positions.py",
    "audit/evidence.py read_entries: text is not None and len(text) > most": "audit/test_memory.py",
    "audit/evidence.py check_keys: keys.render_signers(signers) != text": "no other line is read",
    "audit/replay.py check_replay: other": "disputes/test_releases.py",
    "audit/restoration.py _check_one_history: denied": "disputes/test_from_players.py",
    "audit/restoration.py _check_one_history: one.heads[:common] != longest.heads[:common]": (
        "disputes/test_from_players.py"
    ),
    "audit/restoration.py _beyond: a head of ... entries was signed, and no file holds the entries after": (
        "disputes/test_from_players.py"
    ),
    "audit/restoration.py _whole: f'log/{number:04d}.entry' not in files": "disputes/test_from_players.py",
    "audit/replay.py _check_leaving: found.history.ended_by == act": "the seams of the guide's game",
}
"""What takes another kind of bundle -> who has a row or a test of it."""
