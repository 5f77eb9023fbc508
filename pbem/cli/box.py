"""The command `pbem box`: the post box beside a club's mail."""

from __future__ import annotations

from pathlib import Path

import click

from pbem.cli.listening import listen, tell_start
from pbem.errors import ConfigError

FILE = click.Path(path_type=Path, dir_okay=False, exists=True)


@click.command()
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False))
@click.option(
    "--listen",
    "address",
    default="127.0.0.1:8698",
    show_default=True,
    metavar="HOST:PORT",
    help="Where it listens.",
)
@click.option(
    "--proxy",
    default="",
    metavar="ADDRESS",
    help="The address of the proxy in front of it, whose X-Forwarded-For is believed.",
)
@click.option("--certificate", type=FILE, help="A certificate in PEM, for a box without a proxy.")
@click.option("--certificate-key", type=FILE, help="Its private key in PEM.")
def box(
    folder: Path, address: str, proxy: str, certificate: Path | None, certificate_key: Path | None
) -> None:
    """Serve the post box in FOLDER, until you stop it.

    Players post sealed files there and fetch letters. The judge fills and empties the folder, and writes into
    it whom the box serves; the box itself opens nothing, and has no key of the club.

    \b
    Examples:
      pbem box club/box
      pbem box /srv/box --listen 127.0.0.1:8698 --proxy 127.0.0.1
    """
    host, port = _host_and_port(address)
    if (certificate is None) is not (certificate_key is None):
        raise ConfigError("a certificate and its key go together: --certificate FILE --certificate-key FILE")
    from importlib.util import find_spec

    if any(find_spec(library) is None for library in ("starlette", "uvicorn")):
        raise ConfigError("the post box needs two libraries more: pip install 'pbem[box]'")
    import asyncio

    from pbem.box.server import serve_box

    with listen(host, port, "--listen") as bound:
        tell_start(f"the post box in {folder} listens on {address}")
        try:
            asyncio.run(
                serve_box(folder, bound, proxy, str(certificate or ""), str(certificate_key or "")),
            )
        except OSError as problem:
            raise ConfigError(f"{folder} cannot be written: {str(problem.strerror).lower()}") from None
        except KeyboardInterrupt:
            click.echo("stopped")


def _host_and_port(text: str) -> tuple[str, int]:
    host, _, port = text.rpartition(":")
    if not host or not port.isascii() or not port.isdigit() or not 0 < int(port) < 65_536:
        raise ConfigError("--listen takes a host and a port: 127.0.0.1:8698")
    return host.strip("[]"), int(port)
