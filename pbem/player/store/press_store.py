"""The files of press in the folder of a game or league.

    press/terms.txt             what its press is, as the judge has signed it last
    press/letters/0003.txt      a letter about press as the judge signed it, in the order of arrival
    press/sent/<sha256>.txt     a message as it was signed here, by the hash that its receipt names
    press/muted                 whom this player does not want to hear: names, and - for all grey messages

Signatures are checked whenever a file is read.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from pbem.characters import split_lines
from pbem.player import files
from pbem.player.faults import Damaged, Refused
from pbem.player.store.game_store import Folder
from pbem.trust.faults import TrustFault
from pbem.trust.press import NOBODY, Message, read_message
from pbem.trust.press_letters import PressPaper, PressShown, PressTerms, read_letter, read_terms, show_paper


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

    def _names(self) -> list[str]:
        return sorted(path.name for path in (self.path / "letters").glob("*.txt"))

    def _letter(self, number: int) -> KeptMessage:
        path = self.path / f"letters/{number:04}.txt"
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
        files.write_once(self.path / f"letters/{number:04}.txt", signed.rstrip(b"\n") + b"\n")
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
