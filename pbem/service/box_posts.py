"""Takes posts in from the post box as `pbem club submit` takes a file, and sees if the box was read whole.

A post is stored in one transaction with its name; the file is removed after that. What is met again under a
name that was stored is removed and not taken in. Posts that a reader's key has signed come first; of what
anybody may post a pass takes few, so that a flood of it costs no pass much.

An exchange ends by its deadline only if the box was read whole after that, showed a heartbeat, and has been
able to take posts for an hour: whoever it has refused for lack of room, or was away for, has that long to
post again.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

from pbem.box.folder import Alive, UnreadableBox, names_in, read_alive
from pbem.box.stores import KEY_LANE, POSTS, Post, read_post, remove_post, waiting_posts
from pbem.errors import ConfigError
from pbem.judge.club import Club
from pbem.judge.deadlines.waits_for_mail import BOX_LOOKED
from pbem.judge.intake import quarantine
from pbem.mail.mail_text import decode
from pbem.mail.statements import find_statements
from pbem.service.box_table import BoxSettings, DoneInBox
from pbem.trust.times import utc_text

TAKEN = "box taken"
"""Name of the note of the post that was stored last, until its file is removed."""
MAX_SIGNED_POSTS, MAX_OPEN_POSTS = 500, 50
"""Maximum number of posts that one pass takes in: those signed with a reader's key, and those of anybody."""
SILENT = timedelta(minutes=2)
"""Age of the post box's last heartbeat from which on the box counts as away."""
RETURN = timedelta(hours=1)
"""Time for which a post box must have been able to take posts before a deadline counts again."""
SENDER = "post@box"
"""The sender that is noted for a posted request to join; nobody can be written to there."""
LOOK_SECONDS, LEAST_PAUSE = 1.0, 5.0
"""Seconds between two checks of the box for new posts, and the minimum of seconds between two passes."""


def take_posts(club: Club, box: BoxSettings) -> Iterator[DoneInBox]:
    """Store the posts in the post box, and note how far the box was read; yield a line about each action.

    Raises:
        ConfigError: the box cannot be read.
    """
    began = club.clock()
    _remove_taken(club, box)
    alive = read_alive(box.folder)
    names, strange = waiting_posts(box.folder)
    whole = True
    for name, post, fault in _choose_posts(box, names):
        if post is None:
            whole = False
            if fault:
                yield DoneInBox(f"{fault}; look at it, and remove it if it is not a post", trouble=True)
            continue
        text = _take(club, name, post)
        _remove_taken(club, box)
        if text:
            yield DoneInBox(text)
    if strange:
        yield DoneInBox(f"{strange} files in {box.folder / POSTS} are not posts: remove them", trouble=True)
    if whole and alive is not None and _is_ready(alive, club):
        with club.store.step():
            club.store.put_note(BOX_LOOKED, utc_text(min(began, alive.time)))


def _choose_posts(box: BoxSettings, names: list[str]) -> Iterator[tuple[str, Post | None, str]]:
    """Yield each post's name, the post, and the fault of its file; None for a post that this pass leaves."""
    signed, others = 0, []
    for name in names:
        try:
            post = read_post(box.folder, name)
        except UnreadableBox as fault:
            yield name, None, str(fault)
            continue
        if post.lane != KEY_LANE:
            others.append(name)
        elif signed < MAX_SIGNED_POSTS:
            signed += 1
            yield name, post, ""
        else:
            yield name, None, ""
    for place, name in enumerate(others):
        yield name, read_post(box.folder, name) if place < MAX_OPEN_POSTS else None, ""


def _take(club: Club, name: str, post: Post) -> str:
    """Store one post; take in a signed statement now, and leave a file for later; return a line, or ""."""
    from pbem.mail.command_runner import take_from_file

    note = json.dumps([name])
    try:
        with club.store.step():
            club.store.put_note(TAKEN, note)
            if post.body.startswith(b"pbem1 ") and list(find_statements(decode(post.body))):
                is_join = post.body.startswith(b"pbem1 join")
                return "; ".join(take_from_file(club, post.body, SENDER if is_join else ""))
            club.store.add_incoming(utc_text(club.clock()), post.body, "")
            return ""
    except ConfigError:
        raise
    except Exception as bug:  # noqa: BLE001 - one post must not stop all others
        with club.store.step():
            club.store.put_note(TAKEN, note)
            number = club.store.add_incoming(utc_text(club.clock()), post.body, "")
            return quarantine.set_apart(club, quarantine.FILE, number, bug).text


def _remove_taken(club: Club, box: BoxSettings) -> None:
    """Remove from the post box the file of the post that was stored last."""
    if not (note := club.store.note(TAKEN)):
        return
    try:
        for name in json.loads(note):
            remove_post(box.folder, name)
    except OSError as problem:
        raise ConfigError(
            f"{box.folder / POSTS} cannot be written: {str(problem.strerror).lower()}; the judge needs to "
            "remove posts there"
        ) from None
    with club.store.step():
        club.store.put_note(TAKEN, "")


def _is_ready(alive: Alive, club: Club) -> bool:
    """Tell whether the post box could take posts long enough for everybody whom it refused to post again."""
    now = club.clock()
    missed = [when for when in (alive.since, alive.refused) if when is not None]
    return all(not timedelta(0) <= now - when < RETURN for when in missed)


def box_trouble(club: Club, box: BoxSettings) -> str:
    """Return the fault of the post box itself; "" if it has none."""
    alive = read_alive(box.folder)
    if alive is None:
        return f"the post box in {box.folder} has never shown that it runs: pbem box {box.folder}"
    if club.clock() - alive.time > SILENT:
        return f"the post box has not shown that it runs since {utc_text(alive.time)}: is pbem box running?"
    if alive.refused is not None and timedelta(0) <= club.clock() - alive.refused < RETURN:
        return f"the post box had no room for a post at {utc_text(alive.refused)}: make room on its disk"
    return ""


def wait_for_post(folder: Path | None, seconds: float) -> None:
    """Wait this many seconds for the next pass; if something is posted, less, but at least `LEAST_PAUSE`."""
    until = time.monotonic() + seconds
    time.sleep(min(seconds, LEAST_PAUSE) if folder is not None else seconds)
    while folder is not None and (left := until - time.monotonic()) > 0:
        if names_in(folder / POSTS, 1):
            return
        time.sleep(min(left, LOOK_SECONDS))
