"""Ratings computed again from bundles: honest files hold, forged ones do not, and the order means nothing."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest

from pbem.audit import replay
from pbem.errors import MISSING_STATUS, REFUTED_STATUS, ConfigError
from pbem.judge import newgame, saved_places
from pbem.ratings.club_ratings import export_ratings
from pbem.ratings.merging import LEFT_OUT, OTHERWISE, Merged, merge_clubs
from pbem.ratings.record import RATINGS, parse_ratings, ratings_file
from pbem.service.forgetting import forget
from pbem.trust import keys
from tests.judge.table import GAME, START
from tests.ratings.clubs import club_of, concede

KEYS = {name: keys.generate() for name in ("alice", "bob", "carol")}


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What two clubs hand out: alice beats bob in one; bob, called rob there, beats carol in the other."""
    folder = tmp_path_factory.mktemp("clubs")
    first = concede(club_of(folder / "of a", {name: KEYS[name] for name in ("alice", "bob")}), "bob")
    people = {"rob": KEYS["bob"], "carol": KEYS["carol"]}
    second = concede(club_of(folder / "of b", people, start=START + timedelta(days=40)), "carol")
    for name, table in (("a", first), ("b", second)):
        assert export_ratings(table.club, folder / name, with_bundles=True) == 1
    return folder


@pytest.fixture
def clubs(shared: Path, tmp_path: Path) -> tuple[Path, Path]:
    """Copies of those folders, which a test may change."""
    for name in "ab":
        shutil.copytree(shared / name, tmp_path / name)
    return tmp_path / "a", tmp_path / "b"


def test_an_honest_file_comes_out_byte_by_byte(clubs: tuple[Path, Path]) -> None:
    for club in clubs:
        merged = merge_clubs([club])
        assert merged == Merged(merged.record, (), ())
        assert merged.status == 0
        assert ratings_file(merged.record) == (club / RATINGS).read_bytes()
        for name in (f"a-{GAME}", f"{GAME}-older"):  # the longest counts, whatever it is called
            older = shutil.copytree(club / GAME, club / name) / "log/leaves"
            older.write_text("".join(older.read_text().splitlines(keepends=True)[:-1]))
        assert merge_clubs([club]) == merged


def test_two_clubs_give_the_same_bytes_in_either_order(clubs: tuple[Path, Path]) -> None:
    one, other = (merge_clubs(order) for order in (clubs, clubs[::-1]))
    data = ratings_file(one.record)
    assert data == ratings_file(other.record)
    record, ratings = parse_ratings(data)
    assert len(record.games) == 2
    bob = KEYS["bob"].public.fingerprint
    assert {name for key, name in record.names if key == bob} == {"bob", "rob"}
    (over_all,) = (line for line in ratings if f" - {bob} " in line)
    assert over_all.split(" ")[7] == "2", "one identity in two clubs, because it is one key"


def test_a_merged_file_is_that_of_a_club_again(clubs: tuple[Path, Path], tmp_path: Path) -> None:
    data = ratings_file(merge_clubs(clubs).record)
    both = tmp_path / "both"
    both.mkdir()
    (both / RATINGS).write_bytes(data)
    for club in clubs:
        shutil.copytree(club / GAME, both / f"{club.name}-{GAME}")
    merged = merge_clubs([both])
    assert (merged.status, ratings_file(merged.record)) == (0, data)


def test_a_game_whose_bundle_is_missing_is_named_and_does_not_count(clubs: tuple[Path, Path]) -> None:
    shutil.rmtree(clubs[1] / GAME)
    merged = merge_clubs(clubs)
    (claim,) = merged.unchecked
    assert claim.why == "the bundle of its ledger is not there"
    (game,) = parse_ratings((clubs[1] / RATINGS).read_bytes())[0].games
    assert game.first in claim.about
    assert (len(merged.record.games), merged.refuted, merged.status) == (1, (), MISSING_STATUS)


def test_a_link_whose_bundle_is_missing_is_named_and_joins_nothing(clubs: tuple[Path, Path]) -> None:
    path, other = clubs[0] / RATINGS, "f" * 64
    ledger = re.findall(r"[0-9a-f]{64}", path.read_text())[0]
    record, _ = parse_ratings(
        link(path.read_text()).replace(f" {ledger} {'0' * 64}", f" {other} {other}").encode()
    )
    path.write_bytes(ratings_file(record))
    merged = merge_clubs(clubs)
    assert [claim.about.endswith(f"ledger {other}") for claim in merged.unchecked] == [True]
    assert (merged.record.links, merged.status) == (frozenset(), MISSING_STATUS)


def swap_places(text: str) -> str:
    """The loser has won, and the ratings say so."""
    swap = {"1": "2", "2": "1"}
    return re.sub(r"^(seat .* )([12])$", lambda found: found[1] + swap[found[2]], text, flags=re.MULTILINE)


def drop_game(text: str) -> str:
    """The one game is left out, with all that follows from it."""
    return "pbem1 ratings\n"


def rename(text: str) -> str:
    """Somebody else is said to have won."""
    return text.replace(" alice\n", " adam\n")


def link(text: str) -> str:
    """A link that no ledger has."""
    ledger = re.findall(r"[0-9a-f]{64}", text)[0]
    line = f"link {KEYS['alice'].public.fingerprint} {KEYS['carol'].public.fingerprint} {ledger} {'0' * 64}\n"
    return text.replace("game ", f"{line}game ", 1)


@pytest.mark.parametrize(
    ("forge", "why"),
    [
        (swap_places, OTHERWISE),
        (drop_game, LEFT_OUT),
        (rename, "no ledger calls it so"),
        (link, OTHERWISE),
    ],
    ids=["swap_places", "drop_game", "rename", "link"],
)
def test_a_forged_file_is_refuted(forge: Callable[[str], str], why: str, clubs: tuple[Path, Path]) -> None:
    """The forger computes the ratings anew, so that the file fits itself."""
    path = clubs[0] / RATINGS
    honest = path.read_text()
    forged = "".join(f"{line}\n" for line in forge(honest).splitlines() if not line.startswith("rating "))
    path.write_bytes(ratings_file(parse_ratings(forged.encode())[0]))
    assert path.read_text() != honest
    merged = merge_clubs([clubs[0]])
    assert merged.status == REFUTED_STATUS
    assert [why in line for line in merged.refuted] == [True]


def test_ratings_that_do_not_follow_are_refuted(clubs: tuple[Path, Path]) -> None:
    path = clubs[0] / RATINGS
    path.write_text(re.sub(r"1652\.\d\d", "2652.00", path.read_text()))
    assert ["not those that follow" in line for line in merge_clubs([clubs[0]]).refuted] == [True]


def test_a_forged_bundle_proves_nothing(clubs: tuple[Path, Path]) -> None:
    """The judge lets the loser win in the ledger's last entry, and writes the file by it."""
    entry = max((clubs[0] / GAME / "log").glob("*.entry"))
    entry.write_text(entry.read_text().replace("winner", "winners"))
    merged = merge_clubs([clubs[0]])
    assert not merged.record.games
    assert "every entry in the bundle fits its leaf" in merged.unchecked[0].why


def test_a_name_that_a_club_has_forgotten_does_not_come_back(tmp_path: Path) -> None:
    table = concede(club_of(tmp_path / "of", {name: KEYS[name] for name in ("alice", "bob")}), "bob")
    table.clock.now += timedelta(days=1)
    forget(table.club, "bob")
    export_ratings(table.club, tmp_path / "out", with_bundles=True)
    merged = merge_clubs([tmp_path / "out"])
    assert merged.status == 0
    assert [name for _, name in merged.record.names] == ["alice"]


@pytest.mark.ci
def test_clubs_on_different_releases_check_their_own_games(
    clubs: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What another release has played counts only where that release is; the rest is one ladder."""
    other = "d" * 64
    with monkeypatch.context() as of_the_other:
        for module in (newgame, saved_places):
            of_the_other.setattr(module, "rules_hash", lambda _: other)
        people = {"dora": KEYS["carol"], "alice": KEYS["alice"]}
        export_ratings(
            concede(club_of(tmp_path / "of c", people), "alice").club, tmp_path / "c", with_bundles=True
        )
    three = [*clubs, tmp_path / "c"]
    here = merge_clubs(three)
    (claim,) = here.unchecked
    assert f"the game was played by {other[:16]}; audit it with that release as well" in claim.why
    assert (len(here.record.games), here.refuted, here.status) == (2, (), MISSING_STATUS)
    assert ratings_file(here.record) == ratings_file(merge_clubs(clubs).record)
    monkeypatch.setattr(replay, "rules_hash", lambda _: other)
    there = merge_clubs(three)
    assert len(there.unchecked) == 2
    assert (there.refuted, there.status) == ((), MISSING_STATUS)
    assert ratings_file(there.record) == (tmp_path / "c" / RATINGS).read_bytes()


def test_what_is_no_club_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="pbem ratings export"):
        merge_clubs([tmp_path])
