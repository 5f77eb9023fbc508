"""The address and port on which a command listens, and the error that another program has them."""

from __future__ import annotations

import socket

from pbem.errors import ConfigError

LOOPBACK = "127.0.0.1"


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
