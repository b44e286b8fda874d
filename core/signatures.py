"""Rows that are signed on insert: an HMAC over their values, under a key the database lacks.

Someone who writes to the database without the service's key cannot write a row that verifies; a
proof names it. The form never changes, because every signature ever written must stay reproducible.
"""

import base64
import hashlib
import hmac
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, date, datetime
from functools import cache, lru_cache
from operator import attrgetter
from types import MappingProxyType
from typing import Any

import orjson
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.db import models
from django.utils.module_loading import import_string

from core.crypto import keys_of

_FORM = orjson.OPT_PASSTHROUGH_DATETIME | orjson.OPT_SORT_KEYS
VERSION_CHARACTERS = 8
MAX_SIGNATURE = 64
NO_COLUMNS: Mapping[str, object] = MappingProxyType({})
AT_UPGRADE = "upgrade"  # marks a row from before rows were signed


class AlteredRow(Exception):
    """A row is not as the service wrote it, so nothing more is done with it."""


@lru_cache
def _keys(text: str) -> dict[str, bytes]:
    """Return the keys by version, the signing one first."""
    found = [base64.urlsafe_b64decode(key) for key in keys_of(text)]
    if not all(found):
        raise ImproperlyConfigured("LEDGER_KEY is missing: nothing can be signed without it.")
    return {hashlib.sha256(key).hexdigest()[:VERSION_CHARACTERS]: key for key in found}


def canonical(values: Iterable[object]) -> bytes:
    """Return the bytes that are signed: a JSON array, instants in UTC, bytes as their SHA-256."""
    return orjson.dumps(list(values), default=_written, option=_FORM)


def instant_text(value: datetime) -> str:
    """Return an instant as signatures and entries of the log write it."""
    return value.astimezone(UTC).isoformat(timespec="microseconds")


def _written(value: object) -> str:
    if isinstance(value, datetime):
        return instant_text(value)
    if isinstance(value, date):
        return value.isoformat()
    return hashlib.sha256(bytes(value)).hexdigest()  # type: ignore[call-overload]  # bytes, or memoryview


def sign(values: Iterable[object], *, mark: str = "") -> str:
    """Return the signature of the values, under the newest key: its version, a mark, the HMAC."""
    version, key = next(iter(_keys(settings.LEDGER_KEY).items()))
    return _signature(version, key, values, mark)


def is_signed(signature: str | None, values: Iterable[object]) -> bool:
    """Return whether one of the keys signed exactly these values."""
    version, _, rest = (signature or "").partition(":")
    key = _keys(settings.LEDGER_KEY).get(version)
    if key is None or signature is None:
        return False
    return hmac.compare_digest(signature, _signature(version, key, values, rest.rpartition(":")[0]))


def _signature(version: str, key: bytes, values: Iterable[object], mark: str) -> str:
    text = canonical(values)
    digest = hmac.digest(key, text + mark.encode() if mark else text, "sha256")
    encoded = base64.b64encode(digest).decode()
    return f"{version}:{mark}:{encoded}" if mark else f"{version}:{encoded}"


class SignatureField(models.CharField):  # type: ignore[type-arg]  # generic in the stubs only
    """The signature of a row over the named columns, its own or of rows it belongs to.

    A row is signed when it is inserted; null in one from before rows were signed. `in_log`: a
    trigger records each new signature for the log. `added_later`: columns added after rows had been
    signed, with the value that existing rows got; a column with that value is left out of the
    signature, so that old and new releases verify each other's rows.
    """

    def __init__(
        self,
        *signed: str,
        added_later: Mapping[str, object] = NO_COLUMNS,
        in_log: bool = False,
        **options: Any,
    ) -> None:
        super().__init__(**{"max_length": MAX_SIGNATURE, "null": True, "editable": False} | options)
        self.signed, self.added_later = (*signed, *added_later), added_later
        self.in_log = in_log
        self._values_of = attrgetter(*self.signed) if self.signed else None

    @property
    def lookups(self) -> tuple[str, ...]:
        """The look-ups by which a query reads the signed values."""
        return tuple(name.replace(".", "__") for name in self.signed)

    def signed_form(self, values: Iterable[object]) -> tuple[object, ...]:
        """Return what is signed for these values: their table, and all but defaults at the end."""
        whole = (self.model._meta.db_table, *values)
        for default in reversed([*self.added_later.values()]):
            if whole[-1] != default:
                break
            whole = whole[:-1]
        return whole

    def verifies(self, signature: str | None, values: Sequence[object]) -> bool:
        """Return whether a signature is valid for these values.

        Some rows were signed with added columns at their default: those forms are accepted as well.
        """
        shortest = self.signed_form(values)
        whole = (self.model._meta.db_table, *values)
        lengths = range(len(shortest), len(whole) + 1)
        return any(is_signed(signature, whole[:length]) for length in lengths)

    def values_of(self, row: models.Model) -> tuple[object, ...]:
        """Return what is signed for a row as it is in memory."""
        return self.signed_form(self._values_of(row) if self._values_of else ())

    def pre_save(self, model_instance: models.Model, add: bool) -> Any:
        """Sign a row on insert."""
        if add:
            setattr(model_instance, self.attname, sign(self.values_of(model_instance)))
        return getattr(model_instance, self.attname)


def is_altered(row: models.Model) -> bool:
    """Return whether a row, as it was read, is not the one that was signed.

    One that was never signed is not judged; a signature that was removed is still in the log.
    """
    field = signature_field(type(row))
    signature = _signature_of(row, getattr(row, field.attname)) if field else None
    if field is None or signature is None:
        return False
    return not field.verifies(signature, attrgetter(*field.signed)(row))


def _signature_of(row: models.Model, stored: str | None) -> str | None:
    """Return the signature of a row: what is stored, or else the last one in the log, if any."""
    if stored is not None:
        return stored
    find: Callable[[str, str], str | None] = import_string(settings.LOGGED_SIGNATURE)
    return find(row._meta.db_table, str(row.pk))


@cache
def signature_field(model: type[models.Model]) -> SignatureField | None:
    """Return the field that holds the signature of a model's rows, if they are signed."""
    fields = (field for field in model._meta.concrete_fields if isinstance(field, SignatureField))
    return next(fields, None)


class SignedRow(models.Model):
    """A row whose signed columns may change, but only through `save`, which signs it again."""

    class Meta:
        abstract = True

    def save(self, *, update_fields: Iterable[str] | None = None, **options: Any) -> None:
        """Save, signing what changed. Raises AlteredRow if the stored row was tampered with."""
        names = None if update_fields is None else set(update_fields)
        if not self._state.adding and _changes_meaning(self, names) and sign_anew(self):
            update_fields = None if names is None else names | {"signature"}
        super().save(update_fields=update_fields, **options)


def _changes_meaning(row: models.Model, names: set[str] | None) -> bool:
    """Return whether a save of these fields, or of all, may change what the signature covers."""
    field = signature_field(type(row))
    if field is None or names is None:
        return field is not None
    attnames = {row._meta.get_field(name).attname for name in names}  # type: ignore[union-attr]  # no relation back
    return not attnames.isdisjoint(field.signed)


def sign_anew(row: models.Model) -> bool:
    """Re-sign a stored row whose signed columns are about to change; return whether they are.

    Raises AlteredRow if the stored row is not the one that was signed: a new signature would hide
    the tampering.
    """
    field = signature_field(type(row))
    if field is None or is_signed(row.signature, field.values_of(row)):  # type: ignore[attr-defined]  # the field
        return False
    stored = type(row)._base_manager.filter(pk=row.pk).values_list("signature", *field.lookups)
    signature, *values = stored.first() or (None,)
    known = _signature_of(row, signature)
    if known is not None and not field.verifies(known, values):
        raise AlteredRow(f"{row._meta.verbose_name} {row.pk}")
    # One that the upgrade has signed in the log alone has lost nothing.
    is_as_signed = signature is not None or f":{AT_UPGRADE}:" in (known or "")
    row.signature = sign(field.values_of(row), mark="" if is_as_signed else AT_UPGRADE)  # type: ignore[attr-defined]
    return True
