"""Passes over a real mail server and Maildirs: what comes in, what goes out, and to whom."""

from __future__ import annotations

from email.message import Message
from unittest import mock

import pytest

from pbem.errors import SealError
from pbem.judge.letters import order_explanations
from pbem.mail import compose
from pbem.mail.command_runner import take_from_file
from pbem.mail.compose import PAGE_SIZE
from pbem.mail.envelope import Envelope
from pbem.mail.settings import read_settings
from pbem.pages import report_page, without_view
from pbem.service.forgetting import forget
from pbem.trust.armor import find_sealed
from pbem.trust.ledger import verify_receipt
from pbem.trust.sealing import MAX_SEALED_REPORT_SIZE, open_sealed
from tests.judge.table import GAME
from tests.mail.postal import JUDGE, Postal

STRANGER = "mallory@example.org"


def body(message: Message) -> str:
    """The text part."""
    for part in message.walk():
        if part.get_content_type() == "text/plain":
            payload = part.get_payload(decode=True)
            assert isinstance(payload, bytes)
            return payload.decode()
    raise AssertionError("a mail of ours has a text part")


def names(messages: list[Message]) -> list[str]:
    """The letters in mails, by the names of their attachments."""
    return [str(part.get_filename()) for one in messages for part in one.walk() if part.get_filename()]


def letters(messages: list[Message]) -> dict[str, str]:
    """The sealed letters in mails, without their pages and calendars, by their names."""
    parts = [part for one in messages for part in one.walk() if (part.get_filename() or "").endswith(".txt")]
    return {str(part.get_filename()): str(part.get_payload()) for part in parts}


def test_orders_by_mail_are_receipted_and_reported(postal: Postal) -> None:
    postal.run()
    postal.deliver(postal.table.sealed("alice"))
    alice = postal.mails("alice")
    assert names(alice)[-1] == "demo-receipt-0001.txt"
    receipt = alice[-1]
    assert receipt["Auto-Submitted"] == "auto-replied"
    assert receipt["References"] == alice[0]["References"]
    key = postal.table.people["alice"].key
    opened = [open_sealed(one, [key], MAX_SEALED_REPORT_SIZE) for one in find_sealed(receipt.as_bytes())]
    begin, end = opened[0].index(b"-----BEGIN"), opened[0].index(b"-----END SSH SIGNATURE-----\n") + 28
    verify_receipt(opened[0][:begin], opened[0][begin:end], postal.table.club.key.public)
    postal.send(postal.table.sealed("bob"), "bob@example.org")
    done = postal.run()
    assert "exchange 1 resolved; exchange 2 is open" in [line.text for line in done]
    files = ["demo-0001-report.txt", "demo-0001-report-page.html.age"]
    assert names(postal.mails("alice"))[-2:] == files
    assert names(postal.mails("bob"))[-2:] == files


@pytest.mark.ci
def test_a_receipt_leaves_before_its_forecast_is_worked_out(
    postal: Postal, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A pass that dies of a forecast has sent the receipt; the next one makes the forecast, once."""
    postal.table.go()
    postal.run()
    postal.mails("alice")
    postal.send(postal.table.sealed("alice", "move Wallace from Fife to Angus\n"))
    with monkeypatch.context() as patch:
        patch.setattr(order_explanations, "forecast_of", mock.Mock(side_effect=KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            postal.run()
    assert names(postal.mails("alice")) == ["demo-receipt-0002.txt"]
    postal.run()
    (mail,) = postal.mails("alice")
    assert mail["Subject"] == "demo: what your orders will do"
    postal.run()
    assert postal.mails("alice") == []


def test_from_decides_nothing(postal: Postal) -> None:
    """A copy of Alice's sealed mail sent by another is taken, and tells nothing to whoever sent it."""
    postal.run()
    postal.mails("alice")
    headers = {"Reply_To": "bob@example.org", "Date": "Thu, 1 Jan 1970", "Subject": "orders for demo"}
    postal.deliver(postal.table.sealed("alice"), STRANGER, **headers)
    assert names(postal.mails("alice")) == ["demo-receipt-0001.txt"]
    (line,) = postal.mails("mallory")
    assert "Your mail was read; the player who signed it gets the result." in body(line)
    assert "alice" not in line.as_string().replace("mallory", "")


def test_a_refusal_goes_to_the_enrolled_address(postal: Postal) -> None:
    postal.run()
    postal.mails("alice")
    postal.send(postal.table.sealed("alice", rev=1))
    postal.deliver(postal.table.sealed("alice", "card 1\n", rev=1), STRANGER)
    alice = postal.mails("alice")
    assert any("received before, with other content" in " ".join(body(one).split()) for one in alice)
    assert postal.mails("mallory") == [], "one mail, one answer"


@pytest.mark.ci(but=("headers0", "headers1"))
@pytest.mark.parametrize(
    "headers",
    [
        {"Auto_Submitted": "auto-replied"},
        {"Precedence": "bulk"},
        {"List_Id": "<x.example.org>"},
        {"Return_Path": "<>"},
        {"Subject": "Automatic reply: demo"},
        {"Message_ID": "<pbem1.demo.alice.x@club.example>"},
    ],
)
def test_machines_get_no_answer(postal: Postal, headers: dict[str, str]) -> None:
    postal.run()
    postal.deliver("help\n", STRANGER, **headers)
    assert postal.mails("mallory") == []


def test_two_judges_do_not_write_to_each_other_for_ever(postal: Postal) -> None:
    """Our own answers, mailed back by a stranger, are answered by nobody."""
    postal.run()
    postal.deliver("hello\n", STRANGER, Subject="about demo")
    (answer,) = postal.mails("mallory")
    assert answer["Auto-Submitted"] == "auto-replied"
    assert answer["Return-Path"] == "<>"


def test_commands(postal: Postal) -> None:
    postal.run()
    postal.mails("alice")
    postal.deliver("help\nstatus\n")
    (answer,) = postal.mails("alice")
    assert "resend GAME" in body(answer)
    assert "demo: exchange 1 open, waiting for alice and bob" in body(answer)


def test_a_lost_letter_is_sent_again_to_its_player_alone(postal: Postal) -> None:
    postal.run()
    (first,) = postal.mails("alice")
    postal.deliver("resend demo\n", STRANGER)
    (told,) = postal.mails("mallory")
    assert "only to the address that is enrolled" in body(told)
    assert postal.mails("alice") == []
    postal.deliver("resend demo\n")
    (again,) = postal.mails("alice")
    assert names([again]) == names([first])
    assert again["Message-ID"] != first["Message-ID"]
    assert letters([again]) == letters([first]), "the very bytes that left"
    ids = [str(mail["Message-ID"]) for mail in (first, again)]
    assert {one.partition(".id")[2] for one in ids} == {ids[0].partition(".id")[2]}, (
        "and so known by one mark"
    )


def test_bytes_are_reproducible(postal: Postal) -> None:
    settings = read_settings(postal.table.club.settings)
    assert settings is not None
    letter = postal.table.club.store.letters()[0]
    first, again = (compose.compose(letter, "a@b.c", settings).as_bytes() for _ in range(2))
    assert first == again
    lines = first.split(b"\r\n")
    assert max(map(len, lines)) <= 200
    assert not any(b"\n" in line for line in lines)


def play_with_receipts_first(postal: Postal, reports: str = "sealed") -> None:
    """Play an exchange whose receipts leave before its report, so that no letter shares the report's mail."""
    postal.settle(copies="off", reports=reports)
    postal.run()
    postal.table.send("alice")
    postal.run()
    postal.table.send("bob")
    postal.run()


@pytest.mark.ci
def test_open_reports_show_the_report_and_bring_the_form(postal: Postal) -> None:
    play_with_receipts_first(postal, "open")
    report = postal.mails("alice")[-1]
    assert "WHAT HAPPENED" in body(report)
    assert "begin view" not in body(report)
    assert names([report])[-3:] == [
        "demo-0001-report.txt",
        "demo-0001-report-orders.txt",
        "demo-0001-report-view.txt",
    ]
    (picture,) = (part for part in report.walk() if part.get_content_type() == "image/png")
    (page,) = (part for part in report.walk() if part.get_content_type() == "text/html")
    html = page.get_payload(decode=True)
    assert f'src="cid:{picture["Content-ID"][1:-1]}"'.encode() in html
    assert b"Map of Scotland" in html
    assert len(report.as_bytes()) < 300_000
    assert report["Subject"] == "demo: orders for 1297 turn 1, by 2026-01-08 12:00 UTC"


@pytest.mark.ci
def test_a_sealed_report_brings_its_page_sealed(postal: Postal, monkeypatch: pytest.MonkeyPatch) -> None:
    """Always of one size: a page too large by a byte comes without its picture, or else not at all."""
    play_with_receipts_first(postal)
    report = postal.mails("alice")[-1]
    (sealed,) = (part for part in report.walk() if (part.get_filename() or "").endswith(".html.age"))
    data = sealed.get_payload(decode=True)
    assert isinstance(data, bytes)
    page = open_sealed(data, [postal.table.people["alice"].key], 1_000_000)
    assert b"<svg " in page
    assert b"What happened" in page
    assert page.endswith(b"</html>\n" + b"\n" * (len(page) - len(page.rstrip(b"\n")) - 1))
    assert len(page) == PAGE_SIZE
    assert len(report.as_bytes()) < 275_000
    with pytest.raises(SealError):
        open_sealed(data, [postal.table.people["bob"].key], 1_000_000)
    text, key = postal.table.club.store.letters_to(GAME, "alice")[-1].text, postal.table.people["alice"].key
    whole, bare = (report_page(one, due="soon").html.encode() for one in (text, without_view(text)))
    given = []
    for size in (len(whole), len(whole) - 1, len(bare), len(bare) - 1):
        monkeypatch.setattr(compose, "PAGE_SIZE", size)
        sealed_page = compose._sealed_page(text, key.public.line, "soon")
        given.append(open_sealed(sealed_page, [key], 1_000_000).rstrip(b"\n"))
    assert given == [one.rstrip(b"\n") for one in (whole, bare, bare, compose.TOO_LARGE.encode())]
    assert whole != bare


@pytest.mark.ci
def test_a_mail_too_large_is_not_kept_whole(postal: Postal) -> None:
    postal.run()
    postal.mails("alice")
    postal.deliver(b"x" * 3_000_000)
    (answer,) = postal.mails("alice")
    assert "more than 2,000,000 bytes" in " ".join(body(answer).split())
    rows = list(postal.table.club.store.db.query("SELECT length(raw) AS kept, size FROM incoming"))
    assert rows[0]["kept"] < 200_000
    assert rows[0]["size"] > 3_000_000


def test_a_join_by_mail_is_answered_with_its_fingerprint(postal: Postal) -> None:
    from pbem.trust import keys
    from pbem.trust.fields import sign_fields
    from pbem.trust.player_statements import Join

    key = keys.generate("carol")
    postal.deliver(sign_fields(Join(game="dunbar", player="carol", key=key.public), key), "carol@example.org")
    (answer,) = postal.mails("carol")
    assert key.public.fingerprint in body(answer)
    assert "Nobody is told your address" in body(answer)
    joins = postal.table.club.path / "joins"
    assert joins.stat().st_mode & 0o777 == 0o700
    assert len(list(joins.iterdir())) == 1


def test_raw_mail_is_kept_for_a_while(postal: Postal) -> None:
    postal.deliver("hello\n", STRANGER)
    postal.after(1)
    store = postal.table.club.store
    assert next(iter(store.db.query("SELECT length(raw) AS size FROM incoming")))["size"] > 0
    postal.after(100, after_gap=True)
    assert next(iter(store.db.query("SELECT length(raw) AS size FROM incoming")))["size"] == 0


def test_who_has_gone_is_forgotten(postal: Postal) -> None:
    from pbem.trust import keys
    from pbem.trust.fields import sign_fields
    from pbem.trust.player_statements import Join, Profile

    club = postal.table.club
    key = keys.generate("carol")
    club.add_player("carol", key.public, "carol@example.org")
    postal.send("status\n", "carol@example.org")
    for game in ("other", "third"):
        join = Join(game=game, player="carol", key=key.public, share="carol@example.org")
        postal.send(sign_fields(join, key), "carol@example.org")
    made = postal.table.clock()
    judge = club.key.public.fingerprint
    wish = Profile(player="carol", judge=judge, share="carol@example.org", made=made)
    postal.send(sign_fields(wish, key), STRANGER)
    postal.deliver("hello\n", "alice@example.org", Cc="Carol <Carol@example.org>")
    assert len(list((club.path / "joins").iterdir())) == 2
    assert club.store.profiles()["carol"].share == "carol@example.org"
    assert b"carol@example.org" in b"".join(raw for _, raw in club.store.stored_arrivals()).lower()
    club.store.add_letter("", "carol", "hello.txt", b"", text="to carol@example.org")
    take_from_file(club, sign_fields(Join(game="fourth", player="carol", key=key.public), key))
    (club.path / "desk").mkdir()
    (club.path / "desk/signed.txt").write_bytes(sign_fields(wish, key))
    assert forget(club, "carol") == 5, "the mails of her and about her, not what the director has handed in"
    assert [one.player for one in club.store.unsent_letters()] == [], (
        "what had not left does not wait for another carol"
    )
    assert list((club.path / "joins").iterdir()) == []
    assert not (club.path / "desk").exists(), "with what the director has typed of hers"
    assert club.store.profiles() == {}
    assert b"carol@example.org" not in b"".join(raw for _, raw in club.store.stored_arrivals()).lower()
    dump = "\n".join(club.store.db.conn.iterdump())
    assert "carol@example.org" not in dump
    assert GAME in dump


# A club with a page for players


ADDRESS = "https://play.club.example/"
BOX = "https://box.club.example/"
PAGE = {"address": ADDRESS, "sha256": "9" * 64}


@pytest.mark.parametrize("reports", ["sealed", "open"])
def test_letters_name_the_page_that_opens_them(postal: Postal, reports: str) -> None:
    path = postal.table.club.path / "club.toml"
    lines = "".join(f'{name} = "{value}"\n' for name, value in PAGE.items())
    text = path.read_text(encoding="utf-8").replace("[mail]\n", f'[mail]\nreports = "{reports}"\n', 1)
    path.write_text(f"{text}\n[page]\n{lines}", encoding="utf-8")
    postal.table.reopen()
    postal.run()
    (invitation,) = postal.mails("alice")
    link = f"{ADDRESS}#join/{GAME}/{postal.table.club.key.public.fingerprint}"
    named = "Or save this mail, and open it with your page in a browser:\n\n  {}\n"
    assert named.format(link) in body(invitation).replace("\r", "")
    for name in ("alice", "bob"):
        postal.table.send(name)
    postal.run()
    later = [body(mail).replace("\r", "") for mail in postal.mails("alice")]
    assert any(named.format(ADDRESS) in text for text in later), "who plays already needs no link"
    assert not any("#join" in text for text in later)


def test_a_page_that_is_set_up_wrongly_stops_no_mail() -> None:
    mail = {"address": JUDGE}
    assert [
        found and found.page and found.page.address
        for found in (read_settings({"mail": mail, "page": page}) for page in (PAGE, {"address": ADDRESS}))
    ] == [ADDRESS, None]


def test_the_link_of_an_invitation_names_the_post_box() -> None:
    page = {**PAGE, "boxes": [BOX]}
    settings = read_settings({"mail": {"address": JUDGE}, "page": page, "box": {"url": BOX}}, judge="key")
    assert settings
    link = compose._browser(Envelope(name="hearth-0000-report.txt", game="hearth"), settings)
    assert link == f"{ADDRESS}#join/hearth/key/https%3A%2F%2Fbox.club.example%2F"
