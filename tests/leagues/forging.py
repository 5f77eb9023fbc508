"""A league's bundle as a cheating judge would write it: entries changed or dropped, all signed anew."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from pbem.audit.bundle import Files
from pbem.leagues.entries import parse_league_entry
from pbem.trust import keys, ledger
from pbem.trust.entries import Entry

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
