"""Bundles: export and audit."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from pbem.cli.club import CLUB


@click.command()
@click.argument("game")
@click.option("--as", "audience", default="public", show_default=True, help="A side, public or all.")
@click.option("--into", type=click.Path(path_type=Path), help="The new folder; by default GAME-AUDIENCE.")
@CLUB
def export(game: str, audience: str, into: Path | None, folder: Path) -> None:
    """Write a game's bundle, which anybody can check.

    \b
    Example:
      pbem export demo --as public --into demo-bundle
    """
    from pbem.judge.club import open_club
    from pbem.judge.export import export as write

    target = into or Path(f"{game}-{audience}")
    count = write(open_club(folder), game, audience, target)
    click.echo(f"wrote {count} files into {target}")


@click.command()
@click.argument("bundle", type=click.Path(path_type=Path, exists=True))
@click.option("--genesis", metavar="HEAD", help="The first head, as you kept it: pins the game.")
@click.option(
    "--held",
    type=click.Path(path_type=Path, file_okay=False, exists=True),
    help="A folder of receipts and checkpoints that players kept.",
)
def audit(bundle: Path, genesis: str | None, held: Path | None) -> int:
    """Check a bundle: offline, without database or secrets.

    Says for each claim: proven, open (not provable from this bundle, or not before the game's end), or
    refuted. Exit status 0, or 3 if something is refuted.

    \b
    Example:
      pbem audit demo-bundle --genesis 5f3c... --held held
    """
    from pbem.audit.check import audit as check

    bar = click.progressbar(
        length=1, label="playing it again", file=sys.stderr, hidden=not sys.stderr.isatty()
    )

    def progress(done: int, total: int) -> None:
        bar.length = total
        bar.update(done - bar.pos)

    with bar:
        findings = check(bundle, genesis, held, progress)

    for finding in findings.rows:
        click.echo(str(finding))
    if findings.refuted:
        click.echo("pbem: the bundle is refuted", err=True)
        return 3
    return 0
