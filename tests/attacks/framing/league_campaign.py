"""One league from a seed, disturbed or cheated in; what ought to come out is claimed before anybody looks.

`python -m tests.attacks.framing.league_campaign COUNT [FIRST]` plays COUNT compositions and prints figures;
the script looks at a game of every tenth.
"""

from __future__ import annotations

import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from random import Random

from pbem.audit.bundle import Files
from pbem.audit.findings import State
from pbem.audit.leagues import audit_league
from pbem.errors import PbemError
from pbem.leagues.entries import SEATS, Paired
from tests.attacks.framing.league_cheats import LATE, LIVE, Cheat, rewrite
from tests.attacks.framing.league_moves import ENTRANTS, STRANGERS
from tests.attacks.framing.plot import FORMS, HONEST, HOSTILE, Plot, make_plot
from tests.audit.script import verify_sh
from tests.audit.stage import write

MOVES = STRANGERS | ENTRANTS
PROVEN, REFUTED, DAMAGED = "nothing is wrong", "refuted", "refuted or incomplete"
MAX_TURNS = 40
"""So often the judge is asked what is due; no league of a composition takes as long."""


@dataclass
class Claim:
    """What ought to come out of a composition."""

    ought: str
    cheat: str = ""
    told: tuple[str, ...] = ()


@dataclass
class Composed:
    """A composition that was played and looked at."""

    plot: Plot
    claim: Claim


def disturb(plot: Plot) -> None:
    """Some moves of strangers and the hostile entrant."""
    for _ in range(plot.random.choice([0, 1, 2, 3])):
        name = plot.random.choice(sorted(MOVES))
        plot.moves[name] += 1
        MOVES[name](plot)
        plot.world.later(0.001)


def play(plot: Plot, cheat: Cheat | None) -> bool:
    """The whole season, or up to a cheat; whether the cheat could be done."""
    done = False

    def cheats(when: str) -> bool:
        """Whether the league is to be looked at now."""
        nonlocal done
        if cheat is not None and not done and cheat.when == when:
            done = cheat.do(plot)
            return done and not cheat.goes_on
        return False

    disturb(plot)
    if cheats("start"):
        return True
    plot.world.later(max(0, 31 - (plot.world.clock() - plot.season.genesis.at).days))
    for _ in range(MAX_TURNS):
        if cheats("between"):
            return True
        plot.run()
        if plot.season.is_over:
            return done
        disturb(plot)
        if plot.season.call is not None:
            if cheats("call"):
                return True
            _answers(plot)
        elif plot.world.open_pairs() and (cheats("games") or _games(plot, cheats)):
            return True
        plot.world.later(0.01)
    raise AssertionError("the league does not come to an end")


def _answers(plot: Plot) -> None:
    """Everybody who is there answers; Ann always is. Somebody may leave, and have a substitute."""
    random, call = plot.random, plot.season.call
    assert call is not None
    others = [name for name in call.asked if name not in (HONEST, HOSTILE) and not name.startswith("sue")]
    if call.purpose.what == SEATS and others and random.random() < 0.2:
        who = random.choice(others)
        if plot.form == "panel" and random.random() < 0.5:
            plot.substitute_from_panel(who)
        else:
            plot.substitute(who)
    if random.random() < 0.3:
        plot.monday = plot.files()
    here = [name for name in call.asked if name == HONEST or random.random() < 0.85]
    plot.answer(name for name in here if not plot.season.members[name].leaving_reason)
    if plot.season.call is not None and plot.season.call.waiting:
        plot.world.later(6)
    for number in sorted(plot.season.appeals):
        plot.world.rule("answer", str(number), "dismissed")


def _games(plot: Plot, cheats: Callable[[str], bool]) -> bool:
    """Most games are conceded; some go on to the last date. Whether the league is to be looked at then."""
    for pair in plot.world.open_pairs():
        if plot.random.random() < 0.75:
            plot.concede(pair, plot.season.name_now(plot.random.choice(pair.players)))
    plot.run()
    disturb(plot)
    if plot.world.open_pairs():
        plot.world.later(101)
        if cheats("last-date"):
            return True
        _last_date(plot)
    return False


def _last_date(plot: Plot) -> None:
    """What is not over is decided as the file says."""
    decided = {pair.number: plot.random.choice(pair.players) for pair in plot.world.open_pairs()}
    for pair in plot.world.open_pairs():
        if plot.season.file.unfinished == "panel":
            plot.vote(pair, _won_by(pair, decided[pair.number]))
    plot.run()
    for pair in plot.world.open_pairs():  # the director decides what nobody else has decided
        words = [f"{player}={place}" for player, place in _won_by(pair, decided[pair.number])]
        number = str(len(plot.season.rounds))
        plot.world.rule("result", number, str(pair.number), "adjudicated", *words)
    plot.run()


def _won_by(pair: Paired, first: str) -> tuple[tuple[str, int], ...]:
    return tuple((player, 1 if player == first else 2) for player in pair.players)


def damaged(files: Files, random: Random) -> Files:
    """A stranger has changed or dropped a file of the copy."""
    known = dict(files.known_files)
    name = random.choice([one for one in sorted(known) if not one.startswith("checkpoints/")])
    data = known.pop(name)
    if random.random() < 0.5 and data:
        at = random.randrange(len(data))
        known[name] = data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :]
    return Files(known, ())


def compose(seed: int, folder: Path, *, script: bool = False) -> Composed:
    """Play a composition, and hold what comes out against what was claimed."""
    random = Random(f"league {seed}")
    plot = make_plot(folder / "world", random, FORMS[seed % len(FORMS)])
    kind, claim, cheat = random.random(), Claim(PROVEN), None
    if kind < 0.35:
        cheat = LIVE[random.choice(sorted(LIVE))]
    if play(plot, cheat) and cheat is not None:
        claim = Claim(REFUTED, cheat.name, cheat.told)
    files = plot.caught or plot.files()
    games, name = plot.games() if plot.caught is None else {}, random.choice(sorted(LATE))
    if cheat is None and kind < 0.65 and (forged := rewrite(plot, files, name)) is not None:
        files, claim = forged, Claim(REFUTED, name, LATE[name][1])
    elif cheat is None and 0.65 <= kind < 0.75:
        files, claim = damaged(files, random), Claim(DAMAGED, "a stranger's copy")
    composed = Composed(plot, claim)
    check(composed, files, games, folder)
    if script and games:
        status, printed = verify_sh(write(games[min(games)].known_files, folder / "game"))
        assert status == 0, printed
    plot.world.club.store.close()
    return composed


def check(composed: Composed, files: Files, games: dict[str, Files], folder: Path) -> None:
    """The audit says what was claimed, and nobody who was honest is accused."""
    plot, claim = composed.plot, composed.claim
    held = folder / "held"
    held.mkdir()
    for name, data in {**plot.receipts(HONEST), **plot.held}.items():
        (held / name).write_bytes(data)
    if not plot.caught:
        most = plot.season.file.limits
        assert len(files.known_files) < most.files
        assert sum(map(len, files.known_files.values())) < most.size
    findings = audit_league(files, None, held, games)
    match claim.ought:
        case _ if claim.ought == PROVEN:
            assert findings.status == 0, [str(row) for row in findings.rows if row.state is not State.PROVEN]
            if plot.monday is not None:
                before = audit_league(plot.monday, None, held)
                assert before.status == 0, [str(row) for row in before.rows]
            _ann_has_played(plot)
        case _ if claim.ought == DAMAGED:
            assert findings.status in (3, 4), [str(row) for row in findings.rows]
        case _:
            assert findings.status in (3, 4), (claim, [str(row) for row in findings.rows])
            wrong = [str(row) for row in findings.rows if row.state in (State.REFUTED, State.MISSING)]
            assert any(told in row for told in claim.told for row in wrong), (claim.told, wrong)


def _ann_has_played(plot: Plot) -> None:
    """Whatever was done, her shares are in every draw that asked her."""
    for call in plot.season.calls:
        if call.resolved is not None and HONEST in call.asked:
            assert f"{HONEST}.1" not in call.resolved.absent, call.number


def main(count: int, first: int) -> int:
    """Play compositions and print figures; how many failed."""
    moves: Counter[str] = Counter()
    claims: Counter[str] = Counter()
    cheats: Counter[str] = Counter()
    forms: Counter[str] = Counter()
    failed = []
    for seed in range(first, first + count):
        with tempfile.TemporaryDirectory() as scratch:
            try:
                composed = compose(seed, Path(scratch), script=seed % 10 == 0)
            except (AssertionError, PbemError, ValueError, KeyError, IndexError, AttributeError) as fault:
                failed.append(seed)
                print(f"seed {seed}: {type(fault).__name__}: {fault}"[:1500], flush=True)
                continue
        moves += composed.plot.moves
        claims[composed.claim.ought] += 1
        forms[composed.plot.form] += 1
        if composed.claim.cheat:
            cheats[composed.claim.cheat] += 1
    print(
        f"{count} leagues from seed {first}: {dict(forms)}; {sum(moves.values())} moves of {len(moves)} kinds"
    )
    print(f"claimed: {dict(claims)}; {len(cheats)} ways to cheat: {dict(sorted(cheats.items()))}")
    print(f"failed: {failed or 'none'}")
    return len(failed)


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), int(sys.argv[2]) if sys.argv[2:] else 0) > 0)
