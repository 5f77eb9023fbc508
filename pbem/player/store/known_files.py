"""The state of each sealed file of a player, by its hash; no other module decides it.

The number of a revision does not say which file is meant: of two copies of a home each may give one number
to a file of its own, and the judge receives the first that comes. A file is this home's if its sealed bytes
are here; all others are known from receipts and from the ledger's entries `received` and `refused`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pbem.player.store.game_papers import Proven
    from pbem.player.store.game_store import Folder

SEALED, RECEIPTED, REFUSED, LATE, ANOTHER = "sealed", "receipted", "refused", "late", "another file"
"""States of a sealed file; ANOTHER: it has not arrived, and the judge has another file under its revision."""
_SHORT = 16
"""Number of digits of a hash that are shown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownFile:
    """One sealed file of the player for one exchange or call."""

    exchange: int
    rev: int
    """The revision; 0 if only a refusal names the file, for refusals have no revision."""
    sealed: str
    """The SHA-256 of the sealed file; "" if the program was stopped before it was sealed."""
    is_here: bool
    """Whether the file was sealed in this home."""
    state: str
    reason: str = ""
    """The reason why the file was refused; "" if it was not."""
    receipt: int = 0
    """The number of the file's receipt; 0 if this home has no receipt for the file."""

    @property
    def evidence(self) -> str:
        """The file in the game's folder with the judge's signed proof that the sealed file arrived."""
        return f"held/receipt-{self.receipt:04}.txt" if self.receipt else "ledger.txt"


def known_files(folder: Folder, chronicle: Proven | None, exchange: int) -> tuple[KnownFile, ...]:
    """Return the player's files for an exchange or call that this home knows of, by revision."""
    player = folder.player
    first, _ = folder.plays_from(chronicle) if chronicle is not None else (1, 0)
    asked = chronicle.exchanges[exchange - 1 :] if chronicle is not None else ()
    receipts = {
        one.receipt.sealed: one.receipt
        for one in folder.judge_statements.receipts().values()
        if one.receipt.exchange == exchange
    }
    received = {name: one.rev for name, one in receipts.items()}
    received |= {one.sealed: one.rev for one in (asked[0].received if asked else ()) if one.player == player}
    refused = {
        entry.sealed: entry.reason
        for one in asked
        for entry in one.refused
        if entry.player == player and entry.of == exchange
    }
    own = {file.name or "": file.rev for file in folder.sent_files.orders_of(exchange)}
    names = {**own, **(dict.fromkeys(refused, 0) | received if exchange >= first else {}), **own}
    found = [
        KnownFile(
            exchange=exchange,
            rev=rev,
            sealed=name,
            is_here=name in own,
            state=_state(name, rev, received, refused),
            reason=refused.get(name, ""),
            receipt=receipts[name].number if name in receipts else 0,
        )
        for name, rev in names.items()
    ]
    return tuple(sorted(found, key=lambda one: (one.rev, one.is_here, one.sealed)))


def _state(name: str, rev: int, received: dict[str, int], refused: dict[str, str]) -> str:
    if name in received:
        return RECEIPTED
    if name in refused:
        return LATE if refused[name] == LATE else REFUSED
    return ANOTHER if rev in received.values() else SEALED


def own_files(files: Iterable[KnownFile]) -> tuple[KnownFile, ...]:
    """Return those of a player's files that were sealed in this home."""
    return tuple(one for one in files if one.is_here)


def overruling(files: Iterable[KnownFile], rev: int) -> KnownFile | None:
    """Return the file from another home that the judge counts in place of a revision; None without one."""
    others = [one for one in files if not one.is_here and one.state == RECEIPTED and one.rev >= rev]
    return others[-1] if others else None


def may_count(files: Sequence[KnownFile], file: KnownFile) -> bool:
    """Tell whether a file of this home counts, or would if it arrived, by all that is known."""
    return file.state in (SEALED, RECEIPTED) and overruling(files, file.rev) is None


def state_of(files: Sequence[KnownFile]) -> str:
    """Return the state of the player's orders for an exchange; "" if no file is known."""
    own = own_files(files)
    if overruling(files, own[-1].rev if own else 0) is not None:
        return ANOTHER
    return own[-1].state if own else ""


def files_in_words(files: Iterable[KnownFile]) -> list[str]:
    """Return sentences on a player's files that were not sealed in this home, or that do not count."""
    said = []
    for one in files:
        orders = f"your orders for exchange {one.exchange}"
        if not one.is_here and one.state == RECEIPTED:
            said.append(
                f"revision {one.rev} of {orders} is another file of yours, {one.sealed[:_SHORT]}, which was "
                "not sealed in this home; orders that are sealed here from now on overrule it while the "
                "exchange is open. If you have sent nothing elsewhere, this is evidence against the judge: "
                f"{one.evidence}"
            )
        elif one.state in (REFUSED, LATE):
            which = f"revision {one.rev} of {orders}" if one.is_here else f"a file of {orders} from elsewhere"
            said.append(f"{which}, {one.sealed[:_SHORT]}, was refused ({one.reason}), and does not count")
    return said


def refile_in_words(files: Iterable[KnownFile], rev: int) -> list[str]:
    """Return a sentence on the file from another home that a new revision overrules, or nothing."""
    return [
        f"this overrules revision {one.rev}, another file of yours, {one.sealed[:_SHORT]}, which was not "
        "sealed in this home, as soon as the judge receives it"
        for one in files
        if not one.is_here and one.state == RECEIPTED and one.rev < rev
    ][-1:]
