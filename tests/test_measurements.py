"""Figures on our pages are what their sources say, and tables of games are what the scripts print."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from pbem.judge.deadlines import waits_for_mail
from pbem.leagues.pages import bracket
from pbem.trust import formats, orderfile, sealing
from tests.tools.figures import EXCHANGES, GROWTH, MEASUREMENTS, columns, printed
from tests.tools.write_figures import LEAGUES, PROTOCOL, SAID, WEIGHED, Said, rewritten, stale


def test_each_figure_is_that_of_its_source() -> None:
    assert stale(SAID) == [], "python -m tests.tools.write_figures writes them"


@pytest.mark.parametrize(
    ("module", "limit", "page"),
    [
        (formats, "MAX_KEYS_IN_EXCHANGE", PROTOCOL),
        (formats, "MAX_ABSENCE_DAYS", PROTOCOL),
        (orderfile, "RECENT_EXCHANGES", PROTOCOL),
        (sealing, "_MAX_GREASE", PROTOCOL),
        (waits_for_mail, "TRIES", "pbem/docs/unattended.md"),
        (bracket, "MAX_PLACES", "pbem/docs/leagues.md"),
        (formats, "MAX_PANEL", LEAGUES),
        (formats, "MAX_SEALED_REPLY_SIZE", LEAGUES),
    ],
)
def test_a_changed_limit_is_found_on_the_pages_that_name_it(
    module: ModuleType, limit: str, page: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, limit, getattr(module, limit) + 1)
    assert page in {found.split(":")[0] for found in stale(SAID)}


@pytest.mark.ci
def test_mails_weigh_what_the_pages_say() -> None:
    assert stale(WEIGHED) == [], "python -m tests.tools.write_figures writes them"


def test_a_figure_is_written_wherever_the_line_is_broken() -> None:
    said = Said("page.md", "of {one} kB, {two} MB", dict)
    figures = {"one": "7", "two": "1,300"}
    assert rewritten("a file of\n12 kB, 0.5 MB.", said, figures) == "a file of\n7 kB, 1,300 MB."
    assert rewritten("of two kB, 1 MB", said, figures | {"one": "three"}) == "of three kB, 1,300 MB"
    waits = Said("page.md", "for {long}.", dict)
    for page, written in (("for an\nhour.", "for two days."), ("for two\ndays.", "for two\ndays.")):
        assert rewritten(page, waits, {"long": "two days"}) == written
    for page in ("a file", "of 1 kB, 2 MB; of 1 kB, 2 MB"):
        with pytest.raises(ValueError, match="times: of"):
            rewritten(page, said, figures)


@pytest.mark.slow
def test_the_growth_of_the_database_is_what_its_script_prints(project: Path) -> None:
    """But for a twentieth, and half a kilobyte of what is small: keys are new each time, and pages fill."""
    page = (project / MEASUREMENTS).read_text(encoding="utf-8")
    words = [sys.executable, "-m", GROWTH]
    done = subprocess.run(words, cwd=project, capture_output=True, text=True, check=True)
    found, told = columns(done.stdout.strip()), columns(printed(page, GROWTH))
    assert found.keys() == told.keys()
    for name, figures in told.items():
        assert found[name] == [pytest.approx(one, rel=0.05, abs=0.5) for one in figures], name


@pytest.mark.slow
def test_the_table_of_exchanges_is_what_its_script_prints(project: Path) -> None:
    page = (project / MEASUREMENTS).read_text(encoding="utf-8")
    words = [sys.executable, "-m", *EXCHANGES.split()]
    done = subprocess.run(words, cwd=project, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == printed(page, EXCHANGES)
