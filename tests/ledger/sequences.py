"""Sequences of operations drawn by chance: how many, how long, and what each leaves behind."""

import os
from typing import Any

from django.db import connection
from hypothesis import HealthCheck, seed, settings
from hypothesis.stateful import run_state_machine_as_test

# How many sequences of how many steps: more by night.
RUNS = int(os.environ.get("MACHINE_RUNS", "20"))
LONG = int(os.environ.get("MACHINE_STEPS", "40"))
CLEAR_EVERY = 20


def clear_away(turn: int) -> None:
    """Let no rows that were undone slow down what comes after."""
    if connection.vendor == "postgresql" and not connection.in_atomic_block:
        with connection.cursor() as cursor:
            if turn % CLEAR_EVERY == 0:
                cursor.execute("VACUUM")


def go(machine: Any, *, runs: int, steps: int) -> None:
    run_state_machine_as_test(
        seed(int(os.environ["MACHINE_SEED"]))(machine) if "MACHINE_SEED" in os.environ else machine,
        settings=settings(
            max_examples=runs,
            stateful_step_count=steps,
            deadline=None,
            suppress_health_check=list(HealthCheck),
        ),
    )
