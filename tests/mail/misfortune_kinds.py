"""Misfortunes that begin and end: of the mailbox, the mail server, the disk, the machine, and people."""

from __future__ import annotations

import shutil
from contextlib import suppress
from email import message_from_string
from threading import Thread
from time import sleep
from typing import TYPE_CHECKING

from pbem.errors import PbemError
from pbem.judge.agenda import unconfirmed_ledgers
from pbem.judge.club import open_club
from pbem.judge.upkeep import backups
from pbem.judge.upkeep.folder_identity import take_over
from pbem.mail.envelope import kind_of
from pbem.service.one_pass import Pass
from pbem.service.watch import sound_alarm
from pbem.trust import keys
from pbem.trust.chance import Reveal, make_chain
from pbem.trust.fields import sign_fields
from pbem.trust.player_statements import Join
from pbem.trust.press import GREY, PRESS_UNIT, WHITE, Message, sign_message
from pbem.trust.sealing import pad, seal, to_armor
from tests.mail.month import SENT, Seat
from tests.mail.postal import mail
from tests.mail.test_bounces import bounce
from tests.mail.test_kill_mail import killed

if TYPE_CHECKING:
    from tests.mail.misfortunes import Storm


class Misfortune:
    """Something goes wrong for some days; most do nothing at one of these moments."""

    is_whole_pass = False
    """Nothing else of a pass is left."""
    is_of_folder = False
    """It befalls the club's folder or makes another, which tells for itself; one such at a time."""
    tells = ""
    """What the game master is told, if it lasts for long enough; "" if nothing must be."""
    patience = 2
    """So many passes that is."""
    journal = False
    """The club keeps a journal."""

    def begin(self, month: Storm) -> None:
        """It begins."""

    def end(self, month: Storm) -> None:
        """It is over."""

    def before_pass(self, month: Storm) -> None:
        """A pass is about to be made."""


class MailboxAway(Misfortune):
    """The disk of the mailbox is not mounted; what arrives waits there."""

    tells = "is not a maildir"

    def begin(self, month: Storm) -> None:
        month.maildir.path = month.maildir.path.rename(month.folder / "aside")

    def end(self, month: Storm) -> None:
        home = month.post.folder / "judge"
        for folder in sorted(path for path in month.maildir.path.rglob("*") if path.is_dir()):
            (home / folder.relative_to(month.maildir.path)).mkdir(parents=True, exist_ok=True)
        for one in sorted(path for path in month.maildir.path.rglob("*") if not path.is_dir()):
            one.rename(home / one.relative_to(month.maildir.path))
        month.maildir.path = home


class StrangeItem(Misfortune):
    """A folder lies among the new mails."""

    def begin(self, month: Storm) -> None:
        (month.maildir.path / "new" / "strange").mkdir()

    def end(self, month: Storm) -> None:
        (month.maildir.path / "new" / "strange").rmdir()


class Marked(Misfortune):
    """The post office has somebody's address on one of its lists: a player's, or the archive's."""

    put, who = "put_off", 0

    def _marked(self, month: Storm) -> tuple[set[str], str]:
        return getattr(month.post, self.put), month.seats[self.who].address if self.who >= 0 else SENT

    def begin(self, month: Storm) -> None:
        marked, address = self._marked(month)
        marked.add(address)

    def end(self, month: Storm) -> None:
        marked, address = self._marked(month)
        marked.discard(address)


class NothingLeaves(Marked):
    """The mail server puts off everything."""

    tells, patience = "have waited for a day", 6

    def _marked(self, month: Storm) -> tuple[set[str], str]:
        return month.post.put_off, "*"


class OneIsPutOff(Marked):
    """The mail server puts off one player."""


class OneBounces(Marked):
    """One player's letters come back."""

    put, who = "bouncing", 1


class OneReplies(Marked):
    """One player's mail program answers each letter: they are away and read nothing."""

    put, who = "away", 2


class ArchiveRefuses(Marked):
    """The archive's address is refused."""

    put, who = "refused", -1


class Greylisting(Misfortune):
    """Every address is unknown to the servers of the world at first."""

    def begin(self, month: Storm) -> None:
        month.post.greylisting = True


class Flood(Misfortune):
    """Strangers ask for help, and some give a player's name."""

    def begin(self, month: Storm) -> None:
        for number in range(60):
            sender = month.seats[0].address if number % 4 == 0 else f"x{number}@example.net"
            month.box.deliver(mail(f"help {number}\n", sender, Subject=f"offer {number}"))


class DamagedOrders(Misfortune):
    """Orders arrive cut off."""

    def begin(self, month: Storm) -> None:
        block = "-----BEGIN AGE ENCRYPTED FILE-----\nYWdlLWVuY3J5\n"
        month.box.deliver(mail(block, month.seats[2].address))


class FullDisk(Misfortune):
    """The disk is full, in every pass; afterwards the game master lets it go on."""

    is_whole_pass = is_of_folder = True

    def end(self, month: Storm) -> None:
        month.run(after_gap=True)

    def before_pass(self, month: Storm) -> None:
        month.full_pass()


class Kills(Misfortune):
    """Each pass is killed at some instant, and begun again."""

    def before_pass(self, month: Storm) -> None:
        instant = month.random.uniform(0.001, 0.4)
        killed(month.table.club.path, month.clock, after=instant)


class ClockBack(Misfortune):
    """The clock goes half a day back, and is set right in the end."""

    def begin(self, month: Storm) -> None:
        month.clock.pass_days(-0.5)

    def end(self, month: Storm) -> None:
        month.clock.pass_days(0.5)


class MachineOff(Misfortune):
    """The machine is off for three days; the game master, who is told of the gap, lets it go on."""

    def begin(self, month: Storm) -> None:
        month.clock.pass_days(3)

    def end(self, month: Storm) -> None:
        month.run(after_gap=True)


class Absent(Misfortune):
    """A player does not write."""

    def begin(self, month: Storm) -> None:
        month.seats[-1].is_silent = True

    def end(self, month: Storm) -> None:
        month.seats[-1].is_silent = False


class ReadingGameMaster(Misfortune):
    """The game master opens every mail before the judge sees it."""

    def before_pass(self, month: Storm) -> None:
        if not (month.maildir.path / "new" / "strange").exists():
            month.box.read_all()


class NoMail(Misfortune):
    """Among the new mails is one that cannot be read; the link to it leads nowhere."""

    def begin(self, month: Storm) -> None:
        (month.maildir.path / "new" / "nowhere").symlink_to(month.folder / "no such mail")

    def end(self, month: Storm) -> None:
        (month.maildir.path / "new" / "nowhere").unlink()


class RefusedForEver(Marked):
    """From now on, one player's address is refused; it does not end."""

    put, who = "refused", 3

    def end(self, month: Storm) -> None:
        """It goes on."""


class JoinFlood(Misfortune):
    """Strangers wish to join, each with a key of their own."""

    def begin(self, month: Storm) -> None:
        for number in range(60):
            name = f"x{number}"
            chain = make_chain("other", f"{name}.1", bytes([number]) * 32)
            key = keys.generate(name)
            anchor = Reveal(f"{name}.1", 0, chain.anchor)
            wish = Join(game="other", player=name, key=key.public, anchor=anchor)
            month.box.deliver(mail(sign_fields(wish, key), f"{name}@example.net"))


class ForgedReturns(Misfortune):
    """A stranger writes reports of letters that did not arrive."""

    def begin(self, month: Storm) -> None:
        for number in range(5):
            forged = message_from_string(
                f"Message-ID: <g000.{month.seats[0].name}.{number}@club.example>\n\n"
            )
            month.box.deliver(bounce(forged))


class DatabaseMoved(Misfortune):
    """The disk that the database lies on is not mounted; nobody can look into it."""

    is_whole_pass = is_of_folder = True
    tells = "Is its disk mounted?"

    def begin(self, month: Storm) -> None:
        (month.folder / "club" / "club.db").rename(month.folder / "unmounted")

    def end(self, month: Storm) -> None:
        (month.folder / "unmounted").rename(month.folder / "club" / "club.db")
        month.run(after_gap=True)

    def before_pass(self, month: Storm) -> None:
        month.whole_pass()


class Restored(Misfortune):
    """The folder is lost and comes from a backup of some days ago, with its journal; nobody confirms."""

    is_of_folder = journal = True

    def begin(self, month: Storm) -> None:
        month.back_up()

    def end(self, month: Storm) -> None:
        club = open_club(month.folder / "club", month.clock)
        sent = {(one.player, one.name, one.data) for one in club.store.letters() if one.sent}
        club.store.close()
        (month.folder / "club").rename(month.folder / "dead")
        month.watched.begin_anew()
        club = backups.restore(month.folder / "backup.tar.gz", month.folder / "club")
        assert unconfirmed_ledgers(club) == [], "its journal confirms it"
        take_over(club.store)
        known = {(one.player, one.name, one.data) for one in club.store.letters()}
        club.store.close()
        assert {one[:2] for one in sent if one[2]} <= {one[:2] for one in known}, "what left is known"
        month.run(after_gap=True)


class TwoFolders(Misfortune):
    """A copy of the folder makes passes as well, by an old line of cron."""

    is_of_folder = True
    tells = "is a copy of a club's folder"

    def begin(self, month: Storm) -> None:
        shutil.copytree(month.folder / "club", month.folder / "copy")

    def before_pass(self, month: Storm) -> None:
        folder = month.folder / "copy"
        club = open_club(folder, month.clock)
        before = club.store.heads()
        with suppress(PbemError), sound_alarm(folder, month.clock):
            list(Pass(club).run())
        assert club.store.heads() == before, "the copy signs nothing"
        club.store.close()


class WrongSettingOfAGame(Misfortune):
    """The game master mistypes a setting of one game."""

    tells = "[mail.game.g000]: copies must be one of"

    def begin(self, month: Storm) -> None:
        path = month.folder / "club" / "club.toml"
        self.right = path.read_text()
        path.write_text(f'{self.right}\n[mail.game.g000]\ncopies = "of"\n')
        month.table.reopen()

    def end(self, month: Storm) -> None:
        (month.folder / "club" / "club.toml").write_text(self.right)
        month.table.reopen()


class MovingReader(Misfortune):
    """Somebody reads what is new just while the judge looks."""

    def before_pass(self, month: Storm) -> None:
        def read() -> None:
            for _ in range(20):
                with suppress(OSError):
                    for one in sorted((month.maildir.path / "new").iterdir()):
                        if one.is_file() and not one.is_symlink():
                            one.rename(month.maildir.path / "cur" / f"{one.name.partition(':')[0]}:2,S")
                sleep(0.02)

        Thread(target=read, daemon=True).start()


class ArchivingReader(Misfortune):
    """The game master moves every mail into a folder before the judge sees it, and has named it."""

    def begin(self, month: Storm) -> None:
        for part in ("new", "cur", "tmp"):
            (month.maildir.path / ".Archive" / part).mkdir(parents=True, exist_ok=True)
        path = month.folder / "club" / "club.toml"
        path.write_text(path.read_text().replace("[mail.inbox]\n", '[mail.inbox]\nfolders = ["Archive"]\n'))
        month.table.reopen()

    def before_pass(self, month: Storm) -> None:
        with suppress(FileNotFoundError):
            for one in sorted((month.maildir.path / "new").iterdir()):
                if one.is_file() and not one.is_symlink():
                    one.rename(month.maildir.path / ".Archive" / "cur" / f"{one.name}:2,S")


class StrangeMails(Misfortune):
    """Mails come that no program should write."""

    def begin(self, month: Storm) -> None:
        for number, raw in enumerate(
            (
                b"",
                b"\0" * 3_000,
                b"From: \xfc\xf6\xe4 <\xff@example.net>\nSubject: \xe2\x80\xae\n\nhelp\n",
                b"From: a@example.net\n" + b"X: y\n" * 5_000 + b"\nhelp\n",
                b"From: a@example.net\nContent-Type: multipart/mixed; boundary=x\n\n--x\n" * 50,
                b"From: a@example.net\nContent-Type: text/plain; charset=\xff\n\nhelp\n",
                b"\r\r\r\n\r\nFrom: a@example.net\r\n\r\nhelp\r\n",
            )
        ):
            (month.maildir.path / "new" / f"strange{number}.{month.random.random()}").write_bytes(raw)


class AutomaticMails(Misfortune):
    """Machines of players write with an empty Return-Path, and nothing has come back."""

    def begin(self, month: Storm) -> None:
        for seat in month.seats:
            for number, words in enumerate(("Automatic reply: away", "Ticket 17 was opened", "Read: report")):
                heads = {"Return_Path": "<>", "Auto_Submitted": "auto-replied", "Subject": words}
                heads["Message_ID"] = f"<{seat.name}{number}@auto.example>"
                month.box.deliver(mail(f"{words}\n", seat.address, **heads))


class UsedName(Misfortune):
    """A program gives a new mail the name of one that was there before."""

    def begin(self, month: Storm) -> None:
        used = sorted((month.maildir.path / "cur").iterdir())
        if used:
            name = used[0].name.partition(":")[0]
            used[0].unlink()
            (month.maildir.path / "new" / name).write_bytes(mail("help\nonce more\n", "new@example.net"))


class ServerHangsUp(Misfortune):
    """The mail server says 421 after every third letter."""

    def begin(self, month: Storm) -> None:
        month.post.hangs_up_after = 3

    def end(self, month: Storm) -> None:
        month.post.hangs_up_after = 0


class Talk(Misfortune):
    """Players write to each other, one of them without end, and strangers in their names."""

    def __init__(self) -> None:
        self.written = 0

    def before_pass(self, month: Storm) -> None:
        settings = month.folder / "club" / "club.toml"
        if not (month.folder / "club" / "club.db").exists():
            return
        if "[press]" not in (text := settings.read_text()):
            settings.write_text(f'{text}\n[press]\nkind = "grey"\nper_day = 5\n')
        for seat in month.seats:
            for _ in range(9 if seat is month.seats[0] else 1):
                month.box.deliver(mail(self._message(month, seat, seat.key), seat.address))
            stranger = keys.generate("stranger")
            month.box.deliver(mail(self._message(month, seat, stranger), "new@example.net"))

    def end(self, month: Storm) -> None:
        if len(month.drawn) == 1:
            club = open_club(month.folder / "club", month.clock)
            kinds = [kind_of(letter.name) for letter in club.store.letters()]
            club.store.close()
            assert kinds.count("press") > 4 * len(month.seats), "messages are passed on"

    def _message(self, month: Storm, seat: Seat, key: keys.PrivateKey) -> str:
        self.written += 1
        said = Message(
            game=seat.game,
            genesis=str(month.ledger(seat.game).head_at(1)),
            writer=seat.name,
            to=("all",),
            number=self.written,
            made=month.clock(),
            kind=GREY if self.written % 2 else WHITE,
            text="Peace?\n",
        )
        judge = month.table.club.key.public
        return to_armor(seal(pad(sign_message(said, key), PRESS_UNIT), [judge]))


KINDS: tuple[type[Misfortune], ...] = (
    MailboxAway,
    StrangeItem,
    NothingLeaves,
    OneIsPutOff,
    OneBounces,
    ArchiveRefuses,
    Flood,
    DamagedOrders,
    FullDisk,
    Kills,
    ClockBack,
    MachineOff,
    Absent,
    ReadingGameMaster,
    NoMail,
    RefusedForEver,
    JoinFlood,
    ForgedReturns,
    DatabaseMoved,
    Restored,
    TwoFolders,
    OneReplies,
    Greylisting,
)
LATER_KINDS: tuple[type[Misfortune], ...] = (
    WrongSettingOfAGame,
    MovingReader,
    ArchivingReader,
    StrangeMails,
    AutomaticMails,
    UsedName,
    ServerHangsUp,
    Talk,
)
"""Drawn as well, but for seed 0, which stays what it was."""
