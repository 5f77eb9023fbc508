"""The table of what a player can sign: nothing that the judge takes in is without words, command and form."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import cast

import pytest

from pbem.cli import play
from pbem.cli.table import HIDDEN, OLD
from pbem.leagues.statements import NEEDED
from pbem.mail import statements
from pbem.signed_texts import CONSENT, FORMS, LEAGUE, STATEMENT, TEXTS, SignedText
from pbem.trust.act_entries import ARGUMENTS, PUT_AWAY, Act, lacking
from pbem.trust.entries import Genesis
from pbem.web.build import SITE
from pbem.web.signing import SIGN
from tests.test_cli import EVERY_COMMAND
from tests.tools import signed_text_page

KINDS = {
    "line",
    "number",
    "day",
    "hours",
    "zone",
    "address",
    "yes",
    "wish",
    "pace",
    "player",
    "key",
    "secret",
    "lines",
}
PLACES = {
    "the list of games": 'ask("join"',
    "the keys below the list of games": 'ask("offer"',
    "Orders": 'ask("seal"',
    "Talk": '"write_message"',
}
"""Where a text has its form that is not drawn from its fields, and the call that the page makes there."""
JUDGES = {"pbem1 checkpoint"}
"""What only the judge signs, and a player hands in as proof."""


def acts_with_consent() -> Iterator[str]:
    """What a game master does only with somebody's consent, by the rule itself."""
    players = [SimpleNamespace(name=name) for name in ("alice", "bob")]
    genesis = cast("Genesis", SimpleNamespace(players=players, official=()))
    for what, count in ARGUMENTS.items():
        of = "alice" if count else ""
        change = "rules=" + "0" * 64 if what in ("correct", "go-on") else ""
        act = Act(
            exchange=1, what=what, of=of, change=change, at=datetime(2027, 1, 1, tzinfo=UTC), reason="x"
        )
        if lacking(act, genesis):
            yield what


def missing(texts: dict[str, SignedText]) -> list[str]:
    """Texts that the judge takes in and that have no row."""
    heads = {text.head for text in texts.values()}
    said = {(text.head, text.says) for text in texts.values()}
    found = [f"pbem1 {kind}" for kind in statements.KINDS if f"pbem1 {kind}" not in heads | JUDGES]
    found += [f"league: {say}" for say in NEEDED if (STATEMENT, say) not in said]
    consents = [*acts_with_consent(), PUT_AWAY, "rotate"]
    return found + [f"consent: {what}" for what in consents if (CONSENT, what) not in said]


def test_every_text_that_the_judge_takes_in_has_a_row() -> None:
    assert missing(TEXTS) == []
    assert {"claim", "concede", "agree-draw", "roll-back"} <= set(acts_with_consent())


@pytest.mark.parametrize("name", ["appeal", "absence", "put-away", "claim"])
def test_a_text_without_a_row_is_found(name: str) -> None:
    assert len(missing({key: text for key, text in TEXTS.items() if key != name})) == 1


def test_every_row_has_its_form() -> None:
    """By a function that signs what is filled in, or in a place of its own in the page."""
    script = "\n".join(path.read_text(encoding="utf-8") for path in SITE.glob("*.js"))
    assert {name for name, text in TEXTS.items() if text.place == FORMS} == set(SIGN)
    for name, text in TEXTS.items():
        assert text.place == FORMS or PLACES[text.place] in script or name == "fetch-key", name


def test_every_kind_of_field_is_drawn() -> None:
    script = (SITE / "signing.js").read_text(encoding="utf-8")
    used = {field.kind for text in TEXTS.values() for field in text.fields}
    assert used <= KINDS
    assert used <= set(re.findall(r"^  (\w+):", script, re.MULTILINE)) | {"line"}


@pytest.mark.parametrize("name", TEXTS)
def test_the_command_lines_help_is_that_of_the_table(name: str) -> None:
    text = TEXTS[name]
    command = EVERY_COMMAND.get(f"pbem {text.command}") or play.reveal
    told = " ".join((command.help or "").split())
    if text.head == CONSENT and text.command == "sign consent":
        assert f"{text.says} {text.title}" in told
    else:
        assert told.startswith(text.help)
        assert text.leads in told or text.place in ("Talk", "the keys below the list of games")


def test_every_row_names_a_command_that_the_help_shows() -> None:
    """Not one that has gone on under another name, which works and stands on no page."""
    assert [text.command for text in TEXTS.values() if text.command.split()[0] in {*HIDDEN, *OLD}] == []


def test_the_page_of_the_documentation_is_that_of_the_table() -> None:
    assert signed_text_page.PAGE.read_text(encoding="utf-8") == signed_text_page.page()


def test_words_are_sentences() -> None:
    for name, text in TEXTS.items():
        for said in (text.help, text.offered, text.leads):
            assert said[0].isupper(), name
            assert said.endswith("."), name
        assert not text.title.endswith("."), name


def test_every_league_text_is_about_a_league() -> None:
    assert {text.about for text in TEXTS.values() if text.head == STATEMENT} == {LEAGUE}
