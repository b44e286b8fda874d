"""Help for commands on a machine where nothing is set up yet."""

import sys

from django.core.exceptions import ImproperlyConfigured
from django.core.management import execute_from_command_line
from django.db import DatabaseError, connection

from config.environment import env
from core.database_away import reason_of

NOT_SET_UP = (
    "Nothing is set up here yet. On your own machine `make run` does it, once; in production set "
    "SECRET_KEY and the other variables that the README lists."
)
NO_TABLES = "The database has no tables yet: `manage.py migrate` creates them."


def run_command(arguments: list[str]) -> None:
    """Run a command. If it fails because setup is incomplete, exit with one sentence instead."""
    try:
        execute_from_command_line(arguments)
    except (ImproperlyConfigured, DatabaseError) as error:
        missing = missing_step()
        if missing == NO_TABLES and arguments[1:2] == ["migrate"]:
            sys.exit(f"No tables were created. {reason_of(error)}")  # such as: no right to
        if missing:
            sys.exit(missing)
        raise


def missing_step() -> str:
    """Return what is missing here, a setup step or the database; empty if nothing is."""
    if not env("SECRET_KEY"):
        return NOT_SET_UP
    try:
        tables = connection.introspection.table_names()
    except DatabaseError as error:
        return f"The database does not answer: {reason_of(error)}. Lines above may say more."
    return "" if "django_migrations" in tables else NO_TABLES
