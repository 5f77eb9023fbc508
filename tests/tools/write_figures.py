"""Write the figures that stand in sentences and tables of our pages: python -m tests.tools.write_figures

Each figure has one source: a table that a script has printed, a limit in the code, a count that a test
holds, a sum that is reckoned, or a game by mail that is played here. `tests/test_measurements.py` compares
the pages with what would be written. Times are not among them: they stand with their script, the day and
what else ran.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from pbem.titles import default_name
from tests.attacks.framing.arena import table_title
from tests.tools.figures import (
    FIGURE,
    MEASUREMENTS,
    PROJECT,
    Figures,
    bounds,
    database,
    exchanges,
    league_bounds,
    league_file,
    mails,
    modules,
    rooms,
    six_dice,
    sizes,
    waits,
    written,
)

_BLANK = re.compile(r"\\\{(\w+)\\\}")


@dataclass(frozen=True, slots=True)
class Said:
    """A sentence, or a row of a table, with figures in it."""

    page: str
    text: str
    figures: Callable[[], Figures]


def _of(page: str, figures: Callable[[], Figures], *texts: str) -> list[Said]:
    return [Said(page, text, figures) for text in texts]


PROTOCOL = "pbem/docs/protocol.md"
LEAGUES = "pbem/docs/protocol-leagues.md"
SAID = (
    *_of(
        "README.md",
        exchanges,
        "a game of Braveheart in {both_guards_braveheart_exchanges} exchanges on average "
        "(The Bruce: {both_guards_the_bruce_exchanges})",
        "would have taken {both_guards_braveheart_turns} and {both_guards_the_bruce_turns} turns of waiting",
    ),
    *_of(
        MEASUREMENTS,
        exchanges,
        "2.2 with guards | {both_plans_turn}; against the random player {one_plans_turn} | "
        "{both_guards_turn}; "
        "{one_guards_turn} |",
        "| at most 2 per winter | {both_plans_winter}; {one_plans_winter} | "
        "{both_guards_winter}; {one_guards_winter} |",
        "**missed**: {both_plans_factor}; {one_plans_factor} | {both_guards_factor}; "
        "**missed**: {one_guards_factor} |",
    ),
    *_of(
        MEASUREMENTS,
        modules,
        "A `check` of a turn imports at most {check} of our modules, `seal` {seal}, "
        "`receive` {receive}, `submit` "
        "{submit}, `status` {status} and `--help` {help};",
    ),
    *_of(
        MEASUREMENTS,
        database,
        "with bots' ([below](#how-clubdb-grows)) | 417; 508 | {file_none_kb}; {file_bots_kb} |",
        "| the whole file | 417.2 | {file_none} | 507.5 | {file_bots} |",
        "| letters as sealed, now as signed with a seed | 313.7 | {letters_none} | 377.8 | {letters_bots} |",
    ),
    *_of(
        "pbem/docs/scale.md",
        database,
        "| the database grows by | {file_none_kb} kB; {file_bots_kb} kB with the orders",
    ),
    *_of(
        PROTOCOL,
        sizes,
        "pads orders to {unit} bytes and multiples of it. The judge's letters all have one "
        "size, {letter} bytes",
        "take the next multiple of {letter} that holds the largest. What is said of an order "
        "file of more than {unit} "
        "bytes",
        "A receipt has {receipt}, a copy {copy} or a multiple, a page {page}. A signed order "
        "text, padded, has "
        "{orders} bytes at most, its sealed file {sealed}; a reveal that is sealed, {reveal}.",
        "that it has more than {unit}, {twice} or {thrice} bytes; of a letter above {letter} bytes,",
        "and no file has more than {file}.",
    ),
    *_of(
        PROTOCOL,
        bounds,
        "*Chains* are hash chains of {steps} steps",
        "in a game by {days} days at most",
        "of players is {seats} at most.",
        "and at most {files} in one exchange.",
        "enters at most {acts} extensions, holds, looks and new rules in one.",
        "at most *E* ({by_player_files} *P* + {besides_files}) files and "
        "*E* ({by_player_bytes} *P* + {besides_bytes}) bytes",
        "for one player by {days} days |",
        "the open one or one of the {before} before it,",
        "`<exchange>`, or one of the {before} before.",
        "at most {in_all}*E* order files are entered",
        "at most {keys} new keys in one exchange;",
        "came for this exchange and the {silent} before it",
    ),
    *_of(
        PROTOCOL,
        written,
        "names the format: `format {format}`.",
        " format {format} rules <sha256>",
        "x[0] is the anchor, x[{steps}] secret",
        "the first two are x[{steps}]",
        "A *word* has 1 to {word} characters",
        "the next trial. {least_die} to {die} sides",
        "a body of 0 to {grease} bytes",
        "<nonce of {nonce} bytes, and the payload>",
        "has a chunk of {chunk} bytes and {tag} more",
        "The head has at most {head} bytes:",
        "the bundle is incomplete, not refuted: exit status {missing}.",
        "ends with, of {refuted}, {missing} and {other} the worst that was found",
        "the worst of all, with 1 after {refuted}, {missing} and {other}",
        "| {refuted} | something is refuted |",
        "| {missing} | something is missing that must be there |",
        "| {other} | the game was played by other rules than this release has |",
        "the audit then ends with exit status {other}.",
    ),
    *_of(
        PROTOCOL,
        waits,
        "dated more than {ahead} hour ahead",
        "when the wait is over and was longer than {outage} hour,",
    ),
    *_of(
        "pbem/docs/unattended.md",
        waits,
        "healthy if a pass has ended within {healthy},",
        "Told after {away}: a mail server that is away; after {put_off}: letters",
        "comes back within {same} after it was told",
        "players are told after {told}, and nobody counts as silent",
        "do not arrive, {unreached} after they did not.",
        "tried again after {first}, {second}, {third}, then daily.",
        "after {tries} tries, in {tried_for}, no game waits",
        "takes in {at_once} mails,",
        "left {late} late or more can be answered for {to_answer}.",
        "the game waits for {patience} and then goes on",
        "and after {told} its players are told.",
        "at least {backup} after it came:",
    ),
    *_of(
        "pbem/docs/leagues.md",
        league_file,
        "{silent} without the key, 0 for never. |",
        "{appeal} without the key, 0 for none. |",
        "`warn_days` ({warn}) before a round's last date",
        "is worth `annulled` ({annulled} without the key;",
        "(from its last {bracket} on)",
        "while its deviation is above {provisional}.",
        "absent from more than {absent} rounds running,",
    ),
    *_of(
        LEAGUES,
        league_bounds,
        "entrants at once; times rounds | {entrants}; {entrants_rounds} |",
        "games in a round | {games}; {pairings} |",
        "in a league of *R* rounds | {in_day}; {said} + {said_by_round} *R* |",
        "counted by themselves | {keys}; {keys} |",
        "members of the panel | {votes}; {panel} |",
        "*N* + *N*/{one_of} + {entries}; {offers}, {listed} + *N*/{one_listed_of}, *N* |",
        "for each call to come | {files}; {files_by_round} *R* |",
        "without its signature | {reply}; {statement} |",
        "in a round | {rulings} + *N* ({ruled_by_entrant} + *R* *G*) |",
        "A knock-out counts as {knockout} rounds,",
        "16 entrants over 5 rounds: {files_16} files, {millions_16} million bytes; "
        "500 over 9: {files_500} and {millions_500} million; "
        "2,000 over 9: {files_2000} and {millions_2000} million,",
        "of more than {unknown_files} files or {unknown_millions} million bytes",
        "come to more than {within} bytes stand beside it, in texts of {beside} bytes at most",
        "filled up to a multiple of {letter} bytes.",
    ),
    *_of(LEAGUES, written, "nobody (exit status {other}).", "something is missing (exit status {missing})."),
    *_of(
        "pbem/docs/mail.md",
        rooms,
        "Strangers have room for {strangers}:",
        "room of their own, {enrolled} each.",
        "`pbem status` names the first {named}.",
        "a day at a time (the {draws}th time in an exchange: all of it)",
    ),
    *_of(
        "pbem/docs/writing-a-game.md",
        rooms,
        "in ASCII, no line wider than {width}.",
        "so short that it has less than {moments} moments:",
    ),
    *_of("pbem/docs/mail.md", bounds, "the deadlines of one game by {days} days at most"),
    *_of(
        PROTOCOL,
        six_dice,
        "the sum of six dice is {mean} in the mean; whoever knows two throws of six beforehand and takes the "
        "better gets {better}.",
    ),
)
"""What can be looked up at once."""
WEIGHED = (
    *_of(
        MEASUREMENTS,
        mails,
        "a receipt has {guide_receipt_kb} kB and a report {guide_report_kb} kB, where they had",
        f"| a report with its page: {default_name().title()} | 204,000 to 226,000 | {{guide_report}} |",
        f"| a report with its page: {table_title().title()} | 115,000 | {{table_report}} |",
        "| a receipt with its words | 48,000 | {guide_receipt} |",
        "| a copy that the judge passes on | (none) | {guide_copy} |",
    ),
    *_of(
        "pbem/docs/scale.md",
        mails,
        "6 with {guide_exchange_kb} kB: two reports with their pages ({guide_report_kb} kB "
        "each), two receipts "
        "({guide_receipt_kb} kB), two copies ({guide_copy_kb} kB)",
        "waits for an opponent a forecast ({guide_forecast_kb} kB)",
    ),
)
"""What takes some seconds, for games are played by mail."""


def rewritten(page: str, said: Said, figures: Figures) -> str:
    """The page with these figures in that sentence, wherever its lines are broken.

    Raises:
        ValueError: the sentence does not stand there, or twice.
    """
    words = r"\s+".join(re.escape(word) for word in said.text.split())
    found = list(re.finditer(_BLANK.sub(lambda _: FIGURE, words), page))
    if len(found) != 1:
        raise ValueError(f"{said.page}: {len(found)} times: {said.text}")
    for place, name in reversed(list(enumerate(_BLANK.findall(words), start=1))):
        if found[0][place].split() != figures[name].split():
            page = page[: found[0].start(place)] + figures[name] + page[found[0].end(place) :]
    return page


def stale(every: tuple[Said, ...], *, write: bool = False) -> list[str]:
    """Where a page has another figure than its source; `write`: what its source has is written there."""
    found = []
    known = {source: source() for source in {said.figures for said in every}}
    for said in every:
        path = PROJECT / said.page
        page = path.read_text(encoding="utf-8")
        if (new := rewritten(page, said, known[said.figures])) != page:
            found.append(f"{said.page}: {said.text}")
            if write:
                path.write_text(new, encoding="utf-8")
    return found


if __name__ == "__main__":
    print(*stale(SAID + WEIGHED, write=True) or ["every figure is as it was"], sep="\n")
