"""What a club refuses of what arrives, and why an exchange cannot end yet."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

from pbem.judge.agenda import read_agendas
from pbem.judge.club import Club
from pbem.judge.deadlines.looks import Look, note_look, told_to, waits_for
from pbem.judge.intake.apart import Apart, drop
from pbem.judge.intake.consents import MOST_CONSENTS, take_consent
from pbem.judge.intake.received import key_of
from pbem.judge.intake.waiting import FOLDER
from pbem.judge.places import check_agrees
from pbem.judge.tables.note_tables import DISAGREES
from pbem.judge.upkeep.counting import Counter, check_counter
from pbem.judge.upkeep.replayed import _apply
from pbem.trust.act_entries import Consent, sign_consent
from pbem.trust.times import utc_text
from tests.judge.table import GAME, Table
from tests.refusals.clauses import Row
from tests.refusals.club import at_table
from tests.refusals.rooms import OTHER, in_club


def consents(to: str) -> Callable[[Table], object]:
    """What bob signs."""

    def do(table: Table) -> object:
        head = table.genesis
        said = Consent(game=GAME, genesis=head, seen=(1, head), exchange=1, by="bob", to=to)
        return take_consent(table.club, sign_consent(said, table.people["bob"].key))

    return do


def enough(table: Table) -> object:
    folder = table.club.path / FOLDER
    folder.mkdir()
    for number in range(MOST_CONSENTS):
        (folder / f"{GAME}-1-bob-{number}.consent").touch()
    return consents("concede bob")(table)


def another_key(club: Club) -> object:
    known = club.store.player("alice")
    assert known is not None
    with club.store.step():
        club.store.put_player(known._replace(key=OTHER.line))
    return key_of(club, club.book(GAME), "alice", 1)


def disagrees(club: Club) -> None:
    with club.store.step():
        club.store.put_note(f"{DISAGREES}{GAME}", "held: it stands elsewhere")
    check_agrees(club, GAME)


def by_mail(do: Callable[[Club], object]) -> Callable[[], object]:
    """Of a club that plays by mail."""

    def door(club: Club) -> object:
        club.settings = {
            "mail": {"address": "judge@example.org", "inbox": {"maildir": "x"}, "outbox": {"host": "x"}}
        }
        return do(club)

    return in_club(door)


def waiting(club: Club) -> object:
    return waits_for(club, read_agendas(club)[GAME], timedelta())


def looked_before(club: Club) -> object:
    note_look(club, Look(utc_text(club.clock()), 0, ()), 0, [])
    return waiting(club)


def counted_elsewhere(club: Club) -> None:
    found = Counter(turn=9, number=9, identity="another", at="2026-01-01T00:00:00Z", ledgers={})
    check_counter(club, found, is_afar=True)


A_GAME = Apart("game", GAME, "", 1, "", "")
NOT_LOOKED = "the mailbox has not been looked through since its deadline"
ROWS = (
    Row(
        "a game cannot be dropped; have it tried again",
        in_club(lambda club: drop(club, A_GAME)),
    ),
    Row("consents in this exchange: that is enough", at_table(enough)),
    Row("nora does not play demo", at_table(consents("claim nora"))),
    Row("the key of alice is not the one that demo was opened with", in_club(another_key)),
    Row("held: it stands elsewhere", in_club(disagrees)),
    Row("letters to alice have not left", by_mail(lambda club: told_to(club, GAME, "alice"))),
    Row(NOT_LOOKED, by_mail(waiting)),
    Row(NOT_LOOKED, by_mail(looked_before)),
    Row("another folder of this club has signed at", in_club(counted_elsewhere)),
    Row(
        "which had 'lost': install that one",
        in_club(lambda club: _apply(club, {"at": "then", "rows": {"lost": {"1": None}}})),
    ),
)
FOLDERS = (
    "judge/intake",
    "judge/deadlines",
    "judge/places.py",
    "judge/upkeep/counting.py",
    "judge/upkeep/replayed.py",
)
ELSEWHERE = {
    "judge/deadlines/looks.py told_to: late and max(late) > now": "mail/test_looks.py",
    "judge/intake/consents.py take_consent: what == CLAIM and (unheard := why_unheard(club, book))": (
        "mail/test_claims.py"
    ),
}
"""What takes a story of its own -> the tests that tell it."""
