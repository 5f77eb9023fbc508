"""The reading of drafts that a person wrote, and the checks of them before they are sent.

What is wrong, what the judge will understand, what will come of it: all that is known of the game is what the
last report says, whose lines for programs hold the side's view. It is a report given by name, one pasted into
the draft, or the last one in the player's home; and what was sent before, as far as it is kept there. Only
remarks come of it: the judge decides.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING

from pbem.characters import lower, split_lines, split_words, strip_blanks
from pbem.forecast import forecast_of
from pbem.orders.base import Fault, Follower, Language, Orders, Parsed
from pbem.player.faults import Refused, reading_position
from pbem.reports.base import Echo, fill
from pbem.reports.packing import unpack_view
from pbem.rules import UnknownRules
from pbem.rules.base import View, read_head
from pbem.titles import load
from pbem.trust.entries import Genesis
from pbem.trust.faults import OrderFileFault
from pbem.trust.orderfile import MAX_DRAFT_SIZE, Draft, form_in, parse_bare, parse_draft, parse_orders

if TYPE_CHECKING:
    from pbem.player.store.game_store import GameFolder

RULES_OPTION = "game"
"""The name of the genesis option that names the rules."""

SEALED = re.compile(rb"BEGIN AGE ENCRYPTED FILE|\Aage-encryption\.org/")
UTF_16 = (b"\xff\xfe", b"\xfe\xff")
NOTES_OPEN = (
    "your note is sealed like the orders, and the judge can read it. When the game is over, everybody can "
    "read every file that was received, with its notes, also files that you replaced"
)
"""The remark about notes, shown when a game's file holds one for the first time."""
_NOTE = re.compile(r"(^|;)\s*note\b", re.IGNORECASE | re.MULTILINE | re.ASCII)


def read_draft(data: str | bytes) -> Draft:
    """Return the draft in a file; a text without a head is all orders, unless it is a report.

    Raises:
        OrderFileFault: the file is no text, or holds no orders.
    """
    text = read_text(data if isinstance(data, bytes) else data.encode())
    if "begin view" in text and "pbem1 orders" not in lower(text):
        raise OrderFileFault("this report has no order form, so it holds no orders to send")
    return parse_bare(text)


def read_text(data: bytes) -> str:
    """Return the text of a file that a person wrote.

    Raises:
        OrderFileFault: the file is no text, too long, or sealed.
    """
    if SEALED.search(data):
        raise OrderFileFault(
            "this file is sealed, so nobody but the judge can read it; give the text that you wrote",
            reason="sealed",
        )
    if len(data) > MAX_DRAFT_SIZE:
        raise OrderFileFault(
            f"the file has {len(data):,} bytes; orders have {MAX_DRAFT_SIZE:,} at most", reason="too-large"
        )
    if not data.strip(b"\0\t\r\n "):
        raise OrderFileFault(
            "the file is empty; if you order nothing, send a bare file (pbem seal --bare), "
            "and in practice you may hand in an empty one",
            reason="empty",
        )
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        line = problem.object.count(b"\n", 0, problem.start) + 1
        what = "is utf-16" if data.startswith(UTF_16) else f"is not utf-8 text: line {line} holds other bytes"
        remedy = "save it again as utf-8 (in most editors under 'save as', 'encoding')"
        raise OrderFileFault(f"the file {what}; {remedy}", reason="not-utf-8") from None


@dataclass(frozen=True, slots=True)
class Study:
    """The result of checking a draft: what to tell its writer, the faults, and the forecast."""

    words: str
    faulty: bool
    """Whether the checked draft has a line that the judge would not count."""
    said: str = ""
    """The orders of the checked draft as the program understood them."""
    faults: tuple[Fault, ...] = ()
    forecast: tuple[str, ...] = ()

    @property
    def facts(self) -> dict[str, object]:
        """Return the result of the check as data for programs."""
        return {
            "faulty": self.faulty,
            "understood": split_lines(self.said),
            "faults": [asdict(fault) for fault in self.faults],
            "forecast": list(self.forecast),
        }


Earlier = Callable[[str | None, int | None, str, Language], Follower | None]
"""Function of game, exchange, side and language that returns a follower of the side's earlier orders."""

OTHER_POSITION = (
    "The report in this text shows another position than the one that the judge has committed to, which is\n"
    "kept here. The orders are looked at by the one kept here; --report FILE names another.\n\n"
)
SPENT = (
    "You see more of your earlier orders here than in your report. Perhaps some of them were carried out "
    "after that report."
)


@reading_position()
def study(
    text: str,
    report: str | None,
    last_report: Callable[[Draft], str | None],
    earlier: Earlier,
    *,
    forecast: bool = True,
) -> Study:
    """Check a draft: an order file, bare orders, or a whole report with its form filled in.

    `report`: the report to go by; else `last_report`, or one in the text itself where nothing is kept.
    Without `forecast` nothing is said of what will come of it, which takes longest.

    Raises:
        Refused: no report can be found, or it is not to the side that the orders are for.
        DamagedPosition: the report holds no position.
    """
    draft = parse_bare(text)
    view = unpack_view(text) if report is None else None
    other = ""
    if view is None:
        report = report if report is not None else last_report(draft)
        view = _view(report)
    else:
        report = text
        with suppress(Refused):  # no game of this home: only the text itself says where it stands
            kept = last_report(draft)
            if kept is not None and (committed := unpack_view(kept)) not in (None, view):
                report, view, other = kept, committed, OTHER_POSITION
    opened = _complete_head(draft, report or "")
    try:
        head = read_head(view)
        title = load(head.game)
    except (ValueError, UnknownRules):
        raise Refused("this report is not for a player of a game that this program knows") from None
    side = head.viewer
    if draft.side not in (None, side):
        raise Refused(f"these orders are for {draft.side}, and the report is to {side}")
    if side not in title.rules.sides(head.options):
        raise Refused("this report is not for a player of a game that this program knows")
    parsed, faults = _look(title.language, side, draft, view)
    before = earlier(opened.game, opened.exchange, side, title.language)
    foreseen = forecast_of(title.forecast, parsed.orders, view, before) if forecast else ()
    still = " ".join(split_words(" ".join(title.style.on_file_in(report or ""))))
    if forecast and before is not None and _rules_too_much(before, parsed.orders, view, still):
        foreseen = (*fill(SPENT, "", "  "), *foreseen)
    echo = Echo(
        game=draft.game or "",
        exchange=draft.exchange or 0,
        player="",
        side=side,
        said=title.language.say(parsed.orders) if parsed.orders else "",
        faults=faults,
        forecast=foreseen,
    )
    words = other + title.style.check_words(echo)
    return Study(words, any(not fault.remark for fault in faults), echo.said, faults, echo.forecast)


def check_orders(genesis: Genesis, side: str, report: str, draft: Draft) -> tuple[Fault, ...]:
    """Return the faults and doubts in orders that are being sealed, as far as the player can see them.

    `report` is the last report to the side. Nothing is found if the game is not installed here.

    Raises:
        DamagedPosition: there is no position of the game in the report.
    """
    try:
        language = load(dict(genesis.options).get(RULES_OPTION, "")).language
    except (UnknownRules, ImportError, AttributeError):
        return ()
    with reading_position():
        return _look(language, side, draft, unpack_view(report))[1]


def _look(language: Language, side: str, draft: Draft, view: View | None) -> tuple[Parsed, tuple[Fault, ...]]:
    """Parse a draft; return what was parsed, and the faults by the lines of the draft."""
    parsed = language.parse("\n" * (draft.body_line - 1) + draft.body, side)
    return parsed, (*parsed.faults, *(() if view is None else language.check(parsed.orders, view)))


def _complete_head(draft: Draft, report: str) -> Draft:
    """Complete a draft's game and exchange from the report that it answers.

    Raises:
        Refused: the draft is for another exchange than the report opens.
    """
    opened = parse_draft(report) if "pbem1 orders" in report else draft
    if draft.exchange is not None and opened.exchange not in (None, draft.exchange):
        raise Refused(
            f"these orders are for exchange {draft.exchange}; your report asks for orders for exchange "
            f"{opened.exchange}"
        )
    return replace(draft, game=draft.game or opened.game, exchange=draft.exchange or opened.exchange)


def _rules_too_much(before: Follower, orders: Orders, view: View, still: str) -> bool:
    """Tell whether earlier orders still apply that neither the report names nor the new orders replace."""
    after = before.copy()
    after.receive(orders, view)
    kept = {strip_blanks(line) for one in after.on_file(view) for line in one.lines}
    ruling = {strip_blanks(line) for one in before.on_file(view) for line in one.lines}
    return any(line not in still for line in ruling & kept)


def _view(report: str | None) -> View:
    view = None if report is None else unpack_view(report)
    if view is None:
        raise Refused(
            "the report has no lines between 'begin view' and 'end view', or they were damaged in the mail"
            if report is not None
            else "there is no report for these orders here; name its file with --report"
        )
    return view


def is_first_note(folder: GameFolder, report: str, body: str) -> bool:
    """Tell whether orders hold the player's first note in the game; what forms wrote is none of theirs."""
    if not _NOTE.search(body):
        return False
    texts = [report, *(folder.report(number) or "" for number in folder.reports())]
    written = {line for text in texts for line in form_in(text).split("\n")}

    def has_note(orders: str) -> bool:
        return _NOTE.search("\n".join(line for line in orders.split("\n") if line not in written)) is not None

    return (
        has_note(body)
        and sum(has_note(parse_orders(one.text).body) for one in folder.sent_files.orders()) == 1
    )
