"""Every setting of club.toml takes or refuses every nasty value by its name, and the games go on."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.nasty.values import OF_OTHER_KINDS, TEXTS, faults
from tests.nasty.world import placed, type_in, world

IN_DRAW = 12
BOXES = ("box", "box/.Archive", "outgoing")
SERVER = {"host": "127.0.0.1", "port": 1, "tls": "none", "user": "judge", "password_command": "echo x"}
SERVER |= {"password": "x", "timeout": 2, "folder": "INBOX", "oauth": False}
INBOX = SERVER | {"folders": ["Archive"]}
WHOLE: dict[str, Any] = {
    "name": "test",
    "days": 7,
    "mail": {
        "address": "judge@club.example",
        "reports": "sealed",
        "copies": "direct",
        "sent_to": "sent@club.example",
        "answers_per_day": 5,
        "answers_per_hour": 30,
        "keep_days": 90,
        "inbox": {"maildir": "box", "delete_handled": False, "folders": ["Archive"]},
        "outbox": {"maildir": "outgoing", "per_hour": 100, "empty_sender": False},
        "game": {"demo": {"copies": "off"}},
    },
    "journal": {"folder": "journal", "mail": False},
    "page": {"address": "https://play.club.example/", "sha256": "9f" * 32},
    "rhythm": {
        "weekdays": ["sat"],
        "hour": "20:00",
        "zone": "Europe/London",
        "claims": "ask",
        "grace_hours": 6,
        "bank_days": 5,
        "increment_days": 0.5,
        "absence_days": 21,
        "reminder_hours": 36,
        "silent_exchanges": 2,
        "demo": {"zone": "Europe/Berlin", "days": 2},
    },
    "site": {
        "folder": "www",
        "name": "The Hearth",
        "address": "https://club.example/",
        "about": "Come in.",
        "rules": "club.toml",
    },
    "watch": {
        "address": "gm@example.org",
        "command": "true",
        "heartbeat": "true",
        "summary": "mon",
        "waiting": "daily",
        "metrics": "club.prom",
    },
}
WAYS: dict[str, dict[str, Any]] = {
    "local": {},
    "servers": {"inbox": INBOX, "outbox": SERVER},
    "sendmail": {"outbox": {"sendmail": "true"}},
}
"""How mail comes and goes -> what is otherwise in [mail]."""


def settings(way: str) -> dict[str, Any]:
    """Return the settings of a club with everything in them."""
    return WHOLE | {"mail": WHOLE["mail"] | WAYS[way]}


def leaves(table: Mapping[str, Any], path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Return where each setting stands, and each table."""
    for name, value in table.items():
        if isinstance(value, dict):
            yield from leaves(value, (*path, name))
        yield (*path, name)


def _every() -> dict[str, tuple[str, tuple[str, ...]]]:
    found: dict[str, tuple[str, tuple[str, ...]]] = {}
    for way in WAYS:
        for path in leaves(settings(way)):
            new = path[:2] in (("mail", "inbox"), ("mail", "outbox")) or way == "local"
            if new:
                found.setdefault(f"{'.'.join(path)}", (way, path))
    return found


EVERY = _every()
"""Name of a setting -> the way of mail with which it counts, and where it stands."""
VALUES = {label: json.dumps(value) for label, value in TEXTS.items() if label != "no UTF-8"} | OF_OTHER_KINDS


class Raw(str):
    """A value as TOML writes it."""

    __slots__ = ()


def changed(table: Mapping[str, Any], path: tuple[str, ...], value: str) -> dict[str, Any]:
    """Return settings in which one has another value."""
    name, *rest = path
    if rest:
        return {**table, name: changed(table[name], tuple(rest), value)}
    return {**table, name: [Raw(value)] if isinstance(table[name], list) else Raw(value)}


def as_toml(table: Mapping[str, Any], path: str = "") -> str:
    """Return settings as club.toml has them."""
    plain = [f"{name} = {_written(value)}\n" for name, value in table.items() if not isinstance(value, dict)]
    text = (f"[{path}]\n" if path else "") + "".join(plain)
    parts = {name: value for name, value in table.items() if isinstance(value, dict)}
    return text + "".join(as_toml(value, f"{path}.{name}".strip(".")) for name, value in parts.items())


def _written(value: object) -> str:
    if isinstance(value, Raw):
        return value
    return f"[{', '.join(map(_written, value))}]" if isinstance(value, list) else json.dumps(value)


def tries(place: Path, name: str, label: str) -> None:
    """Set one setting to a value: it is refused by its name, or the games go on."""
    way, path = EVERY[name]
    world(place)
    for box in BOXES:
        for folder in ("new", "cur", "tmp"):
            (place / "club" / box / folder).mkdir(parents=True)
    (place / "club/journal").mkdir()
    text = as_toml(changed(settings(way), path, VALUES[label]))
    (place / "club/club.toml").write_text(text, encoding="utf-8")
    with placed(place):
        told = {command: type_in(command) for command in ("run", "status", "doctor")}
    for command, one in told.items():
        assert faults(one.text) == [], (name, label, command, one.text)
        assert one.status in (0, 1), (name, label, command)
        assert "stopped: " not in one.text, (name, label, command, one.text)
    said = told["status"].text
    is_refused = "pbem: club.toml" in told["run"].text
    if is_refused:
        assert any(part in told["run"].text for part in (path[-1], f"[{'.'.join(path[:-1])}]")), told["run"]
        assert "club.toml" in told["doctor"].text, "the doctor names it too"
    assert all(f"{game}: " in said for game in ("demo", "other")) or "club.toml" in said, said


@pytest.mark.ci
def test_a_draw_of_values_is_taken_or_refused(tmp_path: Path) -> None:
    every = [(name, label) for name in EVERY for label in VALUES]
    for number, (name, label) in enumerate(random.Random(46).sample(every, IN_DRAW)):
        tries(tmp_path / str(number), name, label)


@pytest.mark.ci
@pytest.mark.parametrize("name", EVERY)
def test_every_value_is_taken_or_refused(name: str, tmp_path: Path) -> None:
    for label in VALUES:
        tries(tmp_path / label, name, label)


def test_a_wrong_rhythm_of_one_game_holds_up_that_game_alone(tmp_path: Path) -> None:
    place = world(tmp_path / "world")
    (place / "club/club.toml").write_text('days = 7\n[rhythm.demo]\nzone = "Mars"\n')
    with placed(place):
        told = type_in("run")
        assert told.status == 1
        assert "demo: waits: club.toml, [rhythm.demo]: there is no time zone 'Mars'" in told.text
        assert "other" not in told.text
        assert "'Mars'" in type_in("doctor").text


def test_settings_that_are_not_utf_8_are_told_so(tmp_path: Path) -> None:
    place = world(tmp_path / "world")
    (place / "club/club.toml").write_bytes(b'name = "Z\xfcge"\n')
    with placed(place):
        told = type_in("run")
    assert told.status == 1
    assert "club.toml is not written in UTF-8; save it anew so" in told.text
