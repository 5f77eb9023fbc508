"""A season that follows another: ratings and classes are taken over, and shown with the bundles of both."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from dataclasses import dataclass, replace
from decimal import Decimal
from pathlib import Path

import pytest

from pbem.audit import audit
from pbem.audit.bundle import Files, read_bundle
from pbem.audit.findings import Findings, State
from pbem.audit.leagues import audit_league, taken_over
from pbem.cli import main
from pbem.errors import ConfigError
from pbem.judge.club import create_club
from pbem.judge.leagues.book import begin_league
from pbem.judge.leagues.export import export
from pbem.leagues import results_table
from pbem.leagues.config import read_file
from pbem.leagues.config_reader import FileMistakes
from pbem.leagues.earlier_results import Carried, parse_carried
from tests.judge.table import Clock
from tests.leagues.world import START, Entered, World, file_of, key_of, make_world, play_round

pytestmark = pytest.mark.ci


MOVES = "[sections]\nsize = 4\nup = 1\ndown = 1"
CLAIM = "what comes from earlier seasons is what they ended with"


@dataclass
class Seasons:
    """Two classes whose seasons are over: the bundle of each, and the line that names it."""

    bundles: tuple[Path, ...]
    lines: tuple[str, ...]

    def file(self, form: str = "swiss", rank: int = 1, more: str = "", lines: tuple[str, ...] = ()) -> bytes:
        """The file of a season that follows."""
        named = ", ".join(f'"{line}"' for line in lines or self.lines)
        last = f"[last]\nleagues = [{named}]\nclass = {rank}\n{more}"
        return file_of(form, count=1, more=last, entries="most = 8")

    @property
    def read(self) -> list[Files]:
        return [read_bundle(path) for path in self.bundles]

    def carried(self, data: bytes) -> Carried:
        return taken_over(read_file(data), self.read)


@pytest.fixture(scope="module")
def before(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Seasons]:
    """In the first class ann wins and dan is last, in the second eve and hal."""
    folder = tmp_path_factory.mktemp("before")
    bundles, lines = [], []
    with ExitStack() as clubs:
        for rank, names in enumerate((("ann", "ben", "cat", "dan"), ("eve", "fay", "gus", "hal")), 1):
            world = make_world(folder / str(rank), file_of("sections", more=MOVES))
            clubs.enter_context(closing(world.club.store))
            world.enter(*names, rating=1234)
            world.after(31)
            play_round(world)
            assert world.book.season.is_over
            bundles.append(folder / f"bundle-{rank}")
            export(world.club, "cup", bundles[-1])
            lines.append(f"cup {world.book.head_at(1)} {world.book.head}")
        yield Seasons(tuple(bundles), tuple(lines))


def begun(
    entered: Entered, seasons: Seasons, data: bytes, carried: Carried | None = None, folder: str = "world"
) -> World:
    return entered(data, carried=carried or seasons.carried(data), folder=folder)


def told(findings: Findings) -> tuple[State, str]:
    (row,) = (row for row in findings.rows if row.claim == CLAIM)
    return row.state, row.detail


def test_ratings_and_classes_are_taken_over(entered: Entered, before: Seasons) -> None:
    world = begun(entered, before, before.file())
    world.enter("ann", "ben", "eve", rating=2222)
    with pytest.raises(ConfigError, match="dan is in class 2; this league is class 1"):
        world.enter("dan")
    with pytest.raises(ConfigError, match="zoe was in no class, and must begin in class 2"):
        world.enter("zoe")
    world.signs["cat"] = "mallory"
    with pytest.raises(ConfigError, match="cat played an earlier season with the key SHA256:"):
        world.enter("cat")
    season = world.book.season
    start = {one.player: one for one in season.carried.ratings if not one.side}
    strengths = {name: member.rating for name, member in season.members.items()}
    assert strengths == {name: round(start[name].value) for name in strengths}, "not what they have told"
    assert start["ann"].value > start["ben"].value
    assert [one for one in results_table.ratings(season) if not one.side] == [
        start[one] for one in ("ann", "eve", "ben")
    ]


@pytest.mark.parametrize("rank", [9, 10, 100, 999])
def test_a_class_of_any_number_is_carried_as_it_is(before: Seasons, rank: int) -> None:
    carried = before.carried(before.file())
    people = {name: replace(one, rank=rank) for name, one in carried.people.items()}
    assert parse_carried(replace(carried, people=people).text, "hammer").people == people


def test_newcomers_begin_in_the_last_class(entered: Entered, before: Seasons) -> None:
    world = begun(entered, before, before.file(rank=2))
    world.enter("dan", "fay", "zoe", rating=1111)
    with pytest.raises(ConfigError, match="eve is in class 1"):
        world.enter("eve")
    assert world.book.season.members["zoe"].rating == 1111


def test_a_rating_goes_on_where_it_stood_and_the_audit_shows_it(
    tmp_path: Path, entered: Entered, before: Seasons
) -> None:
    world = begun(entered, before, before.file())
    world.enter("ann", "ben", "cat", "eve")
    world.after(31)
    play_round(world)
    season = world.book.season
    assert season.is_over
    games = {one.player: one.games for one in results_table.ratings(season) if not one.side}
    assert games == dict.fromkeys(("ann", "ben", "cat", "eve"), 3 + 1)
    export(world.club, "cup", tmp_path / "bundle")
    found = audit(tmp_path / "bundle", last=before.bundles)
    assert not found.is_refuted, found.shown
    assert told(found)[0] is State.PROVEN
    for given in ((), before.bundles[:1]):
        state, detail = told(audit(tmp_path / "bundle", last=given))
        assert state is State.OPEN
        assert detail == "the bundle of cup was not given (--last)"
    assert main(["audit", str(tmp_path / "bundle"), "--last", str(before.bundles[0])]) == 0


def _rated(carried: Carried) -> Carried:
    first, *rest = carried.ratings
    return replace(carried, ratings=(replace(first, value=first.value + Decimal("0.01")), *rest))


def _moved(carried: Carried) -> Carried:
    return replace(carried, people=dict(carried.people) | {"dan": replace(carried.people["dan"], rank=1)})


def _renamed(carried: Carried) -> Carried:
    other = key_of("mallory").public.fingerprint
    return replace(
        carried, people=dict(carried.people) | {"ann": replace(carried.people["ann"], fingerprint=other)}
    )


@pytest.mark.parametrize("forge", [_rated, _moved, _renamed])
def test_a_forged_opening_is_refuted_with_the_bundles_of_both(
    tmp_path: Path, entered: Entered, before: Seasons, forge: Callable[[Carried], Carried]
) -> None:
    data = before.file()
    world = begun(entered, before, data, forge(before.carried(data)))
    export(world.club, "cup", tmp_path / "bundle")
    assert told(audit(tmp_path / "bundle"))[0] is State.OPEN
    state, detail = told(audit(tmp_path / "bundle", last=before.bundles))
    assert state is State.REFUTED
    assert "carried.txt is not what the earlier seasons ended with" in detail


def test_the_end_that_a_file_names_is_that_of_its_season(
    tmp_path: Path, entered: Entered, before: Seasons
) -> None:
    """Another league's end, another name, and a season that goes on."""
    name, genesis, end = before.lines[0].split(" ")
    other = before.lines[1].split(" ")[2]
    for line in (f"{name} {genesis} {other}", f"bowl {genesis} {end}"):
        data = before.file(lines=(line, before.lines[1]))
        carried = before.carried(before.file())
        world = begun(entered, before, data, carried, line[-9:])
        export(world.club, "cup", tmp_path / line[-5:])
        found = audit_league(read_bundle(tmp_path / line[-5:]), last=before.read)
        assert told(found)[0] is State.REFUTED
    files = before.read[0].known_files
    last = max(name for name in files if name.endswith(".entry"))[4:8]
    leaves = files["log/leaves"].splitlines(keepends=True)[:-1]
    cut = {one: data for one, data in files.items() if last not in one} | {"log/leaves": b"".join(leaves)}
    with pytest.raises(Exception, match="in its bundle cup is not over"):
        taken_over(read_file(before.file()), [Files(cut, ()), before.read[1]])


def test_the_director_is_told_what_to_write_and_what_is_taken_over(
    tmp_path: Path, before: Seasons, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "league.toml").write_bytes(before.file())
    assert main(["league", "check", str(tmp_path / "league.toml")]) == 0
    out = capsys.readouterr().out
    assert "ratings come from cup, cup; it is class 1" in out
    assert "pbem league new --last FOLDER" in out
    last = [word for path in before.bundles for word in ("--last", str(path))]
    assert main(["league", "check", str(tmp_path / "league.toml"), *last]) == 0
    assert "8 of 8 have a rating; of this class: ann, ben, cat, eve" in capsys.readouterr().out
    assert main(["league", "check", str(tmp_path / "league.toml"), *last[:2]]) == 1
    assert "nothing can come from earlier seasons: the bundle of cup was not given" in capsys.readouterr().err
    club = create_club(tmp_path / "club", "test", clock=Clock(START))
    with closing(club.store), pytest.raises(ConfigError, match="name their bundles, each with --last FOLDER"):
        begin_league(club, before.file())
    with pytest.raises(FileMistakes, match="`leagues` must name the league of each class"):
        read_file(before.file(rank=3))
    with pytest.raises(FileMistakes, match="is not a season: write the name of a league"):
        read_file(before.file(lines=("cup",)))
