"""Break the rules of a game on purpose, one at a time, and see whether a case notices.

    python -m tests.tools.break_rules                   the default game: defaults, facts, fifty lines
    python -m tests.tools.break_rules GAME              the same of another game, named as its folder is
    python -m tests.tools.break_rules --sample 200 --seed 7
    python -m tests.tools.break_rules --all             every change there is: some ten minutes
    python -m tests.tools.break_rules --only movement_4.py battles_5.py

Three kinds of changes (mutants.py): the default of a house rule is another; a number or a yes among the
facts is another; in a line of the rules a comparison, a number, a condition or a step is another. For each
a process of its own imports the changed rules and plays the cases until one fails. Printed are those that
no case notices; break_rules.toml beside a game's cases lists changes that alter no rule, with the reason. The
exit code is 1 if any other survives, and 2 if a case fails with the rules as they are.
"""

from __future__ import annotations

import argparse
import os
import random
import resource
import signal
import sys
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from importlib import import_module
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import spec_from_loader
from itertools import islice
from pathlib import Path
from types import ModuleType
from typing import Any

from pbem.titles import default_name
from tests.cases.casefile import Case, all_cases
from tests.tools.mutants import RULES, Mutant, default_mutants, fact_mutants, source_mutants

CASES = Path(__file__).parent.parent / "cases"
KNOWN = "break_rules.toml"
SECONDS = 20
MEMORY_BYTES = 2 << 30
SAMPLE = 50
SEED = 1297

GAMES = tuple(sorted(path.parent.name for path in CASES.glob(f"*/{KNOWN}")))
"""The packages of rules, and the folders of their cases."""


@cache
def known(game: str) -> dict[str, Any]:
    """What break_rules.toml says of a game."""
    return tomllib.loads((CASES / game / KNOWN).read_text(encoding="utf-8"))


def rule_files(game: str) -> list[str]:
    """The modules in which a game's rules stand, below pbem/rules."""
    paths = sorted((RULES / game).glob("*.py"))
    return [f"{game}/{path.name}" for path in paths if path.stem not in known(game)["no_rules"]]


# -- one mutant, in a process of its own


class _Changed(SourceFileLoader):
    """Loads one module from changed source."""

    def __init__(self, module: str, path: Path, source: str) -> None:
        super().__init__(module, str(path))
        self.source = source

    def path_stats(self, path: str) -> Mapping[str, Any]:
        """What was compiled of the right source does not count."""
        raise OSError

    def get_data(self, path: str) -> bytes:
        """The changed source; a table beside it as it is."""
        return self.source.encode() if path == self.path else Path(path).read_bytes()


class _Finder(MetaPathFinder):
    """Finds the changed module first."""

    def __init__(self, loader: _Changed) -> None:
        self.loader = loader

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        return spec_from_loader(fullname, self.loader) if fullname == self.loader.name else None


def break_it(mutant: Mutant) -> None:
    """From here on this process has the changed rules; modules that know the right ones are forgotten."""
    for name in list(sys.modules):
        if name.startswith(("pbem", "tests.cases.")):
            del sys.modules[name]
    path = RULES / mutant.file
    if path.suffix == ".toml":
        right, wrong = path.read_text(encoding="utf-8"), mutant.source
        loads = tomllib.loads

        def read(text: str, /, **options: Any) -> dict[str, Any]:
            return loads(wrong if text == right else text, **options)

        tomllib.loads = read
    else:
        sys.meta_path.insert(0, _Finder(_Changed(_module(path), path, mutant.source)))
    # the answers nearest to a refused one are no rule, and take long to find
    setattr(import_module("pbem.rules.base"), "get_close_matches", lambda *_, **__: [])  # noqa: B010


def _module(path: Path) -> str:
    name = ".".join(("pbem.rules", *path.relative_to(RULES).with_suffix("").parts))
    return name.removesuffix(".__init__")


def failing(cases: Iterable[Case]) -> Iterator[str]:
    """The numbers of the cases that fail; a broken rule may break anything in any way."""
    try:
        play = import_module("tests.cases.runner").play
    except Exception as error:  # noqa: BLE001
        yield f"cannot be loaded ({type(error).__name__})"
        return
    for case in cases:
        try:
            play(case)
        except Exception:  # noqa: BLE001
            yield case.number


def try_mutant(mutant: Mutant, cases: Iterable[Case], *, every: bool = False) -> list[str]:
    """Which cases notice: the first, or every one; played in a child process with the changed rules."""
    reader, writer = os.pipe()
    child = os.fork()
    if not child:
        os.close(reader)
        signal.alarm(SECONDS)
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
        sys.stdout = sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115
        break_it(mutant)
        noticed = failing(cases)
        os.write(writer, "\n".join(noticed if every else islice(noticed, 1)).encode())
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as answer:
        found = answer.read().split("\n")
    _, status = os.waitpid(child, 0)
    if status:
        return ["never ends" if os.WIFSIGNALED(status) else "breaks down"]
    return [number for number in found if number]


def unsound(game: str, cases: Sequence[Case]) -> list[str]:
    """The numbers of the cases that fail with the rules as they are: there should be none."""
    file = rule_files(game)[0]
    unchanged = Mutant(file, 0, "", "", "", partial((RULES / file).read_text, encoding="utf-8"))
    return try_mutant(unchanged, cases, every=True)


def in_order(cases: Sequence[Case], mutant: Mutant) -> list[Case]:
    """Cases of the mutant's own chapter first: they are the likeliest to notice."""
    chapter = next((letter for letter in mutant.file if letter.isdigit()), "no chapter")
    return sorted(cases, key=lambda case: not case.path.name.startswith(chapter))


# -- all of them


def defaults(game: str) -> list[Mutant]:
    """Every house rule with another default."""
    paths = sorted((RULES / game).glob("*.toml"))
    return [mutant for path in paths for mutant in default_mutants(path, f"{game}/{path.name}")]


def facts(game: str) -> list[Mutant]:
    """Every fact that is a number or a yes, changed."""
    file = f"{game}/facts.toml"
    return list(fact_mutants(RULES / file, file))


def rule_lines(files: Iterable[str]) -> list[Mutant]:
    """Every change of the rules' source, but for functions that are no rules."""
    return [
        mutant
        for file in files
        for mutant in source_mutants(RULES / file, file)
        if f"{Path(file).stem}.{mutant.rule}" not in known(Path(file).parts[0])["no_rules"]
    ]


def sample(mutants: Sequence[Mutant], size: int, seed: int) -> list[Mutant]:
    """Changes of `size` different lines, without those that alter no rule; the same for the same seed."""
    by_line: dict[str, list[Mutant]] = {}
    for mutant in mutants:
        if not harmless(mutant):
            by_line.setdefault(mutant.place, []).append(mutant)
    chance = random.Random(seed)
    lines = chance.sample(sorted(by_line), min(size, len(by_line)))
    return [chance.choice(by_line[line]) for line in sorted(lines)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Harmless:
    """A change that alters no rule, or all changes of one function."""

    file: str
    rule: str
    reason: str
    before: str | None = None
    after: str | None = None

    def fits(self, mutant: Mutant) -> bool:
        """Is the mutant such a change?"""
        return (
            (self.file, self.rule) == (mutant.file, mutant.rule)
            and self.before in (None, mutant.before)
            and self.after in (None, mutant.after)
        )


def harmless_rows(game: str) -> list[Harmless]:
    """The changes that break_rules.toml lists."""
    return [Harmless(**{**row, "file": f"{game}/{row['file']}"}) for row in known(game)["harmless"]]


def harmless(mutant: Mutant) -> str | None:
    """Why this change alters no rule, if break_rules.toml says so."""
    rows = harmless_rows(mutant.file.partition("/")[0])
    return next((row.reason for row in rows if row.fits(mutant)), None)


def main(arguments: Sequence[str] | None = None) -> int:
    """The command."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("game", nargs="?", choices=GAMES, default=default_name().replace("-", "_"))
    parser.add_argument("--all", action="store_true", help="every change of every line")
    parser.add_argument("--sample", type=int, default=SAMPLE, help="lines of the rules to break")
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--only", nargs="+", metavar="FILE", help="these files of the rules, every change")
    chosen = parser.parse_args(arguments)
    game: str = chosen.game
    if chosen.only:
        files = [f"{game}/{file}" for file in chosen.only]
        mutants = [mutant for mutant in (*defaults(game), *facts(game)) if mutant.file in files]
        mutants += rule_lines(file for file in files if file.endswith(".py"))
    else:
        lines = rule_lines(rule_files(game))
        mutants = [*defaults(game), *facts(game)]
        mutants += lines if chosen.all else sample(lines, chosen.sample, chosen.seed)
    cases = all_cases(CASES / game)
    if failed := unsound(game, cases):
        print(f"these cases fail without any change: {', '.join(failed)}")
        return 2
    noticed = harmless_ones = 0
    living: list[Mutant] = []
    for mutant in mutants:
        if try_mutant(mutant, in_order(cases, mutant)):
            noticed += 1
        elif harmless(mutant):
            harmless_ones += 1
        else:
            living.append(mutant)
            print(f"{mutant.place:28} {mutant.rule}\n    {mutant.change}", flush=True)
    print(
        f"{len(mutants)} changes: {noticed} noticed, {harmless_ones} alter no rule, {len(living)} unnoticed"
    )
    return 1 if living else 0


if __name__ == "__main__":
    raise SystemExit(main())
