"""A round of Lords of Scotland by mail alone: of five one is absent, one concedes, the others play on."""

from __future__ import annotations

from pathlib import Path

import pytest

from pbem.audit import audit
from pbem.judge.acts import act
from pbem.judge.export import export
from pbem.trust.act_entries import Consent, sign_consent
from tests.mail.servers import Post, smtp_server
from tests.mail.year import EVERY_DAYS, GAME, MAX_PASSES, Year

ABSENT = "erin"
CONCEDES, CONCEDES_IN = "dave", 4


class Round(Year):
    """Five players, and the first round."""

    rules, bot = "lords", "chief"
    options = {"players": 5}  # noqa: RUF012 - a constant
    seats = {"alice": "red", "bob": "blue", "carol": "green", "dave": "gold", "erin": "black"}  # noqa: RUF012

    def play(self) -> None:
        """Passes and mails until a round has been played; erin sends nothing after she has accepted."""
        conceded = False
        for _ in range(MAX_PASSES):
            self.run()
            for name, player in self.players.items():
                player.read(self.mails(name))
                if name == CONCEDES and player.exchange == CONCEDES_IN and not conceded:
                    conceded = True
                    self.concede(name)
                elif not (name == CONCEDES and conceded) and not (name == ABSENT and player.exchange > 1):
                    self._send(player)
            if all((player.last or {"round": 0})["round"] == 2 for player in self.playing):
                return
            self.clock.pass_days(EVERY_DAYS)
        raise AssertionError("the round is not over")

    @property
    def playing(self) -> list:  # type: ignore[type-arg]
        """Those who have not conceded."""
        return [player for name, player in self.players.items() if name != CONCEDES]

    def concede(self, name: str) -> None:
        """By a mail, which the game master enters."""
        player, head, to = self.players[name], str(self.table.club.book(GAME).head_at(1)), f"concede {name}"
        said = Consent(game=GAME, genesis=head, seen=(1, head), exchange=player.exchange, by=name, to=to)
        self.mail(player, sign_consent(said, player.home.keys.unlock(name)))
        self.run()
        (path,) = (self.table.club.path / "consents").glob("*.consent")
        act(self.table.club, GAME, "concede", name, reason="by mail", consents=[path.read_bytes()])

    def check(self) -> None:
        """The others have played on, by five exchanges a round, and the game holds before an audit."""
        club = self.table.club
        history = club.book(GAME).history
        assert not history.over
        assert len(history.resolved) == 6  # ready, and five turns
        assert CONCEDES in history.exchanges[-1].left
        for exchange in history.resolved[2:]:
            assert ABSENT not in exchange.counted()
        told = self.players["alice"].last
        assert told is not None
        assert sum(told["scores"].values()) > 0
        bundle = self.folder / "bundle"
        export(club, GAME, "public", bundle, "a test")
        for name in ("alice", ABSENT, CONCEDES):
            held = self.players[name].home.folder(GAME).path / "held"
            assert not audit(bundle, club.book(GAME).head_at(1), held).is_refuted


@pytest.mark.ci
def test_five_play_a_round_by_mail_alone(tmp_path: Path) -> None:
    post = Post(tmp_path / "post")
    with smtp_server(post) as port:
        game = Round(tmp_path, post, port)
        game.join("alice", "bob")
        game.play()
        game.check()
