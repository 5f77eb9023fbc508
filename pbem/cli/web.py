"""The command `pbem club web`: the player's page."""

from __future__ import annotations

from pathlib import Path

import click

from pbem.cli.listening import LOOPBACK, taken, tell_start

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
    type=click.Path(path_type=Path, file_okay=False, exists=True),
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
    from pbem.web.serve import server

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
