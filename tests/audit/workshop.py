"""What can be done to a bundle afterwards by somebody who has the judge's keys.

A ledger is taken apart into pages, changed, and bound again: salted, hashed, folded, every checkpoint
signed anew. The players' signatures cannot be made anew, unless a player is in it too. Then orders, reveals
and consents are signed again, each by the key that signed it before.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from pbem.trust import ledger
from pbem.trust.act_entries import parse_consent, sign_consent
from pbem.trust.faults import TrustFault
from pbem.trust.keys import PrivateKey
from pbem.trust.ledger import Checkpoint, sign_statement
from pbem.trust.orderfile import Seen, parse_late_reveal, parse_orders
from pbem.trust.sealing import open_sealed, seal_key, sealed_name
from pbem.trust.signature import parse, split
from tests.audit.stage import GAME, Files, Stage, key_of
from tests.trust.sealed import seal_late_reveal, seal_orders

KEYS = {
    key_of(name).public.fingerprint: key_of(name)
    for who in ("gm", "alice", "bob", "carol")
    for name in (who, f"{who} 2", f"{who} recovery")
}
"""The keys of those who play on a stage, by their fingerprints."""


def key_behind(armor: bytes) -> PrivateKey:
    """Return the key that made a signature."""
    return KEYS[parse(armor).key.fingerprint]


@dataclass(slots=True)
class Page:
    """One entry, and whether the judge signed the head after it."""

    text: str
    """As UTF-8; a lone surrogate stands for a byte outside it."""
    signed: bool = False
    signer: PrivateKey | None = None
    """The judge's key that signed then, if it is not the newest one."""

    @property
    def kind(self) -> str:
        """The first word."""
        return (self.text.split() or [""])[0]

    @property
    def data(self) -> bytes:
        """The bytes of the entry."""
        return self.text.encode("utf-8", errors="surrogateescape")


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
            armor = self.files.get(f"checkpoints/{number:04d}.sig")
            self.pages.append(Page(text, armor is not None, key_behind(armor) if armor else None))

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
            if helpers and page.kind in ("received", "revealed"):
                self._sign_again(page, helpers, heads, files)
            if helpers and page.kind in ("act", "rotate"):
                self._consent_again(page, helpers, heads, files)
            salt = ledger.salt(self.roots.salt, GAME, number)
            leaf = ledger.leaf(salt, page.data)
            leaves.append(f"{number} {leaf}\n")
            heads += ledger.fold(
                GAME, [leaf], size=number - 1, start=heads[-1] if heads else ledger.EMPTY_HEAD
            )
            files[f"log/{number:04d}.entry"] = page.data
            files[f"log/{number:04d}.salt"] = f"{salt}\n".encode()
            if page.signed:
                checkpoint = Checkpoint(game=GAME, size=number, head=heads[-1])
                files[f"checkpoints/{number:04d}.txt"] = checkpoint.text
                files[f"checkpoints/{number:04d}.sig"] = sign_statement(checkpoint, page.signer or self.judge)
        files["log/leaves"] = "".join(leaves).encode()
        return files

    def _sign_again(self, page: Page, helpers: Sequence[str], heads: list[str], files: Files) -> None:
        """Have a player sign their orders or reveal once more, having now seen the new ledger."""
        match = re.match(r"re\w+ ([1-9]\d{0,3}) (\w+) (?:rev \S+ )?sealed ([0-9a-f]{64})\n", page.text)
        if match is None or match[2] not in helpers or f"sealed/{match[3]}.age" not in files:
            return
        key = seal_key(self.roots.seal, GAME, int(match[1]), match[2])
        try:
            signed = split(open_sealed(files[f"sealed/{match[3]}.age"], [key]))
        except TrustFault:  # the entry says another exchange or player than the file is of
            return
        signer, seen = key_behind(signed.armor), Seen(len(heads), heads[-1] if heads else ledger.EMPTY_HEAD)
        if page.kind == "received":
            sealed = seal_orders(replace(parse_orders(signed.body), seen=seen), signer)
        else:
            late = replace(parse_late_reveal(signed.body), seen=seen)
            sealed = seal_late_reveal(late, signer, key.recipient)
        del files[f"sealed/{match[3]}.age"]
        files[f"sealed/{sealed_name(sealed)}.age"] = sealed
        page.text = page.text.replace(match[3], sealed_name(sealed))

    def _consent_again(self, page: Page, helpers: Sequence[str], heads: list[str], files: Files) -> None:
        """Have each who consented do so once more, in this history."""
        for by, old, seen in re.findall(
            r"^consent (\w+) ([0-9a-f]{64}) ([1-9]\d{0,5})$", page.text, re.MULTILINE
        ):
            if by not in helpers or int(seen) > len(heads) or f"consents/{old}.sig" not in files:
                continue
            consent = parse_consent(files.pop(f"consents/{old}.txt"))
            consent = replace(consent, genesis=heads[0], seen=(int(seen), heads[int(seen) - 1]))
            signer = key_behind(files.pop(f"consents/{old}.sig"))
            files[f"consents/{consent.sha256}.txt"] = consent.text
            files[f"consents/{consent.sha256}.sig"] = split(sign_consent(consent, signer)).armor
            page.text = page.text.replace(old, consent.sha256)


def only(files: Files, stage: Stage, audience: str) -> Files:
    """What of a changed bundle of everything goes into the bundle for `audience`."""
    return {name: files[name] for name in stage.bundle(audience) if name in files}
