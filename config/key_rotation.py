"""Re-encrypt stored secrets under the newest key, bound to their rows, and report the rest."""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, TypeGuard

from django.db import transaction
from django.db.models import Count, Model

from core.crypto import DecryptedSecret, encrypt, try_decrypt
from core.key_register import configured_ids, release_key
from core.models import KeyInUse, KeyPurpose
from core.sealed import TOKEN_START, bound_to, place_of, sealed_columns
from core.signatures import AlteredRow, sign_anew, signature_field
from customers.models import PIN_ATTEMPTS_UNTIL_DISABLED, Customer

BATCH = 500


@dataclass
class ColumnReport:
    """The results of a pass over one column. `by_key` counts secrets by the position of the key."""

    label: str
    by_key: Counter[int] = field(default_factory=Counter)
    moved: int = 0
    unbound: int = 0
    unreadable: list[str] = field(default_factory=list)
    altered: list[str] = field(default_factory=list)
    misplaced: list[str] = field(default_factory=list)


def rotate_columns(*, check_only: bool, note: Callable[[str, int], None]) -> list[ColumnReport]:
    """Encrypt every secret under the first key, bound to its row, in short transactions.

    Returns the results. A secret bound to another row was copied, and is left as it is.

    Can be interrupted and restarted at any time, and run next to a live service. `note` is called
    with the progress: column and rows. With `check_only` nothing is written.
    """
    reports = []
    for model, name in sealed_columns():
        report = ColumnReport(f"{model._meta.label}.{name}")
        seen = 0
        for batch in _batches(model, name):
            _rotate_batch(model, name, batch, report, check_only=check_only)
            seen += len(batch)
            note(report.label, seen)
        reports.append(report)
    return reports


def left_on_keys(reports: list[ColumnReport]) -> dict[int, int]:
    """Return how many secrets still use each configured key but the first, by its position."""
    total = Counter[int]()
    for report in reports:
        total.update(report.by_key)
    count = len(configured_ids()[KeyPurpose.ENCRYPTION])
    return {position: total[position] for position in range(1, count)}


def release_unneeded(reports: list[ColumnReport]) -> None:
    """Allow processes to start without the encryption keys that no secret uses any more."""
    if any(report.unreadable for report in reports):
        return
    ids = configured_ids()[KeyPurpose.ENCRYPTION]
    needed = {ids[0]} | {ids[position] for position, left in left_on_keys(reports).items() if left}
    for entry in KeyInUse.objects.filter(purpose=KeyPurpose.ENCRYPTION):
        if entry.key_id not in needed:
            release_key(KeyPurpose.ENCRYPTION, entry.key_id)


def pins_on_earlier_peppers() -> dict[str, int]:
    """Return how many PINs need each pepper but the newest; "" for those stored without an id."""
    newest, *_ = configured_ids()[KeyPurpose.PEPPER]
    pins = Customer.objects.exclude(pin_hash="").exclude(pin_pepper=newest)
    return dict(pins.values_list("pin_pepper").annotate(Count("pk")))


def release_unneeded_peppers(left: dict[str, int]) -> None:
    """Allow processes to start without the peppers that no PIN needs.

    `left` is the result of `pins_on_earlier_peppers`.
    """
    newest, *_ = configured_ids()[KeyPurpose.PEPPER]
    if "" in left:
        return
    for entry in KeyInUse.objects.filter(purpose=KeyPurpose.PEPPER).exclude(key_id=newest):
        if entry.key_id not in left:
            release_key(KeyPurpose.PEPPER, entry.key_id)


@transaction.atomic
def give_up(entry: KeyInUse) -> int:
    """Give up a lost key: what it encrypted stays unreadable.

    Returns the number of PINs disabled, which their customers have to reset by code.
    """
    release_key(KeyPurpose(entry.purpose), entry.key_id)
    if entry.purpose != KeyPurpose.PEPPER:
        return 0
    pins = Customer.objects.exclude(pin_hash="").filter(pin_pepper=entry.key_id)
    return pins.update(pin_failures=PIN_ATTEMPTS_UNTIL_DISABLED, pin_locked_until=None)


def _batches(model: type[Model], name: str) -> Iterator[list[tuple[Any, ...]]]:
    """Yield the rows of a column in order of primary key, one SQL statement per batch.

    Each row is its key, the secret, and the values that the secret is bound to.
    """
    rows = model._base_manager.order_by("pk").values_list("pk", name, *bound_to(model, name))
    last: dict[str, Any] = {}
    while batch := list(rows.filter(**last)[:BATCH]):
        yield batch
        last = {"pk__gt": batch[-1][0]}


def _rotate_batch(
    model: type[Model],
    name: str,
    batch: list[tuple[Any, ...]],
    report: ColumnReport,
    *,
    check_only: bool,
) -> None:
    changes = []
    for key, stored, *identity in batch:
        token, place = _token_of(stored), place_of(model, name, identity)
        if not token.startswith(TOKEN_START):
            continue
        found = try_decrypt(token)
        if _is_to_move(found, place, report, str(key), check_only=check_only):
            changes.append((key, stored, found, encrypt(found.text.decode(), place)))
    if not changes:
        return
    with transaction.atomic():
        for key, stored, found, token in changes:
            fresh = token if isinstance(stored, str) else token.encode()
            try:
                is_moved = _replace(model, name, key, stored, fresh)
            except AlteredRow:
                report.altered.append(str(key))
                report.by_key[found.position] += 1
                report.unbound += not found.binding
                continue
            if is_moved:
                report.moved += 1
                report.by_key[0] += 1
            else:
                _count_as_it_is(model, name, key, report)


def _count_as_it_is(model: type[Model], name: str, key: Any, report: ColumnReport) -> None:
    """Count a secret that has changed since it was read: another rotation may have moved it."""
    rows = model._base_manager.filter(pk=key).values_list(name, *bound_to(model, name))
    for stored, *identity in rows:
        token, place = _token_of(stored), place_of(model, name, identity)
        if token.startswith(TOKEN_START):
            _is_to_move(try_decrypt(token), place, report, str(key), check_only=True)


def _token_of(stored: Any) -> str:
    return stored if isinstance(stored, str) else bytes(stored or b"").decode()


def _is_to_move(
    found: DecryptedSecret | None, place: bytes, report: ColumnReport, key: str, *, check_only: bool
) -> TypeGuard[DecryptedSecret]:
    """Return whether a secret has to be re-encrypted; count it in the report if not."""
    if found is None:
        report.unreadable.append(key)
        return False
    is_misplaced = found.binding is not None and not found.is_bound_to(place)
    if is_misplaced:
        report.misplaced.append(key)
    elif not check_only and (found.position or not found.binding):
        return True
    report.by_key[found.position] += 1
    report.unbound += not found.binding
    return False


def _replace(model: type[Model], name: str, key: Any, stored: Any, fresh: Any) -> bool:
    """Store a re-encrypted secret. One that has changed meanwhile is left for the next pass.

    Renews a signature that covers it. Raises AlteredRow if the signature was not valid.
    """
    unchanged = model._base_manager.filter(pk=key, **{name: stored})
    signature = signature_field(model)
    if signature is None or name not in signature.signed:
        return bool(unchanged.update(**{name: fresh}))
    row: Any = unchanged.first()
    if row is None:
        return False
    before = row.signature
    setattr(row, name, fresh)
    sign_anew(row)
    changes = {name: fresh, "signature": row.signature}
    return bool(unchanged.filter(signature=before).update(**changes))
