"""The stock tools on this machine: ssh-keygen, age, openssl and the shell, run for real."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest


def run(*command: str | Path, stdin: bytes = b"", **settings: str) -> bytes:
    """What the command prints; it must succeed. `settings` are added to its environment."""
    return finished(*command, stdin=stdin, check=True, **settings).stdout


def fails(*command: str | Path, stdin: bytes = b"") -> bool:
    """Whether the command refuses."""
    return finished(*command, stdin=stdin).returncode != 0


def finished(
    *command: str | Path, stdin: bytes = b"", check: bool = False, **settings: str
) -> subprocess.CompletedProcess[bytes]:
    """The command run to its end."""
    name = str(command[0])
    if shutil.which(name) is None:
        pytest.skip(f"{name} is not installed on this machine")
    environment = {**os.environ, "LC_ALL": "C", **settings}
    return subprocess.run(command, input=stdin, env=environment, capture_output=True, check=check)


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
