"""What each reader's track of a game holds: what that reader was shown, and for a finished game all of it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pbem.errors import ConfigError, LedgerError
from pbem.moments.tracks import GM, PUBLIC, StillPlayed, tell, tell_reports
from pbem.play.adjudicate import setting_of
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
