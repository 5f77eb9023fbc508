"""Workflows: every change is checked; a release does what releasing.md says, and asks who signed."""

import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml  # type: ignore[import-untyped]

WORKFLOW = ".github/workflows/release.yml"
CHECKS = ".github/workflows/checks.yml"
SIGNED = "The tag is signed, and is the version"
RELEASED = "# Changes\n\n## 1.2.3, 2026-01-31\n"
MAY = {
    "checks": {"contents": "read"},
    "build": {"contents": "read"},
    "attest": {"id-token": "write", "attestations": "write"},
    "publish": {"id-token": "write"},
}
"""What each job may do; what is built is built by one that may write nothing."""


def read(path: Path) -> dict[Any, Any]:
    found = yaml.safe_load(path.read_text())
    assert isinstance(found, dict)
    return found


@pytest.fixture(scope="module")
def workflow(project: Path) -> dict[Any, Any]:
    return read(project / WORKFLOW)


def test_each_change_and_each_release_passes_all_checks_and_builds_the_container(project: Path) -> None:
    checks = read(project / CHECKS)
    assert checks[True] == {"push": {"branches": ["**"]}, "pull_request": None, "workflow_call": None}
    assert checks["permissions"] == {}
    jobs = checks["jobs"]
    assert [job["permissions"] for job in jobs.values()] == [{"contents": "read"}] * 2
    assert jobs["run"]["steps"][-1]["run"] == "CI=true .ci/run"
    assert "python -m tests.tools.try_container" in jobs["container"]["steps"][-1]["run"]
    assert os.access(project / ".ci/run", os.X_OK)


def test_each_job_may_do_what_it_must_and_no_more(workflow: dict[Any, Any], project: Path) -> None:
    assert workflow["permissions"] == {}
    assert {name: job["permissions"] for name, job in workflow["jobs"].items()} == MAY
    assert "secrets." not in (project / WORKFLOW).read_text()
    assert workflow[True] == {"push": {"tags": ["v*"]}}  # YAML reads `on` as a truth value


def test_nothing_is_published_that_was_not_checked_and_attested(workflow: dict[Any, Any]) -> None:
    jobs = workflow["jobs"]
    assert jobs["checks"]["uses"] == f"./{CHECKS}"
    assert [jobs[name]["needs"] for name in ("build", "attest", "publish")] == ["checks", "build", "attest"]
    names = [step.get("name", "") for step in jobs["build"]["steps"]]
    assert names.index(SIGNED) < names.index("Build")


def test_it_runs_what_releasing_says(workflow: dict[Any, Any], project: Path) -> None:
    said = (project / "pbem/docs/releasing.md").read_text()
    run = "\n".join(step.get("run", "") for step in workflow["jobs"]["build"]["steps"])
    for command in ("python -m hatchling build", "verify-tag"):
        assert command in run
        assert command in said


def script(workflow: dict[Any, Any]) -> str:
    (found,) = (step["run"] for step in workflow["jobs"]["build"]["steps"] if step.get("name") == SIGNED)
    return str(found)


@pytest.mark.parametrize(
    ("how", "tag", "changes", "passes"),
    [
        ("signed", "v1.2.3", RELEASED, True),
        ("unsigned", "v1.2.3", RELEASED, False),
        ("by a stranger", "v1.2.3", RELEASED, False),
        ("signed", "v1.2.4", RELEASED, False),
        ("signed", "v1.2.3", RELEASED.replace("2026-01-31", "not yet released"), False),
    ],
    ids=["right", "unsigned", "by a stranger", "another version", "no date"],
)
def test_only_a_signed_tag_of_the_version_is_released(
    how: str, tag: str, changes: str, passes: bool, workflow: dict[Any, Any], tmp_path: Path
) -> None:
    for name in ("official", "stranger"):
        keygen = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(tmp_path / name)]
        subprocess.run(keygen, check=True)
    tree = tmp_path / "tree"
    (tree / "pbem").mkdir(parents=True)
    (tree / "pbem/__init__.py").write_text('__version__ = "1.2.3"\n')
    (tree / "CHANGELOG.md").write_text(changes)
    key = tmp_path / ("stranger" if how == "by a stranger" else "official")
    person = ["-c", "user.name=x", "-c", "user.email=x@example.org"]
    signing = ["-c", "gpg.format=ssh", "-c", f"user.signingkey={key}"]
    annotated = "-a" if how == "unsigned" else "-s"
    for words in (
        ["init", "-q"],
        ["add", "."],
        [*person, "commit", "-qm", "x"],
        [*person, *signing, "tag", annotated, "-m", "x", tag],
    ):
        subprocess.run(["git", *words], cwd=tree, check=True)
    signers = f"x@example.org {(tmp_path / 'official.pub').read_text().strip()}"
    named = {"TAG": tag, "SIGNERS": signers, "RUNNER_TEMP": str(tmp_path)}
    command = ["bash", "-e", "-c", script(workflow)]
    done = subprocess.run(
        command, cwd=tree, env=os.environ | named, capture_output=True, text=True, check=False
    )
    assert (done.returncode == 0) is passes, done.stderr
