"""What the judge takes in, and what he refuses: each with its own message, nothing else changed."""

from __future__ import annotations

from unittest import mock

import pytest

from pbem.judge.intake import desk
from pbem.judge.letters import order_explanations
from pbem.judge.letters.order_explanations import send_forecasts
from pbem.judge.newgame import new_game
from pbem.trust import keys, sealing
from pbem.trust.chance import Reveal
from pbem.trust.identifiers import Namespace
from pbem.trust.orderfile import Seen
from pbem.trust.sealing import seal, to_armor
from pbem.trust.signature import sign_text
from tests.judge.every_game import run_pass
from tests.judge.table import GAME, SEATS, TITLE, Table
from tests.test_cli import modules_of


def kinds(table: Table) -> list[str]:
    """The first word of each entry."""
    return [text.split(b" ")[0].decode() for text in table.ledger()]


def test_the_same_file_twice_is_one_receipt(table: Table) -> None:
    sealed = table.sealed("alice")
    desk.submit(table.club, sealed)
    (verdict,) = desk.submit(table.club, sealed)
    assert verdict.is_accepted
    assert verdict.text == "these orders of alice were received before"
    assert kinds(table) == ["genesis", "open", "received"]


def test_a_later_revision_counts(table: Table) -> None:
    table.send("alice", "card 1\n")
    table.send("alice", "card 2\n", rev=2)
    current = table.club.book(GAME).history.current
    assert current is not None
    assert current.counted()["alice"].rev == 2


def test_one_revision_with_two_contents_is_refused(table: Table) -> None:
    table.send("alice", "card 1\n")
    (verdict,) = table.send("alice", "card 2\n")
    assert not verdict.is_accepted
    assert verdict.text == "revision 1 of these orders was received before, with other content"
    assert kinds(table)[-1] == "refused"


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        (b"", "empty"),
        (b"\0" * 10_000_000, "more than 1,000,000 bytes"),
        (b"\xff\xfe\xfa broken \x80", "holds nothing sealed"),
        (b"card 3\nmove Wallace to Mentieth\n", "holds nothing sealed"),
    ],
    ids=["empty", "zeros", "not utf-8", "plain orders"],
)
def test_what_is_no_sealed_file_is_kept_and_refused(table: Table, raw: bytes, message: str) -> None:
    before = table.ledger()
    (verdict,) = desk.submit(table.club, raw)
    assert not verdict.is_accepted
    assert message in verdict.text
    assert table.ledger() == before
    rows = list(table.club.store.db.query("SELECT done, result FROM incoming"))
    assert dict(table.club.store.stored_arrivals()).get(1, b"") == raw[: desk.MAX_SUBMISSION_SIZE + 1]
    assert rows[0]["done"] == 1
    assert rows[0]["result"] == verdict.text


def test_a_file_sealed_to_somebody_else(table: Table) -> None:
    stranger = sealing.seal_key(b"s" * 32, "other", 1, "alice")
    (verdict,) = desk.submit(table.club, to_armor(seal(b"hello\n", [stranger.recipient])).encode())
    assert not verdict.is_accepted
    assert verdict.text == "this file is sealed to another key"
    assert kinds(table) == ["genesis", "open"]


def _signed(table: Table, key: keys.PrivateKey, namespace: Namespace, text: bytes) -> bytes:
    recipient = table.order_file("alice").seal
    return to_armor(seal(sign_text(key, namespace, text), [recipient])).encode()


NOT_HERS = {"wrong key", "wrong namespace", "tampered", "another game", "another exchange", "another player"}
"""What alice has not signed for this exchange is answered, and nothing is entered (protocol 3)."""


@pytest.mark.parametrize(
    ("case", "message"),
    [
        ("wrong key", "the signature was made with the key"),
        ("wrong namespace", "pbem1-report"),
        ("tampered", "this is not the text that was signed"),
        ("another game", "the file is for game other; expected was game demo"),
        ("another exchange", "the file is for exchange 2; expected was exchange 1"),
        ("another player", "the file is for player bob; expected was player alice"),
        ("another side", "england"),
        ("no seen", "the file does not say which ledger was seen"),
        ("an older ledger", "the exchange was opened by entry 2"),
        ("another ledger", "where this ledger has"),
        ("no reveal", "the file reveals no step of the player's chain"),
        ("a later step", "the file reveals step 2, in exchange 1; both must be equal"),
        ("a false step", "alice.1"),
    ],
)
def test_orders_that_do_not_hold_are_refused_and_logged(table: Table, case: str, message: str) -> None:
    alice = table.people["alice"]
    good = table.order_file("alice")
    text, key, namespace = good.text, alice.key, Namespace.ORDERS
    book = table.club.book(GAME)
    if case == "wrong key":
        key = table.people["bob"].key
    elif case == "wrong namespace":
        namespace = Namespace.REPORT
    else:
        changes: dict[str, dict[str, object]] = {
            "another game": {"game": "other"},
            "another exchange": {"exchange": 2},
            "another player": {"player": "bob", "reveal": None},
            "another side": {"side": "england"},
            "no seen": {"seen": None},
            "an older ledger": {"seen": Seen(1, book.head_at(1) or "")},
            "another ledger": {"seen": Seen(2, "ab" * 32)},
            "no reveal": {"reveal": None},
            "a later step": {"reveal": Reveal("alice.1", 2, alice.chain.reveal(2))},
            "a false step": {"reveal": Reveal("alice.1", 1, "cd" * 32)},
        }
        text = table.order_file("alice", "", **changes.get(case, {})).text
    raw = _signed(table, key, namespace, text)
    if case == "tampered":
        signed = sign_text(key, namespace, text).replace(b"rev 1", b"rev 2")
        raw = to_armor(seal(signed, [good.seal])).encode()
    (verdict,) = desk.submit(table.club, raw)
    assert not verdict.is_accepted
    assert message in verdict.text
    assert kinds(table) == ["genesis", "open", *(["refused"] if case not in NOT_HERS else [])]


def test_orders_for_a_closed_exchange(table: Table) -> None:
    late = table.sealed("alice", "card 1\n", rev=2)
    table.go()
    (verdict,) = desk.submit(table.club, late)
    assert not verdict.is_accepted
    assert verdict.text == "exchange 1 of demo is closed; exchange 2 is open"
    assert kinds(table)[-1] == "refused"
    assert b" late\n" in table.ledger()[-1]


def test_stock_made_orders_are_accepted(table: Table) -> None:
    """CR LF in the signed text, as an editor on another system writes it."""
    text = table.order_file("alice", "card 1\n").text.replace(b"\n", b"\r\n")
    (verdict,) = desk.submit(table.club, _signed(table, table.people["alice"].key, Namespace.ORDERS, text))
    assert verdict.is_accepted, verdict.text


def test_wrong_order_lines_never_void_a_file(table: Table) -> None:
    table.go()
    (verdict,) = table.send("alice", "plya card 3\nfly to the moon\n")
    assert verdict.is_accepted


def latest(table: Table, name: str, kind: str) -> str:
    """What a player's last letter of a kind says."""
    letters = [letter for letter in table.club.store.letters() if letter.player == name]
    assert f"-{kind}-" in letters[-1].name, letters[-1].name
    return letters[-1].text


def test_a_receipt_is_followed_by_what_the_orders_will_do(table: Table) -> None:
    """The receipt is in the outbox before a forecast is worked out, which another process may do."""
    table.go()
    table.send("alice", "move Wallace from Fife to Angus\n")
    words = latest(table, "alice", "receipt")
    assert "Wallace" in words
    assert "Forecast" not in words
    table.reopen()
    assert [done.text for done in send_forecasts(table.club)] == ["a forecast for alice"]
    forecast = latest(table, "alice", "forecast")
    assert "Forecast, from what you can see:" in forecast
    assert "Wallace: from Fife to Angus, the main attack." in forecast
    assert list(send_forecasts(table.club)) == []


@pytest.mark.ci
def test_the_forecast_reckons_with_the_orders_on_file(table: Table) -> None:
    """As 'pbem check' does; a bare file leaves all to them."""
    table.go()
    table.go(1, "card 1\nmove none\ndoctrine:\nfire\nhits rest\nforced retreat all\nregroup none\nend\n")
    said = []
    for rev, body in enumerate(("card 2\nmove Wallace, Douglas from Fife to Mentieth\n", ""), 1):
        table.send("alice", body, rev=rev)
        list(send_forecasts(table.club))
        said.append(" ".join(latest(table, "alice", "forecast").split()))
    assert "In trial battles your orders answered every question." in said[0]
    assert "The card you play, if you say nothing: card" in said[1]
    assert not any("earlier orders" in text for text in said)


def test_each_file_that_counts_has_a_forecast_whatever_is_in_it(table: Table) -> None:
    table.go()
    table.send("alice", rev=2)
    table.send("alice", "move Wallace from Fife to Angus\n")  # revision 1: it does not count
    assert len(list(send_forecasts(table.club))) == 1
    assert "no forecast can be made for these orders" in latest(table, "alice", "forecast")


@pytest.mark.ci
def test_what_one_pass_leaves_the_next_foretells(table: Table) -> None:
    """A pass is bounded; neither a game in trouble nor a forecast that cannot be made keeps back another."""
    table.go()
    for name in SEATS:
        table.send(name, "move Wallace from Fife to Angus\n")
    new_game(
        table.club, "broken", TITLE.name, TITLE.excerpt or {}, {side: name for name, side in SEATS.items()}
    )
    table.club.store.put_note("forecast broken alice", "d" * 64)
    table.club.store.connection.execute("UPDATE entry SET text = x'00' WHERE game = 'broken'")
    assert [done.text for done in send_forecasts(table.club, 1)] == ["a forecast for alice"]
    with mock.patch.object(order_explanations, "_forecast", side_effect=ZeroDivisionError):
        (done,) = send_forecasts(table.club, 1)
    assert done.text == "no forecast for bob: ZeroDivisionError, a fault in the program"
    assert list(send_forecasts(table.club)) == []


def test_nothing_is_foretold_of_an_exchange_that_is_over(table: Table) -> None:
    table.send("alice")
    assert list(send_forecasts(table.club)) == [], "accepting a game does nothing"
    table.send("bob")
    run_pass(table.club)
    table.go()
    assert list(send_forecasts(table.club)) == []
    assert table.club.store.notes("forecast ") == {}


@pytest.mark.ci
def test_orders_handed_in_need_neither_mail_nor_forecast(table: Table) -> None:
    """What takes long to import is imported where it is used."""
    table.go()
    sealed = table.club.path.parent / "alice.age"
    sealed.write_bytes(table.sealed("alice", "move Wallace from Fife to Angus\n"))
    table.club.store.close()
    heavy = {"PIL", "css_inline", "resvg_py", "smtplib", "sqlite_utils"}
    heavy |= {"pbem.titles.hammer.forecast", "pbem.mail.command_runner", "pbem.pages", "pbem.pictures"}
    assert not heavy & modules_of("submit", str(sealed), PBEM_CLUB=str(table.club.path))
    heavy |= {"jinja2", "pbem.judge.adjudication", "pbem.play.resolve", "pbem.titles", "pbem.trust.letters"}
    again = modules_of("submit", str(sealed), PBEM_CLUB=str(table.club.path))
    assert not heavy & again, "what was received before needs no words"
