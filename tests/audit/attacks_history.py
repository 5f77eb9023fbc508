"""Attacks on the ledger: rewritten, forked, cut, reordered, forged, wrongly signed."""

from __future__ import annotations

import base64
from collections.abc import Sequence

from pbem.audit.findings import State
from pbem.trust import keys, signature
from pbem.trust.entries import Close, Entry, Extend, Open, Received
from pbem.trust.identifiers import Namespace
from pbem.trust.ledger import Checkpoint, sign_statement
from pbem.trust.sealing import seal_key
from tests.audit.attack import Bundle, Ended, Exhibit, Fresh, Scene, Unbound, attack
from tests.audit.stage import GAME, START, Crook, Stage, key_of, otherwise, skirmish
from tests.audit.workshop import Workshop

LAST_CHECKPOINT = "checkpoints/0050"


@attack("mail", audit="the leaf of entry 31", script="the leaf of entry 31")
def an_entry_is_changed(files: Bundle) -> None:
    """A die in a resolve entry is changed, and nothing else."""
    files["log/0031.entry"] = files["log/0031.entry"].replace(b"die-4 6", b"die-4 1")


@attack("judge", audit="has seen the head", script="bad-seen")
def history_is_rewritten(shop: Unbound) -> None:
    """The judge changes exchange 1 long afterwards, and signs all that follows anew."""
    shop.change("close 1", "at 2026-01-01T12:00:00Z", "at 2026-01-01T12:00:00Z\nremark none")


@attack("judge and player", audit="bob: the file has seen the head", script="orders of bob")
def history_is_rewritten_with_one_player(shop: Unbound) -> Exhibit:
    """The same, and alice signs all her orders anew for the judge."""
    shop.change("close 1", "at 2026-01-01T12:00:00Z", "at 2026-01-01T12:00:00Z\nremark none")
    return Exhibit(files=shop.bind(helpers=["alice"]))


@attack("all three", audit="two histories", script="two histories", evidence="held")
def history_is_rewritten_with_both_players(scene: Scene) -> Exhibit:
    """Judge and both players make another game of it; a spectator has kept one checkpoint."""
    stage = scene.fresh(crook=otherwise(Close, extra=("remark none",)))
    skirmish(stage)
    kept = {name: data for name, data in scene.skirmish.held.items() if name.startswith("checkpoint-0024")}
    return Exhibit(files=stage.bundle(), held=kept)


@attack("judge", audit="two histories", script="two histories", evidence="held")
def the_last_entry_is_rewritten(scene: Scene, shop: Unbound) -> Exhibit:
    """The judge exchanges a seal key that no orders have co-signed yet; a player kept the checkpoint."""
    own = seal_key(scene.skirmish.club.roots(GAME).seal, GAME, 5, "bob").recipient
    shop.change("open 5", own, seal_key(bytes(32), GAME, 5, "bob").recipient)
    return Exhibit(files=shop.bind(), held=scene.skirmish.held)


@attack("judge", audit="two histories", script="two histories", evidence="held")
def a_restored_backup_signs_a_second_head(stage: Fresh) -> Exhibit:
    """The judge goes back to a backup and lets exchange 4 happen otherwise; players kept the first head."""
    skirmish(stage, last=3)
    twin = stage.restored(stage.folder / "backup")
    stage.go()
    twin.go(alice="forced retreat all to Fife")
    return Exhibit(files=twin.bundle(), held=stage.held)


@attack("judge", audit="has seen the head", script="it does not count (bad-seen)")
def each_player_is_shown_another_history(scene: Scene, stage: Fresh) -> None:
    """The judge shows alice another ledger than bob; her orders name the head that she saw."""
    stage.go()
    other = scene.fresh(crook=otherwise(Close, extra=("remark none",)))
    other.go()
    stage.send("alice", seen=other.order_file("alice").seen)
    stage.send("bob")
    stage.resolve()


@attack(
    "judge",
    audit="stale: this bundle is older than what was signed",
    script="stale: this bundle is older than what was signed",
    evidence="held",
    state=State.MISSING,
)
def a_stale_bundle(scene: Scene) -> Exhibit:
    """The bundle ends at an earlier exchange, as if the last one had not been played."""
    return Exhibit(files=scene.earlier, held=scene.skirmish.held)


@attack(
    "judge and player",
    audit="in this bundle the game is over at entry",
    script="in this bundle the game is over at entry",
    evidence="held",
)
def a_game_cut_short(stage: Fresh) -> Exhibit:
    """Bob concedes an earlier exchange, and the judge leaves out that the game was played on."""
    skirmish(stage, last=3)
    cut = stage.restored(stage.folder / "backup")
    stage.go()
    cut.act("concede", "bob", bob=key_of("bob"))
    held = {name: data for name, data in stage.held.items() if name.startswith("checkpoint-0050")}
    return Exhibit(files=cut.bundle(), held=held)


@attack("stranger", audit="the first head: expected", script="expected", evidence="genesis")
def a_forged_game_with_invented_players(scene: Scene) -> Exhibit:
    """A whole game of the same name, played by the forger with keys of their own."""
    stage = scene.fresh(family="forged ")
    skirmish(stage)
    return Exhibit(files=stage.bundle(), genesis=scene.skirmish.genesis)


@attack(
    "stranger",
    audit="is not that of this bundle's judge",
    script="is not that of this bundle's judge",
    evidence="held",
    state=State.OPEN,
)
def a_forged_game_against_kept_papers(scene: Scene) -> Exhibit:
    """The same, and nobody remembers the genesis head, but a player kept what the true judge signed."""
    stage = scene.fresh(family="forged ")
    skirmish(stage)
    return Exhibit(files=stage.bundle(), held=scene.skirmish.held)


@attack("mail", audit="line 8", script="log/leaves, line 8")
def leaves_are_reordered(files: Bundle) -> None:
    """Two lines of log/leaves change places."""
    lines = files["log/leaves"].splitlines(keepends=True)
    lines[7], lines[8] = lines[8], lines[7]
    files["log/leaves"] = b"".join(lines)


@attack("judge", audit="out of place", script="a received cannot stand here")
def entries_are_reordered(shop: Unbound) -> None:
    """The judge puts a close before orders that came in time, and signs everything anew."""
    page = shop.find("received 4 bob")
    shop.drop(page)
    shop.insert_after(shop.find("close 4"), page.text)


@attack("judge", audit="exchange 4 must be opened next", script="opened out of turn")
def an_exchange_is_left_out(shop: Unbound) -> None:
    """The judge numbers an exchange 5 where 4 is due, to have the dice of another step."""
    shop.change("open 4", "open 4", "open 5")


@attack("judge", audit="the game is over", script="the game is over")
def a_game_that_is_over_goes_on(shop: Ended) -> None:
    """The judge appends an exchange to a game that has ended."""
    shop.insert_after(shop.pages[-1], shop.find("open 1").text.replace("open 1", "open 10"))


@attack("judge", audit="where one belongs", script="this cannot stand there in a")
def a_second_anchor_in_the_genesis(scene: Scene, shop: Unbound) -> Exhibit:
    """The genesis fixes two open chains of the judge's, so that they can choose one later."""
    other = scene.fresh(seed=1).book.entries[0].text.decode()
    line = next(line for line in other.splitlines() if line.startswith("anchor gm.1 "))
    shop.pages[0].text += f"{line}\n"
    return Exhibit(files=shop.bind(helpers=["alice", "bob"]))


@attack(
    "judge",
    audit="the genesis is the one that the players joined: the first head",
    script="expected",
    evidence="genesis",
)
def an_option_is_changed_after_the_start(scene: Scene) -> Exhibit:
    """The judge changes a house rule in the genesis and begins again, before anybody has signed."""
    stage = scene.fresh(truce_raid_loss=False)
    return Exhibit(files=stage.bundle(), genesis=scene.skirmish.genesis)


# Checkpoints


@attack("player", audit="was made with the key", script="is not signed by the judge")
def a_checkpoint_signed_by_a_player(files: Bundle) -> None:
    """A player signs a checkpoint in the judge's place."""
    text = files[f"{LAST_CHECKPOINT}.txt"]
    files[f"{LAST_CHECKPOINT}.sig"] = signature.sign(key_of("alice"), Namespace.CHECKPOINT, text)


@attack("judge", audit="was made for 'pbem1-receipt'", script="is not signed by the judge")
def a_checkpoint_signed_for_something_else(files: Bundle) -> None:
    """A signature that the judge made for another purpose stands under a checkpoint."""
    text = files[f"{LAST_CHECKPOINT}.txt"]
    files[f"{LAST_CHECKPOINT}.sig"] = signature.sign(key_of("gm"), Namespace.RECEIPT, text)


@attack("judge", audit="the head at entry 50", script="is not that of the log")
def a_checkpoint_of_another_head(files: Bundle) -> None:
    """The judge signs a head that is not the log's."""
    checkpoint = Checkpoint(game=GAME, size=50, head="0" * 64)
    files[f"{LAST_CHECKPOINT}.txt"] = checkpoint.text
    files[f"{LAST_CHECKPOINT}.sig"] = sign_statement(checkpoint, key_of("gm"))


@attack("judge", audit="is for other at 50 entries", script="is not that of the log")
def a_checkpoint_of_another_game(scene: Scene, files: Bundle) -> None:
    """A checkpoint of another game, rightly signed, lies among those of this one."""
    checkpoint = Checkpoint(game="other", size=50, head=scene.skirmish.book.head)
    files[f"{LAST_CHECKPOINT}.txt"] = checkpoint.text
    files[f"{LAST_CHECKPOINT}.sig"] = sign_statement(checkpoint, key_of("gm"))


@attack(
    "judge",
    audit="incomplete: the checkpoint at entry 35 is missing",
    script="incomplete: the checkpoint at entry 35",
    state=State.MISSING,
)
def a_head_that_was_never_signed(files: Bundle) -> None:
    """The judge leaves an exchange without a signed head, to be free to change it."""
    del files["checkpoints/0035.txt"], files["checkpoints/0035.sig"]


@attack("judge", audit="rests on the hash 'md5'", script="is not signed by the judge")
def a_signature_over_a_weak_hash(files: Bundle) -> None:
    """A signature rests on md5, under which two texts can be made to share it."""
    armor = files[f"{LAST_CHECKPOINT}.sig"]
    blob = base64.b64decode(b"".join(armor.splitlines()[1:-1]))
    weak = blob.replace(b"\0\0\0\6sha512", b"\0\0\0\3md5")
    text = base64.b64encode(weak)
    rows = [signature.BEGIN, *(text[at : at + 70] for at in range(0, len(text), 70)), signature.END, b""]
    files[f"{LAST_CHECKPOINT}.sig"] = b"\n".join(rows)


# Keys


@attack("judge", audit="the key of bob: expected", script="the key of bob: expected")
def a_key_is_exchanged(files: Bundle) -> None:
    """The judge puts a key of their own in a player's place, to sign orders for them."""
    old, new = key_of("bob").public.line.encode(), key_of("mallory").public.line.encode()
    files["keys/allowed_signers"] = files["keys/allowed_signers"].replace(old, new)


@attack("player", audit="keys/allowed_signers", script="keys/allowed_signers")
def a_player_may_sign_checkpoints(files: Bundle) -> None:
    """The line of a player in allowed_signers lets that player sign what only the judge may."""
    signers = files["keys/allowed_signers"]
    line = next(row for row in signers.splitlines() if row.startswith(b"alice@"))
    wide = line.replace(b"pbem1-orders,pbem1-rotate", b"pbem1-orders,pbem1-checkpoint")
    files["keys/allowed_signers"] = signers.replace(line, wide)


@attack("stranger", audit="allowed_signers, line 4", script="keys/allowed_signers")
def anybody_may_sign(files: Bundle) -> None:
    """A further line of allowed_signers lets one key sign for everybody."""
    line = f'* namespaces="*" {key_of("mallory").public.line}\n'.encode()
    files["keys/allowed_signers"] = files["keys/allowed_signers"] + line


@attack("player", audit="is not accepted", script="")
def a_key_for_which_anything_is_signed(scene: Scene) -> Workshop:
    """A player enrols a key of small order, to say later that anybody could have signed their orders."""
    weak = keys.PublicKey(b"\x01" + bytes(31), "")
    shop = Workshop(scene.fresh())
    shop.pages[0].text = shop.pages[0].text.replace(key_of("bob").public.fingerprint, weak.fingerprint)
    signers = shop.files["keys/allowed_signers"].replace(
        key_of("bob").public.line.encode(), weak.line.encode()
    )
    shop.files["keys/allowed_signers"] = signers
    return shop


# Receipts


@attack(
    "judge", audit="the ledger has not received them", script="the ledger has not received", evidence="held"
)
def the_judge_loses_a_mail(scene: Scene) -> Exhibit:
    """The judge lets bob's orders count as never sent, after giving a receipt for them."""
    stage = scene.fresh(crook=_lose(4, "bob"))
    skirmish(stage, last=3)
    stage.send("alice")
    stage.send("bob")
    del stage.files["bob"]
    stage.wait(8)
    stage.resolve()
    return Exhibit(files=stage.bundle(), held=stage.held)


def _lose(exchange: int, player: str) -> Crook:
    def crook(entry: Entry) -> Sequence[Entry]:
        lost = isinstance(entry, Received) and (entry.exchange, entry.player) == (exchange, player)
        return () if lost else (entry,)

    return crook


@attack("judge", audit="receipts with the number 1", script="receipt 1 of alice", evidence="held")
def two_receipts_with_one_number(scene: Scene, files: Bundle) -> Exhibit:
    """The judge gives a player two receipts with one number, to deny one of them later."""
    held = dict(scene.skirmish.held)
    first, second = (held[f"receipt-alice-000{number}.txt"].decode() for number in (1, 2))
    twice = second.replace("number 2", "number 1").encode()
    assert first != second
    held["receipt-alice-0002.txt"] = twice
    held["receipt-alice-0002.txt.sig"] = signature.sign(key_of("gm"), Namespace.RECEIPT, twice)
    return Exhibit(files=scene.skirmish.bundle(), held=held)


@attack("judge", audit="receipt 7 of bob", script="receipt 7 of bob", evidence="held")
def a_receipt_out_of_turn(scene: Scene) -> Exhibit:
    """The judge numbers a receipt so that others seem to be missing before it."""
    held = dict(scene.skirmish.held)
    text = held["receipt-bob-0001.txt"].replace(b"number 1", b"number 7")
    held["receipt-bob-0001.txt"] = text
    held["receipt-bob-0001.txt.sig"] = signature.sign(key_of("gm"), Namespace.RECEIPT, text)
    return Exhibit(files=scene.skirmish.bundle(), held=held)


# Time


@attack("judge", audit="exchange 3 was closed before its deadline", script="closed before its deadline")
def an_early_close(stage: Fresh) -> None:
    """The judge closes before the deadline because their friend has sent and the other has not."""
    skirmish(stage, last=2)
    stage.send("alice")
    stage.wait(3)
    stage.resolve()


@attack("judge", audit="has no time", script="it has no line at")
def a_close_without_a_date(scene: Scene) -> Stage:
    """The same, and the judge leaves out when it was."""
    stage = scene.fresh(crook=otherwise(Close, at=None))
    skirmish(stage, last=2)
    stage.send("alice")
    stage.resolve()
    return stage


@attack("judge", audit="has no deadline", script="it names no deadline")
def an_exchange_without_a_deadline(scene: Scene) -> Stage:
    """The judge opens an exchange without saying until when, to close it when it suits them."""
    stage = scene.fresh(crook=otherwise(Open, deadline=None))
    stage.go()
    return stage


@attack("judge", audit="was extended after its deadline", script="extended after its deadline")
def an_extension_for_a_friend(stage: Fresh) -> None:
    """The deadline has passed, alice has not sent, and the judge gives her two days more."""
    stage.go()
    stage.send("bob")
    stage.wait(7.5)
    stage.extend(2)
    stage.send("alice")
    stage.resolve()


@attack("judge", audit="was extended after its deadline", script="extended after its deadline")
def an_extension_hidden_by_a_hold(stage: Fresh) -> None:
    """The same, and the judge holds the game afterwards, as if the deadline had moved by that before."""
    stage.go()
    stage.send("bob")
    stage.wait(7.5)
    stage.extend(2)
    stage.act("hold")
    stage.wait(3)
    stage.act("resume")
    stage.send("alice")
    stage.resolve()


@attack(
    "judge",
    audit="absences of alice move deadlines by more than 42 days",
    script="absences of alice move deadlines by more than 42 days",
)
def an_absence_without_end(stage: Fresh) -> None:
    """The judge moves deadlines for the absences of a friend again and again, and stops the game by it."""
    stage.go()
    for _ in range(3):
        stage.extend(21, f"absence alice {21 * 86400}")
    stage.go()


@attack("judge", audit="more than the absences that it names", script="more than the absences that it names")
def an_absence_that_is_longer_than_it_says(stage: Fresh) -> None:
    """The judge moves a deadline by three weeks, and counts one day of them for who is away."""
    stage.go()
    stage.extend(21, "absence alice 86400")
    stage.go()


@attack("judge", audit="is dated", script="earlier than an entry before it")
def an_extension_dated_back(stage: Fresh) -> None:
    """The same, and the judge dates the extension back."""
    stage.crook = otherwise(Extend, at=START)
    stage.go()
    stage.wait(6)
    stage.send("bob")
    stage.wait(1.5)
    stage.extend(2)
    stage.send("alice")
    stage.resolve()


@attack("judge", audit="to an earlier one", script="to an earlier one")
def a_deadline_is_moved_forward(stage: Fresh) -> None:
    """An extension names an earlier deadline: an early close in disguise."""
    stage.go()
    stage.send("bob")
    stage.extend(-6)
    stage.wait(1.5)
    stage.resolve()


@attack("judge", audit="out of place", script="cannot stand here")
def orders_are_taken_after_the_close(scene: Scene) -> Stage:
    """The judge closes, looks at bob's orders, and lets alice send others."""
    stage = scene.fresh(crook=_close_first)
    skirmish(stage, last=3)
    stage.send("alice")
    stage.send("bob")
    stage.send("alice", "forced retreat all to Fife", rev=2)
    stage.resolve()
    return stage


def _close_first(entry: Entry) -> Sequence[Entry]:
    if isinstance(entry, Received) and (entry.exchange, entry.rev) == (4, 2):
        return (Close(exchange=4, at=START.replace(day=9)), entry)
    return () if isinstance(entry, Close) and entry.exchange == 4 else (entry,)
