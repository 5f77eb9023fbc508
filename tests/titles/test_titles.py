"""How a title is found and what it costs to look at one."""

from __future__ import annotations

import pytest

from pbem.rules import Outcome, UnknownRules
from pbem.rules.base import Ask
from pbem.rules.flow import Flow
from pbem.titles import Title, default_name, load
from tests.running import python


def whist(
    files: tuple[str, ...] = ("whist",), rules: str = "whist.rules:RULES", *, default: bool = False
) -> Title:
    """A title that is installed nowhere."""
    orders, words = "whist.orders:LANGUAGE", "whist.words:WORDS"
    return Title("whist", files=files, rules=rules, orders=orders, words=words, default=default)


def imported(code: str) -> set[str]:
    """The modules of the program that a fresh interpreter has imported after some code."""
    shown = python("-c", f"{code}\nimport sys; print(*sys.modules)")
    return {name for name in shown.stdout.split() if name.startswith("pbem.")}


@pytest.mark.ci
def test_rules_are_had_without_bots_forecasts_and_other_games() -> None:
    found = imported("from pbem.titles import load; load('hammer').rules")
    assert "pbem.rules.hammer" in found
    beside = ("pbem.bots", "pbem.forecast", "pbem.odds", "pbem.orders.hammer", "pbem.reports", "pbem.rules.l")
    assert not {name for name in found if name.startswith(beside)}


def test_to_look_for_titles_imports_no_game() -> None:
    found = imported("from pbem.titles import names; names()")
    assert not {name for name in found if name.count(".") > 1 and name.startswith("pbem.rules.hammer")}
    assert "pbem.bots" not in found


def test_a_game_that_is_not_installed_is_told_with_those_that_are() -> None:
    with pytest.raises(UnknownRules, match=r"no game called 'chess'; installed: .*hammer"):
        load("chess")


def test_a_part_that_the_pin_would_not_cover_is_refused() -> None:
    whist()
    with pytest.raises(ValueError, match=r"elsewhere\.rules of the title whist lies in none of its files"):
        whist(rules="elsewhere.rules:RULES")
    with pytest.raises(ValueError, match="lies in none of its files"):
        whist(files=("whi",))


def test_who_names_no_game_means_the_title_that_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    """A title that cannot be imported stands in nobody's way; without one that says so it is the first."""
    titles = {"a-broken-one": None, "chess": whist(), "whist": whist(default=True)}

    def load(name: str) -> Title:
        if (title := titles[name]) is None:
            raise ImportError(name)
        return title

    monkeypatch.setattr("pbem.titles.load", load)
    monkeypatch.setattr("pbem.titles.names", lambda: tuple(titles))
    assert default_name() == "whist"
    titles.pop("whist")
    assert default_name() == "a-broken-one"
    titles.clear()
    assert default_name() == ""


class OneCard(Flow):
    """A game of one question with one answer."""

    def __init__(self, *, always: bool) -> None:
        super().__init__(stops=False)
        self.always = always
        self.run(self.play())

    async def play(self) -> Outcome:
        """Ask for the only card."""
        await Ask(
            "north", "card", "1", lambda: ["pass"], public=True, preferred=lambda: "pass", always=self.always
        )
        return Outcome(None, "the card is played")


def test_one_answer_is_taken_or_asked_for_as_the_rules_say() -> None:
    assert OneCard(always=False).asks == ()
    (ask,) = OneCard(always=True).asks
    assert ask.legal == ("pass",)
