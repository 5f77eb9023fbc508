"""The tour in ARCHITECTURE.md: its functions are there, and a mail with orders passes them in that order."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from types import FrameType

import pytest

from pbem.audit import audit
from pbem.judge.export import export
from tests.judge.table import GAME
from tests.mail.postal import Postal, make_postal
from tests.mail.servers import Post, smtp_server

STOP = re.compile(r"^\d+\. \[(pbem/[\w/]+\.py)\]\(\1\), `([\w.]+)`\.", re.MULTILINE)
"""A stop of the tour: a file, linked, and a function in it."""


def stops(page: str) -> list[tuple[str, str]]:
    """The stops of the tour: file, and function or method."""
    (tour,) = re.findall(r"^## A tour: .*?(?=^## )", page, re.MULTILINE | re.DOTALL)
    return STOP.findall(tour)


def defined(module: Path) -> set[str]:
    """The functions of a module, and the methods of its classes as `Class.method`."""
    names = set()
    for node in ast.parse(module.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.FunctionDef):
            names.add(node.name)
        elif isinstance(node, ast.ClassDef):
            names |= {f"{node.name}.{part.name}" for part in node.body if isinstance(part, ast.FunctionDef)}
    return names


def missing(page: str, project: Path) -> list[str]:
    """The stops whose file or function does not exist."""
    return [
        f"{path}: {name}"
        for path, name in stops(page)
        if not (project / path).is_file() or name not in defined(project / path)
    ]


@pytest.mark.ci
def test_each_of_the_ten_stops_exists(project: Path) -> None:
    page = (project / "ARCHITECTURE.md").read_text(encoding="utf-8")
    assert len(stops(page)) == 10
    assert missing(page, project) == []


@pytest.mark.parametrize(
    ("old", "new"), [("`Play.resolve`", "`Play.solve`"), ("mail/club_mailbox.py", "mail/gone.py")]
)
def test_a_stop_that_does_not_exist_is_found(old: str, new: str, project: Path) -> None:
    page = (project / "ARCHITECTURE.md").read_text(encoding="utf-8")
    assert len(missing(page.replace(old, new), project)) == 1


@pytest.fixture
def postal(tmp_path: Path) -> Iterator[Postal]:
    """A club with one game that is played by mail; both players have their invitations."""
    post = Post(tmp_path / "post")
    with smtp_server(post) as port:
        club = make_postal(tmp_path, port, post)
        club.run()
        yield club


@pytest.mark.ci
def test_a_mail_with_orders_passes_the_stops_in_their_order(
    project: Path, postal: Postal, tmp_path: Path
) -> None:
    tour = stops((project / "ARCHITECTURE.md").read_text(encoding="utf-8"))
    passed: list[tuple[str, str]] = []

    def note(frame: FrameType, event: str, _: object) -> None:
        path = frame.f_code.co_filename
        if event == "call" and path.startswith(str(project / "pbem")):
            stop = (Path(path).relative_to(project).as_posix(), frame.f_code.co_qualname)
            if stop in tour and stop not in passed:
                passed.append(stop)

    postal.go()  # the players accept the game
    postal.all_send()
    before = sys.getprofile()
    sys.setprofile(note)
    try:
        postal.run()
        export(postal.table.club, GAME, "public", tmp_path / "bundle")
        assert not audit(tmp_path / "bundle").is_refuted
    finally:
        sys.setprofile(before)
    assert passed == tour
