"""For each command a line that it understands; what stands behind `--` are its arguments."""

from __future__ import annotations

import shlex
from collections.abc import Iterator

import click

from pbem.cli.group import pbem

LINES = """
act --reason holiday -- demo hold
apart --again -- demo
absent --as alice --from 2090-01-01 --until 2090-01-03 --judge club/keys/gm.pub
audit --genesis {genesis} -- bundle
backup -- again.tar.gz
bot -- read.txt
box --listen 127.0.0.1:8698 -- box
check --report read.txt -- orders.txt
claim -- other bob
complete --roots pass --into whole -- bundle
completion -- bash
confirm -- other 1 {genesis}
consent --as alice -- demo 1 roll-back 1
demo
doctor
explain --reason asked -- other exchange 1
export --as all --reason asked --into exported -- other
extend --reason holiday -- demo 2
fetch -- demo
fetch-key -- demo
forget -- carol
game show -- demo
games
guide -- orders
init -- new-club
join --as alice --judge club/keys/gm.pub -- third
keygen -- dora
league absent --as alice --judge club/keys/gm.pub --genesis {cup} -- cup 1 1
league appeal --as alice --reason wrong --judge club/keys/gm.pub --genesis {cup} -- cup 2
league challenge --as alice --judge club/keys/gm.pub --genesis {cup} -- cup bob
league check -- league.toml
league classes -- cup
league correct --reason wrong -- cup 1 1 played alice=1 bob=2
league enter --as alice --judge club/keys/gm.pub --genesis {cup} -- cup
league export --into exported -- cup
league half-bye --as alice --judge club/keys/gm.pub --genesis {cup} -- cup 1
league new -- league2.toml
league new-key --as alice --new alice2 --judge club/keys/gm.pub --genesis {cup} -- cup
league pages --into pages -- cup
league preset -- swiss
league reply -- cup
league rule --reason wrong -- cup result 1 1 forfeited alice=1 bob=2
league run -- cup
league standings -- cup
league status -- cup
league substitute --as carol --judge club/keys/gm.pub --genesis {cup} -- cup
league vote --as alice --judge club/keys/gm.pub --genesis {cup} -- cup 1 1 alice=1 bob=2
league withdraw --as alice --judge club/keys/gm.pub --genesis {cup} -- cup
mail extract -- mail.eml
new --seat england=bob.third.join --seat scotland=alice.third.join --option scenario=braveheart -- third
new-game -- fourth
odds --area Fife --attacker england -- "Edward 4" "Wallace 4"
page -- other
player add --address dora@example.org -- dora alice2.pub
player list
practice --send orders.txt -- practised
profile --as alice --zone Europe/London --share-address alice@example.org --judge club/keys/gm.pub
put-away --reason lost -- demo
receive -- report.txt
replace-key --reason lost -- rotation.txt
replay -- other
report --reason asked -- other scotland
resend -- demo alice
restore -- backup.tar.gz restored
reveal -- demo
rotate --as alice --new alice2 -- other 2
run
seal --game other -- orders.txt
send --game demo -- orders.age
serve --passes 1 --every 0
sheet -- demo
show --as scotland --reason asked -- other
status
submit -- orders.age
take-over
turn -- report.txt
web -- site
what-if --side scotland --line "card 1" --reason asked -- other 1
"""
NOT_TRIED = {
    "box": "it serves until it is stopped",
    "demo": "it plays for a minute",
    "web": "it builds a site",
    **dict.fromkeys(("fetch", "fetch-key", "send"), "the world's judge has no post box"),
}
"""Commands whose own line is not run, and why; what they refuse is."""


def commands(within: click.Group = pbem, path: str = "") -> Iterator[tuple[str, click.Command]]:
    """Return the name of every command that does something by itself, and the command."""
    context = click.Context(within)
    for name in within.list_commands(context):
        command = within.get_command(context, name)
        if isinstance(command, click.Group):
            yield from commands(command, f"{path}{name} ")
        elif command is not None:
            yield f"{path}{name}", command


def _read() -> Iterator[tuple[str, tuple[list[str], list[str]]]]:
    known = {name for name, _ in commands()}
    for line in LINES.strip().splitlines():
        words = shlex.split(line)
        name = max((" ".join(words[:count]) for count in (1, 2)), key=lambda one: (one in known, len(one)))
        rest = words[len(name.split()) :]
        at = rest.index("--") if "--" in rest else len(rest)
        yield name, (rest[:at], rest[at + 1 :])


LINES_OF = dict(_read())
"""Command -> the options and the arguments of its line."""
