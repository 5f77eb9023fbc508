"""The tables of a club's database.

A release that changes them adds a step below the first, and names it `NEWEST` in database.

player      name, public key, address
game        id
entry       the ledgers, row by row: the exact bytes, leaf and head
checkpoint  the judge's signature under a head
sealed      order files as received (binary age), reports and what was signed, by their SHA-256; see packing
incoming    everything that arrived, raw, stored before it is looked at
letter      what leaves, and whether it has left; packing says in which form
profile     players' time zones, addresses that may be told to opponents, whether their games are shown
absence     when players said, signed, that they would be away
answered    how often an address was written to on a day by way of answer
note        what a pass leaves to the next, by name
alert       what the game master was told of, so that it is told once
league      a league's file, and when something may be due in it; its ledger: league_entry, league_checkpoint
league_game games that belong to a league, and whether it still waits for them
changed, journal    what has changed since the last record of the journal, and records on their way
derived     what was worked out from a ledger, with the head that it holds for; never the truth
"""

from __future__ import annotations

from sqlite_utils import Database, Migrations

migrations = Migrations("pbem")

FIRST = (
    "CREATE TABLE player (name TEXT PRIMARY KEY, key TEXT, address TEXT) STRICT",
    "CREATE TABLE game (id TEXT PRIMARY KEY) STRICT",
    """CREATE TABLE entry (
        game TEXT REFERENCES game (id), number INTEGER, text BLOB, salt TEXT, leaf TEXT, head TEXT,
        PRIMARY KEY (game, number)) STRICT""",
    """CREATE TABLE checkpoint (
        game TEXT, size INTEGER, head TEXT, signature BLOB, PRIMARY KEY (game, size)) STRICT""",
    "CREATE TABLE sealed (sha256 TEXT PRIMARY KEY, data BLOB) STRICT",
    """CREATE TABLE incoming (
        id INTEGER PRIMARY KEY, at TEXT, raw BLOB, sender TEXT, done INTEGER, result TEXT,
        source TEXT NOT NULL DEFAULT '', size INTEGER NOT NULL DEFAULT 0,
        digest TEXT NOT NULL DEFAULT '') STRICT""",
    "CREATE UNIQUE INDEX incoming_source ON incoming (source) WHERE source <> ''",
    "CREATE INDEX incoming_digest ON incoming (digest) WHERE digest <> ''",
    "CREATE INDEX incoming_waiting ON incoming (id) WHERE done = 0",
    """CREATE TABLE letter (
        id INTEGER PRIMARY KEY, game TEXT, player TEXT, name TEXT, data BLOB, sent TEXT,
        at TEXT NOT NULL DEFAULT '', text TEXT NOT NULL DEFAULT '', address TEXT NOT NULL DEFAULT '',
        answers TEXT NOT NULL DEFAULT '', deadline TEXT NOT NULL DEFAULT '', copy INTEGER NOT NULL DEFAULT 0,
        tries INTEGER NOT NULL DEFAULT 0, retry TEXT NOT NULL DEFAULT '', trouble TEXT NOT NULL DEFAULT '',
        failed TEXT NOT NULL DEFAULT '', key TEXT NOT NULL DEFAULT '', sealed TEXT NOT NULL DEFAULT '',
        moment TEXT NOT NULL DEFAULT '', calendar INTEGER NOT NULL DEFAULT 0) STRICT""",
    "CREATE UNIQUE INDEX letter_name ON letter (game, player, name)",
    "CREATE INDEX letter_unsent ON letter (id) WHERE sent = ''",
    "CREATE INDEX letter_trouble ON letter (id) WHERE trouble <> ''",
    "CREATE TABLE profile (player TEXT PRIMARY KEY, zone TEXT, share TEXT, made TEXT) STRICT",
    """CREATE TABLE absence (
        player TEXT, begins TEXT, ends TEXT, made TEXT, statement BLOB,
        PRIMARY KEY (player, begins, ends)) STRICT""",
    "CREATE TABLE answered (address TEXT, day TEXT, count INTEGER, PRIMARY KEY (address, day)) STRICT",
    "CREATE TABLE note (name TEXT PRIMARY KEY, value TEXT) STRICT",
    "CREATE TABLE alert (name TEXT PRIMARY KEY, since TEXT, told TEXT, text TEXT) STRICT",
    """CREATE TABLE league (
        name TEXT PRIMARY KEY, file BLOB NOT NULL, head TEXT NOT NULL DEFAULT '',
        due TEXT NOT NULL DEFAULT '', over INTEGER NOT NULL DEFAULT 0,
        trouble TEXT NOT NULL DEFAULT '') STRICT""",
    """CREATE TABLE league_entry (
        league TEXT REFERENCES league (name), number INTEGER, text BLOB, salt TEXT, leaf TEXT, head TEXT,
        PRIMARY KEY (league, number)) STRICT""",
    """CREATE TABLE league_checkpoint (
        league TEXT, size INTEGER, head TEXT, signature BLOB, PRIMARY KEY (league, size)) STRICT""",
    "CREATE TABLE league_game (game TEXT PRIMARY KEY, league TEXT, waiting INTEGER) STRICT",
    "CREATE TABLE changed (id INTEGER PRIMARY KEY, name TEXT, place INTEGER, due INTEGER) STRICT",
    """CREATE TABLE journal (
        number INTEGER PRIMARY KEY, era TEXT, digest TEXT, data BLOB, letters TEXT, written INTEGER,
        mailed INTEGER) STRICT""",
    "CREATE TABLE derived (game TEXT, name TEXT, head TEXT, data TEXT, PRIMARY KEY (game, name)) STRICT",
)


@migrations()
def first_schema(db: Database) -> None:
    """Create all tables of the first version."""
    for statement in FIRST:
        db.conn.execute(statement)


@migrations()
def published_profiles(db: Database) -> None:
    """Add the profile column that says whether a player's games may be shown to everybody."""
    db.conn.execute("ALTER TABLE profile ADD COLUMN publish TEXT NOT NULL DEFAULT ''")
