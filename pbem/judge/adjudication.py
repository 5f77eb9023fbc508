"""The adjudication of a game: closes complete exchanges, resolves and reports them, and opens the next.

A game is replayed from its ledger when it is first touched in a pass, and every resolution is compared with
what the ledger says: a program that plays differently from the one before stops the game instead of going on.
It is then kept, for as long as the club is open and the ledger goes on from there. Whoever needs no more than
where a game stands takes it from its saved place (saved_places).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from itertools import zip_longest

from pbem.errors import LedgerError
from pbem.judge.agenda import Done
from pbem.judge.book import Book, check_newest, check_receipts
from pbem.judge.cache import Played, place_of
from pbem.judge.club import Club
from pbem.judge.intake.player_files import counted_files, reveals
from pbem.judge.letters.letters_out import notify, notify_close, send_reports
from pbem.judge.saved_places import (
    check_agrees,
    disagreement,
    forget_disagreement,
    installed_rules,
    is_alike,
    is_sampled,
    load_place,
    note_disagreement,
    save_place,
)
from pbem.play.adjudicate import (
    OPTIONS,
    Adjudication,
    Adjudicator,
    Report,
    following,
    over_entry,
    reported,
    timeline,
)
from pbem.play.history import Exchange
from pbem.reports.packing import unpack_view
from pbem.trust.chance import DRAW_CHAIN, OPEN_CHAIN, Reveal
from pbem.trust.entries import AFTER_CLOSE, Close, Genesis, NewRules


@dataclass(frozen=True, slots=True)
class Difference:
    """An exchange that the installed rules play differently from a game's ledger, and what differs first."""

    game: str
    exchange: int
    what: str
    decides: bool = True
    """Whether the rules reach another position than the ledger's; else only words or void orders differ."""

    def __str__(self) -> str:
        return f"exchange {self.exchange} differently, first in {self.what}"


def adjudicate(
    club: Club,
    book: Book,
    adjudicator: Adjudicator,
    exchange: Exchange,
    *,
    is_shown: bool = True,
    brought: Mapping[str, Reveal] | None = None,
) -> Adjudication:
    """Resolve a closed exchange and return the result; `brought`: the reveals, if it asks nobody."""
    source = book.history.source(exchange)
    number = source.number
    files = counted_files(club, book, source)
    opened, secret = club.chains(book.game)
    return adjudicator.resolve(
        book.history,
        exchange,
        files,
        brought or book.history.brought(source) or reveals(club, book, source, files),
        Reveal(OPEN_CHAIN, number, opened.reveal(number)),
        Reveal(DRAW_CHAIN, number, secret.reveal(number)),
        is_shown=is_shown,
    )


def replay(club: Club, game: str) -> Played:
    """Bring a game back from its ledger to its position after the last resolved exchange.

    Raises:
        LedgerError: the ledger was tampered with, or this program plays an exchange differently.
    """
    return replay_book(club, club.book(game))


def replay_book(club: Club, book: Book) -> Played:
    """Replay a game from its ledger, already read, unless the game is cached at the ledger's end."""
    if (known := _game_of_this_pass(club, book)) is not None and known.whole:
        return known
    adjudicator = Adjudicator(book.history.corrected, saves=True)
    last, resolved = None, book.history.resolved
    for left, exchange in zip(range(len(resolved), 0, -1), resolved, strict=True):
        is_shown = left <= 2
        last = adjudicate(club, book, adjudicator, exchange, is_shown=is_shown)
        if last.resolve != exchange.resolved or list(last.drawn) != exchange.drawn:
            raise LedgerError(
                f"exchange {exchange.number} of {book.game} has another result than its ledger says; the "
                f"game is held until the release that plays {book.history.rules[:16]} is back, or as "
                f"'pbem game replay {book.game}' says"
            )
    played = Played(book, adjudicator, last)
    keep(club, played)
    return played


def bring_back(club: Club, book: Book) -> Played:
    """Bring a game back from its saved position, if there is one; a few of these are checked by a replay.

    Raises:
        Disagreement: the replay arrives at another position, which is noted.
    """
    played = _game_of_this_pass(club, book)
    if played is None and (adjudicator := load_place(club, book)) is not None:
        played = Played(book, adjudicator, None, whole=False)
    if played is None or played.whole:
        return replay_book(club, book)
    if is_sampled(book.head):
        with note_disagreement(club, book.game):
            return _compare_with_replay(club, played)
    keep(club, played)
    return played


def _compare_with_replay(club: Club, loaded: Played) -> Played:
    """Replay a game that was loaded from its saved position; raise Disagreement if the two differ."""
    whole = replay_book(club, loaded.book)
    if not is_alike(whole.adjudicator, loaded.adjudicator):
        raise disagreement(loaded.book.game)
    return whole


def _game_of_this_pass(club: Club, book: Book) -> Played | None:
    """Return the game that an earlier step of this pass left at the end of its ledger; None if none did."""
    place, played = club.games_cache.get(book.game) or (None, None)
    return replace(played, book=book) if played is not None and place == place_of(book) else None


def keep(club: Club, played: Played) -> None:
    """Remember a game in its present state; to play it on, take it out of the memory first."""
    club.games_cache.put(played.book.game, (place_of(played.book), played))


def reports_of(
    book: Book, adjudicator: Adjudicator, exchange: Exchange, result: Adjudication
) -> tuple[Report, ...]:
    """Write the reports of a resolved exchange again; `adjudicator` must have played it last."""
    size = exchange.resolved_at + len(result.drawn)
    head = book.head_at(size)
    assert head is not None
    later = following(book.history, exchange)
    return adjudicator.reports(result, size, head, later.opened.deadline if later else None)


def compare(club: Club, book: Book) -> Difference | None:
    """Play a game again by the installed rules; return the first difference from its ledger, or None.

    All entries are compared, and all reports by their hashes (12.12); of what was played before the players
    agreed to another release, the entries that stand. What differs is named without saying what it says, for
    the answer may be shown to anybody. A difference that decides is returned rather than an earlier one that
    does not.
    """
    found: Difference | None = None
    for difference in differences(club, book):
        if difference.decides:
            return difference
        found = found or difference
    return found


def differences(club: Club, book: Book) -> Iterator[Difference]:
    """Yield every exchange that the installed rules play differently, up to the first that decides."""
    history, reached = book.history, 1
    try:
        played = timeline(
            history,
            partial(adjudicate, club, book),
            lambda exchange: exchange.era == history.era or not exchange.voided_by,
        )
        for exchange, adjudicator, result in played:
            what, decides = _compare_exchange(club, book, adjudicator, exchange, result)
            if what:
                yield Difference(book.game, exchange.number, what, decides and not exchange.voided_by)
            reached = exchange.number + 1
    except Exception as fault:  # noqa: BLE001 - a release on trial may fail in any way; the game must not
        yield Difference(book.game, reached, f"what it cannot play ({type(fault).__name__})")


def compare_house_rules(club: Club, book: Book, corrected: Callable[[Genesis], Genesis]) -> Difference | None:
    """Return the first exchange that other house rules change; None if they change none."""
    genesis = book.history.corrected
    real, other = Adjudicator(genesis), Adjudicator(corrected(genesis))
    for exchange in book.history.resolved:
        one, two = adjudicate(club, book, real, exchange), adjudicate(club, book, other, exchange)
        if one.outcome != two.outcome:
            return Difference(book.game, exchange.number, "what happens")
    return None


def _compare_exchange(
    club: Club, book: Book, adjudicator: Adjudicator, exchange: Exchange, result: Adjudication
) -> tuple[str, bool]:
    """Return the difference that a replay of an exchange makes, and whether the position changes by it."""
    resolve = exchange.resolved
    assert resolve is not None
    if result.resolve != resolve:
        for new, old in zip_longest(result.resolve.dice, resolve.dice):
            if new != old:
                die = old or new
                assert die is not None
                return f"the die {die.label}", True
        return "who contributed to its dice", True
    if list(result.drawn) != exchange.drawn:
        return "what is drawn in secret", True
    over, last = book.history.over and book.history.ended_by is None, book.history.exchanges[-1]
    ends_here = over and exchange is last
    if (result.resolution.outcome is not None) != ends_here:
        return "whether the game ends with it", True
    if exchange.era != book.history.era:
        return "", False
    reports = reports_of(book, adjudicator, exchange, result)
    written = {entry.audience: entry.sha256 for entry in exchange.reported}
    differ = [report for report in reports if written.get(report.audience) != report.sha256]
    for report in differ:
        if _position(report.text) != _position(club.store.report(written.get(report.audience, ""))):
            return f"the position, as {report.audience} sees it", True
    return (f"the report to {differ[0].audience}", False) if differ else ("", False)


def _position(report: str) -> object:
    """Return the position that a report contains, without the house rules."""
    view = unpack_view(report)
    return object() if view is None else {name: value for name, value in view.items() if name != OPTIONS}


def adopt_release(club: Club, book: Book) -> None:
    """Let a game go on under a new release only if that plays the whole game alike (12.12).

    Raises:
        LedgerError: the release plays the game differently; the game is stopped.
    """
    installed, exchange = installed_rules(book), book.history.current
    if installed == book.history.rules:
        return
    old = f"the release that plays {book.history.rules[:16]}"
    if exchange is not None and exchange.closed is not None:
        raise LedgerError(f"held: exchange {exchange.number} was closed under {old}, which must resolve it")
    if (difference := compare(club, book)) is not None:
        raise LedgerError(
            f"held: the installed release ({installed[:16]}) plays {difference}; the game goes on under "
            f"{old}, or as 'pbem game replay {book.game}' says"
        )
    book.append(NewRules(rules=installed))


def reports_after_roll_back(club: Club, played: Played, book: Book) -> None:
    """Send every player the position from which the game goes on, and the form of the new exchange."""
    exchange, last = book.history.current, played.last
    assert exchange is not None
    assert last is not None, "exchange 1 is never rolled back"
    forget_disagreement(club, book.game)
    reports = played.adjudicator.reports(
        last, book.size, book.head, exchange.opened.deadline, exchange.number
    )
    notify(club.store, book, club.key, {report.audience: report.text for report in reports})


def run_game(club: Club, game: str) -> Done | None:
    """Close, resolve and report a game's open exchange, if it has all files or its time is over."""
    if not is_ready(club.book(game), club.clock()):
        return None
    with note_disagreement(club, game), club.store.step():
        book = club.book(game)
        if not is_ready(book, club.clock()):
            return None  # another process was here first
        check_receipts(club.store, game)
        check_newest(club.store, game)
        check_agrees(club, game)
        adopt_release(club, book)
        played = bring_back(club, book)
        exchange = book.history.current
        assert exchange is not None
        if exchange.closed is None and book.history.genesis.mode == AFTER_CLOSE:
            due_by = club.next_deadline(game)
            book.append(Close(exchange=exchange.number, at=club.clock(), deadline=due_by))
            notify_close(club.store, book, club.key)
            return Done(game, f"exchange {exchange.number} closed; reveals are awaited")
        if exchange.closed is None:
            book.append(Close(exchange=exchange.number, at=club.clock()))

        over = finish(club, played, exchange)
    ending = "; the game is over" if over else f"; exchange {exchange.number + 1} is open"
    return Done(game, f"exchange {exchange.number} resolved{ending}")


def finish(
    club: Club, played: Played, exchange: Exchange, brought: Mapping[str, Reveal] | None = None
) -> bool:
    """Resolve and report a closed exchange and open the next; return whether the game is over.

    `brought`: the reveals for an exchange that asks nobody.
    """
    book, game = played.book, played.book.game
    club.games_cache.forget(game)
    forget_disagreement(club, game)
    result = adjudicate(club, book, played.adjudicator, exchange, brought=brought)
    if result.resolution.outcome is not None and not played.whole:
        played, loaded = replay_book(club, book), result
        club.games_cache.forget(game)
        result = adjudicate(club, book, played.adjudicator, exchange, brought=brought)
        if result != loaded:
            raise disagreement(game)
    for entry in result.decided:
        book.append(entry)
    over = result.resolution.outcome is not None
    names = book.history.playing
    until = None if over else club.first_deadline(game, book.history)
    reports = played.adjudicator.reports(result, book.size, book.head, until.deadline if until else None)
    for report, entry in zip(reports, reported(exchange.number, reports), strict=True):
        club.store.add_sealed(report.sha256, report.text.encode())
        book.append(entry)
    if over:
        book.append(over_entry(result.resolution))
    else:
        book.append(club.opening(game, exchange.number + 1, names, book.history.rules, until))
    checkpoint = book.sign(club.key)
    texts = {report.audience: report.text for report in reports}
    send_reports(club.store, book, club.key, checkpoint, exchange.number, texts)
    keep(club, now := replace(played, last=result))
    if not over:
        save_place(club, now)
    return over


def is_ready(book: Book, now: datetime) -> bool:
    """Tell whether an exchange may end: all files have come, or its deadline has passed (protocol 8, 20)."""
    exchange = book.history.current
    if exchange is None or book.history.over or book.history.held is not None:
        return False
    if exchange.closed is not None:
        sent = {entry.player for entry in exchange.revealed}
        if book.history.seats.contributors(exchange.number) <= sent | set(exchange.left):
            return True
        return exchange.closed.deadline is None or now >= exchange.closed.deadline

    if exchange.awaited <= {entry.player for entry in exchange.received}:
        return True
    return exchange.deadline is not None and now >= exchange.deadline
