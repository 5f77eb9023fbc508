"""The part for programs: read back after what mail programs do, refused after anything else."""

import quopri
import random
import textwrap
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbem.orders.base import Asked
from pbem.reports import packing
from pbem.reports.packing import MAX_LEGAL, MAX_LETTERS, pack_view, unpack_asks, unpack_view
from pbem.rules.base import Ask
from tests.hammer.report_scenes import FIELD, table

VIEW = table(FIELD).game.view("scotland")
REPORT = table(FIELD).reports()["scotland"]

plain = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**9), 10**9) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner, max_size=4),
    max_leaves=20,
)


@pytest.mark.ci
@given(st.dictionaries(st.text(max_size=6), plain, max_size=5))
def test_any_view_comes_back(view: dict[str, object]) -> None:
    assert unpack_view("\n".join(pack_view(view))) == view


MANGLERS: dict[str, Callable[[str], str]] = {
    "untouched": lambda text: text,
    "windows line ends": lambda text: text.replace("\n", "\r\n"),
    "quoted": lambda text: "".join(f"> {line}\n" for line in text.split("\n")),
    "quoted twice": lambda text: "".join(f">> > {line}\n" for line in text.split("\n")),
    "quoted with a name": lambda text: "".join(f"Alice> {line}\n" for line in text.split("\n")),
    "quoted with bars": lambda text: "".join(f"| {line}\n" for line in text.split("\n")),
    "doubled lines": lambda text: text.replace("\n", "\n\n"),
    "blanks at both ends": lambda text: "".join(f"   {line}  \n" for line in text.split("\n")),
    "hard blanks": lambda text: "".join(f"\N{NO-BREAK SPACE}{line}\n" for line in text.split("\n")),
    "rewrapped narrow": lambda text: "\n".join(textwrap.wrap(text, 41)),
    "one line": lambda text: " ".join(text.split()),
    "quoted printable, undecoded": lambda text: quopri.encodestring(text.encode()).decode(),
    "html line ends": lambda text: text.replace("\n", "<br>\n"),
    "capital markers": lambda text: text.replace("begin view", "Begin View").replace("end view", "END VIEW"),
    "decorated markers": lambda text: text.replace("begin view", "--- begin view ---"),
    "byte order mark": lambda text: f"\ufeff{text}",
    "zero width": lambda text: text.replace("\n", "\u200b\n"),
}


@pytest.mark.parametrize("mangle", MANGLERS.values(), ids=MANGLERS.keys())
def test_mail_programs_do_no_harm(mangle: Callable[[str], str]) -> None:
    assert unpack_view(mangle(REPORT)) == VIEW


@pytest.mark.ci
def test_damage_is_found() -> None:
    lines = pack_view(VIEW)
    source = random.Random(1)
    for _ in range(200):
        changed = list(lines)
        number = source.randrange(1, len(lines) - 1)
        place = source.randrange(len(changed[number]))
        letter = source.choice("ABCxyz019+/")
        line = changed[number]
        changed[number] = line[:place] + letter + line[place + 1 :]
        assert unpack_view("\n".join(changed)) in (None, VIEW)
        if changed[number] != line and not line.endswith("="):
            assert unpack_view("\n".join(changed)) is None


def test_a_lost_line_is_found() -> None:
    lines = pack_view(VIEW)
    assert unpack_view("\n".join([*lines[:3], *lines[4:]])) is None


@pytest.mark.parametrize(
    "text",
    [
        "",
        "begin view\nend view",
        "begin view " * 1000,
        "begin view\n" + "A" * 300_000 + "\nend view",
        "end view",
    ],
)
def test_what_is_no_view_is_none(text: str) -> None:
    assert unpack_view(text) is None


def test_the_first_whole_view_counts() -> None:
    lines = "\n".join(pack_view(VIEW))
    assert unpack_view(f"begin view\nrubbish\nend view\n{lines}") == VIEW


def ask(*legal: str) -> Ask:
    return Ask("north", "bid", "4.2", lambda: legal, public=True, preferred=lambda: legal[0])


def test_what_its_reader_is_asked_comes_back() -> None:
    lines = pack_view(VIEW, (), [ask("bid 7", "bid 3"), ask("bid 1")])
    assert unpack_asks("\n".join(lines)) == (
        Asked("bid", "4.2", ("bid 3", "bid 7"), "bid 7"),
        Asked("bid", "4.2", ("bid 1",), "bid 1"),
    )
    assert unpack_view("\n".join(lines)) == VIEW
    lines[1] = lines[1].swapcase()
    assert unpack_asks("\n".join(lines)) == ()
    assert unpack_asks("nothing") == ()


def test_a_part_of_the_most_letters_is_read_and_a_longer_one_is_not() -> None:
    """More than 200,000 letters, without the marks that fill up, are none, and the next part counts."""
    most, longer = ("\n".join(pack_view({"a": "x" * count})) for count in (149_924, 149_925))
    assert len("".join(most.split("\n")[1:-1])) == MAX_LETTERS
    assert unpack_view(most) == {"a": "x" * 149_924}
    assert unpack_view(f"{longer}\n{most}") == {"a": "x" * 149_924}


def test_more_answers_than_anybody_would_read_are_not_listed() -> None:
    for count, listed in ((MAX_LEGAL, MAX_LEGAL), (MAX_LEGAL + 1, 0)):
        (asked,) = unpack_asks("\n".join(pack_view(VIEW, (), [ask(*(f"bid {n}" for n in range(count)))])))
        assert len(asked.legal) == listed
        assert asked.default == "bid 0"


@pytest.mark.parametrize(
    "piece",
    ["begin view\n", "end view\n", "begin view\nAAAA\nend view\n", "begin", "begin>>>>>>>>", "<", ">|"],
)
def test_no_character_of_a_hostile_letter_is_looked_at_twice(piece: str) -> None:
    """Blocks never overlap, whatever the first and last lines are; so the steps grow as the letter does."""
    text = piece * 20_000
    assert sum(map(len, packing._blocks(text))) <= len(text)
    assert packing.unpack(text) is None


def test_a_block_of_more_than_any_report_has_is_not_read() -> None:
    most = "A" * (4 * MAX_LETTERS - 2)
    assert list(packing._blocks(f"begin view\n{most}\nend view\n")) == [f"\n{most}\n"]
    assert not list(packing._blocks(f"begin view\nA{most}\nend view\n"))


def test_the_report_is_found_below_first_lines_of_blocks_that_have_no_last_line() -> None:
    block = "\n".join(packing.pack_view({"head": {}}))
    assert packing.unpack(f"begin view\nbegin view\n{block}\n") == ({"head": {}}, [])
