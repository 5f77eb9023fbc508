"""What each reader's track of a game holds: what that reader was shown, and for a finished game all of it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pbem.audit.bundle import Files
from pbem.audit.game import record_in
from pbem.disputes.record import Record
from pbem.errors import ConfigError, LedgerError
from pbem.moments.own_lines import Shown
from pbem.moments.tracks import ENDING, GM, PUBLIC, StillPlayed, tell, tell_reports, tell_shown
from pbem.play.adjudicate import setting_of
from pbem.reports.packing import unpack
from tests.audit.stage import Stage, herald
from tests.moments.stories import NAMES, record_of, running, story_of


@pytest.mark.parametrize("name", NAMES)
def test_a_finished_game_has_the_tracks_of_all_and_the_truth(name: str) -> None:
    story = story_of(name)
    assert [track.reader for track in story.tracks] == [*story.setting.sides, PUBLIC, GM]
    assert story.over
    assert story.outcome
    numbers = [[chapter.exchange for chapter in track.chapters] for track in story.tracks]
    assert numbers[1:] == numbers[:-1]


@pytest.mark.parametrize("name", NAMES)
def test_a_track_is_the_same_from_reports_alone_as_from_the_game_played_again(name: str) -> None:
    record, story = record_of(name), story_of(name)
    for track in story.tracks[:-1]:
        (alone,) = tell(record.narrow_to(track.reader)).tracks
        assert alone == track


def test_what_is_played_again_shows_the_orders_by_which_it_is(tmp_path: Path) -> None:
    stage = Stage(tmp_path)
    herald(stage)
    stage.send("alice")
    alice, bob = stage.people["alice"].key, stage.people["bob"].key
    stage.act("correct", "2", "herald_order=name_then_roll", alice=alice, bob=bob)
    (track,) = tell(record_in(Files(stage.bundle(), ())), "england").tracks
    assert any("card herald" in one.text for chapter in track.chapters for one in chapter.orders)


@pytest.mark.parametrize("name", NAMES)
def test_a_home_tells_the_same_as_the_judge(name: str) -> None:
    record, story = record_of(name), story_of(name)
    track = story.tracks[0]
    known = record.narrow_to(track.reader)
    reports = {number: text for (number, _), text in known.reports.items()}
    orders = {chapter.exchange: chapter.orders[0].text for chapter in track.chapters if chapter.orders}
    (alone,) = tell_reports(setting_of(record.genesis), record.history, track.reader, reports, orders).tracks
    assert alone == track


@pytest.mark.parametrize("name", NAMES)
def test_every_moment_of_a_side_is_a_sentence_and_what_that_side_saw(name: str) -> None:
    for track in story_of(name).tracks:
        moments = [one for chapter in track.chapters for one in chapter.moments]
        assert moments
        assert all(one.step.lines for one in moments)
        assert {one.step.view["viewer"] for one in moments} == {track.reader}


def test_only_the_truth_holds_the_orders_of_all_and_what_answered_each_question() -> None:
    for track in story_of("campaign-to-1298").tracks:
        sides = {written.side for chapter in track.chapters for written in chapter.orders}
        replies = sum(len(chapter.replies) for chapter in track.chapters)
        if track.reader == GM:
            assert sides == {"england", "scotland"}
            assert replies > 100
        else:
            assert sides <= {track.reader} - {PUBLIC}
            assert replies == 0


def test_the_lines_that_were_not_needed_are_those_that_answered_nothing() -> None:
    truth = story_of("campaign-to-1298").tracks[-1]
    used = {(one.side, one.exchange, one.line) for chapter in truth.chapters for one in chapter.replies}
    unused = [
        (written.side, chapter.exchange, line)
        for chapter in truth.chapters
        for written in chapter.orders
        for line in written.unused
    ]
    assert unused
    texts = {
        (one.side, chapter.exchange): one.text.splitlines()
        for chapter in truth.chapters
        for one in chapter.orders
    }
    said = {texts[side, exchange][line - 1].split()[0] for side, exchange, line in unused}
    assert "move" in said
    assert not said & {"end", "if", "plan", "note"} - {"plan"}
    assert not used.intersection(unused)


@pytest.mark.parametrize("name", NAMES)
def test_each_answer_stands_beside_the_moment_that_followed_from_it(name: str) -> None:
    *others, truth = story_of(name).tracks
    assert not any(moment.replies for track in others for one in track.chapters for moment in one.moments)
    for chapter in truth.chapters:
        joined = [one for moment in chapter.moments for one in moment.replies]
        assert set(joined) == set(chapter.replies)


def test_the_orders_beside_a_moment_name_who_acts_in_it() -> None:
    seen = 0
    for chapter in story_of("campaign-to-1298").tracks[-1].chapters:
        for moment in chapter.moments:
            said = {one.said for one in moment.replies}
            for event in moment.step.events:
                if event["event"] == "fire":
                    assert f"fire {event['block']}" in said
                elif event["event"] == "move":
                    assert any(one.startswith(f"move {event['block']} to ") for one in said)
                else:
                    continue
                seen += 1
    assert seen > 50


@pytest.mark.ci
def test_a_moment_that_leaves_an_event_out_is_joined_to_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever counts events would else be one off, and join each order to what another one did."""
    record = record_of("campaign-to-1298")
    playback = setting_of(record.genesis).title.playback
    steps = type(playback).steps

    def shorter(self: Any, before: Any, told: Any, after: Any) -> Any:
        return steps(self, before, told[:-1], after)

    monkeypatch.setattr(type(playback), "steps", shorter)
    truth = tell(record).tracks[-1]
    assert truth.chapters[2].replies
    assert not any(moment.replies for one in truth.chapters for moment in one.moments)


@pytest.mark.ci
@pytest.mark.parametrize("name", NAMES)
def test_the_last_moment_of_every_track_says_how_the_game_ended(name: str) -> None:
    story = story_of(name)
    for track in story.tracks:
        moments = [one.step for chapter in track.chapters for one in chapter.moments]
        assert [one.chapter == ENDING for one in moments] == [False] * (len(moments) - 1) + [True]
        outcome, *counts = moments[-1].lines
        assert outcome == story.outcome
        assert len(counts) == 2
        assert moments[-1].view == moments[-2].view


def test_a_game_that_its_ledger_ends_says_so_in_the_ledgers_words() -> None:
    """The position does not say that the game is over, so nothing is said of how it stood in the end."""
    record = record_of("campaign-to-1298")
    shown = {1: running_shown(record)}
    setting = setting_of(record.genesis)
    ending = "winner scotland, reason England resigned"
    (track,) = tell_shown(setting, PUBLIC, shown, {}, over=True, ending=ending).tracks
    assert track.chapters[-1].moments[-1].step.lines == (ending,)
    (track,) = tell_shown(setting, PUBLIC, shown, {}).tracks
    assert track.chapters[-1].moments[-1].step.chapter != ENDING


def running_shown(record: Record) -> Shown:
    """What the public was shown of the first exchange of a game."""
    report = unpack(record.narrow_to(PUBLIC).reports[1, PUBLIC])
    assert report is not None
    return report


def test_a_game_that_is_still_played_is_told_to_the_public_alone() -> None:
    played = running(record_of("campaign-to-1298"), 6)
    story = tell(played)
    assert not story.over
    assert story.outcome == ""
    assert [track.reader for track in story.tracks] == [PUBLIC]
    assert [chapter.exchange for chapter in story.tracks[0].chapters] == [1, 2, 3, 4, 5, 6]
    with pytest.raises(StillPlayed, match="still played"):
        tell(played, "all")


def test_a_game_that_is_decided_elsewhere_is_not_over() -> None:
    """A league may decide a game at its last date; only the game's own ledger makes all of it public."""
    record = record_of("campaign-to-1298")
    history = object.__new__(type(record.history))
    history.__dict__.update(record.history.__dict__)
    history.over = False
    assert [track.reader for track in tell(replace(record, history=history)).tracks] == [PUBLIC]


def test_one_side_may_not_ask_for_what_another_was_shown() -> None:
    scots = record_of("campaign-to-1298").narrow_to("scotland")
    for reader in ("england", "all", "nobody"):
        with pytest.raises(ConfigError):
            tell(scots, reader)


def test_a_damaged_report_is_refused() -> None:
    scots = record_of("campaign-to-1298").narrow_to("scotland")
    place = (3, "scotland")
    with pytest.raises(LedgerError, match="exchange 3 is damaged"):
        tell(replace(scots, reports={**scots.reports, place: "nothing"}))
