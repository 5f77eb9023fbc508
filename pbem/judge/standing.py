"""Shows the status of every game in a line each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pbem.errors import LedgerError
from pbem.trust.times import utc_text

if TYPE_CHECKING:
    from pbem.judge.club import Club

STATUS = "status"


def status_lines(club: Club) -> dict[str, str]:
    """Return every game's status line; computed once for each head, because it needs the ledger."""
    kept = club.store.derived(STATUS)
    found: dict[str, str] = {}
    fresh: dict[str, str] = {}
    heads = club.store.heads()
    for game, (_, head) in heads.items():
        known, found[game] = kept.get(game, ("", ""))
        if known == head:
            continue
        try:
            found[game] = fresh[game] = status_line(club, game)
        except LedgerError as fault:
            found[game] = f"{game}: stopped: {fault}"
    if fresh:
        with club.store.step():
            for game, line in fresh.items():
                club.store.put_derived(game, STATUS, heads[game][1], line)
    return found


def status_line(club: Club, game: str) -> str:
    """Return a game's status line, from its last report to the public.

    Raises:
        LedgerError: ledger or report are not as they were written.
    """
    from pbem.judge.bench import kept_report
    from pbem.judge.letters.letters_out import PUBLIC
    from pbem.play.adjudicate import setting_of
    from pbem.reports.base import Context
    from pbem.reports.packing import unpack_view

    history = club.book(game).history
    exchange, resolved = history.current, history.resolved
    sent = {entry.player for entry in exchange.received} if exchange else set()
    waiting = tuple(sorted(exchange.awaited - sent)) if exchange else ()
    if not resolved:
        return f"{game}: waiting for the ready of {', '.join(waiting) or 'nobody'}"
    setting = setting_of(history.corrected)
    (public,) = (entry for entry in resolved[-1].reported if entry.audience == PUBLIC)
    view = unpack_view(kept_report(club, public.sha256))
    assert view is not None, "every report to everybody has a view"
    context = Context(
        game=game,
        title=setting.rules.title,
        seats=setting.seats,
        open=exchange.number if exchange else 0,
        deadline=utc_text(exchange.deadline) if exchange and exchange.deadline else "",
        waiting=waiting,
    )
    return setting.style.status(view, context)
