"""Tokens, labels and chains' names: what may be hashed, and nothing that could be read in two ways."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbem.trust import identifiers
from pbem.trust.faults import IdentifierFault

TOKENS = ("a", "0", "dunbar-7", "york-infantry", "1297.2", "a_b", "x" * 64)
NO_TOKENS = (
    *("", " ", "A", "-a", ".a", "_a", "..", "a b", "a\n", "\na", "é", "ﬁfe", "a\u200b", "x" * 65),
    *("a\0", "a:", "a@b", "ⅷ"),
)


@pytest.mark.parametrize("text", TOKENS)
def test_a_token_is_taken(text: str) -> None:
    assert identifiers.check_game_id(text) == text
    assert identifiers.check_label(f"{text}/{text}") == f"{text}/{text}"


@pytest.mark.parametrize("text", NO_TOKENS)
def test_what_is_no_token_is_refused(text: str) -> None:
    for check in (identifiers.check_game_id, identifiers.check_player_name, identifiers.split_who):
        with pytest.raises(IdentifierFault):
            check(text)
    with pytest.raises(IdentifierFault):
        identifiers.check_label(f"battle/{text}/die-1")


@pytest.mark.parametrize("label", ["/a", "a/", "a//b", "a/../b", "/", "a b", "a/" * 300 + "a"])
def test_a_label_is_tokens_and_single_slashes(label: str) -> None:
    with pytest.raises(IdentifierFault):
        identifiers.check_label(label)


@pytest.mark.parametrize("name", ["gm", "gm-secret", "public", "all", "x" * 61])
def test_a_player_cannot_take_a_name_that_means_another(name: str) -> None:
    with pytest.raises(IdentifierFault):
        identifiers.check_player_name(name)


def test_the_longest_player_name_still_has_a_chain() -> None:
    name = identifiers.check_player_name("x" * 60)
    assert identifiers.split_who(identifiers.who_of(name, 999)) == (name, 999)


@pytest.mark.parametrize(
    ("who", "parts"), [("gm.1", ("gm", 1)), ("gm-secret.1", ("gm-secret", 1)), ("a.b.12", ("a.b", 12))]
)
def test_a_chain_has_an_owner_and_a_generation(who: str, parts: tuple[str, int]) -> None:
    assert identifiers.split_who(who) == parts


@pytest.mark.parametrize("who", ["alice", "alice.", "alice.0", "alice.01", "alice.1000", ".1", "alice.x"])
def test_a_chain_without_a_generation_is_refused(who: str) -> None:
    with pytest.raises(IdentifierFault):
        identifiers.split_who(who)


@pytest.mark.parametrize(
    ("name", "token"), [("York Infantry", "york-infantry"), ("sea move", "sea-move"), ("3", "3")]
)
def test_a_name_of_the_rulebook_becomes_a_token(name: str, token: str) -> None:
    assert identifiers.as_token(name) == token


def test_a_name_that_cannot_become_a_token_is_refused() -> None:
    with pytest.raises(IdentifierFault):
        identifiers.as_token("Kirk o' Field")


@pytest.mark.ci
@given(st.text())
def test_a_message_quotes_little_and_shows_nothing_raw(text: str) -> None:
    quoted = identifiers.quote(text)
    assert quoted.isprintable()
    assert len(identifiers.quote("x" * 1000)) < 70


@pytest.mark.parametrize("text", ["00", "01", "+1", "-1", "1.0", "", " 1", "\uff11", "1" * 10])
def test_a_number_is_written_in_one_way(text: str) -> None:
    assert not identifiers.is_number(text)


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("alice@example.org", "alice@example.org"),
        (" alice+games@example.org ", "alice+games@example.org"),
        ("alice@b\u00fccher.example", "alice@xn--bcher-kva.example"),
        ("alice@\u4f8b\u3048.example", "alice@xn--r8jz45g.example"),
    ],
)
def test_a_typed_address_has_its_domain_in_ascii(typed: str, meant: str) -> None:
    assert identifiers.typed_address(typed) == meant


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("bj\u00f6rn@x.test", "before the @ a mail address may have only letters from a to z"),
        ("alice@x.test,bob@x.test", "is not a mail address"),
        ("alice @x.test", "is not a mail address"),
        ("alice@x.test\nBcc: bob@x.test", "is not a mail address"),
        ("alice@x.test\n", "is not a mail address"),
        ("alice@x\x00.test", "is not a mail address"),
        ("alice@" + "\u00fc" * 80 + ".test", "its domain cannot be written"),
        ("alice@a..\u00fc", "its domain cannot be written"),
        ("alice", "is not a mail address"),
        ("@x.test", "is not a mail address"),
        ("", "is not a mail address"),
        ("Alice <alice@x.test>", "is not a mail address"),
    ],
)
def test_what_cannot_be_delivered_to_is_refused_when_it_is_typed(typed: str, said: str) -> None:
    with pytest.raises(IdentifierFault) as caught:
        identifiers.typed_address(typed)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)
