"""The commands that the director's pages run, each with the fields of its form; there are no others.

A deed is a row: the command's words, what is asked, and whether the command can be tried first. What is typed
becomes one argument of the command, behind `--`, or the value of one option: never an option, never a word of
a shell.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pbem.errors import ConfigError

LONGEST = 1_000
"""Maximum number of characters that can be typed into one field."""
CONSENTS = "consents"
"""Name of the folder in the club's folder in which consents and new keys wait."""


@dataclass(frozen=True, slots=True)
class Blank:
    """A field in the form of a command; if it is `many`, each word in it is an argument of its own."""

    name: str
    words: str
    option: str = ""
    """The option of the command that takes the field's content; "" if an argument takes it."""
    many: bool = False
    needed: bool = True
    file: str = ""
    """The ending of the files, in the club's folder of consents, that the field offers; "" if it is typed
    in."""


@dataclass(frozen=True, slots=True)
class Deed:
    """A command that a button of the director's pages runs."""

    name: str
    title: str
    verb: tuple[str, ...]
    blanks: tuple[Blank, ...] = ()
    flags: tuple[str, ...] = ()
    tries: bool = False
    """Whether the command has the option --what-if."""
    about: str = "club"
    """The page on which the command's button stands: that of the club, of a game or of a league."""


GAME, LEAGUE = Blank("game", "Game"), Blank("league", "League")
REASON = Blank("reason", "Reason, which all players see", "--reason")
CONSENT = Blank("consent", "Consent", "--consent", needed=False, file=".consent")
SECOND = Blank("second", "Another consent", "--consent", needed=False, file=".consent")
ACT = ("game", "act")


def _act(what: str, title: str, *blanks: Blank) -> Deed:
    what_blank = Blank("what", "Act")
    return Deed(what, title, ACT, (GAME, what_blank, *blanks, REASON, CONSENT, SECOND), about="game")


DEEDS: Mapping[str, Deed] = {
    one.name: one
    for one in (
        Deed("pass", "Do one pass now", ("club", "run")),
        Deed(
            "apart-again",
            "Try again what is set apart",
            ("club", "apart"),
            (Blank("item", "What"),),
            ("--again",),
        ),
        Deed(
            "apart-drop",
            "Give up what is set apart",
            ("club", "apart"),
            (Blank("item", "What"),),
            ("--drop",),
        ),
        Deed(
            "offer",
            "Offer seats",
            ("seat", "offer"),
            (
                GAME,
                Blank("rules", "Rules", "--rules"),
                Blank("seats", "Seats that are free", "--seats", needed=False),
                Blank("rhythm", "How often a turn is played", "--rhythm", needed=False),
                Blank("about", "What else a reader should know", "--about", needed=False),
            ),
        ),
        Deed(
            "call",
            "Call for a substitute",
            ("seat", "offer"),
            (
                GAME,
                Blank("side", "Side", "--side"),
                Blank("rhythm", "How often a turn is played", "--rhythm", needed=False),
                Blank("about", "What else a reader should know", "--about", needed=False),
            ),
        ),
        Deed("offer-back", "Take an offer back", ("seat", "withdraw"), (GAME,)),
        Deed(
            "extend",
            "Move the deadline",
            ("game", "extend"),
            (GAME, Blank("days", "By how many days"), REASON),
            about="game",
        ),
        _act("hold", "Hold the game"),
        _act("resume", "Go on with the game"),
        _act("concede", "Enter that somebody concedes", Blank("of", "Who")),
        _act("claim", "Enter a claim", Blank("of", "From whom")),
        _act("agree-draw", "End it as a draw"),
        _act("roll-back", "Roll back", Blank("of", "First exchange that becomes void")),
        _act("correct", "Play an exchange again", Blank("of", "Exchange, and RULE=VALUE", many=True)),
        _act("go-on", "Go on with another release", Blank("of", "rules=HASH")),
        Deed(
            "replace-key",
            "Enter a new key",
            ("game", "replace-key"),
            (
                Blank("rotation", "Whose, as it was signed", file=".rotation"),
                Blank("reason", "Reason, if others consent", "--reason", needed=False),
                CONSENT,
                SECOND,
            ),
            about="game",
        ),
        Deed(
            "resend",
            "Send letters again",
            ("game", "resend"),
            (GAME, Blank("player", "To whom")),
            about="game",
        ),
        Deed(
            "rule",
            "Rule in a league",
            ("league", "rule"),
            (LEAGUE, Blank("decides", "Ruling, as pbem league rule takes it", many=True), REASON),
            tries=True,
            about="league",
        ),
        Deed(
            "correct-result",
            "Correct a result",
            ("league", "correct"),
            (LEAGUE, Blank("decides", "ROUND PAIRING ENDING NAME=PLACE NAME=PLACE", many=True), REASON),
            tries=True,
            about="league",
        ),
        Deed(
            "league-run",
            "Do what is due in a league",
            ("league", "run"),
            (LEAGUE,),
            tries=True,
            about="league",
        ),
    )
}
"""All commands that the director's pages can run, by their names."""
ACTS = frozenset(name for name, one in DEEDS.items() if one.verb == ACT)


def command_of(deed: Deed, given: Mapping[str, str], club: Path, *, is_trial: bool = False) -> list[str]:
    """Return the words after `pbem` in a command that a form was filled in for.

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
        if len(value) > LONGEST or not value.isprintable():
            raise ConfigError(f"{blank.words}: write one line of {LONGEST} characters at most")
        if blank.file:
            value = str(_file(club, value, blank.file))
        if blank.option:
            options.append(f"{blank.option}={value}")
        else:
            arguments += value.split() if blank.many else [value]
    trial = ["--what-if"] if is_trial and deed.tries else []
    return [*deed.verb, *options, *trial, *(["--", *arguments] if arguments else [])]


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


_PROPOSED = re.compile(r"pbem (game|league|club) ([a-z-]+)((?: [^\s,;:']+)*)")


def proposed_deeds(text: str) -> Iterator[tuple[Deed, dict[str, str]]]:
    """Yield the commands that a line about something waiting proposes, with fields filled from the line."""
    for group, verb, rest in _PROPOSED.findall(text):
        words = [word for word in rest.split() if word not in ("--reason", "TEXT", "...")]
        for deed in DEEDS.values():
            if deed.verb != (group, verb) or (deed.name in ACTS and words[1:2] != [deed.name]):
                continue
            if deed.flags and not set(deed.flags) <= set(words):
                continue
            yield deed, _filled(deed, [word for word in words if not word.startswith("-")])
            break


def _filled(deed: Deed, words: list[str]) -> dict[str, str]:
    """Return the fields that the words of a proposed command fill in, in the order of its form."""
    found: dict[str, str] = {}
    for blank in (one for one in deed.blanks if not one.option):
        taken = words if blank.many else words[:1]
        words = [] if blank.many else words[1:]
        found[blank.name] = " ".join(Path(one).name if blank.file else one for one in taken)
    return found
