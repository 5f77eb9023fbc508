"""A bot that stands in for a missing player and writes an order file by that player's last report.

It knows what the report tells its side and nothing else. What it writes is sealed and sent like any other
order file, by whoever has the seat's key.
"""

from __future__ import annotations

from pbem.bots import Bot
from pbem.errors import ConfigError
from pbem.orders.base import Asked
from pbem.orders.faults import listed
from pbem.reports.packing import unpack_asks, unpack_view
from pbem.rules import Ask, UnknownRules
from pbem.rules.base import View, read_head
from pbem.titles import load
from pbem.trust.draft import Draft, parse_draft


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
    """Return the orders of a bot by a report: ahead, by the view, or answers to what the report asks."""
    return bot.write(view) or bot.write(view, [_ask(one, view) for one in unpack_asks(report) if one.legal])


def _ask(one: Asked, view: View) -> Ask:
    """Return the Ask of a report's question; a report lists no answers where they are too many."""
    side = read_head(view).viewer
    return Ask(side, one.kind, one.rule, lambda: one.legal, public=True, preferred=lambda: one.default)
