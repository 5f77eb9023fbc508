"""What is offered to whoever composes a line by hand: by their view, and nothing that it forbids."""

import pytest

from pbem.orders.base import Offer
from pbem.orders.kit.language import KitLanguage
from pbem.rules.base import View
from pbem.titles import load, names
from tests.titles.games import random_game

STEPS = 3


def views(game: str) -> list[tuple[str, View, tuple[str, ...]]]:
    """Each side's view where it is asked something, in the first steps of a game, and its form's verbs."""
    title = load(game)
    found = []
    for place, played in enumerate(random_game(title.rules, 3)):
        if place >= STEPS:
            break
        for ask in played.asks:
            view = played.view(ask.side)
            form = title.language.form(view, played.asks)
            found.append((ask.side, view, title.language.asked(form)))
    return found


def walk(game: str, view: View, asked: tuple[str, ...]) -> list[Offer]:
    """What is offered at the beginning, and after the first offer of each verb."""
    language = load(game).language
    begun = language.offers("", view, asked)
    firsts = {offer.verb: offer for offer in begun if offer.name}
    return [*begun, *(then for first in firsts.values() for then in language.offers(first.line, view, asked))]


@pytest.mark.ci
@pytest.mark.parametrize("game", sorted(set(names()) & {"hammer", "lords", "first-war"}))
def test_what_is_offered_counts(game: str) -> None:
    language = load(game).language
    assert isinstance(language, KitLanguage)
    rows, found = language.rows, 0
    for side, view, asked in views(game):
        assert asked, "a form asks for something"
        for offer in walk(game, view, asked):
            parsed = language.parse(offer.line, side)
            faults = [
                fault for fault in (*parsed.faults, *language.check(parsed.orders, view)) if not fault.remark
            ]
            needs = rows.by_verb[offer.verb].needs
            unfinished = needs and not any(f" {word}" in offer.line for word in needs)
            assert not faults or unfinished, (offer, faults)
            found += 1
    assert found > 10


def test_a_block_is_offered_where_it_can_go_and_nowhere_else() -> None:
    (_, view, asked), *_ = [found for found in views("hammer") if "move" in found[2]]
    language = load("hammer").language
    mine = [
        offer for offer in language.offers("", view, asked) if offer.verb == "move" and offer.name != "none"
    ]
    block = mine[0].name
    where = view["blocks"][block]["area"]
    ways = {offer.name for offer in language.offers(f"move {block}", view, asked) if offer.clause == "to"}
    from pbem.rules.hammer.facts import AREAS

    assert ways
    assert ways <= set(AREAS[where].neighbours)
    beside = {offer.name for offer in language.offers(f"move {block}", view, asked) if not offer.clause}
    assert all(view["blocks"][name]["area"] == where for name in beside)


def test_a_line_of_another_kind_is_not_gone_on_with() -> None:
    (_, view, asked), *_ = views("hammer")
    language = load("hammer").language
    assert language.offers("if first: move Wallace", view, asked) == ()
    assert language.offers("nonsense", view, asked) == ()
