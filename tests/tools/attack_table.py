"""Writes the table of attacks on bundles into the page of attacks: python -m tests.tools.attack_table."""

from __future__ import annotations

from pathlib import Path

import tests.audit.attacks_acts
import tests.audit.attacks_dice
import tests.audit.attacks_history
import tests.audit.attacks_keys
import tests.audit.attacks_orders
import tests.audit.attacks_play
import tests.audit.attacks_reveals  # noqa: F401 - each module adds its attacks to the list
from pbem.audit.findings import State
from tests.audit.attack import ATTACKS, Attack

PAGE = Path(__file__).parents[2] / "pbem/docs/attacks.md"
COLUMNS = "| attack | who | how | what the audit says | with | script |\n|---|---|---|---|---|---|\n"


def row(attack: Attack) -> str:
    """One attack on a bundle."""
    said = attack.audit.replace("|", "\\|")
    said = f"({attack.state}) {said}" if attack.state != State.REFUTED else said
    script = "yes" if attack.script else "no"
    return f"| {attack.name} | {attack.who} | {attack.how} | {said} | {attack.evidence} | {script} |\n"


def page() -> str:
    """The page, with a row for each attack in its first table."""
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(COLUMNS)
    after = rest.partition("\n\n")[2]
    return "".join([before, COLUMNS, *map(row, ATTACKS.values()), "\n", after])


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
