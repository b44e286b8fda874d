"""Measure the time to sign a row: `python -m bench.signatures`. Needs no database."""

import os
import sys
import time
from collections.abc import Callable
from functools import partial

ROUNDS, TIMES = 5, 1_000
MICROSECONDS = 1_000_000


def main() -> None:
    set_up()
    from django.db.models import Model

    from core.clock import utc_now
    from core.signatures import signature_field
    from payments.models import Payment, PaymentTransition
    from webhooks.models import Event

    now = utc_now()
    rows: dict[str, Model] = {
        "payment": Payment(id="pay_1", merchant_id="mer_1", amount=1_250, created_at=now),
        "transition": PaymentTransition(payment_id="pay_1", to_status="pending", at=now),
        "event of 700 bytes": Event(id="evt_1", body=b"x" * 700, created_at=now),
    }
    for name, row in rows.items():
        field = signature_field(type(row))
        assert field is not None  # all three are signed
        shortest = min(_seconds(partial(field.pre_save, row, True)) for _ in range(ROUNDS))
        sys.stdout.write(f"{name:20} {shortest / TIMES * MICROSECONDS:.1f} µs\n")


def set_up() -> None:
    import django

    from tests import run_environment

    run_environment.apply()
    os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings"
    django.setup()


def _seconds(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    for _ in range(TIMES):
        work()
    return time.perf_counter() - began


if __name__ == "__main__":
    main()
