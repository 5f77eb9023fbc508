"""Automatic answering where a player has nothing to decide; it is off until they switch it on for a game.

    games/<game>/answering      {"hours": ["18:00"], "since": 4, "due": ["5 orders", "2026-11-28T03:00:00Z"],
                                 "sealed": "4 orders", "remarked": 0, "off": ""}

It sends a bare file where nothing is asked of the player, and a reveal that is due after a close. It does so
only in a game that the player has accepted, from exchange 2 on, if receiving has remarked nothing, and not at
once but at the first of the player's hours after it was seen. It goes off as soon as an exchange that did ask
has passed without their orders: no machine keeps the seat of somebody who has gone.

`since` is the first exchange that counts for that. A file that is damaged answers nothing.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime, time, timedelta
from typing import TYPE_CHECKING

from pbem.errors import PbemError
from pbem.play.history import READY, Exchange
from pbem.player import files
from pbem.player.faults import Refused
from pbem.player.files import lock_folder
from pbem.player.incoming.remarks import rules_remarks
from pbem.player.store.game_store import position_in
from pbem.player.store.known_files import RECEIPTED, files_in_words, known_files
from pbem.reports.base import NOTHING_ASKED
from pbem.trust.entries import AFTER_CLOSE
from pbem.trust.identifiers import quote
from pbem.trust.player_statements import is_hour
from pbem.trust.times import parse_utc, utc_text

if TYPE_CHECKING:
    from pbem.player.contents import HomeContents
    from pbem.player.incoming.receiving import Delivery
    from pbem.player.outgoing.ordering import SealedOrders
    from pbem.player.store.game_papers import Chronicle
    from pbem.player.store.game_store import GameFolder

FILE = "answering"
USUAL_HOUR = "18:00"
MAX_HOURS = 24
COSTS = (
    "you give up the time in which you could write ahead where nothing is asked of you",
    "others can see when you are not asked: what answers by itself comes at your hours",
    "it goes off again as soon as one exchange that asked you has passed without your orders",
)
"""Warnings that a player reads before they switch automatic answers on."""
ORDERS, REVEAL = "orders", "reveal"


@dataclass(frozen=True, slots=True, kw_only=True)
class Answering:
    """The player's wish to have one game answered automatically, and what became of the wish."""

    hours: tuple[str, ...] = ()
    """Hours of the day, by this device's clock, at which answers are made; empty if the wish is off."""
    since: int = 0
    due: tuple[str, str] = ("", "")
    """The exchange and kind of the file that is due, and the time at which this was first noticed."""
    sealed: str = ""
    """The exchange and kind of the last automatic answer, from its sealing until it is known to be on its
    way."""
    remarked: int = 0
    """The exchange in which receiving has remarked something that a person must read; 0 if there is none."""
    off: str = ""
    """The reason why automatic answering has switched itself off; "" if it has not."""

    @property
    def is_on(self) -> bool:
        """Whether the game is answered automatically."""
        return bool(self.hours)


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The outcome of automatic answering in one game."""

    game: str
    said: str
    """The outcome of automatic answering as a sentence for the player."""
    orders: SealedOrders | None = None
    """The sealed file that is to be sent as the answer; None if there is none."""


def check_hours(text: str) -> tuple[str, ...]:
    """Return the hours in a text such as "08:00, 18:00".

    Raises:
        Refused: the text names no hours, too many, or something that is not an hour.
    """
    hours = tuple(sorted({one.strip(" ") for one in text.split(",")}))
    if not 0 < len(hours) <= MAX_HOURS or not all(map(is_hour, hours)):
        raise Refused(f"{quote(text)} names no hours of the day; they are written like 08:00, 18:00")
    return hours


def read_answering(folder: GameFolder) -> Answering:
    """Return the kept wish for a game; one that is off, if none is kept or the file is damaged."""
    try:
        found = json.loads(files.read_file(folder.path / FILE) or b"{}")
        first, second = found.get("due", ("", ""))
        said = Answering(**{**found, "hours": tuple(found.get("hours", ())), "due": (first, second)})
        texts = (*said.due, said.sealed, said.off, *said.hours)
        numbers = (said.since, said.remarked)
        if all(type(one) is str for one in texts) and all(type(one) is int for one in numbers):
            check_hours(",".join(said.hours or (USUAL_HOUR,)))
            return said
    except (ValueError, TypeError, AttributeError, RecursionError, PbemError):
        pass
    return Answering()


def switch_on(folder: GameFolder, hours: Sequence[str]) -> Answering:
    """Switch automatic answers on for a game, from the exchange that is open now.

    Raises:
        Refused: the invitation has not been received.
    """
    if (chronicle := folder.chronicle()) is None:
        raise Refused(f"the invitation to {folder.game} is not here: nothing is answered by itself")
    last = chronicle.history.exchanges[-1].number if chronicle.history.exchanges else 1
    known = read_answering(folder)
    said = replace(known, hours=tuple(hours)) if known.is_on else Answering(hours=tuple(hours), since=last)
    _keep(folder, said)
    return said


def switch_off(folder: GameFolder, why: str = "") -> None:
    """Switch automatic answers off for a game; `why` is the reason if no player does it."""
    if read_answering(folder) != Answering(off=why):
        _keep(folder, Answering(off=why))


def note_remarks(home: HomeContents, delivery: Delivery) -> None:
    """Note where receiving has remarked or refused something, so that a person reads it before an answer."""
    remarked = {arrival.game for arrival in delivery.arrivals if arrival.remarks}
    for folder in home.folders():
        if (said := read_answering(folder)).is_on and (delivery.faults or folder.game in remarked):
            chronicle = folder.chronicle()
            if chronicle is not None and chronicle.history.exchanges:
                _keep(folder, replace(said, remarked=chronicle.history.exchanges[-1].number))


def answers(home: HomeContents, is_wanted: Callable[[GameFolder], bool] = lambda _: True) -> Iterator[Answer]:
    """Seal the files that are due in games that answer automatically; yield what is to be sent or told.

    What was sealed is yielded again until `mark_sent` says that it is on its way. `is_wanted` selects the
    games.
    """
    for folder in home.folders():
        if not (said := read_answering(folder)).is_on or not is_wanted(folder):
            continue
        try:
            found = _answer(home, folder, said)
        except PbemError as fault:
            found = Answer(game=folder.game, said=f"nothing is answered by itself: {fault}")
        if found is not None:
            yield found


def mark_sent(folder: GameFolder) -> None:
    """Note that the automatic answer that was sealed in a game is on its way."""
    if (said := read_answering(folder)).sealed:
        _keep(folder, replace(said, sealed=""))


def next_hour(hours: Sequence[str], seen: datetime) -> datetime:
    """Return the first moment after `seen` at one of some hours of the day, by this device's clock."""
    here = seen.astimezone().replace(tzinfo=None)
    days = (here.date() + timedelta(days=day) for day in range(3))
    moments = (
        datetime.combine(day, time(int(hour[:2]), int(hour[3:]))).astimezone(UTC)
        for day in days
        for hour in hours
    )
    return min(moment for moment in moments if moment > seen)


def _answer(home: HomeContents, folder: GameFolder, said: Answering) -> Answer | None:
    """Return what automatic answering has to send or tell about one game; None if there is nothing."""
    chronicle = folder.chronicle()
    if chronicle is None or (current := chronicle.history.current) is None:
        return None
    game = folder.game
    if (missed := _missed(folder, chronicle, said.since)) is not None:
        why = f"exchange {missed} asked you, and has passed without your orders"
        switch_off(folder, why)
        return Answer(game=game, said=f"answering by itself is off again: {why}")
    if (kind := _kind(folder, chronicle, current)) is None:
        return None
    what = f"{current.number} {kind}"
    own = known_files(folder, chronicle, current.number)
    if said.sealed != what:
        if (kind == ORDERS and own) or (
            kind == REVEAL and folder.sent_files.reveal(current.number) is not None
        ):
            return None  # the player has answered
        if why := _why_not(home, folder, chronicle, current, said):
            return Answer(game=game, said=f"exchange {current.number} is not answered by itself: {why}")
        now = home.now()
        if said.due[0] != what:
            said = replace(said, due=(what, utc_text(now)))
            _keep(folder, said)
        if now < (due := next_hour(said.hours, parse_utc(said.due[1]))):
            return Answer(
                game=game, said=f"exchange {current.number} will be answered by itself at {utc_text(due)}"
            )
    from pbem.player.outgoing.ordering import BARE, seal_orders, seal_reveal

    with lock_folder(home.path):
        if kind == ORDERS:
            orders = seal_orders(folder, home.keys, BARE, home.clock)
        else:
            orders = seal_reveal(folder, home.keys, home.clock)
    _keep(folder, replace(said, sealed=what))
    return Answer(game=game, said=f"exchange {current.number} is answered by itself", orders=orders)


def _kind(folder: GameFolder, chronicle: Chronicle, exchange: Exchange) -> str | None:
    """Return the kind of file that the open exchange needs and that takes no decision; None if none does."""
    if exchange.number <= READY or folder.player not in exchange.seals:
        return None
    if exchange.closed is not None:
        return REVEAL if chronicle.genesis.mode == AFTER_CLOSE else None
    return None if _asks(folder, chronicle, exchange) else ORDERS


def _why_not(
    home: HomeContents, folder: GameFolder, chronicle: Chronicle, exchange: Exchange, said: Answering
) -> str:
    """Return the reason why a person must look before a game is answered; "" if there is none."""
    if folder.judge_statements.forks():
        return "the judge has signed two histories"
    if said.remarked == exchange.number:
        return "a letter brought a remark, or was refused; read it, and answer this exchange yourself"
    if rules_remarks(chronicle):
        return "the game is played by other rules than this program has"
    if not _has_accepted(folder, chronicle):
        return "no file of yours has a receipt yet, so you have not accepted this game"
    if any(files_in_words(known_files(folder, chronicle, one.number)) for one in chronicle.exchanges[-2:]):
        return "the judge has a file of yours that was not sealed here, or one that does not count"
    if files.read_file(home.path / f"page/{folder.game}-{exchange.number:04}.txt"):
        return "you have begun to write"
    return ""


def _has_accepted(folder: GameFolder, chronicle: Chronicle) -> bool:
    """Tell whether the judge has signed for a file of this home by which the player accepts the game."""
    numbers = sorted({one.exchange for one in folder.sent_files.orders()})
    return any(
        one.is_here and one.state == RECEIPTED
        for number in numbers
        for one in known_files(folder, chronicle, number)
    )


def _missed(folder: GameFolder, chronicle: Chronicle, since: int) -> int | None:
    """Return the first exchange that asked the player and passed without their orders; None if none did."""
    for one in chronicle.history.exchanges:
        if one.number < max(since, READY + 1) or one.closed is None or folder.player not in one.seals:
            continue
        if not one.voided_by and folder.player not in one.counted() and _asks(folder, chronicle, one):
            return one.number
    return None


def _asks(folder: GameFolder, chronicle: Chronicle, exchange: Exchange) -> bool:
    """Tell whether an exchange asks something of the player; without a report it is assumed to."""
    report = position_in(folder, chronicle, exchange)
    return report is None or f"\n{NOTHING_ASKED}" not in report


def _keep(folder: GameFolder, said: Answering) -> None:
    files.write(folder.path / FILE, json.dumps(asdict(said)).encode())
