"""The findings of an audit: one for each claim that a bundle makes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import StrEnum

from pbem.characters import plain
from pbem.errors import MISSING_STATUS, OTHER_RULES_STATUS, REFUTED_STATUS, PbemError
from pbem.trust.proof import Fault

FAIR = (
    "this bundle is not what an honest judge writes: this copy is old or was changed, or the judge cheated; "
    "get another copy from the judge or another player, and compare"
)
INCOMPLETE = (
    "this copy lacks what it must hold, and what is missing may be what would refute it; get another copy "
    "from the judge or another player, or make it whole ('pbem game complete --help')"
)
RELEASE = "that those rules give the same, only a release that has them shows; ask the judge which one it is"

REMARKS = {
    REFUTED_STATUS: f"the bundle is refuted: {FAIR}",
    MISSING_STATUS: f"the bundle is incomplete: {INCOMPLETE}",
    OTHER_RULES_STATUS: f"the game was played by other rules than this release has: {RELEASE}",
}
"""The sentence that explains the worst finding of an audit, by the exit status of that finding."""


class State(StrEnum):
    """The state of a claim that an audit has checked."""

    PROVEN = "proven"
    OPEN = "open"
    """The claim is not provable from this bundle, or not before the game's end."""
    MISSING = "missing"
    """The claim rests on a file that must be in the bundle, and is not."""
    REFUTED = "refuted"


@dataclass(frozen=True, slots=True)
class Finding:
    """The result for one claim of a bundle; `detail` says where, what was expected and what was found."""

    state: State
    claim: str
    detail: str = ""

    def __str__(self) -> str:
        detail = f": {self.detail}" if self.detail else ""
        return f"{self.state:<8} {self.claim}{detail}"


class Refuted(Exception):
    """Raised inside the check of a claim that does not hold."""

    def __init__(self, where: str, expected: object = None, found: object = None) -> None:
        comparison = (
            f": expected {_value_in_words(expected)}, found {_value_in_words(found)}"
            if expected is not None
            else ""
        )
        super().__init__(f"{where}{comparison}")


def refuse_of(claim: str, faults: Iterable[Fault]) -> None:
    """Raise Refuted with the first of some faults that breaks the given claim; do nothing if none does."""
    for fault in faults:
        if fault.claim == claim:
            raise Refuted(fault.text)


class Unprovable(Exception):
    """Raised inside the check of a claim that the bundle at hand cannot show."""


class OtherRules(Unprovable):
    """Raised inside the check of a claim that cannot be shown, as another release has the game's rules."""


class Missing(Exception):
    """Raised inside the check of a claim that rests on a file that must be in the bundle and is not."""

    def __init__(self, *names: str) -> None:
        more = f", and {len(names) - 1} more" if len(names) > 1 else ""
        super().__init__(f"incomplete: {names[0]}{more}")


def unheard(_: Finding) -> None:
    """Ignore a finding when it is made, for a caller that reads all findings at the end."""


@dataclass(slots=True)
class Findings:
    """The findings of one audit, in the order in which they were made."""

    rows: list[Finding] = field(default_factory=list)
    other_rules: bool = False
    """Whether the game names rules that this release does not have."""
    shown: str = ""
    """The last line of the audit's output: what was shown, and what was not."""
    heard: Callable[[Finding], None] = unheard
    """The function that takes each finding when the finding is made."""

    @contextmanager
    def claim(self, text: str) -> Iterator[None]:
        """Check a claim in a `with` block, and add what is found.

        The claim is proven if the block ends, open or missing if the block says so, refuted on any fault.
        """
        try:
            yield
        except Unprovable as reason:
            self.other_rules |= isinstance(reason, OtherRules)
            self._add(Finding(State.OPEN, text, str(reason)))
        except Missing as lack:
            self._add(Finding(State.MISSING, text, str(lack)))
        except (Refuted, PbemError) as fault:
            self._add(Finding(State.REFUTED, text, str(fault)))
        else:
            self._add(Finding(State.PROVEN, text))

    def _add(self, row: Finding) -> None:
        self.rows.append(row)
        self.heard(row)

    @property
    def is_refuted(self) -> bool:
        """Tell whether any claim is refuted."""
        return self.holds(State.REFUTED)

    def holds(self, state: State) -> bool:
        """Tell whether any claim is in the given state."""
        return any(row.state == state for row in self.rows)

    @property
    def status(self) -> int:
        """The exit status of `pbem audit`: that of the worst finding."""
        if self.is_refuted:
            return REFUTED_STATUS
        if self.holds(State.MISSING):
            return MISSING_STATUS
        return OTHER_RULES_STATUS if self.other_rules else 0

    @property
    def remark(self) -> str:
        """The meaning of the worst finding, and what to do about it; empty if nothing is wrong."""
        return REMARKS.get(self.status, "")


def compare(where: str, expected: list[str], found: list[str]) -> None:
    """Raise Refuted at the first line in which two texts differ."""
    if expected == found:
        return
    for index in range(max(len(expected), len(found))):
        one = expected[index] if index < len(expected) else "nothing more"
        other = found[index] if index < len(found) else "nothing more"
        if one != other:
            raise Refuted(f"{where}, line {index + 1}", one, other)


def compare_text(where: str, expected: str, data: bytes) -> None:
    """Raise Refuted, naming the first line that differs, if a file is not byte for byte the expected text."""
    if data == expected.encode():
        return
    compare(where, _lines(expected), _lines(data.decode("utf-8", errors="replace")))
    raise Refuted(f"{where} differs in characters that you cannot see, such as a missing line end")


def _lines(text: str) -> list[str]:
    return text.removesuffix("\n").split("\n") if text else []


def _value_in_words(value: object) -> str:
    text = value.decode("utf-8", errors="replace") if isinstance(value, bytes) else str(value)
    text = plain(text)
    return text if len(text) <= 160 else f"{text[:160]}..."
