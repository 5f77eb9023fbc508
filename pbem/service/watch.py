"""Alerts for the game master: each trouble once, with what to do; a heartbeat; a weekly summary.

    [watch]                                 # in club.toml; all of it may be left out
    address = "gm@example.org"              # alerts and the week's summary are mailed there
    command = "notify gm"                   # is run for an alert, with its text as input
    heartbeat = "curl -fsS https://watch.example/abc"   # is run after each pass, for a watch from outside
    summary = "mon"                         # the day of the week's summary; "" is never
    waiting = "daily"                       # what waits for a decision is mailed once a day; "" is never
    metrics = "/var/lib/node_exporter/pbem.prom"        # a file for Prometheus, see below

An alert is told once. What is over and comes back within a day is the same alert; what a server may get over
by itself is told after a while. A mail cannot tell that no mail leaves, and nothing here can tell that the
machine is off: hence the command and the heartbeat. What stops a whole pass (no club, no database, no disk)
sounds an alarm, which needs none of them: the command is told each reason once. When each was told is kept in
a file of the folder or, if that cannot be written, in the home of whoever runs the judge.

The file for Prometheus lies in the folder of its node exporter's textfile collector. It tells numbers and
times of the whole club, and nothing of a game, a player or a league.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import shutil
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from pbem.errors import ConfigError, PbemError
from pbem.judge.agenda import read_agendas
from pbem.judge.book import CLAIMED, read_claims
from pbem.judge.club import Clock, Club
from pbem.judge.deadlines.waits_for_mail import looked_until, undeliverable, waiting_games
from pbem.judge.intake.quarantine import all_apart
from pbem.judge.intake.waiting_list import waiting_for_director
from pbem.judge.tables.database import AlertRow, wall_clock
from pbem.judge.tables.note_tables import BACKUP, FOR_GM
from pbem.judge.upkeep.folder_identity import Elsewhere
from pbem.mail.mail_problems import (
    ALERT,
    letter_trouble,
    server_troubles,
    strange_reports,
    unanswered_senders,
    waiting_letters,
)
from pbem.mail.settings import command_words, setting_address
from pbem.rendering import render
from pbem.trust.identifiers import quote
from pbem.trust.times import WEEKDAYS, parse_utc, utc_text

PATIENCE = timedelta(hours=2)
"""Time that a mail server may be away before the game master is alerted."""
SAME = timedelta(days=1)
"""Time within which a trouble that comes back is not alerted again."""
LEAST_SPACE = 100_000_000
SECONDS = 60
HEARTBEAT = "heartbeat"
"""Name of the file in the club's folder that says when the last pass ended, and how."""
WEEK, WAITING = "week", "waiting"


@dataclass(frozen=True, slots=True, kw_only=True)
class Watch:
    """The settings in [watch] of club.toml: whom to alert about troubles of the club, and how."""

    address: str = ""
    command: str = ""
    heartbeat: str = ""
    summary: str = "mon"
    waiting: str = "daily"
    metrics: str = ""


def read_watch(settings: Mapping[str, Any]) -> Watch:
    """Read the settings of the game master's alerts from a club's settings.

    Raises:
        ConfigError: a setting of the watch is not valid.
    """
    found = settings.get("watch", {})
    words = sorted(Watch.__dataclass_fields__)
    if not isinstance(found, Mapping) or not all(isinstance(value, str) for value in found.values()):
        raise ConfigError("club.toml: [watch] must be a table of texts")
    if unknown := sorted(set(found) - set(words)):
        raise ConfigError(f"club.toml, [watch]: no setting called {unknown[0]}; there are {' '.join(words)}")
    watch = Watch(**found)
    if watch.address:
        watch = replace(watch, address=setting_address("[watch], address", watch.address))
    for name, command in (("command", watch.command), ("heartbeat", watch.heartbeat)):
        if command:
            command_words(command, f"[watch], {name},")
    if watch.waiting not in ("", "daily"):
        raise ConfigError('club.toml, [watch]: waiting must be "daily", or "" for never')
    if watch.summary and watch.summary not in WEEKDAYS:
        raise ConfigError(f"club.toml, [watch]: summary must be one of {', '.join(WEEKDAYS)}")
    return watch


def alert(club: Club, wrong: Mapping[str, str], patient: Iterable[str] = ()) -> Iterator[str]:
    """Alert the game master to each trouble that is new; yield problems with sending the alerts.

    `wrong` says for each trouble, by its name, what it is and what to do. `patient` has the names of troubles
    that may go by themselves.
    """
    watch, now = read_watch(club.settings), club.clock()
    known = {row.name: row for row in club.store.alerts()}
    lines = []
    with club.store.step():
        for name, text in wrong.items():
            row = known.get(name) or AlertRow(name, utc_text(now), "", text)
            if not row.told and (name not in patient or now - parse_utc(row.since) >= PATIENCE):
                row = AlertRow(name, row.since, utc_text(now), text)
                lines.append(text)
            if row is not known.get(name):
                club.store.put_alert(row)
        for name, row in known.items():
            if name not in wrong and not is_told(row.told, now):
                club.store.drop_alert(name)
        if lines and watch.address:
            text = render("service/alert.txt.j2", club=club.name, folder=club.path, wrong=lines)
            _write(club, watch.address, f"{ALERT}{utc_text(now).translate(_PLAIN)}.txt", text)
    if lines and watch.command:
        yield from run_command(watch.command, "\n".join(f"pbem, {club.name}: {text}" for text in lines))


def find_troubles(club: Club) -> tuple[dict[str, str], dict[str, str], set[str]]:
    """Return the lasting troubles, further news for the game master, and the names of the servers' troubles.

    Servers get over some troubles by themselves.
    """
    servers = server_troubles(club)
    wrong = {"disk": full} if (full := disk_trouble(club.path)) else {}
    wrong |= servers
    wrong |= {
        f"letter {letter.game} {letter.player}": letter_trouble(letter)
        for letter in club.store.letters_in_trouble()
        if letter.failed
    }
    wrong |= undeliverable(club) | waiting_letters(club)
    wrong |= {f"apart {one.kind} {one.name}": one.text for one in all_apart(club)}
    told = claims(club)
    if club.store.notes(FOR_GM):
        from pbem.judge.press.director import unread_by_director

        told |= unread_by_director(club)
    if many := unanswered_senders(club, needed=True):
        told["answers"] = many
    if strange := strange_reports(club):
        told["returned"] = strange
    return wrong, told, set(servers)


def is_told(when: str, now: datetime) -> bool:
    """Tell whether a trouble that was alerted at `when` needs no new alert if it returns at `now`.

    Both directions count, since the clock may have been set.
    """
    return bool(when) and abs(now - parse_utc(when)) < SAME


def claims(club: Club) -> dict[str, str]:
    """Return alerts, by name, on players' claims that a ledger is longer than here; they stop no game."""
    claims = read_claims(club.store)
    if claims:
        with club.store.step():
            club.store.put_note(CLAIMED, "")
    return {
        f"claim {game} {player}": (
            f"{player} has signed that the ledger of {game} had {size} entries, and here it is "
            f"shorter. Only they say so, and the game goes on. If this club was copied back, or also "
            f"runs in another folder, stop it here. A player who has seen such a ledger has the "
            f"judge's signature: the newest checkpoint in the folder held of their game. If they mail "
            f"it here, the game stops"
        )
        for (game, player), size in claims.items()
    }


def show_pass(club: Club, *, trouble: bool, seconds: float) -> Iterator[str]:
    """Show an outside monitor that a pass of `seconds` has ended; yield problems with showing it."""
    try:
        (club.path / HEARTBEAT).write_text(
            f"{utc_text(club.clock())} {'trouble' if trouble else 'ok'}\n", encoding="ascii"
        )
    except OSError as problem:
        yield f"the file {HEARTBEAT} cannot be written: {problem.strerror}"
    watch = read_watch(club.settings)
    if watch.metrics:
        from pbem.service.watch import write_metrics

        try:
            write_metrics(club, club.path / watch.metrics, seconds=seconds, trouble=trouble)
        except (OSError, ValueError) as problem:
            yield f"[watch], metrics: {quote(watch.metrics)} cannot be written: {quote(str(problem))}"
        except ConfigError as fault:
            yield str(fault)
    if watch.heartbeat:
        yield from run_command(watch.heartbeat, "")


def run_command(command: str, text: str) -> Iterator[str]:
    """Run a command of the game master with a text as its input; yield problems with the command."""
    import subprocess

    try:
        subprocess.run(  # noqa: S603 - the organiser's own command, from the club's own file
            command_words(command, "[watch]"),
            input=f"{text}\n" if text else "",
            text=True,
            capture_output=True,
            check=True,
            timeout=SECONDS,
        )
    except subprocess.CalledProcessError as problem:
        yield f"the command {_first(command)} of [watch] ended with {problem.returncode}"
    except subprocess.TimeoutExpired:
        yield f"the command {_first(command)} of [watch] took longer than {SECONDS} seconds"
    except OSError as problem:
        yield f"the command {_first(command)} of [watch] cannot be run: {str(problem.strerror).lower()}"
    except ValueError:
        yield f"the command {_first(command)} of [watch] has a character that no command can have"


def disk_trouble(path: Path) -> str:
    """Return the trouble with the disk of the club's folder; "" if there is none."""
    free = shutil.disk_usage(path).free
    return f"{free // 1_000_000} MB are free beside {path}; make room" if free < LEAST_SPACE else ""


def summarise(club: Club, wrong: Iterable[str]) -> bool:
    """Write the game master's weekly summary once its day has come; return whether one was written."""
    watch, now = read_watch(club.settings), club.clock()
    if not watch.address or not watch.summary:
        return False
    day = now - timedelta(days=(now.weekday() - WEEKDAYS.index(watch.summary)) % 7)
    before = club.store.note(WEEK)
    if before == f"{day:%Y-%m-%d}":
        return False
    with club.store.step():
        club.store.put_note(WEEK, f"{day:%Y-%m-%d}")
        if before:
            _write(club, watch.address, f"summary-{day:%Y-%m-%d}.txt", _summary(club, wrong, now))
    return bool(before)


def tell_waiting(club: Club) -> None:
    """Write to the director once a day (UTC) which decisions wait for them, as long as any does.

    A mail of this day that waits for an answer does not count: it was passed on a moment ago.
    """
    watch, day = read_watch(club.settings), f"{club.clock():%Y-%m-%d}"
    if not watch.address or not watch.waiting or club.store.note(WAITING) == day:
        return
    waiting = waiting_for_director(club, read_agendas(club).values(), questions_until=day)
    if not waiting:
        return
    with club.store.step():
        club.store.put_note(WAITING, day)
        text = render("service/waiting.txt.j2", club=club.name, folder=club.path, waiting=waiting)
        _write(club, watch.address, f"waiting-{day}.txt", text)


def _summary(club: Club, wrong: Iterable[str], now: datetime) -> str:
    agendas = read_agendas(club).values()
    week = club.store.week(utc_text(now - timedelta(days=7)))
    return render(
        "service/summary.txt.j2",
        club=club.name,
        games=len(agendas),
        over=sum(one.is_finished for one in agendas),
        stopped=[one.game for one in agendas if one.trouble and not one.is_finished],
        week=week,
        wrong=list(wrong),
        free=shutil.disk_usage(club.path).free // 1_000_000,
        backup=club.store.note(BACKUP) or "never",
    )


def _write(club: Club, address: str, name: str, text: str) -> None:
    club.store.add_letter("", "", name, b"", text=text, address=address)


def _first(command: str) -> str:
    return quote(command.split(maxsplit=1)[0]).strip("'") if command.strip() else "''"


_PLAIN = str.maketrans({":": "", "-": ""})

STATES = ("open", "waiting", "held", "over")


def write_metrics(club: Club, path: Path, *, seconds: float, trouble: bool) -> None:
    """Write the club's figures for Prometheus, whole or not at all; `seconds` is how long the pass took.

    Raises:
        ConfigError: the library is not installed.
        OSError: the file cannot be written.
    """
    try:
        from prometheus_client import CollectorRegistry, Gauge, write_to_textfile
    except ImportError:
        raise ConfigError("[watch] metrics needs a library: pip install 'pbem[metrics]'") from None
    registry = CollectorRegistry()

    def set_gauge(name: str, meaning: str, value: float) -> None:
        Gauge(f"pbem_{name}", meaning, registry=registry).set(value)

    games = Gauge("pbem_games", "Games of the club, by state.", ["state"], registry=registry)
    for state, count in _games_by_state(club).items():
        games.labels(state).set(count)
    set_gauge("letters_queued", "Letters that have not left.", len(list(club.store.unsent_letters())))
    set_gauge("pass_seconds", "Seconds that the last pass of the judge took.", seconds)
    set_gauge("pass_trouble", "Whether the last pass met trouble that somebody has to see to.", trouble)
    for name, meaning, moment in (
        ("last_pass", "When the last pass of the judge ended.", club.clock()),
        (
            "last_mail_check",
            "When the last whole mailbox check began; 0 if never.",
            looked_until(club),
        ),
        ("last_backup", "When the last backup was made; 0 if never.", _note_time(club, BACKUP)),
    ):
        set_gauge(f"{name}_timestamp_seconds", meaning, moment.timestamp() if moment else 0)
    write_to_textfile(str(path), registry)
    path.chmod(0o644)


def _games_by_state(club: Club) -> dict[str, int]:
    """Return the number of games in each state; those past their deadline wait, for example for mail."""
    waiting, counts = waiting_games(club), Counter(dict.fromkeys(STATES, 0))
    for game, agenda in read_agendas(club).items():
        held = "held" if agenda.trouble else "waiting" if game in waiting else "open"
        counts["over" if agenda.is_finished else held] += 1
    return counts


def _note_time(club: Club, note: str) -> datetime | None:
    found = club.store.note(note)
    return parse_utc(found) if found else None


ALARM = "alarm"


@contextlib.contextmanager
def sound_alarm(folder: Path, clock: Clock = wall_clock) -> Iterator[None]:
    """Sound the alarm if the pass within this context is stopped."""
    try:
        yield
    except Elsewhere:
        raise  # the pass has told it, by mail too
    except Exception as fault:
        _sound(folder, str(fault), clock())
        raise
    _keep(folder, _recent(folder, clock()))


def _sound(folder: Path, text: str, now: datetime) -> None:
    """Report the reason that stops a pass, and note so, unless that reason is already noted as reported."""
    told = _read_alarms(folder)
    if text in told:
        return
    with contextlib.suppress(PbemError, OSError, ValueError):
        watch = read_watch(tomllib.loads((folder / "club.toml").read_text(encoding="utf-8")))
        if watch.command:
            list(run_command(watch.command, f"pbem, {folder}: {text}"))
    _keep(folder, _recent(folder, now) | {text: utc_text(now)})


def _recent(folder: Path, now: datetime) -> dict[str, str]:
    """Return the reasons reported less than a day ago, which are not reported again if they come back."""
    return {text: when for text, when in _read_alarms(folder).items() if is_told(when, now)}


def _read_alarms(folder: Path) -> dict[str, str]:
    """Return the reasons that were reported, with the time of each report."""
    for place in _places(folder):
        with contextlib.suppress(OSError, ValueError, TypeError, AttributeError, PbemError):
            found = json.loads(place.read_text(encoding="utf-8"))
            return {text: utc_text(parse_utc(when)) for text, when in found.items()}
    return {}


def _keep(folder: Path, told: Mapping[str, str]) -> None:
    """Keep the reported reasons of stopped passes in the first place that can be written, nowhere else."""
    left = dict(told)
    for place in _places(folder):
        with contextlib.suppress(OSError):
            if not left:
                place.unlink(missing_ok=True)
                continue
            text = json.dumps(left, sort_keys=True)
            if not place.is_file() or place.read_text(encoding="utf-8") != text:
                _write_file(place, text)
            left = {}


def _write_file(place: Path, text: str) -> None:
    """Write a file for its owner alone; a file that cannot be written whole leaves nothing behind."""
    part = place.with_name(f"{place.name}.part")
    try:
        part.unlink(missing_ok=True)
        part.touch(mode=0o600)
        part.write_text(text, encoding="utf-8")
        part.replace(place)
    finally:
        part.unlink(missing_ok=True)


def _places(folder: Path) -> tuple[Path, Path]:
    name = hashlib.sha256(str(folder.resolve()).encode()).hexdigest()[:16]
    return folder / ALARM, Path.home() / f".pbem-{ALARM}-{name}"
