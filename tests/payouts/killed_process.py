"""A fork of the test's process that does one piece of work, and dies before a statement.

It kills itself, which nothing in it can catch, and has connections of its own, which the database
gives up with it.
"""

import os
import signal
import traceback
from collections.abc import Callable
from typing import Any

from django.db import connection

from tests.run_environment import ON_POSTGRESQL


def dies_before(statement: str, number: int, work: Callable[[], object]) -> bool:
    """Do the work in a fork; return whether it died before that statement ran so many times."""
    connection.close()  # the two may not share one
    if ON_POSTGRESQL:
        connection.close_pool()  # type: ignore[attr-defined]  # the stub lacks it
    process = os.fork()
    if not process:
        _work(work, _kill_itself_before(statement, number))
    code = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
    assert code in (0, -signal.SIGKILL)
    return code == -signal.SIGKILL


def _work(work: Callable[[], object], wrapper: Callable[..., Any]) -> None:
    """Do the work, and end at once: what pytest does at the end of a process is the parent's."""
    status = 1
    try:
        with connection.execute_wrapper(wrapper):
            work()
        status = 0
    except BaseException:
        traceback.print_exc()
        raise
    finally:
        os._exit(status)


def _kill_itself_before(words: str, number: int) -> Callable[..., Any]:
    left = number

    def execute(run: Callable[..., Any], sql: str, *arguments: Any) -> Any:
        nonlocal left
        left -= words in sql.replace('"', "")
        if left == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return run(sql, *arguments)

    return execute
