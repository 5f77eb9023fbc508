"""The keys with which players fetch letters from a post box: each player's last statement about each counts.

A word counts for the key that has signed it. After a new key of the player's it stays with the old one, which
goes on fetching what is sealed to the old key and nothing else.
"""

from __future__ import annotations

import json

from pbem.errors import ConfigError
from pbem.judge.tables.store import Store
from pbem.trust.keys import PublicKey, parse_public
from pbem.trust.player_statements import FetchKey
from pbem.trust.times import utc_text

NOTE = "fetch key "
"""Prefix of the note about one key that fetches letters: `fetch key PLAYER FINGERPRINT`."""
MAX_FETCH_KEYS = 8
"""Maximum number of keys of one player that fetch letters at once; each device needs one."""


def keep_fetch_key(store: Store, said: FetchKey, signed_by: PublicKey) -> bool:
    """Store a player's statement about a fetch key; return False if a later statement is known.

    Raises:
        ConfigError: the player has named too many fetch keys.
    """
    name = f"{NOTE}{said.player} {said.key.fingerprint}"
    made = utc_text(said.made)
    known = json.loads(store.note(name) or "{}")
    if known and (known["made"], known["withdrawn"]) >= (made, said.is_withdrawn):
        return False  # of one second a withdrawal counts
    if not known and not said.is_withdrawn and len(store.notes(f"{NOTE}{said.player} ")) >= MAX_FETCH_KEYS:
        raise ConfigError(f"{said.player} has named {MAX_FETCH_KEYS} fetch keys; withdraw one first")
    if said.is_withdrawn and not known:
        return True
    row = {"key": said.key.line, "for": signed_by.line, "made": made, "withdrawn": said.is_withdrawn}
    store.put_note(name, json.dumps(row))
    return True


def fetch_keys(store: Store) -> dict[str, tuple[PublicKey, ...]]:
    """Return the keys that may fetch letters now, by the player's key whose letters each fetches."""
    found: dict[str, list[PublicKey]] = {}
    for _, note in sorted(store.notes(NOTE).items()):
        row = json.loads(note)
        if not row["withdrawn"]:
            found.setdefault(row["for"], []).append(parse_public(row["key"]))
    return {key: tuple(keys) for key, keys in found.items()}


def forget_fetch_keys(store: Store, player: str) -> None:
    """Forget all keys with which a player fetches letters."""
    for name in store.notes(f"{NOTE}{player} "):
        store.drop_note(name)
