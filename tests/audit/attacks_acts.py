"""Attacks of a game master who acts without the consent that they need."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta
from typing import Annotated, Any

from pbem.audit.findings import State
from pbem.play.adjudicate import Adjudication, Adjudicator
from pbem.play.history import Exchange, History
from pbem.trust.act_entries import Act
from pbem.trust.entries import Extend, Open, Other
from pbem.trust.orderfile import OrderFile
from tests.audit.attack import Exhibit, InExchange4, Scene, attack, up_to
from tests.audit.stage import START, Crook, Files, Stage, herald, key_of, otherwise
from tests.audit.workshop import Workshop

NOBODY = otherwise(Act, consents=())


def _silent(scene: Scene) -> Stage:
    """Bob has sent nothing for exchanges 4 and 5."""
    stage = up_to(3)(scene)
    for _ in range(2):
        stage.send("alice")
        stage.wait(8)
        stage.resolve()
    return stage


Silent = Annotated[Stage, _silent]
Interrupted = Annotated[Files, lambda scene: scene.interrupted.bundle()]


@attack("judge", audit="roll-back 3 lacks consent", script="roll-back lacks consent")
def a_roll_back_in_a_friends_favour(stage: InExchange4) -> None:
    """The judge plays an exchange once more because their friend did badly in it."""
    stage.crook = NOBODY
    stage.act("roll-back", "3", alice=key_of("alice"))
    stage.go()


@attack("judge and player", audit="roll-back 3 lacks consent", script="roll-back lacks consent")
def a_roll_back_by_one_player(stage: InExchange4) -> None:
    """The same, and alice has signed that she agrees; bob has not."""
    stage.act("roll-back", "3", alice=key_of("alice"))


@attack("judge", audit="was made with the key", script="is not signed by bob")
def a_forged_consent(stage: InExchange4) -> None:
    """The judge signs bob's consent in bob's place."""
    stage.act("roll-back", "3", alice=key_of("alice"), bob=key_of("gm"))
    stage.go()


@attack("judge", audit="what alice consented to", script="is not what alice consents to")
def a_consent_to_something_else(stage: InExchange4) -> None:
    """Bob consented to go back to exchange 2; the judge uses it to go back to exchange 3."""
    stage.crook = otherwise(Act, of="3")
    stage.act("roll-back", "2", alice=key_of("alice"), bob=key_of("bob"))
    stage.go()


@attack("judge", audit="alice consented in another history", script="alice consented in another history")
def a_consent_given_in_another_history(stage: InExchange4) -> None:
    """The judge has kept two ledgers, and uses in the one what alice and bob signed in the other."""
    stage.act("roll-back", "3", seen=(stage.book.size, "b" * 64), alice=key_of("alice"), bob=key_of("bob"))
    stage.go()


@attack("judge", audit="and names entry 9999, which came", script="and names entry 9999, which came")
def a_consent_to_a_ledger_that_is_not_there(stage: InExchange4) -> None:
    """The judge has kept two ledgers, and alice and bob signed in the one that went on."""
    stage.act("roll-back", "3", seen=(9999, "b" * 64), alice=key_of("alice"), bob=key_of("bob"))
    stage.go()


@attack("judge", audit="incomplete: consents/", script="incomplete: consents/", state=State.MISSING)
def a_consent_that_is_not_shown(scene: Scene, files: Interrupted) -> None:
    """The ledger says that bob consented, and the bundle does not show it."""
    act = next(entry for entry in scene.interrupted.book.entries if isinstance(entry, Act) and entry.consents)
    for end in ("txt", "sig"):
        del files[f"consents/{dict(act.consents)['bob'].sha256}.{end}"]


@attack("judge", audit="agreed on by all who play, and by nobody else", script="more time lacks consent")
def more_time_without_one_player(stage: InExchange4) -> None:
    """Alice asks for a day more and bob says nothing; the judge enters that they have agreed."""
    stage.extend(1, alice=key_of("alice"))


@attack("judge", audit="was made with the key", script="is not signed by bob")
def more_time_with_a_forged_consent(stage: InExchange4) -> None:
    """The same, and the judge signs bob's consent in bob's place."""
    stage.extend(1, alice=key_of("alice"), bob=key_of("gm"))
    stage.go()


@attack("judge", audit="what alice consented to", script="is not what alice consents to")
def more_time_than_was_agreed_on(stage: InExchange4) -> None:
    """Both agreed on a day more, and the judge enters a later deadline under their names."""
    stage.crook = otherwise(Extend, deadline=START + timedelta(days=90))
    stage.extend(1, alice=key_of("alice"), bob=key_of("bob"))
    stage.go()


@attack(
    "judge and player",
    audit="have agreed on more time in exchange 4",
    script="agreed on more time in exchange 4",
)
def more_time_again_and_again(stage: InExchange4) -> None:
    """Both agreed on a day more, and a second time in the same exchange."""
    stage.extend(1, alice=key_of("alice"), bob=key_of("bob"))
    stage.extend(1, alice=key_of("alice"), bob=key_of("bob"))


@attack("judge", audit="incomplete: consents/", script="incomplete: consents/", state=State.MISSING)
def more_time_by_a_consent_that_is_not_shown(stage: InExchange4) -> Exhibit:
    """The ledger says that bob agreed, and the bundle does not show it."""
    stage.extend(1, alice=key_of("alice"), bob=key_of("bob"))
    stage.go()
    files = stage.bundle()
    extended = next(one for one in stage.book.entries if isinstance(one, Extend) and one.consents)
    for end in ("txt", "sig"):
        del files[f"consents/{dict(extended.consents)['bob'].sha256}.{end}"]
    return Exhibit(files=files)


@attack("judge", audit="concede bob lacks consent", script="concede lacks consent")
def a_concession_that_nobody_made(stage: InExchange4) -> None:
    """The judge enters that bob has given up."""
    stage.crook = NOBODY
    stage.act("concede", "bob", bob=key_of("bob"))


@attack("judge", audit="how the game ended", script="")
def a_concession_turned_round(stage: InExchange4) -> None:
    """Bob has given up, and the judge enters that bob has won."""
    stage.crook = lambda entry: (
        replace(entry, extra=("winner england", *entry.extra[1:])) if isinstance(entry, Other) else entry,
    )
    stage.act("concede", "bob", bob=key_of("bob"))


@attack("judge", audit="claim bob lacks consent", script="claim lacks consent")
def a_claim_that_nobody_made(stage: Silent) -> None:
    """The judge ends a game in which a player sends nothing, though the other goes on waiting."""
    stage.crook = NOBODY
    stage.act("claim", "bob", alice=key_of("alice"))


@attack("judge and player", audit="bob has not been silent", script="bob has not been silent")
def a_claim_of_a_game_that_is_played(stage: Silent) -> None:
    """Alice claims the game, and the judge grants it, though bob has sent orders."""
    stage.send("bob")
    stage.act("claim", "bob", alice=key_of("alice"))


@attack("judge and player", audit="bob has not been silent", script="bob has not been silent")
def a_claim_that_counts_an_outage(stage: InExchange4) -> None:
    """By the ledger mail failed in exchanges 4 and 5, and the judge takes that for bob's silence."""
    for _ in range(2):
        stage.send("alice")
        stage.wait(8)
        stage.act("outage")
        stage.resolve()
    stage.act("claim", "bob", alice=key_of("alice"))


@attack("judge and player", audit="mail has failed in exchange 6", script="mail has failed in exchange 6")
def a_claim_while_mail_fails(stage: Silent) -> None:
    """Alice claims the game while bob can neither read nor write."""
    stage.wait(8)
    stage.act("outage")
    stage.act("claim", "bob", alice=key_of("alice"))


@attack("judge", audit="does not wait past its deadline", script="does not wait past its deadline")
def an_outage_made_up_beforehand(stage: InExchange4) -> None:
    """The judge protects a friend who sends nothing: mail is said to fail before anybody could notice."""
    stage.act("outage")
    stage.wait(8)
    stage.resolve()


@attack("judge", audit="the game is on hold", script="the game is on hold")
def a_game_on_hold_goes_on(stage: InExchange4) -> None:
    """The judge stops the game, and resolves it while bob believes that it waits."""
    stage.send("alice")
    stage.act("hold")
    stage.wait(30)
    stage.resolve()


@attack(
    "judge",
    audit="4 was closed before its deadline",
    script="4 is closed before its deadline",
)
def the_time_on_hold_is_taken_from_a_player(stage: InExchange4) -> None:
    """The game was on hold for a month; the judge closes at the old deadline all the same."""
    stage.send("alice")
    stage.act("hold")
    stage.wait(30)
    stage.act("resume")
    stage.resolve()


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


OfCorrected = Annotated[Workshop, lambda scene: Workshop(_corrected(scene))]


@attack("judge", audit="exchange 2 changes too", script="")
def a_correction_that_begins_too_late(scene: Scene) -> Stage:
    """The first exchange that comes out differently is the second: the judge corrects the third."""
    stage = scene.fresh(herald_order=WRONG)
    herald(stage)
    stage.act("correct", "3", RULE, alice=key_of("alice"), bob=key_of("bob"))
    stage.go()
    return stage


@attack("judge", audit="roll_then_name lacks consent", script="correct lacks consent")
def a_correction_in_a_friends_favour(scene: Scene) -> Stage:
    """The judge has an exchange played again by a house rule that suits their friend."""
    return _corrected(scene, NOBODY)


@attack("judge and player", audit="roll_then_name lacks consent", script="lacks consent")
def a_correction_by_one_player(scene: Scene) -> Stage:
    """The same, and alice has signed that she agrees; bob has not."""
    return _corrected(scene, alice="alice")


@attack("judge", audit="was made with the key", script="is not signed by bob")
def a_forged_consent_to_a_correction(scene: Scene) -> Stage:
    """The judge signs bob's consent to the correction in bob's place."""
    return _corrected(scene, alice="alice", bob="gm")


@attack("judge", audit="what alice consented to", script="is not what alice consents to")
def a_consent_to_the_correction_of_another_exchange(scene: Scene) -> Stage:
    """Both consented to correct exchange 3; the judge corrects exchange 2."""
    return _corrected(scene, said=f"correct 3 {RULE}")


@attack("judge", audit="what alice consented to", script="is not what alice consents to")
def a_consent_to_another_house_rule(scene: Scene) -> Stage:
    """Both consented to put one house rule right; the judge changes another."""
    return _corrected(scene, said="correct 2 spend_rp=forced")


@attack("judge", audit="reports/england/0005.txt, line 4", script="")
def a_correction_with_other_orders(scene: Scene) -> Stage:
    """Both consented to the correction; the judge slips other orders of alice's into it."""
    return _corrected(scene, adjudicator=Favour)


@attack("judge", audit="the mix of exchange 5, which plays exchange 2 again", script="has another mix")
def a_correction_with_other_dice(shop: OfCorrected) -> None:
    """Both consented to the correction; the judge takes the dice of another exchange for it."""
    exchanges = shop.stage.book.history.exchanges
    mine, other = (exchanges[number].resolved.mix for number in (1, 2))  # type: ignore[union-attr]
    shop.change("resolve 5", mine, other)


@attack("judge", audit="is used twice or misplaced", script="it has a die of another exchange")
def a_die_of_a_correction_is_moved(shop: OfCorrected) -> None:
    """The judge says of a die of the correction that it was rolled in exchange 3."""
    shop.change("resolve 5", "\ndie 2 ", "\ndie 3 ")


@attack("judge", audit="yet reveals something", script="is played again, and yet reveals something")
def a_correction_that_reveals(shop: OfCorrected) -> None:
    """The judge mixes a further step of their chain into a correction, to have other dice."""
    opened, _ = shop.stage.club.chains("hearth")
    shop.change("resolve 5", "mix ", f"reveal gm.1 5 {opened.reveal(5)}\nmix ")


@attack("judge", audit="exchange 5 must be opened next", script="a open cannot stand here")
def an_exchange_is_played_again_unasked(scene: Scene) -> Stage:
    """The judge plays an exchange again, and no correction stands in the ledger."""
    return _corrected(scene, lambda entry: () if isinstance(entry, Act) else (entry,))


@attack(
    "judge", audit="an exchange is played again after a correction, and only then", script="and only then"
)
def another_exchange_is_played_again(scene: Scene) -> Stage:
    """Both consented to correct exchange 2; what is played again is exchange 3."""
    return _corrected(scene, otherwise(Open, 5, again=3))


@attack("judge", audit="waits for nobody", script="a received cannot stand here")
def new_orders_in_a_correction(shop: OfCorrected) -> None:
    """The judge lets a friend give new orders for the exchange that is played again."""
    received = shop.find("received 2 alice").text.replace("received 2", "received 5", 1)
    shop.insert_after(shop.find("open 5"), received)


@attack(
    "judge",
    audit="the judge opens exchange 5 under other rules",
    script="it is opened under other rules",
)
def another_release_without_a_word(stage: InExchange4) -> None:
    """From one exchange to the next the judge plays by another release, and says so nowhere."""
    stage.crook = otherwise(Open, rules="d" * 64)
    stage.go()


@attack("judge", audit=f"go-on rules={'d' * 64} lacks consent", script="go-on lacks consent")
def another_release_without_consent(stage: InExchange4) -> None:
    """The judge enters that the players have agreed to another release."""
    stage.crook = NOBODY
    stage.act("go-on", "", f"rules={'d' * 64}", alice=key_of("alice"), bob=key_of("bob"))


@attack("judge", audit="the entry is not plain lines of text", script="is not written as entries are")
def a_reason_that_is_not_what_it_looks_like(scene: Scene) -> Workshop:
    """The judge writes a reason in which a hidden sign turns round what follows it."""
    shop = Workshop(scene.interrupted)
    shop.change("act ", "reason as agreed", "reason as \u202eagreed")
    return shop
