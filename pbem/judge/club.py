"""The club folder, which holds the judge's settings, keys and database, and letters that go out as files.

club.toml       the club's name and how long an exchange lasts
club.db         the database
keys/gm         the judge's signing key (OpenSSH), readable by its owner alone; gm.pub beside it
keys/gm.recovery.pub   the key that may only replace it, if there is one; its private half is kept elsewhere
keys/master     32 bytes as hex: every game's chains, salts and seals follow from them
out/            letters for the players, as files
joins/          requests to join that wait for the game master
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pbem.characters import plain
from pbem.errors import ConfigError, LedgerError
from pbem.judge.cache import MAX_ENTRIES, Recent
from pbem.judge.tables.database import PlayerRow, wall_clock
from pbem.judge.tables.store import Store
from pbem.trust.faults import KeyFault
from pbem.trust.identifiers import check_player_name, shown_value, typed_address
from pbem.trust.keys import check_private_mode, write_private_file
from pbem.trust.times import FARTHEST

if TYPE_CHECKING:  # loaded where they are needed: a glance at the club needs the database alone
    from pbem.judge.book import Book, LedgerBook
    from pbem.judge.cache import Place, Played
    from pbem.judge.deadlines.rhythm import Moved, Rhythm
    from pbem.play.history import History
    from pbem.trust import keys
    from pbem.trust.chance import Chain, Roots
    from pbem.trust.entries import Open
    from pbem.trust.sealing import SealKey

Clock = Callable[[], datetime]
DAYS = 7
TABLES = ("box", "mail", "journal", "page", "public", "rhythm", "watch", "press")
"""Names of the headings in club.toml that must be tables, if they are there."""
GM = "gm"
MAX_DELAY = 99
"""Maximum number of exchanges by which the public may see a running game later than its players."""


@dataclass(slots=True)
class Club:
    """An opened club folder, with its database, keys and settings."""

    path: Path
    name: str
    days: float
    """Default number of days for which an exchange is open."""
    store: Store = field(repr=False)
    master: bytes = field(repr=False)
    clock: Clock = wall_clock
    settings: Mapping[str, Any] = field(default_factory=dict, repr=False)
    """The settings that club.toml contains."""
    unlocked_key: keys.PrivateKey | None = field(default=None, repr=False)
    """The key with which the club signs, once it is unlocked."""
    books: Recent[Book] = field(default_factory=lambda: Recent(MAX_ENTRIES), repr=False)
    """Cache of games' ledgers as they were last read, used as long as the store has no newer entries."""
    leagues: Recent[LedgerBook] = field(default_factory=Recent, repr=False)
    """Cache of leagues' ledgers as they were last read, used as long as the store has no newer entries."""
    games_cache: Recent[tuple[Place, Played]] = field(default_factory=Recent, repr=False)
    """Cache of games as they were last replayed or loaded."""

    @property
    def key(self) -> keys.PrivateKey:
        """The judge's private key."""
        if self.unlocked_key is None:
            from pbem.trust import keys

            self.unlocked_key = keys.load_private_file(self.path / "keys" / GM)
        return self.unlocked_key

    @property
    def mails(self) -> bool:
        """Tell whether the club's settings say that letters are sent by mail."""
        return bool(self.settings.get("mail", {}).get("outbox"))

    @property
    def public_delay(self) -> int:
        """Return the number of exchanges by which the public sees a running game later than its players.

        Raises:
            ConfigError: [public] names no such number.
        """
        delay = self.settings.get("public", {}).get("delay_exchanges", 0)
        if isinstance(delay, bool) or not isinstance(delay, int) or not 0 <= delay <= MAX_DELAY:
            raise ConfigError(
                f"club.toml, [public]: delay_exchanges must be a number from 0 to {MAX_DELAY}, "
                f"not {shown_value(delay)}"
            )
        return delay

    @property
    def out(self) -> Path:
        """The folder into which letters are written as files."""
        return self.path / "out"

    def roots(self, game: str) -> Roots:
        """Return the judge's secrets of one game."""
        from pbem.trust.chance import Roots

        return Roots.of(self.master, game)

    def chains(self, game: str) -> tuple[Chain, Chain]:
        """Return the two hash chains of the judge for a game's dice: the open and the secret one."""
        from pbem.trust.chance import OPEN_CHAIN, make_chain

        return make_chain(game, OPEN_CHAIN, self.roots(game).chain), self.secret_chain(game)

    def secret_chain(self, game: str) -> Chain:
        """Return the secret hash chain of the judge for a game's dice."""
        from pbem.trust.chance import DRAW_CHAIN, make_chain

        return make_chain(game, DRAW_CHAIN, self.roots(game).secret_chain)

    @property
    def joins_folder(self) -> Path:
        """Return the folder in which requests to join wait for the game master."""
        return self.path / "joins"

    def book(self, game: str) -> Book:
        """Return a game's checked ledger."""
        from pbem.judge.book import load_book
        from pbem.judge.letters.addresses import post_of

        stored = self.store.head(game)
        book = self.books.get(game)
        if book is not None and book.is_at(*stored):
            book.post = post_of(self.settings, game)
            return book
        if not stored[0] and game not in self.store.games():
            known = ", ".join(self.store.games()) or "none yet"
            raise ConfigError(f"this club has no game called {game}; there are: {known}")
        book = load_book(self.store, game, self.roots(game))
        book.post = post_of(self.settings, game)
        self.books.put(game, book, book.size)
        return book

    def seal(self, game: str, exchange: int, player: str) -> SealKey:
        """Return the key that a player's orders of one exchange are sealed to."""
        from pbem.trust.sealing import seal_key

        return seal_key(self.roots(game).seal, game, exchange, player)

    def rhythm(self, game: str) -> Rhythm:
        """Return the settings by which deadlines of a game, or of a league's calls, are computed."""
        from pbem.judge.deadlines.rhythm import rhythm_of

        if (league := self.store.league_of(game)) and (row := self.store.league(league)):
            from pbem.leagues.config import rhythm_in

            return rhythm_of({"rhythm": {game: rhythm_in(row.file)}}, game)
        return rhythm_of({"days": self.days, **self.settings}, game)

    def judge_key(self, fingerprint: str) -> keys.PublicKey:
        """Return the judge's key with this fingerprint: the present one, or one that it replaced.

        Raises:
            LedgerError: this club's judge has never had such a key.
        """
        from pbem.trust import keys

        if self.key.public.fingerprint == fingerprint:
            return self.key.public
        if not (line := self.store.note(f"judge {fingerprint}")):
            raise LedgerError(f"{fingerprint} is not a key that the judge of this club has had")
        return keys.parse_public(line)

    def known_judge_key(self, fingerprint: str) -> keys.PublicKey | None:
        """Return the judge's key with this fingerprint; None if the judge has had no such key."""
        try:
            return self.judge_key(fingerprint)
        except LedgerError:
            return None

    @property
    def recovery(self) -> str | None:
        """Return the fingerprint of the recovery key, which may only replace the judge's key, or None."""
        from pbem.trust import keys

        path = self.path / "keys" / f"{GM}.recovery.pub"
        return keys.parse_public(path.read_text(encoding="ascii")).fingerprint if path.exists() else None

    def next_deadline(self, game: str = "") -> datetime:
        """Return the deadline of an exchange opened now, without regard to absences."""
        return self.rhythm(game).deadline(self.clock())

    def first_deadline(self, game: str, history: History) -> Moved:
        """Return the deadline of an exchange opened now, moved for absences of those who will sign orders."""
        exchange = len(history.exchanges) + 1
        away = {name: self.absences(history.seats.awaited_from(name, exchange)) for name in history.playing}
        return self.rhythm(game).move_deadline(self.next_deadline(game), away, history.absences.left)

    def absences(self, player: str | None = None) -> list[tuple[date, date]]:
        """Return the first and last days of announced absences: those of one player, or of everybody."""
        rows = self.store.absences(player)
        return [(date.fromisoformat(row.begins), date.fromisoformat(row.ends)) for row in rows]

    def opening(
        self, game: str, exchange: int, players: list[str], rules: str, until: Moved | None = None
    ) -> Open:
        """Return the ledger entry that opens an exchange."""
        from pbem.play.seats import absence_lines
        from pbem.trust.entries import Open

        return Open(
            exchange=exchange,
            rules=rules,
            seals=tuple((player, self.seal(game, exchange, player).recipient) for player in sorted(players)),
            deadline=until.deadline if until else self.next_deadline(game),
            extra=absence_lines(until.by) if until else (),
        )

    def add_player(self, name: str, key: keys.PublicKey, address: str = "", *, in_place_of: str = "") -> None:
        """Enrol a person with their public key; `in_place_of`: the fingerprint of the key that they lost."""
        check_player_name(name)
        address = typed_address(address) if address else ""
        own = self.settings.get("mail", {}).get("address", "")
        if address and address.lower() == str(own).lower():
            raise ConfigError(f"{address} is the judge's own address; it does not read orders from there")
        known = self.store.player(name)
        if in_place_of and (known is None or known.fingerprint != in_place_of):
            raise ConfigError(f"{in_place_of} is not the key with which {name} is enrolled")
        if known is not None and known.key != key.line and not in_place_of:
            raise ConfigError(known.refusal_of_another_key)
        for other in self.store.with_key(key.line):
            if other != name:
                raise ConfigError(f"this key is that of {other}; every player needs a key of their own")
        with self.store.step():
            if in_place_of:
                self.replace_key(name, key)
            self.store.put_player(PlayerRow(name, key.line, address or (known.address if known else "")))
            if known is not None and address not in ("", known.address):
                self._send_again(name)

    def replace_key(self, name: str, key: keys.PublicKey) -> None:
        """Enrol a player with a new key; running games that name the old one still check with it."""
        known = self.store.player(name)
        assert known is not None, "who has a key to replace is enrolled"
        self.store.put_note(f"key {name} {known.fingerprint}", known.key)
        self.store.put_note(f"key {name} {key.fingerprint}", key.line)
        self.store.put_player(known._replace(key=key.line))

    def _send_again(self, player: str) -> None:
        """Send the letters that did not reach a player again, to the player's present address."""
        for letter in self.store.letters_in_trouble():
            if letter.player == player and letter.failed:
                self.store.send_again(letter.id)


def create_club(
    path: Path,
    name: str,
    days: float = DAYS,
    clock: Clock = wall_clock,
    recovery: Path | None = None,
    journal: Path | None = None,
) -> Club:
    """Create a club folder with new keys.

    `recovery`: where a key is written that may only replace the judge's, and that the judge's games name.
    `journal`: the folder of its journal.

    Raises:
        ConfigError: the folder holds a club already, or that of the journal is not there.
    """
    from secrets import token_bytes

    from pbem.rendering import render
    from pbem.trust import keys

    if (path / "club.toml").exists():
        raise ConfigError(f"{path} holds a club already")
    checked_days(days)
    if journal is not None:
        check_journal_folder(path, journal)
    spare = keys.generate(f"{GM} {name} recovery") if recovery is not None else None
    if recovery is not None and spare is not None:  # first, since its folder may be missing
        write_private_file(recovery, spare.to_openssh())
    (path / "keys").mkdir(parents=True, exist_ok=True, mode=0o700)
    (path / "out").mkdir(exist_ok=True, mode=0o700)
    key = keys.generate(f"{GM} {name}")
    write_private_file(path / "keys" / GM, key.to_openssh())
    (path / "keys" / f"{GM}.pub").write_text(key.public.file_line, encoding="utf-8")
    if spare is not None:
        (path / "keys" / f"{GM}.recovery.pub").write_text(spare.public.file_line, encoding="utf-8")
    write_private_file(path / "keys" / "master", f"{token_bytes(32).hex()}\n".encode())
    Store(path / "club.db", create=True).close()
    (path / "club.toml").touch(mode=0o600)
    kept = _toml_text(str(journal.absolute())) if journal is not None else ""
    said = render("service/club.toml.j2", name=_toml_text(name), days=f"{days:g}", journal=kept)
    (path / "club.toml").write_text(said, encoding="utf-8")
    return open_club(path, clock)


def check_journal_folder(club: Path, journal: Path) -> None:
    """Raise ConfigError if the folder `journal` cannot hold the journal of the club in the folder `club`."""
    if not journal.is_dir():
        raise ConfigError(
            f"{journal} is not a folder: make it, on another disk, for the journal, or begin without it"
        )
    if journal.resolve().is_relative_to(club.resolve()):
        raise ConfigError(
            f"{journal} lies in the club's own folder, and would be lost with it: name a folder on another "
            "disk for the journal"
        )


def open_club(path: Path, clock: Clock = wall_clock, key: keys.PrivateKey | None = None) -> Club:
    """Open a club folder; `key` signs in place of the judge's key, for a club whose own key is lost.

    Raises:
        ConfigError: the folder holds no club, or the club's keys are missing or readable by others.
    """
    try:
        settings = tomllib.loads((path / "club.toml").read_text(encoding="utf-8"))
    except FileNotFoundError as problem:
        raise ConfigError(
            f"{path} holds no club ({problem.filename} is missing); make one: pbem club init"
        ) from None
    except UnicodeDecodeError:
        raise ConfigError(f"{path / 'club.toml'} is not written in UTF-8; save it anew so") from None
    except ValueError as problem:
        said = str(problem)[:1].lower() + str(problem)[1:]
        raise ConfigError(
            f"{path / 'club.toml'} has a mistake: {said}; fix it, then: pbem club doctor"
        ) from None
    for name in TABLES:
        if not isinstance(settings.get(name, {}), Mapping):
            raise ConfigError(f"club.toml: {name} must be a table, [{name}]")
    days = checked_days(settings.get("days", DAYS))
    master = _read_master(path / "keys" / "master")
    if key is None:
        _check_there(path / "keys" / GM)
    store = Store(path / "club.db", clock)
    finish_new_key(path, store)
    return Club(
        path=path,
        name=str(settings.get("name", path.name)),
        days=days,
        store=store,
        master=master,
        clock=clock,
        settings=settings,
        unlocked_key=key,
    )


def checked_days(days: object) -> float:
    """Return the number of days that an exchange is open, as club.toml or a command says it.

    Raises:
        ConfigError: the setting is not a number of days.
    """
    if isinstance(days, bool) or not isinstance(days, int | float) or not 0 <= days <= FARTHEST:
        raise ConfigError(f"club.toml: days must be a number of days such as 7, not {shown_value(days)}")
    return float(days)


def _check_there(path: Path) -> None:
    try:
        check_private_mode(path)
    except KeyFault:
        if not path.parent.exists() or path in path.parent.iterdir():
            raise
        raise ConfigError(
            f"{path} is missing, and without it no game can be finished: copy it back, or restore the "
            "last backup: pbem club restore BACKUP NEW-FOLDER"
        ) from None


def _read_master(path: Path) -> bytes:
    _check_there(path)
    try:
        return bytes.fromhex(path.read_text(encoding="ascii").strip())
    except ValueError:
        raise ConfigError(
            f"{path} is not what pbem club init wrote: write there what you have on paper, or restore the "
            "last backup: pbem club restore BACKUP NEW-FOLDER"
        ) from None


def finish_new_key(path: Path, store: Store) -> None:
    """Put the judge's new key in place after the ledgers name it, so that a crash does not lose the key."""
    new = path / "keys" / f"{GM}.new"
    if not new.exists():
        return
    from pbem.trust import keys

    key = keys.load_private_file(new)
    if store.note("judge") == key.public.fingerprint:
        (path / "keys" / f"{GM}.pub").write_text(key.public.file_line, encoding="utf-8")
        new.replace(path / "keys" / GM)


def _toml_text(text: str) -> str:
    escaped = plain(text).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
