"""A practice game, or a sandbox, as a person plays it: at a prompt, or by files that lie in one folder.

    game.json                   how the game was begun; of a sandbox also how often dice were thrown again
    report-0002.txt             the report of exchange 2, with its form
    orders-0003.txt             what you sent in exchange 3
    report-0002-england.txt     the same of another side, if you order all sides of a sandbox
    orders-0003-england.txt

The game is played again from these files whenever it is touched; nothing else is kept. At a prompt orders are
written line by line, and `send` hands them in.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

from pbem.errors import ConfigError
from pbem.practice.sandbox import Sandbox, SandboxStart
from pbem.practice.table import Session, Start

START = "game.json"

PROMPT = "orders (or help)> "
AGAIN, BACK = "again", "back"
HELP = """\
Write orders line by line, as in an order file. A line with one of these words alone is for the program:
  send     send what you have written, also if it is nothing, and go on to the next report
  check    show what is understood so far, what is wrong, and what your orders will do
  list     show what you have written
  undo     take back the last line
  clear    take back all lines
  form     show the order form of this report, with everything that you may order
  report   show the report again
  help     show this
  quit     leave the game
"""
HELP_TRY = """\
  again    throw the dice of the last exchange again, for the same orders
  back     take back the orders that were sent last
"""


def begin(folder: Path, start: Start) -> Session:
    """Return a new practice game in a new or empty folder."""
    if folder.exists() and any(folder.iterdir()):
        raise ConfigError(f"{folder} is not empty; name a new folder")
    session = Sandbox(start) if isinstance(start, SandboxStart) else Session(start)
    folder.mkdir(parents=True, exist_ok=True)
    _write_start(folder, session)
    _write(report_path(folder, session), session.report())
    return session


def resume(folder: Path) -> Session:
    """Return the practice game in a folder, played again from the folder's files."""
    try:
        data = json.loads((folder / START).read_text(encoding="utf-8"))
        session = Sandbox(SandboxStart(**data)) if "view" in data else Session(Start(**data))
    except (ValueError, TypeError):
        raise ConfigError(f"{folder / START} is damaged") from None
    while not session.is_over and (path := orders_path(folder, session)).exists():
        session.send(path.read_text(encoding="utf-8"))
    return session


def send(folder: Path, session: Session, text: str) -> None:
    """Hand in orders, keep them in the folder, and write the report that follows."""
    if session.is_over:
        raise ConfigError("the game is over")
    path = orders_path(folder, session)
    session.send(text)
    _write(path, text)
    _write(report_path(folder, session), session.report())


def throw_again(folder: Path, sandbox: Sandbox) -> None:
    """Throw the dice of a sandbox's last exchange again, and write the report that follows."""
    sandbox.throw_again()
    _keep(folder, sandbox)


def take_back(folder: Path, sandbox: Sandbox) -> str:
    """Take back the orders that were written last in a sandbox, with what followed; return these orders."""
    followed = report_path(folder, sandbox)
    sandbox.take_back()
    followed.unlink(missing_ok=True)
    text = orders_path(folder, sandbox).read_text(encoding="utf-8")
    _keep(folder, sandbox)
    return text


def _keep(folder: Path, sandbox: Sandbox) -> None:
    """Store a sandbox's throws of dice and its last report, and remove orders that were taken back."""
    for side in sandbox.ordered:
        if side not in sandbox.written:
            orders_path(folder, sandbox, side).unlink(missing_ok=True)
    _write_start(folder, sandbox)
    _write(report_path(folder, sandbox), sandbox.report())


def is_begun(folder: Path) -> bool:
    """Tell whether there is a practice game in the folder."""
    return (folder / START).exists()


def orders_path(folder: Path, session: Session, side: str = "") -> Path:
    """Return the path at which a side's orders for the open exchange are stored once they are handed in."""
    return folder / f"orders-{session.exchange:04}{_suffix(session, side)}.txt"


def report_path(folder: Path, session: Session) -> Path:
    """Return the path at which the last report of a practice game is stored."""
    return folder / f"report-{session.exchange - 1:04}{_suffix(session)}.txt"


def _suffix(session: Session, side: str = "") -> str:
    """Return the addition to file names for a side that the person orders besides their own."""
    side = side or session.side
    return "" if side == session.start.side else f"-{side}"


def _write_start(folder: Path, session: Session) -> None:
    _write(folder / START, json.dumps(asdict(session.start), indent=2) + "\n")


def _write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")


def play_at_prompt(session: Session, read: Callable[[str], str | None], write: Callable[[str], None]) -> None:
    """Play until the game is over, the player types `quit`, or `read` has no more lines (None)."""
    write(_help(session))
    while not session.is_over:
        write(session.story())
        text = _orders(session, read, write)
        if text is None:
            return
        if text not in (AGAIN, BACK) or not isinstance(session, Sandbox):
            session.send(text)
        elif text == AGAIN:
            session.throw_again()
        elif session.turns or session.written:
            session.take_back()
    write(session.story())


def _help(session: Session) -> str:
    return HELP + HELP_TRY * isinstance(session, Sandbox)


def _unread(session: Session, lines: list[str]) -> str:
    """Return the faults of the line that was just written, in words; "" if the line can be read."""
    told = session.unread("".join(f"{one}\n" for one in lines))
    return f"{told}\n('undo' takes the line back.)\n" if told else ""


def _asked_for(session: Session, word: str) -> str:
    """Return the text that a player asks for at the prompt: the form, the report or the help."""
    return session.form() if word == "form" else session.story() if word == "report" else _help(session)


def _orders(session: Session, read: Callable[[str], str | None], write: Callable[[str], None]) -> str | None:
    """Return the lines of one order file as the player writes them; None if the player leaves.

    In a sandbox the text may be `AGAIN` or `BACK`, which cannot be orders: their lines have line ends.
    """
    lines: list[str] = []
    warned = False
    while (line := read(PROMPT)) is not None:
        text = "".join(f"{one}\n" for one in lines)
        match line.strip().lower():
            case "send":
                if warned or not session.doubtful(text):
                    return text
                warned = True
                write(f"{session.check(text)}\nTo send it as it is, write 'send' once more.\n")
                continue
            case "check":
                write(session.check(text))
            case "list":
                write(text or "Nothing is written yet.\n")
            case "undo":
                del lines[-1:]
            case "clear":
                lines.clear()
            case "form" | "report" | "help" as word:
                write(_asked_for(session, word))
            case "again" | "back" as word if isinstance(session, Sandbox):
                return word
            case "quit":
                return None
            case _:
                lines.append(line)
                write(_unread(session, lines))
        warned = False
    return None
