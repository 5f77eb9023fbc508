"""Every command that takes several things: all good, the first or the last ones bad, one of them twice."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import sqlite3
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import pytest

from pbem.judge.club import open_club
from pbem.judge.intake.waiting_list import OpenQuestion, keep_question
from pbem.mail.headers import OWN_IDS
from tests.conftest import chance
from tests.judge.table import is_the_same
from tests.nasty.lines import commands
from tests.nasty.values import faults
from tests.nasty.world import Told, done, placed, type_in, world


@dataclass(frozen=True)
class Row:
    """A command with * where the things go, good ones and bad ones."""

    line: str
    good: tuple[str, ...]
    bad: tuple[str, str]
    told: str = "{}"
    """What is said of a bad one, by its last word."""
    status: int = 1
    whole: bool = False
    """Does one bad thing, of which the first is told, keep the command from all others?"""
    meanwhile: str = ""
    """The command that then has the same effect as this one."""
    twice: str = ""
    """What is said if one is given twice, where that is refused."""
    changes: str = "club"
    """The folder that the command may change: the club's, or a home."""
    well: int = 0
    """With how it ends where all are good, and where one is given alone."""
    alone: int = 0


LETTERS = ("club/out/bob/demo-0000-report.txt", "club/out/bob/other-0001-report.txt")
STRANGE, OPTIONS, WRONG = ("mail.eml", "pass"), ("schiltroms=true", "spend_rp=forced"), ("bad=1", "wrong=1")
ROWS = {
    "audit bundles": Row("audit *", ("bundle", "bundle2"), ("bundle3", "bundle4"), status=4, changes=""),
    "club confirm --sent": Row(
        "confirm --club restored *",
        ("demo.box", "other.box"),
        ("club", "home"),
        whole=True,
        changes="restored",
        alone=1,
        told="{} is not a maildir",
    ),
    "club status --answered": Row("status *", ("91", "92"), ("7", "8"), whole=True, told="no mail {}"),
    "club submit files": Row(
        "submit *", ("orders.age", "alice.third.join"), ("unsigned.txt", "mail.eml"), told="{}: the "
    ),
    "club restore --from-players": Row(
        "restore backup.tar.gz again *", ("demo.tar.gz", "other.tar.gz"), STRANGE, status=0
    ),
    "club restore --journal": Row(
        "restore backup.tar.gz again *", ("stick1", "stick2"), STRANGE, "{} holds no record", status=0
    ),
    "club restore --sent": Row(
        "restore backup.tar.gz --rehearse *",
        ("demo.box", "other.box"),
        ("club", "home"),
        alone=1,
        whole=True,
        told="{} is not a maildir",
    ),
    "game act --consent": Row(
        "act other agree-draw --reason asked *",
        ("bob.consent", "alice.consent"),
        STRANGE,
        whole=True,
        alone=1,
    ),
    "game new --option": Row("new third --players alice,bob *", OPTIONS, WRONG, whole=True),
    "game new --seat": Row(
        "new third *",
        ("england=bob.third.join", "scotland=alice.third.join"),
        ("mars=bob", "venus=bob"),
        whole=True,
        alone=1,
    ),
    "game replay games": Row("replay *", ("demo", "other"), ("third", "fourth")),
    "odds --plan": Row(
        "odds --area Fife --attacker england 'Edward 4' 'Wallace 4, Douglas 3' *",
        ("england=if round 3: retreat all", "scotland=if my blocks is 1: retreat all"),
        ("mars=1", "venus=1"),
        whole=True,
        changes="",
    ),
    "practice --option": Row(
        "practice new --side scotland --seed 1 *", OPTIONS, WRONG, whole=True, changes=""
    ),
    "ratings merge clubs": Row(
        "ratings merge *", ("rated1", "rated2"), ("bob", "home"), whole=True, changes=""
    ),
    "receive files: copies": Row(
        "receive --copy-of other *",
        ("bob.age", "alice.age"),
        STRANGE,
        "{}: the file holds nothing",
        changes="home",
    ),
    "receive files": Row("receive *", LETTERS, STRANGE, changes="bob"),
    "seat offer --with": Row(
        "seat offer fifth --rules hammer *", ("alice", "bob"), ("nobody", "erin"), whole=True
    ),
    "tool bot --option": Row(
        "tool bot --stdio --seed 1 *", OPTIONS, WRONG, whole=True, well=1, alone=1, changes=""
    ),
    "try --put": Row(
        "try other tried --seed 1 *",
        ("Edward=England", "Hobelars=Lanark"),
        ("Alpha=Mar", "Beta=Mar"),
        whole=True,
        changes="home",
        twice="Hobelars is not hidden, or not so often",
    ),
    "turn files": Row("turn --yes *", LETTERS, STRANGE, changes="bob", meanwhile="receive *"),
}
ELSEWHERE = {
    "audit --last": "leagues/test_last_season.py",
    "club confirm --from": "mail/test_restore.py",
    "club put-away --consent": "disputes/test_from_players.py",
    "game complete sources": "disputes/test_official.py",
    "game replace-key --consent": "disputes/test_keys.py",
    "league check --last": "leagues/test_last_season.py",
    "league classes names": "leagues/test_season.py",
    "league new --last": "leagues/test_last_season.py",
    "league reply --bid": "leagues/test_reviewed_season.py",
    "odds --option": "odds/test_cli.py",
    "press --to": "judge/test_press.py",
    "send files": "box/test_round_trip.py",
}
"""Where a command is tried with several things."""
SENTENCES = {
    *("club web --box", "game act of", "game explain event", "league correct result", "league rule decides"),
    *("league vote places", "sign consent to"),
}
"""Words that say one thing together."""


def several() -> Iterator[str]:
    """Return every place of a command where several things can stand."""
    for name, command in commands():
        for one in command.params:
            if one.nargs == -1 or getattr(one, "multiple", False):
                yield f"{name} {one.opts[0]}"


def test_whatever_takes_several_things_has_a_row() -> None:
    assert {*several()} == {*(name.partition(":")[0] for name in ROWS), *ELSEWHERE, *SENTENCES}
    assert [one for one in ELSEWHERE.values() if not (Path(__file__).parents[1] / one).is_file()] == []


@cache
def _made() -> tempfile.TemporaryDirectory[str]:
    made = tempfile.TemporaryDirectory()
    place = world(Path(made.name) / "several")
    with chance.of("several things"), placed(place):
        _make(place)
    return made


def _make(place: Path) -> None:
    done("restore", "backup.tar.gz", "restored")
    done("take-over", "--club", "restored")
    assert type_in("run", "--club", "restored").status == 1
    done("export", "demo", "--as", "public", "--reason", "asked", "--into", "bundle2")
    for name, lacking in (("bundle3", "0003"), ("bundle4", "0004")):
        shutil.copytree("bundle", name)
        (place / f"{name}/log/{lacking}.entry").unlink()
    (place / "unsigned.txt").write_text("pbem1 absence\n")
    for game, letters in {"demo": ("0000",), "other": ("0000", "0001")}.items():
        ids = (f"{game}.{name}.{game}-{letter}-report" for name in ("alice", "bob") for letter in letters)
        (place / f"{game}.box").write_text(
            "".join(f"From x\nMessage-ID: <{OWN_IDS}{one}@x>\n\n\n" for one in ids)
        )
    for name, home in (("bob", "bob"), ("alice", "home")):
        os.environ["PBEM_HOME"] = str(place / home)
        done("sign", "consent", "other", "2", "agree-draw", "--as", name, "--out", f"{name}.consent")
    with _elsewhere(place) as other:
        os.environ["PBEM_HOME"] = str(other / "home")
        (other / "stick").mkdir()
        with (other / "club/club.toml").open("a") as file:
            file.write('[journal]\nfolder = "../stick"\n')
        done("run")
        for game in ("demo", "other"):
            done("extend", game, "3", "--reason", "asked")
            done("run")
        done("receive", *map(str, sorted((other / "club/out/alice").glob("*report*"))))
        for game in ("demo", "other"):
            done("game", "hand-over", game, str(place / f"{game}.tar.gz"))
        for number, record in enumerate(sorted((other / "stick").iterdir())):
            (place / f"stick{number % 2 + 1}").mkdir(exist_ok=True)
            shutil.move(record, place / f"stick{number % 2 + 1}")
    club = open_club(place / "club")
    with closing(club.store), club.store.step():
        for number in (91, 92):
            keep_question(club, number, OpenQuestion(at="", sender="", players=[], games=[]))
    for game in ("rated1", "rated2"):
        with _elsewhere(place) as other:
            opened = done("new", game, "--players", "alice,bob", "--rated")
            (head,) = re.findall(r"[0-9a-f]{64}", opened)
            for name, home in (("alice", "home"), ("bob", "bob")):
                os.environ["PBEM_HOME"] = str(other / home)
                done("receive", f"club/out/{name}/{game}-0000-report.txt")
                done("seal", "--bare", "--game", game, "--out", f"{name}.ready")
                done("submit", f"{name}.ready")
            done("run")
            asked = ("--as", "bob", "--genesis", head, "--out", "concede")
            done("sign", "consent", game, "2", "concede", "bob", *asked)
            done("act", game, "concede", "bob", "--reason", "asked", "--consent", "concede")
            done("run")
            done("ratings", "export", "--bundles", str(place / game))


@contextmanager
def _elsewhere(place: Path) -> Iterator[Path]:
    """The same world in another folder for a while."""
    with tempfile.TemporaryDirectory() as made:
        other = Path(made) / "world"
        shutil.copytree(place, other)
        is_the_same(other / "club")
        with placed(other):
            yield other


def _copy(folder: Path, changes: str) -> Path:
    """A world in which one folder is a copy, and what no command changes is linked."""
    folder.mkdir()
    for path in Path(_made().name, "several").iterdir():
        if path.name == changes:
            shutil.copytree(path, folder / path.name)
        else:
            (folder / path.name).symlink_to(path)
    if (folder / changes / "club.db").is_file():
        is_the_same(folder / changes)
    return folder


NOISE = re.compile(r"identity|[0-9a-f]{8,} \d+$")
"""A folder's own name and the number of its file."""
VARIES = re.compile(r"[\w+/=]{30,}|\b[0-9a-f]{8,}|\d{4}-\d\d-\d\dT[\d:.]+Z|(?<=number.: )\d+")


def _state(folder: Path) -> dict[str, object]:
    """What lies there, as far as two worlds have it alike whose seals and times differ."""
    found: dict[str, object] = {}
    for top in sorted(folder.iterdir()):
        for path in () if top.is_symlink() else (top, *sorted(top.rglob("*"))):
            if path.is_file() and not path.name.startswith("club.db"):
                text = path.read_bytes().decode(errors="replace")
                name = re.sub("[0-9a-f]{8,}", "*", str(path.relative_to(folder)))
                found[name] = [] if path.suffix == ".age" or " AGE " in text else _lines(text)
    for place in (path / "club.db" for path in folder.iterdir() if not path.is_symlink()):
        if not place.is_file():
            continue
        with closing(sqlite3.connect(f"file:{place}?mode=ro", uri=True)) as db:
            tables = db.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
            for (table,) in tables:
                rows = db.execute(f"SELECT * FROM {table}")  # noqa: S608
                found[f"{place.parent.name} {table}"] = Counter(map(_row, rows))
            found.pop(f"{place.parent.name} incoming")
    return found


def _lines(text: str) -> list[str]:
    return sorted(line.strip(",") for line in VARIES.sub("*", text).splitlines())


def _row(row: tuple[object, ...]) -> str:
    told = (one.decode() if isinstance(one, bytes) and one.isascii() else one for one in row)
    words = (one for one in told if isinstance(one, str) and not NOISE.match(one))
    return "\n".join(line for one in words for line in _lines(one))


def _unlike(one: dict[str, object], other: dict[str, object]) -> dict[str, tuple[object, object]]:
    """Return what is not the same in two states."""
    names = sorted({*one, *other})
    return {name: (one.get(name), other.get(name)) for name in names if one.get(name) != other.get(name)}


@dataclass(frozen=True)
class Done:
    told: Told
    lines: list[str]
    state: dict[str, object]


def _type(row: Row, place: str, folder: Path, things: tuple[str, ...]) -> Done:
    option = f"{place.rsplit(maxsplit=1)[-1]} " if "--" in place else ""
    given = " ".join(option + shlex.quote(one) for one in things)
    with placed(_copy(folder, row.changes)):
        if row.changes == "bob":
            os.environ["PBEM_HOME"] = str(folder / "bob")
        told = type_in(*shlex.split(row.line.replace("*", given)))
    assert faults(told.text) == [], told.text
    lines = VARIES.sub("*", told.text.replace(str(folder), "")).splitlines()
    return Done(told, [line for line in lines if not line.startswith("pbem: next")], _state(folder))


@pytest.mark.parametrize("place", ROWS)
def test_several_things(place: str, tmp_path: Path) -> None:
    row = ROWS[place]
    (one, other), (bad, worse) = row.good, row.bad
    said = [row.told.format(name.partition("=")[0]) for name in row.bad]
    good = _type(row, place, tmp_path / "good", (one, other))
    first = _type(row, place, tmp_path / "first", (bad, other, one))
    last = _type(row, place, tmp_path / "last", (one, other, bad, worse))
    twice = _type(row, place, tmp_path / "twice", (other, one, other))
    assert good.told.status == row.well, good.told.text
    assert first.told.status == last.told.status == row.status, (first.told, last.told)
    assert said[0] in first.told.text
    assert said[1] not in first.told.text
    assert said[0] in last.told.text
    for number, name in enumerate(row.good):
        only = _type(row, place, tmp_path / str(number), (name,))
        assert only.told.status == row.alone, only.told.text
        assert (only.state, only.lines) != (good.state, good.lines)
    if row.whole:
        left = _state(_copy(tmp_path / "left", row.changes))
        assert _unlike(first.state, left) == _unlike(last.state, left) == {}
        assert good.state != left or good.lines != first.lines
    else:
        assert said[1] in last.told.text
        assert _unlike(first.state, last.state) == {}
        least = replace(row, line=row.meanwhile)
        done = _type(least, place, tmp_path / "least", row.good) if row.meanwhile else good
        assert _unlike(first.state, done.state) == {}
        assert {*done.lines} <= {*first.lines} & {*last.lines}
    if row.twice:
        assert row.twice in twice.told.text
    else:
        assert twice.told.status == row.well
        assert _unlike(twice.state, good.state) == {}
        assert {*good.lines} <= {*twice.lines}
