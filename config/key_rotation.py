"""Move what is stored to the newest keys, bound to its row, and tell what is left as it was."""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, TypeGuard

from django.db import transaction
from django.db.models import Count, Model

from core.crypto import Opened, encrypt, opened
from core.key_register import configured_ids, release_key
from core.models import KeyInUse, KeyPurpose
from core.sealed import TOKEN_START, bound_to, place_of, sealed_columns
from core.signatures import AlteredRow, sign_anew, signature_field
from customers.models import PIN_ATTEMPTS_UNTIL_DISABLED, Customer

BATCH = 500


@dataclass
class ColumnReport:
    """What a pass over one column found: secrets by the position of their key."""

    label: str
    by_key: Counter[int] = field(default_factory=Counter)
    moved: int = 0
    unbound: int = 0
    unreadable: list[str] = field(default_factory=list)
    altered: list[str] = field(default_factory=list)
    misplaced: list[str] = field(default_factory=list)


def rotate_columns(*, check_only: bool, note: Callable[[str, int], None]) -> list[ColumnReport]:
    """Encrypt every secret under the first key, bound to its row, in short transactions.

    Returns what was found. One that is bound to another row was copied, and is left.

    Safe to end and begin again at any time, and beside a running service. `note` hears how far it
    has come, by column and rows. With `check_only` nothing is written.
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
    """Return how many secrets are left on each configured key but the first, by its position."""
    total = Counter[int]()
    for report in reports:
        total.update(report.by_key)
    count = len(configured_ids()[KeyPurpose.ENCRYPTION])
    return {position: total[position] for position in range(1, count)}


def release_unneeded(reports: list[ColumnReport]) -> None:
    """Let processes start without the encryption keys that nothing is left on."""
    if any(report.unreadable for report in reports):
        return
    ids = configured_ids()[KeyPurpose.ENCRYPTION]
    needed = {ids[0]} | {ids[position] for position, left in left_on_keys(reports).items() if left}
    for entry in KeyInUse.objects.filter(purpose=KeyPurpose.ENCRYPTION):
        if entry.key_id not in needed:
            release_key(KeyPurpose.ENCRYPTION, entry.key_id)


def pins_on_earlier_peppers() -> dict[str, int]:
    """Return how many PINs need each pepper but the newest; "": one from before ids were kept."""
    newest, *_ = configured_ids()[KeyPurpose.PEPPER]
    pins = Customer.objects.exclude(pin_hash="").exclude(pin_pepper=newest)
    return dict(pins.values_list("pin_pepper").annotate(Count("pk")))


def release_unneeded_peppers(left: dict[str, int]) -> None:
    """Let processes start without the peppers that no PIN needs, by `pins_on_earlier_peppers`."""
    newest, *_ = configured_ids()[KeyPurpose.PEPPER]
    if "" in left:
        return
    for entry in KeyInUse.objects.filter(purpose=KeyPurpose.PEPPER).exclude(key_id=newest):
        if entry.key_id not in left:
            release_key(KeyPurpose.PEPPER, entry.key_id)


@transaction.atomic
def give_up(entry: KeyInUse) -> int:
    """Do without a key that is lost: what is under it stays unreadable. Returns how many PINs are
    switched off, for their customers to reset by a code.
    """
    release_key(KeyPurpose(entry.purpose), entry.key_id)
    if entry.purpose != KeyPurpose.PEPPER:
        return 0
    pins = Customer.objects.exclude(pin_hash="").filter(pin_pepper=entry.key_id)
    return pins.update(pin_failures=PIN_ATTEMPTS_UNTIL_DISABLED, pin_locked_until=None)


def _batches(model: type[Model], name: str) -> Iterator[list[tuple[Any, ...]]]:
    """Yield the rows of a column by their primary key, each batch in a statement of its own.

    Each is its key, the secret, and what that is bound to.
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
        token = stored if isinstance(stored, str) else bytes(stored or b"").decode()
        place = place_of(model, name, identity)
        if not token.startswith(TOKEN_START):
            continue
        found = opened(token)
        if _is_to_move(found, place, report, str(key), check_only=check_only):
            changes.append((key, stored, found, encrypt(found.text.decode(), place)))
    if not changes:
        return
    with transaction.atomic():
        for key, stored, found, token in changes:
            fresh = token if isinstance(stored, str) else token.encode()
            try:
                moved = _replace(model, name, key, stored, fresh)
            except AlteredRow:
                report.altered.append(str(key))
                moved = False
            report.moved += moved
            report.by_key[0 if moved else found.position] += 1
            report.unbound += not (moved or found.binding)


def _is_to_move(
    found: Opened | None, place: bytes, report: ColumnReport, key: str, *, check_only: bool
) -> TypeGuard[Opened]:
    """Return whether a secret is to be encrypted anew; note in the report one that is not."""
    if found is None:
        report.unreadable.append(key)
        return False
    is_misplaced = found.binding is not None and not found.stands_in(place)
    if is_misplaced:
        report.misplaced.append(key)
    elif not check_only and (found.position or not found.binding):
        return True
    report.by_key[found.position] += 1
    report.unbound += not found.binding
    return False


def _replace(model: type[Model], name: str, key: Any, stored: Any, fresh: Any) -> bool:
    """Store a secret under its new key. One that has changed meanwhile is left for the next pass.

    A signature that covers it is made anew. Raises AlteredRow where it did not hold.
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
