"""A seat changes hands in a game by mail: its letters go to who has it now, and to nobody else."""

from __future__ import annotations

import re
from datetime import timedelta
from pathlib import Path

import pytest

from pbem.cli import main
from pbem.errors import ConfigError
from pbem.judge.agenda import read_agendas
from pbem.judge.intake.waiting_list import waiting_consents, waiting_for_director
from pbem.judge.letters import order_explanations
from pbem.judge.letters.letter_files import resend
from pbem.judge.new_keys import rotate
from pbem.judge.tables.database import PlayerRow
from pbem.player.incoming.mail_parts import RECEIPT, WORDS, read_part
from pbem.trust import keys
from pbem.trust.armor import find_sealed
from pbem.trust.chance import Reveal, make_chain
from pbem.trust.fields import sign_fields
from pbem.trust.letters import without_salt
from pbem.trust.player_statements import Join
from pbem.trust.rotations import KeyChange, sign_rotation
from pbem.trust.sealing import open_sealed
from tests.judge.every_game import run_pass
from tests.judge.table import GAME
from tests.mail.postal import Postal
from tests.mail.test_passes import body
from tests.mail.test_time import rhythm

pytestmark = pytest.mark.ci


CAROL = "carol@example.org"
MOVE = "move Wallace from Fife to Angus\n"


def replaced(postal: Postal) -> keys.PrivateKey:
    """Carol takes alice's seat, by alice's consent, in exchange 2."""
    postal.table.go()
    postal.run()
    return replace(postal)


def replace(postal: Postal, by: str = "alice") -> keys.PrivateKey:
    """The same, when exchange 2 is open; `by`: whose consent it is."""
    carol, alice = keys.generate("carol"), postal.table.people["alice"].key
    postal.table.club.add_player("carol", carol.public, CAROL)
    hand_over(postal, "carol", alice, carol, "alice.2", by, postal.table.people[by].key)
    return carol


def hand_over(
    postal: Postal,
    person: str,
    old: keys.PrivateKey,
    new: keys.PrivateKey,
    chain: str,
    by: str,
    signer: keys.PrivateKey,
) -> None:
    """Alice's seat goes to somebody who has made this chain, by a consent."""
    table = postal.table
    anchor = Reveal(chain, 0, make_chain(GAME, chain, b"c" * 32).anchor)
    named = {"game": GAME, "genesis": table.genesis, "player": "alice", "person": person, "anchor": anchor}
    keys_of = {"old": old.public.fingerprint, "new": new.public.line}
    change = KeyChange(**named, **keys_of, exchange=table.exchange)  # type: ignore[arg-type]
    given = table.consent(change.consent, by, signer, seen=(1, table.genesis))
    rotate(table.club, sign_rotation(change, None, new), reason="no time", consents=[given])


def test_letters_reminders_and_copies_go_to_who_has_the_seat(postal: Postal) -> None:
    replaced(postal)
    postal.mails("alice")
    postal.run()
    told, in_the_open = postal.mails("alice")  # what has been done, also under her old key; nothing after it
    assert "If you have not asked for it" in body(in_the_open)
    (papers,) = postal.mails("carol")
    assert "notice" in told.as_string()
    assert "-seat-" in papers.as_string()
    postal.table.clock.pass_days(6)
    postal.run()  # exchange 2 is alice's to sign, so she is reminded of it, and carol is not
    assert [mail["Subject"] for mail in postal.mails("alice")] == [f"{GAME}: your orders are missing"]
    assert postal.mails("carol") == []
    postal.table.clock.pass_days(3)
    for _ in range(2):
        postal.run(after_gap=True)
    assert len(postal.mails("carol")) == 1  # the report of exchange 2
    assert postal.mails("alice") == []


def away(postal: Postal, name: str, key: keys.PrivateKey, after: float, days: int) -> None:
    """Somebody says, signed, that they are away, from some days after now."""
    begins = (postal.table.clock() + timedelta(days=after)).date()
    said = postal.table.absence(begins, begins + timedelta(days=days), name, key)
    postal.send(said, f"{name}@example.org", Subject=f"{name} {after}")


def open_until(postal: Postal) -> timedelta:
    """How long the open exchange goes on from now."""
    return postal.table.deadline - postal.table.clock()


def test_an_absence_moves_what_its_player_has_to_sign(postal: Postal) -> None:
    """Exchange 2 is alice's to sign, though carol reads for the seat already; exchange 3 is carol's."""
    carol = replaced(postal)
    postal.run()
    away(postal, "carol", carol, 6, 3)
    postal.run()
    assert open_until(postal) == timedelta(days=7)
    away(postal, "alice", postal.table.people["alice"].key, 6, 14)
    postal.run()
    assert open_until(postal) == timedelta(days=21)
    postal.go()
    assert postal.table.exchange == 3
    assert open_until(postal) == timedelta(days=10)


def test_the_absence_of_who_had_left_moves_nothing(postal: Postal) -> None:
    """Bob has given the seat to carol, who signs from exchange 4 on; exchange 3 opens without alice."""
    table = postal.table
    table.go()
    postal.run()
    carol = replace(postal, by="bob")
    away(postal, "alice", table.people["alice"].key, 6, 9)
    away(postal, "carol", carol, 6, 3)
    postal.run()
    assert open_until(postal) == timedelta(days=16), "of exchange 2, in which she left"
    postal.all_send()
    postal.run()
    assert table.exchange == 3
    assert open_until(postal) == timedelta(days=7)
    postal.run()
    assert open_until(postal) == timedelta(days=7)


def test_who_has_left_is_sent_nothing_again(postal: Postal) -> None:
    """The attack: alice asks for the letters of the seat that she has left."""
    replaced(postal)
    postal.run()
    postal.mails("alice"), postal.mails("carol")
    for sender in ("alice@example.org", CAROL):
        postal.send(f"resend {GAME}\n", sender)
    postal.run()
    (answer,) = postal.mails("alice")
    assert f"There are no such letters of {GAME} to alice" in answer.as_string()
    (again,) = postal.mails("carol")
    assert "-seat-" in again.as_string()


@pytest.mark.parametrize("when", ["before the pass", "while it is worked out"])
def test_a_forecast_goes_to_nobody_but_whose_orders_it_foretells(
    when: str, postal: Postal, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The attack: a seat changes hands between a receipt and its forecast."""
    table = postal.table
    table.go()
    postal.run()
    table.send("alice", MOVE)
    if when == "before the pass":
        carol = replace(postal)
        postal.run()
    else:
        made: dict[str, keys.PrivateKey] = {}

        def forecast(*_: object) -> tuple[()]:
            made["carol"] = replace(postal)
            return ()

        with monkeypatch.context() as patch:
            patch.setattr(order_explanations, "forecast_of", forecast)
            postal.run()
        carol = made["carol"]
    postal.run()
    assert "demo-receipt-0002.txt" in (told := " ".join(mail.as_string() for mail in postal.mails("alice")))
    papers = " ".join(mail.as_string() for mail in postal.mails("carol"))
    assert "-seat-" in papers
    assert "-forecast-" not in told + papers
    assert table.club.store.notes("forecast ") == {}

    table.send("bob")
    run_pass(table.club)
    table.people["alice"].key = carol
    (verdict,) = table.send("alice", MOVE, reveal=None)
    assert verdict.is_accepted
    postal.run()
    assert "demo-0003-forecast-1" in " ".join(mail.as_string() for mail in postal.mails("carol"))
    assert postal.mails("alice") == []


def receipts_to(postal: Postal, name: str, key: keys.PrivateKey) -> list[str]:
    """The receipts and their words that have come for somebody, who opens them with this key."""
    mails = [mail.as_bytes() for mail in postal.mails(name)]
    sealed = [part for mail in mails if b"-receipt-" in mail for part in find_sealed(mail)]
    parts = [read_part(open_sealed(part, [key], 100_000)) for part in sealed]
    return [part.text.decode().rstrip() for part in parts if part.kind in {RECEIPT, WORDS}]


def test_whoever_signed_gets_the_receipt(postal: Postal) -> None:
    """Alice's key signs exchange 2 still, when the seat is carol's: hers are receipt and answer."""
    replaced(postal)
    table = postal.table
    postal.run()
    postal.mails("alice"), postal.mails("carol")
    postal.send(table.sealed("alice", MOVE))
    postal.deliver(table.sealed("alice", MOVE, side="england"), Subject="once more")
    letters = [mail.as_string() for mail in postal.mails("alice")]
    postal.read["alice"].clear()
    receipt, words = receipts_to(postal, "alice", table.people["alice"].key)[-2:]
    assert "exchange 2\nplayer alice\nrev 1\n" in receipt
    assert "Wallace" in words
    assert any("Orders of alice for demo do not count: " in text for text in letters)
    assert postal.mails("carol") == []


def test_who_was_replaced_by_others_learns_no_position_from_a_receipt(postal: Postal) -> None:
    """The attack: alice, whose key signs one exchange more, tries which orders are legal in it."""
    table = postal.table
    table.go()
    postal.run()
    replace(postal, by="bob")
    table.send("bob")
    table.clock.pass_days(8)
    for _ in range(2):
        postal.run(after_gap=True)
    postal.mails("alice"), postal.mails("carol")
    assert table.exchange == 3
    told = []
    for revision, orders in enumerate((MOVE, "move Wallace from Ross to Mar\n"), 1):
        postal.deliver(table.sealed("alice", orders, rev=revision, reveal=None))
        receipt, words = receipts_to(postal, "alice", table.people["alice"].key)
        assert f"exchange 3\nplayer alice\nrev {revision}\n" in receipt
        told.append(re.sub(r"Fife|Angus|Ross|Mar|[12]", "", without_salt(words)))
    assert told[0] == told[1]
    assert postal.mails("carol") == []


def test_a_seat_changes_hands_twice(postal: Postal) -> None:
    """The attack: carol, who has left as well, asks for what went to the seat before her and after her."""
    table, carol = postal.table, replaced(postal)
    with pytest.raises(ConfigError, match=r"the next chain of alice is alice\.3"):
        handed_on(postal, carol, "alice.2")
    table.clock.pass_days(8)
    run_pass(table.club)
    handed_on(postal, carol, "alice.3")
    seats = table.club.book(GAME).history.seats
    assert [seats.person("alice"), seats.chain_of("alice", 4), seats.chain_of("alice", 5)] == [
        "dave",
        None,
        "alice.3",
    ]
    (told,) = resend(table.club, GAME, "alice")
    assert "will go to dave@example.org" in told


def handed_on(postal: Postal, carol: keys.PrivateKey, chain: str) -> None:
    """Carol gives the seat to dave, who has made this chain."""
    table, dave = postal.table, keys.generate("dave")
    table.club.store.put_player(PlayerRow("dave", dave.public.line, "dave@example.org"))
    signer = carol if table.exchange > 2 else table.people["alice"].key
    hand_over(postal, "dave", carol, dave, chain, "alice", signer)


def new_key(postal: Postal, exchange: int, signer: keys.PrivateKey) -> tuple[KeyChange, bytes]:
    """A new key for alice's seat, signed by somebody's key and by the new one."""
    table, new = postal.table, keys.generate("alice-2")
    change = table.key_change("alice", new.public, exchange=exchange)
    return change, sign_rotation(change, signer, new)


def test_a_new_key_that_is_mailed_waits_for_the_game_master(postal: Postal) -> None:
    postal.table.go()
    postal.run()
    postal.mails("alice")
    club = postal.table.club
    change, data = new_key(postal, postal.table.exchange, postal.table.people["alice"].key)
    postal.send(data)
    postal.run()
    (waiting,) = waiting_consents(club, read_agendas(club).values())
    key = keys.parse_public(change.new).fingerprint
    assert waiting.startswith(f"{GAME}: alice has signed a new key, {key}: pbem game replace-key ")
    (told,) = postal.mails("alice")
    assert "Your new key for" in body(told)
    assert "The game master enters it" in body(told)
    path = Path(waiting.rpartition(" ")[2])
    assert path.read_bytes() == data
    rotate(club, path.read_bytes())
    assert club.book(GAME).history.seats.fingerprint("alice", change.exchange + 1) != change.old
    assert waiting_consents(club, read_agendas(club).values()) == [], "what is done waits no more"


def test_a_new_key_that_another_has_signed_or_that_is_late_is_refused(postal: Postal) -> None:
    postal.table.go()
    postal.run()
    postal.mails("alice")
    club, people = postal.table.club, postal.table.people
    for exchange, signer, why in (
        (postal.table.exchange, people["bob"].key, "neither the old key nor the recovery key"),
        (postal.table.exchange + 1, people["alice"].key, "this rotation is for exchange"),
    ):
        _, data = new_key(postal, exchange, signer)
        postal.send(data)
        lines = postal.run()
        assert any(why in str(line) for line in lines)
        assert waiting_consents(club, read_agendas(club).values()) == []


def test_what_is_signed_in_the_pass_that_ends_its_exchange_is_answered(
    postal: Postal, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nobody can enter it any more: its player and the game master are told, and what has to be done."""
    postal.settle(watch={"address": "gm@club.example"})
    postal.table.go()
    postal.run()
    for name in ("alice", "bob", "gm"):
        postal.mails(name)
    table, club = postal.table, postal.table.club
    exchange = table.exchange
    change, data = new_key(postal, exchange, table.people["alice"].key)
    for name in ("alice", "bob"):
        postal.send(table.sealed(name), f"{name}@example.org")
    postal.send(table.consent("concede bob", "bob"), "bob@example.org")
    postal.send(data)
    postal.run()
    assert table.exchange == exchange + 1
    key = keys.parse_public(change.new).fingerprint
    said = (
        f"{GAME}: alice has signed a new key, {key}, for exchange {exchange}, "
        "which ended before it was entered"
    )
    (line,) = waiting_for_director(club, read_agendas(club).values())
    assert line == f"{said}; they are told to sign it again for exchange {exchange + 1}"
    (told,) = [" ".join(body(one).split()) for one in postal.mails("alice") if "new key" in body(one)][-1:]
    assert (
        f"Your new key for {GAME}, {key}, was not entered: exchange {exchange}, for which you signed" in told
    )
    assert f"{change.old} goes on to count" in told
    assert f"pbem sign rotation {GAME} {exchange + 1} --as alice" in told
    assert any(
        f"signed 'concede bob' for exchange {exchange}" in " ".join(body(one).split())
        and "was not entered before that exchange ended" in " ".join(body(one).split())
        for one in postal.mails("bob")
    )
    assert any(said in " ".join(body(one).split()) for one in postal.mails("gm"))
    postal.run()
    assert postal.mails("alice") == []
    _, data = new_key(postal, exchange + 1, table.people["alice"].key)
    postal.send(data)
    postal.run()
    (line,) = waiting_for_director(club, read_agendas(club).values())
    assert "pbem game replace-key" in line, "the new one takes the place of the one that was late"


def lost_key(postal: Postal) -> tuple[KeyChange, bytes]:
    """Alice has lost her key; bob consents to her new one, and the game master has both."""
    table, new = postal.table, keys.generate("alice-2")
    change = table.key_change("alice", new.public)
    data = sign_rotation(change, None, new)
    postal.send(data, "alice@example.org")
    postal.send(table.consent(change.consent), "bob@example.org")
    postal.run()
    return change, data


def test_what_was_used_waits_no_more(postal: Postal) -> None:
    """A key that others have consented to counts two exchanges later; it is entered all the same."""
    postal.table.go()
    postal.run()
    club = postal.table.club
    change, data = lost_key(postal)
    (line,) = waiting_consents(club, read_agendas(club).values())
    assert "bob has signed 'rotate alice" in line, "one line, with the command that enters both"
    rotate(club, data, reason="she lost it", consents=[postal.table.consent(change.consent)])
    assert club.book(GAME).history.seats.fingerprint("alice", change.exchange + 1) == change.old
    assert waiting_consents(club, read_agendas(club).values()) == []


def test_lists_show_the_key_in_force(postal: Postal, capsys: pytest.CaptureFixture[str]) -> None:
    """That which a seat signs with now, and that which follows it, from its exchange on."""
    rhythm(postal, days=1.5)
    postal.table.go()
    postal.run()
    club = postal.table.club
    change, data = lost_key(postal)
    rotate(club, data, reason="she lost it", consents=[postal.table.consent(change.consent)])
    new = keys.parse_public(change.new).fingerprint
    begins = change.exchange + 2
    for words in (["player", "list"], ["game", "show", GAME]):
        assert main([*words, "--club", str(club.path)]) == 0
        told = capsys.readouterr().out
        assert change.old in told
        assert f"{new} from exchange {begins} on" in told
        assert told.count(" from exchange ") == 1, "bob has his own still"
    for _ in range(3):
        postal.after(1.9)
    assert postal.table.exchange >= begins
    main(["game", "show", GAME, "--club", str(club.path)])
    assert f"scotland: alice, key {new}\n" in capsys.readouterr().out
    main(["player", "list", "--club", str(club.path)])
    assert f"alice {change.old} alice@example.org\n  {GAME}: {new}\n" in capsys.readouterr().out


def test_whoever_lost_a_key_keeps_their_name_when_the_director_enters_the_new_one(
    postal: Postal, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A stranger's word does not take the name, and the game that goes on keeps to its own keys."""
    postal.table.go()
    postal.run()
    postal.mails("alice")
    club, old, new = postal.table.club, postal.table.people["alice"].key, keys.generate("alice")
    wish = sign_fields(Join(game="dunbar", player="alice", key=new.public), new)
    postal.deliver(wish, "alice@example.org")
    (told,) = [" ".join(body(one).split()) for one in postal.mails("alice")]
    said = "alice is enrolled with another key. If you are alice and have lost that key, ask the director"
    assert said in told
    (tmp_path / "new.pub").write_text(new.public.file_line)
    add = ["club", "player", "add", "alice", str(tmp_path / "new.pub"), "--club", str(club.path)]
    for more, why in (
        ([], said),
        (["--in-place-of", new.public.fingerprint], "is not the key with which alice is"),
    ):
        assert main([*add, *more]) == 1
        assert why in capsys.readouterr().err
    assert main([*add, "--in-place-of", old.public.fingerprint]) == 0
    assert new.public.fingerprint in capsys.readouterr().out
    postal.deliver(wish, "alice@example.org", X_Number="2")
    (told,) = [" ".join(body(one).split()) for one in postal.mails("alice")]
    assert "Your wish to join dunbar as alice has arrived" in told
    postal.deliver(postal.table.sealed("alice"), "alice@example.org")
    assert any("have arrived" in body(one) for one in postal.mails("alice")), (
        "the game's own key goes on to count"
    )


def test_a_rotation_names_the_command_for_the_other_games(
    postal: Postal, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    postal.table.go()
    postal.run()
    club, old = postal.table.club, postal.table.people["alice"].key
    change, data = new_key(postal, postal.table.exchange, old)
    (tmp_path / "alice.rotation").write_bytes(data)
    where = ["--club", str(club.path)]
    assert main(["game", "replace-key", str(tmp_path / "alice.rotation"), *where]) == 0
    add = f"pbem club player add alice {tmp_path}/alice.rotation --in-place-of {old.public.fingerprint}"
    assert (
        f"for new games and leagues alice is enrolled with the old key still; {add}"
        in capsys.readouterr().err
    )
    assert main([*add.split()[1:], *where]) == 0
    row = club.store.player("alice")
    assert row is not None
    assert row.key == keys.parse_public(change.new).line
    assert main(["club", "player", "add", "bob", f"{tmp_path}/alice.rotation", *where]) == 1
    assert "this is the new key of alice, not of bob" in capsys.readouterr().err
