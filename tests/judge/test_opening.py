"""pbem new: who sits where, what options mean, and what it does by itself."""

from __future__ import annotations

from pathlib import Path

import pytest

from pbem.cli import main
from pbem.judge.club import Club, create_club, open_club
from pbem.judge.newgame import choices
from pbem.player import Home
from pbem.rules import names
from pbem.titles import load


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    create_club(tmp_path / "club", "test").store.close()
    monkeypatch.setenv("PBEM_CLUB", str(tmp_path / "club"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def joins(folder: Path, *players: str, game: str = "clans") -> dict[str, Path]:
    """The join files of players."""
    club = open_club(folder / "club")
    made = {}
    for name in players:
        home = Home(folder / f"home-{name}")
        home.keygen(name)
        made[name] = folder / f"{name}.join"
        judge = club.key.public.fingerprint
        made[name].write_bytes(home.join(game, player=name, judge=judge, share=f"{name}@example.org"))
    club.store.close()
    return made


def seats(club: Club, game: str = "clans") -> list[tuple[str, str]]:
    return [(one.side, one.name) for one in club.book(game).history.genesis.players]


def test_the_number_of_players_says_how_many_play(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Their join files enrol them; the sides follow from how many they are."""
    made = joins(folder, "ann", "ben", "carl")
    files = ",".join(path.name for path in made.values())
    assert main(["new", "clans", "--rules", "lords", "--players", files]) == 0
    told = capsys.readouterr().out
    club = open_club(folder / "club")
    assert seats(club) == [("red", "ann"), ("blue", "ben"), ("green", "carl")]
    assert {row.name: row.address for row in club.store.players()} == {
        name: f"{name}@example.org" for name in made
    }
    assert "you have chosen the seats: red: ann, blue: ben, green: carl" in told
    assert (
        f"carl is enrolled with the key {Home(folder / 'home-carl').keys.public('carl').fingerprint}" in told
    )


def test_three_seats_at_a_table_for_two_to_five_are_enough(folder: Path) -> None:
    joins(folder, "ann", "ben", "carl")
    words = [
        f"--seat={side}={name}.join"
        for side, name in zip(("red", "blue", "green"), ("ann", "ben", "carl"), strict=True)
    ]
    assert main(["new", "clans", "--rules", "lords", *words]) == 0


def test_a_wish_that_came_by_mail_is_taken_by_its_player_s_name(folder: Path) -> None:
    made = joins(folder, "ann", "ben")
    (folder / "club" / "joins").mkdir(exist_ok=True)
    for name, path in made.items():
        path.rename(folder / "club" / "joins" / f"clans-{name}-0.join")
    assert main(["new", "clans", "--rules", "lords", "--players", "ann,ben"]) == 0
    club = open_club(folder / "club")
    assert all(one.anchor for one in club.book("clans").history.genesis.players), "their dice come with it"


def test_two_wishes_by_one_name_are_not_guessed_at(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first = joins(folder, "ann", "ben")["ann"].read_bytes()
    other = folder / "elsewhere"
    other.mkdir()
    (other / "club").symlink_to(folder / "club")
    second = joins(other, "ann")["ann"].read_bytes()
    (folder / "club" / "joins").mkdir(exist_ok=True)
    for number, data in enumerate((first, second)):
        (folder / "club" / "joins" / f"clans-ann-{number}.join").write_bytes(data)
    assert main(["new", "clans", "--rules", "lords", "--players", "ann,ben.join"]) == 1
    assert "2 have asked to join clans as ann, with other keys" in capsys.readouterr().err
    assert open_club(folder / "club").store.players() == [], (
        "nobody is enrolled for a game that is not opened"
    )


def test_a_game_that_is_refused_enrols_nobody(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    joins(folder, "ann", "ben", game="another")
    assert main(["new", "clans", "--rules", "lords", "--players", "ann.join,ben.join"]) == 1
    assert "is for the game another, not for clans" in capsys.readouterr().err
    assert open_club(folder / "club").store.players() == []


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (
            ["--rules", "lords", "--players", "a,b,c,d,e,f"],
            "2 sides, red, blue, and 6 players are named; its option players can be 2, 3, 4, 5",
        ),
        (["--players", "a,b,c"], "has 2 sides, england, scotland, and 3 players are named ("),
        (["--players", "a,b", "--option", "x=1"], "what they mean: pbem game new --rules hammer --help"),
        (["--seat", "a=x"], "there is no file x here, no player called x is enrolled, and nobody has asked"),
        (["--players", "a,b", "--seat", "x=1"], "either with --players or with --seat"),
        ([], "say who plays: --players NAME,NAME in the order england, scotland"),
        (
            ["--seat", "england=a.join"],
            "the sides and options are told by: pbem game new --rules hammer --help",
        ),
    ],
)
def test_a_refusal_says_where_sides_and_options_are_told(
    folder: Path, capsys: pytest.CaptureFixture[str], words: list[str], told: str
) -> None:
    joins(folder, "a")
    assert main(["new", "clans", *words]) != 0
    assert told in capsys.readouterr().err


@pytest.mark.parametrize("rules", names())
def test_help_tells_the_sides_and_what_every_option_means(
    rules: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["new", "--rules", rules, "--help"]) == 0
    told = " ".join(capsys.readouterr().out.split())
    title = load(rules)
    assert ", ".join(title.rules.sides(title.rules.checked({}))) in told
    for one in choices(rules):
        assert one.meaning, one.name
        assert f"{one.name}={one.usual} {one.meaning}" in told


def test_a_person_at_a_keyboard_is_asked_who_plays(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    joins(folder, "ann", "ben")
    asked = iter(("ann.join", "ben.join"))
    monkeypatch.setattr("sys.stdin.isatty", lambda: True)
    monkeypatch.setattr("click.prompt", lambda *_, **__: next(asked))
    assert main(["new", "clans", "--rules", "lords"]) == 0
    assert seats(open_club(folder / "club")) == [("red", "ann"), ("blue", "ben")]


def test_a_game_is_shown_with_all_that_everybody_may_know(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    joins(folder, "ann", "ben", "carl")
    main(["new", "clans", "--rules", "lords", "--players", "ann.join,ben.join,carl.join"])
    capsys.readouterr()
    assert main(["game", "show", "clans"]) == 0
    told = capsys.readouterr().out
    book = open_club(folder / "club").book("clans")
    head = book.head_at(1)
    assert told.startswith(f"game clans: Lords of Scotland, players 3\nfirst head {head}\n")
    for one in book.history.genesis.players:
        assert f"{one.side}: {one.name}, key {one.fingerprint}\n" in told
    assert "exchange 1 open, waiting for ann and ben and carl" in told
    assert "deadline 20" in told
    assert f"to check it: pbem game export clans; pbem audit clans-public --genesis {head}\n" in told
