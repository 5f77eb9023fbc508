"""The group of all commands, which is the only place where an error becomes a message; and their completion.

A parameter is completed by its name, so a new command has this without asking for it.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pbem import __version__
from pbem.cli.table import BELOW, COMMANDS, HIDDEN, OLD, Entry, help_text
from pbem.errors import PbemError

if TYPE_CHECKING:
    from pbem.player.status import GameStatus
    from pbem.titles import Title

TRACE = "PBEM_TRACE"
"""The environment variable that, if set, shows where in the program an error arose."""
HELP_NAMES = {"help_option_names": ["-h", "--help"]}
COMPLETING = "_PBEM_COMPLETE"
"""The environment variable that the shell sets when it asks for completions."""


class LazyGroup(click.Group):
    """A group that knows its commands' names and help, and imports a command when it is called.

    A group without a name is `pbem` itself; one with a name is a group that the table has below `pbem`.
    """

    def _entries(self) -> dict[str, Entry]:
        return BELOW.get(self.name or "", COMMANDS)

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the commands' names, in the order of the help."""
        return list(self._entries())

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import and return a command; None if there is none of this name."""
        entry = self._entries().get(cmd_name) or (None if self.name in BELOW else HIDDEN.get(cmd_name))
        if entry is None:
            return None
        if not entry.module:
            text = f"{entry.help}\n\n\b\nExample:\n  {entry.example}"
            return LazyGroup(cmd_name, help=text, context_settings=HELP_NAMES)
        module = import_module(f"pbem.cli.{entry.module}")
        command = getattr(module, entry.function or cmd_name.replace("-", "_"))
        assert isinstance(command, click.Command)
        if COMPLETING in os.environ:
            from pbem.cli.group import complete_words

            complete_words(command)
        return command

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the words after the program's name, with an old name of a command replaced by the new one."""
        return super().parse_args(ctx, args if self.name in BELOW else _current_words(args))

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command that was typed; if there is none, end with the names that come close to it."""
        known = self._entries()
        if args and not args[0].startswith("-") and self.get_command(ctx, args[0]) is None:
            from difflib import get_close_matches

            old = {} if self.name in BELOW else OLD
            found = get_close_matches(args[0], {**known, **old}, n=2)
            near = " or ".join(dict.fromkeys(old.get(name, name) for name in found))
            ctx.fail(f"No such command {args[0]!r}{near and f'; did you mean {near}?'}")
        return super().resolve_command(ctx, args)

    def get_help(self, ctx: click.Context) -> str:
        """Return the help of the group, its commands in sections."""
        return help_text(self.name if self.name in BELOW else "").rstrip()


def _current_words(words: list[str]) -> list[str]:
    """Replace the old name of a command at the start of the words; at a terminal, say the new name."""
    for count in (2, 1):
        old = " ".join(words[:count])
        if old not in OLD or len(words) < count:
            continue
        if COMPLETING not in os.environ and sys.stderr.isatty():
            click.echo(f"pbem: `pbem {old}` is called `pbem {OLD[old]}` now; both work", err=True)
        return [*OLD[old].split(), *words[count:]]
    return words


@click.group(cls=LazyGroup, context_settings=HELP_NAMES)
@click.version_option(__version__, prog_name="pbem", message="%(prog)s %(version)s")
def pbem() -> None:
    """A play-by-email judge for hidden-information board games."""


def run(arguments: Sequence[str]) -> int:
    """Run one command; tell a person what went wrong in their own words; return the exit status.

    This is the only place where an error becomes a message. Nobody is shown a stack trace unless they ask for
    one with `PBEM_TRACE`.
    """
    try:
        if not arguments and COMPLETING not in os.environ and (found := _games()):
            from pbem.cli.turn import overview

            overview(found)
            return 0
        _check_words(arguments)
        status = pbem.main(args=list(arguments), prog_name="pbem", standalone_mode=False)
    except click.UsageError as misuse:
        return _report_misuse(misuse)
    except click.ClickException as failure:
        return _report_failure(failure, failure.format_message())
    except click.Abort:
        click.echo("pbem: stopped", err=True)
        return 1
    except PbemError as error:
        return _report_failure(error, str(error), error.status)
    except BrokenPipeError:
        # The reader of our output has gone (`pbem show demo | head`): there is nobody left to tell.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except OSError as error:
        return _report_failure(error, _file_trouble(error))
    except Exception as bug:  # noqa: BLE001 - the last stop before a person
        text = f"this is a fault in the program, not in what you did ({bug})"
        return _report_failure(bug, f"{text}\n    to see where, run the command again with {TRACE}=1 set")
    return status if isinstance(status, int) else 0


def _games() -> tuple[GameStatus, ...]:
    """Return the status of this home's games; nothing is imported if the home has none."""
    from pbem.player.files import default_home

    if not any((default_home() / "games").glob("*/player")):
        return ()
    from pbem.player.status import glance

    return glance(default_home())


def _check_words(words: Sequence[str]) -> None:
    """Raise a usage error for a word that is not UTF-8, unless a file has this name."""
    for word in words:
        is_text = word.isascii() or not any("\ud800" <= sign <= "\udfff" for sign in word)
        if not is_text and not os.path.lexists(word):
            raise click.UsageError(f"{word!a} is not written in UTF-8; write it so.")


def _report_misuse(misuse: click.UsageError) -> int:
    if isinstance(misuse, click.exceptions.NoArgsIsHelpError):
        click.echo(misuse.format_message(), err=True)
        return 2
    path = misuse.ctx.command_path if misuse.ctx else "pbem"
    return _report_failure(misuse, f"{_as_remark(misuse.format_message())}\n    see {path} --help", 2)


def _report_failure(error: Exception, text: str, status: int = 1) -> int:
    if os.environ.get(TRACE):
        from traceback import format_exception

        click.echo("".join(format_exception(error)), err=True)
    click.echo(f"pbem: {text}", err=True)
    return status


def _as_remark(sentence: str) -> str:
    """Return a sentence of click as a remark of pbem: in lower case, without a final stop."""
    return sentence[:1].lower() + sentence[1:].removesuffix(".")


def _file_trouble(error: OSError) -> str:
    reason = (error.strerror or str(error)).lower()
    return f"{error.filename}: {reason}" if error.filename else reason


GAME, SIDE, AREA = frozenset(("game", "source", "of")), frozenset(("side", "attacker")), frozenset(("area",))
READER = frozenset(("viewer", "audience", "reader"))
RULES = frozenset(("rules",))
EVENT = frozenset(("event",))
WITH_RULES = frozenset(("odds", "practice"))
"""Commands whose option --game names the rules of a game."""


def complete_words(command: click.Command) -> None:
    """Add completion to those parameters of a command whose names tell what they take."""
    for parameter in command.params:
        name = parameter.name or ""
        known: Callable[[], Iterable[str]] | None = None
        if name in RULES or (name == "game" and command.name in WITH_RULES):
            known = _rules
        elif name in GAME:
            known = _known_games
        elif name in SIDE:
            known = _sides
        elif name in READER:
            known = _readers
        elif name in AREA | EVENT:
            known = _areas
        if known is not None:
            parameter._custom_shell_complete = _completer(known)


def _completer(
    known: Callable[[], Iterable[str]],
) -> Callable[[click.Context, click.Parameter, str], list[click.shell_completion.CompletionItem]]:
    def complete(
        _: click.Context, __: click.Parameter, begun: str
    ) -> list[click.shell_completion.CompletionItem]:
        found = [word for word in dict.fromkeys(known()) if word.lower().startswith(begun.lower())]
        return [click.shell_completion.CompletionItem(word) for word in found]

    return complete


def _known_games() -> Iterable[str]:
    """Yield the names of the games played from this home, and of those in the club here."""
    from pbem.player.files import default_home

    yield from sorted(path.parent.name for path in (default_home() / "games").glob("*/player"))
    club = Path(os.environ.get("PBEM_CLUB") or ".")
    if (club / "club.toml").is_file():
        from pbem.judge.club import open_club

        yield from open_club(club).store.games()


def _rules() -> Iterable[str]:
    from pbem.titles import names

    return names()


def _titles() -> Iterable[Title]:
    from pbem.titles import load, names

    return map(load, names())


def _sides() -> Iterable[str]:
    for title in _titles():
        with suppress(ImportError):  # a game of which a part is missing
            yield from title.words.sides


def _readers() -> Iterable[str]:
    yield from ("public", "gm", "all")
    yield from _sides()


def _areas() -> Iterable[str]:
    from pbem.orders.kit.language import KitLanguage

    for title in _titles():
        with suppress(ImportError):
            language = title.language
            if isinstance(language, KitLanguage) and (noun := language.rows.by_noun.get("area")):
                for side in title.words.sides:
                    yield from noun.of(side).names
