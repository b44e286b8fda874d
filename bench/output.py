"""How a bench prints: a run takes minutes, and each line is seen as soon as it is known."""

import sys


def say(line: str) -> None:
    """Print a line at once."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()
