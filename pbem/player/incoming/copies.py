"""Copies of opponents' sealed orders (protocol 7): kept unopened, for only the judge's key opens them.

What a player has mailed to everybody proves that they sent it, and is kept under `held/sealed`. What the
judge passes on proves that they had it, and is kept with their signature under `held/relayed`. The audit
looks at both.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from contextlib import suppress

from pbem.characters import lower
from pbem.player.faults import Damaged, NotOurs
from pbem.player.incoming.letters_in import Arrival, check_known_judge
from pbem.player.incoming.mail_parts import ORDERS
from pbem.player.store.game_store import GameFolder
from pbem.trust import signature
from pbem.trust.armor import find_sealed
from pbem.trust.faults import ArmorFault
from pbem.trust.letters import COPY, OrdersCopy, read_copy
from pbem.trust.sealing import is_orders, sealed_name

_MAX_HEAD_SIZE = 65_536
_ARMOR = re.compile(r"BEGIN AGE ENCRYPTED FILE.*", re.DOTALL)
_END = re.compile(rb"(?<=END AGE ENCRYPTED FILE)")
_WORD = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}")


def game_of(folders: Iterable[GameFolder], mail: bytes, sealed: bytes) -> GameFolder:
    """Return the game of sealed orders in a mail: that of a ledger or the words, or else the home's only one.

    Raises:
        NotOurs: the mail names no game or several.
    """
    known = {folder.game: folder for folder in folders}
    named = _in_ledgers(known, sealed) or _in_words(known, mail, sealed) or sorted(known)
    if len(named) != 1:
        raise NotOurs(
            "these are sealed orders for a judge, and the mail does not name the game; if they are an "
            "opponent's, keep them with: pbem receive --copy-of GAME"
        )
    return known[named[0]]


def sort_copies(folders: Iterable[GameFolder], game: str, mail: bytes) -> tuple[list[bytes], list[str]]:
    """Return the sealed orders in a mail that are to be kept for a game, and why the other files are not.

    The only file of a mail is of the game that the player names, unless the ledger of another game has it.
    """
    known, found = {folder.game: folder for folder in folders}, find_sealed(mail)
    kept, others = [], []
    for sealed in found:
        name, named = sealed_name(sealed), _in_ledgers(known, sealed)
        if len(found) > 1:
            named = named or _in_words(known, mail, sealed)
        if not is_orders(sealed):
            others.append(f"{name} is a letter to a player and no orders; not kept: pbem receive takes it")
        elif named in ([], [game]):
            kept.append(sealed)
        elif len(named) == 1:
            others.append(
                f"{name} is of {named[0]}, and not kept here; to keep it: pbem receive --copy-of {named[0]}"
            )
        else:
            others.append(
                f"{name} may be of {' or '.join(named)}, which the mail names; not kept: save it by itself"
            )
    return kept, others


def _in_ledgers(known: Mapping[str, GameFolder], sealed: bytes) -> list[str]:
    """Return the games whose ledgers have received a sealed file, which can be one at most."""
    return [game for game, folder in known.items() if sealed_name(sealed) in _received(folder)]


def _received(folder: GameFolder) -> set[str]:
    with suppress(Damaged):  # its own commands say so
        chronicle = folder.chronicle()
        return {entry.sealed for one in (chronicle.exchanges if chronicle else ()) for entry in one.received}
    return set()


def _in_words(known: Mapping[str, GameFolder], mail: bytes, sealed: bytes) -> list[str]:
    """Return the games that a mail names between the sealed file before and this one, or else at its head."""
    for piece in _END.split(mail):
        with suppress(ArmorFault):
            if sealed in find_sealed(piece) and (named := _named(known, piece)):
                return named
    return _named(known, mail)


def _named(known: Mapping[str, GameFolder], text: bytes) -> list[str]:
    words = lower(_ARMOR.sub("", text[:_MAX_HEAD_SIZE].decode("utf-8", errors="replace")))
    return sorted(known.keys() & {word.rstrip(".,") for word in _WORD.findall(words)})


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
