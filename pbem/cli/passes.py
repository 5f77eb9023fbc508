"""The commands that keep a club going: `run` (once also `serve`), which does passes, and `status`."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pbem.cli.options import CLUB, JSON, echo_remark, join_link, open_folder

if TYPE_CHECKING:
    from pbem.judge.club import Club
    from pbem.service.one_pass import Line

LOG = click.option(
    "--log",
    is_flag=True,
    help="For a log: JSON objects, a line each, with time and level and without addresses.",
)
LINES_AS_JSON = click.option(
    "--json", "as_json", is_flag=True, help="For programs: each line is a JSON object."
)


@click.command()
@LINES_AS_JSON
@LOG
@click.option(
    "--after-gap", is_flag=True, help="After a long pause: the clock is right, and deadlines count again."
)
@click.option(
    "--every",
    type=float,
    default=None,
    metavar="SECONDS",
    help="Do not end: do another pass after this time, until you stop it.",
)
@click.option("--passes", type=int, default=0, help="With --every: stop after this number of passes.")
@click.option("--wait", is_flag=True, help="If another pass is being made, wait for its end.")
@CLUB
def run(
    as_json: bool, log: bool, after_gap: bool, every: float | None, passes: int, wait: bool, folder: Path
) -> int:
    """Do one pass: read mail, play what is complete, send mail.

    For cron. A second pass right after the first changes nothing. Ends with 1 if something is wrong. With
    --every it goes on by itself.

    \b
    Examples:
      pbem club run --club club
      pbem club run --club club --every 120
    """
    from pbem.service.watch import sound_alarm

    if every is not None:
        if after_gap:
            raise click.UsageError("--after-gap is for one pass, so leave --every out.")
        return _serve(every, passes, folder, as_json, log)
    if passes:
        raise click.UsageError("--passes belongs to --every.")
    with sound_alarm(folder):
        return _pass(open_folder(folder), _printer(as_json, log), after_gap=after_gap, wait=wait)


@click.command()
@click.option("--every", type=float, default=300, show_default=True, help="Seconds between two passes.")
@click.option("--passes", type=int, default=0, help="Stop after this number of passes; without it, never.")
@LINES_AS_JSON
@LOG
@CLUB
def serve(every: float, passes: int, as_json: bool, log: bool, folder: Path) -> int:
    """Do a pass every few minutes, until you stop it.

    This is `pbem club run --every SECONDS` by its old name.
    What is posted in the club's post box begins a pass at once, and one in five seconds at most.

    \b
    Example:
      pbem serve --club club --every 120
    """
    return _serve(every, passes, folder, as_json, log)


def _serve(every: float, passes: int, folder: Path, as_json: bool, log: bool) -> int:
    """Do a number of passes, one after another; return the exit status of the last."""
    import time

    from pbem.cli.serving import tell_start
    from pbem.errors import PbemError
    from pbem.service.box_posts import wait_for_post
    from pbem.service.box_table import read_box
    from pbem.service.one_pass import Line
    from pbem.service.watch import sound_alarm

    show = _printer(as_json, log)
    if not (passes or as_json or log):
        tell_start(f"the judge of {folder} does a pass every {every:g} seconds")
    status, count, box = 0, 0, None
    while True:
        count += 1
        try:
            with sound_alarm(folder):
                club = open_folder(folder)
                status = _pass(club, show, check_all=count == 1)
                club.store.close()
                box = read_box(club.settings, folder)
        except (PbemError, OSError) as fault:
            status = 1
            show(Line("pass", str(fault), trouble=True))
        if count == passes:
            return status
        try:
            wait_for_post(box.folder if box else None, every)
        except (PbemError, OSError) as fault:
            show(Line("box", str(fault), trouble=True))
            time.sleep(every)


def _pass(
    club: Club,
    show: Callable[[Line], None],
    *,
    after_gap: bool = False,
    check_all: bool = False,
    wait: bool = False,
) -> int:
    from pbem.service.one_pass import Busy, Pass

    trouble = False
    try:
        for line in Pass(club, after_gap, check_all, wait).run():
            trouble = trouble or line.trouble
            show(line)
    except Busy as busy:
        echo_remark(busy)
    return 1 if trouble else 0


def _printer(as_json: bool, log: bool) -> Callable[[Line], None]:
    """Return a function that prints a pass's line for people, for programs, or as a log without addresses."""
    from dataclasses import asdict

    from pbem.judge.tables.database import wall_clock
    from pbem.trust.times import utc_text

    journal = log and _is_journal()

    def show(line: Line) -> None:
        if log:
            facts = asdict(line) | {"text": _ADDRESS.sub("(address)", line.text)}
            level = "warning" if facts.pop("trouble") else "info"
            text = json.dumps({"time": utc_text(wall_clock()), "level": level, **facts})
            click.echo(f"<{_PRIORITIES[level]}>{text}" if journal else text)
        elif as_json:
            click.echo(json.dumps(asdict(line)))
        else:
            text = f"{line.game}: {line.text}" if line.game and line.step != "orders" else line.text
            click.echo(f"pbem: {text}" if line.trouble else text, err=line.trouble)

    return show


_PRIORITIES = {"warning": 4, "info": 6}
"""Syslog levels of a log's lines; systemd reads the level at a line's start and removes it (sd-daemon)."""


def _is_journal() -> bool:
    """Tell whether systemd's journal reads standard output, as the environment says in JOURNAL_STREAM."""
    import os
    import sys

    try:
        found = os.fstat(sys.stdout.fileno())
    except (OSError, ValueError):
        return False
    return os.environ.get("JOURNAL_STREAM") == f"{found.st_dev}:{found.st_ino}"


_ADDRESS = re.compile(r"<?[^\s<>@,;:'\"()]+@[^\s<>@,;:'\"()]+>?")


def _elsewhere(club: Club) -> str:
    """Return the proof that another folder goes on in place of this one; "" if no note says that it may."""
    from pbem.judge.tables.note_tables import RESTING, SPOKEN

    if not (club.store.note(RESTING) or club.store.note(SPOKEN)):
        return ""
    from pbem.judge.upkeep.folder_identity import work_elsewhere

    return work_elsewhere(club.store)


def _read_numbers(context: click.Context, option: click.Parameter, words: tuple[str, ...]) -> tuple[int, ...]:
    """Return the numbers of an option, each of whose values may be several with commas between them."""
    number = click.IntRange(min=1)
    return tuple(number(one.strip(), option, context) for word in words for one in word.split(","))


def _about_questions(club: Club, answered: tuple[int, ...], read: int | None) -> str:
    """Enter that mails are answered, or read a waiting one; return the text to print, or "" for neither."""
    if answered:
        from pbem.judge.intake.waiting_list import close_questions

        return "".join(f"{line}\n" for line in close_questions(club, answered))
    if read is not None:
        from pbem.mail.director import read_question

        return read_question(club, read)
    return ""


def _waiting_mail(club: Club) -> str:
    """Return in words what the letters that have not left wait for; "" if all letters have left."""
    if not club.store.unsent_letters():
        return ""
    from pbem.mail.outbox import waiting_mail

    return waiting_mail(club)


def mistakes_of_site(club: Club) -> list[str]:
    """Return a list with the mistake in the settings that keeps a club's site unwritten, if there is any."""
    if "site" not in club.settings:
        return []
    from pbem.errors import ConfigError
    from pbem.site.view import site_settings

    try:
        site_settings(club.settings, club.path)
    except ConfigError as fault:
        return [str(fault)]
    return []


CONFIRM = ": pbem club confirm --sent MAILDIR"


@click.command()
@JSON
@click.option(
    "--answered",
    "answered",
    multiple=True,
    callback=_read_numbers,
    metavar="NUMBER,...",
    help="You have answered these mails: they wait no more.",
)
@click.option(
    "--read",
    "read",
    type=click.IntRange(min=1),
    metavar="NUMBER",
    help="Show what this mail says that waits for your answer.",
)
@CLUB
def status(as_json: bool, answered: tuple[int, ...], read: int | None, folder: Path) -> int:
    """Show what waits for you, every game in one line, and what is wrong with mail.

    \b
    Examples:
      pbem club status
      pbem club status --read 12
      pbem club status --answered 12
      pbem club status --answered 12,15,16
    """
    from pbem.judge.agenda import ON_HOLD, UNCONFIRMED, held_games, read_agendas, wrong_settings
    from pbem.judge.game_status import status_lines
    from pbem.judge.intake.quarantine import all_apart
    from pbem.judge.intake.waiting_list import waiting_consents, waiting_for_director, waiting_joins
    from pbem.mail.mail_problems import (
        last_backup,
        last_pass,
        other_ways,
        strange_reports,
        troubles,
        unanswered_senders,
    )

    if sum((bool(answered), read is not None, as_json)) > 1:
        raise click.UsageError("Choose one of --answered, --read and --json.")
    club = open_folder(folder)
    if said := _about_questions(club, answered, read):
        click.echo(said, nl=False)
        return 0
    agendas, wrong, ways = read_agendas(club), troubles(club), other_ways(club)
    apart = [one.text for one in all_apart(club)]
    held = {**held_games(club), **wrong_settings(club.settings)}
    many, strange = unanswered_senders(club), strange_reports(club)
    held = {game: why for game, why in held.items() if game not in agendas or not agendas[game].is_finished}
    stopped = [one for one in agendas.values() if one.game in held or (one.trouble and not one.is_finished)]
    settings = mistakes_of_site(club)
    other, soon = _elsewhere(club), _waiting_mail(club)
    if as_json:
        from pbem.judge.leagues.status import next_event_of
        from pbem.judge.press.director import unread_by_director

        games = [agenda._asdict() for agenda in agendas.values()]
        facts = {
            "games": games,
            "leagues": [
                {
                    "league": row.name.removeprefix("league."),
                    "over": row.over,
                    "next": "" if row.over else next_event_of(club, row.name),
                }
                for row in club.store.leagues()
            ],
            "waiting": waiting_for_director(club, agendas.values()),
            "consents": waiting_consents(club, agendas.values()),
            "joins": waiting_joins(club),
            "mail": wrong,
            "held": held,
            "set apart": apart,
            "settings": settings,
            "not mailed": ways,
            "next pass": soon,
            "not answered": many,
            "returned": strange,
            "elsewhere": other,
            "messages": list(unread_by_director(club).values()),
            "last pass": last_pass(club),
            "last backup": last_backup(club),
        }
        click.echo(json.dumps(facts, indent=2))
        return 1 if stopped or wrong or apart or other else 0
    if other:
        echo_remark(other)
    for text in waiting_for_director(club, agendas.values()):
        click.echo(f"for you: {text}")
    for game, line in status_lines(club).items():
        agenda = agendas[game]
        since = f" (since {agenda.opened})" if agenda.opened else ""
        is_stopped = ": stopped: " in line
        why = agenda.trouble or held.get(game, "")
        why += {ON_HOLD: f': pbem game act {game} resume --reason "..."', UNCONFIRMED: CONFIRM}.get(why, "")
        trouble = f"; {why}" if why and not is_stopped else ""
        click.echo(f"{line}{since}{'; over' if agenda.over else trouble}", err=is_stopped)
    for text in wrong:
        echo_remark(f"mail: {text}")
    for text in apart:
        echo_remark(text)
    for text in filter(None, (*settings, *ways, soon, many, strange)):
        click.echo(text)
    if link := join_link(club, "GAME"):
        click.echo(f"to invite somebody to play in a browser, with the game's name for GAME: {link}")
    if agendas:
        click.echo(f"last pass {last_pass(club)}")
    return 1 if stopped or wrong or apart or other else 0
