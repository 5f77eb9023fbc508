"""The commands in plain text: help, status, resend, standings, my games. They need no secrecy and no proof.

A mail has commands if its first own line is one; further ones may follow, line by line, until the first
line that is none. A subject that is a command counts if the text has no line of its own. Everything that
speaks for a player (orders, absences, concessions) is signed and therefore no command. A command in a text
that a mail program has signed by PGP counts as one without: nobody checks that signature.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

MAX_COMMANDS = 5
_SHAPE = re.compile(
    r"(?P<word>help|status|resend|standings|my games)"
    r"(?:\s+(?P<game>[a-z0-9][a-z0-9._-]{0,63}))?(?:\s+(?P<number>[0-9]{1,6}))?[.!]?",
    re.IGNORECASE,
)
_PREFIX = re.compile(
    r"(?:(?:re|aw|fw|fwd|wg|sv|antw|vs|r|rif|odp|tr)(?:\[\d{1,3}\])?\s{0,3}:\s{0,3})+", re.IGNORECASE
)
_QUOTE = re.compile(r"\s{0,8}[>|]")
_LEAD_INS = re.compile(
    r"(on .{1,200}wrote:?|am .{1,200}schrieb.{0,200}:?|le .{1,200}[ée]crit\s?:?|el .{1,200}escribi[óo]:?|"
    r"-{2,}\s?(original message|forwarded message|urspr.{1,6}ngliche nachricht).{0,40}|_{8,}|from: .{1,300}|"
    r"von: .{1,300}|begin forwarded message:?)",
    re.IGNORECASE,
)
_PROGRAMS = (
    r"(i?phone|ipad|mobile|android|outlook|mail (app|for|für|pour)|gmail|yahoo|aol|proton ?mail|gmx|web\.de|"
    r"t-online|telekom|blackberry|samsung|thunderbird|k-9|bluemail|spark)\b[^?]{0,160}"
)
_FOOTER = re.compile(
    r"(sent|gesendet|envoy[ée]|enviado|inviato|verzonden) "
    r"((from|von|depuis|de|desde|da|dal|vanaf) (my|meine[mr]?|mon|mi|il mio|mijn) [^?]{1,80}|"
    rf"(from|with|via|using|von|mit|über|depuis|avec|de) ((the|der|dem|einem|a) )?{_PROGRAMS})|"
    r"von (meine[mr]|unterwegs)[^?]{0,80} gesendet|(get|holen sie sich|téléchargez) outlook [^?]{1,200}|"
    r"(diese nachricht|this message|this email) (wurde|was) (von|mit|sent)[^?]{1,200}",
    re.IGNORECASE,
)
"""Pattern of a line that a telephone or a mail program writes below what its owner has written."""
_PGP_BEGIN, _PGP_END = "-----BEGIN PGP SIGNED MESSAGE-----", "-----BEGIN PGP SIGNATURE-----"
_PGP_HEADER = re.compile(r"(hash|charset|comment|version|notdashescaped): ?.{0,100}", re.IGNORECASE)
_MAX_LINES = 200


@dataclass(frozen=True, slots=True)
class Command:
    """One command in a mail, with the `game` and `number` that were given for the command."""

    word: str
    game: str = ""
    number: int = 0

    @property
    def text(self) -> str:
        """The command in the words in which its sender writes it."""
        return " ".join(
            [self.word, *([self.game] if self.game else []), *([str(self.number)] if self.number else [])]
        )


def read_commands(text: str, subject: str = "") -> tuple[Command, ...]:
    """Return the commands in a mail's text, or else in its subject."""
    lines = own_lines(text)
    if not lines:
        lines = [_PREFIX.sub("", subject.strip(), count=1)]
    found: list[Command] = []
    for line in lines[:MAX_COMMANDS]:
        command = _read(line)
        if command is None:
            break
        found.append(command)
    return tuple(dict.fromkeys(found))


def own_lines(text: str) -> list[str]:
    """Return the lines at the top of a mail that its sender wrote: no quotes, nothing below a signature."""
    found, is_head = list[str](), False
    for line in text[:100_000].splitlines()[:_MAX_LINES]:
        bare = _strip_invisible(line)
        if bare == "--" or line.startswith("-- ") or bare == _PGP_END:
            break
        if _LEAD_INS.fullmatch(bare) or is_footer(bare):
            break
        is_head = bare == _PGP_BEGIN or (is_head and bool(_PGP_HEADER.fullmatch(bare)))
        if is_head:
            continue
        if bare and not _QUOTE.match(line):
            found.append(bare)
    return found


def is_command(line: str) -> bool:
    """Tell whether a line is a command, wherever it stands."""
    return _read(line) is not None


def is_footer(line: str) -> bool:
    """Tell whether a line is one that telephones and mail programs write below their owner's words."""
    return bool(_FOOTER.fullmatch(_strip_invisible(line).strip("-_*. ")))


def _read(line: str) -> Command | None:
    match = _SHAPE.fullmatch(line)
    if match is None:
        return None
    word, game, number = match["word"].lower(), (match["game"] or "").lower(), int(match["number"] or 0)
    if word == "help" and (game or number):
        return None
    return Command(word, game, number)


def _strip_invisible(line: str) -> str:
    """Return a line without blanks at its ends and without characters that are invisible."""
    kept = "".join(sign for sign in line if sign.isprintable() or sign.isspace())
    return " ".join(kept.split())
