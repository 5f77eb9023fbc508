"""The ratings of a club: what counts, for whom, and under which name; computed here once more, by hand."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from math import exp, log, pi, sqrt
from pathlib import Path

import pytest

from pbem.errors import ConfigError
from pbem.judge.acts import act
from pbem.judge.letters.letters_out import invitation
from pbem.judge.new_keys import rotate
from pbem.leagues.model import Ending
from pbem.letter_checks import find_contradiction, missing_lines
from pbem.ratings.club_ratings import club_ratings, club_record, export_ratings
from pbem.ratings.merging import merge_clubs
from pbem.ratings.record import (
    RATINGS,
    KeyLink,
    Place,
    RatedGame,
    Record,
    compute_ratings,
    identities,
    parse_ratings,
    ratings_file,
)
from pbem.service.forgetting import forget
from pbem.titles import load
from pbem.trust import keys, signature
from pbem.trust.identifiers import Namespace
from pbem.trust.ledger import Checkpoint
from pbem.trust.letters import ReportLetter
from tests.judge.every_game import run_pass
from tests.judge.table import GAME, Table
from tests.ratings.clubs import club_of, concede


@pytest.fixture
def table(tmp_path: Path) -> Table:
    """A club with one rated game, open."""
    return club_of(tmp_path, {"alice": keys.generate(), "bob": keys.generate()})


def key(letter: str) -> str:
    """A fingerprint."""
    return f"SHA256:{letter * 43}"


def game(number: int, winner: str, loser: str, at: str = "2026-01-05T12:00:00Z") -> RatedGame:
    """A game between two people, each of whom sits always on the same side."""
    places = (Place(f"of-{winner}", key(winner), 1), Place(f"of-{loser}", key(loser), 2))
    first = f"{number:064x}"
    return RatedGame(at, first, first, "e" * 64, "any", "", Ending.PLAYED, tuple(sorted(places)))


def test_a_worked_example(table: Table) -> None:
    """One game of two beginners; by hand, with Glickman's formulas, to whole points.

    The winner's side has won one game of one: with ten draws thrown in it is ln(6/5) of the scale better,
    31.7 points, so the loser counts as 1468.3. g(350) is 0.669, the expected score 0.5305, the variance
    8.97; the new deviation is 290.5, and the rating rises by 2.796 * 0.669 * 0.4695 of the scale: by 152.6.
    """
    concede(table, "bob")
    alice, bob = (one for one in club_ratings(table.club) if not one.side)
    assert (alice.name, alice.rating, alice.interval, alice.games) == ("alice", 1653, (1072, 2234), 1)
    assert (bob.name, bob.rating, bob.games) == ("bob", 3000 - 1653, 1)
    assert alice.title == table.book.history.genesis.options[0][1]
    assert alice.provisional


def recomputed(data: bytes) -> dict[str, float]:
    """The ratings over all sides, from a file's text alone, by floats; volatility stays as it is."""
    games, won = list[tuple[str, dict[str, tuple[str, int]]]](), dict[tuple[str, str], list[float]]()
    for words in (line.split(" ") for line in data.decode().splitlines()):
        if words[0] == "game":
            games.append((words[3][:7], {}))
        elif words[0] == "seat":
            games[-1][1][words[1]] = (words[2], int(words[3]))
    for _, seats in games:
        one, other = sorted(seats)
        won.setdefault((one, other), []).append(
            (1 + (seats[one][1] < seats[other][1]) - (seats[one][1] > seats[other][1])) / 2
        )
    better = {pair: log((sum(of) + 5) / (len(of) - sum(of) + 5)) for pair, of in won.items()}
    now = dict[str, tuple[float, float]]()
    first, last = (min(month for month, _ in games), max(month for month, _ in games))
    months = [f"{year}-{month:02d}" for year in range(2000, 2100) for month in range(1, 13)]
    for month in months[months.index(first) : months.index(last) + 1]:
        seen = dict[str, list[tuple[float, float, float]]]()
        for _, seats in (one for one in games if one[0] == month):
            one, other = sorted(seats)
            for mine, theirs, sign in ((one, other, 1), (other, one, -1)):
                (player, place), (foe, other_place) = seats[mine], seats[theirs]
                mu, phi = now.get(foe, (0.0, 350 / 173.7178))
                score = (1 + (place < other_place) - (place > other_place)) / 2
                seen.setdefault(player, []).append((mu - sign * better[one, other], phi, score))
        before, now = now, {name: (mu, sqrt(phi**2 + 0.06**2)) for name, (mu, phi) in now.items()}
        for name, rows in seen.items():
            mu, phi = before.get(name, (0.0, 350 / 173.7178))
            certain = surplus = 0.0
            for its, spread, score in rows:
                g = 1 / sqrt(1 + 3 * spread**2 / pi**2)
                chance = 1 / (1 + exp(-g * (mu - its)))
                certain += g**2 * chance * (1 - chance)
                surplus += g * (score - chance)
            new = 1 / (1 / (phi**2 + 0.06**2) + certain)
            now[name] = (mu + new * surplus, sqrt(new))
    return {name: 1500 + 173.7178 * mu for name, (mu, _) in now.items()}


def test_an_independent_calculation_from_the_file_alone_agrees() -> None:
    days = ("2026-01-05T12:00:00Z", "2026-01-20T12:00:00Z", "2026-04-01T12:00:00Z")
    pairs = ("ab", "ba", "cb", "ac", "cd", "da", "bd", "ab", "ab")
    record = Record(games=frozenset(game(n, pair[0], pair[1], days[n // 3]) for n, pair in enumerate(pairs)))
    data = ratings_file(record)
    expected = recomputed(data)
    found = {one.player: float(one.value) for one in compute_ratings(record) if not one.side}
    assert found.keys() == expected.keys()
    for player, value in found.items():
        assert value == pytest.approx(expected[player], abs=0.2)
    assert parse_ratings(data)[0] == record


def test_a_game_counts_only_if_it_is_rated_and_over(tmp_path: Path, table: Table) -> None:
    table.go()
    assert not club_ratings(table.club), "it goes on"
    concede(table, "bob")
    assert len(club_record(table.club).games) == 1
    other = club_of(tmp_path / "other", {"alice": keys.generate(), "bob": keys.generate()}, rated=False)
    concede(other, "bob")
    assert not club_ratings(other.club), "nobody has agreed to it"


def test_the_invitation_says_that_a_game_is_rated(tmp_path: Path, table: Table) -> None:
    plain = club_of(tmp_path / "plain", {"alice": keys.generate(), "bob": keys.generate()}, rated=False)
    for room, count in ((table, 2), (plain, 0)):
        genesis = room.book.history.genesis
        texts = [invitation(room.book, player) for player in genesis.players]
        assert sum("\nrated yes\n" in text for text in texts) == count
        assert all("rated yes" not in missing_lines(text, genesis) for text in texts)
    honest = invitation(plain.book, plain.book.history.genesis.players[0])
    assert "rated yes" in missing_lines(honest, table.book.history.genesis), (
        "a judge who does not say it is found out"
    )


def test_an_invitation_that_says_so_of_a_game_that_is_not_is_found_out(table: Table) -> None:
    history = table.book.history
    first = history.genesis.players[0]
    book = table.book
    letter = ReportLetter(
        game=GAME,
        exchange=0,
        player=first.name,
        audience=first.side,
        report=invitation(book, first),
        leaves=(),
        opened=(),
        checkpoint=Checkpoint(game=GAME, size=book.size, head=book.head),
        signature=b"",
    )
    heads = [row.head for row in table.book.rows]
    assert not find_contradiction(letter, history, heads, lambda _: None)
    key = f"SHA256:{'A' * 43}"
    more = replace(letter, report=f"{letter.report}The second official has the key {key}.\n")
    assert "is nobody's in genesis" in find_contradiction(more, history, heads, lambda _: None)
    history.genesis = replace(history.genesis, official=("dora", key))
    assert not find_contradiction(more, history, heads, lambda _: None)
    history.genesis = replace(history.genesis, rated=False)
    assert "whether the game is rated" in find_contradiction(letter, history, heads, lambda _: None)


def test_whoever_never_signed_orders_is_not_rated(table: Table) -> None:
    signed = table.consent("concede bob", "bob")
    act(table.club, GAME, "concede", "bob", reason="bob has written so", consents=[signed])
    run_pass(table.club)
    assert table.book.history.over
    assert not club_record(table.club).games


def test_a_claimed_game_is_forfeited_and_moves_no_rating() -> None:
    won = game(1, "a", "b")
    claimed = replace(won, ending=Ending.FORFEITED)
    assert not compute_ratings(Record(games=frozenset({claimed})))


def test_two_keys_are_one_identity_only_by_a_link() -> None:
    games = frozenset({game(1, "a", "b"), game(2, "c", "b")})
    link = KeyLink(key("a"), key("c"), "f" * 64, "e" * 64)
    apart, together = (
        compute_ratings(Record(games=games, links=links)) for links in (frozenset(), frozenset({link}))
    )
    assert {one.player for one in apart} == {key("a"), key("b"), key("c")}
    assert {(one.player, one.games) for one in together if not one.side} == {(key("a"), 2), (key("b"), 2)}


def test_links_join_in_any_order() -> None:
    links = [KeyLink(key(old), key(new), "f" * 64, "e" * 64) for old, new in ("ba", "cb", "de")]
    for order in (links, links[::-1]):
        assert identities([key("c")], order) == {
            key(one): key("d" if one in "de" else "a") for one in "abcde"
        }


def test_a_game_against_oneself_is_not_rated() -> None:
    link = KeyLink(key("a"), key("b"), "f" * 64, "e" * 64)
    assert not compute_ratings(Record(games=frozenset({game(1, "a", "b")}), links=frozenset({link})))


def test_who_is_forgotten_has_no_name_and_the_others_keep_their_ratings(table: Table) -> None:
    concede(table, "bob")
    before = {one.name: one.rating for one in club_ratings(table.club) if not one.side}
    table.clock.now += timedelta(days=1)
    forget(table.club, "bob")
    after = {one.name: one.rating for one in club_ratings(table.club) if not one.side}
    assert after.pop("alice") == before["alice"]
    ((name, rating),) = after.items()
    assert rating == before["bob"]
    assert "bob" not in name
    assert b" bob" not in ratings_file(club_record(table.club))


ODD = (
    ("pbem1 ratings", "pbem2 ratings"),
    (" played\n", " won\n"),
    ("game any", "game Any"),
    (" 1\n", " one\n"),
    ("seat of-a", "sit of-a"),
    ("2026-01-05T12", "2026-13-05T12"),
    ("game any -", f"name {key('z')} Zoe\ngame any -"),
    ("game any -", f"link {key('z')} {key('y')} {'e' * 64} 1\ngame any -"),
    ("e" * 64, "e" * 63),
)


@pytest.mark.parametrize(("old", "new"), ODD)
def test_a_file_that_is_not_as_its_format_demands_is_refused(old: str, new: str) -> None:
    data = ratings_file(Record(games=frozenset({game(1, "a", "b")}))).decode()
    assert old in data
    with pytest.raises(ConfigError, match="file of ratings"):
        parse_ratings(data.replace(old, new, 1).encode())


def test_a_new_key_that_its_holder_signed_is_the_same_identity(table: Table) -> None:
    new, old = keys.generate(), table.people["bob"].key
    table.go()
    change = table.key_change("bob", new.public)
    by, signed = (signature.sign(key, Namespace.ROTATE, change.text) for key in (old, new))
    rotate(table.club, change.text + by + signed)
    concede(table, "alice")
    record = club_record(table.club)
    ((link, rated),) = zip(record.links, record.games, strict=True)
    assert (link.old, link.new) == (old.public.fingerprint, new.public.fingerprint)
    assert link.new in rated.keys
    assert {(one.name, one.games) for one in club_ratings(table.club)} == {("alice", 1), ("bob", 1)}


def test_a_new_key_that_others_granted_links_nothing(table: Table) -> None:
    """It counts in the game; a judge with an invented opponent could take anybody's rating so."""
    new = keys.generate()
    table.go()
    change = table.key_change("bob", new.public)
    signed = signature.sign(new, Namespace.ROTATE, change.text)
    consent = table.consent(change.consent, "alice")
    rotate(table.club, change.text + signed, reason="bob has lost it", consents=[consent])
    concede(table, "alice")
    record = club_record(table.club)
    assert not record.links
    (rated,) = record.games
    assert new.public.fingerprint in rated.keys


def test_a_table_of_three_is_rated_as_three_pairs(tmp_path: Path) -> None:
    """Alice stays, and the two who have left share the second place; by hand, with Glickman's formulas.

    Between beginners g(350) is 0.669 and the expected score 0.5, so the variance of two games is 4.469 and
    the new deviation 253.4. Each point more than expected raises a rating by 2.128 * 0.669 of the scale, by
    247.3: alice has one more, each of the others half a point less.
    """
    people = {name: keys.generate() for name in ("alice", "bob", "carol")}
    table = concede(club_of(tmp_path, people, title=load("lords"), players=3), "bob", "carol")
    told = {
        one.name: (one.rating, one.interval, one.games) for one in club_ratings(table.club) if not one.side
    }
    beaten = 1376, (870, 1883), 1
    assert told == {"alice": (1747, (1241, 2254), 1), "bob": beaten, "carol": beaten}
    export_ratings(table.club, tmp_path / "out", with_bundles=True)
    merged = merge_clubs([tmp_path / "out"])
    assert (merged.unchecked, merged.refuted) == ((), ())
    assert ratings_file(merged.record) == (tmp_path / "out" / RATINGS).read_bytes()
