"""Players write to each other by commands, and the director reads, answers and closes that."""

from __future__ import annotations

import re
import shutil
import subprocess
import textwrap
from pathlib import Path

import pytest

import pbem
from pbem.judge.press import SEALED_ONLY
from pbem.trust.keys import parse_public
from tests.disputes.conftest import battle_of_angus, played_once
from tests.disputes.story import GAME, Story
from tests.disputes.test_seats import rotation

PEACE = "Peace? https://example.org/ and https://bank.example@evil.example/ and https://b\u00e4nk.example/\n"


def allow(story: Story, kind: str = "white") -> None:
    """The club has press from now on; the players have been told."""
    path = story.folder / "club/club.toml"
    path.write_text(f'{path.read_text(encoding="utf-8")}\n[press]\nkind = "{kind}"\n', encoding="utf-8")
    story.pbem("run")
    for name in story.sides:
        story.receive(name)


def write(story: Story, name: str, to: str, text: str = PEACE, *more: object, status: int = 0) -> str:
    """A player writes, and hands the sealed file in; what the judge said."""
    file, sealed = story.folder / f"{name}-says.txt", story.folder / f"{name}-press.age"
    file.write_text(text, encoding="utf-8")
    words = ("--to", to) if to else ()
    story.pbem("press", GAME, file, *words, *more, "--out", sealed, home=name)
    run = story.pbem("submit", sealed, status=status)
    return run.out + run.err


@pytest.fixture
def talking(
    tmp_path: Path,
    tmp_path_factory: pytest.TempPathFactory,
    capsys: pytest.CaptureFixture[str],
    _environment: None,
) -> Story:
    """A game in which players may write; three exchanges are played."""
    base = tmp_path_factory.getbasetemp()

    def played(folder: Path) -> Story:
        allow(story := battle_of_angus(base, capsys).copied(folder))
        return story

    return played_once(base / "battle-with-press", capsys, played).copied(tmp_path)


def test_before_anybody_writes_they_are_told_who_can_show_it(talking: Story) -> None:
    shown = talking.pbem("press", GAME, home="alice").err
    assert "nothing has come; the press of stirling is white" in shown
    file = talking.folder / "hello.txt"
    file.write_text(PEACE, encoding="utf-8")
    out = ("--out", talking.folder / "x.age")
    first = talking.pbem("press", GAME, file, "--to", "bob", *out, home="alice").err
    assert "can show it to anybody, with proof" in first
    second = talking.pbem("press", GAME, file, "--to", "bob", *out, home="alice").err
    assert "can show it" not in second


def test_a_message_goes_from_home_to_home(talking: Story) -> None:
    assert "passed on" in write(talking, "alice", "bob")
    received = talking.receive("bob")
    assert "alice to bob\n    Peace? https://example.org/" in received
    assert "[https://bank.example@evil.example leads to evil.example]" in received
    assert "[https://b\u00e4nk.example leads to xn--bnk-qla.example]" in received
    assert "[https://example.org" not in received
    assert "under way" in talking.pbem("press", GAME, home="alice").err
    talking.receive("alice")
    shown = talking.pbem("press", GAME, home="alice")
    assert "under way" not in shown.err
    assert shown.out.count("Peace?") == 1
    assert talking.pbem("press", GAME, home="bob").out.count("Peace?") == 1
    write(talking, "bob", talking.sides["alice"], "No.\n")
    assert "bob to side/scotland" in talking.receive("alice")


def test_the_same_letter_twice_is_one_message(talking: Story) -> None:
    write(talking, "alice", "bob")
    found = (talking.folder / "club/out/bob").glob("*-press-*.txt")
    letter = max(found, key=lambda path: path.stat().st_mtime_ns)
    talking.pbem("receive", letter, home="bob")
    again = talking.pbem("receive", letter, home="bob")
    assert "received before" in again.err
    assert talking.pbem("press", GAME, home="bob").out.count("Peace?") == 1


def test_who_is_muted_is_not_read_and_not_told(talking: Story) -> None:
    write(talking, "alice", "bob", "One.\n")
    talking.pbem("press", GAME, "--mute", "alice", home="bob")
    assert "One." not in talking.receive("bob")
    assert "(muted)" in talking.pbem("press", GAME, home="bob").out
    talking.pbem("press", GAME, "--unmute", "alice", home="bob")
    assert "One." in talking.pbem("press", GAME, home="bob").out
    for name in ("gm", "bob", "dora"):
        run = talking.pbem("press", GAME, "--mute", name, home="bob", status=1)
        assert "whom you can mute" in run.err
    kept = (talking.folder / "club/club.db").read_bytes()
    assert not re.search(rb"(?<![\w+/])(un)?mute", kept), "as a word: within base64 it may stand by chance"


def test_a_report_reaches_the_director_with_what_was_signed(talking: Story) -> None:
    write(talking, "alice", "bob", "I shall burn your house.\n")
    talking.receive("bob")
    write(talking, "bob", "", "Is that allowed?\n", "--report", "1")
    shown = talking.pbem("press", GAME, "--club", talking.folder / "club").out
    assert talking.pbem("press", "--club", talking.folder / "club").out == shown, "of all games"
    assert "bob to gm" in shown
    assert "it reports this, which the judge has passed on" in shown
    assert "I shall burn your house." in shown
    assert "burn" not in talking.receive("alice").partition("alice to bob")[0]
    talking.receive("bob")
    assert "Is that allowed?" in talking.pbem("press", GAME, home="bob").out


def test_the_director_answers_and_closes(talking: Story) -> None:
    club = ("--club", talking.folder / "club")
    file = talking.folder / "word.txt"
    file.write_text("Be kind.\n", encoding="utf-8")
    talking.pbem("press", GAME, file, "--to", "all", "--subject", "Manners", *club)
    assert "the director to all: Manners\n    Be kind." in talking.receive("bob")
    talking.pbem("press", GAME, *club, "--close", "quarrels")
    assert "The director has closed the press" in talking.receive("bob")
    run = talking.pbem("press", GAME, file, "--to", "alice", home="bob", status=1)
    assert "has closed the press of" in run.err
    assert "quarrels; you can write to gm alone" in run.err
    run = talking.pbem("press", GAME, *club, "--close", "again", status=1)
    assert "the press of stirling is closed already" in run.err
    run = talking.pbem("press", GAME, "--close", "x", home="bob", status=2)
    assert "name the club's folder with --club" in run.err


def test_a_paper_shows_what_was_written_and_convicts_nobody(talking: Story) -> None:
    write(talking, "alice", "bob", "I shall not attack.\n")
    talking.receive("bob")
    paper, bundle = talking.folder / "paper.txt", talking.folder / "bundle"
    talking.pbem("press", GAME, "--paper", "1", "--out", paper, home="bob")
    talking.pbem("export", GAME, "--into", bundle)
    shown = talking.pbem("audit", "--paper", paper, bundle).out
    assert "writer:   alice" in shown
    assert "I shall not attack." in shown
    assert "the judge's key is one of this game" in shown
    assert "the writer's key is one of alice" in shown
    assert "convicts nobody" in shown
    assert "none was given" in talking.pbem("audit", "--paper", paper).out
    paper.write_text(paper.read_text().replace("receipt ", "receipt A"))
    talking.pbem("audit", "--paper", paper, status=1)
    assert "Missing argument 'BUNDLE...'".lower() in talking.pbem("audit", status=2).err.lower()
    run = talking.pbem("audit", "--paper", paper, bundle, bundle, status=2)
    assert "--paper is for one bundle, or none" in run.err


@pytest.mark.ci
def test_who_takes_a_seat_later_gets_no_earlier_message(talking: Story) -> None:
    """Not by a letter that is sent again either, nor one that waited for quiet hours."""
    write(talking, "bob", "alice", "For alice alone.\n")
    profile = talking.folder / "profile.txt"
    words = ("--as", "alice", "--digest", "00:00", "--out", profile)
    talking.pbem("profile", *words, home="alice")
    talking.pbem("submit", profile)
    write(talking, "bob", "alice", "For alice at night.\n")
    talking.pbem("keygen", "carol", home="carol")
    talking.pbem("player", "add", "carol", talking.folder / "carol/keys/carol.pub")
    path, to = rotation(
        talking, "--new", "carol", "--chain", 2, "--person", "carol", *old_key(talking), *talking.genesis,
        home="carol",
    )  # fmt: skip
    given = talking.consent(to, "bob")
    talking.pbem("replace-key", path, "--reason", "alice is gone", *given)
    talking.pbem("run")
    talking.pbem("resend", GAME, "alice", status=None)
    write(talking, "bob", "alice", "For carol.\n")
    shown = talking.receive("carol")
    assert "For carol." in shown
    assert "For alice" not in shown
    assert "For carol." not in talking.receive("alice")


def old_key(story: Story) -> tuple[object, ...]:
    """The options by which a new key names the one that it replaces."""
    line = (story.folder / "alice/keys/alice.pub").read_text()
    return ("--lost", "--old-fingerprint", parse_public(line).fingerprint)


def test_plain_text_is_not_passed_on_and_a_signed_one_neither(talking: Story) -> None:
    (talking.folder / "plain.txt").write_text("pbem1 press\ngame stirling\nto bob\n\nHello\n")
    run = talking.pbem("submit", talking.folder / "plain.txt", status=1)
    assert SEALED_ONLY in run.err + run.out


def test_a_game_without_press_refuses_before_anything_is_sealed(played: Story, tmp_path: Path) -> None:
    file = tmp_path / "hello.txt"
    file.write_text(PEACE)
    run = played.pbem("press", GAME, file, "--to", "bob", home="alice", status=1)
    assert "has no press, as far as the judge has told you" in run.err
    allow(played, "public")
    run = played.pbem("press", GAME, file, "--to", "bob", home="alice", status=1)
    assert "you can write to all" in run.err
    run = played.pbem("press", GAME, file, "--to", "all", "--grey", home="alice", status=1)
    assert "whoever writes is named" in run.err


@pytest.mark.parametrize("to", ["Bob", "b\u043eb", "bob ", "dora", "side/rome", "scotl\u0430nd"])
def test_a_reader_who_only_looks_like_one_is_refused_by_name(talking: Story, to: str) -> None:
    file = talking.folder / "hello.txt"
    file.write_text(PEACE, encoding="utf-8")
    run = talking.pbem("press", GAME, file, "--to", to, home="alice", status=1)
    assert "is nobody in stirling; you can write to all, bob, gm" in run.err


def test_a_letter_with_another_s_signature_is_refused_at_home(talking: Story) -> None:
    """A judge who puts words into a player's mouth has no signature of theirs to show."""
    from pbem.judge.club import open_club
    from pbem.judge.letters.letter_files import deliver
    from pbem.judge.letters.letters_out import Reader
    from pbem.judge.press.desk import press_place, put_letter
    from pbem.trust import keys
    from pbem.trust.press import (
        Message,
        PressLetter,
        PressPaper,
        PressReceipt,
        content_hash,
        sign_letter,
        sign_message,
        sign_receipt,
    )

    club = open_club(talking.folder / "club")
    place, now = press_place(club, GAME), club.clock().replace(microsecond=0)
    message = Message(
        game=GAME, genesis=place.genesis, writer="alice", to=("bob",), number=1, made=now, text="I yield.\n"
    )
    receipt = PressReceipt(
        game=GAME, writer="alice", kind="white", to=("bob",), number=1,
        message=message.sha256, content=content_hash("", message.text), at=now,
    )  # fmt: skip
    signed = sign_receipt(receipt, club.key)
    forged = PressPaper(receipt=signed, message=sign_message(message, keys.generate("mallory")))
    reader: Reader = place.seats["bob"]
    with club.store.step():
        for paper in (forged, PressPaper(receipt=signed)):
            letter = PressLetter(game=GAME, reader="bob", paper=paper)
            put_letter(club, GAME, reader, [sign_letter(letter, club.key)])
    deliver(club)
    letters = sorted(
        (talking.folder / "club/out/bob").glob("*-press-*.txt"), key=lambda one: one.stat().st_ctime_ns
    )
    told = "".join(talking.pbem("receive", one, home="bob", status=1).err for one in letters[-2:])
    assert "signed with another key" in told
    assert "shows no signature of theirs" in told
    assert talking.pbem("press", GAME, home="bob").out == ""


def test_stock_tools_check_a_paper_as_the_page_of_press_says(talking: Story) -> None:
    if shutil.which("ssh-keygen") is None:
        pytest.skip("no ssh-keygen is installed")
    write(talking, "alice", "bob", "I shall not attack.\n")
    talking.receive("bob")
    talking.pbem("press", GAME, "--paper", "1", "--out", talking.folder / "paper.txt", home="bob")
    page = (Path(pbem.__file__).parent / "docs/press.md").read_text(encoding="utf-8")
    lines = page.partition("a text and its signature.\n\n")[2].partition("\n\n")[0]
    shutil.copy(talking.folder / "alice/keys/alice.pub", talking.folder / "alice.pub")
    shown = subprocess.run(
        ["sh", "-e", "-c", textwrap.dedent(lines)],
        cwd=talking.folder,
        check=True,
        capture_output=True,
        text=True,
    )
    assert 'Good "pbem1-press" signature for alice' in shown.stdout
    changed = (talking.folder / "message.txt").read_text().replace("not ", "")
    verify = textwrap.dedent(lines).splitlines()[-1].strip()
    (talking.folder / "message.txt").write_text(changed)
    bad = subprocess.run(["sh", "-c", verify], cwd=talking.folder, check=False, capture_output=True)
    assert bad.returncode != 0
