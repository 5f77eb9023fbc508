"""What cannot be ruled or said in a league."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from pbem.leagues.calls import Call
from pbem.leagues.entries import Ruled, Substituted
from pbem.leagues.facts import Offer
from pbem.leagues.season import Season
from pbem.leagues.statement_rules import check_said
from pbem.leagues.statements import (
    APPEAL,
    CHALLENGE,
    ENTER,
    HALF_BYE,
    NEW_KEY,
    SUBSTITUTE,
    VOTE,
    WITHDRAW,
    Statement,
)
from pbem.trust.chance import Reveal
from pbem.trust.entries import Open
from tests.leagues.test_entries import AT
from tests.leagues.world import key_of
from tests.refusals.clauses import Row
from tests.refusals.league_ledger import DRAW, LATER, NOTHING, At, adds, both, cancelled, ended, over, season
from tests.refusals.league_words import HEAD, JUDGE


def rules(decides: str, change: Callable[[Season], object] = id, **more: object) -> Callable[[], None]:
    entry = Ruled(number=1, by="dora", decides=tuple(decides.split(" ")), reason="x", at=AT)
    return adds(replace(entry, **more), change=change)  # type: ignore[arg-type]


def offers(of: str = "") -> Callable[[Season], object]:
    """Eve has offered to play on: for somebody, or whoever has left first."""

    def change(found: Season) -> None:
        found.offers["eve"] = Offer(saying("eve", SUBSTITUTE, of=of), AT)

    return change


def saying(player: str, say: str, **more: object) -> Statement:
    parts = {
        "league": "league.cup",
        "player": player,
        "say": say,
        "judge": JUDGE,
        "genesis": HEAD,
        "made": AT,
    } | more
    return Statement(**parts)  # type: ignore[arg-type]


def calling(found: Season) -> None:
    """A call waits for ben."""
    found.keys.requested_keys["ben"] = saying("ben", NEW_KEY, key=key_of("new").public)
    opened = Open(exchange=3, seals=(("ben", "x"),), deadline=LATER)
    found.calls.append(Call(3, opened, 2, purpose=DRAW, chains={}))


def gone(*names: str) -> Callable[[Season], None]:
    def change(found: Season) -> None:
        for name in names:
            found.members[name].leaving_reason = WITHDRAW

    return change


def unlisted(found: Season) -> None:
    found.file = replace(found.file, replace_days=0)


def replaced(found: Season) -> None:
    gone("ben")(found)
    found.successors["ben"] = "dan"


def replaced_by_paul(found: Season) -> None:
    found.successors["ben"] = "paul"


# -- what people say


def says(
    player: str, say: str, change: Callable[[Season], object] = id, at: At = NOTHING, **more: object
) -> Callable[[], None]:
    """Somebody says something in a season, in which something is otherwise."""

    def door() -> None:
        here = season(**at)
        change(here)
        check_said(here, saying(player, say, **more), AT)

    return door


def entering(
    player: str, say: str = ENTER, change: Callable[[Season], object] = id, **more: object
) -> Callable[[], None]:
    return says(player, say, change, **{"key": key_of(player).public, **more})  # type: ignore[arg-type]


def renewing(player: str, change: Callable[[Season], object] = id, **more: object) -> Callable[[], None]:
    parts = {"key": key_of("new").public, "old": key_of(player).public.fingerprint, **more}
    return says(player, NEW_KEY, change, {}, **parts)


def asked_bye(
    number: int, change: Callable[[Season], object] = id, byes: int = 2, **more: object
) -> Callable[[], None]:
    table = f'[swiss]\nhalf_byes = {byes}\nstuck = "rematch"' if byes else ""
    return says("ann", HALF_BYE, change, {"more": table}, **{"rounds": (number, number), **more})


def left_key(found: Season) -> None:
    found.keys.current_keys["eve"] = key_of("eve").public.line


def official(found: Season) -> None:
    found.members["dora"] = replace(found.members["ann"], name="dora")


def eliminator(found: Season) -> None:
    found.members["ann"].eliminator = True


def fay_first(found: Season) -> None:
    """Fay stands on the list, and eve offers to play on for ben, who has left."""
    gone("ben")(found)
    found.members["ben"].left_at = AT
    found.offers["fay"] = Offer(saying("fay", SUBSTITUTE), AT)
    offers("ben")(found)


def byes_of(*numbers: int) -> Callable[[Season], None]:
    return lambda found: found.members["ann"].half_byes.extend(numbers)


ABOUT: dict[str, Any] = {"about": (1, 1), "places": (("ann", 1), ("ben", 2))}
KNOWN = "has, or had, this key"
RULINGS = (
    Row("ruling 1 is the next", rules("cancel", number=2)),
    Row("eve is neither director nor assistant", rules("cancel", by="eve")),
    Row("while its round goes on", rules("extend 1 2026-09-01T00:00:00Z", over)),
    Row("while its round goes on", rules("extend 1 2026-05-04T00:00:00Z")),
    Row("the ruling is not written as its format demands", rules("result 1 1 adjudicated ann=7")),
    Row("'01' is not a number", rules("extend 01 2026-09-01T00:00:00Z")),
    Row("round 2 has not been drawn", rules("extend 2 2026-09-01T00:00:00Z")),
    Row("a game cannot end 'smile'; write one of", rules("result 1 1 smile ann=1 ben=2")),
    Row("has a result already: correct it", rules("result 1 1 adjudicated ann=1 ben=2", ended)),
    Row("has no result yet to correct", rules("correct 1 1 adjudicated ann=1 ben=2")),
    Row("the game is between ann, ben", rules("result 1 1 adjudicated ann=1 cat=2")),
    Row("call 3 is open: rule on the key of ben when it is closed", rules("key ben", calling)),
    Row("ben plays again, or has a substitute", rules("admit eve", offers("ben"))),
    Row("ben plays again, or has a substitute", rules("admit eve", both(replaced, offers("ben")))),
    Row(
        "fay is first on the list of substitutes, and gets the place before eve",
        rules("admit eve", fay_first),
    ),
    Row("eve does not play in cup, or has left", rules("expel eve")),
    Row("eve is on the list of substitutes", rules("admit eve", offers())),
    Row("eve does not offer to take anybody's place", rules("admit eve")),
    Row("ann cannot return: they were not silent", rules("readmit ann")),
    Row("ann has not asked for a new key", rules("key ann")),
    Row("entry 9 is not an appeal that waits", rules("answer 9 upheld")),
    Row("the league has begun", rules("start")),
    Row("write it like this: expel", rules("expel")),
    Row("there is no ruling 'smile'", rules("smile")),
)

LADDER = {"form": "ladder", "rounds": 0, "rounds_table": "count = 3\ndays = 100"}
SAYINGS = (
    Row("it is about league.x, not about league.cup", says("ann", WITHDRAW, league="league.x")),
    Row("it is for the league cup of the judge SHA256:x", says("ann", WITHDRAW, judge="SHA256:x")),
    Row("another league called cup, with the first head 55555", says("ann", WITHDRAW, genesis="5" * 64)),
    Row("cup is over", says("ann", WITHDRAW, cancelled)),
    Row("eve does not play in cup", says("eve", WITHDRAW)),
    Row("dora has left cup", says("dora", WITHDRAW)),
    Row("ann has left cup", says("ann", WITHDRAW, gone("ann"))),
    Row("somebody called dora has entered already", entering("dora", change=official)),
    Row("somebody called eve has entered already", entering("eve", change=offers())),
    Row("somebody called eve has entered already", entering("eve", change=left_key)),
    Row("[people] names dora, who must enter", entering("dora", key=key_of("eve").public)),
    Row(KNOWN, entering("eve", key=key_of("ann").public, at={"rounds": 0})),
    Row("everybody plays one game at a time", entering("eve", at={"rounds": 0}, games=2)),
    Row("has no list of substitutes", entering("eve", SUBSTITUTE, unlisted)),
    Row("eva has not left, or has a substitute", entering("eve", SUBSTITUTE, of="eva")),
    Row("ben has not left, or has a substitute", entering("eve", SUBSTITUTE, of="ben")),
    Row("ben has not left, or has a substitute", entering("eve", SUBSTITUTE, replaced, of="ben")),
    Row("entries are closed", entering("eve", at={})),
    Row(
        "the knockout are drawn, and nobody can enter any more",
        entering("eve", at={"form": "knockout", "entries": 'late = "next-round"'}),
    ),
    Row("4 have entered; no more can enter", entering("eve", at={"rounds": 0, "entries": "most = 4"})),
    Row("eve is not on the panel", says("eve", VOTE, at={}, **ABOUT)),
    Row("ann plays in this game, and cannot vote", says("ann", VOTE, at={}, **ABOUT)),
    Row("paul plays in this game, and cannot", says("paul", VOTE, replaced_by_paul, {}, **ABOUT)),
    Row("the game is between ann, ben", says("paul", VOTE, at={}, about=(1, 1), places=(("ann", 1),))),
    Row("pairing 1 of round 1 has a result", says("paul", VOTE, ended, {}, **ABOUT)),
    Row("cup is not a ladder, and has no challenges", says("ann", CHALLENGE, of="ben")),
    Row("eva cannot be challenged", says("ann", CHALLENGE, at=LADDER, of="eva")),
    Row("ben cannot be challenged", says("ann", CHALLENGE, gone("ben"), LADDER, of="ben")),
    Row("ann cannot be challenged", says("ann", CHALLENGE, at=LADDER, of="ann")),
    Row("cup gives no half-point byes", asked_bye(2, byes=0)),
    Row("to ask for a half-point bye, name one round only", asked_bye(2, rounds=(2, 3))),
    Row("ann is an eliminator, and needs no bye", asked_bye(2, eliminator)),
    Row("cup has 3 rounds", asked_bye(4)),
    Row("it is too late for round 1: the judge has called for its draw", asked_bye(1)),
    Row("asked for a half-point bye in round 2 already", asked_bye(2, byes_of(2))),
    Row("ann has had or asked for 1; nobody gets more", asked_bye(2, byes_of(3), byes=1)),
    Row("fewer than 2 would be left to play in round 2", asked_bye(2, gone("ben", "cat", "dan"))),
    Row("fewer than 2 would be left to play in round 2", asked_bye(2, gone("ben", "cat"))),
    Row("the ledger has no entry 9 to appeal against", says("ann", APPEAL, entry=9)),
    Row(
        "against entry 1 already",
        says("ann", APPEAL, lambda found: found.appealed_entries.add(("ann", 1)), entry=1),
    ),
    Row("does not play in cup, and has no key in it", renewing("eve")),
    Row("does not play in cup, and has no key in it", renewing("ann", gone("ann"))),
    Row("it replaces the key SHA256:x, but ann has the key", renewing("ann", old="SHA256:x")),
    Row(KNOWN, renewing("ann", key=key_of("ben").public)),
    Row(KNOWN, renewing("ann", key=key_of("dora").public)),
    Row("dora has not entered, and has no chain", renewing("dora", anchor=Reveal("dora.2", 0, "a" * 64))),
    Row("the next chain of ann is ann.2, not ann.3", renewing("ann", anchor=Reveal("ann.3", 0, "a" * 64))),
    Row("the old key has not signed it", renewing("ann", by="x")),
    Row("eve is not on the list", adds(Substituted(player="eve", of="ben", at=AT))),
    Row("eve is not on the list", adds(Substituted(player="eve", of="ben", at=AT), change=offers("ben"))),
)
ROWS = (*RULINGS, *SAYINGS)
