"""When mails come: at once, one until the reader has been there, once a day, or none."""

from __future__ import annotations

import mailbox
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from pbem.box.folder import folder_name
from pbem.box.stores import acknowledge, letter_numbers
from pbem.judge.deadlines import running_deadlines, waits_for_mail
from pbem.mail import statements
from pbem.mail.envelope import heard_as
from pbem.service.forgetting import forget
from pbem.trust.faults import OrderFileFault
from pbem.trust.fields import read_signed, sign_fields
from pbem.trust.player_statements import Profile, read_paces
from tests.box.judged import make_judged

HOUR = timedelta(hours=1)


class Read:
    """A club with a box, whose mails the test reads; the clock begins at noon."""

    def __init__(self, folder: Path, more: str = "") -> None:
        self.judged = make_judged(folder)
        self.out = folder / "sent"
        mailbox.Maildir(self.out)
        mail = f'[mail]\naddress = "judge@club.example"\n[mail.outbox]\nmaildir = "{self.out}"\n'
        self.judged.settle(more, mail)
        self.judged.run()
        self.sent("alice")

    def sign(self, name: str = "alice", **wishes: str) -> None:
        """Let a player sign a profile and post it."""
        table = self.judged.table
        made = table.clock.now.replace(microsecond=0)
        said = Profile(player=name, judge=table.club.key.public.fingerprint, made=made, **wishes)
        key = table.people[name].key
        self.judged.post(sign_fields(said, key), key.public)
        self.judged.run()
        self.sent(name)

    def sent(self, name: str) -> list[str]:
        """The subjects of the mails that have left for a player since the last look."""
        found = []
        for path in sorted((self.out / "new").iterdir()):
            text = path.read_text()
            if f"To: {name}@" in text:
                found.append(text.partition("Subject: ")[2].partition("\n")[0])
            path.unlink()
        return found

    def reader(self) -> str:
        return folder_name(self.judged.table.people["alice"].key.public)

    def fetch(self) -> None:
        """Let alice fetch all that waits for her."""
        acknowledge(self.judged.path, self.reader(), max(letter_numbers(self.judged.path, self.reader())))

    def play(self) -> None:
        """Let an exchange pass of which alice says nothing; the report of it is in the box."""
        table = self.judged.table
        before = table.exchange
        table.clock.now += HOUR
        self.judged.post_orders("bob")
        self.judged.run()
        while table.exchange == before and table.clock.now < table.deadline + 48 * HOUR:
            table.clock.now += 12 * HOUR
            self.judged.run()
        assert table.exchange == before + 1


@pytest.fixture(params=["all", "short"])
def club(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Read]:
    made = Read(tmp_path, f'mails = "{request.param}"')
    yield made
    made.judged.table.club.store.close()


@pytest.mark.ci
def test_one_mail_until_the_reader_has_been_there(club: Read) -> None:
    club.fetch()
    club.sign(hear="game=once,reminder=none")
    club.fetch()
    club.play()
    assert len(club.sent("alice")) == 1
    club.play()
    club.play()
    assert club.sent("alice") == []
    waiting = len(letter_numbers(club.judged.path, club.reader()))
    club.fetch()
    club.play()
    assert len(club.sent("alice")) == 1, "she has been there"
    assert len(letter_numbers(club.judged.path, club.reader())) > waiting, "all lies in the box"


@pytest.mark.ci
def test_orders_show_that_their_writer_is_there(club: Read) -> None:
    club.fetch()
    club.sign(hear="game=once,reminder=none")
    club.play()
    club.sent("alice")
    club.judged.table.clock.now += HOUR
    club.judged.post_orders("alice")
    club.judged.run()
    assert club.sent("alice"), "the receipt"
    club.judged.table.clock.now += HOUR
    club.judged.post_orders("bob")
    club.judged.run()
    assert len(club.sent("alice")) == 1, "bob's orders and the report"


QUIET = "game=none,reminder=none"


@pytest.mark.ci
@pytest.mark.parametrize(
    ("wish", "back", "receipts"),
    [
        ({"hear": QUIET}, {"hear": "-"}, True),
        ({"mails": "no", "hear": "game=digest"}, {"mails": "yes", "hear": "-"}, False),
    ],
)
def test_no_mails_and_everything_in_the_box(
    club: Read, wish: dict[str, str], back: dict[str, str], receipts: int
) -> None:
    club.fetch()
    club.sign(**wish)
    club.play()
    assert club.sent("alice") == []
    assert "demo-0001-report.txt" in club.judged.names("alice")
    assert club.judged.table.club.store.unsent_letters() == [], "none waits for a mail that never leaves"
    club.judged.table.clock.now += 25 * HOUR
    club.judged.post_orders("alice")
    club.judged.run()
    assert any("-receipt-" in name for name in club.judged.names("alice"))
    assert bool(club.sent("alice")) == receipts
    club.sign(**back)
    club.play()
    assert club.sent("alice")


@pytest.mark.ci
@pytest.mark.parametrize("wish", [{"hear": QUIET}, {"mails": "no"}])
def test_who_never_fetched_gets_every_letter(club: Read, wish: dict[str, str]) -> None:
    """Else nothing would bring the report."""
    club.sign(**wish)
    club.play()
    assert any("orders for" in subject for subject in club.sent("alice"))
    club.sign(hear="game=once")
    club.play()
    club.play()
    assert len(club.sent("alice")) >= 2


@pytest.mark.ci
@pytest.mark.parametrize("fetched", [True, False])
def test_a_digest_comes_once_at_its_hour(club: Read, fetched: bool) -> None:
    table = club.judged.table
    if fetched:
        club.fetch()
    club.sign(hear="game=digest,reminder=none", digest="18:00", zone="Europe/London")
    if fetched:
        club.fetch()
    club.play()
    table.clock.now = table.clock.now.replace(hour=18, minute=30)
    club.judged.run()
    club.sent("alice")
    table.clock.now += timedelta(minutes=1)
    club.judged.post_orders("alice", "bob")
    club.judged.run()
    subjects = club.sent("alice")
    assert subjects, "the receipt"
    assert not any("orders for" in subject for subject in subjects), "the report waits"
    table.clock.now += timedelta(hours=22)
    club.judged.run()
    assert club.sent("alice") == []
    table.clock.now += timedelta(hours=2)
    club.judged.run()
    assert len(club.sent("alice")) == 1
    table.clock.now += timedelta(hours=1)
    club.judged.run()
    assert club.sent("alice") == [], "nothing comes twice"


@pytest.mark.ci
def test_who_has_fetched_all_gets_no_digest(tmp_path: Path) -> None:
    club = Read(tmp_path, 'mails = "short"')
    club.fetch()
    club.sign(hear="game=digest,reminder=none")
    club.play()
    club.fetch()
    club.sent("alice")
    club.judged.table.clock.now += timedelta(hours=25)
    club.judged.run()
    assert club.sent("alice") == []


def test_no_digest_waits_beyond_the_deadline(club: Read) -> None:
    club.sign(hear="game=digest")
    table = club.judged.table
    table.clock.now = table.deadline - timedelta(hours=2)
    running_deadlines.note_pass(table.club, table.clock.now)
    hour = (table.deadline - HOUR).strftime("%H:%M")
    club.sign(digest=hour)
    club.play()
    assert table.deadline > table.clock.now
    with table.club.store.step():
        table.club.store.add_letter(
            "demo",
            "alice",
            "demo-0009-report.txt",
            b"",
            text="x",
            deadline=(table.clock.now.strftime("%FT%TZ")),
        )
    club.judged.run()
    assert club.sent("alice")


def test_forgetting_drops_the_wishes(tmp_path: Path) -> None:
    club = Read(tmp_path)
    club.sign(hear="game=none")
    store = club.judged.table.club.store
    assert store.note("press wishes alice")
    with store.step():
        for game in store.games():
            store.put_note(f"put away {game}", "now")
    forget(club.judged.table.club, "alice")
    assert not any("alice" in name for name in store.notes("press wishes ") | store.notes("hear "))


@pytest.mark.parametrize(
    "wish", ["game", "game=", "game=often", "chess=now", "game=now,game=none", "game=now,", ",", "game=now;x"]
)
def test_a_wish_that_cannot_be_is_refused(wish: str) -> None:
    with pytest.raises(OrderFileFault, match="game, league, message, reminder"):
        read_paces(wish)


def test_a_profile_is_found_again_in_a_mail(tmp_path: Path) -> None:
    club = Read(tmp_path)
    table = club.judged.table
    said = Profile(
        player="alice",
        judge=table.club.key.public.fingerprint,
        hear="game=once,league=digest,message=none,reminder=now",
        made=table.clock.now.replace(microsecond=0),
    )
    signed = sign_fields(said, table.people["alice"].key)
    assert read_signed(Profile, signed)[0] == said
    quoted = b"".join(b"> " + line for line in signed.splitlines(keepends=True))
    (found,) = statements.find_statements(quoted.decode())
    assert read_signed(Profile, found)[0] == said


@pytest.mark.parametrize(
    ("game", "name", "kind"),
    [
        ("demo", "demo-0002-report.txt", "game"),
        ("demo", "demo-0002-notice-17.txt", "game"),
        ("demo", "demo-0002-copy-0123456789ab.txt", "game"),
        ("demo", "demo-0002-reminder.txt", "reminder"),
        ("demo", "demo-press-0123456789ab.txt", "message"),
        ("league.cup", "league.cup-0003-notice.txt", "league"),
        ("demo", "demo-0000-report.txt", ""),
        ("demo", "demo-0002-receipt-0123.txt", ""),
        ("demo", "demo-0002-forecast-0123.txt", ""),
        ("demo", "demo-0002-box-20260101T000000Z.txt", ""),
        ("", "alert-1.txt", ""),
    ],
)
def test_what_kind_a_mail_is(game: str, name: str, kind: str) -> None:
    assert heard_as(game, name) == kind


def test_no_game_waits_for_a_digest_that_its_reader_wants(club: Read) -> None:
    """On that day; a letter that has not left by then holds the game up as any other."""
    club.sign(hear="game=digest")
    table = club.judged.table
    with table.club.store.step():
        table.club.store.add_letter("demo", "alice", "demo-0001-notice-9.txt", b"", text="x")
    assert waits_for_mail.why_mail_delays(table.club, "demo", "alice") == ""
    table.clock.now += 25 * HOUR
    assert "have not been sent" in waits_for_mail.why_mail_delays(table.club, "demo", "alice")
    club.sign(hear="-")
    with table.club.store.step():
        table.club.store.add_letter("demo", "alice", "demo-0001-notice-10.txt", b"", text="x")
    assert "have not been sent" in waits_for_mail.why_mail_delays(table.club, "demo", "alice")
