"""One composition from a seed: an honest game, disturbed; and what must hold after it.

`python -m tests.attacks.framing.campaign COUNT [FIRST]` plays COUNT compositions, the script on every tenth,
and prints figures.
"""

from __future__ import annotations

import sys
import tempfile
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from pbem.audit import audit
from pbem.audit.findings import State
from pbem.errors import PbemError
from pbem.judge import acts
from pbem.judge.export import Bundle
from pbem.trust.act_entries import LEAST_SILENCE
from pbem.trust.entries import AFTER_CLOSE, WITH_ORDERS
from pbem.trust.formats import limits
from tests.attacks.framing.arena import HONEST, HOSTILE, Arena, make_arena
from tests.attacks.framing.moves import PLAYERS, STRANGERS
from tests.audit.script import verify_sh
from tests.audit.stage import write
from tests.judge.table import GAME, SEATS

MOVES = STRANGERS | PLAYERS
BODIES = (
    "",
    "card 1\nmove none\n",
    "card 2\nmove none\n",
    "move all from Fife to Mentieth\nplan any: fire\n",
)
BUSINESS = ("hold", "extend", "more-time", "rotate", "roll-back", "look", *["correct"] * 5, "new-judge-key")
HOUSE_RULES = ("bid=none", "bid=S1", "bid=S2", "herald_order=roll_then_name", "bid=S3")
"""What a game master may have entered wrongly."""


@dataclass
class Played:
    """A composition that was played."""

    arena: Arena
    moves: Counter[str] = field(default_factory=Counter)
    official: Counter[str] = field(default_factory=Counter)
    """What the honest game master did."""
    refused: int = 0
    largest: float = 0.0
    """The share of its limit that the bundle has taken."""


def play(seed: int, folder: Path) -> Played:
    """Play a composition; raises if the honest player cannot go on."""
    random = Random(seed)
    mode = random.choice([WITH_ORDERS, AFTER_CLOSE])
    exchanges = random.choice([4, 6, 20, 600])
    arena = make_arena(folder, random, mode, exchanges)
    played = Played(arena)
    for _ in range(random.randint(2, 5)):
        if arena.over:
            break
        _exchange(played)
    if not arena.over and random.random() < 0.7:
        if random.random() < 0.5:
            arena.act("concede", HOSTILE, consents=(HOSTILE,))
        else:
            _claim(arena)
        _disturb(played)
    return played


def _claim(arena: Arena) -> None:
    """The hostile player sends nothing any more, until the honest one claims the game."""
    while arena.book.history.silence(HOSTILE) < LEAST_SILENCE:
        if arena.exchange == arena.book.history.genesis.exchanges:
            return
        arena.send_honestly(HONEST)
        arena.clock.pass_days(60)
        arena.run()
        if arena.mode == AFTER_CLOSE and not arena.over:
            arena.reveal_honestly(HONEST)
            arena.clock.pass_days(60)
            arena.run()
        if arena.over:
            return
    arena.act("claim", HOSTILE, consents=(HONEST,))


def _exchange(played: Played) -> None:
    arena, random = played.arena, played.arena.random
    _disturb(played)
    if random.random() < 0.4:
        _official_business(played)
    if arena.over:
        return
    is_absent = random.random() < 0.2
    arena.send_honestly(HONEST, random.choice(BODIES))
    _disturb(played)
    current = arena.book.history.current
    assert current is not None
    if not is_absent and HOSTILE not in current.counted():
        arena.send_honestly(HOSTILE, random.choice(BODIES), rev=77)
    arena.clock.pass_days(random.choice([0.5, 1, 60]) if not is_absent else 60)
    arena.run()
    if arena.mode == AFTER_CLOSE and not arena.over:
        _reveals(played, is_absent=is_absent)
    counted = arena.book.history.exchanges[current.number - 1].counted()
    assert HONEST in counted, "the honest player's orders count"


def _reveals(played: Played, *, is_absent: bool) -> None:
    arena = played.arena
    current = arena.book.history.current
    if current is None or current.closed is None:
        return
    _disturb(played)
    if arena.random.random() < 0.3:
        _official_business(played)
    if arena.exchange != current.number:
        return  # it has become void
    arena.reveal_honestly(HONEST)
    _disturb(played)
    current = arena.book.history.current
    if current is not None and not is_absent and HOSTILE not in {one.player for one in current.revealed}:
        arena.reveal_honestly(HOSTILE)
    arena.clock.pass_days(60)
    arena.run()


def _disturb(played: Played) -> None:
    """Some moves of strangers and the hostile player."""
    arena, random = played.arena, played.arena.random
    for _ in range(random.choice([0, 1, 2, 4])):
        name = random.choice(sorted(STRANGERS) if arena.over else sorted(MOVES))
        if arena.over and name not in ("seen_again", "a_text_sealed_anew", "a_head_by_mail"):
            continue
        played.moves[name] += 1
        MOVES[name](arena)
        arena.clock.pass_days(0.01)


def _official_business(played: Played) -> None:
    """What an honest game master does in between."""
    arena, random = played.arena, played.arena.random
    number = arena.exchange
    business = random.choice(BUSINESS)
    match business:
        case "hold":
            arena.act("hold")
            _disturb(played)
            arena.clock.pass_days(9)
            arena.act("resume")
        case "extend" if arena.book.history.exchanges[-1].closed is None:
            acts.extend(arena.club, GAME, 3, "holidays")
        case "more-time" if arena.book.history.exchanges[-1].closed is None and arena.agree():
            _disturb(played)
        case "rotate":
            arena.rotate(HONEST)
        case "roll-back" if arena.book.history.standing[1:] and number < arena.book.history.genesis.exchanges:
            back = random.choice(arena.book.history.standing[1:]).number
            arena.act("roll-back", str(back), consents=tuple(SEATS))
            _disturb(played)
        case "correct" if number + 1 < arena.book.history.genesis.exchanges:
            if not any(map(arena.correct, random.sample(HOUSE_RULES, len(HOUSE_RULES)))):
                return
            _disturb(played)
        case "new-judge-key":
            arena.replace_judge_key()
        case _:
            business = "look"
            acts.look(arena.club, GAME, "england", "a question")
    played.official[business] += 1


def check(played: Played, folder: Path, audience: str, *, script: bool) -> None:
    """Both verifiers prove the game, agree, and name nobody; the bundle keeps to its limit."""
    club, book = played.arena.club, played.arena.book
    files = dict(Bundle(club, book, audience).files())
    most = limits(len(played.arena.people), book.history.genesis.exchanges)
    size = sum(map(len, files.values()))
    assert len(files) < most.files
    assert size < most.size
    played.largest = max(played.largest, size / most.size)
    bundle = write(files, folder)
    findings = audit(bundle, book.head_at(1))
    wrong = [str(row) for row in findings.rows if row.state not in (State.PROVEN, State.OPEN)]
    assert not wrong, wrong
    if audience == "all":
        proven = {row.claim for row in findings.rows if row.state is State.PROVEN}
        assert "played again, every exchange is as the ledger says" in proven, [
            str(row) for row in findings.rows if row.state is State.OPEN
        ]
    if script:
        status, printed = verify_sh(bundle, book.head_at(1) or "")
        assert status == 0, printed
    played.refused = sum(len(one.refused) for one in book.history.exchanges)


def compose(seed: int, folder: Path, *, script: bool) -> Played:
    """Play and check a composition."""
    played = play(seed, folder)
    audiences = ["all", Random(seed).choice(["public", *SEATS.values()])]
    for audience in audiences:
        check(played, folder / f"bundle-{audience}", audience, script=script)
    played.arena.club.store.close()
    return played


def main(count: int, first: int) -> int:
    """Play compositions and print figures; how many failed."""
    moves: Counter[str] = Counter()
    official: Counter[str] = Counter()
    mails, refused, scripts, largest, failed = 0, 0, 0, 0.0, []
    for seed in range(first, first + count):
        with tempfile.TemporaryDirectory() as scratch:
            try:
                played = compose(seed, Path(scratch), script=seed % 10 == 0)
            except (AssertionError, PbemError, ValueError, KeyError) as fault:
                failed.append(seed)
                print(f"seed {seed}: {type(fault).__name__}: {fault}"[:1500], flush=True)
                continue
        moves += played.moves
        official += played.official
        mails += played.arena.mails
        scripts += seed % 10 == 0
        refused += played.refused
        largest = max(largest, played.largest)
    print(f"{count} compositions from seed {first}, {sum(moves.values())} moves of {len(moves)} kinds")
    print(f"{mails} files came by mail; the game master: {dict(sorted(official.items()))}; script: {scripts}")
    print(f"{refused} files entered as refused; the largest bundle took {largest:.1%} of its limit")
    print(f"failed: {failed or 'none'}")
    return len(failed)


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), int(sys.argv[2]) if sys.argv[2:] else 0) > 0)
