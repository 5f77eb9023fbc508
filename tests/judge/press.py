"""A table whose players write to each other: what their programs would sign, and what reached whom."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from pbem.judge.intake import desk
from pbem.judge.intake.player_files import Verdict
from pbem.trust import keys, sealing
from pbem.trust.armor import find_sealed
from pbem.trust.press import PRESS_UNIT, Message, PressShown, read_letter, show_paper, sign_message
from pbem.trust.sealing import pad
from tests.judge.table import GAME, Table


def allow(table: Table, kind: str = "white", **more: object) -> None:
    """Have club.toml allow press, and open the club anew."""
    path = table.club.path / "club.toml"
    settings = {"kind": f'"{kind}"', **more}
    text = path.read_text(encoding="utf-8").partition("\n[press]")[0]
    path.write_text(
        f"{text}\n[press]\n" + "".join(f"{word} = {value}\n" for word, value in settings.items()),
        encoding="utf-8",
    )
    tomllib.loads(path.read_text(encoding="utf-8"))
    table.reopen()


def message_of(table: Table, writer: str, to: str, text: str = "Peace?\n", **more: Any) -> Message:
    """A message as its writer's program makes it."""
    number = more.pop("number", 1)
    return Message(
        game=GAME,
        genesis=more.pop("genesis", table.genesis),
        writer=writer,
        to=tuple(to.split(" ")),
        number=number,
        made=more.pop("made", table.clock().replace(microsecond=0)),
        text=text,
        **more,
    )


def sealed_message(table: Table, message: Message, key: keys.PrivateKey | None = None) -> bytes:
    """A message signed, padded and sealed to the judge's key."""
    signed = sign_message(message, key or table.people[message.writer].key)
    return sealing.seal(pad(signed, PRESS_UNIT), [table.club.key.public])


def write(table: Table, writer: str, to: str, text: str = "Peace?\n", **more: Any) -> Verdict:
    """Hand a message in."""
    key = more.pop("key", None)
    (verdict,) = desk.submit(
        table.club, sealed_message(table, message_of(table, writer, to, text, **more), key)
    )
    return verdict


def letters_of(table: Table, name: str) -> list[bytes]:
    """All opened texts about press among the letters to somebody."""
    letters = (one for one in table.club.store.letters() if one.player == name and "-press-" in one.name)
    parts = (part for letter in letters for part in find_sealed(letter.data))
    return [sealing.open_sealed(part, [table.people[name].key]) for part in parts]


def read_by(table: Table, name: str) -> list[PressShown]:
    """What somebody was shown, with all signatures checked."""
    judge = table.club.key.public
    return [
        show_paper(read_letter(text, judge).paper, judge)
        for text in letters_of(table, name)
        if text.startswith(b"pbem1 press-letter\n")
    ]


def bytes_of(path: Path) -> dict[str, bytes]:
    """Every file below a folder."""
    return {one.relative_to(path).as_posix(): one.read_bytes() for one in path.rglob("*") if one.is_file()}
