"""4.0: are the moves of a file possible, as far as their writer's view and the map tell?

What the enemy may yet change is only remarked upon: he moves between the writing and the doing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from pbem.orders.faults import listed
from pbem.orders.hammer.answers import passes, picked
from pbem.orders.hammer.sight import Sight
from pbem.orders.kit.check import Checker
from pbem.orders.kit.tree import Order
from pbem.rules.hammer.facts import AREAS, BLOCKS, ENGLAND_AREA, POOL, Border
from pbem.rules.hammer.options import Options

Path = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Move:
    """One block's move, by the way that the judge would take."""

    order: Order
    block: str
    start: str
    path: Path


def check_moves(
    orders: Sequence[Order], sight: Sight, options: Options, card: str, findings: Checker
) -> None:
    """The move lines of one case, as one Movement Phase."""
    moves = list(_moves(orders, sight, options, findings))
    _check_twice(moves, findings)
    _check_borders(moves, findings)
    if card.isdigit():
        _check_groups(moves, int(card), options, findings)
    elif card:
        for order in orders:
            if order.verb == "move" and not order.nobody:
                findings.note(order, "move", f"the card {card} replaces your moves", "3.12")
    _check_pinned(moves, sight, findings)
    for order in orders:
        if order.verb == "main attack":
            _check_main_attack(order, moves, findings)


def _moves(orders: Sequence[Order], sight: Sight, options: Options, findings: Checker) -> Iterator[_Move]:
    for order in orders:
        if order.verb != "move" or order.nobody:
            continue
        if not order.one("from") and any(name in ("all", "rest") for name in order.names):
            findings.note(
                order, order.names[0], f"'{order.names[0]}' of which area? write 'from' and the area", "4.2"
            )
            continue
        others = [
            name for other in orders if other is not order and other.verb == "move" for name in other.names
        ]
        named = [name for name in order.names if name in BLOCKS]
        standing = sight.mine(order.one("from"))
        for name in dict.fromkeys((*named, *picked(order, standing, others))):
            block = sight.own(name)
            if block is None:
                _note_absent(order, name, sight, findings)
            elif order.one("from") and block.area != order.one("from"):
                findings.note(order, name, f"{name} is in {block.area}, not in {order.one('from')}", "4.2")
            elif path := _way(order, name, block.area, sight, options, findings):
                yield _Move(order, name, block.area, path)
        if not named and not picked(order, standing, others):
            findings.note(
                order, order.one("from"), f"you have no such blocks in {order.one('from') or 'play'}", "4.2"
            )


def _note_absent(order: Order, name: str, sight: Sight, findings: Checker) -> None:
    findings.note(order, name, absence(name, sight), "2.22" if BLOCKS[name].noble else "4.2")


def absence(name: str, sight: Sight) -> str:
    """Why a block is not there to be ordered about."""
    if BLOCKS[name].noble and sight.holds_noble(name) is False:
        return f"{name} is the enemy's now"
    block = sight.block(name)
    if block is None or (BLOCKS[name].noble and sight.holds_noble(name) is None):
        return f"{name} is dead" if BLOCKS[name].noble else f"{name} is out of the game"
    return f"{name} is in your draw pool" if block.area == POOL else f"{name} is not on the map"


# -- one way


def move_rating(name: str, options: Options) -> int:
    """2.13: the Move Rating, as the edition has it."""
    return dict(options.moves).get(name, BLOCKS[name].move)


def _way(
    order: Order, name: str, start: str, sight: Sight, options: Options, findings: Checker
) -> Path | None:
    """The way that the judge would take; None, and a fault, if there is none."""
    rating = move_rating(name, options)
    if rating == 0:
        return _sea_way(order, name, start, findings)
    wanted = order.all("to")
    if wanted[0] in AREAS[start].neighbours and all(
        two in AREAS[one].neighbours for one, two in pairwise(wanted)
    ):
        refused = _refusal(name, start, wanted, rating)
        if refused:
            findings.note(order, refused[0], refused[2], refused[1])
            return None
        _remark_on_enemies(order, name, wanted, sight, findings)
        return wanted
    found = [path for path in paths(start, rating) if path[-1] == wanted[-1] and passes(path, wanted)]
    if not found:
        _note_unreachable(order, name, start, wanted, rating, findings)
        return None
    shortest = sorted(path for path in found if len(path) == min(map(len, found)))
    if len(shortest) > 1:
        between = [listed(path[:-1]) for path in shortest]
        findings.note(
            order,
            wanted[-1],
            f"{name} can go to {wanted[-1]} by {listed(between, 'or')}; write which, "
            f"else the way by {between[0]} is tried first",
            "4.2",
            remark=True,
        )
    return shortest[0]


def _sea_way(order: Order, name: str, start: str, findings: Checker) -> Path | None:
    """4.7: the Norse sail from coast to coast, never to England."""
    to = order.all("to")[-1]
    if len(order.all("to")) > 1 or not AREAS[to].coastal or to in (ENGLAND_AREA, start):
        coasts = [
            area.name for area in AREAS.values() if area.coastal and area.name not in (ENGLAND_AREA, start)
        ]
        message = f"the {name} sail straight to one other coastal area, never to England"
        findings.note(order, to, message, "4.7", legal=coasts)
        return None
    return (to,)


def paths(start: str, rating: int, been: Path = ()) -> Iterator[Path]:
    """4.0, 4.3, 4.4: every way within a Move Rating, enemy blocks left out of account."""
    area = been[-1] if been else start
    for to, border in AREAS[area].neighbours.items():
        if to == start or to in been:
            continue
        path = (*been, to)
        yield path
        if len(path) < rating and not _ends_move(to, border):
            yield from paths(start, rating, path)


def _ends_move(to: str, border: Border) -> bool:
    return border.red or to == ENGLAND_AREA


def _refusal(name: str, start: str, path: Path, rating: int) -> tuple[str, str, str] | None:
    """Why a way over real borders is not allowed: the area, the section, and the reason."""
    if len(path) > rating:
        return path[rating], "2.13", f"{name} moves {rating} areas, and {path[rating]} would be one more"
    area = start
    for index, to in enumerate(path):
        if to == start or to in path[:index]:
            return to, "R40", f"the way enters {to} twice"
        border = AREAS[area].neighbours[to]
        if index + 1 < len(path) and _ends_move(to, border):
            why = f"the border from {area} is red" if border.red else "England ends a move"
            return path[index + 1], "4.3" if border.red else "4.4", f"{name} must stop in {to}: {why}"
        area = to
    return None


def _note_unreachable(
    order: Order, name: str, start: str, wanted: Path, rating: int, findings: Checker
) -> None:
    """Say which border or limit stops the block, on the shortest way there is."""
    reach = sorted({path[-1] for path in paths(start, rating)}, key=lambda area: AREAS[area].order)
    way = _shortest(start, wanted[-1])
    if len(wanted) > 1:
        previous = start
        for area in wanted:
            if area not in AREAS[previous].neighbours:
                message = f"{previous} has no border with {area}"
                findings.note(order, area, message, "1.1", legal=tuple(AREAS[previous].neighbours))
                return
            previous = area
    refused = _refusal(name, start, way, rating) if way else None
    if start == wanted[-1]:
        message, rule = f"{name} is in {start} already", "4.0"
    elif refused is None:
        message, rule = f"{name} cannot reach {wanted[-1]} that way", "4.2"
    elif refused[1] == "2.13":
        message = f"{wanted[-1]} is {len(way)} areas from {start}, and {name} moves {rating}"
        rule = "2.13"
    else:
        why = refused[2].replace(f"{name} must", "it must").replace(": ", ", as ")
        message, rule = f"{name} cannot reach {wanted[-1]}: {why}", refused[1]
    findings.note(order, wanted[-1], message, rule, legal=reach)


def _shortest(start: str, to: str) -> Path:
    """The first of the shortest ways by land, whatever the borders' colours."""
    ring: list[Path] = [()]
    seen = {start}
    while ring:
        grown: list[Path] = []
        for path in ring:
            for near in AREAS[path[-1] if path else start].neighbours:
                if near == to:
                    return (*path, near)
                if near not in seen:
                    seen.add(near)
                    grown.append((*path, near))
        ring = grown
    return ()


def _remark_on_enemies(order: Order, name: str, path: Path, sight: Sight, findings: Checker) -> None:
    """4.0, R41: enemy blocks on the way end a move."""
    for area in path[:-1]:
        if sight.blocks_in(area, sight.enemy):
            message = f"enemy blocks are in {area}; as long as they are, {name} must stop there"
            findings.note(order, area, message, "4.0", remark=True)
            return


# -- all moves together


def _check_twice(moves: Sequence[_Move], findings: Checker) -> None:
    seen: set[str] = set()
    for move in moves:
        if move.block in seen:
            findings.note(
                move.order, move.block, f"{move.block} moves twice; the second move is left out", "4.0"
            )
        seen.add(move.block)


def _check_borders(moves: Sequence[_Move], findings: Checker) -> None:
    """4.3: six blocks over a green border, two over a red one."""
    crossed: dict[str, int] = {}
    for move in moves:
        if not BLOCKS[move.block].move:
            continue
        area = move.start
        for to in move.path:
            border = AREAS[area].neighbours[to]
            crossed[border.name] = crossed.get(border.name, 0) + 1
            if crossed[border.name] == border.limit + 1:
                colour = "red" if border.red else "green"
                message = f"the {colour} border between {area} and {to} lets {border.limit} blocks cross"
                findings.note(move.order, move.block, f"{message}; {move.block} is one more", "4.3")
            area = to


def _check_groups(moves: Sequence[_Move], allowance: int, options: Options, findings: Checker) -> None:
    """4.2, 4.4: as many groups as the card says; one block of each over the Anglo-Scottish border."""
    groups: dict[str, list[int]] = {}
    spent = norse = 0
    for move in moves:
        if not BLOCKS[move.block].move:
            norse += 1
        else:
            group = groups.setdefault(move.start, [0, 0])
            group[0 if _crosses(move) else 1] += 1
        now = norse + sum(_cost(across, within, options) for across, within in groups.values())
        if now > allowance and now > spent:
            crossing = _crosses(move) and sum(groups.get(move.start, ())) > 1
            message = f"the card {allowance} moves {allowance} group{'s' if allowance > 1 else ''}"
            if crossing:
                message += ", each with one block over the English border"
            findings.note(
                move.order,
                move.block,
                f"{message}; {move.block} needs one more",
                "4.4" if crossing else "4.2",
            )
        spent = max(spent, now)


def _cost(across: int, within: int, options: Options) -> int:
    if options.border_crossing == "uses_group_move":
        return across + (within > 0)
    return max(across, 1)


def _crosses(move: _Move) -> bool:
    if not BLOCKS[move.block].move:
        return False
    steps = zip((move.start, *move.path), move.path, strict=False)
    return any(AREAS[area].neighbours[to].anglo_scottish for area, to in steps)


def _check_pinned(moves: Sequence[_Move], sight: Sight, findings: Checker) -> None:
    """4.6: of the blocks in an attacked area, as many as the attackers must stay."""
    left: dict[str, int] = {}
    for move in moves:
        area = move.start
        if area in sight.attacked() and not sight.is_first:
            left[area] = left.get(area, 0) + 1
            mine, theirs = sight.blocks_in(area, sight.side), sight.blocks_in(area, sight.enemy)
            if left[area] > mine - min(mine, theirs):
                message = (
                    f"{theirs} enemy block{'s pin' if theirs > 1 else ' pins'} as many of yours in {area}"
                )
                findings.note(move.order, move.block, f"{message}; {move.block} cannot leave", "4.6")


def _check_main_attack(order: Order, moves: Sequence[_Move], findings: Checker) -> None:
    area, start, by = order.names[0], order.one("from"), order.one("by")
    into = [move for move in moves if move.path[-1] == area]
    if not any(move.block == by if by else move.start == start for move in into):
        message = f"none of these moves goes to {area} {'with' if by else 'from'} {by or start}"
        findings.note(order, by or start or area, message, "5.32")
