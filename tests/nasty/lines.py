"""For each command a line that it understands; what stands behind `--` are its arguments."""

from __future__ import annotations

import shlex
from collections.abc import Iterator

import click

from pbem.cli.group import pbem
from pbem.cli.table import HIDDEN

LINES = """
game act --reason holiday -- demo hold
club apart --again -- demo
sign absence --as alice --from 2090-01-01 --until 2090-01-03 --judge club/keys/gm.pub
audit --genesis {genesis} -- bundle
club backup -- again.tar.gz
tool bot -- read.txt
box --listen 127.0.0.1:8698 -- box
check --report read.txt -- orders.txt
sign claim -- other bob
game complete --roots pass --into whole -- bundle
tool completion -- bash
club confirm -- other 1 {genesis}
sign consent --as alice -- demo 1 roll-back 1
demo
desk --port 0
note -- other hello
notify --rounds 1 -- nothing
club doctor
game explain --reason asked -- other exchange 1
game export --as all --reason asked --into exported -- other
game extend --reason holiday -- demo 2
club forget -- carol
game info -- demo
fetch -- demo
sign fetch-key -- demo
games
guide -- orders
game hand-over -- other kept.tar.gz
club init --journal . -- new-club
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
tool extract -- mail.eml
game new --seat england=bob.third.join --seat scotland=alice.third.join --option scenario=braveheart -- third
tool new-game -- fourth
odds --area Fife --attacker england -- "Edward 4" "Wallace 4"
page -- other
club player add --address dora@example.org -- dora alice2.pub
club player list
practice --send orders.txt -- practised
press --subject hello -- other
try --seed 1 -- other tried
sign profile --as alice --zone Europe/London --share-address alice@example.org --judge club/keys/gm.pub
club put-away --reason lost -- demo
ratings export --bundles -- rated
ratings merge -- rated-before
receive -- report.txt
game replace-key --reason lost -- rotation.txt
game replay -- other
game resend -- demo alice
club restore --from-players pass -- backup.tar.gz restored
sign rotation --as alice --new alice2 -- other 2
club run --passes 1 --every 0
report --reason asked -- other scotland
reveal -- demo
seal --game other -- orders.txt
seat list
seat offer --rules {rules} --rhythm weekly --about "all are welcome" -- fifth
seat withdraw -- offered
send --game demo -- orders.age
serve --passes 1 --every 0
game sheet -- demo
show --as scotland --reason asked -- other
club status
club submit -- orders.age
club take-over
site -- www
sync --box https://box.club.example/ --as alice
turn -- report.txt
club web -- site
game what-if --side scotland --line "card 1" --reason asked -- other 1
"""
NOT_TRIED = {
    "box": "it serves until it is stopped",
    "desk": "it serves until it is stopped",
    "demo": "it plays for a minute",
    "club web": "it builds a site",
    **dict.fromkeys(("fetch", "sign fetch-key", "send", "sync"), "the world's judge has no post box"),
}
"""Commands whose own line is not run, and why; what they refuse is."""


def commands(within: click.Group = pbem, path: str = "") -> Iterator[tuple[str, click.Command]]:
    """Return the name of every command that does something by itself, and the command."""
    context = click.Context(within)
    for name in (*within.list_commands(context), *(() if path else HIDDEN)):
        command = within.get_command(context, name)
        if isinstance(command, click.Group):
            yield from commands(command, f"{path}{name} ")
        elif command is not None:
            yield f"{path}{name}", command


def _read() -> Iterator[tuple[str, tuple[list[str], list[str]]]]:
    known = {name for name, _ in commands()}
    for line in LINES.strip().splitlines():
        words = shlex.split(line)
        name = max((" ".join(words[:count]) for count in (1, 2, 3)), key=lambda one: (one in known, len(one)))
        rest = words[len(name.split()) :]
        at = rest.index("--") if "--" in rest else len(rest)
        yield name, (rest[:at], rest[at + 1 :])


LINES_OF = dict(_read())
"""Command -> the options and the arguments of its line."""
