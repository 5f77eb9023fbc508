"""The forecast of every game: the orders are played on a position that fits what their writer sees.

It ends where others have to answer or chance has to fall, for what they bring nobody can see. A game brings
no more than a position that looks like a view (`imagine`), and what it calls its questions and draws.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import groupby
from operator import itemgetter
from textwrap import wrap

from pbem.orders.base import Answer, Follower, Language, Orders
from pbem.orders.kit.parsed_orders import DONE
from pbem.rules.base import Ask, Game, Rules, View, read_head

WIDTH = 76
MAX_ANSWERS = 200
"""Maximum number of answers that are played; no file of orders comes near."""

Imagine = Callable[[View], View]


class _Unseen(Exception):
    """Raised for a die or a draw with a label, since nobody can know it before it falls."""


class _Sealed:
    """The chance of a game as somebody sees it who plans: every die and draw is unknown."""

    def roll(self, label: str, sides: int = 6) -> int:
        raise _Unseen(label)

    def draw(self, label: str, choices: tuple[str, ...]) -> str:
        raise _Unseen(label)


class Replay:
    """The maker of forecasts for a game that has none of its own."""

    def __init__(
        self,
        rules: Rules,
        language: Language,
        questions: Mapping[str, str],
        imagine: Imagine,
        chance: Callable[[str], str],
        assumed: Callable[[View], str] = lambda _: "",
    ) -> None:
        self.rules = rules
        self.language = language
        self.questions = questions
        self.imagine = imagine
        self.chance = chance
        self.assumed = assumed

    def forecast(self, orders: Orders, view: View, follower: Follower | None = None) -> tuple[str, ...]:
        """Return lines on what a side's orders answer, what is left out, and why the forecast ends there."""
        head = read_head(view)
        if head.outcome is not None:
            return ()
        own = follower.copy() if follower is not None else self.language.follower(head.viewer)
        before = len(own.dropped)
        own.receive(orders, view)
        lines = list(self._lines(head.viewer, own, head.options, view))
        faulty = {fault.line for fault in self.language.check(orders, view) if not fault.remark}
        lines += [f"{one}." for one in own.dropped[before:] if one.line not in faulty]
        return tuple(line for one in lines for line in wrap(one, WIDTH, subsequent_indent="  "))

    def _lines(
        self, side: str, follower: Follower, options: Mapping[str, object], view: View
    ) -> Iterator[str]:
        answers: list[tuple[str, str]] = []
        if assumed := self.assumed(view):
            yield assumed
        end = self._play(side, follower, options, view, answers)
        for question, several in groupby(answers, key=itemgetter(0)):
            yield f"{question} {'; '.join(said for _, said in several)}."
        yield end

    def _play(
        self,
        side: str,
        follower: Follower,
        options: Mapping[str, object],
        view: View,
        answers: list[tuple[str, str]],
    ) -> str:
        """Note each question of the game with its answer; return why the forecast cannot go on."""
        try:
            game = self.rules.start(options, _Sealed(), self.imagine(view), stops=True)
            unasked = self.rules.stops[game.at_stop] if game.at_stop else frozenset()
            game.go_on()
            for _ in range(MAX_ANSWERS):
                ask = next((one for one in game.asks if one.side == side), None)
                if ask is None:
                    break
                text, default = self._answer(game, ask, follower), self.language.spoken(ask, ask.default)
                if text is None and ask.public and ask.kind not in unasked:
                    return f"{self._question(ask)}: you are asked; if you say nothing then: {default}."
                by = ":" if text is not None else ", by default:"
                said = default if text is None else self.language.spoken(ask, text)
                question = f"{self._question(ask)}{by}"
                if text != DONE or [last for last, _ in answers[-1:]] != [question]:  # no end of a list
                    answers.append((question, said))
                game.answer(side, ask.default if text is None else text)
        except _Unseen as unseen:
            return f"Then {self.chance(str(unseen))}: what comes after it depends on that."
        return "Then the game is over." if game.outcome else "Then it depends on the others."

    def _answer(self, game: Game, ask: Ask, follower: Follower) -> str | None:
        """Return the answer that the orders give to a question; None if they leave it open."""
        reply = follower.reply(ask, game.view(ask.side))
        return reply.text if isinstance(reply, Answer) and reply.text in ask.legal else None

    def _question(self, ask: Ask) -> str:
        said = self.questions[ask.kind].rstrip("?")
        return f"{said[:1].upper()}{said[1:]} ({ask.rule})"
