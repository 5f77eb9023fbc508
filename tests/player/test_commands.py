"""The player's commands, as he types them."""

from __future__ import annotations

import json
import shlex
import stat
import subprocess
import sys
import tomllib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from pbem.cli import main
from pbem.judge.tables.database import LetterRow
from pbem.mail.compose import as_bytes, compose
from pbem.mail.settings import MailSettings
from pbem.player import Home, default_home
from pbem.steps import Step
from pbem.trust import keys
from pbem.trust.times import HERE, local_text
from tests.player.judge import DEADLINE, GAME, Judge
from tests.player.tools import Play

A_JUDGE = f"SHA256:{'A' * 43}"


class Terminal:
    """Runs commands in one player's home."""

    def __init__(self, home: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.home = home
        self._capsys = capsys

    def __call__(self, *arguments: str | Path, status: int = 0) -> tuple[str, str]:
        """What a command prints on standard output and standard error; it must end with `status`."""
        self._capsys.readouterr()
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("PBEM_HOME", str(self.home))
            ended = main([str(argument) for argument in arguments])
        shown = self._capsys.readouterr()
        assert ended == status, shown.err
        return shown.out, shown.err


@pytest.fixture
def pbem(alice: Home, capsys: pytest.CaptureFixture[str]) -> Terminal:
    """Commands in alice's home."""
    return Terminal(alice.path, capsys)


def test_a_game_by_commands(pbem: Terminal, bob: Home, tmp_path: Path) -> None:
    """From an empty home to orders that the judge accepts."""
    pbem.home = tmp_path / "new"
    out, err = pbem("keygen", "alice")
    public = keys.parse_public(out.splitlines()[1])
    assert (out, err) == (f"{public.fingerprint}\n{public.line} alice\n", "")
    judge = Judge()
    fingerprint = judge.key.public.fingerprint
    joined, _ = pbem("join", GAME, "--as", "alice", "--judge", fingerprint)
    (tmp_path / "gm.pub").write_text(judge.key.public.file_line)
    named = ("--judge", tmp_path / "gm.pub")
    assert pbem("join", GAME, "--as", "alice", *named, "--out", tmp_path / "join.txt")[0] == ""
    assert (tmp_path / "join.txt").read_text() == joined
    assert f"\njudge {fingerprint}\n" in joined
    assert pbem("games") == (
        f"{GAME}: alice has joined; no invitation yet; no report; nothing sent\n  next: pbem receive MAIL\n",
        "",
    )

    judge.begin(joined.encode(), bob.join(GAME, player="bob", judge=None))
    (tmp_path / "mail.txt").write_text(judge.mail(judge.letter(0)))
    out, err = pbem("receive", tmp_path / "mail.txt", "--genesis", judge.heads[0])
    assert out == judge.report_text(0, "north")
    assert err.startswith(f"pbem: the judge of {GAME} has the key {judge.key.public.fingerprint}")

    (tmp_path / "draft.txt").write_text("pbem1 orders\n---\nmove fife stirling\n")
    armor, err = pbem("seal", tmp_path / "draft.txt")
    assert err.startswith(f"pbem: {GAME}, exchange 1, revision 1: sealed file ")
    pbem("seal", tmp_path / "draft.txt", "--as", "alice", "--game", GAME, "--out", tmp_path / "orders.age")
    assert (tmp_path / "orders.age").read_text() == armor
    from tests.trust.sealed import only_sealed

    assert judge.read(1, "alice", only_sealed(armor.encode())).body == "move fife stirling\n"
    out, err = pbem("games")
    assert out == (
        f"{GAME}: alice plays north; exchange 1 is open until {local_text(DEADLINE, HERE)}; last report 0; "
        "sent revision 1\n"
    )


def test_receiving_again_says_so(pbem: Terminal, invited: Judge, tmp_path: Path) -> None:
    (tmp_path / "mail.txt").write_text(invited.mail(invited.letter(0)))
    out, err = pbem("receive", tmp_path / "mail.txt")
    assert out == invited.report_text(0, "north")
    assert err == (
        "pbem: this was received before; nothing has changed\n"
        f"pbem: next: pbem seal --game {GAME} --bare --mail {GAME}-1.eml\n"
    )


def test_receiving_for_programs(pbem: Terminal, invited: Judge, tmp_path: Path) -> None:
    (tmp_path / "mail.txt").write_text(invited.mail(invited.letter(0)))
    facts = json.loads(pbem("receive", "--json", tmp_path / "mail.txt")[0])
    (arrival,) = facts["arrivals"]
    assert (arrival["kind"], arrival["game"], arrival["new"]) == ("report", GAME, False)
    assert arrival["text"] == invited.report_text(0, "north")
    (tmp_path / "mail.txt").write_text("good morning")
    facts = json.loads(pbem("receive", "--json", tmp_path / "mail.txt", status=1)[0])
    assert len(facts["faults"]) == 1


def test_what_is_refused_ends_with_1(pbem: Terminal, invited: Judge, tmp_path: Path) -> None:
    (tmp_path / "mail.txt").write_text("Dear Alice!\n")
    out, err = pbem("receive", tmp_path / "mail.txt", status=1)
    assert (out, err) == ("", "pbem: the file holds nothing sealed; orders are sealed with pbem seal\n")
    (tmp_path / "good.txt").write_text(invited.mail(invited.letter(0)))
    out, err = pbem("receive", tmp_path / "mail.txt", tmp_path / "good.txt", status=1)
    assert out == invited.report_text(0, "north")
    assert f"pbem: {tmp_path}/mail.txt: the file holds nothing sealed; " in err


def plain_answer(name: str = "answer-0123456789abcdef.txt", player: str = "") -> bytes:
    """A mail in which the judge answers with words alone, as it leaves."""
    letter = LetterRow(7, "", player, name, b"", "", "2027-01-05T18:00:00Z", "Your file came too late.\n")
    return as_bytes(compose(letter, "alice@example.org", MailSettings(address="judge@example.org")))


def test_a_plain_answer_of_the_judge_is_told_as_that(
    pbem: Terminal, invited: Judge, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Beside good mails and alone; nobody is told to seal orders, and nothing is refused."""
    monkeypatch.chdir(tmp_path)
    answer, good = tmp_path / "1-answer.eml", tmp_path / "2-good.eml"
    answer.write_bytes(plain_answer())
    good.write_text(invited.mail(invited.letter(0)))
    told = "pbem: this calls itself an answer of the judge's in plain words, and holds nothing to open; "
    out, err = pbem("receive", answer)
    assert (out, err.startswith(told)) == ("", True)
    answer.write_bytes(2 * (b"From judge@example.org Tue\n" + plain_answer() + b"\n"))
    assert told in pbem("receive", answer)[1]
    out, err = pbem("receive", answer, good)
    assert out == invited.report_text(0, "north")
    assert told in err
    assert "orders are sealed" not in err
    assert told in pbem("turn", answer)[1]
    (arrival,) = json.loads(pbem("receive", "--json", answer)[0])["arrivals"]
    assert (arrival["kind"], arrival["game"], arrival["text"]) == ("plain", "", "")


def test_what_only_looks_like_a_plain_answer_is_refused(
    pbem: Terminal, invited: Judge, tmp_path: Path
) -> None:
    """The judge's address in From says nothing; nor does a letter's name if what is sealed is cut short."""
    path = tmp_path / "mail.eml"
    named = b"Message-ID: <pbem1.club.answer.answer-1@example.org>\n"
    beside = b"From: judge@example.org\nIn-Reply-To: <pbem1.club.answer.answer-1@example.org>\n\n" + named
    cut = named + b"\n" + invited.mail(invited.letter(0)).encode()[:900]
    for data, why in (
        (beside, "holds nothing sealed"),
        (plain_answer().replace(b"pbem1.club.answer.", b"pbem1.hearth.alice."), "holds nothing sealed"),
        (cut, "cut short"),
        (b"From x\n" + plain_answer() + b"\n\nFrom x\nSubject: hi\n\nwords\n", "holds nothing sealed"),
    ):
        path.write_bytes(data)
        assert why in pbem("receive", path, status=1)[1]


def test_a_fork_is_shouted(pbem: Terminal, play: Play, invited: Judge, tmp_path: Path) -> None:
    from tests.player.test_forks import other_history

    play(1)
    other = other_history(invited, 9)
    (tmp_path / "mail.txt").write_text(other.mail(other.letter(1)))
    out, err = pbem("receive", tmp_path / "mail.txt", status=1)
    assert out == ""
    assert err.startswith("pbem: the judge of hearth has signed two histories: entry 9 is not the one")
    _, err = pbem("games")
    assert err.startswith("pbem: hearth: the judge has signed two histories: /")


@pytest.mark.ci
def test_standard_input_is_read(alice: Home, judge: Judge) -> None:
    def said(given: bytes, *words: str) -> bytes:
        command, home = [sys.executable, "-m", "pbem", *words], {"PBEM_HOME": str(alice.path)}
        return subprocess.run(command, input=given, env=home, capture_output=True, check=True).stdout

    mail = judge.mail(judge.letter(0)).encode()
    assert said(mail, "receive").decode() == judge.report_text(0, "north")
    assert said(b"pbem1 orders\n---\n", "seal", "-").startswith(b"-----BEGIN AGE")


def test_a_report_cannot_command_the_terminal(pbem: Terminal, judge: Judge, tmp_path: Path) -> None:
    letter = replace(judge.letter(0), report="Your title:\x1b]0;hacked\x07\nand\tthe rest\u202e\n")
    (tmp_path / "mail.txt").write_text(judge.mail(letter))
    out, _ = pbem("receive", tmp_path / "mail.txt")
    assert out == "Your title:\ufffd]0;hacked\ufffd\nand\tthe rest\ufffd\n"


def test_an_opponent_s_orders_are_kept(pbem: Terminal, bob: Home, invited: Judge, tmp_path: Path) -> None:
    first, second = bob.seal(None), bob.seal("done\n", game=GAME)
    for name, orders in (("1.txt", first), ("2.txt", second)):
        (tmp_path / name).write_text(orders.armor)
    out, _ = pbem("receive", "--copy-of", GAME, tmp_path / "1.txt", tmp_path / "2.txt")
    held = f"{pbem.home}/games/{GAME}/held/sealed"
    assert out == f"{held}/{first.name}.age\n{held}/{second.name}.age\n"


@pytest.mark.ci
def test_a_locked_key_is_asked_for(
    pbem: Terminal, bob: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From a file, or by a question."""
    pbem.home = tmp_path / "new"
    (tmp_path / "passphrase").write_text("correct horse\n")
    pbem("keygen", "alice", "--passphrase-file", tmp_path / "passphrase")
    assert keys.is_locked((pbem.home / "keys/alice").read_bytes())
    join = ("join", GAME, "--as", "alice", "--judge", A_JUDGE)
    pbem(*join, "--passphrase-file", tmp_path / "passphrase")
    (tmp_path / "passphrase").write_text("battery\n")
    _, err = pbem(*join, "--passphrase-file", tmp_path / "passphrase", status=1)
    assert err == "pbem: the passphrase does not open this key\n"
    monkeypatch.setattr("click.termui.hidden_prompt_func", lambda _: "correct horse")
    pbem(*join)
    pbem("keygen", "anne", "--passphrase")
    assert keys.is_locked((pbem.home / "keys/anne").read_bytes())


def test_the_recovery_key_is_printed_or_put_away(pbem: Terminal, tmp_path: Path) -> None:
    out, err = pbem("keygen", "alice", "--recovery")
    key = keys.load_private(out.encode())
    assert err.startswith(f"pbem: the fingerprint is {key.public.fingerprint}; print the lines above")
    joined, _ = pbem("join", GAME, "--as", "alice", "--judge", A_JUDGE)
    assert f"recovery {key.public.fingerprint}\n" in joined
    pbem("keygen", "anne")
    out, _ = pbem("keygen", "anne", "--recovery", "--out", tmp_path / "stick")
    assert stat.S_IMODE((tmp_path / "stick").stat().st_mode) == 0o600
    assert out.splitlines()[0] == keys.load_private_file(tmp_path / "stick").public.fingerprint


def test_a_recovery_key_is_not_lost_to_a_bad_path(pbem: Terminal, tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("something")
    _, err = pbem("keygen", "alice", "--recovery", "--out", tmp_path / "taken", status=1)
    assert err == f"pbem: {tmp_path}/taken exists already; move it away before a new one is written there\n"
    pbem("keygen", "alice", "--recovery", "--out", tmp_path / "free")


def test_games_for_programs(pbem: Terminal, play: Play) -> None:
    play(2)
    (status,) = json.loads(pbem("games", "--json")[0])
    assert status == {
        "game": GAME,
        "player": "alice",
        "side": "north",
        "exchange": 3,
        "closed": False,
        "reveal_due": False,
        "deadline": "2026-11-28T18:00:00Z",
        "over": False,
        "last_report": 2,
        "files": [],
        "revs": [],
        "receipted": [],
        "orders": "",
        "missing_receipts": [],
        "forks": [],
        "unread": 0,
        "is_last": False,
        "clock": "",
        "title": "",
        "others": ["bob"],
        "trouble": "",
        "next": f"pbem turn --game {GAME}",
    }


def test_a_damaged_game_does_not_hide_the_others(pbem: Terminal, invited: Judge) -> None:
    pbem("join", "dunbar", "--as", "alice", "--judge", A_JUDGE)
    ledger = pbem.home / f"games/{GAME}/ledger.txt"
    ledger.write_bytes(ledger.read_bytes()[:-9])
    out, err = pbem("games")
    assert out.startswith("dunbar: alice has joined; no invitation yet")
    assert out.splitlines()[2] == "hearth: cannot be read"
    assert err.startswith(f"pbem: hearth: the ledger kept in {ledger} is damaged: ")


def test_no_games_yet(pbem: Terminal) -> None:
    assert pbem("games") == (
        "",
        f"pbem: you have not joined a game yet; to join one: {Step.NO_GAME.command()}\n",
    )


@pytest.mark.parametrize(
    ("platform", "settings", "expected"),
    [
        ("linux", {"PBEM_HOME": "/srv/pbem"}, "/srv/pbem"),
        ("linux", {"XDG_DATA_HOME": "/data"}, "/data/pbem"),
        ("linux", {"XDG_DATA_HOME": "relative"}, "/home/alice/.local/share/pbem"),
        ("linux", {}, "/home/alice/.local/share/pbem"),
        ("darwin", {}, "/home/alice/Library/Application Support/pbem"),
        ("win32", {"LOCALAPPDATA": "/appdata"}, "/appdata/pbem"),
        ("win32", {}, "/home/alice/AppData/Local/pbem"),
    ],
)
def test_where_the_home_is(
    platform: str, settings: dict[str, str], expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("PBEM_HOME", "XDG_DATA_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    for name, value in {"HOME": "/home/alice", **settings}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sys, "platform", platform)
    assert default_home() == Path(expected)


def test_a_join_names_its_judge(pbem: Terminal, tmp_path: Path) -> None:
    """Left out or misread it is refused: whoever reads the file could invite its player."""
    out, err = pbem("join", "dunbar", "--as", "alice", status=2)
    assert out == ""
    assert err.startswith("pbem: name the judge with --judge SHA256:...")
    assert (
        "--judge gm is neither a fingerprint (SHA256: and 43 letters) nor the name of a file"
        in pbem("join", "dunbar", "--as", "alice", "--judge", "gm", status=2)[1]
    )
    (tmp_path / "gm.pub").write_text("nothing\n")
    told = pbem("join", "dunbar", "--as", "alice", "--judge", tmp_path / "gm.pub", status=1)[1]
    assert "is not a public key line" in told
    assert f"\njudge {A_JUDGE}\n" in pbem("join", "dunbar", "--as", "alice", "--judge", A_JUDGE)[0]


# Mistakes, and whether the answer says what one would want to know


MISTAKES = tomllib.loads((Path(__file__).parent / "stranger.toml").read_text(encoding="utf-8"))["mistake"]


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda one: one["command"])
def test_a_command_that_is_not_right_is_told_what_would_be(
    mistake: dict[str, str],
    play: Callable[[int], None],
    alice: Home,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    play(1)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path)
        patch.setenv("PBEM_HOME", str(alice.path))
        assert main(shlex.split(mistake["command"])) != 0
    said = capsys.readouterr().err
    for want in mistake["wants"]:
        assert want in said, said
