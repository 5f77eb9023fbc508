"""Order files by chance, composed as the page does it and then mistyped: all that is said of each, whole."""

from __future__ import annotations

from collections import Counter
from itertools import islice
from pathlib import Path
from random import Random

import pytest

from pbem.orders.kit.language import KitLanguage
from pbem.orders.lines import BLANK
from pbem.rules.base import Ask, View
from pbem.testing.games import random_game
from pbem.titles import load
from tests.kept import Telling, as_kept

GOLDEN = Path(__file__).parent / "golden"
MOST = {"first-war": 200, "hammer": 450, "lords": 60}
"""Answers of a game in which a file is written for each kind of question."""
FILES, LINES = 3, 8
WILD = ("{}; {}", "{}\n    {}", "> {} {}", "1) {} {}", "{} {} note {}; done", "{}, {}", "{} {};")
"""How a line may be broken, joined, quoted or annotated; its beginning, its end."""


def line_of(language: KitLanguage, view: View, verbs: tuple[str, ...], chance: Random) -> str:
    """One line, or the example of a verb; perhaps under a condition, and one in four is mistyped."""
    rows = language.rows
    verb = chance.choice(rows.verbs)
    line = chance.choice(
        [verb.example] * 5 + [f"{verb.name} {word}" for word in (*sorted(rows.whole), "none")]
    )
    for _ in range(chance.choice([0, 0, 0, 1, 2, 3])):
        offers = [one for one in language.offers("" if BLANK in line else line, view, verbs) if one.name]
        if offers:
            line = chance.choice(offers).line
    for noun in rows.nouns:
        names = noun.of(view["viewer"]).names
        there = [name for name in names if f" {name} " in f"{line} ".replace(",", " ")]
        if there and chance.random() < 0.7:
            line = line.replace(chance.choice(there), chance.choice(names))
    conditions = [row.example for row in (*rows.facts, *rows.measures)]
    if chance.random() < 0.4:
        joint = chance.choice([" and ", " or ", " and not "])
        line = f"if {joint.join(chance.sample(conditions, chance.choice([1, 1, 2])))}: {line}"
    line = chance.choice([line] * 8 + [f"if {chance.choice(conditions)}:", "otherwise:", "plan any:", "end"])
    words = line.split(" ")
    place = chance.randrange(len(words))
    if chance.random() < 0.2:
        words[place] = chance.choice(
            ["", words[place][::-1], words[place][:-1], f"{words[place]} {words[-1]}"]
        )
    if chance.random() < 0.15:
        place = chance.randrange(len(words))
        begins, ends = " ".join(words[:place]), " ".join(words[place:])
        return chance.choice(WILD).format(begins, ends, ends)
    return " ".join(words)


def tell(told: Telling, language: KitLanguage, body: str, view: View, ask: Ask) -> None:
    """All that is said of a file, and what it answers."""
    parsed, follower = language.parse(body, ask.side), language.follower(ask.side)
    follower.receive(parsed.orders, view)
    told.add("marked", [*parsed.faults, *language.check(parsed.orders, view)])
    told.add("said", [language.say(parsed.orders), language.write(parsed.orders)])
    lines = [line for one in follower.on_file(view) for line in (sorted(one.kinds), *one.lines)]
    told.add("on file", lines)
    told.add("answered", [follower.reply(ask, view)])


@pytest.mark.ci
@pytest.mark.parametrize("game", MOST)
def test_what_is_said_of_a_file_is_as_it_was(game: str) -> None:
    title, told, chance = load(game), Telling(), Random(1)
    language, seen = title.language, Counter[str]()
    assert isinstance(language, KitLanguage)
    for played in islice(random_game(title.rules, 4), MOST[game]):
        for ask in played.asks:
            if not seen[ask.kind]:
                view = played.view(ask.side)
                verbs = language.asked(language.form(view, played.asks))
                for _ in range(FILES):
                    body = "".join(f"{line_of(language, view, verbs, chance)}\n" for _ in range(LINES))
                    told.add(f"{ask.side} is asked {ask.kind} and writes", [body])
                    tell(told, language, body, view, ask)
            seen[ask.kind] += 1
    as_kept(GOLDEN / f"{game}.files.txt", str(told))
