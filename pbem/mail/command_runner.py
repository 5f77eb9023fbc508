"""The commands and signed statements of a mail: how they are run, and how their answers are collected.

Commands need no proof, so they do nothing but send what anybody may read, or a player's own letters to the
player's own address.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator

from pbem.errors import ConfigError, LedgerError, PbemError
from pbem.judge.agenda import standing_line
from pbem.judge.book import Unconfirmed, note_newer
from pbem.judge.club import Club
from pbem.judge.intake.consents import take_consent, take_rotation
from pbem.judge.intake.desk import Desk
from pbem.judge.intake.quarantine import kept_for
from pbem.judge.intake.waiting_list import consented_key
from pbem.judge.letters.addresses import keep_profile
from pbem.judge.letters.letter_files import league_called
from pbem.judge.letters.wishes import about_avoided, keep_fetch_key, keep_wishes
from pbem.judge.tables.database import AbsenceRow, IncomingRow, LetterRow
from pbem.mail.answers import ASKED, JOINED, SIGNED, Answers, Reply, take_join
from pbem.mail.headers import PERSON, Head
from pbem.mail.mail_text import Command, decode
from pbem.mail.settings import director_of
from pbem.mail.statements import find_statements
from pbem.rendering import render
from pbem.trust.entries import EXTEND
from pbem.trust.fields import read_signed, verify_signed
from pbem.trust.formats import MAX_ABSENCE_DAYS
from pbem.trust.keys import parse_public
from pbem.trust.ledger import verify_checkpoint
from pbem.trust.player_statements import NO, NOBODY, YES, Absence, FetchKey, Profile
from pbem.trust.rotations import read_rotation
from pbem.trust.signature import BEGIN
from pbem.trust.times import check_made, find_zone, utc_text

MAX_MAILED_ABSENCE_DAYS = 366
REFUSED = "signed statement refused"


def obey(answers: Answers, desk: Desk, reply: Reply, commands: Iterable[Command]) -> list[str]:
    """Run the commands of one mail, whose answers go into `reply`; return a line about each for the log."""
    if not reply.head.answerable:
        return ["commands that nobody can be answered for"]
    reply.is_about(ASKED)
    done, lines, page = [], [], ""
    for command in commands:
        done.append(f"command {command.text}")
        if command.word == "help":
            page = render(
                "mail/help.txt.j2", club=answers.club.name, director=director_of(answers.club.settings)
            )
        elif command.word == "status":
            lines += _status(answers, desk, reply.head, command)
        else:
            try:
                lines += _about_leagues(answers, desk, reply.head, command)
            except LedgerError:
                lines.append(f"{command.text}: the judge has stopped a league; the director knows.")
    reply.page = "\n".join([page, *lines] if page else lines)
    return done


def _about_leagues(answers: Answers, desk: Desk, head: Head, command: Command) -> list[str]:
    if command.word == "standings":
        return _standings(answers, head, command)
    if command.word == "my games":
        return _my_games(answers, desk, head, command)
    return _resend(answers, desk, head, command)


def _status(answers: Answers, desk: Desk, head: Head, command: Command) -> list[str]:
    player = answers.player_at(head.sender)
    games = [
        agenda
        for game, agenda in desk.agendas.items()
        if (game == command.game if command.game else player in agenda.seated_people)
    ]
    if not games:
        return [
            "The judge has no game of yours at this address."
            if not command.game
            else "There is no such game."
        ]
    return [standing_line(agenda) for agenda in games[:50]]


def _standings(answers: Answers, head: Head, command: Command) -> list[str]:
    """Return lines with the tables of a league, or of all leagues in which the sender takes part."""
    if command.game and command.game not in answers.leagues.names():
        known = ", ".join(answers.leagues.names()) or "none yet"
        return [f"There is no league called {command.game}; there are: {known}."]
    names = [command.game] if command.game else answers.leagues.leagues_of(answers.player_at(head.sender))
    if not names:
        return ["The judge has no league of yours at this address. Name it: standings LEAGUE"]
    return [line for name in names for line in (*answers.leagues.standings(name), "")]


def _my_games(answers: Answers, desk: Desk, head: Head, command: Command) -> list[str]:
    """Return lines with the games of the player at the sender's address, by leagues, then the others."""
    from pbem.judge.leagues.display import games_of, headline

    player = answers.player_at(head.sender)
    if not player:
        return ["No player is enrolled with this address."]
    lines, told = [], set[str]()
    for name in answers.leagues.leagues_of(player):
        season = answers.leagues.season(name)
        told |= {pair.game for state in season.rounds for pair in state.pairings.pairs}
        if command.game in ("", name):
            own = games_of(season, player, desk.agendas)
            lines += [headline(season), *own, ""]
    others = [one for one in desk.agendas.values() if player in one.seated_people and not one.over]
    others = [one for one in others if one.game not in told and command.game in ("", one.game)]
    return [*lines, *map(standing_line, others)] or ["You play no game now."]


def _resend(answers: Answers, desk: Desk, head: Head, command: Command) -> list[str]:
    players = answers.players_at(head.sender)
    if not players:
        return ["The judge sends letters again only to the address that is enrolled for a player."]
    if not command.game:
        return ["Name the game: resend GAME"]
    agenda, name = desk.agendas.get(command.game), command.game
    seated: Container[str] = agenda.seated_people if agenda is not None else ()
    if agenda is None and (name := league_called(answers.club, name)):
        seated = answers.leagues.season(name[7:]).members
    store = answers.club.store
    wanted = [
        letter
        for player in players
        if player in seated
        for letter in _letters_asked_for(store.letter_heads(name, player, sealed=True), name, command.number)
    ]
    if not wanted:
        return [f"There are no such letters of {command.game} to {' or '.join(players)}."]
    if not answers.may_send_again(head.sender):
        return ["The judge sends letters again only once a day."]
    for letter in wanted:
        answers.club.store.send_again(letter.id)
    return []


def _letters_asked_for(letters: list[LetterRow], game: str, number: int) -> list[LetterRow]:
    """Return the letters of an exchange or of a league's call; without a number, those since the last report.

    A league has no reports, so that without a number the last twenty letters are returned.
    """
    if number:
        stem = f"{game}-{number:04d}-"
        return [letter for letter in letters if letter.name.startswith(stem)]
    last = max((place for place, one in enumerate(letters) if one.name.endswith("-report.txt")), default=-20)
    return letters[last:][:20]


def take_statement(club: Club, reply: Reply, statement: bytes) -> str:
    """Take in a signed text (join, absence, profile, fetch key, consent, new key, head, or about a league).

    Return in words what became of the text.
    """
    take = {
        b"pbem1 join": take_join,
        b"pbem1 absence": _absence,
        b"pbem1 profile": _profile,
        b"pbem1 fetch-key": _fetch_key,
        b"pbem1 consent": _consent,
        b"pbem1 league": _league,
        b"pbem1 checkpoint": _head,
        b"pbem1 rotate": _rotation,
    }
    kind = statement.partition(b"\n")[0]
    reply.is_about(JOINED if take[kind] is take_join else SIGNED)
    try:
        return take[kind](club, reply, statement)
    except Unconfirmed as fault:
        reply.tell(f"{kept_for(fault.ledger)}.")
        return kept_for(fault.ledger)
    except PbemError as fault:
        reply.tell(f"What you signed was not accepted: {fault}.")
        return f"{REFUSED}: {fault}"


def take_from_file(club: Club, raw: bytes, sender: str = "") -> list[str]:
    """Take in the signed statements of a file from the game master, or of a post; return the result of each.

    Nothing is mailed: what the players are told is told to whoever hands the file in. `sender` is "" if the
    game master does.
    """
    done: list[str] = []
    for statement in find_statements(decode(raw)):
        with club.store.step():
            number = club.store.add_incoming(utc_text(club.clock()), statement, "")
            reply = Reply(IncomingRow(number, "", b"", ""), Head(origin=PERSON, sender=sender))
            done.append(take_statement(club, reply, statement))
            club.store.finish_incoming(number, done[-1])
    return done


def _refuse_elsewhere(club: Club, judge: str) -> None:
    """Raise ConfigError if a statement is for another judge: it names no key that this judge has had."""
    own = club.key.public.fingerprint
    if judge != own and not club.store.note(f"judge {judge}"):
        raise ConfigError(f"it was signed for another judge, {judge}; this club's key is {own}")


def _keep_private(club: Club, profile: Profile) -> Iterator[str]:
    """Keep the wishes of a profile that the judge alone knows, and yield sentences about them."""
    if any(profile.private.values()):
        keep_wishes(club.store, profile.player, **profile.private)
    webhook, push = profile.webhook, profile.push
    if profile.quiet or profile.digest:
        yield "Messages of other players are mailed to you at the hours that you have signed."
    if profile.hear:
        yield "You are told of games as you have signed. What only a mail can bring waits a day at most."
    if profile.mails == NO:
        yield "Once you fetch from the post box nothing that lies there is mailed to you, receipts neither."
    elif profile.mails:
        yield "Mails come to you again, as you have signed for each kind."
    if webhook == NOBODY:
        yield "Your webhook is called no more."
    elif webhook and "notify" in club.settings:
        yield "Your webhook is told when an exchange of yours is open, and nothing else."
    elif webhook:
        yield "This club calls no webhooks; yours is kept, for when it does."
    if push == NOBODY:
        yield "Your device is woken no more."
    elif push:
        yield "Your device is woken when an exchange of yours is open, as far as the club wakes devices."
    yield from about_avoided(club.store, profile.avoid)


def _profile(club: Club, reply: Reply, statement: bytes) -> str:
    """Keep a player's wishes about mail; the answer goes to their enrolled address."""
    profile, body, armor = read_signed(Profile, statement)
    known = club.store.player(profile.player)
    if known is None:
        reply.tell("No enrolled player has signed the profile.")
        return f"profile of {profile.player}, who is not enrolled"
    verify_signed(body, armor, parse_public(known.key))
    _refuse_elsewhere(club, profile.judge)
    if profile.zone:
        find_zone(profile.zone)
    check_made(profile.made, club.clock())
    if not keep_profile(club.store, profile, club.clock()):
        reply.tell_signer(known.address, "A later profile of yours is known, so this one changes nothing.")
        return f"profile of {profile.player}: a later one is known"
    lines = list(_keep_private(club, profile))
    if profile.zone:
        lines.append(f"Letters to you will give deadlines in {profile.zone} as well.")
    if profile.share == NOBODY:
        lines.append("The judge no longer tells your address to your opponents.")
    elif profile.share and profile.share.lower() == known.address.lower():
        lines.append(
            "The judge tells your address to your opponents. Their programs send you copies of orders."
        )
    elif profile.share:
        lines.append(
            f"{profile.share} is not the address that is enrolled for you, so the judge tells it to "
            f"nobody; ask the game master to enrol it."
        )
    if profile.publish == YES:
        lines.append(
            "The club's pages may show your games to everybody, with the players' names, if all who play in "
            "them have signed so."
        )
    elif profile.publish == NO:
        lines.append("From now on the club's pages show your games only by their sides.")
    reply.tell_signer(known.address, *lines)
    shown = ("avoid" if wish.startswith("avoid ") else wish for wish in profile.wishes)
    return f"profile of {profile.player}: {', '.join(shown)}"


def _fetch_key(club: Club, reply: Reply, statement: bytes) -> str:
    """Keep a player's signed statement about a key that fetches their letters from the post box."""
    said, body, armor = read_signed(FetchKey, statement)
    known = club.store.player(said.player)
    if known is None:
        reply.tell("No enrolled player has signed the fetch key.")
        return f"fetch key of {said.player}, who is not enrolled"
    key = parse_public(known.key)
    verify_signed(body, armor, key)
    _refuse_elsewhere(club, said.judge)
    check_made(said.made, club.clock())
    what = f"fetch key {said.key.fingerprint} of {said.player}"
    if not keep_fetch_key(club.store, said, key):
        return f"{what}: a later word is known"
    done = "is withdrawn" if said.is_withdrawn else "may fetch your letters from the post box"
    reply.tell_signer(known.address, f"The key {said.key.fingerprint} {done}.")
    return f"{what}: {'withdrawn' if said.is_withdrawn else 'in force'}"


def _consent(club: Club, reply: Reply, statement: bytes) -> str:
    """Keep a consent, or grant a claim; the answer goes to the enrolled address of whoever signed it."""
    kept = take_consent(club, statement)
    said = kept.consent
    known = club.store.player(kept.person)
    what = f"consent of {said.by} to '{said.to}' in exchange {said.exchange} of {said.game}"
    if known is not None and known.address:
        is_asked = said.to.startswith(f"{EXTEND} ")
        waits = "Who else plays must sign it, too." if is_asked else "The game master decides."
        outcome = f"Done: {kept.done}." if kept.done else f"It has come. {waits}"
        key = consented_key(club, said.to)
        named = f" The new key is {key}." if key else ""
        lines = [f"You have signed '{said.to}' for exchange {said.exchange} of {said.game}.{named} {outcome}"]
        reply.tell_signer(known.address, *lines)
    return f"{what}: {kept.done or kept.path}"


def _rotation(club: Club, reply: Reply, statement: bytes) -> str:
    """Keep a new key for the game master; the answer goes to the address of the seat's owner."""
    change, path = take_rotation(club, statement)
    known = club.store.player(club.book(change.game).history.seats.person(change.player))
    if known is not None:
        lines = [f"Your new key for {change.game} has come: {parse_public(change.new).fingerprint}."]
        if not read_rotation(statement).by:
            lines.append(
                "Neither the old key nor a recovery key has signed it, so all others who play, or the second "
                f"official, must consent: pbem sign consent {change.game} {change.exchange} {change.consent} "
                "--as NAME"
            )
        reply.tell_signer(known.address, *lines, "The game master enters it; until then the old one counts.")
    return f"new key of {change.player} for exchange {change.exchange} of {change.game}: {path}"


def _head(club: Club, reply: Reply, statement: bytes) -> str:
    """Check a head that the judge's key signed; if the ledger lacks it, another copy of the club has run."""
    at = statement.index(BEGIN)
    signed = verify_checkpoint(statement[:at], statement[at:], club.key.public)
    from pbem.judge.leagues.book import ledger_of

    book = ledger_of(club, signed.game)
    said = f"the judge's key has signed a head of {signed.size} entries of {signed.game}"
    if book.head_at(signed.size) == signed.head:
        reply.tell("The head that you sent is in the judge's ledger.")
        return f"{said}, and it is in the ledger"
    note_newer(club.store, signed.game, f"{said}: {signed.head}", signed.size, signed.head)
    reply.tell("The head that you sent is not in the judge's ledger: the game waits for the game master.")
    return f"{said}, and it is not in the ledger"


def _league(club: Club, reply: Reply, statement: bytes) -> str:
    """Enter a signed statement about a league; a new entrant is written to at the sender's address."""
    from pbem.judge.leagues.desk import take_statement as take

    taken = take(club, statement, reply.head.sender)
    known = club.store.player(taken.player)
    if known is not None and known.address and (taken.remark or not taken.new):  # else the receipt says it
        reply.tell_signer(known.address, f"It is entered: {taken.text}.")
    return taken.text


def _absence_left(club: Club, player: str) -> Iterator[str]:
    """Yield lines that say by how much a player's absences may still move deadlines of their games."""
    from pbem.judge.agenda import read_agendas

    for agenda in read_agendas(club).values():
        if player in agenda.seated_people and not agenda.over and not agenda.trouble:
            history = club.book(agenda.game).history
            names = [one for one in history.playing if history.seats.person(one) == player]
            days = min((history.absences.left(one).days for one in names), default=0)
            most = MAX_ABSENCE_DAYS
            yield f"In {agenda.game} your absences can move them by {days} more days, of {most}."


def _absence(club: Club, reply: Reply, statement: bytes) -> str:
    """Keep an absence that its player has signed; the answer goes to their enrolled address."""
    absence, body, armor = read_signed(Absence, statement)
    known = club.store.player(absence.player)
    if known is None:
        reply.tell("No enrolled player has signed the absence.")
        return f"absence of {absence.player}, who is not enrolled"
    verify_signed(body, armor, parse_public(known.key))
    _refuse_elsewhere(club, absence.judge)
    check_made(absence.made, club.clock())
    if (absence.ends - absence.begins).days > MAX_MAILED_ABSENCE_DAYS:
        reply.tell_signer(known.address, "The absence is longer than a year; ask the game master.")
        return f"absence of {absence.player}: too long"
    new = club.store.add_absence(
        AbsenceRow(
            player=absence.player,
            begins=absence.begins.isoformat(),
            ends=absence.ends.isoformat(),
            made=utc_text(absence.made),
            statement=statement,
        )
    )
    if new and known.address:
        line = (
            f"Your absence from {absence.begins} until {absence.ends} is noted. The judge moves deadlines "
            f"in that time."
        )
        reply.tell_signer(known.address, " ".join([line, *_absence_left(club, absence.player)]))
    return f"absence of {absence.player}, {absence.begins} until {absence.ends}"
