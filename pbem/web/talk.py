"""Press on the page: messages as text, and what is written, ready for a mail program."""

from __future__ import annotations

from dataclasses import dataclass

from pbem.errors import PbemError
from pbem.player import Home
from pbem.player.faults import Refused
from pbem.player.press import MEANING, Press, SealedMessage
from pbem.player.press_lines import Line, targets
from pbem.trust.press import ALL, GM, GREY, LARGEST_TEXT, NOBODY, NONE
from pbem.web.mails import Outgoing


@dataclass(frozen=True, slots=True, kw_only=True)
class TalkLine:
    """One message; everything in it is text and nothing else."""

    number: int
    at: str
    writer: str
    to: tuple[str, ...]
    subject: str
    text: str
    """"" if its writer is muted."""
    own: bool
    muted: bool
    mute: str
    """By which name its writer is muted; "" if they cannot be."""
    leads: tuple[tuple[str, str], ...]
    """Links that do not lead where they seem to, and where they lead."""
    remarks: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Talk:
    """The press of a game."""

    kind: str
    meaning: str
    closed: str
    first_word: str
    readers: tuple[tuple[str, str], ...]
    """Each reader as they are named in messages, and as a person says it."""
    may_grey: bool
    largest: int
    lines: tuple[TalkLine, ...]


def talk_of(press: Press) -> Talk:
    """Return the press of a game as the page shows it."""
    closed = press.closed
    return Talk(
        kind=press.kind,
        meaning=MEANING[press.kind],
        closed=closed,
        first_word=press.first_word,
        readers=tuple((one, _said(one)) for one in press.readers() if not closed or one == GM),
        may_grey=press.kind == GREY,
        largest=LARGEST_TEXT,
        lines=tuple(map(_line, press.lines())),
    )


def _line(line: Line) -> TalkLine:
    hidden = line.is_muted
    return TalkLine(
        number=line.number,
        at=line.at,
        writer=_said(line.writer),
        to=tuple(map(_said, line.to)),
        subject="" if hidden else line.subject,
        text="" if hidden else line.text,
        own=line.own,
        muted=hidden,
        mute="" if line.own or line.writer == GM else GREY if line.writer == NOBODY else line.writer,
        leads=() if hidden else targets(line.text),
        remarks=line.remarks,
    )


def _said(name: str) -> str:
    return {ALL: "all", GM: "the director", NOBODY: "somebody"}.get(name, name)


def message_out(press: Press, message: SealedMessage) -> Outgoing:
    """Return a sealed message with address and subject."""
    try:
        eml = press.mail(message).decode()
    except Refused:  # the club does not play by mail
        eml = ""
    return Outgoing(
        game=message.game,
        file=f"{message.game}-message.txt",
        text=message.armor,
        to=press.folder.addresses().judge,
        subject=f"{message.game}: a sealed message",
        eml=eml,
    )


def kind_of(home: Home, game: str) -> str:
    """Return what the press of a game is; none if its home cannot say it."""
    try:
        return home.press(game).kind
    except PbemError:
        return NONE
