"""Attacks of a game master who acts without the consent that they need."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from pbem.audit.findings import State
from pbem.play.adjudicate import Adjudication, Adjudicator
from pbem.play.exchange import Exchange
from pbem.play.history import History
from pbem.trust.act_entries import Act
from pbem.trust.entries import Entry, Open, Other
from pbem.trust.orderfile import OrderFile
from tests.audit.attack import Exhibit, Scene, attack
from tests.audit.stage import Crook, Stage, herald, key_of, skirmish
from tests.audit.workshop import Workshop

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
    """The judge plays an exchange once more because their friend did badly in it."""
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
    """The judge signs bob's consent in bob's place."""
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


@attack("judge", audit="alice consented in another history", script="alice consented in another history")
def a_consent_given_in_another_history(scene: Scene) -> Exhibit:
    """The judge has kept two ledgers, and uses in the one what alice and bob signed in the other."""
    stage = _in_exchange_4(scene)
    stage.act("roll-back", "3", seen=(stage.book.size, "b" * 64), alice=key_of("alice"), bob=key_of("bob"))
    stage.go()
    return Exhibit(files=stage.bundle())


@attack("judge", audit="and names entry 9999, which came", script="and names entry 9999, which came")
def a_consent_to_a_ledger_that_is_not_there(scene: Scene) -> Exhibit:
    """The judge has kept two ledgers, and alice and bob signed in the one that went on."""
    stage = _in_exchange_4(scene)
    stage.act("roll-back", "3", seen=(9999, "b" * 64), alice=key_of("alice"), bob=key_of("bob"))
    stage.go()
    return Exhibit(files=stage.bundle())


@attack("judge", audit="incomplete: consents/", script="incomplete: consents/", state=State.MISSING)
def a_consent_that_is_not_shown(scene: Scene) -> Exhibit:
    """The ledger says that bob consented, and the bundle does not show it."""
    files = scene.interrupted.bundle()
    act = next(entry for entry in scene.interrupted.book.entries if isinstance(entry, Act) and entry.consents)
    for end in ("txt", "sig"):
        del files[f"consents/{dict(act.consents)['bob'].sha256}.{end}"]
    return Exhibit(files=files)


@attack("judge", audit="concede bob lacks consent", script="concede lacks consent")
def a_concession_that_nobody_made(scene: Scene) -> Exhibit:
    """The judge enters that bob has given up."""
    stage = _in_exchange_4(scene, NOBODY)
    stage.act("concede", "bob", bob=key_of("bob"))
    return Exhibit(files=stage.bundle())


@attack("judge", audit="how the game ended", script="")
def a_concession_turned_round(scene: Scene) -> Exhibit:
    """Bob has given up, and the judge enters that bob has won."""

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
    """Alice claims the game, and the judge grants it, though bob has sent orders."""
    stage = _silent(scene)
    stage.send("bob")
    stage.act("claim", "bob", alice=key_of("alice"))
    return Exhibit(files=stage.bundle())


@attack("judge and player", audit="bob has not been silent", script="bob has not been silent")
def a_claim_that_counts_an_outage(scene: Scene) -> Exhibit:
    """By the ledger mail failed in exchanges 4 and 5, and the judge takes that for bob's silence."""
    stage = _in_exchange_4(scene)
    for _ in range(2):
        stage.send("alice")
        stage.wait(8)
        stage.act("outage")
        stage.resolve()
    stage.act("claim", "bob", alice=key_of("alice"))
    return Exhibit(files=stage.bundle())


@attack("judge and player", audit="mail has failed in exchange 6", script="mail has failed in exchange 6")
def a_claim_while_mail_fails(scene: Scene) -> Exhibit:
    """Alice claims the game while bob can neither read nor write."""
    stage = _silent(scene)
    stage.wait(8)
    stage.act("outage")
    stage.act("claim", "bob", alice=key_of("alice"))
    return Exhibit(files=stage.bundle())


@attack("judge", audit="does not wait past its deadline", script="does not wait past its deadline")
def an_outage_made_up_beforehand(scene: Scene) -> Exhibit:
    """The judge protects a friend who sends nothing: mail is said to fail before anybody could notice."""
    stage = _in_exchange_4(scene)
    stage.act("outage")
    stage.wait(8)
    stage.resolve()
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


WRONG, RULE = "name_then_roll", "herald_order=roll_then_name"
"""By which house rule bob's herald was played, and by which it should have been."""


class Favour(Adjudicator):
    """Plays an exchange again with a line more in alice's orders."""

    line = "card 3\nmove all from Fife to Mentieth\n"

    def resolve(
        self, history: History, exchange: Exchange, files: Mapping[str, OrderFile], *given: Any, **shown: Any
    ) -> Adjudication:
        """Resolve, if again, by other orders."""
        if exchange.opened.again:
            files = {**files, "alice": replace(files["alice"], body=self.line)}
        return super().resolve(history, exchange, files, *given, **shown)


def _corrected(
    scene: Scene,
    crook: Crook | None = None,
    adjudicator: type[Adjudicator] = Adjudicator,
    said: str = "",
    **keys: str,
) -> Stage:
    """Exchange 2 is corrected while exchange 4 is open; `keys`: who signs whose consent, and to what."""
    stage = scene.fresh(adjudicator=adjudicator, herald_order=WRONG)
    herald(stage)
    if crook is not None:
        stage.crook = crook
    signers = keys or {"alice": "alice", "bob": "bob"}
    stage.act("correct", "2", RULE, said, None, **{name: key_of(signer) for name, signer in signers.items()})
    return stage


@attack("judge", audit="exchange 2 comes out differently", script="")
def a_correction_that_begins_too_late(scene: Scene) -> Exhibit:
    """The first exchange that comes out differently is the second: the judge corrects the third."""
    stage = scene.fresh(herald_order="name_then_roll")
    herald(stage)
    stage.act("correct", "3", RULE, alice=key_of("alice"), bob=key_of("bob"))
    stage.go()
    return Exhibit(files=stage.bundle())


@attack("judge", audit="roll_then_name lacks consent", script="correct lacks consent")
def a_correction_in_a_friends_favour(scene: Scene) -> Exhibit:
    """The judge has an exchange played again by a house rule that suits their friend."""
    return Exhibit(files=_corrected(scene, NOBODY).bundle())


@attack("judge and player", audit="roll_then_name lacks consent", script="lacks consent")
def a_correction_by_one_player(scene: Scene) -> Exhibit:
    """The same, and alice has signed that she agrees; bob has not."""
    return Exhibit(files=_corrected(scene, alice="alice").bundle())


@attack("judge", audit="was made with the key", script="is not signed by bob")
def a_forged_consent_to_a_correction(scene: Scene) -> Exhibit:
    """The judge signs bob's consent to the correction in bob's place."""
    return Exhibit(files=_corrected(scene, alice="alice", bob="gm").bundle())


@attack("judge", audit="what alice consented to", script="is not what alice consents to")
def a_consent_to_the_correction_of_another_exchange(scene: Scene) -> Exhibit:
    """Both consented to correct exchange 3; the judge corrects exchange 2."""
    return Exhibit(files=_corrected(scene, said=f"correct 3 {RULE}").bundle())


@attack("judge", audit="what alice consented to", script="is not what alice consents to")
def a_consent_to_another_house_rule(scene: Scene) -> Exhibit:
    """Both consented to put one house rule right; the judge changes another."""
    return Exhibit(files=_corrected(scene, said="correct 2 spend_rp=forced").bundle())


@attack("judge", audit="reports/england/0005.txt, line 4", script="")
def a_correction_with_other_orders(scene: Scene) -> Exhibit:
    """Both consented to the correction; the judge slips other orders of alice's into it."""
    return Exhibit(files=_corrected(scene, adjudicator=Favour).bundle())


@attack("judge", audit="the mix of exchange 5, which plays exchange 2 again", script="has another mix")
def a_correction_with_other_dice(scene: Scene) -> Exhibit:
    """Both consented to the correction; the judge takes the dice of another exchange for it."""
    stage = _corrected(scene)
    (other,) = (one.resolved for one in stage.book.history.exchanges if one.number == 3)
    (mine,) = (one.resolved for one in stage.book.history.exchanges if one.number == 2)
    assert other is not None
    assert mine is not None
    workshop = Workshop(stage)
    workshop.change("resolve 5", mine.mix, other.mix)
    return Exhibit(files=workshop.bind())


@attack("judge", audit="is used twice or misplaced", script="it has a die of another exchange")
def a_die_of_a_correction_is_moved(scene: Scene) -> Exhibit:
    """The judge says of a die of the correction that it was rolled in exchange 3."""
    workshop = Workshop(_corrected(scene))
    workshop.change("resolve 5", "\ndie 2 ", "\ndie 3 ")
    return Exhibit(files=workshop.bind())


@attack("judge", audit="yet reveals something", script="is played again, and yet reveals something")
def a_correction_that_reveals(scene: Scene) -> Exhibit:
    """The judge mixes a further step of their chain into a correction, to have other dice."""
    stage = _corrected(scene)
    workshop = Workshop(stage)
    opened, _ = stage.club.chains("hearth")
    workshop.change("resolve 5", "mix ", f"reveal gm.1 5 {opened.reveal(5)}\nmix ")
    return Exhibit(files=workshop.bind())


@attack("judge", audit="exchange 5 must be opened next", script="a open cannot stand here")
def an_exchange_is_played_again_unasked(scene: Scene) -> Exhibit:
    """The judge plays an exchange again, and no correction stands in the ledger."""

    def crook(entry: Entry) -> Sequence[Entry]:
        return () if isinstance(entry, Act) else (entry,)

    return Exhibit(files=_corrected(scene, crook).bundle())


@attack(
    "judge", audit="an exchange is played again after a correction, and only then", script="and only then"
)
def another_exchange_is_played_again(scene: Scene) -> Exhibit:
    """Both consented to correct exchange 2; what is played again is exchange 3."""

    def crook(entry: Entry) -> Sequence[Entry]:
        return (replace(entry, again=3) if isinstance(entry, Open) and entry.again else entry,)

    return Exhibit(files=_corrected(scene, crook).bundle())


@attack("judge", audit="waits for nobody", script="a received cannot stand here")
def new_orders_in_a_correction(scene: Scene) -> Exhibit:
    """The judge lets a friend give new orders for the exchange that is played again."""
    stage = _corrected(scene)
    workshop = Workshop(stage)
    received = workshop.find("received 2 alice").text.replace("received 2", "received 5", 1)
    workshop.insert_after(workshop.find("open 5"), received)
    return Exhibit(files=workshop.bind())


@attack(
    "judge",
    audit="the judge opens exchange 5 under other rules",
    script="it is opened under other rules",
)
def another_release_without_a_word(scene: Scene) -> Exhibit:
    """From one exchange to the next the judge plays by another release, and says so nowhere."""

    def crook(entry: Entry) -> Sequence[Entry]:
        return (replace(entry, rules="d" * 64) if isinstance(entry, Open) else entry,)

    stage = _in_exchange_4(scene, crook)
    stage.go()
    return Exhibit(files=stage.bundle())


@attack("judge", audit=f"go-on rules={'d' * 64} lacks consent", script="go-on lacks consent")
def another_release_without_consent(scene: Scene) -> Exhibit:
    """The judge enters that the players have agreed to another release."""
    stage = _in_exchange_4(scene, NOBODY)
    stage.act("go-on", "", f"rules={'d' * 64}", alice=key_of("alice"), bob=key_of("bob"))
    return Exhibit(files=stage.bundle())
