"""What the writer of lines is told of them, and what they answer, whole: every mark, answer and reason."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path

import pytest

from pbem.orders.base import Answer, Fault, Reply, Stop
from pbem.rules.base import Game
from pbem.titles import load
from tests.hammer.order_table import situation
from tests.kept import as_kept
from tests.orders.test_first_war import game_at
from tests.orders.test_lords import start

GOLDEN = Path(__file__).parent / "golden"
BEGUN: dict[str, Callable[..., Game]] = {"hammer": situation, "lords": start, "first-war": game_at}
PLACES = {
    game: tomllib.loads(
        (Path(__file__).parents[1] / game.replace("-", "_") / "places.toml").read_text(encoding="utf-8")
    )
    for game in BEGUN
}
MOST = 16
"""Answers that are told of some lines."""


def place(game: str, name: str) -> Game:
    """A game begun in the middle, as `places.toml` in its folder says."""
    given = dict(PLACES[game][name])
    while "like" in given:
        given = PLACES[game][given.pop("like")] | given
    return BEGUN[game](**given)


def told(fault: Fault) -> str:
    """A fault in one line, with the columns of its mark."""
    legal = f" possible: {', '.join(fault.legal)}" if fault.legal else ""
    pause = " (the game may stop)" if fault.pause else ""
    return f"{str(fault).splitlines()[0]}{pause} [{fault.column}-{fault.end}]{legal}"


def marked(name: str, side: str, text: str, game: Game) -> Iterator[str]:
    """What is said of some lines: nothing of what is right; below faults what is left of the lines."""
    language = load(name).language
    parsed = language.parse(text, side)
    yield from map(told, (*parsed.faults, *language.check(parsed.orders, game.view(side))))
    if parsed.faults and parsed.orders:
        yield f"= {' | '.join(language.write(parsed.orders).splitlines())}"


def given(reply: Reply) -> str:
    """A reply with the place of the line from which it comes."""
    if isinstance(reply, Answer):
        return f"{f'{reply.file}.' if reply.file else ''}{reply.line}: {reply.text}"
    return f"{reply.line}: Stop" if isinstance(reply, Stop) else "Uncovered"


def answered(name: str, side: str, text: str, game: Game) -> Iterator[str]:
    """What files answer (` || ` lies between two), as long as they do, and what of them is left out."""
    language, said = load(name).language, list[str]()
    follower = language.follower(side)
    for file in text.split(" || "):
        parsed = language.parse(file, side)
        yield from (f"? {told(fault)}" for fault in parsed.faults if not fault.remark)
        assert language.parse(language.write(parsed.orders), side).orders == parsed.orders
        follower.receive(parsed.orders, game.view(side))
    while game.asks and len(said) < MOST and "Uncovered" not in said:
        ask = next((ask for ask in game.asks if ask.side == side), game.asks[0])
        reply = follower.reply(ask, game.view(side)) if ask.side == side else Answer(ask.default)
        if ask.side == side:
            said.append(given(reply))
        if isinstance(reply, Answer):
            game.answer(ask.side, reply.text)
    yield "; ".join(said)
    yield from (f"- {f'file {one.file}, ' if one.file > 0 else ''}{one}" for one in follower.dropped)


def offered(name: str, side: str, text: str, game: Game) -> Iterator[str]:
    """How a line may go on below others (before ` || `): how much is offered, its digest, first and last."""
    language, view = load(name).language, game.view(side)
    *above, line = text.split(" || ")
    verbs = language.asked(language.form(view, game.asks))
    offers = language.offers(line, view, verbs, "\n".join(above))
    digest = sha256("\n".join(map(repr, offers)).encode()).hexdigest()[:8]
    ends = dict.fromkeys(repr(offer.line) for offer in (*offers[:3], *offers[-3:]))
    yield f"{len(offers)} {digest}: {' '.join(ends)}".rstrip()


@pytest.mark.parametrize("game", PLACES)
@pytest.mark.parametrize(
    "what", [marked, answered, pytest.param(offered, marks=pytest.mark.ci)], ids=lambda what: what.__name__
)
def test_what_is_told_of_lines_is_as_it_was(what: Callable[..., Iterator[str]], game: str) -> None:
    """The kept file has the lines too, after `| `, where `== SIDE WHERE` says; what is told follows them."""
    path, found, where, side = GOLDEN / f"{game}.{what.__name__}.txt", list[str](), "", ""
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("== "):
            _, side, where = line.split(" ", 2)
            found.append(line)
        elif line.startswith("| "):
            text = line[2:].replace(" | ", "\n")
            found += (line, *what(game, side, text, place(game, where)))
    as_kept(path, "\n".join(found) + "\n")
