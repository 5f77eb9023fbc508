"""The bracket of a knock-out as its readers see it: in words, and as a picture.

The words are for letters, and for those who do not see the picture. The picture has a box for each match,
from the first stage to the winner. Byes have no box: who has one begins in the second column. Colours are
those of paper; the page has others for readers of a dark one, by the classes of the elements.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape

from pbem.characters import lower, plain
from pbem.leagues.model import Bracket, Ending, Match, Place, Result
from pbem.leagues.pages.rows import marks
from pbem.pictures.svg import document, element, number, path, rectangle, text

MAX_PLACES = 64
"""Maximum number of places of a bracket's stage that is shown; larger ones appear only round by round."""
_STAGES = {2: "Final", 4: "Semi-finals", 8: "Quarter-finals"}

Told = tuple[str, tuple[str, ...]]
"""A heading, together with the lines of text below it."""
Outcomes = dict[tuple[int, int], Result]


def shown_stages(bracket: Bracket) -> tuple[tuple[str, tuple[Match, ...]], ...]:
    """Return the stages of a bracket that are shown, with their names."""
    found = []
    for at, matches in enumerate(bracket.stages):
        places = 2 * len(matches)
        name = (
            "First round" if not at and any(map(is_bye, matches)) else _STAGES.get(places, f"Last {places}")
        )
        if places <= MAX_PLACES:
            found.append((name, matches))
    return tuple(found)


def outcomes(results: Sequence[Result]) -> Outcomes:
    """Return the results of a league by round and pairing."""
    return {(one.round, one.pairing): one for one in results}


def bracket_in_words(bracket: Bracket, results: Sequence[Result]) -> tuple[Told, ...]:
    """Return the known stages of a bracket in words: who meets whom, the results, and who goes on."""
    known, told, to_come = outcomes(results), list[Told](), list[str]()
    stages = shown_stages(bracket)
    for at, (name, matches) in enumerate(stages):
        goes_on = "wins" if at == len(stages) - 1 else "goes on"
        byes = [match for match in matches if matches is bracket.stages[0] and is_bye(match)]
        lines = [line for match in matches if match not in byes for line in _line(match, known, goes_on)]
        if byes:
            names = ", ".join(_names(place) for match in byes for place in match.places if place.names)
            lines.append(f"{'Bye' if len(byes) == 1 else 'Byes'}: {names}")
        if lines:
            told.append((name, tuple(lines)))
        else:
            to_come.append(name)
    if bracket.third is not None:
        lines = list(_line(bracket.third, known, "is third"))
        if lines:
            told.append(("Third place", tuple(lines)))
        else:
            to_come.append("third place")
    if to_come:
        told.append(("Then", (lower(", ".join(to_come)),)))
    return tuple(told)


def is_bye(match: Match) -> bool:
    """Tell whether somebody goes on without a game from a match of the first stage."""
    return not match.games and any(place.settled and not place.names for place in match.places)


def is_over(match: Match, known: Outcomes) -> bool:
    """Tell whether a match of a bracket was drawn, and all of its games have results."""
    return bool(match.games) and all(game in known for game in match.games)


def place_in_words(place: Place, nobody: str = "nobody") -> str:
    """Return the player at a place of a bracket, or those who may come to it; "" if nothing is known."""
    return _names(place) or (nobody if place.settled else "")


def _line(match: Match, known: Outcomes, goes_on: str) -> Iterator[str]:
    above, below = match.places
    if not (above.names or below.names):
        return
    if match.guest:
        met = f"{_names(above) or _names(below)} - {plain(match.guest)} (eliminator)"
    elif any(place.settled and not place.names for place in match.places):
        alone = f"{_names(above) or _names(below)} has no opponent"
        yield f"{alone} and {goes_on}" if match.winner.settled else alone
        return
    else:
        met = " - ".join(place_in_words(place) or "not known yet" for place in match.places)
    yield f"{met}: {came}" if (came := _came(match, known, goes_on)) else met


def _came(match: Match, known: Outcomes, goes_on: str) -> str:
    """Return the results of a bracket's match in words; "" until the match is drawn."""
    if not match.games:
        return ""
    how = ", then ".join(_ending_in_words(known[game]) if game in known else "open" for game in match.games)
    if not match.winner.settled:
        return f"{how}, not decided yet" if is_over(match, known) else how
    told = "" if how == Ending.PLAYED else f" ({how})"
    if len(match.winner.names) > 1:  # of a drawn game for the third place
        return f"both are third{told}"
    return f"{place_in_words(match.winner)} {goes_on}{told}"


def _ending_in_words(result: Result) -> str:
    """Return how the game of a result ended, in a word."""
    if result.ending in (Ending.PLAYED, Ending.ADJUDICATED) and len(set(result.places)) == 1:
        return "drawn"
    return result.how


def _names(place: Place) -> str:
    return " or ".join(map(plain, place.names))


ROW, SPACE, GAP, TOP, EDGE = 24, 14, 24, 34, 6
"""Sizes in pixels: height of a line, space between boxes, between columns, height of headings, space around
all."""
SIZE, WIDE = 13, 7.5
"""Height of the letters of names, and about the width of the widest usual ones, in pixels."""
LEAST_SIGNS, MAX_SIGNS, MARKS = 10, 15, 44
"""Least and most letters of a name in a box, and the pixels for the results of the player's games."""
INK, QUIET, PAPER, OWN, RULE = "#26221c", "#5d5444", "#fbf8ef", "#e3dcc8", "#8a7f66"


@dataclass(frozen=True, slots=True)
class _Box:
    """The box of a match in the picture: `column` from 0, `y` in the middle of the box's two lines."""

    match: Match
    column: int
    y: float
    feeders: tuple[_Box | None, _Box | None] = (None, None)
    """The boxes that lead to the upper and to the lower line of this box."""


def bracket_picture(bracket: Bracket, results: Sequence[Result], title: str) -> str:
    """Return the picture of a bracket as SVG, for use in a page."""
    return _Drawing(bracket, outcomes(results)).svg(title)


class _Drawing:
    def __init__(self, bracket: Bracket, known: Outcomes) -> None:
        self.known = known
        self.names, self.stages = zip(*shown_stages(bracket), strict=True)
        self.third = bracket.third
        every = [name for stage in self.stages for match in stage for name in _match_in_words(match)]
        self.signs = min(max([LEAST_SIGNS, *map(len, every)]), MAX_SIGNS)
        self.width = self.signs * WIDE + MARKS + 12
        self.lowest = TOP + EDGE + 0.0
        self.final = self._lay_out(len(self.stages) - 1, 0)

    def svg(self, title: str) -> str:
        """Return the whole picture of the bracket as SVG."""
        columns = len(self.stages)
        parts = [*self._headings(), *self._lines(self.final), *self._boxes(self.final), *self._winner()]
        if self.third is not None:
            y = self.final.y + 2 * ROW + SPACE
            box = _Box(self.third, columns - 1, y + ROW)
            parts += [self._heading("Third place", columns - 1, y - 8), *self._boxes(box)]
            self.lowest = max(self.lowest, y + 2 * ROW + SPACE)
        width = round(2 * EDGE + (columns + 1) * (self.width + GAP) - GAP)
        return document(width, round(self.lowest), title, parts)

    def _lay_out(self, stage: int, place: int) -> _Box:
        """Return the box of a match, after laying out all matches that lead to it, from top to bottom."""
        match = self.stages[stage][place]
        upper, lower = (self._before(stage - 1, at) for at in (2 * place, 2 * place + 1))
        before = [box.y for box in (upper, lower) if box is not None]
        if before:
            return _Box(match, stage, sum(before) / len(before), (upper, lower))
        y = self.lowest + ROW
        self.lowest = y + ROW + SPACE
        return _Box(match, stage, y)

    def _before(self, stage: int, place: int) -> _Box | None:
        """Return the box that leads to a line of another box; None if a player begins there."""
        if stage < 0 or (stage == 0 and is_bye(self.stages[0][place])):
            return None
        return self._lay_out(stage, place)

    def _x(self, column: int) -> float:
        return EDGE + column * (self.width + GAP)

    def _headings(self) -> Iterator[str]:
        for column, name in enumerate((*self.names, "Winner")):
            yield self._heading(name, column, TOP - 12)

    def _heading(self, said: str, column: int, y: float) -> str:
        return text(self._x(column), y, said, SIZE, text_anchor="start", fill=INK, class_="name")

    def _lines(self, box: _Box) -> Iterator[str]:
        """Yield the lines that connect boxes, and the line from the final to its winner."""
        if box is self.final:
            start = self._x(box.column) + self.width
            yield self._line(f"M{number(start)},{number(box.y)}h{GAP}")
        for row, feeder in zip((box.y - ROW / 2, box.y + ROW / 2), box.feeders, strict=True):
            if feeder is not None:
                start = self._x(feeder.column) + self.width
                yield self._line(
                    f"M{number(start)},{number(feeder.y)}h{GAP // 2}V{number(row)}h{GAP - GAP // 2}"
                )
                yield from self._lines(feeder)

    @staticmethod
    def _line(way: str) -> str:
        return path(way, fill="none", stroke=RULE, stroke_width=1.5, class_="line")

    def _boxes(self, box: _Box) -> Iterator[str]:
        """Yield the SVG of a box, and of all boxes that lead to it."""
        for feeder in box.feeders:
            if feeder is not None:
                yield from self._boxes(feeder)
        x, match = self._x(box.column), box.match
        for place, y in zip(match.places, (box.y - ROW, box.y), strict=True):
            on = (
                match.winner.settled
                and place.settled
                and place.names
                and set(place.names) <= set(match.winner.names)
            )
            name = place_in_words(place)
            if match.guest and place.settled and not place.names:
                name = plain(match.guest)
            colour, kind = (OWN, "own") if on else (PAPER, "box")
            yield rectangle(x, y, self.width, ROW, fill=colour, stroke=RULE, class_=kind)
            quiet = not (place.settled and place.names)
            yield self._words(x, y, name, self._marks(match, place), on=bool(on), quiet=quiet)

    def _words(
        self, x: float, y: float, name: str, got: str = "", *, on: bool = False, quiet: bool = False
    ) -> str:
        """Return the SVG of a name and its results, never wider than the box."""
        short = name if len(name) <= self.signs else f"{name[: self.signs - 1]}…"
        ink: dict[str, str | float] = {
            "fill": QUIET if quiet else INK,
            "class_": "quiet" if quiet else "name",
            "font_weight": "bold" if on else "normal",
        }
        room = self.width - MARKS if got else self.width
        shown = element(
            "svg",
            element("title", escape(name, quote=False)),
            text(8, ROW - 7, short, SIZE, text_anchor="start", **ink),
            x=x,
            y=y,
            width=room,
            height=ROW,
        )
        right = x + self.width - 8
        return (shown if name else "") + (
            text(right, y + ROW - 7, got, SIZE, text_anchor="end", **ink) if got else ""
        )

    def _marks(self, match: Match, place: Place) -> str:
        """Return a player's results in each game of a match, as a table shows them."""
        name = match.guest if match.guest and not place.names else "".join(place.names[:1])
        found = []
        for game in match.games if name else ():
            result = self.known.get(game)
            seats = [seat.player for seat in result.seats] if result else []
            found.append(marks(result)[seats.index(name)] if result and name in seats else "·")
        return " ".join(found)

    def _winner(self) -> Iterator[str]:
        won, x = self.final.match.winner, self._x(len(self.stages))
        yield rectangle(x, self.final.y - ROW / 2, self.width, ROW, fill=OWN, stroke=RULE, class_="own")
        if won.settled:
            yield self._words(x, self.final.y - ROW / 2, place_in_words(won), on=True)


def _match_in_words(match: Match) -> Iterator[str]:
    yield match.guest
    for place in match.places:
        yield from place.names
