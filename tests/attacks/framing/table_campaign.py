"""A game of three to five from a seed, disturbed or cheated in; what ought to come out is claimed first.

Alice is hostile, Bob is honest; the others are honest, may concede, lose their keys or agree to a draw.
`python -m tests.attacks.framing.table_campaign COUNT [FIRST]` plays COUNT of them and prints figures.
"""

from __future__ import annotations

import sys
import tempfile
from collections import Counter
from pathlib import Path
from random import Random

import pytest

from pbem.audit import audit
from pbem.audit.findings import State
from pbem.errors import PbemError
from pbem.judge.export import Bundle
from pbem.judge.new_keys import rotate
from pbem.play.history import History
from pbem.titles import load
from pbem.trust import keys
from pbem.trust.entries import AFTER_CLOSE, WITH_ORDERS
from pbem.trust.ledger import Checkpoint, Receipt, sign_statement
from pbem.trust.rotations import read_rotation
from tests.attacks.framing.arena import HONEST, HOSTILE, Arena, make_arena, table_title
from tests.attacks.framing.campaign import MOVES, Played, check
from tests.attacks.framing.moves import STRANGERS
from tests.audit.script import verify_sh
from tests.audit.stage import write
from tests.judge.table import GAME

NAMES = ("alice", "bob", "carol", "dave", "erin")
ACTS = ("concede", "new key", "lost key", "hold", "roll-back", "look at nothing")
LEFT_OUT, DROPPED, TWO_HEADS = "somebody is left out", "a file is dropped", "two heads"
TOLD = {
    LEFT_OUT: "opened for everybody who plays",
    DROPPED: "the ledger has not received them",
    TWO_HEADS: "two histories",
}
"""How a judge cheats, and what is said to it by both verifiers."""


def ended(arena: Arena) -> bool:
    """Whether the game is over by now."""
    return arena.over


def playing(arena: Arena) -> list[str]:
    """Who is still at the table."""
    return sorted(arena.book.history.playing)


def disturb(played: Played) -> None:
    """Some moves of strangers and of the hostile player, who may get a stranger's help."""
    arena, random = played.arena, played.arena.random
    for _ in range(random.choice([0, 1, 2, 4])):
        name = random.choice(sorted(STRANGERS) if HOSTILE not in playing(arena) else sorted(MOVES))
        if not arena.over:
            played.moves[name] += 1
            MOVES[name](arena)
            arena.clock.pass_days(0.01)


def business(played: Played) -> None:
    """What an honest game master does with the players' consents."""
    arena, random = played.arena, played.arena.random
    here, what = playing(arena), random.choice(ACTS)
    others = [name for name in here if name not in (HOSTILE, HONEST)]
    match what:
        case "concede" if others:
            name = random.choice(others)
            arena.act("concede", name, consents=(name,))
        case "new key" if others and not arena.new_keys:
            arena.rotate(random.choice([*others, HONEST]))
        case "lost key" if others and not arena.new_keys:
            name, new = others[0], keys.generate("new")
            text = arena.rotation(name, None, new)
            said = read_rotation(text).change.consent
            given = [arena.consent(said, one, arena.key(one)) for one in here if one != name]
            rotate(arena.club, text, reason="the key was lost", consents=given)
            arena.new_keys[name] = arena.exchange + 2, new
        case "hold":
            arena.act("hold")
            disturb(played)
            arena.act("resume")
        case "roll-back" if len(arena.book.history.standing) > 1 and not arena.new_keys:
            back = random.choice(arena.book.history.standing[1:]).number
            arena.act("roll-back", str(back), consents=tuple(here))
        case _:
            return
    played.official[what] += 1


def is_waiting(arena: Arena, name: str) -> bool:
    """Whether somebody has lost their key, and the new one does not count yet."""
    start, _ = arena.new_keys.get(name, (0, None))
    return start == arena.exchange + 2


def exchange(played: Played) -> None:
    """An exchange: everybody who can sends, and the hostile player as he likes."""
    arena, random = played.arena, played.arena.random
    disturb(played)
    if random.random() < 0.5:
        business(played)
    if ended(arena):
        return
    number = arena.exchange
    able = [name for name in playing(arena) if name != HOSTILE and not is_waiting(arena, name)]
    for name in able:
        arena.send_honestly(name)
    disturb(played)
    here = arena.book.history.current
    sends = HOSTILE in playing(arena) and random.random() < 0.8
    if sends and here is not None and HOSTILE not in here.counted():
        arena.send_honestly(HOSTILE, rev=77)
    arena.clock.pass_days(60)
    arena.run()
    if arena.mode == AFTER_CLOSE and not ended(arena) and arena.exchange == number:
        for name in able:
            arena.reveal_honestly(name)
        disturb(played)
        arena.clock.pass_days(60)
        arena.run()
    counted = arena.book.history.exchanges[number - 1].counted()
    assert HONEST in counted, "the honest player's orders count"
    assert ended(arena) or arena.exchange > number, "the game goes on"


def cheat(arena: Arena, how: str) -> dict[str, bytes]:
    """The judge cheats; what a player has kept of it."""
    if how == LEFT_OUT:
        everybody = vars(History)["playing"].__get__
        count = len(arena.book.history.exchanges)
        with pytest.MonkeyPatch.context() as patch:
            left = property(
                lambda game: [one for one in everybody(game) if one != HONEST or len(game.exchanges) < count]
            )
            patch.setattr(History, "playing", left)
            for name in playing(arena):
                arena.send_honestly(name)
            arena.clock.pass_days(60)
            arena.run()
        return {}
    paper: Receipt | Checkpoint
    if how == DROPPED:
        parts = {"exchange": 1, "rev": 7, "sealed": "7" * 64, "number": 99, "echo": "0" * 64}
        paper = Receipt(game=GAME, player=HONEST, **parts)  # type: ignore[arg-type]
    else:
        paper = Checkpoint(game=GAME, size=2, head="c" * 64)
    return {"kept.txt": paper.text, "kept.txt.sig": sign_statement(paper, arena.club.key)}


def compose(seed: int, folder: Path, *, script: bool = False) -> tuple[Played, str]:
    """Play and check a table; how the judge has cheated, if so."""
    random = Random(f"table {seed}")
    count, mode = random.choice([3, 4, 5]), random.choice([WITH_ORDERS, AFTER_CLOSE])
    sides = load(table_title()).rules.sides({"players": count})
    seats = dict(zip(NAMES, sides, strict=False))
    arena = make_arena(folder, random, mode, 40, table_title(), seats, players=count)
    played = Played(arena)
    how = random.choice(sorted(TOLD)) if random.random() < 0.4 else ""
    for _ in range(random.randint(2, 3)):
        if not arena.over:
            exchange(played)
    if how and not (arena.over or (how == LEFT_OUT and (mode == AFTER_CLOSE or arena.new_keys))):
        held = cheat(arena, how)
        bundle = write(dict(Bundle(arena.club, arena.book, "public").files()), folder / "bundle")
        papers = write(held, folder / "held") if held else None
        refuted = [str(row) for row in audit(bundle, None, papers).rows if row.state is State.REFUTED]
        assert any(TOLD[how] in row for row in refuted), refuted
        if script:
            status, printed = verify_sh(bundle, "", papers)
            assert (status, TOLD[how] in printed) == (3, True), printed
        arena.club.store.close()
        return played, how
    if not arena.over and random.random() < 0.4:
        arena.act("agree-draw", consents=tuple(playing(arena)))
    disturb(played)
    audience = random.choice(["public", *seats.values()])
    for one in ("all", audience):
        check(played, folder / f"bundle-{one}", one, script=script and one == audience)
    arena.club.store.close()
    return played, ""


def main(count: int, first: int) -> int:
    """Play compositions and print figures; how many failed."""
    moves: Counter[str] = Counter()
    official: Counter[str] = Counter()
    cheats: Counter[str] = Counter()
    failed = []
    for seed in range(first, first + count):
        with tempfile.TemporaryDirectory() as scratch:
            try:
                played, how = compose(seed, Path(scratch), script=seed % 10 == 0)
            except (AssertionError, PbemError, ValueError, KeyError) as fault:
                failed.append(seed)
                print(f"seed {seed}: {type(fault).__name__}: {fault}"[:1500], flush=True)
                continue
        moves += played.moves
        official += played.official
        cheats[how or "nobody"] += 1
    print(f"{count} tables from seed {first}, {sum(moves.values())} moves of {len(moves)} kinds")
    print(
        f"the game master: {dict(sorted(official.items()))}; the judge cheats: {dict(sorted(cheats.items()))}"
    )
    print(f"failed: {failed or 'none'}")
    return len(failed)


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), int(sys.argv[2]) if sys.argv[2:] else 0) > 0)
