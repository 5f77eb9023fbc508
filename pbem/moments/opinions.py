"""A bot's opinion of orders: what the bot would have written by the same view, and the forecast for that.

The bot sees what the writer's own reports showed, and nothing else. Only the best bot of a title is asked,
and only where its orders differ from those that were written. It is an opinion: how strong the bot is stands
beside it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pbem.forecast import forecast_of
from pbem.moments.tracks import Track
from pbem.orders.base import Language
from pbem.play.setting import Setting
from pbem.rules.base import read_head

MAX_FORECASTS = 40
"""Maximum number of forecasts in one game's file; each takes as long as writing many exchanges."""
NOT_MEASURED = "how strong it is has not been measured"


@dataclass(frozen=True, slots=True, kw_only=True)
class Opinion:
    """The orders that a bot would have given in place of the player's, by the same view."""

    bot: str
    strength: str
    """The bot's measured strength, in words."""
    lines: tuple[str, ...]
    """All lines of the bot's orders."""
    otherwise: tuple[int, ...]
    """The numbers, from 1, of those of the bot's lines that the player did not write."""
    forecast: tuple[str, ...]
    """The forecast for the bot's orders; empty if the title makes none, or beyond `MAX_FORECASTS`."""


class Opinions:
    """The maker of a bot's opinions of the tracks of one game, track after track."""

    def __init__(self, setting: Setting) -> None:
        self._title = setting.title
        self._sides = setting.sides
        self._left = MAX_FORECASTS

    def of(self, track: Track) -> Mapping[int, Opinion]:
        """Return the opinions of a side's orders, by exchange; nothing for other tracks."""
        if track.reader not in self._sides:
            return {}
        name = next(iter(self._title.bots))
        bot, language = self._title.bots[name](track.reader), self._title.language
        from pbem.bots import MeasuredBot  # the page has no bots before somebody practises

        strength = bot.strength if isinstance(bot, MeasuredBot) else NOT_MEASURED
        follower = language.follower(track.reader)
        found: dict[int, Opinion] = {}
        for before, chapter in zip(track.chapters, track.chapters[1:], strict=False):
            view = before.moments[-1].step.view
            for written in chapter.orders:
                if read_head(view).outcome is not None:
                    continue
                orders = bot.write(view)
                otherwise = _otherwise(language, track.reader, orders, written.text)
                if orders and otherwise:
                    parsed = language.parse(orders, track.reader).orders
                    forecast: tuple[str, ...] = ()
                    if self._left and self._title.has_forecast:
                        self._left -= 1
                        forecast = forecast_of(self._title.forecast, parsed, view, follower)
                    found[chapter.exchange] = Opinion(
                        bot=name,
                        strength=strength,
                        lines=tuple(orders.splitlines()),
                        otherwise=otherwise,
                        forecast=forecast,
                    )
                follower.receive(language.parse(written.text, track.reader).orders, view)
        return found


def _otherwise(language: Language, side: str, orders: str, written: str) -> tuple[int, ...]:
    """Return the numbers of lines of orders that a player did not write, however the player spelled them."""
    canonical = language.write(language.parse(written, side).orders)
    known = {_plain(line) for text in (written, canonical) for line in text.splitlines()}
    return tuple(number for number, line in enumerate(orders.splitlines(), 1) if _plain(line) not in known)


def _plain(line: str) -> str:
    return " ".join(line.split()).lower()
