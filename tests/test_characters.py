"""Near words and lines are found as difflib and textwrap find them, by code of our own."""

import textwrap
from difflib import get_close_matches

from hypothesis import given
from hypothesis import strategies as st

from pbem.characters import nearest, wrap

WORDS = st.text("abcd ", max_size=12)


@given(WORDS, st.lists(WORDS, max_size=8), st.integers(1, 3), st.sampled_from([0.5, 0.6, 0.7]))
def test_the_nearest_are_those_of_difflib(word: str, known: list[str], most: int, share: float) -> None:
    kept = [one for one in known if word or one]
    assert nearest(word, kept, most, share) == get_close_matches(word, kept, most, share)


def test_nothing_is_near_to_nothing() -> None:
    assert nearest("", ["", "a"], 3, 0.5) == []


@given(st.text("abcd  ", max_size=80), st.integers(2, 30))
def test_lines_are_those_of_textwrap(text: str, width: int) -> None:
    words = [
        word for word in text.split() if len(word) <= width
    ]  # textwrap begins a longer one in the line before
    text = " ".join(words)
    assert wrap(text, width) == textwrap.wrap(text, width)


def test_a_word_longer_than_a_line_is_cut() -> None:
    assert wrap("ab abcdefgh ij", 4) == ["ab", "abcd", "efgh", "ij"]
