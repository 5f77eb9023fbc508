"""What cannot stand in a ledger: entries, their order, who contributed, chains, mixes and dice."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial

from pbem.play.history import History
from pbem.trust.act_entries import CLAIM, CONCEDE, GO_ON, HOLD, Act, lacking
from pbem.trust.chance import (
    DRAW_CHAIN,
    Dice,
    Die,
    Reveal,
    Roots,
    build_mix,
    check_die,
    check_key,
    check_mix,
    check_reveal,
    die,
    draw,
    parse_die,
    parse_mix,
    parse_roots,
)
from pbem.trust.entries import Entry, Other, Received, Refused, Reported, Revealed
from pbem.trust.fields import ConsentRef
from pbem.trust.identifiers import as_token, check_label
from pbem.trust.keys import generate
from pbem.trust.ledger import Checkpoint, SaidReceipt, parse_checkpoint, parse_entry, parse_said
from pbem.trust.proof import (
    Shares,
    UniqueItems,
    again_faults,
    label_faults,
    mix_of,
    prove_resolve,
    share_faults,
)
from pbem.trust.rotations import Rotation
from pbem.trust.times import MAX_AHEAD, check_made
from tests.play.test_history import history, opened, resolved
from tests.refusals.clauses import Row, changed
from tests.trust.test_acts import ACT
from tests.trust.test_entries import FULL_GENESIS, GENESIS, NOON
from tests.trust.test_proof import HONEST, SHARES
from tests.trust.test_shares import ASKED, CHAINS, RIGHT, reveal

# -- entries

RESOLVED = b"resolve 1\nreveal gm.1 1 " + b"a" * 64 + b"\nabsent bob.1\nmix " + b"c" * 64 + b"\n"
RECEIVED = b"received 1 alice rev 1 sealed " + b"a" * 64 + b"\n"
KEY = generate().public.line
GIVEN = ConsentRef("a" * 64, 41)
ROTATED = Rotation(
    exchange=4,
    player="alice",
    at=NOON,
    key=KEY,
    old=FULL_GENESIS.gm,
    text_sha256="a" * 64,
    anchor=Reveal("alice.2", 0, "a" * 64),
    consents=(("bob", GIVEN),),
)
PLAIN = "is not plain lines of text, each ended"
ENTRIES = (
    Row("the entry is too large", partial(parse_entry, bytes(4_194_305))),
    *changed(
        parse_entry,
        RECEIVED,
        ("alice", "al\udcff", "the entry is not utf-8 text"),
        like="received",
    ),
    Row(PLAIN, partial(parse_entry, b"")),
    Row(PLAIN, partial(parse_entry, RESOLVED[:-1])),
    *changed(parse_entry, RESOLVED, like="resolved"),
    *changed(parse_entry, GENESIS.text, like="genesis"),
    *changed(
        parse_entry,
        ROTATED.text,
        (f"alice {ROTATED.fingerprint}", f"alice {GENESIS.gm}", "does not fit those below it"),
        (KEY, f"{KEY} alice", "is not written as a key is"),
        like="rotated",
    ),
    *changed(
        parse_entry,
        ACT.text,
        ("reason a wrong map", f"reason {'x' * 501}", "its reason has more than 500 characters"),
        like="act",
    ),
    *(
        Row("cannot be a line of an entry", partial(getattr, Other(first="hold 1", extra=(line,)), "text"))
        for line in ("a\x07b", "", " a")
    ),
    *changed(parse_checkpoint, Checkpoint(game="hearth", size=15, head="a" * 64).text, like="checkpoint"),
    *changed(
        parse_said,
        SaidReceipt(game="league.cup", player="ann", said="a" * 64, entry=17, coming="round 2").text,
        like="said",
    ),
    Row("cannot be written as a token", lambda: as_token("York!")),
    Row("is not a label: it takes tokens joined by single slashes", lambda: check_label("a//b")),
)

# -- consent


def without(act: Act, *names: str) -> Callable[[], str]:
    """What an act lacks to which these have consented."""
    return lambda: lacking(replace(act, consents=tuple((name, GIVEN) for name in names)), GENESIS)


ALONE = replace(ACT, what=CONCEDE, of="alice")
AGREED = replace(ACT, what=GO_ON, of="", change="rules=" + "b" * 64)
CONSENTS = (
    Row("carol has no say in it", without(replace(ACT, what=HOLD, of=""), "carol")),
    Row("carol does not play", without(replace(ALONE, of="carol"), "alice")),
    Row("alice has not consented", without(ALONE, "bob")),
    Row("carol does not play", without(replace(ALONE, what=CLAIM, of="carol"), "alice", "bob")),
    Row("bob has not claimed the game", without(replace(ALONE, what=CLAIM), "alice")),
    Row("bob has not consented", without(AGREED, "alice")),
    Row("neither all players nor the second official", without(ACT, "alice")),
    Row("carol has no say in it", lambda: replace(ROTATED, consents=(("carol", GIVEN),)).lacks(GENESIS)),
    Row("alice has not consented", lambda: replace(ROTATED, consents=(), person="dora").lacks(GENESIS)),
    Row("alice has not consented", lambda: replace(ROTATED, consents=(), recovery="x").lacks(GENESIS)),
    Row(
        "carol has not consented",
        lambda: ROTATED.lacks(
            replace(GENESIS, players=(*GENESIS.players, replace(GENESIS.players[0], name="carol")))
        ),
    ),
)

# -- the order of entries


def then(*entries: Entry) -> Callable[[], object]:
    """What follows on three exchanges and the fourth, which is open."""
    return lambda: history(*entries)


SENT = Received(exchange=4, player="alice", rev=1, sealed="f" * 64, at=NOON)
LATE = Refused(exchange=4, player="alice", of=4, sealed="f" * 64, reason="late", at=NOON)
LIFE = (
    Row("exchange 5 must be opened next", then(*resolved(4), opened(6))),
    Row("exchange 5 must be opened next", then(opened(5))),
    Row("exchange 0 is in progress", lambda: History(GENESIS).take(SENT, 1)),
    Row("exchange 4 is in progress", lambda: history().take(replace(SENT, exchange=3), 12)),
    Row("a resolve cannot stand here", then(resolved(4)[1])),
    Row("exchange 1, which is none of the last", then(replace(LATE, of=1))),
    Row("exchange 4 waited for nothing of carol", lambda: history().take(replace(SENT, player="carol"), 12)),
    Row(
        "no more files of alice may be entered now",
        then(*(replace(SENT, rev=rev, sealed=f"{rev:064x}") for rev in range(1, 30))),
    ),
)

# -- who contributed


def wrong(faults: Iterable[object]) -> Callable[[], str]:
    """They are looked for when the row is played."""
    return lambda: "; ".join(map(str, list(faults)))


def shared(shares: Shares = ASKED, **parts: object) -> Callable[[], str]:
    return wrong(share_faults(shares, replace(RIGHT, **parts)))  # type: ignore[arg-type]


def once(entry: Entry, *before: Entry) -> Callable[[], str]:
    return wrong(UniqueItems(before).faults(entry))


def labels(die: Die, *used: str, twice: bool = False) -> Callable[[], str]:
    return wrong(label_faults(replace(RIGHT, dice=(die,) * (1 + twice)), 2, used))


DIE = Die(2, 6, "a/b", 4)
FELL = "the label a/b in exchange 2 is used twice or misplaced"
TOLD = Reported(exchange=4, audience="public", sha256="a" * 64)
SHOWN = Revealed(exchange=4, player="alice", sealed="a" * 64, at=NOON)
AGAIN = replace(RIGHT, reveals=(), absent=())
CONTRIBUTED = (
    Row("x.1, which is not a chain", shared(reveals=(*RIGHT.reveals, Reveal("x.1", 2, "7" * 64)))),
    Row(
        "gm-secret.1, which is not a chain of this game",
        shared(
            replace(ASKED, known=lambda who: Reveal(who, 1, "7" * 64)),
            reveals=(*RIGHT.reveals, Reveal(DRAW_CHAIN, 2, "7" * 64)),
        ),
    ),
    Row("alice.1 reveals: expected 2, found 3", shared(reveals=(reveal("gm"), reveal("alice", 3)))),
    Row("contributes to exchange 2: expected 777", shared(replace(ASKED, fixed={"alice.1": "7" * 64}))),
    Row("alice is left out, whose file was received", shared(reveals=(reveal("gm"),))),
    Row("bob stands there, of whom no step was due", shared(reveals=(*RIGHT.reveals, reveal("bob")))),
    Row("who is absent in exchange 2: expected bob.1, carol.1, found nobody", shared(absent=())),
    Row("in exchange 2 is not the one they signed", shared(replace(ASKED, signed={"alice": None}))),
    Row("is played again, and yet reveals", wrong(again_faults(replace(AGAIN, reveals=RIGHT.reveals)))),
    Row("is played again, and yet reveals", wrong(again_faults(replace(AGAIN, absent=("bob.1",))))),
    Row(FELL, labels(replace(DIE, exchange=1))),
    Row(FELL, labels(DIE, "a/b")),
    Row(FELL, labels(DIE, twice=True)),
    Row("received in exchange 4, was received before", once(SENT, replace(SENT, rev=2))),
    Row("revision 1 of alice, received", once(SENT, replace(SENT, sealed="a" * 64))),
    Row("refused in exchange 4, was before", once(LATE, SENT)),
    Row("the reveal of alice was received twice", once(SHOWN, SHOWN)),
    Row("public was told of exchange 4 already", once(TOLD, TOLD)),
    Row("it reveals nothing of gm.1", lambda: mix_of(SHARES, replace(HONEST, reveals=()))),
    Row(
        "resolution of exchange 2 is wrong: its mix",
        lambda: prove_resolve(SHARES, replace(HONEST, mix="0" * 64)),
    ),
)

# -- chains, mixes, dice

ROOTS = Roots.of(bytes(32), "hearth")
CHAIN = CHAINS["alice"]
ONE = Reveal("alice.1", 1, CHAIN.reveal(1))
MIX = build_mix("hearth", 2, gm=reveal("gm"), players=[("alice.1", reveal("alice"))])


def mixed(gm: Reveal, *players: tuple[str, Reveal | None]) -> Callable[[], object]:
    return lambda: build_mix("hearth", 2, gm=gm, players=players)


def rolled(**keys: bytes) -> Dice:
    dice = Dice()
    if keys:
        dice.begin(2, **keys)
    return dice


def twice() -> None:
    dice = rolled(open_key=bytes(32))
    dice.roll("a/b")
    dice.roll("a/b")


OTHERS = [key for key in (bytes(32), b"x" * 32) if die(key, 6, "a/b") != DIE.value]
NO_MIX = "this is not a mix file"
CHANCE = (
    *changed(parse_roots, ROOTS.text, like="roots"),
    Row("of the chain gm.1, where one of alice.1 is due", lambda: check_reveal("hearth", reveal("gm"), ONE)),
    Row("step 1 of alice.1 is known already", lambda: check_reveal("hearth", ONE, ONE)),
    Row("does not lead back to step 1", lambda: check_reveal("hearth", replace(ONE, step=2), ONE)),
    Row("a chain has the steps 1 to 4,096, and no step 0", lambda: CHAIN.reveal(0)),
    Row("a secret has exactly 32 bytes", lambda: check_key(bytes(31))),
    Row("the judge's chains are gm.1 and gm-secret.1, not alice.1", mixed(reveal("alice"))),
    Row("takes step 2 of alice.1, not 3 of alice.1", mixed(reveal("gm"), ("alice.1", reveal("alice", 3)))),
    Row("takes step 2 of gm.1, not step 3", mixed(reveal("gm", 3))),
    Row("a player stands twice in the mix", mixed(reveal("gm"), ("alice.1", None), ("alice.2", None))),
    Row(NO_MIX, partial(parse_mix, MIX.text.ljust(524_289, b"\n"))),
    Row("is not the one that the revealed values give", lambda: check_mix(b"", MIX)),
    *changed(
        parse_mix,
        MIX.text,
        ("beacon -", "beacon \udcff", NO_MIX),
        (MIX.text.decode().split("\n", 2)[2], "", f"{NO_MIX}; its first line would be pbem1 mix"),
        like="mix",
    ),
    *changed(lambda text: parse_die(text.decode()), b"2 6 a/b 4", like="die"),
    Row("the key of a die has 32 bytes", lambda: die(b"", 6, "a/b")),
    Row("a die has 2 to 256 sides, not 1", lambda: die(bytes(32), 1, "a/b")),
    Row(
        "the die a/b is a", lambda: check_die(bytes(32), replace(DIE, value=die(bytes(32), 6, "a/b") % 6 + 1))
    ),
    Row("nothing is left to draw from at a/b", lambda: draw(bytes(32), "a/b", ())),
    Row("so a/b cannot be rolled", lambda: rolled().roll("a/b")),
    Row("is not known, so a/b cannot be drawn", lambda: rolled(open_key=bytes(32)).draw("a/b", ("x", "y"))),
    Row("the label a/b was used before, in exchange 2", twice),
    Row("and the judge's clock says 20", lambda: check_made(NOON + 2 * MAX_AHEAD, NOON)),
)
ROWS = (*ENTRIES, *CONSENTS, *LIFE, *CONTRIBUTED, *CHANCE)
