"""Compare a requested bank account with the previous one: both may end in the same digits.

A thief who names an account with a stolen key may have closed the previous one minutes before; a
merchant who has changed banks did so long ago.
"""

from backoffice import formats
from backoffice.page_parts import Table
from backoffice.resource.shown import actor_words
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
    """Return both side by side, for the approver; neither number is shown whole."""
    rows = [
        [title, *(formats.long_text(getattr(each, name, "") or "none") for each in (asked, before))]
        for title, name in COMPARED
    ]
    if before:
        is_same = asked.decrypt_number() == before.decrypt_number()
        rows.append(["Whole number", "the same one" if is_same else "another one", ""])
    heading = "In force now"
    if before and before.closed_at:
        heading = f"Closed {formats.moment(before.closed_at)}"
        rows.append(["Closed by", "", actor_words(before.closed_by)])
    columns = ("What", "Requested", heading)
    return Table("Account", columns, rows, right=Right.VIEW_PAYOUTS, is_first=True)
