"""A game that is taken from its saved place: the same bytes leave, whatever is wrong with the place."""

from __future__ import annotations

import base64
import hashlib
import json
import shutil
import zlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from pbem.cli import main
from pbem.judge import adjudication, saved_places
from pbem.judge.acts import act
from pbem.judge.adjudication import run_game
from pbem.judge.agenda import read_agendas
from pbem.judge.book import Book
from pbem.judge.club import Club
from pbem.judge.intake import desk
from pbem.judge.tables.note_tables import DISAGREES
from pbem.judge.upkeep.backups import backup, restore
from pbem.play.resolve import Play
from pbem.service.forgetting import forget
from pbem.trust import keys
from pbem.trust.act_entries import AGREE_DRAW, ROLL_BACK
from tests.conftest import chance
from tests.judge.every_game import run_pass
from tests.judge.table import GAME, Table, make_table
from tests.judge.test_counts import counted
from tests.play.wild import Wild

pytestmark = pytest.mark.ci


GAMES: list[tuple[str, Mapping[str, Any], int]] = [
    ("hammer", {}, 1),
    ("hammer", {"scenario": "the-bruce", "edition": "3-de"}, 2),
    ("lords", {"players": 3}, 3),
    ("lords", {"players": 2, "pace": "strict"}, 4),
    ("first-war", {"years": 2}, 5),
]


@pytest.fixture(autouse=True)
def _no_sample(monkeypatch: pytest.MonkeyPatch) -> None:
    """No load is one of those that are compared, whatever keys a test has got, and so heads."""
    monkeypatch.setattr(saved_places, "SAMPLE", 1 << 300)


def from_nothing(club: Club, book: Book) -> None:
    """No place is loaded."""


def played_twice(
    title: str, options: Mapping[str, Any], seed: int, folder: Path, most: int
) -> tuple[Table, Table]:
    """A game in two clubs with the same secrets, opened anew for each exchange; one has no saved places."""
    kept = make_table(folder / "kept", title=title, **options)
    other = make_table(folder / "other", title=title, **options)
    wild, patch = Wild(adjudication.replay(kept.club, GAME).adjudicator.setting, seed), pytest.MonkeyPatch()
    for number in range(most):
        if kept.book.history.over:
            break
        play = adjudication.replay(other.club, GAME).adjudicator.play
        texts = wild.files(play) if play.begun else {}
        sent = {
            person.name: text
            for person in kept.people.values()
            if (text := texts.get(person.side, "" if not play.begun else None)) is not None
        }
        files = [kept.sealed(name, text) for name, text in sent.items()]
        for table in (kept, other):
            table.clock.pass_days(1 if len(sent) == len(kept.people) else 8)
            table.reopen()
            with chance.of(f"exchange {number}"), patch.context() as hidden:
                if table is other:
                    hidden.setattr(adjudication, "load_place", from_nothing)
                for one in files:
                    desk.submit(table.club, one)
                assert not any(done.is_stopped for done in run_pass(table.club))
    return kept, other


def everything(table: Table) -> list[object]:
    """Ledger, signed heads and letters: each byte that has left, or can be asked for."""
    store = table.club.store
    return [store.entries(GAME), store.checkpoints(GAME), store.letters()]


@pytest.mark.parametrize(("title", "options", "seed"), GAMES, ids=str)
def test_the_same_bytes_leave(title: str, options: Mapping[str, Any], seed: int, tmp_path: Path) -> None:
    kept, other = played_twice(title, options, seed, tmp_path, 8)
    assert len(kept.book.history.resolved) > 4 or kept.book.history.over
    assert everything(kept) == everything(other)
    _, data = kept.club.store.derived_of(GAME, saved_places.PLACE)
    assert bool(data) == (not kept.book.history.over and "pace" not in options)
    assert len(data) < 30_000


@pytest.mark.slow
@pytest.mark.parametrize(("title", "options"), [row[:2] for row in GAMES], ids=str)
def test_whole_games(title: str, options: Mapping[str, Any], seeds: range, tmp_path: Path) -> None:
    for seed in seeds:
        kept, other = played_twice(title, options, seed, tmp_path / str(seed), 150)
        assert everything(kept) == everything(other)
        shutil.rmtree(tmp_path / str(seed))


def resolved(table: Table, monkeypatch: pytest.MonkeyPatch) -> int:
    """How many exchanges a pass of a new process plays that brings one to its end."""
    files = [table.sealed(name, "card 1\n") for name in table.people]
    table.reopen()
    with monkeypatch.context() as patch:
        counts = counted(patch)
        for one in files:
            desk.submit(table.club, one)
        assert not any(done.is_stopped for done in run_pass(table.club))
    return counts["resolved"]


def test_a_pass_plays_the_new_exchange_alone(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    table.go(4)
    assert resolved(table, monkeypatch) == 1


def put(table: Table, data: bytes, proof: bytes = b"") -> None:
    """Put something where the place stands, proven as this club proves it."""
    proven = (proof or saved_places._proof(table.club, table.book, data)) + data
    head, _ = table.club.store.derived_of(GAME, saved_places.PLACE)
    with table.club.store.step():
        table.club.store.put_derived(GAME, saved_places.PLACE, head, base64.b85encode(proven).decode())


def of(table: Table) -> Any:
    """What the place says."""
    _, data = table.club.store.derived_of(GAME, saved_places.PLACE)
    return json.loads(zlib.decompress(base64.b85decode(data)[64:]))


def forged(table: Table) -> bytes:
    """A place that says that one side has on file what the other has sent."""
    said = of(table)
    said["followers"]["scotland"] = said["followers"]["england"]
    return zlib.compress(json.dumps(said).encode())


def corrupt(table: Table) -> None:
    head, data = table.club.store.derived_of(GAME, saved_places.PLACE)
    with table.club.store.step():
        table.club.store.put_derived(GAME, saved_places.PLACE, head, data[:200] + data[201:])


def unproven(table: Table) -> None:
    """Forged by somebody who can write to the database and does not have the club's secrets."""
    _, data = table.club.store.derived_of(GAME, saved_places.PLACE)
    put(table, forged(table), base64.b85decode(data)[: saved_places.PROOF])


def garbage(table: Table) -> None:
    put(table, zlib.compress(b'{"stop": "[]"}'))


def elsewhere(table: Table) -> None:
    """A place that comes out where the game never was."""
    said = of(table)
    position = json.loads(said["stop"])
    position["year"] += 1
    put(table, zlib.compress(json.dumps(said | {"stop": json.dumps(position)}).encode()))


def of_another_head(table: Table) -> None:
    kept = table.club.store.derived_of(GAME, saved_places.PLACE)
    table.go()
    with table.club.store.step():
        table.club.store.put_derived(GAME, saved_places.PLACE, *kept)


@pytest.mark.parametrize("spoil", [corrupt, unproven, garbage, elsewhere, of_another_head])
def test_a_place_that_does_not_serve_is_passed_over(
    spoil: Callable[[Table], None], table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    table.go(3, "doctrine:\nfire\nend\n")
    spoil(table)
    past = len(table.book.history.resolved)
    assert resolved(table, monkeypatch) == past + 1
    assert resolved(table, monkeypatch) == 1


def test_another_release_plays_from_the_beginning(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    table.go(3)
    monkeypatch.setattr(saved_places, "rules_hash", lambda _: "f" * 64)
    table.reopen()
    assert saved_places.load_place(table.club, table.book) is None


def test_after_a_restore_games_are_played_from_their_beginning(table: Table, tmp_path: Path) -> None:
    table.go(3)
    backup(table.club, tmp_path / "b.tar.gz")
    club = restore(tmp_path / "b.tar.gz", tmp_path / "new")
    assert saved_places.load_place(table.club, table.book) is not None
    assert saved_places.load_place(club, club.book(GAME)) is None


def agreed(table: Table, to: str) -> list[bytes]:
    """What all players sign who agree to an act."""
    return [table.consent(to, name) for name in table.people]


def test_after_a_roll_back_the_place_does_not_hold(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    table.go(4)
    kept = table.club.store.derived_of(GAME, saved_places.PLACE)
    act(
        table.club, GAME, ROLL_BACK, "3", reason="a letter was lost", consents=agreed(table, f"{ROLL_BACK} 3")
    )
    with table.club.store.step():
        table.club.store.put_derived(GAME, saved_places.PLACE, *kept)
    standing = len(table.book.history.resolved)
    assert standing == 2
    assert resolved(table, monkeypatch) == standing + 1


def test_who_is_forgotten_is_in_no_place(table: Table) -> None:
    table.go(3)
    act(table.club, GAME, AGREE_DRAW, reason="agreed", consents=agreed(table, AGREE_DRAW))
    assert table.club.store.derived_of(GAME, saved_places.PLACE) == ("", "")


def test_forgetting_drops_the_places_of_games_that_go_on(table: Table) -> None:
    table.go(3)
    table.club.add_player("carol", keys.generate("carol").public, "carol@example.org")
    forget(table.club, "carol")
    assert table.club.store.derived_of(GAME, saved_places.PLACE) == ("", "")


def sampled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every load is one of those that are compared."""
    monkeypatch.setattr(saved_places, "SAMPLE", 1)


def test_one_load_in_fifty_is_compared_by_the_head(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    heads = [hashlib.sha256(str(number).encode()).hexdigest() for number in range(5_000)]
    assert 60 < sum(saved_places.is_sampled(head) for head in heads) < 140


def test_a_sample_plays_the_game_from_its_beginning(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    table.go(3)
    sampled(monkeypatch)
    assert resolved(table, monkeypatch) == 3 + 1


def test_a_forged_place_is_convicted_before_anything_is_signed(
    table: Table, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The game is held, and its game master is told, until all of it has been played again alike."""
    table.go(3, "doctrine:\nfire\nend\n")
    put(table, forged(table))
    for name in table.people:
        table.send(name)
    sampled(monkeypatch)
    table.reopen()
    before = everything(table)
    with pytest.raises(saved_places.Disagreement, match="held: what was kept of demo"):
        run_game(table.club, GAME)
    assert everything(table) == before
    monkeypatch.setattr(saved_places, "SAMPLE", 1 << 300)
    with pytest.raises(saved_places.Disagreement):  # the sample would not find it again
        run_game(table.club, GAME)
    assert "does not fit its ledger" in read_agendas(table.club)[GAME].trouble
    folder = str(table.club.path)
    assert main(["status", "--club", folder]) == 1
    assert main(["doctor", "--club", folder]) == 1
    said = capsys.readouterr()
    assert (said.out + said.err).count("does not fit its ledger") >= 2
    assert main(["replay", GAME, "--club", folder]) == 0
    table.reopen()
    assert run_game(table.club, GAME)


def test_a_roll_back_lifts_the_hold(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    table.go(3)
    with table.club.store.step():
        table.club.store.put_note(f"{DISAGREES}{GAME}", "held")
    act(table.club, GAME, ROLL_BACK, "3", reason="it was wrong", consents=agreed(table, f"{ROLL_BACK} 3"))
    assert resolved(table, monkeypatch) == 2 + 1


def test_a_game_ends_by_what_is_played_from_its_beginning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = make_table(tmp_path, scenario="campaign", last_year=1297)
    counts = [resolved(table, monkeypatch)]
    while not table.book.history.over:
        counts.append(resolved(table, monkeypatch))
    past = len(counts) - 1
    assert counts == [1] * past + [past + 2]  # from its place, then all of it
    assert table.club.store.derived_of(GAME, saved_places.PLACE) == ("", "")


def test_a_forged_end_is_not_signed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By its place the game would end otherwise than by its ledger, with no sample to notice it."""
    table = make_table(tmp_path / "one", scenario="campaign", last_year=1297)
    while not table.book.history.over:
        table.go()
    last = len(table.book.history.resolved)
    table = make_table(tmp_path / "two", scenario="campaign", last_year=1297)
    table.go(last - 1)
    said = of(table)
    position = json.loads(said["stop"])
    wounded = next(row for row in position["blocks"].values() if row["strength"] == 3)
    wounded["strength"] = 2
    monkeypatch.setattr(Play, "_fingerprint", lambda _: said["seen"])
    put(table, zlib.compress(json.dumps(said | {"stop": json.dumps(position)}).encode()))
    for name in table.people:
        table.send(name)
    table.reopen()
    before = everything(table)
    with pytest.raises(saved_places.Disagreement):
        run_game(table.club, GAME)
    assert everything(table) == before
    assert table.club.store.notes(DISAGREES)
