"""`pbem show` shows a game wherever it is: in a club, in a home, in a bundle."""

from __future__ import annotations

import pytest

from tests.disputes.story import GAME, WHY, Story

ELSEWHERE = "--club", "nowhere"


def test_a_club_shows_where_it_stands_or_the_last_report(played: Story) -> None:
    stands = played.pbem("show", GAME).out
    told = played.pbem("show", GAME, "--report").out
    assert stands != told
    assert told == played.pbem("report", GAME).out, "as its old name does"
    of_a_side = played.pbem("show", GAME, "--as", "scotland", "--report", *WHY).out
    assert of_a_side == played.pbem("report", GAME, "scotland", *WHY).out


def test_a_home_shows_the_last_report_of_its_own_side(played: Story) -> None:
    played.receive("alice")
    own = played.pbem("show", GAME, *ELSEWHERE, home="alice").out
    sent = played.pbem("show", GAME, "--as", "scotland", "--report", *WHY).out
    report, _, clock = own.rstrip("\n").rpartition("\n")
    assert report
    assert sent.startswith(report)
    assert clock.startswith("The clock: 7 days for each exchange")
    refused = played.pbem("show", GAME, "--as", "england", *ELSEWHERE, home="alice", status=1)
    assert "only what your own side sees" in refused.err


def test_a_bundle_shows_what_it_holds_and_no_more(played: Story) -> None:
    public, own = played.folder / "public-bundle", played.folder / "own-bundle"
    played.pbem("export", GAME, "--into", public)
    played.pbem("export", GAME, "--as", "scotland", "--into", own, *WHY)
    said = played.pbem("show", public).out
    assert played.pbem("show", GAME, "--report").out.startswith(said.rstrip("\n"))
    assert "holds no report for scotland" in played.pbem("show", public, "--as", "scotland", status=1).err
    of_scotland = played.pbem("show", own, "--as", "scotland").out
    assert of_scotland.strip()
    assert of_scotland != said


@pytest.mark.parametrize("name", ["nosuch", "..", "a/b"])
def test_what_is_nowhere_is_told(played: Story, name: str) -> None:
    assert "holds no club" in played.pbem("show", name, *ELSEWHERE, home="alice", status=1).err
