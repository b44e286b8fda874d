"""What staff look for among millions of rows is found by an index that only they need."""

import pytest
from django.db import connection
from django.db.models import QuerySet

from backoffice.models import Instruction
from backoffice.queues import queues_in
from core.clock import utc_now
from customers.models import Customer, SignInCode
from funding.models import TopUp
from merchants.models import Merchant
from payouts.models import BankEntry, Payout
from refunds.models import Refund
from tests.lone_index import leave_only
from webhooks.models import Webhook

pytestmark = pytest.mark.django_db
DAYS = (utc_now().date(), utc_now().date())
ADJUSTED = Instruction.objects.filter(task__in=["adjust_merchant", "adjust_wallet"])
REFUNDS_FAILED = queues_in(Refund)[-1]
SWITCHED_OFF = queues_in(Webhook)[-1]
PAYOUTS_UNPAID = queues_in(Payout)[-1]
UNVERIFIED = queues_in(Merchant)[0]


@pytest.mark.parametrize(
    ("index", "rows"),
    [
        ("office_top_up_amount", TopUp.objects.filter(amount=4_999).order_by("-pk")[:50]),
        ("office_entry_booked", BankEntry.objects.filter(booking_date__range=DAYS)),
        pytest.param(  # SQLite takes no NOT for the <> of a partial index
            "office_customer_email",
            Customer.objects.with_email("Ada@example.com"),
            marks=pytest.mark.postgres,
        ),
        (
            "office_code_phone",
            SignInCode.objects.filter(phone="+1", livemode=True).order_by("-created_at"),
        ),
        ("instruction_amount_of_task", ADJUSTED.filter(amount=500).order_by("-pk")[:50]),
        pytest.param(  # SQLite compares the words of a partial index with no parameter
            "webhook_switched_off",
            SWITCHED_OFF.rows(livemode=True, now=utc_now()),
            marks=pytest.mark.postgres,
        ),
        ("office_refund_failed", REFUNDS_FAILED.rows(livemode=True, now=utc_now())),
        pytest.param(
            "office_payout_unpaid",
            PAYOUTS_UNPAID.rows(livemode=True, now=utc_now()),
            marks=pytest.mark.postgres,
        ),
        pytest.param(
            "office_merchant_unverified",
            UNVERIFIED.rows(livemode=True, now=utc_now()),
            marks=pytest.mark.postgres,
        ),
    ],
)
def test_it_is_found_by_its_index(index: str, rows: QuerySet) -> None:
    if connection.vendor == "postgresql":
        leave_only(index, rows.model)

    assert index in rows.explain()


@pytest.mark.postgres
def test_a_search_reads_no_long_list_of_what_is_not_sorted_in() -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT relname, reloptions FROM pg_class JOIN pg_index ON indexrelid = pg_class.oid"
            " JOIN pg_am ON pg_am.oid = relam AND amname = 'gin'"
            " WHERE indrelid = 'payments_payment'::regclass"
        )
        limits = dict(cursor.fetchall())

    short = ["gin_pending_list_limit=128"]
    assert limits == {
        "office_payment_metadata": short,
        "payment_owned_words": short,
        "payment_owned_pairs": short,
    }
