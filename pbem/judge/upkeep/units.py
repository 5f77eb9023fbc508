"""How a machine runs the judge by itself: systemd units, or lines for cron; with a backup each night."""

from __future__ import annotations

import shlex
from pathlib import Path

UNIT, CRON, BACKUP, TIMER = "pbem.service", "pbem.cron", "pbem-backup.service", "pbem-backup.timer"


def write_units(folder: Path, program: str) -> dict[str, Path]:
    """Write all of them into a club's folder; `program` is the path of pbem."""
    club = folder.resolve()
    backups = club.with_name(f"{club.name}-backups")
    run, save = [program, "run", "--log", "--club", str(club)], [program, "backup", "--into", str(backups)]
    save += ["--club", str(club)]
    texts = {
        UNIT: _unit(club, program),
        BACKUP: _backup(club, save),
        TIMER: _timer(club),
        CRON: f"*/5 * * * *  {_cron(run)} >/dev/null\n17 3 * * *  {_cron(save)} >/dev/null\n",
    }
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    return {name: folder / name for name in texts}


def _cron(words: list[str]) -> str:
    return shlex.join(words).replace("%", r"\%")


def _backup(club: Path, words: list[str]) -> str:
    return f"""\
[Unit]
Description=a backup of {_escaped(str(club))}
RequiresMountsFor={_quoted(str(club))}

[Service]
Type=oneshot
ExecStart={" ".join(map(_quoted, words))}
UMask=0077
NoNewPrivileges=yes
PrivateTmp=yes
"""


def _timer(club: Path) -> str:
    return f"""\
[Unit]
Description=a backup of {_escaped(str(club))} each night

[Timer]
OnCalendar=*-*-* 03:17
Persistent=true
Unit={BACKUP}

[Install]
WantedBy=timers.target
"""


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
