"""Post offices for tests."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from pbem.mail import club_mailbox, outbox
from tests.conftest import chance
from tests.judge.table import Table, make_table
from tests.mail.postal import Postal, make_postal
from tests.mail.servers import Post, smtp_server

DIRECTOR = {"address": "gm@club.example", "summary": "", "waiting": ""}


@pytest.fixture(autouse=True)
def no_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is not found is looked for again at once, and who hangs up is called again at once."""
    monkeypatch.setattr(club_mailbox, "SECOND_LOOK_SECONDS", 0.0)
    monkeypatch.setattr(outbox, "PAUSE_SECONDS", 0.0)


@pytest.fixture
def table(tmp_path: Path) -> Table:
    """A club with one game, without mail."""
    return make_table(tmp_path)


@pytest.fixture
def postal(tmp_path: Path) -> Iterator[Postal]:
    """A club with one game whose mail goes over a real server into Maildirs."""
    post = Post(tmp_path / "post")
    with smtp_server(post) as port:
        yield make_postal(tmp_path, port, post)


def _made(folder: Path, *, watched: bool) -> Postal:
    """A game to which both are invited, or in its second exchange; mails are read, and the club is closed."""
    post = Post(folder / "post")
    with chance.of(folder.name), smtp_server(post) as port:
        made = make_postal(folder, port, post)
        if watched:
            made.settle(watch=DIRECTOR)
        made.run()
        made.go(int(watched))
    for name in ("alice", "bob", "gm"):
        made.mails(name)
    made.table.club.store.close()
    return made


@pytest.fixture(scope="session")
def _invited(tmp_path_factory: pytest.TempPathFactory) -> Postal:
    return _made(tmp_path_factory.mktemp("invited"), watched=False)


@pytest.fixture(scope="session")
def _with_director(tmp_path_factory: pytest.TempPathFactory) -> Postal:
    return _made(tmp_path_factory.mktemp("director"), watched=True)


@pytest.fixture
def quiet(_invited: Postal, tmp_path: Path) -> Iterator[Postal]:
    """Both players have read their invitations."""
    post = Post(tmp_path / "post")
    with smtp_server(post) as port:
        yield _invited.copied(tmp_path, port, post)


@pytest.fixture
def watched(_with_director: Postal, tmp_path: Path) -> Iterator[Postal]:
    """A game in its second exchange, with a director who does not play."""
    post = Post(tmp_path / "post")
    with smtp_server(post) as port:
        yield _with_director.copied(tmp_path, port, post, watch=DIRECTOR)
