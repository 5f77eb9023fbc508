"""The referee's page: ten disputes, two commands each, and every command is one that there is."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import click
import pytest

from pbem.cli.group import pbem

PAGES = ("pbem/docs/disputes.md", "pbem/docs/releasing.md")


def commands(text: str) -> list[str]:
    """The commands that a text shows; one may go on in the next line."""
    return re.findall(r"^ {4,}(pbem .+)$", re.sub(r"\\\n *", "", text), flags=re.MULTILINE)


def test_there_are_ten_disputes_with_two_commands_each(project: Path) -> None:
    parts = (project / "pbem/docs/disputes.md").read_text(encoding="utf-8").split("\n## ")[1:]
    disputes = [part for part in parts if re.match(r"\d+\. ", part)]
    assert [int(part.partition(".")[0]) for part in disputes] == list(range(1, 11))
    assert {len(commands(part)) for part in disputes} == {2}


@pytest.mark.parametrize("page", PAGES)
def test_every_command_on_the_page_can_be_typed(page: str, project: Path, tmp_path: Path) -> None:
    for line in commands((project / page).read_text(encoding="utf-8")):
        _, name, *words = shlex.split(line)
        context = click.Context(pbem)
        command = pbem.get_command(context, name)
        assert command is not None, line
        known = {option for parameter in command.params for option in parameter.opts}
        assert {word for word in words if word.startswith("--")} <= known, line
