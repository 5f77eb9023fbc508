"""The command `pbem desk`: the director's desk in a browser, on this machine alone."""

from __future__ import annotations

import click

from pbem.cli.club import CLUB, open_folder
from pbem.cli.listening import LOOPBACK, listen
from pbem.errors import ConfigError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path


@click.command()
@click.option(
    "--port", type=click.IntRange(0, 65_535), default=8699, show_default=True, help="0 takes a free one."
)
@CLUB
def desk(port: int, folder: Path) -> None:
    """Open the director's desk in a browser on this machine, until you stop it.

    It prints a link that opens the desk once. The desk shows what waits for you and what the commands say of
    the club, and each of its buttons runs a command, which it shows first. It listens on this machine alone;
    for a club on a server: ssh -L 8699:127.0.0.1:8699 SERVER, then open the link.

    \b
    Example:
      pbem desk --club club
    """
    from importlib.util import find_spec

    if any(find_spec(library) is None for library in ("starlette", "uvicorn")):
        raise ConfigError("the desk needs two libraries more: pip install 'pbem[box]'")
    from pbem.desk.server import serve_desk

    open_folder(folder).store.close()  # it is a club, or the reason why not is told here
    serve_desk(
        folder,
        listen(LOOPBACK, port, "--port"),
        lambda link: click.echo(f"open this link in a browser, once: {link}"),
    )
