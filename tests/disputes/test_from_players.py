"""The club's disk is lost, and its players hand over what they have kept (protocol 18)."""

from __future__ import annotations

import gzip
import io
import shutil
import tarfile
from collections.abc import Callable
from pathlib import Path

import pytest

from pbem.audit.bundle import read_bundle
from pbem.audit.restoration import HandedOver, TwoHistories, rebuild
from pbem.errors import LedgerError
from pbem.judge.agenda import unconfirmed_ledgers
from pbem.judge.book import check_receipts
from pbem.judge.club import open_club
from pbem.judge.upkeep.mailbox_counter import End, ends_of, settle
from pbem.judge.upkeep.rebuilding import own_files
from pbem.player.store.evidence import write_archive
from pbem.trust import ledger
from pbem.trust.ledger import Checkpoint
from tests.disputes.story import GAME, SIDES, Run, Story
from tests.disputes.test_backup import back_up, last_head

pytestmark = pytest.mark.ci

Tables = dict[str, object]


def read_all(story: Story) -> None:
    for name in SIDES:
        story.receive(name)


def tables(story: Story) -> Tables:
    """The ledger of the game, its signed heads, and the files that it names."""
    club = open_club(story.folder / "club")
    store = club.store
    found: Tables = {"entry": list(store.entries(GAME)), "checkpoint": list(store.checkpoints(GAME))}
    found["bundle"] = sorted(own_files(club, GAME).items())
    found["receipts"] = sorted(store.receipt_hashes(GAME).items())
    store.close()
    return found


def letter_names(story: Story) -> list[str]:
    club = open_club(story.folder / "club")
    found = sorted(f"{name} to {player}" for player, name, _ in club.store.letter_names(GAME))
    club.store.close()
    return found


def ends(story: Story) -> dict[str, End]:
    """What a counter in a mailbox says of the club now."""
    club = open_club(story.folder / "club")
    found = ends_of(club.store)
    club.store.close()
    return found


def hand_over(story: Story, name: str) -> Path:
    path = story.folder / f"{name}-kept.tar.gz"
    path.unlink(missing_ok=True)
    story.pbem("hand-over", GAME, path, home=name)
    return path


def from_players(story: Story, *files: Path) -> Run:
    """The machine is gone; the backup is restored on another, with what players hand over."""
    shutil.rmtree(story.folder / "club")
    words = [word for file in files for word in ("--from-players", file)]
    run = story.pbem("restore", story.folder / "club.tar.gz", story.folder / "club", *words)
    story.pbem("take-over")
    return run


def play_on_after_a_backup(story: Story, exchanges: int = 2) -> None:
    back_up(story)
    for _ in range(exchanges):
        story.exchange(alice="done\n", bob="done\n")
    read_all(story)


def shown_by_the_counter(story: Story, known: dict[str, End]) -> list[str]:
    """A counter on another machine says how far the game had gone; what still waits then."""
    club = open_club(story.folder / "club")
    with club.store.step():
        settle(club, known, "the counter in the mailbox", is_newest=True)
    waits = unconfirmed_ledgers(club)
    club.store.close()
    return waits


def test_honest_players_files_rebuild_a_game(played: Story) -> None:
    play_on_after_a_backup(played)
    before, known = tables(played), ends(played)
    told = from_players(played, *(hand_over(played, name) for name in SIDES))
    assert f"{GAME}: added " in told.out
    assert tables(played) == before
    assert "was rebuilt from players' files" in played.pbem("confirm", GAME, *last_head(played), status=1).err
    assert shown_by_the_counter(played, known) == []
    played.exchange(alice="done\n", bob="done\n")
    played.bundle()
    assert "Exchange 6 has been played" in played.receive("bob")


def test_a_notice_after_the_backup_is_written_again_as_a_notice(played: Story) -> None:
    back_up(played)
    for what in ("hold", "resume"):
        played.pbem("act", GAME, what, "--reason", "x")
    read_all(played)
    before = [name for name in letter_names(played) if "notice" in name]
    from_players(played, hand_over(played, "alice"))
    assert before == [name for name in letter_names(played) if "notice" in name]


def test_letters_can_be_sent_again_as_they_were(played: Story) -> None:
    play_on_after_a_backup(played, 1)
    out = played.folder / "club/out/alice" / f"{GAME}-0004-report.txt"
    told = played.pbem("receive", out, "--whole", home="alice").out
    from_players(played, hand_over(played, "alice"))
    shown_by_the_counter(played, {})
    shutil.rmtree(played.folder / "club/out", ignore_errors=True)
    played.pbem("resend", GAME, "alice")
    played.pbem("run", status=None)
    assert "Exchange 4" in told
    assert played.pbem("receive", out, "--whole", home="alice").out == told


def test_one_player_s_file_is_enough_if_the_judge_passed_on_what_the_other_sent(played: Story) -> None:
    play_on_after_a_backup(played)
    before = tables(played)
    from_players(played, hand_over(played, "bob"))
    assert tables(played) == before


def test_a_game_that_was_begun_after_the_backup_is_rebuilt(fresh: Story) -> None:
    fresh.pbem("init", fresh.folder / "club", "--name", "test")
    for name in SIDES:
        fresh.pbem("keygen", name, home=name)
        fresh.pbem("player", "add", name, fresh.folder / name / f"keys/{name}.pub")
    fresh.pbem("backup", fresh.folder / "club.tar.gz")
    fresh.begin("--option", "scenario=braveheart")
    fresh.exchange()
    read_all(fresh)
    before = tables(fresh)
    from_players(fresh, *(hand_over(fresh, name) for name in SIDES))
    assert tables(fresh) == before


def test_a_game_of_strangers_is_not_rebuilt(fresh: Story) -> None:
    fresh.pbem("init", fresh.folder / "club", "--name", "test")
    fresh.pbem("backup", fresh.folder / "club.tar.gz")
    fresh.begin("--option", "scenario=braveheart")
    fresh.exchange()
    read_all(fresh)
    told = from_players(fresh, *(hand_over(fresh, name) for name in SIDES))
    assert f"{GAME} is not rebuilt: {GAME} was begun after the backup" in told.err


def test_a_player_who_keeps_the_newest_letter_back(played: Story) -> None:
    """The attack: bob hands over what he had before the last report, and the judge would sign another."""
    back_up(played)
    played.exchange(alice="done\n", bob="done\n")
    read_all(played)
    older = hand_over(played, "bob")
    played.exchange(alice="done\n", bob="done\n")
    read_all(played)
    known = ends(played)
    from_players(played, older)
    size, head = club_head(played)
    assert size < known[GAME].size
    assert "one of them may have a later letter" in played.pbem("confirm", GAME, size, head, status=1).err
    assert shown_by_the_counter(played, known) == [GAME]
    assert "what is missing is lost" in played.pbem("confirm", GAME, size, head, status=1).err


def club_head(story: Story) -> tuple[int, str]:
    club = open_club(story.folder / "club")
    found = club.store.head(GAME)
    club.store.close()
    return found


def test_the_other_player_s_file_shows_what_one_keeps_back(played: Story) -> None:
    back_up(played)
    played.exchange(alice="done\n", bob="done\n")
    read_all(played)
    older = hand_over(played, "bob")
    played.exchange(alice="done\n", bob="done\n")
    read_all(played)
    before = tables(played)
    from_players(played, older, hand_over(played, "alice"))
    assert tables(played) == before


def test_such_a_game_may_be_put_away(played: Story) -> None:
    """A head that nobody can go on from is known: the game waits, and ends by consent."""
    play_on_after_a_backup(played)
    kept = changed(hand_over(played, "alice"), lambda files: without(files, "sealed/", last=True))
    told = from_players(played, kept)
    assert "sealed/" in told.err
    assert "is missing" in told.err
    size, head = club_head(played)
    given: list[object] = []
    for name in SIDES:
        path = played.folder / f"{name}.consent"
        lost = int(last_head(played)[0]) - size
        words = ("put-away", size, head, "--lost", lost, "--as", name, "--out", path)
        played.pbem("consent", GAME, 5, *words, home=name)
        given += ["--consent", path]
    played.pbem("put-away", GAME, "--reason", "the disk died", *given)
    assert unconfirmed_ledgers(open_club(played.folder / "club")) == []


def without(files: dict[str, bytes], start: str, *, last: bool = False) -> dict[str, bytes]:
    """Files without those whose names begin so; `last`: without the orders of the last exchange alone."""
    if not last:
        return {name: data for name, data in files.items() if not name.startswith(start)}
    texts = [files[name] for name in sorted(files) if name.endswith(".entry")]
    lost = next(
        one.split()[-1] for one in reversed(texts) for one in one.splitlines()[:1] if b" sealed " in one
    )
    return {name: data for name, data in files.items() if lost.decode() not in name}


def changed(path: Path, change: Callable[[dict[str, bytes]], dict[str, bytes]]) -> Path:
    """A player's file, edited."""
    files = change(dict(read_bundle(path).known_files))
    path.unlink()
    write_archive(files, path)
    return path


def other_entry(files: dict[str, bytes]) -> dict[str, bytes]:
    name = max(name for name in files if name.endswith(".entry"))
    return files | {name: files[name].replace(b"open", b"opan")}


def other_leaf(files: dict[str, bytes]) -> dict[str, bytes]:
    lines = files["log/leaves"].decode().splitlines()
    number = len(lines)
    lines[-1] = f"{number} {'ab' * 32}"
    left = without(files, f"log/{number:04d}.")
    return left | {"log/leaves": "".join(f"{line}\n" for line in lines).encode()}


def other_orders(files: dict[str, bytes]) -> dict[str, bytes]:
    sealed = {name: data for name, data in files.items() if name.startswith("sealed/")}
    return files | {name: data[:-1] + bytes([data[-1] ^ 1]) for name, data in sealed.items()}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (other_entry, "is not used: it is damaged, or was changed"),
        (other_leaf, "have another head than the judge has signed, so it was changed"),
        (other_orders, "is not what its name says, and does not count"),
        (lambda files: without(files, "checkpoints/"), "no head in it was signed by this judge"),
        (lambda files: without(files, "log/0001"), "it holds no beginning of a game"),
        (lambda files: files | {"log/leaves": b"1 x\n"}, "is not used: it is damaged, or was changed"),
        (lambda files: dict.fromkeys(files, b"\xff" * 300), "is not used"),
    ],
)
def test_an_edited_file_counts_for_nothing(
    played: Story, change: Callable[[dict[str, bytes]], dict[str, bytes]], said: str
) -> None:
    """The attack: bob edits what he hands over. The honest file alone counts, and he is named."""
    play_on_after_a_backup(played)
    before = tables(played)
    told = from_players(played, changed(hand_over(played, "bob"), change), hand_over(played, "alice"))
    assert said in told.err
    assert "bob-kept.tar.gz" in told.err
    assert tables(played) == before


def test_a_forged_file_of_another_judge_counts_for_nothing(played: Story) -> None:
    """The attack: a whole game of that name, signed by somebody else as judge."""
    play_on_after_a_backup(played, 1)
    other = Story(played.folder / "forged", played.capture)
    other.folder.mkdir()
    other.begin("--option", "scenario=braveheart")
    other.exchange()
    read_all(other)
    forged = hand_over(other, "alice")
    before = tables(played)
    told = from_players(played, forged, hand_over(played, "bob"))
    assert "was signed with a key that this judge has not had" in told.err
    assert tables(played) == before


def test_two_histories_that_were_signed_are_never_joined(played: Story) -> None:
    """A judge who was restored too early has signed on: both players hold signed letters."""
    back_up(played)
    other = played.copied(played.folder.parent / "fork")
    played.exchange(alice="done\n", bob="done\n")
    other.exchange(alice="done\n", bob="move Bruce from Ross to Moray\ndone\n")
    read_all(played)
    read_all(other)
    told = from_players(played, hand_over(played, "alice"), hand_over(other, "bob"))
    assert "two" in told.err
    assert "neither goes on" in told.err
    assert unconfirmed_ledgers(open_club(played.folder / "club")) == [GAME]
    size, head = club_head(played)
    assert "neither goes on" in played.pbem("confirm", GAME, size, head, status=1).err


def test_a_signed_head_alone_contradicts(played: Story) -> None:
    """Bob cuts his ledger and leaves one signed head of another history in it."""
    back_up(played)
    club = open_club(played.folder / "club")
    own, roots = own_files(club, GAME), club.roots(GAME)
    size = len(own["log/leaves"].splitlines())
    denied = Checkpoint(game=GAME, size=size, head="ab" * 32)
    files = own | {
        f"checkpoints/{size:04d}.txt": denied.text,
        f"checkpoints/{size:04d}.sig": ledger.sign_statement(denied, club.key),
    }
    with pytest.raises(TwoHistories, match="two heads of"):
        rebuild(GAME, [HandedOver("bob", files)], own, roots, club.known_judge_key)


def secrets_of(story: Story, name: str) -> list[bytes]:
    """What must never be handed over: the bytes of keys, of chains' secrets and of drafts."""
    home = story.folder / name
    found = []
    for path in home.rglob("*"):
        if path.is_file() and (
            "chain-secret" in path.name or ("keys" in path.parts and path.suffix != ".pub")
        ):
            found += [line for line in path.read_bytes().split() if len(line) > 20]
    assert found
    return found


def test_no_key_no_secret_and_no_draft_is_handed_over(played: Story) -> None:
    play_on_after_a_backup(played, 1)
    draft = played.folder / "draft.txt"
    draft.write_text(f"pbem1 orders\ngame {GAME}\n---\nname a very secret plan\ndone\n", encoding="utf-8")
    sealed = played.folder / "draft.age"
    played.pbem("seal", draft, "--out", sealed, home="alice", status=None)
    assert sealed.exists(), "it was sealed, and never sent"
    path = hand_over(played, "alice")
    held = read_bundle(path)
    whole = gzip.decompress(path.read_bytes())
    assert held.foreign == ()
    for secret in secrets_of(played, "alice"):
        assert secret not in whole
        assert not any(secret in data for data in held.known_files.values())
    assert b"a very secret plan" not in whole
    kept = {name.partition("/")[0] for name in held.known_files}
    assert kept == {"log", "checkpoints", "sealed", "reports", "papers"}
    names = {
        data.split()[data.split().index(b"sealed") + 1].decode()
        for data in held.known_files.values()
        if b"\nsealed " in data or b" sealed " in data.split(b"\n")[0]
    }
    assert {name[7:-4] for name in held.known_files if name.startswith("sealed/")} <= names


def bomb(path: Path, name: str, size: int, count: int = 1) -> Path:
    """An archive of a few kilobytes that holds far more."""
    with gzip.open(path, "wb") as packed, tarfile.open(fileobj=packed, mode="w") as archive:
        for number in range(count):
            member = tarfile.TarInfo(name.format(number))
            member.size = size
            archive.addfile(member, io.BytesIO(bytes(size)))
    return path


def test_hostile_files_are_refused_by_their_size(played: Story) -> None:
    play_on_after_a_backup(played, 1)
    before = tables(played)
    hostile = [
        bomb(played.folder / "one.tar.gz", "log/leaves", 90_000_000),
        bomb(played.folder / "many.tar.gz", "sealed/" + "{:064x}.age", 1_900_000, 40),
        bomb(played.folder / "odd.tar.gz", "../{}", 10),
    ]
    (played.folder / "no.tar.gz").write_bytes(b"\x1f\x8b" + bytes(100))
    (played.folder / "empty.tar.gz").write_bytes(b"")
    hostile += [played.folder / "no.tar.gz", played.folder / "empty.tar.gz"]
    told = from_players(played, *hostile, hand_over(played, "bob"))
    for path in hostile:
        assert f"{path} is not used" in told.err
    assert tables(played) == before
    assert "Traceback" not in told.err


def test_orders_that_were_receipted_are_waited_for(played: Story) -> None:
    """Alice holds a receipt for orders that came after the last letter: no exchange ends without them."""
    play_on_after_a_backup(played, 1)
    known = ends(played)
    played.send("alice", "done\n")
    played.pbem("run", status=None)
    played.receive("alice")
    told = from_players(played, hand_over(played, "alice"), hand_over(played, "bob"))
    assert "-receipt-" in told.err
    assert "was sent to alice for orders that are not here" in told.err
    assert shown_by_the_counter(played, known) == []
    with pytest.raises(LedgerError, match="ask alice to send the same file once more"):
        check_receipts(open_club(played.folder / "club").store, GAME)
    played.send("bob", "done\n")
    played.pbem("submit", played.folder / "alice.age")
    played.pbem("run", status=None)
    assert "Exchange 5 has been played" in played.receive("bob")
    played.bundle()


def test_a_rehearsal_says_it_and_leaves_nothing(played: Story) -> None:
    play_on_after_a_backup(played, 1)
    kept = hand_over(played, "alice")
    told = played.pbem(
        "restore", played.folder / "club.tar.gz", "--rehearse", "--from-players", kept, status=1
    )
    assert f"{GAME}: added " in told.out
    assert f"{GAME} would wait" in told.out
