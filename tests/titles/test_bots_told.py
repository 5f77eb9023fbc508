"""Games between bots, kept whole, so that no word or number changes unseen.

That is: what the bots write, how it is said back, marked and foretold, what is asked, offered and drawn.
"""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path

import pytest

from pbem.practice.table import Table
from pbem.titles import load
from tests.bots.matches import GAMES, matches_of, seated
from tests.kept import Telling, as_kept

GOLDEN = Path(__file__).parent / "golden"
MORE = {"first-war": {"strict pace": {"pace": "strict"}}}
"""Tables besides those at which bots are measured."""
MOST = {"hammer": 6, "lords": 7, "first-war": 16}
"""Exchanges of one game."""
EACH = {"hammer": 4}
"""So seldom orders are foretold, which takes long."""


def tell(told: Telling, table: Table, texts: Mapping[str, str], *, ahead: bool) -> None:
    """One exchange, before it is resolved."""
    title = load(table.setting.title.name)
    language, painter = title.language, title.pictures
    for side, text in texts.items():
        view, asks = table.view(side), table.open_asks(side)
        parsed = language.parse(text, side)
        form = language.form(view, asks)
        name = f"exchange {table.number + 1}, {side}"
        told.add(f"{name} writes", [text])
        told.add("said", [language.say(parsed.orders), language.write(parsed.orders)])
        told.add("marked", [*parsed.faults, *language.check(parsed.orders, view)])
        told.add("asked", [form])
        verbs = language.asked(form)
        offers = language.offers("", view, verbs)
        named = {verb: [offer.name for offer in offers if offer.verb == verb] for verb in verbs}
        told.add("offered", [f"{verb}: {', '.join(names)}" for verb, names in named.items()])
        if title.forecast and ahead:
            told.add("foretold", title.forecast.forecast(parsed.orders, view))
        if painter:
            drawn = painter.draw(view, table.last.seen[side].told).svg
            told.lines.append(f"drawn: {sha256(drawn.encode()).hexdigest()}")


@pytest.mark.ci
@pytest.mark.parametrize("name", GAMES)
def test_a_game_between_bots_is_told_as_it_was(name: str) -> None:
    told = Telling()
    matches = matches_of(name)
    for seed, (said, options) in enumerate({**matches.tables, **MORE.get(name, {})}.items()):
        table = Table(name, options, seed)
        bots = (*load(name).bots, *load(name).bots)[seed % 2 :]
        playing = {side: seated(name, bots[n % 2], side) for n, side in enumerate(table.sides)}
        told.lines.append(f"== {said}")
        while table.outcome is None and table.number < MOST[name]:
            texts = {
                side: bot.write(table.view(side), table.open_asks(side)) for side, bot in playing.items()
            }
            tell(told, table, texts, ahead=table.number % EACH.get(name, 1) == 0)
            table.exchange(texts)
    as_kept(GOLDEN / f"{name}.txt", str(told))
