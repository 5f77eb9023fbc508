"""The new key of a seat, or of the judge: the text that is signed for it, and the ledger entry.

    pbem1 rotate
    game stirling
    genesis <head 1>                the head of the game's first entry: another game may be called so too
    player alice                    the seat, whose name never changes; or gm, the judge
    exchange 4                      the one that is open
    old SHA256:...                  the key that has counted until then
    new ssh-ed25519 AAAA...         the same one, if only the chain is new
    anchor alice.2 0 <hex>          optional: a new chain
    recovery SHA256:...             optional, where there are consents: the recovery key from now on
    person carol                    optional, where there are consents: who sits there from now on

signed by the new key (namespace pbem1-rotate), and either by the old key (pbem1-rotate) or the recovery key
(pbem1-recover), or with consents instead (act_entries; each `to rotate alice <sha256 of this text>`): that of
who has the seat, by the old key, or of all other players, or of the second official. A rotation file is the
text and one or two armored signatures, that of the new key last.

    rotate <exchange> <player> <fingerprint of the new key>
    at <UTC>
    key ssh-ed25519 AAAA...
    old <fingerprint>
    anchor, recovery, person        as in the text
    consent <name> <sha256> <n>     whoever consented, as in acts
    reason <text>                   where there are consents
    text <sha256 of the text>

What counts when is decided by the exchange alone, never by a date. The new key signs from the exchange after
the one that is open; where others have consented in the holder's stead, from the one after that. A new chain
is in force from the exchange after the next on, in which nobody's values are known yet; in the exchange
before, none is, and orders for the seat may carry no reveal. What a thief signs with the old key for a later
exchange is refused, and for an earlier one it comes too late. The judge's new key alone counts at once, for
the ledger from its entry on.
A key that came by consent leaves no recovery key but the one that its text names; else that of the genesis
stays, so that who steals a key cannot get rid of it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, ClassVar

from pbem.errors import PbemError
from pbem.trust import signature
from pbem.trust.chance import Reveal
from pbem.trust.entries import Entry, Genesis
from pbem.trust.faults import LedgerFault, SignatureFault, TrustFault
from pbem.trust.fields import (
    ANCHOR,
    COUNT,
    FINGERPRINT,
    GIVEN,
    HASH,
    HEX,
    KEY,
    NUMBER,
    PLAYER,
    REASON,
    REVEAL,
    TEXT,
    TIME,
    ConsentRef,
    FieldText,
    Line,
    Maybe,
    Pairs,
    Value,
    read_text,
)
from pbem.trust.identifiers import Namespace, check_player_name, split_who
from pbem.trust.keys import PrivateKey, parse_public

GM = "gm"
"""The word for the judge, where a player's name would stand."""
SEAT = Value(lambda name: name if name == GM else check_player_name(name))


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyChange(FieldText):
    """The signed text about a new key. `genesis`: the head of the game's first entry."""

    form: ClassVar[str] = "pbem1 rotate"

    game: Annotated[str, Line("game", TEXT)]
    genesis: Annotated[str, Line("genesis", HEX)]
    player: Annotated[str, Line("player", TEXT)]
    exchange: Annotated[int, Line("exchange", COUNT)]
    old: Annotated[str, Line("old", Value(str, length=50))]
    new: Annotated[str, Line("new", Value(str, words=2, length=68))]
    anchor: Annotated[Reveal | None, Maybe("anchor", REVEAL)] = None
    recovery: Annotated[str, Maybe("recovery", Value(str, length=50))] = ""
    person: Annotated[str, Maybe("person", TEXT)] = ""

    @classmethod
    def misfit(cls) -> PbemError:
        """Return the fault of a text that is no rotation."""
        return LedgerFault(
            "this is not a rotation: its text and its signatures, as pbem sign rotation writes them"
        )

    @property
    def sha256(self) -> str:
        """The SHA-256 of the signed text, by which the ledger entry and the consents name it."""
        return hashlib.sha256(self.text).hexdigest()

    @property
    def consent(self) -> str:
        """The words after `to` in a consent to the new key."""
        return f"rotate {self.player} {self.sha256}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Rotation(Entry):
    """The entry of a new key for a seat or the judge, which may bring a new chain or another person."""

    form: ClassVar[str] = "rotate {exchange} {player} {fingerprint}"

    exchange: Annotated[int, NUMBER]
    player: Annotated[str, SEAT]
    at: Annotated[datetime, Line("at", TIME)]
    key: Annotated[str, Line("key", KEY)]
    old: Annotated[str, Line("old", FINGERPRINT)]
    anchor: Annotated[Reveal | None, Maybe("anchor", ANCHOR)] = None
    recovery: Annotated[str, Maybe("recovery", FINGERPRINT)] = ""
    person: Annotated[str, Maybe("person", PLAYER)] = ""
    consents: Annotated[tuple[tuple[str, ConsentRef], ...], Pairs("consent", GIVEN, PLAYER)] = ()
    """Pairs of a person's name and their consent; if there are none, the old or recovery key has signed."""
    reason: Annotated[str, Maybe("reason", REASON)] = ""
    text_sha256: Annotated[str, Line("text", HASH)]

    def check(self) -> None:
        """Check that the new chain, if there is one, is a chain of the player's."""
        if self.anchor is not None and split_who(self.anchor.who)[0] != self.player:
            raise LedgerFault(f"its anchor is of the chain {self.anchor.who}, which is not {self.player}'s")

    @property
    def fingerprint(self) -> str:
        """The fingerprint of the new key."""
        return parse_public(self.key).fingerprint

    @property
    def starts(self) -> int:
        """The first exchange that the new key signs."""
        return self.exchange + (2 if self.by_others else 1)

    @property
    def by_others(self) -> bool:
        """Whether others have consented to the new key in place of its seat's holder."""
        return bool(self.consents) and self.player not in dict(self.consents)

    @property
    def chain_starts(self) -> int:
        """The first exchange in which a new chain is in force."""
        return self.exchange + 2

    def change(self, game: str, genesis: str) -> KeyChange:
        """Return the key change that the entry is about; its signed text must have the hash in the entry."""
        return KeyChange(
            game=game,
            genesis=genesis,
            player=self.player,
            exchange=self.exchange,
            old=self.old,
            new=self.key,
            anchor=self.anchor,
            recovery=self.recovery,
            person=self.person,
        )

    def lacks(self, genesis: Genesis, left: Collection[str] = ()) -> str:
        """Return whose consent the entry lacks, in words; "" if nobody's. `left`: those who no longer play.

        Without any consent the old or the recovery key must have signed, which verify_rotation checks.
        """
        if not self.consents:
            return f"{self.player} has not consented" if self.person or self.recovery else ""
        given = {name for name, _ in self.consents}
        players = {player.name for player in genesis.players}
        official = genesis.official[0] if genesis.official else ""
        if stranger := sorted(given - players - {official}):
            return f"{stranger[0]} has no say in it"
        others = players - {self.player} - set(left)
        if self.player in given or official in given or (others and others <= given):
            return ""
        return f"{min(others - given)} has not consented"


def rotation_in_words(rotation: Rotation) -> str:
    """Return a sentence about a new key: whose it is, from when it counts, and who consented."""
    if rotation.player == GM:
        return "the judge signs with a new key from here on"
    if rotation.person:
        said = f"{rotation.person} takes the seat of {rotation.player} and signs"
    else:
        said = f"{rotation.player} signs"
    key = "the same key" if rotation.fingerprint == rotation.old else "a new key"
    said += f" with {key} from exchange {rotation.starts} on"
    if rotation.anchor is not None:
        said += f", and reveals from {rotation.anchor.who} from exchange {rotation.chain_starts} on"
    said += "".join(f", with the consent of {name}" for name, _ in rotation.consents)
    return said + (f" ({rotation.reason})" if rotation.reason else "")


@dataclass(frozen=True, slots=True)
class RotationFile:
    """A rotation file as it was handed in; its signatures are not yet looked at."""

    change: KeyChange
    by: bytes
    """The armored signature by the old or the recovery key; empty if consents take its place."""
    new: bytes
    """The armored signature by the new key under the rotation."""

    @property
    def data(self) -> bytes:
        """The bytes of the rotation file."""
        return self.change.text + self.by + self.new


def sign_rotation(change: KeyChange, by: PrivateKey | None, new: PrivateKey) -> bytes:
    """Return the rotation file; `by` is the old key, or else the recovery key, or None if neither is left."""
    signed = change.text
    if by is not None:
        namespace = Namespace.ROTATE if by.public.fingerprint == change.old else Namespace.RECOVER
        signed = signature.sign_text(by, namespace, change.text)
    return signed + signature.sign(new, Namespace.ROTATE, change.text)


def read_rotation(data: bytes) -> RotationFile:
    """Return the parts of a rotation file.

    Raises:
        LedgerFault: the bytes are not a rotation file.
    """
    body, *armors = signature.unify_line_ends(data).split(signature.BEGIN)
    if not body.isascii() or len(armors) not in (1, 2):
        raise KeyChange.misfit()
    try:
        change = read_text(KeyChange, body)
    except TrustFault:
        raise KeyChange.misfit() from None
    *by, new = (signature.BEGIN + armor for armor in armors)
    return RotationFile(change, b"".join(by), new)


def verify_rotation(file: RotationFile, old: str, recovery: str | None, *, consented: bool = False) -> None:
    """Raise SignatureFault unless a rotation file has the signatures that it needs, also by the new key.

    `old`, `recovery`: the fingerprints of the key that counts, and of the recovery key if there is one.
    `consented`: consents, which are checked apart, replace the signature by one of these keys.
    """
    change = file.change
    if change.old != old:
        raise SignatureFault(f"it replaces the key {change.old}; the key that counts is {old}")
    if consented == bool(file.by):
        raise SignatureFault("it needs either the signature of the old or recovery key, or consents")
    if file.by:
        signer = signature.parse(file.by).key
        if signer.fingerprint == old:
            signature.verify(file.by, change.text, Namespace.ROTATE, signer)
        elif recovery is not None and signer.fingerprint == recovery:
            signature.verify(file.by, change.text, Namespace.RECOVER, signer)
        else:
            raise SignatureFault(
                f"it is signed by {signer.fingerprint}, which is neither the old key nor the recovery key",
                reason="wrong-key",
            )
    signature.verify(file.new, change.text, Namespace.ROTATE, parse_public(change.new))
