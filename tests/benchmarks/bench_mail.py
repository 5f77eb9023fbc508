"""How fast a pass is: idle over many games, and with new orders by mail.

As a table: python -m tests.benchmarks.bench_mail [GAMES [MAILS]]. It prints seconds and the memory used.
"""

from __future__ import annotations

import resource
import sys
import tempfile
import time
from pathlib import Path

from pbem.judge.club import create_club
from pbem.service.one_pass import Pass
from pbem.trust import keys
from pbem.trust.chains import Chain, Reveal, make_chain
from pbem.trust.letters import Join, read_join, sign_join
from pbem.trust.orderfile import OrderFile, Seen, seal_orders
from pbem.trust.sealing import to_armor
from tests.judge.table import SEATS, Clock, Table
from tests.mail.postal import mail, write_settings

GAMES, MAILS, HINTLESS = 1_000, 200, 20


class Club:
    """A club with many games of the same two players, all at their first exchange."""

    def __init__(self, folder: Path, games: int) -> None:
        clock = Clock()
        self.table = Table(create_club(folder / "club", "large", clock=clock), clock)
        self.games = [f"g{number:05d}" for number in range(games)]
        self.keys = {name: keys.generate(name) for name in SEATS}
        for name, key in self.keys.items():
            self.table.club.add_player(name, key.public, f"{name}@example.org")
        with self.table.club.store.step():
            for game in self.games:
                self._open(game)
            for letter in self.table.club.store.letters():
                self.table.club.store.mark_sent(letter.id, letter.at)
        self.box = folder / "judge"
        for name in ("new", "cur", "tmp"):
            (self.box / name).mkdir(parents=True)
        write_settings(self.table, {"inbox": {"maildir": str(self.box)}})

    def _chain(self, game: str, name: str) -> Chain:
        return make_chain(game, f"{name}.1", game.encode().ljust(32))

    def _open(self, game: str) -> None:
        seats = {}
        for name, side in SEATS.items():
            anchor = Reveal(f"{name}.1", 0, self._chain(game, name).anchor)
            join = Join(game=game, player=name, key=self.keys[name].public, anchor=anchor)
            seats[side] = read_join(sign_join(join, self.keys[name]))
        self.table.club.new_game(game, "hammer", {"scenario": "braveheart"}, seats)

    def put_mails(self, count: int, first: int, *, hinted: bool) -> None:
        """Put orders into the mailbox, each for another game."""
        for number in range(first, first + count):
            game = self.games[number % len(self.games)]
            book = self.table.club.book(game)
            orders = OrderFile(
                game=game,
                exchange=1,
                player="alice",
                side=SEATS["alice"],
                rev=1,
                seal=book.history.exchanges[0].seals["alice"],
                seen=Seen(book.size, book.head),
                reveal=Reveal("alice.1", 1, self._chain(game, "alice").reveal(1)),
            )
            armor = to_armor(seal_orders(orders, self.keys["alice"])).encode()
            raw = mail(armor, Subject=f"Re: {game} for alice" if hinted else "orders")
            (self.box / "new" / f"{number:05d}.orders").write_bytes(raw)

    def run(self, **options: bool) -> tuple[float, float, int]:
        """One pass: seconds, seconds of the processor, things done."""
        wall, processor = time.perf_counter(), time.process_time()
        count = sum(1 for _ in Pass(self.table.club, **options).run())
        return time.perf_counter() - wall, time.process_time() - processor, count


def tell(line: str) -> None:
    """Print a line."""
    sys.stdout.write(f"{line}\n")


def measure(games: int, mails: int) -> None:
    """Print the table."""
    with tempfile.TemporaryDirectory() as folder:
        club = Club(Path(folder), games)
        rows = [("first pass", club.run()), ("idle pass", club.run())]
        rows.append(("idle pass that checks all ledgers", club.run(check_all=True)))
        club.put_mails(mails, 0, hinted=True)
        rows.append((f"{mails} order mails, replies to our letters", club.run()))
        club.put_mails(HINTLESS, mails, hinted=False)
        rows.append((f"{HINTLESS} order mails without any hint", club.run()))
        rows.append(("idle pass", club.run()))
        for what, (wall, processor, count) in rows:
            tell(f"{what:45} {wall:7.2f} s, {processor:6.2f} s of the processor, {count} things done")
        tell(f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024} MB at most")


if __name__ == "__main__":
    given = [int(word) for word in sys.argv[1:]]
    measure(*(*given, *(GAMES, MAILS)[len(given) :]))
