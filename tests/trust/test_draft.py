"""Drafts: what a person wrote, found below and inside whatever a mail program made of it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbem.trust.faults import OrderFileFault
from pbem.trust.orderfile import Draft, parse_bare, parse_draft

PLAIN = "pbem1 orders\ngame hearth\nexchange 12\nside scotland\n---\ncard 3\n  move a\n"
READ = Draft(game="hearth", exchange=12, side="scotland", body="card 3\n  move a\n", body_line=6)


def test_a_draft_is_read() -> None:
    assert parse_draft(PLAIN) == READ


@pytest.mark.parametrize(
    "text",
    [
        PLAIN.replace("pbem1 orders", "PBEM1  Orders "),
        PLAIN.replace("game hearth", " \u00a0game\thearth"),
        PLAIN.replace("---", "\u2014-"),
        PLAIN.replace("---", "  -----  "),
        PLAIN.replace("game", "\ufeffga\u200bme"),
        PLAIN.replace("\nside", "\n\nside").replace("pbem1 orders\n", "pbem1 orders\n", 1),
        "".join(f"> {line}" if number < 5 else line for number, line in enumerate(PLAIN.splitlines(True))),
    ],
)
def test_a_mangled_head_is_read(text: str) -> None:
    read = parse_draft(text)
    assert (read.game, read.exchange, read.side, read.body) == ("hearth", 12, "scotland", READ.body)


def test_a_draft_inside_a_report_is_found_and_its_lines_counted() -> None:
    read = parse_draft(f"Your report\n---\n\n{PLAIN}")
    assert read.body == READ.body
    assert read.body_line == 9


def test_what_the_head_leaves_out_is_none() -> None:
    assert parse_draft("pbem1 orders\n---\n") == Draft(
        game=None, exchange=None, side=None, body="", body_line=3
    )


def test_a_head_without_its_first_line_is_no_order() -> None:
    for text, line in (("game demo\n---\ncard 2\n", 1), ("\n> Exchange 3\ncard 2\n", 2)):
        with pytest.raises(OrderFileFault, match=f"line {line}: .* needs 'pbem1 orders' above it"):
            parse_bare(text)
    assert parse_bare("card 2\ngame demo\n").body_line == 1  # the orders' reader says what is wrong


def test_the_words_of_the_program_are_passed_over() -> None:
    text = PLAIN.replace("side", "player alice\nrev 7\nseal age1xyz\nseen 3 x\nreveal y\nside")
    assert parse_draft(text).side == "scotland"


@pytest.mark.ci
@given(st.text())
def test_no_text_breaks_the_reading_of_a_draft(text: str) -> None:
    with pytest.raises(OrderFileFault):
        parse_draft(text)
    assert parse_draft(f"pbem1 orders\n---\n{text}").body == text


def test_a_report_sent_back_ends_with_its_form() -> None:
    text = (
        "Hammer of the Scots\n> WHAT IS ASKED\n> pbem1 orders\n> game demo\n> exchange 4\n> side scotland\n"
        "> ---\n> begin orders\n> card 3\n> end orders\n> HOW TO CHECK\n> and much more\n"
    )
    draft = parse_draft(text)
    assert (draft.game, draft.exchange, draft.side) == ("demo", 4, "scotland")
    assert draft.body == "> begin orders\n> card 3\n> end orders\n"
