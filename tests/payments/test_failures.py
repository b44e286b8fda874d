"""The reasons for which a payment fails, told to three kinds of people in one place."""

import pytest

from core.reference import errors
from payments import failures
from payments.failures import DECLINED, Failure, failure_of

ALL = [value for value in vars(failures).values() if isinstance(value, Failure)]


@pytest.mark.parametrize("failure", ALL, ids=lambda failure: failure.code)
def test_every_reason_has_words_for_merchant_customer_and_staff(failure: Failure) -> None:
    assert failure_of(failure.code) is failure
    assert failure.code in {error.code for error in errors()}
    assert failure.message.endswith(".")
    assert str(failure.customer).endswith(".")
    assert not failure.staff.endswith(".")


def test_a_reason_of_the_past_reads_as_declined() -> None:
    assert failure_of("GONE") is DECLINED
    assert failure_of(None) is DECLINED
