"""The options that a game of Hammer is played by: scenario, edition and house rules on which clubs differ.

All of it is one frozen object. The switches, their values and the editions' defaults stand in
editions.toml; a rule asks `options.herald_order == "roll_then_name"`, never which edition it is.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from pbem.rules import table
from pbem.rules.base import UnknownOption
from pbem.rules.hammer.facts import SCENARIOS
from pbem.rules.switches import read_switch

_DATA: dict[str, Any] = table(__package__, "editions.toml")
SWITCHES: dict[str, tuple[Any, ...]] = {name: tuple(values) for name, values in _DATA["switch"].items()}
EDITIONS: tuple[str, ...] = tuple(_DATA["edition"])


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """The options of one game of Hammer; see editions.toml for each switch's ruling."""

    scenario: str
    edition: str
    last_year: int | None
    moves: tuple[tuple[str, int], ...]  # blocks whose Move Rating the edition changes

    herald_order: str
    main_attack_way: str
    unpinned_borders: str
    french_join: str
    scots_disband: str
    pillage_attacker: str
    control_change: str
    dead_round_turns: bool
    mandatory_retreat_order: str
    truce_bars_sea_to_england: bool
    spend_rp: str
    win_after_winter: bool
    final_winter: bool
    border_control: str
    border_crossing: str
    schiltrom_reserve_archers: str
    celtic_timing: str
    inland_draw: str
    truce_raid_loss: bool
    england_one_group: bool
    schiltroms: bool
    bid: str

    @property
    def years_without_edward(self) -> int:
        """The number of first years in which Edward cannot be drawn, by the bids E1 to E3."""
        return int(self.bid[1]) if self.bid.startswith("E") else 0

    @property
    def extra_levy(self) -> int:
        """The number of blocks added to the first levy, by the bids S1 to S3."""
        return int(self.bid[1]) if self.bid.startswith("S") else 0

    def as_dict(self) -> dict[str, Any]:
        """Return every option by name, such that `read_options` gives the same object again."""
        return {name: getattr(self, name) for name in _NAMES}


_NAMES = tuple(field.name for field in fields(Options) if field.name != "moves")


def _last_year(value: Any, scenario: str) -> int | None:
    """Return the year after whose winter nobles are counted; in a Campaign a league chooses it (R112)."""
    printed = SCENARIOS[scenario].last_year
    if value in (None, "", "none"):
        return printed
    first = SCENARIOS[scenario].first_year
    try:
        year = int(value)
    except (TypeError, ValueError):
        year = 0
    if not first <= year <= first + 200:
        raise UnknownOption(f"option last_year must be a year from {first} on, not {value!r}")
    if printed is not None and year != printed:
        raise UnknownOption(f"option last_year belongs to the campaign; {scenario} ends in {printed}")
    return year


def read_options(given: Mapping[str, Any]) -> Options:
    """Return the checked options of a game; those not given are the edition's.

    Raises:
        UnknownOption: a name or value that does not exist; the message lists those that do.
    """
    known = {"scenario", "edition", "last_year", *SWITCHES}
    if unknown := sorted(set(given) - known):
        raise UnknownOption(f"no option called {unknown[0]!r}; there are {', '.join(sorted(known))}")
    scenario = read_switch("scenario", given.get("scenario", "braveheart"), tuple(SCENARIOS))
    edition = read_switch("edition", str(given.get("edition", EDITIONS[0])), EDITIONS)
    defaults = _DATA["edition"][edition]
    switches = {
        name: read_switch(name, given.get(name, defaults.get(name, values[0])), values)
        for name, values in SWITCHES.items()
    }
    return Options(
        scenario=scenario,
        edition=edition,
        last_year=_last_year(given.get("last_year"), scenario),
        moves=tuple(sorted(defaults.get("move", {}).items())),
        **switches,
    )
