"""How fast a pass is: idle over many games, and with new orders by mail, receipts sent by SMTP.

    python -m tests.benchmarks.bench_mail [GAMES [MAILS]]

prints seconds, and seconds of the processor on the judge's own account (user time; the mail server is another
process). An idle pass is made in a process of its own as well, before and after the rest: its time, start and
all, and the most memory that it held.
"""

from __future__ import annotations

import contextlib
import resource
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from pbem.judge.club import create_club
from pbem.judge.newgame import new_game
from pbem.service.one_pass import Pass
from pbem.titles import default_name, load
from pbem.trust import keys
from pbem.trust.chance import Chain, make_chain
from pbem.trust.sealing import seal, seal_key, to_armor
from tests.judge.table import SEATS, Clock, Table, join_of
from tests.mail.postal import mail, write_settings
from tests.trust.sealed import orders_for, seal_orders

GAMES, MAILS, HINTLESS = 1_000, 100, 20
RECIPIENTS = [f"player{number}@example.org" for number in range(8)]
ORDERS = "card 3\nmove Wallace from Fife to Angus\nmove Douglas from Selkirk to Lothian\n"

IDLE = """
import resource, sys
from datetime import datetime
from pathlib import Path
from pbem.judge.club import open_club
from pbem.service.one_pass import Pass
club = open_club(Path(sys.argv[1]), lambda: datetime.fromisoformat(sys.argv[2]))
count = len(list(Pass(club, check_all=len(sys.argv) > 3).run()))
club.store.close()
(peak,) = [line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM")]
print(resource.getrusage(resource.RUSAGE_SELF).ru_utime, int(peak) // 1024, count)
"""


class Club:
    """A club with many games, all at their first exchange; each two of its people play together.

    In the first `played` alone the players have a chain behind their anchor: chains take long to make.
    """

    def __init__(
        self, folder: Path, games: int, port: int, played: int, pairs: int = 1, clock: Clock | None = None
    ) -> None:
        clock = clock or Clock()
        self.table = Table(create_club(folder / "club", "large", clock=clock), clock)
        self.games = [f"g{number:05d}" for number in range(games)]
        self.pairs = [[f"{name}{number or ''}" for name in SEATS] for number in range(pairs)]
        self.keys = {name: keys.generate(name) for pair in self.pairs for name in pair}
        with self.table.club.store.step():
            for name, key in self.keys.items():
                self.table.club.add_player(name, key.public, f"{name}@example.org")
            for number, game in enumerate(self.games):
                self._open(game, is_played=number < played)
            self.table.club.store.connection.execute("UPDATE letter SET sent = at")
        self.box = folder / "judge"
        for name in ("new", "cur", "tmp"):
            (self.box / name).mkdir(parents=True)
        outbox = {"host": "127.0.0.1", "port": port, "tls": "none"}
        write_settings(self.table, {"inbox": {"maildir": str(self.box)}, "outbox": outbox})

    def seats(self, game: str) -> dict[str, str]:
        """Who plays a game -> their side."""
        pair = self.pairs[int(game[1:]) % len(self.pairs)]
        return dict(zip(pair, SEATS.values(), strict=True))

    def _chain(self, game: str, name: str) -> Chain:
        return make_chain(game, f"{name}.1", game.encode().ljust(32))

    def _open(self, game: str, *, is_played: bool) -> None:
        seats = {}
        for name, side in self.seats(game).items():
            anchor = self._chain(game, name).anchor if is_played else "d" * 64
            seats[side] = join_of(game, name, self.keys[name], anchor)
        title = load(default_name())
        new_game(self.table.club, game, title.name, title.excerpt or {}, seats)

    def sealed(self, game: str, name: str, body: str = "") -> bytes:
        """A player's orders for the exchange that is open."""
        orders = orders_for(self.table.club.book(game), name, self._chain(game, name), body=body)
        return seal_orders(orders, self.keys[name])

    def put_mails(
        self, count: int, first: int = 0, *, hinted: bool = True, name: str = "alice", body: str = ""
    ) -> None:
        """Put orders into the mailbox, each for another game; `name`: of whom, in the first pair."""
        for number in range(first, first + count):
            game = self.games[number % len(self.games)]
            player = list(self.seats(game))[list(SEATS).index(name)]
            armor = to_armor(self.sealed(game, player, body)).encode()
            subject = f"Re: {game} for {player}" if hinted else "orders"
            raw = mail(armor, f"{player}@example.org", Subject=subject)
            exchange = len(self.table.club.book(game).history.exchanges)
            (self.box / "new" / f"{exchange}-{name}-{number:05d}.orders").write_bytes(raw)

    def put(self, content: bytes, **headers: str) -> None:
        """Put a mail into the mailbox."""
        (self.box / "new" / f"other-{len(content)}").write_bytes(mail(content, **headers))

    def strange(self) -> bytes:
        """Orders that are sealed to no key of this club."""
        return to_armor(seal(bytes(900), [seal_key(bytes(32), "nowhere", 1, "alice").recipient])).encode()

    def idle(self, *options: str) -> str:
        """What a pass costs that has nothing to do, in a process of its own."""
        words = [str(self.table.club.path), self.table.clock().isoformat(), *options]
        done = subprocess.run(
            [sys.executable, "-c", IDLE, *words], check=True, capture_output=True, text=True
        )
        processor, peak, count = done.stdout.split()
        return f"{processor} s of the processor with its start, {peak} MB at most, {count} things done"

    def run(self, *, until: int = 0, **options: bool) -> tuple[float, float, int]:
        """A pass, or what of it sends `until` letters: seconds, seconds of the processor, things done."""
        wall, processor = time.perf_counter(), user_time()
        count, sent = 0, 0
        for line in Pass(self.table.club, **options).run():
            count += 1
            sent += line.text.startswith("sent ")
            if until and sent == until:
                break
        return time.perf_counter() - wall, user_time() - processor, count


def user_time() -> float:
    """Seconds of the processor that this process has had on its own account."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_utime


@contextlib.contextmanager
def sink() -> Iterator[int]:
    """A mail server in a process of its own, which takes every mail and keeps none; its port."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
    words = ("-m", "aiosmtpd", "-n", "-c", "aiosmtpd.handlers.Sink", "-l", f"127.0.0.1:{port}")
    with subprocess.Popen([sys.executable, *words]) as server:
        try:
            while True:
                with contextlib.suppress(ConnectionError), socket.create_connection(("127.0.0.1", port)):
                    break
            yield port
        finally:
            server.terminate()


def tell(line: str) -> None:
    """Print a line."""
    sys.stdout.write(f"{line}\n")


def measure(games: int, mails: int) -> None:
    """Print the table."""
    with tempfile.TemporaryDirectory() as folder, sink() as port:
        club = Club(Path(folder), games, port, mails + HINTLESS)
        rows = [("first pass", club.run()), ("idle pass", club.run())]
        for options in ((), ("all",)):
            tell(f"idle, {' '.join(options)}: {club.idle(*options)}")
        if not mails:
            return
        rows.append(("idle pass that checks all ledgers", club.run(check_all=True)))
        club.put_mails(mails, 0, hinted=True)
        club.put_mails(mails)
        rows.append((f"{mails} players accept, with receipts", club.run()))
        club.put_mails(mails, name="bob")
        rows.append((f"{mails} others accept: {mails} games begin", club.run()))
        club.put_mails(mails, body=ORDERS)
        rows.append((f"{mails} orders are receipted", club.run(until=mails)))
        rows.append((f"{mails} forecasts of them follow", club.run()))
        club.put_mails(HINTLESS, mails, hinted=False)
        rows.append((f"{HINTLESS} order mails without any hint", club.run()))
        club.put(b"\n".join(club.strange() for _ in range(16)), To=", ".join(RECIPIENTS))
        rows.append(("a mail of 16 files for nobody, to 8 recipients", club.run()))
        club.put(b"<" * 1_900_000)
        rows.append(("a mail of 1.9 MB of <", club.run()))
        rows.append(("idle pass", club.run()))
        for what, (wall, processor, count) in rows:
            tell(f"{what:45} {wall:7.2f} s, {processor:6.2f} s of the processor, {count} things done")
        tell(f"idle: {club.idle()}")


if __name__ == "__main__":
    given = [int(word) for word in sys.argv[1:]]
    measure(*(*given, *(GAMES, MAILS)[len(given) :]))
