"""Armor out of mails: every mangling of layout is mended, and every change of content is refused."""

import html
import random
import re
from collections.abc import Callable

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from pbem.trust import armor, sealing
from pbem.trust.faults import ArmorFault, SealFault
from tests.trust.sealed import only_sealed

KEY = sealing.seal_key(bytes(32), "hearth", 3, "alice")


def payloads() -> list[bytes]:
    """Plaintexts of every length of a last base64 line, and some long ones."""
    numbers = random.Random(7)
    return [numbers.randbytes(size) for size in (*range(48), 700, 8_192)]


SEALED = [sealing.seal(payload, [KEY.recipient]) for payload in payloads()]

NBSP, ZERO_WIDTH, BOM = "\u00a0", "\u200b", "\ufeff"
GREETING = "Dear judge,\n\nhere are my orders -- and a dash - or two.\n\n"
FOOTER = "\n-- \nAlice\n_______________________________________________\nhearth mailing list\n"


def rewrapped(text: str, width: int) -> str:
    """The text flowed anew at `width`, as a program does that takes it for prose."""
    words = " ".join(text.split("\n"))
    return "\n".join(words[start : start + width] for start in range(0, len(words), width))


def soft_wrapped(text: str, width: int) -> str:
    return re.sub(f"(.{{{width}}})", "\\1\n", text)


def quoted(text: str, mark: str) -> str:
    return "\n".join(f"{mark}{line}" for line in text.split("\n"))


def quoted_printable(text: str) -> str:
    return "\n".join(f"{line.replace('=', '=3D')}=20" for line in text.split("\n"))


def in_html(text: str) -> str:
    lines = "".join(f"<div>{html.escape(line) or '<br>'}</div>\r\n" for line in text.split("\n"))
    return f'<html><body style="a:b"><p>Hello&nbsp;judge&mdash;</p>{lines}</body></html>'


MANGLINGS: dict[str, Callable[[str], str]] = {
    "untouched": lambda text: text,
    "dashes as entities": lambda text: text.replace("-", "&#45;"),
    "signs of the base64 as entities": lambda text: (
        text.replace("+", "&#43;").replace("/", "&#47;").replace("=", "&equals;")
    ),
    "line ends and blanks as entities": lambda text: text.replace(" ", "&nbsp;").replace("\n", "&#13;\n"),
    "crlf": lambda text: text.replace("\n", "\r\n"),
    "cr alone": lambda text: text.replace("\n", "\r"),
    "no end of the last line": lambda text: text.rstrip("\n"),
    "trailing blanks": lambda text: text.replace("\n", "   \n"),
    "leading blanks": lambda text: quoted(text, "    "),
    "leading tabs": lambda text: quoted(text, "\t"),
    "quoted": lambda text: quoted(text, "> "),
    "quoted twice": lambda text: quoted(text, "> > "),
    "quoted tightly": lambda text: quoted(text, ">>"),
    "quoted with initials": lambda text: quoted(text, "AB> "),
    "quoted with a bar": lambda text: quoted(text, " | "),
    "quoted with initials and a bar": lambda text: quoted(text, "AB| "),
    "quoted and flowed": lambda text: quoted(rewrapped(text, 72), "> "),
    "quoted, flowed, quoted": lambda text: quoted(rewrapped(quoted(text, "> "), 70), "> "),
    "nbsp for blanks": lambda text: text.replace(" ", NBSP),
    "nbsp everywhere": lambda text: quoted(text.replace(" ", NBSP).replace("\n", f"{NBSP}\n"), NBSP),
    "soft wrap at 60": lambda text: soft_wrapped(text, 60),
    "soft wrap at 33": lambda text: soft_wrapped(text, 33),
    "rewrap at 50": lambda text: rewrapped(text, 50),
    "rewrap at 78": lambda text: rewrapped(text, 78),
    "one line": lambda text: text.replace("\n", " "),
    "one line without blanks": lambda text: text.replace("\n", ""),
    "double spacing": lambda text: text.replace("\n", "\n\n"),
    "every line twice": lambda text: "".join(f"{line}\n{line}\n" for line in text.split("\n")),
    "em dashes": lambda text: text.replace("-----", "\u2014\u2014-"),
    "one em dash": lambda text: text.replace("-----", "\u2014"),
    "en dashes mixed": lambda text: text.replace("-----", "\u2013-\u2013"),
    "minus signs": lambda text: text.replace("-", "\u2212"),
    "spaced dashes": lambda text: text.replace("-----", "- - - - -"),
    "zero width": ZERO_WIDTH.join,
    "soft hyphens": lambda text: re.sub("(.{20})", "\\1\u00ad", text),
    "bom, greeting, footer": lambda text: f"{BOM}{GREETING}{text}{FOOTER}",
    "html": in_html,
    "html source in entities": lambda text: in_html(text).replace("+", "&#43;").replace("=", "&#x3d;"),
    "html with breaks": lambda text: text.replace("\n", "<br>\n"),
    "html with nbsp": lambda text: in_html(text).replace(" ", "&nbsp;"),
    "html quoted": lambda text: in_html(quoted(text, "> ")),
    "html, words apart": lambda text: text.replace("BEGIN AGE", "BEGIN<wbr> AGE").replace("\n", "<br/>"),
    "quoted-printable source": quoted_printable,
    "quoted-printable source of smart dashes": lambda text: quoted_printable(text).replace(
        "-----", "=E2=80=94=E2=80=94-"
    ),
    "quoted-printable source of em dashes alone": lambda text: quoted_printable(text).replace(
        "-----", "=E2=80=94"
    ),
    "quoted-printable with soft breaks": lambda text: soft_wrapped(text, 40).replace("\n", "=\n"),
    "no padding": lambda text: text.replace("=", ""),
    "from escaped": lambda text: re.sub("^(From )", ">\\1", f"From here on\n{text}", flags=re.MULTILINE),
    "bold": lambda text: text.replace("-----BEGIN", "*-----BEGIN").replace("FILE-----\n", "FILE-----*\n"),
    "dash-escaped": lambda text: text.replace("-----BEGIN", "- -----BEGIN").replace("-----END", "- -----END"),
    "mojibake dashes": lambda text: text.replace("-----", "\u00e2\u20ac\u201d"),
    "undecodable dashes": lambda text: text.replace("-----", "\ufffd-"),
}


@pytest.mark.parametrize("mangle", MANGLINGS.values(), ids=MANGLINGS.keys())
def test_a_mangled_layout_is_mended(mangle: Callable[[str], str]) -> None:
    for sealed in SEALED:
        text = mangle(sealing.to_armor(sealed))
        assert only_sealed(text.encode()) == sealed
        blocks = armor.find_blocks(f"{GREETING}{text}{FOOTER}")
        assert [block.sealed for block in blocks if block.sealed] == [sealed]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "latin-1", "cp1252"])
def test_the_encoding_of_the_file_does_not_matter(encoding: str) -> None:
    """Nor with the dashes of one of them; a binary file is taken as it is."""
    text = f"Grüße\n{sealing.to_armor(SEALED[-1])}"
    assert only_sealed(text.encode(encoding)) == SEALED[-1]
    assert only_sealed(text.replace("-----", "\u2014-").encode("cp1252")) == SEALED[-1]
    assert only_sealed(SEALED[-1]) == SEALED[-1]


def opens(text: str) -> bool:
    try:
        sealing.open_sealed(only_sealed(text.encode()), [KEY])
    except SealFault:
        return False
    return True


@pytest.mark.ci
def test_every_changed_sign_of_the_base64_is_refused() -> None:
    text = sealing.to_armor(SEALED[5])
    start, end = text.index("\n") + 1, text.index("\n-----END")
    assert opens(text)
    for place in range(start, end):
        if text[place] in "=\n":
            continue
        for sign in "Az09+/":
            assert text[place] == sign or not opens(text[:place] + sign + text[place + 1 :])


@pytest.mark.ci
def test_every_lost_sign_or_line_is_refused() -> None:
    text = sealing.to_armor(SEALED[-2])
    start, end = text.index("\n") + 1, text.index("\n-----END")
    for place in range(start, end):
        if text[place] not in "=\n":
            assert not opens(text[:place] + text[place + 1 :])
    lines = text.splitlines(keepends=True)
    for number in range(1, len(lines) - 1):
        assert not opens("".join(lines[:number] + lines[number + 1 :]))
        assert not opens("".join([*lines[:number], lines[number], *lines[number:]]))
    for number in range(1, len(lines) - 2):
        assert not opens("".join([*lines[:number], lines[number + 1], lines[number], *lines[number + 2 :]]))


def test_several_blocks_are_found_in_order_and_equal_ones_once() -> None:
    one, two = (sealing.to_armor(sealed) for sealed in SEALED[:2])
    text = f"{GREETING}{one}more\n{quoted(two, '> ')}and again\n{quoted(one, '>> ')}"
    assert armor.find_sealed(text.encode()) == (SEALED[0], SEALED[1])


def test_a_stump_beside_a_whole_block_is_passed_over() -> None:
    whole = sealing.to_armor(SEALED[0])
    stump = whole[: len(whole) // 2]
    assert armor.find_sealed(f"{stump}\n{whole}".encode()) == (SEALED[0],)
    assert armor.find_sealed(f"{whole}\n> {stump}".encode()) == (SEALED[0],)
    blocks = armor.find_blocks(f"{whole}\n> {stump}")
    assert [block.fault for block in blocks] == [
        "",
        "the sealed part is cut short: its line END AGE ENCRYPTED FILE is missing",
    ]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "the file is empty"),
        (b"\n \r\n\0\0", "the file is empty"),
        (bytes(10_000_000), "the file is empty"),
        (b"move fife stirling", "the file holds nothing sealed"),
        (b"\xff\xff\xff", "the file holds nothing sealed"),
        (b"say BEGIN AGE ENCRYPTED FILE and END AGE ENCRYPTED FILE", "the file holds nothing sealed"),
        (b"-----BEGIN AGE ENCRYPTED FILE-----\nYWdl\n", "cut short"),
        (b"-----BEGIN AGE ENCRYPTED FILE-----\nYWdl\n-----END AGE ENCRYPTED FILE-----", "damaged"),
        (b"-----BEGIN AGE ENCRYPTED FILE-----\n-----END AGE ENCRYPTED FILE-----", "damaged"),
        (b"x" * (armor.MAX_TEXT_SIZE + 1), "are read at most"),
    ],
)
def test_what_holds_no_armor_says_so(data: bytes, message: str) -> None:
    with pytest.raises(ArmorFault, match=message):
        armor.find_sealed(data)


HOSTILE = {
    "dashes": "-" * 300_000,
    "begins": "-----BEGIN " * 30_000,
    "half marks": "-BEGIN AGE ENCRYPTED " * 15_000,
    "begin marks": "-----BEGIN AGE ENCRYPTED FILE-----\n" * 10_000,
    "blanks in a mark": "-BEGIN" + " " * 300_000 + "AGE",
    "open tags": "-----BEGIN AGE ENCRYPTED FILE-----" + "<" * 300_000 + "-----END AGE ENCRYPTED FILE-----",
    "unclosed tags": "-----BEGIN AGE ENCRYPTED FILE-----" + "<a " * 100_000 + "-END AGE ENCRYPTED FILE-",
    "entities": "-----BEGIN AGE ENCRYPTED FILE-----" + "&" * 300_000 + "-----END AGE ENCRYPTED FILE-----",
    "numbers": "-----BEGIN AGE ENCRYPTED FILE-----&#" + "1" * 300_000 + ";-----END AGE ENCRYPTED FILE-----",
    "hex numbers": "&#x" + "f" * 300_000 + ";",
    "quoting": "-----BEGIN AGE ENCRYPTED FILE-----\n" + "a>" * 150_000 + "\n-END AGE ENCRYPTED FILE-----",
    "letters": "-----BEGIN AGE ENCRYPTED FILE-----\n" + "aaaa" * 80_000 + "b>\n-END AGE ENCRYPTED FILE-----",
    "equal signs": "-----BEGIN AGE ENCRYPTED FILE-----\n" + "=" * 300_000 + "\n-END AGE ENCRYPTED FILE-----",
    "line ends": "-----BEGIN AGE ENCRYPTED FILE-----" + "\n" * 300_000 + "-----END AGE ENCRYPTED FILE-----",
    "unseen": "\u200b" * 300_000,
}


@pytest.mark.ci
@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE.keys())
def test_hostile_text_is_refused_and_takes_no_time_to_speak_of(text: str) -> None:
    """Thirty times the text: anything that is not linear would be seen to hang here."""
    with pytest.raises(ArmorFault):
        armor.find_sealed((text * 30)[: armor.MAX_TEXT_SIZE // 4].encode())


@pytest.mark.ci
@given(st.text())
def test_no_text_breaks_the_search(text: str) -> None:
    assert armor.find_blocks(f"\udcff=&<{text}") == ()
    begin, end = sealing.ARMOR_BEGIN, sealing.ARMOR_END
    assert armor.find_blocks(text) == ()
    assert all(block.sealed is None for block in armor.find_blocks(f"{begin}{text}{end}"))


@given(st.binary())
def test_no_bytes_break_the_search(data: bytes) -> None:
    data = data.removeprefix(sealing.AGE_MAGIC)
    with pytest.raises(ArmorFault):
        armor.find_sealed(data)


@example("=41AB\n")
@example("AB==\n\nCD\n-")
@example("AB\nAB\nCD\nCD\n==\n")
@given(st.text("AB4+/=\n\r-< >", max_size=24))
def test_what_nobody_has_mangled_is_read_as_what_somebody_has(content: str) -> None:
    """A blank at the end changes nothing, but sends it the long way."""
    assert armor._lines(content) == armor._lines(f"{content} ")


OUTERMOST = ("html", "quoted-printable")
"""Whoever wraps the source of these again cuts their characters apart; that is no longer layout."""
ONLY_ALONE = ("every line twice", "quoted with initials", "quoted with initials and a bar")
CUTTING = ("wrap", "flowed", "quoted-printable")
"""These cut entities apart."""
FIRST = [name for name in MANGLINGS if not name.startswith(OUTERMOST) and name not in ONLY_ALONE]
SECOND = [name for name in MANGLINGS if name not in ONLY_ALONE]


@pytest.mark.ci
@example(b"", "dashes as entities", "html")
@given(st.binary(max_size=200), st.sampled_from(FIRST), st.sampled_from(SECOND))
def test_two_manglings_one_after_the_other_are_mended(tail: bytes, first: str, second: str) -> None:
    assume(not (first.endswith("as entities") and any(word in second for word in CUTTING)))
    sealed = sealing.AGE_MAGIC + tail
    text = MANGLINGS[second](MANGLINGS[first](sealing.to_armor(sealed)))
    assert only_sealed(text.encode()) == sealed
