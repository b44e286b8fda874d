"""Work of this process that no request waits for, and that is lost if the process dies."""

import logging
from collections.abc import Callable
from threading import Timer

from django.conf import settings
from django.db import DatabaseError, connection

from core.database_away import log_failure

logger = logging.getLogger(__name__)


def write_later(write: Callable[[], None]) -> None:
    """Run `write` in its own thread after `GATHER_SECONDS`; a failure is only logged."""
    if settings.GATHER_SECONDS:
        timer = Timer(settings.GATHER_SECONDS, _run, (write,))
        timer.daemon = True
        timer.start()


def _run(write: Callable[[], None]) -> None:
    try:
        write()
    except DatabaseError as error:
        log_failure(logger, "what this process had gathered was lost", error)
    finally:
        connection.close()
