"""The facts for ratings in one ledger: that of a finished game, or of a league with the results it has.

A game outside leagues is rated if its genesis says so and whoever has a seat at the end has signed orders in
it; the first of them accepted the invitation that said so. Its result is its own last entry `over`.

A key follows another if its holder has signed so: by the old key, or by the recovery key that the ledger
named before they took part. A key that others have granted, or a league's director, counts in its ledger,
and begins an identity of its own: else a judge with invented players could take anybody's.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pbem.leagues.entries import Said
from pbem.leagues.model import Ending
from pbem.leagues.results_table import rated_players
from pbem.leagues.season import Season
from pbem.leagues.statements import NEW_KEY
from pbem.play.adjudicate import genesis_options, option_value, setting_of
from pbem.play.history import History
from pbem.play.outcome import game_places
from pbem.ratings.record import KeyLink, Place, RatedGame, Record
from pbem.rules import load
from pbem.trust.act_entries import is_forfeit
from pbem.trust.entries import GAME_OPTION, Entry, Received
from pbem.trust.keys import parse_public
from pbem.trust.rotations import GM, Rotation
from pbem.trust.times import utc_text


def facts_of_game(
    history: History, entries: Sequence[Entry | None], leaves: Sequence[str], first: str
) -> Record:
    """Return a finished game's facts for ratings, from its ledger. `first`: the head of the first entry."""
    if not history.over:
        return Record()
    genesis, seats = history.genesis, history.seats
    signed, links = set[str](), list[KeyLink]()
    people = {one.name: one.name for one in genesis.players}
    for entry, leaf in zip(entries, leaves, strict=True):
        if isinstance(entry, Received):
            signed.add(entry.player)
        elif isinstance(entry, Rotation) and entry.player != GM:
            name = entry.player
            if entry.person not in ("", people[name]):
                people[name] = entry.person
                signed.discard(name)
            elif name in signed and not entry.by_others and entry.fingerprint != entry.old:
                links.append(KeyLink(entry.old, entry.fingerprint, first, leaf))
    keys = {
        one.name: newest.fingerprint if (newest := seats.newest(one.name)) else one.fingerprint
        for one in genesis.players
    }
    if not genesis.rated or genesis.drawn is not None or signed != keys.keys():
        return Record(links=frozenset(links))
    dated = (getattr(entry, "at", None) for entry in reversed(entries))
    at = next(one for one in dated if one is not None)
    setting, last = setting_of(history.corrected), entries[-1]
    assert last is not None, "everybody may read that a game is over"
    places = dict(game_places(last, setting.seats))
    options = dict(history.corrected.options)
    game = RatedGame(
        at=utc_text(at),
        first=first,
        ledger=first,
        entry=leaves[-1],
        title=options[GAME_OPTION],
        scenario=options.get("scenario", ""),
        ending=Ending.FORFEITED if is_forfeit(history.ended_by) else Ending.PLAYED,
        places=tuple(sorted(Place(one.side, keys[one.name], places[one.name]) for one in genesis.players)),
    )
    names = frozenset((keys[name], person) for name, person in people.items())
    return Record(frozenset({genesis.gm}), names, frozenset(links), frozenset({game}))


def facts_of_league(season: Season, entries: Sequence[Entry], leaves: Sequence[str]) -> Record:
    """Return the facts for ratings in a league's ledger: its valid results, and its players' new keys."""
    first = season.genesis_head
    links = frozenset(_links_of_league(season, entries, leaves))
    last_of = {about: number for number, about in sorted(season.results_at.items())}
    games, names = set[RatedGame](), set[tuple[str, str]]()
    for result in rated_players(season):
        state = season.rounds[result.round - 1]
        outcome, opened = state.outcome(result.pairing), state.opened_games.get(result.pairing)
        if outcome is None or opened is None:
            continue
        keys = {seat.player: parse_public(season.key_of(seat.player)).fingerprint for seat in result.seats}
        chosen = season.file.game_options(result.round, len(result.seats))
        chosen |= {name: option_value(value) for name, value in opened.options}
        names.update((key, name) for name, key in keys.items())
        games.add(
            RatedGame(
                at=utc_text(outcome.at),
                first=opened.head,
                ledger=first,
                entry=leaves[last_of[result.round, result.pairing] - 1],
                title=result.game,
                scenario=_scenario(result.game, chosen),
                ending=result.ending,
                places=tuple(
                    sorted(
                        Place(seat.side, keys[seat.player], place, seat.player in result.gone)
                        for seat, place in zip(result.seats, result.places, strict=True)
                    )
                ),
            )
        )
    judges = frozenset({season.genesis.gm}) if games else frozenset[str]()
    return Record(judges, frozenset(names), links, frozenset(games))


def _scenario(title: str, chosen: Mapping[str, Any]) -> str:
    """Return the name of the scenario that a game with these options begins from, as its genesis has it."""
    options = genesis_options(title, load(title).checked(chosen))
    return dict(options).get("scenario", "")


def _links_of_league(season: Season, entries: Sequence[Entry], leaves: Sequence[str]) -> Iterator[KeyLink]:
    for entry, leaf in zip(entries, leaves, strict=True):
        if not isinstance(entry, Said):
            continue
        said = entry.statement(season.genesis.game)
        if said.say == NEW_KEY and said.by and said.key is not None:
            yield KeyLink(said.old, said.key.fingerprint, season.genesis_head, leaf)
