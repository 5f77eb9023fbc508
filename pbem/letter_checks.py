"""Checks of a letter's words against the entries that its reader has: the lies that these words can show.

No entry holds the hash of an invitation or a notice. What they tell of the game is held against the entries:

    an invitation   players, keys, options, first head and first deadline, against genesis and exchange 1
    a notice        the position that it shows, against the report of the last exchange that counts; it may
                    differ by what follows from the entries: which exchange is open, until when, and how long
                    the ledger is

All else in them is the judge's word alone (protocol, "What a letter says").
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from itertools import chain, zip_longest
from typing import Any

from pbem.characters import split_lines, split_words, strip_blanks
from pbem.play.history import Exchange, History, bases_of
from pbem.reports.packing import shows_view, unpack, unpack_asks
from pbem.trust.entries import GAME_OPTION, Genesis
from pbem.trust.identifiers import quote
from pbem.trust.letters import REPORT, ReportLetter
from pbem.trust.times import utc_text

_FINGERPRINT = re.compile(r"SHA256:[A-Za-z0-9+/]{43}")
_FORM = re.compile(r"^(pbem1 orders\ngame [^\n]*\nexchange )[0-9]+$", re.MULTILINE)
_HASH = re.compile(r"(?<![0-9a-f])[0-9a-f]{64}(?![0-9a-f])")
_LEDGER = re.compile(r"^The ledger holds ([0-9]{1,9}) entries; its head is\n  ([0-9a-f]{64})$", re.MULTILINE)
_OPTIONS = re.compile(r"^options that differ from the usual ones\n((?:  .*\n)+)", re.MULTILINE)
_PAGE = re.compile(r"^To play in a browser.*\n(?:.*\n)?\n  [0-9a-f]{64}$", re.MULTILINE)


def find_contradiction(
    letter: ReportLetter,
    history: History,
    heads: Sequence[str],
    committed: Callable[[Exchange], str | None],
) -> str:
    """Return how an invitation or notice contradicts the entries; "" if no contradiction shows.

    A report is not checked, as an entry has its hash.

    `committed`: the report of an exchange to the letter's audience as the ledger commits it, if it is there.
    """
    if letter.exchange == 0:
        if shows_view(letter.report) or _FORM.search(letter.report):
            return "it shows a position or an order form, and no report has been made yet"
        return next(_other_facts(letter, history, heads), "")
    return find_other_position(letter, history, heads, committed) if letter.kind != REPORT else ""


def _other_facts(letter: ReportLetter, history: History, heads: Sequence[str]) -> Iterator[str]:
    """Yield each fact of an invitation that contradicts genesis or exchange 1.

    An invitation of another release may leave out some facts; those that it has must be true.
    """
    genesis, text = history.genesis, letter.report
    people = {one.side: f"{one.side}: {one.name}, key {one.fingerprint}" for one in genesis.players}
    options, opened = dict(genesis.options), history.exchanges[:1]
    facts = [
        (r"^You are invited to the game ([^ \n]+), as ", [genesis.game], "the game"),
        (r"^You are invited to the game [^ \n]+, as ([^.\n]*)", [letter.audience], "your side"),
        (r"^  ([^ \n]+: [^ \n]+, key [^ \n]+)$", [*people.values()], "the players"),
        (r"^judge's key ([^ \n]+)", [genesis.gm], "the judge's key"),
        (r"^rules ([^ \n]+)", [str(options.get(GAME_OPTION, ""))], "the rules"),
        (r"^rated ([^ \n]+)$", ["yes"] if genesis.rated else [], "whether the game is rated"),
    ]
    if opened and (deadline := opened[0].opened.deadline):
        facts.append(
            (r"^Exchange 1 is open until (.*) UTC\.$", [f"{deadline:%Y-%m-%d %H:%M}"], "the deadline")
        )
    for pattern, true, what in facts:
        for found in re.findall(pattern, text, re.MULTILINE):
            if found not in true:
                ledger = quote(" or ".join(true) or "nothing", 300)
                yield f"{what}: it says {quote(found, 120)}, the ledger {ledger}"
    for block in _OPTIONS.findall(text):
        for line in split_lines(block):
            name, _, value = line.strip(" ").partition(" ")
            if options.get(name) != value:
                yield f"the option {quote(name)}: it says {quote(value)}, the ledger {options.get(name)}"
    known = {genesis.gm, *(key for one in genesis.players for key in (one.fingerprint, one.recovery) if key)}
    known |= {genesis.official[1]} if genesis.official else set()
    for key in _FINGERPRINT.findall(text):
        if key not in known:
            yield f"it names the key {key}, which is nobody's in genesis"
    for head in _HASH.findall(_PAGE.sub("", text)):
        if head != heads[0]:
            yield f"the head of the first entry: it says {head}, the ledger {heads[0]}"


def missing_lines(text: str, genesis: Genesis) -> Iterator[str]:
    """Yield the lines on players, key, rules and options in genesis that an invitation does not have.

    Another release may have other words for them, and so may a judge who lies.
    """
    from pbem.guides import chosen_options

    options = dict(genesis.options)
    rules = str(options.pop(GAME_OPTION, ""))
    chosen = chosen_options(rules, options)
    lines = {strip_blanks(line) for line in split_lines(text)}
    said = [f"{one.side}: {one.name}, key {one.fingerprint}" for one in genesis.players]
    said += [f"judge's key {genesis.gm}", *(f"{name} {value}" for name, value in chosen.items())]
    said += ["rated yes"] if genesis.rated else []
    yield from (one for one in said if one not in lines)
    if rules and not any(f"{line} ".startswith(f"rules {rules} ") for line in lines):
        yield f"rules {rules}"


def last_report(history: History, exchange: Exchange | None = None) -> Exchange | None:
    """Return the exchange whose report shows the position in which an exchange was opened.

    Without `exchange`: the position of now. None before the first report.
    """
    if exchange is not None:
        return bases_of(history)[exchange.number]
    return history.resolved[-1] if history.resolved else None


def find_other_position(
    letter: ReportLetter,
    history: History,
    heads: Sequence[str],
    committed: Callable[[Exchange], str | None],
) -> str:
    """Return how the position in a notice differs from the one that the ledger commits to; "" if not."""
    if not shows_view(letter.report):
        return ""
    if not 1 <= letter.exchange <= len(history.exchanges):
        return f"it shows a position of exchange {letter.exchange}, which is not that of any report"
    opened = history.exchanges[letter.exchange - 1]
    if (last := last_report(history, opened)) is None:
        return "it shows a position, and no report has been made yet"
    if last.era != opened.era:
        return ""  # the players have agreed to another release since, which may show it in another way
    if (report := committed(last)) is None:
        return ""  # nothing is gone by: the position of a notice is used only beside that report
    if found := difference(history, heads, last, opened, report, letter.report):
        return f"its position is not that of the report of exchange {last.number}: {found}"
    return ""


def difference(
    history: History, heads: Sequence[str], last: Exchange, opened: Exchange, report: str, notice: str
) -> str | None:
    """Return how a notice with a position differs from the report of the last exchange that counts.

    "" if all that differs is the exchange that is open, its deadline, and the length and head of the ledger.
    None if the report has other words for these than this program knows: nothing can be said then.
    """
    ours, theirs = unpack(report), unpack(notice)
    if ours is None:
        return None  # the ledger commits to a report without a position: nothing is gone by
    if theirs is None:
        return "its position cannot be read"
    for name, one, other in (
        ("view", ours[0], theirs[0]),
        ("events", ours[1], theirs[1]),
        ("questions", unpack_asks(report), unpack_asks(notice)),
    ):
        if found := _first_difference(one, other, name):
            return found
    return _other_words(history, heads, last, opened, report, notice)


def with_form_for(report: str, exchange: int) -> str:
    """Return a report with the number of another exchange in its order form."""
    return _FORM.sub(rf"\g<1>{exchange}", report)


def _first_difference(one: Any, other: Any, where: str) -> str:
    """Return the first place at which two parts of a position differ, with what stands there in each."""
    pairs: Iterable[tuple[Any, Any, Any]] = ()
    if type(one) is type(other) and isinstance(one, dict) and one.keys() == other.keys():
        pairs = ((key, one[key], other[key]) for key in one)
    elif type(one) is type(other) and isinstance(one, list | tuple) and len(one) == len(other):
        pairs = ((place, *both) for place, both in enumerate(zip(one, other, strict=True), 1))
    elif type(one) is not type(other) or one != other:
        return f"{where}: the report has {quote(repr(one), 80)}, the notice {quote(repr(other), 80)}"
    found = (_first_difference(ours, theirs, f"{where}, {key}") for key, ours, theirs in pairs)
    return next(filter(None, found), "")


def _other_words(
    history: History, heads: Sequence[str], last: Exchange, opened: Exchange, report: str, notice: str
) -> str | None:
    """Return the first words of a notice that differ from report and entries; None if nothing can be said.

    Lines may be broken elsewhere only before and where the open exchange is named.
    """
    following = history.exchanges[last.number : last.number + 1]
    ours = _at_open(report, last.number + 1, following[0].opened.deadline if following else None)
    theirs = _at_open(notice, opened.number, opened.opened.deadline)
    if ours is None:
        return None
    if theirs is None:
        return f"it does not say of exchange {opened.number} what its entry says"
    rest = _with_ledger_of(theirs[1], with_form_for(ours[1], opened.number), heads)
    pairs = zip_longest(split_words(ours[0]), split_words(theirs[0]), fillvalue="")
    lines = zip_longest(split_lines(rest), split_lines(theirs[1]), fillvalue="")
    found = next(((one, other) for one, other in chain(pairs, lines) if one != other), None)
    return f"the report has {quote(found[0])}, the notice {quote(found[1])}" if found else ""


def _at_open(text: str, exchange: int, deadline: datetime | None) -> tuple[str, str] | None:
    """Return the text before and behind the words that an exchange is open; None if these are missing."""
    words = f"Exchange {exchange} is open{f' until {utc_text(deadline)}' if deadline else ''}."
    found = re.search(r"[ \n]+".join(map(re.escape, words.split(" "))), text)
    return (text[: found.start()], text[found.end() :]) if found else None


def _with_ledger_of(notice: str, report: str, heads: Sequence[str]) -> str:
    """Return a report with the ledger's length and head replaced by a notice's, if the notice's are true."""
    ours, theirs = list(_LEDGER.finditer(report))[-1:], list(_LEDGER.finditer(notice))[-1:]
    for one, other in zip(ours, theirs, strict=False):
        if int(other[1]) in range(1, len(heads) + 1) and heads[int(other[1]) - 1] == other[2]:
            return f"{report[: one.start()]}{other[0]}{report[one.end() :]}"
    return report
