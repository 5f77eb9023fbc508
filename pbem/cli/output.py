"""Output to files that the user names: each is written whole or not at all, and replaces only its like."""

from __future__ import annotations

import os
import re
import stat
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Any

import click

from pbem.cli.options import NEW_FILE
from pbem.errors import ConfigError

KINDS = (
    ("a key", re.compile(rb"-----BEGIN OPENSSH PRIVATE KEY|ssh-ed25519 ")),
    ("a join file", re.compile(rb"pbem1 join\b")),
    ("a signed text", re.compile(rb"pbem1 ([a-z-]+)")),
    ("a sealed file", re.compile(rb"-----BEGIN AGE ENCRYPTED FILE-----|age-encryption\.org/")),
    ("a mail", re.compile(rb"(?:From|To|Cc|Subject|Date|Message-ID|MIME-Version): ")),
    ("a page", re.compile(rb"<!doctype html", re.IGNORECASE)),
    ("a picture", re.compile(rb"<svg\b|\x89PNG")),
    ("orders", re.compile(rb"begin orders\b")),
)
"""Kinds of files, each with the pattern of its first bytes."""
KEPT = frozenset({"a key", "a join file"})
"""Kinds of files that are never replaced, even by another file of the same kind."""
_MAX_BEGINNING_LENGTH = 64
_FORCE = "pbem.cli.output.force"


def _note_force(context: click.Context, _: click.Parameter, value: bool) -> None:
    context.meta[_FORCE] = value


forcing = click.option(
    "--force",
    is_flag=True,
    expose_value=False,
    callback=_note_force,
    help="Replace a file that holds something else.",
)
"""The option by which a command may replace a file of an unknown kind."""


def output(command: Any) -> Any:
    """Add the options --out and --force to a command."""
    out = click.option(
        "--out",
        type=NEW_FILE,
        help="Write to this file instead of standard output.",
    )
    return out(forcing(command))


def write_output(path: Path, data: bytes) -> None:
    """Write a command's result to the file that its user named; a device or a pipe is written to as it is.

    Raises:
        ConfigError: a link, or a file that holds something else, stands there, and --force was not given.
    """
    if _is_stream(path):
        with path.open("wb") as stream:
            stream.write(data)
        return
    context = click.get_current_context(silent=True)
    forced = context is not None and context.meta.get(_FORCE, False)
    if path.is_symlink():
        raise ConfigError(f"{path} is a link, and nothing is written through one; name the file itself")
    if path.exists() and not forced:
        _check_replaceable(path, data)
    _write_whole(path, data)


def _is_stream(path: Path) -> bool:
    """Tell whether a path is a device, a pipe, or one of the system's links to an open file."""
    if path.is_symlink() and path.parent not in (Path("/dev"), Path("/dev/fd"), Path("/proc/self/fd")):
        return False
    return path.parent in (Path("/dev/fd"), Path("/proc/self/fd")) or (
        path.exists() and (path.is_symlink() or not stat.S_ISREG(path.stat().st_mode))
    )


def _check_replaceable(path: Path, data: bytes) -> None:
    """Raise an error if writing would lose a file that was not written for the same purpose."""
    with path.open("rb") as file:
        old = file.read(len(data) + 1)
    if old in (b"", data):
        return
    (there, began), (kind, begins) = kind_of(old), kind_of(data)
    if (there, began) != (kind, begins) or there in ("", *KEPT):
        raise ConfigError(
            f"{path} is there already and holds {there or 'something else'}; "
            "name another file, or give --force to replace it"
        )


def kind_of(data: bytes) -> tuple[str, bytes]:
    """Return the kind of a file that begins with these bytes, and its first words; "" if it is of no kind."""
    found = ((kind, begins.match(data[:_MAX_BEGINNING_LENGTH])) for kind, begins in KINDS)
    return next(((kind, match[1] if match.re.groups else b"") for kind, match in found if match), ("", b""))


def _write_whole(path: Path, data: bytes) -> None:
    """Write a file whole in place of the one at a path, with the old file's mode or that of a new file."""
    try:
        mode = stat.S_IMODE(path.stat().st_mode)
    except FileNotFoundError:
        mask = os.umask(0)
        os.umask(mask)
        mode = 0o666 & ~mask
    try:
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    except OSError as problem:
        raise ConfigError(f"{path} cannot be written: {str(problem.strerror).lower()}") from None
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        Path(name).chmod(mode)
        Path(name).replace(path)
    finally:
        with suppress(FileNotFoundError):
            Path(name).unlink()
