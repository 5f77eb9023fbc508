"""What a club refuses: settings, new games, files at the desk."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from functools import partial
from math import inf, nan
from pathlib import Path
from typing import Any

from pbem.guides import begin_game, check_name
from pbem.judge.acts import act
from pbem.judge.club import checked_days, open_club
from pbem.judge.deadlines.rhythm import rhythm_of
from pbem.judge.intake.desk import submit
from pbem.judge.letters.addresses import check_own_post
from pbem.judge.letters.wishes import keep_wishes
from pbem.judge.newgame import choices, new_game, seats_in_order, sides_of
from pbem.judge.upkeep.journal import read_journal
from pbem.mail.settings import Server, command_words, read_settings
from pbem.trust import keys
from pbem.trust.act_entries import CONCEDE
from pbem.trust.chance import Reveal
from pbem.trust.identifiers import Namespace
from pbem.trust.orderfile import LateReveal, Seen
from pbem.trust.player_statements import Join
from pbem.trust.sealing import ORDERS_UNIT, seal_signed
from tests.attacks.framing.arena import table_title
from tests.judge.every_game import run_pass
from tests.judge.table import GAME, SEATS, TITLE, Table, make_table
from tests.refusals.clauses import Row


def at_table(do: Callable[[Table], object], **options: Any) -> Callable[[], object]:
    """Something at a table of its own."""

    def door() -> object:
        with tempfile.TemporaryDirectory() as folder:
            table = make_table(Path(folder), **options)
            with closing(table.club.store):
                return do(table)

    return door


# -- settings


def mail(**more: object) -> Callable[[], object]:
    return lambda: read_settings({"mail": {"address": "judge@example.org", **more}})


def rhythm(**more: object) -> Callable[[], object]:
    return lambda: rhythm_of({"rhythm": more}, "hearth")


def own_post(own: object) -> Callable[[], object]:
    """The table of one game's mail."""
    return lambda: check_own_post({"mail": {"game": {"hearth": own}}}, "hearth")


def delay(exchanges: object) -> Callable[[], object]:
    """The public waits for so many exchanges."""

    def do(table: Table) -> object:
        table.club.settings = {"public": {"delay_exchanges": exchanges}}
        return table.club.public_delay

    return at_table(do)


def secret(command: str) -> Callable[[], str]:
    return Server(host="x", port=993, password_command=command).secret


WEEKDAYS = "weekdays is a list of mon, tue"
SECONDS, WHOLE = "timeout must be a number of seconds, not", "per_hour must be a whole number, not"
SHELL = "must be a program with its arguments; for pipes and > write sh -c"
FOLDERS_ARE = 'folders must be a list of names, such as ["Archive"]'


def written(text: bytes) -> Callable[[], object]:
    """A club whose club.toml is this."""

    def do(table: Table) -> object:
        (table.club.path / "club.toml").write_bytes(text)
        return open_club(table.club.path)

    return at_table(do)


def written_journal() -> object:
    def do(table: Table) -> object:
        table.club.settings = {"journal": {"folder": "a\0b"}}
        return read_journal(table.club)

    return at_table(do)()


SETTINGS = (
    Row("club.toml is not written in UTF-8; save it anew so", written(b'name = "\xfc"')),
    Row("club.toml: watch must be a table, [watch]", written(b"watch = 7")),
    Row("[journal]: folder must be the path of a folder", written_journal),
    Row("delay_exchanges must be a number from 0 to 99, not True", delay(True)),
    Row("delay_exchanges must be a number from 0 to 99, not 1.5", delay(1.5)),
    Row("delay_exchanges must be a number from 0 to 99, not 100", delay(100)),
    Row("mail.game.hearth must be a table", own_post(7)),
    Row("[mail.game.hearth]: no setting called copy", own_post({"copy": "off"})),
    Row("rhythm must be a table, [rhythm]", lambda: rhythm_of({"rhythm": 7}, "hearth")),
    Row("no setting called dais; there are", rhythm(dais=7)),
    Row(WEEKDAYS, rhythm(weekdays="")),
    Row(WEEKDAYS, rhythm(weekdays=["moon"])),
    Row("hour is a text in quotes, not 20", rhythm(hour=20)),
    Row("days is a number from 0 to 100000, not 'x'", rhythm(days="x")),
    Row("days is a number from 0 to 100000, not True", rhythm(days=True)),
    Row("days is a number from 0 to 100000, not -1", rhythm(days=-1)),
    Row("days is a number from 0 to 100000, not inf", rhythm(days=inf)),
    Row("days must be a number of days such as 7, not nan", lambda: checked_days(nan)),
    Row("days must be a number of days such as 7, not True", lambda: checked_days(True)),
    Row("days must be a number of days such as 7, not '7'", lambda: checked_days("7")),
    Row("claims must be ask or grant, not 'x'", rhythm(claims="x")),
    Row("there is no time zone 'Mars'", rhythm(zone="Mars")),
    Row("no hour '8 pm'; one is written like", rhythm(hour="8 pm")),
    Row("mail must be a table, [mail]", lambda: read_settings({"mail": 1})),
    Row("no setting called smpt; there are address", mail(smpt=1)),
    Row("address must be the judge's mail address", mail(address="judge")),
    Row("reports must be sealed or open, not 'x'", mail(reports="x")),
    Row("club.toml, [mail], sent_to: 'x' is not a mail address", mail(sent_to="x")),
    Row("choose one way to send mail, not host and sendmail", mail(outbox={"host": "x", "sendmail": "x"})),
    Row("delete_handled must be true or false, not 2", mail(inbox={"maildir": "x", "delete_handled": 2})),
    Row(
        "delete_handled is for a maildir; for mail on a server, set the server itself to delete",
        mail(inbox={"delete_handled": True}),
    ),
    Row("tls must be one of", mail(inbox={"host": "x", "tls": "x"})),
    Row(f"{SECONDS} 'x'", mail(inbox={"host": "x", "timeout": "x"})),
    Row(f"{SECONDS} True", mail(inbox={"host": "x", "timeout": True})),
    Row(f"{SECONDS} 0", mail(inbox={"host": "x", "timeout": 0})),
    Row(f"{SECONDS} 86401", mail(inbox={"host": "x", "timeout": 86_401})),
    Row(
        "port must be a whole number, not 65536; the largest is 65535",
        mail(inbox={"host": "x", "port": 65_536}),
    ),
    Row(f"{WHOLE} 1.0", mail(outbox={"host": "x", "per_hour": 1.0})),
    Row(f"{WHOLE} True", mail(outbox={"host": "x", "per_hour": True})),
    Row(f"{WHOLE} -1", mail(outbox={"host": "x", "per_hour": -1})),
    Row("host '' cannot be the name of a server", mail(inbox={"host": "", "maildir": "x"})),
    Row("host 'a b' cannot be the name of a server", mail(outbox={"host": "a b"})),
    Row("host 'a\\nb' cannot be the name of a server", mail(outbox={"host": "a\nb"})),
    Row("user must be one line of text", mail(inbox={"host": "x", "user": "a\nb"})),
    Row("maildir: 'a\\x00b' is not a path", mail(inbox={"maildir": "a\0b"})),
    Row("maildir: 7 is not a path", mail(outbox={"maildir": 7})),
    Row(FOLDERS_ARE, mail(inbox={"maildir": "x", "folders": "Archive"})),
    Row(FOLDERS_ARE, mail(inbox={"maildir": "x", "folders": [7]})),
    Row(FOLDERS_ARE, mail(inbox={"maildir": "x", "folders": [" "]})),
    Row("folders names 'INBOX', which is read as it is", mail(inbox={"host": "x", "folders": ["INBOX"]})),
    Row("[mail.inbox]: it needs maildir or host", mail(inbox={"user": "x"})),
    Row("[mail.outbox]: it needs host or sendmail or maildir", mail(outbox={"sendmail": ""})),
    Row("a quote in sendmail is not closed", lambda: command_words("a 'b", "sendmail")),
    Row(f"sendmail {SHELL}", lambda: command_words(" ", "sendmail")),
    Row(f"sendmail {SHELL}", lambda: command_words("cat x | sort", "sendmail")),
    Row(f"password_command {SHELL}", secret("cat x | sort")),
    Row("the password command false ended with 1; run it by hand", secret("false")),
    Row("no-such-program is not found here; in cron", secret("no-such-program")),
    Row("the password command / failed: ", secret("/")),
    Row("the password command true printed no password", secret("true")),
)

# -- new games


def opening(
    change: Callable[[Join], Join | str] = lambda join: join,
    *,
    name: str = "next",
    sides: int = 2,
    **more: Any,
) -> Callable[[], object]:
    """A new game for the same two, in whose seats something is otherwise."""

    def open_game(table: Table) -> object:
        seats = {person.side: change(replace(person.join(), game="next")) for person in table.people.values()}
        parts = {"rules_name": TITLE.name, "options": dict(TITLE.excerpt or {}), "mode": ""} | more
        return new_game(table.club, name, seats=dict(list(seats.items())[:sides]), **parts)

    return at_table(open_game)


def unwilling(person: str, other: str) -> Callable[[], object]:
    """A new game for two of whom the first will not play the second."""

    def open_game(table: Table) -> object:
        with table.club.store.step():
            keep_wishes(table.club.store, person, avoid=other)
        return new_game(table.club, "next", TITLE.name, dict(TITLE.excerpt or {}), IN_ORDER)

    return at_table(open_game)


def there(folder: Path) -> object:
    return begin_game(folder, "hearts")


def linked(folder: Path) -> object:
    (folder / "new").symlink_to(folder / "none")
    return begin_game(folder / "new", "hearts")


def in_folder(door: Callable[[Path], object]) -> Callable[[], object]:
    def opened() -> object:
        with tempfile.TemporaryDirectory() as folder:
            return door(Path(folder))

    return opened


IN_ORDER = {"scotland": "alice", "england": "bob"}
OTHER = keys.generate("other")
GAMES = (
    Row("there is a game called demo already", opening(name=GAME)),
    Row("league.x is the name of a league's ledger", opening(name="league.x")),
    Row("no way to make dice called 'x'; there are", opening(mode="x")),
    Row("of another judge, SHA256:x", opening(lambda join: replace(join, judge="SHA256:x"))),
    Row("no game called 'tag'; installed: ", opening(rules_name="tag")),
    Row("no option", opening(options={"x": "y"})),
    Row("needs a player for each side", opening(sides=1)),
    Row("no game called 'tag'; installed: ", partial(choices, "tag")),
    Row("(what they mean: pbem game new --rules", partial(sides_of, TITLE.name, {"x": "y"})),
    Row("players are named", partial(seats_in_order, TITLE.name, {}, ())),
    Row("alice cannot play 2 sides; each side needs", opening(lambda _: "alice")),
    Row("no player called nora is enrolled; first add the player", opening(lambda _: "nora")),
    Row("is for the game demo, not for next", opening(lambda join: replace(join, game=GAME))),
    Row(
        "the join file of bob: bob is enrolled with another key",
        opening(lambda join: replace(join, key=OTHER.public)),
    ),
    Row("can have 2 to 1000 exchanges at most, not 1", opening(exchanges=1)),
    Row("nobody called nora is enrolled; first add the official", opening(official="nora")),
    Row("alice plays in next, so they cannot be its official", opening(official="alice")),
    Row("are not seated in one game: one of them has signed", unwilling("alice", "bob")),
    Row("are not seated in one game: one of them has signed", unwilling("bob", "alice")),
    Row("is there already; name another folder", in_folder(there)),
    Row("is there already; name another folder", in_folder(linked)),
    Row("is not a name of a package", partial(check_name, "9x")),
    Row("class is a word or a module of Python itself", partial(check_name, "class")),
    Row("shelve is a word or a module of Python itself", partial(check_name, "shelve")),
    Row(f"a game called {TITLE.name} is installed", partial(check_name, TITLE.name)),
    Row("tests is a folder of every game", partial(check_name, "tests")),
    Row("a package called pytest is installed", partial(check_name, "pytest")),
)
# -- the desk


def text(table: Table, data: bytes) -> str:
    return "; ".join(verdict.text for verdict in submit(table.club, data))


def closed(table: Table) -> None:
    """Everybody has sent, and the exchange is closed; reveals are awaited."""
    for name in SEATS:
        table.send(name)
    run_pass(table.club)


def revealing(before: Callable[[Table], object], mode: str = "after-close") -> Callable[[], object]:
    def reveal(table: Table) -> str:
        before(table)
        return text(table, table.sealed_reveal("alice"))

    return at_table(reveal, mode=mode)


def nothing(_: Table) -> None:
    """As it was opened."""


def resolved_since(table: Table) -> str:
    """A reveal of the exchange before comes late."""
    closed(table)
    kept = table.sealed_reveal("alice")
    table.clock.pass_days(30)
    run_pass(table.club)
    return text(table, kept)


def too_many(table: Table) -> str:
    """Alice sends as often as she may, and once more."""
    return [text(table, table.sealed("alice", rev=rev)) for rev in range(1, 30)][-1]


def refused_too_often(table: Table) -> str:
    """Each of her files names the other side."""
    side = table.people["bob"].side
    return [text(table, table.sealed("alice", rev=rev, side=side)) for rev in range(1, 30)][-1]


def too_large(table: Table) -> str:
    """A reveal that is padded as no program pads it."""
    closed(table)
    current = table.book.history.current
    assert current is not None
    late = LateReveal(
        game=GAME,
        exchange=1,
        player="alice",
        seen=Seen(current.closed_at, table.book.head_at(current.closed_at) or ""),
        reveal=Reveal("alice.1", 1, table.people["alice"].chain.reveal(1)),
    )
    key, seal = table.people["alice"].key, current.seals["alice"]
    return text(table, seal_signed(late.text, key, Namespace.ORDERS, [seal], 2 * ORDERS_UNIT))


def conceded(table: Table) -> None:
    """Alice plays no more; the others go on."""
    signed = table.consent("concede alice", "alice")
    act(table.club, GAME, CONCEDE, "alice", reason="lost", consents=[signed])


def after_leaving(table: Table) -> str:
    conceded(table)
    return text(table, table.sealed("alice"))


def far_too_late(table: Table) -> str:
    """Orders come when no ledger may name their exchange any more."""
    kept = table.sealed("alice", rev=7)
    table.go(3)
    return submit(table.club, kept)[0].text


def late_after_leaving(table: Table) -> str:
    """Her orders come when the next exchange, which does not ask her, is open."""
    kept = table.sealed("alice")
    conceded(table)
    for name in list(table.people)[1:]:
        table.send(name)
    run_pass(table.club)
    return text(table, kept)


OF_MANY = {"title": table_title(), "players": 3}
DESK = (
    Row("the reveal is too large", at_table(too_large, mode="after-close")),
    Row("alice no longer plays in demo", at_table(after_leaving, **OF_MANY)),
    Row("it is not entered, because too many of alice were", at_table(late_after_leaving, **OF_MANY)),
    Row("the reveal is in the orders; send no reveal alone", revealing(nothing, "with-orders")),
    Row("exchange 1 of demo is open still; send a reveal after", revealing(nothing)),
    Row("was resolved before; send a reveal after", at_table(resolved_since, mode="after-close")),
    Row("that it takes no more now (protocol 21)", at_table(too_many)),
    Row("it is not entered, because too many of alice were", at_table(refused_too_often)),
    Row("exchange 1 of demo is closed; exchange 4 is open", at_table(far_too_late)),
)
ROWS = (*SETTINGS, *GAMES, *DESK)
FOLDERS = ("mail", "judge/newgame.py", "guides.py")
_DESK, _VERDICTS = "judge/intake/desk.py", "judge/intake/player_files.py"
ELSEWHERE = {
    "judge/deadlines/rhythm.py next_fitting: one of nine days fits": "eight days hold every weekday",
    "judge/newgame.py find_seated: len(wishes) > 1": "judge/test_opening.py",
    f"{_DESK} apart_verdict: ": "leagues/test_intake.py",
    f"{_DESK} take_sealed: ": "judge/test_desk.py",
    f"{_DESK} _open_file: (found := find_reply(desk.club, sealed)) is None": "leagues/test_intake.py",
    f"{_DESK} _take: key.exchange > (last := len(book.history.exchanges))": "mail/test_restore.py",
    f"{_VERDICTS} take_file: is_for_another(store, name, receipt)": "mail/test_restore.py",
    f"{_VERDICTS} _refuse: may is None": "judge/test_ending.py",
}
"""What takes a story of its own -> the tests that tell it, or why there is none."""
