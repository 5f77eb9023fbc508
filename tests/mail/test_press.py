"""Messages by mail: what is sealed is passed on at once, what is not is answered; orders come first."""

from __future__ import annotations

import os
import re
import shutil
from email.message import Message
from pathlib import Path

import pytest

from pbem.audit import audit
from pbem.cli import main
from pbem.judge.export import export
from pbem.judge.press.director import close_press, read_for_director, write_as_director
from pbem.mail.envelope import kind_of
from pbem.mail.outbox import _due
from pbem.player import Home
from pbem.service.one_pass import Pass
from pbem.trust import sealing
from pbem.trust.press import GM, GREY
from pbem.web.api import Api
from tests.judge.press import allow, letters_of, message_of, sealed_message
from tests.judge.table import GAME as DEMO
from tests.mail.postal import Postal
from tests.mail.servers import Post, smtp_server
from tests.mail.test_passes import body
from tests.mail.year import GAME, Player, Year

pytestmark = pytest.mark.ci(but=("test_why_a_message_was_not_passed_on_is_told_to_who_signed_it_alone",))


@pytest.fixture
def talking(quiet: Postal) -> Postal:
    """Two players whose game has press, and who were told."""
    allow(quiet.table)
    quiet.run()
    quiet.mails("alice")
    quiet.mails("bob")
    return quiet


def armored(postal: Postal, writer: str, to: str, text: str = "Peace?\n", **more: object) -> str:
    """A sealed message as a mail holds it."""
    key = more.pop("key", None)
    message = message_of(postal.table, writer, to, text, **more)
    return sealing.to_armor(sealed_message(postal.table, message, key))  # type: ignore[arg-type]


def words(mails: list[Message]) -> str:
    """All that these mails say in plain words."""
    return " ".join(" ".join(body(one).split()) for one in mails)


def in_the_open(mail: Message) -> bytes:
    """A mail but its lines of base64, in which any short word may stand by chance."""
    lines = mail.as_bytes().splitlines()
    return b"\n".join(line for line in lines if not re.fullmatch(rb"[A-Za-z0-9+/=]{60,}", line))


def test_a_message_leaves_in_the_pass_in_which_it_came(talking: Postal) -> None:
    talking.deliver(armored(talking, "alice", "bob", "Leave Fife to me.\n", subject="Fife"))
    (mail,) = talking.mails("bob")
    raw = in_the_open(mail)
    assert mail["Subject"] == f"{DEMO}: a message"
    for secret in (b"alice", b"Fife", b"Leave"):
        assert secret not in raw
    (receipt,) = talking.mails("alice")
    assert receipt["Subject"] == mail["Subject"]
    assert abs(len(mail.as_bytes()) - len(receipt.as_bytes())) < 200


def test_a_message_with_a_subject_of_its_own_and_a_forged_sender_is_that_of_its_key(talking: Postal) -> None:
    talking.deliver(armored(talking, "alice", "bob"), "mallory@elsewhere.example", Subject="press now")
    assert len(talking.mails("bob")) == 1
    assert len(talking.mails("alice")) == 1
    assert talking.mails("mallory") == []


@pytest.mark.parametrize(
    ("text", "subject"),
    [
        ("To bob: peace?\n", f"press {DEMO}"),
        ("To bob: peace?\n", f"Re: Talk {DEMO}"),
        (f"pbem1 press\ngame {DEMO}\nto bob\n\nPeace?\n", "hello"),
        (f"> pbem1 press\n> game {DEMO}\n", DEMO),
    ],
)
def test_plain_text_is_never_passed_on_and_the_answer_says_why_and_how(
    talking: Postal, text: str, subject: str
) -> None:
    talking.settle(watch={"address": "gm@club.example", "summary": ""})
    allow(talking.table)
    talking.deliver(text, Subject=subject)
    told = words(talking.mails("alice"))
    assert "anybody can forge the sender of a mail" in told
    assert "pbem press GAME --to NAME" in told
    assert "under Talk" in told
    assert talking.mails("bob") == talking.mails("gm") == []


def test_why_a_message_was_not_passed_on_is_told_to_who_signed_it_alone(talking: Postal) -> None:
    talking.deliver(armored(talking, "alice", "dora"), "bob@example.org")
    assert "dora is nobody in demo" in words(talking.mails("alice"))
    assert "dora" not in words(talking.mails("bob"))


def test_refused_messages_use_up_no_answer_about_orders(talking: Postal) -> None:
    for number in range(1, 12):
        talking.send(armored(talking, "alice", "dora", number=number))
    talking.run()
    talking.mails("alice")
    talking.deliver(talking.table.sealed("alice", "nonsense\n", rev=1))
    assert talking.mails("alice")
    assert talking.table.club.store.count_answers("alice@example.org", "2026-01-01 orders") == 0


def test_orders_and_a_message_in_one_mail_are_both_taken(talking: Postal) -> None:
    content = f"{armored(talking, 'alice', 'bob')}\n{talking.table.sealed('alice').decode()}"
    talking.deliver(content)
    assert len(talking.mails("bob")) == 1
    (exchange,) = talking.table.book.history.exchanges
    assert [one.player for one in exchange.received] == ["alice"]


def test_letters_about_orders_leave_before_messages_and_have_room_of_their_own(talking: Postal) -> None:
    talking.settle(outbox={**talking.box("outbox"), "per_hour": 4})
    allow(talking.table)
    talking.table.clock.pass_days(0.25)
    store = talking.table.club.store
    with store.step():
        for number in range(6):
            store.add_letter(DEMO, "bob", f"{DEMO}-press-{number:012x}.txt", b"x")
        store.add_letter(DEMO, "bob", f"{DEMO}-0001-notice-9.txt", b"x")
    settings = Pass(talking.table.club).settings
    assert settings is not None
    names = [letter.name for letter, _ in _due(talking.table.club, settings)]
    assert [kind_of(name) for name in names] == ["notice", "press"]


def test_a_club_that_sends_reports_in_the_open_seals_messages(talking: Postal) -> None:
    talking.settle(reports="open")
    allow(talking.table)
    talking.deliver(armored(talking, "alice", "bob", "Leave Fife to me.\n"))
    (mail,) = talking.mails("bob")
    assert b"Fife" not in in_the_open(mail)
    assert len(letters_of(talking.table, "bob")) == 2  # the terms, and the message


def test_a_game_that_is_called_so_is_not_taken_for_messages() -> None:
    assert kind_of("free-press-0001-report.txt") == "report"
    assert kind_of("free-press-0123456789ab.txt") == "press"
    assert kind_of("demo-press-0123456789ab.txt") == "press"


class Talkers(Year):
    """Three at a table of Lords: by mail, on the page, and at the command line."""

    rules, bot = "lords", "chief"
    options = {"players": 3}  # noqa: RUF012 - a constant
    seats = {"alice": "red", "bob": "blue", "carol": "green"}  # noqa: RUF012
    written = 0

    def begin(self) -> None:
        """All accept; the club allows grey press; they have read it."""
        self.join("alice", "bob")
        allow(self.table, "grey")
        self.clock, self.table.club.clock = self.table.clock, self.table.clock
        self.read_all()
        self.read_all()

    def read_all(self) -> None:
        """A pass, and everybody reads what has come."""
        self.run()
        for name, player in self.players.items():
            player.read(self.mails(name))

    def write(self, name: str, to: str, text: str, *, grey: bool = False, report: int = 0) -> None:
        """Write as this player does it."""
        player, readers = self.players[name], () if report else (to,)
        if name == "bob":
            made = Api(player.home.path, clock=self.clock).write_message(
                GAME, readers, text, grey=grey, report=report
            )
            raw = made.eml.encode()
        elif name == "carol":
            raw = self._by_command(player, to, text, grey=grey, report=report)
        else:
            press = player.home.press(GAME)
            raw = press.mail(press.write(readers, text, grey=grey, report=report))
        self.send(raw)
        self.written += 1

    def _by_command(self, player: Player, to: str, text: str, *, grey: bool, report: int) -> bytes:
        file, mail = self.folder / "carol.txt", self.folder / "carol.eml"
        file.write_text(text, encoding="utf-8")
        os.environ["PBEM_HOME"] = str(player.home.path)
        chosen = ["--report", str(report)] if report else ["--to", to]
        words = ["press", GAME, str(file), *chosen, "--mail", str(mail), *(["--grey"] if grey else [])]
        assert main(words) == 0
        return mail.read_bytes()

    def texts(self, name: str) -> list[str]:
        """What somebody reads, without what is muted."""
        return [one.text for one in self.players[name].home.press(GAME).lines() if not one.is_muted]


def orders_of(home: Home, folder: Path, *, has_press: bool) -> bytes:
    """The signed orders that a copy of a home seals next, with or without all that it knows of press."""
    copy = Home(shutil.copytree(home.path, folder))
    if not has_press:
        shutil.rmtree(copy.place(GAME).path / "press")
    sealed = copy.seal(None, game=GAME)
    return copy.folder(GAME).sent_files.orders_of(sealed.exchange)[-1].text


def test_three_and_a_director_hold_fifty_messages_in_a_game_of_lords(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PBEM_HOME", "")
    post = Post(tmp_path / "post")
    with smtp_server(post) as port:
        game = Talkers(tmp_path, post, port)
        monkeypatch.setattr(Home, "now", lambda _: game.clock().replace(microsecond=0))
        game.begin()
        club, names = game.table.club, ("alice", "bob", "carol")
        others = {name: [one for one in names if one != name] for name in names}
        for day in range(5):
            for place, name in enumerate(names):
                first, second = others[name]
                game.write(name, "all", f"{name} to all, day {day}\n")
                game.write(name, (first, second)[day % 2], f"{name} to one, day {day}\n")
                if place != day % 3:
                    game.write(name, "all", f"grey, day {day}, {place}\n", grey=True)
            game.read_all()
            for player in game.players.values():
                if (orders := player.orders()) is not None:
                    game.send(orders)
            game.clock.pass_days(0.5)
            game.read_all()
        assert game.written == 40

        game.players["carol"].home.press(GAME).mute("bob")
        quiet = game.players["alice"].home.profile("alice", quiet="00:00-23:59")
        game.mail(game.players["alice"], quiet)
        game.run()
        game.write("bob", "carol", "You cannot hear me.\n")
        game.write("bob", "alice", "Are you asleep?\n")
        game.read_all()
        assert "You cannot hear me.\n" not in game.texts("carol")
        assert "Are you asleep?\n" not in game.texts("alice")
        game.clock.now = game.clock.now.replace(hour=23, minute=59)
        game.read_all()
        assert "Are you asleep?\n" in game.texts("alice")

        heard = next(one for one in game.players["alice"].home.press(GAME).lines() if "asleep" in one.text)
        game.write("alice", GM, "He wakes me.\n", report=heard.number)
        game.write("carol", GM, "When do we meet?\n")
        game.run()
        found = read_for_director(club, GAME)
        assert [one.shown.text for one in found] == ["He wakes me.\n", "When do we meet?\n"]
        assert found[0].reported is not None
        assert found[0].reported.text == "Are you asleep?\n"
        for number in range(5):
            write_as_director(club, GAME, ("all",) if number else ("carol",), "", f"The director, {number}.")
        assert game.written + 5 >= 49
        game.write("carol", "alice", "A last word.\n")
        game.read_all()
        for name, player in game.players.items():
            with_it, without = (
                orders_of(player.home, tmp_path / f"{name}-{talks}", has_press=talks)
                for talks in (True, False)
            )
            assert with_it == without, "nothing of it is in orders"
        close_press(club, GAME, "the talk is over")
        game.read_all()

        for name in names:
            press = game.players[name].home.press(GAME)
            assert press.closed == "the talk is over"
            lines = press.lines()
            assert not [one for one in lines if one.remarks]
            day_long = [one for one in lines if one.text.endswith("day 0\n") and "to all" in one.text]
            assert len(day_long) == 3
            assert {one.writer for one in lines if one.kind == GREY and not one.own} == {"-"}
            private = [one for one in lines if one.to not in (("all",), (GM,))]
            assert all(name == one.writer or name in one.to for one in private)
        assert len(game.texts("alice")) >= 30

        ledger = b"".join(row.text for row in club.store.entries(GAME))
        assert ledger.count(b"press ") == 1
        history = club.book(GAME).history
        assert len(history.resolved) >= 4
        export(club, GAME, "public", tmp_path / "bundle")
        for name in names:
            held = game.players[name].home.folder(GAME).path / "held"
            assert audit(tmp_path / "bundle", club.book(GAME).head_at(1), held).status == 0
        for letter in club.store.letters():
            assert letter.sent, f"{letter.name} has left"


def test_each_message_to_the_director_is_told_until_they_have_read_it(talking: Postal) -> None:
    """The alert comes once, and a second message before the first is read raises none."""
    talking.settle(watch={"address": "gm@club.example", "summary": ""})
    allow(talking.table)
    told = []
    for number, text in enumerate(("May I ask?\n", "Did you read it?\n"), 1):
        talking.deliver(armored(talking, "alice", GM, text, number=number))
        talking.after(1)
        told.append(words(talking.mails("gm")))
    assert "This waits for you" in told[0]
    assert "This waits for you" in told[1]
    assert f"a player of {DEMO} has written to you" in told[1]
    assert len(read_for_director(talking.table.club)) == 2
    talking.after(1)
    assert talking.mails("gm") == []
