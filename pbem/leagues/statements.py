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
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from typing import Annotated, ClassVar

from pbem.characters import is_plain_line, split_words
from pbem.trust.chance import Reveal
from pbem.trust.faults import OrderFileFault
from pbem.trust.fields import (
    PLAYER,
    REVEAL,
    TEXT,
    TIME,
    Body,
    FieldText,
    Line,
    Maybe,
    Value,
    read_lines,
    token,
    write_lines,
)
from pbem.trust.formats import MAX_STATEMENT_SIZE
from pbem.trust.identifiers import (
    Namespace,
    check_player_name,
    check_token,
    is_fingerprint,
    is_hash,
    is_number,
    quote,
    split_who,
)
from pbem.trust.keys import PrivateKey, PublicKey, parse_public
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


def _fingerprint(text: str) -> str:
    if not is_fingerprint(text):
        raise OrderFileFault(f"{quote(text)} is not a fingerprint of a key")
    return text


def _head(text: str) -> str:
    if not is_hash(text):
        raise OrderFileFault(f"the genesis of a league is 64 hex digits, not {quote(text)}")
    return text


def _number(word: str, most: int, text: str) -> int:
    if not is_number(text) or not 1 <= int(text) <= most:
        raise OrderFileFault(f"{word} is a number from 1 to {most}, not {quote(text)}")
    return int(text)


def _yes(text: str) -> bool:
    if text != "yes":
        raise OrderFileFault("eliminator is yes, or is left out")
    return True


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


def _pair_text(pair: tuple[int, int]) -> str:
    return f"{pair[0]} {pair[1]}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement(FieldText):
    """One statement of a player about a league."""

    form: ClassVar[str] = "pbem1 league"

    league: Annotated[str, Line("league", token("league's name"))]
    """The name of the league's ledger."""
    player: Annotated[str, Line("player", PLAYER)]
    say: Annotated[str, Line("say", TEXT)]
    key: Annotated[PublicKey | None, Maybe("key", Value(_key, lambda key: str(key.line)))] = None
    old: Annotated[str, Maybe("old", Value(_fingerprint))] = ""
    anchor: Annotated[Reveal | None, Maybe("anchor", REVEAL)] = None
    judge: Annotated[str, Maybe("judge", Value(_fingerprint))] = ""
    genesis: Annotated[str, Maybe("genesis", Value(_head))] = ""
    rating: Annotated[int | None, Maybe("rating", Value(partial(_number, "rating", 9_999)))] = None
    games: Annotated[int, Maybe("games", Value(partial(_number, "games", 99)))] = 0
    """Maximum number of games at once that the player wants; 0 if nothing is said."""
    eliminator: Annotated[bool, Maybe("eliminator", Value(_yes, lambda _: "yes"))] = False
    of: Annotated[str, Maybe("of", PLAYER)] = ""
    rounds: Annotated[tuple[int, int] | None, Maybe("rounds", Value(_rounds, _pair_text))] = None
    about: Annotated[tuple[int, int] | None, Maybe("about", Value(_about, _pair_text))] = None
    places: Annotated[Places, Maybe("places", Value(parse_places, places_text))] = ()
    entry: Annotated[int, Maybe("entry", Value(partial(_number, "entry", 999_999)))] = 0
    by: Annotated[str, Maybe("by", TEXT)] = ""
    made: Annotated[datetime, Line("made", TIME)]
    reason: Annotated[str, Maybe("reason", Value(_reason))] = ""

    @property
    def lines(self) -> list[str]:
        """The statement's lines as they stand in the ledger."""
        return write_lines(self)[2:]

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
    body = Body([f"league {league}", f"player {player}", *lines])
    statement = Statement(**read_lines(Statement, body))
    if statement.anchor is not None:
        _check_anchor(statement.anchor, statement.player, say)
    return statement


def _check_anchor(anchor: Reveal, player: str, say: str) -> None:
    name, generation = split_who(anchor.who)
    if anchor.step != 0 or name != player or (generation == 1) != (say != NEW_KEY):
        due = f"a chain after {player}.1" if say == NEW_KEY else f"the chain {player}.1"
        raise OrderFileFault(f"the anchor of {player} must be step 0 of {due}")


def meaning(said: Statement, games: Sequence[str] = ()) -> str:
    """Return the sentence that tells what follows from a statement about a league.

    `games` are the player's running games, as far as known.
    """
    name = said.player
    rounds, about = said.rounds or (0, 0), said.about or (0, 0)
    going = f", and loses {', '.join(games)}" if games else ", and loses the games that go on"
    return {
        ENTER: f"{name} "
        + ("is not in the table, and meets players without an opponent, " if said.eliminator else "plays ")
        + "from the next round on that the judge has not called yet",
        SUBSTITUTE: f"if the director admits {name}, they have the points, opponents and games of {said.of}"
        if said.of
        else f"{name} is on the list of substitutes, and gets the first free place, with its points, "
        "opponents and games; 'withdraw' takes them off the list",
        WITHDRAW: f"{name} is not paired any more{going}; league.toml says if games that are over count",
        ABSENT: f"{name} is not paired from round {rounds[0]} to round {rounds[1]}",
        HALF_BYE: f"{name} is not paired in round {rounds[0]}, and gets the points of a draw",
        CHALLENGE: f"{name} meets {said.of} in the next round, if the rungs between them, and the number of "
        "their games, allow it",
        VOTE: f"it counts for pairing {about[1]} of round {about[0]}: {places_text(said.places)}; "
        "more than half of the panel decides",
        APPEAL: f"everybody can read it, and the director answers it with a ruling about entry {said.entry}",
        NEW_KEY: f"{name} signs only with the new key "
        + ("from that entry on" if said.by else f"when the director is sure that {name} asks, and rules so"),
    }[said.say]
