"""Does the acts that are due in the club's leagues, one after another, each in its own transaction.

What is due is asked anew after each act (pbem.leagues.scheduler), so a judge that is killed between two of
them goes on with the next. A pass reads the ledger of a league only if something has come for it, a game of
it has ended, or a time has passed; for the rest it looks at one row for each league.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta

from pbem.errors import LedgerError, PbemError
from pbem.judge.agenda import Agenda, read_agendas
from pbem.judge.book import check_newest, check_receipts
from pbem.judge.club import Club
from pbem.judge.deadlines import waits_for_mail
from pbem.judge.intake import quarantine
from pbem.judge.leagues.book import Done, LeagueBook, load_league
from pbem.judge.leagues.desk import opened_file
from pbem.judge.leagues.display import with_bracket
from pbem.judge.leagues.games import ClubGames, open_game, stop_game
from pbem.judge.leagues.letters import (
    EMPTY,
    opponents,
    tell,
    tell_left,
    tell_place,
    tell_settled,
    warn,
)
from pbem.judge.newgame import Brought
from pbem.judge.tables.database import LeagueRow
from pbem.leagues import results_table, round_drawing
from pbem.leagues.calls import Call, Lots, Reply, Seating, game_name, mix_of, reply_in
from pbem.leagues.entries import (
    BY_GAME,
    DRAW,
    SEATS,
    Ended,
    Finished,
    Opened,
    Pairings,
    RoundOver,
    Substituted,
)
from pbem.leagues.model import outcome_text
from pbem.leagues.round_drawing import recorded_dice
from pbem.leagues.scheduler import (
    Act,
    CloseCall,
    EndRound,
    EnterResult,
    Finish,
    OpenCall,
    OpenGame,
    TakePlace,
    next_act,
    next_time,
)
from pbem.leagues.timeouts import SILENT
from pbem.titles import load
from pbem.trust.entries import Close, Open
from pbem.trust.times import utc_text

WHOLE_TABLE = 100
"""Maximum number of rows of the standings in a letter at a league's end; below a longer table stands the
row of the letter's reader."""


def run_leagues(club: Club, agendas: Mapping[str, Agenda]) -> Iterator[Done]:
    """Do all acts that are due in the club's leagues; yield a line on each. `agendas`: games' next steps."""
    rows = club.store.leagues()
    if not rows:
        return
    now = utc_text(club.clock())
    ended = {
        league for game, league in club.store.league_games().items() if game in agendas and agendas[game].over
    }
    for row in rows:
        if row.over and row.head == club.store.league_head(row.name):
            continue
        if row.head == club.store.league_head(row.name) and row.name not in ended and not _due(row, now):
            continue
        name = row.name.removeprefix("league.")
        if quarantine.is_paused(club, quarantine.LEAGUE, name):
            continue
        with quarantine.by_itself(club, quarantine.LEAGUE, name) as wrong:
            yield from run_league(club, row.name, agendas)
        for one in wrong:
            yield Done(name, one.text, is_stopped=True)


def _due(row: LeagueRow, now: str) -> bool:
    return bool(row.due) and row.due <= now


def run_league(club: Club, name: str, agendas: Mapping[str, Agenda] | None = None) -> Iterator[Done]:
    """Do every act that is due in one league; yield a line on each act, or on the fault that stopped it."""
    try:
        yield from _do_due(club, name, agendas)
    except LedgerError as fault:
        yield Done(name.removeprefix("league."), f"stopped: {fault}", is_stopped=True)


def _do_due(club: Club, name: str, agendas: Mapping[str, Agenda] | None) -> Iterator[Done]:
    agendas = read_agendas(club) if agendas is None else agendas
    over = frozenset(game for game, one in agendas.items() if one.over)
    games, book, trouble = ClubGames(club, over), load_league(club, name), ""
    try:
        while True:
            with club.store.step():
                if club.store.league_head(book.name) != book.head:
                    book = load_league(club, name)
                now = book.time(club.clock())
                act = next_act(book.season, now, games)
                if act is None or _waits(book, act):
                    break
                if isinstance(act, EnterResult) and games.has_ended_since(act.entry, book):
                    continue
                told = do(book, act, now)
            yield Done(book.file.name, told)
    except PbemError as fault:
        trouble = str(fault)
        yield Done(book.file.name, f"stopped: {fault}", is_stopped=True)
        book = load_league(club, name)
    if told := warn(book, agendas):
        yield Done(book.file.name, told)
    with club.store.step():
        now = book.time(club.clock())
        due = next_time(book.season, now)
        waits = club.store.note(f"{waits_for_mail.WAITS}{name}")
        if trouble:
            due = now  # what has failed is tried again in the next pass, before its deadline too
        elif due is not None and due <= now and not waits:  # for the director: looked at again once a day
            due = now + timedelta(days=1)
        club.store.put_league(
            LeagueRow(
                name=book.name,
                file=b"",
                head=book.head,
                due=utc_text(due) if due else "",
                over=int(book.season.is_over),
                trouble=trouble,
            )
        )


def _waits(book: LeagueBook, act: Act) -> bool:
    """Tell whether an act must wait: mail was not fetched since a deadline, or letters were not sent."""
    call = book.season.call
    if not isinstance(act, CloseCall) or call is None or not call.waiting or call.opened.deadline is None:
        waits_for_mail.forget_wait(book.club, book.name)
        return False
    reason = ""
    looked = waits_for_mail.looked_until(book.club)
    if looked is None or looked < call.opened.deadline:
        reason = "the judge has not read the whole mailbox since its deadline"
    for player in call.waiting:
        reason = reason or waits_for_mail.why_mail_delays(book.club, book.name, player)
    if reason:
        book.club.store.put_note(f"{waits_for_mail.WAITS}{book.name}", f"{call.number} {reason}")
    else:
        waits_for_mail.forget_wait(book.club, book.name)
    return bool(reason)


def what_would(club: Club, name: str) -> list[Done]:
    """Return the acts that the judge would do in a league now; nothing is done."""
    with club.store.step(keep=False):
        return list(run_league(club, name))


def do(book: LeagueBook, act: Act, now: datetime) -> str:
    """Enter one act that is due in a league now, within a transaction; return a line about it.

    `now` is the time by which the act was found to be due: an audit checks this by the entry's time.
    """
    match act:
        case OpenCall():
            return _open_call(book, act, now)
        case CloseCall():
            return _close_call(book, now)
        case OpenGame():
            return _open_game(book, act, now)
        case EnterResult(entry):
            return _enter_result(book, entry)
        case TakePlace():
            return _take_place(book, act, now)
        case EndRound(number):
            book.append(RoundOver(round=number, at=now))
            book.sign()
            return f"round {number} is over"
        case Finish():
            return _finish(book, now)


def _open_call(book: LeagueBook, act: OpenCall, now: datetime) -> str:
    number = len(book.season.calls) + 1
    deadline = now + timedelta(days=book.file.draw_days)
    seals = tuple((player, book.seal(number, player).recipient) for player in sorted(act.players))
    names = (game_name(book.name, act.purpose.round, one) for one in range(1, act.games + 1))
    chains = map(book.club.chains, names)
    seating = Seating(act.chains, tuple((opened.anchor, secret.anchor) for opened, secret in chains))
    extra = (act.purpose.line, *(seating.lines if act.games else ()))
    book.append(Open(exchange=number, seals=seals, deadline=deadline, extra=extra))
    what = "the draw" if act.purpose.what == DRAW else "the seats"
    bidding = load(book.file.rules).bids if act.purpose.what == SEATS and book.file.sides == "bids" else None
    bid = f", with --bid and one of {', '.join(bidding.words)} for the side that you want" if bidding else ""
    text = (
        f"{book.file.title}: call {number}, for {what} of round {act.purpose.round}.\n"
        f"Your program answers it with your share in the dice: pbem league reply {book.file.name}{bid}\n"
        "It is closed when all have answered, or at its deadline.\n"
    )
    if act.games:
        text += (
            "Your answer accepts the game that you get in this round and brings your share in its dice: the "
            "game begins at once, and its first letter asks for your first orders.\n"
        )
    if most := book.file.silent_calls:
        text += f"A player who does not answer {most} calls in a row counts as withdrawn.\n"
    own = opponents(book) if act.purpose.what == SEATS else EMPTY
    tell(book, sorted(act.players), with_bracket(book.season, text), own)
    return f"call {number} is open, for {what} of round {act.purpose.round}, {len(seals)} are asked"


def _close_call(book: LeagueBook, now: datetime) -> str:
    """Close and resolve a call, and enter the pairings if it was for a draw; return a line about it."""
    check_receipts(book.club.store, book.name)
    check_newest(book.club.store, book.name)
    season, call = book.season, book.season.call
    assert call is not None
    files = {player: opened_file(book, call, entry) for player, entry in call.counted().items()}
    book.append(Close(exchange=call.number, at=now))
    steps = {player: file.reveal for player, file in files.items() if file.reveal is not None}
    mix, reveals, absent = mix_of(season.genesis, call, book.step(call), steps, call.chains)
    lots = Lots(call.number, call.purpose, mix.key)
    told = f"call {call.number} is resolved, {len(reveals) - 1} of {len(call.asked)} have a share in its dice"
    if call.purpose.what == DRAW:
        drawn = round_drawing.draw_round(season, call, lots)
        book.append(lots.resolve(mix, reveals, absent))
        number = call.purpose.round
        until = book.file.last_date(number, now)
        book.append(
            Pairings(
                round=number,
                at=now,
                until=until,
                divisions=drawn.divisions,
                pairs=drawn.pairs,
                byes=drawn.byes,
                half_byes=drawn.half_byes,
            )
        )
        byes = len(drawn.byes) + len(drawn.half_byes)
        told += f"; round {number} has {len(drawn.pairs)} games and {byes} byes"
        told += _notify_withdrawn(book, call)
        playing = season.players_to_seat(season.rounds[-1])
        idle = [one for one in call.asked if one not in playing and not season.members[one].leaving_reason]
        if drawn.half_byes:
            tell(book, drawn.half_byes, _no_game(book, number, "a half-point bye, as you have asked"))
        if season.file.format == "knockout" and playing:
            tell(book, playing, with_bracket(season, _a_game(book, number)))
        if idle:
            tell(book, idle, with_bracket(season, _no_game(book, number)))
            return told
    else:
        replies = {player: reply_in(file) for player, file in files.items()}
        for pair in season.rounds[-1].unfinished_pairs:
            round_drawing.seats_of(season, pair, round_drawing.bids_for(season, pair, replies), lots)
        book.append(lots.resolve(mix, reveals, absent))
        told += _notify_withdrawn(book, call)
    book.sign()
    return told


def _notify_withdrawn(book: LeagueBook, call: Call) -> str:
    """Write to the players who count as withdrawn since a call was closed; return words that name them."""
    members = book.season.members
    gone = [one for one in call.waiting if members[one].leaving_reason == SILENT]
    if not gone:
        return ""
    text = f"{book.file.title}: you have not answered {book.file.silent_calls} calls in a row"
    tell(book, gone, f"{text}, and count as withdrawn. Write to the director if you are back.\n")
    for name in gone:
        tell_left(book, name)
    return f"; silent, and so withdrawn: {', '.join(gone)}"


def _a_game(book: LeagueBook, number: int) -> str:
    """Return the text that tells a player that a round's draw gave them a game, without saying which."""
    return f"{book.file.title}: round {number} is drawn. Your game comes with a letter of its own.\n"


def _no_game(book: LeagueBook, number: int, has: str = "no game in it") -> str:
    """Return the text that tells a player that the draw of a round left them without a game."""
    text = f"{book.file.title}: round {number} is drawn, and you have {has}"
    if book.file.format != "ladder":
        return f"{text}.\n"
    return (
        f"{text}. A challenge counts if it goes {book.file.reach} rungs up at most, and both have room "
        f"for a game: pbem league challenge {book.file.name} NAME\n"
    )


def _open_game(book: LeagueBook, act: OpenGame, now: datetime) -> str:
    season, pair = book.season, act.pair
    call = season.calls[-1]
    replies = replies_of(book, call)
    bids = round_drawing.bids_for(season, pair, replies)
    seats, options = round_drawing.seats_of(season, pair, bids, recorded_dice(call))
    chains = round_drawing.chains_for(season, season.rounds[-1], pair, replies)
    head = open_game(
        book,
        pair.game,
        act.round,
        {seat.side: season.name_now(seat.player) for seat in seats},
        Brought(book.name, call.number, chains),
        dict(options),
    )
    book.append(
        Opened(
            game=pair.game,
            head=head,
            about=(act.round, pair.number),
            seats=tuple(sorted(seats, key=lambda seat: pair.players.index(seat.player))),
            bids=tuple(sorted(bids.items())),
            options=options,
            at=now,
        )
    )
    return f"{pair.game} is open: " + ", ".join(f"{seat.player} {seat.side}" for seat in seats)


def replies_of(book: LeagueBook, call: Call) -> dict[str, Reply]:
    """Return, by player, the answers to a resolved call, which each game of a round needs."""
    if call.number not in book.replies:
        files = ((player, opened_file(book, call, entry)) for player, entry in call.counted().items())
        book.replies[call.number] = {player: reply_in(file) for player, file in files}
    return book.replies[call.number]


def _take_place(book: LeagueBook, act: TakePlace, now: datetime) -> str:
    book.append(Substituted(player=act.player, of=act.of, at=now))
    tell_place(book, act)
    return f"{act.player} takes the place of {act.of}"


def _enter_result(book: LeagueBook, entry: Ended) -> str:
    book.append(entry)
    state = book.season.rounds[entry.round - 1]
    opened = state.opened_games.get(entry.pairing)
    if opened is not None and entry.by == BY_GAME:
        book.club.store.end_league_game(opened.game)
    elif opened is not None:
        stop_game(book.club, opened.game, f"{book.file.title} has a result: {entry.ending}, by {entry.by}")
    places = [(book.season.name_now(name), place) for name, place in entry.places]
    told = outcome_text(entry.ending, places, entry.reason)
    if not state.unfinished_pairs and book.file.appeal_days:
        tell_settled(book, state)
    elif opened is None:  # it has no letter of its own
        pair = book.season.pair(entry.round, entry.pairing)
        names = [
            one
            for one in map(book.season.name_now, pair.players)
            if not book.season.members[one].leaving_reason
        ]
        tell(book, names, f"{book.file.title}: {pair.game} is not played. {told}.\n")
    return f"round {entry.round}, pairing {entry.pairing}: {told}"


def _finish(book: LeagueBook, now: datetime) -> str:
    standings, ratings = results_table.standings_csv(book.season), results_table.ratings_csv(book.season)
    book.append(
        Finished(
            standings=results_table.sha256(standings),
            ratings=results_table.sha256(ratings),
            moves=results_table.moves(book.season),
            at=now,
        )
    )
    book.sign()
    names = sorted(name for name, member in book.season.members.items() if not member.leaving_reason)
    text, own = f"{book.file.title} is over.\n\n", EMPTY
    head, *rows = standings.decode().splitlines(keepends=True)
    if len(rows) > WHOLE_TABLE:
        text += f"The first {WHOLE_TABLE} of {len(rows)}; the league's pages have all of them.\n"
        own = {row.split(",")[2]: f"\nYou:\n{row}" for row in rows}
    text += "".join((head, *rows[:WHOLE_TABLE]))
    tell(book, names, with_bracket(book.season, text), own)
    return "the league is over"
