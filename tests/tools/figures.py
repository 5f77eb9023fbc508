"""Where the figures of our pages come from: tables that scripts printed, limits in the code, sums, games.

`write_figures` has the sentences that they stand in.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping
from datetime import timedelta
from itertools import count, product
from pathlib import Path
from tempfile import TemporaryDirectory

from pbem import errors
from pbem.judge.deadlines import running_deadlines, waits_for_mail
from pbem.judge.intake import quarantine, waiting_list
from pbem.leagues import config_reader, ratings, timeouts
from pbem.leagues.config import KNOCKOUT_ROUNDS
from pbem.leagues.pages import bracket
from pbem.mail import answers, bounces, club_mailbox, mail_problems
from pbem.mail.compose import PAGE_SIZE
from pbem.player.incoming import remarks
from pbem.reports import base as reports
from pbem.service import watch
from pbem.site import writing
from pbem.testing import secrecy
from pbem.titles import default_name
from pbem.trust import chance, formats, letters, orderfile, sealing
from pbem.trust.act_entries import LEAST_SILENCE
from pbem.trust.chance import CHAIN_STEPS
from pbem.trust.faults import ChainFault
from pbem.trust.identifiers import is_token
from tests import test_cli
from tests.attacks.framing.arena import table_title
from tests.disputes import test_few_modules
from tests.tools.measure_mails import weights

PROJECT = Path(__file__).resolve().parents[2]
MEASUREMENTS = "pbem/docs/measurements.md"
EXCHANGES = f"tests.tools.measure_exchanges {default_name()} --games 10"
GROWTH = "tests.benchmarks.bench_growth"
Figures = Mapping[str, str]
_WORDS = {
    **dict(enumerate(("no", "one", "two", "three", "four", "five", "six", "seven"))),
    10: "ten",
    12: "a dozen",
    15: "fifteen",
    70: "seventy",
}
_NUMBER = rf"(?:[\d,.]*\d|{'|'.join(_WORDS.values())})"
FIGURE = rf"((?:an?|{_NUMBER})\s+(?:minute|hour|day)s?|{_NUMBER})"


def printed(page: str, command: str) -> str:
    """What a page shows below a command."""
    return page.split(f"`python -m {command}`")[1].split("```\n")[1].strip()


def _printed(command: str) -> str:
    return printed((PROJECT / MEASUREMENTS).read_text(encoding="utf-8"), command)


_ROW = re.compile(
    r"^(both|one) with (plans|guards) +(\S+) +\d+ +([\d.]+) +([\d.]+) +[\d.]+ +turn ([\d.]+) "
    r".*winter ([\d.]+)",
    re.MULTILINE,
)


def exchanges() -> Figures:
    """Of the table of exchanges: each row by its table, and what rows of both tables come to."""
    found: dict[str, str] = {}
    sums: dict[str, list[list[float]]] = {}
    for who, how, table, *figures in _ROW.findall(_printed(EXCHANGES)):
        row = [float(figure) for figure in figures]
        name = f"{who}_{how}"
        found |= {
            f"{name}_{table.replace('-', '_')}_{what}": str(int(figure))
            for what, figure in zip(("exchanges", "turns"), row, strict=False)
        }
        sums.setdefault(name, []).append(row)
    for name, rows in sums.items():
        held, handed, turn, winter = (sum(column) for column in zip(*rows, strict=True))
        found |= {
            f"{name}_factor": f"{handed / held:.1f}",
            f"{name}_turn": f"{turn / len(rows):.1f}",
            f"{name}_winter": f"{winter / len(rows):.1f}",
        }
    return found


def growth() -> dict[str, list[float]]:
    """Column of the table of growth -> kilobytes an exchange, without orders and with those of bots."""
    return columns(_printed(GROWTH))


def columns(table: str) -> dict[str, list[float]]:
    """What a table of growth says of each column of club.db."""
    rows = (line.rsplit(maxsplit=2) for line in table.splitlines()[1:])
    return {name.strip(): [float(figure) for figure in figures] for name, *figures in rows}


def database() -> Figures:
    """By how much club.db grows, exactly and in whole kilobytes."""
    found = growth()
    names = {"file": "the whole file", "letters": "letter.data"}
    cells = {
        f"{key}_{who}": found[name][place]
        for key, name in names.items()
        for place, who in ((0, "none"), (1, "bots"))
    }
    return {key: f"{cell}" for key, cell in cells.items()} | {
        f"{key}_kb": f"{cell:.0f}" for key, cell in cells.items()
    }


def modules() -> Figures:
    """How many of our modules a command imports."""
    return {name.strip("-"): str(most) for name, most in (test_few_modules.MOST | test_cli.MOST).items()}


def sizes() -> Figures:
    """To what the letters and files are filled up."""
    numbers = {
        "unit": sealing.ORDERS_UNIT,
        "twice": 2 * sealing.ORDERS_UNIT,
        "thrice": 3 * sealing.ORDERS_UNIT,
        "orders": sealing.MAX_ORDERS_SIZE,
        "letter": sealing.LETTER_SIZE,
        "receipt": sealing.RECEIPT_SIZE,
        "copy": sealing.COPY_UNIT,
        "page": PAGE_SIZE,
        "sealed": sealing.MAX_SEALED_ORDERS_SIZE,
        "reveal": sealing.MAX_SEALED_REVEAL_SIZE,
        "file": formats.MAX_FILE_SIZE,
    }
    return {name: f"{number:,}" for name, number in numbers.items()}


def bounds() -> Figures:
    """What a game has at most, and a bundle of one for each exchange: by player, and besides."""
    none, one = formats.limits(0, 1), formats.limits(1, 1)
    numbers = {
        "steps": CHAIN_STEPS,
        "days": formats.MAX_ABSENCE_DAYS,
        "seats": formats.MAX_SEATS_TIMES_EXCHANGES,
        "files": formats.MAX_IN_EXCHANGE,
        "acts": formats.MAX_ACTS_IN_EXCHANGE,
        "by_player_files": one.files - none.files,
        "besides_files": none.files,
        "by_player_bytes": one.size - none.size,
        "besides_bytes": none.size,
        "told": writing.MAX_EXCHANGES,
        "in_all": most(lambda files: bool(_files_left(files))) + 1,
    }
    words = {
        "keys": formats.MAX_KEYS_IN_EXCHANGE,
        "before": orderfile.RECENT_EXCHANGES - 1,
        "silent": LEAST_SILENCE,
    }
    return {name: f"{number:,}" for name, number in numbers.items()} | {
        name: in_words(number) for name, number in words.items()
    }


def _files_left(entered: int) -> int:
    """How many files more in a game of one exchange, of which so many were in none."""
    return formats.files_left(exchange=1, exchanges=1, entered=entered, here=0, received=True)[0]


def most(may: Callable[[int], bool]) -> int:
    """The last number from 1 on, or from 0, that may be before one that may not."""
    return next(number for number in count(0) if not may(number + 1))


def written() -> Figures:
    """How texts are written: of the format, in numbers without commas."""
    numbers = {
        "format": formats.FORMAT,
        "steps": CHAIN_STEPS,
        "word": most(lambda length: is_token("a" * length)),
        "least_die": next(sides for sides in count(1) if _is_die(sides)),
        "die": 1 + most(lambda above: _is_die(1 + above)),
        "grease": sealing._MAX_GREASE,
        "nonce": sealing._NONCE,
        "tag": sealing._TAG,
        "missing": errors.MISSING_STATUS,
        "refuted": errors.REFUTED_STATUS,
        "other": errors.OTHER_RULES_STATUS,
    }
    return {name: f"{number}" for name, number in numbers.items()} | {
        "chunk": f"{sealing._CHUNK:,}",
        "head": f"{orderfile._MAX_HEADER_SIZE:,}",
    }


def _is_die(sides: int) -> bool:
    try:
        return bool(chance.die(bytes(32), sides, "a"))
    except ChainFault:
        return False


def league_bounds() -> Figures:
    """What a league has at most, and a bundle of one in three leagues."""
    least = formats.most_entries(0), formats.most_listed(0), formats.most_rulings(0, 0, 0)
    numbers = {
        "entrants": formats.MAX_ENTRANTS,
        "entrants_rounds": formats.MAX_ENTRANTS_TIMES_ROUNDS,
        "games": formats.MAX_GAMES,
        "pairings": formats.MAX_PAIRINGS,
        "in_day": formats.MAX_STATEMENTS_IN_DAY,
        "said": formats.most_said(0),
        "said_by_round": formats.most_said(1) - formats.most_said(0),
        "keys": formats.MAX_NEW_KEYS,
        "votes": formats.MAX_VOTES,
        "panel": formats.MAX_PANEL,
        "entries": least[0],
        "one_of": 400 // (formats.most_entries(400) - 400 - least[0]),
        "offers": formats.MAX_OFFERS,
        "listed": least[1],
        "one_listed_of": 400 // (formats.most_listed(400) - least[1]),
        "files": formats.MAX_IN_EXCHANGE,
        "files_by_round": 2 * (most(lambda files: bool(_files_left(files))) + 1),
        "reply": formats.MAX_SEALED_REPLY_SIZE,
        "statement": formats.MAX_STATEMENT_SIZE,
        "rulings": least[2],
        "ruled_by_entrant": formats.most_rulings(1, 0, 0) - least[2],
        "knockout": KNOCKOUT_ROUNDS,
        "within": letters.MAX_SIZE_WITHIN,
        "beside": letters.MAX_SIZE_BESIDE,
        "letter": sealing.LETTER_SIZE,
        "unknown_files": formats.BEFORE_GENESIS.files,
        "unknown_millions": formats.BEFORE_GENESIS.size // 10**6,
    }
    for entrants, rounds in ((16, 5), (500, 9), (2_000, 9)):
        large = formats.league_limits(entrants=entrants, rounds=rounds, games=1, panel=0)
        numbers |= {f"files_{entrants}": large.files, f"millions_{entrants}": round(large.size / 10**6)}
    return {name: f"{number:,}" for name, number in numbers.items()}


def in_words(number: int) -> str:
    """A number as a page says it, in a word if it is a usual one."""
    return _WORDS.get(number, f"{number:,}")


def span(time: timedelta) -> str:
    """A time as a page says it: "an hour", "six hours"."""
    for unit, seconds in (("day", 86_400), ("hour", 3_600), ("minute", 60)):
        count, rest = divmod(int(time.total_seconds()), seconds)
        if count == 1 and not rest:
            return "an hour" if unit == "hour" else f"a {unit}"
        if count and not rest:
            return f"{in_words(count)} {unit}s"
    raise ValueError(f"{time} is no whole number of minutes")


def waits() -> Figures:
    """How long somebody is waited for, or something is left alone."""
    healthy = re.search(r"-mmin -(\d+)", (PROJECT / "Containerfile").read_text(encoding="utf-8"))
    assert healthy is not None
    tried = sum(quarantine.PAUSES[: waits_for_mail.TRIES - 1], timedelta())
    return {
        "ahead": in_words(remarks.CLOCKS_DIFFER // timedelta(hours=1)),
        "outage": in_words(waits_for_mail.TOLD_AFTER // timedelta(hours=1)),
        "healthy": span(timedelta(minutes=int(healthy[1]))),
        "away": span(watch.PATIENCE),
        "same": span(watch.SAME),
        "put_off": span(mail_problems.WAITED),
        "told": span(waits_for_mail.TOLD_AFTER),
        "unreached": span(bounces.PATIENCE),
        "first": span(quarantine.PAUSES[0]),
        "second": span(quarantine.PAUSES[1]),
        "third": span(quarantine.PAUSES[2]),
        "tries": in_words(waits_for_mail.TRIES),
        "tried_for": f"{in_words(tried // timedelta(minutes=1))} minutes",
        "at_once": in_words(club_mailbox.MAX_MAILS_AT_ONCE),
        "late": span(waits_for_mail.LATE),
        "to_answer": span(waits_for_mail.TO_ANSWER),
        "patience": span(waits_for_mail.PATIENCE),
        "backup": span(club_mailbox.BACKUP_TAKES),
    }


def league_file() -> Figures:
    """What holds where a league's file says nothing; and what its pages and counts go by."""
    defaults = {
        "silent": config_reader.TABLES["leaving"]["silent_calls"],
        "appeal": config_reader.TABLES["appeals"]["days"],
        "warn": config_reader.TABLES["rounds"]["warn_days"],
        "annulled": config_reader.TABLES["scoring"]["annulled"],
    }
    return {name: f"{key.default}" for name, key in defaults.items()} | {
        "bracket": f"{bracket.MAX_PLACES}",
        "provisional": f"{ratings.PROVISIONAL}",
        "absent": in_words(timeouts.MAX_ABSENCE_ROUNDS),
    }


def rooms() -> Figures:
    """How much is kept of whom, and how much is told."""
    numbers = {
        "strangers": answers.MAX_STRANGERS,
        "owed": answers.MAX_OWED_STRANGERS,
        "enrolled": answers.MAX_PER_PLAYER,
        "named": waiting_list.MAX_LINES,
        "draws": running_deadlines.MAX_DRAWS,
        "width": reports.WIDTH,
    }
    return {name: f"{number:,}" for name, number in numbers.items()} | {"moments": in_words(secrecy.MOMENTS)}


def six_dice() -> Figures:
    """The sum of six dice in the mean, and the better of two such sums, reckoned from all that can fall."""
    sums = Counter({0: 1})
    for _ in range(6):
        fallen: Counter[int] = Counter()
        for total, ways in sums.items():
            fallen.update({total + face: ways for face in range(1, 7)})
        sums = fallen
    ways = sums.total()
    mean = sum(total * often for total, often in sums.items()) / ways
    pairs = product(sums.items(), repeat=2)
    better = sum(max(one, other) * often * as_often for (one, often), (other, as_often) in pairs) / ways**2
    return {"mean": f"{mean:g}", "better": f"{better:.1f}"}


def mails() -> Figures:
    """What the mails of an exchange weigh, in bytes and kB: of the guide's game, and of one at a table."""
    found: dict[str, str] = {}
    with TemporaryDirectory() as folder:
        for name, title in (("guide", default_name()), ("table", table_title())):
            (place := Path(folder) / title).mkdir()
            weighed = {kind: round(size, -3) for kind, size in weights(place, title).items()}
            found |= {f"{name}_{kind}": f"{size:,}" for kind, size in weighed.items()}
            found |= {f"{name}_{kind}_kb": f"{size // 1000}" for kind, size in weighed.items()}
            both = sum(2 * weighed[kind] for kind in ("report", "receipt", "copy"))
            found[f"{name}_exchange_kb"] = f"{both // 1000}"
    return found
