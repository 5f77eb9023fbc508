"""What the protocol of leagues claims and no other test shows; its last table says which test shows what."""

from __future__ import annotations

import hashlib
import hmac
import shutil
import subprocess
from datetime import timedelta
from fractions import Fraction

import pytest

from pbem.audit.bundle import Files
from pbem.audit.findings import State
from pbem.audit.league_replay import SENT
from pbem.audit.leagues import audit_league
from pbem.errors import PbemError
from pbem.judge.leagues.desk import take_statement
from pbem.judge.leagues.export import bundle
from pbem.leagues import results_table
from pbem.leagues.entries import Opened
from pbem.leagues.statements import ABSENT, NEW_KEY, WITHDRAW, Statement, allowed_by, sign_statement
from pbem.trust.entries import Entry, Received, Refused, Resolve
from tests.leagues.forging import rewritten
from tests.leagues.world import Entered, World, file_of, key_of, play_round, take_reply

FOUR = ("ann", "ben", "cat", "dan")


@pytest.fixture
def world(entered: Entered) -> World:
    """Four in a Swiss of two rounds with five days between them; nothing is called for yet."""
    return entered(file_of("swiss", rounds="count = 2\ndays = 100\ngap_days = 5"), *FOUR)


def begin(world: World) -> None:
    """The first draw is called for."""
    world.after(31)


def points(world: World) -> dict[str, Fraction]:
    """Player -> what they have in the table."""
    return {row.player: row.points for _, rows in results_table.tables(world.book.season) for row in rows}


# L1 and L2


def test_the_first_entry_names_the_file_and_the_judges_chain_before_anybody_has_entered(world: World) -> None:
    genesis = world.book.season.genesis
    assert world.book.entries[0] == genesis
    assert genesis.file == hashlib.sha256(world.book.file.text).hexdigest()
    begin(world)
    world.seat()
    resolve = next(one for one in world.book.entries if isinstance(one, Resolve))
    linked = f"pbem1 chain league.cup gm.1 1 {resolve.reveals[0].value}\n"
    assert hashlib.sha256(linked.encode()).hexdigest() == genesis.anchor


# L3 and L4


def test_a_file_that_counts_and_is_said_to_be_refused_refutes_the_judge(world: World) -> None:
    """A share in the draw that the judge does not like: refused, and its sender absent."""
    begin(world)
    world.seat()
    files = dict(bundle(world.book))

    def refuse(entry: Entry) -> Entry | None:
        if isinstance(entry, Received) and entry.player == "ann" and entry.exchange == 1:
            return Refused(
                exchange=1, player="ann", of=1, sealed=entry.sealed, reason="bad-reveal", at=entry.at
            )
        return entry

    rows = audit_league(rewritten(files, world.club.key, refuse)).rows
    told = {row.claim: row.detail for row in rows if row.state is State.REFUTED}
    assert "a file of ann that counts was refused as bad-reveal" in told[SENT]
    assert audit_league(Files(files, ())).status == 0


def test_who_leaves_after_a_call_was_opened_is_not_drawn_and_who_is_absent_then_is(world: World) -> None:
    """Who is asked is fixed; an absence counts for the round after, a leaver is out of this one."""
    begin(world)
    world.say("ann", ABSENT, rounds=(1, 2))
    world.say("ben", WITHDRAW)
    assert world.book.season.calls[0].asked == FOUR
    world.answer(["ann", "cat", "dan"])
    world.after(6)
    drawn = {player for pair in world.book.season.rounds[0].pairings.pairs for player in pair.players}
    byes = {player for _, player in world.book.season.rounds[0].pairings.byes}
    assert drawn | byes == {"ann", "cat", "dan"}


# L5


@pytest.mark.skipif(not shutil.which("openssl"), reason="openssl is not here")
def test_a_lot_is_thrown_again_with_stock_tools(world: World) -> None:
    """By the commands of pbem/docs/check-a-die.md, for the lots of up to 256 sides that one byte gives."""
    begin(world)
    world.seat()
    files = dict(bundle(world.book))
    resolve = next(one for one in world.book.entries if isinstance(one, Resolve))
    key = hashlib.sha256(files["mix/1.txt"]).hexdigest()
    assert key == resolve.mix
    assert resolve.dice
    for die in resolve.dice:
        assert die.label.startswith("draw-1/")
        said = f"d{die.sides} {die.label} 0".encode()
        command = ["openssl", "dgst", "-sha256", "-mac", "HMAC", "-macopt", f"hexkey:{key}"]
        done = subprocess.run(command, input=said, capture_output=True, check=True)
        digest = bytes.fromhex(done.stdout.decode().split("= ")[-1].strip())
        assert digest == hmac.digest(bytes.fromhex(key), said, "sha256")
        byte = next(one for one in digest if one < 256 - 256 % die.sides)
        assert die.value == byte % die.sides + 1


# L6


def test_a_game_is_named_by_its_first_head(world: World) -> None:
    begin(world)
    world.seat()
    opened = [one for one in world.book.entries if isinstance(one, Opened)]
    assert len(opened) == 2
    assert all(world.club.book(one.game).head_at(1) == one.head for one in opened)


# L8 and L9


def test_the_last_ruling_about_a_pairing_counts_and_changes_no_pairing(world: World) -> None:
    begin(world)
    play_round(world)
    pair = world.book.season.rounds[0].pairings.pairs[0]
    first, second = sorted(pair.players)
    world.after(6)
    world.seat()
    drawn = world.book.season.rounds[1].pairings
    for places, expected in (((1, 1), Fraction(1, 2)), ((2, 1), Fraction(0)), ((1, 2), Fraction(1))):
        words = (f"{first}={places[0]}", f"{second}={places[1]}")
        world.rule("correct", "1", str(pair.number), "played", *words)
        assert points(world)[first] == expected
    assert world.book.season.rounds[1].pairings == drawn


def test_the_next_round_is_drawn_when_its_days_are_over(world: World) -> None:
    begin(world)
    play_round(world)
    over = world.book.season.rounds[0].over_at
    assert over is not None
    world.after(4.9)
    assert len(world.book.season.calls) == 1
    world.after(0.2)
    assert len(world.book.season.calls) == 2
    opened = world.book.season.calls[-1].opened
    assert opened.deadline is not None
    assert opened.deadline - timedelta(days=world.book.file.draw_days) >= over + timedelta(days=5)


# L12


def test_a_key_once_replaced_signs_nothing_that_counts(world: World) -> None:
    """The judge enters what the old key has signed after the new one counts: refuted."""
    made = Statement(
        league="league.cup",
        player="ann",
        say=NEW_KEY,
        **world.which,
        key=key_of("ann2").public,
        old=key_of("ann").public.fingerprint,
        made=world.clock(),
    )
    take_statement(world.club, sign_statement(allowed_by(made, key_of("ann")), key_of("ann2")))
    begin(world)
    with pytest.raises(PbemError, match="ann has another key in cup now"):
        take_reply(world.club, world.reply("ann"))
    world.signs["ann"] = "ann2"
    said = world.statement("ann", WITHDRAW)
    world.signs["ann"] = "ann"
    with pytest.raises(PbemError, match="ann has another key in cup now"):
        take_statement(world.club, world.statement("ann", WITHDRAW))
    take_statement(world.club, said)
    files = dict(bundle(world.book))
    withdrawn = world.book.entries[-1]
    name = f"papers/{getattr(withdrawn, 'sha256', '')}"
    old = world.statement("ann", WITHDRAW)
    assert old.startswith(files[f"{name}.txt"])
    forged = rewritten(
        files | {f"{name}.sig": old[len(files[f"{name}.txt"]) :]}, world.club.key, lambda entry: entry
    )
    assert any("was made with the key" in row.detail for row in audit_league(forged).rows)
