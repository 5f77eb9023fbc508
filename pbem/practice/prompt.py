"""A practice game at a prompt: the report is shown, orders are written line by line, `send` hands them in."""

from __future__ import annotations

from collections.abc import Callable

from pbem.practice.sandbox import Sandbox
from pbem.practice.session import Session

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

    In a sandbox it may be `AGAIN` or `BACK`, which no order file is: its last line has an end.
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
