"""Signed texts that are not sealed are read with LF and CR LF alike, and kept with LF; no CR alone is taken.

The table has a row for every text of `pbem.signed_texts` and every kind that is looked for in mails.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime

import pytest

from pbem.errors import PbemError
from pbem.leagues.statements import Statement, read_statement, sign_statement
from pbem.mail.extract import extract
from pbem.mail.mail_text import decode
from pbem.mail.statements import KINDS, find_statements
from pbem.signed_texts import TEXTS
from pbem.trust import keys
from pbem.trust.act_entries import Consent, read_consent, sign_consent, verify_consent
from pbem.trust.fields import read_signed, sign_fields, verify_signed
from pbem.trust.identifiers import Namespace
from pbem.trust.ledger import Checkpoint, verify_checkpoint
from pbem.trust.player_statements import Absence, FetchKey, Join, Profile, read_join, sign_fetch_key
from pbem.trust.rotations import KeyChange, read_rotation, sign_rotation, verify_rotation
from pbem.trust.signature import sign_text, split_unsealed
from tests.mail.postal import JUDGE, mail

KEY = keys.generate("alice")
FINGERPRINT = KEY.public.fingerprint
OTHER = keys.generate("alice")
MADE = datetime(2026, 7, 20, 18, tzinfo=UTC)


@dataclass(frozen=True)
class Unsealed:
    """A signed text, and the reader that verifies it and gives back what is kept of it."""

    text: bytes
    read: Callable[[bytes], bytes]


def absence_kept(data: bytes) -> bytes:
    _, body, armor = read_signed(Absence, data)
    verify_signed(body, armor, KEY.public)
    return body + armor


def profile_kept(data: bytes) -> bytes:
    _, body, armor = read_signed(Profile, data)
    verify_signed(body, armor, KEY.public)
    return body + armor


def fetch_key_kept(data: bytes) -> bytes:
    _, body, armor = read_signed(FetchKey, data)
    verify_signed(body, armor, KEY.public)
    return body + armor


def checkpoint_kept(data: bytes) -> bytes:
    signed = split_unsealed(data)
    return verify_checkpoint(signed.body, signed.armor, KEY.public).text + signed.armor


def consent_kept(data: bytes) -> bytes:
    consent, armor = read_consent(data)
    verify_consent(armor, consent, KEY.public)
    return consent.text + armor


def rotation_kept(data: bytes) -> bytes:
    file = read_rotation(data)
    verify_rotation(file, FINGERPRINT, None)
    return file.data


def league_kept(data: bytes) -> bytes:
    signed = read_statement(data)
    signed.verify(KEY.public)
    return signed.body + signed.armor


UNSEALED = {
    "join": Unsealed(
        sign_fields(Join(game="demo", player="alice", key=KEY.public, zone="Europe/London"), KEY),
        lambda data: sign_fields(read_join(data), KEY),
    ),
    "absence": Unsealed(
        sign_fields(
            Absence(
                player="alice", judge=FINGERPRINT, begins=date(2026, 8, 1), ends=date(2026, 8, 9), made=MADE
            ),
            KEY,
        ),
        absence_kept,
    ),
    "profile": Unsealed(
        sign_fields(Profile(player="alice", judge=FINGERPRINT, zone="Asia/Tokyo", made=MADE), KEY),
        profile_kept,
    ),
    "fetch-key": Unsealed(
        sign_fetch_key(FetchKey(player="alice", judge=FINGERPRINT, key=OTHER.public, made=MADE), KEY),
        fetch_key_kept,
    ),
    "consent": Unsealed(
        sign_consent(
            Consent(
                game="demo", genesis="0" * 64, seen=(41, "1" * 64), exchange=4, by="alice", to="claim bob"
            ),
            KEY,
        ),
        consent_kept,
    ),
    "rotate": Unsealed(
        sign_rotation(
            KeyChange(
                game="demo",
                genesis="0" * 64,
                player="alice",
                exchange=4,
                old=FINGERPRINT,
                new=OTHER.public.line,
            ),
            KEY,
            OTHER,
        ),
        rotation_kept,
    ),
    "league": Unsealed(
        sign_statement(
            Statement(
                league="autumn",
                player="alice",
                say="withdraw",
                judge=FINGERPRINT,
                genesis="0" * 64,
                made=MADE,
            ),
            KEY,
        ),
        league_kept,
    ),
    "checkpoint": Unsealed(
        sign_text(KEY, Namespace.CHECKPOINT, Checkpoint(game="demo", size=40, head="ab" * 32).text),
        checkpoint_kept,
    ),
}
SEALED = {"orders", "reveal", "press"}
"""Texts that no mail program sees: what is in a seal comes as it was signed, or was not signed so."""


def lone_cr(text: bytes) -> bytes:
    """End the second line of a text in CR alone."""
    first, second, rest = text.split(b"\n", 2)
    return b"\n".join((first, b"\r".join((second, rest))))


ENDS: dict[str, Callable[[bytes], bytes]] = {
    "LF": lambda text: text,
    "CR LF": lambda text: text.replace(b"\n", b"\r\n"),
    "mixed": lambda text: re.sub(rb"\n([^\n]*)\n", rb"\r\n\1\n", text),
    "CR LF above the signature alone": lambda text: b"-----BEGIN".join(
        (part.replace(b"\n", b"\r\n") if at == 0 else part)
        for at, part in enumerate(text.split(b"-----BEGIN"))
    ),
}
REFUSED: dict[str, Callable[[bytes], bytes]] = {
    "CR everywhere": lambda text: text.replace(b"\n", b"\r"),
    "one lone CR": lone_cr,
    "CR CR LF": lambda text: text.replace(b"\n", b"\r\r\n"),
    "CR inside a line": lambda text: text.replace(b"alice", b"al\rice", 1).replace(b"demo", b"de\rmo", 1),
    "CR in the signature": lambda text: re.sub(rb"(SIGNATURE-----\n.{20})", rb"\1\r", text, count=1),
    "CR at the end": lambda text: text + b"\r",
}


def attached(text: bytes) -> bytes:
    """Return a mail that has a text as an attachment of no known type."""
    kind = b"application/octet-stream\nContent-Disposition: attachment"
    return mail(text).replace(b"text/plain", kind, 1)


WAYS: dict[str, Callable[[bytes], list[bytes]]] = {
    "a file or a box's post": lambda text: list(find_statements(decode(text))),
    "a mail's text": lambda text: list(extract(mail(text), JUDGE).statements),
    "an attachment": lambda text: list(extract(attached(text), JUDGE).statements),
}


def test_every_signed_text_has_a_row() -> None:
    heads = {text.head for text in TEXTS.values()} | {f"pbem1 {kind}" for kind in KINDS}
    assert heads == {f"pbem1 {kind}" for kind in SEALED | UNSEALED.keys()}


@pytest.mark.parametrize("end", ENDS)
@pytest.mark.parametrize("kind", UNSEALED)
def test_a_text_is_read_and_kept_with_lf(kind: str, end: str) -> None:
    text = UNSEALED[kind].text
    assert UNSEALED[kind].read(ENDS[end](text)) == text
    for told, find in WAYS.items():
        assert find(ENDS[end](text)) == [text], told


@pytest.mark.parametrize("end", REFUSED)
@pytest.mark.parametrize("kind", UNSEALED)
def test_a_lone_cr_is_refused(kind: str, end: str) -> None:
    changed = REFUSED[end](UNSEALED[kind].text)
    assert changed != UNSEALED[kind].text
    with pytest.raises(PbemError):
        UNSEALED[kind].read(changed)
