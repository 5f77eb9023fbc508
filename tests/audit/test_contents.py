"""What a bundle is, and what must be in it, by its ledger."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product
from pathlib import Path

import pytest

from pbem.audit.bundle import Files
from pbem.audit.evidence import Evidence
from pbem.audit.findings import Finding, Findings, State
from pbem.audit.game import _lacking, audience_of, check_contents, content_line
from pbem.play.history import History
from pbem.trust.entries import Drawn, Entry, Genesis, Reported
from tests.kept import Telling, as_kept
from tests.play.test_ledger_told import DRAWN, THREE, a_drawn_game, a_long_game, after_one_has_left


def evidence(genesis: Genesis, entries: Iterable[Entry | None] = (), names: Iterable[str] = ()) -> Evidence:
    """What is read of a bundle with these files, as far as its contents go."""
    found = Evidence(Files(dict.fromkeys(names, b""), ()), Findings())
    found.history, found.entries = History(genesis), [genesis, *entries]
    return found


REPORT, KEY = "reports/{}/0001.txt".format, "keys/exchange-1.{}.agekey".format


@pytest.mark.parametrize(
    ("names", "told", "audience"),
    [
        ((), (), "public"),
        ((REPORT("public"),), ("public",), "public"),
        ((REPORT("public"), REPORT("alice"), "mix/1.txt"), (), "alice"),
        (("mix/1.txt", KEY("alice"), KEY("alice")), ("public",), "alice"),
        ((KEY("alice"), REPORT("alice"), KEY("bob")), (), "all"),
        ((REPORT("bob"), REPORT("carol")), (), "all"),
        ((REPORT("public"), "keys/roots"), (), "all"),
        (("mix/1.txt", "mix/1.secret.txt"), (), "all"),
        ((KEY("erin"),), (), "all"),
        ((), ("carol",), "carol"),
        ((REPORT("public"),), ("public", "carol"), "carol"),
        ((REPORT("alice"),), ("alice", "bob"), "all"),
    ],
)
def test_a_bundle_is_the_least_that_may_hold_what_it_holds(
    names: tuple[str, ...], told: tuple[str, ...], audience: str
) -> None:
    """Its files, and its entries, be they of draws or of reports."""
    reports = [Reported(exchange=1, audience=one, sha256="a" * 64) for one in told]
    draws = [Drawn(exchange=1, owner=one, label="x", result="1") for one in told]
    for entries in (reports, draws):
        assert audience_of(evidence(THREE, entries, names)) == audience


def test_what_is_lacking_is_as_it_was() -> None:
    """Of a bundle for each audience, entry by entry, in which there is nothing."""
    lines = list[str]()
    for genesis, story in ((THREE, a_long_game), (DRAWN, a_drawn_game), (THREE, after_one_has_left)):
        found, before = evidence(genesis), set[str]()
        for entry in story():
            found.history.add(entry)
            found.entries.append(entry)
            now = {
                f"{one}: {line}"
                for one in ("all", "public", "alice", "carol")
                for line in _lacking(found, one)
            }
            lines.append(f"-- entry {len(found.entries)}")
            lines += [*sorted(now - before), *(f"no more: {line}" for line in sorted(before - now))]
            before = now
        check_contents(found)
        lines += map(str, found.findings.rows)
    as_kept(Path(__file__).parent / "golden/lacking.txt", "\n".join([*lines, ""]))


def test_a_file_that_follows_from_others_is_taken_as_there_is() -> None:
    """And named, once, where there is none."""
    found = evidence(THREE, names=("there",))
    assert [found.given_file(name, b"due") for name in ("there", "one", "two", "one")] == [
        b"",
        *(b"due",) * 3,
    ]
    claim = "what the bundle lacks follows from what it holds: one"
    for more, said in ((3, [f"{claim}, and 1 more"]), (1, [claim]), (0, [])):
        del found.derived[more:], found.findings.rows[:]
        assert check_contents(found) == "public"
        whole, *follows = found.findings.rows
        assert str(whole).startswith("proven   the public's bundle of a game that goes on holds everything")
        assert [row.claim for row in follows] == said


def test_what_was_shown_is_as_it_was() -> None:
    """By what was found, by whether the game is over, and by what the auditor has given."""
    goes_on, over, told = evidence(THREE), evidence(THREE), Telling()
    for entry in after_one_has_left():
        over.history.add(entry)
    alike, joined, other = "it is alike", "the genesis is theirs", "other"
    for rows in (
        *((), ("proven", alike), ("proven", joined, "proven", other), ("open", joined, "proven", alike)),
        *(("open", alike, "proven", other), ("missing", other, "missing", alike, "proven", joined)),
        *(("open", other, "proven", alike), ("proven", joined, "missing", other, "refuted", alike)),
    ):
        found = [Finding(State(one), claim) for one, claim in zip(rows[::2], rows[1::2], strict=True)]
        for read, others, held in product((None, goes_on, over), (False, True), (False, True)):
            said = content_line(read, Findings(found, others), "alice", alike, held=held)
            told.add(f"{rows}, {read and ('over' if read is over else 'goes on')}, {others}, {held}", [said])
    as_kept(Path(__file__).parent / "golden/shown.txt", str(told))
