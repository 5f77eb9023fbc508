"""Text from mail programs: what is taken away, what stays, and that nothing takes long."""

import quopri
from collections.abc import Callable

import pytest

from pbem.orders.base import Language
from pbem.orders.hammer import LANGUAGE
from pbem.orders.lines import BLANK, MAX_SIGNS, read_text, unknown_signs
from pbem.orders.plain import PlainLanguage

FILE = """\
card 2
if first:
    move Wallace, Douglas from Fife to Mentieth
    move Norse to Ross
otherwise:
    ask
end
plan Mentieth:
    fire
    if Wallace strength at most 1: retreat Wallace to Fife, Atholl
    hits Barclay, rest
"""

MANGLED: dict[str, Callable[[str], str]] = {
    "line ends of Windows": lambda text: text.replace("\n", "\r\n"),
    "line ends of old Macs": lambda text: text.replace("\n", "\r"),
    "quoted": lambda text: "".join(f"> {line}\n" for line in text.splitlines()),
    "quoted twice": lambda text: "".join(f">> {line}\n" for line in text.splitlines()),
    "quoted with a bar": lambda text: "".join(f"| {line}\n" for line in text.splitlines()),
    "indentation lost": lambda text: "".join(f"{line.strip()}\n" for line in text.splitlines()),
    "indentation by no-break spaces": lambda text: text.replace("    ", "\u00a0 \u00a0 "),
    "tabs": lambda text: text.replace("    ", "\t"),
    "blanks at the ends": lambda text: text.replace("\n", "   \n"),
    "empty lines between": lambda text: text.replace("\n", "\n\n"),
    "no last line end": str.rstrip,
    "upper case": str.upper,
    "lower case": str.lower,
    "sentences begun with a capital": lambda text: "".join(
        f"{line.strip().capitalize()}\n" for line in text.splitlines()
    ),
    "bullets": lambda text: "".join(f"\u2022 {line.strip()}\n" for line in text.splitlines()),
    "stars": lambda text: "".join(f"* {line.strip()}\n" for line in text.splitlines()),
    "dashes": lambda text: "".join(f"- {line.strip()}\n" for line in text.splitlines()),
    "numbers": lambda text: "".join(f"{n}. {line.strip()}\n" for n, line in enumerate(text.splitlines(), 1)),
    "bold": lambda text: text.replace("Wallace", "*Wallace*").replace("Fife", "_Fife_"),
    "smart quotes": lambda text: text.replace("Wallace", "\u201cWallace\u201d").replace(
        "Fife", "\u2018Fife\u2019"
    ),
    "full stops": lambda text: text.replace("\n", ".\n"),
    "byte order mark": lambda text: "\ufeff" + text,
    "zero-width signs": lambda text: text.replace("a", "a\u200b").replace("move", "mo\u00adve"),
    "accents": lambda text: text.replace("Mentieth", "M\u00e9ntieth"),
    "decomposed accents": lambda text: text.replace("Mentieth", "Me\u0301ntieth"),
    "full-width letters": lambda text: text.replace("card 2", "\uff43\uff41\uff52\uff44 \uff12"),
    "ligatures": lambda text: text.replace("Fife", "\ufb01fe").replace("first", "\ufb01rst"),
    "quoted-printable, undecoded": lambda text: quopri.encodestring(
        text.replace("move", "m\u00f3ve").encode()
    ).decode(),
    "blanks as =20": lambda text: text.replace(" ", "=20"),
    "soft line breaks": lambda text: text.replace("Mentieth", "Ment=\nieth"),
    "entities": lambda text: text.replace("    ", "&nbsp;&nbsp;"),
    "arrows": lambda text: text.replace(" to ", " -> "),
    "arrows of Word": lambda text: text.replace(" to ", " \u00e0 "),
    "typeset arrows": lambda text: text.replace(" to ", " \u2192 "),
    "wrapped after a comma": lambda text: text.replace(", ", ",\n> "),
    "wrapped after a word that goes on": lambda text: text.replace(" to ", " to\n"),
    "wrapped before a word that goes on": lambda text: text.replace(" to ", "\nto "),
    "semicolons": lambda text: text.replace("fire\n    if", "fire; if"),
    "remarks": lambda text: text.replace("fire", "fire (at will)").replace(
        "end", "note that is all; really\nend"
    ),
    "articles": lambda text: text.replace("move Norse", "move the Norse"),
    "symbols": lambda text: text.replace("at most", "<=").replace("end\n", "end\n\n\u2014\u2014\u2014\n"),
}


@pytest.mark.parametrize("how", MANGLED)
def test_what_mail_programs_do_to_a_file_changes_nothing(how: str) -> None:
    """Design 4: no sign that mail programs add, drop or replace carries meaning."""
    mangled = LANGUAGE.parse(MANGLED[how](FILE), "scotland")
    assert [str(fault) for fault in mangled.faults] == []
    assert mangled.orders == LANGUAGE.parse(FILE, "scotland").orders


def words(text: str) -> list[tuple[str, ...]]:
    """The words of each statement."""
    return [statement.words for statement in read_text(text).statements]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("move A to B", [("move", "a", "to", "b")]),
        ("one; two;; three", [("one",), ("two",), ("three",)]),
        ("note one\ntwo", [("two",)]),
        ("Note: one,\ntwo", [("two",)]),
        ("one (two (three) four) five", [("one", "five")]),
        ("one (never closed\ntwo", [("one",), ("two",)]),
        ("one,\n\ntwo", [("one", ","), ("two",)]),
        ("one <=12 two", [("one", "<=", "12", "two")]),
        ("one \u2264 2", [("one", "<=", "2")]),
        ("one\ntwo thr=\nee", [("one",), ("two", "three")]),
        ("one\ntwo=", [("one",), ("two",)]),
        ("card ____", [("card", BLANK)]),
        ("card ......", [("card", BLANK)]),
        ("card \u2026", [("card", BLANK)]),
        ("3) card 2", [("card", "2")]),
        ("(3) card 2", [("card", "2")]),
        ("a) card 2", [("card", "2")]),
        ("---", []),
        ("", []),
        ("\x00\x01\x02", []),
    ],
)
def test_statements(text: str, expected: list[tuple[str, ...]]) -> None:
    """The module's rules, one by one."""
    assert words(text) == expected


@pytest.mark.parametrize(
    ("text", "expected", "told"),
    [
        ("ca\U00013439rd 2", [("ca", "rd", "2")], ["1:3 '\U00013439' (U+13439) is"]),  # of a later Unicode
        ("card \u0664", [("card",)], ["1:6 '\u0664' (U+0664) is"]),  # a digit, and no digit of ours
        ("\U0001f449 1. card 2", [("card", "2")], ["1:1 '\U0001f449' (U+1F449) is"]),
        ("card 2 \ufdd0", [("card", "2")], ["1:8 U+FDD0 is"]),
        (
            "\u0436\u0437, card 2; \u0436",
            [("card", "2")],
            ["1:1 '\u0436' (U+0436) and '\u0437' (U+0437) are"],
        ),
        (
            "card 2\n\u0436\ncard 3\u0436",
            [("card", "2"), ("card", "3")],
            ["2:1 '\u0436' (U+0436) is", "3:7 '\u0436' (U+0436) is"],
        ),
        ("card 2 =F0=9F=98=80", [("card", "2")], ["1:8 '\U0001f600' (U+1F600) is"]),
        ("card 2 &#x436;", [("card", "2")], ["1:8 '\u0436' (U+0436) is"]),
        ("note \u0436", [], []),
        ("card 2; note \u0436", [("card", "2")], []),
        ("card (\u0436) 2", [("card", "2")], []),
        ("\u0436\nbegin \u2702 orders\ncard 2\nend orders\n\u0436", [("card", "2")], []),
        ("\u2702 card 2 \u2713", [("card", "2")], []),  # marks that people set
        ("card \u00b2", [("card", "2")], []),
        ("z\u00f8\u0142\u00e6\u00df", [("zolaess",)], []),
    ],
)
def test_a_sign_that_orders_are_not_written_with_is_a_blank_and_is_told(
    text: str, expected: list[tuple[str, ...]], told: list[str]
) -> None:
    read = read_text(text)
    assert [statement.words for statement in read.statements] == expected
    found = [f"{token.line}:{token.column} {said}" for token, said in unknown_signs(read)]
    assert [said.partition(" not known")[0] for said in found] == told


@pytest.mark.parametrize("language", [LANGUAGE, PlainLanguage({"card": ("card",)})], ids=["kit", "plain"])
def test_an_unknown_sign_is_a_remark_beside_orders_that_count(language: Language) -> None:
    read = language.parse("card 2 \u0436", "scotland")
    assert read.orders
    assert [(fault.line, fault.column, fault.remark) for fault in read.faults] == [(1, 8, True)]
    assert "'\u0436' (U+0436) is not known in orders, so it is read as a blank" in str(read.faults[0])


def test_endless_unknown_signs_are_not_all_named() -> None:
    ((_, said),) = unknown_signs(read_text("".join(map(chr, range(0x400, 0x450)))))
    assert said.count("U+") == MAX_SIGNS
    assert " and more are not known" in said


def test_tokens_know_where_they_stand() -> None:
    """Columns are those of the text as it was written, whatever was decoded or taken away before."""
    [statement] = read_text("> * =C3=A9t\u00e9 \u201cFife\u201d").statements
    assert [(token.word, token.column, token.end) for token in statement.tokens] == [
        ("ete", 5, 12),
        ("fife", 15, 18),
    ]


def test_a_word_cut_by_a_soft_line_break_stands_where_it_begins() -> None:
    [statement] = read_text("move Ment=\nieth").statements
    assert [(token.word, token.line, token.column) for token in statement.tokens] == [
        ("move", 1, 1),
        ("mentieth", 1, 6),
    ]


REPORT = """\
Dear player,

move over: this is a report.
card 3

> begin orders
> note Which card? Your hand: 1, 2
> card ____
> move ____ from ____ to ____
> if ____: retreat ____ to ____
> raid ____
> end orders

move Wallace to Mar
Yours, the judge
"""


def test_a_report_sent_back_unfilled_orders_nothing() -> None:
    parsed = LANGUAGE.parse(REPORT, "scotland")
    assert not parsed.orders
    assert [fault.line for fault in parsed.faults] == [4, 14]
    assert all(fault.remark for fault in parsed.faults)
    assert str(parsed.faults[1]) == (
        "line 14, a remark: this stands outside the order form, so it is not read as an order\n"
        "    move Wallace to Mar\n"
        "    ~~~~~~~~~~~~~~~~~~^"
    )


def test_a_note_goes_to_the_end_of_its_line_and_an_order_in_it_is_told() -> None:
    parsed = LANGUAGE.parse(
        "note hello; move none\ncard 2; note as he did, to;; raid Ross, or not\nhurry; nothing\n", "scotland"
    )
    assert LANGUAGE.write(parsed.orders) == "card 2\n"
    remark, fault, other = map(str, parsed.faults)
    assert remark == (
        "line 1, a remark: this stands in a note, so it is not read as an order\n"
        "    note hello; move none\n"
        "                ~~~~~~~~^"
    )
    assert "no order begins with 'hurry'" in fault
    assert "no order begins with 'nothing'" in other


def test_a_report_sent_back_with_its_blanks_filled_in_is_an_order_file() -> None:
    filled = REPORT.replace("> card ____", "> card __2__").replace(
        "move ____ from ____", "move Wallace___ from ____"
    )
    filled = filled.replace("from ____ to ____", "from ____ to Mar")
    parsed = LANGUAGE.parse(filled, "scotland")
    assert parsed.orders == LANGUAGE.parse("card 2\nmove Wallace to Mar", "scotland").orders


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("move ____ from Fife to Mar", "something is missing after 'move'"),
        ("if ____: retreat Wallace to Fife", "the condition after 'if' is not filled in"),
        ("move Wallace from ____ to ____", "to which area?"),
    ],
)
def test_a_line_filled_in_by_half_is_a_fault(line: str, message: str) -> None:
    parsed = LANGUAGE.parse(f"begin orders\nplan any:\n{line}\nend orders", "scotland")
    assert not parsed.orders
    assert message in parsed.faults[0].message


@pytest.mark.ci
@pytest.mark.parametrize(
    "text",
    [
        "\x00" * 40_000,
        "a" * 40_000,
        "> " * 60_000,
        "( " * 60_000,
        "=\n" * 40_000,
        "a=\n" * 40_000,
        "1. " * 40_000,
        "_." * 60_000,
        "move Wallace to Mar\n" * 8_000,
        "mvoe Walace to Marr\n" * 8_000,
        "if first:\n" * 8_000,
        "plan any:\nif round 2:\n" * 4_000,
        "if " * 40_000,
        "not " * 20_000 + "first",
        "if " + "not " * 40_000 + "first: card 3",
        "if first" + " and first" * 8_000 + ": card 3",
        "move " + "Wallace, " * 8_000 + "to Mar",
        "move Wallace to " + "Mar, " * 8_000,
        "herald " + "Ros " * 8_000,
        "begin orders\n" * 8_000,
    ],
    ids=lambda text: f"{text[:12]!r} x {len(text)}",
)
def test_hostile_text_is_only_wrong(text: str) -> None:
    """Nothing raises, and nothing takes more than linear time (it would be felt here)."""
    parsed = LANGUAGE.parse(text, "scotland")
    for fault in parsed.faults:
        assert len(str(fault)) < 2_000


@pytest.mark.parametrize("number", ["0" * 5_000 + "1", "0000001000000000", "1" * 5_000])
def test_a_number_is_bounded_before_it_is_read(number: str) -> None:
    """Six leading zeros carried a count past its maximum, and five thousand ended the program."""
    parsed = LANGUAGE.parse(f"build wallace {number}", "scotland")
    assert [fault.message for fault in parsed.faults if not fault.remark], number
    assert not parsed.orders
    assert LANGUAGE.parse("build wallace 0002", "scotland").orders
