"""Every command and step of a pass in every state of a game and a club, with none, one, two and many.

A cell makes its small world (states.py), has the state of the club begin, types the command, makes passes,
has the state end, types the command again if it was refused, and compares what has become of it with a world
in which the state never began. ROWS are the commands; whoever adds one, or a step of a pass, adds a row.

    pytest tests/matrix                 a few of the pairs, always the same
    pytest tests/matrix --draw WORD     those that another word draws
    pytest tests/matrix -m slow         the other pairs, and every cell
"""

from __future__ import annotations

import re
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from email import message_from_bytes
from functools import cache
from hashlib import sha256
from itertools import product, zip_longest
from pathlib import Path
from typing import Any

import pytest

from pbem.cli.group import _current_words
from pbem.judge.adjudication import Difference
from pbem.judge.intake.desk import submit
from pbem.service.one_pass import Pass
from pbem.trust import keys
from pbem.trust.fields import sign_fields
from pbem.trust.sealing import to_armor
from tests.conftest import chance
from tests.judge.table import GAME, join_of
from tests.matrix.states import ARCHIVE, CLUBS, GAMES, OTHERS, RUNNING, World, at, chain_of, make_world
from tests.nasty.lines import commands
from tests.nasty.values import faults
from tests.nasty.world import Told, type_in
from tests.trust.sealed import orders_for, seal_orders

STEPS = (
    *("fetching mail", "reading stored mail", "passing messages on", "sending mail"),
    *("playing games", "waking readers", "forecasts", "tidying"),
)
LINES = """
act hold: act demo hold --reason asked
act end: act demo concede alice --reason asked --consent alice.concede
apart: apart
backup: backup again.tar.gz
confirm: confirm demo 1 {head}
doctor: doctor
explain: explain demo exchange 1 --reason asked
export: export demo --as all --reason asked --into exported
extend: extend demo 2 --reason holiday
forget: forget erin
game show: game show demo
league classes: league classes cup0
league correct: league correct cup0 1 1 played alice=1 bob=2 --reason wrong
league export: league export cup0 --into cup
league new: league new bowl.toml
league pages: league pages cup0 --into pages
league rule: league rule cup0 result 1 1 forfeited alice=1 bob=2 --reason wrong
league run: league run cup0
league standings: league standings cup0
league status: league status cup0
new: new third --seat england=bob.join --seat scotland=alice.join --option scenario=braveheart
player add: player add erin erin.pub --address erin@example.org
player list: player list
put-away: put-away demo --reason lost
replace-key: replace-key rotation.txt --reason lost
replay: replay --all
replay named: replay demo {others}
report: report demo scotland --reason asked
resend: resend demo alice
run: run
serve: serve --passes 1 --every 0
show: show demo --as scotland --reason asked
status: status
submit: submit {good}
submit a bad one first: submit bad.txt {good}
submit a bad one last: submit {good} bad.txt
submit refused ones: submit bad.txt bad.txt
take-over: take-over
what-if: what-if demo 1 --side scotland --line "card 1" --reason asked
"""
ROWS = {
    **dict(line.split(": ", 1) for line in LINES.strip().splitlines()),
    **{f"pass: {step}": "run" for step in STEPS},
}
"""Row -> the line that is typed; at a step of a pass the state begins just before it."""
ELSEWHERE = {
    "desk": "desk/test_desk.py",
    "press": "judge/test_press.py, disputes/test_press.py",
    "ratings export": "ratings/test_commands.py",
    "seat list": "club_site/test_site.py",
    "seat offer": "club_site/test_site.py",
    "seat withdraw": "club_site/test_site.py",
    "site": "club_site/test_site.py",
}
"""Commands of a club without a row, and where what they do in its states is tried."""
ONCE_MORE = ("extend", "resend", "take-over", "submit", "serve", "pass", "run")
LOOKS = ("explain", "export", "report", "show", "what-if")
"""Rows that may do something each time; who looks into a running game has it entered each time."""
WAITS = re.compile(r"moved-|wait|alert|summary|elsewhere|confirm|digest|extended|reminder")
TELLS = re.compile(r"act \d+ outage|rules")
"""Letters, and entries, that tell of the trouble itself."""


@dataclass(frozen=True)
class Cell:
    """One place of the matrix."""

    row: str
    game: str
    club: str
    count: str

    def __str__(self) -> str:
        return f"{self.row}-{self.game}-{self.club}-{self.count}"


def pairs() -> Iterator[Cell]:
    """Each pair of a row, a game's state, a club's state and a count, in as few cells as there can be."""
    games, counts = [*GAMES], [*OTHERS]
    for number, row in enumerate(ROWS):
        for place, club in enumerate(CLUBS):
            at_once = number + place
            yield Cell(row, games[at_once % len(games)], club, counts[at_once % len(counts)])


@dataclass
class Shape:
    """What must be the same whether or not something went wrong on the way."""

    entries: dict[str, list[str]]
    letters: Counter[tuple[str, str, str]]
    rest: dict[str, int]

    @classmethod
    def of(cls, world: World) -> Shape:
        """Of a folder, by a connection of its own."""
        path = f"file:{world.folder / 'club/club.db'}?mode=ro"
        with closing(sqlite3.connect(path, uri=True)) as db:
            entries: dict[str, list[str]] = {}
            for table, of in (("entry", "game"), ("league_entry", "league")):
                for name, text in db.execute(f"SELECT {of}, text FROM {table} ORDER BY {of}, number"):  # noqa: S608
                    entries.setdefault(name, []).append(" ".join(text.decode().split()[:3]))
            entries = {
                name: [one for one in words if not TELLS.match(one)] for name, words in entries.items()
            }
            letters = Counter(
                (player, re.sub(r"[0-9a-f]{12}|\d{6,}", "*", name), "left" if sent else "waits")
                for player, name, sent in db.execute("SELECT player, name, sent FROM letter")
                if not WAITS.search(name)
            )
            tables = ("player", "game", "league", "sealed", "absence")
            rest = {
                name: db.execute(f"SELECT count(*) FROM {name}").fetchone()[0]  # noqa: S608
                for name in tables
            }
        return cls(entries, letters, rest)

    def against(self, other: Shape) -> list[str]:
        """In words, what is different in the other."""
        found = [f"letters: {one} {n}" for one, n in ((self.letters - other.letters).items())]
        found += [f"letters of the other: {one} {n}" for one, n in ((other.letters - self.letters).items())]
        for name in sorted({*self.entries, *other.entries}):
            mine, theirs = self.entries.get(name, []), other.entries.get(name, [])
            if mine != theirs:
                first = next(n for n, pair in enumerate(zip_longest(mine, theirs)) if pair[0] != pair[1])
                found.append(f"entries of {name}: {mine[first : first + 4]}, not {theirs[first : first + 4]}")
        return found + ([] if self.rest == other.rest else [f"rows: {self.rest}, not {other.rest}"])


class Run:
    """A cell as it is run: with the state of its club, or without."""

    def __init__(self, cell: Cell, folder: Path) -> None:
        self.cell, self.world = cell, make_world(cell.game, cell.count, folder)
        self.others = [f"g{number}" for number in range(self.world.count)]
        with chance.of("files"):
            self.words = self._prepare()

    def _prepare(self) -> list[str]:
        """The files that the line names, and its words."""
        place, people = self.world.folder, self.world.people
        (place / "bad.txt").write_text("-----BEGIN AGE ENCRYPTED FILE-----\nYWdlLWVuY3J5\n")
        (place / "bowl.toml").write_bytes((place / "league.toml").read_bytes().replace(b"cup", b"bowl")) if (
            place / "league.toml"
        ).exists() else None
        (place / "erin.pub").write_text(f"{keys.generate('erin').public.line}\n")
        (place / "rotation.txt").write_text("pbem1 rotate\n")
        head = "0" * 64
        with self.world.opened() as table:
            with table.club.store.step():
                table.club.store.add_letter("", "alice", "hello.txt", b"", text="something to send" * 500)
            for name, one in people.items():
                wish = join_of("third", name, one.key, one.chain.anchor)
                (place / f"{name}.join").write_bytes(sign_fields(wish, one.key))
            if self.cell.game != "none is open":
                head = table.genesis
                if table.book.history.current is not None:
                    (place / "alice.concede").write_bytes(table.consent("concede alice", "alice"))
            for game in self.others:
                book = table.club.book(game)
                orders = orders_for(book, "carol", chain_of(game, "carol"), 1, body="", game=game)
                (place / f"{game}.age").write_text(
                    to_armor(seal_orders(orders, self.world.pair["carol"].key))
                )
        line = ROWS[self.cell.row]
        good = " ".join(f"{game}.age" for game in self.others)
        return line.format(head=head, good=good, others=" ".join(self.others)).split()

    def types(self, *words: str) -> Told:
        """Type a command there; whatever it ends with, it has words for it, and nothing is broken."""
        with at(self.world):
            told = type_in(*words)
        assert faults(told.text) == [], told.text
        assert told.status in range(6), told
        assert told.status == 0 or told.text.strip(), "what is refused is told"
        if self.cell.row != "forget":
            self.world.watched.look()
        return told

    def act(self) -> Told:
        """Type the line of the cell."""
        return self.types(*self.words)

    @contextmanager
    def state(self) -> Iterator[Callable[[], Told]]:
        """The state of the club; what does the line of the cell, with the state where the row says."""
        state = CLUBS[self.cell.club]
        _, _, step = self.cell.row.partition("pass: ")
        with ExitStack() as stack:
            if not step or state.of_folder:
                state.begins(self.world, stack)
                yield self.act
                return
            stepping, began = Pass._step, list[str]()

            def at_step(self_: Pass, what: str, lines: Any) -> Iterator[Any]:
                if what == step and not began:
                    began.append(what)
                    state.begins(self.world, stack)
                yield from stepping(self_, what, lines)

            def during() -> Told:
                with pytest.MonkeyPatch.context() as patch:
                    patch.setattr(Pass, "_step", at_step)
                    return self.act()

            yield during

    def later(self) -> None:
        """Passes after which whatever waited has left."""
        for _ in range(3):
            self.world.clock.pass_days(0.3)
            with at(self.world):
                type_in("run")
            self.world.watched.look(passed=True)

    def goes_on(self) -> None:
        """Every other game does: all send, and the exchange is over."""
        with self.world.opened() as table:
            before = {game: table.club.book(game).history.current for game in self.others}
            for game, now in before.items():
                assert now is not None
                for name, one in self.world.pair.items():
                    if name in {entry.player for entry in now.received}:
                        continue
                    chain, book = chain_of(game, name), table.club.book(game)
                    orders = orders_for(book, name, chain, now.number, body="", game=game)
                    (verdict,) = submit(table.club, to_armor(seal_orders(orders, one.key)).encode())
                    assert verdict.is_accepted, verdict.text
        self.later()
        with self.world.opened() as table:
            for game, was in before.items():
                history = table.club.book(game).history
                assert was is not None
                assert len(history.resolved) >= was.number, f"{game} goes on"


def play(cell: Cell, folder: Path) -> None:
    """Run a cell."""
    well = Run(Cell(cell.row, cell.game, "well", cell.count), folder / "well")
    expected = well.act()
    expects(well, expected)
    well.later()
    ill = Run(cell, folder / "ill")
    with ill.state() as act:
        told = act()
        if cell.club != "well":
            know(ill)
            before = Shape.of(ill.world)
            ill.types("run")
            assert Shape.of(ill.world).against(before) == [], "a second pass changes nothing"
    state = CLUBS[cell.club]
    in_copy = state.of_folder and cell.row != "backup"  # its archive lies there already
    again = not state.entered and (in_copy or cell.row.startswith(ONCE_MORE))
    if told.status != expected.status or again:
        if cell.row == "doctor":
            ill.types("run")  # the doctor tells what the last pass met
        told = ill.act()
        assert told.status == expected.status, (told, expected)
    ill.later()
    assert (other := Shape.of(ill.world).against(Shape.of(well.world))) == [], other
    sent(ill.world)
    if not cell.row.startswith(ONCE_MORE + LOOKS):
        ill.act()
        before = Shape.of(ill.world)
        ill.act()
        assert Shape.of(ill.world).against(before) == [], "done again it changes nothing"
    ill.goes_on()


def know(run: Run) -> None:
    """After a pass the judge's own commands know of the state."""
    state, passed = CLUBS[run.cell.club], run.types("run")
    if not state.entered and run.cell.club != "copied":
        assert "cannot be written" in passed.text, passed
    if state.holds and not run.cell.row.startswith("pass: "):
        assert Shape.of(run.world).letters["alice", "hello.txt", "waits"] == 1, "it has not left"
    if state.of_games and not run.others and run.cell.game not in RUNNING:
        return
    for command, words in (("status", state.told), ("doctor", state.examined or state.told)):
        found = run.types(command)
        assert words in found.text, (command, found.text)
        is_well = run.cell.game != "on hold" and state.entered and not words
        assert found.status == 0 or not is_well, found.text


def expects(run: Run, told: Told) -> None:
    """What the line does where nothing is wrong: each of several counts, and says so."""
    row, games = run.cell.row, [*run.others] + [GAME] * (run.cell.game != "none is open")
    if row in ("status", "replay"):
        for game in games:
            assert re.search(
                rf"^{game}: {'alike in all' if row == 'replay' else ''}", told.text, re.MULTILINE
            ), told
        assert told.status == (row == "status" and run.cell.game == "on hold"), told
    if row == "replay named" and GAME in games:
        assert [line.partition(":")[0] for line in told.text.splitlines()] == [GAME, *run.others]
    if row.startswith("submit"):
        bad = run.words.count("bad.txt")
        assert told.status == (1 if bad or not run.others else 0), told
        assert len(re.findall(r"^pbem: ", told.text, re.MULTILINE)) == (bad or not run.others), told
        with run.world.opened() as table:
            for game in run.others if "submit {good}" not in row else ():
                current = table.club.book(game).history.exchanges[0]
                taken = {entry.player for entry in current.received}
                assert taken == ({"carol"} if f"{game}.age" in run.words else set()), game


def sent(world: World) -> None:
    """No mail has left twice, and none has left for nobody."""
    names = [
        (one["Message-ID"], one["X-Envelope-To"])
        for part in ("new", "cur")
        for one in (
            message_from_bytes(path.read_bytes()) for path in (world.folder / "post" / part).iterdir()
        )
    ]
    twice = [one for one, count in Counter(names).items() if count > 1 and one[1] != ARCHIVE]
    assert twice == [], "each leaves once; the archive gets what it is tried with"
    assert all(goal for _, goal in names), "nothing leaves for nobody"


def test_every_command_and_step_has_a_row(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    takes = {name for name, one in commands() if any("--club" in place.opts for place in one.params)}
    rows = [" ".join(_current_words(line.split())) for line in ROWS.values()]
    missing = {name for name in takes if not any(f"{row} ".startswith(f"{name} ") for row in rows)}
    assert missing == {*ELSEWHERE}
    steps, stepping = list[str](), Pass._step

    def noted(self: Pass, what: str, lines: Any) -> Iterator[Any]:
        steps.append(what)
        yield from stepping(self, what, lines)

    monkeypatch.setattr(Pass, "_step", noted)
    make_world("open", "none", tmp_path / "world").passes()
    assert tuple(dict.fromkeys(steps)) == STEPS


def test_every_pair_is_in_a_cell() -> None:
    cells = [*pairs()]
    axes: dict[str, list[str]] = {"row": [*ROWS], "game": [*GAMES], "club": [*CLUBS], "count": [*OTHERS]}
    for one, other in ((a, b) for a in axes for b in axes if a < b):
        found = {(getattr(cell, one), getattr(cell, other)) for cell in cells}
        assert found == set(product(axes[one], axes[other])), (one, other)


IN_QUICK = 6
"""Of 256: cells that the quick suite draws."""


@cache
def weight(word: str, cell: Cell) -> tuple[pytest.MarkDecorator, ...]:
    """In which runs a cell is played, by the word that draws."""
    lot = sha256(f"{word} {cell}".encode()).digest()[0]
    return () if lot < IN_QUICK else (pytest.mark.slow,)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """The cells; those that are not drawn are heavier tests."""
    if "cell" in metafunc.fixturenames:
        word = metafunc.config.getoption("--draw")
        marked = [pytest.param(one, id=str(one), marks=weight(word, one)) for one in pairs()]
        metafunc.parametrize("cell", marked)


def test_a_pair(cell: Cell, tmp_path: Path) -> None:
    play(cell, tmp_path)


def _again(self: Any, letter: int, at: str) -> None:
    """A letter that has left is not noted."""


def _lost(self: Any, letter: int, trouble: str, failed: str = "") -> None:
    self._change("UPDATE letter SET sent = '-' WHERE id = ?", letter)


FAULTS: dict[str, tuple[Cell, str, Any]] = {
    r"left once more|each leaves once|waits": (
        Cell("status", "open", "mailbox away", "none"),
        "pbem.judge.tables.mail_tables.MailTables.mark_sent",
        _again,
    ),
    "it has not left": (
        Cell("status", "open", "one refused", "none"),
        "pbem.judge.tables.mail_tables.MailTables.mark_trouble",
        _lost,
    ),
    "g0 goes on": (Cell("apart", "open", "well", "one"), "pbem.judge.adjudication.run_game", lambda *_: None),
    "'status'": (
        Cell("apart", "open", "mailbox away", "none"),
        "pbem.mail.mail_problems.troubles",
        lambda _: [],
    ),
    "'doctor'": (
        Cell("apart", "open", "clock back", "none"),
        "pbem.service.doctor._clock",
        lambda _: "well",
    ),
    "what is refused is told": (
        Cell("submit refused ones", "open", "well", "one"),
        "tests.matrix.test_matrix.type_in",
        lambda *_: Told(1, ""),
    ),
    "alike|status": (
        Cell("replay", "over by an act", "well", "none"),
        "pbem.judge.adjudication.compare",
        lambda _, book: Difference(book.game, 1, "nothing"),
    ),
}
"""What a cell says of a fault that is put in, where."""


@pytest.mark.ci
@pytest.mark.parametrize("words", FAULTS)
def test_a_fault_is_seen(words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cell, place, instead = FAULTS[words]
    make_world(cell.game, cell.count, tmp_path / "made")
    monkeypatch.setattr(place, instead)
    with pytest.raises(AssertionError, match=words):
        play(cell, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("row", ROWS)
def test_every_cell(row: str, tmp_path: Path) -> None:
    for number, (game, club, count) in enumerate(product(GAMES, CLUBS, OTHERS)):
        cell = Cell(row, game, club, count)
        try:
            play(cell, tmp_path / str(number))
        except AssertionError as fault:
            fault.add_note(str(cell))
            raise
