"""Commands that need neither a club nor a home: demo, guide, odds, new-game, extract, completion."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.shell_completion import get_completion_class

from pbem.cli.options import FILE, FOLDER, JSON, game_option

if TYPE_CHECKING:
    from pbem.mail.extract import Extract


@click.command()
@click.option(
    "--into",
    type=FOLDER,
    default=Path("pbem-demo"),
    show_default=True,
    help="A new folder for all files of the demonstration.",
)
@click.option(
    "--hostile",
    is_flag=True,
    help="With a player and a stranger who try to make it look as if the judge cheats.",
)
@game_option("--game", "name")
@click.option("--players", type=int, help="How many play, if the game has several numbers of players.")
def demo(into: Path, hostile: bool, name: str, players: int | None) -> None:
    """Play a demonstration game by signed, sealed files.

    It plays the first year of a long game, which takes some seconds. It plays other games to their end, which
    takes a minute. All its files are in the folder of --into.

    \b
    Example:
      pbem demo --into demo-game
      pbem demo --game lords --players 4
      pbem demo --hostile
    """
    from pbem.demo import demonstrate
    from pbem.rules.base import UnknownOption
    from pbem.titles import UnknownRules, load

    options = {"players": str(players)} if players is not None else {}
    try:
        demonstrate(into, click.echo, title=load(name), options=options, hostile=hostile)
    except (UnknownRules, UnknownOption) as fault:
        raise click.UsageError(str(fault)) from None


@click.command()
@click.argument("page", required=False)
def guide(page: str | None) -> None:
    """Show a page: a first turn, a game's orders, how to write a game.

    Without PAGE it lists them.

    \b
    Example:
      pbem guide first-turn
    """
    from pbem import guides

    pages = guides.guides()
    if page is None:
        for name, heading in pages.items():
            click.echo(f"pbem guide {name}".ljust(30) + heading)
        return
    if page not in pages:
        raise click.UsageError(f"no page called {page!r}; there are {', '.join(pages)}.")
    click.echo_via_pager(guides.guide(page))


@click.command()
@click.argument("attackers")
@click.argument("defenders")
@click.option("--area", default="", help="Where the fight is, if that matters in the game.")
@click.option("--attacker", default="", metavar="SIDE", help="The side that attacks, if that matters.")
@click.option(
    "--plan",
    "plans",
    multiple=True,
    metavar="SIDE=PLAN",
    help="How a side fights, as in an order file, with ; between lines. Without this option it fights to "
    "the end.",
)
@click.option("--option", "options", multiple=True, metavar="NAME=VALUE", help="An option of the game.")
@game_option("--game")
@click.option("--json", "as_json", is_flag=True, help="For programs; chances as fractions.")
def odds(
    attackers: str,
    defenders: str,
    area: str,
    attacker: str,
    plans: tuple[str, ...],
    options: tuple[str, ...],
    game: str,
    as_json: bool,
) -> None:
    """Compute the exact odds of a fight between two known forces.

    Each game has its own way to write a force. These examples name blocks and their strengths. A block
    without a number has its full strength. Blocks after the word "reserve" join in round 2.

    \b
    Examples:
      pbem odds --area Fife --attacker england "Edward 4, York Knights 3" "Wallace 4, Douglas 3"
      pbem odds --area Mar --attacker scot --plan "scot=if round 3: retreat all" "Grant; reserve Keith" Mar
    """
    from pbem.odds import Question, decimal, percent
    from pbem.titles import UnknownRules, load

    question = Question(
        area=area,
        attacker=attacker,
        attackers=attackers,
        defenders=defenders,
        plans=dict(_split_option(text, "--plan", "SIDE=PLAN") for text in plans),
        options=dict(_split_option(text, "--option", "NAME=VALUE") for text in options),
    )
    try:
        maker = load(game).odds
    except UnknownRules as fault:
        raise click.UsageError(str(fault)) from None
    if maker is None:
        raise click.UsageError(f"The game {game} has no odds.")
    chances = maker.ask(question)
    if as_json:
        import json

        found = {
            "title": chances.title,
            "chances": {said: str(chance) for said, chance in chances.rows},
            "means": {said: str(mean) for said, mean in chances.means},
        }
        click.echo(json.dumps(found, indent=2))
        return
    click.echo(chances.title)
    rows = [(said, percent(chance)) for said, chance in chances.rows]
    rows += [(said, decimal(mean)) for said, mean in chances.means]
    width = max(len(said) for said, _ in rows)
    for said, number in rows:
        click.echo(f"  {said.ljust(width)}  {number:>12}")


def _split_option(text: str, option: str, form: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals:
        raise click.UsageError(f"{option} reads {form}.")
    return name.strip(), value.strip()


@click.command(name="new-game")
@click.argument("name")
@click.argument("folder", required=False, type=click.Path(path_type=Path))
def new_game(name: str, folder: Path | None) -> None:
    """Write the files with which a game of your own begins.

    They are a small game, ready to play, with its tests; `pbem guide writing-a-game` explains them. NAME is
    the name of the game and of its package. FOLDER must be new; without it the folder is called NAME.

    \b
    Example:
      pbem tool new-game tarn
    """
    from shlex import quote

    from pbem.guides import begin_game

    into = folder or Path(name)
    for path in begin_game(into, name):
        click.echo(into / path)
    click.echo(
        f"\nTo try it:\n  cd {quote(str(into))}\n  pip install -e . pytest\n  pytest --pbem-title {name}"
    )
    click.echo(f"  pbem practice --game {name}\nWhat each file is for:\n  pbem guide writing-a-game")


@click.command()
@click.argument("file", type=FILE)
@click.option("--own", default="", metavar="ADDRESS", help="The judge's address; mails from it are not read.")
@JSON
def extract(file: Path, own: str, as_json: bool) -> int:
    """Print what the judge would use of one mail, or why nothing.

    Ends with 1 if nothing would be used. Nothing is opened, stored or answered.

    \b
    Example:
      pbem tool extract strange.eml
    """
    import json

    from pbem.mail.extract import MAX_MAIL_SIZE
    from pbem.mail.extract import extract as take

    if str(file) == "-":
        raw = sys.stdin.buffer.read(MAX_MAIL_SIZE + 1)
    else:
        with file.open("rb") as opened:
            raw = opened.read(MAX_MAIL_SIZE + 1)
    found = take(raw, own)
    click.echo(json.dumps(_facts(found), indent=2) if as_json else "\n".join(_lines(found)))
    return 0 if found.is_taken else 1


def _lines(found: Extract) -> list[str]:
    """Return the lines that describe what would be taken from a mail."""
    from pbem.trust.sealing import sealed_name

    answer = "may be answered" if found.head.answerable else "gets no answer"
    shown = [f"{found.head.origin_words}, which {answer}"]
    shown += [f"sealed file {sealed_name(one)}, {len(one):,} bytes" for one in found.sealed_files]
    shown += [f"signed statement: {_first_line(one)}" for one in found.statements]
    shown += [f"command: {one.text}" for one in found.commands]
    return shown if found.is_taken else [*shown, f"nothing is taken: {found.reason}"]


def _facts(found: Extract) -> dict[str, Any]:
    """Return what would be taken from a mail as data for a program."""
    from pbem.trust.sealing import sealed_name

    return {
        "origin": found.head.origin,
        "answerable": found.head.answerable,
        "sender": found.head.sender,
        "sealed": [sealed_name(one) for one in found.sealed_files],
        "statements": [_first_line(one) for one in found.statements],
        "commands": [one.text for one in found.commands],
        "why": found.reason,
    }


def _first_line(statement: bytes) -> str:
    return statement.partition(b"\n")[0].decode()


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(shell: str) -> None:
    """Print the script with which your shell completes commands.

    \b
    Example:
      pbem tool completion bash >> ~/.bashrc
    """
    from pbem.cli.group import pbem

    completer = get_completion_class(shell)
    assert completer is not None, shell
    click.echo(completer(pbem, {}, "pbem", "_PBEM_COMPLETE").source())
