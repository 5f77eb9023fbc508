"""A director with the page on leagues runs a Swiss of sixteen: leavers, silence, an appeal, a substitute.

By the commands that the page and the messages name, and by nothing else; players answer their letters by the
page's script, and bots play. What was asked and answered stands in review.txt beside it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from pbem.cli import main
from tests.leagues.test_commands import Shop, shop

__all__ = ["shop"]

NAMES = tuple("abe ben cat dan eli fay gus hal ida joe kim lea max ned oda pam".split())
LEAVERS, SILENT, LISTED, ELIMINATOR = ("abe", "ben", "cat"), "dan", "sue", "zoe"
EDITS = {
    'name = "swiss-2027"': 'name = "spring"',
    'options = { scenario = "braveheart" }': 'options = { scenario = "campaign", last_year = 1297 }',
    "count = 6": "count = 3",
}
"""All else is the preset: sides are bid for, and an eliminator meets whoever has no opponent."""


class Review:
    """The season, and what was read."""

    def __init__(self, typed: Shop, folder: Path) -> None:
        self.shop, self.folder = typed, folder
        self.read: set[str] = set()
        self.quiet: set[str] = set()
        self.results: dict[int, str] = {}
        """Entry -> the result that a letter told with it, of the last round."""

    def note(self, text: str) -> None:
        """Write down what was read."""
        with (self.folder / "review.txt").open("a", encoding="utf-8") as log:
            log.write(f"{text}\n")

    def run(self, *words: str, home: str = "") -> tuple[int, str, str]:
        """A command, with what it says to its reader and what it remarks."""
        if home:
            self.shop.patch.setenv("PBEM_HOME", str(self.folder / home))
        status = main(list(words))
        told = self.shop.capsys.readouterr()
        return status, told.out, told.err

    def type(self, *words: str) -> str:
        """What the director types; everything that is said is noted."""
        status, out, err = self.run(*words)
        told = f"{out}{err}[{status}]\n" if status else f"{out}{err}"
        self.note(f"{self.shop.now:%m-%d} $ pbem {' '.join(words)}\n{told}")
        return out + err

    def letters(self, player: str) -> Iterator[str]:
        for letter in self.shop.sent(player):
            if letter not in self.read:
                self.read.add(letter)
                yield letter

    def turn(self, player: str) -> None:
        """As the page's script has it: every letter is opened, and answered with what it asks for."""
        for letter in list(self.letters(player)):
            status, now, _ = self.run("receive", "--whole", letter, home=player)
            if player in (LISTED, "ida"):
                self.note(f"   letter to {player}:\n{now[:1500]}")
            if "of round 3 have results" in now:
                self.results |= {
                    int(one): told for one, told in re.findall(r"^entry (\d+): (.*)$", now, re.MULTILINE)
                }
            if status or player in self.quiet:
                continue
            out, orders = self.folder / "answer.txt", self.folder / "orders.txt"
            game = re.search(r"pbem seal --game ([^ ]*) --bare", now)
            if "pbem league reply" in now:
                bid = ["--bid", "e1"] if "with --bid" in now else []
                self.run("league", "reply", "spring", *bid, "--out", str(out), home=player)
            elif game:
                self.run("seal", "--game", game[1], "--bare", "--out", str(out), home=player)
            else:
                orders.write_text(now, encoding="utf-8")
                status, written, err = self.run("bot", str(orders), home=player)
                if status == 0:
                    orders.write_text(written, encoding="utf-8")
                    found = self.run("seal", str(orders), "--out", str(out), home=player)
                    if found[0]:
                        self.note(f"   {player} seals: {found}")
            if out.exists():
                status, told, err = self.run("submit", str(out))
                if status or "refused" in told:
                    self.note(f"   {player}: {told}{err}")
                out.unlink()

    def turns(self, days: float = 1) -> str:
        """A day: everybody's turn, then the judge's pass."""
        for player in (*NAMES, LISTED, ELIMINATOR):
            if player not in self.quiet:
                self.turn(player)
        self.shop.now += timedelta(days=days)
        told = self.type("run")
        return told + (self.type("run", "--after-gap") if "--after-gap" in told else "")

    def says(self, player: str, *words: str) -> None:
        out = str(self.folder / "said.txt")
        what, *more = words
        self.run("league", what, "spring", *more, "--as", player, "--out", out, home=player)
        self.type("submit", out)


@pytest.mark.slow
def test_a_season_as_the_page_has_it(shop: Shop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    review = Review(shop, tmp_path)
    file = review.type("league", "preset", "swiss")
    for old, new in EDITS.items():
        assert old in file, old
        file = file.replace(old, new)
    Path("league.toml").write_text(file)
    review.type("league", "check", "league.toml")
    review.type("league", "new", "league.toml", "--what-if")
    which = review.type("league", "new", "league.toml").partition("--as NAME ")[2].split()
    for name in (*NAMES, LISTED, ELIMINATOR):
        shop("keygen", name, home=name)
    for name in NAMES:
        review.says(name, "enter", *which)
    review.says(LISTED, "substitute", *which)
    review.says(ELIMINATOR, "enter", *which, "--eliminator")
    review.type("league", "status", "spring")
    review.type("league", "standings", "spring")
    shop.now = datetime(2027, 2, 1, 12, tzinfo=UTC)
    review.type("run")
    review.quiet.add(SILENT)
    appealed = False
    left = dict(zip((6, 7, 22), LEAVERS, strict=True))
    for day in range(300):
        if day in left:
            review.says(left[day], "withdraw")
            review.quiet.add(left[day])
        told = review.turns()
        status = review.type("league", "status", "spring")
        if review.results and not appealed:
            appealed, (entry, result) = True, max(review.results.items())
            (loser,) = re.findall(r"beats (\w+)$", result)
            review.says(loser, "appeal", str(entry), "--reason", "we had agreed on a draw")
        elif "appeals against" in status:
            answer(review, status)
        if "the league is over" in told:
            break
    else:
        raise AssertionError("it has not ended")
    review.type("league", "standings", "spring")
    review.type("league", "pages", "spring", "--into", "pages")
    review.type("league", "export", "spring", "--into", "bundle")
    found = review.type("audit", "bundle")
    assert "refuted" not in found
    table = review.type("league", "standings", "spring")
    assert re.search(r"ben .* left$", table, re.MULTILINE)
    assert re.search(r"sue  *3 ", table), "who played on for abe"
    assert appealed
    assert re.search(r"zoe .* eliminator$", table, re.MULTILINE)
    assert "stopped" not in (tmp_path / "review.txt").read_text(encoding="utf-8")


def answer(review: Review, status: str) -> None:
    """As "Answer an appeal with a proof" has it: the bundles first, then the command that the status says."""
    (game,) = re.findall(r"the result of (\S+):", status)
    review.type("export", game, "--as", "public", "--into", f"games/{game}")
    review.type("league", "export", "spring", "--into", "spring-league")
    review.type("audit", "spring-league", "--games", "games")
    (number,) = re.findall(r"rule spring answer (\d+)", status)
    ruling = ["answer", number, "dismissed", "--reason", f"the bundle of {game} proves it"]
    review.type("league", "rule", "spring", *ruling)
