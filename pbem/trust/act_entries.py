"""The acts of the game master in a game, as ledger entries, and the signed consent that some of them need.

    act <exchange> <what> [<of what>] [<name>=<value>]      while this exchange is the last that was opened
    at <UTC>
    consent <name> <sha256> <n>            whoever consented, the hash of the text that they signed, and the
                                           newest entry that they had seen, which the text names
    reason <text>                          shown to all

    what        of what       it needs the consent of
    hold                                           nothing is closed or resolved until
    resume                                         this; deadlines move by as long as it took
    look        a viewer                           the game master has looked at what this viewer sees
    outage                                         mail failed when the deadline had passed: who has sent
                                                   nothing for this exchange does not count as silent in it
    concede     a player      that player          they play no more
    claim       a player      all others           the same: they have sent nothing for this exchange and
                                                   the two before it
    agree-draw                every player         the game is over
    roll-back   an exchange   every player, or     this exchange and all since are void; the game goes on
                              the official         from where the one before left it, in a new exchange
    correct     an exchange   every player, or     the same, and that exchange is played again with the same
                              the official         orders and dice, by what stands behind it
    go-on                     every player         the game goes on with the release that stands behind it

    rules=<hash>              another release of this program: only with every player's consent
    <house rule>=<value>      a house rule that was entered wrongly in the genesis: only with correct

More time is no act, but an extension (trust.entries) that names the consents of all who play, each
`to extend <UTC>`, the deadline that it has.

Whoever is left alone when a player plays no more has won. While more are left, the rules of the game say
whether it is over, which the next entry says then, or goes on: exchanges are opened without that player, who
no longer counts among those whose consent is needed, and whose questions get their defaults.

    pbem1 consent                          namespace pbem1-orders
    game stirling
    genesis <head 1>                       another game may be called so too
    seen 41 <head 41>                      the newest entry that its writer has; 1 if they have no ledger
    exchange 4
    by alice
    to concede alice

A void entry stays in the ledger. An exchange is never opened twice, so what follows a roll-back has fresh
dice, and a consent, which names its exchange and the ledger as its writer has it, fits one moment of one
history of one game. An exchange that is played again
takes its dice from the key that it had, so what has fallen stays what it was.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Annotated, Any, ClassVar

from pbem.characters import BLANKS, is_plain_line
from pbem.errors import PbemError
from pbem.trust import signature
from pbem.trust.entries import EXTEND, Entry, Genesis
from pbem.trust.faults import LedgerFault
from pbem.trust.fields import (
    COUNT,
    GIVEN,
    HEX,
    NUMBER,
    PLAYER,
    REASON,
    TEXT,
    TIME,
    ConsentRef,
    FieldText,
    Line,
    Pairs,
    Value,
    line_table,
    read_text,
)
from pbem.trust.identifiers import Namespace, check_token, is_number, quote
from pbem.trust.keys import PrivateKey, PublicKey
from pbem.trust.times import parse_utc

HOLD, RESUME, LOOK, OUTAGE = "hold", "resume", "look", "outage"
CONCEDE, AGREE_DRAW, ROLL_BACK, CLAIM = "concede", "agree-draw", "roll-back", "claim"
CORRECT, GO_ON = "correct", "go-on"
PUT_AWAY = "put-away"
"""The word by which players consent to put a game away: to end it without a result because entries were lost
when the judge was restored. After it come the size and head of the last ledger head that the judge's folder
has signed. It is not an act, so no entry records it."""
ARGUMENTS = {
    HOLD: 0,
    RESUME: 0,
    LOOK: 1,
    OUTAGE: 0,
    CONCEDE: 1,
    CLAIM: 1,
    AGREE_DRAW: 0,
    ROLL_BACK: 1,
    CORRECT: 1,
    GO_ON: 0,
}
"""The acts that a game master can do, each with the number of words that name its object."""
LEAVING = (CONCEDE, CLAIM)
"""The acts of the game master after which the player whom the act names no longer plays."""
ENDING = (*LEAVING, AGREE_DRAW)
"""The acts of the game master after which the game may be over."""
LEAST_SILENCE = 2
"""The minimum number of exchanges in a row, without the open one, to which a player has sent no orders before
all others can claim the game from that player. Nothing may have come for the open exchange either."""
VOIDING = (ROLL_BACK, CORRECT)
CHANGING = (CORRECT, GO_ON)
"""The acts of the game master whose line may also have `<name>=<value>`, a new release or house rule."""
RULES = "rules"
_IS_RELEASE = re.compile(rf"{RULES}=[0-9a-f]{{64}}").fullmatch
_IS_HOUSE_RULE = re.compile(rf"(?!{RULES}=|game=)[a-z][a-z0-9_]*=[A-Za-z0-9._-]{{1,64}}", re.ASCII).fullmatch


@dataclass(frozen=True, slots=True, kw_only=True)
class Act(Entry):
    """A ledger entry that says what the game master has done to the game."""

    form: ClassVar[str] = "act {exchange} {said}"

    exchange: int
    what: str
    of: str = ""
    change: str = ""
    """The change of release, `rules=<hash>`, or of a house rule, `<house rule>=<value>`, that the act makes;
    "" for none."""
    at: Annotated[datetime, Line("at", TIME)]
    consents: Annotated[tuple[tuple[str, ConsentRef], ...], Pairs("consent", GIVEN, PLAYER)] = ()
    """Pairs of a person's name and a reference to the consent that they signed."""
    reason: Annotated[str, Line("reason", REASON)]

    @classmethod
    def read_first(cls, words: Sequence[str]) -> dict[str, Any]:
        """Return the fields of an act's first line: the exchange, the act, its object and its change."""
        exchange, _, said = " ".join(words).partition(" ")
        what, *of = said.split(" ")
        change = of.pop() if of and "=" in of[-1] else ""
        is_known = what in ARGUMENTS and len(of) == ARGUMENTS[what] and all(of)
        if not is_known or not is_change(what, change):
            raise LedgerFault(f"{quote(said)} is nothing that a game master can do")
        named = check_token(of[0], "word") if of else ""
        return {"exchange": NUMBER.read(exchange), "what": what, "of": named, "change": change}

    @property
    def said(self) -> str:
        """The act in the words of its entry's first line."""
        return " ".join(word for word in (self.what, self.of, self.change) if word)

    @property
    def rules(self) -> str:
        """The hash of the release that the game goes on with; empty if the act does not change it."""
        name, _, value = self.change.partition("=")
        return value if name == RULES else ""

    def corrected(self, genesis: Genesis) -> Genesis:
        """Return the genesis with the house rule that the act corrects, if it corrects one."""
        name, _, value = self.change.partition("=")
        if not name or name == RULES:
            return genesis
        return replace(genesis, options=tuple((dict(genesis.options) | {name: value}).items()))


def is_forfeit(ended_by: Act | None) -> bool:
    """Tell whether the act that ended a game forfeited it, which a claim from a silent player does."""
    return ended_by is not None and ended_by.what == CLAIM


def _read_seen(text: str) -> tuple[int, str]:
    size, _, head = text.partition(" ")
    if not is_number(size) or size == "0":
        raise ValueError(text)
    return int(size), head


def _plain_words(text: str) -> str:
    if not is_plain_line(text):
        raise ValueError(text)
    return text


SEEN = Value(_read_seen, lambda seen: f"{seen[0]} {seen[1]}", words=2, length=64)
WORDS = Value(_plain_words, words=-1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Consent(FieldText):
    """One person's consent to one act of the game master in one game, as it is signed.

    `genesis`: the head of its first entry. `seen`: the newest entry that the writer has, and its head.
    """

    form: ClassVar[str] = "pbem1 consent"

    game: Annotated[str, Line("game", TEXT)]
    genesis: Annotated[str, Line("genesis", HEX)]
    seen: Annotated[tuple[int, str], Line("seen", SEEN)]
    exchange: Annotated[int, Line("exchange", COUNT)]
    by: Annotated[str, Line("by", TEXT)]
    to: Annotated[str, Line("to", WORDS)]

    @classmethod
    def misfit(cls) -> PbemError:
        """Return the fault of a text that is no consent."""
        words = ", ".join(line_table(cls))
        return LedgerFault(f"this is not a consent; one has the lines {cls.form}, {words}")

    @property
    def sha256(self) -> str:
        """The hash by which the ledger names the consent."""
        return hashlib.sha256(self.text).hexdigest()

    @property
    def given(self) -> ConsentRef:
        """The reference to the consent as a ledger entry writes it."""
        return ConsentRef(self.sha256, self.seen[0])


def sign_consent(consent: Consent, key: PrivateKey) -> bytes:
    """Return the consent with its signature, as one text."""
    return signature.sign_text(key, Namespace.ORDERS, consent.text)


def read_consent(data: bytes) -> tuple[Consent, bytes]:
    """Return a signed consent, and the armor to verify; nothing is verified yet."""
    signed = signature.split_unsealed(data)
    return parse_consent(signed.body), signed.armor


def parse_consent(text: bytes) -> Consent:
    """Return the consent that a text writes; its signature is not looked at."""
    if not text.isascii():
        raise Consent.misfit()
    return read_text(Consent, text)


def agreed_time(to: str) -> datetime:
    """Return the deadline that a consent `to extend <UTC>` agrees on.

    Raises:
        LedgerFault: the consent does not agree on a time.
    """
    return parse_utc(to.removeprefix(f"{EXTEND} "))


def verify_consent(armor: bytes, consent: Consent, key: PublicKey) -> None:
    """Raise SignatureFault unless `armor` is the signature of `key` under the consent."""
    signature.verify(armor, consent.text, Namespace.ORDERS, key)


def is_change(what: str, change: str) -> bool:
    """Tell whether `change`, a text such as `rules=<hash>`, is a valid change for the act `what`."""
    if what not in CHANGING:
        return not change
    return bool(_IS_RELEASE(change) or (what == CORRECT and _IS_HOUSE_RULE(change)))


def lacking(act: Act, genesis: Genesis, left: Collection[str] = ()) -> str:
    """Return whose consent an act of the game master lacks, in words; "" if it has all that it needs.

    `left`: the players who play no more.
    """
    given = {name for name, _ in act.consents}
    players = {player.name for player in genesis.players} - set(left)
    official = genesis.official[0] if genesis.official else ""
    if stranger := sorted(given - players - {official}):
        return f"{stranger[0]} has no say in it"
    if act.what == CONCEDE:
        if act.of not in players:
            return f"{act.of} does not play"
        return "" if act.of in given else f"{act.of} has not consented"
    if act.what == CLAIM:
        if act.of not in players:
            return f"{act.of} does not play"
        missing = players - {act.of} - given
        return f"{min(missing)} has not claimed the game" if missing else ""
    if (act.what in (AGREE_DRAW, GO_ON) or act.rules) and not players <= given:
        return f"{min(players - given)} has not consented"
    if act.what in VOIDING and not (players <= given or official in given):
        return f"neither all players nor the second official {official}".rstrip(BLANKS) + " have consented"
    return ""
