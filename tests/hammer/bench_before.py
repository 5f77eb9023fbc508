"""What work costs now and in another checkout: user time, by turns in one run, with the ratio of the medians.

    python -m tests.hammer.bench_before CHECKOUT [RUNS [TASK ...]]

What a process needs to start is in it. Each checkout audits the recorded games that lie in it. What a
demonstration takes as secrets follows from its seed, so both checkouts play the same games.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from functools import reduce
from pathlib import Path
from statistics import median

HERE = Path(__file__).parents[2]
RUNS = 3

AUDIT = """
from pathlib import Path
from pbem.audit import audit
from pbem.audit.findings import State
for bundle in sorted(Path("{checkout}").glob("games/*/bundle.tar.gz")):
    assert not audit(bundle).holds(State.REFUTED)
"""

ODDS = """
from pbem.odds import Question
from pbem.titles import load
for _ in range(10):
    load("hammer").odds.ask(Question(area="Fife", attacker="england",
        attackers="Edward, York Knights, Durham Infantry, Mar, Hobelars, York Infantry",
        defenders="Wallace, Douglas, Barclay, Grant, Fraser, Keith"))
"""

READ = """
from pbem.orders.hammer import LANGUAGE
LINE = "if first and our strength less than {}: move Wallace from Fife to Angus"
TEXT = chr(10).join(LINE.format(number) for number in range(1, 200))
for _ in range(5):
    LANGUAGE.parse(TEXT, "scotland")
"""

FORECAST = """
from pbem.forecast import forecast_of
from pbem.practice.table import Table
from pbem.titles import load
title, table = load("hammer"), Table("hammer", {}, 3)
side = table.sides[0]
orders = title.language.parse("card 2" + LINES, side).orders
forecast_of(title.forecast, orders, table.view(side), table.play.follower(side))
"""

TASKS = {
    "audit of the recorded games": AUDIT,
    "odds of six against six, ten times": ODDS,
    "199 lines with conditions, read five times": READ,
    "forecast of 20 lines": FORECAST.replace("LINES", "20 * (chr(10) + 'move all to Fife')"),
    "forecast of 1,600 lines": FORECAST.replace("LINES", "1600 * (chr(10) + 'move all to Fife')"),
}
DEMONSTRATION = """
import hashlib, itertools, secrets, sys
drawn = itertools.count()
def token_bytes(size=32):
    return hashlib.shake_256(b"{seed} %d" % next(drawn)).digest(size)
secrets.token_bytes = token_bytes
from pbem.cli import main
sys.exit(main(["demo", "--game", "{game}", "--into", "{folder}/game"]))
"""
DEMONSTRATIONS = {
    f"demonstration of {name}, seed {seed}": (game, seed)
    for name, game in (("Lords", "lords"), ("First War", "first-war"))
    for seed in range(1, 11)
}


def user_time(arguments: list[str], checkout: Path) -> float:
    """Seconds of the processor that a process and its children take on their own account."""
    before = os.times().children_user
    places = os.environ | {"PYTHONPATH": str(checkout), "PYTHONSAFEPATH": "1"}
    subprocess.run([sys.executable, *arguments], env=places, check=True, stdout=subprocess.DEVNULL)
    return os.times().children_user - before


def arguments(task: str, checkout: Path, folder: str) -> list[str]:
    """What Python is to run for a task."""
    if task in DEMONSTRATIONS:
        game, seed = DEMONSTRATIONS[task]
        words = {"{seed}": str(seed), "{game}": game, "{folder}": folder}
        return ["-c", reduce(lambda text, word: text.replace(word, words[word]), words, DEMONSTRATION)]
    return ["-c", TASKS[task].replace("{checkout}", str(checkout))]


def exchanges(folder: str) -> int:
    """How many exchanges a demonstration had."""
    return max(len(list(side.iterdir())) for side in Path(folder).glob("game/reports/*"))


def main(other: Path, runs: int, tasks: list[str]) -> None:
    """Measure and print."""
    for task in tasks or [*TASKS, *DEMONSTRATIONS]:
        times: dict[Path, list[float]] = {HERE: [], other: []}
        for _ in range(runs):
            for checkout, found in times.items():
                with tempfile.TemporaryDirectory() as folder:
                    found.append(user_time(arguments(task, checkout, folder), checkout))
                    if task in DEMONSTRATIONS:
                        which = "now" if checkout is HERE else "before"
                        sys.stdout.write(
                            f"{task}, {which}: {exchanges(folder)} exchanges, {found[-1]:.1f} s\n"
                        )
        now, before = median(times[HERE]), median(times[other])
        sys.stdout.write(f"{task:45} {before:7.2f} s {now:7.2f} s {now / before:6.2f}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    given = sys.argv[2:]
    main(Path(sys.argv[1]).resolve(), int(given[0]) if given else RUNS, given[1:])
