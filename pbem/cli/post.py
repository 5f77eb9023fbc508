"""The commands on the post box: `pbem send`, `pbem fetch`, `pbem sign fetch-key` and `pbem sync`."""

from __future__ import annotations

import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pbem.cli.home import from_each, give_copy, open_home, post_orders, read_input, receive_boxed, take_newest
from pbem.cli.options import FILE, PASSPHRASE_FILE, echo_remark
from pbem.errors import ConfigError, PbemError

if TYPE_CHECKING:
    from pbem.player import Home
    from pbem.player.box_client import HomeBox


URL = click.option("--box", "url", metavar="URL", help="The box, if no letter of the judge has named it yet.")
KEY = click.option("--as", "key", metavar="NAME", help="The name of your key, with --box.")
NO_BOX = "no judge of your games and leagues has named a post box: pbem receive reads letters from files"
LEAST_EVERY = 5


@click.command()
@click.argument("files", nargs=-1, required=True, type=FILE)
@click.option("--game", help="The game whose post box is meant, if your games have several.")
@URL
@KEY
@PASSPHRASE_FILE
def send(
    files: tuple[Path, ...], game: str | None, url: str | None, key: str | None, passphrase_file: Path | None
) -> None:
    """Post sealed orders, or what you have signed, in the judge's post box.

    The box stores it and cannot open it. Whether it counts, the judge's receipt says: pbem fetch.

    \b
    Examples:
      pbem send orders.age
      pbem send alice.join --box https://box.club.example/ --as alice
    """
    box = _one_box(open_home(passphrase_file), game, url, key)
    for path in files:
        sha256 = box.client().post(read_input(path))
        click.echo(f"{path} is in the post box (SHA-256 {sha256}), and waits for the judge")


@click.command()
@click.argument("game", required=False)
@click.option("--watch", is_flag=True, help="Go on fetching, until you stop it.")
@click.option("--every", default=30, show_default=True, type=click.IntRange(LEAST_EVERY), help="In seconds.")
@click.option("--keep", is_flag=True, help="Only store the letters, by the fetch key, without a passphrase.")
@click.option(
    "--answer/--no-answer",
    default=None,
    help="Answer by itself where nothing is asked of you; --answer asks before it is switched on for GAME.",
)
@click.option(
    "--at", "hours", metavar="HOURS", help="When to answer, by this device's clock: 08:00,18:00.  [18:00]"
)
@URL
@KEY
@PASSPHRASE_FILE
def fetch(
    game: str | None,
    watch: bool,
    every: int,
    keep: bool,
    answer: bool | None,
    hours: str | None,
    url: str | None,
    key: str | None,
    passphrase_file: Path | None,
) -> int:
    """Fetch letters from the judge's post box, check, keep and show them.

    Without GAME those of all your games and leagues. Ends with 1 if a letter is refused. With --answer, a
    due reveal and, where nothing is asked of you, a file without orders are sent by themselves, at the first
    of your hours, in the games for which you have switched it on.

    \b
    Examples:
      pbem fetch
      pbem fetch hearth --watch
      pbem fetch hearth --answer --at 08:00,18:00
    """
    if answer and (keep or url):
        raise click.UsageError(
            "--answer signs for you, and needs a game that has begun: no --keep, no --box."
        )
    if hours and not answer:
        raise click.UsageError("--at says when to answer: it belongs to --answer.")
    home = open_home(passphrase_file)
    if answer is not None:
        _switch_answers(home, game, hours, on=answer)
    boxes = [_one_box(home, game, url, key)] if url else _boxes(home, game, fetches=True)
    told: set[str] = set()
    while True:
        again = "; it will be tried again" if watch else ""
        status = from_each(boxes, partial(_fetch_one, home, keep=keep), again)
        if answer:
            _answer(home, told)
        if not watch:
            return status
        give_copy(home)
        time.sleep(every)


@click.command("fetch-key")
@click.argument("game", required=False)
@click.option("--withdraw", is_flag=True, help="The key of this home may fetch no more.")
@PASSPHRASE_FILE
def fetch_key(game: str | None, withdraw: bool, passphrase_file: Path | None) -> None:
    """Name a key that may fetch your letters, without a passphrase, and can do nothing else.

    It stays in your home. What it fetches is sealed, and it can neither open nor sign anything.

    \b
    Examples:
      pbem sign fetch-key
      pbem fetch --keep --watch
    """
    from pbem.player.box_client import key_of

    home = open_home(passphrase_file)
    for box in _boxes(home, game):
        for folder in (*home.folders(), *home.league_folders()):
            judge = folder.judge()
            if judge is not None and key_of(home, folder.game) == box.key_file:
                name = box.withdraw_fetch_key if withdraw else box.name_fetch_key
                box.client().post(name(folder.player, judge.fingerprint))
                if withdraw:
                    box.drop_fetch_key()
                break
        done = "is withdrawn" if withdraw else "may fetch, from the judge's next pass on"
        click.echo(f"the fetch key for {box.url} {done}")


def _fetch_one(home: Home, box: HomeBox, *, keep: bool) -> int:
    if keep:
        from pbem.player.box_client import fetch_letters

        if (fetching := box.fetch_key()) is None:
            raise ConfigError("this home has no fetch key: pbem sign fetch-key makes one")
        if count := fetch_letters(box, fetching):
            click.echo(f"{count} letters have come; to open them: pbem fetch")
        return 0
    return receive_boxed(home, box)


def _switch_answers(home: Home, game: str | None, hours: str | None, *, on: bool) -> None:
    """Switch on or off that a game is answered by itself; switch it off for all games if none is named."""
    from pbem.player.answering import COSTS, USUAL_HOUR, check_hours, read_answering, switch_off, switch_on

    folders = [home.folder(game)] if game else home.folders()
    if not on:
        for folder in folders:
            switch_off(folder)
            click.echo(f"{folder.game}: nothing is answered by itself")
        return
    if game is None:
        if not any(read_answering(folder).is_on for folder in folders):
            raise ConfigError("no game answers by itself; for one: pbem fetch GAME --answer")
        return
    known = read_answering(folders[0])
    if not known.is_on:
        for cost in COSTS:
            echo_remark(cost)
        click.confirm(f"Shall {game} be answered by itself?", abort=True, err=True)
    switch_on(folders[0], check_hours(hours) if hours else known.hours or (USUAL_HOUR,))


def _answer(home: Home, told: set[str]) -> None:
    """Send the files that are due without the player, and print each remark about them only once."""
    from pbem.player.answering import answers, mark_sent

    try:
        take_newest(home)
    except PbemError as fault:
        echo_remark(str(fault))
        return
    for one in answers(home):
        if (said := f"{one.game}: {one.said}") not in told:
            told.add(said)
            echo_remark(said)
        if one.orders is not None and post_orders(home, one.orders.game, one.orders.armor):
            mark_sent(home.folder(one.game))


def _boxes(home: Home, game: str | None, *, fetches: bool = False) -> list[HomeBox]:
    from pbem.player.box_client import boxes_to_ask, boxes_to_fetch

    if not (found := (boxes_to_fetch if fetches else boxes_to_ask)(home, game)):
        raise ConfigError(NO_BOX)
    return found


def _one_box(home: Home, game: str | None, url: str | None, key: str | None) -> HomeBox:
    from pbem.player.box_client import HomeBox
    from pbem.trust.post_box import check_box_url

    if url:
        if not key:
            raise click.UsageError("--box needs --as, the name of your key.")
        box = HomeBox(home, check_box_url(url), key)
        box.remember()
        return box
    found = _boxes(home, game)
    if len(found) > 1:
        raise ConfigError("your games have several post boxes; name the game: --game GAME")
    return found[0]


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
    from pbem.trust.post_box import check_box_url
    from pbem.web.home_copy import HomeCopies

    home = open_home(passphrase_file)
    copies = HomeCopies(home)
    if sheet:
        click.echo(copies.sheet())
        echo_remark(
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
        echo_remark(said)
    state = copies.state
    click.echo(f"generation {state.here.number} of your home is here and in the post box {state.box}")
    if was_new:
        echo_remark(ON.format(key=state.key, box=state.box))
