"""Run `manage.py verify_ledger` as its user does."""

from io import StringIO

from django.core.management import call_command


def verify(*arguments: str) -> tuple[int, str]:
    """Run the command; return its exit code and what it printed."""
    printed = StringIO()
    try:
        call_command("verify_ledger", *arguments, stdout=printed)
    except SystemExit as end:
        return int(str(end.code)), printed.getvalue().strip()
    return 0, printed.getvalue().strip()
