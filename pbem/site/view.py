"""The public view of a club: its titles, games, leagues and open seats, and nothing of anybody's orders.

From club.toml:

    [site]
    folder = "/srv/www/club"            # written there in each pass; left out, by `pbem site` alone
    name = "The Hearth"
    address = "https://club.example/"   # where it is found; needed for the picture and title in a chat
    about = "..."                       # what a visitor reads first
    rules = "house-rules.txt"           # a text file with the rules of the house

A running game is shown, and a finished one with its players, report and bundle, only if all who play in it
have signed so (`publish`, in the join file or the profile): both name them. Of any other finished game the
site says what was played, how it ended and how long it took, by sides.

What is told of a running game waits as `[public]` says, and is worked out once for each head of its ledger.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from functools import cache, lru_cache
from pathlib import Path
from statistics import median_low
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from pbem.errors import ConfigError, LedgerError
from pbem.guides import chosen_options, guide, guide_to, title_of
from pbem.judge.agenda import DECIDED, ON_HOLD, Agenda, read_agendas
from pbem.judge.club import Club
from pbem.judge.letters.addresses import WebPage, webpage_of
from pbem.judge.letters.letters_out import PUBLIC
from pbem.judge.shown_games import public_book
from pbem.rules import names
from pbem.site.seats import Offer, read_offers
from pbem.trust.act_entries import AGREE_DRAW, CLAIM, CONCEDE
from pbem.trust.entries import GAME_OPTION
from pbem.trust.player_statements import YES
from pbem.trust.times import parse_utc, utc_text

if TYPE_CHECKING:
    from pbem.judge.book import Book
    from pbem.pictures.base import Picture
    from pbem.play.history import History
    from pbem.ratings.club_ratings import ClubRating

_EXAMPLE = re.compile(r"^```\n(?:.*\n)+?```$|(?:^    .*\n)+", re.MULTILINE)
"""The pattern of an example in Markdown: lines in a fence, or indented lines."""


@dataclass(frozen=True, slots=True)
class TitleView:
    """A title that can be played, with the lengths of its games in this club."""

    name: str
    """The name of the title's rules."""
    title: str
    exchanges: tuple[int, ...]
    """The numbers of exchanges of the club's finished games of the title, the shortest first."""
    days: tuple[int, ...]
    """The numbers of days that these finished games took, from the first to the last day, where they are
    known."""

    @property
    def length(self) -> str:
        """The length of the title's games in this club, in words; "" if none has ended yet."""
        if not self.exchanges:
            return ""
        return ", ".join(filter(None, (_range(self.exchanges, "exchange"), _range(self.days, "day"))))


def _range(numbers: Sequence[int], unit: str) -> str:
    """Return in words the middle of sorted numbers, and their range if they differ; "" without numbers."""
    if not numbers:
        return ""
    middle = median_low(numbers)
    said = f"{middle} {unit}{'' if middle == 1 else 's'}"
    return said if numbers[0] == numbers[-1] else f"{said} ({numbers[0]} to {numbers[-1]})"


@dataclass(frozen=True, slots=True)
class TitleFacts:
    """The facts of a title that do not depend on the club."""

    players: str
    questions: int
    """Number of kinds of questions that the title's players answer."""
    rulings: int
    """Number of rulings on doubtful points of the title's rules."""
    orders: str
    """An order file as an example; "" if the program has no page on the title's orders."""
    guide: str
    """The name of the page on the title's orders; "" if there is none."""
    picture: str
    """The SVG text of the picture of the first position; "" if it cannot be drawn."""
    is_default: bool
    """Whether the guided first game for beginners is of this title."""


def title_views(finished: Sequence[tuple[str, int, int]]) -> Iterator[TitleView]:
    """Yield the titles that can be played, with the lengths of their finished games.

    `finished`: the rules of each game, its exchanges, and its days (0 if they are not known).
    """
    for name, title in _installed():
        games = [(exchanges, days) for rules, exchanges, days in finished if rules == name]
        yield TitleView(
            name=name,
            title=title,
            exchanges=tuple(sorted(exchanges for exchanges, _ in games)),
            days=tuple(sorted(days for _, days in games if days)),
        )


@cache
def _installed() -> tuple[tuple[str, str], ...]:
    """Return the names and titles of the games that can be played; leave out faulty ones."""
    found = []
    for name in names():
        try:
            found.append((name, title_of(name)))
        except Exception:  # noqa: BLE001, S112 - what is wrong is told to whoever names it
            continue
    return tuple(found)


def title_facts(name: str) -> TitleFacts:
    """Return the facts of a title, for which the title's module is imported."""
    from pbem.titles import default_name, load

    title, page = load(name), guide_to(name)
    counts = sorted({len(title.rules.sides(title.rules.checked(dict(one)))) for one in title.variants})
    example = _EXAMPLE.search(guide(page)) if page else None
    picture = title_picture(name)
    return TitleFacts(
        players=f"{counts[0]}" if len(counts) == 1 else f"{counts[0]} to {counts[-1]}",
        questions=len(title.words.questions),
        rulings=len(title.rulings),
        orders=_unindented(example[0]) if example else "",
        guide=page,
        picture=picture.words if picture else "",
        is_default=name == default_name(),
    )


def _unindented(text: str) -> str:
    """Return an example in Markdown without the fence or the indentation that marks it."""
    return re.sub(r"^(?:```|    )", "", text, flags=re.MULTILINE).strip("\n")


def title_picture(name: str) -> Picture | None:
    """Return the picture of a title's first position as everybody sees it; None if it cannot be drawn."""
    from pbem.practice.table import SeededChance
    from pbem.rules.base import EVERYBODY
    from pbem.titles import load

    title = load(name)
    if title.pictures is None:
        return None
    options = title.rules.checked(dict(title.variants[0]))
    return title.pictures.draw(title.rules.start(options, SeededChance(name)).view(EVERYBODY), ())


SITE = "site 2"
"""Name under which the site's facts of a game are stored; it changes whenever their format does."""
MAX_RULES_LENGTH = 64_000
"""Maximum number of bytes that are read from the file with the rules of the house."""
_SETTINGS = {"folder", "name", "address", "about", "rules"}


@dataclass(frozen=True, slots=True)
class SiteSettings:
    """The settings of a club's site."""

    folder: Path | None
    name: str
    address: str
    about: str
    rules: str
    """The text of the rules of the house."""


@dataclass(frozen=True, slots=True)
class GameFacts:
    """The facts of a game that its ledger and its last public report tell."""

    game: str
    rules: str
    """The name of the game's rules."""
    title: str
    options: tuple[str, ...]
    sides: tuple[str, ...]
    """The names of the game's sides, in the order of play."""
    exchanges: int
    """Number of exchanges of the game that have been resolved."""
    open: int
    """Number of the exchange that is open; 0 if none is open."""
    began: str
    ended: str
    """The time when the last exchange was closed; "" while the game goes on."""
    moment: str
    standing: str
    outcome: str
    report: str
    """The SHA-256 of the game's last public report; "" if there is none yet."""
    genesis: str
    """The head of the first entry in the game's ledger, by which its bundle is checked."""
    people: tuple[str, ...]
    """All people who ever had a seat in the game; reports and bundle are shown only if all of them wish
    it."""
    places: tuple[int, ...]
    """The places of the game's sides at its end, equal for those who share one; empty while the game is
    running."""

    @property
    def days(self) -> int:
        """The number of days that the game took, from the first to the last; 0 if it is not known."""
        if "T" not in self.began or "T" not in self.ended:
            return 0
        return (parse_utc(self.ended).date() - parse_utc(self.began).date()).days + 1


@dataclass(frozen=True, slots=True)
class GameView:
    """A game as the site shows it."""

    facts: GameFacts
    players: tuple[tuple[str, str], ...]
    """Pairs of a side and its player's name; empty if not all players wish to be shown."""
    league: str
    deadline: str
    files: int
    """Number of files that were received for the open exchange."""
    awaited: int
    """Number of files that the open exchange asks for; 0 where the public sees an exchange only later."""
    held: str
    """The reason why the game waits, in words that everybody may read; "" if it does not."""

    @property
    def is_over(self) -> bool:
        """Whether the game has ended by its own ledger."""
        return bool(self.facts.ended)


@dataclass(frozen=True, slots=True)
class ClubView:
    """A club as the site shows it."""

    settings: SiteSettings
    running: tuple[GameView, ...]
    finished: tuple[GameView, ...]
    offers: tuple[tuple[Offer, str, str], ...]
    """The offers of seats, each with the game's title and the link to join ("" if the club names no page for
    players).

    The people in these offers are words: the names of those who wish to be shown, and the number of others.
    """
    calls: tuple[tuple[Offer, GameView], ...]
    """The calls for substitutes in running games that are shown, each with its game."""
    leagues: tuple[tuple[str, str, str], ...]
    """The leagues, each with its name, what happens next, and the link to enter ("" if there is none)."""
    page: tuple[str, str]
    """The address and SHA-256 of the page for players; two empty texts if the club names none."""
    judge: str
    """The fingerprint of the judge's key."""
    updated: str
    """The time of the last event in the club; "" if there was none."""
    picture: str
    """The name of the game whose map the site uses as the club's picture; "" if no map is shown."""
    titles: tuple[TitleView, ...]
    """The titles that can be played."""
    ratings: Mapping[str, tuple[ClubRating, ...]] = field(default_factory=dict)
    """The ratings over all sides of each player whom a shown game names, by name, then by title."""


def site_settings(settings: Mapping[str, Any], club: Path) -> SiteSettings | None:
    """Return the settings of the club's site; None if club.toml has none.

    Raises:
        ConfigError: the settings are invalid.
    """
    if (found := settings.get("site")) is None:
        return None
    if not isinstance(found, Mapping):
        raise ConfigError("club.toml: site must be a table, [site]")
    if odd := set(found) - _SETTINGS:
        raise ConfigError(f"club.toml: [site] has no {min(odd)}; it has {', '.join(sorted(_SETTINGS))}")
    values = {name: found.get(name, "") for name in _SETTINGS}
    if wrong := [name for name in sorted(values) if not isinstance(values[name], str)]:
        raise ConfigError(f"club.toml, [site]: {wrong[0]} must be a text in quotes")
    if not values["name"]:
        raise ConfigError('club.toml: [site] needs a name, as in name = "The Hearth"')
    address = values["address"]
    if address and not (_is_web(address) and address.endswith("/")):
        raise ConfigError('club.toml, [site]: address must be as in "https://club.example/", with the last /')
    return SiteSettings(
        folder=club / values["folder"] if values["folder"] else None,
        name=values["name"],
        address=address,
        about=values["about"],
        rules=_read_rules(club / values["rules"]) if values["rules"] else "",
    )


def _is_web(address: str) -> bool:
    try:
        parts = urlsplit(address)
    except ValueError:
        return False
    plain = address.isascii() and address.isprintable() and " " not in address
    return plain and parts.scheme in ("http", "https") and bool(parts.hostname)


def _read_rules(path: Path) -> str:
    try:
        data = path.read_bytes()[: MAX_RULES_LENGTH + 1]
    except (OSError, ValueError) as problem:
        why = getattr(problem, "strerror", None) or str(problem)
        raise ConfigError(f"club.toml, [site]: the rules of the house cannot be read: {why}") from None
    if len(data) > MAX_RULES_LENGTH:
        raise ConfigError(
            f"club.toml, [site]: the rules of the house have more than {MAX_RULES_LENGTH:,} bytes"
        )
    return data.decode("utf-8", errors="replace")


def club_view(club: Club, settings: SiteSettings) -> ClubView:
    """Return the club as the public may see it now.

    Games whose ledger is not as it was written are left out, and so are those that a restored club has not
    confirmed: nothing of them could leave as a letter either.
    """
    from pbem.ratings.club_ratings import FACTS, facts_text

    agendas, heads = read_agendas(club), club.store.heads()
    kind = f"{SITE} {club.public_delay}"
    kept, fresh = club.store.derived(kind), dict[tuple[str, str], str]()
    wishes = {name: row.publish == YES for name, row in club.store.profiles().items()}
    running, finished = list[GameView](), list[GameView]()
    for game, agenda in sorted(agendas.items()):
        if agenda.trouble not in ("", ON_HOLD, DECIDED):
            continue
        head = heads[game][1]
        known, data = kept.get(game, ("", ""))
        try:
            if known != head:
                data = fresh[game, kind] = json.dumps(asdict(_facts(club, game)))
                if agenda.over:  # its ledger is at hand, and would be read once more for the ratings
                    fresh[game, FACTS] = facts_text(club.book(game))
        except LedgerError:
            continue
        facts = GameFacts(**{name: _plain(value) for name, value in json.loads(data).items()})
        game_view = _game_view(club, agenda, facts, all(wishes.get(name) for name in facts.people))
        if game_view.is_over:
            finished.append(game_view)
        elif game_view.players:
            running.append(game_view)
    if fresh:
        with club.store.step():
            for (game, name), data in fresh.items():
                club.store.put_derived(game, name, heads[game][1], data)
    finished.sort(key=lambda one: (one.facts.ended, one.facts.game), reverse=True)
    shown = [one.facts.game for one in (*running, *finished) if one.players and one.facts.report]
    offers, shown_games = read_offers(club), {one.facts.game: one for one in running}
    page, judge = webpage_of(club.settings), club.key.public.fingerprint
    return ClubView(
        settings=settings,
        running=tuple(running),
        finished=tuple(finished),
        offers=tuple(
            (
                replace(offer, people=_present(offer, wishes)),
                title_of(offer.rules),
                page.link_to_join(offer.game, judge, offer.rules) if page else "",
            )
            for offer in offers
            if not offer.side
        ),
        calls=tuple((one, shown_games[one.game]) for one in offers if one.side and one.game in shown_games),
        leagues=tuple(_leagues(club, page)),
        page=(page.address, page.sha256) if page else ("", ""),
        judge=judge,
        updated=max((one.facts.ended or one.facts.began for one in (*running, *finished)), default=""),
        picture=shown[0] if shown else "",
        titles=tuple(
            title_views([(one.facts.rules, one.facts.exchanges, one.facts.days) for one in finished])
        ),
        ratings=_ratings(club, {name for one in (*running, *finished) for _, name in one.players}),
    )


def _ratings(club: Club, listed: Collection[str]) -> Mapping[str, tuple[ClubRating, ...]]:
    """Return the ratings of listed players by name; those of all others stay out of the view."""
    if not listed:
        return {}
    from pbem.ratings.club_ratings import club_ratings

    over_all = [one for one in club_ratings(club) if not one.side]
    return {name: tuple(one for one in over_all if name in one.names) for name in sorted(listed)}


def _present(offer: Offer, wishes: Mapping[str, bool]) -> tuple[str, ...]:
    """Return words on the players who have joined: the names of those who wish it, the others' number."""
    named = tuple(name for name in offer.people if wishes.get(name))
    others = len(offer.people) - len(named)
    return (*named, f"{others} more" if named else f"{others}") if others else named


def _game_view(club: Club, agenda: Agenda, facts: GameFacts, wished: bool) -> GameView:
    people = tuple(zip(facts.sides, agenda.seated_people, strict=True)) if wished else ()
    league, waits = club.store.league_of(agenda.game), club.public_delay and not facts.ended
    return GameView(
        facts=facts,
        players=people,
        league=league.removeprefix("league.") if league else "",
        deadline=agenda.deadline if agenda.exchange and not waits else "",
        files=len(agenda.players) - len(agenda.waiting),
        awaited=0 if waits else len(agenda.players),
        held={ON_HOLD: "the judge has put it on hold", DECIDED: "its league has decided it"}.get(
            agenda.trouble, ""
        ),
    )


def _facts(club: Club, game: str) -> GameFacts:
    """Return the site's facts of a game, from its ledger and its last public report.

    Raises:
        LedgerError: ledger or report were changed.
    """
    from pbem.play.adjudicate import setting_of
    from pbem.reports.packing import unpack_view

    whole, book = club.book(game), public_book(club, game)
    history = book.history
    words = setting_of(history.corrected).style.words
    people = {player.name for player in history.genesis.players}
    people.update(entry.person for entry in whole.history.seats.rotations if entry.person)
    options = dict(history.genesis.options)
    rules = options.pop(GAME_OPTION, "")
    resolved = history.resolved
    digest = (
        next((one.sha256 for one in resolved[-1].reported if one.audience == PUBLIC), "") if resolved else ""
    )
    view = unpack_view(club.store.report(digest)) if digest else None
    closed = [one.closed.at for one in history.standing if one.closed is not None and one.closed.at]
    received = [one.at for exchange in history.exchanges for one in exchange.received if one.at is not None]
    return GameFacts(
        game=game,
        rules=rules,
        title=title_of(rules) or rules,
        options=_options_in_words(rules, tuple(options.items())),
        sides=tuple(words.sides[player.side] for player in history.genesis.players),
        exchanges=len(resolved),
        open=history.current.number if history.current else 0,
        began=_day(received[:1]),
        ended=_day(closed[-1:]) or _day(received[-1:]) or "-" if history.over else "",
        moment=words.moment(view) if view else "",
        standing=words.standing(view) if view else "",
        outcome=_ending(history, words.sides) or (words.outcome(view) if view else ""),
        report=digest,
        genesis=book.head_at(1) or "",
        people=tuple(sorted(people)),
        places=_places(book) if history.over else (),
    )


@lru_cache(maxsize=256)
def _options_in_words(rules: str, options: tuple[tuple[str, str], ...]) -> tuple[str, ...]:
    """Return the options chosen for a game, in words; cached, as games of a club are often alike."""
    return tuple(f"{name} {value}" for name, value in chosen_options(rules, dict(options)).items())


def _places(book: Book) -> tuple[int, ...]:
    """Return the places of a finished game's sides, in the order of the sides."""
    from pbem.play.adjudicate import game_places

    players = book.history.genesis.players
    placed = dict(game_places(book.entries[-1], {player.side: player.name for player in players}))
    return tuple(placed[player.name] for player in players)


def _ending(history: History, sides: Mapping[str, str]) -> str:
    """Return the act by which a game ended, naming sides in place of players; "" if its rules ended it."""
    if (act := history.ended_by) is None:
        return ""
    side = next((sides[player.side] for player in history.genesis.players if player.name == act.of), "")
    said = {
        CONCEDE: f"{side} has conceded",
        CLAIM: f"{side} sent nothing any more",
        AGREE_DRAW: "A draw, as all have agreed",
    }
    return said.get(act.what, "")


def _day(moments: list[datetime]) -> str:
    return utc_text(moments[0]) if moments else ""


def _leagues(club: Club, page: WebPage | None) -> Iterator[tuple[str, str, str]]:
    from pbem.judge.leagues.display import Leagues
    from pbem.leagues.news import describe_next_event
    from pbem.leagues.statement_rules import why_closed

    found, judge = Leagues(club), club.key.public.fingerprint
    for name in found.names():
        season = found.season(name)
        is_open = not season.is_over and not why_closed(season)
        link = ""
        if page is not None and is_open:
            link = page.link_to_enter(name, season.genesis_head, judge, season.file.rules)
        yield name, describe_next_event(season), link


def _plain(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value
