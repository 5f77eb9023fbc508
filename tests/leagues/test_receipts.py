"""What somebody has said in a league gets a signed receipt: it convicts who drops it, and frames nobody."""

# ruff: noqa: F811 - the fixture `table`
from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from pbem.audit.bundle import Files
from pbem.audit.findings import Finding, Findings, State
from pbem.audit.leagues import audit_league
from pbem.audit.papers import KEPT
from pbem.errors import PbemError
from pbem.judge.leagues.desk import take_statement
from pbem.leagues.entries import Said
from pbem.leagues.statements import ABSENT, VOTE, WITHDRAW, Statement, read_statement
from pbem.player.faults import Contradiction, NotOurs, Refused
from pbem.player.home import Home
from pbem.trust import keys
from pbem.trust.armor import find_sealed
from pbem.trust.entries import Entry
from pbem.trust.faults import LedgerFault
from pbem.trust.ledger import SaidReceipt, parse_said, sign_statement
from pbem.trust.sealing import open_sealed, pad, seal, to_armor
from tests.leagues.forging import Edit, rewritten
from tests.leagues.test_player import Table, table  # noqa: F401 - a fixture
from tests.leagues.world import Entered, World, file_of, files_of, key_of, make_world

LEAGUE = "league.cup"


def receipts_of(world: World, player: str) -> dict[str, bytes]:
    """The receipts that somebody was sent for what they said, opened."""
    letters = [one for one in world.club.store.letters_to(LEAGUE, player) if "-said-" in one.name]
    opened = {one.name: open_sealed(find_sealed(one.data)[0], [world.key(player)]) for one in letters}
    return {name: text.rstrip(b"\n") + b"\n" for name, text in opened.items()}


@dataclass
class Days:
    """A league before and after ann says that she is absent, and what she and ben have kept."""

    before: Files
    after: Files
    ann: dict[str, bytes]
    ben: dict[str, bytes]
    judge: keys.PrivateKey


@pytest.fixture(scope="module")
def days(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Days]:
    world = make_world(tmp_path_factory.mktemp("said"), file_of("swiss"))
    world.enter("ann", "ben", "cat")
    before = files_of(world)
    world.say("ann", ABSENT, rounds=(2, 2))
    world.say("cat", WITHDRAW)
    with closing(world.club.store):
        after = files_of(world)
        yield Days(before, after, receipts_of(world, "ann"), receipts_of(world, "ben"), world.club.key)


def audited(files: Files, held: dict[str, bytes], folder: Path) -> tuple[Findings, Finding]:
    """What the audit says beside these papers, and what of that is about them."""
    for name, data in held.items():
        (folder / name).write_bytes(data)
    findings = audit_league(files, None, folder)
    return findings, next(one for one in findings.rows if one.claim == KEPT)


def test_a_receipt_names_what_was_said_and_where_it_stands(days: Days, tmp_path: Path) -> None:
    papers = [parse_said(text.partition(b"-----BEGIN")[0]) for text in days.ann.values()]
    assert [(one.player, one.entry) for one in papers] == [("ann", 2), ("ann", 5)]
    assert all(f"papers/{one.said}.txt" in days.after.known_files for one in papers)
    findings, row = audited(days.after, {**days.ann, **days.ben}, tmp_path)
    assert (row.state, findings.status) == (State.PROVEN, 0), row.detail


def dropped(entry: Entry) -> Entry | None:
    """Her absence is gone."""
    return None if isinstance(entry, Said) and "say absent" in entry.extra else entry


def another(entry: Entry) -> Entry | None:
    """She has said something else in its place."""
    if isinstance(entry, Said) and "say absent" in entry.extra:
        return Said.of(replace(entry.statement(LEAGUE), rounds=(1, 1)), entry.at)
    return entry


def earlier(entry: Entry) -> Entry | None:
    """Ben's entry is gone, so that hers stands before its place."""
    return None if isinstance(entry, Said) and entry.player == "ben" else entry


@pytest.mark.parametrize(
    ("edit", "told"),
    [
        (dropped, "entry 5; there the ledger has what cat said"),
        (another, "entry 5; there the ledger has what ann said"),
        (earlier, "entry 5; there the ledger has what cat said"),
    ],
)
def test_what_was_receipted_is_there(days: Days, tmp_path: Path, edit: Edit, told: str) -> None:
    """Whatever the judge does with it, and signs anew; without what she kept nobody would know."""
    forged = rewritten(days.after.known_files, days.judge, edit)
    findings, row = audited(forged, days.ann, tmp_path)
    assert (row.state, findings.status) == (State.REFUTED, 3)
    assert "by a receipt for ann, what they said" in row.detail
    assert told in row.detail


def test_the_last_thing_said_may_be_hidden_only_as_long_as_the_league_goes_on(
    days: Days, tmp_path: Path, entered: Entered
) -> None:
    world = entered(file_of("swiss"), "ann", "ben", people=["dora"])
    world.rule("cancel")
    over = files_of(world)
    beyond = SaidReceipt(game=LEAGUE, player="ann", said="a" * 64, entry=9, coming="it is over")
    held = {"r.txt": beyond.text + sign_statement(beyond, world.club.key)}
    _, row = audited(over, held, tmp_path)
    assert row.state is State.REFUTED
    assert "nothing: the league is over at entry 4" in row.detail


def test_a_receipt_that_is_newer_than_the_bundle_refutes_nobody(days: Days, tmp_path: Path) -> None:
    findings, row = audited(days.before, days.ann, tmp_path)
    assert row.state is State.OPEN
    assert (
        "the receipt of ann for entry 5 is newer than this bundle: ask the judge for a later one"
        in row.detail
    )
    assert findings.status == 0


def paper(key: keys.PrivateKey, **changed: object) -> bytes:
    """A receipt for what nobody has said."""
    parts = {"game": LEAGUE, "player": "ann", "said": "5" * 64, "entry": 3, "coming": "it is over"} | changed
    made = SaidReceipt(**parts)  # type: ignore[arg-type]
    return made.text + sign_statement(made, key)


FOREIGN: dict[str, tuple[Callable[[Days], bytes], State, str]] = {
    "another club's": (lambda _: paper(key_of("gm 2")), State.OPEN, "is not that of this bundle's judge"),
    "one that an entrant has signed": (lambda _: paper(key_of("ann")), State.OPEN, "the judge has not"),
    "one that nobody has signed": (
        lambda _: paper(key_of("ann")).partition(b"-----")[0],
        State.OPEN,
        "not signed",
    ),
    "one of another league of this judge's": (
        lambda days: paper(days.judge, game="league.cup-2"),
        State.PROVEN,
        "",
    ),
}


@pytest.mark.parametrize("what", FOREIGN)
def test_what_is_not_the_judges_word_on_this_league_refutes_nobody(
    days: Days, tmp_path: Path, what: str
) -> None:
    make, state, told = FOREIGN[what]
    findings, row = audited(days.after, {**days.ann, "paper.txt": make(days)}, tmp_path)
    assert (row.state, findings.status) == (state, 0)
    assert told in row.detail


def test_the_same_receipt_of_the_judges_own_convicts_them(days: Days, tmp_path: Path) -> None:
    """The papers above are worth nothing for their signer alone."""
    findings, row = audited(days.after, {**days.ann, "paper.txt": paper(days.judge)}, tmp_path)
    assert (row.state, findings.status) == (State.REFUTED, 3)


# What the program of its writer does with it


def sealed_to(home: Home, name: str, text: bytes) -> bytes:
    """A text as the judge sends it to one of a home's keys."""
    return to_armor(seal(pad(text, 4_096), [home.keys.public(name)])).encode()


def kept_by(home: Home) -> list[SaidReceipt]:
    """The receipts that a home keeps."""
    paths = sorted((home.league("cup").path / "said").glob("*.txt"))
    return [parse_said(path.read_bytes().partition(b"-----BEGIN")[0]) for path in paths]


def test_a_home_keeps_the_receipts_that_come_to_it(table: Table) -> None:
    (entered,) = kept_by(table.home)
    first = table.world.book.entries[entered.entry - 1]
    assert isinstance(first, Said)
    assert (first.player, first.sha256) == ("ann", entered.said)
    assert entered.coming.startswith("entries close at 20")
    table.receive()
    assert kept_by(table.home) == [entered]


def test_a_receipt_says_what_comes_next_and_when(table: Table) -> None:
    """To whoever takes it in: of something said, and of an answer to a call."""
    world, waits = table.world, "the league waits for answers of ann, ben for the draw of round 1 until 20"
    absent = read_statement(world.statement("ann", ABSENT, rounds=(2, 2))).statement
    (told,) = heard(table, lambda: take_statement(world.club, table.league.say(absent)))
    assert f"\nNext: {waits}" in told
    one, said = heard(table, table.answer_alone)[:2]
    assert one.startswith("receipt 1: the judge of league.cup has your answer to call 1, revision 1 ")
    assert said.startswith("Your file for call 1 of ")
    assert "\n\nNext: the league waits for answers of ben for the draw of round 1 until 20" in said


def heard(at: Table, act: Callable[[], object]) -> list[str]:
    """What ann's home says to the receipts that an act brings."""
    before = {one.name for one in at.world.club.store.letters()}
    act()
    letters = at.world.club.store.letters_to(LEAGUE, "ann")
    new = [one for one in letters if one.name not in before and one.data]
    return [arrival.text for one in new for arrival in at.home.receive(one.data)]


@pytest.mark.parametrize(
    ("coming", "told"),
    [("", None), ("it is over", None), ("\x1b[2Jover", "that cannot stand in a line")],
)
def test_what_comes_next_is_one_line_that_can_be_shown(coming: str, told: str | None) -> None:
    text = SaidReceipt(game=LEAGUE, player="ann", said="5" * 64, entry=3, coming=coming).text
    if told is None:
        assert parse_said(text).coming == coming
    else:
        with pytest.raises(LedgerFault, match=told):
            parse_said(text)


@pytest.mark.parametrize(
    ("signer", "changed", "told"),
    [("gm 2", {}, "this is signed with the key"), ("gm", {"player": "ben"}, "nobody did so from here")],
)
def test_a_receipt_for_somebody_else_or_of_another_judge_is_not_taken(
    table: Table, signer: str, changed: dict[str, object], told: str
) -> None:
    key = table.world.club.key if signer == "gm" else key_of(signer)
    with pytest.raises(NotOurs, match=told):
        table.home.receive(sealed_to(table.home, "ann", paper(key, **changed)))
    assert len(kept_by(table.home)) == 1


def test_a_ledger_without_what_was_receipted_is_kept_as_evidence(table: Table) -> None:
    """The judge has signed that her absence is the next entry, and then sends a ledger with another there."""
    book = table.world.book
    receipt = paper(book.club.key, said="5" * 64, entry=book.size + 1)
    table.home.receive(sealed_to(table.home, "ann", receipt))
    said = read_statement(table.world.statement("ben", ABSENT, rounds=(2, 2))).statement
    with pytest.raises(Contradiction, match=r"by a receipt, entry \d+ of league.cup is what ann said"):
        table.home.receive(table.lie(Said.of(said, table.world.clock())))
    with pytest.raises(Refused, match="nothing more is signed for it"):
        table.league.reply()


def test_one_of_the_panel_who_has_not_entered_keeps_theirs(tmp_path: Path, entered: Entered) -> None:
    """What they signed says whose league it is; a receipt of another judge's is not taken."""
    home = Home(tmp_path / "pam")
    home.keygen("pam")
    world = entered(file_of("swiss"))
    judge = world.club.key
    vote = Statement(
        league=LEAGUE,
        player="pam",
        say=VOTE,
        about=(1, 1),
        places=(("ann", 1), ("ben", 1)),
        made=world.clock(),
    )
    said = read_statement(home.league("cup").say(replace(vote, **world.which))).statement
    with pytest.raises(PbemError, match="this is signed with the key"):
        home.receive(sealed_to(home, "pam", paper(key_of("gm 2"), player="pam", said=said.sha256)))
    home.receive(sealed_to(home, "pam", paper(judge, player="pam", said=said.sha256)))
    assert [one.said for one in kept_by(home)] == [said.sha256]
    with pytest.raises(NotOurs, match="nobody did so from here"):
        home.receive(sealed_to(home, "pam", paper(judge, player="pam", said="7" * 64)))


def test_what_is_said_again_gets_no_second_receipt(table: Table) -> None:
    statement = table.world.statement("ben", ABSENT, rounds=(2, 2))
    take_statement(table.world.club, statement)
    take_statement(table.world.club, statement)
    assert len(receipts_of(table.world, "ben")) == 2, "for the entry and for the absence"
