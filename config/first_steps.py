"""Help for commands on a machine where nothing is set up yet."""

import sys

from django.core.exceptions import ImproperlyConfigured
from django.core.management import execute_from_command_line
from django.db import DatabaseError, connection

from config.environment import env

NOT_SET_UP = (
    "Nothing is set up here yet. On your own machine `make run` does it, once; in production set "
    "SECRET_KEY and the other variables that the README lists."
)
NO_TABLES = "The database has no tables yet: `manage.py prepare` creates them."


def run_command(arguments: list[str]) -> None:
    """Run a command. If it fails because setup is incomplete, exit with one sentence instead."""
    try:
        execute_from_command_line(arguments)
    except (ImproperlyConfigured, DatabaseError):
        if missing := missing_step():
            sys.exit(missing)
        raise


def missing_step() -> str:
    """Return which setup step is missing here; empty if none is."""
    if not env("SECRET_KEY"):
        return NOT_SET_UP
    try:
        tables = connection.introspection.table_names()
    except DatabaseError:
        return ""
    return "" if "django_migrations" in tables else NO_TABLES
