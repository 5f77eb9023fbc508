"""Clauses of the contract about orders, good and garbled: nothing that is sent breaks a game."""

from __future__ import annotations

import random
from collections import Counter

from pbem.orders.base import Answer
from pbem.practice.table import Table
from pbem.reports.base import WIDTH
from pbem.reports.packing import unpack_view
from pbem.testing.games import Trial

EXCHANGES = 25
OF_EACH_KIND = 8
NOISE = ("", "> ", "  ", "* ")


def careless_players_break_nothing(trial: Trial) -> None:
    """Check that whatever is sent is understood, written and read back, and each report keeps its form."""
    dice = random.Random(str(trial))  # noqa: S311 - carelessness is no secret
    table, language = Table(trial.title.name, trial.options, 0), trial.title.language
    for _ in range(EXCHANGES):
        if table.outcome is not None:
            break
        texts = {side: _orders(table, trial, side, dice) for side in table.sides}
        for side, text in texts.items():
            parsed = language.parse(text or "", side)
            language.check(parsed.orders, table.view(side))
            written = language.write(parsed.orders)
            assert language.write(language.parse(written, side).orders) == written
            language.say(parsed.orders)
        table.exchange(texts)
        for side in (*table.sides, "public"):
            report = table.report(side, form=side != "public")
            assert report.isascii(), "a report goes through any mail program: letters without marks alone"
            long = [line for line in report.split("\n") if len(line) > WIDTH]
            assert not long, f"wider than {WIDTH}: {long[0]}"
            assert unpack_view(report) == table.view(side)


def _orders(table: Table, trial: Trial, side: str, dice: random.Random) -> str | None:
    """Return what a careless player sends: nothing, answers, some of them spoilt, or the form as it came."""
    if dice.random() < 0.1:
        return None
    asks = table.open_asks(side)
    if dice.random() < 0.1:
        return trial.title.language.form(table.view(side), asks)
    lines = trial.title.bots["random"](side).write(table.view(side), asks).splitlines()
    lines += [dice.choice(ask.legal) for ask in asks]
    return "\n".join(_spoilt(line, dice) for line in lines)


def _spoilt(line: str, dice: random.Random) -> str:
    """Return a line of orders spoilt as a mail program, or a person in a hurry, may spoil it."""
    line = dice.choice(NOISE) + line
    if line and dice.random() < 0.2:
        place = dice.randrange(len(line))
        line = line[:place] + dice.choice(("", "x", "\u2019", "\u00e9", ";")) + line[place + 1 :]
    return line


def the_form_comes_back_without_a_fault(trial: Trial) -> None:
    """Check that a form has no fault if it is sent back as it came."""
    table = Table(trial.title.name, trial.options, 1)
    for side in table.sides:
        form = trial.title.language.form(table.view(side), table.open_asks(side))
        faults = [fault for fault in trial.title.language.parse(form, side).faults if not fault.remark]
        assert not faults, f"the form of {side} is not an order: {faults[0]}"


def every_answer_may_be_written(trial: Trial) -> None:
    """Check that an answer written as a form shows it is read, and answers its question."""
    language, tried = trial.title.language, Counter[str]()
    dice = random.Random(trial.title.name)  # noqa: S311 - which are tried
    for game in trial.play(5):
        for ask in (ask for ask in game.asks if ask.public and tried[ask.kind] < OF_EACH_KIND):
            tried[ask.kind] += 1
            answer, view = dice.choice(ask.legal), game.view(ask.side)
            parsed = language.parse(language.spoken(ask, answer), ask.side)
            faults = [fault for fault in parsed.faults if not fault.remark]
            assert not faults, f"{ask.kind}: {answer!r} is refused: {faults[0]}"
            follower = language.follower(ask.side)
            follower.receive(parsed.orders, view)
            reply = follower.reply(ask, view)
            assert isinstance(reply, Answer), f"{ask.kind}: {answer!r} does not answer"
            assert reply.text == answer
    assert tried, "nothing is asked in public"


def every_part_is_there(trial: Trial) -> None:
    """Check that the title has names for all that it asks and stops for, and a bot that can play it."""
    rules, words = trial.title.rules, trial.title.words
    assert set(rules.stops) <= set(words.stops), "a stop that the words do not name"
    assert {kind for kinds in rules.stops.values() for kind in kinds} <= set(words.questions)
    asked = {ask.kind for game in trial.play(5) for ask in game.asks}
    assert asked <= set(words.questions), f"without words: {', '.join(sorted(asked - set(words.questions)))}"
    assert set(trial.sides) <= set(words.sides), "a side without a name for people"
    assert "random" in trial.title.bots
    rulings = trial.title.rulings
    assert rulings == tuple(dict.fromkeys(rulings)), "a ruling twice"
