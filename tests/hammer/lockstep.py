"""Two worlds that a viewer cannot tell apart, played on side by side.

Both are answered so that the viewer has nothing to tell them apart by: his own side gives the same answers
in both, the hidden side corresponding ones (the block that stands for another does what that one does).
Whenever a judge could stop, everything the viewer may know must be the same, byte for byte: his view, the
public's, what was told, his own Asks with their answers and defaults, and which public Asks the enemy has.

The worlds part, and the comparison ends, when the rules themselves show the difference: a block is turned
up, a noble goes home, blocks of one kind must disband. parting.py lists these excuses; there are no others.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from pbem.rules.base import Ask, Event, IllegalAnswer, View
from pbem.rules.hammer.facts import AREAS, BLOCKS
from pbem.titles.hammer.testing import Twin, hidden_sides, unlike
from tests.hammer.near_misses import near_misses, plausible
from tests.hammer.parting import (
    INLAND_DRAW,
    PLACES,
    excuse,
    landed_elsewhere,
    partings,
    raided_unlike,
    shown_blocks,
)
from tests.hammer.play import Play
from tests.properties.random_play import LabelledChance, Options, canonical
from tests.properties.world import Leak

Answer = tuple[str, str]

BLOCK_VERBS = frozenset("move sail build hit pass fire retreat regroup disband home winter".split())
"""The answers whose second part is a block of the answering side."""

MAX_ANSWERS = 80  # compared before the next pair of worlds has its turn


class Parted(Exception):
    """The worlds have parted as the rules allow."""


class MirrorChance(LabelledChance):
    """The same dice as the first world's; of its draws, the cards and blocks that stand for those."""

    def __init__(self, first: LabelledChance, names: dict[str, str]) -> None:
        super().__init__(first.seed)
        self.first = first
        self.names = names

    def draw(self, label: str, choices: tuple[str, ...]) -> str:
        drawn = str(self.first.results.get(label, ""))
        image = self.names.get(drawn, drawn)
        if image not in choices:
            return super().draw(label, choices)
        self.number(label)
        self.results[label] = image
        return image


@dataclass(slots=True)
class Tally:
    """How far the comparisons came, so that an empty test is noticed."""

    pairs: int = 0
    answers: int = 0
    comparisons: int = 0
    kinds: Counter[str] = field(default_factory=Counter)  # Asks answered
    ended: Counter[str] = field(default_factory=Counter)  # why each comparison ended


class Lockstep:
    """One pair of worlds."""

    def __init__(self, options: Options, position: View, twin: Twin, seed: int, tally: Tally) -> None:
        self.viewer = twin.viewer
        self.hidden = hidden_sides(twin.viewer)
        self.names = dict(twin.names)
        self.alike = twin.alike
        self.touched = set(twin.names)  # blocks about which the worlds differ, or once did
        self.tally = tally
        self.random = random.Random(f"lockstep {seed}")
        self.first = Play(options, seed, position=position, stops=True)
        self.second = Play(
            options,
            seed,
            position=twin.position,
            stops=True,
            chance=MirrorChance(self.first.chance, self.names),
        )
        self.heard = 0
        self.partings = partings(position["options"])
        self.planned: list[tuple[str, str]] = []  # answers of the two worlds that belong together

    def run(self) -> None:
        """Play both worlds on until they part, or long enough. Raises Leak."""
        self.tally.pairs += 1
        reason = "long enough"
        try:
            for _ in range(MAX_ANSWERS):
                self.settle()
                self.compare()
                if self.first.game.outcome:
                    reason = "the game is over"
                    break
                self.go_on()
        except Parted as parted:
            reason = str(parted)
        self.tally.ended[reason] += 1

    # -- the hidden side's private questions, at which no judge stops

    def settle(self) -> None:
        """Answer private Asks in both worlds until neither is open."""
        while True:
            one, other = private_ask(self.first, self.hidden), private_ask(self.second, self.hidden)
            if one is None and other is None:
                return
            self.tally.kinds["private " + (one or other).kind] += 1  # type: ignore[union-attr]
            if one and other and (one.side, one.kind) == (other.side, other.kind):
                pair = self.corresponding(one, other)
                if pair is not None:
                    self.first.answer(one.side, pair[0])
                    self.second.answer(other.side, pair[1])
                    continue
            if self.alike:
                raise Leak(
                    f"blocks alike, yet one world asks {describe(one)} and the other {describe(other)}"
                )
            for play, ask in ((self.first, one), (self.second, other)):
                if ask is not None:
                    play.answer(ask.side, idle(play, ask))

    def corresponding(self, one: Ask, other: Ask) -> Answer | None:
        """An answer for each world of which the viewer cannot tell which it was."""
        if self.planned:
            pair = self.planned.pop()
            if pair[0] in one.legal and pair[1] in other.legal:
                return pair
        if self.alike:
            expected = tuple(sorted(self.image(text) for text in one.legal))
            if expected != other.legal:
                odd = sorted(set(expected) ^ set(other.legal))
                raise Leak(f"blocks alike, yet only one world offers {odd} when asked: {one.kind}")
        texts = list(one.legal)
        self.random.shuffle(texts)
        if self.random.random() < 0.3:
            texts = [one.default, *texts]
        for text in texts:
            if self.image(text) in other.legal and self.same_place(text):
                return self.sibling(one, other, text) or (text, self.image(text))
        return None

    def image(self, text: str) -> str:
        """The answer that the stand-in gives."""
        verb, _, rest = text.partition(" ")
        name, to, place = rest.partition(" to ")
        return f"{verb} {self.names[name]}{to}{place}" if verb in BLOCK_VERBS and name in self.names else text

    def same_place(self, text: str) -> bool:
        """Does the stand-in stand where the block does? A draw may have put another there."""
        name = text.partition(" ")[2].partition(" to ")[0]
        if text.partition(" ")[0] not in BLOCK_VERBS or name not in BLOCKS:
            return True
        one, other = (play.game.position.blocks for play in (self.first, self.second))
        return one[name].area == other[self.names.get(name, name)].area

    def sibling(self, one: Ask, other: Ask, text: str) -> Answer | None:
        """Now and then a comrade in the same place does it, and stands for the block from now on.

        Of a joint retreat (R79) the comrades' places are exchanged instead: who left is told, who went
        where is not.
        """
        if self.random.random() > 0.4:
            return None
        verb, _, rest = text.partition(" ")
        name, to, place = rest.partition(" to ")
        blocks = self.second.game.view("gm")["blocks"]
        if verb not in BLOCK_VERBS or name not in BLOCKS:
            return None
        stands_for = self.names.get(name, name)
        fighting = face_up(self.second)
        comrades = [
            comrade
            for comrade, row in blocks.items()
            if comrade != stands_for
            and row["area"] == blocks[stands_for]["area"]
            and row["side"] == blocks[stands_for]["side"]
        ]
        self.random.shuffle(comrades)
        if one.kind == "combat" and verb == "retreat":
            return self.exchange_of_places(one, other, name, place, comrades)
        if one.kind in ("combat", "hit", "home", "edward") or fighting & {stands_for, *comrades}:
            return None
        for comrade in comrades:
            answer = f"{verb} {comrade}{to}{place}"
            if answer in other.legal:
                self.exchange(name, comrade)
                return text, answer
        return None

    def exchange(self, name: str, stand_in: str) -> None:
        """From now on `stand_in` of the second world stands for `name` of the first, and back."""
        before = self.names.get(name, name)
        replaced = next((one for one, image in self.names.items() if image == stand_in), stand_in)
        self.names[name], self.names[replaced] = stand_in, before
        self.touched |= {name, replaced, stand_in, before}
        self.alike = False

    def exchange_of_places(
        self, one: Ask, other: Ask, name: str, place: str, comrades: list[str]
    ) -> Answer | None:
        """R79: A goes to X and B to Y in one world, A to Y and B to X in the other."""
        if name in self.touched:
            return None
        for comrade in comrades:
            if comrade in self.touched:
                continue
            for elsewhere in AREAS:
                here = [f"retreat {name} to {place}", f"retreat {comrade} to {elsewhere}"]
                there = [f"retreat {name} to {elsewhere}", f"retreat {comrade} to {place}"]
                both_legal = {*here, *there} <= set(one.legal) and {*here, *there} <= set(other.legal)
                if elsewhere != place and both_legal:
                    self.planned.append((here[1], there[1]))
                    self.exchange(name, comrade)
                    self.tally.kinds["exchange of retreats"] += 1
                    return here[0], there[0]
        return None

    # -- where a judge may stop

    def go_on(self) -> None:
        """One answer in both worlds, or past a structural stop."""
        if self.first.game.at_stop == "cards":
            self.play_cards()
            return
        if self.first.game.at_stop:
            self.first.game.go_on()
            self.second.game.go_on()
            return
        asks = self.first.game.asks
        ask = self.random.choice(asks)
        self.tally.answers += 1
        self.tally.kinds[ask.kind] += 1
        if ask.side == self.viewer:
            self.check_refusals(ask)
            text = ask.default if self.random.random() < 0.2 else self.random.choice(ask.legal)
            self.first.answer(ask.side, text)
            self.second.answer(ask.side, text)
        else:
            other = next(found for found in self.second.game.asks if found.side == ask.side)
            pair = self.corresponding(ask, other)
            if pair is None:
                raise Parted("no answer that both worlds have")
            self.first.answer(ask.side, pair[0])
            self.second.answer(other.side, pair[1])

    def play_cards(self) -> None:
        """3.1: the same cards in both worlds, one side after the other; nothing shows before both are in.

        A hand of equal cards is not asked for one, so the stop before this is where a judge waits.
        """
        plays = self.first, self.second
        hands = [play.game.view("gm")["hands"] for play in plays]
        sides = list(hands[0])
        self.random.shuffle(sides)
        common = {side: sorted(set(hands[0][side]) & set(hands[1][side])) for side in sides}
        if not all(common.values()):
            raise Parted("no card that both hands hold")
        for play in plays:
            play.game.go_on()
        for side in sides:
            if all(any(ask.kind == "card" for ask in play.game.asks) for play in plays):
                self.compare()
            text = f"card {self.random.choice(common[side])}"
            for play in plays:
                if any(ask.side == side and ask.kind == "card" for ask in play.game.asks):
                    play.answer(side, text)

    def check_refusals(self, ask: Ask) -> None:
        """Whatever a viewer tries, he is told the same in both worlds."""
        if self.random.random() > 0.05:
            return
        for text in (*near_misses(ask, self.random, 2), *plausible(ask, self.random, 3)):
            one, other = (refusal(play, ask.side, text) for play in (self.first, self.second))
            if one != other:
                raise Leak(f"{text!r} is answered with {one} in one world and {other} in the other")

    # -- what must be the same

    def compare(self) -> None:
        """All that the viewer may know now. Raises Parted where the rules show the difference."""
        self.tally.comparisons += 1
        games = self.first.game, self.second.game
        self.touched |= unlike(*(game.view("gm") for game in games))
        one_is_over = (games[0].outcome is None) != (games[1].outcome is None)
        if one_is_over and self.touched & {"Moray", "Wallace"}:
            raise Parted("9.0: Moray or Wallace decides")
        self.compare_told()
        if one_is_over:
            raise Leak(f"the outcome is {games[0].outcome} in one world, {games[1].outcome} in the other")
        if games[0].outcome:
            return
        for viewer in dict.fromkeys((self.viewer, "public")):
            one, other = (game.view(viewer) for game in games)
            if canonical(one) != canonical(other):
                raise Leak(f"the view of {viewer} differs: {difference(one, other)}")
        if games[0].at_stop != games[1].at_stop:
            raise Leak(f"one game halts at {games[0].at_stop}, the other at {games[1].at_stop}")
        asked = [list(shown_asks(play, self.viewer)) for play in (self.first, self.second)]
        if asked[0] != asked[1]:
            raise Leak(f"asked in one world: {asked[0]}; in the other: {asked[1]}")

    def compare_told(self) -> None:
        """What the viewer and the public have heard since the last time."""
        mine = [play.game.told(self.viewer)[self.heard :] for play in (self.first, self.second)]
        public = [play.game.told("public")[self.heard :] for play in (self.first, self.second)]
        judge = [play.game.told("gm")[self.heard :] for play in (self.first, self.second)]
        for number in range(max(map(len, mine))):
            one, other = (event_at(events, number) for events in mine)
            open_one, open_other = (event_at(events, number) for events in public)
            shown = (shown_blocks(one) | shown_blocks(other)) & self.touched
            if canonical([one, open_one]) != canonical([other, open_other]):
                if shown:
                    raise Parted(f"shown by {one['event']}")
                if not self.alike and (why := excuse(self.partings, one, other)):
                    raise Parted(why)
                raise Leak(f"told {one} / {open_one} in one world, {other} / {open_other} in the other")
            if shown and one["event"] in PLACES:
                raise Parted(f"shown by {one['event']}")
            if landed_elsewhere(*(event_at(events, number) for events in judge)):
                raise Parted(INLAND_DRAW)
            if raided_unlike(*(event_at(events, number) for events in judge)):
                self.alike = False
        self.heard += len(mine[0])


# -- helpers


def private_ask(play: Play, hidden: tuple[str, ...]) -> Ask | None:
    """An open Ask of a hidden side that nobody else knows of, when nothing else is open."""
    asks = play.game.asks
    private = [ask for ask in asks if ask.side in hidden and not ask.public and ask.kind != "card"]
    return private[0] if len(private) == len(asks) == 1 else None


def shown_asks(play: Play, viewer: str) -> Iterator[Any]:
    """The open Asks as far as the viewer knows. Cards are asked of both, whatever the hands are."""
    for ask in play.game.asks:
        if ask.side == viewer:
            yield ask.side, ask.kind, ask.rule, ask.public, ask.default, ask.legal
        elif ask.public and ask.kind != "card":
            yield ask.side, ask.kind, ask.rule


def idle(play: Play, ask: Ask) -> str:
    """The answer by which nothing happens, if there is one."""
    if ask.kind == "home":
        words = ask.legal[0].removeprefix("home ").partition(" to ")
        stay = f"home {words[0]} to {play.game.view('gm')['blocks'][words[0]]['area']}"
        if stay in ask.legal:
            return stay
    for text in ("done", "event", "disband Edward"):
        if text in ask.legal and ask.kind != "disband":
            return text
    if ask.kind == "combat":
        return next(text for text in ask.legal if text.startswith("pass "))
    raise Parted(f"only one world asks: {ask.kind}")


def describe(ask: Ask | None) -> str:
    """An Ask in a message."""
    return f"{ask.kind} {ask.legal}" if ask else "nothing"


def refusal(play: Play, side: str, text: str) -> tuple[Any, ...]:
    """How an answer is taken, without giving it."""
    ask = next(ask for ask in play.game.asks if ask.side == side)
    try:
        ask.read(text)
    except IllegalAnswer as refused:
        return refused.rule, refused.reason, refused.suggestions
    return ("accepted",)


def event_at(events: list[Event], number: int) -> Event:
    """The event of this number, or an empty one."""
    return events[number] if number < len(events) else {"event": "nothing"}


def face_up(play: Play) -> set[str]:
    """The blocks that are turned up now."""
    fight = play.game.position.battle
    return {block.name for block in fight.fighting} if fight and fight.round and not fight.upright else set()


def difference(one: Any, other: Any, path: str = "") -> str:
    """Where two views first differ."""
    if isinstance(one, dict) and isinstance(other, dict):
        if list(one) != list(other):
            return f"{path}: {list(one)} / {list(other)}"
        key = next(key for key in one if one[key] != other[key])
        return difference(one[key], other[key], f"{path}.{key}")
    return f"{path}: {one!r} / {other!r}"


# -- keeping and replaying a pair


def record_of(options: Options, position: View, twin: Twin, seed: int) -> dict[str, Any]:
    """Everything needed to run the same pair again."""
    return {
        "again": f"{__name__}:{replay_worlds.__name__}",
        "options": options,
        "seed": seed,
        "position": position,
        "viewer": twin.viewer,
        "twin": twin.position,
        "names": twin.names,
        "alike": twin.alike,
    }


def replay_worlds(record: dict[str, Any]) -> None:
    """Run a kept pair again."""
    twin = Twin(record["viewer"], record["twin"], record["names"], record["alike"])
    Lockstep(record["options"], record["position"], twin, record["seed"], Tally()).run()
