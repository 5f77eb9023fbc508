"""Signed statements of people about a league: entering, withdrawing, challenging, voting, appealing.

Signed text in the namespace pbem1-orders, as a join file is: `ssh-keygen -Y sign` makes it as well. It is no
secret. The lines stand in this order; which of them must be there, and which may, depends on what is said:

    pbem1 league
    league league.spring-2027           the league's ledger
    player alice                        who says it; the panel and the director may as well
    say enter                           or withdraw, absent, half-bye, challenge, substitute, appeal, vote,
                                        new-key
    key ssh-ed25519 AAAA...             enter, substitute, new-key: that everything of theirs is signed with,
                                        and that has signed this
    old SHA256:...                      new-key: the key that has counted until then
    anchor alice.1 0 <64 hex>           enter, substitute: of their chain for the draws; new-key may have it,
                                        of an entrant's next chain, alice.2
    judge SHA256:...                    whose league it is
    genesis <64 hex>                    the head of its ledger's first entry: another league may have its name
    rating 1650                         enter, may be left out
    games 2                             enter, may be left out: how many games at once they wish
    eliminator yes                      enter, may be left out: plays whoever has no opponent, cannot advance
    of bob                              challenge: whom; substitute may have it, whose place: without it they
                                        stand on the list, and take the first place that is free
    rounds 2 3                          absent: from which round to which they are not to be paired; half-bye:
                                        the same round twice
    about 1 3                           vote: round and pairing
    places alice=1,bob=2                vote: what the result should be; a 1 for each is a draw
    entry 17                            appeal: the number of the entry
    by <base64>                         new-key: the old key's signature (pbem1-rotate, without its BEGIN and
                                        END) under the other lines; if that key is lost, the director rules
    made 2026-11-21T18:00:00Z
    reason <text>                       appeal; withdraw, vote and new-key may have it
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from pbem.characters import is_plain_line, split_words
from pbem.trust.chains import Reveal, parse_reveal
from pbem.trust.faults import OrderFileFault
from pbem.trust.formats import MAX_STATEMENT_SIZE
from pbem.trust.identifiers import (
    check_player_name,
    check_token,
    is_fingerprint,
    is_hash,
    is_number,
    quote,
    split_who,
)
from pbem.trust.keys import PrivateKey, PublicKey, parse_public
from pbem.trust.namespaces import Namespace
from pbem.trust.signature import (
    MAX_ARMOR_SIZE,
    from_line,
    in_a_line,
    parse,
    sign,
    sign_text,
    split_unsealed,
    verify,
)
from pbem.trust.times import parse_utc, utc_text

ENTER, WITHDRAW, ABSENT, CHALLENGE = "enter", "withdraw", "absent", "challenge"
SUBSTITUTE, APPEAL, VOTE, NEW_KEY = "substitute", "appeal", "vote", "new-key"
HALF_BYE = "half-bye"
MAX_REASON_LENGTH = 1_000

WHICH = ("judge", "genesis")
"""The words that name the league and that every statement has."""
NEEDED: Mapping[str, tuple[str, ...]] = {
    ENTER: ("key", "anchor", *WHICH),
    WITHDRAW: WHICH,
    ABSENT: (*WHICH, "rounds"),
    HALF_BYE: (*WHICH, "rounds"),
    CHALLENGE: (*WHICH, "of"),
    SUBSTITUTE: ("key", "anchor", *WHICH),
    APPEAL: (*WHICH, "entry", "reason"),
    VOTE: (*WHICH, "about", "places"),
    NEW_KEY: ("key", "old", *WHICH),
}
ALLOWED: Mapping[str, tuple[str, ...]] = {
    ENTER: ("rating", "games", "eliminator"),
    SUBSTITUTE: ("rating", "games", "of"),
    WITHDRAW: ("reason",),
    VOTE: ("reason",),
    NEW_KEY: ("anchor", "reason", "by"),
}
WORDS = (
    *("key", "old", "anchor", *WHICH, "rating", "games", "eliminator", "of", "rounds", "about", "places"),
    *("entry", "by", "made", "reason"),
)

Places = tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """One statement of a player about a league."""

    league: str
    """The name of the league's ledger."""
    player: str
    say: str
    key: PublicKey | None = None
    old: str = ""
    anchor: Reveal | None = None
    judge: str = ""
    genesis: str = ""
    rating: int | None = None
    games: int = 0
    """Maximum number of games at once that the player wants; 0 if nothing is said."""
    eliminator: bool = False
    of: str = ""
    rounds: tuple[int, int] | None = None
    about: tuple[int, int] | None = None
    places: Places = ()
    entry: int = 0
    by: str = ""
    reason: str = ""
    made: datetime

    @property
    def lines(self) -> list[str]:
        """Return the statement's lines as they stand in the ledger."""
        rows = (
            ("say", self.say),
            ("key", self.key.line if self.key else ""),
            ("old", self.old),
            ("anchor", self.anchor.text if self.anchor else ""),
            ("judge", self.judge),
            ("genesis", self.genesis),
            ("rating", "" if self.rating is None else str(self.rating)),
            ("games", str(self.games) if self.games else ""),
            ("eliminator", "yes" if self.eliminator else ""),
            ("of", self.of),
            ("rounds", f"{self.rounds[0]} {self.rounds[1]}" if self.rounds else ""),
            ("about", f"{self.about[0]} {self.about[1]}" if self.about else ""),
            ("places", places_text(self.places)),
            ("entry", str(self.entry) if self.entry else ""),
            ("by", self.by),
            ("made", utc_text(self.made)),
            ("reason", self.reason),
        )
        return [f"{word} {value}" for word, value in rows if value]

    @property
    def text(self) -> bytes:
        """Return the bytes of the statement that are signed."""
        lines = ["pbem1 league", f"league {self.league}", f"player {self.player}", *self.lines]
        return "".join(f"{line}\n" for line in lines).encode()

    @property
    def sha256(self) -> str:
        """The hash by which the ledger names the statement."""
        return hashlib.sha256(self.text).hexdigest()


@dataclass(frozen=True, slots=True)
class Signed:
    """A statement that was read, with its body and armor. Its signature is not verified yet."""

    statement: Statement
    body: bytes
    armor: bytes

    def verify(self, key: PublicKey) -> None:
        """Check that the given key has signed the statement."""
        verify(self.armor, self.body, Namespace.ORDERS, key)


def sign_statement(statement: Statement, key: PrivateKey) -> bytes:
    """Return a statement as signed text, which `read_statement` can read back."""
    signed = sign_text(key, Namespace.ORDERS, statement.text)
    read_statement(signed)
    return signed


def allowed_by(statement: Statement, old: PrivateKey) -> Statement:
    """Return a statement about a new key with the old key's signature on it."""
    return replace(statement, by=in_a_line(sign(old, Namespace.ROTATE, statement.text)))


def check_allowed(statement: Statement) -> None:
    """Raise TrustFault unless the old key has allowed the statement's new key."""
    armor = from_line(statement.by)
    old = parse(armor).key
    if old.fingerprint != statement.old:
        raise OrderFileFault(f"{old.fingerprint} has signed for it")
    verify(armor, replace(statement, by="").text, Namespace.ROTATE, old)


def read_statement(data: bytes) -> Signed:
    """Return a signed statement that was read from bytes.

    Raises:
        TrustFault: the bytes are not written as the format of statements demands.
    """
    most = MAX_STATEMENT_SIZE + MAX_ARMOR_SIZE
    if len(data) <= most:
        signed = split_unsealed(data)
    if len(data) > most or len(signed.body) > MAX_STATEMENT_SIZE:
        told = f"what is said about a league has {MAX_STATEMENT_SIZE:,} bytes at most"
        raise OrderFileFault(f"the file is too long: {told}", reason="too-large")
    try:
        first, *lines = signed.body.decode().removesuffix("\n").split("\n")
    except UnicodeDecodeError:
        raise OrderFileFault("the file is not utf-8 text") from None
    if first != "pbem1 league" or len(lines) < 3:
        raise OrderFileFault(f"the file begins with {quote(first)}, not with 'pbem1 league'")
    heads = [line.partition(" ") for line in lines[:2]]
    if [head[0] for head in heads] != ["league", "player"]:
        raise OrderFileFault("the first lines are league and player")
    statement = parse_lines(check_token(heads[0][2], "league's name"), heads[1][2], lines[2:])
    if statement.text != signed.body:
        raise OrderFileFault("the file is not written as its format demands")
    return Signed(statement, signed.body, signed.armor)


def parse_lines(league: str, player: str, lines: list[str]) -> Statement:
    """Return a statement that was read from its lines in the ledger, the first of which is `say`."""
    words: dict[str, str] = {}
    for line in lines:
        word, _, rest = line.partition(" ")
        if word not in ("say", *WORDS) or word in words or not rest or not is_plain_line(line):
            raise OrderFileFault(f"a statement about a league cannot have the line {quote(line)}")
        words[word] = rest
    say = words.pop("say", "")
    if say not in NEEDED:
        raise OrderFileFault(f"{quote(say)} cannot be said about a league; write one of {', '.join(NEEDED)}")
    needed = {*NEEDED[say], "made"}
    if lacking := sorted(needed - words.keys()):
        raise OrderFileFault(f"{say!r} needs the line {lacking[0]!r} as well")
    if beyond := sorted(words.keys() - needed - {*ALLOWED.get(say, ())}):
        raise OrderFileFault(f"{say!r} has no line {beyond[0]!r}")
    return Statement(
        league=league,
        player=check_player_name(player),
        say=say,
        key=_key(words["key"]) if "key" in words else None,
        anchor=_anchor(words["anchor"], player, say) if "anchor" in words else None,
        old=_fingerprint(words.get("old", "")),
        judge=_fingerprint(words.get("judge", "")),
        genesis=_head(words["genesis"]),
        rating=_number("rating", words["rating"], 9_999) if "rating" in words else None,
        games=_number("games", words["games"], 99) if "games" in words else 0,
        eliminator=_yes(words.get("eliminator", "")),
        of=check_player_name(words["of"]) if "of" in words else "",
        rounds=_rounds(words["rounds"]) if "rounds" in words else None,
        about=_about(words["about"]) if "about" in words else None,
        places=parse_places(words["places"]) if "places" in words else (),
        entry=_number("entry", words["entry"], 999_999) if "entry" in words else 0,
        made=parse_utc(words["made"]),
        reason=_reason(words.get("reason", "")),
        by=words.get("by", ""),
    )


def places_text(places: Places) -> str:
    """Return the places of players in a game's result as text: `alice=1,bob=2`."""
    return ",".join(f"{player}={place}" for player, place in places)


def parse_places(text: str) -> Places:
    """Return the places of players from a text such as `alice=1,bob=2`."""
    found = []
    for word in text.split(","):
        player, _, place = word.partition("=")
        if place not in ("1", "2", "3", "4", "5"):
            raise OrderFileFault(f"{quote(word)} is not a place; write it like alice=1")
        found.append((check_player_name(player), int(place)))
    places = sorted(place for _, place in found)
    if len({player for player, _ in found}) != len(found) or any(
        place != places.index(place) + 1 for place in places
    ):
        raise OrderFileFault(f"{quote(text)} are not places: if two share one, the next place is left out")
    return tuple(found)


def _key(line: str) -> PublicKey:
    key = parse_public(line)
    if key.line != line:
        raise OrderFileFault("the key is not written as its format demands")
    return key


def _anchor(fields: str, player: str, say: str) -> Reveal:
    anchor = parse_reveal(fields)
    name, generation = split_who(anchor.who)
    if anchor.step != 0 or name != player or (generation == 1) != (say != NEW_KEY):
        due = f"a chain after {player}.1" if say == NEW_KEY else f"the chain {player}.1"
        raise OrderFileFault(f"the anchor of {player} must be step 0 of {due}")
    return anchor


def _fingerprint(text: str) -> str:
    if text and not is_fingerprint(text):
        raise OrderFileFault(f"{quote(text)} is not a fingerprint of a key")
    return text


def _head(text: str) -> str:
    if not is_hash(text):
        raise OrderFileFault(f"the genesis of a league is 64 hex digits, not {quote(text)}")
    return text


def _number(word: str, text: str, most: int) -> int:
    if not is_number(text) or not 1 <= int(text) <= most:
        raise OrderFileFault(f"{word} is a number from 1 to {most}, not {quote(text)}")
    return int(text)


def _yes(text: str) -> bool:
    if text not in ("", "yes"):
        raise OrderFileFault("eliminator is yes, or is left out")
    return bool(text)


def _rounds(text: str) -> tuple[int, int]:
    first, _, last = text.partition(" ")
    if not (is_number(first) and is_number(last)) or not 1 <= int(first) <= int(last) <= 999:
        raise OrderFileFault(f"{quote(text)} are not rounds; write them like 2 3, the first and the last")
    return int(first), int(last)


def _about(text: str) -> tuple[int, int]:
    parts = text.split(" ")
    if len(parts) != 2 or not all(is_number(part) and part != "0" for part in parts):
        raise OrderFileFault(f"{quote(text)} is not a round and pairing; write them like 1 3")
    return int(parts[0]), int(parts[1])


def _reason(text: str) -> str:
    if len(text) > MAX_REASON_LENGTH:
        raise OrderFileFault(f"a reason has {MAX_REASON_LENGTH:,} characters at most")
    if " ".join(split_words(text)) != text:
        raise OrderFileFault("a reason has one space between its words")
    return text
