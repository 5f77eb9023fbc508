"""Whom a player will not play: signed, told to nobody, and never an obstacle in a league."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from pbem.cli import main
from pbem.errors import ConfigError, PbemError
from pbem.judge.letters.wishes import all_wishes, forget_wishes, keep_wishes, refuse_unwilling, wishes_of
from pbem.judge.new_keys import rotate
from pbem.judge.newgame import new_game
from pbem.judge.tables.store import Store
from pbem.player import Home
from pbem.titles import load
from pbem.trust import keys
from pbem.trust.chance import Reveal, make_chain
from pbem.trust.fields import read_signed, sign_fields
from pbem.trust.player_statements import MAX_AVOIDED, Join, Profile, read_avoided
from pbem.trust.rotations import KeyChange, sign_rotation
from tests.judge.table import GAME, TITLE, Table
from tests.mail.postal import Postal
from tests.mail.test_passes import body

UNWILLING = "are not seated in one game: one of them has signed"


@pytest.fixture
def store(table: Table) -> Store:
    return table.club.store


def avoid(table: Table, person: str, names: str) -> None:
    with table.club.store.step():
        keep_wishes(table.club.store, person, avoid=names)


def signed(table: Table, names: str, minutes: int = 0) -> bytes:
    """A profile of alice that names whom she will not play."""
    made = table.clock() + timedelta(minutes=minutes)
    wish = Profile(player="alice", judge=table.club.key.public.fingerprint, avoid=names, made=made)
    return sign_fields(wish, table.people["alice"].key)


def open_next(table: Table, scotland: str = "alice", england: str = "bob") -> list[str]:
    """A new game that the director opens, and all games then."""
    seats = {"scotland": scotland, "england": england}
    new_game(table.club, "next", TITLE.name, dict(TITLE.excerpt or {}), seats)
    return table.club.store.games()


@pytest.mark.parametrize(("unwilling", "other"), [("alice", "bob"), ("bob", "alice")])
@pytest.mark.parametrize("seats", [("alice", "bob"), ("bob", "alice")])
def test_two_of_whom_one_is_unwilling_get_no_new_game(
    table: Table, unwilling: str, other: str, seats: tuple[str, str]
) -> None:
    avoid(table, unwilling, f"nora,{other}")
    with pytest.raises(ConfigError) as refused:
        open_next(table, *seats)
    assert str(refused.value).startswith(f"{seats[1]} and {seats[0]} {UNWILLING}"), "it does not say who"
    assert table.club.store.games() == [GAME]
    avoid(table, unwilling, "nora")
    assert open_next(table, *seats) == [GAME, "next"]


def test_of_three_no_two_may_be_unwilling(table: Table) -> None:
    table.club.add_player("carol", keys.generate("carol").public)
    avoid(table, "carol", "alice")
    seats = dict(zip(load("lords").rules.sides({"players": 3}), ("alice", "bob", "carol"), strict=True))
    with pytest.raises(ConfigError, match=f"(alice and carol|carol and alice) {UNWILLING}"):
        new_game(table.club, "next", "lords", {"players": 3}, seats)


def test_a_list_is_taken_back(table: Table) -> None:
    avoid(table, "alice", "bob")
    avoid(table, "alice", "-")
    assert open_next(table) == [GAME, "next"]


def test_other_wishes_leave_the_list_as_it_is(table: Table, store: Store) -> None:
    avoid(table, "alice", "bob,nora")
    with store.step():
        keep_wishes(store, "alice", digest="18:00")
    assert wishes_of(store, "alice").avoided == ("bob", "nora")


@pytest.mark.parametrize(("person", "other"), [("bob", "carol"), ("carol", "bob"), ("carol", "alice")])
@pytest.mark.parametrize("in_league", [False, True])
def test_a_substitute_and_those_who_play_on(table: Table, person: str, other: str, in_league: bool) -> None:
    """Carol takes alice's seat beside bob; what she and alice think of each other is no obstacle."""
    carol, alice = keys.generate("carol"), table.people["alice"].key
    table.club.add_player("carol", carol.public)
    avoid(table, person, other)
    if in_league:
        with table.club.store.step():
            table.club.store.add_league_game(GAME, "league.cup")
    anchor = Reveal("alice.2", 0, make_chain(GAME, "alice.2", b"c" * 32).anchor)
    named = {"game": GAME, "genesis": table.genesis, "player": "alice", "person": "carol", "anchor": anchor}
    old, new = alice.public.fingerprint, carol.public.line
    change = KeyChange(**named, old=old, new=new, exchange=table.exchange)  # type: ignore[arg-type]
    given = table.consent(change.consent, "alice", alice, seen=(1, table.genesis))
    data = sign_rotation(change, None, carol)
    if other == "alice" or in_league:
        assert "carol" in rotate(table.club, data, reason="no time", consents=[given])
        return
    with pytest.raises(ConfigError, match=f"carol and bob {UNWILLING}"):
        rotate(table.club, data, reason="no time", consents=[given])


def test_a_game_of_a_league_asks_no_list(table: Table, store: Store) -> None:
    avoid(table, "alice", "bob")
    with store.step():
        store.add_league_game("next", "league.cup")
    refuse_unwilling(store, "next", [("alice", "bob"), ("bob", "alice")])


@pytest.mark.parametrize("names", ["bob,bob", "bob,", ",", "bob, carol", "Bob!", "bob,-"])
def test_what_is_no_list_of_players(names: str) -> None:
    with pytest.raises(PbemError):
        read_avoided(names)


def test_the_longest_list() -> None:
    names = [f"player-{number}" for number in range(MAX_AVOIDED + 1)]
    assert len(read_avoided(",".join(names[:-1]))) == MAX_AVOIDED
    with pytest.raises(PbemError, match=f"each player once, {MAX_AVOIDED} at most"):
        read_avoided(",".join(names))


def test_nobody_avoids_themselves(table: Table) -> None:
    with pytest.raises(PbemError, match="alice cannot avoid alice: name other players"):
        signed(table, "bob,alice")


def test_who_is_forgotten_is_on_no_list(store: Store) -> None:
    with store.step():
        keep_wishes(store, "alice", avoid="bob,carol", digest="18:00")
        keep_wishes(store, "bob", avoid="alice")
        keep_wishes(store, "carol", avoid="bob")
        forget_wishes(store, "bob")
    known = {name: (wishes.avoid, wishes.digest) for name, wishes in all_wishes(store).items()}
    assert known == {"alice": ("carol", "18:00"), "carol": ("", "")}
    assert "bob" not in "".join(store.notes("press wishes ").values())
    refuse_unwilling(store, "next", [("alice", "bob")])


def test_the_command_signs_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    judge = Home(tmp_path).keygen("alice").fingerprint
    monkeypatch.setenv("PBEM_HOME", str(tmp_path))
    out = tmp_path / "profile"
    words = ["sign", "profile", "--as", "alice", "--judge", judge, "--out", str(out)]
    assert main([*words, "--avoid", "alice"]) == 1
    assert main([*words, "--avoid", "bob,carol"]) == 0
    assert read_signed(Profile, out.read_bytes())[0].avoid == "bob,carol"


def wish_of(name: str, game: str, postal: Postal) -> bytes:
    key = postal.table.people[name].key
    return sign_fields(Join(game=game, player=name, key=key.public), key)


def test_a_mail_with_a_list(postal: Postal) -> None:
    """It is told to its signer alone, and its names are not in the log."""
    postal.run()
    assert [len(postal.mails(name)) for name in ("alice", "bob")] == [1, 1], "their invitations"
    postal.send(signed(postal.table, "bob,nora"))
    lines = [line.text for line in postal.run()]
    assert any("profile of alice: avoid" in line for line in lines)
    assert not any("bob" in line for line in lines if "profile" in line)
    (told,) = postal.mails("alice")
    text = " ".join(body(told).split())
    assert "you are not seated with those whom you have named. Nobody called nora is enrolled here" in text
    assert postal.mails("bob") == []
    postal.deliver(signed(postal.table, "-", minutes=1))
    (told,) = postal.mails("alice")
    assert "You may be seated with everybody again." in body(told)


def test_who_asks_for_a_seat_is_answered_as_ever(postal: Postal) -> None:
    """A wish to join gets the same words in the same pass, whoever is on whose list."""
    postal.run()
    assert [len(postal.mails(name)) for name in ("alice", "bob")] == [1, 1], "their invitations"
    answers = []
    for game, names in (("dunbar", "nora"), ("durham", "bob")):
        avoid(postal.table, "alice", names)
        for name in ("alice", "bob"):
            postal.deliver(wish_of(name, game, postal), f"{name}@example.org")
        mails = [mail for name in ("alice", "bob") for mail in postal.mails(name)]
        answers.append([body(mail).replace(game, "next") for mail in mails])
    assert len(answers[0]) == 2
    assert answers[0] == answers[1]
    with pytest.raises(ConfigError, match=UNWILLING):
        open_next(postal.table)
    postal.run()
    assert [postal.mails(name) for name in ("alice", "bob")] == [[], []], "the director alone is told"
