"""Whatever the OpenAPI document allows, and what it does not: no 5xx, nothing undocumented."""

import faulthandler
import os

import pytest
import schemathesis
import schemathesis.openapi
from hypothesis import HealthCheck, Phase, given, seed
from hypothesis import settings as examples
from pytest_django.live_server_helper import LiveServer
from schemathesis import checks
from schemathesis.core.result import Ok
from schemathesis.specs.openapi import checks as openapi_checks

from core.clock import utc_now
from merchants.models import Merchant
from merchants.services import issue_key
from payments.models import Payment
from payments.statuses import PaymentStatus
from tests.client import Api
from tests.links.conftest import new_link
from tests.payments.journeys import bring_to
from tests.payouts.merchant_balance import credit

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.fuzz]
EXAMPLES = int(os.environ.get("FUZZ_EXAMPLES", "8"))
SEED = int(os.environ.get("FUZZ_SEED", "0"))  # by night others are drawn each time
CHECKS = [
    checks.not_a_server_error,
    openapi_checks.status_code_conformance,
    openapi_checks.content_type_conformance,
    openapi_checks.response_schema_conformance,
]


@pytest.fixture
def document(live_server: LiveServer) -> schemathesis.BaseSchema:
    return schemathesis.openapi.from_url(f"{live_server.url}/v1/openapi.json")


@pytest.fixture
def headers(document: schemathesis.BaseSchema, merchant: Merchant) -> dict[str, str]:
    issued = issue_key(merchant=merchant, livemode=False, name="Fuzz", now=utc_now())
    return {"Authorization": f"Bearer {issued.secret}"}


def fuzz(
    operation: schemathesis.APIOperation, headers: dict[str, str], real: dict[str, str]
) -> int:
    """Try an operation with what may be sent and what may not; return how often it was called."""
    calls = 0

    @seed(SEED)
    @examples(
        max_examples=EXAMPLES,
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
        phases=[Phase.explicit, Phase.generate],
    )
    @given(case=operation.as_strategy())
    def attempt(case: schemathesis.Case) -> None:
        nonlocal calls
        calls += 1
        if calls % 2:  # every other time an object that exists
            case.path_parameters.update(
                {k: v for k, v in real.items() if k in case.path_parameters}
            )
        case.call_and_validate(headers=headers, checks=CHECKS)

    attempt()
    return calls


@pytest.mark.night_on_postgres("SQLite has it by day; `make night` draws 75 times as many")
def test_every_operation(
    document: schemathesis.BaseSchema, headers: dict[str, str], payment: Payment, merchant: Merchant
) -> None:
    if SEED:
        faulthandler.cancel_dump_traceback_later()  # as long as it was asked for
    bring_to(payment, PaymentStatus.COMPLETED)
    credit(merchant, 100_000)
    real = {
        "payment_id": payment.id,
        "merchant_id": merchant.id,
        "merchant_slug": merchant.slug,
        "link_id": new_link(Api(), merchant).id,
        "payout_id": Api()(merchant).post("/v1/payouts", {"amount": 500}).json()["id"],
    }

    operations = [found.ok() for found in document.get_all_operations() if isinstance(found, Ok)]
    calls = {operation.label: fuzz(operation, headers, real) for operation in operations}

    assert "POST /v1/payments" in calls
    assert min(calls.values()) >= 1
