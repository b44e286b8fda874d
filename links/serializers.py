"""Payment links as they come in and go out."""

from collections.abc import Mapping
from typing import Any, ClassVar

from django.conf import settings
from rest_framework import serializers

from core.fields import (
    AmountField,
    CurrencyField,
    EmailTextField,
    InstantField,
    MetadataField,
    StrictBooleanField,
    StrictIntegerField,
    TextField,
    WebUrlField,
    refuse_http,
)
from core.limits import MAX_NAME, MAX_TEXT
from core.serializers import Change, Input, Output
from links.models import PaymentLink
from links.services import LinkDraft
from links.statuses import LinkStatus

MAX_USES = 1_000_000


class NewLink(Input):
    merchant_id = TextField(max_length=64, required=False, help_text="Development mode only.")
    merchant_slug = TextField(max_length=64, required=False, help_text="Optional with an API key.")
    amount = AmountField(
        required=False, help_text="In cents. Omit it to let the customer enter it."
    )
    currency = CurrencyField(required=False)
    description = TextField(max_length=MAX_TEXT, min_length=0, lines=True, required=False)
    max_uses = StrictIntegerField(min_value=1, max_value=MAX_USES, required=False)
    expires_at = InstantField(required=False)
    success_url = WebUrlField(or_empty=True, required=False)
    cancel_url = WebUrlField(or_empty=True, required=False)
    metadata = MetadataField(required=False)


class ChangedLink(Change):
    """A null clears the value: no limit, no expiry, no redirect."""

    actions: ClassVar[Mapping[str, str]] = dict.fromkeys(
        ("is_active", "status"), "POST /v1/payment-links/:id/deactivate"
    )

    description = TextField(
        max_length=MAX_TEXT, min_length=0, lines=True, required=False, allow_null=True
    )
    max_uses = StrictIntegerField(min_value=1, max_value=MAX_USES, required=False, allow_null=True)
    expires_at = InstantField(required=False, allow_null=True)
    success_url = WebUrlField(or_empty=True, required=False, allow_null=True)
    cancel_url = WebUrlField(or_empty=True, required=False, allow_null=True)
    metadata = MetadataField(required=False, allow_null=True)


class _Link(Output):
    id = TextField(max_length=40)
    merchant_id = TextField(max_length=40)
    merchant_slug = TextField(max_length=64, source="merchant.slug")
    amount = AmountField(required=False)
    currency = CurrencyField()
    description = TextField(max_length=MAX_TEXT, required=False)
    url = WebUrlField()
    qr_code = serializers.SerializerMethodField()
    status = serializers.SerializerMethodField()
    is_active = serializers.SerializerMethodField()
    uses_count = StrictIntegerField(source="uses")
    max_uses = StrictIntegerField(min_value=1, max_value=MAX_USES, required=False)
    livemode = StrictBooleanField()
    expires_at = InstantField(required=False)

    def get_qr_code(self, link: PaymentLink) -> str:
        return f"{link.url}/qr.png"

    def get_status(self, link: PaymentLink) -> LinkStatus:
        return link.status_at(self.context["now"])

    def get_is_active(self, link: PaymentLink) -> bool:
        return link.status_at(self.context["now"]) == LinkStatus.ACTIVE


class LinkOutput(_Link):
    """A link as its merchant sees it."""

    success_url = WebUrlField(required=False)
    cancel_url = WebUrlField(required=False)
    metadata = MetadataField()
    created_at = InstantField()
    updated_at = InstantField()


class LinkStatistics(Output):
    """`opened` and `started` are some seconds old; `paid` and `collected` (cents) are exact."""

    opened = StrictIntegerField(source="opened_count")
    started = StrictIntegerField(source="started_count")
    paid = StrictIntegerField(source="uses")
    collected = StrictIntegerField()


class LinkWithStatistics(LinkOutput):
    statistics = LinkStatistics(source="*")


class PublicMerchant(Output):
    """What anyone may know of a merchant."""

    id = TextField(max_length=40)
    name = TextField(max_length=MAX_NAME)
    slug = TextField(max_length=64)
    category = TextField(max_length=64)
    website = WebUrlField(required=False)
    support_email = EmailTextField(required=False)
    logo_url = WebUrlField(required=False)
    brand_color = TextField(max_length=7, required=False)


class PublicLink(_Link):
    """A link as a customer sees it: without `metadata`, which the merchant keeps for itself."""

    created_at = InstantField()
    updated_at = InstantField()
    merchant = PublicMerchant()


def draft_of(values: dict[str, Any], *, livemode: bool) -> LinkDraft:
    """Make a draft from parsed inputs. Raises ValidationFailed for an http address in live mode."""
    refuse_http(values, "success_url", "cancel_url", livemode=livemode)
    known = {name: value for name, value in values.items() if name in LinkDraft.__annotations__}
    known.setdefault("currency", settings.DEFAULT_CURRENCY)
    return LinkDraft(**known)


def changes_of(values: dict[str, Any], *, livemode: bool) -> dict[str, Any]:
    """Turn a parsed change into column values. Raises ValidationFailed as draft_of does."""
    refuse_http(values, "success_url", "cancel_url", livemode=livemode)
    empty = {"description": "", "success_url": "", "cancel_url": "", "metadata": {}}
    return {name: empty.get(name) if value is None else value for name, value in values.items()}
