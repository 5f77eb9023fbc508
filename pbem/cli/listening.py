"""The address on which a command listens, and the line with which it begins to work until it is stopped."""

from __future__ import annotations

import socket

import click

from pbem.errors import ConfigError

LOOPBACK = "127.0.0.1"


def tell_start(what: str) -> None:
    """Print what a command does from now on, and how to stop it."""
    click.echo(f"{what} (stop it with Ctrl-C)")


def listen(host: str, port: int, option: str) -> socket.socket:
    """Return a socket that listens there; port 0 takes a free one; `option` names another place.

    Raises:
        ConfigError: nothing can listen there.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family)
    except OSError as problem:
        raise taken(host, port, problem, option) from None


def taken(host: str, port: int, problem: OSError, option: str) -> ConfigError:
    """Return the error that nothing can listen at an address, with the option that names another."""
    why, _, _ = str(problem.strerror or problem).lower().partition(" (")
    return ConfigError(f"nothing can listen on port {port} of {host}: {why}; take another with {option}")
