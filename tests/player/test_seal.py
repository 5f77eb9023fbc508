"""Orders out: completed from the verified ledger, and no step revealed that it has not opened."""

from __future__ import annotations

import subprocess
import sys
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from pbem.errors import PbemError
from pbem.player import Home
from pbem.player.outgoing import drafts, ordering
from pbem.player.store.known_files import KnownFile, known_files
from pbem.trust.orderfile import OrderFile, parse_orders
from tests.player.judge import DEADLINE, GAME, Judge
from tests.player.tools import Play, Stopped, folder, killed_at, told, tree
from tests.trust.stock import make_key, run

DRAFT = "pbem1 orders\ngame hearth\nexchange 1\nside north\n---\nmove fife stirling\n"


def draft(body: str = "move fife stirling\n", **head: object) -> str:
    words = "".join(f"{word} {value}\n" for word, value in head.items())
    return f"pbem1 orders\n{words}---\n{body}"


def refusal(home: Home, data: str | bytes | None, **options: str) -> str:
    """Why a home does not seal a draft; it has signed nothing."""
    before = tree(home.path)
    with pytest.raises(PbemError) as caught:
        home.seal(data, **options)
    assert tree(home.path) == before
    return str(caught.value)


def test_the_head_is_filled_in(alice: Home, play: Play, invited: Judge) -> None:
    play(2)
    orders = alice.seal(draft())
    read = invited.read(3, "alice", orders.sealed)
    chain = alice.folder(GAME).chain("alice.1")
    assert chain is not None
    assert read.reveal is not None
    assert read.reveal.text == f"alice.1 3 {chain.reveal(3)}"
    assert read.seen is not None
    assert read.seen.text == f"{len(invited.entries)} {invited.heads[-1]}"
    assert (read.exchange, read.side, read.rev, read.body) == (3, "north", 1, "move fife stirling\n")


def test_age_and_ssh_keygen_open_it(alice: Home, invited: Judge, tmp_path: Path) -> None:
    orders = alice.seal(DRAFT)
    (tmp_path / "agekey").write_text(f"{invited.seal_key(1, 'alice').identity}\n")
    plain = run("age", "-d", "-i", tmp_path / "agekey", stdin=orders.armor.encode())
    assert len(plain) == 8192
    body, mark, armor = plain.partition(b"-----BEGIN SSH SIGNATURE-----\n")
    (tmp_path / "sig").write_bytes((mark + armor).rstrip(b"\n") + b"\n")
    signers = folder(alice) / "allowed_signers"
    command = ("ssh-keygen", "-Y", "verify", "-f", signers, "-I", f"alice@{GAME}", "-n", "pbem1-orders")
    run(*command, "-s", tmp_path / "sig", stdin=body)
    sent = folder(alice) / "sent"
    assert (sent / "0001-1.txt").read_bytes() == body
    run(*command, "-s", sent / "0001-1.txt.sig", stdin=body)
    assert (sent / "0001-1.age").read_bytes() == orders.sealed


def test_a_locked_key_of_ssh_keygen(bob: Home, tmp_path: Path) -> None:
    """From key to orders with a key that the program did not make."""
    path = make_key(tmp_path, "elsewhere", "correct horse")
    home = Home(tmp_path / "home", passphrase="correct horse")
    judge = Judge()
    judge.begin(
        home.join(GAME, player="alice", judge=None, key=str(path)), bob.join(GAME, player="bob", judge=None)
    )
    home.receive(judge.mail(judge.letter(0)).encode())
    assert judge.read(1, "alice", home.seal(None).sealed).rev == 1
    assert refusal(Home(tmp_path / "home"), None) == "the key is locked, and no passphrase was given"


@pytest.mark.parametrize(
    "text",
    [
        DRAFT,
        DRAFT.replace("\n", "\r\n"),
        "\ufeffHello!\n> " + DRAFT.replace("\n", "\n> "),
        f"A report of many lines\nwith its form filled in:\n\n{DRAFT}",
        DRAFT.replace("---", "\u2014"),
        "pbem1 orders\nrev 77\nplayer mallory\nseal age1x\nreveal alice.1 9 aa\n---\nmove fife stirling\n",
    ],
)
def test_a_draft_may_be_rough(alice: Home, invited: Judge, text: str) -> None:
    read = invited.read(1, "alice", alice.seal(text.encode()).sealed)
    assert (read.rev, read.player) == (1, "alice")
    assert "move fife stirling" in read.body


def test_a_bare_file_orders_nothing(alice: Home, invited: Judge) -> None:
    read = invited.read(1, "alice", alice.seal(None, game=GAME, player="alice").sealed)
    assert read.body == ""
    assert read.reveal is not None


# Refusals


TOO_EARLY = (
    "these orders are for exchange 9; your ledger has opened exchange 3, and no later one, so no later "
    "step may be revealed"
)
REMEDY = "save it again as utf-8 (in most editors under 'save as', 'encoding')"
UNFIT: dict[str, str | bytes] = {
    "you have not joined dunbar from this home; pbem join dunbar does it": draft(game="dunbar"),
    TOO_EARLY: draft(exchange=9),
    "this report has no order form, so it holds no orders to send": "WHAT HAPPENED\nbegin view\n",
    "the file is empty; if you order nothing, send a bare file (pbem seal --bare), and in "
    "practice you may hand in an empty one": b"\0" * 1_000_000,
    f"the file is not utf-8 text: line 3 holds other bytes; {REMEDY}": b"pbem1 orders\n---\nmove \xff\n",
    "this file is sealed, so nobody but the judge can read it; give the text that you wrote": (
        "> -----BEGIN AGE ENCRYPTED FILE-----\n> YWdl\n> -----END AGE ENCRYPTED FILE-----\n"
    ),
    "line 2: 'move fife' cannot stand above the line ---": "pbem1 orders\nmove fife\n",
    "the orders have 70,001 bytes; 28,000 are accepted at most": draft("x" * 70_000),
    "the text holds a signature already; sign the part above it": draft("-----BEGIN SSH SIGNATURE-----\n"),
}


@pytest.mark.ci
def test_a_draft_that_does_not_fit(alice: Home, play: Play) -> None:
    play(2)
    assert [refusal(alice, draft) for draft in UNFIT.values()] == list(UNFIT)


def test_with_one_game_a_draft_needs_no_head(alice: Home, play: Play, invited: Judge) -> None:
    """`pbem check` takes such a file, so `pbem seal` takes it as well."""
    play(2)
    sealed = alice.seal("move fife stirling\n")
    assert invited.read(3, "alice", sealed.sealed).body == "move fife stirling\n"
    alice.join("dunbar", player="alice", judge=None)
    unnamed = "the orders do not say for which game; you play: dunbar, hearth"
    assert refusal(alice, "move fife stirling\n") == refusal(alice, draft()) == unnamed


def test_when_the_game_is_over(alice: Home, play: Play, invited: Judge) -> None:
    from pbem.trust.entries import Other

    play(1)
    known = len(invited.entries)
    invited.close(2)
    invited.add(invited.resolution(2), Other(first="over 2", extra=("winner north", "reason all")))
    alice.receive(invited.mail(invited.notice(2, since=known)).encode())
    assert refusal(alice, None).startswith("the game is over: the ledger of hearth")
    assert alice.games()[0].over


def test_after_the_deadline_it_is_remarked(alice: Home, invited: Judge) -> None:
    late = Home(alice.path, clock=lambda: DEADLINE + timedelta(hours=1))
    (remark,) = late.seal(None).remarks
    assert remark == (
        "the deadline was 2026-11-28T18:00:00Z: this counts only if it comes before the judge closes the "
        "exchange"
    )


# Revisions


def revisions(home: Home) -> dict[int, OrderFile]:
    return {file.rev: parse_orders(file.text) for file in home.folder(GAME).sent_files.orders()}


def test_every_other_content_is_a_new_revision(alice: Home, invited: Judge) -> None:
    sealed = [alice.seal(draft(f"{body}\n")) for body in ("one", "two", "one")]
    assert [orders.rev for orders in sealed] == [1, 2, 3]
    assert [read.body for read in revisions(alice).values()] == ["one\n", "two\n", "one\n"]
    assert len({read.reveal for read in revisions(alice).values()}) == 1


def test_the_same_orders_are_the_same_file(alice: Home, invited: Judge) -> None:
    first = alice.seal(draft("one\n"))
    again = alice.seal(draft("one"))
    assert (again.rev, again.sealed) == (1, first.sealed)
    assert again.remarks[0] == "these orders were sealed before; this is the same file, revision 1"
    assert again.remarks[1].startswith("exchange 1 only accepts the game")


def test_revisions_start_anew_with_an_exchange(alice: Home, play: Play) -> None:
    play(1)
    assert alice.seal(draft("one\n")).rev == 1


def test_a_lost_folder_does_not_free_a_revision(alice: Home, invited: Judge) -> None:
    """Receipts and the ledger remember what `sent` has forgotten."""
    orders = [alice.seal(draft(f"{body}\n")) for body in ("one", "two", "three")]
    receipt = invited.receipt(1, "alice", 2, orders[1].sealed)
    alice.receive(invited.signed_receipt(receipt))
    for path in (folder(alice) / "sent").iterdir():
        path.unlink()
    assert alice.seal(draft("four\n")).rev == 3
    for path in (folder(alice) / "sent").iterdir():
        path.unlink()
    for one in orders:
        invited.receive(1, "alice", one.sealed)
    alice.receive(invited.mail(invited.notice(1, since=2)).encode())
    assert alice.seal(draft("five\n")).rev == 4


@pytest.mark.ci(but=("one\\n-2-False", "other\\n-2-True", "other\\n-1-False"))
@pytest.mark.parametrize("after", [False, True])
@pytest.mark.parametrize("write", [1, 2, 3])
@pytest.mark.parametrize("body", ["one\n", "other\n"])
def test_a_kill_never_gives_a_revision_away(
    alice: Home, invited: Judge, write: int, after: bool, body: str
) -> None:
    with pytest.raises(Stopped), killed_at(write, after=after):
        alice.seal(draft("one\n"))
    before = revisions(alice)
    orders = alice.seal(draft(body))
    for rev, kept in before.items():
        assert revisions(alice)[rev] == kept
    read = invited.read(1, "alice", orders.sealed)
    assert read.body == body
    assert orders.rev == (2 if before and body != "one\n" else 1)
    assert alice.seal(draft(body)).sealed == orders.sealed


def test_two_programs_never_share_a_revision(
    alice: Home, invited: Judge, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another program takes the revision between our looking and our writing."""
    sent = alice.folder(GAME).sent_files
    other = alice.seal(draft("one\n"))
    assert not sent.reserve(1, 1, b"other content")
    assert other.rev == 1
    text = revisions(alice)[1].text
    looked = known_files

    def taken_meanwhile(*known: Any) -> tuple[KnownFile, ...]:
        files = looked(*known)
        sent.reserve(1, 2, text.replace(b"rev 1", b"rev 2"))
        return files

    monkeypatch.setattr(ordering, "known_files", taken_meanwhile)
    assert alice.seal(draft("two\n")).rev == 3
    assert {rev: read.body for rev, read in revisions(alice).items()} == {1: "one\n", 2: "one\n", 3: "two\n"}


@pytest.mark.ci
def test_two_commands_wait_for_each_other(alice: Home, invited: Judge) -> None:
    """Many at once: every content gets a revision of its own, and none is lost."""
    code = (
        "import sys; from pathlib import Path; from pbem.player import Home;"
        "print(Home(Path(sys.argv[1])).seal(f'pbem1 orders\\n---\\n{sys.argv[2]}\\n').rev)"
    )
    running = [
        subprocess.Popen(
            [sys.executable, "-c", code, str(alice.path), f"order {number}"], stdout=subprocess.PIPE
        )
        for number in range(4)
    ]
    revs = sorted(int(program.communicate()[0]) for program in running)
    assert revs == [1, 2, 3, 4]
    assert {read.body for read in revisions(alice).values()} == {f"order {n}\n" for n in range(4)}


def test_orders_without_a_head_are_sealed_where_the_game_is_named(alice: Home, invited: Judge) -> None:
    """The first example of the page on orders, saved as it stands."""
    orders = alice.seal("card 2\nmove Wallace to Mar\n", game=GAME)
    assert invited.read(1, "alice", orders.sealed).body == "card 2\nmove Wallace to Mar\n"


def test_what_is_opened_at_the_end_is_said_at_the_first_note(alice: Home, play: Play, invited: Judge) -> None:
    def said(orders: str) -> bool:
        return drafts.NOTES_OPEN in alice.seal(draft(orders)).remarks

    assert not said("ask everything\n")
    assert said("ask everything; note I mean to go north\n")
    assert not said("note and this is why\n"), "once is enough"


def test_a_note_that_the_form_wrote_is_no_note_of_the_player_s(
    alice: Home, bob: Home, invited: Judge, monkeypatch: pytest.MonkeyPatch
) -> None:
    form = f"pbem1 orders\ngame {GAME}\n---\nnote ASKED NOW: what will you do?\nask ____\nend orders\n"
    monkeypatch.setattr(Judge, "report_text", staticmethod(lambda *_: f"WHAT IS ASKED\n\n{form}"))
    invited.exchange(1, {home.path.name: home.seal(None, game=GAME).sealed for home in (alice, bob)})
    told(invited, 1, alice, since=2)
    filled = form.replace("____", "everything")
    assert drafts.NOTES_OPEN not in alice.seal(filled).remarks
    mine = filled.replace("ask everything\n", "ask everything; note I go north\n")
    assert drafts.NOTES_OPEN in alice.seal(mine).remarks, "the form's note before it was none"


def test_a_file_whose_size_shows_says_so(alice: Home, play: Play, invited: Judge) -> None:
    assert ordering.SHOWS_LENGTH not in alice.seal(draft("ask\n")).remarks
    assert ordering.SHOWS_LENGTH in alice.seal(draft("ask\n" * 2_000)).remarks
