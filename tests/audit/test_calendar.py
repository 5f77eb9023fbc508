"""The script of stock tools counts days itself: its calendar is Python's."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

from pbem.trust.faults import LedgerFault
from pbem.trust.times import parse_utc
from tests.audit.script import SCRIPT
from tests.trust.stock import run


def _counted(function: str, times: list[str]) -> list[int]:
    """What a function of the script makes of these times; another reads two digits for it."""
    text = SCRIPT.read_text()
    found = re.search(rf"^( +)function {function}\(.*?^\1}}\n", text, re.DOTALL | re.MULTILINE)
    two = re.search(r"^ +function two\(.*\n", text, re.MULTILINE)
    assert found
    assert two
    lines = "".join(f"{time}\n" for time in times).encode()
    printed = run("awk", two[0] + found[0] + f'{{ printf "%.0f\\n", {function}($1) }}', stdin=lines)
    return [int(line) for line in printed.splitlines()]


def _is_time(text: str) -> bool:
    try:
        parse_utc(text)
    except LedgerFault:
        return False
    return True


def test_every_day_of_thirty_years_is_counted_as_python_counts_it() -> None:
    first = datetime(2023, 1, 1, 23, 59, 58, tzinfo=UTC)
    days = [first + timedelta(days=n, seconds=7 * n) for n in range(30 * 366)]
    assert days[-1].year > first.year + 29
    found = _counted("seconds", [f"{day:%Y-%m-%dT%H:%M:%SZ}" for day in days])
    wrong = [days[n] for n in range(len(days)) if found[n] - found[0] != (days[n] - first).total_seconds()]
    assert not wrong, f"{len(wrong)} of {len(days)} days, first {wrong[0]}"


def test_the_script_takes_the_days_that_there_are_and_no_others() -> None:
    years = (0, 1, 1900, 2000, *range(2023, 2033), 2100, 9999)
    dates = [f"{y:04}-{m:02}-{d:02}" for y in years for m in range(14) for d in range(33)]
    hours = [f"2028-02-29T{h:02}:{m:02}:{m:02}Z" for h in range(26) for m in range(62)]
    times = [*hours, *(f"{date}T23:59:59Z" for date in dates)]
    found = _counted("is_time", times)
    wrong = [time for time, taken in zip(times, found, strict=True) if bool(taken) != _is_time(time)]
    assert not wrong, f"{len(wrong)} of {len(times)}, first {wrong[0]}"
