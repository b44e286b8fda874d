"""Instants of merchants in Nassau, whose payouts follow a schedule."""

from datetime import UTC, datetime

JOINED = datetime(2026, 6, 1, tzinfo=UTC)


def at(text: str) -> datetime:
    """Return an instant in Nassau, five hours behind UTC in winter."""
    return datetime.fromisoformat(f"{text}-05:00").astimezone(UTC)
