"""Explains orders to their own player: in plain words in a receipt, and by a forecast in a later letter.

A receipt leaves before anybody has worked out a forecast. Which forecasts are awaited is noted in the same
transaction as the receipt; one is made when the games have gone on, and only for orders that can still be
replaced. So that whoever sees a mailbox learns nothing by it, there is one for every file of such an
exchange, whatever is in the file.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

from pbem.characters import lower, split_lines
from pbem.errors import LedgerError
from pbem.forecast import forecast_of
from pbem.judge.adjudication import bring_back
from pbem.judge.agenda import Done
from pbem.judge.book import Book
from pbem.judge.club import Club
from pbem.judge.intake.player_files import open_file
from pbem.judge.letters.letters_out import relay, send_forecast, send_receipt, signer_of
from pbem.judge.tables.note_tables import FORECAST
from pbem.judge.tables.store import Store
from pbem.play.adjudicate import setting_of
from pbem.play.history import READY, Exchange
from pbem.play.setting import Setting
from pbem.reports.base import Echo
from pbem.reports.packing import unpack_view
from pbem.rules.base import View
from pbem.trust.entries import GAME_OPTION, Genesis, Received
from pbem.trust.ledger import parse_entry
from pbem.trust.letters import REPORT
from pbem.trust.orderfile import OrderFile
from pbem.trust.times import utc_text

MAX_FORECASTS = 100
"""Maximum number of forecasts in one pass, some seconds' worth; mail that comes meanwhile waits for the next
pass."""
READY_SAID = "You accept the game with the rules and players of its genesis.\n"
READY_ORDERS = f"{READY_SAID}Exchange {READY} only accepts the game: your lines in it do not count.\n"


def acknowledge(club: Club, book: Book, entry: Received, orders: OrderFile, sealed: bytes) -> None:
    """Answer orders that were just entered: send a receipt, and note that a forecast is due."""
    relay(club.store, book, club.key, entry, sealed)
    words = receipt_words(club, book, book.history.exchanges[entry.exchange - 1], orders)
    number = book.history.received_of(entry.player)
    signer = signer_of(club.store, book, entry.player, entry.exchange)
    send_receipt(club.store, book, book.game, entry, number, signer, words, club.key)
    await_forecast(club.store, book, entry)


def receipt_words(club: Club, book: Book, exchange: Exchange, orders: OrderFile) -> str:
    """Return the part of a receipt in plain words: how orders were understood, and their mistakes.

    Who had left the seat when the exchange was opened is told nothing of what the seat sees.
    """
    setting = _setting_of(book)
    side = setting.side_of(orders.player)
    parsed = setting.language.parse(orders.body, side)
    faults = parsed.faults
    said = setting.language.say(parsed.orders)
    if exchange.number == READY:
        faults, said = (), (READY_ORDERS if orders.body.strip() else READY_SAID)
    report, is_seated = "", not book.history.seats.has_left(orders.player, exchange.number)
    if is_seated and not parsed.orders:
        report = _last_report(club, book, exchange, orders.player, side)
    elif is_seated and (view := _view(club, book, exchange, orders.player, side)) is not None:
        faults += setting.language.check(parsed.orders, view)
    still = tuple(setting.style.on_file_in(report))
    return setting.style.receipt_words(
        Echo(
            game=book.game,
            exchange=exchange.number,
            player=orders.player,
            side=side,
            said="" if still else said,
            faults=faults,
            on_file=still,
            revision=orders.rev,
            highest=max(entry.rev for entry in exchange.received if entry.player == orders.player),
            deadline=utc_text(exchange.deadline) if exchange.deadline else "",
        )
    )


def await_forecast(store: Store, book: Book, entry: Received) -> None:
    """Note that the forecast of an order file that counts is due, in the transaction of its receipt."""
    is_wanted = entry.exchange != READY and _setting_of(book).title.has_forecast
    if is_wanted and _open_file(book, entry.player, entry.sealed) is not None:
        store.put_note(f"{FORECAST} {book.game} {entry.player}", entry.sealed)


def send_forecasts(club: Club, most: int = MAX_FORECASTS) -> Iterator[Done]:
    """Make up to `most` of the forecasts of orders that are due, for their senders; yield a line on each.

    A forecast is worked out before the transaction in which it is noted as made, for it may take long; what
    has changed meanwhile is looked at there.
    """
    made = 0
    for note, sealed in club.store.notes(f"{FORECAST} ").items():
        if made == most:
            return
        _, game, player = note.split(" ")
        try:
            book = club.book(game)
            entry = _open_file(book, player, sealed)
            text, fault = _forecast_or_reason(club, book, entry) if entry is not None else ("", "")
            with club.store.step():
                if club.store.note(note) != sealed:
                    continue
                club.store.drop_note(note)
                book = club.book(game)
                entry = _open_file(book, player, sealed)
                if entry is not None and not fault:
                    send_forecast(club.store, book, club.key, entry, text)
        except LedgerError:
            continue  # the game is in trouble, and says so itself
        if entry is not None:
            made += 1
            yield Done(game, f"no forecast for {player}: {fault}" if fault else f"a forecast for {player}")


def _forecast_or_reason(club: Club, book: Book, entry: Received) -> tuple[str, str]:
    """Return a forecast of orders, or a line that says why there is none, so that others can be made."""
    try:
        return _forecast(club, book, entry), ""
    except LedgerError:
        raise
    except Exception as bug:  # noqa: BLE001 - nobody waits for a forecast
        return "", f"{type(bug).__name__}, a fault in the program"


def _open_file(book: Book, player: str, sealed: str) -> Received | None:
    """Return the entry of an order file if its forecast may be sent to its sender now; else None.

    Once a seat has another key, nobody gets forecasts of orders that the old key has signed.
    """
    exchange = book.history.current
    if exchange is None or exchange.closed is not None:
        return None
    newest = book.history.seats.newest(player)
    if newest is not None and newest.starts > exchange.number:
        return None
    entry = exchange.counted().get(player)
    return entry if entry is not None and entry.sealed == sealed else None


def _forecast(club: Club, book: Book, entry: Received) -> str:
    """Return the forecast of a file's orders, together with its player's earlier orders still in force."""
    setting, exchange = _setting_of(book), book.history.exchanges[entry.exchange - 1]
    side = setting.side_of(entry.player)
    orders = setting.language.parse(open_file(club, book, entry).body, side).orders
    report = _last_report(club, book, exchange, entry.player, side)
    still = not report or bool(setting.style.on_file_in(report))
    lines: tuple[str, ...] = ()
    if orders or still:
        fresh = setting.language.follower(side)
        follower = bring_back(club, book).adjudicator.play.follower(side) if still else fresh
        view = _view(club, book, exchange, entry.player, side)
        assert view is not None, "no forecast is awaited of exchange 1"
        if orders or follower.on_file(view):
            lines = forecast_of(setting.title.forecast, orders, view, follower)
    return setting.style.forecast_words(
        Echo(
            game=book.game,
            exchange=entry.exchange,
            player=entry.player,
            side=side,
            said="",
            forecast=lines,
            revision=entry.rev,
        )
    )


def _last_report(club: Club, book: Book, exchange: Exchange, player: str, side: str) -> str:
    """Return a side's last report, if the database has it and the ledger commits to it; else ""."""
    if exchange.number == READY:
        return ""
    before = book.history.exchanges[exchange.number - 2]
    name = f"{book.game}-{before.number:04d}-{REPORT}.txt"
    person, _ = book.history.seats.signer(player, exchange.number)
    text = club.store.letter_text(book.game, person, name)
    committed = {entry.audience: entry.sha256 for entry in before.reported}
    return text if text and hashlib.sha256(text.encode()).hexdigest() == committed.get(side) else ""


def _view(club: Club, book: Book, exchange: Exchange, player: str, side: str) -> View | None:
    """Return a side's view, from its last report if the ledger commits to that, else by a replay."""
    if exchange.number == READY:
        return None
    if report := _last_report(club, book, exchange, player, side):
        view = unpack_view(report)
        if view is not None:
            return view
    return bring_back(club, book).adjudicator.play.game.view(side)


def _setting_of(book: Book) -> Setting:
    """Return a game's adjudicator setting, computed once for each genesis."""
    return _setting(book.rows[0].text)


@lru_cache(maxsize=256)
def _setting(genesis: bytes) -> Setting:
    entry = parse_entry(genesis)
    assert isinstance(entry, Genesis)
    return setting_of(entry)


MAX_LINES, MAX_WORDS = 60, 12
"""Maximum number of lines of a mail that are searched for orders, and of words in a line that may be one."""


_BULLET = re.compile(r"[\s*\-]*(?:[0-9]{1,2}[.)]\s+)?")
_GERMAN_VERBS = {
    form: verb
    for verb, forms in {
        "build": "baue bauen baut",
        "card": "karte",
        "claim": "beanspruche beanspruchen beansprucht",
        "copy": "kopiere kopieren kopiert",
        "crown": "kröne krönen krönt",
        "disband": "auflösen entlasse entlassen",
        "draw": "verstärke verstärken verstärkt",
        "herald": "herold",
        "hit": "treffer",
        "keep": "behalte behalten behält",
        "lose": "verliere verlieren verliert",
        "move": "ziehe zieh ziehen zieht bewege bewegen bewegt marschiere marschieren verlege verlegen",
        "pass": "passe",
        "pillage": "plündere plündern plündert",
        "recruit": "rekrutiere rekrutieren rekrutiert",
        "replace": "ersetze ersetzen ersetzt",
        "retreat": "fliehe fliehen flieht",
        "sail": "segle segele segeln segelt",
        "use": "nutze nutzen benutze benutzen verwende verwenden",
    }.items()
    for form in forms.split()
}
"""The German forms of verbs of orders, each with the verb that it stands for in games that have it."""
_GERMAN_WORDS = {"nach": "to", "und": ",", "alle": "all"} | dict.fromkeys(
    "aus ausspielen bitte dann das dem den der die erst ich möchte nun spiele spielen spielt will".split(), ""
)
"""The German words that may stand in an order, each with the English word; "" stands for none."""


def are_like_orders(club: Club, games: Iterable[str], text: str) -> bool:
    """Tell whether a line of a text begins with a verb of these games, or is one of their orders in German.

    In German a verb may stand at the end. So the line's words are put into the words of the order language,
    and it is an order only if that language understands all of it.
    """
    lines = [lower(_BULLET.sub("", line, count=1).strip()) for line in split_lines(text)[:MAX_LINES]]
    lines = [line for line in lines if 1 < len(line.split(" ")) <= MAX_WORDS and not line.endswith("?")]
    german = [one for line in lines for one in _from_german(line)][:MAX_LINES]
    return bool(lines) and any(
        any(line.startswith(f"{verb} ") for verb in _verbs(club, game) for line in lines)
        or any(_is_order(club, game, one) for one in german)
        for game in games
    )


def _from_german(line: str) -> Iterator[str]:
    """Yield what a German line, or a part of it, is in the words of order languages, if it has a verb."""
    line = re.sub(r"\bvon \S+ (?=nach )", "", line)
    for part in dict.fromkeys((line, *re.split(r"[,;:]|\b(?:und|dann)\b", line))):
        words = part.replace(",", " , ").rstrip(".!").split()
        verbs = [_GERMAN_VERBS[word] for word in words if word in _GERMAN_VERBS]
        others = [_GERMAN_WORDS.get(word, word) for word in words if word not in _GERMAN_VERBS]
        if len(verbs) == 1:
            yield " ".join(filter(None, (*verbs, *others)))


def _is_order(club: Club, game: str, line: str) -> bool:
    """Tell whether a line is an order of a game's language, for any of its sides, without a fault."""
    setting = _setting_of(club.book(game))
    for side in setting.seats:
        parsed = setting.language.parse(f"{line}\n", side)
        if parsed.orders and not parsed.faults:
            return True
    return False


def _verbs(club: Club, game: str) -> list[str]:
    from pbem.orders.kit.language import KitLanguage
    from pbem.titles import load

    rules = dict(club.book(game).history.genesis.options).get(GAME_OPTION, "")
    language = load(str(rules)).language
    return [verb.name for verb in language.rows.verbs] if isinstance(language, KitLanguage) else []
