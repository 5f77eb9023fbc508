"""Lists what waits for the game master: decisions, silence, consents, keys, messages, mails, joins.

A mail with a question waits, whether it was passed on to the director or not: they answer from their own mail
program, which the judge does not see. So it waits until they say that it is answered
(`pbem club status --answered NUMBER`). `--read NUMBER` shows what it says.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING

from pbem.characters import lower
from pbem.errors import ConfigError, PbemError
from pbem.judge.tables.note_tables import FOR_GM

if TYPE_CHECKING:
    from pathlib import Path

    from pbem.judge.agenda import Agenda
    from pbem.judge.club import Club
    from pbem.trust.act_entries import Consent

FOLDER = "consents"
MAX_LINES = 20
"""Maximum number of requests to join that are listed one by one."""
ROTATE = "rotate"
"""The word that begins the act in a consent to a seat's new key."""
SILENT = "silent "
"""Prefix of the note about a game and a player who has sent nothing for too many exchanges."""
_IS_HARMLESS = re.compile(r"[A-Za-z0-9 ._=-]{1,200}").fullmatch
NOTE = "question "
"""Prefix of the note of a mail that waits for an answer: `question NUMBER`."""
MAX_QUESTIONS = 20
"""Maximum number of waiting mails that are listed one by one."""
_DIGITS = 6
"""Number of digits of a mail's number in the name of its note, so that notes stand in their order."""
_SUBJECT = 60
"""Maximum number of characters of a mail's subject that are shown."""


def waiting_for_director(club: Club, agendas: Collection[Agenda], *, questions_until: str = "") -> list[str]:
    """Return lines on all that waits for the game master; first comes what could cost a player a turn.

    Mails that wait for an answer are left out if they came at the time `questions_until` or later.
    """
    found = list[str]()
    for agenda in agendas:
        for player in agenda.waiting:
            if count := silent_exchanges(club, agenda, player):
                what = "the others may claim, or consent to a substitute: pbem guide disputes"
                found.append(f"{agenda.game}: {player} has sent nothing for {count} exchanges; {what}")
    if club.store.leagues():
        from pbem.judge.leagues.status import waiting_decisions

        found += (
            f"{one.about}: {one.text}{one.command and f': {one.command}'}" for one in waiting_decisions(club)
        )
    questions = waiting_questions(club, questions_until)
    late = [one.line for one in late_statements(club, agendas) if one.key]
    others = [*waiting_consents(club, agendas), *late, *_unread(club), *questions]
    return [*found, *others, *waiting_joins(club)]


def _unread(club: Club) -> Iterable[str]:
    """Return a line on each game with messages to the director that they have not read."""
    if not club.store.notes(FOR_GM):
        return ()
    from pbem.judge.press.director import unread_by_director

    return unread_by_director(club).values()


def silent_exchanges(club: Club, agenda: Agenda, player: str) -> int:
    """Return for how many exchanges a seat that is awaited has sent nothing; 0 if that is not too many."""
    exchange, _, count = club.store.note(f"{SILENT}{agenda.game} {player}").partition(" ")
    return int(count) if player in agenda.waiting and exchange == str(agenda.exchange) else 0


def waiting_joins(club: Club) -> list[str]:
    """Return lines on requests to join games that are not open yet, those of enrolled players first.

    There is a line for each of the first twenty, and one for all others.
    """
    paths = sorted(club.joins_folder.glob("*.join"))
    if not paths:
        return []
    from pbem.trust.player_statements import read_join

    found, begun = [], set(club.store.games())
    keys = {player.name: player.key for player in club.store.players()}
    for path in paths:
        try:
            join = read_join(path.read_bytes())
        except PbemError:  # not written here
            continue
        if join.game not in begun:
            known = keys.get(join.player) == join.key.line
            line = f"{join.game}: {join.player} wishes to join, with the key {join.key.fingerprint}"
            command = f"pbem game new {join.game} --players {join.player},..."
            found.append((not known, f"{line}; if that is their key: {command}"))
    lines = [text for _, text in sorted(found)]
    if len(lines) > MAX_LINES:
        lines[MAX_LINES:] = [f"and {len(lines) - MAX_LINES} more who wish to join: {club.joins_folder}"]
    return lines


def waiting_consents(club: Club, agendas: Iterable[Agenda]) -> list[str]:
    """Return a line on each consent and new key for an exchange that is open now."""
    paths = sorted((club.path / FOLDER).glob("*.consent"))
    rotations = sorted((club.path / FOLDER).glob("*.rotation"))
    if not paths and not rotations:
        return []
    from pbem.trust.act_entries import read_consent
    from pbem.trust.entries import EXTEND
    from pbem.trust.keys import parse_public
    from pbem.trust.rotations import read_rotation

    waiting: dict[tuple[str, str], list[tuple[Consent, Path]]] = {}
    current = {agenda.game: agenda.exchange for agenda in agendas if not agenda.over}
    used, found = _Used(club), list[str]()
    for path in paths:
        try:
            said, _ = read_consent(path.read_bytes())
        except PbemError:  # not written here
            continue
        if said.to.startswith(f"{EXTEND} "):
            continue  # the other players grant it
        if current.get(said.game) == said.exchange and said.sha256 not in used.by(said.game):
            waiting.setdefault((said.game, said.to), []).append((said, path))
    for (game, to), given in waiting.items():
        who = " and ".join(dict.fromkeys(said.by for said, _ in given))
        have = "has" if len(given) == 1 else "have"
        found.append(
            f"{game}: {who} {have} signed '{to}': {_entered_by(given[0][0], [at for _, at in given])}"
        )
    for path in rotations:
        try:
            file = read_rotation(path.read_bytes())
            change = file.change
            old = club.book(change.game).history.seats.fingerprint(change.player, change.exchange + 1)
        except PbemError:  # not written here
            continue
        is_open = current.get(change.game) == change.exchange and old == change.old
        if not is_open or change.sha256 in used.by(change.game) or (change.game, change.consent) in waiting:
            continue
        line = f"{change.game}: {change.player} has signed a new key, {parse_public(change.new).fingerprint}"
        if file.by:
            found.append(f"{line}: pbem game replace-key {path}")
        else:
            found.append(
                f"{line}, by neither the old nor a recovery key: make sure that it is they who ask; others "
                f"must consent: pbem sign consent {change.game} {change.exchange} {change.consent} --as NAME"
            )
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class LateStatement:
    """A consent or new key for an exchange that ended before the game master entered it."""

    game: str
    player: str
    exchange: int
    current: int
    """The exchange that is open now, for which it has to be signed again."""
    sha256: str
    to: str = ""
    """The act to which the player consented; "" for a new key."""
    key: str = ""
    """The fingerprint of the new key; "" for a consent."""
    old: str = ""
    """The fingerprint of the key that still counts, which a new key was to replace; "" for a consent."""

    @property
    def line(self) -> str:
        """The line that tells the game master of a new key that came too late to be entered."""
        return (
            f"{self.game}: {self.player} has signed a new key, {self.key}, for exchange {self.exchange}, "
            f"which ended before it was entered; they are told to sign it again for exchange {self.current}"
        )


def late_statements(club: Club, agendas: Iterable[Agenda]) -> list[LateStatement]:
    """Return the consents and new keys that the last two exchanges left unused, the newest of each kind."""
    current = {agenda.game: agenda.exchange for agenda in agendas if not agenda.over and agenda.exchange}
    late = [path for path in sorted((club.path / FOLDER).glob("*")) if _is_late(path.name, current)]
    if not late:
        return []
    from pbem.trust.act_entries import read_consent
    from pbem.trust.entries import EXTEND
    from pbem.trust.keys import parse_public
    from pbem.trust.rotations import read_rotation

    used, found = _Used(club), list[LateStatement]()
    for path in late:
        try:
            if path.suffix == ".consent":
                said, _ = read_consent(path.read_bytes())
                game, player, exchange, sha256 = said.game, said.by, said.exchange, said.sha256
                if said.to.startswith((f"{EXTEND} ", f"{ROTATE} ")):
                    continue  # the deadline is over; and consents to a new key follow the key
                more = {"to": said.to}
            else:
                change = read_rotation(path.read_bytes()).change
                game, player, exchange, sha256 = change.game, change.player, change.exchange, change.sha256
                old = club.book(game).history.seats.fingerprint(player, current[game] + 1)
                if old != change.old or _has_signed_again(path, game, current[game], player):
                    continue
                more = {"key": parse_public(change.new).fingerprint, "old": old}
        except PbemError:  # not written here
            continue
        if sha256 not in used.by(game):
            now = current[game]
            found.append(
                LateStatement(game=game, player=player, exchange=exchange, current=now, sha256=sha256, **more)
            )
    return found


def _is_late(name: str, current: Mapping[str, int]) -> bool:
    """Tell whether a statement's file name says that it was signed for one of the last two exchanges."""
    return any(
        0 < current.get(name[: place.start()], 0) - int(place[1]) <= 2
        for place in re.finditer(r"-(?=([0-9]{1,9})-)", name)
    )


def _has_signed_again(path: Path, game: str, exchange: int, player: str) -> bool:
    return any(path.parent.glob(f"{game}-{exchange}-{player}-*.rotation"))


def _entered_by(said: Consent, paths: Sequence[Path]) -> str:
    """Return the command that enters an act with these consents; the paths alone if it is not a known act.

    The player chose the words, and the director pastes the command: words that a shell may read otherwise
    stand in none.
    """
    from pbem.trust.act_entries import ARGUMENTS, PUT_AWAY

    alone = " ".join(map(str, paths))
    if not _IS_HARMLESS(said.to):
        return alone
    what, _, of = said.to.partition(" ")
    more = " ".join(['--reason "..."', *(f"--consent {path}" for path in paths)])
    if what in ARGUMENTS:
        return f"pbem game act {said.game} {said.to} {more}"
    if what == PUT_AWAY:
        return f"pbem club put-away {said.game} {more}"
    if what == ROTATE:
        return f"pbem game replace-key {_rotation_file(paths[0].parent, of) or 'FILE'} {more}"
    return alone


def _rotation_file(folder: Path, of: str) -> Path | None:
    """Return the stored new key that a consent to `rotate <of>` names; None if the key has not come."""
    player, _, sha256 = of.partition(" ")
    end = f"-{player}-{sha256[:8]}"
    return next((one for one in sorted(folder.glob("*.rotation")) if one.stem.endswith(end)), None)


def consented_key(club: Club, to: str) -> str:
    """Return the fingerprint of the new key in a consent; "" if it is about none, or the key has not come."""
    what, _, of = to.partition(" ")
    path = _rotation_file(club.path / FOLDER, of) if what == ROTATE and _IS_HARMLESS(of) else None
    if path is None:
        return ""
    from pbem.trust.keys import parse_public
    from pbem.trust.rotations import read_rotation

    change = read_rotation(path.read_bytes()).change
    return parse_public(change.new).fingerprint if change.consent == to else ""


def forget_consents(club: Club, player: str) -> None:
    """Remove the consents and new keys of a player, whose games are over; the ledgers name what they used."""
    from pbem.trust.act_entries import read_consent
    from pbem.trust.rotations import read_rotation

    for path in (club.path / FOLDER).glob("*"):
        try:
            if path.suffix == ".consent":
                named = {read_consent(path.read_bytes())[0].by}
            else:
                change = read_rotation(path.read_bytes()).change
                named = {change.player, change.person}
        except PbemError:  # not written here
            continue
        if player in named:
            path.unlink(missing_ok=True)


class _Used:
    """The SHA-256 of the players' statements that games' ledgers name, so that these no longer wait."""

    def __init__(self, club: Club) -> None:
        self._club = club
        self._found: dict[str, set[str]] = {}

    def by(self, game: str) -> set[str]:
        """Return the SHA-256 of the statements in a game's ledger: on its last exchanges, and on new keys."""
        if game not in self._found:
            try:
                history = self._club.book(game).history
            except PbemError:  # it is told by itself
                return set()
            acts = [act for exchange in history.exchanges[-3:] for act in exchange.acts]
            keys = history.seats.rotations
            given = [one.sha256 for entry in acts for _, one in entry.consents]
            given += [one.sha256 for entry in keys for _, one in entry.consents]
            self._found[game] = {*given, *(entry.text_sha256 for entry in keys)}
        return self._found[game]


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenQuestion:
    """One mail that waits for an answer of the director."""

    at: str
    sender: str
    players: list[str]
    """The players who are enrolled with the sender's address."""
    games: list[str]
    subject: str = ""
    """The subject of the mail; "" if the director may not read it, because they play against the sender."""
    limit: bool = False
    """Whether the judge held the mail back, for its sender had reached the limit of mails to the director."""
    more: int = 0
    """The number of further mails from the same sender on the same day that the limit has kept back."""
    last: str = ""
    """The subject of the last of these further mails, which may be more urgent than the first."""

    @property
    def text(self) -> str:
        """The mail described in one line for the director."""
        who = f"({', in '.join(filter(None, (' and '.join(self.players), ', '.join(self.games))))})"
        whose = f"{self.sender} {who}" if self.players else f"{self.sender}, who is not enrolled,"
        subject = f" '{self.subject[:_SUBJECT]}'" if self.subject else ""
        what = f"a mail of {whose}{subject} of {self.at}"
        if not self.limit:
            return f"{what} waits for your answer"
        last = f" (the last: '{self.last[:_SUBJECT]}')" if self.last else ""
        more = f", and {self.more} more that day{last}" if self.more else ""
        return f"{what}{more} was not passed on, because so many came; it is in the mailbox"


def keep_question(club: Club, number: int, question: OpenQuestion) -> None:
    """Note that a mail waits for an answer of the director, within a transaction.

    Mails that a limit has kept back are one for each sender and day.
    """
    if question.limit:
        for name, one in open_questions(club).items():
            if one.limit and one.sender == question.sender and one.at[:10] == question.at[:10]:
                _put(club, name, replace(one, more=one.more + 1, last=question.subject))
                return
    _put(club, number, question)


def open_questions(club: Club) -> dict[int, OpenQuestion]:
    """Return the mails that wait for an answer of the director, by number, the oldest first."""
    return {
        int(name.removeprefix(NOTE)): OpenQuestion(**json.loads(note))
        for name, note in club.store.notes(NOTE).items()
    }


def waiting_questions(club: Club, until: str = "") -> list[str]:
    """Return a line on each mail that waits for the director's answer and came before `until`.

    There is a line for each of the first twenty, and one for all others.
    """
    found = [
        f"{one.text}; when you have answered it: pbem club status --answered {number}"
        for number, one in open_questions(club).items()
        if not until or one.at < until
    ]
    if len(found) > MAX_QUESTIONS:
        found[MAX_QUESTIONS:] = [f"and {len(found) - MAX_QUESTIONS} more mails that wait for your answer"]
    return found


def open_question(club: Club, number: int) -> OpenQuestion:
    """Return a mail that waits for an answer of the director.

    Raises:
        ConfigError: no such mail waits for an answer.
    """
    known = open_questions(club)
    if number not in known:
        there = ", ".join(map(str, known)) or "none"
        raise ConfigError(f"no mail {number} waits for an answer; there is {there}")
    return known[number]


def close_questions(club: Club, numbers: Sequence[int]) -> list[str]:
    """Note that the director has answered mails; return a line about each.

    Raises:
        ConfigError: one of them does not wait for an answer; the others go on waiting, too.
    """
    found = {number: open_question(club, number) for number in numbers}
    with club.store.step():
        for number in found:
            club.store.drop_note(_name(number))
    return [f"the mail of {one.sender} of {one.at} waits no more" for one in found.values()]


def forget_questions(club: Club, player: str, address: str) -> None:
    """Remove the notes of waiting mails from a player or their address, within a transaction."""
    for number, one in open_questions(club).items():
        if player in one.players or one.sender == lower(address):
            club.store.drop_note(_name(number))


def _put(club: Club, number: int, question: OpenQuestion) -> None:
    club.store.put_note(_name(number), json.dumps(asdict(question)))


def _name(number: int) -> str:
    return f"{NOTE}{number:0{_DIGITS}d}"
