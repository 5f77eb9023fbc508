"""The mails that only a person understands, and how their words are passed on to the director.

The director is `[watch] address` in club.toml. A director who plays learns only that an opponent has written,
not what the mail says, for it may be a plan. The number of mails passed on in a day is limited, for each
sender and for all together. Every mail stays in the mailbox, whether it is passed on or not.

From words beside something that the program reads are taken out: sealed files and signed texts, what is left
of damaged ones, orders that are not sealed, what the program itself writes around all these in a mail,
uuencoded files, private keys, commands, quotes with the line above them, and all below a signature's "-- " or
above a forwarded mail. A note that only greets, or only says that something is sent, has no words for a
person.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import timedelta
from typing import TYPE_CHECKING

from pbem.characters import plain, plain_line, split_lines, wrap
from pbem.judge.agenda import Agenda, read_agendas
from pbem.judge.intake.waiting_list import OpenQuestion, keep_question, open_question
from pbem.mail.answers import Reply
from pbem.mail.mail_text import is_command, is_footer, own_lines
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
    """Tell whether a mail can go to the director: club.toml names one, and the sender is another person.

    A mail that is marked as spam or forged cannot.
    """
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
    """List a mail kept back by a limit as waiting for the director; of strangers' mails only some a day."""
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
    """Pass a mail on to the director, and say whether its sender was told that a person will read it.

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
    """Yield the lines of a mail's text, safe to pass on: long ones wrapped, without control characters."""
    for line in split_lines(text):
        shown = plain(line).rstrip(" ")
        yield from wrap(shown, _WIDTH) if len(shown) > _WIDTH else (shown,)


_LARGEST = 100_000
_KINDS = "join|absence|profile|fetch-key|consent|league|checkpoint|rotate"
_BEGIN = re.compile(
    rf"BEGIN\s+(?P<age>AGE)\s+ENCRYPTED\s+FILE|BEGIN\s+SSH\s+SIGNATURE|pbem1\s+(?:{_KINDS}|orders)\s"
)
_END_AGE = re.compile(r"END\s+AGE\s+ENCRYPTED\s+FILE[^\n]*")
_END_SIGNED = re.compile(r"END\s+SSH\s+SIGNATURE[^\n]*")
_END = re.compile(r"-*\s*END\s+(?:AGE\s+ENCRYPTED\s+FILE|SSH\s+SIGNATURE)\s*-*")
_BASE64 = re.compile(r"[A-Za-z0-9+/=]{1,200}")
_LONG = re.compile(r"[A-Za-z0-9+/=]{40,}")
_UUENCODED = re.compile(r"^begin [0-7]{3,4} [^\n]{1,200}\n(?:[ -`]{0,62}\r?\n){0,2500}end\b", re.MULTILINE)
_PRIVATE_KEY = re.compile(
    r"-*BEGIN OPENSSH PRIVATE KEY.*?(?:END OPENSSH PRIVATE KEY-*|\Z)|AGE-SECRET-KEY-1\w*", re.DOTALL
)
_MARGIN = " \t\r>|"
_ALWAYS_BESIDE = tuple(
    re.compile(words.replace(" ", r"[\s>|]+"))
    for words in (
        r"\S{1,64}, exchange [0-9]{1,6}: (?:revision [0-9]{1,6}|reveal) of \S{1,64}, sealed to the judge\.",
        r"To the other players: this copy proves that the orders were sent\.",
        r"You cannot open it\. Save the whole mail, and keep it with pbem receive MAIL",
        r"\S{1,64}: a message, sealed to the judge, who passes it on\.",
    )
)
"""Patterns of what the player's program writes around what it seals (`pbem.player.outgoing.mailing`)."""
_QUOTED = re.compile(
    r"^(?:(?:on|am|le|el) [^\n]{1,200}\n?[^\n]{0,200}:[ \t\r]*\n\s{0,8})?"
    r"(?:[ \t]{0,8}[>|][^\n]*(?:\n|\Z)\s{0,8})+",
    re.IGNORECASE | re.MULTILINE,
)
"""Pattern of quoted lines, with the line or two above them that say who wrote them."""
_SIGNATURE = re.compile(r"^-- \r?$", re.MULTILINE)
"""Pattern of the line above a signature (RFC 3676, 4.3)."""
_WORD = re.compile(r"[^\W\d_]+")
_COVER = frozenset(
    """
    a absence all anbei and anmeldung answer antwort are at attached attachment befehle below
    best call cheers consent datei dear die enclosed entry everybody everyone exchange file files find for
    freundlichen from fw fwd game good greetings gruß grüsse grüße grüßen hallo hello here hey hi hier ich
    in is it join judge key kind league liebe lieber liga mein meine message mfg mit morning my neue
    neuen neuer new of order orders our please regards reply round schlüssel sealed see sent settings
    signed sincerely sind the they this to turn viele wishes yours zum zur
    """.split()
)
"""The words of greetings, and of notes that say that something is sent."""
_THANKS = frozenset("dank danke for much many thank thanks thx very vielen you".split())


def has_words(text: str) -> bool:
    """Tell whether a mail's text holds more than quotes, a signature and what a telephone writes below it."""
    text = _QUOTED.sub("", text[:_LARGEST])
    return any(line.strip() and not is_footer(line) for line in _SIGNATURE.split(text, 1)[0].splitlines())


def words_beside(text: str, names: Collection[str], *, is_own: bool) -> str:
    """Return what somebody wrote for a person to read in a mail that brings something else; "" if nothing.

    `names` are the writer's. `is_own` tells whether the mail brings something of theirs, so that thanks are
    given for taking it.
    """
    text = _PRIVATE_KEY.sub("", _UUENCODED.sub("", text[:_LARGEST]))
    text = _without_remains("".join(_outside(text)))
    for pattern in _ALWAYS_BESIDE:
        text = pattern.sub("", text)
    lines = [line for line in own_lines(_QUOTED.sub("", text)) if _WORD.search(line) and not is_command(line)]
    passed_over = {*_COVER, *(_THANKS if is_own else ()), *map(str.lower, names)}
    if "?" not in text and all(word.lower() in passed_over for line in lines for word in _WORD.findall(line)):
        return ""
    return "\n".join(lines)


def _outside(text: str) -> Iterator[str]:
    """Yield the pieces of a text that stand outside sealed files and signed texts.

    A signed text without its end is taken as going on to the end of the mail; a sealed file without its end
    leaves its lines to `_without_remains`.
    """
    at = 0
    while begin := _BEGIN.search(text, at):
        yield text[at : begin.start()]
        end = (_END_AGE if begin["age"] else _END_SIGNED).search(text, begin.end())
        at = end.end() if end else begin.end() if begin["age"] else len(text)
    yield text[at:]


def _without_remains(text: str) -> str:
    """Return a text without the lines of sealed files and signatures that have lost their begin or end.

    These are long lines of base64, and the short ones after them or before an END.
    """
    found, is_after_long = list[str](), False
    for line in split_lines(text):
        bare = line.strip(_MARGIN)
        is_long = bool(_LONG.fullmatch(bare))
        if _END.fullmatch(bare):
            while found and _BASE64.fullmatch(found[-1].strip(_MARGIN)):
                found.pop()
        elif not is_long and not (is_after_long and _BASE64.fullmatch(bare)):
            found.append(line)
        is_after_long = is_long
    return "\n".join(found)
