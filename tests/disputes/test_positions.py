"""A player's program goes by the position of the report that the ledger commits, whatever a notice shows."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from pbem.judge.club import open_club
from pbem.letter_checks import difference, find_contradiction
from pbem.player.home import Home
from pbem.reports.packing import pack_view, unpack, unpack_view
from pbem.trust.keys import PublicKey
from pbem.trust.letters import (
    NOTICE,
    REPORT,
    Addresses,
    ForecastLetter,
    OrdersCopy,
    ReportLetter,
    read_report,
    sign_copy,
    sign_forecast,
    sign_report,
)
from tests.disputes.letters import opened_letters
from tests.disputes.story import GAME, Run, Story
from tests.disputes.test_seats import rotation, substitute

pytestmark = pytest.mark.ci


def home_of(story: Story, name: str) -> Home:
    return Home(story.folder / name)


def club_key(story: Story) -> PublicKey:
    club = open_club(story.folder / "club")
    club.store.close()
    return club.key.public


def letter_of(
    story: Story, name: str, exchange: int, text: str, kind: str = NOTICE, addresses: Addresses | None = None
) -> bytes:
    """A letter that the judge signs, which brings no new entry."""
    home = home_of(story, name)
    folder = home.folder(GAME)
    chronicle = folder.chronicle()
    assert chronicle is not None
    signed = folder.judge_statements.checkpoint(chronicle.size)
    enrolled = chronicle.enrolled_player(folder.player)
    assert signed is not None
    assert enrolled is not None
    club = open_club(story.folder / "club")
    letter = ReportLetter(
        game=GAME, exchange=exchange, player=folder.player, audience=enrolled.side, report=text,
        leaves=(), opened=(), checkpoint=signed.checkpoint, signature=signed.armor, kind=kind,
        addresses=addresses or Addresses(),
    )  # fmt: skip
    data = sign_report(letter, club.key)
    club.store.close()
    return data


def with_other_view(report: str) -> str:
    """The report with a position in which one block stands elsewhere, and nothing else changed."""
    found = unpack(report)
    assert found is not None
    view, told = found
    at, _, rest = report.partition("begin view\n")
    lines = pack_view({**view, "moved": "by the judge"}, told)
    return at + "\n".join(lines) + rest.partition("end view")[2]


def receive(story: Story, name: str, data: bytes, status: int) -> str:
    path = story.folder / "letter.txt"
    path.write_bytes(data)
    got = story.pbem("receive", path, home=name, status=status)
    return got.out + got.err


def test_a_position_that_a_notice_brings_for_the_open_exchange_is_not_gone_by(played: Story) -> None:
    played.receive("alice")
    home = home_of(played, "alice")
    before = home.last_report(GAME)
    assert before is not None
    told = receive(played, "alice", letter_of(played, "alice", 4, with_other_view(before)), 1)
    assert "its position is not that of the report of exchange 3" in told
    assert "the notice" in told
    (place,) = home.folder(GAME).judge_statements.evidence()
    assert (place / "letter.txt").exists()
    assert home.last_report(GAME) == before


def test_an_invented_event_or_form_is_found_as_well(played: Story) -> None:
    played.receive("alice")
    before = home_of(played, "alice").last_report(GAME)
    assert before is not None
    for lie in (before.replace("side scotland", "side england"), before.replace("WHAT", "WHATEVER", 1)):
        assert "its position is not that" in receive(played, "alice", letter_of(played, "alice", 4, lie), 1)
    assert home_of(played, "alice").last_report(GAME) == before


def test_a_lie_that_an_older_program_has_kept_is_not_gone_by(played: Story) -> None:
    played.receive("alice")
    home = home_of(played, "alice")
    before = home.last_report(GAME)
    assert before is not None
    home.folder(GAME).keep_notice(4, 99, with_other_view(before))
    assert home.last_report(GAME) == before


def test_a_report_s_entries_are_taken_in_though_it_lies(played: Story) -> None:
    """The next letter goes on from them."""
    played.receive("alice")
    home = home_of(played, "alice")
    assert receive(played, "alice", letter_of(played, "alice", 3, "All is lost.\n", REPORT), 1)
    played.exchange()
    assert "Exchange 4 has been played" in played.receive("alice")
    assert "All is lost" not in str(home.last_report(GAME))


def test_after_a_roll_back_the_honest_notice_is_shown_and_a_lie_is_not(played: Story) -> None:
    played.act("roll-back 3", "a wrong map", played.consent("roll-back 3"))
    shown = played.receive("alice")
    assert "its position" not in shown
    home = home_of(played, "alice")
    honest = home.last_report(GAME)
    assert honest is not None
    assert "Exchange 5 is open" in honest
    second = home.folder(GAME).report(2)
    assert second is not None
    assert unpack_view(honest) == unpack_view(second)
    told = receive(played, "alice", letter_of(played, "alice", 5, with_other_view(honest)), 1)
    assert "its position is not that of the report of exchange 2" in told
    assert home.last_report(GAME) == honest
    assert not told.count("was received before")
    assert "this was received before" in receive(played, "alice", letter_of(played, "alice", 5, honest), 0)


def test_who_takes_a_seat_after_a_roll_back_gets_the_bytes_that_were_committed(played: Story) -> None:
    played.receive("alice")
    played.act("roll-back 3", "a wrong map", played.consent("roll-back 3"))
    committed = home_of(played, "alice").folder(GAME).report(2)
    substitute(played, "alice", exchange=5)
    shown = played.receive("carol")
    assert "Exchange 5 is open now, and your orders are for it" in shown
    home = home_of(played, "carol")
    assert home.folder(GAME).report(2) == committed
    assert home.last_report(GAME) == str(committed).replace("\nexchange 3\n", "\nexchange 5\n")
    draft = played.folder / "draft.txt"
    draft.write_text(home.form(GAME), encoding="utf-8")
    got = played.pbem("check", draft, home="carol", status=None)
    assert "no report for these orders" not in got.out + got.err


def test_a_lie_in_the_first_letter_to_a_new_holder_is_found(played: Story) -> None:
    """Their home has had nothing of the judge's before."""
    substitute(played, "alice")
    (letter,) = (played.folder / "club/out/carol").glob("*-seat-*")
    got = played.pbem("receive", letter, home="carol")
    assert "is not the one" not in got.err
    home = home_of(played, "carol")
    before = home.last_report(GAME)
    assert before is not None
    lie = letter_of(played, "carol", 4, with_other_view(before))
    assert "its position is not that" in receive(played, "carol", lie, 1)


def test_a_position_pasted_into_a_draft_is_named_and_not_gone_by(played: Story) -> None:
    played.receive("alice")
    before = home_of(played, "alice").last_report(GAME)
    assert before is not None
    draft, lie = played.folder / "draft.txt", played.folder / "lie.txt"
    draft.write_text(with_other_view(before), encoding="utf-8")
    told = "shows another position than the one that the judge has committed to"
    assert told in played.pbem("check", draft, home="alice", status=None).out
    lie.write_text(with_other_view(before), encoding="utf-8")
    assert told not in played.pbem("check", draft, "--report", lie, home="alice", status=None).out
    draft.write_text(before, encoding="utf-8")
    assert told not in played.pbem("check", draft, home="alice", status=None).out


def test_more_addresses_for_copies_than_opponents_are_not_kept(played: Story) -> None:
    played.receive("alice")
    home = home_of(played, "alice")
    known = home.folder(GAME).addresses()
    many = Addresses(judge="x@example.org", copies=tuple(f"a{n}@example.org" for n in range(5_000)))
    told = receive(played, "alice", letter_of(played, "alice", 4, "Nothing.\n", addresses=many), 1)
    assert "it names 5000 addresses for copies of your orders, and you have 1 opponents" in told
    assert home.folder(GAME).addresses() == known


def test_a_forecast_of_another_s_file_is_remarked(played: Story) -> None:
    played.receive("alice")
    club = open_club(played.folder / "club")
    said = ForecastLetter(
        game=GAME, exchange=4, player="alice", sealed="0" * 64, forecast="All will be well.\n"
    )
    data = sign_forecast(said, club.key)
    club.store.close()
    told = receive(played, "alice", data, 0)
    assert "that nothing here knows as yours" in told
    assert "received before" not in told


@pytest.mark.parametrize(
    ("player", "told"), [("alice", "is not your opponent"), ("bob", "exchange 3 is closed")]
)
def test_a_copy_that_the_ledger_does_not_bear_out_is_remarked(played: Story, player: str, told: str) -> None:
    played.receive("alice")
    played.pbem("seal", "--bare", "--game", GAME, "--out", played.folder / "own.age", home="alice")
    armor = (played.folder / "own.age").read_text(encoding="ascii")
    club = open_club(played.folder / "club")
    passed = OrdersCopy(game=GAME, exchange=3, player=player, to="alice", armor=armor)
    data = sign_copy(passed, club.key)
    club.store.close()
    assert told in receive(played, "alice", data, 0)


def test_a_report_that_no_entry_commits_convicts_the_judge_by_what_was_kept(played: Story) -> None:
    played.receive("alice")
    held = played.folder / "alice/games" / GAME / "held"
    bundle = played.bundle()
    said = "the judge signed another report of exchange 3 to scotland"
    assert said not in played.pbem("audit", bundle, "--held", held, status=None).out
    receive(played, "alice", letter_of(played, "alice", 3, "All is lost.\n", REPORT), 1)
    assert said in played.pbem("audit", bundle, "--held", held, status=3).out


def test_a_notice_with_another_position_convicts_the_judge_by_what_was_kept(played: Story) -> None:
    played.receive("alice")
    home = home_of(played, "alice")
    before = home.last_report(GAME)
    assert before is not None
    bundle, held = played.bundle("scotland"), home.folder(GAME).path / "held"
    said = "the judge signed another letter about exchange 4 to alice than the ledger bears out: its position"
    assert said not in played.pbem("audit", bundle, "--held", held).out
    receive(played, "alice", letter_of(played, "alice", 4, with_other_view(before)), 1)
    assert said in played.pbem("audit", bundle, "--held", held, status=3).out
    public = played.pbem("audit", played.bundle("public"), "--held", held, status=None).out
    assert said not in public, "the report that it differs from is not there"


LIES = {
    "the judge's key": ("judge's key SHA256:", "judge's key SHA256:A"),
    "a player's key": (", key SHA256:", ", key SHA256:A"),
    "a player's name": (": bob, key", ": carol, key"),
    "a player's side": ("  england: ", "  wales: "),
    "the reader's side": (", as scotland.", ", as england."),
    "the game": ("to the game stirling", "to the game sterling"),
    "the rules": ("rules hammer", "rules lords"),
    "the first head": ("  head: ", ""),
}


@pytest.mark.parametrize("what", LIES)
def test_an_invitation_that_says_otherwise_than_genesis_is_found(played: Story, what: str) -> None:
    played.receive("alice")
    home = home_of(played, "alice")
    invitation = home.folder(GAME).report(0)
    assert invitation is not None
    chronicle = home.folder(GAME).chronicle()
    assert chronicle is not None
    old, new = LIES[what] if what != "the first head" else (chronicle.heads[0], chronicle.heads[1])
    assert old in invitation
    lie = invitation.replace(old, new, 1)
    told = receive(played, "alice", letter_of(played, "alice", 0, lie, REPORT), 1)
    assert "and the letter is kept as evidence" in told
    held = home.folder(GAME).path / "held"
    said = "the judge signed another invitation to alice than the ledger bears out"
    assert said in played.pbem("audit", played.bundle("public"), "--held", held, status=3).out


def test_an_invitation_to_another_page_is_the_judges_word_alone(played: Story) -> None:
    """The table of the protocol says so; so is one of a release that tells less."""
    played.receive("alice")
    folder = home_of(played, "alice").folder(GAME)
    invitation, chronicle = folder.report(0), folder.chronicle()
    assert invitation is not None
    assert chronicle is not None
    page = f"To play in a browser, and install nothing:  https://x.example/\nUse it only\n\n  {'a' * 64}\n"
    for text, said in (
        (f"{invitation}\n{page}", ""),
        ("Welcome.\n", ""),
        (f"{invitation}\nExchange 1 is open until 2031-01-01 20:00 UTC.\n", "the deadline"),
        (f"{invitation}\n  {'a' * 64}\n", "the head of the first entry"),
        (
            f"{invitation}\noptions that differ from the usual ones\n  scenario bruce\n",
            "the option 'scenario'",
        ),
    ):
        letter = read_report(letter_of(played, "alice", 0, text, REPORT), club_key(played))
        found = find_contradiction(letter, chronicle.history, chronicle.heads, lambda _: None)
        assert found.startswith(said)
        assert bool(found) == bool(said)


def after_roll_back(story: Story) -> str:
    """Alice has the honest notice of a roll-back: the position that it shows."""
    story.receive("alice")
    story.act("roll-back 3", "a wrong map", story.consent("roll-back 3"))
    story.receive("alice")
    honest = home_of(story, "alice").last_report(GAME)
    assert honest is not None
    return honest


RETOLD = {
    "a remark of the form that is none": (
        "to Angus. If you say nothing: you are asked later.\n",
        "to Angus. If you say nothing:\nyou are asked later.\n",
    ),
    "the form for another exchange": ("\nexchange 5\n", "\nexchange 3\n"),
    "a number that is that of the exchange": ("  Mentieth   3 ", "  Mentieth   5 "),
    "a number no larger than the ledger": ("Only 2 may cross", "Only 4 may cross"),
    "a line that is no line any more": ("Highlands\n", "Highlands "),
}


@pytest.mark.parametrize("what", RETOLD)
def test_a_notice_may_not_tell_a_position_in_other_words_or_lines(played: Story, what: str) -> None:
    honest = after_roll_back(played)
    old, new = RETOLD[what]
    assert honest.count(old) == 1
    form = home_of(played, "alice").form(GAME)
    ledger = re.search(r"The ledger holds [0-9]+ entries", honest)
    assert ledger is not None
    for text in (honest, honest.replace(ledger[0], "The ledger holds 28 entries")):
        told = receive(played, "alice", letter_of(played, "alice", 5, text.replace(old, new)), 1)
        assert "its position is not that of the report of exchange 2" in told
    assert home_of(played, "alice").last_report(GAME) == honest
    assert home_of(played, "alice").form(GAME) == form


def test_the_words_of_a_position_are_compared_though_its_exchange_has_no_deadline(played: Story) -> None:
    """The attack: the exchange after a roll-back has none, and so the notice may say what it likes."""
    honest = after_roll_back(played)
    chronicle = home_of(played, "alice").folder(GAME).chronicle()
    assert chronicle is not None
    history = chronicle.history
    opened = history.exchanges[4]
    without = replace(opened, opened=replace(opened.opened, deadline=None))
    last, second = history.exchanges[1], home_of(played, "alice").folder(GAME).report(2)
    assert second is not None
    retold = re.sub(r" until [0-9TZ:-]{20}\.", ".", honest)
    for text, same in (
        (retold, True),
        (retold.replace("nothing: you are asked later.", "nothing:\nconcede"), False),
    ):
        found = difference(history, chronicle.heads, last, without, second, text)
        assert (found == "") is same
    other = second.replace("Exchange 3 is open", "Exchange 3 has begun")
    assert difference(history, chronicle.heads, last, opened, other, honest) is None


def test_a_letter_that_is_newer_than_a_bundle_does_not_convict_the_judge(played: Story) -> None:
    played.receive("alice")
    bundle = played.bundle("public")
    played.act("roll-back 3", "a wrong map", played.consent("roll-back 3"))
    held = played.folder / "opened"
    held.mkdir()
    for number, text in enumerate(opened_letters(played.folder / "club", played.folder / "alice")):
        (held / f"{number}.txt").write_bytes(text)
    told = played.pbem("audit", bundle, "--held", held, status=0).out
    assert "signed another" not in told
    assert "a letter about exchange 5 is newer than this bundle" in told


def test_another_invitation_does_not_take_the_place_of_the_first(fresh: Story) -> None:
    """A new key in exchange 1 brings it again: meanwhile the club has come to recommend a page."""
    fresh.begin()
    fresh.receive("alice")
    first = home_of(fresh, "alice").folder(GAME).report(0)
    settings = fresh.folder / "club/club.toml"
    page = f'\n[page]\naddress = "https://pages.example/"\nsha256 = "{"a" * 64}"\n'
    settings.write_text(settings.read_text(encoding="utf-8") + page, encoding="utf-8")
    path, _ = rotation(fresh, "--new", "alice", "--chain", 2, exchange=1)
    fresh.pbem("replace-key", path)
    assert "this is another invitation than the one that was received first" in fresh.receive("alice")
    assert home_of(fresh, "alice").folder(GAME).report(0) == first
    fresh.exchange()
    assert "Exchange 1 has been played" in fresh.receive("alice")


def test_two_notices_of_one_ledger_are_both_news(played: Story) -> None:
    played.receive("alice")
    before = "this was received before"
    assert before not in receive(played, "alice", letter_of(played, "alice", 4, "Nothing.\n"), 0)
    assert before in receive(played, "alice", letter_of(played, "alice", 4, "Nothing.\n"), 0)
    assert before not in receive(played, "alice", letter_of(played, "alice", 4, "Send today.\n"), 0)


def invited(story: Story, change: Callable[[str], str], **fields: Any) -> Run:
    """Alice receives the first letter of a game, which the judge has changed and signed."""
    story.begin("--option", "scenario=the-bruce")
    (text,) = opened_letters(story.folder / "club", story.folder / "alice")
    club = open_club(story.folder / "club")
    letter = read_report(text, club.key.public)
    path = story.folder / "letter.txt"
    path.write_bytes(sign_report(replace(letter, report=change(letter.report), **fields), club.key))
    club.store.close()
    return story.pbem("receive", path, home="alice", status=None)


CHOSEN = "options that differ from the usual ones\n  scenario the-bruce\n"
UNSAID = {
    "an option": (CHOSEN, "all options are the usual ones\n", "scenario the-bruce"),
    "a player": ("  england: bob, key SHA256", "  england: bob, the key SHA256", "england: bob, key SHA256:"),
    "the rules": ("rules hammer", "rules: hammer", "rules hammer"),
    "nothing": ("You are", "You are", ""),
}


@pytest.mark.parametrize("what", UNSAID)
def test_what_an_invitation_leaves_unsaid_is_told_from_genesis(fresh: Story, what: str) -> None:
    old, new, unsaid = UNSAID[what]
    told = invited(fresh, lambda text: text.replace(old, new))
    said = "the game's first entry says, and this letter does not in these words: "
    assert told.status == 0
    assert (f"{said}{unsaid}" in told.err) is bool(unsaid)
    assert (said in told.err) is bool(unsaid)


@pytest.mark.parametrize("exchange", [0, 1])
def test_a_notice_is_no_way_round_the_checks_of_an_invitation(fresh: Story, exchange: int) -> None:
    lie = CHOSEN.replace("the-bruce", "braveheart")
    told = invited(fresh, lambda text: text.replace(CHOSEN, lie), kind=NOTICE, exchange=exchange)
    assert told.status == (1 if exchange == 0 else 0)
    assert ("it says 'braveheart'" if exchange == 0 else "in these words: scenario the-bruce") in told.err


@pytest.mark.parametrize("shown", ["pbem1 orders\ngame stirling\nexchange 1\n---\nconcede\n", "begin view\n"])
def test_an_invitation_with_a_form_or_position_is_refused(fresh: Story, shown: str) -> None:
    told = invited(fresh, lambda text: f"{text}\n{shown}")
    assert "it shows a position or an order form, and no report has been made yet" in told.err
    assert home_of(fresh, "alice").form(GAME) == ""
