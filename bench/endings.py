"""End a stopped benchmark cleanly, so that nothing that it started keeps running."""

import signal
import sys

ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def end_in_order() -> None:
    """On the first of these signals, exit through every `finally`: it ends servers, unmounts disks.

    Those after it are ignored, as they would break that off.
    """
    for number in ENDING:
        signal.signal(number, _end)


def _end(*_: object) -> None:
    for number in ENDING:
        signal.signal(number, lambda *_: None)  # not SIG_IGN, which `umount` would inherit
    sys.exit(1)
