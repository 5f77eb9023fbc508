"""Writes the files of a club's site; what has not changed is not made again.

What was written is noted in the folder itself (`.pbem-site`), a line for each file: what it was made of. A
file that is no longer due, as when a player takes back the wish that their games are shown, is removed; what
the program has not written is left alone. Each file is written whole or not at all.

The story of a game is a page with the viewer, made from public reports alone. It takes a tenth of a second to
some seconds, so one pass makes a bounded number of stories, and those after it make the others: running games
first, then the games that ended last. Until its turn comes, a story stays as it is; but it is removed at once
if the club now lets the public wait for longer than when it was made.
"""

from __future__ import annotations

import contextlib
import gzip
import hashlib
import tarfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from pbem import __version__
from pbem.characters import lower
from pbem.errors import ConfigError, LedgerError
from pbem.judge.club import Club
from pbem.judge.letters.letters_out import PUBLIC
from pbem.judge.shown_games import public_book
from pbem.site.pages import club_pages, game_page, games_of, title_map, title_page
from pbem.site.view import ClubView, GameView, SiteSettings, club_view, site_settings

LIST = ".pbem-site"
"""Name of the file that lists the files written into the site's folder."""
_FIRST = "pbem site 1"
MAX_EXCHANGES = 100
"""Number of exchanges for whose stories one pass has time; the last story that it makes may exceed the
number."""


class Written(NamedTuple):
    """The result of writing a club's site."""

    files: int
    """Number of files of the site in all."""
    changed: int
    """Number of files that were written or removed."""
    waiting: int
    """Number of games whose story is left for the next writing of the site."""

    @property
    def text(self) -> str:
        """The result of writing the site in words, to which the folder's name is added."""
        follow = f" ({self.waiting} stories of games follow in later passes)" if self.waiting else ""
        return f"{self.changed} of {self.files} files are written{follow}"


class _Group(NamedTuple):
    """A group of the site's files that are made together, with a key that shows when to make them again."""

    key: str
    """The text that changes whenever the content of the group's files changes."""
    names: tuple[str, ...]


def write_site(club: Club, folder: Path, settings: SiteSettings, most: int | None = MAX_EXCHANGES) -> Written:
    """Write a club's site into a folder; `most` bounds the exchanges of new stories (None: no bound).

    Raises:
        ConfigError: the folder holds files of somebody else, or cannot be written.
    """
    try:
        return _write_all(club, folder, settings, most)
    except (OSError, ValueError) as problem:
        why = lower(getattr(problem, "strerror", None) or str(problem))
        raise ConfigError(f"the club's site cannot be written to {folder}: {why}") from None


def publish_site(club: Club) -> str:
    """Write the club's site if club.toml names its folder; return a line about it, or "" if none is due."""
    settings = site_settings(club.settings, club.path)
    if settings is None or settings.folder is None:
        return ""
    written = write_site(club, settings.folder, settings)
    if not written.changed:
        return ""
    return f"the club's site: {written.text} to {settings.folder}"


def _write_all(club: Club, folder: Path, settings: SiteSettings, most: int | None) -> Written:
    before = _read_list(folder)
    folder.mkdir(parents=True, exist_ok=True)
    view = club_view(club, settings)
    known = {name: key for name, key in before.items() if (folder / name).is_file()}
    plan = plan_stories(view, club.public_delay, known, most)
    due = dict.fromkeys(plan.due, "-") | before
    _note(folder, before, due)
    before, after, changed = due, dict(plan.kept), 0
    for name, (key, game) in plan.due.items():
        with contextlib.suppress(LedgerError):  # told by whoever brings the game on
            changed += _write(folder / name, write_story(club, game))
            after[name] = key
    groups = list(_groups(club, view, frozenset(after)))
    _note(folder, before, {name: "-" for group, _ in groups for name in group.names} | before)
    for group, files in groups:
        is_same = all(known.get(name) == group.key for name in group.names)
        after |= dict.fromkeys(group.names, group.key)
        if is_same:
            continue
        try:
            made = dict(files)
        except LedgerError:  # told by whoever brings the game on
            for name in group.names:
                del after[name]
            continue
        for name, data in made.items():
            changed += _write(folder / name, data)
    changed += _write_leagues(club, view, folder, known, after)
    for name in before.keys() - after.keys():
        (folder / name).unlink(missing_ok=True)
        changed += 1
    _note(folder, {}, after)
    return Written(len(after), changed, plan.waiting)


def _note(folder: Path, known: dict[str, str], due: dict[str, str]) -> None:
    """Write the list of the site's files before the files, so that no crash leaves unknown files."""
    if not due or due != known:
        lines = "".join(f"{due[name]} {name}\n" for name in sorted(due))
        _write(folder / LIST, f"{_FIRST}\n{lines}".encode())


def _write_leagues(
    club: Club, view: ClubView, folder: Path, known: dict[str, str], after: dict[str, str]
) -> int:
    """Write the pages of those leagues that have changed; return the number of files written."""
    from pbem.judge.leagues.book import load_league
    from pbem.leagues.pages import write
    from pbem.leagues.results_table import view as league_view

    count = 0
    for league, _, _ in view.leagues:
        name, key = f"leagues/{league}/index.html", _key(club.store.league_head(f"league.{league}"))
        if known.get(name) != key:
            (folder / "leagues").mkdir(exist_ok=True)
            (folder / "leagues").chmod(0o755)
            count += write(league_view(load_league(club, league).season), (folder / name).parent, public=True)
        after[name] = key
    return count


def _groups(
    club: Club, view: ClubView, stories: frozenset[str]
) -> Iterator[tuple[_Group, Iterable[tuple[str, bytes]]]]:
    """Yield the groups of the site's files that change together; files are made only when asked for."""
    whole = dict(club_pages(view))
    for name, data in whole.items():
        yield _Group(hashlib.sha256(data).hexdigest(), (name,)), {name: data}.items()
    for title in view.titles:
        key = _key(view.settings, view.page, title, games_of(view, title), view.picture)
        yield _Group(key, (f"titles/{title.name}.html",)), title_page(view, title)
        yield _Group(_key(title.name), (f"titles/{title.name}.png",)), title_map(title)
    for game in (*view.running, *view.finished):
        name, wished = game.facts.game, bool(game.players)
        report = game.facts.report if wished else ""
        names = [f"games/{name}.html"]
        names += [f"reports/{name}.html", f"games/{name}.png"] if report else []
        story = story_file(game) in stories
        key = _key(view.settings, game, story, [offer for offer, one in view.calls if one == game])
        yield _Group(key, tuple(names)), _game_files(club, view, game, report, story=story)
        if wished and game.is_over:
            bundle = (f"games/{name}.tar.gz",)
            yield _Group(_key(game.facts.genesis, game.facts.report), bundle), _bundle(club, name)


def _key(*values: object) -> str:
    return hashlib.sha256(repr((__version__, *values)).encode()).hexdigest()


def _game_files(
    club: Club, view: ClubView, game: GameView, report: str, *, story: bool
) -> Iterator[tuple[str, bytes]]:

    yield from game_page(view, game, club.store.report(report) if report else "", story=story)


def _bundle(club: Club, game: str) -> Iterator[tuple[str, bytes]]:
    """Yield a finished game's whole bundle as one file; the same game gives the same bytes.

    The archive is written block by block and packed at once, which takes half the time of `tarfile` with a
    stream that packs each of some hundred files.
    """
    from pbem.judge.export import ALL, Bundle

    parts = list[bytes]()
    for name, data in Bundle(club, club.book(game), ALL).files():
        member = tarfile.TarInfo(f"{game}/{name}")
        member.size = len(data)
        member.mode = 0o644
        parts += (member.tobuf(tarfile.USTAR_FORMAT), data, bytes(-len(data) % tarfile.BLOCKSIZE))
    end = bytes(2 * tarfile.BLOCKSIZE)
    yield f"games/{game}.tar.gz", gzip.compress(b"".join((*parts, end)), 6, mtime=0)


def _read_list(folder: Path) -> dict[str, str]:
    """Return, by file name, the key of what each file was made from when the site was last written.

    Raises:
        ConfigError: the folder holds files, but no list that shows them to be a site of this program.
    """
    path = folder / LIST
    if not path.is_file():
        if folder.is_dir() and any(folder.iterdir()):
            raise ConfigError(f"{folder} holds other files: name a new folder for the site, or an empty one")
        return {}
    first, *lines = path.read_text(encoding="utf-8").split("\n")
    if first != _FIRST:
        return {}
    pairs = (line.partition(" ")[::2] for line in lines if line)
    return {name: key for key, name in pairs if ".." not in name.split("/") and not name.startswith("/")}


def _write(path: Path, data: bytes) -> bool:
    """Write a file that everybody may read, as a whole or not at all; return whether it changed."""
    if path.is_file() and path.read_bytes() == data:
        return False
    path.parent.mkdir(parents=True, exist_ok=True)
    path.parent.chmod(0o755)
    beside = path.with_name(f".{path.name}.new")
    beside.write_bytes(data)
    beside.chmod(0o644)
    beside.replace(path)
    return True


@dataclass(frozen=True, slots=True)
class StoryPlan:
    """The plan of a pass: which stories are made, which stay as they are, and which must wait."""

    kept: Mapping[str, str]
    """The files of stories that stay as they are, each with a key for the data that it was made from."""
    due: Mapping[str, tuple[str, str]]
    """The files of stories that are made in this pass, each with its key and its game."""
    waiting: int
    """Number of stories that later passes make."""


def plan_stories(view: ClubView, delay: int, known: Mapping[str, str], most: int | None) -> StoryPlan:
    """Return the plan which stories a pass makes; `known` are the files made before, with their keys.

    `delay` is the number of exchanges for which the public waits; `most` bounds the exchanges that are told
    (None: all are).
    """
    kept, due, waiting, told = dict[str, str](), dict[str, tuple[str, str]](), 0, 0
    for game in _told_games(view):
        name = story_file(game)
        waits = 0 if game.is_over else delay
        key = f"{waits}-{hashlib.sha256(repr((__version__, game.facts)).encode()).hexdigest()}"
        before = known.get(name, "")
        if before == key:
            kept[name] = key
        elif most is None or told < most:
            told += game.facts.exchanges
            due[name] = key, game.facts.game
        else:
            waiting += 1
            if _wait_in(before) >= waits:
                kept[name] = before
    return StoryPlan(kept, due, waiting)


def _told_games(view: ClubView) -> Iterator[GameView]:
    for game in (*view.running, *view.finished):
        if game.players and game.facts.report:
            yield game


def story_file(game: GameView) -> str:
    """Return the name of the file with a game's story."""
    return f"stories/{game.facts.game}.html"


def _wait_in(key: str) -> int:
    """Return how many exchanges the public had to wait for when a story was made; -1 without a story."""
    number = key.partition("-")[0]
    return int(number) if number.isdecimal() else -1


def write_story(club: Club, game: str) -> bytes:
    """Return the page with the story of a game, as its reports told the public.

    Raises:
        LedgerError: a report was changed.
    """
    from pbem.judge.export import Bundle
    from pbem.moments.documents import write_page
    from pbem.moments.tracks import tell_reports
    from pbem.play.adjudicate import setting_of

    book = public_book(club, game)
    reports = {number: text for (number, _), text in Bundle(club, book, PUBLIC).reports().items()}
    return write_page(tell_reports(setting_of(book.history.corrected), book.history, PUBLIC, reports, {}))
