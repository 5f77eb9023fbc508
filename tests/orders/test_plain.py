"""The plainest language: forms of questions that several verbs answer."""

from __future__ import annotations

from pbem.game import Ask, PlainLanguage
from pbem.reports.base import WIDTH

CLANS = ("blue", "gold", "green", "crimson")
LANGUAGE = PlainLanguage({"act": ("hold", "train", "scout", "raid")})


def act(*answers: str) -> Ask:
    return Ask("red", "act", "3", lambda: answers, public=True, preferred=lambda: answers[0])


def form(*answers: str) -> str:
    return LANGUAGE.form({}, [act(*answers)])


def test_a_form_names_many_answers_in_lines_that_go_through_mail() -> None:
    answers = ("hold", "train", *(f"{verb} {clan}" for verb in ("scout", "raid") for clan in CLANS))
    written = form(*answers)
    assert max(map(len, written.splitlines())) <= WIDTH
    told = " ".join(line.removeprefix("note ") for line in written.splitlines())
    assert all(answer in told for answer in answers)


def test_a_form_leaves_the_verb_to_the_player_where_there_are_several() -> None:
    written = form("hold", "raid blue")
    assert "\n____\n" in written
    filled = LANGUAGE.parse(written.replace("____", "raid blue"), "red")
    assert (LANGUAGE.write(filled.orders), filled.faults) == ("raid blue\n", ())
    unfilled = LANGUAGE.parse(written, "red")
    assert (LANGUAGE.write(unfilled.orders), unfilled.faults) == ("", ())
    assert LANGUAGE.asked(written) == ("hold", "train", "scout", "raid")


def test_a_form_begins_the_line_where_one_verb_is_possible() -> None:
    written = form("raid blue", "raid gold")
    assert "\nraid ____\n" in written
    assert LANGUAGE.asked(written) == ("raid",)


def test_of_an_order_that_is_unknown_the_first_word_is_marked() -> None:
    (fault,) = LANGUAGE.parse("riad blue\nhold", "red").faults
    assert str(fault).splitlines()[:3] == [
        "line 1: no order begins with 'riad'; did you mean raid?",
        "    riad blue",
        "    ~~~^",
    ]
