"""Receiver of files from the judge, which opens them and hands each part to the module that takes it in."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING

from pbem.errors import PbemError
from pbem.player.faults import Damaged, NotOurs
from pbem.player.files import lock_folder
from pbem.player.incoming.letters_in import Arrival, take_letter
from pbem.player.incoming.mail_parts import (
    ANSWER,
    ORDERS,
    PLAIN,
    RECEIPT,
    SAID,
    WORDS,
    Part,
    find_open,
    find_plain,
    game_of,
    is_plain_answer,
    read_part,
    readable,
    take_copy,
    take_forecast,
    take_receipt,
    take_relayed,
    take_words,
)
from pbem.player.keyring import LOST
from pbem.trust.armor import NOTHING_SEALED, damaged_letters, find_sealed
from pbem.trust.faults import ArmorFault, KeyFault, SealFault
from pbem.trust.letters import BOX, COPY, ENTRIES, FORECAST, PRESS, PRESS_TERMS
from pbem.trust.sealing import MAX_SEALED_REPORT_SIZE, is_orders, is_sealed_to, open_sealed

if TYPE_CHECKING:
    from pbem.player.contents import HomeContents


PAGE = b"<!doctype html"
"""First bytes of a letter's page, which comes sealed beside it for readers without this program."""
BESIDE = "this is a letter as a page for a browser; the signed letter is in the same mail"


PLAIN_ANSWER = (
    "this calls itself an answer of the judge's in plain words, and holds nothing to open; read it in your "
    "mail program: nobody has signed it, so it proves nothing and is not kept"
)


@dataclass(frozen=True, slots=True)
class Delivery:
    """The result of receiving files: what arrived, and what was wrong."""

    arrivals: tuple[Arrival, ...]
    faults: tuple[tuple[str, PbemError], ...]
    """Pairs of a file's name and what is wrong with the file."""


class Incoming:
    """The receiver of files for one home.

    `genesis` is the head that entry 1 must have, if the player was told one.
    """

    def __init__(self, home: HomeContents, genesis: str | None, clock: Callable[[], datetime]) -> None:
        self.home = home
        self.genesis = genesis
        self.clock = clock
        self.beside: list[bytes] = []
        """Ledger entries among the files, to which a league's letter may refer."""

    def take_in(self, sources: Mapping[str, bytes]) -> Delivery:
        """Take in several files, whatever their order; return what arrived and what was wrong."""
        faults: list[tuple[str, PbemError]] = []
        parts: list[tuple[str, Part]] = []
        for source, data in sources.items():
            found, wrong = self._open(data)
            parts += [(source, part) for part in found]
            faults += [(source, fault) for fault in wrong]
        arrivals: list[Arrival] = []
        self.beside = [part.text.rstrip(b"\n") + b"\n" for _, part in parts if part.kind == ENTRIES]
        if parts and len(self.beside) == len(parts):
            faults.append((parts[0][0], NotOurs("these entries belong to a letter that is not here")))
        for source, part in sorted(parts, key=lambda each: each[1].rank):
            if part.kind == ENTRIES:
                continue
            try:
                with lock_folder(self.home.path):
                    arrivals.append(self._take(part))
                faults += [(source, fault) for fault in arrivals[-1].faults]
            except PbemError as fault:
                faults.append((source, fault))
        return Delivery(tuple(arrivals), tuple(faults))

    def _open(self, data: bytes) -> tuple[list[Part], list[PbemError]]:
        """Return the unsealed parts of a file, and the faults of those that could not be unsealed."""
        mail, data = data, readable(data)
        parts = [read_part(text) for text in find_open(data)]
        copies: list[Part] = []
        faults: list[PbemError] = []
        others: list[PbemError] = []
        try:
            sealed = find_sealed(data)
        except ArmorFault as fault:
            parts = parts or list(find_plain(data))
            if not parts and fault.reason == NOTHING_SEALED and is_plain_answer(mail):
                parts = [Part(ANSWER, "", 0, b"")]
            return parts, [] if parts else [fault]
        faults += [
            ArmorFault(f"another part: {why}; ask the judge to send it again", reason="not-sealed")
            for why in damaged_letters(data)
        ]
        for each in sealed:
            if is_orders(each):
                copies.append(Part(ORDERS, "", 0, each))
                continue
            try:
                opened = self._unseal(each)
                if opened.lstrip()[: len(PAGE)].lower() == PAGE:
                    others.append(NotOurs(BESIDE))
                else:
                    parts.append(read_part(opened))
            except SealFault as fault:
                (others if fault.reason == "sealed-to-another" else faults).append(fault)
            except KeyFault as fault:
                if fault.reason != LOST:
                    raise
                others.append(fault)  # what follows may be sealed to the key that took its place
        for part in copies:
            try:
                parts.append(replace(part, game=game_of(self.home.folders(), data, part.text).game))
            except NotOurs as fault:
                others.append(fault)
        return parts, faults if parts else faults + others

    def _unseal(self, sealed: bytes) -> bytes:
        mine = {name: self.home.keys.public(name) for name in self.home.keys.names()}
        for folder in self.home.folders():
            with suppress(Damaged):  # its own commands say so
                member = folder.membership()
                mine[member.key_file] = member.public
        here_first = sorted(sorted(mine), key=self.home.keys.is_here, reverse=True)
        for name, public in ((name, mine[name]) for name in here_first):
            if is_sealed_to(sealed, public):
                return open_sealed(sealed, [self.home.keys.unlock(name)], MAX_SEALED_REPORT_SIZE)
        listed = ", ".join(f"{name} {public.fingerprint}" for name, public in sorted(mine.items()))
        raise SealFault(
            f"this is sealed to somebody else; your keys are: {listed or 'none yet'}. "
            "A copy of an opponent's orders is kept with --copy-of",
            reason="sealed-to-another",
        )

    def _take(self, part: Part) -> Arrival:
        if part.kind == WORDS:
            return take_words((*self.home.folders(), *self.home.league_folders()), part.text)
        if part.kind == PLAIN:
            text, remark = part.text.decode(), "nobody has signed this; it proves nothing and is not kept"
            return Arrival(kind=PLAIN, game="", exchange=0, text=text, new=True, remarks=(remark,))
        if part.kind == ANSWER:
            return Arrival(kind=PLAIN, game="", exchange=0, text="", new=True, remarks=(PLAIN_ANSWER,))
        if not part.game:
            raise NotOurs("the letter does not say for which game it is")
        if part.kind in (PRESS, PRESS_TERMS):
            return self.home.press(part.game).take(part.text)
        if part.game.startswith("league."):
            return self._take_league(part)
        folder = self.home.place(part.game)
        if part.kind == ORDERS:
            return take_copy(folder, part.text)
        if part.kind == BOX:
            from pbem.player.incoming.letters_in import take_box_letter

            return take_box_letter(folder, part.text)
        if part.kind == COPY:
            return take_relayed(folder, part.text)
        if part.kind == FORECAST:
            return take_forecast(folder, part.text)
        if part.kind == RECEIPT:
            return take_receipt(folder, part.text)
        return take_letter(folder, part.text, self.home.keys, self.genesis, self.clock())

    def _take_league(self, part: Part) -> Arrival:
        league = self.home.league(part.game)
        if part.kind == RECEIPT:
            return take_receipt(league.folder, part.text)
        if part.kind == SAID:
            return league.take_said(part.text)
        if part.kind == BOX:
            from pbem.player.incoming.letters_in import take_box_letter

            return take_box_letter(league.folder, part.text)
        return league.take_letter(part.text, self.beside)
