"""pbem club web: the player's page."""

from __future__ import annotations

from pathlib import Path

import click

WRITE = click.Path(path_type=Path, file_okay=False)


@click.command()
@click.argument("folder", type=WRITE)
@click.option("--serve", is_flag=True, help="Then serve it on this machine, until you stop it.")
@click.option(
    "--port", default=8697, show_default=True, type=click.IntRange(0, 65535), help="Where to serve it."
)
@click.option(
    "--packages",
    type=click.Path(path_type=Path, file_okay=False, exists=True),
    help="A folder that already holds the packages, as npm pack writes them.",
)
def web(folder: Path, serve: bool, port: int, packages: Path | None) -> None:
    """Write the site with which people play in a browser, and install nothing.

    npm brings the libraries, each in one version with one hash. The same release gives the same bytes. The
    last line is the page's hash, which a club names when it recommends the page. The judge's machine should
    not serve the page.

    \b
    Examples:
      pbem club web site
      pbem club web site --serve
    """
    from pbem.web.build import build

    made = build(folder, packages)
    click.echo(f"{folder}: {made.files} files, {made.size:,} bytes; the page's hash is\n{made.digest}")
    if not serve:
        return
    from pbem.web.serve import server

    with server(folder, port) as serving:
        click.echo(f"http://127.0.0.1:{serving.server_address[1]}/ (stop it with Ctrl-C)")
        try:
            serving.serve_forever()
        except KeyboardInterrupt:
            click.echo("stopped")
