"""The commands that serve until they are stopped: `pbem box`, `pbem notify`, `pbem desk`, `pbem club web`."""

from __future__ import annotations

import socket
import time
from pathlib import Path

import click

from pbem.cli.options import CLUB, EXISTING_FILE, EXISTING_FOLDER, FOLDER, open_folder
from pbem.errors import ConfigError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path


LOOPBACK = "127.0.0.1"


def tell_start(what: str) -> None:
    """Print what a command does from now on, and how to stop it."""
    click.echo(f"{what} (stop it with Ctrl-C)")


def listen(host: str, port: int, option: str) -> socket.socket:
    """Return a socket that listens at a host and port, or at any free port for port 0.

    `option`: the command's option by which another place can be named, for the error.

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


def _check_libraries(what: str) -> None:
    """Raise an error if the libraries of a service are not installed."""
    from importlib.util import find_spec

    if any(find_spec(library) is None for library in ("starlette", "uvicorn")):
        raise ConfigError(f"{what} needs two libraries more: pip install 'pbem[box]'")


@click.command()
@click.argument("folder", type=FOLDER)
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
@click.option("--certificate", type=EXISTING_FILE, help="A certificate in PEM, for a box without a proxy.")
@click.option("--certificate-key", type=EXISTING_FILE, help="Its private key in PEM.")
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
    _check_libraries("the post box")
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


HASH = "hash"
"""The word that stands in place of a folder if the page is not written and only its hash is worked out."""


@click.command()
@click.argument("folder", type=click.Path(file_okay=False))
@click.option(
    "--box",
    "boxes",
    multiple=True,
    metavar="URL",
    help="A post box with which the page may talk, as https://box.club.example/; may be given again.",
)
@click.option("--serve", is_flag=True, help="Then serve it on this machine, until you stop it.")
@click.option(
    "--port", default=8697, show_default=True, type=click.IntRange(0, 65535), help="Where to serve it."
)
@click.option(
    "--packages",
    type=EXISTING_FOLDER,
    help="A folder that already holds the packages, as npm pack writes them.",
)
def web(folder: str, boxes: tuple[str, ...], serve: bool, port: int, packages: Path | None) -> None:
    """Write the site with which people play in a browser, and install nothing.

    npm brings the libraries, each in one version with one hash. The same release and the same boxes give the
    same bytes. The last line is the page's hash, which a club names when it recommends the page. With the
    word hash in place of a folder nothing is written, and the hash alone is told. The judge's machine should
    not serve the page.

    \b
    Examples:
      pbem club web site
      pbem club web site --box https://box.club.example/
      pbem club web hash --box https://box.club.example/
      pbem club web site --serve
    """
    from pbem.web.build import build, page_hash, site_files

    if folder == HASH and serve:
        raise click.UsageError("'hash' writes no site, so there is none to serve; name a folder")
    if packages is None:
        click.echo("npm fetches the page's libraries; that can take a minute", err=True)
    if folder == HASH:
        click.echo(page_hash(site_files(packages, boxes)))
        return
    made = build(Path(folder), packages, boxes)
    click.echo(f"{folder}: {made.files} files, {made.size:,} bytes; the page's hash is\n{made.digest}")
    if not serve:
        return
    from pbem.web.build import server

    try:
        serving = server(Path(folder), port, boxes)
    except OSError as problem:
        raise taken(LOOPBACK, port, problem, "--port") from None
    with serving:
        tell_start(f"the page in {folder} is served at http://{LOOPBACK}:{serving.server_address[1]}/")
        try:
            serving.serve_forever()
        except KeyboardInterrupt:
            click.echo("stopped")


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
    _check_libraries("the desk")
    from pbem.desk.app import serve_desk

    open_folder(folder).store.close()  # it is a club, or the reason why not is told here
    serve_desk(
        folder,
        listen(LOOPBACK, port, "--port"),
        lambda link: click.echo(f"open this link in a browser, once: {link}"),
    )


@click.command()
@click.argument("folder", type=FOLDER)
@click.option("--every", type=click.FloatRange(min=1), default=15, show_default=True, help="Seconds.")
@click.option(
    "--rounds", type=click.IntRange(min=0), default=0, help="Stop after so many rounds; 0 is never."
)
def notify(folder: Path, every: float, rounds: int) -> None:
    """Call webhooks and wake devices of players, until you stop it.

    FOLDER is that of [notify] in club.toml. The judge writes addresses and wakes into it; this process has no
    key and no database of the club, but a key of its own for push services, and never holds up a pass.

    \b
    Example:
      pbem notify club/notify
    """
    from pbem.notify.courier import SPREAD_SECONDS, Courier, Delivery

    if not folder.is_dir():
        raise ConfigError(f"{folder} is not there: a pass of a club with [notify] in its club.toml makes it")
    courier, count = Courier(folder, Delivery(), click.echo, spread=SPREAD_SECONDS), 0
    try:
        while True:
            courier.make_round()
            count += 1
            if count == rounds:
                return
            time.sleep(every)
    except OSError as problem:
        raise ConfigError(f"{folder} cannot be written: {str(problem.strerror).lower()}") from None
    except KeyboardInterrupt:
        click.echo("stopped")
