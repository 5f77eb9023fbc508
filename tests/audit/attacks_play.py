"""Attacks on what the game is: orders not followed, rules bent, stops invented, reports false or missing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from pbem.audit.findings import State
from pbem.play.adjudicate import Adjudication, Adjudicator, Report, setting_of
from pbem.play.history import Exchange, History
from pbem.play.resolve import Play
from pbem.trust.entries import Entry, Genesis, Open, Other, Reported
from tests.audit.attack import Bundle, Exhibit, Scene, Unbound, attack
from tests.audit.stage import Files, Stage, otherwise, skirmish
from tests.audit.workshop import Workshop


def adjudicator_with(bodies: Mapping[tuple[int, str], str]) -> type[Adjudicator]:
    """A judge who goes by other orders than they received: (exchange, player) -> the text."""

    class Deaf(Adjudicator):
        def resolve(
            self, history: History, exchange: Exchange, files: Any, *given: Any, **shown: Any
        ) -> Adjudication:
            heard = {
                name: replace(file, body=bodies.get((exchange.number, name), file.body))
                for name, file in files.items()
            }
            return super().resolve(history, exchange, heard, *given, **shown)

    return Deaf


def _skirmish(scene: Scene, **settings: Any) -> Stage:
    stage = scene.fresh(**settings)
    skirmish(stage)
    return stage


PLAYED_AGAIN = "played again, every exchange is as the ledger says: "


@attack("judge", audit=f"{PLAYED_AGAIN}exchange 2, line", script="")
def an_order_is_not_followed(scene: Scene) -> Stage:
    """Alice ordered an attack with all; the judge lets Wallace stay at home."""
    body = "card 3\nmove Douglas, Barclay from Fife to Mentieth\nplan any:\n  fire\n  regroup none\n"
    return _skirmish(scene, adjudicator=adjudicator_with({(2, "alice"): body}))


@attack("judge", audit=f"{PLAYED_AGAIN}exchange 2, line", script="")
def an_earlier_revision_is_followed(scene: Scene) -> Stage:
    """Alice replaced her orders in time; the judge goes by the first ones."""
    body = "card 1\nmove none\n"
    return _skirmish(scene, adjudicator=adjudicator_with({(2, "alice"): body}))


@attack("judge", audit=f"{PLAYED_AGAIN}reports/england/0002.txt, line", script="")
def a_stop_is_invented(scene: Scene) -> Stage:
    """The judge stops in the battle and asks bob again, though bob did not want to be asked."""
    body = "card 2\nmove none\nplan any: ask\n"
    return _skirmish(scene, adjudicator=adjudicator_with({(2, "bob"): body}))


@attack("judge", audit=f"{PLAYED_AGAIN}exchange 2, line", script="")
def a_stop_is_left_out(scene: Scene) -> Stage:
    """The judge does not ask bob which block is hit, and decides it for bob."""
    body = "card 2\nmove none\nplan any:\n  fire\n  hits rest\n"
    return _skirmish(scene, adjudicator=adjudicator_with({(2, "bob"): body}))


@attack("judge", audit=PLAYED_AGAIN, script="")
def a_house_rule_is_bent(scene: Scene) -> Stage:
    """The judge plays by another house rule than the one in the genesis."""

    class Bent(Adjudicator):
        def __init__(self, genesis: Genesis) -> None:
            super().__init__(genesis)
            options = tuple((name, "3" if name == "edition" else value) for name, value in genesis.options)
            self.setting = setting_of(replace(genesis, options=options))
            self.play = Play(self.setting, self.dice)

    return _skirmish(scene, adjudicator=Bent)


@attack("judge", audit=f"{PLAYED_AGAIN}reports/scotland/0002.txt, line", script="")
def a_block_is_exchanged_in_a_report(scene: Scene) -> Stage:
    """The judge tells alice of another enemy block than the one that fought, and commits to that."""

    class Liar(Adjudicator):
        def reports(
            self,
            *given: Any,
        ) -> tuple[Report, ...]:
            one, other = "Northumber Infantry", "Cumbria Infantry"
            return tuple(
                replace(report, text=report.text.replace(one, other))
                if report.audience == "scotland"
                else report
                for report in super().reports(*given)
            )

    return _skirmish(scene, adjudicator=Liar)


@attack("mail", audit="the hash of reports/scotland/0002.txt", script="the hash of reports/scotland/0002.txt")
def a_report_is_changed(files: Bundle) -> None:
    """A report in the bundle is not the one that was sent."""
    name = "reports/scotland/0002.txt"
    files[name] = files[name].replace(b"Wallace", b"Comyn")


@attack("judge", audit="no report to england", script="")
def a_report_that_was_never_sent(scene: Scene) -> Files:
    """The judge reports an exchange to alice and the public, and nothing to bob."""

    def crook(entry: Entry) -> Sequence[Entry]:
        left_out = isinstance(entry, Reported) and (entry.exchange, entry.audience) == (2, "england")
        return () if left_out else (entry,)

    files = _skirmish(scene, crook=crook).bundle()
    del files["reports/england/0002.txt"]
    return files


@attack("judge", audit="reports to bob", script="")
def a_report_to_somebody_else(scene: Scene) -> Files:
    """The judge enters a report to an audience that the game does not have."""

    def crook(entry: Entry) -> Sequence[Entry]:
        is_it = isinstance(entry, Reported) and (entry.exchange, entry.audience) == (2, "england")
        return (replace(entry, audience="bob") if is_it else entry,)  # type: ignore[call-arg]

    files = _skirmish(scene, crook=crook).bundle()
    return files | {"reports/bob/0002.txt": files.pop("reports/england/0002.txt")}


@attack(
    "mail",
    audit="incomplete: reports/public/0003.txt is missing",
    script="incomplete: reports/public/0003.txt",
    state=State.MISSING,
)
def a_report_is_missing(scene: Scene) -> Files:
    """A report that the ledger commits to is left out of the bundle."""
    files = scene.skirmish.bundle("public")
    del files["reports/public/0003.txt"]
    return files


@attack("judge", audit="opens exchange 3 under other rules", script="it is opened under other rules")
def the_rules_change_after_the_dice(scene: Scene) -> Stage:
    """The judge opens an exchange under other rules, having seen what the dice bring."""
    return _skirmish(scene, crook=otherwise(Open, 3, rules="e" * 64))


@attack("judge", audit="how the game ended", script="")
def another_winner(scene: Scene) -> Workshop:
    """The judge enters the wrong winner."""
    shop = Workshop(scene.finished)
    shop.change("over", "winner england", "winner scotland")
    return shop


@attack("judge", audit="the ledger does not say so", script="")
def an_end_that_is_kept_back(scene: Scene) -> Stage:
    """The game is over, and the judge opens another exchange in place of saying so."""

    def crook(entry: Entry) -> Sequence[Entry]:
        if isinstance(entry, Other):
            rules = stage.book.history.genesis.rules
            return (stage.club.opening("hearth", stage.exchange + 1, ["alice", "bob"], rules),)
        return (entry,)

    stage = scene.fresh(crook=crook)
    skirmish(stage)
    while stage.adjudicator.play.game.outcome is None:
        stage.wait(8)
        stage.resolve()
    return stage


@attack("judge", audit="it is not", script="")
def an_end_before_its_time(shop: Unbound) -> Exhibit:
    """The judge ends the game while their friend is ahead."""
    page = shop.find("open 5")
    page.text = "over 4\nwinner scotland\nreason all nobles\n"
    return Exhibit(files=shop.bind() | {"keys/roots": shop.roots.text})
