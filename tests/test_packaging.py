"""What `pip install .` brings: the whole package, its templates and data, and nothing that lies about."""

import subprocess
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest

from tests.running import python

pytestmark = pytest.mark.ci


def tracked(project: Path, *folders: str) -> set[str]:
    """The files that git knows and that are still there."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", *folders], cwd=project, capture_output=True, text=True, check=True
    )
    return {name for name in listed.stdout.split("\0") if name and (project / name).is_file()}


@pytest.fixture(scope="module")
def built(project: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the wheel and the sdist of this checkout."""
    folder = tmp_path_factory.mktemp("dist")
    python("-m", "hatchling", "build", "-d", folder, cwd=project, SOURCE_DATE_EPOCH="1580601600")
    return folder


def test_the_wheel_has_the_package_and_the_templates(built: Path, project: Path) -> None:
    (wheel,) = built.glob("*.whl")
    inside = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    wanted = tracked(project, "pbem") | {f"pbem/{name}" for name in tracked(project, "templates")}
    assert wanted <= inside
    assert {Path(name).parts[0] for name in inside} == {"pbem"}
    assert not {name for name in inside if "site-packages" in name or "__pycache__" in name}


def test_the_sdist_has_what_git_has(built: Path, project: Path) -> None:
    (sdist,) = built.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        inside = {"/".join(Path(name).parts[1:]) for name in archive.getnames()}
    assert tracked(project) <= inside
    assert not {name for name in inside if "site-packages" in name}


def test_the_lock_names_hashes_and_no_host(project: Path) -> None:
    lock = (project / ".ci/requirements.txt").read_text()
    assert "://" not in lock
    assert "index" not in lock
    packages = [line for line in lock.splitlines() if line[:1].isalnum()]
    assert all(line.endswith("\\") and "==" in line for line in packages)


def test_the_lock_covers_what_the_project_asks_for(project: Path) -> None:
    settings = tomllib.loads((project / "pyproject.toml").read_text())
    asked = [*settings["project"]["dependencies"], *settings["dependency-groups"]["dev"]]
    lock = (project / ".ci/requirements.txt").read_text()
    for requirement in asked:
        name = requirement.split(">")[0].split("<")[0]
        assert f"\n{name}==" in lock, f"{name} is not locked: run .ci/lock"
