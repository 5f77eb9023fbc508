"""A false invitation comes first: it is refused, or the game can be forgotten; no chain is spent twice."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from pbem.errors import ConfigError
from pbem.play.setting import rules_hash
from pbem.player import Home
from pbem.player.faults import NotJoined, NotOurs
from pbem.trust.entries import Genesis
from pbem.trust.faults import SignatureFault
from pbem.trust.player_statements import read_join
from tests.player.judge import DEADLINE, GAME, START, Judge
from tests.player.tools import Stopped, killed_at


def invitation(judge: Judge, player: str = "alice") -> bytes:
    """The first letter of a judge."""
    return judge.mail(judge.letter(0, player)).encode()


def impostor(*joins: bytes) -> Judge:
    """A judge who has read the join files, and invites first, with a key of his own."""
    judge = Judge()
    judge.begin(*joins)
    return judge


@pytest.fixture
def true(alice: Home, joins: tuple[bytes, ...]) -> Judge:
    """The judge of a game to which another one has invited alice first."""
    true = impostor(*joins)
    alice.receive(invitation(impostor(*joins)))
    return true


def test_an_invitation_of_another_judge_than_the_join_names_is_refused(alice: Home, bob: Home) -> None:
    true = Judge()
    joins = (
        alice.join(GAME, player="alice", judge=true.key.public.fingerprint),
        bob.join(GAME, player="bob", judge=None),
    )
    true.begin(*joins)
    assert read_join(joins[0]).judge == true.key.public.fingerprint
    false = impostor(*joins)
    with pytest.raises(NotOurs, match="this invitation comes from another, "):
        alice.receive(invitation(false))
    alice.receive(invitation(true))
    assert alice.absent("alice", "2026-12-01", "2026-12-09"), "the games have one judge"
    alice.join("dunbar", player="alice", judge=false.key.public.fingerprint)
    judges = " and ".join(sorted(judge.key.public.fingerprint for judge in (true, false)))
    for home, which in ((alice, f"; your games have {judges}"), (bob, "")):
        with pytest.raises(ConfigError) as told:
            home.absent(home.path.name, "2026-12-01", "2026-12-09")
        assert str(told.value) == f"name the judge that gets it: --judge SHA256:...{which}"


def test_a_forgotten_game_of_which_nothing_was_shown_takes_the_true_invitation(
    alice: Home, joins: tuple[bytes, ...], true: Judge
) -> None:
    with pytest.raises(SignatureFault, match="pbem games --forget"):
        alice.receive(invitation(true))
    assert any("no step of your chain was shown" in text for text in alice.given_up(GAME))
    away = alice.forget(GAME)
    assert (away / "ledger.txt").exists()
    assert alice.join(GAME, player="alice", judge=None) == joins[0]
    alice.receive(invitation(true))
    alice.seal(None, game=GAME)


def test_a_chain_that_was_spent_is_never_used_again(
    alice: Home, joins: tuple[bytes, ...], true: Judge
) -> None:
    alice.seal(None, game=GAME)
    assert any("steps of it were shown" in text for text in alice.given_up(GAME))
    alice.forget(GAME)
    with pytest.raises(NotJoined):
        alice.receive(invitation(true))
    again = alice.join(GAME, player="alice", judge=None)
    old, new = read_join(joins[0]).anchor, read_join(again).anchor
    assert old != new
    with pytest.raises(NotOurs, match="another chain"):
        alice.receive(invitation(true))
    later = Judge()
    later.begin(again, joins[1])
    alice.receive(invitation(later))
    spent = alice.seal(None, game=GAME)
    assert old is not None
    assert later.read(1, "alice", spent.sealed).reveal is not None
    assert alice.forget(GAME).name == f"{GAME}-2"


@pytest.mark.ci(but=("1-True", "2-False"))
@pytest.mark.parametrize("after", [False, True])
@pytest.mark.parametrize("write", [1, 2, 3])
def test_forgetting_may_be_stopped_anywhere(alice: Home, true: Judge, write: int, after: bool) -> None:
    with pytest.raises(Stopped), killed_at(write, after=after):
        alice.forget(GAME)
    alice.forget(GAME)
    alice.receive(invitation(true))


def test_entries_dated_ahead_of_the_player_s_clock_are_remarked(invited: Judge, alice: Home) -> None:
    since = len(invited.entries)
    invited.receive(1, "alice", alice.seal(None, game=GAME).sealed)
    invited.close(1, at=START + timedelta(days=7))
    (arrival,) = alice.receive(invited.mail(invited.notice(1, since=since)).encode())
    assert any("(close)" in text and "one of the two clocks is wrong" in text for text in arrival.remarks)
    assert DEADLINE > START


@pytest.mark.parametrize(("rules", "told"), [("", False), ("1" * 64, True)])
def test_rules_that_this_program_does_not_have_are_named(
    alice: Home, joins: tuple[bytes, ...], rules: str, told: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = Judge.genesis

    def genesis(self: Judge) -> Genesis:
        pinned = rules or rules_hash("hammer")
        return replace(plain(self), rules=pinned, options=(("game", "hammer"),))

    monkeypatch.setattr(Judge, "genesis", genesis)
    (arrival,) = alice.receive(invitation(impostor(*joins)))
    said = [
        text for text in arrival.remarks if "is played by the rules 1111111111111111; this program" in text
    ]
    assert bool(said) is told
    assert not any("the rules" in text for text in arrival.remarks) or told


def test_the_command_says_what_is_given_up(
    alice: Home, invited: Judge, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from pbem.cli import main

    monkeypatch.setenv("PBEM_HOME", str(alice.path))
    assert main(["games", "--forget", GAME, "--yes"]) == 0
    told = capsys.readouterr()
    assert "no step of your chain was shown" in told.err
    assert f"{GAME} is forgotten" in told.out
