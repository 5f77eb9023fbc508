"""A month in which everything goes wrong once, over real servers; tests/mail/month.py tells the story."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.mail.month import BadPost, ImapBox, MaildirBox, Month
from tests.mail.servers import dovecot, needs_dovecot, smtp_server

pytestmark = pytest.mark.ci


def test_a_month_over_a_maildir(tmp_path: Path) -> None:
    post = BadPost(tmp_path / "post")
    with smtp_server(post) as port:
        month = Month(tmp_path, 4, MaildirBox(post.box("judge")), post, port)
        month.live()
        month.check()


@pytest.mark.imap
@needs_dovecot
@pytest.mark.slow
@pytest.mark.parametrize(("games", "pace"), [(10, 0.5), (200, 0.2)])
def test_a_month_over_imap(tmp_path: Path, games: int, pace: float) -> None:
    post = BadPost(tmp_path / "post")
    with dovecot() as server, smtp_server(post) as port:
        month = Month(tmp_path, games, ImapBox(server), post, port, pace=pace)
        month.live()
        month.check()
