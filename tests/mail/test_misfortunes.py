"""Three misfortunes at once, drawn by a seed; tests/mail/misfortunes.py has them and what must be true."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest

from pbem.judge.deadlines import waits_for_mail
from tests.mail.misfortune_kinds import (
    KINDS,
    LATER_KINDS,
    ClockBack,
    DatabaseMoved,
    Greylisting,
    Kills,
    MachineOff,
    MailboxAway,
    Misfortune,
    OneReplies,
    ReadingGameMaster,
    Restored,
    TwoFolders,
)
from tests.mail.misfortunes import DAYS, MoodyPost, Storm
from tests.mail.servers import smtp_server


def befall(folder: Path, seed: int, kinds: Sequence[type[Misfortune]] = ()) -> None:
    """Have misfortunes befall a club, and look what has become of it."""
    post = MoodyPost(folder / "post")
    with smtp_server(post) as port:
        storm = Storm(folder, post, port, seed, kinds)
        try:
            storm.live()
            storm.check()
        except AssertionError as fault:
            fault.add_note(f"seed {seed}: {', '.join(storm.names)}")
            raise


@pytest.mark.parametrize(
    "seed", [pytest.param(n, marks=pytest.mark.slow if n else pytest.mark.ci) for n in range(20)]
)
def test_three_at_once(tmp_path: Path, seed: int) -> None:
    befall(tmp_path, seed)


@pytest.mark.parametrize(
    "kind",
    [
        pytest.param(kind, marks=pytest.mark.ci if kind is Restored else pytest.mark.slow)
        for kind in (*KINDS[14:], *LATER_KINDS)
    ],
)
def test_one_alone(tmp_path: Path, kind: type[Misfortune]) -> None:
    """Of those that take the folder away one at most is drawn, so each is tried."""
    befall(tmp_path, 1, [kind])


@pytest.mark.ci
@pytest.mark.parametrize(
    "kinds", [[Greylisting, ReadingGameMaster, Kills], [DatabaseMoved, ClockBack], [OneReplies, MachineOff]]
)
def test_what_was_not_drawn(tmp_path: Path, kinds: list[type[Misfortune]]) -> None:
    befall(tmp_path, 1, kinds)


@pytest.mark.ci
def test_without_the_wait_for_a_look_it_would_be_seen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Deadlines pass while the mailbox is away: orders are passed over, and exchanges played blind."""
    monkeypatch.setattr(waits_for_mail, "why_waiting", lambda *_: "")
    post = MoodyPost(tmp_path / "post")
    with smtp_server(post) as port:
        storm = Storm(tmp_path, post, port, 1, [MailboxAway])
        storm.drawn[0].last = DAYS - 1
        storm.live()
        with pytest.raises(AssertionError, match="is played blind"):
            storm.check_not_blind()
        with pytest.raises(AssertionError, match="in time"):
            storm.check_in_time()


@pytest.mark.ci
@pytest.mark.parametrize(
    ("guards", "without", "kind", "words"),
    [
        (["service.watch._read_alarms"], {}, DatabaseMoved, "told once"),
        (["judge.upkeep.restoring.written_records"], [], Restored, "its journal confirms it"),
        (
            [
                "service.one_pass.check_folder",
                "mail.club_mailbox.check_folder",
                "mail.club_mailbox.check_counter",
            ],
            None,
            TwoFolders,
            "the copy signs nothing",
        ),
    ],
)
def test_without_its_guard_it_would_be_seen(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    guards: list[str],
    without: object,
    kind: type[Misfortune],
    words: str,
) -> None:
    for guard in guards:
        monkeypatch.setattr(f"pbem.{guard}", lambda *_, **__: without)
    with pytest.raises(AssertionError, match=words):
        befall(tmp_path, 1, [kind])


@pytest.mark.ci
def test_a_judge_who_signs_two_histories_would_be_seen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The folder comes back as it was days ago, and its judge goes on as if nothing had been sent since.

    Three guards stand in the way: the folder's identity, the counter in the mailbox, and orders there
    that are sealed to an exchange which this ledger has not opened.
    """
    guards = ["judge.book.check_folder", "service.one_pass.check_folder", "mail.club_mailbox.check_folder"]
    for guard in (*guards, "mail.club_mailbox.check_counter", "judge.adjudication.check_newest"):
        monkeypatch.setattr(f"pbem.{guard}", lambda *_, **__: None)
    post = MoodyPost(tmp_path / "post")
    with smtp_server(post) as port:
        storm = Storm(tmp_path, post, port, 1, [])
        storm.run()
        for day in range(6):
            if day == 2:
                shutil.copytree(tmp_path / "club", tmp_path / "old")
            storm.day()
        shutil.rmtree(tmp_path / "club")
        (tmp_path / "old").rename(tmp_path / "club")
        storm.watched.begin_anew()
        for _ in range(6):
            storm.clock.pass_days(1)
            storm.run(after_gap=True)
        with pytest.raises(AssertionError, match="contradicted"):
            storm.check_not_contradicted()
