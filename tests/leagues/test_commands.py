"""A league by the commands alone: a director and two players with homes of their own."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime
from pathlib import Path

import pytest

from pbem.cli import main
from pbem.judge import club as clubs
from tests.leagues.world import file_of

pytestmark = pytest.mark.ci


FILE = file_of("swiss", count=1, more='[sides]\nby = "bids"')


class Shop:
    """The commands, typed by a director and by players; the clock is the test's."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str], patch: pytest.MonkeyPatch) -> None:
        self.folder = folder
        self.capsys = capsys
        self.patch = patch
        self.now = datetime(2027, 1, 5, 12, tzinfo=UTC)
        original = clubs.open_club

        def open_club(path: Path, clock: clubs.Clock = lambda: self.now, key: object = None) -> clubs.Club:
            return original(path, clock, key)  # type: ignore[arg-type]

        patch.setattr(clubs, "open_club", open_club)
        patch.setattr("pbem.cli.league_player._now", lambda: self.now)
        patch.setenv("PBEM_CLUB", str(folder / "club"))

    def __call__(self, *words: str, home: str = "", status: int = 0) -> str:
        if home:
            self.patch.setenv("PBEM_HOME", str(self.folder / home))
        found = main(list(words))
        told = self.capsys.readouterr()
        assert found == status, told.out + told.err
        return told.out + told.err

    def begin(self, file: Path | str) -> list[str]:
        """Open a league; what its announcement says which it is."""
        return self("league", "new", str(file)).partition("--as NAME ")[2].split()

    def sent(self, player: str) -> list[str]:
        """The sealed letters that lie ready for a player, oldest first."""
        folder = self.folder / "club" / "out" / player
        letters = sorted(folder.glob("*.txt"), key=lambda path: path.stat().st_mtime_ns)
        return [str(path) for path in letters if "-new-key-" not in path.name]


@pytest.fixture
def shop(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Shop:
    found = Shop(tmp_path, capsys, monkeypatch)
    found("init", str(tmp_path / "club"))
    (tmp_path / "league.toml").write_bytes(FILE)
    return found


PAGE = file_of(
    "swiss",
    rounds="count = 2\ndays = 100\ngap_days = 5",
    entries='late = "next-round"',
    more='[sides]\nby = "bids"',
    panel=("pam",),
)


@pytest.mark.ci
def test_every_command_of_the_page(shop: Shop, tmp_path: Path) -> None:
    """What a director and players do in a season, as pbem/docs/leagues.md writes it."""
    for form in ("sections", "swiss", "knockout", "ladder"):
        (tmp_path / form).write_text(shop("league", "preset", form))
        assert f": {form}, " in shop("league", "check", str(tmp_path / form))
    file = tmp_path / "league.toml"
    file.write_bytes(PAGE)
    for name in ("pam", "ann", "ben", "cat", "dan", "eve"):
        shop("keygen", name, home=name)
    assert "enroll the panel before you open it (pbem club player add): pam" in shop(
        "league", "check", str(file)
    )
    assert "pam is of the panel" in shop("league", "new", str(file), status=1)
    shop("player", "add", "pam", str(tmp_path / "pam" / "keys" / "pam.pub"))
    which = shop.begin(file)

    def signed(who: str, *words: str) -> str:
        """Signed by a player, tried by both first, and handed in; what was said of it before."""
        out = tmp_path / f"{who}-{words[1]}.txt"
        command = ["league", words[0], *words[1:], "--as", who]
        would = shop(*command, "--what-if", "--out", str(out), home=who)
        assert not out.exists()
        shop(*command, "--out", str(out), home=who)
        assert "would be entered as entry" in shop("submit", str(out), "--what-if")
        assert "; entry " in shop("submit", str(out))
        out.unlink()
        return would

    def everybody_answers(*players: str) -> None:
        for name in players:
            shop("receive", *shop.sent(name), home=name)
            shop("league", "reply", "cup", "--bid", "e2", "--out", str(tmp_path / "reply.txt"), home=name)
            shop("submit", str(tmp_path / "reply.txt"))
        shop("run", "--after-gap")

    players = ("ann", "ben", "cat", "dan")
    for name in players:
        assert f"{name} plays from the next round on" in signed(name, "enter", "cup", *which)
    shop.now = datetime(2027, 2, 1, 12, tzinfo=UTC)
    assert "would: call 1 is open" in shop("league", "run", "cup", "--what-if")
    shop("run", "--after-gap")
    everybody_answers(*players)
    everybody_answers(*players)
    until = "2027-06-01T20:00:00Z"
    extend = ["league", "rule", "cup", "extend", "1", until, "--reason", "holidays"]
    assert "would be entered" in shop(*extend, "--what-if")
    assert f"extend 1 {until}" in shop(*extend)

    assert "dan is not paired any more, and loses cup-r1-" in signed(
        "dan", "withdraw", "cup", "--reason", "no time"
    )
    assert "forfeited" in shop("run")
    (decided,) = (line for line in shop("status").splitlines() if "decided by its league" in line)
    assert "resume" not in decided
    assert "if the director admits eve" in signed("eve", "substitute", "cup", "--for", "dan", *which)
    assert "pbem league rule cup admit eve" in shop("league", "status", "cup", status=1)
    shop("league", "rule", "cup", "admit", "eve", "--reason", "she is welcome")
    assert "from round 2 to round 2" in signed("ann", "absent", "cup", "2", "2")
    assert "wrote" in shop("resend", "cup", "ann")
    assert "there are no letters of league.cup to zoe" in shop("resend", "cup", "zoe", status=1)
    assert "ann still plays" in shop("forget", "ann", status=1)

    shop.now = datetime(2027, 5, 25, 12, tzinfo=UTC)
    (soon,) = json.loads(shop("league", "status", "cup", "--json"))
    game, one, two = re.findall(r"cup-r1-\d|(?<=[( ])[abc]\w\w(?=[,)])", soon["text"])
    shop.now = datetime(2027, 6, 2, 12, tzinfo=UTC)
    assert shop("league", "status", "cup") == "", "the panel decides"
    pairing = game[-1]
    assert "more than half of the panel" in signed(
        "pam", "vote", "cup", "1", pairing, f"{one}=1", f"{two}=2", *which
    )
    assert f"adjudicated: {one} beats {two}" in shop("run", "--after-gap")
    assert "would: call 3" not in shop("league", "run", "cup", "--what-if"), "five days later"
    assert "answers it with a ruling about entry 9" in signed(two, "appeal", "cup", "9", "--reason", "no")
    number = json.loads(shop("league", "status", "cup", "--json", status=1))[0]["about"].split()[1]
    shop("league", "rule", "cup", "answer", number, "dismissed", "--by", "anna", "--reason", "it is proven")
    correct = f"league correct cup 1 {pairing} adjudicated {one}=1 {two}=1 --reason even".split()
    assert f",{one},1,1/2\n" in shop(*correct, "--what-if")
    assert f",{one},1,1\n" in shop("league", "standings", "cup", "--csv")
    shop(*correct)
    assert f",{one},1,1/2\n" in shop("league", "standings", "cup", "--csv")
    rows = json.loads(shop("league", "standings", "cup", "--json"))
    assert {row["points"] for row in rows if row["player"] in (one, two)} == {"1/2"}
    assert shop("league", "standings", "cup", "--ratings", "--csv").startswith("player,game,side,rating")
    shop("keygen", "ann3", home="again")
    lost = ["league", "new-key", "cup", "--as", "ann", "--new", "ann3", "--lost"]
    assert "say which league it is, with --judge and --genesis" in shop(*lost, home="again", status=1)
    assert "with --old-fingerprint" in shop(*lost, *which, "--official", home="again", status=1)
    old = shop("player", "list").split("ann ")[1].split()[0]
    shop(*lost, "--old-fingerprint", old, *which, "--out", str(tmp_path / "lost.txt"), home="again")
    assert "when the director" in shop("submit", str(tmp_path / "lost.txt"), "--what-if")
    shop("submit", str(tmp_path / "lost.txt"))
    assert "pbem league rule cup key ann" in shop("league", "status", "cup", status=1)
    shop("league", "rule", "cup", "key", "ann", "--reason", "she rang me up")
    assert "ann signs with the key" in shop("receive", shop.sent("ann")[-1], home="again")
    assert "is not in this home" in shop("league", "reply", "cup", home="again", status=1)
    assert "nothing is signed" in shop("league", "withdraw", "cup", "--as", "ann", "--what-if", home="again")
    shop("league", "withdraw", "cup", "--as", "ann", "--out", str(tmp_path / "lost.txt"), home="again")
    assert "ann says withdraw" in shop("submit", str(tmp_path / "lost.txt"))
    shop("league", "rule", "cup", "expel", "cat", "--reason", "left without a word")
    shop("league", "pages", "cup", "--into", str(tmp_path / "pages"))
    assert (tmp_path / "pages" / "calendar.ics").is_file()
    shop("league", "rule", "cup", "cancel", "--reason", "nobody is left")
    assert shop("league", "status", "cup") == ""
    shop("league", "export", "cup", "--into", str(tmp_path / "bundle"))
    told = shop("audit", str(tmp_path / "bundle"))
    assert "refuted" not in told, told


def test_a_challenge_by_commands(shop: Shop, tmp_path: Path) -> None:
    file = tmp_path / "ladder.toml"
    file.write_bytes(file_of("ladder"))
    which = shop.begin(file)
    out = str(tmp_path / "out.txt")
    for name in ("ann", "ben"):
        shop("keygen", name, home=name)
        shop("league", "enter", "cup", "--as", name, *which, "--out", out, home=name)
        shop("submit", out)
    words = ["league", "challenge", "cup", "ann", "--as", "ben"]
    assert "ben meets ann in the next round" in shop(*words, "--what-if", home="ben")
    shop(*words, "--out", out, home="ben")
    assert "ben says challenge" in shop("submit", out)
    assert "cup: entries close at 2027-01-31T20:00:00Z" in shop("league", "standings", "cup")
    (tmp_path / "orders.txt").write_text("nothing\n")
    assert "--what-if is for" in shop("submit", str(tmp_path / "orders.txt"), "--what-if", status=2)


def test_mistakes_are_told_at_once(shop: Shop, tmp_path: Path) -> None:
    path = tmp_path / "bad.toml"
    path.write_bytes(FILE.replace(b"least", b"leest").replace(b'"dora"', b'"Dora"'))
    told = shop("league", "check", str(path), status=1)
    assert "did you mean 'least'?" in told
    assert "'Dora' is not a name" in told
    shop("league", "new", str(tmp_path / "league.toml"))
    assert "did you mean cup?" in shop("league", "standings", "cupp", status=1)
    assert "swiss" in shop("league", "preset", "swiss")


LIST = file_of("swiss", count=1, waits=(0, 7, 0))


@pytest.mark.ci
def test_who_is_on_the_list_takes_their_seat_by_the_command_of_their_letter(
    shop: Shop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From the list to a move in ann's game: by what is written to eve and to ben, and nothing else."""
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "league.toml"
    file.write_bytes(LIST)
    for name in ("ann", "ben", "eve"):
        shop("keygen", name, home=name)
    which = shop.begin(file)

    def says(name: str, what: str, *more: str) -> str:
        signed = ["league", what, "cup", "--as", name, "--out", f"{name}-{what}.txt", *more]
        told = shop(*signed, "--what-if", home=name)
        shop(*signed, home=name)
        assert "; entry " in shop("submit", f"{name}-{what}.txt")
        return told

    says("ann", "enter", *which)
    says("ben", "enter", *which)
    assert "eve is on the list of substitutes" in says("eve", "substitute", *which)
    assert "eve still plays in the league cup" in shop("forget", "eve", status=1)
    assert "list of substitutes: eve" in shop("league", "standings", "cup")
    shop.now = datetime(2027, 2, 1, 12, tzinfo=UTC)
    shop("run", "--after-gap")
    for _ in range(2):
        for name in ("ann", "ben"):
            shop("receive", *shop.sent(name), home=name)
            shop("league", "reply", "cup", "--out", f"{name}.age.txt", home=name)
            shop("submit", f"{name}.age.txt")
        shop("run")
    says("ann", "withdraw")
    assert "eve takes the place of ann" in shop("run")
    assert "The other players consent" in shop("receive", *shop.sent("ben"), home="ben")
    letter = shop("receive", *shop.sent("eve"), home="eve")
    assert "you take the place of ann" in letter
    (command,) = re.findall(r"^ *pbem (sign rotation .*)$", letter, re.MULTILINE)
    told = shop(*command.split(), home="eve")
    (consent,) = re.findall(r"pbem (sign consent .*) --as NAME", told)
    shop(*consent.split(), "--as", "ben", "--out", "ben.consent", home="ben")
    done = shop("replace-key", "cup-r1-1.rotation", "--reason", "ann has left", "--consent", "ben.consent")
    assert "eve takes the seat of ann" in done
    shop("receive", *shop.sent("eve"), home="eve")
    assert "ann plays" in shop("games", home="eve")
    shop("league", "export", "cup", "--into", "bundle")
    shop("export", "cup-r1-1", "--as", "public", "--into", "games/cup-r1-1")
    assert "refuted" not in shop("audit", "bundle", "--games", "games")


def test_mistakes_are_told_with_the_name_of_the_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "cup.toml"
    file.write_text("name = 3\n")
    assert main(["league", "check", str(file)]) == 1
    assert capsys.readouterr().err.startswith("pbem: cup.toml: line ")
