"""A real IMAP server gets nasty names as they are: it lets nobody in by them, and has no such folder."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from pbem.errors import ConfigError, MailError
from pbem.mail.club_mailbox import open_mailbox
from pbem.mail.settings import read_settings
from tests.mail.servers import Dovecot, dovecot, needs_dovecot
from tests.nasty.values import TEXTS, faults

pytestmark = [pytest.mark.ci, pytest.mark.imap, needs_dovecot]
TOLD = [label for label in TEXTS if label not in ("empty", "no UTF-8")]


@pytest.fixture(scope="module")
def server() -> Iterator[Dovecot]:
    with dovecot() as running:
        yield running


@pytest.mark.parametrize("label", TOLD)
@pytest.mark.parametrize("name", ["user", "password", "folder", "folders"])
def test_a_server_is_told_a_name_as_it_is_or_not_at_all(server: Dovecot, name: str, label: str) -> None:
    inbox = {key: value for key, value in server.inbox("nasty").items() if key != "password_command"}
    value = [TEXTS[label]] if name == "folders" else TEXTS[label]
    told = looked({"address": "judge@club.example", "inbox": inbox | {"password": "secret", name: value}})
    assert faults(told) == []
    assert "bad [" not in told, "the server understands what it is told"
    assert not told or name in told or "cannot be read" in told


def looked(mail: dict[str, object]) -> str:
    """Look into a mailbox and its folders; what is said if that cannot be done."""
    try:
        settings = read_settings({"mail": mail})
        assert settings is not None
        for folder in ("", *settings.folders):
            if (mailbox := open_mailbox(settings, folder)) is not None:
                mailbox.close()
    except (ConfigError, MailError) as fault:
        return str(fault)
    return ""
