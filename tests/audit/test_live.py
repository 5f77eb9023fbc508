"""Attacks that no bundle has to show, and the page that lists all attacks."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from pbem.judge.intake import desk
from pbem.trust import keys, ledger
from pbem.trust.entries import Drawn
from pbem.trust.faults import TrustFault
from tests.audit.stage import Stage
from tests.judge.every_game import run_pass
from tests.judge.table import GAME, make_table
from tests.named import is_test
from tests.tools.attack_table import PAGE, page

TESTS = sorted(set(re.findall(r"\| `tests/(\S+)::(\w+)` \|", PAGE.read_text(encoding="utf-8"))))


def test_the_page_of_attacks_is_up_to_date() -> None:
    assert PAGE.read_text(encoding="utf-8") == page()


def test_attacks_on_running_games_and_leagues_are_on_the_page() -> None:
    assert len(TESTS) > 40


@pytest.mark.parametrize(("path", "name"), TESTS)
def test_every_live_attack_has_its_test(path: str, name: str) -> None:
    assert is_test(path, name)


@pytest.mark.ci
def test_no_word_of_the_orders_changes_a_die(fresh: Callable[..., Stage]) -> None:
    """Whatever is ordered, whoever orders it last, and however often: the key of the exchange is the same."""
    mixes = set()
    for body in ("", "move none\n", "note a\n", "note b\n"):
        stage = fresh()
        stage.go()
        stage.send("bob", body)
        stage.send("alice", body)
        stage.send("alice", body * 2, rev=2)
        mixes.add(stage.resolve().mix.text)
    assert len(mixes) == 1


def test_a_key_for_which_anything_is_signed_cannot_be_enrolled(tmp_path: Path) -> None:
    table = make_table(tmp_path)
    weak = keys.PublicKey(b"\x01" + bytes(31), "")
    with pytest.raises(TrustFault, match="is not accepted"):
        table.club.add_player("mallory", keys.parse_public(weak.line))


def test_a_refused_file_sent_again_is_entered_once(tmp_path: Path) -> None:
    """Nobody can fill the ledger by sending one bad file a thousand times."""
    table = make_table(tmp_path)
    raw = table.sealed("alice", reveal=None)
    for _ in range(3):
        (verdict,) = desk.submit(table.club, raw)
        assert not verdict.is_accepted
    assert sum(text.startswith(b"refused ") for text in table.ledger()) == 1
    table.go()
    assert run_pass(table.club) == []
    assert len(table.club.book(GAME).history.exchanges) == 2


def test_hidden_cards_cannot_be_guessed_from_their_leaves(fresh: Callable[..., Stage]) -> None:
    """Without its salt the leaf of a card says nothing: no card gives it, salted with what is public."""
    stage = fresh()
    stage.go()
    public = stage.bundle("public")
    leaves = {line.split()[1] for line in public["log/leaves"].decode().splitlines()}
    known = {public[name].decode().strip() for name in public if name.endswith(".salt")} | {"", "0" * 64}
    names = ("1", "2", "3", "herald", "pillage", "sea-move", "truce", "victuals")
    drawn = [entry for entry in stage.book.entries if isinstance(entry, Drawn)]
    assert len(drawn) >= 10
    for entry in drawn:
        for name in {*names, entry.result}:
            text = f"draw {entry.exchange} {entry.owner} {entry.label} {name}\n".encode()
            assert not {ledger.leaf(salt, text) for salt in known} & leaves
