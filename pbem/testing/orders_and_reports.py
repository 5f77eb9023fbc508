"""Clauses of the contract about orders and reports.

Nothing that is sent breaks a game, and a report says all that matters. A picture must arrive as it was drawn.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from xml.etree import ElementTree as ET

from pbem.orders.base import Answer
from pbem.pictures.base import off_colour
from pbem.practice.table import Table
from pbem.reports.base import WIDTH
from pbem.reports.packing import unpack_view
from pbem.rules.base import EVERYBODY
from pbem.testing.games import Trial

EXCHANGES = 25
OF_EACH_KIND = 8
NOISE = ("", "> ", "  ", "* ")

TOLD_EXCHANGES = 6
PICTURES = 3
SEED = 4
OFF_COLOUR = 0.02
"""Share of a picture that may have another colour as PNG, such as the rims of letters and lines."""


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


def a_report_says_what_matters(trial: Trial) -> None:
    """Check that a report says what is asked, by which section, what happens otherwise, and what happened."""
    words, table = trial.title.words, Table(trial.title.name, trial.options, SEED)
    bot = {side: trial.title.bots["random"](side) for side in table.sides}
    story = False
    for _ in range(TOLD_EXCHANGES):
        if table.outcome is not None:
            break
        for side in table.sides:
            report = _run_on(table.report(side))
            assert words.sides[side] in report, f"the report of {side} does not name its reader"
            assert _run_on(words.moment(table.view(side))) in report, "the moment is not told"
            for ask in table.open_asks(side):
                assert ask.rule in report, f"{side} is asked {ask.kind}, and the report names no section"
                default = _run_on(trial.title.language.spoken(ask, ask.default))
                assert default in report, f"{ask.kind}: the default {default!r} is not told to {side}"
        table.exchange(
            {side: bot[side].write(table.view(side), table.open_asks(side)) for side in table.sides}
        )
        for side in table.sides:
            seen = table.last.seen[side]
            if seen.told:
                story = story or any(line.strip() for line in words.story(seen.before, seen.told))
    assert story, "things happen, and no report tells any"


def _run_on(text: str) -> str:
    """Return a text with its line breaks replaced by blanks."""
    return " ".join(text.split())


def a_picture_shows_its_colours(trial: Trial) -> None:
    """Check that each picture is SVG with words for those who do not see it, and has its colours as PNG."""
    painter = trial.title.pictures
    if painter is None:
        return
    table = Table(trial.title.name, trial.options, SEED)
    for reader in (*table.sides, EVERYBODY)[:PICTURES]:
        seen = table.last.seen[reader]
        picture = painter.draw(seen.after, seen.told)
        ET.fromstring(picture.svg)  # noqa: S314 - it was drawn a moment ago
        assert picture.words.strip(), "a picture without words for those who do not see it"
        assert not re.search(r"(?:href|src)=\"(?!#)", picture.svg), "a picture takes something from elsewhere"
    share = off_colour(picture)
    assert share <= OFF_COLOUR, f"{share:.0%} of the PNG have another colour than was drawn"
