"""The mails of a game from its invitations to its end, and what each pass says of it: whole, line by line."""

from __future__ import annotations

import email
import re
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from email.message import Message
from itertools import product
from pathlib import Path

import pytest

from pbem.judge.acts import act, extend
from pbem.judge.game_status import status_lines
from pbem.service.one_pass import Pass
from pbem.trust.fields import sign_fields
from pbem.trust.identifiers import Namespace
from pbem.trust.keys import generate
from pbem.trust.ledger import Checkpoint
from pbem.trust.player_statements import Absence, Join, Profile
from pbem.trust.signature import sign_text
from tests import conftest
from tests.judge.table import GAME, make_own_table
from tests.kept import Telling, as_kept, plain
from tests.mail.postal import mail, write_settings

GOLDEN = Path(__file__).parent / "golden"


def parts(message: Message) -> list[str]:
    """A mail as it is read: its headers, and each part with its own."""
    lines = [f"{name}: {value}" for name, value in message.items()]
    if isinstance(within := message.get_payload(), list):
        return [*lines, *(line for part in within if isinstance(part, Message) for line in parts(part))]
    if message.get_content_maintype() == "image" or message.get_filename("").endswith(".age"):
        return lines
    content = message.get_payload(decode=True)
    return [*lines, *content.decode().splitlines()] if isinstance(content, bytes) else lines


class Told:
    """A club whose mails lie in a folder, and what has been told of it."""

    def __init__(self, folder: Path, **mail_settings: object) -> None:
        self.table = make_own_table(folder)
        self.out, self.inbox = folder / "out", folder / "judge"
        for box in (self.out, self.inbox):
            for part in ("new", "cur", "tmp"):
                (box / part).mkdir(parents=True)
        write_settings(
            self.table,
            {"inbox": {"maildir": str(self.inbox)}, "outbox": {"maildir": str(self.out)}, **mail_settings},
        )
        self.telling, self.arrived, self.told = Telling(), 0, 0

    def arrives(self, content: bytes | str, sender: str, **headers: str) -> None:
        """A mail to the judge."""
        self.arrived += 1
        marked = {"Message-ID": f"<{self.arrived}@example.org>", **headers}
        (self.inbox / "new" / f"{self.arrived:03}").write_bytes(mail(content, sender, **marked))

    def sends(self, name: str, body: str = "") -> None:
        """A player's orders come by mail."""
        self.arrives(self.table.sealed(name, body), f"{name}@example.org")

    def passes(self, heading: str, days: float = 0.0) -> None:
        """The judge looks so many days later: what they do, who gets what, and where the game stands."""
        self.table.clock.pass_days(days)
        own = re.compile(rf"{re.escape(str(self.table.club.path))}|[0-9a-f]{{8}}(?=\.join)")
        lines = [plain(own.sub("(own)", str(line))) for line in Pass(self.table.club).run()]
        self.telling.add(heading, [*lines, *status_lines(self.table.club).values()])
        left = list((self.out / "new").iterdir())
        mails = [plain("\n".join(parts(email.message_from_bytes(path.read_bytes())))) for path in left]
        for path in left:
            path.unlink()
        for one in sorted(mails):
            self.telling.add("a mail", one.split("\n"))
        for letter in self.table.club.store.letters():
            if letter.id > self.told:
                self.telling.add(f"says {letter.name} to {letter.player}", plain(letter.text).split("\n"))
                self.told = letter.id


def a_game(told: Told) -> None:
    """Two exchanges with faults, silence and what a game master may do."""
    table = told.table
    told.passes("invitations")
    told.sends("alice")
    told.passes("alice is ready")
    told.sends("bob")
    told.passes("both are ready", 0.1)
    told.sends("alice", "card 9\nmove Walace to Mar\n")
    told.arrives("status demo\n", "alice@example.org", Subject="status")
    told.arrives("hello?\n", "mallory@example.net", Subject="demo")
    told.arrives("what now?\n", "bob@example.org", Subject="please")
    told.passes("faults and questions", 0.1)
    told.sends("alice", "card 1\n")
    told.passes("another revision", 0.1)
    for day in range(1, 7):
        told.passes(f"day {day}", 0.95)
    extend(table.club, GAME, 3, reason="a journey")
    told.passes("extended")
    act(table.club, GAME, "hold", reason="a question of rules")
    told.passes("on hold", 1)
    act(table.club, GAME, "resume", reason="it is answered")
    told.passes("resumed", 1)
    for day in range(1, 13):
        told.passes(f"later, day {day}", 1)


def a_beginning(told: Told) -> None:
    """The first exchange."""
    told.passes("invitations")
    told.sends("alice")
    told.sends("bob")
    told.passes("both are ready", 0.1)


ASKED = (
    *("help", "status", "status demo", "status no", "standings", "standings no", "my games", "my games demo"),
    *("resend", "resend no", "resend demo 7", "resend demo", "resend demo 1", "help\nstatus\nmy games no"),
)


def asked_and_signed(told: Told) -> None:
    """All that may be asked or signed: by a player, by somebody without a game, and by a stranger."""
    club, book, now = told.table.club, told.table.book, told.table.clock()
    judge = club.key.public.fingerprint
    signers = {"alice": told.table.people["alice"].key, **{one: generate(one) for one in ("erin", "trudy")}}
    club.add_player("erin", signers["erin"].public, "Erin@example.org")
    act(club, GAME, "hold", reason="so nothing else happens")
    told.passes("invitations")
    for number, (words, who) in enumerate(product(ASKED, ("alice", "erin", "mallory")), 1):
        told.arrives(f"{words}\n", f"{who}{number if who == 'mallory' else ''}@example.org")
        if number % 9 == 0 or number == len(ASKED) * 3:
            told.passes(f"{number} questions", 1)
    wishes = (("Asia/Tokyo", "-"), ("", "Erin@EXAMPLE.org"), ("UTC", "alice@example.org"))
    for number, ((name, key), days) in enumerate(product(signers.items(), (0, 366, 367))):
        made, begins = now + timedelta(minutes=number), now.date()
        zone, share = wishes[number % 3]
        wish = Profile(player=name, judge=judge, zone=zone, share=share, made=made)
        away = Absence(player=name, judge=judge, begins=begins, ends=begins + timedelta(days=days), made=made)
        for signed in (
            sign_fields(away, key),
            sign_fields(wish, key),
            sign_fields(replace(wish, made=now), key),
        ):
            told.arrives(signed, f"{name}@example.org")
        told.passes(f"{name} is away for {days} days", 1)
    for name, by, game in (
        ("trudy", "trudy", "dunbar"),
        ("alice", "alice", "dunbar"),
        ("alice", "trudy", "ross"),
    ):
        wanted = Join(game=game, player=name, key=signers[by].public)
        told.arrives(sign_fields(wanted, signers[by]), f"{name}.{by}@example.net")
    for size, head in ((1, told.table.genesis), (book.size, book.head), (2, "ab" * 32)):
        for signer in (club.key, signers["alice"]):
            text = Checkpoint(game=GAME, size=size, head=head).text
            told.arrives(sign_text(signer, Namespace.CHECKPOINT, text), "bob@example.org")
    told.arrives("resend demo\n", "alice@example.org", **{"Auto-Submitted": "auto-replied"})
    told.passes("wishes, heads and a machine", 1)


STORIES: dict[str, tuple[dict[str, object], Callable[[Told], None]]] = {
    "sealed": ({}, a_game),
    "open": ({"reports": "open"}, a_beginning),
    "asked-and-signed": ({}, asked_and_signed),
}


@pytest.mark.ci(but=("open", "sealed"))
@pytest.mark.parametrize("name", STORIES)
def test_the_mails_of_a_game_are_as_they_were(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(conftest, "CHANCE", "")
    settings, story = STORIES[name]
    with conftest.chance.of("the mails of a game"):
        told = Told(tmp_path, **settings)
        story(told)
    told.table.club.store.close()
    as_kept(GOLDEN / f"{name}.txt", str(told.telling))
