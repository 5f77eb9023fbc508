"""The ledger of a league in an entrant's hands, proven and kept as a game's is, and what is held against it.

Beside it lie the player's statements about the league, with the judge's receipts for them. A league's letter
is checked against its reader's entries for contradictions in results and opponents: no entry holds the hash
of such a letter, and what else it says is the judge's word alone (protocol of leagues).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from pbem.characters import split_lines
from pbem.leagues.calls import Calls, prove_call
from pbem.leagues.entries import Ended, LeagueGenesis, Pairings, Ruled, Said, Substituted, parse_league_entry
from pbem.leagues.model import Ending, outcome_text
from pbem.leagues.state import Call
from pbem.leagues.statements import NEW_KEY, Statement, read_statement, sign_statement
from pbem.player import files
from pbem.player.faults import Contradiction, Damaged, NotJoined, NotOurs
from pbem.player.keyring import Keyring
from pbem.player.store.chronicle import Proven, read_entries
from pbem.player.store.game_store import Folder
from pbem.trust import keys, ledger, signature
from pbem.trust.entries import Entry
from pbem.trust.faults import LedgerFault
from pbem.trust.identifiers import is_number, quote
from pbem.trust.keys import PrivateKey
from pbem.trust.ledger import SaidReceipt, parse_said, verify_said
from pbem.trust.letters import OpenEntry, ReportLetter
from pbem.trust.proof import UniqueItems


class Member(NamedTuple):
    """The player's part in a league: their name, their key, and the league's judge and first head."""

    player: str
    key_file: str
    judge: str
    genesis: str
    """The head of the league's first entry."""
    instead_of: str = ""
    """The entrant whose place the player takes; "" if they take nobody's."""

    @property
    def text(self) -> bytes:
        """Return the content of the file `player`, which keeps the player's part in the league."""
        lines = [f"player {self.player}", f"key {self.key_file}"]
        lines += [f"judge {self.judge}", f"genesis {self.genesis}"]
        lines += [f"of {self.instead_of}"] if self.instead_of else []
        return "".join(f"{line}\n" for line in lines).encode()


@dataclass(frozen=True, slots=True)
class LeagueChronicle(Proven):
    """The league's ledger as far as the judge has sent it."""

    entries: tuple[Entry, ...]
    calls: Calls | None
    """The league's calls; None before the league's first entry has come."""

    @property
    def exchanges(self) -> Sequence[Call]:
        """The calls of the league, which are its exchanges."""
        return self.calls.exchanges if self.calls else ()

    def judges_in(self, exchange: int) -> Collection[str]:
        """Return the key of the league's judge, which is the only one that the league has."""
        first = self.entries[0] if self.entries else None
        return (first.gm,) if isinstance(first, LeagueGenesis) else ()


def read_league_chronicle(
    name: str, leaves: Sequence[str], opened: Mapping[int, OpenEntry]
) -> LeagueChronicle:
    """Return the league's ledger with given leaves and entries, read by the rules of judge and audit.

    Raises:
        LedgerFault: no league can have such a ledger.
    """
    entries, calls, once = list[Entry](), None, UniqueItems()
    for number, entry in enumerate(read_entries(leaves, opened, parse_league_entry), 1):
        if entry is None:
            raise LedgerFault(
                f"entry {number} does not come with its leaf, and nothing in a league is hidden"
            )
        if calls is None:
            if not isinstance(entry, LeagueGenesis) or entry.game != name:
                raise LedgerFault(f"the ledger does not begin as that of {name}")
            calls = Calls(entry)
        else:
            try:
                prove_call(calls, once, entry)
                calls.read(entry, number)
            except LedgerFault as fault:
                raise LedgerFault(f"entry {number}: {fault}") from None
        once.take(entry)
        entries.append(entry)
    return LeagueChronicle(
        name, tuple(leaves), tuple(ledger.fold(name, leaves)), dict(opened), tuple(entries), calls
    )


class LeagueFolder(Folder):
    """The folder of one league in the player's home."""

    def __init__(self, path: Path, keyring: Keyring) -> None:
        super().__init__(path)
        self._keyring = keyring

    def find_member(self) -> Member | None:
        """Return the player's part in the league; None if nobody takes part from this home."""
        if (data := files.read_file(self.path / "player")) is None:
            return None
        words = dict(line.split(" ", 1) for line in split_lines(data.decode()))
        return Member(words["player"], words["key"], words["judge"], words["genesis"], words.get("of", ""))

    def member(self) -> Member:
        """Return the player's part in the league.

        Raises:
            NotJoined: nobody takes part from this home.
        """
        if (member := self.find_member()) is None:
            name = self.game.removeprefix("league.")
            others = ", ".join(
                path.parent.name.removeprefix("league.") for path in sorted(self.path.parent.glob("*/player"))
            )
            told = f"you have entered {others} from here; " if others else ""
            raise NotJoined(f"{told}pbem league enter {name} enters {name}, which you have not")
        return member

    @property
    def player(self) -> str:
        """Return the name of the player who takes part in the league."""
        return self.member().player

    @property
    def expected_file(self) -> str:
        """Return the fingerprint of the judge whom the player's entry in the league names."""
        return self.member().judge

    def chronicle(self) -> LeagueChronicle | None:
        """Return the kept ledger of the league; None before its first letter."""
        leaves, opened = self.ledger()
        if not leaves:
            return None
        try:
            kept = read_league_chronicle(self.game, leaves, opened)
        except LedgerFault as fault:
            raise Damaged(f"the ledger kept in {self.path} is damaged: {fault}") from None
        self.check_signed(kept)
        return kept

    def plays_from(self, chronicle: Proven) -> tuple[int, int]:
        """Return the call from which this home's key counts, and how many files earlier keys signed."""
        assert isinstance(chronicle, LeagueChronicle)
        member = self.member()
        mine = self._keyring.public(member.key_file).line
        named = chronicle.calls.keys.named_keys.get(member.player, []) if chronicle.calls else []
        signed = [
            (call.number, call.signing_keys[entry.sealed])
            for call in chronicle.exchanges
            for entry in call.received
            if entry.player == member.player
        ]
        if not named or keys.parse_public(named[0]).line == mine:
            return 1, 0
        before = next((place for place, (_, line) in enumerate(signed) if line == mine), len(signed))
        return (signed[before - 1][0] if before else 1), before


@dataclass(frozen=True, slots=True)
class SaidHere:
    """The folder of a player's statements about one league; `ledger` is the name of the league's ledger."""

    path: Path
    ledger: str

    def sign(self, statement: Statement, key: PrivateKey) -> bytes:
        """Sign a statement about the league and keep it, since a receipt from the judge is expected."""
        signed = sign_statement(statement, key)
        files.write(self.path / f"{statement.sha256}.statement", signed)
        return signed

    def new_keys(self) -> frozenset[str]:
        """Return the keys, as lines, that this home has asked for in place of the player's old ones."""
        texts = (path.read_bytes() for path in sorted(self.path.glob("*.statement")))
        found = (read_statement(text).statement for text in texts)
        return frozenset(one.key.line for one in found if one.say == NEW_KEY and one.key is not None)

    def take(self, text: bytes, member: tuple[str, str]) -> tuple[SaidReceipt, bool]:
        """Keep the judge's receipt for a statement; return the receipt, and whether it is new.

        `member` is the player's name and judge in the league. A member of the panel does not play: then the
        statement that was signed here says whose receipt it must be.

        Raises:
            SealError: the receipt is not the judge's, or for nobody here.
        """
        parts = signature.split(text)
        receipt, (player, judge) = parse_said(parts.body), member
        if (said := files.read_file(self.path / f"{receipt.said}.statement")) is not None:
            statement = read_statement(said).statement
            player, judge = statement.player, statement.judge
        if receipt.player != player:
            raise NotOurs(f"this receipt is for what {receipt.player} has said; nobody did so from here")
        key = signature.parse(parts.armor).key
        if key.fingerprint != judge:
            raise NotOurs(
                f"this is signed with the key {key.fingerprint}; the judge of {self.ledger} has {judge}"
            )
        verify_said(parts.body, parts.armor, key)
        new = files.write_once(self._place(receipt), parts.body + parts.armor)
        return receipt, new

    def _place(self, receipt: SaidReceipt) -> Path:
        return self.path / f"{receipt.entry:06d}-{receipt.said[:12]}.txt"

    def check(self, kept: LeagueChronicle) -> None:
        """Check that each statement with a receipt stands in the ledger that the judge has sent.

        Raises:
            Contradiction: something else stands there, or two receipts are for one entry.
        """
        before: SaidReceipt | None = None
        for path in sorted(self.path.glob("*.txt")):
            receipt = parse_said(signature.split(path.read_bytes()).body)
            if before is not None and before.entry == receipt.entry:
                raise Contradiction(f"the judge has given two receipts for entry {receipt.entry}")
            before = receipt
            if receipt.entry > kept.size:
                continue
            entry = kept.entries[receipt.entry - 1]
            if not isinstance(entry, Said) or (entry.player, entry.sha256) != (receipt.player, receipt.said):
                raise Contradiction(
                    f"by a receipt, entry {receipt.entry} of {self.ledger} is what {receipt.player} said "
                    f"({receipt.said[:16]}), and in its ledger it is something else"
                )


_RESULT = re.compile(r"^entry ([0-9]{1,9}): pairing ([0-9]{1,9}), (.*)$", re.MULTILINE)
_MEETING = re.compile(r"^You meet ([^ \n]+(?: and [^ \n]+)*) in ([^ \n]+)\.$", re.MULTILINE)


def find_contradiction(letter: ReportLetter, entries: Sequence[Entry]) -> str:
    """Return how a league's letter contradicts its ledger; "" if no contradiction shows."""
    return next(_lies(letter, entries[: letter.checkpoint.size]), "")


def _lies(letter: ReportLetter, entries: Sequence[Entry]) -> Iterator[str]:
    heirs = {one.of: one.player for one in entries if isinstance(one, Substituted)}
    for number, pairing, outcome in _RESULT.findall(letter.report):
        entry = entries[int(number) - 1] if 1 <= int(number) <= len(entries) else None
        true = _outcome_in(entry, heirs)
        if true != (pairing, outcome):
            has = f"pairing {true[0]}, {true[1]}" if true else "no result"
            says = f"it says of entry {number}: pairing {pairing}, {quote(outcome)}"
            yield f"{says}; there the ledger has {has}"
    games = {pair.game: pair for one in entries if isinstance(one, Pairings) for pair in one.pairs}
    for others, game in _MEETING.findall(letter.report):
        players = [_heir(name, heirs) for name in games[game].players] if game in games else []
        if sorted(players) != sorted([letter.player, *others.split(" and ")]):
            has = " and ".join(players) or "nobody"
            yield f"it says that you meet {quote(others)} in {quote(game)}; there the ledger has {has}"


def _heir(player: str, heirs: Mapping[str, str]) -> str:
    """Return who has a player's place now, after substitutions; a circle of these ends at its last name."""
    had = set[str]()
    while player in heirs and player not in had:
        had.add(player)
        player = heirs[player]
    return player


def _outcome_in(entry: Entry | None, heirs: Mapping[str, str]) -> tuple[str, str] | None:
    """Return the pairing and the outcome that an entry decides, in words; None if it decides none."""
    match entry:
        case Ended():
            pairing, ending, places, reason = (
                str(entry.pairing),
                entry.ending,
                list(entry.places),
                entry.reason,
            )
        case Ruled(decides=("result" | "correct", _, pairing, word, *numbered)):
            ending, reason = Ending(word), ""
            pairs = [one.partition("=") for one in numbered]
            places = [(name, int(place)) for name, _, place in pairs if is_number(place)]
        case _:
            return None
    named = [(_heir(name, heirs), place) for name, place in places]
    return pairing, outcome_text(ending, named, reason)
