"""Writes systemd units or lines for cron, by which a machine runs the judge and a backup each night.

The units with an @ are templates for all clubs that lie side by side: pbem@NAME.service is the judge of the
folder NAME there.
"""

from __future__ import annotations

import shlex
from pathlib import Path

CRON = "pbem.cron"


def write_units(folder: Path, program: str) -> dict[str, Path]:
    """Write all of them into a club's folder; `program` is the path of pbem."""
    club = folder.resolve()
    backups = club.with_name(f"{club.name}-backups")
    run, save = [program, "run", "--log", "--club", str(club)], [program, "backup", "--into", str(backups)]
    save += ["--club", str(club)]
    texts = _units(_escaped(str(club)), "", _escaped(program))
    texts[CRON] = f"*/5 * * * *  {_cron(run)} >/dev/null\n17 3 * * *  {_cron(save)} >/dev/null\n"
    texts |= _units(f"{_escaped(str(club.parent))}/%i", "@", _escaped(program))
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    return {name: folder / name for name in texts}


def _cron(words: list[str]) -> str:
    return shlex.join(words).replace("%", r"\%")


def _units(club: str, at: str, program: str) -> dict[str, str]:
    """Return the units of a club's folder or, with an @, of every folder; % in names is escaped before."""
    instance = "@%i" if at else ""
    return {
        f"pbem{at}.service": _unit(club, program),
        f"pbem-backup{at}.service": _backup(club, program),
        f"pbem-backup{at}.timer": _timer(club, f"pbem-backup{instance}.service"),
    }


def _backup(club: str, program: str) -> str:
    return f"""\
[Unit]
Description=a backup of {club}
RequiresMountsFor={_quoted(club)}

[Service]
Type=oneshot
ExecStart={_quoted(program)} backup --into {_quoted(f"{club}-backups")} --club {_quoted(club)}
UMask=0077
NoNewPrivileges=yes
PrivateTmp=yes
"""


def _timer(club: str, backup: str) -> str:
    return f"""\
[Unit]
Description=a backup of {club} each night

[Timer]
OnCalendar=*-*-* 03:17
RandomizedDelaySec=3600
Persistent=true
Unit={backup}

[Install]
WantedBy=timers.target
"""


def _unit(club: str, program: str) -> str:
    return f"""\
[Unit]
Description=pbem, the judge of {club}
Wants=network-online.target
After=network-online.target time-sync.target
RequiresMountsFor={_quoted(club)}

[Service]
ExecStart={_quoted(program)} serve --every 300 --log --club {_quoted(club)}
Restart=always
RestartSec=60
UMask=0077
NoNewPrivileges=yes
PrivateTmp=yes

[Install]
WantedBy=default.target
"""


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("$", "$$")
    return f'"{escaped}"'


def _escaped(text: str) -> str:
    return text.replace("%", "%%")
