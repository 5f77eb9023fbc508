"""The commands on what a game proves: export, audit, complete and hand-over; explain, what-if and replay."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import closing
from functools import partial
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
    from pbem.disputes.record import Record


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
    from pbem.audit.papers import read_entries_of, tell_paper
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
    from pbem.audit.restoration import complete as complete_from
    from pbem.cli.home import open_home
    from pbem.errors import ConfigError
    from pbem.player.store.evidence import papers
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
    from pbem.player.store.evidence import handed_over, write_archive

    folder = open_home(None).folder(game)
    target = file or Path(f"{game}-{folder.player}.tar.gz")
    if target.exists():
        raise ConfigError(f"{target} exists already; name a new file")
    count = write_archive(handed_over(folder), target)
    click.echo(f"wrote {count} files into {target}; send it to the game master")


def _tell(source: str, folder: Path, reader: str | None, reason: str, tell: Callable[[Record], str]) -> None:
    """Print an explanation from the club's game or the bundle that is named.

    A look into a running game is entered in its ledger once there is an answer, even the answer that nothing
    fits. A mistyped word gives no answer.
    """
    if Path(source).is_file() or (Path(source) / "log").is_dir():
        from pbem.audit.game import read_record as read_bundle

        record = read_bundle(Path(source))
        click.echo(tell(record if reader is None else record.narrow_to(reader)), nl=False)
        return
    from pbem.disputes.explain import NothingFits
    from pbem.judge.acts import check_look, look
    from pbem.judge.club import GM, open_club
    from pbem.judge.export import read_record

    club = open_club(folder)
    check_look(club, source, reader or GM, reason)
    try:
        text = tell(read_record(club, source, reader or "all"))
    except NothingFits:
        look(club, source, reader or GM, reason)
        raise
    look(club, source, reader or GM, reason)
    click.echo(text, nl=False)


@click.command()
@click.argument("source", metavar="GAME|BUNDLE")
@click.argument("event", nargs=-1, required=True)
@click.option("--as", "reader", help="Show what this side, or the public, may know; without it, everything.")
@click.option("--pictures", is_flag=True, help="Show the whole position as each side saw it before.")
@JSON
@LOOK
@CLUB
def explain(
    source: str,
    event: tuple[str, ...],
    reader: str | None,
    pictures: bool,
    as_json: bool,
    reason: str,
    folder: Path,
) -> None:
    """Explain an event: whose order caused it, by which rules, with which dice.

    Name the event in the words of a report, with its turn, its winter or its exchange. It can be in a game of
    this club or in a bundle. From a bundle you see only what the bundle opens.

    \b
    Example:
      pbem game explain demo 1297.2 battle fife --reason "bob disputes the retreat"
      pbem game explain demo 1297.2 battle fife --as public
      pbem game explain demo-bundle winter 1297 ross
    """
    from pbem.disputes.explain import explain as tell

    def in_words(record: Record) -> str:
        text = tell(record, " ".join(event), pictures=pictures)
        if not as_json:
            return text
        import json

        sections = [part.split("\n") for part in text.rstrip("\n").split("\n\n")]
        facts = {"game": source, "event": " ".join(event), "reader": reader or "all", "explanation": sections}
        return f"{json.dumps(facts, indent=2)}\n"

    _tell(source, folder, reader, reason, in_words)


@click.command("what-if")
@click.argument("source", metavar="GAME|BUNDLE")
@click.argument("exchange", type=click.IntRange(min=1))
@click.option("--side", help="Whose orders are changed.")
@click.option("--line", help="The order line that is added.")
@click.option("--replace", type=click.IntRange(min=1), help="Put it in the place of this line below ---.")
@click.option("--option", "rule", metavar="HOUSE_RULE=VALUE", help="The house rule that is changed.")
@LOOK
@CLUB
def what_if(
    source: str,
    exchange: int,
    side: str | None,
    line: str | None,
    replace: int | None,
    rule: str | None,
    reason: str,
    folder: Path,
) -> None:
    """Play a resolved exchange again with one order line or house rule changed.

    Nothing is stored. Dice that were thrown keep their values; new dice are marked. You see what the game
    master sees, so it needs a game of this club or a bundle of everything.

    \b
    Example:
      pbem game what-if demo 7 --side scotland --line "retreat Wallace to Fife"
      pbem game what-if demo 7 --option dead_round_turns=no
    """
    from pbem.disputes.whatif import Change, OtherLine, OtherRule
    from pbem.disputes.whatif import what_if as play_again

    if rule is not None and (side, line, replace) == (None, None, None):
        name, sign, value = rule.partition("=")
        if not sign:
            raise click.UsageError(f"{rule!r} should read HOUSE_RULE=VALUE.")
        change: Change = OtherRule(name, value)
    elif rule is None and side is not None and line is not None:
        change = OtherLine(side, line, replace or 0)
    else:
        raise click.UsageError("Change one thing: --side with --line, or --option.")
    _tell(source, folder, None, reason, lambda record: play_again(record, exchange, change))


@click.command()
@click.argument("games", nargs=-1, metavar="[GAME]...")
@click.option("--all", "every", is_flag=True, help="Every game of the club.")
@PROCESSES
@CLUB
def replay(games: tuple[str, ...], every: bool, processes: int, folder: Path) -> int:
    """Play stored games again by the installed rules and compare every entry and report.

    If a new release plays a game in the same way, the game goes on by itself. If not, `pbem club run` holds
    the game and says so. This command ends with 1 if a game differs or cannot be played. It names the first
    difference, but no secrets, and what you can do. The other games are still played.

    \b
    Examples:
      pbem game replay --all
      pbem game replay --all --processes 2
    """
    from pbem.judge.club import open_club

    if every == bool(games):
        raise click.UsageError("Name the games, or say --all.")
    with closing(open_club(folder).store) as store:
        named = store.games() if every else games
    status = 0
    for game, found in map_in_processes(partial(_replay_game, folder), named, processes):
        if isinstance(found, Failed):
            echo_remark(f"{game}: {found.why}")
            status = max(status, found.status)
            continue
        alike, told = found
        click.echo(f"{game}: {told}")
        status = max(status, int(not alike))
    return status


def _replay_game(folder: Path, game: str) -> tuple[bool, str]:
    """Replay a game; return whether it comes out as it was recorded, and a line that says so."""
    from pbem.judge.acts import way_on
    from pbem.judge.adjudication import compare
    from pbem.judge.club import open_club
    from pbem.judge.saved_places import forget_disagreement, installed_rules

    club = open_club(folder)
    with closing(club.store):
        book = club.book(game)
        if (difference := compare(club, book)) is None:
            forget_disagreement(club, game)
            here, there = installed_rules(book), book.history.rules
            another = f", though the hash of the rules is {here[:16]} here, {there[:16]} in the game"
            return True, f"alike in all {len(book.history.resolved)} exchanges{another * (here != there)}"
        return False, "\n  ".join((f"plays {difference}", *way_on(book, difference)))
