"""Keys that players have named to fetch their letters from a post box: the last word about each is kept.

A word counts for the key that has signed it. After a new key of the player's it stays with the old one, which
goes on fetching what is sealed to the old key and nothing else.
"""

from __future__ import annotations

import json

from pbem.errors import ConfigError
from pbem.judge.tables.store import Store
from pbem.trust.fetch_key import FetchKey
from pbem.trust.keys import PublicKey, parse_public
from pbem.trust.times import utc_text

NOTE = "fetch key "
"""Prefix of the note about one fetch key: `fetch key PLAYER FINGERPRINT`."""
MAX_FETCH_KEYS = 8
"""Maximum number of fetch keys of one player that are known at once; one for each device is plenty."""


def keep_fetch_key(store: Store, said: FetchKey, signed_by: PublicKey) -> bool:
    """Keep a player's word about a fetch key; return False if a later word is known.

    Raises:
        ConfigError: the player has named too many.
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
    """Return the fetch keys in force, by the line of the player's key for which they fetch."""
    found: dict[str, list[PublicKey]] = {}
    for _, note in sorted(store.notes(NOTE).items()):
        row = json.loads(note)
        if not row["withdrawn"]:
            found.setdefault(row["for"], []).append(parse_public(row["key"]))
    return {key: tuple(keys) for key, keys in found.items()}


def forget_fetch_keys(store: Store, player: str) -> None:
    """Forget the fetch keys of a player."""
    for name in store.notes(f"{NOTE}{player} "):
        store.drop_note(name)
