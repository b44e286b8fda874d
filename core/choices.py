"""A body field that is a list of known words."""

from typing import Any, ClassVar

from rest_framework import serializers

from core.fields import OneOfField

MAX_CHOICES = 100


class ChoicesField(serializers.ListField):
    """Known words, deduplicated, in the order given. `rule` states what the list must be."""

    default_error_messages: ClassVar[dict[str, Any]] = dict.fromkeys(
        ("not_a_list", "empty", "max_length"), "{rule}"
    )

    def __init__(self, *, allowed: tuple[str, ...], rule: str, **options: Any) -> None:
        self.rule = rule
        super().__init__(child=OneOfField(allowed=allowed), allow_empty=False, **options)

    def fail(self, key: str, **values: Any) -> Any:
        """Raise ValidationError with the rule, whichever part of it is broken."""
        super().fail(key, rule=self.rule, **values)

    def to_internal_value(self, data: Any) -> list[str]:
        if isinstance(data, list) and len(data) > MAX_CHOICES:
            self.fail("max_length")
        return list(dict.fromkeys(super().to_internal_value(data)))
