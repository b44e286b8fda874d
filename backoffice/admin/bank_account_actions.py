"""What finance does with the bank accounts of merchants."""

from datetime import datetime

from backoffice.actions import Action
from backoffice.roles import Right
from backoffice.services.payouts import approve_account
from payouts.bank_accounts import close_bank_account
from payouts.models import AccountState, BankAccount
from payouts.own_accounts import decline_bank_account


def _is_pending(account: BankAccount, now: datetime) -> bool:
    return account.state == AccountState.PENDING


BANK_ACCOUNT_ACTIONS = (
    Action(
        title="Approve",
        right=Right.BANK_ACCOUNT,
        service=lambda context: approve_account(
            staff=context.staff, account=context.row, now=context.now
        ),
        message="The merchant is paid out to this account from now on, and told by e-mail.",
        audited_as="approve bank account",
        watches=("is_pending",),
        about="The merchant has asked for it with its live key. The account before it is closed.",
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
        about="Payouts go on to the account before it.",
        icon="block",
        danger=True,
        available=_is_pending,
    ),
    Action(
        title="Close",
        right=Right.BANK_ACCOUNT,
        service=close_bank_account,
        message="This account no longer receives payouts.",
        audited_as="close bank account",
        watches=("closed_at",),
        about="Payouts scheduled to it will fail, and their money is returned.",
        icon="block",
        danger=True,
        available=lambda account, now: account.state == AccountState.OPEN,
    ),
)
