"""Texts about a post box: what a reader asks of it, which one a game uses, who else may fetch."""

from __future__ import annotations

import base64
import hashlib
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from pbem.trust.faults import TrustFault
from pbem.trust.fields import read_signed, verify_signed
from pbem.trust.identifiers import Namespace
from pbem.trust.keys import PrivateKey
from pbem.trust.player_statements import FetchKey, sign_fetch_key
from pbem.trust.post_box import (
    MAX_HEADER_SIZE,
    WINDOW,
    BoxLetter,
    BoxRequest,
    Deed,
    check_box_url,
    make_request,
    read_box_letter,
    read_request,
    sign_box_letter,
    sign_request,
    verify_request,
)
from pbem.trust.signature import sign_text, split
from tests.trust.stock import run

ALICE, BOB = PrivateKey(bytes(range(32))), PrivateKey(bytes(range(1, 33)))
AT = datetime(2026, 11, 28, 3, tzinfo=UTC)
URL = "https://box.club.example/"
BODY = b"since 0\n"
SHA256 = hashlib.sha256(BODY).hexdigest()
REQUEST = BoxRequest(key=ALICE.public.fingerprint, box=URL, time=AT, deed=Deed.FETCH, body=SHA256)
HEADER = make_request(Deed.FETCH, URL, BODY, AT, ALICE)


def test_a_request_is_what_its_format_shows() -> None:
    signed = split(base64.b64decode(HEADER))
    assert signed.body.decode() == (
        "pbem1 box-request\n"
        f"key {ALICE.public.fingerprint}\n"
        "box https://box.club.example/\n"
        "time 2026-11-28T03:00:00Z\n"
        "do fetch\n"
        f"body {SHA256}\n"
    )
    assert read_request(HEADER)[0] == REQUEST
    assert len(HEADER) < MAX_HEADER_SIZE // 2


def test_ssh_keygen_verifies_a_request(tmp_path: Path) -> None:
    signed = split(base64.b64decode(HEADER))
    (tmp_path / "signers").write_text(f'alice namespaces="pbem1-box" {ALICE.public.line}\n')
    (tmp_path / "sig").write_bytes(signed.armor)
    command = ("ssh-keygen", "-Y", "verify", "-f", tmp_path / "signers", "-I", "alice")
    assert b"Good" in run(*command, "-n", "pbem1-box", "-s", tmp_path / "sig", stdin=signed.body)


@pytest.mark.parametrize("clock", [-WINDOW, timedelta(0), WINDOW])
def test_a_request_counts_within_the_window(clock: timedelta) -> None:
    assert verify_request(HEADER, Deed.FETCH, URL, SHA256, AT + clock) == ALICE.public


@pytest.mark.parametrize("clock", [-WINDOW, WINDOW])
def test_a_request_outside_the_window_is_the_clock_s_fault(clock: timedelta) -> None:
    late = AT + clock + (timedelta(seconds=1) if clock > timedelta(0) else -timedelta(seconds=1))
    with pytest.raises(TrustFault, match="the box's clock says") as caught:
        verify_request(HEADER, Deed.FETCH, URL, SHA256, late)
    assert caught.value.reason == "clock"


OTHER_NAMESPACE = base64.b64encode(sign_text(ALICE, Namespace.ORDERS, REQUEST.text)).decode()
TAMPERED = base64.b64encode(base64.b64decode(HEADER).replace(b"do fetch", b"do  post")).decode()


@pytest.mark.parametrize(
    ("header", "why"),
    [
        (OTHER_NAMESPACE, "made for 'pbem1-orders', not for 'pbem1-box'"),
        (TAMPERED, "not written as its format demands"),
        (sign_request(REQUEST, BOB), "another key than the one that signed it"),
        (sign_request(replace(REQUEST, box="https://other.example/"), ALICE), "meant for another box"),
        (sign_request(replace(REQUEST, deed=Deed.ACKNOWLEDGE), ALICE), "signed to acknowledge, not to fetch"),
        (sign_request(replace(REQUEST, body="0" * 64), ALICE), "signed for another body"),
        ("%", "not base64"),
        ("\u00e9", "not base64"),
        ("A" * (MAX_HEADER_SIZE + 4), "too long"),
        (base64.b64encode(REQUEST.text).decode(), "the text is not signed"),
    ],
)
def test_another_request_is_refused(header: str, why: str) -> None:
    with pytest.raises(TrustFault, match=why):
        verify_request(header, Deed.FETCH, URL, SHA256, AT)


@pytest.mark.parametrize("url", [URL, "https://a.example:8443/box/", "http://127.0.0.1:80/", "http://[::1]/"])
def test_an_address_of_a_box(url: str) -> None:
    assert check_box_url(url) == url


@pytest.mark.parametrize(
    "url",
    [
        *("", "https://a.example", "http://a.example/", "https://A.example/", "https://a.example/../"),
        *("https://u@a.example/", "https://a.example/?q/", "https://a.example/ /", "https://a.example/\n"),
        *("javascript://a/", "https://a.example:0/", f"https://{'a' * 200}/", "https://\u0430.example/"),
    ],
)
def test_no_address_of_a_box(url: str) -> None:
    with pytest.raises(TrustFault, match="is not the address of a post box"):
        check_box_url(url)


FETCHING = FetchKey(player="alice", judge=BOB.public.fingerprint, key=BOB.public, made=AT)


@pytest.mark.parametrize("withdrawn", [False, True])
def test_a_fetch_key_comes_back_as_it_was_signed(withdrawn: bool) -> None:
    statement = replace(FETCHING, is_withdrawn=withdrawn)
    read, body, armor = read_signed(FetchKey, sign_fetch_key(statement, ALICE))
    assert read == statement
    verify_signed(body, armor, ALICE.public)
    with pytest.raises(TrustFault, match="made with the key"):
        verify_signed(body, armor, BOB.public)


def test_the_key_that_signs_is_no_fetch_key() -> None:
    with pytest.raises(TrustFault, match="must not be the one that signs"):
        sign_fetch_key(replace(FETCHING, key=ALICE.public), ALICE)


@pytest.mark.parametrize("url", [URL, ""])
def test_the_judge_tells_a_game_s_box(url: str) -> None:
    letter = BoxLetter(game="hearth", url=url, made=AT)
    assert read_box_letter(sign_box_letter(letter, BOB), BOB.public) == letter
    with pytest.raises(TrustFault, match="made with the key"):
        read_box_letter(sign_box_letter(letter, ALICE), BOB.public)
