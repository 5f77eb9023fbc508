"""What a pass costs that touches every game, a receipt and a forecast, here and in another checkout.

    python -m tests.benchmarks.bench_pass CHECKOUT [GAMES [EXCHANGES]]

Seconds of the processor on the judge's own account (user time), one checkout after the other, each by the
club of its own tests: order files come as mails, letters leave by SMTP to a server in another process. A pass
takes in the files of both players of each game, resolves the exchange and sends two receipts and two reports.
In the last exchange one of them sends a turn's orders: receipts first, then their forecasts. Compiled modules
are kept, as an installed program has them.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parents[2]
GAMES, EXCHANGES = 50, 6
WORK = """
import sys, tempfile
from pathlib import Path
from tests.benchmarks.bench_mail import ORDERS, Club, sink

games, exchanges = map(int, sys.argv[1:])
with tempfile.TemporaryDirectory() as folder, sink() as port:
    club = Club(Path(folder), games, port, games)
    for exchange in range(1, exchanges + 1):
        for name in ("alice", "bob"):
            club.put_mails(games, name=name)
        club.table.reopen()
        _, user, _ = club.run()
        print(f"exchange {exchange}: {1000 * user / games:6.1f} ms an exchange", flush=True)
    club.put_mails(games, name="alice", body=ORDERS)
    club.table.reopen()
    receipts, forecasts = club.run(until=games)[1], club.run()[1]
    print(f"receipts: {games / receipts:.0f} a second; with forecasts {games / (receipts + forecasts):.1f}")
"""


def main(other: Path, games: int, exchanges: int) -> None:
    """Measure and print."""
    for checkout in (other, HERE):
        places = os.environ | {"PYTHONPATH": str(checkout), "PYTHONSAFEPATH": "1"}
        places.pop("PYTHONDONTWRITEBYTECODE", None)
        sys.stdout.write(f"{checkout}\n")
        sys.stdout.flush()
        words = [sys.executable, "-c", WORK, str(games), str(exchanges)]
        subprocess.run(words, env=places, cwd=checkout, check=True)


if __name__ == "__main__":
    given = [int(word) for word in sys.argv[2:]]
    main(Path(sys.argv[1]).resolve(), *(*given, *(GAMES, EXCHANGES)[len(given) :]))
