"""A full year by mail alone, over real servers; tests/mail/year.py tells the story."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.mail.servers import DovecotPost, Post, dovecot, needs_dovecot, smtp_server
from tests.mail.year import play_a_year

pytestmark = pytest.mark.ci


def test_a_year_by_mail_alone(tmp_path: Path) -> None:
    post = Post(tmp_path / "post")
    with smtp_server(post) as port:
        play_a_year(tmp_path, post, port)


@pytest.mark.imap
@needs_dovecot
def test_a_year_between_accounts_on_an_imap_server(tmp_path: Path) -> None:
    with dovecot() as server:
        post = DovecotPost(tmp_path / "post", server)
        with smtp_server(post) as port:
            play_a_year(tmp_path, post, port)
