"""Letters that are right: whatever mail did to them, they are taken in once, and kept for stock tools."""

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from pbem.errors import PbemError
from pbem.player import Home
from pbem.reports.packing import pack_view
from pbem.trust.entries import Drawn, Reported
from pbem.trust.player_statements import read_join
from pbem.trust.sealing import seal, to_armor
from pbem.trust.times import utc_text
from tests.player.judge import DEADLINE, GAME, START, Judge
from tests.player.tools import Play, Stopped, folder, killed_at, later, stock_verifies, tree
from tests.trust.stock import run


def test_the_invitation_is_shown_and_kept(alice: Home, judge: Judge) -> None:
    (arrival,) = alice.receive(judge.mail(judge.letter(0)).encode())
    assert (arrival.kind, arrival.game, arrival.exchange, arrival.new) == ("report", GAME, 0, True)
    assert arrival.text == judge.report_text(0, "north")
    remark, unsaid = arrival.remarks
    assert "and this letter does not in these words: north: alice, key SHA256:" in unsaid
    assert remark == (
        f"the judge of hearth has the key {judge.key.public.fingerprint}, and the game's first entry has "
        f"the head {judge.heads[0]}: compare both with what the club has announced"
    )
    assert sorted(tree(folder(alice))) == [
        "allowed_signers",
        "chain-secret",
        "held/checkpoint-0002.txt",
        "held/checkpoint-0002.txt.sig",
        "join.txt",
        "ledger.txt",
        "player",
        "reports/0000.txt",
    ]


def test_a_report_is_kept_as_the_ledger_hashes_it(alice: Home, play: Play, invited: Judge) -> None:
    play(2)
    kept = tree(folder(alice))
    assert kept["reports/0002.txt"].decode() == invited.report_text(2, "north")
    lines = [line for line in kept["ledger.txt"].decode().splitlines() if line.startswith("leaf ")]
    assert lines == [f"leaf {number} {leaf}" for number, leaf in enumerate(invited.leaves, 1)]


def test_what_only_others_may_read_is_a_leaf(alice: Home, play: Play, invited: Judge) -> None:
    play(1)
    chronicle = alice.folder(GAME).chronicle()
    assert chronicle is not None
    kinds = (Drawn, Reported)
    hidden = [number for number, entry in enumerate(invited.entries, 1) if isinstance(entry, kinds)]
    assert sorted(set(hidden) - chronicle.opened.keys()) == [hidden[1], hidden[3], hidden[4]]
    assert len(chronicle.opened) == len(invited.entries) - 3  # bob's card, his report and the public one


def test_the_shell_checks_what_is_kept(alice: Home, play: Play, invited: Judge) -> None:
    """Stock tools fold the kept leaves to the held head, and verify the judge's signature under it."""
    play(1)
    place = folder(alice)
    size = len(invited.entries)
    stock_verifies(place / "held", f"checkpoint-{size:04}.txt", "pbem1-checkpoint", place / "allowed_signers")
    script = """
        cd "$1"
        head=0000000000000000000000000000000000000000000000000000000000000000
        while read n leaf; do
            head=$(printf 'pbem1 head hearth %d %s %s\\n' $n $head $leaf | sha256sum | cut -d' ' -f1)
        done <<EOF
$(sed -n 's/^leaf //p' ledger.txt)
EOF
        set -- $(grep '^entry 3 ' ledger.txt)
        { printf 'pbem1 leaf %s\\n' $3; echo $4 | base64 -d; } | sha256sum | cut -d' ' -f1
        echo $head
    """
    printed = run("sh", "-euc", script, "sh", str(place)).decode().split()
    assert printed == [invited.leaves[2], invited.heads[-1]]
    assert f"head {printed[1]}\n".encode() in tree(place)[f"held/checkpoint-{size:04}.txt"]


def crlf(text: str) -> str:
    return text.replace("\n", "\r\n")


def quoted(text: str) -> str:
    return "On Saturday the judge wrote:\n" + "".join(f"> > {line}\n" for line in text.splitlines())


def rewrapped(text: str) -> str:
    first, *lines, last = text.splitlines()
    body = "".join(lines)
    return "\n".join([first, *(body[at : at + 50] for at in range(0, len(body), 50)), last, ""])


def one_line(text: str) -> str:
    return " ".join(text.split("\n"))


def decorated(text: str) -> str:
    smart = text.replace("-----", "\u2014\u2013\u2014")
    return f"\ufeffDear Alice,\n\n\u00a0{smart}\n-- \nThe judge of hearth\n"


def html(text: str) -> str:
    return "<html><p>" + text.replace("\n", "<br>\n") + "</p></html>"


def indented(text: str) -> str:
    return "".join(f"    {line}   \n\n" for line in text.splitlines())


MANGLINGS = [str, crlf, quoted, rewrapped, one_line, decorated, html, indented]


@pytest.mark.parametrize("mangle", MANGLINGS, ids=lambda mangle: mangle.__name__)
def test_a_mangled_mail_still_opens(alice: Home, judge: Judge, mangle: Callable[[str], str]) -> None:
    (arrival,) = alice.receive(mangle(judge.mail(judge.letter(0))).encode())
    assert arrival.text == judge.report_text(0, "north")


@pytest.mark.parametrize("mangle", [str, crlf, lambda text: f"Dear Alice,\n\n{text}\n-- \nThe judge\n"])
def test_an_unsealed_letter_is_taken(alice: Home, judge: Judge, mangle: Callable[[str], str]) -> None:
    (arrival,) = alice.receive(mangle(judge.signed(judge.letter(0)).decode()).encode())
    assert arrival.new


def test_several_letters_come_in_any_order(alice: Home, bob: Home, judge: Judge) -> None:
    mails = {"first.txt": judge.mail(judge.letter(0)).encode()}
    alice.receive(mails["first.txt"])
    bob.receive(judge.mail(judge.letter(0, "bob")).encode())
    since = len(judge.entries)
    judge.exchange(1, {name: home.seal(None).sealed for name, home in (("alice", alice), ("bob", bob))})
    mails["second.txt"] = judge.mail(judge.letter(1, since=since)).encode()
    since = len(judge.entries)
    judge.close(2)
    judge.resolve(2)
    mails["third.txt"] = judge.mail(judge.letter(2, since=since)).encode()
    delivery = alice.deliver(dict(reversed(mails.items())))
    assert not delivery.faults
    assert [arrival.exchange for arrival in delivery.arrivals] == [0, 1, 2]
    one_mail = "\n".join(mail.decode() for mail in reversed(mails.values()))
    again = alice.receive(one_mail.encode())
    assert [(arrival.exchange, arrival.new) for arrival in again] == [(0, False), (1, False), (2, False)]


def test_receiving_twice_changes_nothing(alice: Home, play: Play, invited: Judge) -> None:
    play(1)
    before = tree(alice.path)
    (arrival,) = alice.receive(invited.mail(invited.letter(1, since=2)).encode())
    assert (arrival.text, arrival.new) == (invited.report_text(1, "north"), False)
    (whole,) = alice.receive(invited.mail(invited.letter(1)).encode())
    assert not whole.new
    assert tree(alice.path) == before


def test_an_old_report_moves_nothing_back(alice: Home, play: Play, invited: Judge) -> None:
    old = invited.mail(invited.letter(0))
    play(2)
    before = tree(alice.path)
    (arrival,) = alice.receive(old.encode())
    assert (arrival.exchange, arrival.new) == (0, False)
    assert tree(alice.path) == before
    assert alice.seal(None).exchange == 3


def test_a_notice_brings_the_ledger(alice: Home, play: Play, invited: Judge) -> None:
    play(1)
    size = len(invited.entries)
    later = DEADLINE + timedelta(days=3)
    alice.seal(None)
    invited.extend(2, later, START)
    (arrival,) = alice.receive(invited.mail(invited.notice(2, since=size)).encode())
    told = (arrival.kind, arrival.text, arrival.remarks)
    assert told == ("notice", "Exchange 2 goes on.\n", ()), (
        "the orders are on their way, and nothing is closed"
    )
    assert alice.games()[0].deadline == later
    assert f"reports/0002-{size + 1}.txt" in tree(folder(alice))


def test_an_entry_may_be_opened_later(alice: Home, play: Play, invited: Judge) -> None:
    """At the end of a game all is shown: what was a leaf gets its text."""
    play(1)
    letter = invited.letter(1)
    opened = dict(letter.opened)
    hidden = next(number for number, _ in letter.leaves if number not in opened)
    assert f"\nentry {hidden} ".encode() not in tree(folder(alice))["ledger.txt"]
    bobs = dict(invited.letter(1, "bob").opened)
    everything = tuple(sorted({**opened, **bobs}.items()))
    alice.receive(invited.mail(replace(letter, opened=everything)).encode())
    assert f"\nentry {hidden} ".encode() in tree(folder(alice))["ledger.txt"]


def test_the_genesis_can_be_pinned(alice: Home, judge: Judge) -> None:
    alice.receive(judge.mail(judge.letter(0)).encode(), genesis=judge.heads[0].upper())
    assert alice.games()[0].exchange == 1


def test_a_game_without_chains_needs_no_joining(alice: Home, bob: Home) -> None:
    """Enrolled by his key alone, a player reveals nothing."""
    judge = Judge()
    for home, name in ((alice, "alice"), (bob, "bob")):
        home.keygen("other")
        judge.joins[name] = replace(
            read_join(home.join("other", player=name, judge=None)), game=GAME, anchor=None, recovery=None
        )
    judge.begin()
    alice.receive(judge.mail(judge.letter(0)).encode())
    orders = alice.seal(None, game=GAME)
    assert judge.read(1, "alice", orders.sealed).reveal is None


def day(number: float) -> datetime:
    """So many days after the deadline of exchange 1."""
    return DEADLINE + timedelta(days=number)


def early(at: float, deadline: float, names: str) -> str:
    closed = f"exchange 1 was closed at {utc_text(day(at))}, before its deadline {utc_text(day(deadline))}"
    return f"{closed}, though {names} had not sent (protocol 8)"


def moved_late(at: float) -> str:
    moved = f"the deadline of exchange 1 was moved only at {utc_text(day(at))}"
    return f"{moved}, after it had passed (protocol 8)"


MOVED_BACK = (
    f"the deadline of exchange 1 was moved from {utc_text(day(4))} to {utc_text(day(3))}, an earlier one "
    "(protocol 8)"
)
SECOND = 1 / 86_400


@pytest.mark.parametrize(
    ("sent", "moved", "over", "remarks"),
    [
        ("alice", (), -7, [early(-7, 0, "bob")]),
        ("", (), -SECOND, [early(-SECOND, 0, "alice and bob")]),
        ("alice", (), 0, []),
        ("alice bob", (), -7, []),
        ("alice", ((2, 0),), 2, []),
        ("alice", ((2, SECOND),), 2, [moved_late(SECOND)]),
        ("alice", ((2, -1), (4, 1), (6, 5)), 6, [moved_late(5)]),
        (
            "bob",
            ((2, 1), (4, 3), (3, 3)),
            2,
            [moved_late(1), moved_late(3), MOVED_BACK, early(2, 3, "alice")],
        ),
    ],
)
def test_what_looks_wrong_about_times_is_remarked(
    alice: Home,
    bob: Home,
    invited: Judge,
    sent: str,
    moved: tuple[tuple[float, float], ...],
    over: float,
    remarks: list[str],
) -> None:
    """`moved`: to which day, and on which."""
    for to, on in moved:
        invited.extend(1, day(to), day(on))
    for home in (alice, bob):
        if home.path.name in sent.split():
            invited.receive(1, home.path.name, home.seal(None).sealed)
    invited.close(1, at=day(over))
    invited.resolve(1)
    (arrival,) = later(alice, day(9)).receive(invited.mail(invited.letter(1, since=2)).encode())
    assert list(arrival.remarks) == remarks


def test_lost_orders_are_remarked(alice: Home, invited: Judge) -> None:
    alice.seal(None)
    invited.close(1)
    invited.resolve(1)
    (arrival,) = later(alice, DEADLINE).receive(invited.mail(invited.letter(1, since=2)).encode())
    assert arrival.remarks == (
        (
            "exchange 1 was closed without your orders: the ledger shows that nothing that you "
            "sealed was received"
        ),
    )


def test_orders_from_elsewhere_are_remarked(alice: Home, invited: Judge, tmp_path: Path) -> None:
    orders = alice.seal(None)
    for path in (folder(alice) / "sent").iterdir():
        path.rename(tmp_path / path.name)
    invited.exchange(1, {"alice": orders.sealed})
    (arrival,) = later(alice, DEADLINE).receive(invited.mail(invited.letter(1, since=2)).encode())
    (remark,) = arrival.remarks
    assert remark.startswith("revision 1 of your orders for exchange 1 is another file of yours")


def test_an_opponent_s_orders_are_kept_as_proof(alice: Home, bob: Home, invited: Judge) -> None:
    orders = bob.seal(None)
    (path,), _ = alice.keep_copy(GAME, quoted(orders.armor).encode())
    assert path == folder(alice) / f"held/sealed/{orders.name}.age"
    assert path.read_bytes() == orders.sealed
    assert alice.keep_copy(GAME, orders.sealed) == ((path,), ())


@pytest.mark.ci(but=("1-True", "3-False", "6-True"))
@pytest.mark.parametrize("after", [False, True])
@pytest.mark.parametrize("write", range(1, 7))
def test_a_kill_is_mended_by_receiving_again(
    alice: Home, bob: Home, judge: Judge, write: int, after: bool
) -> None:
    mail = judge.mail(judge.letter(0)).encode()
    try:
        with killed_at(write, after=after):
            alice.receive(mail)
    except Stopped:
        assert alice.games()[0].trouble == ""
    (arrival,) = alice.receive(mail)
    assert arrival.text == judge.report_text(0, "north")
    assert alice.seal(None).exchange == 1
    assert not [name for name in tree(alice.path) if "/fork-" in name or "/fault-" in name]


def test_the_ledger_that_was_received_answers_for_each_place(alice: Home, play: Play) -> None:
    play(2)
    ledger = alice.folder(GAME).chronicle()
    assert ledger is not None
    key = alice.keys.public("alice").fingerprint
    assert [ledger.received_before(name, at) for name in ("alice", "bob", "x") for at in (1, 2, 3)] == [
        *(0, 1, 2),
        *(0, 1, 2),
        *(0, 0, 0),
    ]
    assert [ledger.head_at(at) for at in (0, 1, ledger.size, ledger.size + 1)] == [
        *(None, ledger.heads[0]),
        *(ledger.head, None),
    ]
    assert [ledger.plays_from(name, key) for name in ("alice", "bob", "x")] == [1, 1, 1]
    kept = alice.folder(GAME)
    assert (kept.reports(), kept.report(9), kept.echo(9), list(kept.notices(9))) == (
        (0, 1, 2),
        None,
        None,
        [],
    )
    notices = {n: "\n".join(("At hand:", *pack_view({"turn": n}), "")) for n in (3, 12)} | {20: "It is late."}
    for number, text in notices.items():
        (kept.path / f"reports/0009-{number}.txt").write_text(text, encoding="utf-8")
    assert list(kept.notices(9)) == [notices[20], notices[12], notices[3]]


def test_a_name_that_no_game_can_have_is_told_before_a_key_is_looked_for(alice: Home) -> None:
    with pytest.raises(PbemError, match="'No game' is not a game name"):
        alice.join("No game", player="nobody", judge=None)


@pytest.mark.parametrize("whole_first", [True, False])
def test_a_letter_that_is_cut_off_beside_a_whole_one_is_told(
    alice: Home, judge: Judge, whole_first: bool
) -> None:
    """A mail may hold a receipt and how the judge reads the orders, and what saves it may cut it."""
    letter = judge.mail(judge.letter(0))
    cut = letter[: len(letter) // 2]
    both = f"{letter}\n{cut}" if whole_first else f"{cut}\n{letter}"
    delivery = alice.deliver({"saved.eml": both.encode()})
    assert len(delivery.arrivals) == 1
    ((source, fault),) = delivery.faults
    assert source == "saved.eml"
    assert str(fault) == (
        "another part: the sealed part is cut short: its line END AGE ENCRYPTED FILE is missing; "
        "ask the judge to send it again"
    )


def test_a_mail_with_a_letter_to_a_lost_key_brings_what_is_sealed_to_the_new_one(
    alice: Home, judge: Judge
) -> None:
    """After a key was lost, the notice is sealed to the old key, and the seat's papers to the new one."""
    old, new = alice.keys.public("alice"), alice.keygen("newer")
    for path in (alice.path / "keys").glob("alice*"):
        path.unlink()
    parts = [to_armor(seal(judge.signed(judge.letter(0)), [key])) for key in (old, new)]
    home = Home(alice.path)
    with pytest.raises(PbemError, match=r"there is no key .*pbem sign rotation"):
        home.receive(parts[0].encode())
    (arrival,) = home.receive("\n".join(parts).encode())
    assert arrival.kind == "report"


def test_a_letter_is_opened_by_the_key_that_is_left(alice: Home, judge: Judge) -> None:
    """A letter to an old key and a new one is read with the new one after the old one is lost."""
    old, new = alice.keys.public("alice"), alice.keygen("newer")
    signed = judge.signed(judge.letter(0))
    (alice.path / "keys/alice").unlink()
    home = Home(alice.path)
    both, lost = (to_armor(seal(signed, keys)).encode() for keys in ([old, new], [old]))
    with pytest.raises(PbemError, match=r"keys/alice is not here any more, only its public half: put a copy"):
        home.receive(lost)
    (arrival,) = home.receive(both)
    assert arrival.kind == "report"
