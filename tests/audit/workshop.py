"""What can be done to a bundle afterwards by somebody who has the judge's keys.

A ledger is taken apart into pages, changed, and bound again: salted, hashed, folded, every checkpoint
signed anew. The players' signatures cannot be made anew, unless a player is in it too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from pbem.trust import ledger
from pbem.trust.ledger import Checkpoint, sign_statement
from pbem.trust.orderfile import Seen, parse_orders
from pbem.trust.sealing import open_sealed, seal_key, sealed_name
from pbem.trust.signature import split
from tests.audit.stage import GAME, Files, Stage
from tests.trust.sealed import seal_orders


@dataclass(slots=True)
class Page:
    """One entry, and whether the judge signed the head after it."""

    text: str
    signed: bool = False

    @property
    def kind(self) -> str:
        """The first word."""
        return self.text.split()[0]


class Workshop:
    """A bundle of everything, taken apart."""

    def __init__(self, stage: Stage, files: Files | None = None) -> None:
        self.stage = stage
        self.files = dict(stage.bundle() if files is None else files)
        self.roots = stage.club.roots(GAME)
        self.judge = stage.club.key
        self.pages: list[Page] = []
        for number in range(1, len(self.files["log/leaves"].splitlines()) + 1):
            text = self.files[f"log/{number:04d}.entry"].decode()
            self.pages.append(Page(text, f"checkpoints/{number:04d}.txt" in self.files))

    def find(self, start: str, last: bool = False) -> Page:
        """The first page (or the last) that begins so."""
        found = [page for page in self.pages if page.text.startswith(start)]
        assert found, f"no entry begins with {start!r}"
        return found[-1 if last else 0]

    def change(self, start: str, old: str, new: str) -> Page:
        """Replace something in the first page that begins so."""
        page = self.find(start)
        assert old in page.text, f"{old!r} is not in {page.text!r}"
        page.text = page.text.replace(old, new, 1)
        return page

    def drop(self, page: Page) -> None:
        """Take a page out; a signature on it moves to the page before."""
        place = self.pages.index(page)
        self.pages[place - 1].signed |= page.signed
        del self.pages[place]

    def insert_after(self, page: Page, text: str) -> None:
        """Slip a page in."""
        self.pages.insert(self.pages.index(page) + 1, Page(text))

    def insert_before(self, page: Page, text: str) -> None:
        """Slip a page in."""
        self.pages.insert(self.pages.index(page), Page(text))

    def bind(self, helpers: Sequence[str] = ()) -> Files:
        """The bundle, everything signed anew by the judge and by the players who help him."""
        heads: list[str] = []
        files = {
            name: data for name, data in self.files.items() if not name.startswith(("log/", "checkpoints/"))
        }
        leaves = []
        for number, page in enumerate(self.pages, 1):
            if page.kind == "received" and page.text.split()[2] in helpers:
                self._sign_again(page, heads, files)
            salt = ledger.salt(self.roots.salt, GAME, number)
            leaf = ledger.leaf(salt, page.text.encode())
            leaves.append(f"{number} {leaf}\n")
            heads += ledger.fold(
                GAME, [leaf], size=number - 1, start=heads[-1] if heads else ledger.EMPTY_HEAD
            )
            files[f"log/{number:04d}.entry"] = page.text.encode()
            files[f"log/{number:04d}.salt"] = f"{salt}\n".encode()
            if page.signed:
                checkpoint = Checkpoint(game=GAME, size=number, head=heads[-1])
                files[f"checkpoints/{number:04d}.txt"] = checkpoint.text
                files[f"checkpoints/{number:04d}.sig"] = sign_statement(checkpoint, self.judge)
        files["log/leaves"] = "".join(leaves).encode()
        return files

    def _sign_again(self, page: Page, heads: list[str], files: Files) -> None:
        """A player signs his orders once more, having now seen the new ledger."""
        words = page.text.split()
        exchange, player, name = int(words[1]), words[2], words[6]
        key = seal_key(self.roots.seal, GAME, exchange, player)
        orders = parse_orders(split(open_sealed(files.pop(f"sealed/{name}.age"), [key])).body)
        orders = replace(orders, seen=Seen(len(heads), heads[-1]))
        sealed = seal_orders(orders, self.stage.people[player].key)
        files[f"sealed/{sealed_name(sealed)}.age"] = sealed
        page.text = page.text.replace(name, sealed_name(sealed))


def only(files: Files, stage: Stage, audience: str) -> Files:
    """What of a changed bundle of everything goes into the bundle for `audience`."""
    return {name: files[name] for name in stage.bundle(audience) if name in files}
