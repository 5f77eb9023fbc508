"""How reports look, and that what goes out can come back."""

import random
import re

import pytest

from pbem.orders.base import Fault
from pbem.orders.hammer import LANGUAGE
from pbem.orders.hammer.form import QUESTIONS
from pbem.orders.lines import read_text
from pbem.pages import paragraphs
from pbem.reports import WIDTH, Context, Echo
from pbem.reports.packing import unpack_asks, unpack_view
from pbem.rules import load
from pbem.rules.hammer.facts import AREAS
from pbem.titles.hammer import TITLE
from pbem.titles.hammer.reports import story
from pbem.titles.hammer.reports.position import REGIONS
from pbem.titles.hammer.reports.sentences import STOPS
from tests.hammer.report_scenes import FIELD, FORM, READERS, SCENES, SEATS, blocks, random_reports, table

STYLE = TITLE.style

SEEDS = range(6)
TELEPHONE = 40
"""What a telephone shows of a line."""


@pytest.mark.ci(but=("2",))
@pytest.mark.parametrize("seed", SEEDS)
def test_lines_are_short_plain_and_clean(seed: int) -> None:
    options = {"scenario": ("braveheart", "the-bruce", "campaign")[seed % 3]}
    if seed % 3 == 2:
        options["last_year"] = "1299"
    fought = 0
    for _, reports in random_reports(seed, 60, **options):
        for report in reports.values():
            lines = report.split("\n")
            assert max(len(line) for line in lines) <= WIDTH
            assert report.isascii()
            assert all(line == line.rstrip() for line in lines)
            assert "\n\n\n" not in report
            assert report.endswith("\n")
            narrow = battle_lines(report)
            fought += len(narrow)
            assert not [line for line in narrow if len(line) > TELEPHONE]
    assert fought > 100


def battle_lines(report: str) -> list[str]:
    """The story's paragraphs that tell of battles."""
    story = report.partition("\nWHAT HAPPENED\n\n")[2]
    told = re.split(r"\n\n(?=[A-Z ,]+\n\n)", story)[0].split("\n\n")
    return [
        line
        for part in told
        if re.match(r"Battle \d|The battle in", part)
        for line in part.rstrip().split("\n")
    ]


def test_the_widest_that_a_battle_can_tell_is_narrow() -> None:
    """The longest names, four dice, a bonus, every fate, as one side reads it and as the other does."""
    name, other = "Northumber Infantry", "Lancaster Infantry"
    fire = {"event": "fire", "side": "england", "block": name, "rating": 3, "dice": [6, 6, 6, 6], "hits": 0}
    hit = {"event": "hit", "side": "england", "block": name, "strength": 0}
    events = [fire, {**fire, "hits": 4}]
    for fate in ("to pool", "dead", "captured", "edward ii"):
        events += [hit, {"event": fate, "block": name}]
    events += [
        {"event": "retreat", "side": "england", "who": {name: "Strathspey", other: "Mentieth"}},
        {"event": "retreat", "side": "england", "blocks": [name, other], "to": {"Mentieth": 2}},
        {"event": "unity", "side": "scotland", "block": name, "die": 6, "leaves": True},
        {"event": "pass", "side": "england", "block": name},
    ]
    lines = story(None, events)
    assert max(len(line) for line in lines) == TELEPHONE
    assert "  E Northumber Infantry C2+1  6 6 6 6  -" in lines
    assert "    4 hits: Northumber Infantry 1 to 0," in lines


@pytest.mark.ci
@pytest.mark.parametrize("seed", SEEDS)
def test_a_report_carries_its_readers_view(seed: int) -> None:
    for at, reports in random_reports(seed, 12):
        for reader, report in reports.items():
            assert unpack_view(report) == at.game.view(reader)


@pytest.mark.ci
@pytest.mark.parametrize("seed", SEEDS)
def test_a_report_carries_what_its_own_reader_is_asked_and_nobody_else(seed: int) -> None:
    for at, _ in random_reports(seed, 8):
        for reader in (*SEATS, "public", "gm"):
            view = at.game.view(reader)
            report = STYLE.report(reader, view, view, at.game.told(reader), at.game.asks, at.context(reader))
            own = [ask for ask in at.game.asks if ask.side == reader]
            told = [(one.kind, one.rule, one.legal, one.default) for one in unpack_asks(report)]
            assert told == [(ask.kind, ask.rule, ask.legal, ask.default) for ask in own]


@pytest.mark.ci
@pytest.mark.parametrize("seed", SEEDS)
def test_a_report_sent_back_is_its_form(seed: int) -> None:
    filled = "begin orders\ncard 2\nmove Wallace from Fife to Mentieth\nend orders\n"
    for at, reports in random_reports(seed, 10):
        if at.game.outcome:
            return
        for side in SEATS:
            assert f"\n{FORM}" in reports[side]
            back = reports[side].replace(FORM, filled)
            quoted = "".join(f"> {line}\n" for line in back.split("\n"))
            for text in (back, quoted):
                found = [statement.words for statement in read_text(text).statements]
                assert found == [statement.words for statement in read_text(filled).statements]
                assert LANGUAGE.parse(text, side).orders == LANGUAGE.parse(filled, side).orders
                assert not [
                    fault
                    for fault in LANGUAGE.parse(text, side).faults
                    if "outside the order form" in fault.message
                ]


@pytest.mark.ci
@pytest.mark.parametrize("seed", SEEDS)
def test_the_real_form_fits_and_is_found_again(seed: int) -> None:
    for at, _ in random_reports(seed, 8):
        for side in SEATS:
            view = at.game.view(side)
            asks = [ask for ask in at.game.asks if ask.side == side]
            form = LANGUAGE.form(view, asks)
            report = STYLE.report(side, view, view, at.game.told(side), asks, at.context(side, form=form))
            assert max(len(line) for line in report.split("\n")) <= WIDTH
            shown = form if asks else form.replace("note ASKED NOW: ", "note TO COME: ")
            assert shown.rstrip("\n") in report
            assert LANGUAGE.parse(report, side).orders == LANGUAGE.parse(form, side).orders
            assert not LANGUAGE.parse(report, side).faults


def test_at_the_card_stop_the_form_asks_for_the_card() -> None:
    at = next(at for scene in SCENES for name, at in scene() if name == "opening")
    assert at.game.at_stop == "cards"
    form = LANGUAGE.form(at.game.view("scotland"), at.game.asks)
    assert "Possible: card 1 / card 2." in form
    assert "If you say nothing: card 1." in form
    assert "\ncard ____\n" in form


def test_the_regions_are_the_map() -> None:
    assert sorted(area for areas in REGIONS.values() for area in areas) == sorted(AREAS)


def test_every_area_stands_in_the_map_once() -> None:
    report = table(FIELD).reports()["public"]
    drawn = report.split("THE MAP")[1].split("CARDS")[0]
    for area in AREAS:
        assert len(re.findall(rf"^  {area} ", drawn, re.MULTILINE)) == 1


def test_own_blocks_are_named_and_the_enemys_are_counted() -> None:
    at = table(FIELD)
    at.game.answer("scotland", "card 1")
    reports = at.reports()
    assert "Wallace 4/4 A3, Douglas 3/4 C3, Barclay 2/4 C2" in reports["scotland"]
    assert "Mentieth   3   ch England   3 blocks" in reports["scotland"]
    assert "Fife       2+1 c  Scotland  3 blocks" in reports["england"]
    assert "Wallace 4/4" not in reports["public"]
    assert "Edward 4/4 B4" in reports["gm"]
    assert "Wallace 4/4 A3" in reports["gm"]


@pytest.mark.ci
def test_every_question_and_stop_has_words() -> None:
    asked: set[str] = set()
    for seed in range(12):
        source = random.Random(seed)
        for at, _ in random_reports(source.randint(0, 10**6), 40):
            asked |= {ask.kind for ask in at.game.asks}
    assert asked <= QUESTIONS.keys()
    assert STOPS.keys() == load("hammer").stops.keys()


def test_what_is_asked_stands_with_its_default() -> None:
    report = table(FIELD).reports(form="")["scotland"]
    assert "Asked: the card you play (3.1); if you say nothing: card 1" in report
    assert "card 2" not in report.split("WHAT IS ASKED")[1].split("HOW TO CHECK")[0]


def test_silence_and_dropped_orders_are_told() -> None:
    from pbem.orders.base import Dropped

    dropped = (Dropped(line=3, text="move Wallace to Ross", reason="Wallace is pinned", rule="4.6"),)
    report = table(FIELD).reports(dropped=dropped, silence=("your lowest move card is played",))["scotland"]
    assert "line 3: 'move Wallace to Ross' was left out: Wallace is pinned (4.6)" in report
    assert "If you say nothing:\n  your lowest move card is played\n" in report


def test_a_bare_context_is_enough() -> None:
    view = table(FIELD).game.view("public")
    report = STYLE.report("public", view, view, [], (), Context(game="dunbar-7"))
    assert "Nothing since the last report." in report
    assert "HOW TO CHECK" not in report
    assert "begin orders" not in report


def test_the_finished_game_says_who_won() -> None:
    at = next(at for scene in SCENES for name, at in scene() if name == "end")
    for report in at.reports().values():
        assert "THE GAME IS OVER\n\nEngland wins: the King of the Scots was eliminated" in report


@pytest.mark.parametrize("reader", READERS)
def test_the_position_alone_can_be_shown(reader: str) -> None:
    at = table(FIELD)
    shown = STYLE.show(reader, at.game.view(reader), at.context(reader))
    assert "THE MAP" in shown
    assert "WHAT HAPPENED" not in shown
    assert max(len(line) for line in shown.split("\n")) <= WIDTH


@pytest.mark.parametrize("reader", READERS)
def test_where_edward_winters_is_told_to_everybody(reader: str) -> None:
    """7.4, R95."""
    standing = blocks("england", "Mar: Edward 4; Ross: Ross 3") | blocks("scotland", "Fife: Wallace 3")
    winter = {"phase": "scottish builds", "turn": 6, "blocks": standing, "edward_winters": True}
    assert "Edward I, winters in Mar" in table(winter).reports()[reader]


def test_a_status_is_one_line() -> None:
    at = table(FIELD)
    said = STYLE.status(at.game.view("public"), at.context("public"))
    assert said == (
        "dunbar-7: 1298, turn 2, cards; nobles England 5, Scotland 3; "
        "exchange 1 is open until 2026-12-01 20:00 UTC; waiting for alice and bob"
    )


def test_a_receipt_says_what_was_understood_and_what_was_not() -> None:
    fault = Fault(
        line=2,
        column=17,
        end=24,
        source="move Wallace to Garmoron",
        message="no area called 'garmoron'",
        rule="1.1",
        meant=("Garmoran",),
    )
    echo = Echo(
        game="dunbar-7",
        exchange=12,
        player="bob",
        side="scotland",
        said="You play the card 3.",
        faults=(fault,),
        silence=("You move nothing else.",),
        revision=2,
        deadline="2026-12-01 20:00 UTC",
    )
    assert STYLE.receipt_words(echo) == (
        "Game dunbar-7, exchange 12: orders for Scotland from bob, revision 2\n"
        "\n"
        "This is what was understood, and it counts:\n"
        "\n"
        "You play the card 3.\n"
        "\n"
        "What is marked is wrong and does not count (line 1 is the first below ---):\n"
        "\n"
        "line 2: no area called 'garmoron' (1.1); did you mean Garmoran?\n"
        "    move Wallace to Garmoron\n"
        "                    ~~~~~~~^\n"
        "\n"
        "You have said nothing about this, so:\n"
        "\n"
        "  You move nothing else.\n"
        "\n"
        "Until 2026-12-01 20:00 UTC, a file with a higher revision replaces this one.\n"
    )


def test_a_receipt_ends_with_the_forecast() -> None:
    told = ("You move first:", "  Wallace: from Fife to Atholl.")
    echo = Echo(
        game="dunbar-7", exchange=2, player="bob", side="scotland", said="You play the card 3.", forecast=told
    )
    assert STYLE.receipt_words(echo).endswith(
        "You play the card 3.\n"
        "\n"
        "Forecast, from what you can see:\n"
        "\n"
        "You move first:\n"
        "  Wallace: from Fife to Atholl.\n"
        "\n"
        "While the exchange is open, a file with a higher revision replaces this one.\n"
    )


def test_an_empty_receipt_says_so() -> None:
    echo = Echo(game="dunbar-7", exchange=2, player="bob", side="scotland", said="")
    assert "No order was found in this file." in STYLE.receipt_words(echo)


@pytest.mark.parametrize("first", ["begin orders", "A line that goes on,"])
def test_a_part_of_many_lines_is_put_together_once(first: str) -> None:
    """Each line is added to a list, and joined once; so no step copies what came before it."""
    lines = [first, *["    and on," for _ in range(5_000)]]
    (part,) = paragraphs(lines)
    assert part.said.count("and on,") == 5_000
    assert part.form == (first == "begin orders")
