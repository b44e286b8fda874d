"""Merchants as they come in and go out."""

from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from rest_framework import serializers

from core.fields import (
    EmailTextField,
    InstantField,
    OneOfField,
    StrictIntegerField,
    TextField,
    WebUrlField,
)
from core.instants import time_zones
from core.limits import MAX_NAME, MAX_TEXT
from core.serializers import Change, Input, Output
from core.text import names_someone
from core.web_urls import HTTPS_RULE
from merchants.keys import KEY_CHARACTERS
from merchants.models import MAX_FEE_BASIS_POINTS, SLUG_CHARACTERS, Merchant, PayoutSchedule
from merchants.services import Registration
from merchants.statuses import MerchantStatus

SLUG = r"[a-z0-9](?:[a-z0-9-]*[a-z0-9])?"
SLUG_RULE = "must be lowercase letters, digits and hyphens, beginning and ending without a hyphen"
PHONE = r"\+?[0-9 ().-]{3,31}"
PHONE_RULE = "must be a telephone number of digits, spaces, brackets, dots and hyphens"
COLOR = "#[0-9A-Fa-f]{6}"
NOT_BLANK = r".*\S.*"


class TimeZoneField(TextField):
    """The name of a time zone of the IANA database."""

    def __init__(self, **options: Any) -> None:
        super().__init__(max_length=64, **options)

    def to_internal_value(self, data: Any) -> str:
        if not isinstance(data, str) or data not in time_zones():
            raise serializers.ValidationError(
                "must be a time zone of the IANA database such as America/Nassau"
            )
        return data


class HttpsField(WebUrlField):
    """An https address; http too in development mode. A merchant has one address for both modes."""

    def to_internal_value(self, data: Any) -> str:
        url = super().to_internal_value(data)
        if urlsplit(url).scheme != "https" and not settings.DEVELOPMENT_MODE:
            raise serializers.ValidationError(HTTPS_RULE)
        return url


class AddressField(TextField):
    """A postal address: a text, or an object whose texts are its lines in the order given."""

    def __init__(self, **options: Any) -> None:
        super().__init__(max_length=MAX_TEXT, lines=True, **options)

    def to_internal_value(self, data: Any) -> str:
        if not isinstance(data, dict):
            return super().to_internal_value(data)
        lines = [line for line in data.values() if line is not None]
        if not all(isinstance(line, str) for line in lines):
            raise serializers.ValidationError("must be a text, or an object of texts")
        return super().to_internal_value("\n".join(line for line in lines if line))


class PendingChangesField(serializers.DictField):
    """New values by the name of their field."""

    child = serializers.CharField()


class NameField(TextField):
    """The name that customers read."""

    def __init__(self, **options: Any) -> None:
        super().__init__(
            max_length=MAX_NAME, pattern=NOT_BLANK, pattern_rule="must not be blank", **options
        )

    def to_internal_value(self, data: Any) -> str:
        text = super().to_internal_value(data)
        if not names_someone(text):
            raise serializers.ValidationError(
                "must contain a letter or a digit, and no character that cannot be seen"
            )
        return text


def _category(**options: Any) -> TextField:
    return TextField(max_length=64, pattern=NOT_BLANK, pattern_rule="must not be blank", **options)


def _phone(**options: Any) -> TextField:
    return TextField(max_length=32, pattern=PHONE, pattern_rule=PHONE_RULE, **options)


def _color(**options: Any) -> TextField:
    return TextField(
        max_length=7, pattern=COLOR, pattern_rule="must be a colour such as #00778b", **options
    )


def _schedule(**options: Any) -> OneOfField:
    return OneOfField(allowed=tuple(PayoutSchedule.values), **options)


class NewMerchant(Input):
    """The fields of a registration; a null is an absent field."""

    name = NameField()
    slug = TextField(
        max_length=SLUG_CHARACTERS, pattern=SLUG, pattern_rule=SLUG_RULE, required=False
    )
    category = _category(required=False)
    email = EmailTextField()
    phone = _phone(required=False)
    description = TextField(max_length=MAX_TEXT, lines=True, required=False)
    website = HttpsField(required=False)
    logo_url = HttpsField(required=False)
    support_email = EmailTextField(required=False)
    address = AddressField(required=False)
    business_type = TextField(max_length=64, required=False)
    tax_id = TextField(max_length=64, required=False)
    brand_color = _color(required=False)
    time_zone = TimeZoneField(required=False)
    payout_schedule = _schedule(required=False)


class ChangedMerchant(Change):
    """A null takes the value away, or puts the default back."""

    name = NameField()
    category = _category(allow_null=True)
    email = EmailTextField()
    phone = _phone(allow_null=True)
    description = TextField(max_length=MAX_TEXT, lines=True, allow_null=True)
    website = HttpsField(allow_null=True)
    logo_url = HttpsField(allow_null=True)
    support_email = EmailTextField(allow_null=True)
    address = AddressField(allow_null=True)
    business_type = TextField(max_length=64, allow_null=True)
    tax_id = TextField(max_length=64, allow_null=True)
    brand_color = _color(allow_null=True)
    time_zone = TimeZoneField(allow_null=True)
    payout_schedule = _schedule(allow_null=True)

    @classmethod
    def parse(cls, data: Any) -> dict[str, Any]:
        """Return the columns to change, with the default for a null. Raises as Change does."""
        changes = super().parse(data)
        return {name: _default(name) if value is None else value for name, value in changes.items()}


def _default(name: str) -> str:
    return str(getattr(Merchant(), name))


class MerchantOutput(Output):
    """A merchant as it sees itself."""

    id = TextField(max_length=40)
    name = TextField(max_length=MAX_NAME)
    slug = TextField(max_length=SLUG_CHARACTERS)
    category = TextField(max_length=64)
    email = EmailTextField()
    created_at = InstantField()
    category_code = TextField(
        max_length=4, required=False, help_text="The merchant category code (ISO 18245)."
    )
    phone = TextField(max_length=32, required=False)
    description = TextField(max_length=MAX_TEXT, required=False)
    website = WebUrlField(required=False)
    logo_url = WebUrlField(required=False)
    support_email = EmailTextField(required=False)
    address = TextField(max_length=MAX_TEXT, required=False)
    business_type = TextField(max_length=64, required=False)
    tax_id = TextField(max_length=64, required=False)
    brand_color = TextField(max_length=7, required=False)
    time_zone = TextField(max_length=64)
    payout_schedule = OneOfField(allowed=tuple(PayoutSchedule.values))
    status = OneOfField(allowed=tuple(MerchantStatus.values))
    fee_basis_points = StrictIntegerField(min_value=0, max_value=MAX_FEE_BASIS_POINTS)
    email_confirmed_at = InstantField(required=False)
    pending_changes = PendingChangesField(required=False)
    updated_at = InstantField()


class FirstKeys(Output):
    """One key per mode, shown this once."""

    test = TextField(max_length=KEY_CHARACTERS, source="test.secret")
    live = TextField(max_length=KEY_CHARACTERS, source="live.secret")


class RegistrationOutput(MerchantOutput):
    """A new merchant with its first keys."""

    api_keys = FirstKeys()

    def to_representation(self, instance: Registration) -> dict[str, Any]:
        merchant = MerchantOutput.of(instance.merchant)
        return {**merchant, "api_keys": FirstKeys.of(instance)}
