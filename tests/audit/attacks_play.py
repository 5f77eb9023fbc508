"""Attacks on what the game is: orders not followed, rules bent, stops invented, reports false or missing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from pbem.audit.findings import State
from pbem.play.adjudicate import Adjudication, Adjudicator, Report, setting_of
from pbem.play.exchange import Exchange
from pbem.play.history import History
from pbem.play.resolve import Play
from pbem.trust.entries import Entry, Genesis, Open, Other, Reported
from pbem.trust.orderfile import OrderFile
from tests.audit.attack import Exhibit, Scene, attack
from tests.audit.stage import Files, skirmish
from tests.audit.workshop import Workshop


def adjudicator_with(bodies: Mapping[tuple[int, str], str]) -> type[Adjudicator]:
    """A judge who goes by other orders than they received: (exchange, player) -> the text."""

    class Deaf(Adjudicator):
        def resolve(
            self,
            history: History,
            exchange: Exchange,
            files: Mapping[str, OrderFile],
            *given: Any,
            **shown: Any,
        ) -> Adjudication:
            heard: dict[str, OrderFile] = {
                name: replace(file, body=bodies.get((exchange.number, name), file.body))
                for name, file in files.items()
            }
            return super().resolve(history, exchange, heard, *given, **shown)

    return Deaf


def _skirmish(scene: Scene, **settings: Any) -> Exhibit:
    stage = scene.fresh(**settings)
    skirmish(stage)
    return Exhibit(files=stage.bundle())


PLAYED_AGAIN = "played again, every exchange comes out as the ledger says: "


@attack("judge", audit=f"{PLAYED_AGAIN}exchange 2, line", script="")
def an_order_is_not_followed(scene: Scene) -> Exhibit:
    """Alice ordered an attack with all; the judge lets Wallace stay at home."""
    body = "card 3\nmove Douglas, Barclay from Fife to Mentieth\nplan any:\n  fire\n  regroup none\n"
    return _skirmish(scene, adjudicator=adjudicator_with({(2, "alice"): body}))


@attack("judge", audit=f"{PLAYED_AGAIN}exchange 2, line", script="")
def an_earlier_revision_is_followed(scene: Scene) -> Exhibit:
    """Alice replaced her orders in time; the judge goes by the first ones."""
    body = "card 1\nmove none\n"
    return _skirmish(scene, adjudicator=adjudicator_with({(2, "alice"): body}))


@attack("judge", audit=f"{PLAYED_AGAIN}reports/england/0002.txt, line", script="")
def a_stop_is_invented(scene: Scene) -> Exhibit:
    """The judge stops in the battle and asks bob again, though bob did not want to be asked."""
    body = "card 2\nmove none\nplan any: ask\n"
    return _skirmish(scene, adjudicator=adjudicator_with({(2, "bob"): body}))


@attack("judge", audit=f"{PLAYED_AGAIN}exchange 2, line", script="")
def a_stop_is_left_out(scene: Scene) -> Exhibit:
    """The judge does not ask bob which block is hit, and decides it for bob."""
    body = "card 2\nmove none\nplan any:\n  fire\n  hits rest\n"
    return _skirmish(scene, adjudicator=adjudicator_with({(2, "bob"): body}))


@attack("judge", audit=PLAYED_AGAIN, script="")
def a_house_rule_is_bent(scene: Scene) -> Exhibit:
    """The judge plays by another house rule than the one in the genesis."""

    class Bent(Adjudicator):
        def __init__(self, genesis: Genesis) -> None:
            super().__init__(genesis)
            options = tuple((name, "3" if name == "edition" else value) for name, value in genesis.options)
            self.setting = setting_of(replace(genesis, options=options))
            self.play = Play(self.setting, self.dice)

    return _skirmish(scene, adjudicator=Bent)


@attack("judge", audit=f"{PLAYED_AGAIN}reports/scotland/0002.txt, line", script="")
def a_block_is_exchanged_in_a_report(scene: Scene) -> Exhibit:
    """The judge tells alice of another enemy block than the one that fought, and commits to that."""

    class Liar(Adjudicator):
        def reports(
            self,
            adjudication: Adjudication,
            size: int,
            head: str,
            deadline: datetime | None,
            opens: int | None = None,
        ) -> tuple[Report, ...]:
            told = super().reports(adjudication, size, head, deadline, opens)
            return tuple(
                replace(report, text=report.text.replace("Northumber Infantry", "Cumbria Infantry"))
                if report.audience == "scotland"
                else report
                for report in told
            )

    return _skirmish(scene, adjudicator=Liar)


@attack("mail", audit="the hash of reports/scotland/0002.txt", script="the hash of reports/scotland/0002.txt")
def a_report_is_changed(scene: Scene) -> Exhibit:
    """A report in the bundle is not the one that was sent."""
    files = scene.skirmish.bundle()
    name = "reports/scotland/0002.txt"
    return Exhibit(files=files | {name: files[name].replace(b"Wallace", b"Comyn")})


@attack("judge", audit="no report to england", script="")
def a_report_that_was_never_sent(scene: Scene) -> Exhibit:
    """The judge reports an exchange to alice and the public, and nothing to bob."""

    def crook(entry: Entry) -> Sequence[Entry]:
        left_out = isinstance(entry, Reported) and (entry.exchange, entry.audience) == (2, "england")
        return () if left_out else (entry,)

    stage = scene.fresh(crook=crook)
    skirmish(stage)
    files = stage.bundle()
    del files["reports/england/0002.txt"]
    return Exhibit(files=files)


@attack("judge", audit="reports to bob", script="")
def a_report_to_somebody_else(scene: Scene) -> Exhibit:
    """The judge enters a report to an audience that the game does not have."""

    def crook(entry: Entry) -> Sequence[Entry]:
        if isinstance(entry, Reported) and (entry.exchange, entry.audience) == (2, "england"):
            return (replace(entry, audience="bob"),)
        return (entry,)

    stage = scene.fresh(crook=crook)
    skirmish(stage)
    files = stage.bundle()
    return Exhibit(files=files | {"reports/bob/0002.txt": files.pop("reports/england/0002.txt")})


@attack(
    "mail",
    audit="incomplete: reports/public/0003.txt is missing",
    script="incomplete: reports/public/0003.txt",
    state=State.MISSING,
)
def a_report_is_missing(scene: Scene) -> Exhibit:
    """A report that the ledger commits to is left out of the bundle."""
    files = scene.skirmish.bundle("public")
    del files["reports/public/0003.txt"]
    return Exhibit(files=files)


@attack("judge", audit="opens exchange 3 under other rules", script="it is opened under other rules")
def the_rules_change_after_the_dice(scene: Scene) -> Exhibit:
    """The judge opens an exchange under other rules, having seen what the dice bring."""

    def crook(entry: Entry) -> Sequence[Entry]:
        return (replace(entry, rules="e" * 64) if isinstance(entry, Open) and entry.exchange == 3 else entry,)

    return _skirmish(scene, crook=crook)


@attack("judge", audit="how the game ended", script="")
def another_winner(scene: Scene) -> Exhibit:
    """The judge enters the wrong winner."""
    return Exhibit(files=_ended(scene, "winner england", "winner scotland"))


@attack("judge", audit="the ledger does not say so", script="")
def an_end_that_is_kept_back(scene: Scene) -> Exhibit:
    """The game is over, and the judge opens another exchange in place of saying so."""

    def crook(entry: Entry) -> Sequence[Entry]:
        if isinstance(entry, Other):
            return (stage.club.opening("hearth", stage.exchange + 1, ["alice", "bob"], _rules(stage)),)
        return (entry,)

    stage = scene.fresh(crook=crook)
    skirmish(stage)
    while stage.adjudicator.play.game.outcome is None:
        stage.wait(8)
        stage.resolve()
    return Exhibit(files=stage.bundle())


def _rules(stage: Any) -> str:
    return str(stage.book.history.genesis.rules)


@attack("judge", audit="it is not", script="")
def an_end_before_its_time(scene: Scene) -> Exhibit:
    """The judge ends the game while their friend is ahead."""
    shop = Workshop(scene.skirmish)
    page = shop.find("open 5")
    page.text = "over 4\nwinner scotland\nreason all nobles\n"
    return Exhibit(files=shop.bind() | {"keys/roots": shop.roots.text})


def _ended(scene: Scene, old: str, new: str) -> Files:
    shop = Workshop(scene.finished)
    shop.change("over", old, new)
    return shop.bind()
