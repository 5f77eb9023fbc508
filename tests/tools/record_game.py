"""Records a complete game for games/.

`python -m tests.tools.record_game games/NAME OPTION=VALUE ...`
(`game=NAME` for another game than the default, `bot=NAME` for another bot than its best)

or, for all that are there, with the same options: `python -m tests.tools.record_game --again`
(which also writes anew what the tests compare whole)

Bots play it by signed, sealed files through the real commands. What is kept:

    bundle.tar.gz     everything, secrets included: the game is over
    genesis           its first head
    held/             receipts and checkpoints, as the players kept them
    orders/ reports/  what the players wrote, and what they got
    README.md         what it is
    SHA256SUMS        of all of these
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
import tomllib
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory

from pbem.demo import GAME, Demo, seat
from pbem.judge.club import open_club
from pbem.titles import default_name, load

SUMS = "SHA256SUMS"
WHOLE = ("tests/disputes/test_told_whole.py", "tests/golden/test_recorded_games.py")
"""What is told of recorded games, whole: written anew with them."""


WORTH = [
    tomllib.loads(path.read_text(encoding="utf-8")) for path in sorted(Path("tests").glob("*/worth.toml"))
]
"""What a recorded game should show of each title, and how often."""


def is_worth_keeping(reports: Path) -> bool:
    """Tell whether reports show enough: a game that a king's death ended early shows no winter."""
    told = "".join(path.read_text(encoding="utf-8") for path in sorted(reports.glob("*/*.txt")))
    (wanted,) = (worth["shown"] for worth in WORTH if f"{worth['title']}: game" in told)
    return all(told.count(words) >= number for words, number in wanted.items())


def record(target: Path, options: dict[str, str], bot: str) -> None:
    """Play games until one is worth keeping, and keep it in a new folder."""
    target.mkdir(parents=True)
    while not _record_once(target, options, bot):
        print("not worth keeping: once more", file=sys.stderr)


def _record_once(target: Path, options: dict[str, str], bot: str) -> bool:
    with TemporaryDirectory() as scratch:
        folder = Path(scratch)
        chosen = {name: value for name, value in options.items() if name != "game"}
        title = load(options.get("game", default_name()))
        bot = bot or next(iter(title.bots))
        actors = seat(title, folder, chosen, bot)
        demo = Demo(folder, actors, lambda line: print(line, file=sys.stderr), whole=True)
        demo.set_up(chosen, title.name)
        demo.play(to_the_end=True)
        demo.finish()
        if not is_worth_keeping(folder / "reports"):
            return False
        keep(folder, target, options, bot)
        return True


def keep(folder: Path, target: Path, options: dict[str, str], bot: str) -> None:
    """Copy what belongs into games/."""
    with tarfile.open(target / "bundle.tar.gz", "w:gz") as archive:
        archive.add(folder / "bundle", "bundle")
    shutil.copyfile(folder / "genesis", target / "genesis")
    for name in ("held", "reports"):
        shutil.copytree(folder / name, target / name)
    shutil.copytree(folder / "orders", target / "orders", ignore=shutil.ignore_patterns("*.age"))
    history = open_club(folder / "club").book(GAME).history
    ending = history.ending
    assert ending is not None
    chosen = ", ".join(f"{name} {value}" for name, value in options.items())
    (target / "README.md").write_text(
        f"# A recorded game: {chosen}\n\n"
        f"Played to its end by bots (`{bot}`) through signed, sealed files: {len(history.exchanges)} "
        f"exchanges. {ending}\n\n"
        "    pbem audit bundle.tar.gz --genesis $(cat genesis) --held held\n\n"
        "`orders/` holds what the players wrote, `reports/` what they got. The tests play it again.\n",
        encoding="utf-8",
    )
    (target / SUMS).write_text(sums(target), encoding="ascii")


def sums(game: Path) -> str:
    """What `sha256sum -c SHA256SUMS` reads: every file of a recorded game with its hash."""
    files = (path for path in sorted(game.rglob("*")) if path.is_file() and path.name != SUMS)
    return "".join(
        f"{sha256(path.read_bytes()).hexdigest()}  {path.relative_to(game).as_posix()}\n" for path in files
    )


def record_again(games: Path) -> None:
    """Record every game anew that a folder holds; each says in its first line what was chosen."""
    for readme in sorted(games.glob("*/README.md")):
        title, _, played = readme.read_text(encoding="utf-8").partition("\n")
        words = title.partition(": ")[2].replace(",", "").split()
        shutil.rmtree(readme.parent)
        record(readme.parent, dict(zip(words[::2], words[1::2], strict=True)), played.split("`")[1])
    subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-n", "0", "-m", "not slow", *WHOLE],
        env={**os.environ, "PBEM_GOLDEN": "update"},
        check=True,
    )


if __name__ == "__main__" and sys.argv[1:] == ["--again"]:
    record_again(Path("games"))
elif __name__ == "__main__" and (not sys.argv[1:] or sys.argv[1].startswith("-")):
    print(__doc__.partition("\n\nBots")[0])
elif __name__ == "__main__":
    chosen = dict(argument.split("=", 1) for argument in sys.argv[2:])
    record(Path(sys.argv[1]), chosen, chosen.pop("bot", ""))
