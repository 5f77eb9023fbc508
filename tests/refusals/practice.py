"""What practice, play and titles refuse: games, bots, sides, options and saved places that cannot be."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable
from pathlib import Path

from pbem.demo import Demo, demonstrate
from pbem.forecast.replay import Hidden, PlainWorlds, Unseen, draw_world
from pbem.play.adjudicate import house_rule, over_entry
from pbem.play.setting import make_setting
from pbem.practice import folder as files
from pbem.practice.folder import _unread
from pbem.practice.other_program import stand_in
from pbem.practice.table import SeededChance, Session, Start, Table
from pbem.reports.packing import pack_view
from pbem.rules.base import View
from pbem.titles import Title, _folder, load
from tests.attacks.framing.arena import table_title
from tests.judge.table import GAME, TITLE
from tests.refusals.clauses import Row
from tests.refusals.club import in_folder

SIDES = tuple(TITLE.rules.sides({}))
START = Start(game=TITLE.name, options={}, seed="1", side=SIDES[0], bot=next(iter(TITLE.bots)))


def begins(**more: object) -> Callable[[], object]:
    """A practice game that is begun otherwise."""
    return lambda: Session(dataclasses.replace(START, **more))  # type: ignore[arg-type]


def damaged(place: Path) -> object:
    (place / files.START).write_text("{}")
    return files.resume(place)


def in_use(place: Path) -> object:
    (place / "letter.txt").touch()
    return files.begin(place, START)


def over(place: Path) -> None:
    """Nobody ever says anything, in a game that is soon over."""
    title = load(table_title())
    side, bot = title.rules.sides({})[0], next(iter(title.bots))
    session = Session(dataclasses.replace(START, game=title.name, side=side, bot=bot))
    while not session.is_over:
        session.send("")
    files.send(place, session, "")


def table(*, saves: bool = True) -> Table:
    """A game in which something was asked already."""
    found = Table(TITLE.name, dict(TITLE.excerpt or {}), 1, saves=saves)
    found.exchange(dict.fromkeys(found.sides, ""))
    return found


def shows(bot: str = "", **view: object) -> Callable[[], object]:
    """A bot is shown a report whose view is otherwise."""

    def do() -> object:
        found = {**table().view(SIDES[0]), **view}
        return stand_in("\n".join(("pbem1 orders\ngame demo\n---", *pack_view(found))), bot)

    return do


def told_all() -> object:
    """A report that asks nothing."""
    return stand_in("\n".join(pack_view(table().view(SIDES[0]))), "")


def ruled(name: str, value: str) -> Callable[[], object]:
    return lambda: house_rule(make_setting(GAME, TITLE.name, {}, {}), name, value)


# -- saved places


def unsaved() -> object:
    return table(saves=False).play.save()


def no_orders() -> object:
    """Orders of a title's own, which do not say how they are saved."""
    play = table().play
    play._followers[SIDES[0]] = NotImplemented
    return play.save()


def loads(**more: str) -> Callable[[], None]:
    """A game is brought back from what was saved, and is otherwise."""

    def do() -> None:
        found = table()
        found.play.load({**found.play.save(), **more})

    return do


def elsewhere() -> None:
    """It had been shown otherwise when it was saved."""
    found = table()
    found.play._last["gm"] = {**found.play.game.view("gm"), "more": 1}
    found.resume()


def no_stop() -> None:
    """A position in the middle of something."""
    found = table()
    loads(stop=json.dumps(found.play.game.view("gm")))()


# -- titles


def title(*files: str) -> Title:
    return Title("tag", files=files, rules="tag.rules:GAME", orders="tag.orders:X", words="tag.words:X")


# -- the demonstration


def of_three(place: Path) -> None:
    """In a folder that is in use besides."""
    (place / "x").touch()
    demonstrate(place, lambda _: None, title=load(table_title()), options={"players": "3"}, hostile=True)


def stopped(place: Path) -> object:
    return Demo(place, (), lambda _: None, whole=False).run("run")


class TwoHidden(PlainWorlds):
    """Two hidden blocks, for which there is one place that has room for one."""

    def hidden(self, view: View) -> Hidden:
        return Hidden((Unseen("Moray", ("Fife",)), Unseen("Ross", ("Fife",))), {"Fife": 1})


def placed(*by_hand: tuple[str, str]) -> Callable[[], object]:
    """Some of the hidden blocks are put where a player wants them."""
    return lambda: draw_world(TwoHidden(lambda view: view), {}, SeededChance("1"), by_hand)


NO_FORM, NO_PACKAGE = (
    "not a report that asks a side for orders; name the text that 'pbem receive --whole MAIL' prints",
    "is not a package that is installed here",
)
ROWS = (
    Row("is not empty; name a new folder", in_folder(in_use)),
    Row("game.json is damaged", in_folder(damaged)),
    Row("the game is over", in_folder(over)),
    Row("no bot is called nobody; there are", begins(bot="nobody")),
    Row("no side is called wales; there are", begins(side="wales")),
    Row("no option called 'x'", begins(options={"x": "y"})),
    Row("no game called 'tag'; installed: ", begins(game="tag")),
    Row(NO_FORM, lambda: stand_in("pbem1 orders\n", "")),
    Row(NO_FORM, told_all),
    Row("this report is of a game that this program does not know", shows(game="tag")),
    Row("no bot called nobody; there are", shows("nobody")),
    Row("('undo' takes the line back.)", lambda: _unread(Session(START), ["nonsense"])),
    Row("no house rule called 'x'; there are", ruled("x", "y")),
    Row("option bid cannot be 'x'", ruled("bid", "x")),
    Row("no game called 'tag'; installed: ", lambda: make_setting(GAME, "tag", {}, {})),
    Row("the game is not over", lambda: over_entry(table().last)),
    Row("there was no public stop", unsaved),
    Row("the orders cannot be saved", no_orders),
    Row("the game does not halt where it did", no_stop),
    Row("the game does not stand where it did", loads(seen="x")),
    Row("the game does not stand where it did", elsewhere),
    Row(NO_PACKAGE, lambda: _folder("no_such_package")),
    Row(NO_PACKAGE, lambda: _folder("this")),
    Row("tag.rules of the title tag lies in none", lambda: title("tug", "tag.orders", "tag.words")),
    Row("the hostile demonstration is one of a game for two", in_folder(of_three)),
    Row("the demonstration stopped: pbem run failed", in_folder(stopped)),
    Row("Wallace is not hidden, or not so often; hidden are: Moray, Ross", placed(("Wallace", "Fife"))),
    Row("Moray cannot be in Angus; it may be in Fife", placed(("Moray", "Angus"))),
    Row(
        "Fife has no more than 1 hidden, and more are put there", placed(("Moray", "Fife"), ("Ross", "Fife"))
    ),
    Row("with what you put there is no place left for Ross; it may be in Fife", placed(("Moray", "Fife"))),
)
FOLDERS = (
    "practice",
    "play/adjudicate.py",
    "play/resolve.py",
    "play/setting.py",
    "titles/__init__.py",
    "demo",
    "forecast",
)
ELSEWHERE = {
    "forecast/__init__.py ask: self.is_spent": "no refusal: the forecast ends there",
    "forecast/replay.py roll: ": "no refusal: the forecast ends at a die that has not fallen",
    "forecast/replay.py draw: ": "no refusal: the forecast ends at a draw to come",
    "practice/sandbox.py worlds_of: title.worlds is None": "practice/test_sandbox.py",
    "practice/sandbox.py start_from: this report is not of a game that this program knows": (
        "practice/test_sandbox.py"
    ),
    "practice/sandbox.py begin_at: not kept": "practice/test_sandbox.py",
    "practice/sandbox.py begin_at: last not in kept": "practice/test_sandbox.py",
    "demo/__init__.py play: exchange > MAX_EXCHANGES": "it takes a game without an end",
    "practice/other_program.py ask: the program went on without orders that count in exchange": (
        "practice/test_other_program.py"
    ),
    "practice/other_program.py _message: not line.endswith(b'\\n') and len(line) >= MAX_LINE_LENGTH": (
        "practice/test_other_program.py"
    ),
}
