"""Servers of tests and measurements that end with the process that started them."""

import shutil
import signal


def ending_with_us(how: signal.Signals) -> list[str]:
    """Return the words to put before a command: it then gets this signal when its starter ends.

    That is the thread that starts it; no matter how it ends. Empty without util-linux.
    """
    program = shutil.which("setpriv")
    return [program, "--pdeathsig", how.name, "--"] if program else []
