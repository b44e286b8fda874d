"""Serializer fields that accept exactly what the contract says, in one spelling only.

The stock ones accept `"100"`, `100.0`, `" 100 "` and digits of other scripts as a number, and
numbers as text.
"""

import re
from collections.abc import Mapping
from datetime import date, datetime
from typing import Any

from django.core.exceptions import ValidationError
from django.utils.dateparse import parse_date
from rest_framework import serializers

from core.clock import iso, whole_milliseconds
from core.errors import ValidationFailed
from core.instants import EARLIEST, LATEST, parse_instant
from core.limits import (
    MAX_EMAIL,
    MAX_METADATA_KEY,
    MAX_METADATA_KEYS,
    MAX_METADATA_VALUE,
    MAX_URL,
)
from core.mailboxes import validate_public_address
from core.money import MAX_AMOUNT, is_currency
from core.text import PRINTABLE_RULE, is_printable
from core.web_urls import HTTPS_RULE, WEB_URL_RULE, is_web_url

AMOUNT_RULE = f"must be an integer number of cents from 1 to {MAX_AMOUNT}"
MAX_SAFE_INTEGER = 2**53 - 1


def as_it_is(field: serializers.Field[Any, Any, Any, Any], value: Any) -> Any:
    """Return a value that is JSON already; outputs skip this call."""
    return value


class StrictIntegerField(serializers.Field[int, Any, int, Any]):
    """A JSON integer, by default a count: from 0 to the largest that all parsers read exactly."""

    def __init__(
        self, *, min_value: int = 0, max_value: int = MAX_SAFE_INTEGER, **options: Any
    ) -> None:
        self.min_value = min_value
        self.max_value = max_value
        super().__init__(**options)

    @property
    def rule(self) -> str:
        return f"must be an integer from {self.min_value} to {self.max_value}"

    def to_internal_value(self, data: Any) -> int:
        if type(data) is not int or not self.min_value <= data <= self.max_value:
            raise serializers.ValidationError(self.rule)
        return data

    to_representation = as_it_is


class AmountField(StrictIntegerField):
    """Money in the smallest unit: 1 to 99,999,999,999. A bad one is INVALID_AMOUNT."""

    def __init__(self, *, min_value: int = 1, **options: Any) -> None:
        super().__init__(min_value=min_value, max_value=MAX_AMOUNT, **options)

    @property
    def rule(self) -> str:
        return AMOUNT_RULE.replace("from 1", f"from {self.min_value}")

    def validate_empty_values(self, data: Any) -> tuple[bool, Any]:
        if data is None:
            raise serializers.ValidationError(self.rule, code="invalid_amount")
        return super().validate_empty_values(data)

    def to_internal_value(self, data: Any) -> int:
        try:
            return super().to_internal_value(data)
        except serializers.ValidationError:
            raise serializers.ValidationError(self.rule, code="invalid_amount") from None


class StrictBooleanField(serializers.Field[bool, Any, bool, Any]):
    """JSON `true` or `false`."""

    def to_internal_value(self, data: Any) -> bool:
        if not isinstance(data, bool):
            raise serializers.ValidationError("must be true or false")
        return data

    to_representation = as_it_is


class TextField(serializers.Field[str, Any, str, Any]):
    """A JSON string that is printable (`core.text`); `lines` admits line breaks."""

    def __init__(
        self,
        *,
        max_length: int,
        min_length: int = 1,
        lines: bool = False,
        pattern: str | None = None,
        pattern_rule: str = "",
        **options: Any,
    ) -> None:
        self.max_length = max_length
        self.min_length = min_length
        self.lines = lines
        self.pattern = pattern
        self.pattern_rule = pattern_rule
        super().__init__(**options)

    def to_internal_value(self, data: Any) -> str:
        if not isinstance(data, str) or not self.min_length <= len(data) <= self.max_length:
            raise serializers.ValidationError(
                f"must be a string of {self.min_length} to {self.max_length} characters"
            )
        if not is_printable(data, lines=self.lines):
            raise serializers.ValidationError(PRINTABLE_RULE)
        if self.pattern is not None and not re.fullmatch(self.pattern, data):
            raise serializers.ValidationError(self.pattern_rule)
        return data

    to_representation = as_it_is


class EmailTextField(TextField):
    """An e-mail address."""

    def __init__(self, **options: Any) -> None:
        super().__init__(max_length=MAX_EMAIL, **options)

    def to_internal_value(self, data: Any) -> str:
        text = super().to_internal_value(data)
        try:
            validate_public_address(text)
        except ValidationError:
            raise serializers.ValidationError("must be an e-mail address") from None
        return text


class CurrencyField(TextField):
    """An ISO 4217 code in capital letters."""

    def __init__(self, **options: Any) -> None:
        super().__init__(max_length=3, **options)

    def to_internal_value(self, data: Any) -> str:
        if not isinstance(data, str) or not is_currency(data):
            raise serializers.ValidationError("must be an ISO 4217 currency code such as BSD")
        return data


class OneOfField(TextField):
    """One of a closed list of words."""

    def __init__(self, *, allowed: tuple[str, ...], **options: Any) -> None:
        self.allowed = allowed
        super().__init__(max_length=max(map(len, allowed)), **options)

    def to_internal_value(self, data: Any) -> str:
        if not isinstance(data, str) or data not in self.allowed:
            raise serializers.ValidationError(f"must be one of {', '.join(self.allowed)}")
        return data


class WebUrlField(TextField):
    """An absolute web address. Whether http is allowed is the caller's mode to decide.

    `or_empty` takes the empty text too, which stands for none.
    """

    def __init__(self, *, or_empty: bool = False, **options: Any) -> None:
        self.or_empty = or_empty
        super().__init__(max_length=MAX_URL, **options)

    def to_internal_value(self, data: Any) -> str:
        if self.or_empty and data == "":
            return ""
        if not isinstance(data, str) or not is_web_url(data):
            raise serializers.ValidationError(WEB_URL_RULE)
        return data


def refuse_http(values: Mapping[str, Any], *names: str, livemode: bool) -> None:
    """Raise ValidationFailed if a live object would lead to an address without TLS."""
    for name in names:
        if livemode and (values.get(name) or "").startswith("http:"):
            raise ValidationFailed(**{name: HTTPS_RULE})


class DateField(serializers.Field[date, Any, str, Any]):
    """A calendar date, YYYY-MM-DD."""

    def to_internal_value(self, data: Any) -> date:
        if not isinstance(data, str) or not re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", data):
            raise serializers.ValidationError("must be a date of the form YYYY-MM-DD")
        try:
            parsed = parse_date(data)
        except ValueError:
            parsed = None
        if parsed is None:
            raise serializers.ValidationError("must be a date that exists")
        return parsed

    def to_representation(self, value: date) -> str:
        return value.isoformat()


class InstantField(serializers.Field[datetime, Any, str, Any]):
    """An instant: in, ISO 8601 with an offset; out, UTC with milliseconds and `Z`.

    Cut to milliseconds on the way in, as ours are: what is shown is what holds.
    """

    def to_internal_value(self, data: Any) -> datetime:
        instant = parse_instant(data) if isinstance(data, str) else None
        if instant is None:
            years = f"from {EARLIEST.year} to {LATEST.year - 1}"
            raise serializers.ValidationError(
                f"must be an ISO 8601 instant with a time zone, {years}"
            )
        return whole_milliseconds(instant)

    to_representation = staticmethod(iso)  # type: ignore[assignment]  # called as a method would be


class ListOf(serializers.ListField):
    """A JSON array of at most `max_length` items of one kind."""

    def __init__(self, *, max_length: int, **options: Any) -> None:
        rule = f"must be a list of at most {max_length}"
        messages: dict[str, Any] = {"not_a_list": rule, "max_length": rule}
        super().__init__(max_length=max_length, error_messages=messages, **options)


class MetadataField(serializers.Field[dict[str, Any], Any, Any, Any]):
    """At most 20 keys of 1 to 40 characters; values are strings, numbers, booleans or null."""

    def to_internal_value(self, data: Any) -> dict[str, Any]:
        if not isinstance(data, Mapping) or len(data) > MAX_METADATA_KEYS:
            raise serializers.ValidationError(
                f"must be an object with at most {MAX_METADATA_KEYS} keys"
            )
        for key, value in data.items():
            if not 1 <= len(key) <= MAX_METADATA_KEY:
                raise serializers.ValidationError(
                    f"a key must have 1 to {MAX_METADATA_KEY} characters"
                )
            if not is_printable(key):
                raise serializers.ValidationError(f"a key {PRINTABLE_RULE}")
            if fault := _fault_of_metadata(value):
                raise serializers.ValidationError({key: fault})
        return dict(data)

    to_representation = as_it_is


def _fault_of_metadata(value: Any) -> str | None:
    """Return the rule that a value breaks."""
    if not isinstance(value, str | int | float | bool | None):
        return "must be a string, number, boolean or null"
    if isinstance(value, str) and len(value) > MAX_METADATA_VALUE:
        return f"must have at most {MAX_METADATA_VALUE} characters"
    if isinstance(value, str) and not is_printable(value, lines=True):
        return PRINTABLE_RULE
    # PostgreSQL returns a large fraction as an integer, which JSON parsers need not support.
    if isinstance(value, int | float) and abs(value) > MAX_SAFE_INTEGER:
        return "must be a number between -(2^53-1) and 2^53-1"
    return None
