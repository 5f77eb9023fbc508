"""The ledger of a league in an entrant's hands, proven as a game's is, and the games that it has drawn.

Beside it lie the player's statements about the league, with the judge's receipts for them. A league's letter
is checked against its reader's entries for contradictions in results and opponents: no entry holds the hash
of such a letter, and what else it says is the judge's word alone (protocol of leagues).

The chain of a drawn game is made with the answer to its call, and found as the game begins.

    home/leagues/<ledger>/chains/
        chain-secret-3-1   the last link of the first chain that was sent with the answer to call 3, and the
                           name under which its links are hashed
        given-3-1          the game that has it: a chain is for one game

Whoever answers has accepted the game. So a genesis is refused here that leaves their chain out or has another
one, or another part of the judge's than the call had fixed before; or with which anybody contributes another
step to exchange 1 than that of their league chain for the call. Where the league names other heads of a game
than the game itself has, there are two games under one name.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from pbem.characters import split_lines, strip_blanks
from pbem.leagues.calls import Call, Calls, game_name, prove_call
from pbem.leagues.entries import (
    Ended,
    GameAt,
    LeagueGenesis,
    Opened,
    Pairings,
    Ruled,
    Said,
    Substituted,
    parse_league_entry,
)
from pbem.leagues.model import Ending, outcome_text
from pbem.leagues.statements import NEW_KEY, Statement, read_statement, sign_statement
from pbem.player import files
from pbem.player.faults import Contradiction, Damaged, Incomplete, NotJoined, NotOurs
from pbem.player.keyring import Keyring
from pbem.player.store.game_papers import Chronicle, Proven, read_entries
from pbem.player.store.game_store import Folder, GameFolder, Membership, read_secret
from pbem.trust import keys, ledger, signature
from pbem.trust.chance import Reveal, check_reveal, make_chain
from pbem.trust.entries import Enrolled, Entry, Genesis
from pbem.trust.faults import ChainFault, LedgerFault
from pbem.trust.identifiers import is_number, quote
from pbem.trust.keys import PrivateKey
from pbem.trust.ledger import SaidReceipt, parse_said, verify_said
from pbem.trust.letters import OpenEntry, ReportLetter
from pbem.trust.proof import UniqueItems

_RESULT = re.compile(r"^entry ([0-9]{1,9}): pairing ([0-9]{1,9}), (.*)$", re.MULTILINE)
_MEETING = re.compile(r"^You meet ([^ \n]+(?: and [^ \n]+)*) in ([^ \n]+)\.$", re.MULTILINE)


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


def contradiction_of_league_letter(letter: ReportLetter, entries: Sequence[Entry]) -> str:
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


def seat_drawn(folder: GameFolder, chronicle: Chronicle, player: str, keyring: Keyring) -> Membership | None:
    """Return the player's part in a drawn game, with its chain in its folder; None if they do not play it.

    Raises:
        NotOurs: the genesis is not what this home has accepted.
    """
    genesis, enrolled = chronicle.genesis, chronicle.enrolled_player(player)
    if genesis.drawn is None or enrolled is None:
        return None
    ledger, call = genesis.drawn
    league = LeagueFolder(folder.path.parent.parent / "leagues" / ledger, keyring)
    member = league.find_member()
    if member is None or member.player != player:
        return None
    if genesis.gm != member.judge:
        raise NotOurs(
            f"{folder.game} is said to be of {ledger}, whose judge is {member.judge}, not {genesis.gm}"
        )
    kept = league.chronicle() or read_league_chronicle(ledger, (), {})
    if call > len(kept.exchanges):
        raise Incomplete(
            f"{folder.game} is said to be drawn by call {call} of {ledger}, which has not come here yet: "
            f"a mail whose first line is 'resend {ledger.removeprefix('league.')}' brings it"
        )
    assert kept.calls is not None, "it has a call"
    _check_fixed(kept, genesis, call)
    _check_shares(kept, kept.calls, genesis, call)
    if told := head_fault(ledger, member.judge, kept.entries, {folder.game: chronicle}.get):
        raise NotOurs(told)
    if enrolled.anchor is not None:
        _hand_over(league, call, enrolled, folder)
    elif any(one.receipt.exchange == call for one in league.judge_statements.receipts().values()):
        raise NotOurs(
            f"the genesis of {folder.game} leaves out the chain of {player}, for which the judge has given "
            f"a receipt in call {call} of {ledger}"
        )
    for name in keyring.names():
        if (public := keyring.public(name)).fingerprint == enrolled.fingerprint:
            return Membership(player, name, public)
    return None


def head_fault(
    ledger: str, judge: str, entries: Iterable[Entry], game_of: Callable[[str], Chronicle | None]
) -> str:
    """Return what is wrong with a league's entries about games that this home plays; "" if nothing is.

    `game_of`: a game's ledger by its name, if it is here. Another club's game may have the same name.
    """
    for entry in entries:
        match entry:
            case Opened():
                named = GameAt(entry.game, 1, entry.head)
            case Ended(game=GameAt() as named):
                pass
            case _:
                continue
        own = game_of(named.game)
        if own is None or (own.genesis.gm, (own.genesis.drawn or ("",))[0]) != (judge, ledger):
            continue
        if (head := own.head_at(named.size)) not in (None, named.head):
            return (
                f"{ledger} says that {named.game} has the head {named.head} at entry {named.size}, "
                f"and in the game itself the judge has signed {head}"
            )
    return ""


def _check_fixed(kept: LeagueChronicle, genesis: Genesis, number: int) -> None:
    """Check that the judge's part of a game is as the league's call has fixed it."""
    call = kept.exchanges[number - 1]
    fixed = {
        game_name(kept.game, call.purpose.round, one): anchors
        for one, anchors in enumerate(call.seating.games if call.seating else (), 1)
    }
    if fixed.get(genesis.game) != (genesis.anchor, genesis.secret_anchor):
        raise NotOurs(
            f"the judge's anchors in the genesis of {genesis.game} are not those that call {number} of "
            f"{kept.game} has fixed before anybody answered"
        )


def _check_shares(kept: LeagueChronicle, calls: Calls, genesis: Genesis, number: int) -> None:
    """Check that everybody contributes to a game the step that they reveal in the league's call."""
    call = kept.exchanges[number - 1]
    for player in genesis.players:
        if player.share is not None and not _is_step(calls, call, player.name, player.share):
            raise NotOurs(
                f"what {player.name} contributes to exchange 1 of {genesis.game} is not their step of call "
                f"{number} of {kept.game}"
            )


def _is_step(calls: Calls, call: Call, player: str, value: str) -> bool:
    """Tell whether a value is a player's step for a call: that which the call revealed, or the chain's."""
    if (who := call.chains.get(player)) is None:
        return False
    step, known = Reveal(who, call.number, value), calls.known(who)
    if call.resolved is not None:
        return step in call.resolved.reveals
    try:
        assert known is not None, "who is asked has a chain"
        check_reveal(calls.ledger, step, known)
    except ChainFault:
        return False
    return True


def _hand_over(league: LeagueFolder, call: int, enrolled: Enrolled, folder: GameFolder) -> None:
    """Give a drawn game the chain that was sent for it with the answer to the league's call."""
    path = sent_path(league, call, enrolled.chain)
    if (secret := read_secret(path)) is None:
        raise NotOurs(
            f"genesis anchors a chain of {enrolled.name}, and its secret is not in this home: receive this "
            "where you answered the league's call"
        )
    chain = make_chain(secret.under, enrolled.who, secret.last)
    if chain.anchor != enrolled.anchor:
        raise NotOurs(f"genesis anchors another chain for {enrolled.name}; you have sent {chain.anchor}")
    given = path.with_name(f"given-{call}-{enrolled.chain}")
    files.write_new(given, f"{folder.game}\n".encode())
    if (other := strip_blanks((files.read_file(given) or b"").decode())) != folder.game:
        raise NotOurs(
            f"chain {enrolled.chain} of call {call} was given to {other}, and a chain is for one game"
        )
    folder.new_chain(enrolled.who, secret.last, secret.under)


def sent_path(folder: LeagueFolder, call: int, number: int) -> Path:
    """Return the file for the secret of a chain that was sent with the answer to a call."""
    return folder.path / f"chains/chain-secret-{call}-{number}"
