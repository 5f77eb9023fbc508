"""What leaves a home and what it keeps: mails with orders, copies of opponents' orders, papers of a game."""

from __future__ import annotations

import email
from collections.abc import Callable
from dataclasses import replace
from email.policy import default
from pathlib import Path

import pytest

from pbem.errors import ConfigError, LedgerError, SealError
from pbem.player import Home
from pbem.player.faults import NotOurs, Refused
from pbem.player.incoming.mail_parts import game_of, take_copy, take_relayed
from pbem.player.outgoing.mailing import order_mail
from pbem.player.outgoing.ordering import SealedOrders
from pbem.player.store.evidence import papers
from pbem.trust import keys, ledger
from pbem.trust.armor import find_sealed
from pbem.trust.faults import IdentifierFault
from pbem.trust.letters import (
    NOTICE,
    Addresses,
    ForecastLetter,
    OrdersCopy,
    read_copy,
    sign_copy,
    sign_forecast,
)
from pbem.trust.sealing import seal, seal_key, sealed_name, to_armor
from tests.player.judge import GAME, START, Judge
from tests.player.test_commands import Terminal, pbem

__all__ = ["pbem"]

ADDRESSES = Addresses(
    judge="judge@club.example", own="alice@example.org", copies=("bob@example.org", "Alice@Example.org")
)


def mail(orders_of: Home, addresses: Addresses = ADDRESSES, **options: object) -> email.message.EmailMessage:
    data = order_mail(orders_of.seal(None, game=GAME), "alice", addresses, START, **options)  # type: ignore[arg-type]
    assert b"\r" not in data
    return email.message_from_bytes(data, policy=default)


def test_orders_go_to_the_judge_and_a_copy_to_others_but_not_to_oneself(alice: Home, invited: Judge) -> None:
    found = mail(alice)
    assert (found["To"], found["Cc"]) == ("judge@club.example", "bob@example.org")
    assert found["From"] == "alice@example.org"
    assert found["Message-ID"].endswith("@example.org>")
    assert found["Date"].datetime == START
    (sealed,) = find_sealed(found.as_bytes())
    assert alice.folder(GAME).sent_files.holds(sealed)
    assert "this copy proves that the orders were sent" in found.get_content()


def test_without_copies_nothing_is_said_to_others(alice: Home, invited: Judge) -> None:
    for found in (mail(alice, copies=False), mail(alice, replace(ADDRESSES, copies=()))):
        assert found["Cc"] is None
        assert "To the other players" not in found.get_content()


def test_another_address_of_ones_own_is_the_sender(alice: Home, invited: Judge) -> None:
    found = mail(alice, sender="bob@example.org")
    assert (found["From"], found["Cc"]) == ("bob@example.org", None), (
        "nobody has said that others may know it"
    )
    for sender in ("nobody", "a@b\nBcc: c@d", "a@b, c@d"):
        with pytest.raises(IdentifierFault):
            mail(alice, sender=sender)


def test_a_judge_without_an_address_gets_no_mail(alice: Home, invited: Judge) -> None:
    with pytest.raises(Refused, match=f"the judge's letters of {GAME} name no mail address"):
        mail(alice, Addresses())


def test_copies_are_kept_with_the_game_that_the_mail_names(alice: Home, bob: Home, invited: Judge) -> None:
    alice.join("other", player="alice", judge=None)
    folders = [alice.folder(name) for name in (GAME, "other")]
    assert game_of(folders, b"Subject: orders for Other.\n", b"").game == "other"
    assert game_of(folders[:1], b"nothing", b"").game == GAME, "the only game there is"
    for text in (b"nothing", b"hearth and other", b"-----BEGIN AGE ENCRYPTED FILE-----\nother\n"):
        with pytest.raises(NotOurs, match="the mail does not name the game"):
            game_of(folders, text, b"")
    theirs, letter = bob.seal(None, game=GAME).armor, invited.mail(invited.letter(0))
    found = alice.deliver({"alone": theirs.encode(), "beside": f"{theirs}\n{letter}".encode()})
    assert [one.kind for one in found.arrivals] == ["report"]
    ((file, fault),) = found.faults
    assert (file, "the mail does not name the game" in str(fault)) == ("alone", True)


def test_ones_own_orders_are_no_proof_against_others(alice: Home, bob: Home, invited: Judge) -> None:
    folder = alice.folder(GAME)
    own = alice.seal(None, game=GAME)
    assert "your own sealed orders" in take_copy(folder, own.sealed).text
    assert not list(folder.path.glob("held/sealed/*"))
    theirs = bob.seal(None, game=GAME)
    assert take_copy(folder, theirs.sealed).new
    assert not take_copy(folder, theirs.sealed).new, "kept once"
    (kept,) = folder.path.glob("held/sealed/*")
    assert kept.read_bytes() == theirs.sealed


def relayed(judge: Judge, armor: str) -> bytes:
    return sign_copy(OrdersCopy(game=GAME, exchange=1, player="bob", to="alice", armor=armor), judge.key)


def test_what_the_judge_passes_on_is_kept_as_they_signed_it(alice: Home, bob: Home, invited: Judge) -> None:
    folder, orders = alice.folder(GAME), bob.seal(None, game=GAME)
    arrival = take_relayed(folder, relayed(invited, orders.armor))
    assert (arrival.new, arrival.remarks) == (True, ()), "before the close no ledger need name it"
    (kept,) = folder.path.glob("held/relayed/*")
    assert kept.name == f"{orders.name}.txt"
    assert read_copy(kept.read_bytes(), invited.key.public).armor == orders.armor
    assert not list(folder.path.glob("held/sealed/*")), "that its player sent it does not show"


def test_a_forecast_is_shown_and_kept_once(alice: Home, bob: Home, invited: Judge) -> None:
    orders, theirs = alice.seal(None, game=GAME), bob.seal(None, game=GAME)
    invited.receive(1, "bob", theirs.sealed)
    alice.receive(invited.mail(invited.letter(1, since=2, kind=NOTICE)).encode())
    foretold = ForecastLetter(
        game=GAME, exchange=1, player="alice", sealed=orders.name, forecast="It ends well: Máel Coluim.\n"
    )
    letter = sign_forecast(foretold, invited.key)
    (first,), (again,) = alice.receive(letter), alice.receive(letter)
    assert (first.kind, first.text, first.new, again.new) == ("forecast", foretold.forecast, True, False)
    (kept,) = alice.folder(GAME).path.glob("forecasts/*")
    (other,) = alice.receive(sign_forecast(replace(foretold, forecast="It ends badly.\n"), invited.key))
    assert (other.text, other.new) == ("It ends badly.\n", True)
    assert kept.read_text() == foretold.forecast
    (strange,) = alice.receive(sign_forecast(replace(foretold, sealed=theirs.name), invited.key))
    assert "nothing here knows as yours" in strange.remarks[0]
    with pytest.raises(SealError, match="this is signed with the key"):
        alice.receive(sign_forecast(foretold, keys.generate("gm")))
    with pytest.raises(LedgerError, match="names no sealed file"):
        alice.receive(sign_forecast(replace(foretold, sealed="../../player"), invited.key))


def test_nothing_is_taken_before_the_judge_is_known(alice: Home, judge: Judge) -> None:
    folder = alice.folder(GAME)
    with pytest.raises(NotOurs, match="receive the judge's invitation first"):
        take_relayed(folder, relayed(judge, "x\n"))
    with pytest.raises(ConfigError, match="holds no ledger"):
        papers(folder)


def test_papers_hold_what_the_judge_has_signed_and_what_was_sent(
    alice: Home, bob: Home, play: Callable[[int], None], invited: Judge
) -> None:
    play(2)
    copy = bob.seal(None, game=GAME)
    take_copy(alice.folder(GAME), copy.sealed)
    found = papers(alice.folder(GAME))
    leaves = [line.split(" ")[1] for line in found["log/leaves"].decode().splitlines()]
    assert leaves == invited.leaves
    for name, data in found.items():
        if name.endswith(".entry"):
            number = int(name[4:8])
            salt = found[f"log/{number:04d}.salt"].decode().strip()
            assert ledger.leaf(salt, data) == invited.leaves[number - 1]
        if name.startswith("sealed/"):
            assert name == f"sealed/{sealed_name(data)}.age"
    assert f"sealed/{copy.name}.age" in found
    assert len([name for name in found if name.startswith("sealed/")]) == 3, "two of our own, one of Bob's"
    assert {name for name in found if name.startswith("reports/")} == {
        "reports/north/0001.txt",
        "reports/north/0002.txt",
    }
    assert f"checkpoints/{len(leaves):04d}.sig" in found


def two_in_one(first: SealedOrders, other: str) -> str:
    """A forwarded mail with orders for two games, each below the words that `pbem seal --mail` writes."""
    told = "exchange 1: revision 1 of bob, sealed to the judge.\n\n"
    return f"Both of mine.\n\n{GAME}, {told}{first.armor}\n\ndunbar, {told}{other}"


def another_game() -> str:
    """Sealed orders for a game of which nobody here has the key."""
    return to_armor(seal(b"other", [seal_key(b"0" * 32, "dunbar", 1, "bob").recipient]))


def test_of_two_games_in_one_mail_only_the_named_one_s_file_is_kept(
    pbem: Terminal, alice: Home, bob: Home, invited: Judge, tmp_path: Path
) -> None:
    alice.join("dunbar", player="alice", judge=None)
    first, other = bob.seal(None), another_game()
    (tmp_path / "mail.txt").write_text(two_in_one(first, other))
    out, err = pbem("receive", "--copy-of", GAME, tmp_path / "mail.txt")
    held = f"{pbem.home}/games/{GAME}/held/sealed"
    assert out == f"{held}/{first.name}.age\n"
    assert "is of dunbar, and not kept here; to keep it: pbem receive --copy-of dunbar" in err
    assert [path.name for path in Path(held).iterdir()] == [f"{first.name}.age"]
    out, err = pbem("receive", tmp_path / "mail.txt")
    assert len(list(Path(f"{pbem.home}/games/dunbar/held/sealed").iterdir())) == 1
    assert "sealed orders for dunbar is kept" in out
    assert f"sealed orders for {GAME} is kept" in out


def test_a_letter_beside_a_copy_is_not_kept_as_one(
    pbem: Terminal, bob: Home, invited: Judge, tmp_path: Path
) -> None:
    first = bob.seal(None)
    (tmp_path / "mail.txt").write_text(f"{first.armor}\n{invited.mail(invited.letter(0))}")
    out, err = pbem("receive", "--copy-of", GAME, tmp_path / "mail.txt")
    assert out == f"{pbem.home}/games/{GAME}/held/sealed/{first.name}.age\n"
    assert "is a letter to a player and no orders; not kept: pbem receive takes it" in err


def test_files_of_two_games_that_nothing_tells_apart_are_not_kept(
    pbem: Terminal, alice: Home, bob: Home, invited: Judge, tmp_path: Path
) -> None:
    alice.join("dunbar", player="alice", judge=None)
    (tmp_path / "mail.txt").write_text(f"{GAME} and dunbar:\n{bob.seal(None).armor}\n{another_game()}")
    out, err = pbem("receive", "--copy-of", GAME, tmp_path / "mail.txt", status=1)
    assert out == ""
    assert err.count(f"may be of dunbar or {GAME}, which the mail names; not kept: save it by itself") == 2
