"""Each command that a page shows is one that can be typed: its name, options and arguments are there."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from pbem.cli.group import pbem
from pbem.cli.table import OLD

PROJECT = Path(__file__).parent.parent
PAGES = sorted(
    path.relative_to(PROJECT).as_posix()
    for pattern in (
        "*.md",
        "pbem/docs/**/*.md",
        "games/*/README.md",
        "tests/**/*.md",
        "pbem/**/presets/*.toml",
    )
    for path in PROJECT.glob(pattern)
)
_ENDS = re.compile(r"[|;>]|&&|\|\||\d>|<")
"""Where the words of a command end, if a shell reads them."""


def shown(page: str) -> Iterator[str]:
    """The commands in the blocks of a page, whole; one may go on in the next line."""
    page = re.sub(r"\\\n *", "", page)
    for block in re.findall(r"^(?:#? {4}[^\n]*$|```.*?^```)", page, flags=re.MULTILINE | re.DOTALL):
        for line in block.splitlines():
            for found in re.findall(r'(?:^[# ]*|then |[|;&($] ?)(pbem [a-z](?:"[^"]*"|[^|;&)])*)', line):
                yield re.sub(r"\s# .*", "", found)


def mentioned(page: str) -> Iterator[str]:
    """What stands in sentences, which may leave words out."""
    yield from re.findall(
        r"`(pbem [^`]+)`", re.sub(r"^ {4}.*$|^```.*?^```", "", page, flags=re.MULTILINE | re.DOTALL)
    )


def fault(line: str, *, whole: bool) -> str:
    """Why a command cannot be typed, or ""; `whole`: it lacks no word."""
    words = shlex.split(line)[1:]
    words = words[: next((place for place, word in enumerate(words) if _ENDS.match(word)), len(words))]
    command: click.Command = pbem
    context = click.Context(pbem)
    while isinstance(command, click.Group) and words and words[0].islower() and words[0].isascii():
        if words[0].startswith("-"):
            break
        name = words.pop(0)
        if (found := command.get_command(context, name)) is None:
            return f"{line}: is called pbem {OLD[name]} now" if name in OLD else f"{line}: no command {name}"
        command, context = found, click.Context(found, parent=context, info_name=name)
    known = {option for one in command.get_params(context) for option in (*one.opts, *one.secondary_opts)}
    if odd := [word for word in words if word.startswith("--") and word.partition("=")[0] not in known]:
        return f"{line}: no option {odd[0]}"
    if not whole or isinstance(command, click.Group):
        return ""
    try:
        given, left, _ = command.make_parser(context).parse_args(words)
    except click.UsageError as misuse:
        return f"{line}: {misuse.format_message()}"
    lacks = [one.name for one in command.params if one.required and not given.get(one.name or "")]
    return f"{line}: {left or lacks}" if left or lacks else ""


@pytest.mark.parametrize("name", PAGES)
def test_every_command_on_a_page_can_be_typed(name: str) -> None:
    page = (PROJECT / name).read_text(encoding="utf-8")
    faults = [fault(line, whole=True) for line in shown(page)]
    faults += [fault(" ".join(line.split()), whole=False) for line in mentioned(page)]
    assert [one for one in faults if one] == []


def test_the_pages_show_many_commands() -> None:
    pages = [(PROJECT / name).read_text(encoding="utf-8") for name in PAGES]
    assert sum(len(list(shown(page))) for page in pages) > 90
    assert sum(len(list(mentioned(page))) for page in pages) > 85


@pytest.mark.parametrize(
    ("page", "told"),
    [
        ("    pbem frobnicate", "no command frobnicate"),
        ("    pbem league frob spring", "no command frob"),
        ("    pbem seal --bear", "no option --bear"),
        ("    pbem seal orders.txt --out", "requires an argument"),
        ("    pbem join dunbar-7 --out a.join", "['player']"),
        ("    pbem club run demo", "['demo']"),
        ("    pbem run", "is called pbem club run now"),
        ("    pbem check \\\n      --frob o.txt", "no option --frob"),
        ("Write `pbem seal --bear`.", "no option --bear"),
    ],
)
def test_a_command_that_cannot_be_typed_is_found(page: str, told: str) -> None:
    faults = [fault(line, whole=True) for line in shown(page)]
    faults += [fault(line, whole=False) for line in mentioned(page)]
    assert any(told in one for one in faults), faults
