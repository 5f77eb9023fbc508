"""The titles of games. One object describes a game: a `Title`, named in the entry-point group "pbem.titles".

    [project.entry-points."pbem.titles"]
    whist = "whist.title:TITLE"

A title names its parts as entry points do, `package.module:NAME`, and each is imported when somebody first
asks for it: the judge's status needs rules and no bots, and nobody pays for a game that is not played.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property, lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from pbem.rules import GROUP, Rules, Ruling, UnknownRules, names, parse_rulings

if TYPE_CHECKING:
    import random

    from pbem.bots import Bot
    from pbem.forecast import Forecaster
    from pbem.forecast.replay import Worlds
    from pbem.odds import OddsMaker
    from pbem.orders.base import Language
    from pbem.pictures.base import Painter
    from pbem.playback import Playback, Tracker
    from pbem.reports.plain import Style
    from pbem.reports.words import Words
    from pbem.rules.base import View

__all__ = ["Title", "UnknownRules", "default_name", "load", "names"]

Counter = Callable[["View"], Mapping[str, int]]
"""Function that counts something for leagues in a public view, such as the nobles held.

It returns a number for each side, of which more is better, or nothing while there is nothing to count yet.
"""

Twin = Callable[["View", str, "random.Random"], "View"]
"""Function of a position, a viewer and dice that returns another position that looks the same to that
viewer."""


class Bidding(Protocol):
    """The way in which players bid for the sides of a game."""

    @property
    def words(self) -> tuple[str, ...]:
        """The words that a player may write as a bid."""

    def decide(
        self, players: tuple[str, str], bids: Mapping[str, str], die: Callable[[int, str], int], label: str
    ) -> tuple[dict[str, str], tuple[tuple[str, str], ...]]:
        """Return the side of each player, and the options of the game that follow from the players' bids.

        The die called `label` decides ties.
        """


RULINGS = "RULINGS.md"
TEMPLATES = "templates"


class Title:
    """A game, with everything that it brings.

    `files`: the packages in which its rules, order language and report words lie, with their facts, its
    RULINGS.md and its folder `templates`. What lies in them is what a game is pinned to, so a part that
    adjudicates or reports and lies elsewhere is refused. `imagine`: view -> a position that looks like it to
    its viewer, for the forecast of a game that has none of its own. `worlds`: draws such positions, to try
    something out. `tracker`: follows enemy blocks that a reader has marked. `excerpt`: the options of a game
    so long that a demonstration shows its first year alone. `default`: it is what is meant where no game is
    named. `twin`: makes worlds that a viewer cannot tell apart, and `variants` are the options of the games
    that are played, for `pbem.testing`. `resumes`: a game that is begun from its position at a public stop
    goes on as it would have, to its end; then a judge need not play it from its beginning.
    """

    def __init__(
        self,
        name: str,
        *,
        files: tuple[str, ...],
        rules: str,
        orders: str,
        words: str,
        bots: str = "",
        odds: str = "",
        forecast: str = "",
        imagine: str = "",
        worlds: str = "",
        pictures: str = "",
        playback: str = "",
        tracker: str = "",
        excerpt: Mapping[str, str] | None = None,
        default: bool = False,
        counts: str = "",
        bids: str = "",
        twin: str = "",
        resumes: bool = False,
        variants: tuple[Mapping[str, Any], ...] = ({},),
    ) -> None:
        self.name = name
        self.variants = variants
        self.excerpt = excerpt
        self.default = default
        self.resumes = resumes
        self.files = files
        self._bots, self._odds, self._pictures, self._playback = bots, odds, pictures, playback
        self._forecast, self._imagine, self._worlds = forecast, imagine, worlds
        self._counts, self._bids, self._twin, self._tracker = counts, bids, twin, tracker
        self._rules, self._orders, self._words = rules, orders, words
        for place in (rules, orders, words):
            module = place.partition(":")[0]
            if not any(f"{module}.".startswith(f"{package}.") for package in files):
                raise ValueError(
                    f"{module} of the title {name} lies in none of its files: {', '.join(files)}"
                )

    def __repr__(self) -> str:
        return f"<the title {self.name}>"

    @cached_property
    def rules(self) -> Rules:
        """The game's rules."""
        rules: Rules = _part(self._rules)
        return rules

    @cached_property
    def language(self) -> Language:
        """The game's order language."""
        language: Language = _part(self._orders)
        return language

    @cached_property
    def words(self) -> Words:
        """The words of the game's reports: names of sides, questions, moments, the story."""
        words: Words = _part(self._words)
        return words

    @cached_property
    def style(self) -> Style:
        """The style in which the game's reports are written as plain text."""
        from pbem.reports.plain import Style

        return Style(self.words, self.template_folders)

    @cached_property
    def bots(self) -> Mapping[str, Callable[[str], Bot]]:
        """The makers of the game's bots for a side, by name, the best bot first; one answers at random."""
        from pbem.bots import RandomAnswers

        own: Mapping[str, Callable[[str], Bot]] = _part(self._bots) if self._bots else {}
        return {**own, "random": own.get("random", RandomAnswers)}

    @cached_property
    def odds(self) -> OddsMaker | None:
        """The means to compute exact odds of the game's fights; None if it has none."""
        odds: OddsMaker | None = _part(self._odds) if self._odds else None
        return odds

    @property
    def has_forecast(self) -> bool:
        """Whether the game can forecast what orders will do. Nothing is imported for the answer."""
        return bool(self._forecast or self._imagine)

    @cached_property
    def forecast(self) -> Forecaster | None:
        """The forecaster of what orders will do as far as their writer sees; None if the game has none."""
        if self._forecast:
            forecast: Forecaster = _part(self._forecast)
            return forecast
        if self.imagine is None:
            return None
        from pbem.forecast.replay import Replay

        words, imagine = self.words, self.imagine
        return Replay(self.rules, self.language, words.questions, imagine, words.chance, words.assumed)

    @cached_property
    def imagine(self) -> Callable[[View], View] | None:
        """The function that returns a position that looks like a view to its viewer.

        It is None if the title has none.
        """
        imagine: Callable[[View], View] | None = _part(self._imagine) if self._imagine else None
        return imagine

    @cached_property
    def worlds(self) -> Worlds | None:
        """The maker of the worlds that a view leaves possible; None if the title cannot imagine any."""
        if self._worlds:
            worlds: Worlds = _part(self._worlds)
            return worlds
        if self.imagine is None:
            return None
        from pbem.forecast.replay import PlainWorlds

        return PlainWorlds(self.imagine)

    @cached_property
    def twin(self) -> Twin | None:
        """The function that makes another position that looks the same to a viewer.

        It is None if nothing in the game is hidden.
        """
        twin: Twin | None = _part(self._twin) if self._twin else None
        return twin

    @cached_property
    def counts(self) -> Mapping[str, Counter]:
        """The numbers that leagues may count of a game, by name."""
        counts: Mapping[str, Counter] = _part(self._counts) if self._counts else {}
        return counts

    @cached_property
    def bids(self) -> Bidding | None:
        """The way in which players bid for the game's sides in tournaments; None if they do not."""
        bids: Bidding | None = _part(self._bids) if self._bids else None
        return bids

    @cached_property
    def pictures(self) -> Painter | None:
        """The painter that draws a position; None if the game cannot be drawn."""
        painter: Painter | None = _part(self._pictures) if self._pictures else None
        return painter

    @cached_property
    def playback(self) -> Playback:
        """The playback of the game's reports step by step: its own, or one with a sentence a step."""
        from pbem.playback import PlainPlayback

        own: Playback | None = _part(self._playback) if self._playback else None
        return own or PlainPlayback(self.words)

    @cached_property
    def tracker(self) -> Tracker | None:
        """The game's way to follow enemy blocks that a reader has marked; None if it has none."""
        tracker: Tracker | None = _part(self._tracker) if self._tracker else None
        return tracker

    @cached_property
    def folders(self) -> tuple[Path, ...]:
        """The folders in which the title's packages lie. Nothing of them is imported.

        Raises:
            ValueError: one is no package that is installed here.
        """
        return tuple(map(_folder, self.files))

    @property
    def template_folders(self) -> tuple[Path, ...]:
        """The folders in which the game's own templates lie."""
        return tuple(path for folder in self.folders if (path := folder / TEMPLATES).is_dir())

    @cached_property
    def rulings(self) -> tuple[Ruling, ...]:
        """The rulings on doubtful points of the game's rules."""
        papers = (folder / RULINGS for folder in self.folders)
        texts = (path.read_text(encoding="utf-8") for path in papers if path.is_file())
        return tuple(ruling for text in texts for ruling in parse_rulings(text))


@lru_cache(maxsize=32)  # looking through all installed packages takes milliseconds
def load(name: str) -> Title:
    """Return the title called `name`.

    Raises:
        UnknownRules: no installed package offers it.
    """
    if title := _of_ours(name):
        return title
    from importlib.metadata import entry_points

    for found in entry_points(group=GROUP, name=name):
        offered: Title = found.load()
        return offered
    raise UnknownRules(name, names())


def _of_ours(name: str) -> Title | None:
    """Return the title of this name if its package is a folder of `pbem.titles`, or None.

    It is tried first, since a look through all installed packages is slow.
    """
    from importlib import import_module

    folder = name.replace("-", "_")
    if folder not in {path.name for path in Path(__file__).parent.iterdir()} - {Path(__file__).name}:
        return None
    title = getattr(import_module(f"{__name__}.{folder}"), "TITLE", None)
    return title if isinstance(title, Title) and title.name == name else None


def default_name() -> str:
    """Return the name of the game that is meant where none is named: a title that says so, or the first."""
    return next((name for name in names() if _is_default(name)), next(iter(names()), ""))


def _is_default(name: str) -> bool:
    try:
        return load(name).default
    except Exception:  # noqa: BLE001 - what is wrong with a title is told to whoever names it
        return False


def _part(place: str) -> Any:
    """Return the object at a place `package.module:NAME`."""
    from importlib import import_module

    module, _, attribute = place.partition(":")
    return getattr(import_module(module), attribute)


def _folder(package: str) -> Path:
    found = find_spec(package)
    if found is None or not found.submodule_search_locations:
        raise ValueError(f"{package} is not a package that is installed here")
    return Path(next(iter(found.submodule_search_locations)))
