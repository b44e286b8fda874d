"""The bank accounts of merchants, and the decision on one that awaits review."""

from datetime import datetime

from backoffice import formats
from backoffice.actions import Action
from backoffice.admin.office import OfficeAdmin
from backoffice.page_parts import SupportAnswer, Table
from backoffice.resource.filters import ModeFilter
from backoffice.resource.list_filters import MerchantFilter
from backoffice.resource.shown import Actor, Badge, Field, Id, Instant, actor_words
from backoffice.resource.usual_fields import BY, MERCHANT, MODE
from backoffice.roles import Right
from backoffice.services.independence import why_void
from backoffice.services.payouts import approve_account
from payouts.models import AccountState, BankAccount
from payouts.own_accounts import decline_bank_account, shut_bank_account


def _is_pending(account: BankAccount, now: datetime) -> bool:
    return account.state == AccountState.PENDING


CLOSE = Action(
    title="Close",
    right=Right.BANK_ACCOUNT,
    service=shut_bank_account,
    message="This account no longer receives payouts.",
    audited_as="close bank account",
    watches=("closed_at",),
    about="Payouts scheduled to it will fail, and their money is returned. For a live account, the"
    " merchant is notified by e-mail.",
    icon="block",
    danger=True,
    available=lambda account, now: account.state == AccountState.OPEN,
)
BANK_ACCOUNT_ACTIONS = (
    Action(
        title="Approve",
        right=Right.BANK_ACCOUNT,
        service=lambda context: approve_account(
            staff=context.staff, account=context.row, now=context.now
        ),
        message="Payouts go to this account from now on. The merchant is notified by e-mail.",
        audited_as="approve bank account",
        watches=("is_pending",),
        about="The merchant requested it with its live key. The previous account is closed.",
        icon="account_balance",
        main=True,
        available=_is_pending,
    ),
    Action(
        title="Decline",
        right=Right.BANK_ACCOUNT,
        service=decline_bank_account,
        message="This account receives no payouts.",
        audited_as="decline bank account",
        watches=("closed_at",),
        about="Payouts continue to the previous account.",
        icon="block",
        danger=True,
        available=_is_pending,
    ),
    CLOSE,
)


BANK, HOLDER = Field("Bank", "bank_name"), Field("Holder", "holder_name")
BIC, CLEARING_CODE = Field("BIC", "bic"), Field("Clearing code", "clearing_code")
NUMBER = Field("Number", lambda account: f"…{account.last_four}")
CURRENCY = Field("Currency", "currency")
COMPARED = (HOLDER, BANK, BIC, CLEARING_CODE, CURRENCY, Field("Number ends in", "last_four"))
ACCOUNT_WORDS = {
    AccountState.PENDING: "pending",
    AccountState.OPEN: "active",
    AccountState.DECLINED: "declined",
    AccountState.CLOSED: "closed",
}
ACCOUNT_STATE = Badge("State", lambda account: ACCOUNT_WORDS[account.state])


class BankAccountAdmin(OfficeAdmin):
    """The number is never shown, except for its last four characters."""

    model = BankAccount
    list_select_related = ("merchant",)
    list_display = (BANK, MERCHANT, NUMBER, CURRENCY, ACCOUNT_STATE, MODE, Id("Account"))
    list_filter = (ModeFilter, MerchantFilter)
    row_actions = BANK_ACCOUNT_ACTIONS
    details = (
        HOLDER,
        BIC,
        CLEARING_CODE,
        Instant("Opened", "created_at"),
        BY,
        Instant("Closed", "closed_at"),
        Actor("Closed by", "closed_by"),
    )

    def answer(self, row: BankAccount, now: datetime) -> SupportAnswer:
        tone = formats.tone(ACCOUNT_WORDS[row.state])
        until, by = formats.clock(row.closed_at, now), actor_words(row.closed_by)
        since = formats.clock(row.created_at, now)
        words = {
            AccountState.PENDING: f"Requested by the merchant {since}; waiting for review."
            " Until it is approved, payouts go to the previous account.",
            AccountState.OPEN: "Payouts go to this account.",
            AccountState.DECLINED: f"Declined {until} by {by}: it receives no payouts.",
            AccountState.CLOSED: f"Closed {until} by {by}: it receives no payouts.",
        }
        is_waiting = row.state == AccountState.PENDING
        warnings = why_void(row.created_by, row.merchant, now=now) if is_waiting else []
        return SupportAnswer([words[row.state], *warnings], tone)

    def tables(self, row: BankAccount) -> list[Table]:
        """Show a pending account beside the previous one: a single person approves it."""
        tables = super().tables(row)
        if row.state != AccountState.PENDING:
            return tables
        return [comparison_table(row, BankAccount.objects.before(row)), *tables]


def comparison_table(asked: BankAccount, before: BankAccount | None) -> Table:
    """Return a requested account beside the previous one, for the approver; no number is whole.

    Both may end in the same digits. A thief who names an account with a stolen key may have closed
    the previous one minutes before; a merchant who has changed banks did so long ago.
    """
    rows = [
        [field.title, *(formats.long_text(field.value(each) or "none") for each in (asked, before))]
        for field in COMPARED
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
