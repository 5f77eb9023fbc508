"""Resolves exchanges: orders are followed until the judge has to stop and ask.

The stop rule. An open Ask is answered by the orders of its side. One that they do not cover is

- answered by its default, if it is not public, if it was put to the player when this exchange began, if its
  side has sent nothing, or if a line about it has a condition that its writer alone can judge (protocol 13);
- otherwise a reason to stop: the exchange ends, and the next one asks it.

In the last exchange that a game can have nobody is asked any more: everything is answered by orders or by
its default, to the game's end (protocol 21).

At a public stop of the game (design: rules may name some) the judge stops too, unless the orders of every
side that still plays speak of everything that is asked there. It stops, too, where a player wrote `ask`, if
the question is public and was not put to that player when this exchange began. So a stop depends on what all
sides know, and on what the owner of an order wrote.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from pbem.orders.base import (
    Answer,
    Dropped,
    Follower,
    NotSaved,
    OnFile,
    QuestionsPut,
    Saved,
    Standing,
    Stop,
    Uncovered,
    reply_of,
)
from pbem.play.setting import Setting
from pbem.reports.words import Memory
from pbem.rules import Ask, Chance, Game, IllegalAnswer, Outcome
from pbem.rules.base import Event, View


@dataclass(frozen=True, slots=True)
class Answered:
    """One answered Ask, with the answer, and the source of the answer: "orders" or "default"."""

    side: str
    kind: str
    rule: str
    text: str
    by: str
    exchange: int = 0
    """The exchange whose order file gives the answer; 0 for a default, or if no single file gives it."""
    line: int = 0
    """The number of the line in that file, below its head; 0 if no single line gives the answer."""
    said: str = field(default="", compare=False)
    """The answer in the words of an order line (`Language.spoken`), for people."""


Watch = Callable[[Answered, Ask], None]
"""A function that is called with each answer, and what it answers, just before the game is given it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """The view of one audience before and after an exchange, and what it was told in the exchange."""

    before: View | None
    after: View
    told: tuple[Event, ...]
    remembered: tuple[str, ...]
    """The earlier events that the audience may still follow, in words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Resolution:
    """The result of resolving an exchange."""

    exchange: int
    answers: tuple[Answered, ...]
    dropped: Mapping[str, tuple[Dropped, ...]]
    """The orders of each side that had become impossible."""
    seen: Mapping[str, Seen]
    """The view of each audience: a side, "public" or "gm"."""
    stop: str
    """The reason why the exchange ended: the name of a public stop, "asked", or "over"."""
    outcome: Outcome | None

    def instead(self, side: str) -> tuple[str, ...]:
        """Return the default answers that counted where a side's lines could not be carried out."""
        rules = {dropped.rule for dropped in self.dropped.get(side, ())}
        found = (one for one in self.answers if one.side == side and one.by == "default")
        return tuple(f"{one.said} ({one.rule})" for one in found if one.rule in rules)


class Play:
    """A game in progress, which is played one exchange at a time."""

    def __init__(
        self, setting: Setting, chance: Chance, watch: Watch | None = None, *, saves: bool = False
    ) -> None:
        self.setting = setting
        self.chance = chance
        self.watch = watch
        self._saves = saves and setting.title.resumes
        self._stop = ""
        """The position at the last public stop, as JSON; "" if it may not be saved."""
        self._since: list[tuple[str, str]] = []
        """The pairs of side and answer that were given since the last public stop."""
        self._game: Game | None = None
        self._last: dict[str, View] = {}
        """The view of each audience when the last exchange was resolved, if somebody looked."""
        self._heard: dict[str, int] = {}
        """The number of events that each audience has been told."""
        self._memories: dict[str, Memory] = {}
        self._audiences = (*setting.sides, "public", "gm")
        self._followers = {side: setting.language.follower(side) for side in setting.sides}
        self._files: dict[str, list[int]] = {side: [] for side in setting.sides}
        self._standing: dict[str, tuple[tuple[OnFile, ...], Standing]] = {}

    @property
    def game(self) -> Game:
        """The running game, which begins with the resolution of exchange 1."""
        assert self._game is not None, "the game has not begun"
        return self._game

    @property
    def begun(self) -> bool:
        """Whether exchange 1 has been resolved."""
        return self._game is not None

    def follower(self, side: str) -> Follower:
        """Return a copy of the follower of a side's orders, for trying orders out."""
        return self._followers[side].copy()

    def on_file(self, side: str) -> tuple[tuple[int, tuple[str, ...]], ...]:
        """Return the orders of a side that still rule: the exchange of each file, and its lines."""
        if side not in self._followers or self.game.outcome is not None:
            return ()
        return tuple((self._files[side][one.file], one.lines) for one in self._stands(side)[0])

    def answers_now(self, side: str) -> tuple[tuple[Ask, str], ...]:
        """Return the answers of a side's orders on file to what is asked of it now, if it sends nothing."""
        return self._stands(side)[1].answers

    def form(self, side: str) -> str:
        """Return the order form of a side in the open exchange, with what its orders on file answer."""
        return self.setting.language.form(self._last[side], self.asks(side), self._stands(side)[1])

    def _stands(self, side: str) -> tuple[tuple[OnFile, ...], Standing]:
        """Return a side's orders on file at this stop, and their answers, which are computed only once."""
        if (known := self._standing.get(side)) is None:
            view, answered = self._last[side], []
            for ask in self.asks(side):
                reply = self.follower(side).reply(ask, view)
                if isinstance(reply, Answer) and reply.text in ask.legal:
                    answered.append((ask, self.setting.language.spoken(ask, reply.text)))
            on_file = self.follower(side).on_file(view)
            kinds = frozenset().union(*(one.kinds for one in on_file))
            known = self._standing[side] = on_file, Standing(tuple(answered), kinds)
        return known

    def asks(self, side: str) -> tuple[Ask, ...]:
        """Return what a side is asked in the open exchange (at a public stop: what its next step asks)."""
        return tuple(ask for ask in self.game.asks if ask.side == side)

    def resolve(
        self,
        exchange: int,
        texts: Mapping[str, str | None],
        source: int = 0,
        gone: Collection[str] = (),
        *,
        is_last: bool = False,
        is_shown: bool = True,
    ) -> Resolution:
        """Resolve an exchange with each side's order text; None is a side that has sent nothing.

        `gone`: sides whose player has left; what these sides ordered before counts no more.

        `source`: the exchange that the texts were sent for, if it is another. The chance must have been
        keyed for it. `is_last`: there can be no further exchange. `is_shown`: without it nobody looks at the
        game afterwards, and neither this exchange nor the next can be reported.
        """
        audiences = self._audiences
        self._standing.clear()
        self._followers.update((side, self.setting.language.follower(side)) for side in gone)
        answers: list[Answered] = []
        dropped = {side: len(follower.dropped) for side, follower in self._followers.items()}
        if self._game is None:
            game = self._game = self.setting.rules.start(self.setting.options, self.chance, stops=True)
            stop = game.at_stop or "asked"
            if game.at_stop:
                self._mark()
        else:
            game = self._game
            for side, text in texts.items():
                if text is not None:
                    orders = self.setting.language.parse(text, side).orders
                    self._followers[side].receive(orders, game.view(side))
                    self._files[side].append(source or exchange)
            silent = {side for side, text in texts.items() if text is None}
            run = _Run(self, game, self._followers, self._files, silent, gone, is_last=is_last)
            answers, stop = run.go()
        told = {audience: self._hear(audience) for audience in audiences}
        seen = {audience: self._look(audience, told[audience]) for audience in audiences if is_shown}
        return Resolution(
            exchange=exchange,
            answers=tuple(answers),
            dropped={
                side: tuple(
                    self._with_exchange(one, side, source or exchange)
                    for one in follower.dropped[dropped[side] :]
                )
                for side, follower in self._followers.items()
            },
            seen=seen,
            stop=stop,
            outcome=game.outcome,
        )

    def _mark(self) -> None:
        """Record the position at a public stop, from which the game can be begun again."""
        if self._saves:
            self._stop = json.dumps(self.game.view("gm"))
            self._since.clear()

    def save(self) -> Any:
        """Return the state of the game between two exchanges, with what is on file and remembered, JSON-able.

        The rules have no saved place but a public stop: what was answered since then is answered again.

        Raises:
            NotSaved: there is no such stop, or something of this title cannot be saved.
        """
        if not self._stop:
            raise NotSaved("there was no public stop")
        followers = {side: one for side, one in self._followers.items() if isinstance(one, Saved)}
        if len(followers) < len(self._followers):
            raise NotSaved("the orders cannot be saved")
        return {
            "stop": self._stop,
            "since": list(self._since),
            "left": self.game.at_stop is None,
            "followers": {side: one.save() for side, one in followers.items()},
            "files": self._files,
            "memories": {audience: memory.save() for audience, memory in self._memories.items()},
            "seen": self._fingerprint(),
        }

    def load(self, data: Any) -> None:
        """Restore a saved state of the game; the chance must fall as it fell since the game's last stop.

        Raises:
            NotSaved: the game does not stand where it was saved. Data that nobody saved may raise anything.
        """
        setting = self.setting
        game = self._game = setting.rules.start(
            setting.options, self.chance, json.loads(data["stop"]), stops=True
        )
        if game.at_stop is None:
            raise NotSaved("the game does not halt where it did")
        self._stop, self._since = data["stop"], [(side, text) for side, text in data["since"]]
        if data["left"]:
            game.go_on()
        for side, text in self._since:
            game.answer(side, text)
        for side, follower in self._followers.items():
            assert isinstance(follower, Saved)
            follower.load(data["followers"][side])
            self._files[side] = list(data["files"][side])
        for audience in self._audiences:
            self._last[audience] = game.view(audience)
            self._heard[audience] = len(game.told(audience))
            self._memories[audience] = setting.words.memory(audience)
            self._memories[audience].load(data["memories"][audience])
        if self._fingerprint() != data["seen"]:
            raise NotSaved("the game does not stand where it did")

    def _fingerprint(self) -> str:
        """Return a hash of all that anybody sees now and is asked, and of what they remember."""
        game = self.game
        asks = [(one.side, one.kind, one.rule, one.public, one.default, one.legal) for one in game.asks]
        views = [
            self._memories[audience].reminded(self._last.get(audience) or game.view(audience))
            for audience in self._audiences
        ]
        seen = json.dumps([views, asks, game.at_stop, game.outcome is None])
        return hashlib.sha256(seen.encode()).hexdigest()

    def _with_exchange(self, dropped: Dropped, side: str, exchange: int) -> Dropped:
        """Return a line that could not be carried out, with the exchange of its file if that is older."""
        of = self._files[side][dropped.file] if dropped.file >= 0 else exchange
        return dropped if of == exchange else replace(dropped, exchange=of)

    def _hear(self, audience: str) -> tuple[Event, ...]:
        """Return what an audience was told since the last call. Between exchanges nothing happens."""
        heard = self._heard.get(audience, 0)
        told = tuple(self.game.told(audience, heard))
        self._heard[audience] = heard + len(told)
        if audience not in self._memories:
            self._memories[audience] = self.setting.words.memory(audience)
        self._memories[audience].hear(told)
        return told

    def _look(self, audience: str, told: tuple[Event, ...]) -> Seen:
        """Return what an audience sees now, what it saw before, and what it remembers."""
        memory, view = self._memories[audience], self.game.view(audience)
        before, self._last[audience] = self._last.get(audience), view
        return Seen(
            before=before, after=memory.reminded(view), told=told, remembered=tuple(memory.lines(view))
        )


class _Run:
    """The course of one exchange of a game, from answer to answer until a stop."""

    def __init__(
        self,
        play: Play,
        game: Game,
        followers: Mapping[str, Follower],
        files: Mapping[str, list[int]],
        silent: set[str],
        gone: Collection[str],
        *,
        is_last: bool,
    ) -> None:
        self.is_last = is_last
        self.play = play
        self.setting = play.setting
        self.watch = play.watch
        self.game = game
        self.followers = followers
        self.files = files
        self.silent = silent
        self.gone = gone
        self.put = QuestionsPut(game, play.setting.rules.stops)
        self.answers: list[Answered] = []

    def go(self) -> tuple[list[Answered], str]:
        """Answer questions until a stop; return the answers given, and the name of the stop."""
        if self.game.at_stop is not None:
            self.put.leave_first_stop()
        while self.game.outcome is None:
            if (stop := self.game.at_stop) is not None:
                self.play._mark()
                if not self.is_last and not self._is_covered(stop):
                    return self.answers, stop
                self.put.leave_stop()
            elif not any(self._answer(ask) for ask in self.game.asks):
                return self.answers, "asked"
        return self.answers, "over"

    def _is_covered(self, stop: str) -> bool:
        """Tell whether every side that still plays has already written what is asked at this public stop."""
        kinds = self.setting.rules.stops[stop]
        return all(
            follower.covers(kinds, self.game.view(side))
            for side, follower in self.followers.items()
            if side not in self.gone
        )

    def _answer(self, ask: Ask) -> bool:
        """Answer one Ask by orders or default; return False if the judge must stop for it."""
        follower, view = self.followers[ask.side], self.game.view(ask.side)
        reply = reply_of(follower, ask, view, just_put=ask in self.put.asks)
        if isinstance(reply, Stop) and not self.is_last:
            return False
        if isinstance(reply, Answer):
            try:
                exchange = self.files[ask.side][reply.file] if reply.file >= 0 else 0
                by = "orders", exchange, reply.line
                said = self.setting.language.spoken(ask, reply.text)
                return self._give(Answered(ask.side, ask.kind, ask.rule, reply.text, *by, said), ask)
            except IllegalAnswer:
                pass  # the follower offers only what fits its own view; what still fails is no answer
        is_settled = self.is_last or self.put.takes_default(ask) or ask.side in self.silent
        unasked = reply.unasked if isinstance(reply, Uncovered) and not is_settled else ()
        follower.dropped += (line for line in unasked if line not in follower.dropped)
        if is_settled or unasked:
            said = self.setting.language.spoken(ask, ask.default)
            return self._give(Answered(ask.side, ask.kind, ask.rule, ask.default, "default", said=said), ask)
        return False

    def _give(self, answer: Answered, ask: Ask) -> bool:
        if self.watch is not None:
            self.watch(answer, ask)
        self.game.answer(answer.side, answer.text)
        self.play._since.append((answer.side, answer.text))
        self.answers.append(answer)
        return True
