"""What is offered to whoever composes a line by hand: by their view, and nothing that it forbids."""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from hashlib import sha256
from itertools import islice
from pathlib import Path
from random import Random

import pytest

from pbem.orders.base import Asked, Offer
from pbem.orders.kit.language import KitLanguage
from pbem.orders.lines import BLANK
from pbem.rules.base import View
from pbem.rules.hammer.facts import AREAS
from pbem.testing.games import random_game
from pbem.titles import load, names
from tests.kept import as_kept

STEPS = 3
GAMES = sorted(set(names()) & {"hammer", "lords", "first-war"})
ABOVE = (
    "",
    "",
    "plan any:",
    "if first:",
    "plan any:\nif round 2:",
    "doctrine:",
    "plan any:\nend\nif first:\nend",
)
"""What may stand above a line that is composed."""


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
    """What is offered at the beginning, after the first offer of each verb, and of each of its clauses."""
    language = load(game).language
    found = list(language.offers("", view, asked))
    firsts = {offer.verb: offer for offer in found if offer.name}
    then = [offer for first in firsts.values() for offer in language.offers(first.line, view, asked)]
    clauses = {(offer.verb, offer.clause): offer for offer in then if offer.clause}
    last = [offer for clause in clauses.values() for offer in language.offers(clause.line, view, asked)]
    return [*found, *then, *last]


@pytest.mark.ci
@pytest.mark.parametrize("game", GAMES)
def test_what_is_offered_counts(game: str) -> None:
    language = load(game).language
    assert isinstance(language, KitLanguage)
    rows, found = language.rows, 0
    for side, view, asked in views(game):
        assert asked, "a form asks for something"
        for offer in walk(game, view, asked):
            if offer.verb not in rows.by_verb:
                continue  # a condition or heading, which is no order yet
            parsed = language.parse(offer.line, side)
            faults = [
                fault for fault in (*parsed.faults, *language.check(parsed.orders, view)) if not fault.remark
            ]
            needs = rows.by_verb[offer.verb].needs_one_of
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
    assert ways
    assert ways <= set(AREAS[where].neighbours)
    beside = {offer.name for offer in language.offers(f"move {block}", view, asked) if not offer.clause}
    assert all(view["blocks"][name]["area"] == where for name in beside)
    starts = {offer.name for offer in language.offers(f"move {block}", view, asked) if offer.clause == "from"}
    assert starts == set(), "a tap on an area means that it goes there, wherever it stands"


def test_a_line_of_another_kind_is_not_gone_on_with() -> None:
    (_, view, asked), *_ = views("hammer")
    language = load("hammer").language
    assert language.offers("nonsense", view, asked) == ()
    assert language.offers("if nonsense ____: ", view, asked) == ()


def completed(
    game: str, view: View, asked: tuple[str, ...], above: str, line: str, pick: Callable[[int], int]
) -> Iterator[str]:
    """The sentences that are offered to a line with a blank, each completed; `pick`: which of so many."""
    language = load(game).language
    for offer in language.offers(line, view, asked, above):
        said = offer.line
        while BLANK in said:
            further = language.offers(said, view, asked, above)
            assert further, f"nothing is offered for the blank of {said!r}"
            said = further[pick(len(further))].line
        yield said


@pytest.mark.ci
@pytest.mark.parametrize("pick", [lambda _: 0, lambda count: count - 1, lambda count: count // 2])
@pytest.mark.parametrize("game", GAMES)
def test_every_condition_that_is_offered_can_be_completed_and_read(
    game: str, pick: Callable[[int], int]
) -> None:
    language = load(game).language
    assert isinstance(language, KitLanguage)
    side, view, asked = views(game)[0]
    plan = language.rows.plan
    heads = ["", *([f"{plan.word} any:"] if plan else []), "doctrine:"]
    for above in heads:
        for line in completed(game, view, asked, above, f"if {BLANK}: ", pick):
            faults = language.parse(f"{above}\n{line}done\n", side).faults
            assert not [fault for fault in faults if not fault.remark and fault.column < len(line)], line


def test_a_condition_is_offered_where_it_can_be_judged_and_nowhere_else() -> None:
    (_, view, asked), *_ = views("hammer")
    language = load("hammer").language

    def said(line: str, above: str = "") -> set[str]:
        return {offer.line for offer in language.offers(line, view, asked, above)}

    assert f"if round {BLANK}: " in said("if ____: ", "plan any:")
    assert f"if round {BLANK}: " not in said("if ____: ")
    assert "if first: " in said("if ____: ")
    assert "if first: " not in said("if ____: ", "plan any:")
    assert "if our strength in Fife ____: " in said("if our strength in ____ ____: ")
    assert said("if their strength in ____ ____: ") == set(), "nobody sees that where no battle is"
    assert "if our strength less than their strength: " in said(
        "if our strength less than ____: ", "plan any:"
    )
    rounds = said("if round at least ____: ", "plan any:")
    assert {line for line in rounds if line[-3].isdigit()} == {
        f"if round at least {one}: " for one in (1, 2, 3)
    }
    assert "if Fife is attacked and first: " in said("if Fife is attacked and ____: ")


@pytest.mark.ci
def test_plans_and_sections_are_offered_with_what_stands_in_them() -> None:
    (_, view, asked), *_ = views("hammer")
    language = load("hammer").language

    def verbs(line: str, above: str) -> set[str]:
        return {offer.verb for offer in language.offers(line, view, asked, above)}

    lines = [offer.line for offer in language.offers("", view, asked)]
    assert f"plan {BLANK}:" in lines
    assert "winter:\n    \nend" in lines
    assert "plan Fife:\n    \nend" in [offer.line for offer in language.offers("plan ____:", view, asked)]
    assert {"fire", "retreat"} <= verbs("", "plan Fife:")
    assert "move" not in verbs("", "plan Fife:")
    assert "build" in verbs("", "winter:")
    assert "move" in verbs("", "plan Fife:\nfire Wallace\nend")
    assert {"otherwise", "if"} <= verbs("", "if first:\n    card 1")
    assert "otherwise" not in verbs("", "if first:\n    card 1\notherwise:")
    assert "retreat" in verbs("", "if first:\nplan any:")
    mine = next(name for name, block in view["blocks"].items() if block["area"] in AREAS)
    with_condition = language.offers(
        f"if {mine} strength at most 1: retreat {mine}", view, asked, "plan any:"
    )
    assert any(offer.clause == "to" for offer in with_condition)
    assert all(offer.line.startswith(f"if {mine} strength at most 1: retreat") for offer in with_condition)


def test_a_sentence_with_a_blank_left_is_no_order() -> None:
    (side, *_), *_ = views("hammer")
    language = load("hammer").language
    for line in (
        f"if {BLANK}: move Wallace",
        f"if {BLANK} is attacked: card 1",
        f"plan {BLANK}:\nfire Wallace\nend",
    ):
        parsed = language.parse(line, side)
        assert [fault for fault in parsed.faults if not fault.remark], line
        assert not language.write(parsed.orders).strip(), line


@pytest.mark.ci
def test_where_no_row_tells_what_is_worth_offering_the_legal_answers_do() -> None:
    _, view, asked = next(found for found in views("hammer") if "move" in found[2])
    language = load("hammer").language
    assert isinstance(language, KitLanguage)
    nouns = tuple(replace(noun, offers=None) for noun in language.rows.nouns)
    bare = KitLanguage(replace(language.rows, nouns=nouns))
    mine = next(
        offer.name
        for offer in language.offers("", view, asked)
        if offer.verb == "move" and offer.name != "none"
    )
    ask = Asked("move", "4.0", (f"move {mine} to Fife", "move none"), "move none")

    def named(*asks: Asked) -> set[str]:
        return {
            offer.name
            for offer in bare.offers("", view, asked, "", asks)
            if offer.verb == "move" and offer.name != "none"
        }

    assert named(ask) == {mine}
    assert len(named()) > 1, "else all are"


def walks(game: str, chance: Random) -> Iterator[str]:
    """Lines composed by chance where something of a kind is asked first: a digest of all offers."""
    title, seen = load(game), Counter[str]()
    language = title.language
    for played in islice(random_game(title.rules, 6), 400):
        for ask in played.asks:
            seen[ask.kind] += 1
            if seen[ask.kind] > 1:
                continue
            view = played.view(ask.side)
            verbs = language.asked(language.form(view, played.asks))
            legal = tuple(ask.legal or ())
            asks = (Asked(ask.kind, ask.rule, legal if len(legal) < 40 else (), ask.default),)
            yield f"-- {ask.side} is asked {ask.kind}"
            for above in chance.sample(ABOVE, 4):
                line = ""
                for _ in range(5):
                    offers = language.offers(line, view, verbs, above, asks)
                    digest = sha256("\n".join(map(repr, offers)).encode()).hexdigest()[:8]
                    yield f"{above!r} {line!r}: {len(offers)} {digest}"
                    if not offers:
                        break
                    verb = chance.choice(sorted({offer.verb for offer in offers}))
                    line = chance.choice([offer.line for offer in offers if offer.verb == verb])


@pytest.mark.ci
@pytest.mark.parametrize("game", GAMES)
def test_what_is_offered_to_a_line_is_as_it_was(game: str) -> None:
    told = "\n".join(walks(game, Random(3)))
    as_kept(Path(__file__).parent / f"golden/{game}.offers.txt", f"{told}\n")
