"""Wishes to join a game, kept for the game master and answered, however many come from whomever.

Anybody can sign a wish with their own key. Those of enrolled players, and what the game master hands in,
have room of their own. Strangers share the rest: where it is full, one for a game that has begun goes, or
else the oldest of those who have sent most from one domain. So a flood from one place drives out itself.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from pbem.errors import PbemError
from pbem.judge.club import Club
from pbem.judge.tables.rows import PlayerRow
from pbem.mail.proposed_answer import Reply
from pbem.mail.unanswered import WISHED
from pbem.rendering import render
from pbem.steps import Step
from pbem.trust.player_statements import Join, read_join

MAX_STRANGERS = 500
"""Maximum number of strangers' wishes to join that are kept."""
MAX_PER_PLAYER = 20
"""Maximum number of wishes to join of one enrolled player that are kept."""
DOUBTFUL = "?"
"""The text that stands for the domain of a mail which a filter has marked as spam or forged."""


@dataclass(frozen=True, slots=True)
class Wish:
    """The circumstances of a wish to join, apart from the text that the player signed."""

    number: int
    """The number of the mail that brought the wish."""
    game: str
    player: str = ""
    """The enrolled player who signed the wish; "" if a stranger did."""
    domain: str = ""
    """The domain of a stranger's mail; "" if the wish came otherwise."""
    address: str = ""
    """The address for the answer to the wish, if that answer had to wait."""
    message_id: str = ""
    page: str = ""
    """The text of the answer to the wish, if that answer had to wait."""


def take_join(club: Club, reply: Reply, statement: bytes) -> str:
    """Keep a wish to join for the game master, and tell the sender which key it came with."""
    join = read_join(statement)
    reply.about_us = True
    known = club.store.player(join.player)
    if known is not None and known.key != join.key.line:
        reply.tell(f"Your wish to join was not kept: {known.refusal_of_another_key}.")
        return f"wish to join as {join.player}: the name is enrolled with another key"
    path = club.joins_folder / f"{_stem(join)}.join"
    path.parent.mkdir(exist_ok=True, mode=0o700)
    sender = reply.head.sender
    domain = DOUBTFUL if reply.head.is_suspect else sender.partition("@")[2]
    wish = Wish(reply.row.id, join.game, known.name if known else "", "" if known else domain)
    gone = "" if path.exists() else _make_room(club, wish)
    path.write_bytes(statement)
    club.store.put_note(f"{WISHED}{path.name}", json.dumps(asdict(wish)))
    reply.join = path.name
    begun = _begun(club, join.game)
    told = render(
        "mail/joined.txt.j2",
        join=join,
        judge=club.key.public.fingerprint,
        next=""
        if begun
        else "The game master opens the game when its players are there; " + _invitation(known, join),
        begun=begun,
        turn=Step.MAIL.command(),
    )
    reply.page = "\n\n".join(filter(None, (reply.page, told)))
    return f"wish of {join.player} <{sender}> to join {join.game}, key {join.key.fingerprint}: {path}{gone}"


def _begun(club: Club, game: str) -> str:
    """Return in words who plays a game that was opened already; "" if it was not."""
    if game not in club.store.games():
        return ""
    try:
        players = club.book(game).history.playing
    except PbemError:  # it is told by itself
        return "others"
    return " and ".join(sorted(players)) or "others"


def _invitation(known: PlayerRow | None, join: Join) -> str:
    """Return in words how an invitation reaches whoever wishes to join: by mail only to a known address."""
    if join.share or (known is not None and known.address):
        return "the invitation comes by mail."
    return (
        "the invitation comes by mail only if they have entered your address, because the file shares none: "
        "write to them."
    )


def _stem(join: Join) -> str:
    return f"{join.game}-{join.player}-{hashlib.sha256(join.key.blob).hexdigest()[:8]}"


def _wishes(club: Club) -> dict[str, Wish]:
    """Return the wishes that are kept, by file, the oldest first."""
    found = {
        name.removeprefix(WISHED): Wish(**json.loads(note)) for name, note in club.store.notes(WISHED).items()
    }
    return dict(sorted(found.items(), key=lambda one: (one[1].number, one[0])))


def _make_room(club: Club, new: Wish) -> str:
    """Drop wishes that are out of date or must make room for a new one; return words for the log."""
    wishes = _wishes(club)
    for name in [name for name in wishes if not (club.joins_folder / name).exists()]:
        club.store.drop_note(f"{WISHED}{name}")
        del wishes[name]
    if new.player:
        rivals = {name: wish for name, wish in wishes.items() if wish.player == new.player}
        most = MAX_PER_PLAYER
    elif new.domain:
        rivals = {name: wish for name, wish in wishes.items() if wish.domain}
        most = MAX_STRANGERS
    else:
        return ""
    if len(rivals) < most:
        return ""
    begun = set(club.store.games())
    domains = Counter([wish.domain for wish in (*rivals.values(), new)])
    largest = max(domains, key=lambda domain: (domains[domain], domain))
    crowd = [name for name, wish in rivals.items() if wish.game in begun]
    crowd += [name for name, wish in rivals.items() if wish.domain == largest]
    _drop(club, club.joins_folder / crowd[0])
    return f"; {crowd[0]} was removed to make room"


def _drop(club: Club, path: Path) -> None:
    path.unlink(missing_ok=True)
    club.store.drop_note(f"{WISHED}{path.name}")


def owe(club: Club, reply: Reply) -> None:
    """Note that a mail with a wish to join is answered later, because too many came."""
    name = f"{WISHED}{reply.join}"
    if note := club.store.note(name):
        head = reply.head
        page = "\n\n".join(filter(None, (reply.page, " ".join(reply.lines))))
        later = {"address": head.sender, "message_id": head.message_id, "page": page}
        club.store.put_note(name, json.dumps(json.loads(note) | later))


def owed(club: Club) -> Iterator[Wish]:
    """Yield the wishes to join that wait for their answer, the oldest first."""
    yield from (wish for wish in _wishes(club).values() if wish.page)


def paid(club: Club, wish: Wish) -> None:
    """Note that a wish to join was answered."""
    for name, one in _wishes(club).items():
        if one.number == wish.number:
            done = asdict(wish) | {"address": "", "message_id": "", "page": ""}
            club.store.put_note(f"{WISHED}{name}", json.dumps(done))


def forget_joins(club: Club, player: str, address: str = "") -> None:
    """Remove a player's wishes to join, and those from an address, since their text may hold it."""
    for path in (club.joins_folder).glob("*.join"):
        try:
            if read_join(path.read_bytes()).player == player:
                _drop(club, path)
        except PbemError:  # not written here
            continue
    for name, wish in _wishes(club).items():
        if address and wish.address == address.lower():
            club.store.drop_note(f"{WISHED}{name}")
