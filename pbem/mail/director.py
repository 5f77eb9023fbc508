"""Passes mails that only a person understands on to the director (`[watch] address` in club.toml).

A director who plays learns only that an opponent has written, not what the mail says, for it may be a plan.
The number of mails passed on in a day is limited, for each sender and for all together. Every mail stays in
the mailbox, whether it is passed on or not.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import timedelta
from typing import TYPE_CHECKING

from pbem.characters import plain, plain_line, split_lines, wrap
from pbem.judge.agenda import Agenda, read_agendas
from pbem.judge.intake.open_questions import OpenQuestion, keep_question, open_question
from pbem.mail.proposed_answer import Reply
from pbem.mail.settings import director_of
from pbem.rendering import render
from pbem.steps import Step
from pbem.trust.times import local_text, utc_text

if TYPE_CHECKING:
    from pbem.judge.club import Club

QUESTION = "question-"
"""Prefix of the names of letters that bring the director a mail."""
MAX_QUESTION_LENGTH = 4_000
"""Maximum number of characters of a mail that are passed on."""
MAX_PER_SENDER, MAX_FROM_STRANGERS, MAX_FROM_PLAYERS = 3, 10, 30
"""Mails a day (UTC) that the director gets at most from one sender, all strangers and all players."""
MAX_FILES_TOLD = 10
"""Maximum number of attachments that the director is told by name."""
LEAST_WORDS = 3
"""Number of words from which on a subject may be all that somebody wrote."""
_WIDTH = 200
"""Characters of a line at most; four times as many bytes are below the limit of mail servers (998)."""
IN_WORDS = (
    "If these are orders, they do not count: words in a mail can come from anybody. Orders count once they "
    f"are signed and sealed. Save the last report as you got it, and use: {Step.MAIL.command()} (or open it "
    "with your page in a browser); then send what it writes."
)
OPPONENT = "You play against them, so what they have written stays in the mailbox: let somebody else read it."
"""Sentence for a director who plays, in place of the words of an opponent."""
WILL_READ = "Nothing in your mail is for the judge's program. A person will read it: the director."
WILL_READ_WORDS = "What you wrote beside it, in words, is passed on. A person will read it: the director."


def is_heard(club: Club, reply: Reply) -> bool:
    """Tell whether a director, whom club.toml must name, hears of a sender's mails, who is somebody else."""
    director, sender = director_of(club.settings), reply.head.sender
    return bool(director and sender) and director != sender and not reply.head.is_suspect


def is_for_director(club: Club, reply: Reply, text: str, files: Sequence[str] = ()) -> bool:
    """Tell whether a mail has words for the director, or files of which the program could use none.

    A player's mail is passed on even if its subject looks automatic; such a mail is not answered, since two
    machines could answer each other for ever.
    """
    has_some = bool(text.strip(" \r\n\t") or files)
    return is_heard(club, reply) and (has_some or _asks_in_subject(reply))


def count_question(club: Club, reply: Reply, players: Sequence[str]) -> str:
    """Count a mail to the director; return the limit that keeps it back, in words, or "" if none does.

    `players` are those enrolled with the sender's address.
    """
    sender, now = reply.head.sender, club.clock()
    day = f"{now:%Y-%m-%d} question"
    group, most = ("players", MAX_FROM_PLAYERS) if players else ("strangers", MAX_FROM_STRANGERS)
    quotas = (
        (sender, day, MAX_PER_SENDER, "one address"),
        ("", f"{day} of {group}", most, "players" if players else "people who are not enrolled"),
    )
    for address, what, most, whose in quotas:
        if club.store.count_answers(address, what) >= most:
            profile = club.store.profile(players[0]) if players else None
            next_day = now.replace(hour=0, minute=0, second=0, microsecond=0) + timedelta(days=1)
            return (
                f"The director gets at most {most} mails a day from {whose}, so your words were not passed "
                f"on. You can write again from {local_text(next_day, profile.zone if profile else '')}."
            )
    for address, what, *_ in quotas:
        club.store.count_answer(address, what)
    return ""


def keep_back(club: Club, agendas: Mapping[str, Agenda], reply: Reply, players: Sequence[str]) -> None:
    """List a mail that a limit has kept back as waiting for the director; of strangers' so many a day."""
    day = f"{club.clock():%Y-%m-%d} question kept back"
    if not players:
        if club.store.count_answers("", day) >= MAX_FROM_STRANGERS:
            return
        club.store.count_answer("", day)
    _keep_question(club, agendas, reply, players, limit=True)


def pass_on(
    club: Club,
    agendas: Mapping[str, Agenda],
    reply: Reply,
    text: str,
    players: Sequence[str],
    *,
    files: Sequence[str] = (),
    is_answered: bool,
    is_used: bool = False,
    is_broken: bool = False,
) -> None:
    """Write a mail to the director, with whether its sender was told that a person will read it.

    `files` are the names of what was attached. `is_used` tells whether the program could use something else
    in the mail, `is_broken` whether there was something that it could not use.
    """
    director, sender = director_of(club.settings), reply.head.sender
    games, is_secret = _games_of(club, agendas, players)
    letter = render(
        "mail/question.txt.j2",
        sender=sender,
        players=players,
        games=games,
        secret=OPPONENT if is_secret else "",
        subject=plain_line(reply.head.subject),
        text="\n".join(_lines(text[:MAX_QUESTION_LENGTH])),
        files=[plain_line(name) for name in files[:MAX_FILES_TOLD]],
        is_answered=is_answered,
        is_owed=reply.is_owed,
        is_used=is_used,
        is_broken=is_broken,
        is_automatic=not reply.head.answerable,
        is_cut=len(text) > MAX_QUESTION_LENGTH,
    )
    club.store.add_letter("", "", _letter_name(reply.row.id), b"", text=letter, address=director)
    _keep_question(club, agendas, reply, players)


def read_question(club: Club, number: int) -> str:
    """Return a mail that waits for the director as it was passed on, or why its words are not shown.

    They are shown to no director who plays against the sender now, even if they did not when it came.

    Raises:
        ConfigError: no such mail waits for an answer.
    """
    question = open_question(club, number)
    if _games_of(club, read_agendas(club), question.players)[1]:
        return f"{OPPONENT}\n"
    letter = club.store.letter_named("", "", _letter_name(number))
    return letter.text if letter is not None else f"{question.text}\n"


def _letter_name(number: int) -> str:
    return f"{QUESTION}{number:06d}.txt"


def _games_of(club: Club, agendas: Mapping[str, Agenda], players: Sequence[str]) -> tuple[list[str], bool]:
    """Return the running games of players, and whether the director plays in one of them."""
    director = director_of(club.settings)
    own = {row.name for row in club.store.players() if row.address.lower() == director}
    games = [one for one in agendas.values() if not one.over and set(players) & set(one.seated_people)]
    return [one.game for one in games], any(own & set(one.seated_people) for one in games)


def _keep_question(
    club: Club, agendas: Mapping[str, Agenda], reply: Reply, players: Sequence[str], *, limit: bool = False
) -> None:
    """Note a mail as waiting for the director's answer, without its subject if that may be a plan."""
    games, is_secret = _games_of(club, agendas, players)
    question = OpenQuestion(
        at=utc_text(club.clock()),
        sender=reply.head.sender,
        players=list(players),
        games=games,
        subject="" if is_secret else plain_line(reply.head.subject),
        limit=limit,
    )
    keep_question(club, reply.row.id, question)


def _asks_in_subject(reply: Reply) -> bool:
    """Tell whether a mail without text may say all in a subject that has some words and answers no letter."""
    return len(reply.head.subject.split(" ")) >= LEAST_WORDS and not reply.head.references


def _lines(text: str) -> Iterator[str]:
    """Yield the lines of a mail so that any mail can carry them: none is long, and none moves a terminal."""
    for line in split_lines(text):
        shown = plain(line).rstrip(" ")
        yield from wrap(shown, _WIDTH) if len(shown) > _WIDTH else (shown,)
