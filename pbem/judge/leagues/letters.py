"""The letters of the judge to a league's entrants: the ledger as it goes on, receipts, warnings, new keys.

A letter that brings the ledger since the last one is a notice as a game's is (trust.letters), signed by the
judge and sealed to its reader. Everything in it is public; it is sealed because such letters are.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from types import MappingProxyType

from pbem.errors import PbemError
from pbem.judge.agenda import Agenda
from pbem.judge.leagues.book import LeagueBook
from pbem.judge.leagues.display import games_of, with_bracket
from pbem.judge.letters import letters_out
from pbem.judge.letters.addresses import addresses_for, post_of
from pbem.judge.letters.letters_out import Reader, unsealed_letter
from pbem.judge.tables.database import CheckpointRow
from pbem.judge.tables.packing import Part
from pbem.leagues.facts import RoundState
from pbem.leagues.model import outcome_text
from pbem.leagues.news import describe_next_event
from pbem.leagues.scheduler import TakePlace, games_with, pairs_near_end, vacancy
from pbem.leagues.season import Season
from pbem.leagues.statements import Statement
from pbem.leagues.timeouts import seats_until, settled_at
from pbem.trust import keys, signature
from pbem.trust.entries import Received
from pbem.trust.identifiers import Namespace
from pbem.trust.ledger import Checkpoint, SaidReceipt
from pbem.trust.letters import MAX_SIZE_WITHIN, NOTICE, OpenEntry, ReportLetter, sign_report
from pbem.trust.sealing import RECEIPT_SIZE, common_size
from pbem.trust.times import utc_text

AUDIENCE = "public"
EMPTY: Mapping[str, str] = MappingProxyType({})


def tell(book: LeagueBook, players: Iterable[str], text: str, own: Mapping[str, str] = EMPTY) -> None:
    """Sign a league's ledger, and send it to these players with a text and with what happens next.

    `own`: by player, a further text for this player's letter, with public facts only.
    """
    club, checkpoint = book.club, book.sign()
    post = post_of(club.settings, book.name)
    name = f"{book.name}-{len(book.season.calls):04d}-{NOTICE}-{checkpoint.size}.txt"
    deadline = book.season.call.opened.deadline if book.season.call else None
    letters, since = [], dict[int, tuple[ReportLetter, tuple[Part, ...]]]()
    for player in players:
        told = f"told {book.name} {player}"
        before = int(club.store.note(told) or 0)
        club.store.put_note(told, str(checkpoint.size))
        if before not in since:
            since[before] = _notice(book, before, checkpoint)
        notice, beside = since[before]
        notice = replace(notice, report=f"{text}{own.get(player, '')}{_next(book)}")
        addresses = addresses_for(club.store, post, player, [])
        signed = sign_report(replace(notice, player=player, addresses=addresses), club.key)
        letters.append((player, keys.parse_public(book.season.key_of(player)), notice.report, signed, beside))
    size = common_size(signed for _, _, _, signed, _ in letters)
    until = utc_text(deadline) if deadline else ""
    for player, key, said, signed, beside in letters:
        data = unsealed_letter(key, (signed, size), *beside)
        club.store.add_letter(book.name, player, name, data, text=said, deadline=until, key=key.line)


def _next(book: LeagueBook) -> str:
    """Return the last line of a letter: what happens next in a running league; "" in one that is over."""
    return "" if book.season.is_over else f"\nNext: {describe_next_event(book.season)}.\n"


def _notice(
    book: LeagueBook, before: int, checkpoint: CheckpointRow
) -> tuple[ReportLetter, tuple[Part, ...]]:
    """Return a letter to the players who have `before` entries of the ledger, and the attachments all share.

    The text of the letter is still to be written.
    """
    store, new = book.club.store, book.rows[before:]
    notice = ReportLetter(
        kind=NOTICE,
        game=book.name,
        exchange=len(book.season.calls),
        player="",
        audience=AUDIENCE,
        report="",
        leaves=tuple((row.number, row.leaf) for row in new),
        opened=tuple((row.number, OpenEntry(row.salt, row.text)) for row in new),
        checkpoint=Checkpoint(game=book.name, size=checkpoint.size, head=checkpoint.head),
        signature=checkpoint.signature,
    )
    entries = notice.entries
    if sum(map(len, entries)) <= MAX_SIZE_WITHIN:
        return notice, ()
    names = tuple(hashlib.sha256(one).hexdigest() for one in entries)
    for name, one in zip(names, entries, strict=True):
        store.add_sealed(name, one)
    beside = (Part(one, common_size([one]), name) for name, one in zip(names, entries, strict=True))
    return replace(notice, leaves=(), opened=(), beside=names), tuple(beside)


def tell_new_key(book: LeagueBook, player: str) -> None:
    """Tell a player of a new key in the league's ledger, in case somebody else has asked for it.

    The news is a letter that is not sealed. An entrant also gets the whole ledger, sealed to the new key.
    """
    club, fingerprint = book.club, keys.parse_public(book.season.key_of(player)).fingerprint
    text = f"{book.file.title}: {player} signs with the key {fingerprint} from entry {book.size} on.\n"
    if player in book.season.members:  # else of the panel, whose home keeps no ledger
        club.store.put_note(f"told {book.name} {player}", "0")
        tell(book, [player], text)
    text += f"If you have not asked for it, tell the director and the other players at once.\n{_next(book)}"
    club.store.add_letter(book.name, player, f"{book.name}-new-key-{book.size}.txt", b"", text=text)


def opponents(book: LeagueBook) -> Mapping[str, str]:
    """Return, by player, a text that names the opponents in the round now seated."""
    told = dict[str, str]()
    for pair in book.season.rounds[-1].unfinished_pairs:
        names = [book.season.name_now(player) for player in pair.players]
        for name in names:
            others = " and ".join(one for one in names if one != name)
            told[name] = f"{told.get(name, '')}You meet {others} in {pair.game}.\n"
    return told


def tell_settled(book: LeagueBook, state: RoundState) -> None:
    """Write to all in a league that a round has all its results, and until when one may appeal."""
    season = book.season
    names = sorted(name for name, one in season.members.items() if not one.leaving_reason)
    text = (
        f"{book.file.title}: all games of round {state.number} have results. If you think "
        f"that one is wrong, appeal until {utc_text(settled_at(season, state))}, with the "
        "number of its entry:\n"
        f"    pbem league appeal {book.file.name} ENTRY --as NAME --reason TEXT\n\n"
    )
    text += "".join(f"{line}\n" for line in _results_of(book, state))
    tell(book, names, with_bracket(season, text))


def _results_of(book: LeagueBook, state: RoundState) -> Iterator[str]:
    """Yield a line for each pairing of a round: the number of the last entry about it, and the result."""
    found = book.season.results_at.items()
    last = {pairing: number for number, (of, pairing) in found if of == state.number}
    for pairing, number in sorted(last.items()):
        outcome = state.outcome(pairing)
        assert outcome is not None, "its entry was read"
        places = [(book.season.name_now(player), place) for player, place in outcome.places]
        yield f"entry {number}: pairing {pairing}, {outcome_text(outcome.ending, places, outcome.reason)}"


def tell_left(book: LeagueBook, name: str) -> None:
    """Write to the opponents of a player who left the league what becomes of their games."""
    if own := vacancies(book.season, name):
        tell(book, sorted(own), f"{book.file.title}: news of your games.\n", own)


def vacancies(season: Season, name: str) -> Mapping[str, str]:
    """Return, by player, a text on how long games with a player who left wait for a substitute."""
    told = defaultdict[str, str](str)
    for pair in season.rounds[-1].unfinished_pairs if season.rounds else ():
        names = [season.name_now(player) for player in pair.players]
        until = vacancy(season, pair)
        if name not in names or until is None:
            continue
        line = f"{name} has left, and loses {pair.game}.\n"
        if until > season.last_at:
            waits = f"waits for a substitute until {utc_text(until)}"
            line = f"{name} has left: their place in {pair.game} {waits}.\n"
        for other in names:
            if not season.members[other].leaving_reason:
                told[other] += line
    return told


def tell_place(book: LeagueBook, place: TakePlace) -> None:
    """Write to all in a league that a waiting substitute has taken a place."""
    season = book.season
    names = {name for name, one in season.members.items() if not one.leaving_reason} - {place.player}
    told = f"{place.player} takes the place of {place.of}, as the first of the list of substitutes"
    opened = season.rounds[-1].opened_games if season.rounds else {}
    games = [pair.game for pair in games_with(season, place.player) if pair.number in opened]
    consent = (
        f"Their games go on: {', '.join(games)}. The other players consent to the new key.\n" if games else ""
    )
    tell(book, sorted(names), f"{book.file.title}: {told}.\n{consent}")
    tell_seats(book, place)


def tell_seats(book: LeagueBook, place: TakePlace, before: str = "") -> None:
    """Write to a substitute how to take the seats of their new place; the letter begins with `before`."""
    season = book.season
    own = [f"{before}{book.file.title}: you take the place of {place.of}, with their points and opponents.\n"]
    opened = season.rounds[-1].opened_games if season.rounds else {}
    games = games_with(season, place.player)
    if coming_up := [pair.game for pair in games if pair.number not in opened]:
        own.append(f"In this round {', '.join(coming_up)} is opened for you; another letter tells you.\n")
    if going := [pair for pair in games if pair.number in opened]:
        own.append("In games that go on, you take the seat with a key and a chain of your own:\n")
        own += [f"    {seat_command(book, game, place.player)}\n" for game in (pair.game for pair in going)]
        own.append("The others consent as each command says; then hand its file to the director.\n")
        until = min(seats_until(season, season.rounds[-1], pair)[place.player] for pair in going)
        own.append(f"A game whose seat you have not taken at {utc_text(until)} is lost.\n")
    tell(book, [place.player], "".join(own))


def seat_command(book: LeagueBook, game: str, player: str) -> str:
    """Return the command by which a substitute takes their seat in a running game."""
    try:
        history = book.club.book(game).history
    except PbemError as fault:  # told to the director by whoever runs the game
        return f"{game}: {fault}"
    seat = next(one.name for one in history.genesis.players if book.season.name_now(one.name) == player)
    exchange = history.current.number if history.current else 1
    chain = 2 + sum(one.anchor is not None for one in history.seats.of(seat))
    old = history.seats.fingerprint(seat, exchange)
    return (
        f"pbem sign rotation {game} {exchange} --as {seat} --new {player} --person {player} --chain {chain} "
        f"--old-fingerprint {old} --genesis {book.club.book(game).head_at(1)} --out {game}.rotation"
    )


def warn(book: LeagueBook, agendas: Mapping[str, Agenda]) -> str:
    """Warn the players of unfinished games that the league's round ends soon; once for each announced end.

    Return a sentence about the warning for the judge's output; "" if nobody was warned.
    """
    club, season, state = book.club, book.season, book.season.round
    soon = pairs_near_end(season, club.clock())
    if state is None or not soon:
        return ""
    until = utc_text(state.last_date)
    note, done = f"warned {book.name}", f"{state.number} {until}"
    if club.store.note(note) == done:
        return ""
    players = sorted({season.name_now(player) for pair in soon for player in pair.players})
    decider = {"count": f"the count of {book.file.count}", "draw": "calling it a draw"}
    by = decider.get(book.file.unfinished, f"the {book.file.unfinished}")
    with club.store.step():
        for player in players:
            games = "\n".join(games_of(season, player, agendas))
            text = f"{book.file.title}: round {state.number} ends at {until}.\n\n{games}\n\n"
            text += f"A game that is not over then is decided by {by}.\n"
            name = f"{book.name}-last-date-{done.replace(' ', '-').replace(':', '')}.txt"
            club.store.add_letter(book.name, player, name, b"", text=text, deadline=until)
        club.store.put_note(note, done)
    return f"round {state.number} ends at {until}: {len(players)} players are warned"


def send_said(book: LeagueBook, said: Statement, key: keys.PublicKey, remark: str) -> None:
    """Send the judge's signed receipt for a player's statement, which is the ledger's last entry.

    `key`: the key that signed the statement. `remark`: further news about the statement, or "".
    """
    receipt = SaidReceipt(
        game=book.name,
        player=said.player,
        said=said.sha256,
        entry=book.size,
        coming=describe_next_event(book.season),
    )
    signed = signature.sign_text(book.club.key, Namespace.RECEIPT, receipt.text)
    name, data = f"{book.name}-said-{book.size:04d}.txt", unsealed_letter(key, (signed, RECEIPT_SIZE))
    text = f"{book.file.title}: what you said ({said.say}) is entry {book.size}{remark}.\n{_next(book)}"
    book.club.store.add_letter(book.name, said.player, name, data, text=text, key=key.line)


def send_receipt(book: LeagueBook, entry: Received, words: str) -> None:
    """Send a player the judge's receipt for their answer to a call, with `words` and what comes next."""
    words = f"{words}{_next(book)}"
    number = book.season.call_log.received_of(entry.player)
    reader = Reader(entry.player, keys.parse_public(book.season.key_of(entry.player)))
    letters_out.send_receipt(book.club.store, book, book.name, entry, number, reader, words, book.club.key)
