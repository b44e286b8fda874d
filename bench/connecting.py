"""A bench's own connection to the database of the service, under its settings."""

import os


def connect(url: str, **environment: str) -> None:
    """Set Django up for a database, in development mode, with more of the environment."""
    import django

    from tests import run_environment

    run_environment.apply()
    os.environ |= {
        "DATABASE_URL": url,
        "DJANGO_SETTINGS_MODULE": "config.settings",
        "DEVELOPMENT_MODE": "true",
        **environment,
    }
    django.setup()


def disconnect() -> None:
    """Close the pool of connections: it would try to reconnect for minutes."""
    from django.db import connection

    connection.close_pool()  # type: ignore[attr-defined]  # PostgreSQL's connection has one
