"""The kinds of ledger entries and their text.

An entry is plain lines of text (characters), each ended by LF, none of them empty. The first line is the
kind and its fields; further lines are `<word> <fields>`. Fields are separated by one blank. Times are
UTC, "2026-11-21T18:00:00Z". Unknown kinds, and unknown words in known ones, are kept and hashed like
any other. An entry is hashed as the bytes it is; whoever reads one never writes it anew for the hash.

    genesis <game>                                   received <exchange> <player> rev <n> sealed <sha256>
    format 2                                         at <UTC>
    exchanges <the most there will be>
    beacon none                                      refused <exchange> <player> <of> sealed <sha256> <reason>
    gm SHA256:...                                    at <UTC>
    recovery gm SHA256:...              optional
    official <name> SHA256:...          optional
    drawn <league's ledger> <call>      optional
    rated yes                           optional
    rules <sha256>
    mode after-close    only if not with-orders      close <exchange>
    option <name> <value>                  many      at <UTC>
    anchor gm.1 0 <hex>                              deadline <UTC>      of the reveals, in after-close
    anchor gm-secret.1 0 <hex>
    commit salt-root <hex>                           revealed <exchange> <player> sealed <sha256>
    commit seal-root <hex>                           at <UTC>
    player <name> SHA256:...   these four
    side <name> <side>         for each              resolve <exchange>
    anchor <name>.1 0 <hex>    player; anchor        reveal <who> <step> <hex>    gm.1 and who contributed
    recovery <name> SHA256:... and recovery          absent <who>                 each player who did not
    chain <name> <i>           may be missing        mix <sha256 of the mix file>
    share <name> <hex>                               die <exchange> <sides> <label> <value>    in order
    open <exchange>
    rules <sha256>                      optional     extend <exchange>
    seal <player> age1...                   each     deadline <UTC>
    deadline <UTC>                      optional     at <UTC>
                                                     consent <name> <sha256> <n>  each, if they agreed
    again <exchange>     instead of seal and deadline, where one is played again with the same orders and dice

    draw <exchange> <owner> <label> <result>         hidden; opened at once to its owner, a side or public,
                                                     or at the end, if its owner is gm
    report <exchange> <audience> <sha256>            hidden, opened to its audience with the report
    rules <sha256>                                   the game goes on under another release
    act <exchange> <what> ...                        what the game master has done: see act_entries
    rotate <exchange> <player> SHA256:...            a new key of a seat or the judge: see rotations

The ledger's parser reads them. Each class below is the table of its kind's fields.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, ClassVar

from pbem.characters import is_plain_line
from pbem.trust.chance import DRAW_CHAIN, OPEN_CHAIN, Die, Reveal, sent_name
from pbem.trust.faults import LedgerFault
from pbem.trust.fields import (
    DIE,
    FINGERPRINT,
    GIVEN,
    HASH,
    LABEL,
    NUMBER,
    PLAYER,
    RECIPIENT,
    REVEAL,
    TEXT,
    TIME,
    ConsentRef,
    Line,
    Lines,
    Maybe,
    Pairs,
    Records,
    Value,
    read_first,
    token,
    write_first,
    write_lines,
)
from pbem.trust.formats import FORMAT, MAX_EXCHANGES, MAX_SEATS_TIMES_EXCHANGES
from pbem.trust.identifiers import check_game_id, check_player_name, quote, split_who
from pbem.trust.times import utc_text

WITH_ORDERS = "with-orders"
AFTER_CLOSE = "after-close"
NO_BEACON = "none"

EXTEND = "extend"
"""The word of a consent to more time, before the new deadline."""

GAME_OPTION = "game"
"""The option in the genesis that names the game's rules; all other options are the game's own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """The base class of ledger entries. `extra` holds the lines with words this version does not know."""

    form: ClassVar[str] = ""
    """The form of the entry's first line: words, and fields in braces."""
    kind: ClassVar[str] = ""
    hidden: ClassVar[bool] = False
    """Whether the entry's text is hidden from some players while the game runs."""

    extra: tuple[str, ...] = ()

    def __init_subclass__(cls) -> None:
        cls.kind = cls.form.partition(" ")[0]

    @property
    def lines(self) -> list[str]:
        """The lines of the entry before those in `extra`."""
        return [write_first(self, self.form), *write_lines(self)]

    @property
    def text(self) -> bytes:
        """The bytes of the entry that are hashed."""
        lines = [*self.lines, *self.extra]
        for line in lines:
            if not line or not is_plain_line(line):
                raise LedgerFault(f"{quote(line)} cannot be a line of an entry")
        return "".join(f"{line}\n" for line in lines).encode()

    @classmethod
    def read_first(cls, words: Sequence[str]) -> dict[str, Any]:
        """Return the fields of an entry's first line, read from the words behind its kind.

        Raises:
            LedgerFault: the line is not written as its form demands.
        """
        return read_first(cls, cls.form, words)

    def check(self) -> None:
        """Raise LedgerFault if the entry's fields, each valid alone, do not fit together."""


def _read_official(text: str) -> tuple[str, str]:
    name, _, fingerprint = text.partition(" ")
    return check_player_name(name), FINGERPRINT.read(fingerprint)


def _read_mode(text: str) -> str:
    if text != AFTER_CLOSE:
        raise LedgerFault(f"{quote(text)} is not a way to reveal that is known here")
    return text


def _read_beacon(text: str) -> str:
    if text != NO_BEACON:
        raise LedgerFault(f"{quote(text)} is not a beacon that is known here; in this format there is none")
    return text


def _read_rated(text: str) -> bool:
    if text != "yes":
        raise LedgerFault(f"a rated game has the line 'rated yes', not 'rated {quote(text)}'")
    return True


def _read_drawn(text: str) -> tuple[str, int]:
    ledger, _, call = text.partition(" ")
    if not check_game_id(ledger).startswith("league."):
        raise LedgerFault(f"{quote(ledger)} is not a league's ledger")
    return ledger, NUMBER.read(call)


def _write_drawn(drawn: tuple[str, int]) -> str:
    return f"{drawn[0]} {drawn[1]}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Enrolled:
    """The record of one player in genesis."""

    name: str
    fingerprint: Annotated[str, Line("player {name}", FINGERPRINT)]
    side: Annotated[str, Line("side {name}", token("side"))]
    anchor: Annotated[str | None, Maybe("anchor {name}.1 0", HASH)] = None
    """The anchor x[0] of the player's first chain; None in a game whose players have no chains."""
    recovery: Annotated[str | None, Maybe("recovery {name}", FINGERPRINT)] = None
    chain: Annotated[int, Maybe("chain {name}", NUMBER)] = 0
    """The number of the chain among those that the player sent with their answer to a league's call; 0 in a
    game that no league drew."""
    share: Annotated[str | None, Maybe("share {name}", HASH)] = None
    """The step that the player revealed in the league's call, which contributes to the dice of exchange 1;
    None in a game that no league drew."""

    @property
    def who(self) -> str:
        """The name of the player's first chain."""
        return f"{self.name}.1"


@dataclass(frozen=True, slots=True, kw_only=True)
class Genesis(Entry):
    """The first entry of a ledger: everything that is fixed before anyone has moved."""

    form: ClassVar[str] = "genesis {game}"

    game: Annotated[str, token("game name")]
    format: Annotated[str, Line("format", TEXT)] = FORMAT
    exchanges: Annotated[int, Line("exchanges", NUMBER)] = MAX_EXCHANGES
    """Maximum number of exchanges that the game has (protocol 21)."""
    beacon: Annotated[str, Line("beacon", Value(_read_beacon))] = NO_BEACON
    """The source outside the game that the mixes take a value from: in this format none."""
    gm: Annotated[str, Line("gm", FINGERPRINT)]
    gm_recovery: Annotated[str | None, Maybe("recovery gm", FINGERPRINT)] = None
    official: Annotated[tuple[str, str] | None, Maybe("official", Value(_read_official, " ".join))] = None
    """Name and fingerprint of the second official; None if the game has no such person."""
    drawn: Annotated[tuple[str, int] | None, Maybe("drawn", Value(_read_drawn, _write_drawn))] = None
    """The name of the league's ledger, and the number of its call, with the answers to which the players sent
    their chains; None in a game that no league drew. Exchange 1 of a drawn game asks nobody; the steps that
    the players revealed in that call contribute to the dice."""
    rated: Annotated[bool, Maybe("rated", Value(_read_rated, lambda _: "yes"))] = False
    """Whether the game counts in the club's ratings; its players agree by signing orders for exchange 1."""
    rules: Annotated[str, Line("rules", HASH)]
    mode: Annotated[str, Maybe("mode", Value(_read_mode))] = WITH_ORDERS
    options: Annotated[tuple[tuple[str, str], ...], Pairs("option", TEXT, TEXT)] = ()
    anchor: Annotated[str, Line(f"anchor {OPEN_CHAIN} 0", HASH)]
    secret_anchor: Annotated[str, Line(f"anchor {DRAW_CHAIN} 0", HASH)]
    salt_commitment: Annotated[str, Line("commit salt-root", HASH)]
    seal_commitment: Annotated[str, Line("commit seal-root", HASH)]
    players: Annotated[tuple[Enrolled, ...], Records("player", PLAYER, Enrolled)]

    def check(self) -> None:
        """Refuse more exchanges than players allow, and a drawn game without the chains sent for it."""
        if not 1 < self.exchanges <= MAX_SEATS_TIMES_EXCHANGES // max(1, len(self.players)):
            raise LedgerFault(f"{len(self.players)} players cannot have {self.exchanges} exchanges at most")
        if any(
            {bool(one.chain), bool(one.share)} != {bool(self.drawn and one.anchor)} for one in self.players
        ):
            raise LedgerFault("in a game that a league has drawn each anchor is of a chain that was sent")

    @property
    def shares(self) -> Mapping[str, str]:
        """A mapping from players' chains to their shares in exchange 1, in a game that a league has drawn."""
        return {player.who: player.share for player in self.players if player.share}

    @property
    def anchors(self) -> tuple[Reveal, ...]:
        """The anchors of all chains of the game, the judge's two first."""
        own = (Reveal(OPEN_CHAIN, 0, self.anchor), Reveal(DRAW_CHAIN, 0, self.secret_anchor))
        return own + tuple(
            Reveal(player.who, 0, player.anchor, sent_name(*self.drawn, player.chain) if self.drawn else "")
            for player in self.players
            if player.anchor
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Open(Entry):
    """The entry that opens an exchange: the players are asked, and learn what to seal their answers to."""

    form: ClassVar[str] = "open {exchange}"

    exchange: Annotated[int, NUMBER]
    again: Annotated[int, Maybe("again", NUMBER)] = 0
    """The number of the exchange that is played again with its orders and dice, asking nobody; 0 for none."""
    rules: Annotated[str | None, Maybe("rules", HASH)] = None
    seals: Annotated[tuple[tuple[str, str], ...], Pairs("seal", RECIPIENT, PLAYER)]
    """Pairs of a player and the age recipient that their orders are sealed to."""
    deadline: Annotated[datetime | None, Maybe("deadline", TIME)] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Received(Entry):
    """The entry that says that a valid order file arrived."""

    form: ClassVar[str] = "received {exchange} {player} rev {rev} sealed {sealed}"

    exchange: Annotated[int, NUMBER]
    player: Annotated[str, PLAYER]
    rev: Annotated[int, NUMBER]
    sealed: Annotated[str, HASH]
    at: Annotated[datetime | None, Maybe("at", TIME)] = None


def highest(received: Iterable[Received]) -> dict[str, Received]:
    """Return, by player, the received file of the highest revision, which counts (protocol 4)."""
    best: dict[str, Received] = {}
    for entry in received:
        if entry.player not in best or entry.rev > best[entry.player].rev:
            best[entry.player] = entry
    return best


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused(Entry):
    """The entry that says that a player's own file arrived and does not count (protocol 3)."""

    form: ClassVar[str] = "refused {exchange} {player} {of} sealed {sealed} {reason}"

    exchange: Annotated[int, NUMBER]
    """The number of the exchange that was in progress when the file came."""
    player: Annotated[str, PLAYER]
    of: Annotated[int, NUMBER]
    """The number of the exchange that the file is for."""
    sealed: Annotated[str, HASH]
    reason: Annotated[str, token("reason")]
    at: Annotated[datetime | None, Maybe("at", TIME)] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Close(Entry):
    """The entry that closes an exchange: nothing received later counts in it."""

    form: ClassVar[str] = "close {exchange}"

    exchange: Annotated[int, NUMBER]
    at: Annotated[datetime | None, Maybe("at", TIME)] = None
    deadline: Annotated[datetime | None, Maybe("deadline", TIME)] = None
    """The time until which the judge waits for reveals, in the mode after-close."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Revealed(Entry):
    """The entry that says that a valid reveal arrived after the close."""

    form: ClassVar[str] = "revealed {exchange} {player} sealed {sealed}"

    exchange: Annotated[int, NUMBER]
    player: Annotated[str, PLAYER]
    sealed: Annotated[str, HASH]
    at: Annotated[datetime | None, Maybe("at", TIME)] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Resolve(Entry):
    """The entry that resolves an exchange: who contributed to its key, and every open die rolled."""

    form: ClassVar[str] = "resolve {exchange}"

    exchange: Annotated[int, NUMBER]
    reveals: Annotated[tuple[Reveal, ...], Lines("reveal", REVEAL)]
    absent: Annotated[tuple[str, ...], Lines("absent", TEXT)]
    """The chains of the players who contributed nothing."""
    mix: Annotated[str, Line("mix", HASH)]
    dice: Annotated[tuple[Die, ...], Lines("die", DIE)] = ()

    def check(self) -> None:
        """Refuse a player who stands twice among those who revealed for the dice and those who are absent."""
        whose = [*(reveal.who for reveal in self.reveals), *self.absent]
        if len({split_who(who)[0] for who in whose}) != len(whose):
            raise LedgerFault("it names somebody twice")


@dataclass(frozen=True, slots=True, kw_only=True)
class Extend(Entry):
    """The entry that moves the deadline of an open exchange."""

    form: ClassVar[str] = "extend {exchange}"

    exchange: Annotated[int, NUMBER]
    deadline: Annotated[datetime, Line("deadline", TIME)]
    at: Annotated[datetime, Line("at", TIME)]
    consents: Annotated[tuple[tuple[str, ConsentRef], ...], Pairs("consent", GIVEN, PLAYER)] = ()
    """Pairs of a player and the consent that they signed, if all who play agreed (trust.act_entries)."""

    @property
    def agreed(self) -> str:
        """The words after `to` in each player's consent to the new deadline."""
        return f"{EXTEND} {utc_text(self.deadline)}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawn(Entry):
    """The entry of a secret draw, whose owner is a side, "public" or "gm" (protocol 10)."""

    form: ClassVar[str] = "draw {exchange} {owner} {label} {result}"
    hidden: ClassVar[bool] = True

    exchange: Annotated[int, NUMBER]
    owner: Annotated[str, token("owner")]
    label: Annotated[str, LABEL]
    result: Annotated[str, token("result of a draw")]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reported(Entry):
    """The entry that commits to the report to an audience, by its hash."""

    form: ClassVar[str] = "report {exchange} {audience} {sha256}"
    hidden: ClassVar[bool] = True

    exchange: Annotated[int, NUMBER]
    audience: Annotated[str, token("audience")]
    sha256: Annotated[str, HASH]


@dataclass(frozen=True, slots=True, kw_only=True)
class NewRules(Entry):
    """The entry that names, by its hash, the release that adjudicates the game from then on."""

    form: ClassVar[str] = "rules {rules}"

    rules: Annotated[str, HASH]


@dataclass(frozen=True, slots=True, kw_only=True)
class Other(Entry):
    """An entry of a kind that this version does not know, or does not read further."""

    form: ClassVar[str] = "{first}"

    first: str

    @property
    def word(self) -> str:
        """The word for the entry's kind, which begins the first line."""
        return self.first.partition(" ")[0]
