"""The player's commands for a post box: send, fetch, fetch-key."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pbem.cli.home import FILE, PASSPHRASE_FILE, _home, _read, _receive_boxed, _remark
from pbem.errors import ConfigError, PbemError

if TYPE_CHECKING:
    from pbem.player import Home
    from pbem.player.box_client import HomeBox

URL = click.option("--box", "url", metavar="URL", help="The box, if no letter of the judge has named it yet.")
KEY = click.option("--as", "key", metavar="NAME", help="The name of your key, with --box.")
NO_BOX = "no judge of your games has named a post box: pbem receive reads letters from files"
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
    box = _one_box(_home(passphrase_file), game, url, key)
    for path in files:
        sha256 = box.client().post(_read(path))
        click.echo(f"{path} is in the post box (SHA-256 {sha256}), and waits for the judge")


@click.command()
@click.argument("game", required=False)
@click.option("--watch", is_flag=True, help="Go on fetching, until you stop it.")
@click.option("--every", default=30, show_default=True, type=click.IntRange(LEAST_EVERY), help="In seconds.")
@click.option("--keep", is_flag=True, help="Only store the letters, by the fetch key, without a passphrase.")
@URL
@KEY
@PASSPHRASE_FILE
def fetch(
    game: str | None,
    watch: bool,
    every: int,
    keep: bool,
    url: str | None,
    key: str | None,
    passphrase_file: Path | None,
) -> int:
    """Fetch letters from the judge's post box, check, keep and show them.

    Without GAME those of all your games. Ends with 1 if a letter is refused.

    \b
    Examples:
      pbem fetch
      pbem fetch hearth --watch
    """
    home = _home(passphrase_file)
    boxes = [_one_box(home, game, url, key)] if url else _boxes(home, game)
    while True:
        status = 0
        for box in boxes:
            try:
                status |= _fetch_one(home, box, keep=keep)
            except PbemError as fault:
                if not watch:
                    raise
                _remark(f"{fault}; it will be tried again")
        if not watch:
            return status
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
      pbem fetch-key
      pbem fetch --keep --watch
    """
    home = _home(passphrase_file)
    for box in _boxes(home, game):
        for folder in home.folders():
            member, judge = folder.membership(), folder.judge()
            if member.key_file == box.key_file and judge is not None:
                name = box.withdraw_fetch_key if withdraw else box.name_fetch_key
                box.client().post(name(member.player, judge.fingerprint))
                if withdraw:
                    box.drop_fetch_key()
                break
        done = "is withdrawn" if withdraw else "may fetch, from the judge's next pass on"
        click.echo(f"the fetch key for {box.url} {done}")


def _fetch_one(home: Home, box: HomeBox, *, keep: bool) -> int:
    if keep:
        from pbem.player.box_client import fetch_letters

        if (fetching := box.fetch_key()) is None:
            raise ConfigError("this home has no fetch key: pbem fetch-key makes one")
        if count := fetch_letters(box, fetching):
            click.echo(f"{count} letters have come; to open them: pbem fetch")
        return 0
    return _receive_boxed(home, box)


def _boxes(home: Home, game: str | None) -> list[HomeBox]:
    from pbem.player.box_client import boxes_to_ask

    if not (found := boxes_to_ask(home, game)):
        raise ConfigError(NO_BOX)
    return found


def _one_box(home: Home, game: str | None, url: str | None, key: str | None) -> HomeBox:
    from pbem.player.box_client import HomeBox
    from pbem.trust.box_request import check_box_url

    if url:
        if not key:
            raise click.UsageError("--box needs --as, the name of your key.")
        return HomeBox(home, check_box_url(url), key)
    found = _boxes(home, game)
    if len(found) > 1:
        raise ConfigError("your games have several post boxes; name the game: --game GAME")
    return found[0]
