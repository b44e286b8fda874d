"""Columns that hold secrets encrypted by `core.crypto`, so that a new key finds all of them.

To the database and to migrations they are plain columns.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from django.apps import apps
from django.db import models

# How every secret of Fernet begins: its version and a time of this century, in base64.
TOKEN_START = "gAAAAA"  # noqa: S105  # says nothing


class Sealed:
    """A column whose values are encrypted, or empty, or (of a response) open."""

    def deconstruct(self) -> Any:
        """Describe the column as the plain one that it is to the database."""
        name, _, args, kwargs = super().deconstruct()  # type: ignore[misc]  # of the field beside it
        return name, f"django.db.models.{type(self).__bases__[1].__name__}", args, kwargs


if TYPE_CHECKING:  # the stubs know the plain ones
    SealedTextField = models.TextField
    SealedCharField = models.CharField
    SealedBinaryField = models.BinaryField
else:

    class SealedTextField(Sealed, models.TextField):
        """A secret of any length."""

    class SealedCharField(Sealed, models.CharField):
        """A short secret."""

    class SealedBinaryField(Sealed, models.BinaryField):
        """Bytes that may be a secret."""


def sealed_columns() -> Iterator[tuple[type[models.Model], str]]:
    """Yield every column that holds secrets, by model and name."""
    for model in apps.get_models():
        for field in model._meta.local_fields:
            if isinstance(field, Sealed):
                yield model, field.name
