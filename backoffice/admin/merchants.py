"""Merchants: looked at, verified, suspended, paid out."""

from datetime import datetime
from typing import Any

from django.conf import settings

from backoffice import formats
from backoffice.admin.api_keys import HINT, KEY_STATE
from backoffice.admin.merchant_actions import MERCHANT_ACTIONS
from backoffice.admin.office import OfficeAdmin
from backoffice.admin.payments import CUSTOMER, PAYMENT_FIELDS
from backoffice.admin.payouts import BANK_ACCOUNT_FIELDS, PAYOUT_FIELDS
from backoffice.admin.webhooks import ENDPOINT_STATE, FAILING_SINCE, LAST_ERROR, URL
from backoffice.endpoint_answer import endpoints_in_trouble
from backoffice.page_parts import Section, SupportAnswer, facts
from backoffice.resource.display_fields import MODE, STATUS, Code, Field, Id, Instant
from backoffice.resource.filters import DayFilter, choice_filter
from backoffice.resource.tables import Related
from ledger.models import Purpose
from ledger.services import balances
from merchants.models import ApiKey, Merchant, PayoutSchedule
from merchants.statuses import MerchantStatus
from payments.models import Payment
from payouts.models import BankAccount, Payout
from webhooks.models import Webhook

SHOWN = 10
_STANDING = {
    MerchantStatus.UNVERIFIED: ("Not verified yet: it accepts test payments only.", "wait"),
    MerchantStatus.VERIFIED: ("It accepts live payments.", "good"),
    MerchantStatus.SUSPENDED: ("Suspended: it cannot be paid, and nothing is paid out.", "bad"),
}


def _standing(merchant: Merchant) -> tuple[str, str]:
    status = MerchantStatus(merchant.status)
    if status == MerchantStatus.UNVERIFIED and not settings.REQUIRE_VERIFIED_MERCHANTS:
        return "Not verified; it accepts live payments all the same, as the settings say.", "wait"
    return _STANDING[status]


def fee_words(merchant: Merchant) -> str:
    """Return a fee of basis points as percent, without a float."""
    whole, rest = divmod(merchant.fee_basis_points, 100)
    return f"{whole}.{rest:02d} %"


SLUG, CATEGORY = Field("Slug", "slug"), Field("Category", "category")
SINCE = Instant("Since", "created_at")


class MerchantAdmin(OfficeAdmin):
    heading_format = "{row.name}"
    notes = True
    list_display = (
        Field("Name", "name"),
        STATUS,
        SLUG,
        CATEGORY,
        Field("Fee", fee_words),
        SINCE,
        Id("Merchant"),
    )
    list_filter = (
        choice_filter("status", "status", MerchantStatus.choices),
        choice_filter("payouts", "payout_schedule", PayoutSchedule.choices),
        DayFilter,
    )
    row_actions = MERCHANT_ACTIONS
    details = (
        Code("Merchant", "pk"),
        Field("E-mail", "email"),
        Field("Support", "support_email"),
        Field("Website", "website"),
        Field("Address", "address"),
        Field("Type", "business_type"),
        Field("Description", "description"),
        Field("Time zone", "time_zone"),
    )
    related = (
        Related(
            title="Newest payments",
            model=Payment,
            by="merchant",
            joins=("customer",),
            fields=(*PAYMENT_FIELDS, CUSTOMER, MODE),
            filter_name="merchant",
            shown=SHOWN,
        ),
        Related(
            title="Payouts",
            model=Payout,
            by="merchant",
            fields=PAYOUT_FIELDS,
            filter_name="merchant",
            shown=SHOWN,
        ),
        Related(
            title="API keys",
            model=ApiKey,
            by="merchant",
            fields=(HINT, Field("Name", "name"), KEY_STATE, Instant("Last used", "last_used_at")),
            filter_name="merchant",
            shown=SHOWN,
        ),
        Related(
            title="Bank accounts",
            model=BankAccount,
            by="merchant",
            fields=BANK_ACCOUNT_FIELDS,
            shown=SHOWN,
        ),
        Related(
            title="Webhook endpoints",
            rows=lambda merchant: (
                Webhook.objects.not_deleted().filter(merchant=merchant).order_by("-pk")
            ),
            fields=(URL, ENDPOINT_STATE, FAILING_SINCE, LAST_ERROR, MODE),
            model=Webhook,
            shown=SHOWN,
        ),
    )

    def answer(self, row: Merchant, now: datetime) -> SupportAnswer:
        words, tone = _standing(row)
        troubles = endpoints_in_trouble(row.pk, now)
        return SupportAnswer([words, *troubles], "bad" if troubles else tone)

    def sections(self, row: Merchant) -> list[Section]:
        return [*super().sections(row), _money(row)]


def _money(merchant: Merchant) -> Section:
    pairs: list[tuple[str, Any]] = [("Paid out", merchant.payout_schedule)]
    for livemode, mode in ((True, "live"), (False, "test")):
        for purpose, words in ((Purpose.MERCHANT, "Balance"), (Purpose.PAYOUTS, "On its way")):
            held = balances(owner=merchant.pk, purpose=purpose, livemode=livemode)
            pairs += [
                (f"{words}, {mode}", formats.money(amount, currency))
                for currency, amount in held.items()
            ]
    return Section("Money", facts(*pairs))
