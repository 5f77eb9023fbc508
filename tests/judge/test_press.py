"""Messages are passed on to their readers alone, and nothing else of a club knows of them."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from pbem.audit import audit
from pbem.errors import ConfigError
from pbem.judge.agenda import read_agendas
from pbem.judge.export import export
from pbem.judge.intake import desk
from pbem.judge.intake.waiting_list import waiting_for_director
from pbem.judge.letters.wishes import free_from, keep_wishes
from pbem.judge.new_keys import rotate
from pbem.judge.press import SEALED_ONLY, WAITS
from pbem.judge.press.desk import (
    MAX_AHEAD,
    MAX_IN_PASS,
    MAX_PER_DAY,
    MAX_REPORTS,
    forget_press,
    look_again,
    press_settings,
    release_held,
)
from pbem.judge.press.director import (
    close_press,
    read_for_director,
    send_terms,
    unread_by_director,
    write_as_director,
)
from pbem.judge.tables.note_tables import CONFIRMED, RESTORED
from pbem.service.doctor import examine
from pbem.trust import keys, sealing
from pbem.trust.armor import find_sealed
from pbem.trust.keys import PublicKey
from pbem.trust.press import (
    GM,
    GREY,
    MAX_SEALED_SIZE,
    NOBODY,
    PressPaper,
    read_letter,
    read_terms,
    sign_message,
)
from pbem.trust.rotations import sign_rotation
from pbem.trust.sealing import LETTER_SIZE
from tests.audit.script import verify_sh
from tests.judge.every_game import run_pass
from tests.judge.press import allow, bytes_of, letters_of, message_of, read_by, sealed_message, write
from tests.judge.table import GAME, Table, make_table


@pytest.fixture
def three(tmp_path: Path) -> Table:
    """A table of three at which players are named when they write."""
    table = make_table(tmp_path, title="lords", players=3)
    allow(table)
    return table


def state(table: Table) -> object:
    """All that must not know of press: ledger, heads, deadlines, and every other letter."""
    others = [
        (letter.player, letter.name, letter.text, letter.deadline, letter.calendar)
        for letter in table.club.store.letters()
        if "-press-" not in letter.name
    ]
    return (
        table.ledger(),
        table.club.store.checkpoints(GAME),
        others,
        read_agendas(table.club),
        table.club.store.notes("mailbox"),
    )


def test_a_message_reaches_its_readers_at_once_and_nobody_else(three: Table) -> None:
    before = state(three)
    verdict = write(three, "alice", "bob", "Leave Fife to me?\n", subject="Fife")
    assert (verdict.is_accepted, verdict.person) == (True, "alice")
    (shown,) = read_by(three, "bob")
    assert (shown.text, shown.subject, shown.receipt.writer) == ("Leave Fife to me?\n", "Fife", "alice")
    assert shown.signer == three.people["alice"].key.public
    assert shown.receipt.at == three.clock()
    assert read_by(three, "alice") == [shown]
    assert letters_of(three, "carol") == []
    assert state(three) == before


def test_all_and_sides_are_readers_and_the_writer_is_none(three: Table) -> None:
    write(three, "alice", "all", "To all.\n")
    write(three, "alice", f"side/{three.people['carol'].side}", "To you.\n")
    assert [one.text for one in read_by(three, "bob")] == ["To all.\n"]
    assert [one.text for one in read_by(three, "carol")] == ["To all.\n", "To you.\n"]
    assert len(letters_of(three, "alice")) == 2
    assert not write(three, "alice", f"side/{three.people['alice'].side}").is_accepted


def test_letters_about_press_are_all_of_one_size_and_name(three: Table) -> None:
    write(three, "alice", "all", "a\n")
    write(three, "alice", "all", "b" * 16_000 + "\n", number=2)
    assert {len(text) for text in letters_of(three, "bob") + letters_of(three, "alice")} == {LETTER_SIZE}
    names = [one.name for one in three.club.store.letters() if "-press-" in one.name]
    assert len(set(names)) == 6
    assert all(len(name) == len(f"{GAME}-press-{'0' * 12}.txt") for name in names)
    assert all(not one.text for one in three.club.store.letters() if "-press-" in one.name)


def test_readers_of_a_grey_message_do_not_learn_who_wrote(three: Table) -> None:
    allow(three, "grey")
    assert write(three, "alice", "bob carol", "Beware.\n", kind=GREY).is_accepted
    for name in ("bob", "carol"):
        (shown,) = read_by(three, name)
        assert (shown.receipt.writer, shown.message, shown.text) == (NOBODY, None, "Beware.\n")
        (text,) = letters_of(three, name)
        secret = three.people["alice"].key.public
        assert b"alice" not in text
        assert secret.line.encode() not in text
        assert message_of(three, "alice", "bob carol", "Beware.\n", kind=GREY).sha256.encode() not in text
    (own,) = read_by(three, "alice")
    assert own.receipt.writer == "alice"


def test_a_grey_message_is_the_same_bytes_whoever_wrote_it(tmp_path: Path) -> None:
    told = []
    for writer in ("alice", "bob"):
        table = make_table(tmp_path / writer, title="lords", players=3)
        allow(table, "grey")
        write(table, writer, "carol", "Beware.\n", kind=GREY)
        told.append((letters_of(table, "carol"), [one.name for one in table.club.store.letters()][-1]))
    assert told[0] == told[1]


@pytest.mark.ci
def test_who_is_no_reader_sees_the_same_bytes_in_both_worlds(tmp_path: Path) -> None:
    """Also in a message that reaches them: neither number nor time tells of others."""
    seen, sent = [], dict[tuple[int, str], bytes]()
    for has_private in (False, True):
        table = make_table(tmp_path / str(has_private), title="lords", players=3)
        allow(table)
        if has_private:
            write(table, "alice", "bob", "Against carol.\n")
            write(table, "bob", "alice", "Yes.\n")
        write(table, "alice", "all", "Good day.\n")
        write(table, "alice", "carol", "Peace.\n")
        play_by(table, sent)
        letters = [one for one in table.club.store.letters() if one.player == "carol"]
        seen.append(
            (letters_of(table, "carol"), [(one.name, one.text, one.calendar, one.at) for one in letters])
        )
    assert len(seen[0][0]) == 2
    assert seen[0] == seen[1]


ALLOWED = [
    ("none", "all", "white", "has no press"),
    ("none", GM, "white", "has no press"),
    ("public", "all", "white", ""),
    ("public", "bob", "white", "only write to all"),
    ("public", GM, "white", ""),
    ("white", "bob", "white", ""),
    ("white", "bob", "grey", "whoever writes is named"),
    ("grey", "bob", "grey", ""),
    ("grey", "all", "grey", ""),
]


@pytest.mark.parametrize(("kind", "to", "how", "why"), ALLOWED)
def test_each_kind_of_press_allows_what_it_says(
    tmp_path: Path, kind: str, to: str, how: str, why: str
) -> None:
    table = make_table(tmp_path, title="lords", players=3)
    allow(table, kind)
    verdict = write(table, "alice", to, kind=how)
    assert verdict.is_accepted is not bool(why)
    assert why in verdict.text
    assert bool(letters_of(table, "bob")) is (not why and to != GM)


def test_without_a_word_in_club_toml_there_is_no_press(tmp_path: Path) -> None:
    table = make_table(tmp_path, title="lords", players=3)
    assert "has no press" in write(table, "alice", "bob").text
    assert list(send_terms(table.club, read_agendas(table.club).values())) == []
    assert letters_of(table, "bob") == []


def test_what_was_passed_on_is_not_passed_on_again(three: Table) -> None:
    assert write(three, "alice", "bob").is_accepted
    three.clock.pass_days(1)
    again = message_of(three, "alice", "bob", made=three.clock() - timedelta(days=1))
    (verdict,) = desk.submit(three.club, sealed_message(three, again))
    assert verdict.is_accepted
    assert "before" in verdict.text
    assert len(letters_of(three, "bob")) == 1
    verdict = write(three, "alice", "bob", "Another text.\n")
    assert not verdict.is_accepted
    assert "the next is 2" in verdict.text
    assert write(three, "alice", "bob", "Another text.\n", number=3).is_accepted
    assert write(three, "alice", "bob", "The one between.\n", number=2).is_accepted
    assert not write(three, "alice", "bob", "Far.\n", number=3 + MAX_AHEAD + 1).is_accepted
    assert write(three, "alice", "bob", "Not so far.\n", number=3 + MAX_AHEAD).is_accepted


@pytest.mark.parametrize("wrong", ["key", "game", "ahead", "reader", "stranger", "junk", "size", "orders"])
def test_what_is_wrong_reaches_nobody(three: Table, wrong: str) -> None:
    message = message_of(three, "alice", "bob")
    before = state(three)
    sealed = {
        "key": lambda: sealed_message(three, message, three.people["carol"].key),
        "game": lambda: sealed_message(three, replace(message, genesis="a" * 64)),
        "ahead": lambda: sealed_message(three, replace(message, made=three.clock() + timedelta(days=2))),
        "reader": lambda: sealed_message(three, replace(message, to=("dora",))),
        "stranger": lambda: sealed_message(three, replace(message, writer="mallory"), keys.generate("m")),
        "junk": lambda: sealing.seal(b"hello\n", [three.club.key.public]),
        "size": lambda: sealing.seal(b"\n" * MAX_SEALED_SIZE, [three.club.key.public]),
        "orders": lambda: sealing.seal(b"pbem1 orders\n", [three.club.key.public]),
    }[wrong]()
    (verdict,) = desk.submit(three.club, sealed)
    assert not verdict.is_accepted
    assert verdict.is_press
    assert not verdict.apart
    assert bool(verdict.player) is (wrong in ("game", "ahead", "reader"))
    assert [letters_of(three, name) for name in three.people] == [[], [], []]
    assert state(three) == before


def test_a_message_that_is_not_sealed_is_refused_with_the_reason(three: Table) -> None:
    signed = sign_message(message_of(three, "alice", "bob"), three.people["alice"].key)
    (verdict,) = desk.submit(three.club, signed)
    assert (verdict.is_accepted, verdict.text) == (False, SEALED_ONLY)
    assert "Talk" in SEALED_ONLY
    assert letters_of(three, "bob") == []


def test_a_day_has_so_many_messages_of_a_writer_and_reports_besides(three: Table) -> None:
    allow(three, per_day=2)
    assert [write(three, "alice", "bob", number=place).is_accepted for place in (1, 2, 3)] == [
        True,
        True,
        False,
    ]
    assert write(three, "bob", "alice").is_accepted
    most = [write(three, "alice", GM, number=place).is_accepted for place in range(1, MAX_REPORTS + 2)]
    assert most == [True] * MAX_REPORTS + [False]
    three.clock.pass_days(1)
    assert write(three, "alice", "bob", number=3).is_accepted


def test_a_flood_of_messages_waits_and_orders_do_not(three: Table) -> None:
    """One pass opens so many; what comes after them is looked at all the same."""
    allow(three, per_day=MAX_PER_DAY)
    sealed = [
        sealed_message(three, message_of(three, "bob", "alice", f"{number}\n", number=number % 90 + 1))
        for number in range(3)
    ]
    with three.club.store.step():
        at_desk = desk.open_desk(three.club)
        at_desk.messages = MAX_IN_PASS - 1
        verdicts = [desk.take_sealed(at_desk, one) for one in sealed]
        orders = desk.take_sealed(at_desk, sealing.seal(b"x", [three.club.key.public]))
        taken = desk.take_sealed(at_desk, find_sealed(three.sealed("carol"))[0])
    assert [one.is_accepted for one in verdicts] == [True, False, False]
    assert verdicts[1].text == orders.text == WAITS
    assert taken.is_accepted
    assert taken.new


def test_what_waited_is_taken_in_by_the_next_pass(three: Table) -> None:
    sealed = sealed_message(three, message_of(three, "bob", "alice"))
    with three.club.store.step():
        number = three.club.store.add_incoming("2026-01-01T00:00:00Z", sealed, "")
        three.club.store.finish_incoming(number, WAITS)
        three.club.store.put_note("press waits", "yes")
    look_again(three.club)
    (verdict,) = desk.take_in_waiting(three.club)
    assert verdict.is_accepted
    look_again(three.club)
    assert desk.take_in_waiting(three.club) == []


@pytest.mark.ci
def test_the_director_closes_press_by_the_one_entry(three: Table, tmp_path: Path) -> None:
    write(three, "alice", "bob")
    before = len(three.ledger())
    assert close_press(three.club, GAME, "quarrels") == f"{GAME}: its press is closed"
    three.reopen()
    (entry,) = three.ledger()[before:]
    assert entry == b"press 1 closed\nat 2026-01-01T12:00:00Z\nreason quarrels\n"
    assert "quarrels" in write(three, "alice", "bob", number=2).text
    assert write(three, "alice", GM).is_accepted
    with pytest.raises(ConfigError, match="already"):
        close_press(three.club, GAME, "again")
    told = [one.text for one in three.club.store.letters() if one.player == "carol"][-1]
    assert "The director has closed the press" in told
    three.go(2)
    export(three.club, GAME, "public", tmp_path / "bundle")
    findings = audit(tmp_path / "bundle")
    assert not findings.is_refuted
    assert findings.status == 0
    status, said = verify_sh(tmp_path / "bundle")
    assert status == 0, said


def test_the_director_reads_what_is_sent_to_them_and_what_is_reported(three: Table) -> None:
    write(three, "alice", "bob", "I shall burn your house.\n")
    (text,) = letters_of(three, "bob")
    paper = read_letter(text, three.club.key.public).paper
    assert write(three, "bob", GM, "Is that allowed?\n", about=paper.data).is_accepted
    assert list(unread_by_director(three.club)) == [f"press {GAME}"]
    (line,) = waiting_for_director(three.club, ())
    assert line.startswith(f"a player of {GAME} has written to you")
    (found,) = read_for_director(three.club, GAME)
    assert (found.shown.text, found.shown.receipt.writer) == ("Is that allowed?\n", "bob")
    assert found.reported is not None
    assert found.reported.text == "I shall burn your house.\n"
    assert found.reported.signer == three.people["alice"].key.public
    assert found.is_new
    assert unread_by_director(three.club) == {}
    assert waiting_for_director(three.club, ()) == []
    assert [one.is_new for one in read_for_director(three.club)] == [False]
    assert letters_of(three, "alice") == letters_of(three, "alice")[:1]


def test_nobody_reports_what_the_judge_has_not_signed(three: Table) -> None:
    write(three, "alice", "bob", "Peace?\n")
    (text,) = letters_of(three, "bob")
    paper = read_letter(text, three.club.key.public).paper
    forged = replace(message_of(three, "alice", "bob"), text="War!\n")
    message = sign_message(forged, three.people["bob"].key)
    verdict = write(
        three, "bob", GM, "Look!\n", about=PressPaper(receipt=paper.receipt, message=message).data
    )
    assert not verdict.is_accepted
    assert read_for_director(three.club) == ()


def test_the_director_writes_to_a_game_to_somebody_and_to_the_club(three: Table) -> None:
    allow(three, "none")
    write_as_director(three.club, GAME, ("all",), "Welcome", "Have fun.")
    write_as_director(three.club, GAME, ("bob",), "", "You are late\x1b[2J.")
    write_as_director(three.club, "club", ("all",), "", "The club meets on Friday.")
    assert [one.text for one in read_by(three, "bob")] == [
        "Have fun.\n",
        "You are late [2J.\n",
        "The club meets on Friday.\n",
    ]
    assert {one.receipt.writer for one in read_by(three, "bob")} == {GM}
    assert len(read_by(three, "carol")) == 2
    with pytest.raises(ConfigError, match="nobody"):
        write_as_director(three.club, GAME, ("dora",), "", "Hello.")


def test_quiet_hours_and_the_digest_hold_letters_back_and_lose_none(three: Table) -> None:
    with three.club.store.step():
        keep_wishes(three.club.store, "bob", quiet="11:00-13:30")
        keep_wishes(three.club.store, "carol", digest="18:00")
    write(three, "alice", "all", "One.\n")
    write(three, "alice", "all", "Two.\n", number=2)
    assert letters_of(three, "bob") == letters_of(three, "carol") == []
    assert len(letters_of(three, "alice")) == 2
    assert list(release_held(three.club)) == []
    three.clock.now += timedelta(hours=2)
    assert len(list(release_held(three.club))) == 1
    assert [one.text for one in read_by(three, "bob")] == ["One.\n", "Two.\n"]
    assert letters_of(three, "carol") == []
    three.clock.now += timedelta(hours=4)
    assert len(list(release_held(three.club))) == 1
    assert len(letters_of(three, "carol")) == 2
    assert (
        len([one for one in three.club.store.letters() if one.player == "carol" and "-press-" in one.name])
        == 1
    )
    assert three.club.store.notes("press held") == {}
    with three.club.store.step():
        keep_wishes(three.club.store, "carol", digest=NOBODY)
    assert free_from(three.club.store, "carol") is None


def test_quiet_hours_over_midnight_are_those_of_the_player_s_zone(three: Table) -> None:
    with three.club.store.step():
        keep_wishes(three.club.store, "bob", quiet="22:00-07:00")
    for hour, is_quiet in ((21, False), (22, True), (23, True), (6, True), (7, False), (12, False)):
        three.clock.now = three.clock.now.replace(hour=hour)
        assert (free_from(three.club.store, "bob") is not None) is is_quiet
    three.clock.now = three.clock.now.replace(hour=23)
    until = free_from(three.club.store, "bob")
    assert until == three.clock.now.replace(hour=7) + timedelta(days=1)


def test_terms_are_told_once_and_again_when_they_change(three: Table) -> None:
    judge: PublicKey = three.club.key.public
    for kind, count in (("white", 1), ("white", 1), ("public", 2), ("none", 3)):
        allow(three, kind)
        list(send_terms(three.club, read_agendas(three.club).values()))
        texts = letters_of(three, "bob")
        assert len(texts) == count
        assert read_terms(texts[-1], judge).kind == kind


def test_whoever_has_a_new_key_is_told_the_terms_again_and_nobody_else(three: Table) -> None:
    list(send_terms(three.club, read_agendas(three.club).values()))
    new = keys.generate("new")
    rotate(three.club, sign_rotation(three.key_change("bob", new.public), three.people["bob"].key, new))
    before = len(three.club.store.letters())
    three.clock.pass_days(0.1)
    list(send_terms(three.club, read_agendas(three.club).values()))
    (letter,) = three.club.store.letters()[before:]
    (part,) = find_sealed(letter.data)
    assert read_terms(sealing.open_sealed(part, [new]), three.club.key.public).kind == "white"


@pytest.mark.parametrize(
    "more",
    [{"kind": "black"}, {"per_day": -1}, {"per_day": MAX_PER_DAY + 1}, {"per_day": True}, {"kind": 7}],
)
def test_settings_that_cannot_be_are_refused(three: Table, more: dict[str, object]) -> None:
    settings = {**three.club.settings, "press": more}
    three.club.settings = settings
    with pytest.raises(ConfigError, match=r"club.toml, \[press\]"):
        press_settings(three.club, GAME)
    three.club.settings = {**settings, "press": {"game": {GAME: more}}}
    (found,) = [one for one in examine(three.club) if one.what == "settings"]
    assert (found.wrong, "[press]" in found.text) == (True, True)


def test_one_game_has_press_of_its_own(three: Table) -> None:
    three.club.settings = {
        **three.club.settings,
        "press": {"kind": "grey", "game": {GAME: {"kind": "public"}}},
    }
    assert press_settings(three.club, GAME).kind == "public"
    assert press_settings(three.club, "another").kind == "grey"


def play_by(table: Table, sent: dict[tuple[int, str], bytes]) -> None:
    """Play an exchange by the files that players have sealed in another world, or seal them."""
    for name in table.people:
        file = sent.setdefault((table.exchange, name), b"") or table.sealed(name)
        sent[table.exchange, name] = file
        (verdict,) = desk.submit(table.club, file)
        assert verdict.is_accepted, verdict.text
    run_pass(table.club)


def played(
    folder: Path, sent: dict[tuple[int, str], bytes], *, has_press: bool
) -> tuple[object, dict[str, bytes]]:
    """Play four exchanges, with fifty messages and more or none; return what must not differ."""
    table = make_table(folder, title="lords", players=3)
    allow(table, "grey")
    numbers: dict[str, int] = {}

    def talk(count: int) -> None:
        for place in range(count if has_press else 0):
            writer = ("alice", "bob", "carol")[place % 3]
            to, kind = (("all", "white"), ("alice", "grey"), (GM, "white"), ("all", "grey"))[place % 4]
            to = "bob" if to == writer else to
            key = f"{writer} {to} {kind}"
            numbers[key] = numbers.get(key, 0) + 1
            verdict = write(table, writer, to, f"{place}\n", kind=kind, number=numbers[key])
            assert verdict.is_accepted, verdict.text

    def disturb() -> None:
        """Bob's messages wait for a quiet hour, alice reports one, and the director writes to all."""
        with table.club.store.step():
            keep_wishes(table.club.store, "bob", quiet="00:00-23:59")
        (text, *_) = (one for one in letters_of(table, "alice") if one.startswith(b"pbem1 press-letter\n"))
        about = read_letter(text, table.club.key.public).paper.data
        assert write(table, "alice", GM, "Is that allowed?\n", about=about, number=99).is_accepted
        write_as_director(table.club, GAME, ("all",), "", "It is.")

    for count in (20, 20, 10):
        talk(count)
        if has_press and count == 10:
            disturb()
        play_by(table, sent)
        table.clock.pass_days(1)
        list(release_held(table.club))
    close_press(table.club, GAME, "quarrels")  # in both worlds: that is an entry
    if has_press:
        assert "closed" in write(table, "alice", "bob", number=99).text
    play_by(table, sent)
    files: dict[str, bytes] = {}
    for audience in ("public", table.people["bob"].side):
        export(table.club, GAME, audience, folder / audience, reason="a test")
        files |= {f"{audience}/{name}": data for name, data in bytes_of(folder / audience).items()}
    deadlines = [one.deadline for one in table.book.history.exchanges]
    return (state(table), deadlines, json.dumps(sorted(files))), files


@pytest.mark.ci
def test_everything_else_is_the_same_with_fifty_messages_and_without(tmp_path: Path) -> None:
    sent: dict[tuple[int, str], bytes] = {}
    quiet = played(tmp_path / "quiet", sent, has_press=False)
    loud = played(tmp_path / "loud", sent, has_press=True)
    assert len(sent) == 12
    assert quiet[1].keys() == loud[1].keys()
    assert quiet == loud


def test_what_is_kept_of_somebody_who_is_forgotten_goes(three: Table) -> None:
    with three.club.store.step():
        keep_wishes(three.club.store, "bob", digest="18:00")
    write(three, "alice", "bob")
    write(three, "bob", GM, "A secret of mine.\n")
    write(three, "carol", GM, "A word.\n")
    for name, waiting in (("bo", 1), ("bob", 0)):
        with three.club.store.step():
            forget_press(three.club, name)
        assert len(three.club.store.notes("press held")) == waiting
    assert [one.shown.text for one in read_for_director(three.club)] == ["A word.\n"]


def test_a_restored_club_signs_nothing_about_press_before_it_is_confirmed(three: Table) -> None:
    with three.club.store.step():
        three.club.store.put_note(RESTORED, "2026-01-01T12:00:00Z")
    verdict = write(three, "alice", "bob")
    assert not verdict.is_accepted
    assert letters_of(three, "bob") == letters_of(three, "alice") == []
    with three.club.store.step():
        three.club.store.put_note(f"{CONFIRMED}{GAME}", "2026-01-01T12:00:00Z")
    assert write(three, "alice", "bob").is_accepted
