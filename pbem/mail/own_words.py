"""The words that somebody wrote in a mail beside what the program reads in it.

Taken out are sealed files and signed texts, what is left of damaged ones, orders that are not sealed, what
the program itself writes around all these in a mail, uuencoded files, private keys, commands, quotes with
the line above them, and all below a signature's "-- " or above a forwarded mail. A note that only greets,
or only says that something is sent, has no words for a person.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from pbem.characters import split_lines
from pbem.mail.commands import is_command, is_footer, own_lines

_LARGEST = 100_000
_KINDS = "join|absence|profile|fetch-key|consent|league|checkpoint|rotate"
_BEGIN = re.compile(
    rf"BEGIN\s+(?P<age>AGE)\s+ENCRYPTED\s+FILE|BEGIN\s+SSH\s+SIGNATURE|pbem1\s+(?:{_KINDS}|orders)\s"
)
_END_AGE = re.compile(r"END\s+AGE\s+ENCRYPTED\s+FILE[^\n]*")
_END_SIGNED = re.compile(r"END\s+SSH\s+SIGNATURE[^\n]*")
_END = re.compile(r"-*\s*END\s+(?:AGE\s+ENCRYPTED\s+FILE|SSH\s+SIGNATURE)\s*-*")
_BASE64 = re.compile(r"[A-Za-z0-9+/=]{1,200}")
_LONG = re.compile(r"[A-Za-z0-9+/=]{40,}")
_UUENCODED = re.compile(r"^begin [0-7]{3,4} [^\n]{1,200}\n(?:[ -`]{0,62}\r?\n){0,2500}end\b", re.MULTILINE)
_PRIVATE_KEY = re.compile(
    r"-*BEGIN OPENSSH PRIVATE KEY.*?(?:END OPENSSH PRIVATE KEY-*|\Z)|AGE-SECRET-KEY-1\w*", re.DOTALL
)
_MARGIN = " \t\r>|"
_ALWAYS_BESIDE = tuple(
    re.compile(words.replace(" ", r"[\s>|]+"))
    for words in (
        r"\S{1,64}, exchange [0-9]{1,6}: (?:revision [0-9]{1,6}|reveal) of \S{1,64}, sealed to the judge\.",
        r"To the other players: this copy proves that the orders were sent\.",
        r"You cannot open it\. Save the whole mail, and keep it with pbem receive MAIL",
        r"\S{1,64}: a message, sealed to the judge, who passes it on\.",
    )
)
"""Patterns of what the player's program writes around what it seals (`pbem.player.outgoing.mailing`)."""
_QUOTED = re.compile(
    r"^(?:(?:on|am|le|el) [^\n]{1,200}\n?[^\n]{0,200}:[ \t\r]*\n\s{0,8})?"
    r"(?:[ \t]{0,8}[>|][^\n]*(?:\n|\Z)\s{0,8})+",
    re.IGNORECASE | re.MULTILINE,
)
"""Pattern of quoted lines, with the line or two above them that say who wrote them."""
_SIGNATURE = re.compile(r"^-- \r?$", re.MULTILINE)
"""Pattern of the line above a signature (RFC 3676, 4.3)."""
_WORD = re.compile(r"[^\W\d_]+")
_COVER = frozenset(
    """
    a absence all anbei and anmeldung answer antwort are at attached attachment befehle below
    best call cheers consent datei dear die enclosed entry everybody everyone exchange file files find for
    freundlichen from fw fwd game good greetings gruß grüsse grüße grüßen hallo hello here hey hi hier ich
    in is it join judge key kind league liebe lieber liga mein meine message mfg mit morning my neue
    neuen neuer new of order orders our please regards reply round schlüssel sealed see sent settings
    signed sincerely sind the they this to turn viele wishes yours zum zur
    """.split()
)
"""The words of greetings, and of notes that say that something is sent."""
_THANKS = frozenset("dank danke for much many thank thanks thx very vielen you".split())


def has_words(text: str) -> bool:
    """Tell whether a mail's text holds more than quotes, a signature and what a telephone writes below it."""
    text = _QUOTED.sub("", text[:_LARGEST])
    return any(line.strip() and not is_footer(line) for line in _SIGNATURE.split(text, 1)[0].splitlines())


def words_beside(text: str, names: Collection[str], *, is_own: bool) -> str:
    """Return what somebody wrote for a person to read in a mail that brings something else; "" if nothing.

    `names` are the writer's. `is_own` tells whether the mail brings something of theirs, so that thanks are
    given for taking it.
    """
    text = _PRIVATE_KEY.sub("", _UUENCODED.sub("", text[:_LARGEST]))
    text = _without_remains("".join(_outside(text)))
    for pattern in _ALWAYS_BESIDE:
        text = pattern.sub("", text)
    lines = [line for line in own_lines(_QUOTED.sub("", text)) if _WORD.search(line) and not is_command(line)]
    passed_over = {*_COVER, *(_THANKS if is_own else ()), *map(str.lower, names)}
    if "?" not in text and all(word.lower() in passed_over for line in lines for word in _WORD.findall(line)):
        return ""
    return "\n".join(lines)


def _outside(text: str) -> Iterator[str]:
    """Yield the pieces of a text that stand outside sealed files and signed texts.

    A signed text without its end is taken as going on to the end of the mail; a sealed file without its end
    leaves its lines to `_without_remains`.
    """
    at = 0
    while begin := _BEGIN.search(text, at):
        yield text[at : begin.start()]
        end = (_END_AGE if begin["age"] else _END_SIGNED).search(text, begin.end())
        at = end.end() if end else begin.end() if begin["age"] else len(text)
    yield text[at:]


def _without_remains(text: str) -> str:
    """Return a text without the lines of sealed files and signatures that have lost their begin or end.

    These are long lines of base64, and the short ones after them or before an END.
    """
    found, is_after_long = list[str](), False
    for line in split_lines(text):
        bare = line.strip(_MARGIN)
        is_long = bool(_LONG.fullmatch(bare))
        if _END.fullmatch(bare):
            while found and _BASE64.fullmatch(found[-1].strip(_MARGIN)):
                found.pop()
        elif not is_long and not (is_after_long and _BASE64.fullmatch(bare)):
            found.append(line)
        is_after_long = is_long
    return "\n".join(found)
