"""Rows with signed columns as a test wants them, and signed like that."""

from typing import Any

from django.db.models import Model

from core.signatures import sign, signature_field


def write_signed(row: Model, **values: Any) -> None:
    """Change columns of a stored row, and sign it as if the service had written it so."""
    for name, value in values.items():
        setattr(row, name, value)
    field = signature_field(type(row))
    assert field is not None
    signature = sign(field.values_of(row))
    type(row)._base_manager.filter(pk=row.pk).update(signature=signature, **values)
