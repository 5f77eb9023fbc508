"""Nobody can say or send so much that a league's bundle is larger than an audit takes, or shut others out."""

from __future__ import annotations

import io
import tarfile
from contextlib import suppress
from pathlib import Path

import pytest

from pbem.audit import bundle as reading
from pbem.audit.bundle import read_bundle
from pbem.errors import ConfigError
from pbem.judge.leagues.desk import take_statement
from pbem.judge.leagues.export import bundle, export
from pbem.leagues.config import read_file
from pbem.leagues.config_reader import FileMistakes
from pbem.leagues.statements import ABSENT, APPEAL, NEW_KEY, WITHDRAW, Statement, allowed_by, sign_statement
from pbem.trust import formats
from pbem.trust.chance import OPEN_CHAIN, Mix, Reveal, build_mix, parse_mix
from pbem.trust.entries import Refused
from pbem.trust.faults import ChainFault
from pbem.trust.formats import (
    MAX_FILE_SIZE,
    MAX_IN_EXCHANGE,
    MAX_NEW_KEYS,
    MAX_SEALED_REPLY_SIZE,
    MAX_STATEMENTS_IN_DAY,
    Limits,
    league_limits,
    most_entries,
    most_said,
)
from tests.leagues.world import Entered, World, file_of, files_of, key_of, refuted, take_reply

GAMES = Path(__file__).parents[2] / "games"


@pytest.fixture
def world(entered: Entered) -> World:
    """Ann and Ben have entered."""
    return entered(file_of("swiss", count=1, entries="most = 4"), "ann", "ben")


def flood(world: World, player: str, count: int) -> int:
    """Somebody says on one day that they are absent, again and again; how often it is taken."""
    taken = 0
    for number in range(count):
        with suppress(ConfigError):
            taken += world.say(player, ABSENT, rounds=(number + 1, number + 1)).is_accepted
    return taken


def new_key(world: World, player: str, name: str) -> bytes:
    """A new key, with the old one's word for it, signed."""
    made = Statement(
        league="league.cup",
        player=player,
        say=NEW_KEY,
        made=world.clock(),
        **world.which,
        key=key_of(name).public,
        old=world.key(player).public.fingerprint,
    )
    return sign_statement(allowed_by(made, world.key(player)), key_of(name))


@pytest.mark.ci
def test_three_hundred_absences_in_a_row(world: World) -> None:
    assert flood(world, "ann", 300) == MAX_STATEMENTS_IN_DAY
    with pytest.raises(ConfigError, match=r"on one day \(UTC\), but 'withdraw' and 'new-key' always are"):
        world.say("ann", ABSENT, rounds=(999, 999))
    world.later(1)
    assert flood(world, "ann", 300) == most_said(1) - MAX_STATEMENTS_IN_DAY
    world.later(1)
    with pytest.raises(ConfigError, match=f"ann has said {most_said(1)} things in cup"):
        world.say("ann", ABSENT, rounds=(1, 1))
    assert refuted(world) == []


def test_a_flood_uses_up_nobody_elses_room(world: World) -> None:
    flood(world, "ann", 20)
    assert world.say("ben", ABSENT, rounds=(1, 1)).is_accepted


def test_who_has_flooded_can_still_change_their_key_and_leave(world: World) -> None:
    while flood(world, "ann", 20):
        world.later(1)
    for number in range(MAX_NEW_KEYS):
        assert take_statement(world.club, new_key(world, "ann", f"ann {number}")).is_accepted
        world.signs["ann"] = f"ann {number}"
    with pytest.raises(ConfigError, match=f"ann has had {MAX_NEW_KEYS} new keys"):
        take_statement(world.club, new_key(world, "ann", "ann last"))
    assert world.say("ann", WITHDRAW).is_accepted
    assert refuted(world) == []


def test_an_appeal_is_of_what_is_limited(world: World) -> None:
    flood(world, "ann", 20)
    with pytest.raises(ConfigError, match="things today"):
        world.say("ann", APPEAL, entry=1, reason="it is wrong")


def test_a_judge_who_enters_more_is_refuted(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """The judge's program and the audit know the same number, from one place."""
    monkeypatch.setattr(formats, "MAX_STATEMENTS_IN_DAY", 9)
    assert flood(world, "ann", 20) == 9
    files = files_of(world)
    assert refuted(files) == []
    monkeypatch.undo()
    (row,) = refuted(files)
    assert "ann has said 8 things today" in row


def test_so_many_rulings_are_made(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(formats, "most_rulings", lambda *_: 1)
    world.rule("expel", "ann")
    with pytest.raises(ConfigError, match="1 rulings have been made in cup"):
        world.rule("expel", "ben")


def test_late_files_are_entered_so_often_and_no_more(world: World) -> None:
    """Those for a call that is over stand in the ledger too."""
    world.after(31)
    late = [world.reply("ann", rev=rev) for rev in range(2, 3 * MAX_IN_EXCHANGE)]
    world.seat()
    for file in late:
        assert not take_reply(world.club, file).is_accepted
    entered = [one for one in world.book.entries if isinstance(one, Refused)]
    assert 0 < len(entered) < 2 * 2
    assert refuted(world) == []


TOO_MUCH = {
    "rounds": ({"form": "swiss", "rounds": "count = 61\ndays = 9"}, "at most 60 rounds"),
    "panel": (
        {"form": "swiss", "more": "[unfinished]\nby = 'panel'", "rounds": "count = 1\ndays = 9"},
        "9 members at most",
    ),
    "sections": (
        {"form": "sections", "more": "[sections]\nsize = 60"},
        "59 games at once, and 50 are allowed",
    ),
    "games": ({"form": "sections", "more": "[sections]\nsize = 30"}, "let at most 344 enter"),
}


@pytest.mark.parametrize("what", TOO_MUCH)
def test_a_league_that_no_bundle_could_carry_is_not_begun(what: str) -> None:
    given, told = TOO_MUCH[what]
    data = file_of(**given)  # type: ignore[arg-type]  # texts alone
    if what == "panel":
        data = data.replace(b"[people]", f"[people]\npanel = {[f'p{n}' for n in range(10)]}".encode())
    with pytest.raises(FileMistakes, match=told):
        read_file(data)


def test_whatever_a_ledger_can_hold_a_bundle_can_carry() -> None:
    """Everybody says and sends as much as is taken; the sums that the limits are made of."""
    for entrants, rounds in ((2, 1), (16, 5), (500, 9), (2_000, 9)):
        most = league_limits(entrants=entrants, rounds=rounds, games=1, panel=0)
        names = most_entries(entrants)
        said = names * (most_said(rounds) + MAX_NEW_KEYS + 2)
        sent = names * 4 * rounds
        games = entrants * rounds // 2
        assert 6 * said + 5 * sent + 8 * games + 2 * rounds * entrants < most.files
        assert 9_300 * said + (MAX_SEALED_REPLY_SIZE + 1_000) * sent + 5_000 * games < most.size
        carrying = league_limits(entrants=entrants, rounds=rounds, games=1, panel=0, carried=70_000)
        assert carrying.size == most.size + 70_000


def test_the_largest_entries_of_the_largest_league_fit_in_a_file() -> None:
    pairing = len("pair 5000 60 ") + 64 + len(f"{'c' * 40}-r999-5000 ") + 2 * 85
    assert formats.MAX_PAIRINGS * pairing < MAX_FILE_SIZE
    assert formats.MAX_ENTRANTS * (2 * 61 + 64 + 8 + 65) < MAX_FILE_SIZE
    assert formats.MAX_ENTRANTS * (61 + 65 + 8) < formats.MAX_MIX_SIZE
    assert 999_999 * len(f"999999 {'f' * 64}\n") < formats.largest("log/leaves")


def test_a_mix_holds_the_shares_of_as_many_as_can_enter() -> None:
    """Each of them with the longest name."""
    names = [f"{number:03}".ljust(59, "-") + "x" for number in range(formats.MAX_ENTRANTS)]
    mix = mix_of(names)
    assert parse_mix(mix.text) == mix
    with pytest.raises(ChainFault):
        parse_mix(mix_of([f"{name[:-1]}y" for name in names] + names).text)


def mix_of(names: list[str]) -> Mix:
    judge = Reveal(OPEN_CHAIN, 1, "f" * 64)
    shares = [(f"{name}.1", Reveal(f"{name}.1", 1, f"{number:064x}")) for number, name in enumerate(names)]
    return build_mix(f"league.{'c' * 40}", 1, gm=judge, players=shares)


@pytest.mark.ci
def test_a_bundle_is_as_large_as_its_file_says(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Wherever the file stands among the others; a league that goes beyond it is not read."""
    export(world.club, "cup", tmp_path / "bundle")
    count = len(read_bundle(tmp_path / "bundle").known_files)
    monkeypatch.setattr(reading, "BEFORE_GENESIS", Limits(3, 3_000))
    assert len(read_bundle(tmp_path / "bundle").known_files) == count
    most = world.book.file.limits
    for number in range(most.files - count + 1):
        (tmp_path / "bundle" / "checkpoints" / f"{number + 1000:06d}.txt").touch()
    with pytest.raises(ConfigError, match="larger than a bundle can be"):
        read_bundle(tmp_path / "bundle")


@pytest.mark.parametrize("first", [True, False])
def test_an_archive_says_first_how_large_it_is(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, first: bool
) -> None:
    """One that begins with something else is read as far as what no file has said allows."""
    files = dict(bundle(world.book))
    names = sorted(files, key=lambda name: (name not in ("log/0001.entry", "league.toml")) is first)
    path = tmp_path / "cup.tar.gz"
    with tarfile.open(path, "w:gz") as archive:
        for name in names:
            member = tarfile.TarInfo(f"cup/{name}")
            member.size = len(files[name])
            archive.addfile(member, io.BytesIO(files[name]))
    monkeypatch.setattr(reading, "BEFORE_GENESIS", Limits(3, 3_000))
    if first:
        assert read_bundle(path).known_files == files
    else:
        with pytest.raises(ConfigError, match="larger than a bundle can be"):
            read_bundle(path)


def test_a_games_bundle_grows_by_no_leagues_file(world: World, tmp_path: Path) -> None:
    """Somebody lays a league's file beside a game's genesis."""
    genesis = read_bundle(GAMES / "lords-for-three" / "bundle.tar.gz").known_files["log/0001.entry"]
    path = tmp_path / "both" / "log" / "0001.entry"
    path.parent.mkdir(parents=True)
    path.write_bytes(genesis)
    before = reading._limits_of(tmp_path / "both")
    assert before != formats.BEFORE_GENESIS
    (tmp_path / "both" / "league.toml").write_bytes(world.book.file.text)
    assert reading._limits_of(tmp_path / "both") == before
    assert reading._limits("log/0001.entry", genesis, world.book.file.limits) == before
