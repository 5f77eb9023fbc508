"""Copies of opponents' sealed orders (protocol 7): kept unopened, for only the judge's key opens them.

What a player has mailed to everybody proves that they sent it, and is kept under `held/sealed`. What the
judge passes on proves that they had it, and is kept with their signature under `held/relayed`. The audit
looks at both.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from pbem.characters import lower
from pbem.player.faults import NotOurs
from pbem.player.incoming.letters_in import Arrival, check_known_judge
from pbem.player.incoming.mail_parts import ORDERS
from pbem.player.store.game_store import GameFolder
from pbem.trust import signature
from pbem.trust.armor import find_sealed
from pbem.trust.letters import COPY, OrdersCopy, read_copy
from pbem.trust.sealing import is_orders, sealed_name

_MAX_HEAD_SIZE = 65_536
_ARMOR = re.compile(r"BEGIN AGE ENCRYPTED FILE.*", re.DOTALL)
_WORD = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}")


def game_of(folders: Iterable[GameFolder], mail: bytes) -> GameFolder:
    """Return the game whose orders a mail holds: the one that the mail names, or else this home's only game.

    Raises:
        NotOurs: the mail names no game or several.
    """
    known = {folder.game: folder for folder in folders}
    text = lower(_ARMOR.sub("", mail[:_MAX_HEAD_SIZE].decode("utf-8", errors="replace")))
    words = {word.rstrip(".,") for word in _WORD.findall(text)}
    named = sorted(known.keys() & words) or sorted(known)
    if len(named) != 1:
        raise NotOurs(
            "these are sealed orders for a judge, and the mail does not name the game; if they are an "
            "opponent's, keep them with: pbem receive --copy-of GAME"
        )
    return known[named[0]]


def take_copy(folder: GameFolder, sealed: bytes) -> Arrival:
    """Keep a copy of orders that a player sent to everybody."""
    name = sealed_name(sealed)
    current = folder.chronicle()
    exchange = current.history.exchanges[-1].number if current and current.history.exchanges else 0
    if folder.sent_files.holds(sealed):
        text, new = f"these are your own sealed orders for {folder.game} ({name}); nothing is kept\n", False
    else:
        new = folder.judge_statements.keep_copy(sealed)[1]
        text = (
            f"a copy of an opponent's sealed orders for {folder.game} is kept, unopened, as proof that they "
            f"were sent:\nheld/sealed/{name}.age\n"
        )
    return Arrival(kind=ORDERS, game=folder.game, exchange=exchange, text=text, new=new)


def take_relayed(folder: GameFolder, text: bytes) -> Arrival:
    """Keep orders that the judge passed on, apart from copies that players sent themselves."""
    member = folder.membership()
    relayed = read_copy(text, check_known_judge(folder, text))
    if relayed.to != member.player:
        raise NotOurs(f"this copy is for {relayed.to}; you play {folder.game} as {member.player}")
    sealed, *more = find_sealed(relayed.armor.encode())
    if more or not is_orders(sealed):
        raise NotOurs("the judge's letter should hold one file of sealed orders, and does not")
    name, signed = sealed_name(sealed), signature.split(text)
    return Arrival(
        kind=COPY,
        game=folder.game,
        exchange=relayed.exchange,
        text=f"sealed orders of {relayed.player} for {folder.game}, exchange {relayed.exchange}, passed on "
        f"by the judge, are kept unopened, as proof that the judge had them:\nheld/relayed/{name}.txt\n",
        new=folder.judge_statements.keep_relayed(name, signed.body + signed.armor),
        remarks=_copy_remarks(folder, relayed, name),
    )


def _copy_remarks(folder: GameFolder, relayed: OrdersCopy, name: str) -> tuple[str, ...]:
    """Return remarks on how the judge's word about a passed-on file differs from the kept ledger."""
    if (chronicle := folder.chronicle()) is None:
        return ()
    opponents = [one.name for one in chronicle.genesis.players if one.name != folder.player]
    if relayed.player not in opponents:
        return (f"{relayed.player} is not your opponent in {folder.game}; you play {', '.join(opponents)}",)
    if not 1 <= relayed.exchange <= len(chronicle.exchanges):
        return ()
    exchange = chronicle.exchanges[relayed.exchange - 1]
    received = {(entry.player, entry.sealed) for entry in exchange.received}
    if exchange.closed is None or (relayed.player, name) in received:
        return ()
    remark = (
        f"exchange {relayed.exchange} is closed, and the ledger has not received this file of "
        f"{relayed.player}: the judge has signed that they had it (pbem audit --held)"
    )
    return (remark,)
