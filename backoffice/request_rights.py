"""The right that viewing a request takes, by its task: some name what not all staff may see.

Not declared with the tasks: the catalog of resources needs it, and services import the catalog.
"""

from backoffice.roles import Right
from backoffice.staff import Staff

_TASKS_BY_RIGHT = {
    Right.VIEW_PAYOUTS: (
        "pay_out",
        "run_payouts",
        "payout_failure",
        "payout_return",
        "bank_entry",
        "set_aside",
        "wait_again",
        "undo_match",
        "bank_credit",
        "bank_file",
        "bank_account",
    ),
    Right.VIEW_STAFF: ("add_staff", "set_roles", "reset_access", "reopen_account"),
}
_RIGHTS = {task: right for right, tasks in _TASKS_BY_RIGHT.items() for task in tasks}


def viewing_right(task: str) -> Right:
    """Return the right that viewing requests for a task takes."""
    return _RIGHTS.get(task, Right.VIEW_TRADE)


def tasks_hidden_from(staff: Staff) -> list[str]:
    """Return the tasks whose requests a member of staff may not see."""
    return [task for task, right in _RIGHTS.items() if not staff.may(right)]
