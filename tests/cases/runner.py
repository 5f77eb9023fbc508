"""Plays a case: answers, refusals and what must be true, line by line."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import cache
from importlib import import_module
from typing import Any

from pbem import rules, titles
from pbem.orders.base import Answer, Follower, Language
from pbem.rules import Ask, Game, IllegalAnswer
from pbem.rules.base import UnknownOption
from tests.cases.casefile import Case, CaseFault, Line

load_rules = cache(rules.load)


@cache
def language_of(name: str) -> Language:
    """The order language of a game."""
    return titles.load(name).language


class CaseFailed(Exception):
    """What the rules did is not what the case demands."""


@dataclass(slots=True)
class Scripted:
    """One die or draw that a case foresees; `label` is a pattern."""

    label: str
    value: str
    choices: tuple[str, ...] | None = None


@dataclass(slots=True)
class ScriptedChance:
    """Dice and draws from the case, in order, which must be used up exactly."""

    dice: deque[Scripted] = field(default_factory=deque)
    draws: deque[Scripted] = field(default_factory=deque)
    labels: set[str] = field(default_factory=set)

    def roll(self, label: str, sides: int = 6) -> int:
        """The next die."""
        return int(self._next(self.dice, "die", label).value)

    def draw(self, label: str, choices: tuple[str, ...]) -> str:
        """The next draw, which must be possible."""
        drawn = self._next(self.draws, "draw", label)
        if drawn.choices is not None and sorted(choices) != sorted(drawn.choices):
            raise CaseFailed(f"{label}: drawn from {', '.join(choices)}")
        if drawn.value not in choices:
            raise CaseFailed(f"{label}: {drawn.value} cannot be drawn; there are {', '.join(choices)}")
        return drawn.value

    def _next(self, queue: deque[Scripted], what: str, label: str) -> Scripted:
        if label in self.labels:
            raise CaseFailed(f"the label {label} came twice")
        self.labels.add(label)
        if not queue:
            raise CaseFailed(f"no {what} is foreseen for {label}")
        found = queue.popleft()
        if not fnmatchcase(label, found.label):
            raise CaseFailed(f"the next {what} is for {label}, not for {found.label}")
        return found

    def left(self) -> list[Scripted]:
        """What was foreseen and not used."""
        return [*self.dice, *self.draws]


def plain(value: Any) -> str:
    """A value of a view or an event as a case writes it."""
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, dict):
        return ", ".join(f"{name} {plain(entry)}" for name, entry in value.items())
    if isinstance(value, list | tuple):
        return ", ".join(plain(entry) for entry in value)
    return str(value)


def few(answers: tuple[str, ...]) -> str:
    """The legal answers, or the first of very many."""
    most = 30
    more = f" | ... ({len(answers)} in all)" if len(answers) > most else ""
    return " | ".join(answers[:most]) + more


def look_up(data: Any, path: str) -> tuple[bool, Any]:
    """Is there something at `areas.Fife.scotland`, and what?"""
    for name in path.split("."):
        if not isinstance(data, dict) or name not in data:
            return False, None
        data = data[name]
    return True, data


def without_stops(options: dict[str, str]) -> dict[str, str]:
    """The options of the game."""
    return {name: value for name, value in options.items() if name != "stops"}


def sides_by_name(named: tuple[str, ...]) -> dict[str, str]:
    """Sides by their names, and by their first letters where these differ."""
    letters = [side[0].upper() for side in named]
    return {side: side for side in named} | {
        letter: side for letter, side in zip(letters, named, strict=True) if letters.count(letter) == 1
    }


class Play:
    """One case being played."""

    def __init__(self, case: Case) -> None:
        self.case = case
        folder = case.path.parent.name
        self.rules = load_rules(folder.replace("_", "-"))
        self.given = import_module(f"tests.cases.{folder}.given")
        try:
            named = self.rules.sides(without_stops(case.options))
        except UnknownOption:  # which is what the case is about
            named = ()
        self.sides = sides_by_name(named)
        self.chance = ScriptedChance()
        self.started: Game | None = None
        self.refused = False  # the position or the options were
        self.answers: list[str] = []
        self.heard: dict[str, int] = {}
        self.followers: dict[str, Follower] = {}
        self.line: Line | None = None
        self.meanings: dict[str, Callable[[str], None]] = {
            "dice": self.dice,
            "draws": self.draws,
            "draw": self.draw,
            "start": self.start,
            "asks": self.asks,
            "not": self.not_asked,
            "public": lambda rest: self.is_public(rest, True),
            "private": lambda rest: self.is_public(rest, False),
            "default": self.default,
            "told": self.told,
            "untold": self.untold,
            "hidden": self.hidden,
            "view": self.view,
            "expect": self.expect,
            "order": self.order,
            "follow": self.follow,
            "fault": self.fault,
            "left": self.left_out,
            "stop": self.stop,
            "go": self.go_on,
        }

    @property
    def game(self) -> Game:
        """The game, started when it is first needed: dice may be foreseen before that."""
        if self.started is None:
            self.started = self.begin()
        return self.started

    def begin(self) -> Game:
        """The game from the case's position and options."""
        options, stops = self.case.options, self.case.options.get("stops") == "yes"
        where = self.given.position(self.case, self.sides)
        return self.rules.start(without_stops(options), self.chance, where, stops)

    def run(self) -> None:
        """Play every line. Raises CaseFailed with an account of what went wrong where."""
        try:
            for line in self.case.script:
                self.line = line
                self.play_line(line)
            self.line = None
            self.nothing_left()
        except CaseFailed as failure:
            raise CaseFailed(self.account(str(failure))) from None
        except CaseFault:
            raise
        except Exception as error:
            raise CaseFailed(self.account(f"{type(error).__name__}: {error}")) from error

    def play_line(self, line: Line) -> None:
        """One line of the script."""
        if line.word in self.meanings:
            self.meanings[line.word](line.rest)
        elif line.word in self.sides:
            self.answer_line(self.sides[line.word], line.rest)
        else:
            raise CaseFault(f"{self.case.path}:{line.number}", f"{line.text!r} means nothing")

    def nothing_left(self) -> None:
        """Every die and draw that the case foresees was needed."""
        if not self.refused:
            _ = self.game
        unused = [f"{scripted.label} = {scripted.value}" for scripted in self.chance.left()]
        if unused:
            raise CaseFailed(f"foreseen, but neither rolled nor drawn: {', '.join(unused)}")

    def account(self, failure: str) -> str:
        """The failure, the line, the answers so far and what is open."""
        line = self.line
        at = f"{self.case.path}:{line.number}" if line else self.case.place
        told = [f"case {self.case.number}  {self.case.title}", f"{at}: {line.text if line else 'at its end'}"]
        told += [
            "",
            failure,
            "",
            "answers so far:",
            *(f"    {answer}" for answer in self.answers or ["none"]),
        ]
        if self.started is not None:
            told.append("open now:")
            told += [f"    {ask.side} {ask.kind}: {few(ask.legal)}" for ask in self.started.asks]
            told.append(f"outcome: {self.started.outcome}")
        return "\n".join(told)

    # -- chance

    def dice(self, rest: str) -> None:
        """`dice 1 6 6`, or `dice LABEL = 3`."""
        label, equals, value = rest.partition(" = ")
        if equals:
            self.chance.dice.append(Scripted(label.strip(), value.strip()))
        else:
            self.chance.dice.extend(Scripted("*", die) for die in rest.split())

    def draws(self, rest: str) -> None:
        """`draws Norse, 3`."""
        self.chance.draws.extend(Scripted("*", name.strip()) for name in rest.split(","))

    def draw(self, rest: str) -> None:
        """`draw LABEL from Keith, Grant = Grant`; the label or the choices may be left out."""
        rest, _, value = rest.rpartition("=")
        label, choice, listed = f" {rest}".partition(" from ")
        choices = tuple(name.strip() for name in listed.split(",")) if choice else None
        self.chance.draws.append(Scripted(label.strip() or "*", value.strip(), choices))

    # -- answers

    def start(self, rest: str) -> None:
        """`start`, or `start ! words` for options or a position that are refused."""
        expected = rest.removeprefix("!").strip()
        try:
            self.started = self.begin()
        except Exception as refusal:
            if not rest or expected.lower() not in str(refusal).lower():
                raise
            self.refused = True
            return
        if rest:
            raise CaseFailed("nothing was refused")

    def answer_line(self, side: str, rest: str) -> None:
        """`S move Wallace to Fife; (done)`, or `S move Wallace to Ross ! 4.3 words`."""
        text, refused, reason = rest.partition(" ! ")
        if refused:
            self.refusal(side, text.strip(), reason.strip())
            return
        for answer in (part.strip() for part in text.split(";")):
            ask = self.ask_of(side)
            if not answer.startswith("("):
                self.answer(side, answer)
            elif ask is not None and answer[1:-1] in ask.legal:
                self.answer(side, answer[1:-1])

    def answer(self, side: str, text: str) -> None:
        """A legal answer; what is accepted must be among the legal answers."""
        for open_ask in self.game.asks:
            if open_ask.default not in open_ask.legal:
                raise CaseFailed(f"{open_ask.default!r}, the default of {open_ask.kind}, is not legal")
        ask = self.ask_of(side)
        if ask is not None and text not in ask.legal:
            raise CaseFailed(f"{side} may not answer {text!r}: {self.reason_against(side, text)}")
        try:
            self.game.answer(side, text)
        except IllegalAnswer as refusal:
            raise CaseFailed(f"{side} may not answer {text!r}: {refusal}") from None
        self.answers.append(f"{side} {text}")

    def reason_against(self, side: str, text: str) -> str:
        """Why the rules refuse an answer that is not in the list of legal ones."""
        try:
            self.game.answer(side, text)
        except IllegalAnswer as refusal:
            return str(refusal)
        return "it is accepted, but not among the legal answers"

    def refusal(self, side: str, text: str, expected: str) -> None:
        """An answer that must be refused, for this section and in these words, and change nothing."""
        section, _, words = expected.partition(" ")
        ask = self.ask_of(side)
        if ask is not None and text in ask.legal:
            raise CaseFailed(f"{text!r} is among the legal answers")
        before = self.everything()
        try:
            self.game.answer(side, text)
        except IllegalAnswer as refusal:
            if refusal.rule.replace(" ", "-") != section or words.lower() not in refusal.reason.lower():
                raise CaseFailed(f"{text!r} was refused otherwise: {refusal}") from None
        else:
            raise CaseFailed(f"{text!r} was accepted")
        if self.everything() != before:
            raise CaseFailed(f"the refused {text!r} changed something")

    def everything(self) -> str:
        """All that an answer could change."""
        asks = [(ask.side, ask.kind, ask.legal) for ask in self.game.asks]
        return json.dumps([self.game.view("gm"), self.game.told("gm"), asks])

    # -- order files

    def order(self, rest: str) -> None:
        """`order S card 3 | move Wallace to Fife`: the lines of an order file, followed as far as they go."""
        letter, _, text = rest.partition(" ")
        side = self.sides[letter]
        language = language_of(self.rules.name)
        parsed = language.parse(text.replace(" | ", "\n"), side)
        faults = [str(fault) for fault in parsed.faults if not fault.remark]
        if faults:
            raise CaseFailed("\n".join(faults))
        follower = self.followers.setdefault(side, language.follower(side))
        follower.receive(parsed.orders, self.game.view(side))
        self.follow(letter)

    def follow(self, rest: str) -> None:
        """`follow S`: the side's orders answer what is asked, until they say nothing more."""
        side = self.sides[rest.strip()]
        while ask := self.ask_of(side):
            reply = self.followers[side].reply(ask, self.game.view(side))
            if not isinstance(reply, Answer):
                return
            self.answer(side, reply.text)

    def fault(self, rest: str) -> None:
        """`fault S move Wallace to Nowhere ! words`: what is told of a wrong line."""
        letter, _, rest = rest.partition(" ")
        text, _, words = rest.partition(" ! ")
        side = self.sides[letter]
        language = language_of(self.rules.name)
        parsed = language.parse(text, side)
        faults = [*parsed.faults, *language.check(parsed.orders, self.game.view(side))]
        if not any(words.lower() in str(fault).lower() for fault in faults):
            raise CaseFailed("\n".join(map(str, faults)) or "no fault was found")

    def left_out(self, rest: str) -> None:
        """`left out S: line 2: 'victory raid' ...`: what is told of lines that could not be carried out."""
        who, _, said = rest.removeprefix("out ").partition(": ")
        dropped = self.followers[self.sides[who]].dropped
        if not any(str(one) == said for one in dropped) or len(dropped) != len(set(dropped)):
            raise CaseFailed("\n".join(map(str, dropped)) or "nothing was left out")

    # -- questions

    def ask_of(self, side: str) -> Ask | None:
        """What is open to a side."""
        return next((ask for ask in self.game.asks if ask.side == side), None)

    def asked(self, rest: str) -> tuple[Ask, str]:
        """The open Ask that a line names by side and kind, and what follows them."""
        words, _, answers = rest.partition(":")
        letter, _, kind = words.strip().partition(" ")
        side = self.sides[letter]
        ask = self.ask_of(side)
        if ask is None or ask.kind != kind:
            raise CaseFailed(f"{side} is asked {ask.kind if ask else 'nothing'}, not {kind}")
        return ask, answers.strip()

    def asks(self, rest: str) -> None:
        """`asks E combat: fire Mentieth | pass Mentieth`; `| ...` for more; without a list any answers."""
        ask, answers = self.asked(rest)
        listed = [answer.strip() for answer in answers.split("|") if answer.strip()]
        if not listed:
            return
        if listed[-1] == "...":
            missing = [answer for answer in listed[:-1] if answer not in ask.legal]
            if missing:
                raise CaseFailed(f"not among the legal answers: {' | '.join(missing)}")
        elif sorted(listed) != list(ask.legal):
            missing = sorted(set(listed) - set(ask.legal))
            more = sorted(set(ask.legal) - set(listed))
            raise CaseFailed(f"not legal: {' | '.join(missing)}\nlegal too: {' | '.join(more)}")

    def not_asked(self, rest: str) -> None:
        """`not asked S king`, `not asked S`, or `not legal S move Wallace to Fife`."""
        what, _, rest = rest.partition(" ")
        letter, _, rest = rest.partition(" ")
        ask = self.ask_of(self.sides[letter])
        if what == "legal":
            if ask is not None and rest in ask.legal:
                raise CaseFailed(f"{rest!r} is legal")
        elif ask is not None and rest in ("", ask.kind):
            raise CaseFailed(f"{ask.side} is asked {ask.kind}")

    def is_public(self, rest: str, expected: bool) -> None:
        """`public E move`, `private S king`: whether the other side can tell that this is asked."""
        ask, _ = self.asked(rest)
        if ask.public != expected:
            raise CaseFailed(f"{ask.side} {ask.kind} is {'public' if ask.public else 'private'}")

    def default(self, rest: str) -> None:
        """`default S fire Wallace`: the answer of a silent player."""
        letter, _, answer = rest.partition(" ")
        ask = self.ask_of(self.sides[letter])
        if ask is None or ask.default != answer:
            raise CaseFailed(f"the default is {ask.default!r}" if ask else "nothing is asked")

    # -- what is told and shown

    def event(self, rest: str) -> tuple[str, str, list[tuple[str, str | None]]]:
        """Audience, event and fields of `england revealed: area = Fife; blocks absent`."""
        head, _, tail = rest.partition(":")
        audience, _, name = head.strip().partition(" ")
        fields: list[tuple[str, str | None]] = []
        for part in filter(None, (part.strip() for part in tail.split(";"))):
            path, equals, value = part.partition("=")
            if not equals and not part.endswith(" absent"):
                raise CaseFault(self.case.place, f"{part!r} is neither 'field = value' nor 'field absent'")
            fields.append((path.removesuffix(" absent").strip(), value.strip() if equals else None))
        return self.sides.get(audience, audience), name.strip(), fields

    @staticmethod
    def matches(event: dict[str, Any], name: str, fields: list[tuple[str, str | None]]) -> bool:
        """Is this the event?"""
        if event["event"] != name:
            return False
        for path, expected in fields:
            there, value = look_up(event, path)
            if there != (expected is not None) or (there and plain(value) != expected):
                return False
        return True

    def told(self, rest: str) -> None:
        """`told england to pool: area = Fife`: an event after the one that the last such line found."""
        audience, name, fields = self.event(rest)
        events = self.game.told(audience)
        since = self.heard.get(audience, 0)
        for place, event in enumerate(events[since:], since):
            if self.matches(event, name, fields):
                self.heard[audience] = place + 1
                return
        heard = "\n".join(f"    {json.dumps(event)}" for event in events[since:])
        raise CaseFailed(f"{audience} was not told that; but:\n{heard or '    nothing'}")

    def untold(self, rest: str) -> None:
        """`untold england raid: block = Edward`: no such event in the whole case so far."""
        audience, name, fields = self.event(rest)
        for event in self.game.told(audience):
            if self.matches(event, name, fields):
                raise CaseFailed(f"{audience} was told {json.dumps(event)}")

    def hidden(self, rest: str) -> None:
        """`hidden from england: Wallace, Keith`: these words stand in nothing that was told or is shown."""
        audience, _, words = rest.removeprefix("from ").partition(":")
        audience = self.sides.get(audience.strip(), audience.strip())
        shown = json.dumps([self.game.told(audience), self.game.view(audience)])
        for word in words.split(","):
            if f'"{word.strip()}"' in shown:
                raise CaseFailed(f"{audience} can read {word.strip()}")

    def view(self, rest: str) -> None:
        """`view england areas.Fife.scotland = 2`, `view england blocks.Wallace absent`."""
        viewer, _, rest = rest.partition(" ")
        path, equals, expected = rest.partition("=")
        viewer = self.sides.get(viewer, viewer)
        there, value = look_up(self.game.view(viewer), path.removesuffix(" absent").strip())
        if there != bool(equals):
            raise CaseFailed(f"{viewer} sees {plain(value)}" if there else f"{viewer} sees nothing there")
        if there and plain(value) != expected.strip():
            raise CaseFailed(f"{viewer} sees {plain(value)}")

    # -- where everything stands

    def expect(self, rest: str) -> None:
        """`expect Fife: S Wallace 3; E York Infantry; pool: S Keith`, or `expect outcome scotland words`."""
        if rest.startswith("outcome"):
            self.expect_outcome(rest.removeprefix("outcome").strip())
            return
        place, text = "", ""
        for part in (part.strip() for part in rest.split(";")):
            head, colon, tail = part.partition(":")
            if colon:
                self.expect_place(place, text)
                place, text = head.strip(), tail.strip()
            else:
                text = f"{text};{part}"
        self.expect_place(place, text)

    def expect_place(self, place: str, text: str) -> None:
        """What lies there, as the game's cases write it."""
        if not place:
            return
        if wrong := self.given.wrong(self.case, self.game.view("gm"), place, text, self.sides):
            raise CaseFailed(wrong)

    def expect_outcome(self, expected: str) -> None:
        """`outcome scotland words of the reason`, `outcome none` while the game goes on."""
        winner, _, words = expected.partition(" ")
        outcome = self.game.outcome
        found = (outcome.winner or "draw") if outcome else "none"
        if found != winner or (outcome and words.lower() not in outcome.reason.lower()):
            raise CaseFailed(f"outcome: {outcome}")

    # -- public stops

    def stop(self, rest: str) -> None:
        """`stop winter`: the game halts at this public stop (option `stops yes`); `stop none`."""
        if (self.game.at_stop or "none") != rest:
            raise CaseFailed(f"the game stands at the stop {self.game.at_stop}")

    def go_on(self, rest: str) -> None:
        """`go on`: leave a public stop."""
        self.game.go_on()


def play(case: Case) -> None:
    """Play one case.

    Raises:
        CaseFailed: the rules do something else.
        CaseFault: the case cannot be read.
    """
    Play(case).run()
