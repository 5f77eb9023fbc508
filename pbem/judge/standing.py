"""Where every game stands, in a line each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pbem.errors import LedgerError
from pbem.trust.times import utc_text

if TYPE_CHECKING:
    from pbem.judge.club import Club

STATUS = "status"


def status_lines(club: Club) -> dict[str, str]:
    """Every game in one line; worked out once for each head, for it means playing the game again."""
    kept = club.store.derived(STATUS)
    found: dict[str, str] = {}
    for game, (_, head) in club.store.heads().items():
        known, line = kept.get(game, ("", ""))
        if known != head:
            try:
                line = status_line(club, game)
            except LedgerError as fault:
                found[game] = f"{game}: stopped: {fault}"
                continue
            with club.store.step():
                club.store.put_derived(game, STATUS, head, line)
        found[game] = line
    return found


def status_line(club: Club, game: str) -> str:
    """A game in one line, from what is public."""
    from pbem.judge.bench import replay
    from pbem.reports.base import Context

    played = replay(club, game)
    history, setting = played.book.history, played.adjudicator.setting
    if not played.adjudicator.play.begun:
        received = {entry.player for entry in history.exchanges[0].received}
        missing = sorted(history.exchanges[0].awaited - received)
        return f"{game}: waiting for the ready of {', '.join(missing) or 'nobody'}"
    exchange = history.current
    sent = {entry.player for entry in exchange.received} if exchange else set()
    context = Context(
        game=game,
        title=setting.rules.title,
        seats=setting.seats,
        open=exchange.number if exchange else 0,
        deadline=utc_text(exchange.deadline) if exchange and exchange.deadline else "",
        waiting=tuple(sorted(exchange.awaited - sent)) if exchange else (),
    )
    return setting.style.status(played.adjudicator.play.game.view("public"), context)
