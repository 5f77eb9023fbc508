"""What a command costs before it does anything: user time, as a ratio to a bare Python start.

    python -m tests.benchmarks.bench_start [RUNS [FOLDER]]

`FOLDER` is another checkout of the program; it stands first. Medians of `RUNS` runs, by turns, with compiled
modules kept as an installed program has them. At last what `check` takes in a process that has nothing but
the command line, and what it takes there once more, in seconds of the processor.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from statistics import median

RUNS = 11
GAME = "hearth"
ORDERS = """\
card 1
move Wallace, Douglas from Fife to Mentieth
if first: move all from Buchan to Angus
plan any:
    if our strength less than their strength: retreat all
    fire
end
"""
FIRST_AND_AGAIN = """
import contextlib, io, sys, time
from pbem.cli import main
def check():
    with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):
        main()
    return time.process_time()
begun = time.process_time()
first = check()
print(first - begun, check() - first)
"""
SEATS = {"alice": "scotland", "bob": "england"}


class Program:
    """The commands of a checkout, in a club with one game."""

    report = ""

    def __init__(self, checkout: Path, folder: Path) -> None:
        self.folder = folder
        self.places = {
            **{name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"},
            "PYTHONPATH": str(checkout),
            "PYTHONSAFEPATH": "1",  # the folder in which this runs is a checkout too
            "PYTHONPYCACHEPREFIX": str(folder / "compiled"),
            "PBEM_CLUB": str(folder / "club"),
            "PBEM_HOME": str(folder / "alice"),
        }

    def pbem(self, *words: str, home: str = "alice") -> int:
        """Run a command, as the set-up of what is measured."""
        places = self.places | {"PBEM_HOME": str(self.folder / home)}
        done = subprocess.run(
            [sys.executable, "-m", "pbem", *words],
            env=places,
            cwd=self.folder,
            capture_output=True,
            check=False,
        )
        return done.returncode

    def set_up(self) -> None:
        """A club, two players, a game that alice has accepted."""
        self.pbem("init", "club")
        seats: list[str] = []
        for name, side in SEATS.items():
            self.pbem("keygen", name, home=name)
            join = ("join", GAME, "--as", name, "--out", f"{name}.join")
            if self.pbem(*join, "--judge", "club/keys/gm.pub", home=name):
                self.pbem(*join, home=name)  # of a release that knows no such file
            self.pbem("player", "add", name, f"{name}.join")
            seats += ["--seat", f"{side}={name}.join"]
        self.pbem("new", GAME, "--option", "scenario=braveheart", *seats)
        for name in SEATS:
            self.pbem("receive", f"club/out/{name}/{GAME}-0000-report.txt", home=name)
            self.pbem("seal", "--game", GAME, "--bare", "--out", f"{name}.age", home=name)
        for name in SEATS:
            assert self.pbem("submit", f"{name}.age") == 0
        assert self.pbem("run") == 0
        assert self.pbem("status") == 0
        assert self.pbem("games") == 0
        (self.folder / "orders.txt").write_text(ORDERS)
        (report,) = self.folder.glob(f"club/out/alice/{GAME}-0001-report.txt")
        self.report = str(report)
        assert self.pbem("receive", self.report) == 0

    def user_time(self, *arguments: str) -> float:
        """Seconds of the processor that Python spends on its own account with these arguments."""
        silent = [(os.POSIX_SPAWN_OPEN, number, os.devnull, os.O_RDWR, 0) for number in (1, 2)]
        argv = [sys.executable, *arguments]
        process = os.posix_spawn(sys.executable, argv, self.places, file_actions=silent)
        return os.wait4(process, 0)[2].ru_utime

    def first_and_again(self) -> tuple[float, float]:
        """Seconds of the processor of two checks in one process."""
        arguments = [sys.executable, "-c", FIRST_AND_AGAIN, *self.commands()["pbem check"][2:]]
        done = subprocess.run(arguments, env=self.places, stdout=subprocess.PIPE, text=True, check=True)
        first, again = map(float, done.stdout.split())
        return first, again

    def commands(self) -> dict[str, Sequence[str]]:
        """What is measured, by its name."""
        orders = (f"{self.folder}/orders.txt", "--game", GAME)
        return {
            "python -c pass": ("-c", "pass"),
            "import click": ("-c", "import click"),
            "pbem --help": ("-m", "pbem", "--help"),
            "pbem status": ("-m", "pbem", "status"),
            "pbem games": ("-m", "pbem", "games"),
            "pbem run": ("-m", "pbem", "run"),
            "pbem submit": ("-m", "pbem", "submit", f"{self.folder}/alice.age"),
            "pbem receive": ("-m", "pbem", "receive", self.report),
            "pbem page": ("-m", "pbem", "page", GAME, "--out", f"{self.folder}/page.html"),
            "pbem check": ("-m", "pbem", "check", *orders),
            "pbem seal": ("-m", "pbem", "seal", *orders, "--out", f"{self.folder}/again.age"),
        }


def measure(runs: int, checkouts: Sequence[Path]) -> dict[str, list[float]]:
    """Command -> how many times a bare Python start it costs, in each checkout, by turns.

    Of checks in one process: the seconds.
    """
    with ExitStack() as stack:
        scratch = [stack.enter_context(tempfile.TemporaryDirectory()) for _ in checkouts]
        programs = [Program(*places) for places in zip(checkouts, map(Path, scratch), strict=True)]
        for program in programs:
            program.set_up()
        commands = [program.commands() for program in programs]
        times: dict[str, list[list[float]]] = {name: [[] for _ in programs] for name in commands[0]}
        checks: list[list[tuple[float, float]]] = [[] for _ in programs]
        for _ in range(runs):
            for name, found in times.items():
                for program, named, taken in zip(programs, commands, found, strict=True):
                    taken.append(program.user_time(*named[name]))
            for program, twice in zip(programs, checks, strict=True):
                twice.append(program.first_and_again())
        bare = median(one for taken in times["python -c pass"] for one in taken)
        ratios = {name: [median(taken) / bare for taken in found] for name, found in times.items()}
        for place, name in enumerate(("check, first (s)", "check, again (s)")):
            ratios[name] = [median(one[place] for one in twice) for twice in checks]
        return ratios


if __name__ == "__main__":
    given = sys.argv[1:]
    wanted = int(given[0]) if given else RUNS
    places = [*map(Path, given[1:]), Path(__file__).parents[2]]
    for what, ratios in measure(wanted, places).items():
        sys.stdout.write(f"{what:20} {' '.join(f'{ratio:6.2f}' for ratio in ratios)}\n")
