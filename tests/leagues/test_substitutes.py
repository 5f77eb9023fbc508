"""The list of substitutes: who takes whose place, and an audit that refutes whoever passes them over."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from pbem.audit.leagues import audit_league
from pbem.errors import PbemError
from pbem.judge.leagues import steps
from pbem.judge.leagues.display import standings
from pbem.judge.leagues.games import ClubGames
from pbem.judge.new_keys import rotate
from pbem.leagues import scheduler
from pbem.leagues.entries import BY_LEAVING, Ended, Paired, Substituted
from pbem.leagues.results_table import tables, view
from pbem.leagues.scheduler import Act, Games
from pbem.leagues.season import Season
from pbem.leagues.statements import WITHDRAW
from pbem.leagues.timeouts import SILENT
from pbem.trust.act_entries import Consent, sign_consent
from pbem.trust.chance import Reveal, make_chain
from pbem.trust.entries import Entry
from pbem.trust.rotations import KeyChange, sign_rotation
from tests.leagues.forging import rewritten
from tests.leagues.world import (
    Called,
    World,
    by_name,
    file_of,
    files_of,
    games_of,
    key_of,
    make_world,
    play_round,
    refuted,
    secret,
)

FOUR = ("ann", "ben", "cat", "dan")
Make = Callable[..., World]


@pytest.fixture
def begun(called: Called) -> Make:
    """Makes a league in which places wait ten days, whose first draw is called for."""

    def make(
        form: str = "swiss",
        *,
        players: tuple[str, ...] = FOUR,
        count: int = 2,
        days: int = 10,
        silent: int = 0,
    ) -> World:
        return called(file_of(form, count=count, waits=(silent, days, 0)), *players)

    return make


def open_games(world: World) -> tuple[Paired, ...]:
    """From the call for the draw to open games, everybody answering."""
    world.seat()
    return world.open_pairs()


def placed(world: World) -> list[tuple[str, str]]:
    """Who has taken whose place by the list, in order."""
    return [(one.player, one.of) for one in world.book.entries if isinstance(one, Substituted)]


def results(world: World) -> list[Ended]:
    return [one for one in world.book.entries if isinstance(one, Ended)]


def seat(world: World, pair: Paired, of: str, player: str) -> None:
    """Who has a place in a game takes the seat, and the other player consents."""
    book, (other,) = world.club.book(pair.game), set(pair.players) - {of}
    assert book.history.current is not None
    exchange, who = book.history.current.number, f"{of}.2"
    change = KeyChange(
        game=pair.game,
        genesis=str(book.head_at(1)),
        player=of,
        exchange=exchange,
        old=key_of(of).public.fingerprint,
        new=key_of(player).public.line,
        anchor=Reveal(who, 0, make_chain(pair.game, who, secret(player)).anchor),
        person=player,
    )
    head = str(book.head_at(1))
    consent = Consent(
        game=pair.game, genesis=head, seen=(1, head), exchange=exchange, by=other, to=change.consent
    )
    signed = sign_rotation(change, None, key_of(player))
    rotate(world.club, signed, reason=f"{of} has left", consents=[sign_consent(consent, key_of(other))])


# -- who takes a place


def test_the_first_of_the_list_takes_the_place_of_who_leaves(begun: Make) -> None:
    world = begun()
    pairs = open_games(world)
    for name in ("eve", "fay"):
        world.substitute(name)
    assert placed(world) == []
    assert standings(world.book.season)[-1] == "list of substitutes: eve, fay"
    world.leaves("ann")
    assert placed(world) == [("eve", "ann")]
    assert standings(world.book.season)[-1] == "list of substitutes: fay"
    world.after(9)
    assert results(world) == [], "eve has the place, and nothing is lost"
    assert {world.book.season.name_now(name) for pair in pairs for name in pair.players} == {
        *("eve", "ben", "cat", "dan")
    }
    assert [row.player for _, rows in tables(world.book.season) for row in rows if row.note] == []
    assert "eve takes the place of ann" in [one.title for one in view(world.book.season).news]
    world.leaves("ben")
    assert placed(world) == [("eve", "ann"), ("fay", "ben")]
    assert refuted(world) == []


def test_a_seat_that_a_substitute_never_takes_is_lost_after_as_many_days(begun: Make, tmp_path: Path) -> None:
    """Eve has ann's place and not her seat, fay has ben's and takes it; audit, games beside it, agrees."""
    world = begun()
    pairs = {name: pair for pair in open_games(world) for name in pair.players}
    two = next(name for name in FOUR if "ann" not in pairs[name].players)
    for name, new in (("ann", "eve"), (two, "fay")):
        world.substitute(new)
        world.leaves(name)
        assert placed(world)[-1] == (new, name)
    seat(world, pairs[two], two, "fay")
    season, now = world.book.season, world.clock()
    games = ClubGames(world.club, frozenset())
    (waits,) = (one for one in scheduler.decisions(season, now, games) if "seat" in one.text)
    assert waits.text.startswith("eve must take the seat by 2027-02-1")
    assert not waits.waits
    assert scheduler.next_time(season, now) == now + timedelta(days=10)
    world.after(9)
    assert results(world) == []
    world.after(1)
    (lost,) = results(world)
    other = next(name for name in pairs["ann"].players if name != "ann")
    assert (lost.pairing, lost.by, dict(lost.places)) == (
        pairs["ann"].number,
        BY_LEAVING,
        {"ann": 2, other: 1},
    )
    world.after(60)
    assert len(results(world)) == 1, "fay sits, and her game goes on by its rhythm"
    assert refuted(world, games=games_of(world, tmp_path)) == []


@pytest.mark.ci
def test_who_has_taken_the_seat_has_not_lost_it(
    begun: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A judge who says so is refuted with the game's bundle, and too early without it."""
    world = begun()
    (pair,) = (one for one in open_games(world) if "ann" in one.players)
    world.substitute("eve")
    world.leaves("ann")
    seat(world, pair, "ann", "eve")
    monkeypatch.setattr(ClubGames, "seated_people", lambda *_: frozenset())
    world.after(10)
    (lost,) = results(world)
    assert lost.by == BY_LEAVING
    games = games_of(world, tmp_path)
    assert refuted(world) == [], "the league's bundle alone does not show who sat there"
    assert f"eve had the seat in {pair.game}" in str(refuted(world, games=games))
    monkeypatch.setattr(scheduler, "seats_until", lambda *_: {"eve": world.clock() + timedelta(days=1)})
    assert "not a result by leaving" in str(refuted(world)), "it was too early"


def test_whoever_stops_in_whatever_way_leaves_a_place_to_the_list(begun: Make) -> None:
    """By their word, by a ruling, by silence."""
    world = begun(silent=1, players=(*FOUR, "eve", "fay"))
    world.enlist("sue", "tom")
    world.answer([name for name in FOUR if name != "ann"] + ["eve", "fay"])
    world.after(6)
    assert world.book.season.members["ann"].leaving_reason == SILENT
    world.rule("expel", "ben")
    world.run()
    assert placed(world) == [("sue", "ann"), ("tom", "ben")]
    with pytest.raises(PbemError, match="somebody plays on for them"):
        world.rule("readmit", "ann")
    assert refuted(world) == []


def test_who_comes_while_a_place_waits_takes_it_and_who_comes_later_does_not(begun: Make) -> None:
    world = begun()
    (pair,) = (one for one in open_games(world) if "ann" in one.players)
    world.leaves("ann")
    world.later(9)
    world.substitute("eve")
    world.run()
    assert placed(world) == [("eve", "ann")]
    seat(world, pair, "ann", "eve")
    world.say("ben", WITHDRAW)
    world.after(11)
    assert [one.by for one in results(world)] == [BY_LEAVING]
    world.substitute("fay")
    world.run()
    assert placed(world) == [("eve", "ann")], "ben's place is lost, and his games stay lost"


def test_a_pause_of_the_judge_takes_no_place_from_the_list(begun: Make) -> None:
    world = begun()
    open_games(world)
    world.substitute("eve")
    world.say("ann", WITHDRAW)
    world.after(30)
    assert placed(world) == [("eve", "ann")]
    assert results(world) == []
    assert refuted(world) == []


def test_a_seat_waits_once_in_a_round_however_long_the_list_is(begun: Make) -> None:
    """While its days go on the next of the list follows; after them the game is lost, and only then."""
    world = begun()
    (pair,) = [one for one in open_games(world) if "ann" in one.players]
    for name in ("eve", "fay", "gus"):
        world.substitute(name)
    left = world.clock()
    world.leaves("ann")
    world.later(5)
    world.leaves("eve")
    assert placed(world) == [("eve", "ann"), ("fay", "eve")]
    assert results(world) == []
    world.later(6)
    world.leaves("fay")
    (lost,) = results(world)
    assert (lost.pairing, lost.by) == (pair.number, BY_LEAVING)
    assert (lost.at - left).days == 11
    assert placed(world)[2:] == [("gus", "fay")], "who is drawn in the next round"
    assert refuted(world) == []


def test_nobody_takes_a_place_that_has_nothing_left_to_play(begun: Make) -> None:
    """In the last round, when one's own game is over; in a cup, when one is out."""
    world = begun(count=1)
    pairs = open_games(world)
    world.substitute("eve")
    world.play(pairs[:1], by_name)
    world.run()
    world.leaves(max(pairs[0].players))
    assert placed(world) == []
    world.leaves(pairs[1].players[0])
    assert placed(world) == [("eve", pairs[1].players[0])]


def test_a_game_that_is_over_is_no_longer_anybodys_place(begun: Make) -> None:
    """It was over before the judge looked: its result comes first, and who has left keeps it."""
    world = begun(count=1)
    pairs = open_games(world)
    world.substitute("eve")
    world.play(pairs[:1], by_name)
    world.leaves(max(pairs[0].players))
    assert placed(world) == []
    assert [one.pairing for one in results(world)] == [pairs[0].number]
    assert refuted(world) == []


def test_a_place_in_a_bracket_is_taken_also_while_a_draw_is_called_for(begun: Make) -> None:
    """Who is out leaves none; who goes on does, and their substitute meets whom they would have met."""
    world = begun("knockout")
    play_round(world)
    season = world.book.season
    assert season.call is not None, "the final is called for"
    loser = next(name for name in FOUR if name not in season.call.asked)
    through, other = season.call.asked
    world.substitute("eve")
    world.say(loser, WITHDRAW)
    world.leaves(through)
    assert placed(world) == [("eve", through)]
    world.answer([other])
    world.after(6)
    (final,) = world.book.season.rounds[1].pairings.pairs
    assert set(final.players) == {"eve", other}
    assert refuted(world) == []


def test_who_takes_a_place_while_a_round_is_drawn_is_drawn_for_it(begun: Make) -> None:
    world = begun()
    world.substitute("eve")
    world.say("ann", WITHDRAW)
    world.answer(["ben", "cat", "dan"])
    world.run()
    world.after(6)
    assert {name for pair in world.book.season.rounds[0].pairings.pairs for name in pair.players} == {
        *("eve", "ben", "cat", "dan")
    }
    assert refuted(world) == []


# -- the list


@pytest.mark.parametrize("by_themselves", [True, False])
def test_who_is_on_the_list_leaves_it_or_is_taken_off_it(begun: Make, *, by_themselves: bool) -> None:
    """One who is dead, or a second name of somebody's, would else stand before all others."""
    world = begun()
    open_games(world)
    world.enlist("eve", "fay")

    def goes() -> None:
        if by_themselves:
            world.say("eve", WITHDRAW)
        else:
            world.rule("expel", "eve", reason="she cannot be reached")

    goes()
    world.later(1)
    with pytest.raises(PbemError, match="eve does not play"):
        goes()
    world.leaves("ann")
    assert placed(world) == [("fay", "ann")]
    assert refuted(world) == []


def test_the_list_goes_before_the_directors_choice(begun: Make) -> None:
    world = begun()
    open_games(world)
    world.substitute("eve")
    world.say("ann", WITHDRAW)
    world.substitute("zoe", "ann")
    with pytest.raises(PbemError, match="eve is first on the list"):
        world.rule("admit", "zoe")
    with pytest.raises(PbemError, match="gets a place without a ruling"):
        world.rule("admit", "eve")
    world.run()
    assert placed(world) == [("eve", "ann")]


def test_the_list_holds_as_many_as_its_limit_says(begun: Make) -> None:
    """And leaves room for those who offer to play on for one who has left."""
    world = make_world(
        begun().club.path.parent / "small",
        file_of("swiss", entries="most = 16", waits=(0, 7, 0), rounds="count = 2"),
    )
    try:
        for number in range(12):
            world.substitute(f"sub-{number}")
        with pytest.raises(PbemError, match="12 have entered the list"):
            world.substitute("one-more")
    finally:
        world.club.store.close()


# -- a director who does otherwise


@pytest.fixture
def vacant(begun: Make) -> World:
    """Ann has left an open game, and eve and fay are on the list."""
    world = begun()
    open_games(world)
    world.enlist("eve", "fay")
    world.say("ann", WITHDRAW)
    return world


def cheat(world: World, patch: pytest.MonkeyPatch, *names: str) -> None:
    """A pass of a director whose program does not look at these of the list."""
    with patch.context() as changed:
        honest = scheduler.next_act

        def blind(season: Season, now: object, games: Games) -> Act | None:
            kept = season.offers
            season.offers = {name: one for name, one in kept.items() if name not in names}
            try:
                return honest(season, now, games)  # type: ignore[arg-type]
            finally:
                season.offers = kept

        changed.setattr(steps, "next_act", blind)
        world.run()


def test_who_passes_over_the_first_of_the_list_is_refuted(
    vacant: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    cheat(vacant, monkeypatch, "eve")
    assert placed(vacant) == [("fay", "ann")]
    (told,) = refuted(vacant)
    assert "that eve takes the place of ann, not that fay takes the place of ann" in told


def test_who_lets_a_game_be_lost_although_somebody_was_on_the_list_is_refuted(
    vacant: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    vacant.later(11)
    cheat(vacant, monkeypatch, "eve", "fay")
    (lost,) = results(vacant)
    assert lost.by == BY_LEAVING
    assert "is that eve takes the place of ann, not a result by leaving" in str(refuted(vacant))


def test_who_is_not_on_the_list_takes_no_place_by_it(vacant: World) -> None:
    vacant.run()
    for changed in ({"player": "zoe"}, {"of": "ben"}):

        def edit(one: Entry, changed: dict[str, str] = changed) -> Entry:
            return replace(one, **changed) if isinstance(one, Substituted) else one  # type: ignore[arg-type]

        forged = rewritten(files_of(vacant).known_files, vacant.club.key, edit)
        assert "cannot stand there" in str(refuted(forged))


def test_a_ruling_that_passes_the_list_over_cannot_stand(begun: Make) -> None:
    """Zoe was admitted as the list was empty; a ledger in which eve stood on it is refuted."""
    world = begun()
    open_games(world)
    world.say("ann", WITHDRAW)
    world.substitute("zoe", "ann")
    with pytest.MonkeyPatch.context() as patch:
        world.substitute("eve")
        patch.setattr("pbem.leagues.rulings.first_on_list", lambda *_: None)
        world.rule("admit", "zoe")
    assert "eve is first on the list" in str(refuted(world))


# -- tables


@pytest.mark.ci
@pytest.mark.parametrize("opened", [False, True])
def test_the_list_serves_a_table_that_somebody_leaves(
    tmp_path: Path, called: Called, *, opened: bool
) -> None:
    """Before its game is opened they sit down in it; later it goes on, and nobody in it has left."""
    file = (
        file_of("swiss", count=1, waits=(0, 7, 0), more="[tables]\nleast = 3\nmost = 5")
        .replace(b'"hammer"', b'"lords"')
        .replace(b'options = { scenario = "braveheart" }', b"")
        .replace(b"least = 2", b"least = 3")
    )
    world = called(file, "ann", "ben", "cat")
    world.substitute("eve")
    if opened:
        world.seat()
    world.leaves("ann")
    assert placed(world) == [("eve", "ann")]
    world.after(6)
    (pair,) = world.open_pairs()
    names = {one.name for one in world.club.book(pair.game).history.genesis.players}
    assert names == {"ann" if opened else "eve", "ben", "cat"}
    for name in ("ben", "cat"):
        world.concede(pair.game, name)
    world.run()
    season = world.book.season
    assert season.is_over
    ((_, rows),) = tables(season)
    assert {row.player for row in rows} == {"eve", "ben", "cat"}
    assert (rows[0].player, rows[0].note) == ("eve", "")
    assert season.rounds[0].absent_players == {1: ()}
    assert audit_league(files_of(world), games=games_of(world, tmp_path)).status == 0
