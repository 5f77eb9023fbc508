"""The commands that go on by themselves: run, serve, status."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pbem.cli.club import CLUB, join_link, open_folder

if TYPE_CHECKING:
    from pbem.judge.club import Club
    from pbem.service.one_pass import Line

LOG = click.option(
    "--log", is_flag=True, help="For a log: each line is a JSON object with a level, and without addresses."
)
JSON = click.option("--json", "as_json", is_flag=True, help="For programs: each line is a JSON object.")


@click.command()
@JSON
@LOG
@click.option(
    "--after-gap", is_flag=True, help="After a long pause: the clock is right, and deadlines count again."
)
@CLUB
def run(as_json: bool, log: bool, after_gap: bool, folder: Path) -> int:
    """Do one pass: read mail, play what is complete, send mail.

    For cron. A second pass right after the first changes nothing. Ends with 1 if something is wrong.

    \b
    Example:
      pbem run --club club
    """
    from pbem.service.alarm import alarmed

    with alarmed(folder):
        return _pass(open_folder(folder), _printer(as_json, log), after_gap=after_gap)


@click.command()
@click.option("--every", type=float, default=300, show_default=True, help="Seconds between two passes.")
@click.option("--passes", type=int, default=0, help="Stop after this number of passes; without it, never.")
@JSON
@LOG
@CLUB
def serve(every: float, passes: int, as_json: bool, log: bool, folder: Path) -> int:
    """Do a pass every few minutes, until you stop it.

    \b
    Example:
      pbem serve --club club --every 120
    """
    import time

    from pbem.errors import PbemError
    from pbem.service.alarm import alarmed
    from pbem.service.one_pass import Line

    status, count, show = 0, 0, _printer(as_json, log)
    while True:
        count += 1
        try:
            with alarmed(folder):
                club = open_folder(folder)
                status = _pass(club, show, check_all=count == 1)
                club.store.close()
        except (PbemError, OSError) as fault:
            status = 1
            show(Line("pass", str(fault), trouble=True))
        if count == passes:
            return status
        time.sleep(every)


def _pass(
    club: Club, show: Callable[[Line], None], *, after_gap: bool = False, check_all: bool = False
) -> int:
    from pbem.service.one_pass import Busy, Pass

    trouble = False
    try:
        for line in Pass(club, after_gap, check_all).run():
            trouble = trouble or line.trouble
            show(line)
    except Busy as busy:
        click.echo(f"pbem: {busy}", err=True)
    return 1 if trouble else 0


def _printer(as_json: bool, log: bool) -> Callable[[Line], None]:
    """Return a function that prints a pass's line: for people, programs, or as a log without addresses."""
    from dataclasses import asdict

    def show(line: Line) -> None:
        if log:
            facts = asdict(line) | {"text": _ADDRESS.sub("(address)", line.text)}
            click.echo(json.dumps({"level": "warning" if facts.pop("trouble") else "info", **facts}))
        elif as_json:
            click.echo(json.dumps(asdict(line)))
        else:
            text = f"{line.game}: {line.text}" if line.game and line.step != "orders" else line.text
            click.echo(f"pbem: {text}" if line.trouble else text, err=line.trouble)

    return show


_ADDRESS = re.compile(r"<?[^\s<>@,;:'\"()]+@[^\s<>@,;:'\"()]+>?")


@click.command()
@click.option("--json", "as_json", is_flag=True, help="For programs.")
@CLUB
def status(as_json: bool, folder: Path) -> int:
    """Show every game in one line, what players have signed, and what is wrong with mail.

    \b
    Example:
      pbem status
    """
    from pbem.judge.agenda import held_games, read_agendas
    from pbem.judge.intake.apart import all_apart
    from pbem.judge.intake.waiting import waiting_consents, waiting_joins
    from pbem.judge.standing import status_lines
    from pbem.mail.noted import strange_reports, unanswered
    from pbem.mail.troubles import last_pass, other_ways, troubles

    club = open_folder(folder)
    agendas, wrong, ways = read_agendas(club), troubles(club), other_ways(club)
    apart = [one.text for one in all_apart(club)]
    held, many, strange = held_games(club), unanswered(club), strange_reports(club)
    held = {game: why for game, why in held.items() if game not in agendas or not agendas[game].over}
    stopped = [agenda for agenda in agendas.values() if agenda.trouble or agenda.game in held]
    consents, joins = waiting_consents(club, agendas.values()), waiting_joins(club)
    if as_json:
        games = [agenda._asdict() for agenda in agendas.values()]
        facts = {
            "games": games,
            "consents": consents,
            "joins": joins,
            "mail": wrong,
            "held": held,
            "set apart": apart,
            "not mailed": ways,
            "not answered": many,
            "returned": strange,
            "last pass": last_pass(club),
        }
        click.echo(json.dumps(facts, indent=2))
        return 1 if stopped or wrong or apart else 0
    for game, line in status_lines(club).items():
        agenda = agendas[game]
        since = f" (since {agenda.opened})" if agenda.opened else ""
        is_stopped = ": stopped: " in line
        why = agenda.trouble or held.get(game, "")
        trouble = f"; {why}" if why and not is_stopped else ""
        click.echo(f"{line}{since}{'; over' if agenda.over else trouble}", err=is_stopped)
    for text in (*consents, *joins):
        click.echo(text)
    for text in wrong:
        click.echo(f"pbem: mail: {text}", err=True)
    for text in apart:
        click.echo(f"pbem: {text}", err=True)
    for text in filter(None, (*ways, many, strange)):
        click.echo(text)
    if link := join_link(club, "GAME"):
        click.echo(f"to invite somebody to play in a browser, with the game's name for GAME: {link}")
    if agendas:
        click.echo(f"last pass {last_pass(club)}")
    return 1 if stopped or wrong or apart else 0
