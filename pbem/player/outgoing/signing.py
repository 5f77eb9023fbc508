"""The checks and steps before a player signs something that is no order: join files, new keys, consents.

A game is joined by a join file, or by a key that replaces a seat's. Before a consent or a new key is signed,
it has to be clear which game is meant, and what would be lost.
"""

from __future__ import annotations

from collections.abc import Mapping
from secrets import token_bytes

from pbem.errors import ConfigError
from pbem.player.faults import Refused
from pbem.player.keyring import Keyring
from pbem.player.store.game_papers import Chronicle
from pbem.player.store.game_store import GameFolder, Membership
from pbem.trust.act_entries import PUT_AWAY, agreed_time
from pbem.trust.chance import Reveal
from pbem.trust.entries import EXTEND
from pbem.trust.fields import sign_fields
from pbem.trust.identifiers import is_hash, is_number, who_of
from pbem.trust.keys import PrivateKey
from pbem.trust.player_statements import Join, read_join
from pbem.trust.times import utc_text


def sign_up(
    folder: GameFolder,
    keys: Keyring,
    member: Membership,
    private: PrivateKey,
    recovery: str | None,
    judge: str | None,
    wishes: Mapping[str, str],
) -> bytes:
    """Return the signed join file of a game; once the game's invitation has come, the one signed before."""
    if folder.leaves():
        return _joined_before(folder, member)
    game, player = folder.game, member.player
    chain = folder.new_chain(who_of(player), token_bytes(32))
    made = keys.recovery(member.key_file)
    join = Join(
        game=game,
        player=player,
        key=private.public,
        anchor=Reveal(chain.who, 0, chain.anchor),
        recovery=recovery or (made.fingerprint if made else None),
        judge=judge,
        **wishes,
    )
    signed = sign_fields(join, private)
    read_join(signed)
    folder.enlist(member, signed)
    return signed


def _joined_before(folder: GameFolder, member: Membership) -> bytes:
    """Return the join file of a game that has begun; only the place of the key may still change."""
    known, signed = folder.membership(), folder.join_file()
    if (known.player, known.public) != (member.player, member.public):
        raise ConfigError(
            f"you play {folder.game} as {known.player} with the key {known.public.fingerprint}; after the "
            f"invitation you cannot change that"
        )
    if signed is None:
        raise ConfigError(f"you already play {folder.game}, without a chain of your own")
    folder.enlist(member, None)
    return signed


def enlist_anew(folder: GameFolder, member: Membership, chain: int) -> Reveal | None:
    """Prepare a home for letters to a seat with a new key; return the anchor of its new chain, if any."""
    known = folder.find_membership()
    if known is None:
        known = member
        folder.enlist(member, None)
    if not chain:
        return None
    if known.player != member.player:
        raise ConfigError(
            f"you play {folder.game} as {known.player}; this home makes no chain of {member.player}"
        )
    made = folder.new_chain(who_of(member.player, chain), token_bytes(32))
    return Reveal(made.who, 0, made.anchor)


def replaced_key(folder: GameFolder, keys: Keyring, player: str, exchange: int) -> str:
    """Return the fingerprint of the key that a new one replaces, by the kept ledger or the player's name."""
    if (chronicle := folder.chronicle()) is not None and chronicle.enrolled_player(player):
        return chronicle.history.seats.fingerprint(player, exchange + 1)
    if player not in keys.names():
        raise ConfigError("name the key that is replaced: --old-fingerprint SHA256:...")
    return keys.public(player).fingerprint


def first_head(folder: GameFolder, named: str) -> str:
    """Return the head of a game's first entry, by the kept ledger, or as the player named it.

    Raises:
        ConfigError: no ledger is kept and no head was named, or the two differ.
    """
    chronicle = folder.chronicle()
    if chronicle is not None and named not in ("", chronicle.heads[0]):
        raise ConfigError(f"the first head of {folder.game} is {chronicle.heads[0]} here, not {named}")
    if chronicle is None and not is_hash(named):
        raise ConfigError(
            f"no letter of {folder.game} is in this home, so name the game by the head of its first entry, "
            f"which is in the invitation: --genesis HEAD"
        )
    return chronicle.heads[0] if chronicle else named


def newest_seen(folder: GameFolder, genesis: str, to: str) -> tuple[int, str]:
    """Return the newest entry that the consenting player has, and its head, both of which the consent names.

    Without a ledger it is the genesis; of a restored game that is put away, the last that its judge has.
    """
    chronicle = folder.chronicle()
    if chronicle is None:
        return 1, genesis
    what, *last = to.split(" ")
    size = int(last[0]) if what == PUT_AWAY else chronicle.size
    return size, chronicle.heads[size - 1]


def check_lost(folder: GameFolder, to: str, lost: int) -> None:
    """Refuse a consent to put a restored game away unless it names the entries that its judge lacks.

    `lost`: how many entries they give up. Who has no letter of the game, an official, gives up none.

    Raises:
        Refused: what is lost has to be read first, or the judge's last head is not that of this ledger.
    """
    what, *last = to.split(" ")
    if what != PUT_AWAY:
        return
    if len(last) != 2 or not is_number(last[0]) or not is_hash(last[1]):
        raise Refused(f"name the judge's head at which {folder.game} is put away: {PUT_AWAY} SIZE HEAD")
    if (chronicle := folder.chronicle()) is None:
        return
    size, head = int(last[0]), last[1]
    if size > chronicle.size:
        raise Refused(
            f"your ledger ends at entry {chronicle.size}, and the judge's at {size}: "
            "receive their letters first"
        )
    if chronicle.head_at(size) != head:
        raise Refused(
            f"at entry {size} of {folder.game} your ledger has the head {chronicle.head_at(size)}, not "
            f"{head}: if the judge has signed that head, there are two histories; do not consent"
        )
    if lost != chronicle.size - size:
        raise Refused(
            f"{_entries_lost(chronicle, size)} are lost, not {lost}; to consent to that, add --lost "
            f"{chronicle.size - size}"
        )


def check_more_time(folder: GameFolder, exchange: int, to: str) -> None:
    """Refuse a consent to a deadline that the open exchange, by the kept ledger, cannot get.

    Raises:
        Refused: the deadline is none, or not later than the one that the exchange has.
    """
    if to.partition(" ")[0] != EXTEND:
        return
    later, chronicle = agreed_time(to), folder.chronicle()
    current = chronicle.history.current if chronicle else None
    if current is None or current.number != exchange or current.deadline is None:
        return  # the judge says what it is
    if current.closed is not None or later <= current.deadline:
        why = "closed" if current.closed else f"open until {utc_text(current.deadline)}"
        raise Refused(
            f"exchange {exchange} of {folder.game} is {why}; nobody can move that to {utc_text(later)}"
        )


def _entries_lost(chronicle: Chronicle, size: int) -> str:
    """Return words for the entries that are lost if a judge's ledger ends at entry `size`."""
    played = [
        f"exchange {one.number} as it was played" for one in chronicle.exchanges if one.resolved_at > size
    ]
    said = f"{chronicle.size - size} entries of {chronicle.game} that the judge has signed"
    return f"{said} ({', '.join(played)})" if played else said
