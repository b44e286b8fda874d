"""A database from before rows were signed."""

from django.db import connection

from tests.ledger.thief import all_rights


def forget_signatures() -> None:
    """Take from every transfer and merchant its signature, and from the log its leaves."""
    with all_rights(), connection.cursor() as cursor:
        for table in ("ledger_transfer", "merchants_merchant"):
            cursor.execute(f"UPDATE {table} SET signature = NULL")
        cursor.execute("DELETE FROM ledger_logleaf")
        cursor.execute("UPDATE ledger_waitingentry SET signature = ''")
