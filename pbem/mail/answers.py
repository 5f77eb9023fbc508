"""The judge's answers to mails: who gets one, how often in a day, and what those not answered hear later.

Receipts and reports are no answers: they are written once for each thing that happened, and go only to
enrolled addresses. What is signed is answered at the enrolled address of whoever signed it. Everything else
may come from anybody, for From may be forged; it is answered by who needs it, and each need has a quota of
its own, so that nobody uses up another's:

    an order file that was not taken    so often a day at an enrolled address
    commands, statements                so often a day at an enrolled address
    words that the director does not    once a day at an address; strangers also so many an hour
    get, because they have had so many
    other mail of a player              once a day
    a stranger's wish to join           once a day at an address, so many an hour; the others wait their turn
    a stranger's command                once a day at an address, so many an hour
    other mail of a stranger that       once a day at an address, so many an hour
    names a game

What came when a quota of its sender's was used up is answered the next day, whether they write again or not:
all of it in one letter, which is that day's answer to other mail. So nobody gets more answers in a day than
the table says. The same words with the same answer are not answered once more, or two machines could go on
for ever. Of strangers so many wait for such a letter at most.

A wish to join a game is kept for the game master, too. Anybody can sign one with their own key. Those of
enrolled players, and what the game master hands in, have room of their own. Strangers share the rest: where
it is full, one for a game that has begun goes, or else the oldest of those who have sent most from one
domain. So a flood from one place drives out itself.

Machines get no answer. Whom a quota has kept from an answer is noted for the game master, but for words of a
player that the next day's letter answers.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from datetime import timedelta
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pbem.characters import lower
from pbem.errors import PbemError
from pbem.judge.club import Club
from pbem.judge.intake.waiting_list import forget_questions
from pbem.judge.tables.database import IncomingRow, PlayerRow
from pbem.judge.upkeep.self_seal import mac_of
from pbem.mail.headers import OLD, Head
from pbem.mail.mail_problems import OWED, UNANSWERED, WISHED
from pbem.mail.settings import MailSettings
from pbem.rendering import render
from pbem.steps import Step
from pbem.trust.player_statements import Join, read_join
from pbem.trust.times import local_text, parse_utc

if TYPE_CHECKING:
    from pbem.judge.leagues.display import Leagues

ORDERS, ASKED, SIGNED, JOINED, PRESS = "orders", "asked", "signed", "joined", "press"
LIMITED, OTHER = "limited", "other"
KINDS = (ORDERS, ASKED, SIGNED, JOINED, PRESS, LIMITED, OTHER)
"""Kinds of answers, the most needed first; each has a quota of its own."""


@dataclass(slots=True)
class Reply:
    """The answer to one mail, collected while the mail is handled."""

    row: IncomingRow
    head: Head
    about_us: bool = False
    """Whether the mail names a game, or brings a wish to join."""
    about: str = OTHER
    to_signer: dict[str, list[str]] = field(default_factory=dict)
    """Lines of the answer for those who signed something in the mail, by their enrolled address."""
    lines: list[str] = field(default_factory=list)
    """Lines of the answer for the sender of the mail."""
    page: str = ""
    """The answer to the commands in the mail as a whole text, for the sender of the mail; "" for none."""
    has_receipt: bool = False
    """Whether the mail held orders that were accepted; their receipt is then an answer to the mail."""
    words: str = ""
    """The words of the mail that a person is to read, or from which nothing was taken."""
    is_owed: bool = False
    """Whether the sender, who has used up this day's answers, gets this one in the next day's letter."""
    join: str = ""
    """The name of the file in which a wish to join is kept; "" if the mail brings no wish."""

    def tell(self, *lines: str) -> None:
        """Add lines to the answer for the sender of the mail, whoever that is."""
        self.lines += [line for line in lines if line not in self.lines]

    def is_about(self, what: str) -> None:
        """Note what kind of answer the mail needs; of several kinds the one that is needed most counts."""
        self.about = min(self.about, what, key=KINDS.index)

    def tell_signer(self, address: str, *lines: str) -> None:
        """Add lines to the answer for whoever signed something in the mail, at the enrolled address."""
        if address:
            self.to_signer.setdefault(lower(address), []).extend(lines)


ORDERS_PER_DAY = 16
"""Maximum number of letters a day to one address about orders that were not taken."""
MAX_OWED_LINES = 50
"""Maximum number of lines that are kept of one answer that is still to be sent."""
MAX_OWED_STRANGERS = 30
"""Maximum number of strangers for whom an answer is kept to be sent."""
MAX_STRANGERS = 500
"""Maximum number of strangers' wishes to join that are kept."""
MAX_PER_PLAYER = 20
"""Maximum number of wishes to join of one enrolled player that are kept."""
DOUBTFUL = "?"
"""The text that stands for the domain of a mail which a filter has marked as spam or forged."""
MANY = "These mails of yours came after the answers of their day. This letter answers them all:"
TOO_OFTEN = "it asks for something that is answered only so often a day; send it again"
SHOWN = 10
"""Maximum number of addresses of strangers that the game master is shown."""


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


class Answers:
    """The judge's answers to those who write, within their daily quotas."""

    def __init__(self, club: Club, settings: MailSettings) -> None:
        self.club = club
        self.settings = settings

    def address_of(self, player: str) -> str:
        """Return the address enrolled for a player, in lower case; "" if there is none."""
        return self._addresses.get(player, "")

    def player_at(self, address: str) -> str:
        """Return the first player enrolled with an address; "" if there is none."""
        return next(iter(self.players_at(address)), "")

    def players_at(self, address: str) -> list[str]:
        """Return all players enrolled with an address."""
        return [name for name, known in self._addresses.items() if address and known == address]

    @cached_property
    def leagues(self) -> Leagues:
        """The leagues of the club whose mails are answered."""
        from pbem.judge.leagues.display import Leagues

        return Leagues(self.club)

    @cached_property
    def _addresses(self) -> dict[str, str]:
        return {row.name: row.address.lower() for row in self.club.store.players()}

    def send(self, reply: Reply) -> bool:
        """Put the answer to a mail into the outbox, if there is one and its quota allows it.

        Return whether an answer was put there.

        There is one answer, or one to each player whose signed files the mail brings.
        """
        sender = reply.head.sender
        if reply.head.origin == OLD:
            return False
        if reply.to_signer:
            said = {
                address: [*lines, *(reply.lines if address == sender else ())]
                for address, lines in reply.to_signer.items()
            }
            told = [(address, lines) for address, lines in sorted(said.items()) if lines]
            return any([self._answer(reply, *one, place) for place, one in enumerate(told)])  # noqa: C419
        if not (reply.lines or reply.page) or not reply.head.answerable:
            return False
        if not (reply.about_us or self.player_at(sender)):
            return False
        return self._answer(reply, sender, reply.lines)

    def send_owed(self) -> None:
        """Send the answers that had to wait: of an earlier day, and about wishes to join in turn."""
        owed, wishes = self.club.store.notes(OWED), list(waiting_wishes(self.club))
        if not owed and not wishes:
            return
        with self.club.store.step():
            for name, note in owed.items():
                kept, address = json.loads(note), name.removeprefix(OWED)
                if kept["day"] == self._day:
                    continue
                if self.player_at(address):
                    self.club.store.count_answer(address, f"{self._day} {OTHER}")
                elif not self._is_open_to_stranger(address, OTHER):
                    continue
                lines = [MANY, *kept["lines"]]
                if left := kept["count"] - len(kept["lines"]):
                    lines.append(f"And {left} more.")
                self._queue_answer(f"{kept['last']:06d}-more", address, lines)
                self.club.store.drop_note(name)
            for wish in wishes:
                if self._is_open_to_stranger(wish.address, JOINED):
                    self._queue_answer(f"{wish.number:06d}", wish.address, [], wish.page, wish.message_id)
                    note_answered(self.club, wish)

    def may_send_again(self, address: str) -> bool:
        """Count an unsigned request to send letters again; return whether the address's quota allows it."""
        return self._counts((address, f"{self._day} again", 1))

    def _answer(self, reply: Reply, address: str, lines: list[str], place: int = 0) -> bool:
        """Send an answer to an address if the quota allows, else keep or note it; return whether it went."""
        is_new = self._is_new(reply, address, lines)
        if self._may_write(address, reply):
            number = f"{reply.row.id:06d}{f'-{place + 1}' if place else ''}"
            page = reply.page if address == reply.head.sender else ""
            self._queue_answer(number, address, lines, page, reply.head.message_id)
            return True
        if reply.join:
            keep_answer(self.club, reply)
            reply.is_owed = True
            if reply.about != ORDERS:
                return False
        is_owed = is_new and self._may_owe(reply, address)
        if is_owed:
            self._owe(reply, address, lines)
        if reply.about != OTHER or not (is_owed or reply.has_receipt):
            self._note_unanswered(address, reply.about)
        return False

    def _is_new(self, reply: Reply, address: str, lines: list[str]) -> bool:
        """Count an answer by its text and the words that it answers; return whether it counts as new.

        It does if the same was not said since yesterday began, or if it is about orders.
        """
        said = "\0".join([*lines, reply.page, reply.words]).encode()
        mark, now = hashlib.sha256(said).hexdigest()[:16], self.club.clock()
        days = [f"{(now - timedelta(days=back)).date().isoformat()} said {mark}" for back in (0, 1)]
        known = any(self.club.store.count_answers(address, day) for day in days)
        self.club.store.count_answer(address, days[0])
        return not known or reply.about == ORDERS

    def _may_write(self, address: str, reply: Reply) -> bool:
        """Count an answer to an address; return whether it may be sent."""
        day = f"{self._day} {reply.about}"
        if not self.player_at(address):
            return self._is_open_to_stranger(address, reply.about)
        if reply.about == ORDERS:
            return self._counts((address, day, ORDERS_PER_DAY))
        if reply.head.is_suspect and not reply.to_signer:
            return self._counts((address, f"{self._day} {OTHER}", 1))
        if reply.about in (LIMITED, OTHER):
            return self._counts((address, day, 1))
        return self._counts((address, day, self.settings.answers_per_day))

    def _is_open_to_stranger(self, address: str, about: str) -> bool:
        """Count an answer to a stranger by address and hour; return whether it may be sent."""
        kind = _kind_for_stranger(about)
        hour = f"{self.club.clock():%Y-%m-%dT%H} {kind}"
        return self._counts((address, f"{self._day} {kind}", 1), ("", hour, self.settings.answers_per_hour))

    def _may_owe(self, reply: Reply, address: str) -> bool:
        """Tell whether an answer whose quota is used up may be sent to an address on another day.

        A limit is told once a day and no more. A stranger must have had an answer of this day, so that a
        flood from many addresses is not answered when it is over.
        """
        if reply.about == LIMITED:
            return False
        if self.player_at(address):
            return reply.about == ORDERS or bool(reply.to_signer) or not reply.head.is_suspect
        waiting = {name.removeprefix(OWED) for name in self.club.store.notes(OWED)}
        strangers = [one for one in waiting if not self.player_at(one)]
        has_room = address in waiting or len(strangers) < MAX_OWED_STRANGERS
        kind = _kind_for_stranger(reply.about)
        return has_room and self.club.store.count_answers(address, f"{self._day} {kind}") > 0

    def _owe(self, reply: Reply, address: str, lines: list[str]) -> None:
        """Keep the lines of an answer, with when its mail came, to send them on another day."""
        reply.is_owed = reply.is_owed or address == reply.head.sender
        note = self.club.store.note(f"{OWED}{address}")
        kept: dict[str, Any] = json.loads(note) if note else {"day": self._day, "count": 0, "lines": []}
        kept["last"] = reply.row.id
        kept["count"] += 1
        profile = self.club.store.profile(next(iter(self.players_at(address)), ""))
        at = local_text(parse_utc(reply.row.at), profile.zone if profile else "")
        kept["lines"] = [*kept["lines"], f"Your mail of {at}: {' '.join(lines or [TOO_OFTEN])}"]
        kept["lines"] = kept["lines"][:MAX_OWED_LINES]
        self.club.store.put_note(f"{OWED}{address}", json.dumps(kept))

    def _note_unanswered(self, address: str, about: str) -> None:
        note = self.club.store.note(UNANSWERED)
        kept: dict[str, Any] = json.loads(note) if note else {}
        if kept.get("day") != self._day:
            kept = dict[str, Any](day=self._day, players={}, strangers=0, some=[], needed=False, player=False)
        name = " and ".join(self.players_at(address))
        is_needed = about not in (LIMITED, OTHER)
        kept["needed"] = kept["needed"] or not name or is_needed
        kept["player"] = kept.get("player", False) or bool(name and is_needed)
        if name:
            kept["players"][name] = kept["players"].get(name, 0) + 1
        else:
            kept["strangers"] += 1
            kept["some"] = list(dict.fromkeys([*kept["some"], address]))[:SHOWN]
        self.club.store.put_note(UNANSWERED, json.dumps(kept))

    def _counts(self, *quotas: tuple[str, str, int]) -> bool:
        """Count an answer against each quota, unless one is used up; return whether it may be sent."""
        if any(self.club.store.count_answers(address, what) >= most for address, what, most in quotas):
            return False
        for address, what, _ in quotas:
            self.club.store.count_answer(address, what)
        return True

    @property
    def _day(self) -> str:
        return self.club.clock().date().isoformat()

    def _queue_answer(
        self, number: str, address: str, lines: list[str], page: str = "", answers: str = ""
    ) -> None:
        """Put an answer into the outbox, with a keyed hash of `number`, which counts all mails, as its id."""
        mark = mac_of(self.club, "answer", number.encode()).decode()[:16]
        texts = [page] if page else []
        if lines or not page:
            texts.append(render("mail/answer.txt.j2", lines=lines))
        text = "\n\n".join(one.strip("\n") for one in texts)
        self.club.store.add_letter(
            "",
            "",
            f"answer-{mark}.txt",
            b"",
            text=f"{text.rstrip()}\n",
            address=address,
            answers=answers,
        )


def _kind_for_stranger(about: str) -> str:
    """Return the kind of answer as which an answer to a stranger is counted."""
    return about if about in (JOINED, ASKED, LIMITED) else OTHER


def forget_answers(club: Club, player: str, address: str) -> None:
    """Drop the counted and waiting answers to a player, the judge's and the director's."""
    forget_questions(club, player, address)
    club.store.drop_note(f"{OWED}{address.lower()}")
    if note := club.store.note(UNANSWERED):
        kept = json.loads(note)
        kept["players"] = {
            who: count for who, count in kept["players"].items() if player not in who.split(" and ")
        }
        club.store.put_note(UNANSWERED, json.dumps(kept))


def take_join(club: Club, reply: Reply, statement: bytes) -> str:
    """Keep a wish to join for the game master, and tell the sender its key; return a line for the log."""
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


def keep_answer(club: Club, reply: Reply) -> None:
    """Note that a mail with a wish to join is answered later, because too many came."""
    name = f"{WISHED}{reply.join}"
    if note := club.store.note(name):
        head = reply.head
        page = "\n\n".join(filter(None, (reply.page, " ".join(reply.lines))))
        later = {"address": head.sender, "message_id": head.message_id, "page": page}
        club.store.put_note(name, json.dumps(json.loads(note) | later))


def waiting_wishes(club: Club) -> Iterator[Wish]:
    """Yield the wishes to join that wait for their answer, the oldest first."""
    yield from (wish for wish in _wishes(club).values() if wish.page)


def note_answered(club: Club, wish: Wish) -> None:
    """Note that a wish to join was answered."""
    for name, one in _wishes(club).items():
        if one.number == wish.number:
            done = asdict(wish) | {"address": "", "message_id": "", "page": ""}
            club.store.put_note(f"{WISHED}{name}", json.dumps(done))


def forget_joins(club: Club, player: str, address: str = "") -> None:
    """Remove a player's wishes to join, and those from an address, since their text may hold it."""
    for path in club.joins_folder.glob("*.join"):
        try:
            if read_join(path.read_bytes()).player == player:
                _drop(club, path)
        except PbemError:  # not written here
            continue
    for name, wish in _wishes(club).items():
        if address and wish.address == address.lower():
            club.store.drop_note(f"{WISHED}{name}")
