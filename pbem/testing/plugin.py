"""The pytest plug-in: `pytest --pbem-title tarn` tries the contract of titles on tarn, beside other tests."""

from __future__ import annotations

from pathlib import Path

import pytest

OPTION = "--pbem-title"
CONTRACT_TESTS = Path(__file__).with_name("contract.py")
NOTE = "pbem"
"""The name under which a test's report holds a note; the note also passes from one process to another."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option --pbem-title, which names the titles to try, to pytest."""
    group = parser.getgroup("pbem", "games for pbem")
    group.addoption(
        OPTION,
        action="append",
        default=[],
        metavar="NAME",
        help="try the contract of titles on the installed title of this name; may be given again",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Add the contract's tests to those that pytest was asked to run."""
    if not (wanted := config.getoption("pbem_title")):
        return
    from pbem.rules import UnknownRules, load

    for name in wanted:
        try:
            load(name)
        except UnknownRules as unknown:
            raise pytest.UsageError(f"{OPTION}: {unknown}") from None
    if str(CONTRACT_TESTS) not in config.args:
        config.args.append(str(CONTRACT_TESTS))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print at the end of the tests what could not be tried of the contract."""
    reports = [report for outcome in ("passed", "failed") for report in terminalreporter.getreports(outcome)]
    notes = [
        f"{report.nodeid.rpartition('::')[2]}: {said}"
        for report in reports
        if report.when == "call"
        for name, said in report.user_properties
        if name == NOTE
    ]
    if notes:
        terminalreporter.section("not tried of the contract of titles")
        for note in notes:
            terminalreporter.line(note)
