"""Random games on a stage: orders as text, late, early, twice, or not at all."""

from __future__ import annotations

import random

from pbem.trust.entries import AFTER_CLOSE
from tests.audit.stage import GAME, SEATS, Stage
from tests.trust.sealed import seal_orders


def play(stage: Stage, seed: int, most: int = 1_000) -> None:
    """Play until the game is over, or `most` exchanges are resolved."""
    chooser = random.Random(f"bundle {seed}")
    silence = chooser.choice((0.0, 0.0, 0.1, 0.5))
    while not stage.over and stage.exchange <= most:
        _exchange(stage, chooser, silence)


def _exchange(stage: Stage, chooser: random.Random, silence: float) -> None:
    senders = [name for name in SEATS if stage.exchange == 1 or chooser.random() >= silence]
    for name in chooser.sample(senders, len(senders)):
        revisions = chooser.choice((1, 1, 1, 2))
        for rev in range(1, revisions + 1):
            stage.wait(chooser.choice((0, 0.5)))
            stage.send(name, orders(stage, name, chooser), rev=rev)
    if chooser.random() < 0.1:
        swapped = stage.order_file("bob", rev=9, side=SEATS["alice"])
        stage.refuse(seal_orders(swapped, stage.people["bob"].key), "wrong-side")
    if stage.exchange > 1 and chooser.random() < 0.1:
        name = chooser.choice(tuple(SEATS))
        stage.refuse(late(stage, name), "late", name, stage.exchange - 1)
    if chooser.random() < 0.1:
        stage.extend(chooser.choice((1, 3)))
    if len(senders) < len(SEATS):
        stage.wait(12)
    if stage.mode == AFTER_CLOSE:
        stage.close()
        revealing = [name for name in SEATS if chooser.random() >= silence]
        for name in revealing:
            stage.reveal(name)
        if len(revealing) < len(SEATS):
            stage.wait(12)
    stage.resolve()


def late(stage: Stage, name: str) -> bytes:
    """Orders for the exchange before this one."""
    number, person = stage.exchange - 1, stage.people[name]
    file = stage.order_file(
        name,
        rev=9,
        exchange=number,
        seal=stage.club.seal(GAME, number, name).recipient,
        reveal=None if stage.mode == AFTER_CLOSE else person.reveal(number),
    )
    return seal_orders(file, person.key)


def orders(stage: Stage, name: str, chooser: random.Random) -> str:
    """Some legal answers to what is asked, in any order, and now and then a plan or nonsense."""
    if stage.exchange == 1:
        return ""
    lines = []
    for ask in stage.adjudicator.play.asks(SEATS[name]):
        count = 1 if ask.kind == "card" else chooser.randrange(4)
        lines += chooser.sample(ask.legal, min(count, len(ask.legal)))
    if chooser.random() < 0.8:
        lines.append("plan any: fire")
    if chooser.random() < 0.1:
        lines.append("move the mountain to the prophet")
    return "".join(f"{line}\n" for line in lines)
