"""The text of ledger entries.

An entry is UTF-8 text, every line ended by LF, no line empty, no sign unprintable. The first line is the
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
                               may be missing        mix <sha256 of the mix file>
                                                     die <exchange> <sides> <label> <value>    in order
    open <exchange>
    rules <sha256>                      optional     extend <exchange>
    seal <player> age1...                   each     deadline <UTC>
    deadline <UTC>                      optional     at <UTC>
    again <exchange>     instead of seal and deadline, where one is played again with the same orders and dice

    draw <exchange> <owner> <label> <result>         hidden; opened at once to its owner, a side or public,
                                                     or at the end, if its owner is gm
    report <exchange> <audience> <sha256>            hidden, opened to its audience with the report
    rules <sha256>                                   the game goes on under another release
    act <exchange> <what> ...                        what the game master has done: see acts
    rotate <exchange> <player> SHA256:...            a new key of a seat or the judge: see rotations

They are read by entry_parser.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import ClassVar

from pbem.trust.chains import DRAW_CHAIN, OPEN_CHAIN, Reveal
from pbem.trust.chance import Die
from pbem.trust.faults import LedgerFault
from pbem.trust.formats import FORMAT, MOST_EXCHANGES
from pbem.trust.identifiers import shown
from pbem.trust.times import utc_text

WITH_ORDERS = "with-orders"
AFTER_CLOSE = "after-close"

GAME_OPTION = "game"
"""The genesis option that names the rules; all others are the game's own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """What every entry has. `extra` holds the lines with words this version does not know."""

    kind: ClassVar[str] = ""
    hidden: ClassVar[bool] = False
    """Whether its text is kept from some players while the game runs."""

    extra: tuple[str, ...] = ()

    @property
    def lines(self) -> list[str]:
        """The lines before `extra`."""
        raise NotImplementedError

    @property
    def text(self) -> bytes:
        """The bytes that are hashed."""
        lines = [*self.lines, *self.extra]
        for line in lines:
            if not line.isprintable() or not line or line.strip() != line:
                raise LedgerFault(f"{shown(line)} cannot be a line of an entry")
        return "".join(f"{line}\n" for line in lines).encode()


@dataclass(frozen=True, slots=True, kw_only=True)
class Enrolled:
    """A player as genesis names him."""

    name: str
    fingerprint: str
    side: str
    anchor: str | None = None
    """x[0] of his first chain; None in a game whose players have no chains."""
    recovery: str | None = None

    @property
    def who(self) -> str:
        """His first chain."""
        return f"{self.name}.1"


@dataclass(frozen=True, slots=True, kw_only=True)
class Genesis(Entry):
    """The first entry: everything that is fixed before anyone has moved."""

    kind: ClassVar[str] = "genesis"

    game: str
    exchanges: int = MOST_EXCHANGES
    """So many exchanges the game has at most (protocol 21)."""
    gm: str
    rules: str
    anchor: str
    secret_anchor: str
    salt_commitment: str
    seal_commitment: str
    players: tuple[Enrolled, ...]
    options: tuple[tuple[str, str], ...] = ()
    beacon: str | None = None
    mode: str = WITH_ORDERS
    gm_recovery: str | None = None
    official: tuple[str, str] | None = None
    """Name and fingerprint of the second official."""

    @property
    def lines(self) -> list[str]:
        """The lines before `extra`."""
        lines = [f"genesis {self.game}", f"format {FORMAT}", f"exchanges {self.exchanges}"]
        lines += [f"beacon {self.beacon or 'none'}", f"gm {self.gm}"]
        lines += [f"recovery gm {self.gm_recovery}"] if self.gm_recovery else []
        lines += [f"official {' '.join(self.official)}"] if self.official else []
        lines.append(f"rules {self.rules}")
        lines += [f"mode {self.mode}"] if self.mode != WITH_ORDERS else []
        lines += [f"option {name} {value}" for name, value in self.options]
        lines += [f"anchor {OPEN_CHAIN} 0 {self.anchor}", f"anchor {DRAW_CHAIN} 0 {self.secret_anchor}"]
        lines += [f"commit salt-root {self.salt_commitment}", f"commit seal-root {self.seal_commitment}"]
        for player in self.players:
            lines += [f"player {player.name} {player.fingerprint}", f"side {player.name} {player.side}"]
            lines += [f"anchor {player.who} 0 {player.anchor}"] if player.anchor else []
            lines += [f"recovery {player.name} {player.recovery}"] if player.recovery else []
        return lines

    @property
    def anchors(self) -> tuple[Reveal, ...]:
        """The anchors of all chains, the judge's two first."""
        own = (Reveal(OPEN_CHAIN, 0, self.anchor), Reveal(DRAW_CHAIN, 0, self.secret_anchor))
        return own + tuple(Reveal(player.who, 0, player.anchor) for player in self.players if player.anchor)


@dataclass(frozen=True, slots=True, kw_only=True)
class Open(Entry):
    """An exchange begins: the players are asked, and told what to seal their answers to."""

    kind: ClassVar[str] = "open"

    exchange: int
    seals: tuple[tuple[str, str], ...]
    """Player and recipient."""
    rules: str | None = None
    deadline: datetime | None = None
    again: int = 0
    """The exchange whose orders and dice are played again; nobody is asked anything then."""

    @property
    def lines(self) -> list[str]:
        """The lines before `extra`."""
        lines = [f"open {self.exchange}"]
        lines += [f"again {self.again}"] if self.again else []
        lines += [f"rules {self.rules}"] if self.rules else []
        lines += [f"seal {player} {recipient}" for player, recipient in self.seals]
        return lines + _time("deadline", self.deadline)


@dataclass(frozen=True, slots=True, kw_only=True)
class Received(Entry):
    """A valid order file arrived."""

    kind: ClassVar[str] = "received"

    exchange: int
    player: str
    rev: int
    sealed: str
    at: datetime | None = None

    @property
    def lines(self) -> list[str]:
        """The lines before `extra`."""
        return [
            f"received {self.exchange} {self.player} rev {self.rev} sealed {self.sealed}",
            *_time("at", self.at),
        ]


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused(Entry):
    """A player's own file arrived that does not count (protocol 3)."""

    kind: ClassVar[str] = "refused"

    exchange: int
    """The one in progress."""
    player: str
    of: int
    """The exchange that it is for."""
    sealed: str
    reason: str
    at: datetime | None = None

    @property
    def lines(self) -> list[str]:
        """The lines before `extra`."""
        first = f"refused {self.exchange} {self.player} {self.of} sealed {self.sealed} {self.reason}"
        return [first, *_time("at", self.at)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Close(Entry):
    """Nothing received later counts in this exchange."""

    kind: ClassVar[str] = "close"

    exchange: int
    at: datetime | None = None
    deadline: datetime | None = None
    """Until when reveals are waited for, in the mode after-close."""

    @property
    def lines(self) -> list[str]:
        """The lines before `extra`."""
        return [f"close {self.exchange}", *_time("at", self.at), *_time("deadline", self.deadline)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Revealed(Entry):
    """A valid reveal arrived after the close."""

    kind: ClassVar[str] = "revealed"

    exchange: int
    player: str
    sealed: str
    at: datetime | None = None

    @property
    def lines(self) -> list[str]:
        """The lines before `extra`."""
        return [f"revealed {self.exchange} {self.player} sealed {self.sealed}", *_time("at", self.at)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Resolve(Entry):
    """An exchange is resolved: who contributed to its key, and every open die rolled with it."""

    kind: ClassVar[str] = "resolve"

    exchange: int
    reveals: tuple[Reveal, ...]
    absent: tuple[str, ...]
    """The chains of the players who contributed nothing."""
    mix: str
    dice: tuple[Die, ...] = ()

    @property
    def lines(self) -> list[str]:
        """The lines before `extra`."""
        lines = [f"resolve {self.exchange}", *(f"reveal {reveal.text}" for reveal in self.reveals)]
        lines += [f"absent {who}" for who in self.absent]
        return [*lines, f"mix {self.mix}", *(f"die {die.text}" for die in self.dice)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Extend(Entry):
    """The deadline of an open exchange is moved."""

    kind: ClassVar[str] = "extend"

    exchange: int
    deadline: datetime
    at: datetime

    @property
    def lines(self) -> list[str]:
        """The lines before `extra`."""
        return [f"extend {self.exchange}", *_time("deadline", self.deadline), *_time("at", self.at)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawn(Entry):
    """Something was drawn in secret. Its owner is a side, "public" or "gm" (protocol 10)."""

    kind: ClassVar[str] = "draw"
    hidden: ClassVar[bool] = True

    exchange: int
    owner: str
    label: str
    result: str

    @property
    def lines(self) -> list[str]:
        """The lines before `extra`."""
        return [f"draw {self.exchange} {self.owner} {self.label} {self.result}"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reported(Entry):
    """An audience was told what this hash is of."""

    kind: ClassVar[str] = "report"
    hidden: ClassVar[bool] = True

    exchange: int
    audience: str
    sha256: str

    @property
    def lines(self) -> list[str]:
        """The lines before `extra`."""
        return [f"report {self.exchange} {self.audience} {self.sha256}"]


@dataclass(frozen=True, slots=True, kw_only=True)
class NewRules(Entry):
    """From here on the game is adjudicated by the release with this hash."""

    kind: ClassVar[str] = "rules"

    rules: str

    @property
    def lines(self) -> list[str]:
        """The lines before `extra`."""
        return [f"rules {self.rules}"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Other(Entry):
    """An entry of a kind that this version does not know, or does not read further."""

    first: str

    @property
    def lines(self) -> list[str]:
        """The lines before `extra`."""
        return [self.first]

    @property
    def word(self) -> str:
        """The kind that the first line names."""
        return self.first.partition(" ")[0]


def _time(word: str, moment: datetime | None) -> list[str]:
    return [f"{word} {utc_text(moment)}"] if moment else []
