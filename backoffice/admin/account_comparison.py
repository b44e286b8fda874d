"""The bank account that is asked for beside the one in force: both may end in the same digits."""

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


def comparison_table(asked: BankAccount, current: BankAccount | None) -> Table:
    """Return both side by side, for who approves; no number is shown whole."""
    rows = [
        [title, getattr(asked, name), getattr(current, name, "") or "none"]
        for title, name in COMPARED
    ]
    if current:
        is_same = asked.decrypt_number() == current.decrypt_number()
        rows.append(["Whole number", "the same one" if is_same else "another one", ""])
    columns = ("", "Requested", "In force now")
    return Table("Account", columns, rows, right=Right.VIEW_PAYOUTS, is_first=True)
