"""A process that does one piece of work on the database of a test, and dies before a statement.

`python -m tests.payouts.killed_process DATABASE "INSERT INTO payouts_payout" 2 import FILE`: it
kills itself, which nothing in it can catch, before the second statement that says so.
"""

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import django
from django.conf import settings
from django.core.management import call_command

SECONDS = 200  # where others have the machine


def dies_before(database: str, statement: str, number: int, work: str, argument: str) -> bool:
    """Do the work in a process of its own; return whether it died before that statement."""
    words = [sys.executable, "-m", __name__, database, statement, str(number), work, argument]
    done = subprocess.run(words, capture_output=True, text=True, timeout=SECONDS, check=False)
    assert done.returncode in (0, -signal.SIGKILL), done.stderr
    return done.returncode == -signal.SIGKILL


def _kill_itself_before(words: str, number: int) -> Callable[..., Any]:
    left = number

    def execute(run: Callable[..., Any], sql: str, *arguments: Any) -> Any:
        nonlocal left
        left -= words in sql.replace('"', "")
        if left == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return run(sql, *arguments)

    return execute


def _import(path: str) -> None:
    call_command("import_bank_file", path)


def _approve(instruction_id: str) -> None:
    from django.contrib.auth.models import User

    from backoffice.services.decisions import approve
    from backoffice.staff import Staff, roles_of
    from core.clock import utc_now

    user = User.objects.get(username="bob")
    staff = Staff(user.pk, user.username, roles_of(user), password=user.password)
    approve(staff=staff, instruction_id=instruction_id, note="", now=utc_now())


WORKS = {"import": _import, "approve": _approve}


def main(database: str, statement: str, number: str, work: str, argument: str) -> None:
    os.environ["DJANGO_SETTINGS_MODULE"] = "tests.settings"
    django.setup()
    from django.db import connection

    connection.settings_dict["NAME"] = database
    settings.PAYOUT_DEBTOR_ACCOUNT = "000777"
    with connection.execute_wrapper(_kill_itself_before(statement, int(number))):
        WORKS[work](argument)


if __name__ == "__main__":
    main(*sys.argv[1:])
