"""The messages of press in the folder of a game or league, and how one is shown to its reader.

    press/terms.txt             what its press is, as the judge has signed it last
    press/letters/0003.txt      a letter about press as the judge signed it, in the order of arrival
    press/sent/<sha256>.txt     a message as it was signed here, by the hash that its receipt names
    press/seen/<sha256>         an empty file: the letter with this hash was shown to the player
    press/muted                 whom this player does not want to hear: names, and - for all grey messages

Signatures are checked whenever a file is read. A letter that was seen has a file of its own, so that two
devices of one player, who take files from each other, add up what was seen on either.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from pbem.characters import lower, plain, split_lines
from pbem.errors import PbemError
from pbem.player import files
from pbem.player.faults import Damaged, Refused
from pbem.player.store.game_store import Folder
from pbem.trust.faults import TrustFault
from pbem.trust.press import (
    GM,
    NOBODY,
    Message,
    PressPaper,
    PressShown,
    PressTerms,
    read_letter,
    read_message,
    read_terms,
    show_paper,
)


@dataclass(frozen=True, slots=True)
class KeptMessage:
    """A message of the press that came, with its place in the order of arrival."""

    number: int
    paper: PressPaper
    shown: PressShown


class PressStore:
    """The stored press of one game or league."""

    def __init__(self, folder: Folder) -> None:
        self.folder = folder
        self.path = folder.path / "press"

    @property
    def terms(self) -> PressTerms | None:
        """The terms of the press that the judge has signed last; None if none have come."""
        path = self.path / "terms.txt"
        if (data := files.read_file(path)) is None:
            return None
        for judge in reversed(self.folder.judges()):
            try:
                return read_terms(data, judge)
            except TrustFault:
                continue
        raise Damaged(f"{path} is damaged; ask the judge to send it again")

    def keep_terms(self, signed: bytes) -> None:
        """Keep terms of the press in place of those before."""
        files.write(self.path / "terms.txt", signed.rstrip(b"\n") + b"\n")

    def letters(self) -> list[KeptMessage]:
        """Return the messages of the press that came, in the order of arrival.

        Raises:
            Damaged: a message is not as it was kept.
        """
        return [self._letter(place) for place in range(1, len(self._names()) + 1)]

    def letter(self, number: int) -> KeptMessage:
        """Return the message with a given number. Raises Refused if no message has it."""
        if not 1 <= number <= len(self._names()):
            raise Refused(
                f"there is no message {number} in {self.folder.game}; there are {len(self._names())}"
            )
        return self._letter(number)

    def unread(self) -> tuple[int, ...]:
        """Return the numbers of the messages by others that were not shown yet; muted ones are left out.

        A damaged message is left out as well: reading the press says so.
        """
        return tuple(self._unread())

    def _unread(self) -> Iterator[int]:
        for number in range(1, len(self._names()) + 1):
            if self._seen(number).exists():
                continue
            with suppress(PbemError):
                writer = self._letter(number).shown.receipt.writer
                if writer != self.folder.player and not self.is_muted(writer):
                    yield number

    def keep_seen(self, numbers: Iterable[int]) -> None:
        """Keep that the messages with these numbers were shown to the player; nobody else is told."""
        with suppress(OSError, TrustFault):  # a home that can only be read
            for number in numbers:
                if self._path_of(number).exists():
                    files.write_new(self._seen(number), b"")

    def _seen(self, number: int) -> Path:
        data = files.read_file(self._path_of(number)) or b""
        return self.path / f"seen/{hashlib.sha256(data).hexdigest()}"

    def _names(self) -> list[str]:
        return sorted(path.name for path in (self.path / "letters").glob("*.txt"))

    def _path_of(self, number: int) -> Path:
        return self.path / f"letters/{number:04}.txt"

    def _letter(self, number: int) -> KeptMessage:
        path = self._path_of(number)
        data = files.read_file(path) or b""
        for judge in reversed(self.folder.judges()):
            try:
                paper = read_letter(data, judge).paper
                return KeptMessage(number, paper, self._whole(show_paper(paper, judge)))
            except TrustFault:
                continue
        raise Damaged(f"{path} is damaged; ask the judge to send it again")

    def _whole(self, shown: PressShown) -> PressShown:
        """Return a message to show; if its text is missing, fill it in from the copy that this home sent."""
        if shown.text or (found := self.sent_messages().get(shown.receipt.message)) is None:
            return shown
        message, _ = found
        return replace(shown, subject=message.subject, text=message.text, message=message)

    def keep_letter(self, signed: bytes) -> int:
        """Keep a letter about press as the next one; return its number."""
        number = len(self._names()) + 1
        files.write_once(self._path_of(number), signed.rstrip(b"\n") + b"\n")
        return number

    def sent_messages(self) -> dict[str, tuple[Message, bytes]]:
        """Return the messages that were written in this home, with the signed bytes, by their hashes."""
        found = {}
        for path in sorted((self.path / "sent").glob("*.txt")):
            data = files.read_file(path) or b""
            try:
                found[path.stem] = (read_message(data)[0], data)
            except TrustFault:
                raise Damaged(f"{path} is damaged; remove it: the judge has what was sent") from None
        return found

    def keep_sent(self, message: Message, signed: bytes) -> None:
        """Keep a message that was signed in this home."""
        files.write_once(self.path / f"sent/{message.sha256}.txt", signed)

    def muted_writers(self) -> tuple[str, ...]:
        """Return the names of the writers whom this player does not want to hear."""
        return tuple(
            split_lines((files.read_file(self.path / "muted") or b"").decode("ascii", errors="replace"))
        )

    def keep_muted(self, names: Iterable[str]) -> None:
        """Keep the names of the writers whom this player does not want to hear."""
        files.write(self.path / "muted", "".join(f"{one}\n" for one in sorted(set(names))).encode())

    def is_muted(self, writer: str) -> bool:
        """Tell whether this player does not want to hear a writer, or any grey message."""
        return writer in self.muted_writers() and (writer != self.folder.player or writer == NOBODY)


_LINK = re.compile(r"https?://([^\s/?#]{1,300})", re.IGNORECASE | re.ASCII)
_TIME = r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z"
_ASKED = re.compile(rf"pbem sign consent (\S+) ([1-9][0-9]{{0,5}}) extend ({_TIME}) --as NAME", re.ASCII)
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


def in_words(line: Line, game: str) -> str:
    """Return a message as it is shown; of a muted one only the head."""
    writer = "somebody" if line.writer == NOBODY else "the director" if line.writer == GM else line.writer
    place = f"{line.number}. " if line.number else ""
    head = f"{place}{line.at}, {game}: {writer} to {', '.join(line.to)}"
    if line.is_muted:
        return f"{head} (muted)\n"
    subject = f": {line.subject}" if line.subject else ""
    body = "".join(f"    {one}\n" if one else "\n" for one in split_lines(line.text))
    leads = "".join(f"    [{link} leads to {host}]\n" for link, host in targets(line.text))
    return f"{head}{subject}\n{body}{leads}"
