"""Changes one entry of an honest game, signs all of it anew, and asks both verifiers.

    python -m tests.tools.resign_bundles --seed 7 --count 300

Each mutation is drawn from its seed: a field, line or entry of a game is changed, dropped, doubled or
moved; then salts, leaves, heads and checkpoints are made anew by the judge's keys, and in two of three cases
orders, reveals and consents by the players' keys. A line says of each what was changed, the status of
`pbem audit`, that of `verify.sh` under each awk, and whether they agree: the script never refutes what the
audit passes, and says the same but where only claims are refuted that its head leaves to the audit (LEFT).
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from random import Random

from pbem.audit import audit
from pbem.audit.findings import State
from pbem.audit.replay import ALIKE
from pbem.errors import OTHER_RULES_STATUS, REFUTED_STATUS, ConfigError
from tests.audit.attack import SHORT, Scene, make_scene
from tests.audit.script import SCRIPT
from tests.audit.stage import Stage, write
from tests.audit.workshop import Workshop

GAMES = ("skirmish", "finished", "late", "interrupted", "corrected")
AUDIENCES = ("all", "all", "public", "scotland")
AWKS = {"gawk": "gawk", "mawk": "mawk", "busybox": "busybox awk"}
LONGEST = 60
"""Seconds that a run of the script may take; the slowest honest one takes five."""
CANNOT_BEGIN, NO_END = 2, -1
ENDING = "how the game ended"
LEFT = {ALIKE: "the script plays nothing", ENDING: "who wins by an act follows from the game's rules"}
"""Claims that the script leaves to the audit, and why."""
NUMBERS = ("0", "-1", "+1", "01", "1e1", "0x1", "1.0", "2", "999999999", "1000000000", "9" * 30, "")
TEXTS = (
    *(
        "!",
        "a\u00a0b",
        "a\u200bb",
        "a\u0085b",
        "a\u2028b",
        "a\u202eb",
        "\U0001fa77",
        "\x1b[31m",
        "a\tb",
        "a\rb",
    ),
    *(
        "\udcff",
        "\udcc0\udcaf",
        "\ufeff",
        "\U000e0001",
        "\u0660",
        "gm",
        "alice",
        "bob",
        "x" * 65,
        "x" * 3_000,
    ),
    *("$(id)", "a  b", "%s"),
)
WAYS = (
    *["field"] * 8,
    *("line dropped", "line doubled", "line moved", "line added"),
    *("entry dropped", "entry doubled", "entry moved"),
)
"""How an entry is changed, each as likely as any other."""


@dataclass(frozen=True, slots=True)
class Verdicts:
    """The statuses of both verifiers for one mutation."""

    seed: int
    mutation: str
    audit: int
    refuted: tuple[str, ...]
    """The claims that the audit refutes."""
    script: dict[str, int]

    @property
    def agree(self) -> bool:
        """Return whether the script says under each awk what its head promises."""
        due = {0} if self.audit == OTHER_RULES_STATUS else {self.audit}
        if self.audit == REFUTED_STATUS and LEFT.keys() >= set(self.refuted):
            due = {0, REFUTED_STATUS}
        return all(status in due for status in self.script.values())

    @property
    def text(self) -> str:
        """Return the line that is printed."""
        script = " ".join(f"{awk} {status}" for awk, status in self.script.items())
        claims = f" ({self.refuted[0]})" if self.refuted else ""
        verdict = "agree" if self.agree else "DIFFER"
        return f"{verdict} {self.seed}: {self.mutation}: audit {self.audit}{claims}; script {script}"


def mutate(shop: Workshop, random: Random) -> str:
    """Change one thing in the pages of a game; return what, in words."""
    kind = random.choice(sorted({page.kind for page in shop.pages}))
    number, page = random.choice([(n, page) for n, page in enumerate(shop.pages, 1) if page.kind == kind])
    lines = page.text.removesuffix("\n").split("\n")
    place = random.randrange(len(lines))
    words = lines[place].split(" ")
    match random.choice(WAYS):
        case "field":
            field = random.randrange(len(words))
            others = [line.split(" ") for line in "\n".join(one.text for one in shop.pages).split("\n")]
            alike = sorted({one[field] for one in others if one[0] == words[0] and len(one) > field})
            new = random.choice([random.choice(NUMBERS), random.choice(TEXTS), random.choice(alike or ["x"])])
            what = f"field {field} of {lines[place][:60]!r} is {new[:60]!r}"
            words[field] = new
            lines[place] = " ".join(words)
        case "line dropped":
            what = f"without {lines.pop(place)[:60]!r}"
        case "line doubled":
            what = f"twice {lines[place][:60]!r}"
            lines.insert(place, lines[place])
        case "line moved":
            what = f"{lines[place][:60]!r} stands elsewhere"
            lines.insert(random.randrange(len(lines)), lines.pop(place))
        case "line added":
            new = random.choice([line for one in shop.pages for line in one.text.split("\n") if line])
            what = f"with {new[:60]!r}"
            lines.insert(place + 1, new)
        case "entry dropped" if number > 1:
            what = "it is dropped"
            shop.drop(page)
        case "entry doubled":
            what = "it stands twice"
            shop.insert_after(page, page.text)
        case _:
            what = "it stands one later"
            shop.pages.insert(min(number, len(shop.pages) - 1), shop.pages.pop(number - 1))
    page.text = "".join(f"{line}\n" for line in lines)
    return f"entry {number} ({kind}): {what}"


def run_script(bundle: Path, awk: str, scratch: Path) -> int:
    """Return the status of the script under an awk, or NO_END if it does not end in time."""
    tools = scratch / f"tools-{awk}"
    if not tools.exists():
        tools.mkdir()
        (tools / "awk").write_text(f'#!/bin/sh\nexec {AWKS[awk]} "$@"\n')
        (tools / "awk").chmod(0o755)
    path = f"{tools}{os.pathsep}{os.environ['PATH']}"
    with subprocess.Popen(
        ["timeout", str(LONGEST), "sh", SCRIPT, bundle],
        env={**os.environ, "PATH": path},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as running:
        status = running.wait()
    return NO_END if status == 124 else status


def judge(scene: Scene, seed: int, scratch: Path) -> Verdicts:
    """Draw a mutation by its seed, sign it and ask both verifiers."""
    random = Random(f"resigned {seed}")
    name, audience = random.choice(GAMES), random.choice(AUDIENCES)
    stage: Stage = getattr(scene, name)
    shop = Workshop(stage)
    mutation = mutate(shop, random)
    helpers = random.choice([(), ("alice", "bob"), ("alice", "bob", "carol")])
    whole = shop.bind(
        helpers
    )  # in which what the players sign anew has other names than in the stage's bundle
    away = stage.bundle("all").keys() - stage.bundle(audience).keys()
    bundle = write({path: data for path, data in whole.items() if path not in away}, scratch / str(seed))
    try:
        findings = audit(bundle)
        status = findings.status
        rows = [row for row in findings.rows if row.state is State.REFUTED]
        refuted = tuple(ENDING if row.detail.startswith(ENDING) else row.claim for row in rows)
    except ConfigError:
        status, refuted = CANNOT_BEGIN, ()
    script = {
        awk: run_script(bundle, awk, scratch) for awk, start in AWKS.items() if shutil.which(start.split()[0])
    }
    shutil.rmtree(bundle)
    signed = "the judge" if not helpers else f"the judge, {', '.join(helpers)}"
    return Verdicts(seed, f"{name} for {audience}, {mutation}, signed by {signed}", status, refuted, script)


def main(arguments: list[str] | None = None) -> int:
    """Print the verdicts of so many mutations; return 1 if some differ."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--seed", type=int, default=0, help="the first seed")
    parser.add_argument("--count", type=int, default=20)
    given = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        scratch, differ = Path(folder), 0

        def fresh(**settings: object) -> Stage:
            return Stage(Path(tempfile.mkdtemp(dir=scratch)), **(SHORT | settings))  # type: ignore[arg-type]

        scene = make_scene(fresh)
        for seed in range(given.seed, given.seed + given.count):
            verdicts = judge(scene, seed, scratch)
            differ += not verdicts.agree
            print(verdicts.text, flush=True)
    print(f"{given.count} mutations, {differ} on which audit and script differ")
    return int(differ > 0)


if __name__ == "__main__":
    sys.exit(main())
