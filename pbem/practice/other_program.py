r"""A player that is another program: positions go out, orders come in, one JSON object a line (pbem-bot 1).

    out  {"pbem-bot": 1, "type": "position", "game": "practice", "rules": "lords", "exchange": 2,
          "side": "red", "view": {...}, "events": [...],
          "questions": [{"kind": ..., "rule": ..., "legal": [...], "default": ...}], "form": "note ..."}
    in   {"line": "muster ", "above": ""}
    out  {"pbem-bot": 1, "type": "offers", "counts": false,
          "offers": [{"verb": "muster", "clause": "", "name": "scott-5", "line": "muster scott-5"}]}
    in   {"orders": "muster scott-5\n"}
    out  {"pbem-bot": 1, "type": "refusal",
          "faults": [{"line": 1, "text": "...", "rule": "...", "legal": [...]}]}
    out  {"pbem-bot": 1, "type": "file", "text": "pbem1 orders..."}
    out  {"pbem-bot": 1, "type": "end", "winner": "blue", "reason": "...", "places": [["blue"], ["red"]]}

A position is what the last report tells its side, and nothing else: the view, what has happened since the
position before, what the side is asked, and the order form. Each legal answer is a line of orders as it
stands; where they are too many to list, none is listed, and the default is legal. What is not asked is
ordered ahead, in the order language; `offers` says how a line may begin or go on, with the lines `above` it,
and whether it counts as it stands. After a refusal nothing is done, and orders come again. A game ends with
`end`, the turn of one report with the order file as `file`. All of it is ASCII; `docs/bot.schema.json` is its
schema.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

from pbem.errors import ConfigError
from pbem.practice.session import NAME, Session, read_orders
from pbem.practice.stand_in import order_file, read_report
from pbem.reports.packing import unpack, unpack_asks
from pbem.rules.base import read_head
from pbem.titles import load
from pbem.trust.draft import Draft, parse_bare
from pbem.trust.faults import OrderFileFault

VERSION = 1
MAX_LINE_LENGTH = 1_048_576
"""Maximum size in bytes of a line from the other program; a longer line ends the dialogue."""
MAX_OFFERS = 10_000
"""Number of lines that a program may have completed in one exchange, after which the dialogue ends."""
MAX_REFUSALS = 20
"""Number of refusals in one exchange after which the dialogue ends."""

Read = Callable[[], bytes]
"""A function that returns the other program's next line, at most `MAX_LINE_LENGTH` bytes; b"" at its end."""
Write = Callable[[str], None]
"""A function that writes one line to the other program."""


def play_game(session: Session, read: Read, write: Write) -> None:
    """Let the other program play the person's side of a practice game to the game's end.

    Raises:
        ConfigError: the program ended early, wrote too long a line, or went on without end in one exchange.
    """
    side = session.start.side
    while not session.is_over:
        head = Draft(game=NAME, exchange=session.exchange, side=side, body=session.form(), body_line=1)
        session.send(_Turn(head, session.report()).ask(read, write))
    outcome = session.table.outcome
    assert outcome is not None
    places = [list(place) for place in outcome.places]
    _write(write, "end", winner=outcome.winner, reason=outcome.reason, places=places)


def answer_report(report: str, read: Read, write: Write) -> None:
    """Let the other program write the orders for which a judge's report asks; write out the order file.

    Raises:
        ConfigError: the report asks for no orders, or as `play_game`.
    """
    head, view = read_report(report)
    body = _Turn(head, report).ask(read, write)
    _write(write, "file", text=order_file(head, read_head(view).viewer, body))


class _Turn:
    """One exchange as one side plays it, with the questions in the side's last report.

    `head`: the game and exchange that orders are for, and the order form as its body.
    """

    def __init__(self, head: Draft, report: str) -> None:
        found = unpack(report)
        assert found is not None  # a game of this program's wrote it, or `read_report` has read it
        self.view, self.events = found
        self.head, self.seen = head, read_head(self.view)
        self.language = load(self.seen.game).language
        self.asked = unpack_asks(report)
        self.verbs = self.language.asked(head.body)

    def ask(self, read: Read, write: Write) -> str:
        """Write the position and answer the other program until its orders count; return these orders."""
        _write(
            write,
            "position",
            game=self.head.game,
            rules=self.seen.game,
            exchange=self.head.exchange,
            side=self.seen.viewer,
            view=self.view,
            events=self.events,
            questions=[asdict(one) for one in self.asked],
            form=self.head.body,
        )
        refusals = offers = 0
        while refusals < MAX_REFUSALS and offers < MAX_OFFERS:
            try:
                match _message(read()):
                    case {"line": str(line), "above": str(above), **rest} if not rest:
                        offers += 1
                        _write(write, "offers", **self.offers(line, above))
                        continue
                    case {"orders": str(text), **rest} if not rest:
                        faults = self.faults(text)
                        if not faults:
                            return parse_bare(text).body
                    case _:
                        faults = [
                            _fault('a line reads {"orders": "..."}, or {"line": "...", "above": "..."}')
                        ]
            except (ValueError, OrderFileFault) as fault:
                faults = [_fault(str(fault))]
            refusals += 1
            _write(write, "refusal", faults=faults)
        raise ConfigError(f"the program went on without orders that count in exchange {self.head.exchange}")

    def offers(self, line: str, above: str) -> dict[str, Any]:
        """Return how an order line may begin or go on, and whether it counts as it stands."""
        offers = self.language.offers(line, self.view, self.verbs, above, self.asked)
        counts = bool(line.strip(" ")) and not self.faults(f"{above}{line}")
        return {"counts": counts, "offers": [asdict(one) for one in offers]}

    def faults(self, text: str) -> list[dict[str, Any]]:
        """Return the faults of orders that would not count; a head, if there is one, must name this turn."""
        draft = parse_bare(text)
        wrong = [
            _fault(f"these orders are for {word} {given}, and those of {word} {wanted} are wanted")
            for word, given, wanted in (
                ("game", draft.game, self.head.game),
                ("exchange", draft.exchange, self.head.exchange),
                ("side", draft.side, self.seen.viewer),
            )
            if given not in (None, wanted)
        ]
        _, faults = read_orders(self.language, draft, self.seen.viewer, self.view)
        return wrong + [
            _fault(one.message, line=one.line, rule=one.rule, legal=one.legal)
            for one in faults
            if not one.remark
        ]


def _message(line: bytes) -> Any:
    """Return the JSON value in a line from the other program.

    Raises:
        ConfigError: there is no line, or it is too long to go on behind it.
        ValueError: the line is not JSON.
    """
    if not line:
        raise ConfigError("the program ended, and the game goes on")
    if not line.endswith(b"\n") and len(line) >= MAX_LINE_LENGTH:
        raise ConfigError(f"the program wrote a line of more than {MAX_LINE_LENGTH:,} bytes")
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        raise ValueError("this line is not JSON") from None


def _fault(text: str, *, line: int = 0, rule: str = "", legal: tuple[str, ...] = ()) -> dict[str, Any]:
    return {"line": line, "text": text, "rule": rule, "legal": legal}


def _write(write: Write, kind: str, **fields: Any) -> None:
    write(json.dumps({"pbem-bot": VERSION, "type": kind, **fields}))
