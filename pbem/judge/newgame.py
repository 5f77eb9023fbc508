"""Opens a game: its options, seats and genesis, the first exchange, and the invitations.

All options are asked of the game's rules and rulings, so that help and refusals say the same of every game.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from pbem import titles
from pbem.characters import lower
from pbem.errors import ConfigError, PbemError
from pbem.judge.book import Book, begin_book
from pbem.judge.club import Club
from pbem.judge.letters.addresses import keep_join_wishes, post_of, webpage_of
from pbem.judge.letters.letters_out import invite, send_roots
from pbem.judge.letters.wishes import refuse_unwilling
from pbem.play.adjudicate import genesis_options, setting_of
from pbem.play.setting import rules_hash
from pbem.rules import UnknownRules, load
from pbem.rules.base import UnknownOption
from pbem.trust import keys
from pbem.trust.chance import Reveal, commitment
from pbem.trust.entries import AFTER_CLOSE, WITH_ORDERS, Close, Enrolled, Genesis, Open
from pbem.trust.formats import MAX_SEATS_TIMES_EXCHANGES, default_exchanges
from pbem.trust.identifiers import check_game_id, who_of
from pbem.trust.player_statements import Join, read_join

if TYPE_CHECKING:
    from pbem.judge.club import Club

MODES = (WITH_ORDERS, AFTER_CLOSE)
PLAYERS = "players"
"""Name of the option for the number of players, in a game that has it."""
LISTED = "its values are "
"""Words that stand before the values of an option in an error of the rules (UnknownOption)."""
MEANINGS = {
    PLAYERS: "how many play",
    "scenario": "where the game begins and how it is won",
    "edition": "the edition of the rulebook, which sets other options",
    "last_year": "the year after which the game ends",
    "pace": "how often the judge stops to ask",
}
"""Meanings of the options of games about which there is no ruling."""


class Brought(NamedTuple):
    """The answers of players to a league's call, as far as their game's dice need them."""

    ledger: str
    call: int
    chains: Mapping[str, tuple[int, str, str]]
    """The hash chain of each player for the game's dice: its number, its anchor, and the step revealed for
    exchange 1."""

    @property
    def shares(self) -> dict[str, Reveal]:
        """Return each player's share in the dice of exchange 1: the revealed step of their chain."""
        return {name: Reveal(who_of(name), 1, share) for name, (_, _, share) in self.chains.items()}


def new_game(
    club: Club,
    game: str,
    rules_name: str,
    options: Mapping[str, Any],
    seats: Mapping[str, str | Join],
    mode: str = "",
    official: str = "",
    exchanges: int = 0,
    brought: Brought | None = None,
    rated: bool = False,
) -> Book:
    """Open a game: genesis, exchange 1 (ready), and an invitation for each player.

    `seats`: side -> the player's join file, or the name of an enrolled player who then takes no part
    in the dice. `official`: an enrolled person who may consent in place of the players. `exchanges`: the
    most that the game may have; 0 for the usual number (protocol 21). `brought`: for a game that a league has
    drawn; its players have accepted it with their answers, so it begins at once. `rated`: the game counts for
    ratings; the invitation says so, and whoever accepts it has signed that they agree.
    """
    check_game_id(game)
    if game.startswith("league."):
        raise ConfigError(
            f"{game} is the name of a league's ledger; no name of a game may begin with league."
        )
    if club.store.head(game)[0]:
        raise ConfigError(f"there is a game called {game} already")
    mode = mode or WITH_ORDERS
    if mode not in MODES:
        raise ConfigError(f"no way to make dice called {mode!r}; there are {', '.join(MODES)}")
    for join in seats.values():
        if isinstance(join, Join) and join.judge not in (None, club.key.public.fingerprint):
            raise ConfigError(
                f"{join.player} has joined {join.game} of another judge, {join.judge}; "
                f"this club's key is {club.key.public.fingerprint}"
            )
    genesis = _genesis(club, game, rules_name, options, seats, mode, exchanges)
    if brought is not None:
        genesis = _name_origin(genesis, brought)
    if rated:
        genesis = replace(genesis, rated=True)
    if official:
        genesis = replace(genesis, official=_official(club, official, genesis))
    setting_of(genesis)
    with club.store.step():
        book = begin_book(club.store, club.roots(game), genesis)
        book.post = post_of(club.settings, game)
        for seat in seats.values():
            if isinstance(seat, Join):
                keep_join_wishes(club.store, seat)
        if brought is not None:
            _begin(club, book, brought)
            return book
        names = [player.name for player in genesis.players]
        book.append(club.opening(game, 1, names, genesis.rules, club.first_deadline(game, book.history)))
        invite(club.store, book, club.key, webpage_of(club.settings), club.rhythm(game).in_words)
        send_roots(club.store, book)
    return book


def _name_origin(genesis: Genesis, brought: Brought) -> Genesis:
    """Return the genesis of a game that a league has drawn, which names the players' chains' origin."""
    players = []
    for one in genesis.players:
        chain, anchor, share = brought.chains.get(one.name, (0, None, None))
        players.append(replace(one, chain=chain, anchor=anchor, share=share))
    return replace(genesis, drawn=(brought.ledger, brought.call), players=tuple(players))


def _begin(club: Club, book: Book, brought: Brought) -> None:
    """Resolve exchange 1 of a game that a league has drawn, since that exchange asks nobody."""
    from pbem.judge.adjudication import bring_back, finish

    book.append(Open(exchange=1, seals=(), rules=book.history.rules))
    book.append(Close(exchange=1, at=club.clock()))
    exchange = book.history.current
    assert exchange is not None
    finish(club, bring_back(club, book), exchange, brought.shares)


def _genesis(
    club: Club,
    game: str,
    rules_name: str,
    options: Mapping[str, Any],
    seats: Mapping[str, str | Join],
    mode: str,
    exchanges: int,
) -> Genesis:
    try:
        rules = load(rules_name)
        checked = rules.checked(options)
    except (UnknownRules, UnknownOption) as problem:
        raise ConfigError(str(problem)) from None
    sides = rules.sides(checked)
    if set(seats) != set(sides):
        given = ", ".join(seats) or "none"
        raise ConfigError(
            f"{rules.title} with these options needs a player for each side, {', '.join(sides)}; "
            f"given: {given}; the sides and options are told by: pbem game new --rules {rules_name} --help"
        )
    enrolled = tuple(_enrol(club, game, side, seats[side]) for side in sides)
    for player, times in Counter(player.name for player in enrolled).items():
        if times > 1:
            raise ConfigError(f"{player} cannot play {times} sides; each side needs another player")
    refuse_unwilling(club.store, game, combinations((player.name for player in enrolled), 2))
    opened, secret = club.chains(game)
    roots = club.roots(game)
    return Genesis(
        game=game,
        exchanges=_exchanges(exchanges, len(enrolled)),
        mode=mode,
        gm=club.key.public.fingerprint,
        gm_recovery=club.recovery,
        rules=rules_hash(rules_name),
        options=genesis_options(rules_name, checked),
        anchor=opened.anchor,
        secret_anchor=secret.anchor,
        salt_commitment=commitment(game, "salt-root", roots.salt),
        seal_commitment=commitment(game, "seal-root", roots.seal),
        players=enrolled,
    )


def _exchanges(wanted: int, players: int) -> int:
    most = MAX_SEATS_TIMES_EXCHANGES // players
    if wanted and not 1 < wanted <= most:
        raise ConfigError(f"a game for {players} can have 2 to {most} exchanges at most, not {wanted}")
    return wanted or default_exchanges(players)


def _official(club: Club, name: str, genesis: Genesis) -> tuple[str, str]:
    row = club.store.player(name)
    if row is None:
        raise ConfigError(f"nobody called {name} is enrolled; first add the official like a player")
    if any(player.name == name for player in genesis.players):
        raise ConfigError(f"{name} plays in {genesis.game}, so they cannot be its official")
    return name, keys.parse_public(row.key).fingerprint


def _enrol(club: Club, game: str, side: str, seat: str | Join) -> Enrolled:
    name = seat if isinstance(seat, str) else seat.player
    known = club.store.player(name)
    if known is None:
        raise ConfigError(f"no player called {name} is enrolled; first add the player")
    if isinstance(seat, Join) and club.store.league_of(game):
        known = known._replace(key=seat.key.line)  # its league's ledger says which key counts
    key = keys.parse_public(known.key)
    if isinstance(seat, str):
        return Enrolled(name=name, fingerprint=key.fingerprint, side=side)
    if seat.game != game:
        raise ConfigError(f"the join file of {name} is for the game {seat.game}, not for {game}")
    if seat.key.line != key.line:
        raise ConfigError(f"the join file of {name}: {known.refusal_of_another_key}")
    return Enrolled(
        name=name,
        fingerprint=key.fingerprint,
        side=side,
        anchor=seat.anchor.value if seat.anchor else None,
        recovery=seat.recovery,
    )


class Choice(NamedTuple):
    """An option of a game, with its usual value, its possible values and its meaning."""

    name: str
    usual: str
    values: str
    """The values that the option can have; "" if they are not listed."""
    meaning: str


def sides_of(rules: str, options: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the sides of a game that is played with these options.

    Raises:
        ConfigError: there is no such game, option or value; it says where they are listed.
    """
    title = _title(rules)
    try:
        return title.rules.sides(title.rules.checked(options))
    except UnknownOption as fault:
        raise ConfigError(f"{fault} ({where_listed(rules)})") from None


def where_listed(rules: str) -> str:
    """Return a line that names the command which explains a game's sides and options."""
    return f"what they mean: pbem game new --rules {rules} --help"


def choices(rules: str) -> list[Choice]:
    """Return a game's options with their values from its rules and their meanings from its rulings."""
    title = _title(rules)
    about = {name: ruling for ruling in reversed(title.rulings) for name in ruling.house_rules}
    found = []
    for name, usual in title.rules.checked({}).items():
        ruling = about.get(name)
        meaning = f"{ruling.title} ({ruling.number})" if ruling else MEANINGS.get(name, "")
        found.append(Choice(name, _option_text(usual), _values(title, name), meaning))
    return found


def _option_text(value: object) -> str:
    return lower(str(value)) if isinstance(value, bool) else str(value)


def _values(title: titles.Title, name: str) -> str:
    """Return the values that a game's option can have, as the error about an impossible value lists them."""
    try:
        title.rules.checked({name: "?"})
    except UnknownOption as fault:
        return str(fault).partition(LISTED)[2]
    return ""


def with_number(rules: str, options: Mapping[str, Any], players: int) -> dict[str, Any]:
    """Return the options, with the number of players added if it was not set and the game allows it."""
    if PLAYERS in options or len(sides_of(rules, options)) == players:
        return dict(options)
    chosen = {**options, PLAYERS: players}
    try:
        fits = len(sides_of(rules, chosen)) == players
    except ConfigError:
        fits = False
    return chosen if fits else dict(options)


def seats_in_order(rules: str, options: Mapping[str, Any], players: Sequence[str]) -> dict[str, str]:
    """Return the player for each side: the first player has the first side, and so on.

    Raises:
        ConfigError: the game is for another number of players.
    """
    sides = sides_of(rules, options)
    if len(sides) != len(players):
        title = _title(rules)
        able = _values(title, PLAYERS)
        can = f"; its option {PLAYERS} can be {able}" if able else ""
        raise ConfigError(
            f"{title.rules.title} with these options has {len(sides)} sides, {', '.join(sides)}, and "
            f"{len(players)} players are named{can} ({where_listed(rules)})"
        )
    return dict(zip(sides, players, strict=True))


def find_seated(club: Club, game: str, value: str) -> str | Join:
    """Return who takes a seat: a join file, from disk or mail, or the name of a player who is enrolled.

    Raises:
        ConfigError: no player is found, or several have asked by that name.
    """
    path = Path(value)
    if path.is_file():
        return read_join(path.read_bytes())
    known = club.store.player(value)
    wishes = [one for one in _wishes(club, game, value) if known is None or one.key.line == known.key]
    if len(wishes) > 1:
        raise ConfigError(
            f"{len(wishes)} have asked to join {game} as {value}, with other keys: name the file in "
            f"{club.joins_folder} whose key is theirs"
        )
    if not wishes and known is None:
        raise ConfigError(
            f"there is no file {value} here, no player called {value} is enrolled, and nobody has asked by "
            f"mail to join {game} by that name; a seat is given to a join file, or to a player by name"
        )
    return wishes[0] if wishes else value


def _wishes(club: Club, game: str, name: str) -> list[Join]:
    found = []
    for path in sorted(club.joins_folder.glob("*.join")):
        try:
            join = read_join(path.read_bytes())
        except PbemError:  # not written here
            continue
        if (join.game, join.player) == (game, name):
            found.append(join)
    return found


def _title(rules: str) -> titles.Title:
    try:
        return titles.load(rules)
    except UnknownRules as fault:
        raise ConfigError(str(fault)) from None
