"""A club with a league, its entrants with real keys and chains, and games that end by signed concession."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any, TypedDict

from pbem.audit.bundle import Files
from pbem.audit.findings import State
from pbem.audit.leagues import GameBundles, audit_league
from pbem.judge.acts import act
from pbem.judge.adjudication import run_game
from pbem.judge.agenda import read_agendas
from pbem.judge.club import Club
from pbem.judge.export import export as export_game
from pbem.judge.intake import desk
from pbem.judge.intake.player_files import Verdict
from pbem.judge.leagues.book import Done, LeagueBook, begin_league, load_league
from pbem.judge.leagues.desk import Taken, find_reply, take_opened, take_statement
from pbem.judge.leagues.export import bundle
from pbem.judge.leagues.rulings import rule
from pbem.judge.leagues.steps import run_leagues
from pbem.leagues.calls import Reply, Sent
from pbem.leagues.earlier_results import NOTHING, Carried
from pbem.leagues.entries import ENTRANT, Opened, Paired
from pbem.leagues.statements import ENTER, SUBSTITUTE, WITHDRAW, Statement, sign_statement
from pbem.play.adjudicate import setting_of
from pbem.reports.packing import unpack_view
from pbem.titles import default_name
from pbem.trust import keys
from pbem.trust.act_entries import CONCEDE, Consent, sign_consent
from pbem.trust.chance import Chain, Reveal, make_chain, sent_name
from pbem.trust.entries import Genesis
from pbem.trust.faults import SealFault
from pbem.trust.orderfile import OrderFile, Seen
from pbem.trust.sealing import to_armor
from tests.conftest import chance
from tests.judge.invariants import Watched
from tests.judge.table import Room
from tests.trust.sealed import orders_for, seal_orders

START = datetime(2027, 1, 1, 12, tzinfo=UTC)
NAME = "cup"
GAME = default_name()

FILE = """
name = "cup"
format = "{form}"
[game]
rules = "{rules}"
options = {{ scenario = "braveheart" }}
[entries]
until = 2027-01-31T20:00:00Z
least = 2
{entries}
[rounds]
{rounds}
[draws]
days = 5
[leaving]
silent_calls = {silent}
replace_days = {replace}
[appeals]
days = {appeals}
answer_days = 5
{more}
[people]
director = "dora"
assistants = ["anna"]
"""


def file_of(
    form: str,
    *,
    count: int = 2,
    rounds: str = "days = 100",
    more: str = "",
    entries: str = "",
    waits: tuple[int, int, int] = (0, 0, 0),
    panel: Sequence[str] = (),
) -> bytes:
    """A league.toml; `waits`: silent_calls, replace_days, days of appeals.

    `count` rounds or periods, where the format counts them and `rounds` does not say it. As few as two may
    begin, so a Swiss has to say what happens when everybody has met. A `panel` decides what is unfinished.
    """
    if form == "swiss" and "[swiss]" not in more:
        more += '\n[swiss]\nstuck = "rematch"\n'
    if form in ("swiss", "ladder") and "count" not in rounds:
        rounds = f"count = {count}\n{rounds}"
    if panel:
        more += '\n[unfinished]\nby = "panel"\n'
    silent, replace, appeals = waits
    file = FILE.format(
        rules=GAME,
        form=form,
        rounds=rounds,
        more=more,
        entries=entries,
        silent=silent,
        replace=replace,
        appeals=appeals,
    )
    return (f"{file}panel = {json.dumps(panel)}\n" if panel else file).encode()


@cache
def key_of(name: str) -> keys.PrivateKey:
    """Everybody's key; made once, for it says nothing of a test."""
    return keys.generate(name)


def secret(name: str) -> bytes:
    """The last link of somebody's chains."""
    return name.encode().ljust(32, b".")[:32]


def sent_chain(ledger: str, call: int, player: str, number: int = 1) -> Chain:
    """A chain that a player sends with their answer to a call."""
    return make_chain(sent_name(ledger, call, number), f"{player}.1", secret(player))


def league_chain(ledger: str, player: str) -> Chain:
    """The chain with which somebody has entered a league."""
    return make_chain(ledger, f"{player}.1", secret(player))


def chain_in(genesis: Genesis, player: str) -> Chain:
    """The chain that a player has sent for a game of the league's."""
    (number,) = (one.chain for one in genesis.players if one.name == player)
    assert genesis.drawn is not None
    return sent_chain(*genesis.drawn, player, number)


def take_reply(club: Club, sealed: bytes) -> Verdict:
    """Take in a sealed file for a league. Raises SealFault if it is sealed to nobody there."""
    with club.store.step():
        found = find_reply(club, sealed)
        if found is None:
            raise SealFault("it is for no league", reason="sealed-to-another")
        return take_opened(club, *found, sealed)


class Which(TypedDict):
    """Which league something is about."""

    judge: str
    genesis: str


@dataclass
class World(Room):
    """A room with a league, and what has been done."""

    done: list[Done] = field(default_factory=list)
    signs: dict[str, str] = field(default_factory=dict)
    """Player -> whose key they sign with now, if it is not their first one."""
    chains: dict[str, str] = field(default_factory=dict)
    """Player -> their chain now, if it is not their first one."""
    watched: Watched = field(init=False)

    def __post_init__(self) -> None:
        self.watched = Watched(self.club.path)

    def key(self, player: str) -> keys.PrivateKey:
        """What a player signs with."""
        return key_of(self.signs.get(player, player))

    @property
    def book(self) -> LeagueBook:
        """The league's ledger, to be looked at."""
        return load_league(self.club, NAME)

    @property
    def which(self) -> Which:
        """Which league it is, as everything that is said about it names it."""
        season = self.book.season
        return {"judge": season.genesis.gm, "genesis": season.genesis_head}

    def say(self, player: str, say: str, **more: object) -> Taken:
        """Something said, signed and entered."""
        return take_statement(self.club, self.statement(player, say, **more))

    def leaves(self, *players: str) -> None:
        """Each withdraws, and the judge looks."""
        for player in players:
            self.say(player, WITHDRAW)
            self.run()

    def statement(self, player: str, say: str, **more: object) -> bytes:
        """Something said, signed."""
        parts: dict[str, object] = {**self.which, **more}
        made = Statement(
            league=f"league.{NAME}",
            player=player,
            say=say,
            made=self.clock(),
            **parts,  # type: ignore[arg-type]
        )
        return sign_statement(made, self.key(player))

    def enlist(self, *players: str) -> None:
        """Somebody new enters the list of substitutes."""
        for player in players:
            self.substitute(player)

    def admit(self, player: str, of: str) -> None:
        """Somebody new plays on for who has left, by a ruling."""
        self.substitute(player, of)
        self.rule("admit", player)

    def substitute(self, player: str, of: str = "") -> None:
        """Somebody new offers to play on for who has left; for nobody's place: enters the list."""
        anchor = Reveal(f"{player}.1", 0, make_chain(f"league.{NAME}", f"{player}.1", secret(player)).anchor)
        self.say(player, SUBSTITUTE, key=key_of(player).public, anchor=anchor, of=of)

    def enter(self, *players: str, **more: object) -> None:
        """Entries; `more` for all of them."""
        for player in players:
            take_statement(self.club, self.entry(player, **more))

    def entry(self, player: str, **more: object) -> bytes:
        """An entry, signed."""
        chain = make_chain(f"league.{NAME}", f"{player}.1", secret(player))
        anchor = Reveal(f"{player}.1", 0, chain.anchor)
        return self.statement(player, ENTER, key=self.key(player).public, anchor=anchor, **more)

    def reply(
        self,
        player: str,
        bids: Callable[[str], str] | None = None,
        book: LeagueBook | None = None,
        **changed: object,
    ) -> bytes:
        """The file that a player's program makes for the open call."""
        book = book or self.book
        call = book.season.call
        assert call is not None
        reply = Reply()
        if call.seating is not None:
            state = book.season.round
            games = [
                pair.game
                for pair in (state.unfinished_pairs if state is not None and bids else ())
                if player in map(book.season.name_now, pair.players)
            ]
            many = range(1, call.seating.chains + 1)
            chains = (sent_chain(book.name, call.number, player, one) for one in many)
            sent = tuple(Sent(one, chain.anchor, "") for one, chain in enumerate(chains, 1))
            reply = Reply(sent, tuple((game, bids(game)) for game in games) if bids else ())
        who = self.chains.get(player, f"{player}.1")
        chain = make_chain(book.name, who, secret(player))
        parts: dict[str, object] = {
            "game": book.name,
            "exchange": call.number,
            "player": player,
            "side": ENTRANT,
            "rev": 1,
            "seal": dict(call.opened.seals)[player],
            "seen": Seen(book.size, book.head),
            "reveal": Reveal(who, call.number, chain.reveal(call.number)),
            "body": reply.body,
        }
        return seal_orders(OrderFile(**(parts | changed)), self.key(player))  # type: ignore[arg-type]

    def answer(self, players: Iterable[str] | None = None) -> None:
        """Let these, or all, answer the open call."""
        call = self.book.season.call
        assert call is not None
        for player in call.asked if players is None else players:
            taken = take_reply(self.club, self.reply(player))
            assert taken.is_accepted, taken.text

    def seat(self) -> None:
        """From an open call to open games, everybody answering."""
        while self.book.season.call is not None:
            self.answer()
            self.run()

    def run(self, *, damaged: bool = False) -> list[Done]:
        """One pass over the leagues; after it nothing is wrong with the folder that was not `damaged`."""
        done = list(run_leagues(self.club, read_agendas(self.club)))
        if not damaged:
            self.watched.look()
        self.done += done
        return done

    def later(self, days: float) -> None:
        """Let time pass."""
        self.clock.now += timedelta(days=days)

    def after(self, days: float) -> list[Done]:
        """The judge looks again, so many days later."""
        self.later(days)
        return self.run()

    def concede(self, game: str, player: str) -> None:
        """End a game: a player concedes, signed."""
        book = self.club.book(game)
        assert book.history.current is not None
        consent = Consent(
            game=game,
            genesis=str(book.head_at(1)),
            seen=(book.size, book.head),
            exchange=book.history.current.number,
            by=player,
            to=f"{CONCEDE} {player}",
        )
        act(
            self.club,
            game,
            CONCEDE,
            player,
            reason="the game is lost",
            consents=[sign_consent(consent, self.key(player))],
        )

    def play(self, pairs: Iterable[Paired], winner: Callable[[Paired], str]) -> None:
        """End the games of these pairings."""
        for pair in pairs:
            for player in pair.players:
                if player != winner(pair):
                    self.concede(pair.game, player)

    def bots_play(self, game: str, name: str, *, exchanges: int = 1_000) -> None:
        """Everybody sends what a bot writes, for so many exchanges or until the game is over."""
        genesis = self.club.book(game).history.genesis
        title = setting_of(genesis).title
        bots = {one.name: title.bots[name](one.side) for one in genesis.players}
        sides = {one.name: one.side for one in genesis.players}
        for _ in range(exchanges):
            book = self.club.book(game)
            exchange = book.history.current
            if exchange is None:
                return
            resolved = book.history.resolved
            reported = {one.audience: one.sha256 for one in resolved[-1].reported} if resolved else {}
            for player in exchange.seals:
                body = ""
                if resolved:
                    view = unpack_view(self.club.store.report(reported[sides[player]]))
                    assert view is not None
                    body = bots[player].write(view)
                orders = orders_for(book, player, chain_in(book.history.genesis, player), body=body)
                (verdict,) = desk.submit(self.club, to_armor(seal_orders(orders, key_of(player))).encode())
                assert verdict.is_accepted, verdict.text
            assert run_game(self.club, game) is not None

    def end_games(self, winner: Callable[[Paired], str] | None = None) -> None:
        """All games that are open end, and the judge looks."""
        self.play(self.open_pairs(), winner or by_name)
        self.run()

    def open_pairs(self) -> tuple[Paired, ...]:
        """The pairings whose games go on."""
        state = self.book.season.round
        return (
            tuple(pair for pair in state.unfinished_pairs if pair.number in state.opened_games)
            if state
            else ()
        )

    def rule(self, *decides: str, by: str = "dora", reason: str = "as the rules say") -> None:
        """A ruling of the director's."""
        rule(self.club, NAME, decides, by=by, reason=reason)


def make_world(folder: Path, data: bytes, people: Iterable[str] = (), carried: Carried = NOTHING) -> World:
    """A club whose league takes entries; `people` are enrolled with it before."""
    with chance.of("a league's judge"):  # whose chains are made once
        world = World.begun(folder, START)
    for name in people:
        world.club.add_player(name, key_of(name).public)
    begin_league(world.club, data, carried)
    return world


def files_of(world: World) -> Files:
    """The league's bundle as it is."""
    return Files(dict(bundle(world.book)), ())


def refuted(of: World | Files, **more: Any) -> list[str]:
    """What an audit refutes of a league as it is, or of its files."""
    rows = audit_league(files_of(of) if isinstance(of, World) else of, **more).rows
    return [str(row) for row in rows if row.state is State.REFUTED]


def games_of(world: World, folder: Path) -> Mapping[str, Files]:
    """The bundles of its games, as the public gets them."""
    for entry in world.book.entries:
        if isinstance(entry, Opened):
            export_game(world.club, entry.game, "public", folder / "games" / entry.game)
    return GameBundles(folder / "games")


def by_name(pair: Paired) -> str:
    """A result that everybody can foretell: the first by name wins."""
    return min(pair.players)


def play_round(world: World, winner: Callable[[Paired], str] = by_name) -> None:
    """From a call that is open to the round's end, everybody answering."""
    world.seat()
    world.end_games(winner)


Entered = Callable[..., World]
"""From a league's file and its entrants: the league that takes more entries (fixture `entered`)."""
Called = Callable[..., World]
"""The same, whose first draw is called for (fixture `called`). `people` are enrolled with the club before."""
