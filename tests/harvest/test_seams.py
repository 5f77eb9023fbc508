"""What a game that is installed from outside must be able to count on."""

from __future__ import annotations

from pathlib import Path

import pytest

from pbem.rules import Outcome
from pbem.titles import load
from tests.harvest.conftest import GAME, PLAYERS, RULES, Three
from tests.running import python
from tests.titles.installed import wheel_to

pytestmark = pytest.mark.ci


def concede(three: Three, name: str) -> None:
    """A player signs that they give up, and the game master enters it."""
    exchange = three.open_exchange()
    consent = three.folder / f"{name}.consent"
    three.pbem("consent", GAME, exchange, "concede", name, "--as", name, "--out", consent, home=name)
    three.pbem("act", GAME, "concede", name, "--reason", "has to go", "--consent", consent)


def test_who_concedes_leaves_two_who_play_on(begun: Three) -> None:
    begun.bids(*PLAYERS)
    concede(begun, "bob")
    ledger = begun.ledger()
    assert "concede bob" in ledger
    assert "agreed on a draw" not in ledger
    assert "\nover" not in ledger
    for _ in range(2):
        assert "resolved" in begun.bids("alice", "carol")
    assert "the game is over" in begun.pbem("status").out
    begun.bundle()
    assert "refuted" not in begun.audit.lower()


def test_who_has_just_conceded_hands_in_nothing_more_and_gets_no_receipt(begun: Three) -> None:
    begun.bids(*PLAYERS)
    lowest = begun.hand("bob")[0]
    concede(begun, "bob")
    orders = begun.folder / "bob.orders"
    orders.write_text(f"bid {lowest}\n")
    sealed = begun.folder / "bob.age"
    begun.pbem("seal", orders, "--game", GAME, "--out", sealed, home="bob", status=None)
    assert "bob no longer plays in" in begun.pbem("submit", sealed, status=1).err
    before = begun.ledger()
    assert f"received {begun.open_exchange()} bob" not in before


def test_the_last_who_is_left_has_won(begun: Three) -> None:
    concede(begun, "bob")
    concede(begun, "alice")
    assert "winner west\nreason alice concedes" in begun.ledger()
    assert "refuted" not in begun.audit.lower()


def test_a_judge_who_ends_it_though_the_others_play_on_is_found(
    begun: Three, monkeypatch: pytest.MonkeyPatch
) -> None:
    rules = type(load(RULES).rules)
    with monkeypatch.context() as patch:
        patch.setattr(rules, "leave", lambda *_: Outcome("west", "a friend's favour"))
        concede(begun, "bob")
    begun.bundle(status=3)
    assert "the game is said to be over when bob leaves; the others play on" in begun.audit


def test_a_judge_who_goes_on_though_the_rules_end_it_is_found(
    begun: Three, monkeypatch: pytest.MonkeyPatch
) -> None:
    concede(begun, "bob")
    begun.bids("alice", "carol")
    monkeypatch.setattr(
        type(load(RULES).rules), "leave", lambda *_: Outcome("west", "", (("west",), ("north", "south")))
    )
    begun.bundle(status=3)
    assert "how the game ended" in begun.audit
    assert "winner west" in begun.audit


def test_a_roll_back_brings_back_who_has_left(begun: Three) -> None:
    begun.bids(*PLAYERS)
    concede(begun, "bob")
    begun.bids("alice", "carol")
    number = begun.open_exchange()
    consents = []
    for name in ("alice", "carol"):
        path = begun.folder / f"{name}.consent"
        words = ("consent", GAME, number, "roll-back", "3", "--as", name, "--out", path)
        begun.pbem(*words, home=name)
        consents += ["--consent", path]
    begun.pbem("act", GAME, "roll-back", "3", "--reason", "bob is back", *consents)
    assert "waiting for alice, bob and carol" in begun.pbem("status").out
    begun.bids(*PLAYERS)
    begun.bundle()


def test_a_report_without_a_hand_can_be_checked(begun: Three) -> None:
    (begun.folder / "report.txt").write_text(begun.last_report("alice"))
    (begun.folder / "draft.txt").write_text(f"bid {begun.hand('alice')[0]}\nbidd 3\n")
    found = begun.pbem("check", begun.folder / "draft.txt", "--report", begun.folder / "report.txt", status=1)
    shown = found.out + found.err
    assert "not sent yet" in shown
    assert "no order begins with 'bidd'; did you mean bid?" in shown


def test_the_pin_covers_every_file_of_the_game(project: Path, installed: Path, tmp_path: Path) -> None:
    """A template and a rule are changed where the game is installed: it is another game each time."""
    wheel_to(installed / "projects" / RULES, tmp_path)
    command = f"from pbem.play.setting import rules_hash; print(rules_hash({RULES!r}))"

    def pinned() -> str:
        path = f"{project}:{tmp_path}"
        shown = python("-c", command, env={"PYTHONPATH": path})
        return shown.stdout

    found = [pinned()]
    for name in ("rules.py", "templates/position.txt.j2"):
        path = tmp_path / RULES / name
        path.write_text(path.read_text() + "\n")
        found.append(pinned())
    assert len(set(found)) == 3


def test_reports_are_written_by_the_game_s_own_template(begun: Three) -> None:
    assert "FARMS\n\nNorth" in begun.last_report("alice")


def test_an_explanation_cites_the_game_s_own_rulings(begun: Three) -> None:
    begun.bids("alice", "bob", "carol")
    told = begun.pbem("explain", GAME, "exchange 2 bids", "--reason", "a dispute").out
    assert "R1 A farm that has left (3)" in told
