"""The command `pbem odds`."""

from __future__ import annotations

import click

from pbem.cli.game_option import game_option


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
