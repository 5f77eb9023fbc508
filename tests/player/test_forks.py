"""Two histories under one judge's signature: shouted, kept as proof for anyone, and the end of signing."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from pbem.errors import PbemError
from pbem.player import Home
from pbem.player.faults import Fork
from pbem.player.store.game_papers import Held, SignedCheckpoint
from pbem.trust import ledger
from pbem.trust.entries import Other
from tests.player.judge import GAME, Judge
from tests.player.tools import Play, Stopped, folder, killed_at, refused, stock_verifies, tree
from tests.trust.stock import run


def other_history(judge: Judge, number: int) -> Judge:
    """The same judge with another entry at this place."""
    entries = list(judge.entries)
    entries[number - 1] = Other(first="note another history")
    return replace(judge, entries=entries, salts=list(judge.salts), receipts={}, reveals={})


@pytest.fixture
def forked(alice: Home, play: Play, invited: Judge) -> PbemError:
    """After exchange 1 alice is shown another entry 9."""
    play(1)
    other = other_history(invited, 9)
    return refused(alice, other.mail(other.letter(1)))


def fork_of(home: Home) -> Path:
    (place,) = (folder(home) / "held").glob("fork-*")
    return place


def folded(leaves: Path) -> str:
    """The head that the shell folds from a file of leaves."""
    script = """
        head=0000000000000000000000000000000000000000000000000000000000000000
        while read n leaf; do
            head=$(printf 'pbem1 head hearth %d %s %s\\n' $n $head $leaf | sha256sum | cut -d' ' -f1)
        done < "$1"
        echo $head
    """
    return run("sh", "-euc", script, "sh", leaves).decode().strip()


def test_two_heads_of_one_size(alice: Home, forked: PbemError, invited: Judge) -> None:
    size, other, place = len(invited.entries), other_history(invited, 9), fork_of(alice)
    assert isinstance(forked, Fork)
    assert str(forked) == (
        "the judge of hearth has signed two histories: entry 9 is not the one that the judge showed you "
        "before\n"
        f"    kept:     {size} entries, head {invited.heads[-1]}\n"
        f"    received: {size} entries, head {other.heads[-1]}\n"
        f"    both are kept, with their signatures, in {place}; show them to the club, and send no more "
        f"orders"
    )
    for name in ("kept.txt", "received.txt"):
        stock_verifies(place, name, "pbem1-checkpoint")
    stock_verifies(place, "letter.txt", "pbem1-report")
    one, two = (ledger.parse_checkpoint((place / name).read_bytes()) for name in ("kept.txt", "received.txt"))
    assert (one.game, one.size) == (two.game, two.size)
    assert one.head != two.head
    assert folded(place / "kept.leaves") == one.head
    assert folded(place / "received.leaves") == two.head


def test_the_readme_s_commands_work(alice: Home, forked: PbemError) -> None:
    place = fork_of(alice)
    readme = (place / "README").read_text()
    assert "Both heads are of the same size, but they differ" in readme
    commands = [line.strip() for line in readme.splitlines() if line.strip().startswith("ssh-keygen")]
    assert len(commands) == 3
    for command in commands:
        assert b"Good" in run("sh", "-euc", f"cd '{place}'; {command}")


def test_a_longer_history_that_was_another_before(alice: Home, play: Play, invited: Judge) -> None:
    """The letter gives only new leaves, as usual; its head stands on an entry that nobody was shown."""
    play(1)
    known = len(invited.entries)
    other = other_history(invited, 9)
    other.close(2)
    other.resolve(2)
    fault = refused(alice, other.mail(other.letter(2, since=known)))
    size = len(other.entries)
    assert f"its head at entry {size} is not that of the ledger that the judge showed you" in str(fault)
    assert isinstance(fault, Fork)
    place = fork_of(alice)
    assert folded(place / "received.leaves") != other.heads[-1]
    assert (
        "a head does\nnot follow from the leaves that the judge sent with it"
        in (place / "README").read_text()
    )


@pytest.mark.parametrize(("number", "size", "known"), [(2, 2, 2), (4, 5, 12)])
def test_a_shorter_history(
    alice: Home, play: Play, invited: Judge, number: int, size: int, known: int
) -> None:
    """An old size with a new head: the kept head of that size stands against it, or the next one kept."""
    play(2)
    other = other_history(invited, number)
    assert isinstance(refused(alice, other.mail(other.letter(0, size=size))), Fork)
    place = fork_of(alice)
    kept = ledger.parse_checkpoint((place / "kept.txt").read_bytes())
    assert kept.size == known
    assert folded(place / "kept.leaves") == kept.head


def test_a_head_that_came_before_its_letters(alice: Home, play: Play, invited: Judge) -> None:
    """The last of several heads that are kept: no letter has shown its entries yet."""
    play(1)
    size = len(invited.entries)
    other = other_history(invited, 9)
    for judge in (other, invited):
        judge.close(2)
    letter = other.letter(2, since=size)
    alice.folder(GAME).judge_statements.keep_checkpoint(SignedCheckpoint(letter.checkpoint, letter.signature))
    fault = refused(alice, invited.mail(invited.letter(2, since=size)))
    assert isinstance(fault, Fork)
    assert f"it does not fit the head at entry {len(other.entries)} kept before" in str(fault)


def test_a_fork_met_twice_is_kept_once(alice: Home, forked: PbemError, invited: Judge) -> None:
    before, other = tree(alice.path), other_history(invited, 9)
    refused(alice, other.mail(other.letter(1)))
    assert tree(alice.path) == before


def test_another_fork_gets_a_place_of_its_own(alice: Home, forked: PbemError, invited: Judge) -> None:
    other = other_history(invited, 10)
    refused(alice, other.mail(other.letter(1)))
    assert len(list((folder(alice) / "held").glob("fork-*"))) == 2


def test_nothing_is_signed_after_a_fork(alice: Home, forked: PbemError) -> None:
    place = fork_of(alice)
    with pytest.raises(PbemError) as caught:
        alice.seal(None)
    assert str(caught.value) == (
        f"the judge of hearth has signed two histories ({place}): nothing more is signed for it; when the "
        f"club has decided, move that folder to another place"
    )
    assert (alice.games()[0].forks, alice.games()[0].step) == ((place,), None)
    place.rename(place.with_name("settled"))
    assert alice.seal(None).exchange == 2


def test_the_kept_history_still_goes_on(alice: Home, forked: PbemError, invited: Judge) -> None:
    known = len(invited.entries)
    invited.close(2)
    invited.resolve(2)
    (arrival,) = alice.receive(invited.mail(invited.letter(2, since=known)).encode())
    assert arrival.new


@pytest.mark.ci
@pytest.mark.parametrize("write", [1, 2, 3, 4, 5])
def test_a_head_kept_before_a_kill_still_convicts(
    alice: Home, play: Play, invited: Judge, write: int
) -> None:
    """The program dies while it keeps a letter; the judge uses the moment to show another history."""
    play(1)
    known = len(invited.entries)
    invited.close(2)
    other = replace(invited, entries=list(invited.entries), salts=list(invited.salts))
    other.add(Other(first="note another history"))
    invited.resolve(2)
    other.resolve(2)
    honest = invited.mail(invited.letter(2, since=known))
    try:
        with killed_at(write, after=True):
            alice.receive(honest.encode())
    except Stopped:
        pass
    held = {path.read_bytes() for path in (folder(alice) / "held").glob("checkpoint-*.txt")}
    was_held = any(f"size {len(invited.entries)}\n".encode() in text for text in held)
    other.entries = other.entries[: len(invited.entries)]
    other.salts = other.salts[: len(invited.entries)]
    letter = replace(other.notice(2, since=known), player="alice")
    if was_held:
        assert isinstance(refused(alice, other.mail(letter)), Fork)
    else:
        (arrival,) = alice.receive(other.mail(letter).encode())
        assert arrival.kind == "notice"


def test_before_the_invitation_nobody_can_leave_evidence(alice: Home, judge: Judge) -> None:
    """Whoever signs a nonsense invitation is not the judge yet: nothing may block the real one."""
    letter = judge.letter(0)
    broken = replace(letter, opened=())
    fault = refused(alice, judge.mail(broken))
    assert str(fault) == (
        "this cannot begin a game: the first entry is not a genesis, with which a ledger begins"
    )
    assert not (alice.path / f"games/{GAME}/held").exists()
    alice.receive(judge.mail(letter).encode())


# Where evidence lies


def test_two_proofs_of_one_length_are_two_folders(tmp_path: Path) -> None:
    held = Held(tmp_path, ())
    first = held.keep_evidence("fork", {"head.txt": b"1"})
    assert held.keep_evidence("fork", {"head.txt": b"2"}) != first
    assert held.keep_evidence("fork", {"head.txt": b"1"}) == first
    assert (first / "head.txt").read_bytes() == b"1"
