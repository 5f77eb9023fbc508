"""Entries: each kind is read as it is written, and refused when it is written otherwise."""

import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbem.trust import entries, sealing, times
from pbem.trust.chance import Die, Reveal
from pbem.trust.entries import (
    Close,
    Drawn,
    Enrolled,
    Entry,
    Extend,
    Genesis,
    NewRules,
    Open,
    Other,
    Received,
    Refused,
    Reported,
    Resolve,
    Revealed,
)
from pbem.trust.faults import LedgerFault
from pbem.trust.keys import PrivateKey
from pbem.trust.ledger import parse_entry

NOON = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
SEALS = {name: sealing.seal_key(bytes(32), "hearth", 1, name).recipient for name in ("alice", "bob")}
FINGERPRINTS = {
    name: PrivateKey(name.encode().ljust(32)).public.fingerprint for name in ("gm", "alice", "bob", "carol")
}

GENESIS = Genesis(
    game="hearth",
    gm=FINGERPRINTS["gm"],
    rules="a" * 64,
    anchor="b" * 64,
    secret_anchor="c" * 64,
    salt_commitment="d" * 64,
    seal_commitment="e" * 64,
    options=(("scenario", "braveheart"), ("schiltroms", "false"), ("bid", "E1")),
    players=(
        Enrolled(name="alice", fingerprint=FINGERPRINTS["alice"], side="scotland", anchor="f" * 64),
        Enrolled(name="bob", fingerprint=FINGERPRINTS["bob"], side="england", anchor="0" * 64),
    ),
)
FULL_GENESIS = replace(
    GENESIS,
    mode=entries.AFTER_CLOSE,
    gm_recovery=FINGERPRINTS["carol"],
    official=("carol", FINGERPRINTS["carol"]),
    rated=True,
    players=(
        replace(GENESIS.players[0], recovery=FINGERPRINTS["carol"]),
        replace(GENESIS.players[1], anchor=None),
    ),
    extra=("motto nemo me impune lacessit",),
)
DRAWN_GENESIS = replace(
    GENESIS,
    drawn=("league.cup", 2),
    players=(
        replace(GENESIS.players[0], chain=1, share="1" * 64),
        replace(GENESIS.players[1], chain=3, share="2" * 64),
    ),
)
SAMPLES: list[Entry] = [
    GENESIS,
    FULL_GENESIS,
    DRAWN_GENESIS,
    Open(exchange=1, seals=tuple(SEALS.items())),
    Open(exchange=9, seals=(), rules="a" * 64, again=7),
    Open(exchange=9, seals=tuple(SEALS.items()), rules="a" * 64, deadline=NOON, extra=("asks alice",)),
    Received(exchange=1, player="alice", rev=1, sealed="a" * 64),
    Received(exchange=1, player="alice", rev=12, sealed="a" * 64, at=NOON),
    Refused(exchange=2, player="alice", of=1, sealed="a" * 64, reason="late"),
    Refused(exchange=1, player="bob", of=1, sealed="a" * 64, reason="wrong-side", at=NOON),
    Close(exchange=1),
    Close(exchange=1, at=NOON, deadline=NOON),
    Revealed(exchange=1, player="bob", sealed="a" * 64, at=NOON),
    Resolve(
        exchange=1,
        reveals=(Reveal("gm.1", 1, "a" * 64), Reveal("alice.1", 1, "b" * 64)),
        absent=("bob.1",),
        mix="c" * 64,
        dice=(
            Die(1, 6, "1297.1/battle-1/fife/round-1/wallace/die-1", 4),
            Die(1, 6, "1297.1/battle-1/fife/round-1/wallace/die-2", 6),
        ),
    ),
    Resolve(exchange=2, reveals=(Reveal("gm.1", 2, "a" * 64),), absent=(), mix="c" * 64),
    Extend(exchange=1, deadline=NOON, at=NOON),
    Drawn(exchange=1, owner="scotland", label="1297/levy/scotland/1", result="york-infantry"),
    Reported(exchange=1, audience="public", sha256="a" * 64),
    NewRules(rules="a" * 64, extra=("agreed alice bob",)),
    Other(first="hold 3", extra=("why the judge is ill", "at 2026-11-21T12:00:00Z")),
    Other(first="concede", extra=()),
]


@pytest.mark.parametrize("entry", SAMPLES, ids=lambda entry: f"{type(entry).__name__}")
def test_an_entry_is_read_as_it_is_written(entry: Entry) -> None:
    assert parse_entry(entry.text) == entry


def test_an_exchange_that_is_played_again_is_so_of_one_other() -> None:
    for odd in ("again 0\n", "again x\n", "again 7\nagain 7\n"):
        with pytest.raises(LedgerFault):
            parse_entry(f"open 9\n{odd}".encode())


@pytest.mark.parametrize("entry", SAMPLES[:-2], ids=lambda entry: f"{type(entry).__name__}")
def test_lines_may_stand_in_any_order_and_unknown_ones_are_kept(entry: Entry) -> None:
    first, *lines = entry.text.decode().splitlines()
    upside_down = [
        *(line for line in lines if line.startswith(("die", "player", "option", "reveal", "seal")))
    ]
    upside_down += [line for line in reversed(lines) if line not in upside_down]
    text = "\n".join([first, "zounds a b c", *upside_down, ""])
    read = parse_entry(text.encode())
    assert read == replace(entry, extra=("zounds a b c", *entry.extra))


SINGLE_LINES = [(entry, line) for entry in SAMPLES[:-2] for line in entry.text.decode().splitlines()]


@pytest.mark.parametrize(
    ("entry", "line"),
    SINGLE_LINES,
    ids=[f"{entry.kind}-{line.split()[0]}-{number}" for number, (entry, line) in enumerate(SINGLE_LINES)],
)
def test_a_line_of_another_form_is_refused(entry: Entry, line: str) -> None:
    """Fields too many and too few, blanks, signs that cannot be printed: none passes for the line itself."""
    text = entry.text.decode()
    if line in entry.extra:
        return
    for damaged in (
        f"{line} ",
        f" {line}",
        line.replace(" ", "\t", 1),
        line.replace(" ", "\0", 1),
        f"{line}\r",
    ):
        with pytest.raises(LedgerFault):
            parse_entry(text.replace(line, damaged, 1).encode())
    if not line.startswith("option"):
        for damaged in (f"{line} x", line.replace(" ", "  ", 1), line.rpartition(" ")[0]):
            assert damaged == "" or read_or_none(text.replace(line, damaged, 1)) != entry


def read_or_none(text: str) -> Entry | None:
    try:
        return parse_entry(text.encode())
    except LedgerFault:
        return None


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("genesis hearth", "genesis Hearth", "is not a game name"),
        ("genesis hearth", "genesis hearth 2", "2 fields after the kind, where 1 belong"),
        ("rules a", "rules A", "is not 64 hex digits"),
        ("anchor gm.1 0", "anchor gm.1 1", "it has no line 'anchor gm.1 0'"),
        ("anchor gm.1 0", "anchor gm.2 0", "it has no line 'anchor gm.1 0'"),
        ("anchor bob.1 0", "anchor alice.1 0", "it has 2 lines 'anchor alice.1 0', where one belongs"),
        ("anchor bob.1 0", "anchor alice.2 0", "it cannot have the line 'anchor alice.2 0 "),
        ("commit salt-root", "commit pepper-root", "it has no line 'commit salt-root'"),
        ("side bob", "side carol", "it has no line 'side bob'"),
        ("player bob", "player alice", "it has 2 lines 'player alice'"),
        ("player bob", "player gm", "'gm' cannot be a player's name"),
        ("beacon none", "beacon none\nmode before-open", "is not a way to reveal"),
        ("beacon none", "beacon none\nrated no", "a rated game has the line 'rated yes', not"),
        (
            "beacon none",
            f"beacon none\nrecovery dora SHA256:{'A' * 43}",
            "it cannot have the line 'recovery dora ",
        ),
    ],
)
def test_a_genesis_that_does_not_hold_together_is_refused(old: str, new: str, message: str) -> None:
    text = GENESIS.text.decode()
    assert old in text
    with pytest.raises(LedgerFault, match=re.escape(message)) as caught:
        parse_entry(text.replace(old, new, 1).encode())
    assert str(caught.value).startswith("the genesis entry is not as it should be: ")


def test_an_entry_is_utf_8() -> None:
    assert parse_entry("hold 1\nwhy müde\n".encode()).extra == ("why müde",)
    with pytest.raises(LedgerFault, match="not utf-8"):
        parse_entry("hold 1\nwhy müde\n".encode("latin-1"))


@pytest.mark.parametrize("line", ["", " ", "a\nreceived 1 x", "a\r", " a", "a ", "a\x1b[2J", "a\u2028b"])
def test_no_field_can_bring_a_line_of_its_own(line: str) -> None:
    with pytest.raises(LedgerFault, match="cannot be a line of an entry"):
        _ = Other(first="hold 1", extra=(line,)).text
    with pytest.raises(LedgerFault, match="cannot be a line of an entry"):
        _ = replace(GENESIS, options=(("scenario", f"x\n{line}"),)).text


def test_times_are_utc_to_the_second() -> None:
    berlin = datetime(2026, 11, 21, 13, 0, 0, 999_999, tzinfo=timezone(timedelta(hours=1)))
    assert times.utc_text(berlin) == "2026-11-21T12:00:00Z"
    assert times.parse_utc("2026-11-21T12:00:00Z") == NOON
    with pytest.raises(LedgerFault, match="without a zone"):
        times.utc_text(berlin.replace(tzinfo=None))


@pytest.mark.ci
@given(st.binary(max_size=200), st.sampled_from(SAMPLES))
def test_no_bytes_break_the_reading_of_an_entry(data: bytes, sample: Entry) -> None:
    first = sample.text.partition(b"\n")[0]
    for hostile in (data, first + b"\n" + data, sample.text + data + b"\n"):
        try:
            read = parse_entry(hostile)
        except LedgerFault:
            continue
        assert parse_entry(read.text) == read
