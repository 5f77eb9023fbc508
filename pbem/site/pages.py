"""Makes the pages of a club's site from a `ClubView` alone: no clock, no order that could differ, no script.

| file | what it is |
|---|---|
| `index.html` | what is played here, open seats, running games, leagues, the last results, how to join |
| `games.html` | all finished games |
| `players.html` | who has played which side of what how often, with which results, against whom; ratings |
| `rules.html` | the rules of the house, what the club promises, and what it cannot forget |
| `games/NAME.html` | one game: where it stands, or how it ended |
| `reports/NAME.html` | its last public report, with the picture; only of games whose players wish it |
| `stories/NAME.html` | the game from its beginning in the viewer, as the public was told it; likewise |
| `games/NAME.png` | the map of that report, which a chat shows beside a link, too |
| `games/NAME.tar.gz` | the bundle of a finished game, for everybody to check; likewise |
| `titles/NAME.html` | one game that can be played: its length here, its orders, its games and open seats |
| `titles/NAME.png` | the map at its beginning |
| `leagues/NAME/` | the pages of each league |
| `feed.atom` | what has happened, the latest first (RFC 4287) |
| `sitemap.xml` | the pages' addresses, if the site has one |

Below a folder a file's name is that of a game or title, then the ending of its kind, and nothing else. So no
name of a game makes two files of one name.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING
from uuid import NAMESPACE_URL, uuid5
from xml.etree import ElementTree as ET

from pbem.characters import plain, split_lines
from pbem.guides import title_of
from pbem.rendering import render
from pbem.site.seats import Offer
from pbem.site.view import ClubView, GameView, TitleView, title_facts, title_picture
from pbem.trust.times import local_text, parse_utc

if TYPE_CHECKING:
    from pbem.ratings.club_ratings import ClubRating


ATOM = "http://www.w3.org/2005/Atom"
SITEMAP = "http://www.sitemaps.org/schemas/sitemap/0.9"
MAX_NEWS = 50
"""Maximum number of items in the feed of a club's news."""
LATEST = 10
"""Number of finished games that the front page of a club's site shows."""


@dataclass(frozen=True)
class Shown:
    """A club's public view, with the texts that the pages of its site show about it."""

    club: ClubView

    @cached_property
    def about(self) -> list[str]:
        """The paragraphs that stand first on the front page of the club's site."""
        return _paragraphs(self.club.settings.about)

    @cached_property
    def rules(self) -> list[str]:
        """The rules of the house, as paragraphs."""
        return _paragraphs(self.club.settings.rules)

    @cached_property
    def summary(self) -> str:
        """The line that a chat shows below a link to the club's site."""
        return self.about[0] if self.about else "Games by mail, with dice that nobody can choose"

    @cached_property
    def latest(self) -> tuple[GameView, ...]:
        """The games that ended last, as many as the front page of the site shows."""
        return self.club.finished[:LATEST]

    @cached_property
    def players(self) -> tuple[PlayerView, ...]:
        """The players of the games that the site shows."""
        return list_players((*self.club.running, *self.club.finished), self.club.ratings)

    def time(self, moment: str) -> str:
        """Return a time, given as text in UTC, in the form in which people read it."""
        return local_text(parse_utc(moment), "")

    def day(self, moment: str) -> str:
        """Return the day of a time written as text; "" if the text has no day."""
        return moment.partition("T")[0] if "T" in moment else ""

    def name_of_game(self, rules: str) -> str:
        """Return the title of a game, from the name of its rules."""
        return title_of(rules) or rules

    def who(self, game: GameView) -> str:
        """Return the sides of a game in words, each with its player if the players wish to be named."""
        if not game.players:
            return ", ".join(game.facts.sides)
        return ", ".join(f"{side}: {player}" for side, player in game.players)

    def files(self, game: GameView) -> str:
        """Return in words how many files a game's open exchange has (never whose), or why the game waits."""
        if game.held:
            return game.held
        if not game.awaited:
            return "it is shown some exchanges later"
        return f"{game.files} of {game.awaited} files are in" if game.facts.open else "waits for the judge"

    def call(self, game: GameView) -> Offer | None:
        """Return the call for a substitute in a game; None if there is none."""
        return next((offer for offer, one in self.club.calls if one == game), None)

    def seat_filter(self, offers: Offers, calls: Calls) -> SeatFilter:
        """Return the fields by which open seats can be picked."""
        return seat_filter(offers, calls)

    def period(self, game: GameView) -> str:
        """Return the days on which a game began and ended, as text."""
        days = [self.day(game.facts.began), self.day(game.facts.ended)]
        return " to ".join(day for day in days if day)


SEAT_FIELDS = ("Rules", "Rhythm", "There already")
Offers = tuple[tuple[Offer, str, str], ...]
Calls = tuple[tuple[Offer, GameView], ...]


@dataclass(frozen=True)
class SeatFilter:
    """The fields by which a reader picks among open seats, as a page without a script draws them."""

    fields: tuple[tuple[str, tuple[str, ...]], ...]
    """The name of each field that tells seats apart, with its values."""
    marks: Mapping[str, str]
    """The classes of each seat's row, by game; `seat-2-1` means the first value of the second field."""


def seat_filter(offers: Offers, calls: Calls) -> SeatFilter:
    """Return the fields by which these open seats can be picked."""
    rows = [(one, title, one.people) for one, title, _ in offers]
    for one, game in calls:
        others = tuple(name for side, name in game.players if side != one.side_name)
        rows.append((one, game.facts.title, others))
    told = {
        one.game: {
            "Rules": (title,),
            "Rhythm": (one.rhythm or one.clock,),
            "There already": tuple(name for name in people if _is_name(name)) or ("nobody who is named",),
        }
        for one, title, people in rows
    }
    fields = [
        (name, tuple(sorted({word for own in told.values() for word in own[name]}))) for name in SEAT_FIELDS
    ]
    fields = [(name, words) for name, words in fields if len(words) > 1]
    marks = {
        game: " ".join(
            ["seat"]
            + [
                f"seat-{number}-{words.index(word) + 1}"
                for number, (name, words) in enumerate(fields, 1)
                for word in own[name]
            ]
        )
        for game, own in told.items()
    }
    return SeatFilter(tuple(fields), marks)


def _is_name(words: str) -> bool:
    """Tell whether words about people at a table are one player's name, and not the number of others."""
    return not words.partition(" ")[0].isdecimal()


@dataclass(frozen=True)
class TitleGames:
    """The games of one title that the title's page shows."""

    offers: Offers
    calls: Calls
    running: tuple[GameView, ...]
    finished: tuple[GameView, ...]
    """The games that ended last, as many as the front page of the site shows."""


def _paragraphs(text: str) -> list[str]:
    return [joined for part in split_lines(text) if (joined := plain(part).strip(" "))]


def club_pages(view: ClubView) -> Iterator[tuple[str, bytes]]:
    """Yield the pages of the site about the club as a whole, each with its name."""
    shown = Shown(view)
    for name in ("index", "games", "players", "rules"):
        yield f"{name}.html", _page(shown, name)
    yield "feed.atom", feed(view)
    if view.settings.address:
        yield "sitemap.xml", sitemap(view)


def game_page(view: ClubView, game: GameView, report: str, *, story: bool) -> Iterator[tuple[str, bytes]]:
    """Yield the pages of the site about one game.

    `report` is the text of its last public report, or ""; `story` tells whether there is a story to link to.
    """
    name = game.facts.game
    yield f"games/{name}.html", _page(Shown(view), "game", game=game, report=bool(report), story=story)
    if report:
        from pbem.pages import report_page
        from pbem.pictures.base import png

        page = report_page(report)
        yield f"reports/{name}.html", page.html.encode()
        yield f"games/{name}.png", png(page.picture) if page.picture else b""


def title_page(view: ClubView, title: TitleView) -> Iterator[tuple[str, bytes]]:
    """Yield the page of the site about one title that can be played."""
    values = {"title": title, "facts": title_facts(title.name), "games": games_of(view, title)}
    yield f"titles/{title.name}.html", _page(Shown(view), "title", **values)


def title_map(title: TitleView) -> Iterator[tuple[str, bytes]]:
    """Yield the picture of a title's first position, which is the same for each club."""
    from pbem.pictures.base import png

    picture = title_picture(title.name)
    yield f"titles/{title.name}.png", png(picture) if picture else b""


def games_of(view: ClubView, title: TitleView) -> TitleGames:
    """Return the offers, running games and last results of a title."""
    finished = [game for game in view.finished if game.facts.rules == title.name]
    return TitleGames(
        offers=tuple(one for one in view.offers if one[0].rules == title.name),
        calls=tuple(one for one in view.calls if one[0].rules == title.name),
        running=tuple(game for game in view.running if game.facts.rules == title.name),
        finished=tuple(finished[:LATEST]),
    )


def _page(shown: Shown, kind: str, **values: object) -> bytes:
    up = "../" if kind in ("game", "title") else ""
    return render(f"site/{kind}.html.j2", shown=shown, club=shown.club, up=up, **values).encode()


def feed(view: ClubView) -> bytes:
    """Return the feed of the club's news, the latest first; each item keeps its id."""
    own = uuid5(NAMESPACE_URL, view.judge)
    root = ET.Element("feed", xmlns=ATOM)
    news = sorted(_news(view), reverse=True)[:MAX_NEWS]
    _text(root, id=own.urn, title=view.settings.name, updated=view.updated or "1970-01-01T00:00:00Z")
    _text(ET.SubElement(root, "author"), name=view.settings.name)
    ET.SubElement(root, "link", href=f"{view.settings.address}index.html")
    for at, key, title, text, href in news:
        entry = ET.SubElement(root, "entry")
        _text(entry, id=uuid5(own, key).urn, title=title, updated=at, summary=text)
        ET.SubElement(entry, "link", href=f"{view.settings.address}{href}")
    return _xml(root)


def _news(view: ClubView) -> Iterator[tuple[str, str, str, str, str]]:
    """Yield the time, key, title, text and page of each item in the feed of news."""
    for game in (*view.running, *view.finished):
        facts, href = game.facts, f"games/{game.facts.game}.html"
        if game.players and facts.began:
            yield facts.began, f"begun {facts.genesis}", f"{facts.game} has begun", facts.title, href
        if game.is_over and "T" in facts.ended:
            yield (
                facts.ended,
                f"over {facts.genesis}",
                f"{facts.game} is over",
                facts.outcome or facts.title,
                href,
            )
    for offer, title, _ in view.offers:
        told = f"{offer.seats} {'seat is' if offer.seats == 1 else 'seats are'} free"
        yield offer.since, f"offer {offer.game} {offer.since}", f"{offer.game}: {told}", title, "index.html"
    for offer, game in view.calls:
        told, href = f"{offer.game}: {offer.side_name} looks for a player", f"games/{offer.game}.html"
        yield offer.since, f"call {game.facts.genesis} {offer.since}", told, game.facts.title, href


def sitemap(view: ClubView) -> bytes:
    """Return the sitemap, which lists the addresses of all pages of the site."""
    root = ET.Element("urlset", xmlns=SITEMAP)
    names = ["index.html", "games.html", "players.html", "rules.html"]
    names += [f"games/{game.facts.game}.html" for game in (*view.running, *view.finished)]
    names += [f"titles/{title.name}.html" for title in view.titles]
    names += [f"leagues/{name}/index.html" for name, _, _ in view.leagues]
    for name in names:
        _text(ET.SubElement(root, "url"), loc=f"{view.settings.address}{name}")
    return _xml(root)


def _text(parent: ET.Element, **values: str) -> None:
    """Add an XML element with a text for each value; characters that XML cannot hold become blanks."""
    for tag, value in values.items():
        ET.SubElement(parent, tag).text = plain(value)


def _xml(root: ET.Element) -> bytes:
    ET.indent(root, " ")
    data: bytes = ET.tostring(root, encoding="utf-8", xml_declaration=True)
    return data + b"\n"


WON, DRAWN, LOST = "won", "drawn", "lost"


@dataclass(slots=True)
class Score:
    """The results of one player on one side of a title."""

    results: dict[str, int] = field(default_factory=lambda: dict.fromkeys((WON, DRAWN, LOST), 0))

    @property
    def played(self) -> int:
        """The number of games that have ended."""
        return sum(self.results.values())


@dataclass(slots=True)
class PlayerView:
    """A player as the site lists them, by games whose players all wish to be shown."""

    name: str
    scores: dict[tuple[str, str, str], Score] = field(default_factory=dict)
    """The player's scores by title, name of its rules, and side."""
    running: list[str] = field(default_factory=list)
    """The names of the games that the player plays now."""
    opponents: list[str] = field(default_factory=list)
    ratings: Sequence[ClubRating] = ()
    """The player's ratings by title, over all leagues and rated games of the club."""


def list_players(
    games: Sequence[GameView], ratings: Mapping[str, Sequence[ClubRating]]
) -> tuple[PlayerView, ...]:
    """Return the players of shown games by name, each with the ratings under this name."""
    found: dict[str, PlayerView] = {}
    for game in games:
        names = {name for _, name in game.players}
        for (side, name), result in zip(game.players, _results(game), strict=False):
            player = found.setdefault(name, PlayerView(name, ratings=ratings.get(name, ())))
            player.opponents = sorted(names.union(player.opponents) - {name})
            if not game.is_over:
                player.running.append(game.facts.game)
            else:
                key = game.facts.title, game.facts.rules, side
                player.scores.setdefault(key, Score()).results[result] += 1
    for player in found.values():
        player.scores = dict(sorted(player.scores.items()))
    return tuple(found[name] for name in sorted(found))


def _results(game: GameView) -> Iterator[str]:
    """Yield the result of each side in a game, in order; in a running game they mean nothing.

    A game is drawn if all sides share the first place. Whoever shares it with some of them has won.
    """
    places = game.facts.places or (1,) * len(game.players)
    for place in places:
        yield DRAWN if max(places) == 1 else WON if place == 1 else LOST
