"""Signed statements are read out of mails whatever mail programs have done to their layout."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable
from datetime import UTC, date, datetime

import pytest

from pbem.mail.extract import extract
from pbem.trust import keys
from pbem.trust.act_entries import Consent, sign_consent
from pbem.trust.fields import sign_fields
from pbem.trust.identifiers import Namespace
from pbem.trust.ledger import Checkpoint
from pbem.trust.player_statements import Absence, FetchKey, Join, Profile, sign_fetch_key
from pbem.trust.signature import sign_text
from tests.mail.postal import JUDGE, mail

KEY = keys.generate("alice")
MADE = datetime(2026, 7, 20, 18, tzinfo=UTC)
STATEMENTS = {
    "join": sign_fields(
        Join(game="demo", player="alice", key=KEY.public, zone="Europe/London", share="alice@example.org"),
        KEY,
    ),
    "join of one judge": sign_fields(
        Join(game="demo", player="alice", key=KEY.public, judge=KEY.public.fingerprint), KEY
    ),
    "absence": sign_fields(
        Absence(
            player="alice",
            judge=KEY.public.fingerprint,
            begins=date(2026, 8, 1),
            ends=date(2026, 8, 9),
            made=MADE,
        ),
        KEY,
    ),
    "fetch key": sign_fetch_key(
        FetchKey(player="alice", judge=KEY.public.fingerprint, key=keys.generate().public, made=MADE), KEY
    ),
    "profile": sign_fields(
        Profile(player="alice", judge=KEY.public.fingerprint, zone="Asia/Tokyo", share="-", made=MADE), KEY
    ),
    "claim": sign_consent(
        Consent(game="demo", genesis="0" * 64, seen=(41, "1" * 64), exchange=4, by="alice", to="claim bob"),
        KEY,
    ),
    "head": sign_text(KEY, Namespace.CHECKPOINT, Checkpoint(game="demo", size=40, head="ab" * 32).text),
    "draw": sign_consent(
        Consent(game="demo", genesis="0" * 64, seen=(41, "1" * 64), exchange=4, by="alice", to="agree-draw"),
        KEY,
    ),
}
MANGLED: dict[str, Callable[[str], str]] = {
    "as it was": lambda text: text,
    "quoted": lambda text: "".join(f"> {line}\n" for line in text.splitlines()),
    "quoted twice, wrapped": lambda text: "".join(
        f"> > {part}\n"
        for line in text.splitlines()
        for part in textwrap.wrap(line, 40, break_long_words=False)
    ),
    "indented, blank lines": lambda text: "".join(f"   {line}  \n\n" for line in text.splitlines()),
    "in one line": lambda text: text.replace("\n", " "),
    "with words around": lambda text: f"Hello judge,\n\n{text}\n-- \nAlice\n",
}


@pytest.mark.parametrize("how", MANGLED)
@pytest.mark.parametrize("what", STATEMENTS)
def test_a_statement_is_found(what: str, how: str) -> None:
    found = extract(mail(MANGLED[how](STATEMENTS[what].decode())), JUDGE)
    assert found.statements == (STATEMENTS[what],)


@pytest.mark.parametrize("what", STATEMENTS)
def test_a_statement_is_found_in_html(what: str) -> None:
    page = "<p>" + STATEMENTS[what].decode().replace("\n", "<br>\n") + "</p>"
    raw = mail(page).replace(b"text/plain", b"text/html")
    assert extract(raw, JUDGE).statements == (STATEMENTS[what],)


@pytest.mark.parametrize("what", STATEMENTS)
def test_two_in_one_mail_are_two(what: str) -> None:
    both = STATEMENTS[what] + b"\n" + STATEMENTS["absence" if what != "absence" else "profile"]
    assert len(extract(mail(both), JUDGE).statements) == 2


@pytest.mark.parametrize("what", STATEMENTS)
def test_a_statement_without_its_signature_is_none(what: str) -> None:
    text = re.sub(r"-----BEGIN SSH.*", "", STATEMENTS[what].decode(), flags=re.DOTALL)
    assert extract(mail(text), JUDGE).statements == ()
