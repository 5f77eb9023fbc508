"""The calls of a league by its ledger: what each fixes, whom it asks, what they answer, which dice follow.

Judge and audit read them with the season, an entrant's program without the file; what may come next, who
must have contributed and what may not repeat is one rule for all of them, and for games (trust.life,
trust.proof).

The last call before the games of a round seats them. That is the call of the draw, or that of the seats where
sides are bid for. Its `open` fixes the judge's part in each game that the round may have, before anybody has
answered:

    chains <m>                      so many chains each who is asked sends
    game <k> <hex> <hex>   each     the anchors of gm.1 and gm-secret.1 in the game <league>-r<round>-<k>

The body of the file by which a player answers such a call has, for each game that they may get, counted from
1:

    chain <i> <64 hex>    the anchor of a chain for a game's dice; its links are hashed under the name
                          <ledger>.<call>.<i> (trust.chance), as <player>.1
    bid <game> <words>    what they bid for a side, where sides are bid for: e1 to s3

So neither side can choose the dice of a game by what the other has sent. The most games of one, and of the
round, are worked out by one function (round_drawing.most_games), which judge and audit ask. The i-th game of
a player, in the order of pairings, has their i-th chain.

In the answer to any other call there is nothing. Lines that are not understood count for nothing and are told
in the receipt; whose chain is missing plays without a share in that game's dice. Exchange 1 of each game
takes the step that the file itself reveals: its chain was fixed before the call, and nobody can choose it by
what others have sent.

A key counts from the entry that names it: that of an entry, or a new one for which the old one has signed. A
new one for which it has not, because it is lost, is wished for, and counts when the director has ruled so.
The chain that is named with a key counts with it, in calls that are opened later (protocol of leagues, L12,
L13).

A call is resolved as an exchange of a game is (trust.chance): the key of call i is the SHA-256 of its mix,
and each lot a die under that key, by its own label. Labels begin with what the call is for, `draw-2/...` or
`seats-2/...`, so none falls twice.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import NamedTuple

from pbem.characters import lower, split_lines, split_words
from pbem.leagues.entries import KEY, LeagueGenesis, Purpose, Ruled, Said, purpose_of
from pbem.leagues.statements import NEW_KEY, Statement
from pbem.trust.chance import OPEN_CHAIN, Dice, Die, Mix, Reveal, build_mix
from pbem.trust.entries import Close, Entry, Open, Received, Refused, Resolve
from pbem.trust.faults import LedgerFault
from pbem.trust.fields import HASH, NUMBER
from pbem.trust.formats import MAX_GAMES
from pbem.trust.identifiers import is_hash, is_number, is_token, quote
from pbem.trust.life import AskedExchange, ExchangeLife
from pbem.trust.orderfile import OrderFile, Standing
from pbem.trust.proof import Shares, UniqueItems, prove_resolve, refuse, used_labels


@dataclass(frozen=True, slots=True)
class Seating:
    """The facts about a round's games that a call fixes before anybody has answered it."""

    chains: int
    """Number of chains that each player is asked for: the most games that a player may get in the round."""
    games: tuple[tuple[str, str], ...]
    """The judge's open and secret anchor in each game that the round may have, in the order of pairings."""

    @property
    def lines(self) -> tuple[str, ...]:
        """Return the lines of the seating in `open`, below the line with the call's purpose."""
        games = (f"game {number} {anchor} {secret}" for number, (anchor, secret) in enumerate(self.games, 1))
        return f"chains {self.chains}", *games


def game_name(ledger: str, number: int, pairing: int) -> str:
    """Return the name of the game of a round's pairing."""
    return f"{ledger.removeprefix('league.')}-r{number}-{pairing}"


def seating_of(entry: Open) -> Seating | None:
    """Return what a call fixes for the games that the call seats; None if the call seats none.

    Raises:
        LedgerFault: the call's lines are not those of a call that seats games.
    """
    if not (lines := entry.extra[1:]):
        return None
    found, games = 0, list[tuple[str, str]]()
    for line in lines:
        match line.split(" "):
            case ["chains", number] if not games:
                found = NUMBER.read(number)
            case ["game", number, anchor, secret] if number == str(len(games) + 1):
                games.append((HASH.read(anchor), HASH.read(secret)))
    seating = Seating(found, tuple(games))
    if seating.lines != lines:
        raise LedgerFault(f"call {entry.exchange} does not fix the games of its round as it must")
    return seating


MAX_LINES = 400


class Sent(NamedTuple):
    """The chain that a player sends for a game that the player may get."""

    number: int
    anchor: str
    share: str
    """The step that the player's file reveals, which stands for the chain in exchange 1."""

    @property
    def line(self) -> str:
        """Return the line of the chain in a reply."""
        return f"chain {self.number} {self.anchor}"


@dataclass(frozen=True, slots=True)
class Reply:
    """The content of a player's file for a call; `bids` are pairs of a game and the bid in it."""

    chains: tuple[Sent, ...] = ()
    bids: tuple[tuple[str, str], ...] = ()
    faults: tuple[str, ...] = ()

    @property
    def body(self) -> str:
        """Return the lines of the reply as the body of a file."""
        lines = [*(sent.line for sent in self.chains), *(f"bid {game} {words}" for game, words in self.bids)]
        return "".join(f"{line}\n" for line in lines)


def parse_reply(body: str, share: str) -> Reply:
    """Parse the body of a file that answers a call; `share` is the step of a chain that the file reveals.

    The first line about a chain or a game counts.
    """
    chains: dict[int, Sent] = {}
    bids: dict[str, str] = {}
    faults: list[str] = []
    for number, line in enumerate(split_lines(body)[:MAX_LINES], 1):
        match split_words(line):
            case []:
                continue
            case ["chain", which, anchor] if share and _is_chain(which, anchor):
                chains.setdefault(int(which), Sent(int(which), anchor, share))
            case ["bid", game, words] if is_token(game) and is_token(lower(words)):
                bids.setdefault(game, lower(words))
            case _:
                faults.append(f"line {number}: {quote(line)} is neither chain 1 HEX nor bid GAME E1")
    return Reply(tuple(sent for _, sent in sorted(chains.items())), tuple(bids.items()), tuple(faults))


def reply_in(file: OrderFile) -> Reply:
    """Return the content of a file that counts as the answer to a call."""
    return parse_reply(file.body, file.reveal.value if file.reveal is not None else "")


def _is_chain(which: str, anchor: str) -> bool:
    return is_number(which) and 1 <= int(which) <= MAX_GAMES and is_hash(anchor)


@dataclass
class Call(AskedExchange):
    """One call of a league for the next steps of the players' chains."""

    purpose: Purpose
    chains: Mapping[str, str]
    """The name of the chain that counts for each player who is asked."""
    seating: Seating | None = None
    """The games of the round as the call fixes them; None if the call does not seat them."""
    signing_keys: dict[str, str] = field(default_factory=dict)
    """The key that counted for a player when their file was received, by the file's name."""

    @property
    def asked(self) -> tuple[str, ...]:
        """The players who are asked, whose files are waited for."""
        return tuple(self.seals)

    @property
    def waiting(self) -> tuple[str, ...]:
        """The players who are asked and of whom no file has come."""
        return self.first_waiting(len(self.seals))

    def first_waiting(self, most: int) -> tuple[str, ...]:
        """Return at most `most` of the players of whom no file has come, without looking at thousands."""
        return tuple(islice((player for player in self.seals if not self.received_of(player)), most))


@dataclass(slots=True)
class Keys:
    """The keys of a league's players, each as the line of a public key."""

    current_keys: dict[str, str] = field(default_factory=dict)
    """The key of each player that counts now."""
    chains: dict[str, Reveal] = field(default_factory=dict)
    """The anchor of each entrant's chain that counts now."""
    anchors: dict[str, Reveal] = field(default_factory=dict)
    """The anchors of all chains that have ever counted, by the chain's name."""
    requested_keys: dict[str, Statement] = field(default_factory=dict)
    """The requests for a new key that the old key has not signed, by player."""
    named_keys: dict[str, list[str]] = field(default_factory=dict)
    """Every key that each player has named, in order."""

    def take(self, entry: Entry, league: str) -> None:
        """Apply the keys and chains in an entry of a ledger that is known to be right."""
        match entry:
            case Said():
                self.say(entry.statement(league))
            case Ruled(decides=(what, player)) if what == KEY and player in self.requested_keys:
                self.grant(player)

    def say(self, said: Statement) -> None:
        """Apply the keys and chains that a statement names."""
        if said.key is None:
            return
        self.named_keys.setdefault(said.player, []).append(said.key.line)
        if said.say == NEW_KEY and not said.by:
            self.requested_keys[said.player] = said
        else:
            self._count(said)
            self.requested_keys.pop(said.player, None)

    def grant(self, player: str) -> None:
        """Make the key count that a player has asked for."""
        self._count(self.requested_keys.pop(player))

    def _count(self, said: Statement) -> None:
        assert said.key is not None, "it is what they wish for"
        self.current_keys[said.player] = said.key.line
        if said.anchor is not None:
            self.chains[said.player] = self.anchors[said.anchor.who] = said.anchor

    def is_known(self, line: str) -> bool:
        """Tell whether any player has ever named a key, which is given by its line."""
        return any(line in lines for lines in self.named_keys.values())


class Calls(ExchangeLife[Call]):
    """The calls of one league, as far as its ledger has been read; `most` is the maximum number of calls."""

    def __init__(self, genesis: LeagueGenesis, most: int | None = None) -> None:
        super().__init__({OPEN_CHAIN: Reveal(OPEN_CHAIN, 0, genesis.anchor)}, most, "call")
        self.ledger = genesis.game
        self.keys = Keys()

    def known(self, who: str) -> Reveal | None:
        """Return the latest step that a ledger has proved of the chain named `who`; None if unknown."""
        return super().known(who) or self.keys.anchors.get(who)

    def open(self, entry: Open, number: int) -> None:
        """Take in the entry that opens a call, which is entry `number` of the ledger.

        Raises:
            LedgerFault: the entry cannot come next, or somebody who is asked has no chain.
        """
        self.check_opens(entry)
        asked = [player for player, _ in entry.seals]
        if lacking := [player for player in asked if player not in self.keys.chains]:
            raise LedgerFault(f"{lacking[0]} has not entered, and has no chain")
        chains = {player: self.keys.chains[player].who for player in asked}
        self.exchanges.append(
            Call(entry.exchange, entry, number, purpose_of(entry), chains, seating_of(entry))
        )

    def take(self, entry: Received | Refused | Close | Resolve, number: int) -> None:
        """Apply an entry about a call; a file counts under its player's present key."""
        super().take(entry, number)
        if isinstance(entry, Received):
            self.exchanges[-1].signing_keys[entry.sealed] = self.keys.current_keys.get(entry.player, "")

    def read(self, entry: Entry, number: int) -> None:
        """Take in the keys, chains and calls of an entry, for readers without the league's file.

        Raises:
            LedgerFault: the entry cannot follow on those before it.
        """
        match entry:
            case Said() | Ruled():
                self.keys.take(entry, self.ledger)
            case Open():
                self.open(entry, number)
            case Received() | Refused() | Close() | Resolve():
                self.take(entry, number)

    def standing_of(self, call: Call, player: str, head_at: Callable[[int], str | None]) -> Standing:
        """Return the facts that decide whether a player's file for a call counts if it comes now."""
        return self.standing_in(call, player, call.chains[player], head_at)

    def shares(self, call: Call, signed: Mapping[str, Reveal | None] | None = None) -> Shares:
        """Return the shares that decide who contributes to a call; `signed` is as in `Shares`."""
        return Shares(
            ledger=self.ledger,
            number=call.number,
            lines=call.chains,
            able=call.chains,
            sent=call.counted(),
            known=self.known,
            signed=signed or {},
            used=used_labels(one.resolved for one in self.exchanges),
        )


def prove_call(calls: Calls, once: UniqueItems, entry: Entry) -> None:
    """Check, for judge and entrant, that an entry about a call may come next, but not whether it is due.

    `once`: what the ledger has taken in before it.

    Raises:
        LedgerFault: the entry may not come next.
    """
    refuse(once.faults(entry))
    call = calls.current
    if isinstance(entry, Resolve) and call is not None and call.closed and entry.exchange == call.number:
        prove_resolve(calls.shares(call), entry)


class Lots:
    """The dice of one call of a league, which calculations use as their `Die`."""

    def __init__(self, call: int, purpose: Purpose, key: bytes) -> None:
        self._dice = Dice()
        self._dice.begin(call, key)
        self._start = f"{purpose.what}-{purpose.round}"

    def __call__(self, sides: int, label: str) -> int:
        """Return the lot called `label`, from 1 to `sides`."""
        return self._dice.roll(f"{self._start}/{label}", sides)

    @property
    def rolled(self) -> tuple[Die, ...]:
        """Return all lots that were drawn in the call so far."""
        return tuple(self._dice.rolled)

    def resolve(self, mix: Mix, reveals: tuple[Reveal, ...], absent: tuple[str, ...]) -> Resolve:
        """Return the `resolve` entry of the call, with all lots that were drawn so far."""
        return Resolve(
            exchange=mix.exchange,
            reveals=reveals,
            absent=absent,
            mix=mix.name,
            dice=self.rolled,
        )


def mix_of(
    genesis: LeagueGenesis,
    call: Call,
    judge: Reveal,
    reveals: Mapping[str, Reveal],
    chains: Mapping[str, str],
) -> tuple[Mix, tuple[Reveal, ...], tuple[str, ...]]:
    """Return the mix of a call, and the revealing and the absent players for the call's `resolve` entry.

    `reveals`: player -> the step in the file that counts; `chains`: player -> chain, of all who were asked.
    """
    players = [(who, reveals.get(player)) for player, who in sorted(chains.items())]
    mix = build_mix(genesis.game, call.number, gm=judge, players=players)
    shown = tuple(reveal for _, reveal in players if reveal is not None)
    return mix, (judge, *shown), tuple(who for who, reveal in players if reveal is None)
