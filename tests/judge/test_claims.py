"""What the protocol claims of a judge and no other test shows, rule by rule."""

from __future__ import annotations

import subprocess
from datetime import timedelta
from pathlib import Path

import pytest

from pbem.audit import audit
from pbem.audit.findings import State
from pbem.errors import ConfigError
from pbem.judge import export
from pbem.judge.acts import act, extend
from pbem.judge.club import create_club
from pbem.judge.newgame import new_game
from pbem.play.setting import pinned, rules_hash
from pbem.trust.armor import find_sealed
from pbem.trust.entries import Drawn, Extend, Open, Received
from pbem.trust.ledger import parse_entry
from pbem.trust.sealing import CUT, LETTER_SIZE, MAX_SEALED_REVEAL_SIZE, cut_text, open_sealed, size_for
from tests.audit.script import verify_sh
from tests.judge.every_game import run_pass
from tests.judge.table import GAME, TITLE, Table

pytestmark = pytest.mark.ci


def refuted(table: Table, folder: Path) -> list[str]:
    """What audit and script have against the bundle of everything."""
    export.export(table.club, GAME, "all", folder, "to show it")
    status, printed = verify_sh(folder)
    assert status == 0, printed
    return [str(row) for row in audit(folder).rows if row.state is State.REFUTED]


def test_words_about_a_large_file_are_as_large_as_the_file_and_no_larger(table: Table) -> None:
    """Protocol 6: so a letter's size tells nothing of how much there was to say."""
    table.go()
    table.send("alice", "# little to say\n" + "\n" * 20_000)
    table.send("bob", "nonsense is told line by line\n" * 600)
    for letter in table.club.store.letters():
        if "receipt-0002" in letter.name:
            key = table.people[letter.player].key
            file = table.club.store.named_file(
                table.book.history.exchanges[1].counted()[letter.player].sealed
            )
            words = open_sealed(find_sealed(letter.data)[-1], [key])
            assert len(words) == size_for(file) == LETTER_SIZE * -(-len(file) // MAX_SEALED_REVEAL_SIZE)
            assert len(words) > LETTER_SIZE


def test_what_has_no_room_in_a_letter_is_cut_off_and_says_so() -> None:
    text = "a line of words\n" * 100
    assert cut_text(text, len(text)) == text
    short = cut_text(text, len(text) - 1)
    assert short.endswith(f"{CUT}\n")
    assert len(short.encode()) < len(text)
    assert text.startswith(short.removesuffix(f"{CUT}\n"))


def test_no_entry_is_dated_before_the_one_before_it(table: Table, tmp_path: Path) -> None:
    """Protocol 8: the judge's clock goes back by a day, and nobody is accused of it."""
    table.clock.pass_days(3)
    table.send("alice")
    (before,) = (one for one in table.book.entries if isinstance(one, Received))
    table.clock.pass_days(-1)
    table.send("bob")
    after = table.book.entries[-1]
    assert isinstance(after, Received)
    assert (after.player, after.at) == ("bob", before.at)
    run_pass(table.club)
    assert refuted(table, tmp_path / "bundle") == []


def test_a_deadline_that_the_ledger_has_passed_is_not_moved(table: Table) -> None:
    """Protocol 8: nor one after which something was entered, though the clock says that it is to come."""
    deadline = table.book.history.exchanges[-1].deadline
    assert deadline is not None
    table.clock.now = deadline + timedelta(hours=1)
    act(table.club, GAME, "hold", reason="mail fails")
    act(table.club, GAME, "resume", reason="it is back")
    table.clock.now = deadline - timedelta(hours=1)
    with pytest.raises(ConfigError, match="has passed at"):
        extend(table.club, GAME, 2, "for a friend")
    assert not [one for one in table.book.entries if isinstance(one, Extend)]


def test_the_reason_of_a_new_deadline_is_told_as_it_is_entered(table: Table) -> None:
    """Bytes that are no text stand in a command, and neither in the ledger nor in a letter."""
    extend(table.club, GAME, 2, "bob\udcff is\n\x1b[2J ill")
    assert [one.extra for one in table.book.entries if isinstance(one, Extend)] == [
        ("reason bob is [2J ill",)
    ]


def test_the_last_exchange_is_played_to_the_end_of_the_game(table: Table, tmp_path: Path) -> None:
    """Protocol 21: without a stop, and what no order covers is answered by its default."""
    short = Table(create_club(tmp_path / "short", "test", clock=table.clock), table.clock, table.people)
    for person in table.people.values():
        short.club.add_player(person.name, person.key.public, f"{person.name}@example.org")
    seats = {person.side: person.join() for person in table.people.values()}
    new_game(short.club, GAME, TITLE.name, {"scenario": "campaign", "last_year": 1297}, seats, exchanges=3)
    short.go(3)
    assert [isinstance(entry, Open) for entry in short.book.entries].count(True) == 3
    assert short.book.history.over
    assert short.book.rows[-1].text.startswith(b"over 3\n")
    assert refuted(short, tmp_path / "bundle") == []


def test_the_pin_of_a_game_is_made_with_stock_tools() -> None:
    """Protocol 12: SHA-256 over the sorted lines `<sha256> <path>` of its files."""
    lines = []
    for said, path in pinned(TITLE.name):
        told = subprocess.run(["sha256sum", path], capture_output=True, text=True, check=True).stdout
        lines.append(f"{told.split()[0]} {said}\n")
    shell = "LC_ALL=C sort | sha256sum"
    found = subprocess.run(
        ["sh", "-c", shell], input="".join(lines), capture_output=True, text=True, check=True
    )
    assert found.stdout.split()[0] == rules_hash(TITLE.name)
    names = {line.split()[1] for line in lines}
    assert {"pbem/play/resolve.py", "pbem/rules/base.py", "pbem/orders/kit/offering.py"} <= names
    assert any(name.endswith("facts.toml") for name in names)


def test_a_side_s_bundle_of_a_running_game_opens_its_own_orders_alone(table: Table, tmp_path: Path) -> None:
    """Protocol 15 and "The bundle": of exchanges that are resolved."""
    table.go(2)
    for audience, own in ((table.people["alice"].side, ["alice"]), ("public", [])):
        folder = tmp_path / audience
        export.export(table.club, GAME, audience, folder, "to show it")
        found = sorted(path.name for path in folder.glob("keys/*.agekey"))
        assert found == [f"exchange-{number}.{name}.agekey" for number in (1, 2) for name in own]
        assert not (folder / "keys/roots").exists()
        shown = {entry.owner for entry in audit_entries(folder)}
        assert shown <= {audience, "public"}


def audit_entries(folder: Path) -> list[Drawn]:
    """The draws that a bundle opens."""
    found = (parse_entry(path.read_bytes()) for path in sorted(folder.glob("log/*.entry")))
    return [entry for entry in found if isinstance(entry, Drawn)]
