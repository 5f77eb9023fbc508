"""The commands that the director's pages run, each with the fields of its form; there are no others.

A deed is a row: the command's words, what is asked, and whether the command can be tried first. What is typed
becomes one argument of the command, behind `--`, or the value of one option: never an option, never a word of
a shell. A text of many lines is kept as a file in the club's folder, and the file is the argument. A deed is
also found in the words of a command that is proposed. The facts on the desk's pages are what commands have
printed.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from pbem.errors import ConfigError
from pbem.rules import load, names
from pbem.rules.base import UnknownOption
from pbem.trust.keys import write_private_file

if TYPE_CHECKING:
    from collections.abc import Iterable


@dataclass(frozen=True, slots=True)
class Blank:
    """A field of a deed's form; if it is `many`, each word in it is an argument, or an option, of its own."""

    name: str
    words: str
    option: str = ""
    """The option of the command that takes the field's content; "" if an argument takes it."""
    many: bool = False
    needed: bool = True
    file: str = ""
    """The ending of the files in the club's folder of consents that the field offers; "" if none."""
    text: str = ""
    """The ending of the file in which the lines of the field are kept; "" if the field has a single line."""
    starts: tuple[tuple[str, ...], ...] = ()
    """Commands that print a text with which to begin filling in the field; each ends with the text's name."""
    is_rules: bool = False
    """Whether the director chooses one of the installed games in this field, instead of typing."""
    is_seating: bool = False
    """Whether players are typed here in the order of the sides, which the form then lists."""


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
    tries_only: str = ""
    """The only kind of signed text with which the command can be tried; "" if it can be tried with any."""
    about: str = "club"
    """The page on which the command's button stands: that of the club, of a game or of a league."""
    group: str = ""
    """The group in which the button stands; "" if it stands only beside a line that proposes its command."""
    states: tuple[str, ...] = ("open", "on hold")
    """The states of a game in which the button stands."""

    @property
    def then_pass(self) -> bool:
        """Whether the desk runs a pass after the command, so that players hear of the decision at once."""
        return self.about != "club"

    def can_try(self, given: Mapping[str, str]) -> bool:
        """Tell whether the deed's command has a trial for what the director has typed into the form."""
        if not self.tries_only:
            return self.tries
        kinds = set(_SIGNED.findall("\n".join(given.get(blank.name, "") for blank in self.blanks)))
        return self.tries and kinds == {self.tries_only}


_SIGNED = re.compile(r"^pbem1 ([a-z-]+)\r?$", re.MULTILINE)
"""A pattern of the first line of a signed text, which names the kind of the text."""


DECIDE, TIME, PEOPLE, END, PLAY, UPKEEP = "Decide", "Time", "People", "End", "Play", "Upkeep"
GROUPS = (PLAY, DECIDE, TIME, PEOPLE, END, UPKEEP)
"""The groups of buttons, in the order in which they stand on a page."""
GAME, LEAGUE = Blank("game", "Game"), Blank("league", "League")
REASON = Blank("reason", "Reason, which all players see", "--reason")
CONSENT = Blank("consent", "Consent", "--consent", needed=False, file=".consent")
SECOND = Blank("second", "Another consent", "--consent", needed=False, file=".consent")
ACT = ("game", "act")
PRESETS = tuple(("league", "preset", name) for name in ("knockout", "swiss", "sections", "ladder"))
RHYTHM = Blank("rhythm", "How often a turn is played", "--rhythm", needed=False)
ABOUT = Blank("about", "What else a reader should know", "--about", needed=False)
RULES = Blank("rules", "Rules", "--rules", needed=False, is_rules=True)
RULING = Blank(
    "decides", "Ruling: start, or result 1 2 forfeited ann=1 ben=2, or as its help says", many=True
)
BY = Blank("by", "Assistant who decides, if it is not the director", "--by", needed=False)


def _act(group: str, what: str, title: str, *blanks: Blank) -> Deed:
    what_blank = Blank("what", "Act")
    states = {"hold": ("open",), "resume": ("on hold",)}.get(what, ("open", "on hold"))
    asked = (GAME, what_blank, *blanks, REASON, CONSENT, SECOND)
    return Deed(what, title, ACT, asked, about="game", group=group, states=states)


def _opening(name: str, title: str, *flags: str) -> Deed:
    return Deed(
        name,
        title,
        ("game", "new"),
        (
            GAME,
            RULES,
            Blank("players", "Who plays, in the order of the sides: ann,ben", "--players", is_seating=True),
            Blank(
                "choices", "Options of the game: NAME=VALUE NAME=VALUE", "--option", many=True, needed=False
            ),
        ),
        flags,
        group=PLAY,
    )


DEEDS: Mapping[str, Deed] = {
    one.name: one
    for one in (
        Deed("pass", "Do one pass now", ("club", "run"), group=UPKEEP),
        Deed(
            "pass-after-gap",
            "Do one pass after a gap: the clock is right",
            ("club", "run"),
            (),
            ("--after-gap",),
            group=UPKEEP,
        ),
        Deed(
            "backup",
            "Make a backup",
            ("club", "backup"),
            (Blank("folder", "Folder, best on another disk; its backup is named after the time", "--into"),),
            group=UPKEEP,
        ),
        Deed(
            "answered",
            "Enter that a mail is answered",
            ("club", "status"),
            (Blank("number", "Its number", "--answered"),),
        ),
        Deed(
            "open-league",
            "Open a league",
            ("league", "new"),
            (Blank("league-file", "The league's file", text=".toml", starts=PRESETS),),
            tries=True,
            group=PLAY,
        ),
        _opening("open-game", "Open a game"),
        _opening("open-rated-game", "Open a game that counts in the ratings", "--rated"),
        Deed(
            "enrol",
            "Enrol a player, or change an address",
            ("club", "player", "add"),
            (
                Blank("player", "Name"),
                Blank("key", "Public key or join file", needed=False, text=".txt"),
                Blank("address", "Where letters go", "--address", needed=False),
            ),
            group=PEOPLE,
        ),
        Deed(
            "submit",
            "Hand in what a player has signed",
            ("club", "submit"),
            (Blank("signed", "What the player has signed, or sealed orders", text=".txt"),),
            tries=True,
            tries_only="league",
            group=PEOPLE,
        ),
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
                RULES,
                Blank("seats", "Seats that are free", "--seats", needed=False),
                RHYTHM,
                ABOUT,
            ),
            group=PEOPLE,
        ),
        Deed(
            "call",
            "Call for a substitute",
            ("seat", "offer"),
            (GAME, Blank("side", "Side", "--side"), RHYTHM, ABOUT),
            about="game",
            group=PEOPLE,
        ),
        Deed("offer-back", "Take an offer back", ("seat", "withdraw"), (GAME,), group=PEOPLE),
        Deed(
            "extend",
            "Move the deadline",
            ("game", "extend"),
            (GAME, Blank("days", "By how many days"), REASON),
            about="game",
            group=TIME,
        ),
        _act(TIME, "hold", "Hold the game"),
        _act(TIME, "resume", "Go on with the game"),
        _act(END, "concede", "Enter that somebody concedes", Blank("of", "Who")),
        _act(END, "claim", "Enter a claim", Blank("of", "From whom")),
        _act(END, "agree-draw", "End it as a draw"),
        _act(DECIDE, "roll-back", "Roll back", Blank("of", "First exchange that becomes void")),
        _act(DECIDE, "correct", "Play an exchange again", Blank("of", "Exchange, and RULE=VALUE", many=True)),
        _act(DECIDE, "go-on", "Go on with another release", Blank("of", "rules=HASH")),
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
            group=PEOPLE,
        ),
        Deed(
            "resend",
            "Send letters again",
            ("game", "resend"),
            (GAME, Blank("player", "To whom")),
            about="game",
            group=PEOPLE,
            states=("open", "on hold", "over"),
        ),
        Deed(
            "rule",
            "Rule in a league",
            ("league", "rule"),
            (LEAGUE, RULING, REASON, BY),
            tries=True,
            about="league",
            group=DECIDE,
        ),
        Deed(
            "correct-result",
            "Correct a result",
            ("league", "correct"),
            (LEAGUE, Blank("decides", "ROUND PAIRING ENDING NAME=PLACE NAME=PLACE", many=True), REASON, BY),
            tries=True,
            about="league",
            group=DECIDE,
        ),
        Deed(
            "league-run",
            "Do what is due in a league",
            ("league", "run"),
            (LEAGUE,),
            tries=True,
            about="league",
            group=TIME,
        ),
    )
}
"""All commands that the director's pages can run, by their names."""
ACTS = frozenset(name for name, one in DEEDS.items() if one.verb == ACT)

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
"""A pattern of a command that a refusal proposes, which does not show what field is wrong."""


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


OPEN, ON_HOLD, OVER = "open", "on hold", "over"
"""The states of a game; the second is the trouble that `pbem club status` names for a game on hold."""
DECIDED = "decided by its league"
"""The trouble that `pbem club status` names for a game with a result in its league, as good as over."""
MOST_SIDES = 8
"""The largest number of players with which the desk tries to find the sides of a game."""


class Proposal(NamedTuple):
    """A button beside something that waits: the deed, and the fields that it fills in."""

    deed: Deed
    given: Mapping[str, str]


class Waiting(NamedTuple):
    """Something that waits for the director: its lines, and the buttons that stand below them."""

    lines: list[str]
    proposals: list[Proposal]


def facts_of(text: str) -> dict[str, Any] | None:
    """Return the data that a command prints with `--json`; None if it prints none."""
    at = text.find("{")
    try:
        found = json.loads(text[at:]) if at >= 0 else None
    except ValueError:
        return None
    return found if isinstance(found, dict) else None


def waiting_rows(lines: Iterable[str]) -> list[Waiting]:
    """Return what waits for the director, with buttons; requests to join one game stand together with one."""
    found, wishes = list[Waiting](), dict[str, Waiting]()
    for line in lines:
        proposals = [Proposal(*one) for one in proposed_deeds(line)]
        row = Waiting([line], proposals)
        if [one.deed.name for one in proposals] == ["open-game"]:
            given = proposals[0].given
            first = wishes.setdefault(given["game"], row)
            if first is not row:
                (known,) = first.proposals
                players = dict.fromkeys([*known.given["players"].split(","), *given["players"].split(",")])
                first.lines.append(line)
                first.proposals[:] = [Proposal(known.deed, {**given, "players": ",".join(players)})]
                continue
        found.append(row)
    return found


def trouble_lines(facts: Mapping[str, Any]) -> list[str]:
    """Return lines about trouble with mail, games that cannot go on, and another copy of the folder.

    A game that the director has put on hold is left out, since nothing is wrong with it.
    """
    lines = [f"{game}: {why}" for game, why in facts.get("held", {}).items() if why != ON_HOLD]
    lines += [str(one) for name in ("mail", "settings", "not mailed") for one in facts.get(name, ())]
    return [
        *lines,
        *(str(facts[name]) for name in ("not answered", "returned", "elsewhere") if facts.get(name)),
    ]


def state_of(game: str, facts: Mapping[str, Any]) -> str:
    """Return the state of a game: `OPEN`, `ON_HOLD` or `OVER`; a game that is not among the facts is open."""
    for one in facts.get("games", ()):
        if one["game"] == game:
            is_over = one["over"] or one["trouble"] == DECIDED
            return OVER if is_over else ON_HOLD if one["trouble"] == ON_HOLD else OPEN
    return OPEN


def grouped_deeds(about: str, state: str = "") -> list[tuple[str, Sequence[Deed]]]:
    """Return the deeds that have a button on a page, by group; for a game, those that its state allows."""
    found = [deed for deed in DEEDS.values() if deed.about == about and (not state or state in deed.states)]
    groups = [(group, [deed for deed in found if deed.group == group]) for group in GROUPS]
    return [(group, deeds) for group, deeds in groups if deeds]


def sides_by_rules() -> dict[str, tuple[str, tuple[str, ...]]]:
    """Return each installed game by name: its title, and its sides in the order in which players are named.

    Of a game for several numbers of players they are the sides of the largest number.
    """
    found = {}
    for name in names():
        rules = load(name)
        sides = rules.sides(rules.checked({}))
        for count in range(len(sides) + 1, MOST_SIDES + 1):
            with suppress(UnknownOption):
                sides = rules.sides(rules.checked({"players": count}))
        found[name] = (rules.title, sides)
    return found
