"""What a club's webhook hears of its leagues: public facts, each once, the same whatever is sealed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pbem.notify.courier import body_of, words_of
from pbem.notify.spool import WAKES, Wake, read_wakes
from pbem.service.waking import wake_readers
from tests.leagues.world import Called, Entered, World, file_of, take_reply

URL = "https://hooks.example/club/secret"


def with_webhook(world: World) -> World:
    world.club.settings = {**world.club.settings, "notify": {"folder": "../notify", "webhook": URL}}
    return world


def folder_of(world: World) -> Path:
    return world.club.path.parent / "notify"


def told(world: World) -> list[str]:
    """What the club's webhook is told of leagues by a pass, after a second one that tells nothing more."""
    assert not [line for line in wake_readers(world.club) if "full" in line]
    found = read_wakes(folder_of(world))
    again = list(wake_readers(world.club))
    assert not again, "each fact is told once"
    for path, _ in found:
        path.unlink()
    return sorted(words_of(wake) for _, wake in found if wake.league)


def test_it_hears_of_entries_calls_rounds_results_and_the_end(entered: Entered) -> None:
    world = with_webhook(entered(file_of("swiss", count=1), "ann", "ben", "cat", "dan"))
    assert told(world) == ["cup: entries are open until 2027-01-31 20:00 UTC."]
    world.enter("eve", "fay")
    assert told(world) == [], "who has entered is not told"
    world.after(31)
    assert told(world) == ["cup: a call for round 1 is open until 2027-02-06 12:00 UTC."]
    world.answer()
    assert told(world) == [], "nor who has answered"
    world.run()
    assert told(world)[-1] == "cup: round 1 is drawn and goes on until 2027-05-12 12:00 UTC at the latest."
    world.seat()
    told(world)
    first, *others = world.open_pairs()
    world.play([first], lambda pair: pair.players[0])
    world.run()
    assert told(world) == ["cup: results of round 1 are entered."]
    world.play(others, lambda pair: pair.players[0])
    world.run()
    assert told(world) == ["cup: results of round 1 are entered.", "cup: the league is over."]


def test_what_was_past_before_it_is_never_told(called: Called) -> None:
    world = called(file_of("swiss", count=2), "ann", "ben", "cat", "dan")
    world.seat()
    first, _ = world.open_pairs()
    world.play([first], lambda pair: pair.players[0])
    world.run()
    assert list(wake_readers(with_webhook(world).club)) != []
    wakes = [wake for _, wake in read_wakes(folder_of(world))]
    assert {wake.about for wake in wakes} == {"open", "drawn"}
    assert told(world) == ["cup: round 1 is drawn and goes on until 2027-05-12 12:00 UTC at the latest."]


def test_a_ledger_that_has_not_grown_is_not_read(entered: Entered, monkeypatch: pytest.MonkeyPatch) -> None:
    world = with_webhook(entered(file_of("swiss"), "ann", "ben"))
    assert len(told(world)) == 1

    def read(*_: object) -> None:
        raise AssertionError("it was read")

    monkeypatch.setattr("pbem.judge.leagues.status.load_league", read)
    assert told(world) == []


def test_what_is_posted_is_of_the_shape_of_a_games_fact() -> None:
    wake = Wake(reader="club", club="The Hearth", about="drawn", league="cup", round=2, deadline="", at="")
    posted = json.loads(body_of(wake))
    assert (posted["club"], posted["about"], posted["league"], posted["round"]) == (
        "The Hearth",
        "drawn",
        "cup",
        2,
    )
    assert posted["content"] == posted["text"] == posted["body"]
    assert posted["allowed_mentions"] == {"parse": []}


@pytest.mark.ci
def test_the_same_bytes_whatever_is_sealed_in_a_league(entered: Entered) -> None:
    """Two worlds that differ in sealed bids alone."""
    worlds = []
    for bid in ("s1", "e3"):
        file = file_of("swiss", count=1, more='[sides]\nby = "bids"')
        world = with_webhook(entered(file, "ann", "ben", folder=f"{bid}/club"))
        world.after(31)
        list(wake_readers(world.club))
        world.answer()
        world.run()
        list(wake_readers(world.club))
        for player in ("ann", "ben"):
            bids = dict.fromkeys(["cup-r1-1"], bid if player == "ann" else "e1").__getitem__
            assert take_reply(world.club, world.reply(player, bids=bids)).is_accepted
        list(wake_readers(world.club))
        world.run()
        list(wake_readers(world.club))
        folder = folder_of(world) / WAKES
        worlds.append({path.name: path.read_bytes() for path in folder.iterdir()})
    assert worlds[0] == worlds[1]
    assert {json.loads(data)["about"] for data in worlds[0].values()} >= {"call", "drawn", "open"}
    assert not any(name in data for data in worlds[0].values() for name in (b"ann", b"ben", URL.encode()))
