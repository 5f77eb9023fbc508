"""The tables of a club's database, as one version after the other has made them.

player      name, public key, address
game        id
entry       the ledgers, row by row: the exact bytes, leaf and head
checkpoint  the judge's signature under a head
sealed      order files as received (binary age), reports and what was signed, by their SHA-256; see kept
incoming    everything that arrived, raw, stored before it is looked at
letter      what leaves, and whether it has left; in which form: kept
profile     players' time zones, and the addresses that may be told to opponents
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


@migrations()
def first_schema(db: Database) -> None:
    """Version 1."""
    db.table("player").create({"name": str, "key": str, "address": str}, pk="name", strict=True)
    db.table("game").create({"id": str}, pk="id", strict=True)
    db.table("entry").create(
        {"game": str, "number": int, "text": bytes, "salt": str, "leaf": str, "head": str},
        pk=("game", "number"),
        foreign_keys=[("game", "game", "id")],
        strict=True,
    )
    db.table("checkpoint").create(
        {"game": str, "size": int, "head": str, "signature": bytes}, pk=("game", "size"), strict=True
    )
    db.table("sealed").create({"sha256": str, "data": bytes}, pk="sha256", strict=True)
    db.table("incoming").create(
        {"id": int, "at": str, "raw": bytes, "sender": str, "done": int, "result": str}, pk="id", strict=True
    )
    db.table("letter").create(
        {"id": int, "game": str, "player": str, "name": str, "data": bytes, "sent": str},
        pk="id",
        strict=True,
    )
    db.table("letter").create_index(["game", "player", "name"], unique=True)


@migrations()
def mail_schema(db: Database) -> None:
    """Version 2: mail in and mail out."""
    for statement in (
        "ALTER TABLE incoming ADD COLUMN source TEXT NOT NULL DEFAULT ''",
        "ALTER TABLE incoming ADD COLUMN size INTEGER NOT NULL DEFAULT 0",
        "CREATE UNIQUE INDEX incoming_source ON incoming (source) WHERE source <> ''",
        "CREATE INDEX incoming_waiting ON incoming (id) WHERE done = 0",
        "ALTER TABLE letter ADD COLUMN at TEXT NOT NULL DEFAULT ''",
        "ALTER TABLE letter ADD COLUMN text TEXT NOT NULL DEFAULT ''",
        "ALTER TABLE letter ADD COLUMN address TEXT NOT NULL DEFAULT ''",
        "ALTER TABLE letter ADD COLUMN answers TEXT NOT NULL DEFAULT ''",
        "ALTER TABLE letter ADD COLUMN deadline TEXT NOT NULL DEFAULT ''",
        "ALTER TABLE letter ADD COLUMN copy INTEGER NOT NULL DEFAULT 0",
        "ALTER TABLE letter ADD COLUMN tries INTEGER NOT NULL DEFAULT 0",
        "ALTER TABLE letter ADD COLUMN retry TEXT NOT NULL DEFAULT ''",
        "ALTER TABLE letter ADD COLUMN trouble TEXT NOT NULL DEFAULT ''",
        "CREATE INDEX letter_unsent ON letter (id) WHERE sent = ''",
        (
            "CREATE TABLE absence (player TEXT, begins TEXT, ends TEXT, made TEXT, statement BLOB, "
            "PRIMARY KEY (player, begins, ends)) STRICT"
        ),
        "CREATE TABLE answered (address TEXT, day TEXT, count INTEGER, PRIMARY KEY (address, day)) STRICT",
        "CREATE TABLE note (name TEXT PRIMARY KEY, value TEXT) STRICT",
        "CREATE TABLE derived (game TEXT, name TEXT, head TEXT, data TEXT, PRIMARY KEY (game, name)) STRICT",
    ):
        db.conn.execute(statement)


@migrations()
def profile_schema(db: Database) -> None:
    """Version 3: what players wish of the judge's mail."""
    db.conn.execute("CREATE TABLE profile (player TEXT PRIMARY KEY, zone TEXT, share TEXT, made TEXT) STRICT")


@migrations()
def unattended_schema(db: Database) -> None:
    """Version 4: what is known of mails and letters without looking at the mailbox."""
    for statement in (
        "ALTER TABLE incoming ADD COLUMN digest TEXT NOT NULL DEFAULT ''",
        "CREATE INDEX incoming_digest ON incoming (digest) WHERE digest <> ''",
        "ALTER TABLE letter ADD COLUMN failed TEXT NOT NULL DEFAULT ''",
        "CREATE INDEX letter_trouble ON letter (id) WHERE trouble <> ''",
        "CREATE TABLE alert (name TEXT PRIMARY KEY, since TEXT, told TEXT, text TEXT) STRICT",
    ):
        db.conn.execute(statement)


@migrations()
def page_schema(db: Database) -> None:
    """Version 5: to which key a letter is sealed, so that its page can be sealed to the same."""
    db.conn.execute("ALTER TABLE letter ADD COLUMN key TEXT NOT NULL DEFAULT ''")


@migrations()
def league_schema(db: Database) -> None:
    """Version 6: leagues, whose ledgers lie beside those of games."""
    for statement in (
        (
            "CREATE TABLE league (name TEXT PRIMARY KEY, file BLOB NOT NULL, head TEXT NOT NULL DEFAULT '', "
            "due TEXT NOT NULL DEFAULT '', over INTEGER NOT NULL DEFAULT 0, "
            "trouble TEXT NOT NULL DEFAULT '') STRICT"
        ),
        (
            "CREATE TABLE league_entry (league TEXT REFERENCES league (name), number INTEGER, text BLOB, "
            "salt TEXT, leaf TEXT, head TEXT, PRIMARY KEY (league, number)) STRICT"
        ),
        (
            "CREATE TABLE league_checkpoint (league TEXT, size INTEGER, head TEXT, signature BLOB, "
            "PRIMARY KEY (league, size)) STRICT"
        ),
        "CREATE TABLE league_game (game TEXT PRIMARY KEY, league TEXT, waiting INTEGER) STRICT",
    ):
        db.conn.execute(statement)


@migrations()
def receipt_schema(db: Database) -> None:
    """Version 7: the file that a receipt is for."""
    db.conn.execute("ALTER TABLE letter ADD COLUMN sealed TEXT NOT NULL DEFAULT ''")


@migrations()
def journal_schema(db: Database) -> None:
    """Version 8: what has changed since the last record of the journal."""
    db.conn.execute(
        "CREATE TABLE changed (id INTEGER PRIMARY KEY, name TEXT, place INTEGER, due INTEGER) STRICT"
    )
    db.conn.execute(
        "CREATE TABLE journal (number INTEGER PRIMARY KEY, era TEXT, digest TEXT, data BLOB, letters TEXT, "
        "written INTEGER, mailed INTEGER) STRICT"
    )


@migrations()
def moment_schema(db: Database) -> None:
    """Version 9: what all players know of the time that a letter is about."""
    db.conn.execute("ALTER TABLE letter ADD COLUMN moment TEXT NOT NULL DEFAULT ''")


@migrations()
def calendar_schema(db: Database) -> None:
    """Version 10: a reader's deadlines are counted; those that have left had the seconds since 2026."""
    db.conn.execute("ALTER TABLE letter ADD COLUMN calendar INTEGER NOT NULL DEFAULT 0")
    db.conn.execute(
        "UPDATE letter SET calendar = strftime('%s', at) - 1767225600 WHERE deadline <> '' AND at <> ''"
    )


@migrations()
def packed_schema(db: Database) -> None:
    """Version 11: what a letter says when sealed is packed (mail_tables); a release before would send it so.

    Letters that are there stay as they are: they are read as well.
    """


@migrations()
def unsealed_schema(db: Database) -> None:
    """Version 12: letters are kept before they are sealed (kept); a release before could not read them.

    Letters, files and mails that are there stay as they are and are read as well, but for a mail that might
    pass for packed.
    """
    from pbem.judge.tables.kept import pack_mail

    odd = db.conn.execute("SELECT id, raw FROM incoming WHERE substr(raw, 1, 1) = x'01'").fetchall()
    for number, raw in odd:
        db.conn.execute("UPDATE incoming SET raw = ? WHERE id = ?", (pack_mail(raw, "", b""), number))
