"""A release can be made: the sdist gives the same wheel, and the wheel works with what it declares alone."""

import ast
import os
import re
import shutil
import subprocess
import sys
import tarfile
from importlib.metadata import Distribution, distribution
from pathlib import Path

import pytest
from packaging.requirements import Requirement

pytestmark = pytest.mark.ci
BROUGHT = {"js", "pbem_primitives", "pyodide", "pytest"}
"""What a browser has, and what the extra `testing` asks for."""
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


@pytest.fixture(scope="module")
def bare(dist: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment with the wheel and the packages that it declares; nothing of the development group."""
    folder = tmp_path_factory.mktemp("bare")
    python = folder / "bin" / "python"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
    asked = subprocess.run(
        [python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"],
        capture_output=True,
        text=True,
        check=True,
    )
    site = Path(asked.stdout.strip())
    (wheel,) = dist.glob("*.whl")
    pip = [sys.executable, "-m", "pip", "--python", str(python), "install", "--no-index"]
    subprocess.run([*pip, "--no-deps", str(wheel)], capture_output=True, check=True)
    (installed,) = site.glob("pbem-*.dist-info")
    for package in declared(Distribution.at(installed)).values():
        for file in package.files or []:
            if ".." not in file.parts and "__pycache__" not in file.parts:
                place = site / file
                place.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(Path(str(package.locate_file(file))), place)
    return folder


def test_the_sdist_gives_the_same_wheel(dist: Path, tmp_path: Path) -> None:
    (sdist,) = dist.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        archive.extractall(tmp_path, filter="data")
    (source,) = tmp_path.iterdir()
    build(source, tmp_path / "again", "wheel")
    (wheel,) = dist.glob("*.whl")
    assert (tmp_path / "again" / wheel.name).read_bytes() == wheel.read_bytes()


def test_the_wheel_plays_and_audits_with_what_it_declares(bare: Path, tmp_path: Path) -> None:
    def pbem(*arguments: str) -> str:
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "PBEM"))}
        command = [str(bare / "bin" / "pbem"), *arguments]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, env=kept, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    python = bare / "bin" / "python"
    tried = subprocess.run([python, "-c", "import pytest"], capture_output=True, check=False)
    assert tried.returncode == 1  # nothing of the development group is there
    pbem("demo", "--into", "demo-game")
    genesis = (tmp_path / "demo-game" / "genesis").read_text().strip()
    shown = pbem("audit", "demo-game/bundle", "--genesis", genesis, "--held", "demo-game/held")
    assert "played again, every exchange comes out as the ledger says" in shown


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
