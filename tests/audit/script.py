"""pbem/docs/verify.sh, run by the shell of this machine."""

from __future__ import annotations

from pathlib import Path

from tests.trust.stock import finished

SCRIPT = Path(__file__).parents[2] / "pbem/docs/verify.sh"


def verify_sh(bundle: Path, genesis: str = "", held: Path | None = None) -> tuple[int, str]:
    """The exit status, and everything that was printed."""
    arguments: list[str | Path] = [bundle, genesis or "-", *([held] if held else [])]
    done = finished("sh", SCRIPT, *arguments)
    return done.returncode, (done.stdout + done.stderr).decode()
