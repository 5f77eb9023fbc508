"""The file with which a player asks to take part in a game.

Made by the player's program, signed with the player's key in the namespace pbem1-orders:

    pbem1 join
    game hearth
    player alice
    key ssh-ed25519 AAAA...
    anchor alice.1 0 <64 hex>           the player's chain; optional
    recovery SHA256:...                 a key that may only replace this one; optional
    judge SHA256:...                    whom it is meant for; without it, anybody may invite
    zone Europe/London                  optional, see profile
    share alice@example.org             optional, see profile
    publish yes                         optional, see profile
"""

from __future__ import annotations

from dataclasses import dataclass

from pbem.trust.chains import Reveal, parse_reveal
from pbem.trust.faults import OrderFileFault
from pbem.trust.identifiers import check_game_id, check_player_name, is_fingerprint, quote
from pbem.trust.keys import PrivateKey, PublicKey, parse_public
from pbem.trust.letters import head_words
from pbem.trust.namespaces import Namespace
from pbem.trust.profile import NO, NOBODY, check_wishes, wish_lines
from pbem.trust.signature import sign_text, split_unsealed, verify

_MAX_JOIN_SIZE = 4_096


@dataclass(frozen=True, slots=True, kw_only=True)
class Join:
    """A player's signed wish to take part in a game: their key, chain's anchor, recovery key and wishes."""

    game: str
    player: str
    key: PublicKey
    anchor: Reveal | None = None
    recovery: str | None = None
    zone: str = ""
    share: str = ""
    publish: str = ""
    judge: str | None = None
    """The fingerprint of the judge whom the file is meant for; None if anybody may invite (protocol 22)."""

    @property
    def text(self) -> bytes:
        """The bytes of the join file that are signed."""
        lines = ["pbem1 join", f"game {self.game}", f"player {self.player}", f"key {self.key.line}"]
        lines += [f"anchor {self.anchor.text}"] if self.anchor else []
        lines += [f"recovery {self.recovery}"] if self.recovery else []
        lines += [f"judge {self.judge}"] if self.judge else []
        lines += wish_lines(self.zone, self.share, self.publish)
        return "".join(f"{line}\n" for line in lines).encode()


def sign_join(join: Join, key: PrivateKey) -> bytes:
    """Return the join file: signed text."""
    return sign_text(key, Namespace.ORDERS, join.text)


def read_join(data: bytes) -> Join:
    """Return the checked content of a join file, whose own key must have signed it."""
    if len(data) > _MAX_JOIN_SIZE:
        raise OrderFileFault("the file is too long for a join file", reason="too-large")
    signed = split_unsealed(data)
    words = head_words(
        signed.body,
        "join",
        ("game", "player", "key", "anchor", "recovery", "judge", "zone", "share", "publish"),
    )
    if missing := [word for word in ("game", "player", "key") if word not in words]:
        raise OrderFileFault(f"the join file has no line {missing[0]!r}")
    player = check_player_name(words["player"])
    anchor = parse_reveal(words["anchor"]) if "anchor" in words else None
    if anchor is not None and (anchor.who != f"{player}.1" or anchor.step != 0):
        raise OrderFileFault(f"the anchor of {player} must be step 0 of the chain {player}.1")
    recovery, judge = words.get("recovery"), words.get("judge")
    for fingerprint in (recovery, judge):
        if fingerprint is not None and not is_fingerprint(fingerprint):
            raise OrderFileFault(f"{quote(fingerprint)} is not a fingerprint of a key")
    join = Join(
        game=check_game_id(words["game"]),
        player=player,
        key=parse_public(words["key"]),
        anchor=anchor,
        recovery=recovery,
        zone=words.get("zone", ""),
        share=words.get("share", ""),
        publish=words.get("publish", ""),
        judge=judge,
    )
    check_wishes(join.zone, join.share, join.publish)
    if join.share == NOBODY:
        raise OrderFileFault("a join file shares an address or has no line 'share'")
    if join.publish == NO:
        raise OrderFileFault("a join file has the line 'publish yes' or none")
    if join.text != signed.body:
        raise OrderFileFault("the join file is not written as its format demands")
    verify(signed.armor, signed.body, Namespace.ORDERS, join.key)
    return join
