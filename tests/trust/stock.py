"""The stock tools on this machine: ssh-keygen, age, openssl and the shell, run for real."""

import os
import shutil
import signal
import subprocess
from pathlib import Path

import pytest


def run(*command: str | Path, stdin: bytes = b"", **settings: str) -> bytes:
    """What the command prints; it must succeed. `settings` are added to its environment."""
    return finished(*command, stdin=stdin, check=True, longest=None, **settings).stdout


def fails(*command: str | Path, stdin: bytes = b"") -> bool:
    """Whether the command refuses."""
    return finished(*command, stdin=stdin).returncode != 0


def finished(
    *command: str | Path,
    stdin: bytes = b"",
    check: bool = False,
    longest: float | None = None,
    **settings: str,
) -> subprocess.CompletedProcess[bytes]:
    """The command run to its end. `longest`: after so many seconds it is asked to end, and fails."""
    name = str(command[0])
    if shutil.which(name) is None:
        pytest.skip(f"{name} is not installed on this machine")
    environment = {**os.environ, "LC_ALL": "C", **settings}
    with subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment,
        start_new_session=longest is not None,
    ) as process:
        try:
            stdout, stderr = process.communicate(stdin, timeout=longest)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGTERM)
            process.communicate()
            raise
    done = subprocess.CompletedProcess(command, process.returncode, stdout, stderr)
    if check:
        done.check_returncode()
    return done


def shell(script: str, *arguments: str, stdin: bytes = b"") -> str:
    """What a POSIX shell prints for `script`, whose $1, $2... are `arguments`."""
    return run("sh", "-euc", script, "sh", *arguments, stdin=stdin).decode().strip()


def make_key(folder: Path, name: str = "alice", passphrase: str = "") -> Path:
    """A key pair made by ssh-keygen; the path of its private half."""
    path = folder / name
    run("ssh-keygen", "-q", "-t", "ed25519", "-a", "4", "-N", passphrase, "-C", f"{name} hearth", "-f", path)
    return path


def asking(folder: Path, passphrase: str) -> dict[str, str]:
    """Settings under which ssh-keygen gets `passphrase` when it asks for one."""
    script = folder / "askpass"
    script.write_text(f"#!/bin/sh\necho '{passphrase}'\n")
    script.chmod(0o700)
    return {"SSH_ASKPASS": str(script), "SSH_ASKPASS_REQUIRE": "force", "DISPLAY": "none"}
