"""The post box of a game, at the player's: which one it is, and what goes there and comes from there."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from pbem.cli import main, post
from pbem.player import Home
from pbem.player.box_client import Fetched, HomeBox, take_fetched
from pbem.player.faults import Damaged
from pbem.player.incoming.letters_in import OLDER, box_of
from pbem.trust.faults import SignatureFault
from pbem.trust.keys import generate
from pbem.trust.post_box import BoxLetter, sign_box_letter
from tests.player.judge import GAME, START, Judge

URL, OTHER = "https://box.club.example/", "https://other.example/"


def named(judge: Judge, url: str, hours: int = 0) -> bytes:
    """The judge's letter about a box, sealed to alice."""
    letter = BoxLetter(game=GAME, url=url, made=START + timedelta(hours=hours))
    return judge.sealed(sign_box_letter(letter, judge.key)).encode()


def test_the_judge_names_the_box_of_a_game(alice: Home, invited: Judge) -> None:
    assert box_of(alice.place(GAME)) == ""
    (arrival,) = alice.receive(named(invited, URL, hours=1))
    assert (arrival.kind, arrival.text, arrival.new) == ("box", f"{GAME} uses the post box {URL}\n", True)
    assert box_of(alice.place(GAME)) == URL
    assert not alice.receive(named(invited, URL, hours=1))[0].new, "the same letter changes nothing"
    assert alice.receive(named(invited, OTHER))[0].remarks == (OLDER,)
    assert box_of(alice.place(GAME)) == URL
    assert alice.receive(named(invited, OTHER, hours=2))[0].new
    assert box_of(alice.place(GAME)) == OTHER
    assert alice.receive(named(invited, "", hours=3))[0].text == f"{GAME} uses no post box any more\n"
    assert box_of(alice.place(GAME)) == ""


def test_what_one_box_gave_is_not_forgotten_for_the_next(
    alice: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    statuses = iter((1, 0))
    monkeypatch.setenv("PBEM_HOME", str(alice.path))
    monkeypatch.setattr(post, "_boxes", lambda *_, **__: ["the first", "the second"])
    monkeypatch.setattr(post, "_fetch_one", lambda *_, **__: next(statuses))
    assert main(["fetch"]) == 1


@pytest.mark.parametrize("command", ["fetch", "receive"])
def test_a_box_that_cannot_be_reached_keeps_no_other_waiting(
    alice: Home, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], command: str
) -> None:
    alice.keys.generate("second")
    for url, key in (("http://127.0.0.1:9/", "alice"), ("http://localhost:9/", "second")):
        HomeBox(alice, url, key).remember()
    monkeypatch.setenv("PBEM_HOME", str(alice.path))
    monkeypatch.setattr("sys.stdin.isatty", lambda: True)
    assert main([command]) == 1
    told = capsys.readouterr().err
    assert [told.count(f"box {name} cannot be reached") for name in ("127.0.0.1", "localhost")] == [1, 1]


def test_a_letter_from_a_box_that_is_refused_stays_where_it_was_stored(alice: Home, invited: Judge) -> None:
    box = HomeBox(alice, URL, "alice")
    box.keep([Fetched(1, named(invited, URL)), Fetched(2, named(replace(invited, key=generate()), OTHER))])
    (delivery, count) = next(take_fetched(box))
    assert (count, len(delivery.arrivals), len(delivery.faults)) == (2, 1, 1)
    assert [Path(path).name for path in box.kept()] == ["000000000002.eml"]


def test_nobody_else_names_a_box(alice: Home, invited: Judge) -> None:
    letter = sign_box_letter(BoxLetter(game=GAME, url=URL, made=START), generate())
    with pytest.raises(SignatureFault, match="this is signed with the key"):
        alice.receive(invited.sealed(letter).encode())
    path = alice.place(GAME).path / "box"
    for data, why in ((letter, "is not signed by the judge; remove it"), (b"x", "is damaged; remove it")):
        path.write_bytes(data)
        with pytest.raises(Damaged, match=why):
            box_of(alice.place(GAME))


def test_a_letter_of_a_later_kind_is_passed_over_with_a_word(alice: Home, invited: Judge) -> None:
    """So does a program that knows no box with this letter: what it opens belongs to no receipt."""
    letter = named(invited, URL)
    later = invited.sealed(b"pbem1 later\ngame hearth\n").encode()
    delivery = alice.deliver({"later": later, "box": letter})
    assert [one.kind for one in delivery.arrivals] == ["box"]
    ((_, fault),) = delivery.faults
    assert str(fault).startswith("this sealed text is not a report, and does not belong to a receipt")
