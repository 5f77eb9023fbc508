"""Messages of press as text: how one is shown, what its writer means, and where its links lead."""

from __future__ import annotations

import re
from dataclasses import dataclass

from pbem.characters import lower, plain, split_lines
from pbem.trust.press import GM, NOBODY

_LINK = re.compile(r"https?://([^\s/?#]{1,300})", re.IGNORECASE | re.ASCII)
_TIME = r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z"
_ASKED = re.compile(rf"pbem sign consent (\S+) ([1-9][0-9]{{0,5}}) extend ({_TIME}) --as NAME")
"""Pattern of the line by which the judge tells players that one of them asks for more time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One message of press as it is shown to its reader."""

    number: int
    """The place in which the message's letter came; 0 if no receipt for it has come."""
    at: str
    writer: str
    """The writer: a seat, `gm`, or `-` for whoever wrote a grey message."""
    kind: str
    to: tuple[str, ...]
    subject: str
    text: str
    own: bool
    is_muted: bool = False
    remarks: tuple[str, ...] = ()


def plain_text(text: str) -> str:
    """Return a writer's text as plain lines: what none can hold becomes a space, and every line ends."""
    lines = [plain(line).rstrip(" ") for line in split_lines(text.replace("\t", "    "))]
    while lines and not lines[-1]:
        lines.pop()
    return "".join(f"{line}\n" for line in lines)


def targets(text: str) -> tuple[tuple[str, str], ...]:
    """Return each link in a text that does not lead where it seems to, and the host to which it leads."""
    found = []
    for match in _LINK.finditer(text):
        seen = match[1]
        host = seen.rpartition("@")[2].rpartition(":")[0] or seen.rpartition("@")[2]
        try:
            real = lower(host if host.isascii() else host.encode("idna").decode("ascii"))
        except UnicodeError:
            real = "a name that cannot be written"
        if real != lower(host) or seen.count("@"):
            found.append((match[0], real))
    return tuple(dict.fromkeys(found))


def time_asked(line: Line, game: str) -> tuple[int, str]:
    """Return the exchange for which the judge says that more time is asked, and until when; else 0 and ""."""
    if line.writer != GM:
        return 0, ""
    for one in split_lines(line.text):
        found = _ASKED.fullmatch(one.strip(" "))
        if found and found[1] == game:
            return int(found[2]), found[3]
    return 0, ""


def in_words(line: Line, game: str, *, whole: bool = False) -> str:
    """Return a message as it is shown; of a muted one only the head, unless `whole`."""
    writer = "somebody" if line.writer == NOBODY else "the director" if line.writer == GM else line.writer
    place = f"{line.number}. " if line.number else ""
    head = f"{place}{line.at}, {game}: {writer} to {', '.join(line.to)}"
    if line.is_muted and not whole:
        return f"{head} (muted)\n"
    subject = f": {line.subject}" if line.subject else ""
    body = "".join(f"    {one}\n" if one else "\n" for one in split_lines(line.text))
    leads = "".join(f"    [{link} leads to {host}]\n" for link, host in targets(line.text))
    return f"{head}{subject}\n{body}{leads}"
