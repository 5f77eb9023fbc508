"""How a state machine is run: some examples in CI, as many as there is time for in the long runs.

The examples of a number are the same on every machine, so a failure is found again by its number.
"""

from __future__ import annotations

from collections.abc import Callable

from hypothesis import HealthCheck, Phase, seed, settings
from hypothesis.stateful import RuleBasedStateMachine, run_state_machine_as_test


def play(machine: Callable[[], RuleBasedStateMachine], number: int, *, examples: int, steps: int) -> None:
    """Examples of so many steps, which follow from the number. None is made shorter, for that takes long."""

    def make() -> RuleBasedStateMachine:
        return machine()

    chosen = settings(
        max_examples=examples,
        stateful_step_count=steps,
        deadline=None,
        database=None,
        derandomize=False,
        phases=(Phase.generate,),
        suppress_health_check=list(HealthCheck),
    )
    run_state_machine_as_test(seed(number)(make), settings=chosen)  # type: ignore[arg-type]
