"""The command's frame: its table, its help, its errors and exit statuses."""

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from inspect import cleandoc
from pathlib import Path

import click
import pytest

import pbem
from pbem.cli import main
from pbem.cli.group import pbem as group
from pbem.cli.table import BELOW, COMMANDS, HIDDEN, MAX_NAMES, OLD, Entry, help_text
from pbem.errors import AuditFault, PbemError
from pbem.judge.club import create_club

HEAVY = ("bcrypt", "cryptography", "jinja2", "pyrage", "sqlite3", "sqlite_utils")

HEAVY_FOR_A_GLANCE = (
    *("PIL", "css_inline", "resvg_py", "email", "importlib.metadata", "imaplib", "smtplib", "zoneinfo"),
    *("pbem.audit", "pbem.forecast", "pbem.orders", "pbem.pages", "pbem.play", "pbem.reports", "pbem.rules"),
    *("subprocess", "tarfile", "pbem.judge.adjudication", "pbem.judge.intake.desk", "pbem.titles"),
)


def commands(within: click.Group = group, path: str = "pbem") -> Iterator[tuple[str, click.Command]]:
    """Every command that a person can type, groups included."""
    context = click.Context(within)
    for name in within.list_commands(context):
        command = within.get_command(context, name)
        assert command is not None, f"{path} {name} is in the table, but not in its module"
        yield f"{path} {name}", command
        if isinstance(command, click.Group):
            yield from commands(command, f"{path} {name}")


EVERY_COMMAND = dict(commands())


def python(code: str, **places: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code], env=os.environ | places, capture_output=True, text=True, check=True
    )
    return done.stdout


def modules_of(*arguments: str, **places: str) -> set[str]:
    """What a command imports that succeeds."""
    code = f"import sys; from pbem.cli import main; assert main({arguments}) == 0; print(*sys.modules)"
    return set(python(code, **places).splitlines()[-1].split())


IN_THE_TABLE: dict[str, Entry] = COMMANDS | {
    f"{group} {name}": entry for group, rows in BELOW.items() for name, entry in rows.items()
}


@pytest.mark.parametrize("path", IN_THE_TABLE)
def test_the_table_and_the_modules_agree(path: str) -> None:
    command, entry = EVERY_COMMAND[f"pbem {path}"], IN_THE_TABLE[path]
    assert command.name == (entry.function or path.rsplit(maxsplit=1)[-1])
    assert cleandoc(command.help or "").splitlines()[0] == entry.help


def test_the_first_level_leaves_room() -> None:
    assert len(COMMANDS) <= MAX_NAMES
    assert not HIDDEN.keys() & COMMANDS.keys()


@pytest.mark.parametrize("old", OLD)
def test_an_old_name_is_the_new_command(old: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert f"pbem {OLD[old]}" in EVERY_COMMAND
    assert main([*old.split(), "--help"]) == 0
    by_old = capsys.readouterr()
    assert main([*OLD[old].split(), "--help"]) == 0
    assert capsys.readouterr() == by_old
    assert by_old.err == "", "cron and units read it: only somebody at a terminal is told the new name"


def test_who_types_an_old_name_is_told_the_new_one(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    assert main(["replay", "--help"]) == 0
    assert capsys.readouterr().err == "pbem: `pbem replay` is called `pbem game replay` now; both work\n"


@pytest.mark.parametrize("name", HIDDEN)
def test_a_command_that_another_took_up_still_works(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([name, "--help"]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith(f"Usage: pbem {name} ")
    assert " ".join(HIDDEN[name].help.split()) in " ".join(shown.split())


def test_every_module_is_in_the_table() -> None:
    modules = {path.stem for path in Path(pbem.__file__).parent.glob("cli/*.py")} - {"__init__"}
    unlisted = modules - {entry.module for entry in (*IN_THE_TABLE.values(), *HIDDEN.values())}
    for module in sorted(unlisted):
        text = (Path(pbem.__file__).parent / f"cli/{module}.py").read_text()
        assert "@click.command" not in text, f"the commands of pbem/cli/{module}.py are not in the table"


@pytest.mark.parametrize("path", EVERY_COMMAND)
def test_every_command_has_help_with_an_example(path: str) -> None:
    help_text = cleandoc(EVERY_COMMAND[path].help or "")
    example = re.search(r"^Examples?:\n  (.+)", help_text, flags=re.MULTILINE)
    assert example, f"the help of {path} has no example"
    assert example[1].split("#")[0].strip().startswith(path), example[1]


@pytest.mark.parametrize("of", BELOW)
def test_help_of_a_group_names_every_command_below_it(of: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([of, "--help"]) == 0
    shown = capsys.readouterr().out
    assert shown == help_text(of)
    for name, entry in BELOW[of].items():
        assert re.search(rf"^  {name} ", shown, flags=re.MULTILINE)
        assert " ".join(entry.help.split()) in " ".join(shown.split())
    assert max(map(len, shown.splitlines())) <= 80


def test_help_names_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    shown = capsys.readouterr().out
    for name, entry in COMMANDS.items():
        assert re.search(rf"^  {name} ", shown, flags=re.MULTILINE)
        assert " ".join(entry.help.split()) in " ".join(shown.split())
    context = click.Context(group)
    for option in group.get_params(context):
        assert ", ".join(option.opts) in shown
    assert max(map(len, shown.splitlines())) <= 80
    assert group.get_help(context) == shown.rstrip()


def test_help_and_completion_import_nothing_heavy() -> None:
    found = python(
        "import sys; from pbem.cli import main; from pbem.cli.group import pbem;"
        "main(['--help']); [pbem.get_command(None, name) for name in pbem.list_commands(None)];"
        f"print('heavy:', *sorted(set(sys.modules) & set({HEAVY})))"
    )
    assert found.splitlines()[-1] == "heavy:"


@pytest.mark.ci(but=("--help-known0", "status-known1"))
@pytest.mark.parametrize(
    ("argument", "known"),
    [("--help", set()), ("status", {"sqlite3"}), ("run", {"sqlite3", "cryptography", "pyrage", "pbem.play"})],
)
def test_a_glance_imports_nothing_heavy(argument: str, known: set[str], tmp_path: Path) -> None:
    """What is heavy is imported where it is used: a glance at a club is a look into its database.

    A pass with nothing to do checks ledgers, and knows neither rules nor mail.
    """
    club = create_club(tmp_path / "club", "quick")
    club.store.close()
    assert modules_of(argument, PBEM_CLUB=str(club.path)) & {*HEAVY, *HEAVY_FOR_A_GLANCE} <= known


MOST = {"--help": 4, "status": 38}
"""So many modules of ours does a glance import."""


@pytest.mark.parametrize(("argument", "most"), MOST.items())
def test_few_modules_are_on_the_way(argument: str, most: int, tmp_path: Path) -> None:
    """What a command costs before it does anything is what it imports: so many of ours, and no more."""
    club = create_club(tmp_path / "club", "quick")
    club.store.close()
    found = [name for name in modules_of(argument, PBEM_CLUB=str(club.path)) if name.split(".")[0] == "pbem"]
    assert len(found) <= most, sorted(found)


def test_the_version_is_the_package_s(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"pbem {pbem.__version__}\n"


def completed(words: str, **environment: str) -> list[str]:
    """What the shell is told that the last of these words may be."""
    count = len(words.split(" ")) - 1
    asked = {"_PBEM_COMPLETE": "bash_complete", "COMP_WORDS": words, "COMP_CWORD": str(count)} | environment
    done = subprocess.run(
        [sys.executable, "-m", "pbem"], env=os.environ | asked, capture_output=True, text=True, check=True
    )
    return [line.partition(",")[2] for line in done.stdout.splitlines()]


def test_completion_knows_the_commands() -> None:
    assert completed("pbem pract") == ["practice"]
    assert completed("pbem tool completi") == ["completion"]


@pytest.mark.ci
def test_completion_knows_games_sides_and_areas(tmp_path: Path) -> None:
    for game in ("dunbar-7", "hearth"):
        (tmp_path / "games" / game).mkdir(parents=True)
        (tmp_path / "games" / game / "player").touch()
    assert completed("pbem reveal du", PBEM_HOME=str(tmp_path)) == ["dunbar-7"]
    club = create_club(tmp_path / "club", "quick")
    with club.store.step():
        club.store.add_game("hexham")
    club.store.close()
    played = {"PBEM_HOME": str(tmp_path), "PBEM_CLUB": str(club.path)}
    assert completed("pbem report HE", **played) == ["hearth", "hexham"], "and those of the club here"
    assert completed("pbem show hexham --as pu") == ["public"]
    assert completed("pbem show hexham --as sco") == ["scots", "scotland"]
    assert "scotland" in completed("pbem odds --attacker sc")
    assert "Lothian" in completed("pbem odds --area lot")
    assert "hammer" in completed("pbem practice --game ham")


@pytest.mark.parametrize(
    ("line", "told", "helps"),
    [
        ("praktice", "pbem: no such command 'praktice'; did you mean practice?\n", ""),
        (
            "compleet",
            "pbem: no such command 'compleet'; did you mean game complete or tool completion?\n",
            "",
        ),
        ("game expor", "pbem: no such command 'expor'; did you mean export?\n", " game"),
        ("xyzzy", "pbem: no such command 'xyzzy'\n", ""),
        ("completion", "pbem: missing argument", " tool completion"),
        ("completion basic", "pbem: invalid value", " tool completion"),
        ("--loud", "pbem: no such option '--loud'\n", ""),
        ("", "Usage: pbem ", None),
    ],
)
def test_misuse_ends_with_2(
    line: str, told: str, helps: str | None, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(line.split()) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.startswith(told)
    assert shown.err.endswith("\n" if helps is None else f"\n    see pbem{helps} --help\n")


OUR_FAULT = "pbem: this is a fault in the program, not in what you did"


def fails_with(error: BaseException, monkeypatch: pytest.MonkeyPatch) -> int:
    """Run a command that raises this error."""

    def raises(context: click.Context) -> None:
        raise error

    monkeypatch.setattr(EVERY_COMMAND["pbem tool completion"], "invoke", raises)
    return main(["completion", "bash"])


@pytest.mark.parametrize(
    ("error", "status", "told"),
    [
        (PbemError("game dunbar is over"), 1, "pbem: game dunbar is over\n"),
        (AuditFault("entry 7 was changed"), 3, "pbem: entry 7 was changed\n"),
        (
            FileNotFoundError(2, "No such file or directory", "o.txt"),
            1,
            "pbem: o.txt: no such file or directory\n",
        ),
        (OSError("Disk on fire"), 1, "pbem: disk on fire\n"),
        (click.ClickException("cannot open that"), 1, "pbem: cannot open that\n"),
        (KeyboardInterrupt(), 1, "\npbem: stopped\n"),
        (
            ZeroDivisionError("so"),
            1,
            f"{OUR_FAULT} (so)\n    to see where, run the command again with PBEM_TRACE=1 set\n",
        ),
    ],
)
def test_a_failure_is_one_message(
    error: BaseException,
    status: int,
    told: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert fails_with(error, monkeypatch) == status
    shown = capsys.readouterr()
    assert (shown.out, shown.err) == ("", told)


def test_a_stack_trace_can_be_had(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PBEM_TRACE", "1")
    assert fails_with(PbemError("game dunbar is over"), monkeypatch) == 1
    told = capsys.readouterr().err
    assert told.startswith("Traceback")
    assert told.endswith("pbem: game dunbar is over\n")


def test_a_reader_who_leaves_is_no_error() -> None:
    command = shlex.join([sys.executable, "-m", "pbem", "completion", "bash"])
    piped = subprocess.run(["sh", "-c", f"{command} | true"], capture_output=True, text=True, check=True)
    assert piped.stderr == ""
