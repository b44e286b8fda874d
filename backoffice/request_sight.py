"""Which requests take a right of their own to be seen: they name what not all staff may see.

Apart from the tasks themselves, since the catalog of resources asks, and tasks stand above it.
"""

from backoffice.roles import Right
from backoffice.staff import Staff

_TASKS_SEEN_WITH = {
    Right.VIEW_PAYOUTS: (
        "pay_out",
        "run_payouts",
        "payout_failure",
        "payout_return",
        "bank_entry",
        "set_aside",
        "wait_again",
        "bank_credit",
        "bank_file",
        "bank_account",
    ),
    Right.VIEW_STAFF: ("add_staff", "set_roles", "reset_access", "reopen_account"),
}
_SEEN_WITH = {task: right for right, tasks in _TASKS_SEEN_WITH.items() for task in tasks}


def seen_with(task: str) -> Right:
    """Return the right to see requests for a task."""
    return _SEEN_WITH.get(task, Right.VIEW_TRADE)


def tasks_hidden_from(staff: Staff) -> list[str]:
    """Return the tasks whose requests a member of staff may not see."""
    return [task for task, right in _SEEN_WITH.items() if not staff.may(right)]
