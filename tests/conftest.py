"""What all tests share.

No test touches the home of the person who runs it, none passes by luck, and CI skips none.
"""

import hashlib
import os
import secrets
import sys
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path

import hypothesis
import pytest

IN_CI = os.environ.get("CI") == "true"

# No example is timed; in CI the same examples are tried at every run.
hypothesis.settings.register_profile("pbem", deadline=None, derandomize=IN_CI)
hypothesis.settings.load_profile("pbem")

CHANCE = os.environ.get("PBEM_TEST_CHANCE", "")
"""Other dice for every test: a test that holds for one value should hold for all."""


class Chance:
    """The secrets that the program makes, so the dice of every game, follow from the name of who needs them.

    With real ones a test that does not hold in one game of a hundred fails in one run of a hundred, and
    nobody can look at that game again. Keys stay real: no die comes from them.
    """

    def __init__(self) -> None:
        self._name, self._drawn = "", 0

    def token_bytes(self, nbytes: int | None = None) -> bytes:
        """What `secrets.token_bytes` gives."""
        self._drawn += 1
        return hashlib.shake_256(f"{CHANCE} {self._name} {self._drawn}".encode()).digest(nbytes or 32)

    @contextmanager
    def of(self, name: str) -> Iterator[None]:
        """Whose secrets are made now: a test's, a fixture's, or those of a world that tests share."""
        before = self._name, self._drawn
        self._name, self._drawn = name, 0
        try:
            yield
        finally:
            self._name, self._drawn = before

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        """A test has secrets of its own, whatever ran before it."""
        with self.of(item.nodeid):
            return (yield)

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(
        self, fixturedef: pytest.FixtureDef[object], request: pytest.FixtureRequest
    ) -> Generator[None, object, object]:
        """So has a fixture, whichever test comes first to need it."""
        with self.of(f"{request.node.nodeid} {fixturedef.argname} {getattr(request, 'param_index', 0)}"):
            return (yield)


chance = Chance()
secrets.token_bytes = chance.token_bytes


def pytest_configure(config: pytest.Config) -> None:
    """Golden files are written anew by a person who reads the difference, never where they are compared.

    Where a cache may be kept, bytecode is: else each worker would compile every test anew, and each pbem that
    a test starts would compile pbem.
    """
    config.pluginmanager.register(chance)  # not as hooks of this file, which no session's fixture would reach
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


QUICK = "not slow and not ci"
"""What pyproject.toml selects where nobody asks for anything else."""

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
    "hammer/test_failures.py",
    "hammer/test_french.py",
    "hammer/test_fuzz.py",
    "hammer/test_referee.py",
    "hammer/test_replay.py",
    "hammer/test_restart.py",
    "hammer/test_secrecy_catches.py",
    "hammer/test_sightings.py",
    "hammer/test_twin_games_catch.py",
    "judge/test_ending.py",
    "judge/test_kill.py",
    "judge/test_places.py",
    "leagues/test_audit.py",
    "leagues/test_commands.py",
    "leagues/test_final.py",
    "leagues/test_last_season.py",
    "leagues/test_model_season.py",
    "leagues/test_season.py",
    "mail/test_answers.py",
    "mail/test_bounces.py",
    "mail/test_claims.py",
    "mail/test_copies.py",
    "mail/test_faults.py",
    "mail/test_hostile.py",
    "mail/test_imap.py",
    "mail/test_keeping.py",
    "mail/test_kill_mail.py",
    "mail/test_ledgers.py",
    "mail/test_login.py",
    "mail/test_losses.py",
    "mail/test_month.py",
    "mail/test_restore.py",
    "mail/test_seats.py",
    "mail/test_together.py",
    "mail/test_watch.py",
    "mail/test_year.py",
    "odds/",
    "orders/test_games.py",
    "play/test_nothing_lost.py",
    "properties/test_card_replay.py",
    "test_break_program.py",
    "test_break_rules.py",
    "test_conftest.py",
    "test_demo.py",
    "test_packaging.py",
    "test_site.py",
    "titles/test_pauses.py",
)
"""Modules and folders that .ci/run plays in a run of their own (-m ci), to keep the quick suite quick."""

HEAVY_TESTS: dict[str, dict[str, tuple[str, ...]]] = {
    "audit/test_archives.py": {
        "test_a_hostile_archive_is_refused_with_a_reason": (),
        "test_any_headers_are_read_or_refused": (),
        "test_mutations_of_a_real_archive": (),
        "test_what_tar_writes_is_read": (),
    },
    "audit/test_attacks.py": {
        "test_a_correction_may_come_at_any_time": ("with-orders",),
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
        ),
        "test_untouched_bundles_pass": ("finished-public",),
        "test_verify_sh_proves_all_that_a_bundle_of_everything_can_show": (),
    },
    "audit/test_check_a_die.py": {
        "test_an_honest_die": ("public-blocks0",),
        "test_every_die_can_be_thrown": (),
    },
    "audit/test_complete.py": {
        "test_bundles_give_what_the_judge_would_have_written": ("finished-public",),
        "test_what_follows_from_the_rest_may_be_lost": ("dice/",),
    },
    "audit/test_formats.py": {
        "test_a_bundle_of_the_format_is_readable": (),
    },
    "audit/test_live.py": {
        "test_no_word_of_the_orders_changes_a_die": (),
    },
    "disputes/test_stand_in.py": {
        "test_a_bot_plays_a_seat_through_the_same_door_as_people": (),
    },
    "first_war/test_properties.py": {
        "test_a_game_goes_on_from_its_own_view": (),
        "test_an_ask_is_public_where_the_other_side_sees_it_coming": (),
        "test_random_games_keep_the_rules": (),
        "test_worlds_that_a_side_cannot_tell_apart_look_the_same": (),
    },
    "forecast/test_forecast.py": {
        "test_a_battle_going_on_has_exact_odds": (),
        "test_a_whole_turn": (),
        "test_earlier_orders_count_if_they_are_known": (),
        "test_one_mistake_is_told_once": (),
        "test_wherever_a_game_stands_there_is_a_forecast": (),
        "test_who_was_shown_narrows_the_odds": (),
    },
    "golden/test_recorded_games.py": {
        "test_a_recorded_game_is_as_it_was_recorded": ("campaign-to-1298", "first-war-1298"),
        "test_a_recorded_game_is_played_again_to_its_end": ("first-war-1298",),
        "test_the_reports_beside_a_recorded_game_are_those_of_its_bundle": (
            "campaign-to-1298",
            "first-war-1298",
        ),
    },
    "hammer/test_engine_surface.py": {
        "test_a_finished_game_names_the_winner_and_why": (),
        "test_a_noble_is_one_block_that_changes_side": (),
        "test_draws_are_without_replacement": (),
        "test_every_legal_answer_is_canonical": (),
        "test_labels_are_readable_and_never_repeat": (),
        "test_the_judge_s_view_holds_year_turn_and_every_block": (),
    },
    "hammer/test_secrecy.py": {
        "test_a_side_cannot_tell_worlds_apart": (),
    },
    "hammer/test_twin_games.py": {
        "test_an_observer_cannot_tell_whole_games_apart": (),
    },
    "judge/test_after_close.py": {
        "test_reveals_come_after_the_close": (),
        "test_who_does_not_reveal_is_absent_and_his_orders_count": (),
    },
    "judge/test_bench.py": {
        "test_a_changed_row_is_named_and_stops_only_its_game": ("text",),
        "test_another_process_goes_on_where_this_one_stopped": (),
    },
    "judge/test_database.py": {
        "test_every_older_database_is_brought_up_to_date": (),
    },
    "judge/test_desk.py": {
        "test_orders_handed_in_need_neither_mail_nor_forecast": (),
        "test_the_forecast_reckons_with_the_orders_on_file": (),
        "test_what_one_pass_leaves_the_next_foretells": (),
    },
    "leagues/test_formats.py": {
        "test_a_large_field_keeps_sides_where_one_side_always_wins": (),
        "test_a_swiss_season_is_legal": (),
        "test_equal_points_meet_where_they_can": (),
        "test_sections_are_equal_and_mix_ratings": (),
    },
    "leagues/test_letters.py": {
        "test_a_league_whose_ledger_is_damaged_stops_nothing_else": (),
        "test_before_its_last_date_a_round_warns_once": (),
    },
    "leagues/test_pages.py": {
        "test_every_page_that_is_linked_is_there": (),
        "test_the_same_league_gives_the_same_bytes": (),
    },
    "leagues/test_ratings.py": {
        "test_a_scenario_that_favours_a_side_does_not_make_its_players_strong": (),
        "test_it_agrees_with_another_program": (),
    },
    "leagues/test_standings.py": {
        "test_a_game_gives_out_the_same_whatever_its_places": (),
        "test_a_table_depends_on_nothing_but_results": (),
    },
    "lords/test_properties.py": {
        "test_random_games_keep_the_rules": (),
        "test_who_learns_a_draw_is_who_may_see_the_card": (),
        "test_worlds_that_a_side_cannot_tell_apart_look_the_same": ("False",),
    },
    "mail/test_passes.py": {
        "test_a_mail_too_large_is_not_kept_whole": (),
        "test_a_receipt_leaves_before_its_forecast_is_worked_out": (),
        "test_a_sealed_report_brings_its_page_sealed": (),
        "test_machines_get_no_answer": ("headers0", "headers1"),
        "test_open_reports_show_the_report_and_bring_the_form": (),
    },
    "mail/test_time.py": {
        "test_a_machine_that_was_off_asks_before_deadlines_pass": ("30",),
        "test_a_reminder_comes_once_and_to_him_alone_who_has_a_choice": (),
        "test_a_store_of_time_is_drawn_on_a_day_at_a_time": (),
        "test_an_exchange_opened_during_an_absence_respects_it": (),
        "test_mail_that_came_while_the_machine_was_off_counts": (),
        "test_repeated_silence_is_told_to_the_opponent": (),
    },
    "mail/test_upkeep.py": {
        "test_a_backup_is_restored_elsewhere_and_goes_on_when_confirmed": (),
        "test_a_backup_that_is_too_old_says_what_is_lost": (),
    },
    "mail/test_zones.py": {
        "test_reminders_say_it_too": (),
    },
    "orders/test_form.py": {
        "test_a_form_sent_back_blank_is_no_order_and_fits_a_mail": ("2",),
        "test_examples_in_a_form_can_be_ordered": (),
    },
    "orders/test_friction.py": {
        "test_the_forecast_of_a_herald_reckons_with_an_attack": (),
    },
    "orders/test_kit.py": {
        "test_every_verb_of_hammer_is_in_a_form_and_answers_an_ask": (),
    },
    "orders/test_lines.py": {
        "test_hostile_text_is_only_wrong": (),
    },
    "orders/test_lords.py": {
        "test_a_condition_with_any_noun_in_any_place_is_read_or_told_to_be_wrong": (),
    },
    "orders/test_print.py": {
        "test_checks_never_fail_and_never_forget_a_line": (),
        "test_no_text_makes_the_language_fail": (),
        "test_what_is_printed_is_read_as_the_same_orders": (),
    },
    "pictures/test_lords.py": {
        "test_the_legend_names_every_clan_and_the_picture_can_be_sent": (),
    },
    "pictures/test_map.py": {
        "test_the_picture_is_the_golden_one": (),
        "test_the_same_bytes_under_any_hash_seed": (),
        "test_words_are_drawn": (),
    },
    "play/test_saving.py": {
        "test_a_saved_game_is_the_game_that_went_on": ("first-war-{'years': 2, 'simultaneous': False}",),
    },
    "play/test_pauses.py": {
        "test_a_pause_betrays_nothing": ("0", "1", "2", "3", "4", "5"),
    },
    "player/test_after_close.py": {
        "test_a_whole_game": (),
    },
    "player/test_attacks.py": {
        "test_no_byte_of_a_letter_may_change": (),
    },
    "player/test_commands.py": {
        "test_a_locked_key_is_asked_for": (),
        "test_standard_input_is_read": (),
    },
    "player/test_forgetting.py": {
        "test_forgetting_may_be_stopped_anywhere": ("1-True", "2-False"),
    },
    "player/test_forks.py": {
        "test_a_head_kept_before_a_kill_still_convicts": (),
    },
    "player/test_glance.py": {
        "test_a_glance_reads_no_ledger_until_something_has_come": (),
    },
    "player/test_keyring.py": {
        "test_a_locked_key_signs_with_its_passphrase": (),
        "test_a_wrong_passphrase_is_told": (),
    },
    "player/test_page.py": {
        "test_a_report_becomes_a_page_and_a_picture": (),
    },
    "player/test_receipts.py": {
        "test_receipts_of_a_whole_game_agree": (),
    },
    "player/test_receive.py": {
        "test_a_kill_is_mended_by_receiving_again": ("1-True", "3-False", "6-True"),
    },
    "player/test_seal.py": {
        "test_a_draft_that_does_not_fit": (),
        "test_a_kill_never_gives_a_revision_away": ("one\\n-2-False", "other\\n-2-True", "other\\n-1-False"),
        "test_two_commands_wait_for_each_other": (),
    },
    "practice/test_practice.py": {
        "test_a_transcript": (),
        "test_faulty_orders_can_be_sent_all_the_same": (),
        "test_orders_in_a_file_are_checked_like_those_at_the_prompt": (),
    },
    "reports/test_first_war.py": {
        "test_every_event_has_a_sentence_and_the_headings_by_which_it_happens": (),
    },
    "reports/test_lords.py": {
        "test_a_report_is_as_it_was": (
            "opening-gold",
            "opening-public",
            "opening-red",
            "middle-gold",
            "middle-public",
            "middle-red",
        ),
        "test_every_event_has_a_sentence_and_a_heading": (),
        "test_no_report_names_a_card_that_its_reader_was_not_shown": (),
    },
    "reports/test_packing.py": {
        "test_any_view_comes_back": (),
        "test_damage_is_found": (),
    },
    "reports/test_reports.py": {
        "test_a_report_carries_its_readers_view": (),
        "test_a_report_sent_back_is_its_form": (),
        "test_every_question_and_stop_has_words": (),
        "test_lines_are_short_plain_and_clean": ("2",),
        "test_the_real_form_fits_and_is_found_again": (),
    },
    "reports/test_secrets.py": {
        "test_another_sides_questions_do_not_show": ("scotland",),
        "test_two_worlds_give_the_same_report": (),
    },
    "reports/test_sentences.py": {
        "test_a_sentence_stands_alone_too": (),
        "test_every_reader_of_an_event_is_told_a_sentence": (),
        "test_the_owner_reads_more_than_the_enemy": (),
    },
    "test_cli.py": {
        "test_a_glance_imports_nothing_heavy": ("--help-known0", "status-known1"),
        "test_completion_knows_games_sides_and_areas": (),
    },
    "test_words.py": {
        "test_no_file_repeats_a_rulebook": (),
        "test_what_people_read_is_in_plain_words": (),
    },
    "titles/test_contract.py": {
        "test_a_title_keeps_its_contract": (
            "first-war-every_part_is_there",
            "first-war-options_are_read_as_they_arrive",
            "first-war-a_game_comes_to_its_end",
            "first-war-silence_comes_to_an_end",
            "first-war-the_same_answers_give_the_same_game",
            "first-war-a_position_goes_on_as_its_game",
            "first-war-what_is_imagined_asks_the_same",
            "first-war-a_saved_game_goes_on_as_it_was",
            "first-war-worlds_that_look_alike_are_told_alike",
            "first-war-answers_at_the_same_time_are_unseen",
            "first-war-every_answer_may_be_written",
            "first-war-the_form_comes_back_without_a_fault",
            "first-war-careless_players_break_nothing",
            "first-war-a_report_says_what_matters",
            "first-war-a_picture_shows_its_colours",
        ),
    },
    "titles/test_plugin.py": {
        "test_a_title_from_outside_is_tried_beside_its_own_tests": (),
        "test_what_could_not_be_tried_is_told_at_the_end": (),
    },
    "titles/test_titles.py": {
        "test_rules_are_had_without_bots_forecasts_and_other_games": (),
    },
    "trust/test_armor.py": {
        "test_every_changed_sign_of_the_base64_is_refused": (),
        "test_every_lost_sign_or_line_is_refused": (),
        "test_hostile_text_is_refused_and_takes_no_time_to_speak_of": (),
        "test_no_text_breaks_the_search": (),
        "test_two_manglings_one_after_the_other_are_mended": (),
    },
    "trust/test_chains.py": {
        "test_a_chain_is_the_whole_fold_of_its_secret": (),
    },
    "trust/test_chance.py": {
        "test_dice_are_fair": ("first-6", "second-100"),
        "test_no_bytes_break_the_reading_of_a_mix_file": (),
        "test_pairs_of_dice_of_one_label_and_the_next_are_fair": (),
    },
    "trust/test_draft.py": {
        "test_no_text_breaks_the_reading_of_a_draft": (),
    },
    "trust/test_entries.py": {
        "test_no_bytes_break_the_reading_of_an_entry": (),
    },
    "trust/test_keys.py": {
        "test_every_changed_byte_of_a_public_key_line_is_another_key_or_none": (),
        "test_no_bytes_break_the_reading_of_a_key": (),
        "test_no_text_breaks_the_reading_of_a_key": (),
    },
    "trust/test_ledger.py": {
        "test_no_bytes_break_the_reading_of_a_statement": (),
    },
    "trust/test_orderfile.py": {
        "test_no_bytes_break_the_reading_of_an_order_file": (),
    },
    "trust/test_sealing.py": {
        "test_what_pyrage_and_age_write_is_taken": (),
    },
    "trust/test_signature.py": {
        "test_a_signed_text_is_split_as_it_was_joined": (),
        "test_every_changed_bit_of_a_signature_is_refused": (),
        "test_every_part_of_a_signature_is_refused": (),
        "test_no_bytes_break_the_reading_of_a_signature": (),
        "test_our_signature_is_that_of_ssh_keygen": (
            "-pbem1-checkpoint",
            "-pbem1-orders",
            "-pbem1-receipt",
            "-pbem1-recover",
            "-pbem1-report",
            "-pbem1-rotate",
            "text3-pbem1-orders",
        ),
    },
}
"""Single tests that .ci/run plays there too, but for the parameters that are named: one light one of each."""


DATED: dict[str, tuple[str, ...]] = {
    "disputes/test_game_master.py": (),
    "disputes/test_keys.py": (),
    "disputes/test_seats.py": (
        "test_a_lost_key_is_replaced_by_consent",
        "test_a_player_who_is_there_is_waited_for_though_others_give_the_seat_away",
        "test_nobody_waits_for_a_player_who_has_vanished",
    ),
    "mail/test_time.py": (),
    "mail/test_zones.py": (),
}
"""What .ci/run plays again at awkward moments of the calendar (-m dated), for it counts days by the machine's
clock: all of a module, or the tests named."""


def is_heavy(place: str, test: str, parameters: str) -> bool:
    """Is it one of the single tests, and not the light one among them?"""
    light = HEAVY_TESTS.get(place, {}).get(test)
    return light is not None and parameters.removesuffix("]") not in light


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """The quick suite does not read what it leaves out, unless a module is asked for by its name."""
    if (
        collection_path.suffix != ".py"
        or config.getoption("markexpr") != QUICK
        or config.getoption("keyword")
    ):
        return None
    asked = {Path(one.partition("::")[0]).absolute() for one in config.args}
    heavy = collection_path.relative_to(Path(__file__).parent).as_posix().startswith(HEAVY)
    return True if heavy and collection_path not in asked else None


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
        if place in DATED and (not DATED[place] or item.name in DATED[place]):
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
