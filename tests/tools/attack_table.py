"""Prints the page of attacks: python -m tests.tools.attack_table > pbem/docs/attacks.md."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

import tests.audit.attacks_acts
import tests.audit.attacks_dice
import tests.audit.attacks_history
import tests.audit.attacks_keys
import tests.audit.attacks_orders
import tests.audit.attacks_play
import tests.audit.attacks_reveals  # noqa: F401 - each module adds its attacks to the list
from pbem.audit.findings import State
from tests.audit.attack import ATTACKS, Attack

HEAD = """\
# Ways to cheat, and what catches them

Each of these is carried out by the tests: with the judge's own keys, ledger and export, everything rebuilt
and signed anew as far as the cheat's keys go, and co-signed by players who see only what they are shown.
Then the verifiers look at the bundle. An untouched game comes first and passes.

`pbem audit` refutes all of them (exit status 3) but two kinds. Where something is left out that must be
there it says so (missing, exit status 4): what is left out may be what would refute the bundle. And papers
that somebody signed with another key it names as open: they look the same beside the bundle of an honest
judge and beside a forged one. Each attack that the bundle itself convicts is tried again with a file left
out, on both verifiers: what follows from other files is derived, and the bundle is refuted or incomplete.
*script* says whether `verify.sh` does too, which has stock tools only and cannot play the game again.
*with*: the bundle alone suffices, or it takes the head of the genesis as players were told it
(`--genesis`), or receipts and checkpoints that somebody kept (`--held`); without them such a bundle
passes, and the audit says that it was compared with nothing.

This page is printed by `python -m tests.tools.attack_table`.
"""

COLUMNS = "| attack | who | how | what the audit says | with | script |\n|---|---|---|---|---|---|\n"

LIVE_HEAD = """
## While the game goes on

These never come as far as a bundle: the judge's program or the player's refuses them.

| who | how | who notices | test |
|---|---|---|---|
"""

FRAMING = Path(__file__).parents[1] / "attacks/framing/page.md"

LEFT = """
## What nothing here catches

- A judge who tells a player what another ordered, or who lets a friend know dice early.
- A judge who lies about the time. Their dates must agree with each other, with the order of entries and with
  the deadlines; that a file arrived an hour earlier than they say, only the mail's own marks can show.
- A judge who says that a player sent nothing, if the player has no receipt. It gives the judge the better of
  two throws, with that player's reveal and without, at the price of their orders. The player sees in every
  report that they are called absent; the sealed file that went to everybody proves that it was sent, and
  the audit names it (`--held`).
- A reveal after the close for which there is no receipt. The judge can count it as missing; it shows in the
  resolve entry, in every report and in the audit.
- Whoever holds a player's key. To everybody else they are that player.
"""


@dataclass(frozen=True, slots=True)
class Live:
    """An attack that a program refuses at once, and the test that shows it."""

    who: str
    how: str
    notices: str
    test: str


JUDGE, PLAYER = "the judge's program", "the player's program"
BOTH = "both programs"
DESK, HOME = "tests/judge/test_desk.py", "tests/player"
SEATS = "tests/disputes/test_seats.py"
LIVE = (
    Live(
        "stranger",
        "An official brings secrets that are not the judge's to the last audit.",
        "pbem complete",
        "tests/disputes/test_official.py::test_another_judge_s_secrets_are_refused",
    ),
    Live(
        "player",
        "Whoever has alice's key makes a chain to suit the dice, and reveals from it before its time.",
        JUDGE,
        f"{SEATS}::test_a_chain_made_after_others_have_revealed_is_refused_before_its_time",
    ),
    Live(
        "player",
        "Somebody who has left their seat orders for it, or asks for its letters.",
        JUDGE,
        f"{SEATS}::test_who_has_left_neither_signs_nor_receives",
    ),
    Live(
        "player",
        "A substitute asks for what was sent to the player before them.",
        BOTH,
        f"{SEATS}::test_a_substitute_gets_nothing_that_was_sent_to_another",
    ),
    Live(
        "player",
        "A consent to one new key is used for another, or in another exchange.",
        JUDGE,
        f"{SEATS}::test_a_consent_to_one_new_key_serves_for_no_other",
    ),
    Live(
        "stranger",
        "Somebody with the club's folder but not its key makes themselves judge with a key of their own.",
        PLAYER,
        "tests/disputes/test_judges_key.py::test_a_key_that_nobody_has_signed_is_refused_loudly",
    ),
    Live(
        "stranger",
        "A thief enters a key of their own while the player's, by consent, is on its way.",
        JUDGE,
        f"{SEATS}::test_a_thief_cannot_undo_a_new_key",
    ),
    Live(
        "player",
        "Orders signed with another player's key, for another game, exchange, player or side.",
        JUDGE,
        f"{DESK}::test_orders_that_do_not_hold_are_refused_and_logged",
    ),
    Live(
        "player",
        "Orders that co-sign an older ledger, another one, or none.",
        JUDGE,
        f"{DESK}::test_orders_that_do_not_hold_are_refused_and_logged",
    ),
    Live(
        "player",
        "Orders that reveal a later step, an invented one, or none.",
        JUDGE,
        f"{DESK}::test_orders_that_do_not_hold_are_refused_and_logged",
    ),
    Live(
        "player",
        "One revision sent twice with different orders.",
        JUDGE,
        f"{DESK}::test_one_revision_with_two_contents_is_refused",
    ),
    Live(
        "player",
        "One file sent twice, to have two receipts.",
        JUDGE,
        f"{DESK}::test_the_same_file_twice_is_one_receipt",
    ),
    Live(
        "player",
        "Orders for an exchange that is closed.",
        JUDGE,
        f"{DESK}::test_orders_for_a_closed_exchange",
    ),
    Live(
        "player",
        "A reveal in the orders of a game that reveals after the close.",
        JUDGE,
        "tests/judge/test_after_close.py::test_orders_that_reveal_early_are_refused",
    ),
    Live(
        "player",
        "Other words in the orders, to change the dice.",
        "nobody has to: the dice stay",
        "tests/audit/test_live.py::test_no_word_of_the_orders_changes_a_die",
    ),
    Live(
        "player",
        "A key of small order, under which anybody's signature holds.",
        JUDGE,
        "tests/audit/test_live.py::test_a_key_for_which_anything_is_signed_cannot_be_enrolled",
    ),
    Live(
        "judge",
        "A row of the ledger is changed, cut or rewritten in the database.",
        JUDGE,
        "tests/judge/test_bench.py::test_a_changed_row_is_named_and_stops_only_its_game",
    ),
    Live(
        "judge",
        "A restored backup goes on from an older head.",
        JUDGE,
        "tests/disputes/test_backup.py::test_a_head_that_is_not_the_highest_does_not_do",
    ),
    Live(
        "judge",
        "A folder that was copied back goes on beside the one that is ahead of it.",
        JUDGE,
        "tests/mail/test_restore.py::test_a_game_waits_when_a_file_shows_that_it_goes_on_elsewhere",
    ),
    Live(
        "player",
        "A player signs that the ledger was longer, or signs a head themselves, to stop the game.",
        "nobody has to: the game goes on",
        "tests/mail/test_restore.py::test_a_player_s_word_alone_stops_no_game",
    ),
    Live(
        "judge",
        "An exchange is corrected that was played rightly, or without consent.",
        JUDGE,
        "tests/disputes/test_game_master.py::test_what_is_not_wrong_is_not_corrected",
    ),
    Live(
        "judge",
        "A consent to one release is used for another.",
        JUDGE,
        "tests/disputes/test_releases.py::test_a_consent_to_one_release_serves_for_no_other",
    ),
    Live(
        "judge",
        "The game master looks up what a side knows, and nobody learns of it.",
        JUDGE,
        "tests/disputes/test_explain.py::test_a_running_game_is_not_looked_into_unseen",
    ),
    Live(
        "stranger",
        "A forged request for a later exchange, to harvest all reveals before it.",
        PLAYER,
        f"{HOME}/test_attacks.py::test_early_harvest_by_a_stranger",
    ),
    Live(
        "judge",
        "The same by the judge in person.",
        PLAYER,
        f"{HOME}/test_attacks.py::test_early_harvest_by_the_judge",
    ),
    Live(
        "judge",
        "Two signed histories are shown to one player.",
        PLAYER,
        f"{HOME}/test_forks.py::test_two_heads_of_one_size",
    ),
    Live(
        "judge",
        "A history that is shorter than the one shown before.",
        PLAYER,
        f"{HOME}/test_forks.py::test_a_shorter_history",
    ),
    Live(
        "judge",
        "A report that the ledger does not commit to.",
        PLAYER,
        "tests/refusals/homes.py::LETTERS",
    ),
    Live(
        "judge",
        "An entry is told in another text later.",
        PLAYER,
        "tests/refusals/homes.py::LETTERS",
    ),
    Live(
        "judge",
        "A receipt is given, and then the file was never received.",
        PLAYER,
        f"{HOME}/test_receipts.py::test_a_judge_who_denies_his_receipt",
    ),
    Live(
        "judge",
        "Two receipts with one number.",
        PLAYER,
        f"{HOME}/test_receipts.py::test_one_number_given_twice",
    ),
    Live(
        "player",
        "A receipt of another player is passed off as one's own.",
        PLAYER,
        "tests/refusals/homes.py::SIGNED",
    ),
    Live("stranger", "A forged receipt.", PLAYER, "tests/refusals/homes.py::SIGNED"),
    Live(
        "judge",
        "An exchange is closed early, or extended late.",
        PLAYER,
        f"{HOME}/test_receive.py::test_an_early_close_is_remarked",
    ),
    Live(
        "judge",
        "A genesis with another key, anchor or recovery key than the player sent.",
        PLAYER,
        "tests/refusals/homes.py::LETTERS",
    ),
    Live(
        "stranger",
        "A forged invitation comes before the true one, with the player's own anchor in it.",
        PLAYER,
        f"{HOME}/test_forgetting.py::test_an_invitation_of_another_judge_than_the_join_names_is_refused",
    ),
    Live(
        "stranger",
        "The same to a player whose join names no judge, so that they show the first step of their chain.",
        PLAYER,
        f"{HOME}/test_forgetting.py::test_a_chain_that_was_spent_is_never_used_again",
    ),
    Live(
        "judge",
        "A game is played by patched rules.",
        PLAYER,
        f"{HOME}/test_forgetting.py::test_rules_that_this_program_does_not_have_are_named",
    ),
    Live(
        "judge",
        "A close is dated ahead, so that orders seem to have had their time.",
        PLAYER,
        f"{HOME}/test_forgetting.py::test_entries_dated_ahead_of_the_player_s_clock_are_remarked",
    ),
    Live(
        "mail",
        "A mail is rewrapped, quoted, or damaged on its way.",
        "both programs",
        f"{HOME}/test_receive.py::test_a_mangled_mail_still_opens",
    ),
)

LEAGUES_HEAD = """
## In a league

A league's ledger and bundle, forged and signed anew with the judge's own keys in the same way. That nothing
but the forgery convicts is tested as well: a bundle that is only written anew, one of another release, one
from which a file is missing, and a substitute who plays for another refute nobody
(`tests/leagues/test_audit.py`).

| who | how | who notices | test |
|---|---|---|---|
"""

AUDIT, GAMES = "`pbem audit`, with the league's bundle", "`pbem audit --games`, with the game's bundle"
OF_AUDIT, OF_KEYS = "tests/leagues/test_audit.py", "tests/leagues/test_keys.py"
OF_SEASON, OF_TABLES = "tests/leagues/test_season.py", "tests/leagues/test_tables.py"
FORGED = f"{OF_AUDIT}::test_a_forgery_is_found_though_all_is_signed_anew"
LEAGUES = (
    Live("judge", "Two opponents are changed between pairings.", AUDIT, FORGED),
    Live("judge", "A lot falls otherwise than the joint key gives it.", AUDIT, FORGED),
    Live("judge", "A share in a draw that was sent is said to be missing.", AUDIT, FORGED),
    Live("judge", "Somebody's entry has another rating than they signed.", AUDIT, FORGED),
    Live("judge", "Sides are others than bids and dice give.", AUDIT, FORGED),
    Live("judge", "Somebody goes up a class who does not.", AUDIT, FORGED),
    Live("judge", "A result is another than that of its game.", GAMES, FORGED),
    Live(
        "judge",
        "An entrant's file is dropped.",
        "`pbem audit --held`, with their receipt",
        f"{OF_AUDIT}::test_a_dropped_file_is_found_by_its_receipt",
    ),
    Live(
        "judge",
        "Something that somebody has said is dropped, changed or put elsewhere.",
        "`pbem audit --held`, with their receipt",
        "tests/leagues/test_receipts.py::test_what_was_receipted_is_there",
    ),
    Live(
        "judge",
        "The first of the list of substitutes is passed over, or another is admitted before them.",
        AUDIT,
        "tests/leagues/test_substitutes.py::test_who_passes_over_the_first_of_the_list_is_refuted",
    ),
    Live(
        "judge",
        "A game is lost although somebody of the list could have had the place in time.",
        AUDIT,
        "tests/leagues/test_substitutes.py::"
        "test_who_lets_a_game_be_lost_although_somebody_was_on_the_list_is_refuted",
    ),
    Live(
        "judge",
        "Another game is handed in for a pairing's: a friend in a seat, an option changed.",
        GAMES,
        f"{OF_AUDIT}::test_another_game_under_its_name_is_found",
    ),
    Live(
        "judge",
        "A table is counted otherwise, or its places are others, or it is called a forfeit.",
        GAMES,
        f"{OF_TABLES}::test_a_judge_who_enters_another_result_is_refuted",
    ),
    Live(
        "judge",
        "A game is counted by an earlier head, or before its last date.",
        GAMES,
        f"{OF_TABLES}::test_a_game_that_is_counted_too_early_is_refuted",
    ),
    Live(
        "judge",
        "A key is given to an entrant that they have not asked for, or that their old one has not signed.",
        AUDIT,
        f"{OF_KEYS}::test_whoever_changes_their_key_goes_on_and_it_is_proven",
    ),
    Live(
        "judge",
        "A chain or a key of the panel is of the judge's making, or counts without a ruling.",
        AUDIT,
        f"{OF_KEYS}::test_a_chain_or_key_of_the_judges_making_is_refuted",
    ),
    Live(
        "stranger",
        "A statement in another's name, changed on its way, or sent twice.",
        JUDGE,
        f"{OF_SEASON}::test_a_forged_or_foreign_statement_is_refused",
    ),
    Live(
        "player",
        "A new key that is somebody else's, was used before, or is allowed by a key that never counted.",
        JUDGE,
        f"{OF_KEYS}::test_a_key_that_cannot_be_is_refused",
    ),
    Live(
        "judge",
        "A league goes on with another judge's key.",
        JUDGE,
        f"{OF_SEASON}::test_with_another_key_of_the_judge_a_league_stops",
    ),
    Live(
        "judge",
        "The director rules on their own game.",
        JUDGE,
        f"{OF_SEASON}::test_an_official_does_not_rule_on_their_own_game",
    ),
)


def row(attack: Attack) -> str:
    """One attack on a bundle."""
    said = attack.audit.replace("|", "\\|")
    said = f"({attack.state}) {said}" if attack.state != State.REFUTED else said
    script = "yes" if attack.script else "no"
    return f"| {attack.name} | {attack.who} | {attack.how} | {said} | {attack.evidence} | {script} |\n"


def page() -> str:
    """The whole page."""
    rows = [row(attack) for attack in ATTACKS.values()]
    live, leagues = (
        [f"| {one.who} | {one.how} | {one.notices} | `{one.test}` |\n" for one in table]
        for table in (LIVE, LEAGUES)
    )
    framing = FRAMING.read_text(encoding="utf-8")
    return "".join(
        [HEAD, "\n", COLUMNS, *rows, LIVE_HEAD, *live, LEAGUES_HEAD, *leagues, "\n", framing, LEFT]
    )


if __name__ == "__main__":
    sys.stdout.write(page())
