"""The post box of a game or league, as a letter signed by the judge names it, kept with what else came.

    games/<game>/box            the judge's letter, as it was signed; a later one takes its place
    leagues/<ledger>/box        the same for a league

A letter counts only by the key of the game's judge. A home asks no other box, but the one that its player has
typed (`box_client`).
"""

from __future__ import annotations

from pbem.player import files
from pbem.player.faults import Damaged
from pbem.player.incoming.letters_in import Arrival, check_known_judge
from pbem.player.store.game_store import Folder
from pbem.trust import signature
from pbem.trust.faults import LedgerFault, TrustFault
from pbem.trust.letters import BOX
from pbem.trust.post_box import BoxLetter, read_box_letter

OLDER = "the judge has named a box in a later letter, which counts"


def take_box_letter(folder: Folder, text: bytes) -> Arrival:
    """Take in the judge's letter about a game's box.

    Raises:
        SealError: the letter is not the judge's.
    """
    letter = read_box_letter(text, check_known_judge(folder, text))
    known = _box_letter(folder)
    is_older = known is not None and letter.made < known.made
    if known is None or letter.made > known.made:
        files.write(folder.path / BOX, text)
    said = f"uses the post box {letter.url}" if letter.url else "uses no post box any more"
    return Arrival(
        kind=BOX,
        game=folder.game,
        exchange=0,
        text=f"{folder.game} {said}\n",
        new=known != letter and not is_older,
        remarks=(OLDER,) if is_older else (),
    )


def box_of(folder: Folder) -> str:
    """Return the address of a game's box; "" if its judge has named none.

    Raises:
        Damaged: the letter that is kept is not what the judge has signed.
    """
    letter = _box_letter(folder)
    return letter.url if letter is not None else ""


def push_key_of(folder: Folder) -> str:
    """Return the public key of a game's judge for push messages to devices; "" if no box or key was named.

    Raises:
        Damaged: the letter that is kept is not what the judge has signed.
    """
    letter = _box_letter(folder)
    return letter.push if letter is not None and letter.url else ""


def _box_letter(folder: Folder) -> BoxLetter | None:
    path = folder.path / BOX
    if (data := files.read_file(path)) is None:
        return None
    try:
        key = signature.parse(signature.split(data).armor).key
        if not folder.is_judge(key):
            raise Damaged(f"{path} is not signed by the judge; remove it")
        return read_box_letter(data, key)
    except (TrustFault, LedgerFault):
        raise Damaged(f"{path} is damaged; remove it: the judge can send it again") from None
