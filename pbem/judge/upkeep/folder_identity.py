"""Checks that this folder is the club's working folder, so that no two copies of it sign for one judge.

Two things tell it:

- the file `identity` in the folder. The database knows what stands in it and which file of its disk it is
  (the inode). That stays so when the machine starts again, in a container with its volume, and when the
  folder is renamed. A copy of the folder has another file.
- the counter in the mailbox (see mailbox_counter): which folder wrote it, how often a folder has taken over,
  a number that grows, and how long each ledger was, with its head. It is written before what was signed
  leaves. So a copy that no file can tell, as of a whole disk, finds that the other has gone on, or the other
  finds it.

`pbem club take-over` makes a folder the one; of what the counter shows to be lost here the games are held. A
restored folder rests until then: so a rehearsal, with the settings of the club that goes on, stops nothing.
"""

from __future__ import annotations

import contextlib
import secrets
from pathlib import Path

from pbem.errors import ConfigError
from pbem.judge.tables.note_tables import RESTING, SPOKEN, TAKEN_OVER
from pbem.judge.tables.store import Store
from pbem.trust.times import utc_text

FILE = "identity"
OWN, TAKES_OVER = "identity", "identity takes over"
MOVED = "moved"
"""Name of the note of when this club was restored into another folder, which has said so by mail."""
COUNTED = "identity counted"
"""Name of the note with the hash of the mailbox counter's content as this folder last wrote it."""


class Elsewhere(ConfigError):
    """Raised if another copy of this club's folder is at work, or may be."""


class Resting(Elsewhere):
    """Raised if this folder was restored and has not taken over: nothing is sent from it, not even alerts."""


def check_folder(store: Store, *, begin: bool = False) -> None:
    """Raise an error if this folder is a copy or was restored. `begin`: mark a new folder as the working one.

    Raises:
        Elsewhere: the folder is a copy, or was restored and has not taken over.
    """
    if restored := store.note(RESTING):
        raise Resting(
            f"{store.path.parent} was restored at {restored} and has not begun: it reads no mail and sends "
            f"nothing. To go on in it, stop the judge of the other folder; then: pbem club take-over"
        )
    noted = store.note(OWN)
    if not noted:
        if begin:
            _begin(store)
        return
    if noted != _read_identity(store.path.parent):
        raise Elsewhere(
            f"{store.path.parent} is a copy of a club's folder, and the other folder may go on with the "
            f"same games. If both sign, it looks as if the judge cheats. Stop the other and put it away; "
            f"then, to go on in this one: pbem club take-over"
        )


def check_here(store: Store) -> None:
    """Raise an error if the club goes on in another folder.

    Raises:
        Elsewhere: the club was restored into another folder, which runs it now; the message says what to do.
    """
    moved = store.note(MOVED)
    if moved > store.here_since():
        raise Elsewhere(
            f"this club was restored elsewhere at {moved} and goes on there: stop the judge of this folder "
            f"({store.path.parent}) and put it away. If it is this one that should go on, stop the other; "
            "then: pbem club take-over"
        )


def work_elsewhere(store: Store) -> str:
    """Return the reason to believe that another folder of this club is the one that runs now; "" if none."""
    try:
        check_folder(store)
        check_here(store)
    except Elsewhere as fault:
        return str(fault)
    return store.note(SPOKEN)


def _read_identity(folder: Path) -> str:
    path = folder / FILE
    with contextlib.suppress(OSError):
        return f"{path.read_text(encoding='ascii').strip()} {path.stat().st_ino}"
    return ""


def _begin(store: Store) -> None:
    """Make the file and the note that mark this folder as the working one; a repetition completes both."""
    path, name = store.path.parent / FILE, secrets.token_hex(8)
    part = path.with_name(f".{FILE}.part")
    part.unlink(missing_ok=True)
    part.touch(mode=0o600)
    part.write_text(f"{name}\n", encoding="ascii")
    part.replace(path)
    with store.step():
        store.put_note(OWN, _read_identity(path.parent))


def take_over(store: Store) -> None:
    """Make this folder the club's working folder; other copies notice when they next check the mailbox."""
    now = utc_text(store.clock())
    with store.step():
        leave_identity(store)
        store.put_note(RESTING, "")
        store.put_note(SPOKEN, "")
        store.put_note(TAKEN_OVER, max(now, store.note(TAKEN_OVER)))
    _begin(store)


def leave_identity(store: Store) -> None:
    """Remove, in a transaction, what marks this folder as the working one, since it came by a restore."""
    store.put_note(OWN, "")
    store.put_note(TAKES_OVER, "1")
    store.put_note(COUNTED, "")
