"""Marks in the query of our own addresses, by which a page knows what to say first."""

EXPIRED, AGAIN, SIGNED_OUT = "expired", "again", "signed-out"


def marked(address: str, mark: str) -> str:
    """Return a path with a mark added to its query."""
    return f"{address}{'&' if '?' in address else '?'}{mark}=1"
