"""A club, a game and a league by commands, each with all that it prints: nothing is said otherwise unseen."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from io import StringIO
from pathlib import Path

import pytest

from tests import conftest
from tests.disputes.conftest import PLAN
from tests.disputes.story import GAME, WHY, Story
from tests.kept import Telling, as_kept, plain
from tests.leagues.world import file_of

GOLDEN = Path(__file__).parent / "golden"
TIMES = re.compile(r"\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z| UTC|\+00:00)?)?")
SIZES = re.compile(
    r"[\d,]+ (bytes|ms|milliseconds|seconds|MB free)\b|(?<=-copy-)[0-9a-f]{12}|\b[0-9a-f]{8}(?=\.join)"
)


class Told:
    """A story whose every command is told."""

    def __init__(self, story: Story) -> None:
        self.story, self.telling, self.out = story, Telling(), ""

    def __call__(self, *words: object, home: str = "") -> None:
        """A command with what it prints and how it ends."""
        run = self.story.pbem(*words, home=home, status=None)
        folder = str(self.story.folder)
        said = [plain(text).replace(folder, "(folder)") for text in (run.out, run.err)]
        said = [SIZES.sub("(so many)", TIMES.sub("(a time)", text)) for text in said]
        named = SIZES.sub(
            "(hash)", TIMES.sub("(a day)", " ".join(map(str, words)).replace(folder, "(folder)"))
        )
        self.out = run.out
        self.telling.add(f"{home or 'judge'}: pbem {plain(named)}, {run.status}", "\n".join(said).split("\n"))


def a_club(told: Told) -> None:
    """From its beginning to its last backup."""
    story = told.story
    at = story.folder
    told("init", at / "club", "--name", "test")
    for name in story.sides:
        told("keygen", name, home=name)
    story.begin("--option", "scenario=braveheart")
    for words in (
        ("player", "list"),
        ("status",),
        ("status", GAME),
        ("show", GAME),
        ("report", GAME, "public"),
    ):
        told(*words)
    story.exchange()
    story.exchange(alice="card 2\n", bob="card 1\n")
    told("games", home="alice")
    draft = at / "draft.txt"
    moves = "move Wallace from Fife to Angus\nmove Bruce from Annan to Ross\nmove Nobody to Mar\ndone\n"
    draft.write_text(f"pbem1 orders\ngame {GAME}\n---\n{moves}{PLAN}", encoding="utf-8")
    story.receive("alice")
    told("check", draft, home="alice")
    told("page", GAME, "--out", at / "page.html", home="alice")
    told("sheet", GAME, home="alice")
    told("seal", draft, "--out", at / "alice.age", home="alice")
    told("submit", at / "alice.age")
    told("submit", at / "alice.age")
    told("status", "--json")
    story.send("bob", f"done\n{PLAN}")
    told("run")
    told("games", "--json", home="bob")
    for act in ("hold", "resume"):
        told("act", GAME, act, "--reason", "a question")
    told("extend", GAME, "3", "--reason", "a journey")
    told("profile", "--as", "alice", "--zone", "Europe/London", "--out", at / "profile", home="alice")
    told("submit", at / "profile")
    first, last = (str(datetime.now(tz=UTC).date() + timedelta(days=days)) for days in (30, 37))
    told("absent", "--as", "alice", "--from", first, "--until", last, "--out", at / "absent", home="alice")
    told("claim", GAME, "bob", "--out", at / "claim", home="alice")
    told("rotate", GAME, 4, "--as", "alice", "--new", "alice", "--out", at / "rotation", home="alice")
    told("submit", at / "absent")
    told("consent", GAME, 4, "concede", "bob", "--as", "bob", "--out", at / "consent", home="bob")
    told("explain", GAME, *WHY, "1297.1", "battle", "angus", "round", "1")
    told("what-if", GAME, *WHY, 3, "--side", "scotland", "--line", "retreat Wallace to Fife")
    told("replay", GAME)
    told("replay", "--all")
    told("resend", GAME, "alice")
    told("show", GAME, "--as", "scotland", *WHY)
    told("export", GAME, "--as", "all", "--into", at / "all", *WHY)
    told("audit", at / "all")
    told("audit", at / "all", "--json")
    told("act", GAME, "concede", "bob", "--reason", "lost", "--consent", at / "consent")
    told("run")
    told("export", GAME, "--as", "public", "--into", at / "public")
    told("audit", at / "all", at / "public")
    told("put-away", GAME, "--reason", "x", "--consent", at / "consent")
    told("doctor")
    told("backup", at / "backup.tar")
    told("restore", at / "backup.tar", at / "again")
    told("status")
    told("forget", "bob")
    told("player", "list")


SAID = (
    *("absent cup 1 2", "absent cup 2 1", "half-bye cup 1", "challenge cup bob", "vote cup 1 2 alice"),
    *(
        "vote cup 1 2 alice=1 bob=2 --reason far",
        "appeal cup 3 --reason early",
        "new-key cup --new other --lost",
    ),
    *("new-key cup --new other", "substitute cup", "substitute cup --for alice", "withdraw cup --reason ill"),
)
RULED = (
    *("expel alice", "expel carol", "admit bob", "readmit alice", "extend 1 2030-01-01T00:00:00Z"),
    *("key carol", "answer 3 upheld", "answer 5 upheld", "answer 6 dismissed", "answer 7 dismissed"),
)


def a_league(told: Told) -> None:
    """What its director and its entrants type."""
    at = told.story.folder
    told("init", at / "club", "--name", "test")
    told("keygen", "alice", home="alice")
    told("league", "preset", "swiss")
    told("league", "preset")
    until = str(datetime.now(tz=UTC).date() + timedelta(days=30)).encode()
    file = file_of("swiss", rounds="count = 2\ndays = 40", waits=(1, 7, 3))
    (at / "league.toml").write_bytes(file.replace(b"2027-01-31", until))
    (at / "wrong.toml").write_bytes(
        file.replace(b"days = 40", b"dayes = 40").replace(b"count = 2", b"count = 0")
    )
    for words in (
        ("check", "wrong.toml"),
        ("check", "league.toml"),
        ("new", "wrong.toml"),
        ("new", "league.toml"),
    ):
        told("league", words[0], at / words[1])
    said = told.out
    told("keygen", "dora", home="dora")
    told("player", "add", "dora", at / "dora/keys/dora.pub")
    told("league", "new", at / "league.toml")
    for words in (
        ("status", "cup"),
        ("standings", "cup"),
        ("run", "cup"),
        ("status", "cap"),
        ("classes", "cup"),
    ):
        told("league", *words)
    head = dict(part.split(" ") for part in re.findall(r"--(genesis \w+|judge \S+)", said))
    which = ("--judge", head["judge"], "--genesis", head["genesis"])
    told("league", "enter", "cup", "--as", "alice", *which, "--out", at / "enter", home="alice")
    told("submit", at / "enter")
    told("league", "status", "cup")
    told("league", "withdraw", "cup", "--as", "alice", "--out", at / "withdraw", home="alice")
    told("submit", at / "withdraw")
    told("games", home="alice")
    told("league", "pages", "cup", "--into", at / "pages")
    told("league", "export", "cup", "--into", at / "cup")
    told("audit", at / "cup")
    told("league", "rule", "cup", "result", 2, 7, "forfeited", "ann=1", "ben=2", "--reason", "silent")
    told("keygen", "carol", home="carol")
    entering = ("--as", "carol", *which, "--rating", 1600, "--out", at / "entering")
    told("league", "enter", "cup", *entering, home="carol")
    told("submit", at / "entering")
    told("keygen", "other", home="carol")
    for number, line in enumerate(SAID):
        name, out = "bob" if "substitute" in line else "carol", at / f"said-{number}"
        told("keygen", name, home=name)
        there = which if name == "bob" else ()
        told("league", *line.split(), "--as", name, *there, "--out", out, home=name)
        told("league", *line.split(), "--as", name, *there, "--what-if", home=name)
        if out.exists():
            told("submit", out)
    told("league", "reply", "cup", home="carol")
    told("league", "run", "cup", "--what-if")
    told("league", "run", "cup")
    for line in RULED:
        told("league", "rule", "cup", *line.split(), "--reason", "so it is", "--what-if")
        told("league", "rule", "cup", *line.split(), "--reason", "so it is")
    told("league", "correct", "cup", 1, 1, "played", "alice=1", "bob=2", "--reason", "so it is", "--what-if")
    for line in ("status cup", "standings cup", "classes cup cup"):
        told("league", *line.split())
    (at / "second.toml").write_bytes((at / "league.toml").read_bytes().replace(b'"cup"', b'"jug"'))
    told("league", "new", at / "second.toml")
    told("league", "run", "--what-if")
    told("league", "run")
    told("league", "status")
    told("league", "export", "jug", "--into", at / "cup")
    told("guide")
    told("guide", "glossary")
    told(
        "odds", "--area", "Fife", "--attacker", "england", "Edward 4, York Knights 3", "Wallace 4, Douglas 3"
    )


def turns(told: Told, typed: Callable[[str], None]) -> None:
    """What players type, of whom one is in a hurry; a key is replaced, a game forgotten, another ends."""
    at, out = told.story.folder, told.story.folder / "club/out"
    told(home="alice")
    told("turn", home="alice")
    told("init", at / "club", "--name", "test")
    told.story.begin("--option", "scenario=braveheart", "--mode", "after-close")
    for words in (("turn",), (), ("games",), ("check", at / "no.txt"), ("reveal", GAME), ("seal", "--bare")):
        told(*words, home="alice")
    told("turn", out / f"alice/{GAME}-0000-report.txt", "--yes", home="alice")
    told("turn", home="alice")
    told("turn", "--again", home="alice")
    told("receive", out / f"bob/{GAME}-0000-report.txt", home="bob")
    told("receive", out / f"bob/{GAME}-0000-report.txt", home="alice")
    told("seal", "--bare", "--out", at / "bob.age", home="bob")
    for path in (*sorted(Path().glob("*.age")), at / "bob.age", at / "alice.join"):
        told("submit", path)
    told("run")
    for name in ("alice", "bob"):
        told("receive", *sorted((out / name).glob("*0001*")), home=name)
        told("turn", home=name)
        told("reveal", GAME, "--out", at / f"{name}.age", home=name)
        told("submit", at / f"{name}.age")
    told("run")
    for name, answer in (("alice", "l"), ("bob", "e\ns")):
        typed(f"{answer}\n")
        Path(f"{GAME}-2-orders.txt").unlink(missing_ok=True)
        told("turn", *sorted((out / name).glob(f"{GAME}-000[12]-*.txt")), home=name)
    (Path() / f"{GAME}-2-orders.txt").write_text(f"pbem1 orders\ngame {GAME}\n---\ncard 9\nmove\n")
    told("turn", "--yes", home="alice")
    (Path() / f"{GAME}-2-orders.txt").write_text(f"pbem1 orders\ngame {GAME}\n---\ncard 1\n")
    told("turn", "--yes", "--from", "alice@example.org", "--no-copies", home="alice")
    told(home="alice")
    told("bot", GAME, home="alice")
    told(
        "join", "second", "--as", "alice", "--judge", at / "club/keys/gm.pub", "--out", at / "j", home="alice"
    )
    told("turn", "--yes", home="alice")
    typed("n\n")
    told("games", "--forget", "second", home="alice")
    told("games", "--forget", GAME, "--yes", home="alice")
    told("games", home="alice")
    told("rotate", GAME, 2, "--as", "bob", "--new", "new", home="bob")
    told("keygen", "new", home="bob")
    told("rotate", GAME, 2, "--as", "bob", "--new", "new", "--out", at / "rotation", home="bob")
    told("replace-key", at / "rotation")
    told("replace-key", at / "rotation")
    told("replace-key", "--judge")
    told("status", GAME, "--json")
    for act in (
        "hold",
        "hold",
        "resume",
        "agree-draw",
        "roll-back",
        "roll-back 1",
        "correct 1",
        "claim bob",
        "go-on",
    ):
        told("act", GAME, *act.split(), "--reason", "a try")
    told("act", GAME, "agree-draw", "--reason", "late", *told.story.consent("agree-draw", exchange=2))
    told("run")
    told("receive", *sorted((out / "bob").glob("*.txt")), home="bob")
    told("turn", home="bob")
    told("league", "run", "cup")
    told("mail", "extract", at / "rotation")
    for line in (
        "no-such",
        "status --no",
        "run --json",
        "player",
        "apart list",
        "extend stirling 2 --reason x",
    ):
        told(*line.split())


STORIES: dict[str, Callable[[Told, Callable[[str], None]], None]] = {
    "a-club": lambda told, _: a_club(told),
    "a-league": lambda told, _: a_league(told),
    "turns": turns,
}


@pytest.mark.ci(but=("a-club",))
@pytest.mark.parametrize("name", STORIES)
def test_what_commands_print_is_as_it_was(name: str, fresh: Story, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(conftest, "CHANCE", "")  # else the dice would be others
    monkeypatch.setenv("EDITOR", "true")
    monkeypatch.chdir(fresh.folder)

    def typed(text: str) -> None:
        monkeypatch.setattr("sys.stdin", StringIO(text))

    with conftest.chance.of("a club by commands"):
        told = Told(fresh)
        STORIES[name](told, typed)
    as_kept(GOLDEN / f"{name}.txt", str(told.telling))
