"""Columns that hold secrets encrypted by `core.crypto`, so that a key rotation finds all of them.

Each secret is bound to its place: the column, and those columns that identify its row and never
change. To the database and to migrations they are plain columns.
"""

from collections.abc import Iterable, Iterator
from operator import attrgetter
from typing import TYPE_CHECKING, Any, TypeVar

import orjson
from django.apps import apps
from django.db import models

from core.crypto import decrypt, encrypt

# How every Fernet token begins: its version and a timestamp of this century, in base64.
TOKEN_START = "gAAAAA"  # noqa: S105  # says nothing


_Field = TypeVar("_Field")


class Sealed:
    """A column whose values are encrypted, or empty, or (for a response) in the clear."""

    bound_to: tuple[str, ...]
    bound_as: str

    def deconstruct(self) -> Any:
        """Describe the column to migrations as the plain one that the database has."""
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


def bound(field: _Field, *to: str, like: str = "") -> _Field:
    """Name the columns that secrets of this one are bound to; a dot leads to those of another row.

    `like` is the column from which a secret may have been moved here as it was stored.
    """
    field.bound_to, field.bound_as = to, like  # type: ignore[attr-defined]  # a plain one in the stubs
    return field


def place_of(model: type[models.Model], column: str, identity: Iterable[Any]) -> bytes:
    """Return what a secret is bound to: the table, the column and the values of `bound_to`."""
    as_if = _field(model, column).bound_as or column
    return orjson.dumps([model._meta.db_table, as_if, *map(str, identity)])


def seal(row: models.Model, column: str, text: str) -> None:
    """Put a secret into a row that is not saved yet and whose identity is known."""
    setattr(row, column, encrypt(text, _place(row, column)))


def unseal(row: models.Model, column: str) -> str:
    """Read a secret of a row. Raises EncryptionKeyMissing, SecretMisplaced."""
    stored = getattr(row, column)
    token = stored if isinstance(stored, str) else bytes(stored).decode()
    return decrypt(token, _place(row, column))


def bound_to(model: type[models.Model], column: str) -> list[str]:
    """Return the look-ups by which a query reads the identity of a row."""
    return [name.replace(".", "__") for name in _field(model, column).bound_to]


def _place(row: models.Model, column: str) -> bytes:
    identity = (attrgetter(name)(row) for name in _field(type(row), column).bound_to)
    return place_of(type(row), column, identity)


def _field(model: type[models.Model], column: str) -> Any:
    return model._meta.get_field(column)


def sealed_columns() -> Iterator[tuple[type[models.Model], str]]:
    """Yield every column that holds secrets, by model and name."""
    for model in apps.get_models():
        for field in model._meta.local_fields:
            if isinstance(field, Sealed):
                yield model, field.name
