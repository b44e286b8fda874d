"""manage.py demo"""

import io
import json

import pytest
from django.core.management import CommandError, call_command

from payments.models import Payment
from payments.modes import PaymentMode

pytestmark = pytest.mark.django_db


def run() -> dict[str, object]:
    out = io.StringIO()
    call_command("demo", "--json", stdout=out)
    record: dict[str, object] = json.loads(out.getvalue())
    return record


@pytest.mark.usefixtures("development")
def test_it_makes_a_payment_of_each_mode_once() -> None:
    record = run()

    assert record["created"] is True
    assert set(Payment.objects.values_list("payment_mode", flat=True)) == set(PaymentMode.values)
    assert run() == {"created": False}
    assert Payment.objects.count() == len(PaymentMode)


def test_it_refuses_production() -> None:
    with pytest.raises(CommandError):
        run()
    assert Payment.objects.count() == 0
