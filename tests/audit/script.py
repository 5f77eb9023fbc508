"""pbem/docs/verify.sh, run by the shell of this machine."""

from __future__ import annotations

from pathlib import Path

from tests.trust.stock import finished

SCRIPT = Path(__file__).parents[2] / "pbem/docs/verify.sh"
ALONE = {
    "every new key is signed by the one before it, or by the recovery key, or came by consent",
    "every consent that the ledger names was signed, in this history of the game",
}
"""The claims of the script that the audit makes of each entry by itself, in the words of that entry."""


def verify_sh(
    bundle: Path, genesis: str = "", held: Path | None = None, longest: float | None = None
) -> tuple[int, str]:
    """The exit status, and everything that was printed. `longest`: so many seconds it may take."""
    arguments: list[str | Path] = [bundle, genesis or "-", *([held] if held else [])]
    done = finished("sh", SCRIPT, *arguments, longest=longest)
    return done.returncode, (done.stdout + done.stderr).decode()
