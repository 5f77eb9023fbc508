"""What all tests share: no test touches the home of the person who runs it, and CI skips nothing."""

import os
import sys
from collections.abc import Generator, Iterator
from functools import lru_cache
from pathlib import Path

import hypothesis
import pytest

IN_CI = os.environ.get("CI") == "true"

# No example is timed; in CI the same examples are tried at every run.
hypothesis.settings.register_profile("pbem", deadline=None, derandomize=IN_CI)
hypothesis.settings.load_profile("pbem")


def pytest_configure(config: pytest.Config) -> None:
    """Golden files are written anew by a person who reads the difference, never where they are compared.

    Where a cache may be kept, bytecode is: else each worker would compile every test anew, and each pbem that
    a test starts would compile pbem.
    """
    if config.pluginmanager.hasplugin("cacheprovider"):
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
        sys.dont_write_bytecode = False
    if os.environ.get("PBEM_GOLDEN") == "update" and os.environ.get("CI"):
        raise pytest.UsageError("PBEM_GOLDEN=update writes golden files anew; with CI set they are compared")


@pytest.fixture(scope="session", autouse=True)
def _nobodys_home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Every pbem that a test runs finds an empty home, unless the test names another."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PBEM_HOME", str(tmp_path_factory.mktemp("home") / "pbem"))
        patch.delenv("PBEM_TRACE", raising=False)
        yield


HEAVY = (
    "attacks/framing/test_findings.py",
    "audit/test_bundle.py",
    "audit/test_damage.py",
    "audit/test_held.py",
    "audit/test_late.py",
    "audit/test_messages.py",
    "audit/test_missing.py",
    "audit/test_random_games.py",
    "bots/",
    "browser/",
    "disputes/test_backup.py",
    "disputes/test_earlier_orders.py",
    "disputes/test_explain.py",
    "disputes/test_game_master.py",
    "disputes/test_judges_key.py",
    "disputes/test_keys.py",
    "disputes/test_official.py",
    "disputes/test_releases.py",
    "disputes/test_seats.py",
    "disputes/test_what_if.py",
    "judge/test_ending.py",
    "judge/test_kill.py",
    "leagues/test_audit.py",
    "leagues/test_commands.py",
    "leagues/test_model_season.py",
    "leagues/test_season.py",
    "mail/test_answers.py",
    "mail/test_bounces.py",
    "mail/test_claims.py",
    "mail/test_copies.py",
    "mail/test_faults.py",
    "mail/test_hostile.py",
    "mail/test_imap.py",
    "mail/test_kill_mail.py",
    "mail/test_ledgers.py",
    "mail/test_login.py",
    "mail/test_losses.py",
    "mail/test_month.py",
    "mail/test_restore.py",
    "mail/test_watch.py",
    "mail/test_year.py",
    "odds/",
    "hammer/test_referee.py",
    "hammer/test_replay.py",
    "hammer/test_restart.py",
    "hammer/test_secrecy_catches.py",
    "hammer/test_twin_games_catch.py",
    "test_break_rules.py",
    "test_break_program.py",
    "test_conftest.py",
    "test_demo.py",
    "titles/test_fuzz.py",
    "titles/test_pauses.py",
    "titles/test_secrecy.py",
)
"""Modules and folders that .ci/run plays in a run of their own (-m ci), to keep the quick suite quick."""

HEAVY_TESTS: dict[str, dict[str, tuple[str, ...]]] = {
    "audit/test_archives.py": {
        "test_a_hostile_archive_is_refused_with_a_reason": (),
        "test_what_tar_writes_is_read": (),
    },
    "audit/test_attacks.py": {
        "test_pbem_audit_catches_it": (
            "a checkpoint signed by a player",
            "a deadline is moved forward",
            "a report is missing",
            "a seal key is exchanged",
            "a sealed file is exchanged",
            "a sealed file is missing",
            "a sealed file is slipped in",
            "an entry is changed",
            "an exchange is left out",
            "an option is changed after the start",
            "entries are reordered",
        )
    },
    "audit/test_formats.py": {"test_a_bundle_of_format_2_stays_readable": ()},
    "disputes/test_stand_in.py": {"test_a_bot_plays_a_seat_through_the_same_door_as_people": ()},
    "forecast/test_forecast.py": {
        "test_earlier_orders_count_if_they_are_known": (),
        "test_wherever_a_game_stands_there_is_a_forecast": (),
    },
    "golden/test_recorded_games.py": {"test_a_recorded_game_is_played_again_to_its_end": ("first-war-1298",)},
    "orders/test_games.py": {
        "test_orders_given_together_are_the_same_game_with_fewer_pauses": ("0",),
        "test_step_by_step_through_files_is_the_same_game": ("0",),
        "test_whatever_is_ordered_only_legal_answers_come_out": ("2",),
    },
    "orders/test_lines.py": {"test_hostile_text_is_only_wrong": ()},
    "orders/test_print.py": {"test_no_text_makes_the_language_fail": ()},
    "play/test_nothing_lost.py": {
        "test_asked_everywhere_it_is_the_stepwise_game": ("3",),
        "test_spelled_out_it_is_the_same_game_in_few_exchanges": ("0",),
    },
    "player/test_commands.py": {"test_a_locked_key_is_asked_for": ()},
    "player/test_keyring.py": {
        "test_a_locked_key_signs_with_its_passphrase": (),
        "test_a_wrong_passphrase_is_told": (),
    },
    "properties/test_card_replay.py": {
        "test_a_replay_says_the_same_bytes": ("lords-options0", "first-war-options2")
    },
    "first_war/test_properties.py": {"test_random_games_keep_the_rules": ()},
    "hammer/test_fuzz.py": {"test_random_play_ends_every_game": ("campaign-3", "campaign-3-de")},
    "lords/test_properties.py": {"test_random_games_keep_the_rules": ("3",)},
    "hammer/test_secrecy.py": {"test_a_side_cannot_tell_worlds_apart": ("braveheart-4",)},
    "hammer/test_sightings.py": {"test_a_block_is_where_it_can_be": ("0-4",)},
    "reports/test_packing.py": {"test_any_view_comes_back": ()},
    "reports/test_reports.py": {
        "test_a_report_sent_back_is_its_form": ("5",),
        "test_every_question_and_stop_has_words": (),
        "test_the_real_form_fits_and_is_found_again": ("5",),
    },
    "trust/test_armor.py": {"test_hostile_text_is_refused_and_takes_no_time_to_speak_of": ("unseen",)},
}
"""Single tests that .ci/run plays there too, but for the parameters that are named: one light one of each."""


DATED = (
    "disputes/test_game_master.py",
    "disputes/test_keys.py",
    "disputes/test_seats.py",
    "mail/test_time.py",
    "mail/test_zones.py",
)
"""What .ci/run plays again at awkward moments of the calendar (-m dated): it runs by the machine's clock."""


def is_heavy(place: str, test: str, parameters: str) -> bool:
    """Is it one of the single tests, and not the light one among them?"""
    light = HEAVY_TESTS.get(place, {}).get(test)
    return light is not None and parameters.removesuffix("]") not in light


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what is heavy, and what runs by the machine's clock."""
    here = Path(__file__).parent
    place_of = lru_cache(lambda path: path.relative_to(here).as_posix())
    for item in items:
        place = place_of(item.path)
        if item.get_closest_marker("slow"):
            continue
        if place.startswith(HEAVY) or is_heavy(place, *item.name.partition("[")[::2]):
            item.add_marker(pytest.mark.ci)
        if place.startswith(DATED):
            item.add_marker(pytest.mark.dated)


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--seeds FIRST:LAST` says which random games the long runs play."""
    parser.addoption("--seeds", default="0:350", help="random games of the slow tests (first:last)")


@pytest.fixture(scope="session")
def seeds(request: pytest.FixtureRequest) -> range:
    """The seeds that a long run plays."""
    first, _, last = str(request.config.getoption("--seeds")).partition(":")
    return range(int(first), int(last))


@pytest.fixture(scope="session")
def project() -> Path:
    """The source checkout."""
    return Path(__file__).parent.parent


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """With CI=true a skipped test is a failed one: whatever it needs has to be installed."""
    report = yield
    if IN_CI and report.skipped and not hasattr(report, "wasxfail"):
        report.outcome = "failed"
        report.longrepr = f"skipped, but CI skips nothing: {report.longrepr}"
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """The same for a module that skips itself."""
    report = yield
    if IN_CI and report.skipped:
        report.outcome = "failed"
        report.longrepr = f"skipped, but CI skips nothing: {report.longrepr}"
    return report
