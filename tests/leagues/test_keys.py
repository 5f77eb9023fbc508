"""An entrant's new key: by the old one's signature, or by a ruling that everybody sees."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from pbem.audit import audit
from pbem.audit.bundle import read_bundle
from pbem.audit.findings import State
from pbem.audit.leagues import audit_league
from pbem.errors import PbemError
from pbem.judge.export import export as export_game
from pbem.judge.intake.waiting_list import waiting_for_director
from pbem.judge.leagues.desk import take_statement
from pbem.judge.leagues.export import export
from pbem.judge.leagues.status import waiting_decisions
from pbem.leagues.entries import BY_PANEL, Ended, Ruled, Said, parse_league_entry
from pbem.leagues.statements import (
    NEW_KEY,
    VOTE,
    WITHDRAW,
    Statement,
    allowed_by,
    read_statement,
    sign_statement,
)
from pbem.mail.statements import find_statements
from pbem.trust.armor import find_sealed
from pbem.trust.chance import Reveal, make_chain
from pbem.trust.entries import Entry, Resolve
from pbem.trust.faults import LedgerFault
from pbem.trust.keys import PrivateKey
from pbem.trust.letters import read_report
from pbem.trust.sealing import open_sealed
from tests.leagues.test_audit import Played, forged
from tests.leagues.world import (
    Called,
    Entered,
    World,
    file_of,
    key_of,
    make_world,
    play_round,
    secret,
    take_reply,
)

NO_LONGER = "ann has another key in cup now"


@pytest.fixture
def world(called: Called) -> World:
    """Two in a section, everybody asked for the draw; a call for the bids comes after it."""
    return called(file_of("sections", more='[sides]\nby = "bids"'), "ann", "ben")


def new_key(
    world: World, new: str, by: PrivateKey | None, old: str = "ann", *, player: str = "ann", chain: str = ""
) -> bytes:
    anchor = Reveal(chain, 0, make_chain("league.cup", chain, secret(player)).anchor) if chain else None
    said = Statement(
        league="league.cup",
        player=player,
        say=NEW_KEY,
        key=key_of(new).public,
        old=key_of(old).public.fingerprint,
        anchor=anchor,
        **world.which,
        made=world.clock(),
    )
    return sign_statement(allowed_by(said, by) if by else said, key_of(new))


def answered(world: World, player: str) -> None:
    assert take_reply(world.club, world.reply(player)).is_accepted


@pytest.mark.ci
def test_whoever_changes_their_key_goes_on_and_it_is_proven(world: World, tmp_path: Path) -> None:
    """What came before stands; from the entry on only the new key counts. A lost one needs a ruling."""
    answered(world, "ann")
    said = new_key(world, "ann2", key_of("ann"))
    mangled = "".join(f"> {line}\n" for line in said.decode().splitlines())
    assert list(find_statements(mangled)) == [said]
    assert take_statement(world.club, said, "ann@example.org").new
    with pytest.raises(PbemError, match=NO_LONGER):
        world.say("ann", WITHDRAW)
    answered(world, "ben")
    world.run()
    assert not world.book.season.calls[0].resolved.absent, "what the old key had signed stands"  # type: ignore[union-attr]
    with pytest.raises(PbemError, match=NO_LONGER):
        take_reply(world.club, world.reply("ann"))
    world.signs["ann"] = "ann2"
    world.answer(["ann"])

    lost = new_key(world, "ann3", None, old="ann2")
    with pytest.raises(PbemError, match="hand them this file"):
        take_statement(world.club, lost, "mallory@example.org")
    take_statement(world.club, lost)
    (need,) = waiting_decisions(world.club)
    (line,) = waiting_for_director(world.club, ())
    assert line == f"{need.about}: {need.text}: {need.command}"
    assert need.command == 'pbem league rule cup key ann --reason "..."'
    with pytest.raises(PbemError, match="call 2 is open: rule on the key of ann when it is closed"):
        world.rule("key", "ann")
    world.answer(["ben"])
    world.run()
    genesis = world.club.book("cup-r1-1").history.genesis
    assert key_of("ann2").public.fingerprint in {one.fingerprint for one in genesis.players}
    world.rule("key", "ann", reason="she rang me up")
    assert list(waiting_decisions(world.club)) == []
    with pytest.raises(PbemError, match=NO_LONGER):
        world.say("ann", WITHDRAW)
    letters = {one.name: one for one in world.club.store.letters_to("league.cup", "ann")}
    assert any("-new-key-" in name and "tell the director" in one.text for name, one in letters.items())
    last = next(one for name, one in reversed(letters.items()) if "-notice-" in name)
    (sealed,) = find_sealed(last.data)
    letter = read_report(open_sealed(sealed, [key_of("ann3")], 10_000_000), world.club.key.public)
    assert letter.leaves[0][0] == 1, "a home that has lost everything gets all of it"

    world.play(world.open_pairs(), lambda _: "ben")  # the game goes on with the key that it began with
    world.run()
    assert world.book.season.is_over
    export(world.club, "cup", tmp_path / "bundle")
    export_game(world.club, "cup-r1-1", "public", tmp_path / "games" / "cup-r1-1")
    findings = audit(tmp_path / "bundle", games=tmp_path / "games")
    assert findings.status == 0, [row for row in findings.rows if row.detail]
    signers = (tmp_path / "bundle" / "keys" / "allowed_signers").read_text()
    assert signers.count("ann@league.cup") == 3, signers

    played = Played(tmp_path / "bundle", tmp_path / "games", tmp_path, world.club.key)
    for change, told in FORGERIES:
        found = audit_league(forged(played, change))
        refuted = [row.detail for row in found.rows if row.state == State.REFUTED]
        assert any(told in detail for detail in refuted), (told, refuted)


def forged_by(entry: Entry) -> Entry:
    """The judge lets a key count for which the old one has not signed."""
    if isinstance(entry, Said) and (said := entry.statement("league.cup")).by:
        return Said.of(allowed_by(replace(said, by=""), key_of("eve")), entry.at)
    return entry


def not_shown(entry: Entry) -> Entry | None:
    """The judge lets files with a new key count that the ledger does not have."""
    return None if isinstance(entry, Said) and entry.statement("league.cup").by else entry


def by_themselves(entry: Entry) -> Entry:
    """A ruling for a key that nobody has asked for."""
    return replace(entry, decides=("key", "ben")) if isinstance(entry, Ruled) else entry


FORGERIES = [
    (forged_by, "the old key has not signed it"),
    (not_shown, "the key of ann: expected SHA256:"),
    (by_themselves, "ben has not asked for a new key"),
]


@pytest.fixture(scope="module")
def panel(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Played]:
    """Four in a Swiss of two rounds with bids, with new chains, and a panel that has a new key."""
    folder = tmp_path_factory.mktemp("panel")
    data = file_of("swiss", more='[sides]\nby = "bids"', panel=("pam",))
    world = make_world(folder, data, people=("pam",))
    with closing(world.club.store):
        world.enter("ann", "ben", "cat", "dan")
        world.after(31)
        take_statement(world.club, new_key(world, "ann2", key_of("ann"), chain="ann.2"))
        world.signs["ann"] = "ann2"
        with pytest.raises(PbemError, match=r"the next chain of ben is ben\.2, not ben\.3"):
            take_statement(world.club, new_key(world, "x", None, "ben", player="ben", chain="ben.3"))
        take_statement(world.club, new_key(world, "ben2", None, "ben", player="ben", chain="ben.2"))
        world.answer()  # the open call is answered from the chains of before, with ben's old key
        world.run()
        world.chains["ann"] = "ann.2"
        world.answer(["ann", "cat", "dan"])
        world.answer(["ben"])
        world.run()
        world.rule("key", "ben", reason="he rang me up")
        world.signs["ben"], world.chains["ben"] = "ben2", "ben.2"

        with pytest.raises(PbemError, match="pam has not entered, and has no chain"):
            take_statement(world.club, new_key(world, "pam2", None, "pam", player="pam", chain="pam.2"))
        with pytest.raises(PbemError, match="the old key has not signed it"):
            take_statement(world.club, new_key(world, "pam2", key_of("eve"), "pam", player="pam"))
        take_statement(world.club, new_key(world, "pam2", key_of("pam"), "pam", player="pam"))
        world.later(101)
        votes = [
            {"about": (1, pair.number), "places": tuple((one, 1) for one in pair.players)}
            for pair in world.open_pairs()
        ]
        with pytest.raises(PbemError, match="pam has another key in cup now"):
            world.say("pam", VOTE, **votes[0])
        world.signs["pam"] = "pam2"
        for vote in votes:
            world.say("pam", VOTE, **vote)
        world.run()
        assert [one.by for one in world.book.entries if isinstance(one, Ended)] == [BY_PANEL] * 2

        del world.chains["ann"]
        assert not take_reply(world.club, world.reply("ann")).is_accepted, "the old chain counts no more"
        world.chains["ann"] = "ann.2"
        world.answer(["ann"])
        world.answer(["ben", "cat", "dan"])
        world.run()
        export(world.club, "cup", folder / "bundle")
        yield Played(folder / "bundle", folder / "games", folder, world.club.key)


@pytest.fixture
def voters(entered: Entered) -> World:
    """A Swiss that takes entries, with pam on its panel."""
    return entered(file_of("swiss", count=1, panel=("pam",)), people=("pam",))


@pytest.mark.ci
def test_one_of_the_panel_who_has_a_new_key_enters_with_it(voters: World, tmp_path: Path) -> None:
    world = voters
    take_statement(world.club, new_key(world, "pam2", key_of("pam"), "pam", player="pam"))
    with pytest.raises(PbemError, match=r"\[people\] names pam, who must enter with their key SHA256:"):
        world.enter("pam")  # with the old one
    world.signs["pam"] = "pam2"
    world.enter("ann", "ben", "cat", "pam")
    assert world.book.season.key_of("pam") == key_of("pam2").public.line
    with pytest.raises(PbemError, match="somebody called pam has entered already"):
        world.enter("pam", rating=1700)
    world.after(31)
    play_round(world)
    assert world.book.season.is_over
    export(world.club, "cup", tmp_path / "bundle")
    for pair in world.book.season.rounds[0].pairings.pairs:
        export_game(world.club, pair.game, "public", tmp_path / "games" / pair.game)
    findings = audit(tmp_path / "bundle", games=tmp_path / "games")
    assert findings.status == 0, [row for row in findings.rows if row.detail]


def test_nobody_enters_by_the_name_of_one_of_the_panel(voters: World) -> None:
    """Whoever did would vote in their place."""
    voters.signs["pam"] = "eve"
    with pytest.raises(LedgerFault, match=r"\[people\] names pam, who must enter with their key"):
        voters.book.season.check_said(read_statement(voters.entry("pam")).statement, voters.clock())
    voters.signs["pam"] = "pam"
    voters.enter("pam")
    assert "pam" in voters.book.season.members


@pytest.mark.ci
def test_new_chains_and_a_new_key_of_the_panel_are_proven(panel: Played) -> None:
    findings = audit_league(forged(panel, lambda entry: entry))
    assert findings.status == 0, [row for row in findings.rows if row.state == State.REFUTED]
    resolved = [one for one in forged_entries(panel) if isinstance(one, Resolve)]
    assert [not one.absent for one in resolved] == [True, True, True]
    shares = [
        {reveal.who for reveal in one.reveals} & {"ann.1", "ann.2", "ben.1", "ben.2"} for one in resolved
    ]
    assert shares == [{"ann.1", "ben.1"}, {"ann.2", "ben.1"}, {"ann.2", "ben.2"}]


def forged_entries(played: Played) -> list[Entry]:
    """The entries of a bundle."""
    known = sorted(read_bundle(played.bundle).known_files.items())
    return [parse_league_entry(data) for name, data in known if name.endswith(".entry")]


def other_chain(entry: Entry) -> Entry:
    """The judge enters a chain of their own for ann's."""
    if isinstance(entry, Said) and (said := entry.statement("league.cup")).say == NEW_KEY and said.anchor:
        mine = make_chain("league.cup", said.anchor.who, b"m" * 32).anchor
        return Said.of(replace(said, anchor=replace(said.anchor, value=mine)), entry.at)
    return entry


def no_ruling(entry: Entry) -> Entry:
    """Ben's new chain is used though nobody has ruled so."""
    if isinstance(entry, Ruled) and entry.decides[0] == "key":
        return replace(entry, decides=("extend", "1", "2028-01-01T00:00:00Z"))
    return entry


def pams_forged(entry: Entry) -> Entry:
    """The panel's new key is allowed by a key of the judge's."""
    if isinstance(entry, Said) and entry.player == "pam" and (said := entry.statement("league.cup")).by:
        return Said.of(allowed_by(replace(said, by=""), key_of("eve")), entry.at)
    return entry


@pytest.mark.ci
@pytest.mark.parametrize(
    ("edit", "told"),
    [
        (other_chain, "something in it was changed"),
        (no_ruling, "ben.2, which is not a chain of this game"),
        (pams_forged, "the old key has not signed it"),
    ],
)
def test_a_chain_or_key_of_the_judges_making_is_refuted(
    panel: Played, edit: Callable[[Entry], Entry], told: str
) -> None:
    findings = audit_league(forged(panel, edit))
    assert findings.status == 3
    refuted = [row.detail for row in findings.rows if row.state == State.REFUTED]
    assert any(told in detail for detail in refuted), refuted


def test_a_key_is_ruled_only_for_who_asks_and_not_by_themselves(entered: Entered) -> None:
    world = entered(file_of("sections").replace(b'"dora"', b'"ann"'), "ann", "ben")
    with pytest.raises(PbemError, match="ann has not asked for a new key"):
        world.rule("key", "ann", by="anna")
    take_statement(world.club, new_key(world, "ann2", None))
    with pytest.raises(PbemError, match="cannot rule on their own key"):
        world.rule("key", "ann", by="ann")
    world.rule("key", "ann", by="anna")
    assert world.book.season.key_of("ann") == key_of("ann2").public.line
