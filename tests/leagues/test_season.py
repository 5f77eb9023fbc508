"""Leagues from the first entry to the last table, by the judge's own steps."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

from pbem.audit import audit
from pbem.cli import main
from pbem.errors import PbemError
from pbem.judge.book import Book
from pbem.judge.club import Club
from pbem.judge.leagues import steps
from pbem.judge.leagues.book import LeagueBook, load_league
from pbem.judge.leagues.desk import take_statement
from pbem.judge.leagues.display import standings
from pbem.judge.leagues.export import bundle as league_bundle
from pbem.judge.leagues.export import export as league_export
from pbem.judge.leagues.status import waiting_decisions
from pbem.leagues import results_table
from pbem.leagues.entries import Ended, Opened
from pbem.leagues.model import Ending
from pbem.leagues.statements import ABSENT, VOTE, WITHDRAW
from pbem.mail.statements import find_statements
from pbem.titles import load
from pbem.trust import keys
from tests.leagues.world import Called, Entered, World, file_of, play_round, take_reply

pytestmark = pytest.mark.ci


FOUR = ("ann", "ben", "cat", "dan")
SWISS = file_of("swiss")


@pytest.fixture
def swiss(called: Called) -> World:
    """Four in a Swiss of two rounds, the first draw called for."""
    return called(SWISS, *FOUR)


def points(world: World) -> dict[str, Fraction]:
    return {row.player: row.points for _, rows in results_table.tables(world.book.season) for row in rows}


def test_a_swiss_of_four_plays_two_rounds_and_ends_by_itself(swiss: World) -> None:
    play_round(swiss)
    play_round(swiss)
    season = swiss.book.season
    assert season.is_over, [one.text for one in swiss.done]
    assert points(swiss)["ann"] == 2
    assert sum(points(swiss).values()) == 4
    met = [frozenset(pair.players) for state in season.rounds for pair in state.pairings.pairs]
    assert len(set(met)) == len(met) == 4
    assert swiss.run() == []
    first = next(one for one in swiss.book.entries if isinstance(one, Opened))
    assert all(player.anchor for player in swiss.club.book(first.game).history.genesis.players)


@pytest.mark.parametrize("stuck", ["rematch", "end"])
def test_a_swiss_goes_on_or_ends_when_everybody_has_met(called: Called, stuck: str) -> None:
    """It once said at every pass that it could not be paired, and nothing but to cancel it helped."""
    more = f'[swiss]\nstuck = "{stuck}"'
    world = called(file_of("swiss", count=4, more=more), *FOUR)
    for _ in range(3):
        play_round(world)
    met = {frozenset(pair.players) for state in world.book.season.rounds for pair in state.pairings.pairs}
    assert len(met) == 6
    if stuck == "rematch":
        play_round(world)
    else:
        world.seat()
    season = world.book.season
    assert season.is_over, [one.text for one in world.done]
    assert len(season.rounds) == 4
    assert len(season.rounds[3].pairings.pairs) == (2 if stuck == "rematch" else 0)


def test_sections_meet_twice_with_sides_changed(called: Called, capsys: pytest.CaptureFixture[str]) -> None:
    data = file_of("sections", more="[sections]\nsize = 3\ndouble = true\nup = 1")
    world = called(data, *FOUR, "eve", "fay")
    classes = ["league", "classes", "cup", "cup", "--club", str(world.club.path)]
    assert main(classes) == 1
    assert "cup is not over" in capsys.readouterr().err
    play_round(world)
    season = world.book.season
    assert season.is_over
    made = season.rounds[0].pairings
    assert [len(players) for _, players in made.divisions] == [3, 3]
    assert len(made.pairs) == 2 * 6
    seated = {tuple((seat.player, seat.side) for seat in pair.seats) for pair in made.pairs}
    assert len(seated) == 12
    assert season.end_entry is not None
    assert sorted(way for _, way in season.end_entry.moves) == ["up", "up"]
    best, second = results_table.classes([season, season])
    assert (len(best), len(second)) == (6 + 2, 4), "as if it were both classes: who rises joins the first"
    assert main(classes) == 0
    out = capsys.readouterr().out
    assert out.startswith(f"class 1: {', '.join(best)}\nclass 2: {', '.join(second)}\n")
    book = world.book
    assert f'[last]\nleagues = [\n    "cup {book.head_at(1)} {book.head}",\n' in out


def test_nobody_plays_more_games_at_once_than_they_wish(entered: Entered) -> None:
    """The next game is opened when one ends; what was never opened is decided at the last date."""
    world = entered(file_of("sections", more='[unfinished]\nby = "draw"'))
    world.enter("ann", games=1)
    world.enter("ben", "cat", "dan")
    world.after(31)
    world.seat()

    def anns() -> list[str]:
        return [pair.game for pair in world.open_pairs() if "ann" in pair.players]

    (first,) = anns()
    assert len(world.open_pairs()) == 4
    assert list(waiting_decisions(world.club)) == []
    waiting = next(
        pair
        for pair in world.book.season.rounds[0].pairings.pairs
        if "ann" in pair.players and pair.game != first
    )
    early = Opened(
        game=waiting.game, head="0" * 64, about=(1, waiting.number), seats=waiting.seats, at=world.clock()
    )
    with pytest.raises(PbemError, match="ann plays as many games as they wish"):
        world.book.season.add(early)
    world.concede(first, "ann")
    world.run()
    (second,) = anns()
    assert second != first
    world.after(101)
    assert world.book.season.is_over
    ended = [one for one in world.book.entries if isinstance(one, Ended)]
    assert [one.ending for one in ended].count(Ending.ADJUDICATED) == 5
    assert len([one for one in world.book.entries if isinstance(one, Opened)]) == 5


def test_a_knockout_of_five_with_an_eliminator(entered: Entered) -> None:
    data = file_of("knockout", more='[knockout]\nodd = "eliminator"')
    world = entered(data)
    for rating, player in enumerate((*FOUR, "eve")):
        world.enter(player, rating=2000 - rating)
    world.enter("vic", eliminator=True)
    world.after(31)
    for _ in range(3):
        play_round(world)
    season = world.book.season
    assert season.is_over, [one.text for one in world.done][-5:]
    last = season.rounds[-1].pairings
    assert {player for pair in last.pairs for player in pair.players} >= {"ann"}
    assert "vic" in {player for pair in season.rounds[0].pairings.pairs for player in pair.players}
    ((_, rows),) = results_table.tables(season)
    assert rows[0].player == "ann"


def four_on_a_ladder(entered: Entered, periods: int) -> World:
    """A ladder whose players have entered, Ann with the highest rating."""
    data = file_of("ladder", count=periods, more="[ladder]\nreach = 1")
    world = entered(data)
    for rating, player in enumerate(FOUR):
        world.enter(player, rating=2000 - rating)
    return world


def test_a_ladder_takes_challenges(entered: Entered) -> None:
    from pbem.leagues.round_drawing import ladder

    world = four_on_a_ladder(entered, periods=2)
    world.say("dan", "challenge", of="cat")
    world.say("ben", "challenge", of="ann")
    world.say("dan", "challenge", of="ann")  # too high: counts for nothing
    world.after(31)
    play_round(world, winner=lambda pair: max(pair.players))
    assert ladder(world.book.season) == ("ben", "ann", "dan", "cat")
    assert standings(world.book.season) == [
        "cup: round 2 is drawn after a challenge to a player at most 1 rung higher",
        *("1  ben", "2  ann", "3  dan", "4  cat"),
    ]
    assert not world.book.season.is_over
    world.say("ann", "challenge", of="ben")
    world.say("cat", "challenge", of="ben")  # too high
    world.run()
    assert "answers of ann, ben, cat for the draw of round 2" in standings(world.book.season)[0]
    play_round(world)
    last = world.club.store.letters_to("league.cup", "cat")[-2].text
    assert "round 2 is drawn, and you have no game in it. A challenge counts if it goes 1 rungs up" in last
    assert ladder(world.book.season) == ("ann", "ben", "dan", "cat")
    ((_, rows),) = results_table.tables(world.book.season)
    assert [(row.place, row.player) for row in rows] == [(1, "ann"), (2, "ben"), (3, "dan"), (4, "cat")]
    assert world.book.season.is_over


def test_a_draw_of_a_ladder_without_a_game_uses_up_no_period(entered: Entered) -> None:
    """The file counts the periods in which challenges are played."""
    world = four_on_a_ladder(entered, periods=1)
    world.after(31)
    assert "answers of ann, ben, cat, dan for the draw of round 1" in standings(world.book.season)[0]
    world.answer()
    assert "everybody has answered call 1, for the draw of round 1" in standings(world.book.season)[0]
    world.run()
    season = world.book.season
    assert [len(state.pairings.pairs) for state in season.rounds] == [0]
    assert not season.is_over
    taken = world.say("dan", "challenge", of="ann")
    assert (
        "it does not count now: ann is 3 rungs above; the highest that dan can challenge is cat" in taken.text
    )
    receipt = world.club.store.letters()[-1]
    assert "it does not count now: ann is 3 rungs above" in receipt.text
    world.run()
    assert world.book.season.call is None, "nobody is asked for dice that no game needs"
    assert (
        "round 2 is drawn after a challenge to a player at most 1 rung higher"
        in (standings(world.book.season)[0])
    )
    assert "does not count" not in world.say("ben", "challenge", of="ann").text
    world.run()
    play_round(world, winner=lambda pair: max(pair.players))
    assert [len(state.pairings.pairs) for state in world.book.season.rounds] == [0, 1]
    assert world.book.season.is_over


def test_a_ladder_on_which_nobody_can_be_challenged_any_more_ends(entered: Entered) -> None:
    world = four_on_a_ladder(entered, periods=1)
    world.after(31)
    world.seat()
    world.say("dan", "challenge", of="ann")
    world.after(99)
    assert not world.book.season.is_over
    world.after(2)
    assert world.book.season.is_over


def test_games_at_their_last_date_go_by_the_rule(called: Called) -> None:
    data = file_of("swiss", count=1, more='[unfinished]\nby = "draw"')
    world = called(data, *FOUR)
    world.seat()
    assert len(world.open_pairs()) == 2
    world.after(101)
    assert world.book.season.is_over
    assert set(points(world).values()) == {Fraction(1, 2)}
    ended = [one for one in world.book.entries if isinstance(one, Ended)]
    assert {one.ending for one in ended} == {Ending.ADJUDICATED}
    for pair in world.book.season.rounds[0].pairings.pairs:
        assert world.club.book(pair.game).history.held is not None
    assert world.club.store.league_games() == {}, "the league waits for no game that it has decided"


def test_a_panel_decides_by_its_signed_votes(called: Called) -> None:
    data = file_of("swiss", count=1, panel=("pam", "pia", "pol"))
    world = called(data, "ann", "ben", people=("pam", "pia", "pol"))
    world.seat()
    world.later(101)
    assert world.run() == []
    places = (("ann", 2), ("ben", 1))
    world.say("pam", VOTE, about=(1, 1), places=places)
    assert world.run() == []
    with pytest.raises(PbemError, match="ann is not on the panel"):
        world.say("ann", VOTE, about=(1, 1), places=places)
    world.say("pol", VOTE, about=(1, 1), places=(("ben", 1), ("ann", 2)))
    world.run()
    assert points(world) == {"ben": 1, "ann": 0}
    bundle = dict(league_bundle(world.book))
    signers = [line.split("@")[0] for line in bundle["keys/allowed_signers"].decode().splitlines()]
    assert signers == ["gm", "ann", "ben", "pam", "pia", "pol"], "the panel has named no key itself"


def test_an_official_does_not_rule_on_their_own_game(called: Called) -> None:
    world = called(SWISS, "dora", "ben")
    world.seat()
    with pytest.raises(PbemError, match="another official must rule on it"):
        world.rule("result", "1", "1", "forfeited", "dora=1", "ben=2")
    world.rule("result", "1", "1", "forfeited", "dora=2", "ben=1", by="anna")


def test_too_few_entrants_wait_for_the_director(entered: Entered) -> None:
    world = entered(SWISS.replace(b"least = 2", b"least = 5"), *FOUR)
    world.later(31)
    assert world.run() == []
    world.rule("start")
    assert world.run()
    assert world.book.season.calls[0].asked == FOUR


def test_a_pass_reads_no_ledger_of_a_league_in_which_nothing_has_come(
    swiss: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a pass costs is what has changed: games that go on, and leagues that wait, are not read."""
    swiss.seat()
    read: list[str] = []
    original = load_league

    def counting(club: Club, name: str) -> LeagueBook:
        read.append(name)
        return original(club, name)

    monkeypatch.setattr(steps, "load_league", counting)
    assert swiss.run() == []
    assert read == []
    first, *_ = swiss.open_pairs()
    swiss.play([first], lambda pair: min(pair.players))
    books: list[str] = []
    book_of = Club.book

    def reading(club: Club, game: str) -> Book:
        books.append(game)
        return book_of(club, game)

    monkeypatch.setattr(Club, "book", reading)
    assert len(swiss.run()) == 1
    assert read
    assert set(books) == {first.game}


@pytest.mark.parametrize("days", [-1 / 86400, -40])
def test_a_league_goes_on_when_its_clock_has_gone_back(swiss: World, tmp_path: Path, days: float) -> None:
    """What is entered by the clock that is right now is dated no earlier than what stands there already."""
    swiss.say("ann", ABSENT, rounds=(3, 3))
    swiss.later(days)
    swiss.say("ben", ABSENT, rounds=(3, 3))
    for _ in range(2):
        play_round(swiss)
    assert [done.text for done in swiss.done if done.is_stopped] == []
    assert swiss.book.season.is_over
    league_export(swiss.club, "cup", tmp_path / "bundle")
    assert audit(tmp_path / "bundle").status == 0


def test_with_another_key_of_the_judge_a_league_stops(swiss: World) -> None:
    """A head that another key has signed would refute an honest judge."""
    swiss.club.unlocked_key = keys.generate("gm")
    swiss.answer()
    (done,) = swiss.run()
    assert done.is_stopped
    assert "goes on with that one alone" in done.text
    assert swiss.book.season.rounds == []


def test_a_forged_or_foreign_statement_is_refused(swiss: World) -> None:
    """Signed by another, for another judge, twice, or changed on its way: nothing of it is entered."""
    before = swiss.book.size
    said = swiss.statement("ann", WITHDRAW)
    forged = said.replace(b"player ann", b"player ben")
    with pytest.raises(PbemError, match=r"the signature was made with the key|something in it was changed"):
        take_statement(swiss.club, forged)
    with pytest.raises(PbemError, match="entries are closed"):
        swiss.enter("eve")
    mangled = "\n".join(f"> {line}" for line in said.decode().splitlines())
    assert list(find_statements(mangled)) == [said]
    assert swiss.book.size == before
    assert (
        f"entry {before + 1}: ann is not paired any more"
        in take_statement(swiss.club, said, what_if=True).text
    )
    assert swiss.book.size == before
    assert take_statement(swiss.club, said).new
    assert not take_statement(swiss.club, said).new


BIDS = [
    ("e2", "s1", ("england", "E1")),
    ("e1", "s3", ("england", "S2")),
    ("e3", "s3", ("england", "none")),
    ("s2", "e3", ("scotland", "E1")),
    ("e3", "e1", ("england", "E3")),
    ("s1", "s2", ("england", "S2")),
    ("s2", "", ("scotland", "S2")),
    ("", "s2", ("england", "S2")),
    ("nonsense", "e1", ("scotland", "E1")),
]


@pytest.mark.parametrize(("mine", "theirs", "expected"), BIDS)
def test_bids_give_sides_and_the_net_of_them(mine: str, theirs: str, expected: tuple[str, str]) -> None:
    bidding = load("hammer").bids
    assert bidding is not None

    def no_die(sides: int, label: str) -> int:
        raise AssertionError(f"{label} of {sides} is not needed")

    sides, options = bidding.decide(("me", "them"), {"me": mine, "them": theirs}, no_die, "bids/1")
    assert (sides["me"], dict(options)["bid"]) == expected
    assert sides["them"] != sides["me"]


@pytest.mark.parametrize("bid", ["e2", ""])
@pytest.mark.parametrize("value", [1, 2])
def test_equal_bids_are_parted_by_the_joint_die(bid: str, value: int) -> None:
    bidding = load("hammer").bids
    assert bidding is not None
    sides, options = bidding.decide(("me", "them"), {"me": bid, "them": bid}, lambda _, __: value, "bids/1")
    assert sides["me"] == ("england" if value == 1 else "scotland")
    assert dict(options)["bid"] == (bid.upper() or "none")


def test_sealed_bids_decide_the_sides_of_a_game(called: Called) -> None:
    data = file_of("swiss", count=1, more='[sides]\nby = "bids"')
    world = called(data, "ann", "ben")
    world.answer()
    world.run()
    for player, words, rev in (("ann", "z9", 1), ("ann", "s1", 2), ("ben", "e3", 1)):
        bids = dict.fromkeys(["cup-r1-1"], words).__getitem__
        taken = take_reply(world.club, world.reply(player, bids=bids, rev=rev))
        assert taken.is_accepted, taken.text
        said = world.club.store.letters_to("league.cup", player)[-1].text
        assert ("which is not a bid and does not count; there are e1, e2" in said) == (words == "z9")
    assert any(
        "--bid and one of e1, e2" in one.text for one in world.club.store.letters_to("league.cup", "ann")
    )
    world.run()
    (opened,) = (one for one in world.book.entries if isinstance(one, Opened))
    assert {seat.player: seat.side for seat in opened.seats} == {"ann": "scotland", "ben": "england"}
    assert opened.bids == (("ann", "s1"), ("ben", "e3"))
    assert dict(world.club.book(opened.game).history.genesis.options)["bid"] == "E2"


def test_a_fault_of_a_league_stops_that_league_alone(swiss: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is set apart, told, and tried again with growing pauses."""

    def broken(*_: object) -> object:
        raise RuntimeError("boom")

    with monkeypatch.context() as patch:
        patch.setattr(steps, "next_act", broken)
        swiss.answer()
        assert any("league cup is set apart" in done.text for done in swiss.run())
        assert not any("boom" in done.text for done in swiss.run()), "it waits for its time"
    swiss.after(1)
    assert len(swiss.book.season.rounds) == 1
