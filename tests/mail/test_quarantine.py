"""A fault raised at each place in turn: what it is about is set apart and told, and all else goes on."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import pytest

from pbem.cli import main
from pbem.judge import adjudication, agenda
from pbem.judge.agenda import Agenda
from pbem.judge.club import Club
from pbem.judge.deadlines import running_deadlines
from pbem.judge.intake import desk, player_files, quarantine
from pbem.judge.intake.quarantine import all_apart
from pbem.judge.newgame import new_game
from pbem.mail import inbox
from pbem.service.doctor import examine
from pbem.trust.chance import Chain, make_chain
from pbem.trust.orderfile import own_orders
from pbem.trust.sealing import to_armor
from tests.judge.table import GAME, TITLE, Person, Table, join_of
from tests.mail.postal import Postal
from tests.mail.test_passes import body
from tests.trust.sealed import orders_for, seal_orders

OTHER = "other"


def chain_of(person: Person) -> Chain:
    """A player's chain in the second game."""
    return make_chain(OTHER, f"{person.name}.1", person.name.encode().ljust(32, b"."))


def second_game(table: Table) -> None:
    """A second game of the same two."""
    seats = {}
    for name, person in table.people.items():
        seats[person.side] = join_of(OTHER, name, person.key, chain_of(person).anchor)
    new_game(table.club, OTHER, TITLE.name, dict(TITLE.excerpt or {}), seats, "with-orders")


def ready(table: Table, name: str) -> bytes:
    """A player's acceptance of the second game."""
    person = table.people[name]
    file = orders_for(table.club.book(OTHER), name, chain_of(person), 1)
    return to_armor(seal_orders(file, person.key)).encode()


def opened(club: Club, game: str) -> int:
    """The exchange that is open."""
    current = club.book(game).history.current
    assert current is not None
    return current.number


@pytest.fixture
def two(postal: Postal) -> Postal:
    """Two games, for both of which everybody's orders have come by mail."""
    second_game(postal.table)
    postal.run()
    for name in postal.table.people:
        postal.send(postal.table.sealed(name), f"{name}@example.org", Message_ID=f"<{name}.{GAME}@x>")
        postal.send(ready(postal.table, name), f"{name}@example.org", Message_ID=f"<{name}.{OTHER}@x>")
    return postal


def failing(real: Callable[..., Any], is_it: Callable[..., bool]) -> Callable[..., Any]:
    """The function, which fails where it is about the one thing."""

    def fails(*arguments: Any, **more: Any) -> Any:
        if is_it(*arguments, **more):
            raise RuntimeError("boom")
        return real(*arguments, **more)

    return fails


def about_game(*arguments: Any, **_: Any) -> bool:
    """Is it about the first game?"""
    return any(
        argument == GAME or getattr(argument, "game", "") == GAME or getattr(argument, "name", "") == GAME
        for argument in arguments
    )


GAMES = {
    "bringing on": (adjudication, "run_game"),
    "resolving": (adjudication, "adjudicate"),
    "reporting": (adjudication, "send_reports"),
    "its agenda": (agenda, "agenda_of"),
}


@pytest.mark.ci
@pytest.mark.parametrize("place", GAMES)
def test_a_fault_of_a_game_stops_that_game_alone(
    two: Postal, place: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    module, name = GAMES[place]
    club = two.table.club
    before = len(two.table.ledger())
    with monkeypatch.context() as patch:
        patch.setattr(module, name, failing(getattr(module, name), about_game))
        lines = [line.text for line in two.run()]
        assert any("boom" in line for line in lines), lines
        assert opened(club, OTHER) == 2, "the other game goes on"
        assert len(two.table.ledger()) - before <= 2, "the first one is as it was, but for its orders"
        assert main(["status", "--club", str(club.path)]) == 1
        told = capsys.readouterr()
        assert "boom" in told.err + told.out
        found = [finding for finding in examine(club) if finding.wrong and "boom" in finding.text]
        assert found
        two.table.clock.pass_days(1 / 24 / 60)
        assert not any("boom" in line.text and line.step != "game" for line in two.run())
    two.after(1)
    assert opened(club, GAME) == 2, "when it is corrected, it goes on by itself"
    assert all_apart(club) == []


@pytest.mark.ci
def test_it_can_be_tried_at_once(
    two: Postal, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = ["--club", str(two.table.club.path)]
    with monkeypatch.context() as patch:
        patch.setattr(adjudication, "run_game", failing(adjudication.run_game, about_game))
        two.run()
    two.run()
    assert opened(two.table.club, GAME) == 1, "it waits for its time"
    assert main(["apart", GAME, "--drop", *folder]) == 1
    assert "a game cannot be dropped" in capsys.readouterr().err
    assert main(["apart", *folder]) == 1
    assert "game demo is set apart since" in capsys.readouterr().out
    assert main(["apart", GAME, "--again", *folder]) == 0
    two.run()
    assert opened(two.table.club, GAME) == 2
    assert main(["apart", *folder]) == 0
    assert main(["apart", "nothing", *folder]) == 1


@pytest.mark.ci
def test_the_pauses_grow(two: Postal, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(adjudication, "run_game", failing(adjudication.run_game, about_game))
    tries = []
    for _ in range(20):
        two.run()
        tries.append(next(one.tries for one in all_apart(two.table.club)))
        two.table.clock.pass_days(1 / 24)
    assert tries[0] == 1
    assert 3 <= tries[-1] <= 6, "after ten minutes, an hour, six hours, a day"


INTAKE = {
    "reading a mail": (inbox, "extract", lambda raw, *_: b"alice.demo" in raw),
    "looking at a mail": (inbox, "Reply", lambda row, *_, **__: b"alice.demo" in row.raw),
    "taking in orders": (
        player_files,
        "own_orders",
        lambda plain, *_: b"player alice" in plain and b"game demo" in plain,
    ),
}


@pytest.mark.ci
@pytest.mark.parametrize("place", INTAKE)
def test_a_fault_of_a_mail_stops_that_mail_alone(
    two: Postal, place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    module, name, is_it = INTAKE[place]
    club = two.table.club
    two.mails("alice")
    with monkeypatch.context() as patch:
        patch.setattr(module, name, failing(getattr(module, name), is_it))
        two.run()
        assert opened(club, OTHER) == 2, "other mails are taken in"
        (one,) = all_apart(club)
        assert (one.kind, one.tries) == (quarantine.FILE, 1)
        assert "boom" in one.why
        if place == "taking in orders":
            answers = [mail for mail in two.mails("alice") if "boom" in body(mail)]
            assert len(answers) == 1, "who wrote it is told, once"
        two.after(1 / 24)
        assert [one.tries for one in all_apart(club)] == [2]
        assert not any("boom" in body(mail) for mail in two.mails("alice"))
    two.after(1)
    assert opened(club, GAME) == 2, "the orders count: they had come in time"
    assert all_apart(club) == []


@pytest.mark.ci
def test_a_file_that_was_handed_in_is_set_apart_and_can_be_dropped(
    two: Postal, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    club = two.table.club
    sealed = two.table.sealed("alice", "card 2", rev=2)
    with monkeypatch.context() as patch:
        patch.setattr(player_files, "own_orders", failing(own_orders, lambda plain, *_: b"rev 2" in plain))
        (verdict,) = desk.submit(club, sealed)
        assert not verdict.is_accepted
        assert "something went wrong here: a fault in the program (RuntimeError: boom)" in verdict.text
        two.run()
        assert opened(club, OTHER) == 2
    (one,) = [one for one in all_apart(club) if one.kind == quarantine.FILE]
    assert main(["apart", one.name, "--drop", "--club", str(club.path)]) == 0
    assert "dropped" in capsys.readouterr().out
    two.after(2)
    assert all_apart(club) == []
    assert all(b" 2 sealed" not in text for text in two.table.ledger())


@pytest.mark.ci
def test_a_file_that_was_handed_in_is_looked_at_again_by_a_later_pass(
    two: Postal, monkeypatch: pytest.MonkeyPatch
) -> None:
    club = two.table.club
    with monkeypatch.context() as patch:
        patch.setattr(player_files, "own_orders", failing(own_orders, lambda *_: True))
        desk.submit(club, two.table.sealed("alice", "card 2", rev=2))
        assert [one.kind for one in all_apart(club)] == [quarantine.FILE]
    two.table.clock.pass_days(1)
    lines = two.run()
    (line,) = [line for line in lines if line.step == "orders" and line.game]
    assert line.text == f"orders of alice for {GAME}, exchange 1: received"
    assert all_apart(club) == []


@pytest.mark.ci
def test_a_fault_of_the_clock_of_one_game_leaves_the_others_theirs(
    two: Postal, monkeypatch: pytest.MonkeyPatch
) -> None:
    reached = []

    def remind(_: Club, agendas: Iterable[Agenda]) -> Iterator[agenda.Done]:
        for one in agendas:
            if one.game == GAME:
                raise RuntimeError("boom")
            reached.append(one.game)
            yield agenda.Done(one.game, "reminded")

    monkeypatch.setattr(running_deadlines, "remind", remind)
    two.run()
    assert OTHER in reached
    assert [(one.kind, one.name) for one in all_apart(two.table.club)] == [(quarantine.CLOCK, GAME)]
    assert opened(two.table.club, GAME) == opened(two.table.club, OTHER) == 2


@pytest.mark.ci
def test_a_fault_of_a_whole_step_does_not_end_the_pass(two: Postal, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> object:
        raise RuntimeError("boom")

    with monkeypatch.context() as patch:
        patch.setattr("pbem.mail.club_mailbox.fetch_mail", broken)
        for name in two.table.people:
            two.table.send(name)
        lines = two.run()
        assert any("step fetching mail is set apart" in line.text for line in lines)
        assert opened(two.table.club, GAME) == 2
    two.run()
    assert all_apart(two.table.club) == []


@pytest.mark.ci
def test_a_count_of_five_thousand_zeros_is_a_mistake_and_stops_nobody(two: Postal) -> None:
    """`submit` ended with a fault in the program, and every pass after it."""
    zeros = "0" * 5_000
    (verdict,) = two.table.send("alice", f"build wallace {zeros}1\nmove all {zeros} to Fife\n", rev=2)
    assert verdict.is_accepted, verdict.text
    two.run()
    assert opened(two.table.club, GAME) == opened(two.table.club, OTHER) == 2
    assert all_apart(two.table.club) == []
