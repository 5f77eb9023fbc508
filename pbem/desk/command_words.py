"""The words of a deed's command, made of what is typed, and deeds found in the words of a command.

What is typed becomes one argument of the command, behind `--`, or the value of one option: never an option,
never a word of a shell. A text of many lines is kept as a file in the club's folder, and the file is the
argument.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from pathlib import Path

from pbem.desk.deeds import ACTS, DEEDS, GAME, LEAGUE, REASON, Blank, Deed
from pbem.errors import ConfigError
from pbem.trust.private_files import write_private_file

LONGEST = 1_000
"""Maximum number of characters that can be typed into a field of one line."""
LONGEST_TEXT = 100_000
"""Maximum number of characters of a field of many lines; a sealed message has 90,000."""
TEXTS = "desk"
"""Name of the folder in the club's folder in which the desk keeps texts for its commands."""
CONSENTS = "consents"
"""Name of the folder in the club's folder in which consents and new keys wait."""


def command_of(deed: Deed, given: Mapping[str, str], club: Path, *, is_trial: bool = False) -> list[str]:
    """Return the words of a deed's command that follow `pbem`; texts that it reads are written first.

    Raises:
        ConfigError: a field is empty, too long, or names no file that waits.
    """
    options, arguments = [f"--club={club}", *deed.flags], []
    for blank in deed.blanks:
        value = deed.name if blank.name == "what" and deed.name in ACTS else given.get(blank.name, "").strip()
        if not value:
            if blank.needed:
                raise ConfigError(f"fill in: {blank.words}")
            continue
        if blank.text:
            value = str(_written(club, blank, given[blank.name]))
        elif len(value) > LONGEST or not value.isprintable():
            raise ConfigError(f"{blank.words}: write one line of {LONGEST} characters at most")
        if blank.file:
            value = str(_file(club, value, blank.file))
        values = value.split() if blank.many else [value]
        if blank.option:
            options += [f"{blank.option}={one}" for one in values]
        else:
            arguments += values
    trial = ["--what-if"] if is_trial and deed.can_try(given) else []
    return [*deed.verb, *options, *trial, *(["--", *arguments] if arguments else [])]


def blank_at_fault(deed: Deed, given: Mapping[str, str], said: str) -> str:
    """Return the name of the field that a refusal is about; "" if it names none.

    A refusal names a field by its words, its option or argument, or what was typed. The game or the league
    stands in most refusals, so it is asked last.
    """
    said = _COMMAND.sub("", said)
    blanks = [blank for blank in deed.blanks if blank.name != "what"]
    blanks.sort(key=lambda one: one in (GAME, LEAGUE))

    def names(word: str) -> bool:
        return bool(word) and re.search(rf"(?<![\w-]){re.escape(word)}(?![\w-])", said) is not None

    for blank in blanks:
        if blank.words in said or names(blank.option) or names(blank.name.upper()):
            return blank.name
    for blank in blanks:
        typed = "" if blank.text else given.get(blank.name, "").strip()
        if names(typed) or (blank is not REASON and any(map(names, re.split(r"[\s,=]+", typed)))):
            return blank.name
    return blanks[0].name if len(blanks) == 1 else ""


_COMMAND = re.compile(r"\bpbem [a-z][^;)\n]*")
"""A command that a refusal proposes; it says nothing about the field that is wrong."""


def in_words(words: Sequence[str]) -> str:
    """Return a command in the words that a person would type."""
    return shlex.join(["pbem", *words])


def files_of(club: Path, ending: str) -> tuple[str, ...]:
    """Return the names of the files that wait for the director in the club's folder of consents."""
    return tuple(sorted(path.name for path in (club / CONSENTS).glob(f"*{ending}")))


def _file(club: Path, name: str, ending: str) -> Path:
    if name not in files_of(club, ending):
        raise ConfigError(f"no {ending.removeprefix('.')} called {name[:80]} waits")
    return club / CONSENTS / name


def _written(club: Path, blank: Blank, text: str) -> Path:
    """Return the file that holds a text for a command; the same text is always the same file.

    Raises:
        ConfigError: the text is too long.
    """
    if len(text) > LONGEST_TEXT:
        raise ConfigError(f"{blank.words}: write {LONGEST_TEXT} characters at most")
    data = text.replace("\r\n", "\n").encode()
    path = club / TEXTS / f"{blank.name}-{sha256(data).hexdigest()[:16]}{blank.text}"
    path.parent.mkdir(mode=0o700, exist_ok=True)
    write_private_file(path, data, replace=True)
    return path


_PROPOSED = re.compile(r"pbem (game|league|club) ([a-z-]+)((?: [^\s,;:']+)*)")

_PLACEHOLDERS = ("TEXT", "...", '"..."')


def proposed_deeds(text: str) -> Iterator[tuple[Deed, dict[str, str]]]:
    """Yield the commands that a line about something waiting proposes, with fields filled from the line."""
    for group, verb, rest in _PROPOSED.findall(text):
        words = rest.split()
        for deed in sorted(DEEDS.values(), key=lambda one: -len(one.flags)):
            if deed.verb != (group, verb) or (deed.name in ACTS and words[1:2] != [deed.name]):
                continue
            needed = {blank.option for blank in deed.blanks if blank.needed} - {"", REASON.option}
            if not needed.union(deed.flags) <= set(words):
                continue
            yield deed, _filled(deed, words)
            break


def _filled(deed: Deed, words: Sequence[str]) -> dict[str, str]:
    """Return the fields that the words of a command fill in: options by name, arguments in their order."""
    given: dict[str, list[str]] = {}
    rest = iter(word for word in words if word not in deed.flags)
    for word in rest:
        option = word if word.startswith("-") else ""
        given.setdefault(option, []).append(next(rest, "") if option else word)
    found: dict[str, str] = {}
    for blank in (one for one in deed.blanks if not one.text):
        values = given.get(blank.option, [])
        taken = values[:] if blank.many else values[:1]
        del values[: len(taken)]
        if taken and taken[0] not in _PLACEHOLDERS:
            found[blank.name] = " ".join(Path(one).name if blank.file else one for one in taken)
    return found
