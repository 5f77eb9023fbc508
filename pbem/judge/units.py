"""How a machine runs the judge by itself: a systemd unit, and a line for cron."""

from __future__ import annotations

import shlex
from pathlib import Path

UNIT, CRON = "pbem.service", "pbem.cron"


def write_units(folder: Path, program: str) -> tuple[Path, Path]:
    """Write both into a club's folder; `program` is the path of pbem."""
    club = folder.resolve()
    unit, cron = folder / UNIT, folder / CRON
    unit.write_text(_unit(club, program), encoding="utf-8")
    words = shlex.join([program, "run", "--log", "--club", str(club)]).replace("%", r"\%")
    cron.write_text(f"*/5 * * * *  {words} >/dev/null\n", encoding="utf-8")
    return unit, cron


def _unit(club: Path, program: str) -> str:
    return f"""\
[Unit]
Description=pbem, the judge of {_escaped(str(club))}
Wants=network-online.target
After=network-online.target time-sync.target
RequiresMountsFor={_quoted(str(club))}

[Service]
ExecStart={_quoted(program)} serve --every 300 --log --club {_quoted(str(club))}
Restart=always
RestartSec=60
UMask=0077
NoNewPrivileges=yes
PrivateTmp=yes

[Install]
WantedBy=default.target
"""


def _quoted(text: str) -> str:
    escaped = _escaped(text).replace("\\", "\\\\").replace('"', '\\"').replace("$", "$$")
    return f'"{escaped}"'


def _escaped(text: str) -> str:
    return text.replace("%", "%%")
