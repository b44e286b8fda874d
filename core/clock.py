"""The one place that reads the clock. Edges read it once and pass `now` down."""

from datetime import UTC, datetime


def utc_now() -> datetime:
    """Return the present instant in UTC, cut to whole milliseconds, as the contract shows it."""
    instant = datetime.now(UTC)
    return instant.replace(microsecond=instant.microsecond // 1000 * 1000)


def iso(instant: datetime) -> str:
    """Write an instant as ISO 8601 with milliseconds and `Z`: 2026-01-31T09:30:00.000Z."""
    return f"{instant.astimezone(UTC).isoformat(timespec='milliseconds')[:-6]}Z"


def epoch_milliseconds(instant: datetime) -> int:
    """Return whole milliseconds since 1970, computed without a float."""
    since = instant - datetime(1970, 1, 1, tzinfo=UTC)
    return (since.days * 86_400 + since.seconds) * 1_000 + since.microseconds // 1_000
