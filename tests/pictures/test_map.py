"""The map of Hammer of the Scots: true to the facts, drawn from a view alone, the same bytes each time."""

from __future__ import annotations

import hashlib
import os
import re
from io import BytesIO
from itertools import combinations
from math import hypot
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from PIL import Image, ImageFont

from pbem.pictures import base as png_module
from pbem.pictures.base import png
from pbem.rules.base import Event, View
from pbem.rules.hammer.facts import AREAS, BLOCKS
from pbem.titles.hammer.pictures import (
    LINE,
    NAME_SIZE,
    PANEL,
    PANEL_SIZE,
    MapPainter,
    beside,
    board,
    border,
    centres,
    geometry,
    names,
    stacks,
)
from pbem.titles.hammer.pictures.blocks import GAP, HEAD, LONGEST, Box, battle_marks, short, tip_of, ways
from tests.hammer.map_scenes import played, scene
from tests.running import python

GOLDEN = Path(__file__).parent / "golden"
Point = tuple[float, float]


def rings(outline: str) -> list[list[Point]]:
    """The closed lines of a path of straight lines."""
    return [
        [(float(x), float(y)) for x, y in (point.split(",") for point in ring.lstrip("M").split("L"))]
        for ring in outline.split("Z")
        if ring
    ]


def inside(point: Point, outline: str) -> bool:
    """Even-odd rule."""
    x, y = point
    odd = False
    for ring in rings(outline):
        for (x1, y1), (x2, y2) in zip(ring, [*ring[1:], ring[0]], strict=True):
            if (y1 > y) != (y2 > y) and x < (x2 - x1) * (y - y1) / (y2 - y1) + x1:
                odd = not odd
    return odd


def test_the_map_has_the_areas_and_borders_of_the_rules() -> None:
    drawn = geometry()
    assert set(drawn["areas"]) == set(AREAS)
    assert {frozenset(entry["between"]) for entry in drawn["borders"]} == {
        frozenset((name, other)) for name, area in AREAS.items() for other in area.neighbours
    }


@pytest.mark.parametrize("area", AREAS)
def test_the_middle_of_an_area_lies_within_it_and_in_no_other(area: str) -> None:
    holders = [name for name, entry in geometry()["areas"].items() if inside(centres()[area], entry["path"])]
    assert holders == [area]


def test_borders_are_told_apart_by_more_than_colour() -> None:
    red = sum(
        AREAS[first].neighbours[second].red
        for first, second in (entry["between"] for entry in geometry()["borders"])
    )
    assert board().svg.count("stroke-dasharray") == red + 1  # and once in the legend


def test_names_fit_on_blocks() -> None:
    assert max(len(short(name)) for name in BLOCKS) <= LONGEST


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("viewer", ["england", "scotland", "public", "gm"])
def test_a_picture_is_well_formed_without_scripts_or_links(seed: int, viewer: str) -> None:
    picture = MapPainter().draw(*scene(played(seed, 40 + 30 * seed), viewer))
    tree = ET.fromstring(picture.svg)  # noqa: S314 - our own picture
    names = {element.tag.rpartition("}")[2] for element in tree.iter()}
    assert names <= {"svg", "title", "g", "rect", "path", "circle", "text"}
    assert not re.search(r"href|url\(|<!|<\?|script|\bon\w+=", picture.svg)
    assert picture.words in "".join(tree.itertext())


@pytest.mark.parametrize("seed", range(6))
def test_it_shows_every_block_that_the_view_shows_and_no_other(seed: int) -> None:
    game = played(seed, 60 + 20 * seed)
    for viewer in ("england", "scotland", "public"):
        view, told = scene(game, viewer)
        layers = "".join(one.svg for one in MapPainter().draw(view, told).layers if (one.x, one.y) != PANEL)
        names = re.findall(r'font-size="1[13]"[^>]*>([^<]+)<', layers)
        on_map = [short(name) for name, block in view["blocks"].items() if block["area"] in AREAS]
        assert sorted(names) == sorted(on_map)
        counts = re.findall(r'font-size="20"[^>]*>([^<]+)<', layers)
        standing = sum(sum(there.values()) for there in view["areas"].values())
        assert sum(map(int, counts)) == standing - len(on_map)


def plates_covered(area: str, known: int, others: int) -> list[str]:
    """The names, measured in the font that draws them, that so many blocks in one area cover."""
    font = ImageFont.truetype(Path(png_module.__file__).parent / "fonts" / png_module.FONT_FILE, NAME_SIZE)
    view, _ = scene(played(3, 60), "scotland")
    empty = {name: {"scotland": 0, "england": 0} for name in AREAS}
    names = [name for name in BLOCKS if BLOCKS[name].side != "england"][:known]
    blocks = {name: {"side": "scotland", "area": area, "strength": 1} for name in names}
    crowd = {**empty, area: {"scotland": known, "england": others}}
    layers = list(stacks({**view, "areas": crowd, "blocks": blocks}))
    assert len(layers) == known + bool(others)
    covered = []
    for name, (x, y) in centres().items():
        left, top, right, low = font.getbbox(name)
        half = (right - left) / 2
        text = Box(
            x - half, y - 30 - (low - top), x + half, y - 26
        )  # plates stand 52 above, words 22 below that
        laid = list(map(Box.around, layers))
        covered += [name for box in laid if box.covers(text)]
    return covered


@pytest.mark.parametrize("known", [1, 5, pytest.param(8, marks=pytest.mark.ci)])
@pytest.mark.parametrize("others", [0, pytest.param(2, marks=pytest.mark.ci)])
def test_no_block_lies_on_a_name(known: int, others: int) -> None:
    assert {area: covered for area in AREAS if (covered := plates_covered(area, known, others))} == {}


def test_blocks_of_two_areas_lie_side_by_side() -> None:
    view, _ = scene(played(3, 60), "scotland")
    full = {name: {"scotland": 0, "england": 2} for name in AREAS}
    layers = list(stacks({**view, "areas": full, "blocks": {}}))
    boxes = list(map(Box.around, layers))
    assert len(boxes) == len(AREAS)
    assert not [pair for pair in combinations(boxes, 2) if pair[0].covers(pair[1])]


def covered(view: View, told: list[Event]) -> list[tuple[Box, Box]]:
    """What lies on something else, or beyond the edge: blocks, battles, names, legend, what stands beside."""
    battles = list(battle_marks(view, told, centres()))
    laid = [*battles, *stacks(view, battles)]
    boxes = list(map(Box.around, laid))
    edge = Box(0, 0, board().width, board().height)
    found = [(one, other) for one, other in combinations(boxes, 2) if one.covers(other)]
    found += [(one, name) for one in boxes[len(battles) :] for name in names() if one.covers(name)]
    return found + [(one, edge) for one in boxes if not one.within(edge)]


@pytest.mark.ci
@pytest.mark.parametrize("seeds", [range(2), pytest.param(range(2, 50), marks=pytest.mark.slow)], ids=str)
def test_nothing_covers_anything(seeds: range) -> None:
    """In 1,000 positions of random games, as each side, the public and the game master see them."""
    for seed in seeds:
        for answers in (60, 200, 400, 700, 1000):
            game = played(seed, answers)
            for viewer in ("england", "scotland", "public", "gm"):
                assert covered(*scene(game, viewer)) == [], (seed, answers, viewer)


def hidden_heads(view: View, told: list[Event], *, seen: bool = True) -> list[Box]:
    """Blocks that lie on the head of an arrow though there is room for it before them."""
    blocks = list(map(Box.around, stacks(view, list(battle_marks(view, told, centres())))))
    found = []
    for _, areas in ways(told):
        (x1, y1), (x2, y2) = points = [centres()[area] for area in areas[-2:]]
        if length := hypot(x2 - x1, y2 - y1):
            along = (x2 - x1) / length, (y2 - y1) / length
            x, y = tip_of(points, blocks if seen else ())
            head = [Box(x - along[0] * back, y - along[1] * back, x, y) for back in range(0, int(HEAD), 4)]
            before = [box for box in blocks if box.reached((x1, y1), along) >= HEAD + GAP]
            found += [
                box
                for box in before
                if any(box.left < one.left < box.right and box.top < one.top < box.bottom for one in head)
            ]
    return found


@pytest.mark.parametrize("seed", range(8))
def test_the_head_of_an_arrow_lies_below_no_block(seed: int) -> None:
    scenes = [scene(played(seed, answers), "gm") for answers in (60, 200, 400, 700)]
    assert [hidden_heads(view, told) for view, told in scenes] == [[]] * 4
    assert any(hidden_heads(view, told, seen=False) for view, told in scenes), "else this shows nothing"


def test_what_stands_beside_fits_its_panel() -> None:
    """With as many nobles and cards as there can be."""
    view, _ = scene(played(3, 60), "scotland")
    most = {**view, "hand": ["sea move", "pillage", "victuals", "herald", "truce"]}
    for owners in (["england"] * 14, ["scotland"] * 14, ["england", "scotland"] * 7):
        lines = list(beside({**most, "nobles": dict(zip(view["nobles"], owners, strict=False))}))
        assert 24 + LINE * (len(lines) - 1) < PANEL_SIZE[1]
    font = ImageFont.truetype(Path(png_module.__file__).parent / "fonts" / png_module.FONT_FILE, 13)
    assert max(font.getlength(said) for said, heading in lines if not heading) < PANEL_SIZE[0] - 16


def test_the_border_to_england_is_drawn_as_one_of_its_own() -> None:
    """4.4: a light line runs in each border that one block crosses with each Group Move."""
    plain = [border(entry) for entry in geometry()["borders"] if "England" not in entry["between"]]
    england = [border(entry) for entry in geometry()["borders"] if "England" in entry["between"]]
    assert len(england) == 3
    assert all('stroke-width="3"' in one for one in england)
    assert not any('stroke-width="3"' in one for one in plain)
    assert "one with each Group Move" in board().svg


def test_what_a_side_may_not_know_changes_no_byte() -> None:
    game = played(3, 60)
    secret = game.view("gm")
    view, told = scene(game, "scotland")
    places = {name: block["area"] for name, block in secret["blocks"].items() if block["side"] == "england"}
    hidden = [name for name, area in places.items() if area in AREAS and name not in view["blocks"]]
    first = hidden[0]
    second = next(name for name in hidden if places[name] != places[first])
    swapped = {
        **secret,
        "blocks": {**secret["blocks"], first: secret["blocks"][second], second: secret["blocks"][first]},
    }
    painter = MapPainter()
    assert painter.draw(secret, told).svg != painter.draw(swapped, told).svg  # the gm sees the change
    assert painter.draw(view, told) == painter.draw(dict(view), told)


def test_arrows_show_what_was_told() -> None:
    there = {"Mar": 2, "Fife": 1, None: 3}
    told: list[Event] = [
        {"event": "move", "side": "scotland", "path": ["Fife", "Angus", "Buchan"], "block": "Wallace"},
        *({"event": "move", "side": "england", "path": ["Lothian", "Mentieth"]} for _ in range(2)),
        *({"event": "sea move", "side": "england", "origin": "England", "to": "Ross", "count": 2},) * 2,
        *(
            {"event": kind, "side": "scotland", "area": "Angus", "to": there}
            for kind in ("retreat", "regroup")
        ),
        {"event": "disband", "side": "scotland", "area": "Angus", "to": there},
    ]
    assert ways(told) == {
        ("scotland", ("Fife", "Angus", "Buchan")): 1,
        ("england", ("Lothian", "Mentieth")): 2,
        ("england", ("England", "Ross")): 4,
        ("scotland", ("Angus", "Mar")): 4,
        ("scotland", ("Angus", "Fife")): 2,
    }


def pixels(data: bytes) -> str:
    return hashlib.sha256(Image.open(BytesIO(data)).convert("RGB").tobytes()).hexdigest()


@pytest.mark.ci
def test_words_are_drawn() -> None:
    """A renderer without a font leaves them out and says nothing."""
    picture = MapPainter().draw(*scene(played(3, 60), "scotland"))
    image = Image.open(BytesIO(png(picture))).convert("L")
    x, y = centres()["Ross"]
    name = image.crop((x - 40, y - 48, x + 40, y - 24))
    assert sum(name.histogram()[:90]) > 100


@pytest.mark.ci
def test_the_picture_is_the_golden_one() -> None:
    picture = MapPainter().draw(*scene(played(3, 60), "scotland"))
    golden = GOLDEN / "map.png"
    if os.environ.get("PBEM_GOLDEN") == "update" and not os.environ.get("CI"):
        golden.write_bytes(png(picture))
    assert pixels(png(picture)) == pixels(golden.read_bytes())


@pytest.mark.ci
def test_the_same_bytes_under_any_hash_seed() -> None:
    code = (
        "from tests.hammer.map_scenes import played, scene\n"
        "from pbem.titles.hammer.pictures import MapPainter\n"
        "import hashlib\n"
        "picture = MapPainter().draw(*scene(played(5, 90), 'england'))\n"
        "print(hashlib.sha256(picture.svg.encode()).hexdigest())"
    )
    root = Path(__file__).parents[2]
    found = {python("-c", code, cwd=root, PYTHONHASHSEED=seed).stdout for seed in ("1", "77")}
    assert len(found) == 1
