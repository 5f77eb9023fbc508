"""An honest judge and two players, one perhaps hostile: a real club, real keys, a clock that is set."""

from __future__ import annotations

import mailbox
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import timedelta
from email.message import EmailMessage
from pathlib import Path
from random import Random

from pbem.errors import PbemError
from pbem.judge import acts, adjudication
from pbem.judge.book import Book
from pbem.judge.intake import desk
from pbem.judge.intake.consents import take_consent
from pbem.judge.intake.player_files import Verdict
from pbem.judge.new_keys import replace_judge_key, rotate
from pbem.judge.newgame import new_game
from pbem.mail.club_mailbox import fetch_mail
from pbem.mail.inbox import Inbox
from pbem.mail.settings import read_settings
from pbem.rules.base import UnknownOption
from pbem.titles import default_name, load, names
from pbem.trust import keys
from pbem.trust.act_entries import CORRECT, Act
from pbem.trust.chance import Reveal, make_chain
from pbem.trust.entries import AFTER_CLOSE, EXTEND, WITH_ORDERS
from pbem.trust.orderfile import LateReveal, OrderFile, Seen
from pbem.trust.player_statements import Join
from pbem.trust.rotations import KeyChange, sign_rotation
from pbem.trust.sealing import AGE_MAGIC, sealed_name, to_armor
from pbem.trust.times import utc_text
from tests.judge.every_game import run_pass
from tests.judge.table import GAME, SEATS, Person, Room, Table, join_of
from tests.trust.sealed import seal_late_reveal, seal_orders

HOSTILE, HONEST = "alice", "bob"

BY_MAIL = 0.3
"""So many of the files come by mail."""
JUDGE = "judge@club.example"


@dataclass
class Arena(Table):
    """A game between a hostile player and an honest one."""

    mode: str = WITH_ORDERS
    random: Random = field(default_factory=Random)
    spares: dict[str, keys.PrivateKey] = field(default_factory=dict)
    """Recovery keys."""
    new_keys: dict[str, tuple[int, keys.PrivateKey]] = field(default_factory=dict)
    """Player -> from which exchange on he signs with which key."""
    old_keys: list[keys.PrivateKey] = field(default_factory=list)
    seen_files: list[bytes] = field(default_factory=list)
    """Sealed files that strangers have seen on their way."""
    seen_texts: list[bytes] = field(default_factory=list)
    """Signed texts that a stranger could have from a bundle of the hostile player's side."""
    mails: int = 0
    """So many files came by mail."""
    loaded: Book | None = None

    def key(self, name: str) -> keys.PrivateKey:
        """What somebody signs the open exchange with."""
        start, key = self.new_keys.get(name, (0, self.people[name].key))
        if start and self.exchange >= start:
            self.people[name].key = key
        return self.people[name].key

    def orders(self, name: str, body: str = "", **changed: object) -> OrderFile:
        """As a player's program would write them in this game's mode."""
        late: dict[str, object] = {"reveal": None} if self.mode == AFTER_CLOSE else {}
        return self.order_file(name, body, **(late | changed))

    @property
    def book(self) -> Book:
        """The game's ledger, to be looked at; loaded anew when it has grown."""
        if self.loaded is None or (self.loaded.size, self.loaded.head) != self.club.store.head(GAME):
            self.loaded = self.club.book(GAME)
        return self.loaded

    def hand_in(self, raw: bytes) -> list[Verdict]:
        """Something is given to the judge."""
        return desk.submit(self.club, raw)

    def deliver(self, raw: bytes) -> None:
        """Something arrives at the judge's: it is given to him, or comes by mail."""
        if self.random.random() < BY_MAIL:
            self.mail_in(raw)
        else:
            self.hand_in(raw)

    def mail_in(self, raw: bytes) -> None:
        """A mail with a file lies in the judge's maildir, from anybody; he fetches and reads it."""
        self.mails += 1
        mail = EmailMessage()
        mail["From"] = self.random.choice([f"{name}@example.org" for name in (*SEATS, "mallory")])
        mail["To"], mail["Message-ID"] = JUDGE, f"<{self.mails}@example.org>"
        mail["Subject"] = self.random.choice(["orders", GAME, ""])
        if raw.startswith(AGE_MAGIC) and self.random.random() < 0.5:
            with suppress(PbemError):
                raw = to_armor(raw).encode()
        if raw.isascii() and self.random.random() < 0.7:
            mail.set_content(raw.decode(), cte=self.random.choice(["7bit", "quoted-printable", "base64"]))
        else:
            mail.set_content("My orders.\n")
            mail.add_attachment(raw, "application", "octet-stream", filename="orders.age")
        box = self.club.path.parent / "mail"
        mailbox.Maildir(box).add(mail.as_bytes())
        settings = read_settings({"mail": {"address": JUDGE, "inbox": {"maildir": str(box)}}})
        assert settings is not None
        assert fetch_mail(self.club, settings) == 1
        taken = list(Inbox(self.club, settings, desk.open_desk(self.club)).take_in())
        assert len(taken) == 1
        assert "not understood" not in taken[0].text, taken

    def send_honestly(self, name: str, body: str = "", rev: int = 1) -> None:
        """A player's good file arrives, and is taken."""
        number, file = self.exchange, seal_orders(self.orders(name, body, rev=rev), self.key(name))
        self.deliver(file)
        assert sealed_name(file) in [one.sealed for one in self.book.history.exchanges[number - 1].received]
        self.seen_files.append(file)

    def reveal_honestly(self, name: str) -> None:
        """A player's reveal after the close arrives, and is taken."""
        number = self.exchange
        self.deliver(self.late_reveal(name))
        assert name in [one.player for one in self.book.history.exchanges[number - 1].revealed]

    def late_reveal(self, name: str, **changed: object) -> bytes:
        """A reveal as a player's program would send it now, or with something changed."""
        book, number = self.book, self.exchange
        parts: dict[str, object] = {
            "game": GAME,
            "exchange": number,
            "player": name,
            "seen": Seen(book.size, book.head),
            "reveal": Reveal(f"{name}.1", number, self.people[name].chain.reveal(number)),
        }
        late = LateReveal(**(parts | changed))  # type: ignore[arg-type]
        return seal_late_reveal(late, self.key(name), book.history.exchanges[number - 1].seals[name])

    def run(self) -> None:
        """A pass of the judge's, which nobody's word stops."""
        done = run_pass(self.club)
        assert not any(one.is_stopped for one in done), done

    def act(self, what: str, of: str = "", change: str = "", consents: tuple[str, ...] = ()) -> None:
        """The game master acts, with what he needs."""
        said = " ".join(word for word in (what, of, change) if word)
        given = [self.consent(said, name, self.key(name)) for name in consents]
        acts.act(self.club, GAME, what, of, change, reason="as agreed", consents=given)

    def agree(self) -> bool:
        """All who play agree on a day more; False if they cannot now."""
        history = self.book.history
        said = f"{EXTEND} {utc_text(self.deadline + timedelta(days=1))}"
        for name in sorted(history.playing):
            try:
                with self.club.store.step():
                    done = take_consent(self.club, self.consent(said, name, self.key(name))).done
            except PbemError:  # it was on hold, or they have agreed before
                return False
        return bool(done)

    def correct(self, change: str) -> bool:
        """The game master and both players put a house rule right; False if nothing would come of it."""
        entry = Act(
            exchange=self.exchange, what=CORRECT, of="1", change=change, at=self.clock(), reason="as bid"
        )
        found = adjudication.compare_house_rules(self.club, self.club.book(GAME), entry.corrected)
        if found is None or not found.decides:
            return False
        self.act(CORRECT, str(found.exchange), change, consents=tuple(SEATS))
        return True

    def replace_judge_key(self) -> None:
        """The judge replaces his key, by the old one or by the recovery key."""
        spare = keys.load_private((self.club.path.parent / "gm-recovery").read_bytes())
        self.club, changed = replace_judge_key(self.club, self.random.choice([None, spare]))
        self.club.store.db.conn.execute("PRAGMA synchronous = OFF")
        assert changed == [GAME]

    def rotate(self, name: str) -> None:
        """A player replaces his key, by the old one or by the recovery key."""
        new, old = keys.generate(name), self.key(name)
        by = old if self.random.random() < 0.6 else self.spares[name]
        rotate(self.club, self.rotation(name, by, new))
        self.old_keys.append(old)
        self.new_keys[name] = self.exchange + 1, new

    def rotation(
        self, name: str, by: keys.PrivateKey | None, new: keys.PrivateKey, **changed: object
    ) -> bytes:
        """The file of a new key."""
        old = self.book.history.seats.fingerprint(name, self.exchange + 1)
        parts: dict[str, object] = {
            "game": GAME,
            "genesis": str(self.book.head_at(1)),
            "player": name,
            "exchange": self.exchange,
            "old": old,
            "new": new.public.line,
        }
        return sign_rotation(KeyChange(**(parts | changed)), by, new)  # type: ignore[arg-type]

    @property
    def over(self) -> bool:
        """Has the game ended?"""
        return self.book.history.over


def make_arena(
    folder: Path,
    random: Random,
    mode: str,
    exchanges: int,
    rules: str = "",
    sides: Mapping[str, str] = SEATS,
    **options: object,
) -> Arena:
    """A club with a game whose first exchange is open. `sides`: each player's."""
    room = Room.begun(folder, recovery=folder / "gm-recovery")
    with (room.club.path / "club.toml").open("a", encoding="utf-8") as file:
        file.write('\n[press]\nkind = "grey"\n[rhythm]\nagreed_days = 2\n')
    room.reopen()
    club = room.club
    club.store.db.conn.execute("PRAGMA synchronous = OFF")
    arena = Arena(club, room.clock, mode=mode, random=random)
    seats: dict[str, str | Join] = {}
    for number, (name, side) in enumerate(sides.items(), 1):
        chain = make_chain(GAME, f"{name}.1", bytes([number]) * 32)
        arena.people[name] = Person(name, side, keys.generate(name), chain)
        arena.spares[name] = keys.generate(f"{name} recovery")
        club.add_player(name, arena.people[name].key.public, f"{name}@example.org")
        recovery = arena.spares[name].public.fingerprint
        seats[side] = join_of(GAME, name, arena.people[name].key, chain.anchor, recovery=recovery)
    title = load(rules or default_name())
    new_game(club, GAME, title.name, {**(title.excerpt or {}), **options}, seats, mode, "", exchanges)
    return arena


def table_title() -> str:
    """The game that comes with pbem and is played by three to five."""
    for name in names():
        rules = load(name).rules
        with suppress(UnknownOption):
            if [len(rules.sides(rules.checked({"players": many}))) for many in (3, 4, 5)] == [3, 4, 5]:
                return name
    raise AssertionError("there is none")
