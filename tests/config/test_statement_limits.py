"""Behind a pooler no statement is canceled unless the role says so: each start tells."""

import logging

import pytest
from django.db import connection

from config.statement_limits import warn_of_missing_limits

pytestmark = pytest.mark.django_db


STATEMENTS = "statement_timeout is 0 for the role of DATABASE_URL"


@pytest.mark.postgres
@pytest.mark.parametrize(("limit", "is_said"), [("5s", False), ("0", True)])
def test_a_start_names_the_limits_that_are_off(
    caplog: pytest.LogCaptureFixture, limit: str, is_said: bool
) -> None:
    with caplog.at_level(logging.WARNING), connection.cursor() as cursor:
        cursor.execute("SELECT set_config('statement_timeout', %s, true)", [limit])

        warn_of_missing_limits()

    assert any(said.startswith(STATEMENTS) for said in caplog.messages) is is_said


@pytest.mark.sqlite
def test_sqlite_has_none(caplog: pytest.LogCaptureFixture) -> None:
    warn_of_missing_limits()

    assert caplog.messages == []
