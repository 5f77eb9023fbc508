"""What serves a game that brings nothing of its own: a plain language, a random player, a forecast."""

from __future__ import annotations

from typing import Any, ClassVar

import pytest

from pbem.bots import RandomAnswers
from pbem.forecast.replay import Replay
from pbem.orders.base import Answer, Asked, Uncovered
from pbem.orders.plain import PlainLanguage
from pbem.rules import Chance, Outcome
from pbem.rules.base import Ask, Head, View
from pbem.rules.flow import Telling, stop

CARDS = ("2", "5", "9")
LANGUAGE = PlainLanguage({"card": ("play", "keep"), "again": ("again", "stop")})
CHANCE = {"1/weather": "the weather is rolled for"}.__getitem__
QUESTIONS = {"card": "which card do you play?", "again": "do you go on?"}


def ask(kind: str, *legal: str) -> Ask:
    return Ask("north", kind, "3", lambda: legal, public=True, preferred=lambda: legal[0])


class Solitaire(Telling):
    """Play a card; then a die is rolled, or another side is asked, or nothing comes."""

    def __init__(self, chance: Chance, then: str) -> None:
        super().__init__(stops=then == "stop")
        self.chance = chance
        self.then = then
        self.run(self.play())

    async def play(self) -> Outcome:
        """One card."""
        await stop("turn")
        card = await ask("card", *(f"play {card}" for card in CARDS))
        if self.then == "die":
            self.chance.roll("1/weather")
        if self.then == "other":
            await Ask("south", "card", "3", lambda: CARDS, public=True, preferred=lambda: CARDS[0])
        return Outcome("north", f"played {card}")

    def view(self, viewer: str) -> View:
        """Nothing is hidden."""
        return Head("solitaire", viewer, ("now",), {"then": self.then}, self.outcome).view()


class Rules:
    """As much of a rule set as a forecast needs."""

    stops: ClassVar = {"turn": {"card"}}

    def start(self, options: dict[str, Any], chance: Chance, position: View, stops: bool) -> Solitaire:
        """Always from the beginning."""
        return Solitaire(chance, options["then"])


def forecast(text: str, then: str = "") -> tuple[str, ...]:
    """What is foretold of some orders."""
    replay = Replay(Rules(), LANGUAGE, QUESTIONS, lambda view: view, CHANCE)  # type: ignore[arg-type]  # no more is needed
    view = Head("solitaire", "north", ("now",), {"then": then}, None).view()
    return replay.forecast(LANGUAGE.parse(text, "north").orders, view)


def test_a_forecast_plays_the_orders_as_far_as_can_be_seen() -> None:
    played = "Which card do you play (3): play 5."
    assert forecast("play 5") == (played, "Then the game is over.")
    assert forecast("play 5", "other") == (played, "Then it depends on the others.")
    die = "Then the weather is rolled for: what comes after it depends on that."
    assert " ".join(" ".join(forecast("play 5", "die")).split()) == f"{played} {die}"


def test_a_forecast_says_what_is_left_open_and_what_is_left_out() -> None:
    told = " ".join(forecast("play 7"))
    assert "Which card do you play (3): you are asked; if you say nothing then: play 2." in told
    assert "line 1: 'play 7' was left out: you could choose play 2, play 5, play 9 (3)." in told


def test_a_forecast_knows_that_nobody_is_asked_what_is_read_at_a_stop() -> None:
    assert forecast("", "stop") == (
        "Which card do you play (3), by default: play 2.",
        "Then the game is over.",
    )


def test_a_forecast_of_a_game_that_is_over_says_nothing() -> None:
    replay = Replay(Rules(), LANGUAGE, QUESTIONS, lambda view: view, CHANCE)  # type: ignore[arg-type]
    view = Head("solitaire", "north", ("now",), {}, Outcome("north", "done")).view()
    assert replay.forecast(LANGUAGE.parse("play 5", "north").orders, view) == ()


def test_lines_are_used_once_in_their_turn_and_by_kind() -> None:
    follower = LANGUAGE.follower("north")
    follower.receive(LANGUAGE.parse("again\n> Play 5.\nplay 9\nplay 9", "north").orders, {})
    assert follower.covers(frozenset({"card", "again"}), {})
    assert follower.reply(ask("card", "play 5", "play 9"), {}) == Answer("play 5")
    copy = follower.copy()
    assert follower.reply(ask("card", "play 2"), {}) == Uncovered()
    assert [one.line for one in follower.dropped] == [3, 4]
    assert copy.dropped == []
    assert copy.reply(ask("card", "play 9"), {}) == Answer("play 9")
    assert copy.reply(ask("again", "again", "stop"), {}) == Answer("again")


def test_marks_that_mails_change_carry_no_meaning() -> None:
    follower = LANGUAGE.follower("north")
    follower.receive(LANGUAGE.parse("play Blue / Wemyss\u20135", "north").orders, {})
    assert follower.reply(ask("card", "play blue/wemyss-4", "play blue/wemyss-5"), {}) == Answer(
        "play blue/wemyss-5"
    )


def test_a_new_file_takes_the_place_of_the_old_one() -> None:
    follower = LANGUAGE.follower("north")
    for text in ("play 5\nagain", "play 9"):
        follower.receive(LANGUAGE.parse(text, "north").orders, {})
    answer = follower.reply(ask("card", "play 5", "play 9"), {})
    assert isinstance(answer, Answer)
    assert (answer.text, answer.line, answer.file) == ("play 9", 1, 1)
    assert not follower.covers(frozenset({"again"}), {})


def test_a_slip_of_the_pen_is_told_and_the_rest_stands() -> None:
    parsed = LANGUAGE.parse("plya 5\nplay 9", "north")
    assert LANGUAGE.write(parsed.orders) == "play 9\n"
    (fault,) = parsed.faults
    assert str(fault).startswith("line 1: no order begins with 'plya'; did you mean play?")


def test_a_form_shows_what_is_possible_and_blanks_are_no_orders() -> None:
    form = LANGUAGE.form({}, [ask("card", "play 5", "play 9")])
    assert "note One of these (3): play 5 / play 9" in form
    assert not LANGUAGE.parse(form, "north").orders
    filled = form.replace("play ____", "play 9")
    assert LANGUAGE.write(LANGUAGE.parse(filled, "north").orders) == "play 9\n"


def test_a_random_player_answers_its_own_questions_and_always_the_same() -> None:
    asks = [ask("card", *(f"play {card}" for card in CARDS))]
    other = Ask("south", "card", "3", lambda: ["play 1"], public=True, preferred=lambda: "play 1")
    texts = {RandomAnswers("north", seed).write({}, [*asks, other]) for seed in range(40)}
    assert texts == {f"play {card}\n" for card in CARDS}
    assert RandomAnswers("north").write({}, asks) == RandomAnswers("north").write({}, asks)
    assert RandomAnswers("north").write({}) == ""


def test_what_is_asked_is_offered_to_a_line_as_it_is_written() -> None:
    asks = [
        Asked("card", "3", ("keep 2", "play 2", "play 5"), "keep 2"),
        Asked("again", "4", ("again", "stop"), "stop"),
    ]

    def offered(line: str) -> list[str]:
        return [offer.line for offer in LANGUAGE.offers(line, {}, (), "", asks)]

    assert offered("") == ["keep 2", "play 2", "play 5", "again", "stop"]
    assert offered("play ") == ["play 2", "play 5"]
    assert offered("play 2") == []
    assert LANGUAGE.offers("", {}, ()) == ()
    assert LANGUAGE.parse(offered("play ")[0], "north").faults == ()


@pytest.mark.parametrize(
    ("written", "echo"),
    [
        ("play scott-5", "play scott-5"),
        ("> Play *Scott\u20115*", "play scott-5"),
        ("play scott 5", "play scott 5"),
        ("play scott - 5", "play scott 5"),
        ("play 2, scott-5,\nbruce-3", "play 2 , scott-5 , bruce-3"),
    ],
)
def test_a_line_is_told_with_the_hyphens_it_was_written_with(written: str, echo: str) -> None:
    """In the echo, on file, and when it is left out; and it is read from them as the same line."""
    orders = LANGUAGE.parse(written, "north").orders
    assert LANGUAGE.say(orders) == f"{echo}\n"
    assert LANGUAGE.parse(LANGUAGE.write(orders), "north").orders.lines[0].text == orders.lines[0].text
    follower = LANGUAGE.follower("north")
    follower.receive(orders, {})
    assert [file.lines for file in follower.on_file({})] == [(echo,)]
    assert follower.reply(ask("card", "play 9"), {}) == Uncovered()
    assert [dropped.text for dropped in follower.dropped] == [echo]


def test_an_answer_with_a_hyphen_is_given_whether_or_not_its_line_has_one() -> None:
    for written in ("play scott-5", "play scott 5"):
        follower = LANGUAGE.follower("north")
        follower.receive(LANGUAGE.parse(written, "north").orders, {})
        assert follower.reply(ask("card", "play Scott-5"), {}) == Answer("play Scott-5", 1, 0)


def test_a_verb_may_have_a_hyphen() -> None:
    """It is read as people write it, told back so, and offered in the form."""
    language = PlainLanguage({"levy": ("call-up",), "card": ("play",)})
    levy = Ask(
        "north", "levy", "4", lambda: ["call-up 2", "call-up 3"], public=True, preferred=lambda: "call-up 2"
    )
    for written in ("call-up 3", "Call up 3", "> call\u2011up 3"):
        parsed = language.parse(written, "north")
        assert not parsed.faults, written
        follower = language.follower("north")
        follower.receive(parsed.orders, {})
        assert follower.covers(frozenset({"levy"}), {})
        assert not follower.covers(frozenset({"card"}), {})
        assert follower.on_file({})[0].kinds == {"levy"}
        assert follower.reply(levy, {}) == Answer("call-up 3", 1, 0)
    form = language.form({}, [levy])
    assert language.asked(form) == ("call-up",)
    filled = language.parse(form.replace("____", "3"), "north")
    assert language.write(filled.orders) == "call-up 3\n"
    (fault,) = language.parse("calling 3", "north").faults
    assert "no order begins with 'calling'" in str(fault)
