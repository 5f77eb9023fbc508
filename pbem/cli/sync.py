"""The command `pbem sync`: one home on several devices, by a sealed copy of the home in a post box."""

from __future__ import annotations

from pathlib import Path

import click

from pbem.cli.home import PASSPHRASE_FILE, _home, _remark
from pbem.errors import ConfigError

ON = (
    "the post box gets a sealed copy of your home after each change; a new device needs your key "
    "(keys/{key} and keys/{key}.pub) with its passphrase, and then: pbem sync --box {box} --as {key}"
)


@click.command()
@click.option("--box", "url", metavar="URL", help="The box that keeps the copy, if your games name none.")
@click.option("--as", "key", metavar="NAME", help="The name of your key, with --box.")
@click.option("--off", is_flag=True, help="Give no copy any more; the last one stays in the box.")
@click.option("--sheet", is_flag=True, help="Print the key that opens copies, to keep on paper.")
@PASSPHRASE_FILE
def sync(url: str | None, key: str | None, off: bool, sheet: bool, passphrase_file: Path | None) -> None:
    """Keep a sealed copy of your home in the post box, for other devices and for a lost one.

    The first call switches it on; from then on each command that changes your home gives the box a new copy,
    and each that seals takes first what another device has given. Only your key opens the copy.

    \b
    Examples:
      pbem sync
      pbem sync --box https://box.club.example/ --as alice
      pbem sync --sheet
    """
    from pbem.player.box_client import boxes_to_ask
    from pbem.trust.box_request import check_box_url
    from pbem.web.home_copy import HomeCopies

    home = _home(passphrase_file)
    copies = HomeCopies(home)
    if sheet:
        click.echo(copies.sheet())
        _remark(
            "whoever has this line can read a copy of your home, and sign nothing; you need it only if "
            "your key is lost: whoever runs the box can give you the copy, and age opens it"
        )
        return
    if off:
        copies.switch_off()
        click.echo("the post box gets no copy of this home any more")
        return
    if url:
        if not key:
            raise click.UsageError("--box needs --as, the name of your key.")
        copies.switch_on(check_box_url(url), key)
    elif not copies.state.is_on:
        found = boxes_to_ask(home)
        if len(found) != 1:
            raise ConfigError("name the post box that keeps the copy: pbem sync --box URL --as NAME")
        copies.switch_on(found[0].url, found[0].key_file)
    was_new = copies.state.here.number == 0
    for said in (*copies.fetch(), *copies.give()):
        _remark(said)
    state = copies.state
    click.echo(f"generation {state.here.number} of your home is here and in the post box {state.box}")
    if was_new:
        _remark(ON.format(key=state.key, box=state.box))
