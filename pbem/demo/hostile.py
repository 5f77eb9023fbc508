"""A hostile player and a hostile stranger, who try to make the judge of the demonstration look guilty.

Before each pass they hand in files: the player what players may sign and what they may not, the stranger what
can be made of recipients that all may read and of files seen on their way. The judge answers each, and can
show whatever is entered, so the game ends proven all the same.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from pbem.demo.stage import GAME, Actor, Demo
from pbem.judge.club import open_club
from pbem.player.home import Home
from pbem.trust import keys, sealing, signature
from pbem.trust.entries import Refused
from pbem.trust.namespaces import Namespace
from pbem.trust.signature import sign_text


@dataclass(slots=True)
class Hostile:
    """The hostile player and the hostile stranger of one demonstration."""

    player: Actor
    victim: Actor
    stranger: keys.PrivateKey = field(default_factory=lambda: keys.generate("mallory"))
    handed_in: int = 0

    def disturb(self, demo: Demo, exchange: int) -> None:
        """Hand in whatever hostile files the two have thought of; the judge takes none of them for good."""
        if not self.handed_in:
            demo.say(
                "",
                f"Now {self.player.name}, and a stranger who has seen files on their way, try to make it",
                "look as if the judge cheats. The name of each file says what is in it; each gets an",
                "answer.",
                "",
            )
        for what, data in self._files(demo, exchange):
            path = demo.folder / "hostile" / f"{exchange:04d}-{what}.age"
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(data)
            self.handed_in += 1
            answer = demo.run("submit", str(path), may_fail=True)
            if demo.loud:
                demo.say(*answer.splitlines())

    def _files(self, demo: Demo, exchange: int) -> Iterator[tuple[str, bytes]]:
        me, other = self.player.name, self.victim.name
        club = open_club(demo.folder / "club")
        opened = club.book(GAME).history.exchanges
        club.store.close()
        seals = opened[exchange - 1].seals
        key = Home(self.player.home).keys.unlock(me)
        mine = max((self.player.home / "games" / GAME / "sent").glob(f"{exchange:04d}-*.txt")).read_bytes()
        again = mine.replace(b"rev 1\n", b"rev 2\n", 1)
        signed = sign_text(key, Namespace.ORDERS, again)
        forged = sign_text(self.stranger, Namespace.ORDERS, mine)
        seen = (demo.folder / "orders" / self.victim.side / f"{exchange:04d}.age").read_bytes()

        yield "a-strangers-orders-for-both", sealing.seal(forged, [seals[me], seals[other]])
        yield "junk-for-the-other", sealing.seal(b"junk\n" * exchange, [seals[other]])
        yield "what-was-seen-with-a-line-too-many", seen + b"\n"
        yield "good-orders-for-both", sealing.seal(signed, [seals[other], seals[me]])
        yield "padding-that-readers-cut-differently", sealing.seal(signed + b"\n\r\r\n", [seals[me]])
        side = mine.replace(self.player.side.encode(), self.victim.side.encode())
        yield "for-the-other-side", sealing.seal(sign_text(key, Namespace.ORDERS, side), [seals[me]])
        twice = sign_text(key, Namespace.ORDERS, mine + b"-----END SSH SIGNATURE-----\n")
        yield "one-revision-twice", sealing.seal(twice, [seals[me]])
        if exchange > 1:
            old = opened[exchange - 2].seals
            late = mine.replace(b"exchange %d\n" % exchange, b"exchange %d\n" % (exchange - 1), 1)
            yield "too-late", sealing.seal(sign_text(key, Namespace.ORDERS, late), [old[me]])
            rotated = signature.sign(key, Namespace.ROTATE, again)
            yield "signed-for-something-else", sealing.seal(again + rotated, [seals[me]])

    def give_up(self, demo: Demo) -> None:
        """Concede the game for the hostile player, so that the game ends and everything can be shown."""
        club = open_club(demo.folder / "club")
        history = club.book(GAME).history
        club.store.close()
        if history.over:
            return
        name, path = self.player.name, demo.folder / "concession"
        said = (str(len(history.exchanges)), "concede", name)
        demo.run("consent", GAME, *said, "--as", name, "--out", str(path), home=self.player.home)
        demo.run("act", GAME, *said[1:], "--reason", "nothing has helped", "--consent", str(path))

    def tell(self, demo: Demo) -> None:
        """Tell the spectator what became of the hostile files."""
        club = open_club(demo.folder / "club")
        entries = club.book(GAME).entries
        club.store.close()
        refused = sum(isinstance(entry, Refused) for entry in entries)
        demo.say(
            "",
            f"{self.handed_in} hostile files were handed in. {refused} of them are {self.player.name}'s own;",
            "they stand in the ledger as refused, each with its reason. The others were answered, and claim",
            "nothing.",
            "",
        )
