"""The joining of a game, by a join file or by a key that replaces a seat's."""

from __future__ import annotations

from secrets import token_bytes

from pbem.errors import ConfigError
from pbem.player.keyring import Keyring
from pbem.player.store.game_store import GameFolder, Membership
from pbem.trust.chains import Reveal
from pbem.trust.identifiers import who_of
from pbem.trust.joins import Join, read_join
from pbem.trust.keys import PrivateKey
from pbem.trust.text_fields import sign_fields


def sign_up(
    folder: GameFolder,
    keys: Keyring,
    member: Membership,
    private: PrivateKey,
    recovery: str | None,
    judge: str | None,
    wishes: tuple[str, str, str],
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
        zone=wishes[0],
        share=wishes[1],
        publish=wishes[2],
        judge=judge,
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
