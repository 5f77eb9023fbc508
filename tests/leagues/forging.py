"""A league's bundle as a cheating judge would write it: entries changed or dropped, all signed anew."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from pbem.audit.bundle import Files
from pbem.leagues.entries import BY_GAME, Ended, Opened, Pairings, Said, parse_league_entry
from pbem.trust import keys, ledger
from pbem.trust.entries import Entry, Resolve

Edit = Callable[[Entry], Entry | None]


def rewritten(known: Mapping[str, bytes], judge: keys.PrivateKey, edit: Edit) -> Files:
    """The bundle after an edit of each entry; None drops one. Every head is signed anew."""
    files = dict(known)
    entries = [parse_league_entry(files.pop(name)) for name in sorted(files) if name.endswith(".entry")]
    kept = [changed for entry in entries if (changed := edit(entry)) is not None]
    salts = [files.pop(name) for name in sorted(files) if name.endswith(".salt")]
    sizes = [int(name[12:16]) for name in files if name.startswith("checkpoints/") and name.endswith(".txt")]
    for name in [name for name in files if name.startswith("checkpoints/")]:
        del files[name]
    leaves = []
    for number, entry in enumerate(kept, 1):
        salt = salts[number - 1]
        files[f"log/{number:04d}.entry"], files[f"log/{number:04d}.salt"] = entry.text, salt
        leaves.append(ledger.leaf(salt.decode().strip(), entry.text))
    files["log/leaves"] = "".join(f"{number} {leaf}\n" for number, leaf in enumerate(leaves, 1)).encode()
    heads = ledger.fold("league.cup", leaves)
    for size in {*range(1, len(kept) + 1), *(size for size in sizes if size <= len(kept))}:
        checkpoint = ledger.Checkpoint(game="league.cup", size=size, head=heads[size - 1])
        files[f"checkpoints/{size:04d}.txt"] = checkpoint.text
        files[f"checkpoints/{size:04d}.sig"] = ledger.sign_statement(checkpoint, judge)
    return Files(files, ())


# What a judge may change in an entry, if it is of the kind


def swapped(entry: Entry) -> Entry:
    """Opponents are changed between the first two pairings."""
    if not isinstance(entry, Pairings) or len(entry.pairs) < 2:
        return entry
    first, second, *rest = entry.pairs
    one = replace(first, seats=(first.seats[0], *second.seats[1:]))
    two = replace(second, seats=(second.seats[0], *first.seats[1:]))
    return replace(entry, pairs=(one, two, *rest))


def loaded(entry: Entry) -> Entry:
    """The first lot falls otherwise."""
    if not isinstance(entry, Resolve) or not entry.dice:
        return entry
    die, *rest = entry.dice
    return replace(entry, dice=(replace(die, value=die.value % die.sides + 1), *rest))


def hidden_share(entry: Entry) -> Entry:
    """A share that was sent is said to be missing."""
    if not isinstance(entry, Resolve) or len(entry.reveals) < 2:
        return entry
    gm, first, *rest = entry.reveals
    return replace(entry, reveals=(gm, *rest), absent=tuple(sorted((first.who, *entry.absent))))


def forged_entry(entry: Entry) -> Entry:
    """Somebody's rating is another than they signed."""
    if not isinstance(entry, Said) or (said := entry.statement("league.cup")).say != "enter":
        return entry
    return Said.of(replace(said, rating=2_400), entry.at)


def other_result(entry: Entry) -> Entry:
    """The first two have changed places."""
    if not isinstance(entry, Ended) or entry.by != BY_GAME:
        return entry
    (one, first), (two, second), *rest = entry.places
    return replace(entry, places=((one, second), (two, first), *rest))


def other_side(entry: Entry) -> Entry:
    """The first two have changed sides."""
    if not isinstance(entry, Opened):
        return entry
    one, two, *rest = entry.seats
    return replace(entry, seats=(replace(one, side=two.side), replace(two, side=one.side), *rest))
