"""The text of a mail: how it is decoded, and the commands that are found in it.

Decoding tries strict UTF-8 first, then the character set that is declared, with us-ascii and latin-1 read as
cp1252; a byte order mark wins over both, and so do the zeros of UTF-16 without one. HTML and archives are
decoded, too. Nothing here fails, and all is linear in the text.

Commands (help, status, resend, standings, my games) need no secrecy and no proof. A mail has commands if its
first own line is one; further ones may follow, line by line, until the first line that is none. A subject
that is a command counts if the text has no line of its own. Everything that speaks for a player (orders,
absences, concessions) is signed and therefore no command. A command in a text that a mail program has signed
by PGP counts as one without: nobody checks that signature.
"""

from __future__ import annotations

import codecs
import io
import re
from collections.abc import Iterator
from dataclasses import dataclass

from pbem.trust.armor import unescape_html

_ZIP = b"PK\x03\x04"
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_LATIN = {"", "ascii", "iso8859-1", "utf-8", "latin-1"}
_TOKEN = re.compile(r"<(/?)([A-Za-z][A-Za-z0-9]{0,20})\b[^<>]*>|<[^<>]*>|[^<]+|<")
_HIDDEN = {"head", "script", "style", "title"}
_BREAKING = set(
    """
    address article aside blockquote body br center dd div dl dt fieldset figure footer form h1 h2 h3 h4 h5
    h6 header hr html li main nav ol p pre section table tbody td tfoot th thead tr ul
    """.split()
)


def only_file(data: bytes, most: int) -> bytes:
    """Return the one file in a zip archive if it has at most `most` bytes; else the data itself."""
    if not data.startswith(_ZIP):
        return data
    import zipfile

    try:
        with zipfile.ZipFile(io.BytesIO(data)) as opened:
            (one,) = (entry for entry in opened.infolist() if not entry.is_dir())
            with opened.open(one) as stream:
                found = stream.read(most + 1)
    except Exception:  # noqa: BLE001 - whatever the archive's reader dies of, it stays an archive
        return data
    return found if len(found) <= most else data


def decode(data: bytes, charset: str = "") -> str:
    """Return the text of `data`, which is said to be in the character set `charset`."""
    for mark, name in _MARKS:
        if data.startswith(mark):
            return data[len(mark) :].decode(name, errors="replace")
    if name := _wide(data[:512]):
        return data.decode(name, errors="replace")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        pass
    try:
        codec = codecs.lookup(charset.strip()[:40] if charset.isascii() else "")
        text = getattr(codec, "_is_text_encoding", False) and codec.name not in _LATIN
        return data.decode(codec.name if text else "cp1252", errors="replace")
    except (LookupError, ValueError):
        return data.decode("cp1252", errors="replace")


def _wide(data: bytes) -> str:
    """Return the name of the UTF-16 encoding that the zeros in data show; "" if they show none."""
    even, odd = data[::2], data[1::2]
    for name, zeros, letters in (("utf-16-le", odd, even), ("utf-16-be", even, odd)):
        if zeros and 10 * zeros.count(0) > 9 * len(zeros) and not letters.count(0):
            return name
    return ""


def html_text(page: str) -> str:
    """Return the text that an HTML page shows: a line for each block, quotes marked as in plain text."""
    return unescape_html("".join(_pieces(_without_comments(page))))


def _without_comments(page: str) -> str:
    kept = []
    at = 0
    while (begin := page.find("<!--", at)) >= 0:
        kept.append(page[at:begin])
        end = page.find("-->", begin)
        if end < 0:
            return "".join(kept)
        at = end + 3
    return "".join([*kept, page[at:]])


def _pieces(page: str) -> Iterator[str]:
    hidden, quoted = "", 0
    for token in _TOKEN.finditer(page):
        name = (token[2] or "").lower()
        if hidden:
            if name == hidden and token[1]:
                hidden = ""
        elif name in _HIDDEN and not token[1]:
            hidden = name
        elif name in _BREAKING:
            if name == "blockquote":
                quoted = max(0, quoted - 1) if token[1] else min(quoted + 1, 20)
            yield f"\n{'> ' * quoted}"
        elif not token[0].startswith("<") or token[0] == "<":
            yield token[0].replace("\r", " ").replace("\n", " ")


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
