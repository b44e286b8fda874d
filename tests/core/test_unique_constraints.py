"""What can exist only once, as the database itself enforces it. None may become weaker unseen."""

import pytest
from django.apps import apps
from django.db import connection, models
from django.db.models import Q

ONCE = {
    "account_statement_part_once": ("statement", "number"),
    "export_part_once": ("run", "number"),
    "account_once": ("owner", "purpose", "currency", "livemode"),
    "merchant_change_one_pending": ("merchant",),
    "transfer_once": ("reference", "kind"),
    "live_customer_once": ("phone",),
    "test_customer_once": ("phone", "livemode", "merchant"),
    "delivery_once_per_endpoint": ("event", "webhook"),
    "attempt_numbered": ("delivery", "number"),
    "bank_account_one_open": ("merchant", "livemode", "currency"),
    "bank_account_one_pending": ("merchant", "livemode", "currency"),
    "statement_number_once": ("account", "number"),
    "statement_one_open": ("account",),
    "settled_period_once": ("merchant", "livemode", "currency"),
    "idempotency_key_once": ("scope", "key"),
    "key_in_use_once": ("purpose", "key_id"),
    "saved_view_once": ("owner", "name"),
    "bank_entry_once": ("livemode", "source", "key"),
    "bank_file_once": ("livemode", "source", "message_id"),
    "payment_proof_once": ("payment", "session"),
    "cash_day_once": ("agent", "livemode", "currency", "day"),
    "feed_entry_once": ("merchant", "livemode", "sequence"),
    "bank_statement_once": ("livemode", "currency", "number", "start_at"),
    "count_entry_one_sum": ("owner", "list", "livemode", "status", "kind"),
    "period_count_once": ("owner", "list", "livemode", "period", "status", "kind"),
    "list_total_once": ("list", "livemode", "status", "kind"),
    "log_subtree_once": ("tier", "position"),
    "figures_once": ("day", "livemode", "currency"),
    "interval_figures_once": ("livemode", "currency", "start"),
    "till_once": ("merchant", "livemode"),
}
# These hold among some of the rows only; all others among all.
AMONG = {
    "bank_account_one_open": Q(closed_at__isnull=True, is_pending=False),
    "bank_account_one_pending": Q(closed_at__isnull=True, is_pending=True),
    "bank_statement_once": Q(amends=None),
    "count_entry_one_sum": Q(is_sum=True),
    "live_customer_once": Q(livemode=True),
    "merchant_change_one_pending": Q(status="pending"),
    "statement_one_open": Q(closed_at__isnull=True),
}
ALONE = {
    "ApiKey.hash", "BankStatement.amends", "CustomerSession.token_hash",
    "Inquiry.payment", "Instruction.form_key",
    "LinkUse.payment_id",
    "Merchant.slug", "Message.key", "Passkey.credential_id", "PasskeyChallenge.challenge",
    "Payment.transaction_id", "Payout.statement", "PayoutOrder.end_to_end_id",
    "Refund.transaction_id", "Replacement.replaced_by",
    "Seal.transfer", "SignInCode.handle_hash",
    "StaffPasskey.credential_id", "Ticket.taken_by",
    "TopUp.reference", "TopUp.transaction_id",
}  # fmt: skip
OURS = {
    "core", "ledger", "merchants", "webhooks", "customers", "links", "payments", "refunds",
    "payouts", "funding", "checkout", "backoffice", "messages", "sandbox",
}  # fmt: skip


def _models() -> list[type[models.Model]]:
    return [m for m in apps.get_models() if m.__module__.partition(".")[0] in OURS]


def _constraints() -> dict[str, tuple[type[models.Model], models.UniqueConstraint]]:
    return {
        constraint.name: (model, constraint)
        for model in _models()
        for constraint in model._meta.constraints
        if isinstance(constraint, models.UniqueConstraint)
    }


@pytest.mark.parametrize("name", ONCE)
def test_it_is_once_over_exactly_these_columns(name: str) -> None:
    _, constraint = _constraints()[name]

    assert constraint.fields == ONCE[name]


def test_no_other_rows_are_left_out() -> None:
    """Of a condition that is added, the columns and the database's answer tell nothing."""
    conditions = {name: found.condition for name, (_, found) in _constraints().items()}

    assert {name: it for name, it in conditions.items() if it} == AMONG
    assert {found.deferrable for _, found in _constraints().values()} == {None}


@pytest.mark.django_db
@pytest.mark.parametrize("name", ONCE)
def test_the_database_knows_it(name: str) -> None:
    model, constraint = _constraints()[name]
    columns = [model._meta.get_field(field).column for field in constraint.fields]  # type: ignore[union-attr]  # no relation back

    with connection.cursor() as cursor:
        known = connection.introspection.get_constraints(cursor, model._meta.db_table)

    assert known[name]["unique"]
    assert known[name]["columns"] == columns


def test_none_was_forgotten_here() -> None:
    assert set(_constraints()) - set(ONCE) == set()
    assert {
        f"{model.__name__}.{field.name}"
        for model in _models()
        for field in model._meta.local_fields
        if field.unique and not field.primary_key
    } == ALONE
