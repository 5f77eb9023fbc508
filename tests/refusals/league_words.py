"""What is refused of a league's own words: what people say, league.toml, entries, what is taken over."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from pbem.errors import PbemError
from pbem.leagues.config import read_file
from pbem.leagues.earlier_results import Carried, parse_carried
from pbem.leagues.entries import Ended, LeagueGenesis, Said, parse_league_entry, purpose_of
from pbem.leagues.model import Ending
from pbem.leagues.statements import (
    ABSENT,
    ENTER,
    NEW_KEY,
    VOTE,
    WITHDRAW,
    Statement,
    allowed_by,
    check_allowed,
    read_statement,
)
from pbem.trust.chance import Reveal
from pbem.trust.entries import Open
from pbem.trust.identifiers import Namespace
from pbem.trust.signature import sign_text
from tests.leagues.test_entries import AT, DRAWN
from tests.leagues.world import file_of, key_of
from tests.refusals.clauses import Row, changed

ANN = key_of("ann")
JUDGE, HEAD = key_of("judge").public.fingerprint, "c" * 64


def saying(say: str, **more: object) -> Statement:
    return Statement(league="league.cup", player="ann", say=say, judge=JUDGE, genesis=HEAD, made=AT, **more)  # type: ignore[arg-type]


def read(body: bytes) -> object:
    return read_statement(sign_text(ANN, Namespace.ORDERS, body))


ENTERS = saying(ENTER, key=ANN.public, anchor=Reveal("ann.1", 0, "a" * 64), rating=1500, games=2)
AWAY = saying(ABSENT, rounds=(2, 3))
VOTES = saying(VOTE, about=(1, 3), places=(("ben", 1), ("cat", 2)))
RENEWS = saying(NEW_KEY, key=key_of("new").public, old=ANN.public.fingerprint)
NOT_A_LINE = "a statement about a league cannot have the line"
STATEMENTS = (
    Row("the file is too long: what is said", partial(read_statement, bytes(9_000))),
    Row("the file is too long: what is said", partial(read, AWAY.text.ljust(4_096, b"\n") + b"\n")),
    Row("a reason has 1,000 characters at most", partial(read, saying(WITHDRAW, reason="x" * 1_001).text)),
    Row("a reason has one space between its words", partial(read, saying(WITHDRAW, reason="a  b").text)),
    *changed(
        read,
        AWAY.text,
        ("league.cup", "league.\udcff", "the file is not utf-8 text"),
        (AWAY.text.decode().split("\n", 3)[3], "", "the file begins with 'pbem1 league', not with"),
        (f"judge {JUDGE}", "judge x", "'x' is not a fingerprint of a key"),
        (AWAY.text.decode().split("\n")[4], AWAY.text.decode().split("\n")[5], f"{NOT_A_LINE} "),
        like="said of a league",
    ),
    Row("is not written as its format demands", lambda: read(swapped(AWAY.text))),
    *changed(
        read,
        ENTERS.text,
        (ANN.public.line, f"{ANN.public.line} ann", "the key is not written as its format demands"),
        like="entry into a league",
    ),
    *changed(read, VOTES.text, like="vote"),
    Row("has signed for it", lambda: check_allowed(allowed_by(RENEWS, key_of("ben")))),
)


def swapped(text: bytes) -> bytes:
    """Its last two lines the other way round."""
    *lines, one, other, _ = text.split(b"\n")
    return b"\n".join([*lines, other, one, b""])


# -- league.toml


def file(old: str, new: str, words: str, form: str = "swiss") -> Row:
    rounds = "count = 3\ndays = 9" if form == "swiss" else "days = 9"
    text = file_of(form, rounds=rounds).decode()
    assert old in text, old
    return Row(words, lambda: refused(text.replace(old, new, 1).encode()))


def refused(data: bytes) -> str:
    """All that is wrong with a file."""
    try:
        read_file(data)
    except PbemError as problem:
        return str(problem)
    return ""


HEADS = "is not a season: write the name of a league, then the first and the last"
FILES = (
    file("cup", "c\\u0000p", "it has a character that cannot stand in a line of text"),
    file('name = "cup"', "name = 1", "name cannot be 1: it takes"),
    file('name = "cup"', 'name = "Cup"', "'Cup' is not a name: small letters, digits, dots, dashes"),
    file('format = "swiss"', 'format = "swis"', "; did you mean 'swiss'"),
    file("count = 3", "count = 3.5", "rounds.count cannot be 3.5: it takes a whole number from 0"),
    file("count = 3", "count = true", "rounds.count cannot be True: it takes a whole number from 0"),
    file("count = 3", "count = -1", "rounds.count cannot be -1: it takes a whole number from 0"),
    file("days = 9", 'days = "9"', "rounds.days cannot be '9': it takes a number from 0"),
    file("days = 9", "days = true", "rounds.days cannot be True: it takes a number from 0"),
    file("days = 9", "days = -1", "rounds.days cannot be -1: it takes a number from 0"),
    file(
        "[people]", "[sections]\ndouble = 1\n[people]", "sections.double cannot be 1: it takes true or false"
    ),
    file("[swiss]", '[swiss]\napart = [["a"]]', "a pair is two names, and this one has 1"),
    file("until = 2027-01-31T20:00:00Z", "until = 2027-01-31", "has no time; write 2027-01-31T20:00:00Z"),
    file("until = 2027-01-31T20:00:00Z", "until = 1", "entries.until cannot be 1: it takes a day and time"),
    file("until = 2027-01-31T20:00:00Z", "until = 2027-01-31T20:00:00", "has no zone; write 2027-01-31"),
    file('assistants = ["anna"]', 'assistants = ["anna", "anna"]', "it names something twice"),
    file('assistants = ["anna"]', 'assistants = "anna"', "people.assistants cannot be 'anna': it takes a"),
    file('options = { scenario = "braveheart" }', "options = 1", "cannot be 1: it takes a table of options"),
    file("[people]", f'[last]\nleagues = ["cup {"a" * 64}"]\n[people]', HEADS),
    file("[people]", f'[last]\nleagues = ["Cup {"a" * 64} {"b" * 64}"]\n[people]', HEADS),
    file("[people]", f'[last]\nleagues = ["cup {"a" * 64} {"b" * 63}"]\n[people]', HEADS),
    file(
        "[people]", '[game.round]\n"02" = {a = 1}\n[people]', "is not a round; write it like [game.round.2]"
    ),
    file("[people]", "[scoring]\nwin = true\n[people]", "scoring.win cannot be True: it takes a number, or"),
    file("[people]", "[scoring]\nwin = []\n[people]", "scoring.win cannot be []: it takes a number, or"),
    file("[people]", '[scoring]\nwin = "x"\n[people]', "'x' is not a number"),
    Row("the file has more than 65,536 bytes", partial(refused, bytes(65_537))),
    Row("the file is not utf-8 text", partial(refused, b"\xff")),
    Row("expected '=' after a key", partial(refused, b"name")),
)

# -- entries

GENESIS = LeagueGenesis(
    game="league.cup",
    file="a" * 64,
    gm=JUDGE,
    rules="b" * 64,
    anchor="c" * 64,
    salt_commitment="d" * 64,
    seal_commitment="e" * 64,
    at=AT,
)
ENDED = Ended(
    round=1,
    pairing=1,
    ending=Ending.ADJUDICATED,
    by="director",
    places=(("ann", 1), ("ben", 2)),
    counts=(("ann", 3),),
    at=AT,
)
SAID = Said.of(AWAY, AT)


def spoken(said: Said) -> Callable[[], object]:
    return lambda: said.statement("league.cup")


CARRIED = f"player ann {JUDGE} 1\n".encode()
ENTRIES = (
    *changed(parse_league_entry, DRAWN.text, like="drawn"),
    *changed(parse_league_entry, GENESIS.text, like="genesis of a league"),
    *changed(parse_league_entry, ENDED.text, like="ended"),
    Row("this cannot be said about a league: 'smile' cannot", spoken(replace(SAID, extra=("say smile",)))),
    Row("it is not the hash of what was said", spoken(replace(SAID, sha256="a" * 64))),
    Row("it is not the hash of what was said", spoken(replace(SAID, extra=SAID.extra[::-1]))),
    Row("call 1 does not say what it is for", lambda: purpose_of(Open(exchange=1, seals=()))),
    Row("seasons has more than 2,000,000 bytes", lambda: parse_carried(bytes(2_000_001), "x")),
    Row("cannot be a line of what comes from earlier", lambda: parse_carried(b"a" * 2_000_000, "x")),
    *changed(
        lambda text: parse_carried(text, "x"),
        CARRIED,
        (CARRIED.decode(), "", "what comes from earlier seasons is not written as its format demands"),
        like="carried",
    ),
    Row("enter with that key and", lambda: parse_carried(CARRIED, "x").check_enters("ann", "SHA256:x")),
    Row("ann is in class 1; this league is", lambda: parse_carried(CARRIED, "x").check_class("ann", 2, 2)),
    Row("ben was in no class, and must begin in class 2", lambda: Carried().check_class("ben", 1, 2)),
)
ROWS = (*STATEMENTS, *FILES, *ENTRIES)
FOLDERS = tuple(
    f"leagues/{name}.py" for name in ("statements", "config_reader", "config", "entries", "earlier_results")
)
