"""Draws, tables, ratings, brackets and pages of whole seasons by chance: no place or word moves unseen."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from hashlib import sha256
from pathlib import Path
from random import Random

import pytest

from pbem.leagues.formats import round_robin, swiss, tables
from pbem.leagues.formats.knockout import LOT, REPLAY, bracket_of
from pbem.leagues.formats.swiss import NoPairing, PairingOptions
from pbem.leagues.model import Ending, Entrant, Pairing, Result, Round, Scoring, WithdrawalScoring
from pbem.leagues.pages import pages
from pbem.leagues.pages.bracket import bracket_in_words, bracket_picture
from pbem.leagues.ratings import ratings
from pbem.leagues.standings import standings
from tests.kept import Telling, as_kept
from tests.leagues import cups
from tests.leagues.dice import dice
from tests.leagues.test_pages import NAMES, SIDES, league_of_sections, league_of_tables, view

GOLDEN = Path(__file__).parent / "golden"
FOUR = {4: ("north", "east", "south", "west"), 3: ("north", "east", "south")}
RULES = Scoring(
    forfeit=Fraction(3, 4),
    annulled=Fraction(1, 4),
    tie_breaks=("head-to-head", "buchholz", "sonneborn-berger", "side-adjusted", "total nobles"),
)


def drawn(round_: Round) -> Iterator[str]:
    """A round in one line for each table."""
    for game in round_.pairings:
        yield f"{round_.number} {round_.division} {game.number}: " + " ".join(
            f"{seat.player}/{seat.side}" for seat in game.seats
        )
    yield from (f"{round_.number} bye: {bye}" for bye in round_.byes)


def by_chance(round_: Round, game: Pairing, chance: Random) -> Result:
    """How a game ends."""
    seats = len(game.seats)
    places = [*range(1, seats + 1)]
    chance.shuffle(places)
    ending = chance.choice([*Ending, *[Ending.PLAYED] * 6])
    return Result(
        round=round_.number,
        division=round_.division,
        pairing=game.number,
        game="any",
        seats=game.seats,
        places=(1,) * seats if chance.random() < 0.15 else tuple(places),
        ending=ending,
        counts=tuple((f"nobles/{seat.side}", chance.randrange(14)) for seat in game.seats),
        day=f"2026-{round_.number:02}-28",
    )


def season(seed: int, size: int, last: int, draw: Callable[..., Round], rules: Scoring) -> Iterator[str]:
    """A season by chance: each round, and the table and ratings at its end."""
    chance = Random(seed)
    people = [
        Entrant(name=name, rating=chance.choice([None, 1400, 1500, 1500, 1710]), eliminator=name == "anna")
        for name in NAMES[:size]
    ]
    rounds: list[Round] = []
    results: list[Result] = []
    left: set[str] = set()
    for number in range(last):
        here = [one for one in people if one.name not in left]
        try:
            rounds.append(draw(here, results, rounds, dice(f"{seed} {number}"), left=frozenset(left)))
        except NoPairing as fault:
            yield str(fault)
            break
        yield from drawn(rounds[-1])
        results += [by_chance(rounds[-1], game, chance) for game in rounds[-1].pairings]
        if chance.random() < 0.4:
            left.add(chance.choice(here).name)
    for row in standings(people, results, rules, rounds=rounds, left=frozenset(left)):
        told = " ".join("-" if value is None else str(value) for value in row.tie_breaks)
        yield f"{row.place} {row.player} {row.played} {row.points} | {told} {row.note}"
    for one in ratings(results) if seed == 0 else ():
        sure = "" if one.provisional is False else "provisional"
        yield f"{one.player} {one.side} {one.value} {one.deviation} {one.volatility} {one.games} {sure}"


def swiss_by(wishes: PairingOptions) -> Callable[..., Round]:
    """Draws Swiss rounds by these wishes."""

    def draw(here: list[Entrant], *known: object, **more: object) -> Round:
        return swiss.pair_players(here, *known, wishes=wishes, sides=SIDES, rules=RULES, **more)  # type: ignore[arg-type]

    return draw


def in_blocks(wishes: PairingOptions) -> Callable[..., Round]:
    """Draws Swiss rounds as of a large field, but with blocks of four."""

    def draw(*known: object, **more: object) -> Round:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(swiss, "BLOCK", 4)
            return swiss_by(wishes)(*known, **more)

    return draw


def with_two_eliminators(here: list[Entrant], *known: object, **more: object) -> Round:
    """Draws Swiss rounds where one of two eliminators is chosen."""
    people = [replace(one, eliminator=one.name in NAMES[:2]) for one in here]
    return swiss_by(PairingOptions(bye="eliminator", stuck="end"))(people, *known, **more)


def at_tables(here: list[Entrant], _: object, rounds: list[Round], die: object, **__: object) -> Round:
    """Draws tables of three and four."""
    return tables.draw_tables([one.name for one in here], 3, 4, rounds, die, sides=FOUR)  # type: ignore[arg-type]


DRAWS: dict[str, tuple[Callable[..., Round], int, int, WithdrawalScoring]] = {
    "swiss": (swiss_by(PairingOptions()), 9, 5, WithdrawalScoring.HALF_PLAYED),
    "swiss with an eliminator": (
        swiss_by(PairingOptions(bye="eliminator", order="sides")),
        8,
        6,
        WithdrawalScoring.ANNULLED,
    ),
    "swiss, seeded": (swiss_by(PairingOptions(seeded=True, stuck="end")), 7, 9, WithdrawalScoring.OPEN_LOST),
    "swiss, apart": (
        swiss_by(PairingOptions(apart=frozenset({frozenset({"bea", "cyd"})}))),
        6,
        8,
        WithdrawalScoring.ANNULLED,
    ),
    "swiss, large": (swiss_by(PairingOptions()), 17, 5, WithdrawalScoring.OPEN_LOST),
    "swiss, in blocks": (in_blocks(PairingOptions(seeded=True)), 16, 7, WithdrawalScoring.OPEN_LOST),
    "swiss, in blocks to its end": (
        in_blocks(PairingOptions(stuck="end")),
        9,
        9,
        WithdrawalScoring.OPEN_LOST,
    ),
    "swiss with two eliminators": (with_two_eliminators, 7, 6, WithdrawalScoring.OPEN_LOST),
    "tables": (at_tables, 13, 6, WithdrawalScoring.HALF_PLAYED),
}


def told_of_draws() -> Telling:
    """Seasons of each kind, sections, and who rises."""
    told = Telling()
    for name, (draw, size, last, leavers) in DRAWS.items():
        rules = Scoring(
            forfeit=RULES.forfeit, annulled=RULES.annulled, tie_breaks=RULES.tie_breaks, leavers=leavers
        )
        for seed in range(3):
            told.add(f"{name}, {seed}", season(seed, size, last, draw, rules))
    people = [Entrant(name=name, rating=place % 3 * 100 or None) for place, name in enumerate(NAMES)]
    for section in round_robin.sections(people, 6, dice()):
        rounds = round_robin.schedule(section, len(section) < 6, sides=SIDES)
        told.add(f"section of {len(section)}", [line for one in rounds for line in drawn(one)])
        results = [by_chance(one, game, Random(one.number)) for one in rounds for game in one.pairings]
        table = standings([Entrant(name=name) for name in section], results, Scoring(), rounds=rounds)
        told.add("moves", [round_robin.moves(table, up, down) for up in (1, 2) for down in (1, 2, 4)])
    return told


def told_of_cups() -> Telling:
    """Knock-outs of many sizes: rounds, places, the bracket in words and as a picture."""
    told = Telling()
    for size in (2, 3, 5, 6, 8, 11):
        for drawn_by, third in ((LOT, True), (REPLAY, False)):
            cup = cups.Season(
                cups.people(size), seed=size, fate=cups.loose, drawn=drawn_by, third=third and size > 3
            )
            cup.play(lambda one: len(one.rounds) == 2)
            for stop in (False, True):
                if stop:
                    cup.play()
                found = bracket_of(cup.cup)
                assert found is not None
                told.add(f"{size}, {drawn_by}", [line for one in cup.rounds for line in drawn(one)])
                told.add("places", [cup.places()])
                words = bracket_in_words(found, cup.results)
                told.add("words", [line for heading, lines in words for line in (heading, *lines)])
                told.lines.append(sha256(bracket_picture(found, cup.results, "cup").encode()).hexdigest())
    return told


def told_of_brackets() -> Telling:
    """Cups in which games stay open or are annulled and people leave: the bracket at each moment."""
    told = Telling()
    for number in range(60):
        chance, size = Random(f"bracket {number}"), 2 + number % 8
        cup = cups.Season(
            cups.people(size),
            seed=number,
            eliminators=frozenset(["x", "w"][: number % 3]),
            drawn=(LOT, REPLAY, "scots")[number // 8 % 3],
            third=number % 4 < 3,
        )
        while not (cup.cup.is_over() or len(cup.rounds) > 5):
            games = cup.draw().pairings
            for game in sorted(games, key=lambda _: chance.random()):
                ending = Ending.ANNULLED if chance.random() < 0.12 else Ending.PLAYED
                told.add(f"{number}", in_brackets(cup))
                cup.end(game, cups.loose(game, chance), ending)
                cup.gone |= {name for name in cup.order if chance.random() < number % 4 / 20}
            told.add(f"{number}, round {len(cup.rounds)}", in_brackets(cup))
    return told


def in_brackets(cup: cups.Season) -> Iterator[str]:
    """A bracket, a line for each match; a place that is not settled yet has a question mark."""
    found = bracket_of(cup.cup)
    assert found is not None
    for stage in (*found.stages, (found.third,) if found.third else ()):
        for match in stage:
            names = ["/".join(one.names) + "?" * (not one.settled) for one in (*match.places, match.winner)]
            yield f"{' - '.join(names[:2])} -> {names[2]} {match.guest} {[*match.games]}"
        yield ""
    yield from (line for heading, lines in bracket_in_words(found, cup.results) for line in (heading, *lines))


def told_of_pages() -> Telling:
    """Every page of three leagues; what a browser lays out by its digest, the rest letter by letter."""
    told = Telling()
    people = [Entrant(name=name) for name in NAMES[:9]]
    rounds: list[Round] = []
    results: list[Result] = []
    for number in range(1, 4):
        rounds.append(swiss.pair_players(people, results, rounds, dice(number), sides=SIDES))
        results += [by_chance(rounds[-1], game, Random(number)) for game in rounds[-1].pairings]
    leagues = (view("swiss", people, rounds, results), league_of_sections(6), league_of_tables())
    for league in leagues:
        for name, page in pages(league).items():
            if name.endswith((".csv", ".ics", ".xml")):
                told.add(name, page.decode().splitlines())
            else:
                told.lines.append(f"{name}: {sha256(page).hexdigest()}")
    return told


TOLD = {
    "draws": told_of_draws,
    "cups": told_of_cups,
    "brackets": told_of_brackets,
    "pages": told_of_pages,
}


@pytest.mark.parametrize("what", TOLD)
def test_what_is_drawn_counted_and_shown_is_as_it_was(what: str) -> None:
    as_kept(GOLDEN / f"{what}.txt", str(TOLD[what]()))
