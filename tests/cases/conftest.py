"""Collects `.case` files: every case is a test named by its number."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cases.casefile import Case, CaseFault, read_cases
from tests.cases.runner import CaseFailed, play


class CaseItem(pytest.Item):
    """One case."""

    case: Case

    def runtest(self) -> None:
        play(self.case)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: str | None = None) -> str:
        if isinstance(excinfo.value, CaseFailed | CaseFault):
            return str(excinfo.value)
        return str(excinfo.getrepr(style="short"))

    def reportinfo(self) -> tuple[Path, int, str]:
        return self.path, self.case.line - 1, f"case {self.case.number}  {self.case.title}"


class CaseFile(pytest.File):
    """One file of cases."""

    def collect(self) -> Iterator[pytest.Item]:
        for case in read_cases(self.path):
            item: CaseItem = CaseItem.from_parent(self, name=case.number)
            item.case = case
            yield item

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException]) -> str:  # type: ignore[override]
        if isinstance(excinfo.value, CaseFault):
            return str(excinfo.value)
        return str(super().repr_failure(excinfo))


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> CaseFile | None:
    """A file whose name ends in `.case` holds cases."""
    if file_path.suffix != ".case":
        return None
    found: CaseFile = CaseFile.from_parent(parent, path=file_path)
    return found
