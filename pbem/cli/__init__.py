"""The command `pbem`: parse, make one call, print.

`SECTIONS` is the table of commands, in the order in which `pbem --help` shows them. To add one, write
`pbem/cli/<module>.py` with a click command named like the command (a `-` becomes a `_`) and add one
line to the table. The first line of the command's docstring is the table's help, and an example
follows it:

    @click.command()
    @click.argument("file", type=click.Path(path_type=Path))
    def seal(file: Path) -> None:
        \"\"\"Sign and seal an order file to the judge.

        \\b
        Example:
          pbem seal orders.txt
        \"\"\"
        from pbem.player.sealing import seal_orders

        click.echo(seal_orders(file))

Imports of anything heavy stand inside the function, so that help and completion stay quick.
Results go to standard output, remarks to standard error after `pbem: `. Exit status: 0 done,
1 failed, 2 misused, 3 an audit found a fault.
"""

import os
import sys
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import NamedTuple

import click

from pbem import __version__
from pbem.errors import PbemError

TRACE = "PBEM_TRACE"
"""Set this in the environment to see where in the program an error arose."""


class Entry(NamedTuple):
    """One line of the table: the module below `pbem.cli`, and the help in one line."""

    module: str
    help: str


SECTIONS: Mapping[str, Mapping[str, Entry]] = {
    "Try": {
        "demo": Entry("demo", "Play a year of a demonstration game by signed, sealed files."),
        "practice": Entry("practice", "Play against a bot on this machine, without a judge."),
    },
    "Player": {
        "keygen": Entry("home", "Make a key to sign orders and open reports with."),
        "join": Entry("home", "Write the signed file with which you ask to take part in a game."),
        "receive": Entry("home", "Open, check and keep what the judge has sent, and show it."),
        "check": Entry(
            "check", "Look at orders before you send them: mistakes, what is understood, and a forecast."
        ),
        "bot": Entry("practice", "Let a bot write the orders that a report asks for."),
        "seal": Entry("home", "Sign and seal orders to the judge."),
        "reveal": Entry("home", "Sign and seal your reveal of an exchange that has been closed."),
        "odds": Entry("odds", "Compute the exact odds of a battle between two known forces."),
        "profile": Entry("home", "Sign your time zone, and whether your opponents may know your address."),
        "claim": Entry("acts", "Sign that you claim a game of an opponent who sends nothing."),
        "absent": Entry("home", "Sign that you are away; deadlines in that time are moved."),
        "page": Entry("page", "Write a report as a page with a picture, for a browser."),
        "games": Entry("home", "List the games that you play: what is open, until when, and what you sent."),
        "consent": Entry(
            "acts", "Sign that you consent to an act of the game master, while an exchange is open."
        ),
        "rotate": Entry(
            "keys", "Sign that a new key replaces that of your seat in a game, while EXCHANGE is open."
        ),
        "sheet": Entry("keys", "Print your reveals of a game, and your recovery key, to be put away."),
    },
    "Judge": {
        "init": Entry("club", "Make a club folder with the judge's keys and an empty database."),
        "player": Entry("club", "Enrol players with their public keys, or list them."),
        "new": Entry("club", "Open a game and invite its players."),
        "submit": Entry("club", "Hand sealed order files to the judge."),
        "run": Entry("passes", "Do one pass: mail in, adjudicate what is complete, mail out."),
        "serve": Entry("passes", "Do a pass every few minutes, until it is stopped."),
        "status": Entry(
            "passes",
            "Show every game in one line, what players have consented to, and what is wrong with mail.",
        ),
        "show": Entry("club", "Show where a game stands, as a side, the public or the game master sees it."),
        "report": Entry("club", "Print the last report of a side, or the public one."),
        "resend": Entry("club", "Write a player's letters of a game anew, for one who has lost some."),
        "replay": Entry(
            "disputes", "Play stored games again by the installed rules and compare every entry and report."
        ),
        "act": Entry(
            "acts", "Hold, resume, correct, roll back or end a game, as an entry that everybody sees."
        ),
        "extend": Entry("acts", "Move the deadline of a game's open exchange, before it has passed."),
        "replace-key": Entry(
            "keys", "Enter a seat's new key, signed by its old or recovery key, or with the others' consent."
        ),
    },
    "Mail": {
        "mail": Entry("mail", "Look at mails as the judge does."),
    },
    "Proof": {
        "export": Entry("audit", "Write a game's bundle, which anybody can check."),
        "audit": Entry("audit", "Check a bundle: offline, without database or secrets."),
        "complete": Entry(
            "audit", "Make the bundle of everything without the judge, with the second official's letter."
        ),
        "explain": Entry(
            "disputes", "Explain an event: whose order caused it, by which rules, with which dice."
        ),
        "what-if": Entry(
            "disputes", "Play a resolved exchange again with one order line or house rule changed."
        ),
    },
    "Set up": {
        "doctor": Entry("upkeep", "Check the club's set-up, and say what to do about what is wrong."),
        "backup": Entry("upkeep", "Write everything of the club into one archive."),
        "restore": Entry(
            "upkeep", "Unpack a backup into a new folder; nothing is signed until it is confirmed."
        ),
        "confirm": Entry("upkeep", "Enter the highest head that was ever sent of a game, after a restore."),
        "forget": Entry("upkeep", "Drop a player's address, mails and letters; the ledgers stay."),
        "completion": Entry("completion", "Print the script with which your shell completes commands."),
    },
}

COMMANDS: Mapping[str, Entry] = {name: entry for rows in SECTIONS.values() for name, entry in rows.items()}


class LazyGroup(click.Group):
    """A group that knows its commands' names and help, and imports a command when it is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        entry = COMMANDS.get(cmd_name)
        if entry is None:
            return None
        module = import_module(f"{__name__}.{entry.module}")
        command = getattr(module, cmd_name.replace("-", "_"))
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        width = max(map(len, COMMANDS))
        for title, rows in SECTIONS.items():
            with formatter.section(title):
                formatter.write_dl([(name.ljust(width), entry.help) for name, entry in rows.items()])


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="pbem", message="%(prog)s %(version)s")
def pbem() -> None:
    """A play-by-email judge for hidden-information board games.

    Every command explains itself, with an example: pbem COMMAND --help.
    """


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; tell a person what went wrong in his own words; return the exit status.

    The only place where an error becomes a message. Nobody is shown a stack trace unless he asks
    for one with `PBEM_TRACE`.
    """
    try:
        status = pbem.main(args=arguments, prog_name="pbem", standalone_mode=False)
    except click.UsageError as misuse:
        return _misused(misuse)
    except click.ClickException as failure:
        return _failed(failure, failure.format_message())
    except click.Abort:
        click.echo("pbem: stopped", err=True)
        return 1
    except PbemError as error:
        return _failed(error, str(error), error.status)
    except BrokenPipeError:
        # The reader of our output has gone (`pbem show demo | head`): there is nobody left to tell.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except OSError as error:
        return _failed(error, _file_trouble(error))
    except Exception as bug:  # noqa: BLE001 - the last stop before a person
        told = f"this is a fault in the program, not in what you did ({bug})"
        return _failed(bug, f"{told}\n    to see where, run the command again with {TRACE}=1 set")
    return status if isinstance(status, int) else 0


def _misused(misuse: click.UsageError) -> int:
    if isinstance(misuse, click.exceptions.NoArgsIsHelpError):
        click.echo(misuse.format_message(), err=True)
        return 2
    path = misuse.ctx.command_path if misuse.ctx else "pbem"
    return _failed(misuse, f"{_as_remark(misuse.format_message())}\n    see {path} --help", 2)


def _failed(error: Exception, told: str, status: int = 1) -> int:
    if os.environ.get(TRACE):
        from traceback import format_exception

        click.echo("".join(format_exception(error)), err=True)
    click.echo(f"pbem: {told}", err=True)
    return status


def _as_remark(sentence: str) -> str:
    """Click writes sentences; our remarks are lower case, without a final stop."""
    return sentence[:1].lower() + sentence[1:].removesuffix(".")


def _file_trouble(error: OSError) -> str:
    reason = (error.strerror or str(error)).lower()
    return f"{error.filename}: {reason}" if error.filename else reason
