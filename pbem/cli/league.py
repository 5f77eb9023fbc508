"""The director's commands on leagues; those of players are in pbem.cli.league_player."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pbem.cli import league_player
from pbem.cli.options import CLUB, EXISTING_FILE, JSON, entry_link, open_folder

if TYPE_CHECKING:
    from pbem.judge.club import Club
    from pbem.leagues.config import LeagueFile
    from pbem.leagues.earlier_results import Carried

WHAT_IF = click.option("--what-if", is_flag=True, help="Only say what would come of it.")
LAST = click.option(
    "--last",
    multiple=True,
    type=click.Path(path_type=Path, exists=True),
    help="The bundle of a season that the file names in [last]; as often as it names one.",
)
LEAGUE_FILE = click.argument("file", type=EXISTING_FILE)


@click.group()
def league() -> None:
    """Run a league, take part in one, and see where it stands.

    \b
    A director:  preset, check, new, status, rule, correct, standings, run, export, pages
    A player:    enter, withdraw, absent, half-bye, challenge, substitute, vote, appeal, new-key, reply
    What a player signs is mailed to the judge, or handed in with 'pbem club submit'.

    \b
    Examples:
      pbem league preset swiss > league.toml
      pbem league new league.toml
      pbem league status spring-2027
    """


for command in league_player.COMMANDS.commands.values():
    league.add_command(command)


@league.command("preset")
@click.argument("name", type=click.Choice(["sections", "swiss", "knockout", "ladder"]))
def preset(name: str) -> None:
    """Print a league.toml to begin with.

    \b
    Example:
      pbem league preset knockout > league.toml
    """
    from importlib.resources import files

    text = files("pbem.leagues").joinpath("presets", f"{name}.toml").read_text(encoding="utf-8")
    click.echo(text, nl=False)


def _read_league_file(file: Path) -> LeagueFile:
    """Return the checked content of a league's file; mistakes are told with the name that the file has."""
    from pbem.leagues.config import read_file
    from pbem.leagues.config_reader import FileMistakes

    try:
        return read_file(file.read_bytes())
    except FileMistakes as problem:
        raise FileMistakes(problem.mistakes, file.name) from None


@league.command("check")
@LEAGUE_FILE
@LAST
def check(file: Path, last: tuple[Path, ...]) -> None:
    """Check a league.toml, and tell every mistake with its line; with --last also what it takes over.

    \b
    Example:
      pbem league check league.toml
    """
    found = _read_league_file(file)
    rounds = f"{found.rounds} rounds" if found.rounds else "as many rounds as it takes"
    click.echo(f"{found.name}: {found.format}, {rounds}, {found.least} to {found.most} entrants")
    if found.panel:
        click.echo(f"enroll the panel before you open it (pbem club player add): {', '.join(found.panel)}")
    if found.last:
        here = f"; it is class {found.rank}" if found.rank else ""
        click.echo(f"ratings come from {', '.join(one.name for one in found.last)}{here}")
    carried = _taken_over(file, last)
    if found.last and not carried.people:
        click.echo("open it with the bundles of these (pbem league new --last FOLDER, for each)")
    elif carried.people:
        rated = {one.player for one in carried.ratings}
        names = sorted(name for name, one in carried.people.items() if one.rank == found.rank)
        click.echo(f"{len(rated)} of {len(carried.people)} have a rating; of this class: {', '.join(names)}")


@league.command("new")
@LEAGUE_FILE
@LAST
@WHAT_IF
@CLUB
def new(file: Path, last: tuple[Path, ...], what_if: bool, folder: Path) -> None:
    """Open a league by its file; from then on it takes entries.

    \b
    Examples:
      pbem league new league.toml --what-if
      pbem league new league.toml --last spring-2027-league
    """
    from pbem.judge.leagues.book import begin_league
    from pbem.trust.times import utc_text

    club, carried = open_folder(folder), _taken_over(file, last)
    with club.store.step(keep=not what_if):
        book = begin_league(club, file.read_bytes(), carried)
    begun = "would take" if what_if else "takes"
    click.echo(f"{book.file.name} {begun} entries until {utc_text(book.file.until)}")
    if not what_if:
        which = f"--judge {club.key.public.fingerprint} --genesis {book.season.genesis_head}"
        click.echo(f"to enter: pbem league enter {book.file.name} --as NAME {which}")
        if link := entry_link(club, book.file.name, book.season.genesis_head, book.file.rules):
            click.echo(f"in a browser: {link}")


@league.command("status")
@click.argument("name", default="")
@JSON
@CLUB
def status(name: str, as_json: bool, folder: Path) -> int:
    """Show what needs the director's decision, and nothing else. Ends with 1 if anything does.

    A round that ends soon is shown as well; that alone ends with 0.

    \b
    Example:
      pbem league status spring-2027
    """
    from dataclasses import asdict

    from pbem.judge.leagues.status import waiting_decisions

    club = open_folder(folder)
    needed = list(waiting_decisions(club, name))
    found = [asdict(one) for one in needed]
    if as_json:
        click.echo(json.dumps(found, indent=2))
    for one in () if as_json else found:
        click.echo(f"{one['about']}: {one['text']}")
        if one["command"]:
            click.echo(f"    {one['command']}")
    return 1 if any(one.waits for one in needed) else 0


@league.command("standings")
@click.argument("name")
@click.option("--ratings", is_flag=True, help="The ratings instead.")
@click.option("--csv", "as_csv", is_flag=True, help="As comma-separated values.")
@JSON
@CLUB
def standings(name: str, ratings: bool, as_csv: bool, as_json: bool, folder: Path) -> None:
    """Show the tables, worked out from the results alone; of a ladder its rungs, of a knock-out its bracket.

    First of all comes what happens next.

    \b
    Examples:
      pbem league standings spring-2027
      pbem league standings spring-2027 --ratings --csv
    """
    from csv import DictReader
    from io import StringIO

    from pbem.judge.leagues.book import load_league
    from pbem.judge.leagues.display import align_columns, bracket, headline, substitutes
    from pbem.judge.leagues.display import standings as in_words
    from pbem.leagues import results_table

    season = load_league(open_folder(folder), name).season
    data = (results_table.ratings_csv(season) if ratings else results_table.standings_csv(season)).decode()
    if as_csv:
        click.echo(data, nl=False)
        return
    if season.file.format == "ladder" and not (ratings or as_json):
        click.echo("\n".join(in_words(season)))
        return
    rows = list(DictReader(StringIO(data)))
    if as_json:
        click.echo(json.dumps(rows, indent=2))
        return
    click.echo(headline(season))
    if not ratings:  # who has left stands below all others, whatever their points
        told = (one for _, found in results_table.tables(season) for one in found)
        rows = [row | {"": one.note} for row, one in zip(rows, told, strict=True)]
    for line in align_columns([list(rows[0]), *(list(row.values()) for row in rows)]) if rows else ():
        click.echo(line)
    for line in () if ratings else (*substitutes(season), *bracket(season)):
        click.echo(line)


@league.command("rule")
@click.argument("name")
@click.argument("decides", nargs=-1, required=True)
@click.option("--by", default="", help="Who rules: the director, if it is not said, or an assistant.")
@click.option("--reason", required=True, help="Why; everybody is told.")
@WHAT_IF
@CLUB
def rule(name: str, decides: tuple[str, ...], by: str, reason: str, what_if: bool, folder: Path) -> None:
    """Rule on something; it is an entry that everybody sees, with its reason.

    \b
    A ruling is one of:
      result ROUND PAIRING played|adjudicated|forfeited|annulled NAME=PLACE NAME=PLACE
      correct ROUND PAIRING ...      the same, for a pairing that has a result
      extend ROUND TIME              a later last date
      expel NAME, admit NAME         admit: who offers to take somebody's place
      readmit NAME                   who counted as withdrawn for silence, and is back
      key NAME                       they have lost theirs, and get the one that they have handed in
      answer ENTRY upheld|dismissed  of an appeal
      start, cancel                  with fewer entrants than the file wants

    \b
    Examples:
      pbem league rule cup result 2 7 forfeited ann=1 ben=2 --reason "ben is silent"
      pbem league rule cup answer 57 dismissed --by anna --reason "the game's bundle shows it"
    """
    from pbem.judge.leagues.rulings import rule as enter
    from pbem.judge.letters.letter_files import deliver

    club = open_folder(folder)
    click.echo(enter(club, name, decides, by=by, reason=reason, what_if=what_if))
    if not what_if:
        deliver(club)


@league.command("correct")
@click.argument("name")
@click.argument("about", nargs=2, metavar="ROUND PAIRING")
@click.argument("result", nargs=-1, required=True, metavar="ENDING NAME=PLACE ...")
@click.option("--by", default="", help="Who corrects: the director, if it is not said, or an assistant.")
@click.option("--reason", required=True, help="Why; everybody is told.")
@WHAT_IF
@CLUB
def correct(
    name: str,
    about: tuple[str, str],
    result: tuple[str, ...],
    by: str,
    reason: str,
    what_if: bool,
    folder: Path,
) -> None:
    """Correct a result; with --what-if the table is shown as it would be.

    \b
    Example:
      pbem league correct cup 1 3 played ann=1 ben=1 --reason "it was a draw" --what-if
    """
    from pbem.judge.leagues.book import load_league
    from pbem.judge.leagues.rulings import rule as enter
    from pbem.judge.letters.letter_files import deliver
    from pbem.leagues import results_table

    club = open_folder(folder)
    with club.store.step(keep=not what_if):
        told = enter(club, name, ("correct", *about, *result), by=by, reason=reason)
        click.echo(f"{told}; this would be entered, and the table would be" if what_if else told)
        if what_if:
            click.echo(results_table.standings_csv(load_league(club, name).season).decode(), nl=False)
    if not what_if:
        deliver(club)


@league.command("run")
@click.argument("name", default="")
@WHAT_IF
@CLUB
def run(name: str, what_if: bool, folder: Path) -> int:
    """Do what is due in leagues now, as 'pbem club run' does in each pass.

    \b
    Example:
      pbem league run spring-2027 --what-if
    """
    from pbem.judge.leagues.steps import run_league, what_would
    from pbem.judge.letters.letter_files import deliver

    club = open_folder(folder)
    stopped = False
    for each in _names(club, name):
        for done in what_would(club, each) if what_if else run_league(club, each):
            stopped = stopped or done.is_stopped
            would = "would: " if what_if and not done.is_stopped else ""
            click.echo(f"{done.league}: {would}{done.text}", err=done.is_stopped)
    if not what_if:
        deliver(club)
    return 1 if stopped else 0


@league.command("classes")
@click.argument("names", nargs=-1, required=True)
@CLUB
def classes(names: tuple[str, ...], folder: Path) -> None:
    """Show who is in which class next season, by leagues that are over, the best first.

    And what the file of a league says that takes over from them.

    \b
    Example:
      pbem league classes first-2027 second-2027
    """
    from pbem.errors import ConfigError
    from pbem.judge.leagues.book import load_league
    from pbem.leagues import results_table

    club = open_folder(folder)
    books = [load_league(club, name) for name in names]
    seasons = [book.season for book in books]
    for season in seasons:
        if season.end_entry is None:
            raise ConfigError(f"{season.file.name} is not over")
    for number, players in enumerate(results_table.classes(seasons), 1):
        click.echo(f"class {number}: {', '.join(players)}")
    click.echo("\nThe file of a league that takes over ratings and classes says:\n\n[last]\nleagues = [")
    for book in books:
        click.echo(f'    "{book.file.name} {book.head_at(1)} {book.head}",')
    click.echo("]\nclass = 1   # which of these classes it is; without this line only ratings come from them")


@league.command("export")
@click.argument("name")
@click.option("--into", type=click.Path(path_type=Path), help="The new folder; by default NAME-league.")
@CLUB
def export(name: str, into: Path | None, folder: Path) -> None:
    """Write a league's bundle, which anybody can check with 'pbem audit'.

    \b
    Example:
      pbem league export spring-2027 --into spring-bundle
    """
    from pbem.judge.leagues.export import export as write

    target = into or Path(f"{name}-league")
    count = write(open_folder(folder), name, target)
    click.echo(f"wrote {count} files into {target}")


@league.command("pages")
@click.argument("name")
@click.option("--into", type=click.Path(path_type=Path), help="The folder; by default NAME-pages.")
@CLUB
def pages(name: str, into: Path | None, folder: Path) -> None:
    """Write a league's tables, games and ratings as pages for a browser, CSV, JSON and a calendar.

    \b
    Example:
      pbem league pages spring-2027 --into /srv/www/spring-2027
    """
    from pbem.judge.leagues.book import load_league
    from pbem.leagues.pages import write
    from pbem.leagues.results_table import view

    target = into or Path(f"{name}-pages")
    count = write(view(load_league(open_folder(folder), name).season), target)
    click.echo(f"wrote {count} files into {target}")


def _taken_over(file: Path, last: tuple[Path, ...]) -> Carried:
    """Return the results that a league takes over, from bundles of the seasons named by the league's file."""
    from pbem.audit.bundle import read_bundle
    from pbem.audit.findings import Missing, Refuted, Unprovable
    from pbem.audit.leagues import taken_over
    from pbem.errors import ConfigError
    from pbem.leagues.earlier_results import NOTHING

    found = _read_league_file(file)
    if not (found.last and last):
        return NOTHING
    try:
        return taken_over(found, [*map(read_bundle, last)])
    except (Refuted, Missing, Unprovable) as problem:
        raise ConfigError(f"nothing can come from earlier seasons: {problem}") from None


def _names(club: Club, name: str) -> list[str]:
    return [name] if name else [row.name for row in club.store.leagues() if not row.over]
