"""Each mail of a club with a page for players names it: who has nothing else reads the mail by it."""

import pytest

from pbem.mail.settings import read_settings
from tests.mail.postal import JUDGE, Postal
from tests.mail.test_passes import body

ADDRESS = "https://play.club.example/"
PAGE = {"address": ADDRESS, "sha256": "9" * 64}


@pytest.mark.parametrize("reports", ["sealed", "open"])
def test_letters_name_the_page_that_opens_them(postal: Postal, reports: str) -> None:
    path = postal.table.club.path / "club.toml"
    lines = "".join(f'{name} = "{value}"\n' for name, value in PAGE.items())
    text = path.read_text(encoding="utf-8").replace("[mail]\n", f'[mail]\nreports = "{reports}"\n', 1)
    path.write_text(f"{text}\n[page]\n{lines}", encoding="utf-8")
    postal.table.reopen()
    postal.run()
    (invitation,) = postal.mails("alice")
    named = f"Or save this mail, and open it with your page in a browser:\n\n  {ADDRESS}\n"
    assert named in body(invitation).replace("\r", "")


def test_a_club_without_a_page_names_none(postal: Postal) -> None:
    postal.run()
    (invitation,) = postal.mails("alice")
    assert "browser" not in body(invitation)


def test_a_page_that_is_set_up_wrongly_stops_no_mail() -> None:
    mail = {"address": JUDGE}
    assert [
        found and found.page
        for found in (read_settings({"mail": mail, "page": page}) for page in (PAGE, {"address": ADDRESS}))
    ] == [ADDRESS, ""]
