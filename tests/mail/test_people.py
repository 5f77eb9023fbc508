"""Mails of the kind that people write to a club: each is answered, or somebody reads it.

Written down, with what ought to happen, before the code that does it.
"""

from __future__ import annotations

import mailbox
from datetime import date

import pytest

from pbem.mail.director import IN_WORDS, MAX_PER_SENDER, WILL_READ, has_words
from pbem.mail.extract import extract
from pbem.mail.mail_text import is_footer
from pbem.trust import keys
from pbem.trust.fields import sign_fields
from pbem.trust.player_statements import Join
from tests.mail.postal import Postal, mail
from tests.mail.test_passes import body

GM = "gm@club.example"


def happens(
    postal: Postal,
    subject: str,
    text: str,
    sender: str = "alice@example.org",
    kind: str = "text/plain",
    **more: str,
) -> tuple[str, str]:
    """What the sender and the director are told, in one line each."""
    head = {"From": sender, "To": "judge@club.example", "Subject": subject, "Message-ID": "<1@outlook.com>"}
    head |= {name.replace("_", "-"): value for name, value in more.items()}
    lines = "".join(f"{name}: {value}\n" for name, value in head.items())
    raw = f"{lines}MIME-Version: 1.0\nContent-Type: {kind}; charset=utf-8\n\n{text}".encode()
    mailbox.Maildir(postal.post.box("judge")).add(raw)
    postal.run()
    told = [
        " ".join(" ".join(map(body, postal.mails(name))).split()) for name in (sender.partition("@")[0], "gm")
    ]
    return told[0], told[1]


OUTLOOK = {"X_Mailer": "Microsoft Outlook 16.0"}
PHONE = {"X_Mailer": "iPhone Mail (21F90)"}


@pytest.mark.parametrize(
    ("subject", "text"),
    [
        ("Urlaub im Mai", "Lieber Spielleiter, kann das Spiel im Mai ruhen?\n"),
        ("On vacation next week - please wait", "Could you give me three more days?\n"),
    ],
)
def test_a_player_whose_subject_looks_automatic_is_read_and_not_answered(
    watched: Postal, subject: str, text: str
) -> None:
    """An answer could go back and forth between two machines; the director decides."""
    told, director = happens(watched, subject, text)
    assert told == ""
    assert text.strip() in director
    assert "has not been answered" in director


def test_a_machine_that_says_so_is_not_passed_on(watched: Postal) -> None:
    assert happens(watched, "Urlaub", "Ich bin weg.\n", Auto_Submitted="auto-replied") == ("", "")
    assert happens(watched, "Urlaub im Mai", "Ich bin weg.\n", "x@example.net") == ("", "")


def test_a_question_in_the_subject_alone_is_passed_on(watched: Postal) -> None:
    told, director = happens(watched, "Can I have two more days?", "\n", **PHONE)
    assert WILL_READ in told
    assert "Subject: Can I have two more days?" in director


def test_an_empty_answer_to_a_letter_is_not(watched: Postal) -> None:
    told, director = happens(
        watched, "Re: demo: orders", "\n", In_Reply_To="<pbem1.demo.alice.thread@club.example>"
    )
    assert "it has no text" in told
    assert director == ""


@pytest.mark.parametrize(
    "text",
    [
        "move Wallace to Fife\n",
        "Hi,\n\n* Move Wallace to Fife\n* pass\n\nAlice\n",
        "Hallo,\n\n1. Karte 3 spielen\n2. Ziehe Wallace nach Fife\n\nGruß, Alice\n",
        "Ich spiele Karte 3 und ziehe dann Wallace von Moray nach Fife.\n",
        "Wallace und Ross bitte nach Fife ziehen!\n",
    ],
)
def test_orders_in_plain_words_are_told_what_they_lack(watched: Postal, text: str) -> None:
    told, director = happens(watched, "my orders", text, **OUTLOOK)
    assert " ".join(IN_WORDS.split()) in told
    assert "Wallace" in director, "and a person reads it all the same"


GERMAN = """\
Ziehe gerade nach Berlin um, bitte um drei Tage Aufschub.
Wir ziehen um
Meine Karte 3 fehlt mir
Karte kommt nicht an
Ich kann die Karte nicht öffnen.
Ich ziehe Fife vor
Darf ich Wallace nach Fife ziehen?
Ich wollte fragen, ob ich Ross nach Moray ziehen darf.
Das ist mir recht
Ich passe auf die Kinder auf
Ich baue auf dich
Ich behalte das im Auge
Ersetze mich bitte
Herold und Karte verstehe ich nicht
Treffer und versenkt
"""


@pytest.mark.parametrize(
    "text", ["Will you move the deadline, please? I keep forgetting it.\n", *GERMAN.splitlines(keepends=True)]
)
def test_other_words_are_not_taken_for_orders(watched: Postal, text: str) -> None:
    told, _ = happens(watched, "hello", text)
    assert IN_WORDS not in told
    assert WILL_READ in told


@pytest.mark.parametrize(
    ("text", "kind", "mailer"),
    [
        ("status demo\n\nGet Outlook for iOS<https://aka.ms/o0ukef>\n", "text/plain", OUTLOOK),
        ("status\n\nGesendet von meinem iPhone\n", "text/plain", PHONE),
        ("status\n\nSent from my iPhone\n\n> On 3 May judge wrote:\n> Game demo\n", "text/plain", PHONE),
        (
            "<div>status</div><div><br></div><div>Get <a href='x'>Outlook for Android</a></div>",
            "text/html",
            OUTLOOK,
        ),
    ],
)
def test_a_command_from_a_phone_is_understood(
    watched: Postal, text: str, kind: str, mailer: dict[str, str]
) -> None:
    told, director = happens(watched, "Re: demo", text, kind=kind, **mailer)
    assert told.startswith("demo: exchange")
    assert director == ""


@pytest.mark.parametrize(
    "text", ["\n\nGet Outlook for iOS<https://aka.ms/o0ukef>\n", "\nGesendet von meinem iPhone\n"]
)
def test_a_command_in_the_subject_counts_above_what_a_phone_adds(watched: Postal, text: str) -> None:
    told, director = happens(watched, "status demo", text, **PHONE)
    assert told.startswith("demo: exchange")
    assert director == ""


FOOTERS = """\
Sent from my phone
Sent from my Samsung Galaxy smartphone.
Sent from Outlook for iOS<https://aka.ms/o0ukef>
Get Outlook for Android
Sent from Mail for Windows
Sent with Proton Mail secure email.
Sent from Yahoo Mail on Android
Von meinem iPhone gesendet
Gesendet von meinem Fairphone
Gesendet von Outlook für iOS
Gesendet mit der GMX Mail App
Diese Nachricht wurde von meinem Android-Mobiltelefon mit WEB.DE Mail gesendet.
Envoyé de mon iPhone
Enviado desde mi iPhone
"""


@pytest.mark.parametrize("footer", FOOTERS.splitlines())
@pytest.mark.parametrize("below", ["", "\n-- \nAlice\n", "\n> On 3 May judge wrote:\n> Game demo\n"])
def test_a_mail_of_nothing_but_what_a_phone_adds_is_empty(footer: str, below: str) -> None:
    assert is_footer(footer)
    assert not has_words(f"\n{footer}\n{below}")
    assert below or extract(mail(f"\n\n{footer}\n")).reason == "it has no text"
    assert has_words(f"{footer}\n{below}\nI write below the quote.\n") is (" \n" not in below)


@pytest.mark.parametrize(
    "text",
    [
        "Sent with my last mail was a question, did you see it?\n",
        "Sent from the station: my train is late.\n",
        "Gesendet habe ich gestern.\n",
        "This message was for Bob?\n",
        "On 3 May judge wrote:\n> Game demo\n\nI answer below it.\n",
    ],
)
def test_words_are_not_taken_for_what_a_phone_adds(watched: Postal, text: str) -> None:
    told, director = happens(watched, "Re: demo", text, **PHONE)
    assert WILL_READ in told
    assert text.rsplit(maxsplit=1)[-1] in director


def test_an_empty_mail_from_a_phone_is_told_so_and_passed_on_only_with_a_picture(watched: Postal) -> None:
    told, director = happens(watched, "Re: demo", "\nSent from my phone\n", **PHONE)
    assert "it has no text" in told
    assert director == ""
    picture = (
        "--b\nContent-Type: text/plain\n\n{}\n--b\n"
        "Content-Type: image/jpeg\nContent-Disposition: attachment; filename=IMG_1.jpg\n\nJFIF\n--b--\n"
    )
    for text in ("Sent from my phone", ""):
        both = picture.format(text)
        _, director = happens(watched, "Re: demo", both, kind="multipart/mixed; boundary=b", **PHONE)
        assert "Attached, and still in the mailbox: IMG_1.jpg" in director


def test_words_above_a_quoted_letter_are_passed_on_from_outlook(watched: Postal) -> None:
    page = "<p class=MsoNormal>Which turn is it?</p><hr><b>From:</b> judge@club.example"
    told, director = happens(watched, "RE: demo: orders", page, kind="text/html", **OUTLOOK)
    assert WILL_READ in told
    assert "Which turn is it?" in director


def test_a_stranger_who_asks_how_to_join_is_passed_on(watched: Postal) -> None:
    told, director = happens(watched, "Joining", "Hello, how do I join a game here?\n", "carol@example.net")
    assert WILL_READ in told
    assert "how do I join" in director


@pytest.mark.parametrize(
    ("share", "told"),
    [("carol@example.net", "the invitation comes by mail."), ("", "only if they have entered your address")],
)
def test_who_shares_no_address_is_not_promised_a_mail(watched: Postal, share: str, told: str) -> None:
    key = keys.generate("carol")
    wish = sign_fields(Join(game="dunbar", player="carol", key=key.public, share=share), key)
    watched.deliver(wish.decode(), "carol@example.net")
    (answer,) = watched.mails("carol")
    assert told in " ".join(body(answer).split())


def test_a_wish_to_join_and_an_absence_in_one_mail_are_both_answered(watched: Postal) -> None:
    alice, days = watched.table.people["alice"], date(2026, 1, 20)
    wish = sign_fields(Join(game="dunbar", player="alice", key=alice.key.public), alice.key)
    watched.deliver((wish + b"\n" + watched.table.absence(days, days)).decode(), "alice@example.org")
    told = " ".join(" ".join(map(body, watched.mails("alice"))).split())
    assert "Your wish to join dunbar as alice has arrived" in told
    assert "2026-01-20" in told


def test_each_of_three_wishes_in_one_mail_is_answered(watched: Postal) -> None:
    key, games = keys.generate("carol"), ("dunbar", "perth", "fife")
    wishes = [sign_fields(Join(game=game, player="carol", key=key.public), key) for game in games]
    watched.deliver(b"\n".join(wishes).decode(), "carol@example.net")
    told = " ".join(" ".join(map(body, watched.mails("carol"))).split())
    assert [game for game in games if f"Your wish to join {game} as carol has arrived" in told] == [*games]


CLEAR = (
    "-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA512\n\nhelp\n-----BEGIN PGP SIGNATURE-----\n\niQEzBAEB\n"
    "=abcd\n-----END PGP SIGNATURE-----\n"
)
BESIDE = (
    "--b\nContent-Type: text/plain; charset=utf-8\n\nhelp\n--b\nContent-Type: application/{kind}\n"
    "Content-Disposition: attachment\n\niQEzBAEB\n--b--\n"
)


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("text/plain", CLEAR),
        ("multipart/signed; boundary=b", BESIDE.format(kind="pgp-signature; name=signature.asc")),
        ("multipart/signed; boundary=b", BESIDE.format(kind="pkcs7-signature; name=smime.p7s")),
    ],
    ids=["PGP in the text", "PGP beside it", "S/MIME beside it"],
)
def test_help_says_who_reads_also_in_a_mail_that_a_program_has_signed(
    watched: Postal, kind: str, text: str
) -> None:
    told, director = happens(watched, "a question", text, kind=kind)
    assert f"The game master is a person, who reads what you write to {GM}." in told
    assert director == "", "it was understood"


def test_what_s_mime_hides_is_told_as_signed_or_encrypted(watched: Postal) -> None:
    """Outlook signs so if it is told not to sign in clear text."""
    told, _ = happens(
        watched, "a question", "MIIabcd=\n", kind="application/pkcs7-mime; smime-type=signed-data"
    )
    assert "or signed in one block, by S/MIME" in told


HIDDEN = {
    "S/MIME": ("MIIabcd=\n", "application/pkcs7-mime; smime-type=signed-data"),
    "archive": ("7z\u00bc\u00af\n", "application/x-7z-compressed"),
    "nothing": ("", "text/plain"),
}


@pytest.mark.parametrize(("text", "kind"), HIDDEN.values(), ids=HIDDEN)
def test_a_stranger_hears_that_their_mail_brought_nothing(watched: Postal, text: str, kind: str) -> None:
    told, _ = happens(watched, "my entry", text, "carol@example.net", kind=kind)
    assert "Nothing was used from your mail" in told


def test_orders_in_plain_words_are_told_what_they_lack_however_many_mails_came(watched: Postal) -> None:
    """The limits of other words keep nobody from hearing that they have ordered nothing."""
    for number in range(MAX_PER_SENDER):
        happens(watched, "hello", f"May I ask you something, question {number}?\n")
    told, director = happens(watched, "my orders", "Move Wallace to Fife\n", **PHONE)
    assert director == ""
    assert IN_WORDS in told
    told, _ = happens(watched, "Move Wallace to Fife", "Sent from my phone\n", **PHONE)
    assert IN_WORDS in told, "in the subject alone"


def test_a_wish_to_join_a_game_that_has_begun_is_told_so(watched: Postal) -> None:
    key = keys.generate("carol")
    wish = sign_fields(Join(game="demo", player="carol", key=key.public, share="carol@example.net"), key)
    watched.deliver(wish.decode(), "carol@example.net")
    told = " ".join(" ".join(map(body, watched.mails("carol"))).split())
    assert "demo has begun already, with alice and bob" in told
    assert "the invitation comes" not in told
    assert "pbem turn" not in told


@pytest.mark.parametrize("kind", ["text/plain", "application/octet-stream"])
def test_whoever_mails_their_private_key_is_warned_and_nobody_gets_it(watched: Postal, kind: str) -> None:
    text = keys.generate("alice").to_openssh().decode()
    told, director = happens(watched, "my key", text, kind=kind)
    assert "your private key is in it" in told
    assert "PRIVATE KEY" not in director


def test_the_director_is_told_what_was_attached_to_words(watched: Postal) -> None:
    two = (
        "--b\nContent-Type: text/plain\n\nI cannot read this, what is it?\n--b\n"
        "Content-Type: image/jpeg\nContent-Disposition: attachment; filename=IMG_1.jpg\n\nJFIF\n--b--\n"
    )
    _, director = happens(watched, "help me", two, kind="multipart/mixed; boundary=b")
    assert "what is it?" in director
    assert "Attached, and still in the mailbox: IMG_1.jpg" in director


OF_A_DAY = [
    ("alice", "Spielstand?", "Wie steht es gerade?\n\nViele Grüße\nAlice\n\n-- \nTel. 0123\n"),
    ("alice", "Re: demo", "Thanks! May blocks cross the sea?\n\nOn 1 May judge wrote:\n> orders please\n"),
    ("alice", "status", "status\n\nVon meinem iPhone gesendet\n"),
    ("bob", "my turn", "<div>Ich spiele Karte 3<br>Ross nach Moray ziehen</div>"),
    ("bob", "Fw: my orders", "---------- Forwarded message ---------\nFrom: bob\n\nCan you read this?\n"),
    ("bob", "AW: demo", "\nSent from Outlook for iOS\n"),
    ("carla", "help", "help\n"),
    ("carla", "Mitspielen", "Guten Tag, wie kann ich mitspielen?\n\nVon meinem Samsung Gerät gesendet\n"),
    ("carla", "Mitspielen", "Ach ja: kostet das etwas?\n"),
]


def test_of_a_day_s_mails_each_is_answered_at_once_or_the_next_day(watched: Postal) -> None:
    for name, subject, text in OF_A_DAY:
        kind = "text/html" if text.startswith("<") else "text/plain"
        happens(watched, subject, text, f"{name}@example.org", kind=kind)
    answered = sum(bool(one.address) for one in watched.table.club.store.letters() if "answer-" in one.name)
    watched.after(1)
    letters = [body(mail) for name in ("alice", "bob", "carla") for mail in watched.mails(name)]
    assert answered + sum(text.count("Your mail of ") for text in letters) == len(OF_A_DAY)
