"""Attacks on chance: reveals, mixes, dice, labels, secret draws."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from hashlib import sha256
from typing import Any

from pbem.play.adjudicate import Adjudication, Adjudicator
from pbem.play.history import Exchange, History
from pbem.play.resolve import Play
from pbem.trust import chance
from pbem.trust.chance import DRAW_CHAIN, OPEN_CHAIN, Reveal, make_chain
from pbem.trust.entries import Entry, Genesis, NewRules, Resolve
from tests.audit.attack import Bundle, EndedBundle, Exhibit, Scene, Unbound, attack
from tests.audit.stage import GAME, Files, Stage, key_of, skirmish

DIE = "1297.1/battle-1/mentieth/round-1/wallace/die-4"


class LoadedDice(chance.Dice):
    """Dice that fall as the judge likes."""

    def roll(self, label: str, sides: int = 6) -> int:
        """Wallace always hits."""
        value = super().roll(label, sides)
        if "/wallace/" not in label:
            return value
        self.rolled[-1] = replace(self.rolled[-1], value=1)
        return 1


class StackedDeck(chance.Dice):
    """A bag out of which the judge takes what they like."""

    def draw(self, label: str, choices: tuple[str, ...]) -> str:
        """England is dealt the herald first."""
        result = super().draw(label, choices)
        if not label.endswith("england/card-1"):
            return result
        self.drawn[-1] = replace(self.drawn[-1], result="herald")
        return "herald"


class TwoLabels(chance.Dice):
    """Dice of which the judge throws two and takes the better one."""

    def roll(self, label: str, sides: int = 6) -> int:
        """Wallace's dice bear another name if that is better for him."""
        first = super().roll(label, sides)
        if "/wallace/" not in label:
            return first
        second = super().roll(f"{label}-again", sides)
        del self.rolled[-1 if first <= second else -2]
        return min(first, second)


def crooked(dice: type[chance.Dice]) -> type[Adjudicator]:
    """An adjudicator with these dice, coherent in everything that follows from them."""

    class Crooked(Adjudicator):
        def __init__(self, genesis: Genesis) -> None:
            super().__init__(genesis)
            self.dice = dice()
            self.play = Play(self.setting, self.dice)

    return Crooked


# Dice


@attack("judge", audit=f"the die {DIE} is a 6, not a 1", script=f"the die {DIE} is a 6, not a 1")
def a_die_is_changed_afterwards(shop: Unbound) -> None:
    """The judge changes a die in the ledger and in the list, and signs everything anew."""
    shop.change("resolve 2", "die-4 6", "die-4 1")
    shop.files["dice/all.txt"] = shop.files["dice/all.txt"].replace(b"die-4 6", b"die-4 1", 1)


@attack("judge", audit="wallace/die-1 is a 4, not a 1", script="wallace/die-1 is a 4, not a 1")
def loaded_dice(scene: Scene) -> Stage:
    """The judge lets dice fall as they like, plays on from there, and the players co-sign it all."""
    stage = scene.fresh(adjudicator=crooked(LoadedDice))
    skirmish(stage)
    return stage


@attack("judge", audit="is used twice or misplaced", script="the label is used twice")
def one_die_is_used_twice(scene: Scene) -> Files:
    """A good die counts for two blocks: its label stands in the ledger twice."""
    return _with_dice(scene, 2, lambda entry: replace(entry, dice=(*entry.dice[:3], entry.dice[1])))


@attack("judge", audit="is used twice or misplaced", script="the label is used twice")
def a_label_comes_again_in_a_later_exchange(scene: Scene) -> Files:
    """The judge rolls for the same thing in two exchanges, to choose between them."""

    def change(entry: Resolve) -> Resolve:
        die = entry.dice[0]
        stage = scene.skirmish
        label = stage.book.history.exchanges[1].resolved.dice[0].label  # type: ignore[union-attr]
        value = chance.die(bytes.fromhex(entry.mix), 6, label)
        return replace(entry, dice=(*entry.dice, replace(die, label=label, value=value)))

    return _with_dice(scene, 4, change)


@attack("judge", audit="played again, every exchange is as the ledger says: exchange 2, line", script="")
def the_better_of_two_labels(scene: Scene) -> Stage:
    """The judge rolls under another label where that gives a better die; each is right for its label."""
    stage = scene.fresh(adjudicator=crooked(TwoLabels))
    skirmish(stage)
    return stage


@attack("judge", audit="played again, every exchange is as the ledger says: exchange 2, line", script="")
def another_release_is_said_to_have_played(scene: Scene) -> Stage:
    """The same, and afterwards the judge enters another release, so that this one need not answer for it."""
    stage = scene.fresh(adjudicator=crooked(TwoLabels))
    skirmish(stage)
    with stage.club.store.step():
        stage.enter(NewRules(rules="e" * 64))
        stage.sign()
    return stage


@attack("judge", audit="played again, every exchange is as the ledger says: exchange 2, line", script="")
def another_release_is_agreed_on(scene: Scene) -> Stage:
    """The same, and the players are talked into another release, which they think answers for the past."""
    stage = scene.fresh(adjudicator=crooked(TwoLabels))
    skirmish(stage)
    stage.act("go-on", "", f"rules={'e' * 64}", alice=key_of("alice"), bob=key_of("bob"))
    return stage


@attack("judge", audit="exchange 2, line 6: expected die", script="")
def a_die_is_left_out(scene: Scene) -> Files:
    """The judge strikes a die that missed, as if the block had had one strength less."""
    return _with_dice(scene, 2, lambda entry: replace(entry, dice=entry.dice[1:]))


@attack("judge", audit="exchange 2, line 10: expected nothing more", script="")
def a_die_too_many(scene: Scene) -> Files:
    """The judge lets a block fire once more than it may."""

    def change(entry: Resolve) -> Resolve:
        label = DIE.replace("die-4", "die-5")
        value = chance.die(bytes.fromhex(entry.mix), 6, label)
        return replace(entry, dice=(*entry.dice, replace(entry.dice[0], label=label, value=value)))

    return _with_dice(scene, 2, change)


@attack("mail", audit="dice/all.txt, line 4: expected", script="dice/all.txt, line 4: expected")
def the_list_of_dice_is_changed(files: Bundle) -> None:
    """Only the list that people look at is changed."""
    files["dice/all.txt"] = files["dice/all.txt"].replace(b"die-4 6", b"die-4 5")


# The judge's reveal


def _judge_reveals(scene: Scene, change: Callable[[Reveal], Reveal]) -> Stage:
    """In exchange 4 the judge reveals something else, and makes mix and dice of it."""

    class OtherSeed(Adjudicator):
        def resolve(self, history: History, exchange: Exchange, *given: Any, **shown: Any) -> Adjudication:
            if exchange.number != 4:
                return super().resolve(history, exchange, *given, **shown)
            files, reveals, judge, secret = given
            chosen = change(judge)
            as_if = replace(chosen, who=judge.who, step=judge.step)
            result = super().resolve(history, exchange, files, reveals, as_if, secret, **shown)
            listed = (chosen, *result.resolve.reveals[1:])
            return replace(result, resolve=replace(result.resolve, reveals=listed))

    stage = scene.fresh(adjudicator=OtherSeed)
    skirmish(stage)
    return stage


@attack(
    "judge",
    audit="does not lead back to step 3 of gm.1",
    script="step 4 of gm.1 does not lead back to step 3",
)
def the_judge_chooses_a_seed(scene: Scene) -> Stage:
    """The judge tries values until the dice please them, and says that this was their step."""
    return _judge_reveals(scene, lambda reveal: replace(reveal, value="5" * 64))


@attack(
    "judge",
    audit="the step that gm.1 reveals: expected 4, found 5",
    script="it reveals step 5 of gm.1, not step 4",
)
def the_judge_skips_a_step(scene: Scene) -> Stage:
    """The judge takes the next step of their chain because its dice are better."""
    chain = make_chain(GAME, OPEN_CHAIN, scene.skirmish.club.roots(GAME).chain)
    return _judge_reveals(scene, lambda _: Reveal(OPEN_CHAIN, 5, chain.reveal(5)))


@attack(
    "judge",
    audit="reveals gm.2, which is not a chain of this game",
    script="it reveals gm.2, which is not a chain",
)
def a_second_chain_of_the_judge(scene: Scene) -> Exhibit:
    """The judge announces a second chain in the middle of the game and reveals from it."""

    def change(entry: Resolve) -> Resolve:
        chain = make_chain(GAME, "gm.2", bytes(32))
        other = Reveal("gm.2", 4, chain.reveal(4))
        return replace(entry, reveals=(other, *entry.reveals[1:]))

    return Exhibit(files=_resolved_otherwise(scene, 4, change))


@attack(
    "judge",
    audit="reveals gm-secret.1, which is not a chain of this game",
    script="which is not a chain of this game",
)
def the_secret_chain_in_place_of_the_open_one(scene: Scene) -> Exhibit:
    """The judge, who has two chains, takes the one whose dice are better."""

    def change(entry: Resolve) -> Resolve:
        chain = make_chain(GAME, DRAW_CHAIN, scene.skirmish.club.roots(GAME).secret_chain)
        return replace(entry, reveals=(Reveal(DRAW_CHAIN, 4, chain.reveal(4)), *entry.reveals[1:]))

    return Exhibit(files=_resolved_otherwise(scene, 4, change))


# The players' reveals


def _players_reveal(scene: Scene, change: Callable[[Stage], dict[str, Reveal | None]]) -> Stage:
    """The judge resolves an exchange with other reveals of the players than they sent."""
    stage: Stage

    class OtherReveals(Adjudicator):
        def resolve(
            self, history: History, exchange: Exchange, files: Any, reveals: Any, *given: Any, **shown: Any
        ) -> Adjudication:
            changed = dict(reveals)
            for name, reveal in change(stage).items() if exchange.number == stage.exchange == 3 else ():
                changed.pop(name, None)
                if reveal is not None:
                    changed[name] = replace(reveal, step=3)
            return super().resolve(history, exchange, files, changed, *given, **shown)

    stage = scene.fresh(adjudicator=OtherReveals)
    skirmish(stage, last=3)
    return stage


@attack("judge", audit="who contributed to exchange 3", script="who contributed to exchange 3")
def a_reveal_is_dropped(scene: Scene) -> Stage:
    """The judge leaves out alice's reveal because the dice are better without it."""
    return _players_reveal(scene, lambda _: {"alice": None})


@attack(
    "judge",
    audit="does not lead back to step 2 of alice.1",
    script="step 3 of alice.1 does not lead back to step 2",
)
def a_reveal_is_altered(scene: Scene) -> Stage:
    """The judge writes another value for alice's reveal until the dice please them."""
    return _players_reveal(scene, lambda _: {"alice": Reveal("alice.1", 3, "7" * 64)})


@attack(
    "judge and player",
    audit="does not lead back to step 2 of alice.1",
    script="step 3 of alice.1 does not lead back",
)
def a_later_step_of_a_player(scene: Scene) -> Stage:
    """Alice gives the judge her next step as well, and they take the better of the two."""
    return _players_reveal(
        scene, lambda stage: {"alice": Reveal("alice.1", 3, stage.people["alice"].chain.reveal(4))}
    )


@attack("judge and player", audit="who contributed to exchange 3", script="who contributed to exchange 3")
def the_true_value_of_an_absent_player(scene: Scene) -> Stage:
    """Bob sent nothing, and tells the judge the value afterwards, who uses it because the dice are better."""
    return _players_reveal(
        scene, lambda stage: {"bob": Reveal("bob.1", 3, stage.people["bob"].chain.reveal(3))}
    )


# Mixes


@attack("judge", audit="is not the one that the revealed values give", script="the reveals give")
def a_line_too_many_in_the_mix(scene: Scene) -> Exhibit:
    """The judge adds a line to the mix, and tries its words until the dice please them."""
    return _mix_changed(scene, lambda mix: mix + b"beacon 12\n")


@attack("judge", audit="is not the one that the revealed values give", script="the reveals give")
def a_line_missing_from_the_mix(scene: Scene) -> Exhibit:
    """The judge leaves a player's line out of the mix."""
    return _mix_changed(scene, lambda mix: b"".join(mix.splitlines(keepends=True)[:-2]) + b"beacon -\n")


@attack("judge", audit="is not the one that the revealed values give", script="the reveals give")
def the_players_of_the_mix_in_another_order(scene: Scene) -> Exhibit:
    """The judge lists the players in the order whose dice they like better."""

    def swap(mix: bytes) -> bytes:
        lines = mix.splitlines(keepends=True)
        lines[4], lines[5] = lines[5], lines[4]
        return b"".join(lines)

    return _mix_changed(scene, swap)


def _mix_changed(scene: Scene, change: Callable[[bytes], bytes]) -> Exhibit:
    """The judge makes the dice of exchange 4 out of a changed mix, and says so everywhere."""
    honest = scene.skirmish.bundle()
    mix = change(honest["mix/4.txt"])
    key = sha256(mix)
    stage = scene.fresh()
    skirmish(stage, last=3)

    def crook(entry: Entry) -> Sequence[Entry]:
        if isinstance(entry, Resolve):
            dice = tuple(replace(die, value=chance.die(key.digest(), 6, die.label)) for die in entry.dice)
            return (replace(entry, mix=key.hexdigest(), dice=dice),)
        return (entry,)

    stage.crook = crook
    stage.go()
    return Exhibit(files=_dice_as_in_ledger(stage.bundle()) | {"mix/4.txt": mix})


# Secret draws


@attack("judge", audit="the draws of exchange 1, line 5", script="")
def a_card_is_dealt_on_purpose(scene: Scene) -> Stage:
    """The judge deals their friend a herald in secret; at the end the draw is made again."""
    stage = scene.fresh(adjudicator=crooked(StackedDeck))
    stage.go()
    return stage


@attack("judge", audit="the leaf of entry 11", script="the leaf of entry 11")
def a_hidden_card_is_exchanged(files: EndedBundle) -> None:
    """At the end the judge opens another card than the one that they entered when it was drawn."""
    files["log/0011.entry"] = b"draw 1 england 1297.1/hand/england/card-1 herald\n"


@attack("judge", audit="does not lead back to step", script="of gm-secret.1 does not lead back")
def a_secret_mix_off_the_chain(files: Bundle) -> None:
    """The judge makes the secret draws out of a value that is no step of their secret chain."""
    mix = chance.parse_mix(files["mix/1.secret.txt"])
    files["mix/1.secret.txt"] = replace(mix, gm="9" * 64).text


@attack("judge", audit="is not the one that the revealed values give", script="holds something else")
def a_secret_mix_without_a_player(files: Bundle) -> None:
    """The judge leaves alice's reveal out of the secret mix alone."""
    mix = chance.parse_mix(files["mix/2.secret.txt"])
    players = tuple((who, None if who == "alice.1" else value) for who, value in mix.players)
    files["mix/2.secret.txt"] = replace(mix, players=players).text


@attack("judge", audit="the commitment to the salts", script="the root called salt is not the one")
def other_roots_at_the_end(files: EndedBundle) -> None:
    """At the end the judge discloses other secrets than those that they fixed in the genesis."""
    lines = files["keys/roots"].splitlines(keepends=True)
    lines[2] = b"salt " + b"1" * 64 + b"\n"
    files["keys/roots"] = b"".join(lines)


@attack(
    "judge",
    audit="keys/roots is disclosed while the game goes on",
    script="keys/roots is disclosed while the game goes on",
)
def the_roots_during_the_game(scene: Scene, files: Bundle) -> None:
    """The judge gives their friend the secrets of a running game: every hand and every order to come."""
    files["keys/roots"] = scene.skirmish.club.roots(GAME).text


# Helpers


def _resolved_otherwise(scene: Scene, exchange: int, change: Callable[[Resolve], Resolve]) -> Files:
    """The judge enters something else where this exchange is resolved."""

    def crook(entry: Entry) -> Sequence[Entry]:
        return (change(entry) if isinstance(entry, Resolve) and entry.exchange == exchange else entry,)

    stage = scene.fresh(crook=crook)
    skirmish(stage)
    return stage.bundle()


def _with_dice(scene: Scene, exchange: int, change: Callable[[Resolve], Resolve]) -> Files:
    """The same, and the list of dice fits it."""
    return _dice_as_in_ledger(_resolved_otherwise(scene, exchange, change))


def _dice_as_in_ledger(files: Files) -> Files:
    """The list of dice as a judge writes it who goes by their own ledger."""
    lines = []
    for name in sorted(name for name in files if name.endswith(".entry")):
        text = files[name].decode()
        if text.startswith("resolve "):
            lines += [
                line.removeprefix("die ") for line in text.splitlines(keepends=True) if line[:4] == "die "
            ]
    return files | {"dice/all.txt": "".join(lines).encode()}
