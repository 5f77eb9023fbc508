"""A release can be made: the sdist gives the same wheel, which works with what it declares, also lowest."""

import ast
import os
import re
import shutil
import subprocess
import sys
import tomllib
from importlib.metadata import Distribution, distribution
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.version import Version

import pbem
from tests.running import python

pytestmark = pytest.mark.ci
BROUGHT = {
    *("js", "pbem_primitives", "pyodide", "pytest"),
    *("anyio", "h11", "starlette", "uvicorn", "prometheus_client"),
}
"""What a browser has, and what the extras `testing`, `box` and `metrics` bring."""
PROJECT = Path(__file__).parent.parent
OLDEST = (3, 11)
PNG = b"\x89PNG"
DATED = {"SOURCE_DATE_EPOCH": "1580601600"}


def build(source: Path, folder: Path, *targets: str) -> None:
    """Wheel and sdist of `source`, or those of `targets`."""
    chosen = [part for target in targets for part in ("-t", target)]
    command = [sys.executable, "-m", "hatchling", "build", "-d", str(folder), *chosen]
    subprocess.run(command, cwd=source, capture_output=True, check=True, env=os.environ | DATED)


@pytest.fixture(scope="module")
def dist(project: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dist")
    build(project, folder)
    return folder


def declared(wheel: Distribution) -> dict[str, Distribution]:
    """What a distribution asks for, and what that asks for, as far as this Python and machine need it."""
    found: dict[str, Distribution] = {}
    todo = [(wheel, "")]
    while todo:
        asking, extra = todo.pop()
        for text in asking.requires or []:
            needed = Requirement(text)
            if needed.marker and not needed.marker.evaluate({"extra": extra}):
                continue
            name = re.sub(r"[-_.]+", "-", needed.name).lower()
            if name not in found:
                found[name] = distribution(name)
                todo += [(found[name], part) for part in ("", *needed.extras)]
    return found


def installed_here(python: Path, dist: Path) -> None:
    """Put the wheel into an environment, with copies of the packages that it asks for as they are here."""
    site = install_wheel(python, dist)
    (installed,) = site.glob("pbem-*.dist-info")
    for package in declared(Distribution.at(installed)).values():
        for file in package.files or []:
            if ".." not in file.parts and "__pycache__" not in file.parts:
                place = site / file
                place.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(Path(str(package.locate_file(file))), place)


def installed_lowest(python: Path, dist: Path) -> None:
    """Put the wheel into an environment, with the lowest versions of what it asks for, by the index."""
    install_wheel(python, dist)
    install(python, "--require-hashes", "--only-binary", ":all:", "-r", str(PROJECT / ".ci" / "lowest.txt"))


def install(python: Path, *what: str) -> None:
    command = [sys.executable, "-m", "pip", "--python", str(python), "install", "--no-compile", *what]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def install_wheel(python: Path, dist: Path) -> Path:
    """Put the wheel alone into an environment; the folder of its packages."""
    (wheel,) = dist.glob("*.whl")
    install(python, "--no-index", "--no-deps", str(wheel))
    asked = subprocess.run(
        [python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"],
        capture_output=True,
        text=True,
        check=True,
    )
    return Path(asked.stdout.strip())


WAYS = {"as here": installed_here}
if sys.version_info[:2] == OLDEST:  # for which the lowest versions are
    WAYS["lowest"] = installed_lowest


@pytest.fixture(scope="module", params=list(WAYS.values()), ids=list(WAYS))
def bare(dist: Path, tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Path:
    """An environment with the wheel and the packages that it declares; nothing of the development group."""
    folder = tmp_path_factory.mktemp("bare")
    python("-m", "venv", "--without-pip", folder)
    request.param(folder / "bin" / "python", dist)
    return folder


def test_the_sdist_gives_the_same_wheel(dist: Path, tmp_path: Path) -> None:
    (sdist,) = dist.glob("*.tar.gz")
    subprocess.run(["tar", "-xzf", sdist, "-C", tmp_path], check=True)
    (source,) = tmp_path.iterdir()
    build(source, tmp_path / "again", "wheel")
    (wheel,) = dist.glob("*.whl")
    assert (tmp_path / "again" / wheel.name).read_bytes() == wheel.read_bytes()


def test_the_wheel_plays_and_audits_with_what_it_declares(bare: Path, tmp_path: Path) -> None:
    def run(*arguments: str) -> str:
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "PBEM"))}
        kept["PBEM_HOME"] = str(tmp_path / "demo-game" / "alice")
        command = [str(bare / "bin" / "pbem"), *arguments]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, env=kept, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    python = bare / "bin" / "python"
    tried = subprocess.run([python, "-c", "import pytest"], capture_output=True, check=False)
    assert tried.returncode == 1  # nothing of the development group is there
    assert "Usage: pbem" in run("--help")
    (installed,) = bare.glob("lib/python*/site-packages/pbem-*.dist-info")
    assert run("--version") == f"pbem {Distribution.at(installed).version}\n"
    assert Distribution.at(installed).version == pbem.__version__
    run("demo", "--into", "demo-game")
    genesis = (tmp_path / "demo-game" / "genesis").read_text().strip()
    shown = run("audit", "demo-game/bundle", "--genesis", genesis, "--held", "demo-game/held")
    assert "played again, every exchange is as the ledger says" in shown
    for game in sorted((PROJECT / "games").glob("*/bundle.tar.gz")):
        head = (game.parent / "genesis").read_text().strip()
        again = run("audit", str(game), "--genesis", head, "--held", str(game.parent / "held"))
        assert "played again, every exchange is as the ledger says" in again
    # its dice are real: it ends in 1298, or by a victory before
    assert "demo: 129" in run("status", "--club", "demo-game/club")
    run("page", "demo", "--picture", "map.png")
    assert (tmp_path / "map.png").read_bytes().startswith(PNG)


def test_the_lowest_versions_are_those_that_are_declared(project: Path) -> None:
    """Also that every dependency has a lower bound, so that none is promised that nobody has tried."""
    settings = tomllib.loads((project / "pyproject.toml").read_text())
    locked = dict(re.findall(r"^([a-z0-9-]+)==(\S+)", (project / ".ci/lowest.txt").read_text(), re.MULTILINE))
    for text in settings["project"]["dependencies"]:
        asked = Requirement(text)
        (lowest,) = (Version(part.version) for part in asked.specifier if part.operator == ">=")
        assert Version(locked[asked.name]) == lowest, f"{asked.name}: run .ci/lock"


def test_the_changelog_begins_with_the_version(project: Path) -> None:
    """The rule is in releasing.md: one heading a version, the newest first, and only the newest is open."""
    headings = re.findall(r"^## (.*)$", (project / "CHANGELOG.md").read_text(), re.MULTILINE)
    found = [re.fullmatch(r"(\d+\.\d+\.\d+), (not yet released|\d{4}-\d\d-\d\d)", line) for line in headings]
    assert all(found), headings
    versions = [Version(match[1]) for match in found if match]
    assert versions[0] == Version(pbem.__version__), (
        "the version and its heading change together: releasing.md"
    )
    assert versions == sorted(set(versions), reverse=True)
    assert not any("not yet released" in line for line in headings[1:])


def test_each_version_says_whether_running_games_are_affected(project: Path) -> None:
    changes = (project / "CHANGELOG.md").read_text()
    sections = re.split(r"^## .*\n\n", changes, flags=re.MULTILINE)[1:]
    assert sections
    assert [
        section.splitlines()[0] for section in sections if not section.startswith("Running games: ")
    ] == []


def test_the_lowest_versions_are_for_the_oldest_python(project: Path) -> None:
    settings = tomllib.loads((project / "pyproject.toml").read_text())
    assert settings["project"]["requires-python"] == f">={OLDEST[0]}.{OLDEST[1]}"


def test_every_import_is_of_something_declared(bare: Path, project: Path, tmp_path: Path) -> None:
    """Also those inside functions, which nothing else reaches before somebody needs them."""
    imported = {
        name.split(".")[0]
        for file in (project / "pbem").rglob("*.py")
        for node in ast.walk(ast.parse(file.read_text()))
        for name in (
            [alias.name for alias in node.names]
            if isinstance(node, ast.Import)
            else [node.module or "pbem"]
            if isinstance(node, ast.ImportFrom) and not node.level
            else []
        )
    }
    look = "import sys, importlib.util as u; print(*(n for n in sys.argv[1:] if not u.find_spec(n)))"
    command = [str(bare / "bin" / "python"), "-I", "-c", look, *sorted(imported - BROUGHT)]
    tried = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert tried.stdout.split() == []
