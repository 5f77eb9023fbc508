"""Writes the file for Prometheus' node exporter, from which a monitoring system reads the state of the club.

    [watch]                                             # in club.toml
    metrics = "/var/lib/node_exporter/pbem.prom"        # in the folder of its textfile collector

It tells numbers and times of the whole club, and nothing of a game, a player or a league.
"""

from __future__ import annotations

from collections import Counter
from datetime import datetime
from pathlib import Path

from pbem.errors import ConfigError
from pbem.judge.agenda import read_agendas
from pbem.judge.club import Club
from pbem.judge.deadlines.mailbox_checks import looked_until, waiting_games
from pbem.judge.tables.note_tables import BACKUP
from pbem.trust.times import parse_utc

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
    for state, count in _count_games(club).items():
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


def _count_games(club: Club) -> dict[str, int]:
    """Return the number of games in each state; those past their deadline wait, for example for mail."""
    waiting, counts = waiting_games(club), Counter(dict.fromkeys(STATES, 0))
    for game, agenda in read_agendas(club).items():
        held = "held" if agenda.trouble else "waiting" if game in waiting else "open"
        counts["over" if agenda.over else held] += 1
    return counts


def _note_time(club: Club, note: str) -> datetime | None:
    found = club.store.note(note)
    return parse_utc(found) if found else None
