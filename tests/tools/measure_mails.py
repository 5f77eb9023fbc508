"""What the mails of an exchange weigh: python -m tests.tools.measure_mails.

A game goes by mail from the invitation to the report of exchange 2, over a real mail server. Letters and
pages are padded, so a kind of mail has one size in every run, but for some hundred bytes of names, keys and
heads.
"""

from __future__ import annotations

import re
from collections import defaultdict
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest.mock import patch

from pbem.mail import outbox
from pbem.titles import load, names
from tests.attacks.framing.arena import table_title
from tests.mail.outside import Options, Wire, make_twin, whole_exchange
from tests.mail.servers import smtp_server

GAMES: dict[str, Options] = {
    title: {"players": 3} if title == table_title() else dict(load(title).excerpt or {}) for title in names()
}
_KIND = re.compile(rb"-(report|receipt|copy|forecast|reminder)\b")


def weights(folder: Path, title: str) -> dict[str, int]:
    """Kind of mail -> bytes of the largest to one player, where each letter is a mail of its own.

    `all` counts all mails to that player but forecast and reminder.
    """
    wire = Wire(folder / "post")
    with smtp_server(wire) as port, patch.object(outbox, "MAX_LETTERS_TOGETHER", 1):
        postal = make_twin(folder, title, GAMES[title], f"weights of {title}", wire, port, "")
        whole_exchange(postal, "", stranger=False)
        postal.table.club.store.close()
    found: dict[str, int] = defaultdict(int)
    for _, goal, content in wire.seen:
        if goal == "alice@example.org":
            kind = _KIND.search(content)
            name = kind[1].decode() if kind else "other"
            found[name] = max(found[name], len(content))
            if name not in ("forecast", "reminder"):
                found["all"] += len(content)
    return dict(found)


def exchange(folder: Path, title: str, *, at_once: bool) -> tuple[float, float]:
    """Mails and kB to a player in one exchange, by the mean of all players and three exchanges.

    `at_once`: all orders are read in one pass; else each in a pass of its own.
    """
    wire = Wire(folder / "post")
    with smtp_server(wire) as port:
        postal = make_twin(folder, title, GAMES[title], f"exchanges of {title}", wire, port, "")
        postal.run()
        people = list(postal.table.people)
        before = 0
        for number in range(EXCHANGES + 1):
            for name in people:
                postal.send(postal.table.sealed(name), sender=f"{name}@example.org")
                if not at_once:
                    postal.run()
            for _ in range(2):
                postal.run()
            if number == 0:  # the invitation and what answers it are another matter
                before = len(wire.seen)
        postal.table.club.store.close()
    seen = [content for _, _, content in wire.seen[before:]]
    shares = len(people) * EXCHANGES
    return len(seen) / shares, sum(map(len, seen)) / 1000 / shares


EXCHANGES = 3


if __name__ == "__main__":
    for title in GAMES:
        for at_once in (True, False):
            with TemporaryDirectory() as folder:
                mails, size = exchange(Path(folder), title, at_once=at_once)
            how = "one pass for all" if at_once else "a pass for each"
            print(f"{title}, {how}: {mails:.1f} mails, {size:,.0f} kB to a player in an exchange")
        with TemporaryDirectory() as folder:
            found = sorted(weights(Path(folder), title).items())
            print(title, *(f"{kind} {size:,}" for kind, size in found))
