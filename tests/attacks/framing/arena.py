"""An honest judge and two players, one perhaps hostile: a real club, real keys, a clock that is set."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from pbem.judge import acts, bench, desk
from pbem.judge.club import create_club
from pbem.judge.rotation import rotate
from pbem.trust import keys
from pbem.trust.acts import Consent, sign_consent
from pbem.trust.chains import Reveal, make_chain
from pbem.trust.entries import AFTER_CLOSE, WITH_ORDERS
from pbem.trust.letters import Join, read_join, sign_join
from pbem.trust.orderfile import LateReveal, OrderFile, Seen, seal_late_reveal, seal_orders
from pbem.trust.rotations import KeyChange, sign_rotation
from tests.judge.table import GAME, SEATS, Clock, Person, Table

HOSTILE, HONEST = "alice", "bob"


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

    def hand_in(self, raw: bytes) -> list[desk.Verdict]:
        """Something arrives at the judge's."""
        return desk.submit(self.club, raw)

    def send_honestly(self, name: str, body: str = "", rev: int = 1) -> None:
        """A player's good file arrives, and is taken."""
        file = seal_orders(self.orders(name, body, rev=rev), self.key(name))
        (verdict,) = self.hand_in(file)
        assert verdict.accepted, verdict.text
        self.seen_files.append(file)

    def reveal_honestly(self, name: str) -> None:
        """A player's reveal after the close arrives, and is taken."""
        (verdict,) = self.hand_in(self.late_reveal(name))
        assert verdict.accepted, verdict.text

    def late_reveal(self, name: str, **changed: object) -> bytes:
        """A reveal as a player's program would send it now, or with something changed."""
        book, number = self.club.book(GAME), self.exchange
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
        """A pass of the judge's, which nothing may stop."""
        for done in bench.run_pass(self.club):
            assert not done.stopped, done

    def consent(self, name: str, said: str, key: keys.PrivateKey | None = None) -> bytes:
        """Somebody's signed consent to an act in the open exchange."""
        return sign_consent(
            Consent(game=GAME, exchange=self.exchange, by=name, to=said), key or self.key(name)
        )

    def act(self, what: str, of: str = "", change: str = "", consents: tuple[str, ...] = ()) -> None:
        """The game master acts, with what he needs."""
        said = " ".join(word for word in (what, of, change) if word)
        given = [self.consent(name, said) for name in consents]
        acts.act(self.club, GAME, what, of, change, reason="as agreed", consents=given)

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
        old = self.club.book(GAME).history.seats.fingerprint(name, self.exchange + 1)
        parts: dict[str, object] = {
            "game": GAME,
            "player": name,
            "exchange": self.exchange,
            "old": old,
            "new": new.public.line,
        }
        return sign_rotation(KeyChange(**(parts | changed)), by, new)  # type: ignore[arg-type]

    @property
    def over(self) -> bool:
        """Has the game ended?"""
        return self.club.book(GAME).history.over


def make_arena(folder: Path, random: Random, mode: str, exchanges: int, **options: object) -> Arena:
    """A club with a game whose first exchange is open."""
    clock = Clock()
    club = create_club(folder / "club", "test", clock=clock)
    club.store.db.conn.execute("PRAGMA synchronous = OFF")
    arena = Arena(club, clock, mode=mode, random=random)
    seats: dict[str, str | Join] = {}
    for number, (name, side) in enumerate(SEATS.items(), 1):
        chain = make_chain(GAME, f"{name}.1", bytes([number]) * 32)
        arena.people[name] = Person(name, side, keys.generate(name), chain)
        arena.spares[name] = keys.generate(f"{name} recovery")
        club.add_player(name, arena.people[name].key.public, f"{name}@example.org")
        join = Join(
            game=GAME,
            player=name,
            key=arena.people[name].key.public,
            anchor=Reveal(f"{name}.1", 0, chain.anchor),
            recovery=arena.spares[name].public.fingerprint,
        )
        seats[side] = read_join(sign_join(join, arena.people[name].key))
    club.new_game(GAME, "hammer", {"scenario": "braveheart"} | options, seats, mode, "", exchanges)
    return arena
