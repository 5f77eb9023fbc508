"""What a cheating judge or director does, alone or with an entrant. Each says what has to come out, before.

A *live* cheat does it in the ledger that is played on; a *late* one rewrites the bundle of a league that is
over. Who has answered a call has signed the head that they saw: rewriting what came before shows there too.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Literal

import pytest

from pbem.audit.bundle import Files
from pbem.judge.leagues import steps
from pbem.judge.leagues.book import load_league
from pbem.leagues.entries import (
    BY_GAME,
    BY_LEAVING,
    BY_PANEL,
    BY_RULE,
    DRAW,
    SEATS,
    Ended,
    Finished,
    GameAt,
    Purpose,
    RoundOver,
    Ruled,
    Said,
)
from pbem.leagues.model import Ending
from pbem.leagues.scheduler import CloseCall, OpenCall, next_act
from pbem.leagues.statements import ABSENT, WITHDRAW
from pbem.trust import formats
from pbem.trust.entries import Close, Entry, Open, Received
from pbem.trust.ledger import Checkpoint, Receipt, sign_statement
from tests.attacks.framing.plot import HONEST, HOSTILE, Plot
from tests.leagues.forging import (
    Edit,
    forged_entry,
    hidden_share,
    loaded,
    other_result,
    other_side,
    rewritten,
    swapped,
)

Who = Literal["judge", "judge and entrant", "stranger"]
CO_SIGNED = "has seen the head"
"""Found by the heads that entrants have signed."""


@dataclass(frozen=True, slots=True)
class Cheat:
    """One way to cheat. `told`: one of these is said by what is refuted."""

    name: str
    who: Who
    when: str
    """start, call, games, last-date, over: at which point of a season it can be done."""
    do: Callable[[Plot], bool]
    """Whether it could be done."""
    told: tuple[str, ...]
    goes_on: bool = False
    """Whether the league is played to its end afterwards; else it is looked at as it stands."""


LIVE: dict[str, Cheat] = {}
LATE: dict[str, tuple[Edit, tuple[str, ...]]] = {}


def live(
    who: Who, when: str, *told: str, goes_on: bool = False
) -> Callable[[Callable[[Plot], bool]], Callable[[Plot], bool]]:
    """Add a live cheat."""

    def add(do: Callable[[Plot], bool]) -> Callable[[Plot], bool]:
        LIVE[do.__name__] = Cheat(do.__name__, who, when, do, told, goes_on)
        return do

    return add


def enter(plot: Plot, *entries: Entry) -> None:
    """The judge enters by hand, and signs."""
    with plot.world.club.store.step():
        book = load_league(plot.world.club, "cup")
        for entry in entries:
            book.append(entry)
        book.sign()


def asked(plot: Plot, number: int, names: list[str]) -> tuple[tuple[str, str], ...]:
    """The recipients of a call."""
    return tuple((name, plot.world.book.seal(number, name).recipient) for name in sorted(names))


def call_first_draw(plot: Plot, names: list[str]) -> None:
    """The judge asks these for a step of their chains, when they like."""
    until = plot.world.clock() + timedelta(days=5)
    enter(plot, Open(exchange=1, seals=asked(plot, 1, names), deadline=until, extra=(Purpose(DRAW, 1).line,)))


@live("judge", "start", "what is due")
def begins_before_entries_are_closed(plot: Plot) -> bool:
    """The first draw is called for while people may still enter."""
    names = [name for name, one in plot.season.members.items() if one.plays(1)]
    call_first_draw(plot, names)
    return True


@live("judge and entrant", "start", "has said 8 things today")
def more_is_taken_of_a_friend(plot: Plot) -> bool:
    """The judge takes from ben what they refuse to others."""
    if plot.season.quota.limited_statements[HOSTILE] or HOSTILE not in plot.season.members:
        return False
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(formats, "MAX_STATEMENTS_IN_DAY", 20)
        taken = sum(plot.say(HOSTILE, ABSENT, rounds=(one, one)) for one in range(700, 712))
        plot.caught = plot.files()
    return taken > 8


@live("judge", "start", "what is due")
def somebody_is_left_out_of_a_draw(plot: Plot) -> bool:
    """Ann has entered, and is not asked."""
    plot.world.later(31)
    names = [name for name, one in plot.season.members.items() if one.plays(1) and name != HONEST]
    if len(names) < 3:
        return False
    call_first_draw(plot, names)
    return True


@live("judge", "call", "what is due")
def a_call_is_closed_while_ann_is_waited_for(plot: Plot) -> bool:
    """She has five days, and gets none."""
    call = plot.season.call
    if call is None or HONEST not in call.waiting:
        return False
    enter(plot, Close(exchange=call.number, at=plot.world.clock()))
    return True


@live("judge", "call", "the ledger has not received them", goes_on=True)
def a_file_is_receipted_and_dropped(plot: Plot) -> bool:
    """Ann has the judge's word that a file of hers has come."""
    call = plot.season.call
    if call is None or HONEST not in call.asked:
        return False
    number = sum(isinstance(one, Received) and one.player == HONEST for one in plot.world.book.entries) + 9
    receipt = Receipt(
        game="league.cup",
        exchange=call.number,
        player=HONEST,
        rev=7,
        sealed="7" * 64,
        number=number,
        echo="0" * 64,
    )
    plot.held["dropped.txt"] = receipt.text + sign_statement(receipt, plot.world.club.key)
    return True


@live("judge", "call", "two histories", goes_on=True)
def another_head_is_signed_for_ann(plot: Plot) -> bool:
    """She is shown another ledger."""
    paper = Checkpoint(game="league.cup", size=plot.random.randint(2, plot.world.book.size), head="c" * 64)
    plot.held["second.txt"] = paper.text + sign_statement(paper, plot.world.club.key)
    return True


@live("judge", "games", "the result of cup-", "no ledger", "contradicts", "the head of")
def a_game_is_won_by_whom_the_judge_likes(plot: Plot) -> bool:
    """Its ledger says otherwise."""
    book, club = plot.world.book, plot.world.club
    for pair in plot.world.open_pairs():
        game = club.book(pair.game)
        if game.history.over:
            continue
        plot.concede(pair, plot.season.name_now(pair.players[0]))
        game = club.book(pair.game)
        if not game.history.over:
            return False
        last = pair.players[-1]
        rest = tuple((player, 1 if player == last else 2) for player in pair.players)
        at = GameAt(pair.game, game.size, game.head)
        number = len(book.season.rounds)
        entry = Ended(
            round=number,
            pairing=pair.number,
            game=at,
            ending=Ending.PLAYED,
            by=BY_GAME,
            places=rest,
            at=plot.world.clock(),
        )
        enter(plot, entry)
        return True
    return False


@live("judge", "last-date", "was over at")
def a_won_game_is_called_a_draw(plot: Plot) -> bool:
    """At the last date, by the file's rule."""
    if plot.season.file.unfinished != "draw":
        return False
    for pair in plot.world.open_pairs():
        plot.concede(pair, plot.season.name_now(pair.players[0]))
        if not plot.world.club.book(pair.game).history.over:
            continue
        enter(plot, even(plot, pair.number, BY_RULE))
        return True
    return False


def even(plot: Plot, pairing: int, by: str) -> Ended:
    """A draw."""
    state = plot.season.rounds[-1]
    return Ended(
        round=state.number,
        pairing=pairing,
        ending=Ending.ADJUDICATED,
        by=by,
        places=tuple((player, 1) for player in state.pair(pairing).players),
        at=plot.world.clock(),
    )


@live("judge", "last-date", "what is due")
def the_panel_is_said_to_have_decided(plot: Plot) -> bool:
    """Nobody has voted."""
    if plot.form != "panel":
        return False
    for pair in plot.world.open_pairs():
        if (plot.season.rounds[-1].number, pair.number) not in plot.season.votes:
            first = pair.players[0]
            places = tuple((player, 1 if player == first else 2) for player in pair.players)
            enter(plot, replace(even(plot, pair.number, BY_PANEL), places=places))
            return True
    return False


@live("judge", "games", "what is due")
def a_game_is_decided_by_rule_before_its_last_date(plot: Plot) -> bool:
    """Whatever the file says: it is too early, or not its rule."""
    pairs = plot.world.open_pairs()
    if pairs:
        enter(plot, even(plot, pairs[0].number, BY_RULE))
    return bool(pairs)


@live("judge and entrant", "games", "was over at")
def who_has_won_forfeits(plot: Plot) -> bool:
    """Ben wins, withdraws, and the judge enters his forfeit in place of the game."""
    for pair in plot.world.open_pairs():
        if HOSTILE in pair.players and len(pair.players) == 2:
            plot.concede(pair, HOSTILE)
            if plot.world.club.book(pair.game).history.over and plot.say(HOSTILE, WITHDRAW):
                places = tuple((player, 2 if player == HOSTILE else 1) for player in pair.players)
                forfeit = replace(even(plot, pair.number, BY_LEAVING), ending=Ending.FORFEITED, places=places)
                enter(plot, forfeit)
                return True
    return False


@live("judge", "call", "what is due")
def games_that_were_never_opened_are_drawn(plot: Plot) -> bool:
    """Nobody could play; at the last date it is called a draw by the file's rule."""
    call = plot.season.call
    if plot.season.file.unfinished != "draw" or call is None or call.purpose.what != SEATS:
        return False
    plot.answer(name for name in call.asked if not plot.season.members[name].leaving_reason)
    plot.world.later(6)
    with plot.world.club.store.step():
        book = load_league(plot.world.club, "cup")
        steps.do(book, CloseCall(call.number), plot.world.clock())
    plot.world.later(101)
    enter(plot, even(plot, 1, BY_RULE))
    return True


@live("judge", "games", "what is due")
def somebody_is_said_to_have_left(plot: Plot) -> bool:
    """Nobody has."""
    for pair in plot.world.open_pairs():
        if not any(plot.season.members[plot.season.name_now(one)].leaving_reason for one in pair.players):
            first = pair.players[0]
            places = tuple((player, 2 if player == first else 1) for player in pair.players)
            entry = replace(even(plot, pair.number, BY_LEAVING), ending=Ending.FORFEITED, places=places)
            enter(plot, entry)
            return True
    return False


@live("judge", "between", "is open for less than", "what is due")
def a_call_of_one_second(plot: Plot) -> bool:
    """The file says five days; nobody can answer."""
    now = plot.world.clock()
    act = next_act(plot.season, now, Nothing())
    if not isinstance(act, OpenCall):
        return False
    number = len(plot.season.calls) + 1
    entry = Open(
        exchange=number,
        seals=asked(plot, number, list(act.players)),
        deadline=now + timedelta(seconds=1),
        extra=(act.purpose.line,),
    )
    enter(plot, entry)
    plot.world.later(1)
    return True


class Nothing:
    """No game tells anything."""

    def ended_game(self, game: str) -> None:
        """What came of a game."""

    def counted_game(self, game: str, count: str) -> None:
        """Where it stands."""

    def seated_people(self, game: str) -> None:
        """Who sits in it."""


# Late ones


def late(name: str, *told: str) -> Callable[[Edit], Edit]:
    """Add a late cheat; what is done to each entry, until one is changed."""

    def add(edit: Edit) -> Edit:
        LATE[name] = edit, told
        return edit

    return add


late("a swapped pairing", "the pairings of round", CO_SIGNED)(swapped)
late("a loaded lot", "the die ", CO_SIGNED)(loaded)
late("a share that was left out", "is left out, whose file was received", "left out", CO_SIGNED)(hidden_share)
late("another rating", "papers/", "is not what", CO_SIGNED)(forged_entry)
late("a result turned round", "the result of", "what is due", CO_SIGNED)(other_result)
late("sides that nobody drew", "the sides of", "the seat of", CO_SIGNED)(other_side)


@late("a round that is not said to be over", "cannot stand there")
def _(entry: Entry) -> Entry | None:
    return None if isinstance(entry, RoundOver) else entry


@late("other standings", "standings")
def _(entry: Entry) -> Entry | None:
    return replace(entry, standings="d" * 64) if isinstance(entry, Finished) else entry


@late("a ruling by nobody", "neither director nor assistant", "cannot stand there", CO_SIGNED)
def _(entry: Entry) -> Entry | None:
    return replace(entry, by="mallory") if isinstance(entry, Ruled) else entry


@late("a ruling out of nothing", "cannot stand there", CO_SIGNED)
def _(entry: Entry) -> Entry | None:
    return replace(entry, decides=("admit", "nobody")) if isinstance(entry, Ruled) else entry


@late("a vote of a player's", "cannot stand there", "papers/", CO_SIGNED)
def _(entry: Entry) -> Entry | None:
    if isinstance(entry, Said) and entry.statement("league.cup").say == "vote":
        said = replace(entry.statement("league.cup"), player=HONEST)
        return Said.of(said, entry.at)
    return entry


@late("a withdrawal that somebody else wrote", "papers/", "cannot stand there", CO_SIGNED)
def _(entry: Entry) -> Entry | None:
    if isinstance(entry, Said) and entry.statement("league.cup").say == "withdraw":
        return Said.of(replace(entry.statement("league.cup"), reason="no time"), entry.at)
    return entry


def rewrite(plot: Plot, files: Files, name: str) -> Files | None:
    """The bundle after a late cheat; None if there is nothing of its kind in it."""
    edit, _ = LATE[name]
    done: list[Entry] = []

    def once(entry: Entry) -> Entry | None:
        if done or (changed := edit(entry)) == entry:
            return entry
        done.append(entry)
        return changed

    forged = rewritten(files.known_files, plot.world.club.key, once)
    return forged if done else None
