"""Press on the page: messages as text, and what the player writes, ready to be mailed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from pbem.errors import PbemError
from pbem.player import Home
from pbem.player.faults import Refused
from pbem.player.press import MEANING, Press, SealedMessage
from pbem.player.store.game_store import GameFolder
from pbem.player.store.press_store import Line, targets, time_asked
from pbem.trust.act_entries import agreed_time, read_consent
from pbem.trust.press import ALL, GM, GREY, MAX_TEXT_SIZE, NOBODY, NONE
from pbem.trust.times import utc_text
from pbem.web.outbox import Outgoing


@dataclass(frozen=True, slots=True, kw_only=True)
class TalkLine:
    """One message of press; everything in it is text and nothing else."""

    number: int
    at: str
    writer: str
    to: tuple[str, ...]
    subject: str
    text: str
    """The text of the message; "" if its writer is muted."""
    own: bool
    muted: bool
    mute: str
    """The name by which the message's writer can be muted; "" if the writer cannot be."""
    leads: tuple[tuple[str, str], ...]
    """Links in the message that lead elsewhere than their text says, with the hosts to which they lead."""
    remarks: tuple[str, ...]
    is_new: bool = False
    """Whether the message was not shown to the player before."""
    grants: str = ""
    """The later deadline that the message asks for and the player may grant; "" if there is none."""


@dataclass(frozen=True, slots=True)
class Away:
    """An absence that the player has signed on this page."""

    begins: str
    """The first day of the absence, like 2026-08-01."""
    ends: str
    """The last day of the absence."""
    until_orders: bool = False
    """Whether the absence ends early once the player seals orders."""

    def is_on(self, today: date) -> bool:
        """Tell whether a day falls into the absence."""
        return self.begins <= today.isoformat() <= self.ends


@dataclass(frozen=True, slots=True, kw_only=True)
class Talk:
    """The press of a game as the page shows it."""

    kind: str
    meaning: str
    closed: str
    first_word: str
    readers: tuple[tuple[str, str], ...]
    """The readers to whom the player may write: each as messages name them, and as a person says it."""
    may_grey: bool
    largest: int
    lines: tuple[TalkLine, ...]
    more_time: bool
    """Whether the player may ask for a later deadline."""
    signed: str
    """The later deadline that the player has signed for the open exchange; "" if none."""
    opponents: int
    absence_days: int
    """The whole days by which the player's absences may still move deadlines of this game."""
    away: tuple[Away, ...] = ()
    """The player's absences that are not over."""


def talk_of(press: Press, signed: str = "", away: Sequence[Away] = ()) -> Talk:
    """Return the press of a game, as the page shows it.

    `signed` is the exchange and deadline signed last, `away` the absences that are not over.
    """
    chronicle = press.folder.chronicle() if isinstance(press.folder, GameFolder) else None
    closed = press.closed
    number, deadline = _open_deadline(press)
    unread = press.store.unread()
    exchange, _, time = signed.partition(" ")
    time = time if exchange == str(number) else ""
    return Talk(
        kind=press.kind,
        meaning=MEANING[press.kind],
        closed=closed,
        first_word=press.first_word,
        readers=tuple((one, _readable_name(one)) for one in _readers(press)),
        may_grey=press.kind == GREY,
        largest=MAX_TEXT_SIZE,
        lines=tuple(
            _line(line, _asked(press, line, number, deadline, time), is_new=line.number in unread)
            for line in press.lines()
        ),
        more_time=bool(deadline and not time),
        signed=time,
        opponents=len(chronicle.genesis.players) - 1 if chronicle else 0,
        absence_days=chronicle.history.absences.left(press.folder.player).days if chronicle else 0,
        away=tuple(away),
    )


def _readers(press: Press) -> tuple[str, ...]:
    """Return the readers to whom the player may write now; none where press is not allowed."""
    if press.kind == NONE:
        return ()
    return (GM,) if press.closed else press.readers()


def _open_deadline(press: Press) -> tuple[int, str]:
    """Return the open exchange and its deadline if its players may agree on a later one; else 0 and ""."""
    chronicle = press.folder.chronicle() if isinstance(press.folder, GameFolder) else None
    exchange = chronicle.history.current if chronicle else None
    if chronicle is None or exchange is None or exchange.deadline is None or exchange.closed is not None:
        return 0, ""
    if exchange.paused or chronicle.history.held or any(one.consents for one in exchange.extended):
        return 0, ""
    return exchange.number, utc_text(exchange.deadline)


def _asked(press: Press, line: Line, number: int, deadline: str, signed: str) -> str:
    """Return the later deadline that a message asks for and the player may grant; "" if there is none."""
    exchange, time = time_asked(line, press.folder.game)
    return time if exchange == number and deadline < time != signed else ""


def _line(line: Line, grants: str, *, is_new: bool) -> TalkLine:
    hidden = line.is_muted
    return TalkLine(
        number=line.number,
        at=line.at,
        writer=_readable_name(line.writer),
        to=tuple(map(_readable_name, line.to)),
        subject="" if hidden else line.subject,
        text="" if hidden else line.text,
        own=line.own,
        muted=hidden,
        mute="" if line.own or line.writer == GM else GREY if line.writer == NOBODY else line.writer,
        leads=() if hidden else targets(line.text),
        remarks=line.remarks,
        is_new=is_new,
        grants=grants,
    )


def _readable_name(name: str) -> str:
    return {ALL: "all", GM: "the director", NOBODY: "somebody"}.get(name, name)


def message_out(press: Press, message: SealedMessage) -> Outgoing:
    """Return a sealed message as a file for a mail program, with address and subject."""
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


def time_out(home: Home, game: str, time: str) -> Outgoing:
    """Return the player's signed consent to a later deadline as a file for a mail program."""
    return _statement_out(home, game, "more time", home.more_time(game, time))


def absence_out(home: Home, game: str, begins: str, ends: str) -> Outgoing:
    """Return the player's signed absence from all games of a judge as a file for a mail program."""
    folder = home.folder(game)
    member, judge = folder.membership(), folder.judge()
    if judge is None:
        raise Refused(f"the judge of {game} is not known here: first receive the invitation")
    name, key = member.player, member.key_file
    return _statement_out(
        home, game, "absence", home.absent(name, begins, ends, key=key, judge=judge.fingerprint)
    )


def read_away(noted: str) -> tuple[Away, ...]:
    """Return absences from the page's notes: `2026-08-01 2026-08-14`, with `orders` if orders end it."""
    words = (one.split(" ") for one in noted.split(","))
    return tuple(Away(one[0], one[1], "orders" in one[2:]) for one in words if len(one) > 1)


def note_away(known: Sequence[Away], new: Away, today: date) -> str:
    """Return the page's note of absences with one added or replaced by its first day, without past ones."""
    kept = [one for one in known if one.begins != new.begins and one.ends >= today.isoformat()]
    return ",".join(f"{one.begins} {one.ends}{' orders' if one.until_orders else ''}" for one in (*kept, new))


def early_end(one: Away, today: date) -> Away | None:
    """Return the absence to sign if sealing orders ends this one now; None if it does not.

    It ends on the day before; one that begins today keeps this day.
    """
    ends = max(one.begins, (today - timedelta(days=1)).isoformat())
    return Away(one.begins, ends) if one.until_orders and one.is_on(today) and ends < one.ends else None


def _statement_out(home: Home, game: str, what: str, signed: bytes) -> Outgoing:
    from pbem.player.outgoing.mailing import statement_mail

    addresses = home.folder(game).addresses()
    try:
        eml = statement_mail(game, what, signed, addresses, home.now()).decode()
    except Refused:  # the club does not play by mail
        eml = ""
    return Outgoing(
        game=game,
        file=f"{game}-{what.replace(' ', '-')}.txt",
        text=signed.decode("ascii"),
        to=addresses.judge,
        subject=f"{game}: {what}",
        eml=eml,
    )


def signed_time(made: Outgoing) -> str:
    """Return in one text the exchange whose deadline a consent moves, and the new deadline."""
    consent, _ = read_consent(made.text.encode())
    return f"{consent.exchange} {utc_text(agreed_time(consent.to))}"


def kind_of(home: Home, game: str) -> str:
    """Return the kind of press in a game; `none` if the home does not show it.

    It is `gm` if there is no press but the judge has written, as when somebody asks for more time.
    """
    try:
        press = home.press(game)
        return GM if press.kind == NONE and press.store.letters() else press.kind
    except PbemError:
        return NONE
