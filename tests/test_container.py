"""The container file: nobody is root, the club is a volume, and health is what the heartbeat says."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import click
import pytest
import yaml  # type: ignore[import-untyped]

from pbem.box.stores import MAX_COPY_SIZE, MAX_POST_SIZE
from pbem.cli.group import pbem
from pbem.judge.club import create_club, open_club
from pbem.service.watch import HEARTBEAT, show_pass
from tests.tools import try_container

BUILDER = ("buildah", "crun", "mmdebstrap")
ROOT = ("", "0", "root")


@pytest.fixture(scope="module")
def lines(project: Path) -> list[tuple[str, str]]:
    """Each instruction with what stands behind it."""
    text = (project / "Containerfile").read_text().replace("\\\n", " ")
    found: list[tuple[str, str]] = re.findall(r"^([A-Z]+) (.*)$", text, re.MULTILINE)
    return found


def last(lines: list[tuple[str, str]], name: str) -> str:
    return [said for word, said in lines if word == name][-1]


def test_what_runs_is_not_root(lines: list[tuple[str, str]]) -> None:
    words = [word for word, _ in lines]
    assert last(lines, "USER").split(":")[0] not in ROOT
    assert "RUN" not in words[words.index("USER") :]  # nor is anything installed by the judge


def test_the_club_is_the_volume_that_pbem_opens(lines: list[tuple[str, str]]) -> None:
    assert last(lines, "VOLUME") == last(lines, "WORKDIR") == "/club"
    assert "PBEM_CLUB=/club" in last(lines, "ENV").split()


@pytest.mark.parametrize(("minutes", "healthy"), [(None, False), (0, True), (14, True), (16, False)], ids=str)
def test_health_is_a_pass_within_a_quarter_of_an_hour(
    minutes: int | None, healthy: bool, lines: list[tuple[str, str]], tmp_path: Path
) -> None:
    club = tmp_path / "club"
    create_club(club, "Stirling Bridge", 7)
    if minutes is not None:
        opened = open_club(club)
        assert list(show_pass(opened, trouble=True, seconds=1)) == []
        opened.store.close()
        then = (club / HEARTBEAT).stat().st_mtime - minutes * 60
        os.utime(club / HEARTBEAT, (then, then))
    check = last(lines, "HEALTHCHECK").partition(" CMD ")[2].replace("/club/", f"{club}/")
    done = subprocess.run(["/bin/sh", "-c", check], capture_output=True, check=False)
    assert (done.returncode == 0) is healthy


@pytest.mark.slow
@pytest.mark.ci
@pytest.mark.skipif(
    os.geteuid() != 0 or not all(map(shutil.which, BUILDER)), reason="needs root, and a builder from apt"
)
def test_it_is_built_and_run(capsys: pytest.CaptureFixture[str]) -> None:
    try_container.main([])
    assert "yes  healthy after a pass" in capsys.readouterr().out


def test_the_box_s_container_sees_nothing_of_the_club(project: Path) -> None:
    """And believes the proxy alone, which is the one that the other file names."""
    services = yaml.safe_load((project / "compose.yaml").read_text())["services"]
    box, judge, caddy = (services[name] for name in ("box", "judge", "caddy"))
    assert box["volumes"] == ["box:/box"]
    assert "box:/club/box" in judge["volumes"]
    assert box["read_only"] is True
    addresses = {name: services[name]["networks"]["inside"]["ipv4_address"] for name in ("box", "caddy")}
    assert box["command"][-2:] == ["--proxy", addresses["caddy"]]
    assert list(box["networks"]) == ["inside"]
    assert f"reverse_proxy {addresses['box']}:8698" in (project / "Caddyfile").read_text()
    assert [name for name in services if "ports" in services[name]] == ["caddy"]
    assert caddy["volumes"][0].startswith("./Caddyfile:")


def test_what_compose_runs_is_what_the_program_has(project: Path) -> None:
    """Each command is read as a command line is; no container runs here."""
    services = yaml.safe_load((project / "compose.yaml").read_text())["services"]
    own = [one["command"] for one in services.values() if "command" in one]
    assert [words[0] for words in own] == ["serve", "box"]
    for words in own:
        _, command, given = pbem.resolve_command(click.Context(pbem), list(words))
        assert command is not None
        assert command.make_context(words[0], given).params
    _, code = services["box"]["healthcheck"]["test"][-2:]
    compile(code, "healthcheck", "exec")
    size = re.search(r"max_size ([0-9]+)MB", (project / "Caddyfile").read_text())
    assert size
    assert int(size[1]) * 1_000_000 >= MAX_COPY_SIZE > MAX_POST_SIZE, (
        "the proxy lets through what the box takes"
    )
