"""Entrants of a league write to each other: by name, and to the director; the director writes to all."""

from __future__ import annotations

import base64
import hashlib
import json
from pathlib import Path

import pytest

from pbem.judge.intake import desk
from pbem.judge.leagues.book import begin_league
from pbem.judge.press.desk import MAX_NAMED_IN_LEAGUE
from pbem.judge.press.director import read_for_director, send_terms, write_as_director
from pbem.mail.command_runner import take_from_file
from pbem.service.box_letters import tell_box
from pbem.service.box_table import BoxSettings
from pbem.trust import sealing
from pbem.trust.armor import find_sealed
from pbem.trust.keys import generate
from pbem.trust.press import GM, PRESS_UNIT, Message, sign_message
from pbem.trust.sealing import pad
from pbem.web.api import Api
from tests.leagues.test_player import Table
from tests.leagues.world import file_of, key_of

LEDGER = "league.cup"


@pytest.fixture
def cup(tmp_path: Path) -> Table:
    """A league whose press is white; ann was told."""
    table = Table(tmp_path)
    table.world.club.settings = {**table.world.club.settings, "press": {"kind": "white"}}
    assert len(list(send_terms(table.world.club, ()))) == 1
    take(table)
    return table


def take(table: Table) -> None:
    """Ann receives all letters about press."""
    for letter in table.world.club.store.letters():
        if letter.player == "ann" and "-press-" in letter.name:
            table.home.receive(letter.data)


def by_ben(table: Table, to: tuple[str, ...], number: int = 1) -> str:
    """Ben writes; what the judge says."""
    message = Message(
        game=LEDGER,
        genesis=str(table.world.book.head_at(1)),
        writer="ben",
        to=to,
        number=number,
        made=table.world.clock(),
        text="A game?\n",
    )
    signed = pad(sign_message(message, key_of("ben")), PRESS_UNIT)
    (verdict,) = desk.submit(table.world.club, sealing.seal(signed, [table.world.club.key.public]))
    return verdict.text


def test_entrants_write_to_each_other_by_name(cup: Table) -> None:
    before = cup.world.book.head
    assert "passed on" in by_ben(cup, ("ann",))
    take(cup)
    press = cup.home.press(LEDGER)
    (line,) = press.lines()
    assert (line.writer, line.text) == ("ben", "A game?\n")
    assert press.readers() == ("ben", GM)
    sealed = press.write(("ben",), "Yes.\n").sealed
    (verdict,) = desk.submit(cup.world.club, sealed)
    assert verdict.is_accepted, verdict.text
    letters = [one for one in cup.world.club.store.letters() if one.player == "ben" and "-press-" in one.name]
    texts = [sealing.open_sealed(find_sealed(one.data)[0], [key_of("ben")]) for one in letters]
    assert sum(b"reader ben\n" in text for text in texts) == 2
    assert cup.world.book.head == before


def test_the_page_writes_in_a_league_by_the_box(cup: Table, tmp_path: Path) -> None:
    club, url = cup.world.club, "https://box.club.example/"
    tell_box(club, BoxSettings(folder=tmp_path / "box", url=url))
    for letter in club.store.letters():
        if letter.player == "ann" and "-box-" in letter.name:
            cup.home.receive(letter.data)
    page = Api(cup.home.path, clock=cup.world.clock)
    page.unlock("ann", "")
    (line,) = page.leagues()
    assert (line.press, line.box) == ("white", url)
    talk = page.talk(LEDGER)
    assert [name for name, _ in talk.readers] == ["ben", GM]
    assert not talk.more_time
    made = page.write_message(LEDGER, ["ben"], "A game?\n", post=True)
    (waiting,) = page.waiting()
    assert (waiting.game, waiting.box, waiting.text) == (LEDGER, url, made.text)
    assert page.posting(waiting.number).url == f"{url}post"
    assert page.posted(waiting.number, told_stored(waiting.text)) is None
    (verdict,) = desk.submit(club, made.text.encode())
    assert verdict.is_accepted, verdict.text
    take(cup)
    assert [one.remarks for one in page.talk(LEDGER).lines] == [()], "its receipt has come"

    assert page.offer("ann", base64.b64encode(generate().public.raw).decode()) == 1
    (named,) = page.waiting()
    assert (named.game, named.signed) == (LEDGER, "fetch-key")
    assert take_from_file(club, named.text.encode())[0].endswith(" of ann: in force")
    assert [(one.box, one.key) for one in page.peeks()] == [(url, "ann")]


def told_stored(text: str) -> str:
    """What a box answers that has stored this."""
    return json.dumps({"sha256": hashlib.sha256(text.encode()).hexdigest()})


def test_in_a_league_only_the_director_writes_to_all(cup: Table) -> None:
    assert "in a league name your readers" in by_ben(cup, ("all",))
    many = tuple(sorted(f"n{place}" for place in range(MAX_NAMED_IN_LEAGUE + 1)))
    assert "in a league name your readers" in by_ben(cup, many)
    assert "passed on" in by_ben(cup, (GM,))
    assert [one.shown.text for one in read_for_director(cup.world.club, LEDGER)] == ["A game?\n"]
    write_as_director(cup.world.club, "cup", ("all",), "Round 2", "It begins on Friday.")
    take(cup)
    (line,) = cup.home.press(LEDGER).lines()
    assert (line.writer, line.subject) == (GM, "Round 2")


def test_what_the_director_writes_to_the_club_passes_over_a_league_that_is_stopped(cup: Table) -> None:
    club = cup.world.club
    begin_league(club, file_of("swiss").replace(b'"cup"', b'"bowl"').replace(b"2027-01-31", b"2027-09-30"))
    club.store._change("UPDATE league_entry SET text = x'00' WHERE league = 'league.bowl'")
    club.leagues.forget("league.bowl")
    assert write_as_director(club, "club", ("all",), "Ale", "There is some.") == "it goes to ann, ben"
