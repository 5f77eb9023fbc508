"""The command `pbem notify`: the process that calls webhooks and push services, beside the judge."""

from __future__ import annotations

import time
from pathlib import Path

import click

from pbem.errors import ConfigError


@click.command()
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False))
@click.option("--every", type=click.FloatRange(min=1), default=15, show_default=True, help="Seconds.")
@click.option(
    "--rounds", type=click.IntRange(min=0), default=0, help="Stop after so many rounds; 0 is never."
)
def notify(folder: Path, every: float, rounds: int) -> None:
    """Call webhooks and wake devices of players, until you stop it.

    FOLDER is that of [notify] in club.toml. The judge writes addresses and wakes into it; this process has no
    key and no database of the club, but a key of its own for push services, and never holds up a pass.

    \b
    Example:
      pbem notify club/notify
    """
    from pbem.notify.courier import SPREAD_SECONDS, Courier
    from pbem.notify.delivery import Delivery

    if not folder.is_dir():
        raise ConfigError(f"{folder} is not there: a pass of a club with [notify] in its club.toml makes it")
    courier, count = Courier(folder, Delivery(), click.echo, spread=SPREAD_SECONDS), 0
    try:
        while True:
            courier.make_round()
            count += 1
            if count == rounds:
                return
            time.sleep(every)
    except OSError as problem:
        raise ConfigError(f"{folder} cannot be written: {str(problem.strerror).lower()}") from None
    except KeyboardInterrupt:
        click.echo("stopped")
