"""The judge and its post box: posts in, letters out, and what is waited for."""

from __future__ import annotations

import json
import mailbox
import re
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from types import SimpleNamespace

import pytest

from pbem.box.folder import TABLE, folder_name, read_table, write_file
from pbem.box.stores import LETTERS, POSTS, acknowledge
from pbem.cli import main
from pbem.errors import ConfigError
from pbem.judge.deadlines import running_deadlines, waits_for_mail
from pbem.judge.letters.wishes import MAX_FETCH_KEYS
from pbem.judge.tables.note_tables import RESTING
from pbem.judge.tables.store import Store
from pbem.judge.upkeep import backups
from pbem.judge.upkeep.folder_identity import take_over
from pbem.mail import command_runner
from pbem.mail.mail_problems import server_troubles
from pbem.service import box_letters, box_posts, doctor
from pbem.service.box_posts import LEAST_PAUSE, MAX_OPEN_POSTS, wait_for_post
from pbem.service.box_table import read_box
from pbem.service.one_pass import Pass
from pbem.trust.keys import PrivateKey, generate
from pbem.trust.player_statements import FetchKey, sign_fetch_key
from pbem.trust.sealing import open_sealed
from tests.box.judged import URL, Judged, make_judged
from tests.judge.table import GAME, join_of, make_table

HOUR = timedelta(hours=1)
HASH = re.compile("[0-9a-f]{12}")


@pytest.fixture
def judged(tmp_path: Path) -> Iterator[Judged]:
    made = make_judged(tmp_path)
    yield made
    made.table.club.store.close()


def test_a_posted_file_counts_and_its_receipt_waits_in_the_box(judged: Judged) -> None:
    judged.run()
    assert judged.names("alice")[0] == "demo-0000-report.txt"
    judged.post_orders("alice")
    judged.run()
    assert judged.waiting == []
    assert {one.player for one in judged.table.book.history.exchanges[0].received} == {"alice"}
    assert any("receipt" in name for name in judged.names("alice"))
    assert not any("receipt" in name for name in judged.names("bob"))
    judged.post_orders("bob")
    judged.run()
    assert judged.table.exchange == 2
    assert "demo-0001-report.txt" in judged.names("bob")


MAIL = '[mail]\naddress = "judge@club.example"\n[mail.outbox]\nhost = "127.0.0.1"\n'


@pytest.mark.parametrize(
    ("settings", "mailed", "waits"),
    [
        ("", True, False),
        (f'[box]\nurl = "{URL}"\n', False, True),
        (MAIL, False, False),
        (MAIL, True, True),
    ],
)
def test_who_opens_a_game_hears_that_the_invitations_wait_for_a_pass(
    settings: str, mailed: bool, waits: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Where all are files, they are written at once."""
    table = make_table(tmp_path)
    club = table.club.path
    with table.club.store.step():
        for player in table.club.store.players() if not mailed else ():
            table.club.store.put_player(player._replace(address=""))
    table.club.store.close()
    (club / "club.toml").write_text(f'name = "test"\n{settings}')
    assert main(["game", "new", "second", "--players", "alice,bob", "--club", str(club)]) == 0
    said = "the judge's next pass sends the invitations; where no serve and no cron does one: pbem club run"
    assert (said in capsys.readouterr().out.splitlines()) is waits


def test_a_letter_in_the_box_is_a_mail_without_addresses(judged: Judged) -> None:
    judged.run()
    for mail in judged.letters("alice").values():
        head = mail.partition(b"\r\n\r\n")[0]
        assert b"\nTo:" not in head
        assert b"From:" not in head
        assert b"@example.org" not in mail


def test_what_is_posted_twice_counts_once(judged: Judged) -> None:
    judged.run()
    data, key = judged.table.sealed("alice"), judged.table.people["alice"].key.public
    for _ in range(2):
        judged.post(data, key)
        judged.post(data)
        judged.run()
    assert len(judged.table.book.history.exchanges[0].received) == 1
    assert sum("receipt" in name for name in judged.names("alice")) == 1


def test_a_signed_file_that_does_not_count_is_told_its_player(judged: Judged) -> None:
    judged.run()
    key = judged.table.people["alice"].key.public
    judged.post(judged.table.sealed("alice"), key)
    judged.run()
    judged.post(judged.table.sealed("alice", "move nothing"), key)  # of the same revision
    judged.run()
    (told,) = [mail for mail in judged.letters("alice").values() if b"do not count" in mail]
    assert b"alice" in told
    assert not any(b"do not count" in mail for mail in judged.letters("bob").values())


def test_a_wish_to_join_that_was_posted_is_a_stranger_s(judged: Judged) -> None:
    from pbem.trust.fields import sign_fields

    key = generate()
    wish = join_of("other", "zoe", key, "a" * 64)
    judged.post(sign_fields(wish, key))
    assert sum("wish of zoe" in one.text for one in judged.run()) == 1
    (note,) = judged.table.club.store.notes("join ").values()
    assert json.loads(note)["domain"] == "box", "it shares the room of strangers"
    club = str(judged.table.club.path)
    assert main(["game", "new", "other", "--players", "alice,zoe", "--club", club]) == 0, "by name alone"
    known = judged.table.club.store.player("zoe")
    assert known is not None
    assert known.key == key.public.line


def test_an_absence_that_was_posted_is_noted(judged: Judged) -> None:
    from datetime import date

    away = judged.table.absence(date(2026, 1, 4), date(2026, 1, 9))
    judged.post(away, judged.table.people["alice"].key.public)
    judged.run()
    assert len(judged.table.club.store.absences("alice")) == 1


# What is waited for


def to_deadline(judged: Judged) -> None:
    judged.table.clock.now = judged.table.deadline + 2 * HOUR
    running_deadlines.note_pass(judged.table.club, judged.table.deadline)


def accepted(judged: Judged) -> None:
    """Both have accepted; exchange 2 is open."""
    judged.run()
    judged.post_orders("alice", "bob")
    judged.run()
    assert judged.table.exchange == 2


def test_a_post_before_the_deadline_counts_in_the_pass_after_it(judged: Judged) -> None:
    accepted(judged)
    judged.post_orders("alice")
    to_deadline(judged)
    judged.run()
    assert {one.player for one in judged.table.book.history.exchanges[1].received} == {"alice"}
    assert judged.table.exchange == 3


@pytest.mark.parametrize("how", ["silent", "unreadable", "no heartbeat", "no room", "back just now"])
def test_a_box_that_is_away_holds_an_exchange_as_a_mailbox_does(judged: Judged, how: str) -> None:
    accepted(judged)
    to_deadline(judged)
    now = judged.table.clock.now
    if how == "silent":
        judged.table.clock.now -= 3 * HOUR
        judged.beat()
        judged.table.clock.now += 3 * HOUR
    elif how == "no heartbeat":
        (judged.path / "alive").unlink()
    elif how == "no room":
        judged.beat(refused=now - timedelta(minutes=59))
    elif how == "back just now":
        judged.beat(since=now - timedelta(minutes=59))
    else:
        judged.beat()
        (judged.path / POSTS / judged.post(b"x")).write_bytes(b"not a post")
    judged.run(beats=False)
    assert judged.table.exchange == 2
    assert "post box" in waits_for_mail.waiting_games(judged.table.club)[GAME]
    for path in (judged.path / POSTS).iterdir():
        path.unlink()
    judged.table.clock.now = now + HOUR
    judged.beat(refused=now - timedelta(minutes=59), since=now - timedelta(minutes=59))
    judged.run(beats=False)
    assert judged.table.exchange == 3


def test_a_flood_of_strangers_costs_a_pass_little_and_keeps_no_player_out(judged: Judged) -> None:
    judged.run()
    for number in range(MAX_OPEN_POSTS + 20):
        judged.post(b"age-encryption.org/v1\nflood %d" % number)
    judged.post_orders("alice")
    judged.run()
    assert {one.player for one in judged.table.book.history.exchanges[0].received} == {"alice"}
    assert len(judged.waiting) == 20
    judged.run()
    assert judged.waiting == []


def test_strange_files_are_told_and_left_alone(judged: Judged) -> None:
    judged.run()
    (judged.path / POSTS / "strange").mkdir(parents=True)
    (judged.path / POSTS / "20260101T120000Z-000001-0123456789abcdef.post").symlink_to("/etc/passwd")
    said = [one.text for one in judged.run() if one.trouble]
    assert any("are not posts" in text for text in said)
    assert any("cannot be read" in text for text in said)
    (noted,) = server_troubles(judged.table.club).values()
    assert "are not posts" in noted
    assert "cannot be read" in noted
    assert (judged.path / POSTS / "strange").exists()


# Letters


def test_each_letter_is_put_once_under_growing_numbers(judged: Judged) -> None:
    accepted(judged)
    numbers = list(judged.letters("alice"))
    assert numbers == list(range(1, len(numbers) + 1))
    before = judged.letters("alice")
    judged.run()
    judged.run()
    assert judged.letters("alice") == before
    assert len(judged.names("alice")) == len(set(judged.names("alice")))


def test_the_judge_tells_a_game_s_players_its_box_once(judged: Judged) -> None:
    judged.run()
    judged.run()
    (name,) = [name for name in judged.names("alice") if "-box-" in name]
    letter = judged.table.club.store.letter_named(GAME, "alice", name)
    assert letter is not None
    key = judged.table.people["alice"].key
    from pbem.trust.armor import find_sealed
    from pbem.trust.post_box import read_box_letter

    (sealed,) = find_sealed(letter.data)
    told = read_box_letter(open_sealed(sealed, [key], 100_000), judged.table.club.key.public)
    assert (told.game, told.url) == (GAME, URL)
    (judged.table.club.path / "club.toml").write_text('name = "test"\ndays = 7\n')
    judged.table.reopen()
    judged.table.clock.now += HOUR
    list(Pass(judged.table.club).run())
    names = [one.name for one in judged.table.club.store.letter_heads(GAME, "alice") if "-box-" in one.name]
    assert len(names) == 2, "and that there is none any more"


def test_a_letter_that_is_sent_again_is_put_again(judged: Judged) -> None:
    judged.run()
    store = judged.table.club.store
    first = len(judged.letters("alice"))
    judged.table.clock.now += HOUR
    with store.step():
        store.send_again(store.letter_heads(GAME, "alice")[0].id)
    judged.run()
    judged.run()
    assert len(judged.letters("alice")) == first + 1


def test_letters_stay_until_they_were_acknowledged_and_some_days_longer(judged: Judged) -> None:
    judged.run()
    reader = folder_name(judged.table.people["alice"].key.public)
    judged.table.clock.now += timedelta(days=60)
    judged.run()
    count = len(judged.letters("alice"))
    assert count
    acknowledge(judged.path, reader, 1)
    (judged.path / LETTERS / "0").write_bytes(b"which keeps nobody's letters here")
    for days, there in ((1, True), (29, True), (1, False)):
        judged.table.clock.now += timedelta(days=days)
        judged.run()
        assert (1 in judged.letters("alice")) is there
    assert len(judged.letters("alice")) >= count - 1
    assert judged.letters("bob")


def test_numbers_go_on_when_box_or_judge_comes_back_from_a_backup(judged: Judged) -> None:
    judged.run()
    reader = folder_name(judged.table.people["alice"].key.public)
    last = max(judged.letters("alice"))
    store = judged.table.club.store
    with store.step():
        store.put_note(f"{box_letters.NUMBER}{reader}", "0")  # the judge's backup is older
    judged.post_orders("alice")
    judged.run()
    numbers = list(judged.letters("alice"))
    assert numbers == list(range(1, max(numbers) + 1))
    assert max(numbers) > last
    last = max(numbers)
    for path in (judged.path / "letters" / reader).iterdir():
        path.unlink()  # the box's backup is
    judged.post_orders("bob")
    judged.run()
    assert min(judged.letters("alice")) == last + 1


def test_a_restored_club_puts_nothing_in_before_it_is_confirmed(judged: Judged, tmp_path: Path) -> None:
    accepted(judged)
    judged.post_orders("alice")
    backups.backup(judged.table.club, tmp_path / "backup.tar.gz")
    judged.table.club.store.close()
    club = backups.restore(tmp_path / "backup.tar.gz", tmp_path / "other", (), lambda _: None)
    club.clock = club.store.clock = judged.table.clock
    box = read_box(club.settings, club.path)
    assert box is not None
    assert club.store.note(RESTING)
    assert list(box_letters.put_letters(club, box, None)) == []
    take_over(club.store)
    with club.store.step():
        club.store.put_note(box_letters.THROUGH, "0")
    assert list(box_letters.put_letters(club, box, None)) == []
    assert not (box.folder / "letters").exists()
    club.store.close()
    judged.table.reopen()


# Killed anywhere


class Killed(BaseException):
    """The judge was killed."""


def killing(patch: pytest.MonkeyPatch, at: int) -> Callable[[], int]:
    """Kill the judge at the n-th thing that it does with box or database, before or after it is done."""
    count = 0

    def wrapped(real: Callable[..., object]) -> Callable[..., object]:
        def call(*values: object, **named: object) -> object:
            nonlocal count
            count += 1
            if count == at:
                raise Killed
            found = real(*values, **named)
            count += 1
            if count == at:
                raise Killed
            return found

        return call

    for module, name in (
        (box_posts, "remove_post"),
        (command_runner, "take_from_file"),
        (box_letters, "put_letter"),
    ):
        patch.setattr(module, name, wrapped(getattr(module, name)))
    patch.setattr(Store, "put_note", wrapped(Store.put_note))
    patch.setattr(Store, "mark_sent", wrapped(Store.mark_sent))
    return lambda: count


@pytest.mark.ci
def test_a_judge_who_is_killed_anywhere_loses_nothing_and_does_nothing_twice(tmp_path: Path) -> None:
    def played(folder: Path, at: int) -> tuple[tuple[int, list[list[str]]], int]:
        judged = make_judged(folder)
        with closing(judged.table.club.store):
            judged.run()
            judged.post_orders("alice", "bob")
            judged.post(judged.table.sealed("alice"))
        with pytest.MonkeyPatch.context() as patch:
            counted = killing(patch, at)
            judged.table.reopen()
            try:
                judged.run()
            except Killed:
                pass
            finally:
                judged.table.club.store.close()
        judged.table.reopen()
        judged.run()
        judged.run()
        received = [one.player for one in judged.table.book.history.exchanges[0].received]
        assert judged.waiting == []
        numbers = list(judged.letters("alice"))
        assert numbers == list(range(1, len(numbers) + 1))
        names = [sorted(HASH.sub("", one) for one in judged.names(who)) for who in ("alice", "bob")]
        exchange = judged.table.exchange
        judged.table.club.store.close()
        assert sorted(received) == ["alice", "bob"]
        return (exchange, names), counted()

    whole, count = played(tmp_path / "whole", 0)
    assert count > 20
    for at in range(1, count + 1):
        assert played(tmp_path / str(at), at)[0] == whole, at


# The table


def test_the_table_names_keys_pages_and_fetch_keys_and_nobody(judged: Judged) -> None:
    judged.settle('pages = ["https://play.club.example/pbem/#home"]')
    pocket = generate()
    alice = judged.table.people["alice"].key
    said = FetchKey(
        player="alice",
        judge=judged.table.club.key.public.fingerprint,
        key=pocket.public,
        made=judged.table.clock.now,
    )
    judged.post(sign_fetch_key(said, alice))
    judged.run()
    table = read_table(judged.path)
    assert (table.url, table.pages) == (URL, ("https://play.club.example",))
    assert {reader.key for reader in table.readers} == {
        one.key.public for one in judged.table.people.values()
    }
    assert table.mailboxes[pocket.public.fingerprint] == folder_name(alice.public)
    assert "alice" not in (judged.path / "table.json").read_text()
    from dataclasses import replace

    later = replace(said, is_withdrawn=True, made=said.made + HOUR)
    judged.post(sign_fetch_key(later, alice))
    judged.post(sign_fetch_key(said, alice), alice.public)
    judged.run()
    judged.run()
    assert pocket.public.fingerprint not in read_table(judged.path).mailboxes


def test_a_player_has_a_few_fetch_keys(judged: Judged) -> None:
    alice = judged.table.people["alice"].key
    judge = judged.table.club.key.public.fingerprint
    for minute, number in enumerate((*range(MAX_FETCH_KEYS + 1), 0)):  # the last is known, and none more
        key = PrivateKey(bytes([number + 1]) * 32).public
        made = judged.table.clock.now + timedelta(minutes=minute)
        judged.post(sign_fetch_key(FetchKey(player="alice", judge=judge, key=key, made=made), alice))
    assert sum("withdraw one first" in one.text for one in judged.run()) == 1
    readers = {reader.key: reader.fetch_keys for reader in read_table(judged.path).readers}
    assert len(readers[alice.public]) == MAX_FETCH_KEYS


def test_a_fetch_key_for_another_judge_or_by_another_key_counts_for_nothing(judged: Judged) -> None:
    alice, bob = (judged.table.people[name].key for name in ("alice", "bob"))
    judge = judged.table.club.key.public.fingerprint
    made, pocket = judged.table.clock.now, generate().public
    own = FetchKey(player="alice", judge=judge, key=pocket, made=made)
    foreign = FetchKey(player="alice", judge=bob.public.fingerprint, key=pocket, made=made)
    for statement in (sign_fetch_key(own, bob), sign_fetch_key(foreign, alice)):
        judged.post(statement)
    judged.run()
    assert pocket.fingerprint not in read_table(judged.path).mailboxes


@pytest.mark.parametrize(
    ("setting", "why"),
    [
        ('url = "box.club.example"', "is not the address of a post box"),
        ('nothing = 1\nurl = "https://a.example/"', "no setting called nothing"),
        ('keep_days = -1\nurl = "https://a.example/"', "keep_days must be a number of days"),
        ('mails = "none"\nurl = "https://a.example/"', "mails must be all or short"),
        ('folder = ""\nurl = "https://a.example/"', "is not a folder"),
        ('pages = ["play"]\nurl = "https://a.example/"', "'play' is not the address of a page"),
        ('pages = "play"\nurl = "https://a.example/"', "pages must be a list"),
    ],
)
def test_a_setting_that_cannot_be_is_told(setting: str, why: str, tmp_path: Path) -> None:
    import tomllib

    with pytest.raises(ConfigError, match=why):
        read_box(tomllib.loads(f"[box]\n{setting}\n"), tmp_path)


def test_the_doctor_tells_what_is_wrong_with_the_box(judged: Judged) -> None:
    def found() -> str:
        return next(one.text for one in doctor.examine(judged.table.club) if one.what == "post box")

    assert "has never shown that it runs" in found()
    judged.run()
    assert f"{URL} runs; 0 posts wait" in found()
    table = judged.path / TABLE
    whole = table.read_bytes()
    table.write_bytes(whole.replace(URL.encode(), b"https://moved.example/"))
    assert (
        found()
        == f"the post box answers as https://moved.example/ until a pass tells it {URL}: pbem club run"
    )
    table.write_bytes(whole)
    judged.beat(refused=judged.table.clock.now)
    assert "had no room" in found()
    judged.beat()
    judged.table.clock.now += HOUR
    assert "has not shown that it runs since" in found()


def test_the_doctor_asks_for_no_mail_where_the_club_has_a_box(judged: Judged) -> None:
    store = judged.table.club.store
    with store.step():
        for player in store.players():
            store.put_player(player._replace(address=""))
    judged.run()
    said = {one.what: one.text for one in doctor.examine(judged.table.club)}
    assert said["mail in"] == "none: what players post comes by the post box"
    assert said["letters"] == "nothing is stuck"


def test_who_is_forgotten_has_no_letter_in_the_box(judged: Judged) -> None:
    judged.run()
    box = read_box(judged.table.club.settings, judged.table.club.path)
    assert box is not None
    box_letters.forget_letters(box, judged.table.people["alice"].key.public.line)
    assert judged.letters("alice") == {}
    assert judged.letters("bob")


def test_serve_sees_a_post_within_two_seconds(judged: Judged, monkeypatch: pytest.MonkeyPatch) -> None:
    judged.beat()
    now, comes = [0.0], [10.0]

    def sleep(seconds: float) -> None:
        now[0] += seconds
        if comes and now[0] >= comes[0]:
            comes.clear()
            judged.post(b"x")

    monkeypatch.setattr(box_posts, "time", SimpleNamespace(monotonic=lambda: now[0], sleep=sleep))
    wait_for_post(judged.path, 60)
    assert 10 <= now[0] <= 12
    for folder, seconds, waited in ((judged.path, 60, LEAST_PAUSE), (judged.path, 3, 3), (None, 60, 60)):
        now[0] = 0
        wait_for_post(folder, seconds)
        assert now[0] == waited


def test_a_full_disk_of_the_box_is_told_and_its_letters_wait(
    judged: Judged, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(box_letters, "put_letter", full)
        said = [one.text for one in judged.run() if one.trouble]
        assert any("cannot be written: no space left on device; letters wait" in text for text in said)
    assert judged.letters("alice") == {}
    judged.run()
    assert "demo-0000-report.txt" in judged.names("alice")
    judged.post_orders("alice")
    with monkeypatch.context() as patch:
        patch.setattr(box_posts, "remove_post", full)
        said = [one.text for one in judged.run() if one.trouble]
        assert any("the judge needs to remove posts there" in text for text in said)
    judged.run()
    assert judged.waiting == []
    assert len(judged.table.book.history.exchanges[0].received) == 1


def test_who_fetches_gets_one_short_mail_in_a_pass(judged: Judged, tmp_path: Path) -> None:
    """The others get every letter by mail; what the short one says everybody may read."""
    out = tmp_path / "sent"
    mailbox.Maildir(out)
    mail = f'[mail]\naddress = "judge@club.example"\n[mail.outbox]\nmaildir = "{out}"\n'
    mail += f'[page]\naddress = "https://play.club.example/"\nsha256 = "{"a" * 64}"\n'
    judged.settle('mails = "short"', mail)
    judged.run()

    def sent() -> dict[str, list[str]]:
        found: dict[str, list[str]] = {"alice": [], "bob": []}
        for path in sorted((out / "new").iterdir()):
            text = path.read_text()
            subject = text.partition("Subject: ")[2].partition("\n")[0]
            found["alice" if "To: alice@" in text else "bob"].append(subject)
            if "letters wait" in subject:
                assert "https://play.club.example/#game/demo" in text
                assert "BEGIN AGE" not in text
            path.unlink()
        return found

    before = sent()
    assert len(before["alice"]) == len(before["bob"]) == 2
    acknowledge(judged.path, folder_name(judged.table.people["alice"].key.public), 1)
    judged.post_orders("alice", "bob")
    judged.table.clock.now += HOUR
    judged.run()
    after = sent()
    assert set(after["alice"]) == {"pbem: letters wait in your post box"}
    assert len(after["alice"]) <= 2, "one before the games are played, and one after"
    assert not any("letters wait" in subject for subject in after["bob"])
    assert len(after["bob"]) == 2, "one with the receipt and what alice has sent, one with the report"
    assert any("receipt" in name for name in judged.names("alice"))


def test_a_key_gets_nothing_that_is_for_the_key_after_it(judged: Judged) -> None:
    """The old key goes on getting what is sealed to it, also by a fetch key that it has named."""
    judged.run()
    before, new = len(judged.letters("alice")), generate()
    store = judged.table.club.store
    with store.step():
        judged.table.club.replace_key("alice", new.public)
        store.add_letter(GAME, "alice", f"{GAME}-0001-later.txt", b"", text="for the new key\n")
    judged.run()
    assert len(judged.letters("alice")) == before
    mails = [path.read_bytes() for path in (judged.path / "letters" / folder_name(new.public)).iterdir()]
    assert any(b"for the new key" in mail for mail in mails)
    mailboxes = read_table(judged.path).mailboxes
    for key in (new.public, judged.table.people["alice"].key.public):
        assert mailboxes[key.fingerprint] == folder_name(key)


def test_a_page_that_cannot_be_made_keeps_no_letter_back(
    judged: Judged, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object, **__: object) -> object:
        raise ZeroDivisionError

    monkeypatch.setattr("pbem.mail.compose.report_page", broken)
    judged.run()
    assert "demo-0000-report.txt" in judged.names("alice")


def test_what_cannot_be_written_whole_leaves_nothing_behind(tmp_path: Path) -> None:
    (tmp_path / "taken" / "x").mkdir(parents=True)
    with pytest.raises(OSError, match="taken"):
        write_file(tmp_path / "taken", b"a file where a folder lies")
    assert [path.name for path in tmp_path.iterdir()] == ["taken"]
