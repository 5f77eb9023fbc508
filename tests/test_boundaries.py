"""Every limit on what comes from outside, at one below it, at it, and at one above it.

A row names the constant and says its number once more, so that a limit that is changed by mistake is
noticed. It brings a door that looks at it, the outermost that costs little: a function that hands in
something of that size and gives back the refusal. `test_every_limit_has_a_row` finds the constants by their
names in the source; boundaries.toml has those that refuse nothing or take a story of their own.
"""

from __future__ import annotations

import io
import re
import tarfile
import tomllib
import zipfile
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import cache
from importlib import import_module
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any

import pytest

from pbem.audit import bundle
from pbem.audit.papers import _files
from pbem.errors import PbemError
from pbem.judge.intake import desk
from pbem.judge.letters.addresses import webpage_of
from pbem.judge.newgame import _exchanges
from pbem.leagues.calls import parse_reply
from pbem.leagues.config import LeagueFile
from pbem.leagues.config import read_file as read_league
from pbem.leagues.facts import StatementQuota
from pbem.leagues.statements import (
    ABSENT,
    APPEAL,
    NEW_KEY,
    SUBSTITUTE,
    VOTE,
    Statement,
    read_statement,
    sign_statement,
)
from pbem.mail.command_runner import MAX_MAILED_ABSENCE_DAYS, take_from_file
from pbem.mail.extract import extract
from pbem.mail.headers import _fields
from pbem.mail.mail_text import read_commands
from pbem.orders.cursor import Faults, read_number
from pbem.orders.lines import read_text as read_lines
from pbem.play.history import History
from pbem.play.seats import Absences
from pbem.player.outgoing.drafts import read_text
from pbem.trust import keys, sealing
from pbem.trust.armor import decode_text, find_blocks
from pbem.trust.chance import parse_mix
from pbem.trust.entries import Entry, Extend, Received
from pbem.trust.fields import read_signed
from pbem.trust.formats import files_left
from pbem.trust.identifiers import Namespace, check_player_name, is_label
from pbem.trust.ledger import parse_entry
from pbem.trust.orderfile import (
    ExpectedFile,
    check_writable,
    parse_draft,
    parse_late_reveal,
    parse_orders,
    verify_orders,
)
from pbem.trust.player_statements import Absence, read_join, sign_days
from pbem.trust.post_box import check_box_url, read_request
from pbem.trust.rotations import Rotation
from pbem.trust.sealing import open_orders_with, open_sealed, to_armor
from pbem.trust.signature import parse as parse_signature
from pbem.trust.signature import sign_text
from pbem.web import homefile
from tests.judge.table import make_table
from tests.leagues.world import file_of
from tests.mail.test_corpus import nested, parted
from tests.play.test_history import AT, GENESIS, act, history, opened, resolved
from tests.play.test_history import exchange as whole

PBEM = Path(__file__).parent.parent / "pbem"
ASSIGNED = re.compile(r"^([A-Z_]+(?:, [A-Z_]+)*)(?:: \w+)? = ", re.MULTILINE)
NAMES = re.compile(r"_?(MAX|MOST|LARGEST|LONGEST|DEEPEST|LEAST|SHORTEST)(_[A-Z_]+)?")
KEY = keys.generate("somebody")
Door = Callable[[int], str]


def told(door: Callable[[], object]) -> str:
    """Why a door refused something; nothing if it let that pass."""
    try:
        door()
    except PbemError as problem:
        return str(problem)
    return ""


# -- bytes


def armored(count: int) -> str:
    """A text with so many different sealed files."""
    return "\n".join(to_armor(sealing.AGE_MAGIC + b"%06d" % number) for number in range(count))


def mail(size: int, head: int = 0) -> bytes:
    """A mail of so many bytes, its head padded to `head`."""
    top = b"From: bob@example.org\r\nX-Pad: "
    top += b"x" * (head - len(top))
    return (top + b"\r\n\r\n").ljust(size, b"y")


def entry(size: int) -> str:
    return told(lambda: parse_entry(b"look\n".rjust(size, b"x")))


def reason(size: int) -> str:
    return told(lambda: parse_entry(replace(act(4, "hold"), reason="x" * size).text))


@cache
def order_file(lines: int) -> bytes:
    """The text of an order file whose orders have so many bytes."""
    seal_key = sealing.seal_key(bytes(32), "demo", 1, "alice")
    head = (
        f"pbem1 orders\ngame demo\nexchange 1\nplayer alice\nside x\nrev 1\nseal {seal_key.recipient}\n---\n"
    )
    return head.encode() + b"\n".rjust(lines, b"x")


def written(size: int) -> str:
    return told(lambda: check_writable(order_file(size)))


def opened_orders(size: int) -> str:
    due = ExpectedFile(game="demo", exchange=1, player="alice", side="x", key=KEY.public, seal="y")
    return told(lambda: verify_orders(b"x" * size, due))


def sealed_orders(size: int) -> str:
    key = sealing.seal_key(bytes(32), "demo", 1, "alice")
    return told(lambda: open_orders_with(sealing.AGE_MAGIC.ljust(size, b"x"), key))


def sealed_report(size: int) -> str:
    return told(lambda: open_sealed(b"x" * size, []))


def mix(size: int) -> str:
    """Whether it is read at all; then it is none, for its first line is another."""
    why = told(lambda: parse_mix(b"x" * size))
    return "" if "its first line" in why else why


def key_file(size: int) -> str:
    with NamedTemporaryFile() as file:
        Path(file.name).write_bytes(b"x" * size)
        return told(lambda: keys.load_private_file(Path(file.name)))


def said_of_league(**more: Any) -> Statement:
    parts: dict[str, Any] = {"say": APPEAL, "entry": 9, "reason": "x"}
    judge = KEY.public.fingerprint
    return Statement(
        league="league.cup", player="ann", made=AT, judge=judge, genesis="c" * 64, **(parts | more)
    )


def statement(size: int) -> str:
    """An appeal whose text has so many bytes."""
    text = said_of_league().text
    body = text.replace(b"reason x", b"reason x" + b"x" * (size - len(text)))
    return told(lambda: read_statement(sign_text(KEY, Namespace.ORDERS, body)))


def appeal(size: int) -> str:
    return told(lambda: sign_statement(said_of_league(reason="x" * size), KEY))


# -- ledgers


def in_history(entries: list[Any]) -> str:
    return told(lambda: history(*entries))


def acts(count: int) -> str:
    return in_history([Extend(exchange=4, deadline=AT + timedelta(days=1 + n), at=AT) for n in range(count)])


def new_keys(count: int) -> str:
    old, changes = GENESIS.players[0].fingerprint, []
    for _ in range(count):
        key = keys.generate().public
        changes.append(
            Rotation(exchange=4, player="alice", at=AT, key=key.line, old=old, text_sha256="a" * 64)
        )
        old = key.fingerprint
    return in_history(changes)


def absence(days: int) -> str:
    lines = (f"absence alice {days * 86_400}",)
    return Absences().add(replace(opened(5), extra=lines), {"alice"}, None)


def files(count: int) -> str:
    left, _ = files_left(exchange=1, exchanges=600, entered=count - 1, here=count - 1, received=True)
    return "" if left else "no more"


def genesis(exchanges: int) -> str:
    return told(lambda: replace(GENESIS, exchanges=exchanges).check())


def new_game(exchanges: int) -> str:
    return told(lambda: _exchanges(exchanges, 2))


# -- leagues


def league_file(size: int) -> str:
    return told(lambda: read_league(file_of("knockout").ljust(size, b"\n")))


def league(**more: Any) -> str:
    return told(lambda: read_league(file_of(**more)))


@cache
def swiss() -> LeagueFile:
    return read_league(file_of("swiss", count=3, entries="most = 9"))


def said(count: int, say: str, **more: Any) -> str:
    """Somebody says the same so many times on one day."""
    room = StatementQuota(swiss())
    one = Statement(league="league.cup", player="ann", say=say, made=AT, judge="x", **more)
    for _ in range(count - 1):
        room.take(one, AT)
    return told(lambda: room.check(one, AT))


# -- mail and files


def sealed_in_mail(count: int) -> str:
    return extract(b"From: bob@example.org\r\n\r\n" + armored(count).encode()).reason


def statements_in_mail(count: int) -> str:
    texts = [sign_statement(said_of_league(entry=one + 1), KEY).decode() for one in range(count)]
    found = extract(f"From: bob@example.org\r\n\r\n{chr(10).join(texts)}".encode()).statements
    return "" if len(found) == count else "the last one is not read"


def archive(notes: int, size: int = 20) -> str:
    """A tar of one file with so many headers before all members, or with one header of `size` bytes."""
    found = io.BytesIO()
    for number in range(notes):
        info = tarfile.TarInfo(f"note-{number}")
        info.type, text = tarfile.XGLTYPE, pax(size)
        info.size = len(text)
        found.write(info.tobuf(tarfile.USTAR_FORMAT) + text.ljust(-(-len(text) // 512) * 512, b"\0"))
    found.write(tarfile.TarInfo("log/1.entry").tobuf() + bytes(1024))
    found.seek(0)
    try:
        list(bundle.members(found.read, lambda _name: 100))
    except bundle.BadArchive as problem:
        return str(problem)
    return ""


def pax(size: int) -> bytes:
    """One pax record of so many bytes."""
    head = f"{size} comment="
    return head.encode() + b"x" * (size - len(head) - 1) + b"\n"


def zipped(count: int, size: int = 0) -> str:
    """A zip of so many entries, or of one with so many bytes, by its list of contents."""
    entry = zipfile.ZipInfo("keys/ann")
    entry.file_size = size
    with zipfile.ZipFile(io.BytesIO(), "w") as archive:
        archive.filelist = [entry] * count
        try:
            return told(lambda: [*homefile._members(archive)])
        finally:
            archive.filelist = []


def faults(count: int) -> str:
    text = read_lines("x")
    found = Faults(text)
    for _ in range(count):
        found.note(text.statements[0].tokens, "wrong")
    return "" if len(found.found) == count else "no more faults are gathered"


def number(digits: int) -> str:
    return "" if read_number("9".rjust(digits, "0")) == 9 else "no number"


def commands(count: int) -> str:
    found = read_commands("\n".join(f"status game-{one}" for one in range(count)))
    return "" if len(found) == count else "the last one is not read"


def reply(lines: int) -> str:
    games = [f"bid game-{one} e1" for one in range(lines)]
    read = parse_reply("\n".join(games), "")
    return "" if len(read.bids) == lines else "the last one is not read"


def page(size: int) -> str:
    address = "https://club.example/".ljust(size, "x")
    return told(lambda: webpage_of({"page": {"address": address, "sha256": "a" * 64}}))


@dataclass(frozen=True, slots=True)
class Limit:
    """A limit: its constant, its number, the door that looks at it, and words of the refusal."""

    constant: str
    number: int
    door: Door
    words: str
    step: int = 1
    """From one number to the next that can be tried; below 0 where less is refused, and not more."""

    @property
    def value(self) -> int:
        """What the program has."""
        module, _, name = self.constant.partition(":")
        found: int = getattr(import_module(f"pbem.{module}"), name)
        return found


def rounds(count: int) -> str:
    """A Swiss for as many as may enter, over so many rounds."""
    return league(form="swiss", rounds=f"count = {count}\ndays = 9", entries="most = 2000")


def panel(count: int) -> str:
    names = ", ".join(f'"p{one}"' for one in range(count))
    return league_with('assistants = ["anna"]', f"panel = [{names}]")


def league_with(old: str, new: str) -> str:
    """A league.toml with something else in it."""
    text = file_of("swiss", rounds="count = 1\ndays = 9").decode()
    assert old in text
    return told(lambda: read_league(text.replace(old, new, 1).encode()))


def sections(size: int, most: int) -> str:
    return league(form="sections", more=f"[sections]\nsize = {size}", entries=f"most = {most}")


class Many(type(Path())):  # type: ignore[misc]
    """A folder with as many files as its name says."""

    def rglob(self, pattern: str) -> list[Path]:
        return [self] * int(self.name)

    def is_file(self) -> bool:
        return True

    def is_symlink(self) -> bool:
        return False


def kept_files(count: int) -> str:
    return "" if len(list(_files(Many(str(count))))) == count else "the last one is not read"


def read_absence(data: bytes) -> object:
    return read_signed(Absence, data)


def padded(read: Callable[[bytes], object], size: int) -> str:
    return told(lambda: read(b"pbem1".ljust(size, b"x")))


def request_header(size: int) -> str:
    """A header of a request to a post box, of so many characters; "" if only what it holds is refused."""
    said = told(lambda: read_request("A" * size))
    return said if "too long" in said else ""


def box_url(size: int) -> str:
    return told(lambda: check_box_url("https://".ljust(size - 1, "a") + "/"))


def header(size: int) -> str:
    """An order file whose head has so many bytes, with the line that ends it."""
    seal = sealing.seal_key(bytes(32), "demo", 1, "alice").recipient
    head = f"pbem1 orders\ngame demo\nexchange 1\nplayer alice\nside x\nrev 1\nseal {seal}\n"
    return told(lambda: parse_orders(head.encode() + b"\n" * (size - len(head) - 4) + b"---\n"))


def late_reveal(size: int) -> str:
    return told(lambda: parse_late_reveal(b"pbem1 reveal\n".ljust(size, b"x")))


def long_name(size: int) -> str:
    return told(lambda: check_player_name("x" * size))


def label(size: int) -> str:
    """A label of tokens, each as long as one may be."""
    text = "/".join("x" * 40 for _ in range(size // 40 + 1))[:size]
    return "" if is_label(text) else "no label"


def silence(count: int) -> str:
    """A claim of a game whose opponent has sent nothing for so many exchanges in a row."""
    sent = Received(exchange=3, player="bob", rev=1, sealed="a" * 64, at=AT)
    found = History(GENESIS)
    for made in (*whole(1), *whole(2), opened(3), sent, *resolved(3), *chain(count), opened(4 + count)):
        found.add(made)
    return told(lambda: found.add(replace(act(4 + count, "claim", "bob"), at=AT)))


def field(size: int) -> str:
    (found,) = _fields(b"Subject:" + b"x" * size)["subject"]
    return "" if len(found) == size else "it is cut"


def lines_of_head(count: int) -> str:
    top = b"X-Pad: x\r\n" * (count - 1)
    found = extract(top + b"Subject: last\r\n\r\nhelp").head.subject
    return "" if found == "last" else "the last one is not read"


def chain(count: int) -> list[Entry]:
    return [one for number in range(4, 4 + count) for one in whole(number)]


HERE = Path(__file__)
FORMATS, MAIL, ORDERS = "trust.formats", "mail.extract", "orders.cursor"
LIMITS = (
    Limit(
        "trust.armor:MAX_TEXT_SIZE",
        16_777_216,
        lambda n: told(lambda: decode_text(b"x" * n)),
        "are read at most",
    ),
    Limit(
        "trust.armor:MAX_BLOCKS",
        64,
        lambda n: told(lambda: find_blocks(armored(n))),
        "too many sealed parts",
    ),
    Limit(
        "trust.signature:MAX_ARMOR_SIZE",
        2_048,
        lambda n: told(lambda: parse_signature(b"x" * n)),
        "far too long",
    ),
    Limit("trust.keys:MAX_KEY_FILE_SIZE", 16_384, key_file, "too large"),
    Limit("trust.sealing:MAX_ORDERS_SIZE", 32_768, opened_orders, "with its padding"),
    Limit("trust.sealing:MAX_SEALED_ORDERS_SIZE", 33_792, sealed_orders, "are accepted at most"),
    Limit("trust.sealing:MAX_SEALED_REPORT_SIZE", 4_194_304, sealed_report, "are accepted at most"),
    Limit("trust.orderfile:MAX_BODY_SIZE", 28_000, written, "are accepted at most"),
    Limit("trust.ledger:MAX_ENTRY_SIZE", 4_194_304, entry, "too large"),
    Limit("trust.fields:MAX_REASON_LENGTH", 500, reason, "more than 500 characters"),
    Limit(f"{FORMATS}:MAX_MIX_SIZE", 524_288, mix, "this is not a mix file"),
    Limit(f"{FORMATS}:MAX_STATEMENT_SIZE", 4_096, statement, "4,096 bytes at most"),
    Limit(f"{FORMATS}:MAX_SEATS_TIMES_EXCHANGES", 2_000, lambda n: genesis(n // 2), "cannot have", step=2),
    Limit(f"{FORMATS}:MAX_SEATS_TIMES_EXCHANGES", 2_000, lambda n: new_game(n // 2), "can have 2 to", step=2),
    Limit(f"{FORMATS}:MAX_ACTS_IN_EXCHANGE", 16, acts, "16 such entries"),
    Limit(f"{FORMATS}:MAX_KEYS_IN_EXCHANGE", 2, new_keys, "has had 2 new keys"),
    Limit(f"{FORMATS}:MAX_ABSENCE_DAYS", 42, absence, "by more than 42 days"),
    Limit(f"{FORMATS}:MAX_IN_EXCHANGE", 16, files, "no more"),
    Limit(
        f"{FORMATS}:MAX_STATEMENTS_IN_DAY",
        8,
        lambda n: said(n, ABSENT, rounds=(1, 1)),
        "has said 8 things today",
    ),
    Limit(f"{FORMATS}:MAX_NEW_KEYS", 4, lambda n: said(n, NEW_KEY), "has had 4 new keys"),
    Limit(f"{FORMATS}:MAX_VOTES", 3, lambda n: said(n, VOTE, about=(1, 1)), "has voted on this game 3 times"),
    Limit(f"{FORMATS}:MAX_OFFERS", 8, lambda n: said(n, SUBSTITUTE, of="ben"), "8 have offered"),
    Limit(
        f"{FORMATS}:MAX_ENTRANTS",
        2_000,
        lambda n: league(form="knockout", entries=f"most = {n}"),
        "from 2 to 2000",
    ),
    Limit(
        f"{FORMATS}:MAX_ENTRANTS_TIMES_ROUNDS",
        30_000,
        lambda n: rounds(n // 2_000),
        "more than 30,000",
        step=2_000,
    ),
    Limit(f"{FORMATS}:MAX_GAMES", 50, lambda n: sections(n + 1, 60), "and 50 are allowed"),
    Limit(f"{FORMATS}:MAX_PAIRINGS", 5_000, lambda n: sections(11, n // 5), "more than 5,000 games", step=5),
    Limit(f"{FORMATS}:MAX_PANEL", 9, panel, "9 members at most"),
    Limit(f"{FORMATS}:MAX_HELD_FILES", 100_000, kept_files, "is not read"),
    Limit("leagues.config:LARGEST", 65_536, league_file, "more than 65,536 bytes"),
    Limit(
        "leagues.config:MAX_NAME_LENGTH",
        40,
        lambda n: league_with('"cup"', f'"{"x" * n}"'),
        "more than 40 characters",
    ),
    Limit(
        "leagues.config_reader:MAX_NUMBER",
        100_000,
        lambda n: league_with("days = 9", f"days = {n}"),
        "cannot be",
    ),
    Limit("leagues.statements:MAX_REASON_LENGTH", 1_000, appeal, "1,000 characters at most"),
    Limit("leagues.calls:MAX_LINES", 400, reply, "is not read"),
    Limit(f"{MAIL}:MAX_MAIL_SIZE", 2_000_000, lambda n: extract(mail(n)).reason, "more than 2,000,000 bytes"),
    Limit(
        f"{MAIL}:MAX_HEAD_SIZE", 131_072, lambda n: extract(mail(n + 9, n)).reason, "more than 131,072 bytes"
    ),
    Limit(f"{MAIL}:MAX_PARTS", 50, lambda n: extract(parted(n)).reason, "more than 50 parts"),
    Limit(f"{MAIL}:DEEPEST", 10, lambda n: extract(nested(n)).reason, "parts within parts, too many"),
    Limit(f"{MAIL}:MAX_SEALED_FILES", 16, sealed_in_mail, "more than 16 sealed files"),
    Limit("mail.statements:MAX_STATEMENTS", 4, statements_in_mail, "is not read"),
    Limit("mail.mail_text:MAX_COMMANDS", 5, commands, "is not read"),
    Limit(f"{ORDERS}:MAX_DIGITS", 9, number, "no number"),
    Limit(f"{ORDERS}:MAX_FAULTS", 200, faults, "no more faults"),
    Limit(
        "trust.orderfile:MAX_DRAFT_SIZE", 1_048_576, lambda n: told(lambda: read_text(b"x" * n)), "at most"
    ),
    Limit("audit.bundle:MAX_GLOBAL_BLOCKS", 4, archive, "more headers than members need"),
    Limit("audit.bundle:MAX_NOTE_SIZE", 16_384, lambda n: archive(1, n), "more headers than members need"),
    Limit("web.homefile:MAX_FILES", 100_000, zipped, "too large for a home"),
    Limit("web.homefile:LARGEST", 200_000_000, lambda n: zipped(1, n), "too large for a home"),
    Limit("judge.letters.addresses:LONGEST", 200, page, "needs an address"),
    Limit("trust.fields:MAX_SIZE", 2_048, lambda n: padded(read_absence, n), "too long for an absence"),
    Limit("trust.post_box:MAX_HEADER_SIZE", 2_048, request_header, "is too long"),
    Limit("trust.post_box:MAX_URL_LENGTH", 200, box_url, "is not the address of a post box"),
    Limit(
        "trust.player_statements:_MAX_JOIN_SIZE",
        4_096,
        lambda n: padded(read_join, n),
        "too long for a join file",
    ),
    Limit(
        "trust.orderfile:MAX_DRAFT_SIZE",
        1_048_576,
        lambda n: told(lambda: parse_draft("x" * n)),
        "too long for orders",
    ),
    Limit("trust.orderfile:_MAX_HEADER_SIZE", 4_096, header, "has no line ---"),
    Limit("trust.orderfile:_MAX_HEADER_SIZE", 4_096, late_reveal, "the reveal is too long"),
    Limit("trust.identifiers:_MAX_NAME_LENGTH", 60, long_name, "too long for a player's name"),
    Limit("trust.identifiers:_MAX_LABEL_LENGTH", 512, label, "no label"),
    Limit("trust.act_entries:LEAST_SILENCE", 2, silence, "has not been silent", step=-1),
    Limit("mail.headers:MAX_FIELD_LENGTH", 2_000, field, "cut"),
    Limit("mail.headers:_MAX_FIELDS", 2_000, lines_of_head, "is not read"),
)

TABLES = tomllib.loads(HERE.with_name("boundaries.toml").read_text(encoding="utf-8"))
ELSEWHERE: dict[str, str] = TABLES["elsewhere"]
"""Limits that a story of their own reaches -> the tests that do."""
INSIDE: dict[str, str] = TABLES["inside"]
"""How the names of those begin that refuse nothing from outside -> what they are for."""


def constants() -> list[str]:
    """Every limit of the program, by its name."""
    found = []
    for path in sorted(PBEM.rglob("*.py")):
        module = ".".join(path.relative_to(PBEM).with_suffix("").parts)
        for line in ASSIGNED.finditer(path.read_text(encoding="utf-8")):
            found += [f"{module}:{name}" for name in line[1].split(", ") if NAMES.fullmatch(name)]
    return found


def test_every_limit_has_a_row() -> None:
    rows = {*(row.constant for row in LIMITS), *ELSEWHERE}
    left = [one for one in constants() if one not in rows]
    assert [one for one in left if not one.startswith(tuple(INSIDE))] == []
    assert rows <= set(constants())
    assert [start for start in INSIDE if not any(one.startswith(start) for one in left)] == []


@pytest.mark.parametrize(("constant", "file"), ELSEWHERE.items())
def test_what_is_reached_elsewhere_is_named_there(constant: str, file: str) -> None:
    assert constant.partition(":")[2] in (HERE.parent / file).read_text(encoding="utf-8")


@pytest.mark.parametrize("limit", LIMITS, ids=lambda limit: f"{limit.constant}-{limit.door.__name__}")
def test_one_more_is_refused(limit: Limit) -> None:
    assert limit.value == limit.number
    for size in (limit.number - limit.step, limit.number):
        assert limit.words not in limit.door(size), f"{size} may be"
    assert limit.words in limit.door(limit.number + limit.step), "one more may be, too"


def test_one_byte_more_is_no_submission(tmp_path: Path) -> None:
    with closing((table := make_table(tmp_path)).club.store):
        assert desk.MAX_SUBMISSION_SIZE == 1_000_000
        assert "too many for orders" not in desk.submit(table.club, b"x" * 1_000_000)[0].text
        assert "too many for orders" in desk.submit(table.club, b"x" * 1_000_001)[0].text


def test_an_absence_is_as_long_as_a_leap_year(tmp_path: Path) -> None:
    with closing((table := make_table(tmp_path)).club.store):
        for days, fits in ((365, True), (366, True), (367, False)):
            until = (table.clock().date() + timedelta(days=days)).isoformat()
            begins = table.clock().date().isoformat()
            judge = table.club.key.public.fingerprint
            signed = sign_days("alice", judge, begins, until, table.clock(), table.people["alice"].key)
            (became,) = take_from_file(table.club, signed)
            assert ("too long" not in became) is fits
        assert MAX_MAILED_ABSENCE_DAYS == 366
