"""A game whose player sends nothing is claimed by his opponent, by mail."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from pbem.audit import audit
from pbem.cli import main
from pbem.errors import ConfigError, PbemError
from pbem.judge.acts import act
from pbem.judge.agenda import note_held, read_agendas
from pbem.judge.export import export
from pbem.judge.intake.waiting_list import waiting_for_director
from pbem.judge.newgame import new_game
from pbem.player import Home
from pbem.trust.player_statements import read_join
from tests.judge.table import GAME
from tests.mail.postal import Postal
from tests.mail.test_passes import body
from tests.mail.test_time import rhythm

pytestmark = pytest.mark.ci


def silent(postal: Postal, exchanges: int = 2, **settings: object) -> None:
    """Alice sends nothing for so many exchanges; Bob always does, but for the one that is open then."""
    rhythm(postal, days=1.5, **settings)
    postal.table.go()
    postal.run()  # its report leaves in time
    for _ in range(exchanges):
        postal.table.send("bob", "card 1\n")
        wait(postal)
    assert postal.table.exchange == exchanges + 2


def wait(postal: Postal) -> None:
    """Until the open exchange has ended by its deadline."""
    postal.after(1.9)


def claim(postal: Postal, to: str = "claim alice", by: str = "bob", **changed: object) -> bytes:
    return postal.table.consent(to, by, **{"seen": (1, postal.table.genesis), **changed})  # type: ignore[arg-type]


def told(postal: Postal, name: str) -> str:
    return " ".join(" ".join(body(mail).split()) for mail in postal.mails(name))


def consents(postal: Postal) -> list[Path]:
    return sorted((postal.table.club.path / "consents").glob("*.consent"))


def test_the_opponent_is_told_what_he_may_do_and_how(postal: Postal) -> None:
    silent(postal)
    text = told(postal, "bob")
    assert "alice has sent nothing for the last 2 exchanges of demo" in text
    assert "pbem sign claim demo alice" in text
    assert "the game master decides" in text
    assert "ask for a substitute" in text
    assert "has sent nothing for the last" not in told(postal, "alice")


def test_the_director_is_told_as_long_as_somebody_is_silent(postal: Postal) -> None:
    def waiting() -> list[str]:
        return waiting_for_director(postal.table.club, read_agendas(postal.table.club).values())

    silent(postal)
    assert any("demo: alice has sent nothing for 2 exchanges; the others may" in line for line in waiting())
    postal.table.send("alice")
    postal.run()
    assert waiting() == []


def test_a_claim_is_kept_for_the_game_master_who_enters_it(
    postal: Postal, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    silent(postal)
    postal.deliver(claim(postal), "bob@example.org")
    assert "the game master decides" in told(postal, "bob")
    club = postal.table.club
    assert not club.book(GAME).history.over
    (path,) = consents(postal)
    assert main(["status", "--club", str(club.path)]) == 0
    command = f'pbem game act demo claim alice --reason "..." --consent {path}'
    assert f"demo: bob has signed 'claim alice': {command}" in capsys.readouterr().out
    words = ["act", GAME, "claim", "alice", "--reason", "silent", "--consent", str(path)]
    assert main([*words, "--club", str(club.path)]) == 0
    main(["status", "--club", str(club.path)])
    assert "has signed" not in capsys.readouterr().out, "it is done"
    history = club.book(GAME).history
    assert history.ending == "winner england, reason alice sends nothing"
    export(club, GAME, "all", tmp_path / "bundle", "a test")
    findings = audit(tmp_path / "bundle", club.book(GAME).head_at(1))
    assert not findings.is_refuted
    assert any("claim alice, with the consent of bob (silent)" in one.claim for one in findings.rows)


def test_a_club_may_grant_claims_at_once(postal: Postal) -> None:
    silent(postal, claims="grant")
    assert "it is yours as soon as the claim has come" in told(postal, "bob")
    postal.send(claim(postal), "bob@example.org")
    lines = [line.text for line in postal.run()]
    assert any("demo: claim alice" in line for line in lines)
    assert postal.table.club.book(GAME).history.over
    assert "alice has sent nothing for 2 exchanges" in postal.table.ledger()[-2].decode()


def test_nothing_is_claimed_of_a_player_who_has_sent_something(postal: Postal) -> None:
    silent(postal, claims="grant")
    postal.mails("bob")
    postal.table.send("alice", "card 1\n")
    postal.deliver(claim(postal), "bob@example.org")
    assert "alice has sent nothing for 0 exchanges in a row" in told(postal, "bob")
    assert not postal.table.club.book(GAME).history.over
    with pytest.raises(ConfigError, match="alice has not been silent for 2 exchanges"):
        act(postal.table.club, GAME, "claim", "alice", reason="x", consents=[claim(postal)])


def test_one_missed_exchange_is_not_enough(postal: Postal) -> None:
    silent(postal, exchanges=1, claims="grant", silent_exchanges=1)
    postal.deliver(claim(postal), "bob@example.org")
    assert not postal.table.club.book(GAME).history.over
    assert consents(postal) == []


def test_a_longer_silence_may_be_asked_for(postal: Postal) -> None:
    silent(postal, claims="grant", silent_exchanges=3)
    postal.deliver(claim(postal), "bob@example.org")
    assert not postal.table.club.book(GAME).history.over, "the game master decides"
    assert len(consents(postal)) == 1


@pytest.mark.parametrize("changed", [{}, {"exchange": 3}, {"game": "other"}, {"to": "claim carol"}])
def test_other_claims_change_nothing(postal: Postal, changed: dict[str, Any]) -> None:
    """For another exchange, game or player; or signed with the key of the silent player."""
    silent(postal, claims="grant")
    changed = changed or {"key": postal.table.people["alice"].key}
    postal.deliver(claim(postal, **changed), "bob@example.org")
    assert not postal.table.club.book(GAME).history.over
    assert consents(postal) == []


def away_for_a_month(postal: Postal, monkeypatch: pytest.MonkeyPatch) -> None:
    """Alice has missed exchange 2; then nothing leaves for 31 days, and mail goes on."""
    from pbem.errors import MailError
    from pbem.mail import outbox, sessions

    real = sessions.open_session

    def closed(server: object) -> object:
        raise MailError("the mail server is away")

    silent(postal, exchanges=0)
    postal.table.send("bob", "card 1\n")
    monkeypatch.setattr(outbox, "open_session", closed)
    wait(postal)
    assert postal.table.exchange == 3
    postal.table.send("bob", "card 1\n")
    for _ in range(31):
        postal.after(1)
    assert postal.table.exchange == 3
    with pytest.raises(
        ConfigError, match="nobody counts as silent while demo waits: letters to alice have not been sent"
    ):
        act(postal.table.club, GAME, "claim", "alice", reason="x", consents=[claim(postal)])
    monkeypatch.setattr(outbox, "open_session", real)
    for _ in range(3):
        postal.run()
        postal.table.clock.pass_days(0.6)
    postal.run()
    assert postal.table.exchange == 4


def test_nobody_is_silent_while_letters_cannot_leave(
    postal: Postal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The outage stands in the ledger once; judge, audit and script count by it, and all can see it."""
    away_for_a_month(postal, monkeypatch)
    club = postal.table.club
    assert club.book(GAME).history.silence("alice") == 1
    postal.mails("bob")
    postal.deliver(claim(postal), "bob@example.org")
    assert "alice has sent nothing for 1 exchanges in a row" in told(postal, "bob")
    with pytest.raises(ConfigError, match="has not been silent"):
        act(club, GAME, "claim", "alice", reason="x", consents=[claim(postal)])
    export(club, GAME, "public", tmp_path / "bundle", "a test")
    findings = audit(tmp_path / "bundle", club.book(GAME).head_at(1))
    assert not findings.is_refuted
    (row,) = [one for one in findings.rows if "outage" in one.claim]
    assert "exchange 3: outage (the report was sent late, and alice has until" in row.claim
    if shutil.which("ssh-keygen") is not None:
        script = Path(__file__).parents[2] / "pbem/docs/verify.sh"
        subprocess.run(["bash", script, tmp_path / "bundle"], capture_output=True, check=True)


def test_who_is_silent_after_an_outage_can_be_claimed(
    postal: Postal, monkeypatch: pytest.MonkeyPatch
) -> None:
    away_for_a_month(postal, monkeypatch)
    postal.table.send("bob", "card 1\n")
    wait(postal)
    assert postal.table.exchange == 5
    act(postal.table.club, GAME, "claim", "alice", reason="silent", consents=[claim(postal)])
    assert postal.table.club.book(GAME).history.over


def test_a_concession_comes_by_mail_as_well(postal: Postal) -> None:
    postal.table.go()
    postal.deliver(claim(postal, "concede alice", "alice"))
    (path,) = consents(postal)
    assert "You have signed 'concede alice' for exchange 2 of demo. It has come." in told(postal, "alice")
    club = postal.table.club
    note_held(club, GAME, "its league is stopped")
    assert main(["status", "--club", str(club.path)]) == 1
    act(club, GAME, "concede", "alice", reason="by mail", consents=[path.read_bytes()])
    assert club.book(GAME).history.over
    note_held(club, GAME, "its league is stopped")
    assert main(["status", "--club", str(club.path)]) == 0, "a game that is over waits for nobody"


def test_the_program_signs_a_claim_only_of_a_silent_player(postal: Postal, tmp_path: Path) -> None:
    rhythm(postal, days=1.5)
    club = postal.table.club
    home = Home(tmp_path / "home", clock=postal.table.clock)
    home.keygen("carol")
    join = read_join(home.join("dunbar", player="carol", judge=None))
    club.add_player("carol", join.key, "carol@example.org")
    new_game(club, "dunbar", "hammer", {"scenario": "braveheart"}, {"scotland": join, "england": "bob"})
    postal.run()
    receive(postal, home)
    with pytest.raises(PbemError, match=r"only 0 exchanges in a row without a file of bob.*receive it"):
        home.claim("dunbar", "bob")
    with pytest.raises(PbemError, match="is not your opponent in dunbar; you play against bob"):
        home.claim("dunbar", "carol")
    with pytest.raises(PbemError, match=r"^you play dunbar as carol, not as bob$"):
        home.claim("dunbar", "bob", by="bob")
    for _ in range(2):
        postal.send(home.seal(None, game="dunbar").armor, "carol@example.org")
        wait(postal)
        receive(postal, home)
    postal.deliver(home.claim("dunbar", "bob", by="carol"), "carol@example.org")
    (path,) = consents(postal)
    assert path.name.startswith("dunbar-3-carol-")


def receive(postal: Postal, home: Home) -> None:
    for mail in postal.mails("carol"):
        if b"BEGIN AGE" in mail.as_bytes():
            home.receive(mail.as_bytes())
