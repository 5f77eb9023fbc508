"""Writes systemd units or lines for cron, by which a machine runs the judge and a backup each night.

    pbem-box.service            the post box beside it, behind a proxy on the same machine
    pbem.service ...            units of a person's own manager, which runs while they are logged in or linger
    system-units/pbem.service   those of the machine, which wait for its network and clock at a boot
    pbem.cron                   lines for cron

The units with an @ are templates for all clubs that lie side by side: pbem@NAME.service is the judge of the
folder NAME there. A person's manager knows no target of the machine, so none of its units waits for one.
"""

from __future__ import annotations

import shlex
from pathlib import Path

CRON = "pbem.cron"
UNITS = (".service", "-box.service", "-backup.service", "-backup.timer")
"""Ends of the names of the units behind "pbem": the judge, the post box, the backup and its timer."""
SYSTEM = "system-units"
"""Name of the folder with the systemd units that run for the whole machine."""


def write_units(folder: Path, program: str) -> dict[str, Path]:
    """Write all systemd units and lines for cron into a club's folder; return their paths by their names.

    `program` is the path of pbem.
    """
    club = folder.resolve()
    backups = club.with_name(f"{club.name}-backups")
    run, save = [program, "run", "--log", "--club", str(club)], [program, "backup", "--into", str(backups)]
    save += ["--club", str(club)]
    texts = _units(_unit_escape(str(club)), "", _unit_escape(program))
    texts[CRON] = f"*/5 * * * *  {_cron(run)} >/dev/null\n17 3 * * *  {_cron(save)} >/dev/null\n"
    every = f"{_unit_escape(str(club.parent))}/%i"
    texts |= _units(every, "@", _unit_escape(program))
    user = _owner(club)
    machine = _units(_unit_escape(str(club)), "", _unit_escape(program), user) | _units(
        every, "@", _unit_escape(program), user
    )
    texts |= {f"{SYSTEM}/{name}": text for name, text in machine.items()}
    (folder / SYSTEM).mkdir(exist_ok=True)
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    return {name: folder / name for name in texts}


def _owner(club: Path) -> str:
    """Return the owner of a folder by name, or by number if the machine has no name for the owner."""
    try:
        return club.owner()
    except KeyError:
        return str(club.stat().st_uid)


def _cron(words: list[str]) -> str:
    return shlex.join(words).replace("%", r"\%")


def _units(club: str, at: str, program: str, user: str = "") -> dict[str, str]:
    """Return the systemd units for a club's folder or, with an @, for every folder; % in names is escaped.

    `user`: the name of the user who runs the units of the machine; "" for units of a person.
    """
    instance = "@%i" if at else ""
    texts = (
        _unit(club, program, user),
        _box(club, program, user),
        _backup(club, program, user),
        _timer(club, f"pbem-backup{instance}.service"),
    )
    return {unit_name(end, at): text for end, text in zip(UNITS, texts, strict=True)}


def unit_name(end: str, at: str = "") -> str:
    """Return the name of the unit with this end; of the template for all clubs, with an @."""
    return f"pbem{end.replace('.', f'{at}.')}"


def _box(club: str, program: str, user: str) -> str:
    box = _shell_quote(f"{club}/box")
    # in the sandbox the unit cannot make the folder; the judge's pass does
    made = "" if user else f"ExecStartPre=/bin/mkdir -p {box}\n"
    hidden = f"TemporaryFileSystem={_shell_quote(f'{club}:ro')}\nBindPaths={box}\n"
    sandbox = f"ProtectSystem=strict\n{hidden}" if user else ""
    return f"""\
[Unit]
Description=the post box of {club}
{_OF_MACHINE if user else ""}RequiresMountsFor={_shell_quote(club)}

[Service]
{_run_by(user)}{made}ExecStart={_shell_quote(program)} box {box} --listen 127.0.0.1:8698 --proxy 127.0.0.1
Restart=always
RestartSec=10
UMask=0077
NoNewPrivileges=yes
PrivateTmp=yes
{sandbox}
[Install]
WantedBy={"multi-user" if user else "default"}.target
"""


def _backup(club: str, program: str, user: str) -> str:
    return f"""\
[Unit]
Description=a backup of {club}
RequiresMountsFor={_shell_quote(club)}

[Service]
{_run_by(user)}Type=oneshot
ExecStart={_shell_quote(program)} backup --into {_shell_quote(f"{club}-backups")} --club {_shell_quote(club)}
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


_OF_MACHINE = """\
Wants=network-online.target
After=network-online.target time-sync.target
"""


def _unit(club: str, program: str, user: str) -> str:
    return f"""\
[Unit]
Description=pbem, the judge of {club}
{_OF_MACHINE if user else ""}RequiresMountsFor={_shell_quote(club)}

[Service]
{_run_by(user)}ExecStart={_shell_quote(program)} serve --every 300 --log --club {_shell_quote(club)}
Restart=always
RestartSec=60
UMask=0077
NoNewPrivileges=yes
PrivateTmp=yes

[Install]
WantedBy={"multi-user" if user else "default"}.target
"""


def _run_by(user: str) -> str:
    return f"User={user}\n" if user else ""


def _shell_quote(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("$", "$$")
    return f'"{escaped}"'


def _unit_escape(text: str) -> str:
    return text.replace("%", "%%")
