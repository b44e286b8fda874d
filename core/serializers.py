"""The two kinds of serializer: what comes in, and what goes out."""

from collections.abc import Iterable
from typing import Any

from rest_framework import serializers
from rest_framework.settings import api_settings

from core.errors import ApiError, InvalidAmount, InvalidRequest, ValidationFailed
from core.fields import AmountField

_RULES = {"required": "is required", "null": "must not be null"}


class Input(serializers.Serializer[Any]):
    """A request body or query. Unknown fields are ignored.

    A null stands for an absent field, except for an amount, where it is refused.
    """

    default_error_messages = {"invalid": "must be an object"}  # noqa: RUF012  # as the base has it

    @classmethod
    def parse(cls, data: Any, **context: Any) -> dict[str, Any]:
        """Return the valid values by field name.

        Raises InvalidRequest where the body is no object, InvalidAmount where an amount is at
        fault, ValidationFailed for any other field; `details` names each field and its rule.
        """
        if not isinstance(data, dict):
            raise InvalidRequest("The body must be a JSON object.")
        given = {
            name: value
            for name, value in data.items()
            if value is not None or isinstance(cls._declared_fields.get(name), AmountField)
        }
        serializer = cls(data=given, context=context)
        if not serializer.is_valid():
            raise refusal(serializer.errors)
        return dict(serializer.validated_data)


class Change(Input):
    """A PATCH body: a field that cannot be changed is refused."""

    @classmethod
    def parse(cls, data: Any, **context: Any) -> dict[str, Any]:
        """Return the values to change; an explicit null is kept, as None. Raises as Input does."""
        if not isinstance(data, dict):
            raise InvalidRequest("The body must be a JSON object.")
        fields = cls().fields
        fixed = {name: "cannot be changed" for name in data if name not in fields}
        if fixed:
            raise ValidationFailed(_sentence(fixed))
        serializer = cls(data=data, partial=True, context=context)
        if not serializer.is_valid():
            raise refusal(serializer.errors)
        return dict(serializer.validated_data)


class Output(serializers.Serializer[Any]):
    """A response body. Fields without a value, None or the empty text, are left out."""

    def to_representation(self, instance: Any) -> dict[str, Any]:
        return {
            name: value
            for name, value in super().to_representation(instance).items()
            if value is not None and value != ""
        }

    @classmethod
    def of(cls, instance: Any, **context: Any) -> dict[str, Any]:
        """Render one object as plain data."""
        return cls(instance, context=context).data

    @classmethod
    def each(cls, instances: list[Any], **context: Any) -> list[dict[str, Any]]:
        """Render many objects with one serializer."""
        serializer = cls(context=context)
        return [serializer.to_representation(instance) for instance in instances]


def refusal(errors: Any) -> ApiError:
    """Turn a serializer's errors into the error of the contract."""
    flat = dict(_flatten("", errors))
    details = _sentence({name: _rule(error) for name, error in flat.items()})
    if any(getattr(error, "code", "") == "invalid_amount" for error in flat.values()):
        return InvalidAmount(details)
    return ValidationFailed(details)


def _rule(error: Any) -> str:
    return _RULES.get(getattr(error, "code", ""), str(error))


def _sentence(fields: dict[str, str]) -> str:
    return "; ".join(f"{name}: {reason}" for name, reason in fields.items())


def _flatten(path: str, errors: Any) -> list[tuple[str, Any]]:
    pairs: Iterable[tuple[Any, Any]]
    if isinstance(errors, dict):
        pairs = errors.items()
    elif isinstance(errors, list) and any(isinstance(item, dict | list) for item in errors):
        pairs = enumerate(errors)
    else:
        return [(path or "body", errors[0] if isinstance(errors, list) else errors)]
    found: list[tuple[str, Any]] = []
    for name, item in pairs:
        if item:
            own = name == api_settings.NON_FIELD_ERRORS_KEY
            found += _flatten(path if own else f"{path}.{name}".removeprefix("."), item)
    return found
