"""Looks at orders before they are sent: what is wrong, what the judge will understand, what will come of it.

All that is known of the game is what the last report says, whose lines for programs hold the side's view:
a report given by name, one pasted into the draft, or the last one in the player's home.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass

from pbem.forecast import forecast_of
from pbem.orders.faults import Fault
from pbem.player.faults import Refused
from pbem.reports.base import Echo
from pbem.reports.packing import unpack_view
from pbem.rules import UnknownRules
from pbem.rules.base import View, read_head
from pbem.titles import load
from pbem.trust.draft import Draft, parse_bare, parse_draft


@dataclass(frozen=True, slots=True)
class Study:
    """What there is to say about a draft."""

    words: str
    faulty: bool
    """Is there a line that will not count?"""
    said: str = ""
    """The orders as they were understood."""
    faults: tuple[Fault, ...] = ()
    forecast: tuple[str, ...] = ()

    @property
    def facts(self) -> dict[str, object]:
        """The same for programs."""
        return {
            "faulty": self.faulty,
            "understood": self.said.splitlines(),
            "faults": [asdict(fault) for fault in self.faults],
            "forecast": list(self.forecast),
        }


def study(text: str, report: str | None, last_report: Callable[[Draft], str | None]) -> Study:
    """Look at a draft: an order file, bare orders, or a whole report with its form filled in.

    `report`: the report to go by; else one in the text itself, else `last_report`.

    Raises:
        Refused: no report can be found, or it is not to the side that the orders are for.
    """
    draft = parse_bare(text)
    view = unpack_view(text) if report is None else None
    if view is None:
        report = report if report is not None else last_report(draft)
        view = _view(report)
        _check_exchange(draft, report or "")
    try:
        head = read_head(view)
        title = load(head.game)
    except (ValueError, UnknownRules):
        raise Refused("this report is not to a player of a game that is known here") from None
    side = head.viewer
    if draft.side not in (None, side):
        raise Refused(f"these orders are for {draft.side}, and the report is to {side}")
    if side not in title.rules.sides(head.options):
        raise Refused("this report is not to a player of a game that is known here")
    language = title.language
    parsed = language.parse("\n" * (draft.body_line - 1) + draft.body, side)
    faults = (*parsed.faults, *language.check(parsed.orders, view))
    echo = Echo(
        game=draft.game or "",
        exchange=draft.exchange or 0,
        player="",
        side=side,
        said=language.say(parsed.orders) if parsed.orders else "",
        faults=faults,
        forecast=forecast_of(title.forecast, parsed.orders, view),
    )
    words = title.style.check_words(echo)
    return Study(words, any(not fault.remark for fault in faults), echo.said, faults, echo.forecast)


def _check_exchange(draft: Draft, report: str) -> None:
    """Is the draft for the exchange that the report opens?"""
    opened = parse_draft(report).exchange if "pbem1 orders" in report else None
    if draft.exchange is not None and opened is not None and draft.exchange != opened:
        raise Refused(
            f"these orders are for exchange {draft.exchange}; the report to go by opens exchange {opened}"
        )


def _view(report: str | None) -> View:
    view = None if report is None else unpack_view(report)
    if view is None:
        raise Refused(
            "the report has no lines between 'begin view' and 'end view', or they were damaged on the way"
            if report is not None
            else "there is no report to go by; name the file it is in with --report"
        )
    return view
