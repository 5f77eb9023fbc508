"""Measures the site of a club with many games: written from nothing, again at once, and after one exchange.

    python -m tests.hammer.measure_site FOLDER [FINISHED [RUNNING [EXCHANGES]]]

The club is made in FOLDER unless it is there from an earlier run. Captains play each game of Braveheart for
some exchanges, real keys and all; then one side of each finished game concedes. All wish to be shown.
The agenda of each game is there already, as passes keep it. `waiting` counts stories that later passes make.
Times are those of the clock, and of the processor (user time), with the files that were written or removed.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
import time
from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path

from pbem.judge.acts import act
from pbem.judge.adjudication import run_game
from pbem.judge.agenda import agenda_of, read_agendas
from pbem.judge.club import open_club
from pbem.judge.intake.desk import Desk, submit, take_sealed
from pbem.judge.letters.addresses import keep_profile
from pbem.reports.packing import unpack_view
from pbem.site.view import site_settings
from pbem.site.writing import MAX_EXCHANGES, write_site
from pbem.titles.hammer.bots.captain import Captain
from pbem.trust.act_entries import Consent, sign_consent
from pbem.trust.player_statements import YES, Profile
from tests.benchmarks.bench_mail import Club, tell, user_time

FINISHED, RUNNING, EXCHANGES = 500, 60, 8
SITE = {"name": "The Hearth", "address": "https://club.example/", "about": "Games by mail."}


def orders(club: Club, game: str) -> Mapping[str, str]:
    """What a captain on each side would order by its last report, by player; nothing before the first."""
    resolved = club.table.club.book(game).history.resolved
    texts = dict.fromkeys(club.seats(game), "")
    for name, side in club.seats(game).items() if resolved else ():
        digest = next(one.sha256 for one in resolved[-1].reported if one.audience == side)
        report = club.table.club.store.report(digest)
        view = unpack_view(report)
        assert view is not None
        texts[name] = Captain(side, ahead=False).write(view)
    return texts


def play(club: Club, game: str, exchanges: int) -> None:
    """Play some exchanges of a game."""
    judge = club.table.club
    for _ in range(exchanges):
        club.table.clock.now += timedelta(hours=1)
        texts = orders(club, game)
        with judge.store.step():
            desk = Desk(judge, {game: agenda_of(judge.book(game))})
            for name, text in texts.items():
                assert take_sealed(desk, club.sealed(game, name, text)).is_accepted
            assert run_game(judge, game)
            judge.store.connection.execute("UPDATE letter SET sent = at WHERE sent = ''")
        if judge.book(game).history.over:
            return


def end(club: Club, game: str) -> None:
    """Let the first player of a game concede."""
    judge, player = club.table.club, next(iter(club.seats(game)))
    book = judge.book(game)
    if book.history.over:
        return
    assert book.history.current is not None
    said = Consent(
        game=game,
        genesis=str(book.head_at(1)),
        seen=(book.size, book.head),
        by=player,
        exchange=book.history.current.number,
        to=f"concede {player}",
    )
    consents = [sign_consent(said, club.keys[player])]
    act(judge, game, "concede", player, reason="it is enough", consents=consents)
    run_game(judge, game)


def make(folder: Path, finished: int, running: int, exchanges: int) -> None:
    """Make the club, and beside it the orders with which its first game goes on."""
    club = Club(folder, finished + running, 25, finished + running, pairs=20)
    judge = club.table.club
    with judge.store.step():
        for name in club.keys:
            own = judge.key.public.fingerprint
            signed = Profile(player=name, judge=own, publish=YES, made=club.table.clock())
            assert keep_profile(judge.store, signed, club.table.clock())
    for number, game in enumerate(club.games):
        play(club, game, exchanges)
        if number >= running:
            end(club, game)
    (folder / "orders").mkdir()
    for name, text in orders(club, club.games[0]).items():
        (folder / "orders" / name).write_bytes(club.sealed(club.games[0], name, text))
    judge.store.close()


def timed(what: str, path: Path, www: Path, most: int | None = MAX_EXCHANGES) -> None:
    """Write the site by a club that is opened anew, and tell what it took."""
    club = open_club(path)
    settings = site_settings({"site": SITE}, path)
    assert settings is not None
    wall, processor = time.perf_counter(), user_time()
    written = write_site(club, www, settings, most)
    wall, processor = time.perf_counter() - wall, user_time() - processor
    club.store.close()
    tell(f"{what:30} {wall:7.2f} s, {processor:7.2f} s of the processor, {written}")


def go_on(path: Path, orders_of_all: Path) -> None:
    """Resolve one exchange more, of the first game."""
    club = open_club(path)
    for file in sorted(orders_of_all.iterdir()):
        assert [verdict.is_accepted for verdict in submit(club, file.read_bytes())] == [True]
    (game, *_) = club.store.games()
    assert run_game(club, game)
    club.store.close()


def measure(folder: Path, finished: int, running: int, exchanges: int) -> None:
    """Print the table; the club itself stays as it is."""
    if not (folder / "orders").exists():
        begun = time.perf_counter()
        make(folder, finished, running, exchanges)
        tell(f"{finished} finished and {running} running games in {time.perf_counter() - begun:.0f} s")
    with tempfile.TemporaryDirectory() as scratch:
        path, www = Path(scratch) / "club", Path(scratch) / "www"
        shutil.copytree(folder / "club", path)
        club = open_club(path)
        read_agendas(club)
        club.store.close()
        timed("from nothing", path, www)
        timed("the next pass, with stories", path, www)
        timed("all other stories", path, www, None)
        timed("again", path, www)
        go_on(path, folder / "orders")
        timed("after one exchange", path, www)
        files = [one.stat().st_size for one in www.rglob("*") if one.is_file()]
        tell(f"{sum(files) / 1e6:.1f} MB in {len(files)} files")


if __name__ == "__main__":
    given = [int(word) for word in sys.argv[2:]]
    measure(Path(sys.argv[1]), *(*given, *(FINISHED, RUNNING, EXCHANGES)[len(given) :]))
