"""After a restore the highest head is read from mail, and never too low."""

from __future__ import annotations

import io
import mailbox
import os
import re
import shutil
import tarfile
import tracemalloc
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path

import pytest

from pbem.cli import main
from pbem.errors import ConfigError
from pbem.judge.agenda import read_agendas, unconfirmed_ledgers
from pbem.judge.club import open_club
from pbem.judge.export import Bundle, write_bundle
from pbem.judge.intake.waiting_list import waiting_consents
from pbem.judge.leagues.book import begin_league
from pbem.judge.newgame import new_game
from pbem.judge.upkeep.backups import restore
from pbem.judge.upkeep.folder_identity import take_over
from pbem.leagues.statements import ABSENT
from pbem.service.one_pass import Pass
from pbem.trust import keys
from pbem.trust.identifiers import Namespace
from pbem.trust.ledger import Checkpoint
from pbem.trust.orderfile import Seen
from pbem.trust.rotations import sign_rotation
from pbem.trust.sealing import to_armor
from pbem.trust.signature import sign
from tests.judge.table import GAME, START, TITLE, copy_of_disk, join_of
from tests.leagues.world import World
from tests.mail.postal import JUDGE, Postal, mail
from tests.mail.test_leagues import FILE as CUP
from tests.mail.test_passes import body, letters, names

pytestmark = pytest.mark.ci


SENT = f"sent@{JUDGE.partition('@')[2]}"


def confirm(club: Path, *words: str | Path) -> int:
    return main(["confirm", GAME, *map(str, words), "--club", str(club)])


@dataclass
class Kept(Postal):
    """A judge who keeps a copy of all that they send, and what their commands say."""

    folder: Path = Path()
    capture: pytest.CaptureFixture[str] | None = None
    archive: Path = Path()

    @property
    def sent(self) -> Path:
        """Where the copies are kept."""
        return self.post.box("sent")

    @property
    def err(self) -> str:
        """What the commands since the last time have said of what is wrong."""
        assert self.capture is not None
        return self.capture.readouterr().err

    def back_up(self, folder: Path | None = None) -> Path:
        self.archive = super().back_up(folder or self.folder)
        return self.archive

    def restore(self) -> Path:
        """The club in a new folder, as it was backed up last."""
        self.come_back(self.archive)
        return self.table.club.path

    def confirm(self, *words: str | Path) -> int:
        """`pbem confirm`, for the game."""
        return confirm(self.table.club.path, *words)


@pytest.fixture
def keeper(postal: Postal, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Kept:
    """A copy of all that the judge sends is kept."""
    postal.settle(sent_to=SENT)
    return Kept(postal.table, postal.post, folder=tmp_path, capture=capsys)


@pytest.fixture
def kept(keeper: Kept) -> Kept:
    """The same, and the game is at exchange 3."""
    keeper.run()
    keeper.go(2)
    return keeper


def test_the_judge_s_sent_mail_confirms_by_itself(kept: Kept, capsys: pytest.CaptureFixture[str]) -> None:
    kept.back_up()
    kept.send("status\n")
    kept.restore()
    assert [line.game for line in kept.run() if line.trouble] == [""]
    new = kept.post.box("judge") / "new"
    assert kept.confirm("--sent", kept.sent) == 0
    told = capsys.readouterr().out
    assert "all 6 letters of demo in the sent mail are known" in told
    assert unconfirmed_ledgers(kept.table.club) == []
    kept.go()
    assert kept.table.exchange == 4
    kept.run()  # reads what the judge wrote to the old folder
    assert not list(new.iterdir())


def test_what_was_confirmed_after_an_earlier_restore_confirms_nothing_after_this_one(kept: Kept) -> None:
    """Also where a clock dates both restores alike, as one that begins anew with each start of a machine."""
    kept.back_up()
    kept.restore()
    assert kept.confirm("--sent", kept.sent) == 0
    now = kept.table.clock.now
    (kept.folder / "again").mkdir()
    kept.back_up(kept.folder / "again")
    kept.restore()
    assert kept.table.clock.now == now
    assert unconfirmed_ledgers(kept.table.club) == ["demo"]


def test_a_folder_that_is_called_as_a_part_is_never_removed_unasked(kept: Kept, tmp_path: Path) -> None:
    archive, target, part = kept.back_up(), tmp_path / "club2", tmp_path / "club2.part"
    part.mkdir()
    (part / "mine").write_text("mine")
    with pytest.raises(ConfigError, match=r"club2\.part exists already, perhaps of a restore that was ended"):
        restore(archive, target)
    assert (part / "mine").read_text() == "mine"
    assert not target.exists()


def test_a_restore_that_is_killed_at_its_very_end_is_told_to_be_whole(
    kept: Kept, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    archive, target = kept.back_up(), tmp_path / "club2"
    restore(archive, target).store.close()  # and nothing is printed
    assert main(["restore", str(archive), str(target)]) == 1
    told = capsys.readouterr().err
    assert "club2 exists already, and holds a club that was restored at " in told
    assert f"pbem club status --club {target} says what to confirm" in told


@pytest.mark.parametrize("damage", ["archive", "database"])
def test_a_restore_that_fails_leaves_nothing_behind(kept: Kept, tmp_path: Path, damage: str) -> None:
    archive, target = kept.back_up(), tmp_path / "club2"
    if damage == "archive":
        archive.write_bytes(archive.read_bytes()[:2_000])
    else:
        whole = {}
        with tarfile.open(archive) as opened:
            for member in opened:
                stream = opened.extractfile(member)
                whole[member.name] = stream.read() if stream else None
        with tarfile.open(archive, "w:gz") as made:
            for name, data in whole.items():
                entry, bad = tarfile.TarInfo(name), b"no database" * 999
                entry.type = tarfile.DIRTYPE if data is None else tarfile.REGTYPE
                content = bad if name.endswith(".db") else data or b""
                entry.size = len(content)
                made.addfile(entry, io.BytesIO(content))
    with pytest.raises(Exception, match=r"."):
        restore(archive, target)
    assert not target.exists()
    assert not target.with_name("club2.part").exists()


def test_a_letter_that_the_backup_does_not_know_shows_that_it_is_too_old(kept: Kept) -> None:
    """Both had sent their orders, the judge has answered, and nobody has read it yet."""
    kept.back_up()
    kept.go()
    kept.restore()
    assert kept.confirm("--sent", kept.sent, "--from", kept.post.box("judge")) == 1
    assert "demo-0003-report.txt was sent to alice, and the backup does not know it" in kept.err
    assert unconfirmed_ledgers(kept.table.club) == [GAME]


def test_orders_are_fetched_again_though_the_backup_has_never_seen_the_mailbox(keeper: Kept) -> None:
    """The backup is from before the first pass; what the judge has taken since is marked as read."""
    keeper.back_up()
    keeper.run()
    keeper.deliver(keeper.table.sealed("alice"))
    assert "demo-receipt-0001.txt" in names(keeper.mails("alice"))
    keeper.restore()
    assert keeper.confirm("--sent", keeper.sent) == 0
    keeper.run()
    received = keeper.table.book.history.exchanges[0].received
    assert [entry.player for entry in received] == ["alice"]


def test_a_letter_to_somebody_whom_the_backup_does_not_know_counts(kept: Kept) -> None:
    """A substitute who came after the backup."""
    letter = mail("", JUDGE, Message_ID="<pbem1.demo.carol.demo-0003-notice-40.copy2@club.example>")
    mailbox.Maildir(kept.sent).add(letter)
    kept.back_up()
    kept.restore()
    assert kept.confirm("--sent", kept.sent) == 1
    assert "demo-0003-notice-40.txt was sent to carol" in kept.err


def test_orders_alone_confirm_nothing(kept: Kept, tmp_path: Path) -> None:
    kept.back_up()
    size, head = kept.table.club.store.head(GAME)
    (tmp_path / "alice.eml").write_bytes(mail(kept.table.sealed("alice")))
    kept.go()
    kept.restore()
    assert kept.confirm("--from", tmp_path / "alice.eml") == 1
    told = kept.err
    assert f"alice, in exchange 3, has seen a ledger of {size} entries" in told
    assert f"pbem club confirm demo {size} {head}" in told
    assert unconfirmed_ledgers(kept.table.club) == [GAME]


def test_orders_show_what_is_lost(kept: Kept, tmp_path: Path) -> None:
    kept.back_up()
    old = kept.table.club.book(GAME).size
    box = mailbox.mbox(tmp_path / "box")
    box.add(mail("hello\n"))
    for name in ("alice", "bob"):
        kept.go()
        box.add(mail(kept.table.sealed(name), f"{name}@example.org"))
    seen = kept.table.club.book(GAME).size
    box.close()
    kept.restore()
    assert kept.confirm("--from", tmp_path / "box") == 1
    told = kept.err
    assert f"bob has signed, in exchange 5, to have seen a ledger of {seen} entries of demo" in told
    assert f"and this backup ends at entry {old}; only a player says so" in told
    assert "the mails do not show if it is" in told


@pytest.mark.parametrize(("ahead", "said"), [(5, "ends at entry"), (-1, "has another head there")])
def test_a_player_s_false_word_is_told_as_that(kept: Kept, tmp_path: Path, ahead: int, said: str) -> None:
    """The sent mail is whole: nothing says that the backup is too old, but one of two who has signed it."""
    kept.back_up()
    book = kept.table.club.book(GAME)
    lie = kept.table.sealed("alice", seen=Seen(book.size + ahead, "ab" * 32))
    with closing(mailbox.mbox(tmp_path / "box")) as box:
        box.add(mail(lie))
        box.add(mail(kept.table.sealed("bob"), "bob@example.org"))
    kept.restore()
    assert kept.confirm("--sent", kept.sent, "--from", tmp_path / "box") == 1
    told = kept.err
    assert "too old" not in told
    assert f"alice has signed, in exchange 3, to have seen a ledger of {book.size + ahead} entries" in told
    assert said in told
    assert "may be false: all 6 letters of demo in the sent mail are known, and none is missing" in told
    assert "ask alice for the newest checkpoint" in told
    assert unconfirmed_ledgers(kept.table.club) == [GAME]
    entered = told.rstrip().rpartition("pbem club confirm demo ")[2].split()
    assert kept.confirm(*entered) == 0
    assert unconfirmed_ledgers(kept.table.club) == []


def test_only_names_of_the_game_s_letters_are_read(kept: Kept) -> None:
    """A huge letter of another game, and a huge one of this game, cost a confirmation no memory."""
    huge = bytes(20_000_000)
    with kept.table.club.store.step():
        kept.table.club.store.add_letter("other", "alice", "other-0001-report.txt", huge)
        kept.table.club.store.add_letter(GAME, "alice", "demo-picture.txt", huge)
    tracemalloc.start()
    try:
        assert kept.confirm("--sent", kept.sent) == 0
        assert tracemalloc.get_traced_memory()[1] < len(huge)
    finally:
        tracemalloc.stop()


def second_game(kept: Postal, game: str) -> None:
    """A game more at the same table; its first letters leave."""
    table = kept.table
    joins = {}
    for person in table.people.values():
        joins[person.side] = join_of(game, person.name, person.key, person.chain.anchor)
    new_game(table.club, game, TITLE.name, dict(TITLE.excerpt or {}), joins)
    kept.run()


def test_one_reading_confirms_all_that_wait(kept: Kept, capsys: pytest.CaptureFixture[str]) -> None:
    """Of two games the sent mail is whole, and a letter of the third is lost: that one waits on."""
    sent = kept.sent
    for game in ("second", "demo-2"):
        second_game(kept, game)
    for path in (sent / "new").iterdir():
        if b"<pbem1.second.alice.second-" in path.read_bytes():
            path.unlink()
    kept.back_up()
    kept.restore()
    words = ["confirm", "--sent", str(sent), "--club", str(kept.table.club.path)]
    assert main(words) == 1
    told = capsys.readouterr()
    assert [line.partition(" goes on from ")[0] for line in told.out.splitlines()] == [GAME, "demo-2"]
    assert "pbem: second: " in told.err
    assert "the sent mail lacks second-" in told.err
    assert unconfirmed_ledgers(kept.table.club) == ["second"]
    assert kept.confirm("--sent", sent) == 0
    assert main(words) == 1
    last = kept.table.club.store.checkpoints("second")[-1]
    assert main(["confirm", "second", str(last.size), last.head, "--club", str(kept.table.club.path)]) == 0
    capsys.readouterr()
    assert main(words) == 0
    said = "no game waits for it; after a restore the first pass says which do: pbem club run\n"
    assert capsys.readouterr().out == said
    assert main(["confirm", "league.scots", *words[1:]]) == 1
    assert "no league called scots" in kept.err


@pytest.fixture
def league(keeper: Kept) -> Kept:
    """A league of two whose first call is open, of a judge who keeps a copy of all that they send."""
    postal = keeper
    begin_league(postal.table.club, CUP)
    world = World(postal.table.club, postal.table.clock)
    for name in ("ann", "ben"):
        postal.send(world.entry(name).decode(), sender=f"{name}@example.org")
    postal.run()
    postal.table.clock.now = datetime(2026, 2, 1, 12, tzinfo=UTC)
    postal.run(after_gap=True)
    return postal


def world_of(league: Postal) -> World:
    """The league's people, and its ledger as the club has it now."""
    return World(league.table.club, league.table.clock)


def test_sent_mail_confirms_a_league(league: Kept, capsys: pytest.CaptureFixture[str]) -> None:
    """All letters that the backup knows are there: it goes on with the call that is open."""
    league.back_up()
    league.restore()
    assert unconfirmed_ledgers(league.table.club) == [GAME, "league.cup"]
    assert main(["confirm", "--sent", str(league.sent), "--club", str(league.table.club.path)]) == 0
    assert "league.cup goes on from" in capsys.readouterr().out
    assert unconfirmed_ledgers(league.table.club) == []
    world = world_of(league)
    for name in ("ann", "ben"):
        league.send(to_armor(world.reply(name)), sender=f"{name}@example.org")
    league.run()
    assert world.book.season.calls[0].resolved is not None


@pytest.mark.parametrize(
    ("what", "named"),
    [("reply", r"cup-r1-1-\d+-report\.txt"), ("said", r"league\.cup\S*-said-\d+\.txt")],
)
def test_a_league_letter_that_the_backup_does_not_know_shows_that_it_is_too_old(
    league: Kept, what: str, named: str
) -> None:
    """A receipt for something said names its entry: it tells as much as a signed head.

    So does a letter of a game that was drawn since.
    """
    league.back_up()
    world = world_of(league)
    for name in ("ann", "ben"):
        said = {
            "said": world.statement(name, ABSENT, rounds=(2, 2)).decode(),
            "reply": to_armor(world.reply(name)),
        }
        league.send(said[what], sender=f"{name}@example.org")
    league.run()
    lost = world.book
    league.restore()
    words = ["confirm", "league.cup", "--club", str(league.table.club.path)]
    assert main([*words, "--sent", str(league.sent)]) == 1
    told = league.err
    assert re.search(rf"{named} was sent to ann, and the backup does not know it", told)
    assert main([*words, str(lost.size), lost.head]) == 1
    assert "cannot go on from this backup" in league.err
    assert unconfirmed_ledgers(league.table.club) == [GAME, "league.cup"]


def test_answers_to_a_call_that_were_receipted_are_waited_for(league: Kept) -> None:
    league.back_up()
    world = world_of(league)
    league.deliver(to_armor(world.reply("ann")), sender="ann@example.org")
    league.restore()
    assert (
        main(["confirm", "league.cup", "--sent", str(league.sent), "--club", str(league.table.club.path)])
        == 0
    )
    assert "league.cup-receipt-0001.txt was sent to ann" in league.err
    league.run()
    assert "ann" in world_of(league).book.season.calls[0].counted(), "fetched from the mailbox once more"


def test_sent_mail_with_gaps_confirms_nothing(kept: Kept) -> None:
    kept.back_up()
    sent = kept.sent
    for path in (sent / "new").iterdir():
        if b"demo-0001-report.id" in path.read_bytes():
            path.unlink()
    kept.restore()
    assert kept.confirm("--sent", sent) == 1
    assert "the sent mail lacks demo-0001-report.txt to alice" in kept.err
    assert unconfirmed_ledgers(kept.table.club) == [GAME]


def test_forged_orders_raise_nothing(kept: Kept, tmp_path: Path) -> None:
    """Sealed to the right key, signed by another: it is no witness."""
    kept.back_up()
    kept.table.people["alice"].key = kept.table.people["bob"].key
    forged = kept.table.sealed("alice", seen=Seen(900, "ab" * 32))
    (tmp_path / "forged.eml").write_bytes(mail(forged))
    kept.restore()
    assert kept.confirm("--from", tmp_path / "forged.eml") == 1
    assert "900 entries" not in kept.err
    assert kept.confirm("--sent", kept.sent, "--from", tmp_path / "forged.eml") == 0


@pytest.mark.parametrize("words", [[], ["12"], ["12", "ab", "--sent", "."]])
def test_it_is_one_way_or_the_other(kept: Kept, words: list[str]) -> None:
    assert kept.confirm(*words) == 2


def test_what_holds_no_mail_is_named(kept: Kept, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    assert kept.confirm("--sent", tmp_path / "empty") == 1
    assert "is not a maildir" in kept.err


def test_a_pass_before_that_signs_nothing_and_keeps_what_comes(kept: Kept) -> None:
    """Orders that come while the game waits are taken in when it goes on, though its deadline has passed."""
    kept.back_up()
    kept.restore()
    before = kept.table.club.book(GAME).size
    kept.send(kept.table.sealed("alice"), "alice@example.org")
    kept.mails("alice")
    (wrong,) = [line for line in kept.run() if line.trouble]
    assert wrong.text.startswith(f"{GAME}: restored from a backup and not confirmed")
    assert "pbem club confirm GAME SIZE HEAD" in wrong.text
    (told,) = kept.mails("alice")
    assert "this file is kept, and counts when the game goes on" in " ".join(body(told).split())
    kept.after(30, after_gap=True)
    assert kept.table.club.book(GAME).size == before
    assert kept.confirm("--sent", kept.sent) == 0
    kept.run(after_gap=True)
    assert "demo-receipt-0003.txt" in names(kept.mails("alice"))
    assert list(kept.table.club.book(GAME).history.exchanges[2].counted()) == ["alice"]


def test_a_game_that_cannot_be_confirmed_stops_no_other(kept: Kept) -> None:
    """One game had a report since the backup; the other goes on, and that one signs nothing."""
    second_game(kept, "second")
    kept.back_up()
    kept.go()
    kept.restore()
    assert main(["confirm", "--sent", str(kept.sent), "--club", str(kept.table.club.path)]) == 1
    assert unconfirmed_ledgers(kept.table.club) == [GAME]
    kept.table.clock.pass_days(30)
    lines = kept.run(after_gap=True)
    assert any(line.game == "second" and "exchange 1 resolved" in line.text for line in lines)
    assert kept.table.exchange == 3


def test_a_game_of_which_something_is_lost_ends_by_consent(kept: Kept, tmp_path: Path) -> None:
    """Everybody's, by name; then it is over, its players are told, and nothing is signed of it."""
    kept.back_up()
    kept.go()
    kept.restore()
    assert kept.confirm("--sent", kept.sent) == 1
    last = kept.table.club.store.checkpoints(GAME)[-1]
    for name in kept.table.people:
        said = kept.table.consent(f"put-away {last.size} {last.head}", name, seen=(1, kept.table.genesis))
        (tmp_path / name).write_bytes(said)
    words = ["put-away", GAME, "--reason", "the disk died", "--club", str(kept.table.club.path), "--consent"]
    assert main([*words, str(tmp_path / "alice")]) == 1
    assert unconfirmed_ledgers(kept.table.club) == [GAME]
    size = kept.table.club.book(GAME).size
    assert main([*words, str(tmp_path / "alice"), "--consent", str(tmp_path / "bob")]) == 0
    assert unconfirmed_ledgers(kept.table.club) == []
    kept.mails("alice"), kept.mails("bob")
    assert [line for line in kept.run() if line.trouble] == []
    for name in ("alice", "bob"):
        told = [body(one) for one in kept.mails(name)]
        assert sum("the disk died" in one for one in told) == 1, told
    (verdict,) = kept.table.send("alice")
    assert not verdict.is_accepted
    assert kept.table.club.book(GAME).size == size


def test_a_game_that_goes_on_is_not_put_away(kept: Kept) -> None:
    assert main(["put-away", GAME, "--reason", "x", "--club", str(kept.table.club.path)]) == 1
    assert "does not wait after a restore" in kept.err


def test_what_was_seen_contradicted_is_not_confirmed_by_hand(
    kept: Kept, capsys: pytest.CaptureFixture[str]
) -> None:
    """The sent mail holds a report that the backup does not know: no word undoes that, but another look."""
    kept.back_up()
    size, head = kept.table.club.store.head(GAME)
    sent = kept.sent
    before = {path.name for path in (sent / "new").iterdir()}
    kept.go()
    kept.restore()
    assert kept.confirm("--sent", sent) == 1
    capsys.readouterr()
    assert kept.confirm(str(size), head) == 1
    told = kept.err
    assert "demo-0003-report.txt was sent to alice, and the backup does not know it" in told
    assert "pbem club confirm demo --sent MAILDIR" in told
    assert unconfirmed_ledgers(kept.table.club) == [GAME]
    for path in (sent / "new").iterdir():  # they were forged, and the game master has looked at them
        if path.name not in before:
            path.unlink()
    assert kept.confirm("--sent", sent) == 0
    assert kept.confirm(str(size), head) == 0


def rebuilt(kept: Kept, folder: Path, into: str) -> list[str]:
    """The backup is restored with the sides' bundles as they are now; what `pbem restore` says is wrong."""
    sides = [TITLE.rules.sides({})[number] for number in (0, 1)]
    words: list[str] = []
    for side in sides:
        write_bundle(Bundle(kept.table.club, kept.table.club.book(GAME), side).files(), folder / side)
        words += ["--from-players", str(folder / side)]
    return [*words, into]


@pytest.mark.parametrize("later", [False, True], ids=["all is there", "a letter is kept back"])
def test_sent_mail_alone_confirms_a_game_that_was_rebuilt_from_players_files(
    kept: Kept, tmp_path: Path, later: bool
) -> None:
    """Its letters since the backup are known again; one that players have kept back is not."""
    archive = kept.back_up()
    kept.go(2)
    words = rebuilt(kept, tmp_path, str(tmp_path / "rebuilt"))
    if later:
        kept.go()
    kept.table.club.store.close()
    assert main(["restore", str(archive), *words]) == 0
    club = open_club(tmp_path / "rebuilt", kept.table.clock)
    take_over(club.store)
    kept.table.club = club
    size, head = club.store.head(GAME)
    assert kept.confirm(str(size), head) == 1
    assert "may have a later letter than they handed over" in kept.err
    kept.run()
    assert unconfirmed_ledgers(club) == [GAME], "a counter on this disk could be as old as the backup"
    assert kept.confirm("--sent", kept.sent) == int(later)
    assert unconfirmed_ledgers(club) == [GAME] * later
    if later:
        assert "demo-0005-report.txt was sent to alice, and the backup does not know it" in kept.err
        return
    kept.go()
    assert kept.table.exchange == 6
    assert "demo-0005-report.txt" in names(kept.mails("alice"))


def test_sent_mail_that_lacks_a_rebuilt_letter_confirms_nothing(kept: Kept, tmp_path: Path) -> None:
    """A copy of the sent mail that is as old as the backup cannot show what was sent last."""
    archive = kept.back_up()
    kept.go(2)
    words = rebuilt(kept, tmp_path, str(tmp_path / "rebuilt"))
    kept.table.club.store.close()
    assert main(["restore", str(archive), *words]) == 0
    for path in (kept.sent / "new").iterdir():
        if b"demo-0004-report" in path.read_bytes():
            path.unlink()
    assert confirm(tmp_path / "rebuilt", "--sent", kept.sent) == 1
    assert "the sent mail lacks demo-0004-report.txt to alice" in kept.err


def orders(kept: Postal) -> None:
    """Alice's orders come after the backup, are receipted, and her mail is marked as seen."""
    kept.deliver(kept.table.sealed("alice"), "alice@example.org")
    assert any("-receipt-" in name for name in names(kept.mails("alice")))


def test_receipted_orders_are_fetched_again_after_a_restore(kept: Kept) -> None:
    kept.back_up()
    orders(kept)
    ledger = kept.table.ledger()
    kept.restore()
    assert kept.confirm("--sent", kept.sent) == 0
    assert "demo-receipt-0003.txt was sent to alice for orders that the backup" in kept.err
    kept.after(8, after_gap=True)
    assert [text.split(b"\nat")[0] for text in kept.table.ledger()[: len(ledger)]] == [
        text.split(b"\nat")[0] for text in ledger
    ]
    assert list(kept.table.club.book(GAME).history.exchanges[2].counted()) == ["alice"]


def lose_receipted_orders(kept: Kept) -> bytes:
    """After a backup Alice's orders are receipted and their mail is lost; the club is restored."""
    kept.back_up()
    sealed = kept.table.sealed("alice")
    kept.deliver(sealed, "alice@example.org")
    for path in (kept.post.box("judge") / "cur").iterdir():
        path.unlink()
    kept.mails("alice")
    kept.restore()
    assert kept.confirm("--sent", kept.sent) == 0
    return sealed


def test_no_exchange_ends_while_a_receipt_names_what_is_not_here(kept: Kept) -> None:
    """The mail has been deleted, so the player must send it again."""
    sealed = lose_receipted_orders(kept)
    kept.table.clock.pass_days(8)
    (wrong,) = [line for line in kept.run(after_gap=True) if line.trouble]
    assert "ask alice to send the same file once more" in wrong.text
    assert kept.table.exchange == 3
    kept.send(sealed, "alice@example.org", Subject="again")
    kept.run(after_gap=True)
    assert kept.table.exchange == 4
    assert list(kept.table.club.book(GAME).history.exchanges[2].counted()) == ["alice"]


def test_other_orders_do_not_take_the_place_of_those_that_were_receipted(kept: Kept) -> None:
    """Two receipts with one number for two files would convict an honest judge."""
    sealed = lose_receipted_orders(kept)
    other = kept.table.sealed("alice", rev=2)
    kept.send(other, "alice@example.org", Subject="other orders")
    kept.run(after_gap=True)
    (said,) = kept.mails("alice")
    assert "demo-receipt-0003" in body(said)
    assert "-receipt-" not in "".join(names([said]))
    for again, number in ((sealed, 3), (other, 4)):
        kept.deliver(again, "alice@example.org", Subject=f"receipt {number}")
        assert f"demo-receipt-000{number}.txt" in names(kept.mails("alice"))


def test_the_game_master_may_go_on_without_them(kept: Kept) -> None:
    size, head = kept.table.club.store.head(GAME)
    lose_receipted_orders(kept)
    assert kept.confirm(str(size), head) == 0
    kept.after(8, after_gap=True)
    assert kept.table.exchange == 4


def lies(box: Path, raw: bytes, at: datetime, flags: str = "S") -> None:
    """A mail lies in a Maildir, come at a time."""
    path = box / "cur" / f"{len(list((box / 'cur').iterdir()))}.moved:2,{flags}"
    path.write_bytes(raw)
    os.utime(path, (at.timestamp(), at.timestamp()))


LONG_AGO = "Fri, 01 Mar 2019 10:00:00 +0000"


@pytest.mark.parametrize("seen", ["S", ""])
def test_on_a_personal_mailbox_what_is_years_old_is_answered_to_nobody(kept: Kept, seen: str) -> None:
    """The restored judge reads another mailbox, in which all mails were read, or, fetched anew, none."""
    box, clock = kept.post.box("judge"), kept.table.clock
    handled = [path.read_bytes() for path in sorted((box / "cur").iterdir())]
    clock.pass_days(30)
    kept.back_up()
    orders(kept)
    (last,) = {path.read_bytes() for path in (box / "cur").iterdir()} - {*handled}
    shutil.rmtree(box)
    box = kept.post.box("judge")
    years_ago = clock() - timedelta(days=2000)
    private = [mail(f"{what}\n", Subject=f"about {GAME}", Date=LONG_AGO) for what in ("status", "my dear")]
    for raw in private:
        lies(box, raw, years_ago, seen)
    for raw in handled:  # with a line more, as another program writes it
        lies(box, f"Date: {format_datetime(START)}\n".encode() + raw, START, seen)
    lies(box, last, clock(), seen)
    kept.mails("alice"), kept.mails("bob")
    kept.restore()
    assert kept.confirm("--sent", kept.sent) == 0
    kept.run()
    came = kept.mails("alice")
    assert "demo-receipt-0003.txt" in names(came)
    assert [mail for mail in came if "about your mail" in str(mail["Subject"])] == []
    assert kept.mails("bob") == []
    stored = [raw for _, raw in kept.table.club.store.stored_arrivals()]
    assert any(raw in stored for raw in private) == (seen == ""), "nobody else's mail is kept"
    kept.send(kept.table.sealed("bob"), "bob@example.org")
    kept.run(after_gap=True)
    assert kept.table.exchange == 4


def test_a_backup_from_before_the_first_pass_leaves_alone_what_was_read_before_it(keeper: Kept) -> None:
    box = keeper.post.box("judge")
    lies(box, mail("status\n"), datetime.now(UTC) - timedelta(days=9))
    keeper.back_up()
    lies(box, mail(keeper.table.sealed("alice")), datetime.now(UTC))
    keeper.restore()
    book = keeper.table.book
    assert keeper.confirm(str(book.size), book.head) == 0
    assert [line.text for line in keeper.run() if line.step == "in"] == ["1 mail fetched"]
    assert [entry.player for entry in keeper.table.book.history.exchanges[0].received] == ["alice"]


def ids(postal: Postal, name: str) -> list[str]:
    """The Message-IDs of what has come for somebody since the last time."""
    return [str(mail["Message-ID"]) for mail in postal.mails(name)]


def test_after_a_restore_no_letter_has_the_id_of_another(kept: Kept) -> None:
    """Answers are numbered by the mails that came, and copies counted, from where the backup was."""
    kept.deliver("resend demo\n")
    kept.back_up()
    kept.send("status\n", "bob@example.org")
    kept.table.clock.pass_days(1)
    kept.deliver("resend demo\n", Subject="again")
    before = ids(kept, "alice") + ids(kept, "bob")
    for path in (kept.post.box("judge") / "cur").iterdir():
        path.unlink()
    kept.restore()
    assert kept.confirm("--sent", kept.sent) == 0
    kept.table.clock.pass_days(1)
    kept.send("my games\n", "bob@example.org")
    kept.deliver("resend demo\n", Subject="once more")
    after = ids(kept, "alice") + ids(kept, "bob")
    assert [len(after), len({*before} & {*after})] == [2, 0]


def test_a_restored_club_sends_again_what_left(kept: Kept) -> None:
    """To the byte, though no ciphertext is in the backup: reports, and receipts, which name their file."""
    left = {name: letters(kept.mails(name)) for name in ("alice", "bob")}
    kept.back_up()
    kept.restore()
    assert kept.confirm("--sent", kept.sent) == 0
    kept.run()
    kept.mails("alice"), kept.mails("bob")
    for name in ("alice", "bob"):
        assert main(["resend", GAME, name, "--club", str(kept.table.club.path)]) == 0
    kept.run()
    for name, before in left.items():
        assert {"demo-0002-report.txt", "demo-receipt-0002.txt"} <= before.keys()
        assert letters(kept.mails(name)) == before


def test_the_old_folder_stops_when_the_club_goes_on_elsewhere(kept: Kept) -> None:
    kept.back_up()
    old = kept.table.club.path
    kept.restore()
    assert kept.confirm("--sent", kept.sent) == 0
    kept.run()
    before = open_club(old, kept.table.clock)
    kept.all_send()
    for path in kept.post.box("judge").glob("pbem-counter-*"):
        path.unlink()  # the notice alone stops it
    heads, letters = before.store.heads(), {one.id for one in before.store.letters() if one.player}
    for _ in range(2):
        with pytest.raises(Exception, match="goes on"):
            list(Pass(before).run())
    assert before.store.heads() == heads, "nothing is entered, though the orders came with the notice"
    assert {one.id for one in before.store.letters() if one.player} == letters
    before.store.close()
    kept.run()
    assert kept.table.exchange == 4, "the new folder does not stop itself"


def test_nobody_else_can_stop_a_club(kept: Kept) -> None:
    kept.deliver(f"pbem1 moved 2030-01-01T00:00:00Z {'ab' * 32}\n", JUDGE)
    kept.go()
    assert kept.table.exchange == 4


@pytest.fixture
def behind(kept: Postal, tmp_path: Path) -> Iterator[Postal]:
    """A copy of the club's whole disk from before exchange 3 was played, and no counter in the mailbox."""
    copy_of_disk(kept.table.club.path, tmp_path / "copy")
    kept.go()
    for path in kept.post.box("judge").glob("pbem-counter-*"):
        path.unlink()
    copied = replace(kept.table, club=open_club(tmp_path / "copy", kept.table.clock))
    assert (copied.exchange, kept.table.exchange) == (3, 4)
    yield Postal(copied, kept.post)
    copied.club.store.close()


def stops(postal: Postal, told: str) -> bool:
    """Does the game stop, with this reason, though all has come? Else exchange 3 is played."""
    wrong = [line.text for line in postal.run() if line.trouble]
    assert postal.table.exchange == (3 if wrong else 4)
    return len(wrong) == 1 and told in wrong[0]


@pytest.mark.ci
def test_a_game_waits_when_a_file_shows_that_it_goes_on_elsewhere(kept: Kept, behind: Postal) -> None:
    """The key of an exchange that is not open here can only come from another folder of this judge's."""
    behind.send(kept.table.sealed("alice"), "alice@example.org")
    behind.all_send(rev=2)
    assert stops(behind, "exchange 3 of demo is the last here, but a file is sealed for exchange 4")
    book = behind.table.club.book(GAME)
    assert confirm(behind.table.club.path, str(book.size), book.head) == 0
    assert not stops(behind, "")


@pytest.mark.ci
def test_a_game_waits_when_the_judge_s_key_has_signed_another_head(kept: Kept, behind: Postal) -> None:
    """A player mails a head that they hold; no word of the game master's undoes it."""
    newest = kept.table.club.store.checkpoints(GAME)[-1]
    behind.send(head(newest.size, newest.head) + newest.signature)
    behind.all_send(rev=2)
    assert stops(behind, f"the judge's key has signed a head of {newest.size} entries of demo")
    book = behind.table.club.book(GAME)
    assert confirm(behind.table.club.path, str(book.size), book.head) == 1
    assert "if the game went on in this folder, it would have two histories" in kept.err
    assert stops(behind, "the judge's key has signed")


@pytest.mark.ci
def test_a_head_that_is_in_the_ledger_stops_nothing(kept: Kept) -> None:
    newest = kept.table.club.store.checkpoints(GAME)[-1]
    kept.send(head(newest.size, newest.head) + newest.signature)
    kept.all_send(rev=2)
    assert not stops(kept, "")


@pytest.mark.ci
def test_a_player_s_word_alone_stops_no_game(kept: Kept) -> None:
    """The attack: alice, who is losing, says that she has seen a longer ledger, and signs a head herself."""
    with (kept.table.club.path / "club.toml").open("a") as file:
        file.write('\n[watch]\naddress = "gm@example.org"\n')
    kept.table.reopen()
    for number in (3, 4):
        book = kept.table.club.book(GAME)
        assert kept.table.exchange == number
        kept.send(kept.table.sealed("alice", seen=Seen(book.size + 5, "ab" * 32)), "alice@example.org")
        forged = head(book.size + 5, "ab" * 32)
        kept.send(forged + sign(kept.table.people["alice"].key, Namespace.CHECKPOINT, forged))
        kept.all_send(rev=2)
        assert not [line for line in kept.run() if line.trouble]
        assert kept.table.exchange == number + 1
    (alert,) = [mail for mail in kept.mails("gm") if "alice has signed" in str(mail)]
    assert "the game goes on" in str(alert)


def head(size: int, value: str) -> bytes:
    return Checkpoint(game=GAME, size=size, head=value).text


def test_what_is_signed_is_kept_like_orders_until_the_game_goes_on(kept: Kept) -> None:
    """A consent and a new key that come while the game waits are taken in when it is confirmed."""
    kept.back_up()
    kept.restore()
    club, new = kept.table.club, keys.generate("alice-2")
    change = kept.table.key_change("alice", new.public)
    kept.mails("alice")
    for signed in (
        kept.table.consent("concede alice", "alice"),
        sign_rotation(change, kept.table.people["alice"].key, new),
    ):
        kept.send(signed, "alice@example.org")
        kept.run()
        told = " ".join(" ".join(body(mail).split()) for mail in kept.mails("alice"))
        assert "this file is kept, and counts when the game goes on" in told
    assert waiting_consents(club, read_agendas(club).values()) == []
    assert kept.confirm("--sent", kept.sent) == 0
    kept.run()
    waiting = waiting_consents(club, read_agendas(club).values())
    assert [line.partition(":")[0] for line in waiting] == [GAME, GAME]
