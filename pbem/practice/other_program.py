r"""Programs that play a seat: a bot that stands in for a missing player, and another program by JSON lines.

A bot that stands in knows what the player's last report tells its side and nothing else. What it writes is
sealed and sent like any other order file, by whoever has the seat's key.

To another program positions go out, and orders come in, one JSON object a line (pbem-bot 1):

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

from pbem.bots import Bot
from pbem.errors import ConfigError
from pbem.orders.base import Asked, listed
from pbem.practice.table import NAME, Session, read_orders
from pbem.reports.packing import unpack, unpack_asks, unpack_view
from pbem.rules import Ask, UnknownRules
from pbem.rules.base import View, read_head
from pbem.titles import load
from pbem.trust.faults import OrderFileFault
from pbem.trust.orderfile import Draft, parse_bare, parse_draft

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


def stand_in(report: str, bot: str) -> str:
    """Return the order file that a bot writes for the exchange that a report opens; by default the best bot.

    Raises:
        ConfigError: the report asks for no orders, or no such bot plays the game.
    """
    head, view = read_report(report)
    seen = read_head(view)
    bots = load(seen.game).bots
    bot = bot or next(iter(bots))
    if bot not in bots:
        raise ConfigError(f"no bot called {bot}; there are {listed(bots) if bots else 'none for this game'}")
    return order_file(head, seen.viewer, body_of(bots[bot](seen.viewer), view, report))


def read_report(report: str) -> tuple[Draft, View]:
    """Return the head of a report's order form, and the view that it shows to the side that it asks.

    Raises:
        ConfigError: the report asks for no orders, or it is of a game that is not installed.
    """
    view = unpack_view(report)
    if view is None or "pbem1 orders" not in report:
        raise ConfigError(
            "this is not a report that asks a side for orders; name the text that "
            "'pbem receive --whole MAIL' prints"
        )
    try:
        load(read_head(view).game)
    except (ValueError, UnknownRules):
        raise ConfigError("this report is of a game that this program does not know") from None
    return parse_draft(report), view


def order_file(head: Draft, side: str, body: str) -> str:
    """Return a bot's orders as a file for the exchange that a report's form names."""
    return f"pbem1 orders\ngame {head.game}\nexchange {head.exchange}\nside {side}\n---\n{body}"


def body_of(bot: Bot, view: View, report: str) -> str:
    """Return a bot's orders by a report: orders ahead by its view, or else answers to what it asks."""
    return bot.write(view) or bot.write(view, [_ask(one, view) for one in unpack_asks(report) if one.legal])


def _ask(one: Asked, view: View) -> Ask:
    """Return the Ask of a report's question; a report lists no answers where they are too many."""
    side = read_head(view).viewer
    return Ask(side, one.kind, one.rule, lambda: one.legal, public=True, preferred=lambda: one.default)


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
