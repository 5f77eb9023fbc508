"""Consents that come by mail are checked, kept for the game master, and not without end."""

from __future__ import annotations

import pytest

from pbem.errors import ConfigError
from pbem.judge.acts import look
from pbem.judge.agenda import read_agendas
from pbem.judge.intake import consents
from pbem.judge.intake.waiting_list import FOLDER, waiting_consents
from tests.judge.table import GAME, Table


def waiting(table: Table) -> list[str]:
    return waiting_consents(table.club, read_agendas(table.club).values())


def test_a_consent_is_kept_where_nobody_else_reads_it(table: Table) -> None:
    text = table.consent("agree-draw")
    kept = consents.take_consent(table.club, text)
    folder = table.club.path / FOLDER
    assert folder.stat().st_mode & 0o777 == 0o700
    assert (kept.person, kept.done) == ("bob", "")
    (path,) = folder.iterdir()
    assert path.read_bytes() == text
    command = f'pbem game act {GAME} agree-draw --reason "..." --consent {path}'
    assert waiting(table) == [f"{GAME}: bob has signed 'agree-draw': {command}"]


@pytest.mark.parametrize(
    ("to", "command"),
    [
        ("concede bob", "pbem game act demo concede bob --reason"),
        (f"put-away 4 {'0' * 64}", "pbem club put-away demo --reason"),
        (f"rotate alice {'0' * 64}", "pbem game replace-key FILE --reason"),
    ],
)
def test_each_consent_is_shown_with_the_command_that_enters_it(table: Table, to: str, command: str) -> None:
    consents.take_consent(table.club, table.consent(to))
    (line,) = waiting(table)
    assert f": {command}" in line


@pytest.mark.parametrize(
    "to", ["nonsense", "concede bob; rm -rf x", "roll-back $(rm x)", "rotate /../* 12345678"]
)
def test_no_command_is_made_of_what_is_no_act_or_may_be_read_otherwise_by_a_shell(
    table: Table, to: str
) -> None:
    kept = consents.take_consent(table.club, table.consent(to))
    assert waiting(table) == [f"{GAME}: bob has signed '{to}': {kept.path}"]


def test_the_consent_to_a_new_key_is_shown_with_the_file_of_that_key(table: Table) -> None:
    sha256 = "ab" * 32
    kept = consents.take_consent(table.club, table.consent(f"rotate alice {sha256}"))
    key = table.club.path / FOLDER / f"{GAME}-2-alice-{sha256[:8]}.rotation"
    key.write_bytes(b"its text is not looked at for this line")
    (line,) = waiting(table)
    assert f'pbem game replace-key {key} --reason "..." --consent {kept.path}' in line


def test_the_same_consent_twice_is_one(table: Table) -> None:
    text = table.consent("agree-draw")
    assert consents.take_consent(table.club, text).path == consents.take_consent(table.club, text).path
    assert len(waiting(table)) == 1


def test_so_many_consents_are_enough(table: Table) -> None:
    first = table.consent("nonsense 0")
    for number in range(consents.MAX_CONSENTS):
        consents.take_consent(table.club, table.consent(f"nonsense {number}"))
    with pytest.raises(ConfigError, match="10 consents in this exchange; you cannot sign more"):
        consents.take_consent(table.club, table.consent("agree-draw"))
    consents.take_consent(table.club, first)
    consents.take_consent(table.club, table.consent("agree-draw", by="alice"))
    assert len(waiting(table)) == consents.MAX_CONSENTS + 1, "the limit is each player's own"


def test_what_was_not_written_here_does_not_hide_what_was(table: Table) -> None:
    consents.take_consent(table.club, table.consent("agree-draw"))
    for name, text in (("a.consent", b"no consent"), ("z.consent", b"")):
        (table.club.path / FOLDER / name).write_bytes(text)
    assert len(waiting(table)) == 1


def test_consents_of_an_exchange_that_is_over_wait_no_more(table: Table) -> None:
    consents.take_consent(table.club, table.consent("agree-draw"))
    table.go()
    assert waiting(table) == []


@pytest.mark.parametrize(
    ("of", "reason"),
    [("carol", "carol does not play demo"), ("alice", "alice has sent nothing for 0 exchanges in a row")],
)
def test_a_claim_needs_an_opponent_who_is_silent(table: Table, of: str, reason: str) -> None:
    with pytest.raises(ConfigError, match=reason):
        consents.take_consent(table.club, table.consent(f"claim {of}"))
    assert waiting(table) == []


def test_a_look_is_entered_only_with_a_reason(table: Table) -> None:
    size = table.club.book(GAME).size
    look(table.club, GAME, "public", "")
    assert table.club.book(GAME).size == size, "what everybody sees needs no entry"
    with pytest.raises(ConfigError, match="add --reason"):
        look(table.club, GAME, "scotland", "  ")
    look(table.club, GAME, "scotland", "a dispute")
    assert b"look scotland" in table.ledger()[-1]


def test_a_consent_counts_in_its_own_game_alone(table: Table) -> None:
    """Another club's game has the same name, and its player, by the same key, has conceded there."""
    elsewhere = table.consent("concede bob", genesis="a" * 64, seen=(1, "a" * 64))
    with pytest.raises(ConfigError, match="bob consents in another game that is called demo: its first head"):
        consents.take_consent(table.club, elsewhere)
    consents.take_consent(table.club, table.consent("concede bob"))


def test_a_consent_counts_in_the_history_that_its_writer_has_seen_alone(table: Table) -> None:
    """Bob has signed it knowing another ledger of this very game, or one that goes on where this one ends."""
    size, head = table.book.size, table.book.head
    for seen, told in (
        ((size, "b" * 64), f"bob names entry {size} of another history of demo: its head there is 'bbb"),
        ((size + 1, head), f"bob names entry {size + 1}, and the ledger of demo ends here at"),
    ):
        with pytest.raises(ConfigError, match=told):
            consents.take_consent(table.club, table.consent("concede bob", seen=seen))
    for known in ((1, table.genesis), (size, head)):  # who has no ledger names the genesis
        consents.take_consent(table.club, table.consent("concede bob", seen=known))


def test_consents_to_one_act_are_shown_with_one_command(table: Table) -> None:
    for name in ("alice", "bob"):
        consents.take_consent(table.club, table.consent("agree-draw", by=name))
    (line,) = waiting(table)
    assert line.startswith(f"{GAME}: alice and bob have signed 'agree-draw': pbem game act {GAME} agree-draw")
    assert line.count(" --consent ") == 2


def test_a_consent_for_an_earlier_exchange_is_told_what_to_do(table: Table) -> None:
    table.go()
    with pytest.raises(ConfigError, match=r"; bob has to receive the newest report and sign again$"):
        consents.take_consent(table.club, table.consent("agree-draw", exchange=1))
