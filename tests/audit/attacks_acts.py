"""Attacks of a game master who acts without the consent that he needs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pbem.trust.acts import Act
from pbem.trust.entries import Entry, Other
from tests.audit.attack import Exhibit, Scene, attack
from tests.audit.stage import Crook, Stage, key_of, skirmish

NOBODY: Crook = lambda entry: (replace(entry, consents=()) if isinstance(entry, Act) else entry,)  # noqa: E731


def _in_exchange_4(scene: Scene, crook: Crook | None = None) -> Stage:
    stage = scene.fresh()
    skirmish(stage, last=3)
    if crook is not None:
        stage.crook = crook
    return stage


def _silent(scene: Scene, crook: Crook | None = None) -> Stage:
    """Bob has sent nothing for exchanges 4 and 5."""
    stage = _in_exchange_4(scene, crook)
    for _ in range(2):
        stage.send("alice")
        stage.wait(8)
        stage.resolve()
    return stage


@attack("judge", audit="roll-back 3 lacks consent", script="roll-back lacks consent")
def a_roll_back_in_a_friends_favour(scene: Scene) -> Exhibit:
    """The judge plays an exchange once more because his friend did badly in it."""
    stage = _in_exchange_4(scene, NOBODY)
    stage.act("roll-back", "3", alice=key_of("alice"))
    stage.go()
    return Exhibit(files=stage.bundle())


@attack("judge and player", audit="roll-back 3 lacks consent", script="roll-back lacks consent")
def a_roll_back_by_one_player(scene: Scene) -> Exhibit:
    """The same, and alice has signed that she agrees; bob has not."""
    stage = _in_exchange_4(scene)
    stage.act("roll-back", "3", alice=key_of("alice"))
    return Exhibit(files=stage.bundle())


@attack("judge", audit="was made with the key", script="is not signed by bob")
def a_forged_consent(scene: Scene) -> Exhibit:
    """The judge signs bob's consent himself."""
    stage = _in_exchange_4(scene)
    stage.act("roll-back", "3", alice=key_of("alice"), bob=key_of("gm"))
    stage.go()
    return Exhibit(files=stage.bundle())


@attack("judge", audit="what alice consented to", script="is not what alice consents to")
def a_consent_to_something_else(scene: Scene) -> Exhibit:
    """Bob consented to go back to exchange 2; the judge uses it to go back to exchange 3."""

    def crook(entry: Entry) -> Sequence[Entry]:
        return (replace(entry, of="3") if isinstance(entry, Act) else entry,)

    stage = _in_exchange_4(scene, crook)
    stage.act("roll-back", "2", alice=key_of("alice"), bob=key_of("bob"))
    stage.go()
    return Exhibit(files=stage.bundle())


@attack("judge", audit="consents/", script="is missing, or is not what bob consents to")
def a_consent_that_is_not_shown(scene: Scene) -> Exhibit:
    """The ledger says that bob consented, and the bundle does not show it."""
    files = scene.interrupted.bundle()
    act = next(entry for entry in scene.interrupted.book.entries if isinstance(entry, Act) and entry.consents)
    for name in (f"consents/{dict(act.consents)['bob']}.txt", f"consents/{dict(act.consents)['bob']}.sig"):
        del files[name]
    return Exhibit(files=files)


@attack("judge", audit="concede bob lacks consent", script="concede lacks consent")
def a_concession_that_nobody_made(scene: Scene) -> Exhibit:
    """The judge enters that bob has given up."""
    stage = _in_exchange_4(scene, NOBODY)
    stage.act("concede", "bob", bob=key_of("bob"))
    return Exhibit(files=stage.bundle())


@attack("judge", audit="how the game ended", script="")
def a_concession_turned_round(scene: Scene) -> Exhibit:
    """Bob has given up, and the judge enters that he has won."""

    def crook(entry: Entry) -> Sequence[Entry]:
        if isinstance(entry, Other):
            return (replace(entry, extra=("winner england", *entry.extra[1:])),)
        return (entry,)

    stage = _in_exchange_4(scene, crook)
    stage.act("concede", "bob", bob=key_of("bob"))
    return Exhibit(files=stage.bundle())


@attack("judge", audit="claim bob lacks consent", script="claim lacks consent")
def a_claim_that_nobody_made(scene: Scene) -> Exhibit:
    """The judge ends a game in which a player sends nothing, though the other goes on waiting."""
    stage = _silent(scene, NOBODY)
    stage.act("claim", "bob", alice=key_of("alice"))
    return Exhibit(files=stage.bundle())


@attack("judge and player", audit="bob has not been silent", script="bob has not been silent")
def a_claim_of_a_game_that_is_played(scene: Scene) -> Exhibit:
    """Alice claims the game, and the judge grants it, though bob has sent his orders."""
    stage = _silent(scene)
    stage.send("bob")
    stage.act("claim", "bob", alice=key_of("alice"))
    return Exhibit(files=stage.bundle())


@attack("judge", audit="the game is on hold", script="the game is on hold")
def a_game_on_hold_goes_on(scene: Scene) -> Exhibit:
    """The judge stops the game, and resolves it while bob believes that it waits."""
    stage = _in_exchange_4(scene)
    stage.send("alice")
    stage.act("hold")
    stage.wait(30)
    stage.resolve()
    return Exhibit(files=stage.bundle())


@attack(
    "judge",
    audit="4 was closed before its deadline",
    script="4 is closed before its deadline",
)
def the_time_on_hold_is_taken_from_a_player(scene: Scene) -> Exhibit:
    """The game was on hold for a month; the judge closes at the old deadline all the same."""
    stage = _in_exchange_4(scene)
    stage.send("alice")
    stage.act("hold")
    stage.wait(30)
    stage.act("resume")
    stage.resolve()
    return Exhibit(files=stage.bundle())
