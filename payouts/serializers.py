"""The input and output serializers of payouts, balances, bank accounts and statements."""

from typing import Any, ClassVar

from rest_framework.serializers import ValidationError

from core.fields import (
    MAX_SAFE_INTEGER,
    AmountField,
    CurrencyField,
    DateField,
    InstantField,
    ListOf,
    OneOfField,
    StrictBooleanField,
    StrictIntegerField,
    TextField,
)
from core.log_receipts import PENDING, PROVEN
from core.pagination import MAX_LIMIT, MAX_OFFSET
from core.serializers import Input, Output
from ledger.models import TransferKind
from merchants.strict_inputs import StrictInput
from payouts.account_statements import SUMS
from payouts.bank_accounts import MAX_NAME_LENGTH
from payouts.bank_words import names_top_up
from payouts.models import AccountState, AccountStatement, PayoutOrigin
from payouts.statuses import PayoutStatus


def _sum(**options: Any) -> StrictIntegerField:
    return StrictIntegerField(min_value=-MAX_SAFE_INTEGER, help_text="In cents.", **options)


class NewPayout(StrictInput):
    never_null: ClassVar[tuple[str, ...]] = ("amount",)

    merchant_id = TextField(max_length=64, required=False, help_text="Development mode only.")
    amount = AmountField(required=False, help_text="In cents; everything available if omitted.")
    currency = CurrencyField(required=False)
    description = TextField(
        max_length=140,
        min_length=0,
        required=False,
        help_text="Shown on the bank statement. Must not contain a top-up reference.",
    )

    def validate_description(self, text: str) -> str:
        """Refuse a text that would fill a wallet if the bank returned the payout with it."""
        if names_top_up(text):
            raise ValidationError("must not hold a reference such as customers write on transfers")
        return text


class PaidAccount(Output):
    """The bank account, as far as it is shown."""

    id = TextField(max_length=40)
    bank_name = TextField(max_length=140)
    last_four = TextField(max_length=4)


class StatementOutput(Output):
    """`opening_amount + movements_amount - payout_amount = closing_amount`."""

    number = StrictIntegerField(min_value=1)
    opening_amount = _sum()
    movements_amount = _sum()
    movements_count = StrictIntegerField()
    payout_amount = _sum()
    closing_amount = _sum()


class PayoutOutput(Output):
    id = TextField(max_length=40)
    merchant_id = TextField(max_length=40)
    amount = AmountField()
    currency = CurrencyField()
    status = OneOfField(allowed=tuple(PayoutStatus.values))
    origin = OneOfField(allowed=tuple(PayoutOrigin.values))
    description = TextField(max_length=140, required=False)
    bank_account = PaidAccount()
    arrival_date = DateField()
    livemode = StrictBooleanField()
    statement = StatementOutput()
    error_code = TextField(max_length=40, required=False, source="failure_code")
    error_message = TextField(max_length=255, required=False, source="failure_message")
    created_at = InstantField()
    updated_at = InstantField()
    in_transit_at = InstantField(required=False)
    paid_at = InstantField(required=False)
    failed_at = InstantField(required=False)
    canceled_at = InstantField(required=False)
    returned_at = InstantField(required=False)


class MovementOutput(Output):
    """What came into the merchant's balance (positive), or went out of it (negative)."""

    type = OneOfField(allowed=tuple(TransferKind.values), source="kind")
    reference = TextField(max_length=40, help_text="The payment, refund or payout behind it.")
    amount = _sum(source="statement_line.amount")
    currency = CurrencyField()
    transaction_id = TextField(max_length=40)
    description = TextField(max_length=500, required=False)
    created_at = InstantField()


class MovementPage(Output):
    movements = MovementOutput(many=True)
    total = StrictIntegerField()
    limit = StrictIntegerField(min_value=1, max_value=MAX_LIMIT)
    offset = StrictIntegerField(min_value=0, max_value=MAX_OFFSET)
    has_more = StrictBooleanField()


class PayoutWithMovements(PayoutOutput):
    """`movements` are the newest of them; `GET /v1/payouts/:id/movements` has the rest."""

    movements = MovementOutput(many=True)


class LedgerProofLeaf(Output):
    """A leaf of the log, and the way from it to the head."""

    index = StrictIntegerField()
    entry = TextField(max_length=4_096)
    path = ListOf(max_length=64, child=TextField(max_length=44))


class LedgerProofOutput(Output):
    """Without checkpoint and leaves while it is pending."""

    transaction_id = TextField(max_length=40)
    status = OneOfField(allowed=(PROVEN, PENDING))
    checkpoint = TextField(max_length=4_096, required=False)
    leaves = LedgerProofLeaf(many=True, required=False)


class BalanceAmount(Output):
    currency = CurrencyField()
    amount = AmountField(min_value=0)


class BalanceOutput(Output):
    """One entry per currency in each: what can be paid out, what is scheduled, what has left."""

    merchant_id = TextField(max_length=40)
    livemode = StrictBooleanField()
    available = BalanceAmount(many=True)
    pending = BalanceAmount(many=True)
    in_transit = BalanceAmount(many=True)


class NewBankAccount(Input):
    merchant_id = TextField(max_length=64, required=False, help_text="Development mode only.")
    currency = CurrencyField(required=False)
    holder_name = TextField(max_length=MAX_NAME_LENGTH)
    bank_name = TextField(max_length=MAX_NAME_LENGTH)
    number = TextField(max_length=64)
    bic = TextField(max_length=16, required=False)
    clearing_code = TextField(max_length=64, required=False)


class BankAccountOutput(Output):
    id = TextField(max_length=40)
    merchant_id = TextField(max_length=40)
    livemode = StrictBooleanField()
    currency = CurrencyField()
    status = OneOfField(allowed=tuple(AccountState.values), source="state")
    holder_name = TextField(max_length=MAX_NAME_LENGTH)
    bank_name = TextField(max_length=MAX_NAME_LENGTH)
    last_four = TextField(max_length=4)
    bic = TextField(max_length=11, required=False)
    clearing_code = TextField(max_length=35, required=False)
    created_at = InstantField()
    closed_at = InstantField(required=False)


class NewAccountStatement(Input):
    start_at = InstantField(help_text="The start of the period (inclusive).")
    end_at = InstantField(help_text="The end of the period (exclusive); not in the future.")
    currency = CurrencyField(required=False)


# The fields omitted while a statement is pending, in their order.
ONLY_WHEN_READY = (
    *("opening_amount", *dict.fromkeys(SUMS.values()), "closing_amount"),
    *("lines_count", "ready_at"),
)


class AccountStatementOutput(Output):
    """Opening, all the sums below it, and closing add up. What goes out is negative.

    One that is `pending` has no sums: they are not complete yet.
    """

    id = TextField(max_length=40)
    merchant_id = TextField(max_length=40)
    livemode = StrictBooleanField()
    currency = CurrencyField()
    status = OneOfField(allowed=("pending", "ready"))
    start_at = InstantField()
    end_at = InstantField()
    opening_amount = _sum(required=False)
    payments_amount = _sum(required=False)
    fees_amount = _sum(required=False)
    refunds_amount = _sum(required=False)
    adjustments_amount = _sum(required=False)
    payouts_amount = _sum(required=False)
    returned_payouts_amount = _sum(required=False)
    closing_amount = _sum(required=False)
    lines_count = StrictIntegerField(required=False)
    created_at = InstantField()
    ready_at = InstantField(required=False)

    def to_representation(self, instance: AccountStatement) -> dict[str, Any]:
        shown = super().to_representation(instance)
        if instance.ready_at is not None:
            return shown
        return {name: shown[name] for name in shown if name not in ONLY_WHEN_READY}


class AccountStatementLine(Output):
    """A transfer of the ledger, as your balance sees it."""

    type = OneOfField(allowed=tuple(TransferKind.values))
    reference = TextField(max_length=40, help_text="The payment, refund or payout behind it.")
    amount = _sum()
    transaction_id = TextField(max_length=40)
    description = TextField(max_length=500, required=False)
    created_at = InstantField()


class AccountStatementLines(Output):
    """Oldest first."""

    lines = AccountStatementLine(many=True)
    total = StrictIntegerField()
    limit = StrictIntegerField(min_value=1, max_value=MAX_LIMIT)
    offset = StrictIntegerField(min_value=0, max_value=MAX_OFFSET)
    has_more = StrictBooleanField()
