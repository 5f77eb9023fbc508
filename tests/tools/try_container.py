"""The container file is built and run, with buildah and a base of Debian's packages: no image is fetched.

    python -m tests.tools.try_container [BASE.tar]     # as root; buildah, crun and mmdebstrap come from apt

Says what holds, and ends with 1 at the first that does not. BASE.tar is a base that mmdebstrap made before,
to save minutes. Nothing is left on the machine: the images lie in a scratch folder. Chroot isolation needs no
service, so it works inside a container as well, if that may mount.
"""

from __future__ import annotations

import hashlib
import json
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import yaml  # type: ignore[import-untyped]

from pbem.box.folder import TABLE, BoxTable

HERE = Path(__file__).parents[2]
SUITE, MIRROR = "bookworm", "http://deb.debian.org/debian"
BASE = "FROM scratch\nADD base.tar /\n"
ISOLATED = ("--isolation", "chroot")
STARTS = [["pbem"], ["serve", "--log"]]


def run(*command: str, ends: int = 0) -> str:
    """What a command prints; where it ends otherwise, the end, with all it printed."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != ends:
        raise SystemExit(f"{done.stdout}{done.stderr}\nended with {done.returncode}, not {ends}: {command}")
    return done.stdout.strip()


def expect(what: str, holds: bool) -> None:
    """Say it, and end if it does not hold."""
    print(f"{'yes' if holds else 'NO '}  {what}", flush=True)
    if not holds:
        raise SystemExit(1)


def gather(folder: Path) -> None:
    """The wheel of this checkout and those that it asks for, as they are locked."""
    folder.mkdir()
    run(sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder))
    (wheel,) = folder.glob("*.whl")
    locked = (HERE / ".ci" / "requirements.txt").read_text()
    lines = [line.rstrip("\\ ") for line in locked.splitlines() if not line.lstrip().startswith("--hash")]
    versions = folder.with_name("versions.txt")
    versions.write_text("\n".join(lines))
    fetch = ("pip", "download", "-q", "--only-binary", ":all:", "-d", str(folder), "-c", str(versions))
    run(sys.executable, "-m", *fetch, f"{wheel}[box]")
    others = [file for file in folder.glob("*.whl") if file != wheel]
    known = [hashlib.sha256(file.read_bytes()).hexdigest() in locked for file in others]
    expect(f"the {len(others)} wheels are those of the lock", all(known))


class Builder:
    """buildah, with everything that it keeps in one folder."""

    def __init__(self, kept: Path) -> None:
        self.buildah = ("buildah", "--root", f"{kept}/images", "--runroot", f"{kept}/run")

    def build(self, folder: Path, file: Path, name: str, *more: str) -> None:
        """Build an image; in docker's format, the only one that has a health check."""
        how = ("--format", "docker", *ISOLATED, "-q", "-f", str(file), "-t", name)
        run(*self.buildah, "build", *how, *more, str(folder))

    def config(self, image: str) -> dict[str, Any]:
        """What an image says of how it is to be run."""
        said: dict[str, Any] = json.loads(run(*self.buildah, "inspect", "-t", "image", image))
        found: dict[str, Any] = said["Docker"]["config"]
        return found

    def inside(self, box: str, *command: str, ends: int = 0) -> str:
        """Run something in a container, which keeps its volume from one to the next."""
        return run(*self.buildah, "run", *ISOLATED, box, "--", *command, ends=ends)


def try_judge(builder: Builder, health: str) -> None:
    """A judge that makes passes is healthy; one that has stopped, or never made one, is not."""
    box = run(*builder.buildah, "from", "judge")
    expect("it does not run as root", builder.inside(box, "id", "-u") == "1000")
    made = builder.inside(box, "pbem", "init", "/club", "--name", "Stirling Bridge")
    expect("a club is made in the volume", "judge's key" in made)
    expect("the volume is mounted", " /club " in builder.inside(box, "cat", "/proc/self/mountinfo"))
    check = ("/bin/sh", "-c", health)
    builder.inside(box, *check, ends=1)
    builder.inside(box, "pbem", "serve", "--log", "--passes", "1", "--every", "0")
    builder.inside(box, *check)
    builder.inside(box, "touch", "-d", "20 minutes ago", "/club/heartbeat")
    builder.inside(box, *check, ends=1)
    expect("healthy after a pass; not before the first, nor twenty minutes after the last", True)
    others = builder.inside(box, "find", "/club", "!", "-user", "1000")
    expect("all that was written is the judge's", others == "")


def try_box(builder: Builder) -> None:
    """A box that runs with a table answers the health check of compose.yaml, and has no club."""
    service = yaml.safe_load((HERE / "compose.yaml").read_text(encoding="utf-8"))["services"]["box"]
    words = ["pbem", *service["command"]]
    words[words.index("--proxy") + 1] = "127.0.0.1"
    _, python, option, code = service["healthcheck"]["test"]
    asks = f"until {python} {option} {shlex.quote(code)} 2>/dev/null; do sleep 1; done"
    table = shlex.quote(BoxTable(url="https://box.club.example/", pages=(), readers=()).text.decode())
    box = run(*builder.buildah, "from", "box")
    script = (
        f"printf %s {table} >/box/{TABLE}; {shlex.join(words)} & served=$!; "
        f"timeout 60 sh -c {shlex.quote(asks)}; ended=$?; kill $served; exit $ended"
    )
    builder.inside(box, "/bin/sh", "-c", script)
    expect("the box's container is healthy once its judge has written a table", True)
    expect("it has no club", builder.inside(box, "ls", "/club") == "box")


def main(made: list[str]) -> None:
    """Make a base, build, run. `made`: the path of a base that was made before, if any."""
    with tempfile.TemporaryDirectory() as kept:
        scratch = Path(kept)
        base, wheels = scratch / "base", scratch / "wheels"
        base.mkdir()
        (base / "Containerfile").write_text(BASE)
        if made:
            shutil.copy(made[0], base / "base.tar")
        else:
            needed = ("--variant=apt", "--include=python3,python3-venv")
            run("mmdebstrap", "-q", *needed, SUITE, str(base / "base.tar"), MIRROR)
        gather(wheels)
        builder = Builder(scratch)
        builder.build(base, base / "Containerfile", "base")
        for name, extras in (("judge", ""), ("box", "[box]")):
            given = ("--build-arg", "BASE=localhost/base", "--build-arg", f"EXTRAS={extras}")
            builder.build(wheels, HERE / "Containerfile", name, *given)
        config = builder.config("judge")
        expect("it runs `pbem serve --log`", [config["Entrypoint"], config["Cmd"]] == STARTS)
        expect("the club is a volume", config["Volumes"] == {"/club": {}})
        expect("it ends by SIGINT", config["StopSignal"] == "SIGINT")
        kind, health = config["Healthcheck"]["Test"]
        expect("its health is asked by a line of shell", kind == "CMD-SHELL")
        try_judge(builder, health)
        try_box(builder)


if __name__ == "__main__":
    main(sys.argv[1:])
