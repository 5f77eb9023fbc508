"""What a game master cannot do: acts, consents, new keys for a seat; and why a replayed game is held."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import replace
from math import inf
from typing import Any

from pbem.judge import adjudication, shown_games
from pbem.judge.acts import act, check_look, extend
from pbem.judge.agenda import read_agendas
from pbem.judge.cache import Played
from pbem.judge.club import Club
from pbem.judge.deadlines.waits_for_mail import WAITS, end_wait
from pbem.judge.intake.consents import take_consent
from pbem.judge.new_keys import rotate
from pbem.judge.newgame import new_game
from pbem.play.adjudicate import Adjudicator
from pbem.play.history import Exchange
from pbem.trust import keys
from pbem.trust.act_entries import AGREE_DRAW, CLAIM, CORRECT, GO_ON, HOLD, Consent, sign_consent
from pbem.trust.chance import Reveal
from pbem.trust.entries import AFTER_CLOSE, Close, Drawn, NewRules
from pbem.trust.rotations import KeyChange, sign_rotation
from tests.judge.table import GAME, TITLE, Table
from tests.refusals.clauses import Row
from tests.refusals.club import at_table, closed
from tests.refusals.rooms import in_club

Do = Callable[[Table], object]
OTHER, STRANGER = keys.generate("other"), keys.generate("stranger")

# -- acts


def acts(what: str, *of: str, before: Do = id, reason: str = "x") -> Callable[[], object]:
    """The game master does something, after something else."""

    def do(table: Table) -> object:
        before(table)
        return act(table.club, GAME, what, *of, reason=reason)

    return at_table(do)


def moves_deadline(before: Do, **options: Any) -> Callable[[], object]:
    def do(table: Table) -> object:
        before(table)
        return extend(table.club, GAME, 1, "x")

    return at_table(do, **options)


def waits(table: Table) -> None:
    with table.club.store.step():
        table.club.store.put_note(f"{WAITS}{GAME}", "1 no mail came")


def mail_failed(table: Table) -> None:
    waits(table)
    passed(table)
    end_wait(table.club, read_agendas(table.club)[GAME])


def held(table: Table) -> None:
    act(table.club, GAME, HOLD, reason="x")


def endless(table: Table) -> None:
    """The ledger, as it was read, has no deadline for the open exchange."""
    exchange = table.book.history.exchanges[0]
    exchange.opened = replace(exchange.opened, deadline=None)


def passed(table: Table) -> None:
    table.clock.pass_days(30)


def over(table: Table) -> None:
    both = [table.consent(AGREE_DRAW, by) for by in table.people]
    act(table.club, GAME, AGREE_DRAW, reason="x", consents=both)


def released(table: Table) -> None:
    """The game goes on with another release than is installed."""
    with table.club.store.step():
        table.book.append(NewRules(rules="f" * 64))


def ledger_says(change: Callable[[Exchange], None]) -> Do:
    """The ledger, as it was read, says otherwise how the first exchange came out."""

    def before(table: Table) -> None:
        table.go()
        change(table.book.history.exchanges[0])
        table.club.games_cache.forget(GAME)

    return before


def other_dice(exchange: Exchange) -> None:
    assert exchange.resolved is not None
    exchange.resolved = replace(exchange.resolved, mix="0" * 64)


def more_drawn(exchange: Exchange) -> None:
    exchange.drawn.append(Drawn(exchange=1, owner="a", label="a/b", result="c"))


def other_words(table: Table) -> None:
    """A report has told the same position in other words."""
    table.go()
    exchange = table.book.history.exchanges[0]
    first, *others = exchange.reported
    text = table.club.store.report(first.sha256).replace("\n", "\n\n", 1).encode()
    name = hashlib.sha256(text).hexdigest()
    with table.club.store.step():
        table.club.store.add_sealed(name, text)
    exchange.reported[:] = [replace(first, sha256=name), *others]


NO_DEADLINE = "exchange 1 of demo has no deadline to be moved"
ACTS = (
    Row("nobody counts as silent while demo waits: no mail came", acts(CLAIM, "bob", before=waits)),
    Row("mail has failed in exchange 1: nobody counts as silent", acts(CLAIM, "bob", before=mail_failed)),
    Row("alice has not consented; a consent is made with 'pbem sign consent", acts("concede", "alice")),
    Row("the game is on hold", acts(HOLD, before=held)),
    Row(NO_DEADLINE, moves_deadline(endless)),
    Row(NO_DEADLINE, moves_deadline(closed, mode=AFTER_CLOSE)),
    Row("it can be moved only before (protocol 8)", moves_deadline(passed)),
    Row("add --reason, which the ledger", in_club(lambda club: check_look(club, GAME, "x", " "))),
    Row("demo is over; you cannot change it", acts(HOLD, before=over)),
    Row("say why: the reason is shown to all players", acts(HOLD, reason="\x00 \n\t\x1b")),
    Row("the reason has 501 characters; 500 are taken", acts(HOLD, reason="\u00e9" * 501)),
    Row("'hold blah' is nothing that a game master can do", acts(HOLD, "blah")),
    Row(
        "the deadline cannot be moved by inf days",
        in_club(lambda club: extend(club, GAME, inf, "asked")),
    ),
    Row("the installed release plays rules=", acts(CORRECT, "1", "rules=" + "0" * 64, before=Table.go)),
    Row("first the game must go on with the installed", acts(CORRECT, "1", "bid=S1", before=released)),
    Row("demo goes on by itself, with 'pbem club run'", acts(GO_ON, before=Table.go)),
    Row("has another result, first in who contrib", acts(GO_ON, before=ledger_says(other_dice))),
    Row("is not done: it would change nothing", acts(CORRECT, "1", before=Table.go)),
    Row("is not done: it would change nothing", acts(CORRECT, "1", before=other_words)),
    Row("first exchange with another result is 1", acts(CORRECT, "2", before=ledger_says(other_dice))),
)

# -- consents


def consents(to: str = AGREE_DRAW, **parts: Any) -> Callable[[], object]:
    return at_table(lambda table: take_consent(table.club, table.consent(to, **parts)))


def to_concede(table: Table) -> object:
    given = [table.consent(AGREE_DRAW)]
    return act(table.club, GAME, "concede", "alice", reason="x", consents=given)


def beside(by: str, official: str = "", change: Callable[[Club], object] = id) -> Callable[[], object]:
    """Somebody who does not play consents in a game that may have an official."""

    def do(table: Table) -> object:
        club = table.club
        club.add_player("olga", OTHER.public)
        seats = {person.side: person.name for person in table.people.values()}
        book = new_game(club, "next", TITLE.name, dict(TITLE.excerpt or {}), seats, official=official)
        change(club)
        head = str(book.head_at(1))
        said = Consent(game="next", genesis=head, seen=(1, head), exchange=1, by=by, to=AGREE_DRAW)
        return take_consent(club, sign_consent(said, OTHER))

    return at_table(do)


def another_key(club: Club) -> None:
    known = club.store.player("olga")
    assert known is not None
    with club.store.step():
        club.store.put_player(known._replace(key=STRANGER.public.line))


NO_SAY = "nora is neither a player nor the second official of next"
CONSENTS = (
    Row("bob consents to 'agree-draw' in exchange 1 of demo, not to 'concede alice'", at_table(to_concede)),
    Row("not to 'agree-draw' in exchange 1", consents(exchange=7)),
    Row(NO_SAY, beside("nora")),
    Row(NO_SAY, beside("nora", "olga")),
    Row("the key of olga is not the one that next was opened with", beside("olga", "olga", another_key)),
    Row("bob names entry 99, and the ledger of demo ends here at entry", consents(seen=(99, "b" * 64))),
    Row("bob names entry 2 of another history of demo: its head there is", consents(seen=(2, "b" * 64))),
)

# -- new keys for a seat


def rotates(
    player: str = "alice", before: Do = id, given: tuple[str, ...] = (), **more: Any
) -> Callable[[], object]:
    """Alice, or others for her, change the key of her seat; to that of whoever is its `owner` already."""
    owner = more.pop("owner", "")

    def do(table: Table) -> object:
        before(table)
        own, new = table.people["alice"].key, table.people[owner].key if owner else OTHER
        parts: dict[str, Any] = {"exchange": 1, "old": own.public.fingerprint, "new": new.public.line} | more
        change = KeyChange(game=GAME, genesis=table.genesis, player=player, **parts)
        signed = [table.consent(change.consent, name) for name in given]
        data = sign_rotation(change, None if given else own, new)
        return rotate(table.club, data, reason="x", consents=signed)

    return at_table(do)


def enrolled(key: keys.PrivateKey) -> Do:
    return lambda table: table.club.add_player("carol", key.public)


NOT_ENROLLED = "carol is not enrolled with this key: pbem club player add carol KEYFILE"
KEYS = (
    Row("the next chain of alice is alice.2, not alice.3", rotates(anchor=Reveal("alice.3", 0, "d" * 64))),
    Row("this is the key of bob already; use a key that nobody has had", rotates(owner="bob")),
    Row("nora does not play in demo", rotates("nora")),
    Row("this rotation is for exchange 1 of demo; the game is over", rotates(before=over)),
    Row("this rotation is for exchange 7 of demo; exchange 1 is open", rotates(exchange=7)),
    Row(NOT_ENROLLED, rotates(given=("alice",), person="carol")),
    Row(NOT_ENROLLED, rotates(before=enrolled(STRANGER), given=("alice",), person="carol")),
)

# -- how a game that is replayed is held


def held_by(do: Do, before: Do = Table.go) -> Callable[[], object]:
    def door(table: Table) -> object:
        before(table)
        return do(table)

    return at_table(door)


def replayed(table: Table) -> object:
    return adjudication.replay(table.club, GAME)


def place_of_before(table: Table) -> object:
    """What was kept of a game is where it stood an exchange ago."""
    book = table.book
    loaded = Played(book, Adjudicator(book.history.genesis, saves=True), None, whole=False)
    return adjudication._compare_with_replay(table.club, loaded)


def closed_before(table: Table) -> None:
    """Another release has closed the exchange."""
    released(table)
    for name in table.people:
        table.send(name)
    with table.club.store.step():
        table.book.append(Close(exchange=1, at=table.clock()))
    adjudication.adopt_release(table.club, table.book)


def seen(viewer: str) -> Do:
    return lambda table: shown_games.show(table.club, GAME, viewer)


def reported(audience: str) -> Do:
    return lambda table: shown_games.last_report(table.club, GAME, audience)


ELSE = "exchange 1 of demo has another result than its ledger says"
NOT_BEGUN = "its players have not all sent their ready"
HELD = (
    Row(ELSE, held_by(replayed, ledger_says(other_dice))),
    Row(ELSE, held_by(replayed, ledger_says(more_drawn))),
    Row("held: what was kept of demo between two passes", held_by(place_of_before)),
    Row("held: exchange 1 was closed under the release that plays ffff", at_table(closed_before)),
    Row(f"demo has no report yet: {NOT_BEGUN}", at_table(reported("public"))),
    Row("demo has no side called x; there are", held_by(reported("x"))),
    Row("demo has no viewer called x; there are", held_by(seen("x"))),
    Row(f"demo has not begun: {NOT_BEGUN}", at_table(seen("public"))),
)
ROWS = (*ACTS, *CONSENTS, *KEYS, *HELD)
FOLDERS = ("judge/acts.py", "judge/new_keys.py", "judge/adjudication.py", "judge/shown_games.py")
ELSEWHERE = {"judge/adjudication.py finish: result != loaded": "judge/test_saved_places.py"}
"""What takes a story of its own -> the tests that tell it."""
