"""How a measurement ends where it is stopped: in order, so that nothing that it started goes on."""

import signal
import sys


def end_in_order() -> None:
    """Leave by way of every `finally`, which ends servers and unmounts disks, when told to end."""
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: sys.exit(1))
