"""Answers that look right: what a hasty player, a wrong program or the other side would write."""

from __future__ import annotations

import random
from collections.abc import Iterator

from pbem.rules.base import Ask
from pbem.rules.hammer.facts import AREAS, BLOCKS

VERBS = (
    "card crown herald pillage hit build sail truce move battle fire pass retreat regroup disband home "
    "winter draw event done"
).split()
FIXED = ("", " ", "done", "pass", "event", "truce", "card", "card 4", "card 2 ", "move", "move to", "to")


def near_misses(ask: Ask, chooser: random.Random, count: int) -> Iterator[str]:
    """`count` texts, some of which may be legal all the same."""
    areas, blocks = list(AREAS), list(BLOCKS)
    for _ in range(count):
        text = chooser.choice(ask.legal)
        words = text.split(" ")
        area, block, verb = chooser.choice(areas), chooser.choice(blocks), chooser.choice(VERBS)
        yield chooser.choice(
            (
                *FIXED,
                text.upper(),
                text.lower(),
                text + " ",
                " " + text,
                text + "\n",
                text + ".",
                text + " to ",
                text + " to",
                text + ",",
                text + f", {area}",
                text + f" to {area}",
                text.replace(" ", "  "),
                text.replace(" ", "\u00a0"),
                text.replace(", ", ","),
                " ".join(words[:-1]),
                " ".join(words[1:]),
                " ".join([verb, *words[1:]]),
                " ".join([words[0], block, *words[2:]]),
                " ".join([*words[:-1], area]),
                f"{verb} {block}",
                f"{verb} {area}",
                f"{verb} {block} to {area}",
                f"move {block} to {area}, {chooser.choice(areas)}",
                f"home {block} to {area} to {area}",
                text[: chooser.randrange(len(text))],
                text * 2,
                "move " + "Fife, " * 500,
            )
        )


def plausible(ask: Ask, chooser: random.Random, count: int) -> Iterator[str]:
    """`count` well-formed answers of the kind that is asked, about any block and place."""
    areas, blocks = list(AREAS), list(BLOCKS)
    for _ in range(count):
        like = chooser.choice(ask.legal).partition(" ")[0]
        block, area = chooser.choice(blocks), chooser.choice(areas)
        if like == "move":
            yield f"move {block} to {', '.join(random_walk(chooser, area))}"
        elif like in ("sail", "retreat", "regroup", "home"):
            yield f"{like} {block} to {area}"
        elif like in ("pillage", "battle", "draw"):
            yield f"{like} {area}"
        else:
            yield f"{like} {block}"


def random_walk(chooser: random.Random, area: str) -> list[str]:
    """One to three areas of which most border on each other."""
    path = [area]
    for _ in range(chooser.choice((0, 1, 1, 2))):
        path.append(chooser.choice(list(AREAS[path[-1]].neighbours)))
    return path
