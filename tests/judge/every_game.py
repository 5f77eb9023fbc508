"""A pass over the games alone: no mail, no clock of its own."""

from __future__ import annotations

from pbem.errors import LedgerError
from pbem.judge.adjudication import run_game
from pbem.judge.agenda import Done
from pbem.judge.club import Club


def run_pass(club: Club) -> list[Done]:
    """Bring every game on as far as it goes; a second pass right after does nothing."""
    done: list[Done] = []
    for game in club.store.games():
        try:
            while step := run_game(club, game):
                done.append(step)
        except LedgerError as fault:
            done.append(Done(game, f"stopped: {fault}", is_stopped=True))
    return done
