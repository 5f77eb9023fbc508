"""The script of stock tools counts days itself: its calendar is Python's."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

from tests.audit.script import SCRIPT
from tests.trust.stock import run


def _seconds(times: list[datetime]) -> list[int]:
    """What the function `seconds` of the script makes of these times."""
    found = re.search(r"^    function seconds\(.*?^    }\n", SCRIPT.read_text(), re.DOTALL | re.MULTILINE)
    assert found
    lines = "".join(f"{time:%Y-%m-%dT%H:%M:%SZ}\n" for time in times)
    printed = run("awk", found[0] + '{ printf "%.0f\\n", seconds($1) }', stdin=lines.encode())
    return [int(line) for line in printed.splitlines()]


def test_every_day_of_thirty_years_is_counted_as_python_counts_it() -> None:
    first = datetime(2023, 1, 1, 23, 59, 58, tzinfo=UTC)
    days = [first + timedelta(days=n, seconds=7 * n) for n in range(30 * 366)]
    assert days[-1].year > first.year + 29
    found = _seconds(days)
    wrong = [days[n] for n in range(len(days)) if found[n] - found[0] != (days[n] - first).total_seconds()]
    assert not wrong, f"{len(wrong)} of {len(days)} days, first {wrong[0]}"
