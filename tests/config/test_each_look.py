"""A look finds each kind of row that its task waits for, and nothing where there is none."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest
from django.db.models import Model

from backoffice.models import ExportRun, ResendRun
from config.waiting_work import may_find_work
from core.clock import utc_now
from core.ids import new_id
from funding.models import FundingWay, TopUp
from funding.statuses import TopUpStatus
from links.models import LinkUse, PaymentLink
from payments.models import Payment
from payments.statuses import PaymentStatus
from payouts.models import AccountStatement
from tests.backoffice.rows import one_of_each
from tests.factories import PaymentFactory
from webhooks.models import Webhook

pytestmark = pytest.mark.django_db

PROCESSING = PaymentStatus.PROCESSING
PAST = datetime(2026, 1, 1, tzinfo=UTC)
Rows = dict[type[Model], Model]
AWAY: dict[type[Model], dict[str, Any]] = {
    ExportRun: {"finished_at": PAST},
    ResendRun: {"finished_at": PAST},
}


def _of(model: type[Model], **changes: Any) -> Callable[[Rows], object]:
    return lambda rows: model._default_manager.filter(pk=rows[model].pk).update(**changes)


def _use_link(rows: Rows, *, counted: bool = False) -> object:
    name = {"payment_id": new_id("pay", utc_now()), "link_id": rows[PaymentLink].pk}
    return LinkUse.objects.create(**name, amount=1, used_at=utc_now(), counted=counted)


WAITS: list[tuple[str, Callable[[Rows], object]]] = [
    ("tidy webhooks", _of(Webhook, recover_since=PAST)),
    ("tidy webhooks", _of(Webhook, is_active=False, disabled_reason="requested")),
    ("count link uses", _use_link),
    ("expire links", _of(PaymentLink, expires_at=PAST)),
    ("settle payments", lambda _: PaymentFactory(status=PROCESSING, settles_at=PAST)),
    ("collect top-ups", _of(TopUp, way=FundingWay.SIMULATED, livemode=False)),
    (
        "collect top-ups",
        lambda rows: TopUp.objects.update(
            status=TopUpStatus.SUCCEEDED,
            succeeded_at=PAST,
            amount_received=1,
            transaction_id=new_id("txn", PAST),
            payment=rows[Payment].pk,
        ),
    ),
    (
        "make statements",
        _of(AccountStatement, ready_at=None, opening_amount=None, closing_amount=None),
    ),
    ("make exports", _of(ExportRun, finished_at=None)),
    ("make exports", _of(ExportRun, finished_at=None, lease_until=PAST)),
    ("resend webhooks", _of(ResendRun, finished_at=None)),
]


@pytest.mark.parametrize(("task", "put"), WAITS)
def test_a_row_that_its_task_waits_for_is_found(task: str, put: Callable[[Rows], object]) -> None:
    rows = one_of_each()
    _use_link(rows, counted=True)
    for model, changes in AWAY.items():
        model._default_manager.update(**changes)
    assert not may_find_work(task, now=utc_now())

    put(rows)

    assert may_find_work(task, now=utc_now())
