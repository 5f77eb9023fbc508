"""The commands on disputes: explain, what-if and replay."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pbem.cli.options import CLUB, JSON, LOOK, echo_remark
from pbem.cli.processes import PROCESSES, Failed, map_in_processes

if TYPE_CHECKING:
    from pbem.disputes.record import Record


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
