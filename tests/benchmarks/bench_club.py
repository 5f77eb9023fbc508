"""What a club costs that has many games in one folder, all of them begun.

    python -m tests.benchmarks.bench_club [GAMES [TOUCHED]]

Each player plays ten games. Each command runs in a process of its own: seconds of the processor (user time,
start and all), and the most memory that it held. In a pass over touched games both players have sent orders
by mail for each of them; receipts and reports leave by SMTP to a server in another process.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path

from pbem.judge.adjudication import run_game
from pbem.judge.agenda import agenda_of
from pbem.judge.intake.desk import Desk, take_sealed
from tests.benchmarks.bench_mail import ORDERS, Club, sink, tell, user_time
from tests.judge.table import SEATS, Clock

GAMES, TOUCHED = 10_000, 50
AT_ONCE = 100
"""So many games begin in one transaction."""
COMMAND = """
import resource, sys
from pbem.cli import main
status = main(sys.argv[1:])
used = resource.getrusage(resource.RUSAGE_SELF)
(peak,) = [line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM")]
print(used.ru_utime, used.ru_stime, peak, status)
"""
"""A command, and then what it cost; most memory as the system counts it from the process's own start."""


def begin(club: Club) -> None:
    """Every player accepts every game, by the judge's own functions; what is written to them has left."""
    judge = club.table.club
    for first in range(0, len(club.games), AT_ONCE):
        with judge.store.step():
            for game in club.games[first : first + AT_ONCE]:
                desk = Desk(judge, {game: agenda_of(judge.book(game))})
                for name in club.seats(game):
                    assert take_sealed(desk, club.sealed(game, name)).is_accepted
                assert run_game(judge, game)
            judge.store.connection.execute("UPDATE letter SET sent = at WHERE sent = ''")


def size_of(folder: Path) -> tuple[int, int]:
    """The bytes in a folder, and how many files and folders they are in."""
    paths = list(folder.rglob("*"))
    return sum(path.stat().st_size for path in paths if path.is_file()), len(paths)


def run(club: Path, *words: str) -> None:
    """Run a command on its own, and tell what it cost."""
    argv = [sys.executable, "-c", COMMAND, *words, "--club", str(club)]
    said = subprocess.run(argv, check=True, capture_output=True, text=True).stdout.splitlines()
    user, system, peak, status = said[-1].split()
    tell(
        f"{' '.join(words)[:30]:30} {float(user):8.2f} s, {float(system):6.2f} s of the system, "
        f"{int(peak) // 1024:5} MB, {len(said) - 1:6} lines, status {status}"
    )


def tell_size(club: Path) -> None:
    """Print how large a club's folder is."""
    size, files = size_of(club)
    tell(f"the folder: {size / 1e6:.1f} MB in {files} files and folders")


def measure(games: int, touched: int) -> None:
    """Make the club, print the table."""
    with tempfile.TemporaryDirectory() as scratch, sink() as port:
        folder, begun = Path(scratch), (time.perf_counter(), user_time())
        clock = Clock(datetime.now(UTC).replace(microsecond=0))
        club = Club(folder, games, port, games, pairs=max(1, games // 10), clock=clock)
        begin(club)
        wall, processor = time.perf_counter() - begun[0], user_time() - begun[1]
        made = f"{games} games of {len(club.keys)} players begun"
        tell(f"{made} in {wall:.0f} s, {processor:.0f} s of the processor")
        path = club.table.club.path
        club.table.club.store.close()
        tell_size(path)
        for command in ("run", "run", "status", "doctor"):
            run(path, command)
        for kind, body in (("without a word", ""), ("with a turn's", ORDERS)):
            club.table.reopen()
            for name in SEATS:
                club.put_mails(touched, name=name, body=body)
            club.table.club.store.close()
            tell(f"orders of both players of {touched} games, {kind}:")
            run(path, "run")
        club.table.reopen()
        (folder / "one.age").write_bytes(club.sealed(club.games[-1], next(iter(club.seats(club.games[-1])))))
        club.table.club.store.close()
        run(path, "submit", str(folder / "one.age"))
        for command in ("run", "status", "doctor"):
            run(path, command)
        run(path, "backup", "--into", str(folder / "backups"))
        tell_size(path)


if __name__ == "__main__":
    given = [int(word) for word in sys.argv[1:]]
    measure(*(*given, *(GAMES, TOUCHED)[len(given) :]))
