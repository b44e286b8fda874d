"""The bank account that is asked for beside the one before it: both may end in the same digits.

Who names an account by a stolen key may have closed the one in force first.
"""

from backoffice.page_parts import Table
from backoffice.roles import Right
from payouts.models import BankAccount

COMPARED = (
    ("Holder", "holder_name"),
    ("Bank", "bank_name"),
    ("BIC", "bic"),
    ("Clearing code", "clearing_code"),
    ("Currency", "currency"),
    ("Number ends in", "last_four"),
)


def comparison_table(asked: BankAccount, before: BankAccount | None) -> Table:
    """Return both side by side, for who approves; no number is shown whole."""
    rows = [
        [title, getattr(asked, name), getattr(before, name, "") or "none"]
        for title, name in COMPARED
    ]
    if before:
        is_same = asked.decrypt_number() == before.decrypt_number()
        rows.append(["Whole number", "the same one" if is_same else "another one", ""])
    is_closed = before is not None and before.closed_at is not None
    columns = ("", "Requested", "Closed before" if is_closed else "In force now")
    return Table("Account", columns, rows, right=Right.VIEW_PAYOUTS, is_first=True)
