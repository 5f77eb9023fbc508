"""The commands on bundles: export and audit."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pbem.cli.options import (
    CLUB,
    EXISTING_FILE,
    EXISTING_FOLDER,
    JSON,
    LOOK,
    NEW_FILE,
    PASSPHRASE_FILE,
    echo_remark,
)
from pbem.cli.processes import PROCESSES, Failed, map_in_processes
from pbem.errors import AUDIT_STATUSES, REFUTED_STATUS

if TYPE_CHECKING:
    from pbem.audit.findings import Findings


@click.command()
@click.argument("game")
@click.option("--as", "audience", default="public", show_default=True, help="A side, public or all.")
@click.option("--into", type=click.Path(path_type=Path), help="The new folder; by default GAME-AUDIENCE.")
@LOOK
@CLUB
def export(game: str, audience: str, into: Path | None, reason: str, folder: Path) -> None:
    """Write a game's bundle, which anybody can check.

    \b
    Example:
      pbem game export demo --as public --into demo-bundle
    """
    from pbem.judge.club import open_club
    from pbem.judge.export import export as write

    target = into or Path(f"{game}-{audience}")
    count = write(open_club(folder), game, audience, target, reason)
    click.echo(f"wrote {count} files into {target}")


def _tell_paper(paper: Path, bundles: tuple[Path, ...]) -> int:
    """Print what a paper about a message shows; return the exit status."""
    from pbem.audit.press_paper import read_entries_of, tell_paper
    from pbem.cli.home import printable
    from pbem.cli.options import MAX_INPUT_SIZE

    if len(bundles) > 1:
        raise click.UsageError("--paper is for one bundle, or none.")
    with paper.open("rb") as file:
        data = file.read(MAX_INPUT_SIZE)
    for line in tell_paper(data, read_entries_of(bundles[0]) if bundles else ()):
        click.echo(printable(line))
    return 0


def _whole_head(_: click.Context, __: click.Parameter, given: str | None) -> str | None:
    from pbem.trust.identifiers import is_hash

    if given is not None and not is_hash(given):
        raise click.BadParameter(f"a head has 64 digits (0-9, a-f), and all of them are needed: {given}")
    return given


STATUSES = "".join(f"\n  {status}  {meaning}" for status, meaning in AUDIT_STATUSES.items())


@click.command(epilog=f"\b\nExit status, the worst that was found:{STATUSES}")
@click.argument("bundles", metavar="BUNDLE...", nargs=-1, type=click.Path(path_type=Path, exists=True))
@click.option(
    "--genesis",
    metavar="HEAD",
    callback=_whole_head,
    help="The first head, all 64 digits, as you kept it: pins the game.",
)
@click.option(
    "--held",
    type=EXISTING_FOLDER,
    help="A folder of receipts and checkpoints that players kept.",
)
@click.option(
    "--games",
    type=EXISTING_FOLDER,
    help="With the bundle of a league: a folder with the bundles of its games.",
)
@click.option(
    "--last",
    multiple=True,
    type=click.Path(path_type=Path, exists=True),
    help="With the bundle of a league: that of a season from which it takes over; as often as there are.",
)
@click.option(
    "--paper",
    type=EXISTING_FILE,
    help="Say what a paper about a message shows (pbem press --paper), alone or beside a bundle of its game.",
)
@JSON
@PROCESSES
def audit(
    bundles: tuple[Path, ...],
    genesis: str | None,
    held: Path | None,
    games: Path | None,
    last: tuple[Path, ...],
    paper: Path | None,
    as_json: bool,
    processes: int,
) -> int:
    """Check a bundle: offline, without database or secrets.

    Says for each claim: proven, open (not provable from this bundle, or not before the game's end), missing
    (it rests on something that must be in the bundle, and is not), or refuted. The last line says what was
    shown and what was not. Of several bundles that line is said of each, and
    what is not proven of those with which something is wrong; the status is that of the worst.

    \b
    Examples:
      pbem audit demo-game/bundle --genesis $(cat demo-game/genesis) --held demo-game/held
      pbem audit bundles/* --processes 2
    """
    if paper is not None:
        return _tell_paper(paper, bundles)
    if not bundles:
        raise click.UsageError("Missing argument 'BUNDLE...'.")
    if len(bundles) > 1:
        if genesis or held or games or last or as_json:
            raise click.UsageError(
                "--genesis, --held, --games, --last and --json are for one bundle; name one."
            )
        return _audit_many(bundles, processes)
    from pbem.audit import audit as check

    (bundle,) = bundles
    bar = click.progressbar(
        length=1, label="playing it again", file=sys.stderr, hidden=not sys.stderr.isatty()
    )

    def progress(done: int, total: int) -> None:
        bar.length = total
        bar.update(done - bar.pos)

    with bar:
        findings = check(bundle, genesis, held, progress, games, last)

    if as_json:
        import json
        from dataclasses import asdict

        facts = {"findings": [asdict(row) for row in findings.rows], "shown": findings.shown}
        click.echo(json.dumps({"status": findings.status, **facts}, indent=2))
        return findings.status
    for finding in findings.rows:
        click.echo(str(finding))
    click.echo(findings.shown)
    if findings.remark:
        echo_remark(findings.remark)
    return findings.status


def _audit_many(bundles: tuple[Path, ...], processes: int) -> int:
    """Audit each bundle alone and return the worst exit status: 3 before 4 before 5 before 1."""
    statuses: list[int] = []
    for bundle, found in map_in_processes(_audit_bundle, bundles, processes):
        if isinstance(found, Failed):
            echo_remark(f"{bundle}: {found.why}")
            statuses.append(found.status)
            continue
        click.echo(f"{bundle}: {found.shown}")
        for row in found.rows:
            if found.status and row.state != "proven":
                click.echo(f"  {row}")
        statuses.append(found.status)
    return min(filter(None, statuses), key=lambda status: (status < REFUTED_STATUS, status), default=0)


def _audit_bundle(bundle: Path) -> Findings:
    from pbem.audit import audit as check

    return check(bundle)


@click.command()
@click.argument("sources", nargs=-1, required=True, type=click.Path(path_type=Path, exists=True))
@click.option(
    "--roots",
    required=True,
    type=EXISTING_FILE,
    help="The second official's letter of roots, or the file keys/roots itself.",
)
@click.option("--key", default="", help="The official's key in this home, which opens the letter.")
@click.option("--into", required=True, type=click.Path(path_type=Path), help="The new folder.")
@PASSPHRASE_FILE
def complete(
    sources: tuple[Path, ...], roots: Path, key: str, into: Path, passphrase_file: Path | None
) -> None:
    """Make the bundle of everything without the judge, with the second official's letter.

    SOURCES are bundles for a side or the public, and players' game folders (games/GAME in a home). Sealed
    orders are opened, the game is played again, and what was hidden is written anew; all of it must fit the
    leaves that the judge has signed. Audit the result like any other bundle.

    \b
    Examples:
      pbem game complete demo-scotland demo-england --roots demo-roots.txt --key olga --into demo-all
      pbem game complete ~/pbem/games/demo bobs-home/games/demo --roots demo-roots.txt --key olga --into all
    """
    from pbem.audit.bundle import read_bundle
    from pbem.audit.complete import complete as complete_from
    from pbem.cli.home import open_home
    from pbem.errors import ConfigError
    from pbem.player.store.bundle_papers import papers
    from pbem.player.store.game_store import GameFolder
    from pbem.trust.armor import find_sealed
    from pbem.trust.chance import parse_roots
    from pbem.trust.sealing import open_sealed

    if into.exists():
        raise ConfigError(f"{into} exists already; name a new folder")
    data, official = roots.read_bytes(), open_home(passphrase_file).keys.unlock(key) if key else None
    if not data.startswith(b"chain "):
        if official is None:
            raise click.UsageError("The letter is sealed: say with --key which key opens it.")
        (sealed,) = find_sealed(data)
        data = open_sealed(sealed, [official])
    held = [
        papers(GameFolder(source.absolute()))
        if (source / "ledger.txt").exists()
        else read_bundle(source).known_files
        for source in sources
    ]
    files = complete_from(held, parse_roots(data), official.public if official else None)
    for name, content in files.items():
        path = into / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    click.echo(f"wrote {len(files)} files into {into}")


@click.command("hand-over")
@click.argument("game")
@click.argument("file", type=NEW_FILE, required=False)
def hand_over(game: str, file: Path | None) -> None:
    """Write what you have kept of a game into one file, for a judge whose disk is lost.

    It holds the ledger, the heads and receipts that the judge has signed, the sealed order files and your
    reports: nothing that the judge did not have. It never holds a key, the secret of a chain or a draft.

    \b
    Example:
      pbem game hand-over demo demo-alice.tar.gz
    """
    from pbem.cli.home import open_home
    from pbem.errors import ConfigError
    from pbem.player.store.bundle_papers import handed_over, write_archive

    folder = open_home(None).folder(game)
    target = file or Path(f"{game}-{folder.player}.tar.gz")
    if target.exists():
        raise ConfigError(f"{target} exists already; name a new file")
    count = write_archive(handed_over(folder), target)
    click.echo(f"wrote {count} files into {target}; send it to the game master")
