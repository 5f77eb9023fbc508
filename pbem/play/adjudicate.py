"""The adjudication of an exchange from its close to its reports, which the audit repeats.

Everything here is a function of the ledger, the opened order files and the judge's two reveals. The
judge appends the entries; the audit compares them, byte for byte.

A ledger's exchanges are played in turn, each from where the one before it in its own history ended.
A roll-back makes exchanges void, and the game goes on from an earlier one; a correction may change a house
rule as well. What was resolved before was reported all the same, so whoever writes those reports again must
be able to play it.

Between two exchanges a game is saved as bytes and loaded, so that a judge need not play it again.
No die is in it: what fell since the last public stop stands in the ledger. Nobody takes such bytes for the
truth; they are made anew from the ledger at any time, and nothing that is audited rests on them.
"""

from __future__ import annotations

import hashlib
import json
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime

from pbem.characters import is_decimal, lower, split_words
from pbem.errors import ConfigError
from pbem.play.history import Bases, Exchange, History, bases_of
from pbem.play.resolve import Play, Resolution, Watch
from pbem.play.setting import Setting, make_setting
from pbem.reports.base import Context, Dice, Roll
from pbem.rules import Outcome, house_rules
from pbem.rules.base import UnknownOption
from pbem.trust import chance
from pbem.trust.act_entries import CLAIM, CONCEDE, Act
from pbem.trust.chance import Reveal
from pbem.trust.entries import GAME_OPTION, Drawn, Entry, Genesis, Other, Reported, Resolve
from pbem.trust.faults import LedgerFault
from pbem.trust.identifiers import as_token, split_who
from pbem.trust.orderfile import OrderFile
from pbem.trust.times import utc_text

OPTIONS = "options"
"""The key under which a view says which house rules there are."""


@dataclass(frozen=True, slots=True)
class Report:
    """The report that one audience gets on an exchange."""

    audience: str
    text: str

    @property
    def sha256(self) -> str:
        """The hash by which the ledger names the report."""
        return hashlib.sha256(self.text.encode()).hexdigest()


@dataclass(frozen=True, slots=True, kw_only=True)
class Adjudication:
    """A resolved exchange: the entries from `resolve` on, and the reports to which the last ones commit."""

    resolution: Resolution
    mix: chance.Mix
    secret_mix: chance.Mix
    resolve: Resolve
    drawn: tuple[Drawn, ...]
    left: tuple[str, ...] = ()
    """The players who play no more when the exchange is over."""
    vanished: tuple[str, ...] = ()
    """The players who are not waited for in the next exchange."""
    correction: Act | None = None
    """The correction for which the exchange was played again; None if it was not."""
    silent: tuple[tuple[str, int], ...] = ()
    """The sides whose player has sent nothing, each with the number of exchanges in a row without a file."""

    @property
    def outcome(self) -> tuple[object, ...]:
        """The results of the exchange, except for the house rules that every view shows."""
        seen = self.resolution.seen["gm"]
        view = {name: value for name, value in seen.after.items() if name != OPTIONS}
        resolution = self.resolution
        ended = (resolution.answers, resolution.dropped, resolution.stop, resolution.outcome)
        return (self.resolve, self.drawn, *ended, seen.told, view)

    @property
    def decided(self) -> tuple[Entry, ...]:
        """The entries from which the reports are written: the resolve entry, and the draws."""
        return (self.resolve, *self.drawn)


def setting_of(genesis: Genesis) -> Setting:
    """Return the setting of a game, as its genesis fixes it."""
    options = dict(genesis.options)
    name = options.pop(GAME_OPTION, "")
    seats = {player.side: player.name for player in genesis.players}
    return make_setting(
        genesis.game, name, {key: option_value(value) for key, value in options.items()}, seats
    )


def option_value(text: str) -> object:
    """Return the value of an option from its text in the ledger: true, false, a year or a word."""
    words: dict[str, object] = {"true": True, "false": False}
    return words.get(text, int(text) if is_decimal(text) and len(text) == 4 else text)


def option_text(value: object) -> str:
    """Return the text of an option's value as the ledger writes it."""
    if isinstance(value, bool):
        return lower(str(value))
    return str(value)


def genesis_options(name: str, checked: Mapping[str, object]) -> tuple[tuple[str, str], ...]:
    """Return the options of a game's genesis: which game it is, then the options that its rules checked."""
    own = ((key, option_text(value)) for key, value in checked.items() if value is not None)
    return ((GAME_OPTION, name), *own)


def house_rule(setting: Setting, name: str, value: str) -> str:
    """Return the value that a person typed for a house rule, in the form in which the ledger writes it.

    Raises:
        ConfigError: there is no such rule, or it has no such value.
    """
    known = house_rules(setting.title.rulings)
    if name not in known:
        raise ConfigError(f"no house rule called {name!r}; there are {', '.join(known)}")
    try:
        return option_text(setting.rules.checked({**setting.options, name: option_value(value)})[name])
    except UnknownOption as fault:
        raise ConfigError(str(fault)) from None


class Adjudicator:
    """An adjudicator that plays a game's exchanges, one after the other, as the ledger brings them."""

    def __init__(
        self,
        genesis: Genesis,
        dice: chance.Dice | None = None,
        watch: Watch | None = None,
        *,
        saves: bool = False,
    ) -> None:
        self.genesis = genesis
        self.setting = setting_of(genesis)
        self.dice = dice or chance.Dice()
        self.play = Play(self.setting, self.dice, watch, saves=saves)

    def resolve(
        self,
        history: History,
        exchange: Exchange,
        files: Mapping[str, OrderFile],
        reveals: Mapping[str, Reveal],
        judge: Reveal,
        secret: Reveal,
        *,
        is_shown: bool = True,
    ) -> Adjudication:
        """Resolve a closed exchange and return its adjudication; see `Play.resolve` for `is_shown`.

        `files`: player -> the order file that counts. `reveals`: player -> their reveal of this step, proven.
        `judge`, `secret`: this step of the judge's open and secret chain. They are those of the exchange
        that is played again, if one is.
        """
        game, number = self.genesis.game, history.source(exchange).number
        asked = history.source(exchange).seals
        again = bool(exchange.opened.again)
        chains = [(who, reveals.get(name)) for name, who in history.seats.lines_in(number).items()]
        mix = chance.build_mix(game, number, gm=judge, players=chains)
        secret_mix = chance.build_mix(game, number, gm=secret, players=chains)
        rolled, drawn = len(self.dice.rolled), len(self.dice.drawn)
        self.dice.begin(number, mix.key, secret_mix.key)
        texts = {
            side: files[player].body if player in files else None
            for side, player in self.setting.seats.items()
        }
        absent = [name for name in history.seats.lines_in(number) if name not in reveals]
        gone = [side for side, player in self.setting.seats.items() if asked and player not in asked]
        is_last = exchange.number == self.genesis.exchanges
        resolution = self.play.resolve(
            exchange.number, texts, number, gone, is_last=is_last, is_shown=is_shown
        )
        self.dice.end()
        draws = self.dice.drawn[drawn:]
        owner = self.setting.rules.draw_owner
        return Adjudication(
            resolution=resolution,
            mix=mix,
            secret_mix=secret_mix,
            left=tuple(exchange.left),
            vanished=tuple(history.vanished(exchange.number + 1, exchange.number)),
            correction=history.reason(exchange) if again else None,
            silent=tuple(
                (side, history.silent_in_a_row(player, number))
                for side, player in self.setting.seats.items()
                if player in asked and player in absent and player not in files
            ),
            resolve=Resolve(
                exchange=exchange.number,
                reveals=() if again else (judge, *(reveal for _, reveal in chains if reveal is not None)),
                absent=() if again else tuple(who for who, reveal in chains if reveal is None),
                mix=mix.name,
                dice=tuple(self.dice.rolled[rolled:]),
            ),
            drawn=tuple(
                Drawn(
                    exchange=exchange.number,
                    owner=owner(draw.label),
                    label=draw.label,
                    result=as_token(draw.result),
                )
                for draw in draws
            ),
        )

    def reports(
        self,
        adjudication: Adjudication,
        size: int,
        head: str,
        deadline: datetime | None,
        opens: int | None = None,
    ) -> tuple[Report, ...]:
        """Return every audience's report: one for each side and one for the public.

        `size`, `head`: the ledger after the entries of `adjudication.decided`; `deadline`: of the next
        exchange, which after a roll-back has the number `opens`.
        """
        resolution = adjudication.resolution
        return tuple(
            Report(audience, self._report(adjudication, audience, size, head, deadline, opens))
            for audience in (*self.setting.sides, "public")
            if audience in resolution.seen
        )

    def leave(self, exchange: Exchange, act: Act) -> Outcome | None:
        """Return the outcome that the rules give when a player leaves in an exchange.

        This game stands as it was when the exchange was opened. The result is None if the others play on.
        """
        side_of = self.setting.side_of
        gone = exchange.left[: exchange.left.index(act.of)] if act.of in exchange.left else exchange.left
        left = [side for side, name in self.setting.seats.items() if name not in (*gone, act.of)]
        if len(left) == 1:
            return Outcome(left[0], "")
        position = self.play.game.view("gm") if self.play.begun else None
        return self.setting.rules.leave(position, side_of(act.of), tuple(map(side_of, gone)))

    def _report(
        self,
        adjudication: Adjudication,
        audience: str,
        size: int,
        head: str,
        deadline: datetime | None,
        opens: int | None,
    ) -> str:
        resolution = adjudication.resolution
        opens = opens or resolution.exchange + 1
        setting, seen = self.setting, resolution.seen[audience]
        is_side = audience in setting.sides and setting.seats.get(audience) not in adjudication.left
        asks = self.play.asks(audience) if is_side else ()
        over = resolution.outcome is not None
        contributed = {split_who(who)[0] for who, value in adjudication.mix.players if value is not None}
        correction = adjudication.correction
        players = [player.name for player in self.genesis.players]
        context = Context(
            game=setting.game,
            title=setting.rules.title,
            player=setting.seats.get(audience, ""),
            seats=setting.seats,
            resolved=resolution.exchange,
            again=correction.of if correction else "",
            reason=correction.reason if correction else "",
            open=0 if over else opens,
            deadline=utc_text(deadline) if deadline and not over else "",
            waiting=() if over else tuple(sorted({*players} - {*adjudication.left, *adjudication.vanished})),
            stop="" if over or resolution.stop == "asked" else resolution.stop,
            form=self._form(audience, opens) if is_side and not over else "",
            remembered=() if over else seen.remembered,
            on_file=() if over or not is_side else self.play.on_file(audience),
            answered=() if over or not is_side else self.play.answers_now(audience),
            silent=adjudication.silent,
            dropped=resolution.dropped.get(audience, ()),
            instead=resolution.instead(audience),
            dice=Dice(
                exchange=adjudication.mix.exchange,
                key=adjudication.mix.name,
                rolls=tuple(Roll(die.label, die.sides, die.value) for die in adjudication.resolve.dice),
                contributors=tuple(name for name in players if name in contributed),
                silent=tuple(name for name in players if name not in contributed),
            ),
            ledger_size=size,
            ledger_head=head,
        )
        before = seen.before if seen.before is not None else seen.after
        return setting.style.report(audience, before, seen.after, seen.told, asks, context)

    def _form(self, side: str, opens: int) -> str:
        """Return a side's order form with the lines above it that make the whole report an order file."""
        head = f"pbem1 orders\ngame {self.setting.game}\nexchange {opens}\nside {side}\n---\n"
        return head + self.play.form(side)


def reported(exchange: int, reports: tuple[Report, ...]) -> tuple[Reported, ...]:
    """Return the entries that commit to all reports on an exchange (protocol 9)."""
    return tuple(
        Reported(exchange=exchange, audience=report.audience, sha256=report.sha256) for report in reports
    )


def over_entry(resolution: Resolution) -> Other:
    """Return the last entry of a game: who has won, the places if the rules rank all, and why."""
    outcome = resolution.outcome
    if outcome is None:
        raise LedgerFault("the game is not over")
    return _over(resolution.exchange, outcome, outcome.reason)


def act_over_entry(act: Act, outcome: Outcome | None) -> Other:
    """Return the last entry of a game that an act has ended: a concession, a claim, or an agreed draw."""
    why = {CONCEDE: f"{act.of} concedes", CLAIM: f"{act.of} sends nothing"}.get(act.what)
    if outcome is None or why is None:
        return _over(act.exchange, Outcome(None, ""), "the players have agreed on a draw")
    return _over(act.exchange, outcome, why)


def _over(exchange: int, outcome: Outcome, reason: str) -> Other:
    winners = outcome.winners
    won = f"winner{'s' if len(winners) > 1 else ''} {' '.join(winners)}" if winners else "draw"
    places = (f"places {', '.join(' '.join(place) for place in outcome.places)}",) if outcome.places else ()
    return Other(first=f"over {exchange}", extra=(won, *places, f"reason {reason}"))


Adjudicate = Callable[[Adjudicator, Exchange], Adjudication]


def timeline(
    history: History, adjudicate: Adjudicate, wanted: Callable[[Exchange], bool] = lambda _: True
) -> Iterator[tuple[Exchange, Adjudicator, Adjudication]]:
    """Yield every wanted resolved exchange, also a void one, with its adjudicator and its adjudication."""
    adjudicator = Adjudicator(history.genesis)
    last: Exchange | None = None
    bases = bases_of(history)
    for exchange in history.exchanges:
        if exchange.resolved is None or not wanted(exchange):
            continue
        if bases[exchange.number] is not last or adjudicator.genesis != exchange.genesis:
            adjudicator = Adjudicator(exchange.genesis)
            for past in _standing_before(bases, exchange):
                adjudicate(adjudicator, past)
        yield exchange, adjudicator, adjudicate(adjudicator, exchange)
        last = exchange


def _standing_before(bases: Bases, exchange: Exchange) -> list[Exchange]:
    """Return the resolved exchanges that stood when an exchange was opened, in their order."""
    before: list[Exchange] = []
    base = bases[exchange.number]
    while base is not None:
        before.append(base)
        base = bases[base.number]
    return before[::-1]


def following(history: History, exchange: Exchange) -> Exchange | None:
    """Return the exchange that was opened after the given one was resolved; None if there is none."""
    later = history.exchanges[exchange.number : exchange.number + 1]
    return later[0] if later else None


class Fallen(chance.Dice):
    """The dice and draws of a loaded game: between exchanges each falls as the ledger says that it fell.

    All labels of the ledger are used already.
    """

    __slots__ = ("_fell",)

    def __init__(self, history: History) -> None:
        super().__init__()
        self._fell: dict[str, int | str] = {}
        for exchange in history.resolved:
            assert exchange.resolved is not None
            number = history.source(exchange).number
            self._fell |= {die.label: die.value for die in exchange.resolved.dice}
            self._fell |= {drawn.label: drawn.result for drawn in exchange.drawn}
            self._labels |= {die.label: number for die in exchange.resolved.dice}
            self._labels |= {drawn.label: number for drawn in exchange.drawn}

    def roll(self, label: str, sides: int = 6) -> int:
        """Return an open die: between exchanges its value in the ledger, in an exchange a new one."""
        return int(self._fell[label]) if self._open is None else super().roll(label, sides)

    def draw(self, label: str, choices: tuple[str, ...]) -> str:
        """Return one of `choices`, drawn in secret: between exchanges as it fell, in an exchange anew."""
        if self._open is not None:
            return super().draw(label, choices)
        (found,) = {choice for choice in choices if as_token(choice) == self._fell[label]}
        return found


def save_game(adjudicator: Adjudicator) -> bytes:
    """Return as bytes the state of a game whose last exchange has been resolved and reported.

    Raises:
        NotSaved: the game cannot be saved at this point, or games of its title cannot be saved at all.
    """
    return zlib.compress(json.dumps(adjudicator.play.save(), separators=(",", ":")).encode())


def load_game(history: History, saved: bytes) -> Adjudicator:
    """Return the game of a ledger in its saved state. Bytes that `save_game` has not made may raise anything.

    Raises:
        NotSaved: the loaded game does not stand where the saved one did.
    """
    adjudicator = Adjudicator(history.corrected, Fallen(history), saves=True)
    adjudicator.play.load(json.loads(zlib.decompress(saved)))
    return adjudicator


def game_places(last: Entry, seats: Mapping[str, str]) -> tuple[tuple[str, int], ...]:
    """Return pairs of a player and their place, by the last entry `over` of a game; equal places are shared.

    `seats`: side -> player.

    Raises:
        LedgerFault: the game does not end with this entry.
    """
    if not isinstance(last, Other) or last.word != "over" or not last.extra:
        raise LedgerFault("the game is not over")
    words = {word: rest for word, _, rest in (line.partition(" ") for line in last.extra)}
    if "places" in words:
        return _rank_players([place.split(" ") for place in words["places"].split(", ")], seats)
    winners = split_words(words.get("winner", words.get("winners", "")))
    rest = [side for side in seats if side not in winners]
    return _rank_players([part for part in (winners, rest) if part], seats)


def _rank_players(parts: list[list[str]], seats: Mapping[str, str]) -> tuple[tuple[str, int], ...]:
    found: list[tuple[str, int]] = []
    for part in parts:
        place = len(found) + 1
        found += [(seats[side], place) for side in part]
    if len(found) != len(seats):
        raise LedgerFault("the last entry of the game does not place everybody")
    return tuple(sorted(found))
